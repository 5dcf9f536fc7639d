/* Triangles in a tree of boxes: what is near, what is crossed, what cuts through itself. */
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

/* The squared distance to the nearest point of the triangles, if it is below `bound` (otherwise `bound`), and where that
 * is; `place` and `point` may be NULL. */
double lil_tree_nearest(const lil_tree *tree, const double q[3], double bound, int *place, double point[3]);

/* Where the way from a to b crosses triangles, as parts of the way, ascending. More than `room` are counted, not written. */
int lil_tree_crossings(const lil_tree *tree, const double a[3], const double b[3], double *t, int room);

/* Which triangles (by their index) are cut through by others that do not share the edge: cut[index] is set; `same[vertex]`
 * names vertices that stand at one place by one number. Threads mark their own. */
void lil_tree_self_cuts(const lil_tree *tree, lil_threads *threads, const int *same, bool *cut);

#endif
