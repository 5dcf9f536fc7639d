/* Contact by penalty: derivatives, discrete gradients, bounces under every stepper, the work of obstacles that move. */
#include "solids.h"

#include "scene/obstacles.h"

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
    c->term = lil_contact_term(&c->contact);
    if (c->term.table->begin(ctx, &c->contact, arena, true, &c->work, &c->entries) != LIL_OK)
        exit(EXIT_FAILURE);
}

static double W_at(const one *c, const double *x, double *g)
{
    double W = 0;
    if (g)
        memset(g, 0, 3 * sizeof *g);
    c->term.table->evaluate(&c->contact, c->work, 0, x, NULL, &W, g, NULL);
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
            double x[3], y[3], g[3], plus[3], minus[3], H[9], D[9], least, most;
            begin_one(&arena, kind, &c);
            near_place(1, x);
            lil_depth at = lil_obstacle_depth(&c.contact.obstacle,
                                              (double[3]){ x[0] - place[0], x[1] - place[1], x[2] - place[2] });
            double W = W_at(&c, x, g);
            CHECK_NEAR(W, at.depth > 0 ? 3.5 * at.depth * at.depth : 0, 1e-14);
            touched[kind] += W > 0;
            c.term.table->second(&c.contact, c.work, 0, x, NULL, H);
            c.term.table->second_definite(&c.contact, c.work, 0, x, NULL, D);
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
            c.term.table->between(&c.contact, c.work, 0, 0, x0, x1, G, &noise);
            c.term.table->between(&c.contact, c.work, 0, 0, x1, x0, B, &noise);
            for (int d = 0; d < 3; d++)
                work += G[d] * (x1[d] - x0[d]);
            CHECK_NEAR(work, change, 1e-13);
            CHECK_BELOW(apart(3, G, B), 1e-12);
            memset(G, 0, sizeof G);
            c.term.table->between(&c.contact, c.work, 0, 0, x0, x0, G, &noise);
            W_at(&c, x0, g);
            CHECK_BELOW(apart(3, G, g), 1e-12);
            lil_arena_free(&arena);
        }
}

/* ---- bounces ---- */

#define FLOOR "obstacles: {floor: {plane: {}}}\n"

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
                 "particles: {ball: {at: [0, 0, 1], mass: 1}}\ngravity: 9.81\n" FLOOR
                 "integrator: %s\ntime: {step: 0.0037, until: 0.74}\n",
                 integrators[i]);
        CHECK_NEAR(run_out(text).first_contact, 0.451523641, 1e-9);
    }
    lil_certificate c = run_out("bodies:\n  ball: {shape: {type: ball, radius: 0.2, cells: 4}, at: [0.3, 0, 1.2], "
                                "material: {young: 1e5, poisson: 0.4, density: 1000}}\n"
                                "gravity: 9.81\n" FLOOR "time: {step: 1/240, until: 0.5}\n");
    CHECK_NEAR(c.first_contact, 0.451523641, 1e-6);
    CHECK(c.penetration_max > 0 && c.penetration_max < 0.2);
}

int main(void)
{
    ctx = lil_context_create();
    srand(3);
    RUN(contact_is_differentiated_right);
    RUN(discrete_gradients_are_exact);
    RUN(first_impact_is_interpolated);
    lil_context_destroy(&ctx);
    return test_end();
}
