/*
 * The faults of a mesh that prevent a simulation. Every search is a sort, so that large meshes are checked in
 * seconds.
 */
#include "core/disjoint_sets.h"
#include "core/order.h"
#include "mesh/check/checker.h"
#include "mesh/faces.h"
#include "mesh/mids.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_MAX = LIL_FAULT_PLACE, VERTEX_MAX = LIL_FAULT_VERTEX };

/* ---- sentences ---- */

/* Files count tets from 1, arrays from 0. */
int lil_fault_number(const lil_mesh *mesh, int t)
{
    return mesh->tet_line ? t + 1 : t;
}

const char *lil_fault_tet(const lil_mesh *mesh, int t, char out[PLACE_MAX])
{
    int line = mesh->tet_line ? mesh->tet_line[t] : 0;
    if (line)
        snprintf(out, PLACE_MAX, "%.200s:%d: tet %d", mesh->name, line, lil_fault_number(mesh, t));
    else
        snprintf(out, PLACE_MAX, "%.200s: tet %d", mesh->name, lil_fault_number(mesh, t));
    return out;
}

const char *lil_fault_vertex(const lil_mesh *mesh, int v, char out[VERTEX_MAX])
{
    const double *x = mesh->x + 3 * (size_t)v;
    snprintf(out, VERTEX_MAX, "vertex %lld at (%g, %g, %g)", mesh->vertex_tag ? (long long)mesh->vertex_tag[v] : v,
             x[0], x[1], x[2]);
    return out;
}

lil_status lil_fault_add(lil_mesh_checker *c, const char *sentence)
{
    lil_mesh_faults *f = c->faults;
    LIL_HAVE(c->ctx, sentence);
    if (f->count < (int)(sizeof f->sentences / sizeof f->sentences[0]))
        f->sentences[f->count++] = sentence;
    return LIL_OK;
}

const char *lil_fault_count(int count, char out[32])
{
    out[0] = 0;
    if (count > 1)
        snprintf(out, 32, "; %d in all", count);
    return out;
}

/* ---- tets ---- */

static double longest_edge(const double *x, const int tet[4])
{
    double most = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) {
            double square = 0;
            for (int d = 0; d < 3; d++) {
                double e = x[3 * (size_t)tet[a] + d] - x[3 * (size_t)tet[b] + d];
                square += e * e;
            }
            most = fmax(most, square);
        }
    return sqrt(most);
}

static lil_status check_volumes(lil_mesh_checker *c)
{
    const lil_mesh *m = c->mesh;
    int inverted = 0, flat = 0, first_inverted = 0, first_flat = 0;
    char place[PLACE_MAX], all[32];
    for (int t = m->tet_count - 1; t >= 0; t--) {
        double volume = lil_tet_volume(m->x, m->tets[t]), edge = longest_edge(m->x, m->tets[t]);
        if (!(fabs(6 * volume) > 1e-12 * edge * edge * edge)) {
            flat++;
            first_flat = t;
        } else if (volume < 0) {
            inverted++;
            first_inverted = t;
        }
    }
    if (inverted)
        LIL_TRY(lil_fault_add(c, lil_arena_format(c->arena, "%s is inverted: its volume is %.6g m^3%s",
                                                  lil_fault_tet(m, first_inverted, place),
                                                  lil_tet_volume(m->x, m->tets[first_inverted]),
                                                  lil_fault_count(inverted, all))));
    if (flat)
        LIL_TRY(lil_fault_add(
            c, lil_arena_format(c->arena, "%s is flat: its volume is %.6g m^3%s", lil_fault_tet(m, first_flat, place),
                                lil_tet_volume(m->x, m->tets[first_flat]), lil_fault_count(flat, all))));
    return LIL_OK;
}

typedef struct sorted_tet {
    int v[4], t;
} sorted_tet;

static int order_tet(const void *x, const void *y)
{
    const sorted_tet *a = x, *b = y;
    int order = lil_order_list(a->v, b->v, 4);
    return order ? order : lil_order(a->t, b->t);
}

