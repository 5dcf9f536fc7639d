#include "record/file/checkpoint.h"

#include "core/hash.h"

#include <math.h>
#include <string.h>

int lil_checkpoint_width(int words)
{
    return 2 + words + 2;
}

/* As two numbers below 2^32. */
static void hash_row(const double *row, int n, double half[2])
{
    uint64_t hash = lil_hash(LIL_HASH_EMPTY, row, (size_t)n * sizeof *row);
    half[0] = (double)(hash & 0xffffffffu);
    half[1] = (double)(hash >> 32);
}

void lil_checkpoint_seal(double *row, int width)
{
    hash_row(row, width - 2, row + width - 2);
}

hid_t lil_checkpoint_create(hid_t file, int words)
{
    hsize_t size[2] = { 2, (hsize_t)lil_checkpoint_width(words) }, chunk[2] = { 1, size[1] };
    hid_t space = H5Screate_simple(2, size, NULL), layout = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    if (space >= 0 && layout >= 0 && H5Pset_chunk(layout, 2, chunk) >= 0 &&
        H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY) >= 0)
        set = H5Dcreate2(file, "checkpoint", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    if (space >= 0)
        H5Sclose(space);
    if (layout >= 0)
        H5Pclose(layout);
    return set;
}

/* Rows take turns by their count: the other one stays good until this one is whole. */
bool lil_checkpoint_write(hid_t set, int width, const double *row)
{
    hsize_t from[2] = { (hsize_t)fmod(row[0], 2), 0 }, size[2] = { 1, (hsize_t)width };
    hid_t file = H5Dget_space(set), memory = H5Screate_simple(2, size, NULL);
    bool ok = file >= 0 && memory >= 0 && H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
              H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, row) >= 0 && H5Dflush(set) >= 0;
    if (file >= 0)
        H5Sclose(file);
    if (memory >= 0)
        H5Sclose(memory);
    return ok;
}

const double *lil_checkpoint_newest(lil_arena *arena, hid_t set, int64_t frames, int *width)
{
    enum { WIDTH_MAX = 1 << 28 };
    hsize_t size[2] = { 0, 0 };
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
              H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[0] == 2 && size[1] > 4 && size[1] < WIDTH_MAX;
    if (space >= 0)
        H5Sclose(space);
    double *row = ok ? LIL_NEW(arena, double, size[1]) : NULL, *newest = row ? LIL_NEW(arena, double, size[1]) : NULL;
    *width = (int)size[1];
    bool found = false;
    for (int i = 0; newest && i < 2; i++) {
        double half[2];
        if (!lil_h5_read_rows(set, *width, i, 1, row))
            continue;
        hash_row(row, *width - 2, half);
        bool whole = half[0] == row[*width - 2] && half[1] == row[*width - 1];
        if (whole && row[1] >= 0 && row[1] <= (double)frames && (!found || row[0] > newest[0])) {
            memcpy(newest, row, (size_t)*width * sizeof *row);
            found = true;
        }
    }
    return found ? newest : NULL;
}
