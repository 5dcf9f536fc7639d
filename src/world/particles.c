/* Particles: their positions, masses and links. */
#include "core/field.h"
#include "mesh/object.h"
#include "world/def.h"

#include <math.h>
#include <string.h>

static const double MOST = 1e100; /* squares of what is beyond are not finite */

/* ---- among all vertices ---- */

static lil_status check_points(lil_world *w, const lil_body *body, const double *mass, const double *v)
{
    int n = body->mesh.vertex_count;
    for (int i = 0; i < 3 * n; i++)
        if (!(fabs(body->mesh.x[i]) <= MOST))
            return lil_world_refuse(w, "at", LIL_ERR_LIMIT, "particle %d of '%.60s' would be at %g m", i / 3,
                                    body->name, body->mesh.x[i]);
    for (int i = 0; i < n; i++)
        if (!(mass[i] > 0 && mass[i] <= MOST))
            return lil_world_refuse(w, "mass", LIL_ERR_INPUT,
                                    "'mass' must be positive, not %g kg (to keep a particle in place, use 'fixed')",
                                    mass[i]);
    for (int i = 0; v && i < 3 * n; i++)
        if (!(fabs(v[i]) <= MOST))
            return lil_world_refuse(w, "velocity", LIL_ERR_LIMIT, "particle %d of '%.60s' would start with %g m/s",
                                    i / 3, body->name, v[i]);
    return LIL_OK;
}

lil_status lil_world_add_points(lil_world *w, const lil_body *given, const double *mass, const double *v, int *index)
{
    lil_body body = *given;
    size_t n = (size_t)body.mesh.vertex_count;
    LIL_TRY(check_points(w, &body, mass, v));
    LIL_TRY(lil_world_number_body(w, &body, index));
    memcpy(w->mass + body.first, mass, n * sizeof *mass);
    if (v)
        memcpy(w->v + 3 * (size_t)body.first, v, 3 * n * sizeof *v);
    return LIL_OK;
}

/* ---- from a def ---- */

lil_particles_def lil_particles_def_default(void)
{
    return (lil_particles_def){ .size = sizeof(lil_particles_def), .scale = { 1, 1, 1 }, .length = -1 };
}

/* Triangles of cloth, and the links that are an edge of none. */
static lil_status take_triangles(lil_world *w, const lil_particles_def *def, lil_edges *links)
{
    LIL_TRY(lil_copy_array(w->ctx, &w->arena, def->triangles, (size_t)def->triangle_count, sizeof *links->triangles,
                           &links->triangles));
    LIL_ALLOC(w->ctx, &w->arena, links->loose, links->count);
    links->triangle_count = def->triangle_count;
    for (int i = 0; i < links->count; i++) {
        bool edge = false;
        for (int t = 0; t < def->triangle_count && !edge; t++) {
            int ends = 0;
            for (int k = 0; k < 3; k++)
                ends += def->triangles[t][k] == links->at[i][0] || def->triangles[t][k] == links->at[i][1];
            edge = ends == 2;
        }
        if (!edge)
            memcpy(links->loose[links->loose_count++], links->at[i], sizeof *links->loose);
    }
    return LIL_OK;
}

static lil_status take_links(lil_world *w, const lil_particles_def *def, lil_body *body)
{
    lil_edges *links = &body->links;
    int particles = body->mesh.vertex_count;
    body->bare = def->unlinked;
    if (def->link_count < 0 || def->triangle_count < 0)
        return lil_fail(w->ctx, LIL_ERR_INPUT, "'%.60s' has %d links and %d triangles", body->name, def->link_count,
                        def->triangle_count);
    if (def->link_count) {
        LIL_WORLD_NEED(w, def->links, "def->links");
        LIL_TRY(lil_check_indices(w->ctx, body->name, "link", def->links[0], 2, def->link_count, particles));
        *links = (lil_edges){ .count = def->link_count };
        LIL_TRY(
            lil_copy_array(w->ctx, &w->arena, def->links, (size_t)def->link_count, sizeof *links->at, &links->at));
    }
    if (!def->triangle_count)
        return LIL_OK;
    LIL_WORLD_NEED(w, def->triangles, "def->triangles");
    LIL_TRY(lil_check_indices(w->ctx, body->name, "triangle", def->triangles[0], 3, def->triangle_count, particles));
    return take_triangles(w, def, links);
}

