/* Implicit steps of a chain of 3000 masses: as text, from callbacks with a sparse Hessian, and with gradients differenced. */
#include <lilyan/lilyan.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 3000, STEPS = 200 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double stretch(const double *q, int i)
{
    return (i < N ? q[i] : 0) - (i > 0 ? q[i - 1] : 0);
}

static bool potential(void *user, double t, const double *q, double *W, double *g)
{
    (void)user, (void)t;
    *W = 0;
    for (int i = 0; i <= N; i++) {
        double d = stretch(q, i);
        *W += d * d / 2 + d * d * d * d / 4;
        if (g && i < N) {
            double e = stretch(q, i + 1);
            g[i] = (d + d * d * d) - (e + e * e * e);
        }
    }
    return true;
}

static bool hessian(void *user, double t, const double *q, double *K)
{
    (void)user, (void)t;
    for (int i = 0; i < N; i++) {
        double d = stretch(q, i), e = stretch(q, i + 1), left = 1 + 3 * d * d, right = 1 + 3 * e * e;
        if (i > 0)
            *K++ = -left;
        *K++ = left + right;
        if (i < N - 1)
            *K++ = -right;
    }
    return true;
}

/* ms a step, after the first ten */
static double measure(lil_context *ctx, lil_sim *sim, const char *name)
{
    double start = 0;
    for (int k = 0; k < STEPS + 10; k++) {
        if (k == 10)
            start = seconds();
        if (!sim || lil_sim_step(sim) != LIL_OK) {
            printf("%s: %s\n", name, lil_context_message(ctx));
            return NAN;
        }
    }
    double each = (seconds() - start) / STEPS * 1e3;
    printf("%-36s %8.3f ms a step, %g iterations, q[N/2] = %.12f\n", name, each,
           lil_sim_certificate(sim).newton_iterations, lil_sim_state(sim)->q[N / 2]);
    return each;
}

static lil_sim *from_callbacks(lil_context *ctx, bool own, const double *q, lil_model **model)
{
    static double mass[N];
    static int row[3 * N], col[3 * N];
    int count = 0;
    lil_sim *sim = NULL;
    lil_sim_def def = lil_sim_def_default();
    for (int i = 0; i < N; i++) {
        mass[i] = 1;
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            row[count] = i;
            col[count++] = j;
        }
    }
    lil_separable_def chain = {
        .n = N, .mass = mass, .potential = potential, .hessian = own ? hessian : NULL, .qq = { count, row, col }
    };
    def.integrator = "midpoint";
    def.step = 0.5;
    def.q = q;
    return lil_model_create_separable(ctx, &chain, model) == LIL_OK &&
                   lil_sim_create(ctx, *model, &def, &sim) == LIL_OK
               ? sim
               : NULL;
}

int main(void)
{
    static const char text[] =
        "lagrangian: sum(i, 1, n, 1/2*dx[i]^2) - sum(i, 1, n-1, 1/2*(x[i+1] - x[i])^2 + 1/4*(x[i+1] - x[i])^4)"
        " - 1/2*(x[1]^2 + x[n]^2) - 1/4*(x[1]^4 + x[n]^4)\n"
        "parameters: {n: 3000}\n"
        "start: {x: \"list(i, 1, n, 30*sin(pi*i/(n + 1)))\"}\n"
        "integrator: midpoint\n"
        "time: {step: 0.5, until: 1000}\n";
    static double q[N];
    lil_context *ctx = lil_context_create();
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    lil_model *model = NULL;
    for (int i = 0; i < N; i++)
        q[i] = 30 * sin(3.141592653589793 * (i + 1) / (N + 1));
    if (lil_scene_parse(ctx, "chain", text, strlen(text), &scene) == LIL_OK)
        lil_run_create(ctx, scene, &def, &run);
    double as_text = measure(ctx, run ? lil_run_sim(run) : NULL, "text");
    for (int own = 1; own >= 0; own--) {
        lil_sim *sim = from_callbacks(ctx, own, q, &model);
        double each = measure(ctx, sim, own ? "callbacks, sparse Hessian" : "callbacks, gradients differenced");
        printf("%36s %8.2f of text's\n", "", each / as_text);
        lil_sim_destroy(&sim);
        lil_model_destroy(&model);
    }
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    lil_context_destroy(&ctx);
    return 0;
}
