#include "solvers/coarsen.h"

#include "core/disjoint_sets.h"
#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FEWEST_TIMES = 2, MOST_TIMES = 60; /* as many rows as nodes */
static const float TINY = 1e-2f;                       /* nodes whose weights are all below it are left out */

/* ---- clouds ---- */

static bool cloud_alloc(lil_cloud *cloud, int n)
{
    cloud->x = malloc(3 * ((size_t)n + 1) * sizeof(double));
    cloud->size = calloc((size_t)n + 1, sizeof(double));
    cloud->part = malloc(((size_t)n + 1) * sizeof(int));
    return cloud->x && cloud->size && cloud->part;
}

void lil_cloud_free(lil_cloud *cloud)
{
    free(cloud->x);
    free(cloud->size);
    free(cloud->part);
    *cloud = (lil_cloud){ 0 };
}

static double coarsen_apart(const double *x, int i, int j)
{
    double s = 0;
    for (int d = 0; d < 3; d++)
        s += (x[3 * (size_t)i + d] - x[3 * (size_t)j + d]) * (x[3 * (size_t)i + d] - x[3 * (size_t)j + d]);
    return sqrt(s);
}

bool lil_cloud_create(const lil_blocks *A, const double *x, lil_cloud *cloud)
{
    int n = A->n, *parent = malloc(((size_t)n + 1) * sizeof *parent), *degree = calloc((size_t)n + 1, sizeof *degree);
    *cloud = (lil_cloud){ 0 };
    bool ok = parent && degree && cloud_alloc(cloud, n);
    if (ok)
        lil_sets_begin(parent, n);
    for (int i = 0; ok && i < n; i++)
        memcpy(cloud->x + 3 * (size_t)i, x + 3 * (size_t)A->order[i], 3 * sizeof *x);
    for (int p = 0; ok && p < A->places; p++) {
        int i = A->at[p][0], j = A->at[p][1];
        if (j < 0)
            continue;
        double length = coarsen_apart(cloud->x, i, j);
        cloud->size[i] += length;
        cloud->size[j] += length;
        degree[i]++;
        degree[j]++;
        lil_sets_join(parent, i, j);
    }
    cloud->parts = ok ? lil_sets_number(parent, n, cloud->part) : 0;
    for (int i = 0; ok && i < n; i++)
        cloud->size[i] /= degree[i] ? degree[i] : 1;
    free(parent);
    free(degree);
    return ok;
}

/* ---- grids ---- */

typedef struct grid {
    double origin[3], cell[3];
    int cells[3];
    bool kept; /* too small to be coarsened */
} grid;

/* Nodes by (part, i, j, k) or by row, in a table with open addressing. */
typedef struct key {
    int part, at[3];
} key;

typedef struct nodes {
    key *keys;   /* of a node; a row's own: { -1, { row } } */
    float *most; /* the largest weight that it has */
    int count, room;
    int *table; /* of nodes, or -1 */
    size_t mask;
} nodes;

static size_t coarsen_hash(const key *k)
{
    uint64_t h = (uint64_t)(uint32_t)k->part * UINT64_C(0x9e3779b97f4a7c15);
    for (int d = 0; d < 3; d++)
        h = (h ^ (uint32_t)k->at[d]) * UINT64_C(0xff51afd7ed558ccd), h ^= h >> 32;
    return (size_t)h;
}

/* the node's number; a new one if it has none yet: there is room for all */
static int node_at(nodes *all, const key *k)
{
    size_t slot = coarsen_hash(k) & all->mask;
    for (; all->table[slot] >= 0; slot = (slot + 1) & all->mask)
        if (memcmp(&all->keys[all->table[slot]], k, sizeof *k) == 0)
            return all->table[slot];
    all->keys[all->count] = *k;
    all->most[all->count] = 0;
    all->table[slot] = all->count;
    return all->count++;
}

static bool nodes_alloc(nodes *all, int n)
{
    all->room = 4 * n + 1;
    all->mask = 1;
    while (all->mask < 2 * (size_t)all->room)
        all->mask *= 2;
    all->table = malloc(all->mask * sizeof *all->table);
    all->keys = malloc((size_t)all->room * sizeof *all->keys);
    all->most = malloc((size_t)all->room * sizeof *all->most);
    all->mask--;
    return all->table && all->keys && all->most;
}

