/* A trajectory file of any Sim, also of one whose model comes from callbacks, and of a shot. */
#include "keyframes/shot.h"
#include "math/vector.h"
#include "record/file/tracks.h"
#include "record/file/world_record.h"
#include "sim/checkpoint.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lil_recording {
    lil_context *ctx;
    lil_arena arena;
    lil_sim *sim;
    lil_shot *shot; /* whose frames are placed in the Sim; NULL: it is stepped */
    int shot_frame;
    lil_recorder *recorder;
    lil_tracks tracks;
    lil_world_record world;
    const char *path;
    lil_recording_fn *look;
    void *user;
    double *observed, *places;
    const double **values; /* of the recorder's channels */
    int channel_count;
    int64_t every, frames, last_step; /* last_step: at the latest frame */
    double last_t;
    bool failed, finished; /* failed: a frame could not be taken */
};

lil_recording_def lil_recording_def_default(void)
{
    return (lil_recording_def){ .every = 1 };
}

/* ---- create ---- */

/* Names become those of datasets. */
static lil_status check_names(lil_context *ctx, const char *what, const char *const *names, int count)
{
    if (count < 0 || (count && !names))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_recording_create: 'def->%s' has %d names%s", what, count,
                        names ? "" : ", but is NULL");
    for (int i = 0; i < count; i++) {
        bool good = names[i] && (isalpha((unsigned char)names[i][0]) || names[i][0] == '_');
        for (const char *c = names[i]; good && *c; c++)
            good = isalnum((unsigned char)*c) || *c == '_' || *c == '-';
        if (!good)
            return lil_fail(ctx, LIL_ERR_ARGUMENT,
                            "lil_recording_create: def->%s[%d] is '%.60s': a name has letters, digits, _ and -, and "
                            "begins with a letter",
                            what, i, names[i] ? names[i] : "NULL");
        for (int k = 0; k < i; k++)
            if (strcmp(names[k], names[i]) == 0)
                return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_recording_create: def->%s has '%.60s' twice", what,
                                names[i]);
    }
    return LIL_OK;
}

static lil_status check_form(lil_context *ctx, const lil_recording_def *def)
{
    const char *what = def->what ? def->what : "";
    for (const char *c = what; *c; c++)
        if (!strchr("qvp", *c) || strchr(c + 1, *c))
            return lil_fail(ctx, LIL_ERR_ARGUMENT,
                            "lil_recording_create: 'def->what' is '%.60s': it has some of the letters q, v and p",
                            what);
    if (def->compress < 0 || def->compress > 9)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_recording_create: 'def->compress' is %d, not 0 to 9",
                        def->compress);
    return LIL_OK;
}

static lil_frame_form form_of(const lil_recording_def *def)
{
    const char *what = def->what ? def->what : "qvp";
    return (lil_frame_form){ .q = strchr(what, 'q'),
                             .v = strchr(what, 'v'),
                             .p = strchr(what, 'p'),
                             .precision = def->single ? LIL_PRECISION_FLOAT : LIL_PRECISION_DOUBLE,
                             .compress = def->compress };
}

static lil_status check_def(lil_context *ctx, const lil_sim *sim, const lil_recording_def *def)
{
    LIL_TRY(check_names(ctx, "observe", def->observe, def->observe_count));
    LIL_TRY(check_names(ctx, "points", def->points, def->point_count));
    LIL_TRY(check_form(ctx, def));
    if ((def->observe_count || def->point_count) && !def->look)
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "lil_recording_create: 'def->look' is NULL, but it must fill in what is observed or drawn");
    if (def->every < 0)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_recording_create: 'def->every' is %lld, not 0 or more",
                        (long long)def->every);
    if (def->up && def->up != 'y' && def->up != 'z')
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_recording_create: 'def->up' is y or z, not '%c'", def->up);
    if (def->link_count < 0 || (def->link_count && !def->links))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_recording_create: 'def->links' has %d pairs%s", def->link_count,
                        def->links ? "" : ", but is NULL");
    for (int i = 0; i < 2 * def->link_count; i++)
        if (def->links[i] < -1 || def->links[i] >= def->point_count)
            return lil_fail(ctx, LIL_ERR_ARGUMENT,
                            "lil_recording_create: def->links[%d] is %d, but there are %d points", i, def->links[i],
                            def->point_count);
    if (def->every && sim->taken)
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "lil_recording_create: another recording records the steps of this Sim already; with "
                        "def->every = 0 only lil_recording_frame records frames");
    return LIL_OK;
}

