/* A step is tried whole, and halved where it fails: Newton's method, the kicks around it, and when to give up. */
#include "sim/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lil_status lil_sim_lose_velocity(lil_sim *sim)
{
    lil_state *x = &sim->state;
    lil_tally *tally = &sim->tally;
    LIL_TRY(lil_evaluate_velocity(&sim->ev, x->t, x->q, x->p, x->v));
    if (!sim->stepper.constrained || lil_stepper_is_differential(&sim->stepper))
        return LIL_OK;
    double before = lil_dot(x->n, x->p, x->v) / 2, put_in = tally->work_in;
    LIL_TRY(lil_constrained_project(&sim->constrained, tally, x->t, x->q, x->p, x->v));
    tally->work_out += before - lil_dot(x->n, x->p, x->v) / 2 + (tally->work_in - put_in);
    return LIL_OK;
}

static lil_status end_kick(lil_sim *sim, lil_status status)
{
    if (status == LIL_OK)
        status = lil_sim_lose_velocity(sim);
    lil_phase_end(sim->ctx->phases);
    return status;
}

/* Half a step's damping at the state as it is. */
static lil_status half_kick(lil_sim *sim, double h)
{
    lil_state *x = &sim->state;
    if (!lil_model_terms(sim->model, LIL_KICK))
        return LIL_OK;
    lil_phase_begin(sim->ctx->phases, LIL_PHASE_KICKS);
    return end_kick(sim, lil_kick_half(&sim->kick, x->t, h / 2, x->q, x->p));
}

static lil_status impulse_kick(lil_sim *sim, double h)
{
    lil_state *x = &sim->state;
    if (!lil_model_terms(sim->model, LIL_IMPULSE) || sim->stepper.damps)
        return LIL_OK;
    lil_phase_begin(sim->ctx->phases, LIL_PHASE_KICKS);
    lil_kick_impulse(&sim->kick, x->t, h, x->q, x->p);
    return end_kick(sim, LIL_OK);
}

/* damping of contact alone */
static lil_status friction_kick(lil_sim *sim, double h)
{
    lil_state *x = &sim->state;
    if (!lil_model_terms(sim->model, LIL_FRICTION) || sim->stepper.has_friction)
        return LIL_OK;
    lil_phase_begin(sim->ctx->phases, LIL_PHASE_KICKS);
    lil_kick_friction(&sim->kick, x->t, h, x->q, x->p);
    return end_kick(sim, LIL_OK);
}

/* Implicit Euler instead of the method's own step; the next one begins anew. */
static lil_status step_by_implicit_euler(lil_sim *sim, double h)
{
    lil_state *x = &sim->state;
    const lil_stepper *s = &sim->stepper;
    sim->euler_fallback.supports = sim->ev.supports;
    LIL_TRY(lil_euler_fallback_step(&sim->euler_fallback, sim->ctx, sim->model, &s->solver, &sim->tally, x->t, h,
                                    x->q, x->p, x->v));
    lil_stepper_forget(&sim->stepper);
    return LIL_OK;
}

/* The method's own step. One that the user has registered may fail without a sentence: then it gets one. */
static lil_status step_by_method(lil_sim *sim, double h)
{
    lil_context *ctx = sim->ctx;
    const lil_integrator *method = sim->stepper.method;
    char older[LIL_MESSAGE_MAX];
    bool own = true;
    for (int i = 0; i < ctx->registered_count; i++)
        own = own && ctx->registered[i] != method;
    if (own)
        return method->step(&sim->stepper, h);
    memcpy(older, ctx->message, sizeof older);
    ctx->message[0] = 0;
    lil_status status = method->step(&sim->stepper, h);
    if (status != LIL_OK && !ctx->message[0])
        return lil_fail(ctx, status, "%s returned %s", method->name, lil_status_name(status));
    if (status == LIL_OK)
        memcpy(ctx->message, older, sizeof older);
    return status;
}

static lil_status step_between_kicks(lil_sim *sim, double h, bool last)
{
    LIL_TRY(impulse_kick(sim, h));
    LIL_TRY(half_kick(sim, h));
    LIL_TRY(last ? step_by_implicit_euler(sim, h) : step_by_method(sim, h));
    sim->state.t += h;
    LIL_TRY(friction_kick(sim, h));
    LIL_TRY(half_kick(sim, h));
    return lil_sim_refresh(sim);
}

/* Until pins let go nothing is free: time passes, and what handles move changes the energy by their work. */
static lil_status wait(lil_sim *sim, double h)
{
    double before = sim->energy;
    lil_sim_supports_push(sim, h / 2);
    sim->state.t += h;
    lil_sim_supports_push(sim, h / 2);
    LIL_TRY(lil_sim_refresh(sim));
    sim->tally.work_in += sim->energy - before;
    return LIL_OK;
}

/* One try at a step of h, by the method itself or as a `last` resort. */
static lil_status try_step(lil_sim *sim, double h, bool last)
{
    LIL_TRY(sim->state.n ? step_between_kicks(sim, h, last) : wait(sim, h));
    lil_phase_begin(sim->ctx->phases, LIL_PHASE_WATCH);
    lil_status status = lil_sim_watch_try(sim);
    lil_phase_end(sim->ctx->phases);
    return status;
}

