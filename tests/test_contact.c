/* Contact by penalty: derivatives, discrete gradients, bounces under every stepper, the work of obstacles that move. */
#include "solids.h"

#include "sim/checkpoint.h"
#include "world/contact.h"

#include <float.h>

static lil_context *ctx;

/* ---- one vertex and one obstacle ---- */

static const double place[3] = { 0.2, -0.1, 0.3 };

/* a box that is turned, a ball, a slope, about `place` */
static lil_obstacle obstacle_of(int kind)
{
    lil_obstacle o = { .kind = (lil_obstacle_kind)kind, .radius = 1, .half = { 0.5, 0.8, 1.1 } };
    memcpy(o.point, place, sizeof place);
    memcpy(o.normal, (const double[3]){ 2. / 3, -1. / 3, 2. / 3 }, sizeof o.normal);
    random_rotation(o.R);
    return o;
}

typedef struct one {
    lil_contact contact;
    lil_term term;
    void *work;
    lil_entries entries;
} one;

static const int vertex0 = 0, alone = -1;
static const double k1 = 7, m1 = 2;

static void begin_one(lil_arena *arena, int kind, one *c)
{
    c->contact = (lil_contact){
        .obstacle = obstacle_of(kind), .count = 1, .vertices = &vertex0, .k = &k1, .mass = &m1, .whole = &alone
    };
    c->entries = (lil_entries){ 0 };
    c->term = lil_contact_term(&c->contact);
    if (c->term.table->begin(ctx, &c->contact, arena, true, &c->work, &c->entries) != LIL_OK)
        exit(EXIT_FAILURE);
}

static double W_at(const one *c, const double *x, double *g)
{
    double W = 0;
    if (g)
        memset(g, 0, 3 * sizeof *g);
    c->term.table->evaluate(&c->contact, c->work, &(lil_at){ 0, x, NULL }, &(lil_sums){ &W, g, NULL });
    return W;
}

static void near_place(double far, double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = place[d] + uniform(-far, far);
}

/* differences of second order over 1e-5 of what is of order 10; not across a kink */
TEST(contact_is_differentiated_right)
{
    const double e = 1e-5;
    int touched[3] = { 0 };
    for (int kind = 0; kind < 3; kind++)
        for (int round = 0; round < 200; round++) {
            lil_arena arena = { 0 };
            one c;
            double x[3], y[3], g[3], plus[3], minus[3], values[9], H[9] = { 0 }, D[9], least, most;
            begin_one(&arena, kind, &c);
            near_place(1, x);
            lil_depth at = lil_obstacle_depth(&c.contact.obstacle,
                                              (double[3]){ x[0] - place[0], x[1] - place[1], x[2] - place[2] });
            double W = W_at(&c, x, g);
            CHECK_NEAR(W, at.depth > 0 ? 3.5 * at.depth * at.depth : 0, 1e-14);
            touched[kind] += W > 0;
            c.term.table->second(&c.contact, c.work, &(lil_at){ 0, x, NULL }, &(lil_sink){ .entries = values });
            CHECK(c.entries.qq == 9 && c.entries.qv == 0 && c.entries.vv == 0);
            for (int k = 0; k < 9; k++)
                H[3 * c.entries.row[k] + c.entries.col[k]] += values[k];
            c.term.table->second(&c.contact, c.work, &(lil_at){ 0, x, NULL },
                                 &(lil_sink){ .definite = true, .entries = D });
            bool kink = fabs(at.depth) < 1e-3;
            for (int j = 0; j < 3 && !kink; j++) {
                memcpy(y, x, sizeof y);
                y[j] = x[j] + e;
                double up = W_at(&c, y, plus);
                int face = at.face;
                y[j] = x[j] - e;
                double down = W_at(&c, y, minus);
                kink = apart(3, plus, minus) > 1e-3 && face >= 0;
                if (kink)
                    break;
                CHECK_NEAR(g[j], (up - down) / (2 * e), 1e-8);
                for (int i = 0; i < 3; i++)
                    CHECK_NEAR(H[3 * i + j], (plus[i] - minus[i]) / (2 * e), 1e-6);
            }
            eigenvalues(3, D, &least, &most);
            CHECK(least > -1e-12);
            lil_arena_free(&arena);
        }
    for (int kind = 0; kind < 3; kind++)
        CHECK(touched[kind] > 20 && touched[kind] < 200);
}

