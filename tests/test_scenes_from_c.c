/*
 * Scenes of the gallery, built from C without YAML: each gives the same bits as its file. They are as different as scenes are: a Lagrangian,
 * a body on its own, handles, ropes in the wind, hair, contact by penalty and by barrier, a surface in tets, a mesh from a file, a machine of
 * links, a bead on a wire. A builder is what a user would write; what fails ends the test with its sentence.
 */
#include "test.h"

#include <lilyan/world.h>

static lil_context *ctx;
static const double GRAVITY[3] = { 0, 0, -9.81 };

static void must(lil_status status)
{
    if (status != LIL_OK) {
        printf("%s: %s\n", test_name, lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
}

/* ---- comparing ---- */

static uint64_t add(uint64_t hash, double x)
{
    const unsigned char *bytes = (const unsigned char *)&x;
    x = x == 0 ? 0 : x; /* -0 is 0 */
    for (size_t i = 0; i < sizeof x; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_state(const lil_state *x)
{
    uint64_t hash = add(0xcbf29ce484222325u, x->t);
    for (int i = 0; i < x->n; i++)
        hash = add(add(hash, x->q[i]), x->p[i]);
    return hash;
}

static uint64_t hash_certificate(lil_sim *sim)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_certificate c = lil_sim_certificate(sim);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < count; i++) {
        double x = *(const double *)((const char *)&c + fields[i].offset);
        hash = isnan(x) ? hash : add(hash, x);
    }
    return hash;
}

/* The model, and how it is stepped. */
typedef lil_model *builder(lil_sim_def *def);

static void compare(const char *scene, const char *variant, builder *build, int steps)
{
    char path[1024];
    lil_scene *yaml;
    lil_run *run;
    lil_sim *sim;
    lil_run_def rd = lil_run_def_default();
    lil_sim_def def = lil_sim_def_default();
    def.integrator = "midpoint"; /* of most of these scenes */
    rd.variant = variant;
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", getenv("LILYAN_SOURCE") ? getenv("LILYAN_SOURCE") : "..", scene);
    must(lil_scene_load(ctx, path, &yaml));
    must(lil_run_create(ctx, yaml, &rd, &run));
    lil_model *model = build(&def);
    must(lil_sim_create(ctx, model, &def, &sim));
    must(lil_run_advance(run, steps));
    for (int k = 0; k < steps; k++)
        must(lil_sim_step(sim));
    CHECK(lil_sim_state(sim)->n == lil_sim_state(lil_run_sim(run))->n);
    CHECK(hash_state(lil_sim_state(sim)) == hash_state(lil_sim_state(lil_run_sim(run))));
    if (strcmp(scene, "falling") !=
        0) /* nobody knows of a callback's L whether it depends on t: it has books of work */
        CHECK(hash_certificate(sim) == hash_certificate(lil_run_sim(run)));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_run_destroy(&run);
    lil_scene_destroy(&yaml);
}

static lil_world *begin(const double *gravity)
{
    lil_world *world;
    must(lil_world_create(ctx, &world));
    if (gravity)
        must(lil_world_set_gravity(world, gravity));
    return world;
}

static lil_model *end(lil_world *world)
{
    lil_model *model;
    must(lil_world_build(world, &model));
    lil_world_destroy(&world);
    return model;
}

static lil_mesh *shape(const char *type, const char *options)
{
    lil_mesh *mesh;
    must(lil_mesh_create_shape(ctx, type, options, &mesh));
    return mesh;
}

static int add_body(lil_world *world, lil_body_def *def, lil_mesh *mesh)
{
    int body;
    def->mesh = mesh;
    must(lil_world_add_body(world, def, &body));
    lil_mesh_destroy(&mesh); /* the world has a copy */
    return body;
}

/* ---- falling: a Lagrangian by callback ---- */

static const double M = 2, G = 9.81;

static bool fall(void *user, double t, const double *q, const double *v, double *L, double *Lq, double *Lv)
{
    (void)user, (void)t;
    *L = 0.5 * M * v[0] * v[0] - M * G * q[0];
    if (Lq)
        Lq[0] = -M * G;
    if (Lv)
        Lv[0] = M * v[0];
    return true;
}

static bool fall_second(void *user, double t, const double *q, const double *v, double *Lqq, double *Lqv, double *Lvv)
{
    (void)user, (void)t, (void)q, (void)v;
    *Lqq = *Lqv = 0;
    *Lvv = M;
    return true;
}

static lil_model *falling(lil_sim_def *def)
{
    static const double z = 100, dz = 3;
    const lil_lagrangian_def L = { .n = 1, .lagrangian = fall, .hessian = fall_second };
    lil_model *model;
    def->q = &z;
    def->v = &dz;
    def->step = 0.05;
    must(lil_model_create_lagrangian(ctx, &L, &model));
    return model;
}

/* ---- elastic-rod: a body on its own ---- */

static lil_model *elastic_rod(lil_sim_def *def)
{
    lil_world *world = begin(NULL);
    lil_body_def rod = lil_body_def_default();
    lil_start_def start = lil_start_def_default();
    rod.name = "rod";
    rod.material.mu = 4e3;
    rod.material.kappa = 2e4;
    rod.material.density = 1000;
    start.stretch = 1.3;
    start.twist = 90;
    memcpy(start.spin, (double[3]){ 1, 0.6, 2 }, sizeof start.spin);
    memcpy(start.push, (double[3]){ 0.3, 0.2, -0.1 }, sizeof start.push);
    int body = add_body(world, &rod, shape("bar", "size=1,0.25,0.25 cells=8,2,2"));
    must(lil_world_set_start(world, body, &start));
    def->integrator = "symplectic-euler";
    def->step = 0.004;
    return end(world);
}

/* ---- hanging-jelly: a handle by callback ---- */

/* In the order in which the scene's expressions are computed: bits depend on it. */
static bool shake(void *user, double t, const double x[3], double value[3], double rate[3])
{
    const double a = 0.06, w = 6, e = exp(-(t * t)), on = 1 - e, c = 1 - cos(2 * w * t), s = sin(w * t);
    (void)user, (void)x;
    value[0] = a * (s * on);
    value[1] = 0;
    value[2] = a / 2 * (on * c);
    if (rate) {
        double first = a * (t * (s * e)), third = a / 2 * (t * (e * c));
        rate[0] = first + first + a * w * (on * cos(w * t));
        rate[1] = 0;
        rate[2] = third + (a * w * (on * sin(2 * w * t)) + third);
    }
    return true;
}

static lil_model *hanging_jelly(lil_sim_def *def)
{
    lil_world *world = begin(GRAVITY);
    lil_body_def jelly = lil_body_def_default();
    lil_group_info top, bottom;
    jelly.name = "jelly";
    jelly.material.name = "jelly";
    jelly.damping = 0.01;
    int body = add_body(world, &jelly, shape("box", "size=0.2,0.2,0.3 cells=4,4,6"));
    must(lil_world_find_group(world, body, "top", &top));
    must(lil_world_find_group(world, body, "bottom", &bottom));
    must(lil_world_add_group(world, body, "chin", bottom.vertices, bottom.count));
    must(lil_world_add_handle(world, body, top.vertices, top.count, &(lil_vector_def){ .fn = shake }));
    def->step = 1.0 / 240;
    return end(world);
}

/* ---- rope-bridge: ropes in the wind, a load, constraints ---- */

static bool gust(void *user, double t, const double x[3], double value[3], double rate[3])
{
    double s = sin(t);
    (void)user, (void)x, (void)rate;
    value[0] = value[2] = 0;
    value[1] = 8 * (s * s * s);
    return true;
}

static bool stamp(void *user, double t, const double x[3], double value[3], double rate[3])
{
    (void)user, (void)x, (void)rate;
    value[0] = value[1] = 0;
    value[2] = -400 * fmax(0, sin(5 * t));
    return true;
}

static int add_rope(lil_world *world, const char *name, double y, double z, double mass)
{
    char options[200];
    lil_particles_def rope = lil_particles_def_default();
    int body;
    snprintf(options, sizeof options, "from=0,%g,%g to=10,%g,%g length=10.6 count=22", y, z, y, z);
    lil_mesh *mesh = shape("rope", options);
    rope.name = name;
    rope.mesh = mesh;
    rope.each = mass;
    rope.drag = 3;
    rope.wind.fn = gust;
    must(lil_world_add_particles(world, &rope, &body));
    must(lil_world_fix(world, body, (const int[]){ 0, 21 }, 2));
    lil_mesh_destroy(&mesh);
    return body;
}

static void tie(lil_world *world, const char *name, int a, int b)
{
    for (int i = 0; i < 22; i++) {
        char each[40];
        lil_constraint_def def = lil_constraint_def_default();
        snprintf(each, sizeof each, "%s%d", name, i);
        def.name = each;
        def.points[0] = (lil_vertex){ a, i };
        def.points[1] = (lil_vertex){ b, i };
        if (i > 0 && i < 21) /* the ends are fixed */
            must(lil_world_add_constraint(world, &def));
    }
}

static lil_model *rope_bridge(lil_sim_def *def)
{
    lil_world *world = begin(GRAVITY);
    int left = add_rope(world, "left", -0.5, 0, 8), right = add_rope(world, "right", 0.5, 0, 8);
    int left_hand = add_rope(world, "left_hand", -0.6, 1, 2), right_hand = add_rope(world, "right_hand", 0.6, 1, 2);
    must(lil_world_add_load(world, left, (const int[]){ 7 }, 1, &(lil_vector_def){ .fn = stamp }));
    tie(world, "plank", left, right);
    tie(world, "left_hanger", left, left_hand);
    tie(world, "right_hanger", right, right_hand);
    def->step = 0.0025;
    return end(world);
}

/* ---- hair: strands on a head ---- */

static bool calm(void *user, double t, const double x[3], double value[3], double rate[3])
{
    (void)user, (void)t, (void)x, (void)rate;
    value[0] = value[1] = value[2] = 0;
    return true;
}

static lil_model *hair(lil_sim_def *def)
{
    lil_world *world = begin(GRAVITY);
    lil_body_def head = lil_body_def_default();
    lil_strands_def hair = lil_strands_def_default();
    lil_mesh_info info;
    int body, all[2000];
    head.name = "head";
    head.material.name = "rubber";
    body = add_body(world, &head, shape("ball", "radius=0.084"));
    must(lil_world_look(world, body, &info));
    for (int i = 0; i < info.vertex_count; i++)
        all[i] = i;
    must(lil_world_fix(world, body, all, info.vertex_count));
    hair.name = "hair";
    hair.root_radius = 0.085;
    memcpy(hair.axis, (double[3]){ -0.35, 0, 1 }, sizeof hair.axis);
    hair.from = 14;
    hair.to = 88;
    hair.count = 300;
    hair.nodes = 30;
    hair.length = 0.32;
    hair.radius = 6e-5;
    hair.spread = 0.35;
    hair.damping = 0.01;
    hair.drag = 1.2e-6;
    hair.wind.fn = calm;
    must(lil_world_add_strands(world, &hair, &body));
    def->solver.tolerance = 1e-4;
    def->step = 1.0 / 240;
    return end(world);
}

/* ---- two-bodies: contact by penalty ---- */

static lil_model *two_bodies(lil_sim_def *def)
{
    lil_world *world = begin(NULL);
    lil_body_def ball = lil_body_def_default(), box;
    lil_start_def start = lil_start_def_default();
    lil_contact_def contact = lil_contact_def_default();
    ball.material.young = 2e5;
    ball.material.poisson = 0.4;
    ball.material.density = 1000;
    box = ball;
    ball.name = "ball";
    ball.at[0] = -0.4;
    box.name = "box";
    memcpy(box.at, (double[3]){ 0.2, 0.15, 0.05 }, sizeof box.at);
    memcpy(box.rotate, (double[3]){ 10, 20, 30 }, sizeof box.rotate);
    start.push[0] = 3;
    start.spin[1] = 2;
    start.spin[2] = 6;
    int body = add_body(world, &ball, shape("ball", "radius=0.2 cells=6"));
    must(lil_world_set_start(world, body, &start));
    add_body(world, &box, shape("box", "size=0.3,0.5,0.3 cells=4,6,4"));
    contact.method = LIL_CONTACT_PENALTY;
    contact.step = 0.001;
    must(lil_world_set_contact(world, &contact));
    def->step = 0.001;
    return end(world);
}

/* ---- gummy-bear: a surface by a function, contact by barrier ---- */

static double inside_bear(void *user, const double x[3])
{
    static const double X[] = { 0, 0, 0, 0.29, -0.29, 0, 0.36, -0.36, 0.47, -0.47, 0.36, -0.36, 0.44, -0.44, 0 },
                        Y[] = { 0,     0,     -0.06, -0.02, -0.02, -0.42, -0.12, -0.12,
                                -0.32, -0.32, -0.3,  -0.3,  -0.58, -0.58, 0.5 },
                        Z[] = { 0,    0.42, 0.95,  1.29,  1.29,  0.86,  0.5,  0.5,
                                0.42, 0.42, -0.34, -0.34, -0.36, -0.36, -0.36 },
                        R[] = {
                            0.56, 0.44, 0.42, 0.17, 0.17, 0.2, 0.2, 0.2, 0.17, 0.17, 0.27, 0.27, 0.24, 0.24, 0.2
                        };
    double sum = 0;
    (void)user;
    for (int i = 0; i < 15; i++) {
        double dx = x[0] - X[i], dy = x[1] - Y[i], dz = x[2] - Z[i];
        sum += exp(4 - 4 * (dx * dx + dy * dy + dz * dz) / (R[i] * R[i]));
    }
    return sum - 1;
}

static lil_model *gummy_bear(lil_sim_def *def)
{
    lil_world *world = begin(GRAVITY);
    lil_fill_def fill = lil_fill_def_default();
    lil_body_def bear = lil_body_def_default();
    lil_start_def start = lil_start_def_default();
    lil_obstacle_def floor = lil_obstacle_def_default();
    lil_contact_def contact = lil_contact_def_default();
    lil_mesh *mesh;
    fill.inside = inside_bear;
    memcpy(fill.low, (double[3]){ -0.8, -0.9, -0.8 }, sizeof fill.low);
    memcpy(fill.high, (double[3]){ 0.8, 0.8, 1.7 }, sizeof fill.high);
    fill.cells = 32;
    fill.scale[0] = fill.scale[1] = fill.scale[2] = 0.15;
    fill.vertices = 800;
    must(lil_mesh_create_filled(ctx, &fill, &mesh));
    bear.name = "bear";
    bear.rotate[0] = 20;
    bear.at[2] = 0.2;
    bear.material.name = "jelly";
    bear.material.young = 1.5e5;
    bear.material.poisson = 0.35;
    bear.damping = 0.001;
    start.spin[2] = 3;
    must(lil_world_set_start(world, add_body(world, &bear, mesh), &start));
    floor.name = "floor";
    must(lil_world_add_obstacle(world, &floor));
    contact.friction = 0.5;
    contact.slip = 0.1;
    contact.step = 1.0 / 480;
    must(lil_world_set_contact(world, &contact));
    def->solver.tolerance = 1e-6;
    def->step = 1.0 / 480;
    return end(world);
}

/* ---- contact-arch: a mesh from a file, dry friction ---- */

static lil_model *contact_arch(lil_sim_def *def)
{
    static const double at[9][3] = { { -1.10791, 0, 0.195354 }, { -0.974279, 0, 0.5625 }, { -0.723136, 0, 0.8618 },
                                     { -0.384773, 0, 1.05715 }, { 0, 0, 1.125 },          { 0.384773, 0, 1.05715 },
                                     { 0.723136, 0, 0.8618 },   { 0.974279, 0, 0.5625 },  { 1.10791, 0, 0.195354 } };
    static const char *const names[] = { "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9" };
    lil_world *world = begin(GRAVITY);
    lil_body_def stone = lil_body_def_default();
    lil_obstacle_def floor = lil_obstacle_def_default();
    lil_contact_def contact = lil_contact_def_default();
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/meshes/voussoir.mesh",
             getenv("LILYAN_SOURCE") ? getenv("LILYAN_SOURCE") : "..");
    stone.material.young = 1e8;
    stone.material.poisson = 0.2;
    stone.material.density = 2000;
    stone.damping = 0.0005;
    for (int i = 0; i < 9; i++) {
        lil_mesh *mesh;
        must(lil_mesh_create_read(ctx, path, &mesh));
        stone.name = names[i];
        memcpy(stone.at, at[i], sizeof stone.at);
        stone.rotate[1] = 20 * (i - 4);
        add_body(world, &stone, mesh);
    }
    floor.name = "floor";
    must(lil_world_add_obstacle(world, &floor));
    contact.friction = 0.5;
    contact.slip = 1e-3;
    must(lil_world_set_contact(world, &contact));
    def->integrator = "energy-momentum";
    def->step = 1.0 / 240;
    return end(world);
}

/* ---- tinkertoys: a machine of rigid links in a plane ---- */

static lil_model *tinkertoys(lil_sim_def *def)
{
    static const double x[14][3] = { { 0, 0, 0 },
                                     { -0.38, 0, -0.078 },
                                     { 0.38, 0, -0.078 },
                                     { 0.075, 0, 0.1299 },
                                     { -0.3801, 0, 0.337 },
                                     { -0.7802, 0, -0.052 },
                                     { -0.1973, 0, -0.426 },
                                     { -0.5614, 0, -0.3797 },
                                     { -0.1815, 0, -0.9157 },
                                     { 0.544, 0, 0.3032 },
                                     { 0.7579, 0, -0.2122 },
                                     { 0.2737, 0, -0.4563 },
                                     { 0.6189, 0, -0.5808 },
                                     { 0.0367, 0, -0.8852 } };
    static const int links[21][2] = {
        { 0, 3 },  { 3, 4 },  { 1, 4 },  { 3, 6 },   { 1, 6 },   { 4, 5 },   { 1, 5 },
        { 5, 7 },  { 6, 7 },  { 7, 8 },  { 6, 8 },   { 3, 9 },   { 2, 9 },   { 3, 11 },
        { 2, 11 }, { 9, 10 }, { 2, 10 }, { 10, 12 }, { 11, 12 }, { 12, 13 }, { 11, 13 }
    };
    static const double mass[14] = { 1, 1, 1, 4, 0.1, 0.1, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1, 0.1, 0.2 };
    lil_world *world = begin(GRAVITY);
    lil_particles_def leg = lil_particles_def_default();
    double v[14][3];
    int body;
    for (int i = 0; i < 14; i++) {
        v[i][0] = -12 * x[i][2];
        v[i][1] = 0;
        v[i][2] = 12 * x[i][0];
    }
    leg.name = "leg";
    leg.count = 14;
    leg.x = x[0];
    leg.v = v[0];
    leg.mass = mass;
    leg.link_count = 21;
    leg.links = links;
    must(lil_world_add_particles(world, &leg, &body));
    must(lil_world_fix(world, body, (const int[]){ 0, 1, 2 }, 3));
    for (int i = 3; i < 14; i++) {
        lil_constraint_def page = lil_constraint_def_default();
        char name[20];
        snprintf(name, sizeof name, "page%d", i);
        page.name = name;
        page.type = LIL_PLANE;
        page.points[0] = (lil_vertex){ body, i };
        memcpy(page.axis, (double[3]){ 0, 1, 0 }, sizeof page.axis);
        page.as_placed = true;
        must(lil_world_add_constraint(world, &page));
    }
    def->step = 0.002;
    return end(world);
}

/* ---- bead-on-wire ---- */

static lil_model *bead_on_wire(lil_sim_def *def)
{
    lil_world *world = begin(GRAVITY);
    lil_particles_def bead = lil_particles_def_default();
    lil_constraint_def wire = lil_constraint_def_default();
    int body;
    bead.name = "bead";
    bead.count = 1;
    bead.x = (const double[3]){ 1, 0, 0 };
    bead.each = 1;
    must(lil_world_add_particles(world, &bead, &body));
    wire.name = "wire";
    wire.type = LIL_CIRCLE;
    wire.points[0] = (lil_vertex){ body, 0 };
    wire.radius = 1;
    memcpy(wire.axis, (double[3]){ 0, 1, 0 }, sizeof wire.axis);
    must(lil_world_add_constraint(world, &wire));
    def->step = 0.005;
    return end(world);
}

#define SCENE(name, file, variant, steps)                                                                            \
    TEST(name##_from_c)                                                                                              \
    {                                                                                                                \
        compare(file, variant, name, test_small() ? (steps + 2) / 3 : steps);                                        \
    }

SCENE(falling, "falling", NULL, 80)
SCENE(elastic_rod, "elastic-rod", NULL, 60)
SCENE(hanging_jelly, "hanging-jelly", NULL, 12)
SCENE(rope_bridge, "rope-bridge", NULL, 60)
SCENE(hair, "hair", "still", 3)
SCENE(two_bodies, "two-bodies", NULL, 3)
SCENE(gummy_bear, "gummy-bear", NULL, 12)
SCENE(contact_arch, "contact-arch", NULL, 20)
SCENE(tinkertoys, "tinkertoys", NULL, 60)
SCENE(bead_on_wire, "bead-on-wire", NULL, 400)

int main(void)
{
    ctx = lil_context_create();
    RUN(falling_from_c);
    RUN(elastic_rod_from_c);
    RUN(hanging_jelly_from_c);
    RUN(rope_bridge_from_c);
    RUN(hair_from_c);
    RUN(two_bodies_from_c);
    RUN(gummy_bear_from_c);
    RUN(contact_arch_from_c);
    RUN(tinkertoys_from_c);
    RUN(bead_on_wire_from_c);
    lil_context_destroy(&ctx);
    return test_end();
}
