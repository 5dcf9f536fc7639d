/* A state in memory: saved, loaded, copied; and what is set from outside: time, positions, momenta, velocities. */
#include "core/hash.h"
#include "sim/checkpoint.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The bytes: a head, then the words from which runs resume (checkpoint.h). `made_for` is a hash of what both Sims
 * must have in common, `sum` one of everything before and behind it. */
typedef struct head {
    char cookie[8];
    uint64_t words, made_for, sum;
} head;

static const char COOKIE[8] = { 'L', 'I', 'L', 's', 't', 'a', 't', '1' };

static uint64_t state_sum_of(const head *h, const double *words)
{
    return lil_hash(lil_hash(LIL_HASH_EMPTY, h, offsetof(head, sum)), words, (size_t)h->words * sizeof *words);
}

static head head_of(lil_sim *sim)
{
    const lil_model *model = sim->model;
    const char *version = lil_version(), *method = sim->stepper.method->name;
    head h = { .words = (uint64_t)lil_sim_words(sim) };
    memcpy(h.cookie, COOKIE, sizeof h.cookie);
    uint64_t same = lil_hash(lil_hash(LIL_HASH_EMPTY, version, strlen(version)), method, strlen(method));
    for (int i = 0; i < model->n; i++)
        same = lil_hash(same, model->names[i], strlen(model->names[i]) + 1);
    for (int i = 0; i < model->parameter_count; i++)
        same = lil_hash(same, model->parameters[i], strlen(model->parameters[i]) + 1);
    h.made_for = lil_hash(same, &sim->step, sizeof sim->step);
    return h;
}

size_t lil_sim_state_size(const lil_sim *sim)
{
    return sizeof(head) + (size_t)lil_sim_words((lil_sim *)sim) * sizeof(double); /* which are only counted */
}

static lil_status check_room(const lil_sim *sim, const void *bytes, size_t size, const char *function)
{
    size_t needed = lil_sim_state_size(sim);
    if ((uintptr_t)bytes % sizeof(double))
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "%s: 'bytes' must be aligned as a double is", function);
    return size == needed ? LIL_OK
                          : lil_fail(sim->ctx, LIL_ERR_ARGUMENT,
                                     "%s: 'size' is %zu, but a state of this Sim has %zu bytes "
                                     "(lil_sim_state_size)",
                                     function, size, needed);
}

lil_status lil_sim_save_state(lil_sim *sim, void *bytes, size_t size)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, bytes, "bytes");
    LIL_TRY(check_room(sim, bytes, size, __func__));
    double *words = (double *)bytes + sizeof(head) / sizeof *words;
    head h = head_of(sim);
    lil_sim_save(sim, words);
    h.sum = state_sum_of(&h, words);
    memcpy(bytes, &h, sizeof h);
    return LIL_OK;
}

/* Recorded steps of a Sim cannot be taken back. */
static lil_status check_alone(const lil_sim *sim, const char *what)
{
    return sim->taken ? lil_fail(sim->ctx, LIL_ERR_ARGUMENT,
                                 "the steps of this Sim are recorded, so %s: use a copy (lil_sim_copy)", what)
                      : LIL_OK;
}

lil_status lil_sim_load_state(lil_sim *sim, const void *bytes, size_t size)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, bytes, "bytes");
    LIL_TRY(check_alone(sim, "its state cannot be loaded"));
    LIL_TRY(check_room(sim, bytes, size, __func__));
    const double *words = (const double *)bytes + sizeof(head) / sizeof *words;
    head own = head_of(sim), h;
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.cookie, COOKIE, sizeof h.cookie) != 0)
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "%s: 'bytes' are not what lil_sim_save_state writes", __func__);
    if (h.words != own.words || h.made_for != own.made_for)
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT,
                        "%s: 'bytes' are of another Sim: coordinates, integrator, step or version differ", __func__);
    if (h.sum != state_sum_of(&h, words) || !lil_sim_load(sim, words))
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "%s: 'bytes' are damaged", __func__);
    return LIL_OK;
}

