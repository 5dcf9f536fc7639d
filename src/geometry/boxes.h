/*
 * A tree of boxes around things in space: finds the nearest, crossed or overlapping ones without visiting all of
 * them.
 *
 * Items are ordered along Morton's curve, the same number per leaf; leaves are in pairs, these in pairs again, as in
 * a heap: the children of node i are 2i and 2i + 1, the first node is 1 and leaf l is node leaves + l. The order is
 * computed once; the boxes can follow moving items.
 */
#ifndef LIL_GEOMETRY_BOXES_H
#define LIL_GEOMETRY_BOXES_H

#include "core/arena.h"
#include "core/context.h"

#include <math.h>

typedef struct lil_box {
    double low[3], high[3];
} lil_box;

typedef struct lil_boxes {
    int count, leaves; /* leaves: a power of two; there are 2 leaves nodes */
    int *order;        /* the things along the curve */
} lil_boxes;

enum { LIL_BOXES_DEPTH = 64 };

static const lil_box lil_no_box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

/* For items with `each` vertices of x, corners[each i] ... for item i. The order lives in the arena. */
lil_status lil_boxes_create(lil_context *ctx, lil_arena *arena, const double *x, const int *corners, int each,
                            int count, lil_boxes *tree);
/* Their boxes; the corners are now in the tree's order; room for 2 leaves of them. */
void lil_boxes_fit(const lil_boxes *tree, const double *x, const int *corners, int each, lil_box *nodes);

/* The things of leaf l are number lil_boxes_first(l) ... lil_boxes_first(l + 1) - 1 in the tree's order. */
static inline int lil_boxes_first(const lil_boxes *tree, int leaf)
{
    return (int)((int64_t)leaf * tree->count / tree->leaves);
}

static inline void lil_box_widen(lil_box *b, const double *q)
{
    for (int d = 0; d < 3; d++) {
        b->low[d] = q[d] < b->low[d] ? q[d] : b->low[d];
        b->high[d] = q[d] > b->high[d] ? q[d] : b->high[d];
    }
}

static inline bool lil_box_has(const lil_box *b, const double *q)
{
    return q[0] >= b->low[0] && q[0] <= b->high[0] && q[1] >= b->low[1] && q[1] <= b->high[1] && q[2] >= b->low[2] &&
           q[2] <= b->high[2];
}

static inline bool lil_box_meets(const lil_box *a, const lil_box *b)
{
    for (int d = 0; d < 3; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d])
            return false;
    return true;
}

/* The square of the distance. */
static inline double lil_box_distance(const lil_box *b, const double q[3])
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        double out = q[d] < b->low[d] ? b->low[d] - q[d] : q[d] > b->high[d] ? q[d] - b->high[d] : 0;
        sum += out * out;
    }
    return sum;
}

/* Calls `look` for the things of all boxes that are not farther from q than `best`, a square that it may lower;
 * the nearer box of two comes first. */
typedef void lil_near_fn(void *user, int thing, double *best);

static inline void lil_boxes_nearest(const lil_boxes *tree, const lil_box *nodes, const double q[3], double best,
                                     lil_near_fn *look, void *user)
{
    struct {
        int node;
        double square;
    } stack[LIL_BOXES_DEPTH];
    int top = 0;
    stack[top].node = 1;
    stack[top++].square = 0;
    while (top) {
        int i = stack[--top].node;
        if (stack[top].square > best)
            continue;
        if (i >= tree->leaves) {
            int end = lil_boxes_first(tree, i - tree->leaves + 1);
            for (int t = lil_boxes_first(tree, i - tree->leaves); t < end; t++)
                look(user, t, &best);
            continue;
        }
        double left = lil_box_distance(&nodes[2 * i], q), right = lil_box_distance(&nodes[2 * i + 1], q);
        bool first = left <= right; /* the nearer one comes off first */
        stack[top].node = 2 * i + first;
        stack[top++].square = first ? right : left;
        stack[top].node = 2 * i + !first;
        stack[top++].square = first ? left : right;
    }
}

/* Goes down into the nodes that `enter` allows, and looks at their things; until one `look` is true, which is then
 * the answer. */
static inline bool lil_boxes_visit(const lil_boxes *tree, bool (*enter)(void *user, int node),
                                   bool (*look)(void *user, int thing), void *user)
{
    int stack[LIL_BOXES_DEPTH], top = 0;
    stack[top++] = 1;
    while (top) {
        int i = stack[--top];
        if (!enter(user, i))
            continue;
        if (i < tree->leaves) {
            stack[top++] = 2 * i + 1;
            stack[top++] = 2 * i;
            continue;
        }
        int end = lil_boxes_first(tree, i - tree->leaves + 1);
        for (int t = lil_boxes_first(tree, i - tree->leaves); t < end; t++)
            if (look(user, t))
                return true;
    }
    return false;
}

#endif
