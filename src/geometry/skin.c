#include "geometry/skin.h"

#include "core/order.h"
#include "geometry/triangle.h"
#include "math/matrix3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- create ---- */

static int skin_find(const lil_skin *s, int vertex)
{
    const int *at = bsearch(&vertex, s->vertices, (size_t)s->vertex_count, sizeof *s->vertices, lil_order_ints);
    return (int)(at - s->vertices);
}

static void skin_list_vertices(lil_skin *s)
{
    int n = 3 * s->count, kept = 0;
    memcpy(s->vertices, s->triangles, (size_t)n * sizeof *s->vertices);
    qsort(s->vertices, (size_t)n, sizeof *s->vertices, lil_order_ints);
    for (int i = 0; i < n; i++)
        if (i == 0 || s->vertices[i] != s->vertices[i - 1])
            s->vertices[kept++] = s->vertices[i];
    s->vertex_count = kept;
    for (int i = 0; i < n; i++)
        s->corner[i / 3][i % 3] = skin_find(s, s->triangles[i / 3][i % 3]);
}

static void list_around(lil_skin *s)
{
    for (int i = 0; i < 3 * s->count; i++)
        s->first[s->corner[i / 3][i % 3] + 2]++;
    for (int i = 0; i < s->vertex_count; i++)
        s->first[i + 2] += s->first[i + 1];
    for (int i = 0; i < 3 * s->count; i++)
        s->around[s->first[s->corner[i / 3][i % 3] + 1]++] = i / 3;
}

/* the triangle with the edge reversed; without one: itself */
static int skin_across(const lil_skin *s, int triangle, int k)
{
    int a = s->corner[triangle][k], b = s->corner[triangle][(k + 1) % 3];
    for (int i = s->first[a]; i < s->first[a + 1]; i++)
        for (int e = 0; e < 3; e++)
            if (s->corner[s->around[i]][e] == b && s->corner[s->around[i]][(e + 1) % 3] == a)
                return s->around[i];
    return triangle;
}

static lil_status skin_allocate(lil_context *ctx, lil_arena *arena, int count, lil_skin *s)
{
    *s = (lil_skin){ .count = count };
    s->triangles = lil_arena_alloc(arena, (size_t)count, sizeof *s->triangles);
    s->beside = lil_arena_alloc(arena, (size_t)count, sizeof *s->beside);
    s->corner = lil_arena_alloc(arena, (size_t)count, sizeof *s->corner);
    s->vertices = LIL_NEW(arena, int, 3 * (size_t)count);
    s->first = LIL_NEW(arena, int, 3 * (size_t)count + 2);
    s->around = LIL_NEW(arena, int, 3 * (size_t)count);
    return s->triangles && s->beside && s->corner && s->vertices && s->first && s->around ? LIL_OK
                                                                                          : lil_fail_memory(ctx);
}

lil_status lil_skin_create(lil_context *ctx, lil_arena *arena, const double *x, const int (*triangles)[3], int count,
                           int first, lil_skin *s)
{
    LIL_TRY(skin_allocate(ctx, arena, count, s));
    LIL_TRY(lil_boxes_create(ctx, arena, x + 3 * (size_t)first, triangles[0], 3, count, &s->tree));
    for (int i = 0; i < 3 * count; i++)
        s->triangles[i / 3][i % 3] = first + triangles[s->tree.order[i / 3]][i % 3];
    skin_list_vertices(s);
    list_around(s);
    for (int i = 0; i < 3 * count; i++)
        s->beside[i / 3][i % 3] = skin_across(s, i / 3, i % 3);
    return LIL_OK;
}

/* ---- boxes ---- */

lil_box lil_skin_around(const lil_skin *s, const double *x)
{
    lil_box b = lil_no_box;
    for (int i = 0; i < s->vertex_count; i++)
        lil_box_widen(&b, x + 3 * s->vertices[i]);
    return b;
}

int lil_skin_boxes(const lil_skin *s)
{
    return 2 * s->tree.leaves;
}

void lil_skin_fit(const lil_skin *s, const double *x, lil_box *boxes)
{
    lil_boxes_fit(&s->tree, x, s->triangles[0], 3, boxes);
}

/* ---- nearest ---- */

static double skin_look(const lil_skin *skin, const double *x, int at, const double q[3], lil_triangle_region *where,
                        lil_skin_point *n)
{
    const int *v = skin->triangles[at];
    double ab[3], ac[3], aq[3], s, t;
    for (int d = 0; d < 3; d++) {
        ab[d] = x[3 * v[1] + d] - x[3 * v[0] + d];
        ac[d] = x[3 * v[2] + d] - x[3 * v[0] + d];
        aq[d] = q[d] - x[3 * v[0] + d];
    }
    *where = lil_triangle_parameters(ab, ac, aq, &s, &t);
    *n = (lil_skin_point){ .at = at, .b = { 1 - s - t, s, t } };
    if (*where == LIL_TRIANGLE_EDGE + 1)
        n->b[0] = 0;
    for (int d = 0; d < 3; d++)
        n->z[d] = aq[d] - s * ab[d] - t * ac[d];
    return lil_dot3(n->z, n->z);
}

