/*
 * Points of the surface are at s_j = sum_a w_ja x_a, weighted sums of the vertices of a tet; their pose is y_j. The
 * vertices of the tets minimise
 *
 *     1/m sum_j |s_j - y_j|^2 + epsilon L^2/V sum_e V_e |F_e - R_e|^2,      R_e the rotation nearest to F_e, L the body's size,
 *
 * the second sum being as-rigid-as-possible energy (Sorkine & Alexa 2007). With R_e given this is a linear system
 * with a constant matrix; with x given, R_e is a polar decomposition. The two alternate, from a rigid motion on.
 * epsilon is the smallest that inverts no tet, and is reduced further if that brings the surface much nearer.
 */
#include "keyframes/pose_fit.h"

#include "math/matrix3.h"
#include "math/svd3.h"
#include "math/vector.h"
#include "solvers/ldl.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };
static const double EPSILON_LEAST = 1e-5, EPSILON_MOST = 1, EPSILON_SMALL = 1e-13;

typedef struct fit {
    const lil_body *body;
    lil_mesh mesh; /* of linear tets: its own, or the parts of quadratic ones */
    const bool *held;
    const double *y;
    int points;      /* number of y; 0: none */
    double to_start; /* weight of the initial position, for vertices that nothing else determines */
    double *start;
    double epsilon, of_point, of_tet; /* weights of one point, and of one m^3 */
    double (*g)[4][3];                /* gradients of each tet's shape functions */
    double *V;                        /* of each tet */
    lil_pattern pattern;
    int *where; /* of the 16 entries of each tet */
    double *A;
    lil_ldl ldl[3];       /* of each axis */
    double *r, *d, *work; /* of one axis: the residual, the change */
    double *G;            /* half of the gradient, 3 per vertex */
} fit;

static lil_status create(lil_context *ctx, lil_arena *arena, const lil_body *body, fit *f)
{
    const lil_mesh *mesh = &f->mesh;
    LIL_TRY(lil_mesh_of_parts(ctx, arena, &body->mesh, &f->mesh));
    size_t n = (size_t)mesh->vertex_count, m = (size_t)mesh->tet_count;
    int *row = LIL_NEW(arena, int, 16 * m), *col = LIL_NEW(arena, int, 16 * m);
    f->where = LIL_NEW(arena, int, 16 * m);
    f->g = lil_arena_alloc(arena, m, sizeof *f->g);
    f->V = LIL_NEW(arena, double, m);
    f->r = LIL_NEW(arena, double, n);
    f->d = LIL_NEW(arena, double, n);
    f->G = LIL_NEW(arena, double, 3 * n);
    f->work = LIL_NEW(arena, double, n);
    f->start = LIL_NEW(arena, double, 3 * n);
    LIL_HAVE(ctx, row && col && f->where && f->g && f->V && f->r && f->d && f->G && f->work && f->start);
    for (size_t e = 0; e < m; e++)
        for (size_t k = 0; k < 16; k++) {
            row[16 * e + k] = mesh->tets[e][k / 4];
            col[16 * e + k] = mesh->tets[e][k % 4];
        }
    LIL_TRY(lil_pattern_create(ctx, arena, (int)n, row, col, (int)(16 * m), &f->pattern, f->where));
    f->A = LIL_NEW(arena, double, 2 * (size_t)f->pattern.count); /* and room for one axis */
    LIL_HAVE(ctx, f->A);
    for (int d = 0; d < 3; d++)
        LIL_TRY(lil_ldl_create(ctx, arena, &f->pattern, &f->ldl[d]));
    return LIL_OK;
}

/* Rows of Dm^-1 are the gradients of three of the four. */
static void set_gradients(fit *f)
{
    const lil_mesh *mesh = &f->mesh;
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
    f->of_point = f->points ? 1. / f->points : 0;
    f->of_tet = L * L / V;
}

static void weights_of(const lil_embedding *em, int j, double w[4])
{
    memcpy(w + 1, em->weights[j], 3 * sizeof *w);
    w[0] = 1 - w[1] - w[2] - w[3];
}

/* Keyed coordinates are skipped. */
static bool factor(fit *f, int axis)
{
    const lil_pattern *p = &f->pattern;
    double *A = f->A + p->count;
    for (int c = 0; c < p->n; c++)
        for (int e = p->start[c]; e < p->start[c + 1]; e++) {
            bool held = f->held[3 * c + axis] || f->held[3 * p->row[e] + axis];
            A[e] = held ? p->row[e] == c : f->A[e] + (p->row[e] == c) * f->to_start;
        }
    return lil_ldl_factor(&f->ldl[axis], A);
}

static bool set_matrix(fit *f)
{
    const lil_mesh *mesh = &f->mesh;
    const lil_embedding *em = &f->body->embedding;
    double trace = 0;
    memset(f->A, 0, (size_t)f->pattern.count * sizeof *f->A);
    for (int e = 0; e < mesh->tet_count; e++)
        for (int k = 0; k < 16; k++) {
            const double *g = f->g[e][k / 4], *h = f->g[e][k % 4];
            double a = f->epsilon * f->of_tet * f->V[e] * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);
            f->A[f->where[16 * e + k]] += a;
            trace += k % 5 == 0 ? a : 0;
        }
    for (int j = 0; j < f->points; j++) {
        double w[4];
        weights_of(em, j, w);
        for (int k = 0; k < 16; k++)
            f->A[f->where[16 * em->tet[j] + k]] += f->of_point * w[k / 4] * w[k % 4];
    }
    f->to_start = f->points ? 0 : 1e-6 * trace / mesh->vertex_count;
    return factor(f, 0) && factor(f, 1) && factor(f, 2);
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
    const lil_mesh *mesh = &f->mesh;
    const lil_embedding *em = &f->body->embedding;
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        f->G[i] = f->to_start * (x[i] - f->start[i]);
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
                f->G[3 * mesh->tets[e][a] + k / 3] +=
                    f->epsilon * f->of_tet * f->V[e] * (F[k] - R[k]) * f->g[e][a][k % 3];
    }
    for (int j = 0; j < f->points; j++) {
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
            f->r[i] = f->held[3 * i + d] ? 0 : -f->G[3 * i + d];
        lil_ldl_solve(&f->ldl[d], f->r, f->d, f->work);
        for (int i = 0; i < n; i++) {
            x[3 * i + d] += f->d[i];
            most = fmax(most, fabs(f->d[i]));
        }
    }
    return most;
}

