/* The pairs that are near within a part at rest: a list that is built once. */
#include "core/grow.h"
#include "geometry/neighbours_work.h"
#include "math/matrix3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_firm(const lil_neighbours *n, int patch)
{
    int part = n->nodes[n->patches + patch].part;
    bool firm = part >= 0 && !never_meet(n, part, part);
    for (int i = patch * LEAVES * LEAF; i < patch_end(n, patch); i++)
        firm = firm && n->elements[i].count == 3;
    return firm;
}

/* Half of a mean edge: fine enough a surface can be strained by much before it is asked what is farther apart. */
static void set_limits(lil_neighbours *n, const double *x, double share)
{
    int parts = n->shell->part_count;
    for (int part = 0; part < parts; part++) {
        double sum = 0;
        int edges = 0;
        for (int i = 0; i < n->count; i++)
            for (int k = 0; n->elements[i].part == part && k < n->elements[i].count; k++, edges++) {
                const double *a = x + 3 * n->elements[i].corners[k],
                             *b = x + 3 * n->elements[i].corners[(k + 1) % n->elements[i].count];
                double way[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
                sum += sqrt(lil_dot3(way, way));
            }
        n->rest.limit[part] = edges ? share * sum / edges : 0;
    }
}

/* The list under construction; to be freed. */
typedef struct rest_store {
    rest_pair *pairs;
    rest_run *runs;
    size_t pair_count, pair_room, run_count, run_room;
} rest_store;

/* Those of a leaf and a patch that are nearer than the limit. */
static lil_status list_run(lil_neighbours *n, int leaf, const meeting *m, const double *x, rest_store *to)
{
    int patch = m->tie.b;
    lil_neighbours_pair pairs[LEAVES * LEAF * LEAF * PAIRS];
    found f = { .list = pairs, .room = LEAVES * LEAF * LEAF * PAIRS };
    double limit = n->rest.limit[n->nodes[n->patches + patch].part];
    rest_run run = { patch, (int)to->pair_count, 0 };
    lil_neighbours_search(n, &f, m, leaf);
    for (int i = 0; i < f.count; i++) {
        double at[12];
        for (int k = 0; k < 4; k++)
            memcpy(at + 3 * k, x + 3 * pairs[i].at[k], 3 * sizeof *at);
        double apart = sqrt(lil_pair_square(pairs[i].kind, at));
        if (!(apart < limit))
            continue;
        LIL_TRY(lil_grow(n->ctx, &to->pairs, &to->pair_room, to->pair_count, 1, sizeof *to->pairs));
        to->pairs[to->pair_count++] = (rest_pair){ pairs[i], (float)(apart * (1 - 0x1p-23)) };
        run.count++;
    }
    if (run.count == 0)
        return LIL_OK;
    LIL_TRY(lil_grow(n->ctx, &to->runs, &to->run_room, to->run_count, 1, sizeof *to->runs));
    to->runs[to->run_count++] = run;
    return LIL_OK;
}

/* All of them, at most `most`: more are not listed to their end. */
static lil_status list_rest(lil_neighbours *n, const double *x, size_t most, rest_store *to)
{
    to->pair_count = to->run_count = 0;
    for (int leaf = 0; leaf * LEAF < n->count; leaf++) {
        int patch = leaf / LEAVES;
        const found *f = &n->found[patch / SHARE];
        n->rest.run_first[leaf] = (int)to->run_count;
        for (int k = f->first[patch % SHARE]; k < f->first[patch % SHARE + 1] && to->pair_count <= most; k++)
            if (n->rest.firm[patch] && n->rest.firm[f->meetings[k].tie.b])
                LIL_TRY(list_run(n, leaf, &f->meetings[k], x, to));
        n->rest.run_first[leaf + 1] = (int)to->run_count;
    }
    return LIL_OK;
}

/* As a search in which every part meets itself alone, within its limit. */
static lil_status search_rest(lil_neighbours *n, lil_threads *threads, const double *x, double *far, rest_store *to)
{
    const size_t EACH = 8; /* mean number of pairs per element that is worth its memory */
    double share = 0.5;
    for (int tries = 0; tries < 4; tries++, share /= 2) {
        set_limits(n, x, share);
        n->margin = 0;
        for (int i = 0; i < n->count; i++)
            for (int k = 0; k < n->elements[i].count; k++) {
                int part = n->elements[i].part;
                far[n->elements[i].corners[k]] = n->rest.limit[part] / 2 - n->shell->reach[part];
                n->margin = fmax(n->margin, n->rest.limit[part] / 2);
            }
        n->x0 = n->x1 = x;
        n->own = &(lil_neighbours_own){ .x = x, .far = far };
        lil_neighbours_fit(n, threads);
        LIL_HAVE(n->ctx, lil_neighbours_meet(n, threads));
        lil_neighbours_detail(n, threads);
        LIL_TRY(list_rest(n, x, EACH * (size_t)n->count, to));
        if (to->pair_count <= EACH * (size_t)n->count)
            return LIL_OK;
    }
    n->rest.firm = LIL_NEW(n->arena, bool, n->patches); /* too many are near: nothing is known */
    return n->rest.firm ? LIL_OK : lil_fail_memory(n->ctx);
}

static lil_status keep_rest(lil_neighbours *n, const rest_store *from)
{
    LIL_ALLOC(n->ctx, n->arena, n->rest.pairs, from->pair_count);
    LIL_ALLOC(n->ctx, n->arena, n->rest.runs, from->run_count);
    if (from->pair_count)
        memcpy(n->rest.pairs, from->pairs, from->pair_count * sizeof *from->pairs);
    if (from->run_count)
        memcpy(n->rest.runs, from->runs, from->run_count * sizeof *from->runs);
    return LIL_OK;
}

lil_status lil_neighbours_know_rest(lil_neighbours *n, lil_threads *threads, const double *x, int point_count,
                                    const double *thickness)
{
    rest_list *rest = &n->rest;
    rest_store store = { 0 };
    int firm = 0;
    rest->run_first = LIL_NEW(n->arena, int, n->count / LEAF + 2);
    rest->limit = LIL_NEW(n->arena, double, n->shell->part_count);
    rest->slack = LIL_NEW(n->arena, double, n->patches);
    rest->far = LIL_NEW(n->arena, double, n->patches);
    rest->needed = LIL_NEW(n->arena, bool, n->patches);
    rest->firm = LIL_NEW(n->arena, bool, n->patches);
    rest->thickness = thickness;
    rest->least_slack = INFINITY;
    double *far = LIL_NEW(n->arena, double, point_count);
    LIL_HAVE(n->ctx, rest->run_first && rest->limit && rest->slack && rest->far && rest->needed && rest->firm && far);
    for (int i = 0; i * LEAF * LEAVES < n->count; i++) {
        rest->firm[i] = is_firm(n, i);
        rest->slack[i] = 0.1 * n->reach[i];
        rest->least_slack = fmin(rest->least_slack, rest->slack[i]);
        firm += rest->firm[i];
    }
    if (firm == 0)
        return LIL_OK;
    lil_status status = search_rest(n, threads, x, far, &store);
    status = status == LIL_OK ? keep_rest(n, &store) : status;
    free(store.pairs);
    free(store.runs);
    n->own = NULL;
    LIL_TRY(status);
    LIL_TRY(lil_patches_create(n->ctx, n->arena, n->patches, n->begin, n->points, rest->firm, x, &rest->step));
    return lil_patches_create(n->ctx, n->arena, n->patches, n->begin, n->points, rest->firm, x, &rest->patches);
}
