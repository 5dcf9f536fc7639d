/*
 * Symmetric compositions: a symmetric base of order 2 stepped with gamma_1 h, ..., gamma_m h, chosen so that the
 * lower error terms cancel (Hairer, Lubich & Wanner, V.3.2). Some gamma are negative: forces that damp one way would
 * anti-damp the other, so they are refused. Friction is no such force: the velocity of each part has it over the time
 * since the step began, which is never negative, and p, which parts hand on without it, has it in the end
 * (discrete/friction_impulse.h).
 *
 *     order 4    Suzuki 1990, 5 stages                 h omega < 2.72 with Stormer-Verlet
 *     order 6    Kahan & Li 1997, 9 stages             h omega < 2.53
 *     order 8    Kahan & Li 1997, 17 stages            h omega < 3.09
 */
#include "integrators/stepper.h"

#include "core/field.h"

#include <math.h>
#include <string.h>

typedef struct config {
    lil_name base;
    int order;
} config;

static const char *const orders[] = { "4", "6", "8", NULL };
static const char *const default_base[] = { "stormer-verlet", NULL };

static const lil_field fields[] = {
    { .name = "base",
      .kind = LIL_NAME,
      .offset = offsetof(config, base),
      .choices = default_base,
      .unit = "",
      .doc = "the symmetric integrator to compose, with its default options" },
    LIL_FIELD_CHOICE(config, "order", order, 0, orders, "order of accuracy"),
};

/* Half of each row, up to its middle: the rest mirrors it. */
typedef struct row {
    int stages;
    double gamma[9], stable;
} row;

static row row_of(const config *c)
{
    double cube = cbrt(4), suzuki = 1 / (4 - cube);
    const row rows[] = {
        { 5, { suzuki, suzuki, -cube * suzuki }, 2.72 },
        { 9,
          { 0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
            0.08221359629355080023149045, 0.79854399093482996339895035 },
          2.53 },
        { 17,
          { 0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
            0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
            0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108 },
          3.09 },
    };
    return rows[c->order];
}

static lil_claims composition_claims(const void *data)
{
    const config *c = data;
    bool verlet = strcmp(c->base.text, "stormer-verlet") == 0, midpoint = strcmp(c->base.text, "midpoint") == 0;
    /* composed of rotations the midpoint rule stays a rotation, at any step */
    return (lil_claims){ .order = 4 + 2 * c->order,
                         .holds =
                             LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY | (verlet ? LIL_EXPLICIT : 0),
                         .stable = verlet     ? row_of(c).stable
                                   : midpoint ? INFINITY
                                              : 0 };
}

static lil_status begin_base(lil_stepper *s, const lil_integrator *base)
{
    lil_stepper *inner = lil_stepper_alloc(s, sizeof *inner);
    void *base_config = lil_stepper_alloc(s, base->config_size);
    LIL_HAVE(s->ctx, inner && base_config);
    lil_fields_default(base->fields, base->field_count, base_config);
    lil_claims c = base->claims(base_config);
    if (!(c.holds & LIL_SYMMETRIC) || !(c.holds & LIL_SYMPLECTIC) || c.order != 2)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "a composition needs a symmetric, symplectic base of order 2, and '%s' is not one",
                        base->name);
    if (c.holds & LIL_CONSTANT_MASS_ONLY && !s->model->mass.constant)
        return lil_fail(s->ctx, LIL_ERR_INPUT, "the base '%s' needs a constant mass: use midpoint here", base->name);
    *inner = *s; /* state, evaluator, tally and solver are shared */
    inner->method = base;
    inner->config = base_config;
    inner->data = NULL;
    inner->part = true;
    s->inner = inner;
    LIL_HAVE(s->ctx, s->data = lil_stepper_alloc(s, (size_t)s->state->n * sizeof(double)));
    LIL_TRY(lil_stepper_begin(inner));
    if (inner->damps && lil_model_terms(s->model, LIL_IMPULSE))
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "a composition has backward substeps, so its base '%s' cannot damp: use damping 'exact'",
                        base->name);
    /* bases that know how long a step has lasted, and whose p is not projected after it */
    if (lil_stepper_rule(inner) && !s->constrained)
        return lil_stepper_begin_friction(s);
    return LIL_OK;
}

static lil_status composition_begin(lil_stepper *s)
{
    const config *c = s->config;
    const lil_integrator *base = lil_integrator_find(s->ctx, c->base.text);
    if (!base)
        return lil_fail(s->ctx, LIL_ERR_INPUT, "unknown base '%s' of the composition", c->base.text);
    if (lil_model_terms(s->model, LIL_FORCE))
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "a composition has backward substeps, so it does not support forces: use gauss or lobatto");
    if (lil_model_terms(s->model, LIL_STEP))
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "a composition has backward substeps, so its steps cannot damp: use damping 'exact'");
    return begin_base(s, base);
}

static lil_status composition_step(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    row r = row_of(s->config);
    double start = x->t, done = 0, *v_begin = s->data;
    lil_discrete *base = lil_stepper_rule(s->inner);
    bool has_friction = s->friction_impulse.ev;
    lil_status status = LIL_OK;
    memcpy(v_begin, x->v, (size_t)x->n * sizeof *v_begin);
    if (has_friction)
        lil_friction_impulse_begin(&s->friction_impulse);
    for (int i = 0; i < r.stages && status == LIL_OK; i++) {
        double gamma = r.gamma[i <= r.stages / 2 ? i : r.stages - 1 - i];
        x->t = start + done * h;
        if (base)
            base->passed = done * h;
        done += gamma;
        if (i && s->model->mass.constant) /* the guess of an implicit base; of a general L the last one serves */
            status = lil_stepper_velocity(s, x->t, x->q, x->p, x->v);
        if (status == LIL_OK)
            status = s->inner->method->step(s->inner, gamma * h);
        if (has_friction && status == LIL_OK) {
            memcpy(s->friction_impulse.D, base->friction_impulse.D, (size_t)x->n * sizeof *s->friction_impulse.D);
            lil_friction_impulse_add(&s->friction_impulse, gamma);
        }
    }
    x->t = start;
    if (status == LIL_OK && has_friction)
        lil_stepper_rub_step(s, h, v_begin);
    return status;
}

const lil_integrator lil_composition = {
    .name = "composition",
    .summary = "Order 4, 6 or 8 by composing a symmetric method of order 2; explicit if the base is.",
    .formula = "step(gamma_m h) ... step(gamma_2 h) step(gamma_1 h),  gamma_i = gamma_{m+1-i},  sum gamma_i = 1",
    .citation = "Suzuki 1990; Kahan & Li 1997; Hairer, Lubich & Wanner, V.3.2",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .claims = composition_claims,
    .begin = composition_begin,
    .step = composition_step,
};
