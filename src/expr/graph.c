#include "expr/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 4 * 1000 * 1000 }; /* about 200 MB with the derivatives' bookkeeping */

static bool is_unary(lil_op op)
{
    return op >= LIL_OP_NEG && op < LIL_OP_ADD;
}

double lil_op_apply(lil_op op, double a, double b)
{
    switch (op) {
    case LIL_OP_NEG: return -a;
    case LIL_OP_SQRT: return sqrt(a);
    case LIL_OP_EXP: return exp(a);
    case LIL_OP_LOG: return log(a);
    case LIL_OP_SIN: return sin(a);
    case LIL_OP_COS: return cos(a);
    case LIL_OP_TAN: return tan(a);
    case LIL_OP_ASIN: return asin(a);
    case LIL_OP_ACOS: return acos(a);
    case LIL_OP_ATAN: return atan(a);
    case LIL_OP_SINH: return sinh(a);
    case LIL_OP_COSH: return cosh(a);
    case LIL_OP_TANH: return tanh(a);
    case LIL_OP_ABS: return fabs(a);
    case LIL_OP_SIGN: return a > 0 ? 1 : a < 0 ? -1 : a; /* keeps a NaN */
    case LIL_OP_ADD: return a + b;
    case LIL_OP_SUB: return a - b;
    case LIL_OP_MUL: return a * b;
    case LIL_OP_DIV: return a / b;
    case LIL_OP_POW: return pow(a, b);
    case LIL_OP_ATAN2: return atan2(a, b);
    case LIL_OP_MIN: return a < b || a != a ? a : b;
    case LIL_OP_MAX: return a > b || a != a ? a : b;
    case LIL_OP_STEP: return a > b ? 1 : 0;
    default: return 0;
    }
}

/* ---- storage: equal nodes are one node ---- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ (x >> 33);
}

static uint64_t hash_node(const lil_ex_node *node)
{
    uint64_t bits;
    memcpy(&bits, &node->value, sizeof bits);
    return mix(bits + mix(((uint64_t)node->a << 32 | node->b) + mix(node->op)));
}

static bool same_node(const lil_ex_node *x, const lil_ex_node *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

static void insert(lil_graph *g, uint32_t index)
{
    uint32_t at = (uint32_t)hash_node(&g->nodes[index]) & (g->table_size - 1);
    while (g->table[at])
        at = (at + 1) & (g->table_size - 1);
    g->table[at] = index + 1;
}

static bool grow(lil_graph *g)
{
    if (g->count < g->capacity)
        return true;
    if (g->count >= NODES_MAX) {
        char where[LIL_WHERE_MAX] = "";
        if (g->places[g->place].source)
            lil_source_where(g->places[g->place].source, g->places[g->place].offset, where);
        g->status = lil_fail(g->ctx, LIL_ERR_LIMIT,
                             "%sthe expression and its derivatives have more than %d operations", where, NODES_MAX);
        return false;
    }
    uint32_t capacity = g->capacity ? 2 * g->capacity : 256;
    lil_ex_node *nodes = realloc(g->nodes, capacity * sizeof *nodes);
    if (nodes)
        g->nodes = nodes;
    uint32_t *table = nodes ? calloc(4 * (size_t)capacity, sizeof *table) : NULL;
    if (!table) {
        g->status = lil_fail_memory(g->ctx);
        return false;
    }
    free(g->table);
    g->table = table;
    g->table_size = 4 * capacity;
    g->capacity = capacity;
    for (uint32_t i = 0; i < g->count; i++)
        insert(g, i);
    return true;
}

static lil_ex intern(lil_graph *g, lil_ex_node node)
{
    if (g->status != LIL_OK || !grow(g))
        return 0;
    uint32_t at = (uint32_t)hash_node(&node) & (g->table_size - 1);
    for (; g->table[at]; at = (at + 1) & (g->table_size - 1))
        if (same_node(&g->nodes[g->table[at] - 1], &node))
            return g->table[at] - 1;
    node.place = g->place;
    g->nodes[g->count] = node;
    g->table[at] = g->count + 1;
    return g->count++;
}

lil_status lil_graph_init(lil_graph *g, lil_context *ctx)
{
    *g = (lil_graph){ .ctx = ctx };
    lil_graph_set_place(g, NULL, 0);
    lil_ex_const(g, 0);
    lil_ex_const(g, 1);
    return g->status;
}

lil_status lil_graph_clone(lil_graph *g, const lil_graph *from, lil_context *ctx)
{
    *g = *from;
    g->ctx = ctx;
    g->nodes = malloc(from->capacity * sizeof *g->nodes);
    g->table = malloc(from->table_size * sizeof *g->table);
    g->places = malloc(from->place_capacity * sizeof *g->places);
    if (!g->nodes || !g->table || !g->places) {
        lil_graph_free(g);
        return lil_fail_memory(ctx);
    }
    memcpy(g->nodes, from->nodes, from->count * sizeof *g->nodes);
    memcpy(g->table, from->table, from->table_size * sizeof *g->table);
    memcpy(g->places, from->places, from->place_count * sizeof *g->places);
    return LIL_OK;
}

void lil_graph_free(lil_graph *g)
{
    free(g->nodes);
    free(g->table);
    free(g->places);
    *g = (lil_graph){ 0 };
}

void lil_graph_set_place(lil_graph *g, const lil_source *source, int offset)
{
    if (g->place_count == g->place_capacity) {
        uint32_t capacity = g->place_capacity ? 2 * g->place_capacity : 64;
        lil_place_in *places = realloc(g->places, capacity * sizeof *places);
        if (!places) {
            g->status = lil_fail_memory(g->ctx);
            return;
        }
        g->places = places;
        g->place_capacity = capacity;
    }
    /* a sum visits the same places again and again: one entry for each visit in a row is enough */
    if (!g->place_count || g->places[g->place].source != source || g->places[g->place].offset != offset) {
        g->place = g->place_count++;
        g->places[g->place] = (lil_place_in){ source, offset };
    }
}

