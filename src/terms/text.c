/*
 * L(t, q, v), W(t, q) or F(t, q, v) as the user typed it. Values and first derivatives are compiled when the model is
 * built; second derivatives, which can be many, only for a Sim that needs them.
 */
#include "terms/text.h"

#include "terms/entries.h"

#include <math.h>
#include <stdlib.h>

typedef struct text_term {
    lil_place place;
    int n;
    lil_graph graph;
    lil_ex *gq, *gv; /* the first derivatives, n each; 0 where zero */
    lil_program value;
    lil_program gradient; /* value (if any), then the non-zero ones of gq, then of gv */
    int *index;           /* their coordinates */
    int gq_count, gv_count;
    lil_ex by_t; /* dL/dt or dW/dt; 0 where zero */
    lil_program rate;
    bool jumps; /* in t, perhaps: then by_t leaves out what a jump does */
} text_term;

typedef struct text_work {
    double *value_slots, *gradient_slots, *second_slots, *rate_slots, *out;
    lil_program second;
} text_work;

/* ---- build ---- */

static lil_status differentiate(text_term *d, lil_ex value)
{
    lil_tape tape = { 0 };
    lil_status status = lil_ex_gradient(&tape, &d->graph, value);
    for (int k = 0; status == LIL_OK && k < tape.inputs; k++) {
        int input = tape.input[k];
        *(input == LIL_INPUT_T ? &d->by_t
          : input <= d->n      ? &d->gq[input - 1]
                               : &d->gv[input - 1 - d->n]) = tape.by[k];
    }
    d->jumps = status == LIL_OK && lil_ex_has_jumps(&tape, &d->graph, value);
    lil_tape_free(&tape);
    return status;
}

static lil_status text_compile(lil_arena *arena, text_term *d, lil_ex value)
{
    lil_ex *out;
    LIL_ALLOC(d->graph.ctx, arena, out, 1 + 2 * d->n);
    LIL_ALLOC(d->graph.ctx, arena, d->index, 2 * d->n);
    int count = 0, skip = d->place != LIL_FORCE;
    if (skip) {
        out[count++] = value;
        LIL_TRY(lil_program_compile(&d->graph, arena, d->n, out, count, &d->value));
    }
    for (int i = 0; i < d->n; i++)
        if (d->gq[i]) {
            d->index[d->gq_count++] = i;
            out[count++] = d->gq[i];
        }
    for (int i = 0; i < d->n; i++)
        if (d->gv[i]) {
            d->index[d->gq_count + d->gv_count++] = i;
            out[count++] = d->gv[i];
        }
    if (d->by_t)
        LIL_TRY(lil_program_compile(&d->graph, arena, d->n, &d->by_t, 1, &d->rate));
    return lil_program_compile(&d->graph, arena, d->n, out, count, &d->gradient);
}

static lil_status text_build(lil_context *ctx, lil_arena *arena, text_term *d, lil_ex value, const lil_ex *force)
{
    LIL_ALLOC(ctx, arena, d->gq, d->n);
    LIL_ALLOC(ctx, arena, d->gv, d->n);
    for (int i = 0; force && i < d->n; i++)
        d->gq[i] = force[i];
    if (!force)
        LIL_TRY(differentiate(d, value));
    return text_compile(arena, d, value);
}

lil_status lil_term_text(lil_context *ctx, lil_arena *arena, lil_place place, int n, lil_graph *graph, lil_ex value,
                         const lil_ex *force, lil_term *term)
{
    text_term *d = LIL_NEW(arena, text_term, 1);
    if (!d) {
        lil_graph_free(graph);
        return lil_fail_memory(ctx);
    }
    *d = (text_term){ .place = place, .n = n, .graph = *graph };
    *graph = (lil_graph){ 0 };
    lil_status status = text_build(ctx, arena, d, value, force);
    if (status != LIL_OK) {
        lil_graph_free(&d->graph);
        return status;
    }
    *term = (lil_term){
        .table = place == LIL_LAGRANGIAN  ? &lil_text_lagrangian
                 : place == LIL_POTENTIAL ? &lil_text_potential
                                          : &lil_text_force,
        .data = d,
        .uses_t = d->gradient.time_slot >= 0,
        .uses_q = d->gradient.load_q_count > 0,
        .uses_v = d->gradient.load_v_count > 0,
    };
    return LIL_OK;
}

static void destroy(void *data)
{
    lil_graph_free(&((text_term *)data)->graph);
}

/* ---- second derivatives ---- */

typedef struct entry_list {
    int *row, *col;
    lil_ex *node;
    int count, capacity;
} entry_list;

static bool text_push(entry_list *list, int row, int col, lil_ex node)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 64;
        int *rows = realloc(list->row, (size_t)capacity * sizeof *rows);
        if (rows)
            list->row = rows;
        int *cols = rows ? realloc(list->col, (size_t)capacity * sizeof *cols) : NULL;
        if (cols)
            list->col = cols;
        lil_ex *nodes = cols ? realloc(list->node, (size_t)capacity * sizeof *nodes) : NULL;
        if (!nodes)
            return false;
        list->node = nodes;
        list->capacity = capacity;
    }
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->node[list->count++] = node;
    return true;
}

/* Entries d g[i] / d input for inputs first .. first + n - 1. A symmetric block takes its lower triangle and
 * mirrors it, so that it is symmetric to the last bit. */
