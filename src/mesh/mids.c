#include "mesh/mids.h"

#include "core/order.h"
#include "math/matrix3.h"
#include "mesh/faces.h"
#include "mesh/make/shape.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- edges ---- */

static lil_mesh_edge edge_at(const lil_mesh *mesh, size_t at)
{
    const int *tet = mesh->tets[at / LIL_TET_EDGES], *ends = lil_tet_edge_ends[at % LIL_TET_EDGES];
    int a = tet[ends[0]], b = tet[ends[1]];
    return (lil_mesh_edge){ .v = { a < b ? a : b, a < b ? b : a }, .at = at };
}

static int order_edge(const void *x, const void *y)
{
    const lil_mesh_edge *a = x, *b = y; /* v[0] is the same within a bucket */
    int order = lil_order(a->v[1], b->v[1]);
    return order ? order : lil_order(a->at, b->at);
}

bool lil_mesh_edge_same(const lil_mesh_edge *a, const lil_mesh_edge *b)
{
    return a->v[0] == b->v[0] && a->v[1] == b->v[1];
}

/* Buckets by the lesser end, each sorted. */
lil_mesh_edge *lil_mesh_sorted_edges(const lil_mesh *mesh)
{
    size_t count = LIL_TET_EDGES * (size_t)mesh->tet_count, n = (size_t)mesh->vertex_count;
    lil_mesh_edge *edges = malloc(count * sizeof *edges + 1);
    size_t *start = calloc(n + 2, sizeof *start);
    if (edges && start) {
        for (size_t i = 0; i < count; i++)
            start[edge_at(mesh, i).v[0] + 2]++;
        for (size_t v = 2; v <= n + 1; v++)
            start[v] += start[v - 1];
        for (size_t i = 0; i < count; i++) {
            lil_mesh_edge edge = edge_at(mesh, i);
            edges[start[edge.v[0] + 1]++] = edge;
        }
        for (size_t v = 0; v < n; v++)
            qsort(edges + start[v], start[v + 1] - start[v], sizeof *edges, order_edge);
        free(start);
        return edges;
    }
    free(edges);
    free(start);
    return NULL;
}

/* ---- from linear to quadratic ---- */

typedef struct maker {
    lil_context *ctx;
    lil_arena *arena;
    lil_mesh *mesh;
    int first, count; /* the first mid node, and how many there are */
    int (*between)[2];
    bool *curved; /* of each mid node */
} maker;

static void place_straight(const maker *m, int mid)
{
    double *x = m->mesh->x;
    const int *ends = m->between[mid];
    for (int d = 0; d < 3; d++)
        x[3 * (size_t)(m->first + mid) + d] = x[3 * (size_t)ends[0] + d] / 2 + x[3 * (size_t)ends[1] + d] / 2;
}

static lil_status number_mids(maker *m)
{
    lil_mesh *mesh = m->mesh;
    size_t total = LIL_TET_EDGES * (size_t)mesh->tet_count;
    lil_mesh_edge *edges = lil_mesh_sorted_edges(mesh);
    LIL_HAVE(m->ctx, edges);
    int64_t count = 0;
    for (size_t i = 0; i < total; i++)
        count += i == 0 || !lil_mesh_edge_same(&edges[i - 1], &edges[i]);
    bool fits = count <= INT_MAX / 4 - mesh->vertex_count;
    m->count = fits ? (int)count : 0;
    mesh->mids = lil_arena_alloc(m->arena, (size_t)mesh->tet_count, sizeof *mesh->mids);
    m->between = lil_arena_alloc(m->arena, (size_t)m->count, sizeof *m->between);
    bool room = mesh->mids && m->between;
    for (size_t i = 0, k = 0; room && fits && i < total; i++) {
        k += i > 0 && !lil_mesh_edge_same(&edges[i - 1], &edges[i]);
        mesh->mids[edges[i].at / LIL_TET_EDGES][edges[i].at % LIL_TET_EDGES] = m->first + (int)k;
        memcpy(m->between[k], edges[i].v, sizeof m->between[k]);
    }
    free(edges);
    LIL_HAVE(m->ctx, room);
    return fits ? LIL_OK : lil_fail(m->ctx, LIL_ERR_LIMIT, "'%.60s' has too many edges", mesh->name);
}

