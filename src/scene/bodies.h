/* bodies, particles, strands and gravity: meshes of elastic material and points with a mass, how they are held,
 * bound and loaded, and how they start. */
#ifndef LIL_SCENE_BODIES_H
#define LIL_SCENE_BODIES_H

#include "expr/texts.h"
#include "scene/system.h"
#include "world/world.h"

/* Puts the place of what the world blames, a member of `node` or `node` itself, before its sentence. */
lil_status lil_read_blame(const lil_reader *rd, const lil_node *node, const lil_world *world, lil_status status);

lil_status lil_read_bodies(const lil_reader *rd, const lil_node *root, lil_system *system);

/* ---- parts of a body ---- */

/* mesh, surface or shape, at, rotate, scale -> body, in its own coordinates; where its mesh stands */
lil_status lil_read_body_mesh(const lil_reader *rd, lil_body *body, lil_world *world, const lil_node **origin);
/* where a file is that the scene names; `what` it is */
lil_status lil_read_body_path(const lil_reader *rd, const lil_node *node, const char *what, const char **path);
/* surface, vertices, edge, thickness -> body->surface and mesh, in its own coordinates, with its scale done */
lil_status lil_read_body_surface(const lil_reader *rd, const lil_node *node, lil_body *body, lil_world *world);
/* the same keys of a body without a surface */
lil_status lil_refuse_filling(const lil_reader *rd, const lil_node *body);
/* at, rotate, scale, and `size` (NULL: none, since that of a net has two lengths) */
lil_status lil_read_placement(const lil_reader *rd, const lil_node *node, const lil_node *size,
                              lil_placement *placement);
/* Makes numbers of them, from the surface or the mesh that the body has by now. */
lil_status lil_settle_body(const lil_reader *rd, lil_body *body, lil_world *world);
/* refine -> body->fineness */
lil_status lil_read_body_refine(const lil_reader *rd, lil_body *body);
/* one number or three; NULL node: as it is */
lil_status lil_read_scale(const lil_reader *rd, const lil_node *node, double scale[3]);
lil_status lil_read_body_material(const lil_reader *rd, lil_world *world, lil_body *body);
/* position, velocity, stretch, twist, spin, push, rest */
lil_status lil_read_body_start(const lil_reader *rd, int body, lil_world *world);
/* The body that carries points, by its name; `use`: what for, "tie to". The hint names bodies of tets alone. */
lil_status lil_read_carrier(const lil_reader *rd, const lil_node *node, const char *key, const char *use,
                            const lil_world *world, int *body);
/* Puts the place where a body is asked to start at rest before a sentence. */
lil_status lil_read_start_rest(lil_context *ctx, const lil_world *world, int body, lil_status status);
/* fixed, handles, loads, springs */
lil_status lil_read_body_handles(const lil_reader *rd, int body, lil_world *world);
lil_status lil_read_body_loads(const lil_reader *rd, int body, lil_world *world);
lil_status lil_read_body_springs(const lil_reader *rd, int body, lil_world *world);
/* Each vertex's value of three expressions of its place at rest. */
lil_status lil_read_body_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_body *body,
                               double *out);

/* ---- particles ---- */

/* at, or type and its options, mass, velocity */
lil_status lil_read_particles(const lil_reader *rd, lil_body *body, lil_world *world, int *index);
/* links, drag, wind; after pinned particles are known */
lil_status lil_read_particle_links(const lil_reader *rd, int body, lil_world *world);
lil_status lil_read_particle_drag(const lil_reader *rd, int body, lil_world *world);

/* ---- strands ---- */

/* Everything but the options of particles: positions depend on gravity. */
lil_status lil_read_strands(const lil_reader *rd, const lil_body *body, lil_world *world, int *index);

/* The parameters, and t or the place x, y, z. */
lil_status lil_read_text_scope(const lil_reader *rd, const lil_texts_def *def, lil_scope *scope);

lil_status lil_read_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_texts_def *def,
                          lil_program *program);

/* How messages call a constraint: 'wire' (scene.yaml:12). NULL: no memory. */
const char *lil_read_label(const lil_reader *rd, const lil_node *node);

#endif
