/* Any Sim is recorded into what runs write, and read back to the bit; bodies' meshes come with it. */
#include "test.h"

static lil_context *ctx;
static const char *const OUTPUT = "test_recording.h5";

/* a plane pendulum of length 1 with mass 1, in its angle: W = -9.81 cos(theta) */
static bool pendulum(void *user, double t, const double *q, double *W, double *g)
{
    (void)user, (void)t;
    *W = -9.81 * cos(q[0]);
    if (g)
        g[0] = 9.81 * sin(q[0]);
    return true;
}

static bool look(void *user, const lil_state *x, double *observed, double *places)
{
    observed[0] = 2 * x->q[0];
    observed[1] = x->p[0];
    places[0] = sin(x->q[0]);
    places[1] = 0;
    places[2] = -cos(x->q[0]);
    return user == NULL || x->t < *(double *)user;
}

static lil_model *model;
static lil_sim *sim;

static void create(void)
{
    double mass = 1, q = 2;
    lil_sim_def def = lil_sim_def_default();
    def.q = &q;
    MUST(lil_model_create_separable(ctx, &(lil_separable_def){ .n = 1, .mass = &mass, .potential = pendulum },
                                    &model));
    MUST(lil_sim_create(ctx, model, &def, &sim));
}

static void destroy(void)
{
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    remove(OUTPUT);
}

static const char *const OBSERVE[] = { "twice", "momentum" }, *const POINTS[] = { "bob" };
static const int LINKS[] = { -1, 0 };

static lil_recording_def definition(void)
{
    lil_recording_def def = lil_recording_def_default();
    def.path = OUTPUT;
    def.replace = true;
    def.observe = OBSERVE;
    def.observe_count = 2;
    def.points = POINTS;
    def.point_count = 1;
    def.links = LINKS;
    def.link_count = 1;
    def.look = look;
    return def;
}

static void read_back(const lil_state *seen, const double (*q)[3], int frames)
{
    lil_trajectory *tr = NULL;
    lil_frame f;
    lil_dataset set;
    double rows[3 * 8], one;
    int64_t index;
    int sets = 0, bodies = -1;
    MUST(lil_trajectory_open(ctx, OUTPUT, &tr));
    CHECK(lil_trajectory_frames(tr) == frames && lil_trajectory_size(tr) == 1);
    CHECK(strcmp(lil_trajectory_name(tr, 0), "q[1]") == 0 && !lil_trajectory_name(tr, 1));
    CHECK(strcmp(lil_trajectory_status(tr), "complete") == 0);
    CHECK(strstr(lil_trajectory_describe(tr), "observe/twice"));
    for (int k = 0; k < frames; k++) {
        MUST(lil_trajectory_frame(tr, k, &f));
        CHECK(f.n == 1 && f.t == q[k][0] && f.q[0] == q[k][1] && f.p[0] == q[k][2] && f.v[0] == q[k][2]);
        /* a frame's own time gives it to the last bit, as Hermite's cubic does where s = 0 */
        MUST(lil_trajectory_frame_at(tr, q[k][0], &f));
        CHECK(f.q[0] == q[k][1] && f.v[0] == q[k][2]);
        MUST(lil_trajectory_find(tr, q[k][0], &index));
        CHECK(index == k);
    }
    CHECK(f.t == seen->t);
    /* half-way by Hermite's cubic: (q_0 + q_1) / 2 + h (v_0 - v_1) / 8, to round-off */
    MUST(lil_trajectory_frame_at(tr, (q[0][0] + q[1][0]) / 2, &f));
    CHECK_NEAR(f.q[0], (q[0][1] + q[1][1]) / 2 + (q[1][0] - q[0][0]) * (q[0][2] - q[1][2]) / 8, 1e-14);
    MUST(lil_trajectory_find(tr, (q[3][0] + q[4][0]) / 2, &index));
    CHECK(index == 3);
    while (lil_trajectory_dataset(tr, sets, &set))
        sets++;
    CHECK(sets >= 6 + 3);
    MUST(lil_trajectory_read(tr, "observe/twice", 2, 3, rows));
    for (int k = 0; k < 3; k++)
        CHECK(rows[k] == 2 * q[k + 2][1]);
    MUST(lil_trajectory_read(tr, "draw/bob", 0, 2, rows));
    CHECK(rows[0] == sin(q[0][1]) && rows[3] == sin(q[1][1]) && rows[5] == -cos(q[1][1]));
    MUST(lil_trajectory_read_at(tr, "observe/momentum", q[1][0], &one));
    CHECK(one == q[1][2]);
    MUST(lil_trajectory_body_count(tr, &bodies));
    CHECK(bodies == 0);
    CHECK(lil_trajectory_frame(tr, frames, &f) == LIL_ERR_ARGUMENT && strstr(lil_context_message(ctx), "index"));
    CHECK(lil_trajectory_frame_at(tr, seen->t + 1, &f) == LIL_ERR_ARGUMENT);
    CHECK(lil_trajectory_read(tr, "observe/none", 0, 1, rows) == LIL_ERR_ARGUMENT);
    CHECK(lil_trajectory_read(tr, "t", 1, frames, rows) == LIL_ERR_ARGUMENT);
    lil_certificate c = lil_trajectory_certificate(tr), own = lil_sim_certificate(sim);
    CHECK(c.energy_final == own.energy_final && c.newton_iterations == own.newton_iterations);
    lil_trajectory_destroy(&tr);
}

