#include "sim/measure.h"

#include "materials/material.h"
#include "sim/sim.h"
#include "world/contact.h"

#include <math.h>
#include <string.h>

static const lil_quantity_info quantities[] = {
    [LIL_REACTION] = { "reaction", "N", 3 },     [LIL_CONTACT_FORCE] = { "force", "N", 3 },
    [LIL_STRESS] = { "stress", "Pa", 6 },        [LIL_VON_MISES] = { "von_mises", "Pa", 1 },
    [LIL_ELASTIC_ENERGY] = { "energy", "J", 1 },
};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

const lil_quantity_info *lil_quantity_at(int quantity)
{
    return quantity >= 0 && quantity < QUANTITIES ? &quantities[quantity] : NULL;
}

/* ---- what a name stands for ---- */

typedef struct maker {
    lil_context *ctx;
    lil_arena *arena;
    const lil_model *model;
    lil_measure *m;
} maker;

static lil_status refuse_measure(const maker *k, const char *why)
{
    return lil_fail(k->ctx, LIL_ERR_INPUT, "%s(%.60s): %s", quantities[k->m->quantity].name, k->m->name, why);
}

static const lil_mark_set *find_mark(const lil_model *model, const char *name)
{
    for (int i = 0; i < model->points.mark_count; i++)
        if (strcmp(model->points.marks[i].name, name) == 0)
            return &model->points.marks[i];
    return NULL;
}

static lil_status take_mark(const maker *k, const lil_mark_set *mark)
{
    k->m->vertices = mark->vertices;
    k->m->count = mark->count;
    return LIL_OK;
}

/* Those that join vertices have no force on the whole. */
static lil_status find_constraint(const maker *k)
{
    const lil_constraint *sets = k->model->constraints;
    int number = -1;
    for (int i = 0; i < k->model->constraint_count; i++) {
        const lil_constraint_table *t = sets[i].table;
        number += i == 0 || sets[i].name != sets[i - 1].name;
        if (!sets[i].name || strcmp(sets[i].name, k->m->name) != 0)
            continue;
        k->m->number = number;
        return t == &lil_constraint_distance || t == &lil_constraint_angle || t == &lil_constraint_equal ||
                       t == &lil_constraint_tie
                   ? refuse_measure(k, "this constraint joins vertices: its forces on them cancel")
                   : LIL_OK;
    }
    return refuse_measure(k, "no body, group or constraint has this name");
}

static lil_status find_reaction(const maker *k)
{
    const lil_mark_set *mark = find_mark(k->model, k->m->name);
    int pinned = 0;
    if (!mark)
        return find_constraint(k);
    for (int i = 0; i < mark->count; i++)
        pinned += k->model->dofs.free && k->model->dofs.number[3 * (size_t)mark->vertices[i]] < 0;
    return pinned ? take_mark(k, mark) : refuse_measure(k, "none of its vertices is fixed or moved by a handle");
}

static lil_status find_obstacle(const maker *k)
{
    const lil_world *w = k->model->world;
    for (int i = 0; i < w->obstacle_count; i++)
        if (strcmp(w->obstacles[i].name, k->m->name) == 0) {
            k->m->number = i;
            return LIL_OK;
        }
    return refuse_measure(k, "no obstacle has this name");
}

static const lil_body *find_body(const lil_world *w, const char *name)
{
    for (int i = 0; i < w->count; i++)
        if (strcmp(w->list[i].name, name) == 0 && !w->list[i].particles)
            return &w->list[i];
    return NULL;
}

