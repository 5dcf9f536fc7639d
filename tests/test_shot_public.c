/* Shots from C: the same bits as from a scene, cancelled and gone on with, refused with a sentence, and recorded as runs are. */
#include "problems.h"

#include "run/run.h"

#include <lilyan/shot.h>

#include <unistd.h>

static lil_context *ctx;
static const char *const OUTPUT = "test_shot_public.h5", *const RUN_OUTPUT = "test_shot_public_run.h5";

#define TEXT                                                                                                         \
    "lagrangian: 1/2*dx^2 + dy^2 - x*y^2\nstart: {x: 0, y: 0}\n"                                                     \
    "keys: [{at: 0, q: [0, 0], velocity: [1, 0]}, {at: 1, q: {x: 1}}, {at: 2, q: [2, 1], weight: 50}, "              \
    "{at: 3, q: [0, 1]}]\nshot: {frames: 24, smoothness: 0.1"

#define BAR                                                                                                          \
    "gravity: 9.81\nbodies:\n  bar:\n    shape: {type: bar, size: [0.4, 0.1, 0.1], cells: [3, 1, 1]}\n"              \
    "    material: {model: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"                                  \
    "    groups: {tip: {plane: {point: [0.2, 0, 0], normal: [1, 0, 0]}}}\n"                                          \
    "keys:\n  - {at: 0, pose: rest, velocity: 0}\n  - {at: 0.5, points: {tip: {at: [0.5, free, 0.4], rotate: [0, "   \
    "-30, "                                                                                                          \
    "0]}}}\n  - {at: 1, pose: {rotate: [0, 90, 0], translate: [1, 0, 0.3]}}\nshot: {frames: 16}\n"

static void set_text_keys(lil_key_def keys[4])
{
    static const double q[4][2] = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 0, 1 } }, v[2] = { 1, 0 };
    static const bool held[2] = { true, false };
    for (int i = 0; i < 4; i++) {
        keys[i] = lil_key_def_default();
        keys[i].t = i;
        keys[i].q = q[i];
    }
    keys[0].v = v;
    keys[1].held = held;
    keys[2].weight = 50;
}

static bool same_bits(lil_shot *a, lil_shot *b)
{
    lil_shot_frame x, y;
    bool same = lil_shot_frames(a) == lil_shot_frames(b) && lil_shot_size(a) == lil_shot_size(b);
    for (int k = 0; same && k < lil_shot_frames(a); k++) {
        same = lil_shot_frame_at(a, k, &x) == LIL_OK && lil_shot_frame_at(b, k, &y) == LIL_OK && x.t == y.t;
        size_t size = (size_t)x.n * sizeof(double);
        same = same && memcmp(x.q, y.q, size) == 0 && memcmp(x.v, y.v, size) == 0 && memcmp(x.p, y.p, size) == 0 &&
               memcmp(x.ghost_force, y.ghost_force, size) == 0;
    }
    return same;
}

static bool same_outcome(const lil_shot_result *a, const lil_shot_result *b)
{
    return a->cost == b->cost && a->key_error_max == b->key_error_max && a->ghost_force_max == b->ghost_force_max &&
           a->ghost_share == b->ghost_share && a->residual == b->residual && a->iterations == b->iterations &&
           a->converged == b->converged && a->key_count == b->key_count;
}

/* ---- same bits ---- */

TEST(coordinates_from_c_give_the_bits_of_a_scene)
{
    lil_run *run = problem(ctx, TEXT "}\n");
    lil_shot_def def = lil_shot_def_default();
    lil_key_def keys[4];
    lil_shot *shot = NULL;
    lil_shot_result mine, theirs;
    set_text_keys(keys);
    def.frames = 24;
    def.smoothness = 0.1;
    CHECK(!lil_run_shot(run, &theirs)); /* it is not solved when it is made */
    MUST(lil_shot_create(ctx, lil_run_model(run), keys, 4, &def, &shot));
    CHECK(!lil_shot_outcome(shot, &mine));
    MUST(lil_shot_solve(shot, NULL, NULL));
    MUST(lil_run_advance(run, 1000));
    CHECK(lil_run_shot(run, &theirs) && lil_shot_outcome(shot, &mine) && same_outcome(&mine, &theirs));
    CHECK(mine.soft_error_max == theirs.soft_error_max && mine.soft_error_max > 0);
    CHECK(same_bits(shot, run->plan.shot));
    lil_shot_destroy(&shot);
    CHECK(!shot);
    lil_run_destroy(&run);
}

