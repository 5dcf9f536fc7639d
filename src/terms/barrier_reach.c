/* How far the points may move along a direction before anything touches: conservative advancement of all candidate
 * pairs. */
#include "terms/barrier_work.h"

#include "core/threads.h"
#include "math/matrix3.h"

#include <math.h>

typedef struct job {
    const lil_barriers *d;
    const lil_barrier_work *w;
    double keep; /* the fraction of a gap that must remain */
    double most; /* the largest fraction of the direction that matters */
    int first;   /* piece */
    bool known;  /* the direction begins at the positions of the latest search, where gaps are known */
} job;

/* The pair's points at y0, and their ways to y1. */
static void gather_way(const lil_barrier_work *w, const int at[4], double x[12], double dx[12])
{
    lil_barrier_gather(at, w->y0, x);
    lil_barrier_gather(at, w->y1, dx);
    for (int k = 0; k < 12; k++)
        dx[k] -= x[k];
}

/* Whether a pair keeps its share of the gap all the way, as far as bounds tell, by more than round-off. */
static bool is_clear(const job *j, int i, double radius)
{
    const lil_barrier_work *w = j->w;
    const lil_neighbours_pair *pair = &w->candidates[i];
    double gap, least, most;
    if (j->known && w->now[i] >= 0) {
        double x[12], dx[12];
        gather_way(w, pair->at, x, dx);
        gap = most = w->now[i] - radius;
        least = gap - lil_pair_approach(pair->kind, dx);
    } else {
        double before = lil_barrier_approach(&w->motion[0], pair), after = lil_barrier_approach(&w->motion[1], pair);
        gap = w->from[i] - radius;
        most = gap + before + w->motion[0].stretch[pair->part[0]] * w->from[i];
        least = gap - (before > after ? before : after);
    }
    return least > (j->keep + 2e-3) * most +
                       1e-6 * w->reach; /* lil_pair_reach stops 1e-3 of a gap before what is to be kept */
}

static void reach_piece(void *data, int piece)
{
    job *j = data;
    const lil_barrier_work *w = j->w;
    double least = j->most;
    piece += j->first;
    for (int i = LIL_BARRIER_PIECE * piece; i < LIL_BARRIER_PIECE * (piece + 1) && i < w->count; i++) {
        const lil_neighbours_pair *pair = &w->candidates[i];
        double x[12], dx[12], radius = lil_barrier_radius(j->d, pair);
        if (is_clear(j, i, radius))
            continue;
        gather_way(w, pair->at, x, dx);
        if (lil_pair_stays_apart(pair->kind, x, dx, radius, j->keep, least))
            continue;
        double reach = lil_pair_reach(pair->kind, x, dx, radius, j->keep, least);
        least = reach < least ? reach : least;
    }
    w->least[piece] = least;
}

static double plane_radius(const lil_barriers *d, const lil_barrier_plane *plane, int touching)
{
    return d->parts[plane->part].radius + d->parts[d->touching_part[touching]].radius;
}

/* Ends do not tell what a thing has swept that turned far: after a whole turn it is where it was. From one end to
 * the other, by the turn between both and by the rates there; a ball that turns sweeps nothing. */
static bool turns_far(const lil_barriers *d, const lil_barrier_work *w, double h)
{
    const double QUARTER = 1.5707963267948966;
    for (int i = 0; d->drives && i < d->shell.part_count; i++) {
        const lil_pose *p0 = &w->pose0[i], *p1 = &w->pose1[i];
        double cosine = -1, rate = fmax(lil_dot3(p0->omega, p0->omega), lil_dot3(p1->omega, p1->omega));
        if (!d->drives[i].turn || d->parts[i].radius > 0)
            continue;
        for (int k = 0; k < 9; k++)
            cosine += p0->R[k] * p1->R[k]; /* 1 + 2 cos of the angle is the trace of R_1 R_0' */
        if (cosine < 0 || fabs(h) * sqrt(rate) > QUARTER)
            return true;
    }
    return false;
}

/* A half space leaves no way around it: a vertex that is outside at both ends of a turn by less than a quarter has
 * not passed it. */
