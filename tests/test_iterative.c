/*
 * Steps whose linear systems are solved by conjugate gradients: the motion is that of direct solves, whatever is kept from step
 * to step, however many threads there are, and wherever a run was interrupted.
 */
#include "solids.h"

#include "sim/checkpoint.h"

static lil_context *ctx;

#define BODY(cells, more, rest)                                                                                      \
    "bodies:\n  rod:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [" cells "]}\n"                           \
    "    material: {mu: 2e4, kappa: 1e5, density: 1000}\n"                                                           \
    "    start: {stretch: 1.3, twist: 90, spin: [1, 0.6, 2], push: [0.3, 0.2, -0.1]}\n" more                         \
    "integrator: midpoint\n" TIME rest

static const char *const MULTILEVEL = "multilevel";

/* the run's model with a sim of its own */
static lil_sim *solve_by(lil_run *run, int linear, const char *preconditioner, int method, double tolerance)
{
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.integrator = "midpoint";
    def.q = x->q;
    def.v = x->v;
    def.solver.method = method;
    def.solver.linear = linear;
    def.solver.preconditioner =
        preconditioner == MULTILEVEL ? LIL_PRECONDITIONER_MULTILEVEL : LIL_PRECONDITIONER_BLOCKS;
    def.solver.tolerance = tolerance;
    if (lil_sim_create(ctx, lil_run_model(run), &def, &sim) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return sim;
}

/* ---- the same motion ---- */

static const struct {
    const char *name, *text;
} cases[] = {
    { "free", BODY("6, 2, 2", "", "") },
    { "fixed, heavy", BODY("6, 2, 2", "    fixed: left\n", "gravity: [0, 0, -9.81]\n") },
    { "damped, exact", BODY("6, 2, 2", "    damping: {kD: 0.01}\n", "") },
    { "damped, by hand",
      BODY("6, 2, 2", "    damping: {kD: 0.01}\n    handles: {select: left, move: [\"sin(9*t)/9\", 0, 0]}\n", "") },
    { "damped, minimised", BODY("6, 2, 2", "    damping: {kD: 0.01, form: minimised}\n", "") },
    { "on a plane",
      BODY("6, 2, 2", "    groups: {tail: left}\n", "constraints: {s: {plane: tail, normal: [0, 3, 4]}}\n") },
    { "linked",
      BODY("6, 2, 2", "", "constraints: {a: {distance: [rod.0, rod.40]}, b: {distance: [rod.5, rod.33]}}\n") },
    { "linked twice, damped",
      BODY("6, 2, 2", "    damping: {kD: 0.01, form: minimised}\n",
           "constraints: {a: {distance: [rod.0, rod.40]}, b: {distance: [rod.0, rod.40]}}\n") },
    { "with a bob",
      BODY("6, 2, 2", "    damping: {kD: 0.01}\n",
           "gravity: 9.81\nparticles: {bob: {at: [-1, 0, 0], mass: 5}}\n"
           "constraints: {a: {distance: [rod.0, bob]}, b: {surface: bob, value: x^2 + 4*y^2 + 4*z^2 - 1}}\n") },
};
enum { CASES = sizeof cases / sizeof cases[0], LINKED = 6 };

/* Solves that stop at 1e-12 of the first gradient leave errors of 1e-12 in each step; 20 steps of a stiff body enlarge
 * them a hundredfold at most. */
TEST(the_motion_of_direct_solves)
{
    int steps = test_small() ? 5 : 20;
    for (int c = 0; c < CASES; c++) {
        lil_run *run = problem(ctx, cases[c].text);
        lil_sim *direct = solve_by(run, LIL_LINEAR_DIRECT, NULL, LIL_SOLVER_AUTO, 1e-12);
        advance(ctx, direct, steps);
        const lil_state *x = lil_sim_state(direct);
        for (int k = 0; k < 4; k++) {
            lil_sim *sim = solve_by(run, LIL_LINEAR_ITERATIVE, k & 1 ? MULTILEVEL : NULL,
                                    k & 2 ? LIL_SOLVER_ROOT : LIL_SOLVER_MINIMISE, 1e-12);
            advance(ctx, sim, steps);
            const lil_state *y = lil_sim_state(sim);
            lil_certificate z = lil_sim_certificate(sim);
            CHECK_BELOW(apart(x->n, x->q, y->q), 1e-10);
            CHECK_BELOW(apart(x->n, x->v, y->v), 1e-8);
            CHECK(!(z.constraint_max >
                    1e-14)); /* round-off of coordinates of 1 m, and of squares of them; NaN: nothing binds */
            printf("        %-18s %-10s %-8s q %.1e v %.1e, %g Newton, %g linear iterations (direct: %g)\n",
                   cases[c].name, k & 1 ? "multilevel" : "blocks", k & 2 ? "root" : "minimise",
                   apart(x->n, x->q, y->q), apart(x->n, x->v, y->v), z.newton_iterations, z.linear_iterations,
                   lil_sim_certificate(direct).newton_iterations);
            lil_sim_destroy(&sim);
        }
        lil_sim_destroy(&direct);
        lil_run_destroy(&run);
    }
}

/* P is exact whatever the solver leaves; J of bound steps to the gradient's tolerance, which adds up over the steps (docs/theory.md, Momenta). */
TEST(momenta)
{
    const double tolerance = 1e-10;
    int steps = test_small() ? 20 : 200;
    for (int bound = 0; bound < 2; bound++) {
        lil_run *run = problem(ctx, cases[bound ? LINKED : 0].text);
        lil_sim *sim = solve_by(run, LIL_LINEAR_ITERATIVE, NULL, LIL_SOLVER_MINIMISE, tolerance);
        advance(ctx, sim, steps);
        lil_certificate z = lil_sim_certificate(sim);
        CHECK_BELOW(z.linear_momentum_drift, 1e-13);
        CHECK_BELOW(z.angular_momentum_drift, tolerance * steps);
        lil_sim_destroy(&sim);
        lil_run_destroy(&run);
    }
}

/* Where nothing binds a body J is exact too: what a residual does to it is taken out (torque.h). Round-off of 1e-16 a step adds up. */
TEST(momenta_of_loose_solves)
{
    int steps = test_small() ? 20 : 200;
    lil_run *run = problem(ctx, cases[0].text);
    for (int k = 0; k < 2; k++) {
        lil_sim *sim = solve_by(run, k ? LIL_LINEAR_ITERATIVE : LIL_LINEAR_DIRECT, NULL, LIL_SOLVER_MINIMISE, 1e-4);
        advance(ctx, sim, steps);
        lil_certificate z = lil_sim_certificate(sim);
        printf("        equations to %.1e: P %.1e, J %.1e\n", z.gradient_max, z.linear_momentum_drift,
               z.angular_momentum_drift);
        CHECK_BELOW(z.linear_momentum_drift, 1e-13);
        CHECK_BELOW(z.angular_momentum_drift, 1e-13);
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

/* ---- bits ---- */

static double *state_after(lil_run *run, int threads, const char *preconditioner, int steps)
{
    lil_context_set_threads(ctx, threads);
    lil_sim *sim = solve_by(run, LIL_LINEAR_ITERATIVE, preconditioner, LIL_SOLVER_AUTO, 1e-8);
    const lil_state *x = lil_sim_state(sim);
    size_t bytes = 3 * (size_t)x->n * sizeof *x->q;
    double *copy = malloc(bytes);
    advance(ctx, sim, steps);
    memcpy(copy, x->q, bytes); /* q, p, v stand in a row */
    lil_sim_destroy(&sim);
    return copy;
}

/* large enough for several chunks of everything */
#define LARGE(more) BODY("24, 8, 8", more, "")
#define LARGE_BOUND                                                                                                  \
    BODY("24, 8, 8", "    groups: {tail: left}\n", "constraints: {s: {plane: tail, normal: [0, 3, 4]}}\n")
#define LARGE_LINKED BODY("24, 8, 8", "", "constraints: {s: {distance: [rod.0, rod.1900]}}\n")

TEST(bits_do_not_depend_on_threads)
{
    static const char *const texts[] = { LARGE(""), LARGE("    damping: {kD: 0.01}\n"), LARGE_BOUND, LARGE_LINKED };
    for (int c = 0; c < 4; c++)
        for (int m = 0; m < 2; m++) {
            lil_run *run = problem(ctx, texts[c]);
            size_t bytes = 3 * (size_t)lil_run_model(run)->n * sizeof(double);
            double *one = state_after(run, 1, m ? MULTILEVEL : NULL, 3);
            for (int threads = test_small() ? 4 : 2; threads <= 4; threads += 2) {
                double *many = state_after(run, threads, m ? MULTILEVEL : NULL, 3);
                CHECK(memcmp(one, many, bytes) == 0);
                free(many);
            }
            free(one);
            lil_run_destroy(&run);
        }
    lil_context_set_threads(ctx, 1);
}

/* What is kept from step to step is in the checkpoint. */
TEST(bits_of_an_interrupted_run)
{
    for (int c = 0; c < CASES; c++)
        for (int m = 0; m < 2; m++) {
            lil_run *run = problem(ctx, cases[c].text);
            lil_sim *a = solve_by(run, LIL_LINEAR_ITERATIVE, m ? MULTILEVEL : NULL, LIL_SOLVER_AUTO, 1e-8);
            lil_sim *b = solve_by(run, LIL_LINEAR_ITERATIVE, m ? MULTILEVEL : NULL, LIL_SOLVER_AUTO, 1e-8);
            double *words = malloc((size_t)lil_sim_words(a) * sizeof *words);
            advance(ctx, a, 7);
            lil_sim_save(a, words);
            CHECK(lil_sim_load(b, words));
            advance(ctx, a, 5);
            advance(ctx, b, 5);
            CHECK(memcmp(lil_sim_state(a)->q, lil_sim_state(b)->q,
                         3 * (size_t)lil_run_model(run)->n * sizeof(double)) == 0);
            free(words);
            lil_sim_destroy(&a);
            lil_sim_destroy(&b);
            lil_run_destroy(&run);
        }
}

/* ---- what it is for ---- */

/* The old matrix's two iterations replace one of a new one: at most two more a step than exact solves need. */
TEST(steps_are_cheap)
{
    int steps = 20;
    lil_run *run = problem(ctx, cases[0].text);
    lil_sim *sim = solve_by(run, LIL_LINEAR_ITERATIVE, NULL, LIL_SOLVER_MINIMISE, 1e-8);
    lil_sim *direct = solve_by(run, LIL_LINEAR_DIRECT, NULL, LIL_SOLVER_MINIMISE, 1e-8);
    advance(ctx, sim, steps);
    advance(ctx, direct, steps);
    lil_certificate a = lil_sim_certificate(sim), b = lil_sim_certificate(direct);
    printf("        %g Newton iterations, direct %g\n", a.newton_iterations, b.newton_iterations);
    CHECK(a.newton_iterations <= b.newton_iterations + 2 * steps);
    lil_sim_destroy(&sim);
    lil_sim_destroy(&direct);
    lil_run_destroy(&run);
}

/* Of a bound body nothing is factored but the small matrix of its constraints, and a step takes as many linear iterations as of a
 * free one, give or take what sweeps lose at the vertices that they pass by (here 81 of 2025): twice as many at most. */
TEST(bound_steps_are_cheap)
{
    static const char *const texts[] = { LARGE(""), LARGE_BOUND, LARGE_LINKED };
    for (int m = 0; m < 2; m++)
        for (int c = 0, free_iterations = 0; c < 3; c++) {
            lil_run *run = problem(ctx, texts[c]);
            lil_sim *sim = solve_by(run, LIL_LINEAR_AUTO, m ? MULTILEVEL : NULL, LIL_SOLVER_AUTO, 1e-8);
            advance(ctx, sim, 5);
            int iterations = (int)lil_sim_certificate(sim).linear_iterations;
            printf("        %-10s %d linear iterations\n", m ? "multilevel" : "blocks", iterations);
            free_iterations = c == 0 ? iterations : free_iterations;
            CHECK(iterations <= 2 * free_iterations);
            CHECK(c == 0 || (sim->constrained.mass.values && !sim->constrained.step.values));
            lil_sim_destroy(&sim);
            lil_run_destroy(&run);
        }
}

/* Friction has kinks, at which whole Newton steps go round in circles: bound steps are shortened as free ones are, by |r|. */
TEST(bound_steps_with_friction)
{
    static const char *const texts[] = {
        BODY("6, 2, 2", "",
             "gravity: 9.81\nobstacles: {floor: {plane: {}, move: [0, 0, -0.3]}}\ncontact: {method: penalty, "
             "friction: 0.3}\n"),
        BODY("6, 2, 2", "",
             "gravity: 9.81\nobstacles: {floor: {plane: {}, move: [0, 0, -0.3]}}\ncontact: {method: penalty, "
             "friction: 0.3}\n"
             "constraints: {a: {distance: [rod.0, rod.40]}}\n"),
    };
    double iterations[2];
    for (int c = 0; c < 2; c++) {
        lil_run *run = problem(ctx, texts[c]);
        lil_sim *sim = solve_by(run, LIL_LINEAR_AUTO, NULL, LIL_SOLVER_AUTO, 1e-8);
        advance(ctx, sim, 50);
        lil_certificate z = lil_sim_certificate(sim);
        iterations[c] = z.newton_iterations;
        printf("        %g Newton iterations in 50 steps, %g of them halved\n", z.newton_iterations, z.halved_steps);
        CHECK(z.halved_steps == 0);
        lil_sim_destroy(&sim);
        lil_run_destroy(&run);
    }
    CHECK(iterations[1] <= 1.5 * iterations[0]);
}

/* What is bound all over has a sparse factor, and keeps to it. */
TEST(a_chain_of_links_is_factored)
{
    lil_run *run = problem(ctx, "particles: {rope: {type: chain, to: [1, 0, 0], count: 60, mass: 1}}\n"
                                "gravity: 9.81\nintegrator: midpoint\n" TIME);
    CHECK(lil_run_sim(run)->constrained.step.values);
    lil_run_destroy(&run);
}

/* Edges to held vertices of several chunks share a place in the matrix. Under the thread sanitizer one run is enough to see who adds to it at once. */
TEST(held_vertices_have_the_same_bits)
{
    enum { BYTES = 1 << 16 };
    static double first[BYTES];
    for (int i = 0; i < (test_small() ? 2 : 8); i++) {
        MUST(lil_context_set_threads(ctx, i ? 4 : 1));
        lil_run *run = body_problem(
            ctx, "bodies: {b: {shape: {type: box, cells: [8, 8, 8]}, material: rubber, fixed: "
                 "[{plane: {point: [0, 0, -0.45], normal: [0, 0, -1]}}, {plane: {point: [0.45, 0, 0], normal: "
                 "[1, 0, 0]}}]}}\ngravity: 100\nintegrator: midpoint\nsolver: {linear: iterative}\ntime: {step: "
                 "0.01, until: 1}\n");
        MUST(lil_run_advance(run, 2));
        const lil_state *x = lil_sim_state(lil_run_sim(run));
        CHECK(x->n <= BYTES && x->n > 1000);
        if (i == 0)
            memcpy(first, x->q, (size_t)x->n * sizeof *first);
        CHECK(memcmp(first, x->q, (size_t)x->n * sizeof *first) == 0);
        lil_run_destroy(&run);
    }
}

/* Bodies alone have blocks: for anything else the choice is refused in a sentence, or made. */
TEST(systems_without_blocks)
{
    lil_run *run = problem(ctx, PENDULUM);
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.q = lil_sim_state(lil_run_sim(run))->q;
    def.solver.linear = LIL_LINEAR_ITERATIVE;
    CHECK(lil_sim_create(ctx, lil_run_model(run), &def, &sim) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(ctx), "'direct' or 'auto'"));
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    lil_context_set_threads(ctx, 1);
    RUN(the_motion_of_direct_solves);
    RUN(momenta);
    RUN(momenta_of_loose_solves);
    RUN(bits_do_not_depend_on_threads);
    RUN(held_vertices_have_the_same_bits);
    RUN(bits_of_an_interrupted_run);
    RUN_RELEASE(steps_are_cheap);
    RUN_RELEASE(bound_steps_are_cheap);
    RUN(bound_steps_with_friction);
    RUN(a_chain_of_links_is_factored);
    RUN(systems_without_blocks);
    lil_context_destroy(&ctx);
    return test_end();
}
