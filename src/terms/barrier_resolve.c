/*
 * How long a step may be for restitution.
 *
 * A factor of the barrier's force (barrier_friction.h) removes the right share of its work at any step length, as
 * long as a gap closes or opens throughout the step. In the step in which the motion reverses, x_1 - x_0 = h (v_0 +
 * v_1)/2 returns the velocity, whatever the force is. So that step must be short: a barrier of stiffness k reverses a
 * mass m that arrives with velocity V within about sqrt(m/k). k is taken at the gap at which the barrier has absorbed
 * m V^2/2. Until the mass comes within d_hat, one step may take it there.
 */
#include "terms/barrier_work.h"

/* b as a function of the gap, and its second derivative */
static double barrier_at(const lil_barrier *p, double gap, double *second)
{
    double width = p->d_hat * p->d_hat + 2 * p->radius * p->d_hat, y = gap * (gap + 2 * p->radius) / width,
           rise = 2 * (gap + p->radius) / width;
    *second = (2 / (y * y * y) - 2) * rise * rise + (3 - 2 * y - 1 / (y * y)) * 2 / width;
    return (1 - y) * (1 - y) * (1 - y) / y;
}

/* For a mass that approaches with `speed` across a gap. */
static double time_to_turn(const lil_barrier *p, double gap, double speed, double mass)
{
    enum { BISECTIONS = 40 };
    double low = 0, high = gap < p->d_hat ? gap : p->d_hat, second;
    double most = (gap < p->d_hat ? barrier_at(p, gap, &second) : 0) + mass * speed * speed / (2 * p->kappa);
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = (low + high) / 2;
        *(barrier_at(p, middle, &second) > most ? &low : &high) = middle;
    }
    barrier_at(p, high, &second);
    return sqrt(mass / (p->kappa * second));
}

static double shorter(const lil_barriers *d, const lil_barrier *p, double gap, double speed, double share, double h,
                      double longest)
{
    const double TURN = 0.5, SLOW = 10; /* of the time to turn; of `slip`: below that restitution fades out */
    if (!(speed > SLOW * d->law.slip) || !(share > 0) || !(p->kappa > 0) || !(gap > 0) || gap - p->d_hat > speed * h)
        return longest;
    double flight = (gap - p->d_hat) / speed, turn = TURN * time_to_turn(p, gap, speed, 1 / share);
    return fmin(longest, fmax(flight, turn));
}

/* 1/m of what meets */
static double barrier_resolve_share_of(const lil_barriers *d, int a, int b)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        double mass = d->parts[k ? b : a].mass;
        sum += mass > 0 ? 1 / mass : 0;
    }
    return sum;
}

double lil_barrier_resolve(const void *data, void *work, const lil_at *at, double h)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    double longest = h;
    if (!(d->law.restitution < 1))
        return h;
    for (int i = 0; i < 3 * d->vertex_count; i++)
        w->ahead[i] = at->q[i] + h * at->v[i];
    if (!lil_barrier_find(d, w, at->t, at->q, at->t + h, w->ahead) || !lil_barrier_update(d, w, true))
        return h;
    for (int i = 0; i < w->count; i++) {
        const lil_neighbours_pair *pair = &w->candidates[i];
        lil_barrier p = lil_barrier_of(d, pair, w->d_hat[i]);
        double x0[12], x1[12], speed = 0;
        lil_barrier_gather(pair->at, w->y0, x0);
        lil_barrier_gather(pair->at, w->y1, x1);
        lil_closest nearest = lil_pair_nearest(pair->kind, x0);
        double away = sqrt(nearest.D);
        for (int k = 0; k < 12; k++)
            speed -= nearest.c[k / 3] * nearest.r[k % 3] * (x1[k] - x0[k]) / (h * away);
        longest = shorter(d, &p, away - p.radius, speed, barrier_resolve_share_of(d, pair->part[0], pair->part[1]), h,
                          longest);
    }
    for (int i = 0; i < w->plane_total; i++) {
        const lil_near_plane *n = &w->planes[i];
        longest = shorter(d, &n->p, n->gap0, (n->gap0 - n->gap1) / h,
                          barrier_resolve_share_of(d, d->planes[n->plane].part, n->part), h, longest);
    }
    return longest;
}