static double until_planes(const lil_barriers *d, lil_barrier_work *w, double keep, double least)
{
    double r[3];
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        lil_plane_place at0 = lil_barrier_plane_at(plane, &w->pose0[plane->part]),
                        at1 = lil_barrier_plane_at(plane, &w->pose1[plane->part]);
        for (int k = 0; k < d->touching_count; k++) {
            double radius = plane_radius(d, plane, k);
            int v = 3 * d->touching[k];
            double gap0 = lil_barrier_gap(&at0, w->y0 + v, r) - radius,
                   gap1 = lil_barrier_gap(&at1, w->y1 + v, r) - radius;
            if ((gap1 > keep * gap0 && isfinite(gap1)) || !lil_barrier_meets_plane(d, k, plane))
                continue;
            if (!isfinite(gap1))
                return 0;
            if (!(gap1 > keep * gap0))
                least = fmin(least, (1 - keep) * gap0 / (gap0 - gap1));
        }
    }
    return least;
}

/* How far the line search of a step may look: its first way is where it begins, and no later one is much longer. */
static void barrier_reach_measure(lil_barrier_work *w, double most)
{
    if (w->most == 0)
        w->most = 2 * most + 4 * w->reach;
}

static double shorten(const lil_barriers *d, lil_barrier_work *w, const double *dq)
{
    double most = 0;
    for (int k = 0; k < 3 * d->vertex_count; k++)
        most = fmax(most, fabs(dq[k]));
    barrier_reach_measure(w, most);
    return most > w->most ? w->most / most : 1;
}

/* How much of the first `most` of the way the candidates leave. Pieces go in rounds, whatever threads there are:
 * each begins with what those before it have left. */
static double until_candidates(const lil_barriers *d, lil_barrier_work *w, double keep, bool known, double most)
{
    enum { ROUND = 16 };
    job j = { .d = d, .w = w, .keep = keep, .known = known, .most = most };
    for (int pieces = lil_barrier_pieces(w->count); j.first < pieces; j.first += ROUND) {
        int count = pieces - j.first < ROUND ? pieces - j.first : ROUND;
        lil_parallel(d->threads, count, reach_piece, &j);
        for (int i = j.first; i < j.first + count; i++)
            j.most = fmin(j.most, w->least[i]);
    }
    return j.most;
}

/* How far from y0 to y1 every gap keeps this share of itself. `known`: y0 is where what is near was found last. What
 * lies beyond the present candidates is looked for only if nothing stops the way before. */
static double reach(const lil_barriers *d, lil_barrier_work *w, double keep, bool known)
{
    w->found = false;
    w->advances++;
    double covered = lil_barrier_covered(d, w), planes = fmax(until_planes(d, w, keep, 1), 0),
           most = fmin(planes, covered);
    if (covered > 0)
        most = until_candidates(d, w, keep, known, most);
    if (most < covered || covered == 1)
        return most;
    return lil_barrier_update(d, w, true) ? until_candidates(d, w, keep, false, planes) : 0;
}

/* The latest result becomes the start of a path. */
static void turn_round(lil_barrier_work *w)
{
    double *y = w->y0;
    lil_pose *pose = w->pose0;
    lil_barrier_end_state end = w->ends[0];
    lil_barrier_motion motion = w->motion[0];
    w->y0 = w->y1;
    w->pose0 = w->pose1;
    w->ends[0] = w->ends[1];
    w->motion[0] = w->motion[1];
    w->y1 = y;
    w->pose1 = pose;
    w->ends[1] = end;
    w->motion[1] = motion;
}

/* Obstacles stay where they are at the end of the step. */
double lil_barrier_longest(const void *data, void *work, double t, const double *q, const double *dq)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    double part = shorten(d, w, dq);
    size_t moving = 3 * (size_t)lil_barrier_moving(d);
    bool known = !lil_barrier_set_end(d, w, 1, t, q) && w->found;
    turn_round(w);
    memcpy(w->pose1, w->pose0, (size_t)d->shell.part_count * sizeof *w->pose0);
    lil_barrier_forget_end(w, 1);
    for (int k = 0; k < 3 * d->vertex_count; k++)
        w->way[k] = part * dq[k];
    lil_carried_place(&d->carried, d->threads, w->way, w->way + 3 * (size_t)d->vertex_count);
    for (int k = 0; k < 3 * lil_barrier_moving(d); k++)
        w->y1[k] = w->y0[k] + w->way[k];
    memcpy(w->y1 + moving, w->y0 + moving, (3 * (size_t)d->point_count - moving) * sizeof *w->y1);
    return part * reach(d, w, LIL_BARRIER_KEEP, known);
}

