#include "geometry/patches.h"

#include "core/threads.h"
#include "math/lanes.h"
#include "math/matrix3.h"
#include "math/svd3.h"

#include <math.h>
#include <string.h>

enum { PLACES = 3, PIECE = 32 }; /* places of a fit; patches that one thread takes at a time */

/* M, and how well it fits. */
typedef struct frame {
    double c[3], F[9], bend, off;
} frame;

typedef struct patch {
    int first, count;
    bool tied;
    double C[3], radius;      /* at rest: the mean of its points, and how far they are from it */
    double low[3], high[3];   /* their box */
    double axes[9];           /* by columns: along it, along it, across it */
    double inverse[9];        /* of K + L, K = sum (X - C)(X - C)' */
    double L[9];              /* what holds F to Q */
    double Q[9], bend, off;   /* since the latest lil_patches_fit */
    frame frames[PLACES + 1]; /* at its places; the last one is the latest that was asked about */
} patch;

struct lil_patches {
    int count, places;
    int last; /* of the points, the one with the largest number */
    const int *points;
    patch *list;
    double *X; /* of each of `points`, from C */
    /* what is being done */
    const double *x;
    const bool *only;
    bool turned; /* each patch has a rotation of its own */
    const double *const *y;
    const double *slack;
    const lil_patch_tie *ties;
    int tie_count;
    double *left; /* of each piece: by how much its bounds hold */
};

/* ---- create ---- */

/* Along a patch F is what the points say, but for a thousandth: a patch may be a line, or a point. Across it more
 * than a twentieth must speak against Q, or a slight bend that becomes slighter would count as a large strain. */
static void set_inverse(patch *p, const double K[9])
{
    const double ALONG = 1e-3, ACROSS = 0.05;
    double values[3], size = K[0] + K[4] + K[8];
    size = size > 0 ? size : 1;
    lil_eig3(K, values, p->axes);
    memset(p->L, 0, sizeof p->L);
    memset(p->inverse, 0, sizeof p->inverse);
    for (int k = 0; k < 3; k++) {
        double hold = size * (k == 2 ? ACROSS : ALONG);
        for (int e = 0; e < 9; e++) {
            double both = p->axes[3 * (e / 3) + k] * p->axes[3 * (e % 3) + k];
            p->L[e] += hold * both;
            p->inverse[e] += both / (values[k] + hold);
        }
    }
}

/* F is held to 1 by a fiftieth, which is little of a strain that is little itself. */
static void set_isotropic(patch *p, const double K[9])
{
    double size = K[0] + K[4] + K[8], hold = 0.02 * (size > 0 ? size : 1), all[9], cofactors[9];
    for (int e = 0; e < 9; e++) {
        p->Q[e] = e % 4 == 0;
        p->L[e] = hold * p->Q[e];
        all[e] = K[e] + p->L[e];
    }
    lil_cofactor3(all, cofactors); /* symmetric */
    double det = lil_determinant3(all);
    for (int e = 0; e < 9; e++)
        p->inverse[e] = cofactors[e] / det;
}

static void create_patch(lil_patches *s, patch *p, const double *x)
{
    double K[9] = { 0 };
    memset(p->C, 0, sizeof p->C);
    p->radius = 0;
    for (int k = 0; k < 3; k++) {
        p->low[k] = INFINITY;
        p->high[k] = -INFINITY;
    }
    for (int i = p->first; i < p->first + p->count; i++)
        for (int k = 0; k < 3; k++) {
            double X = x[3 * s->points[i] + k];
            p->C[k] += X / p->count;
            p->low[k] = fmin(p->low[k], X);
            p->high[k] = fmax(p->high[k], X);
        }
    for (int i = p->first; i < p->first + p->count; i++) {
        double *X = s->X + 3 * i;
        for (int k = 0; k < 3; k++)
            X[k] = x[3 * s->points[i] + k] - p->C[k];
        p->radius = fmax(p->radius, sqrt(lil_dot3(X, X)));
        for (int e = 0; e < 9; e++)
            K[e] += X[e / 3] * X[e % 3];
    }
    if (s->turned)
        set_inverse(p, K);
    else
        set_isotropic(p, K);
}

lil_status lil_patches_create(lil_context *ctx, lil_arena *arena, int count, const int *begin, const int *points,
                              const bool *wanted, const double *x, lil_patches **out)
{
    lil_patches *s = *out = LIL_NEW(arena, lil_patches, 1);
    LIL_HAVE(ctx, s);
    *s = (lil_patches){ .count = count, .points = points, .turned = true };
    LIL_ALLOC(ctx, arena, s->list, count);
    LIL_ALLOC(ctx, arena, s->X, 3 * (size_t)begin[count]);
    LIL_ALLOC(ctx, arena, s->left, count / PIECE + 1);
    for (int i = 0; i < begin[count]; i++)
        s->last = points[i] > s->last ? points[i] : s->last;
    for (int i = 0; i < count; i++) {
        s->list[i].first = begin[i];
        s->list[i].count = wanted[i] ? begin[i + 1] - begin[i] : 0;
        if (s->list[i].count)
            create_patch(s, &s->list[i], x);
    }
    return LIL_OK;
}

