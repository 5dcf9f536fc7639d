#include "discrete/tally.h"

#include <math.h>
#include <string.h>

void lil_tally_drive(lil_tally *tally, lil_evaluator *ev, double weight, double t, const double *q, const double *v)
{
    lil_supports_add(ev->supports, LIL_SUPPORT_POTENTIAL, weight);
    if (weight != 0)
        tally->work_in += weight * (ev->power + lil_evaluate_rate(ev, t, q, v, weight));
}

void lil_tally_work(lil_tally *tally, lil_evaluator *ev, double weight, double t, const double *q, const double *v,
                    const double *F)
{
    double all = weight * lil_dot(ev->n, F, v), external = all;
    lil_supports_add(ev->supports, LIL_SUPPORT_FORCE, weight); /* of F: another evaluation follows */
    if (lil_model_forces_use_v(ev->model)) {
        memset(ev->at_rest, 0, (size_t)ev->n * sizeof *ev->at_rest);
        lil_evaluate_force(ev, t, q, ev->at_rest, ev->force_at_rest);
        external = weight * lil_dot(ev->n, ev->force_at_rest, v);
        external = isfinite(external) ? external : 0; /* a force that is undefined at rest counts as dissipation */
    }
    tally->work_in += external;
    tally->work_out += external - all;
}

lil_status lil_tally_solve(lil_context *ctx, lil_tally *tally, const lil_solve *solve, const char *solver,
                           double *reference)
{
    tally->newton_iterations += solve->iterations;
    tally->linear_iterations += solve->linear_iterations;
    if (!isfinite(solve->gradient))
        return lil_fail(ctx, LIL_ERR_NOT_FINITE, "the equations of the step are not finite");
    if (!solve->converged)
        return lil_fail(ctx, LIL_ERR_CONVERGENCE,
                        "%s is at |gradient| = %.3g after %d iterations, %.3g of its initial value", solver,
                        solve->gradient, solve->iterations, solve->gradient / solve->gradient_start);
    if (*reference == 0)
        *reference = solve->gradient_start;
    tally->gradient_max = fmax(tally->gradient_max, solve->gradient);
    return LIL_OK;
}
