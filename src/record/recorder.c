#define _GNU_SOURCE /* memfd_create */
#include "record/recorder.h"

#include "record/quiet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20, CHUNK_BYTES = 1 << 16, ROWS_MAX = 1024 };

static const double WRITE_SECONDS = 0.5;

typedef struct channel {
    lil_channel def;
    hid_t set;
    double *rows; /* waiting to be written */
} channel;

struct lil_recorder {
    lil_context *ctx;
    lil_arena arena;
    const char *path;
    hid_t file;
    channel *channels;
    int channel_count;
    int64_t written; /* frames in the file */
    int waiting, capacity;
    double last_write;
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

static bool close_file(lil_recorder *r)
{
    bool ok = true;
    for (int i = 0; i < r->channel_count; i++)
        if (r->channels[i].set >= 0) {
            ok = H5Dclose(r->channels[i].set) >= 0 && ok;
            r->channels[i].set = -1;
        }
    if (r->file >= 0)
        ok = H5Fclose(r->file) >= 0 && ok;
    r->file = -1;
    return ok;
}

/* After a failed write (a full disk) HDF5 would try again when the file is closed, fail, and keep it open until the
 * program ends with complaints of its own: from here on its writes go to memory that nobody reads. */
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

/* ---- create ---- */

static bool write_string(hid_t file, const char *name, const char *text, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    char *padded = calloc(size + 1, 1);
    bool ok = type >= 0 && space >= 0 && padded && H5Tset_size(type, size + 1) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (ok)
        strncpy(padded, text, size);
    hid_t set = ok ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0;
    if (set >= 0)
        H5Dclose(set);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    free(padded);
    return ok;
}

static bool write_names(hid_t file, const char *const *names, int n)
{
    hsize_t size = (hsize_t)n;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    bool ok =
        type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    hid_t set = ok ? H5Dcreate2(file, "names", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    if (set >= 0)
        H5Dclose(set);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

static hid_t create_channel(hid_t file, const lil_channel *def, hid_t intermediate)
{
    size_t width = def->width ? (size_t)def->width : 1;
    size_t rows = CHUNK_BYTES / (width * sizeof(double));
    rows = rows < 1 ? 1 : rows > ROWS_MAX ? ROWS_MAX : rows;
    hsize_t size[2] = { 0, width }, most[2] = { H5S_UNLIMITED, width }, chunk[2] = { rows, width };
    int rank = def->width ? 2 : 1;
    hid_t space = H5Screate_simple(rank, size, most), layout = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    if (space >= 0 && layout >= 0 && H5Pset_chunk(layout, rank, chunk) >= 0)
        set = H5Dcreate2(file, def->name, H5T_NATIVE_DOUBLE, space, intermediate, layout, H5P_DEFAULT);
    if (space >= 0)
        H5Sclose(space);
    if (layout >= 0)
        H5Pclose(layout);
    return set;
}

static bool write_number(hid_t file, const char *name, hid_t intermediate, double value)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) {
        hid_t space = H5Screate(H5S_SCALAR);
        set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, intermediate, H5P_DEFAULT, H5P_DEFAULT);
        H5Sclose(space);
    }
    bool ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0;
    if (set >= 0)
        H5Dclose(set);
    return ok;
}

static bool write_certificate(hid_t file, hid_t intermediate, const lil_certificate *certificate)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        char name[96];
        snprintf(name, sizeof name, "certificate/%s", fields[i].name);
        const double *value = certificate ? (const double *)((const char *)certificate + fields[i].offset) : NULL;
        ok = ok && write_number(file, name, intermediate, value ? *value : NAN);
    }
    return ok;
}

static bool create_all(lil_recorder *r, const lil_recorder_def *def)
{
    hid_t intermediate = H5Pcreate(H5P_LINK_CREATE);
    bool ok = intermediate >= 0 && H5Pset_create_intermediate_group(intermediate, 1) >= 0;
    for (int i = 0; ok && i < r->channel_count; i++) {
        r->channels[i].set = create_channel(r->file, &r->channels[i].def, intermediate);
        ok = r->channels[i].set >= 0;
    }
    ok = ok && write_names(r->file, def->names, def->n) && write_certificate(r->file, intermediate, NULL) &&
         write_string(r->file, "scene", def->scene, strlen(def->scene)) &&
         write_string(r->file, "overrides", def->overrides, strlen(def->overrides)) &&
         write_string(r->file, "variant", def->variant, strlen(def->variant)) &&
         write_string(r->file, "integrator", def->integrator, strlen(def->integrator)) &&
         write_string(r->file, "version", lil_version(), strlen(lil_version())) &&
         write_string(r->file, "status", "running", LIL_STATUS_MAX);
    if (intermediate >= 0)
        H5Pclose(intermediate);
    return ok;
}

