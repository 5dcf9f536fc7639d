/* Contact by barrier: whether what the world starts with is apart, and where strands grow out of something. */
#include "world/barrier_surfaces.h"
#include "world/barriers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Strands of one name: a part that each of their links touches, and where. */
typedef struct strand_set {
    const lil_body *body;
    int part;
    int *touches; /* a part, or -1 */
    double (*at)[3];
} strand_set;

/* The link of a strand that begins at a vertex touches a part, or grows out of it. */
typedef struct growth {
    int vertex, part;
} growth;

typedef struct growths {
    growth *list;
    int count, room;
} growths;

typedef struct checker {
    lil_world *w;
    const lil_barriers *b;
    const lil_barrier_roots *roots;
    bool again;  /* some strands have been laid otherwise: what touches its own kind now is refused */
    double *gap; /* of two parts: how far apart they are */
    double *y;   /* all points, where they start */
    strand_set *strand_sets;
    int strand_set_count;
    growths touched, grown; /* all that links of strands touch; what they grow out of, by ascending vertices */
    bool out_of_memory;
    int *start, *joined; /* of each vertex: those it is linked to */
    int *steps, *queue;  /* how many links away a vertex is, -1: not looked at; which have been */
} checker;

static const lil_pose *start_of(const checker *c, int part)
{
    return &c->w->obstacles[part - c->w->count].start;
}

/* ---- what is found ---- */

static const char *kind_of(int corners)
{
    return corners == 3 ? "triangle" : corners == 2 ? "edge" : "point";
}

/* The first point of a body: of its own vertices, or of the surface that it carries. */
static int first_point(const checker *c, const char *name, bool carried)
{
    int first = c->b->vertex_count;
    for (int i = 0; i < c->w->count; i++) {
        if (c->w->list[i].name == name)
            return carried ? first : c->w->list[i].first;
        first += c->w->list[i].embedding.count;
    }
    return 0;
}

/* "triangle 3-7-12 of 'cow'", vertices as the body, or its surface, numbers them; obstacles have none */
static int describe(const checker *c, const int *at, int count, int part, char *to, size_t size)
{
    const char *name = c->b->parts[part].name;
    bool obstacle = part >= c->w->count && part < c->w->count + c->w->obstacle_count,
         carried = at[0] >= c->b->vertex_count;
    if (obstacle)
        return snprintf(to, size, "the obstacle '%.60s'", name);
    int first = first_point(c, name, carried), length = snprintf(to, size, "%s ", kind_of(count));
    for (int i = 0; i < count; i++)
        length += snprintf(to + length, size - (size_t)length, "%s%d", i ? "-" : "", at[i] - first);
    return length +
           snprintf(to + length, size - (size_t)length, " of %s'%.60s'", carried ? "the surface of " : "", name);
}

/* The body whose location represents two colliding parts, one of which is a body. */
static int body_among(const checker *c, int one, int other)
{
    return one < c->w->count ? one : other;
}

/* Two features by their points: what of each is in the way of the other. */
typedef struct contact {
    const int *a, *b;
    int a_count, b_count, part[2];
    const double *x; /* where */
} contact;

static lil_status refuse(const checker *c, const contact *it)
{
    const lil_barrier_part *p = c->b->parts;
    const char *one = p[it->part[0]].name, *other = p[it->part[1]].name;
    char what[160], first[200], second[200];
    double at[3];
    if (it->part[0] > it->part[1])
        return refuse(c, &(contact){ it->b, it->a, it->b_count, it->a_count, { it->part[1], it->part[0] }, it->x });
    if (one == other)
        snprintf(what, sizeof what, "'%.60s' touches itself", one);
    else
        snprintf(what, sizeof what, "'%.60s' and '%.60s' touch", one, other);
    for (int k = 0; k < 3; k++)
        at[k] = fabs(it->x[k]) < 1e-12 ? 0 : it->x[k]; /* people read it */
    describe(c, it->a, it->a_count, it->part[0], first, sizeof first);
    describe(c, it->b, it->b_count, it->part[1], second, sizeof second);
    return lil_world_refuse_body(c->w, body_among(c, it->part[0], it->part[1]),
                                 "%s at the start, %s and %s, at [%.6g, %.6g, %.6g]: move them apart, or exclude the "
                                 "pair from contact, contact: {ignore: [[%.60s, %.60s]]}",
                                 what, first, second, at[0], at[1], at[2], one, other);
}