static void nodes_free(nodes *all)
{
    free(all->table);
    free(all->keys);
    free(all->most);
}

/* boxes, and cells of about H that fill them */
static void make_grids(int n, const lil_cloud *cloud, double H, int small, const int *rows, grid *grids)
{
    for (int p = 0; p < cloud->parts; p++)
        for (int d = 0; d < 3; d++) {
            grids[p].origin[d] = INFINITY;
            grids[p].cell[d] = -INFINITY;
        }
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            grid *g = &grids[cloud->part[i]];
            g->origin[d] = fmin(g->origin[d], cloud->x[3 * (size_t)i + d]);
            g->cell[d] = fmax(g->cell[d], cloud->x[3 * (size_t)i + d]);
        }
    for (int p = 0; p < cloud->parts; p++) {
        grids[p].kept = rows[p] <= small;
        for (int d = 0; d < 3; d++) {
            double side = grids[p].cell[d] - grids[p].origin[d], cells = fmin(fmax(round(side / H), 1), 1 << 20);
            grids[p].cells[d] = (int)cells;
            grids[p].cell[d] = side > 0 ? side / cells : 1;
        }
    }
}

/* ---- weights ---- */

/* The tet around x: from a corner of its cell to the opposite one, along the axes in the order of x's fractions. */
static void locate(const grid *g, int part, const double x[3], key corner[4], float weight[4])
{
    double f[3];
    int first[3], axis[3] = { 0, 1, 2 };
    for (int d = 0; d < 3; d++) {
        double along = (x[d] - g->origin[d]) / g->cell[d];
        double cell = fmin(fmax(floor(along), 0), g->cells[d] - 1);
        first[d] = (int)cell;
        f[d] = fmin(fmax(along - cell, 0), 1);
    }
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2 - a; b++)
            if (f[axis[b]] < f[axis[b + 1]]) {
                int swap = axis[b];
                axis[b] = axis[b + 1];
                axis[b + 1] = swap;
            }
    corner[0] = (key){ part, { first[0], first[1], first[2] } };
    for (int k = 1; k < 4; k++) {
        corner[k] = corner[k - 1];
        corner[k].at[axis[k - 1]]++;
    }
    weight[0] = (float)(1 - f[axis[0]]);
    weight[1] = (float)(f[axis[0]] - f[axis[1]]);
    weight[2] = (float)(f[axis[1]] - f[axis[2]]);
    weight[3] = (float)f[axis[2]];
}

/* For each row: its tet's corners as nodes, or a node of its own. */
static void first_weights(int n, const lil_cloud *cloud, const grid *grids, nodes *all, lil_interpolation *P)
{
    for (int i = 0; i < n; i++) {
        const grid *g = &grids[cloud->part[i]];
        key corner[4] = { { -1, { i, 0, 0 } } };
        float weight[4] = { 1 };
        if (!g->kept)
            locate(g, cloud->part[i], cloud->x + 3 * (size_t)i, corner, weight);
        for (int k = 0; k < 4; k++) {
            bool used = weight[k] > 1e-6f;
            int node = P->node[i][k] = used ? node_at(all, &corner[k]) : 0;
            P->weight[i][k] = used ? weight[k] : 0;
            if (used)
                all->most[node] = fmaxf(all->most[node], weight[k]);
        }
    }
}

/* A node that all its points hardly touch would make the coarse matrix almost singular: its weights go, others
 * make up. */
static void drop_tiny(int n, const nodes *all, lil_interpolation *P)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            if (P->weight[i][k] != 0 && all->most[P->node[i][k]] < TINY)
                P->weight[i][k] = 0;
            sum += P->weight[i][k];
        }
        for (int k = 0; k < 4; k++)
            P->weight[i][k] /= sum;
    }
}

