#include "record/file/trajectory.h"

#include "record/file/checkpoint.h"
#include "record/file/motion.h"
#include "record/file/recorded_profile.h"
#include "record/file/recorded_warnings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- open ---- */

static lil_status fail(lil_trajectory *tr, const char *what)
{
    return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: %s", tr->path, what);
}

enum { ANY_WIDTH = -1 };

/* False: it is not there, or not as wide as it must be. Readers of rows rely on the width. */
static bool add_track(lil_trajectory *tr, const char *name, int width)
{
    if (tr->track_count == LIL_TRACKS_MAX)
        return false;
    lil_track *track = &tr->tracks[tr->track_count];
    track->set = H5Dopen2(tr->file, name, H5P_DEFAULT);
    if (track->set < 0)
        return false;
    tr->track_count++;
    hid_t space = H5Dget_space(track->set);
    hsize_t size[2] = { 0, 0 };
    hid_t type = H5Dget_type(track->set);
    bool ok = H5Sget_simple_extent_ndims(space) == (width ? 2 : 1) && H5Tget_class(type) == H5T_FLOAT;
    if (ok)
        H5Sget_simple_extent_dims(space, size, NULL);
    track->single = ok && H5Tget_size(type) == sizeof(float);
    H5Sclose(space);
    H5Tclose(type);
    track->name = lil_arena_copy(&tr->arena, name, strlen(name));
    track->width = width == ANY_WIDTH ? (int)size[1] : width;
    track->unit = lil_h5_read_unit(&tr->arena, track->set);
    if (tr->track_count == 1 || (int64_t)size[0] < tr->frames)
        tr->frames = (int64_t)size[0];
    return ok && track->name && size[1] == (hsize_t)track->width;
}

typedef struct visit_state {
    lil_trajectory *tr;
    const char *group;
    int width;
    bool ok;
} visit_state;

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    visit_state *state = user;
    char full[512];
    (void)group;
    (void)info;
    snprintf(full, sizeof full, "%s/%s", state->group, name);
    state->ok = add_track(state->tr, full, state->width);
    return state->ok ? 0 : -1;
}

static bool add_group(lil_trajectory *tr, const char *name, int width)
{
    visit_state state = { tr, name, width, true };
    if (H5Lexists(tr->file, name, H5P_DEFAULT) <= 0)
        return true;
    hid_t group = H5Gopen2(tr->file, name, H5P_DEFAULT);
    if (group < 0)
        return false;
    /* by name: the file keeps no other order */
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, &state);
    H5Gclose(group);
    return state.ok;
}

static bool add_tracks(lil_trajectory *tr)
{
    static const char *const state[] = { "q", "v", "p" };
    bool ok = add_track(tr, "t", 0);
    for (int i = 0; ok && i < 3; i++)
        ok = !strchr(tr->what, *state[i]) || add_track(tr, state[i], tr->n);
    ok = ok && add_track(tr, "energy", 0) && add_track(tr, "potential", 0);
    static const struct {
        const char *name;
        int width;
    } optional[] = { { "elastic", 0 },          { "dissipated", 0 },
                     { "external_work", 0 },    { "linear_momentum", 3 },
                     { "angular_momentum", 3 }, { "step", 0 },
                     { "iterations", 0 },       { "area", 0 },
                     { "violation", 0 },        { "ghost_force_norm", 0 } };
    for (size_t i = 0; ok && i < sizeof optional / sizeof optional[0]; i++)
        if (H5Lexists(tr->file, optional[i].name, H5P_DEFAULT) > 0)
            ok = add_track(tr, optional[i].name, optional[i].width);
    if (ok && H5Lexists(tr->file, "ghost_force", H5P_DEFAULT) > 0)
        ok = add_track(tr, "ghost_force", tr->n);
    return ok && add_group(tr, "force", 0) && add_group(tr, "observe", 0) && add_group(tr, "draw", 3) &&
           add_group(tr, "obstacle", 3) && add_group(tr, "obstacle_turn", 4) && add_group(tr, "ghost", 3) &&
           add_group(tr, "obstacle_points", ANY_WIDTH) && add_group(tr, "contact", 0);
}