/* G.(x1 - x0) = W1 - W0, symmetric, and dW/dx where there is no way */
TEST(discrete_gradients_are_exact)
{
    for (int kind = 0; kind < 3; kind++)
        for (int round = 0; round < 500; round++) {
            lil_arena arena = { 0 };
            one c;
            double x0[3], x1[3], G[3] = { 0 }, B[3] = { 0 }, g[3], noise = 0, work = 0;
            begin_one(&arena, kind, &c);
            near_place(1, x0);
            near_place(round % 2 ? 1 : 0.01, x1);
            if (round % 2 == 0)
                for (int d = 0; d < 3; d++)
                    x1[d] += x0[d] - place[d];
            double change = W_at(&c, x1, NULL) - W_at(&c, x0, NULL);
            c.term.table->discrete_gradient->evaluate(&c.contact, c.work, &(lil_ends){ 0, 0, x0, x1, false }, G,
                                                      &noise);
            c.term.table->discrete_gradient->evaluate(&c.contact, c.work, &(lil_ends){ 0, 0, x1, x0, false }, B,
                                                      &noise);
            for (int d = 0; d < 3; d++)
                work += G[d] * (x1[d] - x0[d]);
            CHECK_NEAR(work, change, 1e-13);
            CHECK_BELOW(apart(3, G, B), 1e-12);
            memset(G, 0, sizeof G);
            c.term.table->discrete_gradient->evaluate(&c.contact, c.work, &(lil_ends){ 0, 0, x0, x0, false }, G,
                                                      &noise);
            W_at(&c, x0, g);
            CHECK_BELOW(apart(3, G, g), 1e-12);
            lil_arena_free(&arena);
        }
}

/* ---- bounces ---- */

#define FLOOR "obstacles: {floor: {plane: {}}}\n"
#define PENALTY "contact: {method: penalty}\n"

/* runs to the end; its certificate */
static lil_certificate run_out(const char *text)
{
    lil_run *run = problem(ctx, text);
    while (!lil_run_complete(run))
        if (lil_run_advance(run, 1000) != LIL_OK) {
            test_failures++;
            printf("%s: %s\n", test_name, lil_context_message(ctx));
            break;
        }
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    lil_run_destroy(&run);
    return c;
}

/* sqrt(2/9.81) s, whatever the step: before it touches it falls along a parabola */
TEST(first_impact_is_interpolated)
{
    static const char *const integrators[] = { "midpoint", "stormer-verlet", "energy-momentum", "rk4",
                                               "{method: gauss, stages: 2}" };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "particles: {ball: {at: [0, 0, 1], mass: 1}}\ngravity: 9.81\n" FLOOR PENALTY
                 "integrator: %s\ntime: {step: 0.0037, until: 0.74}\n",
                 integrators[i]);
        CHECK_NEAR(run_out(text).first_contact, 0.451523641, 1e-9);
    }
    lil_certificate c = run_out("bodies:\n  ball: {shape: {type: ball, radius: 0.2, cells: 4}, at: [0.3, 0, 1.2], "
                                "material: {young: 1e5, poisson: 0.4, density: 1000}}\n"
                                "gravity: 9.81\n" FLOOR PENALTY "time: {step: 1/240, until: 0.5}\n");
    CHECK_NEAR(c.first_contact, 0.451523641, 1e-6);
    CHECK(c.penetration_max > 0 && c.penetration_max < 0.2);
}

/* ---- one bounce of a point ---- */

/* h omega_c = 0.1, from a random phase of the step: how fast it leaves, over how fast it came, and how long it touched */
static double bounce(const char *integrator, double h, double k, double m, double phase, double *lasted)
{
    char text[600];
    double v = -1.3, left = 0, came = NAN, depth = 0;
    snprintf(text, sizeof text,
             "particles: {ball: {at: [0, 0, %.17g], mass: %.17g, velocity: [0.2, 0, %g]}}\n" FLOOR
             "contact: {method: penalty, stiffness: %.17g}\nintegrator: %s\ntime: {step: %.17g, until: 1000*%.17g}\n",
             0.05 - v * phase * h, m, v, k, integrator, h, h);
    lil_run *run = problem(ctx, text);
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    for (int i = 0; i < 400 && advance(ctx, lil_run_sim(run), 1); i++) {
        double z = x->q[2];
        if (isnan(came) && z < 0) /* along straight lines before and after */
            came = x->t - h * z / (z - depth);
        if (!isnan(came) && left == 0 && z > 0)
            left = x->t - z / x->v[2];
        depth = z;
    }
    *lasted = left - came;
    double ratio = -x->v[2] / v;
    CHECK_NEAR(x->v[0], 0.2, 1e-14); /* it is smooth */
    lil_run_destroy(&run);
    return ratio;
}

