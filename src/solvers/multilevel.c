/* Levels: their interpolation, the structure of their matrices, and where each block goes. */
#include "solvers/multilevel.h"

#include "core/order.h"

#include <stdlib.h>
#include <string.h>

enum { COARSEST = 24 };                           /* rows of a part that are inverted */
static const double GROWTH_FIRST = 3, GROWTH = 2; /* of cells, from level to level */

/* Scratch: pairs of nodes that are coupled. */
typedef struct pairs {
    int (*at)[2];
    int count, room;
} pairs;

static bool pairs_add(pairs *p, int a, int b)
{
    if (p->count == p->room) {
        int room = 2 * p->room + 1024;
        int(*at)[2] = realloc(p->at, (size_t)room * sizeof *at);
        if (!at)
            return false;
        p->at = at;
        p->room = room;
    }
    p->at[p->count][0] = a;
    p->at[p->count++][1] = b;
    return true;
}

/* ---- interpolation the other way ---- */

static lil_status gather_rows(lil_context *ctx, lil_arena *arena, lil_level *level)
{
    const lil_interpolation *P = &level->P;
    int n = level->A->n;
    bool again = level->begin != NULL;
    if (!again && !(level->begin = LIL_NEW(arena, int, P->nodes + 1)))
        return lil_fail_memory(ctx);
    memset(level->begin, 0, ((size_t)P->nodes + 1) * sizeof *level->begin);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            if (P->weight[i][k] != 0)
                level->begin[P->node[i][k] + 1]++;
    for (int I = 0; I < P->nodes; I++)
        level->begin[I + 1] += level->begin[I];
    level->fine = again ? level->fine : LIL_NEW(arena, int, level->begin[P->nodes]);
    level->share = again ? level->share : LIL_NEW(arena, float, level->begin[P->nodes]);
    int *next = malloc(((size_t)P->nodes + 1) * sizeof *next);
    if (!level->fine || !level->share || !next) {
        free(next);
        return lil_fail_memory(ctx);
    }
    memcpy(next, level->begin, ((size_t)P->nodes + 1) * sizeof *next);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            if (P->weight[i][k] != 0) {
                int at = next[P->node[i][k]]++;
                level->fine[at] = i;
                level->share[at] = P->weight[i][k];
            }
    free(next);
    return LIL_OK;
}

/* ---- which nodes are coupled ---- */

static bool add_nodes(const lil_interpolation *P, int row, int I, int *seen, pairs *p)
{
    for (int k = 0; k < 4; k++) {
        int J = P->node[row][k];
        if (P->weight[row][k] == 0 || J <= I || seen[J] == I)
            continue;
        seen[J] = I;
        if (!pairs_add(p, I, J))
            return false;
    }
    return true;
}

/* Nodes of a row and of the rows that are coupled with it. */
static bool couple_nodes(const lil_level *level, pairs *p)
{
    const lil_blocks *A = level->A;
    const lil_interpolation *P = &level->P;
    int *seen = malloc(((size_t)P->nodes + 1) * sizeof *seen);
    bool ok = seen != NULL;
    for (int I = 0; ok && I < P->nodes; I++)
        seen[I] = -1;
    for (int I = 0; ok && I < P->nodes; I++) {
        bool held = false;
        for (int e = level->begin[I]; ok && e < level->begin[I + 1]; e++) {
            int i = level->fine[e];
            held = held || A->held[i] >= 0;
            ok = add_nodes(P, i, I, seen, p);
            for (int side = 0; side < 2; side++)
                for (int k = lil_blocks_first(A, i / 8, side); ok && k < lil_blocks_last(A, i / 8, side); k++)
                    ok = A->source[k][i % 8] < 0 || add_nodes(P, A->column[k][i % 8], I, seen, p);
        }
        ok = ok && (!held || pairs_add(p, I, -1));
    }
    free(seen);
    return ok;
}

/* ---- sums ---- */

typedef struct keyed {
    int node[4], row;
} keyed;

static int multilevel_compare(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    int order = lil_order_list(x->node, y->node, 4);
    return order ? order : lil_order(x->row, y->row);
}