static lil_status list_channels(lil_recording *r, const lil_recording_def *def, lil_channel *channels)
{
    LIL_TRY(lil_tracks_list(&r->tracks, &r->world, channels, r->values, &r->channel_count));
    for (int i = 0; i < def->observe_count; i++)
        LIL_TRY(lil_track_add(&r->world, "observe", def->observe[i], 0, r->observed + i, channels, r->values,
                              &r->channel_count));
    for (int i = 0; i < def->point_count; i++)
        LIL_TRY(lil_track_add(&r->world, "draw", def->points[i], 3, r->places + 3 * i, channels, r->values,
                              &r->channel_count));
    return lil_world_record_channels(&r->world, channels, r->values, &r->channel_count);
}

static void save_words(void *user, double *words)
{
    lil_sim_checkpoint_save(((lil_recording *)user)->sim, words);
}

/* Frames are recorded at the steps, whichever function takes them. */
static lil_status on_step(void *user, double h)
{
    lil_recording *r = user;
    (void)h;
    return lil_sim_steps(r->sim) % r->every == 0 ? lil_recording_frame(r) : LIL_OK;
}

static lil_status measure_ghost(lil_recording *r)
{
    lil_shot_frame frame;
    LIL_TRY(lil_shot_frame_at(r->shot, r->shot_frame, &frame));
    memcpy(r->tracks.ghost_force, frame.ghost_force, (size_t)frame.n * sizeof *frame.ghost_force);
    r->tracks.ghost_size = lil_norm(frame.n, frame.ghost_force);
    return LIL_OK;
}

/* All that a frame has, except what the Sim itself lends. */
static lil_status measure(lil_recording *r)
{
    if (r->shot)
        LIL_TRY(measure_ghost(r));
    const lil_state *x = &r->sim->state;
    lil_world_record_fill(&r->world);
    LIL_TRY(lil_tracks_measure(&r->world, &r->tracks));
    if (r->look && !r->look(r->user, x, r->observed, r->places))
        return lil_fail(r->ctx, LIL_ERR_INTERRUPTED, "the recording's callback 'look' refused at t = %.9g", x->t);
    return LIL_OK;
}

static lil_status write_frame(lil_recording *r)
{
    LIL_TRY(lil_world_record_frame(&r->world, r->recorder));
    LIL_TRY(lil_recorder_frame(r->recorder, r->values));
    r->frames++;
    r->last_step = lil_sim_steps(r->sim);
    r->last_t = r->sim->state.t;
    return LIL_OK;
}