/* A half wave of the spring, pi sqrt(m/k), and out as fast as in. */
TEST(a_point_leaves_as_it_came)
{
    static const char *const integrators[] = { "midpoint",
                                               "stormer-verlet",
                                               "symplectic-euler",
                                               "energy-momentum",
                                               "{method: composition, base: midpoint, order: 4}",
                                               "{method: gauss, stages: 2}",
                                               "rk4" };
    const double m = 0.7, k = 300, h = 0.1 * sqrt(m / k), pi = acos(-1);
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        int before = test_failures;
        double least = INFINITY, most = -INFINITY, sum = 0;
        for (int round = 0; round < 100; round++) {
            double lasted, ratio = bounce(integrators[i], h, k, m, uniform(0, 1), &lasted);
            least = fmin(least, ratio);
            most = fmax(most, ratio);
            sum += ratio * ratio;
            CHECK_NEAR(ratio, 1, 0.003);
            CHECK_NEAR(lasted, pi * sqrt(m / k), 0.6 * h); /* of two ends, each within a part of a step */
        }
        printf("    %-50s leaves with %.5f to %.5f of its speed, mean energy %+.2e\n", integrators[i], least, most,
               sum / 100 - 1);
        CHECK_BELOW(sum / 100 - 1,
                    5e-4); /* no mean gain: a bounce is within 0.006, of a hundred the mean within a tenth */
        if (test_failures > before)
            printf("    so far for %s\n", integrators[i]);
    }
}

/* ---- two bodies ---- */

#define STUFF "material: {young: 2e5, poisson: 0.4, density: 1000}"

/* off the middle, both turning, in free space */
static const char two_bodies[] =
    "bodies:\n"
    "  ball: {shape: {type: ball, radius: 0.2, cells: 3}, at: [-0.3, 0, 0], " STUFF
    ", start: {push: [4, 0, 0], spin: [0, 1, 3]}}\n"
    "  box: {shape: {type: box, size: [0.3, 0.4, 0.3], cells: [2, 3, 2]}, at: [0.3, 0.1, "
    "0.05], rotate: [10, 20, 30], " STUFF ", start: {push: [-1, 0, 0]}}\n"
    "contact: {method: penalty}\nsolver: {tolerance: 1e-12}\n";

/* Pushed into each other by `way`, and shaken. */
static void push_together(const lil_run *run, double way, double *x)
{
    const lil_world *bs = run->plan.world;
    for (int i = 0; i < run->plan.n; i++)
        x[i] = bs->x[i] + uniform(-0.005, 0.005);
    for (int i = 0; i < bs->list[0].mesh.vertex_count; i++)
        x[3 * i] += way;
}

static lil_collision *collision_of(const lil_run *run, lil_arena *arena, lil_term *term, void **work)
{
    lil_entries entries = { 0 };
    *term = lil_collision_term(run->plan.world->collision);
    if (term->table->begin(ctx, term->data, arena, true, work, &entries) != LIL_OK)
        exit(EXIT_FAILURE);
    return run->plan.world->collision;
}

static double collide(const lil_term *term, void *work, const double *x, int n, double *g)
{
    double W = 0;
    if (g)
        memset(g, 0, (size_t)n * sizeof *g);
    term->table->evaluate(term->data, work, &(lil_at){ 0, x, NULL }, &(lil_sums){ &W, g, NULL });
    return W;
}

/* Differences of second order over 1e-7 m of what is some 1e2 J/m, stiff by 1e4 J/m^2 and changes its triangle anywhere; no net force, no net
 * torque; the same after any rigid motion. */