static lil_status alloc_galerkin(lil_context *ctx, lil_arena *arena, lil_level *level, const lil_blocks *next)
{
    int n = level->A->n;
    level->mass = LIL_NEW(arena, double, next->n);
    level->sorted = LIL_NEW(arena, int, n);
    bool ok = level->mass && level->sorted;
    int most = 0; /* blocks of a row */
    for (int g = 0; g < next->groups; g++) {
        int slots = next->lower[g + 1] - next->lower[g] + next->upper[g] - next->upper[g + 1];
        most = slots > most ? slots : most;
    }
    for (int k = 0; ok && k < LIL_GALERKIN_PARTS; k++) {
        lil_galerkin *part = level->part[k] = LIL_NEW(arena, lil_galerkin, 1);
        ok = part && (part->blocks = LIL_NEW(arena, float, 9 * ((size_t)next->places + 1)));
        for (int i = 0; ok && i < 4; i++) {
            part->maps[i] = (lil_galerkin_map){ -1, 0, LIL_NEW(arena, int, most), LIL_NEW(arena, int, next->n) };
            ok = part->maps[i].list && part->maps[i].map;
            for (int J = 0; ok && J < next->n; J++)
                part->maps[i].map[J] = 2 * next->places;
        }
    }
    keyed *rows = malloc(((size_t)n + 1) * sizeof *rows);
    if (!ok || !rows) {
        free(rows);
        return lil_fail_memory(ctx);
    }
    for (int i = 0; i < n; i++) {
        rows[i].row = i;
        memcpy(rows[i].node, level->P.node[i], sizeof rows[i].node);
    }
    qsort(rows, (size_t)n, sizeof *rows, multilevel_compare);
    for (int i = 0; i < n; i++)
        level->sorted[i] = rows[i].row;
    free(rows);
    return LIL_OK;
}

/* Nodes get the numbers of their rows in the next matrix, and the cloud its order. */
static lil_status renumber(lil_context *ctx, lil_level *level, const lil_blocks *next, const int *row,
                           lil_cloud *cloud)
{
    int nodes = level->P.nodes;
    double *x = malloc(3 * ((size_t)nodes + 1) * sizeof *x), *size = malloc(((size_t)nodes + 1) * sizeof *size);
    int *part = malloc(((size_t)nodes + 1) * sizeof *part);
    bool ok = x && size && part;
    for (int I = 0; ok && I < nodes; I++) {
        int from = next->order[I];
        memcpy(x + 3 * (size_t)I, cloud->x + 3 * (size_t)from, 3 * sizeof *x);
        size[I] = cloud->size[from];
        part[I] = cloud->part[from];
    }
    for (int i = 0; ok && i < level->A->n; i++)
        for (int k = 0; k < 4; k++)
            level->P.node[i][k] = row[level->P.node[i][k]];
    int parts = cloud->parts;
    lil_cloud_free(cloud);
    *cloud = (lil_cloud){ x, size, part, parts };
    return ok ? LIL_OK : lil_fail_memory(ctx);
}

/* ---- levels ---- */

static lil_status alloc_vectors(lil_context *ctx, lil_arena *arena, lil_level *level)
{
    LIL_ALLOC_ALL(ctx, arena, lil_float4, lil_blocks_rows(level->A), &level->r, &level->z, &level->w);
    return LIL_OK;
}

/* The next level below `level`, whose cloud is exchanged with the next one's. */
static lil_status add_level(lil_context *ctx, lil_arena *arena, lil_level *level, lil_blocks *next, lil_cloud *cloud,
                            lil_cloud *coarse)
{
    pairs p = { 0 };
    lil_status status = gather_rows(ctx, arena, level);
    if (status == LIL_OK && !couple_nodes(level, &p))
        status = lil_fail_memory(ctx);
    int *where = malloc(((size_t)p.count + 1) * sizeof *where),
        *row = malloc(((size_t)level->P.nodes + 1) * sizeof *row);
    if (status == LIL_OK && (!where || !row))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = lil_blocks_create(ctx, arena, level->P.nodes, coarse->x, p.count, (const int(*)[2])p.at,
                                   level->A->threads, next, where);
    if (status == LIL_OK) {
        for (int I = 0; I < next->n; I++)
            row[next->order[I]] = I;
        status = renumber(ctx, level, next, row, coarse);
    }
    if (status == LIL_OK)
        status = gather_rows(ctx, arena, level); /* again, by the new numbers */
    if (status == LIL_OK)
        status = alloc_galerkin(ctx, arena, level, next);
    lil_cloud swap = *cloud;
    *cloud = *coarse;
    *coarse = swap;
    free(where);
    free(row);
    free(p.at);
    return status;
}

