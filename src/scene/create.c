/* A scene becomes the plan of a run. */
#include "run/run.h"
#include "scene/adaptive.h"
#include "scene/bodies.h"
#include "scene/keys.h"
#include "scene/observe.h"
#include "scene/phase_loop.h"
#include "scene/scene.h"
#include "scene/settings.h"

#include <string.h>

static const lil_key scene_keys[] = {
    { LIL_KEY("lagrangian", "text", "L as an expression in coordinates, velocities, parameters and the time `t`") },
    { LIL_KEY("start", "{numbers}",
              "initial positions and velocities: each name `X` becomes a coordinate, `dX` is its velocity") },
    { LIL_KEY(
        "time", "time",
        "time step and end time; required to run a scene without `keys`, not for `solve --static` and `modes`") },
    { LIL_KEY("parameters", "{numbers}",
              "named numbers and lists of numbers; they may refer to each other in any order") },
    { LIL_KEY("force", "{numbers}", "generalised forces that do not come from a Lagrangian, by coordinate") },
    { LIL_KEY("bodies", "{1 body}", "elastic bodies, by name; they replace `lagrangian`") },
    { LIL_KEY("particles", "{1 particles}", "point masses, by name; with or without bodies") },
    { LIL_KEY("strands", "{1 strands}",
              "hair, by name: rows of particles with rigid links and bending stiffness; with or without bodies and "
              "particles") },
    { LIL_KEY(
        "gravity", "numbers",
        "acceleration of all bodies, particles and strands, m/s^2: one number (downwards) or a vector (default 0)") },
    { LIL_KEY("up", "'y' | 'z'", "the upward axis, `y` or `z` (default z)") },
    { LIL_KEY("obstacles", "{obstacle}", "rigid objects with which bodies, particles and strands collide, by name") },
    { LIL_KEY("contact", "contact", "settings of contact") },
    { LIL_KEY("integrator", "integrator",
              "the time integrator: a name, or a map with its `method` and options (default: `auto`)") },
    { LIL_KEY("constraints", "{number | constraint}",
              "constraints on positions, by name; with a `lagrangian`, expressions that stay 0") },
    { LIL_KEY("solver", "solver", "the solver for the equations of implicit steps: a method's name, or a map") },
    { LIL_KEY("record", "record", "which frames are recorded, and how (default: at most 2,000 frames and 2 GB)") },
    { LIL_KEY("observe", "{quantity}", "named expressions of t, positions and velocities to record and report") },
    { LIL_KEY("draw", "draw", "points and links to draw") },
    { LIL_KEY(
        "loop", "loop",
        "a closed loop of initial conditions in phase space, and the area it encloses; at most 8 coordinates") },
    { LIL_KEY(
        "keys", "[key; 2+]",
        "key frames: positions at given times. The motion between them is solved, not simulated (see `shot`)") },
    { LIL_KEY("shot", "shot", "how to solve the motion between `keys`; replaces `time`") },
    { LIL_KEY("variants", "{map}", "named sets of overrides; each is merged into the scene key by key") },
    { 0 },
};
const lil_mapping lil_scene_table = { .in = "the scene", .keys = scene_keys };

typedef struct reading {
    lil_run *run;
    const lil_run_def *def;
    const lil_node *root; /* the scene as it is run */
    lil_system system;
    lil_shot_settings shot;
} reading;

static const char *overrides_text(const lil_scene *scene, lil_arena *arena)
{
    const char *all = "";
    for (int i = 0; all && i < scene->set_count; i++)
        all = lil_arena_format(arena, "%s%s\n", all, scene->set_texts[i]);
    return all;
}

/* Copies: the scene may be destroyed before the run. */
static lil_status copy_texts(const lil_scene *scene, const char *variant, lil_arena *arena, lil_run_plan *plan)
{
    plan->file = lil_arena_copy(arena, scene->file, strlen(scene->file));
    plan->variant = variant ? lil_arena_copy(arena, variant, strlen(variant)) : NULL;
    plan->text = lil_arena_copy(arena, scene->text, strlen(scene->text));
    plan->overrides = overrides_text(scene, arena);
    bool copied = plan->file && plan->text && plan->overrides && (!variant || plan->variant);
    return copied ? LIL_OK : lil_fail_memory(scene->ctx);
}

static lil_status read_system(lil_reader *rd, reading *r)
{
    lil_run_plan *plan = &r->run->plan;
    lil_status status = lil_read_system(rd, r->root, &r->system);
    plan->model = r->system.model;
    plan->world = r->system.bodies;
    plan->n = r->system.n;
    plan->names = r->system.names;
    plan->q = r->system.q;
    plan->v = r->system.v;
    return status;
}

static lil_status read_keys(lil_reader *rd, reading *r)
{
    lil_status status = lil_read_keys(rd, &r->system, &r->shot);
    r->run->plan.shot = r->shot.shot;
    return status;
}

