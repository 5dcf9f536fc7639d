/*
 * Holonomic constraints g(x) = 0. A new kind is one file with one const table; each writes its own entries of
 *
 *     G = dg/dx,    and    k = v' d2g/dx2 v = (dG/dt) v,
 *
 * over all coordinates x, also those that are fixed or scripted (terms/term.h). g is a length, as far as it is one of points
 * in space, and |grad g| is 1 or of that size, so that a multiplier is the force of the constraint in newtons.
 */
#ifndef LIL_CONSTRAINTS_CONSTRAINT_H
#define LIL_CONSTRAINTS_CONSTRAINT_H

#include "core/arena.h"
#include "core/context.h"

#include <stdbool.h>

/* The entries of G: entry k stands in row[k], counted from the set's first, and in column col[k] of x. */
typedef struct lil_jacobian {
    int *row, *col;
    int count;
} lil_jacobian;

/* The entries of d2g/dx2, both triangles: entry k is that of row[k] by x_a and x_b, a[k] and b[k] columns of x. */
typedef struct lil_hessian {
    int *row, *a, *b;
    int count;
} lil_hessian;

typedef struct lil_constraint_table {
    const char *name;
    const char *doc;
    int rows; /* of each member of a set */
    /* Allocates the work of one Sim and lists the entries of G. */
    lil_status (*begin)(lil_context *ctx, const void *data, int count, lil_arena *arena, void **work,
                        lil_jacobian *G);
    /* g and the values of the entries; either may be NULL. */
    void (*evaluate)(const void *data, int count, void *work, const double *x, double *g, double *G);
    void (*curvature)(const void *data, int count, void *work, const double *x, const double *v, double *k);
    /* Optional: adds the lengths of its own that g is summed from (a link's, a radius) to its rows: g is off by their last
     * places, wherever the origin is. */
    void (*size)(const void *data, int count, double *size);
    /* Lists the entries of d2g/dx2, and their values. NULL: g is linear. */
    lil_status (*begin_second)(lil_context *ctx, const void *data, int count, lil_arena *arena, void *work,
                               lil_hessian *hessian);
    void (*second)(const void *data, int count, void *work, const double *x, double *values);
    /* A discrete gradient, G.(x1 - x0) = g(x1) - g(x0), that turns and moves with x0 and x1: of a g of second degree it is G in
     * the middle, another has its own or (NULL) one that any function has (discrete/between.c). */
    bool quadratic;
    void (*between)(const void *data, int count, const double *x0, const double *x1, double *G);
} lil_constraint_table;

/* Some constraints of one kind: the members of a set. */
typedef struct lil_constraint {
    const lil_constraint_table *table;
    const void *data; /* `count` of the kind's own, in a row */
    int count;
    const char *label; /* for messages: how the scene calls it, and where */
    const char *name;  /* sets in a row with one name are one constraint */
} lil_constraint;

/* |x_j - x_i| = length: a rigid link. */
typedef struct lil_link {
    int i, j; /* vertices */
    double length;
} lil_link;

/* A vertex on a plane, n.x = d with |n| = 1; on a sphere; on a line or a circle, which are two of these. */
typedef struct lil_on_plane {
    int i;
    double n[3], d;
} lil_on_plane;

typedef struct lil_on_sphere {
    int i;
    double centre[3], radius;
} lil_on_sphere;

/* The angle at j between the links to i and to k stays as it is: cos(angle). The length makes g one. */
typedef struct lil_angle {
    int i, j, k;
    double cosine, length;
} lil_angle;

/* x_i = x_j */
typedef struct lil_joint {
    int i, j;
} lil_joint;

extern const lil_constraint_table lil_constraint_distance, lil_constraint_plane, lil_constraint_sphere,
    lil_constraint_angle, lil_constraint_equal, lil_constraint_text;

/* Room for the entries of `count` members with `each` entries. */
lil_status lil_jacobian_create(lil_context *ctx, lil_arena *arena, int count, int each, lil_jacobian *G);
lil_status lil_hessian_create(lil_context *ctx, lil_arena *arena, int count, int each, lil_hessian *hessian);

#endif
