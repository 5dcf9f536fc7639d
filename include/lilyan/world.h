/*
 * Worlds from C: arrays, callbacks and texts describe everything that a scene can, and become a Model.
 *
 *     lil_world *world;
 *     lil_model *model;
 *     int bar;
 *     lil_body_def def = lil_body_def_default();
 *     def.name = "bar";
 *     def.vertex_count = 4, def.x = x, def.tet_count = 1, def.tets = tets;
 *     def.material.name = "rubber";
 *     lil_world_create(ctx, &world);
 *     lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 });
 *     lil_world_add_body(world, &def, &bar);
 *     lil_world_build(world, &model);
 *
 * Initialise defs with their _default function, which also stores the version of this header. Everything that is
 * added is copied, except `user` pointers, which are borrowed as long as the Model lives. Invalid input is refused
 * with a message in the context, and the world does not change. Bodies, particles and strands are numbered from 0 in
 * the order of addition.
 */
#ifndef LILYAN_WORLD_H
#define LILYAN_WORLD_H

#include <lilyan/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

LIL_API lil_status lil_world_create(lil_context *ctx, lil_world **world);
/* A Model keeps everything it needs: the world may be destroyed before or after it. */
LIL_API void lil_world_destroy(lil_world **world);

/* ---- vectors that vary ---- */

/* A vector at (t, x) and its rate d/dt if `rate` is not NULL. False: undefined, and the step fails. */
typedef bool lil_vector_fn(void *user, double t, const double x[3], double value[3], double rate[3]);

/* A callback, or three expressions of t and, for fields, of x, y, z. */
typedef struct lil_vector_def {
    lil_vector_fn *fn;
    void *user;
    const char *text[3];
} lil_vector_def;

/* Points that are at known positions at some times, as an animation program or a motion capture has them. In between they
 * follow cubic splines, whose accelerations are continuous; before the first time and after the last one they stand still. */
typedef struct lil_samples_def {
    size_t size;
    const char *name;    /* for messages; NULL: "samples" */
    int count, points;   /* of times; of points at each */
    const double *times; /* s, ascending */
    const double
        *x;    /* at each time 3 of each point, m, in the coordinates of the mesh that follows, which are placed as
                          * it is */
    bool loop; /* the motion is one period; if the last positions are not the first ones again, they come one mean
                          * interval later */
} lil_samples_def;

LIL_API lil_samples_def lil_samples_def_default(void);

/* ---- where things are put ---- */

/* A body, particles or the mesh of an obstacle are scaled, rotated (degrees about x, then y, then z) and moved to
 * `at`, in this order. The base is the point of it that comes to be there. The box is that of what is scaled and rotated; of a body
 * with a surface it is that of the surface's faces. */
typedef enum lil_base {
    LIL_BASE_ORIGIN,   /* the origin of its own coordinates */
    LIL_BASE_CENTRE,   /* the centre of its box */
    LIL_BASE_LOWEST_Y, /* its lowest point in y; in x and z the centre of its box */
    LIL_BASE_LOWEST_Z  /* its lowest point in z; in x and y the centre of its box */
} lil_base;

/* ---- bodies ---- */

/* NaN: the preset's value. */
typedef struct lil_material_def {
    const char *name;      /* a material or a preset; NULL: neo-hookean */
    double young, poisson; /* Pa, 1 */
    double mu, kappa;      /* or these instead, Pa */
    double density;        /* kg/m^3 */
    const char *options;   /* its own options, "c10=1e5 c01=2e4"; NULL: none */
} lil_material_def;

typedef enum lil_damping { LIL_DAMP_EXACT, LIL_DAMP_MINIMISED, LIL_DAMP_PAPER, LIL_DAMP_EXPLICIT } lil_damping;

