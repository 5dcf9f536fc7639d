/*
 * Holonomic constraints g(x) = 0. A new kind is one file with one const table; each writes its own entries of
 *
 *     G = dg/dx,    and    k = v' d2g/dx2 v = (dG/dt) v,
 *
 * over all coordinates x, also those that are fixed or scripted (terms/term.h). g is a length, as far as it is one of
 * points in space, and |grad g| is 1 or of that size, so that a multiplier is the force of the constraint in newtons.
 */
#ifndef LIL_CONSTRAINTS_CONSTRAINT_H
#define LIL_CONSTRAINTS_CONSTRAINT_H

#include "core/arena.h"
#include "core/field.h"
#include "mesh/mesh.h"

#include <lilyan/world.h>

#include <stdbool.h>

/* The entries of G: entry k is in row[k], counted from the set's first, and in column col[k] of x. */
typedef struct lil_jacobian {
    int *row, *col;
    int count;
} lil_jacobian;

/* The entries of d2g/dx2, both triangles: entry k is that of row[k] by x_a and x_b, a[k] and b[k] columns of x. */
typedef struct lil_hessian {
    int *row, *a, *b;
    int count;
} lil_hessian;

typedef struct lil_constraint lil_constraint;

typedef struct lil_constraint_table {
    const char *name;
    const char *doc;
    int rows; /* of each member of a set */
    /* A constraint of points: each member has `stride` bytes and begins with its vertices, `points` ints. Each row
     * sees all coordinates of these, or (rows = 3) row k their coordinates k. G has its entries by vertex and
     * axis. */
    int points;
    size_t stride;
    /* With it: d2g/dx_a dx_b is a multiple of 1 for each two vertices. Entries: by a, b, axis; without it by a,
     * axis, b, axis. */
    bool isotropic;
    /* NULL for constraints of points. Allocates the work of one Sim and lists the entries of G. */
    lil_status (*begin)(lil_context *ctx, const lil_constraint *set, lil_arena *arena, void **work, lil_jacobian *G);
    /* g and the values of the entries; either may be NULL. */
    void (*evaluate)(const lil_constraint *set, void *work, const double *x, double *g, double *G);
    /* NULL: g is linear. */
    void (*curvature)(const lil_constraint *set, void *work, const double *x, const double *v, double *k);
    /* Optional: adds its own lengths in the sum of g (a link's, a radius) to its rows: they bound the round-off of
     * g, wherever the origin is. */
    void (*size)(const lil_constraint *set, double *size);
    /* Lists the entries of d2g/dx2 (NULL for constraints of points), and their values. Without `second` g is linear. */
    lil_status (*begin_second)(lil_context *ctx, const lil_constraint *set, lil_arena *arena, lil_hessian *hessian);
    void (*second)(const lil_constraint *set, void *work, const double *x, double *values);
    /* A discrete gradient, G.(x1 - x0) = g(x1) - g(x0), that turns and moves with x0 and x1: of a g of second
     * degree it is G in the middle, another has its own or (NULL) one that any function has
     * (discrete/constraint_gradient.c). */
    bool quadratic;
    void (*between)(const lil_constraint *set, const double *x0, const double *x1, double *G);
    /* Optional, of a function of the user's: whether it refuses at x, or did so in the latest `evaluate`. */
    bool (*explain)(const lil_constraint *set, void *work, const double *x, char *sentence, size_t size);
} lil_constraint_table;

/* Some constraints of one kind: the members of a set. */
struct lil_constraint {
    const lil_constraint_table *table;
    const void *data; /* `count` of the kind's own, in a row */
    int count;
    const char *label; /* for messages: how the scene calls it, and where */
    const char *name;  /* sets in a row with one name are one constraint */
};

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

/* x_0 = sum_k w_k x_k over the vertices of a tet, v[1] to v[4]. */
typedef struct lil_tied {
    int v[5];
    double w[4];
} lil_tied;

extern const lil_constraint_table lil_constraint_distance, lil_constraint_plane, lil_constraint_sphere,
    lil_constraint_angle, lil_constraint_equal, lil_constraint_tie, lil_constraint_text;

/* ---- kinds, as scenes and worlds name them ---- */

struct lil_text_constraint;

/* The inputs from which members are built. */
typedef struct lil_binding {
    const lil_constraint_def *def;
    const char *name;                           /* for sentences */
    const double *x;                            /* of all vertices at the start */
    const lil_mesh *mesh;                       /* of a kind that is carried: the body, where it starts, */
    int first;                                  /*   its first vertex among all, */
    const char *owner;                          /*   its name */
    const struct lil_text_constraint *texts[2]; /* of a kind that has some */
} lil_binding;

typedef struct lil_bond_kind {
    const char *name;        /* the key with its points */
    const char *doc;         /* one sentence */
    const char *example;     /* YAML */
    int ends;                /* it binds so many points to each other; 0: each point of a set to something in space */
    const lil_field *fields; /* of a scene's map, members of lil_constraint_def */
    int field_count;
    bool carried; /* by the body that the def names */
    int texts;    /* how many expressions of x, y and z it needs */
    /* A kind is one set of members or two, each of which one function fills. `wrong` is the member of the def that
     * is, or "points". */
    int parts;
    const lil_constraint_table *table[2];
    size_t member_size[2];
    lil_status (*make)(lil_context *ctx, const lil_binding *b, const int *vertices, int part, void *member,
                       const char **wrong);
} lil_bond_kind;

/* lil_bond_distance ...: one for each line of the list in <lilyan/world.h> */
#define LIL_DECLARE_KIND(type, name) extern const lil_bond_kind lil_bond_##name;
LIL_CONSTRAINT_TYPES(LIL_DECLARE_KIND)
#undef LIL_DECLARE_KIND

const lil_bond_kind *lil_bond_kind_at(int type); /* NULL: there is no such type */

/* `unit` along n. */
lil_status lil_constraint_direction(lil_context *ctx, const char *member, const double n[3], double unit[3],
                                    const char **wrong);
/* The plane across `n` through the def's point, or through where the vertex starts. */
void lil_make_on_plane(const lil_binding *b, int vertex, const double n[3], const double *through,
                       lil_on_plane *member);
/* The vertex at x is carried by a tet of a mesh whose vertices have the numbers first ... */
void lil_make_tied(const lil_mesh *mesh, int first, int tet, int vertex, const double x[3], lil_tied *member);
lil_status lil_make_on_sphere(lil_context *ctx, const lil_binding *b, int vertex, lil_on_sphere *member,
                              const char **wrong);

/* The table's functions, with defaults for the optional ones. */
lil_status lil_constraint_begin(lil_context *ctx, const lil_constraint *set, lil_arena *arena, void **work,
                                lil_jacobian *G);
lil_status lil_constraint_begin_second(lil_context *ctx, const lil_constraint *set, lil_arena *arena,
                                       lil_hessian *hessian);
void lil_constraint_curvature(const lil_constraint *set, void *work, const double *x, const double *v, double *k);

/* Room for the entries of `count` members with `each` entries. */
lil_status lil_jacobian_create(lil_context *ctx, lil_arena *arena, int count, int each, lil_jacobian *G);
lil_status lil_hessian_create(lil_context *ctx, lil_arena *arena, int count, int each, lil_hessian *hessian);

#endif