TEST(bodies_push_each_other_alike)
{
    lil_run *run = problem(ctx, strcat(strcpy((char[2000]){ 0 }, two_bodies), TIME));
    lil_arena arena = { 0 };
    lil_term term;
    void *work;
    int n = run->plan.n, touched = 0;
    double *x = calloc(6 * (size_t)n, sizeof *x), *g = x + n, *y = g + n, *h = y + n, force[3], torque[3], R[9];
    collision_of(run, &arena, &term, &work);
    for (int round = 0; round < (test_small() ? 3 : 20); round++) {
        double way = uniform(0.2, 0.4), W, size;
        push_together(run, way, x);
        W = collide(&term, work, x, n, g);
        touched += W > 0;
        size = largest(n, g);
        sum_up(n / 3, x, g, force, torque);
        CHECK_BELOW(largest(3, force), 1e-13 * size + 1e-300);
        CHECK_BELOW(largest(3, torque), 1e-13 * size + 1e-300);
        int off = 0, tried = 0;
        for (int i = 0; i < n; i++) {
            const double e = 1e-7;
            if (g[i] == 0)
                continue;
            memcpy(y, x, (size_t)n * sizeof *x);
            y[i] += e;
            double up = collide(&term, work, y, n, NULL);
            y[i] -= 2 * e;
            double slope = (up - collide(&term, work, y, n, NULL)) / (2 * e);
            off += !(fabs(slope - g[i]) < 1e-5 * size);
            tried++;
        }
        CHECK(off <= tried / 20); /* the way out may turn within e */
        random_rotation(R);
        move_rigidly(n / 3, R, (double[3]){ 0.3, -2, 1 }, x, y);
        CHECK_NEAR(collide(&term, work, y, n, h), W, 1e-12 * W);
    }
    CHECK(touched > 2);
    free(x);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

/* Couplings are what the gradient's differences are; without how edges turn they are semidefinite. A difference of second order over
 * 1e-7 m of a gradient of 1e2 N that is stiff by 1e4 N/m: 1e-5 of it is far above both. */
TEST(couplings_are_second_derivatives)
{
    lil_run *run = problem(ctx, strcat(strcpy((char[2000]){ 0 }, two_bodies), TIME));
    lil_arena arena = { 0 };
    lil_term term;
    void *work;
    int n = run->plan.n, off = 0, tried = 0, negative = 0;
    double *x = calloc(6 * (size_t)n, sizeof *x), *d = x + n, *up = d + n, *down = up + n, *y = down + n, *Hd = y + n;
    collision_of(run, &arena, &term, &work);
    for (int round = 0; round < (test_small() ? 3 : 20); round++) {
        lil_couplings exact = { .arena = &arena }, definite = { .arena = &arena };
        const double e = 1e-7, weight = 0.7;
        push_together(run, uniform(0.2, 0.4), x);
        for (int i = 0; i < n; i++)
            d[i] = uniform(-1, 1);
        term.table->second(term.data, work, &(lil_at){ 0, x, NULL },
                           &(lil_sink){ .definite = false, .weight = weight, .couplings = &exact });
        term.table->second(term.data, work, &(lil_at){ 0, x, NULL },
                           &(lil_sink){ .definite = true, .weight = weight, .couplings = &definite });
        memset(Hd, 0, (size_t)n * sizeof *Hd);
        for (int c = 0; c < exact.count; c++) {
            double form = 0;
            for (int k = 0; k < 144; k++) {
                int i = 3 * exact.list[c].at[k / 36] + k / 12 % 3, j = 3 * exact.list[c].at[k % 12 / 3] + k % 3;
                Hd[i] += exact.list[c].H[k / 12][k % 12] * d[j];
                form += d[i] * definite.list[c].H[k / 12][k % 12] * d[j];
            }
            negative += form < -1e-9;
        }
        for (int i = 0; i < n; i++)
            y[i] = x[i] + e * d[i];
        collide(&term, work, y, n, up);
        for (int i = 0; i < n; i++)
            y[i] = x[i] - e * d[i];
        collide(&term, work, y, n, down);
        for (int i = 0; i < n; i++)
            if (Hd[i] != 0) {
                off += !(fabs(weight * (up[i] - down[i]) / (2 * e) - Hd[i]) < 1e-5 * largest(n, Hd));
                tried++;
            }
    }
    CHECK(tried > 30 && negative == 0);
    CHECK(off <= tried / 20); /* the way out may turn within e */
    free(x);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

/* Whatever the step does, P and J stay. Second-order methods change the energy by (h omega)^2 of a bounce. */
TEST(colliding_bodies_keep_momenta)
{
    static const struct {
        const char *name;
        double h, energy, J;
    } steppers[] = { { "midpoint", 1e-3, 0.02, 1e-9 },
                     { "stormer-verlet", 2.5e-4, 0.005, 1e-12 },
                     { "asynchronous", 2.5e-4, 0.005, 1e-12 },
                     { "energy-momentum", 1e-3, 1e-3, 1e-9 },
                     { "symplectic-euler", 2.5e-4, 0.02, 1e-12 } };
    for (size_t i = 0; i < sizeof steppers / sizeof *steppers; i++) {
        char text[2000];
        int before = test_failures;
        snprintf(text, sizeof text, "%sintegrator: %s\ntime: {step: %g, until: 0.15}\n", two_bodies, steppers[i].name,
                 steppers[i].h);
        lil_certificate c = run_out(text);
        printf("    %-18s P %.1e, J %.1e, energy band %.1e, %.3g m deep, h omega_c = %.3g\n", steppers[i].name,
               c.linear_momentum_drift, c.angular_momentum_drift, c.energy_band, c.penetration_max, c.h_omega_c);
        CHECK_BELOW(c.linear_momentum_drift, 1e-12);
        CHECK_BELOW(c.angular_momentum_drift, steppers[i].J);
        CHECK_BELOW(c.energy_band, steppers[i].energy);
        CHECK(c.penetration_max > 1e-3 && c.penetration_max < 0.08 && c.halved_steps <= 3);
        CHECK(c.first_contact > 0.01 && c.first_contact < 0.1);
        if (test_failures > before)
            printf("    so far for %s\n", steppers[i].name);
    }
}

/* ---- friction ---- */

/* A block on a slope of tan = 0.5, pressed in by its weight, after `until`. */
static lil_run *slope(const char *integrator, double mu, double step, double until)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "parameters: {m: 0.8, k: 2e4, c: 2/sqrt(5), s: 1/sqrt(5), d: m*9.81*c/k}\n"
        "particles: {block: {at: [-s*d, 0, -c*d], mass: m}}\ngravity: 9.81\n"
        "obstacles: {slope: {plane: {normal: [1, 0, 2]}, friction: %g}}\ncontact: {method: penalty, stiffness: k}\n"
        "integrator: %s\ntime: {step: %g, until: %g}\n",
        mu, integrator, step, until);
    return problem(ctx, text);
}

