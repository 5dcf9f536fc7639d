/*
 * Asynchronous variational integrators (Lew, Marsden, Ortiz & West 2003): every element has its own step. The
 * discrete action is a sum over elements and their own times,
 *
 *     S = sum over vertices of the integral of m/2 v^2  -  sum_e sum_k  h_e W_e(q at t_e^k),
 *
 * half of h_e where a step begins and ends. So vertices drift, each as far as it is asked for; and at its times an
 * element brings its vertices there and kicks them,
 *
 *     q_a += (t - t_a) v_a,   t_a = t,     p -= h_e dW_e(q).
 *
 * What acts everywhere alike, weight, is exact in the drift. With one step for all this is Stormer-Verlet.
 *
 * Unlike in the paper the times of an element are those of the whole step, divided: h_e = h / n_e, with the least n_e
 * that is stable for the element. Then all elements meet at the ends of a step. So the state is (q, p) and nothing
 * else, what is recorded needs no extrapolation, and the step is a map of its own, symplectic and symmetric, to which
 * everything applies that is known of such: kicks about it, roll back, step control, composition. Elements of nearly
 * equal steps go together (discrete/step_groups.h), so that the queue has few events and each is a kernel's work.
 */
#include "discrete/queue.h"
#include "discrete/step_groups.h"
#include "integrators/stepper.h"

#include <math.h>
#include <string.h>

typedef struct config {
    double courant;
} config;

static const lil_field fields[] = {
    LIL_FIELD_REAL(config, courant, 0.8, 0.01, 0.99, "",
                   "longest step of an element, relative to its own stability limit at rest"),
};

/* Everything is over all vertices, also those that are held. */
typedef struct asynchronous {
    lil_step_groups groups;
    int64_t *steps, *done; /* of each group: how many it makes within the step, and has made */
    lil_queue queue;
    double *shifts; /* kept: how often steps were shifted */
    double *x, *p, *v, *g;
    double *inverse; /* 1/m; 0 of what is held */
    double *weight;  /* the force that is the same everywhere */
    double *now;     /* of each vertex: how far it has come, 0 to 1 */
    double *ends;    /* half kicks at the end of the latest step, where the next one begins */
    double ends_h, ends_shifts;
    double ends_work;           /* of obstacles that move, in those kicks, */
    double *ends_press, *press; /*   and the sums of the kicks on what touches each obstacle; room for them */
    bool heavy;                 /* there is a weight */
} asynchronous;

static lil_claims asynchronous_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 2,
                         .holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY | LIL_EXPLICIT |
                                  LIL_CONSTANT_MASS_ONLY | LIL_ELEMENTS_ONLY,
                         .stable = 0 }; /* of one oscillation any step, but several can resonate */
}

static bool damps(const lil_step_group *g)
{
    return g->part.table->place == LIL_IMPULSE;
}

/* ---- how many steps each group makes ---- */

/* the more often a shift was asked for the shorter, by one step in 32, or one */
static int64_t steps_of(const lil_stepper *s, const asynchronous *a, const lil_step_group *g, double h)
{
    const config *c = s->config;
    double n = ceil(fabs(h) / (c->courant * g->longest) * (1 - 1e-12)); /* as many as fit exactly are enough */
    n = fmax(n, 1);
    n += *a->shifts * fmax(1, floor(n / 32));
    return n < 1e18 ? (int64_t)n : (int64_t)1e18;
}

static lil_status asynchronous_plan(lil_stepper *s, asynchronous *a, double h)
{
    const double MOST = 1e9;
    double updates = 0, most = -1;
    const lil_step_group *worst = NULL;
    for (int i = 0; i < a->groups.count; i++) {
        const lil_step_group *g = &a->groups.list[i];
        a->steps[i] = steps_of(s, a, g, h);
        double own = (double)a->steps[i] * g->count;
        updates += own;
        if (own > most) {
            most = own;
            worst = g;
        }
    }
    if (updates <= MOST) {
        s->tally->element_updates += (int64_t)updates;
        return LIL_OK;
    }
    char name[200];
    worst->whole->table->elements->name(worst->whole->data, worst->slowest, name, sizeof name);
    return lil_fail(s->ctx, LIL_ERR_INPUT,
                    "a step of %g s would need %.3g element updates with asynchronous, because %s is stable only up "
                    "to %.3g s: repair the mesh, or use midpoint",
                    h, updates, name, worst->longest);
}