/* The link of a strand that a point or an edge of it is, from its root on; -1: it is none of a strand_set. */
static int link_of(const strand_set *t, const int *at, int count, int part)
{
    int nodes = t->body->strands->nodes, v = at[0] - t->body->first;
    if (part != t->part)
        return -1;
    if (count == 2 && at[1] - t->body->first < v)
        v = at[1] - t->body->first;
    if (v % nodes == nodes - 1)
        v--;
    return v / nodes * (nodes - 1) + v % nodes;
}

static void add_growth(checker *c, growths *g, int vertex, int part)
{
    if (g->count == g->room) {
        growth *list = LIL_NEW(&c->w->arena, growth, 2 * (size_t)g->room + 64);
        c->out_of_memory = c->out_of_memory || !list;
        if (!list)
            return;
        if (g->count)
            memcpy(list, g->list, (size_t)g->count * sizeof *list);
        g->list = list;
        g->room = 2 * g->room + 64;
    }
    g->list[g->count++] = (growth){ vertex, part };
}

static void note_link(checker *c, strand_set *t, int link, int part, const double *x)
{
    t->touches[link] = part;
    memcpy(t->at[link], x, sizeof *t->at);
    add_growth(c, &c->touched, t->body->first + t->body->links.at[link][0], part);
}

/* A strand may be growing out of what it touches, which is seen when all of it is known; or it would hang through
 * it or another one. */
static bool note_strand(checker *c, const contact *it)
{
    bool noted = false, own = lil_barrier_is_own(c->b, it->part[0], it->part[1]);
    for (int i = 0; i < c->strand_set_count && !(own && c->again); i++) {
        strand_set *t = &c->strand_sets[i];
        int link[2] = { link_of(t, it->a, it->a_count, it->part[0]), link_of(t, it->b, it->b_count, it->part[1]) };
        for (int side = 0; side < 2; side++)
            if (link[side] >= 0) {
                bool point = (side ? it->b_count : it->a_count) == 1;
                int v = (side ? it->b : it->a)[0] - t->body->first, nodes = t->body->strands->nodes;
                note_link(c, t, link[side], it->part[1 - side], it->x);
                if (point && v % nodes > 0 && v % nodes < nodes - 1) /* it ends another link too */
                    note_link(c, t, link[side] - 1, it->part[1 - side], it->x);
                noted = true;
            }
    }
    return noted;
}

/* ---- links that overlap because they are short ---- */

static lil_status join(checker *c)
{
    int n = c->w->vertex_count, total = 0;
    for (int i = 0; i < c->w->count; i++)
        total += 2 * c->w->list[i].links.count;
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->start, n + 2);
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->joined, total);
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->steps, n);
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->queue, n);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->w->count; i++)
            for (int k = 0; k < 2 * c->w->list[i].links.count; k++) {
                const int *ends = c->w->list[i].links.at[k / 2];
                int from = c->w->list[i].first + ends[k % 2], to = c->w->list[i].first + ends[1 - k % 2];
                if (pass)
                    c->joined[c->start[from + 1]++] = to;
                else
                    c->start[from + 2]++;
            }
        for (int v = 0; v < n && !pass; v++)
            c->start[v + 2] += c->start[v + 1];
    }
    for (int v = 0; v < n; v++)
        c->steps[v] = -1;
    return LIL_OK;
}

