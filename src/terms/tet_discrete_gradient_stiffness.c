/*
 * The derivative of the discrete gradient (tet_discrete_gradient.h) by the end of the step, as blocks over pairs of
 * vertices, in float. It is not symmetric: J_ab has Fm from the left and F1 from the right. With H = dC1 = F1'u g_b' +
 * g_b u'F1 for a vertex b that moves by u,
 *
 *     df_a = V (1/2 g_a.S g_b u + Fm dS g_a),
 *     dS = 2 sum_ij v_ij A_i (B_j:H) + v2 (tr H 1 - H) + gamma E x H,     gamma = vJ/(J0 + J1),  E = (C0 + 2 C1)/3
 *
 * where v_ij is the derivative of v_i by invariant j at the end (invariants.h), v_33 has -gamma added, A_1 = 1, A_2 =
 * I1 - Cm, A_3 is the mean of cof C over J0 + J1, B_1 = 1, B_2 = I1 - C1, B_3 = cof C1/(2 J1) are the derivatives of
 * the invariants at the end, and x is the product with C x C = 2 cof C.
 *
 * For E x H = EH + HE - tr E H - tr H E + (tr E tr H - E:H) 1, each J_ab is two matrices, Fm F1' and Fm E F1', and
 * five products of vectors, six with I2.
 */
#include "terms/tet_discrete_gradient.h"
#include "terms/tet_stiffness.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_tangent.h"

#include "terms/tet_stiffness_lanes.h"

enum { BATCH = 4 }; /* times eight tets */

typedef struct ends_of {
    shape s0, s1; /* s1 has the gradients */
    lanes C0[6], C1[6], J0, J1, V;
} ends_of;

/* of all tets of a batch, at both ends */
typedef struct invariants_of {
    lil_lanes_invariants x0[HALVES * BATCH], x1[HALVES * BATCH];
} invariants_of;

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

/* ---- the invariants at both ends ---- */

/* I2 only if it is needed */
LIL_INLINE void set_invariants_of_end(shape *s, bool second, lanes C[6], lanes *J, lil_lanes_invariants x[HALVES])
{
    square6(s->F, C);
    *J = determinant(s->F);
    lanes I1 = C[0] + C[3] + C[5], I2 = { 0 };
    if (second) {
        lanes G[6];
        cross6(C, C, G);
        I2 = (G[0] + G[3] + G[5]) / 2;
    }
    for (int h = 0; h < HALVES; h++)
        x[h] = (lil_lanes_invariants){ widen(I1, h), widen(I2, h), widen(*J, h) };
}

LIL_INLINE void load(const lil_tet_stiffness *p, const lil_stiffness_block *blocks, int n, bool second,
                     const float *x0, const float *x1, ends_of *all_ends, invariants_of *x)
{
    for (int i = 0; i < n; i++) {
        ends_of *e = &all_ends[i];
        load_edges(mix_of(p, &blocks[i]), &blocks[i], x0, &e->s0);
        load_edges(mix_of(p, &blocks[i]), &blocks[i], x1, &e->s1);
        load_rest(&blocks[i], &e->s0);
        load_rest(&blocks[i], &e->s1);
        set_gradient(&e->s0);
        set_gradient(&e->s1);
        e->V = *(const eight *)blocks[i].V;
        set_invariants_of_end(&e->s0, second, e->C0, &e->J0, x->x0 + HALVES * i);
        set_invariants_of_end(&e->s1, second, e->C1, &e->J1, x->x1 + HALVES * i);
    }
}

/* v and its derivatives times a tet's weight, in double until all factors are multiplied */
typedef struct coefficients_of {
    lanes v[3], dv[3][3];
} coefficients_of;

LIL_INLINE void weigh(const lil_lanes_difference d[HALVES], const lil_lanes weight[HALVES], bool second,
                      coefficients_of *w)
{
    lil_lanes v[3][HALVES], dv[HALVES];
    for (int h = 0; h < HALVES; h++) {
        v[0][h] = weight[h] * d[h].v1;
        v[1][h] = weight[h] * d[h].v2;
        v[2][h] = weight[h] * d[h].vJ;
    }
    for (int i = 0; i < 3; i++) {
        w->v[i] = narrow(v[i]);
        for (int j = 0; j < 3; j++) {
            if (!second && (i == 1 || j == 1))
                continue;
            for (int h = 0; h < HALVES; h++)
                dv[h] = weight[h] * d[h].dv[i][j];
            w->dv[i][j] = narrow(dv);
        }
    }
}

/* ---- a tet ---- */

/* J_ab = s_ab/2 + m_ab Fm F1' + n_ab Fm E F1' + p_a P_b' + k_a K_b' + e_a Q_b' + c_a R_b' + p_b U_a' + e_b W_a',
 * where Q = -2 W, and c and R are only with I2 */
typedef struct between {
    lanes s[6], m[6], n[6], X[9], Y[9];
    lanes p[4][3], k[4][3], e[4][3], c[4][3];
    lanes P[4][3], K[4][3], R[4][3], U[4][3], W[4][3];
} between;

