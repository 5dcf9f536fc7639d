/* Sampled animation: splines against their own equations, bodies and obstacles that follow samples from C, exactly. */
#include "math/spline.h"
#include "mesh/samples.h"
#include "problems.h"
#include "warned.h"

#include <lilyan/world.h>

static lil_context *ctx;

/* ---- splines ---- */

enum { COUNT = 7, WIDTH = 2 };
static const double times[COUNT] = { 0, 0.1, 0.35, 0.4, 0.9, 1.3, 1.5 };

static double value_at(const double *x, const double *v, int i, double s, int k)
{
    double h = times[i + 1] - times[i];
    return lil_hermite(s, x[WIDTH * i + k], h * v[WIDTH * i + k], x[WIDTH * (i + 1) + k], h * v[WIDTH * (i + 1) + k]);
}

/* The second derivative at an end of interval i, from a cubic's own: exact up to round-off. */
static double curvature(const double *x, const double *v, int i, bool end, int k)
{
    double h = times[i + 1] - times[i], d = x[WIDTH * (i + 1) + k] - x[WIDTH * i + k], a = h * v[WIDTH * i + k],
           b = h * v[WIDTH * (i + 1) + k];
    return (end ? -6 * d + 2 * a + 4 * b : 6 * d - 4 * a - 2 * b) / (h * h);
}

TEST(splines_pass_their_samples_with_continuous_curvature)
{
    double x[WIDTH * COUNT], v[WIDTH * COUNT], work[2 * COUNT];
    for (int i = 0; i < WIDTH * COUNT; i++)
        x[i] = sin(3.0 * i * i);
    for (int periodic = 0; periodic < 2; periodic++) {
        for (int k = 0; k < WIDTH && periodic; k++)
            x[WIDTH * (COUNT - 1) + k] = x[k];
        lil_spline_slopes(COUNT, times, WIDTH, periodic, x, v, work);
        for (int k = 0; k < WIDTH; k++) {
            for (int i = 0; i + 1 < COUNT; i++)
                CHECK(value_at(x, v, i, 0, k) == x[WIDTH * i + k] &&
                      value_at(x, v, i, 1, k) == x[WIDTH * (i + 1) + k]);
            for (int i = 1; i + 1 < COUNT; i++) /* some 1e3, of differences of 1 over h^2 */
                CHECK_NEAR(curvature(x, v, i - 1, true, k), curvature(x, v, i, false, k), 1e-11);
            double first = v[k], last = v[WIDTH * (COUNT - 1) + k];
            CHECK(periodic ? fabs(first - last) < 1e-13 && fabs(first) > 0.1 : first == 0 && last == 0);
            if (periodic)
                CHECK_NEAR(curvature(x, v, COUNT - 2, true, k), curvature(x, v, 0, false, k), 1e-11);
        }
    }
}

/* A spline of a smooth motion misses its velocity by less than h^3 (Hall & Meyer 1976: |x''''| h^3/24 and the ends'). */
TEST(splines_are_of_fourth_order)
{
    double error[2] = { 0 };
    for (int fine = 0; fine < 2; fine++) {
        enum { MOST = 65 };
        int n = fine ? MOST : 33;
        double t[MOST], x[MOST], v[MOST], work[2 * MOST];
        for (int i = 0; i < n; i++) {
            t[i] = (double)i / (n - 1);
            x[i] = 1 - cos(2 * acos(-1) * t[i]); /* its ends stand still */
        }
        lil_spline_slopes(n, t, 1, false, x, v, work);
        for (int i = 0; i < n; i++)
            error[fine] = fmax(error[fine], fabs(v[i] - 2 * acos(-1) * sin(2 * acos(-1) * t[i])));
    }
    CHECK_BELOW(error[1], pow(2 * acos(-1), 4) * pow(1. / 64, 3) / 24);
    CHECK_BELOW(error[1], error[0] / 7.5); /* h^3 at least */
}

TEST(a_loop_returns_to_its_first_sample)
{
    lil_arena arena = { 0 };
    lil_samples s;
    lil_samples_place a, b;
    double x[3], v[3], y[3], u[3];
    MUST(lil_samples_create(ctx, &arena, "walk", 2, 4, &s));
    for (int i = 0; i < 4; i++) {
        s.t[i] = 0.5 * i;
        for (int k = 0; k < 6; k++)
            s.x[6 * i + k] = cos(k + acos(-1) * i / 2);
    }
    lil_samples_close(&s); /* the fifth is the first, at 2 s */
    MUST(lil_samples_join(ctx, &arena, &s));
    CHECK(s.count == 5 && s.t[4] == 2 && s.x[24] == s.x[0]);
    for (double t = -3; t < 3; t += 0.3) {
        a = lil_samples_find(&s, t);
        b = lil_samples_find(&s, t + 2);
        lil_samples_at(&s, &a, 1, x, v);
        lil_samples_at(&s, &b, 1, y, u);
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(x[d], y[d], 1e-14);
            CHECK_NEAR(v[d], u[d], 1e-13);
            CHECK_NEAR(x[d], cos(3 + d + acos(-1) * t),
                       0.08); /* 5/384 h^4, of the fourth derivative: the error of a spline (Hall 1968) */
        }
    }
    lil_arena_free(&arena);
}

