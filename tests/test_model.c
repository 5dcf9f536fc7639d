/* Models: what kind of Lagrangian a text is, text against C callbacks, second derivatives, velocity from momentum. */
#include "model/evaluator.h"
#include "problems.h"

#include <float.h>

static lil_context *ctx;

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

#define TIME "\ntime: {step: 0.01, until: 1}\n"

/* ---- is the mass constant? ---- */

typedef enum kind { DIAGONAL, COUPLED, GENERAL } kind;

static const struct {
    const char *scene;
    kind kind;
} kinds[] = {
    { PENDULUM, DIAGONAL },
    { KEPLER, DIAGONAL },
    { "lagrangian: (3*dx)^2/2 + 0.1*dx^2 - x^4\nstart: {x: 1}", DIAGONAL },
    { "lagrangian: 1/2*(dx^2 + dy^2) + 0.3*dx*dy - x^2*y\nstart: {x: 1, y: 2}", COUPLED },
    { "lagrangian: 1/2*(dx + 2*dy)^2 + 1/2*(dx - dy)^2 - x*y\nstart: {x: 1, y: 2}", COUPLED },
    { "lagrangian: sum(i, 1, 3, dx[i]^2) + sum(i, 1, 2, dx[i]*dx[i+1]) - x[2]^2\nstart: {x: [1, 0, 0]}", COUPLED },
    /* time in the potential leaves the mass alone; time in the mass does not */
    { "lagrangian: 1/2*dx^2 - x*cos(3*t)\nstart: {x: 1}", DIAGONAL },
    { "lagrangian: 1/2*(1 + t)*dx^2 - x^2\nstart: {x: 1}", GENERAL },
    /* linear in v: a magnetic field, a gyroscope, a total derivative; M would not see it */
    { "lagrangian: 1/2*(dx^2 + dy^2) + 0.5*(x*dy - y*dx)\nstart: {x: 1, y: 2}", GENERAL },
    { "lagrangian: 1/2*dx^2 + dx\nstart: {x: 1}", GENERAL },
    { "lagrangian: 1/2*dx^2 + t*dx\nstart: {x: 1}", GENERAL },
    /* not positive: no minimum of the Lilyan */
    { "lagrangian: dx*dy - x*y\nstart: {x: 1, y: 2}", GENERAL },
    { "lagrangian: -1/2*dx^2 + 1/2*x^2\nstart: {x: 1}", GENERAL },
    { "lagrangian: 1/2*(dx^2 - dy^2) - x*y\nstart: {x: 1, y: 2}", GENERAL },
    /* the mass depends on q or v */
    { DOUBLE_PENDULUM, GENERAL },
    { POLAR_KEPLER, GENERAL },
    { "lagrangian: -sqrt(1 - dx^2) - x^2\nstart: {x: 1}", GENERAL },
    { "lagrangian: 1/2*dx^2 + 0.1*dx^4 - x^2\nstart: {x: 1}", GENERAL },
    { "lagrangian: 1/2*(2 + sign(x))*dx^2\nstart: {x: 1}", GENERAL },
    /* kinks in v: their derivative is constant on both sides, and zero at v = 0 */
    { "lagrangian: 1/2*dx^2 + 3*abs(dx)\nstart: {x: 1}", GENERAL },
    { "lagrangian: 1/2*dx^2 + max(dx, 0)\nstart: {x: 1}", GENERAL },
    { "lagrangian: 1/2*dx^2 - min(dx, x)\nstart: {x: 1}", GENERAL },
};

static lil_run *timed_problem(const char *scene)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", scene, strstr(scene, "time:") ? "" : TIME);
    return problem(ctx, text);
}

TEST(the_kind_of_a_lagrangian_is_found_out)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        lil_run *run = timed_problem(kinds[k].scene);
        const lil_model *model = lil_run_model(run);
        kind found = !lil_model_has_constant_mass(model) ? GENERAL : model->mass.diagonal ? DIAGONAL : COUPLED;
        if (found != kinds[k].kind)
            printf("%s\n", kinds[k].scene);
        CHECK(found == kinds[k].kind);
        lil_run_destroy(&run);
    }
}

