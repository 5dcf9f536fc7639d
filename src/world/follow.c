/* Sampled animation: which of its points moves which vertex of a body, or of the mesh of an obstacle. */
#include "world/contact.h"
#include "world/def.h"
#include "world/follow_fit.h"

#include <math.h>
#include <string.h>

/* ---- which points ---- */

/* What the points of samples are, of a body. */
typedef enum kind { VERTICES, BOUNDARY, SURFACE, NOTHING } kind;

static int boundary_of(const lil_body *body, bool *on)
{
    int count = 0;
    for (int i = 0; i < 3 * body->mesh.face_count; i++)
        on[body->mesh.faces[i / 3][i % 3]] = true;
    for (int v = 0; v < body->mesh.vertex_count; v++)
        count += on[v];
    return count;
}

static lil_status refuse_count(lil_world *w, const lil_body *body, const lil_samples *s, int boundary)
{
    if (body->surface.vertex_count)
        return lil_world_refuse(w, "follow", LIL_ERR_INPUT,
                                "%.200s: has %d points, but the surface of '%.60s' has %d vertices and its tets %d",
                                s->name, s->points, body->name, body->surface.vertex_count, body->file_vertices);
    if (body->particles)
        return lil_world_refuse(w, "follow", LIL_ERR_INPUT, "%.200s: has %d points, but '%.60s' has %d particles",
                                s->name, s->points, body->name, body->file_vertices);
    return lil_world_refuse(w, "follow", LIL_ERR_INPUT,
                            "%.200s: has %d points, but '%.60s' has %d vertices, %d of them on its boundary", s->name,
                            s->points, body->name, body->file_vertices, boundary);
}

/* The point of each vertex, -1: none. */
static lil_status find_points(lil_world *w, const lil_body *body, const lil_samples *s, kind *is, int *point)
{
    int n = body->mesh.vertex_count, at = 0;
    bool *on;
    LIL_ALLOC(w->ctx, &w->arena, on, n);
    int boundary = boundary_of(body, on);
    *is = body->surface.vertex_count && s->points == body->surface.vertex_count ? SURFACE
          : s->points == body->file_vertices                                    ? VERTICES
          : !body->particles && s->points == boundary                           ? BOUNDARY
                                                                                : NOTHING;
    for (int v = 0; v < n; v++)
        point[v] = *is == VERTICES && v < s->points ? v : *is == BOUNDARY && on[v] ? at++ : -1;
    return *is == NOTHING ? refuse_count(w, body, s, boundary) : LIL_OK;
}

/* ---- the vertices that have no point of their own ---- */

/* Samples of `count` vertices of a body, from those of other points of it. */
static lil_status fit(lil_world *w, lil_arena *scratch, const lil_body *body, const int *point, const int *vertices,
                      int count, const lil_samples *from, lil_samples *to)
{
    lil_follow_fit f;
    double *x;
    LIL_TRY(lil_follow_fit_create(w->ctx, scratch, body, point, from->name, &f));
    LIL_ALLOC(w->ctx, scratch, x, 3 * (size_t)body->mesh.vertex_count);
    LIL_TRY(lil_samples_create(w->ctx, &w->arena, from->name, count, from->count, to));
    memcpy(to->t, from->t, (size_t)from->count * sizeof *to->t);
    to->loop = from->loop;
    to->rounded = from->rounded;
    for (int i = 0; i < from->count; i++) {
        lil_follow_fit_at(&f, from->x + 3 * (size_t)from->points * (size_t)i, x);
        for (int k = 0; k < count; k++)
            memcpy(to->x + 3 * ((size_t)count * (size_t)i + (size_t)k), x + 3 * (size_t)vertices[k], 3 * sizeof *x);
    }
    return LIL_OK;
}

static lil_status fit_all(lil_world *w, const lil_body *body, const int *point, const int *vertices, int count,
                          lil_samples *samples)
{
    lil_arena scratch = { 0 };
    lil_samples fitted;
    lil_status status = fit(w, &scratch, body, point, vertices, count, samples, &fitted);
    lil_arena_free(&scratch);
    if (status == LIL_OK)
        *samples = fitted;
    return status;
}

/* ---- what is odd ---- */

/* Where the samples have vertex v of the body; NULL: nowhere. */
static const double *sampled(const lil_samples *s, const int *at, int sample, int v)
{
    return at[v] < 0 ? NULL : s->x + 3 * ((size_t)s->points * (size_t)sample + (size_t)at[v]);
}

