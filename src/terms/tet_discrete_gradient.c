#include "terms/tet_discrete_gradient.h"

#include "core/threads.h"
#include "materials/invariants.h"

#include <math.h>
#include <string.h>

/* The quotient has third order in |dC| over second order, and w1 - w0 is accurate to some eps of the moduli. Below
 * this |dC|^2 its contribution to the energy, |dC|^3/24 or 1e-15, is round-off, and so is its contribution to S,
 * eps/|dC|. */
static const double QUOTIENT_LEAST = 1e-9;

enum { BATCH = 8 }; /* times four tets */

/* How w_C is computed. */
typedef enum way {
    INVARIANTS, /* of the difference of w by those of I1, I2, J */
    SIGNED,     /* from the material's derivatives by I1 and a J with a sign */
    TRIANGLE,   /* from P(U), U'U = C */
    LINEAR,     /* not needed: P(Fm) is used */
} way;

/* The data of a batch of blocks between its phases. */
typedef struct batch {
    lil_lanes F0[9 * BATCH], F1[9 * BATCH], J0[BATCH], J1[BATCH], w0[BATCH], w1[BATCH];
    lil_lanes C[6 * BATCH], dC[6 * BATCH];          /* Cm and C1 - C0: 00 01 02 11 12 22 */
    lil_lanes_invariants x0[BATCH], x1[BATCH];      /* the invariants of C0 and C1, */
    lil_lanes_difference v[BATCH];                  /* and w's difference by theirs; */
    lil_lanes_invariants x[BATCH];                  /* or I1 and J halfway, */
    lil_lanes_derivatives d[BATCH];                 /* and w's derivatives by them; */
    lil_lanes U[9 * BATCH], J[BATCH], P[9 * BATCH]; /* or its triangle (or Fm), det U, P(U) */
} batch;

typedef struct chunk_sums {
    lil_lanes x0[LIL_CHUNK_SLOTS], x1[LIL_CHUNK_SLOTS], f[LIL_CHUNK_SLOTS], least, noise;
} chunk_sums;

/* ---- 3x3 and symmetric: 00 01 02 11 12 22 ---- */

LIL_INLINE lil_lanes dot6(const lil_lanes A[6], const lil_lanes B[6])
{
    return (A[0] * B[0] + A[3] * B[3] + A[5] * B[5]) + 2 * (A[1] * B[1] + A[2] * B[2] + A[4] * B[4]);
}

LIL_INLINE void cofactor6(const lil_lanes C[6], lil_lanes G[6])
{
    G[0] = C[3] * C[5] - C[4] * C[4];
    G[1] = C[2] * C[4] - C[1] * C[5];
    G[2] = C[1] * C[4] - C[2] * C[3];
    G[3] = C[0] * C[5] - C[2] * C[2];
    G[4] = C[1] * C[2] - C[0] * C[4];
    G[5] = C[0] * C[3] - C[1] * C[1];
}

/* F'F */
LIL_INLINE void square6(const lil_lanes F[9], lil_lanes C[6])
{
    int k = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            C[k++] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
}

/* F S */
LIL_INLINE void times_symmetric(const lil_lanes F[9], const lil_lanes S[6], lil_lanes FS[9])
{
    for (int r = 0; r < 9; r += 3) {
        FS[r] = F[r] * S[0] + F[r + 1] * S[1] + F[r + 2] * S[2];
        FS[r + 1] = F[r] * S[1] + F[r + 1] * S[3] + F[r + 2] * S[4];
        FS[r + 2] = F[r] * S[2] + F[r + 1] * S[4] + F[r + 2] * S[5];
    }
}

/* U'U = C, U an upper triangle; det U */
LIL_INLINE void cholesky(const lil_lanes C[6], lil_lanes U[9], lil_lanes *J)
{
    U[0] = lil_lanes_sqrt(C[0]);
    U[1] = C[1] / U[0];
    U[2] = C[2] / U[0];
    U[4] = lil_lanes_sqrt(C[3] - U[1] * U[1]);
    U[5] = (C[4] - U[1] * U[2]) / U[4];
    U[8] = lil_lanes_sqrt(C[5] - U[2] * U[2] - U[5] * U[5]);
    U[3] = U[6] = U[7] = lil_lanes_all(0);
    *J = U[0] * U[4] * U[8];
}

