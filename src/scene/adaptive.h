/* time.adaptive: how long steps are. */
#ifndef LIL_SCENE_ADAPTIVE_H
#define LIL_SCENE_ADAPTIVE_H

#include "scene/system.h"
#include "sim/sim.h"

typedef struct lil_adaptive {
    int method;          /* lil_control_method */
    lil_program monitor; /* m and d/dt log m; no outputs: the default monitor */
    double *slots;
} lil_adaptive;

lil_status lil_read_adaptive(const lil_reader *rd, const lil_node *root, const lil_system *system,
                             lil_adaptive *adaptive);
/* The Sim's control; `adaptive` must live as long. */
lil_control_def lil_adaptive_control(lil_adaptive *adaptive);

#endif
