#include "discrete/rotate.h"

#include "core/disjoint_sets.h"
#include "math/matrix3.h"

#include <math.h>

/* sums over a body's vertices of x and u = h d, relative to the first vertex: no digits are lost far from the
 * origin */
struct lil_rotate_body {
    int first;
    double m, mx[3], mu[3], mxx[9], spin[3];
    double c[3], theta[3], R[9]; /* R - 1 - [theta]x */
    bool turns;
};

lil_status lil_rotate_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, const double *mass,
                             lil_rotate *t)
{
    int n = A->n, *parent = LIL_NEW(arena, int, n), *body = LIL_NEW(arena, int, n);
    *t = (lil_rotate){ .A = A, .mass = mass, .body = body };
    LIL_HAVE(ctx, parent && body);
    lil_sets_begin(parent, n);
    for (int k = 0; k < A->places; k++)
        if (A->at[k][1] >= 0)
            lil_sets_join(parent, A->at[k][0], A->at[k][1]);
    t->count = lil_sets_number(parent, n, body);
    LIL_ALLOC(ctx, arena, t->sums, t->count);
    for (int i = 0; i < n; i++)
        t->sums[body[i]].first = 3 * A->order[i];
    return LIL_OK;
}

static void rotate_add_vertex(lil_rotate_body *b, double m, const double *x, const double *from, double h,
                              const double *d)
{
    double y[3], u[3], turned[3];
    for (int k = 0; k < 3; k++) {
        y[k] = x[k] - from[k];
        u[k] = h * d[k];
    }
    lil_cross3(y, u, turned);
    b->m += m;
    for (int k = 0; k < 3; k++) {
        b->mx[k] += m * y[k];
        b->mu[k] += m * u[k];
        b->spin[k] += m * turned[k];
        for (int l = 0; l < 3; l++)
            b->mxx[3 * k + l] += m * y[k] * y[l];
    }
}

/* R - 1 - [theta]x, by Rodrigues' formula: (sin a / a - 1) [theta]x + (1 - cos a)/a^2 [theta]x^2 */
static void rotate_set_rotation(lil_rotate_body *b)
{
    const double *w = b->theta, square = lil_dot3(w, w), a = sqrt(square), half = sin(a / 2);
    double first = a > 1e-4 ? sin(a) / a - 1 : -square / 6, second = a > 1e-4 ? 2 * half * half / square : 0.5;
    const double cross[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 };
    for (int i = 0; i < 9; i++)
        b->R[i] = first * cross[i] + second * (w[i / 3] * w[i % 3] - (i % 4 == 0 ? square : 0));
}

/* theta, unless the body lies on a line */
static void find_turn(lil_rotate_body *b)
{
    double I[9], cofactor[9], spin[3], trace = 0;
    for (int k = 0; k < 3; k++)
        b->c[k] = b->mx[k] / b->m;
    lil_cross3(b->c, b->mu, spin);
    for (int i = 0; i < 9; i++)
        I[i] = b->m * b->c[i / 3] * b->c[i % 3] - b->mxx[i];
    trace = -(I[0] + I[4] + I[8]);
    for (int k = 0; k < 3; k++) {
        I[4 * k] += trace;
        spin[k] = b->spin[k] - spin[k];
    }
    lil_cofactor3(I, cofactor);
    double determinant = lil_determinant3(I);
    b->turns = determinant > 1e-9 * trace * trace * trace;
    for (int k = 0; k < 3 && b->turns; k++)
        b->theta[k] = lil_dot3(cofactor + 3 * k, spin) / determinant; /* I is symmetric */
    if (b->turns)
        rotate_set_rotation(b);
}

static void rotate_sum(const lil_rotate *t, const double *x, double h, const double *d)
{
    const lil_blocks *A = t->A;
    for (int i = 0; i < t->count; i++)
        t->sums[i] = (lil_rotate_body){ .first = t->sums[i].first };
    for (int i = 0; i < A->n; i++) {
        lil_rotate_body *b = &t->sums[t->body[i]];
        int row = 3 * A->order[i];
        rotate_add_vertex(b, t->mass[row], x + row, x + b->first, h, d + row);
    }
    for (int i = 0; i < t->count; i++)
        find_turn(&t->sums[i]);
}

void lil_rotate_calm(const lil_rotate *t, const double *x, double share, double *v)
{
    const lil_blocks *A = t->A;
    rotate_sum(t, x, 1, v);
    for (int i = 0; i < A->n; i++) {
        const lil_rotate_body *b = &t->sums[t->body[i]];
        int row = 3 * A->order[i];
        double y[3], turned[3];
        for (int k = 0; k < 3; k++)
            y[k] = x[row + k] - x[b->first + k] - b->c[k];
        lil_cross3(b->theta, y, turned);
        for (int k = 0; k < 3; k++) {
            double rigid = b->mu[k] / b->m + turned[k];
            v[row + k] = rigid + share * (v[row + k] - rigid);
        }
    }
}

void lil_rotate_bend(const lil_rotate *t, const double *x, double h, double *d)
{
    const lil_blocks *A = t->A;
    rotate_sum(t, x, h, d);
    for (int i = 0; i < A->n; i++) {
        const lil_rotate_body *b = &t->sums[t->body[i]];
        int row = 3 * A->order[i];
        double y[3];
        for (int k = 0; k < 3 && b->turns; k++)
            y[k] = x[row + k] - x[b->first + k] - b->c[k];
        for (int k = 0; k < 3 && b->turns; k++)
            d[row + k] += lil_dot3(b->R + 3 * k, y) / h;
    }
}
