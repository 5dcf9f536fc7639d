/* Points beyond the tets: the nearest point of the mesh, and a gradient fitted to the vertices around it. */
#include "geometry/triangle.h"
#include "math/matrix3.h"
#include "mesh/fill/embedding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit {
    const lil_mesh *mesh;
    int *begin, *next; /* the vertices that share a tet with each, some of them several times */
    double edge;       /* mean, of all tets */
    int *seen;         /* by which point last, + 1 */
    int *near;         /* vertices of the fit */
    double *w;         /*   and what they weigh */
    int count;
    int *vertex; /* all that was found */
    double *weight;
    size_t total, room;
} fit;

static const double *at(const fit *f, int vertex)
{
    return f->mesh->x + 3 * (size_t)vertex;
}

static double apart(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static bool begin_fit(fit *f)
{
    const lil_mesh *mesh = f->mesh;
    size_t n = (size_t)mesh->vertex_count;
    f->begin = calloc(n + 2, sizeof *f->begin);
    int count = lil_mesh_parts(mesh), room[4];
    f->next = malloc((12 * (size_t)count + 1) * sizeof *f->next);
    f->seen = calloc(n + 1, sizeof *f->seen);
    f->near = malloc((n + 1) * sizeof *f->near);
    f->w = malloc((n + 1) * sizeof *f->w);
    if (!f->begin || !f->next || !f->seen || !f->near || !f->w)
        return false;
    for (int k = 0; k < 4 * count; k++)
        f->begin[lil_mesh_part(mesh, k / 4, room)[k % 4] + 2] += 3;
    for (int v = 2; v <= mesh->vertex_count; v++)
        f->begin[v] += f->begin[v - 1];
    for (int k = 0; k < 16 * count; k++) {
        const int *tet = lil_mesh_part(mesh, k / 16, room);
        int a = k / 4 % 4, b = k % 4;
        if (a == b)
            continue;
        f->next[f->begin[tet[a] + 1]++] = tet[b];
        f->edge += apart(at(f, tet[a]), at(f, tet[b])) / (12. * count);
    }
    return true;
}

static void end_fit(fit *f)
{
    free(f->begin);
    free(f->next);
    free(f->seen);
    free(f->near);
    free(f->w);
    free(f->vertex);
    free(f->weight);
}

/* The tet's point that is nearest to x. */
static void nearest_point(const fit *f, const int tet[4], const double x[3], double N[3])
{
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        double p[3], d = lil_triangle_nearest(at(f, tet[k]), at(f, tet[(k + 1) % 4]), at(f, tet[(k + 2) % 4]), x, p);
        if (d < least) {
            least = d;
            memcpy(N, p, sizeof p);
        }
    }
}

/* All vertices within R of N that a chain of such leads to from the tet. */
static void find_near(fit *f, int mark, const int tet[4], const double N[3], double R)
{
    f->count = 0;
    for (int k = 0; k < 4; k++) {
        f->near[f->count++] = tet[k];
        f->seen[tet[k]] = mark;
    }
    for (int i = 0; i < f->count; i++)
        for (int e = f->begin[f->near[i]]; e < f->begin[f->near[i] + 1]; e++)
            if (f->seen[f->next[e]] != mark && apart(at(f, f->next[e]), N) < R) {
                f->seen[f->next[e]] = mark;
                f->near[f->count++] = f->next[e];
            }
}

