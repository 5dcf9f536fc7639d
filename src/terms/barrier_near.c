/* Which pairs of features, and which vertices and planes, are near each other. */
#include "terms/barrier_work.h"

#include "core/threads.h"

#include <math.h>

/* ---- where everything is ---- */

void lil_barrier_place(const lil_barriers *d, lil_barrier_work *w, double t, const double *x, lil_pose *poses,
                       double *y)
{
    memcpy(y, x, 3 * (size_t)d->vertex_count * sizeof *y);
    lil_carried_place(&d->carried, d->threads, x, y + 3 * (size_t)d->vertex_count);
    for (int i = 0; i < d->shell.part_count; i++)
        lil_drive_at(d->drives ? &d->drives[i] : NULL, &w->slots[i], t, &poses[i]);
    for (int i = lil_barrier_moving(d); i < d->point_count; i++)
        lil_barrier_place_own(d, poses, i, y + 3 * i);
}

void lil_barrier_forget_end(lil_barrier_work *w, int end)
{
    w->ends[end] = (lil_barrier_end_state){ .t = NAN };
}

/* Whether y has what is carried at t by the vertices x. */
static bool barrier_near_is_of(const lil_barriers *d, double y_t, const double *y, double t, const double *x)
{
    return (y_t == t || (!d->drives && !isnan(y_t))) && memcmp(x, y, 3 * (size_t)d->vertex_count * sizeof *x) == 0;
}

bool lil_barrier_set_end(const lil_barriers *d, lil_barrier_work *w, int end, double t, const double *x)
{
    double *y = end ? w->y1 : w->y0;
    const double *other = end ? w->y0 : w->y1;
    lil_pose *poses = end ? w->pose1 : w->pose0, *others = end ? w->pose0 : w->pose1;
    size_t bytes = 3 * (size_t)d->point_count * sizeof *y, pose_bytes = (size_t)d->shell.part_count * sizeof *poses;
    if (barrier_near_is_of(d, w->ends[end].t, y, t, x)) {
        w->ends[end].t = t;
        return false;
    }
    if (barrier_near_is_of(d, w->ends[!end].t, other, t, x)) {
        memcpy(y, other, bytes);
        memcpy(poses, others, pose_bytes);
        w->ends[end] = w->ends[!end];
        w->ends[end].t = t;
        w->motion[end] = w->motion[!end];
        return true;
    }
    w->ends[end] = (lil_barrier_end_state){ .t = t, .at_start = barrier_near_is_of(d, w->start_t, w->start, t, x) };
    if (w->ends[end].at_start) {
        memcpy(y, w->start, bytes);
        memcpy(poses, w->start_pose, pose_bytes);
    } else {
        lil_barrier_place(d, w, t, x, poses, y);
    }
    return true;
}

/* ---- candidates ---- */

/* By how much what an end is within the bounds that the candidates are for; < 0: it is not. */
static double spare_of(const lil_barriers *d, const lil_barrier_work *w, int end)
{
    const double *y = end ? w->y1 : w->y0, *own = w->motion[end].own;
    double spare = INFINITY;
    for (int i = 0; i < w->surface_count && spare >= 0; i++) {
        int at = w->surface[i];
        double left = w->own_far[at] - own[at];
        for (int k = 3 * at; k < 3 * at + 3; k++) {
            double down = y[k] - w->low[k] + w->margin, up = w->high[k] - y[k] + w->margin;
            left = down < left ? down : left;
            left = up < left ? up : left;
        }
        spare = left < spare ? left : spare;
    }
    if (spare >= 0) {
        double shapes = lil_neighbours_hold(w->neighbours, d->threads, y);
        spare = shapes < spare ? shapes : spare;
    }
    return spare;
}

/* From here on what is within `spare` of y1 needs no look at every point. */
static void stand_beside(const lil_barriers *d, lil_barrier_work *w, double spare)
{
    memcpy(w->beside, w->y1, 3 * (size_t)d->vertex_count * sizeof *w->beside);
    w->spare = d->drives ? -1 : spare;
    w->to_beside = w->motion[1];
}

