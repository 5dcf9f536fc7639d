/*
 * Points of the surface are at s_j = sum_a w_ja x_a, the vertices of a tet weighed; their pose says y_j. The tets' vertices minimise
 *
 *     1/m sum_j |s_j - y_j|^2 + epsilon L^2/V sum_e V_e |F_e - R_e|^2,      R_e the rotation nearest to F_e, L the body's size,
 *
 * a small multiple of the least elastic energy that the pose needs (as rigid as possible: Sorkine & Alexa 2007). With R_e given it is
 * a linear system, the same each time; with x given, R_e is a polar decomposition: one after the other, from the rigid motion that
 * is nearest to the pose.
 */
#include "scene/pose_fit.h"

#include "math/matrix3.h"
#include "math/svd3.h"
#include "solvers/ldl.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };
static const double EPSILON = 1e-4;

typedef struct fit {
    const lil_body *body;
    const bool *held;
    const double *y;
    double of_point, of_tet; /* weights of one point, and of one m^3 */
    double (*g)[4][3];       /* gradients of each tet's shape functions */
    double *V;               /* of each tet */
    lil_pattern pattern;
    int *where; /* of the 16 entries of each tet */
    double *A;
    lil_ldl ldl;
    double *r, *d, *work; /* of one axis: what is left, the change */
    double *G;            /* half of the gradient, 3 a vertex */
} fit;

static lil_status create(const lil_reader *rd, const lil_body *body, fit *f)
{
    const lil_mesh *mesh = &body->mesh;
    size_t n = (size_t)mesh->vertex_count, m = (size_t)mesh->tet_count;
    int *row = LIL_NEW(rd->arena, int, 16 * m), *col = LIL_NEW(rd->arena, int, 16 * m);
    f->where = LIL_NEW(rd->arena, int, 16 * m);
    f->g = lil_arena_alloc(rd->arena, m, sizeof *f->g);
    f->V = LIL_NEW(rd->arena, double, m);
    f->r = LIL_NEW(rd->arena, double, n);
    f->d = LIL_NEW(rd->arena, double, n);
    f->G = LIL_NEW(rd->arena, double, 3 * n);
    f->work = LIL_NEW(rd->arena, double, n);
    if (!row || !col || !f->where || !f->g || !f->V || !f->r || !f->d || !f->G || !f->work)
        return lil_fail_memory(rd->ctx);
    for (size_t e = 0; e < m; e++)
        for (size_t k = 0; k < 16; k++) {
            row[16 * e + k] = mesh->tets[e][k / 4];
            col[16 * e + k] = mesh->tets[e][k % 4];
        }
    LIL_TRY(lil_pattern_create(rd->ctx, rd->arena, (int)n, row, col, (int)(16 * m), &f->pattern, f->where));
    f->A = LIL_NEW(rd->arena, double, f->pattern.count);
    if (!f->A)
        return lil_fail_memory(rd->ctx);
    return lil_ldl_create(rd->ctx, rd->arena, &f->pattern, &f->ldl);
}

/* Rows of Dm^-1 are the gradients of three of the four. */
static void set_gradients(fit *f)
{
    const lil_mesh *mesh = &f->body->mesh;
    double least[3], most[3], L = lil_box_around(mesh->x, mesh->vertex_count, least, most), V = 0;
    for (int e = 0; e < mesh->tet_count; e++) {
        const int *tet = mesh->tets[e];
        double D[9], C[9];
        for (int a = 0; a < 3; a++)
            for (int d = 0; d < 3; d++)
                D[3 * d + a] = mesh->x[3 * tet[a + 1] + d] - mesh->x[3 * tet[0] + d];
        lil_cofactor3(D, C); /* det D D^-T */
        double det = lil_determinant3(D);
        f->V[e] = det / 6;
        V += f->V[e];
        for (int d = 0; d < 3; d++) {
            f->g[e][0][d] = 0;
            for (int a = 0; a < 3; a++) {
                f->g[e][a + 1][d] = C[3 * d + a] / det;
                f->g[e][0][d] -= C[3 * d + a] / det;
            }
        }
    }
    f->of_point = 1. / f->body->embedding.count;
    f->of_tet = EPSILON * L * L / V;
}

static void weights_of(const lil_embedding *em, int j, double w[4])
{
    memcpy(w + 1, em->weights[j], 3 * sizeof *w);
    w[0] = 1 - w[1] - w[2] - w[3];
}

