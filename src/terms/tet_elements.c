/* Tets one by one, for integrators with one step per element. */
#include "terms/tets.h"

#include "math/svd3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double square_of(const double g[3])
{
    return g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
}

/* the sum of (2 mu + lambda) V |g_a|^2, g_a the gradient of the shape function: the largest eigenvalue of the block at
 * a vertex, or more */
static int tet_vertices(const void *data, int e, int at[LIL_ELEMENT_VERTICES], double stiffness[LIL_ELEMENT_VERTICES])
{
    const lil_tets *t = data;
    const lil_moduli *m = &t->material.moduli;
    for (int a = 0; a < t->nodes; a++)
        stiffness[a] = 0;
    for (int p = lil_tets_point(t, e); p < lil_tets_point(t, e + 1); p++) {
        lil_tet tet;
        double G[3 * LIL_TET_NODES];
        lil_tets_get(t, p, &tet);
        lil_tet_node_gradients(&tet, tet.B, G);
        for (int a = 0; a < t->nodes; a++) {
            at[a] = tet.id[a];
            stiffness[a] += (m->kappa + 4 * m->mu / 3) * tet.V * square_of(G + 3 * a);
        }
    }
    return t->nodes;
}

/*
 * The largest omega^2 at rest. A velocity gradient D = sym sum v_a g_a' has the energy V/2 (2 mu D:D + lambda tr^2
 * D), so the frequencies are the eigenvalues of V C N, C the elasticities and N_kl = tr(E_k S E_l) over symmetric E,
 * with
 *
 *     S = sum_a g_a g_a' / m_a.
 *
 * Where S is diagonal, shears have V mu (s_i + s_j), and stretches the eigenvalues of V (2 mu diag(s) + lambda r r')
 * with r_i = sqrt(s_i): the largest is at most V (2 mu s_1 + lambda tr S), which is exact if the s_i are equal, or
 * only one is not 0.
 */
static double largest_square_of_linear(const lil_tets *t, int e, const double *inverse_mass)
{
    const lil_moduli *m = &t->material.moduli;
    lil_tet tet;
    double G[12], S[9] = { 0 }, s[3], Q[9];
    lil_tets_get(t, e, &tet);
    lil_tet_gradients(tet.B, G);
    for (int a = 0; a < 4; a++)
        for (int k = 0; k < 9; k++)
            S[k] += G[3 * a + k / 3] * G[3 * a + k % 3] * inverse_mass[a];
    lil_eig3(S, s, Q);
    return tet.V * (2 * m->mu * s[0] + fmax(m->kappa - 2 * m->mu / 3, 0) * (S[0] + S[4] + S[8]));
}

/* A := A A / max |A|^2; returns log max |A|. Symmetric. */
static double square_matrix(int n, double A[30][30])
{
    double most = 0, B[30][30];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(A[i][j]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[i][k] * A[j][k];
            B[i][j] = B[j][i] = sum / (most * most);
        }
    memcpy(A, B, sizeof B);
    return log(most);
}

/* Of a quadratic tet, A = M^-1/2 K M^-1/2 with K at rest: the largest eigenvalue is at most |A^16|^(1/16), which is at
 * most 30^(1/32) = 1.11 times as large. */
static double largest_square_of_quadratic(const lil_tets *t, int e, const double *inverse_mass)
{
    enum { SQUARINGS = 4 };
    const lil_moduli *m = &t->material.moduli;
    double A[30][30] = { { 0 } }, lambda = m->kappa - 2 * m->mu / 3, power = 1, largest = 0, norm = 0;
    for (int p = lil_tets_point(t, e); p < lil_tets_point(t, e + 1); p++) {
        lil_tet tet;
        double G[3 * LIL_TET_NODES];
        lil_tets_get(t, p, &tet);
        lil_tet_node_gradients(&tet, tet.B, G);
        for (int i = 0; i < 30; i++)
            for (int j = 0; j < 30; j++) {
                const double *g = G + 3 * (i / 3), *h = G + 3 * (j / 3);
                double dot = i % 3 == j % 3 ? g[0] * h[0] + g[1] * h[1] + g[2] * h[2] : 0;
                A[i][j] += tet.V * sqrt(inverse_mass[i / 3] * inverse_mass[j / 3]) *
                           (lambda * g[i % 3] * h[j % 3] + m->mu * (h[i % 3] * g[j % 3] + dot));
            }
    }
    for (int k = 0; k < SQUARINGS; k++, power /= 2)
        largest += power * square_matrix(30, A);
    for (int i = 0; i < 900; i++)
        norm += A[i / 30][i % 30] * A[i / 30][i % 30];
    return exp(largest + power * log(norm) / 2);
}

static double largest_square(const lil_tets *t, int e, const double *inverse_mass)
{
    return (t->mids ? largest_square_of_quadratic : largest_square_of_linear)(t, e, inverse_mass);
}

/* h omega < 2, and with damping before each step also h kD omega^2 < 2 (src/sim/stability.c) */
static double tet_longest_step(const void *data, int e, double kD, const double inverse_mass[LIL_ELEMENT_VERTICES])
{
    double square = largest_square(data, e, inverse_mass);
    return fmin(2 / sqrt(square), 2 / (kD * square));
}

static lil_status tets_some(lil_context *ctx, lil_arena *arena, const void *data, const int *elements, int count,
                            lil_term *part)
{
    const lil_tets *t = data;
    lil_tets *own;
    int(*tets)[4] = lil_arena_alloc(arena, (size_t)count, sizeof *tets);
    int(*mids)[6] = t->mids ? lil_arena_alloc(arena, (size_t)count, sizeof *mids) : NULL;
    LIL_HAVE(ctx, tets && (mids || !t->mids));
    for (int i = 0; i < count; i++)
        memcpy(tets[i], t->tets[elements[i]], sizeof *tets);
    for (int i = 0; i < count && mids; i++)
        memcpy(mids[i], t->mids[elements[i]], sizeof *mids);
    LIL_TRY(lil_tets_create_some(ctx, arena, t, (const int(*)[4])tets, (const int(*)[6])mids, count, &own));
    *part = lil_tets_term(own);
    return LIL_OK;
}

double lil_tet_steepest(const lil_tet *tet)
{
    double G[12], most = 0;
    lil_tet_gradients(tet->B, G);
    for (int a = 0; a < 4; a++)
        most = fmax(most, square_of(G + 3 * a));
    return sqrt(most) * (lil_mixes(tet->mix) ? tet->mix->ends : 1);
}

static void tet_name(const void *data, int e, char *name, size_t size)
{
    const lil_tets *t = data;
    double steepest = 0;
    for (int p = lil_tets_point(t, e); p < lil_tets_point(t, e + 1); p++) {
        lil_tet tet;
        lil_tets_get(t, p, &tet);
        steepest = fmax(steepest, lil_tet_steepest(&tet));
    }
    snprintf(name, size, "tet %d of body '%.60s', which is %.3g m high", e, t->body, 1 / steepest);
}

static int tet_count(const void *data)
{
    return ((const lil_tets *)data)->count;
}

const lil_term_elements lil_tet_elements = { .count = tet_count,
                                             .vertices = tet_vertices,
                                             .longest_step = tet_longest_step,
                                             .some = tets_some,
                                             .name = tet_name };