TEST(poses_and_points_from_c_give_the_bits_of_a_scene)
{
    lil_run *run = problem(ctx, BAR);
    lil_shot_def def = lil_shot_def_default();
    lil_key_def keys[3] = { lil_key_def_default(), lil_key_def_default(), lil_key_def_default() };
    lil_pose_def rest = lil_pose_def_default(), turned = lil_pose_def_default();
    lil_point_def tip = lil_point_def_default();
    lil_shot *shot = NULL;
    static const double still[3 * 64];
    CHECK(lil_model_size(lil_run_model(run)) <= 3 * 64);
    keys[0].poses = &rest, keys[0].pose_count = 1, keys[0].v = still;
    keys[1].t = 0.5, keys[1].points = &tip, keys[1].point_count = 1;
    tip.group = "tip", tip.at[0] = 0.5, tip.at[2] = 0.4, tip.free[1] = true, tip.rotate[1] = -30;
    keys[2].t = 1, keys[2].poses = &turned, keys[2].pose_count = 1;
    turned.rotate[1] = 90, turned.translate[0] = 1, turned.translate[2] = 0.3;
    def.frames = 16;
    MUST(lil_shot_create(ctx, lil_run_model(run), keys, 3, &def, &shot));
    MUST(lil_shot_solve(shot, NULL, NULL));
    MUST(lil_run_advance(run, 1000));
    CHECK(same_bits(shot, run->plan.shot));
    lil_shot_destroy(&shot);
    lil_run_destroy(&run);
}

/* ---- a cost of one's own ---- */

/* dx^2 y^2 + 2 phi_y^2 */
static bool own_cost(void *user, double t, const double *q, const double *v, const double *phi, double *c, double *dq,
                     double *dv, double *dphi)
{
    (void)user, (void)t;
    *c = v[0] * v[0] * q[1] * q[1] + 2 * phi[1] * phi[1];
    if (dq)
        dq[0] = 0, dq[1] = 2 * v[0] * v[0] * q[1];
    if (dv)
        dv[0] = 2 * v[0] * q[1] * q[1], dv[1] = 0;
    if (dphi)
        dphi[0] = 0, dphi[1] = 4 * phi[1];
    return true;
}

/* second derivatives are differenced: the same minimum, to the accuracy of a minimum */
TEST(cost_from_a_callback_is_that_of_a_text)
{
    lil_run *run = problem(ctx, TEXT ", cost: \"dx^2*y^2 + 2*ghost_y^2\"}\n");
    lil_shot_def def = lil_shot_def_default();
    lil_key_def keys[4];
    lil_shot *shot = NULL;
    lil_shot_result mine, theirs;
    lil_shot_frame x, y;
    set_text_keys(keys);
    def.frames = 24;
    def.smoothness = 0.1;
    def.cost = own_cost;
    MUST(lil_shot_create(ctx, lil_run_model(run), keys, 4, &def, &shot));
    MUST(lil_shot_solve(shot, NULL, NULL));
    MUST(lil_run_advance(run, 1000));
    CHECK(lil_run_shot(run, &theirs) && lil_shot_outcome(shot, &mine));
    CHECK_NEAR(mine.cost / theirs.cost, 1, 1e-10);
    for (int k = 0; k < lil_shot_frames(shot); k++) {
        MUST(lil_shot_frame_at(shot, k, &x));
        MUST(lil_shot_frame_at(run->plan.shot, k, &y));
        CHECK_NEAR(x.q[0], y.q[0], 1e-6);
        CHECK_NEAR(x.q[1], y.q[1], 1e-6);
    }
    lil_shot_destroy(&shot);
    lil_run_destroy(&run);
}

