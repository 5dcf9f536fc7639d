/* Models from callbacks: sparse second derivatives, forces with booked work, and callbacks that refuse. */
#include "problems.h"
#include "test.h"

#include <float.h>

static lil_context *ctx;

/* ---- a chain of masses on springs that stiffen, W = sum (d^2/2 + d^4/4), ends held ---- */

enum { CHAIN_MAX = 200 };

typedef struct chain {
    int n, gradients;
} chain;

static double stretch(const double *q, int n, int i)
{
    return (i < n ? q[i] : 0) - (i > 0 ? q[i - 1] : 0);
}

static bool chain_potential(void *user, double t, const double *q, double *W, double *g)
{
    chain *c = user;
    (void)t;
    *W = 0;
    c->gradients += g != NULL;
    for (int i = 0; i < c->n && g; i++)
        g[i] = 0;
    for (int i = 0; i <= c->n; i++) {
        double d = stretch(q, c->n, i), f = d + d * d * d;
        *W += d * d / 2 + d * d * d * d / 4;
        if (g && i < c->n)
            g[i] += f;
        if (g && i > 0)
            g[i - 1] -= f;
    }
    return true;
}

static double stiffness(const double *q, int n, int i)
{
    double d = stretch(q, n, i);
    return 1 + 3 * d * d;
}

/* by rows: (0, 0) (0, 1) (1, 0) (1, 1) (1, 2) ... */
static int chain_pattern(int n, int *row, int *col)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n) {
                row[count] = i;
                col[count++] = j;
            }
    return count;
}

static double chain_entry(const double *q, int n, int i, int j)
{
    return i == j ? stiffness(q, n, i) + stiffness(q, n, i + 1) : -stiffness(q, n, i > j ? i : j);
}

static bool chain_sparse(void *user, double t, const double *q, double *K)
{
    const chain *c = user;
    (void)t;
    for (int i = 0; i < c->n; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < c->n)
                *K++ = chain_entry(q, c->n, i, j);
    return true;
}

static bool chain_dense(void *user, double t, const double *q, double *K)
{
    const chain *c = user;
    (void)t;
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++)
            K[i * c->n + j] = abs(i - j) <= 1 ? chain_entry(q, c->n, i, j) : 0;
    return true;
}

/* the same as a general L */
static bool chain_lagrangian(void *user, double t, const double *q, const double *v, double *L, double *Lq,
                             double *Lv)
{
    const chain *c = user;
    double W, T = 0;
    chain_potential(user, t, q, &W, Lq);
    for (int i = 0; i < c->n; i++) {
        T += v[i] * v[i] / 2;
        if (Lq)
            Lq[i] = -Lq[i];
        if (Lv)
            Lv[i] = v[i];
    }
    *L = T - W;
    return true;
}

static bool chain_lagrangian_sparse(void *user, double t, const double *q, const double *v, double *Lqq, double *Lqv,
                                    double *Lvv)
{
    const chain *c = user;
    (void)v, (void)Lqv;
    chain_sparse(user, t, q, Lqq);
    for (int k = 0; k < 3 * c->n - 2; k++)
        Lqq[k] = -Lqq[k];
    for (int i = 0; i < c->n; i++)
        Lvv[i] = 1;
    return true;
}

typedef enum how { DENSE, SPARSE, FULL_PATTERN, DIFFERENCED, DIFFERENCED_DENSE } how;

typedef struct result {
    double q[CHAIN_MAX], energy_band, force_work;
    int gradients;
} result;

static lil_sim *begin_sim(lil_model *model, int n, const char *integrator)
{
    static double q[CHAIN_MAX];
    lil_sim *sim = NULL;
    lil_sim_def def = lil_sim_def_default();
    for (int i = 0; i < n; i++)
        q[i] = 0.5 * sin(3.0 * (i + 1) / (n + 1));
    def.integrator = integrator;
    def.step = 0.2;
    def.q = q;
    if (lil_sim_create(ctx, model, &def, &sim) != LIL_OK)
        printf("%s\n", lil_context_message(ctx));
    return sim;
}

