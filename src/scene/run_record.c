/* What a run records: its channels, its frames, and the words from which it resumes. */
#include "scene/bodies.h"
#include "scene/obstacles.h"
#include "scene/run.h"
#include "scene/scene.h"
#include "sim/checkpoint.h"

#include <math.h>
#include <string.h>

enum { FIXED_TRACKS = 6, EXTRA_TRACKS = 14, LOOP_TRACKS = 2, OBSTACLE_PLACE = 7 };

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
    return m->has_force || m->has_step || m->has_kick || m->has_impulse || m->has_friction || m->loses ||
           m->dofs.script_count || m->drives;
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
        { model->impassable, { "contact/gap", 0 }, &e->gap },
        { model->impassable, { "contact/force", 0 }, &e->contact_force },
        { model->impassable, { "contact/energy", 0 }, &e->contact_energy },
        { model->impassable, { "contact/pairs", 0 }, &e->pairs },
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

/* obstacle/NAME of each that moves, obstacle_turn/NAME of each that turns */
static lil_status list_places(lil_run *run, lil_channel *channels, int *count)
{
    const lil_bodies *bs = run->system.bodies;
    for (int i = 0; bs && i < bs->obstacle_count; i++) {
        const lil_obstacle_def *o = &bs->obstacles[i];
        const char *name = lil_arena_format(&run->arena, "obstacle/%s", o->name),
                   *turn = lil_arena_format(&run->arena, "obstacle_turn/%s", o->name);
        if (!name || !turn || !lil_drive_begin(&o->drive, &run->arena, &run->obstacle_slots[i]))
            return lil_fail_memory(run->ctx);
        if (o->drive.move) {
            channels[*count] = (lil_channel){ name, 3 };
            run->values[(*count)++] = run->obstacle_places + OBSTACLE_PLACE * i;
        }
        if (o->drive.turn) {
            channels[*count] = (lil_channel){ turn, 4 };
            run->values[(*count)++] = run->obstacle_places + OBSTACLE_PLACE * i + 3;
        }
    }
    return LIL_OK;
}

