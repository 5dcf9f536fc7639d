/* bodies, particles, strands and gravity: meshes of elastic material and points with a mass, how they are held, bound and loaded, and
 * how they start. */
#ifndef LIL_SCENE_BODIES_H
#define LIL_SCENE_BODIES_H

#include "mesh/arrangement.h"
#include "mesh/embedding.h"
#include "mesh/surface.h"
#include "scene/system.h"
#include "terms/bending.h"
#include "terms/drag.h"
#include "terms/loads.h"
#include "terms/springs.h"

typedef struct lil_damping_def {
    double kD;
    int form; /* lil_damping_form */
} lil_damping_def;

/* at, rotate, scale: from the mesh's own coordinates to the scene's. */
typedef struct lil_placement {
    double scale[3], R[9], at[3];
} lil_placement;

/* What strands of one name have beside their particles. */
typedef struct lil_strands {
    int nodes; /* of each */
    lil_bend *bend;
    lil_twist *twist;
    lil_bends bends;
    lil_twists twists;
    double *mass, damping;
    double *weightless; /* where the particles would be without weight */
    int *roots; /* of those at the start of links that grow out of something, and meet it not: vertices among all */
    int root_count;
} lil_strands;

/* A body, or particles that have one name: these have neither tets nor a material, but links. */
typedef struct lil_body {
    const char *name;
    const lil_node *node; /* lent by the scene */
    const lil_node *rest; /* it starts in equilibrium; NULL: it starts as it is placed */
    bool particles;
    lil_edges links;      /* of particles: who is linked to whom */
    bool bare;            /*   these links are nothing that could be touched */
    double radius;        /*   how thick they are, m */
    lil_strands *strands; /* of particles that are strands; NULL: they are not */
    lil_mesh mesh;        /* at rest, in the scene's coordinates */
    lil_surface surface;  /* that the mesh fills, likewise; no vertices: it was made otherwise */
    lil_embedding embedding;
    double *own; /* the same in the mesh's own coordinates, scaled */
    lil_placement placement;
    int first; /* its first vertex among all */
    lil_material material;
    lil_damping_def damping;
    lil_group *groups; /* the scene's own */
    int group_count;
} lil_body;

/* All vertices together: of the bodies in their order, of the particles in theirs, then the anchors of springs. */
typedef struct lil_bodies {
    lil_body *list;
    int count;
    int vertex_count, anchor_count, room; /* room: for vertices */
    double *x, *v, *mass;                 /* at the start */
    bool *held;
    lil_script *scripts;
    int script_count;
    lil_load_def *loads;
    int load_count;
    struct lil_spring_set *springs;
    int spring_set_count;
    lil_drag_def *drags;
    int drag_count;
    lil_constraint *constraints;
    int constraint_count;
    struct lil_obstacle_def *obstacles;
    int obstacle_count;
    struct lil_collision *collision; /* between bodies; NULL: there is none */
    struct lil_barriers *barriers;   /* instead of it and of contact with obstacles; NULL: penalty */
    double friction, slip, rubbing;  /* between bodies; m/s; damping of what touches, s (< 0: the default) */
    double restitution;              /* of the barrier */
    bool bound_outside;              /* some constraint holds on to what is no vertex */
    double gravity[3];
    lil_mark_set *marks;
    int mark_count;
} lil_bodies;

/* Springs of one key of the scene. */
typedef struct lil_spring_set {
    lil_springs springs;
    lil_damping_def damping; /* kD = 0: none */
} lil_spring_set;

/* What its fields describe. */
typedef struct lil_spring_config {
    double stiffness, length, damping; /* stiffness NaN: missing; length < 0: as long as it is */
} lil_spring_config;

lil_status lil_read_bodies(const lil_reader *rd, const lil_node *root, lil_system *system);

/* ---- parts of a body ---- */

/* mesh, surface or shape, at, rotate, scale */
lil_status lil_read_body_mesh(const lil_reader *rd, lil_body *body);
/* where a file is that the scene names; `what` it is */
lil_status lil_read_body_path(const lil_reader *rd, const lil_node *node, const char *what, const char **path);
/* surface, vertices, edge, thickness -> body->surface and mesh, in its own coordinates, with its scale done */
lil_status lil_read_body_surface(const lil_reader *rd, const lil_node *node, lil_body *body);
/* the same keys of a body without a surface */
lil_status lil_refuse_filling(const lil_reader *rd, const lil_node *body);
/* puts body->mesh where at, rotate and scale say */
lil_status lil_read_body_placement(const lil_reader *rd, lil_body *body);
/* as many points of its file's coordinates likewise */
lil_status lil_place_as_body(const lil_reader *rd, const lil_body *body, double *x, int count);
/* one number or three; NULL node: as it is */
lil_status lil_read_scale(const lil_reader *rd, const lil_node *node, double scale[3]);
/* Turned about x, then y, then z, by so many degrees. */
lil_status lil_read_rotation(const lil_reader *rd, const lil_node *node, double R[9]);
lil_status lil_read_body_material(const lil_reader *rd, lil_body *body);
/* position, velocity, stretch, twist, spin, push -> bodies->x and v; rest -> body */
lil_status lil_read_body_start(const lil_reader *rd, lil_body *body, lil_bodies *bodies);
/* fixed, handles, loads, springs */
lil_status lil_read_body_holds(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
lil_status lil_read_body_loads(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
lil_status lil_read_body_springs(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
/* Each vertex's value of three expressions of its place at rest. */
lil_status lil_read_body_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_body *body,
                               double *out);

/* ---- particles ---- */

/* at, or type and its options */
lil_status lil_read_particles(const lil_reader *rd, lil_body *body);
/* mass, velocity -> bodies->x, v and mass */
lil_status lil_read_particle_start(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
/* links, drag, wind; after what is held is known */
lil_status lil_read_particle_links(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
lil_status lil_read_particle_drag(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);

/* ---- strands ---- */

/* All but what is common to particles: where they are depends on gravity. */
lil_status lil_read_strands(const lil_reader *rd, const double gravity[3], lil_body *body);
void lil_read_strand_start(const lil_body *body, lil_bodies *bodies);
void lil_hold_strand_roots(const lil_body *body, lil_bodies *bodies);
lil_status lil_add_strand_terms(const lil_reader *rd, const lil_body *body, lil_model *model);

extern const lil_field lil_strand_fields[], lil_curl_fields[], lil_root_fields[];
extern const int lil_strand_field_count, lil_curl_field_count, lil_root_field_count;

/* Three expressions over the parameters, and over t or x, y, z, as one program over q = (x, y, z); with `rates` their
 * derivatives by t follow, with `slopes` those by x, y, z. */
typedef struct lil_texts_def {
    bool t, xyz, rates, slopes;
} lil_texts_def;

/* The parameters, and t or the place x, y, z. */
lil_status lil_read_text_scope(const lil_reader *rd, const lil_texts_def *def, lil_scope *scope);

lil_status lil_read_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_texts_def *def,
                          lil_program *program);

/* How messages call a constraint: 'wire' (scene.yaml:12). NULL: no memory. */
const char *lil_read_label(const lil_reader *rd, const lil_node *node);

extern const lil_field lil_material_fields[], lil_damping_fields[], lil_spring_fields[];
extern const int lil_material_field_count, lil_damping_field_count, lil_spring_field_count;

#endif
