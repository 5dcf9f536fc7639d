#include "mesh/make/arrangement.h"

#include <string.h>

static const lil_arrangement *const arrangements[] = { &lil_chain, &lil_rope, &lil_grid, &lil_net };
enum { ARRANGEMENTS = sizeof arrangements / sizeof arrangements[0] };

/* The limit for a scene of a few words. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static const double PARTICLES_MAX = 500;
#else
static const double PARTICLES_MAX = 1e6;
#endif

int lil_arrangement_count(void)
{
    return ARRANGEMENTS;
}

const lil_arrangement *lil_arrangement_at(int index)
{
    return index >= 0 && index < ARRANGEMENTS ? arrangements[index] : NULL;
}

const lil_arrangement *lil_arrangement_find(const char *name)
{
    for (int i = 0; i < ARRANGEMENTS; i++)
        if (strcmp(arrangements[i]->name, name) == 0)
            return arrangements[i];
    return NULL;
}

lil_status lil_arrangement_alloc(lil_context *ctx, lil_arena *arena, const char *name, double vertices, double edges,
                                 int groups, lil_mesh *mesh, lil_edges *list)
{
    if (vertices > PARTICLES_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "these would be %g particles, more than %g", vertices, PARTICLES_MAX);
    *mesh = (lil_mesh){ .name = name, .vertex_count = (int)vertices };
    *list = (lil_edges){ .at = lil_arena_alloc(arena, (size_t)edges, sizeof *list->at) };
    mesh->x = LIL_NEW(arena, double, 3 * (size_t)vertices);
    mesh->groups = LIL_NEW(arena, lil_group, 1 + groups);
    LIL_HAVE(ctx, mesh->x && mesh->groups && list->at);
    return lil_arrangement_group(ctx, arena, mesh, "all", 0, 1, mesh->vertex_count);
}

lil_status lil_arrangement_group(lil_context *ctx, lil_arena *arena, lil_mesh *mesh, const char *name, int first,
                                 int stride, int count)
{
    lil_group *group = &mesh->groups[mesh->group_count++];
    *group = (lil_group){ name, LIL_NEW(arena, int, count), count };
    LIL_HAVE(ctx, group->vertices);
    for (int i = 0; i < count; i++)
        group->vertices[i] = first + i * stride;
    return LIL_OK;
}
