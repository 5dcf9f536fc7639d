/* Embedded surfaces of bodies for contact: their weights, merged vertices, and self-intersections. */
#ifndef LIL_WORLD_BARRIER_SURFACES_H
#define LIL_WORLD_BARRIER_SURFACES_H

#include "terms/barrier.h"
#include "world/world.h"

/* What carries vertex i of a body's surface: how many of the body's own vertices, and their weights. `room` and `own` are
 * room that they may be in. */
int lil_carriers_of(const lil_body *body, int i, const int **vertex, int room[4], const double **weight,
                    double own[4]);
/* Every vertex of every surface, body by body: point vertex_count + first[b] + i is vertex i of body b's surface. */
lil_status lil_carry_surfaces(lil_world *world, lil_carried *carried, int **first);

/* The representative of each vertex: those that are `within` of each other (m), along seams or where a lattice
 * touches a surface, are merged. */
lil_status lil_join_vertices(lil_world *w, const lil_surface *surface, double within, int **same);

/* Marks the points of elements that at x cut through others of their part, and their neighbours': these do not
 * meet each other, because they could not come apart. count: of each part how many of its elements cut. Parts that
 * are not `wanted` are left alone. */
lil_status lil_find_tangles(lil_world *w, const lil_shell *shell, const double *x, const bool *wanted, bool *tangled,
                            int *count);

/* ---- elements against each other, along x ---- */

typedef struct lil_span {
    double low[3], high[3];
    int element;
} lil_span;

/* The boxes of all elements, sorted by where they begin along x. */
lil_status lil_list_spans(lil_world *w, const lil_shell *shell, const double *x, lil_span **spans);
/* Whether two boxes that overlap along x do so along y and z. */
bool lil_spans_overlap(const lil_span *a, const lil_span *b);
/* Does an edge of one of two elements cut through the other? Edges that share a point with it do not. */
bool lil_elements_cross(const int *a, const int *b, const double *x, double at[3]);

#endif
