#include "scene/settings.h"

#include "core/field.h"
#include "scene/keys.h"

#include <math.h>
#include <string.h>

enum { FRAMES_DEFAULT = 2000 };

static const char *const solver_methods[] = { "auto", "minimise", "root", NULL };
static const char *const linear_methods[] = { "auto", "direct", "iterative", NULL };
static const char *const constraint_methods[] = { "variational", "differential", "penalty", NULL };
static const char *const preconditioners[] = { "auto", "blocks", "multilevel", NULL };

const lil_field lil_solver_fields[] = {
    { .name = "method",
      .kind = LIL_CHOICE,
      .offset = offsetof(lil_solver_def, method),
      .choices = solver_methods,
      .unit = "",
      .doc = "minimise the Lilyan, find the root of the equations, or auto: minimise where that is possible" },
    { .name = "tolerance",
      .kind = LIL_REAL,
      .offset = offsetof(lil_solver_def, tolerance),
      .preset = 1e-12,
      .least = 1e-16,
      .most = 0.1,
      .unit = "",
      .doc = "a step is accepted when its gradient has fallen to this part of its start" },
    { .name = "iterations",
      .kind = LIL_INTEGER,
      .offset = offsetof(lil_solver_def, iterations),
      .preset = 50,
      .least = 1,
      .most = 100000,
      .unit = "",
      .doc = "Newton iterations before a step counts as failed and is halved" },
    { .name = "linear",
      .kind = LIL_CHOICE,
      .offset = offsetof(lil_solver_def, linear),
      .choices = linear_methods,
      .unit = "",
      .doc = "how each iteration's linear system is solved: by a sparse factorisation, by conjugate gradients "
             "(bodies only), "
             "or auto: by what is faster" },
    { .name = "preconditioner",
      .kind = LIL_CHOICE,
      .offset = offsetof(lil_solver_def, preconditioner),
      .choices = preconditioners,
      .unit = "",
      .doc = "of conjugate gradients: sweeps over 3x3 blocks (Gauss and Seidel's), a multilevel cycle, or auto: the "
             "latter where a "
             "step's "
             "forces reach across many elements" },
    { .name = "constraints",
      .kind = LIL_CHOICE,
      .offset = offsetof(lil_solver_def, constraints),
      .choices = constraint_methods,
      .unit = "",
      .doc =
          "how constraints are met: by multipliers inside the step, to round-off; by forces at the level of "
          "accelerations (differential, for rk4 and Euler's methods), which needs feedback; or by springs (penalty), "
          "which "
          "give way" },
    { .name = "feedback",
      .kind = LIL_REAL,
      .offset = offsetof(lil_solver_def, feedback),
      .preset = 0,
      .least = 0,
      .most = 1e300,
      .unit = "s",
      .doc = "of differential constraints: the time in which violations are pulled in, ten steps or more; 0: never" },
    { .name = "stiffness",
      .kind = LIL_REAL,
      .offset = offsetof(lil_solver_def, stiffness),
      .preset = 1e4,
      .least = 0,
      .most = 1e300,
      .unit = "N/m",
      .doc = "of constraints by penalty: that of the springs" },
};
const int lil_solver_field_count = sizeof lil_solver_fields / sizeof lil_solver_fields[0];

const lil_field lil_time_fields[] = {
    { .name = "step",
      .kind = LIL_REAL,
      .offset = offsetof(lil_time_def, step),
      .preset = NAN,
      .least = 1e-300,
      .most = 1e300,
      .unit = "s",
      .doc = "the step h; usually a hundredth of the shortest period" },
    { .name = "until",
      .kind = LIL_REAL,
      .offset = offsetof(lil_time_def, until),
      .preset = NAN,
      .least = -1e300,
      .most = 1e300,
      .unit = "s",
      .doc = "the end, a whole number of steps after the start" },
    { .name = "start",
      .kind = LIL_REAL,
      .offset = offsetof(lil_time_def, start),
      .preset = 0,
      .least = -1e300,
      .most = 1e300,
      .unit = "s",
      .doc = "the time t at the start" },
    { .name = "halvings",
      .kind = LIL_INTEGER,
      .offset = offsetof(lil_time_def, halvings),
      .preset = 12,
      .least = 0,
      .most = 40,
      .unit = "",
      .doc = "how often a failing step may be halved before the run ends" },
};
const int lil_time_field_count = sizeof lil_time_fields / sizeof lil_time_fields[0];