void lil_fit_rigid(const double *from, const double *to, const bool *held, int count, double R[9], double shift[3])
{
    double a[3] = { 0 }, b[3] = { 0 }, n[3] = { 0 }, H[9] = { 0 }, turned[9], size = 0;
    for (int i = 0; i < 3 * count; i++)
        if (!held || held[i]) {
            n[i % 3]++;
            a[i % 3] += from[i];
            b[i % 3] += to[i];
        }
    for (int d = 0; d < 3; d++) {
        a[d] /= fmax(n[d], 1);
        b[d] /= fmax(n[d], 1);
    }
    for (int i = 0; i < count; i++) {
        if (held && !(held[3 * i] && held[3 * i + 1] && held[3 * i + 2]))
            continue;
        for (int k = 0; k < 9; k++)
            H[k] += (to[3 * i + k / 3] - b[k / 3]) * (from[3 * i + k % 3] - a[k % 3]);
        for (int d = 0; d < 3; d++)
            size += (from[3 * i + d] - a[d]) * (from[3 * i + d] - a[d]);
    }
    for (int k = 0; k < 9;
         k++) /* a small weight of the previous value, for components that the points do not determine */
        H[k] += (size > 0 ? 1e-6 * size : 1) * R[k];
    rotation_of(H, turned);
    memcpy(R, turned, sizeof turned);
    for (int d = 0; d < 3; d++) /* R a + shift = b, for components that have a b */
        shift[d] = n[d] > 0 ? b[d] - (R[3 * d] * a[0] + R[3 * d + 1] * a[1] + R[3 * d + 2] * a[2]) : NAN;
}

static bool is_whole(const lil_mesh *mesh, const double *x)
{
    for (int e = 0; e < mesh->tet_count; e++)
        if (!(lil_tet_volume(x, mesh->tets[e]) > 0.05 * lil_tet_volume(mesh->x, mesh->tets[e])))
            return false;
    return true;
}

/* |s_j - y_j| */
static lil_pose_miss find_miss(const fit *f, const double *x)
{
    const lil_embedding *em = &f->body->embedding;
    lil_pose_miss miss = { 0 };
    double s[3];
    for (int j = 0; j < f->points; j++) {
        lil_embedded_place(f->mesh.tets[em->tet[j]], em->weights[j], x, s);
        for (int d = 0; d < 3; d++)
            s[d] -= f->y[3 * j + d];
        miss.most = fmax(miss.most, lil_norm(3, s));
        miss.mean += lil_norm(3, s) / f->points;
    }
    return miss;
}

static void settle(fit *f, double L, double *x)
{
    for (int k = 0; k < ROUNDS && improve(f, NULL, x) > 1e-9 * L; k++)
        ;
}

/* The elastic energy keeps the surface from y by about epsilon. If the tets can take the pose, a smaller epsilon
 * reduces the distance; if they cannot, they should deform little. f->start is free memory by now. */
static void come_closer(fit *f, double L, double *x)
{
    size_t n = 3 * (size_t)f->body->mesh.vertex_count;
    double missed = find_miss(f, x).most;
    while (missed > 1e-12 * L && f->epsilon > EPSILON_SMALL) {
        memcpy(f->start, x, n * sizeof *x);
        f->epsilon *= 0.01;
        bool definite = set_matrix(f);
        if (definite)
            settle(f, L, x);
        double left = find_miss(f, x).most;
        if (!definite || !(left < 0.5 * missed) || !is_whole(&f->mesh, x)) {
            memcpy(x, f->start, n * sizeof *x);
            return;
        }
        missed = left;
    }
}

/* Poses that tear or crush a tet are fitted less closely. */
lil_status lil_fit_pose(lil_context *ctx, lil_arena *arena, const lil_pose_fit *fit_of, double *x,
                        lil_pose_miss *missed)
{
    const lil_body *body = fit_of->body;
    size_t n = (size_t)body->mesh.vertex_count;
    fit f = { .body = body, .held = fit_of->held, .y = fit_of->y, .points = fit_of->y ? body->embedding.count : 0 };
    double least[3], most[3], L = lil_box_around(body->mesh.x, (int)n, least, most);
    LIL_TRY(create(ctx, arena, body, &f));
    set_gradients(&f);
    memcpy(f.start, x, 3 * n * sizeof *x);
    for (f.epsilon = EPSILON_LEAST; f.epsilon <= EPSILON_MOST; f.epsilon *= 10) {
        if (!set_matrix(&f))
            return lil_fail(ctx, LIL_ERR_INPUT, "the tets of '%.60s' cannot be fitted to this pose", body->name);
        memcpy(x, f.start, 3 * n * sizeof *x);
        improve(&f, fit_of->turn, x);
        settle(&f, L, x);
        if (!f.points || is_whole(&f.mesh, x)) /* without points epsilon changes nothing */
            break;
    }
    if (f.points)
        come_closer(&f, L, x);
    *missed = find_miss(&f, x);
    return LIL_OK;
}
