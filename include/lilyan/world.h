/*
 * What a scene can say, from C: a world is built from arrays, callbacks and texts, and becomes a Model.
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
 * Defs come from their _default function, which also writes down which version of this header they are of. Whatever is added is
 * copied, except `user` pointers, which are borrowed as long as the Model lives. What is wrong is refused with a sentence in the context,
 * and the world is as it was. Bodies, particles and strands are numbered from 0 in the order in which they are added.
 */
#ifndef LILYAN_WORLD_H
#define LILYAN_WORLD_H

#include <lilyan/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

LIL_API lil_status lil_world_create(lil_context *ctx, lil_world **world);
/* A Model that was built keeps what it needs: either may go first. */
LIL_API void lil_world_destroy(lil_world **world);

/* ---- vectors that vary ---- */

/* A vector at (t, x) and its rate d/dt, where `rate` is not NULL. False: there is none, and the step fails. */
typedef bool lil_vector_fn(void *user, double t, const double x[3], double value[3], double rate[3]);

/* By a callback, or by three expressions of t and, where the place matters, x, y, z. */
typedef struct lil_vector_def {
    lil_vector_fn *fn;
    void *user;
    const char *text[3];
} lil_vector_def;

/* ---- bodies ---- */

/* What is NaN is the preset's. */
typedef struct lil_material_def {
    const char *name;      /* of a material or a preset; NULL: neo-hookean */
    double young, poisson; /* Pa, 1 */
    double mu, kappa;      /* or these, Pa */
    double density;        /* kg/m^3 */
    const char *options;   /* of its own, "c10=1e5 c01=2e4"; NULL: none */
} lil_material_def;

typedef enum lil_damping { LIL_DAMP_EXACT, LIL_DAMP_MINIMISED, LIL_DAMP_PAPER, LIL_DAMP_EXPLICIT } lil_damping;

typedef struct lil_body_def {
    size_t size;
    const char *name;     /* letters, digits and _; no two alike */
    const lil_mesh *mesh; /* with the surface that it fills, if it does; or arrays: */
    int vertex_count;
    const double *x; /* at rest, 3 a vertex, m */
    int tet_count;
    const int (*tets)[4];     /* right-handed: det(x1 - x0, x2 - x0, x3 - x0) > 0 */
    int surface_vertex_count; /* of a finer surface that rides in the tets; 0: there is none */
    const double *surface_x;
    int triangle_count;
    const int (*triangles)[3];
    double scale[3], rotate[3], at[3]; /* then put there: rotate in degrees about x, then y, then z */
    int refine_count;
    const lil_fineness *refine; /* where its tets are made finer then */
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
    const lil_mesh *mesh; /* of particles that are arranged, with their links; or arrays: */
    int count;
    const double *x;                   /* 3 each, m */
    double scale[3], rotate[3], at[3]; /* then put there, as a body is */
    const double *mass;                /* kg; NULL: */
    double each;                       /*   so much each */
    const double *v;                   /* 3 each, m/s; NULL: at rest */
    double radius;                     /* m, for contact by barrier */
    int link_count;
    const int (*links)[2]; /* who is linked to whom; of a mesh: instead of its own */
    bool unlinked;         /* of a mesh: its links are left out. Otherwise they act */
    double stiffness;      /*   by springs of so many N/m; 0: rigidly */
    double length;         /*   that are at rest at this length, m; < 0: as long as they are */
    double damping;        /*   kD of these springs, s */
    int triangle_count;
    const int (*triangles)[3]; /* of cloth between links, for contact */
    double drag;               /* kg/s, of each */
    lil_vector_def wind;       /* m/s; a callback's `rate` is NULL, and its slopes are taken by differences */
} lil_particles_def;

LIL_API lil_particles_def lil_particles_def_default(void);
LIL_API lil_status lil_world_add_particles(lil_world *world, const lil_particles_def *def, int *body);

/* ---- strands ---- */

/* Hair, grass, wire: particles in a row with rigid links, which resist being bent and keep their curl. They hang as the world's gravity says, so
 * that is set first. The first two particles of each are held, or moved by a handle. Groups: all, roots, tips. */
typedef struct lil_strands_def {
    size_t size;
    const char *name;
    int count, nodes;               /* strands; particles of each, its ends included */
    double length, radius;          /* along a strand, of its cross-section, m */
    double young, density;          /* Pa, kg/m^3 */
    double damping;                 /* kD of bending, s */
    double spread;                  /* from 0 to 1: how much they differ in length, direction and curl; */
    int seed;                       /*   another one, and they differ in another way */
    double curl_radius, curl_pitch; /* of the helix that a strand is without its weight, m; radius 0: straight */
    const double (*roots)[3], (*directions)[3]; /* where each begins, and where to; NULL: as the following says */
    bool disc;                              /* a disc, which strands leave along its axis; else part of a sphere, */
    double centre[3], axis[3], root_radius; /*   which they leave outwards */
    double from, to;                        /* of a sphere: from the axis, degrees */
    double drag;                            /* as of particles */
    lil_vector_def wind;
} lil_strands_def;