/* problem() destroys the scene at once, as lil_run_create allows (ASan would see who still reads it). */
TEST(a_run_outlives_its_scene)
{
    lil_run *run = problem(ctx, "lagrangian: 1/2*m*(dx^2 + dy^2) - 1/x\nparameters: {m: 2}\nstart: {x: 1, y: 2}\n"
                                "observe: {lever: {value: x*dy, invariant: true}, height: y}\n"
                                "draw: {points: {bob: [x, y, 0]}, links: [[origin, bob]]}\n"
                                "force: {y: -m}\nrecord: {every: 2}\nsolver: root\n"
                                "integrator: {method: hamilton-pontryagin, alpha: 0.25}" TIME);
    MUST(lil_run_advance(run, 10));
    const char *json = lil_run_json(run);
    CHECK(strstr(json, "\"names\": [\"x\", \"y\"]") && strstr(json, "\"lever\": {") && strstr(json, "\"height\": {"));
    CHECK(strstr(json, "\"integrator\": \"hamilton-pontryagin\""));
    CHECK(strstr(lil_run_describe(run), "coordinates  2: x y"));
    CHECK(strstr(lil_run_describe(run), "\nrecord       q v p, double, a frame every 2 steps\n"));
    CHECK(strcmp(lil_model_name(lil_run_model(run), 1), "y") == 0);
    lil_run_destroy(&run);
}

TEST(one_is_not_a_plural)
{
    static const char *const lines[] = { "particles    a: 3, 1 link, 3 kg\n",
                                         "fixed        1 vertex\nmoved        2 vertices, by 1 handle\n",
                                         "constraints  1 equation\n",
                                         "record       q, float, compressed at level 1, 60 frames a second\n" };
    lil_run *run = problem(
        ctx,
        "particles: {a: {at: [[0, 0, 0], [1, 0, 0], [3, 0, 0]], mass: 1, pairs: [[0, 1]], links: {stiffness: 9},\n"
        "  fixed: {vertices: [0]}, handles: {select: {vertices: [1, 2]}, move: [0, 0, t]}},\n"
        "  b: {at: [0, 1, 0], mass: 1}}\nconstraints: {rod: {distance: [a.0, b]}}\n"
        "record: {fps: 60, what: [q], precision: float, compress: true}\n" TIME);
    const char *text = lil_run_describe(run);
    for (int i = 0; i < 4; i++)
        if (!strstr(text, lines[i])) {
            CHECK(!"this line is there");
            printf("    %s%s", lines[i], text);
        }
    lil_run_destroy(&run);
}

TEST(a_coordinate_without_inertia_is_refused)
{
    static const char text[] = "lagrangian: 1/2*dx^2 + x*y\nstart: {x: 1, y: 2}" TIME;
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    MUST(lil_scene_parse(ctx, "scene.yaml", text, strlen(text), &scene));
    CHECK(lil_run_create(ctx, scene, &def, &run) == LIL_ERR_INPUT && !run);
    CHECK(strstr(lil_context_message(ctx), "scene.yaml:1:13: the velocity 'dy' does not occur"));
    lil_scene_destroy(&scene);
}

/* ---- L, Q, P: as the text says, whatever kind it was found to be ---- */

typedef struct view {
    lil_arena arena;
    lil_evaluator ev;
    int n;
} view;

