#include "mesh/object.h"

#include "core/field.h"
#include "mesh/arrays.h"
#include "mesh/fill/implicit.h"
#include "mesh/make/shape.h"

#include <stdlib.h>
#include <string.h>

/* ---- create and destroy ---- */

static lil_status begin(lil_context *ctx, lil_mesh_object **object)
{
    *object = calloc(1, sizeof **object);
    return *object ? LIL_OK : lil_fail_memory(ctx);
}

static lil_status end(lil_context *ctx, lil_mesh_object *object, lil_status status, lil_mesh **out)
{
    lil_mesh *mesh = &object->mesh;
    if (status == LIL_OK && mesh->tet_count)
        status = lil_mesh_surface(ctx, &object->arena, mesh);
    if (status != LIL_OK)
        lil_mesh_destroy(&mesh);
    *out = mesh;
    return status;
}

void lil_mesh_destroy(lil_mesh **mesh)
{
    lil_mesh_object *object = mesh ? (lil_mesh_object *)*mesh : NULL;
    if (!object)
        return;
    lil_arena_free(&object->arena);
    free(object);
    *mesh = NULL;
}

lil_status lil_mesh_create_read(lil_context *ctx, const char *path, lil_mesh **mesh)
{
    lil_mesh_object *o;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, mesh, "mesh");
    *mesh = NULL;
    LIL_NEED(ctx, path, "path");
    LIL_TRY(begin(ctx, &o));
    return end(ctx, o, lil_mesh_read(ctx, &o->arena, path, &o->mesh), mesh);
}

/* ---- shapes and arrangements ---- */

static lil_status refuse_unknown(lil_context *ctx, const char *type)
{
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX];
    int shapes = lil_shape_count(), count = shapes + lil_arrangement_count();
    char hint[LIL_MESSAGE_MAX / 4];
    for (int i = 0; i < count; i++)
        names[i] = i < shapes ? lil_shape_at(i)->name : lil_arrangement_at(i - shapes)->name;
    const char *near = lil_nearest(type, names, count, sizeof *names);
    return lil_fail(ctx, LIL_ERR_INPUT, "unknown shape '%.60s'%s", type,
                    near ? lil_hint(near, hint) : lil_hint_all(names, count, hint, sizeof hint));
}

static lil_status configure(lil_context *ctx, lil_arena *arena, const lil_field *fields, int count, size_t size,
                            const char *options, void **config)
{
    LIL_HAVE(ctx, *config = lil_arena_alloc(arena, 1, size));
    lil_fields_default(fields, count, *config);
    return options ? lil_fields_parse(ctx, fields, count, *config, options) : LIL_OK;
}

static lil_status make(lil_context *ctx, const char *type, const char *options, lil_mesh_object *o)
{
    const lil_shape *shape = lil_shape_find(type);
    const lil_arrangement *particles = lil_arrangement_find(type);
    void *config;
    if (shape) {
        LIL_TRY(configure(ctx, &o->arena, shape->fields, shape->field_count, shape->config_size, options, &config));
        return lil_shape_make(ctx, &o->arena, shape, config, &o->mesh);
    }
    if (!particles)
        return refuse_unknown(ctx, type);
    LIL_TRY(configure(ctx, &o->arena, particles->fields, particles->field_count, particles->config_size, options,
                      &config));
    return particles->make(ctx, &o->arena, config, &o->mesh, &o->links);
}

lil_status lil_mesh_create_shape(lil_context *ctx, const char *type, const char *options, lil_mesh **mesh)
{
    lil_mesh_object *o;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, mesh, "mesh");
    *mesh = NULL;
    LIL_NEED(ctx, type, "type");
    LIL_TRY(begin(ctx, &o));
    return end(ctx, o, make(ctx, type, options, o), mesh);
}

/* ---- filled ---- */

lil_fill_def lil_fill_def_default(void)
{
    return (lil_fill_def){ .size = sizeof(lil_fill_def), .cells = 40, .scale = { 1, 1, 1 } };
}

lil_status lil_surface_fill(lil_context *ctx, lil_arena *arena, const lil_filling *filling, const double scale[3],
                            lil_surface *surface, lil_mesh *mesh)
{
    enum { VERTICES = 2000 }; /* the default */
    lil_filling f = *filling;
    if (f.vertices == 0 && f.edge == 0)
        f.vertices = VERTICES;
    for (int i = 0; i < 3 * surface->vertex_count; i++)
        surface->x[i] *= scale[i % 3];
    return lil_surface_tetrahedralise(ctx, arena, surface, &f, mesh);
}

