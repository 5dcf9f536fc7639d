#include "geometry/neighbours.h"

#include "math/morton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 4, DEPTH_MAX = 64, SHARE = 256 }; /* elements of a leaf; elements of a piece of the search */

typedef struct box {
    double low[3], high[3];
} box;

/* An element in the order of the tree. */
typedef struct element {
    int corners[3], count, part;
    bool own_vertex[3], own_edge[3]; /* edge k goes from corner k to the next */
} element;

/* What a piece of the search has found: more than it has room for is counted, and found again with more room. */
typedef struct found {
    lil_neighbours_pair *list;
    int count, room;
} found;

struct lil_neighbours {
    lil_context *ctx;
    lil_arena *arena;
    const lil_shell *shell;
    element *elements;
    int count, leaves, pieces;
    box *boxes;   /* of elements */
    box *nodes;   /* from 1 on: the children of node i are 2i and 2i + 1 */
    found *found; /* of pieces */
    lil_neighbours_pair *list;
    int room;
    /* the search being made */
    const double *x0, *x1;
    double margin;
};

/* ---- create ---- */

static int corners_of(const int corners[3])
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
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

/* The first element in the tree that has an edge owns it, and a vertex likewise. */
static bool share_out(lil_neighbours *n, int point_count)
{
    owned_edge *edges = malloc(3 * (size_t)n->count * sizeof *edges + 1);
    bool *taken = calloc((size_t)point_count + 1, sizeof *taken);
    int count = 0;
    for (int i = 0; edges && taken && i < n->count; i++) {
        element *e = &n->elements[i];
        for (int k = 0; k < e->count; k++) {
            int a = e->corners[k], b = e->corners[(k + 1) % e->count];
            e->own_vertex[k] = !taken[a];
            taken[a] = true;
            if (e->count == 3 || (e->count == 2 && k == 0))
                edges[count++] = (owned_edge){ a < b ? a : b, a < b ? b : a, i, k };
        }
    }
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

static bool set_elements(lil_neighbours *n, const double *x)
{
    const lil_shell *s = n->shell;
    double *middles = malloc(3 * (size_t)n->count * sizeof *middles + 1);
    int *order = malloc((size_t)n->count * sizeof *order + 1), points = 0;
    bool ok = middles && order;
    for (int i = 0; ok && i < n->count; i++) {
        int corners = corners_of(s->corners[i]);
        for (int d = 0; d < 3; d++) {
            middles[3 * i + d] = 0;
            for (int k = 0; k < corners; k++)
                middles[3 * i + d] += x[3 * s->corners[i][k] + d] / corners;
        }
    }
    ok = ok && (n->count == 0 || lil_morton_order(n->count, middles, order));
    for (int i = 0; ok && i < n->count; i++) {
        element *e = &n->elements[i];
        memcpy(e->corners, s->corners[order[i]], sizeof e->corners);
        e->count = corners_of(e->corners);
        e->part = s->part[order[i]];
        for (int k = 0; k < e->count; k++)
            points = e->corners[k] >= points ? e->corners[k] + 1 : points;
    }
    free(middles);
    free(order);
    return ok && share_out(n, points);
}

lil_status lil_neighbours_create(lil_context *ctx, lil_arena *arena, const lil_shell *shell, const double *x,
                                 lil_neighbours **out)
{
    lil_neighbours *n = *out = LIL_NEW(arena, lil_neighbours, 1);
    if (!n)
        return lil_fail_memory(ctx);
    *n = (lil_neighbours){ .ctx = ctx, .arena = arena, .shell = shell, .count = shell->count, .leaves = 1 };
    while (n->leaves * LEAF < n->count)
        n->leaves *= 2;
    n->pieces = (n->count + SHARE - 1) / SHARE;
    n->elements = LIL_NEW(arena, element, n->count);
    n->boxes = LIL_NEW(arena, box, n->count);
    n->nodes = LIL_NEW(arena, box, 2 * (size_t)n->leaves);
    n->found = LIL_NEW(arena, found, n->pieces);
    if (!n->elements || !n->boxes || !n->nodes || !n->found || !set_elements(n, x))
        return lil_fail_memory(ctx);
    return LIL_OK;
}

/* ---- boxes ---- */

static const box nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void widen(box *b, const double *x)
{
    for (int d = 0; d < 3; d++) {
        b->low[d] = x[d] < b->low[d] ? x[d] : b->low[d];
        b->high[d] = x[d] > b->high[d] ? x[d] : b->high[d];
    }
}

/* around the ways of some points, and `more` */
static box around(const lil_neighbours *n, const int *points, int count, double more)
{
    box b = nothing;
    for (int i = 0; i < count; i++) {
        widen(&b, n->x0 + 3 * points[i]);
        widen(&b, n->x1 + 3 * points[i]);
    }
    for (int d = 0; d < 3; d++) {
        b.low[d] -= more;
        b.high[d] += more;
    }
    return b;
}

static bool apart(const box *a, const box *b)
{
    for (int d = 0; d < 3; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d])
            return true;
    return false;
}

static double more_of(const lil_neighbours *n, int part)
{
    return n->margin + n->shell->reach[part];
}