/* Data after the newest checkpoint, left by a killed run or a full disk, is ignored. */
static bool count_frames(lil_trajectory *tr)
{
    int width;
    hid_t set = H5Dopen2(tr->file, "checkpoint", H5P_DEFAULT);
    const double *row = lil_checkpoint_newest(&tr->arena, set, INT64_MAX, &width);
    if (row && row[1] < (double)tr->frames)
        tr->frames = (int64_t)row[1];
    if (set >= 0)
        H5Dclose(set);
    return row != NULL;
}

static hid_t open_beside_writer(const char *path)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(list, LIL_READ_ATTEMPTS);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, list);
    H5Pclose(list);
    return file;
}

static lil_status open_all(lil_trajectory *tr)
{
    if (access(tr->path, R_OK) != 0)
        return fail(tr, strerror(errno));
    tr->file = H5Fopen(tr->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (tr->file < 0) /* being written now, or left so by a kill: then as a reader beside the writer */
        tr->file = open_beside_writer(tr->path);
    if (tr->file < 0)
        return fail(tr, "not a trajectory: HDF5 cannot open it");
    tr->version = lil_h5_read_string(&tr->arena, tr->file, "version");
    if (!tr->version)
        return fail(tr, "an HDF5 file, but not a Lilyan trajectory");
    if (lil_h5_read_number(tr->file, "format") > LIL_FORMAT)
        return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: written by a newer Lilyan, %.20s", tr->path, tr->version);
    tr->variant = lil_h5_read_string(&tr->arena, tr->file, "variant");
    tr->integrator = lil_h5_read_string(&tr->arena, tr->file, "integrator");
    tr->integrator_reason = lil_h5_read_string(&tr->arena, tr->file, "integrator_reason");
    tr->status = lil_h5_read_string(&tr->arena, tr->file, "status");
    const char *what = lil_h5_read_string(&tr->arena, tr->file, "record/what");
    tr->what = what ? what : "q v p";
    bool ok = tr->variant && tr->integrator && tr->status &&
              (tr->names = lil_h5_read_names(&tr->arena, tr->file, "names", &tr->n)) && add_tracks(tr) &&
              count_frames(tr);
    return ok ? LIL_OK : fail(tr, "a damaged trajectory: a required part is missing");
}

lil_status lil_trajectory_open(lil_context *ctx, const char *path, lil_trajectory **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "trajectory");
    *out = NULL;
    LIL_NEED(ctx, path, "path");
    lil_trajectory *tr = calloc(1, sizeof *tr);
    LIL_HAVE(ctx, tr);
    tr->ctx = ctx;
    tr->file = -1;
    tr->path = lil_arena_copy(&tr->arena, path, strlen(path));
    tr->tracks = LIL_NEW(&tr->arena, lil_track, LIL_TRACKS_MAX);
    lil_status status = tr->path && tr->tracks ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK) {
        lil_quiet quiet = lil_quiet_begin();
        status = open_all(tr);
        lil_quiet_end(quiet);
    }
    if (status != LIL_OK)
        lil_trajectory_destroy(&tr);
    *out = tr;
    return status;
}

void lil_trajectory_destroy(lil_trajectory **trajectory)
{
    lil_trajectory *tr = trajectory ? *trajectory : NULL;
    if (!tr)
        return;
    lil_quiet quiet = lil_quiet_begin();
    for (int i = 0; i < tr->track_count; i++)
        H5Dclose(tr->tracks[i].set);
    if (tr->file >= 0)
        H5Fclose(tr->file);
    lil_quiet_end(quiet);
    if (tr->motion)
        lil_motion_close(tr->motion);
    free(tr->motion);
    lil_text_free(&tr->description);
    lil_arena_free(&tr->arena);
    free(tr);
    *trajectory = NULL;
}

lil_status lil_track_read(lil_trajectory *tr, const lil_track *track, int64_t from, int64_t count, double *rows)
{
    lil_quiet quiet = lil_quiet_begin();
    bool ok = lil_h5_read_rows(track->set, track->width, from, count, rows);
    lil_quiet_end(quiet);
    return ok ? LIL_OK : fail(tr, "cannot be read");
}

