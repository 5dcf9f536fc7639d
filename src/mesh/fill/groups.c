/* Groups of a surface as groups of the tets that fill it. */
#include "geometry/boxes.h"
#include "geometry/triangle.h"
#include "mesh/surface.h"

#include <string.h>

typedef struct search {
    const lil_surface *surface;
    lil_boxes tree;
    lil_box *nodes;
} search;

typedef struct nearest {
    const search *search;
    const double *x;
    int triangle;
} nearest;

/* Of triangles equally near the first. */
static void near_triangle(void *user, int thing, double *best)
{
    nearest *n = user;
    const lil_surface *s = n->search->surface;
    int triangle = n->search->tree.order[thing], *v = s->triangles[triangle];
    double on[3], square = lil_triangle_nearest(s->x + 3 * (size_t)v[0], s->x + 3 * (size_t)v[1],
                                                s->x + 3 * (size_t)v[2], n->x, on);
    if (square < *best || (square == *best && triangle < n->triangle)) {
        *best = square;
        n->triangle = triangle;
    }
}

static lil_status plant(lil_context *ctx, lil_arena *scratch, search *s)
{
    const lil_surface *surface = s->surface;
    int(*corners)[3] = lil_arena_alloc(scratch, (size_t)surface->triangle_count, sizeof *corners);
    LIL_TRY(lil_boxes_create(ctx, scratch, surface->x, surface->triangles[0], 3, surface->triangle_count, &s->tree));
    s->nodes = LIL_NEW(scratch, lil_box, 2 * (size_t)s->tree.leaves);
    LIL_HAVE(ctx, corners && s->nodes);
    for (int t = 0; t < surface->triangle_count; t++)
        memcpy(corners[t], surface->triangles[s->tree.order[t]], sizeof corners[t]);
    lil_boxes_fit(&s->tree, surface->x, corners[0], 3, s->nodes);
    return LIL_OK;
}

/* The face of each triangle. */
static void list_faces(const lil_surface *s, int *face)
{
    for (int f = 0, t = 0; f < s->face_count; f++)
        for (int k = s->first[f] + 2; k < s->first[f + 1]; k++)
            face[t++] = f;
}

static lil_status add_group(lil_context *ctx, lil_arena *arena, const lil_face_group *from, const int *face_of,
                            bool *chosen, lil_mesh *mesh)
{
    lil_group *to = &mesh->groups[mesh->group_count];
    int count = 0;
    for (int k = 0; k < from->count; k++)
        chosen[from->faces[k]] = true;
    for (int v = 0; v < mesh->vertex_count; v++)
        count += chosen[face_of[v]];
    *to = (lil_group){ .name = from->name, .vertices = LIL_NEW(arena, int, count) };
    LIL_HAVE(ctx, to->vertices);
    for (int v = 0; v < mesh->vertex_count && count; v++)
        if (chosen[face_of[v]])
            to->vertices[to->vertex_count++] = v;
    for (int k = 0; k < from->count; k++)
        chosen[from->faces[k]] = false;
    mesh->group_count += to->vertex_count > 0; /* a part that is finer than the tets has none */
    return LIL_OK;
}

static lil_status find_groups(lil_context *ctx, lil_arena *arena, lil_arena *scratch, const lil_surface *surface,
                              lil_mesh *mesh)
{
    search s = { .surface = surface };
    int *face = LIL_NEW(scratch, int, surface->triangle_count), *face_of = LIL_NEW(scratch, int, mesh->vertex_count);
    bool *chosen = LIL_NEW(scratch, bool, surface->face_count);
    lil_group *groups = LIL_NEW(arena, lil_group, mesh->group_count + surface->group_count);
    LIL_HAVE(ctx, face && face_of && chosen && groups);
    LIL_TRY(plant(ctx, scratch, &s));
    list_faces(surface, face);
    for (int v = 0; v < mesh->vertex_count; v++) {
        nearest n = { &s, mesh->x + 3 * (size_t)v, -1 };
        lil_boxes_nearest(&s.tree, s.nodes, n.x, INFINITY, near_triangle, &n);
        face_of[v] = face[n.triangle];
    }
    if (mesh->group_count)
        memcpy(groups, mesh->groups, (size_t)mesh->group_count * sizeof *groups);
    mesh->groups = groups;
    for (int g = 0; g < surface->group_count; g++)
        LIL_TRY(add_group(ctx, arena, &surface->groups[g], face_of, chosen, mesh));
    return LIL_OK;
}

lil_status lil_surface_groups(lil_context *ctx, lil_arena *arena, const lil_surface *surface, lil_mesh *mesh)
{
    lil_arena scratch = { 0 };
    if (!surface->group_count)
        return LIL_OK;
    lil_status status = find_groups(ctx, arena, &scratch, surface, mesh);
    lil_arena_free(&scratch);
    return status;
}