bool lil_sim_explain_press(lil_sim *sim, const lil_state *at, char *why, size_t size)
{
    const double FLAT = 0.2;
    char press[256] = "", flat[160] = "";
    lil_pair pair;
    const char *body;
    double force;
    int element;
    if (!sim->model->impassable)
        return false;
    if (lil_evaluate_hardest(&sim->ev, at->t, at->q, &pair, &force)) {
        if (strcmp(pair.what, pair.in) == 0)
            snprintf(press, sizeof press, "'%s' presses on itself with %.3g N", pair.what, force);
        else
            snprintf(press, sizeof press, "'%s' and '%s' press on each other with %.3g N", pair.what, pair.in, force);
    }
    double left = lil_evaluate_flattest(&sim->ev, at->t, at->q, &body, &element);
    if (left <= 0)
        snprintf(flat, sizeof flat, "tet %d of '%.60s' is inverted", element, body);
    else if (left < FLAT)
        snprintf(flat, sizeof flat, "tet %d of '%.60s' is compressed to %.2g of its volume", element, body, left);
    snprintf(why, size, "%s%s%s", press, press[0] && flat[0] ? ", " : "", flat);
    return why[0];
}

/* The sentence for a step that failed at every size: the reason, the place, and the values in the texts there. */
static lil_status give_up(lil_sim *sim, lil_status status, const lil_state *at, double h, int failed)
{
    char why[512], reason[LIL_MESSAGE_MAX];
    lil_evaluator *ev = &sim->ev;
    const lil_state *x = &sim->state; /* still as the failing step left it */
    memcpy(reason, sim->ctx->message, sizeof reason);
    bool explained =
        lil_evaluate_explain(ev, at->t, at->q, at->v, why, sizeof why) ||
        lil_evaluate_explain(ev, x->t, x->q, x->v, why, sizeof why) ||
        lil_evaluate_explain(ev, at->t + h, at->q, at->v, why, sizeof why) ||
        (sim->model->constraint_count && lil_constrained_explain(&sim->constrained, at->t, at->q, why, sizeof why));
    if (explained)
        return lil_fail(sim->ctx, status == LIL_ERR_INVERTED ? status : LIL_ERR_NOT_FINITE, "%s, at t = %.9g", why,
                        at->t);
    if (lil_evaluate_refused(ev, at->t, h, why, sizeof why))
        return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "%s, in the step from t = %.9g", why, at->t);
    if (lil_sim_explain_press(sim, at, why, sizeof why))
        return lil_fail(sim->ctx, status,
                        "at t = %.9g %s, and the motion cannot continue: %d attempts failed, the last with a step of "
                        "%.3g s: %.400s",
                        at->t, why, failed, h, reason);
    return lil_fail(sim->ctx, status, "the step at t = %.9g fails, even halved to %.3g s: %.700s", at->t, h, reason);
}

/* Energy that no stable step can bring is what elements whose steps resonate bring: back, and on with other steps. */
static bool sim_shift(lil_sim *sim, const lil_mark *good)
{
    enum { SHIFTS_MAX = 32 };
    lil_stepper *s = &sim->stepper;
    if (!s->shift || sim->watch.shifted == SHIFTS_MAX ||
        !lil_watch_resonance(&sim->watch, sim->model, &sim->tally, sim->energy))
        return false;
    lil_sim_restore_mark(sim, good);
    s->shift(s);
    lil_stepper_save(s, good->words);
    lil_watch_shift(sim->ctx, &sim->watch, sim->model, &sim->tally, sim->state.t, sim->energy);
    return true;
}

/* A step by the barrier's discrete gradient that was not solved; implicit Euler minimises, and knows no constraints. */
static bool can_use_implicit_euler(const lil_sim *sim, lil_status status)
{
    return (status == LIL_ERR_CONVERGENCE || status == LIL_ERR_INVERTED) && sim->model->impassable &&
           lil_stepper_is_by_gradient(&sim->stepper) && !sim->stepper.constrained;
}

/* After a part has succeeded. What has failed once is not tried again within the step; but contact that cannot be
 * passed is hard for a moment, and after it parts grow again, where two make one of twice the length. */
static int64_t next_part(const lil_sim *sim, int64_t done, int64_t part, bool grows)
{
    return grows && sim->model->impassable && done % (2 * part) == 0 ? 2 * part : part;
}

/* The cost of the failed attempts of a step. */
typedef struct toll {
    int failed;         /* how many there were */
    int64_t lost, deep; /* Newton's iterations in them; in those of parts of h/16 and less */
} toll;

/* How many iterations an attempt may take: those of two rungs. */
static int64_t attempt_most(const lil_sim *sim)
{
    return 2 * (int64_t)sim->stepper.solver.iterations;
}

/* Iterations that short parts may lose, in a row. */
static int64_t deep_most(const lil_sim *sim)
{
    return sim->halvings * attempt_most(sim);
}