/* ---- cancelled ---- */

static bool twice(void *user, int level, int iteration, double cost)
{
    (void)level, (void)cost;
    *(int *)user = iteration;
    return iteration < 2;
}

TEST(cancelled_shot_keeps_its_best_frames_and_goes_on)
{
    lil_run *run = problem(ctx, TEXT "}\n");
    lil_shot_def def = lil_shot_def_default();
    lil_key_def keys[4];
    lil_shot *shot = NULL, *whole = NULL;
    lil_shot_result cut, on, best;
    lil_shot_frame frame;
    int last = 0;
    set_text_keys(keys);
    def.frames = 24;
    MUST(lil_shot_create(ctx, lil_run_model(run), keys, 4, &def, &shot));
    MUST(lil_shot_create(ctx, lil_run_model(run), keys, 4, &def, &whole));
    CHECK(lil_shot_frame_at(shot, 0, &frame) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "has not been solved"));
    CHECK(lil_shot_solve(shot, twice, &last) == LIL_ERR_INTERRUPTED && last == 2);
    CHECK(strstr(lil_context_message(ctx), "cancelled it after iteration 2"));
    MUST(lil_shot_solve(whole, NULL, NULL));
    CHECK(lil_shot_outcome(shot, &cut) && lil_shot_outcome(whole, &best));
    CHECK(!cut.converged && cut.cost > best.cost && cut.key_error_max == 0);
    MUST(lil_shot_frame_at(shot, 24, &frame));
    CHECK(frame.t == 3 && frame.q[1] == 1);
    MUST(lil_shot_solve(shot, NULL, NULL));
    CHECK(lil_shot_outcome(shot, &on) && on.converged);
    CHECK_NEAR(on.cost / best.cost, 1, 1e-12);
    CHECK(lil_shot_frame_at(shot, 25, &frame) == LIL_ERR_ARGUMENT);
    lil_shot_destroy(&shot);
    lil_shot_destroy(&whole);
    lil_run_destroy(&run);
}

/* ---- refused ---- */

static void refuse(const lil_model *model, const lil_key_def *keys, int count, const lil_shot_def *def,
                   lil_status expected, const char *sentence)
{
    lil_shot *shot = NULL;
    lil_status status = lil_shot_create(ctx, model, keys, count, def, &shot);
    CHECK(status == expected && !shot);
    CHECK(strstr(lil_context_message(ctx), sentence));
    if (status != expected || !strstr(lil_context_message(ctx), sentence))
        printf("       %s: %s, not %s\n", lil_status_name(status), lil_context_message(ctx), sentence);
    lil_shot_destroy(&shot);
}

