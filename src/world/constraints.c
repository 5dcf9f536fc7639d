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

/* Those that are free, each once, ascending. */
static lil_status list_free(lil_world *w, const lil_bond *b, int (**out)[ENDS_MAX], int *count)
{
    bool *chosen = LIL_NEW(&w->arena, bool, w->vertex_count);
    *out = lil_arena_alloc(&w->arena, (size_t)b->count, sizeof **out);
    *count = 0;
    LIL_HAVE(w->ctx, chosen && *out);
    for (int i = 0; i < b->count; i++)
        chosen[b->points[0][i]] = !lil_world_stays(w, b->points[0][i]);
    for (int v = 0; v < w->vertex_count; v++)
        if (chosen[v])
            (*out)[(*count)++][0] = v;
    return *count ? LIL_OK : refuse_held(w, b);
}

/* ---- any kind ---- */

static lil_status bind_part(lil_world *w, const lil_bond_kind *kind, const lil_bond *b, const lil_binding *from,
                            int part, int (*points)[ENDS_MAX], int count)
{
    size_t size = kind->member_size[part];
    char *members = lil_arena_alloc(&w->arena, (size_t)count, size);
    LIL_HAVE(w->ctx, members);
    for (int i = 0; i < count; i++) {
        const char *wrong = NULL;
        lil_status status = kind->make(w->ctx, from, points[i], part, members + size * (size_t)i, &wrong);
        w->blame = (lil_blame){ status == LIL_OK ? NULL : wrong, false, NULL };
        LIL_TRY(status);
    }
    return lil_world_bind(w, kind->table[part], members, count, b->label, b->name);
}

/* The body of a kind that is carried, as it starts; parts of its points do not collide with it. */
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
        w->pairs[w->pair_count++] = (lil_world_pair){ i, body, NAN };
    }
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
    LIL_TRY(kind->ends ? list_ends(w, b, kind->ends, &points, &count) : list_free(w, b, &points, &count));
    for (int part = 0; part < kind->parts; part++)
        LIL_TRY(bind_part(w, kind, b, &own, part, points, count));
    w->bound_outside = w->bound_outside || (!kind->ends && !kind->carried);
    return kind->carried ? leave_alone(w, b, own.def->body) : LIL_OK;
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
