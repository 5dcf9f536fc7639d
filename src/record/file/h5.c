#include "record/file/h5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row is long if it has more than LONG_BYTES. Chunks of long rows are large, because the system takes a few large
 * writes in half the time of many, and begin at pages. */
enum { LONG_BYTES = 1 << 14, CHUNK_BYTES = 1 << 16, LONG_CHUNK_BYTES = 1 << 21, PAGE_BYTES = 1 << 12 };
enum { CHUNK_LEAST = 64 }; /* short rows */

lil_quiet lil_quiet_begin(void)
{
    lil_quiet quiet = { NULL, NULL };
    /* what HDF5 cannot close, of a damaged file or on a full disk, it complains about when the program ends. Without
     * effect where the program itself has begun to use HDF5 before. */
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void lil_quiet_end(lil_quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data);
}

/* Handles that were never opened are negative. */
static void close_all(hid_t set, hid_t type, hid_t space, hid_t list)
{
    if (set >= 0)
        H5Dclose(set);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (list >= 0)
        H5Pclose(list);
}

/* The dataset, made with the groups on the way to it where it is not there. */
static hid_t open_or_create(hid_t file, const char *name, hid_t type, hid_t space)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set >= 0)
        return set;
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    if (links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0)
        set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    if (links >= 0)
        H5Pclose(links);
    return set;
}

/* ---- strings ---- */

bool lil_h5_write_string(hid_t file, const char *name, const char *text, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    char *padded = calloc(size + 1, 1);
    bool ok = type >= 0 && space >= 0 && padded && H5Tset_size(type, size + 1) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (ok)
        strncpy(padded, text, size);
    hid_t set = ok ? open_or_create(file, name, type, space) : -1;
    ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0;
    close_all(set, type, space, -1);
    free(padded);
    return ok;
}

const char *lil_h5_read_string(lil_arena *arena, hid_t file, const char *name)
{
    char *text = NULL;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = set >= 0 ? H5Dget_type(set) : -1;
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Sget_simple_extent_npoints(space) == 1)
        text = lil_arena_alloc(arena, H5Tget_size(type) + 1, 1);
    if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
        text = NULL;
    close_all(set, type, space, -1);
    return text;
}

/* Strings of fixed length: HDF5's strings of any length live in a heap, where damage makes it loop. */
bool lil_h5_write_names(hid_t file, const char *name, const char *const *names, int n)
{
    if (!n)
        return true;
    size_t length = 1;
    for (int i = 0; i < n; i++)
        length = strlen(names[i]) + 1 > length ? strlen(names[i]) + 1 : length;
    char *padded = calloc((size_t)n, length);
    hsize_t size = (hsize_t)n;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    bool ok =
        padded && type >= 0 && space >= 0 && H5Tset_size(type, length) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    for (int i = 0; ok && i < n; i++)
        memcpy(padded + (size_t)i * length, names[i], strlen(names[i]));
    hid_t set = ok ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0;
    close_all(set, type, space, -1);
    free(padded);
    return ok;
}

const char **lil_h5_read_names(lil_arena *arena, hid_t file, const char *name, int *n)
{
    enum { NAMES_MAX = 300 * 1000 * 1000, LENGTH_MAX = 1000 };
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = set >= 0 ? H5Dget_type(set) : -1;
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    hsize_t size = 0;
    bool ok = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
              H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1 &&
              size > 0 && size <= NAMES_MAX && H5Tget_size(type) <= LENGTH_MAX;
    size_t length = ok ? H5Tget_size(type) : 0;
    char *raw = ok ? lil_arena_alloc(arena, size + 1, length) : NULL; /* ended by 0 */
    const char **names = raw ? LIL_NEW(arena, const char *, size) : NULL;
    ok = names && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0;
    for (hsize_t i = 0; ok && i < size; i++)
        ok = (names[i] = lil_arena_copy(arena, raw + i * length, strnlen(raw + i * length, length)));
    *n = (int)size;
    close_all(set, type, space, -1);
    return ok ? names : NULL;
}

/* ---- numbers ---- */

bool lil_h5_write_number(hid_t file, const char *name, double value)
{
    hid_t space = H5Screate(H5S_SCALAR), set = open_or_create(file, name, H5T_NATIVE_DOUBLE, space);
    bool ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0;
    close_all(set, -1, space, -1);
    return ok;
}

double lil_h5_read_number(hid_t file, const char *name)
{
    double value = NAN;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0)
        value = NAN;
    close_all(set, -1, space, -1);
    return value;
}

/* ---- tables ---- */

