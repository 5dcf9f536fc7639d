/* Constraints on vertices: among each other, or in space. */

#include "math/matrix3.h"
#include "world/def.h"

#include <math.h>

enum { ENDS_MAX = 3 };

lil_status lil_world_bind(lil_world *w, const lil_constraint_table *table, const void *data, int count,
                          const char *label, const char *name)
{
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->constraints, w->constraint_count, 1, &w->room.constraints,
                                    sizeof *w->constraints));
    w->constraints[w->constraint_count++] = (lil_constraint){ table, data, count, label, name };
    return LIL_OK;
}

/* ---- which points ---- */

static lil_status refuse_held(lil_world *w, const lil_bond *b)
{
    return lil_world_refuse(w, "points", LIL_ERR_INPUT,
                            "every point of '%.60s' is pinned already, so the constraint has no effect", b->name);
}

/* The first of each set, the second of each ... What has nothing free in it is left out. (*out)[i] are the i-th of
 * all. */
static lil_status list_ends(lil_world *w, const lil_bond *b, int n, int (**out)[ENDS_MAX], int *count)
{
    LIL_HAVE(w->ctx, *out = lil_arena_alloc(&w->arena, (size_t)b->count, sizeof **out));
    *count = 0;
    for (int i = 0; i < b->count; i++) {
        bool held = true;
        for (int k = 0; k < n; k++) {
            int v = (*out)[*count][k] = b->points[k][i];
            held = held && lil_world_stays(w, v);
            for (int l = 0; l < k; l++)
                if (b->points[l][i] == v)
                    return lil_world_refuse(w, "points", LIL_ERR_INPUT, "'%.60s' has the same point twice here",
                                            b->name);
        }
        *count += !held;
    }
    return *count ? LIL_OK : refuse_held(w, b);
}

/* Each once, ascending: those that are free, or all of a kind that is carried, whose body may move. */
static lil_status list_single(lil_world *w, const lil_bond *b, bool carried, int (**out)[ENDS_MAX], int *count)
{
    bool *chosen = LIL_NEW(&w->arena, bool, w->vertex_count);
    *out = lil_arena_alloc(&w->arena, (size_t)b->count, sizeof **out);
    *count = 0;
    LIL_HAVE(w->ctx, chosen && *out);
    for (int i = 0; i < b->count; i++)
        chosen[b->points[0][i]] = carried || !lil_world_stays(w, b->points[0][i]);
    for (int v = 0; v < w->vertex_count; v++)
        if (chosen[v])
            (*out)[(*count)++][0] = v;
    return *count ? LIL_OK : refuse_held(w, b);
}

/* ---- any kind ---- */

/* A pinned point and a tet that is pinned too have no effect on each other. */
static bool is_idle(const lil_world *w, const lil_bond_kind *kind, const void *member)
{
    const int *vertices = member;
    for (int i = 0; kind->carried && i < kind->table[0]->points; i++)
        if (!lil_world_stays(w, vertices[i]))
            return false;
    return kind->carried;
}

static lil_status bind_part(lil_world *w, const lil_bond_kind *kind, const lil_bond *b, const lil_binding *from,
                            int part, int (*points)[ENDS_MAX], int count)
{
    size_t size = kind->member_size[part];
    char *members = lil_arena_alloc(&w->arena, (size_t)count, size);
    int made = 0;
    LIL_HAVE(w->ctx, members);
    for (int i = 0; i < count; i++) {
        const char *wrong = NULL;
        void *member = members + size * (size_t)made;
        lil_status status = kind->make(w->ctx, from, points[i], part, member, &wrong);
        w->blame = (lil_blame){ status == LIL_OK ? NULL : wrong, false, NULL };
        LIL_TRY(status);
        made += !is_idle(w, kind, member);
    }
    return made ? lil_world_bind(w, kind->table[part], members, made, b->label, b->name) : refuse_held(w, b);
}

/* The body of a kind that is carried, as it starts. */
static lil_status find_carrier(lil_world *w, const lil_bond *b, lil_binding *own, lil_mesh *mesh)
{
    LIL_TRY(lil_world_check_body(w, own->def->body));
    const lil_body *body = &w->list[own->def->body];
    if (body->particles)
        return lil_world_refuse(w, "to", LIL_ERR_INPUT, "'%.60s' is tied to '%.60s', which is no body of tets",
                                b->name, body->name);
    *mesh = body->mesh;
    mesh->x = w->x + 3 * (size_t)body->first;
    own->mesh = mesh;
    own->first = body->first;
    own->owner = body->name;
    return LIL_OK;
}

/* What has a tied point does not collide with the body, */
static lil_status leave_alone(lil_world *w, const lil_bond *b, int body)
{
    for (int i = 0; i < w->count; i++) {
        bool tied = false;
        for (int k = 0; k < b->count && !tied; k++)
            tied = b->points[0][k] >= w->list[i].first &&
                   b->points[0][k] < w->list[i].first + w->list[i].mesh.vertex_count;
        if (!tied)
            continue;
        LIL_HAVE(w->ctx, lil_world_grow(w, &w->pairs, w->pair_count, 1, &w->room.pairs, sizeof *w->pairs));
        w->pairs[w->pair_count++] = (lil_world_pair){ i, body, NAN, true };
    }
    return LIL_OK;
}