/* Tets all of whose vertices follow can get a negative volume, whatever the forces. */
static void warn_of_inverted(lil_world *w, const lil_body *body, const lil_samples *s, const int *at)
{
    int inverted = 0, first = 0;
    for (int e = 0; e < lil_mesh_parts(&body->mesh); e++) {
        int room[4];
        const int *tet = lil_mesh_part(&body->mesh, e, room);
        bool found = false;
        for (int i = 0; i < s->count && !found; i++) {
            static const int own[4] = { 0, 1, 2, 3 };
            double x[12];
            bool all = true;
            for (int k = 0; k < 4 && all; k++) {
                const double *y = sampled(s, at, i, tet[k]);
                all = y != NULL;
                if (all)
                    memcpy(x + 3 * k, y, 3 * sizeof *y);
            }
            if (!all)
                break;
            found = !(lil_tet_volume(x, own) > 0);
            first = found && (!inverted || i < first) ? i : first;
        }
        inverted += found;
    }
    if (inverted)
        lil_warn(w->ctx, "%.200s: inverts %d of the tets of '%.60s' that it moves, the first at %.6g s", s->name,
                 inverted, body->name, s->t[first]);
}

/* Files have floats or six decimals. Where the first sample is the body at rest up to their rounding, all samples of a point
 * are shifted by that, so that nothing jumps at the start: a link of hair would be too long by it. */
static void begin_at_rest(const lil_body *body, lil_samples *s, const int *vertices, int count, const int *at)
{
    const double ROUND = 1e-5; /* of the largest coordinate: six decimals of a size of 0.1 m */
    double most = 0, off = s->rounded ? 0 : INFINITY;
    for (int k = 0; k < 3 * count; k++) {
        double x = body->mesh.x[3 * (size_t)vertices[k / 3] + (size_t)(k % 3)];
        most = fmax(most, fabs(x));
        off = fmax(off, fabs(sampled(s, at, 0, vertices[k / 3])[k % 3] - x));
    }
    for (int k = 0; k < 3 * count && off <= ROUND * most; k++) {
        double *x = s->x + 3 * (size_t)at[vertices[k / 3]] + k % 3,
               by = body->mesh.x[3 * (size_t)vertices[k / 3] + (size_t)(k % 3)] - *x;
        for (int i = 1; i < s->count; i++)
            x[3 * (size_t)s->points * (size_t)i] += by;
        *x += by;
    }
}

/* A wrong axis or scale shows at the first sample. */
static void warn_of_jump(lil_world *w, const lil_body *body, const lil_samples *s, const int *vertices, int count,
                         const int *at)
{
    const double FAR = 0.05; /* of the body */
    double least[3], most[3], size = lil_box_around(body->mesh.x, body->mesh.vertex_count, least, most), jump = 0;
    for (int k = 0; k < count; k++) {
        const double *y = sampled(s, at, 0, vertices[k]), *x = body->mesh.x + 3 * (size_t)vertices[k];
        jump = fmax(jump, sqrt((y[0] - x[0]) * (y[0] - x[0]) + (y[1] - x[1]) * (y[1] - x[1]) +
                               (y[2] - x[2]) * (y[2] - x[2])));
    }
    if (jump > FAR * size)
        lil_warn(w->ctx,
                 "%.200s: begins with vertices of '%.60s' up to %.3g m from where they are at rest, and stretches "
                 "it: do its "
                 "axes and its scale agree with the body's?",
                 s->name, body->name, jump);
}

/* ---- bodies ---- */