static lil_status read_scene(reading *r)
{
    lil_run *run = r->run;
    lil_run_plan *plan = &run->plan;
    const lil_node *root = r->root;
    lil_reader own = { .ctx = run->ctx,
                       .arena = &run->arena,
                       .live = r->def->live,
                       .live_count = r->def->live_count,
                       .timeless = r->def->task },
               *rd = &own;
    LIL_ALLOC(run->ctx, &run->arena, rd->scope.work, 1);
    LIL_TRY(lil_table_check(rd, root, &lil_scene_table, NULL));
    LIL_TRY(lil_check_live(rd, root));
    LIL_TRY(lil_read_parameters(rd, root));
    LIL_TRY(lil_read_up(rd, root));
    plan->up = rd->up;
    r->shot.running = &plan->running_cost;
    LIL_TRY(lil_read_shot(rd, root, &r->shot));
    LIL_TRY(lil_read_settings(rd, root, &r->shot, &plan->settings));
    rd->settings = &plan->settings;
    LIL_TRY(read_system(rd, r));
    LIL_TRY(read_keys(rd, r));
    if (plan->settings.solver.constraints == LIL_CONSTRAINTS_PENALTY)
        LIL_TRY(lil_model_loosen(run->ctx, plan->model, plan->settings.solver.stiffness));
    LIL_TRY(lil_read_adaptive(rd, root, &r->system, &plan->control));
    LIL_TRY(lil_read_phase_loop(rd, root, &r->system, plan->settings.adaptive, &plan->loop));
    LIL_TRY(lil_read_observe(rd, root, &r->system, &plan->observe));
    return lil_read_draw(rd, root, &r->system, &plan->draw);
}

/* A shot has poses of its own to start from. */
static lil_status find_rest(reading *r)
{
    lil_context *ctx = r->run->ctx;
    lil_run_plan *plan = &r->run->plan;
    int body;
    lil_status status = lil_sim_find_rest(ctx, &r->run->arena, plan->model, plan->settings.solver.linear,
                                          plan->settings.time.start, plan->q, plan->v, &plan->rest, &body);
    if (status == LIL_ERR_INPUT)
        return lil_read_start_rest(ctx, plan->world, body, status);
    LIL_TRY(status);
    return plan->rest.found && plan->shot
               ? lil_node_fail_key(ctx, r->shot.node, "a shot starts at its first key: leave 'rest' out")
               : LIL_OK;
}

/* Reports why a Sim could not be created. */
static const lil_node *blame(const reading *r, lil_sim_part part, lil_status status)
{
    const lil_node *node = NULL;
    if (part == LIL_SIM_METHOD && (status == LIL_ERR_INPUT || status == LIL_ERR_LIMIT))
        node = lil_node_get(r->root, "integrator");
    else if (part == LIL_SIM_CONTROL)
        node = lil_node_get(lil_node_get(r->root, "time"), "adaptive");
    return node ? node : r->system.node;
}

static lil_status create_sim(reading *r)
{
    lil_sim_part part;
    const lil_reader rd = { .ctx = r->run->ctx };
    lil_status status = lil_run_create_sim(r->run, &part);
    return status == LIL_OK || part == LIL_SIM_TEXT ? status : lil_read_fail_at(&rd, blame(r, part, status), status);
}

static lil_status check_task(const reading *r)
{
    lil_context *ctx = r->run->ctx;
    static const char *const others[] = { "keys", "loop" };
    for (int i = 0; r->def->task && i < 2; i++)
        if (lil_node_get(r->root, others[i]))
            return lil_node_fail_key(ctx, lil_node_get(r->root, others[i]),
                                     "a scene with '%s' has no statics and modes: leave it out", others[i]);
    if (r->def->task && r->def->resume)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "statics and modes are solved as a whole and cannot be resumed");
    return LIL_OK;
}

static lil_status create(lil_run *run, const lil_scene *scene, const lil_run_def *def)
{
    reading r = { .run = run, .def = def };
    LIL_TRY(copy_texts(scene, def->variant, &run->arena, &run->plan));
    LIL_TRY(lil_run_find_output(run, def));
    LIL_TRY(lil_scene_effective(scene, run->ctx, &run->arena, run->plan.variant, &r.root));
    run->task = def->task;
    LIL_TRY(check_task(&r));
    LIL_TRY(read_scene(&r));
    LIL_TRY(find_rest(&r));
    LIL_TRY(create_sim(&r));
    return lil_run_begin(run, def);
}

lil_status lil_run_create(lil_context *ctx, const lil_scene *scene, const lil_run_def *def, lil_run **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "run");
    *out = NULL;
    LIL_NEED(ctx, scene, "scene");
    LIL_NEED(ctx, def, "def");
    lil_run *run = lil_run_new(ctx);
    LIL_HAVE(ctx, run);
    lil_status status = create(run, scene, def);
    if (status != LIL_OK)
        lil_run_destroy(&run);
    *out = run;
    return status;
}
