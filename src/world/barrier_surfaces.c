#include "world/barrier_surfaces.h"

#include "core/order.h"
#include "geometry/exact.h"
#include "math/matrix3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how they are carried ---- */

int lil_carriers_of(const lil_body *body, int i, const int **vertex, int room[4], const double **weight,
                    double own[4])
{
    const lil_embedding *e = &body->embedding;
    int first = e->outside.begin[i], count = e->outside.begin[i + 1] - first;
    if (count) {
        *vertex = e->outside.vertex + first;
        *weight = e->outside.weight + first;
        return count;
    }
    const double *w = e->weights[i];
    memcpy(own, (double[4]){ 1 - w[0] - w[1] - w[2], w[0], w[1], w[2] }, 4 * sizeof *own);
    *vertex = lil_mesh_part(&body->mesh, e->tet[i], room);
    *weight = own;
    return 4;
}

lil_status lil_carry_surfaces(lil_world *w, lil_carried *carried, int **first)
{
    size_t total = 0, count = 0;
    *first = LIL_NEW(&w->arena, int, w->count + 1);
    LIL_HAVE(w->ctx, *first);
    for (int b = 0; b < w->count; b++) {
        const lil_embedding *e = &w->list[b].embedding;
        (*first)[b] = (int)count;
        count += (size_t)e->count;
        total += 4 * (size_t)e->count + (size_t)(e->count ? e->outside.begin[e->count] : 0);
    }
    int *begin = LIL_NEW(&w->arena, int, count + 1), *vertex = LIL_NEW(&w->arena, int, total), at = 0;
    double *weight = LIL_NEW(&w->arena, double, total);
    LIL_HAVE(w->ctx, begin && vertex && weight);
    for (int b = 0; b < w->count; b++) {
        const lil_body *body = &w->list[b];
        for (int i = 0; i < body->embedding.count; i++) {
            const int *own;
            const double *share;
            int corners[4];
            double room[4];
            int n = lil_carriers_of(body, i, &own, corners, &share, room);
            for (int k = 0; k < n; k++) {
                vertex[at] = body->first + own[k];
                weight[at++] = share[k];
            }
            begin[(*first)[b] + i + 1] = at;
        }
    }
    *carried = (lil_carried){ w->vertex_count, (int)count, begin, vertex, weight };
    return LIL_OK;
}

/* ---- vertices in one place ---- */

typedef struct place {
    double key;
    int vertex;
} place;

static int by_key(const void *p, const void *q)
{
    const place *a = p, *b = q;
    return a->key != b->key ? (a->key < b->key ? -1 : 1) : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static bool is_within(double limit, const double *a, const double *b)
{
    double square = 0;
    for (int d = 0; d < 3; d++)
        square += (a[d] - b[d]) * (a[d] - b[d]);
    return square <= limit * limit;
}

/* Sorted along a direction that no lattice has, only neighbours in the order can be near. */
lil_status lil_join_vertices(lil_world *w, const lil_surface *s, double within, int **same)
{
    const double ALONG[3] = { 0.8317, 0.4641, 0.3047 }; /* shorter than 1: near points have near keys */
    place *places = malloc((size_t)s->vertex_count * sizeof *places + 1);
    *same = LIL_NEW(&w->arena, int, s->vertex_count);
    if (!places || !*same) {
        free(places);
        return lil_fail_memory(w->ctx);
    }
    for (int i = 0; i < s->vertex_count; i++) {
        const double *x = s->x + 3 * (size_t)i;
        places[i] = (place){ ALONG[0] * x[0] + ALONG[1] * x[1] + ALONG[2] * x[2], i };
        (*same)[i] = i;
    }
    qsort(places, (size_t)s->vertex_count, sizeof *places, by_key);
    for (int i = 0; i < s->vertex_count; i++) {
        int own = places[i].vertex;
        for (int k = i - 1; k >= 0 && places[i].key - places[k].key <= within && (*same)[own] == own; k--)
            if (is_within(within, s->x + 3 * (size_t)own, s->x + 3 * (size_t)places[k].vertex))
                (*same)[own] = (*same)[places[k].vertex];
    }
    free(places);
    return LIL_OK;
}

/* ---- elements against each other ---- */

static int by_low(const void *p, const void *q)
{
    const lil_span *a = p, *b = q;
    return a->low[0] != b->low[0] ? lil_order_real(a->low[0], b->low[0]) : lil_order(a->element, b->element);
}

lil_status lil_list_spans(lil_world *w, const lil_shell *s, const double *x, lil_span **out)
{
    lil_span *spans = *out = LIL_NEW(&w->arena, lil_span, s->count);
    LIL_HAVE(w->ctx, spans);
    for (int i = 0; i < s->count; i++) {
        spans[i] = (lil_span){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, i };
        for (int k = 0; k < 9; k++) {
            int point = s->corners[i][k / 3];
            if (point < 0)
                continue;
            spans[i].low[k % 3] = fmin(spans[i].low[k % 3], x[3 * point + k % 3]);
            spans[i].high[k % 3] = fmax(spans[i].high[k % 3], x[3 * point + k % 3]);
        }
    }
    qsort(spans, (size_t)s->count, sizeof *spans, by_low);
    return LIL_OK;
}

bool lil_spans_overlap(const lil_span *a, const lil_span *b)
{
    for (int d = 1; d < 3; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d])
            return false;
    return true;
}