typedef struct lil_body_def {
    size_t size;
    const char *name;     /* letters, digits and _; must be unique */
    const lil_mesh *mesh; /* with the surface that it fills, if any; or arrays: */
    int vertex_count;
    const double *x; /* at rest, 3 per vertex, m */
    int tet_count;
    const int (*tets)[4];     /* right-handed: det(x1 - x0, x2 - x0, x3 - x0) > 0 */
    const int (*mids)[6];     /* quadratic: the vertices on their edges 01 12 02 03 13 23; NULL: linear */
    int surface_vertex_count; /* finer surface embedded in the tets; 0: none */
    const double *surface_x;
    int triangle_count;
    const int (*triangles)[3];
    double scale[3], rotate[3], at[3];
    double largest;    /* m: after `scale`, scaled evenly until its largest extent is this; 0: not */
    bool about_centre; /* rotates about the centre of its box; otherwise about the origin of its own coordinates */
    lil_base base;
    int refine_count;
    const lil_fineness *refine; /* regions with smaller tets, applied afterwards */
    lil_elements elements;      /* quadratic: vertices in the middle of edges are added after all others */
    lil_material_def material;
    double damping; /* kD, s */
    lil_damping form;
} lil_body_def;

LIL_API lil_body_def lil_body_def_default(void);
LIL_API lil_status lil_world_add_body(lil_world *world, const lil_body_def *def, int *body);

/* ---- particles ---- */

typedef struct lil_particles_def {
    size_t size;
    const char *name;
    const lil_mesh *mesh; /* an arrangement of particles with links; or arrays: */
    int count;
    const double *x; /* 3 each, m */
    double scale[3], rotate[3], at[3];
    bool about_centre;  /* as for a body */
    lil_base base;      /* the lowest point is that of a particle with its radius */
    const double *mass; /* kg; NULL: */
    double each;        /* mass of each */
    const double *v;    /* 3 each, m/s; NULL: at rest */
    double radius;      /* m, for barrier contact */
    int link_count;
    const int (*links)[2]; /* linked pairs; they replace those of a mesh */
    bool unlinked;         /* ignore the links of the mesh */
    double stiffness;      /* of links that are springs, N/m; 0: rigid links */
    double length;         /* rest length of these springs, m; < 0: the initial length */
    double damping;        /*   kD of these springs, s */
    int triangle_count;
    const int (*triangles)[3]; /* cloth between links, for contact */
    double drag;               /* kg/s, for each particle */
    lil_vector_def wind;       /* m/s; a callback's `rate` is NULL, and its slopes are differenced */
} lil_particles_def;

LIL_API lil_particles_def lil_particles_def_default(void);
LIL_API lil_status lil_world_add_particles(lil_world *world, const lil_particles_def *def, int *body);

/* ---- strands ---- */

/* Hair, grass, wire: rows of particles with rigid links, bending stiffness and a natural curl. Set the gravity
 * first: strands start in equilibrium with it. The first two particles of each are pinned, or moved by a handle.
 * Groups: all, roots, tips. */
typedef struct lil_strands_def {
    size_t size;
    const char *name;
    int count, nodes;               /* number of strands; particles per strand, ends included */
    double length, radius;          /* of a strand and of its cross-section, m */
    double young, density;          /* Pa, kg/m^3 */
    double damping;                 /* bending damping kD, s */
    double spread;                  /* relative variation of length, direction and curl between strands, 0 to 1 */
    int seed;                       /* random seed of that variation */
    double curl_radius, curl_pitch; /* the natural helix of a strand, without weight, m; radius 0: straight */
    /* root and direction of each; NULL: distributed on the following surface */
    const double (*roots)[3], (*directions)[3];
    int on;    /* the surface of this body, where its normals are at `from` to `to` from the axis; strands point along
             * them, and their roots move with the body; -1: a part of a sphere, or a disc */
    bool disc; /* true: a disc, strands point along its axis; false: part of a sphere, */
    double centre[3], axis[3], root_radius; /* strands point outwards */
    double from, to;                        /* sphere: range of angles from the axis, degrees */
    double drag;                            /* as for particles */
    lil_vector_def wind;
} lil_strands_def;

LIL_API lil_strands_def lil_strands_def_default(void);
LIL_API lil_status lil_world_add_strands(lil_world *world, const lil_strands_def *def, int *body);

/* ---- vertices of a body, or particles ---- */

