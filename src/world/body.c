/* Bodies: checked, placed, and numbered among all vertices. */
#include "core/field.h"
#include "mesh/object.h"
#include "world/def.h"

#include <math.h>
#include <string.h>

enum { VERTICES_MAX = 100 * 1000 * 1000 };

/* ---- where it is put ---- */

/* Far out or far too small, round-off or overflow leaves nothing of a tet. */
static lil_status check_placed(lil_world *w, const lil_body *body)
{
    const double *scale = body->placement.scale, *x = body->mesh.x, *to = body->placement.at;
    double out = fmax(fmax(fabs(to[0]), fabs(to[1])), fabs(to[2]));
    bool far = out > 1e9 * fmax(fmax(scale[0], scale[1]), scale[2]);
    for (int e = 0; e < body->mesh.tet_count; e++) {
        double V = lil_tet_volume(x, body->mesh.tets[e]);
        if (!isfinite(V))
            return lil_world_refuse(w, far ? "at" : "scale", LIL_ERR_INPUT,
                                    "placed like this, tet %d of '%.60s' has no finite volume", e, body->name);
        if (!(V > 0))
            return lil_world_refuse(w, far ? "at" : "scale", LIL_ERR_INPUT,
                                    "placed like this, tet %d of '%.60s' has a volume of %g m^3", e, body->name, V);
    }
    return LIL_OK;
}

/* Own coordinates are linear in those of the world, so a middle is one in both. */
static lil_status extend_own(lil_world *w, lil_body *body, int before, const int (*between)[2])
{
    double *own;
    LIL_ALLOC(w->ctx, &w->arena, own, 3 * (size_t)body->mesh.vertex_count);
    memcpy(own, body->own, 3 * (size_t)before * sizeof *own);
    for (int v = before; v < body->mesh.vertex_count; v++) {
        const int *ends = between[v - before];
        for (int d = 0; d < 3; d++)
            own[3 * (size_t)v + d] = own[3 * (size_t)ends[0] + d] / 2 + own[3 * (size_t)ends[1] + d] / 2;
    }
    body->own = own;
    return LIL_OK;
}

static lil_status refine(lil_world *w, lil_body *body)
{
    int before = body->mesh.vertex_count, (*between)[2];
    if (body->mesh.mids)
        return lil_world_refuse_key(
            w, "refine",
            "'refine' cuts linear tets, and the mesh of '%.60s' has mid nodes of its own: make "
            "it finer where it comes from, or give 'elements: linear'",
            body->name);
    lil_status status =
        lil_mesh_refine(w->ctx, &w->arena, body->fineness, body->fineness_count, &body->mesh, &between);
    w->blame.member = status == LIL_OK ? NULL : "refine";
    LIL_TRY(status);
    return extend_own(w, body, before, (const int(*)[2])between);
}

/* Before it is placed, in the coordinates that a shape's surface is known in; or after tets were cut, whose new vertices
 * are inside that surface: then all edges are straight. */
static lil_status make_quadratic(lil_world *w, lil_body *body, bool placed)
{
    int before = body->mesh.vertex_count, (*between)[2];
    if (body->elements != LIL_ELEMENTS_QUADRATIC || body->mesh.mids || placed != (body->fineness_count > 0))
        return LIL_OK;
    if (placed)
        body->mesh.shape = NULL;
    LIL_TRY(lil_mesh_make_quadratic(w->ctx, &w->arena, &body->mesh, &between));
    return placed ? extend_own(w, body, before, (const int(*)[2])between) : LIL_OK;
}

/* The surface goes along, and then rides in the tets. */
static lil_status place_surface(lil_world *w, lil_body *body)
{
    lil_surface *surface = &body->surface;
    for (int i = 0; i < surface->vertex_count; i++) {
        double *x = surface->x + 3 * (size_t)i;
        lil_placement_apply(&body->placement, x, x);
    }
    return lil_embed(w->ctx, &w->arena, &body->mesh, surface->x, surface->vertex_count, &body->embedding);
}

