/* From a world to a model. */
#include "constraints/registered.h"
#include "model/model_check.h"
#include "world/contact.h"

#include <math.h>
#include <string.h>

/* ---- names and marks ---- */

static lil_status name_coordinates(lil_world *w)
{
    int at = 0;
    LIL_ALLOC(w->ctx, &w->arena, w->names, 3 * (size_t)w->vertex_count);
    for (int b = 0; b <= w->count; b++) {
        int count = b < w->count ? w->list[b].mesh.vertex_count : w->anchor_count;
        for (int i = 0; i < 3 * count; i++)
            LIL_HAVE(w->ctx, w->names[at++] =
                                 lil_arena_format(&w->arena, "%s.%d.%c", b < w->count ? w->list[b].name : "anchor",
                                                  i / 3, "xyz"[i % 3]));
    }
    return LIL_OK;
}

/* of a whole body by mass, of a group alike */
static lil_status add_mark(lil_world *w, const char *name, const lil_body *body, const lil_group *group)
{
    int count = group ? group->vertex_count : body->mesh.vertex_count;
    int *vertices = LIL_NEW(&w->arena, int, count);
    double *weights = LIL_NEW(&w->arena, double, count), total = 0;
    LIL_HAVE(w->ctx, vertices && weights);
    for (int i = 0; i < count; i++) {
        vertices[i] = body->first + (group ? group->vertices[i] : i);
        weights[i] = group ? 1 : w->mass[vertices[i]];
        total += weights[i];
    }
    for (int i = 0; i < count; i++)
        weights[i] /= total;
    w->marks[w->mark_count++] = (lil_mark_set){ name, vertices, weights, count };
    return LIL_OK;
}

static lil_status list_marks(lil_world *w)
{
    int count = 0;
    for (int i = 0; i < w->count; i++)
        count += 1 + w->list[i].group_count;
    LIL_ALLOC(w->ctx, &w->arena, w->marks, count);
    for (int i = 0; i < w->count; i++) {
        const lil_body *body = &w->list[i];
        LIL_TRY(add_mark(w, body->name, body, NULL));
        for (int g = 0; g < body->group_count; g++)
            LIL_TRY(add_mark(w, body->groups[g].name, body, &body->groups[g]));
    }
    return LIL_OK;
}

/* Anchors follow all other vertices. */
static lil_status number_anchors(lil_world *w)
{
    int first = w->vertex_count, n = w->anchor_count, room = w->room.vertices, some = room;
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->x, first, n, &some, 3 * sizeof *w->x) &&
                         lil_world_grow(w, &w->v, first, n, (some = room, &some), 3 * sizeof *w->v) &&
                         lil_world_grow(w, &w->mass, first, n, (some = room, &some), sizeof *w->mass) &&
                         lil_world_grow(w, &w->held, first, n, (some = room, &some), sizeof *w->held) &&
                         lil_world_grow(w, &w->released, first, n, (some = room, &some), sizeof *w->released));
    w->room.vertices = some;
    for (int i = 0; i < n; i++) {
        memcpy(w->x + 3 * (size_t)(first + i), w->anchors + 3 * (size_t)i, 3 * sizeof *w->x);
        w->held[first + i] = true;
    }
    for (int s = 0; s < w->spring_set_count; s++) {
        lil_spring *springs = (lil_spring *)w->springs[s].springs.springs; /* the world's own */
        for (int k = 0; k < w->springs[s].springs.count; k++)
            if (springs[k].j < 0)
                springs[k].j = first - 1 - springs[k].j;
    }
    w->vertex_count += n;
    return LIL_OK;
}

/* ---- constraints between what is pinned ---- */

static bool is_held_after(const lil_world *w, double t, int v)
{
    return w->held[v] && !(w->released[v] && w->releases[w->released[v] - 1].t <= t);
}

