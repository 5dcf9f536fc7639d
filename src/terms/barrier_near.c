/* Which pairs of features, and which vertices and planes, are near each other. */
#include "terms/barrier_work.h"

#include "core/threads.h"
#include "math/matrix3.h"

#include <math.h>

/* ---- where everything is ---- */

void lil_barrier_moved(const lil_barriers *d, lil_barrier_work *w, int part, double t, double at[6])
{
    memset(at, 0, 6 * sizeof *at);
    if (d->moves && d->moves[part])
        lil_program_run(d->moves[part], w->slots[part], t, NULL, NULL, at);
}

void lil_barrier_place(const lil_barriers *d, lil_barrier_work *w, double t, const double *x, double *y)
{
    double at[6] = { 0 };
    memcpy(y, x, 3 * (size_t)d->vertex_count * sizeof *y);
    for (int i = d->vertex_count, before = -1; i < d->point_count; i++) {
        int part = d->obstacle_part[i - d->vertex_count];
        if (part != before)
            lil_barrier_moved(d, w, part, t, at);
        before = part;
        for (int k = 0; k < 3; k++)
            y[3 * i + k] = d->rest[3 * i + k] + at[k];
    }
}

/* ---- candidates ---- */

static bool covers(const lil_barriers *d, const lil_barrier_work *w, const double *y)
{
    if (w->margin < 0)
        return false;
    for (int k = 0; k < 3 * d->point_count; k++)
        if (!(y[k] >= w->low[k] - w->margin && y[k] <= w->high[k] + w->margin))
            return false;
    return true;
}

/* Features of one part that are near each other at rest repel each other only from half of that distance on: nothing pushes at rest. */
static double own_d_hat(const lil_barriers *d, const lil_neighbours_pair *pair)
{
    double d_hat = (d->parts[pair->part[0]].d_hat + d->parts[pair->part[1]].d_hat) / 2, x[12];
    if (pair->part[0] != pair->part[1])
        return d_hat;
    lil_barrier_gather(pair->at, d->rest, x);
    double free = sqrt(lil_pair_nearest(pair->kind, x).D) - 2 * d->parts[pair->part[0]].radius;
    return fmin(d_hat, free / 2);
}

static bool make_room(lil_barrier_work *w, int count)
{
    if (count <= w->room)
        return true;
    w->room = 2 * count;
    w->candidates = LIL_NEW(w->arena, lil_neighbours_pair, w->room);
    w->d_hat = LIL_NEW(w->arena, double, w->room);
    w->near_at = LIL_NEW(w->arena, int, w->room);
    w->near_count = LIL_NEW(w->arena, int, w->room / LIL_BARRIER_PIECE + 1);
    w->least = LIL_NEW(w->arena, double, w->room / LIL_BARRIER_PIECE + 1);
    if (w->candidates && w->d_hat && w->near_at && w->near_count && w->least)
        return true;
    w->room = 0;
    return false;
}

typedef struct job {
    const lil_barriers *d;
    lil_barrier_work *w;
    const lil_neighbours_pair *list; /* of the broad phase */
    int list_count;
} job;

