/* Reactions, contact forces, stresses and energies: momentum is balanced exactly, and at rest they are those of statics. */
#include "problems.h"

static lil_context *ctx;

static lil_observable find(const lil_run *run, const char *name)
{
    lil_observable o = { 0 };
    for (int i = 0; lil_run_observable(run, i, &o); i++)
        if (strcmp(o.name, name) == 0)
            return o;
    CHECK(!"such an observable");
    return o;
}

static double observed(const lil_run *run, const char *name, bool first)
{
    lil_observable o = find(run, name);
    return first ? o.first : o.last;
}

static lil_run *make(const char *format, const char *more)
{
    char scene[4000];
    snprintf(scene, sizeof scene, format, more);
    return problem(ctx, scene);
}

static void step(lil_run *run)
{
    lil_status status = lil_sim_step(lil_run_sim(run));
    if (status != LIL_OK)
        printf("%s: %s\n", test_name, lil_context_message(ctx));
    CHECK(status == LIL_OK);
}

/* ---- the balance of momentum ---- */

/* m (v_1 - v_0) = h (R + F) over each step: v is the velocity of the centre of mass, F all forces but reactions. The largest
 * difference over h m g. */
static double imbalance(lil_run *run, double m, int steps)
{
    const double g = 9.81;
    double worst = 0, t = lil_sim_state(lil_run_sim(run))->t,
           v[2] = { observed(run, "vx", true), observed(run, "vz", true) };
    for (int k = 0; k < steps; k++) {
        step(run);
        double now = lil_sim_state(lil_run_sim(run))->t, h = now - t,
               after[2] = { observed(run, "vx", false), observed(run, "vz", false) };
        double force[2] = { observed(run, "Fx", false), observed(run, "Fz", false) };
        for (int d = 0; d < 2; d++) {
            double off = m * (after[d] - v[d]) - h * force[d];
            worst = fmax(worst, fabs(off) / (h * m * g));
            v[d] = after[d];
        }
        t = now;
    }
    return worst;
}

/* A soft bar of 40 kg: one end on a handle, the other falls on a floor and on a ball that moves. */
#define BAR                                                                                                          \
    "bodies: {bar: {shape: {type: bar, size: [1, 0.2, 0.2], cells: [5, 1, 1]}, at: [0.5, 0, 1],\n"                   \
    "  material: {young: 1e5, poisson: 0.3, density: 1000}, groups: {l: left, tip: right},\n"                        \
    "  handles: {select: left, move: [\"0.05*sin(9*t)\", 0, \"0.02*sin(20*t)\"]},\n"                                 \
    "  start: {velocity: [0, 1, -1]}, loads: {select: right, force: [3, 0, \"-20*t\"]}%s}}\n"                        \
    "obstacles: {floor: {plane: {point: [0, 0, 0.82]}}, ball: {sphere: {centre: [0.9, 0, 0.55], radius: 0.3},\n"     \
    "  move: [0, 0, \"0.02*sin(10*t)\"]}}\n"                                                                         \
    "gravity: 9.81\n"                                                                                                \
    "observe: {vx: \"dbar[1]\", vz: \"dbar[3]\", Fx: \"reaction(l)[1] + force(floor)[1] + force(ball)[1] + "         \
    "load_x\",\n"                                                                                                    \
    "  Fz: \"reaction(l)[3] + force(floor)[3] + force(ball)[3] + load_z - 40*9.81\", floor: \"force(floor)[3]\"}\n"

/* A load that depends on t is taken where the method takes it: at the middle, or as the mean of both ends. */
#define MIDDLE "parameters: {load_x: 3, load_z: 0}\n"

