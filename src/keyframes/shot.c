#include "keyframes/shot.h"

#include "core/field.h"
#include "sim/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(shot, member, status, ...)                                                                            \
    lil_shot_refuse((shot)->ctx, &(shot)->places, (lil_shot_place){ -1, member, -1 }, status, __VA_ARGS__)

lil_pose_def lil_pose_def_default(void)
{
    return (lil_pose_def){ .size = sizeof(lil_pose_def), .scale = { 1, 1, 1 } };
}

lil_point_def lil_point_def_default(void)
{
    return (lil_point_def){ .size = sizeof(lil_point_def) };
}

lil_key_def lil_key_def_default(void)
{
    return (lil_key_def){ .size = sizeof(lil_key_def) };
}

lil_shot_def lil_shot_def_default(void)
{
    return (lil_shot_def){
        .size = sizeof(lil_shot_def), .frames = 96, .physicality = 1, .method = "global", .integrator = "midpoint"
    };
}

/* ---- supported models ---- */

static bool has_solids(const lil_world *world)
{
    for (int i = 0; world && i < world->count; i++)
        if (!world->list[i].particles)
            return true;
    return false;
}

static lil_status take_integrator(lil_shot *shot, const lil_shot_parts *parts)
{
    const char *name = parts->integrator ? parts->integrator->name : parts->def->integrator;
    bool bodies = shot->by_mass, midpoint = name && (strcmp(name, "midpoint") == 0 || strcmp(name, lil_auto) == 0);
    if (!name || (!midpoint && (bodies || strcmp(name, "stormer-verlet") != 0)))
        return REFUSE(shot, "integrator", LIL_ERR_INPUT, "a shot%s needs the integrator midpoint%s, not %.60s",
                      bodies ? " of bodies" : "", bodies ? "" : " or stormer-verlet", name ? name : "NULL");
    shot->integrator = midpoint ? lil_midpoint.name : lil_stormer_verlet.name;
    shot->rule =
        midpoint ? lil_midpoint_rule(parts->integrator_config) : lil_stormer_verlet_rule(parts->integrator_config);
    return LIL_OK;
}

static lil_status check_model(lil_shot *shot)
{
    const lil_model *m = shot->model;
    const int *count = m->place_count;
    lil_status status = lil_problem_check(shot->ctx, m);
    const char *member = m->constraint_count                                              ? "constraints"
                         : count[LIL_FRICTION] && !count[LIL_STEP] && !count[LIL_IMPULSE] ? "contact"
                                                                                          : "model";
    return lil_shot_put_place(shot->ctx, &shot->places, (lil_shot_place){ -1, member, -1 }, status);
}

static lil_status take_method(lil_shot *shot, const lil_shot_parts *parts)
{
    const char *name = parts->def->method;
    shot->method = parts->method ? parts->method : name ? lil_shot_method_find(name) : NULL;
    shot->config = parts->config;
    if (!shot->method)
        return REFUSE(shot, "method", LIL_ERR_INPUT, "unknown method '%.60s': the methods are global and local",
                      name ? name : "NULL");
    if (shot->config)
        return LIL_OK;
    void *config = lil_arena_alloc(&shot->arena, 1, shot->method->config_size);
    LIL_HAVE(shot->ctx, config);
    lil_fields_default(shot->method->fields, shot->method->field_count, config);
    shot->config = config;
    return parts->def->options ? lil_fields_parse(shot->ctx, shot->method->fields, shot->method->field_count, config,
                                                  parts->def->options)
                               : LIL_OK;
}

/* Features of the method `global` only. */
static lil_status check_method(lil_shot *shot)
{
    bool soft = false;
    for (int i = 0; i < shot->key_count; i++)
        soft = soft || shot->keys[i].weight > 0;
    const char *what = shot->by_mass               ? "a shot of bodies"
                       : soft                      ? "a soft key"
                       : shot->def.times           ? "a shot whose times are free"
                       : shot->def.physicality < 1 ? "a 'physicality' below 1"
                       : shot->start               ? "a shot with a 'start'"
                                                   : NULL;
    if (shot->method == &lil_shot_global)
        return LIL_OK;
    if (shot->cost)
        return REFUSE(shot, "cost:", LIL_ERR_INPUT, "a 'cost' needs the method 'global'");
    return what
               ? REFUSE(shot, "method", LIL_ERR_INPUT, "%s needs the method global, not %s", what, shot->method->name)
               : LIL_OK;
}

