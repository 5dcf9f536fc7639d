#include "scene/run.h"

#include "scene/bodies.h"
#include "scene/obstacles.h"
#include "scene/reference.h"
#include "scene/scene.h"
#include "sim/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIXED_TRACKS = 6, EXTRA_TRACKS = 10, LOOP_TRACKS = 2 };

lil_run_def lil_run_def_default(void)
{
    return (lil_run_def){ 0 };
}

/* ---- create ---- */

static lil_status read_scene(lil_run *run, const lil_scene *scene)
{
    lil_reader rd = { .ctx = run->ctx, .arena = &run->arena };
    rd.scope.work = LIL_NEW(&run->arena, int, 1);
    if (!rd.scope.work)
        return lil_fail_memory(run->ctx);
    LIL_TRY(lil_scene_effective(scene, run->ctx, &run->arena, run->variant, &run->root));
    const lil_node *root = run->root;
    LIL_TRY(lil_keys_check(run->ctx, root, lil_scene_keys(), "the scene"));
    LIL_TRY(lil_read_parameters(&rd, root));
    LIL_TRY(lil_read_up(&rd, root));
    run->up = rd.up;
    LIL_TRY(lil_read_shot(&rd, root, &run->shot));
    LIL_TRY(lil_read_settings(&rd, root, &run->shot, &run->settings));
    LIL_TRY(lil_read_system(&rd, root, &run->system));
    LIL_TRY(lil_read_keys(&rd, &run->system, run->settings.method, &run->shot));
    if (run->settings.solver.constraints == LIL_CONSTRAINTS_PENALTY)
        LIL_TRY(lil_model_loosen(run->ctx, run->system.model, run->settings.solver.stiffness));
    LIL_TRY(lil_read_adaptive(&rd, root, &run->system, &run->adaptive));
    LIL_TRY(lil_read_loop(&rd, root, &run->system, run->settings.adaptive, &run->loop_settings));
    LIL_TRY(lil_read_observe(&rd, root, &run->system, &run->observe));
    LIL_TRY(lil_read_draw(&rd, root, &run->system, &run->draw));
    run->draw_slots = lil_program_slots(&run->draw.program, &run->arena);
    run->draw_now = LIL_NEW(&run->arena, double, 3 * (size_t)run->draw.count);
    return run->draw_slots && run->draw_now ? LIL_OK : lil_fail_memory(run->ctx);
}

/* The loop's points are Sims like the scene's own. */
static lil_status create_loop(lil_run *run, const lil_sim_def *def)
{
    const lil_loop_settings *lp = &run->loop_settings;
    double p[LIL_LOOP_SIZE_MAX];
    if (!lp->node)
        return LIL_OK;
    if (run->system.model->constraint_count)
        return lil_node_fail_key(run->ctx, lp->node,
                                 "a loop goes where constraints are not met: they exclude each other");
    lil_evaluate_lagrangian(&run->sim->ev, lil_sim_state(run->sim)->t, lp->q, lp->v, NULL, NULL, p);
    lil_loop_def loop = { .q = lp->q, .p = p, .radius = lp->radius, .points = lp->points };
    LIL_TRY(lil_loop_create(run->ctx, &run->arena, run->system.model, def, &loop, run->sim, &run->loop));
    run->area_first = run->area_min = run->area_max = run->loop.area;
    return LIL_OK;
}

/* What a Sim could not be made of. */
static const lil_node *blame(const lil_run *run, lil_sim_part part, lil_status status)
{
    const lil_node *node = NULL;
    if (part == LIL_SIM_METHOD && (status == LIL_ERR_INPUT || status == LIL_ERR_LIMIT))
        node = lil_node_get(run->root, "integrator");
    else if (part == LIL_SIM_CONTROL)
        node = lil_node_get(lil_node_get(run->root, "time"), "adaptive");
    return node ? node : run->system.node;
}

/* The latest failure's sentence has its place. */
static bool said_where(const lil_run *run)
{
    const char *message = run->ctx->message;
    return strncmp(message, run->file, strlen(run->file)) == 0 || strncmp(message, "--set ", 6) == 0;
}