static void run_chain(int n, how way, bool general, result *r)
{
    static int row[CHAIN_MAX * CHAIN_MAX], col[CHAIN_MAX * CHAIN_MAX];
    static double mass[CHAIN_MAX];
    chain c = { .n = n };
    int diagonal[CHAIN_MAX], count = chain_pattern(n, row, col);
    lil_model *model;
    for (int i = 0; i < n; i++) {
        mass[i] = 1;
        diagonal[i] = i;
    }
    if (way == FULL_PATTERN)
        for (count = 0; count < n * n; count++) {
            row[count] = count / n;
            col[count] = count % n;
        }
    bool sparse = way == SPARSE || way == FULL_PATTERN || way == DIFFERENCED;
    lil_sparsity pattern = { sparse ? count : 0, sparse ? row : NULL, sparse ? col : NULL };
    lil_separable_def separable = { .n = n,
                                    .mass = mass,
                                    .potential = chain_potential,
                                    .hessian = way == SPARSE                         ? chain_sparse
                                               : way == DENSE || way == FULL_PATTERN ? chain_dense
                                                                                     : NULL,
                                    .user = &c,
                                    .qq = pattern };
    lil_lagrangian_def lagrangian = { .n = n,
                                      .lagrangian = chain_lagrangian,
                                      .hessian = way == SPARSE ? chain_lagrangian_sparse : NULL,
                                      .user = &c,
                                      .qq = pattern };
    if (sparse)
        lagrangian.vv = (lil_sparsity){ n, diagonal, diagonal };
    MUST(general ? lil_model_create_lagrangian(ctx, &lagrangian, &model)
                 : lil_model_create_separable(ctx, &separable, &model));
    lil_sim *sim = begin_sim(model, n, "midpoint");
    c.gradients = 0;
    for (int k = 0; k < 20; k++)
        MUST(lil_sim_step(sim));
    memcpy(r->q, lil_sim_state(sim)->q, (size_t)n * sizeof *r->q);
    r->gradients = c.gradients;
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

static double apart(int n, const result *a, const result *b)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

/* A pattern changes the order in which a factor rounds, not the step: both solve the equations to 1e-12 of forces of 1, twenty
 * times. All n^2 places in order are the dense matrix, to the bit. */
TEST(a_sparse_hessian_gives_the_step_of_the_dense_one)
{
    static result dense, other;
    int n = 12;
    run_chain(n, DENSE, false, &dense);
    run_chain(n, SPARSE, false, &other);
    CHECK_BELOW(apart(n, &dense, &other), 1e-11);
    run_chain(n, FULL_PATTERN, false, &other);
    CHECK(memcmp(dense.q, other.q, (size_t)n * sizeof(double)) == 0);
    run_chain(n, DIFFERENCED, false, &other);
    CHECK_BELOW(apart(n, &dense, &other), 1e-11);
    for (how way = SPARSE; way <= DIFFERENCED_DENSE; way++) {
        if (way == FULL_PATTERN)
            continue;
        run_chain(n, way, true, &other); /* as a general L, by a root instead of a minimum */
        CHECK_BELOW(apart(n, &dense, &other), 1e-11);
    }
}

/* A band of width 3 has three colours: 6 gradients a Hessian, of any length. */
TEST(differences_do_not_grow_with_the_chain)
{
    static result small, large;
    run_chain(20, DIFFERENCED, false, &small);
    run_chain(CHAIN_MAX, DIFFERENCED, false, &large);
    CHECK(large.gradients < 2 * small.gradients);
    run_chain(20, DIFFERENCED_DENSE, false, &large);
    CHECK(large.gradients > 3 * small.gradients);
}

/* ---- patterns that cannot be ---- */

static void refuse(const lil_separable_def *def, const char *part)
{
    lil_model *model = (lil_model *)def;
    CHECK(lil_model_create_separable(ctx, def, &model) == LIL_ERR_ARGUMENT && !model);
    if (!strstr(lil_context_message(ctx), part)) {
        test_failures++;
        printf("'%s' is not in '%s'\n", part, lil_context_message(ctx));
    }
}

TEST(patterns_are_checked)
{
    chain c = { .n = 3 };
    double mass[3] = { 1, 1, 1 };
    int row[] = { 0, 0, 1, 1, 2 }, col[] = { 0, 1, 0, 1, 2 };
    lil_separable_def def = { .n = 3, .mass = mass, .potential = chain_potential, .user = &c, .qq = { 5, row, col } };
    lil_model *model;
    MUST(lil_model_create_separable(ctx, &def, &model));
    lil_model_destroy(&model);
    def.qq.count = 0;
    refuse(&def, "def->qq lists places, but has 0 entries");
    def.qq.count = -1;
    refuse(&def, "def->qq has -1 entries");
    def.qq = (lil_sparsity){ 5, row, NULL };
    refuse(&def, "its col is NULL");
    def.qq.col = col;
    col[4] = 3;
    refuse(&def, "entry 4 is in row 2 and column 3, but both must be between 0 and 2");
    col[4] = -1;
    refuse(&def, "column -1");
    row[4] = 0, col[4] = 1;
    refuse(&def, "entries 1 and 4 are both in row 0 and column 1");
    row[4] = 2, col[4] = 1;
    refuse(&def, "it has row 2, column 1 (entry 4), but not row 1, column 2");
    row[4] = 1, col[4] = 2;
    refuse(&def, "it has row 1, column 2 (entry 4), but not row 2, column 1");
    lil_lagrangian_def general = { .n = 3, .lagrangian = chain_lagrangian, .user = &c };
    general.qq = (lil_sparsity){ 4, row, col };
    CHECK(lil_model_create_lagrangian(ctx, &general, &model) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "def->vv has no entries"));
}