static bool set_matrix(fit *f)
{
    const lil_mesh *mesh = &f->body->mesh;
    const lil_embedding *em = &f->body->embedding;
    for (int e = 0; e < mesh->tet_count; e++)
        for (int k = 0; k < 16; k++) {
            const double *g = f->g[e][k / 4], *h = f->g[e][k % 4];
            f->A[f->where[16 * e + k]] += f->of_tet * f->V[e] * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);
        }
    for (int j = 0; j < em->count; j++) {
        double w[4];
        weights_of(em, j, w);
        for (int k = 0; k < 16; k++)
            f->A[f->where[16 * em->tet[j] + k]] += f->of_point * w[k / 4] * w[k % 4];
    }
    for (int c = 0; c < f->pattern.n; c++)
        for (int e = f->pattern.start[c]; e < f->pattern.start[c + 1]; e++)
            if (f->held[c] || f->held[f->pattern.row[e]])
                f->A[e] = f->pattern.row[e] == c;
    return lil_ldl_factor(&f->ldl, f->A);
}

/* The rotation nearest to F. */
static void rotation_of(const double F[9], double R[9])
{
    double U[9], s[3], V[9];
    lil_svd3(F, U, s, V);
    lil_multiply3_nt(U, V, R);
}

/* Half of the gradient at x, with R_e as they are there; with `turn` they are all that rotation. */
static void set_gradient(fit *f, const double *turn, const double *x)
{
    const lil_mesh *mesh = &f->body->mesh;
    const lil_embedding *em = &f->body->embedding;
    memset(f->G, 0, 3 * (size_t)mesh->vertex_count * sizeof *f->G);
    for (int e = 0; e < mesh->tet_count; e++) {
        double F[9] = { 0 }, R[9];
        for (int a = 0; a < 4; a++)
            for (int k = 0; k < 9; k++)
                F[k] += x[3 * mesh->tets[e][a] + k / 3] * f->g[e][a][k % 3];
        if (turn)
            memcpy(R, turn, sizeof R);
        else
            rotation_of(F, R);
        for (int a = 0; a < 4; a++)
            for (int k = 0; k < 9; k++)
                f->G[3 * mesh->tets[e][a] + k / 3] += f->of_tet * f->V[e] * (F[k] - R[k]) * f->g[e][a][k % 3];
    }
    for (int j = 0; j < em->count; j++) {
        const int *tet = mesh->tets[em->tet[j]];
        double w[4], s[3];
        weights_of(em, j, w);
        lil_embedded_place(tet, em->weights[j], x, s);
        for (int a = 0; a < 4; a++)
            for (int d = 0; d < 3; d++)
                f->G[3 * tet[a] + d] += f->of_point * w[a] * (s[d] - f->y[3 * j + d]);
    }
}

/* Returns the largest change. */
static double improve(fit *f, const double *turn, double *x)
{
    int n = f->body->mesh.vertex_count;
    double most = 0;
    set_gradient(f, turn, x);
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < n; i++)
            f->r[i] = f->held[i] ? 0 : -f->G[3 * i + d];
        lil_ldl_solve(&f->ldl, f->r, f->d, f->work);
        for (int i = 0; i < n; i++) {
            x[3 * i + d] += f->d[i];
            most = fmax(most, fabs(f->d[i]));
        }
    }
    return most;
}

/* The rotation that takes the surface at rest nearest to its pose (Kabsch 1976). */
static void find_turn(const fit *f, double R[9])
{
    const lil_surface *s = &f->body->surface;
    double c[3] = { 0 }, b[3] = { 0 }, H[9] = { 0 };
    for (int j = 0; j < s->vertex_count; j++)
        for (int d = 0; d < 3; d++) {
            c[d] += s->x[3 * j + d] / s->vertex_count;
            b[d] += f->y[3 * j + d] / s->vertex_count;
        }
    for (int j = 0; j < s->vertex_count; j++)
        for (int k = 0; k < 9; k++)
            H[k] += (f->y[3 * j + k / 3] - b[k / 3]) * (s->x[3 * j + k % 3] - c[k % 3]);
    rotation_of(H, R);
}

lil_status lil_fit_pose(const lil_reader *rd, const lil_node *node, const lil_body *body, const bool *held,
                        const double *y, double *x)
{
    fit f = { .body = body, .held = held, .y = y };
    double turn[9], least[3], most[3], L = lil_box_around(body->mesh.x, body->mesh.vertex_count, least, most);
    LIL_TRY(create(rd, body, &f));
    set_gradients(&f);
    if (!set_matrix(&f))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "the tets of '%.60s' cannot be fitted to this pose",
                             body->name);
    memcpy(x, body->mesh.x, 3 * (size_t)body->mesh.vertex_count * sizeof *x);
    find_turn(&f, turn);
    improve(&f, turn, x);
    for (int k = 0; k < ROUNDS && improve(&f, NULL, x) > 1e-9 * L; k++)
        ;
    return LIL_OK;
}
