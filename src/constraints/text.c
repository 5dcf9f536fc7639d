#include "constraints/text.h"

#include "expr/program.h"

#include <stdlib.h>
#include <string.h>

struct lil_text_constraint {
    int n;
    lil_program value;     /* g, then its derivatives that are not 0 */
    lil_program curvature; /* v' d2g/dq2 v */
    const int *index;      /* the coordinates of the derivatives */
    int count;
    lil_program second;     /* d2g/dq2 where that is not 0 */
    const int (*corner)[2]; /* by which coordinates */
    int seconds;
};

typedef struct lil_text_constraint text;

typedef struct text_work {
    double *slots, *curvature_slots, *second_slots, *out;
} text_work;

/* ---- build ---- */

/* sum_i d_i v_i: the derivative along v */
static lil_ex text_along(lil_graph *g, int n, const lil_tape *d)
{
    lil_ex sum = 0;
    for (int k = 0; k < d->inputs; k++)
        if (d->input[k] != LIL_INPUT_T && d->input[k] <= n)
            sum = lil_ex_binary(
                g, LIL_OP_ADD, sum,
                lil_ex_binary(g, LIL_OP_MUL, d->by[k], lil_ex_input(g, lil_input_v(n, d->input[k] - 1))));
    return sum;
}

/* Names the first thing g may not depend on. */
static lil_status check_inputs(lil_context *ctx, const lil_source *source, int n, const lil_tape *d)
{
    char where[LIL_WHERE_MAX];
    for (int k = 0; k < d->inputs; k++)
        if (d->input[k] == LIL_INPUT_T || d->input[k] > n)
            return lil_fail(ctx, LIL_ERR_INPUT, "%sa constraint may depend only on positions, not on %s",
                            lil_source_where(source, 0, where), d->input[k] == LIL_INPUT_T ? "t" : "velocities");
    if (d->inputs == 0)
        return lil_fail(ctx, LIL_ERR_INPUT, "%sthe constraint depends on no coordinate",
                        lil_source_where(source, 0, where));
    return LIL_OK;
}

/* d2g/dq2, row by row. */
static lil_status compile_second(lil_context *ctx, lil_arena *arena, lil_graph *g, const lil_tape *d, text *c)
{
    size_t room = 0, count = 0;
    int(*corner)[2] = NULL;
    lil_ex *node = NULL;
    lil_tape row = { 0 };
    lil_status status = LIL_OK;
    for (int k = 0; status == LIL_OK && k < d->inputs; k++) {
        status = lil_ex_gradient(&row, g, d->by[k]);
        if (status == LIL_OK && count + (size_t)row.inputs > room) {
            room = 2 * room + (size_t)row.inputs;
            void *corners = realloc(corner, room * sizeof *corner), *nodes = realloc(node, room * sizeof *node);
            corner = corners ? corners : corner;
            node = nodes ? nodes : node;
            status = corners && nodes ? LIL_OK : lil_fail_memory(ctx);
        }
        for (int i = 0; status == LIL_OK && i < row.inputs; i++, count++) {
            corner[count][0] = d->input[k] - 1;
            corner[count][1] = row.input[i] - 1;
            node[count] = row.by[i];
        }
    }
    int(*kept)[2] = lil_arena_alloc(arena, count + 1, sizeof *kept);
    if (status == LIL_OK && (!kept || count > INT32_MAX / 4))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK && count) {
        memcpy(kept, corner, count * sizeof *kept);
        status = lil_program_compile(g, arena, c->n, node, (int)count, &c->second);
    }
    c->corner = (const int(*)[2])kept;
    c->seconds = (int)count;
    free(corner);
    free(node);
    lil_tape_free(&row);
    return status;
}

static lil_status text_compile(lil_context *ctx, lil_arena *arena, lil_graph *g, const lil_source *source,
                               lil_ex value, lil_tape *d, text *c)
{
    LIL_TRY(lil_ex_gradient(d, g, value));
    LIL_TRY(check_inputs(ctx, source, c->n, d));
    int *index = LIL_NEW(arena, int, d->inputs);
    lil_ex *out = LIL_NEW(arena, lil_ex, 1 + d->inputs);
    LIL_HAVE(ctx, index && out);
    out[0] = value;
    for (int k = 0; k < d->inputs; k++) {
        index[k] = d->input[k] - 1;
        out[1 + k] = d->by[k];
    }
    c->index = index;
    c->count = d->inputs;
    LIL_TRY(lil_program_compile(g, arena, c->n, out, 1 + c->count, &c->value));
    LIL_TRY(compile_second(ctx, arena, g, d, c));
    lil_ex rate = text_along(g, c->n, d);
    LIL_TRY(g->status);
    LIL_TRY(lil_ex_gradient(d, g, rate));
    lil_ex k = text_along(g, c->n, d);
    LIL_TRY(g->status);
    return lil_program_compile(g, arena, c->n, &k, 1, &c->curvature);
}