static double down_the_slope(const double *x)
{
    return (2 * x[0] - x[2]) / sqrt(5);
}

/* g (sin - mu cos) = 0.087743 m/s^2 once it slides; below that it creeps, slower than 0.01 m/s. */
TEST(friction_holds_or_not)
{
    static const char *const integrators[] = { "midpoint",
                                               "stormer-verlet",
                                               "implicit-euler",
                                               "energy-momentum",
                                               "rk4",
                                               "{method: composition, base: midpoint, order: 4}" };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        int before = test_failures;
        lil_run *run = slope(integrators[i], 0.49, 1e-3, 1);
        const lil_state *x = lil_sim_state(lil_run_sim(run));
        advance(ctx, lil_run_sim(run), 500);
        double v = down_the_slope(x->v);
        CHECK(v > 0.01);
        advance(ctx, lil_run_sim(run), 500);
        CHECK_NEAR((down_the_slope(x->v) - v) / 0.5, 9.81 * (1 - 0.49 * 2) / sqrt(5), 1e-9);
        lil_certificate c = lil_sim_certificate(lil_run_sim(run));
        if (i != 2) /* implicit Euler damps besides */
            CHECK_NEAR(c.energy_initial - c.energy_final, c.energy_dissipated, 1e-12);
        lil_run_destroy(&run);
        run = slope(integrators[i], 0.51, 1e-3, 1);
        x = lil_sim_state(lil_run_sim(run));
        advance(ctx, lil_run_sim(run), 1000);
        CHECK_NEAR(down_the_slope(x->v), 0.01 * (1 - sqrt(1 - 0.5 / 0.51)), 1e-9); /* f(y) = 2 y - y^2 = tan/mu */
        lil_run_destroy(&run);
        if (test_failures > before)
            printf("    so far for %s\n", integrators[i]);
    }
}