static lil_status create_sim(lil_run *run)
{
    lil_sim_part part;
    const lil_settings *st = &run->settings;
    lil_sim_def def = lil_sim_def_default();
    def.integrator = st->method->name;
    def.config = st->config;
    def.step = st->time.step;
    def.start = st->time.start;
    def.halvings = st->time.halvings;
    def.solver = st->solver;
    def.control = lil_adaptive_control(&run->adaptive);
    def.q = run->system.q;
    def.v = run->system.v;
    lil_log_fn *log = run->ctx->log;
    if (run->shot.node) /* a shot takes no steps: nobody needs to be warned of them */
        run->ctx->log = NULL;
    lil_status status = lil_sim_make(run->ctx, run->system.model, &def, &part, &run->sim);
    run->ctx->log = log;
    if (status != LIL_OK) {
        const lil_reader rd = { .ctx = run->ctx };
        return said_where(run) ? status : lil_read_fail_at(&rd, blame(run, part, status), status);
    }
    if (run->observe.count)
        LIL_TRY(lil_sim_observe(run->sim, &run->observe.program));
    return create_loop(run, &def);
}

static const char *overrides_text(const lil_scene *scene, lil_arena *arena)
{
    const char *all = "";
    for (int i = 0; all && i < scene->set_count; i++)
        all = lil_arena_format(arena, "%s%s\n", all, scene->set_texts[i]);
    return all;
}

/* Of a shot nobody knows what damping takes and what the ghost gives. */
static bool keeps_books(const lil_run *run)
{
    const lil_model *m = run->system.model;
    if (run->ghost_force)
        return false;
    return m->has_force || m->has_step || m->has_kick || m->has_impulse || m->has_friction || m->dofs.script_count ||
           m->drives;
}

static void list_extras(lil_run *run, lil_channel *channels, int *count)
{
    const lil_model *model = run->system.model;
    lil_extras *e = &run->extras;
    const struct {
        bool applies;
        lil_channel channel;
        const double *value;
    } extras[EXTRA_TRACKS] = {
        { model->points.count, { "elastic", 0 }, &e->elastic },
        { keeps_books(run), { "dissipated", 0 }, &e->dissipated },
        { keeps_books(run), { "external_work", 0 }, &e->work },
        { model->points.count, { "linear_momentum", 3 }, e->linear },
        { model->points.count, { "angular_momentum", 3 }, e->angular },
        { run->settings.adaptive, { "step", 0 }, &e->step },
        { lil_stepper_solves(&run->sim->stepper) && !run->ghost_force, { "iterations", 0 }, &e->iterations },
        { model->constraint_count, { "violation", 0 }, &e->violation },
        { run->ghost_force, { "ghost_force", run->system.n }, run->ghost_force },
        { run->ghost_force, { "ghost_force_norm", 0 }, &e->ghost },
    };
    for (int i = 0; i < EXTRA_TRACKS; i++)
        if (extras[i].applies) {
            channels[*count] = extras[i].channel;
            run->values[(*count)++] = extras[i].value;
        }
}

/* force/NAME of each constraint */
static lil_status list_forces(lil_run *run, lil_channel *channels, int *count)
{
    for (int i = 0; i < lil_sim_constraints(run->sim); i++, ++*count) {
        const char *name = lil_arena_format(&run->arena, "force/%s", lil_sim_constraint(run->sim, i));
        if (!name)
            return lil_fail_memory(run->ctx);
        channels[*count] = (lil_channel){ name, 0 };
        run->values[*count] = &run->extras.forces[i];
    }
    return LIL_OK;
}

/* obstacle/NAME of each that moves */
static lil_status list_places(lil_run *run, lil_channel *channels, int *count)
{
    const lil_bodies *bs = run->system.bodies;
    for (int i = 0; bs && i < bs->obstacle_count; i++) {
        const lil_contact *c = &bs->obstacles[i].contact;
        const char *name = lil_arena_format(&run->arena, "obstacle/%s", bs->obstacles[i].name);
        if (!name || (c->move && !(run->obstacle_slots[i] = lil_program_slots(c->move, &run->arena))))
            return lil_fail_memory(run->ctx);
        if (!c->move)
            continue;
        channels[*count] = (lil_channel){ name, 3 };
        run->values[(*count)++] = run->obstacle_places + 6 * i;
    }
    return LIL_OK;
}

