/*
 * Shots of bodies: derivatives by differences, motions that need no ghost force, the spline by another way, and how full, partial,
 * soft keys and stiffness go together.
 */
#include "problems.h"

#include "keyframes/problem.h"
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

static lil_problem_def two_keys(const scene *s, int frames, lil_shot_key keys[2])
{
    return (lil_problem_def){ .model = s->model,
                              .rule = midpoint(),
                              .frames = frames,
                              .t1 = 1,
                              .keys = keys,
                              .key_count = 2,
                              .by_mass = true };
}

static lil_problem *solved(const lil_problem_def *def)
{
    lil_problem *shot = NULL;
    if (lil_problem_create(ctx, def, &shot) != LIL_OK || lil_problem_solve_bodies(shot, 100) != LIL_OK) {
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
static double gradient(lil_problem *shot)
{
    const lil_pattern *p = shot->pattern;
    size_t n = (size_t)shot->n, total = ((size_t)shot->N + 1) * n;
    double *g = room(total), *sum = room(total), most = 0, size = 0;
    lil_ghost_gradient_at(shot, shot->q, &shot->now, g);
    for (int k = 0; k < shot->N; k++) {
        const double *a = shot->q + (size_t)k * n;
        lil_segment_first J = lil_problem_first(shot, 0);
        lil_segment_derivatives(&shot->segment, (lil_segment_span){ shot->t[k], shot->dt[k], a, a + n }, &J);
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
static double cost_beside(lil_problem *shot, size_t at, double e)
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
    lil_problem_def def = two_keys(&s, 6, keys);
    def.key_count = 3;
    def.smoothness = 0.2;
    lil_problem *shot = solved(&def);
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
    lil_problem_destroy(&shot);
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
    lil_problem_def def = two_keys(&s, frames, keys);
    def.key_count = count;
    def.t1 = frames * h;
    lil_problem *shot = solved(&def);
    *cost = shot->now.C / shot->spline_cost;
    *off = apart(((size_t)frames + 1) * n, shot->q, all);
    lil_problem_destroy(&shot);
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
    reaches(BAR("[8, 2, 2]", "1e5", THROWN), 24, 6, &cost, &off);
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
        lil_problem_def def = two_keys(&s, N, keys);
        def.left_out = 1;
        lil_problem *shot = solved(&def);
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
        lil_problem_destroy(&shot);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2, 0.1);
    free(end);
    close_scene(&s);
}

/* ---- the same spline, by Gauss ---- */

enum { DENSE_N = 10 };

/* What one coordinate of frames 0 .. N costs, h apart: a sum of squares (sum_k a_k x_k - b)^2, as the matrix A'A and the vector A'b. */
typedef struct squares {
    double A[DENSE_N + 1][DENSE_N + 1], b[DENSE_N + 1];
} squares;

/* One square, of sum_k a_k x_k - b. */
typedef struct square {
    double a[DENSE_N + 1], b;
} square;

static void add_square(squares *s, const square *r, double weight)
{
    for (int i = 0; i <= DENSE_N; i++) {
        s->b[i] += weight * r->a[i] * r->b;
        for (int j = 0; j <= DENSE_N; j++)
            s->A[i][j] += weight * r->a[i] * r->a[j];
    }
}

/* phi/m at frame k: (the velocity after it - the one before it)/w, either of which may be given */
static square acceleration(int k, double h, const double *before, const double *after)
{
    square r = { { 0 }, 0 };
    double w = before || after ? h / 2 : h;
    if (after) {
        r.b -= *after / w;
    } else {
        r.a[k + 1] += 1 / (h * w);
        r.a[k] -= 1 / (h * w);
    }
    if (before) {
        r.b += *before / w;
    } else {
        r.a[k] -= 1 / (h * w);
        r.a[k - 1] += 1 / (h * w);
    }
    return r;
}

static void add_jump(squares *s, const square *from, const square *to, double weight)
{
    square r = { .b = to->b - from->b };
    for (int i = 0; i <= DENSE_N; i++)
        r.a[i] = to->a[i] - from->a[i];
    add_square(s, &r, weight);
}

/* C/m of coordinate c: every frame's square, and the jump from the one before unless a velocity lies between. */
static squares dense_cost(const lil_problem_def *def, int c)
{
    squares s = { { { 0 } }, { 0 } };
    square last = { { 0 }, 0 };
    double h = def->t1 / DENSE_N, tau2 = def->smoothness * def->smoothness;
    bool joined = false; /* there is a square at the frame before, or after its velocity */
    for (int k = 0, i = 0; k <= DENSE_N; k++) {
        const lil_shot_key *key = i < def->key_count && def->keys[i].frame == k ? &def->keys[i++] : NULL;
        const double *v = key && key->v ? key->v + c : NULL;
        square now = last;
        if (k > 0 && (v || k < DENSE_N)) {
            now = acceleration(k, h, NULL, v);
            add_square(&s, &now, v ? h / 2 : h);
            if (joined)
                add_jump(&s, &last, &now, tau2 / h);
        }
        joined = k > 0 || v;
        if (v && k < DENSE_N) {
            now = acceleration(k, h, v, NULL);
            add_square(&s, &now, h / 2);
        }
        last = now;
        if (key && key->weight > 0 && (!key->held || key->held[c])) {
            square wish = { { 0 }, key->q[c] };
            wish.a[k] = 1;
            add_square(&s, &wish, key->weight);
        }
    }
    return s;
}

/* a row of A x = b becomes x_k = what a hard key says */
static void hold_dense(squares *s, const lil_problem_def *def, int c)
{
    for (int i = 0; i < def->key_count; i++) {
        const lil_shot_key *key = &def->keys[i];
        if (key->weight > 0 || (key->held && !key->held[c]))
            continue;
        memset(s->A[key->frame], 0, sizeof s->A[0]);
        s->A[key->frame][key->frame] = 1;
        s->b[key->frame] = key->q[c];
    }
}

/* A x = b with pivots; b becomes x */
static void gauss(squares *s)
{
    for (int k = 0; k <= DENSE_N; k++) {
        int most = k;
        for (int i = k + 1; i <= DENSE_N; i++)
            most = fabs(s->A[i][k]) > fabs(s->A[most][k]) ? i : most;
        for (int j = 0; j <= DENSE_N; j++) {
            double x = s->A[k][j];
            s->A[k][j] = s->A[most][j];
            s->A[most][j] = x;
        }
        double x = s->b[k];
        s->b[k] = s->b[most];
        s->b[most] = x;
        for (int i = k + 1; i <= DENSE_N; i++) {
            double l = s->A[i][k] / s->A[k][k];
            s->b[i] -= l * s->b[k];
            for (int j = k; j <= DENSE_N; j++)
                s->A[i][j] -= l * s->A[k][j];
        }
    }
    for (int k = DENSE_N; k >= 0; k--) {
        for (int j = k + 1; j <= DENSE_N; j++)
            s->b[k] -= s->A[k][j] * s->b[j];
        s->b[k] /= s->A[k][k];
    }
}

/* Without W, gravity and damping coordinates know nothing of each other: what is left of the cost is written out here once more, with full,
 * partial and soft keys, velocities at the ends and inside, and smoothness. */
TEST(without_physics_a_dense_solver_agrees)
{
    scene s = open_scene(BAR("[2, 1, 1]", "1e5", "    damping: 0.01\n" GRAVITY));
    double *up = posed(&s, 0.5, 0.2, 0.3), *end = posed(&s, 1.1, 0.5, 0.1), *v = room((size_t)s.n);
    bool *some = calloc((size_t)s.n, sizeof *some), *others = calloc((size_t)s.n, sizeof *others);
    for (int c = 0; c < s.n; c++) {
        v[c] = sin(1.0 + c);
        some[c] = c % 3 != 1;
        others[c] = c % 2;
    }
    const lil_shot_key all[] = { { .frame = 0, .q = s.rest, .v = v },
                                 { .frame = 3, .q = up, .held = some },
                                 { .frame = 5, .q = end, .held = others, .weight = 50 },
                                 { .frame = 7, .q = up, .v = v },
                                 { .frame = DENSE_N, .q = end, .held = others } };
    for (int i = 0; i < 4; i++) { /* without the velocity inside too, and the last key whole, with a velocity */
        lil_shot_key keys[5];
        memcpy(keys, all, sizeof keys);
        if (i % 2)
            keys[3].v = NULL;
        if (i > 1) {
            keys[4].held = NULL;
            keys[4].v = v;
            keys[0].v = NULL;
        }
        lil_problem_def def = two_keys(&s, DENSE_N, keys);
        def.key_count = 5;
        def.smoothness = 0.15;
        def.left_out = 1;
        lil_problem *shot = solved(&def);
        double off = 0;
        for (int c = 0; c < s.n; c++) {
            squares dense = dense_cost(&def, c);
            hold_dense(&dense, &def, c);
            gauss(&dense);
            for (int k = 0; k <= DENSE_N; k++)
                off = fmax(off, fabs(shot->q[(size_t)k * (size_t)s.n + (size_t)c] - dense.b[k]));
        }
        printf("       off by %.1e m\n", off);
        CHECK(shot->converged);
        CHECK_BELOW(off, 1e-10);
        lil_problem_destroy(&shot);
    }
    free(up);
    free(end);
    free(v);
    free(some);
    free(others);
    close_scene(&s);
}

/* Damping shows: the same keys, once the body has to be kept swinging, cost more. */
TEST(damping_costs)
{
    const char *texts[] = { BAR("[2, 1, 1]", "3e4", "    damping: 0\n"),
                            BAR("[2, 1, 1]", "3e4", "    damping: 0.02\n") };
    double cost[2];
    for (int i = 0; i < 2; i++) {
        scene s = open_scene(texts[i]);
        double *bent = room((size_t)s.n);
        for (int c = 0; c < s.n; c += 3) {
            memcpy(bent + c, s.rest + c, 3 * sizeof *bent);
            bent[c + 2] += 1.5 * s.rest[c] * s.rest[c];
        }
        lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero }, { .frame = 8, .q = bent, .v = s.zero } };
        lil_problem_def def = two_keys(&s, 8, keys);
        lil_problem *shot = solved(&def);
        CHECK(shot->converged);
        cost[i] = shot->now.C;
        lil_problem_destroy(&shot);
        free(bent);
        close_scene(&s);
    }
    printf("       cost %.4g, damped %.4g\n", cost[0], cost[1]);
    CHECK(cost[1] > 1.1 * cost[0]);
}