static lil_status create(lil_recording *r, const lil_recording_def *def)
{
    const lil_model *model = r->sim->model;
    const char *reason, *integrator = lil_sim_integrator(r->sim, &reason);
    int words;
    LIL_TRY(lil_sim_checkpoint_words(r->sim, &words));
    LIL_TRY(lil_world_record_begin(r->ctx, &r->arena, r->sim, &r->world));
    const lil_world *w = r->world.world;
    int most =
        lil_tracks_max(r->sim) + lil_world_record_channels_max(&r->world) + def->observe_count + def->point_count;
    lil_channel *channels = LIL_NEW(&r->arena, lil_channel, most);
    r->values = LIL_NEW(&r->arena, const double *, most);
    r->observed = LIL_NEW(&r->arena, double, def->observe_count);
    r->places = LIL_NEW(&r->arena, double, 3 * (size_t)def->point_count);
    r->tracks.ghost_force = r->shot ? LIL_NEW(&r->arena, double, r->world.n) : NULL;
    r->path = lil_arena_copy(&r->arena, def->path, strlen(def->path));
    if (!channels || !r->values || !r->observed || !r->places || (r->shot && !r->tracks.ghost_force) || !r->path)
        return lil_fail_memory(r->ctx);
    r->tracks.form = form_of(def);
    LIL_TRY(list_channels(r, def, channels));
    lil_recorder_def rd = { .path = def->path,
                            .replace = def->replace,
                            .channels = channels,
                            .channel_count = r->channel_count,
                            .names = w ? w->names : model->names,
                            .n = r->world.n,
                            .touches = model->touches,
                            .profile = r->shot ? r->shot->measured : r->sim->measured,
                            .warnings = &r->sim->warnings,
                            .points = def->points,
                            .point_count = def->point_count,
                            .scene = "",
                            .overrides = "",
                            .variant = "",
                            .integrator = integrator,
                            .integrator_reason = reason,
                            .every = def->every ? (double)def->every : 1,
                            .form = r->tracks.form,
                            .expected_frames = 1000,
                            .words = words,
                            .save = save_words,
                            .user = r };
    LIL_TRY(lil_record_tables(&r->world, r->shot, def->links, def->link_count, def->up, &rd));
    if (def->every) /* before there is a file: where this fails none is made or replaced */
        LIL_TRY(measure(r));
    LIL_TRY(lil_recorder_create(r->ctx, &rd, &r->recorder));
    if (!def->every)
        return LIL_OK;
    LIL_TRY(write_frame(r));
    r->sim->taken = on_step;
    r->sim->taken_user = r;
    return LIL_OK;
}

static lil_status make(lil_context *ctx, lil_sim *sim, lil_shot *shot, const lil_recording_def *def,
                       lil_recording **out)
{
    LIL_TRY(check_def(ctx, sim, def));
    lil_recording *r = calloc(1, sizeof *r);
    LIL_HAVE(ctx, r);
    *r = (lil_recording){
        .ctx = ctx, .sim = sim, .shot = shot, .look = def->look, .user = def->user, .every = def->every
    };
    lil_status status = create(r, def);
    if (status != LIL_OK)
        lil_recording_destroy(&r);
    *out = r;
    return status;
}

lil_status lil_recording_create(lil_context *ctx, lil_sim *sim, const lil_recording_def *def, lil_recording **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "recording");
    *out = NULL;
    LIL_NEED(ctx, sim, "sim");
    LIL_NEED(ctx, def, "def");
    LIL_NEED(ctx, def->path, "def->path");
    return make(ctx, sim, NULL, def, out);
}

void lil_recording_destroy(lil_recording **recording)
{
    lil_recording *r = recording ? *recording : NULL;
    if (!r)
        return;
    if (r->every && r->sim->taken_user == r) {
        r->sim->taken = NULL;
        r->sim->taken_user = NULL;
    }
    lil_recorder_destroy(&r->recorder);
    lil_arena_free(&r->arena);
    free(r);
    *recording = NULL;
}

/* ---- frames ---- */

lil_status lil_recording_frame(lil_recording *r)
{
    LIL_NEED(NULL, r, "recording");
    const lil_state *x = &r->sim->state;
    if (r->finished)
        return lil_fail(r->ctx, LIL_ERR_ARGUMENT, "lil_recording_frame: the recording is finished");
    if (r->frames && !(x->t > r->last_t))
        return lil_fail(r->ctx, LIL_ERR_ARGUMENT,
                        "lil_recording_frame: t = %.9g is not after the latest frame, at %.9g", x->t, r->last_t);
    lil_phase_begin(r->sim->ctx->phases, LIL_PHASE_RECORD);
    lil_status status = measure(r);
    if (status == LIL_OK)
        status = write_frame(r);
    lil_phase_end(r->sim->ctx->phases);
    r->failed = status != LIL_OK;
    return status;
}

int64_t lil_recording_frames(const lil_recording *r)
{
    return r->frames;
}