/* ---- among all vertices ---- */

/* Expressions know bodies and groups by their names. */
static bool is_taken(const lil_world *w, const char *name)
{
    bool taken = false;
    for (int i = 0; i < w->count && !taken; i++) {
        taken = strcmp(w->list[i].name, name) == 0;
        for (int g = 0; g < w->list[i].group_count; g++)
            taken = taken || strcmp(w->list[i].groups[g].name, name) == 0;
    }
    return taken;
}

lil_status lil_world_number_body(lil_world *w, lil_body *body, int *index)
{
    int n = body->mesh.vertex_count, room = w->room.vertices, some = room;
    int64_t total = (int64_t)w->vertex_count + n;
    if (total > VERTICES_MAX)
        return lil_world_refuse(w, NULL, LIL_ERR_LIMIT, "more than %d vertices", VERTICES_MAX);
    if (is_taken(w, body->name))
        return lil_world_refuse_key(
            w, NULL,
            "the name '%.60s' is used twice: bodies, particles, groups and parameters share one set of names",
            body->name);
    LIL_HAVE(w->ctx,
             lil_world_grow(w, &w->list, w->count, 1, &w->room.bodies, sizeof *w->list) &&
                 lil_world_grow(w, &w->x, w->vertex_count, n, &some, 3 * sizeof *w->x) &&
                 lil_world_grow(w, &w->v, w->vertex_count, n, (some = room, &some), 3 * sizeof *w->v) &&
                 lil_world_grow(w, &w->mass, w->vertex_count, n, (some = room, &some), sizeof *w->mass) &&
                 lil_world_grow(w, &w->held, w->vertex_count, n, (some = room, &some), sizeof *w->held) &&
                 lil_world_grow(w, &w->released, w->vertex_count, n, (some = room, &some), sizeof *w->released));
    w->room.vertices = some;
    if (!(body->file_scale[0] > 0)) { /* particles that are where they are listed */
        body->file_scale[0] = body->file_scale[1] = body->file_scale[2] = 1;
        body->placement = (lil_placement){ .scale = { 1, 1, 1 }, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
        body->file_vertices = n;
    }
    body->first = w->vertex_count;
    memcpy(w->x + 3 * (size_t)body->first, body->mesh.x, 3 * (size_t)n * sizeof *w->x);
    w->vertex_count = (int)total;
    *index = w->count;
    w->list[w->count++] = *body;
    return LIL_OK;
}

/* rho V / 4 to each vertex of a linear tet */
static void lump_mass(const lil_body *body, double *mass)
{
    const lil_mesh *mesh = &body->mesh;
    for (int e = 0; e < mesh->tet_count; e++) {
        int nodes[LIL_QUADRATIC_NODES], count = mesh->mids ? LIL_QUADRATIC_NODES : 4;
        double share[LIL_QUADRATIC_NODES];
        if (mesh->mids)
            lil_quadratic_nodes(mesh->tets[e], mesh->mids[e], nodes);
        else
            memcpy(nodes, mesh->tets[e], sizeof mesh->tets[e]);
        if (mesh->mids)
            lil_quadratic_lump(mesh->x, nodes, share);
        for (int a = 0; a < count; a++)
            mass[body->first + nodes[a]] +=
                body->material.density * (mesh->mids ? share[a] : lil_tet_volume(mesh->x, nodes) / 4);
    }
}

lil_status lil_world_add_solid(lil_world *w, const lil_body *given, int *index)
{
    lil_body body = *given;
    lil_mesh_faults faults;
    w->blame = (lil_blame){ NULL, false, NULL };
    LIL_TRY(lil_mesh_check(w->ctx, &w->arena, &body.mesh, &faults));
    if (faults.count)
        return lil_world_refuse(w, "mesh", LIL_ERR_INPUT, "%.600s%s", faults.sentences[0],
                                faults.count > 1 ? " (and it has other faults)" : "");
    LIL_TRY(make_quadratic(w, &body, false));
    LIL_TRY(lil_world_place(w, &body));
    LIL_TRY(check_placed(w, &body));
    if (body.fineness_count)
        LIL_TRY(refine(w, &body));
    LIL_TRY(make_quadratic(w, &body, true));
    LIL_TRY(lil_mesh_surface(w->ctx, &w->arena, &body.mesh));
    if (body.surface.vertex_count)
        LIL_TRY(place_surface(w, &body));
    LIL_TRY(lil_world_number_body(w, &body, index));
    lump_mass(&body, w->mass);
    return LIL_OK;
}

/* ---- groups ---- */

lil_status lil_world_add_group(lil_world *w, int body, const char *name, const int *vertices, int count)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, name, "name");
    LIL_NEED(w->ctx, vertices, "vertices");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_world_check_vertices(w, body, vertices, count));
    lil_group group = { .vertex_count = count };
    LIL_TRY(lil_world_copy_name(w, "group", name, &group.name));
    if (is_taken(w, name))
        return lil_world_refuse_key(
            w, NULL,
            "the name '%.60s' is used twice: bodies, particles, groups and parameters share one set of names", name);
    LIL_TRY(lil_copy_array(w->ctx, &w->arena, vertices, (size_t)count, sizeof *vertices, &group.vertices));
    lil_body *b = &w->list[body];
    lil_group *longer;
    LIL_ALLOC(w->ctx, &w->arena, longer, b->group_count + 1);
    if (b->group_count)
        memcpy(longer, b->groups, (size_t)b->group_count * sizeof *longer);
    longer[b->group_count++] = group;
    b->groups = longer;
    return LIL_OK;
}