static void fill_places(lil_run *run)
{
    const lil_bodies *bs = run->system.bodies;
    for (int i = 0; bs && i < bs->obstacle_count; i++) {
        const lil_contact *c = &bs->obstacles[i].contact;
        double *at = run->obstacle_places + 6 * i;
        if (!c->move)
            continue;
        lil_program_run(c->move, run->obstacle_slots[i], lil_sim_state(run->sim)->t, NULL, NULL, at);
        for (int d = 0; d < 3; d++)
            at[d] += c->obstacle.point[d];
    }
}

/* The recorder's channels and where their values stand. */
static lil_status list_channels(lil_run *run, lil_channel *channels, int *count)
{
    const lil_state *x = lil_sim_state(run->sim);
    const lil_sim *sim = run->sim;
    int n = run->system.n;
    const double *q = run->full ? run->full : x->q, *v = run->full ? q + n : x->v, *p = run->full ? v + n : x->p;
    const struct {
        lil_channel channel;
        const double *value;
    } fixed[] = { { { "t", 0 }, &x->t },
                  { { "q", n }, q },
                  { { "v", n }, v },
                  { { "p", n }, p },
                  { { "energy", 0 }, &sim->energy },
                  { { "potential", 0 }, &sim->potential } };
    for (*count = 0; *count < FIXED_TRACKS; ++*count) {
        channels[*count] = fixed[*count].channel;
        run->values[*count] = fixed[*count].value;
    }
    list_extras(run, channels, count);
    LIL_TRY(list_forces(run, channels, count));
    for (int i = 0; i < run->observe.count + run->draw.count; i++, ++*count) {
        bool drawn = i >= run->observe.count;
        int k = drawn ? i - run->observe.count : i;
        const char *name = lil_arena_format(&run->arena, drawn ? "draw/%s" : "observe/%s",
                                            drawn ? run->draw.names[k] : run->observe.names[k]);
        if (!name)
            return lil_fail_memory(run->ctx);
        channels[*count] = (lil_channel){ name, drawn ? 3 : 0 };
        run->values[*count] = drawn ? run->draw_now + 3 * k : sim->observables.now + k;
    }
    LIL_TRY(list_places(run, channels, count));
    for (int i = 0; i < run->drawn_force.points; i++, ++*count) {
        const char *name = lil_arena_format(&run->arena, "ghost/%s", run->draw.names[i]);
        if (!name)
            return lil_fail_memory(run->ctx);
        channels[*count] = (lil_channel){ name, 3 };
        run->values[*count] = run->drawn_force.F + 3 * i;
    }
    if (run->loop.points) {
        channels[*count] = (lil_channel){ "area", 0 };
        run->values[(*count)++] = &run->loop.area;
        channels[*count] = (lil_channel){ "loop", 2 * x->n * run->loop.points };
        run->values[(*count)++] = run->loop.rows;
    }
    return LIL_OK;
}

/* What the scene says does not change (and the loop's area), with how much it has. */
static void list_invariants(lil_run *run)
{
    lil_observable o;
    run->invariant_count = 0;
    for (int i = 0; lil_run_observable(run, i, &o); i++)
        if (o.invariant) {
            run->invariant_names[run->invariant_count] = o.name;
            run->invariant_changes[run->invariant_count++] = o.drift;
        }
}

/* A checkpoint: the frames taken by the rule, the step of the last of them, the loop's areas, the Sim, the loop's Sims. */
enum { RUN_WORDS = 5 };

static int count_words(lil_run *run)
{
    return RUN_WORDS + (1 + run->loop.points) * lil_sim_words(run->sim);
}

