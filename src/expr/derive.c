/*
 * Exact derivatives by reverse-mode differentiation of the graph: with adjoint y* = df/dy of every node y,
 *
 *     f* = 1,    a* += y* dy/da,   b* += y* dy/db,
 *
 * from f down to the inputs (Griewank & Walther, Evaluating Derivatives, 2008, ch. 3). The adjoints are nodes of
 * the same graph: they simplify, share work with f, and can be differentiated again.
 */
#include "expr/graph.h"

#include <stdlib.h>

/* y* dy/da and y* dy/db of node y */
static void partials(lil_graph *g, lil_ex y, lil_ex ys, lil_ex *da, lil_ex *db)
{
    lil_ex_node n = g->nodes[y];
    lil_ex a = n.a, b = n.b, one = lil_ex_const(g, 1);
#define U(op, x) lil_ex_unary(g, LIL_OP_##op, (x))
#define B(op, x, z) lil_ex_binary(g, LIL_OP_##op, (x), (z))
    switch ((lil_op)n.op) {
    case LIL_OP_NEG: *da = U(NEG, ys); break;
    case LIL_OP_SQRT: *da = B(DIV, ys, B(MUL, lil_ex_const(g, 2), y)); break;
    case LIL_OP_EXP: *da = B(MUL, ys, y); break;
    case LIL_OP_LOG: *da = B(DIV, ys, a); break;
    case LIL_OP_SIN: *da = B(MUL, ys, U(COS, a)); break;
    case LIL_OP_COS: *da = U(NEG, B(MUL, ys, U(SIN, a))); break;
    case LIL_OP_TAN: *da = B(MUL, ys, B(ADD, one, B(MUL, y, y))); break;
    case LIL_OP_ASIN: *da = B(DIV, ys, U(SQRT, B(SUB, one, B(MUL, a, a)))); break;
    case LIL_OP_ACOS: *da = U(NEG, B(DIV, ys, U(SQRT, B(SUB, one, B(MUL, a, a))))); break;
    case LIL_OP_ATAN: *da = B(DIV, ys, B(ADD, one, B(MUL, a, a))); break;
    case LIL_OP_SINH: *da = B(MUL, ys, U(COSH, a)); break;
    case LIL_OP_COSH: *da = B(MUL, ys, U(SINH, a)); break;
    case LIL_OP_TANH: *da = B(MUL, ys, B(SUB, one, B(MUL, y, y))); break;
    case LIL_OP_ABS: *da = B(MUL, ys, U(SIGN, a)); break;
    case LIL_OP_ADD: *da = *db = ys; break;
    case LIL_OP_SUB:
        *da = ys;
        *db = U(NEG, ys);
        break;
    case LIL_OP_MUL:
        *da = B(MUL, ys, b);
        *db = B(MUL, ys, a);
        break;
    case LIL_OP_DIV:
        *da = B(DIV, ys, b);
        *db = U(NEG, B(DIV, B(MUL, ys, y), b));
        break;
    case LIL_OP_POW:
        *da = B(MUL, B(MUL, ys, b), B(POW, a, B(SUB, b, one)));
        /* a constant exponent needs no log(a), which may not exist */
        *db = lil_ex_is_const(g, b) ? 0 : B(MUL, B(MUL, ys, y), U(LOG, a));
        break;
    case LIL_OP_ATAN2: {
        lil_ex r2 = B(ADD, B(MUL, a, a), B(MUL, b, b));
        *da = B(DIV, B(MUL, ys, b), r2);
        *db = U(NEG, B(DIV, B(MUL, ys, a), r2));
        break;
    }
    case LIL_OP_MIN:
        *da = B(MUL, ys, B(STEP, b, a));
        *db = B(SUB, ys, *da);
        break;
    case LIL_OP_MAX:
        *da = B(MUL, ys, B(STEP, a, b));
        *db = B(SUB, ys, *da);
        break;
    default: break; /* constants, inputs, and the piecewise constant sign and step */
    }
#undef U
#undef B
}

