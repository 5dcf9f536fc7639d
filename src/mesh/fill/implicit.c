/*
 * Surface nets (Gibson, Constrained elastic surface nets, MICCAI 1998): a grid of cells; each cell that the surface
 * passes through has one vertex, in the middle of where its edges are crossed, and each edge that is crossed one
 * quad, of the vertices of the four cells around it. Closed, smooth, and of faces that are about equal.
 */
#include "mesh/fill/implicit.h"

#include "mesh/read/triangulate.h"

#include <math.h>
#include <stdlib.h>

typedef struct net {
    const lil_implicit *def;
    int n[3]; /* cells along each axis */
    double size;
    double *f;   /* at the corners of cells */
    int *vertex; /* of each cell; -1: none */
} net;

static size_t corner(const net *g, int i, int j, int k)
{
    return ((size_t)k * (size_t)(g->n[1] + 1) + (size_t)j) * (size_t)(g->n[0] + 1) + (size_t)i;
}

static size_t cell(const net *g, const int at[3])
{
    return ((size_t)at[2] * (size_t)g->n[1] + (size_t)at[1]) * (size_t)g->n[0] + (size_t)at[0];
}

static lil_status sample(lil_context *ctx, net *g)
{
    const lil_implicit *def = g->def;
    bool any = false;
    for (int k = 0; k <= g->n[2]; k++)
        for (int j = 0; j <= g->n[1]; j++)
            for (int i = 0; i <= g->n[0]; i++) {
                const double x[3] = { def->low[0] + g->size * i, def->low[1] + g->size * j,
                                      def->low[2] + g->size * k };
                double f = g->f[corner(g, i, j, k)] = def->value(def->user, x);
                bool rim = i == 0 || j == 0 || k == 0 || i == g->n[0] || j == g->n[1] || k == g->n[2];
                if (!isfinite(f))
                    return lil_fail(ctx, LIL_ERR_INPUT, "%.60s: is not finite at [%g, %g, %g]", def->name, x[0], x[1],
                                    x[2]);
                if (f > 0 && rim)
                    return lil_fail(
                        ctx, LIL_ERR_INPUT,
                        "%.60s: the box cuts it off: the point [%g, %g, %g] on its boundary is still inside",
                        def->name, x[0], x[1], x[2]);
                any = any || f > 0;
            }
    return any ? LIL_OK : lil_fail(ctx, LIL_ERR_INPUT, "%.60s: is positive nowhere in the box", def->name);
}

/* The middle of where the edges of a cell are crossed. False: none is. */
static bool find_vertex(const net *g, const int at[3], double x[3])
{
    int crossed = 0;
    double sum[3] = { 0 };
    for (int e = 0; e < 12; e++) {
        int axis = e / 4, a[3] = { at[0], at[1], at[2] }, b[3];
        a[(axis + 1) % 3] += e % 2;
        a[(axis + 2) % 3] += e % 4 / 2;
        for (int d = 0; d < 3; d++)
            b[d] = a[d] + (d == axis);
        double fa = g->f[corner(g, a[0], a[1], a[2])], fb = g->f[corner(g, b[0], b[1], b[2])];
        if ((fa > 0) == (fb > 0))
            continue;
        for (int d = 0; d < 3; d++)
            sum[d] += a[d] + (d == axis ? fa / (fa - fb) : 0);
        crossed++;
    }
    for (int d = 0; crossed && d < 3; d++)
        x[d] = g->def->low[d] + g->size * sum[d] / crossed;
    return crossed;
}

/* Without x it counts. */
static int find_vertices(net *g, double *x)
{
    int count = 0, at[3];
    double here[3];
    for (at[2] = 0; at[2] < g->n[2]; at[2]++)
        for (at[1] = 0; at[1] < g->n[1]; at[1]++)
            for (at[0] = 0; at[0] < g->n[0]; at[0]++) {
                bool there = find_vertex(g, at, here);
                g->vertex[cell(g, at)] = there ? count : -1;
                for (int d = 0; there && x && d < 3; d++)
                    x[3 * (size_t)count + (size_t)d] = here[d];
                count += there;
            }
    return count;
}

/* The quads around all edges along one axis, counter-clockwise seen from outside; without `corners` it counts. */
static int find_quads(const net *g, int axis, int *corners)
{
    int count = 0, u = (axis + 1) % 3, v = (axis + 2) % 3, at[3];
    for (at[2] = axis != 2; at[2] < g->n[2]; at[2]++)
        for (at[1] = axis != 1; at[1] < g->n[1]; at[1]++)
            for (at[0] = axis != 0; at[0] < g->n[0]; at[0]++) {
                bool in = g->f[corner(g, at[0], at[1], at[2])] > 0,
                     next = g->f[corner(g, at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2))] > 0;
                if (in == next)
                    continue;
                for (int k = 0; corners && k < 4; k++) {
                    int turn = in ? k : 3 - k, beside[3] = { at[0], at[1], at[2] };
                    beside[u] -= turn == 0 || turn == 3;
                    beside[v] -= turn == 0 || turn == 1;
                    corners[4 * count + k] = g->vertex[cell(g, beside)];
                }
                count++;
            }
    return count;
}

static lil_status build(lil_context *ctx, lil_arena *arena, net *g, lil_surface *s)
{
    LIL_TRY(sample(ctx, g));
    s->name = g->def->name;
    s->vertex_count = find_vertices(g, NULL);
    for (int axis = 0; axis < 3; axis++)
        s->face_count += find_quads(g, axis, NULL);
    s->triangle_count = 2 * s->face_count;
    LIL_ALLOC(ctx, arena, s->x, 3 * (size_t)s->vertex_count);
    LIL_ALLOC(ctx, arena, s->first, (size_t)s->face_count + 1);
    LIL_ALLOC(ctx, arena, s->corners, 4 * (size_t)s->face_count);
    LIL_ALLOC(ctx, arena, s->triangles, s->triangle_count);
    find_vertices(g, s->x);
    for (int axis = 0, at = 0; axis < 3; axis++)
        at += find_quads(g, axis, s->corners + 4 * (size_t)at);
    for (int i = 0; i < s->face_count; i++) {
        int left[4];
        s->first[i + 1] = 4 * (i + 1);
        lil_triangulate(s->x, s->corners + 4 * (size_t)i, 4, left, s->triangles + 2 * (size_t)i);
    }
    return LIL_OK;
}

lil_status lil_surface_implicit(lil_context *ctx, lil_arena *arena, const lil_implicit *def, lil_surface *surface)
{
    net g = { .def = def };
    double longest = 0;
    size_t corners = 1;
    *surface = (lil_surface){ 0 };
    for (int d = 0; d < 3; d++) {
        if (!(def->high[d] > def->low[d] && isfinite(def->high[d] - def->low[d])))
            return lil_fail(ctx, LIL_ERR_INPUT, "%.60s: the box is flat", def->name);
        longest = fmax(longest, def->high[d] - def->low[d]);
    }
    g.size = longest / def->cells;
    for (int d = 0; d < 3; d++) {
        g.n[d] = (int)ceil((def->high[d] - def->low[d]) / g.size - 1e-9);
        corners *= (size_t)g.n[d] + 1;
    }
    g.f = malloc(corners * sizeof *g.f);
    g.vertex = malloc(corners * sizeof *g.vertex);
    lil_status status = g.f && g.vertex ? build(ctx, arena, &g, surface) : lil_fail_memory(ctx);
    free(g.f);
    free(g.vertex);
    return status;
}
