/* contact: {method: barrier}: whether what the scene starts with is apart, and where strands grow out of something. */
#include "scene/barrier_surfaces.h"
#include "scene/barriers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of strands of one name: what each of their links touches, and where. */
typedef struct tuft {
    const lil_body *body;
    int part, roots; /* its own, and that of its roots */
    int first;       /* of its elements */
    int *touches;    /* a part, or -1 */
    double (*at)[3];
} tuft;

typedef struct checker {
    const lil_reader *rd;
    lil_bodies *bs;
    const lil_barriers *b;
    const lil_barrier_roots *roots;
    bool again;  /* some strands have been laid otherwise */
    double *gap; /* of two parts: how far apart they are */
    double *y;   /* all points, where they start */
    tuft *tufts;
    int tuft_count;
    int *start, *joined; /* of each vertex: those it is linked to */
    int *steps, *queue;  /* how many links away a vertex is, -1: not looked at; which have been */
} checker;

static const lil_pose *start_of(const checker *c, int part)
{
    return &c->bs->obstacles[part - c->bs->count].start;
}

/* ---- what is found ---- */

static const char *kind_of(int corners)
{
    return corners == 3 ? "triangle" : corners == 2 ? "edge" : "point";
}

/* "triangle 3-7-12 of 'cow'", vertices as the body numbers them; obstacles have none */
static int describe(const checker *c, const int *at, int count, int part, char *to, size_t size)
{
    const char *name = c->b->parts[part].name;
    bool obstacle = part >= c->bs->count && part < c->bs->count + c->bs->obstacle_count;
    if (at[0] >= c->b->vertex_count)
        return snprintf(to, size, "%s'%.60s'", obstacle ? "the obstacle " : "", name);
    int first = 0, length = snprintf(to, size, "%s ", kind_of(count));
    for (int i = 0; i < c->bs->count; i++)
        if (c->bs->list[i].name == name)
            first = c->bs->list[i].first;
    for (int i = 0; i < count; i++)
        length += snprintf(to + length, size - (size_t)length, "%s%d", i ? "-" : "", at[i] - first);
    return length + snprintf(to + length, size - (size_t)length, " of '%.60s'", name);
}

static const lil_node *node_of(const checker *c, int part)
{
    for (int i = 0; i < c->bs->count; i++)
        if (c->bs->list[i].name == c->b->parts[part].name)
            return c->bs->list[i].node;
    return NULL;
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
    const lil_node *node = node_of(c, it->part[0]) ? node_of(c, it->part[0]) : node_of(c, it->part[1]);
    const char *one = p[it->part[0]].name, *other = p[it->part[1]].name;
    char what[160], first[200], second[200];
    if (it->part[0] > it->part[1])
        return refuse(c, &(contact){ it->b, it->a, it->b_count, it->a_count, { it->part[1], it->part[0] }, it->x });
    if (one == other)
        snprintf(what, sizeof what, "'%.60s' touches itself", one);
    else
        snprintf(what, sizeof what, "'%.60s' and '%.60s' touch", one, other);
    describe(c, it->a, it->a_count, it->part[0], first, sizeof first);
    describe(c, it->b, it->b_count, it->part[1], second, sizeof second);
    return lil_node_fail_key(c->rd->ctx, node,
                             "%s at the start, %s and %s, at [%.6g, %.6g, %.6g]: move them apart, or let them pass, "
                             "contact: {ignore: [[%.60s, %.60s]]}",
                             what, first, second, it->x[0], it->x[1], it->x[2], one, other);
}

/* The link of a strand that a point or an edge of it is, from its root on; -1: it is none of a tuft. */
static int link_of(const tuft *t, const int *at, int count, int part)
{
    int nodes = t->body->strands->nodes, v = at[0] - t->body->first;
    if (part != t->part)
        return -1;
    if (count == 2 && at[1] - t->body->first < v)
        v = at[1] - t->body->first;
    if (count == 1 && v % nodes > 0)
        v--;
    return v / nodes * (nodes - 1) + v % nodes;
}

/* A strand may be growing out of what it touches, which is seen when all of it is known; or it would hang through it or another one. */
static bool note_strand(checker *c, const contact *it)
{
    bool noted = false, own = lil_barrier_is_own(c->b, it->part[0], it->part[1]);
    for (int i = 0; i < c->tuft_count && !(own && c->again); i++) {
        tuft *t = &c->tufts[i];
        int link[2] = { link_of(t, it->a, it->a_count, it->part[0]), link_of(t, it->b, it->b_count, it->part[1]) };
        for (int side = 0; side < 2; side++)
            if (link[side] >= 0) {
                t->touches[link[side]] = it->part[1 - side];
                memcpy(t->at[link[side]], it->x, sizeof *t->at);
                noted = true;
            }
    }
    return noted;
}

/* ---- links that overlap because they are short ---- */