/* Whether some of b is at most `most` links away from some of a. */
static bool is_joined(checker *c, const contact *it, int most)
{
    int count = 0, seen = 0;
    bool found = false;
    for (int i = 0; i < it->a_count; i++)
        if (c->steps[it->a[i]] < 0) {
            c->queue[count++] = it->a[i];
            c->steps[it->a[i]] = 0;
        }
    for (; seen < count && !found; seen++) {
        int v = c->queue[seen];
        for (int i = 0; i < it->b_count; i++)
            found = found || it->b[i] == v;
        for (int k = c->start[v]; k < c->start[v + 1] && c->steps[v] < most; k++)
            if (c->steps[c->joined[k]] < 0) {
                c->steps[c->joined[k]] = c->steps[v] + 1;
                c->queue[count++] = c->joined[k];
            }
    }
    for (int i = 0; i < count; i++)
        c->steps[c->queue[i]] = -1;
    return found;
}

/* Thick strands may bend about their own thickness: pi radii along it are 2 radii apart. Links next to a link
 * always may. */
static bool is_short(checker *c, const contact *it)
{
    const double PI = 3.14159265358979323846;
    const lil_barrier_part *p = &c->b->parts[it->part[0]];
    double link = 0;
    if (!lil_barrier_is_own(c->b, it->part[0], it->part[1]) || it->a[0] >= c->b->vertex_count ||
        it->b[0] >= c->b->vertex_count || c->start[it->a[0]] == c->start[it->a[0] + 1])
        return false;
    const double *x = c->b->rest + 3 * it->a[0], *y = c->b->rest + 3 * c->joined[c->start[it->a[0]]];
    link = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    return is_joined(c, it, 1 + (int)fmin(1e6, ceil(PI * p->radius / link)));
}

static lil_status found(checker *c, const contact *it)
{
    return is_short(c, it) || note_strand(c, it) ? LIL_OK : refuse(c, it);
}

/* ---- how far apart ---- */

static const double LEAST = 1e-3; /* of d_hat */

static void note_gap(checker *c, int a, int b, double gap)
{
    int n = c->b->shell.part_count;
    if (gap < c->gap[a * n + b])
        c->gap[a * n + b] = c->gap[b * n + a] = gap;
}

/* Parts that start within each other's barrier would be thrown apart: it begins where they are, or they are
 * refused below a thousandth of what it would be. What the scene itself says stays. */
static lil_status set_gaps(checker *c)
{
    int n = c->b->shell.part_count;
    for (int i = 0; i < n * n; i++) {
        double *d_hat = &c->roots->d_hat[i], gap = c->gap[i];
        if (gap >= *d_hat || i / n == i % n || lil_barrier_is_grown(c->b, i / n, i % n))
            continue;
        if (!c->roots->given && gap < LEAST * *d_hat)
            return lil_world_refuse_body(c->w, body_among(c, i / n, i % n),
                                         "'%.60s' and '%.60s' start %.3g m apart, less than the smallest gap at "
                                         "which the barrier can begin, %.3g m: move them apart",
                                         c->b->parts[i / n].name, c->b->parts[i % n].name, gap, LEAST * *d_hat);
        if (i / n < i % n && c->roots->given)
            lil_warn(c->w->ctx,
                     "'%.60s' and '%.60s' start %.3g m apart, within the barrier's %.3g m (d_hat), which pushes them "
                     "apart",
                     c->b->parts[i / n].name, c->b->parts[i % n].name, gap, *d_hat);
        if (!c->roots->given)
            *d_hat = gap;
    }
    return LIL_OK;
}

/* Below this gap features touch. A strand that is nearer to something than its barrier can begin grows out of it. */
static double least_gap(const checker *c, int a, int b)
{
    bool strand = (a < c->w->count && c->w->list[a].strands) || (b < c->w->count && c->w->list[b].strands);
    return strand && a != b ? LEAST * lil_barrier_d_hat(c->b, a, b) : 0;
}

/* ---- what is thick, or in one place ---- */

static bool is_tangled(const lil_barriers *b, const int *at, int count)
{
    for (int i = 0; i < count; i++)
        if (!b->tangled[at[i]])
            return false;
    return true;
}

