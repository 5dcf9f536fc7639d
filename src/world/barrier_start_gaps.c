/* Contact by barrier: how far apart parts start, and where their barrier begins because of it. */
#include "world/barrier_start.h"

#include <math.h>

static const double LEAST = 1e-3; /* of d_hat */

void lil_start_note_gap(lil_start_check *c, int a, int b, double gap)
{
    int n = c->b->shell.part_count;
    if (gap < c->gap[a * n + b])
        c->gap[a * n + b] = c->gap[b * n + a] = gap;
}

/* A strand that is nearer to something than its barrier can begin grows out of it. */
double lil_start_least_gap(const lil_start_check *c, int a, int b)
{
    bool strand = (a < c->w->count && c->w->list[a].strands) || (b < c->w->count && c->w->list[b].strands);
    return strand && a != b ? LEAST * lil_barrier_d_hat(c->b, a, b) : 0;
}

double lil_start_plane_gap(const lil_start_check *c, const lil_barrier_plane *plane, int k)
{
    const double *x = c->y + 3 * c->b->touching[k];
    double gap = -c->b->parts[c->b->touching_part[k]].radius, point[3], normal[3];
    lil_pose_place(lil_start_pose(c, plane->part), plane->point, point);
    lil_pose_turn(lil_start_pose(c, plane->part), plane->normal, normal);
    for (int d = 0; d < 3; d++)
        gap += normal[d] * (x[d] - point[d]);
    return gap;
}

/* Parts that start within each other's barrier would be thrown apart: it begins where they are, or they are
 * refused below a thousandth of what it would be. What the scene itself says stays. */
lil_status lil_start_set_gaps(lil_start_check *c)
{
    int n = c->b->shell.part_count;
    for (int i = 0; i < n * n; i++) {
        double *d_hat = &c->roots->d_hat[i], gap = c->gap[i];
        if (gap >= *d_hat || i / n == i % n || lil_barrier_is_grown(c->b, i / n, i % n))
            continue;
        if (!c->roots->given && gap < LEAST * *d_hat)
            return lil_start_refuse_gap(c, i / n, i % n, gap, LEAST * *d_hat);
        if (i / n < i % n && c->roots->given)
            lil_start_warn_gap(c, i / n, i % n, gap, *d_hat);
        if (!c->roots->given)
            *d_hat = gap;
    }
    return LIL_OK;
}