/* -1: there is none. To be closed. */
static hid_t open_loop(const lil_trajectory *tr, hsize_t size[2])
{
    if (H5Lexists(tr->file, "loop", H5P_DEFAULT) <= 0)
        return -1;
    hid_t set = H5Dopen2(tr->file, "loop", H5P_DEFAULT), space = H5Dget_space(set);
    size[0] = size[1] = 0;
    if (H5Sget_simple_extent_ndims(space) == 2)
        H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    return set;
}

lil_status lil_loop_points(lil_trajectory *tr, int *points)
{
    hsize_t size[2], each = 2 * (hsize_t)tr->n;
    lil_quiet quiet = lil_quiet_begin();
    hid_t set = open_loop(tr, size);
    if (set >= 0)
        H5Dclose(set);
    lil_quiet_end(quiet);
    *points = set >= 0 && size[1] < 1 << 24 ? (int)(size[1] / each) : 0;
    bool whole = *points && size[1] == (hsize_t)*points * each && (int64_t)size[0] >= tr->frames;
    return set < 0 || whole ? LIL_OK : fail(tr, "a damaged trajectory: its loop is incomplete");
}

lil_status lil_loop_read(lil_trajectory *tr, int64_t frame, int points, double *row)
{
    hsize_t size[2];
    lil_quiet quiet = lil_quiet_begin();
    hid_t set = open_loop(tr, size);
    bool ok = set >= 0 && lil_h5_read_rows(set, 2 * tr->n * points, frame, 1, row);
    if (set >= 0)
        H5Dclose(set);
    lil_quiet_end(quiet);
    return ok ? LIL_OK : fail(tr, "cannot be read");
}

const lil_track *lil_track_find(const lil_trajectory *tr, const char *name)
{
    for (int i = 0; i < tr->track_count; i++)
        if (strcmp(tr->tracks[i].name, name) == 0)
            return &tr->tracks[i];
    return NULL;
}

lil_status lil_track_need(const lil_trajectory *tr, const char *name, const lil_track **track)
{
    *track = lil_track_find(tr, name);
    return *track ? LIL_OK
                  : lil_fail(tr->ctx, LIL_ERR_INPUT,
                             "%.200s: has no /%s, which this needs: it was recorded with a 'what' without %s",
                             tr->path, name, name);
}

lil_column lil_column_of(const lil_trajectory *tr, const lil_track *track, int k)
{
    static const char *const axes[] = { ".x", ".y", ".z" };
    const char *slash = strchr(track->name, '/'), *name = slash ? slash + 1 : track->name;
    if (strcmp(track->name, "q") == 0)
        return (lil_column){ "", tr->names[k], "" };
    if (strcmp(track->name, "v") == 0)
        return (lil_column){ "d", tr->names[k], "" };
    if (strcmp(track->name, "p") == 0)
        return (lil_column){ "p_", tr->names[k], "" };
    if (strcmp(track->name, "ghost_force") == 0)
        return (lil_column){ "ghost_", tr->names[k], "" };
    if (strncmp(track->name, "contact/", 8) == 0)
        return (lil_column){ "contact.", name, "" };
    if (strncmp(track->name, "force/", 6) == 0)
        return (lil_column){ "force.", name, "" };
    if (strncmp(track->name, "ghost/", 6) == 0)
        return (lil_column){ "ghost_", name, axes[k] };
    return (lil_column){ "", name, track->width == 3 ? axes[k] : "" };
}

/* ---- describe ---- */

const char *lil_trajectory_variant(const lil_trajectory *tr)
{
    return tr->variant;
}

const char *lil_trajectory_integrator(const lil_trajectory *tr)
{
    return tr->integrator;
}

const char *lil_trajectory_status(const lil_trajectory *tr)
{
    return tr->status;
}

lil_certificate lil_trajectory_certificate(lil_trajectory *tr)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_certificate certificate;
    lil_quiet quiet = lil_quiet_begin();
    for (int i = 0; i < count; i++) {
        char name[96];
        snprintf(name, sizeof name, "certificate/%s", fields[i].name);
        *(double *)((char *)&certificate + fields[i].offset) = lil_h5_read_number(tr->file, name);
    }
    lil_quiet_end(quiet);
    return certificate;
}

