/* Measurements of the barrier: the smallest gap, the number of contacts, and the point and force of each. */
#include "terms/barrier_work.h"

#include <math.h>

void lil_barrier_count(const lil_barrier_work *w, lil_touch *most)
{
    most->pairs += w->near_total + w->plane_total;
    for (int i = 0; i < w->near_total; i++)
        most->energy += lil_barrier_energy(&w->near[i].p, &w->near[i].e1);
    for (int i = 0; i < w->plane_total; i++)
        most->energy += lil_barrier_plane_energy(&w->planes[i].p, w->planes[i].gap1);
}

/* The part that each point belongs to. */
static bool know_parts(const lil_barriers *d, lil_barrier_work *w)
{
    if (w->part_of)
        return true;
    w->part_of = LIL_NEW(w->arena, int, d->point_count);
    if (!w->part_of)
        return false;
    for (int i = 0; i < 3 * d->shell.count; i++) {
        int point = d->shell.corners[i / 3][i % 3];
        if (point >= 0)
            w->part_of[point] = d->shell.part[i / 3];
    }
    for (int i = 0; i < d->touching_count; i++)
        w->part_of[d->touching[i]] = d->touching_part[i];
    return true;
}

/* Part a, whose feature is at x, is pushed along the unit vector n; the other part is on the other side of the gap. */
static lil_touching touching(const lil_barriers *d, int a, int b, const double x[3], const double n[3], double gap,
                             const double f[3])
{
    lil_touching one = { .gap = gap, .part = { a < b ? a : b, a < b ? b : a } };
    double back = d->parts[a].radius + gap / 2;
    for (int k = 0; k < 3; k++) {
        one.x[k] = x[k] - back * n[k];
        one.f[k] = a <= b ? f[k] : -f[k];
    }
    return one;
}

/* The force on a feature is all that its points get: along the gap, but for what the mollifier adds. */
static bool list_pair(const lil_barriers *d, const lil_barrier_work *w, const lil_near_pair *n, lil_touching *to)
{
    int own = n->p.kind == LIL_EDGE_EDGE ? 2 : 1;
    double G[12], x[3] = { 0 }, normal[3], f[3] = { 0 }, away = sqrt(n->e1.nearest.D);
    if (!(n->e1.y < 1) || !lil_barrier_discrete_gradient(&n->p, n->x1, &n->e1, n->x1, &n->e1, G, NULL))
        return false;
    for (int i = 0; i < 3 * own; i++) {
        x[i % 3] += n->e1.nearest.c[i / 3] * n->x1[i];
        f[i % 3] -= G[i];
    }
    for (int k = 0; k < 3; k++)
        normal[k] = n->e1.nearest.r[k] / away;
    *to = touching(d, w->part_of[n->at[0]], w->part_of[n->at[3]], x, normal, away - n->p.radius, f);
    to->energy = lil_barrier_energy(&n->p, &n->e1);
    return f[0] != 0 || f[1] != 0 || f[2] != 0;
}

static bool list_plane(const lil_barriers *d, const lil_barrier_work *w, const lil_near_plane *n, lil_touching *to)
{
    double f[3], push, slope;
    if (!(n->gap1 < n->p.d_hat))
        return false;
    lil_barrier_plane_discrete_gradient(&n->p, n->gap1, n->gap1, &push, &slope);
    for (int k = 0; k < 3; k++)
        f[k] = -push * n->n1[k];
    *to = touching(d, w->part_of[n->vertex], d->planes[n->plane].part, w->y1 + 3 * n->vertex, n->n1, n->gap1, f);
    to->energy = lil_barrier_plane_energy(&n->p, n->gap1);
    return push != 0;
}

int lil_barrier_list(const void *data, void *work, const lil_at *at, lil_touching *list, int room)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    int count = 0;
    if (!lil_barrier_find(d, w, at->t, at->q, at->t, at->q) || !know_parts(d, w))
        return -1;
    for (int i = 0; i < w->near_total + w->plane_total; i++) {
        lil_touching one;
        bool there = i < w->near_total ? list_pair(d, w, &w->near[i], &one)
                                       : list_plane(d, w, &w->planes[i - w->near_total], &one);
        if (there && count < room)
            list[count] = one;
        count += there;
    }
    return count;
}

bool lil_barrier_part_of(const void *data, int i, lil_touching_part *part)
{
    const lil_barriers *d = data;
    if (i < 0 || i >= d->shell.part_count)
        return false;
    *part = (lil_touching_part){ d->parts[i].name, d->parts[i].d_hat, d->parts[i].modulus };
    return true;
}