/* Every third step, and the end; the same frames by hand. Plots and pages take it. */
TEST(callbacks_are_recorded_and_read_back)
{
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        double q[8][3];
        int frames = 0;
        lil_recording *rec = NULL;
        lil_recording_def def = definition();
        create();
        def.every = by_hand ? 0 : 3;
        MUST(lil_recording_create(ctx, sim, &def, &rec));
        const lil_state *x = lil_sim_state(sim);
        for (int k = 0; k <= 19; k++) {
            if (k)
                MUST(lil_sim_step(sim));
            if (k % 3 && k < 19)
                continue;
            memcpy(q[frames++], (double[3]){ x->t, x->q[0], x->p[0] }, sizeof q[0]);
            if (by_hand)
                MUST(lil_recording_frame(rec));
        }
        MUST(lil_recording_finish(rec, NULL));
        MUST(lil_recording_finish(rec, NULL));
        CHECK(lil_recording_frames(rec) == 8 && frames == 8);
        read_back(x, (const double(*)[3])q, frames);
        MUST(lil_sim_step(sim)); /* nobody records it any more */
        CHECK(lil_recording_frames(rec) == 8);
        lil_trajectory *tr = NULL;
        char *svg = NULL;
        lil_plot_def plot = lil_plot_def_default();
        MUST(lil_trajectory_open(ctx, OUTPUT, &tr));
        plot.what = "energy,twice";
        MUST(lil_plot_svg(ctx, &tr, 1, &plot, &svg));
        free(svg);
        lil_trajectory_destroy(&tr);
        lil_recording_destroy(&rec);
        destroy();
    }
}

TEST(what_cannot_be_recorded_is_refused)
{
    lil_recording *rec = NULL, *other = NULL;
    lil_recording_def def = definition();
    create();
    MUST(lil_recording_create(ctx, sim, &def, &rec));
    CHECK(lil_recording_create(ctx, sim, &def, &other) == LIL_ERR_ARGUMENT && !other); /* two follow the steps */
    CHECK(lil_recording_frame(rec) == LIL_ERR_ARGUMENT);                               /* there is one of this time */
    CHECK(strstr(lil_context_message(ctx), "not after the latest"));
    size_t size = lil_sim_state_size(sim);
    double *bytes = malloc(size);
    MUST(lil_sim_save_state(sim, bytes, size));
    CHECK(lil_sim_load_state(sim, bytes, size) == LIL_ERR_ARGUMENT);
    lil_recording_destroy(&rec);
    CHECK(lil_sim_load_state(sim, bytes, size) == LIL_OK);
    free(bytes);
    void *before = malloc(size), *after = malloc(size);
    def.replace = false;
    CHECK(lil_recording_create(ctx, sim, &def, &rec) == LIL_ERR_EXISTS);
    double end = 0;
    def.user = &end;
    remove(OUTPUT);
    CHECK(lil_recording_create(ctx, sim, &def, &rec) == LIL_ERR_INTERRUPTED && !rec);
    lil_trajectory *none = NULL; /* no file is made for a first frame that is refused */
    CHECK(lil_trajectory_open(ctx, OUTPUT, &none) == LIL_ERR_FILE && !none);
    end = 0.05;
    MUST(lil_recording_create(ctx, sim, &def, &rec));
    lil_status status = LIL_OK;
    for (int k = 0; k < 10 && status == LIL_OK; k++) {
        MUST(lil_sim_save_state(sim, before, size));
        status = lil_sim_step(sim);
    }
    CHECK(status == LIL_ERR_INTERRUPTED && strstr(lil_context_message(ctx), "'look' refused"));
    MUST(lil_sim_save_state(sim, after, size)); /* all of it is as before the step: t, q, p, certificate, counts */
    CHECK(memcmp(before, after, size) == 0);
    CHECK(lil_sim_step(sim) == LIL_ERR_INTERRUPTED); /* the same step again, on the same grid */
    CHECK(lil_sim_advance(sim, 0.01) == LIL_ERR_INTERRUPTED);
    MUST(lil_sim_save_state(sim, after, size));
    CHECK(memcmp(before, after, size) == 0);
    free(before), free(after);
    MUST(lil_recording_finish(rec, "failed: it was enough"));
    lil_recording_destroy(&rec);
    lil_trajectory *tr = NULL;
    MUST(lil_trajectory_open(ctx, OUTPUT, &tr));
    CHECK(lil_trajectory_frames(tr) == 5 && strstr(lil_trajectory_status(tr), "enough"));
    lil_trajectory_destroy(&tr);
    destroy();
}

