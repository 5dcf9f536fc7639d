#include "record/file/shot_levels.h"

#include "record/file/h5.h"

#include <stdio.h>

static bool read_levels(const lil_trajectory *tr, lil_shot_levels *l)
{
    int64_t rows, costs, levels, strides;
    l->cost = lil_h5_read_reals(&l->arena, tr->file, "shot/cost", 1, &costs);
    l->level = lil_h5_read_wholes(&l->arena, tr->file, "shot/level", 1, &levels);
    l->strides = lil_h5_read_wholes(&l->arena, tr->file, "shot/strides", 1, &strides);
    if (!l->cost || !l->level || !l->strides || costs != levels || costs < 1 || costs > INT32_MAX || strides > 64)
        return false;
    l->iterations = (int)costs;
    l->count = (int)strides;
    l->frames = LIL_NEW(&l->arena, const double *, l->count);
    for (int i = 0; l->frames && i < l->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "shot/levels/%d", i);
        l->frames[i] = lil_h5_read_reals(&l->arena, tr->file, name, tr->n, &rows);
        if (!l->frames[i] || l->strides[i] < 1 || (i > 0 && rows != l->rows))
            return false;
        l->rows = rows;
    }
    for (int i = 0; i < l->iterations; i++)
        if (l->level[i] < 0 || l->level[i] >= l->count)
            return false;
    l->steps = lil_h5_read_reals(&l->arena, tr->file, "shot/steps", tr->n, &rows);
    if (l->steps && rows != l->iterations * l->rows)
        return false;
    return l->frames && l->rows > 0;
}

bool lil_shot_levels_open(const lil_trajectory *tr, lil_shot_levels *l)
{
    *l = (lil_shot_levels){ 0 };
    lil_quiet quiet = lil_quiet_begin();
    bool there = H5Lexists(tr->file, "shot", H5P_DEFAULT) > 0 && read_levels(tr, l);
    lil_quiet_end(quiet);
    return there;
}

void lil_shot_levels_close(lil_shot_levels *l)
{
    lil_arena_free(&l->arena);
}
