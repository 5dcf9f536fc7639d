/* Where a body's vertices are at first, and how they move. */
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Stretched and twisted along the mesh's own x, smoothly, with ends free of stress: at x in [-L/2, L/2] from its
 * middle the local stretch is 1 + (s - 1) cos(pi x/L), the section is turned by (twist/2) sin(pi x/L), and it is
 * as narrow as the material makes it under that stretch. */
static lil_status deform(lil_world *w, const lil_body *body, double stretch, double twist, double *x)
{
    double pi = acos(-1), least[3], most[3];
    lil_box_around(body->own, body->mesh.vertex_count, least, most);
    double L = most[0] - least[0];
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        double own[3], u[3];
        for (int d = 0; d < 3; d++)
            own[d] = body->own[3 * i + d] - (least[d] + most[d]) / 2;
        double phase = pi * own[0] / L, angle = twist / 360 * pi * sin(phase), c = cos(angle), s = sin(angle);
        double local = 1 + (stretch - 1) * cos(phase);
        double lateral = stretch == 1 ? 1 : lil_material_lateral(&body->material, local);
        if (!(lateral > 0))
            return lil_world_refuse(w, "stretch", LIL_ERR_INPUT, "the material does not support a stretch of %g",
                                    local);
        u[0] = own[0] + (stretch - 1) * L / pi * sin(phase);
        u[1] = lateral * (c * own[1] - s * own[2]);
        u[2] = lateral * (s * own[1] + c * own[2]);
        for (int d = 0; d < 3; d++)
            u[d] += (least[d] + most[d]) / 2;
        lil_placement_apply(&body->placement, u, x + 3 * i);
    }
    return LIL_OK;
}

/* v = push + spin x (x - centre of mass) */
static void move(const lil_body *body, const double *mass, const double *x, const double spin[3],
                 const double push[3], double *v)
{
    double total = 0, c[3] = { 0 };
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        total += mass[i];
        for (int d = 0; d < 3; d++)
            c[d] += mass[i] * x[3 * i + d];
    }
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        double r[3];
        for (int d = 0; d < 3; d++)
            r[d] = x[3 * i + d] - c[d] / total;
        for (int d = 0; d < 3; d++)
            v[3 * i + d] = push[d] + spin[(d + 1) % 3] * r[(d + 2) % 3] - spin[(d + 2) % 3] * r[(d + 1) % 3];
    }
}

/* Some materials do not exist inside out. Particles have no material. */
static lil_status check_inverted(lil_world *w, const char *member, const lil_body *body, const double *x)
{
    if (body->particles || body->material.table->holds & LIL_MATERIAL_INVERTS)
        return LIL_OK;
    for (int e = 0; e < body->mesh.tet_count; e++) {
        double ratio = lil_mesh_least_ratio(&body->mesh, e, x);
        if (!(ratio > 0))
            return lil_world_refuse(w, member, LIL_ERR_INVERTED,
                                    "tet %d of '%.60s' would start with %g of its volume, which %s does not allow", e,
                                    body->name, ratio, body->material.table->name);
    }
    return LIL_OK;
}

/* Squares of what is beyond are not finite. */
static lil_status check_size(lil_world *w, const lil_body *body, const double *x, const double *v)
{
    static const double MOST = 1e100;
    for (int i = 0; i < 3 * body->mesh.vertex_count; i++) {
        if (!(fabs(x[i]) <= MOST))
            return lil_world_refuse(w, NULL, LIL_ERR_LIMIT, "vertex %d of '%.60s' would start at %g m", i / 3,
                                    body->name, x[i]);
        if (!(fabs(v[i]) <= MOST))
            return lil_world_refuse(w, NULL, LIL_ERR_LIMIT, "vertex %d of '%.60s' would start with %g m/s", i / 3,
                                    body->name, v[i]);
    }
    return LIL_OK;
}

lil_start_def lil_start_def_default(void)
{
    return (lil_start_def){ .size = sizeof(lil_start_def), .stretch = 1 };
}

static bool is_set(const double x[3])
{
    return x[0] != 0 || x[1] != 0 || x[2] != 0;
}

lil_status lil_world_set_start(lil_world *w, int index, const lil_start_def *start)
{
    LIL_TRY(lil_world_take_def(w, __func__, start, sizeof *start));
    LIL_TRY(lil_world_check_body(w, index));
    const lil_body *body = &w->list[index];
    bool deformed = !start->x && (start->stretch != 1 || start->twist != 0);
    size_t count = 3 * (size_t)body->mesh.vertex_count, first = 3 * (size_t)body->first;
    if (!(start->stretch > 0))
        return lil_world_refuse(w, "stretch", LIL_ERR_INPUT, "'stretch' must be positive, not %g", start->stretch);
    if (deformed && body->particles)
        return lil_world_refuse(w, NULL, LIL_ERR_INPUT, "'%.60s' are particles: they cannot be stretched or twisted",
                                body->name);
    if (start->rest && (start->v || is_set(start->spin) || is_set(start->push)))
        return lil_world_refuse(w, NULL, LIL_ERR_INPUT, "'%.60s' starts at rest, and cannot have a velocity too",
                                body->name);
    double *x = LIL_NEW(&w->arena, double, count), *v = LIL_NEW(&w->arena, double, count);
    LIL_HAVE(w->ctx, x && v);
    memcpy(x, start->x ? start->x : body->mesh.x, count * sizeof *x);
    if (deformed)
        LIL_TRY(deform(w, body, start->stretch, start->twist, x));
    LIL_TRY(check_inverted(w, start->x ? "position" : NULL, body, x));
    move(body, w->mass + body->first, x, start->spin, start->push, v);
    if (start->v)
        memcpy(v, start->v, count * sizeof *v);
    LIL_TRY(check_size(w, body, x, v));
    w->list[index].rest = start->rest;
    memcpy(w->x + first, x, count * sizeof *x);
    memcpy(w->v + first, v, count * sizeof *v);
    return LIL_OK;
}
