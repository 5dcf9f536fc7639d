#include "world/follow_fit.h"

#include "math/matrix3.h"
#include "math/svd3.h"
#include "mesh/faces.h"
#include "world/barrier_surfaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* c. With less the surface is followed more closely, but where it creases tets crumple: docs/decisions.md has figures. */
static const double SMOOTH = 0.1;
enum { FACE = 5 }; /* vertices of two tets that share a face */

/* ---- the two tets of a face ---- */

/* A face between two tets: their vertices, and of each row k of F_e - F_e' the weights of these. */
typedef struct bend {
    int vertex[FACE];
    double weight[3][FACE];
    double stiffness; /* V_f/V h_f^2 */
} bend;

/* Rows of D^-1 are the gradients of three of the four. */
static void set_gradients(lil_follow_fit *f)
{
    const lil_mesh *mesh = &f->mesh;
    for (int e = 0; e < mesh->tet_count; e++) {
        const int *tet = mesh->tets[e];
        double D[9], C[9];
        for (int k = 0; k < 9; k++)
            D[k] = mesh->x[3 * tet[k % 3 + 1] + k / 3] - mesh->x[3 * tet[0] + k / 3];
        lil_cofactor3(D, C);
        double det = lil_determinant3(D);
        for (int d = 0; d < 3; d++) {
            f->g[e][0][d] = 0;
            for (int a = 0; a < 3; a++) {
                f->g[e][a + 1][d] = C[3 * d + a] / det;
                f->g[e][0][d] -= C[3 * d + a] / det;
            }
        }
    }
}

/* Its places among the vertices of the face's tets: the first tet's four, then the one that only the second has. */
static int place_of(bend *b, int vertex)
{
    for (int i = 0; i < 4; i++)
        if (b->vertex[i] == vertex)
            return i;
    b->vertex[4] = vertex;
    return 4;
}

static bend bend_of(const lil_follow_fit *f, double V, size_t one, size_t other)
{
    const lil_mesh *mesh = &f->mesh;
    int e = (int)(one / 4), o = (int)(other / 4);
    bend b = { .vertex = { 0 } };
    memcpy(b.vertex, mesh->tets[e], sizeof mesh->tets[e]);
    double size = (lil_tet_volume(mesh->x, mesh->tets[e]) + lil_tet_volume(mesh->x, mesh->tets[o])) / 2;
    for (int a = 0; a < 4; a++)
        for (int k = 0; k < 3; k++)
            b.weight[k][a] += f->g[e][a][k];
    for (int a = 0; a < 4; a++) {
        int at = place_of(&b, mesh->tets[o][a]);
        for (int k = 0; k < 3; k++)
            b.weight[k][at] -= f->g[o][a][k];
    }
    b.stiffness = size / V * cbrt(size) * cbrt(size);
    return b;
}

static lil_status list_bends(lil_context *ctx, lil_arena *arena, const lil_follow_fit *f, bend **list, int *count)
{
    const lil_mesh *mesh = &f->mesh;
    size_t all = 4 * (size_t)mesh->tet_count;
    lil_face *faces = lil_mesh_sorted_faces(mesh);
    double V = lil_mesh_volume(mesh);
    *list = LIL_NEW(arena, bend, all / 2);
    *count = 0;
    for (size_t i = 0; faces && *list && i + 1 < all; i++)
        if (lil_face_same(&faces[i], &faces[i + 1]))
            (*list)[(*count)++] = bend_of(f, V, faces[i].at, faces[i + 1].at);
    bool made = faces && *list;
    free(faces);
    return made ? LIL_OK : lil_fail_memory(ctx);
}

/* ---- the matrix ---- */

static lil_status make_rows(lil_context *ctx, lil_arena *arena, lil_follow_fit *f)
{
    const lil_body *body = f->body;
    int n = body->surface.vertex_count, total = 0;
    const int *vertex;
    const double *weight;
    double own[4];
    int room[4];
    for (int i = 0; i < n; i++)
        total += lil_carriers_of(body, i, &vertex, room, &weight, own);
    int *begin = LIL_NEW(arena, int, n + 1), *list = LIL_NEW(arena, int, total), at = 0;
    double *weights = LIL_NEW(arena, double, total);
    LIL_HAVE(ctx, begin && list && weights);
    for (int i = 0; i < n; i++) {
        int count = lil_carriers_of(body, i, &vertex, room, &weight, own);
        memcpy(list + at, vertex, (size_t)count * sizeof *list);
        memcpy(weights + at, weight, (size_t)count * sizeof *weights);
        begin[i + 1] = at += count;
    }
    f->rows = (lil_carried){ body->mesh.vertex_count, n, begin, list, weights };
    return LIL_OK;
}

static bool is_known(const lil_follow_fit *f, int vertex)
{
    return f->point && f->point[vertex] >= 0;
}

/* A as entries, of which equal ones are added up. */
typedef struct entries {
    int *row, *col;
    double *value;
    int count;
} entries;

static void add_entry(entries *e, int row, int col, double value)
{
    e->row[e->count] = row;
    e->col[e->count] = col;
    e->value[e->count++] = value;
}

static void list_entries(const lil_follow_fit *f, const bend *bends, int count, entries *e)
{
    const lil_carried *P = &f->rows;
    for (int i = 0; i < count; i++)
        for (int a = 0; a < FACE; a++)
            for (int b = 0; b < FACE; b++) {
                double sum = 0;
                for (int k = 0; k < 3; k++)
                    sum += bends[i].weight[k][a] * bends[i].weight[k][b];
                add_entry(e, bends[i].vertex[a], bends[i].vertex[b], SMOOTH * bends[i].stiffness * sum);
            }
    for (int j = 0; j < P->count; j++)
        for (int a = P->begin[j]; a < P->begin[j + 1]; a++)
            for (int b = P->begin[j]; b < P->begin[j + 1]; b++)
                add_entry(e, P->vertex[a], P->vertex[b], P->weight[a] * P->weight[b] / P->count);
}