/* What a run recorded of a body: its mesh, and where its surface is. */
TEST(bodies_come_with_their_meshes)
{
    static const char TEXT[] =
        "bodies:\n  ball:\n    surface: {inside: 1 - x^2 - y^2 - z^2, box: [[-1.1, -1.1, -1.1], [1.1, 1.1, 1.1]], "
        "cells: 8}\n"
        "    vertices: 40\n    material: jelly\n  box: {shape: {type: box, size: [1, 1, 1], cells: [1, 1, 1]}, "
        "material: jelly, at: [4, 0, 0], fixed: bottom}\n"
        "gravity: 9.81\nintegrator: midpoint\ntime: {step: 0.01, until: 0.05}\nrecord: {every: 1}\n";
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_trajectory *tr = NULL;
    lil_run_def def = lil_run_def_default();
    lil_body_info ball, box;
    lil_frame first, last;
    int bodies = 0;
    def.output = OUTPUT;
    def.replace = true;
    MUST(lil_scene_parse(ctx, "text", TEXT, sizeof TEXT - 1, &scene));
    MUST(lil_run_create(ctx, scene, &def, &run));
    MUST(lil_run_advance(run, 100));
    MUST(lil_run_finish(run));
    MUST(lil_trajectory_open(ctx, OUTPUT, &tr));
    MUST(lil_trajectory_body_count(tr, &bodies));
    CHECK(bodies == 2);
    MUST(lil_trajectory_body(tr, 0, &ball));
    MUST(lil_trajectory_body(tr, 1, &box));
    CHECK(strcmp(ball.name, "ball") == 0 && strcmp(box.name, "box") == 0);
    CHECK(box.vertex_count == 8 && box.face_count == 12 && box.surface_vertex_count == 0 && !box.surface_rest);
    CHECK(ball.first == 0 && box.first == ball.vertex_count);
    CHECK(lil_trajectory_size(tr) == 3 * (ball.vertex_count + 8)); /* held vertices too */
    for (int i = 0; i < 4 * ball.tet_count; i++)
        CHECK(ball.tets[i] >= 0 && ball.tets[i] < ball.vertex_count);
    CHECK(ball.surface_vertex_count > 8 && ball.surface_triangle_count > 0);
    double *x = malloc(3 * (size_t)ball.surface_vertex_count * sizeof *x);
    MUST(lil_trajectory_frame(tr, 0, &first));
    MUST(lil_trajectory_surface(tr, 0, &first, x));
    for (int i = 0; i < 3 * ball.surface_vertex_count; i++) /* at rest: weights add up to 1, to round-off */
        CHECK_NEAR(x[i], ball.surface_rest[i], 1e-12);
    MUST(lil_trajectory_frame(tr, lil_trajectory_frames(tr) - 1, &last));
    MUST(lil_trajectory_surface(tr, 0, &last, x));
    /* midpoint falls exactly: g t^2 / 2, and nothing else moves the free ball */
    CHECK_NEAR(x[2], ball.surface_rest[2] - 9.81 * 0.05 * 0.05 / 2, 1e-9);
    CHECK(lil_trajectory_body(tr, 2, &box) == LIL_ERR_ARGUMENT);
    free(x);
    lil_trajectory_destroy(&tr);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    remove(OUTPUT);
}

/* ---- worlds ---- */

