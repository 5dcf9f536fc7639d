#include "terms/barrier.h"

#include "core/threads.h"
#include "math/matrix3.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PIECE = 256 }; /* candidates, or near pairs, that one thread takes at a time */

/* A pair within d_hat at one end of the step at least. */
typedef struct near_pair {
    lil_barrier p;
    int at[4];
    double x0[12], x1[12];
    lil_barrier_end e0, e1;
    double G[12];
} near_pair;

/* A vertex within d_hat of a plane. */
typedef struct near_plane {
    int vertex, plane;
    lil_barrier p;               /* d_hat and kappa alone count */
    double gap0, gap1, f, slope; /* G = f n; df/dgap1 */
} near_plane;

typedef struct barrier_work {
    lil_context *ctx;
    lil_arena *arena;
    lil_neighbours *neighbours;
    double **slots;     /* of parts that move */
    double *y0, *y1;    /* all points, at both ends */
    double *low, *high; /* the box of each point that the candidates are for, */
    double *way;        /* of a line search */
    double *start;      /*   where it was when the step began, or at the latest evaluation, */
    double margin;      /*   and by how much the boxes may be left; < 0: there are no candidates */
    lil_neighbours_pair *candidates;
    int count, room;
    double *d_hat;   /* of each candidate */
    int *near_at;    /* which candidates are near; a piece's from its first place on */
    int *near_count; /* of each piece */
    near_pair *near;
    int near_total, near_room;
    near_plane *planes;
    int plane_total;
    double *least;           /* of each piece of candidates: how far it lets one go */
    double driven, reach, t; /* t: of the end of what was evaluated last */
    double most;             /* how far one line search may go, m; 0: not known yet */
    bool begun;              /* `start` is where a step begins */
    bool failed;             /* memory ran out */
} barrier_work;

/* ---- begin ---- */

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const lil_barriers *d = data;
    barrier_work *w = *work = LIL_NEW(arena, barrier_work, 1);
    size_t n = 3 * (size_t)d->point_count;
    (void)second, (void)entries;
    if (!w)
        return lil_fail_memory(ctx);
    *w = (barrier_work){ .ctx = ctx, .arena = arena, .margin = -1 };
    double **vectors[] = { &w->y0, &w->y1, &w->low, &w->high, &w->start, &w->way };
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k] = LIL_NEW(arena, double, n)))
            return lil_fail_memory(ctx);
    w->planes = LIL_NEW(arena, near_plane, (size_t)d->plane_count * (size_t)d->touching_count);
    w->slots = LIL_NEW(arena, double *, d->shell.part_count);
    if (!w->planes || !w->slots)
        return lil_fail_memory(ctx);
    for (int i = 0; i < d->shell.part_count; i++) {
        w->reach = fmax(w->reach, d->shell.reach[i]);
        if (d->moves && d->moves[i] && !(w->slots[i] = lil_program_slots(d->moves[i], arena)))
            return lil_fail_memory(ctx);
    }
    return lil_neighbours_create(ctx, arena, &d->shell, d->rest, &w->neighbours);
}

/* ---- where everything is ---- */

static void moved(const lil_barriers *d, barrier_work *w, int part, double t, double at[6])
{
    memset(at, 0, 6 * sizeof *at);
    if (d->moves && d->moves[part])
        lil_program_run(d->moves[part], w->slots[part], t, NULL, NULL, at);
}

static void place(const lil_barriers *d, barrier_work *w, double t, const double *x, double *y)
{
    double at[6] = { 0 };
    memcpy(y, x, 3 * (size_t)d->vertex_count * sizeof *y);
    for (int i = d->vertex_count, before = -1; i < d->point_count; i++) {
        int part = d->obstacle_part[i - d->vertex_count];
        if (part != before)
            moved(d, w, part, t, at);
        before = part;
        for (int k = 0; k < 3; k++)
            y[3 * i + k] = d->rest[3 * i + k] + at[k];
    }
}

/* ---- candidates ---- */

