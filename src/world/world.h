/*
 * A world: bodies, particles and strands, their handles, constraints, loads and contacts, and their start, before
 * they become a model. Callers pass plain arrays. The world copies and checks them; a fault is one message, and a
 * blame that names the member.
 *
 * Vertices are numbered over the whole world: of the bodies and particles in the order in which they were added, then
 * the anchors of springs.
 */
#ifndef LIL_WORLD_WORLD_H
#define LIL_WORLD_WORLD_H

#include "constraints/text.h"
#include "mesh/fill/embedding.h"
#include "mesh/fill/refine.h"
#include "mesh/make/arrangement.h"
#include "mesh/mids.h"
#include "mesh/surface.h"
#include "model/model.h"
#include "terms/bending.h"
#include "terms/drag.h"
#include "terms/loads.h"
#include "terms/point_force.h"
#include "terms/pressure.h"
#include "terms/springs.h"
#include "terms/tets.h"

#include <lilyan/world.h>

#include <stdatomic.h>

typedef struct lil_damping_def {
    double kD;
    int form; /* lil_damping */
} lil_damping_def;

/* From the mesh's own coordinates to the world's: scale, then R, then at. The other members say how scale and at
 * follow from the box of the points; lil_world_settle uses them up. */
typedef struct lil_placement {
    double scale[3], R[9], at[3];
    double size;       /* m: the largest extent of the scaled points; 0: as they are */
    bool about_centre; /* R acts about the centre of the box */
    lil_base base;
    double radius; /* of the points: below the lowest */
    double sheet;  /* of a surface that becomes a sheet, half its thickness: on all sides of it, not scaled */
} lil_placement;

/* The same members of a def. */
typedef struct lil_placing {
    double scale[3], rotate[3], at[3], size;
    bool about_centre;
    lil_base base;
} lil_placing;

#define LIL_SIZE_MAX 1e30 /* m */

/* What the scene says of a part's look. */
enum { LIL_LOOK_NUMBERS = 5 };
typedef struct lil_look {
    bool set;
    double numbers[LIL_LOOK_NUMBERS]; /* red, green, blue, opacity, roughness; NaN: not given */
} lil_look;

/* The data of strands of one name beside their particles. */
typedef struct lil_strands {
    int nodes; /* of each */
    lil_bend *bend;
    lil_twist *twist;
    lil_bends bends;
    lil_twists twists;
    double *mass, damping;
    int on;             /* the body whose surface they grow from; -1: none */
    double *weightless; /* where the particles would be without weight */
    int *roots; /* of those at the start of links that grow out of something, and meet it not: vertices among all */
    int root_count;
} lil_strands;

/* A body, or particles that have one name: these have neither tets nor a material, but links. */
typedef struct lil_body {
    const char *name;
    const struct lil_node *node; /* of a scene: its location; not read here */
    bool rest;                   /* it starts in equilibrium, not as it is placed */
    bool particles;
    lil_edges links;      /* of particles: linked pairs */
    bool bare;            /*   these links are nothing that could be touched */
    bool rigid;           /*   they keep their lengths */
    double radius;        /*   how thick they are, m */
    lil_strands *strands; /* of particles that are strands; NULL: they are not */
    lil_mesh mesh;        /* at rest, in the world's coordinates */
    lil_elements elements;
    lil_surface surface; /* that the mesh fills, likewise; no vertices: it was made otherwise */
    lil_embedding embedding;
    double *own; /* the same in the mesh's own coordinates, scaled */
    lil_placement placement;
    double file_scale[3];   /* from the coordinates of its file to its own; 0 until it is settled */
    int file_vertices;      /* of the mesh, before `fineness` adds others */
    lil_fineness *fineness; /* of its tets, in the world's coordinates */
    int fineness_count;
    int first; /* its first vertex among all */
    lil_material material;
    lil_damping_def damping;
    lil_group *groups; /* beside those of the mesh */
    int group_count;
    lil_look look;
    bool rubs; /* it has its own friction, mu */
    double friction;
} lil_body;

/* Springs that were added together. */
typedef struct lil_spring_set {
    lil_springs springs;
    lil_damping_def damping; /* kD = 0: none */
} lil_spring_set;

