/* Terms and constraints of the user's own kinds in a world move it as Lilyan's own of the same formula do. */
#include "test.h"

#include <lilyan/world.h>

static lil_context *ctx;

static void must(lil_status status)
{
    if (status == LIL_OK)
        return;
    printf("%s: %s\n", test_name, lil_context_message(ctx));
    exit(EXIT_FAILURE);
}

static void expect_words(const char *words)
{
    if (strstr(lil_context_message(ctx), words))
        return;
    test_failures++;
    printf("%s: '%s' is not in '%s'\n", test_name, words, lil_context_message(ctx));
}

/* ---- kinds ---- */

typedef struct spring {
    double stiffness, length;
} spring;

static bool spring_energy(const void *data, double t, const double *x, double *W, double *g)
{
    const spring *s = data;
    double d[3] = { x[3] - x[0], x[4] - x[1], x[5] - x[2] };
    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), e = r - s->length;
    (void)t;
    *W = s->stiffness / 2 * e * e;
    for (int i = 0; g && i < 3; i++) {
        g[3 + i] = s->stiffness * e * d[i] / r;
        g[i] = -g[3 + i];
    }
    return true;
}

static const double CENTRE[3] = { 0.1, -0.2, 0.3 };

/* |x - c| = 1 */
static bool ball(const void *data, const double *x, double *g, double *G)
{
    double d[3] = { x[0] - CENTRE[0], x[1] - CENTRE[1], x[2] - CENTRE[2] };
    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    (void)data;
    *g = r - 1;
    for (int i = 0; G && i < 3; i++)
        G[i] = d[i] / r;
    return x[2] < 50;
}

TEST(register_kinds)
{
    lil_term_kind term = { .size = sizeof term,
                           .name = "own-spring",
                           .holds = LIL_KIND_TRANSLATIONS | LIL_KIND_ROTATIONS,
                           .coordinates = 6,
                           .data_size = sizeof(spring),
                           .energy = spring_energy };
    lil_constraint_kind constraint = {
        .size = sizeof constraint, .name = "own-ball", .coordinates = 3, .rows = 1, .value = ball
    };
    CHECK(lil_context_register_term(ctx, &term) == LIL_OK);
    term.name = "silent-spring"; /* it claims nothing */
    term.holds = 0;
    CHECK(lil_context_register_term(ctx, &term) == LIL_OK);
    CHECK(lil_context_register_constraint(ctx, &constraint) == LIL_OK);
}

/* ---- worlds ---- */

/* A rubber bar and a particle beside its last vertex; where the coordinates of both are. */
static lil_world *bar_and_particle(int *bar, int *particle, int at[6])
{
    lil_world *world;
    lil_mesh *mesh;
    double x[3] = { 0.7, 0.05, 0.1 };
    lil_body_def body = lil_body_def_default();
    lil_particles_def one = lil_particles_def_default();
    lil_mesh_info info;
    must(lil_mesh_create_shape(ctx, "bar", "size=0.4,0.1,0.1 cells=2,1,1", &mesh));
    must(lil_world_create(ctx, &world));
    body.name = "bar";
    body.mesh = mesh;
    body.material.name = "rubber";
    must(lil_world_add_body(world, &body, bar));
    one.name = "bead";
    one.count = 1;
    one.x = x;
    one.each = 0.5;
    must(lil_world_add_particles(world, &one, particle));
    must(lil_world_look(world, *bar, &info));
    for (int i = 0; i < 6; i++)
        at[i] = i < 3 ? 3 * (lil_world_first(world, *bar) + info.vertex_count - 1) + i
                      : 3 * lil_world_first(world, *particle) + i - 3;
    lil_mesh_destroy(&mesh);
    return world;
}

typedef struct motion {
    double q[200];
    int n;
    lil_certificate certificate;
} motion;

static motion move(lil_world *world, const char *integrator)
{
    motion m = { .n = 0 };
    lil_model *model;
    lil_sim *sim;
    lil_sim_def def = lil_sim_def_default();
    def.integrator = integrator;
    def.step = 1e-4; /* short enough for stormer-verlet */
    must(lil_world_build(world, &model));
    must(lil_sim_create(ctx, model, &def, &sim));
    for (int k = 0; k < 200; k++)
        must(lil_sim_step(sim));
    m.n = lil_sim_state(sim)->n;
    memcpy(m.q, lil_sim_state(sim)->q, (size_t)m.n * sizeof *m.q);
    m.certificate = lil_sim_certificate(sim);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
    return m;
}