static bool load_words(lil_run *run, const double *words)
{
    int each = lil_sim_words(run->sim);
    for (int i = 0; i < 2; i++)
        if (!(words[i] >= 0 && words[i] <= 1e15))
            return false;
    run->frames = run->regular = (int64_t)words[0];
    run->last_frame = run->last_regular = (int64_t)words[1];
    run->area_first = words[2];
    run->area_min = words[3];
    run->area_max = words[4];
    bool ok = lil_sim_load(run->sim, words + RUN_WORDS);
    for (int i = 0; ok && i < run->loop.points; i++)
        ok = lil_sim_load(run->loop.sims[i], words + RUN_WORDS + (i + 1) * each);
    return ok;
}

static void save_words(void *user, double *words)
{
    lil_run *run = user;
    words[0] = (double)run->regular;
    words[1] = (double)run->last_regular;
    words[2] = run->area_first;
    words[3] = run->area_min;
    words[4] = run->area_max;
    lil_sim_save(run->sim, words + RUN_WORDS);
    for (int i = 0; i < run->loop.points; i++)
        lil_sim_save(run->loop.sims[i], words + RUN_WORDS + (i + 1) * lil_sim_words(run->sim));
}

/* Goes on where the output ends. Frames are taken as they were; a last frame that was only there because the run ended
 * is taken back where the run is made longer. */
static lil_status resume(lil_run *run, const lil_recorder_def *rd)
{
    lil_settings *st = &run->settings;
    lil_resume found = { .words = LIL_NEW(&run->arena, double, rd->words) };
    if (!found.words)
        return lil_fail_memory(run->ctx);
    LIL_TRY(lil_recorder_resume(run->ctx, rd, &found, &run->recorder));
    if (!load_words(run, found.words))
        return lil_fail(run->ctx, LIL_ERR_FILE, "%.200s: cannot be gone on with: its checkpoint makes no sense",
                        rd->path);
    run->resumed = found.frames > 0;
    st->record.fps = found.fps;
    st->record.every = found.every;
    lil_recorder_go_back(run->recorder, run->frames);
    return LIL_OK;
}

static lil_status create_recorder(lil_run *run, const lil_scene *scene, const lil_run_def *def)
{
    int forces = lil_sim_constraints(run->sim);
    int obstacles = run->system.bodies ? run->system.bodies->obstacle_count : 0;
    int most =
            FIXED_TRACKS + EXTRA_TRACKS + forces + obstacles + run->observe.count + 2 * run->draw.count + LOOP_TRACKS,
        count;
    lil_channel *channels = LIL_NEW(&run->arena, lil_channel, most);
    run->values = LIL_NEW(&run->arena, const double *, most);
    run->extras.forces = LIL_NEW(&run->arena, double, forces);
    run->obstacle_slots = LIL_NEW(&run->arena, double *, obstacles);
    run->obstacle_places = LIL_NEW(&run->arena, double, 6 * (size_t)obstacles);
    const char *overrides = overrides_text(scene, &run->arena);
    if (!channels || !run->values || !overrides || !run->obstacle_slots || !run->obstacle_places)
        return lil_fail_memory(run->ctx);
    LIL_TRY(list_channels(run, channels, &count));
    run->invariant_names = LIL_NEW(&run->arena, const char *, run->observe.count + 1);
    run->invariant_changes = LIL_NEW(&run->arena, double, run->observe.count + 1);
    if (!run->invariant_names || !run->invariant_changes)
        return lil_fail_memory(run->ctx);
    list_invariants(run);
    lil_recorder_def rd = { .path = def->output,
                            .replace = def->replace,
                            .whole = run->shot.node != NULL,
                            .channels = channels,
                            .channel_count = count,
                            .names = run->system.names,
                            .n = run->system.n,
                            .invariants = run->invariant_names,
                            .invariant_count = run->invariant_count,
                            .touches = run->system.model->touches,
                            .scene = scene->text,
                            .overrides = overrides,
                            .variant = run->variant ? run->variant : "",
                            .integrator = run->settings.method->name,
                            .fps = run->settings.record.fps,
                            .every = run->settings.record.every,
                            .expected_frames = lil_frames_expected(&run->settings),
                            .words = count_words(run),
                            .save = save_words,
                            .user = run };
    LIL_TRY(lil_run_tables(run, &rd));
    return def->resume ? resume(run, &rd) : lil_recorder_create(run->ctx, &rd, &run->recorder);
}

