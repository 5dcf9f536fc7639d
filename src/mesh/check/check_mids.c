/* The faults of quadratic tets: mid nodes that fold a tet, and mid nodes that tets do not share as they share edges. */
#include "mesh/check/checker.h"
#include "mesh/mids.h"

#include <stdlib.h>

/* Narrower than this is folded: what round-off leaves of nothing. */
static const double FOLDED = 1e-9;

static double narrowest(const lil_mesh *m, int t)
{
    int nodes[LIL_QUADRATIC_NODES];
    lil_quadratic_nodes(m->tets[t], m->mids[t], nodes);
    return lil_quadratic_narrowest(m->x, nodes);
}

/* Flat and inverted ones are reported without their mid nodes. */
static lil_status check_folded(lil_mesh_checker *c)
{
    const lil_mesh *m = c->mesh;
    char place[LIL_FAULT_PLACE], all[32];
    int count = 0, first = 0;
    for (int t = m->tet_count - 1; t >= 0; t--)
        if (lil_tet_volume(m->x, m->tets[t]) > 0 && !(narrowest(m, t) > FOLDED)) {
            count++;
            first = t;
        }
    if (!count)
        return LIL_OK;
    return lil_fault_add(c, lil_arena_format(c->arena,
                                             "%s is folded by its mid nodes: where it is narrowest, det J is %.3g of "
                                             "that with straight edges%s",
                                             lil_fault_tet(m, first, place), narrowest(m, first),
                                             lil_fault_count(count, all)));
}

static int mid_of(const lil_mesh *m, const lil_mesh_edge *edge)
{
    return m->mids[edge->at / LIL_TET_EDGES][edge->at % LIL_TET_EDGES];
}

/* Tets that share an edge share its node. */
static lil_status check_shared(lil_mesh_checker *c, const lil_mesh_edge *edges)
{
    const lil_mesh *m = c->mesh;
    size_t total = LIL_TET_EDGES * (size_t)m->tet_count, first = SIZE_MAX;
    char place[LIL_FAULT_PLACE], mid[LIL_FAULT_VERTEX], other[LIL_FAULT_VERTEX], all[32];
    int count = 0;
    for (size_t i = 1; i < total; i++)
        if (lil_mesh_edge_same(&edges[i - 1], &edges[i]) && mid_of(m, &edges[i - 1]) != mid_of(m, &edges[i])) {
            count++;
            if (first == SIZE_MAX || edges[i].at < edges[first].at)
                first = i;
        }
    if (!count)
        return LIL_OK;
    return lil_fault_add(c, lil_arena_format(c->arena, "%s has %s as the mid node of an edge, where tet %d has %s%s",
                                             lil_fault_tet(m, (int)(edges[first].at / LIL_TET_EDGES), place),
                                             lil_fault_vertex(m, mid_of(m, &edges[first]), mid),
                                             lil_fault_number(m, (int)(edges[first - 1].at / LIL_TET_EDGES)),
                                             lil_fault_vertex(m, mid_of(m, &edges[first - 1]), other),
                                             lil_fault_count(count, all)));
}

/* A mid node is on one edge, and no corner. */
static lil_status check_single(lil_mesh_checker *c, const lil_mesh_edge *edges)
{
    enum { NOTHING = -1, CORNER = -2 };
    const lil_mesh *m = c->mesh;
    size_t total = LIL_TET_EDGES * (size_t)m->tet_count;
    int64_t *use = malloc((size_t)m->vertex_count * sizeof *use + 1); /* of each vertex; an edge by its first place */
    char place[LIL_FAULT_PLACE], mid[LIL_FAULT_VERTEX], all[32];
    int count = 0, first = 0;
    bool corner = false;
    LIL_HAVE(c->ctx, use);
    for (int v = 0; v < m->vertex_count; v++)
        use[v] = NOTHING;
    for (int i = 0; i < 4 * m->tet_count; i++)
        use[m->tets[i / 4][i % 4]] = CORNER;
    for (size_t i = 0, edge = 0; i < total; i++) {
        edge = i > 0 && lil_mesh_edge_same(&edges[i - 1], &edges[i]) ? edge : i;
        int t = (int)(edges[i].at / LIL_TET_EDGES), v = mid_of(m, &edges[i]);
        if (use[v] != NOTHING && use[v] != (int64_t)edge) {
            corner = !count || t < first ? use[v] == CORNER : corner;
            first = !count || t < first ? t : first;
            lil_fault_vertex(m, v, mid);
            count++;
        } else {
            use[v] = (int64_t)edge;
        }
    }
    free(use);
    if (!count)
        return LIL_OK;
    return lil_fault_add(c, lil_arena_format(c->arena, "%s has %s as a mid node, which is %s%s",
                                             lil_fault_tet(m, first, place), mid,
                                             corner ? "a corner of a tet too" : "that of another edge too",
                                             lil_fault_count(count, all)));
}

lil_status lil_check_mids(lil_mesh_checker *c)
{
    if (!c->mesh->mids)
        return LIL_OK;
    lil_mesh_edge *edges = lil_mesh_sorted_edges(c->mesh);
    LIL_HAVE(c->ctx, edges);
    lil_status status = check_folded(c);
    status = status == LIL_OK ? check_shared(c, edges) : status;
    status = status == LIL_OK ? check_single(c, edges) : status;
    free(edges);
    return status;
}