static const lil_group *find_group(const lil_group *groups, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(groups[i].name, name) == 0)
            return &groups[i];
    return NULL;
}

/* every vertex */
static lil_status list_all(lil_world *w, const lil_body *b, lil_group_info *info)
{
    int *vertices;
    LIL_ALLOC(w->ctx, &w->arena, vertices, b->mesh.vertex_count);
    for (int i = 0; i < b->mesh.vertex_count; i++)
        vertices[i] = i;
    *info = (lil_group_info){ "all", b->mesh.vertex_count, vertices };
    return LIL_OK;
}

lil_status lil_world_find_group(lil_world *w, int body, const char *name, lil_group_info *info)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, name, "name");
    LIL_NEED(w->ctx, info, "group");
    LIL_TRY(lil_world_check_body(w, body));
    const lil_body *b = &w->list[body];
    const lil_group *group = find_group(b->groups, b->group_count, name);
    char hint[LIL_HINT_MAX];
    group = group ? group : find_group(b->mesh.groups, b->mesh.group_count, name);
    if (!group && strcmp(name, "all") == 0)
        return list_all(w, b, info);
    if (!group)
        return lil_fail(w->ctx, LIL_ERR_INPUT, "'%.60s' has no group '%.60s'%s", b->name, name,
                        lil_hint(lil_nearest(name, b->mesh.group_count ? &b->mesh.groups[0].name : NULL,
                                             b->mesh.group_count, sizeof(lil_group)),
                                 hint));
    *info = (lil_group_info){ group->name, group->vertex_count, group->vertices };
    return LIL_OK;
}

lil_status lil_world_find_nearest(lil_world *w, int body, const double x[3], int *vertex)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, x, "x");
    LIL_NEED(w->ctx, vertex, "vertex");
    LIL_TRY(lil_world_check_body(w, body));
    LIL_TRY(lil_check_numbers(w->ctx, w->list[body].name, "x", x, 3));
    *vertex = lil_mesh_nearest(&w->list[body].mesh, x);
    return LIL_OK;
}

lil_status lil_world_look(const lil_world *w, int body, lil_mesh_info *info)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, info, "info");
    if (body < 0 || body >= w->count)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there is no body %d: there are %d, numbered from 0", body,
                        w->count);
    const lil_body *b = &w->list[body];
    *info = lil_mesh_info_of(&b->mesh, &b->links, &b->surface);
    return LIL_OK;
}

