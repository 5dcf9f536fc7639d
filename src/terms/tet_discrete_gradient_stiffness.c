/*
 * The derivative of the discrete gradient (tet_discrete_gradient.h) by the end of the step, as blocks over pairs of
 * vertices, in float. It is not symmetric: J_ab has Fm from the left and F1 from the right. With H = dC = F1'u g_b' +
 * g_b u'F1 for a vertex b that moves by u,
 *
 *     df_a = V (1/2 g_a.S g_b u + Fm dS g_a),     dS = sum_ij w_ij A_i (A_j:H) + (beta - w2) H + wJ/(2J) C x H + D (E:H)
 *
 * where D = C1 - C0, all of w is taken at C = Cm, A_1 = 1, A_2 = I1 - C, A_3 = cof C/(2J) are the derivatives of I1,
 * I2 and J, w_11 has w2 and w_33 has -wJ/J added, x is the product with C x C = 2 cof C, and, S1 being 2 w_C(C1),
 *
 *     S = S0 + beta D,   beta = (2 dw - S0:D)/|D|^2,   E = dbeta/dC1 = (S1 - S0 - dS0(D) - 2 beta D)/|D|^2.
 *
 * For C x H = CH + HC - tr C H - tr H C + (tr C tr H - C:H) 1 and the like, each J_ab is two matrices, Fm F1' and Fm
 * C F1', and six products of vectors.
 */
#include "terms/tet_discrete_gradient.h"
#include "terms/tet_stiffness.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_tangent.h"

#include "terms/tet_stiffness_lanes.h"

enum { BATCH = 4 }; /* times eight tets */

/* In single precision the error of the quotients is 1e-7 over |D|^2; without them the error of J is of order |D|.
 * Below this |D|^2, where both errors are alike, the quotients are omitted: the error of J is half a percent at
 * most. With 1e-6 it was a tenth in single tets. That is too much for steps with contact: Newton's method stalled
 * at 1e-7 of |r|, and steps were halved for that reason alone. */
static const float QUOTIENT_LEAST = 1e-4f;

/* det C of a tet that is flat may be negative by round-off, which only materials that do not use J allow. */
static const float FLAT = 1e-20f;

typedef struct ends_of {
    shape s0, s1; /* s1 has the gradients */
    lanes C[6], V;
} ends_of;

typedef struct batch {
    ends_of e[BATCH];
    lil_lanes F0[9 * HALVES * BATCH], F1[9 * HALVES * BATCH], J0[HALVES * BATCH], J1[HALVES * BATCH];
    lil_lanes w0[HALVES * BATCH], w1[HALVES * BATCH];
    lil_lanes_invariants x[HALVES * BATCH], x1[HALVES * BATCH];
    lil_lanes_derivatives d[HALVES * BATCH], d1[HALVES * BATCH];
} batch;

/* A x B */
LIL_INLINE void cross6(const lanes A[6], const lanes B[6], lanes G[6])
{
    G[0] = A[3] * B[5] + A[5] * B[3] - 2 * A[4] * B[4];
    G[1] = A[2] * B[4] + A[4] * B[2] - A[1] * B[5] - A[5] * B[1];
    G[2] = A[1] * B[4] + A[4] * B[1] - A[2] * B[3] - A[3] * B[2];
    G[3] = A[0] * B[5] + A[5] * B[0] - 2 * A[2] * B[2];
    G[4] = A[1] * B[2] + A[2] * B[1] - A[0] * B[4] - A[4] * B[0];
    G[5] = A[0] * B[3] + A[3] * B[0] - 2 * A[1] * B[1];
}

/* ---- the material at both ends and at Cm ---- */

/* the invariants of C */
LIL_INLINE void set_strain(const lanes C[6], lil_lanes_invariants *x)
{
    lanes G[6], I1 = C[0] + C[3] + C[5];
    cross6(C, C, G);
    lanes I2 = (G[0] + G[3] + G[5]) / 2, I3 = (C[0] * G[0] + C[1] * G[1] + C[2] * G[2]) / 2;
    I3 = choose(I3 - FLAT, I3, all(FLAT));
    for (int h = 0; h < HALVES; h++)
        x[h] = (lil_lanes_invariants){ widen(I1, h), widen(I2, h), lil_lanes_sqrt(widen(I3, h)) };
}

