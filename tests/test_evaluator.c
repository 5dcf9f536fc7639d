/* The evaluator leaves out what is held: the same body, once free and once fixed at one end and led at the other. */
#include "solids.h"

static lil_context *ctx;

#define HELD_BAR                                                                                                     \
    "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.5, 0.5], cells: [3, 2, 2]}\n"                                 \
    "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n"                                                           \
    "    damping: {kD: 0.01, form: minimised}\n"                                                                     \
    "    start: {stretch: 1.1, twist: 30, spin: [1, 2, 3]}\n"                                                        \
    "    loads: [{select: top, force: [1, 2, 3]}]\n"                                                                 \
    "    springs: [{from: top, to: {body: b, select: bottom}, stiffness: 50, length: 0.1}]\n%s"                      \
    "gravity: [1, 2, -9.81]\n" TIME

static const double t = 0.3;

/* The free one has n coordinates, at x with v; the held one m of them, at q with u. */
typedef struct pair {
    lil_run *whole, *held;
    lil_sim *a, *b;
    const lil_dofs *dofs;
    int n, m;
    double *x, *v, *q, *u, *g, *gq;
} pair;

static double *room(int count)
{
    double *x = calloc((size_t)count, sizeof *x);
    if (!x)
        abort();
    return x;
}

/* what is scripted is as its text says */
static void lead(pair *p)
{
    const lil_world *bs = p->held->plan.world;
    int moved = 0;
    for (int s = 0; s < p->dofs->script_count; s++)
        for (int k = 0; k < p->dofs->scripts[s].count; k++, moved++) {
            int at = 3 * p->dofs->scripts[s].vertices[k];
            const double *x0 = bs->x + at;
            const double by[3] = { 0.05 * sin(2 * t), 0.1 * t * t * x0[1], x0[0] * t };
            const double rate[3] = { 0.1 * cos(2 * t), 0.2 * t * x0[1], x0[0] };
            for (int d = 0; d < 3; d++) {
                p->x[at + d] = x0[d] + by[d];
                p->v[at + d] = rate[d];
            }
        }
    CHECK(moved == 9);
}

static pair open_pair(void)
{
    pair p = { .whole = body_problem(ctx, HELD_BAR, ""),
               .held = body_problem(ctx, HELD_BAR,
                                    "    fixed: left\n"
                                    "    handles: [{select: right, move: [0.05*sin(2*t), 0.1*t^2*y, x*t]}]\n") };
    p.a = start(ctx, p.whole, "midpoint", NULL, 0.01, NULL, NULL);
    p.b = start(ctx, p.held, "midpoint", NULL, 0.01, NULL, NULL);
    p.dofs = &p.held->plan.model->dofs;
    p.n = p.a->model->n;
    p.m = p.b->model->n;
    double **vectors[] = { &p.x, &p.v, &p.g, &p.gq, &p.q, &p.u };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = room(p.n);
    CHECK(p.dofs->total == p.n && p.m < p.n);
    for (int i = 0; i < p.n; i++) { /* what is fixed is where it started */
        p.x[i] = p.held->plan.world->x[i];
        if (p.dofs->number[i] >= 0) {
            p.q[p.dofs->number[i]] = p.x[i] += uniform(-0.01, 0.01);
            p.u[p.dofs->number[i]] = p.v[i] = uniform(-1, 1);
        }
    }
    lead(&p);
    return p;
}

static void close_pair(pair *p)
{
    double *vectors[] = { p->x, p->v, p->g, p->gq, p->q, p->u };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        free(vectors[i]);
    lil_sim_destroy(&p->a);
    lil_sim_destroy(&p->b);
    lil_run_destroy(&p->whole);
    lil_run_destroy(&p->held);
}

static void check_gradients(const pair *p)
{
    for (int i = 0; i < p->m; i++)
        CHECK_NEAR(p->gq[i], p->g[p->dofs->free[i]], 1e-13 * largest(p->n, p->g));
}

/* dE/dq v, of all, or of what is held */
static double power_of(const pair *p, bool all)
{
    double power = 0;
    for (int i = 0; i < p->n; i++)
        power += all || p->dofs->number[i] < 0 ? p->g[i] * p->v[i] : 0;
    return power;
}