/* ---- from a def ---- */

lil_body_def lil_body_def_default(void)
{
    return (lil_body_def){ .size = sizeof(lil_body_def),
                           .scale = { 1, 1, 1 },
                           .material = { .young = NAN, .poisson = NAN, .mu = NAN, .kappa = NAN, .density = NAN } };
}

/* The def's own arrays. */
static lil_status take_arrays(lil_world *w, const lil_body_def *def, lil_mesh *mesh)
{
    LIL_WORLD_NEED(w, def->x, "def->x");
    LIL_WORLD_NEED(w, def->tets, "def->tets");
    if (def->vertex_count < 4 || def->tet_count < 1)
        return lil_fail(w->ctx, LIL_ERR_INPUT,
                        "the body '%.60s' has %d vertices and %d tets: it needs at least 4 and 1", mesh->name,
                        def->vertex_count, def->tet_count);
    mesh->vertex_count = def->vertex_count;
    mesh->tet_count = def->tet_count;
    LIL_TRY(lil_check_numbers(w->ctx, mesh->name, "x", def->x, 3 * def->vertex_count));
    LIL_TRY(lil_check_indices(w->ctx, mesh->name, "tet", def->tets[0], 4, def->tet_count, def->vertex_count));
    if (def->mids) {
        LIL_TRY(lil_check_indices(w->ctx, mesh->name, "mids of tet", def->mids[0], LIL_TET_EDGES, def->tet_count,
                                  def->vertex_count));
        LIL_TRY(lil_copy_array(w->ctx, &w->arena, def->mids, (size_t)def->tet_count, sizeof *def->mids, &mesh->mids));
    }
    LIL_TRY(lil_copy_array(w->ctx, &w->arena, def->x, 3 * (size_t)def->vertex_count, sizeof *def->x, &mesh->x));
    return lil_copy_array(w->ctx, &w->arena, def->tets, (size_t)def->tet_count, sizeof *def->tets, &mesh->tets);
}

static lil_status take_mesh(lil_world *w, const lil_body_def *def, lil_body *body)
{
    const lil_mesh_object *given = lil_mesh_object_of(def->mesh);
    bool arrays = def->x || def->tets || def->mids || def->vertex_count || def->tet_count;
    if (given && arrays)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT,
                        "the body '%.60s' has both a 'mesh' and arrays: it needs one of them", body->name);
    if (given && !given->mesh.tet_count)
        return lil_fail(w->ctx, LIL_ERR_INPUT, "the mesh of '%.60s' has no tets: it is a mesh of particles",
                        body->name);
    body->mesh = (lil_mesh){ .name = body->name };
    body->elements = def->elements;
    if (def->elements < LIL_ELEMENTS_OF_MESH || def->elements > LIL_ELEMENTS_QUADRATIC)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there are no elements %d", (int)def->elements);
    LIL_TRY(given ? lil_mesh_copy(w->ctx, &w->arena, &given->mesh, &body->mesh) : take_arrays(w, def, &body->mesh));
    if (def->elements == LIL_ELEMENTS_LINEAR)
        LIL_TRY(lil_mesh_make_linear(w->ctx, &w->arena, &body->mesh));
    return given ? lil_surface_copy(w->ctx, &w->arena, &given->surface, &body->surface) : LIL_OK;
}

