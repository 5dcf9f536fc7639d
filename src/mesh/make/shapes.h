/* The tables of all shapes, and what their makers share. */
#ifndef LIL_MESH_MAKE_SHAPES_H
#define LIL_MESH_MAKE_SHAPES_H

#include "mesh/make/shape.h"

extern const lil_shape lil_bar, lil_box, lil_ball, lil_cylinder, lil_torus;

/* A list of n numbers, or the preset where it is empty. */
lil_status lil_shape_numbers(lil_context *ctx, const char *name, const lil_list *list, const double *preset, int n,
                             double *x);
/* The same for `cells`: whole numbers from 1. */
lil_status lil_shape_cells(lil_context *ctx, const lil_list *list, const double *preset, int n, int *cells);
/* A limit that makes every count an int. */
lil_status lil_shape_check_tets(lil_context *ctx, double tets);

lil_status lil_shape_alloc(lil_context *ctx, lil_arena *arena, const char *name, int vertices, int tets,
                           lil_mesh *mesh);

/* Where cell i of a centred length begins: symmetric, and exactly -length/2 and length/2 at the ends. */
double lil_shape_along(double length, int i, int cells);

/* For `middle` of a shape with a circle (n = 2) or sphere (n = 3) about the origin: where both a and b are on it, x goes
 * there too, along its own direction. */
bool lil_shape_round(int n, double radius, const double *a, const double *b, double *x);

/* A group of all vertices with x[axis] == at. */
typedef struct lil_shape_side {
    const char *name;
    int axis;
    double at;
} lil_shape_side;

lil_status lil_shape_sides(lil_context *ctx, lil_arena *arena, lil_mesh *mesh, const lil_shape_side *sides,
                           int count);

#endif
