#define _GNU_SOURCE /* memfd_create, open file description locks */
#include "record/file/recorder.h"

#include "core/file.h"
#include "record/file/checkpoint.h"
#include "record/file/contacts.h"
#include "record/file/recorded_profile.h"
#include "record/file/recorded_warnings.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 22, ROWS_MAX = 8192, CLOCK_ROWS = 16 };

/* Readers see frames from the next checkpoint on. It is due after so long; where the buffer is full, already after so
 * many times as long as the last one took. */
static const double WRITE_SECONDS = 0.5, CHECKPOINT_INTERVAL = 100;

typedef struct channel {
    const char *name, *unit; /* "": none */
    lil_h5_rows form;
    hid_t set;
    void *rows; /* waiting to be written: double or float */
} channel;

struct lil_recorder {
    lil_context *ctx;
    lil_arena arena;
    const char *path;
    hid_t file, checkpoint;
    int lock; /* descriptor that holds the lock; -1: none */
    channel *channels;
    int channel_count;
    int64_t written; /* frames in the file */
    int waiting, capacity;
    hsize_t batch_bytes;                     /* that one batch can take in the file, amply */
    double last_checkpoint, checkpoint_cost; /* when it was, and how long it took, s */
    int words;
    double *row; /* of a checkpoint: count, frames, words, two halves of the hash */
    double checkpoints;
    void (*save)(void *user, double *words);
    void *user;
    const char **invariants;
    int invariant_count;
    bool touches;
    lil_warnings *warnings; /* borrowed */
    lil_contact_writer contacts;
    double contact_end; /* the last channel's value: contacts up to and with the latest frame */
    bool has_contacts;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lil_status fail_write(lil_recorder *r)
{
    return lil_fail(r->ctx, LIL_ERR_FILE, "%.200s: cannot be written: %s", r->path,
                    errno ? strerror(errno) : "HDF5 refused");
}

/* ---- one run at a time: a lock that the system drops with the process ---- */

static bool lock_file(int descriptor)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(descriptor, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool lil_recorder_is_busy(const char *path)
{
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    bool busy = descriptor >= 0 && !lock_file(descriptor);
    if (descriptor >= 0)
        close(descriptor);
    return busy;
}

static bool take_lock(lil_recorder *r, const char *path, int create)
{
    r->lock = open(path, O_RDWR | O_CLOEXEC | create, 0666);
    return r->lock >= 0 && lock_file(r->lock);
}

static lil_status fail_busy(lil_recorder *r)
{
    return lil_fail(r->ctx, LIL_ERR_FILE, "%.200s: another run is writing to it", r->path);
}

/* ---- closing ---- */

static bool close_file(lil_recorder *r)
{
    bool ok = true;
    for (int i = 0; i < r->channel_count; i++)
        if (r->channels[i].set >= 0) {
            ok = H5Dclose(r->channels[i].set) >= 0 && ok;
            r->channels[i].set = -1;
        }
    ok = lil_contacts_close(&r->contacts) && ok;
    if (r->checkpoint >= 0)
        ok = H5Dclose(r->checkpoint) >= 0 && ok;
    if (r->file >= 0)
        ok = H5Fclose(r->file) >= 0 && ok;
    if (r->lock >= 0)
        close(r->lock);
    r->file = r->checkpoint = -1;
    r->lock = -1;
    return ok;
}

/* After a failed write (a full disk) HDF5 would try again when the file is closed, fail, and keep it open until
 * the program ends with complaints of its own: from here on its writes go to unused memory. The file stays as the
 * last good write left it. */
static void abandon_file(lil_recorder *r)
{
    void *handle = NULL;
    if (r->file < 0)
        return;
    int nowhere = memfd_create("lilyan", 0);
    if (nowhere >= 0 && H5Fget_vfd_handle(r->file, H5P_DEFAULT, &handle) >= 0 && handle)
        dup2(nowhere, *(int *)handle);
    if (nowhere >= 0)
        close(nowhere);
    close_file(r);
}

static bool write_checkpoint(lil_recorder *r)
{
    int width = lil_checkpoint_width(r->words);
    double start = seconds();
    r->row[0] = ++r->checkpoints;
    r->row[1] = (double)r->written;
    r->save(r->user, r->row + 2);
    lil_checkpoint_seal(r->row, width);
    bool ok = lil_checkpoint_write(r->checkpoint, width, r->row);
    r->last_checkpoint = seconds();
    r->checkpoint_cost = r->last_checkpoint - start;
    return ok;
}

static bool checkpoint_is_due(const lil_recorder *r, bool full)
{
    double interval = full ? fmin(WRITE_SECONDS, CHECKPOINT_INTERVAL * r->checkpoint_cost) : WRITE_SECONDS;
    return seconds() - r->last_checkpoint > interval;
}

/* ---- create ---- */

static lil_h5_rows form_of(const lil_recorder_def *def, const lil_channel *c)
{
    bool state = strcmp(c->name, "q") == 0 || strcmp(c->name, "v") == 0 || strcmp(c->name, "p") == 0 ||
                 strncmp(c->name, "obstacle_points/", 16) == 0;
    return (lil_h5_rows){ .width = c->width,
                          .single = state && def->form.precision == LIL_PRECISION_FLOAT,
                          .compress = def->form.compress };
}

static bool add_channel(lil_recorder *r, const lil_recorder_def *def, const lil_channel *from)
{
    channel *c = &r->channels[r->channel_count++];
    c->form = form_of(def, from);
    c->name = lil_arena_copy(&r->arena, from->name, strlen(from->name));
    c->unit = from->unit ? lil_arena_copy(&r->arena, from->unit, strlen(from->unit)) : "";
    c->rows = lil_arena_alloc(&r->arena, (size_t)r->capacity, lil_h5_row_bytes(&c->form));
    c->set = -1;
    return c->name && c->unit && c->rows;
}

static lil_status allocate(lil_recorder *r, const lil_recorder_def *def)
{
    size_t row = sizeof(double), chunks = 0;
    r->path = lil_arena_copy(&r->arena, def->path, strlen(def->path));
    r->channels = LIL_NEW(&r->arena, channel, def->channel_count + 1);
    r->words = def->words;
    r->row = LIL_NEW(&r->arena, double, lil_checkpoint_width(r->words));
    LIL_HAVE(r->ctx, r->path && r->channels && r->row);
    LIL_ALLOC(r->ctx, &r->arena, r->invariants, def->invariant_count);
    for (int i = 0; i < def->invariant_count; i++, r->invariant_count++)
        LIL_HAVE(r->ctx,
                 r->invariants[i] = lil_arena_copy(&r->arena, def->invariants[i], strlen(def->invariants[i])));
    for (int i = 0; i < def->channel_count; i++) {
        lil_h5_rows form = form_of(def, &def->channels[i]);
        row += lil_h5_row_bytes(&form);
        chunks += lil_h5_chunk_bytes(&form, def->expected_frames);
    }
    size_t rows = lil_h5_power_of_two(BUFFER_BYTES / row);
    r->capacity = rows > ROWS_MAX ? ROWS_MAX : (int)rows;
    r->batch_bytes =
        2 * ((hsize_t)r->capacity * row + 2 * (hsize_t)chunks) + (r->has_contacts ? 2 * LIL_CONTACT_BYTES : 0);
    for (int i = 0; i < def->channel_count; i++)
        LIL_HAVE(r->ctx, add_channel(r, def, &def->channels[i]));
    if (r->has_contacts && !add_channel(r, def, &(lil_channel){ .name = "contacts/end" }))
        return lil_fail_memory(r->ctx);
    return LIL_OK;
}

static lil_recorder *new_recorder(lil_context *ctx, const lil_recorder_def *def)
{
    lil_recorder *r = calloc(1, sizeof *r);
    if (!r) {
        lil_fail_memory(ctx);
        return NULL;
    }
    r->ctx = ctx;
    r->file = r->checkpoint = -1;
    r->lock = -1;
    r->last_checkpoint = seconds();
    r->save = def->save;
    r->user = def->user;
    r->touches = def->touches;
    r->warnings = def->warnings;
    r->has_contacts = def->part_count > 0;
    for (int i = 0; i < LIL_CONTACT_SETS; i++)
        r->contacts.sets[i] = -1;
    if (allocate(r, def) != LIL_OK)
        lil_recorder_destroy(&r);
    return r;
}

/* NULL: not known yet */
static bool write_invariants(lil_recorder *r, const double *values)
{
    bool ok = true;
    for (int i = 0; ok && i < r->invariant_count; i++) {
        char name[128];
        snprintf(name, sizeof name, "certificate/invariants/%.80s", r->invariants[i]);
        ok = lil_h5_write_number(r->file, name, values ? values[i] : NAN);
    }
    return ok;
}

static bool write_certificate(hid_t file, const lil_certificate *certificate)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        char name[96];
        snprintf(name, sizeof name, "certificate/%s", fields[i].name);
        const double *value = certificate ? (const double *)((const char *)certificate + fields[i].offset) : NULL;
        ok = ok && lil_h5_write_number(file, name, value ? *value : NAN);
    }
    return ok;
}

