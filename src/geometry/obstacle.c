#include "geometry/obstacle.h"

#include <math.h>

#define ENTRY(shape) &shape,
static const lil_obstacle_shape *const shapes[] = { LIL_OBSTACLES(ENTRY) };

const lil_obstacle_shape *lil_obstacle_shape_at(int kind)
{
    return kind >= 0 && kind < (int)(sizeof shapes / sizeof shapes[0]) ? shapes[kind] : NULL;
}

const lil_obstacle_shape *lil_obstacle_shape_of(const lil_obstacle *o)
{
    return shapes[o->kind];
}

lil_depth lil_obstacle_depth(const lil_obstacle *o, const double r[3])
{
    return shapes[o->kind]->depth(o, r);
}

double lil_obstacle_thickness(const lil_obstacle *o)
{
    return shapes[o->kind]->thickness ? shapes[o->kind]->thickness(o) : INFINITY;
}

/* Triangles of a file or of arrays. The world places them (world/obstacles.c). */
const lil_obstacle_shape lil_obstacle_mesh = {
    .name = "mesh",
    .in = "a mesh",
    .example = "mesh: bowl.obj",
    .doc = "the surface in a file (.obj, .stl, .ply), closed or open, with `scale`, `size`, `rotate` and `at` as for "
           "bodies. It is a shell, not a solid: a body that starts inside a closed one stays inside. Barrier only",
};