/* Elements that have a measured vertex; without a list they are counted. */
static int list_elements(const maker *k, const int *node_of, lil_measured_element *list)
{
    int count = 0;
    for (int i = 0; i < k->model->term_count; i++) {
        const lil_term *term = &k->model->terms[i];
        for (int e = 0; term->table->solid && e < term->table->elements->count(term->data); e++) {
            int at[LIL_ELEMENT_VERTICES];
            double stiffness[LIL_ELEMENT_VERTICES];
            int n = term->table->elements->vertices(term->data, e, at, stiffness), seen = 0;
            for (int a = 0; a < n; a++)
                seen += node_of[at[a]] > 0;
            if (!seen)
                continue;
            if (list) {
                list[count] = (lil_measured_element){ .term = i, .element = e };
                for (int a = 0; a < LIL_ELEMENT_VERTICES; a++)
                    list[count].node[a] = a < n ? node_of[at[a]] - 1 : -1;
            }
            count++;
        }
    }
    return count;
}

static lil_status find_stress(const maker *k)
{
    const lil_mark_set *mark = find_mark(k->model, k->m->name);
    lil_measure *m = k->m;
    lil_arena scratch = { 0 };
    if (!mark)
        return refuse_measure(k, "no body or group has this name");
    take_mark(k, mark);
    int *node_of = LIL_NEW(&scratch, int, k->model->points.count);
    for (int i = 0; node_of && i < m->count; i++)
        node_of[m->vertices[i]] = i + 1;
    m->element_count = node_of ? list_elements(k, node_of, NULL) : 0;
    m->elements = LIL_NEW(k->arena, lil_measured_element, m->element_count);
    m->nodes = LIL_NEW(k->arena, double, 7 * (size_t)m->count);
    bool made = node_of && m->elements && m->nodes;
    if (made)
        list_elements(k, node_of, m->elements);
    lil_arena_free(&scratch);
    LIL_HAVE(k->ctx, made);
    return m->element_count ? LIL_OK : refuse_measure(k, "only bodies of tets that can move have stress");
}

static lil_status find_energy(const maker *k)
{
    const lil_model *model = k->model;
    if (!find_body(model->world, k->m->name))
        return refuse_measure(k, "no body has this name");
    for (int i = 0; i < model->term_count; i++)
        k->m->count += model->terms[i].table->solid &&
                       strcmp(model->terms[i].table->solid->body(model->terms[i].data), k->m->name) == 0;
    return k->m->count ? LIL_OK : refuse_measure(k, "this body cannot move");
}

lil_status lil_measure_create(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_quantity quantity,
                              const char *name, lil_measure *m)
{
    static lil_status (*const find[])(const maker *) = { [LIL_REACTION] = find_reaction,
                                                         [LIL_CONTACT_FORCE] = find_obstacle,
                                                         [LIL_STRESS] = find_stress,
                                                         [LIL_VON_MISES] = find_stress,
                                                         [LIL_ELASTIC_ENERGY] = find_energy };
    if ((int)quantity < 0 || (int)quantity >= QUANTITIES)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "there is no quantity %d", (int)quantity);
    *m = (lil_measure){ .quantity = quantity, .width = quantities[quantity].width, .number = -1 };
    m->name = lil_arena_copy(arena, name, strlen(name));
    LIL_HAVE(ctx, m->name);
    maker k = { ctx, arena, model, m };
    return model->world ? find[quantity](&k)
                        : refuse_measure(&k, "only models of bodies, particles and strands have it");
}

/* ---- values ---- */

/* The rows of the supports that belong to it. */
static void add_supports(const lil_sim *sim, const lil_measure *m, double f[3])
{
    const lil_supports *s = sim->ev.supports;
    int own = m->quantity == LIL_CONTACT_FORCE ? s->count + m->number : s->count + s->obstacles + m->number;
    if (m->number >= 0)
        memcpy(f, s->mean + 3 * own, 3 * sizeof *f);
    for (int i = 0; m->number < 0 && i < m->count; i++)
        for (int d = 0; d < 3 && s->place[m->vertices[i]] >= 0; d++)
            f[d] += s->mean[3 * s->place[m->vertices[i]] + d];
}