static void refer_piece(void *data, int piece)
{
    lil_patches *s = data;
    for (int i = PIECE * piece; i < PIECE * (piece + 1) && i < s->count; i++)
        if (s->list[i].count && s->only[i])
            create_patch(s, &s->list[i], s->x);
}

void lil_patches_refer(lil_patches *s, lil_threads *threads, const bool *only, const double *x)
{
    s->only = only;
    s->x = x;
    s->turned = false;
    lil_parallel(threads, (s->count + PIECE - 1) / PIECE, refer_piece, s);
}

/* ---- fit ---- */

/* A point in three lanes. The fourth lane has the number that follows in memory; none follows the last point. */
LIL_INLINE lil_lanes load(const lil_patches *s, const double *y, int i)
{
    const double *x = y + 3 * s->points[i];
    return s->points[i] < s->last ? lil_lanes_load(x) : (lil_lanes){ x[0], x[1], x[2], 0 };
}

/* c = the mean of x, A = sum (x - x_first)(X - C)', which is sum (x - c)(X - C)' since the X - C add up to nothing */
LIL_KERNEL static void add_up(const lil_patches *s, const patch *p, const double *y, double c[3], double A[9])
{
    lil_lanes base = load(s, y, p->first), sum = lil_lanes_all(0), column[3] = { sum, sum, sum };
    for (int i = p->first; i < p->first + p->count; i++) {
        const double *X = s->X + 3 * i;
        lil_lanes u = load(s, y, i) - base;
        sum += u;
        for (int k = 0; k < 3; k++)
            column[k] += u * lil_lanes_all(X[k]);
    }
    for (int k = 0; k < 3; k++)
        c[k] = base[k] + sum[k] / p->count;
    for (int e = 0; e < 9; e++)
        A[e] = column[e % 3][e / 3];
}

/* The largest |x - M(X)|^2. */
LIL_KERNEL static double far_off(const lil_patches *s, const patch *p, const double *y, const frame *f)
{
    const double *F = f->F;
    lil_lanes c = { f->c[0], f->c[1], f->c[2], 0 }, column[3];
    double most = 0;
    for (int k = 0; k < 3; k++)
        column[k] = (lil_lanes){ F[k], F[3 + k], F[6 + k], 0 };
    for (int i = p->first; i < p->first + p->count; i++) {
        const double *X = s->X + 3 * i;
        lil_lanes u = load(s, y, i) - c - column[0] * lil_lanes_all(X[0]) - column[1] * lil_lanes_all(X[1]) -
                      column[2] * lil_lanes_all(X[2]);
        u *= u;
        double D = u[0] + u[1] + u[2];
        most = D > most ? D : most;
    }
    return most;
}

/* How the axes along the patch are turned. Any rotation would do; this one makes Q'F nearly 1. */
static void patches_set_rotation(patch *p, const double A[9])
{
    double q[3][3], length = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            q[k][i] = A[3 * i] * p->axes[k] + A[3 * i + 1] * p->axes[3 + k] + A[3 * i + 2] * p->axes[6 + k];
        double along = k ? lil_dot3(q[0], q[1]) : 0;
        for (int i = 0; i < 3 && k; i++)
            q[1][i] -= along * q[0][i];
        length = sqrt(lil_dot3(q[k], q[k]));
        for (int i = 0; i < 3; i++)
            q[k][i] /= length;
    }
    lil_cross3(q[0], q[1], q[2]);
    double right = lil_determinant3(p->axes); /* 1 or -1 */
    for (int e = 0; e < 9; e++) {
        p->Q[e] = 0;
        for (int k = 0; k < 3; k++)
            p->Q[e] += (k == 2 ? right : 1) * q[k][e / 3] * p->axes[3 * (e % 3) + k];
    }
}

/* c and A become M. */
static void set_frame(const lil_patches *s, const patch *p, const double *y, const double A[9], frame *f)
{
    double B[9], R[9], square = 0;
    lil_multiply3(p->Q, p->L, B);
    for (int e = 0; e < 9; e++)
        B[e] += A[e];
    lil_multiply3(B, p->inverse, f->F);
    lil_multiply3_tn(p->Q, f->F, R);
    for (int e = 0; e < 9; e++)
        square += (R[e] - (e % 4 == 0)) * (R[e] - (e % 4 == 0));
    f->bend = sqrt(square);
    f->off = sqrt(far_off(s, p, y, f));
}