/* Where they are: of a mesh, or of arrays. */
static lil_status take_places(lil_world *w, const lil_particles_def *def, lil_body *body)
{
    const lil_mesh_object *given = lil_mesh_object_of(def->mesh);
    lil_edges none;
    if (given && (def->x || def->count))
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT,
                        "the particles '%.60s' have both a 'mesh' and arrays: they need one of them", body->name);
    if (given && given->mesh.tet_count)
        return lil_fail(w->ctx, LIL_ERR_INPUT, "the mesh of '%.60s' has tets: it is a mesh of a body", body->name);
    if (given) {
        LIL_TRY(lil_mesh_copy(w->ctx, &w->arena, &given->mesh, &body->mesh));
        return lil_edges_copy(w->ctx, &w->arena, &given->links, &body->links);
    }
    LIL_WORLD_NEED(w, def->x, "def->x");
    if (def->count < 1)
        return lil_fail(w->ctx, LIL_ERR_INPUT, "'%.60s' has %d particles", body->name, def->count);
    LIL_TRY(lil_check_numbers(w->ctx, body->name, "x", def->x, 3 * def->count));
    LIL_TRY(lil_arrangement_alloc(w->ctx, &w->arena, body->name, def->count, 0, 0, &body->mesh, &none));
    memcpy(body->mesh.x, def->x, 3 * (size_t)def->count * sizeof *def->x);
    return LIL_OK;
}

static lil_status take_masses(lil_world *w, const lil_particles_def *def, int count, const double **mass)
{
    double *each = def->mass ? NULL : LIL_NEW(&w->arena, double, count);
    if (!def->mass && !each)
        return lil_fail_memory(w->ctx);
    for (int i = 0; each && i < count; i++)
        each[i] = def->each;
    *mass = each ? each : def->mass;
    return LIL_OK;
}

static lil_status check_particles(lil_world *w, const lil_particles_def *def)
{
    if (!(def->radius >= 0 && def->radius <= 1e100))
        return lil_fail(w->ctx, LIL_ERR_INPUT, "'radius' must be 0 or more, not %g m", def->radius);
    const lil_spring_config links = { def->stiffness, def->length < 0 ? -1 : def->length, def->damping };
    return lil_fields_check(w->ctx, lil_spring_fields, LIL_SPRING_FIELDS, &links);
}

/* Air and links of particles that were just added; where that fails the world is as it was before them. */
lil_status lil_world_finish_points(lil_world *w, int index, const lil_points_finish *f)
{
    const lil_body *body = &w->list[index];
    lil_program *wind = NULL, *slopes = NULL;
    lil_status status = LIL_OK;
    if (f->wind->fn || f->wind->text[0]) {
        wind = LIL_NEW(&w->arena, lil_program, 1);
        slopes = LIL_NEW(&w->arena, lil_program, 1);
        status = wind && slopes ? LIL_OK : lil_fail_memory(w->ctx);
    }
    if (status == LIL_OK && wind)
        status = lil_world_program(w, body->name, "wind", f->wind, &(lil_texts_def){ .t = true, .xyz = true }, wind);
    if (status == LIL_OK && wind)
        status = lil_world_program(w, body->name, "wind", f->wind,
                                   &(lil_texts_def){ .t = true, .xyz = true, .slopes = true }, slopes);
    int drags = w->drag_count;
    if (status == LIL_OK)
        status = lil_world_drag(w, index, f->drag, wind, slopes);
    if (status == LIL_OK && body->links.count && !body->bare)
        status = f->links.stiffness > 0 ? lil_world_link(w, index, &f->links)
                                        : lil_world_link_rigidly(w, index, body->name);
    if (status != LIL_OK) { /* bodies add their masses to the present values */
        memset(w->mass + body->first, 0, (size_t)body->mesh.vertex_count * sizeof *w->mass);
        memset(w->v + 3 * (size_t)body->first, 0, 3 * (size_t)body->mesh.vertex_count * sizeof *w->v);
        w->drag_count = drags;
        w->vertex_count = body->first;
        w->count--;
    }
    return status;
}

lil_status lil_world_add_particles(lil_world *w, const lil_particles_def *def, int *index)
{
    lil_body body = { .particles = true };
    const double *mass = NULL;
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    LIL_NEED(w->ctx, index, "body");
    LIL_TRY(lil_world_copy_name(w, "particle", def->name, &body.name));
    LIL_TRY(check_particles(w, def));
    lil_placing by = { .about_centre = def->about_centre, .base = def->base };
    memcpy(by.scale, def->scale, sizeof by.scale);
    memcpy(by.rotate, def->rotate, sizeof by.rotate);
    memcpy(by.at, def->at, sizeof by.at);
    LIL_TRY(lil_world_take_placement(w, body.name, &by, &body.placement));
    body.placement.radius = def->radius;
    LIL_TRY(take_places(w, def, &body));
    body.mesh.name = body.name;
    LIL_TRY(lil_world_place(w, &body));
    LIL_TRY(take_links(w, def, &body));
    LIL_TRY(take_masses(w, def, body.mesh.vertex_count, &mass));
    body.radius = def->radius;
    LIL_TRY(lil_world_add_points(w, &body, mass, def->v, index));
    const lil_points_finish finish = { .drag = def->drag,
                                       .wind = &def->wind,
                                       .links = { def->stiffness, def->length, def->damping } };
    return lil_world_finish_points(w, *index, &finish);
}
