/*
 * The factors L D L' of ldl.h panelled for many solutions: neighbouring columns of L with the same rows are one
 * block, as the three of a vertex always are, and blocks are multiplied four rows at a time.
 */
#ifndef LIL_SOLVERS_PANELS_H
#define LIL_SOLVERS_PANELS_H

#include "math/lanes.h"
#include "solvers/ldl.h"

/* Columns first .. first + width - 1 of L: a unit lower triangle, then `groups` times four rows. */
typedef struct lil_panel {
    int first, width, groups;
    int *row;        /* four a group, n: none */
    size_t triangle; /* where its numbers begin */
    size_t body;     /* and those of its groups, width lanes each */
} lil_panel;

/* Shared by matrices of one pattern. */
typedef struct lil_panels {
    const lil_ldl *ldl;
    int n, count;
    lil_panel *panel;
    size_t triangles, bodies;
} lil_panels;

typedef struct lil_panelled {
    double *triangle, *over_D; /* 1/D */
    lil_lanes *body;
} lil_panelled;

/* The pattern is that of ldl, which is borrowed. */
lil_status lil_panels_create(lil_context *ctx, lil_arena *arena, const lil_ldl *ldl, lil_panels *panels);
lil_status lil_panelled_create(lil_context *ctx, lil_arena *arena, const lil_panels *panels, lil_panelled *panelled);
/* A matrix factored by ldl. */
void lil_panelled_set(const lil_panels *panels, lil_panelled *panelled);
/* x = A^-1 b; work holds n + 1 numbers. */
void lil_panelled_solve(const lil_panels *panels, const lil_panelled *panelled, const double *b, double *x,
                        double *work);

#endif