bool lil_h5_write_table(hid_t file, const char *name, int64_t rows, int width, const double *reals, const int *wholes)
{
    hsize_t size[2] = { (hsize_t)rows, (hsize_t)width };
    hid_t type = reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, space = H5Screate_simple(2, size, NULL);
    hid_t set = space >= 0 ? open_or_create(file, name, type, space) : -1;
    const void *data = reals ? (const void *)reals : (const void *)wholes;
    bool ok = set >= 0 && (rows == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    close_all(set, -1, space, -1);
    return ok;
}

static void *read_table(lil_arena *arena, hid_t file, const char *name, hid_t type, size_t size, int width,
                        int64_t *rows)
{
    hsize_t extent[2] = { 0, 0 };
    void *data = NULL;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, extent, NULL) > 0 &&
        extent[1] == (hsize_t)width && extent[0] < INT32_MAX / (hsize_t)(width ? width : 1))
        data = lil_arena_alloc(arena, extent[0] * extent[1], size);
    if (data && extent[0] && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        data = NULL;
    *rows = (int64_t)extent[0];
    close_all(set, -1, space, -1);
    return data;
}

double *lil_h5_read_reals(lil_arena *arena, hid_t file, const char *name, int width, int64_t *rows)
{
    return read_table(arena, file, name, H5T_NATIVE_DOUBLE, sizeof(double), width, rows);
}

int *lil_h5_read_wholes(lil_arena *arena, hid_t file, const char *name, int width, int64_t *rows)
{
    return read_table(arena, file, name, H5T_NATIVE_INT, sizeof(int), width, rows);
}

bool lil_h5_same_table(hid_t file, const char *name, int64_t rows, int width, const double *reals, const int *wholes)
{
    hsize_t size[2] = { 0, 0 };
    hid_t type = reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, set = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
              H5Sget_simple_extent_dims(space, size, NULL) > 0 && size[0] == (hsize_t)rows &&
              size[1] == (hsize_t)width;
    size_t bytes = (size_t)rows * (size_t)width * (reals ? sizeof *reals : sizeof *wholes);
    void *stored = ok ? malloc(bytes + 1) : NULL;
    ok = stored && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored) >= 0 &&
         memcmp(stored, reals ? (const void *)reals : (const void *)wholes, bytes) == 0;
    free(stored);
    close_all(set, -1, space, -1);
    return ok;
}

/* ---- rows ---- */

size_t lil_h5_power_of_two(size_t n)
{
    size_t power = 1;
    while (2 * power <= n)
        power *= 2;
    return power;
}

static hid_t type_of(const lil_h5_rows *form)
{
    return form->single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

size_t lil_h5_row_bytes(const lil_h5_rows *form)
{
    return (form->width ? (size_t)form->width : 1) * (form->single ? sizeof(float) : sizeof(double));
}

static bool is_long(const lil_h5_rows *form)
{
    return lil_h5_row_bytes(form) > LONG_BYTES;
}

/* As many as a batch of rows, or fewer, so that batches fill chunks. */
static size_t chunk_rows(const lil_h5_rows *form, int64_t expected)
{
    size_t rows = (is_long(form) && !form->compress ? LONG_CHUNK_BYTES : CHUNK_BYTES) / lil_h5_row_bytes(form);
    int64_t least = is_long(form) ? 1 : CHUNK_LEAST;
    size_t most = (size_t)(expected > least ? expected : least);
    return lil_h5_power_of_two(rows < most ? rows : most);
}

size_t lil_h5_chunk_bytes(const lil_h5_rows *form, int64_t expected)
{
    return chunk_rows(form, expected) * lil_h5_row_bytes(form) + PAGE_BYTES;
}

void lil_h5_align(hid_t access)
{
    H5Pset_alignment(access, CHUNK_BYTES, PAGE_BYTES);
}

/* Long rows go from their buffer to the file, not through HDF5's cache of chunks. */
static hid_t rows_access(const lil_h5_rows *form)
{
    hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    if (list >= 0 && is_long(form))
        H5Pset_chunk_cache(list, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, H5D_CHUNK_CACHE_W0_DEFAULT);
    return list;
}

hid_t lil_h5_create_rows(hid_t file, const char *name, const lil_h5_rows *form, int64_t expected)
{
    hsize_t columns = form->width ? (hsize_t)form->width : 1, size[2] = { 0, columns };
    hsize_t most[2] = { H5S_UNLIMITED, columns }, chunk[2] = { chunk_rows(form, expected), columns };
    int rank = form->width ? 2 : 1;
    hid_t space = H5Screate_simple(rank, size, most), layout = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    hid_t links = H5Pcreate(H5P_LINK_CREATE), access = rows_access(form);
    bool ok = space >= 0 && layout >= 0 && links >= 0 && access >= 0 &&
              H5Pset_create_intermediate_group(links, 1) >= 0 && H5Pset_chunk(layout, rank, chunk) >= 0;
    if (ok && form->compress && is_long(form))
        ok = H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, (unsigned)form->compress) >= 0;
    if (ok)
        set = H5Dcreate2(file, name, type_of(form), space, links, layout, access);
    close_all(-1, -1, space, layout);
    close_all(-1, -1, -1, links);
    close_all(-1, -1, -1, access);
    return set;
}