LIL_INLINE void load(const lil_stiffness_block *blocks, int n, const float *x0, const float *x1, batch *b)
{
    for (int i = 0; i < n; i++) {
        ends_of *e = &b->e[i];
        lanes C1[6];
        load_edges(&blocks[i], x0, &e->s0);
        load_edges(&blocks[i], x1, &e->s1);
        load_rest(&blocks[i], &e->s0);
        load_rest(&blocks[i], &e->s1);
        set_gradient(&e->s0);
        set_gradient(&e->s1);
        e->V = *(const eight *)blocks[i].V;
        square6(e->s0.F, e->C);
        square6(e->s1.F, C1);
        set_strain(C1, &b->x1[HALVES * i]);
        for (int k = 0; k < 6; k++)
            e->C[k] = (e->C[k] + C1[k]) / 2;
        set_strain(e->C, &b->x[HALVES * i]);
        set_end(&e->s0, b->F0 + 9 * HALVES * i, b->J0 + HALVES * i);
        set_end(&e->s1, b->F1 + 9 * HALVES * i, b->J1 + HALVES * i);
    }
}

/* ---- a tet ---- */

/* J_ab = s_ab/2 + m_ab Fm F1' + n_ab Fm C F1' + p_a P_b' + c_a Q_b' + k_a R_b' + p_b U_a' + c_b W_a' + t_a T_b' */
typedef struct between {
    lanes s[6], m[6], n[6], X[9], Y[9];
    lanes p[4][3], c[4][3], k[4][3], t[4][3];
    lanes P[4][3], Q[4][3], R[4][3], T[4][3], U[4][3], W[4][3];
} between;

/* The part of dS that belongs to the whole tet. */
typedef struct stress_of {
    lanes S[6], D[6], A3[6], E[6], I1, beta, gamma;
    lanes w11, w12, w13, w22, w23, w33, w2;
} stress_of;

/* 2 w1 + 2 w2 (I1 - C) + 2 wJ A3 */
LIL_INLINE void set_stress(const coefficients *w, const lanes C[6], const lanes A3[6], lanes S[6])
{
    lanes one = 2 * (w->w1 + w->w2 * (C[0] + C[3] + C[5]));
    for (int k = 0; k < 6; k++)
        S[k] = 2 * (w->wJ * A3[k] - w->w2 * C[k]);
    S[0] += one;
    S[3] += one;
    S[5] += one;
}

LIL_INLINE lanes narrow_J(const lil_lanes_invariants x[HALVES])
{
    lil_lanes J[HALVES];
    for (int h = 0; h < HALVES; h++)
        J[h] = x[h].J;
    return narrow(J);
}

/* cof C/(2J) */
LIL_INLINE void set_A3(const lanes C[6], lanes J, lanes A3[6])
{
    lanes quarter = 1 / (4 * J);
    cross6(C, C, A3);
    for (int k = 0; k < 6; k++)
        A3[k] *= quarter;
}

LIL_INLINE void set_whole(ends_of *e, const coefficients *w, const coefficients *w_end, lanes dw, lanes J, lanes J1,
                          stress_of *t)
{
    const lanes *C = e->C;
    lanes C1[6], A31[6], S1[6], CD[6], iJ = 1 / J;
    square6(e->s1.F, C1);
    set_A3(C, J, t->A3);
    set_A3(C1, J1, A31);
    set_stress(w, C, t->A3, t->S);
    set_stress(w_end, C1, A31, S1);
    t->I1 = C[0] + C[3] + C[5];
    t->gamma = w->wJ * iJ / 2;
    t->w2 = w->w2;
    t->w11 = w->w11 + w->w2;
    t->w12 = w->w12;
    t->w13 = w->w1J;
    t->w22 = w->w22;
    t->w23 = w->w2J;
    t->w33 = w->wJJ - w->wJ * iJ;
    for (int k = 0; k < 6; k++)
        t->D[k] = 2 * (C1[k] - C[k]);
    lanes square = dot6(t->D, t->D);
    lanes inverse = choose(square - QUOTIENT_LEAST, 1 / square, all(0));
    t->beta = (2 * dw - dot6(t->S, t->D)) * inverse;
    /* dS0(D) */
    lanes a1 = t->D[0] + t->D[3] + t->D[5], a2 = t->I1 * a1 - dot6(C, t->D), a3 = dot6(t->A3, t->D);
    lanes b1 = t->w11 * a1 + t->w12 * a2 + t->w13 * a3, b2 = t->w12 * a1 + t->w22 * a2 + t->w23 * a3;
    lanes b3 = t->w13 * a1 + t->w23 * a2 + t->w33 * a3;
    cross6(C, t->D, CD);
    for (int k = 0; k < 6; k++) {
        lanes dS = b3 * t->A3[k] - b2 * C[k] - t->w2 * t->D[k] + t->gamma * CD[k];
        if (k == 0 || k == 3 || k == 5)
            dS += b1 + b2 * t->I1;
        t->E[k] = (S1[k] - t->S[k] - dS - 2 * t->beta * t->D[k]) * inverse;
    }
    for (int k = 0; k < 6; k++)
        t->S[k] += t->beta * t->D[k];
}

