#include "solvers/lanczos.h"

#include "math/eigen.h"
#include "math/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* What is left of a vector when all others are taken out, below which it was one of them. */
static const double NOTHING = 1e-11;
enum { TRIES = 3, PASSES = 2 };

typedef struct basis {
    lil_context *ctx;
    const lil_lanczos_def *def;
    lil_arena *arena;
    double **V;         /* M-orthonormal */
    int count, done;    /* vectors; those that A^-1 M was applied to */
    int room;           /* of V */
    double *T;          /* V'M (A^-1 M) V, room x room by rows: columns up to `done` */
    double *Mx, *along; /* n; room */
    double *S, *theta, *work;
    uint64_t seed;
    bool whole; /* V spans all of the space */
} basis;

static double *new_vector(basis *b)
{
    return LIL_NEW(b->arena, double, b->def->n);
}

/* Evenly distributed in -1 .. 1 (Knuth's MMIX). */
static void make_random(basis *b, double *x)
{
    for (int i = 0; i < b->def->n; i++) {
        b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(b->seed >> 11) / 4503599627370496. - 1;
    }
}

static double norm(basis *b, const double *x)
{
    b->def->weigh(b->def->self, x, b->Mx);
    double square = lil_dot(b->def->n, x, b->Mx);
    return square > 0 ? sqrt(square) : 0;
}

/* Takes all vectors so far out of x; what it had of them goes to T's column, -1: nowhere. */
static void clear(basis *b, int column, double *x)
{
    int n = b->def->n;
    for (int pass = 0; pass < PASSES; pass++) {
        b->def->weigh(b->def->self, x, b->Mx);
        for (int i = 0; i < b->def->apart_count; i++)
            lil_add(n, -lil_dot(n, b->def->apart[i], b->Mx), b->def->apart[i], x);
        for (int i = 0; i < b->count; i++)
            b->along[i] = lil_dot(n, b->V[i], b->Mx);
        for (int i = 0; i < b->count; i++) {
            lil_add(n, -b->along[i], b->V[i], x);
            if (column >= 0)
                b->T[(size_t)i * (size_t)b->room + (size_t)column] += b->along[i];
        }
    }
}

static void scale(int n, double s, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= s;
}

/* x becomes the next vector, unless nothing is left of it; then `size` is 0. */
static bool take(basis *b, int column, double *x, double *size)
{
    double before = norm(b, x);
    clear(b, column, x);
    *size = norm(b, x);
    if (!(*size > NOTHING * before))
        return false;
    scale(b->def->n, 1 / *size, x);
    b->V[b->count++] = x;
    return true;
}

/* A vector of no particular direction; A^-1 M leads it to where the eigenvectors are. */
static lil_status take_random(basis *b, double *room)
{
    double *x = new_vector(b), size;
    LIL_HAVE(b->ctx, x);
    for (int k = 0; k < TRIES; k++) {
        make_random(b, room);
        if (!b->def->operate(b->def->self, 1, (const double *[]){ room }, &x))
            return lil_fail(b->ctx, LIL_ERR_NOT_FINITE, "the equations of the modes have no finite solution");
        if (take(b, -1, x, &size))
            return LIL_OK;
    }
    b->whole = true;
    return LIL_OK;
}

/* A^-1 M of the latest block, which makes the next one. */
static lil_status expand(basis *b)
{
    const lil_lanczos_def *def = b->def;
    int first = b->done, width = b->count - first;
    double *y[16];
    for (int k = 0; k < width; k++)
        LIL_HAVE(b->ctx, y[k] = new_vector(b));
    if (!def->operate(def->self, width, (const double *const *)b->V + first, y))
        return lil_fail(b->ctx, LIL_ERR_NOT_FINITE, "the equations of the modes have no finite solution");
    b->done = b->count;
    for (int k = 0; k < width; k++) {
        double size;
        if (take(b, first + k, y[k], &size))
            b->T[(size_t)(b->count - 1) * (size_t)b->room + (size_t)(first + k)] = size;
        else if (!b->whole)
            LIL_TRY(take_random(b, y[k]));
    }
    b->whole = b->whole && b->count == b->done;
    return LIL_OK;
}

