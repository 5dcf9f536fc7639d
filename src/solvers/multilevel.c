/* Levels: their interpolation, the structure of their matrices, and where each block goes. */
#include "solvers/multilevel.h"

#include <stdlib.h>
#include <string.h>

enum {
    COARSEST = 24, /* rows of a part that are inverted */
    FEWEST = 2000, /* places, for sums in several parts */
};

/* Scratch: pairs of nodes, by the lower one. */
typedef struct pairs {
    int *begin; /* nodes + 1 */
    int (*at)[2];
    int *where; /* in the coarse matrix */
    int count, room;
} pairs;

static void pairs_free(pairs *p)
{
    free(p->begin);
    free(p->at);
    free(p->where);
}

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

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* which of the pairs is (a, b); b == -1: the one with a held end */
static int pairs_find(const pairs *p, int a, int b)
{
    if (b >= 0 && b < a) {
        int swap = a;
        a = b;
        b = swap;
    }
    int low = p->begin[a], high = p->begin[a + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->at[middle][1] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
    p->begin = calloc((size_t)P->nodes + 2, sizeof *p->begin);
    bool ok = seen && p->begin;
    for (int I = 0; ok && I < P->nodes; I++)
        seen[I] = -1;
    for (int I = 0; ok && I < P->nodes; I++) {
        bool held = false;
        for (int e = level->begin[I]; ok && e < level->begin[I + 1]; e++) {
            int i = level->fine[e];
            held = held || A->held[i] >= 0;
            ok = add_nodes(P, i, I, seen, p);
            for (int k = A->start[i / 8]; ok && k < A->start[i / 8 + 1] && A->source[k][i % 8] >= 0; k++)
                ok = add_nodes(P, A->slots[k].column[i % 8], I, seen, p);
        }
        ok = ok && (!held || pairs_add(p, I, -1));
        if (ok)
            qsort(p->at + p->begin[I], (size_t)(p->count - p->begin[I]), sizeof *p->at, compare);
        p->begin[I + 1] = p->count;
    }
    free(seen);
    p->where = malloc(((size_t)p->count + 1) * sizeof *p->where);
    return ok && p->where;
}

/* ---- where each block goes ---- */

/* for a block whose rows belong to node I and columns to J (-1: held) */
static int target_of(const lil_blocks *next, const int *row, const pairs *p, int I, int J)
{
    int place = p->where[pairs_find(p, I, J)];
    return 2 * place + (next->at[place][0] != row[I]);
}

static void set_targets(lil_level *level, const lil_blocks *next, const int *row, const pairs *p)
{
    const lil_blocks *A = level->A;
    const lil_interpolation *P = &level->P;
    for (int q = 0; q < A->places; q++)
        for (int k = 0; k < 16; k++) {
            int a = A->at[q][0], b = A->at[q][1], i = k / 4, j = k % 4;
            level->target[q][k] = 2 * next->places; /* nowhere */
            if (P->weight[a][i] == 0)
                continue;
            int I = P->node[a][i];
            if (b < 0) {
                if (j == 0)
                    level->target[q][k] = target_of(next, row, p, I, -1);
            } else if (P->weight[b][j] != 0 && P->node[b][j] != I) {
                level->target[q][k] = target_of(next, row, p, I, P->node[b][j]);
            }
        }
    for (int a = 0; a < A->n; a++)
        for (int i = 0, k = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++, k++) {
                bool used = P->weight[a][i] != 0 && P->weight[a][j] != 0;
                level->own[a][k] = used ? target_of(next, row, p, P->node[a][i], P->node[a][j]) : 2 * next->places;
            }
}

static lil_status alloc_targets(lil_context *ctx, lil_arena *arena, lil_level *level, const lil_blocks *next)
{
    level->target = lil_arena_alloc(arena, (size_t)level->A->places, sizeof *level->target);
    level->own = lil_arena_alloc(arena, (size_t)level->A->n, sizeof *level->own);
    level->mass = LIL_NEW(arena, double, next->n);
    level->parts = level->A->places < FEWEST ? 1 : LIL_GALERKIN_PARTS;
    bool ok = level->target && level->own && level->mass;
    for (int k = 0; ok && k < level->parts; k++)
        ok = (level->sums[k] = LIL_NEW(arena, float, 9 * ((size_t)next->places + 1))) != NULL;
    return ok ? LIL_OK : lil_fail_memory(ctx);
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
    lil_float4 **all[] = { &level->r, &level->z, &level->w, &level->y };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if (!(*all[k] = LIL_NEW(arena, lil_float4, lil_blocks_rows(level->A))))
            return lil_fail_memory(ctx);
    return LIL_OK;
}

/* The next level below `level`, whose cloud is replaced by the next one's. */
static lil_status add_level(lil_context *ctx, lil_arena *arena, lil_level *level, lil_blocks *next, lil_cloud *cloud,
                            lil_cloud *coarse)
{
    pairs p = { 0 };
    lil_status status = gather_rows(ctx, arena, level);
    if (status == LIL_OK && !couple_nodes(level, &p))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = lil_blocks_create(ctx, arena, level->P.nodes, coarse->x, p.count, (const int(*)[2])p.at,
                                   level->A->threads, next, p.where);
    int *row = malloc(((size_t)level->P.nodes + 1) * sizeof *row);
    if (status == LIL_OK)
        status = row ? alloc_targets(ctx, arena, level, next) : lil_fail_memory(ctx);
    if (status == LIL_OK) {
        for (int I = 0; I < next->n; I++)
            row[next->order[I]] = I;
        set_targets(level, next, row, &p);
        status = renumber(ctx, level, next, row, coarse);
    }
    if (status == LIL_OK)
        status = gather_rows(ctx, arena, level); /* again, by the new numbers */
    lil_cloud swap = *cloud;
    *cloud = *coarse;
    *coarse = swap;
    free(row);
    pairs_free(&p);
    return status;
}

/* The parts of the coarsest level that are small enough to be inverted. */
static lil_status list_parts(lil_context *ctx, lil_arena *arena, lil_multilevel *m, const lil_cloud *cloud)
{
    int n = m->level[m->levels - 1].A->n, most = 0;
    m->parts = cloud->parts;
    m->part_begin = LIL_NEW(arena, int, m->parts + 2);
    m->part_row = LIL_NEW(arena, int, n);
    m->part_inverse = LIL_NEW(arena, size_t, m->parts + 1);
    if (!m->part_begin || !m->part_row || !m->part_inverse)
        return lil_fail_memory(ctx);
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

static lil_status add_levels(lil_context *ctx, lil_arena *arena, lil_multilevel *m, lil_cloud *cloud, int *rows)
{
    while (m->levels < LIL_LEVELS_MAX) {
        lil_level *level = &m->level[m->levels - 1];
        if (largest_part(cloud, level->A->n, rows) <= COARSEST)
            break;
        lil_cloud coarse;
        LIL_TRY(lil_coarsen(ctx, arena, level->A->n, cloud, COARSEST, &level->P, &coarse));
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
    return list_parts(ctx, arena, m, cloud);
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
        status = add_levels(ctx, arena, m, &cloud, rows);
    free(rows);
    lil_cloud_free(&cloud);
    return status;
}