/* NULL: none, or not known yet */
static bool write_deepest(hid_t file, const lil_pair *pair)
{
    size_t room = sizeof pair->what - 1;
    return lil_h5_write_string(file, "penetration/what", pair ? pair->what : "", room) &&
           lil_h5_write_string(file, "penetration/in", pair ? pair->in : "", room);
}

static bool write_texts(hid_t file, const lil_recorder_def *def)
{
    return lil_h5_write_string(file, "scene", def->scene, strlen(def->scene)) &&
           lil_h5_write_string(file, "overrides", def->overrides, strlen(def->overrides)) &&
           lil_h5_write_string(file, "variant", def->variant, strlen(def->variant)) &&
           lil_h5_write_string(file, "integrator", def->integrator, strlen(def->integrator)) &&
           (!def->integrator_reason ||
            lil_h5_write_string(file, "integrator_reason", def->integrator_reason, strlen(def->integrator_reason))) &&
           lil_h5_write_string(file, "version", lil_version(), strlen(lil_version())) &&
           lil_h5_write_string(file, "status", "running", LIL_STATUS_MAX);
}

static bool write_tables(hid_t file, const lil_recorder_def *def)
{
    bool ok = true;
    for (int i = 0; ok && i < def->table_count; i++) {
        const lil_table *t = &def->tables[i];
        ok = lil_h5_write_table(file, t->name, t->rows, t->width, t->reals, t->wholes);
    }
    for (int i = 0; ok && i < def->label_count; i++)
        ok = lil_h5_write_string(file, def->labels[i].name, def->labels[i].text, strlen(def->labels[i].text));
    return ok;
}

