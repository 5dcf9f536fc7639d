#include "expr/scope.h"

#include "core/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS_MAX = 8, LIST_MAX = 1000 * 1000, WORK_MAX = 10 * 1000 * 1000 };

static const double PI = 3.14159265358979323846;
static const lil_symbol pi_symbol = { "pi", LIL_SYMBOL_CONSTANT, 0, &PI, 0 };

static int by_name(const void *x, const void *y)
{
    return strcmp((*(const lil_symbol *const *)x)->name, (*(const lil_symbol *const *)y)->name);
}

lil_status lil_scope_sort(lil_context *ctx, lil_arena *arena, lil_scope *scope)
{
    LIL_ALLOC(ctx, arena, scope->sorted, scope->count);
    for (int i = 0; i < scope->count; i++)
        scope->sorted[i] = &scope->symbols[i];
    qsort(scope->sorted, (size_t)scope->count, sizeof *scope->sorted, by_name);
    return LIL_OK;
}

static const lil_symbol *find_sorted(const lil_scope *scope, const char *name)
{
    const lil_symbol key = { .name = name }, *wanted = &key;
    const lil_symbol **found = bsearch(&wanted, scope->sorted, (size_t)scope->count, sizeof *scope->sorted, by_name);
    return found ? *found : NULL;
}

const lil_symbol *lil_scope_find(const lil_scope *scope, const char *name)
{
    const lil_symbol *found = scope->sorted ? find_sorted(scope, name) : NULL;
    if (found || scope->sorted)
        return found || strcmp(name, "pi") != 0 ? found : &pi_symbol;
    for (int i = 0; i < scope->count; i++)
        if (strcmp(scope->symbols[i].name, name) == 0)
            return &scope->symbols[i];
    return strcmp(name, "pi") == 0 ? &pi_symbol : NULL;
}

typedef struct builder {
    lil_graph *g;
    const lil_scope *scope;
    const lil_source *source;
    const char *index_name[SUMS_MAX]; /* running indices, outermost first */
    double index_value[SUMS_MAX];
    int depth;
    int *work, own_work; /* operations written out so far */
    const char *live;    /* the latest live parameter that was met; NULL: none */
} builder;

static lil_status fail_at(builder *bd, const lil_ast *ast, lil_status status, const char *what, const char *name)
{
    char where[LIL_WHERE_MAX];
    return lil_fail(bd->g->ctx, status, "%s%s%s in %s", lil_source_where(bd->source, ast->offset, where), what, name,
                    bd->source->what);
}

/* ---- resolve: every name found once, before sums repeat it ---- */

static lil_status resolve_name(builder *bd, lil_ast *ast)
{
    char text[LIL_HINT_MAX * 2];
    for (int k = bd->depth; k-- > 0;)
        if (strcmp(bd->index_name[k], ast->name) == 0) {
            ast->depth = k;
            return ast->child[0] ? fail_at(bd, ast, LIL_ERR_INPUT, "a running index has no [ ]: ", ast->name)
                                 : LIL_OK;
        }
    ast->symbol = lil_scope_find(bd->scope, ast->name);
    if (!ast->symbol) {
        char hint[LIL_HINT_MAX];
        const char *near = bd->scope->count ? lil_nearest(ast->name, &bd->scope->symbols[0].name, bd->scope->count,
                                                          sizeof(lil_symbol))
                                            : NULL;
        size_t length = strlen(ast->name);
        bool dotted = length > 3 && length < 60 && strcmp(ast->name + length - 3, "dot") == 0;
        if (dotted)
            snprintf(text, sizeof text, "'%s' (the velocity of x is written dx)", ast->name);
        else
            snprintf(text, sizeof text, "'%.60s'%s", ast->name, lil_hint(near, hint));
        return fail_at(bd, ast, LIL_ERR_INPUT, "unknown name ", text);
    }
    snprintf(text, sizeof text, "'%.60s'", ast->name);
    if (ast->child[0] && !ast->symbol->length)
        return fail_at(bd, ast, LIL_ERR_INPUT, "not a list, so it has no [ ]: ", text);
    if (!ast->child[0] && ast->symbol->length)
        return fail_at(bd, ast, LIL_ERR_INPUT, "a list needs an index, as in x[1]: ", text);
    return LIL_OK;
}

