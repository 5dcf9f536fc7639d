#include "scene/settings.h"

#include "core/field.h"
#include "scene/keys.h"

#include <math.h>
#include <string.h>

static bool integrator_at(const lil_context *ctx, int i, lil_variant *v)
{
    if (i == 0) {
        *v = (lil_variant){ .name = lil_auto, .doc = lil_integrator_auto(), .bare = true, .listed = true };
        return true;
    }
    const lil_integrator *m = lil_integrator_at(ctx, i - 1);
    if (!m)
        return false;
    *v = (lil_variant){ m->name, m->summary, m->formula, NULL, m->citation, m->fields, m->field_count, true, true };
    return true;
}
const lil_mapping lil_integrator_table = {
    .in = "integrator", .brief = "method", .choice = "method", .chosen = true, .variant = integrator_at
};

static const char *const solver_methods[] = { "auto", "minimise", "root", NULL };
static const char *const linear_methods[] = { "auto", "direct", "iterative", NULL };
static const char *const constraint_methods[] = { "variational", "differential", "penalty", NULL };
static const char *const preconditioners[] = { "auto", "blocks", "multilevel", NULL };

static const lil_field solver_fields[] = {
    LIL_FIELD_CHOICE(
        lil_solver_def, "method", method, 0, solver_methods,
        "minimise: minimise one function (the Lilyan). root: solve the equations as a root problem. auto: "
        "minimise if possible"),
    LIL_FIELD_REAL(
        lil_solver_def, tolerance, 1e-12, 1e-16, 0.1, "",
        "a step is accepted when the gradient of the minimised function, or the residual of the equations, has "
        "fallen to this fraction of its initial value"),
    LIL_FIELD_INTEGER(lil_solver_def, iterations, 50, 1, 100000, "",
                      "Newton iterations before a step counts as failed and is halved"),
    LIL_FIELD_CHOICE(
        lil_solver_def, "linear", linear, 0, linear_methods,
        "linear solver of each iteration. direct: sparse factorisation. iterative: conjugate gradients or "
        "the like; not with a `lagrangian`. auto: the faster one"),
    LIL_FIELD_CHOICE(
        lil_solver_def, "preconditioner", preconditioner, 0, preconditioners,
        "preconditioner of conjugate gradients. blocks: Gauss-Seidel sweeps over 3x3 blocks. multilevel: "
        "a multilevel cycle. auto: multilevel if forces reach across many elements within a step"),
    LIL_FIELD_CHOICE(
        lil_solver_def, "constraints", constraints, 0, constraint_methods,
        "how constraints are enforced. variational: multipliers inside the step, to round-off. differential: forces "
        "at the level of accelerations, for rk4, symplectic-euler and explicit-euler; set `feedback`, or violations "
        "grow. penalty: springs, so constraints hold only approximately"),
    LIL_FIELD_REAL(lil_solver_def, feedback, 0, 0, 1e300, "s",
                   "differential constraints: time constant with which violations decay, ten steps or more; 0: "
                   "violations are not "
                   "corrected"),
    LIL_FIELD_REAL(lil_solver_def, stiffness, 1e4, 0, 1e300, "N/m", "penalty constraints: stiffness of the springs"),
};
const lil_mapping lil_solver_table = { .in = "solver", LIL_FIELDS(solver_fields), .brief = "method" };

static const lil_field time_fields[] = {
    LIL_FIELD_REAL(lil_time_def, step, NAN, 1e-300, 1e300, "s",
                   "time step h; usually a hundredth of the shortest period"),
    LIL_FIELD_REAL(lil_time_def, until, NAN, -1e300, 1e300, "s", "end time, a whole number of steps after the start"),
    LIL_FIELD_REAL(lil_time_def, start, 0, -1e300, 1e300, "s", "initial value of t"),
    LIL_FIELD_INTEGER(lil_time_def, halvings, 12, 0, 40, "",
                      "how often a failing step may be halved. With contact, other limits may end the run before all "
                      "halvings are used (contact.md)"),
};
static const lil_key time_keys[] = {
    { LIL_KEY("adaptive", "adaptive", "whether the step varies: a control (below), or a map (default: `fixed`)") },
    { 0 }
};
const lil_mapping lil_time_table = { .in = "time", .keys = time_keys, LIL_FIELDS(time_fields) };