/* ---- create ---- */

/* From all coordinates to the free ones. */
static lil_status take_start(lil_shot *shot, const double *from)
{
    size_t n = (size_t)shot->n, free = (size_t)shot->model->n, frames = (size_t)shot->def.frames + 1;
    double *row = LIL_NEW(&shot->arena, double, n);
    if (!from)
        return LIL_OK;
    shot->start = LIL_NEW(&shot->arena, double, frames *free);
    LIL_HAVE(shot->ctx, row && shot->start);
    for (size_t k = 0; k < frames; k++) {
        memcpy(row, from + k * n, n * sizeof *row);
        for (size_t i = 0; i < n; i++)
            if (!isfinite(row[i]))
                return REFUSE(shot, "start", LIL_ERR_NOT_FINITE, "'%s' is %g at frame %zu", shot->names[i], row[i],
                              k);
        lil_shot_select_free(shot->model, row);
        memcpy(shot->start + k * free, row, free * sizeof *row);
    }
    return LIL_OK;
}

static lil_status keep_places(lil_shot *shot)
{
    bool ok = (shot->key_at = LIL_NEW(&shot->arena, const char *, shot->key_count)) &&
              (shot->keys_at = lil_shot_keep_place(shot, (lil_shot_place){ -1, "keys", -1 })) &&
              (shot->frames_at = lil_shot_keep_place(shot, (lil_shot_place){ -1, "frames", -1 })) &&
              (shot->cost_at = lil_shot_keep_place(shot, (lil_shot_place){ -1, "cost", -1 }));
    for (int i = 0; ok && i < shot->key_count; i++)
        ok = (shot->key_at[i] = lil_shot_keep_place(shot, (lil_shot_place){ i, NULL, -1 }));
    return ok ? LIL_OK : lil_fail_memory(shot->ctx);
}

static bool watch(void *user, int level, int iteration, double cost)
{
    lil_shot *shot = user;
    if (level >= 0 && !lil_history_record(&shot->history, shot->problem, level, cost))
        shot->history.failed = true;
    return !shot->history.failed && (!shot->progress || shot->progress(shot->user, level, iteration, cost));
}

static bool watch_start(void *user, int level, int iteration, double cost)
{
    const lil_shot *shot = user;
    return level < 0 && (!shot->progress || shot->progress(shot->user, level, iteration, cost));
}

static lil_problem_def define(lil_shot *shot)
{
    return (lil_problem_def){ .model = shot->model,
                              .rule = shot->rule,
                              .frames = shot->def.frames,
                              .t0 = shot->at[0],
                              .t1 = shot->at[shot->key_count - 1],
                              .keys = shot->keys,
                              .key_count = shot->key_count,
                              .smoothness = shot->def.smoothness,
                              .left_out = 1 - shot->def.physicality,
                              .by_mass = shot->by_mass,
                              .free_times = shot->def.times == LIL_TIMES_FREE,
                              .running = shot->cost,
                              .watch = watch,
                              .user = shot };
}

static lil_status create_room(lil_shot *shot)
{
    LIL_ALLOC_ALL(shot->ctx, &shot->arena, double, shot->n, &shot->q, &shot->v, &shot->p, &shot->phi, &shot->room);
    return LIL_OK;
}

/* Puts the place of the fault before the solver's message. */
static lil_status fail_at(const lil_shot *shot, lil_status status, bool by_cost)
{
    const char *place = status == LIL_ERR_LIMIT ? shot->frames_at : by_cost ? shot->cost_at : shot->keys_at;
    return status == LIL_ERR_MEMORY ? status : lil_fail(shot->ctx, status, "%s%.760s", place, shot->ctx->message);
}

