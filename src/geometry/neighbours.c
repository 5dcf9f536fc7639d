#include "geometry/neighbours.h"

#include "math/float8.h"
#include "math/morton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAF = 4,
    DEPTH_MAX = 64,
    SHARE = 64,
    FIT = 1024
}; /* elements of a leaf; leaves of a piece of the search, and of fitting */

/* In floats, rounded outwards: half the memory, and three coordinates are compared at once. */
typedef struct box {
    lil_float4 low, high;
} box;

/* An element in the order of the tree. */
typedef struct element {
    int corners[3], count, part;
    bool own_vertex[3], own_edge[3]; /* edge k goes from corner k to the next */
} element;

/* The boxes of an element and of its features: for other parts, and for its own (lil_neighbours_own). */
typedef struct features {
    box all, vertex[3], edge[3];
} features;

enum { OTHERS, OWN, VIEWS };

typedef struct tree_node {
    box box[VIEWS];
    int part; /* of all elements below it, or -1: of several */
} tree_node;

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
    int count, leaves, depth, pieces; /* 2^depth leaves, of which the first are in use */
    features *boxes[VIEWS];           /* of elements */
    tree_node *nodes;                 /* from 1 on: the children of node i are 2i and 2i + 1 */
    found *found;                     /* of pieces */
    lil_neighbours_pair *list;
    int room;
    /* the search being made */
    const double *x0, *x1;
    double margin;
    const lil_neighbours_own *own;
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

/* The first element in the tree that has an edge owns it. A vertex belongs to the first of its elements whose part is the lowest. */
static bool share_out(lil_neighbours *n, int point_count)
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
    for (; n->leaves * LEAF < n->count; n->depth++)
        n->leaves *= 2;
    n->pieces = (n->count + LEAF * SHARE - 1) / (LEAF * SHARE);
    n->elements = LIL_NEW(arena, element, n->count);
    for (int view = 0; view < VIEWS; view++)
        if (!(n->boxes[view] = LIL_NEW(arena, features, n->count)))
            return lil_fail_memory(ctx);
    n->nodes = LIL_NEW(arena, tree_node, 2 * (size_t)n->leaves);
    n->found = LIL_NEW(arena, found, n->pieces);
    if (!n->elements || !n->nodes || !n->found || !set_elements(n, x))
        return lil_fail_memory(ctx);
    return LIL_OK;
}

/* ---- boxes ---- */

typedef int32_t int4 __attribute__((vector_size(16)));

static const box nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

LIL_INLINE lil_float4 choose(int4 mask, lil_float4 a, lil_float4 b)
{
    return (lil_float4)((mask & (int4)a) | (~mask & (int4)b));
}

LIL_INLINE void widen(box *b, const box *other)
{
    b->low = choose(other->low < b->low, other->low, b->low);
    b->high = choose(other->high > b->high, other->high, b->high);
}

LIL_INLINE bool apart(const box *a, const box *b)
{
    int4 any = (int4)(a->low > b->high) | (int4)(b->low > a->high);
#ifdef __SSE__
    return __builtin_ia32_movmskps((lil_float4)any) != 0;
#else
    return (any[0] | any[1] | any[2]) != 0;
#endif
}

/* around x0 and x1, and `more` */
static box around(const double *x0, const double *x1, double more)
{
    const double OUT = 0x1p-23; /* what rounding to float can do, twice */
    box b = { { 0 }, { 0 } };
    for (int d = 0; d < 3; d++) {
        double low = (x0[d] < x1[d] ? x0[d] : x1[d]) - more, high = (x0[d] < x1[d] ? x1[d] : x0[d]) + more;
        b.low[d] = (float)(low - OUT * fabs(low));
        b.high[d] = (float)(high + OUT * fabs(high));
    }
    return b;
}

static void fit_element(const lil_neighbours *n, const element *e, int view, features *to)
{
    double reach = n->shell->reach[e->part];
    to->all = nothing;
    for (int k = 0; k < e->count; k++) {
        int i = e->corners[k];
        to->vertex[k] = view == OTHERS ? around(n->x0 + 3 * i, n->x1 + 3 * i, n->margin + reach)
                                       : around(n->own->x + 3 * i, n->own->x + 3 * i, n->own->far[i] + reach);
        widen(&to->all, &to->vertex[k]);
    }
    for (int k = 0; k < e->count; k++) {
        to->edge[k] = to->vertex[k];
        widen(&to->edge[k], &to->vertex[(k + 1) % e->count]);
    }
}

static void fit_leaf(lil_neighbours *n, int leaf)
{
    tree_node *to = &n->nodes[n->leaves + leaf];
    for (int view = 0; view < VIEWS; view++) {
        box b = nothing;
        for (int i = leaf * LEAF; i < (leaf + 1) * LEAF && i < n->count; i++) {
            if (view == OTHERS || n->own)
                fit_element(n, &n->elements[i], view, &n->boxes[view][i]);
            else
                n->boxes[view][i] = n->boxes[OTHERS][i];
            widen(&b, &n->boxes[view][i].all);
        }
        to->box[view] = b;
    }
    to->part = leaf * LEAF < n->count ? n->elements[leaf * LEAF].part : -1;
    for (int i = leaf * LEAF; i < (leaf + 1) * LEAF && i < n->count; i++)
        to->part = n->elements[i].part == to->part ? to->part : -1;
}