/* ---- worlds ---- */

/* An affine motion A(t) x + b(t) of the corners of a bar, sampled: x -> (x + 0.3 t^2 z, y (1 + 0.2 t^2), z) + (0, 0, t^2). */
static void affine(double t, const double x[3], double y[3])
{
    y[0] = x[0] + 0.3 * t * t * x[2];
    y[1] = x[1] * (1 + 0.2 * t * t);
    y[2] = x[2] + t * t;
}

enum { FRAMES = 9, POINTS_MAX = 1000 };
static double frame_times[FRAMES], frames[FRAMES * POINTS_MAX * 3];

static lil_samples_def sample(const double *x, const int *only, int count)
{
    lil_samples_def def = lil_samples_def_default();
    for (int i = 0; i < FRAMES; i++) {
        frame_times[i] = i / 8.;
        for (int k = 0; k < count; k++)
            affine(frame_times[i], x + 3 * (only ? only[k] : k), frames + 3 * (i * count + k));
    }
    def.count = FRAMES, def.points = count;
    def.times = frame_times, def.x = frames;
    return def;
}

/* A box whose boundary is sampled, and all of whose vertices follow: those inside by the fit. */
TEST(vertices_inside_follow_affine_motions_exactly)
{
    lil_mesh *mesh;
    lil_mesh_info info;
    lil_world *world;
    lil_model *model;
    lil_sim *sim;
    lil_body_def def = lil_body_def_default();
    int body, outside[POINTS_MAX], all[POINTS_MAX], count = 0;
    bool on[POINTS_MAX] = { 0 };
    MUST(lil_mesh_create_shape(ctx, "box", "size=1,1,2 cells=3,3,6", &mesh));
    MUST(lil_mesh_look(mesh, &info));
    for (int i = 0; i < 3 * info.face_count; i++)
        on[info.faces[i / 3][i % 3]] = true;
    for (int v = 0; v < info.vertex_count; v++) {
        all[v] = v;
        if (on[v])
            outside[count++] = v;
    }
    CHECK(count < info.vertex_count && info.vertex_count < POINTS_MAX);
    lil_samples_def samples = sample(info.x, outside, count);
    def.name = "bar";
    def.mesh = mesh;
    def.material.name = "jelly";
    def.at[1] = 5; /* the samples are placed as the mesh is */
    MUST(lil_world_create(ctx, &world));
    MUST(lil_world_add_body(world, &def, &body));
    MUST(lil_world_add_following_handle(world, body, all, info.vertex_count - 1, &samples)); /* one is free */
    MUST(lil_world_build(world, &model));
    lil_sim_def sd = lil_sim_def_default();
    sd.integrator = "midpoint";
    sd.step = 1. / 8;
    MUST(lil_sim_create(ctx, model, &sd, &sim));
    double x[3 * POINTS_MAX], y[3], worst = 0;
    for (int i = 1; i < FRAMES; i++) {
        MUST(lil_sim_step(sim));
        MUST(lil_sim_positions(sim, x));
        for (int v = 0; v < info.vertex_count - 1; v++) {
            affine(frame_times[i], info.x + 3 * v, y);
            for (int d = 0; d < 3; d++)
                worst = fmax(worst, fabs(x[3 * v + d] - y[d] - (d == 1 ? 5 : 0)));
        }
    }
    CHECK_BELOW(worst, 1e-9); /* round-off times the condition of the fit, some 1e5 */
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
    lil_mesh_destroy(&mesh);
}

