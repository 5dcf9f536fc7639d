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
    for (size_t i = 0; i < p->name_count; i++)
        free(p->names[i]);
    free(p->names);
    free(p->current);
    free(p->members);
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
    while (p->member_count && (size_t)p->members[p->member_count - 1].face >= p->face_count)
        p->member_count--;
}

void lil_soup_leave_groups(lil_soup *p)
{
    p->current_count = 0;
}

lil_status lil_soup_enter_group(lil_soup *p, const char *name)
{
    size_t length = strlen(name) + 1;
    LIL_TRY(lil_grow(p->ctx, &p->names, &p->name_room, p->name_count, 1, sizeof *p->names));
    char *copy = malloc(length);
    LIL_HAVE(p->ctx, copy);
    memcpy(copy, name, length);
    p->names[p->name_count++] = copy;
    LIL_TRY(lil_grow(p->ctx, &p->current, &p->current_room, p->current_count, 1, sizeof *p->current));
    p->current[p->current_count++] = (int)p->name_count - 1;
    return LIL_OK;
}

lil_status lil_soup_face(lil_soup *p, const lil_scan *s)
{
    forget_short(p);
    LIL_TRY(lil_grow(p->ctx, &p->first, &p->first_room, p->face_count, 1, sizeof *p->first));
    LIL_TRY(lil_grow(p->ctx, &p->line, &p->line_room, p->face_count, 1, sizeof *p->line));
    LIL_TRY(lil_grow(p->ctx, &p->members, &p->member_room, p->member_count, p->current_count, sizeof *p->members));
    for (size_t k = 0; k < p->current_count; k++)
        p->members[p->member_count++] = (struct lil_membership){ p->current[k], (int)p->face_count };
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

typedef struct named {
    const char *name;
    int number;
} named;

static int by_name(const void *p, const void *q)
{
    const named *a = p, *b = q;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* A name may come again: of each the first number that has it. */
static lil_status join_names(lil_soup *p)
{
    size_t n = p->name_count;
    named *list = malloc(n * sizeof *list + 1);
    int *to = malloc(n * sizeof *to + 1);
    lil_status status = list && to ? LIL_OK : lil_fail_memory(p->ctx);
    for (size_t i = 0; status == LIL_OK && i < n; i++)
        list[i] = (named){ p->names[i], (int)i };
    if (status == LIL_OK && n)
        qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0, first = 0; status == LIL_OK && i < n; i++) {
        first = strcmp(list[i].name, list[first].name) == 0 ? first : i;
        to[list[i].number] = list[first].number;
    }
    for (size_t k = 0; status == LIL_OK && k < p->member_count; k++)
        p->members[k].group = to[p->members[k].group];
    free(list);
    free(to);
    return status;
}

/* In the order of the file; groups without faces are left out, and a face is in a group once. */
static lil_status list_groups(lil_soup *p, lil_arena *arena, lil_surface *surface)
{
    LIL_TRY(join_names(p));
    LIL_ALLOC(p->ctx, arena, surface->groups, p->name_count);
    lil_face_group **of = LIL_NEW(arena, lil_face_group *, p->name_count);
    int *count = LIL_NEW(arena, int, p->name_count);
    LIL_HAVE(p->ctx, of && count);
    for (size_t k = 0; k < p->member_count; k++)
        count[p->members[k].group]++;
    for (size_t g = 0; g < p->name_count; g++) {
        if (!count[g])
            continue;
        of[g] = &surface->groups[surface->group_count++];
        *of[g] = (lil_face_group){ .name = lil_arena_copy(arena, p->names[g], strlen(p->names[g])),
                                   .faces = LIL_NEW(arena, int, count[g]) };
        LIL_HAVE(p->ctx, of[g]->name && of[g]->faces);
    }
    for (size_t k = 0; k < p->member_count; k++) {
        lil_face_group *group = of[p->members[k].group];
        if (!group->count || group->faces[group->count - 1] != p->members[k].face)
            group->faces[group->count++] = p->members[k].face;
    }
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
    LIL_TRY(list_groups(p, arena, surface));
    return cut_up(p, surface);
}
