/* Where bodies, particles and meshes of obstacles are put: scale, rotate, at, and what of them is put there. */
#include "terms/pose.h"
#include "world/def.h"

#include <math.h>
#include <string.h>

void lil_placement_apply(const lil_placement *pl, const double own[3], double x[3])
{
    const double o[3] = { own[0], own[1], own[2] };
    for (int d = 0; d < 3; d++)
        x[d] = pl->R[3 * d] * o[0] + pl->R[3 * d + 1] * o[1] + pl->R[3 * d + 2] * o[2] + pl->at[d];
}

/* ---- by the box ---- */

/* The points of which the box is taken: all, or the corners of a surface's faces. */
typedef struct points {
    const double *x;
    const int *corners;
    int count;
} points;

static points points_of(const lil_mesh *mesh, const lil_surface *surface)
{
    if (surface && surface->triangle_count)
        return (points){ surface->x, surface->triangles[0], 3 * surface->triangle_count };
    return (points){ mesh->x, NULL, mesh->vertex_count };
}

/* The box of the points, scaled, and placed if `placed`. */
static void box_of(const lil_placement *pl, const points *p, bool placed, double least[3], double most[3])
{
    for (int d = 0; d < 3; d++) {
        least[d] = INFINITY;
        most[d] = -INFINITY;
    }
    for (int i = 0; i < p->count; i++) {
        const double *x = p->x + 3 * (size_t)(p->corners ? p->corners[i] : i);
        double y[3] = { pl->scale[0] * x[0], pl->scale[1] * x[1], pl->scale[2] * x[2] };
        if (placed)
            lil_placement_apply(pl, y, y);
        for (int d = 0; d < 3; d++) {
            least[d] = fmin(least[d], y[d]);
            most[d] = fmax(most[d], y[d]);
        }
    }
}

static lil_status scale_to_size(lil_world *w, const char *name, lil_placement *pl, const points *p)
{
    double least[3], most[3], largest = 0;
    box_of(pl, p, false, least, most);
    for (int d = 0; d < 3; d++)
        largest = fmax(largest, most[d] - least[d]);
    double by = (pl->size - 2 * pl->sheet) / largest;
    if (!(by > 0))
        return lil_world_refuse(w, "size", LIL_ERR_INPUT, "'%.60s' cannot be %g m large with a thickness of %g m",
                                name, pl->size, 2 * pl->sheet);
    for (int d = 0; d < 3; d++) {
        pl->scale[d] *= by;
        if (!(pl->scale[d] >= 1e-50 && pl->scale[d] <= 1e50))
            return lil_world_refuse(w, "size", LIL_ERR_INPUT, "'%.60s' is %g m large and cannot be scaled to %g m",
                                    name, largest, pl->size);
    }
    return LIL_OK;
}

/* x = R (y - c) + c + at */
static void rotate_about_centre(lil_placement *pl, const points *p)
{
    const lil_placement turned = { .R = { pl->R[0], pl->R[1], pl->R[2], pl->R[3], pl->R[4], pl->R[5], pl->R[6],
                                          pl->R[7], pl->R[8] } };
    double least[3], most[3], c[3], Rc[3];
    box_of(pl, p, false, least, most);
    for (int d = 0; d < 3; d++)
        c[d] = (least[d] + most[d]) / 2;
    lil_placement_apply(&turned, c, Rc);
    for (int d = 0; d < 3; d++)
        pl->at[d] += c[d] - Rc[d];
}

static void move_to_base(lil_placement *pl, const points *p)
{
    double least[3], most[3], at[3];
    int up = pl->base == LIL_BASE_LOWEST_Y ? 1 : pl->base == LIL_BASE_LOWEST_Z ? 2 : -1;
    memcpy(at, pl->at, sizeof at);
    memset(pl->at, 0, sizeof pl->at);
    box_of(pl, p, true, least, most);
    for (int d = 0; d < 3; d++) /* so that the lowest point is at its height without round-off */
        pl->at[d] = d == up ? at[d] + pl->radius + pl->sheet - least[d] : at[d] - (least[d] + most[d]) / 2;
}

lil_status lil_world_settle(lil_world *w, const char *name, lil_placement *pl, const lil_mesh *mesh,
                            const lil_surface *surface)
{
    const points p = points_of(mesh, surface);
    if (pl->size > 0)
        LIL_TRY(scale_to_size(w, name, pl, &p));
    if (pl->base != LIL_BASE_ORIGIN)
        move_to_base(pl, &p);
    else if (pl->about_centre)
        rotate_about_centre(pl, &p);
    pl->size = 0;
    pl->about_centre = false;
    pl->base = LIL_BASE_ORIGIN;
    return LIL_OK;
}

/* ---- all vertices ---- */

void lil_body_place(const lil_body *body, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++, x += 3) {
        double own[3] = { body->file_scale[0] * x[0], body->file_scale[1] * x[1], body->file_scale[2] * x[2] };
        lil_placement_apply(&body->placement, own, x);
    }
}

lil_status lil_world_place(lil_world *w, lil_body *body)
{
    lil_mesh *mesh = &body->mesh;
    const lil_placement *pl = &body->placement;
    LIL_TRY(lil_world_settle(w, body->name, &body->placement, mesh, NULL));
    if (!(body->file_scale[0] > 0))
        memcpy(body->file_scale, pl->scale, sizeof body->file_scale);
    body->file_vertices = mesh->vertex_count;
    LIL_ALLOC(w->ctx, &w->arena, body->own, 3 * (size_t)mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; i++) {
        double *own = body->own + 3 * i, *x = mesh->x + 3 * i;
        for (int d = 0; d < 3; d++)
            own[d] = pl->scale[d] * x[d];
        lil_placement_apply(pl, own, x);
    }
    return LIL_OK;
}

/* ---- from a def ---- */

lil_status lil_world_take_placement(lil_world *w, const char *name, const lil_placing *by, lil_placement *pl)
{
    for (int d = 0; d < 3; d++) {
        if (!(by->scale[d] >= 1e-50 && by->scale[d] <= 1e50))
            return lil_fail(w->ctx, LIL_ERR_INPUT, "'scale' must be between 1e-50 and 1e50, not %g", by->scale[d]);
        if (!(fabs(by->rotate[d]) <= 1e6) || !isfinite(by->at[d]))
            return lil_fail(w->ctx, LIL_ERR_INPUT, "'%.60s' is placed at [%g, %g, %g], rotated by [%g, %g, %g]", name,
                            by->at[0], by->at[1], by->at[2], by->rotate[0], by->rotate[1], by->rotate[2]);
    }
    if (!(by->size >= 0 && by->size <= LIL_SIZE_MAX))
        return lil_fail(w->ctx, LIL_ERR_INPUT, "'size' must be positive and at most %g m, not %g", LIL_SIZE_MAX,
                        by->size);
    if (by->base < LIL_BASE_ORIGIN || by->base > LIL_BASE_LOWEST_Z)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there is no base %d", (int)by->base);
    *pl = (lil_placement){ .size = by->size, .about_centre = by->about_centre, .base = by->base };
    memcpy(pl->scale, by->scale, sizeof pl->scale);
    memcpy(pl->at, by->at, sizeof pl->at);
    lil_rotation_of(by->rotate, pl->R);
    return LIL_OK;
}