/* A floor that runs takes a block along: it gives m u^2, half of which the block has in the end, the other half is heat. */
TEST(a_belt_gives_what_friction_takes)
{
    static const char *const integrators[] = { "midpoint", "stormer-verlet" };
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "particles: {block: {at: [0, 0, -9.81/2e4], mass: 1}}\ngravity: 9.81\n"
                 "obstacles: {belt: {plane: {}, move: [1.5*t, 0, 0]}}\ncontact: {method: penalty, stiffness: 2e4, "
                 "friction: 0.3}\n"
                 "integrator: %s\ntime: {step: 1e-3, until: 2}\n",
                 integrators[i]);
        lil_certificate c = run_out(text);
        CHECK_NEAR(c.energy_final - c.energy_initial, 1.125, 1e-6);
        CHECK_NEAR(c.external_work, 2.25, 1e-3); /* slow at the end: within slip/u of it */
        CHECK_NEAR(c.external_work - c.energy_dissipated, c.energy_final - c.energy_initial, 1e-12);
    }
}

/* A piston that goes up and down under a ball: what it gives is what the ball has, but for the step's (h omega)^2. */
TEST(obstacles_that_move_do_work)
{
    static const char *const integrators[] = { "midpoint", "stormer-verlet", "energy-momentum", "asynchronous", "rk4",
                                               "gauss",    "lobatto",        "composition",     "newmark" };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "particles: {ball: {at: [0, 0, 0.3], mass: 1}}\ngravity: 9.81\n"
            "obstacles: {piston: {box: {centre: [0, 0, -0.5], size: [1, 1, 1]}, move: [0, 0, \"0.1*sin(7*t)\"]}}\n"
            "contact: {method: penalty, stiffness: 4000}\nintegrator: %s\ntime: {step: 5e-4, until: 1.5}\n",
            integrators[i]);
        lil_certificate c = run_out(text);
        double gained = c.energy_final - c.energy_initial;
        CHECK(fabs(gained) > 0.1); /* or it was no test */
        CHECK_NEAR(c.external_work, gained, strcmp(integrators[i], "energy-momentum") == 0 ? 1e-9 : 0.01);
    }
}

/* S of friction and damping, of an obstacle and of bodies: slopes by differences; its blocks bound its second derivatives. */
TEST(friction_is_differentiated_right)
{
    char text[2200];
    snprintf(text, sizeof text, "%s" TIME, two_bodies);
    char *rest = strstr(text, "penalty}") + strlen("penalty");
    memmove(rest + 31, rest, strlen(rest) + 1);
    memcpy(rest, ", friction: 0.7, damping: 0.003", 31);
    lil_run *run = problem(ctx, text);
    lil_sim *sim = lil_run_sim(run);
    int n = run->plan.n, off = 0, some = 0;
    double *x = calloc(4 * (size_t)n, sizeof *x), *v = x + n, *D = v + n, *E = D + n;
    push_together(run, 0.3, x);
    for (int i = 0; i < n; i++)
        v[i] = uniform(-0.01, 0.01);
    lil_evaluate_prepare(&sim->ev, LIL_FRICTION, 0, 0.01, x);
    double S, up, down, taken;
    lil_evaluate_damping(&sim->ev, LIL_FRICTION, 0, x, v, &S, D, &taken, NULL);
    CHECK(S > 0 && taken > 0);
    for (int i = 0; i < n; i++) {
        const double e = 1e-6;
        double at = v[i];
        v[i] = at + e;
        lil_evaluate_damping(&sim->ev, LIL_FRICTION, 0, x, v, &up, E, NULL, NULL);
        v[i] = at - e;
        lil_evaluate_damping(&sim->ev, LIL_FRICTION, 0, x, v, &down, E, NULL, NULL);
        v[i] = at;
        off += !(fabs((up - down) / (2 * e) - D[i]) < 1e-5 * largest(n, D));
        some += D[i] != 0;
    }
    CHECK(off == 0 && some > 10);
    free(x);
    lil_run_destroy(&run);
}

/* ---- friction between bodies ---- */

typedef struct pile {
    const char *name, *shape, *second; /* of every other body */
    int count;
    double apart;
    const char *young, *more;
} pile;

