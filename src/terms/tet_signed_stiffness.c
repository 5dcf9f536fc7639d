/*
 * The derivative by the end of the step of the discrete gradient whose J has a sign (tet_discrete_gradient.h), as
 * tet_discrete_gradient_stiffness.c has the other one. With s = 2 w1, D = dC, G1 = cof F1, Q = Fm D + j Gm, N = |D|^2/2
 * + j^2, g the quotient (w1 - w0 - s tr D/2 - c j)/N, and H = u g_b' for a vertex b that moves by u,
 *
 *     dP = s/2 H + (c + g j)/2 Fm x H + g (H D/2 + Fm (F1'H + H'F1)) + Fm (ds:H) + Gm ((dc + g dj):H) + Q (dg:H)
 *
 *     ds = 2 w11 F1 + w1J G1,   dc = w1J F1 + wJJ/2 G1,   dj = G1 - cof(dF)/4
 *     dg = (P(F1) - s F1 - tr D/2 ds - c dj - j dc - 2 g (F1 D + j dj))/N
 *
 * where x is the product with F x F = 2 cof F, and df_a = V dP g_a. So each J_ab is a multiple of 1, one of Fm F1', the
 * edge opposite of Fm, and four products of vectors.
 */
#include "terms/tet_discrete_gradient.h"
#include "terms/tet_stiffness.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_tangent.h"

#include "terms/tet_stiffness_lanes.h"

enum { BATCH = 4 }; /* times eight tets */

/* Of N. In single precision the error of the quotients is 1e-7 over N; without them the error of J is of order |D|.
 * Below this N, where both errors are alike, the quotients are omitted: the error of J is half a percent at most. With
 * 1e-6 it was a tenth in single tets. That is too much for steps with contact: Newton's method stalled at 1e-7 of
 * |r|, and steps were halved for that reason alone. */
static const float QUOTIENT_LEAST = 1e-4f;

typedef struct ends_of {
    shape s0, s1, sm; /* sm: halfway, of which only the edges are used */
    lanes D[6], V;
} ends_of;

typedef struct batch {
    ends_of e[BATCH];
    lil_lanes F0[9 * HALVES * BATCH], F1[9 * HALVES * BATCH], J0[HALVES * BATCH], J1[HALVES * BATCH];
    lil_lanes w0[HALVES * BATCH], w1[HALVES * BATCH];
    lil_lanes_invariants x[HALVES * BATCH], x1[HALVES * BATCH];
    lil_lanes_derivatives d[HALVES * BATCH], d1[HALVES * BATCH];
} batch;

/* By vertex: J_ab = s_ab + m_ab X + [n_ab] + p_a S_b' + c_a C_b' + q_a E_b' + p_b (g F1 g_a)' */
typedef struct signed_element {
    lanes s[6], m[6], n[6][3], X[9];
    lanes p[4][3], c[4][3], q[4][3];          /* Fm g, Gm g, Q g */
    lanes S[4][3], C[4][3], E[4][3], f[4][3]; /* ds g, (dc + g dj) g, dg g, g F1 g */
} signed_element;

LIL_INLINE void load(const lil_stiffness_mix *mix, const lil_stiffness_block *block, const float *x0, const float *x1,
                     ends_of *e)
{
    lanes C0[6];
    load_edges(mix, block, x0, &e->s0);
    load_edges(mix, block, x1, &e->s1);
    load_rest(block, &e->s0);
    load_rest(block, &e->s1);
    load_rest(block, &e->sm);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            e->sm.d[a][i] = (e->s0.d[a][i] + e->s1.d[a][i]) / 2;
    set_gradient(&e->s0);
    set_gradient(&e->s1);
    set_gradient(&e->sm);
    square6(e->s0.F, C0);
    square6(e->s1.F, e->D);
    for (int k = 0; k < 6; k++)
        e->D[k] -= C0[k];
    e->V = *(const eight *)block->V;
}