static lil_status text_add_block(const text_term *d, lil_graph *g, lil_tape *tape, const lil_ex *gradient, int first,
                                 bool symmetric, entry_list *list)
{
    for (int i = 0; i < d->n; i++) {
        if (!gradient[i])
            continue;
        LIL_TRY(lil_ex_gradient(tape, g, gradient[i]));
        for (int k = 0; k < tape->inputs; k++) {
            int j = tape->input[k] - first;
            if (j < 0 || j >= d->n || (symmetric && j > i))
                continue;
            bool room =
                text_push(list, i, j, tape->by[k]) && (!symmetric || j == i || text_push(list, j, i, tape->by[k]));
            LIL_HAVE(g->ctx, room);
        }
    }
    return LIL_OK;
}

static lil_status collect_entries(const text_term *d, lil_graph *g, entry_list *list, lil_entries *entries)
{
    lil_tape tape = { 0 };
    int v = lil_input_v(d->n, 0);
    lil_status status = text_add_block(d, g, &tape, d->gq, lil_input_q(0), d->place != LIL_FORCE, list);
    entries->qq = list->count;
    if (status == LIL_OK && d->place != LIL_POTENTIAL)
        status = text_add_block(d, g, &tape, d->gq, v, false, list);
    entries->qv = list->count - entries->qq;
    if (status == LIL_OK && d->place == LIL_LAGRANGIAN)
        status = text_add_block(d, g, &tape, d->gv, v, true, list);
    entries->vv = list->count - entries->qq - entries->qv;
    lil_tape_free(&tape);
    return status;
}

static lil_status text_begin_second(lil_context *ctx, const text_term *d, lil_arena *arena, text_work *w,
                                    lil_entries *entries)
{
    lil_graph g;
    entry_list list = { 0 };
    LIL_TRY(lil_graph_clone(&g, &d->graph, ctx));
    lil_status status = collect_entries(d, &g, &list, entries);
    if (status == LIL_OK)
        status = lil_program_compile(&g, arena, d->n, list.node, list.count, &w->second);
    if (status == LIL_OK) {
        w->second_slots = lil_program_slots(&w->second, arena);
        status = w->second_slots ? lil_entries_create(ctx, arena, (size_t)list.count, entries) : lil_fail_memory(ctx);
    }
    for (int k = 0; status == LIL_OK && k < list.count; k++) {
        entries->row[k] = list.row[k];
        entries->col[k] = list.col[k];
    }
    free(list.row);
    free(list.col);
    free(list.node);
    lil_graph_free(&g);
    return status;
}

/* ---- the tables' functions ---- */

static lil_status text_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                             lil_entries *entries)
{
    const text_term *d = data;
    text_work *w;
    LIL_ALLOC(ctx, arena, w, 1);
    w->value_slots = lil_program_slots(&d->value, arena);
    w->gradient_slots = lil_program_slots(&d->gradient, arena);
    w->rate_slots = lil_program_slots(&d->rate, arena);
    w->out = LIL_NEW(arena, double, 1 + 2 * d->n);
    LIL_HAVE(ctx, w->value_slots && w->gradient_slots && w->rate_slots && w->out);
    *work = w;
    return second ? text_begin_second(ctx, d, arena, w, entries) : LIL_OK;
}

static void text_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const text_term *d = data;
    text_work *w = work;
    int first = d->place != LIL_FORCE;
    if (!sums->gq && !sums->gv) {
        lil_program_run(&d->value, w->value_slots, at->t, at->q, at->v, w->out);
        *sums->value += w->out[0];
        return;
    }
    lil_program_run(&d->gradient, w->gradient_slots, at->t, at->q, at->v, w->out);
    if (sums->value && first)
        *sums->value += w->out[0];
    const double *out = w->out + first;
    for (int k = 0; sums->gq && k < d->gq_count; k++)
        sums->gq[d->index[k]] += out[k];
    for (int k = d->gq_count; sums->gv && k < d->gq_count + d->gv_count; k++)
        sums->gv[d->index[k]] += out[k];
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    (void)data;
    text_work *w = work;
    lil_program_run(&w->second, w->second_slots, at->t, at->q, at->v, to->entries);
}

static double rate(const void *data, void *work, const lil_at *at, double span)
{
    const text_term *d = data;
    const text_work *w = work;
    double by_t;
    (void)span;
    if (d->jumps && d->gradient.time_slot >= 0)
        return NAN;
    if (!d->by_t)
        return 0;
    lil_program_run(&d->rate, w->rate_slots, at->t, at->q, at->v, &by_t);
    return by_t;
}

static bool text_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const text_term *d = data;
    text_work *w = work;
    return lil_program_explain(&d->gradient, w->gradient_slots, at->t, at->q, at->v, sentence, size);
}

#define TEXT_FUNCTIONS                                                                                               \
    .begin = text_begin, .evaluate = text_evaluate, .second = second, .explain = text_explain, .destroy = destroy

const lil_term_table lil_text_lagrangian = {
    .name = "lagrangian",
    .doc = "L(t, q, v) as text",
    .place = LIL_LAGRANGIAN,
    .rate = rate,
    TEXT_FUNCTIONS,
};

const lil_term_table lil_text_potential = {
    .name = "potential",
    .doc = "W(t, q), the rest of a text Lagrangian after its constant mass",
    .place = LIL_POTENTIAL,
    .rate = rate,
    TEXT_FUNCTIONS,
};

const lil_term_table lil_text_force = {
    .name = "force",
    .doc = "F(t, q, v) as text, one expression per coordinate",
    .place = LIL_FORCE,
    TEXT_FUNCTIONS,
};
