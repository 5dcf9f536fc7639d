/* Which vertices of a body: by box, sphere, plane, numbers or group. */
#ifndef LIL_SCENE_SELECT_H
#define LIL_SCENE_SELECT_H

#include "mesh/mesh.h"
#include "scene/table.h"

/* Vertices of the mesh at rest, ascending; an empty selection is an error. `node` is a map with one of box,
 * sphere, plane, vertices, group; the name of a group; or a list of such, whose union counts. `groups` are the
 * scene's own, looked through before the mesh's. */
lil_status lil_select(const lil_reader *rd, const lil_node *node, const lil_mesh *mesh, const lil_group *groups,
                      int group_count, lil_group *selection);

#endif