/* x_a.y_b of the six edges, of vectors whose sum is zero, if the products are symmetric */
LIL_INLINE void set_pair_products(lanes x[4][3], lanes y[4][3], lanes z[6])
{
    for (int k = 0; k < 6; k++)
        z[k] = dot(x[ends[k][0]], y[ends[k][1]]);
}

LIL_INLINE void set_right(const stress_of *t, const lanes P[3], const lanes Pc[3], const lanes P3[3], int a,
                          between *e)
{
    for (int i = 0; i < 3; i++) {
        lanes P2 = t->I1 * P[i] - Pc[i], Q2 = 2 * (t->w12 * P[i] + t->w22 * P2 + t->w23 * P3[i]);
        e->P[a][i] = 2 * (t->w11 * P[i] + t->w12 * P2 + t->w13 * P3[i] + t->gamma * P2) + t->I1 * Q2;
        e->Q[a][i] = -2 * t->gamma * P[i] - Q2;
        e->R[a][i] = 2 * (t->w13 * P[i] + t->w23 * P2 + t->w33 * P3[i]);
        e->U[a][i] = (t->beta - t->w2 - t->gamma * t->I1) * P[i] + t->gamma * Pc[i];
        e->W[a][i] = t->gamma * P[i];
    }
}

LIL_INLINE void set_matrices(lanes Fm[3][3], lanes F1[3][3], const lanes C[6], between *e)
{
    for (int j = 0; j < 3; j++) {
        lanes Cf[3]; /* C times row j of F1 */
        times6(C, F1[j], Cf);
        for (int i = 0; i < 3; i++) {
            e->X[3 * i + j] = dot(Fm[i], F1[j]);
            e->Y[3 * i + j] = dot(Fm[i], Cf);
        }
    }
}

LIL_INLINE void set_discrete_gradient(ends_of *from, const stress_of *t, between *e)
{
    lanes Fm[3][3], g[4][3], Cg[4][3], Sg[4][3], gg[6], gCg[6];
    lanes(*F1)[3] = from->s1.F;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Fm[i][j] = (from->s0.F[i][j] + F1[i][j]) / 2;
    for (int a = 1; a < 4; a++) {
        lanes A3g[3], Dg[3], Eg[3], P[3], Pc[3], P3[3];
        memcpy(g[a], from->s1.g[a - 1], sizeof g[a]);
        times6(from->C, g[a], Cg[a]);
        times6(t->S, g[a], Sg[a]);
        times6(t->A3, g[a], A3g);
        times6(t->D, g[a], Dg);
        times6(t->E, g[a], Eg);
        times(Fm, g[a], e->p[a]);
        times(Fm, Cg[a], e->c[a]);
        times(Fm, A3g, e->k[a]);
        times(Fm, Dg, e->t[a]);
        times(F1, g[a], P);
        times(F1, Cg[a], Pc);
        times(F1, A3g, P3);
        times(F1, Eg, e->T[a]);
        for (int i = 0; i < 3; i++)
            e->T[a][i] *= 2;
        set_right(t, P, Pc, P3, a, e);
    }
    lanes(*all_of[])[3] = { g, Cg, Sg, e->p, e->c, e->k, e->t, e->P, e->Q, e->R, e->T, e->U, e->W };
    for (size_t k = 0; k < sizeof all_of / sizeof all_of[0]; k++)
        set_first(all_of[k]);
    set_pair_products(g, g, gg);
    set_pair_products(g, Cg, gCg);
    set_pair_products(g, Sg, e->s);
    for (int k = 0; k < 6; k++) {
        e->s[k] /= 2;
        e->m[k] = (t->beta - t->w2 - t->gamma * t->I1) * gg[k] + t->gamma * gCg[k];
        e->n[k] = t->gamma * gg[k];
    }
    set_matrices(Fm, F1, from->C, e);
}