/* ---- forces ---- */

typedef struct pull {
    double c, F;
} pull;

static bool free_potential(void *user, double t, const double *q, double *W, double *g)
{
    (void)user, (void)t, (void)q;
    *W = 0;
    if (g)
        g[0] = 0;
    return true;
}

static bool pull_force(void *user, double t, const double *q, const double *v, double *F)
{
    const pull *p = user;
    (void)t, (void)q;
    F[0] = p->F - p->c * v[0];
    return true;
}

static bool pull_derivatives(void *user, double t, const double *q, const double *v, double *Fq, double *Fv)
{
    const pull *p = user;
    (void)t, (void)q, (void)v, (void)Fq;
    Fv[0] = -p->c;
    return true;
}

/* A mass that is pulled by F and dragged by c v, from rest: v = F/c (1 - exp(-c t)), x = F/c (t - (1 - exp(-c t))/c). The work of F,
 * F x, is external; what c v takes, F x - v^2/2, is dissipated. Midpoint is of order 2. */
static double pulled(const char *integrator, double h, bool own, bool sparse, lil_certificate *certificate, double *x)
{
    pull p = { 0.8, 2 };
    double mass = 1, q = 0;
    int zero = 0;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_separable_def def = { .n = 1, .mass = &mass, .potential = free_potential };
    def.parts.force = (lil_force){ .force = pull_force, .derivatives = own ? pull_derivatives : NULL, .user = &p };
    if (sparse)
        def.parts.force.Fv = (lil_sparsity){ 1, &zero, &zero };
    lil_sim_def sd = lil_sim_def_default();
    sd.integrator = integrator;
    sd.step = h;
    sd.q = &q;
    bool ok =
        lil_model_create_separable(ctx, &def, &model) == LIL_OK && lil_sim_create(ctx, model, &sd, &sim) == LIL_OK;
    for (int k = 0; ok && k < (int)lround(2 / h); k++)
        ok = lil_sim_step(sim) == LIL_OK;
    if (!ok)
        printf("%s\n", lil_context_message(ctx));
    CHECK(ok);
    double exact = p.F / p.c * (2 - (1 - exp(-p.c * 2)) / p.c);
    *certificate = ok ? lil_sim_certificate(sim) : (lil_certificate){ 0 };
    *x = ok ? lil_sim_state(sim)->q[0] : NAN;
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    return fabs(*x - exact);
}

TEST(a_force_callback_does_booked_work)
{
    static const char *const methods[] = { "midpoint", "gauss", "rk4" };
    lil_certificate c;
    double x;
    double coarse = pulled("midpoint", 0.1, true, true, &c, &x), fine = pulled("midpoint", 0.05, true, true, &c, &x);
    CHECK(coarse / fine > 3.8 && coarse / fine < 4.2);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) { /* differenced; dense; sparse */
            pulled(methods[i], 0.05, k > 0, k > 1, &c, &x);
            CHECK_NEAR(c.external_work, 2 * x, 3e-3); /* of order h^2 */
            /* the books: what was put in is there or was taken out */
            CHECK_NEAR(c.energy_final - c.energy_initial, c.external_work - c.energy_dissipated, 3e-3);
            CHECK(c.energy_dissipated > 0.1);
        }
}

static bool push_force(void *user, double t, const double *q, const double *v, double *F)
{
    (void)user, (void)q, (void)v;
    F[0] = cos(t);
    return true;
}

/* x'' = cos t from rest: x = 1 - cos t. A force of t alone leaves a step a minimisation, and any L may have it. */
TEST(a_force_of_time_alone_is_minimised)
{
    double mass = 1, q = 0;
    lil_model *model;
    lil_sim *sim;
    lil_separable_def def = { .n = 1, .mass = &mass, .potential = free_potential };
    def.parts.force = (lil_force){ .force = push_force, .only_time = true };
    MUST(lil_model_create_separable(ctx, &def, &model));
    lil_sim_def sd = lil_sim_def_default();
    sd.integrator = "midpoint";
    sd.step = 0.01;
    sd.q = &q;
    sd.solver.method = LIL_SOLVER_MINIMISE;
    MUST(lil_sim_create(ctx, model, &sd, &sim));
    for (int k = 0; k < 100; k++)
        MUST(lil_sim_step(sim));
    CHECK_NEAR(lil_sim_state(sim)->q[0], 1 - cos(1.), 1e-5); /* h^2/12 of the force */
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    def.parts.force.only_time = false; /* then it may follow the motion, and that is no minimisation */
    MUST(lil_model_create_separable(ctx, &def, &model));
    CHECK(lil_sim_create(ctx, model, &sd, &sim) == LIL_ERR_INPUT);
    lil_model_destroy(&model);
    def.parts.force = (lil_force){ .derivatives = pull_derivatives };
    CHECK(lil_model_create_separable(ctx, &def, &model) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "force is NULL"));
}

