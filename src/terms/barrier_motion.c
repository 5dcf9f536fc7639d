/* How far points have come since the candidates were made: a bound on how near two features can be, without looking at them. */
#include "terms/barrier_work.h"

#include "math/matrix3.h"

#include <math.h>

lil_status lil_barrier_list_surface(lil_context *ctx, const lil_barriers *d, lil_arena *arena, lil_barrier_work *w)
{
    const lil_shell *s = &d->shell;
    int *part = LIL_NEW(arena, int, d->point_count);
    w->surface = LIL_NEW(arena, int, d->point_count);
    w->surface_part = LIL_NEW(arena, int, d->point_count);
    for (int end = 0; end < 2; end++) {
        w->motion[end].own = LIL_NEW(arena, double, d->point_count);
        w->motion[end].shift = LIL_NEW(arena, double, 3 * (size_t)s->part_count);
        if (!w->motion[end].own || !w->motion[end].shift)
            return lil_fail_memory(ctx);
    }
    w->part_points = LIL_NEW(arena, int, s->part_count);
    if (!part || !w->surface || !w->surface_part || !w->part_points)
        return lil_fail_memory(ctx);
    for (int i = 0; i < 3 * s->count; i++)
        if (s->corners[i / 3][i % 3] >= 0)
            part[s->corners[i / 3][i % 3]] = s->part[i / 3] + 1;
    for (int i = 0; i < d->point_count; i++) {
        if (part[i] == 0)
            continue;
        w->part_points[part[i] - 1]++;
        w->surface_part[w->surface_count] = part[i] - 1;
        w->surface[w->surface_count++] = i;
    }
    return LIL_OK;
}

void lil_barrier_set_motion(const lil_barriers *d, const lil_barrier_work *w, const double *y, lil_barrier_motion *m)
{
    memset(m->shift, 0, 3 * (size_t)d->shell.part_count * sizeof *m->shift);
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = w->surface_part[i];
        for (int k = 0; k < 3; k++)
            m->shift[3 * part + k] += y[at + k] - w->start[at + k];
    }
    for (int i = 0; i < 3 * d->shell.part_count; i++)
        m->shift[i] /= w->part_points[i / 3] > 0 ? w->part_points[i / 3] : 1;
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = w->surface_part[i];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double own = y[at + k] - w->start[at + k] - m->shift[3 * part + k];
            square += own * own;
        }
        m->own[w->surface[i]] = sqrt(square);
    }
}

/* The furthest of a feature's points bounds all of it; what a part's points share does not change how far it is from itself. */
double lil_barrier_approach(const lil_barrier_motion *m, const lil_neighbours_pair *pair)
{
    double own[2] = { 0 }, square = 0;
    int first = pair->kind == LIL_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < 4; i++) {
        double *most = &own[i >= first], far = m->own[pair->at[i]];
        *most = far > *most ? far : *most;
    }
    if (pair->part[0] == pair->part[1])
        return own[0] + own[1];
    for (int k = 0; k < 3; k++) {
        double shift = m->shift[3 * pair->part[0] + k] - m->shift[3 * pair->part[1] + k];
        square += shift * shift;
    }
    return own[0] + own[1] + sqrt(square);
}