/* The middles of boundary edges go where the shape's surface is. */
static lil_status curve(maker *m)
{
    lil_mesh *mesh = m->mesh;
    const lil_shape *shape = mesh->shape;
    size_t count = 4 * (size_t)mesh->tet_count;
    lil_face *faces = lil_mesh_sorted_faces(mesh);
    LIL_HAVE(m->ctx, faces);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && lil_face_same(&faces[i], &faces[end]);)
            end++;
        const int *corner = lil_tet_faces[faces[i].at % 4], *mids = mesh->mids[faces[i].at / 4];
        for (int k = 0; end == i + 1 && k < 3; k++) {
            int mid = mids[lil_tet_edge_between(corner[k], corner[(k + 1) % 3])] - m->first;
            const int *ends = m->between[mid];
            double *x = mesh->x;
            m->curved[mid] = shape->middle(mesh->shape_config, x + 3 * (size_t)ends[0], x + 3 * (size_t)ends[1],
                                           x + 3 * (size_t)(m->first + mid));
        }
    }
    free(faces);
    return LIL_OK;
}

/* Tets that would be folded get straight edges, and their neighbours along these too. */
static int straighten(maker *m)
{
    static const double NARROW = 0.1;
    int straightened = 0, before;
    do {
        before = straightened;
        for (int t = 0; t < m->mesh->tet_count; t++) {
            int nodes[LIL_QUADRATIC_NODES];
            lil_quadratic_nodes(m->mesh->tets[t], m->mesh->mids[t], nodes);
            bool fine = lil_quadratic_narrowest(m->mesh->x, nodes) > NARROW;
            for (int k = 4; k < LIL_QUADRATIC_NODES && !fine; k++)
                if (m->curved[nodes[k] - m->first]) {
                    m->curved[nodes[k] - m->first] = false;
                    place_straight(m, nodes[k] - m->first);
                    straightened++;
                }
        }
    } while (straightened > before);
    return straightened;
}

lil_status lil_mesh_make_quadratic(lil_context *ctx, lil_arena *arena, lil_mesh *mesh, int (**between)[2])
{
    maker m = { .ctx = ctx, .arena = arena, .mesh = mesh, .first = mesh->vertex_count };
    LIL_TRY(number_mids(&m));
    double *x;
    LIL_ALLOC(ctx, arena, x, 3 * ((size_t)m.first + (size_t)m.count));
    LIL_ALLOC(ctx, arena, m.curved, m.count);
    memcpy(x, mesh->x, 3 * (size_t)m.first * sizeof *x);
    mesh->x = x;
    for (int i = 0; i < m.count; i++)
        place_straight(&m, i);
    if (mesh->shape && mesh->shape->middle) {
        LIL_TRY(curve(&m));
        int straight = straighten(&m);
        if (straight)
            lil_warn(ctx,
                     "'%.60s' is so coarse that curved edges would fold tets: %d edges of its surface stay straight",
                     mesh->name, straight);
    }
    mesh->vertex_count += m.count;
    mesh->vertex_tag = NULL; /* mid nodes have no numbers in the file */
    mesh->face_count = 0;
    mesh->faces = NULL;
    *between = m.between;
    return lil_mesh_complete_groups(ctx, arena, mesh);
}

/* ---- from quadratic to linear ---- */

static void drop_from_groups(const int *number, lil_mesh *mesh)
{
    for (int g = 0; g < mesh->group_count; g++) {
        lil_group *group = &mesh->groups[g];
        int count = 0;
        for (int i = 0; i < group->vertex_count; i++)
            if (number[group->vertices[i]] >= 0)
                group->vertices[count++] = number[group->vertices[i]];
        group->vertex_count = count;
    }
}

lil_status lil_mesh_make_linear(lil_context *ctx, lil_arena *arena, lil_mesh *mesh)
{
    int *number, count = 0;
    if (!mesh->mids)
        return LIL_OK;
    LIL_ALLOC(ctx, arena, number, mesh->vertex_count);
    for (int i = 0; i < LIL_TET_EDGES * mesh->tet_count; i++)
        number[mesh->mids[i / LIL_TET_EDGES][i % LIL_TET_EDGES]] = -1;
    for (int i = 0; i < 4 * mesh->tet_count; i++)
        number[mesh->tets[i / 4][i % 4]] = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (number[v] < 0)
            continue;
        memmove(mesh->x + 3 * (size_t)count, mesh->x + 3 * (size_t)v, 3 * sizeof *mesh->x);
        if (mesh->vertex_tag)
            mesh->vertex_tag[count] = mesh->vertex_tag[v];
        number[v] = count++;
    }
    for (int i = 0; i < 4 * mesh->tet_count; i++)
        mesh->tets[i / 4][i % 4] = number[mesh->tets[i / 4][i % 4]];
    drop_from_groups(number, mesh);
    mesh->vertex_count = count;
    mesh->mids = NULL;
    mesh->face_count = 0;
    mesh->faces = NULL;
    return LIL_OK;
}

/* ---- groups ---- */