static void place_ends(const lil_barriers *d, lil_barrier_work *w, double t0, const double *q0, double t1,
                       const double *q1)
{
    lil_barrier_set_end(d, w, 0, t0, q0);
    lil_barrier_set_end(d, w, 1, t1, q1);
}

bool lil_barrier_is_open(const void *data, void *work, const lil_ends *ends)
{
    place_ends(data, work, ends->t0, ends->q0, ends->t1, ends->q1);
    return !turns_far(data, work, ends->t1 - ends->t0) && reach(data, work, 0, false) == 1;
}

/* ---- out of the way of what is driven ---- */

static void block_piece(void *data, int piece)
{
    job *j = data;
    const lil_barrier_work *w = j->w;
    int first = LIL_BARRIER_PIECE * piece, count = 0;
    for (int i = first; i < first + LIL_BARRIER_PIECE && i < w->count; i++) {
        const lil_neighbours_pair *pair = &w->candidates[i];
        double x[12], dx[12];
        gather_way(w, pair->at, x, dx);
        if (lil_pair_reach(pair->kind, x, dx, lil_barrier_radius(j->d, pair), j->keep, 1) < 1)
            w->near_at[first + count++] = i;
    }
    w->near_count[piece] = count;
}

static bool is_free(const lil_barriers *d, const int *number, int point)
{
    return point < d->vertex_count && (!number || number[3 * point] >= 0);
}

/* How much of a point is free: the sum of its squared weights. */
static double free_part(const lil_barriers *d, const int *number, int point)
{
    const lil_carried *c = &d->carried;
    double sum = 0;
    if (point < d->vertex_count || point >= lil_barrier_moving(d))
        return is_free(d, number, point);
    for (int k = c->begin[point - d->vertex_count]; k < c->begin[point - d->vertex_count + 1]; k++)
        sum += is_free(d, number, c->vertex[k]) ? c->weight[k] * c->weight[k] : 0;
    return sum;
}

/* The end of a point that is free, by the least that its vertices can move for that. */
static void move_end(const lil_barriers *d, lil_barrier_work *w, const int *number, int point, const double by[3])
{
    const lil_carried *c = &d->carried;
    double all = free_part(d, number, point);
    for (int k = 0; k < 3; k++)
        w->y1[3 * point + k] += by[k];
    if (point < d->vertex_count)
        return;
    for (int k = c->begin[point - d->vertex_count]; k < c->begin[point - d->vertex_count + 1]; k++)
        for (int e = 0; e < 3 && is_free(d, number, c->vertex[k]); e++)
            w->y1[3 * c->vertex[k] + e] += c->weight[k] / all * by[e];
}

/* Where a carried point's vertices have brought it. */
static void refresh_end(const lil_barriers *d, lil_barrier_work *w, int point)
{
    const lil_carried *c = &d->carried;
    if (point < d->vertex_count || point >= lil_barrier_moving(d))
        return;
    memset(w->y1 + 3 * point, 0, 3 * sizeof *w->y1);
    for (int k = c->begin[point - d->vertex_count]; k < c->begin[point - d->vertex_count + 1]; k++)
        for (int e = 0; e < 3; e++)
            w->y1[3 * point + e] += c->weight[k] * w->y1[3 * c->vertex[k] + e];
}

/* The ends are moved along the line between the features where they are about to touch, those that are free, until
 * the gap is what it was at the start, or d_hat: as when what is in the way takes them along. False: none of them
 * is free. */