/* Whether one of these is free after t: coordinates (stride 3) or vertices (1). */
static bool is_any_free(const lil_world *w, double t, const int *list, int count, int stride)
{
    bool held = true;
    for (int i = 0; i < count; i++)
        held = held && is_held_after(w, t, list[i] / stride);
    return !held;
}

static bool binds_free(const lil_world *w, const lil_constraint *set, int k, double t)
{
    int count;
    const int *coordinates = lil_constraint_registered_coordinates(set, k, &count);
    if (coordinates)
        return is_any_free(w, t, coordinates, count, 3);
    if (set->table == &lil_constraint_text)
        return is_any_free(w, t, &((const lil_on_text *)set->data)[k].first, 1, 3);
    return is_any_free(w, t, (const int *)((const char *)set->data + (size_t)k * set->table->stride),
                       set->table->points, 1);
}

/* Of a set the members that bind something that is free after t. */
static lil_status members_after(lil_world *w, const lil_constraint *from, double t, lil_constraint *to)
{
    bool *keep = LIL_NEW(&w->arena, bool, from->count);
    LIL_HAVE(w->ctx, keep);
    for (int k = 0; k < from->count; k++)
        keep[k] = binds_free(w, from, k, t);
    return lil_constraint_select(w->ctx, &w->arena, from, keep, to);
}

/* Members between what is always pinned have nothing to do. */
static lil_status drop_idle_members(lil_world *w)
{
    int sets = 0;
    for (int s = 0; s < w->constraint_count; s++) {
        lil_constraint set;
        LIL_TRY(members_after(w, &w->constraints[s], INFINITY, &set));
        if (set.count)
            w->constraints[sets++] = set;
    }
    w->constraint_count = sets;
    return LIL_OK;
}

lil_status lil_world_number(lil_world *w)
{
    LIL_TRY(lil_world_hold_roots(w));
    LIL_TRY(number_anchors(w));
    LIL_TRY(drop_idle_members(w));
    LIL_TRY(name_coordinates(w));
    return list_marks(w);
}

/* ---- terms ---- */

/* Nothing of it can move: it is there to be seen. */
static bool is_scenery(const lil_world *w, const lil_body *body)
{
    for (int i = 0; i < body->mesh.vertex_count; i++)
        if (!lil_world_stays(w, body->first + i))
            return false;
    return w->script_count == 0;
}

static lil_status add_body_terms(lil_world *w, const lil_body *body, lil_model *model)
{
    lil_tets *parts[2];
    if (body->particles)
        return body->strands ? lil_add_strand_terms(w, body, model) : LIL_OK;
    if (w->count > 1 && is_scenery(w, body))
        return LIL_OK;
    LIL_TRY(lil_tets_create(w->ctx, &w->arena, body->name, &body->material, body->mesh.x,
                            (const int(*)[4])body->mesh.tets, (const int(*)[6])body->mesh.mids, body->mesh.tet_count,
                            body->first, &parts[0]));
    LIL_TRY(lil_tets_create_bulk(w->ctx, &w->arena, parts[0], &parts[1]));
    if (!(body->material.table->holds & LIL_MATERIAL_OBJECTIVE))
        model->points.angular = false;
    for (int i = 0; i < 2 && parts[i]; i++) {
        lil_term damping;
        LIL_TRY(lil_model_add(w->ctx, model, lil_tets_term(parts[i])));
        if (body->damping.kD == 0)
            continue;
        LIL_TRY(lil_tets_damping(w->ctx, &w->arena, parts[i], body->damping.kD, body->damping.form, &damping));
        LIL_TRY(lil_model_add(w->ctx, model, damping));
    }
    return LIL_OK;
}

static lil_status add_spring_terms(lil_world *w, lil_spring_set *set, lil_model *model)
{
    lil_term damping;
    LIL_TRY(lil_model_add(w->ctx, model, lil_springs_term(&set->springs)));
    if (set->damping.kD == 0)
        return LIL_OK;
    LIL_TRY(lil_springs_damping(w->ctx, &w->arena, &set->springs, set->damping.kD, set->damping.form, &damping));
    return lil_model_add(w->ctx, model, damping);
}

