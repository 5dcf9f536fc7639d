/* mesh, surface or shape, and where it is put. */
#include "scene/bodies.h"

#include "core/field.h"
#include "mesh/shape.h"
#include "terms/pose.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- where it comes from ---- */

/* A mesh's path is relative to the file that names it; that of a --set to where the command runs. */
static const char *resolve_path(const lil_reader *rd, const lil_node *node)
{
    const char *slash = node->file && strncmp(node->file, "--set", 5) != 0 ? strrchr(node->file, '/') : NULL;
    if (node->text[0] == '/' || !slash)
        return lil_arena_copy(rd->arena, node->text, strlen(node->text));
    return lil_arena_format(rd->arena, "%.*s/%s", (int)(slash - node->file), node->file, node->text);
}

lil_status lil_read_body_path(const lil_reader *rd, const lil_node *node, const char *what, const char **path)
{
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, what));
    if (!(*path = resolve_path(rd, node)))
        return lil_fail_memory(rd->ctx);
    struct stat about;
    if (stat(*path, &about) == 0 && S_ISFIFO(about.st_mode)) /* a scene is read more than once */
        return lil_node_fail(rd->ctx, node, LIL_ERR_FILE, "%.200s: is a pipe, not a file", *path);
    return LIL_OK;
}

static lil_status read_mesh_file(const lil_reader *rd, const lil_node *node, lil_mesh *mesh)
{
    const char *path;
    LIL_TRY(lil_read_body_path(rd, node, "mesh", &path));
    lil_status status = lil_mesh_read(rd->ctx, rd->arena, path, mesh);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

static lil_status find_shape(const lil_reader *rd, const lil_node *name, const lil_shape **shape)
{
    char hint[LIL_MESSAGE_MAX / 4];
    const char **names = LIL_NEW(rd->arena, const char *, lil_shape_count());
    LIL_TRY(lil_node_expect(rd->ctx, name, LIL_NODE_SCALAR, "shape"));
    *shape = lil_shape_find(name->text);
    if (*shape)
        return LIL_OK;
    if (!names)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < lil_shape_count(); i++)
        names[i] = lil_shape_at(i)->name;
    const char *near = lil_nearest(name->text, names, lil_shape_count(), sizeof *names);
    return lil_node_fail(rd->ctx, name, LIL_ERR_INPUT, "unknown shape '%.60s'%s", name->text,
                         near ? lil_hint(near, hint) : lil_hint_all(names, lil_shape_count(), hint, sizeof hint));
}

static lil_status make_shape(const lil_reader *rd, const lil_node *node, lil_mesh *mesh)
{
    const lil_node *name = node;
    const lil_shape *shape;
    if (node->kind == LIL_NODE_MAP && !(name = lil_node_get(node, "type")))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "the shape has no 'type'");
    LIL_TRY(find_shape(rd, name, &shape));
    void *config = lil_arena_alloc(rd->arena, 1, shape->config_size);
    if (!config)
        return lil_fail_memory(rd->ctx);
    lil_fields_default(shape->fields, shape->field_count, config);
    if (node->kind == LIL_NODE_MAP)
        LIL_TRY(lil_read_fields(rd, node, shape->fields, shape->field_count, config, shape->name, "type"));
    lil_status status = shape->check ? shape->check(rd->ctx, config) : LIL_OK;
    if (status == LIL_OK)
        status = shape->make(rd->ctx, rd->arena, config, mesh);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

/* What is wrong with the mesh is said with the sentence that `lilyan info` says. */
static lil_status check_mesh(const lil_reader *rd, const lil_node *node, const lil_mesh *mesh)
{
    lil_mesh_faults faults;
    LIL_TRY(lil_mesh_check(rd->ctx, rd->arena, mesh, &faults));
    if (!faults.count)
        return LIL_OK;
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%.600s%s", faults.sentences[0],
                         faults.count > 1 ? " (and more: see 'lilyan info')" : "");
}

/* ---- where it is put ---- */

lil_status lil_read_scale(const lil_reader *rd, const lil_node *node, double scale[3])
{
    double *x;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "scale", false, &x, &count));
    if (count != 1 && count != 3)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'scale' is one number or three, not %d", count);
    for (int d = 0; d < 3; d++) {
        scale[d] = x[count == 3 ? d : 0];
        if (!(scale[d] > 0))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'scale' must be positive, not %g", scale[d]);
        if (!(scale[d] >= 1e-50 && scale[d] <= 1e50))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'scale' must be between 1e-50 and 1e50, not %g",
                                 scale[d]);
    }
    return LIL_OK;
}

