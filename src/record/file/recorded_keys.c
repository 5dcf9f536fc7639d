#include "record/file/recorded_keys.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

void lil_recorded_close(lil_recorded *run)
{
    lil_motion_close(&run->motion);
    lil_trajectory_destroy(&run->trajectory);
}

/* The squares of the lengths of a tet's edges say its shape, wherever it is. */
static bool same_tet(const double *x, const int *a, const double *y, const int *b)
{
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double r[3], s[3];
            for (int d = 0; d < 3; d++) {
                r[d] = x[3 * a[i] + d] - x[3 * a[j] + d];
                s[d] = y[3 * b[i] + d] - y[3 * b[j] + d];
            }
            if (!(fabs(lil_norm(3, r) - lil_norm(3, s)) <= 1e-6 * lil_norm(3, r)))
                return false;
        }
    return true;
}

static bool same_body(const lil_body *body, const lil_recorded_body *other)
{
    const lil_mesh *mesh = &body->mesh;
    bool same = strcmp(body->name, other->name) == 0 && body->first == other->first &&
                mesh->vertex_count == other->vertex_count && mesh->tet_count == other->tet_count &&
                !mesh->mids == !other->mids;
    for (int e = 0; same && e < mesh->tet_count; e++)
        same = memcmp(mesh->tets[e], other->tets[e], sizeof mesh->tets[e]) == 0 &&
               (!mesh->mids || memcmp(mesh->mids[e], other->mids[e], sizeof mesh->mids[e]) == 0) &&
               same_tet(mesh->x, mesh->tets[e], other->rest, other->tets[e]);
    return same;
}

static lil_status check_bodies(lil_context *ctx, const char *path, const lil_world *world, const lil_motion *motion)
{
    for (int b = 0; world && b < world->count; b++) {
        const lil_body *body = &world->list[b];
        bool found = body->particles;
        for (int i = 0; i < motion->body_count && !found; i++)
            found = same_body(body, &motion->bodies[i]);
        if (!found)
            return lil_fail(ctx, LIL_ERR_INPUT,
                            "%.200s: has no body '%.60s' with the same tets: it is a run of another scene", path,
                            body->name);
    }
    return LIL_OK;
}

static lil_status check(lil_context *ctx, const char *path, int n, const lil_world *world, const lil_recorded *run)
{
    if (run->trajectory->n != n)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "%.200s: has %d coordinates, but there are %d here: it is a run of another scene", path,
                        run->trajectory->n, n);
    if (!run->trajectory->frames)
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: has no frames", path);
    return check_bodies(ctx, path, world, &run->motion);
}

lil_status lil_recorded_open(lil_context *ctx, const char *path, int n, const lil_world *world, lil_recorded *run)
{
    *run = (lil_recorded){ 0 };
    LIL_TRY(lil_trajectory_open(ctx, path, &run->trajectory));
    lil_status status = lil_motion_open(run->trajectory, &run->motion);
    if (status != LIL_OK) {
        lil_trajectory_destroy(&run->trajectory);
        return status;
    }
    status = check(ctx, path, n, world, run);
    if (status != LIL_OK) {
        lil_recorded_close(run);
        return status;
    }
    run->first = run->motion.t[0];
    run->last = run->motion.t[run->trajectory->frames - 1];
    return LIL_OK;
}

lil_status lil_recorded_at(lil_recorded *run, double t, double *q, double *v)
{
    return lil_motion_at(&run->motion, fmin(fmax(t, run->first), run->last), q, v);
}

lil_status lil_recorded_weights(const lil_recorded *run, lil_arena *arena, const lil_body *body, double t,
                                const double **weights)
{
    const lil_motion *motion = &run->motion;
    for (int i = 0; i < motion->body_count; i++) {
        const lil_recorded_body *other = &motion->bodies[i];
        if (strcmp(other->name, body->name) != 0 || !other->surface.key_count ||
            other->surface.vertex_count != body->surface.vertex_count)
            continue;
        double *w;
        LIL_ALLOC(run->trajectory->ctx, arena, w, 3 * (size_t)body->surface.vertex_count);
        for (int j = 0; j < body->surface.vertex_count; j++)
            lil_motion_weights(other, j, t, w + 3 * j);
        *weights = w;
    }
    return LIL_OK;
}
