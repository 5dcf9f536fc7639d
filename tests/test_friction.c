/* Coulomb's friction is the same law under every integrator: what should stick creeps no faster than `slip`, what should slide
 * accelerates as it should, what slides stops where it should, and the books close. */
#include "solids.h"

#include "sim/checkpoint.h"

static lil_context *ctx;

static const double TAN = 0.5, SLIP = 1e-3, G = 9.81;
static const char COMPOSITION[] = "{method: composition, order: 4}",
                  COMPOSED_MIDPOINT[] = "{method: composition, base: midpoint, order: 4}";

static void say(int before, const char *name, int cells)
{
    if (test_failures > before)
        printf("    so far for %s, %d cells\n", name, cells);
}

/* ---- blocks ---- */

/* A block on a floor, gravity tilted by tan = 0.5, its contact damped. */
static lil_run *block(const char *integrator, int cells, double mu, double h)
{
    return body_problem(ctx,
                        "bodies:\n  block:\n    shape: {type: box, size: [0.2, 0.2, 0.2], cells: [%d, %d, %d]}\n"
                        "    at: [0, 0, 0.1]\n    material: {young: 1e6, poisson: 0.3, density: 1000}\n"
                        "    damping: 0.01\ngravity: [%.17g, 0, %.17g]\nobstacles: {floor: {plane: {}}}\n"
                        "contact: {method: penalty, friction: %g, slip: %g, damping: 0.005}\nintegrator: %s\n"
                        "time: {step: %g, until: 10}\n",
                        cells, cells, cells, G / sqrt(5), -2 * G / sqrt(5), mu, SLIP, integrator, h);
}

static double mean_x(const lil_run *run, const double *x)
{
    const lil_points *points = &lil_run_model((lil_run *)run)->points;
    double sum = 0, mass = 0;
    for (int i = 0; i < points->count; i++) {
        sum += points->mass[i] * x[3 * i];
        mass += points->mass[i];
    }
    return sum / mass;
}

/* Over the last part of a run: how fast it moves, by its positions, and how fast at most and with what acceleration, by its velocities. */
typedef struct motion {
    double creep, fastest, acceleration, books, dissipated;
} motion;

static motion watch(lil_run *run, double h, double settled, double until)
{
    lil_sim *sim = lil_run_sim(run);
    const lil_state *x = lil_sim_state(sim);
    advance(ctx, sim, (int)lround(settled / h));
    double x0 = mean_x(run, x->q), v0 = mean_x(run, x->v), t0 = x->t;
    motion m = { 0 };
    for (int i = 0; i < (int)lround((until - settled) / h); i++) {
        advance(ctx, sim, 1);
        m.fastest = fmax(m.fastest, fabs(mean_x(run, x->v)));
    }
    lil_certificate c = lil_sim_certificate(sim);
    m.creep = (mean_x(run, x->q) - x0) / (x->t - t0);
    m.acceleration = (mean_x(run, x->v) - v0) / (x->t - t0);
    m.books = c.energy_initial - c.energy_final - c.energy_dissipated;
    m.dissipated = c.energy_dissipated;
    return m;
}

/* mu = 0.51 creeps with slip (1 - sqrt(1 - tan/mu)) = 0.86 slip, and never faster than slip. mu = 0.49 accelerates with
 * g (sin - mu cos): within 2 %, for the block still trembles by some 1e-3 of what it had when it touched down. Friction that comes after the
 * step, vertex by vertex, lets the block slide with 27 slip on 2 cells, 112 on 6. */
static void check_block(const char *integrator, int cells, double h, double close)
{
    int before = test_failures;
    if (test_small()) { /* the way through the code: it touches from the start */
        lil_run *few = block(integrator, cells, 0.51, h);
        advance(ctx, lil_run_sim(few), 3);
        CHECK(isfinite(lil_sim_energy(lil_run_sim(few))));
        lil_run_destroy(&few);
        return;
    }
    const double settled = 0.4, until = 0.5, exact = G * (TAN - 0.49) * 2 / sqrt(5);
    lil_run *run = block(integrator, cells, 0.51, h);
    motion m = watch(run, h, settled, until);
    CHECK(m.creep > 0 && m.creep < SLIP);
    CHECK(m.fastest < SLIP);
    CHECK_NEAR(m.books, 0, close * m.dissipated);
    lil_run_destroy(&run);
    run = block(integrator, cells, 0.49, h);
    m = watch(run, h, settled, until);
    CHECK_NEAR(m.acceleration, exact, 0.02 * exact);
    CHECK_NEAR(m.books, 0, close * m.dissipated);
    lil_run_destroy(&run);
    say(before, integrator, cells);
}

