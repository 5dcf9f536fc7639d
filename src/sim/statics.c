/* The equilibrium of a Sim under its loads, which are added in steps where it must be. */
#include "discrete/equilibrium.h"
#include "math/vector.h"
#include "sim/rigid_names.h"
#include "sim/sim.h"

#include <lilyan/statics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEAST = 1. / 4096;     /* part of a load step */
static const double STILL = 1e-11;         /* of the fastest vertex alone: such a frequency is round-off */
static const double SNAP = 10, FAR = 0.05; /* times the rate of the step before; of the size */
enum { CHECKED_MAX = 30000 };              /* coordinates, for what is known of stability */

typedef struct loading {
    lil_sim *sim;
    const lil_static_def *def;
    lil_static_result *result;
    lil_equilibrium *equilibrium;
    double start, end; /* s */
    double *q0, *v0;   /* as the Sim was */
    double *q, *trial, *left, *zero;
    double rate; /* of the step before: how far per load factor */
    lil_rest rest;
} loading;

lil_static_def lil_static_def_default(void)
{
    return (lil_static_def){ .time = NAN, .steps = 1 };
}

const char *lil_stability_name(lil_stability stability)
{
    static const char *const names[] = { "unknown", "stable", "neutral", "unstable" };
    unsigned i = (unsigned)stability;
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* ---- the Sim at a load factor ---- */

static double time_of(const loading *l, double factor)
{
    return factor >= 1 ? l->end : l->start + factor * (l->end - l->start);
}

static lil_status set_sim(loading *l, double factor, const double *q)
{
    lil_sim *sim = l->sim;
    LIL_TRY(lil_positions_hold_back(sim->ctx, &sim->arena, &sim->ev.full, l->start, 1 - factor));
    sim->ev.frame_valid = false;
    sim->start.t = time_of(l, factor);
    return lil_sim_restart(sim, q, l->zero);
}

static lil_status put_back(loading *l, lil_status status)
{
    char message[LIL_MESSAGE_MAX];
    lil_sim *sim = l->sim;
    memcpy(message, sim->ctx->message, sizeof message);
    lil_positions_hold_back(sim->ctx, &sim->arena, &sim->ev.full, l->start, 0);
    sim->ev.frame_valid = false;
    sim->start.t = l->start;
    lil_sim_restart(sim, l->q0, l->v0);
    memcpy(sim->ctx->message, message, sizeof message);
    return status;
}

/* ---- what nothing holds ---- */

/* The part with the largest forces that nothing balances along its rigid motions: the first of these, and the forces,
 * N, with what they do, as an axis. 0: there is none. */
static double find_loose(const lil_linearised *s, int *part, bool *turns, double axis[3])
{
    double largest = 0;
    for (int first = 0, next; first < s->rigid_count; first = next) {
        double sums[2][3] = { { 0 } }, mass = 0;
        const lil_rigid *one = &s->rigid[first];
        for (next = first; next < s->rigid_count && s->rigid[next].vertex == one->vertex; next++) {
            double force = -lil_dot(s->model->n, s->left, s->rigid[next].x);
            for (int d = 0; d < 3; d++) {
                sums[0][d] += force * s->rigid[next].translation[d];
                sums[1][d] += force * s->rigid[next].rotation[d];
            }
        }
        for (int i = 0; i < s->model->n; i += 3)
            mass += one->x[i] != 0 || one->x[i + 1] != 0 || one->x[i + 2] != 0 ? s->mass[i] : 0;
        for (int k = 0; k < 2; k++) {
            double size = lil_norm(3, sums[k]) * sqrt(mass);
            if (!(size > largest))
                continue;
            largest = size;
            *part = first;
            *turns = k;
            memcpy(axis, sums[k], sizeof sums[k]);
        }
    }
    return largest;
}

static void describe_axis(const double axis[3], char *text, size_t size)
{
    double length = lil_norm(3, axis);
    int most = 0;
    for (int d = 1; d < 3; d++)
        most = fabs(axis[d]) > fabs(axis[most]) ? d : most;
    if (fabs(axis[most]) > (1 - 1e-6) * length)
        snprintf(text, size, "%s%c", axis[most] < 0 ? "-" : "", "xyz"[most]);
    else
        snprintf(text, size, "[%.3g, %.3g, %.3g]", axis[0] / length, axis[1] / length, axis[2] / length);
}

/* "nothing holds 'bar' ..." into `why`; "": something else is the reason. */
static void explain(loading *l, char *why, size_t size)
{
    const double NOTHING = 1e-9; /* of the loads */
    lil_sim *sim = l->sim;
    lil_linearised s;
    int part = 0;
    bool turns = false;
    double axis[3] = { 0 };
    char name[LIL_RIGID_NAME_MAX], along[64];
    why[0] = 0;
    if (sim->model->n > CHECKED_MAX || !sim->model->points.count)
        return;
    if (lil_linearised_create(sim->ctx, sim->model, l->end, l->q0, &s) == LIL_OK &&
        lil_linearised_find_rigid(&s, l->q0) == LIL_OK) {
        double force = find_loose(&s, &part, &turns, axis);
        if (force > NOTHING * s.load) {
            lil_rigid_name(&s, part, name);
            describe_axis(axis, along, sizeof along);
            snprintf(why, size,
                     ": nothing holds %s are free, and forces of %.3g N %s %s. Pin it, support it, or tie it to "
                     "something",
                     name, force, turns ? "turn it about" : "move it along", along);
        }
    }
    lil_linearised_destroy(&s);
}

static lil_status no_equilibrium(loading *l)
{
    const lil_static_result *r = l->result;
    char why[400], reached[96] = "";
    explain(l, why, sizeof why);
    if (r->factor > 0)
        snprintf(reached, sizeof reached, " with more than %.4g of the loads", r->factor);
    if (why[0])
        return lil_fail(l->sim->ctx, LIL_ERR_CONVERGENCE, "no equilibrium was found%s%s", reached, why);
    return lil_fail(
        l->sim->ctx, LIL_ERR_CONVERGENCE,
        "no equilibrium was found%s: after %d iterations and a displacement of %.3g, forces of %.3g of the "
        "loads remain",
        reached, r->iterations, l->rest.moved, l->rest.residual);
}

/* ---- stability ---- */

static lil_status judge(loading *l, lil_stability *stability)
{
    lil_sim *sim = l->sim;
    lil_linearised s;
    bool touches = false, definite = false;
    *stability = LIL_STABILITY_UNKNOWN;
    if (sim->model->n > CHECKED_MAX)
        return LIL_OK;
    lil_status status = lil_linearised_create(sim->ctx, sim->model, l->end, l->q, &s);
    if (status == LIL_OK)
        touches = sim->model->touches && lil_evaluate_touches(&s.ev, l->end, l->q);
    double small = STILL * s.fastest > 0 ? STILL * s.fastest : STILL;
    if (status == LIL_OK && !touches)
        status = lil_linearised_factor(&s, small, &definite);
    if (status == LIL_OK && !touches && !definite)
        *stability = LIL_UNSTABLE;
    bool stable = definite;
    if (status == LIL_OK && stable)
        status = lil_linearised_factor(&s, -small, &definite);
    if (status == LIL_OK && stable)
        *stability = definite ? LIL_STABLE : LIL_NEUTRAL;
    lil_linearised_destroy(&s);
    return status == LIL_ERR_MEMORY ? status : LIL_OK; /* where it has no small motion nothing is known */
}

/* ---- load steps ---- */

static void watch_for_snap(loading *l, double factor, double before)
{
    double far = 0;
    for (int i = 0; i < l->sim->model->n; i++)
        far = fmax(far, fabs(l->trial[i] - l->q[i]));
    double rate = far / (factor - before);
    if (l->rate > 0 && rate > SNAP * l->rate && far > FAR * l->rest.size && isnan(l->result->snapped))
        l->result->snapped = factor;
    l->rate = rate;
}

/* One attempt at this load factor, from the latest. */
static lil_status try_load(loading *l, double factor)
{
    lil_sim *sim = l->sim;
    memcpy(l->trial, l->q, (size_t)sim->model->n * sizeof *l->q);
    LIL_TRY(lil_positions_hold_back(sim->ctx, &sim->arena, lil_equilibrium_positions(l->equilibrium), l->start,
                                    1 - factor));
    lil_equilibrium_load(l->equilibrium, time_of(l, factor), l->end, factor);
    LIL_TRY(lil_equilibrium_find(l->equilibrium, l->trial, l->left, &l->rest));
    l->result->iterations += l->rest.iterations;
    if (sim->ctx->stop.asked)
        return lil_fail(sim->ctx, LIL_ERR_INTERRUPTED, "interrupted in the search for an equilibrium");
    return LIL_OK;
}

static lil_status accept(loading *l, double factor)
{
    lil_static_result *r = l->result;
    LIL_TRY(set_sim(l, factor, l->trial));
    watch_for_snap(l, factor, r->factor);
    memcpy(l->q, l->sim->state.q, (size_t)l->sim->model->n * sizeof *l->q);
    r->factor = factor;
    r->steps++;
    r->residual = l->rest.residual;
    if (l->def->step && !l->def->step(l->def->user, factor))
        return lil_fail(l->sim->ctx, LIL_ERR_INTERRUPTED, "interrupted at load factor %.4g", factor);
    return LIL_OK;
}

static lil_status add_loads(loading *l)
{
    lil_static_result *r = l->result;
    double most = 1. / l->def->steps, step = most;
    if (l->def->step && !l->def->step(l->def->user, 0))
        return lil_fail(l->sim->ctx, LIL_ERR_INTERRUPTED, "interrupted before the first load step");
    while (r->factor < 1) {
        double next = round((r->factor + step) / LEAST / most) * most * LEAST; /* 0.35 to the last digit */
        next = next > 1 - LEAST * most / 2 ? 1 : next;
        LIL_TRY(try_load(l, next));
        if (l->rest.found) {
            LIL_TRY(accept(l, next));
            step = fmin(2 * step, most);
        } else if (step / 4 < LEAST * most) {
            return no_equilibrium(l);
        } else {
            step /= 4;
            r->divided++;
        }
    }
    for (int i = 0; i < l->sim->model->n; i++)
        r->moved = fmax(r->moved, fabs(l->q[i] - l->q0[i]));
    r->potential = l->sim->potential;
    return judge(l, &r->stability);
}

static lil_status begin(loading *l, lil_arena *arena)
{
    lil_sim *sim = l->sim;
    const lil_model *model = sim->model;
    size_t bytes = (size_t)model->n * sizeof *l->q;
    LIL_ALLOC_ALL(sim->ctx, arena, double, model->n, &l->q0, &l->v0, &l->q, &l->trial, &l->left, &l->zero);
    memcpy(l->q0, sim->state.q, bytes);
    memcpy(l->v0, sim->state.v, bytes);
    memcpy(l->q, sim->state.q, bytes);
    l->start = sim->state.t;
    l->end = isnan(l->def->time) ? l->start : l->def->time;
    LIL_TRY(lil_equilibrium_create(sim->ctx, model, sim->stepper.solver.linear, NULL, true, &l->equilibrium));
    LIL_TRY(lil_positions_hold_back(sim->ctx, &sim->arena, lil_equilibrium_positions(l->equilibrium), l->start, 1));
    LIL_TRY(set_sim(l, 0, l->q));
    memcpy(l->q, sim->state.q, bytes);
    return lil_equilibrium_begin(l->equilibrium, l->start, l->q);
}

static lil_status check_static_def(const lil_sim *sim, const lil_static_def *def)
{
    if (isinf(def->time))
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "lil_sim_solve_static: 'def->time' must be finite");
    if (def->steps < 1 || def->steps > 100000)
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "lil_sim_solve_static: 'def->steps' is %d, not 1 to 100000",
                        def->steps);
    return LIL_OK;
}

lil_status lil_sim_solve_static(lil_sim *sim, const lil_static_def *def, lil_static_result *result)
{
    lil_static_result own;
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, def, "def");
    LIL_TRY(check_static_def(sim, def));
    lil_arena arena = { 0 };
    loading l = { .sim = sim, .def = def, .result = result ? result : &own };
    *l.result = (lil_static_result){ .snapped = NAN };
    sim->ctx->stop.asked = false;
    lil_status status = begin(&l, &arena);
    if (status == LIL_OK)
        status = add_loads(&l);
    if (status != LIL_OK && l.zero)
        put_back(&l, status);
    lil_equilibrium_destroy(&l.equilibrium);
    lil_arena_free(&arena);
    return status;
}