static lil_status join(checker *c)
{
    int n = c->bs->vertex_count, total = 0;
    for (int i = 0; i < c->bs->count; i++)
        total += 2 * c->bs->list[i].links.count;
    c->start = LIL_NEW(c->rd->arena, int, n + 2);
    c->joined = LIL_NEW(c->rd->arena, int, total);
    c->steps = LIL_NEW(c->rd->arena, int, n);
    c->queue = LIL_NEW(c->rd->arena, int, n);
    if (!c->start || !c->joined || !c->steps || !c->queue)
        return lil_fail_memory(c->rd->ctx);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->bs->count; i++)
            for (int k = 0; k < 2 * c->bs->list[i].links.count; k++) {
                const int *ends = c->bs->list[i].links.at[k / 2];
                int from = c->bs->list[i].first + ends[k % 2], to = c->bs->list[i].first + ends[1 - k % 2];
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

/* What is thick may be bent about its own thickness: pi radii along it are 2 radii apart. Links next to a link always may. */
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

static void note_gap(checker *c, int a, int b, double gap)
{
    int n = c->b->shell.part_count;
    if (gap < c->gap[a * n + b])
        c->gap[a * n + b] = c->gap[b * n + a] = gap;
}

/* Parts that start within each other's barrier would be thrown apart: it begins where they are, or they are refused below a thousandth of what it
 * would be. What the scene itself says stays. */
static lil_status set_gaps(checker *c)
{
    const double LEAST = 1e-3;
    int n = c->b->shell.part_count;
    for (int i = 0; i < n * n; i++) {
        double *d_hat = &c->roots->d_hat[i], gap = c->gap[i];
        if (gap >= *d_hat || lil_barrier_is_own(c->b, i / n, i % n))
            continue;
        if (!c->roots->given && gap < LEAST * *d_hat) {
            const lil_node *node = node_of(c, i / n) ? node_of(c, i / n) : node_of(c, i % n);
            return lil_node_fail_key(
                c->rd->ctx, node,
                "'%.60s' and '%.60s' start %.3g m apart, nearer than the barrier can begin, %.3g m: "
                "move them apart",
                c->b->parts[i / n].name, c->b->parts[i % n].name, gap, LEAST * *d_hat);
        }
        if (i / n < i % n && c->roots->given)
            lil_warn(
                c->rd->ctx,
                "'%.60s' and '%.60s' start %.3g m apart, where the barrier of %.3g m (d_hat) pushes them away from "
                "each other",
                c->b->parts[i / n].name, c->b->parts[i % n].name, gap, *d_hat);
        if (!c->roots->given)
            *d_hat = gap;
    }
    return LIL_OK;
}

/* ---- what is thick, or in one place ---- */

static bool is_tangled(const lil_barriers *b, const int *at, int count)
{
    for (int i = 0; i < count; i++)
        if (!b->tangled[at[i]])
            return false;
    return true;
}

static lil_status check_pairs(checker *c)
{
    const lil_barriers *b = c->b;
    lil_neighbours *neighbours;
    const lil_neighbours_pair *pairs;
    int count;
    LIL_TRY(lil_neighbours_create(c->rd->ctx, c->rd->arena, &b->shell, b->rest, &neighbours));
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
        double gap = sqrt(lil_pair_nearest(pairs[i].kind, x).D) - radius;
        if (gap > 0)
            note_gap(c, pairs[i].part[0], pairs[i].part[1], gap);
        if (gap > 0)
            continue;
        const double *where = at[0] < lil_barrier_moving(b) ? x : x + 3 * own; /* not where the obstacle is */
        LIL_TRY(found(c, &(contact){ at, at + own, own, other, { pairs[i].part[0], pairs[i].part[1] }, where }));
    }
    return LIL_OK;
}

static lil_status check_planes(checker *c)
{
    const lil_barriers *b = c->b;
    for (int i = 0; i < b->plane_count; i++)
        for (int k = 0; k < b->touching_count; k++) {
            const lil_barrier_plane *plane = &b->planes[i];
            const double *x = c->y + 3 * b->touching[k];
            double gap = -b->parts[b->touching_part[k]].radius, point[3], normal[3];
            int none = b->vertex_count;
            lil_pose_place(start_of(c, plane->part), plane->point, point);
            lil_pose_turn(start_of(c, plane->part), plane->normal, normal);
            for (int d = 0; d < 3; d++)
                gap += normal[d] * (x[d] - point[d]);
            if (!lil_barrier_meets_plane(b, k, plane))
                continue;
            if (gap > 0)
                note_gap(c, b->touching_part[k], plane->part, gap);
            else
                LIL_TRY(
                    found(c, &(contact){ &b->touching[k], &none, 1, 1, { b->touching_part[k], plane->part }, x }));
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
    LIL_TRY(lil_list_spans(c->rd, s, c->y, &spans));
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
            if (lil_elements_cross(a, b, c->y))
                LIL_TRY(found(
                    c,
                    &(contact){ a, b, corners_of(a), corners_of(b), { s->part[p], s->part[q] }, c->y + 3 * a[0] }));
        }
    return LIL_OK;
}

/* ---- roots ---- */