/* The surface that rides in the tets: of the mesh, or of arrays. */
static lil_status take_surface(lil_world *w, const lil_body_def *def, lil_body *body)
{
    lil_surface *s = &body->surface;
    bool arrays = def->surface_vertex_count || def->triangle_count;
    if (arrays && s->vertex_count)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT,
                        "the body '%.60s' has two surfaces, one from its mesh and one from arrays", body->name);
    if (arrays)
        LIL_TRY(lil_surface_of_triangles(w->ctx, &w->arena, body->name, "surface_x", def->surface_x,
                                         def->surface_vertex_count, def->triangles, def->triangle_count, s));
    if (!s->vertex_count)
        return LIL_OK;
    bool sheet = def->mesh && lil_mesh_object_of(def->mesh)->sheet;
    LIL_TRY(lil_world_settle(w, body->name, &body->placement, &body->mesh, sheet ? NULL : s));
    memcpy(body->file_scale, body->placement.scale, sizeof body->file_scale);
    for (int i = 0; i < 3 * s->vertex_count; i++) /* both here, so that they remain together */
        s->x[i] *= body->placement.scale[i % 3];
    for (int i = 0; i < 3 * body->mesh.vertex_count; i++)
        body->mesh.x[i] *= body->placement.scale[i % 3];
    for (int d = 0; d < 3; d++) {
        if (body->placement.scale[d] != 1) /* of another size than the shape that it was made of */
            body->mesh.shape = NULL;
        body->placement.scale[d] = 1;
    }
    return LIL_OK;
}

static lil_status take_fineness(lil_world *w, const lil_body_def *def, lil_body *body)
{
    body->fineness_count = def->refine_count;
    if (def->refine_count < 0 || (def->refine_count && !def->refine))
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "'refine' of '%.60s' has %d entries%s", body->name,
                        def->refine_count, def->refine ? "" : ", but is NULL");
    for (int i = 0; i < def->refine_count; i++) {
        LIL_TRY(lil_check_numbers(w->ctx, body->name, "refine.centre", def->refine[i].centre, 3));
        LIL_TRY(lil_fields_check(w->ctx, lil_refine_fields, LIL_REFINE_FIELDS, &def->refine[i]));
        if (isnan(def->refine[i].edge))
            return lil_fail(w->ctx, LIL_ERR_INPUT, "refine[%d] of '%.60s' has no 'edge'", i, body->name);
    }
    return lil_copy_array(w->ctx, &w->arena, def->refine, (size_t)def->refine_count, sizeof *def->refine,
                          &body->fineness);
}

static lil_status take_material(lil_world *w, const lil_body_def *def, lil_body *body)
{
    const lil_material_table *table;
    LIL_TRY(lil_world_find_material(w, def->material.name, &table));
    void *config = lil_arena_alloc(&w->arena, 1, table->config_size);
    LIL_HAVE(w->ctx, config);
    lil_fields_default(table->fields, table->field_count, config);
    lil_material_own(table, config);
    if (def->material.options)
        LIL_TRY(lil_fields_parse(w->ctx, table->fields, table->field_count, config, def->material.options));
    if (def->form < LIL_DAMP_EXACT || def->form > LIL_DAMP_EXPLICIT)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there is no damping form %d", (int)def->form);
    body->damping = (lil_damping_def){ def->damping, (int)def->form };
    LIL_TRY(lil_fields_check(w->ctx, lil_damping_fields, LIL_DAMPING_FIELDS, &body->damping));
    return lil_world_material(w, &def->material, config, &body->material);
}

lil_status lil_world_add_body(lil_world *w, const lil_body_def *def, int *index)
{
    lil_body body = { 0 };
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    LIL_NEED(w->ctx, index, "body");
    LIL_TRY(lil_world_copy_name(w, "body", def->name, &body.name));
    lil_placing by = { .size = def->largest, .about_centre = def->about_centre, .base = def->base };
    memcpy(by.scale, def->scale, sizeof by.scale);
    memcpy(by.rotate, def->rotate, sizeof by.rotate);
    memcpy(by.at, def->at, sizeof by.at);
    LIL_TRY(lil_world_take_placement(w, body.name, &by, &body.placement));
    LIL_TRY(take_mesh(w, def, &body));
    LIL_TRY(take_surface(w, def, &body));
    LIL_TRY(take_fineness(w, def, &body));
    LIL_TRY(take_material(w, def, &body));
    return lil_world_add_solid(w, &body, index);
}
