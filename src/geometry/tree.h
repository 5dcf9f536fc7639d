/* Triangles in a tree of boxes: nearest ones, crossings, self-intersections. */
#ifndef LIL_GEOMETRY_TREE_H
#define LIL_GEOMETRY_TREE_H

#include "geometry/boxes.h"

typedef struct lil_tree {
    const double *x; /* borrowed */
    int count;
    int (*triangles)[3]; /* in the order of the leaves */
    const int *index;    /* what each was called */
    lil_boxes boxes;
    lil_box *nodes;
} lil_tree;

/* At least one triangle. The same tree each time. */
lil_status lil_tree_build(lil_context *ctx, lil_arena *arena, const double *x, const int (*triangles)[3], int count,
                          lil_tree *tree);

/* The squared distance to the nearest point of the triangles, if it is below `bound` (otherwise `bound`), and
 * where that is; `place` and `point` may be NULL. */
double lil_tree_nearest(const lil_tree *tree, const double q[3], double bound, int *place, double point[3]);

/* Crossings of the segment from a to b with triangles, as fractions, ascending. Those beyond `room` are counted,
 * not written. */
int lil_tree_crossings(const lil_tree *tree, const double a[3], const double b[3], double *t, int room);

/* Marks triangles that are cut by others without a shared edge: cut[index] is set; `same[vertex]` gives coincident
 * vertices one number. Threads mark their own. */
void lil_tree_self_cuts(const lil_tree *tree, lil_threads *threads, const int *same, bool *cut);

#endif
