/* Saved, rewound and copied Sims go on bit for bit; damaged bytes are refused; work done by setting t is booked. */
#include "test.h"

#include <unistd.h>

static lil_context *ctx;

static bool same_state(const lil_sim *a, const lil_sim *b)
{
    const lil_state *x = lil_sim_state(a), *y = lil_sim_state(b);
    size_t size = (size_t)x->n * sizeof *x->q;
    return x->n == y->n && x->t == y->t && memcmp(x->q, y->q, size) == 0 && memcmp(x->p, y->p, size) == 0 &&
           memcmp(x->v, y->v, size) == 0;
}

static void walk(lil_sim *sim, int steps)
{
    for (int k = 0; k < steps; k++)
        if (lil_sim_step(sim) != LIL_OK) {
            test_failures++;
            printf("%s: %s\n", test_name, lil_context_message(ctx));
            return;
        }
}

static void count_warning(void *user, const char *sentence)
{
    (void)sentence;
    ++*(int *)user;
}

/* Of one Sim: save at k, run, save the end; rewind and run again, and let a copy run: all words of all ends agree, certificate included. */
static void comes_back(lil_sim *sim, int before, int after)
{
    size_t size = lil_sim_state_size(sim);
    void *here = malloc(size), *end = malloc(size), *again = malloc(size), *other = malloc(size);
    lil_sim *copy = NULL;
    int warnings = 0;
    walk(sim, before);
    CHECK(lil_sim_save_state(sim, here, size) == LIL_OK);
    lil_context_set_log(ctx, count_warning, &warnings);
    CHECK(lil_sim_copy(ctx, sim, &copy) == LIL_OK);
    lil_context_set_log(ctx, NULL, NULL);
    CHECK(warnings == 0);
    CHECK(copy && same_state(sim, copy) && lil_sim_state_size(copy) == size);
    walk(sim, after);
    CHECK(lil_sim_save_state(sim, end, size) == LIL_OK);
    for (int k = 0; k < 2; k++) {
        CHECK(lil_sim_load_state(sim, here, size) == LIL_OK);
        walk(sim, after);
        CHECK(lil_sim_save_state(sim, again, size) == LIL_OK);
        CHECK(memcmp(end, again, size) == 0);
    }
    if (copy) {
        walk(copy, after);
        CHECK(lil_sim_save_state(copy, other, size) == LIL_OK);
        CHECK(memcmp(end, other, size) == 0 && same_state(sim, copy));
        lil_certificate a = lil_sim_certificate(sim), b = lil_sim_certificate(copy);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
    lil_sim_destroy(&copy);
    free(here), free(end), free(again), free(other);
}

/* ---- from text: every kind of thing whose steps keep something ---- */

static void text_comes_back(const char *text, int before, int after)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_sim *sim = NULL;
    lil_run_def def = lil_run_def_default();
    lil_status status = lil_scene_parse(ctx, "text", text, strlen(text), &scene);
    if (status == LIL_OK)
        status = lil_run_create(ctx, scene, &def, &run);
    if (status == LIL_OK)
        status = lil_sim_copy(ctx, lil_run_sim(run), &sim);
    if (status == LIL_OK) {
        int failures = test_failures;
        comes_back(sim, before, after);
        if (test_failures > failures)
            printf("that was: %s\n", text);
    } else {
        test_failures++;
        printf("%s: %s\n", test_name, lil_context_message(ctx));
    }
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
}

#define PENDULUM                                                                                                     \
    "lagrangian: 1/2*dx^2 + cos(x)\nstart: {x: 1}\nobserve: {twice: 2*x}\ntime: {step: 0.1, until: 1000}\n"
#define KEPLER                                                                                                       \
    "lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\nstart: {x: 1, y: 0, dx: 0, dy: 0.7}\nintegrator: "           \
    "stormer-verlet\n"
#define BOX "bodies:\n  box: {shape: {type: box, size: [1, 1, 1], cells: [2, 2, 2]}, material: jelly"

TEST(text_models)
{
    static const char *const methods[] = { "midpoint",
                                           "stormer-verlet",
                                           "{method: gauss, stages: 2}",
                                           "newmark",
                                           "rk4",
                                           "{method: composition, order: 4}",
                                           "implicit-euler" };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, PENDULUM "integrator: %s\n", methods[i]);
        text_comes_back(text, 100, 100);
    }
    text_comes_back(KEPLER "time: {step: 0.01, until: 1000, adaptive: {control: reversible}}\n", 100, 100);
    text_comes_back(PENDULUM "force: {x: -0.1*dx + sin(t)}\n", 100, 100);
}

TEST(bodies)
{
    static const char *const ends[] = {
        "}\nintegrator: midpoint\ngravity: 9.81\ntime: {step: 0.01, until: 10}\n",
        ", damping: 0.01}\nintegrator: midpoint\ngravity: 9.81\ntime: {step: 0.01, until: 10}\n",
        ", start: {velocity: [1, 0, 0]}}\nintegrator: asynchronous\ntime: {step: 0.002, until: 10}\n",
        ", at: [0, 0, 0.51], start: {velocity: [0.3, 0, -1]}}\nobstacles: {floor: {plane: {point: [0, 0, 0], normal: "
        "[0, 0, 1]}}}\n"
        "contact: {method: barrier, friction: 0.3}\ngravity: 9.81\nintegrator: energy-momentum\ntime: {step: 0.005, "
        "until: 10}\n",
        (", handles: [{select: top, move: [0.06*sin(6*t), 0, 0]}]}\nintegrator: midpoint\n"
         "time: {step: 0.01, until: 10}\n"),
    };
    int steps = test_small() ? 3 : 12;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, BOX "%s", ends[i]);
        text_comes_back(text, steps, steps);
    }
}