static lil_status resolve(builder *bd, lil_ast *ast, bool list_allowed)
{
    bool runs = ast->kind == LIL_AST_SUM || ast->kind == LIL_AST_LIST;
    if (ast->kind == LIL_AST_LIST && !list_allowed)
        return fail_at(bd, ast, LIL_ERR_INPUT, "list(...) can only be a whole expression that gives a list", "");
    if (runs && bd->depth == SUMS_MAX)
        return fail_at(bd, ast, LIL_ERR_LIMIT, "sums nested too deep", "");
    if (ast->kind == LIL_AST_NAME)
        LIL_TRY(resolve_name(bd, ast));
    for (int k = 0; k < 3 && ast->child[k]; k++) {
        if (runs && k == 2)
            bd->index_name[bd->depth++] = ast->name;
        lil_status status = resolve(bd, ast->child[k], false);
        if (runs && k == 2)
            bd->depth--;
        LIL_TRY(status);
    }
    return LIL_OK;
}

/* ---- expand: the tree becomes nodes, sums are written out ---- */

static lil_status expand(builder *bd, const lil_ast *ast, lil_ex *out);

static lil_status expand_integer(builder *bd, const lil_ast *ast, const char *what, long *out)
{
    lil_ex node;
    bd->live = NULL;
    LIL_TRY(expand(bd, ast, &node));
    double value = lil_ex_is_const(bd->g, node) ? bd->g->nodes[node].value : NAN;
    if (bd->live && !lil_ex_is_const(bd->g, node)) {
        char text[160];
        snprintf(text, sizeof text, " cannot depend on '%.60s', which is live and may change while it runs",
                 bd->live);
        return fail_at(bd, ast, LIL_ERR_INPUT, what, text);
    }
    if (!(value == floor(value) && fabs(value) < 1e9))
        return fail_at(bd, ast, LIL_ERR_INPUT, what, " must be a known whole number");
    *out = (long)value;
    return LIL_OK;
}

static lil_status expand_name(builder *bd, const lil_ast *ast, lil_ex *out)
{
    const lil_symbol *symbol = ast->symbol;
    if (!symbol) {
        *out = lil_ex_const(bd->g, bd->index_value[ast->depth]);
        return LIL_OK;
    }
    long index = 1;
    if (ast->child[0]) {
        LIL_TRY(expand_integer(bd, ast->child[0], "an index", &index));
        if (index < 1 || index > symbol->length) {
            char text[160];
            snprintf(text, sizeof text, "'%.60s[%ld]': the list has %d entries", ast->name, index, symbol->length);
            return fail_at(bd, ast, LIL_ERR_INPUT, "index out of range ", text);
        }
    }
    lil_graph_set_place(bd->g, bd->source, ast->offset);
    if (symbol->kind == LIL_SYMBOL_CONSTANT) {
        *out = lil_ex_const(bd->g, symbol->values[index - 1]);
    } else if (symbol->kind == LIL_SYMBOL_LIVE) {
        *out = lil_ex_parameter(bd->g, symbol->input, symbol->values[0]);
        bd->live = symbol->name;
    } else
        *out = lil_ex_input(bd->g, symbol->input + (int)index - 1);
    return LIL_OK;
}

static lil_status running_range(builder *bd, const lil_ast *ast, long *from, long *to)
{
    LIL_TRY(expand_integer(bd, ast->child[0], "the first index", from));
    LIL_TRY(expand_integer(bd, ast->child[1], "the last index", to));
    if (*to - *from >= LIST_MAX)
        return fail_at(bd, ast, LIL_ERR_LIMIT, "more than a million terms", "");
    return LIL_OK;
}

/* one term of a sum or list */
static lil_status expand_body(builder *bd, const lil_ast *ast, long i, lil_ex *out)
{
    bd->index_value[bd->depth++] = (double)i;
    lil_status status = expand(bd, ast->child[2], out);
    bd->depth--;
    return status == LIL_OK ? bd->g->status : status;
}

static lil_status expand_sum(builder *bd, const lil_ast *ast, lil_ex *out)
{
    long from = 0, to = -1;
    LIL_TRY(running_range(bd, ast, &from, &to));
    *out = lil_ex_const(bd->g, 0);
    for (long i = from; i <= to; i++) {
        lil_ex term;
        LIL_TRY(expand_body(bd, ast, i, &term));
        ++*bd->work; /* the addition */
        *out = lil_ex_binary(bd->g, LIL_OP_ADD, *out, term);
    }
    return LIL_OK;
}

