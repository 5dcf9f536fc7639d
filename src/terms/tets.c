#include "terms/tets.h"

#include "math/cubic.h"
#include "math/matrix3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- create ---- */

static void set_lane(lil_tet_block *block, int lane, const double *X, const int tet[4], int first, bool counts)
{
    double D[9], G[9];
    lil_tet local = { .id = { tet[0], tet[1], tet[2], tet[3] } };
    lil_tet_edges(&local, X, D);
    lil_cofactor3(D, G);
    double det = lil_determinant3(D);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block->B[3 * i + j][lane] = G[3 * j + i] / det; /* D^-1 = cof' / det */
    block->V[lane] = counts ? det / 6 : 0;
    for (int a = 0; a < 4; a++)
        block->id[a][lane] = first + tet[a];
}

/* Shape functions' gradients g_a of each tet: mu V |g_a| and (2 mu + lambda) V |g_a|^2 at each vertex. */
static lil_status set_sizes(lil_context *ctx, lil_tets *t, int vertices, int first)
{
    const lil_moduli *m = &t->material.moduli;
    double stiffness = m->kappa + 4 * m->mu / 3, *at = calloc(2 * (size_t)vertices, sizeof *at);
    if (!at)
        return lil_fail_memory(ctx);
    for (int e = 0; e < t->count; e++) {
        lil_tet tet;
        double G[12];
        lil_tets_get(t, e, &tet);
        lil_tet_gradients(tet.B, G);
        t->size_W += 1.5 * m->mu * tet.V;
        for (int a = 0; a < 4; a++) {
            const double *g = G + 3 * a, square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
            at[2 * (tet.id[a] - first)] += m->mu * tet.V * sqrt(square);
            at[2 * (tet.id[a] - first) + 1] += stiffness * tet.V * square;
        }
    }
    for (int i = 0; i < vertices; i++) {
        t->size_g += at[2 * i] * at[2 * i];
        t->size_K += at[2 * i + 1] * at[2 * i + 1];
    }
    t->size_g = sqrt(t->size_g);
    t->size_K = sqrt(t->size_K);
    free(at);
    return LIL_OK;
}

static int vertices_of(const int (*tets)[4], int count)
{
    int most = -1;
    for (int e = 0; e < count; e++)
        for (int a = 0; a < 4; a++)
            most = tets[e][a] > most ? tets[e][a] : most;
    return most + 1;
}

lil_status lil_tets_create(lil_context *ctx, lil_arena *arena, const char *body, const lil_material *material,
                           const double *X, const int (*tets)[4], int count, int first, lil_tets **out)
{
    lil_tets *t = *out = LIL_NEW(arena, lil_tets, 1);
    int blocks = (count + LIL_LANES - 1) / LIL_LANES;
    if (!t || !(t->blocks = LIL_NEW(arena, lil_tet_block, blocks)))
        return lil_fail_memory(ctx);
    t->body = body;
    t->material = *material;
    t->count = count;
    t->block_count = blocks;
    for (int e = 0; e < LIL_LANES * blocks; e++) /* what is left over repeats the last tet, without a volume */
        set_lane(&t->blocks[e % blocks], e / blocks, X, tets[e < count ? e : count - 1], first, e < count);
    return set_sizes(ctx, t, vertices_of(tets, count), first);
}

void lil_tets_get(const lil_tets *t, int e, lil_tet *tet)
{
    const lil_tet_block *block = &t->blocks[e % t->block_count];
    int lane = e / t->block_count;
    for (int a = 0; a < 4; a++)
        tet->id[a] = block->id[a][lane];
    for (int m = 0; m < 9; m++)
        tet->B[m] = block->B[m][lane];
    tet->V = block->V[lane];
}

lil_status lil_tets_entries(lil_context *ctx, lil_arena *arena, const lil_tets *t, lil_entries *entries)
{
    if (t->count > INT32_MAX / 144)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d tets are too many for an implicit step", t->count);
    entries->row = LIL_NEW(arena, int, 144 * (size_t)t->count);
    entries->col = LIL_NEW(arena, int, 144 * (size_t)t->count);
    if (!entries->row || !entries->col)
        return lil_fail_memory(ctx);
    for (int e = 0; e < t->count; e++) {
        lil_tet tet;
        lil_tets_get(t, e, &tet);
        for (int k = 0; k < 144; k++) {
            int row = k / 12, col = k % 12;
            entries->row[144 * (size_t)e + (size_t)k] = 3 * tet.id[row / 3] + row % 3;
            entries->col[144 * (size_t)e + (size_t)k] = 3 * tet.id[col / 3] + col % 3;
        }
    }
    return LIL_OK;
}

/* ---- energy and force ---- */

typedef struct tets_work {
    double volume; /* smallest det F of the latest evaluate */
} tets_work;

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const lil_tets *t = data;
    if (!(*work = LIL_NEW(arena, tets_work, 1)))
        return lil_fail_memory(ctx);
    if (!second)
        return LIL_OK;
    LIL_TRY(lil_tets_entries(ctx, arena, t, entries));
    entries->qq = 144 * t->count;
    return LIL_OK;
}

