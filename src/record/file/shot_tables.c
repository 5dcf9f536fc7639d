#include "record/file/shot_tables.h"

#include "record/file/file_tables.h"

#include <string.h>

enum { SURFACE_KEY_TABLES = 2, SHOT_TABLES = 14 };

int lil_shot_tables_max(const lil_shot *shot)
{
    return SHOT_TABLES + shot->history.level_count + (shot->world ? SURFACE_KEY_TABLES * shot->world->count : 0);
}

/* How a surface is carried at keys, where one of them is a pose of it. */
static lil_status list_surface_keys(const lil_shot *shot, lil_arena *arena, int body, lil_table *tables, int *count)
{
    const lil_body *b = &shot->world->list[body];
    size_t m = 3 * (size_t)b->embedding.count;
    double *times = LIL_NEW(arena, double, shot->key_count), *weights = LIL_NEW(arena, double, m * shot->key_count);
    int keys = 0;
    bool posed = false;
    LIL_HAVE(shot->ctx, times && weights);
    for (int i = 0; i < shot->key_count; i++) {
        const double *w = shot->weights[i * shot->world->count + body];
        if (!w)
            continue;
        posed = posed || w != b->embedding.weights[0];
        times[keys] = shot->problem->t[shot->keys[i].frame];
        memcpy(weights + m * (size_t)keys++, w, m * sizeof *w);
    }
    if (!posed)
        return LIL_OK;
    lil_recorded_body keyed = { .surface = { .key_count = keys,
                                             .key_weight_count = keys * b->embedding.count,
                                             .key_times = times,
                                             .key_weights = (const double(*)[3])weights } };
    return lil_file_tables_list(shot->ctx, arena, &lil_surface_tables, b->name, &keyed, tables, count);
}

static lil_status list_levels(const lil_shot *shot, lil_arena *arena, lil_table *tables, int *count)
{
    const lil_shot_history *h = &shot->history;
    for (int i = 0; i < h->level_count; i++) {
        const char *name = lil_arena_format(arena, "shot/levels/%d", i);
        LIL_HAVE(shot->ctx, name);
        tables[(*count)++] = (lil_table){ name, shot->def.frames + 1, shot->n, h->frames[i], NULL };
    }
    return LIL_OK;
}

/* What each key asks for, of all coordinates: 1 asked for, 2 fixed or moved by a handle, 0 left free. */
static lil_status list_targets(const lil_shot *shot, lil_arena *arena, lil_table *tables, int *count)
{
    const lil_dofs *dofs = &shot->model->dofs;
    size_t n = (size_t)shot->n, rows = (size_t)shot->key_count;
    double *q = LIL_NEW(arena, double, n *rows), *weight = LIL_NEW(arena, double, rows);
    int *asked = LIL_NEW(arena, int, n *rows);
    LIL_HAVE(shot->ctx, q && weight && asked);
    for (size_t i = 0; i < rows; i++) {
        const lil_shot_key *key = &shot->keys[i];
        weight[i] = key->weight;
        for (size_t k = 0; k < n; k++)
            asked[n * i + k] = 2;
        for (int f = 0; f < shot->model->n; f++) {
            size_t k = n * i + (size_t)(dofs->free ? dofs->free[f] : f);
            asked[k] = !key->held || key->held[f];
            q[k] = asked[k] ? key->q[f] : 0;
        }
    }
    tables[(*count)++] = (lil_table){ "shot/key_q", shot->key_count, shot->n, q, NULL };
    tables[(*count)++] = (lil_table){ "shot/key_asked", shot->key_count, shot->n, NULL, asked };
    tables[(*count)++] = (lil_table){ "shot/key_weight", shot->key_count, 1, weight, NULL };
    return LIL_OK;
}

/* Which frames are keys, what they ask for, what it came to, the cost of each iteration and its level, the frames that each level
 * ended with and, where they are not too many, those after each iteration. */
lil_status lil_shot_tables(const lil_shot *shot, lil_arena *arena, lil_table *tables, int *count)
{
    const lil_shot_history *h = &shot->history;
    const lil_shot_result *r = &shot->result;
    const lil_table own[] = { { "shot/keys", shot->key_count, 1, NULL, shot->key_frames },
                              { "shot/cost", h->count, 1, h->cost, NULL },
                              { "shot/level", h->count, 1, NULL, h->level },
                              { "shot/strides", h->level_count, 1, NULL, h->strides },
                              { "shot/residual", 1, 1, &r->residual, NULL },
                              { "shot/key_error_max", 1, 1, &r->key_error_max, NULL },
                              { "shot/soft_error_max", 1, 1, &r->soft_error_max, NULL },
                              { "shot/pose_error_max", 1, 1, &r->pose_error_max, NULL },
                              { "shot/ghost_force_max", 1, 1, &r->ghost_force_max, NULL },
                              { "shot/ghost_share", 1, 1, &r->ghost_share, NULL },
                              { "shot/steps", h->count * (shot->def.frames + 1), shot->n, h->steps, NULL } };
    for (int i = 0; shot->world && i < shot->world->count; i++)
        LIL_TRY(list_surface_keys(shot, arena, i, tables, count));
    for (size_t i = 0; i < sizeof own / sizeof own[0] - !h->steps; i++)
        tables[(*count)++] = own[i];
    LIL_TRY(list_targets(shot, arena, tables, count));
    return list_levels(shot, arena, tables, count);
}