TEST(energy_and_the_power_of_handles)
{
    pair p = open_pair();
    double W, Wq;
    lil_evaluate_potential(&p.a->ev, t, p.x, &W, p.g);
    lil_evaluate_potential(&p.b->ev, t, p.q, &Wq, p.gq);
    CHECK_NEAR(W, Wq, 1e-13 * fabs(W));
    check_gradients(&p);
    CHECK_NEAR(p.b->ev.power, power_of(&p, false), 1e-12 * fabs(p.b->ev.power));
    close_pair(&p);
}

/* The elastic part of W comes from the sum at a frame where elastic terms are the first: as if summed alone, to the bit. */
TEST(elastic_energy_of_a_frame)
{
    lil_run *run = body_problem(ctx, HELD_BAR, "");
    lil_sim *sim = start(ctx, run, "midpoint", NULL, 0.01, NULL, NULL);
    const lil_state *x = lil_sim_state(sim);
    double W;
    lil_evaluate_frame(&sim->ev, x->t, x->q, &W, NULL);
    CHECK(!isnan(sim->ev.frame_elastic)); /* tets and springs before loads and weight */
    double kept = lil_evaluate_elastic(&sim->ev, x->t, x->q);
    sim->ev.frame_valid = false;
    CHECK(kept == lil_evaluate_elastic(&sim->ev, x->t, x->q) && kept > 0 && kept != W);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

TEST(damping_and_its_power)
{
    pair p = open_pair();
    double S, Sq, taken, held_power;
    lil_evaluate_prepare(&p.a->ev, LIL_STEP, t, 0.01, p.x);
    lil_evaluate_prepare(&p.b->ev, LIL_STEP, t, 0.01, p.q);
    lil_evaluate_damping(&p.a->ev, LIL_STEP, t, p.x, p.v, &S, p.g, NULL, NULL);
    lil_evaluate_damping(&p.b->ev, LIL_STEP, t, p.q, p.u, &Sq, p.gq, &taken, &held_power);
    CHECK_NEAR(S, Sq, 1e-13 * S);
    check_gradients(&p);
    CHECK_NEAR(taken, power_of(&p, true), 1e-13 * taken);
    CHECK_NEAR(held_power, power_of(&p, false), 1e-12 * fabs(held_power));
    close_pair(&p);
}

/* The matrix is that of the free problem with rows and columns struck out. */
TEST(second_derivatives)
{
    pair p = open_pair();
    const lil_pattern *pa = &p.a->ev.matrix.pattern, *pb = &p.b->ev.matrix.pattern;
    const lil_weights weights = { .Pv = 1, .Qq = -0.7, .Sv = 1.3 };
    const int *at = p.dofs->free, n = p.n;
    double *A = room(pa->count), *B = room(pb->count), *full = room(n * n), most;
    lil_evaluate_prepare(&p.a->ev, LIL_STEP, t, 0.01, p.x);
    lil_evaluate_prepare(&p.b->ev, LIL_STEP, t, 0.01, p.q);
    lil_evaluate_second(&p.a->ev, t, p.x, p.v, &weights, A);
    lil_evaluate_second(&p.b->ev, t, p.q, p.u, &weights, B);
    most = largest(pa->count, A);
    for (int j = 0; j < n; j++)
        for (int k = pa->start[j]; k < pa->start[j + 1]; k++)
            full[n * pa->row[k] + j] = A[k];
    for (int j = 0; j < p.m; j++)
        for (int k = pb->start[j]; k < pb->start[j + 1]; k++) {
            double *entry = &full[n * at[pb->row[k]] + at[j]];
            CHECK_NEAR(B[k], *entry, 1e-13 * most);
            *entry = 0;
        }
    for (int i = 0; i < p.m; i++) /* and nothing is missing */
        for (int j = 0; j < p.m; j++)
            CHECK(full[n * at[i] + at[j]] == 0);
    free(A);
    free(B);
    free(full);
    close_pair(&p);
}

int main(void)
{
    ctx = lil_context_create();
    srand(1);
    RUN(energy_and_the_power_of_handles);
    RUN(elastic_energy_of_a_frame);
    RUN(damping_and_its_power);
    RUN(second_derivatives);
    lil_context_destroy(&ctx);
    return test_end();
}
