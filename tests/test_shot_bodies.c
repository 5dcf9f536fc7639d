/*
 * Shots of bodies: derivatives by differences, motions that need no ghost force, the spline by another way, and how full, partial,
 * soft keys and stiffness go together.
 */
#include "problems.h"

#include "keyframes/shot.h"
#include "sim/sim.h"

static lil_context *ctx;

#define BAR(cells, young, rest)                                                                                      \
    "bodies:\n  bar:\n    shape: {type: bar, size: [0.4, 0.1, 0.1], cells: " cells "}\n"                             \
    "    material: {model: neo-hookean, young: " young ", poisson: 0.4, density: 1000}\n" rest                       \
    "integrator: midpoint\ntime: {step: 0.01, until: 0.02}\n"
#define GRAVITY "gravity: [0, 0, -9.81]\n"

static lil_rule midpoint(void)
{
    return lil_rule_variational(1, (double[]){ 1 }, (double[]){ 0.5 }, false);
}

typedef struct scene {
    lil_run *run;
    const lil_model *model;
    int n;
    double *rest, *zero;
} scene;

static double *room(size_t count)
{
    double *x = calloc(count + 1, sizeof *x);
    if (!x)
        abort();
    return x;
}

static scene open_scene(const char *text)
{
    scene s = { .run = problem(ctx, text) };
    s.model = lil_run_model(s.run);
    s.n = s.model->n;
    s.rest = room((size_t)s.n);
    s.zero = room((size_t)s.n);
    memcpy(s.rest, lil_sim_state(lil_run_sim(s.run))->q, (size_t)s.n * sizeof *s.rest);
    return s;
}

static void close_scene(scene *s)
{
    free(s->rest);
    free(s->zero);
    lil_run_destroy(&s->run);
}

/* the pose at rest turned about y by angle, and moved */
static double *posed(const scene *s, double angle, double x, double z)
{
    double *q = room((size_t)s->n), c = cos(angle), w = sin(angle);
    for (int i = 0; i < s->n; i += 3) {
        q[i] = c * s->rest[i] + w * s->rest[i + 2] + x;
        q[i + 1] = s->rest[i + 1];
        q[i + 2] = -w * s->rest[i] + c * s->rest[i + 2] + z;
    }
    return q;
}

static lil_shot_def two_keys(const scene *s, int frames, lil_shot_key keys[2])
{
    return (lil_shot_def){ .model = s->model,
                           .rule = midpoint(),
                           .frames = frames,
                           .t1 = 1,
                           .keys = keys,
                           .key_count = 2,
                           .by_mass = true };
}