static void view_open(view *w, const lil_model *model)
{
    *w = (view){ .n = lil_model_size(model) };
    if (lil_evaluator_create(ctx, &w->arena, model, LIL_SECOND_ENTRIES, LIL_SECOND_ENTRIES, &w->ev) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
}

static void view_close(view *w)
{
    lil_evaluator_destroy(&w->ev);
    lil_arena_free(&w->arena);
}

TEST(the_parts_make_up_the_text)
{
    lil_run *run = timed_problem("lagrangian: 1/2*(dx^2 + dy^2) + 0.3*dx*dy - x^2*y*cos(t) + 7\nstart: {x: 1, y: 2}");
    view w;
    const double t = 0.4, q[] = { 0.7, -1.1 }, v[] = { 1.3, 0.6 };
    double L, Q[2], P[2];
    view_open(&w, lil_run_model(run));
    lil_evaluate_lagrangian(&w.ev, t, q, v, &L, Q, P);
    double W = q[0] * q[0] * q[1] * cos(t), eps = 10 * DBL_EPSILON; /* ten operations on numbers of size 1 */
    CHECK_NEAR(L, 0.5 * (v[0] * v[0] + v[1] * v[1]) + 0.3 * v[0] * v[1] - W + 7, 7 * eps);
    CHECK_NEAR(Q[0], -2 * q[0] * q[1] * cos(t), eps);
    CHECK_NEAR(Q[1], -q[0] * q[0] * cos(t), eps);
    CHECK_NEAR(P[0], v[0] + 0.3 * v[1], eps);
    CHECK_NEAR(P[1], v[1] + 0.3 * v[0], eps);
    view_close(&w);
    lil_run_destroy(&run);
}

/* ---- second derivatives by finite differences ---- */

/* Which of P, Q, F by which of q, v, as lil_weights names them. */
enum { OF_P, OF_Q, OF_F };

static void first_derivatives(view *w, int of, double t, const double *q, const double *v, double *out)
{
    if (of == OF_F)
        lil_evaluate_force(&w->ev, t, q, v, out);
    else
        lil_evaluate_lagrangian(&w->ev, t, q, v, NULL, of == OF_Q ? out : NULL, of == OF_P ? out : NULL);
}

/*
 * One block against central differences of order 4 with h = 1e-3: wrong by h^4/30 of the fifth derivatives (up to 1e3
 * for Kepler at r = 1) and 1.5 eps/h |f|, 4e-11. Callbacks without second derivatives are differenced by themselves, with
 * order 2 and eps^(1/3): h^2/6 f''' + eps/h f = 4e-11 (f + f'').
 */
static void check_block(view *w, int of, bool by_v, lil_weights weights, double t, const double *q, const double *v,
                        double tolerance)
{
    static const double at[] = { 1, -1, 2, -2 }, weight[] = { 8, -8, -1, 1 }, h = 1e-3;
    int n = w->n;
    const lil_pattern *pattern = &w->ev.matrix.pattern;
    double dense[16] = { 0 }, *values = calloc((size_t)pattern->count, sizeof *values), moved[2][4], out[4];
    lil_evaluate_second(&w->ev, t, q, v, &weights, values);
    for (int j = 0; j < n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            dense[pattern->row[k] * n + j] = values[k];
    bool symmetric = of == (by_v ? OF_P : OF_Q); /* to the last bit: LDL' reads one triangle only */
    for (int k = 0; symmetric && k < n * n; k++)
        CHECK(dense[k] == dense[k % n * n + k / n]);
    for (int j = 0; j < n; j++) {
        double column[4] = { 0 };
        for (int k = 0; k < 4; k++) {
            memcpy(moved[0], q, (size_t)n * sizeof *q);
            memcpy(moved[1], v, (size_t)n * sizeof *v);
            moved[by_v][j] += at[k] * h;
            first_derivatives(w, of, t, moved[0], moved[1], out);
            for (int i = 0; i < n; i++)
                column[i] += weight[k] * out[i] / (12 * h);
        }
        for (int i = 0; i < n; i++)
            CHECK_NEAR(dense[i * n + j], column[i], tolerance * fmax(1, fabs(column[i])));
    }
    free(values);
}

static void check_second(const lil_model *model, const double *q, const double *v, double tolerance)
{
    view w;
    view_open(&w, model);
    check_block(&w, OF_P, true, (lil_weights){ .Pv = 1 }, 0.3, q, v, tolerance);
    check_block(&w, OF_P, false, (lil_weights){ .Pq = 1 }, 0.3, q, v, tolerance);
    check_block(&w, OF_Q, false, (lil_weights){ .Qq = 1 }, 0.3, q, v, tolerance);
    check_block(&w, OF_Q, true, (lil_weights){ .Qv = 1 }, 0.3, q, v, tolerance);
    if (lil_model_terms(model, LIL_FORCE)) {
        check_block(&w, OF_F, false, (lil_weights){ .Fq = 1 }, 0.3, q, v, tolerance);
        check_block(&w, OF_F, true, (lil_weights){ .Fv = 1 }, 0.3, q, v, tolerance);
    }
    view_close(&w);
}

TEST(second_derivatives_of_texts)
{
    static const char *const scenes[] = {
        KEPLER,
        DOUBLE_PENDULUM,
        POLAR_KEPLER,
        "lagrangian: 1/2*(dx^2 + dy^2) + 0.3*dx*dy - x^2*y*cos(t)\nstart: {x: 0.5, y: 0.7, dx: 1, dy: 0.2}\n"
        "force: {x: -0.3*dx*x^2 + y, y: 'sin(x*dy)*exp(-t) - dx'}",
        "lagrangian: 1/2*(1 + t)*(dx^2 + dy^2) + x^2*dy - y*dx\nstart: {x: 0.5, y: 0.7, dx: 1, dy: 0.2}\n"
        "force: {y: -dx*dy}",
        "lagrangian: -sqrt(1 - dx^2) + dx*x^3 - exp(x)\nstart: {x: 0.5, dx: 0.4}",
        "lagrangian: dx*dy*dz + 1/2*(dx^2 + dy^2 + dz^2) - x*y*z\n"
        "start: {x: 0.5, y: 0.7, z: 0.9, dx: 0.3, dy: 0.2, dz: -0.4}",
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        lil_run *run = timed_problem(scenes[k]);
        const lil_state *x = lil_sim_state(lil_run_sim(run));
        check_second(lil_run_model(run), x->q, x->v, 1e-9);
        lil_run_destroy(&run);
    }
}

/* ---- the same model from C ---- */

/* the double pendulum of problems.h */
static bool double_pendulum(void *user, double t, const double *q, const double *v, double *L, double *Lq, double *Lv)
{
    double c = cos(q[0] - q[1]), s = sin(q[0] - q[1]), g = *(const double *)user;
    (void)t;
    *L = v[0] * v[0] + v[1] * v[1] / 2 + v[0] * v[1] * c + g * (2 * cos(q[0]) + cos(q[1]));
    if (Lq) {
        Lq[0] = -v[0] * v[1] * s - 2 * g * sin(q[0]);
        Lq[1] = v[0] * v[1] * s - g * sin(q[1]);
    }
    if (Lv) {
        Lv[0] = 2 * v[0] + v[1] * c;
        Lv[1] = v[1] + v[0] * c;
    }
    return true;
}

static bool double_pendulum_hessian(void *user, double t, const double *q, const double *v, double *Lqq, double *Lqv,
                                    double *Lvv)
{
    double c = cos(q[0] - q[1]), s = sin(q[0] - q[1]), g = *(const double *)user, cvv = c * v[0] * v[1];
    (void)t;
    memcpy(Lqq, (double[]){ -cvv - 2 * g * cos(q[0]), cvv, cvv, -cvv - g * cos(q[1]) }, 4 * sizeof *Lqq);
    memcpy(Lqv, (double[]){ -s * v[1], -s * v[0], s * v[1], s * v[0] }, 4 * sizeof *Lqv);
    memcpy(Lvv, (double[]){ 2, c, c, 1 }, 4 * sizeof *Lvv);
    return true;
}

/* Henon and Heiles, driven: W = 1/2 (x^2 + y^2) + x^2 y - y^3/3 + a x cos t, masses 1 and 2 */
#define HENON                                                                                                        \
    "lagrangian: 1/2*dx^2 + dy^2 - 1/2*(x^2 + y^2) - x^2*y + y^3/3 - 0.1*x*cos(t)\n"                                 \
    "start: {x: 0.1, y: 0.2, dx: 0.3, dy: -0.1}"

static bool henon(void *user, double t, const double *q, double *W, double *g)
{
    double x = q[0], y = q[1], a = *(const double *)user;
    *W = 0.5 * (x * x + y * y) + x * x * y - y * y * y / 3 + a * x * cos(t);
    if (g) {
        g[0] = x + 2 * x * y + a * cos(t);
        g[1] = y + x * x - y * y;
    }
    return true;
}

static bool henon_hessian(void *user, double t, const double *q, double *K)
{
    (void)user;
    (void)t;
    memcpy(K, (double[]){ 1 + 2 * q[1], 2 * q[0], 2 * q[0], 1 - 2 * q[1] }, 4 * sizeof *K);
    return true;
}

static double gravity = 9.81, drive = 0.1;
static const double henon_mass[] = { 1, 2 };

static lil_status make(int which, bool exact, lil_model **model)
{
    lil_lagrangian_def general = {
        .n = 2, .lagrangian = double_pendulum, .hessian = exact ? double_pendulum_hessian : NULL, .user = &gravity
    };
    lil_separable_def separable = {
        .n = 2, .mass = henon_mass, .potential = henon, .hessian = exact ? henon_hessian : NULL, .user = &drive
    };
    return which ? lil_model_create_separable(ctx, &separable, model)
                 : lil_model_create_lagrangian(ctx, &general, model);
}

/* L, Q and P: a dozen operations on numbers up to 30 */
static void check_same_values(const lil_model *text, const lil_model *c)
{
    view a, b;
    view_open(&a, text);
    view_open(&b, c);
    for (int k = 0; k < 20; k++) {
        double q[] = { uniform(-1, 1), uniform(-1, 1) }, v[] = { uniform(-1, 1), uniform(-1, 1) }, t = uniform(0, 9);
        double L[2], Q[2][2], P[2][2], tolerance = 12 * DBL_EPSILON * 30;
        lil_evaluate_lagrangian(&a.ev, t, q, v, &L[0], Q[0], P[0]);
        lil_evaluate_lagrangian(&b.ev, t, q, v, &L[1], Q[1], P[1]);
        CHECK_NEAR(L[0], L[1], tolerance);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(Q[0][i], Q[1][i], tolerance);
            CHECK_NEAR(P[0][i], P[1][i], tolerance);
        }
    }
    view_close(&a);
    view_close(&b);
}

/*
 * Two sims whose every step is solved to round-off: a step's velocity is off by 100 noise = 400 eps |p| at most, usually by
 * a few eps. 100 steps of 0.01 add up to 100 h 4e-13 = 4e-13, times e^(t lambda), below 10 for a second of either system.
 */
static void check_same_motion(lil_run *run, const lil_model *c, const char *integrator)
{
    lil_sim *a = start(ctx, run, integrator, NULL, 0.01, NULL, NULL), *b = NULL;
    const lil_state *x = lil_sim_state(a), *y;
    lil_sim_def def = lil_sim_def_default();
    def.integrator = integrator;
    def.q = x->q;
    def.v = x->v;
    def.solver.tolerance = 1e-15;
    MUST(lil_sim_create(ctx, c, &def, &b));
    y = lil_sim_state(b);
    CHECK_NEAR(lil_sim_energy(a), lil_sim_energy(b), 1e-14 * 30);
    if (advance(ctx, a, 100) && advance(ctx, b, 100))
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(x->q[i], y->q[i], 4e-12);
            CHECK_NEAR(x->p[i], y->p[i], 4e-12 * 10); /* forces are up to ten times as large */
        }
    lil_sim_destroy(&a);
    lil_sim_destroy(&b);
}