/* w_k = m_k (X_k - mean X)' A^-1 o */
static void find_gradient(fit *f, const double N[3], double R, const double o[3])
{
    double mean[3] = { 0 }, sum = 0, A[9] = { 0 }, C[9], s[3];
    for (int k = 0; k < f->count; k++) {
        double part = apart(at(f, f->near[k]), N) / R;
        f->w[k] = (1 - part * part) * (1 - part * part);
        sum += f->w[k];
        for (int d = 0; d < 3; d++)
            mean[d] += f->w[k] * at(f, f->near[k])[d];
    }
    for (int d = 0; d < 3; d++)
        mean[d] /= sum;
    for (int k = 0; k < 9 * f->count; k++) {
        const double *X = at(f, f->near[k / 9]);
        A[k % 9] += f->w[k / 9] * (X[k % 9 / 3] - mean[k % 9 / 3]) * (X[k % 3] - mean[k % 3]);
    }
    lil_cofactor3(A, C);
    double det = lil_determinant3(A);
    for (int d = 0; d < 3; d++)
        s[d] = lil_dot3(C + 3 * d, o) / det;
    for (int k = 0; k < f->count; k++) {
        const double *X = at(f, f->near[k]), r[3] = { X[0] - mean[0], X[1] - mean[1], X[2] - mean[2] };
        f->w[k] *= lil_dot3(r, s);
    }
}

static bool keep(fit *f)
{
    if (f->total + (size_t)f->count > f->room) {
        size_t room = 2 * (f->total + (size_t)f->count);
        int *vertex = realloc(f->vertex, room * sizeof *vertex);
        f->vertex = vertex ? vertex : f->vertex;
        double *weight = realloc(f->weight, room * sizeof *weight);
        f->weight = weight ? weight : f->weight;
        if (!vertex || !weight)
            return false;
        f->room = room;
    }
    memcpy(f->vertex + f->total, f->near, (size_t)f->count * sizeof *f->near);
    memcpy(f->weight + f->total, f->w, (size_t)f->count * sizeof *f->w);
    f->total += (size_t)f->count;
    return true;
}

static bool fit_point(fit *f, int mark, int t, const double x[3])
{
    int room[4];
    const int *tet = lil_mesh_part(f->mesh, t, room);
    double N[3], o[3], on[3], R = 1.5 * f->edge;
    nearest_point(f, tet, x, N);
    for (int d = 0; d < 3; d++)
        o[d] = x[d] - N[d];
    R = fmax(R, sqrt(lil_dot3(o, o)));
    for (int k = 0; k < 4; k++) /* all of the tet counts: A is then not singular */
        R = fmax(R, 1.2 * apart(at(f, tet[k]), N));
    find_near(f, mark, tet, N, R);
    find_gradient(f, N, R, o);
    lil_embedding_weights(f->mesh, t, N, on);
    f->w[0] += 1 - on[0] - on[1] - on[2];
    for (int k = 0; k < 3; k++)
        f->w[k + 1] += on[k];
    return keep(f);
}

/* Weights a little below nothing are inside, but for round-off. */
static bool is_outside(const double w[3])
{
    const double ROUND = -1e-9;
    return w[0] < ROUND || w[1] < ROUND || w[2] < ROUND || 1 - w[0] - w[1] - w[2] < ROUND;
}

static lil_status copy_out(lil_context *ctx, lil_arena *arena, const fit *f, const int *begin, lil_embedding *e)
{
    int *vertex = LIL_NEW(arena, int, f->total);
    double *weight = LIL_NEW(arena, double, f->total);
    LIL_HAVE(ctx, vertex && weight);
    if (f->total) {
        memcpy(vertex, f->vertex, f->total * sizeof *vertex);
        memcpy(weight, f->weight, f->total * sizeof *weight);
    }
    e->outside = (lil_carried){ f->mesh->vertex_count, e->count, begin, vertex, weight };
    return LIL_OK;
}

lil_status lil_embed_outside(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, const double *x,
                             lil_embedding *e)
{
    fit f = { .mesh = mesh };
    int *begin = LIL_NEW(arena, int, e->count + 1);
    bool ok = begin && begin_fit(&f);
    for (int i = 0; ok && i < e->count; i++) {
        if (is_outside(e->weights[i]))
            ok = fit_point(&f, i + 1, e->tet[i], x + 3 * (size_t)i) && f.total <= INT32_MAX;
        begin[i + 1] = (int)f.total;
    }
    lil_status status = ok ? copy_out(ctx, arena, &f, begin, e) : lil_fail_memory(ctx);
    end_fit(&f);
    return status;
}
