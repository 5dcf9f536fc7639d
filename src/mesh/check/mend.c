#include "mesh/check/mend.h"

#include "core/disjoint_sets.h"
#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A side of a triangle. Those of one edge are adjacent. */
typedef struct side {
    int low, high; /* the edge */
    int triangle;
    bool forward; /* passed from low to high */
} side;

typedef struct mender {
    lil_context *ctx;
    lil_arena *arena;
    const lil_surface *surface;
    lil_mended *m;
    side *sides;
    size_t side_count;
    int *parent; /* vertices that triangles join have the same root: a shell */
} mender;

/* ---- shells ---- */

static lil_status join_shells(mender *w)
{
    const lil_mended *m = w->m;
    w->parent = malloc((size_t)w->surface->vertex_count * sizeof *w->parent + 1);
    LIL_HAVE(w->ctx, w->parent);
    lil_sets_begin(w->parent, w->surface->vertex_count);
    for (int t = 0; t < m->count; t++)
        for (int k = 1; k < 3; k++)
            lil_sets_join(w->parent, m->triangles[t][0], m->triangles[t][k]);
    return LIL_OK;
}

static lil_status count_shells(mender *w)
{
    lil_mended *m = w->m;
    const lil_surface *s = w->surface;
    bool *used = calloc((size_t)s->vertex_count + 1, sizeof *used), *shell = calloc((size_t)s->vertex_count + 1, 1);
    bool ok = used && shell;
    for (int t = 0; ok && t < m->count; t++)
        shell[lil_sets_root(w->parent, m->triangles[t][0])] = true;
    for (int c = 0; ok && c < s->first[s->face_count]; c++)
        used[s->corners[c]] = true;
    for (int v = 0; ok && v < s->vertex_count; v++) {
        m->shells += shell[v];
        m->unused += !used[v];
    }
    free(used);
    free(shell);
    return ok ? LIL_OK : lil_fail_memory(w->ctx);
}

/* ---- edges ---- */

static int order_side(const void *x, const void *y)
{
    const side *a = x, *b = y; /* of one bucket: low is the same */
    return a->high != b->high ? lil_order(a->high, b->high) : lil_order(a->triangle, b->triangle);
}

static side side_of(const lil_mended *m, int triangle, int k)
{
    int from = m->triangles[triangle][k], to = m->triangles[triangle][(k + 1) % 3];
    return (side){ from < to ? from : to, from < to ? to : from, triangle, from < to };
}

static lil_status sort_sides(mender *w)
{
    const lil_mended *m = w->m;
    size_t n = (size_t)w->surface->vertex_count, *start = calloc(n + 2, sizeof *start);
    free(w->sides);
    w->side_count = 3 * (size_t)m->count;
    w->sides = malloc(w->side_count * sizeof *w->sides + 1);
    if (!start || !w->sides) {
        free(start);
        return lil_fail_memory(w->ctx);
    }
    for (int t = 0; t < m->count; t++)
        for (int k = 0; k < 3; k++)
            start[side_of(m, t, k).low + 2]++;
    for (size_t v = 2; v <= n + 1; v++)
        start[v] += start[v - 1];
    for (int t = 0; t < m->count; t++)
        for (int k = 0; k < 3; k++) {
            side s = side_of(m, t, k);
            w->sides[start[s.low + 1]++] = s;
        }
    for (size_t v = 0; v < n; v++)
        qsort(w->sides + start[v], start[v + 1] - start[v], sizeof *w->sides, order_side);
    free(start);
    return LIL_OK;
}

/* Behind the last side of the edge that begins at i. */
static size_t edge_end(const mender *w, size_t i)
{
    size_t end = i + 1;
    while (end < w->side_count && w->sides[end].low == w->sides[i].low && w->sides[end].high == w->sides[i].high)
        end++;
    return end;
}

/* ---- triangles that are none, or come again ---- */

typedef struct keyed {
    int v[3]; /* ascending */
    int triangle;
    int sense; /* 1: that is a turn of the triangle's corners; -1: it is turned round */
} keyed;

static int order_keyed(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    int order = lil_order_list(a->v, b->v, 3);
    return order ? order : lil_order(a->triangle, b->triangle);
}