static const struct {
    const char *name, *settings;
    double tolerance; /* round-off of m v over h m g is 1e-16 * 10/(h g) */
} methods[] = {
    { "midpoint", "integrator: midpoint\ntime: {step: 0.005, until: 1}\ncontact: {method: penalty}\n", 1e-12 },
    { "friction",
      "integrator: midpoint\ntime: {step: 0.005, until: 1}\ncontact: {method: penalty, friction: 0.4, damping: "
      "0.01}\n",
      1e-12 },
    { "barrier", "integrator: midpoint\ntime: {step: 0.005, until: 1}\ncontact: {method: barrier}\n", 1e-12 },
    /* its share of the residual scales weight and loads too: to the accuracy of the solve, 1e-12 of the largest forces */
    { "energy-momentum",
      "integrator: energy-momentum\ntime: {step: 0.005, until: 1}\ncontact: {method: barrier, friction: 0.4}\n",
      1e-8 },
    { "verlet",
      "integrator: stormer-verlet\ntime: {step: 0.0005, until: 1}\ncontact: {method: penalty, friction: 0.4}\n",
      1e-11 },
    { "gauss", "integrator: gauss\ntime: {step: 0.005, until: 1}\ncontact: {method: penalty}\n", 1e-12 },
    { "composition",
      "integrator: composition\ntime: {step: 0.0005, until: 1}\ncontact: {method: penalty, friction: 0.4}\n", 1e-11 },
    { "rk4", "integrator: rk4\ntime: {step: 0.0005, until: 1}\ncontact: {method: penalty, friction: 0.4}\n", 1e-11 },
    { "implicit-euler", "integrator: implicit-euler\ntime: {step: 0.005, until: 1}\ncontact: {method: penalty}\n",
      1e-12 },
};

TEST(momentum_is_balanced)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        char scene[4000], bar[3000];
        bool small = strstr(methods[i].settings, "0.0005"); /* explicit: ten times as many steps */
        snprintf(bar, sizeof bar, BAR, ", damping: 0.01");
        char *load = strstr(bar, "\"-20*t\"");
        memcpy(load, "0      ", 7); /* where a load in time is taken is the method's */
        snprintf(scene, sizeof scene, "%s%s%s", bar, MIDDLE, methods[i].settings);
        lil_run *run = problem(ctx, scene);
        double off = imbalance(run, 40, small ? 400 : 40);
        if (!(off <= methods[i].tolerance))
            printf("%s: %.3g\n", methods[i].name, off);
        CHECK(off <= methods[i].tolerance);
        CHECK(find(run, "floor").max > 10); /* it has come down */
        lil_run_destroy(&run);
    }
}

/* A load of t acts at the middle of a midpoint step: t is what the balance misses by, h/2 of it. */
TEST(loads_in_time_act_in_the_middle)
{
    lil_run *run = make(BAR "parameters: {load_x: 3, load_z: \"0\"}\nintegrator: midpoint\n"
                            "time: {step: 0.005, until: 1}\ncontact: {method: penalty}\n",
                        "");
    double v = observed(run, "vz", true);
    step(run);
    double off = 40 * (observed(run, "vz", false) - v) - 0.005 * observed(run, "Fz", false);
    CHECK_NEAR(off, -20 * 0.0025 * 0.005, 1e-13);
    lil_run_destroy(&run);
}

/* Asynchronous steps have no forces in time and no friction. */
TEST(asynchronous_steps_are_balanced)
{
    lil_run *run =
        problem(ctx, "bodies: {bar: {shape: {type: bar, size: [1, 0.2, 0.2], cells: [5, 1, 1]}, at: [0.5, 0, 1],\n"
                     "  material: {young: 1e5, poisson: 0.3, density: 1000}, groups: {l: left},\n"
                     "  damping: {form: explicit, kD: 0.001}, fixed: left,\n"
                     "  start: {velocity: [0, 0, -1]}}}\n"
                     "obstacles: {floor: {plane: {point: [0, 0, 0.82]}}}\ngravity: 9.81\n"
                     "integrator: asynchronous\ntime: {step: 0.005, until: 1}\ncontact: {method: penalty}\n"
                     "observe: {vx: \"dbar[1]\", vz: \"dbar[3]\", Fx: \"reaction(l)[1]\",\n"
                     "  Fz: \"reaction(l)[3] + force(floor)[3] - 40*9.81\"}\n");
    CHECK(imbalance(run, 40, 60) <= 1e-12);
    lil_run_destroy(&run);
}

