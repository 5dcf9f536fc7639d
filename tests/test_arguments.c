/* Every public function that returns a lil_status can be called wrongly: it returns LIL_ERR_ARGUMENT, names the argument, and
 * leaves no older sentence in the context. The list is compared with the header. */
#include "test.h"

static lil_context *ctx;

enum { CALLS_MAX = 200 };
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
    WRONG("'runs'", lil_plot_svg, ctx, NULL, 1, &plot, &svg);
    CHECK(!svg);
    WRONG("'runs[i]'", lil_plot_svg, ctx, &none, 1, &plot, &svg);
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
    WRONG("def->what", lil_plot, ctx, &tr, 1, &nothing);
    NOWHERE(lil_plot, NULL, &tr, 1, &plot);

    lil_report_def page = lil_report_def_default();
    WRONG("def->output", lil_report, ctx, &tr, 1, &page);
    page.output = "arguments.html";
    WRONG("'runs'", lil_report, ctx, NULL, 1, &page);
    WRONG("'runs[i]'", lil_report, ctx, &none, 1, &page);
    WRONG("runs, not 0", lil_report, ctx, &tr, 0, &page);
    WRONG("'def'", lil_report, ctx, &tr, 1, NULL);
    NOWHERE(lil_report, NULL, &tr, 1, &page);
    lil_trajectory_destroy(&tr);
    remove("arguments.h5");
}

TEST(meshes)
{
    double mass = 1;
    char *text = (char *)&mass;
    int faults;
    bool encloses;
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

/* A function that is new in the header must be called wrongly here. */
TEST(no_function_is_left_out)
{
    char path[1024], line[1024], name[64];
    const char *source = getenv("LILYAN_SOURCE");
    int found = 0;
    snprintf(path, sizeof path, "%s/include/lilyan/lilyan.h", source ? source : "..");
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
    CHECK(found >= 27);
    if (header)
        fclose(header);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(contexts_and_models);
    RUN(simulations);
    RUN(scenes_and_runs);
    RUN(trajectories);
    RUN(meshes);
    RUN(no_function_is_left_out);
    lil_context_destroy(&ctx);
    return test_end();
}