/* The part of dS that belongs to the whole tet. */
typedef struct stress_of {
    lanes S[6], E[6], Cm[6], A3[6], B3[6], trace, I1, I11, gamma; /* I1 of Cm, I11 of C1 */
} stress_of;

LIL_INLINE void set_whole(const ends_of *e, const coefficients_of *w, bool second, stress_of *t)
{
    lanes G[6], D[6], DD[6], sum = e->J0 + e->J1;
    lanes iJ = choose(sum * sum, 1 / sum, all(0)), half = choose(e->J1 * e->J1, 1 / (4 * e->J1), all(0));
    for (int k = 0; k < 6; k++) {
        t->Cm[k] = (e->C0[k] + e->C1[k]) / 2;
        D[k] = e->C1[k] - e->C0[k];
        t->E[k] = t->Cm[k] + D[k] * (1.f / 6);
    }
    cross6(t->Cm, t->Cm, G);
    cross6(D, D, DD);
    cross6(e->C1, e->C1, t->B3);
    t->trace = t->E[0] + t->E[3] + t->E[5];
    t->I1 = t->Cm[0] + t->Cm[3] + t->Cm[5];
    t->I11 = e->C1[0] + e->C1[3] + e->C1[5];
    t->gamma = w->v[2] * iJ;
    for (int k = 0; k < 6; k++) {
        t->B3[k] *= half;
        t->A3[k] = iJ / 2 * (G[k] + DD[k] * (1.f / 12));
        t->S[k] = 2 * w->v[2] * t->A3[k];
        if (second)
            t->S[k] -= 2 * w->v[1] * t->Cm[k];
    }
    lanes one = 2 * w->v[0];
    if (second)
        one += 2 * w->v[1] * t->I1;
    t->S[0] += one;
    t->S[3] += one;
    t->S[5] += one;
}

/* x_a.y_b of the six edges, of vectors whose sum is zero, if the products are symmetric */
LIL_INLINE void set_pair_products(lanes x[4][3], lanes y[4][3], lanes z[6])
{
    for (int k = 0; k < 6; k++)
        z[k] = dot(x[ends[k][0]], y[ends[k][1]]);
}

/* P = F1 g, Pe = F1 E g, P3 = F1 B_3 g and, with I2, Pc = F1 C1 g */
LIL_INLINE void set_right(const stress_of *t, const coefficients_of *w, bool second, const lanes P[3],
                          const lanes Pe[3], const lanes P3[3], const lanes Pc[3], int a, between *e)
{
    lanes w33 = w->dv[2][2] - t->gamma, back = t->gamma * t->trace;
    for (int i = 0; i < 3; i++) {
        lanes R1 = 4 * (w->dv[0][0] * P[i] + w->dv[0][2] * P3[i]), R3 = 4 * (w->dv[2][0] * P[i] + w33 * P3[i]);
        e->P[a][i] = R1 + 2 * (back * P[i] - t->gamma * Pe[i]);
        e->K[a][i] = R3;
        e->U[a][i] = t->gamma * Pe[i] - back * P[i];
        e->W[a][i] = t->gamma * P[i];
        if (!second)
            continue;
        lanes P2 = t->I11 * P[i] - Pc[i];
        lanes R2 = 4 * (w->dv[1][0] * P[i] + w->dv[1][1] * P2 + w->dv[1][2] * P3[i]);
        e->P[a][i] += 4 * w->dv[0][1] * P2 + t->I1 * R2 + 2 * w->v[1] * P[i];
        e->K[a][i] += 4 * w->dv[2][1] * P2;
        e->R[a][i] = -R2;
        e->U[a][i] -= w->v[1] * P[i];
    }
}

LIL_INLINE void set_matrices(lanes Fm[3][3], lanes F1[3][3], const lanes E[6], between *e)
{
    for (int j = 0; j < 3; j++) {
        lanes Ef[3]; /* E times row j of F1 */
        times6(E, F1[j], Ef);
        for (int i = 0; i < 3; i++) {
            e->X[3 * i + j] = dot(Fm[i], F1[j]);
            e->Y[3 * i + j] = dot(Fm[i], Ef);
        }
    }
}