static bool has(const int *element, int point)
{
    return element[0] == point || element[1] == point || element[2] == point;
}

/* Where the segment from p to q crosses the plane of a triangle. */
static void crossing(const double *p, const double *q, const double *const v[3], double at[3])
{
    double e[2][3], n[3], from = 0, to = 0;
    for (int k = 0; k < 3; k++) {
        e[0][k] = v[1][k] - v[0][k];
        e[1][k] = v[2][k] - v[0][k];
    }
    lil_cross3(e[0], e[1], n);
    for (int k = 0; k < 3; k++) {
        from += n[k] * (p[k] - v[0][k]);
        to += n[k] * (q[k] - v[0][k]);
    }
    double s = from == to ? 0.5 : from / (from - to);
    for (int k = 0; k < 3; k++)
        at[k] = p[k] + s * (q[k] - p[k]);
}

/* an edge of element a that shares no point with the triangle b crosses it */
static bool cuts(const int *a, const int *b, const double *x, double at[3])
{
    int n = a[2] >= 0 ? 3 : a[1] >= 0 ? 2 : 1;
    for (int k = 0; k < (n == 3 ? 3 : n - 1) && b[2] >= 0; k++) {
        int p = a[k], q = a[(k + 1) % n];
        const double *const v[3] = { x + 3 * b[0], x + 3 * b[1], x + 3 * b[2] };
        if (has(b, p) || has(b, q) || !lil_exact_segment_meets_triangle(x + 3 * p, x + 3 * q, v[0], v[1], v[2]))
            continue;
        if (at)
            crossing(x + 3 * p, x + 3 * q, v, at);
        return true;
    }
    return false;
}

bool lil_elements_cross(const int *a, const int *b, const double *x, double at[3])
{
    return cuts(a, b, x, at) || cuts(b, a, x, at);
}

/* ---- tangles ---- */

static void mark(const lil_shell *s, int element, bool *points)
{
    for (int k = 0; k < 3; k++)
        if (s->corners[element][k] >= 0)
            points[s->corners[element][k]] = true;
}

/* elements that have a marked point mark all of theirs in `to` */
static void grow(const lil_shell *s, const bool *points, bool *to)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            if (s->corners[i][k] >= 0 && points[s->corners[i][k]])
                mark(s, i, to);
}

lil_status lil_find_tangles(lil_world *w, const lil_shell *s, const double *x, const bool *wanted, bool *tangled,
                            int *count)
{
    lil_span *spans;
    LIL_TRY(lil_list_spans(w, s, x, &spans));
    int points = 0;
    for (int i = 0; i < 3 * s->count; i++)
        points = s->corners[i / 3][i % 3] >= points ? s->corners[i / 3][i % 3] + 1 : points;
    bool *cut = LIL_NEW(&w->arena, bool, points), *is_cut = LIL_NEW(&w->arena, bool, s->count);
    LIL_HAVE(w->ctx, cut && is_cut);
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count && spans[j].low[0] <= spans[i].high[0]; j++) {
            int a = spans[i].element, b = spans[j].element;
            if (s->part[a] != s->part[b] || !wanted[s->part[a]] || !lil_spans_overlap(&spans[i], &spans[j]) ||
                !lil_elements_cross(s->corners[a], s->corners[b], x, NULL))
                continue;
            is_cut[a] = is_cut[b] = true;
        }
    for (int i = 0; i < s->count; i++) {
        count[s->part[i]] += is_cut[i];
        if (is_cut[i])
            mark(s, i, cut);
    }
    grow(s, cut, tangled);
    return LIL_OK;
}