#define BALL "{type: ball, radius: 0.1, cells: 4}" /* 309 vertices */
#define BOX "{type: box, size: [0.2, 0.18, 0.19], cells: [3, 3, 3]}"
#define BRICK "{type: box, size: [0.2, 0.18, 0.19], cells: [1, 1, 1]}"
#define STILL                                                                                                        \
    "obstacles: {floor: {plane: {}}}\ncontact: {method: penalty, friction: 0.3}\ntime: {step: 1/240, until: "        \
    "60/240}\n"

/* Bodies above each other, a little off, that have come close when it begins. */
static lil_run *heap(const pile *p)
{
    char text[4000];
    int at = snprintf(text, sizeof text, "gravity: 9.81\nintegrator: midpoint\n%sbodies:\n", p->more);
    for (int i = 0; i < p->count; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  b%d: {shape: %s, at: [%g, %g, %g], material: {young: %s, poisson: 0.4, density: 1000}, "
                       "damping: 0.005, start: {push: [0, 0, %g]}}\n",
                       i, p->second && i % 2 ? p->second : p->shape, 0.03 * sin(2 * i), 0.02 * cos(3 * i),
                       0.1 + p->apart * i, p->young, -0.3 * i);
    return problem(ctx, text);
}

/*
 * A heap of soft bodies has friction at tens of places that stick and slip. Newton's method finds each step of midpoint in some 10 iterations, half of them
 * for the last digits with an old matrix; 15 is the bar, and a step that needs more than 50 is halved. With bounds in the place of
 * what bodies have in common it took 1000; without the force as an unknown of its own 20 to 50; without how edges turn up to 50.
 */
TEST(heaps_of_bodies_converge)
{
    static const pile piles[] = {
        { "six balls", BALL, NULL, 6, 0.204, "3e4", STILL },
        { "rough", BALL, NULL, 6, 0.204, "3e4",
          "obstacles: {floor: {plane: {}}}\ncontact: {method: penalty, friction: 1}\n"
          "time: {step: 1/240, until: 60/240}\n" },
        { "root", BALL, NULL, 4, 0.204, "3e4", "solver: {method: root}\n" STILL },
        { "few digits", BALL, NULL, 4, 0.204, "3e4", "solver: {tolerance: 1e-6}\n" STILL },
        { "many digits", BALL, NULL, 4, 0.204, "3e4", "solver: {tolerance: 1e-10}\n" STILL },
        { "boxes", BOX, NULL, 4, 0.194, "1e5", STILL },
        { "stiff boxes and balls", BOX, BALL, 4, 0.2, "2e6",
          "obstacles: {floor: {plane: {}}}\ncontact: {method: penalty, friction: 0.5}\ntime: {step: 1/1000, until: "
          "0.06}\n" },
        { "ten bodies", BOX, BALL, 10, 0.2, "5e4", STILL },
        { "bricks, factored", BRICK, NULL, 2, 0.194, "1e5", "solver: {linear: direct}\n" STILL },
        { "factored, root", BRICK, NULL, 2, 0.194, "1e5", "solver: {linear: direct, method: root}\n" STILL },
        { "bricks of 8 vertices", BRICK, NULL, 2, 0.194, "1e5", STILL },
        { "moving floor", BOX, BALL, 3, 0.2, "5e4",
          "obstacles: {floor: {plane: {}, move: [0.05*sin(20*t), 0, 0]}}\ncontact: {method: penalty, friction: 0.8, "
          "damping: 0.002}\n"
          "time: {step: 1/240, until: 60/240}\n" },
    };
    int count = (int)(sizeof piles / sizeof *piles);
    for (int i = 0; i < count; i++) {
        lil_run *run = heap(&piles[i]);
        lil_sim *sim = lil_run_sim(run);
        int before = test_failures, steps = 40;
        advance(ctx, sim, steps);
        lil_certificate c = lil_sim_certificate(sim);
        printf("    %-22s %.1f iterations a step, %.3g m deep\n", piles[i].name, c.newton_iterations / steps,
               c.penetration_max);
        CHECK(c.newton_iterations <= 15 * steps && c.halved_steps == 0);
        CHECK(c.penetration_max > 0 && c.first_contact < 0.05);
        if (test_failures > before)
            printf("    so far for %s\n", piles[i].name);
        lil_run_destroy(&run);
    }
}

/* Contacts come in a fixed order: neither threads nor a pause in the middle show, to the last bit. */
TEST(heaps_have_the_same_bits)
{
    static const pile two = {
        "",
        BOX,
        BALL,
        3,
        0.2,
        "5e4",
        "obstacles: {floor: {plane: {}}}\ncontact: {method: penalty, friction: 0.5, damping: 0.01}\n"
        "time: {step: 1/240, until: 60/240}\n"
    };
    double *rows[3];
    int words = 0;
    for (int k = 0; k < 3; k++) {
        MUST(lil_context_set_threads(ctx, k == 1 ? 3 : 1));
        lil_run *run = heap(&two), *other = k == 2 ? heap(&two) : NULL;
        lil_sim *sim = lil_run_sim(run);
        words = lil_sim_words(sim);
        rows[k] = calloc((size_t)words, sizeof *rows[k]);
        advance(ctx, sim, 15);
        if (other) {
            lil_sim_save(sim, rows[k]);
            sim = lil_run_sim(other);
            CHECK(lil_sim_load(sim, rows[k]));
        }
        advance(ctx, sim, 15);
        lil_sim_save(sim, rows[k]);
        CHECK(lil_sim_certificate(sim).penetration_max > 1e-3);
        lil_run_destroy(&run);
        lil_run_destroy(&other);
    }
    MUST(lil_context_set_threads(ctx, 1));
    CHECK(memcmp(rows[0], rows[1], (size_t)words * sizeof *rows[0]) == 0);
    CHECK(memcmp(rows[0], rows[2], (size_t)words * sizeof *rows[0]) == 0);
    for (int k = 0; k < 3; k++)
        free(rows[k]);
}

/* N has the damper's share: what slides at v stops after v^2/(2 mu g), on an obstacle as on a body, however much of the weight dampers carry
 * at first. N is that of the step before, so that v h is the most by which it may be off, and implicit Euler's x has v h/2 of its own; without the damper's share it was kD v. */
TEST(dampers_press_too)
{
    static const char *const grounds[] = {
        "obstacles: {floor: {plane: {}}}\n",
        "bodies: {table: {shape: {type: box, size: [2, 1, 0.5], cells: [4, 2, 1]}, at: "
        "[0.5, 0, -0.25], " STUFF ", fixed: {box: [[-9, -9, -9], [9, 9, 9]]}}}\n"
    };
    static const char *const integrators[] = { "midpoint", "implicit-euler" };
    for (int i = 0; i < 8; i++) {
        const double v = 2, mu = 0.3, h = 1e-3, kD = i & 1 ? 0.02 : 0.2;
        char text[1000];
        snprintf(text, sizeof text,
                 "particles: {block: {at: [0, 0.01, 0], mass: 1, velocity: [%g, 0, 0]}}\ngravity: 9.81\n%scontact: "
                 "{method: penalty, friction: %g, slip: 1e-3, damping: %g}\nintegrator: %s\ntime: {step: %g, until: "
                 "1.2}\n",
                 v, grounds[i / 2 % 2], mu, kD, integrators[i / 4], h);
        lil_run *run = problem(ctx, text);
        lil_sim *sim = lil_run_sim(run);
        advance(ctx, sim, 1200);
        const double *x = lil_sim_state(sim)->q + lil_sim_state(sim)->n - 3;
        CHECK_NEAR(x[0], v * v / (2 * mu * 9.81), (i < 4 ? 1 : 1.5) * v * h);
        lil_run_destroy(&run);
    }
}

int main(void)
{
    ctx = lil_context_create();
    srand(3);
    RUN(contact_is_differentiated_right);
    RUN(discrete_gradients_are_exact);
    RUN(first_impact_is_interpolated);
    RUN(a_point_leaves_as_it_came);
    RUN(bodies_push_each_other_alike);
    RUN(couplings_are_second_derivatives);
    RUN(colliding_bodies_keep_momenta);
    RUN(friction_holds_or_not);
    RUN(a_belt_gives_what_friction_takes);
    RUN(obstacles_that_move_do_work);
    RUN(friction_is_differentiated_right);
    RUN_RELEASE(heaps_of_bodies_converge);
    RUN(heaps_have_the_same_bits);
    RUN(dampers_press_too);
    lil_context_destroy(&ctx);
    return test_end();
}