/* ---- callbacks that refuse ---- */

typedef struct wall {
    double at;   /* beyond it nothing exists */
    bool nan;    /* says so by a NaN, not by false */
    int hessian; /* which call of it refuses; 0: none does */
    int calls;
} wall;

static bool wall_potential(void *user, double t, const double *q, double *W, double *g)
{
    const wall *w = user;
    (void)t;
    *W = -q[0];
    if (g)
        g[0] = q[0] > w->at && w->nan ? (double)NAN : -1;
    return q[0] <= w->at || w->nan;
}

static bool wall_hessian(void *user, double t, const double *q, double *K)
{
    wall *w = user;
    (void)t, (void)q;
    K[0] = 0;
    return !w->hessian || ++w->calls < w->hessian;
}

static bool wall_force(void *user, double t, const double *q, const double *v, double *F)
{
    (void)user, (void)q, (void)v;
    F[0] = 0.1;
    return t < 0.3;
}

static lil_status run_wall(const wall *given, const char *integrator, bool force)
{
    wall w = *given;
    double mass = 1, q = 0;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_separable_def def = {
        .n = 1, .mass = &mass, .potential = wall_potential, .hessian = wall_hessian, .user = &w
    };
    if (force)
        def.parts.force = (lil_force){ .force = wall_force, .only_time = true };
    lil_sim_def sd = lil_sim_def_default();
    sd.integrator = integrator;
    sd.step = 0.1;
    sd.q = &q;
    lil_status status = lil_model_create_separable(ctx, &def, &model);
    if (status == LIL_OK)
        status = lil_sim_create(ctx, model, &sd, &sim);
    for (int k = 0; status == LIL_OK && k < 100; k++)
        status = lil_sim_step(sim);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    return status;
}

static void expect_words(const char *a, const char *b)
{
    const char *message = lil_context_message(ctx);
    if (strstr(message, a) && strstr(message, b))
        return;
    test_failures++;
    printf("%s: '%s' and '%s' are not in '%s'\n", test_name, a, b, message);
}

/* x = t^2/2 reaches 0.5 at t = 1. */
TEST(who_refused_is_said)
{
    static const char *const methods[] = { "midpoint", "stormer-verlet", "implicit-euler", "gauss", "rk4" };
    for (int i = 0; i < 5; i++) {
        CHECK(run_wall(&(wall){ .at = 0.5 }, methods[i], false) == LIL_ERR_NOT_FINITE);
        expect_words("the callback 'potential' refused", "t = ");
        CHECK(run_wall(&(wall){ .at = 0.5, .nan = true }, methods[i], false) == LIL_ERR_NOT_FINITE);
        expect_words("the callback 'potential' refused", "t = ");
        CHECK(run_wall(&(wall){ .at = INFINITY }, methods[i], true) == LIL_ERR_NOT_FINITE);
        expect_words("the callback 'force' refused", "t = ");
    }
    CHECK(run_wall(&(wall){ .at = -1 }, "midpoint", false) == LIL_ERR_NOT_FINITE);
    expect_words("the callback 'potential' refused: it returned false", "at the start");
    CHECK(run_wall(&(wall){ .at = -1, .nan = true }, "midpoint", false) == LIL_ERR_NOT_FINITE);
    expect_words("the callback 'potential' refused: it gave dW/dq[0] = nan", "at t = 0");
    CHECK(run_wall(&(wall){ .at = INFINITY, .hessian = 1 }, "midpoint", false) == LIL_ERR_NOT_FINITE);
    expect_words("the callback 'hessian' refused at t = ", "in the step from t = 0");
}

int main(void)
{
    ctx = lil_context_create();
    RUN(a_sparse_hessian_gives_the_step_of_the_dense_one);
    RUN(differences_do_not_grow_with_the_chain);
    RUN(patterns_are_checked);
    RUN(a_force_callback_does_booked_work);
    RUN(a_force_of_time_alone_is_minimised);
    RUN(who_refused_is_said);
    lil_context_destroy(&ctx);
    return test_end();
}