/* The parts of the coarsest level that are small enough to be inverted. */
static lil_status multilevel_list_parts(lil_context *ctx, lil_arena *arena, lil_multilevel *m, const lil_cloud *cloud)
{
    int n = m->level[m->levels - 1].A->n, most = 0;
    m->parts = cloud->parts;
    LIL_ALLOC(ctx, arena, m->part_begin, m->parts + 2);
    LIL_ALLOC(ctx, arena, m->part_row, n);
    LIL_ALLOC(ctx, arena, m->part_inverse, m->parts + 1);
    for (int i = 0; i < n; i++)
        m->part_begin[cloud->part[i] + 2]++;
    for (int p = 0; p < m->parts; p++) {
        size_t rows = (size_t)m->part_begin[p + 2], side = 3 * rows;
        most = m->part_begin[p + 2] > most ? m->part_begin[p + 2] : most;
        m->part_inverse[p + 1] = m->part_inverse[p] + side * side;
        m->part_begin[p + 2] += m->part_begin[p + 1];
    }
    for (int i = 0; i < n; i++)
        m->part_row[m->part_begin[cloud->part[i] + 1]++] = i;
    if (most > COARSEST)
        return LIL_OK; /* could not be coarsened further: smoothed alone */
    m->inverse = LIL_NEW(arena, float, m->part_inverse[m->parts]);
    m->dense = LIL_NEW(arena, double, 2 * (3 * (size_t)most) * (3 * (size_t)most));
    return m->inverse && m->dense ? LIL_OK : lil_fail_memory(ctx);
}

static int largest_part(const lil_cloud *cloud, int n, int *rows)
{
    int most = 0;
    memset(rows, 0, ((size_t)cloud->parts + 1) * sizeof *rows);
    for (int i = 0; i < n; i++) {
        int count = ++rows[cloud->part[i]];
        most = count > most ? count : most;
    }
    return most;
}

static lil_status multilevel_add_levels(lil_context *ctx, lil_arena *arena, lil_multilevel *m, lil_cloud *cloud,
                                        int *rows)
{
    while (m->levels < LIL_LEVELS_MAX) {
        lil_level *level = &m->level[m->levels - 1];
        if (largest_part(cloud, level->A->n, rows) <= COARSEST)
            break;
        lil_cloud coarse;
        LIL_TRY(lil_coarsen(ctx, arena, level->A->n, cloud, m->levels == 1 ? GROWTH_FIRST : GROWTH, COARSEST,
                            &level->P, &coarse));
        if (level->P.nodes == 0 || level->P.nodes > 3 * (level->A->n / 4)) {
            lil_cloud_free(&coarse);
            break;
        }
        lil_level *next = &m->level[m->levels];
        next->A = next->coarse = LIL_NEW(arena, lil_blocks, 1);
        lil_status status =
            next->A ? add_level(ctx, arena, level, next->coarse, cloud, &coarse) : lil_fail_memory(ctx);
        lil_cloud_free(&coarse);
        if (status == LIL_OK)
            status = alloc_vectors(ctx, arena, next);
        if (status != LIL_OK)
            return status;
        m->levels++;
    }
    return multilevel_list_parts(ctx, arena, m, cloud);
}

lil_status lil_multilevel_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, const double *x,
                                 lil_multilevel *m)
{
    *m = (lil_multilevel){ .levels = 1 };
    m->level[0].A = A;
    lil_cloud cloud;
    bool ok = lil_cloud_create(A, x, &cloud);
    int *rows = ok ? malloc(((size_t)cloud.parts + 1) * sizeof *rows) : NULL;
    lil_status status = rows ? alloc_vectors(ctx, arena, &m->level[0]) : lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = multilevel_add_levels(ctx, arena, m, &cloud, rows);
    free(rows);
    lil_cloud_free(&cloud);
    return status;
}