/* Whether an end is near enough to what was looked at, whose motion is then its own, nearly. */
static bool barrier_near_is_beside(const lil_barriers *d, lil_barrier_work *w, int end)
{
    const double *y = end ? w->y1 : w->y0;
    double most = 0;
    if (!(w->spare > 0))
        return false;
    for (int i = 0; i < 3 * d->vertex_count; i += 3) {
        double u = y[i] - w->beside[i], v = y[i + 1] - w->beside[i + 1], z = y[i + 2] - w->beside[i + 2],
               D = u * u + v * v + z * z;
        most = D > most ? D : most;
        if (!(D >= 0))
            return false; /* it is not a number */
    }
    double far = w->amplifies * sqrt(most);
    if (!(far <= w->spare))
        return false;
    w->motion[end] = w->to_beside;
    w->motion[end].more = far;
    return true;
}

/* Whether the candidates are all there are at an end. */
static bool covers(const lil_barriers *d, lil_barrier_work *w, int end)
{
    lil_barrier_end_state *e = &w->ends[end];
    if (e->covered || e->at_base)
        return e->covered = w->margin >= 0;
    if (w->margin < 0)
        return false;
    double spare = spare_of(d, w, end);
    e->covered = spare >= 0;
    if (e->covered && end)
        stand_beside(d, w, spare);
    return e->covered;
}

static bool barrier_near_is_tangled(const lil_barriers *d, const int at[4])
{
    return d->tangled && d->tangled[at[0]] && d->tangled[at[1]] && d->tangled[at[2]] && d->tangled[at[3]];
}

/* Strands are numbered from their roots on: a link begins at the lower of its vertices. */
static bool grow_out(const lil_barriers *d, const lil_neighbours_pair *pair)
{
    int own = pair->kind == LIL_EDGE_EDGE ? 2 : 1, first = pair->at[0], second = pair->at[own];
    for (int i = 1; i < 4; i++) {
        int *low = i < own ? &first : &second;
        *low = pair->at[i] < *low ? pair->at[i] : *low;
    }
    return lil_barrier_grows(d, first, pair->part[1]) || lil_barrier_grows(d, second, pair->part[0]);
}

/* Features of one part that are near each other at rest repel each other only from half of that distance on:
 * nothing pushes at rest. 0: they do not meet. Nothing moves them, they are tangled or overlap at rest, as links
 * of a rope that is thicker than these are long and diagonals of a cell of cloth, or are points without size. */
static double own_d_hat(const lil_barriers *d, const lil_neighbours_pair *pair)
{
    double d_hat = lil_barrier_d_hat(d, pair->part[0], pair->part[1]), radius = lil_barrier_radius(d, pair), x[12];
    const int *at = pair->at;
    if (d->still[at[0]] && d->still[at[1]] && d->still[at[2]] && d->still[at[3]])
        return 0;
    if (pair->kind == LIL_POINT_TRIANGLE && at[1] == at[2] && radius == 0)
        return 0;
    if (lil_barrier_is_grown(d, pair->part[0], pair->part[1])) {
        lil_barrier_gather(at, d->start, x);
        double gap = sqrt(lil_pair_square(pair->kind, x)) - radius;
        return grow_out(d, pair) ? 0 : fmin(d_hat, gap);
    }
    if (!lil_barrier_is_own(d, pair->part[0], pair->part[1]))
        return d_hat;
    lil_barrier_gather(at, d->rest, x);
    double free = sqrt(lil_pair_square(pair->kind, x)) - radius;
    return !barrier_near_is_tangled(d, at) && free > 1e-6 * d_hat ? fmin(d_hat, free / 2) : 0;
}