LIL_API lil_strands_def lil_strands_def_default(void);
LIL_API lil_status lil_world_add_strands(lil_world *world, const lil_strands_def *def, int *body);

/* ---- what is done to vertices of a body, or to particles ---- */

/* What a body, particles or strands consist of, in the world's coordinates at rest. */
LIL_API lil_status lil_world_look(const lil_world *world, int body, lil_mesh_info *info);
/* A group by its name: one that was added, or of its mesh. */
LIL_API lil_status lil_world_find_group(lil_world *world, int body, const char *name, lil_group_info *group);
/* Letters, digits and _, as bodies; no two of a world are alike. */
LIL_API lil_status lil_world_add_group(lil_world *world, int body, const char *name, const int *vertices, int count);

typedef struct lil_start_def {
    size_t size;
    const double *x, *v;     /* 3 a vertex; NULL: as placed, stretched and twisted; as pushed and spun */
    double stretch, twist;   /* along the mesh's own x: a ratio, degrees */
    double spin[3], push[3]; /* rad/s about the centre of mass, m/s */
    bool rest;               /* in equilibrium, which a Sim whose def has no q finds from there */
} lil_start_def;

LIL_API lil_start_def lil_start_def_default(void);
LIL_API lil_status lil_world_set_start(lil_world *world, int body, const lil_start_def *def);

/* They stay where they start. */
LIL_API lil_status lil_world_fix(lil_world *world, int body, const int *vertices, int count);
/* They are moved by as much as `move` says, m, of t and the place x where each starts. */
LIL_API lil_status lil_world_add_handle(lil_world *world, int body, const int *vertices, int count,
                                        const lil_vector_def *move);
/* N in all, by area; of t. A callback's x is NULL. */
LIL_API lil_status lil_world_add_load(lil_world *world, int body, const int *vertices, int count,
                                      const lil_vector_def *force);
/* N/m^2 of the faces of the surface between them; of t. */
LIL_API lil_status lil_world_add_traction(lil_world *world, int body, const int *vertices, int count,
                                          const lil_vector_def *traction);

/* The force F on a vertex of the body, which is at x with velocity v, N. */
typedef bool lil_point_force_fn(void *user, double t, int vertex, const double x[3], const double v[3], double F[3]);
/* dF/dx and dF/dv, by rows. */
typedef bool lil_point_force_slopes_fn(void *user, double t, int vertex, const double x[3], const double v[3],
                                       double Fx[9], double Fv[9]);

/* A force of your own on every vertex of a body, each by itself. Its work is booked: that of F(t, x, 0) as external_work, that of the rest as
 * energy_dissipated. `slopes` NULL: F is differenced. */
LIL_API lil_status lil_world_add_force(lil_world *world, int body, lil_point_force_fn *force,
                                       lil_point_force_slopes_fn *slopes, void *user);

/* ---- springs and constraints ---- */

typedef struct lil_spring_def {
    size_t size;
    int body, vertex_count;
    const int *vertices; /* one spring from each */
    int to;              /* to the nearest of a body's vertices; -1: to a point */
    int to_count;
    const int *to_vertices;
    double point[3];
    double stiffness, length, damping; /* N/m; m, < 0: as long as it is; kD, s */
} lil_spring_def;

LIL_API lil_spring_def lil_spring_def_default(void);
LIL_API lil_status lil_world_add_springs(lil_world *world, const lil_spring_def *def);

/* The types, and what scenes call them. */
#define LIL_CONSTRAINT_TYPES(X)                                                                                      \
    X(LIL_DISTANCE, distance) /* two points stay `length` apart */                                                   \
    X(LIL_ANGLE, angle)       /* the angle at the second of three points stays `degrees` */                          \
    X(LIL_EQUAL, equal)       /* two points stay in one place */                                                     \
    X(LIL_PLANE, plane)       /* a point stays on the plane across `axis`, through `point` */                        \
    X(LIL_LINE, line)         /* on the line along `axis`, through `point` */                                        \
    X(LIL_SPHERE, sphere)     /* on the sphere about `point` with `radius` */                                        \
    X(LIL_CIRCLE, circle)     /* on the circle about `point` with `radius`, across `axis` */                         \
    X(LIL_SURFACE, surface)   /* where the expression `text` of x, y, z is 0 */                                      \
    X(LIL_CURVE, curve)       /* where `text` and `text2` are */

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
    lil_vertex points[3];   /* as many as the type has */
    double length, degrees; /* not positive: as at the start */
    double point[3], axis[3], radius;
    bool as_placed; /* of a plane or a line: through where the point starts, not `point` */
    const char *text, *text2;
} lil_constraint_def;

