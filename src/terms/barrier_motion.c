/* How far points have come: a bound on how near two features can be, without looking at them. */
#include "terms/barrier_work.h"

#include "math/matrix3.h"

#include <math.h>

lil_status lil_barrier_list_surface(lil_context *ctx, const lil_barriers *d, lil_arena *arena, lil_barrier_work *w)
{
    const lil_shell *s = &d->shell;
    int *part = LIL_NEW(arena, int, d->point_count);
    w->surface = LIL_NEW(arena, int, d->point_count);
    w->surface_part = LIL_NEW(arena, int, d->point_count);
    lil_barrier_motion *motions[] = { &w->motion[0], &w->motion[1], &w->along };
    for (int i = 0; i < 3; i++) {
        motions[i]->all = LIL_NEW(arena, double, d->point_count);
        motions[i]->own = LIL_NEW(arena, double, d->point_count);
        motions[i]->shift = LIL_NEW(arena, double, 3 * (size_t)s->part_count);
        motions[i]->turn = LIL_NEW(arena, double, 3 * (size_t)s->part_count);
        motions[i]->stretch = LIL_NEW(arena, double, s->part_count);
        if (!motions[i]->all || !motions[i]->own || !motions[i]->shift || !motions[i]->turn || !motions[i]->stretch)
            return lil_fail_memory(ctx);
    }
    w->furthest = LIL_NEW(arena, double, d->point_count);
    w->own_far = LIL_NEW(arena, double, d->point_count);
    w->part_points = LIL_NEW(arena, int, s->part_count);
    w->lead = LIL_NEW(arena, int, s->part_count);
    w->middle = LIL_NEW(arena, double, 3 * (size_t)s->part_count);
    w->inertia = LIL_NEW(arena, double, 9 * (size_t)s->part_count);
    if (!w->middle || !w->inertia || !part || !w->surface || !w->surface_part || !w->part_points || !w->lead ||
        !w->furthest || !w->own_far)
        return lil_fail_memory(ctx);
    for (int i = 0; i < s->part_count; i++)
        while (!lil_barrier_is_own(d, i, w->lead[i]))
            w->lead[i]++;
    for (int i = 0; i < 3 * s->count; i++)
        if (s->corners[i / 3][i % 3] >= 0)
            part[s->corners[i / 3][i % 3]] = w->lead[s->part[i / 3]] + 1;
    for (int i = 0; i < d->point_count; i++) {
        if (part[i] == 0)
            continue;
        w->part_points[part[i] - 1]++;
        w->surface_part[w->surface_count] = part[i] - 1;
        w->surface[w->surface_count++] = i;
    }
    return LIL_OK;
}

/* Where the surface of each part is at the start, and its inertia, every point counting as one. */
static void set_base(const lil_barriers *d, lil_barrier_work *w)
{
    int parts = d->shell.part_count;
    memset(w->middle, 0, 3 * (size_t)parts * sizeof *w->middle);
    memset(w->inertia, 0, 9 * (size_t)parts * sizeof *w->inertia);
    for (int i = 0; i < 3 * w->surface_count; i++)
        w->middle[3 * w->surface_part[i / 3] + i % 3] += w->start[3 * w->surface[i / 3] + i % 3];
    for (int i = 0; i < 3 * parts; i++)
        w->middle[i] /= w->part_points[i / 3] > 0 ? w->part_points[i / 3] : 1;
    for (int i = 0; i < w->surface_count; i++) {
        int part = w->surface_part[i];
        double r[3], *I = w->inertia + 9 * part;
        for (int k = 0; k < 3; k++)
            r[k] = w->start[3 * w->surface[i] + k] - w->middle[3 * part + k];
        for (int e = 0; e < 9; e++)
            I[e] += (e % 4 == 0 ? lil_dot3(r, r) : 0) - r[e / 3] * r[e % 3];
    }
    w->based = true;
}