TEST(text_and_callbacks_agree)
{
    static const char *const scenes[] = { DOUBLE_PENDULUM, HENON }, *const integrators[] = { "midpoint",
                                                                                             "stormer-verlet" };
    srand(1);
    for (int which = 0; which < 2; which++)
        for (int exact = 0; exact < 2; exact++) {
            lil_run *run = timed_problem(scenes[which]);
            lil_model *model = NULL;
            MUST(make(which, exact, &model));
            CHECK(lil_model_has_constant_mass(model) == (which == 1));
            CHECK(lil_model_has_constant_mass(lil_run_model(run)) == (which == 1));
            CHECK(lil_model_size(model) == 2 && strcmp(lil_model_name(model, 1), "q[2]") == 0);
            check_same_values(lil_run_model(run), model);
            for (int k = 0; k < 2; k++)
                check_same_motion(run, model, integrators[k]);
            const double q[] = { 0.4, -0.9 }, v[] = { 0.8, 1.2 };
            check_second(model, q, v, 1e-9);
            lil_model_destroy(&model);
            lil_run_destroy(&run);
        }
}

/* ---- callbacks that refuse ---- */

static bool refuse_hessian(void *user, double t, const double *q, const double *v, double *Lqq, double *Lqv,
                           double *Lvv)
{
    double_pendulum_hessian(user, t, q, v, Lqq, Lqv, Lvv);
    return false;
}

