/* The readings of a clock (phases.h): as lines, as JSON, as names in a file. */
#ifndef LIL_CORE_PROFILE_H
#define LIL_CORE_PROFILE_H

#include "core/phases.h"
#include "core/text.h"

enum { LIL_PHASE_KEY_MAX = 32 };

/* Its name with '_' for ' ', as JSON and files have it. */
const char *lil_phase_key(lil_phase phase, char key[LIL_PHASE_KEY_MAX]);

void lil_profile_add(lil_profile *to, const lil_profile *from);
void lil_profile_json(lil_text *text, const lil_profile *profile);

#endif