lil_status lil_read_rotation(const lil_reader *rd, const lil_node *node, double R[9])
{
    double degrees[3] = { 0 };
    LIL_TRY(lil_read_vector(rd, node, "rotate", degrees));
    for (int d = 0; d < 3; d++)
        if (!(fabs(degrees[d]) <= 1e6))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'rotate' is at most 1e6 degrees, not %g", degrees[d]);
    lil_rotation_of(degrees, R);
    return LIL_OK;
}

static lil_status read_placement(const lil_reader *rd, const lil_node *node, lil_placement *pl)
{
    *pl = (lil_placement){ .scale = { 1, 1, 1 } };
    LIL_TRY(lil_read_scale(rd, lil_node_get(node, "scale"), pl->scale));
    LIL_TRY(lil_read_rotation(rd, lil_node_get(node, "rotate"), pl->R));
    return lil_read_vector(rd, lil_node_get(node, "at"), "at", pl->at);
}

static void turn_and_move(const lil_placement *pl, const double own[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = pl->R[3 * d] * own[0] + pl->R[3 * d + 1] * own[1] + pl->R[3 * d + 2] * own[2] + pl->at[d];
}

static lil_status place(const lil_reader *rd, lil_body *body)
{
    lil_mesh *mesh = &body->mesh;
    const lil_placement *pl = &body->placement;
    body->own = LIL_NEW(rd->arena, double, 3 * (size_t)mesh->vertex_count);
    if (!body->own)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < mesh->vertex_count; i++) {
        double *own = body->own + 3 * i, *x = mesh->x + 3 * i;
        for (int d = 0; d < 3; d++)
            own[d] = pl->scale[d] * x[d];
        turn_and_move(pl, own, x);
    }
    return LIL_OK;
}

lil_status lil_place_as_body(const lil_reader *rd, const lil_body *body, double *x, int count)
{
    lil_placement pl;
    LIL_TRY(read_placement(rd, body->node, &pl));
    for (int i = 0; i < count; i++, x += 3) {
        double own[3] = { pl.scale[0] * x[0], pl.scale[1] * x[1], pl.scale[2] * x[2] };
        turn_and_move(&pl, own, x);
    }
    return LIL_OK;
}

/* The surface goes along, and then rides in the tets. */
static lil_status place_surface(const lil_reader *rd, lil_body *body)
{
    lil_surface *surface = &body->surface;
    for (int i = 0; i < surface->vertex_count; i++) {
        double *x = surface->x + 3 * (size_t)i, own[3] = { x[0], x[1], x[2] };
        turn_and_move(&body->placement, own, x);
    }
    return lil_embed(rd->ctx, rd->arena, &body->mesh, surface->x, surface->vertex_count, &body->embedding);
}

lil_status lil_read_body_placement(const lil_reader *rd, lil_body *body)
{
    LIL_TRY(read_placement(rd, body->node, &body->placement));
    return place(rd, body);
}

/* Far out or far too small, round-off or overflow leaves nothing of a tet. */
static lil_status check_placed(const lil_reader *rd, const lil_body *body)
{
    const double *scale = body->placement.scale, *x = body->mesh.x, *to = body->placement.at;
    const lil_node *at = lil_node_get(body->node, "at"), *node = lil_node_get(body->node, "scale");
    double out = fmax(fmax(fabs(to[0]), fabs(to[1])), fabs(to[2]));
    if (at && (!node || out > 1e9 * fmax(fmax(scale[0], scale[1]), scale[2])))
        node = at;
    if (!node)
        node = body->node;
    for (int e = 0; e < body->mesh.tet_count; e++) {
        double V = lil_tet_volume(x, body->mesh.tets[e]);
        if (!isfinite(V))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                 "placed like this, tet %d of '%.60s' has no finite volume", e, body->name);
        if (!(V > 0))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                 "placed like this, tet %d of '%.60s' has a volume of %g m^3", e, body->name, V);
    }
    return LIL_OK;
}

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

lil_status lil_read_body_mesh(const lil_reader *rd, lil_body *body)
{
    const lil_node *origin;
    LIL_TRY(find_origin(rd, body, &origin));
    bool surface = strcmp(origin->key, "surface") == 0;
    LIL_TRY(read_placement(rd, body->node, &body->placement));
    if (surface)
        LIL_TRY(lil_read_body_surface(rd, origin, body));
    else
        LIL_TRY(lil_refuse_filling(rd, body->node));
    if (!surface)
        LIL_TRY(strcmp(origin->key, "mesh") == 0 ? read_mesh_file(rd, origin, &body->mesh)
                                                 : make_shape(rd, origin, &body->mesh));
    LIL_TRY(check_mesh(rd, origin, &body->mesh));
    LIL_TRY(lil_mesh_surface(rd->ctx, rd->arena, &body->mesh));
    LIL_TRY(place(rd, body));
    LIL_TRY(check_placed(rd, body));
    return surface ? place_surface(rd, body) : LIL_OK;
}