static lil_status add_terms(lil_world *w, lil_model *model)
{
    lil_term term;
    for (int i = 0; i < w->count; i++)
        LIL_TRY(add_body_terms(w, &w->list[i], model));
    for (int i = 0; i < w->spring_set_count; i++)
        LIL_TRY(add_spring_terms(w, &w->springs[i], model));
    bool open = false; /* some pressure has a net force */
    bool weight = w->gravity[0] != 0 || w->gravity[1] != 0 || w->gravity[2] != 0;
    if (weight) {
        LIL_TRY(lil_term_gravity(w->ctx, &w->arena, w->gravity, w->mass, w->vertex_count, &term));
        LIL_TRY(lil_model_add(w->ctx, model, term));
    }
    for (int i = 0; i < w->load_count; i++) {
        LIL_TRY(lil_term_load(w->ctx, &w->arena, &w->loads[i], &term));
        LIL_TRY(lil_model_add(w->ctx, model, term));
    }
    for (int i = 0; i < w->pressure_count; i++) {
        w->pressures[i].potential = lil_world_pressure_has_potential(w, &w->pressures[i]);
        open = open || !w->pressures[i].potential;
        LIL_TRY(lil_term_pressure(w->ctx, &w->arena, &w->pressures[i], &term));
        LIL_TRY(lil_model_add(w->ctx, model, term));
    }
    for (int i = 0; i < w->force_count; i++) {
        LIL_TRY(lil_term_point_force(w->ctx, &w->arena, &w->forces[i], &term));
        LIL_TRY(lil_model_add(w->ctx, model, term));
    }
    for (int i = 0; i < w->drag_count; i++) {
        LIL_TRY(lil_term_drag(w->ctx, &w->arena, &w->drags[i], &term));
        LIL_TRY(lil_model_add(w->ctx, model, term));
    }
    for (int i = 0; i < w->term_count; i++)
        LIL_TRY(lil_model_add(w->ctx, model, w->terms[i]));
    model->points.linear = model->points.linear && !w->shifted;
    model->points.angular = model->points.angular && !w->turned;
    if (weight || open || w->load_count || w->force_count || w->drag_count || w->obstacle_count || w->bound_outside)
        model->points.linear = model->points.angular = false;
    return lil_world_contact_terms(w, model);
}

/* ---- pins that let go ---- */

static lil_status scripts_after(lil_world *w, double t, lil_points_def *def)
{
    lil_script *scripts = LIL_NEW(&w->arena, lil_script, w->script_count);
    LIL_HAVE(w->ctx, scripts);
    def->scripts = scripts;
    for (int s = 0; s < w->script_count; s++) {
        lil_script *to = &scripts[def->script_count];
        int *vertices = LIL_NEW(&w->arena, int, w->scripts[s].count),
            *points = LIL_NEW(&w->arena, int, w->scripts[s].count), count = 0;
        LIL_HAVE(w->ctx, vertices && points);
        for (int k = 0; k < w->scripts[s].count; k++) {
            if (!is_held_after(w, t, w->scripts[s].vertices[k]))
                continue;
            points[count] = w->scripts[s].points ? w->scripts[s].points[k] : 0;
            vertices[count++] = w->scripts[s].vertices[k];
        }
        *to = w->scripts[s];
        to->points = points;
        to->vertices = vertices;
        to->count = count;
        def->script_count += count > 0;
    }
    return LIL_OK;
}

/* ---- models ---- */