/* How far a feature's points can be from where they started. */
static double furthest(const lil_barrier_work *w, const int *at, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        double square = 0;
        for (int k = 3 * at[i]; k < 3 * at[i] + 3; k++) {
            double way = fmax(w->high[k] - w->start[k], w->start[k] - w->low[k]) + w->margin;
            square += way * way;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* Boxes overlap where features are far apart; the distance tells. */
static void sift_piece(void *data, int piece)
{
    job *j = data;
    lil_barrier_work *w = j->w;
    int first = LIL_BARRIER_PIECE * piece, count = 0;
    for (int i = first; i < first + LIL_BARRIER_PIECE && i < j->list_count; i++) {
        const lil_neighbours_pair *pair = &j->list[i];
        int own = pair->kind == LIL_EDGE_EDGE ? 2 : 1;
        double x[12], d_hat = own_d_hat(j->d, pair),
                      within = lil_barrier_radius(j->d, pair) + d_hat + furthest(w, pair->at, own) +
                               furthest(w, pair->at + own, 4 - own);
        lil_barrier_gather(pair->at, w->start, x);
        if (!(lil_pair_nearest(pair->kind, x).D < within * within))
            continue;
        w->candidates[first + count] = *pair;
        w->d_hat[first + count++] = d_hat;
    }
    w->near_count[piece] = count;
}

static bool list_candidates(const lil_barriers *d, lil_barrier_work *w)
{
    job j = { .d = d, .w = w };
    w->count = 0;
    if (lil_neighbours_find(w->neighbours, d->threads, w->low, w->high, w->margin, &j.list, &j.list_count) !=
            LIL_OK ||
        !make_room(w, j.list_count))
        return false;
    lil_parallel(d->threads, lil_barrier_pieces(j.list_count), sift_piece, &j);
    for (int i = 0; i < lil_barrier_pieces(j.list_count); i++)
        for (int k = 0; k < w->near_count[i]; k++) {
            w->candidates[w->count] = w->candidates[LIL_BARRIER_PIECE * i + k];
            w->d_hat[w->count++] = w->d_hat[LIL_BARRIER_PIECE * i + k];
        }
    return true;
}

static bool is_finite(const lil_barriers *d, const double *y)
{
    double sum = 0;
    for (int k = 0; k < 3 * d->point_count; k++)
        sum += y[k] - y[k];
    return sum == 0;
}

/* Candidates for all that happens around w->y0 and w->y1. Within a step line searches go back and forth: its start stays in the boxes. */
bool lil_barrier_update(const lil_barriers *d, lil_barrier_work *w)
{
    int n = 3 * d->point_count;
    double most = 0;
    if (w->failed || !is_finite(d, w->y0) || !is_finite(d, w->y1))
        return false;
    if (covers(d, w, w->y0) && covers(d, w, w->y1))
        return true;
    if (!w->begun)
        memcpy(w->start, w->y0, (size_t)n * sizeof *w->start);
    for (int k = 0; k < n; k++) {
        w->low[k] = fmin(w->start[k], fmin(w->y0[k], w->y1[k]));
        w->high[k] = fmax(w->start[k], fmax(w->y0[k], w->y1[k]));
        most = fmax(most, w->high[k] - w->low[k]);
    }
    w->margin = w->reach + 0.1 * most;
    w->failed = !list_candidates(d, w);
    return !w->failed;
}

/* A step begins: candidates are those of the ways that lead from here. */
void lil_barrier_prepare(const void *data, void *work, double t, double h, const double *q)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    (void)h;
    lil_barrier_place(d, w, t, q, w->start);
    w->t = t + h;
    w->margin = -1;
    w->begun = true;
    w->most = 0;
}

/* ---- what is near ---- */

static lil_barrier barrier_of(const lil_barriers *d, const lil_barrier_work *w, int candidate)
{
    const lil_neighbours_pair *pair = &w->candidates[candidate];
    const lil_barrier_part *a = &d->parts[pair->part[0]], *b = &d->parts[pair->part[1]];
    lil_barrier p = { .kind = pair->kind, .d_hat = w->d_hat[candidate], .radius = a->radius + b->radius };
    p.kappa = fmin(a->stiffness, b->stiffness) * p.d_hat * p.d_hat / 24;
    return p;
}

/* apart along an axis by more than `within` */
static bool far_apart(const double x[12], int own, double within)
{
    for (int k = 0; k < 3; k++) {
        double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
        for (int i = 0; i < 4; i++) {
            int side = i >= own;
            low[side] = x[3 * i + k] < low[side] ? x[3 * i + k] : low[side];
            high[side] = x[3 * i + k] > high[side] ? x[3 * i + k] : high[side];
        }
        if (low[0] - high[1] > within || low[1] - high[0] > within)
            return true;
    }
    return false;
}

static bool is_near_at(const lil_neighbours_pair *pair, const double *y, double within)
{
    double x[12];
    lil_barrier_gather(pair->at, y, x);
    return !far_apart(x, pair->kind == LIL_EDGE_EDGE ? 2 : 1, within) &&
           lil_pair_nearest(pair->kind, x).D < within * within;
}

static bool is_near(const job *j, int i)
{
    const lil_neighbours_pair *pair = &j->w->candidates[i];
    double within = lil_barrier_radius(j->d, pair) + j->w->d_hat[i];
    return is_near_at(pair, j->w->y1, within) || is_near_at(pair, j->w->y0, within);
}

static void find_piece(void *data, int piece)
{
    job *j = data;
    lil_barrier_work *w = j->w;
    int first = LIL_BARRIER_PIECE * piece, count = 0;
    for (int i = first; i < first + LIL_BARRIER_PIECE && i < w->count; i++)
        if (is_near(j, i))
            w->near_at[first + count++] = i;
    w->near_count[piece] = count;
}

static void look_piece(void *data, int piece)
{
    job *j = data;
    for (int i = LIL_BARRIER_PIECE * piece; i < LIL_BARRIER_PIECE * (piece + 1) && i < j->w->near_total; i++) {
        lil_near_pair *n = &j->w->near[i];
        int candidate = n->at[0];
        double rest[12];
        memcpy(n->at, j->w->candidates[candidate].at, sizeof n->at);
        n->p = barrier_of(j->d, j->w, candidate);
        if (n->p.kind == LIL_EDGE_EDGE) {
            lil_barrier_gather(n->at, j->d->rest, rest);
            n->p.parallel = lil_barrier_parallel(rest);
        }
        lil_barrier_gather(n->at, j->w->y0, n->x0);
        lil_barrier_gather(n->at, j->w->y1, n->x1);
        n->e0 = lil_barrier_look(&n->p, n->x0);
        n->e1 = lil_barrier_look(&n->p, n->x1);
    }
}

/* Near pairs between w->y0 and w->y1, in the order of the candidates. */
static bool find_pairs(const lil_barriers *d, lil_barrier_work *w)
{
    job j = { .d = d, .w = w };
    w->near_total = 0;
    lil_parallel(d->threads, lil_barrier_pieces(w->count), find_piece, &j);
    for (int i = 0; i < lil_barrier_pieces(w->count); i++)
        w->near_total += w->near_count[i];
    if (w->near_total > w->near_room) {
        w->near_room = 2 * w->near_total;
        w->near = LIL_NEW(w->arena, lil_near_pair, w->near_room);
        w->failed = !w->near;
        w->near_room = w->failed ? 0 : w->near_room;
    }
    for (int i = 0, at = 0; i < lil_barrier_pieces(w->count) && !w->failed; i++)
        for (int k = 0; k < w->near_count[i]; k++)
            w->near[at++].at[0] = w->near_at[LIL_BARRIER_PIECE * i + k];
    if (!w->failed)
        lil_parallel(d->threads, lil_barrier_pieces(w->near_total), look_piece, &j);
    return !w->failed;
}

double lil_barrier_gap(const lil_barrier_plane *plane, const double at[6], const double *x)
{
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = x[k] - plane->point[k] - at[k];
    return lil_dot3(plane->normal, r);
}

static void find_planes(const lil_barriers *d, lil_barrier_work *w, double t0, double t1)
{
    w->plane_total = 0;
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        const lil_barrier_part *own = &d->parts[plane->part];
        double at0[6], at1[6];
        lil_barrier_moved(d, w, plane->part, t0, at0);
        lil_barrier_moved(d, w, plane->part, t1, at1);
        for (int k = 0; k < d->touching_count; k++) {
            const lil_barrier_part *part = &d->parts[d->touching_part[k]];
            int v = d->touching[k];
            double d_hat = (own->d_hat + part->d_hat) / 2, radius = own->radius + part->radius;
            double gap0 = lil_barrier_gap(plane, at0, w->y0 + 3 * v) - radius,
                   gap1 = lil_barrier_gap(plane, at1, w->y1 + 3 * v) - radius;
            if (gap0 >= d_hat && gap1 >= d_hat)
                continue;
            w->planes[w->plane_total++] =
                (lil_near_plane){ .vertex = v,
                                  .plane = i,
                                  .p = { .kappa = fmin(own->stiffness, part->stiffness) * d_hat * d_hat / 24,
                                         .d_hat = d_hat },
                                  .gap0 = gap0,
                                  .gap1 = gap1 };
        }
    }
}

/* Everything that is near between x0 at t0 and x1 at t1. */
bool lil_barrier_find(const lil_barriers *d, lil_barrier_work *w, double t0, const double *x0, double t1,
                      const double *x1)
{
    lil_barrier_place(d, w, t0, x0, w->y0);
    lil_barrier_place(d, w, t1, x1, w->y1);
    w->t = t1;
    w->near_total = w->plane_total = 0;
    if (!lil_barrier_update(d, w) || !find_pairs(d, w))
        return false;
    find_planes(d, w, t0, t1);
    return true;
}
