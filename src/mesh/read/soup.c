#include "mesh/read/soup.h"

#include "core/grow.h"
#include "mesh/check/mend.h"
#include "mesh/read/triangulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* beyond it volumes squared overflow; no body is so large */
static const double COORDINATE_MAX = 1e30;
enum { CORNERS_MAX = 1000 * 1000 * 1000 };

void lil_soup_end(lil_soup *p)
{
    free(p->x);
    free(p->corners);
    free(p->first);
    free(p->line);
    *p = (lil_soup){ 0 };
}

/* ---- filling it ---- */

lil_status lil_soup_check(const lil_scan *s, double x)
{
    if (!isfinite(x))
        return lil_scan_fail(s, "a coordinate is %s, not a finite number", isnan(x) ? "NaN" : "infinite");
    if (fabs(x) > COORDINATE_MAX)
        return lil_scan_fail(s, "a coordinate is %g m, farther out than %g m", x, COORDINATE_MAX);
    return LIL_OK;
}

lil_status lil_soup_vertex(lil_soup *p, const lil_scan *s, const double x[3])
{
    if (p->vertex_count == CORNERS_MAX)
        return lil_scan_fail(s, "more than %d vertices", CORNERS_MAX);
    LIL_TRY(lil_grow(p->ctx, &p->x, &p->x_room, 3 * p->vertex_count, 3, sizeof *p->x));
    for (int d = 0; d < 3; d++) {
        LIL_TRY(lil_soup_check(s, x[d]));
        p->x[3 * p->vertex_count + (size_t)d] = x[d];
    }
    p->vertex_count++;
    return LIL_OK;
}

/* the latest polygon, if it is none */
static void forget_short(lil_soup *p)
{
    if (p->face_count && p->corner_count - p->first[p->face_count - 1] < 3)
        p->corner_count = p->first[--p->face_count];
}

lil_status lil_soup_face(lil_soup *p, const lil_scan *s)
{
    forget_short(p);
    LIL_TRY(lil_grow(p->ctx, &p->first, &p->first_room, p->face_count, 1, sizeof *p->first));
    LIL_TRY(lil_grow(p->ctx, &p->line, &p->line_room, p->face_count, 1, sizeof *p->line));
    p->first[p->face_count] = p->corner_count;
    p->line[p->face_count++] = lil_scan_line(s);
    return LIL_OK;
}

lil_status lil_soup_corner(lil_soup *p, const lil_scan *s, int64_t vertex)
{
    if (p->corner_count == CORNERS_MAX)
        return lil_scan_fail(s, "more than %d corners of faces", CORNERS_MAX);
    if (vertex < 0 || vertex >= CORNERS_MAX)
        return lil_scan_fail(s, "a face has a vertex that does not exist");
    LIL_TRY(lil_grow(p->ctx, &p->corners, &p->corner_room, p->corner_count, 1, sizeof *p->corners));
    p->corners[p->corner_count++] = (int)vertex;
    return LIL_OK;
}

/* ---- what becomes of it ---- */

static lil_status check_corners(const lil_soup *p, const char *name)
{
    size_t face = 0;
    for (size_t c = 0; c < p->corner_count; c++) {
        if ((size_t)p->corners[c] < p->vertex_count)
            continue;
        while (face + 1 < p->face_count && p->first[face + 1] <= c)
            face++;
        return lil_fail(p->ctx, LIL_ERR_INPUT, "%.200s%s%.*d: face %zu has the vertex %d, but there are only %zu",
                        name, p->line[face] ? ":" : "", p->line[face] ? 1 : 0, p->line[face], face + 1,
                        p->corners[c] + 1, p->vertex_count);
    }
    return LIL_OK;
}

/* Each vertex becomes the first one at its place; the others are forgotten. */
static lil_status join_equal(lil_soup *p)
{
    int *to = malloc(p->vertex_count * sizeof *to + 1), count = 0;
    if (!to || lil_join_equal(p->x, (int)p->vertex_count, to) < 0) {
        free(to);
        return lil_fail_memory(p->ctx);
    }
    for (size_t v = 0; v < p->vertex_count; v++) {
        if ((size_t)to[v] == v) {
            memmove(p->x + 3 * (size_t)count, p->x + 3 * v, 3 * sizeof *p->x);
            to[v] = count++;
        } else {
            to[v] = to[to[v]]; /* the first one comes before it, and has its new number */
        }
    }
    for (size_t c = 0; c < p->corner_count; c++)
        p->corners[c] = to[p->corners[c]];
    p->vertex_count = (size_t)count;
    free(to);
    return LIL_OK;
}

static lil_status cut_up(lil_soup *p, lil_surface *surface)
{
    int *scratch = NULL, longest = 0, at = 0;
    for (int f = 0; f < surface->face_count; f++) {
        int corners = surface->first[f + 1] - surface->first[f];
        longest = corners > longest ? corners : longest;
    }
    scratch = malloc((size_t)longest * sizeof *scratch + 1);
    LIL_HAVE(p->ctx, scratch);
    for (int f = 0; f < surface->face_count; f++) {
        int corners = surface->first[f + 1] - surface->first[f];
        lil_triangulate(surface->x, surface->corners + surface->first[f], corners, scratch, surface->triangles + at);
        at += corners - 2;
    }
    free(scratch);
    return LIL_OK;
}

lil_status lil_soup_finish(lil_soup *p, lil_arena *arena, const char *name, bool join, lil_surface *surface)
{
    forget_short(p);
    if (!p->face_count)
        return lil_fail(p->ctx, LIL_ERR_INPUT, "%.200s: it has no faces%s", name,
                        p->vertex_count ? ", only vertices" : "");
    LIL_TRY(check_corners(p, name));
    if (join)
        LIL_TRY(join_equal(p));
    size_t triangles = p->corner_count - 2 * p->face_count;
    *surface = (lil_surface){ .name = lil_arena_copy(arena, name, strlen(name)),
                              .vertex_count = (int)p->vertex_count,
                              .x = LIL_NEW(arena, double, 3 * p->vertex_count),
                              .face_count = (int)p->face_count,
                              .first = LIL_NEW(arena, int, p->face_count + 1),
                              .corners = LIL_NEW(arena, int, p->corner_count),
                              .triangle_count = (int)triangles,
                              .triangles = lil_arena_alloc(arena, triangles, sizeof *surface->triangles) };
    LIL_HAVE(p->ctx, surface->name && surface->x && surface->first && surface->corners && surface->triangles);
    memcpy(surface->x, p->x, 3 * p->vertex_count * sizeof *p->x);
    memcpy(surface->corners, p->corners, p->corner_count * sizeof *p->corners);
    for (size_t f = 0; f < p->face_count; f++)
        surface->first[f] = (int)p->first[f];
    surface->first[p->face_count] = (int)p->corner_count;
    return cut_up(p, surface);
}