enum { UNIT_MAX = 16 };

bool lil_h5_write_unit(hid_t set, const char *unit)
{
    char padded[UNIT_MAX] = "";
    strncpy(padded, unit, UNIT_MAX - 1);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute = -1;
    bool ok = type >= 0 && space >= 0 && H5Tset_size(type, UNIT_MAX) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (ok)
        attribute = H5Acreate2(set, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
    ok = attribute >= 0 && H5Awrite(attribute, type, padded) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    close_all(-1, type, space, -1);
    return ok;
}

const char *lil_h5_read_unit(lil_arena *arena, hid_t set)
{
    if (H5Aexists(set, "unit") <= 0)
        return "";
    hid_t attribute = H5Aopen(set, "unit", H5P_DEFAULT), type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    char *text = NULL;
    if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= UNIT_MAX)
        text = lil_arena_alloc(arena, UNIT_MAX + 1, 1);
    if (text && H5Aread(attribute, type, text) < 0)
        text = NULL;
    if (attribute >= 0)
        H5Aclose(attribute);
    close_all(-1, type, space, -1);
    return text ? text : "";
}

/* The rows at .. at + count - 1 as they are in the file and in memory. */
static bool select_rows(hid_t set, int width, int64_t at, int64_t count, hid_t *file, hid_t *memory)
{
    hsize_t from[2] = { (hsize_t)at, 0 }, size[2] = { (hsize_t)count, width ? (hsize_t)width : 1 };
    *file = H5Dget_space(set);
    *memory = H5Screate_simple(width ? 2 : 1, size, NULL);
    return *file >= 0 && *memory >= 0 && H5Sselect_hyperslab(*file, H5S_SELECT_SET, from, NULL, size, NULL) >= 0;
}

int64_t lil_h5_row_count(hid_t set)
{
    hsize_t size[2] = { 0, 0 };
    hid_t space = H5Dget_space(set);
    bool ok =
        space >= 0 && H5Sget_simple_extent_ndims(space) <= 2 && H5Sget_simple_extent_dims(space, size, NULL) > 0;
    close_all(-1, -1, space, -1);
    return ok ? (int64_t)size[0] : 0;
}

hid_t lil_h5_open_rows(hid_t file, const char *name, const lil_h5_rows *form)
{
    hsize_t size[2] = { 0, 0 };
    hid_t access = rows_access(form), set = access >= 0 ? H5Dopen2(file, name, access) : -1;
    hid_t space = set >= 0 ? H5Dget_space(set) : -1, type = set >= 0 ? H5Dget_type(set) : -1;
    bool ok = space >= 0 && type >= 0 && H5Sget_simple_extent_ndims(space) == (form->width ? 2 : 1) &&
              H5Sget_simple_extent_dims(space, size, NULL) > 0 && size[1] == (hsize_t)form->width &&
              H5Tequal(type, type_of(form)) > 0;
    close_all(ok ? -1 : set, type, space, access);
    return ok ? set : -1;
}

bool lil_h5_append_rows(hid_t set, const lil_h5_rows *form, int64_t at, int64_t count, const void *rows)
{
    hsize_t size[2] = { (hsize_t)(at + count), form->width ? (hsize_t)form->width : 1 };
    hid_t file = -1, memory = -1;
    bool ok = (lil_h5_row_count(set) >= at + count || H5Dset_extent(set, size) >= 0) &&
              select_rows(set, form->width, at, count, &file, &memory) &&
              H5Dwrite(set, type_of(form), memory, file, H5P_DEFAULT, rows) >= 0;
    close_all(-1, -1, file, -1);
    close_all(-1, -1, memory, -1);
    return ok;
}

bool lil_h5_read_rows(hid_t set, int width, int64_t at, int64_t count, double *rows)
{
    hid_t file = -1, memory = -1;
    bool ok = select_rows(set, width, at, count, &file, &memory) &&
              H5Dread(set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, rows) >= 0;
    close_all(-1, -1, file, -1);
    close_all(-1, -1, memory, -1);
    return ok;
}
