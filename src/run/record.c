/* The recording of a run: its channels, its frames, and the checkpoint from which it resumes. */
#include "math/vector.h"
#include "run/run.h"
#include "sim/checkpoint.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP_TRACKS = 2 };

/* Of a state at rest nothing moves: `t` is the load factor, or counts modes. */
static void keep_static(lil_run *run, lil_channel *channels, int *count)
{
    static const char *const moving[] = { "linear_momentum", "angular_momentum", "step",
                                          "iterations",      "dissipated",       "external_work" };
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        bool moves = false;
        for (size_t k = 0; k < sizeof moving / sizeof moving[0]; k++)
            moves = moves || strcmp(channels[i].name, moving[k]) == 0;
        if (moves)
            continue;
        channels[kept] = channels[i];
        run->values[kept++] = strcmp(channels[i].name, "t") == 0 ? &run->task_t : run->values[i];
    }
    *count = kept;
}

static lil_status list_channels(lil_run *run, lil_channel *channels, int *count)
{
    const lil_world_record *world = &run->world;
    const lil_observe *ob = &run->plan.observe;
    const lil_draw *draw = &run->plan.draw;
    const double **values = run->values;
    if (run->task) /* modes are shown, and their shapes recorded besides */
        run->plan.settings.record.form =
            (lil_frame_form){ .q = true,
                              .precision = run->task == LIL_TASK_MODES ? LIL_PRECISION_FLOAT : LIL_PRECISION_DOUBLE };
    run->tracks.form = run->plan.settings.record.form;
    run->tracks.adaptive = run->plan.settings.adaptive;
    LIL_TRY(lil_tracks_list(&run->tracks, world, channels, values, count));
    if (run->task)
        keep_static(run, channels, count);
    for (int i = 0; i < ob->count; i++) {
        LIL_TRY(
            lil_track_add(world, "observe", ob->names[i], 0, run->sim->observables.now + i, channels, values, count));
        channels[*count - 1].unit = ob->units[i];
    }
    for (int i = 0; i < draw->count; i++)
        LIL_TRY(lil_track_add(world, "draw", draw->names[i], 3, run->draw_now + 3 * i, channels, values, count));
    LIL_TRY(lil_world_record_channels(&run->world, channels, values, count));
    for (int i = 0; i < run->drawn_force.points; i++)
        LIL_TRY(
            lil_track_add(world, "ghost", draw->names[i], 3, run->drawn_force.F + 3 * i, channels, values, count));
    if (run->loop.points) {
        channels[*count] = (lil_channel){ "area", 0, NULL };
        values[(*count)++] = &run->loop.area;
        channels[*count] = (lil_channel){ "loop", 2 * run->plan.model->n * run->loop.points, NULL };
        values[(*count)++] = run->loop.rows;
    }
    return LIL_OK;
}

/* The quantities that the scene marks as conserved (and the loop's area), with their changes. */
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

/* A checkpoint: the frames taken by the rule, the step of the last of them, the loop's areas at them, where the
 * latest step began, the Sim, the loop's Sims. A frame that is there only because the run ended leaves nothing
 * behind: a longer run does not have it. */
enum { RUN_WORDS = 6 };

static lil_status count_words(lil_run *run, int *words)
{
    LIL_TRY(lil_sim_checkpoint_words(run->sim, words));
    *words = RUN_WORDS + (1 + run->loop.points) * *words;
    return LIL_OK;
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
    bool ok = lil_sim_checkpoint_load(run->sim, words + RUN_WORDS);
    for (int i = 0; ok && i < run->loop.points; i++)
        ok = lil_sim_load(run->loop.sims[i], words + RUN_WORDS + (i + 1) * each);
    if (ok && run->loop.points)
        lil_phase_loop_measure(&run->loop);
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
    lil_sim_checkpoint_save(run->sim, words + RUN_WORDS);
    for (int i = 0; i < run->loop.points; i++)
        lil_sim_save(run->loop.sims[i], words + RUN_WORDS + (i + 1) * lil_sim_words(run->sim));
}

/* Scripts always ask to resume: where there is nothing yet the run starts, and says so. */
lil_status lil_run_find_output(lil_run *run, const lil_run_def *def)
{
    run->output = def->output ? lil_arena_copy(&run->arena, def->output, strlen(def->output)) : NULL;
    if (def->output && !run->output)
        return lil_fail_memory(run->ctx);
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
    lil_settings *st = &run->plan.settings;
    lil_resume found = { .words = LIL_NEW(&run->arena, double, rd->words) };
    LIL_HAVE(run->ctx, found.words);
    LIL_TRY(lil_recorder_resume(run->ctx, rd, &found, &run->recorder));
    if (!load_words(run, found.words))
        return lil_fail(run->ctx, LIL_ERR_FILE, "%.200s: cannot be resumed: its checkpoint is invalid", rd->path);
    run->resumed = found.frames > 0;
    st->record.fps = found.fps;
    st->record.every = found.every;
    lil_recorder_go_back(run->recorder, run->frames);
    return LIL_OK;
}

