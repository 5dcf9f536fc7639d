/*
 * Twenty modes of the bar of 24,200 tets, free in space and clamped at one end: processor time on one thread. Beside it
 * ARPACK's shift-invert Lanczos method (Lehoucq, Sorensen & Yang 1998) with the same matrices, shift and factor, where it
 * is installed.
 */
#include "discrete/linearised.h"
#include "sim/sim.h"

#include <lilyan/statics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODES = 20, BASIS = 2 * MODES + 1 };

static const char scene_text[] = "bodies:\n"
                                 "  bar:\n"
                                 "    shape: {type: bar, size: [1, 0.25, 0.25], cells: [%d, %d, %d]}\n"
                                 "    material: {model: neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}\n"
                                 "%s";

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

#ifdef LILYAN_ARPACK
void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, int *info);
void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
             double *workd, double *workl, const int *lworkl, int *info);

/* The lowest eigenvalues, those of rigid motions too; the time includes making and factoring the matrices. */
static bool measure_arpack(lil_sim *sim, double shift, int rigid, double *omega2, double *seconds, int *solves)
{
    double start = cpu_seconds(), tol = 1e-9, sigma = -shift;
    lil_linearised s;
    bool definite = false;
    int n = sim->model->n, nev = MODES + rigid, ncv = BASIS + 2 * rigid, lworkl = ncv * (ncv + 8), ido = 0, info = 0;
    int iparam[11] = { 1, 0, 300, 1, 0, 0, 3 }, ipntr[14] = { 0 }, rvec = 1;
    double *resid = calloc((size_t)n, sizeof *resid), *v = calloc((size_t)n * (size_t)ncv, sizeof *v);
    double *workd = calloc(3 * (size_t)n, sizeof *workd), *workl = calloc((size_t)lworkl, sizeof *workl);
    double *d = calloc((size_t)nev, sizeof *d), *b = calloc((size_t)n, sizeof *b);
    int *select = calloc((size_t)ncv, sizeof *select);
    lil_linearised_create(sim->ctx, sim->model, 0, sim->state.q, &s);
    lil_linearised_factor(&s, shift, &definite);
    for (*solves = 0; definite;) {
        dsaupd_(&ido, "G", &n, "LM", &nev, &tol, resid, &ncv, v, &n, iparam, ipntr, workd, workl, &lworkl, &info);
        double *x = workd + ipntr[0] - 1, *y = workd + ipntr[1] - 1;
        if (ido == -1) {
            lil_linearised_weigh(&s, x, b);
            lil_linearised_solve(&s, b, y);
        } else if (ido == 1) {
            lil_linearised_solve(&s, workd + ipntr[2] - 1, y);
        } else if (ido == 2) {
            lil_linearised_weigh(&s, x, y);
            continue;
        } else {
            break;
        }
        ++*solves;
    }
    dseupd_(&rvec, "A", select, d, v, &n, &sigma, "G", &n, "LM", &nev, &tol, resid, &ncv, v, &n, iparam, ipntr, workd,
            workl, &lworkl, &info);
    *seconds = cpu_seconds() - start;
    memcpy(omega2, d + rigid, MODES * sizeof *d);
    lil_linearised_destroy(&s);
    free(resid), free(v), free(workd), free(workl), free(d), free(b), free(select);
    return definite && info == 0;
}

static void compare(lil_sim *sim, const lil_modes *modes, const char *name)
{
    double omega2[MODES], seconds, most = 0;
    int solves;
    lil_modes_result r = lil_modes_about(modes);
    lil_mode m;
    if (!measure_arpack(sim, r.shift, r.rigid, omega2, &seconds, &solves)) {
        fprintf(stderr, "bench_modes: ARPACK failed\n");
        return;
    }
    for (int i = 0; lil_modes_at(modes, i, &m); i++)
        most = fmax(most, fabs(omega2[i] / m.omega2 - 1));
    printf("           ARPACK: %.2f s, %d solutions; omega^2 differ by %.1e at most\n", seconds, solves, most);
    printf("{\"bench\": \"modes\", \"bar\": \"%s\", \"method\": \"ARPACK\", \"seconds\": %.4g}\n", name, seconds);
}
#else
static void compare(lil_sim *sim, const lil_modes *modes, const char *name)
{
    (void)sim, (void)modes, (void)name;
}
#endif

static bool measure(lil_context *ctx, const char *name, const char *fixed, int cells)
{
    char text[1024];
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_modes *modes = NULL;
    lil_run_def def = lil_run_def_default();
    lil_modes_def wanted = lil_modes_def_default();
    int across = (cells * 11 + 20) / 40;
    snprintf(text, sizeof text, scene_text, cells, across, across, fixed);
    def.task = LIL_TASK_MODES;
    bool ok = lil_scene_parse(ctx, "bar", text, strlen(text), &scene) == LIL_OK &&
              lil_run_create(ctx, scene, &def, &run) == LIL_OK;
    wanted.count = MODES;
    double start = cpu_seconds();
    ok = ok && lil_sim_modes(lil_run_sim(run), &wanted, &modes) == LIL_OK;
    double spent = cpu_seconds() - start;
    if (ok) {
        lil_modes_result r = lil_modes_about(modes);
        lil_mode first, last;
        lil_modes_at(modes, 0, &first);
        lil_modes_at(modes, r.count - 1, &last);
        printf("  %-8s %d coordinates: %d modes from %.6g to %.6g Hz, %d rigid, in %.2f s, residual %.1e, "
               "orthogonal to %.1e, %d vectors\n",
               name, r.n, r.count, first.frequency, last.frequency, r.rigid, spent, r.residual_max, r.orthogonality,
               r.vectors);
        printf("{\"bench\": \"modes\", \"bar\": \"%s\", \"method\": \"Lilyan\", \"seconds\": %.4g, \"residual\": "
               "%.3g}\n",
               name, spent, r.residual_max);
        compare(lil_run_sim(run), modes, name);
    } else {
        fprintf(stderr, "bench_modes: %s\n", lil_context_message(ctx));
    }
    lil_modes_destroy(&modes);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    return ok;
}

/* Another number of cells along the bar may be given. */
int main(int argc, char **argv)
{
    int cells = argc > 1 ? atoi(argv[1]) : 40;
    lil_context *ctx = lil_context_create();
    bool ok = lil_context_set_threads(ctx, 1) == LIL_OK && measure(ctx, "free", "", cells) &&
              measure(ctx, "clamped", "    fixed: left\n", cells);
    lil_context_destroy(&ctx);
    return ok ? 0 : 1;
}