/* Without it a file that lacks q, v or p is damaged. */
static bool write_what(hid_t file, const lil_frame_form *form)
{
    char text[8];
    snprintf(text, sizeof text, "%s%s%s", form->q ? "q " : "", form->v ? "v " : "", form->p ? "p " : "");
    if (*text)
        text[strlen(text) - 1] = 0;
    return (form->q && form->v && form->p) || lil_h5_write_string(file, "record/what", text, strlen(text));
}

static bool create_all(lil_recorder *r, const lil_recorder_def *def)
{
    bool ok = true;
    for (int i = 0; ok && i < r->channel_count; i++) {
        channel *c = &r->channels[i];
        c->set = lil_h5_create_rows(r->file, c->name, &c->form, def->expected_frames);
        ok = c->set >= 0 && (!c->unit[0] || lil_h5_write_unit(c->set, c->unit));
    }
    r->checkpoint = ok ? lil_checkpoint_create(r->file, r->words) : -1;
    ok = ok && (!r->has_contacts || (lil_contacts_create(r->file, &r->contacts) &&
                                     lil_h5_write_names(r->file, "contacts/names", def->parts, def->part_count)));
    return ok && r->checkpoint >= 0 && lil_h5_write_names(r->file, "names", def->names, def->n) &&
           lil_h5_write_names(r->file, "points", def->points, def->point_count) && write_certificate(r->file, NULL) &&
           write_invariants(r, NULL) && (!r->touches || write_deepest(r->file, NULL)) &&
           (!def->profile || lil_profile_write(r->file, NULL)) && lil_warnings_create(r->file, def->warnings) &&
           write_texts(r->file, def) && write_tables(r->file, def) &&
           lil_h5_write_number(r->file, "format", LIL_FORMAT) &&
           lil_h5_write_number(r->file, "record/fps", def->fps) &&
           lil_h5_write_number(r->file, "record/every", def->every) && write_what(r->file, &def->form);
}

