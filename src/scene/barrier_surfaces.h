/* Surfaces that ride in bodies, as what touches: how they are carried, which of their vertices are one, and where they intersect themselves. */
#ifndef LIL_SCENE_BARRIER_SURFACES_H
#define LIL_SCENE_BARRIER_SURFACES_H

#include "scene/bodies.h"
#include "terms/barrier.h"

/* Every vertex of every surface, body by body: point vertex_count + first[b] + i is vertex i of body b's surface. */
lil_status lil_carry_surfaces(const lil_reader *rd, const lil_bodies *bodies, lil_carried *carried, int **first);

/* Of vertices that are in one place, along seams, the first: same[i] <= i. */
lil_status lil_join_vertices(const lil_reader *rd, const lil_surface *surface, int **same);

/*
 * Marks the points of elements that at x cut through others of their part, and their neighbours': these do not meet each other,
 * because they could not come apart. count: of each part how many of its elements cut. Parts that are not `wanted` are left alone.
 */
lil_status lil_find_tangles(const lil_reader *rd, const lil_shell *shell, const double *x, const bool *wanted,
                            bool *tangled, int *count);

/* ---- elements against each other, along x ---- */

typedef struct lil_span {
    double low[3], high[3];
    int element;
} lil_span;

/* The boxes of all elements, sorted by where they begin along x. */
lil_status lil_list_spans(const lil_reader *rd, const lil_shell *shell, const double *x, lil_span **spans);
/* Whether two boxes that overlap along x do so along y and z. */
bool lil_spans_overlap(const lil_span *a, const lil_span *b);
/* Does an edge of one of two elements cut through the other? Edges that share a point with it do not. */
bool lil_elements_cross(const int *a, const int *b, const double *x);

#endif
