/*
 * Stress and strain on a page, which it shows as colours: a byte each for every place of every frame. Of a vertex they
 * are the means over its tets, weighed by the volumes at rest; a quadratic tet has its own at each of its nodes.
 */
#include "record/page/report.h"

#include "math/matrix3.h"
#include "math/svd3.h"
#include "record/file/tet_stress.h"

#include <math.h>
#include <string.h>

enum { SHADES = 2, WORK = 20000000 }; /* tets of all frames, at most */

typedef struct shades {
    lil_report_run *run;
    lil_arena arena;
    lil_tet_stress *tets; /* of each body */
    double *volume;       /* of each vertex, at rest */
    double *q, *mean;     /* mean: stress, strain and nothing, of each vertex */
    double *placed;       /* the same of places */
    float *values;        /* of all frames: stresses, then strains */
    double most[SHADES];
} shades;

/* Von Mises' of Cauchy's stress, and the largest |s - 1| of the principal stretches s. Inverted tets, and others
 * without a stress, have none. */
static void measure(const double F[9], const double cauchy[6], double *stress, double *strain)
{
    double U[9], V[9], s[3], J = lil_determinant3(F), mises = lil_von_mises(cauchy);
    *stress = isfinite(mises) && J > 0 ? mises : 0;
    *strain = 0;
    if (!isfinite(J))
        return;
    lil_svd3(F, U, s, V);
    for (int k = 0; k < 3; k++)
        *strain = fmax(*strain, fabs(s[k] - 1));
}

static void add_body(const shades *h, int b)
{
    const lil_recorded_body *body = &h->run->motion.bodies[b];
    const double *x = h->q + 3 * (size_t)body->first;
    for (int e = 0; e < body->tet_count; e++) {
        double volume = fabs(lil_tet_volume(body->rest, body->tets[e])), stress = 0, strain = 0;
        for (int k = 0; k < (body->mids ? LIL_QUADRATIC_NODES : 4); k++) {
            int vertex = k < 4 ? body->tets[e][k] : body->mids[e][k - 4];
            double F[9], cauchy[6], *to = h->mean + 3 * ((size_t)body->first + (size_t)vertex);
            if (k == 0 || body->mids) { /* in a linear tet it is the same everywhere */
                lil_tet_stress_at(&h->tets[b], x, e, k, F, cauchy);
                measure(F, cauchy, &stress, &strain);
            }
            to[0] += volume * stress;
            to[1] += volume * strain;
            to[2] += volume;
        }
    }
}

static lil_status measure_frame(shades *h, int64_t k)
{
    lil_report_run *run = h->run;
    lil_motion *m = &run->motion;
    memset(h->mean, 0, (size_t)m->trajectory->n * sizeof *h->mean);
    LIL_TRY(lil_motion_at(m, m->t[lil_report_frame_of(run, k)], h->q, NULL));
    for (int b = 0; b < m->body_count; b++)
        add_body(h, b);
    for (int v = 0; v < m->trajectory->n / 3; v++)
        for (int i = 0; i < SHADES; i++)
            h->mean[3 * v + i] /= h->mean[3 * v + 2] > 0 ? h->mean[3 * v + 2] : 1;
    lil_report_force(run, h->mean, h->placed);
    for (int i = 0; i < SHADES; i++)
        for (int v = 0; v < run->vertex_count; v++) {
            double y = fmax(h->placed[3 * (size_t)v + i], 0); /* extrapolated ones may be below */
            h->values[((size_t)i * (size_t)run->kept + (size_t)k) * (size_t)run->vertex_count + (size_t)v] = (float)y;
            h->most[i] = fmax(h->most[i], y);
        }
    return LIL_OK;
}

static lil_status prepare(shades *h)
{
    lil_motion *m = &h->run->motion;
    lil_context *ctx = m->trajectory->ctx;
    size_t places = (size_t)h->run->vertex_count + (size_t)h->run->point_count;
    LIL_ALLOC(ctx, &h->arena, h->tets, m->body_count);
    LIL_ALLOC_ALL(ctx, &h->arena, double, m->trajectory->n, &h->q, &h->mean);
    LIL_ALLOC(ctx, &h->arena, h->placed, 3 * places);
    LIL_ALLOC(ctx, &h->arena, h->values, SHADES * (size_t)h->run->kept * (size_t)h->run->vertex_count);
    for (int b = 0; b < m->body_count; b++)
        LIL_TRY(lil_tet_stress_create(ctx, &h->arena, &m->bodies[b], &h->tets[b]));
    return LIL_OK;
}

/* The square root, so that small ones differ too. */
static void put(lil_page *page, const shades *h, int i)
{
    static const char *const names[SHADES] = { "stress", "strain" };
    size_t count = (size_t)h->run->kept * (size_t)h->run->vertex_count;
    lil_text_add(&page->header, "%s\"%s\":{\"most\":", i ? "," : "", names[i]);
    lil_text_json_number(&page->header, h->most[i]);
    lil_text_add(&page->header, ",\"block\":%d}", lil_page_begin(page));
    for (size_t k = 0; k < count; k++)
        lil_page_u8(page,
                    h->most[i] > 0 ? (unsigned)lrint(255 * sqrt(h->values[(size_t)i * count + k] / h->most[i])) : 0);
    lil_page_end(page);
}

static lil_status write_shades(lil_page *page, shades *h)
{
    LIL_TRY(prepare(h));
    for (int64_t k = 0; k < h->run->kept; k++)
        LIL_TRY(measure_frame(h, k));
    if (!(isfinite(h->most[0]) && isfinite(h->most[1])))
        return LIL_OK;
    lil_text_add(&page->header, "\"shades\":{");
    for (int i = 0; i < SHADES; i++)
        put(page, h, i);
    lil_text_add(&page->header, "},");
    return LIL_OK;
}

double lil_report_shade_bytes(const lil_report_run *run)
{
    double tets = 0;
    for (int b = 0; b < run->motion.body_count; b++)
        tets += (run->motion.bodies[b].mids ? (double)LIL_QUADRATIC_NODES : 1) * run->motion.bodies[b].tet_count;
    return tets > 0 && tets * (double)run->kept <= WORK
               ? 4. / 3 * SHADES * (double)run->vertex_count * (double)run->kept
               : 0;
}

lil_status lil_report_shades(lil_page *page, lil_report_run *run)
{
    shades h = { .run = run };
    lil_status status = run->shades ? write_shades(page, &h) : LIL_OK;
    lil_arena_free(&h.arena);
    return status;
}
