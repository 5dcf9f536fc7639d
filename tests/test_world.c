/* Worlds built from C: the same motion, to the last bit, as their scene has; what is wrong is refused and nothing changes. */
#include "problems.h"

#include "core/field.h"
#include "mesh/make/shape.h"

#include <lilyan/world.h>

#include <float.h>

static lil_context *ctx;

static void must(lil_status status)
{
    if (status != LIL_OK) {
        printf("%s: %s\n", test_name, lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
}

/* Steps both as often; the same q and p at the end. The certificate of the world's. */
static lil_certificate compare(const char *scene, const lil_model *model, const char *integrator, double step,
                               int steps)
{
    lil_run *run = problem(ctx, scene);
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim;
    def.integrator = integrator;
    def.step = step;
    must(lil_sim_create(ctx, model, &def, &sim));
    const lil_state *a = lil_sim_state(lil_run_sim(run)), *b = lil_sim_state(sim);
    CHECK(a->n == b->n);
    must(lil_run_advance(run, steps));
    for (int i = 0; i < steps; i++)
        must(lil_sim_step(sim));
    CHECK(memcmp(a->q, b->q, (size_t)a->n * sizeof *a->q) == 0);
    CHECK(memcmp(a->p, b->p, (size_t)a->n * sizeof *a->p) == 0);
    lil_certificate certificate = lil_sim_certificate(sim);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
    return certificate;
}

/* ---- bodies ---- */

static lil_body_def bar(lil_arena *arena)
{
    const lil_shape *shape = lil_shape_find("bar");
    void *config = lil_arena_alloc(arena, 1, shape->config_size);
    lil_mesh mesh;
    lil_fields_default(shape->fields, shape->field_count, config);
    must(lil_fields_parse(ctx, shape->fields, shape->field_count, config, "size=1,0.1,0.1 cells=6,2,2"));
    must(shape->make(ctx, arena, config, &mesh));
    lil_body_def def = lil_body_def_default();
    def.name = "bar";
    def.vertex_count = mesh.vertex_count;
    def.x = mesh.x;
    def.tet_count = mesh.tet_count;
    def.tets = (const int(*)[4])mesh.tets;
    def.material.name = "rubber";
    return def;
}

static int find(const lil_body_def *def, double x, int *vertices)
{
    int count = 0;
    for (int i = 0; i < def->vertex_count; i++)
        if (fabs(def->x[3 * i] - x) < 1e-9)
            vertices[count++] = i;
    return count;
}

/* 0.5 t along z: value and rate have one way to be computed */
static bool shake(void *user, double t, const double x[3], double value[3], double rate[3])
{
    (void)x;
    memset(value, 0, 3 * sizeof *value);
    value[2] = *(double *)user * t;
    if (rate) {
        memset(rate, 0, 3 * sizeof *rate);
        rate[2] = *(double *)user;
    }
    return true;
}

#define BAR "shape: {type: bar, size: [1, 0.1, 0.1], cells: [6, 2, 2]}, material: rubber, damping: 0.001, "

static lil_model *build_bar(const lil_vector_def *move, double twist)
{
    lil_arena arena = { 0 };
    lil_world *world;
    lil_model *model;
    int body, vertices[100];
    lil_body_def def = bar(&arena);
    lil_start_def start = lil_start_def_default();
    double low = INFINITY;
    for (int i = 0; i < def.vertex_count; i++)
        low = fmin(low, def.x[3 * i]);
    def.at[0] = 0.25;
    def.rotate[2] = 30;
    def.damping = 0.001;
    start.twist = twist;
    must(lil_world_create(ctx, &world));
    must(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    must(lil_world_add_body(world, &def, &body));
    must(lil_world_set_start(world, body, &start));
    int count = find(&def, low, vertices);
    CHECK(count == 9);
    must(lil_world_add_handle(world, body, vertices, count, move));
    lil_arena_free(&arena); /* everything was copied */
    must(lil_world_build(world, &model));
    lil_world_destroy(&world); /* the model keeps what it needs */
    return model;
}

TEST(a_bar_from_arrays_moves_as_its_scene)
{
    double size = 0.5;
    const lil_vector_def text = { .text = { "0", "0", "0.5*t" } }, call = { .fn = shake, .user = &size };
    /* of the bar's vertices those of its left end, at rest */
    const char *scene = "bodies: {bar: {" BAR "at: [0.25, 0, 0], rotate: [0, 0, 30], start: {twist: 20}, handles: "
                        "{select: {vertices: [%s]}, move: [0, 0, '0.5*t']}}}\n"
                        "gravity: 9.81\nintegrator: midpoint\ntime: {step: 0.002, until: 100}\n";
    lil_arena arena = { 0 };
    lil_body_def def = bar(&arena);
    int vertices[100], count;
    char list[500] = "", whole[2000];
    double low = INFINITY;
    for (int i = 0; i < def.vertex_count; i++)
        low = fmin(low, def.x[3 * i]);
    count = find(&def, low, vertices);
    for (int i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", i ? ", " : "", vertices[i]);
    snprintf(whole, sizeof whole, scene, list);
    for (int k = 0; k < 2; k++) {
        lil_model *model = build_bar(k ? &call : &text, 20);
        compare(whole, model, "midpoint", 0.002, 20);
        lil_model_destroy(&model);
    }
    lil_arena_free(&arena);
}

/* ---- particles, links and constraints ---- */

TEST(a_chain_from_arrays_moves_as_its_scene)
{
    const double x[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0.5, 3, 0, 0.5 }, mass[] = { 1, 1, 2, 1 };
    const int links[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 } };
    lil_particles_def def = lil_particles_def_default();
    lil_constraint_def wire = lil_constraint_def_default();
    lil_world *world;
    lil_model *model;
    int body;
    def.name = "p";
    def.count = 4, def.x = x, def.mass = mass;
    def.link_count = 3, def.links = links;
    def.drag = 0.1;
    def.wind = (lil_vector_def){ .text = { "z", "1", "0" } };
    wire.name = "wire";
    wire.type = LIL_LINE;
    wire.axis[0] = 1, wire.axis[2] = 0;
    wire.as_placed = true;
    MUST(lil_world_create(ctx, &world));
    MUST(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    MUST(lil_world_add_particles(world, &def, &body));
    wire.points[0] = (lil_vertex){ body, 3 };
    MUST(lil_world_fix(world, body, (int[]){ 0 }, 1));
    MUST(lil_world_add_constraint(world, &wire));
    MUST(lil_world_build(world, &model));
    compare("particles: {p: {at: [[0, 0, 0], [1, 0, 0], [2, 0, 0.5], [3, 0, 0.5]], mass: [1, 1, 2, 1], pairs: [[0, "
            "1], [1, "
            "2], [2, 3]], fixed: 0, drag: 0.1, wind: [z, 1, 0]}}\n"
            "constraints: {wire: {line: p.3, along: [1, 0, 0]}}\ngravity: 9.81\nintegrator: midpoint\n"
            "time: {step: 0.01, until: 100}\n",
            model, "midpoint", 0.01, 50);
    CHECK(lil_world_vertices(world) == 4);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
}

TEST(springs_hang_from_points)
{
    const double x[] = { 0, 0, 0 }, mass[] = { 2 };
    lil_particles_def def = lil_particles_def_default();
    lil_spring_def spring = lil_spring_def_default();
    lil_world *world;
    lil_model *model;
    lil_sim *sim;
    int body, one = 0;
    double all[6];
    def.name = "p";
    def.count = 1, def.x = x, def.mass = mass;
    MUST(lil_world_create(ctx, &world));
    MUST(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    MUST(lil_world_add_particles(world, &def, &body));
    spring.body = body;
    spring.vertices = &one, spring.vertex_count = 1;
    spring.point[2] = 1;
    spring.stiffness = 100;
    spring.length = 1 - 2 * 9.81 / 100; /* in equilibrium */
    MUST(lil_world_add_springs(world, &spring));
    MUST(lil_world_build(world, &model));
    lil_sim_def sd = lil_sim_def_default();
    sd.integrator = "energy-momentum";
    sd.step = 0.1;
    MUST(lil_sim_create(ctx, model, &sd, &sim));
    for (int i = 0; i < 100; i++)
        MUST(lil_sim_step(sim));
    MUST(lil_sim_positions(sim, all));
    CHECK_BELOW(fabs(all[2]), 1e-13); /* round-off of 100 steps of 2 m g/k */
    CHECK(all[5] == 1);               /* the anchor */
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
}

static void refuses(lil_status status, const char *words)
{
    if (status == LIL_OK || !strstr(lil_context_message(ctx), words))
        printf("expected '%s', got '%s'\n", words, lil_context_message(ctx));
    CHECK(status != LIL_OK && strstr(lil_context_message(ctx), words));
}

/* Let go of at 0.25 s, in steps of 0.1 s: at 0.3 s. From there it falls, as a copy does; what stays fixed stays. */
TEST(pins_let_go)
{
    const double x[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
    lil_particles_def def = lil_particles_def_default();
    lil_sim_def sd = lil_sim_def_default();
    lil_world *world;
    lil_model *model;
    lil_sim *sim, *copy;
    int body, first = 0, both[] = { 0, 1 };
    double all[9];
    def.name = "p";
    def.count = 3, def.x = x, def.each = 2;
    MUST(lil_world_create(ctx, &world));
    MUST(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    MUST(lil_world_add_particles(world, &def, &body));
    refuses(lil_world_let_go(world, body, &first, 1, 1), "vertex 0 of 'p' is not pinned");
    MUST(lil_world_fix(world, body, both, 2));
    refuses(lil_world_let_go(world, body, &first, 1, NAN), "'until' must be finite, not nan");
    MUST(lil_world_let_go(world, body, &first, 1, 0.25));
    MUST(lil_world_build(world, &model));
    sd.step = 0.1;
    MUST(lil_sim_create(ctx, model, &sd, &sim));
    for (int i = 0; i < 3; i++)
        MUST(lil_sim_step(sim));
    CHECK(lil_sim_state(sim)->n == 3);
    MUST(lil_sim_copy(ctx, sim, &copy));
    for (int i = 0; i < 2; i++) {
        MUST(lil_sim_step(sim));
        MUST(lil_sim_step(copy));
    }
    CHECK(lil_sim_state(sim)->n == 6);
    MUST(lil_sim_positions(sim, all));
    CHECK_BELOW(fabs(all[2] + 9.81 / 2 * 0.2 * 0.2), 1e-15); /* round-off of two steps */
    CHECK_BELOW(fabs(all[8] + 9.81 / 2 * 0.5 * 0.5), 1e-15);
    CHECK(all[5] == 0);
    CHECK(memcmp(lil_sim_state(sim)->q, lil_sim_state(copy)->q, 6 * sizeof(double)) == 0);
    lil_sim_destroy(&copy);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
}

/* ---- contact ---- */

/* A bar that is pushed along and against what is below it. */
static lil_world *falling_bar(double height)
{
    lil_arena arena = { 0 };
    lil_world *world;
    int body;
    lil_body_def def = bar(&arena);
    lil_start_def start = lil_start_def_default();
    def.at[2] = height;
    def.damping = 0.001;
    start.push[0] = 1, start.push[2] = -1;
    must(lil_world_create(ctx, &world));
    must(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    must(lil_world_add_body(world, &def, &body));
    must(lil_world_set_start(world, body, &start));
    lil_arena_free(&arena);
    return world;
}

/* The barrier under two integrators, penalty under a third: mu of the floor, not of the contact, counts. */
TEST(a_bar_on_a_floor_moves_as_its_scene)
{
    static const struct {
        const char *method, *integrator;
        lil_contact_method is;
    } cases[] = { { "barrier", "energy-momentum", LIL_CONTACT_BARRIER },
                  { "barrier", "midpoint", LIL_CONTACT_BARRIER },
                  { "penalty", "midpoint", LIL_CONTACT_PENALTY } };
    for (int k = 0; k < 3; k++) {
        char scene[1000];
        lil_world *world = falling_bar(0.062);
        lil_model *model;
        lil_obstacle_def floor = lil_obstacle_def_default();
        lil_contact_def contact = lil_contact_def_default();
        floor.name = "floor";
        floor.friction = 0.3;
        contact.method = cases[k].is;
        contact.friction = 0.7;
        contact.step = 0.002;
        MUST(lil_world_add_obstacle(world, &floor));
        MUST(lil_world_set_contact(world, &contact));
        MUST(lil_world_build(world, &model));
        lil_world_destroy(&world);
        snprintf(scene, sizeof scene,
                 "bodies: {bar: {" BAR "at: [0, 0, 0.062], start: {push: [1, 0, -1]}}}\n"
                 "obstacles: {floor: {plane: {}, friction: 0.3}}\ncontact: {method: %s, friction: 0.7}\n"
                 "gravity: 9.81\nintegrator: %s\ntime: {step: 0.002, until: 100}\n",
                 cases[k].method, cases[k].integrator);
        lil_certificate c = compare(scene, model, cases[k].integrator, 0.002, 30);
        CHECK(c.first_contact > 0 && c.energy_dissipated > 0);
        lil_model_destroy(&model);
    }
}

static lil_model *build_lift(const lil_vector_def *move, bool ignored)
{
    lil_arena arena = { 0 };
    lil_world *world = falling_bar(0.162);
    lil_model *model;
    int lower;
    lil_body_def def = bar(&arena);
    lil_obstacle_def lift = lil_obstacle_def_default();
    def.name = "lower";
    def.at[2] = 0.05;
    lift.name = "lift";
    lift.kind = LIL_OBSTACLE_BOX;
    lift.point[2] = -0.112;
    lift.rotate[2] = 30;
    lift.extent[0] = lift.extent[1] = 3, lift.extent[2] = 0.2;
    lift.move = *move;
    must(lil_world_add_body(world, &def, &lower));
    must(lil_world_add_obstacle(world, &lift));
    must(lil_world_set_friction(world, "lower", "bar", 0.4));
    if (ignored)
        must(lil_world_ignore(world, "bar", "lower"));
    must(lil_world_build(world, &model));
    lil_world_destroy(&world);
    lil_arena_free(&arena);
    return model;
}

/* Two bars, one on the other, on a box that a callback raises; once they pass each other. */
TEST(bodies_meet_each_other_and_an_obstacle_that_moves)
{
    double speed = 0.5;
    const lil_vector_def text = { .text = { "0", "0", "0.5*t" } }, call = { .fn = shake, .user = &speed };
    double pairs[3];
    for (int k = 0; k < 3; k++) {
        char scene[1200];
        lil_model *model = build_lift(k ? &call : &text, k == 2);
        snprintf(scene, sizeof scene,
                 "bodies:\n  bar: {" BAR "at: [0, 0, 0.162], start: {push: [1, 0, -1]}}\n"
                 "  lower: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [6, 2, 2]}, material: rubber, at: [0, 0, "
                 "0.05]}\n"
                 "obstacles: {lift: {box: {centre: [0, 0, -0.112], size: [3, 3, 0.2], rotate: [0, 0, 30]}, move: [0, "
                 "0, '0.5*t']}}\n"
                 "contact: {between: [[lower, bar, {friction: 0.4}]], ignore: [%s]}\n"
                 "gravity: 9.81\nintegrator: energy-momentum\ntime: {step: 0.002, until: 100}\n",
                 k == 2 ? "[bar, lower]" : "");
        lil_certificate c = compare(scene, model, "energy-momentum", 0.002, test_small() ? 12 : 25);
        CHECK(c.external_work > 0); /* the lift pushes */
        pairs[k] = c.contact_pairs;
        CHECK((c.friction_loss > 0) == (k < 2)); /* only the bars rub on each other */
        lil_model_destroy(&model);
    }
    CHECK(pairs[0] == pairs[1] && pairs[2] < pairs[1]);
}

/* A tetrahedron as an obstacle that turns. */
TEST(a_mesh_is_an_obstacle_that_turns)
{
    const double x[] = { -2, -2, 0, 2, -2, 0, 0, 3, 0, 0, 0, -2 };
    const int triangles[][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 2, 3, 0 } };
    lil_world *world = falling_bar(0.07);
    lil_model *model;
    lil_obstacle_def rock = lil_obstacle_def_default();
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim;
    rock.name = "rock";
    rock.kind = LIL_OBSTACLE_MESH;
    rock.vertex_count = 4, rock.x = x, rock.triangle_count = 4, rock.triangles = triangles;
    rock.turn = (lil_vector_def){ .text = { "0", "-30*t", "0" } };
    MUST(lil_world_add_obstacle(world, &rock));
    MUST(lil_world_build(world, &model));
    def.integrator = "energy-momentum";
    def.step = 0.002;
    MUST(lil_sim_create(ctx, model, &def, &sim));
    for (int i = 0; i < 30; i++)
        MUST(lil_sim_step(sim));
    lil_certificate c = lil_sim_certificate(sim);
    CHECK(c.first_contact > 0 && c.gap_min > 0);
    CHECK(fabs(c.external_work) > 0); /* by what turns */
    lil_sim_destroy(&sim);
    lil_world_destroy(&world);
    lil_model_destroy(&model);
}

/* ---- what is wrong ---- */

static bool refuse_later(void *user, double t, const double x[3], double value[3], double rate[3])
{
    (void)user, (void)x;
    memset(value, 0, 3 * sizeof *value);
    if (rate)
        memset(rate, 0, 3 * sizeof *rate);
    return t < 0.05;
}

TEST(a_callback_that_refuses_ends_the_step_and_is_named)
{
    const lil_vector_def move = { .fn = refuse_later };
    lil_model *model = build_bar(&move, 0);
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim;
    lil_status status = LIL_OK;
    def.integrator = "midpoint";
    def.step = 0.01;
    MUST(lil_sim_create(ctx, model, &def, &sim));
    for (int i = 0; i < 10 && status == LIL_OK; i++)
        status = lil_sim_step(sim);
    CHECK(status != LIL_OK);
    CHECK(lil_sim_state(sim)->t < 0.05);
    CHECK(strstr(lil_context_message(ctx), "callback") != NULL);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

TEST(an_obstacle_whose_callback_refuses_ends_the_step_and_is_named)
{
    for (int k = 0; k < 2; k++) {
        lil_world *world = falling_bar(0.062);
        lil_model *model;
        lil_obstacle_def lift = lil_obstacle_def_default();
        lil_contact_def contact = lil_contact_def_default();
        lil_sim_def def = lil_sim_def_default();
        lil_sim *sim;
        lil_status status = LIL_OK;
        lift.name = "lift";
        lift.move.fn = refuse_later;
        contact.method = k ? LIL_CONTACT_PENALTY : LIL_CONTACT_BARRIER;
        contact.start = 0.1;
        MUST(lil_world_add_obstacle(world, &lift));
        MUST(lil_world_set_contact(world, &contact));
        refuses(lil_world_build(world, &model), "the obstacle 'lift'");
        lil_world_destroy(&world);
        world = falling_bar(0.062);
        contact.start = 0;
        MUST(lil_world_add_obstacle(world, &lift));
        MUST(lil_world_set_contact(world, &contact));
        MUST(lil_world_build(world, &model));
        lil_world_destroy(&world);
        def.integrator = "midpoint";
        def.step = 0.01;
        MUST(lil_sim_create(ctx, model, &def, &sim));
        for (int i = 0; i < 10 && status == LIL_OK; i++)
            status = lil_sim_step(sim);
        CHECK(status != LIL_OK && lil_sim_state(sim)->t < 0.055); /* as long as it says where the obstacle is */
        refuses(status, "callback");
        lil_sim_destroy(&sim);
        lil_model_destroy(&model);
    }
}

/* One thing at a time is wrong, and the world can be built without it. */
TEST(defs_of_contact_are_checked)
{
    const double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const int triangles[][3] = { { 0, 1, 2 } }, beyond[][3] = { { 0, 1, 3 } }, flat[][3] = { { 0, 1, 1 } };
    lil_world *world = falling_bar(0.062);
    lil_model *model;
    lil_obstacle_def good = lil_obstacle_def_default(), def;
    lil_contact_def fine = lil_contact_def_default(), contact;
    good.name = "floor";
    def = good, def.size = 1;
    refuses(lil_world_add_obstacle(world, &def), "_default");
    def = good, def.name = "bar";
    refuses(lil_world_add_obstacle(world, &def), "the name 'bar' is used twice");
    def = good, def.normal[2] = 0;
    refuses(lil_world_add_obstacle(world, &def), "but is [0, 0, 0]");
    def = good, def.point[1] = NAN;
    refuses(lil_world_add_obstacle(world, &def), "point[1]");
    def = good, def.kind = LIL_OBSTACLE_SPHERE;
    refuses(lil_world_add_obstacle(world, &def), "'radius' must be positive, not 0 m");
    def = good, def.kind = LIL_OBSTACLE_BOX, def.extent[0] = -1;
    refuses(lil_world_add_obstacle(world, &def), "'size' must be positive, not -1 m");
    def = good, def.kind = (lil_obstacle_kind)4;
    refuses(lil_world_add_obstacle(world, &def), "there is no obstacle kind 4");
    def = good, def.friction = -0.1;
    refuses(lil_world_add_obstacle(world, &def), "-0.1");
    def = good, def.move.text[0] = "t";
    refuses(lil_world_add_obstacle(world, &def), "three expressions");
    def = good, def.kind = LIL_OBSTACLE_MESH, def.vertex_count = 3, def.x = x, def.triangle_count = 1;
    refuses(lil_world_add_obstacle(world, &def), "def->triangles");
    def.triangles = beyond;
    refuses(lil_world_add_obstacle(world, &def), "vertex 3");
    def.triangles = flat;
    refuses(lil_world_add_obstacle(world, &def), "floor: no triangle has an area");
    def.triangles = triangles;
    def.scale[1] = 0;
    refuses(lil_world_add_obstacle(world, &def), "scaled by [1, 0, 1]");
    MUST(lil_world_add_obstacle(world, &good));
    contact = fine, contact.size = 0;
    refuses(lil_world_set_contact(world, &contact), "_default");
    contact = fine, contact.restitution = 1.5;
    refuses(lil_world_set_contact(world, &contact), "'restitution' must be between 0 and 1, not 1.5");
    contact = fine, contact.friction = NAN;
    refuses(lil_world_set_contact(world, &contact), "'friction'");
    contact = fine, contact.step = 0;
    refuses(lil_world_set_contact(world, &contact), "'step'");
    contact = fine, contact.method = (lil_contact_method)7;
    refuses(lil_world_set_contact(world, &contact), "there is no contact method 7");
    refuses(lil_world_ignore(world, "bar", "flor"), "did you mean 'floor'?");
    refuses(lil_world_set_friction(world, "bar", "floor", -1), "not -1");
    MUST(lil_world_build(world, &model));
    refuses(lil_world_add_obstacle(world, &good), "the world is built already and cannot be changed");
    refuses(lil_world_set_contact(world, &fine), "the world is built already and cannot be changed");
    refuses(lil_world_ignore(world, "bar", "floor"), "the world is built already and cannot be changed");
    lil_world_destroy(&world);
    lil_model_destroy(&model);
}

/* What contact cannot begin with is said by lil_world_build. */
TEST(starts_are_checked)
{
    lil_contact_def penalty = lil_contact_def_default();
    penalty.method = LIL_CONTACT_PENALTY;
    const char *const expected[] = {
        "'bar' starts partly below the plane 'floor', by 0.04 m",
        "'bar' starts inside the obstacle 'floor'",
        "penalty contact does not support 'restitution': use damping, or method: barrier",
        "penalty contact does not support 'ignore' and 'between': use the barrier",
        "turns",
        "cannot have its own 'stiffness'"
    };
    for (int k = 0; k < 6; k++) {
        lil_world *world = falling_bar(k < 2 ? 0.01 : 0.062);
        lil_model *model;
        lil_obstacle_def floor = lil_obstacle_def_default();
        lil_contact_def contact = k && k < 5 ? penalty : lil_contact_def_default();
        floor.name = "floor";
        floor.stiffness = k == 5 ? 1e6 : 0;
        floor.turn.fn = k == 4 ? shake : NULL;
        floor.turn.user = &(double){ 1 };
        contact.restitution = k == 2 ? 0.5 : 1;
        must(lil_world_add_obstacle(world, &floor));
        must(lil_world_set_contact(world, &contact));
        if (k == 3)
            must(lil_world_ignore(world, "bar", "bar"));
        refuses(lil_world_build(world, &model), expected[k]);
        CHECK(model == NULL);
        lil_world_destroy(&world);
    }
}

TEST(defs_are_checked)
{
    const double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const int tets[][4] = { { 0, 1, 2, 3 } }, inverted[][4] = { { 0, 2, 1, 3 } }, beyond[][4] = { { 0, 1, 2, 4 } };
    int body, one = 7;
    lil_world *world;
    lil_model *model;
    lil_body_def good = lil_body_def_default(), def;
    good.name = "b";
    good.vertex_count = 4, good.x = x, good.tet_count = 1, good.tets = tets;
    good.material.name = "rubber";
    MUST(lil_world_create(ctx, &world));
    refuses(lil_world_build(world, &model), "nothing can move");
    def = good, def.size = 0;
    refuses(lil_world_add_body(world, &def, &body), "_default");
    def = good, def.tets = inverted;
    refuses(lil_world_add_body(world, &def, &body), "tet 0");
    def = good, def.tets = beyond;
    refuses(lil_world_add_body(world, &def, &body), "vertex 4");
    def = good, def.name = "a b";
    refuses(lil_world_add_body(world, &def, &body), "letters");
    def = good, def.material.name = "ruber";
    refuses(lil_world_add_body(world, &def, &body), "rubber");
    def = good, def.material.poisson = 0.6;
    refuses(lil_world_add_body(world, &def, &body), "0.6");
    CHECK(lil_world_vertices(world) == 0);
    MUST(lil_world_add_body(world, &good, &body));
    refuses(lil_world_add_body(world, &good, &body), "the name 'b' is used twice");
    refuses(lil_world_fix(world, body, &one, 1), "no vertex 7");
    refuses(lil_world_fix(world, 3, &one, 1), "no body 3");
    refuses(lil_world_add_handle(world, body, (int[]){ 0 }, 1, &(lil_vector_def){ .text = { "0", "t +", "0" } }),
            "move");
    MUST(lil_world_build(world, &model));
    refuses(lil_world_fix(world, body, (int[]){ 0 }, 1), "the world is built already and cannot be changed");
    lil_world_destroy(&world);
    lil_model_destroy(&model);
}

/* A tet of 1/6 m^3 that weighs 1 kg in all. */
static lil_body_def tet(void)
{
    static const double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int tets[][4] = { { 0, 1, 2, 3 } };
    lil_body_def def = lil_body_def_default();
    def.name = "b";
    def.vertex_count = 4, def.x = x, def.tet_count = 1, def.tets = tets;
    def.material.name = "rubber";
    def.material.density = 6;
    return def;
}

/* Builds the world and sums p / v of a push by 1 m/s: the mass that moves. */
static double moving_mass(lil_world *world)
{
    lil_sim_def def = lil_sim_def_default();
    lil_model *model;
    lil_sim *sim;
    double mass = 0;
    must(lil_world_build(world, &model));
    must(lil_sim_create(ctx, model, &def, &sim));
    for (int i = 0; i < lil_sim_state(sim)->n; i++)
        mass += lil_sim_state(sim)->p[i];
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
    return mass;
}

TEST(what_is_refused_leaves_the_world_as_it_was)
{
    const double same[6] = { 0 }, mass[2] = { 5, 5 }, fast[6] = { 9, 9, 9, 9, 9, 9 };
    const lil_vector_def up = { .text = { "0", "0", "t" } };
    int body;
    lil_world *world;
    lil_body_def def = tet();
    lil_start_def start = lil_start_def_default();
    lil_constraint_def circle = lil_constraint_def_default();
    lil_particles_def particles = lil_particles_def_default();
    particles.name = "p";
    particles.count = 2, particles.x = same, particles.mass = mass, particles.v = fast;
    particles.drag = 3;
    particles.link_count = 1, particles.links = (const int[][2]){ { 0, 1 } };
    MUST(lil_world_create(ctx, &world));
    refuses(lil_world_add_particles(world, &particles, &body), "coincide");
    MUST(lil_world_add_body(world, &def, &body));
    refuses(lil_world_add_handle(world, body, (int[]){ 1, 1 }, 2, &up), "pinned already");
    start.push[0] = 1;
    MUST(lil_world_set_start(world, body, &start));
    start.push[0] = 1e200;
    refuses(lil_world_set_start(world, body, &start), "1e+200");
    circle.name = "c";
    circle.type = LIL_CIRCLE;
    circle.points[0] = (lil_vertex){ body, 2 };
    circle.radius = -1;
    refuses(lil_world_add_constraint(world, &circle), "radius");
    circle.radius = 1;
    circle.point[1] = NAN;
    refuses(lil_world_add_constraint(world, &circle), "point[1]");
    double moves = moving_mass(world); /* four lumps of 1/4 kg, each rounded a few times */
    CHECK_BELOW(fabs(moves - 1), 16 * DBL_EPSILON);
}

/* Constraints that were refused would stop it, drag that was refused slow it: it goes on as it was pushed. */
TEST(a_push_is_all_that_is_left_of_a_world_that_refused_the_rest)
{
    const double same[6] = { 0 }, mass[2] = { 5, 5 };
    int body;
    lil_world *world;
    lil_model *model;
    lil_sim *sim;
    lil_body_def def = tet();
    lil_sim_def sd = lil_sim_def_default();
    lil_start_def start = lil_start_def_default();
    lil_constraint_def circle = lil_constraint_def_default();
    lil_particles_def particles = lil_particles_def_default();
    particles.name = "p";
    particles.count = 2, particles.x = same, particles.mass = mass;
    particles.drag = 3;
    particles.link_count = 1, particles.links = (const int[][2]){ { 0, 1 } };
    MUST(lil_world_create(ctx, &world));
    refuses(lil_world_add_particles(world, &particles, &body), "coincide");
    MUST(lil_world_add_body(world, &def, &body));
    start.push[2] = 1;
    MUST(lil_world_set_start(world, body, &start));
    circle.name = "c";
    circle.type = LIL_CIRCLE; /* across z */
    circle.radius = -1;
    refuses(lil_world_add_constraint(world, &circle), "radius");
    MUST(lil_world_build(world, &model));
    MUST(lil_sim_create(ctx, model, &sd, &sim));
    for (int i = 0; i < 10; i++)
        MUST(lil_sim_step(sim));
    double p = 0;
    for (int i = 2; i < 12; i += 3)
        p += lil_sim_state(sim)->p[i];
    CHECK_BELOW(fabs(p - 1), 1e-12); /* round-off of ten solves */
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
}

TEST(particles_start_where_they_are_told)
{
    const double x[6] = { 0, 0, 0, 1, 0, 0 }, mass[2] = { 1, 1 };
    int body;
    lil_world *world;
    lil_particles_def def = lil_particles_def_default();
    lil_start_def start = lil_start_def_default();
    def.name = "p";
    def.count = 2, def.x = x, def.mass = mass;
    MUST(lil_world_create(ctx, &world));
    MUST(lil_world_add_particles(world, &def, &body));
    start.push[1] = 1;
    MUST(lil_world_set_start(world, body, &start));
    start.stretch = 2;
    refuses(lil_world_set_start(world, body, &start), "particles");
    CHECK(moving_mass(world) == 2);
}

/* ---- forces of the user's ---- */

typedef struct field {
    double k, c, push; /* F = push - k x - c v, in z */
    double refuse;     /* after this time */
} field;

static bool pull(void *user, double t, int vertex, const double x[3], const double v[3], double F[3])
{
    const field *f = user;
    (void)vertex;
    F[0] = F[1] = 0;
    F[2] = f->push - f->k * x[2] - f->c * v[2];
    return t < f->refuse;
}

static bool pull_slopes(void *user, double t, int vertex, const double x[3], const double v[3], double Fx[9],
                        double Fv[9])
{
    const field *f = user;
    (void)t, (void)vertex, (void)x, (void)v;
    memset(Fx, 0, 9 * sizeof *Fx);
    memset(Fv, 0, 9 * sizeof *Fv);
    Fx[8] = -f->k;
    Fv[8] = -f->c;
    return true;
}

static lil_sim *hang(field *f, bool slopes, double start, lil_model **model)
{
    lil_world *world;
    lil_sim *sim;
    int body;
    lil_particles_def def = lil_particles_def_default();
    lil_sim_def sd = lil_sim_def_default();
    def.name = "bob";
    def.count = 1;
    def.x = (double[3]){ 0, 0, start };
    def.each = 2;
    sd.step = 0.01;
    must(lil_world_create(ctx, &world));
    must(lil_world_add_particles(world, &def, &body));
    must(lil_world_add_force(world, body, pull, slopes ? pull_slopes : NULL, f));
    must(lil_world_build(world, model));
    lil_world_destroy(&world);
    must(lil_sim_create(ctx, *model, &sd, &sim));
    return sim;
}

/* m z'' = -k z - c z': midpoint is off by O(h^2), (omega h)^2/12 of the phase: 3e-4 of omega t = 7. */
TEST(a_force_on_vertices_acts_and_its_work_is_booked)
{
    for (int slopes = 0; slopes < 2; slopes++) {
        field f = { .k = 98, .c = 0.4, .refuse = INFINITY };
        lil_model *model;
        lil_sim *sim = hang(&f, slopes, 1, &model);
        for (int i = 0; i < 100; i++)
            must(lil_sim_step(sim));
        double decay = f.c / 4, omega = sqrt(f.k / 2 - decay * decay);
        double exact = exp(-decay) * (cos(omega) + decay / omega * sin(omega));
        CHECK_NEAR(lil_sim_state(sim)->q[2], exact, 7 * 0.07 * 0.07 / 12);
        lil_certificate c = lil_sim_certificate(sim);
        /* what F at rest puts in, less what -c v takes out, is the kinetic energy, as far as midpoint's books go */
        CHECK(c.energy_dissipated > 0 && c.external_work > 0);
        CHECK_NEAR(c.external_work - c.energy_dissipated, c.energy_final - c.energy_initial, 0.02 * c.external_work);
        lil_sim_destroy(&sim);
        lil_model_destroy(&model);
    }
}

TEST(a_force_that_refuses_is_named)
{
    field f = { .push = 1, .refuse = 0.05 };
    lil_model *model;
    lil_sim *sim = hang(&f, false, 0, &model);
    lil_status status = LIL_OK;
    for (int i = 0; i < 20 && status == LIL_OK; i++)
        status = lil_sim_step(sim);
    CHECK(status != LIL_OK);
    CHECK(strstr(lil_context_message(ctx), "the callback 'force' refused at vertex 0"));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

/* ---- rest ---- */

/* A bar that hangs from one end starts where its weight is carried: it does not move, and its certificate tells. */
TEST(a_body_starts_at_rest)
{
    lil_world *world;
    lil_model *model;
    lil_sim *sim;
    lil_mesh *mesh;
    int body;
    lil_group_info left;
    lil_body_def def = lil_body_def_default();
    lil_start_def start = lil_start_def_default();
    lil_sim_def sd = lil_sim_def_default();
    must(lil_mesh_create_shape(ctx, "bar", "size=1,0.1,0.1 cells=6,2,2", &mesh));
    def.name = "bar";
    def.mesh = mesh;
    def.material.name = "rubber";
    start.rest = true;
    sd.step = 0.002;
    must(lil_world_create(ctx, &world));
    must(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    must(lil_world_add_body(world, &def, &body));
    lil_mesh_destroy(&mesh);
    must(lil_world_find_group(world, body, "left", &left));
    must(lil_world_fix(world, body, left.vertices, left.count));
    must(lil_world_set_start(world, body, &start));
    must(lil_world_build(world, &model));
    lil_world_destroy(&world);
    must(lil_sim_create(ctx, model, &sd, &sim));
    CHECK(lil_sim_certificate(sim).rest_iterations > 0);
    int n = lil_sim_state(sim)->n, moved = 0;
    double *before = malloc((size_t)n * sizeof *before);
    memcpy(before, lil_sim_state(sim)->q, (size_t)n * sizeof *before);
    for (int i = 0; i < 20; i++)
        must(lil_sim_step(sim));
    for (int i = 0; i < n; i++)
        moved += fabs(lil_sim_state(sim)->q[i] - before[i]) > 1e-6; /* it would have fallen by 8 mm */
    CHECK(moved == 0);
    free(before);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

/* ---- bad defs ---- */

typedef void spoiler(lil_world *world, lil_status *status);

static const double X[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };

static lil_body_def good_tet(const int (*tets)[4])
{
    lil_body_def def = lil_body_def_default();
    def.name = "tet";
    def.vertex_count = 4;
    def.x = X;
    def.tet_count = 1;
    def.tets = tets;
    def.material.name = "rubber";
    return def;
}

#define BODY(name, change)                                                                                           \
    static void name(lil_world *world, lil_status *status)                                                           \
    {                                                                                                                \
        const int tets[1][4] = { { 0, 1, 2, 3 } }, inverted[1][4] = { { 0, 2, 1, 3 } },                              \
                  out[1][4] = { { 0, 1, 2, 4 } };                                                                    \
        const double flat[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 }, nan[12] = { NAN };                           \
        lil_body_def def = good_tet(tets);                                                                           \
        int body;                                                                                                    \
        (void)inverted, (void)out, (void)flat, (void)nan;                                                            \
        change;                                                                                                      \
        *status = lil_world_add_body(world, &def, &body);                                                            \
    }

BODY(other_version, def.size--)
BODY(no_name, def.name = NULL)
BODY(bad_name, def.name = "a b")
BODY(reserved_name, def.name = "sin")
BODY(too_few, def.vertex_count = 3)
BODY(no_tets, def.tet_count = 0)
BODY(inverted_tet, def.tets = inverted)
BODY(flat_tet, def.x = flat)
BODY(index_out, def.tets = out)
BODY(not_finite, def.x = nan)
BODY(bad_density, def.material.density = -1)
BODY(bad_damping, def.damping = -1)
BODY(bad_scale, def.scale[1] = 0)
BODY(bad_surface, def.surface_vertex_count = 4)
BODY(bad_refine, def.refine_count = 1)

/* ---- the default integrator ---- */

static void check_choice(const lil_model *model, const lil_sim_def *def, const char *method, const char *words)
{
    lil_sim *sim, *copy;
    const char *reason, *again;
    must(lil_sim_create(ctx, model, def, &sim));
    CHECK(strcmp(lil_sim_integrator(sim, NULL), method) == 0);
    CHECK(strcmp(lil_sim_integrator(sim, &reason), method) == 0);
    CHECK(words ? reason && strstr(reason, words) : !reason);
    must(lil_sim_step(sim));
    must(lil_sim_copy(ctx, sim, &copy));
    CHECK(strcmp(lil_sim_integrator(copy, &again), method) == 0 && (!again == !reason));
    lil_sim_destroy(&copy);
    lil_sim_destroy(&sim);
}

/* As for scenes (tests/test_integrator_choice.py), from the same facts. */
TEST(auto_chooses_for_c_as_for_scenes)
{
    lil_arena arena = { 0 };
    lil_body_def def = bar(&arena);
    lil_world *world;
    lil_model *model;
    int body;
    MUST(lil_world_create(ctx, &world));
    MUST(lil_world_add_body(world, &def, &body));
    lil_arena_free(&arena);
    MUST(lil_world_build(world, &model));
    const lil_sim_def plain = lil_sim_def_default();
    lil_sim_def s = plain;
    CHECK(strcmp(s.integrator, "auto") == 0);
    check_choice(model, &s, "energy-momentum", "conserves the energy of bodies");
    s.integrator = "midpoint";
    check_choice(model, &s, "midpoint", NULL);
    s = plain, s.options = "forcing=minus";
    check_choice(model, &s, "midpoint", "options");
    s = plain, s.solver.method = LIL_SOLVER_MINIMISE;
    check_choice(model, &s, "midpoint", "not a minimisation");
    s = plain, s.solver.linear = LIL_LINEAR_DIRECT;
    check_choice(model, &s, "midpoint", "iteratively");
    s = plain, s.solver.preconditioner = LIL_PRECONDITIONER_MULTILEVEL;
    check_choice(model, &s, "midpoint", "no coarser levels");
    s = plain, s.step = 1; /* however far forces reach in a step */
    check_choice(model, &s, "energy-momentum", "conserves the energy of bodies");
    lil_model_destroy(&model);
    lil_world_destroy(&world);
}

static bool well(void *user, double t, const double *q, double *W, double *dW)
{
    (void)user, (void)t;
    *W = q[0] * q[0] / 2;
    if (dW)
        dW[0] = q[0];
    return true;
}

TEST(auto_is_midpoint_for_coordinates)
{
    const double mass = 1, q = 1;
    const lil_separable_def def = { .n = 1, .mass = &mass, .potential = well };
    lil_model *model;
    lil_sim_def s = lil_sim_def_default();
    s.q = &q;
    MUST(lil_model_create_separable(ctx, &def, &model));
    check_choice(model, &s, "midpoint", "Lagrangian in coordinates");
    lil_model_destroy(&model);
}

static void bad_group(lil_world *world, lil_status *status)
{
    const int tets[1][4] = { { 0, 1, 2, 3 } }, vertex = 0;
    lil_body_def def = good_tet(tets);
    int body;
    must(lil_world_add_body(world, &def, &body));
    CHECK(lil_world_add_group(world, body, "tet", &vertex, 1) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(ctx), "the name 'tet' is used twice"));
    *status = lil_world_add_group(world, body, "my group", &vertex, 1);
}

static void bad_strands(lil_world *world, lil_status *status)
{
    lil_strands_def def = lil_strands_def_default();
    int body;
    def.name = "hair";
    def.nodes = 2;
    *status = lil_world_add_strands(world, &def, &body);
}

static void bad_roots(lil_world *world, lil_status *status)
{
    lil_strands_def def = lil_strands_def_default();
    int body;
    def.name = "hair";
    def.from = 90;
    def.to = 10;
    *status = lil_world_add_strands(world, &def, &body);
}

static void rest_and_push(lil_world *world, lil_status *status)
{
    const int tets[1][4] = { { 0, 1, 2, 3 } };
    lil_body_def def = good_tet(tets);
    lil_start_def start = lil_start_def_default();
    int body;
    must(lil_world_add_body(world, &def, &body));
    start.rest = true;
    start.push[0] = 1;
    *status = lil_world_set_start(world, body, &start);
}

static void particles_of_tets(lil_world *world, lil_status *status)
{
    lil_particles_def def = lil_particles_def_default();
    lil_mesh *mesh;
    int body;
    must(lil_mesh_create_shape(ctx, "box", NULL, &mesh));
    def.name = "p";
    def.mesh = mesh;
    *status = lil_world_add_particles(world, &def, &body);
    lil_mesh_destroy(&mesh);
}

static void no_shape(lil_world *world, lil_status *status)
{
    lil_mesh *mesh;
    (void)world;
    *status = lil_mesh_create_shape(ctx, "bxo", NULL, &mesh);
}

static void two_surfaces(lil_world *world, lil_status *status)
{
    lil_fill_def def = lil_fill_def_default();
    lil_mesh *mesh;
    (void)world;
    def.path = "a.obj";
    def.x = X;
    *status = lil_mesh_create_filled(ctx, &def, &mesh);
}

TEST(bad_defs_are_refused_with_a_sentence)
{
    static const struct {
        spoiler *spoil;
        const char *sentence;
    } all[] = {
        { other_version, "from the header of this library" },
        { no_name, "a body needs a name" },
        { bad_name, "'a b' cannot name a body: names are letters, digits and _" },
        { reserved_name, "'sin' is reserved and cannot name a body" },
        { too_few, "has 3 vertices and 1 tets: it needs at least 4 and 1" },
        { no_tets, "has 4 vertices and 0 tets: it needs at least 4 and 1" },
        { inverted_tet, "tet 0" },
        { flat_tet, "tet 0" },
        { index_out, "tet 0 of 'tet' has vertex 4, but vertices go from 0 to 3" },
        { not_finite, "x[0] of 'tet' is not finite" },
        { bad_density, "'density' must be positive, not -1" },
        { bad_damping, "'kD'" },
        { bad_scale, "'scale' must be between" },
        { bad_surface, "'surface_x' is NULL" },
        { bad_refine, "'refine' of 'tet' has 1 entries, but is NULL" },
        { bad_group, "'my group' cannot name a group: names are letters, digits and _" },
        { bad_strands, "'nodes' must be between 4 and 10000, not 2" },
        { bad_roots, "a cap must go 'from' a smaller angle 'to' a larger one" },
        { rest_and_push, "'tet' starts at rest, and cannot have a velocity too" },
        { particles_of_tets, "the mesh of 'p' has tets" },
        { no_shape, "unknown shape 'bxo' (did you mean 'box'?)" },
        { two_surfaces, "not 2" },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        lil_world *world;
        lil_status status = LIL_OK;
        must(lil_world_create(ctx, &world));
        all[i].spoil(world, &status);
        CHECK(status != LIL_OK && strstr(lil_context_message(ctx), all[i].sentence));
        if (!strstr(lil_context_message(ctx), all[i].sentence))
            printf("%s: %s\n", all[i].sentence, lil_context_message(ctx));
        lil_world_destroy(&world);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(a_bar_from_arrays_moves_as_its_scene);
    RUN(a_chain_from_arrays_moves_as_its_scene);
    RUN(springs_hang_from_points);
    RUN(pins_let_go);
    RUN(a_bar_on_a_floor_moves_as_its_scene);
    RUN(bodies_meet_each_other_and_an_obstacle_that_moves);
    RUN(a_mesh_is_an_obstacle_that_turns);
    RUN(an_obstacle_whose_callback_refuses_ends_the_step_and_is_named);
    RUN(defs_of_contact_are_checked);
    RUN(starts_are_checked);
    RUN(a_callback_that_refuses_ends_the_step_and_is_named);
    RUN(defs_are_checked);
    RUN(what_is_refused_leaves_the_world_as_it_was);
    RUN(a_push_is_all_that_is_left_of_a_world_that_refused_the_rest);
    RUN(particles_start_where_they_are_told);
    RUN(a_force_on_vertices_acts_and_its_work_is_booked);
    RUN(a_force_that_refuses_is_named);
    RUN(a_body_starts_at_rest);
    RUN(auto_chooses_for_c_as_for_scenes);
    RUN(auto_is_midpoint_for_coordinates);
    RUN(bad_defs_are_refused_with_a_sentence);
    lil_context_destroy(&ctx);
    return test_end();
}