static lil_status check_fill(lil_context *ctx, const lil_fill_def *def)
{
    int sources = (def->path != NULL) + (def->x != NULL) + (def->inside != NULL);
    if (def->size != sizeof *def)
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "lil_mesh_create_filled: the def's size is %zu, not %zu: initialise it with its _default "
                        "function, from the header of this library",
                        def->size, sizeof *def);
    if (sources != 1)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_mesh_create_filled: give one of 'path', 'x' and 'inside', not %d",
                        sources);
    if (def->vertices < 0 || !(def->edge >= 0 && def->edge < 1e100) ||
        !(def->thickness >= 0 && def->thickness < 1e100))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "a surface is filled with %d vertices, edges of %g m and a thickness of %g m", def->vertices,
                        def->edge, def->thickness);
    if (def->vertices > 0 && def->edge > 0)
        return lil_fail(ctx, LIL_ERR_INPUT, "a surface is filled by 'vertices' or by 'edge', not both");
    for (int d = 0; d < 3; d++)
        if (!(def->scale[d] >= 1e-50 && def->scale[d] <= 1e50))
            return lil_fail(ctx, LIL_ERR_INPUT, "'scale' must be between 1e-50 and 1e50, not %g", def->scale[d]);
    return LIL_OK;
}

static lil_status take_inside(lil_context *ctx, const lil_fill_def *def, lil_mesh_object *o)
{
    lil_implicit implicit = { .name = "inside", .cells = def->cells, .value = def->inside, .user = def->user };
    if (def->cells < 2 || def->cells > LIL_IMPLICIT_CELLS)
        return lil_fail(ctx, LIL_ERR_INPUT, "'cells' is a whole number from 2 to %d, not %d", LIL_IMPLICIT_CELLS,
                        def->cells);
    LIL_TRY(lil_check_numbers(ctx, "box", "low", def->low, 3));
    LIL_TRY(lil_check_numbers(ctx, "box", "high", def->high, 3));
    memcpy(implicit.low, def->low, sizeof implicit.low);
    memcpy(implicit.high, def->high, sizeof implicit.high);
    return lil_surface_implicit(ctx, &o->arena, &implicit, &o->surface);
}

static lil_status fill(lil_context *ctx, const lil_fill_def *def, lil_mesh_object *o)
{
    const lil_filling filling = { .vertices = def->vertices,
                                  .edge = def->edge,
                                  .thickness = def->thickness,
                                  .progress = def->progress,
                                  .user = def->progress_user };
    if (def->path)
        LIL_TRY(lil_surface_read(ctx, &o->arena, def->path, &o->surface));
    else if (def->x)
        LIL_TRY(lil_surface_of_triangles(ctx, &o->arena, "def", "x", def->x, def->vertex_count, def->triangles,
                                         def->triangle_count, &o->surface));
    else
        LIL_TRY(take_inside(ctx, def, o));
    o->sheet = def->thickness > 0;
    return lil_surface_fill(ctx, &o->arena, &filling, def->scale, &o->surface, &o->mesh);
}

lil_status lil_mesh_create_filled(lil_context *ctx, const lil_fill_def *def, lil_mesh **mesh)
{
    lil_mesh_object *o;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, mesh, "mesh");
    *mesh = NULL;
    LIL_NEED(ctx, def, "def");
    LIL_TRY(check_fill(ctx, def));
    LIL_TRY(begin(ctx, &o));
    return end(ctx, o, fill(ctx, def, o), mesh);
}

/* ---- look ---- */

lil_status lil_mesh_look(const lil_mesh *mesh, lil_mesh_info *info)
{
    LIL_NEED(NULL, mesh, "mesh");
    LIL_NEED(NULL, info, "info");
    const lil_mesh_object *o = lil_mesh_object_of(mesh);
    *info = lil_mesh_info_of(&o->mesh, &o->links, &o->surface);
    return LIL_OK;
}

lil_mesh_info lil_mesh_info_of(const lil_mesh *mesh, const lil_edges *links, const lil_surface *s)
{
    return (lil_mesh_info){ .vertex_count = mesh->vertex_count,
                            .tet_count = mesh->tet_count,
                            .face_count = mesh->face_count,
                            .link_count = links->count,
                            .x = mesh->x,
                            .tets = (const int(*)[4])mesh->tets,
                            .mids = (const int(*)[6])mesh->mids,
                            .faces = (const int(*)[3])mesh->faces,
                            .links = (const int(*)[2])links->at,
                            .surface_vertex_count = s->vertex_count,
                            .surface_triangle_count = s->triangle_count,
                            .surface_x = s->x,
                            .surface_triangles = (const int(*)[3])s->triangles };
}

bool lil_mesh_group(const lil_mesh *mesh, int index, lil_group_info *group)
{
    if (!mesh || !group || index < 0 || index >= mesh->group_count)
        return false;
    const lil_group *g = &mesh->groups[index];
    *group = (lil_group_info){ g->name, g->vertex_count, g->vertices };
    return true;
}