/* Books: exact where the energy is; 1 % where steps of order 2 and more change it; methods of order 1 change it by more than
 * what creeping takes, and only say so. */
TEST(blocks_stick_or_slide)
{
    static const struct {
        const char *integrator;
        int cells;
        double h, close;
    } all[] = {
        { "energy-momentum", 2, 5e-4, 1e-7 },
        { "energy-momentum", 4, 5e-4, 1e-7 },
        { "stormer-verlet", 2, 2e-4, 0.01 },
        { "stormer-verlet", 4, 2e-4, 0.01 },
        { "symplectic-euler", 2, 1e-4, 1 },
        { "symplectic-euler", 4, 1e-4, 1 },
        { "rk4", 2, 2e-4, 0.01 },
        { "rk4", 4, 2e-4, 0.01 },
        { COMPOSITION, 2, 4e-4, 0.01 },
        { COMPOSITION, 4, 4e-4, 0.01 },
        { COMPOSED_MIDPOINT, 2, 1e-3, 0.01 },
        { "{method: gauss, stages: 2}", 2, 1e-3, 0.01 },
        { "lobatto", 2, 1e-3, 0.01 },
        { "explicit-euler", 2, 5e-5, 1 },
        { "midpoint", 2, 5e-4, 0.01 },
        { "midpoint", 4, 5e-4, 0.01 },
        { "newmark", 2, 5e-4, 0.01 },
        { "implicit-euler", 2, 5e-4, 1 },
        { "{method: newmark, beta: 0}", 2, 1e-4, 0.01 },
        { "{method: hamilton-pontryagin, alpha: 1}", 2, 1e-4, 1 },
        { "{method: hamilton-pontryagin, alpha: 0.7}", 2, 2e-4, 1 },
        { "{method: hamilton-pontryagin, alpha: 0.3}", 2, 2e-4, 1 },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!test_small() || all[i].cells == 2)
            check_block(all[i].integrator, all[i].cells, all[i].h, all[i].close);
}

/* Its Jacobian knows friction: Newton's method takes a few iterations a step, not dozens. */
TEST(implicit_steps_know_its_derivatives)
{
    static const char *const integrators[] = { "energy-momentum", "{method: gauss, stages: 2}" };
    for (int i = 0; i < 2; i++) {
        int steps = 200;
        lil_run *run = block(integrators[i], 2, 0.51, 1e-3);
        advance(ctx, lil_run_sim(run), steps);
        lil_certificate c = lil_sim_certificate(lil_run_sim(run));
        CHECK(c.newton_iterations < 10 * steps && c.halved_steps == 0);
        lil_run_destroy(&run);
    }
}

/* ---- particles ---- */

/* Slides at 2 m/s, mu = 0.3: v^2/(2 mu g). A step of first order is off by no more than v h/2 = 0.15 %, touching down by as much. */
TEST(what_slides_stops_where_it_should)
{
    static const char *const integrators[] = { "midpoint",
                                               "energy-momentum",
                                               "stormer-verlet",
                                               "symplectic-euler",
                                               "implicit-euler",
                                               "explicit-euler",
                                               "rk4",
                                               "gauss",
                                               "lobatto",
                                               "newmark",
                                               COMPOSITION,
                                               COMPOSED_MIDPOINT,
                                               "{method: hamilton-pontryagin, alpha: 1}",
                                               "{method: hamilton-pontryagin, alpha: 0.7}" };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        int before = test_failures;
        lil_run *run = body_problem(ctx,
                                    "particles: {block: {at: [0, 0, 0], mass: 1, velocity: [2, 0, 0]}}\n"
                                    "gravity: %g\nobstacles: {floor: {plane: {}}}\n"
                                    "contact: {method: penalty, friction: 0.3, slip: %g}\nintegrator: %s\n"
                                    "time: {step: 1e-3, until: 1.2}\n",
                                    G, SLIP, integrators[i]);
        const lil_state *x = lil_sim_state(lil_run_sim(run));
        advance(ctx, lil_run_sim(run), 1200);
        CHECK_NEAR(x->q[0], 4 / (2 * 0.3 * G), 0.01 * 4 / (2 * 0.3 * G));
        CHECK(fabs(x->v[0]) < SLIP);
        lil_run_destroy(&run);
        say(before, integrators[i], 1);
    }
}

