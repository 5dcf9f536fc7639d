/* Surfaces made of patches, for tests: each is appended to what is there. */
#ifndef LIL_TEST_SURFACES_H
#define LIL_TEST_SURFACES_H

#include "mesh/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SURFACE_VERTICES = 20000, SURFACE_FACES = 20000 };

static const double PI = 3.14159265358979323846;

/* An empty surface with room. */
static inline lil_surface surface_begin(lil_arena *arena)
{
    return (lil_surface){ .name = "made",
                          .x = LIL_NEW(arena, double, 3 * SURFACE_VERTICES),
                          .first = LIL_NEW(arena, int, SURFACE_FACES + 1),
                          .corners = LIL_NEW(arena, int, 3 * SURFACE_FACES),
                          .triangles = lil_arena_alloc(arena, SURFACE_FACES, sizeof(int[3])) };
}

static inline int surface_vertex(lil_surface *s, double x, double y, double z)
{
    double *to = s->x + 3 * (size_t)s->vertex_count;
    to[0] = x;
    to[1] = y;
    to[2] = z;
    return s->vertex_count++;
}

static inline void surface_triangle(lil_surface *s, int a, int b, int c)
{
    const int t[3] = { a, b, c };
    memcpy(s->triangles[s->triangle_count++], t, sizeof t);
    memcpy(s->corners + 3 * (size_t)s->face_count, t, sizeof t);
    s->face_count++;
    s->first[s->face_count] = 3 * s->face_count;
}

/* x(u, v) for u in [0, 1) closed round if `round_u`, likewise v; seen from where u x v points the corners go
 * counter-clockwise. */
typedef void surface_map(const double *p, double u, double v, double x[3]);

static inline void surface_patch(lil_surface *s, surface_map *map, const double *p, int nu, int nv, bool round_u,
                                 bool round_v)
{
    int first = s->vertex_count, rows = nu + !round_u, columns = nv + !round_v;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            double x[3];
            map(p, (double)i / nu, (double)k / nv, x);
            surface_vertex(s, x[0], x[1], x[2]);
        }
    for (int i = 0; i < nu; i++)
        for (int k = 0; k < nv; k++) {
            int a = first + i * columns + k, b = first + (i + 1) % rows * columns + k,
                c = first + (i + 1) % rows * columns + (k + 1) % columns, d = first + i * columns + (k + 1) % columns;
            surface_triangle(s, a, b, c);
            surface_triangle(s, a, c, d);
        }
}

/* p: centre, radius. Its poles are many vertices at one place, as exporters write them. */
static inline void sphere_map(const double *p, double u, double v, double x[3])
{
    double polar = PI * u, around = 2 * PI * v;
    bool pole = u == 0 || u == 1;
    x[0] = p[0] + (pole ? 0 : p[3] * sin(polar) * cos(around));
    x[1] = p[1] + (pole ? 0 : p[3] * sin(polar) * sin(around));
    x[2] = p[2] + p[3] * cos(polar);
}

static inline void surface_sphere(lil_surface *s, double x, double y, double z, double r, int n)
{
    surface_patch(s, sphere_map, (const double[]){ x, y, z, r }, n, 2 * n, false, true);
}

/* p: radii of the tube's line and of the tube; windings of a torus knot (1, 0: a plain torus) */
static inline void knot_line(const double *p, double t, double x[3])
{
    double around = 2 * PI * t, r = p[0] * (p[3] ? 1 + 0.5 * cos(p[3] * around) : 1);
    x[0] = r * cos(p[2] * around);
    x[1] = r * sin(p[2] * around);
    x[2] = p[3] ? -p[0] * 0.5 * sin(p[3] * around) : 0;
}

static inline void knot_map(const double *p, double u, double v, double x[3])
{
    double a[3], b[3], c[3], t[3], n[3], m[3], length = 0, dot = 0;
    knot_line(p, u, c);
    knot_line(p, u - 1e-4, a);
    knot_line(p, u + 1e-4, b);
    for (int d = 0; d < 3; d++) {
        t[d] = b[d] - a[d];
        length += t[d] * t[d];
    }
    for (int d = 0; d < 3; d++)
        t[d] /= sqrt(length);
    n[0] = n[1] = 0; /* up, and at right angles to the way */
    n[2] = 1;
    dot = t[2];
    length = 0;
    for (int d = 0; d < 3; d++) {
        n[d] -= dot * t[d];
        length += n[d] * n[d];
    }
    for (int d = 0; d < 3; d++)
        n[d] /= sqrt(length);
    for (int d = 0; d < 3; d++)
        m[d] = t[(d + 1) % 3] * n[(d + 2) % 3] - t[(d + 2) % 3] * n[(d + 1) % 3];
    for (int d = 0; d < 3; d++)
        x[d] = c[d] + p[1] * (n[d] * cos(2 * PI * v) + m[d] * sin(2 * PI * v));
}

static inline void surface_torus(lil_surface *s, double R, double r, int n)
{
    surface_patch(s, knot_map, (const double[]){ R, r, 1, 0 }, 3 * n, n, true, true);
}

static inline void surface_knot(lil_surface *s, double R, double r, int n)
{
    surface_patch(s, knot_map, (const double[]){ R, r, 2, 3 }, 12 * n, n, true, true);
}

static inline void surface_box(lil_surface *s, double x, double y, double z, double a, double b, double c)
{
    static const int quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                     { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
    int first = s->vertex_count;
    for (int i = 0; i < 8; i++)
        surface_vertex(s, x + (i & 1 ? a : 0), y + (i & 2 ? b : 0), z + (i & 4 ? c : 0));
    for (int f = 0; f < 6; f++) {
        const int *q = quads[f];
        surface_triangle(s, first + q[0], first + q[1], first + q[2]);
        surface_triangle(s, first + q[0], first + q[2], first + q[3]);
    }
}

/* p: sides */
static inline void plane_map(const double *p, double u, double v, double x[3])
{
    x[0] = p[0] * u;
    x[1] = p[1] * v;
    x[2] = 0;
}

/* p: radius, height */
static inline void cylinder_map(const double *p, double u, double v, double x[3])
{
    x[0] = p[0] * cos(2 * PI * u);
    x[1] = p[0] * sin(2 * PI * u);
    x[2] = p[1] * v;
}

static inline void klein_map(const double *p, double u, double v, double x[3])
{
    double a = 2 * PI * u, b = 2 * PI * v, r = p[0] + cos(a / 2) * sin(b) - sin(a / 2) * sin(2 * b);
    x[0] = r * cos(a);
    x[1] = r * sin(a);
    x[2] = sin(a / 2) * sin(b) + cos(a / 2) * sin(2 * b);
}

/* Corners of the triangles from `first` on the other way round. */
static inline void surface_turn(lil_surface *s, int first)
{
    for (int t = first; t < s->triangle_count; t++) {
        int swap = s->triangles[t][1];
        s->triangles[t][1] = s->triangles[t][2];
        s->triangles[t][2] = swap;
        memcpy(s->corners + 3 * (size_t)t, s->triangles[t], sizeof s->triangles[t]);
    }
}

#endif