static void fill_places(lil_run *run)
{
    const lil_bodies *bs = run->system.bodies;
    for (int i = 0; bs && i < bs->obstacle_count; i++) {
        const lil_obstacle_def *o = &bs->obstacles[i];
        double *at = run->obstacle_places + OBSTACLE_PLACE * i;
        lil_pose pose;
        lil_drive_at(&o->drive, &run->obstacle_slots[i], lil_sim_state(run->sim)->t, &pose);
        lil_pose_place(&pose, o->contact.obstacle.point, at);
        lil_pose_quaternion(&pose, at + 3);
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
void lil_run_list_invariants(lil_run *run)
{
    lil_observable o;
    run->invariant_count = 0;
    for (int i = 0; lil_run_observable(run, i, &o); i++)
        if (o.invariant) {
            run->invariant_names[run->invariant_count] = o.name;
            run->invariant_changes[run->invariant_count++] = o.drift;
        }
}

/* A checkpoint: the frames taken by the rule, the step of the last of them, the loop's areas at them, where the latest step
 * began, the Sim, the loop's Sims. A frame that is there only because the run ended leaves nothing behind: a longer run does
 * not have it. */
enum { RUN_WORDS = 6 };

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
    run->area_min = run->regular_area_min = words[3];
    run->area_max = run->regular_area_max = words[4];
    run->t_before = words[5];
    bool ok = lil_sim_load(run->sim, words + RUN_WORDS);
    for (int i = 0; ok && i < run->loop.points; i++)
        ok = lil_sim_load(run->loop.sims[i], words + RUN_WORDS + (i + 1) * each);
    if (ok && run->loop.points)
        lil_loop_measure(&run->loop);
    return ok;
}

static void save_words(void *user, double *words)
{
    lil_run *run = user;
    words[0] = (double)run->regular;
    words[1] = (double)run->last_regular;
    words[2] = run->area_first;
    words[3] = run->regular_area_min;
    words[4] = run->regular_area_max;
    words[5] = run->t_before;
    lil_sim_save(run->sim, words + RUN_WORDS);
    for (int i = 0; i < run->loop.points; i++)
        lil_sim_save(run->loop.sims[i], words + RUN_WORDS + (i + 1) * lil_sim_words(run->sim));
}

/* Scripts always ask to resume: where there is nothing yet the run starts, and says so. */
lil_status lil_run_find_output(lil_run *run, const lil_run_def *def)
{
    if (!def->resume)
        return LIL_OK;
    if (!def->output)
        return lil_fail(run->ctx, LIL_ERR_ARGUMENT,
                        "lil_run_create: 'def->output' is NULL: there is nothing to resume");
    lil_output found = lil_recorder_look(def->output);
    run->resume = found == LIL_OUTPUT_THERE;
    if (found == LIL_OUTPUT_NONE)
        lil_warn(run->ctx, "%.200s: does not exist, so there is nothing to resume: the run starts from the beginning",
                 def->output);
    if (found == LIL_OUTPUT_BEGUN)
        lil_warn(run->ctx,
                 "%.200s: an earlier run was killed before its first frame: the run starts from the beginning",
                 def->output);
    return LIL_OK;
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

lil_status lil_run_create_recorder(lil_run *run, const lil_scene *scene, const lil_run_def *def)
{
    int forces = lil_sim_constraints(run->sim);
    int obstacles = run->system.bodies ? run->system.bodies->obstacle_count : 0;
    int most = FIXED_TRACKS + EXTRA_TRACKS + forces + 2 * obstacles + run->observe.count + 2 * run->draw.count +
               LOOP_TRACKS,
        count;
    lil_channel *channels = LIL_NEW(&run->arena, lil_channel, most);
    run->values = LIL_NEW(&run->arena, const double *, most);
    run->extras.forces = LIL_NEW(&run->arena, double, forces);
    run->obstacle_slots = LIL_NEW(&run->arena, lil_drive_slots, obstacles);
    run->obstacle_places = LIL_NEW(&run->arena, double, OBSTACLE_PLACE *(size_t)obstacles);
    const char *overrides = overrides_text(scene, &run->arena);
    if (!channels || !run->values || !overrides || !run->obstacle_slots || !run->obstacle_places)
        return lil_fail_memory(run->ctx);
    LIL_TRY(list_channels(run, channels, &count));
    run->invariant_names = LIL_NEW(&run->arena, const char *, run->observe.count + 1);
    run->invariant_changes = LIL_NEW(&run->arena, double, run->observe.count + 1);
    if (!run->invariant_names || !run->invariant_changes)
        return lil_fail_memory(run->ctx);
    lil_run_list_invariants(run);
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
    return run->resume ? resume(run, &rd) : lil_recorder_create(run->ctx, &rd, &run->recorder);
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

/* What touches at this frame, every contact and all of them together. */
static lil_status fill_contacts(lil_run *run)
{
    lil_extras *e = &run->extras;
    int count = lil_sim_touching(run->sim, run->touching, run->touching_room);
    if (count > run->touching_room) {
        run->touching_room = 2 * count;
        run->touching = LIL_NEW(&run->arena, lil_touching, run->touching_room);
        count = run->touching ? lil_sim_touching(run->sim, run->touching, run->touching_room) : -1;
    }
    if (count < 0)
        return lil_fail_memory(run->ctx);
    e->gap = run->d_hat; /* farther apart nobody looks */
    e->contact_force = e->contact_energy = 0;
    e->pairs = count;
    for (int i = 0; i < count; i++) {
        const lil_touching *one = &run->touching[i];
        e->gap = fmin(e->gap, one->gap);
        e->contact_force += sqrt(one->f[0] * one->f[0] + one->f[1] * one->f[1] + one->f[2] * one->f[2]);
        e->contact_energy += one->energy;
    }
    return lil_recorder_contacts(run->recorder, run->touching, count);
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

lil_status lil_run_record_frame(lil_run *run, bool by_the_rule)
{
    if (run->full)
        lil_run_fill(run);
    if (run->recorder) {
        LIL_TRY(fill_extras(run));
        fill_places(run);
        if (run->system.model->impassable)
            LIL_TRY(fill_contacts(run));
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
        run->regular_area_min = run->area_min;
        run->regular_area_max = run->area_max;
        run->regular = run->frames;
        run->last_regular = run->last_frame;
    }
    return run->recorder ? lil_recorder_frame(run->recorder, run->values) : LIL_OK;
}
