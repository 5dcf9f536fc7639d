// Henon and Heiles' galaxy from eight nearby starts, in four threads. All share one model; each thread has its own context.
#include <lilyan/lilyan.h>
#include <pthread.h>
#include <stdio.h>

enum { MEMBERS = 8, THREADS = 4 };

// W = (x^2 + y^2)/2 + x^2 y - y^3/3; the model is shared, so this must not write to anything shared
static bool galaxy(void *user, double t, const double *q, double *W, double *dW)
{
    double x = q[0], y = q[1];
    (void)user, (void)t;
    *W = (x * x + y * y) / 2 + x * x * y - y * y * y / 3;
    if (dW) {
        dW[0] = x + 2 * x * y;
        dW[1] = y + x * x - y * y;
    }
    return true;
}

typedef struct share {
    const lil_model *model;
    int first; // of every THREADS-th member
    double end[MEMBERS][2];
    lil_status status;
} share;

static lil_status run_member(lil_context *ctx, const lil_model *model, int member, double end[2])
{
    double q[2] = { 0.3, 0.1 + 1e-3 * member }, v[2] = { 0.2, 0 };
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.integrator = "stormer-verlet";
    def.q = q;
    def.v = v;
    lil_status status = lil_sim_create(ctx, model, &def, &sim);
    for (int k = 0; k < 20000 && status == LIL_OK; k++)
        status = lil_sim_step(sim);
    for (int i = 0; i < 2 && status == LIL_OK; i++)
        end[i] = lil_sim_state(sim)->q[i];
    lil_sim_destroy(&sim);
    return status;
}

static void *work(void *user)
{
    share *s = user;
    lil_context *ctx = lil_context_create();
    s->status = ctx ? lil_context_set_threads(ctx, 1) : LIL_ERR_MEMORY; // the threads are ours
    for (int m = s->first; m < MEMBERS && s->status == LIL_OK; m += THREADS)
        s->status = run_member(ctx, s->model, m, s->end[m]);
    lil_context_destroy(&ctx);
    return NULL;
}

int main(void)
{
    double mass[2] = { 1, 1 };
    lil_separable_def def = { .n = 2, .mass = mass, .potential = galaxy };
    lil_context *ctx = lil_context_create();
    lil_model *model = NULL;
    lil_status status = lil_model_create_separable(ctx, &def, &model);
    share shares[THREADS] = { { 0 } };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        shares[i] = (share){ .model = model, .first = i, .status = status };
        if (status == LIL_OK && pthread_create(&threads[i], NULL, work, &shares[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS && status == LIL_OK; i++)
        pthread_join(threads[i], NULL);
    for (int m = 0; m < MEMBERS && status == LIL_OK; m++)
        if ((status = shares[m % THREADS].status) == LIL_OK)
            printf("member %d: %9.6f %9.6f\n", m, shares[m % THREADS].end[m][0], shares[m % THREADS].end[m][1]);
    lil_model_destroy(&model);
    lil_context_destroy(&ctx);
    return status == LIL_OK ? 0 : 1;
}