/* 90 degrees and a metre to the side, ten times as stiff as well: hard keys exactly, and no gradient left. */
TEST(stiff_bodies_turn)
{
    const char *texts[] = { BAR("[8, 2, 2]", "1e5", GRAVITY), BAR("[8, 2, 2]", "1e6", GRAVITY) };
    for (int i = 0; i < 2; i++) {
        scene s = open_scene(texts[i]);
        double *end = posed(&s, 3.14159265358979 / 2, 1, 0.3);
        int N = 48;
        lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = s.zero }, { .frame = N, .q = end, .v = s.zero } };
        lil_problem_def def = two_keys(&s, N, keys);
        def.smoothness = 0.1;
        lil_problem *shot = solved(&def);
        printf("       %d iterations, gradient %.1e, cost %.6g of %.6g\n", shot->iterations, gradient(shot),
               shot->now.C, shot->spline_cost);
        CHECK(shot->converged);
        CHECK(shot->iterations <= 15);
        CHECK(gradient(shot) <
              (i ? 5e-8 : 1e-10)); /* what round-off of q leaves goes as the square of the stiffness */
        CHECK(apart((size_t)s.n, shot->q + (size_t)N * (size_t)s.n, end) == 0);
        CHECK(shot->now.C < shot->spline_cost);
        lil_problem_destroy(&shot);
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
        lil_problem_def def = two_keys(&s, N, keys);
        def.smoothness = 0.1;
        lil_problem *shot = solved(&def);
        CHECK(shot->converged);
        if (i < 2) /* weight times round-off of q is more */
            CHECK(gradient(shot) < 1e-10);
        cost[i] = shot->now.C;
        if (i >= 2)
            off[i - 2] = apart((size_t)s.n, shot->q + (size_t)N * (size_t)s.n, end);
        lil_problem_destroy(&shot);
    }
    CHECK(cost[1] < cost[0]);
    CHECK(cost[2] < cost[3] && cost[3] < cost[0]);
    CHECK_NEAR(off[0] / off[1], 100, 5); /* to first order the distance goes as 1/weight */
    CHECK_NEAR((cost[0] - cost[2]) / (cost[0] - cost[3]), 100, 5);
    free(held);
    free(end);
    close_scene(&s);
}

