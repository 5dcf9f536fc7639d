/* The second derivatives of tets in double, as entries: tet_tangent.h where the material is one in invariants,
 * else one tet after the other. */
#include "terms/tet_second.h"

#include "core/threads.h"
#include "math/matrix3.h"

#define LIL_TANGENT_FLOAT 0
#include "terms/tet_projection.h"

enum { BATCH = 8 }; /* times four tets */

/* ---- four at a time ---- */

static void tet_second_load(const lil_tets *t, int first, const double *q, shape *s, lanes *V)
{
    for (int l = 0; l < LANES; l++) {
        lil_tet tet;
        double D[9];
        lil_tets_get(t, first + l < t->count ? first + l : t->count - 1, &tet);
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

enum { PIECE = 32 * BATCH * LANES }; /* tets per thread: fewer are not worth a thread */

static void quick_batch(const second_job *job, int first)
{
    const lil_tets *t = job->tets;
    const lil_material *m = &t->material;
    unsigned uses = m->table->uses;
    shape s[BATCH];
    lil_lanes V[BATCH];
    lil_lanes_invariants x[BATCH];
    lil_lanes_derivatives d[BATCH];
    int n = 0;
    do {
        tet_second_load(t, first + LANES * n, job->q, &s[n], &V[n]);
        set_gradient(&s[n]);
        set_invariants(&s[n], uses & LIL_USES_I2, &x[n]);
    } while (++n < BATCH && first + LANES * n < t->count);
    m->table->derive(&m->moduli, m->config, n, x, d);
    for (int i = 0; i < n; i++) {
        int e = first + LANES * i, count = t->count - e < LANES ? t->count - e : LANES;
        coefficients w;
        set_coefficients(&d[i], &V[i], uses, &w);
        if (uses & LIL_USES_T)
            principal_matrices(&s[i], &w, uses, false, count, job->values + 144 * (size_t)e);
        else
            matrices(&s[i], &w, uses & LIL_USES_I2, count, job->values + 144 * (size_t)e);
        if (job->definite)
            principal_matrices(&s[i], &w, uses, true, count, job->values + 144 * (size_t)e);
    }
}

static void quick(void *data, int piece)
{
    const second_job *job = data;
    for (int first = piece * PIECE; first < job->tets->count && first < (piece + 1) * PIECE; first += BATCH * LANES)
        quick_batch(job, first);
}

/* ---- one at a time ---- */

static void plain(void *data, int piece)
{
    const second_job *job = data;
    const lil_tets *t = job->tets;
    for (int e = piece * PIECE; e < t->count && e < (piece + 1) * PIECE; e++) {
        lil_tet tet;
        double D[9], F[9], A[81], G[12];
        lil_tets_get(t, e, &tet);
        lil_tet_edges(&tet, job->q, D);
        lil_multiply3(D, tet.B, F);
        lil_material_tangent(&t->material, F, job->definite, A);
        lil_tet_gradients(tet.B, G);
        lil_tet_element_stiffness(G, A, tet.V, job->values + 144 * (size_t)e);
    }
}

void lil_tets_second(const lil_tets *t, lil_threads *threads, const double *q, bool definite, double *values)
{
    second_job job = { t, q, definite, values };
    lil_parallel(threads, (t->count + PIECE - 1) / PIECE, t->material.table->derive ? quick : plain, &job);
}
