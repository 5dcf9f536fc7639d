#include "expr/program.h"

#include "math/lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- compile: nodes in numerical order, slots reused as soon as their value is dead ---- */

typedef struct compiler {
    const lil_graph *g;
    lil_ex *
        /* the instructions that the outputs need, increasing: first those that depend only on t, then the rest */
        order;
    int order_count, uniform_count;
    bool *varies;  /* by node: it depends on more than t */
    int *last_use; /* by node: position in order of its last reader */
    int *slot;     /* by node */
    int *free_slots;
    int free_count, slot_count;
} compiler;

static int compare_increasing(const void *x, const void *y)
{
    lil_ex a = *(const lil_ex *)x, b = *(const lil_ex *)y;
    return a < b ? -1 : a > b ? 1 : 0;
}

static bool compiler_init(compiler *c, const lil_graph *g)
{
    *c = (compiler){ .g = g };
    c->order = malloc(g->count * sizeof *c->order);
    c->last_use = malloc(g->count * sizeof *c->last_use);
    c->slot = malloc(g->count * sizeof *c->slot);
    c->free_slots = malloc(g->count * sizeof *c->free_slots);
    c->varies = calloc(g->count, sizeof *c->varies);
    if (!c->varies || !c->order || !c->last_use || !c->slot || !c->free_slots)
        return false;
    for (uint32_t i = 0; i < g->count; i++)
        c->last_use[i] = c->slot[i] = -1;
    return true;
}

static void compiler_free(compiler *c)
{
    free(c->order);
    free(c->last_use);
    free(c->slot);
    free(c->free_slots);
    free(c->varies);
}

static void need(compiler *c, lil_ex node)
{
    if (c->last_use[node] >= 0)
        return;
    c->last_use[node] = 0;
    c->order[c->order_count++] = node;
}

static void sort(compiler *c)
{
    lil_ex *rest = (lil_ex *)c->free_slots;
    int rest_count = 0;
    qsort(c->order, (size_t)c->order_count, sizeof *c->order, compare_increasing);
    for (int i = 0; i < c->order_count; i++) {
        lil_ex self = c->order[i];
        const lil_ex_node *node = &c->g->nodes[self];
        if (node->op == LIL_OP_INPUT)
            c->varies[self] = node->a != LIL_INPUT_T;
        else if (node->op > LIL_OP_INPUT)
            c->varies[self] = c->varies[node->a] || (node->op >= LIL_OP_ADD && c->varies[node->b]);
        if (c->varies[self])
            rest[rest_count++] = self;
        else
            c->order[c->uniform_count++] = self;
    }
    memcpy(c->order + c->uniform_count, rest, (size_t)rest_count * sizeof *rest);
}

static void collect(compiler *c, const lil_ex *outputs, int count)
{
    for (int i = 0; i < count; i++)
        need(c, outputs[i]);
    for (int i = 0; i < c->order_count; i++) { /* the list grows while it is walked */
        const lil_ex_node *node = &c->g->nodes[c->order[i]];
        if (node->op <= LIL_OP_INPUT)
            continue;
        need(c, node->a);
        if (node->op >= LIL_OP_ADD)
            need(c, node->b);
    }
    sort(c);
    for (int i = 0; i < c->order_count; i++) {
        const lil_ex_node *node = &c->g->nodes[c->order[i]];
        if (node->op <= LIL_OP_INPUT)
            continue;
        c->last_use[node->a] = i;
        if (node->op >= LIL_OP_ADD)
            c->last_use[node->b] = i;
    }
    for (int i = 0; i < count; i++)
        c->last_use[outputs[i]] = c->order_count; /* outputs stay alive */
}

static void release(compiler *c, lil_ex node, int at)
{
    bool kept = !c->varies[node] && at >= c->uniform_count; /* for the next point */
    if (c->g->nodes[node].op > LIL_OP_INPUT && c->last_use[node] == at && !kept) {
        c->free_slots[c->free_count++] = c->slot[node];
        c->last_use[node] = -2; /* a + a releases once */
    }
}