static const char *const precisions[] = { "double", "float", NULL };

static const lil_field record_fields[] = {
    LIL_FIELD_REAL(lil_record_def, fps, 0, 1e-9, 1e12, "1/s", "frames per second, each taken at the nearest step"),
    LIL_FIELD_REAL(lil_record_def, every, 0, 1, 1e15, "steps", /* whole, but it may exceed an int */
                   "steps per frame (default: see below)"),
    LIL_FIELD_CHOICE(lil_record_def, "precision", form.precision, LIL_PRECISION_DOUBLE, precisions,
                     "type of `/q`, `/v` and `/p`. float has half the bytes, and relative errors of 6e-8"),
};
static const lil_key record_keys[] = {
    { LIL_KEY("what", "['q' | 'v' | 'p']",
              "what frames have: a list of `q` (positions), `v` (velocities) and `p` (momenta) (default: all)") },
    { LIL_KEY(
        "compress", "flag | whole",
        "lossless compression of `/q`, `/v` and `/p`: `true`, or a level from 1 (the same as `true`) to 9. Arrays "
        "of less than 16 KB per frame are not compressed (default: false)") },
    { 0 }
};
const lil_mapping lil_record_table = { .in = "record", .keys = record_keys, LIL_FIELDS(record_fields) };

static lil_status read_integrator(const lil_reader *rd, const lil_node *root, lil_settings *st)
{
    const lil_node *node = lil_node_get(root, "integrator");
    lil_variant own;
    LIL_TRY(lil_read_variant(rd, node, &lil_integrator_table, lil_auto, &own));
    st->method = lil_integrator_find(rd->ctx, own.name);
    if (!st->method) /* auto: the Sim chooses, and has no options */
        return node && node->kind == LIL_NODE_MAP ? lil_table_check(rd, node, &lil_integrator_table, &own) : LIL_OK;
    st->config = lil_arena_alloc(rd->arena, 1, st->method->config_size);
    LIL_HAVE(rd->ctx, st->config);
    lil_fields_default(st->method->fields, st->method->field_count, st->config);
    if (node && node->kind == LIL_NODE_MAP)
        LIL_TRY(lil_read_own_fields(rd, node, &lil_integrator_table, &own, st->config));
    lil_status status = st->method->check ? st->method->check(rd->ctx, st->config) : LIL_OK;
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

static lil_status read_time(const lil_reader *rd, const lil_node *root, lil_settings *st)
{
    const lil_node *node = lil_node_get(root, "time");
    lil_time_def *tm = &st->time;
    if (!node && !rd->timeless)
        return lil_node_fail(rd->ctx, root, LIL_ERR_INPUT, "the scene needs 'time', or 'keys' and a 'shot'");
    if (!node) {
        lil_fields_default(time_fields, lil_time_table.field_count, tm);
        tm->step = tm->until = 1;
        st->steps = 1;
        return LIL_OK;
    }
    LIL_TRY(lil_read_table(rd, node, &lil_time_table, tm));
    const lil_node *member = lil_node_get(node, "until");
    const lil_node *adaptive = lil_node_get(node, "adaptive"), *control = adaptive;
    if (adaptive && adaptive->kind == LIL_NODE_MAP)
        control = lil_node_get(adaptive, "control");
    st->adaptive = adaptive && !(control && control->kind == LIL_NODE_SCALAR && strcmp(control->text, "fixed") == 0);
    double ratio = (tm->until - tm->start) / tm->step, steps = round(ratio);
    if (!(steps >= 1))
        return lil_node_fail(rd->ctx, member, LIL_ERR_INPUT,
                             "until = %.15g is less than one step of %.15g after the start at %.15g", tm->until,
                             tm->step, tm->start);
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
            return lil_node_fail_key(rd->ctx, node, "a scene with 'keys' cannot have '%s': 'shot' sets its frames",
                                     others[i]);
    }
    lil_fields_default(time_fields, lil_time_table.field_count, &st->time);
    st->time.start = shot->keys[0].t;
    st->time.until = shot->keys[shot->count - 1].t;
    st->time.step = (st->time.until - st->time.start) / shot->def.frames;
    st->time.until += shot->steps_after * st->time.step;
    st->steps = shot->def.frames + shot->steps_after;
    st->record = (lil_record_def){ .every = 1, .form = { .q = true, .v = true, .p = true } };
    return LIL_OK;
}