static sorted_tet sort_tet(const lil_mesh *m, int t)
{
    sorted_tet s = { .t = t };
    memcpy(s.v, m->tets[t], sizeof s.v);
    for (int i = 1; i < 4; i++)
        for (int k = i; k > 0 && s.v[k - 1] > s.v[k]; k--) {
            int swap = s.v[k];
            s.v[k] = s.v[k - 1];
            s.v[k - 1] = swap;
        }
    return s;
}

static lil_status check_repeated(lil_mesh_checker *c)
{
    const lil_mesh *m = c->mesh;
    sorted_tet *tets = malloc((size_t)m->tet_count * sizeof *tets + 1);
    char place[PLACE_MAX], all[32];
    int count = 0, first = m->tet_count, original = 0;
    LIL_HAVE(c->ctx, tets);
    for (int t = 0; t < m->tet_count; t++)
        tets[t] = sort_tet(m, t);
    qsort(tets, (size_t)m->tet_count, sizeof *tets, order_tet);
    for (int i = 1; i < m->tet_count; i++)
        if (memcmp(tets[i].v, tets[i - 1].v, sizeof tets[i].v) == 0) {
            count++;
            if (tets[i].t < first) {
                first = tets[i].t;
                original = tets[i - 1].t;
            }
        }
    free(tets);
    if (!count)
        return LIL_OK;
    return lil_fault_add(c, lil_arena_format(c->arena, "%s has the same vertices as tet %d%s",
                                             lil_fault_tet(m, first, place), lil_fault_number(m, original),
                                             lil_fault_count(count, all)));
}

/* ---- vertices ---- */

static lil_status check_unused(lil_mesh_checker *c)
{
    const lil_mesh *m = c->mesh;
    bool *used = calloc((size_t)m->vertex_count + 1, sizeof *used);
    char vertex[VERTEX_MAX], all[32];
    int count = 0, first = 0;
    LIL_HAVE(c->ctx, used);
    for (int t = 0; t < m->tet_count; t++)
        for (int k = 0; k < 4; k++)
            used[m->tets[t][k]] = true;
    for (int i = 0; m->mids && i < LIL_TET_EDGES * m->tet_count; i++)
        used[m->mids[i / LIL_TET_EDGES][i % LIL_TET_EDGES]] = true;
    for (int v = m->vertex_count - 1; v >= 0; v--)
        if (!used[v]) {
            count++;
            first = v;
        }
    free(used);
    if (!count)
        return LIL_OK;
    return lil_fault_add(c, lil_arena_format(c->arena, "%.200s: %s belongs to no tet%s", m->name,
                                             lil_fault_vertex(m, first, vertex), lil_fault_count(count, all)));
}

/* A vertex and, for each axis, which of the values that differ by more than round-off it has. */
typedef struct placed {
    double x;
    int cell[3], v;
} placed;

static int order_value(const void *x, const void *y)
{
    return lil_order_real(((const placed *)x)->x, ((const placed *)y)->x);
}

static int order_cell(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    int order = lil_order_list(a->cell, b->cell, 3);
    return order ? order : lil_order(a->v, b->v);
}

/* Equal means nearer than 1e-12 of the size along every axis. Sorting each axis in turn turns nearness into equal
 * numbers, and those are sorted once more. */
static void sort_places(const lil_mesh *m, placed *places)
{
    double least[3], most[3], tolerance = 1e-12 * lil_box_around(m->x, m->vertex_count, least, most);
    for (int v = 0; v < m->vertex_count; v++)
        places[v] = (placed){ .v = v };
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < m->vertex_count; i++)
            places[i].x = m->x[3 * (size_t)places[i].v + d];
        qsort(places, (size_t)m->vertex_count, sizeof *places, order_value);
        for (int i = 1, cell = 0; i < m->vertex_count; i++) {
            cell += places[i].x - places[i - 1].x > tolerance;
            places[i].cell[d] = cell;
        }
    }
    qsort(places, (size_t)m->vertex_count, sizeof *places, order_cell);
}