static lil_shot *solved(const lil_shot_def *def)
{
    lil_shot *shot = NULL;
    if (lil_shot_create(ctx, def, &shot) != LIL_OK || lil_shot_solve_bodies(shot, 100) != LIL_OK) {
        printf("%s: %s\n", test_name, lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return shot;
}

static double apart(size_t n, const double *x, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* the largest gradient of a free coordinate, over the largest sum of what it is made of */
static double gradient(lil_shot *shot)
{
    const lil_pattern *p = shot->pattern;
    size_t n = (size_t)shot->n, total = ((size_t)shot->N + 1) * n;
    double *g = room(total), *sum = room(total), most = 0, size = 0;
    lil_ghost_gradient_at(shot, shot->q, &shot->now, g);
    for (int k = 0; k < shot->N; k++) {
        const double *a = shot->q + (size_t)k * n;
        lil_segment_first J = lil_shot_first(shot, 0);
        lil_segment_derivatives(&shot->segment, shot->t[k], shot->dt[k], a, a + n, &J);
        for (int end = 0; end < 2; end++) {
            int row = end ? shot->right[k] : shot->left[k];
            for (size_t j = 0; row >= 0 && j < n; j++)
                for (int e = p->start[j]; e < p->start[j + 1]; e++)
                    sum[((size_t)k + 1) * n + j] += (fabs(J.mu_b[e]) + fabs(J.s_b[e]) / 2) *
                                                    fabs(shot->now.y[(size_t)row * n + (size_t)p->row[e]]);
        }
    }
    for (size_t i = 0; i < total; i++) {
        most = fmax(most, fabs(g[i]));
        size = fmax(size, sum[i]);
    }
    free(g);
    free(sum);
    return most / size;
}

/* C at frames moved by e along direction (frame, coordinate) */
static double cost_beside(lil_shot *shot, size_t at, double e)
{
    size_t total = ((size_t)shot->N + 1) * (size_t)shot->n;
    memcpy(shot->q_next, shot->q, total * sizeof *shot->q);
    shot->q_next[at] += e;
    lil_ghost_evaluate(shot, shot->q_next, &shot->next);
    return shot->next.C;
}

static void check_gradient(const char *text)
{
    scene s = open_scene(text);
    double *end = posed(&s, 0.7, 0.3, 0.2);
    bool *held = calloc((size_t)s.n, sizeof *held);
    held[0] = held[1] = held[2] = true;
    lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero },
                            { .frame = 3, .q = end, .held = held, .weight = 30 },
                            { .frame = 6, .q = end, .held = held } };
    lil_shot_def def = two_keys(&s, 6, keys);
    def.key_count = 3;
    def.smoothness = 0.2;
    lil_shot *shot = solved(&def);
    size_t total = ((size_t)shot->N + 1) * (size_t)shot->n;
    for (size_t i = 0; i < total; i++) /* somewhere else, where nothing vanishes */
        shot->q[i] += shot->held[i] ? 0 : 1e-3 * sin(3.0 * (double)i);
    double *g = room(total), scale = 0;
    lil_ghost_evaluate(shot, shot->q, &shot->now);
    lil_ghost_gradient_at(shot, shot->q, &shot->now, g);
    for (size_t i = 0; i < total; i++)
        scale = fmax(scale, fabs(g[i]));
    for (size_t i = 0; i < total; i += 7) {
        double e = 1e-5, slope = (cost_beside(shot, i, e) - cost_beside(shot, i, -e)) / (4 * e);
        if (shot->held[i])
            CHECK(g[i] == 0);
        else
            CHECK_NEAR(slope / scale, g[i] / scale, 1e-6); /* differences of third order */
    }
    free(g);
    free(end);
    free(held);
    lil_shot_destroy(&shot);
    close_scene(&s);
}

/* without damping, and with both of its forms: about the shape as it is, and about that at rest */
TEST(gradient_agrees_with_differences)
{
    check_gradient(BAR("[2, 1, 1]", "1e5", GRAVITY));
    check_gradient(BAR("[2, 1, 1]", "1e5", "    damping: 0.01\n" GRAVITY));
    check_gradient("bodies:\n  bar:\n    shape: {type: bar, size: [0.4, 0.1, 0.1], cells: [2, 1, 1]}\n"
                   "    material: {model: stable-neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
                   "    damping: 0.01\n" GRAVITY "integrator: midpoint\ntime: {step: 0.01, until: 0.02}\n");
}

/* Frames of a run, as keys, need no ghost force. */
static void reaches(const char *text, int frames, int every, double *cost, double *off)
{
    scene s = open_scene(text);
    lil_sim *sim = lil_run_sim(s.run);
    size_t n = (size_t)s.n;
    double *all = room(((size_t)frames + 1) * n), *v0 = room(n), *v1 = room(n), h = 0.01;
    memcpy(v0, lil_sim_state(sim)->v, n * sizeof *v0);
    for (int k = 0; k <= frames; k++) {
        memcpy(all + (size_t)k * n, lil_sim_state(sim)->q, n * sizeof *all);
        memcpy(v1, lil_sim_state(sim)->v, n * sizeof *v1);
        if (k < frames && lil_sim_advance(sim, h) != LIL_OK) {
            printf("%s: %s\n", test_name, lil_context_message(ctx));
            exit(EXIT_FAILURE);
        }
    }
    lil_shot_key keys[100] = { { 0 } };
    int count = 0;
    for (int k = 0; k <= frames; k += every)
        keys[count++] = (lil_shot_key){ .frame = k, .q = all + (size_t)k * n };
    keys[0].v = v0;
    keys[count - 1].v = v1;
    lil_shot_def def = two_keys(&s, frames, keys);
    def.key_count = count;
    def.t1 = frames * h;
    lil_shot *shot = solved(&def);
    *cost = shot->now.C / shot->spline_cost;
    *off = apart(((size_t)frames + 1) * n, shot->q, all);
    lil_shot_destroy(&shot);
    free(all);
    free(v0);
    free(v1);
    close_scene(&s);
}

TEST(keys_from_a_run_give_the_run)
{
    double cost, off;
    /* thrown with a spin, and bending */
#define THROWN "    start: {velocity: [0.5 + 2*z, 0, 1.5 - 2*x + 8*x^2]}\n" GRAVITY "solver: {tolerance: 1e-13}\n"
    reaches(test_small() ? BAR("[4, 1, 1]", "1e5", THROWN) : BAR("[8, 2, 2]", "1e5", THROWN), 24, 6, &cost, &off);
    printf("       cost %.1e of the spline's, frames off by %.1e m\n", cost, off);
    CHECK(cost < 1e-15);
    CHECK(off < 1e-8);
}

/* W left out: each coordinate is a cubic in time between keys, up to h^2, and the solution of a small dense problem exactly. */
TEST(without_physics_it_is_a_spline)
{
    scene s = open_scene(BAR("[2, 1, 1]", "1e5", GRAVITY));
    double *end = posed(&s, 0, 0.5, 0.25), error[2];
    for (int i = 0; i < 2; i++) {
        int N = i ? 32 : 16;
        lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero }, { .frame = N, .q = end, .v = s.zero } };
        lil_shot_def def = two_keys(&s, N, keys);
        def.left_out = 1;
        lil_shot *shot = solved(&def);
        double mass = 0;
        for (int c = 0; c < s.n; c += 3)
            mass += s.model->mass.diagonal[c];
        /* from 0 to D in 1 s, at rest at both ends: 12 D^2 m/(1 + 2 h^2), see test_keyframes.c */
        CHECK_NEAR(shot->now.C / (12 * (0.25 + 0.0625) * mass / (1 + 2.0 / N / N)), 1, 1e-10);
        CHECK(shot->converged);
        error[i] = 0;
        for (int k = 0; k <= N; k++)
            for (int c = 0; c < s.n; c++) {
                double x = (double)k / N, cubic = s.rest[c] + (end[c] - s.rest[c]) * x * x * (3 - 2 * x);
                error[i] = fmax(error[i], fabs(shot->q[(size_t)k * (size_t)s.n + (size_t)c] - cubic));
            }
        lil_shot_destroy(&shot);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2, 0.1);
    free(end);
    close_scene(&s);
}

