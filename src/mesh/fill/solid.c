#include "mesh/fill/solid.h"

#include <math.h>

/* ---- building it ---- */

static double area_of(const lil_surface *s, const int t[3], double n[3])
{
    const double *a = s->x + 3 * (size_t)t[0], *b = s->x + 3 * (size_t)t[1], *c = s->x + 3 * (size_t)t[2];
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        n[d] = ((b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e])) / 2;
    }
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static void turn(int t[3])
{
    int swap = t[1];
    t[1] = t[2];
    t[2] = swap;
}

/* Just off a triangle, where its corners go counter-clockwise (side 1) or clockwise (-1). */
static void beside(const lil_solid *solid, const int t[3], int side, double q[3])
{
    double n[3], area = area_of(solid->surface, t, n), size = sqrt(area);
    for (int d = 0; d < 3; d++) {
        const double *x = solid->surface->x + d;
        q[d] = (x[3 * (size_t)t[0]] + x[3 * (size_t)t[1]] + x[3 * (size_t)t[2]]) / 3;
        q[d] += area > 0 ? side * 1e-3 * size * n[d] / area : 0;
    }
}

/* The data of a patch. */
typedef struct patch {
    double volume; /* signed, over the first corner of its first triangle */
    int first, size, seen;
    bool against; /* closed, and the other way round than the whole */
    int in, out;  /* looks from outside of it into something, into nothing */
} patch;

static void measure_patches(const lil_solid *solid, patch *patches)
{
    const lil_mended *m = &solid->mended;
    double all = 0;
    for (int i = 0; i < m->count; i++) {
        const int *t = solid->tree.triangles[i];
        patch *p = &patches[m->patch[solid->tree.index[i]]];
        if (!p->size++)
            p->first = t[0];
        const double *o = solid->surface->x + 3 * (size_t)p->first, *a = solid->surface->x + 3 * (size_t)t[0];
        double n[3];
        area_of(solid->surface, t, n);
        for (int d = 0; d < 3; d++)
            p->volume += n[d] * (a[d] - o[d]) / 3;
    }
    for (int p = 0; p < m->patch_count; p++)
        all += m->patch_closed[p] ? patches[p].volume : 0;
    for (int p = 0; p < m->patch_count; p++)
        patches[p].against = m->patch_closed[p] && (all < 0 ? patches[p].volume > 0 : patches[p].volume < 0);
}

/* A closed patch that is inside out is a cavity of what is around it. One around which nothing is was meant the
 * other way. Which it is shows from outside of it, at some of its triangles. */
static lil_status turn_inside_out(lil_context *ctx, lil_arena *arena, lil_solid *solid)
{
    enum { LOOKS = 15 };
    const lil_mended *m = &solid->mended;
    patch *patches;
    LIL_ALLOC(ctx, arena, patches, m->patch_count);
    measure_patches(solid, patches);
    for (int i = 0; i < m->count; i++) {
        patch *p = &patches[m->patch[solid->tree.index[i]]];
        double q[3];
        if (!p->against || p->seen++ % (p->size / LOOKS + 1))
            continue;
        beside(solid, solid->tree.triangles[i], p->volume > 0 ? 1 : -1, q);
        bool in = fabs(lil_winding_number(&solid->winding, q)) > 0.5;
        p->in += in;
        p->out += !in;
    }
    for (int p = 0; p < m->patch_count; p++)
        solid->inside_out += patches[p].against && patches[p].out >= patches[p].in;
    for (int i = 0; i < m->count && solid->inside_out; i++) {
        const patch *p = &patches[m->patch[solid->tree.index[i]]];
        if (p->against && p->out >= p->in)
            turn(solid->tree.triangles[i]);
    }
    return solid->inside_out ? lil_winding_build(ctx, arena, &solid->tree, &solid->winding) : LIL_OK;
}

/* Differences of coordinates must be numbers, not round-off. */
static lil_status check_size(lil_context *ctx, const lil_surface *surface)
{
    double least[3], most[3], size = lil_box_around(surface->x, surface->vertex_count, least, most), away = 0;
    for (int d = 0; d < 3; d++)
        away = fmax(away, fmax(fabs(least[d]), fabs(most[d])));
    if (size > 0 && (size < 1e-25 || size < 1e-9 * away))
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: its size is only %.3g m, %.3g m away from the origin",
                        surface->name, size, away);
    return LIL_OK;
}