static lil_status create(lil_shot *shot, const lil_shot_parts *parts)
{
    LIL_ALLOC(shot->ctx, &shot->arena, shot->key_frames, parts->key_count > 0 ? parts->key_count : 0);
    LIL_TRY(
        lil_shot_check_def(shot->ctx, &shot->places, parts->def, parts->keys, parts->key_count, shot->key_frames));
    shot->def = *parts->def;
    LIL_TRY(take_method(shot, parts));
    LIL_TRY(take_integrator(shot, parts));
    LIL_TRY(check_model(shot));
    shot->cost = parts->running;
    if (parts->def->cost)
        LIL_TRY(lil_shot_take_cost(shot, parts->def->cost, parts->def->user));
    LIL_TRY(lil_shot_take_keys(shot, parts));
    LIL_TRY(keep_places(shot));
    LIL_TRY(take_start(shot, parts->def->start));
    LIL_TRY(check_method(shot));
    LIL_TRY(lil_shot_complete_keys(shot));
    LIL_TRY(create_room(shot));
    lil_problem_def def = define(shot);
    lil_status status = lil_problem_create(shot->ctx, &def, &shot->problem);
    return status == LIL_OK ? LIL_OK : fail_at(shot, status, false);
}

lil_status lil_shot_make(lil_context *ctx, const lil_shot_parts *parts, lil_shot **out)
{
    const lil_model *model = parts->model;
    lil_shot *shot = calloc(1, sizeof *shot);
    *out = NULL;
    LIL_HAVE(ctx, shot);
    *shot = (lil_shot){ .ctx = ctx,
                        .model = model,
                        .world = parts->world,
                        .n = model->dofs.total,
                        .names = parts->world ? (const char *const *)parts->world->names : model->names,
                        .by_mass = has_solids(parts->world),
                        .places = parts->places };
    lil_status status = create(shot, parts);
    shot->places = (lil_shot_places){ 0 };
    shot->def.start = NULL;
    shot->def.method = shot->def.options = shot->def.integrator = NULL;
    if (status != LIL_OK)
        lil_shot_destroy(&shot);
    *out = shot;
    return status;
}

lil_status lil_shot_create(lil_context *ctx, const lil_model *model, const lil_key_def *keys, int key_count,
                           const lil_shot_def *def, lil_shot **shot)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, shot, "shot");
    *shot = NULL;
    LIL_NEED(ctx, model, "model");
    LIL_NEED(ctx, keys, "keys");
    LIL_NEED(ctx, def, "def");
    lil_shot_parts parts = { .model = model,
                             .world = (lil_world *)model->world, /* of which only the blame changes */
                             .keys = keys,
                             .key_count = key_count,
                             .def = def };
    return lil_shot_make(ctx, &parts, shot);
}

void lil_shot_destroy(lil_shot **shot)
{
    if (!shot || !*shot)
        return;
    lil_history_free(&(*shot)->history);
    lil_problem_destroy(&(*shot)->problem);
    lil_arena_free(&(*shot)->arena);
    free(*shot);
    *shot = NULL;
}

/* ---- solve ---- */

/* Solves the initial guess of the shot through whole poses. */
static lil_status begin_whole(lil_shot *shot, lil_problem **begun)
{
    lil_problem_def def = define(shot);
    def.keys = shot->whole;
    def.free_times = false;
    def.watch = watch_start;
    LIL_TRY(lil_problem_create(shot->ctx, &def, begun));
    return lil_problem_solve(*begun, shot->method, shot->config);
}

/* From its current frames, if it was solved before. */
static lil_status solve_from(lil_shot *shot, const double *start)
{
    lil_problem *problem = shot->problem;
    for (size_t i = 0; start && i < ((size_t)problem->N + 1) * (size_t)problem->n; i++)
        if (!problem->held[i])
            problem->q[i] = start[i];
    problem->warm = start || shot->solved;
    problem->interrupted = problem->converged = problem->stuck = false;
    return lil_problem_solve(problem, shot->method, shot->config);
}

/* The largest error of a hard key, or of a soft one; NaN: there is none. */
static double key_error(const lil_shot *shot, bool soft)
{
    const lil_problem *problem = shot->problem;
    double most = NAN;
    for (int i = 0; i < shot->key_count; i++) {
        const lil_shot_key *key = &shot->keys[i];
        for (int k = 0; k < problem->n && (key->weight > 0) == soft; k++)
            if (!key->held || key->held[k])
                most = fmax(most, fabs(problem->q[(size_t)key->frame * problem->n + k] - key->q[k]));
    }
    return most;
}