/* Between the nearest points of two surfaces that are as thick as their radii, of which the first's is `own` of
 * both. */
static void halfway(const lil_closest *nearest, const double x[12], int own_points, double own, double both,
                    double at[3])
{
    double away = sqrt(nearest->D), gap = away - both;
    for (int k = 0; k < 3; k++) {
        at[k] = 0;
        for (int i = 0; i < own_points; i++)
            at[k] += nearest->c[i] * x[3 * i + k];
        at[k] -= away > 0 ? (own + gap / 2) * nearest->r[k] / away : 0; /* r leads from the second to the first */
    }
}

static lil_status check_pairs(checker *c)
{
    const lil_barriers *b = c->b;
    lil_neighbours *neighbours;
    const lil_neighbours_pair *pairs;
    int count;
    LIL_TRY(lil_neighbours_create(c->w->ctx, &c->w->arena, &b->shell, b->rest, &neighbours));
    LIL_TRY(lil_neighbours_find(neighbours, b->threads, c->y, c->y, 0, NULL, &pairs, &count));
    for (int i = 0; i < count; i++) {
        const int *at = pairs[i].at;
        int own = pairs[i].kind == LIL_EDGE_EDGE ? 2 : 1, other = own == 2         ? 2
                                                                  : at[1] == at[2] ? 1
                                                                  : at[2] == at[3] ? 2
                                                                                   : 3;
        double x[12], radius = b->parts[pairs[i].part[0]].radius + b->parts[pairs[i].part[1]].radius;
        if (b->still[at[0]] && b->still[at[1]] && b->still[at[2]] && b->still[at[3]])
            continue;
        if (other == 1 && radius == 0)
            continue;
        if (pairs[i].part[0] == pairs[i].part[1] && is_tangled(b, at, 4))
            continue;
        for (int k = 0; k < 12; k++)
            x[k] = c->y[3 * at[k / 3] + k % 3];
        lil_closest nearest = lil_pair_nearest(pairs[i].kind, x);
        double gap = sqrt(nearest.D) - radius;
        if (gap > least_gap(c, pairs[i].part[0], pairs[i].part[1])) {
            note_gap(c, pairs[i].part[0], pairs[i].part[1], gap);
            continue;
        }
        double where[3];
        halfway(&nearest, x, own, b->parts[pairs[i].part[0]].radius, radius, where);
        LIL_TRY(found(c, &(contact){ at, at + own, own, other, { pairs[i].part[0], pairs[i].part[1] }, where }));
    }
    return LIL_OK;
}

static double plane_gap(const checker *c, const lil_barrier_plane *plane, int k)
{
    const double *x = c->y + 3 * c->b->touching[k];
    double gap = -c->b->parts[c->b->touching_part[k]].radius, point[3], normal[3];
    lil_pose_place(start_of(c, plane->part), plane->point, point);
    lil_pose_turn(start_of(c, plane->part), plane->normal, normal);
    for (int d = 0; d < 3; d++)
        gap += normal[d] * (x[d] - point[d]);
    return gap;
}

static lil_status check_planes(checker *c)
{
    const lil_barriers *b = c->b;
    for (int i = 0; i < b->plane_count; i++)
        for (int k = 0; k < b->touching_count; k++) {
            const lil_barrier_plane *plane = &b->planes[i];
            const double *x = c->y + 3 * b->touching[k];
            double gap = plane_gap(c, plane, k), normal[3], at[3];
            int none = b->vertex_count;
            lil_pose_turn(start_of(c, plane->part), plane->normal, normal);
            for (int d = 0; d < 3; d++)
                at[d] = x[d] - (b->parts[b->touching_part[k]].radius + gap / 2) * normal[d];
            if (!lil_barrier_meets_plane(b, k, plane))
                continue;
            if (gap > least_gap(c, b->touching_part[k], plane->part))
                note_gap(c, b->touching_part[k], plane->part, gap);
            else
                LIL_TRY(
                    found(c, &(contact){ &b->touching[k], &none, 1, 1, { b->touching_part[k], plane->part }, at }));
        }
    return LIL_OK;
}