TEST(bad_keys_get_a_sentence)
{
    lil_run *run = problem(ctx, TEXT "}\n");
    const lil_model *model = lil_run_model(run);
    lil_shot_def def = lil_shot_def_default(), other;
    lil_key_def keys[4];
    static const double nan_q[2] = { 0, NAN };
    def.frames = 24;
#define BAD(change, status, sentence)                                                                                \
    do {                                                                                                             \
        set_text_keys(keys);                                                                                         \
        other = def;                                                                                                 \
        change;                                                                                                      \
        refuse(model, keys, 4, &other, status, sentence);                                                            \
    } while (0)
    BAD(keys[2].q = nan_q, LIL_ERR_NOT_FINITE, "keys[2].q: this key puts 'y' at nan");
    BAD(keys[1].t = 2.5, LIL_ERR_INPUT, "keys[2].t: this key is at t = 2, before the one above at 2.5");
    BAD(keys[1].t = NAN, LIL_ERR_INPUT, "keys[1].t: the time of a key must be at most 1e12 s");
    BAD(keys[1].t = 1.01, LIL_ERR_INPUT, "keys[1].t: the key at t = 1.01 is not on a frame");
    BAD(keys[3].size = 8, LIL_ERR_ARGUMENT, "keys[3]: its size is 8");
    BAD(keys[0].q = NULL, LIL_ERR_INPUT, "keys[0]: 'q' is missing here");
    BAD(keys[1].v = nan_q, LIL_ERR_INPUT, "keys[1].v: a key that leaves coordinates free cannot have a velocity");
    BAD(keys[0].weight = 1, LIL_ERR_INPUT, "keys[0].weight: a soft key cannot have a velocity");
    BAD(keys[2].weight = -1, LIL_ERR_INPUT, "keys[2].weight: the weight of a soft key must be positive, not -1");
    BAD(keys[1].pose_count = 1, LIL_ERR_INPUT, "keys[1]: poses and points need a world");
    BAD(other.size = 1, LIL_ERR_ARGUMENT, "the def's size is 1");
    BAD(other.frames = 1, LIL_ERR_INPUT, "def.frames: 'frames' must be between 2 and 1e+07, not 1");
    BAD(other.physicality = NAN, LIL_ERR_INPUT, "def.physicality: 'physicality' must be between 0 and 1");
    BAD(other.method = "best", LIL_ERR_INPUT, "def.method: unknown method 'best'");
    BAD(other.options = "sweeps=3", LIL_ERR_INPUT, "sweeps");
    BAD(other.integrator = "rk4", LIL_ERR_INPUT,
        "def.integrator: a shot needs the integrator midpoint or stormer-verlet");
    refuse(model, keys, 1, &def, LIL_ERR_INPUT, "keys: a shot needs at least two keys");
    CHECK(lil_shot_create(ctx, NULL, keys, 4, &def, &(lil_shot *){ NULL }) == LIL_ERR_ARGUMENT);
    lil_run_destroy(&run);
}

TEST(pins_of_a_shot_stay)
{
    lil_run *run =
        problem(ctx, "particles: {p: {at: [[0, 0, 0], [1, 0, 0]], mass: 1, fixed: {select: 0, until: 0.5}}}\n"
                     "integrator: midpoint\ntime: {step: 0.1, until: 1}\n");
    lil_shot_def def = lil_shot_def_default();
    lil_key_def keys[2] = { lil_key_def_default(), lil_key_def_default() };
    const double q[3] = { 1, 0, 0 };
    def.frames = 10;
    keys[0].q = keys[1].q = q;
    keys[1].t = 1;
    refuse(lil_run_model(run), keys, 2, &def, LIL_ERR_INPUT, "model: a shot does not support pins that let go");
    lil_run_destroy(&run);
}

TEST(bad_poses_get_a_sentence)
{
    lil_run *run = problem(ctx, BAR);
    const lil_model *model = lil_run_model(run);
    lil_shot_def def = lil_shot_def_default();
    lil_key_def keys[2] = { lil_key_def_default(), lil_key_def_default() };
    lil_pose_def pose = lil_pose_def_default();
    lil_point_def point = lil_point_def_default();
    keys[1].t = 1;
    for (int i = 0; i < 2; i++)
        keys[i].poses = &pose, keys[i].pose_count = 1;
    pose.body = 3;
    refuse(model, keys, 2, &def, LIL_ERR_INPUT, "keys[0].poses[0]: there is no body 3: bodies go from 0 to 0");
    pose = lil_pose_def_default();
    pose.scale[1] = -1;
    refuse(model, keys, 2, &def, LIL_ERR_INPUT,
           "keys[0].poses[0]: 'scale' is positive and 'rotate' at most 1e6 degrees, not [1, -1, 1]");
    pose = lil_pose_def_default();
    pose.surface = pose.translate;
    refuse(model, keys, 2, &def, LIL_ERR_INPUT, "keys[0].poses[0]: 'bar' has no embedded surface");
    pose = lil_pose_def_default();
    keys[1].pose_count = 0;
    refuse(model, keys, 2, &def, LIL_ERR_INPUT, "keys[1]: a key of bodies needs a 'pose'");
    keys[1].points = &point, keys[1].point_count = 1;
    refuse(model, keys, 2, &def, LIL_ERR_ARGUMENT, "keys[1].points[0]: a point needs a 'group' or 'vertices'");
    point.vertices = (int[]){ 900 }, point.vertex_count = 1;
    refuse(model, keys, 2, &def, LIL_ERR_INPUT, "keys[1].points[0]: 'bar' has no vertex 900");
    point.group = "tpi";
    refuse(model, keys, 2, &def, LIL_ERR_INPUT, "keys[1].points[0]: there is no point 'tpi' (did you mean 'tip'?)");
    lil_run_destroy(&run);
}

