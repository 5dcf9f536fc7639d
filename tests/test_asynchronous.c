/*
 * Steps of its own for every element: how long they are, that equal ones are Stormer-Verlet's, what they keep and at what
 * cost, and what happens where they resonate. Its claims are held by test_integrators.c.
 */
#include "solids.h"
#include "springs.h"

#include "discrete/queue.h"
#include "discrete/step_groups.h"
#include "sim/checkpoint.h"

static lil_context *ctx;
static char warning[1024];

static void take_warning(void *user, const char *sentence)
{
    (void)user;
    snprintf(warning, sizeof warning, "%s", sentence);
}

/* A bar of 160 tets, and 20 more in a skin on its right end, a thirtieth as thick as the other cells; then more lines. */
#define SKIN "cuts: [0.4958333], "
static lil_run *bar(const char *cuts, const char *more)
{
    return body_problem(
        ctx,
        "bodies:\n  bar:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [8, 2, 2], %spattern: 5}\n"
        "    material: {model: neo-hookean, mu: 4e3, kappa: 2e4, density: 1000}\n%s" TIME,
        cuts, more);
}

#define MOVING "    start: {stretch: 1.1, twist: 30, spin: [1, 0.6, 2], push: [0.3, 0.2, -0.1]}\n"

/* ---- the queue ---- */

TEST(events_come_in_order)
{
    enum { N = 200, TIMES = 17 }; /* many at the same time */
    lil_event heap[N];
    lil_queue queue = { heap, 0 };
    int late = 0;
    for (int i = 0; i < N; i++)
        lil_queue_add(&queue, (lil_event){ i * 7 % TIMES, (i * 37) % N });
    lil_event last = { -1, -1 };
    for (int taken = 0; queue.count; taken++) {
        lil_event next = queue.heap[0];
        CHECK(next.time > last.time || (next.time == last.time && next.number > last.number));
        last = next;
        if (next.time < 3 && late++ < 20)
            lil_queue_put_off(&queue, next.time + 3.5);
        else
            lil_queue_take(&queue);
        CHECK(taken < 2 * N);
    }
    CHECK(late >= 20);
}

/* ---- how long steps are ---- */