static double apart(const motion *a, const motion *b)
{
    double most = 0;
    CHECK(a->n == b->n);
    for (int i = 0; i < a->n; i++)
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

/* kind NULL: Lilyan's own spring */
static motion pull(const char *kind, const char *integrator)
{
    int bar, bead, at[6];
    lil_world *world = bar_and_particle(&bar, &bead, at);
    const spring data = { 300, 0.2 };
    lil_spring_def own = lil_spring_def_default();
    int first = at[0] / 3, zero = 0;
    own.body = bar;
    own.vertices = &first;
    own.vertex_count = 1;
    own.to = bead;
    own.to_vertices = &zero;
    own.to_count = 1;
    own.stiffness = data.stiffness;
    own.length = data.length;
    if (kind)
        must(lil_world_add_terms(world, &(lil_term_set){ kind, 1, at, &data }));
    else
        must(lil_world_add_springs(world, &own));
    return move(world, integrator);
}

/* ---- tests ---- */

/* The two differ by the round-off of solves: 200 of them, each to 1e-12 of its gradient, of motions of 0.1 m. */
TEST(a_term_moves_a_world)
{
    static const char *const methods[] = { "midpoint", "stormer-verlet", "implicit-euler" };
    for (int i = 0; i < 3; i++) {
        motion lilyans = pull(NULL, methods[i]), own = pull("own-spring", methods[i]);
        CHECK_BELOW(apart(&lilyans, &own), 1e-9);
    }
}

/* What the kind claims the certificate measures; what it does not claim it leaves out. */
TEST(claims_of_a_term_reach_the_certificate)
{
    motion claimed = pull("own-spring", "midpoint"), silent = pull("silent-spring", "midpoint");
    CHECK_BELOW(claimed.certificate.linear_momentum_drift, 1e-13);
    CHECK_BELOW(claimed.certificate.angular_momentum_drift, 1e-9);
    CHECK(isnan(silent.certificate.linear_momentum_drift) && isnan(silent.certificate.angular_momentum_drift));
}

static motion slide(bool own)
{
    int bar, bead, at[6];
    lil_world *world = bar_and_particle(&bar, &bead, at);
    lil_constraint_def sphere = lil_constraint_def_default();
    lil_start_def start = lil_start_def_default();
    must(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    sphere.name = "wire";
    sphere.type = LIL_SPHERE;
    sphere.points[0] = (lil_vertex){ bead, 0 };
    sphere.radius = 1;
    memcpy(sphere.point, CENTRE, sizeof CENTRE);
    const double x[3] = { CENTRE[0] + 0.6, CENTRE[1], CENTRE[2] + 0.8 };
    start.x = x;
    must(lil_world_set_start(world, bead, &start));
    if (own)
        must(lil_world_add_constraints(world, &(lil_constraint_set){ "own-ball", 1, at + 3, NULL, "wire" }));
    else
        must(lil_world_add_constraint(world, &sphere));
    return move(world, "midpoint");
}

/* A surface needs no expression: a C function binds as a kind of Lilyan's does. */
TEST(a_constraint_by_a_function)
{
    motion lilyans = slide(false), own = slide(true);
    CHECK_BELOW(apart(&lilyans, &own), 1e-9);
    CHECK_BELOW(own.certificate.constraint_max, 1e-12);
}

static double height_over_ball(const motion *m, int particle, double *off)
{
    const double *x = m->q + m->n - 6 + 3 * particle;
    double d[3] = { x[0] - CENTRE[0], x[1] - CENTRE[1], x[2] - CENTRE[2] };
    *off = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 1;
    return d[2];
}

/* Two particles on a ball, one of them pinned until 0.01 s: its member of the set acts from then on. From rest at
 * the height 0.8 each slides down with g sin^2 at first, 0.36 g. */
TEST(a_constraint_by_a_function_waits_for_its_vertex)
{
    int bar, bead, mate, at[6], zero = 0;
    lil_world *world = bar_and_particle(&bar, &bead, at);
    const double x[3] = { CENTRE[0] + 0.6, CENTRE[1], CENTRE[2] + 0.8 };
    double y[3] = { CENTRE[0], CENTRE[1] + 0.6, CENTRE[2] + 0.8 };
    lil_particles_def other = lil_particles_def_default();
    lil_start_def start = lil_start_def_default();
    must(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    other.name = "mate";
    other.count = 1;
    other.x = y;
    other.each = 1;
    must(lil_world_add_particles(world, &other, &mate));
    start.x = x;
    must(lil_world_set_start(world, bead, &start));
    must(lil_world_fix(world, bead, &zero, 1));
    must(lil_world_let_go(world, bead, &zero, 1, 0.01));
    int both[6] = { at[3], at[4], at[5], at[3] + 3, at[4] + 3, at[5] + 3 };
    must(lil_world_add_constraints(world, &(lil_constraint_set){ "own-ball", 2, both, NULL, "wire" }));
    motion m = move(world, "midpoint"); /* 0.02 s */
    CHECK_BELOW(m.certificate.constraint_max, 1e-12);
    for (int i = 0; i < 2; i++) {
        double off, t = i ? 0.02 : 0.01, fallen = 0.8 - height_over_ball(&m, i, &off);
        CHECK_BELOW(fabs(off), 1e-12);
        CHECK_NEAR(fallen, 0.36 * 9.81 * t * t / 2, 1e-2 * fallen); /* the slope changes by t^2 g, 0.4 % */
    }
}

TEST(wrong_sets_are_refused)
{
    int bar, bead, at[6], all[3], held[3] = { 0, 1, 2 }, none = 0;
    lil_world *world = bar_and_particle(&bar, &bead, at);
    lil_model *model;
    lil_sim *sim;
    const spring data = { 300, 0.2 };
    lil_term_set set = { "own-sprnig", 1, at, &data };
    memcpy(all, at + 3, sizeof all);
    CHECK(lil_world_add_terms(world, &set) == LIL_ERR_INPUT);
    expect_words("did you mean 'own-spring'");
    set.kind = "own-spring";
    set.data = NULL;
    CHECK(lil_world_add_terms(world, &set) == LIL_ERR_ARGUMENT);
    expect_words("set.data");
    set.data = &data;
    at[5] += 3;
    CHECK(lil_world_add_terms(world, &set) == LIL_ERR_ARGUMENT);
    expect_words("set: number 0 has coordinate 41");
    at[5] -= 3;
    must(lil_world_add_terms(world, &set));
    must(lil_world_fix(world, bar, &none, 1));
    CHECK(lil_world_add_constraints(world, &(lil_constraint_set){ "own-ball", 1, held, NULL, "wire" }) ==
          LIL_ERR_INPUT);
    expect_words("'wire': all vertices of member 0 are pinned");
    must(lil_world_build(world, &model));
    CHECK(lil_world_add_terms(world, &set) == LIL_ERR_ARGUMENT);
    expect_words("is built already");
    lil_sim_def def = lil_sim_def_default();
    def.integrator = "energy-momentum";
    CHECK(lil_sim_create(ctx, model, &def, &sim) == LIL_ERR_INPUT);
    expect_words("use midpoint");
    lil_model_destroy(&model);
    lil_world_destroy(&world);
}

/* ---- callbacks ---- */

static bool until(void *user, double t, const double x[3], double value[3], double rate[3])
{
    (void)user, (void)x;
    for (int i = 0; i < 3; i++) {
        value[i] = 0;
        if (rate)
            rate[i] = 0;
    }
    return t < 0.00025;
}

enum { HANDLE, LOAD, OBSTACLE, WAYS };

static void add_callback(lil_world *world, int bar, int way)
{
    const lil_vector_def callback = { .fn = until };
    lil_obstacle_def floor = lil_obstacle_def_default();
    lil_contact_def contact = lil_contact_def_default();
    int vertex = 0;
    if (way == HANDLE)
        must(lil_world_add_handle(world, bar, &vertex, 1, &callback));
    if (way == LOAD)
        must(lil_world_add_load(world, bar, &vertex, 1, &callback));
    if (way != OBSTACLE)
        return;
    floor.name = "floor";
    floor.point[2] = -1;
    floor.move = callback;
    must(lil_world_add_obstacle(world, &floor));
    contact.method = LIL_CONTACT_PENALTY;
    contact.step = 1e-4;
    must(lil_world_set_contact(world, &contact));
}

TEST(a_refusing_callback_is_named)
{
    static const char *const names[WAYS] = { "'move' of 'bar': the callback refused",
                                             "'force' of 'bar': the callback refused",
                                             "'move' of 'floor': the callback refused" };
    for (int way = 0; way < WAYS; way++) {
        int bar, bead, at[6];
        lil_world *world = bar_and_particle(&bar, &bead, at);
        lil_model *model;
        lil_sim *sim;
        lil_sim_def def = lil_sim_def_default();
        lil_status status = LIL_OK;
        def.step = 1e-4;
        add_callback(world, bar, way);
        must(lil_world_build(world, &model));
        must(lil_sim_create(ctx, model, &def, &sim));
        for (int k = 0; k < 5 && status == LIL_OK; k++)
            status = lil_sim_step(sim);
        CHECK(status == LIL_ERR_NOT_FINITE);
        expect_words(names[way]);
        CHECK_BELOW(lil_sim_state(sim)->t, 0.00025); /* as it was before the step that failed */
        lil_sim_destroy(&sim);
        lil_model_destroy(&model);
        lil_world_destroy(&world);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(register_kinds);
    RUN(a_term_moves_a_world);
    RUN(claims_of_a_term_reach_the_certificate);
    RUN(a_constraint_by_a_function);
    RUN(a_constraint_by_a_function_waits_for_its_vertex);
    RUN(wrong_sets_are_refused);
    RUN(a_refusing_callback_is_named);
    lil_context_destroy(&ctx);
    return test_end();
}
