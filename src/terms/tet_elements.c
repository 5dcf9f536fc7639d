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

/* (2 mu + lambda) V |g_a|^2, g_a the gradient of the shape function: the largest eigenvalue of the block at a vertex */
static int tet_vertices(const void *data, int e, int at[4], double stiffness[4])
{
    const lil_tets *t = data;
    const lil_moduli *m = &t->material.moduli;
    lil_tet tet;
    double G[12];
    lil_tets_get(t, e, &tet);
    lil_tet_gradients(tet.B, G);
    for (int a = 0; a < 4; a++) {
        at[a] = tet.id[a];
        stiffness[a] = (m->kappa + 4 * m->mu / 3) * tet.V * square_of(G + 3 * a);
    }
    return 4;
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
static double largest_square(const lil_tets *t, int e, const double inverse_mass[4])
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

/* h omega < 2, and with damping before each step also h kD omega^2 < 2 (src/sim/stability.c) */
static double tet_longest_step(const void *data, int e, double kD, const double inverse_mass[4])
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
    LIL_HAVE(ctx, tets);
    for (int i = 0; i < count; i++)
        memcpy(tets[i], t->tets[elements[i]], sizeof *tets);
    LIL_TRY(lil_tets_create(ctx, arena, t->body, &t->material, t->X, (const int(*)[4])tets, count, t->first, &own));
    *part = lil_tets_term(own);
    return LIL_OK;
}

double lil_tet_steepest(const lil_tet *tet)
{
    double G[12], most = 0;
    lil_tet_gradients(tet->B, G);
    for (int a = 0; a < 4; a++)
        most = fmax(most, square_of(G + 3 * a));
    return sqrt(most);
}

static void tet_name(const void *data, int e, char *name, size_t size)
{
    const lil_tets *t = data;
    lil_tet tet;
    lil_tets_get(t, e, &tet);
    snprintf(name, size, "tet %d of body '%.60s', which is %.3g m high", e, t->body, 1 / lil_tet_steepest(&tet));
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