static lil_status add_task_tables(lil_run *run)
{
    lil_recorder_def *rd = &run->recorder_def;
    int count = rd->table_count;
    lil_table *tables;
    lil_label *labels;
    LIL_ALLOC(run->ctx, &run->arena, tables, count + run->task_table_count);
    LIL_ALLOC(run->ctx, &run->arena, labels, rd->label_count + 1);
    for (int i = 0; i < count + run->task_table_count; i++)
        tables[i] = i < count ? rd->tables[i] : run->task_tables[i - count];
    for (int i = 0; i < rd->label_count; i++)
        labels[i] = rd->labels[i];
    if (run->task_label.name)
        labels[rd->label_count++] = run->task_label;
    rd->tables = tables;
    rd->table_count = count + run->task_table_count;
    rd->labels = labels;
    return LIL_OK;
}

static lil_status list_tables(lil_run *run)
{
    const lil_draw *draw = &run->plan.draw;
    LIL_TRY(lil_record_tables(&run->world, run->plan.shot, draw->link_count ? draw->links[0] : NULL, draw->link_count,
                              run->plan.up, &run->recorder_def));
    return run->task ? add_task_tables(run) : LIL_OK;
}

static lil_status define_recorder(lil_run *run, const lil_run_def *def)
{
    const lil_run_plan *plan = &run->plan;
    int most = lil_tracks_max(run->sim) + lil_world_record_channels_max(&run->world) + plan->observe.count +
               2 * plan->draw.count + LOOP_TRACKS,
        count = 0, words;
    const char *reason, *integrator = lil_sim_integrator(run->sim, &reason);
    lil_channel *channels;
    LIL_ALLOC(run->ctx, &run->arena, channels, most);
    LIL_ALLOC(run->ctx, &run->arena, run->values, most);
    LIL_TRY(list_channels(run, channels, &count));
    LIL_TRY(count_words(run, &words));
    LIL_ALLOC(run->ctx, &run->arena, run->invariant_names, plan->observe.count + 1);
    LIL_ALLOC(run->ctx, &run->arena, run->invariant_changes, plan->observe.count + 1);
    lil_run_list_invariants(run);
    run->recorder_def = (lil_recorder_def){ .path = run->output,
                                            .replace = def->replace,
                                            .channels = channels,
                                            .channel_count = count,
                                            .names = plan->names,
                                            .n = plan->n,
                                            .invariants = run->invariant_names,
                                            .invariant_count = run->invariant_count,
                                            .touches = plan->model->touches,
                                            .profile = def->profile,
                                            .warnings = &run->sim->warnings,
                                            .points = plan->draw.names,
                                            .point_count = plan->draw.count,
                                            .scene = plan->text,
                                            .overrides = plan->overrides,
                                            .variant = plan->variant ? plan->variant : "",
                                            .integrator = run->task == LIL_TASK_STATIC  ? "statics"
                                                          : run->task == LIL_TASK_MODES ? "modes"
                                                                                        : integrator,
                                            .integrator_reason = run->task ? NULL : reason,
                                            .fps = plan->settings.record.fps,
                                            .every = plan->settings.record.every,
                                            .form = plan->settings.record.form,
                                            .expected_frames = lil_frames_expected(&plan->settings),
                                            .words = words,
                                            .save = save_words,
                                            .user = run };
    for (int i = 0; i < count; i++)
        run->row_width += (size_t)(channels[i].width ? channels[i].width : 1);
    return LIL_OK;
}

lil_status lil_run_create_recorder(lil_run *run, const lil_run_def *def)
{
    LIL_TRY(define_recorder(run, def));
    lil_recorder_def *rd = &run->recorder_def;
    if (run->plan.shot || run->task) /* when it is solved, which takes long: this can be known now */
        return def->replace || lil_recorder_look(run->output) != LIL_OUTPUT_THERE
                   ? LIL_OK
                   : lil_fail(run->ctx, LIL_ERR_EXISTS, "%.200s: exists already", run->output);
    LIL_TRY(list_tables(run));
    return run->resume ? resume(run, rd) : lil_recorder_create(run->ctx, rd, &run->recorder);
}

/* ---- frames of a shot ---- */

/* The contacts of a frame that is collected, at its turn. */
struct lil_row_contacts {
    lil_touching *list;
    int count;
};

