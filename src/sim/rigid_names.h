/* Rigid motions that nothing resists, in words. */
#ifndef LIL_SIM_RIGID_NAMES_H
#define LIL_SIM_RIGID_NAMES_H

#include "discrete/linearised.h"

enum { LIL_RIGID_NAME_MAX = 160 };

/* Those of the part of rigid motion `first`, into `text`: "'bar': 3 translations and 3 rotations". Returns the first
 * motion of the next part. */
int lil_rigid_name(const lil_linearised *s, int first, char text[LIL_RIGID_NAME_MAX]);

/* The body or the particles of a vertex; "a part" of a model without names. */
const char *lil_vertex_owner(const lil_model *model, int vertex);

#endif