static keyed key_of(const int t[3], int triangle)
{
    keyed k = { { t[0], t[1], t[2] }, triangle, 1 };
    for (int i = 0; i < 3; i++) {
        int at = i == 1 ? 1 : 0, swap = k.v[at];
        if (k.v[at] > k.v[at + 1]) {
            k.v[at] = k.v[at + 1];
            k.v[at + 1] = swap;
            k.sense = -k.sense;
        }
    }
    return k;
}

static void take_triangles(mender *w)
{
    const lil_surface *s = w->surface;
    lil_mended *m = w->m;
    for (int t = 0; t < s->triangle_count; t++) {
        int *to = m->triangles[m->count];
        for (int k = 0; k < 3; k++)
            to[k] = m->same[s->triangles[t][k]];
        if (to[0] != to[1] && to[1] != to[2] && to[2] != to[0])
            m->count++;
    }
    m->degenerate = s->triangle_count - m->count;
}

/* Whether an edge has more sides one way than the other, and in which shells (open may be NULL). The triangles of others are right as they are. */
static bool find_open(const mender *w, bool *open)
{
    bool any = false;
    for (size_t i = 0, last; i < w->side_count; i = last) {
        int balance = 0;
        last = edge_end(w, i);
        for (size_t k = i; k < last; k++)
            balance += w->sides[k].forward ? 1 : -1;
        if (balance && open)
            open[lil_sets_root(w->parent, w->sides[i].low)] = true;
        any = any || balance;
    }
    return any;
}

/* One of several equal triangles stays, unless they are the wall between two rooms of a closed shell: there both
 * orientations are equally frequent, and none stays. A shell that is made of walls alone has two sides everywhere,
 * and keeps one. */
static void choose(const mender *w, const keyed *keys, bool *drop, const bool *open, bool *outer)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, end; i < w->m->count; i = end) {
            int net = 0, shell = lil_sets_root(w->parent, keys[i].v[0]);
            for (end = i; end < w->m->count && memcmp(keys[end].v, keys[i].v, sizeof keys[i].v) == 0; end++)
                net += keys[end].sense;
            if (!pass) {
                outer[shell] = outer[shell] || net;
                w->m->repeated += end - i - 1;
                continue;
            }
            bool right = !open[shell] && outer[shell], kept = right && !net;
            for (int k = i; k < end; k++) {
                drop[keys[k].triangle] = kept || (right && keys[k].sense * net < 0);
                kept = kept || !drop[keys[k].triangle];
            }
        }
}

static lil_status drop_repeated(mender *w)
{
    lil_mended *m = w->m;
    keyed *keys = malloc((size_t)m->count * sizeof *keys + 1);
    bool *drop = calloc((size_t)m->count + 1, sizeof *drop);
    bool *open = calloc((size_t)w->surface->vertex_count + 1, sizeof *open);
    bool *outer = calloc((size_t)w->surface->vertex_count + 1, sizeof *outer);
    bool ok = keys && drop && open && outer;
    if (ok) {
        find_open(w, open);
        for (int t = 0; t < m->count; t++)
            keys[t] = key_of(m->triangles[t], t);
        qsort(keys, (size_t)m->count, sizeof *keys, order_keyed);
        choose(w, keys, drop, open, outer);
        int kept = 0;
        for (int t = 0; t < m->count; t++)
            if (!drop[t])
                memmove(m->triangles[kept++], m->triangles[t], sizeof m->triangles[t]);
        m->count = kept;
    }
    free(keys);
    free(drop);
    free(open);
    free(outer);
    return ok ? LIL_OK : lil_fail_memory(w->ctx);
}

/* ---- one way round ---- */

/* next[3 t + k]: a triangle that shares just an edge with t, times 2, plus 1 if one of the two must be turned; -1:
 * none */
static void link_neighbours(mender *w, int *next)
{
    memset(next, -1, w->side_count * sizeof *next);
    int *used = next; /* the first of three that is still free */
    for (size_t i = 0, end; i < w->side_count; i = end) {
        end = edge_end(w, i);
        w->m->boundary += end - i == 1;
        w->m->branching += end - i > 2;
        if (end - i != 2)
            continue;
        const side *a = &w->sides[i], *b = a + 1;
        int turned = a->forward == b->forward;
        for (int k = 0; k < 2; k++) {
            int *at = used + 3 * (size_t)(k ? b : a)->triangle;
            while (*at >= 0)
                at++;
            *at = 2 * (k ? a : b)->triangle + turned;
        }
    }
}

