/* Every public function that returns a lil_status can be called wrongly: it returns LIL_ERR_ARGUMENT, names the argument, and
 * leaves no older sentence in the context. The list is compared with the header. */
#include "test.h"

#include <lilyan/shot.h>

static lil_context *ctx;

enum { CALLS_MAX = 1000 };
static const char *called[CALLS_MAX];
static int call_count;

static const char *const STALE = "'sweep' is what an older call has left here";

static void note(const char *function)
{
    if (call_count < CALLS_MAX)
        called[call_count++] = function;
}

/* an older failure of some other call */
static void leave_stale(void)
{
    lil_scene *scene;
    CHECK(lil_scene_load(ctx, STALE, &scene) == LIL_ERR_FILE);
    CHECK(strstr(lil_context_message(ctx), STALE));
}

static void expect(lil_status status, const char *function, const char *argument, int line)
{
    const char *message = lil_context_message(ctx);
    note(function);
    if (status == LIL_ERR_ARGUMENT && !strstr(message, STALE) && strstr(message, argument))
        return;
    test_failures++;
    printf("%s:%d: %s: '%s' is wrong, and what is said is %d '%s'\n", __FILE__, line, function, argument, status,
           message);
}

/* the context is there: the sentence has the argument's name */
#define WRONG(argument, function, ...)                                                                               \
    do {                                                                                                             \
        leave_stale();                                                                                               \
        lil_status status_ = function(__VA_ARGS__);                                                                  \
        expect(status_, #function, argument, __LINE__);                                                              \
    } while (0)

/* there is no context to say it in */
#define NOWHERE(function, ...)                                                                                       \
    do {                                                                                                             \
        note(#function);                                                                                             \
        CHECK(function(__VA_ARGS__) == LIL_ERR_ARGUMENT);                                                            \
    } while (0)

static const char TEXT[] = "lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 1}\ntime: {step: 0.1, until: 1}\n";

static bool spring(void *user, double t, const double *q, double *W, double *g)
{
    (void)user, (void)t;
    *W = q[0] * q[0] / 2;
    if (g)
        g[0] = q[0];
    return true;
}

static bool spring_lagrangian(void *user, double t, const double *q, const double *v, double *L, double *Lq,
                              double *Lv)
{
    (void)user, (void)t;
    *L = (v[0] * v[0] - q[0] * q[0]) / 2;
    if (Lq)
        Lq[0] = -q[0];
    if (Lv)
        Lv[0] = v[0];
    return true;
}

/* ---- a method that asks wrongly ---- */

static lil_claims no_claims(const void *config)
{
    (void)config;
    return (lil_claims){ .order = 1 };
}

static lil_status ask_wrongly(lil_stepper *s, double h)
{
    (void)h;
    lil_state *x = lil_stepper_state(s);
    double y[1];
    WRONG("'q'", lil_stepper_force, s, 0, NULL, x->v, y);
    WRONG("'v'", lil_stepper_force, s, 0, x->q, NULL, y);
    WRONG("'Q'", lil_stepper_force, s, 0, x->q, x->v, NULL);
    NOWHERE(lil_stepper_force, NULL, 0, x->q, x->v, y);
    WRONG("'q'", lil_stepper_velocity, s, 0, NULL, x->p, y);
    WRONG("'p'", lil_stepper_velocity, s, 0, x->q, NULL, y);
    WRONG("'v'", lil_stepper_velocity, s, 0, x->q, x->p, NULL);
    NOWHERE(lil_stepper_velocity, NULL, 0, x->q, x->p, y);
    return LIL_OK;
}

static const lil_integrator wrong_method = {
    .name = "wrong", .summary = "", .formula = "", .citation = "", .claims = no_claims, .step = ask_wrongly
};

static bool no_material(const lil_moduli *moduli, const void *config, const double *F, double *w, double *P)
{
    (void)moduli, (void)config, (void)F, (void)w, (void)P;
    return false;
}

static bool no_term(const void *data, double t, const double *x, double *W, double *g)
{
    (void)data, (void)t, (void)x, (void)W, (void)g;
    return false;
}

static bool no_constraint(const void *data, const double *x, double *g, double *G)
{
    (void)data, (void)x, (void)g, (void)G;
    return false;
}

static void kinds(void)
{
    const lil_moduli moduli = { 1, 1 }, none = { 0, 1 };
    lil_verdict verdict;
    double x[1] = { 0 };
    lil_material_kind material = { .size = sizeof material, .name = "m", .energy = no_material }, m = material;
    lil_term_kind term = { .size = sizeof term, .name = "t", .coordinates = 1, .energy = no_term }, t = term;
    lil_constraint_kind constraint = {
        .size = sizeof constraint, .name = "c", .coordinates = 1, .rows = 1, .value = no_constraint
    };
    lil_constraint_kind c = constraint;
    NOWHERE(lil_context_register_material, NULL, &m);
    WRONG("'kind'", lil_context_register_material, ctx, NULL);
    m.name = NULL;
    WRONG("kind->name", lil_context_register_material, ctx, &m);
    m = material, m.energy = NULL;
    WRONG("kind->energy", lil_context_register_material, ctx, &m);
    m = material, m.size = 1;
    WRONG("kind->size", lil_context_register_material, ctx, &m);
    m = material, m.field_count = 2;
    WRONG("fields", lil_context_register_material, ctx, &m);
    NOWHERE(lil_check_material, NULL, &material, &moduli, NULL, &verdict);
    WRONG("'kind'", lil_check_material, ctx, NULL, &moduli, NULL, &verdict);
    WRONG("'moduli'", lil_check_material, ctx, &material, NULL, NULL, &verdict);
    WRONG("mu", lil_check_material, ctx, &material, &none, NULL, &verdict);
    WRONG("'verdict'", lil_check_material, ctx, &material, &moduli, NULL, NULL);
    NOWHERE(lil_context_register_term, NULL, &t);
    WRONG("'kind'", lil_context_register_term, ctx, NULL);
    t.name = NULL;
    WRONG("kind->name", lil_context_register_term, ctx, &t);
    t = term, t.energy = NULL;
    WRONG("kind->energy", lil_context_register_term, ctx, &t);
    t = term, t.coordinates = 0;
    WRONG("coordinates, not 0", lil_context_register_term, ctx, &t);
    t = term, t.size = 1;
    WRONG("kind->size", lil_context_register_term, ctx, &t);
    NOWHERE(lil_check_term, NULL, &term, NULL, 0, x, &verdict);
    WRONG("'kind'", lil_check_term, ctx, NULL, NULL, 0, x, &verdict);
    WRONG("'x'", lil_check_term, ctx, &term, NULL, 0, NULL, &verdict);
    WRONG("'verdict'", lil_check_term, ctx, &term, NULL, 0, x, NULL);
    t = term, t.data_size = 8;
    WRONG("'data'", lil_check_term, ctx, &t, NULL, 0, x, &verdict);
    NOWHERE(lil_context_register_constraint, NULL, &c);
    WRONG("'kind'", lil_context_register_constraint, ctx, NULL);
    c.name = NULL;
    WRONG("kind->name", lil_context_register_constraint, ctx, &c);
    c = constraint, c.value = NULL;
    WRONG("kind->value", lil_context_register_constraint, ctx, &c);
    c = constraint, c.rows = 17;
    WRONG("rows, not 17", lil_context_register_constraint, ctx, &c);
    c = constraint, c.size = 1;
    WRONG("kind->size", lil_context_register_constraint, ctx, &c);
    NOWHERE(lil_check_constraint, NULL, &constraint, NULL, x, &verdict);
    WRONG("'kind'", lil_check_constraint, ctx, NULL, NULL, x, &verdict);
    WRONG("'x'", lil_check_constraint, ctx, &constraint, NULL, NULL, &verdict);
    WRONG("'verdict'", lil_check_constraint, ctx, &constraint, NULL, x, NULL);
    c = constraint, c.data_size = 8;
    WRONG("'data'", lil_check_constraint, ctx, &c, NULL, x, &verdict);
}

static bool push_point(void *user, double t, int vertex, const double x[3], const double v[3], double F[3])
{
    (void)user, (void)t, (void)vertex, (void)x, (void)v;
    F[0] = F[1] = F[2] = 0;
    return true;
}

TEST(versions_and_names)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", LIL_VERSION_MAJOR, LIL_VERSION_MINOR, LIL_VERSION_PATCH);
    CHECK(strcmp(lil_version(), text) == 0 && lil_version_number() == LIL_VERSION_NUMBER);
    CHECK(strcmp(lil_status_name(LIL_OK), "LIL_OK") == 0);
    CHECK(strcmp(lil_status_name(LIL_ERR_NOT_FINITE), "LIL_ERR_NOT_FINITE") == 0);
    CHECK(strcmp(lil_status_name(LIL_ERR_INTERRUPTED), "LIL_ERR_INTERRUPTED") == 0);
    CHECK(strcmp(lil_status_name((lil_status)99), "unknown status") == 0);
    lil_free(NULL);
}

TEST(contexts_and_models)
{
    NOWHERE(lil_context_set_threads, NULL, 1);
    WRONG("threads", lil_context_set_threads, ctx, 0);
    NOWHERE(lil_context_register_integrator, NULL, &wrong_method);
    WRONG("'table'", lil_context_register_integrator, ctx, NULL);
    lil_integrator table = wrong_method;
    table.name = NULL;
    WRONG("table->name", lil_context_register_integrator, ctx, &table);
    table = wrong_method;
    table.claims = NULL;
    WRONG("table->claims", lil_context_register_integrator, ctx, &table);
    table = wrong_method;
    table.step = NULL;
    WRONG("table->step", lil_context_register_integrator, ctx, &table);

    kinds();
    double mass = 1;
    lil_model *model = (lil_model *)&mass;
    lil_lagrangian_def general = { .n = 1, .lagrangian = spring_lagrangian };
    WRONG("'def'", lil_model_create_lagrangian, ctx, NULL, &model);
    CHECK(!model);
    WRONG("'model'", lil_model_create_lagrangian, ctx, &general, NULL);
    NOWHERE(lil_model_create_lagrangian, NULL, &general, &model);
    general.lagrangian = NULL;
    WRONG("def->lagrangian", lil_model_create_lagrangian, ctx, &general, &model);
    general.n = 0;
    WRONG("n = 0", lil_model_create_lagrangian, ctx, &general, &model);
    lil_separable_def separable = { .n = 1, .mass = &mass, .potential = spring };
    WRONG("'def'", lil_model_create_separable, ctx, NULL, &model);
    WRONG("'model'", lil_model_create_separable, ctx, &separable, NULL);
    NOWHERE(lil_model_create_separable, NULL, &separable, &model);
    separable.mass = NULL;
    WRONG("def->mass", lil_model_create_separable, ctx, &separable, &model);
    separable.mass = &mass;
    separable.potential = NULL;
    WRONG("def->potential", lil_model_create_separable, ctx, &separable, &model);
    mass = -1;
    separable.potential = spring;
    WRONG("mass[0]", lil_model_create_separable, ctx, &separable, &model);
}

static lil_status give_up(lil_stepper *s, double h)
{
    (void)s, (void)h;
    return LIL_ERR_CONVERGENCE;
}

/* A method of the user's that fails has no way to say why: the sentence names it, and is not an older call's. */
TEST(a_method_that_says_nothing)
{
    static const lil_integrator silent = {
        .name = "silent", .summary = "", .formula = "", .citation = "", .claims = no_claims, .step = give_up
    };
    double mass = 1, q = 1;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    MUST(lil_context_register_integrator(ctx, &silent));
    MUST(lil_model_create_separable(ctx, &(lil_separable_def){ .n = 1, .mass = &mass, .potential = spring }, &model));
    lil_sim_def def = lil_sim_def_default();
    def.integrator = "silent";
    def.q = &q;
    MUST(lil_sim_create(ctx, model, &def, &sim));
    leave_stale();
    CHECK(lil_sim_step(sim) == LIL_ERR_CONVERGENCE);
    CHECK(!strstr(lil_context_message(ctx), STALE));
    CHECK(strstr(lil_context_message(ctx), "silent returned LIL_ERR_CONVERGENCE"));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

TEST(simulations)
{
    double mass = 1, q = 1, h;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    MUST(lil_context_register_integrator(ctx, &wrong_method));
    MUST(lil_model_create_separable(ctx, &(lil_separable_def){ .n = 1, .mass = &mass, .potential = spring }, &model));
    lil_sim_def def = lil_sim_def_default(), bad;
    def.integrator = "wrong";
    def.q = &q;
    sim = (lil_sim *)&mass;
    WRONG("'model'", lil_sim_create, ctx, NULL, &def, &sim);
    CHECK(!sim);
    WRONG("'def'", lil_sim_create, ctx, model, NULL, &sim);
    WRONG("'sim'", lil_sim_create, ctx, model, &def, NULL);
    NOWHERE(lil_sim_create, NULL, model, &def, &sim);
    bad = def;
    bad.integrator = NULL;
    WRONG("def->integrator", lil_sim_create, ctx, model, &bad, &sim);
    bad = def;
    bad.q = NULL;
    WRONG("def->q", lil_sim_create, ctx, model, &bad, &sim);
    bad = def;
    bad.step = 0;
    WRONG("step", lil_sim_create, ctx, model, &bad, &sim);
    bad = def;
    bad.start = NAN;
    WRONG("start", lil_sim_create, ctx, model, &bad, &sim);
    bad = def;
    bad.halvings = 41;
    WRONG("halvings", lil_sim_create, ctx, model, &bad, &sim);
    bad = def;
    bad.solver.tolerance = 0;
    WRONG("tolerance", lil_sim_create, ctx, model, &bad, &sim);
    bad = def;
    bad.solver.method = 9;
    WRONG("solver method", lil_sim_create, ctx, model, &bad, &sim);

    MUST(lil_sim_create(ctx, model, &def, &sim));
    NOWHERE(lil_sim_step, NULL);
    MUST(lil_sim_step(sim)); /* in which the method asks wrongly */
    NOWHERE(lil_sim_advance, NULL, 0.1);
    WRONG("step", lil_sim_advance, sim, 0);
    NOWHERE(lil_sim_next_step, NULL, &h);
    WRONG("'h'", lil_sim_next_step, sim, NULL);
    NOWHERE(lil_sim_set_q, NULL, &q);
    WRONG("'q'", lil_sim_set_q, sim, NULL);
    NOWHERE(lil_sim_set_p, NULL, &q);
    WRONG("'p'", lil_sim_set_p, sim, NULL);
    NOWHERE(lil_sim_set_v, NULL, &q);
    WRONG("'v'", lil_sim_set_v, sim, NULL);
    NOWHERE(lil_sim_set_t, NULL, 1);
    NOWHERE(lil_sim_set_profile, NULL, true);
    WRONG("'t'", lil_sim_set_t, sim, NAN);
    NOWHERE(lil_sim_set_parameter, NULL, "k", 1);
    WRONG("'name'", lil_sim_set_parameter, sim, NULL, 1);
    WRONG("'k'", lil_sim_set_parameter, sim, "k", 1);
    NOWHERE(lil_sim_parameter, NULL, "k", &h);
    WRONG("'name'", lil_sim_parameter, sim, NULL, &h);
    WRONG("'value'", lil_sim_parameter, sim, "k", NULL);
    WRONG("'k'", lil_sim_parameter, sim, "k", &h);
    int measure;
    NOWHERE(lil_sim_add_measure, NULL, LIL_STRESS, "tip", &measure);
    WRONG("'name'", lil_sim_add_measure, sim, LIL_STRESS, NULL, &measure);
    WRONG("'index'", lil_sim_add_measure, sim, LIL_STRESS, "tip", NULL);
    WRONG("quantity", lil_sim_add_measure, sim, (lil_quantity)99, "tip", &measure);
    NOWHERE(lil_sim_measure, NULL, 0, &h);
    WRONG("'values'", lil_sim_measure, sim, 0, NULL);
    WRONG("measure 0", lil_sim_measure, sim, 0, &h);
    size_t size = lil_sim_state_size(sim);
    double *bytes = calloc(1, size + 8);
    NOWHERE(lil_sim_save_state, NULL, bytes, size);
    WRONG("'bytes'", lil_sim_save_state, sim, NULL, size);
    WRONG("'size'", lil_sim_save_state, sim, bytes, size - 1);
    WRONG("'bytes'", lil_sim_save_state, sim, (char *)bytes + 1, size);
    NOWHERE(lil_sim_load_state, NULL, bytes, size);
    WRONG("'bytes'", lil_sim_load_state, sim, NULL, size);
    WRONG("'size'", lil_sim_load_state, sim, bytes, size + 8);
    WRONG("'bytes'", lil_sim_load_state, sim, bytes, size); /* zeros */
    free(bytes);
    lil_static_def balanced = lil_static_def_default();
    NOWHERE(lil_sim_solve_static, NULL, &balanced, NULL);
    WRONG("'def'", lil_sim_solve_static, sim, NULL, NULL);
    balanced.steps = 0;
    WRONG("'def->steps'", lil_sim_solve_static, sim, &balanced, NULL);
    balanced = lil_static_def_default();
    balanced.time = INFINITY;
    WRONG("'def->time'", lil_sim_solve_static, sim, &balanced, NULL);
    lil_modes_def lowest = lil_modes_def_default();
    lil_modes *modes = (lil_modes *)&h;
    NOWHERE(lil_sim_modes, NULL, &lowest, &modes);
    WRONG("'modes'", lil_sim_modes, sim, &lowest, NULL);
    WRONG("'def'", lil_sim_modes, sim, NULL, &modes);
    CHECK(!modes);
    lowest.count = 0;
    WRONG("'def->count'", lil_sim_modes, sim, &lowest, &modes);
    lowest = lil_modes_def_default();
    lowest.tolerance = 0;
    WRONG("'def->tolerance'", lil_sim_modes, sim, &lowest, &modes);
    lil_sim *copy = sim;
    NOWHERE(lil_sim_copy, NULL, sim, &copy);
    WRONG("'copy'", lil_sim_copy, ctx, sim, NULL);
    WRONG("'sim'", lil_sim_copy, ctx, NULL, &copy);
    CHECK(!copy);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

TEST(scenes_and_runs)
{
    double mass = 1;
    lil_scene *scene = (lil_scene *)&mass;
    lil_run *run = (lil_run *)&mass;
    lil_run_def def = lil_run_def_default();
    WRONG("'path'", lil_scene_load, ctx, NULL, &scene);
    CHECK(!scene);
    WRONG("'scene'", lil_scene_load, ctx, "a.yaml", NULL);
    NOWHERE(lil_scene_load, NULL, "a.yaml", &scene);
    WRONG("'name'", lil_scene_parse, ctx, NULL, TEXT, sizeof TEXT - 1, &scene);
    WRONG("'text'", lil_scene_parse, ctx, "text", NULL, 1, &scene);
    WRONG("'scene'", lil_scene_parse, ctx, "text", TEXT, sizeof TEXT - 1, NULL);
    NOWHERE(lil_scene_parse, NULL, "text", TEXT, sizeof TEXT - 1, &scene);
    MUST(lil_scene_parse(ctx, "text", TEXT, sizeof TEXT - 1, &scene));
    NOWHERE(lil_scene_set, NULL, "time.step=1");
    WRONG("'assignment'", lil_scene_set, scene, NULL);
    WRONG("nothing", lil_scene_set, scene, "nothing");
    NOWHERE(lil_scene_set_integrator, NULL, "rk4");
    WRONG("'name'", lil_scene_set_integrator, scene, NULL);

    WRONG("'scene'", lil_run_create, ctx, NULL, &def, &run);
    CHECK(!run);
    WRONG("'def'", lil_run_create, ctx, scene, NULL, &run);
    WRONG("'run'", lil_run_create, ctx, scene, &def, NULL);
    NOWHERE(lil_run_create, NULL, scene, &def, &run);
    def.resume = true;
    WRONG("'def->output'", lil_run_create, ctx, scene, &def, &run);
    def.resume = false;
    MUST(lil_run_create(ctx, scene, &def, &run));
    NOWHERE(lil_run_advance, NULL, 1);
    WRONG("'steps'", lil_run_advance, run, -1);
    MUST(lil_run_advance(run, 1));
    NOWHERE(lil_run_finish, NULL);
    lil_static_def balanced = lil_static_def_default();
    lil_modes_def lowest = lil_modes_def_default();
    lil_modes *modes = NULL;
    NOWHERE(lil_run_solve_static, NULL, &balanced, NULL);
    WRONG("'def'", lil_run_solve_static, run, NULL, NULL);
    WRONG("task", lil_run_solve_static, run, &balanced, NULL);
    NOWHERE(lil_run_solve_modes, NULL, NULL, &lowest, &modes);
    WRONG("'modes'", lil_run_solve_modes, run, NULL, &lowest, NULL);
    WRONG("'def'", lil_run_solve_modes, run, NULL, NULL, &modes);
    WRONG("task", lil_run_solve_modes, run, NULL, &lowest, &modes);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
}

static lil_trajectory *record(const char *path)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_trajectory *trajectory = NULL;
    lil_run_def def = lil_run_def_default();
    def.output = path;
    def.replace = true;
    bool ok = lil_scene_parse(ctx, "text", TEXT, sizeof TEXT - 1, &scene) == LIL_OK &&
              lil_run_create(ctx, scene, &def, &run) == LIL_OK && lil_run_advance(run, 100) == LIL_OK &&
              lil_run_finish(run) == LIL_OK;
    CHECK(ok);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    return ok && lil_trajectory_open(ctx, path, &trajectory) == LIL_OK ? trajectory : NULL;
}

TEST(trajectories)
{
    lil_trajectory *tr = record("arguments.h5"), *other = tr;
    CHECK(tr);
    if (!tr)
        return;
    WRONG("'path'", lil_trajectory_open, ctx, NULL, &other);
    CHECK(!other);
    WRONG("'trajectory'", lil_trajectory_open, ctx, "arguments.h5", NULL);
    NOWHERE(lil_trajectory_open, NULL, "arguments.h5", &other);
    lil_export_def def = lil_export_def_default();
    def.format = "csv";
    WRONG("def->path", lil_trajectory_export, tr, &def);
    def.path = "";
    WRONG("def->path", lil_trajectory_export, tr, &def);
    def.path = "arguments.csv";
    NOWHERE(lil_trajectory_export, NULL, &def);
    WRONG("'def'", lil_trajectory_export, tr, NULL);
    def.format = NULL;
    WRONG("def->format", lil_trajectory_export, tr, &def);
    def.format = "tape";
    WRONG("'tape'", lil_trajectory_export, tr, &def);
    def.format = "csv";
    def.fps = -1;
    WRONG("fps", lil_trajectory_export, tr, &def);
    lil_check_def check = lil_check_def_default();
    lil_check found;
    NOWHERE(lil_trajectory_check, NULL, &check, &found);
    WRONG("'def'", lil_trajectory_check, tr, NULL, &found);
    WRONG("'result'", lil_trajectory_check, tr, &check, NULL);
    NOWHERE(lil_trajectory_write_csv, NULL, 0, stdout);
    WRONG("'file'", lil_trajectory_write_csv, tr, 0, NULL);
    WRONG("fps", lil_trajectory_write_csv, tr, NAN, stdout);

    char *svg = (char *)tr;
    lil_plot_def plot = lil_plot_def_default(), nothing = plot;
    lil_trajectory *none = NULL;
    nothing.what = NULL;
    WRONG("lil_plot_svg: 'runs'", lil_plot_svg, ctx, NULL, 1, &plot, &svg);
    CHECK(!svg);
    WRONG("lil_plot_svg: 'runs[i]'", lil_plot_svg, ctx, &none, 1, &plot, &svg);
    WRONG("'count'", lil_plot_svg, ctx, &tr, 0, &plot, &svg);
    WRONG("'def'", lil_plot_svg, ctx, &tr, 1, NULL, &svg);
    WRONG("def->what", lil_plot_svg, ctx, &tr, 1, &nothing, &svg);
    WRONG("'svg'", lil_plot_svg, ctx, &tr, 1, &plot, NULL);
    NOWHERE(lil_plot_svg, NULL, &tr, 1, &plot, &svg);
    WRONG("def->path", lil_plot, ctx, &tr, 1, &plot);
    plot.path = nothing.path = "arguments.svg";
    WRONG("'runs'", lil_plot, ctx, NULL, 1, &plot);
    WRONG("'runs[i]'", lil_plot, ctx, &none, 1, &plot);
    WRONG("'count'", lil_plot, ctx, &tr, -1, &plot);
    WRONG("'def'", lil_plot, ctx, &tr, 1, NULL);
    WRONG("lil_plot: 'def->what'", lil_plot, ctx, &tr, 1, &nothing);
    NOWHERE(lil_plot, NULL, &tr, 1, &plot);

    lil_report_def page = lil_report_def_default();
    WRONG("def->output", lil_report, ctx, &tr, 1, &page);
    page.output = "arguments.html";
    WRONG("'runs'", lil_report, ctx, NULL, 1, &page);
    WRONG("'runs[i]'", lil_report, ctx, &none, 1, &page);
    WRONG("runs, not 0", lil_report, ctx, &tr, 0, &page);
    WRONG("'def'", lil_report, ctx, &tr, 1, NULL);
    NOWHERE(lil_report, NULL, &tr, 1, &page);
    char *html;
    size_t html_size;
    WRONG("'html'", lil_report_html, ctx, &tr, 1, &page, NULL, &html_size);
    WRONG("'size'", lil_report_html, ctx, &tr, 1, &page, &html, NULL);
    WRONG("'def'", lil_report_html, ctx, &tr, 1, NULL, &html, &html_size);
    WRONG("'runs'", lil_report_html, ctx, NULL, 1, &page, &html, &html_size);
    NOWHERE(lil_report_html, NULL, &tr, 1, &page, &html, &html_size);
    lil_trajectory_destroy(&tr);
    remove("arguments.h5");
}

TEST(frames)
{
    lil_trajectory *tr = record("arguments.h5");
    lil_frame frame;
    lil_body_info body;
    double x[16];
    int64_t index;
    int count;
    CHECK(tr);
    if (!tr)
        return;
    NOWHERE(lil_trajectory_frame, NULL, 0, &frame);
    WRONG("'frame'", lil_trajectory_frame, tr, 0, NULL);
    WRONG("'index'", lil_trajectory_frame, tr, -1, &frame);
    NOWHERE(lil_trajectory_frame_at, NULL, 0, &frame);
    WRONG("'frame'", lil_trajectory_frame_at, tr, 0, NULL);
    WRONG("'t'", lil_trajectory_frame_at, tr, NAN, &frame);
    NOWHERE(lil_trajectory_find, NULL, 0, &index);
    WRONG("'index'", lil_trajectory_find, tr, 0, NULL);
    WRONG("'t'", lil_trajectory_find, tr, -1, &index);
    NOWHERE(lil_trajectory_read, NULL, "t", 0, 1, x);
    WRONG("'name'", lil_trajectory_read, tr, NULL, 0, 1, x);
    WRONG("'rows'", lil_trajectory_read, tr, "t", 0, 1, NULL);
    WRONG("'tape'", lil_trajectory_read, tr, "tape", 0, 1, x);
    WRONG("'count'", lil_trajectory_read, tr, "t", 0, 1000000, x);
    NOWHERE(lil_trajectory_read_at, NULL, "t", 0, x);
    WRONG("'name'", lil_trajectory_read_at, tr, NULL, 0, x);
    WRONG("'row'", lil_trajectory_read_at, tr, "t", 0, NULL);
    WRONG("'t'", lil_trajectory_read_at, tr, "t", 1e9, x);
    NOWHERE(lil_trajectory_body_count, NULL, &count);
    WRONG("'count'", lil_trajectory_body_count, tr, NULL);
    NOWHERE(lil_trajectory_body, NULL, 0, &body);
    WRONG("'info'", lil_trajectory_body, tr, 0, NULL);
    WRONG("'index'", lil_trajectory_body, tr, 0, &body);
    MUST(lil_trajectory_frame(tr, 0, &frame));
    NOWHERE(lil_trajectory_surface, NULL, 0, &frame, x);
    WRONG("'frame'", lil_trajectory_surface, tr, 0, NULL, x);
    WRONG("'x'", lil_trajectory_surface, tr, 0, &frame, NULL);
    WRONG("'index'", lil_trajectory_surface, tr, 0, &frame, x);
    lil_trajectory_destroy(&tr);
    remove("arguments.h5");
}

TEST(recordings)
{
    static const char *const names[] = { "a", "b/c", "a" };
    static const int links[] = { 0, 7 };
    double mass = 1, q = 1;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_recording *rec = (lil_recording *)&mass;
    MUST(lil_model_create_separable(ctx, &(lil_separable_def){ .n = 1, .mass = &mass, .potential = spring }, &model));
    lil_sim_def sd = lil_sim_def_default();
    sd.q = &q;
    MUST(lil_sim_create(ctx, model, &sd, &sim));
    lil_recording_def def = lil_recording_def_default(), bad;
    WRONG("def->path", lil_recording_create, ctx, sim, &def, &rec);
    CHECK(!rec);
    def.path = "arguments.h5";
    NOWHERE(lil_recording_create, NULL, sim, &def, &rec);
    WRONG("'sim'", lil_recording_create, ctx, NULL, &def, &rec);
    WRONG("'def'", lil_recording_create, ctx, sim, NULL, &rec);
    WRONG("'recording'", lil_recording_create, ctx, sim, &def, NULL);
    bad = def;
    bad.every = -1;
    WRONG("def->every", lil_recording_create, ctx, sim, &bad, &rec);
    bad = def;
    bad.observe_count = 1;
    WRONG("def->observe", lil_recording_create, ctx, sim, &bad, &rec);
    bad.observe = names;
    WRONG("def->look", lil_recording_create, ctx, sim, &bad, &rec);
    bad.observe_count = 2;
    WRONG("b/c", lil_recording_create, ctx, sim, &bad, &rec);
    bad = def;
    bad.up = 'x';
    WRONG("def->up", lil_recording_create, ctx, sim, &bad, &rec);
    bad = def;
    bad.link_count = 1;
    WRONG("def->links", lil_recording_create, ctx, sim, &bad, &rec);
    bad.links = links;
    WRONG("def->links[0]", lil_recording_create, ctx, sim, &bad, &rec);
    MUST(lil_recording_create(ctx, sim, &def, &rec));
    NOWHERE(lil_recording_frame, NULL);
    NOWHERE(lil_recording_finish, NULL, NULL);
    lil_recording_destroy(&rec);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    remove("arguments.h5");
}

TEST(meshes)
{
    double mass = 1;
    char *text = (char *)&mass;
    int faults;
    bool encloses;
    lil_mesh *mesh = NULL;
    lil_mesh_info info;
    lil_fill_def fill = lil_fill_def_default();
    lil_surface_measures measures;
    WRONG("'path'", lil_mesh_create_read, ctx, NULL, &mesh);
    WRONG("'mesh'", lil_mesh_create_read, ctx, "a.msh", NULL);
    NOWHERE(lil_mesh_create_read, NULL, "a.msh", &mesh);
    WRONG("'type'", lil_mesh_create_shape, ctx, NULL, NULL, &mesh);
    WRONG("'mesh'", lil_mesh_create_shape, ctx, "bar", NULL, NULL);
    NOWHERE(lil_mesh_create_shape, NULL, "bar", NULL, &mesh);
    WRONG("'def'", lil_mesh_create_filled, ctx, NULL, &mesh);
    WRONG("'mesh'", lil_mesh_create_filled, ctx, &fill, NULL);
    NOWHERE(lil_mesh_create_filled, NULL, &fill, &mesh);
    NOWHERE(lil_mesh_look, NULL, &info);
    CHECK(!mesh && !lil_mesh_group(NULL, 0, NULL));
    lil_mesh_destroy(&mesh);
    WRONG("'path'", lil_mesh_report, ctx, NULL, &text, &faults);
    CHECK(!text);
    WRONG("'text'", lil_mesh_report, ctx, "a.msh", NULL, &faults);
    WRONG("'faults'", lil_mesh_report, ctx, "a.msh", &text, NULL);
    NOWHERE(lil_mesh_report, NULL, "a.msh", &text, &faults);
    text = (char *)&mass;
    WRONG("'path'", lil_surface_report, ctx, NULL, &text, &encloses);
    CHECK(!text);
    WRONG("'text'", lil_surface_report, ctx, "a.obj", NULL, &encloses);
    WRONG("'encloses'", lil_surface_report, ctx, "a.obj", &text, NULL);
    NOWHERE(lil_surface_report, NULL, "a.obj", &text, &encloses);
    WRONG("'path'", lil_surface_measure, ctx, NULL, &measures);
    WRONG("'measures'", lil_surface_measure, ctx, "a.obj", NULL);
    NOWHERE(lil_surface_measure, NULL, "a.obj", &measures);
    lil_mesh_def def = lil_mesh_def_default();
    text = (char *)&mass;
    WRONG("'def'", lil_surface_mesh, ctx, NULL, &text);
    CHECK(!text);
    WRONG("def->surface", lil_surface_mesh, ctx, &def, &text);
    def.surface = "a.obj";
    WRONG("def->path", lil_surface_mesh, ctx, &def, &text);
    def.path = "a.msh";
    WRONG("'text'", lil_surface_mesh, ctx, &def, NULL);
    NOWHERE(lil_surface_mesh, NULL, &def, &text);
}

TEST(worlds)
{
    double mass = 1;
    lil_world *world = (lil_world *)&mass;
    lil_model *model = (lil_model *)&mass;
    lil_sim *sim = NULL;
    lil_body_def body = lil_body_def_default();
    lil_particles_def particles = lil_particles_def_default();
    lil_start_def start = lil_start_def_default();
    lil_spring_def spring = lil_spring_def_default();
    lil_constraint_def constraint = lil_constraint_def_default();
    lil_obstacle_def obstacle = lil_obstacle_def_default();
    lil_contact_def contact = lil_contact_def_default();
    const lil_vector_def still = { .text = { "0", "0", "0" } };
    const double g[3] = { 0, 0, -9.81 };
    int index, vertex = 0;
    WRONG("'world'", lil_world_create, ctx, NULL);
    NOWHERE(lil_world_create, NULL, &world);
    CHECK(lil_world_create(ctx, &world) == LIL_OK);
    WRONG("'def'", lil_world_add_body, world, NULL, &index);
    WRONG("'body'", lil_world_add_body, world, &body, NULL);
    WRONG("name", lil_world_add_body, world, &body, &index);
    NOWHERE(lil_world_add_body, NULL, &body, &index);
    WRONG("'def'", lil_world_add_particles, world, NULL, &index);
    WRONG("'body'", lil_world_add_particles, world, &particles, NULL);
    NOWHERE(lil_world_add_particles, NULL, &particles, &index);
    lil_strands_def strands = lil_strands_def_default();
    lil_mesh_info info;
    lil_group_info group;
    WRONG("'def'", lil_world_add_strands, world, NULL, &index);
    WRONG("'body'", lil_world_add_strands, world, &strands, NULL);
    WRONG("needs a name", lil_world_add_strands, world, &strands, &index);
    NOWHERE(lil_world_add_strands, NULL, &strands, &index);
    WRONG("'info'", lil_world_look, world, 0, NULL);
    WRONG("no body 0", lil_world_look, world, 0, &info);
    NOWHERE(lil_world_look, NULL, 0, &info);
    WRONG("'name'", lil_world_find_group, world, 0, NULL, &group);
    WRONG("'group'", lil_world_find_group, world, 0, "g", NULL);
    WRONG("no body 0", lil_world_find_group, world, 0, "g", &group);
    NOWHERE(lil_world_find_group, NULL, 0, "g", &group);
    WRONG("'x'", lil_world_find_nearest, world, 0, NULL, &vertex);
    WRONG("'vertex'", lil_world_find_nearest, world, 0, g, NULL);
    WRONG("no body 0", lil_world_find_nearest, world, 0, g, &vertex);
    NOWHERE(lil_world_find_nearest, NULL, 0, g, &vertex);
    WRONG("'force'", lil_world_add_force, world, 0, NULL, NULL, NULL);
    WRONG("no body 0", lil_world_add_force, world, 0, push_point, NULL, NULL);
    NOWHERE(lil_world_add_force, NULL, 0, push_point, NULL, NULL);
    WRONG("'name'", lil_world_add_group, world, 0, NULL, &vertex, 1);
    WRONG("'vertices'", lil_world_add_group, world, 0, "g", NULL, 1);
    WRONG("no body 0", lil_world_add_group, world, 0, "g", &vertex, 1);
    NOWHERE(lil_world_add_group, NULL, 0, "g", &vertex, 1);
    WRONG("'def'", lil_world_set_start, world, 0, NULL);
    WRONG("no body 0", lil_world_set_start, world, 0, &start);
    NOWHERE(lil_world_set_start, NULL, 0, &start);
    WRONG("'vertices'", lil_world_fix, world, 0, NULL, 1);
    NOWHERE(lil_world_fix, NULL, 0, &vertex, 1);
    WRONG("'vertices'", lil_world_add_handle, world, 0, NULL, 1, &still);
    WRONG("'move'", lil_world_add_handle, world, 0, &vertex, 1, NULL);
    NOWHERE(lil_world_add_handle, NULL, 0, &vertex, 1, &still);
    WRONG("'vertices'", lil_world_add_turning_handle, world, 0, NULL, 1, &still, g);
    WRONG("'turn'", lil_world_add_turning_handle, world, 0, &vertex, 1, NULL, g);
    NOWHERE(lil_world_add_turning_handle, NULL, 0, &vertex, 1, &still, g);
    lil_samples_def samples = lil_samples_def_default();
    WRONG("'vertices'", lil_world_add_following_handle, world, 0, NULL, 1, &samples);
    WRONG("'samples'", lil_world_add_following_handle, world, 0, &vertex, 1, NULL);
    WRONG("no body 0", lil_world_add_following_handle, world, 0, &vertex, 1, &samples);
    NOWHERE(lil_world_add_following_handle, NULL, 0, &vertex, 1, &samples);
    WRONG("'vertices'", lil_world_let_go, world, 0, NULL, 1, 1);
    WRONG("no body 0", lil_world_let_go, world, 0, &vertex, 1, 1);
    NOWHERE(lil_world_let_go, NULL, 0, &vertex, 1, 1);
    WRONG("'vertices'", lil_world_add_load, world, 0, NULL, 1, &still);
    NOWHERE(lil_world_add_load, NULL, 0, &vertex, 1, &still);
    WRONG("'vertices'", lil_world_add_traction, world, 0, NULL, 1, &still);
    NOWHERE(lil_world_add_traction, NULL, 0, &vertex, 1, &still);
    WRONG("'pressure'", lil_world_add_pressure, world, 0, &vertex, 1, NULL);
    NOWHERE(lil_world_add_pressure, NULL, 0, &vertex, 1, &still);
    WRONG("'def'", lil_world_add_springs, world, NULL);
    WRONG("def->vertices", lil_world_add_springs, world, &spring);
    NOWHERE(lil_world_add_springs, NULL, &spring);
    WRONG("'def'", lil_world_add_constraint, world, NULL);
    NOWHERE(lil_world_add_constraint, NULL, &constraint);
    lil_term_set terms = { .kind = NULL };
    lil_constraint_set constraints = { .kind = NULL };
    WRONG("'set'", lil_world_add_terms, world, NULL);
    WRONG("set.kind", lil_world_add_terms, world, &terms);
    NOWHERE(lil_world_add_terms, NULL, &terms);
    WRONG("'set'", lil_world_add_constraints, world, NULL);
    WRONG("set.kind", lil_world_add_constraints, world, &constraints);
    NOWHERE(lil_world_add_constraints, NULL, &constraints);
    WRONG("'def'", lil_world_add_obstacle, world, NULL);
    WRONG("name", lil_world_add_obstacle, world, &obstacle);
    NOWHERE(lil_world_add_obstacle, NULL, &obstacle);
    WRONG("'def'", lil_world_set_contact, world, NULL);
    NOWHERE(lil_world_set_contact, NULL, &contact);
    WRONG("'a'", lil_world_ignore, world, NULL, "b");
    WRONG("'b'", lil_world_ignore, world, "a", NULL);
    NOWHERE(lil_world_ignore, NULL, "a", "b");
    WRONG("'a'", lil_world_set_friction, world, NULL, "b", 0.5);
    WRONG("'b'", lil_world_set_friction, world, "a", NULL, 0.5);
    NOWHERE(lil_world_set_friction, NULL, "a", "b", 0.5);
    WRONG("no body 0", lil_world_set_own_friction, world, 0, 0.5);
    NOWHERE(lil_world_set_own_friction, NULL, 0, 0.5);
    lil_look_def look = lil_look_def_default();
    WRONG("'name'", lil_world_set_look, world, NULL, &look);
    WRONG("'def'", lil_world_set_look, world, "a", NULL);
    NOWHERE(lil_world_set_look, NULL, "a", &look);
    WRONG("'g'", lil_world_set_gravity, world, NULL);
    NOWHERE(lil_world_set_gravity, NULL, g);
    WRONG("'model'", lil_world_build, world, NULL);
    NOWHERE(lil_world_build, NULL, &model);
    NOWHERE(lil_sim_positions, sim, &mass);
    lil_world_destroy(&world);
}

TEST(shots)
{
    double mass = 1, at[2] = { 0, 1 };
    lil_separable_def separable = { .n = 1, .mass = &mass, .potential = spring };
    lil_key_def keys[2] = { lil_key_def_default(), lil_key_def_default() };
    lil_shot_def def = lil_shot_def_default();
    lil_recording_def file = lil_recording_def_default();
    lil_shot_frame frame;
    lil_model *model;
    lil_shot *shot;
    CHECK(lil_model_create_separable(ctx, &separable, &model) == LIL_OK);
    keys[0].q = &at[0];
    keys[1].q = &at[1];
    keys[1].t = 1;
    def.frames = 8;
    NOWHERE(lil_shot_create, NULL, model, keys, 2, &def, &shot);
    WRONG("'model'", lil_shot_create, ctx, NULL, keys, 2, &def, &shot);
    WRONG("'keys'", lil_shot_create, ctx, model, NULL, 2, &def, &shot);
    WRONG("'def'", lil_shot_create, ctx, model, keys, 2, NULL, &shot);
    WRONG("'shot'", lil_shot_create, ctx, model, keys, 2, &def, NULL);
    CHECK(lil_shot_create(ctx, model, keys, 2, &def, &shot) == LIL_OK);
    NOWHERE(lil_shot_solve, NULL, NULL, NULL);
    NOWHERE(lil_shot_set_profile, NULL, true);
    WRONG("not been solved", lil_shot_frame_at, shot, 0, &frame);
    WRONG("not been solved", lil_shot_record, shot, (file.path = "x.h5", &file));
    CHECK(lil_shot_solve(shot, NULL, NULL) == LIL_OK);
    WRONG("'frame'", lil_shot_frame_at, shot, 0, NULL);
    WRONG("frame 9", lil_shot_frame_at, shot, 9, &frame);
    NOWHERE(lil_shot_frame_at, NULL, 0, &frame);
    WRONG("'def'", lil_shot_record, shot, NULL);
    WRONG("def->path", lil_shot_record, shot, (file.path = NULL, &file));
    NOWHERE(lil_shot_record, NULL, &file);
    lil_shot_destroy(&shot);
    lil_shot_destroy(NULL);
    lil_model_destroy(&model);
}

/* Each function of a header that returns a status was called wrongly; how many there are. */
static int look_through(const char *header_name)
{
    char path[1024], line[1024], name[64];
    const char *source = getenv("LILYAN_SOURCE");
    int found = 0;
    snprintf(path, sizeof path, "%s/include/lilyan/%s", source ? source : "..", header_name);
    FILE *header = fopen(path, "r");
    CHECK(header);
    while (header && fgets(line, sizeof line, header)) {
        if (sscanf(line, "LIL_API lil_status %63[a-z_]", name) != 1)
            continue;
        bool there = false;
        for (int i = 0; i < call_count && !there; i++)
            there = strcmp(called[i], name) == 0;
        if (!there) {
            test_failures++;
            printf("%s is not called wrongly by this test\n", name);
        }
        found++;
    }
    if (header)
        fclose(header);
    return found;
}

/* A function that is new in a header must be called wrongly here. */
TEST(no_function_is_left_out)
{
    static const char *const headers[] = { "lilyan.h", "kinds.h", "mesh.h", "scene.h",
                                           "record.h", "world.h", "shot.h", "statics.h" };
    static const int least[] = { 15, 9, 3, 7, 16, 19, 5, 2 };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        CHECK(look_through(headers[i]) >= least[i]);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(versions_and_names);
    RUN(contexts_and_models);
    RUN(a_method_that_says_nothing);
    RUN(simulations);
    RUN(scenes_and_runs);
    RUN(trajectories);
    RUN(frames);
    RUN(recordings);
    RUN(meshes);
    RUN(worlds);
    RUN(shots);
    RUN(no_function_is_left_out);
    lil_context_destroy(&ctx);
    return test_end();
}