static void fit_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    for (int leaf = FIT * piece; leaf < FIT * (piece + 1) && leaf < n->leaves; leaf++)
        fit_leaf(n, leaf);
}

static void fit(lil_neighbours *n, lil_threads *threads)
{
    lil_parallel(threads, (n->leaves + FIT - 1) / FIT, fit_piece, n);
    for (int i = n->leaves - 1; i > 0; i--) {
        const tree_node *a = &n->nodes[2 * i], *b = &n->nodes[2 * i + 1];
        n->nodes[i] = *a;
        for (int view = 0; view < VIEWS; view++)
            widen(&n->nodes[i].box[view], &b->box[view]);
        n->nodes[i].part = a->part == b->part ? a->part : -1;
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

static void add(found *f, lil_pair_kind kind, const int *a, int part_a, const int *b, int part_b)
{
    int own = kind == LIL_EDGE_EDGE ? 2 : 1;
    if (shares(a, own, b, 4 - own) || f->count++ >= f->room)
        return;
    lil_neighbours_pair *pair = &f->list[f->count - 1];
    *pair = (lil_neighbours_pair){ .kind = kind, .part = { part_a, part_b } };
    memcpy(pair->at, a, (size_t)own * sizeof *a);
    memcpy(pair->at + own, b, (size_t)(4 - own) * sizeof *b);
}

/* An edge of a strand is a triangle of which two corners are one, a single point one of which all three are. Edges that are nearly parallel
 * have no barrier of their own: their ends meet the other edge as points. */
static void points_against(const lil_neighbours *n, found *f, const features *boxes, int i, int j)
{
    const element *a = &n->elements[i], *b = &n->elements[j];
    const int *c = b->corners, corners[3] = { c[0], b->count > 1 ? c[1] : c[0], c[b->count - 1] };
    if (b->count == 1 && (a->count > 1 || i > j)) /* else the other way round */
        return;
    for (int k = 0; k < a->count; k++)
        if (a->own_vertex[k] && !apart(&boxes[i].vertex[k], &boxes[j].all))
            add(f, LIL_POINT_TRIANGLE, &a->corners[k], a->part, corners, b->part);
}

static void edges_against(const lil_neighbours *n, found *f, const features *boxes, int i, int j)
{
    const element *a = &n->elements[i], *b = &n->elements[j];
    for (int k = 0; k < a->count; k++) {
        if (!a->own_edge[k] || apart(&boxes[i].edge[k], &boxes[j].all))
            continue;
        for (int l = 0; l < b->count; l++)
            if (b->own_edge[l] && !apart(&boxes[i].edge[k], &boxes[j].edge[l])) {
                const int first[2] = { a->corners[k], a->corners[(k + 1) % a->count] },
                          second[2] = { b->corners[l], b->corners[(l + 1) % b->count] };
                add(f, LIL_EDGE_EDGE, first, a->part, second, b->part);
            }
    }
}

/* the elements of two leaves; of one leaf and itself each two once */
static void leaves_against(const lil_neighbours *n, found *f, int leaf, int other)
{
    for (int i = leaf * LEAF; i < (leaf + 1) * LEAF && i < n->count; i++) {
        const bool *meet = n->shell->meet + (size_t)n->elements[i].part * (size_t)n->shell->part_count;
        for (int j = leaf == other ? i + 1 : other * LEAF; j < (other + 1) * LEAF && j < n->count; j++) {
            const features *boxes = n->boxes[n->elements[i].part == n->elements[j].part ? OWN : OTHERS];
            if (apart(&boxes[i].all, &boxes[j].all) || !meet[n->elements[j].part])
                continue;
            points_against(n, f, boxes, i, j);
            points_against(n, f, boxes, j, i);
            edges_against(n, f, boxes, i, j);
        }
    }
}

/* the elements of a leaf against all that stand behind them in the tree */
static void search(const lil_neighbours *n, found *f, int leaf)
{
    int stack[DEPTH_MAX][2], depth = 0; /* nodes, and how deep in the tree they are */
    const tree_node *own = &n->nodes[n->leaves + leaf];
    stack[depth][1] = 0;
    stack[depth++][0] = 1;
    while (depth) {
        int node = stack[--depth][0], level = stack[depth][1];
        int last = ((node + 1) << (n->depth - level)) - 1 - n->leaves; /* leaf below it */
        const box *other = n->nodes[node].box;
        if (last < leaf || apart(&own->box[OTHERS], &other[OTHERS]) ||
            (own->part >= 0 && own->part == n->nodes[node].part && apart(&own->box[OWN], &other[OWN])))
            continue;
        if (node >= n->leaves) {
            leaves_against(n, f, leaf, node - n->leaves);
            continue;
        }
        for (int child = 1; child >= 0; child--) { /* from left to right */
            stack[depth][0] = 2 * node + child;
            stack[depth++][1] = level + 1;
        }
    }
}

static void search_piece(void *data, int piece)
{
    lil_neighbours *n = data;
    found *f = &n->found[piece];
    f->count = 0;
    for (int leaf = piece * SHARE; leaf < (piece + 1) * SHARE && leaf * LEAF < n->count; leaf++)
        search(n, f, leaf);
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
                               double margin, const lil_neighbours_own *own, const lil_neighbours_pair **pairs,
                               int *count)
{
    int total = 0;
    n->x0 = x0;
    n->x1 = x1;
    n->margin = margin;
    n->own = own;
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
