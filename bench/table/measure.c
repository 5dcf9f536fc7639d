#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_seconds(int threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

double entry_minimum(const entry *e)
{
    double least = NAN;
    for (int k = 0; k < e->repeats; k++)
        least = fmin(least, e->ms[k]);
    return least;
}

double entry_median(const entry *e)
{
    double sorted[REPEATS_MAX];
    int n = e->repeats;
    if (n == 0)
        return NAN;
    memcpy(sorted, e->ms, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

bool measure_ours(lil_context *ctx, const char *path, const int *cells, const char *solver, int threads, int steps,
                  double limit, sample *s, double *q)
{
    *s = (sample){ 0 };
    lil_run *run = NULL;
    if (lil_context_set_threads(ctx, threads) != LIL_OK || !(run = bench_run(ctx, path, cells, NULL, solver)))
        return false;
    lil_sim *sim = lil_run_sim(run);
    bool ok = true;
    while (ok && s->steps < steps && s->seconds < limit) {
        double start = bench_seconds(threads);
        ok = lil_sim_step(sim) == LIL_OK;
        s->seconds += bench_seconds(threads) - start;
        s->steps++;
    }
    lil_certificate c = lil_sim_certificate(sim);
    const lil_state *x = lil_sim_state(sim);
    s->failed = !ok;
    s->newton = (long)c.newton_iterations;
    s->linear = (long)c.linear_iterations;
    s->halved = (int)c.halved_steps;
    if (q)
        memcpy(q, x->q, (size_t)x->n * sizeof *q);
    lil_run_destroy(&run);
    return true;
}

bool measure_petsc(petsc_solver *solver, problem *pb, int steps, double limit, sample *s)
{
    *s = (sample){ 0 };
    double *v = malloc((size_t)pb->n * sizeof *v), target;
    if (!v)
        return false;
    problem_reset(pb);
    while (s->steps < steps && s->seconds < limit) {
        problem_guess(pb, v, &target);
        double start = bench_seconds(1);
        outcome o = petsc_solve(solver, v, target);
        s->seconds += bench_seconds(1) - start;
        s->failed += !problem_solved(pb, v, target);
        start = bench_seconds(1);
        problem_accept(pb, v);
        s->seconds += bench_seconds(1) - start;
        s->newton += o.newton;
        s->linear += o.linear;
        s->steps++;
        if (!o.ran || !isfinite(lil_norm(pb->n, pb->p)))
            break;
    }
    free(v);
    return true;
}
