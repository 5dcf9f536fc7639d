/*
 * The same blocks through F = U diag(s) V', where d2w/dF2 decouples into 3x3 and 1x1 parts (materials/material.h)
 * with known eigenvalues. With g_a in the axes V,
 *
 *     U'K_ab U = sum over i, j of   block_ij g_ai g_bj e_i e_j'
 *                + i != j:          (flip + twist)/2 g_aj g_bj e_i e_i' + (flip - twist)/2 g_aj g_bi e_i e_j'.
 *
 * V comes from Jacobi's rotations of F'F, U from F V by Gram and Schmidt, the longest first: U and V are rotations to
 * round-off, and U'F V is diagonal to round-off over s2. Golub & Van Loan, Matrix Computations, 8.5. Brings
 * tet_tangent.h, and is included like it.
 */
#include "terms/tet_tangent.h"

enum { SWEEPS = sizeof(number) == 4 ? 4 : 6 }; /* digits double, and more, with each */

LIL_INLINE lanes root(lanes x)
{
    lanes y;
    for (int l = 0; l < LANES; l++)
        y[l] = (number)__builtin_sqrt(x[l]);
    return y;
}

/* ---- eigenvectors of a symmetric 3x3 ---- */

/* Rotates the axes p, q so that A_pq vanishes; r is the third axis. */
LIL_INLINE void rotate(lanes A[3][3], lanes Q[3][3], int p, int q, int r)
{
    lanes h = (A[q][q] - A[p][p]) / 2, x = A[p][q], far = root(h * h + x * x);
    lanes below = choose(-h, h - far, h + far), t = choose(below * below, x / below, all(0));
    lanes c = 1 / root(1 + t * t), s = t * c, pr = A[p][r], qr = A[q][r];
    A[p][p] -= t * x;
    A[q][q] += t * x;
    A[p][q] = A[q][p] = all(0);
    A[p][r] = A[r][p] = c * pr - s * qr;
    A[q][r] = A[r][q] = s * pr + c * qr;
    for (int i = 0; i < 3; i++) {
        lanes Qp = Q[i][p], Qq = Q[i][q];
        Q[i][p] = c * Qp - s * Qq;
        Q[i][q] = s * Qp + c * Qq;
    }
}

/* A becomes its eigenvalues, Q's columns the axes: a rotation. */
LIL_INLINE void diagonalise(lanes A[3][3], lanes Q[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[i][j] = all(i == j);
    for (int n = 0; n < SWEEPS; n++) {
        rotate(A, Q, 0, 1, 2);
        rotate(A, Q, 0, 2, 1);
        rotate(A, Q, 1, 2, 0);
    }
}

/* ---- singular values ---- */

typedef struct principal_axes {
    lanes U[3][3], V[3][3]; /* by rows; axes are columns */
    lanes s[3];             /* s1 >= s2 >= |s3| */
} principal_axes;

/* the larger eigenvalue before the smaller; V stays a rotation */
LIL_INLINE void sort_axes(lanes a[3], lanes V[3][3], int p, int q)
{
    lanes ap = a[p], aq = a[q], wrong = aq - ap;
    a[p] = choose(wrong, aq, ap);
    a[q] = choose(wrong, ap, aq);
    for (int i = 0; i < 3; i++) {
        lanes Vp = V[i][p], Vq = V[i][q];
        V[i][p] = choose(wrong, Vq, Vp);
        V[i][q] = choose(wrong, -Vp, Vq);
    }
}

/* y / |y|, or a substitute where y is 0; |y| */
LIL_INLINE lanes normalise(lanes y[3], const lanes instead[3])
{
    lanes square = dot(y, y), length = root(square);
    for (int i = 0; i < 3; i++)
        y[i] = choose(square, y[i] / length, instead[i]);
    return length;
}

/* perpendicular to the unit vector y: y x e, with the axis e that is farther from it */
LIL_INLINE void across(const lanes y[3], lanes z[3])
{
    const lanes none[3] = { all(0), all(0), all(0) };
    lanes off_x = (number)0.5 - y[0] * y[0];
    z[0] = choose(off_x, all(0), -y[2]);
    z[1] = choose(off_x, y[2], all(0));
    z[2] = choose(off_x, -y[1], y[0]);
    normalise(z, none);
}

LIL_INLINE void set_axes(const shape *s, principal_axes *x)
{
    const lanes(*F)[3] = s->F;
    lanes C[3][3], u[3][3], a[3]; /* u: columns of F V as rows */
    const lanes e1[3] = { all(1), all(0), all(0) };
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            C[i][j] = C[j][i] = F[0][i] * F[0][j] + F[1][i] * F[1][j] + F[2][i] * F[2][j];
    diagonalise(C, x->V);
    for (int k = 0; k < 3; k++)
        a[k] = C[k][k];
    sort_axes(a, x->V, 0, 1);
    sort_axes(a, x->V, 0, 2);
    sort_axes(a, x->V, 1, 2);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            u[k][i] = F[i][0] * x->V[0][k] + F[i][1] * x->V[1][k] + F[i][2] * x->V[2][k];
    lanes third[3], side[3];
    x->s[0] = normalise(u[0], e1);
    lanes along = dot(u[0], u[1]);
    for (int i = 0; i < 3; i++)
        u[1][i] -= along * u[0][i];
    across(u[0], side);
    x->s[1] = normalise(u[1], side);
    cross(u[0], u[1], third);
    x->s[2] = dot(third, u[2]);
    for (int i = 0; i < 3; i++) {
        x->U[i][0] = u[0][i];
        x->U[i][1] = u[1][i];
        x->U[i][2] = third[i];
    }
}

/* ---- d2w/dF2 in these axes ---- */

typedef struct principal {
    lanes block[3][3], flip[3], twist[3];
} principal;

/* as lil_invariants_principal */
LIL_INLINE void set_principal(const lanes s[3], const coefficients *w, unsigned uses, principal *p)
{
    bool second = uses & LIL_USES_I2;
    lanes g1[3], g2[3], gJ[3], others[3], w2 = second ? 2 * w->w2 : all(0);
    for (int k = 0; k < 3; k++) {
        lanes a = s[(k + 1) % 3], b = s[(k + 2) % 3];
        others[k] = a * a + b * b;
        g1[k] = 2 * s[k];
        g2[k] = g1[k] * others[k];
        gJ[k] = a * b;
        p->flip[k] = 2 * w->w1 + w2 * (s[k] * s[k] - a * b) - w->wJ * s[k];
        p->twist[k] = 2 * w->w1 + w2 * (s[k] * s[k] + a * b) + w->wJ * s[k];
        if (uses & LIL_USES_T)
            p->twist[k] += 2 * w->wT / choose(a + b - (number)1e-12, a + b, all((number)1e-12));
    }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            lanes x = i == j ? 2 * w->w1 + w2 * others[i] : 2 * w2 * s[i] * s[j] + w->wJ * s[3 - i - j];
            x += g1[i] * (w->w11 * g1[j] + w->w1J * gJ[j]) + gJ[i] * (w->w1J * g1[j] + w->wJJ * gJ[j]);
            if (second)
                x += g1[i] * w->w12 * g2[j] + gJ[i] * w->w2J * g2[j] +
                     g2[i] * (w->w12 * g1[j] + w->w22 * g2[j] + w->w2J * gJ[j]);
            p->block[i][j] = p->block[j][i] = x;
        }
}

