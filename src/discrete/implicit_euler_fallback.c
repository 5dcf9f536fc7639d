#include "discrete/implicit_euler_fallback.h"

#include <float.h>
#include <math.h>

enum { ITERATIONS = 500 }; /* the last method must converge */

void lil_euler_fallback_destroy(lil_euler_fallback *r)
{
    lil_discrete_destroy(&r->discrete);
    lil_evaluator_destroy(&r->ev);
    lil_arena_free(&r->arena);
    *r = (lil_euler_fallback){ 0 };
}

static lil_status euler_fallback_create(lil_euler_fallback *r, lil_context *ctx, const lil_model *model,
                                        const lil_solver_def *solver, lil_tally *tally)
{
    const lil_rule rule = { .n = 1, .b = { 1 }, .c = { 1 }, .a = { 1 }, .f = { 1 }, .e = { 1 }, .frozen = true };
    lil_solver_def own = *solver;
    own.method = LIL_SOLVER_MINIMISE;
    own.iterations = ITERATIONS;
    LIL_TRY(lil_evaluator_create(ctx, &r->arena, model, LIL_SECOND_BLOCKS, LIL_SECOND_NONE, &r->ev));
    LIL_TRY(lil_discrete_create(ctx, &r->arena, &r->ev, &rule, &own, tally, NULL, false, &r->discrete));
    r->discrete.friction = 0;
    r->v = LIL_NEW(&r->arena, double, model->n);
    return r->v ? LIL_OK : lil_fail_memory(ctx);
}

static double euler_fallback_energy(lil_euler_fallback *r, double t, const double *q, const double *p, double *size)
{
    double W, pv;
    lil_evaluate_potential(&r->ev, t, q, &W, NULL);
    lil_mass_solve(&r->ev, p, r->v);
    pv = lil_dot(r->ev.n, p, r->v);
    lil_evaluate_size(&r->ev, LIL_POTENTIAL, t, q, size, NULL);
    *size += fabs(W) + pv;
    return pv / 2 + W;
}

lil_status lil_euler_fallback_step(lil_euler_fallback *r, lil_context *ctx, const lil_model *model,
                                   const lil_solver_def *solver, lil_tally *tally, double t, double h, double *q,
                                   double *p, const double *v)
{
    if (!r->made) {
        lil_status status = euler_fallback_create(r, ctx, model, solver, tally);
        if (status != LIL_OK) {
            lil_euler_fallback_destroy(r);
            return status;
        }
        r->made = true;
    }
    r->ev.supports = r->supports;
    lil_reused_matrix_drop(&r->discrete.reused); /* a matrix of an earlier step is not part of the state */
    r->discrete.reference = 0;
    double size = 0, before = euler_fallback_energy(r, t, q, p, &size), in = tally->work_in, out = tally->work_out;
    LIL_TRY(lil_discrete_step(&r->discrete, t, h, q, p, v));
    double after = euler_fallback_energy(r, t + h, q, p, &size);
    double lost = before - after + (tally->work_in - in) - (tally->work_out - out);
    bool driven = model->drives || model->dofs.script_count || lil_model_terms(model, LIL_FORCE);
    if (!driven && !(lost >= -1e3 * DBL_EPSILON * size))
        return lil_fail(ctx, LIL_ERR_CONVERGENCE, "implicit Euler, the last resort, would gain %g J of energy",
                        -lost);
    lost = fmax(lost, 0); /* gained energy stays in the balance as an error */
    tally->touched = tally->touched || lil_evaluate_pushes(&r->ev);
    tally->implicit_euler_steps++;
    tally->implicit_euler_loss += lost;
    tally->work_out += lost;
    return LIL_OK;
}