static lil_status collect_contacts(lil_run *run, struct lil_row_contacts *to)
{
    const lil_world_record *world = &run->world;
    *to = (struct lil_row_contacts){ .count = run->sim->model->impassable ? (int)world->pairs : 0 };
    LIL_ALLOC(run->ctx, &run->arena, to->list, to->count);
    if (to->count)
        memcpy(to->list, world->touching, (size_t)to->count * sizeof *to->list);
    return LIL_OK;
}

/* All of them are there: the file is made, and they are written. */
lil_status lil_run_write_rows(lil_run *run)
{
    const lil_recorder_def *rd = &run->recorder_def;
    const double **values;
    LIL_ALLOC(run->ctx, &run->arena, values, rd->channel_count);
    LIL_TRY(list_tables(run));
    LIL_TRY(lil_recorder_create(run->ctx, rd, &run->recorder));
    const double *at = run->rows;
    for (int k = 0; k < run->row_count; k++) {
        for (int i = 0; i < rd->channel_count; i++) {
            values[i] = at;
            at += rd->channels[i].width ? rd->channels[i].width : 1;
        }
        if (run->sim->model->impassable)
            LIL_TRY(lil_recorder_contacts(run->recorder, run->row_contacts[k].list, run->row_contacts[k].count));
        LIL_TRY(lil_recorder_frame(run->recorder, values));
    }
    free(run->rows);
    free(run->row_contacts);
    run->rows = NULL;
    run->row_contacts = NULL;
    return LIL_OK;
}

static lil_status collect_row(lil_run *run)
{
    const lil_recorder_def *rd = &run->recorder_def;
    int frames = run->plan.shot ? run->plan.shot->def.frames : INT_MAX;
    if (run->row_count == run->row_room) {
        int room = run->plan.shot ? frames + 1 : 2 * run->row_room + 16;
        double *rows = realloc(run->rows, (size_t)room * run->row_width * sizeof *rows);
        LIL_HAVE(run->ctx, rows);
        run->rows = rows;
        struct lil_row_contacts *contacts = realloc(run->row_contacts, (size_t)room * sizeof *contacts);
        LIL_HAVE(run->ctx, contacts);
        run->row_contacts = contacts;
        run->row_room = room;
    }
    LIL_TRY(collect_contacts(run, &run->row_contacts[run->row_count]));
    double *to = run->rows + (size_t)run->row_count++ * run->row_width;
    for (int i = 0; i < rd->channel_count; i++) {
        size_t width = (size_t)(rd->channels[i].width ? rd->channels[i].width : 1);
        memcpy(to, run->values[i], width * sizeof *to);
        to += width;
    }
    return run->row_count > frames ? lil_run_write_rows(run) : LIL_OK;
}

/* ---- frames ---- */

static void fill_ghost_force(lil_run *run)
{
    const lil_shot *shot = run->plan.shot;
    const lil_dofs *dofs = &run->plan.model->dofs;
    lil_tracks *tr = &run->tracks;
    int n = shot->problem->n;
    double *phi = dofs->free ? run->placed + n : tr->ghost_force;
    if (lil_sim_steps(run->sim) <= shot->def.frames)
        lil_shot_force(shot, (int)lil_sim_steps(run->sim), phi);
    else
        memset(phi, 0, (size_t)n * sizeof *phi);
    for (int i = 0; dofs->free && i < n; i++)
        tr->ghost_force[dofs->free[i]] = phi[i];
    tr->ghost_size = lil_norm(n, phi);
    const lil_state *x = lil_sim_state(run->sim);
    if (run->drawn_force.points)
        lil_drawn_force_find(&run->drawn_force, x->t, x->q, x->v, phi);
}

static lil_status fill_tracks(lil_run *run)
{
    double t = lil_sim_state(run->sim)->t;
    run->tracks.step = t > run->t_before ? t - run->t_before : run->plan.settings.time.step;
    LIL_TRY(lil_tracks_measure(&run->world, &run->tracks));
    return lil_world_record_frame(&run->world, run->recorder);
}

static lil_status record_frame(lil_run *run, bool by_the_rule)
{
    lil_world_record_fill(&run->world);
    if (run->output)
        LIL_TRY(fill_tracks(run));
    if (run->plan.shot)
        fill_ghost_force(run);
    if (run->plan.draw.count)
        LIL_TRY(lil_sim_evaluate(run->sim, &run->plan.draw.program, run->draw_slots, run->draw_now));
    if (run->loop.points) {
        lil_phase_loop_measure(&run->loop);
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
    if (!run->output)
        return LIL_OK;
    return run->recorder ? lil_recorder_frame(run->recorder, run->values) : collect_row(run);
}

lil_status lil_run_record_frame(lil_run *run, bool by_the_rule)
{
    lil_phase_begin(run->ctx->phases, LIL_PHASE_RECORD);
    lil_status status = record_frame(run, by_the_rule);
    lil_phase_end(run->ctx->phases);
    return status;
}