/* ---- triangles that are crossed ---- */

static int corners_of(const int *at)
{
    return at[2] >= 0 ? 3 : at[1] >= 0 ? 2 : 1;
}

static bool are_still(const lil_barriers *b, const int *at)
{
    for (int i = 0; i < corners_of(at); i++)
        if (!b->still[at[i]])
            return false;
    return true;
}

static bool can_cross(const lil_barriers *b, const lil_span *p, const lil_span *q)
{
    const lil_shell *s = &b->shell;
    const int *one = s->corners[p->element], *other = s->corners[q->element];
    int first = s->part[p->element], second = s->part[q->element];
    return lil_barrier_meets(b, first, second) && lil_spans_overlap(p, q) &&
           !(are_still(b, one) && are_still(b, other)) &&
           !(first == second && is_tangled(b, one, corners_of(one)) && is_tangled(b, other, corners_of(other)));
}

/* Elements along x: each against those that begin before it ends. */
static lil_status check_crossings(checker *c)
{
    const lil_shell *s = &c->b->shell;
    lil_span *spans;
    LIL_TRY(lil_list_spans(c->w, s, c->y, &spans));
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count && spans[j].low[0] <= spans[i].high[0]; j++) {
            int p = spans[i].element, q = spans[j].element;
            if (!can_cross(c->b, &spans[i], &spans[j]))
                continue;
            if (s->part[p] > s->part[q]) {
                p = q;
                q = spans[i].element;
            }
            const int *a = s->corners[p], *b = s->corners[q];
            double at[3];
            if (lil_elements_cross(a, b, c->y, at))
                LIL_TRY(found(c, &(contact){ a, b, corners_of(a), corners_of(b), { s->part[p], s->part[q] }, at }));
        }
    return LIL_OK;
}

/* ---- roots ---- */

static lil_status begin_strand_sets(checker *c)
{
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->strand_sets, c->w->count);
    for (int i = 0; i < c->w->count; i++) {
        const lil_body *body = &c->w->list[i];
        if (!body->strands)
            continue;
        strand_set *t = &c->strand_sets[c->strand_set_count++];
        *t = (strand_set){ body, i, LIL_NEW(&c->w->arena, int, body->links.count),
                           lil_arena_alloc(&c->w->arena, (size_t)body->links.count, sizeof *t->at) };
        LIL_HAVE(c->w->ctx, t->touches && t->at);
    }
    return LIL_OK;
}

/* The link that begins at a vertex is a root, and grows out of all that it and the roots beyond it, up to the
 * last, touch: what is behind the place where a strand comes out of something is in it. */
static void take_root(checker *c, const strand_set *t, int vertex, int last)
{
    lil_strands *strands = t->body->strands;
    int before = c->grown.count, low = 0, high = c->touched.count;
    strands->roots[strands->root_count++] = vertex;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->touched.list[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < c->touched.count && c->touched.list[low].vertex <= last; low++) {
        const growth *g = &c->touched.list[low];
        bool known = g->part == t->part;
        for (int k = before; k < c->grown.count && !known; k++)
            known = c->grown.list[k].part == g->part;
        if (!known)
            add_growth(c, &c->grown, vertex, g->part);
    }
}

/* From the root on, as far as links touch something or are held, the strand grows out of what it touches. Which
 * link touches beyond that; -1: none does. */
static int touches_beyond(const checker *c, const strand_set *t, int strand, int *roots)
{
    int links = t->body->strands->nodes - 1, first = strand * links;
    bool root = true;
    *roots = 0;
    for (int k = first; k < first + links; k++) {
        const int *at = t->body->links.at[k];
        bool still = c->b->still[t->body->first + at[0]] && c->b->still[t->body->first + at[1]];
        root = root && (still || (t->touches[k] >= 0 && t->touches[k] != t->part));
        *roots += root;
        if (!root && t->touches[k] >= 0)
            return k;
    }
    return -1;
}