static bool covers(const lil_barriers *d, const barrier_work *w, const double *y)
{
    if (w->margin < 0)
        return false;
    for (int k = 0; k < 3 * d->point_count; k++)
        if (!(y[k] >= w->low[k] - w->margin && y[k] <= w->high[k] + w->margin))
            return false;
    return true;
}

static void gather(const int at[4], const double *y, double x[12])
{
    for (int i = 0; i < 4; i++)
        memcpy(x + 3 * i, y + 3 * at[i], 3 * sizeof *x);
}

/* Features of one part that are near each other at rest repel each other only from half of that distance on: nothing pushes at rest. */
static double own_d_hat(const lil_barriers *d, const lil_neighbours_pair *pair)
{
    double d_hat = (d->parts[pair->part[0]].d_hat + d->parts[pair->part[1]].d_hat) / 2, x[12];
    if (pair->part[0] != pair->part[1])
        return d_hat;
    gather(pair->at, d->rest, x);
    double free = sqrt(lil_pair_nearest(pair->kind, x).D) - 2 * d->parts[pair->part[0]].radius;
    return fmin(d_hat, free / 2);
}

static double radius_of(const lil_barriers *d, const lil_neighbours_pair *pair)
{
    return d->parts[pair->part[0]].radius + d->parts[pair->part[1]].radius;
}

static bool make_room(barrier_work *w, int count)
{
    if (count <= w->room)
        return true;
    w->room = 2 * count;
    w->candidates = LIL_NEW(w->arena, lil_neighbours_pair, w->room);
    w->d_hat = LIL_NEW(w->arena, double, w->room);
    w->near_at = LIL_NEW(w->arena, int, w->room);
    w->near_count = LIL_NEW(w->arena, int, w->room / PIECE + 1);
    w->least = LIL_NEW(w->arena, double, w->room / PIECE + 1);
    if (w->candidates && w->d_hat && w->near_at && w->near_count && w->least)
        return true;
    w->room = 0;
    return false;
}

static int pieces(int count)
{
    return (count + PIECE - 1) / PIECE;
}

typedef struct job {
    const lil_barriers *d;
    barrier_work *w;
    const lil_neighbours_pair *list; /* of the broad phase */
    int list_count;
    double keep; /* of a gap, along a way */
} job;

/* How far a feature's points can be from where they started. */
static double furthest(const barrier_work *w, const int *at, int count)
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
    barrier_work *w = j->w;
    int first = PIECE * piece, count = 0;
    for (int i = first; i < first + PIECE && i < j->list_count; i++) {
        const lil_neighbours_pair *pair = &j->list[i];
        int own = pair->kind == LIL_EDGE_EDGE ? 2 : 1;
        double x[12], d_hat = own_d_hat(j->d, pair),
                      within = radius_of(j->d, pair) + d_hat + furthest(w, pair->at, own) +
                               furthest(w, pair->at + own, 4 - own);
        gather(pair->at, w->start, x);
        if (!(lil_pair_nearest(pair->kind, x).D < within * within))
            continue;
        w->candidates[first + count] = *pair;
        w->d_hat[first + count++] = d_hat;
    }
    w->near_count[piece] = count;
}