bool lil_trajectory_deepest(lil_trajectory *tr, lil_pair *pair)
{
    lil_arena arena = { 0 };
    lil_quiet quiet = lil_quiet_begin();
    const char *what = lil_h5_read_string(&arena, tr->file, "penetration/what");
    const char *in = lil_h5_read_string(&arena, tr->file, "penetration/in");
    lil_quiet_end(quiet);
    bool there = what && in && what[0];
    if (there) {
        snprintf(pair->what, sizeof pair->what, "%s", what);
        snprintf(pair->in, sizeof pair->in, "%s", in);
    }
    lil_arena_free(&arena);
    return there;
}

const char *lil_trajectory_warning(lil_trajectory *tr, int i)
{
    if (!tr->warnings_read) {
        lil_quiet quiet = lil_quiet_begin();
        lil_warnings_read(tr->file, &tr->warnings);
        lil_quiet_end(quiet);
        tr->warnings_read = true;
    }
    return lil_warning_at(&tr->warnings, i);
}

bool lil_trajectory_profile(lil_trajectory *tr, lil_profile *profile)
{
    lil_quiet quiet = lil_quiet_begin();
    bool there = lil_profile_read(tr->file, profile);
    lil_quiet_end(quiet);
    return there;
}

static void describe_profile(lil_trajectory *tr)
{
    lil_profile profile;
    if (!lil_trajectory_profile(tr, &profile))
        return;
    char *table = lil_profile_table(&profile);
    lil_text_add(&tr->description, "%s", table ? table : "");
    tr->description.failed = tr->description.failed || !table;
    lil_free(table);
}

static herr_t describe_invariant(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)info;
    double value = lil_h5_read_number(group, name);
    if (isfinite(value))
        lil_text_add(user, "  %-22s conserved to %.2g\n", name, value);
    return 0;
}

static void describe_certificate(lil_trajectory *tr)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_certificate certificate = lil_trajectory_certificate(tr);
    for (int i = 0; i < count; i++) {
        double value = *(const double *)((const char *)&certificate + fields[i].offset);
        if (isfinite(value))
            lil_text_add(&tr->description, "  %-22s %.10g%s%s\n", fields[i].name, value, fields[i].unit[0] ? " " : "",
                         fields[i].unit);
    }
    lil_pair pair;
    if (lil_trajectory_deepest(tr, &pair))
        lil_text_add(&tr->description, "  %-22s '%s' in '%s'%s\n", "penetration_pair", pair.what, pair.in,
                     lil_penetration_verdict(certificate.penetration_relative));
    lil_quiet quiet = lil_quiet_begin();
    hid_t group = H5Gopen2(tr->file, "certificate/invariants", H5P_DEFAULT);
    if (group >= 0) {
        H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, describe_invariant, &tr->description);
        H5Gclose(group);
    }
    lil_quiet_end(quiet);
    const char *text;
    for (int i = 0; (text = lil_trajectory_warning(tr, i)); i++)
        lil_text_add(&tr->description, "  %-22s %s\n", "warning", text);
    if (isfinite(certificate.energy_band) || isfinite(certificate.energy_dissipated))
        lil_text_add(&tr->description,
                     "  Conservation does not prove accuracy: to measure accuracy, halve the step and compare.\n");
}

const char *const lil_shot_numbers[] = {
    "key_error_max", "soft_error_max", "pose_error_max", "ghost_force_max", "ghost_share", "residual", NULL
};

static void describe_shot(lil_trajectory *tr)
{
    lil_quiet quiet = lil_quiet_begin();
    bool first = true;
    for (int i = 0; lil_shot_numbers[i]; i++) {
        char path[40];
        snprintf(path, sizeof path, "shot/%s", lil_shot_numbers[i]);
        double value = lil_h5_read_number(tr->file, path);
        if (!isfinite(value))
            continue;
        lil_text_add(&tr->description, "%s  %-22s %.10g\n", first ? "shot\n" : "", lil_shot_numbers[i], value);
        first = false;
    }
    lil_quiet_end(quiet);
}

/* Coordinates by name; of bodies ("rod.0.x") how many vertices each has. */
static double number_of(lil_trajectory *tr, const char *name)
{
    int64_t rows = 0;
    lil_arena arena = { 0 };
    const double *x = lil_h5_read_reals(&arena, tr->file, name, 1, &rows);
    double number = x && rows > 0 ? x[rows - 1] : NAN;
    lil_arena_free(&arena);
    return number;
}