LIL_INLINE void load_all(const lil_tet_stiffness *p, const lil_stiffness_block *blocks, int n, const float *x0,
                         const float *x1, batch *b)
{
    for (int i = 0; i < n; i++) {
        ends_of *e = &b->e[i];
        load(mix_of(p, &blocks[i]), &blocks[i], x0, x1, e);
        set_end(&e->s0, b->F0 + 9 * HALVES * i, b->J0 + HALVES * i);
        set_end(&e->s1, b->F1 + 9 * HALVES * i, b->J1 + HALVES * i);
        lanes I0 = first_invariant(&e->s0), I1 = first_invariant(&e->s1);
        for (int h = 0; h < HALVES; h++) {
            int k = HALVES * i + h;
            b->x1[k] = (lil_lanes_invariants){ .I1 = widen(I1, h), .J = b->J1[k] };
            b->x[k] =
                (lil_lanes_invariants){ .I1 = (widen(I0, h) + b->x1[k].I1) / 2, .J = (b->J0[k] + b->J1[k]) / 2 };
        }
    }
}

/* cof F g_a of the last three vertices, F of the shape with the edges d */
LIL_INLINE void set_cofactors(lanes d[3][3], lanes r, lanes c[4][3])
{
    for (int a = 0; a < 3; a++) {
        cross(d[(a + 1) % 3], d[(a + 2) % 3], c[a + 1]);
        for (int i = 0; i < 3; i++)
            c[a + 1][i] *= r;
    }
}

LIL_INLINE void set_scalars(const ends_of *from, const coefficients *w, lanes gamma, lanes j, signed_element *e)
{
    lanes gg[6];
    set_products(&from->s1, gg);
    set_opposite(&from->sm, (w->wJ + gamma * j) / 2 * from->s1.r, e->n);
    lanes Dg[4][3];
    for (int a = 0; a < 3; a++)
        times6(from->D, from->s1.g[a], Dg[a + 1]);
    set_first(Dg);
    for (int k = 0; k < 6; k++) {
        lanes first[3]; /* g_a */
        int a = ends[k][0], b = ends[k][1];
        for (int i = 0; i < 3; i++)
            first[i] = a ? from->s1.g[a - 1][i] : -(from->s1.g[0][i] + from->s1.g[1][i] + from->s1.g[2][i]);
        e->s[k] = w->w1 * gg[k] + gamma / 2 * dot(first, Dg[b]);
        e->m[k] = gamma * gg[k];
    }
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++)
            e->X[3 * i + l] = dot(from->sm.F[i], from->s1.F[l]);
}

LIL_INLINE void set_signed(ends_of *from, const coefficients *w, const coefficients *w_end, lanes dw,
                           signed_element *e)
{
    lanes dF[3][3], G1[4][3], Gd[4][3], j = all(0), half = (from->D[0] + from->D[3] + from->D[5]) / 2;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            dF[a][i] = from->s1.d[a][i] - from->s0.d[a][i];
    set_cofactors(from->sm.d, from->s1.r, e->c);
    set_cofactors(from->s1.d, from->s1.r, G1);
    set_cofactors(dF, from->s1.r, Gd);
    for (int a = 0; a < 3; a++)
        j += dot(e->c[a + 1], dF[a]);
    lanes N = dot6(from->D, from->D) / 2 + j * j, inverse = choose(N - QUOTIENT_LEAST, 1 / N, all(0));
    lanes gamma = (dw - 2 * w->w1 * half - w->wJ * j) * inverse;
    for (int a = 1; a < 4; a++) {
        const lanes *g = from->s1.g[a - 1];
        lanes Dg[3], u[3], v[3];
        times6(from->D, g, Dg);
        times(from->sm.F, g, e->p[a]);
        times(from->sm.F, Dg, e->q[a]);
        times(from->s1.F, g, u);
        times(from->s1.F, Dg, v);
        for (int i = 0; i < 3; i++) {
            lanes ds = 2 * w->w11 * u[i] + w->w1J * G1[a][i], dc = w->w1J * u[i] + w->wJJ / 2 * G1[a][i];
            lanes dj = G1[a][i] - Gd[a][i] / 4;
            lanes change = 2 * (w_end->w1 - w->w1) * u[i] + w_end->wJ * G1[a][i] - half * ds - w->wJ * dj - j * dc;
            e->q[a][i] += j * e->c[a][i];
            e->S[a][i] = ds;
            e->C[a][i] = dc + gamma * dj;
            e->E[a][i] = (change - 2 * gamma * (v[i] + j * dj)) * inverse;
            e->f[a][i] = gamma * u[i];
        }
    }
    lanes(*all_of[])[3] = { e->p, e->c, e->q, e->S, e->C, e->E, e->f };
    for (size_t k = 0; k < sizeof all_of / sizeof all_of[0]; k++)
        set_first(all_of[k]);
    set_scalars(from, w, gamma, j, e);
}