static bool barrier_near_make_room(lil_barrier_work *w, int count)
{
    if (count <= w->room)
        return true;
    w->room = 2 * count;
    w->candidates = LIL_NEW(w->arena, lil_neighbours_pair, w->room);
    w->d_hat = LIL_NEW(w->arena, double, w->room);
    w->from = LIL_NEW(w->arena, double, w->room);
    w->now = LIL_NEW(w->arena, double, w->room);
    w->near_at = LIL_NEW(w->arena, int, w->room);
    w->near_count = LIL_NEW(w->arena, int, w->room / LIL_BARRIER_PIECE + 1);
    w->least = LIL_NEW(w->arena, double, w->room / LIL_BARRIER_PIECE + 1);
    if (w->candidates && w->d_hat && w->from && w->now && w->near_at && w->near_count && w->least)
        return true;
    w->room = 0;
    return false;
}

typedef struct job {
    const lil_barriers *d;
    lil_barrier_work *w;
    const lil_neighbours_pair *list; /* of the broad phase */
    int list_count;
    bool way; /* what is near at y0 counts too */
} job;

/* How far a feature's points can be from the base. */
static double furthest(const double *far, const int *at, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = far[at[i]] > most ? far[at[i]] : most;
    return most;
}

/* How much further points may move before candidates are searched for again. */
static double margin_of(const lil_barrier_work *w, double most)
{
    return 0.25 * w->reach + 0.1 * most;
}

static void set_furthest(lil_barrier_work *w, bool whole)
{
    double most = 0;
    for (int i = 0; i < w->surface_count; i++) {
        int at = w->surface[i];
        double square = 0, before = whole ? w->motion[0].own[at] + w->motion[0].more : 0,
               after = w->motion[1].own[at] + w->motion[1].more;
        for (int k = 3 * at; k < 3 * at + 3; k++) {
            double up = w->high[k] - w->base[k], down = w->base[k] - w->low[k];
            double way = (up > down ? up : down) + w->margin;
            square += way * way;
        }
        w->furthest[at] = sqrt(square);
        w->own_far[at] = before > after ? before : after;
        most = w->own_far[at] > most ? w->own_far[at] : most;
    }
    for (int i = 0; i < w->surface_count; i++)
        w->own_far[w->surface[i]] += margin_of(w, most);
}

/* Boxes overlap where features are far apart; the distance decides. */
static void sift_piece(void *data, int piece)
{
    job *j = data;
    lil_barrier_work *w = j->w;
    int first = LIL_BARRIER_PIECE * piece, count = 0;
    for (int i = first; i < first + LIL_BARRIER_PIECE && i < j->list_count; i++) {
        const lil_neighbours_pair *pair = &j->list[i];
        int own = pair->kind == LIL_EDGE_EDGE ? 2 : 1;
        const double *let = pair->part[0] == pair->part[1] ? w->own_far : w->furthest;
        double x[12], far = lil_barrier_radius(j->d, pair) + furthest(let, pair->at, own) +
                            furthest(let, pair->at + own, 4 - own);
        lil_barrier_gather(pair->at, w->base, x);
        double from = sqrt(lil_pair_square(pair->kind, x)), bound = from * (double)pair->bend + (double)pair->off;
        if (pair->off >= 0)
            far = fmin(far, lil_barrier_radius(j->d, pair) + 1.000001 * bound);
        if (!(from < far + lil_barrier_d_hat(j->d, pair->part[0], pair->part[1])))
            continue;
        double d_hat = own_d_hat(j->d, pair);
        if (!(d_hat > 0 && from < far + d_hat))
            continue;
        w->candidates[first + count] = *pair;
        w->from[first + count] = from;
        w->d_hat[first + count++] = d_hat;
    }
    w->near_count[piece] = count;
}