/* Two bars that never meet. One is led by keys of some of its points; of the other the first frame is known alone, with a velocity: nobody
 * leads it, and it flies as it would in a run. */
TEST(no_ghost_touches_a_body_without_keys)
{
    scene s =
        open_scene(BAR("[2, 1, 1]", "1e5",
                       "    damping: 0.005\n"
                       "  other:\n    shape: {type: bar, size: [0.4, 0.1, 0.1], cells: [3, 1, 1]}\n"
                       "    material: {model: neo-hookean, young: 3e4, poisson: 0.3, density: 500}\n"
                       "    at: [2, 0, 0]\n    start: {velocity: [1 + 3*z, 0, 1 - 3*(x-2) + 9*(x-2)^2]}\n" GRAVITY
                       "solver: {tolerance: 1e-14}\n"));
    enum { N = 16, LED = 36 }; /* the first body's coordinates come first */
    double *end = posed(&s, 0.6, 0.2, 0.1), *v = room((size_t)s.n), h = 1.0 / 64, off = 0, led = 0, free_force = 0;
    bool *held = calloc((size_t)s.n, sizeof *held);
    memcpy(v, lil_sim_state(lil_run_sim(s.run))->v, (size_t)s.n * sizeof *v);
    for (int c = 0; c < LED; c++)
        held[c] = s.rest[c - c % 3] > 0.1 && c % 3 != 1;
    lil_shot_key keys[] = { { .frame = 0, .q = s.rest, .v = v }, { .frame = N, .q = end, .held = held } };
    lil_problem_def def = two_keys(&s, N, keys);
    def.t1 = N * h;
    def.smoothness = 0.05;
    lil_problem *shot = solved(&def);
    CHECK(shot->converged && s.n == LED + 48);
    for (int r = 0; r < shot->rows; r++)
        for (int c = 0; c < s.n; c++) {
            double *most = c < LED ? &led : &free_force,
                   phi = fabs(shot->now.phi[(size_t)r * (size_t)s.n + (size_t)c]);
            *most = fmax(*most, phi);
        }
    for (int k = 0; k <= N; k++) {
        size_t at = (size_t)k * (size_t)s.n + LED;
        off = fmax(off, apart((size_t)s.n - LED, shot->q + at, lil_sim_state(lil_run_sim(s.run))->q + LED));
        if (k < N)
            MUST(lil_sim_advance(lil_run_sim(s.run), h));
    }
    printf("       forces %.1e N and %.1e N, off by %.1e m\n", led, free_force, off);
    CHECK_BELOW(free_force, 1e-11 * led); /* round-off of q times the stiffness */
    CHECK_BELOW(off, 1e-11);
    lil_problem_destroy(&shot);
    free(end);
    free(v);
    free(held);
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
    lil_problem_def def = two_keys(&s, N, keys);
    def.key_count = 3;
    for (int i = 0; i < 2; i++) {
        lil_problem *shot = NULL;
        int iterations = 100;
        def.free_times = i;
        MUST(lil_problem_create(ctx, &def, &shot));
        MUST(lil_problem_solve(shot, &lil_shot_global, &iterations));
        CHECK(shot->converged);
        cost[i] = shot->now.C;
        double slope[2], dt[24], e = 1e-4;
        for (int side = 0; i && side < 2; side++) {
            for (int k = 0; k < N; k++)
                dt[k] = shot->dt[k] + (side ? e : -e) * (k < 6 ? 1.0 / 6 : -1.0 / (N - 6));
            double kept[24];
            memcpy(kept, shot->dt, sizeof kept);
            lil_problem_set_times(shot, dt);
            lil_ghost_evaluate(shot, shot->q, &shot->next);
            slope[side] = shot->next.C;
            lil_problem_set_times(shot, kept);
        }
        if (i) {
            printf("       the key is at %.4f s, cost %.6g instead of %.6g\n", shot->t[6], cost[1], cost[0]);
            CHECK_NEAR((slope[1] - slope[0]) / (2 * e) / cost[1], 0, 1e-6);
            CHECK(fabs(shot->t[6] - 0.25) > 0.01);
            CHECK(shot->t[N] == 1);
        }
        lil_problem_destroy(&shot);
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
    RUN_RELEASE(keys_from_a_run_give_the_run);
    RUN(without_physics_it_is_a_spline);
    RUN(without_physics_a_dense_solver_agrees);
    RUN_RELEASE(damping_costs);
    RUN_RELEASE(stiff_bodies_turn);
    RUN_RELEASE(partial_and_soft_keys);
    RUN(no_ghost_touches_a_body_without_keys);
    RUN(times_are_found);
    lil_context_destroy(&ctx);
    return test_end();
}
