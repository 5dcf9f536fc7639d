/* The tree of the broad phase: elements in the order of where they are, and what each of them owns. */
#include "core/order.h"
#include "geometry/neighbours_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int neighbours_create_corners_of(const int corners[3])
{
    return corners[1] < 0 ? 1 : corners[2] < 0 ? 2 : 3;
}

typedef struct owned_edge {
    int a, b, element, place;
} owned_edge;

static int by_edge(const void *p, const void *q)
{
    const owned_edge *x = p, *y = q;
    if (x->a != y->a)
        return lil_order(x->a, y->a);
    return x->b != y->b ? lil_order(x->b, y->b) : lil_order(x->element, y->element);
}

/* The first element in the tree that has an edge owns it. A vertex belongs to the first of its elements whose part
 * is the lowest. */
static bool neighbours_create_share_out(lil_neighbours *n, int point_count)
{
    owned_edge *edges = malloc(3 * (size_t)n->count * sizeof *edges + 1);
    int *taken = malloc(((size_t)point_count + 1) * sizeof *taken), count = 0;
    for (int i = 0; taken && i < point_count; i++)
        taken[i] = -1;
    for (int i = 0; edges && taken && i < n->count; i++) {
        element *e = &n->elements[i];
        for (int k = 0; k < e->count; k++) {
            int a = e->corners[k], b = e->corners[(k + 1) % e->count];
            if (taken[a] < 0 || e->part < n->elements[taken[a]].part)
                taken[a] = i;
            if (e->count == 3 || (e->count == 2 && k == 0))
                edges[count++] = (owned_edge){ a < b ? a : b, a < b ? b : a, i, k };
        }
    }
    for (int i = 0; edges && taken && i < n->count; i++)
        for (int k = 0; k < n->elements[i].count; k++)
            n->elements[i].own_vertex[k] = taken[n->elements[i].corners[k]] == i;
    if (edges && taken)
        qsort(edges, (size_t)count, sizeof *edges, by_edge);
    for (int i = 0; edges && taken && i < count; i++)
        if (i == 0 || edges[i].a != edges[i - 1].a || edges[i].b != edges[i - 1].b)
            n->elements[edges[i].element].own_edge[edges[i].place] = true;
    bool ok = edges && taken;
    free(edges);
    free(taken);
    return ok;
}

/* A place along one of the axes. */
typedef struct place {
    double at;
    int item;
} place;

static int neighbours_create_by_place(const void *p, const void *q)
{
    const place *a = p, *b = q;
    return a->at != b->at ? lil_order_real(a->at, b->at) : lil_order(a->item, b->item);
}

/* Items in the order of a tree whose halves are apart along the longest axis of what they divide; `room` items fit
 * into it, a power of two times those of a leaf, and the first half is full before anything is in the second.
 * Patches of a surface are rounder that way than along a curve. */
static void neighbours_create_divide(const double *middles, int *order, int count, int room, place *scratch)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    int axis = 0;
    while (room >= 2 * LEAF && room / 2 >= count)
        room /= 2;
    if (room < 2 * LEAF)
        return;
    for (int i = 0; i < 3 * count; i++) {
        double x = middles[3 * order[i / 3] + i % 3];
        low[i % 3] = fmin(low[i % 3], x);
        high[i % 3] = fmax(high[i % 3], x);
    }
    for (int d = 1; d < 3; d++)
        axis = high[d] - low[d] > high[axis] - low[axis] ? d : axis;
    for (int i = 0; i < count; i++)
        scratch[i] = (place){ middles[3 * order[i] + axis], order[i] };
    qsort(scratch, (size_t)count, sizeof *scratch, neighbours_create_by_place);
    for (int i = 0; i < count; i++)
        order[i] = scratch[i].item;
    neighbours_create_divide(middles, order, room / 2, room / 2, scratch);
    neighbours_create_divide(middles, order + room / 2, count - room / 2, room / 2, scratch);
}