/*
 * Something drives on, a handle or an obstacle, and where a part begins that failed, a tet has less than 1/512 of its
 * volume. Its stiffness has grown as J^(-8/3) (materials/neo_hookean.c), to 2^24 times that of the others: float,
 * in which directions are found, has no digit for both. Shorter parts do not change that ratio, and whatever drives
 * takes more volume with each of them.
 */
static bool is_crushed(lil_sim *sim, const lil_state *at)
{
    const double LEAST = 1.0 / 512;
    const lil_model *model = sim->model;
    const char *body;
    int element;
    return model->impassable && (model->drives || model->dofs.script_count) &&
           lil_evaluate_flattest(&sim->ev, at->t, at->q, &body, &element) < LEAST;
}

/* One more, that began with so many iterations. What fails before the first one has looked for a way out instead:
 * that counts as a third of an attempt. Of something crushed, Newton's method is asked once, and ways four times. */
static void add_failure(lil_sim *sim, int64_t begun, bool is_short, bool crushed, lil_status status, toll *paid)
{
    int64_t taken = sim->tally.newton_iterations - begun, least = attempt_most(sim) / 3;
    taken = taken > least ? taken : least;
    snprintf(sim->failure, sizeof sim->failure, "%.400s", sim->ctx->message);
    paid->failed++;
    paid->lost += taken;
    paid->deep += is_short ? taken : 0;
    if (crushed)
        paid->deep += status == LIL_ERR_CONVERGENCE ? deep_most(sim) + 1 : deep_most(sim) / 4 + 1;
}

/*
 * Something that is crushed fails again and again, at ever smaller parts, over several steps, and each step alone
 * would go on for long. So iterations that parts of h/16 and less lose also count over all steps in a row that have
 * such failures; each step without any halves the count. What is only hard, an impact or friction that turns, does
 * not get there: its parts are longer, or it is over within a step. Iterations, not failures, are what takes time:
 * each halving that is allowed is good for one whole attempt, and within a step, longer parts included, for two.
 */
static bool is_hopeless(const lil_sim *sim, const toll *paid)
{
    enum { FAILURES = 8 }; /* for each time that a step may be halved: where parts grow again, each may fail again */
    int64_t most = deep_most(sim);
    return paid->failed > FAILURES * sim->halvings ||
           (sim->model->impassable && (sim->watch.struggle + paid->deep > most || paid->lost > 2 * most));
}

/* Parts that are short enough for what is lost where things hit each other. */
static int64_t sim_resolve(lil_sim *sim, double h, int64_t whole, int64_t part)
{
    const lil_state *x = &sim->state;
    if (!sim->model->impassable || !sim->model->loses || !(h > 0))
        return part;
    double length = h * ((double)part / (double)whole),
           longest = lil_evaluate_resolve(&sim->ev, x->t, length, x->q, x->v);
    for (; length > longest && part > 1; length /= 2)
        part /= 2;
    return part;
}

/* A step of h, halved where it fails: the interval is walked in units of h / 2^halvings. After a failure the parts
 * are half as long. */
lil_status lil_sim_step_with_halving(lil_sim *sim, double h)
{
    enum {
        GROW = 4,
        DEEP = 16
    }; /* failures a halving after which parts grow no more; parts of h/DEEP and less are short */
    int64_t whole = (int64_t)1 << sim->halvings, done = 0, part = whole;
    toll paid = { 0 };
    const lil_mark *good = &sim->saved; /* where to go back to */
    lil_sim_take_mark(sim, &sim->saved);
    LIL_TRY(lil_stability_tension(sim, h, &part));
    while (done < whole) {
        part = sim_resolve(sim, h, whole, part);
        double length = part == whole ? h : h * ((double)part / (double)whole);
        int64_t begun = sim->tally.newton_iterations;
        lil_status status = try_step(sim, length, false);
        if (lil_stopped(&sim->ctx->stop))
            return LIL_ERR_INTERRUPTED;
        if (part == 1 && !is_hopeless(sim, &paid) && can_use_implicit_euler(sim, status)) {
            add_failure(sim, begun, part <= whole / DEEP, is_crushed(sim, &good->state), status, &paid);
            begun = sim->tally.newton_iterations;
            lil_sim_restore_mark(sim, good);
            status = try_step(sim, length, true);
        }
        if (status == LIL_OK && sim_shift(sim, good))
            continue;
        if (status == LIL_OK) {
            done += part;
            if (done < whole) {
                part = next_part(sim, done, part, paid.failed <= GROW * sim->halvings);
                lil_sim_take_mark(sim, &sim->good);
                good = &sim->good;
            }
            continue;
        }
        add_failure(sim, begun, part <= whole / DEEP, is_crushed(sim, &good->state), status, &paid);
        if (part == 1 || is_hopeless(sim, &paid)) {
            status = give_up(sim, status, &good->state, length, paid.failed);
            lil_sim_restore_mark(sim, &sim->saved);
            return status;
        }
        if (part == whole)
            sim->watch.halved++;
        part /= 2;
        lil_sim_restore_mark(sim, good);
    }
    sim->watch.struggle = paid.deep > 0 ? sim->watch.struggle + paid.deep : sim->watch.struggle / 2;
    return LIL_OK;
}