/* Ritz values of V, ascending, and their vectors in V by rows. */
static bool ritz(basis *b)
{
    int m = b->done;
    size_t room = (size_t)b->room;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            b->S[i * m + j] = (b->T[(size_t)i * room + (size_t)j] + b->T[(size_t)j * room + (size_t)i]) / 2;
    return lil_eigen_symmetric(m, b->S, b->theta, b->work);
}

/* |A^-1 M x - theta x| of Ritz vector k: what leads out of V. */
static double ritz_residual(const basis *b, int k)
{
    double square = 0;
    for (int i = b->done; i < b->count; i++) {
        const double *row = b->T + (size_t)i * (size_t)b->room;
        double sum = lil_dot(b->done, row, b->S + (size_t)k * (size_t)b->done);
        square += sum * sum;
    }
    return sqrt(square);
}

static bool has_converged(const basis *b)
{
    int m = b->done, wanted = b->def->wanted < m ? b->def->wanted : m;
    if (b->whole)
        return true;
    if (m < b->def->wanted)
        return false;
    for (int k = m - wanted; k < m; k++)
        if (!(ritz_residual(b, k) <= b->def->tolerance * b->theta[k]))
            return false;
    return true;
}

static lil_status collect(basis *b, lil_lanczos *result)
{
    int m = b->done, n = b->def->n;
    result->count = b->def->wanted < m ? b->def->wanted : m;
    result->vectors = m;
    LIL_ALLOC(b->ctx, b->arena, result->theta, result->count);
    LIL_ALLOC(b->ctx, b->arena, result->x, result->count);
    for (int k = 0; k < result->count; k++) {
        double *x = result->x[k] = new_vector(b);
        LIL_HAVE(b->ctx, x);
        result->theta[k] = b->theta[m - 1 - k];
        for (int i = 0; i < m; i++)
            lil_add(n, b->S[(m - 1 - k) * m + i], b->V[i], x);
        scale(n, 1 / norm(b, x), x);
    }
    return LIL_OK;
}

static lil_status lanczos_create(basis *b)
{
    size_t room = (size_t)b->room;
    LIL_ALLOC(b->ctx, b->arena, b->V, room);
    LIL_ALLOC(b->ctx, b->arena, b->Mx, b->def->n);
    LIL_ALLOC_ALL(b->ctx, b->arena, double, room, &b->along, &b->theta, &b->work);
    LIL_ALLOC_ALL(b->ctx, b->arena, double, room *room, &b->T, &b->S);
    return LIL_OK;
}

lil_status lil_lanczos_solve(lil_context *ctx, lil_arena *arena, const lil_lanczos_def *def, lil_lanczos *result)
{
    basis b = { .ctx = ctx, .def = def, .arena = arena, .room = def->most + 2 * def->block, .seed = 1 };
    *result = (lil_lanczos){ 0 };
    LIL_TRY(lanczos_create(&b));
    double *room = new_vector(&b);
    LIL_HAVE(ctx, room);
    for (int k = 0; k < def->block && !b.whole; k++)
        LIL_TRY(take_random(&b, room));
    b.whole = false;
    while (b.count > b.done) {
        if (lil_stopped(def->stop))
            return lil_fail(ctx, LIL_ERR_INTERRUPTED, "interrupted in the search for modes");
        LIL_TRY(expand(&b));
        if (!ritz(&b))
            return lil_fail(ctx, LIL_ERR_NOT_FINITE, "the equations of the modes have no finite solution");
        result->converged = has_converged(&b);
        if (result->converged || b.done >= def->most)
            break;
    }
    return collect(&b, result);
}