static lil_status check_duplicates(lil_mesh_checker *c)
{
    const lil_mesh *m = c->mesh;
    placed *places = malloc((size_t)m->vertex_count * sizeof *places + 1);
    char vertex[VERTEX_MAX], all[32];
    int count = 0, first = m->vertex_count, original = 0;
    LIL_HAVE(c->ctx, places);
    sort_places(m, places);
    for (int i = 1; i < m->vertex_count; i++)
        if (memcmp(places[i].cell, places[i - 1].cell, sizeof places[i].cell) == 0) {
            count++;
            if (places[i].v < first) {
                first = places[i].v;
                original = places[i - 1].v;
            }
        }
    free(places);
    if (!count)
        return LIL_OK;
    return lil_fault_add(c, lil_arena_format(c->arena, "%.200s: %s coincides with vertex %lld%s", m->name,
                                             lil_fault_vertex(m, first, vertex),
                                             m->vertex_tag ? (long long)m->vertex_tag[original] : original,
                                             lil_fault_count(count, all)));
}

/* ---- how tets hang together ---- */

static lil_status check_faces(lil_mesh_checker *c)
{
    const lil_mesh *m = c->mesh;
    lil_face *faces = lil_mesh_sorted_faces(m);
    size_t total = 4 * (size_t)m->tet_count, first = total;
    char place[PLACE_MAX], all[32];
    int count = 0, sharing = 0;
    LIL_HAVE(c->ctx, faces);
    for (size_t i = 0, end; i < total; i = end) {
        for (end = i + 1; end < total && lil_face_same(&faces[i], &faces[end]);)
            end++;
        if (end - i <= 2)
            continue;
        count++;
        if (faces[i].at < first) {
            first = faces[i].at;
            sharing = (int)(end - i);
        }
    }
    free(faces);
    if (!count)
        return LIL_OK;
    return lil_fault_add(c, lil_arena_format(c->arena, "%s has a face that %d tets share%s",
                                             lil_fault_tet(m, (int)(first / 4), place), sharing,
                                             lil_fault_count(count, all)));
}

/* `first` becomes the first tet that the tet 0 does not reach. `parent` holds each vertex itself. */
static int count_components(const lil_mesh *m, int *parent, bool *counted, int *first)
{
    int components = 0;
    for (int t = 0; t < m->tet_count; t++)
        for (int k = 1; k < 4; k++)
            lil_sets_join(parent, m->tets[t][0], m->tets[t][k]);
    for (int t = 0; t < m->tet_count; t++) {
        int root = lil_sets_root(parent, m->tets[t][0]);
        if (counted[root])
            continue;
        counted[root] = true;
        if (++components == 2)
            *first = t;
    }
    return components;
}

static lil_status check_components(lil_mesh_checker *c)
{
    const lil_mesh *m = c->mesh;
    int *parent = malloc((size_t)m->vertex_count * sizeof *parent + 1), first = 0, components = 0;
    bool *counted = calloc((size_t)m->vertex_count + 1, sizeof *counted);
    char place[PLACE_MAX];
    if (parent && counted) {
        lil_sets_begin(parent, m->vertex_count);
        components = count_components(m, parent, counted, &first);
    }
    free(parent);
    free(counted);
    if (!components) /* there is a tet, so there was no memory */
        return m->tet_count ? lil_fail_memory(c->ctx) : LIL_OK;
    if (components == 1)
        return LIL_OK;
    return lil_fault_add(
        c, lil_arena_format(c->arena, "%s is not connected to the tets before it: the mesh has %d separate parts",
                            lil_fault_tet(m, first, place), components));
}

lil_status lil_mesh_check(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, lil_mesh_faults *faults)
{
    static lil_status (*const checks[])(lil_mesh_checker *) = { check_volumes,   lil_check_mids,   check_repeated,
                                                                check_unused,    check_duplicates, check_faces,
                                                                check_components };
    lil_mesh_checker c = { .ctx = ctx, .arena = arena, .mesh = mesh, .faults = faults };
    *faults = (lil_mesh_faults){ 0 };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        LIL_TRY(checks[i](&c));
    return LIL_OK;
}