static void asynchronous_shift(lil_stepper *s)
{
    ++*((asynchronous *)s->data)->shifts;
}

/* ---- drift ---- */

static void drift(asynchronous *a, double h, double s, int vertex)
{
    double dt = (s - a->now[vertex]) * h, *x = a->x + 3 * (size_t)vertex, *p = a->p + 3 * (size_t)vertex;
    double by = dt * a->inverse[vertex];
    a->now[vertex] = s;
    if (!a->heavy) {
        for (int d = 0; d < 3; d++)
            x[d] += by * p[d];
        return;
    }
    const double *f = a->weight + 3 * (size_t)vertex;
    for (int d = 0; d < 3; d++) {
        x[d] += by * (p[d] + dt / 2 * f[d]);
        p[d] += dt * f[d];
    }
}

/* Prescribed coordinates follow their prescribed motion. */
static void bring(lil_stepper *s, asynchronous *a, double t, const int *vertices, int count)
{
    const lil_positions *full = &s->ev->full;
    if (count)
        lil_positions_run(&s->ev->full, t);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++) {
            size_t k = 3 * (size_t)vertices[i] + (size_t)d;
            a->x[k] = full->x[k];
            a->v[k] = full->v[k];
        }
}

static void bring_step_group(lil_stepper *s, asynchronous *a, const lil_step_group *g, double h, double at)
{
    for (int i = 0; i < g->free_count; i++)
        drift(a, h, at, g->vertices[i]);
    bring(s, a, s->state->t + at * h, g->vertices + g->free_count, g->moved_count);
}

static void bring_scripts(lil_stepper *s, asynchronous *a, double t)
{
    const lil_dofs *dofs = &s->model->dofs;
    for (int i = 0; i < dofs->script_count; i++)
        bring(s, a, t, dofs->scripts[i].vertices, dofs->scripts[i].count);
}

/* ---- kick ---- */

/* g = dW of the group, at its vertices */
static void asynchronous_find_gradient(asynchronous *a, const lil_step_group *g, double t)
{
    for (int i = 0; i < g->vertex_count; i++)
        memset(a->g + 3 * (size_t)g->vertices[i], 0, 3 * sizeof *a->g);
    g->part.table->evaluate(g->part.data, g->work, &(lil_at){ t, a->x, NULL }, &(lil_sums){ NULL, a->g, NULL });
}

/* what W of the group owes to the time, W */
static double asynchronous_driven(const lil_step_group *g)
{
    return g->part.table->driven ? g->part.table->driven(g->work) : 0;
}

/* the power of a force -f against prescribed motion */
static double asynchronous_power(const asynchronous *a, const double *f, const int *vertices, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++)
            sum += f[3 * (size_t)vertices[i] + (size_t)d] * a->v[3 * (size_t)vertices[i] + (size_t)d];
    return sum;
}

/* The sums of the latest gradient over what touches each obstacle; NULL: it has none. */
static const double *press_of(const lil_stepper *s, asynchronous *a, const lil_step_group *g)
{
    if (!g->part.table->press)
        return NULL;
    memset(a->press, 0, 3 * (size_t)s->model->obstacle_count * sizeof *a->press);
    g->part.table->press(g->work, a->press);
    return a->press;
}

/* What supports take of a kick that free vertices get. */
static void support_step_group(lil_stepper *s, asynchronous *a, const lil_step_group *g, double weight)
{
    lil_supports *to = s->ev->supports;
    if (!to)
        return;
    for (int i = g->free_count; i < g->vertex_count; i++)
        lil_supports_add_at(to, g->vertices[i], weight, a->g + 3 * (size_t)g->vertices[i]);
    const double *press = press_of(s, a, g);
    if (press)
        lil_supports_add_press(to, weight, press);
}