/* Single writer, multiple readers: needs the newest file format. */
static hid_t access_list(bool clear_flags)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    hbool_t clear = clear_flags; /* a killed run leaves the file marked as being written */
    if (list >= 0) {
        H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        lil_h5_align(list);
    }
    if (list >= 0 && clear_flags) {
        H5Pset(list, "clear_status_flags", &clear);
        H5Pset_metadata_read_attempts(list, LIL_READ_ATTEMPTS);
    }
    return list;
}

/* The beginning of a file, whole, gets its name. */
static lil_status write_beginning(lil_recorder *r, const lil_recorder_def *def, lil_new_file *to)
{
    if (access(to->target, F_OK) == 0 && lil_recorder_is_busy(to->target))
        return fail_busy(r);
    errno = 0;
    /* before HDF5 truncates it: another run may be about to give it its name. What a killed one left is written
     * over. */
    if (!take_lock(r, to->part, O_CREAT)) {
        lil_status status = r->lock < 0 ? fail_write(r) : fail_busy(r);
        free(to->part); /* it is not ours to remove */
        to->part = NULL;
        return status;
    }
    hid_t list = access_list(false);
    r->file = H5Fcreate(to->part, H5F_ACC_TRUNC, H5P_DEFAULT, list);
    H5Pclose(list);
    bool ok = r->file >= 0 && create_all(r, def) && write_checkpoint(r) && H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0 &&
              H5Fstart_swmr_write(r->file) >= 0;
    return ok ? lil_new_file_name(to) : fail_write(r);
}

static lil_status create_file(lil_recorder *r, const lil_recorder_def *def)
{
    lil_new_file to;
    lil_status status = lil_new_file_begin(r->ctx, def->path, def->replace, false, &to);
    if (status == LIL_OK)
        status = write_beginning(r, def, &to);
    lil_new_file_end(&to);
    if (status != LIL_OK)
        abandon_file(r);
    return status;
}

lil_status lil_recorder_create(lil_context *ctx, const lil_recorder_def *def, lil_recorder **out)
{
    lil_recorder *r = *out = new_recorder(ctx, def);
    if (!r)
        return LIL_ERR_MEMORY;
    lil_quiet quiet = lil_quiet_begin();
    lil_status status = create_file(r, def);
    lil_quiet_end(quiet);
    if (status != LIL_OK)
        lil_recorder_destroy(out);
    return status;
}

/* ---- resume ---- */

lil_output lil_recorder_look(const char *path)
{
    size_t room = strlen(path) + sizeof ".part";
    char *part = malloc(room);
    bool missing = access(path, F_OK) != 0 && errno == ENOENT;
    if (part)
        snprintf(part, room, "%s.part", path);
    bool begun = part && access(part, F_OK) == 0;
    free(part);
    return !missing ? LIL_OUTPUT_THERE : begun ? LIL_OUTPUT_BEGUN : LIL_OUTPUT_NONE;
}

static lil_status fail_resume(lil_recorder *r, const char *why)
{
    return lil_fail(r->ctx, LIL_ERR_FILE, "%.200s: cannot be resumed: %s", r->path, why);
}

