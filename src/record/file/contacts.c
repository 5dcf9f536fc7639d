#include "record/file/contacts.h"

#include "record/file/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int width;
    bool whole;
} sets[LIL_CONTACT_SETS] = { { "contacts/point", 3, false },
                             { "contacts/force", 3, false },
                             { "contacts/gap", 1, false },
                             { "contacts/parts", 2, true } };

static hid_t type_of(int set)
{
    return sets[set].whole ? H5T_NATIVE_INT : H5T_NATIVE_FLOAT;
}

/* ---- writing ---- */

static hid_t create_set(hid_t file, int i)
{
    enum { CHUNK = 1024 };
    hsize_t width = (hsize_t)sets[i].width, size[2] = { 0, width }, most[2] = { H5S_UNLIMITED, width },
            chunk[2] = { CHUNK, width };
    hid_t space = H5Screate_simple(2, size, most), layout = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    if (space >= 0 && layout >= 0 && links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_chunk(layout, 2, chunk) >= 0 && H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, 1) >= 0)
        set = H5Dcreate2(file, sets[i].name, type_of(i), space, links, layout, H5P_DEFAULT);
    if (space >= 0)
        H5Sclose(space);
    if (layout >= 0)
        H5Pclose(layout);
    if (links >= 0)
        H5Pclose(links);
    return set;
}

bool lil_contacts_create(hid_t file, lil_contact_writer *w)
{
    bool ok = true;
    for (int i = 0; ok && i < LIL_CONTACT_SETS; i++)
        ok = (w->sets[i] = create_set(file, i)) >= 0;
    return ok;
}

bool lil_contacts_open(hid_t file, lil_contact_writer *w)
{
    bool ok = true;
    for (int i = 0; ok && i < LIL_CONTACT_SETS; i++)
        ok = (w->sets[i] = H5Dopen2(file, sets[i].name, H5P_DEFAULT)) >= 0;
    return ok;
}

static bool make_room(lil_contact_writer *w, int64_t count)
{
    if (count <= w->room)
        return true;
    size_t room = 2 * (size_t)count;
    float *point = realloc(w->point, 3 * room * sizeof *point);
    w->point = point ? point : w->point;
    float *force = realloc(w->force, 3 * room * sizeof *force);
    w->force = force ? force : w->force;
    float *gap = realloc(w->gap, room * sizeof *gap);
    w->gap = gap ? gap : w->gap;
    int *parts = realloc(w->parts, 2 * room * sizeof *parts);
    w->parts = parts ? parts : w->parts;
    if (!point || !force || !gap || !parts)
        return false;
    w->room = (int64_t)room;
    return true;
}

bool lil_contacts_add(lil_contact_writer *w, const lil_touching *list, int count)
{
    if (!make_room(w, w->waiting + count))
        return false;
    for (int i = 0; i < count; i++) {
        int64_t to = w->waiting++;
        for (int k = 0; k < 3; k++) {
            w->point[3 * to + k] = (float)list[i].x[k];
            w->force[3 * to + k] = (float)list[i].f[k];
        }
        w->gap[to] = (float)list[i].gap;
        memcpy(w->parts + 2 * to, list[i].part, sizeof list[i].part);
    }
    return true;
}

/* Rows at .. at + count - 1 of a set, as they are in the file and in memory. */
static bool select_rows(hid_t set, int width, int64_t at, int64_t count, hid_t *file, hid_t *memory)
{
    hsize_t from[2] = { (hsize_t)at, 0 }, size[2] = { (hsize_t)count, (hsize_t)width };
    *file = H5Dget_space(set);
    *memory = H5Screate_simple(2, size, NULL);
    return *file >= 0 && *memory >= 0 && H5Sselect_hyperslab(*file, H5S_SELECT_SET, from, NULL, size, NULL) >= 0;
}

static void close_spaces(hid_t file, hid_t memory)
{
    if (file >= 0)
        H5Sclose(file);
    if (memory >= 0)
        H5Sclose(memory);
}

/* Over rows that may be there from before a kill. */
static bool write_slice(lil_contact_writer *w, int64_t from, int64_t count)
{
    const void *data[LIL_CONTACT_SETS] = { w->point + 3 * from, w->force + 3 * from, w->gap + from,
                                           w->parts + 2 * from };
    bool ok = true;
    for (int i = 0; ok && i < LIL_CONTACT_SETS; i++) {
        hsize_t size[2] = { (hsize_t)(w->written + count), (hsize_t)sets[i].width };
        hid_t file = -1, memory = -1;
        ok = (lil_h5_row_count(w->sets[i]) >= w->written + count || H5Dset_extent(w->sets[i], size) >= 0) &&
             select_rows(w->sets[i], sets[i].width, w->written, count, &file, &memory) &&
             H5Dwrite(w->sets[i], type_of(i), memory, file, H5P_DEFAULT, data[i]) >= 0;
        close_spaces(file, memory);
    }
    w->written += ok ? count : 0;
    return ok;
}