static bool list_candidates(const lil_barriers *d, barrier_work *w)
{
    job j = { .d = d, .w = w };
    w->count = 0;
    if (lil_neighbours_find(w->neighbours, d->threads, w->low, w->high, w->margin, &j.list, &j.list_count) !=
            LIL_OK ||
        !make_room(w, j.list_count))
        return false;
    lil_parallel(d->threads, pieces(j.list_count), sift_piece, &j);
    for (int i = 0; i < pieces(j.list_count); i++)
        for (int k = 0; k < w->near_count[i]; k++) {
            w->candidates[w->count] = w->candidates[PIECE * i + k];
            w->d_hat[w->count++] = w->d_hat[PIECE * i + k];
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
static bool update(const lil_barriers *d, barrier_work *w)
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
static void prepare(const void *data, void *work, double t, double h, const double *q)
{
    const lil_barriers *d = data;
    barrier_work *w = work;
    (void)h;
    place(d, w, t, q, w->start);
    w->t = t + h;
    w->margin = -1;
    w->begun = true;
    w->most = 0;
}

/* ---- what is near ---- */

static lil_barrier barrier_of(const lil_barriers *d, const barrier_work *w, int candidate)
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
    gather(pair->at, y, x);
    return !far_apart(x, pair->kind == LIL_EDGE_EDGE ? 2 : 1, within) &&
           lil_pair_nearest(pair->kind, x).D < within * within;
}

static bool is_near(const job *j, int i)
{
    const lil_neighbours_pair *pair = &j->w->candidates[i];
    double within = radius_of(j->d, pair) + j->w->d_hat[i];
    return is_near_at(pair, j->w->y1, within) || is_near_at(pair, j->w->y0, within);
}

static void find_piece(void *data, int piece)
{
    job *j = data;
    barrier_work *w = j->w;
    int first = PIECE * piece, count = 0;
    for (int i = first; i < first + PIECE && i < w->count; i++)
        if (is_near(j, i))
            w->near_at[first + count++] = i;
    w->near_count[piece] = count;
}

static void look_piece(void *data, int piece)
{
    job *j = data;
    for (int i = PIECE * piece; i < PIECE * (piece + 1) && i < j->w->near_total; i++) {
        near_pair *n = &j->w->near[i];
        int candidate = n->at[0];
        double rest[12];
        memcpy(n->at, j->w->candidates[candidate].at, sizeof n->at);
        n->p = barrier_of(j->d, j->w, candidate);
        if (n->p.kind == LIL_EDGE_EDGE) {
            gather(n->at, j->d->rest, rest);
            n->p.parallel = lil_barrier_parallel(rest);
        }
        gather(n->at, j->w->y0, n->x0);
        gather(n->at, j->w->y1, n->x1);
        n->e0 = lil_barrier_look(&n->p, n->x0);
        n->e1 = lil_barrier_look(&n->p, n->x1);
    }
}

/* Near pairs between w->y0 and w->y1, in the order of the candidates. */
static bool find_pairs(const lil_barriers *d, barrier_work *w)
{
    job j = { .d = d, .w = w };
    w->near_total = 0;
    lil_parallel(d->threads, pieces(w->count), find_piece, &j);
    for (int i = 0; i < pieces(w->count); i++)
        w->near_total += w->near_count[i];
    if (w->near_total > w->near_room) {
        w->near_room = 2 * w->near_total;
        w->near = LIL_NEW(w->arena, near_pair, w->near_room);
        w->failed = !w->near;
        w->near_room = w->failed ? 0 : w->near_room;
    }
    for (int i = 0, at = 0; i < pieces(w->count) && !w->failed; i++)
        for (int k = 0; k < w->near_count[i]; k++)
            w->near[at++].at[0] = w->near_at[PIECE * i + k];
    if (!w->failed)
        lil_parallel(d->threads, pieces(w->near_total), look_piece, &j);
    return !w->failed;
}

static double gap_of(const lil_barrier_plane *plane, const double at[6], const double *x)
{
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = x[k] - plane->point[k] - at[k];
    return lil_dot3(plane->normal, r);
}

static void find_planes(const lil_barriers *d, barrier_work *w, double t0, double t1)
{
    w->plane_total = 0;
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        const lil_barrier_part *own = &d->parts[plane->part];
        double at0[6], at1[6];
        moved(d, w, plane->part, t0, at0);
        moved(d, w, plane->part, t1, at1);
        for (int k = 0; k < d->touching_count; k++) {
            const lil_barrier_part *part = &d->parts[d->touching_part[k]];
            int v = d->touching[k];
            double d_hat = (own->d_hat + part->d_hat) / 2, radius = own->radius + part->radius;
            double gap0 = gap_of(plane, at0, w->y0 + 3 * v) - radius,
                   gap1 = gap_of(plane, at1, w->y1 + 3 * v) - radius;
            if (gap0 >= d_hat && gap1 >= d_hat)
                continue;
            w->planes[w->plane_total++] =
                (near_plane){ .vertex = v,
                              .plane = i,
                              .p = { .kappa = fmin(own->stiffness, part->stiffness) * d_hat * d_hat / 24,
                                     .d_hat = d_hat },
                              .gap0 = gap0,
                              .gap1 = gap1 };
        }
    }
}