static int by_vertex(const void *p, const void *q)
{
    const growth *a = p, *b = q;
    return a->vertex != b->vertex ? (a->vertex > b->vertex) - (a->vertex < b->vertex)
                                  : (a->part > b->part) - (a->part < b->part);
}

static lil_status look(checker *c)
{
    for (int i = 0; i < c->b->shell.part_count * c->b->shell.part_count; i++)
        c->gap[i] = INFINITY;
    for (int i = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < c->strand_sets[i].body->links.count; k++)
            c->strand_sets[i].touches[k] = -1;
    c->touched.count = 0;
    LIL_TRY(check_planes(c));
    LIL_TRY(check_pairs(c));
    LIL_TRY(check_crossings(c));
    if (c->touched.count)
        qsort(c->touched.list, (size_t)c->touched.count, sizeof *c->touched.list, by_vertex);
    return c->out_of_memory ? lil_fail_memory(c->w->ctx) : LIL_OK;
}

/* Where a strand starts, and where it is at rest. */
static void lay(checker *c, const strand_set *t, int strand, const double *x, const double *rest)
{
    int nodes = t->body->strands->nodes, at = 3 * (t->body->first + strand * nodes);
    size_t bytes = 3 * (size_t)nodes * sizeof *x;
    memcpy(c->w->x + at, x, bytes);
    memcpy(c->roots->rest + at, rest, bytes);
    memcpy(c->y + at, x, bytes);
}

static int strands_of(const strand_set *t)
{
    return t->body->mesh.vertex_count / t->body->strands->nodes;
}

/* Strands that would hang through something start as they would be without weight: those that touch beyond their
 * roots, and those of which more touches than without weight. roots: of all strands one after the other, as they
 * hang; -1: it touches beyond. */
static lil_status lay_strands(checker *c, int *roots)
{
    int n = 3 * c->w->vertex_count, laid = 0, hung = 0, beyond;
    double *x = LIL_NEW(&c->w->arena, double, n), *rest = LIL_NEW(&c->w->arena, double, n);
    LIL_HAVE(c->w->ctx, x && rest);
    memcpy(x, c->w->x, (size_t)n * sizeof *x);
    memcpy(rest, c->roots->rest, (size_t)n * sizeof *rest);
    for (int i = 0, at = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < strands_of(&c->strand_sets[i]); k++, at++) {
            const strand_set *t = &c->strand_sets[i];
            beyond = touches_beyond(c, t, k, &roots[at]);
            if (beyond < 0 && roots[at] <= 1)
                continue;
            const double *own = t->body->strands->weightless + 3 * k * t->body->strands->nodes;
            roots[at] = beyond < 0 ? roots[at] : -1;
            lay(c, t, k, own, own);
            laid++;
        }
    if (!laid)
        return LIL_OK;
    c->again = true;
    LIL_TRY(look(c));
    for (int i = 0, at = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < strands_of(&c->strand_sets[i]); k++, at++) {
            const strand_set *t = &c->strand_sets[i];
            int first = 3 * (t->body->first + k * t->body->strands->nodes), straight;
            beyond = touches_beyond(c, t, k, &straight);
            if (roots[at] <= 1 || (beyond < 0 && straight < roots[at]))
                continue;
            lay(c, t, k, x + first, rest + first);
            hung++;
        }
    return hung ? look(c) : LIL_OK;
}

static lil_status set_roots(checker *c, const strand_set *t, int strand)
{
    int links = t->body->strands->nodes - 1, roots, k = touches_beyond(c, t, strand, &roots);
    if (k >= 0) {
        int none = c->b->vertex_count,
            at[2] = { t->body->first + t->body->links.at[k][0], t->body->first + t->body->links.at[k][1] };
        return refuse(c, &(contact){ at, &none, 2, 1, { t->part, t->touches[k] }, t->at[k] });
    }
    int first = t->body->first + t->body->links.at[strand * links][0];
    for (k = first; k < first + roots; k++)
        take_root(c, t, k, first + roots - 1);
    return LIL_OK;
}