lil_status lil_world_follow(lil_world *w, int index, const int *vertices, int count, lil_samples *samples,
                            lil_script *script)
{
    LIL_TRY(lil_world_check_vertices(w, index, vertices, count));
    const lil_body *body = &w->list[index];
    int *point, *own;
    kind is;
    bool whole = true;
    if (body->strands)
        return lil_world_refuse(
            w, "follow", LIL_ERR_INPUT,
            "strands cannot follow an animation: let the body follow it out of which '%.60s' grows", body->name);
    LIL_ALLOC(w->ctx, &w->arena, point, body->mesh.vertex_count);
    LIL_ALLOC(w->ctx, &w->arena, own, count);
    LIL_TRY(find_points(w, body, samples, &is, point));
    lil_body_place(body, samples->x, (size_t)samples->points * (size_t)samples->count);
    for (int k = 0; k < count; k++)
        whole = whole && point[vertices[k]] >= 0;
    if (!whole) {
        LIL_TRY(fit_all(w, body, is == SURFACE ? NULL : point, vertices, count, samples));
        for (int v = 0; v < body->mesh.vertex_count; v++)
            point[v] = -1;
        for (int k = 0; k < count; k++)
            point[vertices[k]] = k;
    }
    begin_at_rest(body, samples, vertices, count, point);
    LIL_TRY(lil_samples_join(w->ctx, &w->arena, samples));
    for (int k = 0; k < count; k++)
        own[k] = point[vertices[k]];
    bool *chosen;
    LIL_ALLOC(w->ctx, &w->arena, chosen, body->mesh.vertex_count);
    for (int k = 0; k < count; k++)
        chosen[vertices[k]] = true;
    for (int v = 0; v < body->mesh.vertex_count; v++)
        point[v] = chosen[v] ? point[v] : -1;
    warn_of_inverted(w, body, samples, point);
    warn_of_jump(w, body, samples, vertices, count, point);
    script->samples = samples;
    script->points = own;
    return LIL_OK;
}

lil_status lil_world_carry_samples(lil_world *w, const lil_samples *from, const int (*points)[4],
                                   double (*weights)[3], int count, const lil_samples **out)
{
    lil_samples *to;
    LIL_ALLOC(w->ctx, &w->arena, to, 1);
    LIL_TRY(lil_samples_create(w->ctx, &w->arena, from->name, count, from->count, to));
    memcpy(to->t, from->t, (size_t)from->count * sizeof *to->t);
    to->loop = from->loop;
    for (int i = 0; i < from->count; i++)
        for (int k = 0; k < count; k++)
            lil_embedded_place(points[k], weights[k], from->x + 3 * (size_t)from->points * (size_t)i,
                               to->x + 3 * ((size_t)count * (size_t)i + (size_t)k));
    *out = to;
    return lil_samples_join(w->ctx, &w->arena, to);
}

/* ---- obstacles ---- */

lil_status lil_world_deform(lil_world *w, const struct lil_world_obstacle *o, int vertices, lil_samples *samples)
{
    const lil_placement *pl = &o->placement;
    if (samples->points != vertices)
        return lil_world_refuse(w, "follow", LIL_ERR_INPUT,
                                "%.200s: has %d points, but the mesh of '%.60s' has %d vertices", samples->name,
                                samples->points, o->name, vertices);
    for (size_t i = 0; i < (size_t)samples->points * (size_t)samples->count; i++) {
        double *x = samples->x + 3 * i;
        for (int d = 0; d < 3; d++)
            x[d] *= pl->scale[d];
        lil_placement_apply(pl, x, x);
    }
    return lil_samples_join(w->ctx, &w->arena, samples);
}

/* ---- from defs ---- */

lil_samples_def lil_samples_def_default(void)
{
    return (lil_samples_def){ .size = sizeof(lil_samples_def) };
}

lil_status lil_world_take_samples(lil_world *w, const char *owner, const lil_samples_def *def, lil_samples **out)
{
    LIL_WORLD_NEED(w, def->times, "samples->times");
    LIL_WORLD_NEED(w, def->x, "samples->x");
    if (def->size != sizeof *def)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT,
                        "the samples of '%.60s' were not initialised by lil_samples_def_default", owner);
    if (def->count < 1 || def->points < 1)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT,
                        "the samples of '%.60s' are %d of %d points: they need at least 1 of 1", owner, def->count,
                        def->points);
    size_t row = 3 * (size_t)def->points;
    LIL_ALLOC(w->ctx, &w->arena, *out, 1);
    LIL_TRY(lil_samples_create(w->ctx, &w->arena, def->name ? def->name : "samples", def->points, def->count, *out));
    memcpy((*out)->t, def->times, (size_t)def->count * sizeof *def->times);
    memcpy((*out)->x, def->x, row * (size_t)def->count * sizeof *def->x);
    LIL_TRY(lil_samples_check_times(w->ctx, *out));
    for (int i = 0; i < def->count; i++)
        LIL_TRY(lil_check_numbers(w->ctx, (*out)->name, "x", (*out)->x + row * (size_t)i, (int)row));
    if (def->loop)
        lil_samples_close(*out);
    return LIL_OK;
}