/* ---- S0 = 2 w_C(Cm) ---- */

/* U^-1 P(U) */
LIL_INLINE void stress_of_triangle(const lil_lanes U[9], const lil_lanes P[9], lil_lanes S[6])
{
    S[2] = P[6] / U[8];
    S[4] = P[7] / U[8];
    S[5] = P[8] / U[8];
    S[1] = (P[3] - U[5] * S[2]) / U[4];
    S[3] = (P[4] - U[5] * S[4]) / U[4];
    S[0] = (P[0] - U[1] * S[1] - U[2] * S[2]) / U[0];
}

/* 2 v1 1 + 2 v2 (I1 1 - C) + 2 vJ/J (cof C + cof dC/12), J the sum of both: the last is the mean of cof C on the way,
 * which gives the difference of det C. Only a material without J may have J = 0. */
LIL_INLINE void stress_of_invariants(const lil_lanes C[6], const lil_lanes dC[6], lil_lanes J,
                                     const lil_lanes_difference *v, bool second, lil_lanes S[6])
{
    lil_lanes G[6], dG[6], one = 2 * v->v1, cof = lil_lanes_select(J == 0, lil_lanes_all(0), 2 * v->vJ / J);
    cofactor6(C, G);
    cofactor6(dC, dG);
    for (int k = 0; k < 6; k++)
        S[k] = cof * (G[k] + dG[k] * (1. / 12));
    if (second) {
        one += 2 * v->v2 * (C[0] + C[3] + C[5]);
        for (int k = 0; k < 6; k++)
            S[k] -= 2 * v->v2 * C[k];
    }
    S[0] += one;
    S[3] += one;
    S[5] += one;
}

/* ---- phases ---- */

/* I2 only if it is needed */
LIL_INLINE lil_lanes_invariants invariants6(const lil_lanes C[6], lil_lanes J, bool second)
{
    lil_lanes I2 = { 0 };
    if (second)
        I2 = (C[0] * C[3] - C[1] * C[1]) + (C[0] * C[5] - C[2] * C[2]) + (C[3] * C[5] - C[4] * C[4]);
    return (lil_lanes_invariants){ .I1 = C[0] + C[3] + C[5], .I2 = I2, .J = J };
}

LIL_INLINE void set_place(batch *b, int i, bool second, way w)
{
    const lil_lanes *F0 = b->F0 + 9 * i, *F1 = b->F1 + 9 * i;
    lil_lanes *C = b->C + 6 * i, C0[6], C1[6];
    if (w == LINEAR) {
        for (int k = 0; k < 9; k++)
            b->U[9 * i + k] = (F0[k] + F1[k]) / 2;
        b->J[i] = lil_lanes_all(1); /* which a linear material does not use */
        return;
    }
    b->J0[i] = lil_lanes_determinant(F0);
    b->J1[i] = lil_lanes_determinant(F1);
    square6(F0, C0);
    square6(F1, C1);
    for (int k = 0; k < 6; k++) {
        C[k] = (C0[k] + C1[k]) / 2;
        b->dC[6 * i + k] = C1[k] - C0[k];
    }
    if (w == TRIANGLE) {
        cholesky(C, b->U + 9 * i, &b->J[i]);
        return;
    }
    if (w == SIGNED) {
        b->x[i] = (lil_lanes_invariants){ .I1 = C[0] + C[3] + C[5], .J = (b->J0[i] + b->J1[i]) / 2 };
        return;
    }
    b->x0[i] = invariants6(C0, b->J0[i], second);
    b->x1[i] = invariants6(C1, b->J1[i], second);
}