const lil_field lil_record_fields[] = {
    { .name = "fps",
      .kind = LIL_REAL,
      .offset = offsetof(lil_record_def, fps),
      .preset = 0,
      .least = 1e-9,
      .most = 1e12,
      .unit = "1/s",
      .doc = "frames a second, each taken at the nearest step" },
    { .name = "every",
      .kind = LIL_REAL, /* whole, but it may exceed an int */
      .offset = offsetof(lil_record_def, every),
      .preset = 0,
      .least = 1,
      .most = 1e15,
      .unit = "steps",
      .doc = "a frame every so many steps (default: so that there are at most 2,000 frames)" },
};
const int lil_record_field_count = sizeof lil_record_fields / sizeof lil_record_fields[0];

static lil_status read_integrator(const lil_reader *rd, const lil_node *root, lil_settings *st)
{
    const lil_node *node = lil_node_get(root, "integrator"), *name = node;
    if (node && node->kind == LIL_NODE_MAP && !(name = lil_node_get(node, "method")))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "the integrator has no 'method'");
    if (name)
        LIL_TRY(lil_node_expect(rd->ctx, name, LIL_NODE_SCALAR, "integrator"));
    const char *text = name ? name->text : "midpoint";
    st->method = lil_integrator_find(rd->ctx, text);
    if (!st->method) {
        int count = lil_integrator_count(rd->ctx);
        const char **names = LIL_NEW(rd->arena, const char *, count);
        char hint[LIL_HINT_MAX];
        for (int i = 0; names && i < count; i++)
            names[i] = lil_integrator_at(rd->ctx, i)->name;
        const char *near = names ? lil_nearest(text, names, count, sizeof *names) : NULL;
        return lil_node_fail(rd->ctx, name, LIL_ERR_INPUT, "unknown integrator '%.60s'%s", text,
                             near ? lil_hint(near, hint) : ": see 'lilyan list integrators'");
    }
    st->config = lil_arena_alloc(rd->arena, 1, st->method->config_size);
    if (!st->config)
        return lil_fail_memory(rd->ctx);
    lil_fields_default(st->method->fields, st->method->field_count, st->config);
    if (node && node->kind == LIL_NODE_MAP)
        LIL_TRY(lil_read_fields(rd, node, st->method->fields, st->method->field_count, st->config, text, "method"));
    lil_status status = st->method->check ? st->method->check(rd->ctx, st->config) : LIL_OK;
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

static lil_status read_solver(const lil_reader *rd, const lil_node *root, lil_settings *st)
{
    const lil_node *node = lil_node_get(root, "solver");
    lil_fields_default(lil_solver_fields, lil_solver_field_count, &st->solver);
    if (!node)
        return LIL_OK;
    if (node->kind == LIL_NODE_SCALAR) {
        lil_status status = lil_field_set_choice(rd->ctx, &lil_solver_fields[0], &st->solver, node->text);
        return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
    }
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "solver"));
    return lil_read_fields(rd, node, lil_solver_fields, lil_solver_field_count, &st->solver, "solver", NULL);
}

static lil_status read_time(const lil_reader *rd, const lil_node *root, lil_settings *st)
{
    const lil_node *node = lil_node_get(root, "time"), *member;
    lil_time_def *tm = &st->time;
    lil_fields_default(lil_time_fields, lil_time_field_count, tm);
    if (!node)
        return lil_node_fail(rd->ctx, root, LIL_ERR_INPUT, "the scene has no 'time', nor 'keys' and a 'shot'");
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "time"));
    LIL_TRY(lil_read_fields(rd, node, lil_time_fields, lil_time_field_count, tm, "time", "adaptive"));
    if (!(member = lil_node_get(node, "step")))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "time has no 'step'");
    if (!(member = lil_node_get(node, "until")))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "time has no 'until'");
    const lil_node *adaptive = lil_node_get(node, "adaptive"), *control = adaptive;
    if (adaptive && adaptive->kind == LIL_NODE_MAP)
        control = lil_node_get(adaptive, "control");
    st->adaptive = adaptive && !(control && control->kind == LIL_NODE_SCALAR && strcmp(control->text, "fixed") == 0);
    double ratio = (tm->until - tm->start) / tm->step, steps = round(ratio);
    if (!(steps >= 1))
        return lil_node_fail(rd->ctx, member, LIL_ERR_INPUT,
                             "until = %.15g leaves no step of %.15g after the start at %.15g", tm->until, tm->step,
                             tm->start);
    if (!(steps <= 9e15))
        return lil_node_fail(rd->ctx, member, LIL_ERR_LIMIT, "%.3g steps are too many to count", steps);
    if (st->adaptive)
        return LIL_OK;
    if (fabs(ratio - steps) > 1e-9 * fmax(1, steps))
        return lil_node_fail(rd->ctx, member, LIL_ERR_INPUT,
                             "until = %.15g is not a multiple of the step %.15g: the nearest is %.15g", tm->until,
                             tm->step, tm->start + steps * tm->step);
    double late = fmax(fabs(tm->start), fabs(tm->until));
    if (!(late + tm->step / 2 > late))
        return lil_node_fail(rd->ctx, lil_node_get(node, "step"), LIL_ERR_INPUT,
                             "a step of %.15g is too small to change a time of %.15g", tm->step, late);
    st->steps = (int64_t)steps;
    return LIL_OK;
}