/* The solved free times. Intervals between keys are longer than 2 % of the shot (keyframes/times.c). */
static void take_times(lil_shot *shot)
{
    const double LIMIT = 0.0202 * (shot->at[shot->key_count - 1] - shot->at[0]);
    for (int i = 0; i < shot->key_count; i++)
        shot->at[i] = shot->problem->t[shot->keys[i].frame];
    for (int i = 0; shot->def.times && i < shot->key_count - 1; i++) {
        int one = i > 0 ? i : 1; /* the first does not move */
        if (shot->at[i + 1] - shot->at[i] <= LIMIT)
            lil_warn(shot->ctx,
                     "%sthe free time of this key ended at t = %.6g, as near to the %s key as allowed, 2 %% of the "
                     "shot: without that limit the cost would be lower",
                     shot->key_at[one], shot->at[one], i > 0 ? "next" : "first");
    }
}

/* Whether the ghost force is finite, but the user's cost is not. */
static bool fails_by_cost(const lil_problem *problem)
{
    return problem && problem->running && isfinite(problem->now.C_force) && !isfinite(problem->now.C);
}

static void take_result(lil_shot *shot)
{
    const lil_problem *problem = shot->problem;
    take_times(shot);
    shot->result = (lil_shot_result){ .cost = problem->now.C,
                                      .key_error_max = key_error(shot, false),
                                      .soft_error_max = key_error(shot, true),
                                      .pose_error_max = shot->pose_error,
                                      .ghost_force_max = lil_problem_force_most(problem),
                                      .ghost_share = lil_problem_force_share(problem),
                                      .residual = problem->residual,
                                      .iterations = problem->iterations,
                                      .converged = problem->converged,
                                      .key_count = shot->key_count,
                                      .key_times = shot->at,
                                      .free_times = shot->def.times == LIL_TIMES_FREE };
}

static lil_status shot_find(lil_shot *shot, lil_shot_fn *progress, void *user)
{
    lil_problem *begun = NULL;
    lil_status status = LIL_OK;
    shot->progress = progress;
    shot->user = user;
    if (shot->whole && !shot->solved)
        status = begin_whole(shot, &begun);
    if (status == LIL_OK)
        status = solve_from(shot, shot->solved ? NULL : begun ? begun->q : shot->start);
    bool by_cost = status != LIL_OK && (fails_by_cost(shot->problem) || fails_by_cost(begun));
    if (by_cost)
        status = lil_fail(shot->ctx, LIL_ERR_INPUT, "this cost is not finite between keys");
    lil_problem_destroy(&begun);
    shot->progress = NULL;
    shot->solved = status == LIL_OK && !shot->history.failed;
    if (status == LIL_OK && shot->history.failed)
        return lil_fail_memory(shot->ctx);
    if (status != LIL_OK)
        return fail_at(shot, status, by_cost);
    take_result(shot);
    return LIL_OK;
}

lil_status lil_shot_solve_frames(lil_shot *shot, lil_shot_fn *progress, void *user)
{
    lil_phases *before = lil_clock_begin(shot->ctx, shot->measured ? &shot->phases : NULL);
    lil_status status = shot_find(shot, progress, user);
    lil_clock_end(shot->ctx, before);
    return status;
}

lil_status lil_shot_set_profile(lil_shot *shot, bool on)
{
    LIL_NEED(NULL, shot, "shot");
    if (shot->phases.depth)
        return lil_fail(shot->ctx, LIL_ERR_ARGUMENT, "lil_shot_set_profile: not while the shot is being solved");
    if (on)
        shot->phases = (lil_phases){ 0 };
    shot->measured = on;
    return LIL_OK;
}

lil_profile lil_shot_profile(const lil_shot *shot)
{
    return lil_phases_read(&shot->phases);
}

lil_status lil_shot_check_converged(const lil_shot *shot)
{
    const lil_problem *problem = shot->problem;
    if (problem->converged || problem->interrupted)
        return LIL_OK;
    const char *advice = problem->stuck ? "no step reduces the cost: more keys or frames may help" : NULL;
    return lil_fail(shot->ctx, LIL_ERR_CONVERGENCE,
                    "the shot did not converge in %d iterations: its frames still miss the solution by about %.3g of "
                    "its size; %s%s%s",
                    problem->iterations, problem->residual, advice ? advice : "give it more ",
                    advice ? "" : shot->method->effort, advice ? "" : ", or more keys");
}

