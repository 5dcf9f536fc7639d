/* The scale of the momenta of bodies. */
#include "mesh/mesh.h"
#include "record/file/motion.h"
#include "record/plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH_NUMBERS = 1 << 16 };

static void add_vertex(double m, const double *x, double sum[4])
{
    for (int d = 0; d < 3; d++)
        sum[d] += m * x[d];
    sum[3] += m;
}

/* The bodies' masses, a quarter of each linear tet's at each of its corners, with the motion of the first frame. */
static void add_body(const lil_recorded_body *body, const double *q, double sum[4])
{
    const double *x = q + 3 * (size_t)body->first;
    for (int i = 0; i < body->tet_count; i++) {
        const int *v = body->tets[i];
        int nodes[LIL_QUADRATIC_NODES];
        double m = body->material.density / 4 * fabs(lil_tet_volume(body->rest, v)), share[LIL_QUADRATIC_NODES];
        for (int k = 0; !body->mids && k < 4; k++)
            add_vertex(m, x + 3 * (size_t)v[k], sum);
        if (!body->mids)
            continue;
        lil_quadratic_nodes(v, body->mids[i], nodes);
        lil_quadratic_lump(body->rest, nodes, share);
        for (int k = 0; k < LIL_QUADRATIC_NODES; k++)
            add_vertex(body->material.density * share[k], x + 3 * (size_t)nodes[k], sum);
    }
}

static void add_particles(const lil_recorded_particles *p, const double *q, double sum[4])
{
    for (int i = 0; i < p->count; i++) {
        for (int d = 0; d < 3; d++)
            sum[d] += p->mass[i] * q[3 * (p->first + i) + d];
        sum[3] += p->mass[i];
    }
}

static lil_status find_centre(lil_trajectory *run, double *q, double centre[3])
{
    lil_motion motion;
    double sum[4] = { 0 };
    LIL_TRY(lil_track_read(run, &run->tracks[1], 0, 1, q));
    LIL_TRY(lil_motion_open(run, &motion));
    for (int i = 0; i < motion.body_count; i++)
        add_body(&motion.bodies[i], q, sum);
    for (int i = 0; i < motion.particles_count; i++)
        add_particles(&motion.particles[i], q, sum);
    lil_motion_close(&motion);
    for (int d = 0; d < 3; d++)
        centre[d] = sum[3] > 0 ? sum[d] / sum[3] : 0;
    return LIL_OK;
}

static void momenta_size(const double *q, const double *p, int points, const double c[3], double *p_size,
                         double *l_size)
{
    double p_sum = 0, l_sum = 0;
    for (int i = 0; i < points; i++, q += 3, p += 3) {
        double pp = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), x = q[0] - c[0], y = q[1] - c[1], z = q[2] - c[2];
        p_sum += pp;
        l_sum += pp * sqrt(x * x + y * y + z * z);
    }
    *p_size = fmax(*p_size, p_sum);
    *l_size = fmax(*l_size, l_sum);
}

lil_status lil_plot_momenta_sizes(lil_figure *f, lil_trajectory *run, double *p_size, double *l_size)
{
    int n = run->n;
    int64_t batch = n < BATCH_NUMBERS ? BATCH_NUMBERS / n : 1;
    double *q = malloc(2 * (size_t)batch * (size_t)n * sizeof *q), *p = q + batch * n, centre[3];
    lil_status status = q ? find_centre(run, q, centre) : lil_fail_memory(f->ctx);
    *p_size = *l_size = 0;
    for (int64_t from = 0; status == LIL_OK && from < run->frames; from += batch) {
        int64_t count = run->frames - from < batch ? run->frames - from : batch;
        status = lil_track_read(run, &run->tracks[1], from, count, q);
        if (status == LIL_OK)
            status = lil_track_read(run, &run->tracks[3], from, count, p);
        for (int64_t i = 0; status == LIL_OK && i < count; i++)
            momenta_size(q + i * n, p + i * n, n / 3, centre, p_size, l_size);
    }
    free(q);
    return status;
}
