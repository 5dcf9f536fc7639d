/*
 * Contact by barrier: parts that touch at the start are moved apart.
 *
 * Whole parts are shifted by t, as little as possible, so that every gap that is closed becomes d_hat, where the
 * barrier begins:
 *
 *     minimise sum |t_a|^2   such that   n.(t_a - t_b) >= d_hat - gap   for all contacts
 *
 * which Hildreth's method solves, contact by contact. n is the normal of a triangle, of a plane, of two crossing
 * edges, or of something thick. Where surfaces meet face on face, n is only that of a contact if one feature lies
 * above the other along n: the sides of equal stacked boxes push nothing sideways.
 */
#include "world/barriers.h"

#include "constraints/constraint.h"
#include "math/matrix3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 0.05;     /* of d_hat: gaps below this are opened */
static const double OPEN = 1 + 1e-9; /* of d_hat: to this, beyond round-off */
static const double FLAT = 1e-2;     /* a feature may lie this much aslant, in radians */
static const double SUNK = 0.2;      /* of its radius: what is thick may be this deep, or d_hat */

/* n.(t_a - t_b) >= need, of parts a < b */
typedef struct wish {
    int a, b;
    double n[3], gap, need, force; /* force: the multiplier */
} wish;

typedef struct lifter {
    lil_world *w;
    const lil_barriers *b;
    const double *y;
    int *begin, *element; /* of each point: the elements it is a corner of */
    double *side;         /* of each part: 1 if its triangles face outwards, -1 inwards, 0: it has no inside */
    int *leader;          /* of each part: parts with one leader are joined, and move together */
    bool *pinned;         /* of each leader */
    double *least;        /* of two parts: the smallest gap */
    wish *wishes;
    int count, room;
    double (*t)[3]; /* of each leader */
} lifter;

/* ---- what belongs together ---- */

static lil_status list_elements(lifter *l)
{
    const lil_shell *s = &l->b->shell;
    LIL_ALLOC(l->w->ctx, &l->w->arena, l->begin, l->b->point_count + 2);
    LIL_ALLOC(l->w->ctx, &l->w->arena, l->element, 3 * (size_t)s->count);
    for (int i = 0; i < 3 * s->count; i++)
        if (s->corners[i / 3][i % 3] >= 0)
            l->begin[s->corners[i / 3][i % 3] + 2]++;
    for (int v = 0; v < l->b->point_count; v++)
        l->begin[v + 2] += l->begin[v + 1];
    for (int i = 0; i < 3 * s->count; i++)
        if (s->corners[i / 3][i % 3] >= 0)
            l->element[l->begin[s->corners[i / 3][i % 3] + 1]++] = i / 3;
    return LIL_OK;
}

static bool is_surface(const int *corners)
{
    return corners[2] >= 0;
}

static void edges_of(const lifter *l, const int *corners, double e[3], double f[3])
{
    for (int k = 0; k < 3; k++) {
        e[k] = l->y[3 * corners[1] + k] - l->y[3 * corners[0] + k];
        f[k] = l->y[3 * corners[2] + k] - l->y[3 * corners[0] + k];
    }
}

/* By the volume that the triangles enclose, as seen from the first corner of the part. Particles and meshes of
 * obstacles enclose none. */
static void find_sides(lifter *l)
{
    const lil_shell *s = &l->b->shell;
    int first = -1, part = -1;
    for (int i = 0; i < s->count; i++) {
        double e[3], f[3], n[3], at[3];
        bool body = s->part[i] < l->w->count && !l->w->list[s->part[i]].particles,
             solid = s->part[i] >= l->w->count && s->part[i] < l->w->count + l->w->obstacle_count &&
                     lil_obstacle_shape_of(&l->w->obstacles[s->part[i] - l->w->count].contact.obstacle)->depth;
        if (!(body || solid) || !is_surface(s->corners[i]))
            continue;
        first = s->part[i] == part ? first : s->corners[i][0];
        part = s->part[i];
        edges_of(l, s->corners[i], e, f);
        lil_cross3(e, f, n);
        for (int k = 0; k < 3; k++)
            at[k] = l->y[3 * s->corners[i][0] + k] - l->y[3 * first + k];
        l->side[part] += lil_dot3(at, n);
    }
    for (int p = 0; p < s->part_count; p++)
        l->side[p] = l->side[p] > 0 ? 1 : l->side[p] < 0 ? -1 : 0;
}

