/* Names, and what expressions over them become. */
#ifndef LIL_EXPR_SCOPE_H
#define LIL_EXPR_SCOPE_H

#include "expr/parse.h"

typedef enum lil_symbol_kind {
    LIL_SYMBOL_CONSTANT, /* a parameter: its values are known */
    LIL_SYMBOL_LIVE,     /* a parameter that may change while it runs: a leaf of the graph */
    LIL_SYMBOL_INPUT,    /* a coordinate, a velocity or the time: inputs of the graph */
} lil_symbol_kind;

typedef struct lil_symbol {
    const char *name;
    lil_symbol_kind kind;
    int length;           /* 0: a number; n: a list x[1..n] */
    const double *values; /* of a constant, one or `length`; of a live parameter, the initial value */
    int input;            /* number of the (first) input, or of the live parameter */
} lil_symbol;

typedef struct lil_scope {
    const lil_symbol *symbols;
    int count;
    const lil_symbol **sorted; /* by name; NULL: not sorted, names are looked for one by one */
    int *work;                 /* what all texts of a scene were written out to, for a limit; NULL: each text alone */
} lil_scope;

lil_status lil_scope_sort(lil_context *ctx, lil_arena *arena, lil_scope *scope);
const lil_symbol *lil_scope_find(const lil_scope *scope, const char *name);

/* Parses a text and builds it over the scope: one node, or as many as list(...) says (*count of them, in the
 * arena). With `scalar` a list is refused. */
lil_status lil_build(lil_graph *g, lil_arena *arena, const lil_scope *scope, const lil_source *source, bool scalar,
                     lil_ex **nodes, int *count);

/* The same where every name is a constant; NaN and infinities are refused. */
lil_status lil_build_numbers(lil_context *ctx, lil_arena *arena, const lil_scope *scope, const lil_source *source,
                             bool scalar, double **values, int *count);

/* Calls `visit` for each name in the text that is not a running index or a function; for ordering
 * parameters that refer to each other. */
typedef lil_status lil_name_fn(void *user, const char *name, int offset);
lil_status lil_names(lil_context *ctx, const lil_source *source, lil_name_fn *visit, void *user);

#endif
