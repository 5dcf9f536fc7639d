/* How far points have come: a bound on how near two features can be, without looking at them. */
#include "terms/barrier_work.h"

#include <math.h>

lil_status lil_barrier_list_surface(lil_context *ctx, const lil_barriers *d, lil_arena *arena, lil_barrier_work *w)
{
    const lil_shell *s = &d->shell;
    int *part = LIL_NEW(arena, int, d->point_count);
    w->surface = LIL_NEW(arena, int, d->point_count);
    w->surface_part = LIL_NEW(arena, int, d->point_count);
    lil_barrier_motion *motions[] = { &w->motion[0], &w->motion[1], &w->along };
    for (int i = 0; i < 3; i++) {
        motions[i]->own = LIL_NEW(arena, double, d->point_count);
        motions[i]->shift = LIL_NEW(arena, double, 3 * (size_t)s->part_count);
        if (!motions[i]->own || !motions[i]->shift)
            return lil_fail_memory(ctx);
    }
    w->furthest = LIL_NEW(arena, double, d->point_count);
    w->own_far = LIL_NEW(arena, double, d->point_count);
    w->part_points = LIL_NEW(arena, int, s->part_count);
    if (!part || !w->surface || !w->surface_part || !w->part_points || !w->furthest || !w->own_far)
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

void lil_barrier_set_motion(const lil_barriers *d, const lil_barrier_work *w, const double *from, const double *to,
                            lil_barrier_motion *m)
{
    memset(m->shift, 0, 3 * (size_t)d->shell.part_count * sizeof *m->shift);
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = w->surface_part[i];
        for (int k = 0; k < 3; k++)
            m->shift[3 * part + k] += to[at + k] - from[at + k];
    }
    for (int i = 0; i < 3 * d->shell.part_count; i++)
        m->shift[i] /= w->part_points[i / 3] > 0 ? w->part_points[i / 3] : 1;
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = w->surface_part[i];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double own = to[at + k] - from[at + k] - m->shift[3 * part + k];
            square += own * own;
        }
        m->own[w->surface[i]] = sqrt(square);
    }
}