/* A shot's times are those of its keys, and all its frames are kept. */
static lil_status set_shot_time(const lil_reader *rd, const lil_node *root, const lil_shot_settings *shot,
                                lil_settings *st)
{
    static const char *const others[] = { "time", "record", "loop" };
    for (int i = 0; i < 3; i++) {
        const lil_node *node = lil_node_get(root, others[i]);
        if (node)
            return lil_node_fail_key(rd->ctx, node, "a scene with 'keys' has no '%s': its frames are those of 'shot'",
                                     others[i]);
    }
    lil_fields_default(lil_time_fields, lil_time_field_count, &st->time);
    st->time.start = shot->at[0];
    st->time.until = shot->at[shot->count - 1];
    st->time.step = (st->time.until - st->time.start) / shot->frames;
    st->time.until += shot->steps_after * st->time.step;
    st->steps = shot->frames + shot->steps_after;
    st->record = (lil_record_def){ .every = 1 };
    return LIL_OK;
}

static lil_status read_record(const lil_reader *rd, const lil_node *root, lil_settings *st)
{
    const lil_node *node = lil_node_get(root, "record");
    lil_record_def *rc = &st->record;
    lil_fields_default(lil_record_fields, lil_record_field_count, rc);
    if (node) {
        LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "record"));
        LIL_TRY(lil_read_fields(rd, node, lil_record_fields, lil_record_field_count, rc, "record", NULL));
        if (rc->fps > 0 && rc->every > 0)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "record takes 'fps' or 'every', not both");
        if (rc->every != floor(rc->every))
            return lil_node_fail(rd->ctx, lil_node_get(node, "every"), LIL_ERR_INPUT,
                                 "'every' must be a whole number of steps, not %g", rc->every);
        if (rc->fps * st->time.step > 1 && !st->adaptive)
            return lil_node_fail(rd->ctx, lil_node_get(node, "fps"), LIL_ERR_INPUT,
                                 "%g frames a second are more than the %g steps a second", rc->fps,
                                 1 / st->time.step);
    }
    if (rc->fps == 0 && rc->every == 0 && st->adaptive)
        rc->fps = (FRAMES_DEFAULT - 1) / (st->time.until - st->time.start);
    if (rc->fps == 0 && rc->every == 0) /* the start, and the end if it falls between, are frames too */
        rc->every = st->steps < FRAMES_DEFAULT ? 1 : ceil((double)st->steps / (FRAMES_DEFAULT - 2));
    return LIL_OK;
}

int64_t lil_frame_step(const lil_settings *st, int64_t j)
{
    double at =
        st->record.every > 0 ? (double)j * st->record.every : round((double)j / (st->record.fps * st->time.step));
    return at < 9e18 ? (int64_t)at : INT64_MAX;
}

int64_t lil_frames_expected(const lil_settings *st)
{
    double length = st->time.until - st->time.start;
    double frames = st->record.fps > 0 ? length * st->record.fps : length / st->time.step / st->record.every;
    return frames < 1e15 ? 2 + (int64_t)frames : (int64_t)1e15;
}

lil_status lil_read_settings(const lil_reader *rd, const lil_node *root, const lil_shot_settings *shot,
                             lil_settings *st)
{
    *st = (lil_settings){ 0 };
    LIL_TRY(read_integrator(rd, root, st));
    LIL_TRY(read_solver(rd, root, st));
    if (shot->node)
        return set_shot_time(rd, root, shot, st);
    LIL_TRY(read_time(rd, root, st));
    return read_record(rd, root, st);
}
