/* A chain of 3000 masses by implicit steps: the potential and its Hessian are callbacks, and a lil_sparsity says where the
 * Hessian differs from 0. (Fermi, Pasta & Ulam's chain: springs with a force d + d^3.) */
#include <lilyan/lilyan.h>
#include <math.h>

enum { N = 3000 };

static double stretch(const double *q, int i) /* of the spring to the left of mass i; both ends are held */
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

static bool hessian(void *user, double t, const double *q, double *K) /* in the order of the pattern */
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

int main(void)
{
    static double mass[N], q[N];
    static int row[3 * N], col[3 * N];
    lil_context *ctx = lil_context_create();
    lil_sparsity tridiagonal = { .count = 0, .row = row, .col = col };
    lil_sim_def start = lil_sim_def_default();
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    for (int i = 0; i < N; i++) {
        mass[i] = 1;
        q[i] = 30 * sin(3.141592653589793 * (i + 1) / (N + 1));
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            row[tridiagonal.count] = i;
            col[tridiagonal.count++] = j;
        }
    }
    const lil_separable_def def = { .n = N,
                                    .mass = mass,
                                    .potential = potential,
                                    .hessian = hessian, /* without it gradients are differenced, 6 for any N */
                                    .qq = tridiagonal };
    start.integrator = "midpoint";
    start.step = 0.5;
    start.q = q;
    bool ok =
        lil_model_create_separable(ctx, &def, &model) == LIL_OK && lil_sim_create(ctx, model, &start, &sim) == LIL_OK;
    for (int k = 0; k < 100 && ok; k++)
        ok = lil_sim_step(sim) == LIL_OK;
    printf("%s", ok ? "" : lil_context_message(ctx));
    if (ok)
        printf("t = %g s, energy band %.1g\n", lil_sim_state(sim)->t, lil_sim_certificate(sim).energy_band);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_context_destroy(&ctx);
    return ok ? 0 : 1;
}