/* The model after t, of all that is pinned then. `like`: the one before, whose terms it has; NULL: none. */
static lil_status model_after(lil_world *w, double t, const lil_model *like, lil_model **model)
{
    bool *held = LIL_NEW(&w->arena, bool, w->vertex_count);
    lil_constraint *sets = LIL_NEW(&w->arena, lil_constraint, w->constraint_count);
    LIL_HAVE(w->ctx, held && sets);
    lil_points_def def = { .count = w->vertex_count,
                           .names = w->names,
                           .x = w->x,
                           .mass = w->mass,
                           .held = held,
                           .lets_go = w->release_count > 0,
                           .marks = w->marks,
                           .mark_count = w->mark_count };
    for (int v = 0; v < w->vertex_count; v++)
        held[v] = is_held_after(w, t, v);
    LIL_TRY(scripts_after(w, t, &def));
    for (int s = 0; s < w->constraint_count; s++)
        if (w->release_count)
            LIL_TRY(members_after(w, &w->constraints[s], t, &sets[s]));
    LIL_TRY(lil_model_create_points(w->ctx, &def, model));
    (*model)->world = w;
    (*model)->obstacle_count = w->obstacle_count;
    lil_model_bind(*model, w->release_count ? sets : w->constraints, w->constraint_count);
    lil_status status = like ? LIL_OK : add_terms(w, *model);
    for (int i = 0; status == LIL_OK && like && i < like->term_count; i++)
        status = lil_model_add(w->ctx, *model, like->terms[i]);
    if (status == LIL_OK)
        status = LIL_DEBUG_CHECK(lil_model_check(w->ctx, *model));
    if (status != LIL_OK)
        lil_model_destroy(model);
    return status;
}

/* The next time after t at which something lets go; infinity: none. */
static double next_release(const lil_world *w, double t)
{
    double next = INFINITY;
    for (int i = 0; i < w->release_count; i++)
        if (w->releases[i].t > t)
            next = fmin(next, w->releases[i].t);
    return next;
}

/* At first, or when pins have let go: a run may begin with waiting. */
static lil_status check_some_move(lil_world *w)
{
    for (int v = 0; v < w->vertex_count; v++)
        if (!lil_world_stays(w, v))
            return LIL_OK;
    return lil_fail(w->ctx, LIL_ERR_INPUT, "every vertex is pinned, so nothing can move");
}

lil_status lil_world_model(lil_world *w, lil_model **model)
{
    w->blame = (lil_blame){ NULL, false, NULL };
    LIL_TRY(check_some_move(w));
    LIL_TRY(model_after(w, -INFINITY, NULL, model));
    (*model)->until = -INFINITY;
    for (lil_model *last = *model; (last->until = next_release(w, last->until)) < INFINITY; last = last->next) {
        lil_status status = model_after(w, last->until, last, &last->next);
        if (status != LIL_OK) {
            lil_model_destroy(model);
            return status;
        }
        last->next->until = last->until;
    }
    return LIL_OK;
}

void lil_world_start(const lil_world *w, const lil_model *model, double *q, double *v)
{
    for (int i = 0; i < model->n; i++) {
        int k = model->dofs.free ? model->dofs.free[i] : i;
        q[i] = w->x[k];
        v[i] = w->v[k];
    }
}

/* ---- from a world to a model ---- */

static void release(void *owner)
{
    lil_world *w = owner;
    lil_world_destroy(&w);
}

lil_status lil_world_build(lil_world *w, lil_model **model)
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, model, "model");
    *model = NULL;
    LIL_TRY(lil_world_open(w, __func__));
    if (!w->count)
        return lil_fail(w->ctx, LIL_ERR_INPUT, "the world has no bodies, particles or strands, so nothing can move");
    w->built = true;
    LIL_TRY(lil_world_number(w));
    LIL_TRY(lil_world_prepare_contact(w));
    LIL_TRY(lil_world_model(w, model));
    lil_model *m = *model;
    double *q = LIL_NEW(&m->arena, double, m->n), *v = LIL_NEW(&m->arena, double, m->n);
    if (!q || !v) {
        lil_model_destroy(model);
        return lil_fail_memory(w->ctx);
    }
    lil_world_start(w, m, q, v);
    m->q0 = q;
    m->v0 = v;
    m->owner = w;
    m->release = release;
    atomic_fetch_add(&w->holders, 1);
    return LIL_OK;
}
