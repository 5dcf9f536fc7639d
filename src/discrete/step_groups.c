#include "discrete/step_groups.h"

#include "core/order.h"

#include <math.h>
#include <stdlib.h>

/* Elements whose steps differ by less than this share the shorter one: an eighth of an octave. */
static const double SPREAD = 1.09;

typedef struct ranked {
    double longest, own; /* the step of its vertices, and of the element alone */
    int element;
} ranked;

/* Temporary data of the construction. */
typedef struct builder {
    lil_context *ctx;
    lil_arena *arena;
    const lil_model *model;
    double *stiffness; /* of each vertex, of all terms of the same place */
    double *pace;      /* of each vertex: the longest stable step of all of its elements */
    bool *scripted;    /* vertices */
    bool *seen;
    ranked *ranks; /* of one term */
    int *list;
} builder;

static bool step_groups_is_held(const lil_model *model, int vertex)
{
    return model->dofs.free && model->dofs.number[3 * vertex] < 0;
}

/* Calls for each element of the terms of a place. */
static void for_elements(builder *b, lil_place place, void (*call)(builder *, const lil_term *, int))
{
    for (int i = 0; i < b->model->term_count; i++) {
        const lil_term *term = &b->model->terms[i];
        if (term->table->place == place && term->table->elements)
            for (int e = 0; e < term->table->elements->count(term->data); e++)
                call(b, term, e);
    }
}

static void add_stiffness(builder *b, const lil_term *term, int e)
{
    int at[LIL_ELEMENT_VERTICES];
    double own[LIL_ELEMENT_VERTICES];
    int n = term->table->elements->vertices(term->data, e, at, own);
    for (int a = 0; a < n; a++)
        b->stiffness[at[a]] += own[a];
}

/* The element's longest step, with its share m k_e / sum k of the mass of each vertex: pinned vertices count as
 * heavy. */
static double own_step(const builder *b, const lil_term *term, int e)
{
    int at[LIL_ELEMENT_VERTICES];
    double own[LIL_ELEMENT_VERTICES], inverse[LIL_ELEMENT_VERTICES];
    int n = term->table->elements->vertices(term->data, e, at, own);
    for (int a = 0; a < n; a++)
        inverse[a] = step_groups_is_held(b->model, at[a]) || own[a] == 0
                         ? 0
                         : b->stiffness[at[a]] / own[a] / b->model->points.mass[at[a]];
    return term->table->elements->longest_step(term->data, e, 0, inverse);
}

static void set_pace(builder *b, const lil_term *term, int e)
{
    int at[LIL_ELEMENT_VERTICES];
    double own[LIL_ELEMENT_VERTICES], step = own_step(b, term, e);
    int n = term->table->elements->vertices(term->data, e, at, own);
    for (int a = 0; a < n; a++)
        b->pace[at[a]] = fmin(b->pace[at[a]], step);
}

/* the longest step of the element and of all elements that share a vertex with it */
static double step_groups_longest_step(const builder *b, const lil_term *term, int e)
{
    int at[LIL_ELEMENT_VERTICES];
    double own[LIL_ELEMENT_VERTICES], longest = INFINITY;
    int n = term->table->elements->vertices(term->data, e, at, own);
    for (int a = 0; a < n; a++)
        longest = fmin(longest, b->pace[at[a]]);
    return longest;
}

static int by_step(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->longest != y->longest)
        return x->longest > y->longest ? 1 : -1;
    return x->own != y->own ? (x->own > y->own ? 1 : -1) : x->element - y->element;
}

static int step_groups_kind_of(const builder *b, int vertex)
{
    return !step_groups_is_held(b->model, vertex) ? 0 : b->scripted[vertex] ? 1 : 2;
}

static lil_status step_groups_list_vertices(builder *b, const lil_term *term, lil_step_group *g)
{
    for (int pass = 0; pass < 2; pass++) { /* count, then list */
        for (int v = 0; v < b->model->points.count; v++)
            b->seen[v] = false;
        for (int i = 0; i < g->count; i++) {
            int at[LIL_ELEMENT_VERTICES];
            double own[LIL_ELEMENT_VERTICES];
            int n = term->table->elements->vertices(term->data, b->list[i], at, own);
            for (int a = 0; a < n; a++) {
                g->vertex_count += pass == 0 && !b->seen[at[a]];
                b->seen[at[a]] = true;
            }
        }
        if (pass == 0 && !(g->vertices = LIL_NEW(b->arena, int, g->vertex_count)))
            return lil_fail_memory(b->ctx);
    }
    int count = 0;
    for (int kind = 0; kind < 3; kind++) {
        for (int v = 0; v < b->model->points.count; v++)
            if (b->seen[v] && step_groups_kind_of(b, v) == kind)
                g->vertices[count++] = v;
        if (kind == 0)
            g->free_count = count;
        if (kind == 1)
            g->moved_count = count - g->free_count;
    }
    return LIL_OK;
}