bool lil_contacts_write(hid_t file, lil_contact_writer *w)
{
    for (int64_t at = 0, count; at < w->waiting; at += count) {
        count = w->waiting - at < LIL_CONTACT_BATCH ? w->waiting - at : LIL_CONTACT_BATCH;
        if (!write_slice(w, at, count) || H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
            return false;
    }
    w->waiting = 0;
    return true;
}

bool lil_contacts_close(lil_contact_writer *w)
{
    bool ok = true;
    for (int i = 0; i < LIL_CONTACT_SETS; i++) {
        if (w->sets[i] >= 0)
            ok = H5Dclose(w->sets[i]) >= 0 && ok;
        w->sets[i] = -1;
    }
    free(w->point);
    free(w->force);
    free(w->gap);
    free(w->parts);
    w->point = w->force = w->gap = NULL;
    w->parts = NULL;
    w->waiting = w->room = 0;
    return ok;
}

/* ---- reading ---- */

static lil_status damaged(lil_trajectory *tr)
{
    return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: a damaged trajectory: its contacts are incomplete", tr->path);
}

lil_status lil_contacts_parts(lil_trajectory *tr, lil_arena *arena, lil_contact_parts *parts)
{
    *parts = (lil_contact_parts){ 0 };
    lil_quiet quiet = lil_quiet_begin();
    bool there = H5Lexists(tr->file, "contacts", H5P_DEFAULT) > 0;
    if (there)
        parts->names = lil_h5_read_names(arena, tr->file, "contacts/names", &parts->count);
    lil_quiet_end(quiet);
    return there && !parts->names ? damaged(tr) : LIL_OK;
}

static int64_t rows_of(const lil_trajectory *tr, int set)
{
    hid_t id = H5Dopen2(tr->file, sets[set].name, H5P_DEFAULT);
    int64_t rows = id >= 0 ? lil_h5_row_count(id) : -1;
    if (id >= 0)
        H5Dclose(id);
    return rows;
}

lil_status lil_contacts_ends(lil_trajectory *tr, lil_arena *arena, const double **out)
{
    *out = NULL;
    lil_quiet quiet = lil_quiet_begin();
    if (H5Lexists(tr->file, "contacts", H5P_DEFAULT) <= 0) {
        lil_quiet_end(quiet);
        return LIL_OK;
    }
    double *end = LIL_NEW(arena, double, tr->frames);
    hid_t set = H5Dopen2(tr->file, "contacts/end", H5P_DEFAULT);
    bool ok = end && set >= 0 && lil_h5_row_count(set) >= tr->frames && lil_h5_read_rows(set, 0, 0, tr->frames, end);
    if (set >= 0)
        H5Dclose(set);
    for (int64_t i = 0; ok && i < tr->frames; i++)
        ok = end[i] >= (i ? end[i - 1] : 0) && end[i] == floor(end[i]);
    for (int i = 0; ok && i < LIL_CONTACT_SETS; i++)
        ok = (double)rows_of(tr, i) >= (tr->frames ? end[tr->frames - 1] : 0);
    lil_quiet_end(quiet);
    *out = ok ? end : NULL;
    return ok ? LIL_OK : !end ? lil_fail_memory(tr->ctx) : damaged(tr);
}

static bool read_set(const lil_trajectory *tr, int i, int64_t at, int64_t count, void *to)
{
    hid_t set = H5Dopen2(tr->file, sets[i].name, H5P_DEFAULT), file = -1, memory = -1;
    bool ok = set >= 0 && select_rows(set, sets[i].width, at, count, &file, &memory) &&
              H5Dread(set, type_of(i), memory, file, H5P_DEFAULT, to) >= 0;
    close_spaces(file, memory);
    if (set >= 0)
        H5Dclose(set);
    return ok;
}

lil_status lil_contacts_read(lil_trajectory *tr, lil_arena *arena, const double *end, int64_t i, lil_contacts *c)
{
    double from = i ? end[i - 1] : 0, many = end[i] - from;
    if (!(many < INT32_MAX / 4))
        return damaged(tr);
    c->count = (int)many;
    if (c->count > c->room) {
        c->room = 2 * c->count;
        LIL_ALLOC(tr->ctx, arena, c->point, c->room);
        LIL_ALLOC(tr->ctx, arena, c->force, c->room);
        LIL_ALLOC(tr->ctx, arena, c->gap, c->room);
        LIL_ALLOC(tr->ctx, arena, c->parts, c->room);
    }
    if (!c->count)
        return LIL_OK;
    void *to[LIL_CONTACT_SETS] = { c->point, c->force, c->gap, c->parts };
    bool ok = true;
    lil_quiet quiet = lil_quiet_begin();
    for (int k = 0; ok && k < LIL_CONTACT_SETS; k++)
        ok = read_set(tr, k, (int64_t)from, c->count, to[k]);
    lil_quiet_end(quiet);
    for (int k = 0; ok && k < c->count; k++)
        ok = c->parts[k][0] >= 0 && c->parts[k][1] >= c->parts[k][0];
    return ok ? LIL_OK : damaged(tr);
}