/* mark: of each vertex the latest group that it is in. */
static lil_status complete(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, int *mark, const bool *is_mid,
                           int stamp, lil_group *group)
{
    int more = 0, n = 0;
    for (int i = 0; i < group->vertex_count; i++) {
        if (is_mid[group->vertices[i]])
            return LIL_OK;
        mark[group->vertices[i]] = stamp;
    }
    for (int i = 0; i < LIL_TET_EDGES * mesh->tet_count; i++) {
        const int *tet = mesh->tets[i / LIL_TET_EDGES], *ends = lil_tet_edge_ends[i % LIL_TET_EDGES];
        int mid = mesh->mids[i / LIL_TET_EDGES][i % LIL_TET_EDGES];
        if (mark[tet[ends[0]]] == stamp && mark[tet[ends[1]]] == stamp && mark[mid] != stamp) {
            mark[mid] = stamp;
            more++;
        }
    }
    if (!more)
        return LIL_OK;
    int *vertices;
    LIL_ALLOC(ctx, arena, vertices, group->vertex_count + more);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (mark[v] == stamp)
            vertices[n++] = v;
    group->vertices = vertices;
    group->vertex_count = n;
    return LIL_OK;
}

lil_status lil_mesh_complete_groups(lil_context *ctx, lil_arena *arena, lil_mesh *mesh)
{
    int *mark = calloc((size_t)mesh->vertex_count + 1, sizeof *mark);
    bool *is_mid = calloc((size_t)mesh->vertex_count + 1, sizeof *is_mid);
    lil_status status = mark && is_mid ? LIL_OK : lil_fail_memory(ctx);
    for (int i = 0; status == LIL_OK && i < LIL_TET_EDGES * mesh->tet_count; i++)
        is_mid[mesh->mids[i / LIL_TET_EDGES][i % LIL_TET_EDGES]] = true;
    for (int g = 0; status == LIL_OK && g < mesh->group_count; g++)
        status = complete(ctx, arena, mesh, mark, is_mid, g + 1, &mesh->groups[g]);
    free(is_mid);
    free(mark);
    return status;
}

/* ---- order ---- */

bool lil_mesh_order_mids(lil_mesh *mesh)
{
    double apart[LIL_TET_EDGES][LIL_TET_EDGES] = { { 0 } }; /* squares, of node k from the middle of edge e */
    int node_of[LIL_TET_EDGES];
    bool taken[LIL_TET_EDGES] = { false };
    for (int t = 0; t < mesh->tet_count; t++)
        for (int e = 0; e < LIL_TET_EDGES; e++) {
            const double *a = mesh->x + 3 * (size_t)mesh->tets[t][lil_tet_edge_ends[e][0]],
                         *b = mesh->x + 3 * (size_t)mesh->tets[t][lil_tet_edge_ends[e][1]];
            double square = pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2);
            for (int k = 0; k < LIL_TET_EDGES && square > 0; k++) {
                const double *x = mesh->x + 3 * (size_t)mesh->mids[t][k];
                for (int d = 0; d < 3; d++)
                    apart[k][e] += pow(x[d] - (a[d] / 2 + b[d] / 2), 2) / square;
            }
        }
    for (int k = 0; k < LIL_TET_EDGES; k++) {
        int nearest = 0;
        for (int e = 1; e < LIL_TET_EDGES; e++)
            nearest = apart[k][e] < apart[k][nearest] ? e : nearest;
        if (taken[nearest])
            return false;
        taken[nearest] = true;
        node_of[nearest] = k;
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        int given[LIL_TET_EDGES];
        memcpy(given, mesh->mids[t], sizeof given);
        for (int e = 0; e < LIL_TET_EDGES; e++)
            mesh->mids[t][e] = given[node_of[e]];
    }
    return true;
}

lil_status lil_mesh_of_parts(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, lil_mesh *parts)
{
    int room[4];
    *parts = *mesh;
    if (!mesh->mids)
        return LIL_OK;
    parts->tet_count = lil_mesh_parts(mesh);
    parts->mids = NULL;
    LIL_ALLOC(ctx, arena, parts->tets, parts->tet_count);
    for (int p = 0; p < parts->tet_count; p++)
        memcpy(parts->tets[p], lil_mesh_part(mesh, p, room), sizeof parts->tets[p]);
    return LIL_OK;
}

/* ---- how far it is deformed ---- */

double lil_mesh_least_ratio(const lil_mesh *mesh, int t, const double *x)
{
    int nodes[LIL_QUADRATIC_NODES];
    double least = INFINITY, J[9];
    if (!mesh->mids)
        return lil_tet_volume(x, mesh->tets[t]) / lil_tet_volume(mesh->x, mesh->tets[t]);
    lil_quadratic_nodes(mesh->tets[t], mesh->mids[t], nodes);
    for (int i = 0; i < LIL_QUADRATIC_POINTS; i++)
        least = fmin(least, lil_quadratic_jacobian(x, nodes, lil_quadratic_points[i], J) /
                                lil_quadratic_jacobian(mesh->x, nodes, lil_quadratic_points[i], J));
    return least;
}