/* Replaces negative eigenvalues by 0, and keeps NaNs. Returns a positive number if there were any. */
LIL_INLINE lanes project(principal *p)
{
    lanes A[3][3], Q[3][3], changed = all(0);
    for (int i = 0; i < 3; i++) {
        changed = choose(-p->flip[i], all(1), choose(-p->twist[i], all(1), changed));
        p->flip[i] = choose(-p->flip[i], all(0), p->flip[i]);
        p->twist[i] = choose(-p->twist[i], all(0), p->twist[i]);
        for (int j = 0; j < 3; j++)
            A[i][j] = p->block[i][j];
    }
    diagonalise(A, Q);
    for (int k = 0; k < 3; k++) {
        lanes excess = choose(-A[k][k], -A[k][k], all(0));
        changed = choose(excess, all(1), changed);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                p->block[i][j] += excess * Q[i][k] * Q[j][k];
    }
    return changed;
}

/* ---- blocks ---- */

typedef struct principal_element {
    principal_axes axes;
    lanes block[3][3], sum[3], difference[3]; /* (flip +- twist)/2 */
    lanes g[4][3];                            /* in the axes V */
} principal_element;

LIL_INLINE void set_principal_element(const shape *s, const principal_axes *axes, const principal *p, number sign,
                                      principal_element *e)
{
    e->axes = *axes;
    for (int i = 0; i < 3; i++) {
        e->sum[i] = sign * (p->flip[i] + p->twist[i]) / 2;
        e->difference[i] = sign * (p->flip[i] - p->twist[i]) / 2;
        for (int j = 0; j < 3; j++)
            e->block[i][j] = sign * p->block[i][j];
    }
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            e->g[a + 1][i] = axes->V[0][i] * s->g[a][0] + axes->V[1][i] * s->g[a][1] + axes->V[2][i] * s->g[a][2];
    set_first(e->g);
}

/* k = K_ab of edge m, by rows */
LIL_INLINE void set_principal_block(const principal_element *e, int m, lanes k[9])
{
    const lanes *a = e->g[ends[m][0]], *b = e->g[ends[m][1]];
    lanes x[3][3], y[3][3]; /* U'K U, and U times that */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int n = (i + 1) % 3, o = (i + 2) % 3;
            x[i][j] = e->block[i][j] * a[i] * b[j];
            x[i][j] +=
                i == j ? e->sum[o] * a[n] * b[n] + e->sum[n] * a[o] * b[o] : e->difference[3 - i - j] * a[j] * b[i];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            y[i][j] = e->axes.U[i][0] * x[0][j] + e->axes.U[i][1] * x[1][j] + e->axes.U[i][2] * x[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = dot(y[i], e->axes.U[j]);
}