lil_status lil_recording_finish(lil_recording *r, const char *ended)
{
    LIL_NEED(NULL, r, "recording");
    if (r->finished)
        return LIL_OK;
    if (r->every && !r->failed && r->last_step != lil_sim_steps(r->sim))
        LIL_TRY(lil_recording_frame(r));
    r->finished = true;
    if (r->every) {
        r->sim->taken = NULL;
        r->sim->taken_user = NULL;
    }
    LIL_TRY(lil_world_record_look(&r->world, r->recorder, r->path));
    lil_certificate certificate = lil_sim_certificate(r->sim);
    lil_pair deepest;
    lil_profile profile = r->shot ? lil_shot_profile(r->shot) : lil_sim_profile(r->sim);
    bool measured = r->shot ? r->shot->measured : r->sim->measured;
    return lil_recorder_finish(r->recorder, &certificate, NULL, lil_sim_deepest(r->sim, &deepest) ? &deepest : NULL,
                               measured ? &profile : NULL, ended ? ended : "complete");
}

/* ---- shots ---- */

/* A Sim at the first frame. */
static lil_status create_sim(lil_shot *shot, lil_sim **sim)
{
    lil_problem *problem = shot->problem;
    const double *v = shot->keys[0].v;
    size_t size = (size_t)problem->n * sizeof *v;
    lil_sim_part part;
    lil_sim_def def = lil_sim_def_default();
    lil_problem_momentum(problem, 0, shot->p);
    memset(shot->v, 0, size);
    if (v)
        memcpy(shot->v, v, size);
    LIL_TRY(lil_evaluate_velocity(&problem->ev, problem->t[0], problem->q, shot->p, shot->v));
    def.integrator = shot->integrator;
    def.step = problem->h;
    def.start = problem->t[0];
    def.q = problem->q;
    def.v = shot->v;
    return lil_sim_make(shot->ctx, shot->model, &def, LIL_SIM_DIRECTED, &part, sim);
}

static lil_status play(lil_recording *r)
{
    lil_problem *problem = r->shot->problem;
    for (int k = 1; k <= problem->N; k++) {
        lil_problem_momentum(problem, k, r->shot->p);
        LIL_TRY(lil_sim_place(r->sim, problem->t[k], problem->q + (size_t)k * (size_t)problem->n, r->shot->p));
        r->shot_frame = k;
        if (k % r->every == 0 || k == problem->N)
            LIL_TRY(lil_recording_frame(r));
    }
    return LIL_OK;
}

static lil_status record(lil_shot *shot, lil_sim *sim, const lil_recording_def *def)
{
    lil_recording *r = NULL;
    char ended[LIL_STATUS_MAX] = "complete";
    lil_recording_def own = *def;
    own.every = def->every ? def->every : 1;
    LIL_TRY(make(shot->ctx, sim, shot, &own, &r));
    lil_status status = play(r);
    if (status != LIL_OK || lil_shot_check_converged(shot) != LIL_OK)
        snprintf(ended, sizeof ended, "failed: %.240s", shot->ctx->message);
    else if (shot->problem->interrupted)
        snprintf(ended, sizeof ended, "interrupted: after iteration %d, at cost %.6g", shot->problem->iterations,
                 shot->problem->now.C);
    r->failed = status != LIL_OK;
    lil_status written = lil_recording_finish(r, ended);
    lil_recording_destroy(&r);
    return status != LIL_OK ? status : written;
}

lil_status lil_shot_record(lil_shot *shot, const lil_recording_def *def)
{
    lil_sim *sim = NULL;
    LIL_NEED(NULL, shot, "shot");
    LIL_NEED(shot->ctx, def, "def");
    LIL_NEED(shot->ctx, def->path, "def->path");
    if (!shot->solved)
        return lil_fail(shot->ctx, LIL_ERR_ARGUMENT, "lil_shot_record: the shot has not been solved");
    LIL_TRY(create_sim(shot, &sim));
    lil_status status = record(shot, sim, def);
    lil_sim_destroy(&sim);
    return status;
}
