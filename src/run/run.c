#include "run/run.h"

#include "core/profile.h"
#include "sim/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

lil_run_def lil_run_def_default(void)
{
    return (lil_run_def){ 0 };
}

/* ---- create ---- */

lil_run *lil_run_new(lil_context *ctx)
{
    lil_run *run = calloc(1, sizeof *run);
    if (run)
        run->ctx = ctx;
    return run;
}

/* The loop's points are Sims like the run's own. */
static lil_status create_loop(lil_run *run, const lil_sim_def *def)
{
    const lil_loop_def *lp = &run->plan.loop;
    double p[LIL_PHASE_LOOP_SIZE_MAX];
    if (!lp->points)
        return LIL_OK;
    lil_evaluate_lagrangian(&run->sim->ev, lil_sim_state(run->sim)->t, lp->q, lp->v, NULL, NULL, p);
    lil_phase_loop_def loop = { .q = lp->q, .p = p, .radius = lp->radius, .points = lp->points };
    LIL_TRY(lil_phase_loop_create(run->ctx, &run->arena, run->plan.model, def, &loop, run->sim, &run->loop));
    run->area_first = run->area_min = run->area_max = run->loop.area;
    run->regular_area_min = run->regular_area_max = run->loop.area;
    return LIL_OK;
}

lil_status lil_run_create_sim(lil_run *run, lil_sim_part *part)
{
    lil_run_plan *plan = &run->plan;
    lil_settings *st = &plan->settings;
    lil_sim_def def = lil_sim_def_default();
    def.integrator = st->method ? st->method->name : lil_auto;
    def.config = st->config;
    def.step = st->time.step;
    def.start = st->time.start;
    def.halvings = st->time.halvings;
    def.solver = st->solver;
    def.control = plan->control;
    def.q = plan->q;
    def.v = plan->v;
    lil_sim_role role = plan->shot ? LIL_SIM_DIRECTED : run->task ? LIL_SIM_LOADED : LIL_SIM_STEPPED;
    LIL_TRY(lil_sim_make(run->ctx, plan->model, &def, role, part, &run->sim));
    st->method = run->sim->choice.method;
    def.integrator = st->method->name; /* also of the loop's */
    *part = LIL_SIM_TEXT;              /* from here on sentences say what they are about */
    if (plan->rest.found) /* found again when a run is resumed, to the same bits: no word of a checkpoint */
        lil_watch_rest(&run->sim->watch, plan->rest.iterations, plan->rest.residual);
    for (int i = 0, index; i < plan->observe.measure_count; i++)
        LIL_TRY(lil_sim_add_measure(run->sim, plan->observe.measures[i].quantity, plan->observe.measures[i].name,
                                    &index));
    if (plan->observe.count)
        LIL_TRY(lil_sim_observe(run->sim, &plan->observe.program));
    return create_loop(run, &def);
}