/* A second derivative that does not exist is not a number, in whichever block it is asked for. */
TEST(a_refused_hessian_is_not_a_number)
{
    lil_lagrangian_def def = { .n = 2, .lagrangian = double_pendulum, .hessian = refuse_hessian, .user = &gravity };
    const lil_weights weights[] = { { .Pv = 1 }, { .Pq = 1 }, { .Qq = 1 }, { .Qv = 1 } };
    const double q[] = { 0.4, -0.9 }, v[] = { 0.8, 1.2 };
    lil_model *model = NULL;
    view w;
    MUST(lil_model_create_lagrangian(ctx, &def, &model));
    view_open(&w, model);
    for (int k = 0; k < 4; k++) {
        double values[4] = { 0 };
        lil_evaluate_second(&w.ev, 0, q, v, &weights[k], values);
        CHECK(isnan(lil_norm(4, values)));
    }
    view_close(&w);
    lil_model_destroy(&model);
}

static bool only_positive(void *user, double t, const double *q, double *W, double *g)
{
    (void)user;
    (void)t;
    *W = -log(*q); /* spoilt on purpose where it is refused */
    if (g)
        *g = -1 / *q;
    return *q > 0;
}

TEST(a_refused_start_is_an_error)
{
    const double mass = 1, q = -1;
    lil_separable_def def = { .n = 1, .mass = &mass, .potential = only_positive };
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_sim_def sd = lil_sim_def_default();
    sd.q = &q;
    MUST(lil_model_create_separable(ctx, &def, &model));
    CHECK(lil_sim_create(ctx, model, &sd, &sim) == LIL_ERR_NOT_FINITE && !sim);
    CHECK(strstr(lil_context_message(ctx), "at the start"));
    lil_model_destroy(&model);
}