static int part_of(const lifter *l, int vertex)
{
    for (int i = 0; i < l->w->count; i++)
        if (vertex >= l->w->list[i].first && vertex < l->w->list[i].first + l->w->list[i].mesh.vertex_count)
            return i;
    return -1;
}

static void join(lifter *l, int a, int b)
{
    int from = l->leader[a], to = l->leader[b];
    for (int i = 0; i < l->w->count && from != to; i++)
        l->leader[i] = l->leader[i] == from ? to : l->leader[i];
}

/* Links, angles and joints hold points together; all other constraints hold them where they are. */
static lil_status join_bound(lifter *l, const lil_constraint *c, bool *stays)
{
    bool joins = c->table == &lil_constraint_distance || c->table == &lil_constraint_angle ||
                 c->table == &lil_constraint_equal || c->table == &lil_constraint_tie;
    lil_jacobian G = { 0 };
    void *work;
    int *first;
    LIL_ALLOC(l->w->ctx, &l->w->arena, first, (size_t)c->count * (size_t)c->table->rows);
    LIL_TRY(lil_constraint_begin(l->w->ctx, c, &l->w->arena, &work, &G));
    for (int i = 0; i < G.count; i++) {
        int part = part_of(l, G.col[i] / 3), *row = &first[G.row[i]]; /* 0: not seen yet */
        if (part < 0)
            continue;
        stays[part] = stays[part] || !joins;
        if (*row)
            join(l, *row - 1, part);
        *row = part + 1;
    }
    return LIL_OK;
}

/* Parts that are fixed or have a handle stay, and so do strands, obstacles, and parts joined to either. */
static lil_status find_pinned(lifter *l)
{
    int n = l->b->shell.part_count;
    bool *stays;
    LIL_ALLOC(l->w->ctx, &l->w->arena, stays, n);
    for (int i = 0; i < n; i++) {
        l->leader[i] = i;
        stays[i] = i >= l->w->count || l->w->list[i].strands;
    }
    for (int i = 0; i < l->w->count; i++)
        for (int v = 0; v < l->w->list[i].mesh.vertex_count; v++)
            stays[i] = stays[i] || l->w->held[l->w->list[i].first + v];
    for (int i = 0; i < l->w->constraint_count; i++)
        LIL_TRY(join_bound(l, &l->w->constraints[i], stays));
    for (int i = 0; i < n; i++)
        l->pinned[l->leader[i]] = l->pinned[l->leader[i]] || stays[i];
    return LIL_OK;
}

static bool is_strand(const lifter *l, int part)
{
    return part >= l->w->count + l->w->obstacle_count || (part < l->w->count && l->w->list[part].strands);
}

/* One of them can move without the other. Strands may grow out of what they touch. */
static bool can_part(const lifter *l, int a, int b)
{
    return !lil_barrier_is_own(l->b, a, b) && l->leader[a] != l->leader[b] && !is_strand(l, a) && !is_strand(l, b) &&
           !(l->pinned[l->leader[a]] && l->pinned[l->leader[b]]);
}

/* ---- contacts ---- */

static lil_status add_wish(lifter *l, int a, int b, const double n[3], double gap)
{
    int parts = l->b->shell.part_count;
    double radius = l->b->parts[a].radius + l->b->parts[b].radius, d_hat = lil_barrier_d_hat(l->b, a, b);
    if (a > b)
        return add_wish(l, b, a, (double[3]){ -n[0], -n[1], -n[2] }, gap);
    if (gap < -(radius > 0 ? fmin(SUNK * radius, d_hat) : d_hat))
        return LIL_OK; /* too deep to have been meant to touch */
    if (l->count == l->room) {
        int room = 2 * l->room + 1024;
        wish *more;
        LIL_ALLOC(l->w->ctx, &l->w->arena, more, room);
        if (l->count)
            memcpy(more, l->wishes, (size_t)l->count * sizeof *more);
        l->wishes = more;
        l->room = room;
    }
    l->wishes[l->count++] = (wish){ a, b, { n[0], n[1], n[2] }, gap, 0, 0 };
    l->least[a * parts + b] = fmin(l->least[a * parts + b], gap);
    return LIL_OK;
}