/* ---- from callbacks ---- */

/* W = k(t) q^2 / 2 with k = 1 + t: energy depends on t */
static bool spring(void *user, double t, const double *q, double *W, double *g)
{
    (void)user;
    *W = (1 + t) * q[0] * q[0] / 2;
    if (g)
        g[0] = (1 + t) * q[0];
    return true;
}

static void create(lil_model **model, lil_sim **sim, double step)
{
    double mass = 1, q = 2;
    lil_sim_def def = lil_sim_def_default();
    def.q = &q;
    def.step = step;
    MUST(lil_model_create_separable(ctx, &(lil_separable_def){ .n = 1, .mass = &mass, .potential = spring }, model));
    MUST(lil_sim_create(ctx, *model, &def, sim));
}

TEST(callbacks)
{
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    create(&model, &sim, 0.01);
    if (sim)
        comes_back(sim, 100, 100);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

TEST(bytes_that_are_not_this_sims_are_refused)
{
    lil_model *model = NULL, *model2 = NULL;
    lil_sim *sim = NULL, *other = NULL;
    create(&model, &sim, 0.01);
    create(&model2, &other, 0.02);
    if (!sim || !other)
        return;
    size_t size = lil_sim_state_size(sim);
    double *bytes = malloc(size);
    MUST(lil_sim_save_state(sim, bytes, size));
    walk(sim, 3);
    double t = lil_sim_state(sim)->t;
    CHECK(lil_sim_load_state(other, bytes, size) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "another Sim"));
    CHECK(lil_sim_load_state(sim, bytes, size - 8) == LIL_ERR_ARGUMENT);
    for (size_t i = 0; i < size; i += 5) { /* a bit anywhere */
        ((unsigned char *)bytes)[i] ^= 4;
        CHECK(lil_sim_load_state(sim, bytes, size) == LIL_ERR_ARGUMENT);
        ((unsigned char *)bytes)[i] ^= 4;
    }
    CHECK(lil_sim_state(sim)->t == t); /* nothing of it came in */
    CHECK(lil_sim_load_state(sim, bytes, size) == LIL_OK && lil_sim_state(sim)->t == 0);
    free(bytes);
    lil_sim_destroy(&sim);
    lil_sim_destroy(&other);
    lil_model_destroy(&model);
    lil_model_destroy(&model2);
}

/* At rest at q = 2, W = 2 (1 + t): from t = 0 to 3 that is 6 J of work. The grid of steps begins there. */
TEST(setting_the_time_does_work)
{
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    create(&model, &sim, 0.01);
    if (!sim)
        return;
    MUST(lil_sim_set_t(sim, 3));
    CHECK_NEAR(lil_sim_energy(sim), 8, 1e-15);
    CHECK_NEAR(lil_sim_certificate(sim).external_work, 6, 1e-15);
    MUST(lil_sim_step(sim));
    CHECK(lil_sim_state(sim)->t == 3 + 0.01);
    MUST(lil_sim_set_t(sim, -0.5)); /* back in time too; the mean of the slope has no jump of 3 s in it */
    walk(sim, 100);
    CHECK(lil_sim_state(sim)->t == -0.5 + 100 * 0.01);
    lil_certificate c = lil_sim_certificate(sim);
    /* books: E = E_0 + work, to midpoint's error of energy, which is O(h^2) of what moves */
    CHECK_NEAR(c.energy_final, c.energy_initial + c.external_work, 1e-4 * 8);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

/* A run's own Sim is recorded: rewinding it would lose frames, so it is refused, and says what to do. */
TEST(recorded_sims_are_not_rewound)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    MUST(lil_scene_parse(ctx, "text", PENDULUM, strlen(PENDULUM), &scene));
    MUST(lil_run_create(ctx, scene, &def, &run));
    lil_sim *sim = lil_run_sim(run);
    size_t size = lil_sim_state_size(sim);
    void *bytes = malloc(size);
    CHECK(lil_sim_save_state(sim, bytes, size) == LIL_OK);
    walk(sim, 3);
    CHECK(lil_sim_load_state(sim, bytes, size) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "lil_sim_copy"));
    CHECK(lil_sim_set_t(sim, 5) == LIL_ERR_ARGUMENT);
    CHECK(lil_sim_steps(sim) == 3);
    lil_sim *copy = NULL;
    MUST(lil_sim_copy(ctx, sim, &copy));
    CHECK(lil_sim_load_state(copy, bytes, size) == LIL_OK && lil_sim_steps(copy) == 0);
    free(bytes);
    lil_sim_destroy(&copy);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(text_models);
    RUN(bodies);
    RUN(callbacks);
    RUN(bytes_that_are_not_this_sims_are_refused);
    RUN(setting_the_time_does_work);
    RUN(recorded_sims_are_not_rewound);
    lil_context_destroy(&ctx);
    return test_end();
}