static void asynchronous_kick(lil_stepper *s, asynchronous *a, const lil_step_group *g, double t, double h)
{
    asynchronous_find_gradient(a, g, t);
    for (int i = 0; i < g->free_count; i++)
        for (int d = 0; d < 3; d++)
            a->p[3 * (size_t)g->vertices[i] + (size_t)d] -= h * a->g[3 * (size_t)g->vertices[i] + (size_t)d];
    support_step_group(s, a, g, h);
    s->tally->work_in +=
        h * (asynchronous_power(a, a->g, g->vertices + g->free_count, g->moved_count) + asynchronous_driven(g));
}

/* twice the kinetic energy; v is brought up to date */
static double kinetic(asynchronous *a, const lil_step_group *g)
{
    double sum = 0;
    for (int i = 0; i < g->free_count; i++)
        for (int d = 0; d < 3; d++) {
            size_t k = 3 * (size_t)g->vertices[i] + (size_t)d;
            a->v[k] = a->p[k] * a->inverse[g->vertices[i]];
            sum += a->p[k] * a->v[k];
        }
    return sum;
}

/* The paper's explicit damping, D(q - h v, q), once a step of the elements that have it. */
static void asynchronous_damp(lil_stepper *s, asynchronous *a, const lil_step_group *g, double t, double h)
{
    double before = kinetic(a, g);
    for (int i = 0; i < g->vertex_count; i++)
        memset(a->g + 3 * (size_t)g->vertices[i], 0, 3 * sizeof *a->g);
    g->part.table->prepare(g->part.data, g->work, t, h, a->x);
    g->part.table->evaluate(g->part.data, g->work, &(lil_at){ t, a->x, a->v }, &(lil_sums){ NULL, NULL, a->g });
    for (int i = 0; i < g->free_count; i++)
        for (int d = 0; d < 3; d++)
            a->p[3 * (size_t)g->vertices[i] + (size_t)d] -= a->g[3 * (size_t)g->vertices[i] + (size_t)d];
    support_step_group(s, a, g, 1);
    double held = asynchronous_power(a, a->g, g->vertices + g->free_count, g->moved_count);
    s->tally->work_in += held;
    s->tally->work_out += (before - kinetic(a, g)) / 2 + held;
}

/* ends = sum h_e/2 dW_e */
static void asynchronous_find_ends(const lil_stepper *s, asynchronous *a, double t, double h)
{
    memset(a->ends, 0, (size_t)s->model->dofs.total * sizeof *a->ends);
    a->ends_work = 0;
    memset(a->ends_press, 0, 3 * (size_t)s->model->obstacle_count * sizeof *a->ends_press);
    for (int i = 0; i < a->groups.count; i++) {
        const lil_step_group *g = &a->groups.list[i];
        double half = h / (double)a->steps[i] / 2;
        if (damps(g))
            continue;
        asynchronous_find_gradient(a, g, t);
        a->ends_work += half * asynchronous_driven(g);
        const double *press = press_of(s, a, g);
        if (press)
            lil_add(3 * s->model->obstacle_count, half, press, a->ends_press);
        for (int k = 0; k < g->vertex_count; k++)
            for (int d = 0; d < 3; d++)
                a->ends[3 * (size_t)g->vertices[k] + (size_t)d] +=
                    half * a->g[3 * (size_t)g->vertices[k] + (size_t)d];
    }
    a->ends_h = h;
    a->ends_shifts = *a->shifts;
}

/* The same of all vertices. */
static void support_all(lil_stepper *s, double weight, const double *g)
{
    lil_supports *to = s->ev->supports;
    for (int i = 0; to && i < to->count; i++)
        lil_supports_add_at(to, to->vertices[i], weight, g + 3 * (size_t)to->vertices[i]);
}

static void kick_ends(lil_stepper *s, asynchronous *a)
{
    const lil_dofs *dofs = &s->model->dofs;
    lil_add(dofs->total, -1, a->ends, a->p);
    support_all(s, 1, a->ends);
    lil_supports_add_press(s->ev->supports, 1, a->ends_press);
    s->tally->work_in += a->ends_work;
    for (int i = 0; i < dofs->script_count; i++)
        s->tally->work_in += asynchronous_power(a, a->ends, dofs->scripts[i].vertices, dofs->scripts[i].count);
}

/* ---- step ---- */

