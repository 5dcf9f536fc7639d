/*
 * Second derivatives of V w(F) by the vertices of a tet, in closed form, of as many tets as a vector of 32 bytes
 * holds. With the gradients g_a of the shape functions, F = sum x_a g_a', u_a = F g_a, c_a = cof F g_a, and w(I1, I2,
 * J),
 *
 *     K_ab = V (2 w1 g_a.g_b I + 4 w11 u_a u_b' + 2 w1J (u_a c_b' + c_a u_b') + wJJ c_a c_b' + wJ [n_ab]),
 *     [n]_ik = eps_ikm n_m,  n_ab = F (g_a x g_b)
 *
 * and of I2 = (I1^2 - |F'F|^2)/2, with h_a = dI2/dF g_a = 2 (I1 u_a - F F'u_a), V times
 *
 *     2 w2 (2 u_a u_b' - u_b u_a' + (I1 g_a.g_b - u_a.u_b) I - g_a.g_b F F')
 *     + 2 w12 (u_a h_b' + h_a u_b') + w22 h_a h_b' + w2J (c_a h_b' + h_a c_b').
 *
 * With edges d_1, d_2, d_3 from vertex 0 and r = 1/det of those at rest, c_1 = r d_2 x d_3 and so on, J = d_1.c_1,
 * and F (g_1 x g_2) = r d_3: the edge opposite. Rows of K sum to zero, so the six edges a < b are enough.
 *
 * This is the source of two kernels: it is included with LIL_TANGENT_FLOAT 1 or 0, by kernels only. Tests compare the
 * double one with the scalar path.
 */
#include "materials/invariants.h"

#if LIL_TANGENT_FLOAT
typedef float number;
#else
typedef double number;
#endif
typedef number lanes __attribute__((vector_size(32)));

enum {
    LANES = 32 / sizeof(number),
    HALVES = LANES / LIL_LANES, /* materials are evaluated in double */
};