/* the part common to J_ab and J_ba */
LIL_INLINE void set_common(const between *e, int m, lanes k[9])
{
    for (int i = 0; i < 9; i++)
        k[i] = e->m[m] * e->X[i] + e->n[m] * e->Y[i];
    k[0] += e->s[m];
    k[4] += e->s[m];
    k[8] += e->s[m];
}

LIL_INLINE void set_discrete_gradient_block(const between *e, int a, int b, const lanes common[9], lanes k[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = common[3 * i + j] + (e->p[a][i] * e->P[b][j] + e->c[a][i] * e->Q[b][j]) +
                           (e->k[a][i] * e->R[b][j] + e->t[a][i] * e->T[b][j]) +
                           (e->p[b][i] * e->U[a][j] + e->c[b][i] * e->W[a][j]);
}

LIL_KERNEL static void add_discrete_gradient(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                             const float *x0, const float *x1, float *edges)
{
    const lil_material *m = &job->pairs->tets->material;
    unsigned uses = m->table->uses;
    batch b;
    load(blocks, n, x0, x1, &b);
    m->table->derive(&m->moduli, m->config, HALVES * n, b.x, b.d);
    m->table->derive(&m->moduli, m->config, HALVES * n, b.x1, b.d1);
    m->table->stress(&m->moduli, m->config, HALVES * n, b.F0, b.J0, b.w0, NULL);
    m->table->stress(&m->moduli, m->config, HALVES * n, b.F1, b.J1, b.w1, NULL);
    for (int i = 0; i < n; i++) {
        coefficients w, w_end;
        stress_of whole;
        between e;
        lil_lanes weight[HALVES], dw[HALVES];
        for (int h = 0; h < HALVES; h++) {
            weight[h] = job->weight * widen(b.e[i].V, h);
            dw[h] = weight[h] * (b.w1[HALVES * i + h] - b.w0[HALVES * i + h]);
        }
        set_coefficients(&b.d[HALVES * i], weight, uses, &w);
        set_coefficients(&b.d1[HALVES * i], weight, uses, &w_end);
        set_whole(&b.e[i], &w, &w_end, narrow(dw), narrow_J(&b.x[HALVES * i]), narrow_J(&b.x1[HALVES * i]), &whole);
        set_discrete_gradient(&b.e[i], &whole, &e);
        for (int k = 0; k < 6; k++) {
            lanes common[9], block[9];
            set_common(&e, k, common);
            for (int end = 0; end < 2; end++) {
                set_discrete_gradient_block(&e, ends[k][end], ends[k][1 - end], common, block);
                scatter_two(block, blocks[i].edge[k], end, edges);
            }
        }
    }
}

LIL_KERNEL static void look_at(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q,
                               float *x)
{
    gather(p, chunk, q, x);
}

/* A material without invariants: half of its stiffness at the middle, which is J up to the order of the step. */
static void add_halfway(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges)
{
    float one[9 * LIL_STIFFNESS_EDGES];
    lil_stiffness_job half = *job;
    half.weight /= 2;
    lil_stiffness_chunk_middle(&half, chunk, one);
    for (int k = 0; k < chunk->interior + chunk->shared; k++)
        for (int i = 0; i < 9; i++) {
            edges[18 * k + i] = one[9 * k + i];
            edges[18 * k + 9 + 3 * (i % 3) + i / 3] = one[9 * k + i];
        }
}

void lil_stiffness_chunk_discrete_gradient(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk,
                                           float *edges)
{
    const lil_tet_stiffness *p = job->pairs;
    const lil_material_table *table = p->tets->material.table;
    const lil_stiffness_block *blocks = p->blocks + chunk->block;
    float x0[4 * LIL_STIFFNESS_VERTICES], x1[4 * LIL_STIFFNESS_VERTICES];
    lil_stiffness_job inner = *job;
    if (!table->derive || table->uses & LIL_USES_T) {
        add_halfway(job, chunk, edges);
        return;
    }
    if (lil_tets_have_sign(table)) {
        lil_stiffness_chunk_signed(job, chunk, edges);
        return;
    }
    inner.weight *= p->length; /* V over the square of a length */
    look_at(p, chunk, job->q, x0);
    look_at(p, chunk, job->v, x1);
    memset(edges, 0, 18 * (size_t)(chunk->interior + chunk->shared) * sizeof *edges);
    for (int i = 0; i < chunk->blocks; i += BATCH)
        add_discrete_gradient(&inner, blocks + i, chunk->blocks - i < BATCH ? chunk->blocks - i : BATCH, x0, x1,
                              edges);
}