/* constants and inputs get slots of their own, first */
static void place_leaves(compiler *c, double *constants, lil_load *parameters, lil_load *q, lil_load *v,
                         lil_program *p)
{
    p->time_slot = -1;
    for (int i = 0; i < c->order_count; i++) {
        const lil_ex_node *node = &c->g->nodes[c->order[i]];
        if (node->op > LIL_OP_PARAMETER)
            continue;
        int slot = c->slot[c->order[i]] = c->slot_count++;
        constants[p->constant_count++] = node->value;
        if (node->op == LIL_OP_PARAMETER)
            parameters[p->parameter_count++] = (lil_load){ slot, (int)node->a };
    }
    for (int i = 0; i < c->order_count; i++) {
        const lil_ex_node *node = &c->g->nodes[c->order[i]];
        if (node->op != LIL_OP_INPUT)
            continue;
        int slot = c->slot[c->order[i]] = c->slot_count++, input = (int)node->a;
        if (input == LIL_INPUT_T)
            p->time_slot = slot;
        else if (input <= p->n)
            q[p->load_q_count++] = (lil_load){ slot, input - 1 };
        else
            v[p->load_v_count++] = (lil_load){ slot, input - 1 - p->n };
    }
}

static int count_parameters(const compiler *c)
{
    int count = 0;
    for (int i = 0; i < c->order_count; i++)
        count += c->g->nodes[c->order[i]].op == LIL_OP_PARAMETER;
    return count;
}

static void emit(compiler *c, lil_instruction *code, lil_place_in *places, lil_program *p)
{
    for (int i = 0; i < c->order_count; i++) {
        lil_ex self = c->order[i];
        const lil_ex_node *node = &c->g->nodes[self];
        if (node->op <= LIL_OP_INPUT)
            continue;
        bool two = node->op >= LIL_OP_ADD;
        uint32_t a = (uint32_t)c->slot[node->a], b = two ? (uint32_t)c->slot[node->b] : a;
        release(c, node->a, i);
        if (two)
            release(c, node->b, i);
        c->slot[self] = c->free_count ? c->free_slots[--c->free_count] : c->slot_count++;
        places[p->length] = c->g->places[node->place];
        p->uniform += !c->varies[self];
        code[p->length++] = (lil_instruction){ node->op, (uint32_t)c->slot[self], a, b };
    }
}

lil_status lil_program_compile(lil_graph *g, lil_arena *arena, int n, const lil_ex *outputs, int count,
                               lil_program *p)
{
    LIL_TRY(g->status);
    compiler c;
    *p = (lil_program){ .n = n, .output_count = count };
    if (!compiler_init(&c, g)) {
        compiler_free(&c);
        return lil_fail_memory(g->ctx);
    }
    collect(&c, outputs, count);
    double *constants = LIL_NEW(arena, double, c.order_count);
    lil_load *q = LIL_NEW(arena, lil_load, n), *v = LIL_NEW(arena, lil_load, n);
    lil_load *parameters = LIL_NEW(arena, lil_load, count_parameters(&c));
    lil_instruction *code = LIL_NEW(arena, lil_instruction, c.order_count);
    lil_place_in *places = LIL_NEW(arena, lil_place_in, c.order_count);
    uint32_t *out = LIL_NEW(arena, uint32_t, count);
    if (!constants || !parameters || !q || !v || !code || !places || !out) {
        compiler_free(&c);
        return lil_fail_memory(g->ctx);
    }
    place_leaves(&c, constants, parameters, q, v, p);
    emit(&c, code, places, p);
    for (int i = 0; i < count; i++)
        out[i] = (uint32_t)c.slot[outputs[i]];
    p->constants = constants;
    p->parameters = parameters;
    p->load_q = q;
    p->load_v = v;
    p->code = code;
    p->places = places;
    p->outputs = out;
    p->slot_count = c.slot_count;
    compiler_free(&c);
    return LIL_OK;
}

/* ---- callbacks ---- */

lil_program lil_program_of(lil_program_fn *fn, void *user, const char *what, int n, int output_count)
{
    return (
        lil_program){ .n = n, .fn = fn, .user = user, .what = what, .slot_count = 1, .output_count = output_count };
}

static void call(const lil_program *p, double t, const double *q, double *out)
{
    if (!p->fn(p->user, t, q, out))
        for (int i = 0; i < p->output_count; i++)
            out[i] = NAN;
}