/* A chain between a pin and a rail, with a handle that lets go: links hold the pinned particle, the rail the last. */
TEST(constraints_are_supports)
{
    static const char *const methods_of[] = { "midpoint", "energy-momentum", "stormer-verlet" };
    for (int i = 0; i < 3; i++) {
        lil_run *run =
            make("particles: {c: {type: rope, from: [0, 0, 0], to: [1, 0, 0], length: 1.2, count: 9, mass: 8,\n"
                 "  handles: {select: [first], move: [0, 0, \"0.1*sin(5*t)\"], until: 0.05}}}\n"
                 "constraints: {rail: {line: c.last, through: [1, 0, 0], along: [1, 0, 0]}}\ngravity: 9.81\n"
                 "time: {step: 0.001, until: 1}\nintegrator: %s\n"
                 "observe: {vx: \"dc[1]\", vz: \"dc[3]\", Fx: \"reaction(c)[1] + reaction(rail)[1]\",\n"
                 "  Fz: \"reaction(c)[3] + reaction(rail)[3] - 72*9.81\", pin: \"reaction(c)[3]\"}\n",
                 methods_of[i]);
        CHECK(imbalance(run, 72, 40) <= 1e-11);
        CHECK(observed(run, "pin", false) > 100);
        imbalance(run, 72, 60);
        CHECK(observed(run, "pin", false) == 0); /* it has let go */
        lil_run_destroy(&run);
    }
}

/* ---- at rest ---- */

TEST(at_rest_reactions_carry_the_weight)
{
    lil_run *run =
        problem(ctx, "bodies: {bar: {shape: {type: bar, size: [1, 0.2, 0.2], cells: [5, 1, 1]},\n"
                     "  material: {young: 1e6, poisson: 0.3, density: 1000}, groups: {l: left, r: right},\n"
                     "  fixed: [left, right], start: {rest: true}}}\ngravity: 9.81\n"
                     "time: {step: 0.01, until: 1}\nintegrator: midpoint\n"
                     "observe: {z: \"reaction(bar)[3]\", x: \"reaction(bar)[1]\", lz: \"reaction(l)[3]\",\n"
                     "  rz: \"reaction(r)[3]\", lx: \"reaction(l)[1]\"}\n");
    for (int k = 0; k < 2; k++) { /* at the start, and over a step: rest leaves 1e-9 of the loads */
        CHECK_NEAR(observed(run, "z", k == 0), 40 * 9.81, 1e-6);
        CHECK_NEAR(observed(run, "x", k == 0), 0, 1e-6);
        /* the mesh has no mirror, so the halves are equal but for its error */
        CHECK_NEAR(observed(run, "lz", k == 0), observed(run, "rz", k == 0), 0.05 * 40 * 9.81);
        CHECK(observed(run, "lx", k == 0) < 0); /* it sags, and pulls its ends together */
        step(run);
    }
    lil_run_destroy(&run);
}

/* ---- stress and energy ---- */

/* x -> (a x, b y, b z) is linear, so every tet has it: sigma = F S F'/J and W = V w in closed form. */
TEST(stress_and_energy_of_a_uniform_stretch)
{
    const double a = 1.1, b = 0.97, E = 1e5, nu = 0.3, mu = E / (2 * (1 + nu)),
                 lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    lil_run *run = problem(
        ctx, "bodies: {bar: {shape: {type: bar, size: [1, 0.2, 0.2], cells: [4, 2, 2]},\n"
             "  material: {model: st-venant-kirchhoff, young: 1e5, poisson: 0.3, density: 1000},\n"
             "  groups: {r: right}, start: {position: [1.1*x, 0.97*y, 0.97*z]}}}\n"
             "time: {step: 0.01, until: 1}\n"
             "observe: {xx: \"stress(r)[1]\", yy: \"stress(r)[2]\", xy: \"stress(r)[4]\", m: von_mises(bar),\n"
             "  W: energy(bar), all: \"stress(bar)[1]\"}\n");
    double Ex = (a * a - 1) / 2, Ey = (b * b - 1) / 2, tr = Ex + 2 * Ey, J = a * b * b;
    double xx = a * a * (lambda * tr + 2 * mu * Ex) / J, yy = b * b * (lambda * tr + 2 * mu * Ey) / J;
    CHECK_NEAR(observed(run, "xx", true), xx, 1e-9 * E);
    CHECK_NEAR(observed(run, "all", true), xx, 1e-9 * E);
    CHECK_NEAR(observed(run, "yy", true), yy, 1e-9 * E);
    CHECK_NEAR(observed(run, "xy", true), 0, 1e-9 * E);
    CHECK_NEAR(observed(run, "m", true), fabs(xx - yy), 1e-9 * E);
    CHECK_NEAR(observed(run, "W", true), 0.04 * (lambda / 2 * tr * tr + mu * (Ex * Ex + 2 * Ey * Ey)), 1e-9);
    lil_run_destroy(&run);
}

/* ---- nothing changes by being measured ---- */

