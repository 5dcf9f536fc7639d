/* Expressions: what a text means, its exact derivatives, and that simplifying and compiling change nothing. */
#include "expr/program.h"
#include "expr/scope.h"
#include "test.h"

#include <float.h>
#include <string.h>
#include <time.h>

static lil_context *ctx;

/* ---- a small world of names: x, y, z[1..3], their velocities, t, and parameters ---- */

enum { N = 5, INPUTS = 1 + 2 * N };

static const double m = 2.5, count3 = 3, list_c[] = { 10, 20, 30 };
static const lil_symbol symbols[] = {
    { "t", LIL_SYMBOL_INPUT, 0, NULL, 0 },       { "x", LIL_SYMBOL_INPUT, 0, NULL, 1 },
    { "y", LIL_SYMBOL_INPUT, 0, NULL, 2 },       { "z", LIL_SYMBOL_INPUT, 3, NULL, 3 },
    { "dx", LIL_SYMBOL_INPUT, 0, NULL, 6 },      { "dy", LIL_SYMBOL_INPUT, 0, NULL, 7 },
    { "dz", LIL_SYMBOL_INPUT, 3, NULL, 8 },      { "m", LIL_SYMBOL_CONSTANT, 0, &m, 0 },
    { "n", LIL_SYMBOL_CONSTANT, 0, &count3, 0 }, { "c", LIL_SYMBOL_CONSTANT, 3, list_c, 0 },
};
static const lil_scope scope = { .symbols = symbols, .count = sizeof symbols / sizeof symbols[0] };

static const double T = 0.25, Q[N] = { 0.7, -1.3, 0.11, 0.22, 0.33 }, V[N] = { 1.1, 1.2, 4, 5, 6 };

/* df/d(input), into arrays of the caller's */
static lil_status gradient_of(lil_tape *tape, lil_graph *g, lil_ex f, int *inputs, lil_ex *d, int *count)
{
    lil_status status = lil_ex_gradient(tape, g, f);
    memcpy(inputs, tape->input, (size_t)tape->inputs * sizeof *inputs);
    memcpy(d, tape->by, (size_t)tape->inputs * sizeof *d);
    *count = tape->inputs;
    return status;
}

static double input_value(int input)
{
    return input == 0 ? T : input <= N ? Q[input - 1] : V[input - 1 - N];
}

static lil_source source_of(const char *text)
{
    return (lil_source){ text, "lagrangian", "scene.yaml", 3, 13, 1 };
}

/* the nodes of a text in a new graph; the graph and the arena are the caller's to free */
static lil_status build(const char *text, bool scalar, lil_graph *g, lil_arena *arena, lil_ex **nodes, int *count)
{
    lil_source *source = LIL_NEW(arena, lil_source, 1);
    *source = source_of(text);
    lil_status status = lil_graph_init(g, ctx);
    return status == LIL_OK ? lil_build(g, arena, &scope, source, scalar, nodes, count) : status;
}

static double run_one(lil_graph *g, lil_arena *arena, lil_ex node, const double *q)
{
    lil_program program;
    double out = NAN;
    if (lil_program_compile(g, arena, N, &node, 1, &program) == LIL_OK)
        lil_program_run(&program, lil_program_slots(&program, arena), T, q, V, &out);
    return out;
}

/* What a text is worth at (T, Q, V); NaN where it is refused. */
static double value(const char *text)
{
    lil_arena arena = { 0 };
    lil_graph g;
    lil_ex *node;
    int count;
    double result = NAN;
    if (build(text, true, &g, &arena, &node, &count) == LIL_OK)
        result = run_one(&g, &arena, *node, Q);
    else
        printf("%s\n", lil_context_message(ctx));
    lil_graph_free(&g);
    lil_arena_free(&arena);
    return result;
}

/* The text is refused, with this in the sentence. */
static bool refused(const char *text, const char *because)
{
    lil_arena arena = { 0 };
    lil_graph g;
    lil_ex *node;
    int count;
    lil_status status = build(text, true, &g, &arena, &node, &count);
    lil_graph_free(&g);
    lil_arena_free(&arena);
    bool right = status != LIL_OK && strstr(lil_context_message(ctx), because);
    if (!right)
        printf("'%s' gives status %d: %s\n", text, status, lil_context_message(ctx));
    return right;
}

/* Exact: neither side rounds differently. */
#define SAME(text, expected) CHECK_NEAR(value(text), (expected), 0)
/* Two roundings apart at most: the order of a product of three may differ. */
#define CLOSE(text, expected) CHECK_NEAR(value(text), (expected), 2 * DBL_EPSILON * fabs(expected))

/* ---- the language ---- */