lil_status lil_solid_build(lil_context *ctx, lil_arena *arena, const lil_surface *surface, double thickness,
                           lil_solid *solid)
{
    *solid = (lil_solid){ .surface = surface, .half = thickness / 2 };
    double area = 0, n[3];
    LIL_TRY(check_size(ctx, surface));
    LIL_TRY(lil_mend(ctx, arena, surface, &solid->mended));
    const lil_mended *m = &solid->mended;
    for (int t = 0; t < m->count; t++)
        area += area_of(surface, m->triangles[t], n);
    if (!(area > 0))
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: its %d faces have no area: all corners of each are on one line",
                        surface->name, surface->face_count);
    LIL_TRY(lil_tree_build(ctx, arena, surface->x, (const int(*)[3])m->triangles, m->count, &solid->tree));
    LIL_TRY(lil_winding_build(ctx, arena, &solid->tree, &solid->winding));
    if (!thickness)
        LIL_TRY(turn_inside_out(ctx, arena, solid));
    for (int d = 0; d < 3; d++) {
        solid->least[d] = solid->tree.nodes[1].low[d] - solid->half;
        solid->most[d] = solid->tree.nodes[1].high[d] + solid->half;
    }
    return LIL_OK;
}

/* ---- asking it ---- */

bool lil_solid_has(const lil_solid *solid, const double q[3])
{
    if (solid->half) {
        double bound = solid->half * solid->half;
        return lil_tree_nearest(&solid->tree, q, bound, NULL, NULL) < bound;
    }
    return fabs(lil_winding_number(&solid->winding, q)) > 0.5;
}

int lil_solid_uniform(const lil_solid *solid, const double q[3], double radius)
{
    double far = radius + solid->half;
    if (!(lil_tree_nearest(&solid->tree, q, far * far, NULL, NULL) < far * far)) {
        if (solid->half)
            return -1;
        double w = fabs(lil_winding_number(&solid->winding, q));
        /* Winding numbers of closed surfaces are the same as far as nothing is crossed. Those of open ones change
         * slowly where everything is far. */
        bool clear = solid->mended.closed || w < 0.2 || w > 0.8;
        if (clear && solid->mended.closed)
            return w > 0.5 ? 1 : -1;
        far = 2 * radius;
        if (clear && !(lil_tree_nearest(&solid->tree, q, far * far, NULL, NULL) < far * far))
            return w > 0.5 ? 1 : -1;
        return 0;
    }
    far = solid->half - radius;
    return solid->half && far > 0 && lil_tree_nearest(&solid->tree, q, far * far, NULL, NULL) < far * far ? 1 : 0;
}

static void between(const double a[3], const double b[3], double t, double q[3])
{
    for (int d = 0; d < 3; d++)
        q[d] = a[d] + t * (b[d] - a[d]);
}

/* Between a part that is in and one that is out, by halves. */
static double bisect(const lil_solid *solid, const double a[3], const double b[3], double in, double out)
{
    enum { HALVES = 14 };
    for (int i = 0; i < HALVES; i++) {
        double middle = (in + out) / 2, q[3];
        between(a, b, middle, q);
        if (lil_solid_has(solid, q))
            in = middle;
        else
            out = middle;
    }
    return (in + out) / 2;
}

double lil_solid_cut(const lil_solid *solid, const double in[3], const double out[3])
{
    enum { ROOM = 8 };
    const double aside = 1e-4;
    double t[ROOM], last = 0;
    if (solid->half)
        return bisect(solid, in, out, 0, 1);
    int count = lil_tree_crossings(&solid->tree, in, out, t, ROOM);
    if (count == 1 && solid->mended.closed)
        return t[0];
    if (count > ROOM)
        return bisect(solid, in, out, 0, 1);
    /* The winding number jumps where a triangle is crossed, and is smooth between such places. */
    for (int i = 0; i < count; i++) {
        double q[3], before = fmax(t[i] - aside, last), behind_it = fmin(t[i] + aside, 1);
        between(in, out, before, q);
        if (before > last && !lil_solid_has(solid, q))
            return bisect(solid, in, out, last, before);
        between(in, out, behind_it, q);
        if (!lil_solid_has(solid, q))
            return t[i];
        last = behind_it;
    }
    return bisect(solid, in, out, last, 1);
}