/* All coordinates from the state. True: they are those that the latest step ended with, to the last bit. */
static bool take_in(lil_stepper *s, asynchronous *a)
{
    const lil_state *q = s->state;
    const double *x = lil_positions_of(&s->ev->full, q->t, q->q);
    size_t n = (size_t)s->model->dofs.total;
    bool same = memcmp(a->x, x, n * sizeof *x) == 0;
    memcpy(a->x, x, n * sizeof *x);
    if (!s->model->dofs.free)
        memcpy(a->p, q->p, n * sizeof *x);
    else
        for (int i = 0; i < q->n; i++)
            a->p[s->model->dofs.free[i]] = q->p[i];
    memset(a->now, 0, n / 3 * sizeof *a->now);
    return same;
}

static void hand_out(lil_stepper *s, const asynchronous *a)
{
    const int *free = s->model->dofs.free;
    for (int i = 0; i < s->state->n; i++) {
        s->state->q[i] = a->x[free ? free[i] : i];
        s->state->p[i] = a->p[free ? free[i] : i];
    }
}

/* all that happens between the ends */
static void run_queue(lil_stepper *s, asynchronous *a, double h)
{
    a->queue.count = 0;
    for (int i = 0; i < a->groups.count; i++) {
        a->done[i] = 1;
        if (a->steps[i] > 1)
            lil_queue_add(&a->queue, (lil_event){ 1 / (double)a->steps[i], i });
    }
    while (a->queue.count) {
        lil_event next = a->queue.heap[0];
        const lil_step_group *g = &a->groups.list[next.number];
        double n = (double)a->steps[next.number];
        bring_step_group(s, a, g, h, next.time);
        (damps(g) ? asynchronous_damp : asynchronous_kick)(s, a, g, s->state->t + next.time * h, h / n);
        if (++a->done[next.number] < a->steps[next.number])
            lil_queue_put_off(&a->queue, (double)a->done[next.number] / n);
        else
            lil_queue_take(&a->queue);
    }
}

/* sum of f.x over prescribed motion: less of it is what hands have lifted */
static double weight_of_scripts(const lil_stepper *s, const asynchronous *a)
{
    const lil_dofs *dofs = &s->model->dofs;
    double sum = 0;
    for (int i = 0; i < dofs->script_count; i++)
        for (int k = 0; k < dofs->scripts[i].count; k++)
            for (int d = 0; d < 3; d++) {
                size_t at = 3 * (size_t)dofs->scripts[i].vertices[k] + (size_t)d;
                sum += a->weight[at] * a->x[at];
            }
    return sum;
}

static lil_status asynchronous_step(lil_stepper *s, double h)
{
    asynchronous *a = s->data;
    LIL_TRY(asynchronous_plan(s, a, h));
    /* an element's update is shorter than two looks at a clock: all of them count as one evaluation */
    lil_phase_begin(s->ctx->phases, LIL_PHASE_EVALUATE);
    bool same = take_in(s, a) && h == a->ends_h && *a->shifts == a->ends_shifts;
    bring_scripts(s, a, s->state->t);
    s->tally->work_in += weight_of_scripts(s, a);
    support_all(s, -h, a->weight);
    for (int i = 0; i < a->groups.count; i++)
        if (damps(&a->groups.list[i]))
            asynchronous_damp(s, a, &a->groups.list[i], s->state->t, h / (double)a->steps[i]);
    if (!same)
        asynchronous_find_ends(s, a, s->state->t, h);
    kick_ends(s, a);
    run_queue(s, a, h);
    for (int v = 0; v < s->model->points.count; v++)
        if (a->inverse[v] > 0)
            drift(a, h, 1, v);
    bring_scripts(s, a, s->state->t + h);
    s->tally->work_in -= weight_of_scripts(s, a);
    asynchronous_find_ends(s, a, s->state->t + h, h);
    kick_ends(s, a);
    hand_out(s, a);
    lil_phase_end(s->ctx->phases);
    return LIL_OK;
}

/* ---- begin ---- */