/* The contents of a body, particles or strands, in the world's coordinates at rest. */
LIL_API lil_status lil_world_look(const lil_world *world, int body, lil_mesh_info *info);
/* A group by name: one that was added, one of the mesh, or "all". */
LIL_API lil_status lil_world_find_group(lil_world *world, int body, const char *name, lil_group_info *group);
/* The vertex nearest to a point at rest. */
LIL_API lil_status lil_world_find_nearest(lil_world *world, int body, const double x[3], int *vertex);
/* The name has letters, digits and _, and is unique in the world. */
LIL_API lil_status lil_world_add_group(lil_world *world, int body, const char *name, const int *vertices, int count);

typedef struct lil_start_def {
    size_t size;
    const double *x, *v;     /* 3 per vertex; NULL: the following members set them */
    double stretch, twist;   /* along the mesh's own x: ratio, degrees */
    double spin[3], push[3]; /* rad/s about the centre of mass, m/s */
    bool rest;               /* start in equilibrium, which a Sim whose def has no q solves for, from this start */
} lil_start_def;

LIL_API lil_start_def lil_start_def_default(void);
LIL_API lil_status lil_world_set_start(lil_world *world, int body, const lil_start_def *def);

/* Fixed at their start. */
LIL_API lil_status lil_world_fix(lil_world *world, int body, const int *vertices, int count);
/* Displaced by `move`, m, a function of t and the initial position x. */
LIL_API lil_status lil_world_add_handle(lil_world *world, int body, const int *vertices, int count,
                                        const lil_vector_def *move);
/* Rotated about a point (NULL: their mean position) by `turn`, degrees about x, then y, then z, a function of t. A
 * callback's x is NULL, its rate is not. */
LIL_API lil_status lil_world_add_turning_handle(lil_world *world, int body, const int *vertices, int count,
                                                const lil_vector_def *turn, const double about[3]);
/* They follow samples with as many points as the body's surface, its mesh or the boundary of that, in ascending order.
 * Vertices that have no point of their own move as the points around them do. */
LIL_API lil_status lil_world_add_following_handle(lil_world *world, int body, const int *vertices, int count,
                                                  const lil_samples_def *samples);
/* Pins, fixed vertices or those of handles, that are free from the first end of a step not before t on, with the
 * velocity that they have then. The state of the Sim then has more coordinates: what lil_sim_state lent before is
 * gone, and states saved before do not fit. */
LIL_API lil_status lil_world_let_go(lil_world *world, int body, const int *vertices, int count, double t);
/* Total force in N, distributed by area; a function of t. A callback's x is NULL. */
LIL_API lil_status lil_world_add_load(lil_world *world, int body, const int *vertices, int count,
                                      const lil_vector_def *force);
/* N/m^2 on the faces of the surface between them; a function of t. */
LIL_API lil_status lil_world_add_traction(lil_world *world, int body, const int *vertices, int count,
                                          const lil_vector_def *traction);

/* Pa on the same faces, against the surface and always perpendicular to where it is: the first number of a function of
 * t; the others are not used. A callback's x is NULL, its rate is not. On a closed surface, or one whose rim is fixed, it has a
 * potential. */
LIL_API lil_status lil_world_add_pressure(lil_world *world, int body, const int *vertices, int count,
                                          const lil_vector_def *pressure);

/* The force F on a vertex of the body at x with velocity v, N. */
typedef bool lil_point_force_fn(void *user, double t, int vertex, const double x[3], const double v[3], double F[3]);
/* dF/dx and dF/dv, by rows. */
typedef bool lil_point_force_slopes_fn(void *user, double t, int vertex, const double x[3], const double v[3],
                                       double Fx[9], double Fv[9]);

/* A force of your own on every vertex of a body. The certificate counts the work of F(t, x, 0) as external_work
 * and that of the rest as energy_dissipated. `slopes` NULL: F is differenced. */
LIL_API lil_status lil_world_add_force(lil_world *world, int body, lil_point_force_fn *force,
                                       lil_point_force_slopes_fn *slopes, void *user);

/* ---- springs and constraints ---- */