TEST(grammar)
{
    double x = Q[0], y = Q[1];
    SAME("-x^2", -(x * x));
    SAME("(-x)^2", x * x);
    SAME("2^-1", 0.5);
    SAME("2^3^2", 512);
    SAME("(2^3)^2", 64);
    SAME("2^-2^2", 0.0625);
    SAME("-2^2", -4);
    SAME("--x", x);
    SAME("+-+x", -x);
    SAME("3 - -2", 5);
    SAME("8/4/2", 1);
    SAME("8/4*2", 4);
    SAME("10 - 4 - 3", 3);
    SAME("2*3^2", 18);
    SAME("-x*-y", x * y);
    SAME("x-y*y+1", x - y * y + 1);
    SAME(" ( ( x ) ) ", x);
    CLOSE("1/2*m*dx^2", 0.5 * m * V[0] * V[0]);
}

TEST(numbers_and_names)
{
    SAME("1.5e-3", 1.5e-3);
    SAME(".5", 0.5);
    SAME("5.", 5);
    SAME("1E2", 100);
    SAME("1e-400", 0); /* below the smallest: zero, not an error */
    SAME("pi", 3.14159265358979323846);
    SAME("t", T);
    SAME("z[2]", Q[3]);
    SAME("z[1+1]", Q[3]);
    SAME("z[n]", Q[4]);
    SAME("dz[n-2]", V[2]);
    SAME("c[2]", 20);
    SAME("c[n]*m", 75);
}

TEST(sums_and_lists)
{
    SAME("sum(i, 1, 4, i^2)", 30);
    SAME("sum(i, 3, 2, i)", 0);
    SAME("sum(i, -2, 2, i*i)", 10);
    SAME("sum(i, 1, n, c[i])", 60);
    SAME("sum(i, 1, 3, sum(j, 1, i, i*j))", 1 + 2 + 4 + 3 + 6 + 9);
    SAME("sum(i, 1, 2, sum(i, 3, 4, i))", 14); /* the inner index hides the outer one */
    SAME("sum(x, 1, 3, x) ", 6);               /* and a coordinate */
    CLOSE("sum(i, 1, n-1, (z[i+1] - z[i])^2)", pow(Q[3] - Q[2], 2) + pow(Q[4] - Q[3], 2));

    lil_arena arena = { 0 };
    lil_graph g;
    lil_ex *nodes;
    int count = 0;
    CHECK(build("list(i, 1, n, c[i]*z[i])", false, &g, &arena, &nodes, &count) == LIL_OK);
    CHECK(count == 3);
    for (int i = 0; i < count; i++)
        CHECK_NEAR(run_one(&g, &arena, nodes[i], Q), list_c[i] * Q[2 + i], 0);
    lil_graph_free(&g);
    lil_arena_free(&arena);
}

TEST(what_is_wrong_is_refused_where_it_stands)
{
    CHECK(refused("", "scene.yaml:3:13: nothing stands"));
    CHECK(refused("x +", "scene.yaml:3:16: the expression ends too early"));
    CHECK(refused("2x", "scene.yaml:3:14: an operator is missing"));
    CHECK(refused("x**2", "scene.yaml:3:14: a power is written"));
    CHECK(refused("(x", "scene.yaml:3:13: unbalanced '('"));
    CHECK(refused("x)", "scene.yaml:3:14: unbalanced ')'"));
    CHECK(refused("z[1", "unbalanced '['"));
    CHECK(refused("x y", "scene.yaml:3:15: an operator is missing before 'y'"));
    CHECK(refused("0x10", "must be decimal"));
    CHECK(refused("1e999", "too large"));
    CHECK(refused("sine(x)", "unknown function 'sine' (did you mean 'sin'?)"));
    CHECK(refused("sin(x, y)", "takes one argument"));
    CHECK(refused("atan2(x)", "takes two arguments"));
    CHECK(refused("sum(i, 1, 3)", "four arguments"));
    CHECK(refused("sum(1, 1, 3, x)", "running index"));
    CHECK(refused("w", "scene.yaml:3:13: unknown name 'w'"));
    CHECK(refused("x[1]", "not a list"));
    CHECK(refused("z", "a list needs an index"));
    CHECK(refused("1 + z[4]", "scene.yaml:3:17: index out of range 'z[4]'"));
    CHECK(refused("z[0]", "index out of range"));
    CHECK(refused("z[1.5]", "must be a known whole number"));
    CHECK(refused("z[x]", "must be a known whole number"));
    CHECK(refused("sum(i, 1, x, i)", "must be a known whole number"));
    CHECK(refused("sum(i, 1, 2, i[1])", "a running index has no [ ]"));
    CHECK(refused("1 + list(i, 1, 3, i)", "list(...) can only be"));
    CHECK(refused("list(i, 1, 3, i)", "list(...) can only be"));
    CHECK(refused("sum(i, 1, 1e8, 0)", "more than a million terms"));
    CHECK(refused("sum(i, 1, 1e6, sum(j, 1, 1e6, 0))", "more than 10 million terms in all"));
    CHECK(refused("\xc3\xa4", "not ASCII"));
}

