/* How far the points may go along a way without anything touching: conservative advancement of all candidates. */
#include "terms/barrier_work.h"

#include "core/threads.h"
#include "math/matrix3.h"

#include <math.h>

typedef struct job {
    const lil_barriers *d;
    const lil_barrier_work *w;
    double keep; /* of a gap, along a way */
} job;

static void reach_piece(void *data, int piece)
{
    job *j = data;
    const lil_barrier_work *w = j->w;
    double least = 1;
    for (int i = LIL_BARRIER_PIECE * piece; i < LIL_BARRIER_PIECE * (piece + 1) && i < w->count; i++) {
        const lil_neighbours_pair *pair = &w->candidates[i];
        double x[12], dx[12], radius = lil_barrier_radius(j->d, pair), from = w->from[i] - radius;
        double before = lil_barrier_approach(&w->motion[0], pair), after = lil_barrier_approach(&w->motion[1], pair);
        /* the gap all the way, how large it is now, and more than round-off */
        if (from - fmax(before, after) > j->keep * (from + before) + 1e-6 * w->reach)
            continue;
        lil_barrier_gather(pair->at, w->y0, x);
        lil_barrier_gather(pair->at, w->y1, dx);
        for (int k = 0; k < 12; k++)
            dx[k] -= x[k];
        least = fmin(least, lil_pair_reach(pair->kind, x, dx, radius, j->keep, least));
    }
    w->least[piece] = least;
}

static double until_planes(const lil_barriers *d, lil_barrier_work *w, double keep, double least)
{
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        double at[6];
        lil_barrier_moved(d, w, plane->part, w->t, at);
        for (int k = 0; k < d->touching_count; k++) {
            double radius = d->parts[plane->part].radius + d->parts[d->touching_part[k]].radius;
            double gap0 = lil_barrier_gap(plane, at, w->y0 + 3 * d->touching[k]) - radius,
                   gap1 = lil_barrier_gap(plane, at, w->y1 + 3 * d->touching[k]) - radius;
            if (!(gap1 > keep * gap0))
                least = fmin(least, (1 - keep) * gap0 / (gap0 - gap1));
        }
    }
    return least;
}

/* How far the line search of a step may look: its first way is where it begins, and no later one is much longer. */
static double shorten(const lil_barriers *d, lil_barrier_work *w, const double *dq)
{
    double most = 0;
    for (int k = 0; k < 3 * d->vertex_count; k++)
        most = fmax(most, fabs(dq[k]));
    if (w->most == 0)
        w->most = 2 * most + 4 * w->reach;
    return most > w->most ? w->most / most : 1;
}

/* How far along dq every gap keeps this share of itself. Obstacles stay where they are at the end of the step. */
static double reach(const lil_barriers *d, lil_barrier_work *w, const double *q, const double *dq, double keep)
{
    job j = { .d = d, .w = w, .keep = keep };
    double least = 1;
    lil_barrier_place(d, w, w->t, q, w->y0);
    memcpy(w->y1, w->y0, 3 * (size_t)d->point_count * sizeof *q);
    for (int k = 0; k < 3 * d->vertex_count; k++)
        w->y1[k] += dq[k];
    w->found = false;
    if (!lil_barrier_update(d, w))
        return 0;
    lil_barrier_set_motion(d, w, w->y0, &w->motion[0]);
    lil_barrier_set_motion(d, w, w->y1, &w->motion[1]);
    lil_parallel(d->threads, lil_barrier_pieces(w->count), reach_piece, &j);
    for (int i = 0; i < lil_barrier_pieces(w->count); i++)
        least = fmin(least, w->least[i]);
    return fmax(until_planes(d, w, keep, least), 0);
}

double lil_barrier_longest(const void *data, void *work, const double *q, const double *dq)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    double part = shorten(d, w, dq);
    for (int k = 0; k < 3 * d->vertex_count; k++)
        w->way[k] = part * dq[k];
    return part * reach(d, w, q, w->way, 0.1);
}

bool lil_barrier_is_open(const void *data, void *work, const double *q, const double *dq)
{
    return reach(data, work, q, dq, 0) == 1;
}
