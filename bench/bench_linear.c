/*
 * The linear algebra of a Newton iteration, M + h^2/4 K: products, iterations and times of conjugate gradients with
 * sweeps and with the V-cycle, on the twisted bar and on a ball with shuffled, jittered vertices, at the scene's
 * stiffness and at 20 times it. Minima of many repeats; the processor's time for one thread, wall time for two.
 * Beside the time of products, of sweeps (an iteration of conjugate gradients) and of setting the matrix is how fast
 * they move the bytes that they must read or write once, as a share of how fast this machine reads as many bytes in
 * their order, on one thread.
 *
 *     bench_linear [most tets]
 */
#include "elastic.h"

#include "solvers/multilevel.h"
#include "solvers/pcg.h"

#include <time.h>

static double now(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define BEST(threads, repeats, best, ...)                                                                            \
    do {                                                                                                             \
        best = INFINITY;                                                                                             \
        for (int r_ = 0; r_ < (repeats); r_++) {                                                                     \
            double start_ = now(threads);                                                                            \
            __VA_ARGS__;                                                                                             \
            best = fmin(best, now(threads) - start_);                                                                \
        }                                                                                                            \
    } while (0)

typedef struct bench {
    lil_context *ctx;
    system_t s;
    lil_arena arena;
    lil_pcg cg;
    lil_multilevel m;
    double *b, *d;
} bench;

static double smooth(const double *X, int d)
{
    return sin(3 * X[0] + d) + cos(5 * X[1] - 2 * X[2] + 2 * d);
}

static size_t arena_bytes(const lil_arena *arena)
{
    struct block {
        struct block *next;
        void *memory;
        size_t used, size;
    };
    size_t sum = 0;
    for (const struct block *b = (const struct block *)arena->head; b; b = b->next)
        sum += b->size;
    return sum;
}

/* ---- bandwidth ---- */

LIL_KERNEL static float sum_of(const lil_float8 *x, size_t n)
{
    lil_float8 a = { 0 }, b = a, c = a, d = a;
    for (size_t i = 0; i < n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    return lil_float8_sum((a + b) + (c + d));
}

/* bytes/s in order, of so many that one thread reads again and again */
static double stream(double bytes)
{
    enum { REPEATS = 15 };
    size_t n = (size_t)(bytes / sizeof(lil_float8)) / 4 * 4 + 4;
    lil_float8 *memory = must_alloc(n, sizeof *memory);
    memset(memory, 1, n * sizeof *memory);
    volatile float seen = 0;
    double best;
    BEST(1, REPEATS, best, seen += sum_of(memory, n));
    free(memory);
    return (double)(n * sizeof *memory) / best;
}

/* of N and its columns */
static double matrix_bytes(const lil_blocks *A)
{
    return (double)A->upper[0] * ((A->packed ? sizeof(lil_packed) : sizeof(lil_slot)) + sizeof *A->column);
}

static double vector_bytes(const lil_blocks *A, int vectors)
{
    return (double)vectors * lil_blocks_rows(A) * sizeof(lil_float4);
}

static void show_bandwidth(const char *what, double bytes, double seconds)
{
    double own = bytes / seconds, most = stream(bytes);
    printf("      %-8s %7.2f MB at %5.1f GB/s: %3.0f %% of the %5.1f GB/s of a sum over as much\n", what,
           1e-6 * bytes, 1e-9 * own, 100 * own / most, 1e-9 * most);
}

/* A product reads x, writes y and adds to it. A swept iteration reads or writes a vector 15 times: 2 in the backward
 * half, 4 in the forward half, 9 in the recurrences of d, r and p. The matrix is set from the blocks of pairs, in
 * two passes over their places. */
static void measure_bandwidth(const lil_blocks *A, double set, double apply, double iteration)
{
    double places = (double)A->upper[0] * sizeof *A->source, rows = lil_blocks_rows(A);
    show_bandwidth("product", matrix_bytes(A) + vector_bytes(A, 4), apply);
    show_bandwidth("sweeps", matrix_bytes(A) + vector_bytes(A, 15), iteration);
    show_bandwidth("set", matrix_bytes(A) + 2 * places + 36. * A->places + rows * (2 * sizeof *A->L), set);
}

static void measure(bench *w, int threads, int repeats)
{
    lil_context_set_threads(w->ctx, threads);
    double set, apply, update, cycle, solve[2][2];
    lil_pcg_ask ask[2][2];
    BEST(threads, 3 * repeats, set, lil_blocks_set(&w->s.A, w->s.e.mass, w->s.blocks));
    lil_blocks_import(&w->s.A, 1 / lil_blocks_norm(&w->s.A, w->b), w->b, w->cg.p);
    BEST(threads, 10 * repeats, apply, lil_blocks_apply(&w->s.A, w->cg.p, w->cg.q));
    BEST(threads, repeats, update, lil_multilevel_update(&w->m));
    BEST(threads, 2 * repeats, cycle, lil_multilevel_cycle(&w->m, w->cg.p));
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 2; k++) {
            ask[e][k] =
                (lil_pcg_ask){ .eta = e ? 1e-3 : 1e-2, .iterations_max = 3000, .multilevel = k ? &w->m : NULL };
            BEST(threads, repeats, solve[e][k], lil_pcg_solve(&w->cg, w->b, w->d, &ask[e][k]));
        }
    printf("    %d thread%s set %7.3f ms  product %7.1f us (%.2f ns a block)  update %7.2f ms  cycle %7.1f us\n",
           threads, threads > 1 ? "s" : " ", 1e3 * set, 1e6 * apply, 1e9 * apply / (2. * w->s.A.places), 1e3 * update,
           1e6 * cycle);
    for (int e = 0; e < 2; e++)
        printf("      to %.0e: sweeps %4d iterations %8.2f ms (%.0f us each), V-cycle %3d iterations %8.2f ms\n",
               e ? 1e-3 : 1e-2, ask[e][0].iterations, 1e3 * solve[e][0], 1e6 * solve[e][0] / ask[e][0].iterations,
               ask[e][1].iterations, 1e3 * solve[e][1]);
    if (threads == 1)
        measure_bandwidth(&w->s.A, set, apply, solve[1][0] / ask[1][0].iterations);
}

static bool run(lil_context *ctx, const char *shape, const char *options, double jitter, double stiff, int repeats)
{
    bench w = { .ctx = ctx };
    elastic_make(ctx, shape, options, 1, jitter, jitter > 0, &w.s.e);
    elastic_twist(&w.s.e);
    elastic_finish(&w.s.e, 1000);
    if (!system_make(ctx, &w.s, 2e4 * stiff, 1e5 * stiff, true, 0.25e-4, 1) ||
        lil_pcg_create(ctx, &w.arena, &w.s.A, &w.cg) != LIL_OK)
        return false;
    double start = now(1);
    if (lil_multilevel_create(ctx, &w.arena, &w.s.A, w.s.e.rows, &w.m) != LIL_OK)
        return false;
    double create = now(1) - start;
    w.b = must_alloc(3 * (size_t)w.s.e.n, sizeof *w.b);
    w.d = must_alloc(3 * (size_t)w.s.e.n, sizeof *w.d);
    for (int i = 0; i < 3 * w.s.e.n; i++)
        w.b[i] = w.s.e.mass[i / 3] * smooth(w.s.e.rows + 3 * (i / 3), i % 3);
    lil_multilevel_update(&w.m);
    printf("%s %s, %g times as stiff: %d tets, %d rows, %d pairs, %.0f bytes a tet; levels", shape, options, stiff,
           w.s.e.tets, w.s.e.n, w.s.A.places,
           (double)(arena_bytes(&w.arena) + arena_bytes(&w.s.arena) + 36 * (size_t)w.s.A.places) / w.s.e.tets);
    for (int l = 0; l < w.m.used; l++)
        printf(" %d (%d pairs, %d phases)", w.m.level[l].A->n, w.m.level[l].A->places, w.m.level[l].A->phases);
    printf(", made in %.0f ms\n", 1e3 * create);
    measure(&w, 1, repeats);
    if (!getenv("ONE"))
        measure(&w, 2, repeats);
    free(w.b);
    free(w.d);
    lil_arena_free(&w.arena);
    system_free(&w.s);
    return true;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *shape, *options;
        double jitter;
        int tets;
    } cases[] = { { "bar", "cells=32,9,9", 0, 13000 },    { "bar", "cells=40,11,11", 0, 24000 },
                  { "bar", "cells=69,17,17", 0, 100000 }, { "bar", "cells=110,27,27", 0, 400000 },
                  { "ball", "cells=9", 0.1, 15000 },      { "ball", "cells=17", 0.1, 98000 },
                  { "ball", "cells=27", 0.1, 394000 } };
    double most = argc > 1 ? atof(argv[1]) : 1e9;
    lil_context *ctx = lil_context_create();
    bool ok = true;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int stiff = 1; stiff <= 20; stiff += 19)
            if (cases[k].tets <= most)
                ok = run(ctx, cases[k].shape, cases[k].options, cases[k].jitter, stiff,
                         cases[k].tets < 200000 ? 10 : 4) &&
                     ok;
    lil_context_destroy(&ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