/* Held, driven and thrown, a surface in tets, strands, springs, an obstacle that moves, contact. */
static const char WORLD[] =
    "bodies:\n"
    "  ball: {surface: {inside: '1 - x^2 - y^2 - z^2', box: [[-1, -1, -1], [1, 1, 1]], cells: 8}, vertices: 60,\n"
    "    scale: 0.1, at: [0, 0, 0.3], material: rubber, start: {push: [0, 0, -1]},\n"
    "    springs: {from: {box: [[-1, -1, 0.35], [1, 1, 1]]}, to: [0, 0, 1], stiffness: 1}}\n"
    "  box: {shape: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0.5, 0, 0.2], material: rubber,\n"
    "    handles: {select: {plane: {point: [0, 0, 0.25], normal: [0, 0, 1]}}, move: [0, 0, '-0.2*t']}}\n"
    "particles: {pair: {at: [[1, 0, 0.2], [1.1, 0, 0.2]], pairs: [[0, 1]], mass: 0.01, radius: 0.01}}\n"
    "obstacles: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, move: [0, 0, '0.2*t']}}\n"
    "contact: {friction: 0.1}\n"
    "gravity: 9.81\nintegrator: energy-momentum\ntime: {step: 0.004, until: 0.2}\nrecord: {every: 5}\n";

static bool has_dataset(const lil_trajectory *tr, const char *name)
{
    lil_dataset set;
    for (int i = 0; lil_trajectory_dataset(tr, i, &set); i++)
        if (strcmp(set.name, name) == 0)
            return true;
    return false;
}

/* Every dataset of a is in b, to the bit. */
static void compare_datasets(lil_trajectory *a, lil_trajectory *b)
{
    int64_t frames = lil_trajectory_frames(a);
    lil_dataset set;
    CHECK(frames == lil_trajectory_frames(b) && frames == 11);
    for (int i = 0; lil_trajectory_dataset(a, i, &set); i++) {
        size_t count = (size_t)frames * (size_t)set.width;
        double *x = calloc(count, sizeof *x), *y = calloc(count, sizeof *y);
        MUST(lil_trajectory_read(a, set.name, 0, frames, x));
        MUST(lil_trajectory_read(b, set.name, 0, frames, y));
        CHECK(memcmp(x, y, count * sizeof *x) == 0);
        free(x);
        free(y);
    }
    CHECK(has_dataset(b, "obstacle/floor") && has_dataset(b, "contact/gap") && has_dataset(b, "external_work"));
}

static void compare_bodies(lil_trajectory *a, lil_trajectory *b)
{
    lil_body_info x, y;
    int bodies;
    MUST(lil_trajectory_body_count(b, &bodies));
    CHECK(bodies == 2);
    for (int i = 0; i < bodies; i++) {
        MUST(lil_trajectory_body(a, i, &x));
        MUST(lil_trajectory_body(b, i, &y));
        CHECK(strcmp(x.name, y.name) == 0 && strcmp(x.material, y.material) == 0 && x.first == y.first &&
              x.tet_count == y.tet_count && x.surface_triangle_count == y.surface_triangle_count);
        CHECK(memcmp(x.rest, y.rest, 3 * (size_t)x.vertex_count * sizeof *x.rest) == 0);
    }
}

/* A recording that takes its frames by hand, of the Sim that a run records. */
TEST(a_recording_has_of_a_world_what_a_run_has)
{
    static const char *const RUN_OUTPUT = "test_recording_run.h5";
    lil_scene *scene;
    lil_run *run;
    lil_recording *recording;
    lil_trajectory *a, *b;
    lil_check x, y;
    lil_check_def paths = { .paths = true };
    lil_run_def rd = lil_run_def_default();
    lil_recording_def def = lil_recording_def_default();
    rd.output = RUN_OUTPUT;
    rd.replace = def.replace = true;
    def.path = OUTPUT;
    def.every = 0;
    MUST(lil_scene_parse(ctx, "world", WORLD, strlen(WORLD), &scene));
    MUST(lil_run_create(ctx, scene, &rd, &run));
    MUST(lil_recording_create(ctx, lil_run_sim(run), &def, &recording));
    for (int k = 0; k <= 10; k++) {
        MUST(k ? lil_run_advance(run, 5) : LIL_OK);
        MUST(lil_recording_frame(recording));
    }
    MUST(lil_recording_finish(recording, NULL));
    MUST(lil_run_finish(run));
    MUST(lil_trajectory_open(ctx, RUN_OUTPUT, &a));
    MUST(lil_trajectory_open(ctx, OUTPUT, &b));
    compare_datasets(a, b);
    compare_bodies(a, b);
    MUST(lil_trajectory_check(a, &paths, &x));
    MUST(lil_trajectory_check(b, &paths, &y));
    CHECK(x.elements == y.elements && y.elements > 100 && y.intersections == 0 && x.passages == y.passages);
    lil_certificate p = lil_trajectory_certificate(a), q = lil_trajectory_certificate(b);
    CHECK(p.energy_final == q.energy_final && p.intersections == 0 && q.intersections == 0);
    lil_trajectory_destroy(&a);
    lil_trajectory_destroy(&b);
    lil_recording_destroy(&recording);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    remove(RUN_OUTPUT);
    remove(OUTPUT);
}

