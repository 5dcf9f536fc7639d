#include "solvers/gmres.h"

#include <math.h>
#include <string.h>

static const size_t BYTES_MOST = (size_t)64 << 20;
enum { LEAST = 10 };                /* directions, however large the matrix is */
static const double PROGRESS = 0.9; /* of |r| that a cycle has to get below */

void lil_gmres_create(lil_arena *arena, const lil_blocks *A, lil_gmres *gm)
{
    size_t one = (size_t)lil_blocks_rows(A) * sizeof(lil_float4), most = BYTES_MOST / (one ? one : 1);
    int count = most < LIL_GMRES_MOST ? (int)most : LIL_GMRES_MOST;
    *gm = (lil_gmres){ .arena = arena, .A = A, .count = count < LEAST ? LEAST : count };
}

static lil_float4 *gmres_direction(const lil_gmres *gm, int k)
{
    return gm->all + (size_t)k * (size_t)lil_blocks_rows(gm->A);
}

/* The data of a cycle: R of H = Q R, and Q' beta e_1, column by column. */
typedef struct cycle {
    double R[LIL_GMRES_MOST][LIL_GMRES_MOST + 1], cosine[LIL_GMRES_MOST], sine[LIL_GMRES_MOST], g[LIL_GMRES_MOST + 1];
} cycle;

/* Turns column k, of which `below` is the last entry, and g with it. */
static void gmres_turn(cycle *c, int k, double below)
{
    double *h = c->R[k];
    for (int i = 0; i < k; i++) {
        double a = h[i], b = h[i + 1];
        h[i] = c->cosine[i] * a + c->sine[i] * b;
        h[i + 1] = c->cosine[i] * b - c->sine[i] * a;
    }
    double length = hypot(h[k], below);
    c->cosine[k] = length > 0 ? h[k] / length : 1;
    c->sine[k] = length > 0 ? below / length : 0;
    h[k] = length;
    c->g[k + 1] = -c->sine[k] * c->g[k];
    c->g[k] *= c->cosine[k];
}

static void scale_into(const lil_blocks *A, double a, const lil_float4 *x, lil_float4 *y)
{
    for (int i = 0; i < lil_blocks_rows(A); i++)
        y[i] = (float)a * x[i];
}

/* One more direction: A v_k made orthogonal to all before it. Returns its length. */
static double extend(const lil_gmres *gm, cycle *c, int k, lil_float4 *s, lil_float4 *work)
{
    const lil_blocks *A = gm->A;
    lil_blocks_apply_swept(A, gmres_direction(gm, k), s, work);
    double rest = 0;
    for (int i = 0; i <= k; i++) {
        c->R[k][i] = lil_blocks_dot(A, s, gmres_direction(gm, i));
        rest = lil_blocks_subtract(A, (float)c->R[k][i], gmres_direction(gm, i), s);
    }
    double length = sqrt(rest);
    if (length > 0 && length < INFINITY)
        scale_into(A, 1 / length, s, gmres_direction(gm, k + 1));
    return length;
}

/* x = the sum of count directions that leaves the least */
static void gmres_combine(const lil_gmres *gm, const cycle *c, int count, lil_float4 *x)
{
    double y[LIL_GMRES_MOST];
    for (int i = count - 1; i >= 0; i--) {
        y[i] = c->g[i];
        for (int k = i + 1; k < count; k++)
            y[i] -= c->R[k][i] * y[k];
        y[i] = c->R[i][i] != 0 ? y[i] / c->R[i][i] : 0;
    }
    memset(x, 0, (size_t)lil_blocks_rows(gm->A) * sizeof *x);
    for (int k = 0; k < count; k++)
        lil_blocks_subtract(gm->A, (float)-y[k], gmres_direction(gm, k), x);
}

static double run_cycle(const lil_gmres *gm, double enough, double size, lil_float4 *d, lil_float4 *r, lil_float4 *s,
                        lil_float4 *work, lil_pcg_ask *ask)
{
    cycle c;
    int k = 0;
    c.g[0] = size;
    scale_into(gm->A, 1 / size, r, gmres_direction(gm, 0));
    while (k < gm->count && ask->iterations < ask->iterations_max && fabs(c.g[k]) > enough &&
           !lil_stopped(ask->stop)) {
        double length = extend(gm, &c, k, s, work);
        ask->iterations++;
        if (!isfinite(length))
            break;
        gmres_turn(&c, k++, length);
        if (!(length > 0))
            break;
    }
    lil_float4 *x = gmres_direction(gm, gm->count);
    gmres_combine(gm, &c, k, x);
    lil_blocks_apply_swept(gm->A, x, s, work);
    return sqrt(lil_blocks_advance(gm->A, 1, x, s, d, r));
}

double lil_gmres_solve(lil_gmres *gm, double enough, lil_float4 *d, lil_float4 *r, lil_float4 *s, lil_float4 *work,
                       lil_pcg_ask *ask)
{
    size_t count = (size_t)(gm->count + 1) * (size_t)lil_blocks_rows(gm->A);
    double now = sqrt(lil_blocks_dot(gm->A, r, r));
    if (!gm->all && !(gm->all = LIL_NEW(gm->arena, lil_float4, count)))
        return now * now;
    ask->curvature = false;
    while (now > enough && ask->iterations < ask->iterations_max && !ask->curvature && !lil_stopped(ask->stop)) {
        double before = now;
        now = run_cycle(gm, enough, now, d, r, s, work, ask);
        ask->curvature = !(now <= PROGRESS * before || now <= enough);
    }
    return now * now;
}