static lil_status asynchronous_check_terms(const lil_stepper *s)
{
    bool elements = false;
    for (int i = 0; i < s->model->term_count; i++) {
        const lil_term_table *table = s->model->terms[i].table;
        if (table->place == LIL_FORCE)
            return lil_fail(
                s->ctx, LIL_ERR_INPUT,
                "asynchronous does not support forces that depend on time or velocity: use stormer-verlet");
        if (table->place == LIL_POTENTIAL && s->model->points.count && !table->elements && !table->uniform)
            return lil_fail(s->ctx, LIL_ERR_INPUT, "asynchronous does not support %s: use stormer-verlet",
                            table->doc);
        elements = elements || (table->place == LIL_POTENTIAL && table->elements);
    }
    if (!elements)
        return lil_fail(
            s->ctx, LIL_ERR_INPUT,
            "asynchronous gives each tet and each spring its own step, but there are none: use stormer-verlet");
    return LIL_OK;
}

static lil_status asynchronous_allocate(lil_stepper *s, asynchronous *a)
{
    size_t n = (size_t)s->model->dofs.total;
    LIL_ALLOC_ALL(s->ctx, s->arena, double, n, &a->x, &a->p, &a->v, &a->g, &a->inverse, &a->weight, &a->now,
                  &a->ends);
    LIL_ALLOC_ALL(s->ctx, s->arena, double, 3 * (size_t)s->model->obstacle_count, &a->ends_press, &a->press);
    a->steps = LIL_NEW(s->arena, int64_t, a->groups.count);
    a->done = LIL_NEW(s->arena, int64_t, a->groups.count);
    a->queue.heap = LIL_NEW(s->arena, lil_event, a->groups.count);
    a->shifts = lil_stepper_keep(s, 1);
    return a->steps && a->done && a->queue.heap && a->shifts ? LIL_OK : lil_fail_memory(s->ctx);
}

static void set_weight(lil_stepper *s, asynchronous *a)
{
    const lil_model *model = s->model;
    for (int i = 0; i < model->term_count; i++) {
        const lil_term *term = &model->terms[i];
        if (!term->table->uniform)
            continue;
        term->table->evaluate(term->data, s->ev->work[i], &(lil_at){ 0, model->dofs.held, NULL },
                              &(lil_sums){ NULL, a->weight, NULL });
        a->heavy = true;
    }
    for (int k = 0; k < model->dofs.total; k++)
        a->weight[k] = -a->weight[k]; /* dW/dq as it was */
}

static lil_status asynchronous_begin(lil_stepper *s)
{
    LIL_TRY(asynchronous_check_terms(s));
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_NONE));
    asynchronous *a = s->data = LIL_NEW(s->arena, asynchronous, 1);
    LIL_HAVE(s->ctx, a);
    LIL_TRY(lil_step_groups_create(s->ctx, s->arena, s->model, &a->groups));
    LIL_TRY(asynchronous_allocate(s, a));
    for (int v = 0; v < s->model->points.count; v++)
        if (!s->model->dofs.free || s->model->dofs.number[3 * v] >= 0)
            a->inverse[v] = 1 / s->model->points.mass[v];
    set_weight(s, a);
    s->damps = true;
    s->shift = asynchronous_shift;
    /* p^2/2 + omega^2 q^2/2 (1 - (h omega/2)^2) is kept by steps of h, and h omega/2 <= c: the energy grows to
     * 1/(1 - c^2) at most */
    double square = ((const config *)s->config)->courant * ((const config *)s->config)->courant;
    s->gain = square / (1 - square);
    LIL_TRY(asynchronous_plan(s, a, s->step));
    s->tally->element_updates = 0;
    return LIL_OK;
}

const lil_integrator lil_asynchronous = {
    .name = "asynchronous",
    .summary =
        "Explicit, for bodies with a few small tets: only these take short steps. Element e divides the step h "
        "into n_e parts, as few as are stable. The parts begin and end at the times t = t_k + j h/n_e. At each of "
        "them every vertex a of the element first moves, with its velocity, from its last time t_a to t. Then the "
        "momenta of the vertices change by h/n_e times the force of the element; by half of that at the start and "
        "at the end of the step h.",
    .formula = "t = t_k + j h/n_e, j = 0 ... n_e:  q_a += (t - t_a) v_a,  p -= c h/n_e dW_e(q);  c = 1/2 if j = 0 or "
               "n_e, else 1",
    .citation = "Lew, Marsden, Ortiz & West, Asynchronous variational integrators, Arch. Rational Mech. Anal. 2003",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .claims = asynchronous_claims,
    .begin = asynchronous_begin,
    .step = asynchronous_step,
};