/* Whether all elements at a point, or its triangles alone, are above it along n. */
static bool is_lowest(const lifter *l, int point, bool surface, const double n[3])
{
    for (int i = l->begin[point]; i < l->begin[point + 1]; i++)
        for (int k = 0; k < 3 && !(surface && !is_surface(l->b->shell.corners[l->element[i]])); k++) {
            int other = l->b->shell.corners[l->element[i]][k];
            if (other < 0 || other == point)
                continue;
            double e[3];
            for (int d = 0; d < 3; d++)
                e[d] = l->y[3 * other + d] - l->y[3 * point + d];
            if (lil_dot3(n, e) < -FLAT * sqrt(lil_dot3(e, e)))
                return false;
        }
    return true;
}

/* The same of the triangles that have an edge; where none has it, as a diagonal of cloth, of those at its ends. */
static bool is_lowest_edge(const lifter *l, const int edge[2], const double n[3])
{
    bool loose = true;
    for (int i = l->begin[edge[0]]; i < l->begin[edge[0] + 1]; i++) {
        const int *corners = l->b->shell.corners[l->element[i]];
        bool has = corners[0] == edge[1] || corners[1] == edge[1] || corners[2] == edge[1];
        loose = loose && !(has && is_surface(corners));
        for (int k = 0; k < 3 && has; k++) {
            if (corners[k] < 0 || corners[k] == edge[0] || corners[k] == edge[1])
                continue;
            double e[3];
            for (int d = 0; d < 3; d++)
                e[d] = l->y[3 * corners[k] + d] - l->y[3 * edge[0] + d];
            if (lil_dot3(n, e) < -FLAT * sqrt(lil_dot3(e, e)))
                return false;
        }
    }
    return !loose || (is_lowest(l, edge[0], true, n) && is_lowest(l, edge[1], true, n));
}

/* Outwards, as long as twice the area around a point or, with `other`, beside an edge; 0 where the part has no
 * inside. */
static void outward(const lifter *l, int point, int other, int part, double n[3])
{
    n[0] = n[1] = n[2] = 0;
    for (int i = l->begin[point]; i < l->begin[point + 1]; i++) {
        const int *corners = l->b->shell.corners[l->element[i]];
        double e[3], f[3], m[3];
        if (!is_surface(corners) || (other >= 0 && corners[0] != other && corners[1] != other && corners[2] != other))
            continue;
        edges_of(l, corners, e, f);
        lil_cross3(e, f, m);
        for (int d = 0; d < 3; d++)
            n[d] += l->side[part] * m[d];
    }
}

static bool set_length_1(double n[3])
{
    double length = sqrt(lil_dot3(n, n));
    for (int d = 0; d < 3 && length > 0; d++)
        n[d] /= length;
    return length > 0;
}

/* Which way a surface without inside pushes: against what it meets, or to the side on which that is, or up. */
static bool turns(const lifter *l, const double n[3], const double outward_of_other[3], double gap, double d_hat)
{
    double against = lil_dot3(n, outward_of_other);
    if (against != 0)
        return against > 0;
    if (fabs(gap) > 1e-9 * d_hat)
        return gap < 0;
    return lil_dot3(n, l->w->gravity) > 0;
}

/* A triangle pushes along its normal, where the point is above or below it. */
static lil_status wish_point(lifter *l, const lil_neighbours_pair *pair, const double x[12])
{
    const int *at = pair->at, *part = pair->part;
    lil_closest near = lil_pair_nearest(pair->kind, x);
    double n[3], own[3], gap, d_hat = lil_barrier_d_hat(l->b, part[0], part[1]);
    if (at[1] == at[2] || at[2] == at[3])
        return LIL_OK;
    edges_of(l, at + 1, n, own);
    double e[3] = { n[0], n[1], n[2] };
    lil_cross3(e, own, n);
    if (!set_length_1(n))
        return LIL_OK;
    outward(l, at[0], -1, part[0], own);
    gap = lil_dot3(n, near.r);
    if (l->side[part[1]] < 0 || (l->side[part[1]] == 0 && turns(l, n, own, gap, d_hat))) {
        gap = -gap;
        for (int d = 0; d < 3; d++)
            n[d] = -n[d];
    }
    if (near.D - gap * gap > 1e-12 * (d_hat * d_hat) + 1e-12 * near.D)
        return LIL_OK;
    if (l->side[part[0]] != 0 && lil_dot3(n, own) >= 0)
        return LIL_OK;
    return is_lowest(l, at[0], false, n) ? add_wish(l, part[0], part[1], n, gap) : LIL_OK;
}

