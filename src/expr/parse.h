/* Text -> syntax tree. */
#ifndef LIL_EXPR_PARSE_H
#define LIL_EXPR_PARSE_H

#include "core/arena.h"
#include "expr/graph.h"

typedef enum lil_ast_kind {
    LIL_AST_NUMBER,
    LIL_AST_NAME,    /* x, or x[i] with children */
    LIL_AST_OPERATE, /* an operator or function of one or two arguments */
    LIL_AST_SUM,     /* sum(i, from, to, body) */
    LIL_AST_LIST,    /* list(i, from, to, body): only as a whole expression */
} lil_ast_kind;

typedef struct lil_ast {
    lil_ast_kind kind;
    int offset; /* in the text */
    lil_op op;
    double value;
    const char *name; /* of a name, or of the running index */
    struct lil_ast *child[3];
    const struct lil_symbol *symbol; /* found by lil_resolve; NULL: a running index */
    int depth;                       /* of the running index: how many sums enclose its own */
    int height;                      /* of the tree below */
} lil_ast;

/* The functions of the language, for the parser, `lilyan list functions` and the docs. */
typedef struct lil_function {
    const char *name;
    int arity;
    lil_op op;
    const char *doc;
} lil_function;

extern const lil_function lil_functions[];
extern const int lil_function_count;

lil_status lil_parse(lil_context *ctx, lil_arena *arena, const lil_source *source, lil_ast **ast);

#endif