static lil_status read_what(const lil_reader *rd, const lil_node *node, lil_frame_form *form)
{
    form->q = form->v = form->p = !node;
    if (node && node->kind != LIL_NODE_LIST)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'what' must be a list of q, v and p, such as [q, v]");
    for (const lil_node *one = node ? node->first : NULL; one; one = one->next) {
        bool word = one->kind == LIL_NODE_SCALAR && strlen(one->text) == 1;
        bool *member = !word                 ? NULL
                       : one->text[0] == 'q' ? &form->q
                       : one->text[0] == 'v' ? &form->v
                       : one->text[0] == 'p' ? &form->p
                                             : NULL;
        if (!member)
            return lil_node_fail(
                rd->ctx, one, LIL_ERR_INPUT,
                "'what' has no '%.60s': there are q, v and p. Energies, observables and drawn points "
                "are always recorded",
                one->kind == LIL_NODE_SCALAR ? one->text : "list");
        if (*member)
            return lil_node_fail(rd->ctx, one, LIL_ERR_INPUT, "'what' has '%s' twice", one->text);
        *member = true;
    }
    return LIL_OK;
}

static lil_status read_compress(const lil_reader *rd, const lil_node *node, int *level)
{
    const char *text = node && node->kind == LIL_NODE_SCALAR ? node->text : "";
    bool digit = strlen(text) == 1 && text[0] >= '1' && text[0] <= '9';
    *level = digit ? text[0] - '0' : strcmp(text, "true") == 0 ? 1 : 0;
    if (!node || *level || strcmp(text, "false") == 0)
        return LIL_OK;
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'compress' must be true, false or a level from 1 to 9%s%.60s",
                         *text ? ", not " : "", text);
}

static lil_status read_record(const lil_reader *rd, const lil_node *root, lil_settings *st)
{
    const lil_node *node = lil_node_get(root, "record");
    lil_record_def *rc = &st->record;
    LIL_TRY(lil_read_table(rd, node, &lil_record_table, rc));
    LIL_TRY(read_what(rd, node ? lil_node_get(node, "what") : NULL, &rc->form));
    LIL_TRY(read_compress(rd, node ? lil_node_get(node, "compress") : NULL, &rc->form.compress));
    if (node) {
        if (rc->fps > 0 && rc->every > 0)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "record takes 'fps' or 'every', not both");
        if (rc->every != floor(rc->every))
            return lil_node_fail(rd->ctx, lil_node_get(node, "every"), LIL_ERR_INPUT,
                                 "'every' must be a whole number of steps, not %g", rc->every);
        if (rc->fps * st->time.step > 1 && !st->adaptive)
            return lil_node_fail(rd->ctx, lil_node_get(node, "fps"), LIL_ERR_INPUT,
                                 "%g frames per second are more than the %g steps per second", rc->fps,
                                 1 / st->time.step);
    }
    return LIL_OK;
}

lil_status lil_read_settings(const lil_reader *rd, const lil_node *root, const lil_shot_settings *shot,
                             lil_settings *st)
{
    *st = (lil_settings){ 0 };
    LIL_TRY(read_integrator(rd, root, st));
    LIL_TRY(lil_read_table(rd, lil_node_get(root, "solver"), &lil_solver_table, &st->solver));
    if (shot->node)
        return set_shot_time(rd, root, shot, st);
    LIL_TRY(read_time(rd, root, st));
    return read_record(rd, root, st);
}