/* Numbers for the nodes that are used, and what is known of them. */
static bool number_nodes(int n, const lil_cloud *cloud, const grid *grids, const nodes *all, lil_interpolation *P,
                         lil_cloud *coarse)
{
    int *number = malloc((size_t)all->room * sizeof *number);
    *coarse = (lil_cloud){ .parts = cloud->parts };
    if (!number || !cloud_alloc(coarse, all->count)) {
        free(number);
        return false;
    }
    memset(number, -1, (size_t)all->room * sizeof *number);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            if (P->weight[i][k] == 0) {
                P->node[i][k] = 0;
                continue;
            }
            int node = P->node[i][k], new = number[node];
            const key *at = &all->keys[node];
            if (new < 0) {
                const grid *g = &grids[cloud->part[i]];
                new = number[node] = P->nodes++;
                coarse->part[new] = cloud->part[i];
                coarse->size[new] = at->part < 0 ? cloud->size[i] : cbrt(g->cell[0] * g->cell[1] * g->cell[2]);
                for (int d = 0; d < 3; d++)
                    coarse->x[3 * (size_t) new + d] =
                        at->part < 0 ? cloud->x[3 * (size_t)i + d] : g->origin[d] + at->at[d] * g->cell[d];
            }
            P->node[i][k] = new;
        }
    free(number);
    return true;
}

static int coarsen_compare(const void *a, const void *b)
{
    return lil_order_real(*(const double *)a, *(const double *)b);
}

/* a quarter of the rows that can be coarsened have neighbours at most this near */
static double typical_size(int n, const lil_cloud *cloud, int small, const int *rows, double *sorted)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (rows[cloud->part[i]] > small)
            sorted[count++] = cloud->size[i];
    qsort(sorted, (size_t)count, sizeof *sorted, coarsen_compare);
    return count ? sorted[count / 4] : 0;
}

/* Grids with cells of about H, or of another size if these are so many that nothing is won, or so few that
 * smoothing could not reach across them: where edges are long one way and short another, their mean says little. */
static void choose_nodes(int n, const lil_cloud *cloud, double H, int small, const int *rows, grid *grids, nodes *all,
                         lil_interpolation *P)
{
    int coarsened = 0;
    for (int i = 0; i < n; i++)
        coarsened += rows[cloud->part[i]] > small;
    for (int tries = 0; tries < 8; tries++) {
        all->count = 0;
        memset(all->table, -1, (all->mask + 1) * sizeof *all->table);
        make_grids(n, cloud, H, small, rows, grids);
        first_weights(n, cloud, grids, all, P);
        double share = (double)(all->count - (n - coarsened)) / coarsened;
        if (share > 1. / FEWEST_TIMES)
            H *= 1.5;
        else if (share < 1. / MOST_TIMES)
            H *= cbrt(0.4 * MOST_TIMES * share);
        else
            break;
    }
}

lil_status lil_coarsen(lil_context *ctx, lil_arena *arena, int n, const lil_cloud *cloud, double growth, int small,
                       lil_interpolation *P, lil_cloud *coarse)
{
    nodes all = { 0 };
    *P = (lil_interpolation){ .node = lil_arena_alloc(arena, (size_t)n, sizeof(int[4])),
                              .weight = lil_arena_alloc(arena, (size_t)n, sizeof(float[4])) };
    *coarse = (lil_cloud){ 0 };
    int *rows = calloc((size_t)cloud->parts + 1, sizeof *rows);
    grid *grids = malloc(((size_t)cloud->parts + 1) * sizeof *grids);
    double *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    bool ok = P->node && P->weight && rows && grids && sorted && nodes_alloc(&all, n);
    for (int i = 0; ok && i < n; i++)
        rows[cloud->part[i]]++;
    double H = ok ? growth * typical_size(n, cloud, small, rows, sorted) : 0;
    if (ok && H > 0 && H < INFINITY) {
        choose_nodes(n, cloud, H, small, rows, grids, &all, P);
        drop_tiny(n, &all, P);
        ok = number_nodes(n, cloud, grids, &all, P, coarse);
    }
    nodes_free(&all);
    free(rows);
    free(grids);
    free(sorted);
    return ok ? LIL_OK : lil_fail_memory(ctx);
}
