#include "scene/contact_method.h"

#include "scene/contact_pairs.h"
#include "sim/sim.h"
#include "terms/tets.h"

#include <string.h>

typedef struct question {
    const lil_node *root, *contact, *obstacles;
    const lil_settings *st;
    const lil_world *bs;
} question;

static bool has_any(const lil_node *map, const char *const *keys)
{
    for (int i = 0; map && keys[i]; i++)
        if (lil_node_get(map, keys[i]))
            return true;
    return false;
}

/* The first obstacle that has one of these keys. */
static const lil_node *obstacle_with(const question *q, const char *const *keys)
{
    for (const lil_node *node = q->obstacles ? q->obstacles->first : NULL; node; node = node->next)
        if (node->kind == LIL_NODE_MAP && has_any(node, keys))
            return node;
    return NULL;
}

/* ---- what the barrier does not go together with ---- */

static bool is_constrained(const question *q)
{
    return q->bs->constraint_count > 0 && q->st->solver.constraints != LIL_CONSTRAINTS_PENALTY;
}

static bool is_shot(const question *q)
{
    return lil_node_get(q->root, "keys");
}

/* auto is energy-momentum or midpoint, both of which have the barrier */
static bool is_other_method(const question *q)
{
    return q->st->method && !lil_takes_barrier(q->st->method);
}

/* With what energy-momentum does not have in its steps auto is midpoint (sim/choice.c). */
static bool may_be_midpoint(const question *q)
{
    return !q->st->method || q->st->method == &lil_midpoint;
}

static bool is_loosely_bound(const question *q)
{
    return q->bs->constraint_count > 0 && !is_constrained(q);
}

static bool is_direct(const question *q)
{
    return !is_constrained(q) && q->st->solver.linear == LIL_LINEAR_DIRECT;
}

static bool is_adaptive(const question *q)
{
    return !is_constrained(q) && q->st->adaptive;
}

/* Midpoint is no minimisation then, and has no place for damping in its Lilyan. */
static bool is_minimised(const question *q)
{
    return may_be_midpoint(q) && q->st->solver.method == LIL_SOLVER_MINIMISE;
}

static bool damps_in_the_step(const question *q)
{
    bool found = false;
    for (int i = 0; i < q->bs->count; i++) {
        const lil_damping_def *d = &q->bs->list[i].damping;
        found = found || (d->kD > 0 && (d->form == LIL_DAMP_MINIMISED || d->form == LIL_DAMP_PAPER));
    }
    for (int i = 0; i < q->bs->spring_set_count; i++) {
        const lil_damping_def *d = &q->bs->springs[i].damping;
        found = found || (d->kD > 0 && (d->form == LIL_DAMP_MINIMISED || d->form == LIL_DAMP_PAPER));
    }
    return may_be_midpoint(q) && found;
}

static bool forces_once(const question *q)
{
    const lil_node *integrator = lil_node_get(q->root, "integrator"),
                   *forcing =
                       integrator && integrator->kind == LIL_NODE_MAP ? lil_node_get(integrator, "forcing") : NULL;
    bool forced = q->bs->drag_count > 0;
    for (int i = 0; i < q->bs->load_count; i++)
        forced = forced || q->bs->loads[i].uses_t;
    return q->st->method == &lil_midpoint && forced && forcing && strcmp(forcing->text, "minus") == 0;
}

/* In N/m^3, or N/m: the scene speaks of penalty. With the barrier it would be in Pa. */
static bool has_stiffness(const question *q)
{
    static const char *const keys[] = { "stiffness", NULL };
    return has_any(q->contact, keys) || obstacle_with(q, keys);
}

/* One line for each thing; %s is the integrator. */
static const struct line {
    bool (*holds)(const question *q);
    const char *why, *cure; /* cure NULL: an explicit request for the barrier is possible */
} lines[] = {
    { has_stiffness, "a 'stiffness' is given, which is that of penalty", NULL },
    { is_shot, "shots do not support the barrier", "leave it out" },
    { is_other_method, "%s does not support the barrier", "use energy-momentum, midpoint or implicit-euler" },
    { is_loosely_bound, "the barrier does not support penalty constraints", "use variational constraints" },
    { is_direct, "the barrier is solved iteratively", "use the linear solver 'auto'" },
    { is_adaptive, "the barrier needs a fixed step", "leave 'adaptive' out" },
    { is_minimised, "with the barrier a step of %s is not a minimisation", "use the solver 'auto'" },
    { damps_in_the_step, "%s with the barrier cannot include damping in its steps", "use damping 'exact'" },
    { forces_once, "%s with the barrier needs forces at both ends of the step", "use forcing 'both'" },
};

/* ---- what the barrier alone has ---- */

/* The option that needs the barrier, and its node; NULL: none. */
static const char *asks(const question *q, const lil_node **node)
{
    static const char *const mesh[] = { "mesh", NULL }, *const turn[] = { "turn", NULL };
    static const char *const keys[] = { "ignore", "between", "restitution", "d_hat", NULL }, *const quoted[] = {
        "'ignore'", "'between'", "'restitution'", "'d_hat'"
    };
    const lil_node *obstacle;
    if ((obstacle = obstacle_with(q, mesh)) && (*node = lil_node_get(obstacle, "mesh")))
        return "an obstacle with a mesh";
    if ((obstacle = obstacle_with(q, turn)) && (*node = lil_node_get(obstacle, "turn")))
        return "an obstacle that turns";
    for (int i = 0; i < q->bs->count; i++)
        if ((*node = lil_node_get(q->bs->list[i].node, "friction")))
            return "a body's own 'friction'";
    for (int i = 0; q->contact && keys[i]; i++)
        if ((*node = lil_node_get(q->contact, keys[i])))
            return quoted[i];
    return NULL;
}

lil_status lil_choose_contact(const lil_reader *rd, const lil_node *root, lil_world *bs, int *method)
{
    question q = { root, lil_node_get(root, "contact"), lil_node_get(root, "obstacles"), rd->settings, bs };
    const lil_node *node = NULL;
    const char *what = asks(&q, &node);
    const lil_node *bodies = q.contact ? lil_node_get(q.contact, "bodies") : NULL;
    bool touches = q.obstacles || (q.contact && !(bodies && strcmp(bodies->text, "pass") == 0));
    if (*method != LIL_CHOOSE_AUTO)
        return LIL_OK;
    *method = touches ? LIL_CHOOSE_BARRIER : LIL_CHOOSE_PENALTY;
    for (size_t i = 0; touches && i < sizeof lines / sizeof lines[0]; i++) {
        if ((what && !lines[i].cure) || !lines[i].holds(&q))
            continue;
        const char *why =
            lil_arena_format(rd->arena, lines[i].why, q.st->method ? q.st->method->name : lil_midpoint.name);
        LIL_HAVE(rd->ctx, why);
        if (what)
            return lil_node_fail_key(rd->ctx, node, "%s needs the barrier, but %s: %s", what, why, lines[i].cure);
        bs->no_barrier = why;
        *method = LIL_CHOOSE_PENALTY;
        break;
    }
    return LIL_OK;
}
