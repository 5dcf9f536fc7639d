/*
 * The linear algebra of a Newton iteration, M + h^2/4 K: products, iterations and times of conjugate gradients with
 * block-Jacobi and with the V-cycle, on the twisted bar and on a ball with shuffled, jittered vertices, at the scene's
 * stiffness and at 20 times it. Minima of many repeats; wall time, beside the processor's for one thread.
 */
#include "elastic.h"

#include "solvers/pcg.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define BEST(threads, repeats, best, ...)                                                                            \
    do {                                                                                                             \
        best = INFINITY;                                                                                             \
        for (int r_ = 0; r_ < (repeats); r_++) {                                                                     \
            double start_ = (threads) == 1 ? cpu() : now();                                                          \
            __VA_ARGS__;                                                                                             \
            best = fmin(best, ((threads) == 1 ? cpu() : now()) - start_);                                            \
        }                                                                                                            \
    } while (0)

static void products(lil_context *ctx, system_t *s, int threads)
{
    lil_pcg cg;
    lil_arena arena = { 0 };
    lil_context_set_threads(ctx, threads);
    if (lil_pcg_create(ctx, &arena, &s->A, &cg) != LIL_OK)
        return;
    unsigned seed = 3;
    double *b = must_alloc(3 * (size_t)s->e.n, sizeof *b), *d = must_alloc(3 * (size_t)s->e.n, sizeof *d);
    for (int i = 0; i < 3 * s->e.n; i++)
        b[i] = elastic_random(&seed) - 0.5;
    lil_blocks_take(&s->A, 1, b, cg.p);
    double set, apply, iteration;
    BEST(threads, 50, set, lil_blocks_set(&s->A, s->e.mass, s->blocks));
    BEST(threads, 200, apply, lil_blocks_apply(&s->A, cg.p, cg.q));
    BEST(threads, 40, iteration, lil_pcg_solve(&cg, b, d, &(lil_pcg_ask){ .eta = 0, .iterations_max = 20 }));
    iteration /= 20;
    printf("  %d threads: set %.3f ms, product %.1f us = %.2f ns a block, iteration %.1f us; slots' fill %.2f\n",
           threads, 1e3 * set, 1e6 * apply, 1e9 * apply / (2. * s->A.places), 1e6 * iteration,
           2. * s->A.places / (8. * s->A.start[s->A.groups]));
    free(b);
    free(d);
    lil_arena_free(&arena);
}

int main(void)
{
    static const char *const cells[] = { "cells=32,9,9", "cells=40,11,11", "cells=69,17,17", "cells=110,27,27" };
    lil_context *ctx = lil_context_create();
    for (int k = 0; k < 4; k++) {
        system_t s = { 0 };
        elastic_make(ctx, "bar", cells[k], 1, 0, false, &s.e);
        elastic_twist(&s.e);
        elastic_finish(&s.e, 1000);
        if (!system_make(ctx, &s, 2e4, 1e5, true, 0.25e-4, 1))
            return EXIT_FAILURE;
        printf("%d tets, %d rows, %d pairs\n", s.e.tets, s.e.n, s.A.places);
        products(ctx, &s, 1);
        products(ctx, &s, 2);
        system_free(&s);
    }
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