TEST(misuse_is_refused)
{
    lil_model *model = (lil_model *)&gravity;
    double mass[] = { 1, 0 };
    lil_separable_def separable = { .n = 2, .mass = mass, .potential = henon };
    lil_lagrangian_def general = { .n = 2 };
    static const double bad[] = { 0, -1, NAN, INFINITY };
    for (int k = 0; k < 4; k++) {
        mass[1] = bad[k];
        CHECK(lil_model_create_separable(ctx, &separable, &model) == LIL_ERR_ARGUMENT && !model);
        CHECK(strstr(lil_context_message(ctx), "mass[1] must be positive"));
    }
    mass[1] = 1;
    separable.n = 0;
    CHECK(lil_model_create_separable(ctx, &separable, &model) == LIL_ERR_ARGUMENT && !model);
    separable = (lil_separable_def){ .n = 2, .mass = mass };
    CHECK(lil_model_create_separable(ctx, &separable, &model) == LIL_ERR_ARGUMENT && !model);
    CHECK(lil_model_create_lagrangian(ctx, &general, &model) == LIL_ERR_ARGUMENT && !model);
    CHECK(lil_model_create_lagrangian(ctx, NULL, &model) == LIL_ERR_ARGUMENT);
    lil_model_destroy(&model);
    lil_model_destroy(NULL);
}

/* ---- velocity from momentum ---- */

/* The velocity is off by |Lvv^-1| times the residual that is accepted, 400 eps (|P| + |p|): with |Lvv^-1| up to 10 and
 * momenta up to 5 by 1e-11 in the worst case. */
TEST(velocity_inverts_momentum)
{
    static const char *const scenes[] = {
        KEPLER,
        DOUBLE_PENDULUM,
        POLAR_KEPLER,
        "lagrangian: 1/2*(dx^2 + dy^2) + 0.3*dx*dy - x^2*y\nstart: {x: 1, y: 2}",
        "lagrangian: 1/2*(dx^2 + dy^2) + 0.5*(x*dy - y*dx)\nstart: {x: 1, y: 2}",
        "lagrangian: dx*dy - x*y\nstart: {x: 1, y: 2}",
        "lagrangian: -sqrt(1 - dx^2 - dy^2) - x*y\nstart: {x: 1, y: 2}",
        "lagrangian: 1/2*(dx^2 + dy^2) + 0.1*dx^4 + abs(dy)\nstart: {x: 1, y: 2}",
    };
    srand(2);
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        lil_run *run = timed_problem(scenes[k]);
        view w;
        view_open(&w, lil_run_model(run));
        for (int again = 0; again < 20; again++) {
            double q[] = { uniform(0.5, 1.5), uniform(-2, 2) }, v[] = { uniform(-0.6, 0.6), uniform(-0.6, 0.6) };
            double p[2], found[] = { 0.01, again % 2 ? v[1] : copysign(0.01, v[1]) };
            lil_evaluate_lagrangian(&w.ev, 0, q, v, NULL, NULL, p);
            CHECK(lil_evaluate_velocity(&w.ev, 0, q, p, found) == LIL_OK);
            CHECK_NEAR(found[0], v[0], 1e-11);
            CHECK_NEAR(found[1], v[1], 1e-11);
        }
        view_close(&w);
        lil_run_destroy(&run);
    }
}