static lil_status allocate(lil_recorder *r, const lil_recorder_def *def)
{
    size_t row = 0;
    r->path = lil_arena_copy(&r->arena, def->path, strlen(def->path));
    r->channels = LIL_NEW(&r->arena, channel, def->channel_count);
    if (!r->path || !r->channels)
        return lil_fail_memory(r->ctx);
    for (int i = 0; i < def->channel_count; i++)
        row += (size_t)(def->channels[i].width ? def->channels[i].width : 1) * sizeof(double);
    r->capacity = row >= BUFFER_BYTES ? 1 : (int)(BUFFER_BYTES / row);
    if (r->capacity > ROWS_MAX)
        r->capacity = ROWS_MAX;
    r->channel_count = def->channel_count;
    for (int i = 0; i < def->channel_count; i++) {
        channel *c = &r->channels[i];
        size_t width = def->channels[i].width ? (size_t)def->channels[i].width : 1;
        c->def.width = def->channels[i].width;
        c->def.name = lil_arena_copy(&r->arena, def->channels[i].name, strlen(def->channels[i].name));
        c->rows = LIL_NEW(&r->arena, double, width *(size_t)r->capacity);
        c->set = -1;
        if (!c->def.name || !c->rows)
            return lil_fail_memory(r->ctx);
    }
    return LIL_OK;
}

static lil_status open_file(lil_recorder *r, const lil_recorder_def *def)
{
    bool there = access(def->path, F_OK) == 0;
    errno = 0;
    if (!def->replace && there)
        return lil_fail(r->ctx, LIL_ERR_EXISTS, "%.200s: exists already (--force replaces it)", def->path);
    r->file = H5Fcreate(def->path, def->replace ? H5F_ACC_TRUNC : H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    if (r->file >= 0 && create_all(r, def) && H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0)
        return LIL_OK;
    bool taken = errno == EEXIST; /* by someone else, just now */
    lil_status status = fail_write(r);
    abandon_file(r);
    if (!there && !taken)
        unlink(def->path); /* nothing half-made is left */
    return status;
}

lil_status lil_recorder_create(lil_context *ctx, const lil_recorder_def *def, lil_recorder **out)
{
    *out = NULL;
    lil_recorder *r = calloc(1, sizeof *r);
    if (!r)
        return lil_fail_memory(ctx);
    r->ctx = ctx;
    r->file = -1;
    r->last_write = seconds();
    lil_status status = allocate(r, def);
    if (status == LIL_OK) {
        lil_quiet quiet = lil_quiet_begin();
        status = open_file(r, def);
        lil_quiet_end(quiet);
    }
    if (status != LIL_OK)
        lil_recorder_destroy(&r);
    *out = r;
    return status;
}

/* ---- frames ---- */

static bool append(channel *c, int64_t at, int rows)
{
    hsize_t width = c->def.width ? (hsize_t)c->def.width : 1;
    hsize_t size[2] = { (hsize_t)at + (hsize_t)rows, width }, from[2] = { (hsize_t)at, 0 };
    hsize_t count[2] = { (hsize_t)rows, width };
    int rank = c->def.width ? 2 : 1;
    if (H5Dset_extent(c->set, size) < 0)
        return false;
    hid_t file = H5Dget_space(c->set), memory = H5Screate_simple(rank, count, NULL);
    bool ok = file >= 0 && memory >= 0 && H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
              H5Dwrite(c->set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, c->rows) >= 0;
    if (file >= 0)
        H5Sclose(file);
    if (memory >= 0)
        H5Sclose(memory);
    return ok;
}

static lil_status write_waiting(lil_recorder *r)
{
    if (r->file < 0)
        return lil_fail(r->ctx, LIL_ERR_FILE, "%.200s: was given up after a failed write", r->path);
    if (!r->waiting)
        return LIL_OK;
    lil_quiet quiet = lil_quiet_begin();
    bool ok = true;
    errno = 0;
    for (int i = 0; ok && i < r->channel_count; i++)
        ok = append(&r->channels[i], r->written, r->waiting);
    ok = ok && H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
    lil_status status = ok ? LIL_OK : fail_write(r);
    if (!ok)
        abandon_file(r);
    lil_quiet_end(quiet);
    LIL_TRY(status);
    r->written += r->waiting;
    r->waiting = 0;
    r->last_write = seconds();
    return LIL_OK;
}

lil_status lil_recorder_frame(lil_recorder *r, const double *const *values)
{
    for (int i = 0; i < r->channel_count; i++) {
        size_t width = r->channels[i].def.width ? (size_t)r->channels[i].def.width : 1;
        memcpy(r->channels[i].rows + width * (size_t)r->waiting, values[i], width * sizeof(double));
    }
    r->waiting++;
    bool due = r->waiting == r->capacity || seconds() - r->last_write > WRITE_SECONDS;
    return due ? write_waiting(r) : LIL_OK;
}

int64_t lil_recorder_frames(const lil_recorder *r)
{
    return r->written + r->waiting;
}

/* ---- finish ---- */

static bool write_status(hid_t file, const char *ended)
{
    char text[LIL_STATUS_MAX + 1] = { 0 };
    strncpy(text, ended, LIL_STATUS_MAX);
    hid_t set = H5Dopen2(file, "status", H5P_DEFAULT), type = set >= 0 ? H5Dget_type(set) : -1;
    bool ok = type >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return ok;
}

lil_status lil_recorder_finish(lil_recorder *r, const lil_certificate *certificate, const char *ended)
{
    LIL_TRY(write_waiting(r));
    lil_quiet quiet = lil_quiet_begin();
    errno = 0;
    bool ok = write_certificate(r->file, H5P_DEFAULT, certificate) && write_status(r->file, ended);
    ok = ok && H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
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
