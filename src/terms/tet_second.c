/* The second derivatives of tets in double, as entries: tet_tangent.h where the material is one in invariants, else one tet
 * after the other. */
#include "terms/tet_second.h"

#include "math/matrix3.h"

#define LIL_TANGENT_FLOAT 0
#include "terms/tet_tangent.h"

enum { BATCH = 8 }; /* times four tets */

/* ---- four at a time ---- */

static void load(const lil_tets *t, int first, const double *q, shape *s, lanes *V)
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

static void quick(const lil_tets *t, const double *q, double *values)
{
    const lil_material *m = &t->material;
    bool second = m->table->uses & LIL_USES_I2;
    for (int first = 0; first < t->count; first += BATCH * LANES) {
        shape s[BATCH];
        lil_lanes V[BATCH];
        lil_lanes_invariants x[BATCH];
        lil_lanes_derivatives d[BATCH];
        int n = 0;
        for (; n < BATCH && first + LANES * n < t->count; n++) {
            load(t, first + LANES * n, q, &s[n], &V[n]);
            set_gradient(&s[n]);
            set_invariants(&s[n], second, &x[n]);
        }
        m->table->derive(&m->moduli, m->config, n, x, d);
        for (int i = 0; i < n; i++) {
            int e = first + LANES * i, count = t->count - e < LANES ? t->count - e : LANES;
            coefficients w;
            set_coefficients(&d[i], &V[i], m->table->uses, &w);
            matrices(&s[i], &w, second, count, values + 144 * (size_t)e);
        }
    }
}

/* ---- one at a time ---- */

static void plain(const lil_tets *t, const double *q, bool definite, double *values)
{
    for (int e = 0; e < t->count; e++) {
        lil_tet tet;
        double D[9], F[9], A[81], G[12];
        lil_tets_get(t, e, &tet);
        lil_tet_edges(&tet, q, D);
        lil_multiply3(D, tet.B, F);
        lil_material_tangent(&t->material, F, definite, A);
        lil_tet_gradients(tet.B, G);
        lil_tet_stiffness(G, A, tet.V, values + 144 * (size_t)e);
    }
}

void lil_tets_second(const lil_tets *t, const double *q, bool definite, double *values)
{
    if (t->material.table->derive && !(t->material.table->uses & LIL_USES_T) && !definite)
        quick(t, q, values);
    else
        plain(t, q, definite, values);
}
