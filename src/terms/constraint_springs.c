#include "terms/constraint_springs.h"

#include "terms/entries.h"

#include <math.h>

typedef struct penalty {
    const lil_constraint *sets;
    int count;
    double stiffness;
} penalty;

typedef struct penalty_work {
    void **work;     /* of the sets */
    lil_jacobian *G; /* theirs */
    double *g, *values;
} penalty_work;

static int constraint_springs_rows_of(const lil_constraint *set)
{
    return set->count * set->table->rows;
}

/* How many entries of G a member has. Of a set there may be no members left (model_after in world/build.c). */
static int entries_of_member(const lil_constraint *set, const lil_jacobian *G)
{
    return set->count ? G->count / set->count : 0;
}

/* Pairs of entries that share a row: all are a member's own, and the entries of a member are contiguous. Without
 * room for them they are counted. */
static int64_t constraint_springs_list_pairs(const penalty *d, const penalty_work *w, lil_entries *entries)
{
    int64_t found = 0;
    for (int i = 0; i < d->count; i++) {
        const lil_jacobian *G = &w->G[i];
        int each = entries_of_member(&d->sets[i], G);
        for (int a = 0; a < G->count; a++)
            for (int b = a / each * each; b < a / each * each + each; b++) {
                if (G->row[a] != G->row[b])
                    continue;
                if (entries->row) {
                    entries->row[found] = G->col[a];
                    entries->col[found] = G->col[b];
                }
                found++;
            }
    }
    return found;
}

static lil_status constraint_springs_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second,
                                           void **work, lil_entries *entries)
{
    const penalty *d = data;
    penalty_work *w = *work = LIL_NEW(arena, penalty_work, 1);
    LIL_HAVE(ctx,
             w && (w->work = LIL_NEW(arena, void *, d->count)) && (w->G = LIL_NEW(arena, lil_jacobian, d->count)));
    int rows = 0, values = 0;
    for (int i = 0; i < d->count; i++) {
        const lil_constraint *set = &d->sets[i];
        LIL_TRY(lil_constraint_begin(ctx, set, arena, &w->work[i], &w->G[i]));
        rows = constraint_springs_rows_of(set) > rows ? constraint_springs_rows_of(set) : rows;
        values = w->G[i].count > values ? w->G[i].count : values;
    }
    LIL_ALLOC(ctx, arena, w->g, rows);
    LIL_ALLOC(ctx, arena, w->values, values);
    if (!second)
        return LIL_OK;
    int64_t pairs = constraint_springs_list_pairs(d, w, entries);
    if (pairs > INT32_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "too many constraints for an implicit step");
    entries->qq = (int)pairs;
    LIL_TRY(lil_entries_create(ctx, arena, (size_t)pairs, entries));
    constraint_springs_list_pairs(d, w, entries);
    return LIL_OK;
}

static void constraint_springs_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const penalty *d = data;
    const penalty_work *w = work;
    double W = 0;
    for (int i = 0; i < d->count; i++) {
        const lil_constraint *set = &d->sets[i];
        set->table->evaluate(set, w->work[i], at->q, w->g, sums->gq ? w->values : NULL);
        for (int k = 0; k < constraint_springs_rows_of(set); k++)
            W += d->stiffness / 2 * w->g[k] * w->g[k];
        for (int k = 0; k < w->G[i].count && sums->gq; k++)
            sums->gq[w->G[i].col[k]] += d->stiffness * w->g[w->G[i].row[k]] * w->values[k];
    }
    lil_sums_add(sums, W);
}

/* k G'G: all of d2W where g = 0, and semidefinite everywhere */
static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    double *values = to->entries;
    const penalty *d = data;
    const penalty_work *w = work;
    for (int i = 0; i < d->count; i++) {
        const lil_constraint *set = &d->sets[i];
        int each = entries_of_member(set, &w->G[i]);
        set->table->evaluate(set, w->work[i], at->q, NULL, w->values);
        for (int a = 0; a < w->G[i].count; a++)
            for (int b = a / each * each; b < a / each * each + each; b++)
                if (w->G[i].row[a] == w->G[i].row[b])
                    *values++ = d->stiffness * w->values[a] * w->values[b];
    }
}

double lil_constraint_springs_violation(const lil_term *term, void *work, const double *x)
{
    const penalty *d = term->data;
    const penalty_work *w = work;
    double most = 0;
    for (int i = 0; i < d->count; i++) {
        const lil_constraint *set = &d->sets[i];
        set->table->evaluate(set, w->work[i], x, w->g, NULL);
        for (int k = 0; k < constraint_springs_rows_of(set); k++)
            most = fmax(most, fabs(w->g[k]));
    }
    return most;
}

static const lil_term_table table = {
    .name = "penalty",
    .doc = "constraints as springs, W = sum k/2 g^2",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .begin = constraint_springs_begin,
    .evaluate = constraint_springs_evaluate,
    .second = second,
    .projects = true, /* it is */
};

lil_status lil_constraint_springs_term(lil_context *ctx, lil_arena *arena, const lil_constraint *sets, int count,
                                       double stiffness, lil_term *term)
{
    penalty *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = (penalty){ sets, count, stiffness };
    *term = (lil_term){ .table = &table, .data = d, .uses_q = true };
    return LIL_OK;
}
