/* mesh, surface or shape. */
#include "scene/bodies.h"

#include "core/field.h"
#include "mesh/make/shape.h"

#include <string.h>
#include <sys/stat.h>

static bool shape_at(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    if (i >= lil_shape_count())
        return false;
    const lil_shape *s = lil_shape_at(i);
    *v = (lil_variant){ s->name, s->doc, NULL, NULL, NULL, s->fields, s->field_count, true, true };
    return true;
}
const lil_mapping lil_shape_table = {
    .in = "shape", .brief = "type", .choice = "type", .chosen = true, .variant = shape_at
};

/* ---- where it comes from ---- */

/* A mesh's path is relative to the file that names it; that of an override to where the program runs. */
static const char *resolve_path(const lil_reader *rd, const lil_node *node)
{
    const char *slash =
        node->file && strncmp(node->file, LIL_OVERRIDE, strlen(LIL_OVERRIDE)) != 0 ? strrchr(node->file, '/') : NULL;
    if (node->text[0] == '/' || !slash)
        return lil_arena_copy(rd->arena, node->text, strlen(node->text));
    return lil_arena_format(rd->arena, "%.*s/%s", (int)(slash - node->file), node->file, node->text);
}

lil_status lil_read_body_path(const lil_reader *rd, const lil_node *node, const char *what, const char **path)
{
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, what));
    LIL_HAVE(rd->ctx, *path = resolve_path(rd, node));
    struct stat about;
    if (stat(*path, &about) == 0 && S_ISFIFO(about.st_mode)) /* a scene is read more than once */
        return lil_node_fail(rd->ctx, node, LIL_ERR_FILE, "%.200s: is a pipe, not a file", *path);
    return LIL_OK;
}

static lil_status read_mesh_file(const lil_reader *rd, const lil_node *node, lil_elements elements, lil_mesh *mesh)
{
    const char *path;
    LIL_TRY(lil_read_body_path(rd, node, "mesh", &path));
    lil_status status = lil_mesh_read(rd->ctx, rd->arena, path, mesh);
    if (status == LIL_OK && elements == LIL_ELEMENTS_LINEAR)
        status = lil_mesh_make_linear(rd->ctx, rd->arena, mesh);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

static lil_status make_shape(const lil_reader *rd, const lil_node *node, lil_mesh *mesh)
{
    lil_variant own;
    LIL_TRY(lil_read_variant(rd, node, &lil_shape_table, NULL, &own));
    const lil_shape *shape = lil_shape_find(own.name);
    void *config = lil_arena_alloc(rd->arena, 1, shape->config_size);
    LIL_HAVE(rd->ctx, config);
    lil_fields_default(shape->fields, shape->field_count, config);
    if (node->kind == LIL_NODE_MAP)
        LIL_TRY(lil_read_own_fields(rd, node, &lil_shape_table, &own, config));
    lil_status status = lil_shape_make(rd->ctx, rd->arena, shape, config, mesh);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

/* ---- all together ---- */

/* The one of the three that the body has. */
static lil_status find_origin(const lil_reader *rd, const lil_body *body, const lil_node **origin)
{
    static const char *const keys[] = { "mesh", "surface", "shape" };
    *origin = NULL;
    for (int i = 0; i < 3; i++) {
        const lil_node *node = lil_node_get(body->node, keys[i]);
        if (node && *origin)
            return lil_node_fail_key(rd->ctx, body->node, "the body '%.60s' has both '%s' and '%s': it needs one",
                                     body->name, (*origin)->key, keys[i]);
        if (node)
            *origin = node;
    }
    return *origin ? LIL_OK
                   : lil_node_fail_key(rd->ctx, body->node,
                                       "the body '%.60s' needs a 'mesh', a 'surface' or a 'shape'", body->name);
}

lil_status lil_read_body_mesh(const lil_reader *rd, lil_body *body, lil_world *w, const lil_node **origin)
{
    LIL_TRY(find_origin(rd, body, origin));
    LIL_TRY(lil_read_placement(rd, body->node, lil_node_get(body->node, "size"), &body->placement));
    if (strcmp((*origin)->key, "surface") == 0)
        return lil_read_body_surface(rd, *origin, body, w);
    LIL_TRY(lil_refuse_filling(rd, body->node));
    LIL_TRY(strcmp((*origin)->key, "mesh") == 0 ? read_mesh_file(rd, *origin, body->elements, &body->mesh)
                                                : make_shape(rd, *origin, &body->mesh));
    return lil_settle_body(rd, body, w);
}