static lil_status wish_edges(lifter *l, const lil_neighbours_pair *pair, const double x[12])
{
    const double PARALLEL = 1e-2;
    const int *at = pair->at, *part = pair->part;
    lil_closest near = lil_pair_nearest(pair->kind, x);
    double e[3], f[3], n[3], own[3], other[3], both[3], d_hat = lil_barrier_d_hat(l->b, part[0], part[1]);
    for (int d = 0; d < 3; d++) {
        e[d] = x[3 + d] - x[d];
        f[d] = x[9 + d] - x[6 + d];
    }
    lil_cross3(e, f, n);
    if (lil_dot3(n, n) < PARALLEL * PARALLEL * lil_dot3(e, e) * lil_dot3(f, f) || !set_length_1(n))
        return LIL_OK;
    outward(l, at[0], at[1], part[0], own);
    outward(l, at[2], at[3], part[1], other);
    for (int d = 0; d < 3; d++)
        both[d] = own[d] - other[d];
    double gap = lil_dot3(n, near.r);
    if (turns(l, n, both, gap, d_hat)) {
        gap = -gap;
        for (int d = 0; d < 3; d++)
            n[d] = -n[d];
    }
    const double down[3] = { -n[0], -n[1], -n[2] };
    bool above = near.D - gap * gap <= 1e-12 * (d_hat * d_hat) + 1e-12 * near.D,
         facing =
             (l->side[part[0]] == 0 || lil_dot3(n, own) < 0) && (l->side[part[1]] == 0 || lil_dot3(n, other) > 0);
    return above && facing && is_lowest_edge(l, at, n) && is_lowest_edge(l, at + 2, down)
               ? add_wish(l, part[0], part[1], n, gap)
               : LIL_OK;
}

static lil_status wish_pair(lifter *l, const lil_neighbours_pair *pair)
{
    const int *part = pair->part;
    double x[12], radius = l->b->parts[part[0]].radius + l->b->parts[part[1]].radius;
    for (int k = 0; k < 12; k++)
        x[k] = l->y[3 * pair->at[k / 3] + k % 3];
    if (radius > 0) { /* what is thick pushes along the shortest way */
        lil_closest near = lil_pair_nearest(pair->kind, x);
        double n[3] = { near.r[0], near.r[1], near.r[2] };
        return set_length_1(n) ? add_wish(l, part[0], part[1], n, sqrt(near.D) - radius) : LIL_OK;
    }
    return pair->kind == LIL_EDGE_EDGE ? wish_edges(l, pair, x) : wish_point(l, pair, x);
}

static lil_status wish_planes(lifter *l, double margin)
{
    const lil_barriers *b = l->b;
    for (int i = 0; i < b->plane_count; i++) {
        const lil_barrier_plane *plane = &b->planes[i];
        const lil_pose *start = &l->w->obstacles[plane->part - l->w->count].start;
        double point[3], n[3];
        lil_pose_place(start, plane->point, point);
        lil_pose_turn(start, plane->normal, n);
        for (int k = 0; k < b->touching_count; k++) {
            int part = b->touching_part[k];
            double gap = -b->parts[part].radius;
            for (int d = 0; d < 3; d++)
                gap += n[d] * (l->y[3 * b->touching[k] + d] - point[d]);
            if (lil_barrier_meets_plane(b, k, plane) && can_part(l, part, plane->part) &&
                gap < lil_barrier_d_hat(b, part, plane->part) + margin)
                LIL_TRY(add_wish(l, part, plane->part, n, gap));
        }
    }
    return LIL_OK;
}

/* Everything that a shift of `margin` could bring together. */
static lil_status collect(lifter *l, lil_neighbours *neighbours, double margin)
{
    const lil_neighbours_pair *pairs;
    int count, parts = l->b->shell.part_count;
    l->count = 0;
    for (int i = 0; i < parts * parts; i++)
        l->least[i] = INFINITY;
    LIL_TRY(lil_neighbours_find(neighbours, l->b->threads, l->y, l->y, margin, NULL, &pairs, &count));
    for (int i = 0; i < count; i++)
        if (can_part(l, pairs[i].part[0], pairs[i].part[1]))
            LIL_TRY(wish_pair(l, &pairs[i]));
    return wish_planes(l, margin);
}