/* L = v atan v - log(1 + v^2)/2 has dL/dv = atan v: no velocity has the momentum 2. */
TEST(a_momentum_without_velocity_is_an_error)
{
    lil_run *run = timed_problem("lagrangian: dx*atan(dx) - log(1 + dx^2)/2\nstart: {x: 0}");
    const double q = 0, p = 2;
    double v = 0.1;
    view w;
    view_open(&w, lil_run_model(run));
    CHECK(lil_evaluate_velocity(&w.ev, 0, &q, &p, &v) == LIL_ERR_CONVERGENCE);
    CHECK(strstr(lil_context_message(ctx), "has no velocity: d2L/dv2 may be singular"));
    view_close(&w);
    lil_run_destroy(&run);
}

/* ---- many coordinates ---- */

/* 100 beads whose mass depends on where they are: the equations go through KLU. Midpoint is symmetric, so 20 steps and
 * 20 steps back come home; each is solved to |g| <= 400 eps |p|, |p| about 10. */
TEST(a_large_general_model_comes_home)
{
    lil_run *run = timed_problem("lagrangian: sum(i, 1, n, 1/2*(1 + 0.3*sin(x[i])^2)*dx[i]^2 + cos(x[i])) - "
                                 "sum(i, 1, n-1, 2*(x[i+1] - x[i])^2 - 0.1*dx[i]*dx[i+1])\n"
                                 "parameters: {n: 100}\n"
                                 "start: {x: 'list(i, 1, n, sin(i))', dx: 'list(i, 1, n, cos(3*i))'}");
    const lil_model *model = lil_run_model(run);
    view w;
    view_open(&w, model);
    CHECK(!lil_model_has_constant_mass(model));
    CHECK(w.ev.matrix.pattern.count == 3 * 100 - 2);
    view_close(&w);
    lil_sim *sim = start(ctx, run, "midpoint", NULL, 0.05, NULL, NULL);
    const lil_state *x = lil_sim_state(sim);
    double q[100];
    memcpy(q, x->q, sizeof q);
    for (int k = 0; k < 40; k++)
        MUST(lil_sim_advance(sim, k < 20 ? 0.05 : -0.05));
    for (int i = 0; i < 100; i++)
        CHECK_NEAR(x->q[i], q[i], 40 * 0.05 * 400 * DBL_EPSILON * 10);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/*
 * k = 1e8 at a distance of 1000: x - 1000 has an error of 1000 eps, the force one of 1e8 * 1000 eps = 2e-5, while it is
 * of the size 1e5. The gradient cannot fall by the 1e-12 that is asked for, and the solver has to see that by itself.
 */
TEST(a_stiff_spring_far_away_is_solved_to_round_off)
{
    lil_run *run = problem(ctx, "lagrangian: 1/2*(dx^2 + dy^2) - 1/2*1e8*(x - y - 1000)^2\n"
                                "start: {x: 1000.001, y: 0}\n"
                                "time: {step: 0.01, until: 2}\n");
    MUST(lil_run_advance(run, 200));
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    CHECK(c.halved_steps == 0);
    CHECK_BELOW(c.newton_iterations,
                5 * 200); /* the problem is linear: one iteration, and a few to see that it is over */
    CHECK_NEAR(c.energy_final, 50, 50 * 1e-5); /* 200 steps with a relative error of 2e-10 in the force */
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(the_kind_of_a_lagrangian_is_found_out);
    RUN(a_run_outlives_its_scene);
    RUN(one_is_not_a_plural);
    RUN(a_coordinate_without_inertia_is_refused);
    RUN(the_parts_make_up_the_text);
    RUN(second_derivatives_of_texts);
    RUN(text_and_callbacks_agree);
    RUN(a_refused_hessian_is_not_a_number);
    RUN(a_refused_start_is_an_error);
    RUN(misuse_is_refused);
    RUN(velocity_inverts_momentum);
    RUN(a_momentum_without_velocity_is_an_error);
    RUN(a_large_general_model_comes_home);
    RUN(a_stiff_spring_far_away_is_solved_to_round_off);
    lil_context_destroy(&ctx);
    return test_end();
}