LIL_API lil_constraint_def lil_constraint_def_default(void);
LIL_API lil_status lil_world_add_constraint(lil_world *world, const lil_constraint_def *def);

/* Terms and constraints of kinds that you registered (<lilyan/kinds.h>): potentials that couple vertices, a surface or a curve by a C function.
 * Coordinate d of vertex i of a body is 3 (lil_world_first(world, body) + i) + d. Such a term needs an integrator other than
 * energy-momentum, and no contact by barrier. */
LIL_API lil_status lil_world_add_terms(lil_world *world, const lil_term_set *set);
LIL_API lil_status lil_world_add_constraints(lil_world *world, const lil_constraint_set *set);

/* ---- what they meet ---- */

typedef enum lil_obstacle_kind {
    LIL_OBSTACLE_PLANE,  /* solid on the side to which `normal` does not point, from `point` on */
    LIL_OBSTACLE_SPHERE, /* about `point`, with `radius` */
    LIL_OBSTACLE_BOX,    /* about `point`, with sides `extent`, turned by `rotate` */
    LIL_OBSTACLE_MESH /* triangles, scaled, turned by `rotate` and put with their origin at `point`; only by barrier */
} lil_obstacle_kind;

typedef struct lil_obstacle_def {
    size_t size;
    const char *name;
    lil_obstacle_kind kind;
    double point[3], normal[3], radius, extent[3]; /* m */
    double rotate[3], scale[3];                    /* rotate in degrees about x, then y, then z */
    int vertex_count;
    const double *x; /* 3 a vertex */
    int triangle_count;
    const int (*triangles)[3];
    lil_vector_def
        move; /* how far it is from its place, m, of t; nothing set: it stays. A callback's x is NULL, its rate is not */
    lil_vector_def turn; /* about its point, in degrees as `rotate`, likewise; only by barrier */
    double friction;     /* NaN: that of the contact */
    double stiffness;    /* by penalty, as in lil_contact_def; 0: that of the contact */
} lil_obstacle_def;

LIL_API lil_obstacle_def lil_obstacle_def_default(void);
LIL_API lil_status lil_world_add_obstacle(lil_world *world, const lil_obstacle_def *def);

/* BARRIER: nothing passes through anything; for the integrators energy-momentum, midpoint and implicit-euler. PENALTY: what is inside
 * something is pushed out; for all integrators. */
typedef enum lil_contact_method { LIL_CONTACT_BARRIER, LIL_CONTACT_PENALTY } lil_contact_method;

/* A world with obstacles has contact with the defaults of this def; another has none until lil_world_set_contact. */
typedef struct lil_contact_def {
    size_t size;
    lil_contact_method method;
    double friction;    /* Coulomb's mu */
    double slip;        /* m/s: what sticks creeps slower than this */
    double damping;     /* kD of what touches, s; < 0: by penalty 0, by barrier that of the bodies */
    double restitution; /* by barrier, from 0 to 1 */
    double d_hat;       /* by barrier: the gap at which it begins, m; 0: a tenth of an edge or a link */
    double
        stiffness; /* by penalty N/m^3 of bodies, N/m of particles; by barrier Pa; 0: from material, mass and `step` */
    double step;   /* s, that of the Sim: a world has none, and the default stiffness of particles needs one */
    double start;  /* s, that of the Sim: when obstacles that move are where they start */
    bool bodies;   /* they meet each other and themselves, not obstacles alone */
} lil_contact_def;

LIL_API lil_contact_def lil_contact_def_default(void);
LIL_API lil_status lil_world_set_contact(lil_world *world, const lil_contact_def *def);
/* By barrier, of bodies and obstacles that were added, by their names: these two do not meet (a and a: it does not meet itself), or
 * they rub with mu. */
LIL_API lil_status lil_world_ignore(lil_world *world, const char *a, const char *b);
LIL_API lil_status lil_world_set_friction(lil_world *world, const char *a, const char *b, double mu);

/* ---- all of it ---- */

LIL_API lil_status lil_world_set_gravity(lil_world *world, const double g[3]); /* m/s^2 */

/* The Model, once: nothing can be added afterwards, also where it fails. By barrier, what touches at the start is moved apart a little, with a
 * warning, or refused. A Sim whose def has no q starts where the world does. */
LIL_API lil_status lil_world_build(lil_world *world, lil_model **model);
/* How many vertices there are, and the number of a body's first vertex among all. */
LIL_API int lil_world_vertices(const lil_world *world);
LIL_API int lil_world_first(const lil_world *world, int body); /* -1: there is no such body */
/* All vertices, 3 each, at (t, q) of a Sim: what is held or moved too. */
LIL_API lil_status lil_sim_positions(lil_sim *sim, double *x);

#ifdef __cplusplus
}
#endif

#endif