/* In a groove of 90 degrees it is held by both sides, N = m g cos/sqrt(2) each: contacts that share a vertex. Along it
 * g (sin - sqrt(2) mu cos); creep f(y) = tan/(sqrt(2) mu). Exactly, once it is pressed in, as everything is constant then. */
TEST(both_sides_of_a_groove_hold)
{
    static const char *const integrators[] = { "stormer-verlet", "symplectic-euler", "rk4",
                                               COMPOSITION,      "midpoint",         "energy-momentum" };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
        for (int slides = 0; slides < 2; slides++) {
            int before = test_failures;
            double mu = (slides ? 0.49 : 0.51) / sqrt(2);
            lil_run *run =
                body_problem(ctx,
                             "parameters: {k: 2e4, d: %.17g*2/sqrt(5)/k}\n"
                             "particles: {bead: {at: [0, 0, -d], mass: 1}}\ngravity: [%.17g, 0, %.17g]\n"
                             "obstacles: {left: {plane: {normal: [0, 1, 1]}}, right: {plane: {normal: [0, -1, 1]}}}\n"
                             "contact: {method: penalty, stiffness: k, friction: %.17g, slip: %g}\nintegrator: %s\n"
                             "time: {step: 1e-3, until: 1}\n",
                             G, G / sqrt(5), -2 * G / sqrt(5), mu, SLIP, integrators[i]);
            const lil_state *x = lil_sim_state(lil_run_sim(run));
            advance(ctx, lil_run_sim(run), 500);
            double v = x->v[0];
            advance(ctx, lil_run_sim(run), 500);
            if (slides)
                CHECK_NEAR((x->v[0] - v) / 0.5, G * (TAN - 0.49) * 2 / sqrt(5), 1e-6);
            else
                CHECK_NEAR(x->v[0], SLIP * (1 - sqrt(1 - TAN / 0.51)), 1e-6 * SLIP);
            lil_run_destroy(&run);
            say(before, integrators[i], slides);
        }
}

/* A rod of two beads, one on rough ground, one on ice: friction must hold both, mu = 1 would do, and knows of the second by the link
 * alone. Twice mu for half the weight: the numbers are those of the block. */
TEST(friction_knows_what_binds)
{
    static const char *const integrators[] = { "midpoint", "stormer-verlet", "symplectic-euler" };
    for (int i = 0; i < 3; i++)
        for (int slides = 0; slides < 2; slides++) {
            int before = test_failures;
            lil_run *run = body_problem(ctx,
                                        "parameters: {k: 2e4, d: %.17g*2/sqrt(5)/k}\n"
                                        "particles: {a: {at: [0, 0, -d], mass: 1}, b: {at: [5, 0, -d], mass: 1}}\n"
                                        "constraints: {rod: {distance: [a, b]}}\ngravity: [%.17g, 0, %.17g]\n"
                                        "obstacles:\n"
                                        "  ground: {box: {centre: [0, 0, -0.5], size: [4, 4, 1]}, friction: %g}\n"
                                        "  ice: {box: {centre: [5, 0, -0.5], size: [4, 4, 1]}, friction: 0}\n"
                                        "contact: {method: penalty, stiffness: k, slip: %g}\nintegrator: %s\n"
                                        "time: {step: 1e-3, until: 1}\n",
                                        G, G / sqrt(5), -2 * G / sqrt(5), slides ? 0.98 : 1.02, SLIP, integrators[i]);
            const lil_state *x = lil_sim_state(lil_run_sim(run));
            advance(ctx, lil_run_sim(run), 500);
            double v = x->v[0];
            advance(ctx, lil_run_sim(run), 500);
            if (slides)
                CHECK_NEAR((x->v[0] - v) / 0.5, G * (TAN - 0.49) * 2 / sqrt(5), 1e-6);
            else
                CHECK_NEAR(x->v[0], SLIP * (1 - sqrt(1 - TAN / 0.51)), 1e-6 * SLIP);
            CHECK(!(lil_sim_claims(lil_run_sim(run)).holds & LIL_EXPLICIT)); /* there are equations to solve */
            lil_run_destroy(&run);
            say(before, integrators[i], slides);
        }
}