LIL_INLINE void set_discrete_gradient(ends_of *from, const stress_of *t, const coefficients_of *w, bool second,
                                      between *e)
{
    lanes Fm[3][3], g[4][3], Eg[4][3], Sg[4][3], gg[6], gEg[6];
    lanes(*F1)[3] = from->s1.F;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Fm[i][j] = (from->s0.F[i][j] + F1[i][j]) / 2;
    for (int a = 1; a < 4; a++) {
        lanes some[3], P[3], Pe[3], P3[3], Pc[3];
        memcpy(g[a], from->s1.g[a - 1], sizeof g[a]);
        times6(t->E, g[a], Eg[a]);
        times6(t->S, g[a], Sg[a]);
        times(Fm, g[a], e->p[a]);
        times(Fm, Eg[a], e->e[a]);
        times6(t->A3, g[a], some);
        times(Fm, some, e->k[a]);
        times(F1, g[a], P);
        times(F1, Eg[a], Pe);
        times6(t->B3, g[a], some);
        times(F1, some, P3);
        if (second) {
            times6(t->Cm, g[a], some);
            times(Fm, some, e->c[a]);
            times6(from->C1, g[a], some);
            times(F1, some, Pc);
        }
        set_right(t, w, second, P, Pe, P3, Pc, a, e);
    }
    lanes(*all_of[])[3] = { g, Eg, Sg, e->p, e->k, e->e, e->P, e->K, e->U, e->W, e->c, e->R };
    for (size_t k = 0; k < sizeof all_of / sizeof all_of[0] - (second ? 0 : 2); k++)
        set_first(all_of[k]);
    set_pair_products(g, g, gg);
    set_pair_products(g, Eg, gEg);
    set_pair_products(g, Sg, e->s);
    for (int k = 0; k < 6; k++) {
        e->s[k] /= 2;
        e->m[k] = t->gamma * (gEg[k] - t->trace * gg[k]);
        e->n[k] = t->gamma * gg[k];
        if (second)
            e->m[k] -= w->v[1] * gg[k];
    }
    set_matrices(Fm, F1, t->E, e);
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

LIL_INLINE void set_discrete_gradient_block(const between *e, int a, int b, bool second, const lanes common[9],
                                            lanes k[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            k[3 * i + j] = common[3 * i + j] + (e->p[a][i] * e->P[b][j] + e->k[a][i] * e->K[b][j]) +
                           (e->p[b][i] * e->U[a][j] + e->e[b][i] * e->W[a][j]) - 2 * (e->e[a][i] * e->W[b][j]);
            if (second)
                k[3 * i + j] += e->c[a][i] * e->R[b][j];
        }
}

LIL_INLINE void add_batch(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n, bool second,
                          const float *x0, const float *x1, float *edges)
{
    const lil_material *m = &job->pairs->tets->material;
    ends_of all_ends[BATCH];
    invariants_of x = { 0 }; /* or gcc 12 finds it uninitialised */
    lil_lanes_difference d[HALVES * BATCH];
    load(job->pairs, blocks, n, second, x0, x1, all_ends, &x);
    m->table->difference(&m->moduli, m->config, HALVES * n, x.x0, x.x1, true, d);
    for (int i = 0; i < n; i++) {
        coefficients_of w;
        stress_of whole;
        between e;
        lil_lanes weight[HALVES];
        for (int h = 0; h < HALVES; h++)
            weight[h] = job->weight * widen(all_ends[i].V, h);
        weigh(&d[HALVES * i], weight, second, &w);
        set_whole(&all_ends[i], &w, second, &whole);
        set_discrete_gradient(&all_ends[i], &whole, &w, second, &e);
        for (int k = 0; k < 6; k++) {
            lanes common[9], block[9];
            set_common(&e, k, common);
            for (int end = 0; end < 2; end++) {
                set_discrete_gradient_block(&e, ends[k][end], ends[k][1 - end], second, common, block);
                scatter_two(block, blocks[i].edge[k], end, edges);
            }
        }
    }
}

LIL_KERNEL static void add_discrete_gradient(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                             const float *x0, const float *x1, float *edges)
{
    add_batch(job, blocks, n, false, x0, x1, edges);
}

LIL_KERNEL static void add_with_second(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                       const float *x0, const float *x1, float *edges)
{
    add_batch(job, blocks, n, true, x0, x1, edges);
}

LIL_KERNEL static void look_at(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q,
                               float *x)
{
    gather(p, chunk, q, x);
}

/* A material without invariants: half of its stiffness at the middle, which is J up to the order of the step. */
static void add_halfway(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges)
{
    float one[9 * LIL_STIFFNESS_QUADRATIC_EDGES];
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
    lil_stiffness_virtual collected;
    if (lil_tets_have_sign(table)) {
        lil_stiffness_chunk_signed(job, chunk, edges);
        return;
    }
    if (!table->difference) {
        add_halfway(job, chunk, edges);
        return;
    }
    inner.weight *= p->length; /* V over the square of a length */
    look_at(p, chunk, job->q, x0);
    look_at(p, chunk, job->v, x1);
    memset(edges, 0, 18 * (size_t)(chunk->interior + chunk->shared) * sizeof *edges);
    for (int i = 0; i < chunk->blocks; i += BATCH) {
        int n = chunk->blocks - i < BATCH ? chunk->blocks - i : BATCH;
        float *to = lil_stiffness_begin(p, i, n, 18, collected, edges);
        (table->uses & LIL_USES_I2 ? add_with_second : add_discrete_gradient)(&inner, blocks + i, n, x0, x1, to);
        lil_stiffness_end(p, chunk, i, n, 18, to, edges);
    }
}
