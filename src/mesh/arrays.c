#include "mesh/arrays.h"

#include "mesh/make/shape.h"

#include <math.h>
#include <string.h>

/* ---- checks ---- */

lil_status lil_check_numbers(lil_context *ctx, const char *name, const char *what, const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return lil_fail(ctx, LIL_ERR_NOT_FINITE, "%s[%d] of '%.60s' is not finite", what, i, name);
    return LIL_OK;
}

lil_status lil_check_indices(lil_context *ctx, const char *name, const char *what, const int *at, int each, int count,
                             int vertices)
{
    for (int64_t i = 0; i < (int64_t)each * count; i++)
        if (at[i] < 0 || at[i] >= vertices)
            return lil_fail(ctx, LIL_ERR_INPUT, "%s %d of '%.60s' has vertex %d, but vertices go from 0 to %d", what,
                            (int)(i / each), name, at[i], vertices - 1);
    return LIL_OK;
}

/* ---- copies ---- */

lil_status lil_copy_array(lil_context *ctx, lil_arena *arena, const void *from, size_t count, size_t size, void *to)
{
    void **out = to;
    LIL_HAVE(ctx, *out = lil_arena_alloc(arena, count, size));
    if (count)
        memcpy(*out, from, count * size);
    return LIL_OK;
}

lil_status lil_mesh_copy(lil_context *ctx, lil_arena *arena, const lil_mesh *from, lil_mesh *to)
{
    size_t vertices = (size_t)from->vertex_count, tets = (size_t)from->tet_count;
    *to = *from;
    to->faces = NULL; /* are found again */
    to->face_count = 0;
    to->name = lil_arena_copy(arena, from->name, strlen(from->name));
    LIL_TRY(lil_copy_array(ctx, arena, from->x, 3 * vertices, sizeof *to->x, &to->x));
    LIL_TRY(lil_copy_array(ctx, arena, from->tets, tets, sizeof *to->tets, &to->tets));
    if (from->mids)
        LIL_TRY(lil_copy_array(ctx, arena, from->mids, tets, sizeof *to->mids, &to->mids));
    if (from->shape)
        LIL_TRY(lil_copy_array(ctx, arena, from->shape_config, 1, from->shape->config_size, &to->shape_config));
    if (from->vertex_tag)
        LIL_TRY(lil_copy_array(ctx, arena, from->vertex_tag, vertices, sizeof *to->vertex_tag, &to->vertex_tag));
    if (from->tet_line)
        LIL_TRY(lil_copy_array(ctx, arena, from->tet_line, tets, sizeof *to->tet_line, &to->tet_line));
    LIL_TRY(lil_copy_array(ctx, arena, from->groups, (size_t)from->group_count, sizeof *to->groups, &to->groups));
    for (int i = 0; i < to->group_count; i++) {
        lil_group *g = &to->groups[i];
        LIL_TRY(lil_copy_array(ctx, arena, g->vertices, (size_t)g->vertex_count, sizeof *g->vertices, &g->vertices));
        LIL_HAVE(ctx, g->name = lil_arena_copy(arena, g->name, strlen(g->name)));
    }
    return to->name ? LIL_OK : lil_fail_memory(ctx);
}

lil_status lil_surface_copy(lil_context *ctx, lil_arena *arena, const lil_surface *from, lil_surface *to)
{
    *to = *from;
    if (!from->vertex_count)
        return LIL_OK;
    size_t corners = (size_t)from->first[from->face_count];
    LIL_TRY(lil_copy_array(ctx, arena, from->x, 3 * (size_t)from->vertex_count, sizeof *to->x, &to->x));
    LIL_TRY(lil_copy_array(ctx, arena, from->first, (size_t)from->face_count + 1, sizeof *to->first, &to->first));
    LIL_TRY(lil_copy_array(ctx, arena, from->corners, corners, sizeof *to->corners, &to->corners));
    LIL_TRY(lil_copy_array(ctx, arena, from->triangles, (size_t)from->triangle_count, sizeof *to->triangles,
                           &to->triangles));
    to->name = lil_arena_copy(arena, from->name, strlen(from->name));
    return to->name ? LIL_OK : lil_fail_memory(ctx);
}

lil_status lil_edges_copy(lil_context *ctx, lil_arena *arena, const lil_edges *from, lil_edges *to)
{
    *to = *from;
    LIL_TRY(lil_copy_array(ctx, arena, from->at, (size_t)from->count, sizeof *to->at, &to->at));
    LIL_TRY(lil_copy_array(ctx, arena, from->triangles, (size_t)from->triangle_count, sizeof *to->triangles,
                           &to->triangles));
    return lil_copy_array(ctx, arena, from->loose, (size_t)from->loose_count, sizeof *to->loose, &to->loose);
}

/* ---- triangles ---- */

lil_status lil_surface_of_triangles(lil_context *ctx, lil_arena *arena, const char *name, const char *member,
                                    const double *x, int vertices, const int (*triangles)[3], int count,
                                    lil_surface *s)
{
    if (!x || !triangles)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "'%s' is NULL", x ? "def->triangles" : member);
    if (vertices < 3 || count < 1)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "the surface of '%.60s' has %d vertices and %d triangles: it needs at least 3 and 1", name,
                        vertices, count);
    LIL_TRY(lil_check_numbers(ctx, name, member, x, 3 * vertices));
    LIL_TRY(lil_check_indices(ctx, name, "triangle", triangles[0], 3, count, vertices));
    *s = (lil_surface){ .vertex_count = vertices, .face_count = count, .triangle_count = count };
    s->name = lil_arena_copy(arena, name, strlen(name));
    LIL_TRY(lil_copy_array(ctx, arena, x, 3 * (size_t)vertices, sizeof *s->x, &s->x));
    LIL_TRY(lil_copy_array(ctx, arena, triangles, (size_t)count, sizeof *s->triangles, &s->triangles));
    LIL_TRY(lil_copy_array(ctx, arena, triangles, 3 * (size_t)count, sizeof *s->corners, &s->corners));
    s->first = LIL_NEW(arena, int, count + 1);
    LIL_HAVE(ctx, s->first && s->name);
    for (int i = 0; i <= count; i++)
        s->first[i] = 3 * i;
    return LIL_OK;
}
