/* Discrete gradients of all terms between the ends of a step, and their derivatives. */
#include "model/evaluator.h"

#include <math.h>

/* Adds G of all terms, or only of barriers, and their other results. */
static void add_discrete_gradient(lil_evaluator *ev, bool all, const lil_ends *ends, double *gx, double *held,
                                  double *noise)
{
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        if (!(all || lil_term_is_impassable(a->table)))
            continue;
        a->table->discrete_gradient->evaluate(a->data, a->work, ends, gx, noise);
        if (a->table->driven)
            *held += a->table->driven(a->work);
        if (a->table->least_volume)
            ev->volume = fmin(ev->volume, a->table->least_volume(a->work));
    }
}

/* The free ones of all coordinates, and the work of the others. */
static void finish_discrete_gradient(lil_evaluator *ev, const double *x0, const double *x1, const double *gx,
                                     double *g, double *held)
{
    const lil_model *model = ev->model;
    if (!model->dofs.free)
        return;
    lil_positions_restrict(&ev->full, gx, g);
    for (int k = 0; k < model->dofs.total; k++)
        if (model->dofs.number[k] < 0)
            *held += gx[k] * (x1[k] - x0[k]);
}

lil_loss lil_evaluate_dissipation(const lil_evaluator *ev)
{
    lil_loss sum = { 0 };
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        const lil_term_discrete_gradient *own = a->table->discrete_gradient;
        if (!own || !own->lost)
            continue;
        lil_loss one = own->lost(a->work);
        sum.friction += one.friction;
        sum.restitution += one.restitution;
    }
    return sum;
}

void lil_evaluate_discrete_gradient(lil_evaluator *ev, double t0, const double *x0, double t1, const double *q1,
                                    double *g, double *held, double *noise)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    const double *x1 = lil_positions_of(&ev->full, t1, q1);
    double *gx = lil_positions_begin(&ev->full, g);
    *held = *noise = 0;
    ev->volume = INFINITY;
    add_discrete_gradient(ev, true, &(lil_ends){ t0, t1, x0, x1, false }, gx, held, noise);
    *noise = sqrt(*noise);
    lil_evaluate_supports(ev, LIL_POTENTIAL, LIL_SUPPORT_POTENTIAL, 1, gx);
    finish_discrete_gradient(ev, x0, x1, gx, g, held);
    lil_phase_end(ev->ctx->phases);
}

/* Adds dW/dq at x of the terms that are not impassable, for a step of h. */
static void add_others(lil_evaluator *ev, double t, double h, const double *x, double *gx, double *held)
{
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        if (lil_term_is_impassable(a->table))
            continue;
        a->table->evaluate(a->data, a->work, &(lil_at){ t, x, NULL }, &(lil_sums){ NULL, gx, NULL });
        if (a->table->driven)
            *held += h * a->table->driven(a->work);
        if (a->table->least_volume)
            ev->volume = fmin(ev->volume, a->table->least_volume(a->work));
    }
}

void lil_evaluate_node(lil_evaluator *ev, bool end, double t0, double h, const double *x0, const double *q0,
                       const double *v, double *node, double *q1, double *g, double *held, double *noise)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    double part = end ? h : h / 2, t = t0 + part, *gx = lil_positions_begin(&ev->full, g);
    *held = *noise = 0;
    ev->volume = INFINITY;
    lil_evaluate_sum(ev, q0, part, v, node);
    add_others(ev, t, h, lil_positions_of(&ev->full, t, node), gx, held);
    lil_evaluate_sum(ev, q0, h, v, q1);
    const double *x1 = lil_positions_of(&ev->full, t0 + h, q1);
    add_discrete_gradient(ev, false, &(lil_ends){ t0, t0 + h, x0, x1, end }, gx, held, noise);
    *noise = sqrt(*noise);
    lil_evaluate_supports(ev, LIL_POTENTIAL, LIL_SUPPORT_POTENTIAL, 1, gx);
    finish_discrete_gradient(ev, x0, x1, gx, g, held);
    lil_phase_end(ev->ctx->phases);
}