LIL_KERNEL static void evaluate(const void *data, void *work, double t, const double *q, const double *v,
                                double *value, double *gq, double *gv)
{
    const lil_tets *d = data;
    const lil_material *m = &d->material;
    lil_lanes W = { 0 }, least = lil_lanes_all(INFINITY);
    (void)t, (void)v, (void)gv;
    for (int i = 0; i < d->block_count; i++) {
        const lil_tet_block *block = &d->blocks[i];
        lil_lanes D[9], F[9], P[9], w;
        lil_block_edges(block, q, D);
        lil_block_multiply(D, block->B, F);
        lil_lanes J = lil_lanes_determinant(F);
        least = lil_lanes_select(J < least, J, least);
        m->table->stress(&m->moduli, m->config, F, value ? &w : NULL, gq ? P : NULL);
        if (value)
            W += lil_lanes_select(block->V > 0, block->V * w, lil_lanes_all(0));
        if (gq)
            lil_block_scatter(block, lil_block_volume(m, block->V, J), P, block->B, gq);
    }
    if (value)
        *value += (W[0] + W[1]) + (W[2] + W[3]);
    ((tets_work *)work)->volume = fmin(fmin(least[0], least[1]), fmin(least[2], least[3]));
}

static double least_volume(const void *work)
{
    return ((const tets_work *)work)->volume;
}

/* the first vertex of each block stands for all: how far from the origin the body is */
static void size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_tets *t = data;
    double far = 0;
    (void)work;
    *value += t->size_W;
    for (int i = 0; gradient && i < t->block_count; i++)
        for (int d = 0; d < 3; d++)
            far = fmax(far, fabs(q[3 * t->blocks[i].id[0][0] + d]));
    if (gradient)
        *gradient += t->size_g + far * t->size_K;
}

/* ---- stiffness ---- */

void lil_tet_stiffness(const double G[12], const double A[81], double weight, double K[144])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double T[3][4]; /* T_jb = sum_l A_(ij)(kl) G_bl */
            for (int j = 0; j < 3; j++)
                for (int b = 0; b < 4; b++) {
                    const double *row = A + 9 * (3 * i + j) + 3 * k, *Gb = G + 3 * b;
                    T[j][b] = weight * (row[0] * Gb[0] + row[1] * Gb[1] + row[2] * Gb[2]);
                }
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    K[12 * (3 * a + i) + 3 * b + k] =
                        G[3 * a] * T[0][b] + G[3 * a + 1] * T[1][b] + G[3 * a + 2] * T[2][b];
        }
}

static void stiffness(const lil_tets *d, const double *x, bool definite, double *values)
{
    for (int e = 0; e < d->count; e++) {
        lil_tet tet;
        double D[9], F[9], A[81], G[12];
        lil_tets_get(d, e, &tet);
        lil_tet_edges(&tet, x, D);
        lil_multiply3(D, tet.B, F);
        lil_material_tangent(&d->material, F, definite, A);
        lil_tet_gradients(tet.B, G);
        lil_tet_stiffness(G, A, tet.V, values + 144 * (size_t)e);
    }
}

static void second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    (void)work, (void)t, (void)v;
    stiffness(data, q, false, values);
}

static void second_definite(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    (void)work, (void)t, (void)v;
    stiffness(data, q, true, values);
}

/* ---- inversion ---- */

/* det(D + s d) is a cubic in s, with coefficients det D, cof D : d, D : cof d, det d. */
static double longest(const void *data, const double *q, const double *dq)
{
    const lil_tets *t = data;
    double s = 1;
    if (t->material.table->holds & LIL_MATERIAL_INVERTS)
        return s;
    for (int e = 0; e < t->count; e++) {
        lil_tet tet;
        double D[9], d[9], cofD[9], cofd[9], c1 = 0, c2 = 0;
        lil_tets_get(t, e, &tet);
        lil_tet_edges(&tet, q, D);
        lil_tet_edges(&tet, dq, d);
        lil_cofactor3(D, cofD);
        lil_cofactor3(d, cofd);
        for (int m = 0; m < 9; m++) {
            c1 += cofD[m] * d[m];
            c2 += D[m] * cofd[m];
        }
        s = fmin(s, lil_cubic_positive(lil_determinant3(D), c1, c2, lil_determinant3(d)));
    }
    return s;
}

static bool explain(const void *data, void *work, double t, const double *q, const double *v, char *sentence,
                    size_t size)
{
    const lil_tets *d = data;
    (void)work, (void)t, (void)v;
    for (int e = 0; e < d->count && !(d->material.table->holds & LIL_MATERIAL_INVERTS); e++) {
        lil_tet tet;
        double D[9], J;
        lil_tets_get(d, e, &tet);
        lil_tet_edges(&tet, q, D);
        J = lil_determinant3(D) / (6 * tet.V);
        if (J <= 0) {
            snprintf(sentence, size, "body '%.60s': tet %d is inverted (det F = %.3g)", d->body, e, J);
            return true;
        }
    }
    return false;
}

static const lil_term_table table = {
    .name = "tets",
    .doc = "elastic tetrahedra, W = sum V w(F)",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .begin = begin,
    .evaluate = evaluate,
    .second = second,
    .second_definite = second_definite,
    .longest = longest,
    .size = size,
    .least_volume = least_volume,
    .explain = explain,
};

lil_term lil_tets_term(lil_tets *tets)
{
    return (lil_term){ .table = &table, .data = tets, .uses_q = true };
}
