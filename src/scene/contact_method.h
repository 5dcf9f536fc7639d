/* contact: {method: auto}: the barrier, wherever the rest of the scene takes it, or penalty. */
#ifndef LIL_SCENE_CONTACT_METHOD_H
#define LIL_SCENE_CONTACT_METHOD_H

#include "scene/bodies.h"
#include "scene/settings.h"

/* In the order of `method`. */
typedef enum lil_contact_choice { LIL_CHOOSE_AUTO, LIL_CHOOSE_PENALTY, LIL_CHOOSE_BARRIER } lil_contact_choice;

/* The choice, a lil_contact_choice: *method is not LIL_CHOOSE_AUTO afterwards. world->no_barrier says why it is
 * not the barrier, if that was the question. A scene with options of the barrier is refused where the barrier is
 * not possible. */
lil_status lil_choose_contact(const lil_reader *rd, const lil_node *root, lil_world *world, int *method);

#endif