static lil_status begin_tufts(checker *c)
{
    int roots = c->bs->count + c->bs->obstacle_count, first = 0;
    if (!(c->tufts = LIL_NEW(c->rd->arena, tuft, c->bs->count)))
        return lil_fail_memory(c->rd->ctx);
    for (int i = 0; i < c->bs->count; i++) {
        const lil_body *body = &c->bs->list[i];
        while (first < c->b->shell.count && c->b->shell.part[first] < i)
            first++;
        if (!body->strands)
            continue;
        tuft *t = &c->tufts[c->tuft_count++];
        *t = (tuft){ body,
                     i,
                     roots++,
                     first,
                     LIL_NEW(c->rd->arena, int, body->links.count),
                     lil_arena_alloc(c->rd->arena, (size_t)body->links.count, sizeof *t->at) };
        if (!t->touches || !t->at)
            return lil_fail_memory(c->rd->ctx);
    }
    return LIL_OK;
}

/* Link k and the vertex nearer to the root become roots, which do not meet what it touches. */
static void take_root(checker *c, const tuft *t, int k, int vertex)
{
    const lil_barriers *b = c->b;
    int n = b->shell.part_count, other = t->touches[k];
    lil_strands *strands = t->body->strands;
    c->roots->part[t->first + k] = t->roots;
    strands->roots[strands->root_count++] = vertex;
    for (int i = 0; i < b->touching_count; i++)
        if (b->touching[i] == vertex)
            c->roots->touching_part[i] = t->roots;
    if (other >= 0)
        c->roots->meet[other * n + t->roots] = c->roots->meet[t->roots * n + other] = false;
}

/* From the root on, as far as links touch something or are held, the strand grows out of what it touches. Which link touches beyond that; -1:
 * none does. */
static int touches_beyond(const checker *c, const tuft *t, int strand, int *roots)
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

static void lay_weightless(checker *c, const tuft *t, int strand)
{
    int nodes = t->body->strands->nodes, first = strand * nodes, at = 3 * (t->body->first + first);
    const double *x = t->body->strands->weightless + 3 * first;
    memcpy(c->bs->x + at, x, 3 * (size_t)nodes * sizeof *x);
    memcpy(c->roots->rest + at, x, 3 * (size_t)nodes * sizeof *x);
    memcpy(c->y + at, x, 3 * (size_t)nodes * sizeof *x);
    c->again = true;
}

static lil_status set_roots(checker *c, const tuft *t, int strand)
{
    int links = t->body->strands->nodes - 1, roots, k = touches_beyond(c, t, strand, &roots);
    if (k >= 0) {
        int none = c->b->vertex_count,
            at[2] = { t->body->first + t->body->links.at[k][0], t->body->first + t->body->links.at[k][1] };
        return refuse(c, &(contact){ at, &none, 2, 1, { t->part, t->touches[k] }, t->at[k] });
    }
    for (k = strand * links; k < strand * links + roots; k++)
        take_root(c, t, k, t->body->first + t->body->links.at[k][0]);
    return LIL_OK;
}

static lil_status look(checker *c)
{
    for (int i = 0; i < c->b->shell.part_count * c->b->shell.part_count; i++)
        c->gap[i] = INFINITY;
    for (int i = 0; i < c->tuft_count; i++)
        for (int k = 0; k < c->tufts[i].body->links.count; k++)
            c->tufts[i].touches[k] = -1;
    LIL_TRY(check_planes(c));
    LIL_TRY(check_pairs(c));
    return check_crossings(c);
}

lil_status lil_check_barrier_start(const lil_reader *rd, lil_bodies *bs, const lil_barriers *b,
                                   const lil_barrier_roots *roots)
{
    checker c = { .rd = rd, .bs = bs, .b = b, .roots = roots };
    int ignored;
    c.y = LIL_NEW(rd->arena, double, 3 * (size_t)b->point_count);
    c.gap = LIL_NEW(rd->arena, double, (size_t)b->shell.part_count *(size_t)b->shell.part_count);
    if (!c.y || !c.gap)
        return lil_fail_memory(rd->ctx);
    memcpy(c.y, bs->x, 3 * (size_t)bs->vertex_count * sizeof *c.y);
    lil_carried_place(&b->carried, NULL, bs->x, c.y + 3 * (size_t)b->vertex_count);
    for (int i = lil_barrier_moving(b); i < b->point_count; i++)
        lil_pose_place(start_of(&c, b->obstacle_part[i - lil_barrier_moving(b)]), b->rest + 3 * i, c.y + 3 * i);
    LIL_TRY(join(&c));
    LIL_TRY(begin_tufts(&c));
    LIL_TRY(look(&c));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c.tuft_count; i++) {
            const tuft *t = &c.tufts[i];
            for (int k = 0; k < t->body->mesh.vertex_count / t->body->strands->nodes; k++) {
                if (pass)
                    LIL_TRY(set_roots(&c, t, k));
                else if (touches_beyond(&c, t, k, &ignored) >= 0)
                    lay_weightless(&c, t, k);
            }
            if (!pass && c.again && i + 1 == c.tuft_count)
                LIL_TRY(look(&c));
        }
    return set_gaps(&c);
}