static bool set_elements(lil_neighbours *n, const double *x)
{
    const lil_shell *s = n->shell;
    double *middles = malloc(3 * (size_t)n->count * sizeof *middles + 1);
    int *order = malloc((size_t)n->count * sizeof *order + 1), points = 0;
    place *scratch = malloc((size_t)n->count * sizeof *scratch + 1);
    bool ok = middles && order && scratch;
    for (int i = 0; ok && i < n->count; i++) {
        int corners = neighbours_create_corners_of(s->corners[i]);
        for (int d = 0; d < 3; d++) {
            middles[3 * i + d] = 0;
            for (int k = 0; k < corners; k++)
                middles[3 * i + d] += x[3 * s->corners[i][k] + d] / corners;
        }
    }
    for (int i = 0; ok && i < n->count; i++)
        order[i] = i;
    if (ok)
        neighbours_create_divide(middles, order, n->count, n->patches * LEAVES * LEAF, scratch);
    for (int i = 0; ok && i < n->count; i++) {
        element *e = &n->elements[i];
        memcpy(e->corners, s->corners[order[i]], sizeof e->corners);
        e->count = neighbours_create_corners_of(e->corners);
        e->part = s->part[order[i]];
        for (int k = 0; k < e->count; k++)
            points = e->corners[k] >= points ? e->corners[k] + 1 : points;
    }
    free(middles);
    free(order);
    free(scratch);
    return ok && neighbours_create_share_out(n, points);
}

static int level_of(int node)
{
    int level = 0;
    for (; node > 1; node /= 2)
        level++;
    return level;
}

/* The points of each patch, each once, and its reach and part. */
static bool set_patches(lil_neighbours *n)
{
    n->begin = LIL_NEW(n->arena, int, n->patches + 1);
    n->points = LIL_NEW(n->arena, int, 3 * (size_t)n->count);
    n->reach = LIL_NEW(n->arena, double, n->patches);
    n->alone = LIL_NEW(n->arena, bool, n->shell->part_count);
    if (!n->begin || !n->points || !n->reach || !n->alone)
        return false;
    for (int a = 0; a < n->shell->part_count; a++) {
        n->alone[a] = true;
        for (int b = 0; b < n->shell->part_count; b++)
            n->alone[a] =
                n->alone[a] && (a == b || !n->shell->meet[(size_t)a * (size_t)n->shell->part_count + (size_t)b]);
    }
    for (int view = 0; view < VIEWS; view++)
        if (!(n->wanted[view] = LIL_NEW(n->arena, bool, n->patches)))
            return false;
    for (int p = 0, count = 0; p < n->patches; p++, n->begin[p] = count) {
        int first = p * LEAVES * LEAF, *part = &n->nodes[n->patches + p].part;
        *part = first < n->count ? n->elements[first].part : -1;
        for (int i = first; i < patch_end(n, p); i++) {
            const element *e = &n->elements[i];
            *part = e->part == *part ? *part : -1;
            n->reach[p] = fmax(n->reach[p], n->shell->reach[e->part]);
            for (int k = 0, j; k < e->count; k++) {
                for (j = n->begin[p]; j < count && n->points[j] != e->corners[k]; j++)
                    ;
                n->points[j] = e->corners[k];
                count += j == count;
            }
        }
    }
    for (int i = n->patches - 1; i > 0; i--) {
        bool empty = (((2 * i + 1) << (n->depth - level_of(2 * i + 1))) - n->patches) * LEAVES * LEAF >= n->count;
        n->nodes[i].part = n->nodes[2 * i].part == n->nodes[2 * i + 1].part || empty ? n->nodes[2 * i].part : -1;
    }
    return true;
}

lil_status lil_neighbours_create(lil_context *ctx, lil_arena *arena, const lil_shell *shell, const double *x,
                                 lil_neighbours **out)
{
    lil_neighbours *n = *out = LIL_NEW(arena, lil_neighbours, 1);
    LIL_HAVE(ctx, n);
    *n = (lil_neighbours){ .ctx = ctx, .arena = arena, .shell = shell, .count = shell->count, .patches = 1 };
    for (; n->patches * LEAVES * LEAF < n->count; n->depth++)
        n->patches *= 2;
    n->pieces = (n->count + LEAF * LEAVES * SHARE - 1) / (LEAF * LEAVES * SHARE);
    n->elements = LIL_NEW(arena, element, n->count);
    for (int view = 0; view < VIEWS; view++) {
        LIL_ALLOC(ctx, arena, n->boxes[view], n->count);
        LIL_ALLOC(ctx, arena, n->leaves[view], n->count / LEAF + 1);
    }
    n->nodes = LIL_NEW(arena, tree_node, 2 * (size_t)n->patches);
    n->found = LIL_NEW(arena, found, n->pieces);
    LIL_HAVE(ctx, n->elements && n->nodes && n->found && set_elements(n, x) && set_patches(n));
    return LIL_OK;
}
