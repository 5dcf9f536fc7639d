/* How far points have moved. It bounds how near two features can be, without computing their distance. */
#include "terms/barrier_work.h"

#include "math/matrix3.h"

#include <math.h>

lil_status lil_barrier_list_surface(lil_context *ctx, const lil_barriers *d, lil_arena *arena, lil_barrier_work *w)
{
    const lil_shell *s = &d->shell;
    int *part = LIL_NEW(arena, int, d->point_count);
    w->surface = LIL_NEW(arena, int, d->point_count);
    w->surface_part = LIL_NEW(arena, int, d->point_count);
    lil_barrier_motion *motions[] = { &w->spaces[0], &w->spaces[1], &w->none };
    for (int i = 0; i < 3; i++) {
        LIL_ALLOC(ctx, arena, motions[i]->all, d->point_count);
        LIL_ALLOC(ctx, arena, motions[i]->own, d->point_count);
        LIL_ALLOC(ctx, arena, motions[i]->shift, 3 * (size_t)s->part_count);
        LIL_ALLOC(ctx, arena, motions[i]->turn, 3 * (size_t)s->part_count);
        LIL_ALLOC(ctx, arena, motions[i]->stretch, s->part_count);
    }
    w->furthest = LIL_NEW(arena, double, d->point_count);
    w->own_far = LIL_NEW(arena, double, d->point_count);
    w->arm = LIL_NEW(arena, double, 3 * (size_t)d->point_count);
    w->part_points = LIL_NEW(arena, int, s->part_count);
    w->lead = LIL_NEW(arena, int, s->part_count);
    w->middle = LIL_NEW(arena, double, 3 * (size_t)s->part_count);
    w->inertia = LIL_NEW(arena, double, 9 * (size_t)s->part_count);
    LIL_HAVE(ctx, w->middle && w->inertia && part && w->surface && w->surface_part && w->part_points && w->lead &&
                      w->furthest && w->own_far && w->arm);
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
    w->motion[0] = w->motion[1] = w->none;
    w->spare = -1;
    w->amplifies = 1;
    for (int i = 0; i < d->carried.count; i++) {
        double sum = 0;
        for (int k = d->carried.begin[i]; k < d->carried.begin[i + 1]; k++)
            sum += fabs(d->carried.weight[k]);
        w->amplifies = fmax(w->amplifies, sum);
    }
    w->beside = LIL_NEW(arena, double, 3 * (size_t)d->vertex_count);
    return w->beside ? LIL_OK : lil_fail_memory(ctx);
}

/* Where the surface of each part is at the base, and its inertia, every point counting as one. */
static void set_base(const lil_barriers *d, lil_barrier_work *w)
{
    int parts = d->shell.part_count;
    memset(w->middle, 0, 3 * (size_t)parts * sizeof *w->middle);
    memset(w->inertia, 0, 9 * (size_t)parts * sizeof *w->inertia);
    for (int i = 0; i < 3 * w->surface_count; i++)
        w->middle[3 * w->surface_part[i / 3] + i % 3] += w->base[3 * w->surface[i / 3] + i % 3];
    for (int i = 0; i < 3 * parts; i++)
        w->middle[i] /= w->part_points[i / 3] > 0 ? w->part_points[i / 3] : 1;
    for (int i = 0; i < w->surface_count; i++) {
        int part = w->surface_part[i];
        double *r = w->arm + 3 * i, *I = w->inertia + 9 * part;
        for (int k = 0; k < 3; k++)
            r[k] = w->base[3 * w->surface[i] + k] - w->middle[3 * part + k];
        for (int e = 0; e < 9; e++)
            I[e] += (e % 4 == 0 ? lil_dot3(r, r) : 0) - r[e / 3] * r[e % 3];
    }
    w->based = true;
}

/* turn = I^-1 sum r x u. Any other would do as well, so none is taken where I is singular, or a turn is not small.
 * In turn are the sums. */
static void barrier_motion_set_turns(const lil_barriers *d, const lil_barrier_work *w, lil_barrier_motion *m)
{
    int parts = d->shell.part_count;
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

/* Sums become means; those that share points with a lead, which precedes them, use its own. */
static void share_shifts(const lil_barriers *d, const lil_barrier_work *w, lil_barrier_motion *m)
{
    for (int i = 0; i < 3 * d->shell.part_count; i++)
        m->shift[i] /= w->part_points[i / 3] > 0 ? w->part_points[i / 3] : 1;
    for (int i = 0; i < 3 * d->shell.part_count; i++)
        m->shift[i] = m->shift[3 * w->lead[i / 3] + i % 3];
}

/* Sums of u and r x u. */
static void barrier_motion_add_up(const lil_barriers *d, const lil_barrier_work *w, const double *to,
                                  lil_barrier_motion *m)
{
    size_t bytes = 3 * (size_t)d->shell.part_count * sizeof *m->shift;
    memset(m->shift, 0, bytes);
    memset(m->turn, 0, bytes);
    for (int i = 0, end; i < w->surface_count; i = end) {
        int part = w->surface_part[i];
        double shift[3] = { 0 }, turn[3] = { 0 };
        for (end = i; end < w->surface_count && w->surface_part[end] == part; end++) {
            const double *y = to + 3 * w->surface[end], *x = w->base + 3 * w->surface[end], *r = w->arm + 3 * end;
            double u[3] = { y[0] - x[0], y[1] - x[1], y[2] - x[2] };
            shift[0] += u[0];
            shift[1] += u[1];
            shift[2] += u[2];
            turn[0] += r[1] * u[2] - r[2] * u[1];
            turn[1] += r[2] * u[0] - r[0] * u[2];
            turn[2] += r[0] * u[1] - r[1] * u[0];
        }
        for (int k = 0; k < 3; k++) {
            m->shift[3 * part + k] += shift[k];
            m->turn[3 * part + k] += turn[k];
        }
    }
}

bool lil_barrier_set_motion(const lil_barriers *d, lil_barrier_work *w, int end)
{
    const double *to = end ? w->y1 : w->y0;
    lil_barrier_motion *m = &w->spaces[w->motion[!end].own == w->spaces[0].own];
    double sum = 0;
    if (w->ends[end].at_base) {
        w->motion[end] = w->none;
        return true;
    }
    if (w->to_beside.own == m->own)
        w->spare = -1;
    w->motion[end] = *m;
    if (!w->based)
        set_base(d, w);
    barrier_motion_add_up(d, w, to, m);
    for (int i = 0; i < 3 * d->shell.part_count; i++)
        sum += m->shift[i] - m->shift[i];
    if (sum != 0) /* it is not a number */
        return false;
    share_shifts(d, w, m);
    barrier_motion_set_turns(d, w, m);
    for (int i = 0; i < w->surface_count; i++) {
        int at = 3 * w->surface[i], part = 3 * w->surface_part[i];
        const double *r = w->arm + 3 * i, *turn = m->turn + part, *shift = m->shift + part;
        double u[3], own[3];
        for (int k = 0; k < 3; k++)
            u[k] = to[at + k] - w->base[at + k] - shift[k];
        own[0] = u[0] - (turn[1] * r[2] - turn[2] * r[1]);
        own[1] = u[1] - (turn[2] * r[0] - turn[0] * r[2]);
        own[2] = u[2] - (turn[0] * r[1] - turn[1] * r[0]);
        m->all[w->surface[i]] = sqrt(lil_dot3(u, u));
        m->own[w->surface[i]] = sqrt(lil_dot3(own, own));
    }
    return true;
}