TEST(depth_is_limited)
{
    static char text[20000];
    memset(text, '(', 5000);
    strcpy(text + 5000, "x");
    CHECK(refused(text, "nested too deep"));
    memset(text, '-', 5000);
    CHECK(refused(text, "nested too deep"));
    for (int i = 0; i < 9000; i++)
        memcpy(text + 2 * i, "x+", 2);
    strcpy(text + 18000, "x");
    CHECK(refused(text, "too many operations in a row"));
}

/* ---- every function and operator: values and derivatives ---- */

typedef struct sample {
    const char *text; /* of x and y */
    double lo, hi;    /* where both are drawn from: inside the domain, away from kinks */
    double (*one)(double);
    double (*two)(double, double);
} sample;

static double negate(double a)
{
    return -a;
}
static double sign(double a)
{
    return (a > 0) - (a < 0);
}
static double plus(double a, double b)
{
    return a + b;
}
static double minus(double a, double b)
{
    return a - b;
}
static double times(double a, double b)
{
    return a * b;
}
static double over(double a, double b)
{
    return a / b;
}

static const sample samples[] = {
    { "-x", -2, 2, negate, NULL },
    { "sqrt(x)", 0.5, 3, sqrt, NULL },
    { "exp(x)", -2, 1, exp, NULL },
    { "log(x)", 0.5, 3, log, NULL },
    { "sin(x)", -4, 4, sin, NULL },
    { "cos(x)", -4, 4, cos, NULL },
    { "tan(x)", -0.8, 0.8, tan, NULL },
    { "asin(x)", -0.6, 0.6, asin, NULL },
    { "acos(x)", -0.6, 0.6, acos, NULL },
    { "atan(x)", -3, 3, atan, NULL },
    { "sinh(x)", -2, 2, sinh, NULL },
    { "cosh(x)", -2, 2, cosh, NULL },
    { "tanh(x)", -2, 2, tanh, NULL },
    { "abs(x)", -3, -0.1, fabs, NULL },
    { "sign(x)", 0.1, 3, sign, NULL },
    { "x + y", -2, 2, NULL, plus },
    { "x - y", -2, 2, NULL, minus },
    { "x*y", -2, 2, NULL, times },
    { "x/y", 0.7, 3, NULL, over },
    { "x^y", 0.7, 2, NULL, pow },
    { "pow(x, y)", 0.7, 2, NULL, pow },
    { "atan2(x, y)", 0.7, 3, NULL, atan2 },
    { "min(x, y)", -3, 3, NULL, fmin },
    { "max(x, y)", -3, 3, NULL, fmax },
    /* constant exponents take several ways: products, roots, quotients, pow */
    { "x^0 + y", -2, 2, NULL, NULL },
    { "x^1", -2, 2, NULL, NULL },
    { "x^2", -2, 2, NULL, NULL },
    { "x^3", -2, 2, NULL, NULL },
    { "x^4", -2, 2, NULL, NULL },
    { "x^5", -2, 2, NULL, NULL },
    { "x^-1", 0.7, 2, NULL, NULL },
    { "x^-3", 0.7, 2, NULL, NULL },
    { "x^0.5", 0.7, 2, NULL, NULL },
    { "x^1.5", 0.7, 2, NULL, NULL },
    { "x^2.5", 0.7, 2, NULL, NULL },
    { "x^3.5", 0.7, 2, NULL, NULL },
    { "x^-0.5", 0.7, 2, NULL, NULL },
    { "x^-1.5", 0.7, 2, NULL, NULL },
    { "x^(7/3)", 0.7, 2, NULL, NULL },
    { "2^x", -2, 2, NULL, NULL },
    /* compositions: each operation inside and outside of another */
    { "-1/sqrt(x^2 + y^2)", 0.7, 2, NULL, NULL },
    { "sin(x*y)*exp(-x)/(1 + y^2)", -2, 2, NULL, NULL },
    { "tanh(x - y)*atan2(y, 2 + cos(x))", -2, 2, NULL, NULL },
    { "max(x^2, 0)*log(1 + x^2) - min(y, 4)*abs(y - 9)", -2, 2, NULL, NULL },
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* min and max have a kink at x = y: stay away from it */
static void draw_point(const sample *s, double q[N])
{
    memcpy(q, Q, sizeof Q);
    do {
        for (int i = 0; i < 2; i++)
            q[i] = s->lo + (s->hi - s->lo) * (rand() / (double)RAND_MAX);
    } while (fabs(q[0] - q[1]) < 0.05);
}

/* f' by central differences of order 4: (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12h */
static double difference(lil_program *program, double *slots, const double *q, int j)
{
    static const double at[] = { 1, -1, 2, -2 }, weight[] = { 8, -8, -1, 1 }, h = 1e-3;
    double sum = 0, moved[N], out;
    memcpy(moved, q, sizeof moved);
    for (int k = 0; k < 4; k++) {
        moved[j] = q[j] + at[k] * h;
        lil_program_run(program, slots, T, moved, V, &out);
        sum += weight[k] * out;
    }
    return sum / (12 * h);
}

/*
 * The derivatives of node f by x and y against differences at some points. The difference is wrong by h^4/30 f^(5) and
 * by 1.5 eps |f|/h of round-off: with h = 1e-3 and fifth derivatives up to 1e4 (asin, tan near the ends of their
 * ranges) by 4e-10. A wrong formula is wrong in its first digits.
 */
static void check_gradient(lil_graph *g, lil_arena *arena, const sample *s, lil_ex f, lil_ex d[2])
{
    lil_tape tape = { 0 };
    lil_program program;
    int inputs[INPUTS], count;
    lil_ex nodes[INPUTS];
    d[0] = d[1] = 0;
    MUST(gradient_of(&tape, g, f, inputs, nodes, &count));
    for (int k = 0; k < count; k++)
        if (inputs[k] == 1 || inputs[k] == 2)
            d[inputs[k] - 1] = nodes[k];
    MUST(lil_program_compile(g, arena, N, &f, 1, &program));
    double *slots = lil_program_slots(&program, arena), q[N], size;
    for (int point = 0; point < 5; point++) {
        draw_point(s, q);
        lil_program_run(&program, slots, T, q, V, &size);
        for (int j = 0; j < 2; j++) {
            double exact = run_one(g, arena, d[j], q), differenced = difference(&program, slots, q, j);
            double tolerance = 1e-9 * fmax(1, fmax(fabs(size), fabs(exact)));
            if (!(fabs(exact - differenced) <= tolerance)) {
                printf("'%s', derivative by %s at x = %.17g, y = %.17g:\n", s->text, j ? "y" : "x", q[0], q[1]);
                CHECK_NEAR(exact, differenced, tolerance);
            }
        }
    }
    lil_tape_free(&tape);
}

TEST(derivatives_of_every_function)
{
    srand(1);
    for (int k = 0; k < SAMPLES; k++) {
        lil_arena arena = { 0 };
        lil_graph g;
        lil_ex *f, first[2], second[2][2];
        int count;
        MUST(build(samples[k].text, true, &g, &arena, &f, &count));
        check_gradient(&g, &arena, &samples[k], *f, first);
        for (int j = 0; j < 2; j++)
            check_gradient(&g, &arena, &samples[k], first[j], second[j]);
        lil_graph_free(&g);
        lil_arena_free(&arena);
    }
}

TEST(values_of_every_function)
{
    srand(2);
    int covered = 0;
    for (int k = 0; k < SAMPLES && (samples[k].one || samples[k].two); k++) {
        lil_arena arena = { 0 };
        lil_graph g;
        lil_ex *f;
        int count;
        double q[N];
        MUST(build(samples[k].text, true, &g, &arena, &f, &count));
        for (int point = 0; point < 20; point++) {
            draw_point(&samples[k], q);
            double expected = samples[k].one ? samples[k].one(q[0]) : samples[k].two(q[0], q[1]);
            CHECK_NEAR(run_one(&g, &arena, *f, q), expected, 0); /* the same libm */
        }
        char call[16];
        for (int i = 0; i < lil_function_count; i++) {
            snprintf(call, sizeof call, "%s(", lil_functions[i].name);
            covered += strncmp(samples[k].text, call, strlen(call)) == 0;
        }
        lil_graph_free(&g);
        lil_arena_free(&arena);
    }
    CHECK(covered == lil_function_count); /* a new function needs a sample */
}

/* Hertzian contact k max(0, d)^(5/2) and its derivatives vanish where nothing touches. */
TEST(half_powers_at_zero)
{
    static const char *const texts[] = { "max(0, x)^2.5", "max(x, 0)^(3/2)", "max(0, x)^3.5", "max(0, x)^2.2",
                                         "(x^2)^1.5" };
    for (int k = 0; k < 5; k++) {
        lil_arena arena = { 0 };
        lil_graph g;
        lil_ex *f, d[INPUTS];
        lil_tape tape = { 0 };
        int count, inputs[INPUTS];
        double q[N] = { k < 4 ? -1 : 0, 0, 0, 0, 0 };
        MUST(build(texts[k], true, &g, &arena, &f, &count));
        CHECK_NEAR(run_one(&g, &arena, *f, q), 0, 0);
        MUST(gradient_of(&tape, &g, *f, inputs, d, &count));
        CHECK(count == 1);
        CHECK_NEAR(run_one(&g, &arena, d[0], q), 0, 0);
        lil_tape_free(&tape);
        lil_graph_free(&g);
        lil_arena_free(&arena);
    }
}

/* ---- random trees: text -> graph -> program against a direct evaluation ---- */

/* A number with a bound on its error: Wilkinson's running error analysis, to first order. */
typedef struct bounded {
    double value, error;
} bounded;

static bounded rounded(double result, double error)
{
    return (bounded){ result, error + 2 * DBL_EPSILON * fabs(result) }; /* libm: below 1 ulp */
}

static bounded leaf(char *text, size_t size)
{
    static const char *const names[] = { "t", "x", "y", "z[1]", "z[2]", "z[3]", "dx", "dy", "m", "c[1]", "pi" };
    static const char *const numbers[] = { "0", "1", "2", "-1", "0.5", "3", "1.25" };
    if (rand() % 3 == 0) {
        const char *number = numbers[rand() % 7];
        snprintf(text, size, "(%s)", number);
        return (bounded){ strtod(number, NULL), 0 };
    }
    int k = rand() % 11;
    const double values[] = { T, Q[0], Q[1], Q[2], Q[3], Q[4], V[0], V[1], m, list_c[0], acos(-1) };
    snprintf(text, size, "%s", names[k]);
    return (bounded){ values[k], 0 };
}

static bounded random_one(const char *inner, bounded a, char *text, size_t size)
{
    double x = a.value, e = a.error;
    switch (rand() % 9) {
    case 0: snprintf(text, size, "-(%s)", inner); return (bounded){ -x, e };
    case 1: snprintf(text, size, "sin(%s)", inner); return rounded(sin(x), e * fabs(cos(x)));
    case 2: snprintf(text, size, "cos(%s)", inner); return rounded(cos(x), e * fabs(sin(x)));
    case 3: snprintf(text, size, "tanh(%s)", inner); return rounded(tanh(x), e);
    case 4: snprintf(text, size, "atan(%s)", inner); return rounded(atan(x), e);
    case 5: snprintf(text, size, "abs(%s)", inner); return (bounded){ fabs(x), e };
    case 6: snprintf(text, size, "(%s)^2", inner); return rounded(x * x, 2 * fabs(x) * e);
    case 7: snprintf(text, size, "(%s)^3", inner); return rounded(x * x * x, 3 * x * x * e + DBL_EPSILON);
    default: snprintf(text, size, "sqrt(1 + (%s)^2)", inner); return rounded(sqrt(1 + x * x), e + DBL_EPSILON);
    }
}

static bounded random_two(const char *left, bounded a, const char *right, bounded b, char *text, size_t size)
{
    double x = a.value, y = b.value;
    switch (rand() % 6) {
    case 0: snprintf(text, size, "(%s + %s)", left, right); return rounded(x + y, a.error + b.error);
    case 1: snprintf(text, size, "(%s - (%s))", left, right); return rounded(x - y, a.error + b.error);
    case 2: snprintf(text, size, "min(%s, %s)", left, right); return (bounded){ fmin(x, y), a.error + b.error };
    case 3:
        snprintf(text, size, "(%s)/(3 + cos(%s))", left, right);
        return rounded(x / (3 + cos(y)), a.error / 2 + fabs(x) / 4 * (b.error + 8 * DBL_EPSILON));
    default:
        snprintf(text, size, "(%s)*(%s)", left, right);
        return rounded(x * y, fabs(x) * b.error + fabs(y) * a.error);
    }
}

enum { TEXT = 1 << 14 };

static bounded random_tree(int depth, char *text)
{
    if (depth == 0 || rand() % 6 == 0)
        return leaf(text, TEXT);
    char *left = malloc(TEXT), *right = malloc(TEXT);
    bounded a = random_tree(depth - 1, left), result;
    if (rand() % 3 == 0) {
        result = random_one(left, a, text, TEXT);
    } else {
        bounded b = random_tree(depth - 1, right);
        result = random_two(left, a, right, b, text, TEXT);
    }
    free(left);
    free(right);
    return result;
}

/* The program reuses slots; here every node has a place of its own. */
static void check_slots(lil_graph *g, lil_arena *arena, const lil_ex *outputs, int count)
{
    lil_program program;
    double *all = malloc(g->count * sizeof *all), *out = malloc((size_t)count * sizeof *out);
    for (uint32_t i = 0; i < g->count; i++) {
        const lil_ex_node *node = &g->nodes[i];
        all[i] = node->op == LIL_OP_CONST   ? node->value
                 : node->op == LIL_OP_INPUT ? input_value((int)node->a)
                                            : lil_op_apply((lil_op)node->op, all[node->a], all[node->b]);
    }
    CHECK(lil_program_compile(g, arena, N, outputs, count, &program) == LIL_OK);
    double *slots = lil_program_slots(&program, arena);
    for (int again = 0; again < 2; again++) { /* the second run finds the slots as the first one left them */
        lil_program_run(&program, slots, T, Q, V, out);
        for (int k = 0; k < count; k++)
            CHECK(memcmp(&out[k], &all[outputs[k]], sizeof *out) == 0);
    }
    free(all);
    free(out);
}

/* At many points as at each of them, twice with another t: bit for bit, but which NaN a NaN is. */
static bool check_many(lil_graph *g, lil_arena *arena, const lil_ex *outputs, int count)
{
    enum { MANY = 19 };
    lil_program program;
    double q[MANY * N], *out = malloc(MANY * (size_t)count * sizeof *out), *one = malloc((size_t)count * sizeof *one);
    CHECK(lil_program_compile(g, arena, N, outputs, count, &program) == LIL_OK);
    double *slots = lil_program_slots(&program, arena), *slots_many = lil_program_slots_many(&program, arena);
    for (int k = 0; k < MANY * N; k++)
        q[k] = Q[k % N] + 0.01 * k;
    for (int round = 0; round < 2 && !program.load_v_count; round++) {
        lil_program_run_many(&program, slots_many, T + round, MANY, q, out);
        for (int i = 0; i < MANY; i++) {
            lil_program_run(&program, slots, T + round, q + N * i, V, one);
            for (int k = 0; k < count; k++)
                CHECK(memcmp(&out[count * i + k], &one[k], sizeof *one) == 0 ||
                      (isnan(one[k]) && isnan(out[count * i + k])));
        }
    }
    free(out);
    free(one);
    return !program.load_v_count && program.uniform && program.uniform < program.length;
}

TEST(simplifying_and_compiling_change_nothing)
{
    int trees = test_small() ? 300 : 3000, checked = 0, many = 0;
    char *text = malloc(TEXT);
    srand(3);
    for (int k = 0; k < trees; k++) {
        bounded expected = random_tree(6, text);
        lil_arena arena = { 0 };
        lil_graph g;
        lil_tape tape = { 0 };
        lil_ex *f, outputs[INPUTS + 1];
        int count, inputs[INPUTS];
        MUST(build(text, true, &g, &arena, &f, &count));
        /* beyond first order the bound means nothing */
        if (isfinite(expected.value) && expected.error < 1e-6 * fmax(1, fabs(expected.value))) {
            double got = run_one(&g, &arena, *f, Q), tolerance = 2 * expected.error + DBL_MIN;
            if (!(fabs(got - expected.value) <= tolerance))
                printf("%s\n", text);
            CHECK_NEAR(got, expected.value, tolerance);
            checked++;
        }
        outputs[0] = *f;
        MUST(gradient_of(&tape, &g, *f, inputs, outputs + 1, &count));
        check_slots(&g, &arena, outputs, count + 1);
        many += check_many(&g, &arena, outputs, count + 1);
        lil_tape_free(&tape);
        lil_graph_free(&g);
        lil_arena_free(&arena);
    }
    CHECK(checked > trees / 2);
    CHECK(many > trees / 100);
    free(text);
}

/* Constants are gathered, but never so that they under- or overflow where the text does not. */
TEST(gathered_constants_stay_in_range)
{
    double large = exp(500 * Q[0]); /* 1e152 */
    CLOSE("1e-200*(1e-200*exp(500*x))", 1e-200 * (1e-200 * large));
    CLOSE("1e-200*exp(500*x)/1e200", 1e-200 * large / 1e200);
    CLOSE("1e200*(1e200*exp(-500*x))", 1e200 * (1e200 / large));
    CLOSE("1e200*exp(-500*x)/1e-200", 1e200 / large / 1e-200);
}

/* The nodes move in memory when their number passes 256: whoever holds one meanwhile must not notice (ASan would). */
TEST(products_while_the_graph_grows)
{
    for (int kind = 0; kind < 5; kind++)
        for (uint32_t room = 0; room < 5; room++) {
            lil_graph g;
            MUST(lil_graph_init(&g, ctx));
            lil_ex a = lil_ex_input(&g, 1), e = lil_ex_input(&g, 2), c = lil_ex_const(&g, 3), d = lil_ex_const(&g, 5);
            lil_ex ce = lil_ex_binary(&g, LIL_OP_MUL, c, e), ca = lil_ex_binary(&g, LIL_OP_MUL, c, a);
            lil_ex minus_e = lil_ex_unary(&g, LIL_OP_NEG, e), result = 0;
            for (double filler = 100; g.count + room < 256; filler++)
                lil_ex_const(&g, filler);
            switch (kind) {
            case 0: result = lil_ex_binary(&g, LIL_OP_MUL, a, ce); break;
            case 1: result = lil_ex_binary(&g, LIL_OP_MUL, ca, minus_e); break;
            case 2: result = lil_ex_binary(&g, LIL_OP_MUL, d, ce); break;
            case 3: result = lil_ex_binary(&g, LIL_OP_MUL, d, minus_e); break;
            default: result = lil_ex_binary(&g, LIL_OP_DIV, ce, d); break;
            }
            static const double factor[] = { 3, -3, 15, -5, 3. / 5 };
            const lil_ex_node *top = &g.nodes[result];
            bool turned = top->op == LIL_OP_NEG; /* -(c (a e)) is as good as (-c) (a e) */
            top = turned ? &g.nodes[top->a] : top;
            CHECK(top->op == LIL_OP_MUL && lil_ex_is_const(&g, top->a));
            CHECK_NEAR(turned ? -g.nodes[top->a].value : g.nodes[top->a].value, factor[kind], 0);
            lil_graph_free(&g);
        }
}

/* ---- sharing and sparsity ---- */

TEST(what_is_written_twice_is_one_node)
{
    lil_arena arena = { 0 };
    lil_graph g;
    lil_ex *a, *b;
    int count;
    MUST(build("sin(x*y) + z[1]", true, &g, &arena, &a, &count));
    uint32_t before = g.count;
    static const char *const same[] = { "z[1] + sin(y*x)", "sin(x*y) - -z[1]", "(z[1]) + sin(1*x*y + 0)" };
    for (int k = 0; k < 3; k++) {
        lil_source source = source_of(same[k]);
        MUST(lil_build(&g, &arena, &scope, &source, true, &b, &count));
        CHECK(*a == *b);
    }
    CHECK(g.count <= before + 2); /* x*y was there already; only the constants -1 or 1 may be new */

    /* a derivative shares its function's nodes: (e^u)' = e^u u' */
    lil_tape tape = { 0 };
    int inputs[INPUTS];
    lil_ex d[INPUTS], e = lil_ex_unary(&g, LIL_OP_EXP, lil_ex_input(&g, 1));
    MUST(gradient_of(&tape, &g, e, inputs, d, &count));
    CHECK(count == 1 && d[0] == e);
    lil_tape_free(&tape);
    lil_graph_free(&g);
    lil_arena_free(&arena);
}

/* A nonlinear chain of 1000: 3n - 2 second derivatives, found in time proportional to n. */
TEST(chain_is_tridiagonal)
{
    enum { CHAIN = 1000 };
    double n = CHAIN;
    lil_symbol names[] = { { "x", LIL_SYMBOL_INPUT, CHAIN, NULL, 1 }, { "n", LIL_SYMBOL_CONSTANT, 0, &n, 0 } };
    lil_scope chain = { .symbols = names, .count = 2 };
    lil_source source = source_of("sum(i, 1, n-1, 1/2*(x[i+1] - x[i])^2 + exp(x[i+1] - x[i])) + 1/2*x[1]^2");
    lil_arena arena = { 0 };
    lil_graph g;
    lil_tape tape = { 0 };
    lil_ex *W, *gradient = LIL_NEW(&arena, lil_ex, CHAIN + 1), *d = LIL_NEW(&arena, lil_ex, CHAIN + 1);
    int *inputs = LIL_NEW(&arena, int, CHAIN + 1), *row = LIL_NEW(&arena, int, CHAIN + 1), count, total = 0;
    clock_t start = clock();
    MUST(lil_graph_init(&g, ctx));
    MUST(lil_build(&g, &arena, &chain, &source, true, &W, &count));
    MUST(gradient_of(&tape, &g, *W, inputs, gradient, &count));
    CHECK(count == CHAIN);
    for (int i = 0; i < CHAIN; i++) {
        MUST(gradient_of(&tape, &g, gradient[i], row, d, &count));
        total += count;
        for (int k = 0; k < count; k++)
            CHECK(abs(row[k] - inputs[i]) <= 1);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(total == 3 * CHAIN - 2);
    CHECK_BELOW(seconds, test_small() ? 5 : 0.5); /* about 5 ms; quadratic growth would take seconds */
    lil_tape_free(&tape);
    lil_graph_free(&g);
    lil_arena_free(&arena);
}

/* ---- what is not finite is named ---- */

/* in the text, or in its derivatives */
static void explain(const char *text, const double *q, char *sentence, size_t size)
{
    lil_arena arena = { 0 };
    lil_graph g;
    lil_tape tape = { 0 };
    lil_program program;
    lil_ex *f, out[1 + INPUTS];
    int count, inputs[INPUTS];
    snprintf(sentence, size, "nothing is wrong");
    MUST(build(text, true, &g, &arena, &f, &count));
    out[0] = *f;
    MUST(gradient_of(&tape, &g, *f, inputs, out + 1, &count));
    MUST(lil_program_compile(&g, &arena, N, out, 1 + count, &program));
    lil_program_explain(&program, lil_program_slots(&program, &arena), T, q, V, sentence, size);
    lil_tape_free(&tape);
    lil_graph_free(&g);
    lil_arena_free(&arena);
}

TEST(explain_names_operation_and_column)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = { /* at x = 0, y = -1; the text begins in column 13 */
                  { "y + 1/x", "scene.yaml:3:18: division by zero in lagrangian" },
                  { "1 + sqrt(y)", "scene.yaml:3:17: square root of a negative number in lagrangian" },
                  { "x + log(x)", "scene.yaml:3:17: logarithm of zero in lagrangian" },
                  { "log(y)", "scene.yaml:3:13: logarithm of a negative number in lagrangian" },
                  { "2*x^-5", "scene.yaml:3:16: zero to a negative power in lagrangian" },
                  { "y^0.3", "scene.yaml:3:14: a negative number to a fractional power in lagrangian" },
                  { "(1000*y)^1001", "scene.yaml:3:21: overflow in lagrangian" },
                  { "acos(3*y)", "scene.yaml:3:13: inverse sine or cosine of a number beyond -1..1 in lagrangian" },
                  { "exp(1000 - y)", "scene.yaml:3:13: overflow in lagrangian" },
                  { "1/0 + x", "scene.yaml:3:14: division by zero in lagrangian" },
                  { "x*sqrt(-1) + sqrt(y)", "scene.yaml:3:15: square root of a negative number in lagrangian" },
                  { "y*y + sqrt(x)", "scene.yaml:3:19: division by zero in lagrangian" }, /* its slope */
                  { "x^2*y + abs(x)", "nothing is wrong" }
    };
    const double q[N] = { 0, -1, 0, 0, 0 };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char sentence[256];
        explain(cases[k].text, q, sentence, sizeof sentence);
        if (strcmp(sentence, cases[k].sentence) != 0)
            printf("'%s': %s\n", cases[k].text, sentence);
        CHECK(strcmp(sentence, cases[k].sentence) == 0);
    }
}