lil_status lil_text_constraint_create(lil_context *ctx, lil_arena *arena, const lil_scope *scope, int n,
                                      const lil_source *source, const text **out)
{
    lil_graph g;
    lil_tape tape = { 0 };
    lil_ex *value;
    int count;
    text *c = LIL_NEW(arena, text, 1);
    lil_status status = lil_graph_init(&g, ctx);
    if (status == LIL_OK && !c)
        status = lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = lil_build(&g, arena, scope, source, true, &value, &count);
    if (status == LIL_OK) {
        c->n = n;
        status = text_compile(ctx, arena, &g, source, value[0], &tape, c);
    }
    lil_graph_free(&g);
    lil_tape_free(&tape);
    *out = c;
    return status;
}

/* ---- the table ---- */

static lil_status text_begin(lil_context *ctx, const lil_constraint *set, lil_arena *arena, void **work,
                             lil_jacobian *G)
{
    const lil_on_text *member = set->data; /* all of a set have one text */
    const text *c = member->text;
    text_work *w = LIL_NEW(arena, text_work, 1);
    *work = w;
    if (!w || !(w->slots = lil_program_slots(&c->value, arena)) ||
        !(w->curvature_slots = lil_program_slots(&c->curvature, arena)) ||
        (c->seconds && !(w->second_slots = lil_program_slots(&c->second, arena))) ||
        !(w->out = LIL_NEW(arena, double, 1 + c->count)))
        return lil_fail_memory(ctx);
    LIL_TRY(lil_jacobian_create(ctx, arena, set->count, c->count, G));
    for (int e = 0; e < G->count; e++) {
        G->row[e] = e / c->count;
        G->col[e] = member[e / c->count].first + c->index[e % c->count];
    }
    return LIL_OK;
}

static void text_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const lil_on_text *member = set->data;
    const text *c = member->text;
    text_work *w = work;
    for (int i = 0; i < set->count; i++) {
        lil_program_run(&c->value, w->slots, 0, x + member[i].first, NULL, w->out);
        if (g)
            g[i] = w->out[0];
        if (G)
            memcpy(G + (size_t)i * (size_t)c->count, w->out + 1, (size_t)c->count * sizeof *G);
    }
}

static void curvature(const lil_constraint *set, void *work, const double *x, const double *v, double *k)
{
    const lil_on_text *member = set->data;
    text_work *w = work;
    for (int i = 0; i < set->count; i++)
        lil_program_run(&member->text->curvature, w->curvature_slots, 0, x + member[i].first, v + member[i].first,
                        &k[i]);
}

static lil_status text_begin_second(lil_context *ctx, const lil_constraint *set, lil_arena *arena,
                                    lil_hessian *hessian)
{
    const lil_on_text *member = set->data;
    const text *c = member->text;
    LIL_TRY(lil_hessian_create(ctx, arena, set->count, c->seconds, hessian));
    for (int e = 0; e < hessian->count; e++) {
        hessian->row[e] = e / c->seconds;
        hessian->a[e] = member[e / c->seconds].first + c->corner[e % c->seconds][0];
        hessian->b[e] = member[e / c->seconds].first + c->corner[e % c->seconds][1];
    }
    return LIL_OK;
}

static void second(const lil_constraint *set, void *work, const double *x, double *values)
{
    const lil_on_text *member = set->data;
    const text *c = member->text;
    const text_work *w = work;
    for (int i = 0; i < set->count && c->seconds; i++)
        lil_program_run(&c->second, w->second_slots, 0, x + member[i].first, NULL,
                        values + (size_t)i * (size_t)c->seconds);
}

const lil_constraint_table lil_constraint_text = {
    .name = "text",
    .doc = "any g = 0 as an expression of positions",
    .rows = 1,
    .begin = text_begin,
    .evaluate = text_evaluate,
    .curvature = curvature,
    .begin_second = text_begin_second,
    .second = second,
};

/* ---- the kinds: where one expression of x, y and z is 0, or two ---- */

static lil_status text_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                            const char **wrong)
{
    (void)ctx, (void)wrong;
    *(lil_on_text *)member = (lil_on_text){ b->texts[part], 3 * v[0] };
    return LIL_OK;
}

const lil_bond_kind lil_bond_surface = {
    .name = "surface",
    .doc = "points stay where one expression of x, y, z is 0",
    .example = "{surface: bead, value: x^2/4 + y^2 + z^2 - 1}",
    .texts = 1,
    .parts = 1,
    .table = { &lil_constraint_text },
    .member_size = { sizeof(lil_on_text) },
    .make = text_make,
};

const lil_bond_kind lil_bond_curve = {
    .name = "curve",
    .doc = "points stay where two expressions of x, y, z are 0",
    .example = "{curve: bead, values: [z - x^2, y]}",
    .texts = 2,
    .parts = 2,
    .table = { &lil_constraint_text, &lil_constraint_text },
    .member_size = { sizeof(lil_on_text), sizeof(lil_on_text) },
    .make = text_make,
};