/* The faulty member of an added def; key: its presence rather than its value is wrong. NULL: the whole def. */
typedef struct lil_blame {
    const char *member;
    bool key;
    const struct lil_node *node; /* of a scene: the body or obstacle, if it is not the added one */
} lil_blame;

/* A rule for two parts, each a body or -1 - an obstacle. */
typedef struct lil_world_pair {
    int a, b;
    double friction; /* NaN: they do not meet */
    bool tied;       /*   because one is tied to the other */
} lil_world_pair;

/* Pins that let go of their vertices: from the first end of a step that is not before t. */
typedef struct lil_release {
    double t;
    const struct lil_node *node; /* of a scene: its location; not read here */
} lil_release;

/* How much room the lists below have. */
typedef struct lil_world_rooms {
    int bodies, vertices, releases, scripts, loads, pressures, forces, springs, drags, terms, constraints, anchors,
        obstacles, pairs;
} lil_world_rooms;

struct lil_world {
    lil_context *ctx;
    lil_arena arena;
    lil_blame blame; /* of the latest failure */
    lil_world_rooms room;
    lil_body *list;
    int count;
    int vertex_count;     /* with the anchors once it is built */
    double *x, *v, *mass; /* at the start */
    bool *held;           /* at the start */
    int *released;        /* each vertex: one more than the number of what lets go of it; 0: nothing does */
    lil_release *releases;
    int release_count;
    double *anchors; /* 3 each */
    int anchor_count;
    lil_script *scripts;
    int script_count;
    lil_load_def *loads;
    int load_count;
    lil_pressure_def *pressures;
    int pressure_count;
    lil_point_force_def *forces;
    int force_count;
    lil_spring_set *springs;
    int spring_set_count;
    lil_drag_def *drags;
    int drag_count;
    lil_term *terms; /* of registered kinds */
    int term_count;
    bool shifted, turned; /* one of these is no symmetry of theirs */
    lil_constraint *constraints;
    int constraint_count;
    lil_contact_def contact;
    bool touches; /* there is contact */
    struct lil_world_obstacle *obstacles;
    int obstacle_count;
    lil_world_pair *pairs;
    int pair_count;
    struct lil_collision *collision; /* between bodies; NULL: there is none */
    struct lil_barriers *barriers;   /* instead of it and of contact with obstacles; NULL: penalty */
    const char *no_barrier;          /* why penalty contact was chosen automatically; NULL: it was not */
    bool bound_outside;              /* some constraint is attached to a point that is not a vertex */
    double gravity[3];
    const char **names; /* of all coordinates */
    bool built;         /* nothing can be added any more */
    atomic_int holders; /* the user, and the model that was built */
    lil_mark_set *marks;
    int mark_count;
};

/* ---- world.c ---- */