/* The size of a text at (T, Q, V), from the same graph as the text. */
static double size(const char *text)
{
    lil_arena arena = { 0 };
    lil_graph g;
    lil_ex *f;
    lil_tape tape = { 0 };
    int count;
    CHECK(build(text, true, &g, &arena, &f, &count) == LIL_OK);
    double result = run_one(&g, &arena, lil_ex_size(&tape, &g, *f), Q);
    CHECK(lil_ex_size(&tape, &g, *f) == lil_ex_size(&tape, &g, *f)); /* the tape is clean again */
    lil_tape_free(&tape);
    lil_graph_free(&g);
    lil_arena_free(&arena);
    return result;
}

TEST(size_is_the_sum_of_magnitudes)
{
    static const struct {
        const char *text, *magnitudes;
    } cases[] = { { "x + y", "abs(x) + abs(y)" },
                  { "-x - 3", "abs(x) + 3" },
                  { "-3", "3" },
                  { "x*dy - y*dx", "abs(x*dy) + abs(y*dx)" },
                  { "m*(x*dy - y*dx)/y", "m*(abs(x*dy) + abs(y*dx))/abs(y)" },
                  { "sum(i, 1, n, c[i]*(z[i] - x))", "sum(i, 1, n, c[i]*(z[i] + x))" },
                  { "1/2*dx^2 - 1/sqrt(x^2 + y^2)", "1/2*dx^2 + 1/sqrt(x^2 + y^2)" },
                  { "sqrt(x + y + 1)", "sqrt(abs(x) + abs(y) + 1)" },
                  /* a product of sums is small where they are, however large their terms */
                  { "(x + y)^2 - (z[1] - z[2])*(x + y)", "(x + y)^2 + abs((z[1] - z[2])*(x + y))" },
                  { "exp(x + y) - cos(x + y)", "exp(x + y) + cos(x + y)" },
                  { "abs(x + y)", "abs(x) + abs(y)" } };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double got = size(cases[k].text);
        CHECK_NEAR(got, value(cases[k].magnitudes), 4 * DBL_EPSILON * got); /* some terms, in another order */
        CHECK(got >= fabs(value(cases[k].text)) * (1 - 4 * DBL_EPSILON));
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(grammar);
    RUN(numbers_and_names);
    RUN(sums_and_lists);
    RUN(what_is_wrong_is_refused_where_it_stands);
    RUN(depth_is_limited);
    RUN(values_of_every_function);
    RUN(derivatives_of_every_function);
    RUN(half_powers_at_zero);
    RUN(simplifying_and_compiling_change_nothing);
    RUN(gathered_constants_stay_in_range);
    RUN(products_while_the_graph_grows);
    RUN(what_is_written_twice_is_one_node);
    RUN(chain_is_tridiagonal);
    RUN(explain_names_operation_and_column);
    RUN(size_is_the_sum_of_magnitudes);
    lil_context_destroy(&ctx);
    return test_end();
}