typedef struct lil_spring_def {
    size_t size;
    int body, vertex_count;
    const int *vertices; /* one spring from each */
    int to;              /* to the nearest vertex of this body; -1: to a point */
    int to_count;
    const int *to_vertices;
    double point[3];
    double stiffness, length, damping; /* N/m; m, < 0: the initial length; kD, s */
} lil_spring_def;

LIL_API lil_spring_def lil_spring_def_default(void);
LIL_API lil_status lil_world_add_springs(lil_world *world, const lil_spring_def *def);

/* The types, and what scenes call them. */
#define LIL_CONSTRAINT_TYPES(X)                                                                                      \
    X(LIL_DISTANCE, distance) /* two points stay `length` apart */                                                   \
    X(LIL_ANGLE, angle)       /* the angle at the second of three points stays `degrees` */                          \
    X(LIL_EQUAL, equal)       /* two points coincide */                                                              \
    X(LIL_TIE, tie)           /* a point moves with the place of `body` at which it starts */                        \
    X(LIL_PLANE, plane)       /* a point stays on the plane through `point` normal to `axis` */                      \
    X(LIL_LINE, line)         /* on the line along `axis`, through `point` */                                        \
    X(LIL_SPHERE, sphere)     /* on the sphere about `point` with `radius` */                                        \
    X(LIL_CIRCLE, circle)     /* on the circle about `point` with `radius`, normal to `axis` */                      \
    X(LIL_SURFACE, surface)   /* where the expression `text` of x, y, z is 0 */                                      \
    X(LIL_CURVE, curve)       /* where `text` and `text2` are 0 */

typedef enum lil_constraint_type {
#define LIL_CONSTRAINT_TYPE(type, name) type,
    LIL_CONSTRAINT_TYPES(LIL_CONSTRAINT_TYPE)
#undef LIL_CONSTRAINT_TYPE
} lil_constraint_type;

/* A point of the world: a vertex of a body. */
typedef struct lil_vertex {
    int body, vertex;
} lil_vertex;

typedef struct lil_constraint_def {
    size_t size;
    const char *name;
    lil_constraint_type type;
    lil_vertex points[3];   /* as many as the type needs */
    int body;               /* of a tie; its part and this body do not collide */
    double length, degrees; /* not positive: the initial value */
    double point[3], axis[3], radius;
    bool as_placed; /* plane or line: passes through the start of the point instead of `point` */
    const char *text, *text2;
} lil_constraint_def;

LIL_API lil_constraint_def lil_constraint_def_default(void);
LIL_API lil_status lil_world_add_constraint(lil_world *world, const lil_constraint_def *def);

/* Terms and constraints of kinds that you registered (<lilyan/kinds.h>): potentials that couple vertices, a
 * surface or a curve by a C function. Coordinate d of vertex i of a body is 3 (lil_world_first(world, body) + i) +
 * d. Such a term needs an integrator other than energy-momentum, and no contact by barrier. */
LIL_API lil_status lil_world_add_terms(lil_world *world, const lil_term_set *set);
LIL_API lil_status lil_world_add_constraints(lil_world *world, const lil_constraint_set *set);

/* ---- contact ---- */

typedef enum lil_obstacle_kind {
    LIL_OBSTACLE_PLANE,  /* a half-space through `point`, solid on the side away from `normal` */
    LIL_OBSTACLE_SPHERE, /* about `point`, with `radius` */
    LIL_OBSTACLE_BOX,    /* centred at `point`, with sides `extent`, rotated by `rotate` */
    LIL_OBSTACLE_MESH    /* triangles, placed at `point`; barrier only */
} lil_obstacle_kind;

typedef struct lil_obstacle_def {
    size_t size;
    const char *name;
    lil_obstacle_kind kind;
    double point[3], normal[3], radius, extent[3]; /* m */
    double rotate[3], scale[3];                    /* rotate in degrees about x, then y, then z */
    double largest;                                /* of a mesh: as for a body */
    bool about_centre;
    lil_base base;
    int vertex_count;
    const double *x; /* 3 per vertex */
    int triangle_count;
    const int (*triangles)[3];
    lil_vector_def
        move; /* displacement, m, a function of t; unset: it does not move. A callback's x is NULL, its rate is not */
    lil_vector_def turn; /* rotation about its point, in degrees as `rotate`, likewise; barrier only */
    const lil_samples_def
        *follow;      /* of a mesh, with as many points as vertices: it deforms, then rotates and moves; NULL: it
                                    * keeps its shape */
    double friction;  /* NaN: the value of the contact */
    double stiffness; /* penalty only, as in lil_contact_def; 0: the value of the contact */
} lil_obstacle_def;