void lil_run_fill(lil_run *run)
{
    const lil_state *x = lil_sim_state(run->sim);
    const lil_points *points = &run->system.model->points;
    lil_positions *all = &run->sim->ev.full;
    int n = run->system.n;
    double *q = run->full, *v = q + n, *p = v + n;
    memcpy(q, lil_positions_of(all, x->t, x->q), (size_t)n * sizeof *q);
    memcpy(v, lil_positions_velocity(all, x->t, x->v), (size_t)n * sizeof *v);
    for (int k = 0; k < n; k++) {
        int i = all->dofs->number[k];
        p[k] = i >= 0 ? x->p[i] : points->mass[k / 3] * v[k];
    }
}

static lil_status fill_extras(lil_run *run)
{
    const lil_state *x = lil_sim_state(run->sim);
    const lil_model *model = run->system.model;
    lil_extras *e = &run->extras;
    e->dissipated = lil_watch_dissipated(&run->sim->watch, model, &run->sim->tally, run->sim->energy);
    e->work = run->sim->tally.work_in;
    e->iterations = (double)run->sim->tally.newton_iterations;
    e->step = x->t > run->t_before ? x->t - run->t_before : run->settings.time.step;
    if (model->constraint_count) {
        e->violation = lil_constrained_violation(&run->sim->constrained, x->t, x->q);
        LIL_TRY(lil_sim_forces(run->sim, e->forces));
    }
    if (!model->points.count)
        return LIL_OK;
    e->elastic = lil_evaluate_elastic(&run->sim->ev, x->t, x->q);
    lil_momenta m =
        lil_momenta_of(model, run->sim->watch.centre, run->full ? run->full : x->q,
                       run->full ? run->full + 2 * run->system.n : x->p, run->sim->ev.threads, run->sim->parts);
    memcpy(e->linear, m.P, sizeof e->linear);
    memcpy(e->angular, m.L, sizeof e->angular);
    return LIL_OK;
}

static void fill_ghost_force(lil_run *run)
{
    const lil_shot *shot = run->shot.shot;
    const lil_dofs *dofs = &run->system.model->dofs;
    double *phi = dofs->free ? run->placed + shot->n : run->ghost_force;
    if (lil_sim_steps(run->sim) <= shot->N)
        lil_shot_frame_force(shot, (int)lil_sim_steps(run->sim), phi);
    else
        memset(phi, 0, (size_t)shot->n * sizeof *phi);
    for (int i = 0; dofs->free && i < shot->n; i++)
        run->ghost_force[dofs->free[i]] = phi[i];
    run->extras.ghost = lil_norm(shot->n, phi);
    const lil_state *x = lil_sim_state(run->sim);
    if (run->drawn_force.points)
        lil_drawn_force_find(&run->drawn_force, &run->draw, x->t, x->q, x->v, phi);
}

static lil_status record_frame(lil_run *run, bool by_the_rule)
{
    if (run->full)
        lil_run_fill(run);
    if (run->recorder) {
        LIL_TRY(fill_extras(run));
        fill_places(run);
    }
    if (run->ghost_force)
        fill_ghost_force(run);
    if (run->draw.count)
        LIL_TRY(lil_sim_evaluate(run->sim, &run->draw.program, run->draw_slots, run->draw_now));
    if (run->loop.points) {
        lil_loop_measure(&run->loop);
        run->area_min = fmin(run->area_min, run->loop.area);
        run->area_max = fmax(run->area_max, run->loop.area);
    }
    run->frames++;
    run->last_frame = lil_sim_steps(run->sim);
    if (by_the_rule) {
        run->regular = run->frames;
        run->last_regular = run->last_frame;
    }
    return run->recorder ? lil_recorder_frame(run->recorder, run->values) : LIL_OK;
}

