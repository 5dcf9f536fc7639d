#include "sim/text_monitor.h"

typedef struct text_monitor {
    lil_program program; /* m and d/dt log m */
    double *slots;
} text_monitor;

/* d/dt log m = (dm/dt + sum dm/dq_i v_i) / m */
static lil_status rate_of(lil_context *ctx, lil_graph *g, int n, lil_ex m, lil_ex *rate)
{
    lil_tape tape = { 0 };
    lil_status status = lil_ex_gradient(&tape, g, m);
    *rate = lil_ex_const(g, 0);
    for (int k = 0; status == LIL_OK && k < tape.inputs; k++) {
        int input = tape.input[k];
        if (input >= lil_input_v(n, 0)) {
            status = lil_fail(ctx, LIL_ERR_INPUT, "the monitor may depend on positions and t, not on velocities");
            break;
        }
        lil_ex v = input == LIL_INPUT_T ? lil_ex_const(g, 1) : lil_ex_input(g, lil_input_v(n, input - 1));
        *rate = lil_ex_binary(g, LIL_OP_ADD, *rate, lil_ex_binary(g, LIL_OP_MUL, tape.by[k], v));
    }
    *rate = lil_ex_binary(g, LIL_OP_DIV, *rate, m);
    lil_tape_free(&tape);
    return status == LIL_OK ? g->status : status;
}

static bool evaluate(void *user, double t, const double *q, const double *v, double *m, double *rate)
{
    const text_monitor *monitor = user;
    double out[2];
    lil_program_run(&monitor->program, monitor->slots, t, q, v, out);
    *m = out[0];
    *rate = out[1];
    return true;
}

lil_status lil_text_monitor(lil_context *ctx, lil_arena *arena, lil_graph *g, int n, lil_ex m,
                            lil_control_def *control)
{
    lil_ex out[2] = { m };
    text_monitor *monitor;
    LIL_ALLOC(ctx, arena, monitor, 1);
    LIL_TRY(rate_of(ctx, g, n, m, &out[1]));
    LIL_TRY(lil_program_compile(g, arena, n, out, 2, &monitor->program));
    if (monitor->program.parameter_count)
        return lil_fail(ctx, LIL_ERR_INPUT, "the monitor may not depend on a parameter that is live");
    monitor->slots = lil_program_slots(&monitor->program, arena);
    LIL_HAVE(ctx, monitor->slots);
    control->monitor = evaluate;
    control->user = monitor;
    return LIL_OK;
}