void lil_evaluate_held(lil_evaluator *ev, double t, const double *x0, const double *q, double *g)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    double held = 0, noise = 0, *gx = lil_positions_begin(&ev->full, g);
    const double *x = lil_positions_of(&ev->full, t, q);
    ev->volume = INFINITY;
    add_others(ev, t, 0, x, gx, &held);
    add_discrete_gradient(ev, false, &(lil_ends){ t, t, x0, x, true }, gx, &held, &noise);
    finish_discrete_gradient(ev, x0, x, gx, g, &held);
    lil_phase_end(ev->ctx->phases);
}

/* dG/dx1, weight times, of the terms that are impassable, or of the others */
static void add_discrete_gradient_blocks(lil_evaluator *ev, bool impassable, const lil_ends *ends, double weight)
{
    lil_sink to = { .weight = weight, .blocks = ev->blocks.values, .couplings = &ev->blocks.couplings };
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        to.two = (const int(*)[2])ev->blocks.two[a->number];
        if (lil_term_is_impassable(a->table) == impassable && a->table->discrete_gradient->second)
            a->table->discrete_gradient->second(a->data, a->work, ends, &to);
    }
}

void lil_evaluate_discrete_gradient_blocks(lil_evaluator *ev, double t0, const double *x0, double t1,
                                           const double *q1, double weight)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    const lil_ends ends = { t0, t1, x0, lil_positions_of(&ev->full, t1, q1), false };
    add_discrete_gradient_blocks(ev, false, &ends, weight);
    add_discrete_gradient_blocks(ev, true, &ends, weight);
    lil_phase_end(ev->ctx->phases);
}

/* Between x and x the derivative of G is half of d2W/dx2, as that of dW/dx halfway is. */
void lil_evaluate_node_blocks(lil_evaluator *ev, bool end, double t0, const double *x0, const double *node, double t1,
                              const double *q1, double weight)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    double t = end ? t1 : (t0 + t1) / 2;
    const double *x = lil_positions_of(&ev->full, t, node);
    add_discrete_gradient_blocks(ev, false, &(lil_ends){ t, t, x, x, false }, end ? 2 * weight : weight);
    add_discrete_gradient_blocks(ev, true, &(lil_ends){ t0, t1, x0, lil_positions_of(&ev->full, t1, q1), end },
                                 weight);
    lil_phase_end(ev->ctx->phases);
}

void lil_evaluate_force_blocks(lil_evaluator *ev, double t, const double *q, const double *v, double Fq, double Fv)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    const double *x = NULL, *dx = NULL;
    LIL_EACH_TERM (a, ev, LIL_FORCE) {
        if (!a->table->second)
            continue;
        x = x ? x : lil_positions_of(&ev->full, t, q);
        dx = dx ? dx : lil_positions_velocity(&ev->full, t, v);
        a->table->second(
            a->data, a->work, &(lil_at){ t, x, dx },
            &(lil_sink){
                .weight = Fq, .weight_v = Fv, .where = ev->blocks.where[a->number], .blocks = ev->blocks.values });
    }
    lil_phase_end(ev->ctx->phases);
}

void lil_evaluate_discrete_gradient_couplings(lil_evaluator *ev, bool end, double t0, const double *x0, double t1,
                                              const double *q1, double weight, lil_couplings *to)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    const lil_model *model = ev->model;
    const lil_ends ends = { t0, t1, x0, lil_positions_of(&ev->full, t1, q1), end };
    const lil_sink sink = { .weight = weight, .couplings = to };
    to->count = 0;
    to->lost = false;
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        if (a->table->couples)
            a->table->discrete_gradient->second(a->data, a->work, &ends, &sink);
    }
    lil_couplings_number(to, model->dofs.free ? model->dofs.number : NULL);
    lil_phase_end(ev->ctx->phases);
}
