/*
 * Refinement by longest-edge bisection (Rivara 1984). In one sweep, edges are marked: the longest one of each tet
 * that is too large, and the longest one of each tet that has a marked edge, until no more are marked. Then each tet
 * is cut at its longest marked edge, its halves at theirs.
 *
 * Neighbours match: "longer" is one order of all edges, and a face is cut at its longest marked edge first from
 * either side. Kuhn's six tets of a cube (pattern: 6) and all that is cut from them have three shapes, so their
 * quality does not fall with depth.
 */
#include "mesh/fill/refine.h"

#include "core/field.h"
#include "core/grow.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const lil_field lil_refine_fields[LIL_REFINE_FIELDS] = {
    LIL_FIELD_VECTOR(lil_fineness, centre, NAN, "m", "the point around which tets are smallest"),
    LIL_FIELD_REAL(lil_fineness, radius, 0, 0, 1e50, "m",
                   "radius of the region in which no edge is longer than `edge`"),
    LIL_FIELD_REAL(lil_fineness, edge, NAN, 1e-50, 1e50, "m", "largest edge length within `radius`"),
    LIL_FIELD_REAL(lil_fineness, growth, 0.5, 0, 1e6, "m/m",
                   "increase of the largest edge length per metre of distance beyond `radius`; 0: it is `edge` "
                   "everywhere"),
};

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { TETS_MAX = 2000 };
#else
enum { TETS_MAX = 2000000 };
#endif

enum { KEPT = -1, MARKED = -2 };

typedef struct edge {
    int v[2]; /* ascending */
    int mid;  /* the vertex in its middle, KEPT or MARKED */
    double square;
} edge;

/* A tet at the start of a sweep: its edges, and the longest of them. */
typedef struct six {
    int edge[6], longest;
} six;

typedef struct refiner {
    lil_context *ctx;
    const lil_fineness *list;
    int list_count;
    double *x;
    int (*tets)[4], (*between)[2];
    edge *edges;
    int *table; /* hashed: an edge, or -1; at least a quarter of it is empty */
    size_t mask;
    six *own;
    int vertex_count, tet_count, first; /* first: the first new vertex of all */
    size_t edge_count, x_room, tet_room, between_room, edge_room, own_room, table_room;
} refiner;

static const int pairs[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

/* ---- edges ---- */

/* Where the edge is in the table, or would be. */
static size_t slot_of(const refiner *r, int low, int high)
{
    uint64_t key = (uint64_t)low << 32 | (uint64_t)high;
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & r->mask;
    while (r->table[slot] >= 0 && (r->edges[r->table[slot]].v[0] != low || r->edges[r->table[slot]].v[1] != high))
        slot = (slot + 1) & r->mask;
    return slot;
}

static int find_edge(const refiner *r, int a, int b)
{
    return r->table[slot_of(r, a < b ? a : b, a < b ? b : a)];
}

static lil_status add_edge(refiner *r, int a, int b, int *at)
{
    edge e = { .v = { a < b ? a : b, a < b ? b : a }, .mid = KEPT };
    size_t slot = slot_of(r, e.v[0], e.v[1]);
    *at = r->table[slot];
    if (*at >= 0)
        return LIL_OK;
    LIL_TRY(lil_grow(r->ctx, &r->edges, &r->edge_room, r->edge_count, 1, sizeof *r->edges));
    for (int d = 0; d < 3; d++) {
        double along = r->x[3 * (size_t)e.v[1] + d] - r->x[3 * (size_t)e.v[0] + d];
        e.square += along * along;
    }
    r->table[slot] = *at = (int)r->edge_count;
    r->edges[r->edge_count++] = e;
    return LIL_OK;
}

static bool is_longer(const refiner *r, int a, int b)
{
    const edge *p = &r->edges[a], *q = &r->edges[b];
    if (p->square != q->square)
        return p->square > q->square;
    return p->v[0] != q->v[0] ? p->v[0] < q->v[0] : p->v[1] < q->v[1];
}

static lil_status list_edges(refiner *r)
{
    for (r->mask = 7; r->mask < 8 * (size_t)r->tet_count;) /* a tet has 6 edges, most of them shared */
        r->mask = 2 * r->mask + 1;
    LIL_TRY(lil_grow(r->ctx, &r->table, &r->table_room, 0, r->mask + 1, sizeof *r->table));
    LIL_TRY(lil_grow(r->ctx, &r->own, &r->own_room, 0, (size_t)r->tet_count, sizeof *r->own));
    memset(r->table, 0xff, (r->mask + 1) * sizeof *r->table);
    r->edge_count = 0;
    for (int t = 0; t < r->tet_count; t++) {
        six *own = &r->own[t];
        for (int k = 0; k < 6; k++) {
            LIL_TRY(add_edge(r, r->tets[t][pairs[k][0]], r->tets[t][pairs[k][1]], &own->edge[k]));
            if (k == 0 || is_longer(r, own->edge[k], own->longest))
                own->longest = own->edge[k];
        }
    }
    return LIL_OK;
}

/* ---- tets that are too large ---- */

static double distance_to_box(const refiner *r, const int tet[4], const double centre[3])
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 4; k++) {
            low = fmin(low, r->x[3 * (size_t)tet[k] + d]);
            high = fmax(high, r->x[3 * (size_t)tet[k] + d]);
        }
        double off = fmax(0, fmax(low - centre[d], centre[d] - high));
        square += off * off;
    }
    return sqrt(square);
}