static bool list_candidates(const lil_barriers *d, lil_barrier_work *w, bool way)
{
    job j = { .d = d, .w = w };
    lil_neighbours_own own = { .x = w->base, .far = w->own_far, .to = { way ? w->y1 : w->base } };
    w->count = 0;
    set_furthest(w, way);
    if (lil_neighbours_find(w->neighbours, d->threads, w->low, w->high, w->margin, &own, &j.list, &j.list_count) !=
            LIL_OK ||
        !barrier_near_make_room(w, j.list_count))
        return false;
    lil_parallel(d->threads, lil_barrier_pieces(j.list_count), sift_piece, &j);
    for (int i = 0; i < lil_barrier_pieces(j.list_count); i++)
        for (int k = 0; k < w->near_count[i]; k++) {
            w->candidates[w->count] = w->candidates[LIL_BARRIER_PIECE * i + k];
            w->from[w->count] = w->from[LIL_BARRIER_PIECE * i + k];
            w->now[w->count] = -1;
            w->d_hat[w->count++] = w->d_hat[LIL_BARRIER_PIECE * i + k];
        }
    return true;
}

/* From the first end on. False: something is not finite. */
static bool set_motions(const lil_barriers *d, lil_barrier_work *w, int first)
{
    for (int i = first; i < 2; i++) {
        lil_barrier_end_state *end = &w->ends[i];
        if (!end->measured && !end->at_base && w->margin >= 0 && barrier_near_is_beside(d, w, i))
            end->measured = end->covered = true;
        end->measured = end->measured || lil_barrier_set_motion(d, w, i);
        if (!end->measured)
            return false;
    }
    return true;
}

/* What is listed next is listed for a way that begins at this end. */
static void set_base_at(const lil_barriers *d, lil_barrier_work *w, int end)
{
    memcpy(w->base, end ? w->y1 : w->y0, 3 * (size_t)d->point_count * sizeof *w->base);
    for (int i = 0; i < 2; i++) {
        w->ends[i].measured = w->ends[i].covered = false;
        w->ends[i].at_base = i == end;
    }
    w->based = false;
    w->spare = -1;
}

bool lil_barrier_update(const lil_barriers *d, lil_barrier_work *w, bool way)
{
    int first = way ? 0 : 1;
    double most = 0;
    if (w->failed || (w->margin >= 0 && !set_motions(d, w, first)))
        return false;
    if (w->margin >= 0 && (!way || covers(d, w, 0)) && covers(d, w, 1))
        return true;
    set_base_at(d, w, first);
    if (!set_motions(d, w, first))
        return false;
    for (int i = 0; i < 3 * w->surface_count; i++) {
        int k = 3 * w->surface[i / 3] + i % 3;
        double a = w->base[k], b = w->y1[k];
        w->low[k] = a < b ? a : b;
        w->high[k] = a < b ? b : a;
        most = w->high[k] - w->low[k] > most ? w->high[k] - w->low[k] : most;
    }
    w->margin = margin_of(w, most);
    w->searches++;
    w->failed = !list_candidates(d, w, way);
    w->ends[first].covered = w->ends[1].covered = !w->failed;
    stand_beside(d, w, fmin(fmin(w->margin, margin_of(w, 0)), lil_neighbours_slack(w->neighbours)));
    return !w->failed;
}

/* Both bounds of points are convex along a way, and so are those of shapes. */
double lil_barrier_covered(const lil_barriers *d, lil_barrier_work *w)
{
    const double ROUND = 1 - 1e-9;
    double share = 1;
    if (w->failed || w->margin < 0 || !set_motions(d, w, 0) || !covers(d, w, 0))
        return 0;
    if (covers(d, w, 1))
        return 1;
    for (int i = 0; i < w->surface_count; i++) {
        int at = w->surface[i];
        double own0 = w->motion[0].own[at] + w->motion[0].more, own1 = w->motion[1].own[at] + w->motion[1].more;
        if (own1 > w->own_far[at])
            share = fmin(share, (w->own_far[at] - own0) / (own1 - own0));
        for (int k = 3 * at; k < 3 * at + 3; k++) {
            double from = w->y0[k], way = w->y1[k] - from, low = w->low[k] - w->margin, high = w->high[k] + w->margin;
            if (from + way > high || from + way < low)
                share = fmin(share, ((way > 0 ? high : low) - from) / way);
        }
    }
    share *= ROUND;
    if (!(share > 0))
        return 0;
    for (int i = 0; i < 3 * d->point_count; i++)
        w->way[i] = w->y0[i] + share * (w->y1[i] - w->y0[i]);
    return lil_neighbours_hold(w->neighbours, d->threads, w->way) >= 0 ? share : 0;
}