/* everything f depends on that is not constant, in decreasing order of number */
static int compare_decreasing(const void *x, const void *y)
{
    lil_ex a = *(const lil_ex *)x, b = *(const lil_ex *)y;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* The tape's arrays cover the whole graph and are kept clean between uses, so that a row of a sparse Hessian
 * costs what the row needs. */
static bool reserve(lil_tape *tp, lil_graph *g)
{
    if (tp->size >= g->count)
        return true;
    uint32_t size = 2 * g->count;
    lil_tape_free(tp);
    tp->order = malloc(size * sizeof(lil_ex));
    tp->stack = malloc(2 * (size_t)size * sizeof(lil_ex));
    tp->adjoint = calloc(size, sizeof(lil_ex));
    tp->seen = calloc(size, 1);
    tp->input = malloc(size * sizeof *tp->input);
    tp->by = malloc(size * sizeof *tp->by);
    tp->size = tp->order && tp->stack && tp->adjoint && tp->seen && tp->input && tp->by ? size : 0;
    if (!tp->size)
        g->status = lil_fail_memory(g->ctx);
    return tp->size > 0;
}

void lil_tape_free(lil_tape *tp)
{
    free(tp->order);
    free(tp->stack);
    free(tp->adjoint);
    free(tp->seen);
    free(tp->input);
    free(tp->by);
    *tp = (lil_tape){ 0 };
}

static void collect(lil_tape *tp, const lil_graph *g, lil_ex f)
{
    size_t top = 0;
    tp->count = 0;
    tp->stack[top++] = f;
    while (top) {
        lil_ex y = tp->stack[--top];
        if (tp->seen[y] || g->nodes[y].op == LIL_OP_CONST)
            continue;
        tp->seen[y] = 1;
        tp->order[tp->count++] = y;
        if (g->nodes[y].op <= LIL_OP_INPUT)
            continue;
        tp->stack[top++] = g->nodes[y].a;
        if (g->nodes[y].op >= LIL_OP_ADD)
            tp->stack[top++] = g->nodes[y].b;
    }
    qsort(tp->order, tp->count, sizeof *tp->order, compare_decreasing);
}

static void accumulate(lil_tape *tp, lil_graph *g, lil_ex node, lil_ex more)
{
    if (more && !lil_ex_is_const(g, node))
        tp->adjoint[node] = tp->adjoint[node] ? lil_ex_binary(g, LIL_OP_ADD, tp->adjoint[node], more) : more;
}

static void sweep(lil_tape *tp, lil_graph *g, lil_ex f)
{
    if (tp->count)
        tp->adjoint[f] = lil_ex_const(g, 1);
    for (uint32_t k = 0; k < tp->count && g->status == LIL_OK; k++) {
        lil_ex y = tp->order[k];
        lil_ex_node n = g->nodes[y];
        if (n.op <= LIL_OP_INPUT || !tp->adjoint[y])
            continue;
        g->place = n.place; /* a derivative has the location of its function */
        lil_ex da = 0, db = 0;
        partials(g, y, tp->adjoint[y], &da, &db);
        accumulate(tp, g, n.a, da);
        if (n.op >= LIL_OP_ADD)
            accumulate(tp, g, n.b, db);
    }
}

lil_status lil_ex_gradient(lil_tape *tp, lil_graph *g, lil_ex f)
{
    tp->inputs = 0;
    if (g->status != LIL_OK || !reserve(tp, g))
        return g->status;
    collect(tp, g, f);
    sweep(tp, g, f);
    for (uint32_t k = tp->count; k-- > 0;) {
        lil_ex y = tp->order[k];
        if (g->nodes[y].op == LIL_OP_INPUT && tp->adjoint[y]) {
            tp->input[tp->inputs] = (int)g->nodes[y].a;
            tp->by[tp->inputs++] = tp->adjoint[y];
        }
        tp->seen[y] = 0;
        tp->adjoint[y] = 0;
    }
    return g->status;
}

lil_ex lil_ex_zeroed(lil_tape *tp, lil_graph *g, lil_ex f, int first)
{
    if (g->status != LIL_OK || !reserve(tp, g) || lil_ex_is_const(g, f))
        return g->status == LIL_OK ? f : 0;
    collect(tp, g, f);
    lil_ex *image = tp->adjoint;
    for (uint32_t k = tp->count; k-- > 0;) { /* operands first */
        lil_ex y = tp->order[k];
        lil_ex_node n = g->nodes[y];
        g->place = n.place;
        if (n.op <= LIL_OP_INPUT) {
            image[y] = n.op == LIL_OP_INPUT && (int)n.a >= first ? 0 : y;
            continue;
        }
        lil_ex a = lil_ex_is_const(g, n.a) ? n.a : image[n.a];
        lil_ex b = n.op < LIL_OP_ADD ? 0 : lil_ex_is_const(g, n.b) ? n.b : image[n.b];
        image[y] = n.op < LIL_OP_ADD ? lil_ex_unary(g, (lil_op)n.op, a) : lil_ex_binary(g, (lil_op)n.op, a, b);
    }
    lil_ex result = image[f];
    for (uint32_t k = 0; k < tp->count; k++) {
        tp->seen[tp->order[k]] = 0;
        image[tp->order[k]] = 0;
    }
    return g->status == LIL_OK ? result : 0;
}

/* Takes apart sums and factors of one sum. A product of two sums is kept, since (x2 - x1)^2 is small although x1
 * and x2 may be large: taken apart, its size would depend on where the origin is. */
typedef struct size_node {
    lil_ex size;
    bool sum;
} size_node;

static size_node size_of(lil_graph *g, lil_ex y, size_node a, size_node b)
{
    const lil_ex_node n = g->nodes[y];
    switch ((lil_op)n.op) {
    case LIL_OP_NEG:
    case LIL_OP_ABS: return a;
    case LIL_OP_SQRT: return (size_node){ lil_ex_unary(g, LIL_OP_SQRT, a.size), a.sum };
    case LIL_OP_ADD:
    case LIL_OP_SUB: return (size_node){ lil_ex_binary(g, LIL_OP_ADD, a.size, b.size), true };
    case LIL_OP_MUL:
        if (a.sum && b.sum)
            break;
        return (size_node){ lil_ex_binary(g, LIL_OP_MUL, a.size, b.size), a.sum || b.sum };
    case LIL_OP_DIV:
        return (size_node){ lil_ex_binary(g, LIL_OP_DIV, a.size, lil_ex_unary(g, LIL_OP_ABS, n.b)), a.sum };
    default: break;
    }
    return (size_node){ lil_ex_unary(g, LIL_OP_ABS, y), false };
}

lil_ex lil_ex_size(lil_tape *tp, lil_graph *g, lil_ex f)
{
    enum { SEEN = 1, SUM = 2 };
    if (g->status != LIL_OK || !reserve(tp, g))
        return 0;
    collect(tp, g, f);
    lil_ex *image = tp->adjoint;
    for (uint32_t k = tp->count; k-- > 0;) { /* operands first */
        lil_ex y = tp->order[k];
        const lil_ex_node n = g->nodes[y];
        const lil_ex of[2] = { n.op > LIL_OP_INPUT ? n.a : 0, n.op >= LIL_OP_ADD ? n.b : 0 };
        size_node x[2];
        g->place = n.place;
        for (int i = 0; i < 2; i++)
            x[i] = lil_ex_is_const(g, of[i]) ? (size_node){ lil_ex_unary(g, LIL_OP_ABS, of[i]), false }
                                             : (size_node){ image[of[i]], tp->seen[of[i]] == SUM };
        size_node size = size_of(g, y, x[0], x[1]);
        image[y] = size.size;
        tp->seen[y] = size.sum ? SUM : SEEN;
    }
    lil_ex result = lil_ex_is_const(g, f) ? lil_ex_unary(g, LIL_OP_ABS, f) : image[f];
    for (uint32_t k = 0; k < tp->count; k++) {
        tp->seen[tp->order[k]] = 0;
        image[tp->order[k]] = 0;
    }
    return g->status == LIL_OK ? result : 0;
}

bool lil_ex_has_jumps(lil_tape *tp, lil_graph *g, lil_ex f)
{
    bool found = false;
    if (g->status != LIL_OK || !reserve(tp, g))
        return false;
    collect(tp, g, f);
    for (uint32_t k = 0; k < tp->count; k++) {
        uint32_t op = g->nodes[tp->order[k]].op;
        found = found || op == LIL_OP_SIGN || op == LIL_OP_STEP;
        tp->seen[tp->order[k]] = 0;
    }
    return found;
}