/* turn = I^-1 sum r x u. Any other would do as well, so none is taken where I is singular, or a turn is not small. */
static void set_turns(const lil_barriers *d, const lil_barrier_work *w, const double *to, lil_barrier_motion *m)
{
    int parts = d->shell.part_count;
    memset(m->turn, 0, 3 * (size_t)parts * sizeof *m->turn);
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = w->surface_part[i];
        double r[3], u[3], moment[3];
        for (int k = 0; k < 3; k++) {
            r[k] = w->start[at + k] - w->middle[3 * part + k];
            u[k] = to[at + k] - w->start[at + k] - m->shift[3 * part + k];
        }
        lil_cross3(r, u, moment);
        for (int k = 0; k < 3; k++)
            m->turn[3 * part + k] += moment[k];
    }
    for (int i = 0; i < parts; i++) {
        const double *I = w->inertia + 9 * i;
        double C[9], turn[3], det = 0, *own = m->turn + 3 * i;
        for (int e = 0; e < 9; e++) {
            int a = (e / 3 + 1) % 3, b = (e / 3 + 2) % 3, c = (e % 3 + 1) % 3, f = (e % 3 + 2) % 3;
            C[e] = I[3 * a + c] * I[3 * b + f] - I[3 * a + f] * I[3 * b + c];
        }
        for (int k = 0; k < 3; k++)
            det += I[k] * C[k];
        for (int k = 0; k < 3; k++)
            turn[k] = lil_dot3(C + 3 * k, own) / det;
        double size = sqrt(lil_dot3(turn, turn));
        for (int k = 0; k < 3; k++)
            own[k] = size < 1 ? turn[k] : 0; /* false where it is not finite */
        m->stretch[i] = size < 1 ? size * size / 2 : 0;
    }
    for (int i = 0; i < parts; i++)
        m->stretch[i] = m->stretch[w->lead[i]];
}

static void set_shifts(const lil_barriers *d, const lil_barrier_work *w, const double *from, const double *to,
                       lil_barrier_motion *m)
{
    memset(m->shift, 0, 3 * (size_t)d->shell.part_count * sizeof *m->shift);
    for (int i = 0; i < 3 * w->surface_count; i++) {
        int at = 3 * w->surface[i / 3] + i % 3;
        m->shift[3 * w->surface_part[i / 3] + i % 3] += to[at] - from[at];
    }
    for (int i = 0; i < 3 * d->shell.part_count; i++)
        m->shift[i] /= w->part_points[i / 3] > 0 ? w->part_points[i / 3] : 1;
    for (int i = 0; i < 3 * d->shell.part_count; i++) /* a lead stands before those that share with it */
        m->shift[i] = m->shift[3 * w->lead[i / 3] + i % 3];
}

void lil_barrier_set_motion(const lil_barriers *d, lil_barrier_work *w, const double *to, lil_barrier_motion *m)
{
    if (!w->based)
        set_base(d, w);
    set_shifts(d, w, w->start, to, m);
    set_turns(d, w, to, m);
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = w->surface_part[i];
        double r[3], u[3], turned[3];
        for (int k = 0; k < 3; k++) {
            r[k] = w->start[at + k] - w->middle[3 * part + k];
            u[k] = to[at + k] - w->start[at + k] - m->shift[3 * part + k];
        }
        m->all[w->surface[i]] = sqrt(lil_dot3(u, u));
        lil_cross3(m->turn + 3 * part, r, turned);
        for (int k = 0; k < 3; k++)
            u[k] -= turned[k];
        m->own[w->surface[i]] = sqrt(lil_dot3(u, u));
    }
}

void lil_barrier_set_along(const lil_barriers *d, lil_barrier_work *w)
{
    lil_barrier_motion *m = &w->along;
    set_shifts(d, w, w->y0, w->y1, m);
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = w->surface_part[i];
        double u[3];
        for (int k = 0; k < 3; k++)
            u[k] = w->y1[at + k] - w->y0[at + k] - m->shift[3 * part + k];
        m->all[w->surface[i]] = m->own[w->surface[i]] = sqrt(lil_dot3(u, u));
    }
}