TEST(measuring_changes_no_bit)
{
    static const char *const observe[] = {
        "", "observe: {r: \"reaction(l)[3]\", f: \"force(floor)[3]\", m: von_mises(bar), "
            "W: energy(bar)}\n"
    };
    static const char *const method[] = { "energy-momentum", "midpoint", "implicit-euler" };
    for (int i = 0; i < 3; i++) {
        double q[2][3];
        for (int k = 0; k < 2; k++) {
            char scene[4000];
            snprintf(scene, sizeof scene,
                     "bodies: {bar: {shape: {type: bar, size: [1, 0.2, 0.2], cells: [5, 1, 1]}, at: [0.5, 0, 1],\n"
                     "  material: {young: 1e5, poisson: 0.3, density: 1000}, groups: {l: left},\n"
                     "  fixed: left, damping: 0.01, start: {velocity: [0, 0, -1]}}}\n"
                     "obstacles: {floor: {plane: {point: [0, 0, 0.85]}}}\ngravity: 9.81\n%s"
                     "integrator: %s\ntime: {step: 0.01, until: 1}\n",
                     observe[k], method[i]);
            lil_run *run = problem(ctx, scene);
            for (int n = 0; n < 20; n++)
                step(run);
            memcpy(q[k], lil_sim_state(lil_run_sim(run))->q, sizeof q[k]);
            lil_run_destroy(&run);
        }
        CHECK(memcmp(q[0], q[1], sizeof q[0]) == 0);
    }
}

/* A Sim's state has them: loaded, it says what was saved. */
TEST(a_state_has_its_reactions)
{
    lil_run *run =
        make(BAR MIDDLE "time: {step: 0.005, until: 1}\nintegrator: midpoint\ncontact: {method: penalty}\n", "");
    lil_sim *sim = start(ctx, run, "midpoint", NULL, 0.005, NULL, NULL), *copy;
    int r, f;
    double before[3], after[3], other[3];
    CHECK(lil_sim_add_measure(sim, LIL_REACTION, "l", &r) == LIL_OK && r == 0);
    CHECK(lil_sim_add_measure(sim, LIL_CONTACT_FORCE, "floor", &f) == LIL_OK && f == 1);
    advance(ctx, sim, 20);
    size_t size = lil_sim_state_size(sim);
    void *bytes = malloc(size);
    CHECK(lil_sim_measure(sim, r, before) == LIL_OK);
    CHECK(lil_sim_save_state(sim, bytes, size) == LIL_OK);
    CHECK(lil_sim_copy(ctx, sim, &copy) == LIL_OK);
    advance(ctx, sim, 1);
    CHECK(lil_sim_measure(sim, r, after) == LIL_OK && memcmp(after, before, sizeof after) != 0);
    CHECK(lil_sim_load_state(sim, bytes, size) == LIL_OK);
    CHECK(lil_sim_measure(sim, r, other) == LIL_OK && memcmp(other, before, sizeof other) == 0);
    CHECK(lil_sim_measure(copy, r, other) == LIL_OK && memcmp(other, before, sizeof other) == 0);
    advance(ctx, sim, 1);
    advance(ctx, copy, 1);
    CHECK(lil_sim_measure(sim, r, other) == LIL_OK && memcmp(other, after, sizeof other) == 0);
    CHECK(lil_sim_measure(copy, r, other) == LIL_OK && memcmp(other, after, sizeof other) == 0);
    CHECK(lil_sim_measure(sim, 2, other) == LIL_ERR_ARGUMENT);
    CHECK(lil_sim_add_measure(sim, LIL_REACTION, "tip", &r) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(ctx), "reaction(tip): none of its vertices is fixed"));
    CHECK(lil_sim_add_measure(sim, LIL_CONTACT_FORCE, "flor", &r) == LIL_ERR_INPUT);
    free(bytes);
    lil_sim_destroy(&copy);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

int main(void)
{
    if (!(ctx = lil_context_create()))
        return EXIT_FAILURE;
    RUN(momentum_is_balanced);
    RUN(loads_in_time_act_in_the_middle);
    RUN(asynchronous_steps_are_balanced);
    RUN(constraints_are_supports);
    RUN(at_rest_reactions_carry_the_weight);
    RUN(stress_and_energy_of_a_uniform_stretch);
    RUN(measuring_changes_no_bit);
    RUN(a_state_has_its_reactions);
    lil_context_destroy(&ctx);
    return test_end();
}