static void fit_leaf(void *data, int leaf)
{
    lil_neighbours *n = data;
    box b = nothing;
    for (int i = leaf * LEAF; i < (leaf + 1) * LEAF && i < n->count; i++) {
        const element *e = &n->elements[i];
        n->boxes[i] = around(n, e->corners, e->count, more_of(n, e->part));
        widen(&b, n->boxes[i].low);
        widen(&b, n->boxes[i].high);
    }
    n->nodes[n->leaves + leaf] = b;
}

static void fit(lil_neighbours *n, lil_threads *threads)
{
    lil_parallel(threads, n->leaves, fit_leaf, n);
    for (int i = n->leaves - 1; i > 0; i--) {
        n->nodes[i] = n->nodes[2 * i];
        widen(&n->nodes[i], n->nodes[2 * i + 1].low);
        widen(&n->nodes[i], n->nodes[2 * i + 1].high);
    }
}

/* ---- search ---- */

/* Features that share a point are neighbours on the surface, not in contact. */
static bool shares(const int *a, int a_count, const int *b, int b_count)
{
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            if (a[i] == b[j])
                return true;
    return false;
}

static void add(const lil_neighbours *n, found *f, lil_pair_kind kind, const int *a, int part_a, const int *b,
                int part_b)
{
    int own = kind == LIL_EDGE_EDGE ? 2 : 1;
    if (shares(a, own, b, 4 - own))
        return;
    box first = around(n, a, own, more_of(n, part_a)), second = around(n, b, 4 - own, more_of(n, part_b));
    if (apart(&first, &second) || f->count++ >= f->room)
        return;
    lil_neighbours_pair *pair = &f->list[f->count - 1];
    *pair = (lil_neighbours_pair){ .kind = kind, .part = { part_a, part_b } };
    memcpy(pair->at, a, (size_t)own * sizeof *a);
    memcpy(pair->at + own, b, (size_t)(4 - own) * sizeof *b);
}

static void points_against(const lil_neighbours *n, found *f, const element *a, const element *b)
{
    for (int k = 0; k < a->count && b->count == 3; k++)
        if (a->own_vertex[k])
            add(n, f, LIL_POINT_TRIANGLE, &a->corners[k], a->part, b->corners, b->part);
}

static void edges_against(const lil_neighbours *n, found *f, const element *a, const element *b)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->own_edge[i] && b->own_edge[j]) {
                const int first[2] = { a->corners[i], a->corners[(i + 1) % a->count] },
                          second[2] = { b->corners[j], b->corners[(j + 1) % b->count] };
                add(n, f, LIL_EDGE_EDGE, first, a->part, second, b->part);
            }
}

/* element i against all that stand behind it in the tree */
static void search(const lil_neighbours *n, found *f, int i)
{
    const element *e = &n->elements[i];
    int stack[DEPTH_MAX], depth = 0;
    stack[depth++] = 1;
    while (depth) {
        int node = stack[--depth], first = node, last = node;
        while (last < n->leaves) /* the last leaf below it */
            last = 2 * last + 1;
        if ((last - n->leaves + 1) * LEAF <= i || apart(&n->boxes[i], &n->nodes[node]))
            continue;
        if (node < n->leaves) { /* from left to right */
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        first = (node - n->leaves) * LEAF;
        for (int j = first > i ? first : i + 1; j < first + LEAF && j < n->count; j++) {
            const element *o = &n->elements[j];
            if (!n->shell->meet[e->part * n->shell->part_count + o->part] || apart(&n->boxes[i], &n->boxes[j]))
                continue;
            points_against(n, f, e, o);
            points_against(n, f, o, e);
            edges_against(n, f, e, o);
        }
    }
}

static void search_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    found *f = &n->found[piece];
    f->count = 0;
    for (int i = piece * SHARE; i < (piece + 1) * SHARE && i < n->count; i++)
        search(n, f, i);
}

/* Pieces that have run out of room. False: there is none to be had. */
static bool search_again(lil_neighbours *n)
{
    for (int i = 0; i < n->pieces; i++) {
        found *f = &n->found[i];
        if (f->count <= f->room)
            continue;
        f->room = 2 * f->count;
        f->list = LIL_NEW(n->arena, lil_neighbours_pair, f->room);
        if (!f->list) {
            f->room = 0;
            return false;
        }
        search_piece(n, i);
    }
    return true;
}

lil_status lil_neighbours_find(lil_neighbours *n, lil_threads *threads, const double *x0, const double *x1,
                               double margin, const lil_neighbours_pair **pairs, int *count)
{
    int total = 0;
    n->x0 = x0;
    n->x1 = x1;
    n->margin = margin;
    fit(n, threads);
    lil_parallel(threads, n->pieces, search_piece, n);
    if (!search_again(n))
        return lil_fail_memory(n->ctx);
    for (int i = 0; i < n->pieces; i++)
        total += n->found[i].count;
    if (total > n->room) {
        n->room = 2 * total;
        n->list = LIL_NEW(n->arena, lil_neighbours_pair, n->room);
    }
    if (total && !n->list) {
        n->room = 0;
        return lil_fail_memory(n->ctx);
    }
    *pairs = n->list;
    *count = 0;
    for (int i = 0; i < n->pieces; i++) {
        const found *f = &n->found[i];
        if (f->count)
            memcpy(n->list + *count, f->list, (size_t)f->count * sizeof *f->list);
        *count += f->count;
    }
    return LIL_OK;
}