/* From here on nothing that grows meets what it grows out of, and the rest of a strand meets it from where it is
 * at the start. */
static lil_status set_growth(checker *c)
{
    lil_barriers *b = c->roots->barriers;
    int n = b->shell.part_count, at = 0;
    int *first = LIL_NEW(&c->w->arena, int, b->vertex_count + 1), *part = LIL_NEW(&c->w->arena, int, c->grown.count);
    bool *grown = LIL_NEW(&c->w->arena, bool, (size_t)n *(size_t)n);
    double *gap = LIL_NEW(&c->w->arena, double, (size_t)b->plane_count *(size_t)b->touching_count);
    if (!first || !part || !grown || !gap || c->out_of_memory)
        return lil_fail_memory(c->w->ctx);
    if (c->grown.count == 0)
        return LIL_OK;
    for (int v = 0; v <= b->vertex_count; v++) {
        first[v] = at;
        for (; at < c->grown.count && c->grown.list[at].vertex == v; at++)
            part[at] = c->grown.list[at].part;
    }
    for (int i = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < c->grown.count; k++) {
            const lil_body *body = c->strand_sets[i].body;
            int own = c->strand_sets[i].part, v = c->grown.list[k].vertex, other = c->grown.list[k].part;
            if (v >= body->first && v < body->first + body->mesh.vertex_count)
                grown[own * n + other] = grown[other * n + own] = true;
        }
    for (int i = 0; i < b->plane_count * b->touching_count; i++) {
        const lil_barrier_plane *plane = &b->planes[i / b->touching_count];
        int k = i % b->touching_count, own = b->touching_part[k];
        gap[i] = grown[own * n + plane->part] ? plane_gap(c, plane, k) : INFINITY;
    }
    b->grow_first = first;
    b->grow_part = part;
    b->grown = grown;
    b->start = c->y;
    b->plane_gap = gap;
    return LIL_OK;
}

/* All points where they start. */
static void place(checker *c)
{
    const lil_barriers *b = c->b;
    memcpy(c->y, c->w->x, 3 * (size_t)c->w->vertex_count * sizeof *c->y);
    lil_carried_place(&b->carried, NULL, c->w->x, c->y + 3 * (size_t)b->vertex_count);
    for (int i = lil_barrier_moving(b); i < b->point_count; i++)
        lil_pose_place(start_of(c, b->obstacle_part[i - lil_barrier_moving(b)]), b->rest + 3 * i, c->y + 3 * i);
}

lil_status lil_check_barrier_start(lil_world *w, const lil_barriers *b, const lil_barrier_roots *roots)
{
    checker c = { .w = w, .b = b, .roots = roots };
    int strands = 0, *roots_of;
    lil_lift lift;
    LIL_ALLOC(w->ctx, &w->arena, c.y, 3 * (size_t)b->point_count);
    LIL_ALLOC(w->ctx, &w->arena, c.gap, (size_t)b->shell.part_count * (size_t)b->shell.part_count);
    place(&c);
    LIL_TRY(lil_lift_barrier_start(w, b, c.y, &lift));
    place(&c);
    LIL_TRY(join(&c));
    LIL_TRY(begin_strand_sets(&c));
    LIL_TRY(look(&c));
    LIL_TRY(lil_check_barrier_inside(w, b, c.y));
    for (int i = 0; i < c.strand_set_count; i++)
        strands += strands_of(&c.strand_sets[i]);
    LIL_ALLOC(w->ctx, &w->arena, roots_of, strands);
    LIL_TRY(lay_strands(&c, roots_of));
    for (int i = 0; i < c.strand_set_count; i++)
        for (int k = 0; k < strands_of(&c.strand_sets[i]); k++)
            LIL_TRY(set_roots(&c, &c.strand_sets[i], k));
    LIL_TRY(set_growth(&c));
    LIL_TRY(set_gaps(&c));
    lil_lift_warn(w, &lift);
    return LIL_OK;
}