static bool is_too_large(const refiner *r, int t)
{
    double length = sqrt(r->edges[r->own[t].longest].square);
    for (int i = 0; i < r->list_count; i++) {
        const lil_fineness *f = &r->list[i];
        double d = distance_to_box(r, r->tets[t], f->centre);
        if (length > f->edge + f->growth * fmax(0, d - f->radius))
            return true;
    }
    return false;
}

static bool has_marked(const refiner *r, int t)
{
    for (int k = 0; k < 6; k++)
        if (r->edges[r->own[t].edge[k]].mid == MARKED)
            return true;
    return false;
}

/* False: nothing is too large. */
static bool mark(refiner *r)
{
    bool any = false, more = true;
    for (int t = 0; t < r->tet_count; t++)
        if (is_too_large(r, t)) {
            r->edges[r->own[t].longest].mid = MARKED;
            any = true;
        }
    while (any && more) {
        more = false;
        for (int t = 0; t < r->tet_count; t++) {
            edge *longest = &r->edges[r->own[t].longest];
            if (longest->mid != MARKED && has_marked(r, t)) {
                longest->mid = MARKED;
                more = true;
            }
        }
    }
    return any;
}

/* ---- cutting ---- */

static lil_status place_middles(refiner *r)
{
    for (size_t i = 0; i < r->edge_count; i++) {
        edge *e = &r->edges[i];
        if (e->mid != MARKED)
            continue;
        size_t v = (size_t)r->vertex_count, n = v - (size_t)r->first;
        LIL_TRY(lil_grow(r->ctx, &r->x, &r->x_room, 3 * v, 3, sizeof *r->x));
        LIL_TRY(lil_grow(r->ctx, &r->between, &r->between_room, n, 1, sizeof *r->between));
        for (int d = 0; d < 3; d++)
            r->x[3 * v + d] = r->x[3 * (size_t)e->v[0] + d] / 2 + r->x[3 * (size_t)e->v[1] + d] / 2;
        memcpy(r->between[n], e->v, sizeof e->v);
        e->mid = r->vertex_count++;
    }
    return LIL_OK;
}

/* The longest edge of a tet that has a middle, as one of `pairs`; -1: none. `before`: vertices as the sweep began. */
static int longest_cut(const refiner *r, const int tet[4], int before, int *mid)
{
    int found = -1, longest = -1;
    for (int k = 0; k < 6; k++) {
        int a = tet[pairs[k][0]], b = tet[pairs[k][1]], e = a < before && b < before ? find_edge(r, a, b) : -1;
        if (e >= 0 && r->edges[e].mid >= 0 && (found < 0 || is_longer(r, e, longest))) {
            found = k;
            longest = e;
            *mid = r->edges[e].mid;
        }
    }
    return found;
}