/* Leaves the sentence in the context and the blame in the world. */
lil_status lil_world_refuse(lil_world *world, const char *member, lil_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same where the member should not be there. */
lil_status lil_world_refuse_key(lil_world *world, const char *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a body that is there already, as a whole. */
lil_status lil_world_refuse_body(lil_world *world, int body, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails if the world is built already. */
lil_status lil_world_open(lil_world *world, const char *function);
/* The start of functions that take a def: fails if the world or the def is NULL, if the world is built already, or if
 * the def's first member, its size, is not the one that its _default function sets. */
lil_status lil_world_take_def(lil_world *world, const char *function, const void *def, size_t size);
lil_status lil_world_check_body(lil_world *world, int body);
/* The body that has a vertex, which is no anchor. */
int lil_world_body_of(const lil_world *world, int vertex);
/* Vertices of a body, at least one. Blames select. */
lil_status lil_world_check_vertices(lil_world *world, int body, const int *vertices, int count);
/* Room for `more` in a list of the world (the address of its pointer); false: no memory. */
bool lil_world_grow(lil_world *world, void *list, int count, int more, int *room, size_t size);

/* ---- body.c ---- */

/* A body whose mesh and surface are in their own coordinates, in the world's arena; the surface is scaled already.
 * Checks and places both, refines the mesh, and makes its mid nodes. Blames mesh, at, scale or refine. */
lil_status lil_world_add_solid(lil_world *world, const lil_body *body, int *index);
/* Gives the vertices of a body their numbers among all. */
lil_status lil_world_number_body(lil_world *world, lil_body *body, int *index);

/* ---- placement.c ---- */

/* Checks those members of a def. */
lil_status lil_world_take_placement(lil_world *world, const char *name, const lil_placing *by,
                                    lil_placement *placement);
/* Turns size, about_centre and base into scale and at, from the box of the faces of the surface, or without one
 * (NULL, empty) of all vertices of the mesh. Blames size. */
lil_status lil_world_settle(lil_world *world, const char *name, lil_placement *placement, const lil_mesh *mesh,
                            const lil_surface *surface);
/* The mesh of a body that is not added yet: from its own coordinates, which are kept, to the world's. */
lil_status lil_world_place(lil_world *world, lil_body *body);
/* As many other points from the coordinates of the body's file to the world's. */
void lil_body_place(const lil_body *body, double *x, size_t count);
/* The same of a point that is scaled already. */
void lil_placement_apply(const lil_placement *placement, const double own[3], double x[3]);

/* ---- particles.c ---- */

/* Particles with their masses and velocities (NULL: none), one or three numbers each, placed already; blames at,
 * mass or velocity. */
lil_status lil_world_add_points(lil_world *world, const lil_body *body, const double *mass, const double *v,
                                int *index);

/* ---- material.c ---- */

/* Ranges of a lil_material_def, and of a lil_damping_def. */
enum { LIL_MATERIAL_FIELDS = 5, LIL_DAMPING_FIELDS = 2 };
extern const lil_field lil_material_fields[LIL_MATERIAL_FIELDS], lil_damping_fields[LIL_DAMPING_FIELDS];

/* The table of a material or of a preset; NULL: the default. Blames model. */
lil_status lil_world_find_material(lil_world *world, const char *name, const lil_material_table **table);
/* config: that of the table, in the world's arena. Blames the member or the whole. */
lil_status lil_world_material(lil_world *world, const lil_material_def *def, const void *config,
                              lil_material *material);

/* ---- handles.c: vertices of a body ---- */

/* It is pinned, and stays so. */
static inline bool lil_world_stays(const lil_world *world, int vertex)
{
    return world->held[vertex] && !world->released[vertex];
}
/* Pinned vertices are let go of at t. Blames select or until. */
lil_status lil_world_release(lil_world *world, int body, const int *vertices, int count, double t,
                             const struct lil_node *node);
lil_status lil_world_hold(lil_world *world, int body, const int *vertices, int count);
/* A copy of the script, of these vertices. Blames select. */
lil_status lil_world_drive(lil_world *world, int body, const int *vertices, int count, const lil_script *script);
/* The mean of their positions at the start. */
void lil_world_middle(const lil_world *world, int body, const int *vertices, int count, double middle[3]);
/* Three outputs over t: N, or of a traction N/m^2. Blames select. */
lil_status lil_world_load(lil_world *world, int body, const int *vertices, int count, bool traction,
                          const lil_program *force);
/* Over t: its first output, Pa, and the fourth, its rate. Blames select. */
lil_status lil_world_press(lil_world *world, int body, const int *vertices, int count, const lil_program *pressure);
/* What its faces enclose or, with a rim that stays, what they move has a volume. */
bool lil_world_pressure_has_potential(const lil_world *world, lil_pressure_def *pressure);
/* wind, slopes: as in lil_drag_def; NULL: none. Blames drag. */
lil_status lil_world_drag(lil_world *world, int body, double c, const lil_program *wind, const lil_program *slopes);

/* ---- follow.c: sampled animation ---- */

struct lil_world_obstacle;

/* In the world's arena, in the coordinates of the body's or obstacle's file, not joined: a def's. Blames none. */
lil_status lil_world_take_samples(lil_world *world, const char *owner, const lil_samples_def *def,
                                  lil_samples **samples);
/* Sets the samples of a script for these vertices, and which points of them they are. The samples have as many points as
 * the surface of the body, its mesh or the boundary of that, are in the coordinates of its file, in the world's arena, and
 * not joined; the script borrows them. Vertices without a point move as the points around them do (follow_fit.h). Blames
 * follow. */
lil_status lil_world_follow(lil_world *world, int body, const int *vertices, int count, lil_samples *samples,
                            lil_script *script);
/* The motion of `count` places in tets: of each the four points, and w1 w2 w3. */
lil_status lil_world_carry_samples(lil_world *world, const lil_samples *from, const int (*points)[4],
                                   double (*weights)[3], int count, const lil_samples **samples);
/* Places and joins those of a mesh with so many vertices. Blames follow. */
lil_status lil_world_deform(lil_world *world, const struct lil_world_obstacle *obstacle, int vertices,
                            lil_samples *samples);

/* ---- springs.c ---- */

typedef struct lil_spring_config {
    double stiffness, length, damping; /* stiffness NaN: missing; length < 0: as long as it is */
} lil_spring_config;

/* The ends of springs: vertices of a body, of which each spring takes the nearest; body -1: a point of space. */
typedef struct lil_spring_end {
    int body;
    const int *vertices;
    int count;
    double at[3];
} lil_spring_end;

/* Ranges of it. */
enum { LIL_SPRING_FIELDS = 3 };
extern const lil_field lil_spring_fields[LIL_SPRING_FIELDS];

/* From each vertex one. Blames stiffness or the whole. */
lil_status lil_world_tie(lil_world *world, const lil_spring_end *from, const lil_spring_end *to,
                         const lil_spring_config *config);
/* Along the links of particles: springs, or of rigid ones constraints, which messages call `label`. Blames links. */
lil_status lil_world_link(lil_world *world, int body, const lil_spring_config *config);
lil_status lil_world_link_rigidly(lil_world *world, int body, const char *label);

/* Adds air and links to particles or strands that were just added, or removes these if that fails. */
typedef struct lil_points_finish {
    double drag;
    const lil_vector_def *wind;
    lil_spring_config links; /* stiffness 0: rigid */
} lil_points_finish;

lil_status lil_world_finish_points(lil_world *world, int index, const lil_points_finish *finish);

/* ---- strands.c ---- */

/* All but drag and links, which follow; `body` has a name and a node. Blames a member or the whole. */
lil_status lil_world_grow_strands(lil_world *world, const lil_body *body, const lil_strands_def *def, int *index);
/* Roots evenly over the surface of the def's body, and its normals there. */
lil_status lil_world_roots_on(lil_world *world, const char *name, const lil_strands_def *def, double (*root)[3],
                              double (*direction)[3]);
/* After everything was added: handles pin their vertices. */
lil_status lil_world_hold_roots(lil_world *world);
lil_status lil_add_strand_terms(lil_world *world, const lil_body *body, lil_model *model);
/* Ranges of a lil_strands_def, and of its curl. */
enum { LIL_STRAND_FIELDS = 9, LIL_CURL_FIELDS = 2 };
extern const lil_field lil_strand_fields[LIL_STRAND_FIELDS], lil_curl_fields[LIL_CURL_FIELDS];

/* ---- constraints.c ---- */

/* Sets of as many points each, vertices among all: the first of each set form one constraint, the second of each
 * the next ... Constraints to a point in space have one set. */
typedef struct lil_bond {
    const char *name, *label; /* label: for messages; both in the world's arena */
    const int *points[3];
    int count;
} lil_bond;

/* Any kind; from->def and its texts have the rest. Blames points or a member of the def. */
lil_status lil_world_bind_kind(lil_world *world, const lil_bond_kind *kind, const lil_bond *bond,
                               const lil_binding *from);
/* Without the rigid links of two points that one body carries. */
lil_status lil_world_drop_tied_links(lil_world *world);
/* A set of members of any kind, in the world's arena. */
lil_status lil_world_bind(lil_world *world, const lil_constraint_table *table, const void *members, int count,
                          const char *label, const char *name);

/* ---- build.c ---- */

/* Names of coordinates and marks. After it nothing can be added but constraints, obstacles and contact. */
lil_status lil_world_number(lil_world *world);
/* The model, which borrows from the world. */
lil_status lil_world_model(lil_world *world, lil_model **model);
/* The degrees of freedom at the start. */
void lil_world_start(const lil_world *world, const lil_model *model, double *q, double *v);

#endif