static const double tet_x[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
static const int tet[1][4] = { { 0, 1, 2, 3 } };

static lil_status add_tet(lil_world *world, int *body)
{
    lil_body_def def = lil_body_def_default();
    def.name = "tet";
    def.vertex_count = 4, def.x = tet_x, def.tet_count = 1, def.tets = tet;
    def.material.name = "rubber";
    return lil_world_add_body(world, &def, body);
}

TEST(odd_samples_are_refused)
{
    lil_world *world;
    int body, all[4] = { 0, 1, 2, 3 };
    MUST(lil_world_create(ctx, &world));
    MUST(add_tet(world, &body));
    lil_samples_def good = sample(tet_x, NULL, 4), bad = good;
    static const struct {
        const char *piece;
        int points;
        double time, x;
        bool cleared;
    } cases[] = {
        { "has 3 points, but 'tet' has 4 vertices, 4 of them on its boundary", 3, 0.125, 0, false },
        { "the times must ascend, but frame 0 is at 0 s and frame 1 at 0 s", 4, 0, 0, false },
        { "the time of frame 1 is nan s", 4, NAN, 0, false },
        { "is not finite", 4, 0.125, INFINITY, false },
        { "need at least 1 of 1", 0, 0.125, 0, false },
        { "not initialised by lil_samples_def_default", 4, 0.125, 0, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bad = good;
        bad.points = cases[i].points;
        bad.size = cases[i].cleared ? 0 : good.size;
        frame_times[1] = cases[i].time;
        frames[17] = cases[i].x;
        CHECK(lil_world_add_following_handle(world, body, all, 4, &bad) != LIL_OK);
        if (!strstr(lil_context_message(ctx), cases[i].piece)) {
            printf("'%s' is not in: %s\n", cases[i].piece, lil_context_message(ctx));
            test_failures++;
        }
    }
    good = sample(tet_x, NULL, 4);
    MUST(lil_world_add_following_handle(world, body, all, 4, &good)); /* the world has not changed */
    lil_world_destroy(&world);
}

TEST(odd_motions_warn)
{
    lil_world *world;
    int body, all[4] = { 0, 1, 2, 3 };
    MUST(lil_world_create(ctx, &world));
    MUST(add_tet(world, &body));
    lil_samples_def samples = sample(tet_x, NULL, 4);
    frames[12 * 3 + 11] = -1; /* the top of the tet, below its bottom at 3/8 s */
    MUST(lil_world_add_following_handle(world, body, all, 4, &samples));
    CHECK(strstr(warned, "inverts 1 of the tets of 'tet' that it moves, the first at 0.375 s"));
    lil_world_destroy(&world);
    MUST(lil_world_create(ctx, &world));
    MUST(add_tet(world, &body));
    samples = sample(tet_x, NULL, 4);
    for (int i = 0; i < FRAMES * 12; i++)
        frames[i] *= 100; /* centimetres */
    MUST(lil_world_add_following_handle(world, body, all, 4, &samples));
    CHECK(strstr(warned, "begins with vertices of 'tet' up to 99 m from where they are at rest"));
    lil_world_destroy(&world);
}

/* A lid that rises as it is sampled takes a block with it: the work of the obstacle is the energy that the block gets. */
TEST(an_obstacle_follows_samples)
{
    static const double lid[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
    static const int faces[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
    lil_world *world;
    lil_model *model;
    lil_sim *sim;
    lil_mesh *mesh;
    int body;
    lil_samples_def samples = lil_samples_def_default();
    for (int i = 0; i < FRAMES; i++) {
        frame_times[i] = i / 8.;
        for (int k = 0; k < 12; k++)
            frames[12 * i + k] = lid[k] + (k % 3 == 2 ? 0.1 * (1 - cos(acos(-1) * i / 8.)) : 0);
    }
    samples.count = FRAMES, samples.points = 4, samples.times = frame_times, samples.x = frames;
    MUST(lil_mesh_create_shape(ctx, "box", "size=0.2,0.2,0.2 cells=1,1,1", &mesh));
    lil_body_def def = lil_body_def_default();
    def.name = "block", def.mesh = mesh, def.material.name = "rubber", def.at[2] = 0.11, def.damping = 0.01;
    lil_obstacle_def od = lil_obstacle_def_default();
    od.name = "lid", od.kind = LIL_OBSTACLE_MESH;
    od.vertex_count = 4, od.x = lid, od.triangle_count = 2, od.triangles = faces;
    od.follow = &samples;
    MUST(lil_world_create(ctx, &world));
    MUST(lil_world_set_gravity(world, (double[3]){ 0, 0, -9.81 }));
    MUST(lil_world_add_body(world, &def, &body));
    MUST(lil_world_add_obstacle(world, &od));
    MUST(lil_world_build(world, &model));
    for (int k = 0; k < 2; k++) {
        lil_sim_def sd = lil_sim_def_default();
        sd.integrator = k ? "midpoint" : "energy-momentum";
        sd.step = 1. / 200;
        MUST(lil_sim_create(ctx, model, &sd, &sim));
        while (lil_sim_state(sim)->t < 1.2)
            MUST(lil_sim_step(sim));
        lil_certificate c = lil_sim_certificate(sim);
        double change = c.energy_final - c.energy_initial + c.energy_dissipated;
        /* exact by the way of the lid's points; of midpoint, by their velocity, up to h^2 times the rates of the contact,
         * which is as stiff as rubber: the damped bounces at the start */
        CHECK_NEAR(change, c.external_work, (k ? 0.02 : 1e-9) * c.external_work);
        /* it is lifted by 0.2 m less the gap of the start */
        CHECK_NEAR(c.external_work, 930 * 0.008 * 9.81 * 0.2, 0.05 * 14.6);
        CHECK(c.contact_pairs > 0);
        lil_sim_destroy(&sim);
    }
    lil_model_destroy(&model);
    lil_world_destroy(&world);
    lil_mesh_destroy(&mesh);
}

int main(void)
{
    ctx = lil_context_create();
    lil_context_set_log(ctx, catch_warning, NULL);
    RUN(splines_pass_their_samples_with_continuous_curvature);
    RUN(splines_are_of_fourth_order);
    RUN(a_loop_returns_to_its_first_sample);
    RUN(vertices_inside_follow_affine_motions_exactly);
    RUN(odd_samples_are_refused);
    RUN(odd_motions_warn);
    RUN(an_obstacle_follows_samples);
    lil_context_destroy(&ctx);
    return test_end();
}