/* of length 1, outwards */
static void skin_normal_of(const lil_skin *skin, const double *x, int at, double n[3])
{
    const int *v = skin->triangles[at];
    double ab[3], ac[3];
    for (int d = 0; d < 3; d++) {
        ab[d] = x[3 * v[1] + d] - x[3 * v[0] + d];
        ac[d] = x[3 * v[2] + d] - x[3 * v[0] + d];
    }
    lil_cross3(ab, ac, n);
    double length = sqrt(lil_dot3(n, n));
    for (int d = 0; d < 3 && length > 0; d++)
        n[d] /= length;
}

/* the angle of triangle `at` at its vertex number `vertex` */
static double angle_at(const lil_skin *skin, const double *x, int at, int vertex)
{
    int k = 0;
    while (k < 2 && skin->corner[at][k] != vertex)
        k++;
    const double *p = x + 3 * skin->triangles[at][k], *r = x + 3 * skin->triangles[at][(k + 1) % 3],
                 *s = x + 3 * skin->triangles[at][(k + 2) % 3];
    double a[3], b[3], c[3];
    for (int d = 0; d < 3; d++) {
        a[d] = r[d] - p[d];
        b[d] = s[d] - p[d];
    }
    lil_cross3(a, b, c);
    return atan2(sqrt(lil_dot3(c, c)), lil_dot3(a, b));
}

/* On which side of an edge or a corner a place is, the sum of the normals about it says, weighted by their angles
 * (Baerentzen and Aanaes 2005). */
static void outwards(const lil_skin *skin, const double *x, int at, lil_triangle_region where, double sum[3])
{
    double n[3];
    skin_normal_of(skin, x, at, sum);
    if (where >= LIL_TRIANGLE_EDGE) {
        skin_normal_of(skin, x, skin->beside[at][where - LIL_TRIANGLE_EDGE], n);
        for (int d = 0; d < 3; d++)
            sum[d] += n[d];
    } else if (where >= LIL_TRIANGLE_CORNER) {
        int vertex = skin->corner[at][where - LIL_TRIANGLE_CORNER];
        memset(sum, 0, 3 * sizeof *sum);
        for (int i = skin->first[vertex]; i < skin->first[vertex + 1]; i++) {
            double angle = angle_at(skin, x, skin->around[i], vertex);
            skin_normal_of(skin, x, skin->around[i], n);
            for (int d = 0; d < 3; d++)
                sum[d] += angle * n[d];
        }
    }
}

static void set_stiff(const lil_skin *skin, const double *x, lil_triangle_region where, lil_skin_point *n)
{
    const int *v = skin->triangles[n->at];
    if (where >= LIL_TRIANGLE_EDGE) {
        const double *a = x + 3 * v[where - LIL_TRIANGLE_EDGE], *b = x + 3 * v[(where - LIL_TRIANGLE_EDGE + 1) % 3];
        for (int d = 0; d < 3; d++)
            n->n[d] = b[d] - a[d];
        double length = sqrt(lil_dot3(n->n, n->n));
        for (int d = 0; d < 3 && length > 0; d++)
            n->n[d] /= length;
    } else {
        skin_normal_of(skin, x, n->at, n->n);
    }
    n->stiff = where == LIL_TRIANGLE_FACE ? 1 : where >= LIL_TRIANGLE_EDGE ? 2 : 3;
}

typedef struct skin_search {
    const lil_skin *skin;
    const double *x, *q;
    lil_skin_point found;
    lil_triangle_region where;
} skin_search;

static void skin_near(void *user, int triangle, double *best)
{
    skin_search *s = user;
    lil_skin_point n;
    lil_triangle_region r;
    double square = skin_look(s->skin, s->x, triangle, s->q, &r, &n);
    if (square < *best) {
        *best = square;
        s->found = n;
        s->where = r;
    }
}

lil_skin_point lil_skin_nearest(const lil_skin *skin, const double *x, const lil_box *boxes, const double q[3])
{
    skin_search s = { .skin = skin, .x = x, .q = q, .where = LIL_TRIANGLE_FACE };
    double out[3];
    lil_boxes_nearest(&skin->tree, boxes, q, INFINITY, skin_near, &s);
    outwards(skin, x, s.found.at, s.where, out);
    s.found.inside = lil_dot3(s.found.z, out) < 0;
    set_stiff(skin, x, s.where, &s.found);
    return s.found;
}
