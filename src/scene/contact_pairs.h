/* contact: {ignore, between}: which parts meet, and how two of them rub. */
#ifndef LIL_SCENE_CONTACT_PAIRS_H
#define LIL_SCENE_CONTACT_PAIRS_H

#include "scene/bodies.h"

/* `contact` may be NULL. */
lil_status lil_read_meetings(const lil_reader *rd, const lil_node *contact, lil_world *world);

extern const char *const lil_meeting_keys[]; /* ended by NULL */

#endif