/* J_ab of edge m; the other way round [n] changes its sign */
LIL_INLINE void set_signed_block(const signed_element *e, int m, int a, int b, number sign, lanes k[9])
{
    const lanes *n = e->n[m];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++)
            k[3 * i + l] = e->m[m] * e->X[3 * i + l] + (e->p[a][i] * e->S[b][l] + e->c[a][i] * e->C[b][l]) +
                           (e->q[a][i] * e->E[b][l] + e->p[b][i] * e->f[a][l]);
    k[0] += e->s[m];
    k[4] += e->s[m];
    k[8] += e->s[m];
    k[1] += sign * n[2];
    k[3] -= sign * n[2];
    k[2] -= sign * n[1];
    k[6] += sign * n[1];
    k[5] += sign * n[0];
    k[7] -= sign * n[0];
}

LIL_KERNEL static void add_signed(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                  const float *x0, const float *x1, float *edges)
{
    const lil_material *m = &job->pairs->tets->material;
    batch b;
    load_all(job->pairs, blocks, n, x0, x1, &b);
    m->table->derive(&m->moduli, m->config, HALVES * n, b.x, b.d);
    m->table->derive(&m->moduli, m->config, HALVES * n, b.x1, b.d1);
    m->table->stress(&m->moduli, m->config, HALVES * n, b.F0, b.J0, b.w0, NULL);
    m->table->stress(&m->moduli, m->config, HALVES * n, b.F1, b.J1, b.w1, NULL);
    for (int i = 0; i < n; i++) {
        coefficients w, w_end;
        signed_element e;
        lil_lanes weight[HALVES], dw[HALVES];
        for (int h = 0; h < HALVES; h++) {
            weight[h] = job->weight * widen(b.e[i].V, h);
            dw[h] = weight[h] * (b.w1[HALVES * i + h] - b.w0[HALVES * i + h]);
        }
        set_coefficients(&b.d[HALVES * i], weight, 0, &w);
        set_coefficients(&b.d1[HALVES * i], weight, 0, &w_end);
        set_signed(&b.e[i], &w, &w_end, narrow(dw), &e);
        for (int k = 0; k < 6; k++) {
            lanes block[9];
            set_signed_block(&e, k, ends[k][0], ends[k][1], 1, block);
            scatter_two(block, blocks[i].edge[k], 0, edges);
            set_signed_block(&e, k, ends[k][1], ends[k][0], -1, block);
            scatter_two(block, blocks[i].edge[k], 1, edges);
        }
    }
}

LIL_KERNEL static void look_at(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q,
                               float *x)
{
    gather(p, chunk, q, x);
}

void lil_stiffness_chunk_signed(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges)
{
    const lil_tet_stiffness *p = job->pairs;
    const lil_stiffness_block *blocks = p->blocks + chunk->block;
    float x0[4 * LIL_STIFFNESS_VERTICES], x1[4 * LIL_STIFFNESS_VERTICES];
    lil_stiffness_job inner = *job;
    lil_stiffness_virtual collected;
    inner.weight *= p->length; /* V over the square of a length */
    look_at(p, chunk, job->q, x0);
    look_at(p, chunk, job->v, x1);
    memset(edges, 0, 18 * (size_t)(chunk->interior + chunk->shared) * sizeof *edges);
    for (int i = 0; i < chunk->blocks; i += BATCH) {
        int n = chunk->blocks - i < BATCH ? chunk->blocks - i : BATCH;
        float *to = lil_stiffness_begin(p, i, n, 18, collected, edges);
        add_signed(&inner, blocks + i, n, x0, x1, to);
        lil_stiffness_end(p, chunk, i, n, 18, to, edges);
    }
}