/* The result of `lilyan solve` and of `lilyan modes`. */
static void describe_task(lil_trajectory *tr)
{
    lil_text *text = &tr->description;
    lil_arena arena = { 0 };
    int64_t count = 0;
    lil_quiet quiet = lil_quiet_begin();
    if (strcmp(tr->integrator, "modes") == 0) {
        const double *f = lil_h5_read_reals(&arena, tr->file, "modes/frequency", 1, &count);
        if (f && count > 0)
            lil_text_add(text, "modes        %lld, from %.10g to %.10g Hz; %g rigid modes are left out\n",
                         (long long)count, f[0], f[count - 1], number_of(tr, "modes/rigid"));
    } else if (strcmp(tr->integrator, "statics") == 0) {
        const char *stability = lil_h5_read_string(&arena, tr->file, "static/stability");
        lil_text_add(text, "statics      load factor %.6g after %g load steps, residual %.3g, %s\n",
                     number_of(tr, "static/factor"), number_of(tr, "static/steps"), number_of(tr, "static/residual"),
                     stability ? stability : "unknown");
    }
    lil_quiet_end(quiet);
    lil_arena_free(&arena);
}

static void describe_names(lil_trajectory *tr)
{
    enum { LISTED = 12 };
    int listed = 0;
    for (int i = 0, next; i < tr->n; i = next, listed++) {
        const char *dot = strchr(tr->names[i], '.');
        size_t length = dot ? (size_t)(dot - tr->names[i]) + 1 : 0;
        for (next = i + 1; dot && next < tr->n && strncmp(tr->names[next], tr->names[i], length) == 0;)
            next++;
        if (listed >= LISTED)
            continue;
        if (dot)
            lil_text_add(&tr->description, "%s %.*s (%d %s)", listed ? "," : "", (int)length - 1, tr->names[i],
                         (next - i) / 3, next - i == 3 ? "vertex" : "vertices");
        else
            lil_text_add(&tr->description, " %s", tr->names[i]);
    }
    if (listed > LISTED)
        lil_text_add(&tr->description, " ...");
}

const char *lil_trajectory_describe(lil_trajectory *tr)
{
    lil_text *text = &tr->description;
    double first = NAN, last = NAN;
    lil_text_clear(text);
    if (tr->frames > 0 && (lil_track_read(tr, &tr->tracks[0], 0, 1, &first) != LIL_OK ||
                           lil_track_read(tr, &tr->tracks[0], tr->frames - 1, 1, &last) != LIL_OK))
        return NULL;
    bool running = strcmp(tr->status, "running") == 0, killed = running && !lil_recorder_is_busy(tr->path);
    lil_text_add(text, "trajectory   %s\nwritten by   Lilyan %s\n", tr->path, tr->version);
    bool shot = lil_track_find(tr, "ghost_force") != NULL;
    lil_text_add(text, "status       %s\n",
                 !killed ? tr->status
                 : shot  ? "killed (a shot is solved as a whole: run it again)"
                         : "killed (it can be resumed)");
    if (tr->variant[0])
        lil_text_add(text, "variant      %s\n", tr->variant);
    lil_text_add(text, "integrator   %s%s%s\ncoordinates  %d:", tr->integrator, tr->integrator_reason ? ": " : "",
                 tr->integrator_reason ? tr->integrator_reason : "", tr->n);
    describe_names(tr);
    lil_text_add(text, "\nframes       %lld", (long long)tr->frames);
    if (tr->frames > 0)
        lil_text_add(text,
                     strcmp(tr->integrator, "modes") == 0     ? ", t = %.10g to %.10g: mode 1 from 0 to 1"
                     : strcmp(tr->integrator, "statics") == 0 ? ", load factor %.10g to %.10g"
                                                              : ", t = %.10g to %.10g s",
                     first, last);
    lil_text_add(text, "\nrecorded    ");
    for (int i = 0; i < tr->track_count; i++)
        lil_text_add(text, " %s%s", tr->tracks[i].name, tr->tracks[i].single ? " (float)" : "");
    lil_text_add(text, "\n");
    describe_shot(tr);
    describe_task(tr);
    lil_text_add(text, "certificate\n");
    describe_certificate(tr);
    describe_profile(tr);
    return text->failed ? NULL : text->data;
}