/* Halves are appended to the tets and processed in their turn. */
static lil_status cut(refiner *r, int before)
{
    for (int t = 0, mid, k; t < r->tet_count; t++)
        while ((k = longest_cut(r, r->tets[t], before, &mid)) >= 0) {
            if (r->tet_count >= TETS_MAX)
                return lil_fail(
                    r->ctx, LIL_ERR_LIMIT,
                    "'refine' would make more than %g million tets: a larger 'edge' or 'growth' makes fewer",
                    TETS_MAX / 1e6);
            LIL_TRY(lil_grow(r->ctx, &r->tets, &r->tet_room, (size_t)r->tet_count, 1, sizeof *r->tets));
            memcpy(r->tets[r->tet_count], r->tets[t], sizeof *r->tets);
            r->tets[t][pairs[k][0]] = mid;
            r->tets[r->tet_count++][pairs[k][1]] = mid;
        }
    return LIL_OK;
}

static lil_status refine(refiner *r, const lil_mesh *mesh)
{
    size_t vertices = (size_t)mesh->vertex_count, tets = (size_t)mesh->tet_count;
    LIL_TRY(lil_grow(r->ctx, &r->x, &r->x_room, 0, 3 * vertices, sizeof *r->x));
    LIL_TRY(lil_grow(r->ctx, &r->tets, &r->tet_room, 0, tets, sizeof *r->tets));
    memcpy(r->x, mesh->x, 3 * vertices * sizeof *r->x);
    memcpy(r->tets, mesh->tets, tets * sizeof *r->tets);
    r->first = r->vertex_count = mesh->vertex_count;
    r->tet_count = mesh->tet_count;
    for (;;) {
        int before = r->vertex_count;
        LIL_TRY(list_edges(r));
        if (!mark(r))
            return LIL_OK;
        LIL_TRY(place_middles(r));
        LIL_TRY(cut(r, before));
    }
}

/* ---- what comes out ---- */

static lil_status extend_group(const refiner *r, lil_arena *arena, lil_group *group)
{
    int more = r->vertex_count - r->first;
    bool *in = LIL_NEW(arena, bool, r->vertex_count);
    int *vertices = LIL_NEW(arena, int, group->vertex_count + more);
    LIL_HAVE(r->ctx, in && vertices);
    memcpy(vertices, group->vertices, (size_t)group->vertex_count * sizeof *vertices);
    for (int k = 0; k < group->vertex_count; k++)
        in[vertices[k]] = true;
    for (int k = 0; k < more; k++)
        if (in[r->between[k][0]] && in[r->between[k][1]]) {
            in[r->first + k] = true;
            vertices[group->vertex_count++] = r->first + k;
        }
    group->vertices = vertices;
    return LIL_OK;
}

/* The file's numbers of vertices and tets are no longer valid. */
static lil_status hand_over(const refiner *r, lil_arena *arena, lil_mesh *mesh, int (**between)[2])
{
    size_t more = (size_t)(r->vertex_count - r->first);
    for (int g = 0; g < mesh->group_count; g++)
        LIL_TRY(extend_group(r, arena, &mesh->groups[g]));
    mesh->x = LIL_NEW(arena, double, 3 * (size_t)r->vertex_count);
    mesh->tets = lil_arena_alloc(arena, (size_t)r->tet_count, sizeof *mesh->tets);
    *between = lil_arena_alloc(arena, more, sizeof **between);
    LIL_HAVE(r->ctx, mesh->x && mesh->tets && *between);
    memcpy(mesh->x, r->x, 3 * (size_t)r->vertex_count * sizeof *r->x);
    memcpy(mesh->tets, r->tets, (size_t)r->tet_count * sizeof *r->tets);
    memcpy(*between, r->between, more * sizeof *r->between);
    mesh->vertex_count = r->vertex_count;
    mesh->tet_count = r->tet_count;
    mesh->vertex_tag = NULL;
    mesh->tet_line = NULL;
    mesh->face_count = 0;
    mesh->faces = NULL;
    return LIL_OK;
}

lil_status lil_mesh_refine(lil_context *ctx, lil_arena *arena, const lil_fineness *list, int count, lil_mesh *mesh,
                           int (**between)[2])
{
    refiner r = { .ctx = ctx, .list = list, .list_count = count };
    lil_status status = refine(&r, mesh);
    *between = NULL;
    if (status == LIL_OK && r.vertex_count > r.first)
        status = hand_over(&r, arena, mesh, between);
    free(r.x);
    free(r.tets);
    free(r.between);
    free(r.edges);
    free(r.table);
    free(r.own);
    return status;
}