/* ---- the form of frames ---- */

/* The recording of a pendulum: q, v and p at its first and last frame, and half-way between the first two. */
static void record_form(const char *what, bool single, lil_frame f[3], lil_trajectory **tr)
{
    lil_recording *rec = NULL;
    lil_recording_def def = definition();
    def.what = what;
    def.single = single;
    create();
    MUST(lil_recording_create(ctx, sim, &def, &rec));
    for (int k = 0; k < 20; k++)
        MUST(lil_sim_step(sim));
    MUST(lil_recording_finish(rec, NULL));
    lil_recording_destroy(&rec);
    MUST(lil_trajectory_open(ctx, OUTPUT, tr));
    MUST(lil_trajectory_frame(*tr, 20, &f[1]));
    MUST(lil_trajectory_frame(*tr, 0, &f[0]));
    MUST(lil_trajectory_frame_at(*tr, 0.005, &f[2]));
}

TEST(frames_have_what_was_asked_for)
{
    lil_frame f[3];
    lil_trajectory *tr;
    record_form(NULL, true, f, &tr);
    CHECK(f[0].q[0] == 2 && f[0].v[0] == 0 && f[0].p[0] == 0);
    CHECK(f[1].t == lil_sim_state(sim)->t && f[1].energy == lil_sim_energy(sim)); /* these are doubles */
    MUST(lil_trajectory_frame(tr, 20, &f[1]));
    CHECK(f[1].q[0] == (float)lil_sim_state(sim)->q[0] && f[1].p[0] == (float)lil_sim_state(sim)->p[0]);
    lil_trajectory_destroy(&tr);
    destroy();
    record_form("q", false, f, &tr);
    CHECK(f[0].q && !f[0].v && !f[0].p && f[2].q && !f[2].v && !f[2].p);
    /* the cubic through four frames: 15/384 h^4 x the fourth derivative in its first interval, below 100/s^4 */
    CHECK_NEAR(f[2].q[0], 2 - 9.81 * sin(2) * 0.005 * 0.005 / 2, 15. / 384 * 1e-8 * 100 + 1e-7);
    lil_trajectory_destroy(&tr);
    destroy();
    record_form("", false, f, &tr);
    CHECK(!f[0].q && !f[0].v && !f[0].p && !f[2].q && !f[2].v && !f[2].p && f[0].energy != 0);
    lil_trajectory_destroy(&tr);
    destroy();
}

TEST(forms_that_there_are_not)
{
    lil_recording *rec = NULL;
    lil_recording_def def = definition();
    create();
    static const char *const wrong[] = { "x", "qq", "q v" };
    for (int k = 0; k < 3; k++) {
        def.what = wrong[k];
        CHECK(lil_recording_create(ctx, sim, &def, &rec) == LIL_ERR_ARGUMENT &&
              strstr(lil_context_message(ctx), "def->what"));
    }
    def.what = NULL;
    def.compress = 10;
    CHECK(lil_recording_create(ctx, sim, &def, &rec) == LIL_ERR_ARGUMENT);
    def.compress = 0;
    def.single = true;
    MUST(lil_recording_create(ctx, sim, &def, &rec));
    double far = 1e39;
    lil_recording_destroy(&rec);
    MUST(lil_sim_set_q(sim, &far));
    CHECK(lil_recording_create(ctx, sim, &def, &rec) == LIL_ERR_LIMIT); /* infinite as a float */
    CHECK(strstr(lil_context_message(ctx), "single precision can hold"));
    destroy();
}

int main(void)
{
    ctx = lil_context_create();
    RUN(callbacks_are_recorded_and_read_back);
    RUN(what_cannot_be_recorded_is_refused);
    RUN(bodies_come_with_their_meshes);
    RUN(a_recording_has_of_a_world_what_a_run_has);
    RUN(frames_have_what_was_asked_for);
    RUN(forms_that_there_are_not);
    lil_context_destroy(&ctx);
    return test_end();
}