LIL_API lil_obstacle_def lil_obstacle_def_default(void);
LIL_API lil_status lil_world_add_obstacle(lil_world *world, const lil_obstacle_def *def);

/* BARRIER: nothing penetrates; for energy-momentum, midpoint and implicit-euler. PENALTY: springs push out what
 * has penetrated; for all integrators. */
typedef enum lil_contact_method { LIL_CONTACT_BARRIER, LIL_CONTACT_PENALTY } lil_contact_method;

/* A world with obstacles has contact with the defaults of this def; any other has none until
 * lil_world_set_contact. */
typedef struct lil_contact_def {
    size_t size;
    lil_contact_method method;
    double friction;    /* Coulomb's mu */
    double slip;        /* m/s: sticking contacts creep slower than this */
    double damping;     /* contact damping kD, s; < 0: 0 with penalty, the bodies' damping with the barrier */
    double restitution; /* barrier only, 0 to 1 */
    double d_hat;       /* barrier: the gap at which it begins, m; 0: a tenth of an edge or a link */
    double
        stiffness; /* penalty: N/m^3 for bodies, N/m for particles; barrier: Pa; 0: from material, mass and `step` */
    double step;   /* step of the Sim, s: the default stiffness of particles depends on it */
    double start;  /* start time of the Sim, s: moving obstacles start there */
    bool bodies;   /* bodies collide with each other and themselves, not only with obstacles */
} lil_contact_def;

LIL_API lil_contact_def lil_contact_def_default(void);
LIL_API lil_status lil_world_set_contact(lil_world *world, const lil_contact_def *def);
/* Barrier: these two bodies or obstacles, by name, do not collide (a and a: no self-contact), or have their own
 * mu. */
LIL_API lil_status lil_world_ignore(lil_world *world, const char *a, const char *b);
LIL_API lil_status lil_world_set_friction(lil_world *world, const char *a, const char *b, double mu);
/* Barrier: a body's own mu, in all its contacts: with a part that has its own as well, an obstacle or a body, the
 * geometric mean of both. */
LIL_API lil_status lil_world_set_own_friction(lil_world *world, int body, double mu);

/* ---- looks ---- */

/* What a part looks like on pages and in exports. NaN: not given. */
typedef struct lil_look_def {
    size_t size;
    double color[3];  /* red, green, blue from 0 to 1, sRGB; all three or none */
    double opacity;   /* 1: opaque, 0: invisible */
    double roughness; /* 0: a mirror, 1: dull */
} lil_look_def;

LIL_API lil_look_def lil_look_def_default(void);
/* Of a body, particles, strands or an obstacle, by its name. */
LIL_API lil_status lil_world_set_look(lil_world *world, const char *name, const lil_look_def *def);

/* ---- the model ---- */

LIL_API lil_status lil_world_set_gravity(lil_world *world, const double g[3]); /* m/s^2 */

/* Builds the Model, once: nothing can be added afterwards, even if it fails. With the barrier, parts that touch at
 * the start are moved apart a little, with a warning, or refused. A Sim whose def has no q starts where the world
 * does. */
LIL_API lil_status lil_world_build(lil_world *world, lil_model **model);
/* The number of vertices, and the number of a body's first vertex among all. */
LIL_API int lil_world_vertices(const lil_world *world);
LIL_API int lil_world_first(const lil_world *world, int body); /* -1: no such body */
/* All vertices, 3 each, at (t, q) of a Sim, pinned ones too. */
LIL_API lil_status lil_sim_positions(lil_sim *sim, double *x);

#ifdef __cplusplus
}
#endif

#endif