/* and a rigid link between two tied points would keep the body from deforming. */
lil_status lil_world_drop_tied_links(lil_world *w)
{
    int *carrier = LIL_NEW(&w->arena, int, w->vertex_count); /* one more than the body that carries it; 0: none */
    LIL_HAVE(w->ctx, carrier);
    for (int s = 0; s < w->constraint_count; s++) {
        const lil_tied *tied = w->constraints[s].data;
        for (int k = 0; w->constraints[s].table == &lil_constraint_tie && k < w->constraints[s].count; k++)
            carrier[tied[k].v[0]] = lil_world_body_of(w, tied[k].v[1]) + 1;
    }
    int sets = 0;
    for (int s = 0; s < w->constraint_count; s++) {
        lil_constraint *set = &w->constraints[s];
        bool linked = set->table == &lil_constraint_distance;
        lil_link *links = (lil_link *)set->data; /* the world's own */
        int count = 0;
        for (int k = 0; linked && k < set->count; k++)
            if (!carrier[links[k].i] || carrier[links[k].i] != carrier[links[k].j])
                links[count++] = links[k];
        set->count = linked ? count : set->count;
        if (set->count)
            w->constraints[sets++] = *set;
    }
    w->constraint_count = sets;
    return LIL_OK;
}

lil_status lil_world_bind_kind(lil_world *w, const lil_bond_kind *kind, const lil_bond *b, const lil_binding *from)
{
    lil_binding own = *from;
    int(*points)[ENDS_MAX] = NULL, count = 0;
    lil_mesh mesh;
    own.x = w->x;
    own.name = b->name;
    if (kind->carried)
        LIL_TRY(find_carrier(w, b, &own, &mesh));
    LIL_TRY(kind->ends ? list_ends(w, b, kind->ends, &points, &count)
                       : list_single(w, b, kind->carried, &points, &count));
    for (int part = 0; part < kind->parts; part++)
        LIL_TRY(bind_part(w, kind, b, &own, part, points, count));
    w->bound_outside = w->bound_outside || (!kind->ends && !kind->carried);
    if (!kind->carried)
        return LIL_OK;
    LIL_TRY(leave_alone(w, b, own.def->body));
    return lil_world_drop_tied_links(w);
}

/* ---- from a def ---- */

lil_constraint_def lil_constraint_def_default(void)
{
    return (lil_constraint_def){ .size = sizeof(lil_constraint_def), .body = -1, .axis = { 0, 0, 1 } };
}

/* Which vertices among all; their numbers do not change any more. */
static lil_status take_points(lil_world *w, const lil_constraint_def *def, int needed, lil_bond *bond)
{
    int *all;
    LIL_ALLOC(w->ctx, &w->arena, all, 3);
    for (int k = 0; k < needed; k++) {
        LIL_TRY(lil_world_check_vertices(w, def->points[k].body, &def->points[k].vertex, 1));
        all[k] = w->list[def->points[k].body].first + def->points[k].vertex;
        bond->points[k] = &all[k];
    }
    bond->count = 1;
    return LIL_OK;
}

static lil_status take_text(lil_world *w, const char *name, const char *text, const struct lil_text_constraint **out)
{
    const lil_source source = { .text = text, .what = name };
    lil_scope none = { 0 }, scope;
    LIL_WORLD_NEED(w, text, "def->text");
    LIL_TRY(lil_texts_scope(w->ctx, &w->arena, &none, &(lil_texts_def){ .xyz = true }, &scope));
    return lil_text_constraint_create(w->ctx, &w->arena, &scope, 3, &source, out);
}

lil_status lil_world_add_constraint(lil_world *w, const lil_constraint_def *def)
{
    lil_bond bond = { 0 };
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    LIL_TRY(lil_world_copy_name(w, "constraint", def->name, &bond.name));
    bond.label = bond.name;
    const lil_bond_kind *kind = lil_bond_kind_at((int)def->type);
    if (!kind)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there is no constraint type %d", (int)def->type);
    LIL_TRY(take_points(w, def, kind->ends ? kind->ends : 1, &bond));
    LIL_TRY(lil_check_numbers(w->ctx, bond.name, "point", def->point, 3));
    if (!isfinite(def->length) || !isfinite(def->degrees) || !isfinite(def->radius))
        return lil_fail(w->ctx, LIL_ERR_NOT_FINITE, "'%.60s' has a length of %g m, %g degrees and a radius of %g m",
                        bond.name, def->length, def->degrees, def->radius);
    int before = w->constraint_count;
    bool outside = w->bound_outside;
    lil_binding from = { .def = def };
    for (int i = 0; i < kind->texts; i++)
        LIL_TRY(take_text(w, bond.name, i ? def->text2 : def->text, &from.texts[i]));
    lil_status status = lil_world_bind_kind(w, kind, &bond, &from);
    if (status != LIL_OK) { /* as it was: a line and a circle are two */
        w->constraint_count = before;
        w->bound_outside = outside;
    }
    return status;
}