lil_status lil_shot_solve(lil_shot *shot, lil_shot_fn *progress, void *user)
{
    LIL_NEED(NULL, shot, "shot");
    LIL_TRY(lil_shot_solve_frames(shot, progress, user));
    if (shot->problem->interrupted)
        return lil_fail(shot->ctx, LIL_ERR_INTERRUPTED,
                        "lil_shot_solve: 'progress' cancelled it after iteration %d, at cost %.9g",
                        shot->problem->iterations, shot->problem->now.C);
    return lil_shot_check_converged(shot);
}

/* ---- the result ---- */

bool lil_shot_outcome(const lil_shot *shot, lil_shot_result *result)
{
    if (shot->solved)
        *result = shot->result;
    return shot->solved;
}

int lil_shot_frames(const lil_shot *shot)
{
    return shot->def.frames + 1;
}

int lil_shot_size(const lil_shot *shot)
{
    return shot->n;
}

void lil_shot_force(const lil_shot *shot, int k, double *phi)
{
    const lil_problem *problem = shot->problem;
    int n = problem->n, rows[2] = { k > 0 ? problem->right[k - 1] : -1, k < problem->N ? problem->left[k] : -1 };
    double w = 0;
    memset(phi, 0, (size_t)n * sizeof *phi);
    for (int side = rows[0] == rows[1]; side < 2; side++) {
        if (rows[side] < 0)
            continue;
        w += problem->w[rows[side]];
        for (int i = 0; i < n; i++)
            phi[i] += problem->now.f[(size_t)rows[side] * n + i];
    }
    for (int i = 0; w > 0 && i < n; i++)
        phi[i] /= w;
}

/* Fixed coordinates have the momentum of their mass, and no ghost force. */
static void spread(lil_shot *shot, double t, const double *q, const double *v, const double *p)
{
    const lil_dofs *dofs = &shot->model->dofs;
    lil_positions *full = &shot->problem->ev.full;
    size_t size = (size_t)shot->n * sizeof *q;
    memcpy(shot->q, lil_positions_of(full, t, q), size);
    memcpy(shot->room, lil_positions_velocity(full, t, v), size);
    memcpy(shot->v, shot->room, size);
    for (int k = shot->n - 1; k >= 0; k--) { /* backwards: free coordinates are in front, of p and phi too */
        int i = dofs->number[k];
        shot->room[k] = i >= 0 ? p[i] : shot->model->points.mass[k / 3] * shot->v[k];
        shot->phi[k] = i >= 0 ? shot->phi[i] : 0;
    }
    memcpy(shot->p, shot->room, size);
}

lil_status lil_shot_frame_at(lil_shot *shot, int k, lil_shot_frame *frame)
{
    LIL_NEED(NULL, shot, "shot");
    LIL_NEED(shot->ctx, frame, "frame");
    lil_problem *problem = shot->problem;
    if (!shot->solved)
        return lil_fail(shot->ctx, LIL_ERR_ARGUMENT, "lil_shot_frame_at: the shot has not been solved");
    if (k < 0 || k > problem->N)
        return lil_fail(shot->ctx, LIL_ERR_ARGUMENT, "lil_shot_frame_at: there is no frame %d: they go from 0 to %d",
                        k, problem->N);
    const double *q = problem->q + (size_t)k * (size_t)problem->n;
    double t = problem->t[k];
    lil_problem_momentum(problem, k, shot->p);
    memset(shot->v, 0, (size_t)problem->n * sizeof *shot->v);
    LIL_TRY(lil_evaluate_velocity(&problem->ev, t, q, shot->p, shot->v));
    lil_shot_force(shot, k, shot->phi);
    if (shot->model->dofs.free)
        spread(shot, t, q, shot->v, shot->p);
    else
        memcpy(shot->q, q, (size_t)shot->n * sizeof *q);
    *frame = (lil_shot_frame){ t, shot->n, shot->q, shot->v, shot->p, shot->phi };
    return LIL_OK;
}