/* The bound of one tet against the eigenvalues of its 12x12: never below, and not 1.5 times above. */
TEST(bound_of_a_tet)
{
    static const double X[12] = { 0, 0, 0, 1, 0.1, 0, 0.2, 0.9, -0.1, 0.3, 0.2, 0.4 };
    static const int tet[1][4] = { { 0, 1, 2, 3 } };
    lil_arena arena = { 0 };
    srand(1);
    for (int k = 0; k < 200; k++) {
        lil_material m = { .table = &lil_neo_hookean, .moduli = { uniform(1, 10), uniform(1, 30) }, .density = 1 };
        double x[12], inverse[4], K[144], A[81], G[12], least, most;
        static const double I[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
        lil_tets *tets;
        lil_tet t;
        for (int i = 0; i < 12; i++)
            x[i] = X[i] + uniform(-0.1, 0.1);
        for (int a = 0; a < 4; a++)
            inverse[a] = a && uniform(0, 1) < 0.2 ? 0 : uniform(0.1, 10);
        MUST(lil_tets_create(ctx, &arena, "b", &m, x, tet, NULL, 1, 0, &tets));
        lil_tets_get(tets, 0, &t);
        lil_tet_gradients(t.B, G);
        lil_material_tangent(&m, I, false, A);
        lil_tet_element_stiffness(G, A, t.V, K);
        for (int i = 0; i < 144; i++)
            K[i] *= sqrt(inverse[i / 12 / 3] * inverse[i % 12 / 3]);
        eigenvalues(12, K, &least, &most);
        double bound = 4 / pow(lil_tet_elements.longest_step(tets, 0, 0, inverse), 2);
        CHECK(bound >= most * (1 - 1e-12));
        CHECK_BELOW(bound, 1.5 * most);
        /* h kD omega^2 < 2 where damping limits */
        CHECK_NEAR(lil_tet_elements.longest_step(tets, 0, 10, inverse), fmin(2 / sqrt(bound), 0.2 / bound),
                   1e-12 / sqrt(bound));
    }
    lil_arena_free(&arena);
}

static void find_step_groups(lil_run *run, lil_arena *arena, lil_step_groups *groups)
{
    if (lil_step_groups_create(ctx, arena, lil_run_model(run), groups) != LIL_OK)
        printf("%s\n", lil_context_message(ctx));
}

/* Nothing in the whole body is faster than its fastest element, nor much slower. */
TEST(no_oscillation_is_faster_than_the_fastest_element)
{
    static const char *const more[] = { "", "    fixed: left\n",
                                        "    springs: {from: right, to: [0.6, 0, 0], stiffness: 4e4}\n" };
    for (int k = 0; k < 6; k++) {
        lil_run *run = bar(k % 2 ? SKIN : "", more[k / 2]);
        lil_arena arena = { 0 };
        lil_step_groups groups;
        double omega, shortest = INFINITY;
        find_step_groups(run, &arena, &groups);
        for (int i = 0; i < groups.count; i++)
            shortest = fmin(shortest, groups.list[i].longest);
        MUST(lil_stability_frequency(lil_run_sim(run), &omega));
        CHECK(shortest <= 2 / omega * (1 + 1e-6));
        CHECK(shortest >= 0.5 * 2 / omega);
        lil_arena_free(&arena);
        lil_run_destroy(&run);
    }
}

/* Every element in one group, and its vertices: first what is free, then what has a handle, then what is fixed. */
TEST(step_groups_are_all_elements)
{
    lil_run *run =
        bar(SKIN, "    fixed: left\n    handles: {select: {box: [[0.1, -1, -1], [0.14, 1, 1]]}, move: [0, 0, t]}\n");
    const lil_model *model = lil_run_model(run);
    lil_arena arena = { 0 };
    lil_step_groups groups;
    int elements = 0;
    find_step_groups(run, &arena, &groups);
    CHECK(groups.count >= 2);
    for (int i = 0; i < groups.count; i++) {
        const lil_step_group *c = &groups.list[i];
        elements += c->count;
        for (int v = 0; v < c->vertex_count; v++) {
            bool free = model->dofs.number[3 * c->vertices[v]] >= 0;
            CHECK(free == (v < c->free_count));
            if (!free) /* left is fixed, and the handle is right of the middle */
                CHECK((model->dofs.held[3 * c->vertices[v]] > 0) == (v < c->free_count + c->moved_count));
        }
    }
    CHECK(elements == 180);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

/* A stiff spring, its neighbour, the neighbour's, and the rest. */
TEST(paces_along_a_chain)
{
    static const double k[] = { 1e4, 1, 1, 1, 1 };
    chain c;
    lil_arena arena = { 0 };
    lil_step_groups groups;
    chain_lay(&c, 6, k, NULL);
    chain_make(ctx, &c, 0);
    MUST(lil_step_groups_create(ctx, &arena, c.model, &groups));
    CHECK(groups.count == 3);
    /* the first: omega^2 = k_0/m + (k_0 + k_1)/m; the second has 1e4 and 2, the third 2 and 2 */
    CHECK_NEAR(groups.list[0].longest, 2 / sqrt(20001), 1e-12);
    CHECK(groups.list[0].count == 2);
    CHECK_NEAR(groups.list[1].longest, 2 / sqrt(10003), 1e-12);
    CHECK(groups.list[1].count == 1);
    CHECK_NEAR(groups.list[2].longest, 1, 1e-12);
    CHECK(groups.list[2].count == 2);
    lil_arena_free(&arena);
    chain_free(&c);
}

/* ---- Stormer-Verlet ---- */

static double apart_after(lil_sim *a, int steps_a, lil_sim *b, int steps_b)
{
    advance(ctx, a, steps_a);
    advance(ctx, b, steps_b);
    const lil_state *x = lil_sim_state(a), *y = lil_sim_state(b);
    double far = apart(x->n, x->q, y->q) / largest(x->n, y->q) + apart(x->n, x->p, y->p) / largest(x->n, y->p);
    lil_sim_destroy(&a);
    lil_sim_destroy(&b);
    return far;
}

/* One step for all: to round-off, which some hundred steps of a nonlinear motion magnify a thousandfold. Also where it is one of
 * several within the step, and where weight is exact in the drift but divided into kicks by Stormer-Verlet. */
TEST(equal_steps_are_those_of_stormer_verlet)
{
    static const char *const more[] = {
        MOVING,
        MOVING "    fixed: left\ngravity: 9.81\n",
        "    fixed: left\n    handles: {select: right, move: [0.05*sin(9*t), 0.02*t, t*y]}\ngravity: [1, 2, -3]\n",
        MOVING "    loads: {select: right, force: [1, 2, 3]}\n",
        MOVING "    springs: {from: right, to: [0.6, 0, 0.1], stiffness: 5}\n",
    };
    for (size_t k = 0; k < sizeof more / sizeof more[0]; k++) {
        lil_run *run = bar("", more[k]);
        double one = apart_after(start(ctx, run, "asynchronous", NULL, 0.004, NULL, NULL), 250,
                                 start(ctx, run, "stormer-verlet", NULL, 0.004, NULL, NULL), 250);
        CHECK_BELOW(one, 1e-11);
        double five = apart_after(start(ctx, run, "asynchronous", "courant=0.11", 0.005, NULL, NULL), 50,
                                  start(ctx, run, "stormer-verlet", NULL, 0.001, NULL, NULL), 250);
        if (k == 0)
            CHECK_BELOW(five, 1e-11);
        lil_run_destroy(&run);
    }
}

/* So is explicit damping, where all make one step. */
TEST(equal_steps_are_damped_alike)
{
    lil_run *run = bar("", MOVING "    damping: {kD: 1e-3, form: explicit}\n    fixed: left\n");
    CHECK_BELOW(apart_after(start(ctx, run, "asynchronous", NULL, 0.002, NULL, NULL), 250,
                            start(ctx, run, "stormer-verlet", NULL, 0.002, NULL, NULL), 250),
                1e-12);
    lil_run_destroy(&run);
}

/* ---- steps that differ ---- */

/* Against Stormer-Verlet with the shortest step for all: as far apart as its own steps of 4 ms leave it from the truth, and that
 * many times fewer updates. */
TEST(few_fast_elements_cost_little)
{
    lil_run *run = bar(SKIN, MOVING);
    int steps = test_small() ? 10 : 100, finer = 40;
    lil_sim *own = start(ctx, run, "asynchronous", NULL, 0.004, NULL, NULL);
    lil_sim *one = start(ctx, run, "stormer-verlet", NULL, 0.004 / finer, NULL, NULL);
    advance(ctx, own, steps);
    CHECK_BELOW(lil_sim_certificate(own).element_updates, 0.2 * 180 * finer * steps);
    CHECK(lil_sim_certificate(own).element_updates >= 180 * steps);
    CHECK_BELOW(lil_sim_certificate(own).linear_momentum_drift, 1e-12);
    CHECK_BELOW(lil_sim_certificate(own).angular_momentum_drift, 1e-12);
    CHECK(lil_sim_certificate(own).shifted_steps == 0);
    CHECK(isnan(lil_sim_certificate(one).element_updates));
    CHECK(isnan(lil_sim_certificate(one).shifted_steps));
    CHECK_BELOW(apart_after(own, 0, one, finer * steps), 0.02);
    lil_run_destroy(&run);
}

/* Energy without trend: the slope over the whole run is a part of the band. */
TEST(energy_of_a_mixed_bar)
{
    lil_run *run = bar(SKIN, MOVING);
    lil_sim *sim = start(ctx, run, "asynchronous", NULL, 0.004, NULL, NULL);
    advance(ctx, sim, test_small() ? 500 : 10000);
    lil_certificate c = lil_sim_certificate(sim);
    CHECK_BELOW(c.energy_band, 5e-3);
    CHECK_BELOW(fabs(c.energy_drift), 0.5 * c.energy_band);
    CHECK_BELOW(c.linear_momentum_drift, 1e-12);
    CHECK_BELOW(c.angular_momentum_drift, 1e-9);
    CHECK(c.shifted_steps == 0 && c.halved_steps == 0);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* A hand that swings and damping in each element's own steps: the books balance, to second and first order in h. */
TEST(work_is_booked)
{
    lil_run *run = bar(SKIN, "    fixed: left\n    handles: {select: right, move: [0, 0, 0.05*sin(9*t)]}\n"
                             "    damping: {kD: 2e-3, form: explicit}\n");
    double error[2];
    for (int k = 0; k < 2; k++) {
        lil_sim *sim =
            start(ctx, run, "asynchronous", k ? "courant=0.2" : "courant=0.4", k ? 0.001 : 0.002, NULL, NULL);
        advance(ctx, sim, k ? 1000 : 500);
        lil_certificate c = lil_sim_certificate(sim);
        error[k] = c.energy_final - c.energy_initial - c.external_work + c.energy_dissipated;
        CHECK(c.external_work > 0.05 && c.energy_dissipated > 0.01);
        CHECK_BELOW(fabs(error[k]), 0.1 * c.external_work);
        CHECK_NEAR(c.damping_measured, 2e-3, 4e-4);
        lil_sim_destroy(&sim);
    }
    CHECK_BELOW(fabs(error[1]), 0.6 * fabs(error[0]));
    lil_run_destroy(&run);
}

/* What damping takes within a second, where the stiff springs make three steps and the others one: that of short steps for all, up
 * to first order in h. */
TEST(each_damps_in_its_own_steps)
{
    static const double k[] = { 400, 20, 1, 0.5 };
    chain c;
    double left[2];
    chain_lay(&c, 5, k, NULL);
    c.v[0] = 0.5;
    c.v[3 * 4] = -0.3;
    chain_make(ctx, &c, 5e-4);
    for (int i = 0; i < 2; i++) {
        lil_sim *sim = i ? chain_start(ctx, &c, "stormer-verlet", NULL, 0.0005, NULL, NULL)
                         : chain_start(ctx, &c, "asynchronous", "courant=0.4", 0.1, NULL, NULL);
        advance(ctx, sim, i ? 2000 : 10);
        left[i] = lil_sim_energy(sim) / lil_sim_certificate(sim).energy_initial;
        lil_sim_destroy(&sim);
    }
    CHECK_BELOW(left[1], 0.9);
    CHECK_NEAR(left[0], left[1], 0.05);
    chain_free(&c);
}

/* ---- bits ---- */

TEST(threads_and_resume_do_not_change_a_bit)
{
    lil_run *run = bar(SKIN, MOVING);
    lil_state x[3];
    double *words = NULL;
    for (int k = 0; k < 3; k++) {
        lil_context_set_threads(ctx, k == 1 ? 4 : 1);
        lil_sim *sim = start(ctx, run, "asynchronous", NULL, 0.004, NULL, NULL);
        if (k < 2)
            advance(ctx, sim, 10);
        if (k == 0) {
            words = calloc((size_t)lil_sim_words(sim), sizeof *words);
            lil_sim_save(sim, words);
        }
        if (k == 2)
            CHECK(lil_sim_load(sim, words));
        advance(ctx, sim, 10);
        x[k] = *lil_sim_state(sim);
        x[k].q = malloc((size_t)x[k].n * sizeof(double));
        x[k].p = malloc((size_t)x[k].n * sizeof(double));
        memcpy(x[k].q, lil_sim_state(sim)->q, (size_t)x[k].n * sizeof(double));
        memcpy(x[k].p, lil_sim_state(sim)->p, (size_t)x[k].n * sizeof(double));
        lil_sim_destroy(&sim);
    }
    for (int k = 1; k < 3; k++)
        CHECK(memcmp(x[0].q, x[k].q, (size_t)x[0].n * sizeof(double)) == 0 &&
              memcmp(x[0].p, x[k].p, (size_t)x[0].n * sizeof(double)) == 0);
    for (int k = 0; k < 3; k++) {
        free(x[k].q);
        free(x[k].p);
    }
    free(words);
    lil_context_set_threads(ctx, 1);
    lil_run_destroy(&run);
}

/* Whatever was computed for an earlier step, of another length or from elsewhere: a step depends on the state alone. */
TEST(steps_depend_on_the_state_alone)
{
    lil_run *run = bar(SKIN, MOVING);
    lil_sim *sim = start(ctx, run, "asynchronous", NULL, 0.004, NULL, NULL);
    advance(ctx, sim, 3);
    for (int k = 0; k < 2; k++) {
        const lil_state *x = lil_sim_state(sim);
        lil_sim *fresh = start(ctx, run, "asynchronous", NULL, 0.004, x->q, x->v);
        if (k == 0) { /* a step of another length, from where the last one ended */
            MUST(lil_sim_advance(sim, 0.003));
            MUST(lil_sim_advance(fresh, 0.003));
        } else { /* of the same length, from elsewhere */
            double *q = malloc((size_t)x->n * sizeof *q);
            for (int i = 0; i < x->n; i++)
                q[i] = 1.01 * x->q[i];
            MUST(lil_sim_set_q(sim, q));
            MUST(lil_sim_set_q(fresh, q));
            MUST(lil_sim_advance(sim, 0.003));
            MUST(lil_sim_advance(fresh, 0.003));
            free(q);
        }
        const lil_state *y = lil_sim_state(fresh);
        CHECK_BELOW(apart(y->n, x->q, y->q), 1e-14);
        CHECK_BELOW(apart(y->n, x->p, y->p), 1e-13 * largest(y->n, y->p));
        lil_sim_destroy(&fresh);
    }
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* ---- resonance ---- */

/*
 * A chain along a line is linear, and this one was looked for: four masses between two walls. In a step of 1.2757 s the first
 * spring makes one step and the others three, and one oscillation grows by 1.76e-4 a step, to twice its energy every 2,000. One
 * in a thousand longer or shorter does nothing of the kind.
 */
static void lay_resonance(chain *c)
{
    static const double k[] = { 1.0688677918207627, 0.11159238737875704, 1.8269094563339365, 0.22821430324914327,
                                5.08299284180292 };
    static const double mass[] = {
        1, 2.263450976847868, 2.7505952158128535, 0.16166408649817923, 4.407981701215723, 1
    };
    chain_lay(c, 6, k, mass);
    c->held[0] = c->held[5] = true;
    c->v[3 * 1] = 0.01;
    c->v[3 * 2] = -0.02;
    c->v[3 * 3] = 0.03;
    c->v[3 * 4] = 0.01;
    chain_make(ctx, c, 0);
}

TEST(resonance_is_seen_and_left)
{
    const double H = 1.2757224970554295;
    chain c;
    lay_resonance(&c);
    lil_context_set_log(ctx, take_warning, NULL);
    warning[0] = 0;
    lil_sim *near = chain_start(ctx, &c, "asynchronous", NULL, 0.999 * H, NULL, NULL);
    advance(ctx, near, 60000);
    CHECK(lil_sim_certificate(near).shifted_steps == 0 && warning[0] == 0);
    CHECK_BELOW(lil_sim_certificate(near).energy_max, 2 * lil_sim_certificate(near).energy_initial);
    lil_sim_destroy(&near);
    lil_sim *sim = chain_start(ctx, &c, "asynchronous", NULL, H, NULL, NULL);
    double first = lil_sim_energy(sim);
    advance(ctx, sim, 60000);
    lil_certificate w = lil_sim_certificate(sim);
    CHECK(w.shifted_steps == 1);
    CHECK(strstr(warning, "resonate") != NULL);
    /* it grows as far as stable steps might at c = 0.8, to 1/(1 - c^2), and not on; it would be e^20 by the end */
    CHECK(w.energy_max > 2.5 * first && w.energy_max < 5 * first);
    CHECK_BELOW(w.energy_final, 5 * first);
    lil_sim_destroy(&sim);
    lil_context_set_log(ctx, NULL, NULL);
    chain_free(&c);
}

/* A method whose steps double all momenta until it is shifted twice: also the second shift comes from where the step began. */
static lil_claims pump_claims(const void *config)
{
    (void)config;
    return (lil_claims){ .order = 1 };
}

static void pump_shift(lil_stepper *s)
{
    ++*s->words;
}

static lil_status pump_begin(lil_stepper *s)
{
    s->shift = pump_shift;
    s->gain = 1;
    return lil_stepper_keep(s, 1) ? LIL_OK : LIL_ERR_MEMORY;
}

static lil_status pump_step(lil_stepper *s, double h)
{
    (void)h;
    for (int i = 0; i < s->state->n && *s->words < 2; i++)
        s->state->p[i] *= 2;
    return LIL_OK;
}

TEST(shifts_last)
{
    static const lil_integrator pump = {
        .name = "pump", .claims = pump_claims, .begin = pump_begin, .step = pump_step
    };
    chain c;
    chain_zigzag(ctx, &c);
    MUST(lil_context_register_integrator(ctx, &pump));
    lil_sim *sim = chain_start(ctx, &c, "pump", NULL, 1, NULL, NULL);
    double first = lil_sim_energy(sim);
    advance(ctx, sim, 5);
    CHECK(sim->watch.shifted == 2 && *sim->stepper.words == 2);
    CHECK(lil_sim_energy(sim) == first);
    lil_sim_destroy(&sim);
    chain_free(&c);
}

/* ---- what is refused ---- */

static void check_refused(lil_run *run, const char *integrator, double h, const char *says)
{
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.integrator = integrator;
    def.options = strcmp(integrator, "composition") == 0 ? "base=asynchronous" : NULL;
    def.step = h;
    def.q = x->q;
    def.v = x->v;
    CHECK(lil_sim_create(ctx, lil_run_model(run), &def, &sim) == LIL_ERR_INPUT && !sim);
    if (!strstr(lil_context_message(ctx), says)) {
        test_failures++;
        printf("%s: '%s' does not say '%s'\n", test_name, lil_context_message(ctx), says);
    }
    lil_run_destroy(&run);
}

TEST(refusals)
{
    check_refused(problem(ctx, PENDULUM), "asynchronous", 0.01, "there are none: use stormer-verlet");
    check_refused(problem(ctx, DOUBLE_PENDULUM), "asynchronous", 0.01, "constant mass");
    check_refused(bar("", "    loads: {select: right, force: [sin(t), 0, 0]}\n"), "asynchronous", 0.01,
                  "depend on time or velocity: use stormer-verlet");
    check_refused(bar("", "    damping: {kD: 0.001, form: minimised}\n"), "asynchronous", 0.01,
                  "use damping 'exact'");
    check_refused(bar("", "    damping: {kD: 0.001, form: explicit}\n"), "composition", 0.01, "use damping 'exact'");
    /* 180 elements, some million updates a second */
    check_refused(bar(SKIN, ""), "asynchronous", 1e6, "m high is stable only up to"); /* one of the skin */
    CHECK(strstr(lil_context_message(ctx), "because tet 16") || strstr(lil_context_message(ctx), "because tet 17"));
}

int main(void)
{
    ctx = lil_context_create();
    lil_context_set_threads(ctx, 1);
    RUN(events_come_in_order);
    RUN(bound_of_a_tet);
    RUN(no_oscillation_is_faster_than_the_fastest_element);
    RUN(step_groups_are_all_elements);
    RUN(paces_along_a_chain);
    RUN(equal_steps_are_those_of_stormer_verlet);
    RUN(equal_steps_are_damped_alike);
    RUN(few_fast_elements_cost_little);
    RUN(energy_of_a_mixed_bar);
    RUN(work_is_booked);
    RUN(each_damps_in_its_own_steps);
    RUN(threads_and_resume_do_not_change_a_bit);
    RUN(steps_depend_on_the_state_alone);
    RUN(resonance_is_seen_and_left);
    RUN(shifts_last);
    RUN(refusals);
    lil_context_destroy(&ctx);
    return test_end();
}