/* ---- constructors that simplify ---- */

lil_ex lil_ex_const(lil_graph *g, double value)
{
    return intern(g, (lil_ex_node){ .op = LIL_OP_CONST, .value = value + 0.0 }); /* -0 becomes 0 */
}

lil_ex lil_ex_input(lil_graph *g, int input)
{
    return intern(g, (lil_ex_node){ .op = LIL_OP_INPUT, .a = (lil_ex)input });
}

lil_ex lil_ex_parameter(lil_graph *g, int number, double value)
{
    return intern(g, (lil_ex_node){ .op = LIL_OP_PARAMETER, .a = (lil_ex)number, .value = value });
}

static bool is(const lil_graph *g, lil_ex e, double value)
{
    return lil_ex_is_const(g, e) && g->nodes[e].value == value;
}

lil_ex lil_ex_unary(lil_graph *g, lil_op op, lil_ex a)
{
    if (g->status != LIL_OK)
        return 0;
    const lil_ex_node x = g->nodes[a];
    if (x.op == LIL_OP_CONST) {
        double value = lil_op_apply(op, x.value, 0);
        if (isfinite(value)) /* values that are not finite are kept, to be reported with their location */
            return lil_ex_const(g, value);
    }
    if (op == LIL_OP_NEG && x.op == LIL_OP_NEG)
        return x.a;
    if (op == LIL_OP_NEG && x.op == LIL_OP_SUB)
        return lil_ex_binary(g, LIL_OP_SUB, x.b, x.a);
    return intern(g, (lil_ex_node){ .op = op, .a = a });
}

static lil_ex add(lil_graph *g, lil_ex a, lil_ex b)
{
    if (is(g, a, 0))
        return b;
    if (is(g, b, 0))
        return a;
    if (g->nodes[b].op == LIL_OP_NEG)
        return lil_ex_binary(g, LIL_OP_SUB, a, g->nodes[b].a);
    if (g->nodes[a].op == LIL_OP_NEG)
        return lil_ex_binary(g, LIL_OP_SUB, b, g->nodes[a].a);
    if (a > b) /* one form for a + b and b + a */
        return intern(g, (lil_ex_node){ .op = LIL_OP_ADD, .a = b, .b = a });
    return intern(g, (lil_ex_node){ .op = LIL_OP_ADD, .a = a, .b = b });
}

static lil_ex subtract(lil_graph *g, lil_ex a, lil_ex b)
{
    if (is(g, b, 0))
        return a;
    if (a == b)
        return lil_ex_const(g, 0);
    if (is(g, a, 0))
        return lil_ex_unary(g, LIL_OP_NEG, b);
    if (g->nodes[b].op == LIL_OP_NEG)
        return lil_ex_binary(g, LIL_OP_ADD, a, g->nodes[b].a);
    return intern(g, (lil_ex_node){ .op = LIL_OP_SUB, .a = a, .b = b });
}

