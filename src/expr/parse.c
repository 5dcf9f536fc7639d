/*
 * The grammar, by recursive descent:
 *
 *     expression = term   { ("+" | "-") term }
 *     term       = factor { ("*" | "/") factor }
 *     factor     = ("-" | "+") factor | power
 *     power      = primary [ "^" factor ]                        so -x^2 = -(x^2), 2^-1 works, a^b^c = a^(b^c)
 *     primary    = number | name | name "[" expression "]" | name "(" arguments ")" | "(" expression ")"
 */
#include "expr/parse.h"

#include "core/field.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEPTH_MAX = 200,   /* brackets within brackets */
    HEIGHT_MAX = 4000, /* operations in a row: the tree is walked by recursion */
};

const lil_function lil_functions[] = {
    { "sqrt", 1, LIL_OP_SQRT, "square root" },
    { "exp", 1, LIL_OP_EXP, "exponential" },
    { "log", 1, LIL_OP_LOG, "natural logarithm" },
    { "sin", 1, LIL_OP_SIN, "sine, of radians" },
    { "cos", 1, LIL_OP_COS, "cosine, of radians" },
    { "tan", 1, LIL_OP_TAN, "tangent, of radians" },
    { "asin", 1, LIL_OP_ASIN, "inverse sine" },
    { "acos", 1, LIL_OP_ACOS, "inverse cosine" },
    { "atan", 1, LIL_OP_ATAN, "inverse tangent" },
    { "sinh", 1, LIL_OP_SINH, "hyperbolic sine" },
    { "cosh", 1, LIL_OP_COSH, "hyperbolic cosine" },
    { "tanh", 1, LIL_OP_TANH, "hyperbolic tangent" },
    { "abs", 1, LIL_OP_ABS, "absolute value" },
    { "sign", 1, LIL_OP_SIGN, "-1, 0 or 1" },
    { "pow", 2, LIL_OP_POW, "pow(a, b) = a^b" },
    { "atan2", 2, LIL_OP_ATAN2, "atan2(y, x): angle of the point (x, y)" },
    { "min", 2, LIL_OP_MIN, "the smaller of two" },
    { "max", 2, LIL_OP_MAX, "the larger of two" },
};
const int lil_function_count = sizeof lil_functions / sizeof lil_functions[0];

bool lil_expression_function(int index, const char **name, const char **doc)
{
    static const char *const more[][2] = {
        { "sum", "sum(i, 1, n, ...): the terms for i = 1 to n, added" },
        { "list", "list(i, 1, n, ...): the values for i = 1 to n, where a list is wanted" },
    };
    int k = index - lil_function_count;
    if (index < 0 || k >= (int)(sizeof more / sizeof more[0]))
        return false;
    *name = k < 0 ? lil_functions[index].name : more[k][0];
    *doc = k < 0 ? lil_functions[index].doc : more[k][1];
    return true;
}

typedef struct parser {
    lil_context *ctx;
    lil_arena *arena;
    const lil_source *source;
    const char *text;
    int at, depth;
    lil_status status;
} parser;

static lil_ast *expression(parser *ps);

static lil_ast *fail(parser *ps, int offset, const char *what, const char *detail)
{
    char where[LIL_WHERE_MAX];
    if (ps->status == LIL_OK)
        ps->status =
            lil_fail(ps->ctx, LIL_ERR_INPUT, "%s%s%s in %s '%.80s%s'", lil_source_where(ps->source, offset, where),
                     what, detail, ps->source->what, ps->text, strlen(ps->text) > 80 ? "..." : "");
    return NULL;
}

static lil_ast *new_ast(parser *ps, lil_ast_kind kind, int offset)
{
    lil_ast *ast = LIL_NEW(ps->arena, lil_ast, 1);
    if (!ast) {
        ps->status = lil_fail_memory(ps->ctx);
        return NULL;
    }
    ast->kind = kind;
    ast->offset = offset;
    return ast;
}

static lil_ast *operate(parser *ps, lil_op op, int offset, lil_ast *a, lil_ast *b)
{
    if (!a || (op >= LIL_OP_ADD && !b))
        return NULL;
    lil_ast *ast = new_ast(ps, LIL_AST_OPERATE, offset);
    if (!ast)
        return NULL;
    ast->op = op;
    ast->child[0] = a;
    ast->child[1] = b;
    ast->height = 1 + (b && b->height > a->height ? b->height : a->height);
    if (ast->height > HEIGHT_MAX)
        return fail(ps, offset, "too many operations in a row (sum(i, 1, n, ...) is shorter)", "");
    return ast;
}

static char peek(parser *ps)
{
    while (isspace((unsigned char)ps->text[ps->at]))
        ps->at++;
    return ps->text[ps->at];
}

static bool accept(parser *ps, char c)
{
    if (peek(ps) != c)
        return false;
    ps->at++;
    return true;
}

