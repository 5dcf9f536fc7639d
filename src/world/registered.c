/* Elements and members of kinds that the user registered, over x, y, z of all vertices. */
#include "constraints/registered.h"
#include "core/kind.h"
#include "terms/registered.h"
#include "world/world.h"

enum { SPACE = LIL_KIND_TRANSLATIONS | LIL_KIND_ROTATIONS };

lil_status lil_world_add_terms(lil_world *w, const lil_term_set *set)
{
    lil_term term;
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, set, "set");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_term_registered(w->ctx, &w->arena, 3 * w->vertex_count, set, "set", true, &term));
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->terms, w->term_count, 1, &w->room.terms, sizeof *w->terms));
    const lil_term_kind *kind = lil_kind_find(w->ctx, LIL_KIND_TERM, set->kind);
    w->shifted = w->shifted || !(kind->holds & LIL_KIND_TRANSLATIONS);
    w->turned = w->turned || !(kind->holds & LIL_KIND_ROTATIONS);
    w->terms[w->term_count++] = term;
    return LIL_OK;
}

/* Each member has something to move, now or when pins let go. */
static lil_status check_free(lil_world *w, const lil_constraint_set *set, int coordinates, const char *label)
{
    for (int c = 0; c < set->count; c++) {
        bool held = true;
        for (int i = 0; i < coordinates; i++)
            held = held && lil_world_stays(w, set->coordinates[c * coordinates + i] / 3);
        if (held)
            return lil_fail(w->ctx, LIL_ERR_INPUT, "'%.60s': all vertices of member %d are pinned", label, c);
    }
    return LIL_OK;
}

lil_status lil_world_add_constraints(lil_world *w, const lil_constraint_set *set)
{
    lil_constraint made;
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, set, "set");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_constraint_registered(w->ctx, &w->arena, 3 * w->vertex_count, set, "set", &made));
    const lil_constraint_kind *kind = lil_kind_find(w->ctx, LIL_KIND_CONSTRAINT, set->kind);
    LIL_TRY(check_free(w, set, kind->coordinates, made.label));
    LIL_TRY(lil_world_bind(w, made.table, made.data, made.count, made.label, made.name));
    w->bound_outside = w->bound_outside || (kind->holds & SPACE) != SPACE;
    return LIL_OK;
}