/* A step begins: candidates are those of the ways that lead from here. */
void lil_barrier_prepare(const void *data, void *work, double t, double h, const double *q)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    lil_barrier_set_end(d, w, 0, t, q);
    memcpy(w->start, w->y0, 3 * (size_t)d->point_count * sizeof *w->start);
    memcpy(w->start_pose, w->pose0, (size_t)d->shell.part_count * sizeof *w->start_pose);
    w->start_t = w->ends[0].t;
    lil_barrier_forget_end(w, 1);
    w->ends[0] = (lil_barrier_end_state){ .t = w->start_t, .at_start = true };
    w->step = h;
    for (int i = 0; i < d->plane_count * d->touching_count; i++)
        w->plane_slides[i].seen = false;
    w->slide_count = 0;
    w->margin = w->spare = -1;
    w->first_known = w->found = false;
    w->most = 0;
}

/* ---- what is near ---- */

lil_barrier lil_barrier_of(const lil_barriers *d, const lil_neighbours_pair *pair, double d_hat)
{
    const lil_barrier_part *a = &d->parts[pair->part[0]], *b = &d->parts[pair->part[1]];
    lil_barrier p = { .kind = pair->kind, .d_hat = d_hat, .radius = a->radius + b->radius };
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

/* At one end: most candidates have not come near enough since they were listed. */
static bool is_near_at(const job *j, int i, int end)
{
    const lil_barrier_work *w = j->w;
    const lil_neighbours_pair *pair = &w->candidates[i];
    double x[12], within = lil_barrier_radius(j->d, pair) + w->d_hat[i];
    if (w->ends[end].at_base)
        return w->from[i] < within;
    if (w->from[i] - lil_barrier_approach(&w->motion[end], pair) > within)
        return false;
    lil_barrier_gather(pair->at, end ? w->y1 : w->y0, x);
    return !far_apart(x, pair->kind == LIL_EDGE_EDGE ? 2 : 1, within) &&
           lil_pair_square(pair->kind, x) < within * within;
}

static void find_piece(void *data, int piece)
{
    job *j = data;
    lil_barrier_work *w = j->w;
    int first = LIL_BARRIER_PIECE * piece, count = 0;
    for (int i = first; i < first + LIL_BARRIER_PIECE && i < w->count; i++) {
        w->now[i] = -1;
        if (is_near_at(j, i, 1) || (j->way && is_near_at(j, i, 0)))
            w->near_at[first + count++] = i;
    }
    w->near_count[piece] = count;
}

static void find_first_piece(void *data, int piece)
{
    job *j = data;
    lil_barrier_work *w = j->w;
    int first = LIL_BARRIER_PIECE * piece, count = 0;
    for (int i = first; i < first + LIL_BARRIER_PIECE && i < w->count; i++)
        if (is_near_at(j, i, 0))
            w->near_at[first + count++] = i;
    w->near_count[piece] = count;
}

/* How many candidates are in near_at, whose pieces are joined. */
static int join_pieces(lil_barrier_work *w)
{
    int total = 0;
    for (int i = 0; i < lil_barrier_pieces(w->count); i++) {
        memmove(w->near_at + total, w->near_at + LIL_BARRIER_PIECE * i,
                (size_t)w->near_count[i] * sizeof *w->near_at);
        total += w->near_count[i];
    }
    return total;
}

/* What is near where the step begins: it belongs to every force of the step, wherever that ends. */
static bool find_first(const lil_barriers *d, lil_barrier_work *w)
{
    job j = { .d = d, .w = w };
    if (!lil_barrier_update(d, w, true))
        return false;
    lil_parallel(d->threads, lil_barrier_pieces(w->count), find_first_piece, &j);
    w->first_count = join_pieces(w);
    if (w->first_count > w->first_room) {
        w->first_room = 2 * w->first_count;
        w->first = LIL_NEW(w->arena, lil_barrier_first, w->first_room);
        w->failed = !w->first;
        w->first_room = w->failed ? 0 : w->first_room;
    }
    for (int i = 0; i < w->first_count && !w->failed; i++)
        w->first[i] = (lil_barrier_first){ w->candidates[w->near_at[i]], w->d_hat[w->near_at[i]] };
    return w->first_known = !w->failed;
}

static void barrier_near_look_piece(void *data, int piece)
{
    job *j = data;
    for (int i = LIL_BARRIER_PIECE * piece; i < LIL_BARRIER_PIECE * (piece + 1) && i < j->w->near_total; i++) {
        lil_near_pair *n = &j->w->near[i];
        double rest[12];
        n->mu = lil_barrier_mu(j->d, n->part[0], n->part[1]);
        n->damping = lil_barrier_damping(j->d, n->part[0], n->part[1]);
        n->turns = true;
        for (int k = 0; k < 4; k++)
            n->turns = n->turns && n->at[k] < lil_barrier_moving(j->d);
        if (n->p.kind == LIL_EDGE_EDGE) {
            lil_barrier_gather(n->at, j->d->rest, rest);
            n->p.parallel = lil_barrier_parallel(rest);
        }
        lil_barrier_gather(n->at, j->w->y0, n->x0);
        lil_barrier_gather(n->at, j->w->y1, n->x1);
        n->e0 = lil_barrier_look(&n->p, n->x0);
        n->e1 = lil_barrier_look(&n->p, n->x1);
        if (n->candidate >= 0)
            j->w->now[n->candidate] = sqrt(n->e1.nearest.D);
    }
}

static void take_near(const lil_barriers *d, lil_barrier_work *w, const lil_neighbours_pair *pair, double d_hat,
                      int candidate)
{
    lil_near_pair *n = &w->near[w->near_total++];
    n->p = lil_barrier_of(d, pair, d_hat);
    n->place = pair->place;
    n->candidate = candidate;
    memcpy(n->at, pair->at, sizeof n->at);
    memcpy(n->part, pair->part, sizeof n->part);
}

/* The first `count` of near_at, and all that is near where the step begins, if that counts: in the order of the tree. */
static void merge_near(const lil_barriers *d, lil_barrier_work *w, int count, int first_count)
{
    int i = 0, k = 0;
    while (i < count || k < first_count) {
        const lil_neighbours_pair *now = i < count ? &w->candidates[w->near_at[i]] : NULL,
                                  *before = k < first_count ? &w->first[k].pair : NULL;
        if (now && (!before || now->place <= before->place)) {
            k += before && before->place == now->place;
            take_near(d, w, now, w->d_hat[w->near_at[i]], w->near_at[i]);
            i++;
        } else {
            take_near(d, w, before, w->first[k++].d_hat, -1);
        }
    }
}

/* Near pairs between w->y0 and w->y1, in the order of the tree. `from_start`: the step begins at y0. `way`: y0 is
 * another place. */
static bool find_pairs(const lil_barriers *d, lil_barrier_work *w, bool from_start, bool way)
{
    job j = { .d = d, .w = w, .way = way };
    w->near_total = 0;
    lil_parallel(d->threads, lil_barrier_pieces(w->count), find_piece, &j);
    int count = join_pieces(w), first_count = from_start ? w->first_count : 0;
    if (count + first_count > w->near_room) {
        w->near_room = 2 * (count + first_count);
        w->near = LIL_NEW(w->arena, lil_near_pair, w->near_room);
        w->failed = !w->near;
        w->near_room = w->failed ? 0 : w->near_room;
    }
    if (w->failed)
        return false;
    merge_near(d, w, count, first_count);
    if (!lil_barrier_keep_slides(d, w))
        return false;
    lil_parallel(d->threads, lil_barrier_pieces(w->near_total), barrier_near_look_piece, &j);
    return true;
}

lil_plane_place lil_barrier_plane_at(const lil_barrier_plane *plane, const lil_pose *pose)
{
    lil_plane_place at;
    lil_pose_place(pose, plane->point, at.point);
    lil_pose_turn(pose, plane->normal, at.normal);
    return at;
}

static void find_planes(const lil_barriers *d, lil_barrier_work *w)
{
    w->plane_total = 0;
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        const lil_barrier_part *own = &d->parts[plane->part];
        lil_plane_place at0 = lil_barrier_plane_at(plane, &w->pose0[plane->part]),
                        at1 = lil_barrier_plane_at(plane, &w->pose1[plane->part]);
        for (int k = 0; k < d->touching_count; k++) {
            const lil_barrier_part *part = &d->parts[d->touching_part[k]];
            int v = d->touching[k];
            double d_hat = lil_barrier_plane_d_hat(d, i, k), radius = own->radius + part->radius, r0[3], r1[3];
            double gap0 = lil_barrier_gap(&at0, w->y0 + 3 * v, r0) - radius,
                   gap1 = lil_barrier_gap(&at1, w->y1 + 3 * v, r1) - radius;
            if ((gap0 >= d_hat && gap1 >= d_hat) || !lil_barrier_meets_plane(d, k, plane))
                continue;
            lil_near_plane *n = &w->planes[w->plane_total];
            n->gap0 = gap0;
            n->gap1 = gap1;
            memcpy(n->r0, r0, sizeof r0);
            memcpy(n->r1, r1, sizeof r1);
            memcpy(n->n0, at0.normal, sizeof n->n0);
            memcpy(n->n1, at1.normal, sizeof n->n1);
            n->vertex = v;
            n->plane = i;
            n->part = d->touching_part[k];
            n->p =
                (lil_barrier){ .kappa = fmin(own->stiffness, part->stiffness) * d_hat * d_hat / 24, .d_hat = d_hat };
            n->mu = lil_barrier_mu(d, plane->part, d->touching_part[k]);
            n->damping = lil_barrier_damping(d, plane->part, d->touching_part[k]);
            n->slide = &w->plane_slides[i * d->touching_count + k];
            w->plane_total++;
        }
    }
}

/* Everything that is near between x0 at t0 and x1 at t1. It is asked for the same places several times: for
 * forces, for their derivatives, for what is seen of it. */
bool lil_barrier_find(const lil_barriers *d, lil_barrier_work *w, double t0, const double *x0, double t1,
                      const double *x1)
{
    bool from = lil_barrier_set_end(d, w, 0, t0, x0), to = lil_barrier_set_end(d, w, 1, t1, x1);
    if (w->found && !from && !to && w->t0 == t0 && w->t1 == t1)
        return true;
    w->t0 = t0;
    w->t1 = t1;
    w->near_total = w->plane_total = 0;
    w->pushed = false;
    bool place = t0 == t1 && memcmp(x0, x1, 3 * (size_t)d->vertex_count * sizeof *x0) == 0,
         from_start = !place && w->ends[0].at_start;
    lil_phase_begin(w->ctx->phases, LIL_PHASE_CONTACT_SEARCH);
    w->found = (!from_start || w->first_known || find_first(d, w)) &&
               lil_barrier_update(d, w, !place && !from_start) && find_pairs(d, w, from_start, !place && !from_start);
    if (w->found)
        find_planes(d, w);
    lil_phase_end(w->ctx->phases);
    return w->found;
}