static double now(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Prepares the playback of a shot; it is solved when the run is first advanced. */
static lil_status prepare_shot(lil_run *run, const lil_run_def *def)
{
    const lil_run_plan *plan = &run->plan;
    if (run->resume)
        return lil_fail(run->ctx, LIL_ERR_INPUT, "a shot is solved as a whole and cannot be resumed: run it again");
    run->watch = def->watch;
    run->user = def->user;
    LIL_ALLOC(run->ctx, &run->arena, run->tracks.ghost_force, plan->n);
    LIL_ALLOC(run->ctx, &run->arena, run->placed, 2 * (size_t)plan->n);
    return plan->draw.count && !plan->world
               ? lil_drawn_force_create(run->ctx, &run->arena, &plan->draw.program, plan->n, &run->drawn_force)
               : LIL_OK;
}

/* The Sim then starts where the shot does. */
static lil_status solve_shot(lil_run *run)
{
    lil_shot *shot = run->plan.shot;
    LIL_TRY(lil_shot_solve_frames(shot, run->watch, run->user));
    lil_problem *problem = shot->problem;
    lil_problem_momentum(problem, 0, run->placed);
    memcpy(run->plan.q, problem->q, (size_t)problem->n * sizeof *run->plan.q);
    LIL_TRY(lil_evaluate_velocity(&problem->ev, shot->at[0], run->plan.q, run->placed, run->plan.v));
    LIL_TRY(lil_sim_restart(run->sim, run->plan.q, run->plan.v));
    if (problem->interrupted)
        snprintf(run->ended, sizeof run->ended, "interrupted: after iteration %d, at cost %.6g", problem->iterations,
                 problem->now.C);
    return lil_run_record_frame(run, true);
}

/* of q, v, p and the loop; other channels are short, and how many contacts there will be is unknown */
static double frame_bytes(const lil_run *run)
{
    const lil_frame_form *form = &run->plan.settings.record.form;
    double number = form->precision == LIL_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
    return number * (form->q + form->v + form->p) * run->plan.n +
           sizeof(double) * 2. * run->plan.model->n * run->loop.points;
}

/* How many frames there are where the scene does not say: the start, and the end if it falls between, are two of
 * them. */
static void choose_frames(lil_run *run)
{
    enum { FRAMES_MOST = 2000, FRAMES_LEAST = 3 };
    const double FILE_BYTES = 2e9;
    lil_settings *st = &run->plan.settings;
    if (st->record.fps > 0 || st->record.every > 0)
        return;
    double room = fmax(FRAMES_LEAST, floor(FILE_BYTES / fmax(frame_bytes(run), 1))), most = fmin(FRAMES_MOST, room);
    bool all = !st->adaptive && (double)st->steps < most;
    if (st->adaptive)
        st->record.fps = (most - 1) / (st->time.until - st->time.start);
    else
        st->record.every = all ? 1 : ceil((double)st->steps / (most - 2));
    if (run->output && !run->resume && room < FRAMES_MOST && !all)
        lil_warn(run->ctx,
                 "a frame has %.3g MB, so only about %.0f of them are recorded, %.3g GB: 'record: {fps: N}' sets how "
                 "many, "
                 "and 'what' and 'precision' make them smaller",
                 frame_bytes(run) / 1e6, most, most * frame_bytes(run) / 1e9);
}

static lil_status on_step(void *user, double h);
static lil_status may_step(void *user);

static lil_status prepare_drawing(lil_run *run)
{
    const lil_draw *draw = &run->plan.draw;
    run->draw_slots = lil_program_slots(&draw->program, &run->arena);
    run->draw_now = LIL_NEW(&run->arena, double, 3 * (size_t)draw->count);
    LIL_HAVE(run->ctx, run->draw_slots && run->draw_now);
    return draw->count ? lil_sim_evaluate(run->sim, &draw->program, run->draw_slots, run->draw_now) : LIL_OK;
}

lil_status lil_run_begin(lil_run *run, const lil_run_def *def)
{
    if (run->plan.shot)
        LIL_TRY(prepare_shot(run, def));
    run->measured = def->profile;
    LIL_TRY(lil_sim_set_profile(run->sim, def->profile));
    if (run->plan.shot)
        LIL_TRY(lil_shot_set_profile(run->plan.shot, def->profile));
    run->t_before = run->plan.settings.time.start;
    choose_frames(run);
    LIL_TRY(lil_world_record_begin(run->ctx, &run->arena, run->sim, &run->world));
    LIL_TRY(prepare_drawing(run)); /* before there is an output: it may fail at the start */
    if (run->output)
        LIL_TRY(lil_run_create_recorder(run, def));
    run->t_now = lil_sim_state(run->sim)->t;
    if (!run->resumed && !run->plan.shot && !run->task)
        LIL_TRY(lil_run_record_frame(run, true));
    run->sim->taken = on_step; /* for every step of the Sim */
    run->sim->may_step = may_step;
    run->sim->taken_user = run;
    return LIL_OK;
}

/* The Sim goes after the shot and before the model. */
static void destroy_plan(lil_run_plan *plan, lil_sim **sim)
{
    lil_shot_destroy(&plan->shot);
    if (plan->running_cost.table)
        plan->running_cost.table->destroy(plan->running_cost.data);
    lil_sim_destroy(sim);
    lil_model_destroy(&plan->model);
    lil_world_destroy(&plan->world);
}

void lil_run_destroy(lil_run **run)
{
    if (!run || !*run)
        return;
    lil_recorder_destroy(&(*run)->recorder);
    free((*run)->rows);
    free((*run)->row_contacts);
    lil_phase_loop_destroy(&(*run)->loop);
    destroy_plan(&(*run)->plan, &(*run)->sim);
    lil_text_free(&(*run)->text);
    lil_arena_free(&(*run)->arena);
    free(*run);
    *run = NULL;
}

/* ---- advance ---- */

/* On the grid of times steps are counted. Off it, after a lil_sim_advance of the caller's, the end is a time; half
 * a step is more than round-off in t. */
bool lil_run_complete(const lil_run *run)
{
    const lil_settings *st = &run->plan.settings;
    if (run->task)
        return run->solved;
    double left = st->time.until - lil_sim_state(run->sim)->t;
    if (st->adaptive)
        return left <= 0;
    if (run->plan.shot || run->sim->grid_start == st->time.start)
        return lil_sim_steps(run->sim) >= st->steps;
    return left < st->time.step / 2;
}

int64_t lil_frame_step(const lil_settings *st, int64_t j)
{
    double at =
        st->record.every > 0 ? (double)j * st->record.every : round((double)j / (st->record.fps * st->time.step));
    return at < 9e18 ? (int64_t)at : INT64_MAX;
}

int64_t lil_frames_expected(const lil_settings *st)
{
    double length = st->time.until - st->time.start;
    double frames = st->record.fps > 0 ? length * st->record.fps : length / st->time.step / st->record.every;
    return frames < 1e15 ? 2 + (int64_t)frames : (int64_t)1e15;
}

/* By steps; or, where steps vary, when a step has passed one of the times. */
static bool frame_is_due(const lil_run *run)
{
    const lil_settings *st = &run->plan.settings;
    if (st->adaptive && st->record.fps > 0) {
        double after = lil_sim_state(run->sim)->t, start = st->time.start, fps = st->record.fps;
        return floor((after - start) * fps) > floor((run->t_before - start) * fps);
    }
    return lil_sim_steps(run->sim) >= lil_frame_step(st, run->regular);
}

void lil_run_fail(lil_run *run)
{
    snprintf(run->ended, sizeof run->ended, "failed: %.240s", run->ctx->message);
    run->failed = true;
    if (run->output && !run->recorder) /* a shot's frames are written all together, or not at all */
        run->frames = 0;
}

/* The run's part of each step of its Sim: the loop's points take it too, and frames are recorded. */
static lil_status follow_step(lil_run *run, double h)
{
    run->t_before = run->t_now;
    run->t_now = lil_sim_state(run->sim)->t;
    if (run->loop.points) {
        lil_stop stop = run->ctx->stop; /* either all of them are stepped or none */
        run->ctx->stop = (lil_stop){ 0 };
        lil_status status = lil_phase_loop_step(&run->loop, h);
        run->ctx->stop = stop;
        LIL_TRY(status);
    }
    return frame_is_due(run) ? lil_run_record_frame(run, true) : LIL_OK;
}

/* The frames of a shot are placed, not stepped. */
static lil_status may_step(void *user)
{
    const lil_run *run = user;
    const lil_shot *shot = run->plan.shot;
    if (run->task && !run->finished)
        return lil_fail(run->ctx, LIL_ERR_ARGUMENT,
                        "the Sim of a run for statics or modes takes no steps before its end");
    if (!shot || run->finished || lil_sim_steps(run->sim) >= shot->def.frames)
        return LIL_OK;
    return lil_fail(run->ctx, LIL_ERR_ARGUMENT,
                    "the Sim of a shot cannot be stepped before the last key, at t = %.9g: its frames are solved as "
                    "a whole, and lil_run_advance plays them",
                    shot->problem->t[shot->def.frames]);
}

/* The Sim calls it after each step. */
static lil_status on_step(void *user, double h)
{
    lil_run *run = user;
    if (run->finished)
        return LIL_OK;
    lil_status status = follow_step(run, h);
    if (status != LIL_OK) {
        run->t_now = run->t_before; /* the Sim takes the step back */
        lil_run_fail(run);
    }
    return status;
}

/* The frames of a shot exist already. */
static lil_status place_frame(lil_run *run)
{
    lil_shot *shot = run->plan.shot;
    lil_problem *problem = shot->problem;
    int k = (int)lil_sim_steps(run->sim) + 1;
    lil_problem_momentum(problem, k, run->placed);
    lil_status status =
        lil_sim_place(run->sim, problem->t[k], problem->q + (size_t)k * (size_t)problem->n, run->placed);
    if (status == LIL_ERR_INVERTED)
        return lil_fail(run->ctx, status,
                        "%san element is inverted at t = %.6g in the best frames found, so nothing is written: add "
                        "keys that avoid this, or use a material that allows inversion",
                        shot->keys_at, problem->t[k]);
    LIL_TRY(status);
    return follow_step(run, 0);
}

/* Placing a frame and recording it are the step of a shot's Sim. */
static lil_status next_frame(lil_run *run)
{
    lil_phases *before = lil_clock_begin(run->ctx, run->measured ? &run->sim->phases : NULL);
    lil_status status = place_frame(run);
    lil_clock_end(run->ctx, before);
    return status;
}

/* Missing convergence is reported when its frames are kept. */
static lil_status check_shot(lil_run *run)
{
    return run->plan.shot && lil_run_complete(run) ? lil_shot_check_converged(run->plan.shot) : LIL_OK;
}

/* The next step; where steps vary the last one is as long as it must be to end at `until`. */
static lil_status next_step(lil_run *run)
{
    double h, until = run->plan.settings.time.until;
    if (run->plan.shot && lil_sim_steps(run->sim) < run->plan.shot->def.frames)
        return next_frame(run);
    if (!run->plan.settings.adaptive)
        return lil_sim_step(run->sim);
    LIL_TRY(lil_sim_next_step(run->sim, &h));
    return h < until - lil_sim_state(run->sim)->t ? lil_sim_step(run->sim) : lil_sim_advance_to(run->sim, until);
}

static lil_status advance(lil_run *run, int64_t steps)
{
    if (run->plan.shot && !run->plan.shot->solved && steps > 0)
        LIL_TRY(solve_shot(run));
    for (int64_t k = 0; k < steps && !lil_run_complete(run); k++)
        LIL_TRY(next_step(run));
    return check_shot(run);
}

lil_status lil_run_advance(lil_run *run, int64_t steps)
{
    LIL_NEED(NULL, run, "run");
    if (steps < 0)
        return lil_fail(run->ctx, LIL_ERR_ARGUMENT, "lil_run_advance: 'steps' is %lld, not 0 or more",
                        (long long)steps);
    if (run->task)
        return lil_fail(run->ctx, LIL_ERR_ARGUMENT,
                        "lil_run_advance: the task of this run is not a motion: call lil_run_solve_static or "
                        "lil_run_solve_modes");
    if (run->finished && !lil_run_complete(run))
        return lil_fail(
            run->ctx, LIL_ERR_ARGUMENT,
            "the run was finished at t = %.9g and takes no more steps: create it again, with 'resume' if it "
            "has an output",
            lil_sim_state(run->sim)->t);
    double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    lil_status status = advance(run, steps);
    run->wall += now(CLOCK_MONOTONIC) - wall;
    run->cpu += now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (status != LIL_OK && status != LIL_ERR_INTERRUPTED)
        lil_run_fail(run);
    return status;
}

const char *lil_run_how_it_ended(const lil_run *run)
{
    return run->ended[0] ? run->ended : lil_run_complete(run) ? "complete" : "interrupted";
}

/* The frames that are still to come: those of a shot that was ended early, which is kept whole, and how the run
 * ended. */
static lil_status last_frames(lil_run *run)
{
    bool solved = run->plan.shot && run->plan.shot->solved;
    if (solved && !lil_run_complete(run) && !run->failed)
        LIL_TRY(advance(run, run->plan.settings.steps));
    bool missing = run->recorder && !run->ended[0] && lil_sim_steps(run->sim) != run->last_frame;
    return missing ? lil_run_record_frame(run, false) : LIL_OK;
}

lil_status lil_run_finish(lil_run *run)
{
    LIL_NEED(NULL, run, "run");
    if (run->finished)
        return LIL_OK;
    if (run->task && run->row_count)
        LIL_TRY(lil_run_write_rows(run));
    lil_status status = run->task ? LIL_OK : last_frames(run);
    if (status != LIL_OK)
        lil_run_fail(run);
    run->finished = true;
    if (!run->recorder)
        return status;
    bool interrupted = !run->ended[0] && !lil_run_complete(run); /* an interrupted run does not wait */
    lil_status flushed = interrupted ? LIL_OK : lil_world_record_look(&run->world, run->recorder, run->output);
    if (flushed != LIL_OK) {
        lil_run_fail(run);
        return flushed;
    }
    /* also after a failure: what there is is kept */
    lil_certificate certificate = run->task ? lil_run_task_certificate(run) : lil_sim_certificate(run->sim);
    lil_pair deepest;
    lil_run_list_invariants(run);
    lil_profile profile;
    lil_status written = lil_recorder_finish(
        run->recorder, &certificate, run->invariant_changes, lil_sim_deepest(run->sim, &deepest) ? &deepest : NULL,
        lil_run_profile(run, &profile) ? &profile : NULL, lil_run_how_it_ended(run));
    return status != LIL_OK ? status : written;
}

/* ---- look ---- */

double lil_run_progress(const lil_run *run)
{
    const lil_time_def *tm = &run->plan.settings.time;
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

bool lil_run_profile(const lil_run *run, lil_profile *profile)
{
    if (!run->measured)
        return false;
    *profile = lil_sim_profile(run->sim);
    if (run->plan.shot) {
        const lil_profile solved = lil_shot_profile(run->plan.shot);
        lil_profile_add(profile, &solved);
    }
    return true;
}

const lil_model *lil_run_model(const lil_run *run)
{
    return run->plan.model;
}

bool lil_run_observable(const lil_run *run, int i, lil_observable *out)
{
    const lil_observables *o = &run->sim->observables;
    if (i == run->plan.observe.count && run->loop.points) {
        double away = fmax(run->area_max - run->area_first, run->area_first - run->area_min);
        *out = (lil_observable){ "area",        true,          run->area_first,       run->loop.area,
                                 run->area_min, run->area_max, away / run->area_first };
        return true;
    }
    if (i < 0 || i >= run->plan.observe.count)
        return false;
    int of = run->plan.observe.size[i]; /* the largest of all steps: at rest nothing moves yet that could be summed */
    double size = of >= 0 ? o->most[of] : fabs(o->first[i]);
    double away = fmax(o->most[i] - o->first[i], o->first[i] - o->least[i]);
    *out = (lil_observable){ .name = run->plan.observe.names[i],
                             .invariant = run->plan.observe.invariant[i],
                             .first = o->first[i],
                             .last = o->now[i],
                             .min = o->least[i],
                             .max = o->most[i],
                             .drift = size > 0 ? away / size : away };
    return true;
}

const char *lil_run_integrator(const lil_run *run)
{
    return lil_sim_integrator(run->sim, NULL);
}