/* ---- the least shift ---- */

static int by_direction(const void *p, const void *q)
{
    const wish *one = p, *other = q;
    if (one->a != other->a || one->b != other->b)
        return one->a != other->a ? one->a - other->a : one->b - other->b;
    for (int d = 0; d < 3; d++)
        if (one->n[d] != other->n[d])
            return one->n[d] < other->n[d] ? -1 : 1;
    return (one->gap > other->gap) - (one->gap < other->gap);
}

/* Parts that touch are opened to d_hat; others come no nearer than they are, or d_hat. Of one direction the
 * smallest gap counts. How many gaps are to be opened. */
static int set_needs(lifter *l)
{
    int parts = l->b->shell.part_count, kept = 0, closed = 0;
    for (int i = 0; i < l->count; i++)
        for (int d = 0; d < 3; d++)
            l->wishes[i].n[d] = 1e-9 * round(1e9 * l->wishes[i].n[d]) + 0.0; /* no -0 */
    if (l->count)
        qsort(l->wishes, (size_t)l->count, sizeof *l->wishes, by_direction);
    for (int i = 0; i < l->count; i++) {
        wish w = l->wishes[i];
        const wish *last = kept ? &l->wishes[kept - 1] : NULL;
        double d_hat = lil_barrier_d_hat(l->b, w.a, w.b), least = l->least[w.a * parts + w.b];
        if (last && last->a == w.a && last->b == w.b && memcmp(last->n, w.n, sizeof w.n) == 0)
            continue;
        w.need = (least < NEAR * d_hat ? OPEN * d_hat : fmin(least, OPEN * d_hat)) - w.gap;
        closed += least < NEAR * d_hat;
        l->wishes[kept++] = w;
    }
    l->count = kept;
    return closed;
}

/* n.(t_a - t_b) is less than it should be by this much. */
static double missing(const lifter *l, const wish *w)
{
    double sum = w->need;
    for (int d = 0; d < 3; d++)
        sum -= w->n[d] * (l->t[l->leader[w->a]][d] - l->t[l->leader[w->b]][d]);
    return sum;
}

/* Hildreth's method. False: there is no room. */
static bool solve(lifter *l)
{
    const double SWEEPS = 2e4, WORK = 2e8, EXACT = 1e-12;
    double most = 0, change = INFINITY;
    memset(l->t, 0, (size_t)l->b->shell.part_count * sizeof *l->t);
    for (int i = 0; i < l->count; i++) {
        l->wishes[i].force = 0;
        most = fmax(most, l->wishes[i].need);
    }
    for (double k = 0; k < fmin(SWEEPS, WORK / (l->count + 1)) && change > EXACT * most; k++) {
        change = 0;
        for (int i = 0; i < l->count; i++) {
            wish *w = &l->wishes[i];
            int a = l->leader[w->a], b = l->leader[w->b];
            double more = fmax(missing(l, w) / (!l->pinned[a] + !l->pinned[b]), -w->force);
            w->force += more;
            change = fmax(change, fabs(more));
            for (int d = 0; d < 3; d++) {
                l->t[a][d] += l->pinned[a] ? 0 : more * w->n[d];
                l->t[b][d] -= l->pinned[b] ? 0 : more * w->n[d];
            }
        }
    }
    for (int i = 0; i < l->count; i++)
        if (missing(l, &l->wishes[i]) > 1e-6 * lil_barrier_d_hat(l->b, l->wishes[i].a, l->wishes[i].b))
            return false;
    return true;
}

static double longest_shift(const lifter *l)
{
    double most = 0;
    for (int i = 0; i < l->w->count; i++)
        most = fmax(most, sqrt(lil_dot3(l->t[i], l->t[i])));
    return most;
}

/* ---- what was done ---- */

static bool is_closed(const lifter *l, const wish *w)
{
    return l->least[w->a * l->b->shell.part_count + w->b] < NEAR * lil_barrier_d_hat(l->b, w->a, w->b);
}