LIL_INLINE void ask_material(const lil_material *m, batch *b, int count, way w)
{
    if (w == INVARIANTS) {
        m->table->difference(&m->moduli, m->config, count, b->x0, b->x1, false, b->v);
        return;
    }
    if (w == SIGNED)
        m->table->derive(&m->moduli, m->config, count, b->x, b->d);
    else
        m->table->stress(&m->moduli, m->config, count, b->U, b->J, NULL, b->P);
    if (w == LINEAR)
        return;
    m->table->stress(&m->moduli, m->config, count, b->F0, b->J0, b->w0, NULL);
    m->table->stress(&m->moduli, m->config, count, b->F1, b->J1, b->w1, NULL);
}

/* Of w(I1, J): S is 2 w1 1. Returns 1/(|dC|^2/2 + j^2), or 0 where the quotient is omitted. */
LIL_INLINE lil_lanes set_signed_stress(batch *b, int i)
{
    const lil_lanes *F0 = b->F0 + 9 * i, *F1 = b->F1 + 9 * i, *D = b->dC + 6 * i;
    lil_lanes Fm[9], Gm[9], dF[9], FmD[9], *P = b->P + 9 * i, s = 2 * b->d[i].w1, c = b->d[i].wJ;
    for (int k = 0; k < 9; k++) {
        Fm[k] = (F0[k] + F1[k]) / 2;
        dF[k] = F1[k] - F0[k];
    }
    lil_lanes_cofactor(Fm, Gm);
    times_symmetric(Fm, D, FmD);
    lil_lanes j = lil_lanes_dot9(Gm, dF), square = dot6(D, D) / 2 + j * j;
    lil_lanes inverse = lil_lanes_select(square > QUOTIENT_LEAST, 1 / square, lil_lanes_all(0));
    lil_lanes gamma = (b->w1[i] - b->w0[i] - s * (D[0] + D[3] + D[5]) / 2 - c * j) * inverse;
    c += gamma * j;
    for (int k = 0; k < 9; k++)
        P[k] = s * Fm[k] + c * Gm[k] + gamma * FmD[k];
    return inverse;
}

/* S += beta dC; returns 1/|dC|^2, or 0 where the quotient is omitted. */
LIL_INLINE lil_lanes add_quotient(const batch *b, int i, lil_lanes S[6])
{
    const lil_lanes *dC = b->dC + 6 * i;
    lil_lanes square = dot6(dC, dC);
    lil_lanes inverse = lil_lanes_select(square > QUOTIENT_LEAST, 1 / square, lil_lanes_all(0));
    lil_lanes beta = (2 * (b->w1[i] - b->w0[i]) - dot6(S, dC)) * inverse;
    for (int k = 0; k < 6; k++)
        S[k] += beta * dC[k];
    return inverse;
}

/* P = Fm S; returns 1/|dC|^2 of a quotient, or 0. */
LIL_INLINE lil_lanes set_stress(batch *b, int i, bool second, way w)
{
    const lil_lanes *F0 = b->F0 + 9 * i, *F1 = b->F1 + 9 * i;
    lil_lanes Fm[9], S[6], *P = b->P + 9 * i, inverse = { 0 };
    for (int k = 0; k < 9; k++)
        Fm[k] = (F0[k] + F1[k]) / 2;
    if (w == INVARIANTS) {
        stress_of_invariants(b->C + 6 * i, b->dC + 6 * i, b->J0[i] + b->J1[i], &b->v[i], second, S);
    } else {
        stress_of_triangle(b->U + 9 * i, P, S);
        inverse = add_quotient(b, i, S);
    }
    times_symmetric(Fm, S, P);
    return inverse;
}

LIL_INLINE lil_lanes squares(int n, const lil_lanes *x)
{
    lil_lanes sum = { 0 };
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sum;
}