/* ---- between bodies ---- */

/* Two blocks in space that scrape past each other: momentum is kept, energy is not, and the books know where it went. */
TEST(bodies_rub_each_other_alike)
{
    static const char *const integrators[] = { "stormer-verlet", "rk4", COMPOSITION };
    for (int i = 0; i < 3; i++) {
        int before = test_failures;
        lil_run *run = body_problem(
            ctx,
            "bodies:\n"
            "  a: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, at: [0, 0, 0],\n"
            "      material: {young: 1e5, poisson: 0.3, density: 1000}, start: {push: [0.5, 0, 0]}}\n"
            "  b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, at: [0.03, 0.01, 0.21],\n"
            "      material: {young: 1e5, poisson: 0.3, density: 1000}, start: {push: [-0.5, 0, -0.5]}}\n"
            "contact: {method: penalty, friction: 0.4}\nintegrator: %s\ntime: {step: 2e-4, until: 1}\n",
            integrators[i]);
        advance(ctx, lil_run_sim(run), 500);
        lil_certificate c = lil_sim_certificate(lil_run_sim(run));
        CHECK(c.energy_dissipated > 0.01 * c.energy_initial);
        CHECK_NEAR(c.energy_initial - c.energy_final, c.energy_dissipated, 0.01 * c.energy_dissipated);
        CHECK(c.linear_momentum_drift < 1e-12);
        lil_run_destroy(&run);
        say(before, integrators[i], 2);
    }
}

/* ---- states, and refusals ---- */

/* Saved in the middle of sticking, loaded into another, it goes on bit for bit. */
TEST(friction_goes_on)
{
    static const char *const integrators[] = { "energy-momentum", "stormer-verlet", "rk4", COMPOSITION };
    for (int i = 0; i < 4; i++) {
        lil_run *a = block(integrators[i], 2, 0.51, 2e-4), *b = block(integrators[i], 2, 0.51, 2e-4);
        int words = lil_sim_words(lil_run_sim(a));
        double *row = calloc(3 * (size_t)words, sizeof *row);
        advance(ctx, lil_run_sim(a), 100);
        lil_sim_save(lil_run_sim(a), row);
        advance(ctx, lil_run_sim(a), 50);
        lil_sim_save(lil_run_sim(a), row + words);
        advance(ctx, lil_run_sim(b), 7); /* a past of its own */
        CHECK(lil_sim_load(lil_run_sim(b), row));
        advance(ctx, lil_run_sim(b), 50);
        lil_sim_save(lil_run_sim(b), row + 2 * words);
        CHECK(memcmp(row + words, row + 2 * words, (size_t)words * sizeof *row) == 0);
        free(row);
        lil_run_destroy(&a);
        lil_run_destroy(&b);
    }
}

static bool goes(const char *integrator, const char *rest, const char *sentence)
{
    char text[1000];
    snprintf(text, sizeof text,
             "particles: {a: {at: [0, 0, 0], mass: 1}, b: {at: [1, 0, 0], mass: 1}}\ngravity: 9.81\n"
             "obstacles: {floor: {plane: {}}}\ntime: {step: 1e-3, until: 1}\nintegrator: %s\n%s",
             integrator, rest);
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    bool good = lil_scene_parse(ctx, "problem", text, strlen(text), &scene) == LIL_OK &&
                lil_run_create(ctx, scene, &def, &run) == LIL_OK;
    CHECK(good || strstr(lil_context_message(ctx), sentence));
    lil_scene_destroy(&scene);
    if (good)
        lil_run_destroy(&run);
    return good;
}