/* "'floor', 'left' and others" */
static void list_names(const lifter *l, int part, char *to, size_t size)
{
    enum { NAMED = 2 };
    int last = -1, count = 0, length = 0;
    to[0] = 0;
    for (int i = 0; i < l->count && count <= NAMED; i++) {
        const wish *w = &l->wishes[i];
        int other = w->a == part ? w->b : w->b == part ? w->a : -1;
        if (other < 0 || other == last || !is_closed(l, w))
            continue;
        last = other;
        if (count++ < NAMED)
            length += snprintf(to + length, size - (size_t)length, "%s'%.60s'", length ? ", " : "",
                               l->b->parts[other].name);
        else
            snprintf(to + length, size - (size_t)length, " and others");
    }
}

static lil_status note(const lifter *l, lil_lift *lift)
{
    LIL_ALLOC(l->w->ctx, &l->w->arena, lift->shift, l->w->count);
    LIL_ALLOC(l->w->ctx, &l->w->arena, lift->from, l->w->count);
    for (int i = 0; i < l->w->count; i++) {
        const double *t = l->t[l->leader[i]];
        char names[256];
        double size = fmax(fabs(t[0]), fmax(fabs(t[1]), fabs(t[2])));
        list_names(l, i, names, sizeof names);
        LIL_HAVE(l->w->ctx, lift->from[i] = lil_arena_copy(&l->w->arena, names, strlen(names)));
        for (int d = 0; d < 3; d++)
            lift->shift[i][d] = fabs(t[d]) > 1e-8 * size ? t[d] : 0;
    }
    return LIL_OK;
}

static lil_status lift_parts(lifter *l, lil_lift *lift)
{
    enum { ROUNDS = 6 };
    lil_neighbours *neighbours;
    double margin = 0;
    LIL_TRY(lil_neighbours_create(l->w->ctx, &l->w->arena, &l->b->shell, l->b->rest, &neighbours));
    for (int round = 0; round < ROUNDS; round++) {
        LIL_TRY(collect(l, neighbours, margin));
        if (!set_needs(l) || !solve(l))
            return LIL_OK;
        if (longest_shift(l) <= margin)
            return note(l, lift);
        margin = 2 * longest_shift(l);
    }
    return LIL_OK;
}

lil_status lil_lift_barrier_start(lil_world *w, const lil_barriers *b, const double *y, lil_lift *lift)
{
    size_t n = (size_t)b->shell.part_count;
    lifter l = { .w = w,
                 .b = b,
                 .y = y,
                 .side = LIL_NEW(&w->arena, double, n),
                 .leader = LIL_NEW(&w->arena, int, n),
                 .pinned = LIL_NEW(&w->arena, bool, n),
                 .least = LIL_NEW(&w->arena, double, n *n),
                 .t = lil_arena_alloc(&w->arena, n, sizeof *l.t) };
    *lift = (lil_lift){ 0 };
    LIL_HAVE(w->ctx, l.side && l.leader && l.pinned && l.least && l.t);
    LIL_TRY(list_elements(&l));
    LIL_TRY(find_pinned(&l));
    find_sides(&l);
    LIL_TRY(lift_parts(&l, lift));
    for (int i = 0; i < w->count && lift->shift; i++)
        for (int k = 0; k < 3 * w->list[i].mesh.vertex_count; k++)
            w->x[3 * w->list[i].first + k] += lift->shift[i][k % 3];
    return LIL_OK;
}

void lil_lift_warn(lil_world *w, const lil_lift *lift)
{
    for (int i = 0; i < w->count && lift->shift; i++) {
        const double *t = lift->shift[i];
        double far = sqrt(lil_dot3(t, t));
        if (far == 0)
            continue;
        if (lift->from[i][0])
            lil_warn(
                w->ctx,
                "'%.60s' touches %s at the start: it is moved %.3g m away, by [%.3g, %.3g, %.3g] m, to where the "
                "contact force begins",
                w->list[i].name, lift->from[i], far, t[0], t[1], t[2]);
        else
            lil_warn(w->ctx,
                     "'%.60s' is moved by %.3g m, [%.3g, %.3g, %.3g] m, at the start, because a part that is joined "
                     "to it or that would touch it is moved",
                     w->list[i].name, far, t[0], t[1], t[2]);
    }
}