/* Damping shows: the same keys, once the body has to be kept swinging, cost more. */
TEST(damping_costs)
{
    const char *texts[] = { BAR("[4, 1, 1]", "3e4", "    damping: 0\n"),
                            BAR("[4, 1, 1]", "3e4", "    damping: 0.02\n") };
    double cost[2];
    for (int i = 0; i < 2; i++) {
        scene s = open_scene(texts[i]);
        double *bent = room((size_t)s.n);
        for (int c = 0; c < s.n; c += 3) {
            memcpy(bent + c, s.rest + c, 3 * sizeof *bent);
            bent[c + 2] += 1.5 * s.rest[c] * s.rest[c];
        }
        lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero }, { .frame = 24, .q = bent, .v = s.zero } };
        lil_shot_def def = two_keys(&s, 24, keys);
        lil_shot *shot = solved(&def);
        CHECK(shot->converged);
        cost[i] = shot->now.C;
        lil_shot_destroy(&shot);
        free(bent);
        close_scene(&s);
    }
    CHECK(cost[1] > 1.1 * cost[0]);
}

/* 90 degrees and a metre to the side, ten times as stiff as well: hard keys exactly, and no gradient left. */
TEST(stiff_bodies_turn)
{
    const char *texts[] = { BAR("[8, 2, 2]", "1e5", GRAVITY), BAR("[8, 2, 2]", "1e6", GRAVITY) };
    const char *small[] = { BAR("[4, 1, 1]", "1e5", GRAVITY), BAR("[4, 1, 1]", "1e6", GRAVITY) };
    for (int i = 0; i < 2; i++) {
        scene s = open_scene(test_small() ? small[i] : texts[i]);
        double *end = posed(&s, 3.14159265358979 / 2, 1, 0.3);
        int N = 48;
        lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero }, { .frame = N, .q = end, .v = s.zero } };
        lil_shot_def def = two_keys(&s, N, keys);
        def.smoothness = 0.1;
        lil_shot *shot = solved(&def);
        printf("       %d iterations, gradient %.1e, cost %.6g of %.6g\n", shot->iterations, gradient(shot),
               shot->now.C, shot->spline_cost);
        CHECK(shot->converged);
        CHECK(shot->iterations <= 15);
        CHECK(gradient(shot) <
              (i ? 5e-8 : 1e-10)); /* what round-off of q leaves goes as the square of the stiffness */
        CHECK(apart((size_t)s.n, shot->q + (size_t)N * (size_t)s.n, end) == 0);
        CHECK(shot->now.C < shot->spline_cost);
        lil_shot_destroy(&shot);
        free(end);
        close_scene(&s);
    }
}