/* Elements ranks[from] ... ranks[to - 1]. */
static lil_status add_step_group(builder *b, const lil_term *term, int from, int to, lil_step_groups *groups)
{
    lil_step_group *g = &groups->list[groups->count++];
    lil_entries none;
    *g = (lil_step_group){
        .count = to - from, .longest = b->ranks[from].longest, .whole = term, .slowest = b->ranks[from].element
    };
    for (int i = from; i < to; i++)
        b->list[i - from] = b->ranks[i].element;
    qsort(b->list, (size_t)g->count, sizeof *b->list, lil_order_ints);
    LIL_TRY(step_groups_list_vertices(b, term, g));
    LIL_TRY(term->table->elements->some(b->ctx, b->arena, term->data, b->list, g->count, &g->part));
    return g->part.table->begin(b->ctx, g->part.data, b->arena, false, &g->work, &none);
}

/* The ranks of a term, and where a group ends that begins at `from`. */
static int rank(builder *b, const lil_term *term)
{
    int count = term->table->elements->count(term->data);
    for (int e = 0; e < count; e++)
        b->ranks[e] = (ranked){ step_groups_longest_step(b, term, e), own_step(b, term, e), e };
    qsort(b->ranks, (size_t)count, sizeof *b->ranks, by_step);
    return count;
}

static int step_group_end(const builder *b, const lil_term *term, int from, int count)
{
    int to = from + 1;
    while (to < count && (term->table->elements->together || b->ranks[to].longest <= SPREAD * b->ranks[from].longest))
        to++;
    return to;
}

static lil_status add_term(builder *b, const lil_term *term, lil_step_groups *groups)
{
    int count = rank(b, term);
    for (int from = 0, to; from < count; from = to) {
        to = step_group_end(b, term, from, count);
        LIL_TRY(add_step_group(b, term, from, to, groups));
    }
    return LIL_OK;
}

static int count_step_groups(builder *b, const lil_term *term)
{
    int groups = 0, count = rank(b, term);
    for (int from = 0; from < count; from = step_group_end(b, term, from, count))
        groups++;
    return groups;
}

static lil_status step_groups_build(builder *b, lil_step_groups *groups)
{
    static const lil_place places[] = { LIL_POTENTIAL, LIL_IMPULSE };
    const lil_model *model = b->model;
    int room = 0;
    LIL_HAVE(b->ctx, b->stiffness && b->pace && b->scripted && b->seen && b->ranks && b->list);
    for (int i = 0; i < model->dofs.script_count; i++)
        for (int k = 0; k < model->dofs.scripts[i].count; k++)
            b->scripted[model->dofs.scripts[i].vertices[k]] = true;
    for (int pass = 0; pass < 2; pass++) { /* count, then make */
        for (int p = 0; p < 2; p++) {
            for (int v = 0; v < model->points.count; v++) {
                b->stiffness[v] = 0;
                b->pace[v] = INFINITY;
            }
            for_elements(b, places[p], add_stiffness);
            for_elements(b, places[p], set_pace);
            for (int i = 0; i < model->term_count; i++) {
                const lil_term *term = &model->terms[i];
                if (term->table->place != places[p] || !term->table->elements)
                    continue;
                if (pass == 0)
                    room += count_step_groups(b, term);
                else
                    LIL_TRY(add_term(b, term, groups));
            }
        }
        if (pass == 0 && !(groups->list = LIL_NEW(b->arena, lil_step_group, room)))
            return lil_fail_memory(b->ctx);
    }
    return LIL_OK;
}

static int most_elements(const lil_model *model)
{
    int most = 1;
    for (int i = 0; i < model->term_count; i++) {
        const lil_term *term = &model->terms[i];
        int count = term->table->elements ? term->table->elements->count(term->data) : 0;
        most = count > most ? count : most;
    }
    return most;
}

lil_status lil_step_groups_create(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_step_groups *groups)
{
    size_t vertices = (size_t)model->points.count + 1, elements = (size_t)most_elements(model);
    builder b = { .ctx = ctx, .arena = arena, .model = model };
    *groups = (lil_step_groups){ 0 };
    b.stiffness = malloc(vertices * sizeof *b.stiffness);
    b.pace = malloc(vertices * sizeof *b.pace);
    b.scripted = calloc(vertices, sizeof *b.scripted);
    b.seen = malloc(vertices * sizeof *b.seen);
    b.ranks = malloc(elements * sizeof *b.ranks);
    b.list = malloc(elements * sizeof *b.list);
    lil_status status = step_groups_build(&b, groups);
    free(b.stiffness);
    free(b.pace);
    free(b.scripted);
    free(b.seen);
    free(b.ranks);
    free(b.list);
    return status;
}