/* ---- recorded ---- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

TEST(recorded_shot_is_what_a_run_writes)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def run_def = lil_run_def_default();
    lil_recording_def file = lil_recording_def_default();
    lil_trajectory *mine = NULL, *theirs = NULL;
    lil_dataset set;
    run_def.output = RUN_OUTPUT, run_def.replace = true;
    file.path = OUTPUT, file.replace = true;
    MUST(lil_scene_parse(ctx, "shot", BAR, strlen(BAR), &scene));
    MUST(lil_run_create(ctx, scene, &run_def, &run));
    lil_scene_destroy(&scene); /* which a run does not need when it is solved */
    CHECK(lil_shot_record(run->plan.shot, &file) == LIL_ERR_ARGUMENT);
    MUST(lil_run_advance(run, 3));
    CHECK(lil_run_steps_done(run) == 3 && access(RUN_OUTPUT, F_OK) != 0); /* all frames, or no file */
    MUST(lil_run_advance(run, 1000));
    MUST(lil_run_finish(run));
    MUST(lil_shot_record(run->plan.shot, &file));
    MUST(lil_trajectory_open(ctx, OUTPUT, &mine));
    MUST(lil_trajectory_open(ctx, RUN_OUTPUT, &theirs));
    int count, n = lil_trajectory_size(mine);
    const lil_field *fields = lil_certificate_fields(&count);
    lil_certificate a = lil_trajectory_certificate(mine), b = lil_trajectory_certificate(theirs);
    for (int i = 0; i < count; i++)
        CHECK(same_number(*(double *)((char *)&a + fields[i].offset), *(double *)((char *)&b + fields[i].offset)));
    CHECK(lil_trajectory_frames(mine) == 17 && lil_trajectory_frames(theirs) == 17);
    CHECK(strcmp(lil_trajectory_status(mine), "complete") == 0);
    double *x = malloc(17 * (size_t)n * sizeof *x), *y = malloc(17 * (size_t)n * sizeof *y);
    for (int i = 0; lil_trajectory_dataset(theirs, i, &set); i++) {
        MUST(lil_trajectory_read(theirs, set.name, 0, 17, y));
        MUST(lil_trajectory_read(mine, set.name, 0, 17, x));
        CHECK(memcmp(x, y, 17 * (size_t)set.width * sizeof *x) == 0);
    }
    free(x);
    free(y);
    lil_trajectory_destroy(&mine);
    lil_trajectory_destroy(&theirs);
    lil_run_destroy(&run);
    remove(OUTPUT);
    remove(RUN_OUTPUT);
}

int main(void)
{
    ctx = lil_context_create();
    remove(RUN_OUTPUT);
    RUN(coordinates_from_c_give_the_bits_of_a_scene);
    RUN(poses_and_points_from_c_give_the_bits_of_a_scene);
    RUN(cost_from_a_callback_is_that_of_a_text);
    RUN(cancelled_shot_keeps_its_best_frames_and_goes_on);
    RUN(bad_keys_get_a_sentence);
    RUN(pins_of_a_shot_stay);
    RUN(bad_poses_get_a_sentence);
    RUN(recorded_shot_is_what_a_run_writes);
    lil_context_destroy(&ctx);
    return test_end();
}
