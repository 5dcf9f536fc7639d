/* The pairs that press on each other, and which presses hardest. */
#include "terms/barrier_work.h"

#include "math/matrix3.h"

#include <math.h>
#include <stdio.h>

bool lil_barrier_pushes(const void *work)
{
    const lil_barrier_work *w = work;
    return w->near_total + w->plane_total > 0;
}

/* Which part a point belongs to. Looked for: it is asked once, when a run ends. */
static int barrier_press_part_of(const lil_barriers *d, int point)
{
    for (int i = 0; i < d->shell.count; i++)
        for (int k = 0; k < 3; k++)
            if (d->shell.corners[i][k] == point)
                return d->shell.part[i];
    return -1;
}

static double length(const double f[3])
{
    return sqrt(lil_dot3(f, f));
}

/* For a pair of features, or a vertex and a plane: both parts, and the force on the first. */
typedef struct press {
    int part[2];
    double f[3];
} press;

static press press_of_pair(const lil_barriers *d, lil_near_pair *n)
{
    int own = n->p.kind == LIL_EDGE_EDGE ? 2 : 1;
    press p = { .part = { barrier_press_part_of(d, n->at[0]), barrier_press_part_of(d, n->at[own]) } };
    if (!lil_barrier_discrete_gradient(&n->p, n->x0, &n->e0, n->x1, &n->e1, n->G, NULL))
        return p;
    for (int k = 0; k < 3 * own; k++)
        p.f[k % 3] -= n->G[k];
    return p;
}

static press press_of_plane(const lil_barriers *d, lil_near_plane *n)
{
    const lil_barrier_plane *plane = &d->planes[n->plane];
    press p = { .part = { barrier_press_part_of(d, n->vertex), plane->part } };
    lil_barrier_plane_discrete_gradient(&n->p, n->gap0, n->gap1, &n->f, &n->slope);
    for (int k = 0; k < 3; k++)
        p.f[k] = -n->f * n->n1[k];
    return p;
}

static press press_of(const lil_barriers *d, lil_barrier_work *w, int i)
{
    return i < w->near_total ? press_of_pair(d, &w->near[i]) : press_of_plane(d, &w->planes[i - w->near_total]);
}

/* The two parts of the largest force, and what all forces between them add up to; of a part and itself, the largest. */
bool lil_barrier_hardest(const void *data, void *work, const lil_at *at, lil_pair *names, double *force)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    int a = -1, b = -1;
    double most = 0, sum[3] = { 0 };
    if (!lil_barrier_find(d, w, at->t, at->q, at->t, at->q))
        return false;
    for (int i = 0; i < w->near_total + w->plane_total; i++) {
        press p = press_of(d, w, i);
        if (!(length(p.f) > most) || p.part[0] < 0 || p.part[1] < 0)
            continue;
        most = length(p.f);
        a = p.part[0];
        b = p.part[1];
    }
    if (a < 0)
        return false;
    for (int i = 0; i < w->near_total + w->plane_total && a != b; i++) {
        press p = press_of(d, w, i);
        int sign = p.part[0] == a && p.part[1] == b ? 1 : p.part[0] == b && p.part[1] == a ? -1 : 0;
        for (int k = 0; k < 3; k++)
            sum[k] += sign * p.f[k];
    }
    *force = a == b ? most : length(sum);
    snprintf(names->what, sizeof names->what, "%s", d->parts[a].name);
    snprintf(names->in, sizeof names->in, "%s", d->parts[b].name);
    return true;
}