/* ---- run ---- */

/* The source of parameters follows the last slot. */
_Static_assert(sizeof(double *) <= sizeof(double), "a pointer fits into a slot");

double *lil_program_slots(const lil_program *p, lil_arena *arena)
{
    double *slots = LIL_NEW(arena, double, p->slot_count + (p->parameter_count > 0));
    if (slots && p->constant_count)
        memcpy(slots, p->constants, (size_t)p->constant_count * sizeof *slots);
    if (slots)
        lil_program_follow(p, slots, arena->parameters);
    return slots;
}

void lil_program_follow(const lil_program *p, double *slots, const double *parameters)
{
    if (p->parameter_count)
        memcpy(slots + p->slot_count, &parameters, sizeof parameters);
}

static void load_parameters(const lil_program *p, double *slots)
{
    const double *from;
    memcpy(&from, slots + p->slot_count, sizeof from);
    for (int i = 0; i < p->parameter_count; i++)
        slots[p->parameters[i].slot] = from ? from[p->parameters[i].input] : p->constants[p->parameters[i].slot];
}

static void load(const lil_program *p, double *slots, double t, const double *q, const double *v)
{
    if (p->parameter_count)
        load_parameters(p, slots);
    if (p->time_slot >= 0)
        slots[p->time_slot] = t;
    for (int i = 0; i < p->load_q_count; i++)
        slots[p->load_q[i].slot] = q[p->load_q[i].input];
    for (int i = 0; i < p->load_v_count; i++)
        slots[p->load_v[i].slot] = v[p->load_v[i].input];
}

void lil_program_run(const lil_program *p, double *slots, double t, const double *q, const double *v, double *out)
{
    if (p->fn) {
        call(p, t, q, out);
        return;
    }
    load(p, slots, t, q, v);
    for (const lil_instruction *k = p->code, *end = k + p->length; k < end; k++) {
        double a = slots[k->a], b = slots[k->b];
        switch (k->op) { /* the frequent ones here, the rest in lil_op_apply */
        case LIL_OP_ADD: slots[k->out] = a + b; break;
        case LIL_OP_SUB: slots[k->out] = a - b; break;
        case LIL_OP_MUL: slots[k->out] = a * b; break;
        case LIL_OP_DIV: slots[k->out] = a / b; break;
        case LIL_OP_NEG: slots[k->out] = -a; break;
        case LIL_OP_SQRT: slots[k->out] = sqrt(a); break;
        case LIL_OP_SIN: slots[k->out] = sin(a); break;
        case LIL_OP_COS: slots[k->out] = cos(a); break;
        default: slots[k->out] = lil_op_apply((lil_op)k->op, a, b); break;
        }
    }
    for (int i = 0; i < p->output_count; i++)
        out[i] = slots[p->outputs[i]];
}

enum { POINTS = 16 }; /* at a time: for all of them one instruction after the other */

double *lil_program_slots_many(const lil_program *p, lil_arena *arena)
{
    double *slots = LIL_NEW(arena, double, POINTS *(size_t)p->slot_count);
    for (int i = 0; slots && i < POINTS * p->constant_count; i++)
        slots[i] = p->constants[i / POINTS];
    return slots;
}

static void fill(double *slot, double x)
{
    for (int i = 0; i < POINTS; i++)
        slot[i] = x;
}

/* slots are the same or apart, so what is written is never read again */
#define FOUR_AT_A_TIME(formula)                                                                                      \
    for (int i = 0; i < POINTS; i += LIL_LANES) {                                                                    \
        lil_lanes x = lil_lanes_load(a + i), y = lil_lanes_load(b + i);                                              \
        (void)y;                                                                                                     \
        lil_lanes_store(out + i, formula);                                                                           \
    }                                                                                                                \
    break

#define ONE_BY_ONE(formula)                                                                                          \
    for (int i = 0; i < POINTS; i++)                                                                                 \
        out[i] = formula;                                                                                            \
    break

