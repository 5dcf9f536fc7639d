#include "geometry/boxes.h"

#include "math/morton.h"

#include <stdlib.h>

enum { LEAF = 4 }; /* things of a leaf, at most */

lil_status lil_boxes_create(lil_context *ctx, lil_arena *arena, const double *x, const int *corners, int each,
                            int count, lil_boxes *tree)
{
    *tree = (lil_boxes){ .count = count, .leaves = 1, .order = LIL_NEW(arena, int, count) };
    while (tree->leaves * LEAF < count)
        tree->leaves *= 2;
    double *middles = calloc(3 * (size_t)count + 1, sizeof *middles);
    for (size_t i = 0; middles && i < 3 * (size_t)count; i++)
        for (int k = 0; k < each; k++)
            middles[i] += x[3 * (size_t)corners[(size_t)each * (i / 3) + (size_t)k] + i % 3];
    bool ok = middles && tree->order && lil_morton_order(count, middles, tree->order);
    free(middles);
    return ok ? LIL_OK : lil_fail_memory(ctx);
}

void lil_boxes_fit(const lil_boxes *tree, const double *x, const int *corners, int each, lil_box *nodes)
{
    for (int l = 0; l < tree->leaves; l++) {
        lil_box b = lil_no_box;
        for (int64_t i = (int64_t)each * lil_boxes_first(tree, l); i < (int64_t)each * lil_boxes_first(tree, l + 1);
             i++)
            lil_box_widen(&b, x + 3 * (size_t)corners[i]);
        nodes[tree->leaves + l] = b;
    }
    for (int i = tree->leaves - 1; i > 0; i--) {
        nodes[i] = nodes[2 * i];
        lil_box_widen(&nodes[i], nodes[2 * i + 1].low);
        lil_box_widen(&nodes[i], nodes[2 * i + 1].high);
    }
}
