/*
 * Expressions as a directed acyclic graph with equal nodes shared: a repeated subexpression is computed once, and a
 * derivative shares its subexpressions with the function. The constructors simplify as they build, so that whether
 * something is constant or zero can be read off the node.
 *
 * A node's operands have smaller numbers than the node: numerical order is an order of evaluation.
 */
#ifndef LIL_EXPR_GRAPH_H
#define LIL_EXPR_GRAPH_H

#include "core/context.h"
#include "expr/source.h"

typedef uint32_t lil_ex; /* a node; 0 and 1 are the constants 0 and 1 */

typedef enum lil_op {
    LIL_OP_CONST,
    LIL_OP_PARAMETER, /* a constant that may change between two runs of a program */
    LIL_OP_INPUT,     /* last of the leaves */
    LIL_OP_NEG,       /* first of the functions of one argument */
    LIL_OP_SQRT,
    LIL_OP_EXP,
    LIL_OP_LOG,
    LIL_OP_SIN,
    LIL_OP_COS,
    LIL_OP_TAN,
    LIL_OP_ASIN,
    LIL_OP_ACOS,
    LIL_OP_ATAN,
    LIL_OP_SINH,
    LIL_OP_COSH,
    LIL_OP_TANH,
    LIL_OP_ABS,
    LIL_OP_SIGN,
    LIL_OP_ADD, /* first of the functions of two arguments */
    LIL_OP_SUB,
    LIL_OP_MUL,
    LIL_OP_DIV,
    LIL_OP_POW,
    LIL_OP_ATAN2,
    LIL_OP_MIN,
    LIL_OP_MAX,
    LIL_OP_STEP, /* 1 where a > b, else 0: what differentiating min and max needs */
} lil_op;

typedef struct lil_ex_node {
    uint32_t op;
    lil_ex a, b;    /* operands; of an input and a parameter a is its number */
    uint32_t place; /* where in which text it comes from, an index into places */
    double value;   /* of a constant; of a parameter at first */
} lil_ex_node;

typedef struct lil_place_in {
    const lil_source *source;
    int offset;
} lil_place_in;

typedef struct lil_graph {
    lil_context *ctx;
    lil_status status; /* sticky: after a failure constructors return 0 */
    lil_ex_node *nodes;
    uint32_t count, capacity;
    uint32_t *table; /* open addressing, holds node + 1 */
    uint32_t table_size;
    lil_place_in *places;
    uint32_t place_count, place_capacity;
    uint32_t place; /* given to new nodes */
} lil_graph;

lil_status lil_graph_init(lil_graph *g, lil_context *ctx);
lil_status lil_graph_clone(lil_graph *g, const lil_graph *from, lil_context *ctx);
void lil_graph_free(lil_graph *g);
void lil_graph_set_place(lil_graph *g, const lil_source *source, int offset);

lil_ex lil_ex_const(lil_graph *g, double value);
lil_ex lil_ex_input(lil_graph *g, int input);
lil_ex lil_ex_parameter(lil_graph *g, int number, double value);
lil_ex lil_ex_unary(lil_graph *g, lil_op op, lil_ex a);
lil_ex lil_ex_binary(lil_graph *g, lil_op op, lil_ex a, lil_ex b);

static inline bool lil_ex_is_const(const lil_graph *g, lil_ex e)
{
    return g->nodes[e].op == LIL_OP_CONST;
}

/* The value of one operation. */
double lil_op_apply(lil_op op, double a, double b);

/* Workspace for walking the part of a graph below a node, reused from call to call; starts as { 0 }. */
typedef struct lil_tape {
    lil_ex *order, *stack, *adjoint;
    unsigned char *seen;
    uint32_t count, size;
    /* the latest gradient: so many inputs, and the derivative by each */
    int inputs, *input;
    lil_ex *by;
} lil_tape;

void lil_tape_free(lil_tape *tape);

/* The inputs by which f has a derivative that is not identically zero, with that derivative, into the tape.
 * Reverse mode, once through what f depends on. */
lil_status lil_ex_gradient(lil_tape *tape, lil_graph *g, lil_ex f);

/* f with all inputs from `first` on set to zero. */
lil_ex lil_ex_zeroed(lil_tape *tape, lil_graph *g, lil_ex f, int first);

/* The sum of the magnitudes of the terms of f: at least |f|, and much more where terms cancel. Inside a product of
 * two sums and inside functions nothing is taken apart. */
lil_ex lil_ex_size(lil_tape *tape, lil_graph *g, lil_ex f);

/* Is there a sign or a step in f? Their derivative is zero, but they are not constant. */
bool lil_ex_has_jumps(lil_tape *tape, lil_graph *g, lil_ex f);

#endif