/* fewer conditions cost less; soft keys tend to hard ones from below */
TEST(partial_and_soft_keys)
{
    scene s = open_scene(BAR("[4, 1, 1]", "1e5", GRAVITY));
    double *end = posed(&s, 0.8, 0.5, 0.2), cost[4], off[2];
    bool *held = calloc((size_t)s.n, sizeof *held);
    for (int i = 0; i < s.n; i += 3)
        held[i] = held[i + 1] = held[i + 2] = s.rest[i] > 0.19;
    for (int i = 0; i < 4; i++) {
        int N = 24;
        lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero }, { .frame = N, .q = end } };
        if (i == 1)
            keys[1].held = held;
        if (i >= 2)
            keys[1].weight = i == 2 ? 1e9 : 1e11;
        lil_shot_def def = two_keys(&s, N, keys);
        def.smoothness = 0.1;
        lil_shot *shot = solved(&def);
        CHECK(shot->converged);
        if (i < 2) /* weight times round-off of q is more */
            CHECK(gradient(shot) < 1e-10);
        cost[i] = shot->now.C;
        if (i >= 2)
            off[i - 2] = apart((size_t)s.n, shot->q + (size_t)N * (size_t)s.n, end);
        lil_shot_destroy(&shot);
    }
    CHECK(cost[1] < cost[0]);
    CHECK(cost[2] < cost[3] && cost[3] < cost[0]);
    CHECK_NEAR(off[0] / off[1], 100, 5); /* to first order the distance goes as 1/weight */
    CHECK_NEAR((cost[0] - cost[2]) / (cost[0] - cost[3]), 100, 5);
    free(held);
    free(end);
    close_scene(&s);
}

/* Keys at guessed times, then free: the cost falls, and does not change with the times any more. */
TEST(times_are_found)
{
    scene s = open_scene(BAR("[4, 1, 1]", "1e5", GRAVITY));
    double *up = posed(&s, 0.4, 0.2, 0.3), *down = posed(&s, 1.2, 0.8, 0), cost[2];
    int N = 24;
    lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero },
                            { .frame = 6, .q = up },
                            { .frame = N, .q = down, .v = s.zero } };
    lil_shot_def def = two_keys(&s, N, keys);
    def.key_count = 3;
    for (int i = 0; i < 2; i++) {
        lil_shot *shot = NULL;
        int iterations = 100;
        def.free_times = i;
        MUST(lil_shot_create(ctx, &def, &shot));
        MUST(lil_shot_solve(shot, &lil_shot_global, &iterations));
        CHECK(shot->converged);
        cost[i] = shot->now.C;
        double slope[2], dt[24], e = 1e-4;
        for (int side = 0; i && side < 2; side++) {
            for (int k = 0; k < N; k++)
                dt[k] = shot->dt[k] + (side ? e : -e) * (k < 6 ? 1.0 / 6 : -1.0 / (N - 6));
            double kept[24];
            memcpy(kept, shot->dt, sizeof kept);
            lil_shot_set_times(shot, dt);
            lil_ghost_evaluate(shot, shot->q, &shot->next);
            slope[side] = shot->next.C;
            lil_shot_set_times(shot, kept);
        }
        if (i) {
            printf("       the key is at %.4f s, cost %.6g instead of %.6g\n", shot->t[6], cost[1], cost[0]);
            CHECK_NEAR((slope[1] - slope[0]) / (2 * e) / cost[1], 0, 1e-6);
            CHECK(fabs(shot->t[6] - 0.25) > 0.01);
            CHECK(shot->t[N] == 1);
        }
        lil_shot_destroy(&shot);
    }
    CHECK(cost[1] < cost[0]);
    free(up);
    free(down);
    close_scene(&s);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(gradient_agrees_with_differences);
    RUN(keys_from_a_run_give_the_run);
    RUN(without_physics_it_is_a_spline);
    RUN(damping_costs);
    RUN(stiff_bodies_turn);
    RUN(partial_and_soft_keys);
    RUN(times_are_found);
    lil_context_destroy(&ctx);
    return test_end();
}