LIL_KERNEL static void run_points(const lil_program *p, double *slots)
{
    for (const lil_instruction *k = p->code + p->uniform, *end = p->code + p->length; k < end; k++) {
        const double *a = slots + POINTS * k->a, *b = slots + POINTS * k->b;
        double *out = slots + POINTS * k->out;
        switch (k->op) {
        case LIL_OP_ADD: FOUR_AT_A_TIME(x + y);
        case LIL_OP_SUB: FOUR_AT_A_TIME(x - y);
        case LIL_OP_MUL: FOUR_AT_A_TIME(x * y);
        case LIL_OP_DIV: FOUR_AT_A_TIME(x / y);
        case LIL_OP_NEG: FOUR_AT_A_TIME(-x);
        case LIL_OP_SIN: ONE_BY_ONE(sin(a[i]));
        case LIL_OP_COS: ONE_BY_ONE(cos(a[i]));
        default: ONE_BY_ONE(lil_op_apply((lil_op)k->op, a[i], b[i]));
        }
    }
}

void lil_program_run_many(const lil_program *p, double *slots, double t, int count, const double *q, double *out)
{
    if (p->fn) {
        for (int i = 0; i < count; i++)
            call(p, t, q + (size_t)p->n * (size_t)i, out + (size_t)p->output_count * (size_t)i);
        return;
    }
    if (p->time_slot >= 0)
        fill(slots + POINTS * p->time_slot, t);
    for (const lil_instruction *k = p->code, *end = k + p->uniform; k < end; k++)
        fill(slots + POINTS * k->out, lil_op_apply((lil_op)k->op, slots[POINTS * k->a], slots[POINTS * k->b]));
    for (int first = 0; first < count; first += POINTS) {
        int some = count - first < POINTS ? count - first : POINTS; /* the contents of other slots do not matter */
        for (int k = 0; k < p->load_q_count; k++)
            for (int i = 0; i < some; i++)
                slots[POINTS * p->load_q[k].slot + i] =
                    q[(size_t)p->n * (size_t)(first + i) + (size_t)p->load_q[k].input];
        run_points(p, slots);
        for (int i = 0; i < some; i++)
            for (int k = 0; k < p->output_count; k++)
                *out++ = slots[POINTS * p->outputs[k] + (uint32_t)i];
    }
}

static const char *cause(const lil_instruction *k, double a, double b)
{
    if (k->op == LIL_OP_DIV && b == 0)
        return "division by zero";
    if (k->op == LIL_OP_SQRT)
        return "square root of a negative number";
    if (k->op == LIL_OP_LOG)
        return a == 0 ? "logarithm of zero" : "logarithm of a negative number";
    if (k->op == LIL_OP_POW)
        return a == 0                   ? "zero to a negative power"
               : a < 0 && b != floor(b) ? "a negative number to a fractional power"
                                        : "overflow";
    if (k->op == LIL_OP_ASIN || k->op == LIL_OP_ACOS)
        return "inverse sine or cosine of a number beyond -1..1";
    return "overflow";
}

bool lil_program_explain(const lil_program *p, double *slots, double t, const double *q, const double *v,
                         char *sentence, size_t size)
{
    if (p->fn) {
        enum { OUT_MAX = 16 };
        double out[OUT_MAX];
        bool there = p->output_count <= OUT_MAX && p->fn(p->user, t, q, out), finite = there;
        for (int i = 0; finite && i < p->output_count; i++)
            finite = isfinite(out[i]);
        snprintf(sentence, size, "%s: the callback %s for t = %.9g", p->what,
                 there ? "returned a value that is not finite" : "refused", t);
        return !finite;
    }
    load(p, slots, t, q, v);
    for (int i = 0; i < p->length; i++) {
        const lil_instruction *k = &p->code[i];
        double a = slots[k->a], b = slots[k->b];
        slots[k->out] = lil_op_apply((lil_op)k->op, a, b);
        if (isfinite(slots[k->out]) || !isfinite(a) || !isfinite(b))
            continue;
        char where[LIL_WHERE_MAX] = "";
        const lil_source *source = p->places[i].source;
        if (source)
            lil_source_where(source, p->places[i].offset, where);
        snprintf(sentence, size, "%s%s in %s", where, cause(k, a, b), source ? source->what : "an expression");
        return true;
    }
    return false;
}