/* As in tets.c: F, the material, forces, of the chunk's blocks from `first` on, triangular or not. */
LIL_INLINE void add_batch(const lil_tet_discrete_gradient *job, const lil_tet_chunk *chunk, int first, int count,
                          bool triangular, way w, chunk_sums *s)
{
    int at = chunk->block + first;
    const lil_material *m = &job->tets->material;
    const lil_tet_block *block = job->tets->chunks.blocks + at;
    const lil_triangular_block *turn = triangular ? job->tets->triangular + at : NULL;
    bool second = m->table->uses & LIL_USES_I2, everywhere = lil_tets_step_inverted(m->table);
    batch b;
    for (int i = 0; i < count; i++) {
        lil_lanes D0[9], D1[9];
        lil_slot_edges(lil_chunk_mix(chunk, first + i), triangular ? turn[i].slot : block[i].slot, s->x0, D0);
        lil_slot_edges(lil_chunk_mix(chunk, first + i), triangular ? turn[i].slot : block[i].slot, s->x1, D1);
        if (triangular) {
            lil_triangular_multiply(D0, turn[i].B, b.F0 + 9 * i);
            lil_triangular_multiply(D1, turn[i].B, b.F1 + 9 * i);
        } else {
            lil_block_multiply(D0, block[i].B, b.F0 + 9 * i);
            lil_block_multiply(D1, block[i].B, b.F1 + 9 * i);
        }
        set_place(&b, i, second, w);
    }
    ask_material(m, &b, count, w);
    for (int i = 0; i < count; i++) {
        lil_lanes V = triangular ? turn[i].V : block[i].V;
        if (w != LINEAR) {
            lil_lanes inverse = w == SIGNED ? set_signed_stress(&b, i) : set_stress(&b, i, second, w);
            if (w != INVARIANTS)
                s->noise += V * V * inverse * (triangular ? squares(6, turn[i].B) : squares(9, block[i].B));
            if (!everywhere) {
                s->least = lil_lanes_select(b.J1[i] < s->least, b.J1[i], s->least);
                V = lil_lanes_select((b.J0[i] > 0) & (b.J1[i] > 0), V, lil_lanes_all(NAN));
            }
        }
        if (triangular)
            lil_triangular_forces(lil_chunk_mix(chunk, first + i), &turn[i], V, b.P + 9 * i, s->f);
        else
            lil_block_forces(lil_chunk_mix(chunk, first + i), &block[i], V, b.P + 9 * i, block[i].B, s->f);
    }
}

LIL_INLINE void add_chunk(const lil_tet_discrete_gradient *job, int k, bool triangular, way w)
{
    const lil_tet_chunks *all = &job->tets->chunks;
    const lil_tet_chunk *chunk = &all->chunks[k];
    chunk_sums s;
    s.least = lil_lanes_all(INFINITY);
    s.noise = lil_lanes_all(0);
    lil_chunk_local(all, chunk, job->x0, s.x0);
    lil_chunk_near(all, chunk, job->x1, job->low, s.x1);
    memset(s.f, 0, (size_t)chunk->slot_count * sizeof *s.f);
    for (int first = 0; first < chunk->block_count; first += BATCH) {
        int count = chunk->block_count - first < BATCH ? chunk->block_count - first : BATCH;
        add_batch(job, chunk, first, count, triangular, w, &s);
    }
    lil_chunk_add(all, chunk, s.f, job->shares, job->g);
    job->least[k] = fmin(fmin(s.least[0], s.least[1]), fmin(s.least[2], s.least[3]));
    job->noise[k] = (s.noise[0] + s.noise[1]) + (s.noise[2] + s.noise[3]);
}

LIL_KERNEL static void turned_invariants(void *data, int k)
{
    add_chunk(data, k, true, INVARIANTS);
}

LIL_KERNEL static void turned_signed(void *data, int k)
{
    add_chunk(data, k, true, SIGNED);
}

LIL_KERNEL static void triangle(void *data, int k)
{
    add_chunk(data, k, false, TRIANGLE);
}

LIL_KERNEL static void linear(void *data, int k)
{
    add_chunk(data, k, false, LINEAR);
}

void lil_tets_discrete_gradient(const lil_tet_discrete_gradient *job)
{
    const lil_tets *t = job->tets;
    const lil_material_table *m = t->material.table;
    bool sign = lil_tets_have_sign(m), invariants = t->triangular && (m->difference || sign);
    lil_parallel(job->threads, t->chunks.count,
                 m->holds & LIL_MATERIAL_LINEAR ? linear
                 : !invariants                  ? triangle
                 : sign                         ? turned_signed
                                                : turned_invariants,
                 (void *)job);
    lil_tet_chunks_gather(&t->chunks, job->threads, job->shares, job->g);
}