static double now(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* What cannot be played is known before there is an output. The Sim is then where it was. */
static lil_status try_frames(lil_run *run)
{
    lil_shot *shot = run->shot.shot;
    lil_status status = LIL_OK;
    int k = 0;
    lil_log_fn *log = run->ctx->log;
    run->ctx->log = NULL; /* what there is to warn of is said when they are kept */
    while (status == LIL_OK && ++k <= shot->N) {
        lil_shot_momentum(shot, k, run->placed);
        status = lil_sim_place(run->sim, shot->t[k], shot->q + (size_t)k * shot->n, run->placed);
    }
    run->ctx->log = log;
    if (status == LIL_ERR_INVERTED)
        return lil_node_fail(run->ctx, run->shot.node, status,
                             "an element is inverted at t = %.6g in the best frames that were found, and nothing is "
                             "written: keys that lead around may help, or a material that can be inside out",
                             shot->t[k]);
    if (status != LIL_OK)
        return said_where(run) ? status : lil_read_fail_at(&(lil_reader){ .ctx = run->ctx }, run->shot.node, status);
    lil_sim_destroy(&run->sim);
    return create_sim(run);
}

/* A shot is solved before there is an output; the Sim, made for its rule, then starts where it starts. */
static lil_status solve_shot(lil_run *run, const lil_run_def *def)
{
    lil_shot_settings *st = &run->shot;
    double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    if (def->resume)
        return lil_fail(run->ctx, LIL_ERR_INPUT,
                        "a shot is found as a whole and cannot be gone on with: run it again (--force replaces its "
                        "output)");
    st->watch = def->watch;
    st->user = def->user;
    run->ghost_force = LIL_NEW(&run->arena, double, run->system.n);
    run->placed = LIL_NEW(&run->arena, double, 2 * (size_t)run->system.n);
    if (!run->ghost_force || !run->placed)
        return lil_fail_memory(run->ctx);
    if (run->draw.count && !run->system.bodies)
        LIL_TRY(lil_drawn_force_create(run->ctx, &run->arena, &run->draw, run->system.n, &run->drawn_force));
    lil_status status = lil_shot_run(run->ctx, run->system.model, &run->sim->stepper.discrete.rule, st);
    if (status != LIL_OK)
        return lil_read_fail_at(&(lil_reader){ .ctx = run->ctx }, lil_shot_blame(st, status), status);
    int n = st->shot->n;
    lil_shot_momentum(st->shot, 0, run->placed);
    memcpy(run->system.q, st->shot->q, (size_t)n * sizeof *run->system.q);
    LIL_TRY(lil_evaluate_velocity(&run->sim->ev, st->at[0], run->system.q, run->placed, run->system.v));
    lil_sim_destroy(&run->sim);
    LIL_TRY(create_sim(run));
    LIL_TRY(try_frames(run));
    run->wall = now(CLOCK_MONOTONIC) - wall;
    run->cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (st->shot->interrupted)
        snprintf(run->ended, sizeof run->ended, "interrupted: after iteration %d, at cost %.6g", st->shot->iterations,
                 st->shot->now.C);
    return LIL_OK;
}

static lil_status check_shot_keys(lil_run *run)
{
    lil_status status =
        lil_shot_begin(run->ctx, run->system.model, &run->sim->stepper.discrete.rule, &run->shot, &run->shot.shot);
    lil_shot_destroy(&run->shot.shot);
    return status == LIL_OK
               ? LIL_OK
               : lil_read_fail_at(&(lil_reader){ .ctx = run->ctx }, lil_shot_blame(&run->shot, status), status);
}

static lil_status create(lil_run *run, const lil_scene *scene, const lil_run_def *def)
{
    run->file = lil_arena_copy(&run->arena, scene->file, strlen(scene->file));
    run->variant = def->variant ? lil_arena_copy(&run->arena, def->variant, strlen(def->variant)) : NULL;
    if (!run->file || (def->variant && !run->variant))
        return lil_fail_memory(run->ctx);
    LIL_TRY(read_scene(run, scene));
    LIL_TRY(create_sim(run));
    if (run->shot.node)
        LIL_TRY(def->describe && run->shot.by_mass ? check_shot_keys(run) : solve_shot(run, def));
    run->t_before = run->settings.time.start;
    if (run->system.model->dofs.free) {
        run->full = LIL_NEW(&run->arena, double, 3 * (size_t)run->system.n);
        if (!run->full)
            return lil_fail_memory(run->ctx);
        lil_run_fill(run);
    }
    if (run->draw.count) /* what is wrong at the start is said before there is an output */
        LIL_TRY(lil_sim_evaluate(run->sim, &run->draw.program, run->draw_slots, run->draw_now));
    if (def->output)
        LIL_TRY(create_recorder(run, scene, def));
    return run->resumed ? LIL_OK : record_frame(run, true);
}

lil_status lil_run_create(lil_context *ctx, const lil_scene *scene, const lil_run_def *def, lil_run **out)
{
    if (!ctx || !scene || !def || !out)
        return LIL_ERR_ARGUMENT;
    *out = NULL;
    lil_run *run = calloc(1, sizeof *run);
    if (!run)
        return lil_fail_memory(ctx);
    run->ctx = ctx;
    lil_status status = create(run, scene, def);
    if (status != LIL_OK)
        lil_run_destroy(&run);
    *out = run;
    return status;
}

void lil_run_destroy(lil_run **run)
{
    if (!run || !*run)
        return;
    lil_recorder_destroy(&(*run)->recorder);
    lil_loop_destroy(&(*run)->loop);
    lil_shot_settings_destroy(&(*run)->shot);
    lil_sim_destroy(&(*run)->sim);
    lil_model_destroy(&(*run)->system.model);
    lil_text_free(&(*run)->text);
    lil_arena_free(&(*run)->arena);
    free(*run);
    *run = NULL;
}

/* ---- advance ---- */

bool lil_run_complete(const lil_run *run)
{
    return run->settings.adaptive ? lil_sim_state(run->sim)->t >= run->settings.time.until
                                  : lil_sim_steps(run->sim) >= run->settings.steps;
}

/* Of a shot the frames are there already. That it did not converge is said when they are kept. */
static lil_status next_frame(lil_run *run)
{
    lil_shot *shot = run->shot.shot;
    int k = (int)lil_sim_steps(run->sim) + 1;
    lil_shot_momentum(shot, k, run->placed);
    return lil_sim_place(run->sim, shot->t[k], shot->q + (size_t)k * shot->n, run->placed);
}

static lil_status check_shot(lil_run *run)
{
    const lil_shot *shot = run->shot.shot;
    if (!shot || shot->converged || shot->interrupted || !lil_run_complete(run))
        return LIL_OK;
    const char *advice = shot->stuck ? "no step makes it better: more keys or frames may lead around" : NULL;
    return lil_fail(run->ctx, LIL_ERR_CONVERGENCE,
                    "the shot did not converge in %d iterations: its frames are still off by about %.3g of its size; "
                    "%s%s%s",
                    shot->iterations, shot->residual, advice ? advice : "give it more ",
                    advice ? "" : run->shot.method->effort, advice ? "" : ", or more keys");
}

/* The next step; where steps vary the last one is as long as it must be to end at `until`. */
static lil_status next_step(lil_run *run)
{
    double h, left = run->settings.time.until - lil_sim_state(run->sim)->t;
    run->t_before = lil_sim_state(run->sim)->t;
    if (run->shot.shot && lil_sim_steps(run->sim) < run->shot.shot->N)
        return next_frame(run);
    if (!run->settings.adaptive)
        return lil_sim_step(run->sim);
    LIL_TRY(lil_sim_next_step(run->sim, &h));
    if (h < left)
        return lil_sim_step(run->sim);
    LIL_TRY(lil_sim_advance(run->sim, left));
    run->sim->state.t = run->settings.time.until; /* t + (until - t) may miss it by a bit */
    return LIL_OK;
}

/* By steps; or, where steps vary, when a step has passed one of the times. */
static bool frame_is_due(const lil_run *run)
{
    const lil_settings *st = &run->settings;
    if (st->adaptive && st->record.fps > 0) {
        double after = lil_sim_state(run->sim)->t, start = st->time.start, fps = st->record.fps;
        return floor((after - start) * fps) > floor((run->t_before - start) * fps);
    }
    return lil_sim_steps(run->sim) == lil_frame_step(st, run->regular);
}

static lil_status advance(lil_run *run, int64_t steps)
{
    for (int64_t k = 0; k < steps && !lil_run_complete(run); k++) {
        LIL_TRY(next_step(run));
        if (run->loop.points)
            LIL_TRY(lil_loop_step(&run->loop));
        if (frame_is_due(run))
            LIL_TRY(record_frame(run, true));
    }
    return check_shot(run);
}

lil_status lil_run_advance(lil_run *run, int64_t steps)
{
    double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    lil_status status = advance(run, steps);
    run->wall += now(CLOCK_MONOTONIC) - wall;
    run->cpu += now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (status != LIL_OK)
        snprintf(run->ended, sizeof run->ended, "failed: %.240s", run->ctx->message);
    return status;
}

const char *lil_run_how_it_ended(const lil_run *run)
{
    return run->ended[0] ? run->ended : lil_run_complete(run) ? "complete" : "interrupted";
}

lil_status lil_run_finish(lil_run *run)
{
    bool failed = strncmp(run->ended, "failed", 6) == 0;
    if (run->shot.shot && !lil_run_complete(run) && !failed) /* a shot that was ended early is kept whole */
        LIL_TRY(advance(run, run->settings.steps));
    if (!run->recorder)
        return LIL_OK;
    if (!run->ended[0] && lil_sim_steps(run->sim) != run->last_frame && record_frame(run, false) != LIL_OK)
        snprintf(run->ended, sizeof run->ended, "failed: %.240s",
                 run->ctx->message); /* how it ended is a frame too */
    lil_certificate certificate = lil_sim_certificate(run->sim);
    list_invariants(run);
    lil_pair deepest;
    return lil_recorder_finish(run->recorder, &certificate, run->invariant_changes,
                               lil_sim_deepest(run->sim, &deepest) ? &deepest : NULL, lil_run_how_it_ended(run));
}

/* ---- look ---- */

double lil_run_progress(const lil_run *run)
{
    const lil_time_def *tm = &run->settings.time;
    return (lil_sim_state(run->sim)->t - tm->start) / (tm->until - tm->start);
}

int64_t lil_run_steps_done(const lil_run *run)
{
    return lil_sim_steps(run->sim);
}

int64_t lil_run_frames(const lil_run *run)
{
    return run->frames;
}

lil_sim *lil_run_sim(lil_run *run)
{
    return run->sim;
}

const lil_model *lil_run_model(const lil_run *run)
{
    return run->system.model;
}

bool lil_run_observable(const lil_run *run, int i, lil_observable *out)
{
    const lil_observables *o = &run->sim->observables;
    if (i == run->observe.count && run->loop.points) {
        double away = fmax(run->area_max - run->area_first, run->area_first - run->area_min);
        *out = (lil_observable){ "area",        true,          run->area_first,       run->loop.area,
                                 run->area_min, run->area_max, away / run->area_first };
        return true;
    }
    if (i < 0 || i >= run->observe.count)
        return false;
    int of = run->observe.size[i]; /* the largest of all steps: at rest nothing moves yet that could be summed */
    double size = of >= 0 ? o->most[of] : fabs(o->first[i]);
    double away = fmax(o->most[i] - o->first[i], o->first[i] - o->least[i]);
    *out = (lil_observable){ .name = run->observe.names[i],
                             .invariant = run->observe.invariant[i],
                             .first = o->first[i],
                             .last = o->now[i],
                             .min = o->least[i],
                             .max = o->most[i],
                             .drift = size > 0 ? away / size : away };
    return true;
}

const char *lil_run_integrator(const lil_run *run)
{
    return run->settings.method->name;
}