/* Not among the words: the bodies that start in equilibrium, and the warnings already given. */
static lil_status carry_over(lil_sim *from, lil_sim *to)
{
    lil_arena scratch = { 0 };
    double *words;
    LIL_ALLOC(to->ctx, &scratch, words, lil_sim_words(from));
    lil_sim_save(from, words);
    bool loaded = lil_sim_words(to) == lil_sim_words(from) && lil_sim_load(to, words);
    lil_arena_free(&scratch);
    to->watch = from->watch;
    to->watch.warnings = &to->warnings;
    to->warnings = from->warnings;
    to->taut = from->taut;
    return loaded ? LIL_OK : lil_fail(to->ctx, LIL_ERR_ARGUMENT, "lil_sim_copy: this Sim cannot be copied");
}

lil_status lil_sim_copy(lil_context *ctx, lil_sim *sim, lil_sim **copy)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, copy, "copy");
    *copy = NULL;
    LIL_NEED(ctx, sim, "sim");
    LIL_TRY(lil_sim_make_like(ctx, sim, copy));
    lil_status status = LIL_OK;
    for (int i = 0, index; i < sim->measure_count && status == LIL_OK; i++)
        status = lil_sim_add_measure(*copy, sim->measures[i].quantity, sim->measures[i].name, &index);
    if (status == LIL_OK && sim->observables.count)
        status = lil_sim_observe(*copy, sim->observables.program);
    if (status == LIL_OK)
        status = carry_over(sim, *copy);
    if (status != LIL_OK)
        lil_sim_destroy(copy);
    return status;
}

/* ---- set ---- */

static lil_status accept_new_state(lil_sim *sim)
{
    double change;
    LIL_TRY(lil_sim_accept_state(sim, &change));
    sim->watch.given += change; /* by the caller */
    return LIL_OK;
}

static lil_status check_finite(lil_sim *sim, const double *x)
{
    for (int i = 0; i < sim->state.n; i++)
        if (!isfinite(x[i]))
            return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "'%s' must be finite, not %g", sim->model->names[i], x[i]);
    return LIL_OK;
}

lil_status lil_sim_set_q(lil_sim *sim, const double *q)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, q, "q");
    LIL_TRY(check_finite(sim, q));
    lil_sim_set_mark(sim);
    memcpy(sim->state.q, q, (size_t)sim->state.n * sizeof *q);
    return accept_new_state(sim);
}

lil_status lil_sim_set_p(lil_sim *sim, const double *p)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, p, "p");
    LIL_TRY(check_finite(sim, p));
    lil_sim_set_mark(sim);
    memcpy(sim->state.p, p, (size_t)sim->state.n * sizeof *p);
    return accept_new_state(sim);
}

lil_status lil_sim_set_v(lil_sim *sim, const double *v)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, v, "v");
    lil_state *x = &sim->state;
    LIL_TRY(check_finite(sim, v));
    lil_sim_set_mark(sim);
    memcpy(x->v, v, (size_t)x->n * sizeof *v);
    lil_evaluate_lagrangian(&sim->ev, x->t, x->q, x->v, NULL, NULL, x->p);
    return accept_new_state(sim);
}

lil_status lil_sim_set_t(lil_sim *sim, double t)
{
    double change;
    LIL_NEED(NULL, sim, "sim");
    LIL_TRY(check_alone(sim, "its time cannot be set"));
    if (!isfinite(t))
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "lil_sim_set_t: 't' must be finite, not %g", t);
    double before = sim->state.t;
    lil_sim_set_mark(sim);
    sim->state.t = t;
    sim->ev.frame_valid = false;
    LIL_TRY(lil_sim_accept_state(sim, &change));
    sim->tally.work_in += change;
    lil_watch_drive(&sim->watch, change, sim->energy, sim->potential);
    lil_watch_jump(&sim->watch, t - before);
    sim->grid_start = t;
    sim->grid_steps = 0;
    sim->kick.made = false;
    return LIL_OK;
}
