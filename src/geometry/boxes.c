#include "geometry/boxes.h"

#include "math/morton.h"

#include <math.h>
#include <stdlib.h>

enum { EACH = 4, DEPTH_MAX = 40 }; /* things of a leaf */

static const lil_box nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static lil_box boxes_join(lil_box a, const lil_box *b)
{
    for (int d = 0; d < 3; d++) {
        a.low[d] = fmin(a.low[d], b->low[d]);
        a.high[d] = fmax(a.high[d], b->high[d]);
    }
    return a;
}

static bool find_order(const lil_box *boxes, int count, int *order)
{
    double *middle = malloc(3 * (size_t)count * sizeof *middle + 1);
    if (!middle)
        return false;
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        middle[i] = (boxes[i / 3].low[i % 3] + boxes[i / 3].high[i % 3]) / 2;
    bool ok = lil_morton_order(count, middle, order);
    free(middle);
    return ok;
}

lil_status lil_boxes_create(lil_context *ctx, lil_arena *arena, const lil_box *boxes, int count, lil_boxes *tree)
{
    *tree = (lil_boxes){ .count = count, .leaves = 1 };
    while (tree->leaves < (count + EACH - 1) / EACH)
        tree->leaves *= 2;
    tree->order = LIL_NEW(arena, int, count);
    tree->nodes = LIL_NEW(arena, lil_box, 2 * (size_t)tree->leaves);
    if (!tree->order || !tree->nodes || !find_order(boxes, count, tree->order))
        return lil_fail_memory(ctx);
    for (int i = 1; i < 2 * tree->leaves; i++)
        tree->nodes[i] = nothing;
    for (int i = 0; i < count; i++) {
        lil_box *leaf = &tree->nodes[tree->leaves + i / EACH];
        *leaf = boxes_join(*leaf, &boxes[tree->order[i]]);
    }
    for (int i = tree->leaves - 1; i > 0; i--)
        tree->nodes[i] = boxes_join(tree->nodes[2 * i], &tree->nodes[2 * i + 1]);
    return LIL_OK;
}

static double boxes_distance_to_box(const lil_box *box, const double x[3])
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        double out = fmax(fmax(box->low[d] - x[d], x[d] - box->high[d]), 0);
        square += out * out;
    }
    return square;
}

int lil_boxes_nearest(const lil_boxes *tree, const double x[3], lil_distance_fn *distance, const void *data)
{
    struct {
        int node;
        double square;
    } stack[DEPTH_MAX];
    int depth = 0, best = -1;
    double least = INFINITY;
    stack[depth++].node = 1;
    stack[0].square = 0;
    while (depth) {
        int node = stack[--depth].node;
        if (stack[depth].square > least || tree->count == 0)
            continue;
        if (node < tree->leaves) { /* the nearer child is looked at first */
            double a = boxes_distance_to_box(&tree->nodes[2 * node], x),
                   b = boxes_distance_to_box(&tree->nodes[2 * node + 1], x);
            int far = a <= b; /* 1: the second child is */
            stack[depth].node = 2 * node + far;
            stack[depth++].square = far ? b : a;
            stack[depth].node = 2 * node + !far;
            stack[depth++].square = far ? a : b;
            continue;
        }
        for (int i = (node - tree->leaves) * EACH, end = i + EACH; i < end && i < tree->count; i++) {
            double square = distance(data, tree->order[i], x);
            if (square < least || (square == least && tree->order[i] < best)) {
                least = square;
                best = tree->order[i];
            }
        }
    }
    return best;
}
