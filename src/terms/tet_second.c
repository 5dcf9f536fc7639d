/* The second derivatives of tets in double, as entries: tet_tangent.h where the material is one in invariants,
 * else one tet after the other. */
#include "terms/tet_second.h"

#include "core/threads.h"
#include "math/matrix3.h"

#define LIL_TANGENT_FLOAT 0
#include "terms/tet_projection.h"

enum { BATCH = 8 }; /* times four tets */

/* ---- four points at a time ---- */

static void tet_second_load(const lil_tets *t, int first, const double *q, shape *s, lanes *V)
{
    int count = t->chunks.point_count;
    for (int l = 0; l < LANES; l++) {
        lil_tet tet;
        double D[9];
        lil_tets_get(t, first + l < count ? first + l : count - 1, &tet);
        lil_tet_edges(&tet, q, D);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3; i++) {
                s->d[a][i][l] = D[3 * i + a];
                s->g[a][i][l] = tet.B[3 * a + i];
            }
        (*V)[l] = tet.V;
    }
    s->r = 1 / (6 * *V);
}

/* the six blocks and their transposes into lane l's matrix, minus their sums on the diagonal */
static void store(lanes k[6][9], int l, double K[144])
{
    for (int a = 0; a < 4; a++)
        for (int i = 0; i < 9; i++)
            K[12 * (3 * a + i / 3) + 3 * a + i % 3] = 0;
    for (int m = 0; m < 6; m++)
        for (int i = 0; i < 9; i++) {
            int a = 3 * ends[m][0], b = 3 * ends[m][1], row = i / 3, col = i % 3;
            double x = k[m][i][l];
            K[12 * (a + row) + b + col] = x;
            K[12 * (b + col) + a + row] = x;
            K[12 * (a + row) + a + col] -= x;
            K[12 * (b + col) + b + row] -= x;
        }
}

LIL_KERNEL static void matrices(const shape *s, const coefficients *w, bool second, int count, double *values)
{
    element e;
    lanes k[6][9];
    set_element(s, w, second, &e);
    for (int m = 0; m < 6; m++)
        set_block(&e, m, second, k[m]);
    for (int l = 0; l < count; l++)
        store(k, l, values + 144 * (size_t)l);
}

/* With `definite`, only of tets that need projection: the matrices of others keep their bits. */
LIL_KERNEL static void principal_matrices(const shape *s, const coefficients *w, unsigned uses, bool definite,
                                          int count, double *values)
{
    principal_axes axes;
    principal p;
    principal_element e;
    lanes k[6][9], changed = all(1);
    set_axes(s, &axes);
    set_principal(axes.s, w, uses, &p);
    if (definite)
        changed = project(&p);
    set_principal_element(s, &axes, &p, 1, &e);
    for (int m = 0; m < 6; m++)
        set_principal_block(&e, m, k[m]);
    for (int l = 0; l < count; l++)
        if (changed[l] > 0)
            store(k, l, values + 144 * (size_t)l);
}

typedef struct second_job {
    const lil_tets *tets;
    const double *q;
    bool definite;
    double *values;
} second_job;

enum { PIECE = 32 * BATCH * LANES }; /* points per thread: fewer are not worth a thread */

static void quick_batch(const second_job *job, int first, int end)
{
    const lil_tets *t = job->tets;
    const lil_material *m = &t->material;
    unsigned uses = m->table->uses;
    shape s[BATCH];
    lil_lanes V[BATCH];
    lil_lanes_invariants x[BATCH];
    lil_lanes_derivatives d[BATCH];
    double K[BATCH][LANES][144];
    int n = 0;
    do {
        tet_second_load(t, first + LANES * n, job->q, &s[n], &V[n]);
        set_gradient(&s[n]);
        set_invariants(&s[n], uses & LIL_USES_I2, &x[n]);
    } while (++n < BATCH && first + LANES * n < end);
    m->table->derive(&m->moduli, m->config, n, x, d);
    for (int i = 0; i < n; i++) {
        int p = first + LANES * i, count = end - p < LANES ? end - p : LANES;
        coefficients w;
        set_coefficients(&d[i], &V[i], uses, &w);
        if (uses & LIL_USES_T)
            principal_matrices(&s[i], &w, uses, false, count, K[i][0]);
        else
            matrices(&s[i], &w, uses & LIL_USES_I2, count, K[i][0]);
        if (job->definite)
            principal_matrices(&s[i], &w, uses, true, count, K[i][0]);
        for (int l = 0; l < count; l++)
            lil_tets_put_matrix(t, p + l, K[i][l], job->values);
    }
}

static int tets_of_piece(const lil_tets *t)
{
    return t->mids ? PIECE / 4 : PIECE;
}

/* The points of a piece: those of whole tets. */
static void points_of(const lil_tets *t, int piece, int *first, int *end)
{
    int tets = tets_of_piece(t), last = (piece + 1) * tets < t->count ? (piece + 1) * tets : t->count;
    *first = lil_tets_point(t, piece * tets);
    *end = lil_tets_point(t, last);
}

static void quick(void *data, int piece)
{
    const second_job *job = data;
    int first, end;
    points_of(job->tets, piece, &first, &end);
    for (; first < end; first += BATCH * LANES)
        quick_batch(job, first, end);
}

/* ---- one at a time ---- */

static void plain(void *data, int piece)
{
    const second_job *job = data;
    const lil_tets *t = job->tets;
    int p, end;
    for (points_of(t, piece, &p, &end); p < end; p++) {
        lil_tet tet;
        double D[9], F[9], A[81], G[12], K[144];
        lil_tets_get(t, p, &tet);
        lil_tet_edges(&tet, job->q, D);
        lil_multiply3(D, tet.B, F);
        lil_material_tangent(&t->material, F, job->definite, A);
        lil_tet_gradients(tet.B, G);
        lil_tet_element_stiffness(G, A, tet.V, K);
        lil_tets_put_matrix(t, p, K, job->values);
    }
}

void lil_tets_second(const lil_tets *t, lil_threads *threads, const double *q, bool definite, double *values)
{
    second_job job = { t, q, definite, values };
    int tets = tets_of_piece(t);
    lil_parallel(threads, (t->count + tets - 1) / tets, t->material.table->derive ? quick : plain, &job);
}