static lil_ex multiply(lil_graph *g, lil_ex a, lil_ex b)
{
    if (lil_ex_is_const(g, b) || (!lil_ex_is_const(g, a) && a > b)) { /* constants first, then by number */
        lil_ex swap = a;
        a = b;
        b = swap;
    }
    if (is(g, a, 0))
        return lil_ex_const(g, 0);
    if (is(g, a, 1))
        return b;
    if (is(g, a, -1))
        return lil_ex_unary(g, LIL_OP_NEG, b);
    const lil_ex_node x = g->nodes[a], y = g->nodes[b]; /* copies: the nodes move as the graph grows */
    if (x.op == LIL_OP_CONST && y.op == LIL_OP_MUL && lil_ex_is_const(g, y.a) &&
        isnormal(x.value * g->nodes[y.a].value)) /* c (d e) = (c d) e */
        return multiply(g, lil_ex_const(g, x.value * g->nodes[y.a].value), y.b);
    if (x.op == LIL_OP_CONST && y.op == LIL_OP_NEG)
        return multiply(g, lil_ex_const(g, -x.value), y.a);
    if (x.op == LIL_OP_NEG && y.op == LIL_OP_NEG)
        return multiply(g, x.a, y.a);
    if (x.op == LIL_OP_NEG)
        return lil_ex_unary(g, LIL_OP_NEG, multiply(g, x.a, b));
    if (y.op == LIL_OP_NEG)
        return lil_ex_unary(g, LIL_OP_NEG, multiply(g, a, y.a));
    if (y.op == LIL_OP_MUL && x.op != LIL_OP_CONST && lil_ex_is_const(g, y.a)) /* a (c e) = c (a e) */
        return multiply(g, y.a, multiply(g, a, y.b));
    if (x.op == LIL_OP_MUL && lil_ex_is_const(g, x.a))
        return multiply(g, x.a, multiply(g, x.b, b));
    return intern(g, (lil_ex_node){ .op = LIL_OP_MUL, .a = a, .b = b });
}

static lil_ex divide(lil_graph *g, lil_ex a, lil_ex b)
{
    if (is(g, b, 1))
        return a;
    if (is(g, a, 0) && !is(g, b, 0))
        return lil_ex_const(g, 0);
    const lil_ex_node x = g->nodes[a];
    if (lil_ex_is_const(g, b) && x.op == LIL_OP_MUL && lil_ex_is_const(g, x.a) && !is(g, b, 0) &&
        isnormal(g->nodes[x.a].value / g->nodes[b].value)) /* (c e) / d = (c/d) e */
        return multiply(g, lil_ex_const(g, g->nodes[x.a].value / g->nodes[b].value), x.b);
    if (x.op == LIL_OP_NEG)
        return lil_ex_unary(g, LIL_OP_NEG, divide(g, x.a, b));
    return intern(g, (lil_ex_node){ .op = LIL_OP_DIV, .a = a, .b = b });
}

/* a^n as a product */
static lil_ex repeated(lil_graph *g, lil_ex a, int n)
{
    lil_ex result = lil_ex_const(g, 1), square = multiply(g, a, a);
    for (int k = 0; k < n / 2; k++)
        result = multiply(g, result, square);
    return n % 2 ? multiply(g, result, a) : result;
}

/* Small whole and half exponents become products and roots: faster, and exact where pow is only near. Not a^(3/2),
 * a^(5/2) ...: at a = 0 (a contact that is open) the derivative of a sqrt(a) is 0/0, that of the power is 0. */
static lil_ex power(lil_graph *g, lil_ex a, lil_ex b)
{
    double n = lil_ex_is_const(g, b) ? g->nodes[b].value : NAN, size = fabs(n);
    if (n == 0)
        return lil_ex_const(g, 1);
    if (n == 0.5)
        return lil_ex_unary(g, LIL_OP_SQRT, a);
    if (!(size <= 4 && (n < 0 ? 2 * n == floor(2 * n) : n == floor(n))))
        return intern(g, (lil_ex_node){ .op = LIL_OP_POW, .a = a, .b = b });
    lil_ex result = repeated(g, a, (int)size);
    if (size != floor(size))
        result = multiply(g, result, lil_ex_unary(g, LIL_OP_SQRT, a));
    return n < 0 ? divide(g, lil_ex_const(g, 1), result) : result;
}

lil_ex lil_ex_binary(lil_graph *g, lil_op op, lil_ex a, lil_ex b)
{
    if (g->status != LIL_OK)
        return 0;
    if (is_unary(op))
        return lil_ex_unary(g, op, a);
    if (lil_ex_is_const(g, a) && lil_ex_is_const(g, b)) {
        double value = lil_op_apply(op, g->nodes[a].value, g->nodes[b].value);
        if (isfinite(value))
            return lil_ex_const(g, value);
    }
    switch (op) {
    case LIL_OP_ADD: return add(g, a, b);
    case LIL_OP_SUB: return subtract(g, a, b);
    case LIL_OP_MUL: return multiply(g, a, b);
    case LIL_OP_DIV: return divide(g, a, b);
    case LIL_OP_POW: return power(g, a, b);
    default: return intern(g, (lil_ex_node){ .op = op, .a = a, .b = b });
    }
}