/* Everything that is near between x0 at t0 and x1 at t1. */
static bool find(const lil_barriers *d, barrier_work *w, double t0, const double *x0, double t1, const double *x1)
{
    place(d, w, t0, x0, w->y0);
    place(d, w, t1, x1, w->y1);
    w->t = t1;
    w->near_total = w->plane_total = 0;
    if (!update(d, w) || !find_pairs(d, w))
        return false;
    find_planes(d, w, t0, t1);
    return true;
}

/* ---- energy and forces ---- */

typedef struct force_job {
    barrier_work *w;
    double *J; /* 144 of each near pair, or NULL */
} force_job;

static void force_piece(void *data, int piece)
{
    force_job *j = data;
    for (int i = PIECE * piece; i < PIECE * (piece + 1) && i < j->w->near_total; i++) {
        near_pair *n = &j->w->near[i];
        double *J = j->J ? j->J + 144 * (size_t)i : NULL;
        if (lil_barrier_between(&n->p, n->x0, &n->e0, n->x1, &n->e1, n->G, J))
            continue;
        memset(n->G, 0, sizeof n->G);
        if (J)
            memset(J, 0, 144 * sizeof *J);
    }
}

/* Adds G to g, which has the vertices alone; the work against obstacles is `driven`. */
static void add_forces(const lil_barriers *d, barrier_work *w, double t0, double t1, double *g)
{
    force_job j = { .w = w };
    w->driven = 0;
    lil_parallel(d->threads, pieces(w->near_total), force_piece, &j);
    for (int i = 0; i < w->near_total; i++)
        for (int k = 0; k < 12; k++) {
            int point = w->near[i].at[k / 3];
            if (point < d->vertex_count)
                g[3 * point + k % 3] += w->near[i].G[k];
            else
                w->driven += w->near[i].G[k] * (w->near[i].x1[k] - w->near[i].x0[k]);
        }
    for (int i = 0; i < w->plane_total; i++) {
        near_plane *n = &w->planes[i];
        const lil_barrier_plane *plane = &d->planes[n->plane];
        double at0[6], at1[6];
        lil_barrier_plane_between(&n->p, n->gap0, n->gap1, &n->f, &n->slope);
        for (int k = 0; k < 3; k++)
            g[3 * n->vertex + k] += n->f * plane->normal[k];
        moved(d, w, plane->part, t0, at0);
        moved(d, w, plane->part, t1, at1);
        for (int k = 0; k < 3 && d->moves; k++)
            w->driven -= n->f * plane->normal[k] * (at1[k] - at0[k]);
    }
}

static void spoil(const lil_barriers *d, double *value, double *g)
{
    if (value)
        *value = NAN;
    for (int k = 0; k < 3 * d->vertex_count && g; k++)
        g[k] = NAN;
}

static void evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                     double *gq, double *gv)
{
    const lil_barriers *d = data;
    barrier_work *w = work;
    (void)v, (void)gv;
    if (!find(d, w, t, q, t, q)) {
        spoil(d, value, gq);
        return;
    }
    double B = 0;
    for (int i = 0; i < w->near_total; i++)
        B += lil_barrier_energy(&w->near[i].p, &w->near[i].e1);
    for (int i = 0; i < w->plane_total; i++)
        B += lil_barrier_plane_energy(&w->planes[i].p, w->planes[i].gap1);
    if (value)
        *value += B;
    if (gq)
        add_forces(d, w, t, t, gq);
}

static void between(const void *data, void *work, double t0, double t1, const double *q0, const double *q1, double *g,
                    double *noise)
{
    const lil_barriers *d = data;
    barrier_work *w = work;
    (void)noise;
    if (find(d, w, t0, q0, t1, q1))
        add_forces(d, w, t0, t1, g);
    else
        spoil(d, NULL, g);
}