static bool push_pair(const lil_barriers *d, lil_barrier_work *w, int candidate, const int *number)
{
    const lil_neighbours_pair *pair = &w->candidates[candidate];
    const double SMALL = 0.05; /* of weights: what hardly bears a point does not have to carry it all */
    double x[12], dx[12], radius = lil_barrier_radius(d, pair), square = 0, end = -radius, n[3];
    for (int i = 0; i < 4; i++)
        refresh_end(d, w, pair->at[i]);
    gather_way(w, pair->at, x, dx);
    double s = lil_pair_reach(pair->kind, x, dx, radius, LIL_BARRIER_KEEP, 1),
           gap = sqrt(lil_pair_nearest(pair->kind, x).D) - radius;
    if (s == 1)
        return true; /* another pair's push has opened it */
    for (int k = 0; k < 12; k++)
        dx[k] = x[k] + s * dx[k];
    lil_closest near = lil_pair_nearest(pair->kind, dx);
    for (int k = 0; k < 3; k++)
        n[k] = near.r[k] / sqrt(near.D);
    for (int i = 0; i < 4; i++) {
        square += free_part(d, number, pair->at[i]) > 0 ? near.c[i] * near.c[i] : 0;
        end += near.c[i] * lil_dot3(n, w->y1 + 3 * pair->at[i]);
    }
    double lack = fmin(gap, w->d_hat[candidate]) - end;
    for (int i = 0; i < 4 && lack > 0; i++) {
        double by[3], scale = lack * near.c[i] / fmax(square, SMALL);
        for (int k = 0; k < 3; k++)
            by[k] = scale * n[k];
        if (free_part(d, number, pair->at[i]) > 0)
            move_end(d, w, number, pair->at[i], by);
    }
    return square > 0;
}

/* As above, of a vertex and a plane. */
static int push_planes(const lil_barriers *d, lil_barrier_work *w, const int *number, bool *stuck)
{
    double r[3];
    int blocked = 0;
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        lil_plane_place at0 = lil_barrier_plane_at(plane, &w->pose0[plane->part]),
                        at1 = lil_barrier_plane_at(plane, &w->pose1[plane->part]);
        for (int k = 0; k < d->touching_count; k++) {
            double radius = plane_radius(d, plane, k), d_hat = lil_barrier_plane_d_hat(d, i, k),
                   *y1 = w->y1 + 3 * d->touching[k], by[3];
            refresh_end(d, w, d->touching[k]);
            double gap0 = lil_barrier_gap(&at0, w->y0 + 3 * d->touching[k], r) - radius,
                   gap1 = lil_barrier_gap(&at1, y1, r) - radius;
            if (gap1 > LIL_BARRIER_KEEP * gap0 || !lil_barrier_meets_plane(d, k, plane))
                continue;
            blocked++;
            for (int c = 0; c < 3; c++)
                by[c] = (fmin(gap0, d_hat) - gap1) * at1.normal[c];
            if (free_part(d, number, d->touching[k]) > 0)
                move_end(d, w, number, d->touching[k], by);
            else
                *stuck = true;
        }
    }
    return blocked;
}

int lil_barrier_push(const void *data, void *work, double t0, const double *q0, double t1, const int *number,
                     double *q1)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    job j = { .d = d, .w = w, .keep = LIL_BARRIER_KEEP };
    double most = 0;
    bool stuck = false;
    int blocked = 0;
    place_ends(d, w, t0, q0, t1, q1);
    for (int k = 0; k < 3 * d->point_count; k++)
        most = fmax(most, fabs(w->y1[k] - w->y0[k]));
    barrier_reach_measure(w, most);
    w->found = false;
    if (!lil_barrier_update(d, w, true))
        return -1;
    lil_barrier_forget_end(w, 1);
    lil_parallel(d->threads, lil_barrier_pieces(w->count), block_piece, &j);
    for (int i = 0; i < lil_barrier_pieces(w->count); i++)
        for (int k = 0; k < w->near_count[i]; k++, blocked++)
            stuck = !push_pair(d, w, w->near_at[LIL_BARRIER_PIECE * i + k], number) || stuck;
    blocked += push_planes(d, w, number, &stuck);
    memcpy(q1, w->y1, 3 * (size_t)d->vertex_count * sizeof *q1);
    return stuck ? -1 : blocked;
}