/* "time.until=..." may differ: a finished run can be made longer */
static void without_until(const char *from, char *to)
{
    while (*from) {
        size_t length = strcspn(from, "\n");
        length += from[length] == '\n';
        if (strncmp(from, "time.until=", 11) != 0) {
            memcpy(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = 0;
}

static lil_status check_same(lil_recorder *r, const lil_recorder_def *def)
{
    const char *version = lil_h5_read_string(&r->arena, r->file, "version");
    const char *scene = lil_h5_read_string(&r->arena, r->file, "scene");
    const char *overrides = lil_h5_read_string(&r->arena, r->file, "overrides");
    const char *variant = lil_h5_read_string(&r->arena, r->file, "variant");
    const char *integrator = lil_h5_read_string(&r->arena, r->file, "integrator");
    double format = lil_h5_read_number(r->file, "format");
    if (!version || !scene || !overrides || !variant || !integrator || isnan(format))
        return fail_resume(r, "it is not a Lilyan trajectory, or it is damaged");
    if (format > LIL_FORMAT)
        return lil_fail(r->ctx, LIL_ERR_FILE, "%.200s: written by a newer Lilyan, %.20s", r->path, version);
    char *old = LIL_NEW(&r->arena, char, strlen(overrides) + 1),
         *new = LIL_NEW(&r->arena, char, strlen(def->overrides) + 1);
    LIL_HAVE(r->ctx, old && new);
    without_until(overrides, old);
    without_until(def->overrides, new);
    if (strcmp(scene, def->scene) != 0)
        return fail_resume(r, "the scene has changed since");
    if (strcmp(old, new) != 0)
        return fail_resume(r, "it was run with other overrides");
    for (int i = 0; i < def->table_count; i++) {
        const lil_table *t = &def->tables[i];
        if (!lil_h5_same_table(r->file, t->name, t->rows, t->width, t->reals, t->wholes))
            return fail_resume(r, "a mesh or an animation has changed since");
    }
    if (strcmp(variant, def->variant) != 0)
        return fail_resume(r, "it is another variant");
    if (strcmp(integrator, def->integrator) != 0) /* another version had another default */
        return lil_fail(r->ctx, LIL_ERR_FILE,
                        "%.200s: cannot be resumed: Lilyan %.20s recorded it with %.60s, but now the scene has %.60s",
                        r->path, version, integrator, def->integrator);
    return LIL_OK;
}

/* Opens the tracks; how many frames all of them have. */
static bool open_channels(lil_recorder *r, int64_t *frames)
{
    bool ok = true;
    *frames = INT64_MAX;
    for (int i = 0; ok && i < r->channel_count; i++) {
        channel *c = &r->channels[i];
        c->set = lil_h5_open_rows(r->file, c->name, &c->form);
        ok = c->set >= 0;
        int64_t rows = ok ? lil_h5_row_count(c->set) : 0;
        *frames = rows < *frames ? rows : *frames;
    }
    return ok;
}

/* Contacts after those of the first `frames` frames are written over. */
static bool find_contacts(lil_recorder *r, int64_t frames)
{
    r->contact_end = 0;
    if (!r->has_contacts)
        return true;
    bool ok =
        frames == 0 || lil_h5_read_rows(r->channels[r->channel_count - 1].set, 0, frames - 1, 1, &r->contact_end);
    for (int i = 0; ok && i < LIL_CONTACT_SETS; i++)
        ok = r->contact_end >= 0 && (double)lil_h5_row_count(r->contacts.sets[i]) >= r->contact_end;
    r->contacts.written = ok ? (int64_t)r->contact_end : 0;
    return ok;
}

static bool find_checkpoint(lil_recorder *r, int64_t frames, lil_resume *found)
{
    int width;
    r->checkpoint = H5Dopen2(r->file, "checkpoint", H5P_DEFAULT);
    const double *row = lil_checkpoint_newest(&r->arena, r->checkpoint, frames, &width);
    if (!row || width != lil_checkpoint_width(r->words))
        return false;
    r->checkpoints = row[0];
    found->frames = (int64_t)row[1];
    memcpy(found->words, row + 2, (size_t)r->words * sizeof *found->words);
    return true;
}

static const char *old_status(lil_recorder *r)
{
    const char *status = lil_h5_read_string(&r->arena, r->file, "status");
    return status ? status : "";
}

static lil_status resume_file(lil_recorder *r, const lil_recorder_def *def, lil_resume *found)
{
    int64_t frames;
    errno = 0;
    if (!take_lock(r, def->path, 0))
        return r->lock < 0 ? fail_write(r) : fail_busy(r);
    if (H5Fis_hdf5(def->path) <= 0) /* opened for writing, an empty file would become one */
        return fail_resume(r, "HDF5 cannot open it");
    errno = 0;
    hid_t list = access_list(true);
    /* as the single writer from the first moment: a kill right here leaves a file that still opens */
    r->file = H5Fopen(def->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, list);
    H5Pclose(list);
    if (r->file < 0)
        return errno == EACCES || errno == EROFS ? fail_write(r) : fail_resume(r, "HDF5 cannot open it");
    /* A kill in the middle of a write leaves chunks beyond what the file's first block says is its end, and beyond what
     * is on the disk: by one batch at the most. What is allocated next must come behind them. */
    if (strcmp(old_status(r), "running") == 0 && H5Fincrement_filesize(r->file, r->batch_bytes) < 0)
        return fail_write(r);
    LIL_TRY(check_same(r, def));
    if ((r->has_contacts && !lil_contacts_open(r->file, &r->contacts)) || !open_channels(r, &frames) ||
        !find_checkpoint(r, frames, found) || !find_contacts(r, found->frames))
        return fail_resume(r, "it has no complete checkpoint");
    lil_warnings_read(r->file, r->warnings);
    found->fps = lil_h5_read_number(r->file, "record/fps");
    found->every = lil_h5_read_number(r->file, "record/every");
    r->written = found->frames; /* rows beyond it are written over, with the same bits */
    return lil_h5_write_string(r->file, "status", "running", LIL_STATUS_MAX) ? LIL_OK : fail_write(r);
}

lil_status lil_recorder_resume(lil_context *ctx, const lil_recorder_def *def, lil_resume *found, lil_recorder **out)
{
    lil_recorder *r = *out = new_recorder(ctx, def);
    if (!r)
        return LIL_ERR_MEMORY;
    lil_quiet quiet = lil_quiet_begin();
    lil_status status = resume_file(r, def, found);
    lil_quiet_end(quiet);
    if (status != LIL_OK)
        lil_recorder_destroy(out);
    return status;
}

void lil_recorder_go_back(lil_recorder *r, int64_t frames)
{
    r->written = frames;
    lil_quiet quiet = lil_quiet_begin();
    find_contacts(r, frames); /* as they were found when it was opened, or fewer */
    lil_quiet_end(quiet);
}

/* ---- frames ---- */

static bool write_rows(lil_recorder *r)
{
    bool ok = true;
    for (int i = 0; ok && r->waiting && i < r->channel_count; i++) {
        channel *c = &r->channels[i];
        ok = lil_h5_append_rows(c->set, &c->form, r->written, r->waiting, c->rows);
    }
    return ok;
}

static lil_status write_waiting(lil_recorder *r, bool checkpoint)
{
    if (r->file < 0)
        return lil_fail(r->ctx, LIL_ERR_FILE, "%.200s: was abandoned after a failed write", r->path);
    lil_quiet quiet = lil_quiet_begin();
    lil_status status = LIL_OK;
    errno = 0;
    bool ok = (!r->has_contacts || lil_contacts_write(r->file, &r->contacts)) && write_rows(r) &&
              H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
    if (ok) {
        r->written += r->waiting;
        r->waiting = 0;
        ok = !checkpoint || (write_checkpoint(r) && lil_warnings_write(r->file, r->warnings));
    }
    if (!ok) {
        status = fail_write(r);
        abandon_file(r);
    }
    lil_quiet_end(quiet);
    return status;
}

lil_status lil_recorder_flush(lil_recorder *r)
{
    return write_waiting(r, true);
}

lil_status lil_recorder_contacts(lil_recorder *r, const lil_touching *list, int count)
{
    r->contact_end += count;
    return lil_contacts_add(&r->contacts, list, count) ? LIL_OK : lil_fail_memory(r->ctx);
}

/* x as floats; the first number that no float can hold, or NULL. */
static const double *round_row(const double *x, int n, float *row)
{
    bool fits = true;
    for (int k = 0; k < n; k++) {
        fits &= fabs(x[k]) <= FLT_MAX;
        row[k] = (float)x[k];
    }
    for (int k = 0; !fits && k < n; k++)
        if (fabs(x[k]) > FLT_MAX)
            return x + k;
    return NULL;
}

static lil_status collect_row(lil_recorder *r, const channel *c, const double *x)
{
    int n = c->form.width ? c->form.width : 1;
    if (!c->form.single) {
        double *row = (double *)c->rows + (size_t)n * (size_t)r->waiting;
        for (int k = 0; k < n; k++)
            row[k] = x[k];
        return LIL_OK;
    }
    const double *big = round_row(x, n, (float *)c->rows + (size_t)n * (size_t)r->waiting);
    return !big ? LIL_OK
                : lil_fail(r->ctx, LIL_ERR_LIMIT,
                           "%.200s: number %d of /%.80s is %.6g, more than single precision can hold: record it with "
                           "'precision: double'",
                           r->path, (int)(big - x), c->name, *big);
}

lil_status lil_recorder_frame(lil_recorder *r, const double *const *values)
{
    int own = r->has_contacts ? 1 : 0;
    if (own)
        ((double *)r->channels[r->channel_count - 1].rows)[r->waiting] = r->contact_end;
    for (int i = 0; i < r->channel_count - own; i++)
        LIL_TRY(collect_row(r, &r->channels[i], values[i]));
    r->waiting++;
    /* looking at the clock costs more than a short row */
    bool look = r->waiting % CLOCK_ROWS == 1 || r->capacity < CLOCK_ROWS * CLOCK_ROWS;
    bool full = r->waiting == r->capacity || r->contacts.waiting >= LIL_CONTACT_BATCH;
    bool late = (look || full) && checkpoint_is_due(r, full);
    return full || late ? write_waiting(r, late) : LIL_OK;
}

/* ---- finish ---- */

lil_status lil_recorder_finish(lil_recorder *r, const lil_certificate *certificate, const double *invariants,
                               const lil_pair *deepest, const lil_profile *profile, const char *ended)
{
    LIL_TRY(write_waiting(r, true));
    lil_quiet quiet = lil_quiet_begin();
    bool room = lil_profile_has_room(r->file);
    if (profile && !room)
        lil_warn(r->ctx, "%.200s: was begun without a profile, and has no room for one", r->path);
    errno = 0;
    bool ok = write_certificate(r->file, certificate) && write_invariants(r, invariants) &&
              (!r->touches || write_deepest(r->file, deepest)) && (!room || lil_profile_write(r->file, profile)) &&
              lil_h5_write_string(r->file, "status", ended, LIL_STATUS_MAX) &&
              H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
    lil_status status = ok ? LIL_OK : fail_write(r);
    if (!ok)
        abandon_file(r);
    else if (!close_file(r))
        status = fail_write(r);
    lil_quiet_end(quiet);
    return status;
}

void lil_recorder_destroy(lil_recorder **recorder)
{
    lil_recorder *r = recorder ? *recorder : NULL;
    if (!r)
        return;
    lil_quiet quiet = lil_quiet_begin();
    close_file(r);
    lil_quiet_end(quiet);
    lil_arena_free(&r->arena);
    free(r);
    *recorder = NULL;
}