static void patches_fit_piece(void *data, int piece)
{
    lil_patches *s = data;
    const double MORE = 1.2; /* of what it is, beside the slack */
    for (int i = PIECE * piece; i < PIECE * (piece + 1) && i < s->count; i++) {
        patch *p = &s->list[i];
        double A[PLACES][9], middle[9];
        if (!p->count || (s->only && !s->only[i]))
            continue;
        for (int k = 0; k < s->places; k++)
            add_up(s, p, s->y[k], p->frames[k].c, A[k]);
        for (int e = 0; e < 9; e++)
            middle[e] = (A[0][e] + A[s->places - 1][e]) / 2;
        if (s->turned)
            patches_set_rotation(p, middle);
        p->bend = p->off = 0;
        for (int k = 0; k < s->places; k++) {
            set_frame(s, p, s->y[k], A[k], &p->frames[k]);
            p->bend = p->frames[k].bend > p->bend ? p->frames[k].bend : p->bend;
            p->off = p->frames[k].off > p->off ? p->frames[k].off : p->off;
            if (!(p->frames[k].bend < 1)) /* or is not finite, as where the patch has shrunk to a line */
                p->bend = INFINITY;
        }
        p->bend = MORE * p->bend + 0.01;
        p->off = MORE * p->off + s->slack[i];
    }
}

void lil_patches_fit(lil_patches *s, lil_threads *threads, const bool *only, const double *const *y, int count,
                     const double *slack)
{
    s->only = only;
    s->y = y;
    s->places = count;
    s->slack = slack;
    lil_parallel(threads, (s->count + PIECE - 1) / PIECE, patches_fit_piece, s);
}

/* ---- ties ---- */

static double gap_of(const patch *a, const frame *f, const patch *b, const frame *g)
{
    double X[3], shift = 0, turn = 0;
    for (int k = 0; k < 3; k++)
        X[k] = b->C[k] - a->C[k];
    for (int k = 0; k < 3; k++) {
        double way = f->c[k] + lil_dot3(f->F + 3 * k, X) - g->c[k];
        shift += way * way;
    }
    for (int e = 0; e < 9; e++)
        turn += (f->F[e] - g->F[e]) * (f->F[e] - g->F[e]);
    return sqrt(shift) + sqrt(turn) * b->radius;
}

void lil_patches_tie(const lil_patches *s, lil_patch_tie *tie)
{
    const double MORE = 1.2;
    const patch *a = &s->list[tie->a], *b = &s->list[tie->b];
    tie->gap = 0;
    for (int k = 0; k < s->places && a != b; k++)
        tie->gap = fmax(tie->gap, gap_of(a, &a->frames[k], b, &b->frames[k]));
    if (a != b)
        tie->gap = MORE * tie->gap + s->slack[tie->a] + s->slack[tie->b];
}

double lil_patches_off(const lil_patches *s, const lil_patch_tie *tie)
{
    return s->list[tie->a].off + s->list[tie->b].off + tie->gap;
}

double lil_patches_bend(const lil_patches *s, int a)
{
    return s->list[a].bend;
}

double lil_patches_apart(const lil_patches *s, int a, int b)
{
    const patch *p = &s->list[a], *q = &s->list[b];
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double out = fmax(fmax(p->low[k] - q->high[k], q->low[k] - p->high[k]), 0);
        square += out * out;
    }
    return sqrt(square);
}

static void patches_look_piece(void *data, int piece)
{
    lil_patches *s = data;
    double left = INFINITY;
    for (int i = PIECE * piece; i < PIECE * (piece + 1) && i < s->count && left >= 0; i++) {
        patch *p = &s->list[i];
        frame *f = &p->frames[PLACES];
        double A[9];
        if (!p->tied)
            continue;
        add_up(s, p, s->y[0], f->c, A);
        set_frame(s, p, s->y[0], A, f);
        double own = f->bend <= p->bend ? p->off - f->off : -1; /* the same M serves what is near */
        left = own < left ? own : left;
    }
    s->left[piece] = left;
}

void lil_patches_keep(lil_patches *s, const lil_patch_tie *ties, int count)
{
    s->ties = ties;
    s->tie_count = count;
    for (int i = 0; i < s->count; i++)
        s->list[i].tied = false;
    for (int i = 0; i < count; i++)
        s->list[ties[i].a].tied = s->list[ties[i].b].tied = true;
}

double lil_patches_hold(lil_patches *s, lil_threads *threads, const double *y)
{
    int pieces = (s->count + PIECE - 1) / PIECE;
    double left = INFINITY;
    if (s->tie_count == 0)
        return left;
    s->y = &y;
    lil_parallel(threads, pieces, patches_look_piece, s);
    for (int i = 0; i < pieces; i++)
        left = s->left[i] < left ? s->left[i] : left;
    for (int i = 0; i < s->tie_count && left >= 0; i++) {
        const patch *a = &s->list[s->ties[i].a], *b = &s->list[s->ties[i].b];
        if (a != b && !(gap_of(a, &a->frames[PLACES], b, &b->frames[PLACES]) <= s->ties[i].gap))
            left = -1;
    }
    return left;
}