static lil_status expand(builder *bd, const lil_ast *ast, lil_ex *out)
{
    if (++*bd->work > WORK_MAX)
        return fail_at(bd, ast, LIL_ERR_LIMIT, "sums and lists with more than 10 million terms in all", "");
    switch (ast->kind) {
    case LIL_AST_NUMBER: *out = lil_ex_const(bd->g, ast->value); break;
    case LIL_AST_NAME: LIL_TRY(expand_name(bd, ast, out)); break;
    case LIL_AST_OPERATE: {
        lil_ex a = 0, b = 0;
        LIL_TRY(expand(bd, ast->child[0], &a));
        if (ast->child[1])
            LIL_TRY(expand(bd, ast->child[1], &b));
        lil_graph_set_place(bd->g, bd->source, ast->offset);
        *out = ast->child[1] ? lil_ex_binary(bd->g, ast->op, a, b) : lil_ex_unary(bd->g, ast->op, a);
        break;
    }
    default: LIL_TRY(expand_sum(bd, ast, out)); break;
    }
    return bd->g->status;
}

static lil_status expand_list(builder *bd, lil_arena *arena, const lil_ast *ast, lil_ex **nodes, int *count)
{
    long from = 0, to = -1;
    LIL_TRY(running_range(bd, ast, &from, &to));
    *count = to < from ? 0 : (int)(to - from + 1);
    *nodes = LIL_NEW(arena, lil_ex, *count);
    LIL_HAVE(bd->g->ctx, *nodes);
    for (int k = 0; k < *count; k++)
        LIL_TRY(expand_body(bd, ast, from + k, &(*nodes)[k]));
    return LIL_OK;
}

lil_status lil_build(lil_graph *g, lil_arena *arena, const lil_scope *scope, const lil_source *source, bool scalar,
                     lil_ex **nodes, int *count)
{
    lil_ast *ast = NULL;
    builder bd = { .g = g, .scope = scope, .source = source };
    bd.work = scope->work ? scope->work : &bd.own_work;
    LIL_TRY(lil_parse(g->ctx, arena, source, &ast));
    LIL_TRY(resolve(&bd, ast, !scalar));
    if (ast->kind == LIL_AST_LIST)
        return expand_list(&bd, arena, ast, nodes, count);
    *count = 1;
    *nodes = LIL_NEW(arena, lil_ex, 1);
    return *nodes ? expand(&bd, ast, *nodes) : lil_fail_memory(g->ctx);
}

lil_status lil_build_numbers(lil_context *ctx, lil_arena *arena, const lil_scope *scope, const lil_source *source,
                             bool scalar, double **values, int *count)
{
    lil_graph g;
    lil_ex *nodes = NULL;
    LIL_TRY(lil_graph_init(&g, ctx));
    lil_status status = lil_build(&g, arena, scope, source, scalar, &nodes, count);
    if (status == LIL_OK && !(*values = LIL_NEW(arena, double, *count)))
        status = lil_fail_memory(ctx);
    for (int i = 0; status == LIL_OK && i < *count; i++) {
        char where[LIL_WHERE_MAX];
        (*values)[i] = g.nodes[nodes[i]].value;
        if (!lil_ex_is_const(&g, nodes[i])) /* only values that are not finite are left unevaluated */
            status = lil_fail(ctx, LIL_ERR_NOT_FINITE, "%s%s '%.80s' is not a finite number",
                              lil_source_where(source, 0, where), source->what, source->text);
    }
    lil_graph_free(&g);
    return status;
}

/* ---- names ---- */

static lil_status visit_names(const lil_ast *ast, const char **index_name, int depth, lil_name_fn *visit, void *user)
{
    bool runs = ast->kind == LIL_AST_SUM || ast->kind == LIL_AST_LIST, known = false;
    if (runs && depth == SUMS_MAX)
        return LIL_OK; /* resolve will say so */
    if (ast->kind == LIL_AST_NAME) {
        for (int k = 0; k < depth; k++)
            known = known || strcmp(index_name[k], ast->name) == 0;
        if (!known)
            LIL_TRY(visit(user, ast->name, ast->offset));
    }
    for (int k = 0; k < 3 && ast->child[k]; k++) {
        int inner = depth;
        if (runs && k == 2)
            index_name[inner++] = ast->name;
        LIL_TRY(visit_names(ast->child[k], index_name, inner, visit, user));
    }
    return LIL_OK;
}

lil_status lil_names(lil_context *ctx, const lil_source *source, lil_name_fn *visit, void *user)
{
    lil_arena arena = { 0 };
    lil_ast *ast = NULL;
    const char *index_name[SUMS_MAX];
    lil_status status = lil_parse(ctx, &arena, source, &ast);
    if (status == LIL_OK)
        status = visit_names(ast, index_name, 0, visit, user);
    lil_arena_free(&arena);
    return status;
}