/* Where friction could only come after the step it is refused; damping of contact, which holds nothing, is not. */
TEST(what_cannot_have_it_says_so)
{
    static const char RUBS[] = "contact: {method: penalty, friction: 0.3}\n",
                      DAMPS[] = "contact: {method: penalty, damping: 0.01}\n",
                      ROD[] = "contact: {method: penalty, friction: 0.3}\nconstraints: {rod: {distance: [a, b]}}\n",
                      FORCES[] = "contact: {method: penalty, friction: 0.3}\nconstraints: {rod: {distance: [a, b]}}\n"
                                 "solver: {constraints: differential}\n",
                      SENTENCE[] = "does not support friction: use midpoint, energy-momentum or stormer-verlet";
    CHECK(!goes("asynchronous", RUBS, SENTENCE));
    CHECK(goes("asynchronous", DAMPS, ""));
    CHECK(goes(COMPOSITION, RUBS, ""));
    CHECK(!goes(COMPOSITION, ROD, SENTENCE));
    CHECK(goes("midpoint", ROD, ""));
    CHECK(!goes("rk4", FORCES, "differential constraints do not support friction: use variational ones"));
    /* between bodies also where the factored matrix would have a bound of it alone */
    static const char BODIES[] = "contact: {method: penalty, friction: 0.3}\nbodies: {c: {shape: {type: box}, at: "
                                 "[0, 5, 1], material: jelly}, "
                                 "d: {shape: {type: box}, at: [0, 9, 1], material: jelly}}\n",
                      BOUND[] = "contact: {method: penalty, friction: 0.3}\nconstraints: {rod: {distance: [a, b]}}\n"
                                "bodies: {c: {shape: {type: box}, at: [0, 5, 1], material: jelly}, "
                                "d: {shape: {type: box}, at: [0, 9, 1], material: jelly}}\n";
    CHECK(goes("gauss", RUBS, ""));
    CHECK(!goes("gauss", BODIES,
                "gauss does not support friction between bodies: use midpoint, energy-momentum or stormer-verlet"));
    CHECK(goes("energy-momentum", BODIES, ""));
    CHECK(!goes("energy-momentum", BOUND, "with constraints does not support friction between bodies: use midpoint"));
    CHECK(goes("midpoint", BOUND, ""));
    CHECK(!goes("midpoint\nsolver: {linear: direct}", BOUND,
                "with constraints the linear solver 'direct' does not support friction between bodies: use 'auto'"));
}

/* What damps contact presses too, by the velocity of the step before: one that was set instead has no such step. */
TEST(a_state_that_is_set_forgets_the_step_before)
{
    static const char *const integrators[] = { "midpoint", "energy-momentum" };
    for (int i = 0; i < 2; i++) {
        lil_run *runs[2];
        for (int r = 0; r < 2; r++)
            runs[r] =
                body_problem(ctx,
                             "particles: {block: {at: [0, 0, 0], mass: 1, velocity: [2, 0, 0]}}\ngravity: %g\n"
                             "obstacles: {floor: {plane: {}}}\n"
                             "contact: {method: penalty, friction: 0.3, slip: %g, damping: 0.02}\nintegrator: %s\n"
                             "time: {step: 1e-3, until: 1.2}\n",
                             G, SLIP, integrators[i]);
        lil_sim *used = lil_run_sim(runs[0]), *fresh = lil_run_sim(runs[1]);
        advance(ctx, used, 20); /* while it still bounces */
        double q[3] = { 0, 0, -1e-3 }, v[3] = { 1, 0, 0.3 };
        lil_sim *both[2] = { used, fresh };
        for (int k = 0; k < 2; k++) {
            CHECK(lil_sim_set_q(both[k], q) == LIL_OK && lil_sim_set_v(both[k], v) == LIL_OK);
            advance(ctx, both[k], 1);
        }
        for (int k = 0; k < 3; k++) /* Newton's method may end a last place apart */
            CHECK_NEAR(lil_sim_state(used)->v[k], lil_sim_state(fresh)->v[k], 1e-12);
        for (int r = 0; r < 2; r++)
            lil_run_destroy(&runs[r]);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(blocks_stick_or_slide);
    RUN(implicit_steps_know_its_derivatives);
    RUN(what_slides_stops_where_it_should);
    RUN(both_sides_of_a_groove_hold);
    RUN(friction_knows_what_binds);
    RUN(bodies_rub_each_other_alike);
    RUN(friction_goes_on);
    RUN(what_cannot_have_it_says_so);
    RUN(a_state_that_is_set_forgets_the_step_before);
    lil_context_destroy(&ctx);
    return test_end();
}