static double area_of(const mender *w, int t)
{
    const double *a = w->surface->x + 3 * (size_t)w->m->triangles[t][0],
                 *b = w->surface->x + 3 * (size_t)w->m->triangles[t][1],
                 *c = w->surface->x + 3 * (size_t)w->m->triangles[t][2];
    double n[3];
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        n[d] = (b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e]);
    }
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
}

/* All that is joined to triangle `root` gets its patch, and whether it must be turned so that all go the way that
 * most of the area goes already. */
static void flood(mender *w, int root, const int *next, bool *turn, int *queue)
{
    lil_mended *m = w->m;
    int count = 0, turned = 0;
    double balance = 0;
    bool closed = true;
    queue[count++] = root;
    m->patch[root] = m->patch_count;
    for (int i = 0; i < count; i++) {
        int t = queue[i];
        balance += turn[t] ? -area_of(w, t) : area_of(w, t);
        turned += turn[t];
        for (int k = 0; k < 3; k++) {
            int link = next[3 * (size_t)t + (size_t)k], u = link >> 1;
            bool wanted = turn[t] != (link & 1);
            closed = closed && link >= 0;
            if (link >= 0 && m->patch[u] < 0) {
                m->patch[u] = m->patch_count;
                turn[u] = wanted;
                queue[count++] = u;
            } else if (link >= 0) {
                m->one_sided = m->one_sided || turn[u] != wanted;
            }
        }
    }
    for (int i = 0; i < count && balance < 0; i++)
        turn[queue[i]] = !turn[queue[i]];
    m->turned += balance < 0 ? count - turned : turned;
    m->patch_closed[m->patch_count++] = closed;
}

static lil_status orient(mender *w)
{
    lil_mended *m = w->m;
    int *next = malloc(w->side_count * sizeof *next + 1), *queue = malloc((size_t)m->count * sizeof *queue + 1);
    bool *turn = calloc((size_t)m->count + 1, sizeof *turn);
    bool ok = next && queue && turn;
    if (ok) {
        link_neighbours(w, next);
        memset(m->patch, -1, (size_t)m->count * sizeof *m->patch);
        for (int t = 0; t < m->count; t++)
            if (m->patch[t] < 0)
                flood(w, t, next, turn, queue);
        for (size_t i = 0; i < w->side_count; i++)
            w->sides[i].forward = w->sides[i].forward != turn[w->sides[i].triangle];
        for (int t = 0; t < m->count; t++)
            if (turn[t]) {
                int swap = m->triangles[t][1];
                m->triangles[t][1] = m->triangles[t][2];
                m->triangles[t][2] = swap;
            }
    }
    free(next);
    free(queue);
    free(turn);
    return ok ? LIL_OK : lil_fail_memory(w->ctx);
}

static lil_status mend(mender *w)
{
    const lil_surface *s = w->surface;
    lil_mended *m = w->m;
    LIL_ALLOC(w->ctx, w->arena, m->same, s->vertex_count);
    LIL_ALLOC(w->ctx, w->arena, m->triangles, s->triangle_count);
    LIL_ALLOC(w->ctx, w->arena, m->patch, s->triangle_count);
    LIL_ALLOC(w->ctx, w->arena, m->patch_closed, s->triangle_count);
    int places = lil_join_equal(s->x, s->vertex_count, m->same);
    if (places < 0)
        return lil_fail_memory(w->ctx);
    m->joined = s->vertex_count - places;
    take_triangles(w);
    LIL_TRY(join_shells(w));
    LIL_TRY(sort_sides(w));
    LIL_TRY(drop_repeated(w));
    LIL_TRY(sort_sides(w));
    LIL_TRY(orient(w));
    m->closed = !find_open(w, NULL);
    return count_shells(w);
}

lil_status lil_mend(lil_context *ctx, lil_arena *arena, const lil_surface *surface, lil_mended *mended)
{
    mender w = { .ctx = ctx, .arena = arena, .surface = surface, .m = mended };
    *mended = (lil_mended){ 0 };
    lil_status status = mend(&w);
    free(w.sides);
    free(w.parent);
    return status;
}
