/* bodies and gravity: meshes of elastic material, how they are held and loaded, and how they start. */
#ifndef LIL_SCENE_BODIES_H
#define LIL_SCENE_BODIES_H

#include "mesh/mesh.h"
#include "scene/system.h"
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

typedef struct lil_body {
    const char *name;
    const lil_node *node; /* lent by the scene */
    lil_mesh mesh;        /* at rest, in the scene's coordinates */
    double *own;          /* the same in the mesh's own coordinates, scaled */
    lil_placement placement;
    int first; /* its first vertex among all */
    lil_material material;
    lil_damping_def damping;
    lil_group *groups; /* the scene's own */
    int group_count;
} lil_body;

/* All vertices together: of the bodies in their order, then the anchors of springs. */
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
    double gravity[3];
    lil_mark_set *marks;
    int mark_count;
} lil_bodies;

/* Springs of one key of the scene. */
typedef struct lil_spring_set {
    lil_springs springs;
    lil_damping_def damping; /* kD = 0: none */
} lil_spring_set;

lil_status lil_read_bodies(const lil_reader *rd, const lil_node *root, lil_system *system);

/* ---- parts of a body ---- */

/* mesh or shape, at, rotate, scale */
lil_status lil_read_body_mesh(const lil_reader *rd, lil_body *body);
lil_status lil_read_body_material(const lil_reader *rd, lil_body *body);
/* position, velocity, stretch, twist, spin, push -> bodies->x and v */
lil_status lil_read_body_start(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
/* fixed, handles, loads, springs */
lil_status lil_read_body_holds(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
lil_status lil_read_body_loads(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);
lil_status lil_read_body_springs(const lil_reader *rd, const lil_body *body, lil_bodies *bodies);

/* Three expressions over the parameters, and over t or x, y, z, as one program over q = (x, y, z); with `rates` their
 * derivatives by t follow. */
typedef struct lil_texts_def {
    bool t, xyz, rates;
} lil_texts_def;

lil_status lil_read_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_texts_def *def,
                          lil_program *program);

extern const lil_field lil_material_fields[], lil_damping_fields[], lil_spring_fields[];
extern const int lil_material_field_count, lil_damping_field_count, lil_spring_field_count;

#endif