static lil_status assemble(lil_context *ctx, lil_arena *arena, lil_follow_fit *f)
{
    const lil_carried *P = &f->rows;
    int n = f->body->mesh.vertex_count, bend_count;
    size_t room = (size_t)n;
    bend *bends;
    LIL_TRY(list_bends(ctx, arena, f, &bends, &bend_count));
    for (int j = 0; j < P->count; j++)
        room += (size_t)(P->begin[j + 1] - P->begin[j]) * (size_t)(P->begin[j + 1] - P->begin[j]);
    room += FACE * FACE * (size_t)bend_count;
    if (room > INT32_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "'%.60s' has too many tets to follow an animation of its surface",
                        f->body->name);
    entries e = { LIL_NEW(arena, int, room), LIL_NEW(arena, int, room), LIL_NEW(arena, double, room), 0 };
    int *where = LIL_NEW(arena, int, room);
    LIL_HAVE(ctx, e.row && e.col && e.value && where);
    list_entries(f, bends, bend_count, &e);
    for (int v = 0; v < n; v++)
        add_entry(&e, v, v, 0);
    LIL_TRY(lil_pattern_create(ctx, arena, n, e.row, e.col, e.count, &f->pattern, where));
    f->A = LIL_NEW(arena, double, f->pattern.count);
    f->reduced = LIL_NEW(arena, double, f->pattern.count);
    LIL_HAVE(ctx, f->A && f->reduced);
    for (int k = 0; k < e.count; k++)
        f->A[where[k]] += e.value[k];
    for (int c = 0; c < n; c++)
        for (int k = f->pattern.start[c]; k < f->pattern.start[c + 1]; k++) {
            int r = f->pattern.row[k];
            f->reduced[k] = is_known(f, c) || is_known(f, r) ? r == c : f->A[k];
        }
    return LIL_OK;
}

/* ---- all together ---- */

/* Of the points that are followed, at rest. */
static bool are_flat(const lil_follow_fit *f)
{
    const double FLAT = 1e-4; /* of their size */
    const double *x = f->point ? f->body->mesh.x : f->body->surface.x;
    int n = f->point ? f->body->mesh.vertex_count : f->body->surface.vertex_count, count = 0;
    double middle[3] = { 0 }, C[9] = { 0 }, U[9], s[3], V[9];
    for (int i = 0; i < n; i++) {
        if (f->point && f->point[i] < 0)
            continue;
        count++;
        for (int d = 0; d < 3; d++)
            middle[d] += x[3 * i + d];
    }
    for (int d = 0; d < 3; d++)
        middle[d] /= fmax(count, 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 9 && (!f->point || f->point[i] >= 0); k++)
            C[k] += (x[3 * i + k / 3] - middle[k / 3]) * (x[3 * i + k % 3] - middle[k % 3]);
    lil_svd3(C, U, s, V);
    return !(fabs(s[2]) > FLAT * FLAT * s[0]);
}

lil_status lil_follow_fit_create(lil_context *ctx, lil_arena *arena, const lil_body *body, const int *point,
                                 const char *name, lil_follow_fit *f)
{
    size_t n = (size_t)body->mesh.vertex_count;
    *f = (lil_follow_fit){ .body = body, .point = point };
    if (are_flat(f))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "%.200s: its points lie in a plane, which does not say how the tets of '%.60s' turn about it",
                        name, body->name);
    LIL_TRY(lil_mesh_of_parts(ctx, arena, &body->mesh, &f->mesh));
    f->g = lil_arena_alloc(arena, (size_t)f->mesh.tet_count, sizeof *f->g);
    LIL_HAVE(ctx, f->g);
    LIL_ALLOC_ALL(ctx, arena, double, n, &f->right, &f->known, &f->product, &f->change, &f->work);
    set_gradients(f);
    if (!point)
        LIL_TRY(make_rows(ctx, arena, f));
    LIL_TRY(assemble(ctx, arena, f));
    LIL_TRY(lil_ldl_create(ctx, arena, &f->pattern, &f->ldl));
    return lil_ldl_factor(&f->ldl, f->reduced)
               ? LIL_OK
               : lil_fail(ctx, LIL_ERR_INPUT, "%.200s: its points do not determine how the tets of '%.60s' move",
                          name, body->name);
}

/* One axis. */
static void solve(lil_follow_fit *f, const double *y, int d, double *x)
{
    const lil_carried *P = &f->rows;
    int n = f->body->mesh.vertex_count;
    memset(f->right, 0, (size_t)n * sizeof *f->right);
    for (int j = 0; j < P->count; j++)
        for (int a = P->begin[j]; a < P->begin[j + 1]; a++)
            f->right[P->vertex[a]] += P->weight[a] * y[3 * j + d] / P->count;
    for (int v = 0; v < n; v++)
        f->known[v] = is_known(f, v) ? y[3 * f->point[v] + d] : 0;
    if (f->point)
        lil_sparse_multiply(&f->pattern, f->A, f->known, f->product);
    for (int v = 0; v < n; v++)
        f->right[v] = is_known(f, v) ? 0 : f->right[v] - f->product[v];
    lil_ldl_solve(&f->ldl, f->right, f->change, f->work);
    for (int v = 0; v < n; v++)
        x[3 * v + d] = f->known[v] + f->change[v];
}

void lil_follow_fit_at(lil_follow_fit *f, const double *y, double *x)
{
    for (int d = 0; d < 3; d++)
        solve(f, y, d, x);
}
