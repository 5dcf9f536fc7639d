/* A monitor of the step control that is an expression m(t, q). */
#ifndef LIL_SIM_TEXT_MONITOR_H
#define LIL_SIM_TEXT_MONITOR_H

#include "expr/program.h"
#include "sim/control.h"

/* control->monitor and its user data, which are in the arena. m is an expression of n coordinates. */
lil_status lil_text_monitor(lil_context *ctx, lil_arena *arena, lil_graph *g, int n, lil_ex m,
                            lil_control_def *control);

#endif