/* At each vertex V sigma and V, over the elements around it. */
static void add_stresses(lil_sim *sim, const lil_measure *m)
{
    const double *x = lil_positions_of(&sim->ev.full, sim->state.t, sim->state.q);
    memset(m->nodes, 0, 7 * (size_t)m->count * sizeof *m->nodes);
    for (const lil_measured_element *e = m->elements; e < m->elements + m->element_count; e++) {
        const lil_term *term = &sim->model->terms[e->term];
        double s[6], V;
        term->table->solid->stress(term->data, x, e->element, s, &V);
        for (int a = 0; a < LIL_ELEMENT_VERTICES; a++) {
            double *node = m->nodes + 7 * (e->node[a] >= 0 ? e->node[a] : 0);
            for (int i = 0; i < 6 && e->node[a] >= 0; i++)
                node[i] += s[i];
            node[6] += e->node[a] >= 0 ? V : 0;
        }
    }
}

/* The mean of all; or the largest of each. */
static void find_stress_now(lil_sim *sim, const lil_measure *m, double *values)
{
    double sum[7] = { 0 };
    add_stresses(sim, m);
    for (int k = 0; k < m->count; k++) {
        double s[6];
        for (int i = 0; i < 7; i++)
            sum[i] += m->nodes[7 * k + i];
        for (int i = 0; i < 6; i++)
            s[i] = m->nodes[7 * k + i] / m->nodes[7 * k + 6];
        if (m->quantity == LIL_VON_MISES && m->nodes[7 * k + 6] > 0)
            values[0] = fmax(values[0], lil_von_mises(s));
    }
    for (int i = 0; i < 6 && m->quantity == LIL_STRESS; i++)
        values[i] = sum[i] / sum[6];
}

static double find_energy_now(lil_sim *sim, const lil_measure *m)
{
    const double *x = lil_positions_of(&sim->ev.full, sim->state.t, sim->state.q);
    double W = 0;
    LIL_EACH_TERM (a, &sim->ev, LIL_POTENTIAL)
        if (a->table->solid && strcmp(a->table->solid->body(a->data), m->name) == 0)
            a->table->evaluate(a->data, a->work, &(lil_at){ sim->state.t, x, NULL }, &(lil_sums){ &W, NULL, NULL });
    return W;
}

void lil_measure_read(lil_sim *sim, const lil_measure *m, double *values)
{
    memset(values, 0, (size_t)m->width * sizeof *values);
    switch (m->quantity) {
    case LIL_REACTION:
    case LIL_CONTACT_FORCE: add_supports(sim, m, values); return;
    case LIL_STRESS:
    case LIL_VON_MISES: find_stress_now(sim, m, values); return;
    case LIL_ELASTIC_ENERGY: values[0] = find_energy_now(sim, m); return;
    }
}

/* ---- of a Sim ---- */

lil_status lil_sim_add_measure(lil_sim *sim, lil_quantity quantity, const char *name, int *index)
{
    lil_measure m, *longer;
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, name, "name");
    LIL_NEED(sim->ctx, index, "index");
    LIL_TRY(lil_measure_create(sim->ctx, &sim->lasting, sim->model, quantity, name, &m));
    if (quantity == LIL_REACTION || quantity == LIL_CONTACT_FORCE) {
        if (sim->role == LIL_SIM_DIRECTED)
            return lil_fail(sim->ctx, LIL_ERR_INPUT,
                            "%s(%.60s): a shot is not simulated, so forces of supports are not known",
                            quantities[quantity].name, name);
        LIL_TRY(lil_sim_watch_supports(sim));
    }
    LIL_ALLOC(sim->ctx, &sim->lasting, longer, sim->measure_count + 1);
    if (sim->measure_count)
        memcpy(longer, sim->measures, (size_t)sim->measure_count * sizeof *longer);
    longer[sim->measure_count] = m;
    sim->measures = longer;
    *index = sim->measure_count++;
    return LIL_OK;
}

lil_status lil_sim_measure(lil_sim *sim, int index, double *values)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, values, "values");
    if (index < 0 || index >= sim->measure_count)
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "there is no measure %d: there are %d, numbered from 0", index,
                        sim->measure_count);
    lil_measure_read(sim, &sim->measures[index], values);
    return LIL_OK;
}