static double driven(const void *work)
{
    return ((const barrier_work *)work)->driven;
}

/* ---- second derivatives ---- */

static lil_status pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_pairs *list)
{
    const lil_barriers *d = data;
    (void)work;
    list->count = d->touching_count;
    list->at = lil_arena_alloc(arena, (size_t)d->touching_count, sizeof *list->at);
    if (!list->at)
        return lil_fail_memory(ctx);
    for (int i = 0; i < d->touching_count; i++) {
        list->at[i][0] = d->touching[i];
        list->at[i][1] = -1;
    }
    return LIL_OK;
}

/* Adds dG/dx1 of what was found; what obstacles have is not part of it. */
static void add_couplings(const lil_barriers *d, barrier_work *w, double weight, lil_couplings *to)
{
    for (int i = 0; i < w->near_total; i++) {
        near_pair *n = &w->near[i];
        lil_coupling c = { .count = 4 };
        if (!lil_barrier_between(&n->p, n->x0, &n->e0, n->x1, &n->e1, n->G, &c.H[0][0]))
            continue;
        for (int k = 0; k < 4; k++)
            c.at[k] = n->at[k] < d->vertex_count ? n->at[k] : -1;
        lil_couplings_add(to, &c, weight);
    }
    for (int i = 0; i < w->plane_total; i++) {
        near_plane *n = &w->planes[i];
        const double *normal = d->planes[n->plane].normal;
        lil_coupling c = { .count = 1, .at = { n->vertex } };
        lil_barrier_plane_between(&n->p, n->gap0, n->gap1, &n->f, &n->slope);
        for (int e = 0; e < 9; e++)
            c.H[e / 3][e % 3] = n->slope * normal[e / 3] * normal[e % 3];
        lil_couplings_add(to, &c, weight);
    }
}

static void couple(const void *data, void *work, double t, const double *q, const double *v, bool definite,
                   double weight, lil_couplings *to)
{
    (void)v, (void)definite;
    if (find(data, work, t, q, t, q))
        add_couplings(data, work, 2 * weight, to);
}

static void couple_between(const void *data, void *work, double t0, double t1, const double *q0, const double *q1,
                           double weight, lil_couplings *to)
{
    if (find(data, work, t0, q0, t1, q1))
        add_couplings(data, work, weight, to);
}

/* ---- how far one can go ---- */

static void reach_piece(void *data, int piece)
{
    job *j = data;
    const barrier_work *w = j->w;
    double least = 1;
    for (int i = PIECE * piece; i < PIECE * (piece + 1) && i < w->count; i++) {
        const lil_neighbours_pair *pair = &w->candidates[i];
        double x[12], dx[12], radius = radius_of(j->d, pair);
        gather(pair->at, w->y0, x);
        gather(pair->at, w->y1, dx);
        for (int k = 0; k < 12; k++)
            dx[k] -= x[k];
        least = fmin(least, lil_pair_reach(pair->kind, x, dx, radius, j->keep, least));
    }
    w->least[piece] = least;
}

static double until_planes(const lil_barriers *d, barrier_work *w, double keep, double least)
{
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        double at[6];
        moved(d, w, plane->part, w->t, at);
        for (int k = 0; k < d->touching_count; k++) {
            double radius = d->parts[plane->part].radius + d->parts[d->touching_part[k]].radius;
            double gap0 = gap_of(plane, at, w->y0 + 3 * d->touching[k]) - radius,
                   gap1 = gap_of(plane, at, w->y1 + 3 * d->touching[k]) - radius;
            if (!(gap1 > keep * gap0))
                least = fmin(least, (1 - keep) * gap0 / (gap0 - gap1));
        }
    }
    return least;
}

