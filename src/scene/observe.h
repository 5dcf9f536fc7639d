/* observe and draw: named quantities and points of (t, q, v). */
#ifndef LIL_SCENE_OBSERVE_H
#define LIL_SCENE_OBSERVE_H

#include "scene/system.h"

typedef struct lil_observe {
    int count;
    const char **names;
    bool *invariant;
    int *size;           /* of an invariant: which output is the size of what it is summed from; -1 of others */
    lil_program program; /* one output each, then the sizes */
} lil_observe;

typedef struct lil_draw {
    int count; /* of points */
    const char **names;
    lil_program program; /* x, y, z each */
    int link_count;
    int (*links)[2]; /* points; -1 is the origin */
} lil_draw;

lil_status lil_read_observe(const lil_reader *rd, const lil_node *root, const lil_system *system,
                            lil_observe *observe);
lil_status lil_read_draw(const lil_reader *rd, const lil_node *root, const lil_system *system, lil_draw *draw);

#endif