static lil_ast *unexpected(parser *ps)
{
    char c = peek(ps), detail[64];
    if (!c)
        return fail(ps, ps->at, "the expression ends too early", "");
    if (strncmp(ps->text + ps->at, "\xc2\xb0", 2) == 0)
        return fail(ps, ps->at, "a degree sign (angles are in radians: 90*pi/180)", "");
    if ((unsigned char)c >= 0x80)
        return fail(ps, ps->at, "a character that is not ASCII", "");
    if (c == '\'')
        return fail(ps, ps->at, "unexpected ' (the velocity of x is written dx)", "");
    if (isalnum((unsigned char)c) || c == '_') { /* an operand may not follow another */
        size_t length = strspn(ps->text + ps->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        snprintf(detail, sizeof detail, "'%.*s'", length < 40 ? (int)length : 40, ps->text + ps->at);
        return fail(ps, ps->at, "an operator is missing before ", detail);
    }
    snprintf(detail, sizeof detail, "'%c'", isprint((unsigned char)c) ? c : '?');
    return fail(ps, ps->at, "unexpected ", detail);
}

static bool expect(parser *ps, char c, int opened)
{
    char detail[48];
    if (accept(ps, c))
        return true;
    if (peek(ps)) {
        unexpected(ps);
        return false;
    }
    snprintf(detail, sizeof detail, "'%c'", c == ')' ? '(' : '[');
    fail(ps, opened, "unbalanced ", detail);
    return false;
}

static const char *name_token(parser *ps)
{
    peek(ps);
    int start = ps->at;
    while (isalnum((unsigned char)ps->text[ps->at]) || ps->text[ps->at] == '_')
        ps->at++;
    char *name = lil_arena_copy(ps->arena, ps->text + start, (size_t)(ps->at - start));
    if (!name)
        ps->status = lil_fail_memory(ps->ctx);
    return name;
}

static lil_ast *number(parser *ps)
{
    int start = ps->at;
    char *end;
    /* strtod also reads hexadecimal, infinities and NaN: those begin with a letter or 0x and are refused */
    if (ps->text[start] == '0' && (ps->text[start + 1] == 'x' || ps->text[start + 1] == 'X'))
        return fail(ps, start, "a number must be decimal", "");
    double value = lil_number(ps->ctx, ps->text + start, &end);
    ps->at = (int)(end - ps->text);
    if (ps->at == start)
        return unexpected(ps);
    if (!isfinite(value))
        return fail(ps, start, "a number is too large", "");
    if (isalpha((unsigned char)*end) || *end == '_')
        return fail(ps, ps->at, "an operator is missing after a number (write 2*x, not 2x)", "");
    lil_ast *ast = new_ast(ps, LIL_AST_NUMBER, start);
    if (ast)
        ast->value = value;
    return ast;
}

/* sum(i, from, to, body) and list(i, from, to, body) */
static lil_ast *running(parser *ps, lil_ast_kind kind, int offset)
{
    int opened = ps->at - 1;
    lil_ast *ast = new_ast(ps, kind, offset);
    if (!ast)
        return NULL;
    char c = peek(ps);
    if (!isalpha((unsigned char)c) && c != '_')
        return fail(ps, ps->at, "the running index must be a name, as in sum(i, 1, n, x[i])", "");
    ast->name = name_token(ps);
    for (int k = 0; k < 3; k++) {
        if (!accept(ps, ','))
            return fail(ps, offset, "sum and list take four arguments, as in sum(i, 1, n, x[i])", "");
        if (!(ast->child[k] = expression(ps)))
            return NULL;
        if (ast->child[k]->height >= ast->height)
            ast->height = ast->child[k]->height + 1;
    }
    return expect(ps, ')', opened) ? ast : NULL;
}

/* name[index] */
static lil_ast *indexed(parser *ps, lil_ast *ast)
{
    int opened = ps->at;
    if (!ast || !accept(ps, '['))
        return ast;
    ast->child[0] = expression(ps);
    if (!ast->child[0] || !expect(ps, ']', opened))
        return NULL;
    ast->height = ast->child[0]->height + 1;
    return ast;
}

/* reaction(left) is a name, as `left` is. */
static bool is_measure(const char *name)
{
    static const char *const measures[] = { "reaction", "force", "stress", "von_mises", "energy" };
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        if (strcmp(measures[i], name) == 0)
            return true;
    return false;
}

static lil_ast *measure(parser *ps, const char *name, int offset)
{
    int opened = ps->at - 1;
    char c = peek(ps);
    if (!isalpha((unsigned char)c) && c != '_')
        return fail(ps, ps->at, name, " takes a name, as in reaction(left),");
    const char *of = name_token(ps);
    if (!of || !expect(ps, ')', opened))
        return NULL;
    lil_ast *ast = new_ast(ps, LIL_AST_NAME, offset);
    char *whole = ast ? lil_arena_format(ps->arena, "%s(%s)", name, of) : NULL;
    if (ast && !whole)
        ps->status = lil_fail_memory(ps->ctx);
    if (!whole)
        return NULL;
    ast->name = whole;
    return indexed(ps, ast);
}

static lil_ast *call(parser *ps, const char *name, int offset)
{
    int opened = ps->at - 1;
    if (is_measure(name))
        return measure(ps, name, offset);
    if (strcmp(name, "sum") == 0)
        return running(ps, LIL_AST_SUM, offset);
    if (strcmp(name, "list") == 0)
        return running(ps, LIL_AST_LIST, offset);
    const lil_function *f = NULL;
    for (int i = 0; i < lil_function_count; i++)
        if (strcmp(lil_functions[i].name, name) == 0)
            f = &lil_functions[i];
    if (!f) {
        char hint[LIL_HINT_MAX], detail[2 * LIL_HINT_MAX];
        const char *near = lil_nearest(name, &lil_functions[0].name, lil_function_count, sizeof *lil_functions);
        snprintf(detail, sizeof detail, "'%.60s'%s", name, lil_hint(near, hint));
        return fail(ps, offset, "unknown function ", detail);
    }
    lil_ast *a = expression(ps), *b = NULL;
    if (!a)
        return NULL;
    if (f->arity == 2) {
        if (!accept(ps, ','))
            return fail(ps, offset, f->name, " takes two arguments");
        if (!(b = expression(ps)))
            return NULL;
    } else if (peek(ps) == ',') {
        return fail(ps, ps->at, f->name, " takes one argument");
    }
    return expect(ps, ')', opened) ? operate(ps, f->op, offset, a, b) : NULL;
}

static lil_ast *primary(parser *ps)
{
    char c = peek(ps);
    int start = ps->at;
    if (accept(ps, '(')) {
        lil_ast *inside = expression(ps);
        return inside && expect(ps, ')', start) ? inside : NULL;
    }
    if (isdigit((unsigned char)c) || c == '.')
        return number(ps);
    if (!isalpha((unsigned char)c) && c != '_')
        return unexpected(ps);
    const char *name = name_token(ps);
    if (!name)
        return NULL;
    if (accept(ps, '('))
        return call(ps, name, start);
    char next = peek(ps);
    for (int i = 0; i < lil_function_count && (isalnum((unsigned char)next) || next == '_'); i++)
        if (strcmp(lil_functions[i].name, name) == 0)
            return fail(ps, start, name, " needs brackets, as in sin(x),");
    lil_ast *ast = new_ast(ps, LIL_AST_NAME, start);
    if (!ast)
        return NULL;
    ast->name = name;
    return indexed(ps, ast);
}

static lil_ast *factor(parser *ps);

static lil_ast *power(parser *ps)
{
    lil_ast *base = primary(ps);
    if (!base || peek(ps) != '^')
        return base;
    int offset = ps->at++;
    return operate(ps, LIL_OP_POW, offset, base, factor(ps));
}

static lil_ast *factor(parser *ps)
{
    if (++ps->depth > DEPTH_MAX)
        return fail(ps, ps->at, "nested too deep", "");
    peek(ps);
    int offset = ps->at;
    lil_ast *ast;
    if (accept(ps, '-'))
        ast = operate(ps, LIL_OP_NEG, offset, factor(ps), NULL);
    else if (accept(ps, '+'))
        ast = factor(ps);
    else
        ast = power(ps);
    ps->depth--;
    return ast;
}

static lil_ast *term(parser *ps)
{
    lil_ast *left = factor(ps);
    for (char c = peek(ps); left && (c == '*' || c == '/'); c = peek(ps)) {
        int offset = ps->at++;
        if (c == '*' && ps->text[ps->at] == '*')
            return fail(ps, offset, "a power is written a^b, not a**b", "");
        left = operate(ps, c == '*' ? LIL_OP_MUL : LIL_OP_DIV, offset, left, factor(ps));
    }
    return left;
}

static lil_ast *expression(parser *ps)
{
    lil_ast *left = term(ps);
    for (char c = peek(ps); left && (c == '+' || c == '-'); c = peek(ps)) {
        int offset = ps->at++;
        left = operate(ps, c == '+' ? LIL_OP_ADD : LIL_OP_SUB, offset, left, term(ps));
    }
    return left;
}

lil_status lil_parse(lil_context *ctx, lil_arena *arena, const lil_source *source, lil_ast **ast)
{
    parser ps = { .ctx = ctx, .arena = arena, .source = source, .text = source->text };
    if (!peek(&ps)) {
        fail(&ps, 0, "nothing stands", "");
        return ps.status;
    }
    *ast = expression(&ps);
    if (*ast && peek(&ps)) {
        char c = ps.text[ps.at];
        if (c == ')' || c == ']')
            fail(&ps, ps.at, "unbalanced ", c == ')' ? "')'" : "']'");
        else
            unexpected(&ps);
    }
    if (!*ast && ps.status == LIL_OK)
        unexpected(&ps);
    return ps.status;
}