/* the edges of a tet, in the order of their blocks */
static const int ends[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

LIL_INLINE lanes all(number x)
{
    return (lanes){ 0 } + x;
}

LIL_INLINE lanes choose(lanes where_positive, lanes a, lanes b)
{
#if LIL_TANGENT_FLOAT
    typedef int32_t mask __attribute__((vector_size(32)));
#else
    typedef int64_t mask __attribute__((vector_size(32)));
#endif
    mask m = where_positive > 0;
    return (lanes)((m & (mask)a) | (~m & (mask)b));
}

/* half h as doubles; and back */
LIL_INLINE lil_lanes widen(lanes x, int h)
{
    lil_lanes y;
    for (int l = 0; l < LIL_LANES; l++)
        y[l] = x[LIL_LANES * h + l];
    return y;
}

LIL_INLINE lanes narrow(const lil_lanes x[HALVES])
{
#if LIL_TANGENT_FLOAT
    typedef float part __attribute__((vector_size(16)));
    part low = __builtin_convertvector(x[0], part), high = __builtin_convertvector(x[1], part);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return x[0];
#endif
}

LIL_INLINE lanes dot(const lanes a[3], const lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

LIL_INLINE void cross(const lanes a[3], const lanes b[3], lanes c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- shape ---- */

/* Tets as they are: edges from vertex 0, and rest data: gradients of the last three vertices (0's is minus their
 * sum), and r. */
typedef struct shape {
    lanes d[3][3], g[3][3], r;
    lanes F[3][3];
} shape;

LIL_INLINE void set_gradient(shape *s)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->F[i][j] = s->d[0][i] * s->g[0][j] + s->d[1][i] * s->g[1][j] + s->d[2][i] * s->g[2][j];
}

LIL_INLINE lanes first_invariant(const shape *s)
{
    return dot(s->F[0], s->F[0]) + dot(s->F[1], s->F[1]) + dot(s->F[2], s->F[2]);
}

/* |cof F|^2 */
LIL_INLINE lanes second_invariant(const shape *s)
{
    lanes sum = { 0 }, row[3];
    for (int i = 0; i < 3; i++) {
        cross(s->F[(i + 1) % 3], s->F[(i + 2) % 3], row);
        sum += dot(row, row);
    }
    return sum;
}

LIL_INLINE lanes volume_ratio(const shape *s)
{
    lanes c[3];
    cross(s->d[1], s->d[2], c);
    return s->r * dot(s->d[0], c);
}

/* the invariants in double, for the material */
LIL_INLINE void set_invariants(const shape *s, bool second, lil_lanes_invariants x[HALVES])
{
    lanes I1 = first_invariant(s), I2 = second ? second_invariant(s) : all(0), J = volume_ratio(s);
    for (int h = 0; h < HALVES; h++)
        x[h] = (lil_lanes_invariants){ widen(I1, h), widen(I2, h), widen(J, h) };
}

/* ---- derivatives of w times a tet's weight ---- */

typedef struct coefficients {
    lanes w1, wJ, w11, w1J, wJJ;
    lanes w2, w12, w22, w2J;
    lanes wT;
} coefficients;

#define LIL_NARROW_(name)                                                                                            \
    for (int h = 0; h < HALVES; h++)                                                                                 \
        scaled[h] = weight[h] * d[h].name;                                                                           \
    w->name = narrow(scaled)

/* In double until all factors are multiplied: moduli and volumes alone may exceed the range of a float. */
LIL_INLINE void set_coefficients(const lil_lanes_derivatives d[HALVES], const lil_lanes weight[HALVES], unsigned uses,
                                 coefficients *w)
{
    lil_lanes scaled[HALVES];
    LIL_NARROW_(w1);
    LIL_NARROW_(wJ);
    LIL_NARROW_(w11);
    LIL_NARROW_(w1J);
    LIL_NARROW_(wJJ);
    w->w2 = w->w12 = w->w22 = w->w2J = w->wT = all(0);
    if (uses & LIL_USES_I2) {
        LIL_NARROW_(w2);
        LIL_NARROW_(w12);
        LIL_NARROW_(w22);
        LIL_NARROW_(w2J);
    }
    if (uses & LIL_USES_T) {
        LIL_NARROW_(wT);
    }
}
#undef LIL_NARROW_

/* ---- blocks ---- */

/* Those of the four vertices that are an a or a b; block (a, b) is u_a p_b' + c_a q_b' + h_a t_b' - u_b v_a' +
 * s_ab I + [n_ab] - g_ab (2 w2 F F'). */
typedef struct element {
    lanes u[4][3], c[4][3], p[4][3], q[4][3];
    lanes s[6], n[6][3];
    lanes h[4][3], t[4][3], v[4][3]; /* only with I2, as the next */
    lanes g[6], B[6];                /* B: 00 11 22 01 02 12 */
} element;

LIL_INLINE void set_first(lanes x[4][3])
{
    for (int i = 0; i < 3; i++)
        x[0][i] = -(x[1][i] + x[2][i] + x[3][i]);
}

/* u_a and c_a */
LIL_INLINE void set_vectors(const shape *s, element *e)
{
    for (int a = 0; a < 3; a++) {
        cross(s->d[(a + 1) % 3], s->d[(a + 2) % 3], e->c[a + 1]);
        for (int i = 0; i < 3; i++) {
            e->c[a + 1][i] *= s->r;
            e->u[a + 1][i] = dot(s->F[i], s->g[a]);
        }
    }
    set_first(e->u);
    set_first(e->c);
}

/* g_a.g_b of the six edges */
LIL_INLINE void set_products(const shape *s, lanes g[6])
{
    lanes g11 = dot(s->g[0], s->g[0]), g22 = dot(s->g[1], s->g[1]), g33 = dot(s->g[2], s->g[2]);
    g[3] = dot(s->g[0], s->g[1]);
    g[4] = dot(s->g[0], s->g[2]);
    g[5] = dot(s->g[1], s->g[2]);
    g[0] = -(g11 + g[3] + g[4]);
    g[1] = -(g[3] + g22 + g[5]);
    g[2] = -(g[4] + g[5] + g33);
}

/* f F (g_a x g_b) / r: the edges opposite; f has r in it */
LIL_INLINE void set_opposite(const shape *s, lanes f, lanes n[6][3])
{
    for (int i = 0; i < 3; i++) {
        lanes d1 = f * s->d[0][i], d2 = f * s->d[1][i], d3 = f * s->d[2][i];
        n[0][i] = d3 - d2;
        n[1][i] = d1 - d3;
        n[2][i] = d2 - d1;
        n[3][i] = d3;
        n[4][i] = -d2;
        n[5][i] = d1;
    }
}

LIL_INLINE void add_second(const shape *s, const coefficients *w, element *e)
{
    lanes I1 = first_invariant(s), w2 = 2 * w->w2;
    for (int k = 0; k < 6; k++) {
        static const int row[6] = { 0, 1, 2, 0, 0, 1 }, col[6] = { 0, 1, 2, 1, 2, 2 };
        e->B[k] = w2 * dot(s->F[row[k]], s->F[col[k]]);
    }
    for (int k = 0; k < 6; k++)
        e->s[k] += w2 * (I1 * e->g[k] - dot(e->u[ends[k][0]], e->u[ends[k][1]]));
    for (int b = 1; b < 4; b++) {
        lanes Fu[3]; /* F'u */
        for (int j = 0; j < 3; j++)
            Fu[j] = s->F[0][j] * e->u[b][0] + s->F[1][j] * e->u[b][1] + s->F[2][j] * e->u[b][2];
        for (int i = 0; i < 3; i++)
            e->h[b][i] = 2 * (I1 * e->u[b][i] - dot(s->F[i], Fu));
    }
    set_first(e->h);
    for (int b = 1; b < 4; b++)
        for (int i = 0; i < 3; i++) {
            lanes u = e->u[b][i], c = e->c[b][i], h = e->h[b][i];
            e->p[b][i] += 2 * (w2 * u + w->w12 * h);
            e->q[b][i] += w->w2J * h;
            e->t[b][i] = 2 * w->w12 * u + w->w22 * h + w->w2J * c;
        }
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            e->v[a][i] = w2 * e->u[a][i];
}

LIL_INLINE void set_element(const shape *s, const coefficients *w, bool second, element *e)
{
    set_vectors(s, e);
    set_products(s, e->g);
    set_opposite(s, w->wJ * s->r, e->n);
    for (int k = 0; k < 6; k++)
        e->s[k] = 2 * w->w1 * e->g[k];
    for (int b = 1; b < 4; b++)
        for (int i = 0; i < 3; i++) {
            e->p[b][i] = 4 * w->w11 * e->u[b][i] + 2 * w->w1J * e->c[b][i];
            e->q[b][i] = 2 * w->w1J * e->u[b][i] + w->wJJ * e->c[b][i];
        }
    if (second)
        add_second(s, w, e);
}

/* k = K_ab of edge m, by rows */
LIL_INLINE void set_block(const element *e, int m, bool second, lanes k[9])
{
    int a = ends[m][0], b = ends[m][1];
    const lanes *n = e->n[m];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = e->u[a][i] * e->p[b][j] + e->c[a][i] * e->q[b][j];
    if (second) {
        static const int at[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 };
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                k[3 * i + j] += e->h[a][i] * e->t[b][j] - e->u[b][i] * e->v[a][j] - e->g[m] * e->B[at[3 * i + j]];
    }
    k[0] += e->s[m];
    k[4] += e->s[m];
    k[8] += e->s[m];
    k[1] += n[2];
    k[3] -= n[2];
    k[2] -= n[1];
    k[6] += n[1];
    k[5] += n[0];
    k[7] -= n[0];
}

/* ---- small strains ---- */

/* Linear elasticity, and the rate of strain of damping: block (a, b) is x_a l_b' + x_b m_a' + g_ab B with l =
 * lambda x, m = mu x, where x are gradients, g their products and B = mu I; or x = F g and B = mu F F'. */
typedef struct small {
    lanes x[4][3], l[4][3], m[4][3];
    lanes g[6], B[6]; /* B: 00 11 22 01 02 12 */
} small;

LIL_INLINE void set_small(const shape *s, lanes lambda, lanes mu, bool turned, small *e)
{
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, col[6] = { 0, 1, 2, 1, 2, 2 };
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            e->x[a + 1][i] = turned ? dot(s->F[i], s->g[a]) : s->g[a][i];
    set_first(e->x);
    set_products(s, e->g);
    for (int a = 0; a < 4; a++)
        for (int i = 0; i < 3; i++) {
            e->l[a][i] = lambda * e->x[a][i];
            e->m[a][i] = mu * e->x[a][i];
        }
    for (int k = 0; k < 6; k++)
        e->B[k] = turned ? mu * dot(s->F[row[k]], s->F[col[k]]) : k < 3 ? mu : all(0);
}

LIL_INLINE void set_small_block(const small *e, int m, lanes k[9])
{
    static const int at[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 };
    int a = ends[m][0], b = ends[m][1];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = e->x[a][i] * e->l[b][j] + e->x[b][i] * e->m[a][j] + e->g[m] * e->B[at[3 * i + j]];
}