/* How far the line search of a step may look: its first way is where it begins, and no later one is much longer. */
static double shorten(const lil_barriers *d, barrier_work *w, const double *dq)
{
    double most = 0;
    for (int k = 0; k < 3 * d->vertex_count; k++)
        most = fmax(most, fabs(dq[k]));
    if (w->most == 0)
        w->most = 2 * most + 4 * w->reach;
    return most > w->most ? w->most / most : 1;
}

/* How far along dq every gap keeps this share of itself. Obstacles stay where they are at the end of the step. */
static double reach(const lil_barriers *d, barrier_work *w, const double *q, const double *dq, double keep)
{
    job j = { .d = d, .w = w, .keep = keep };
    double least = 1;
    place(d, w, w->t, q, w->y0);
    memcpy(w->y1, w->y0, 3 * (size_t)d->point_count * sizeof *q);
    for (int k = 0; k < 3 * d->vertex_count; k++)
        w->y1[k] += dq[k];
    if (!update(d, w))
        return 0;
    lil_parallel(d->threads, pieces(w->count), reach_piece, &j);
    for (int i = 0; i < pieces(w->count); i++)
        least = fmin(least, w->least[i]);
    return fmax(until_planes(d, w, keep, least), 0);
}

static double longest(const void *data, void *work, const double *q, const double *dq)
{
    const lil_barriers *d = data;
    barrier_work *w = work;
    double part = shorten(d, w, dq);
    for (int k = 0; k < 3 * d->vertex_count; k++)
        w->way[k] = part * dq[k];
    return part * reach(d, w, q, w->way, 0.1);
}

static bool is_open(const void *data, void *work, const double *q, const double *dq)
{
    return reach(data, work, q, dq, 0) == 1;
}

/* ---- round-off ---- */

/* The last place of a coordinate changes a gap by as much, a force by what the barrier is stiff, an energy by the force. */
static void size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const barrier_work *w = work;
    double square = 0;
    (void)data, (void)q;
    for (int i = 0; i < w->near_total; i++) {
        const near_pair *n = &w->near[i];
        double far = 0, force = 0, d = sqrt(n->e1.nearest.D) - n->p.radius;
        for (int k = 0; k < 12; k++) {
            far = fmax(far, fabs(n->x1[k]));
            force = fmax(force, fabs(n->G[k]));
        }
        *value += force * far;
        square += d > 0 ? force * far / d * (force * far / d) : 0;
    }
    for (int i = 0; i < w->plane_total; i++) {
        const near_plane *n = &w->planes[i];
        double far = 0;
        for (int k = 0; k < 3; k++)
            far = fmax(far, fabs(w->y1[3 * n->vertex + k]));
        *value += fabs(n->f) * far;
        square += n->slope * far * n->slope * far;
    }
    if (gradient)
        *gradient += 3 * sqrt(square); /* deep in the barrier it is three times as stiff as force over gap */
}

/* ---- what is seen of it ---- */

/* The smallest gap within the barrier. */
static void touch(const void *data, void *work, double t, const double *q, const double *v, lil_touch *most)
{
    barrier_work *w = work;
    (void)v;
    if (!find(data, w, t, q, t, q))
        return;
    for (int i = 0; i < w->near_total; i++)
        most->depth = fmax(most->depth, w->near[i].p.radius - sqrt(w->near[i].e1.nearest.D));
    for (int i = 0; i < w->plane_total; i++)
        most->depth = fmax(most->depth, -w->planes[i].gap1);
}

static const lil_term_table table = {
    .name = "barrier",
    .doc = "contact that cannot be passed, B = sum kappa m b(D)",
    .place = LIL_POTENTIAL,
    .impassable = true,
    .begin = begin,
    .prepare = prepare,
    .evaluate = evaluate,
    .between = between,
    .driven = driven,
    .pairs = pairs,
    .couple = couple,
    .couple_between = couple_between,
    .longest = longest,
    .is_open = is_open,
    .size = size,
    .touch = touch,
};

lil_term lil_barrier_term(const lil_barriers *barriers)
{
    return (lil_term){ .table = &table, .data = (void *)barriers, .uses_q = true, .uses_t = barriers->moves != NULL };
}
