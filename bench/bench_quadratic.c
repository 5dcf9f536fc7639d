/*
 * Quadratic tets beside linear ones on the same nodes: forces, discrete gradients and blocks over pairs, in nanoseconds a
 * quadrature point and a node. Minima over interleaved repeats.
 */
#include "core/field.h"
#include "quadratic.h"

#include <time.h>

enum { REPEATS = 15, CELLS = 12 };

typedef struct subject {
    box mesh;
    lil_tets *tets;
    lil_term term;
    void *work;
    double *q, *g;
    int pairs, *where, (*two)[2];
    float *blocks;
} subject;

static void forces(subject *s)
{
    double W = 0;
    s->term.table->evaluate(s->tets, s->work, &(lil_at){ 0, s->q, NULL }, &(lil_sums){ .value = &W, .gq = s->g });
}

static void gradients(subject *s)
{
    double noise = 0;
    s->term.table->discrete_gradient->evaluate(s->tets, s->work, &(lil_ends){ 0, 0.01, s->mesh.X, s->q, false }, s->g,
                                               &noise);
}

static void pairs(subject *s)
{
    s->term.table->second(s->tets, s->work, &(lil_at){ 0, s->q, NULL },
                          &(lil_sink){ .weight = 1, .where = s->where, .blocks = s->blocks });
}

static void definite(subject *s)
{
    s->term.table->second(s->tets, s->work, &(lil_at){ 0, s->q, NULL },
                          &(lil_sink){ .definite = true, .weight = 1, .where = s->where, .blocks = s->blocks });
}

static void both(subject *s)
{
    s->term.table->discrete_gradient->second(
        s->tets, s->work, &(lil_ends){ 0, 0.01, s->mesh.X, s->q, false },
        &(lil_sink){ .weight = 1, .two = (const int(*)[2])s->two, .blocks = s->blocks });
}

static const struct {
    const char *name;
    void (*run)(subject *s);
} ways[] = { { "forces", forces },
             { "discrete_gradient", gradients },
             { "pairs", pairs },
             { "pairs_definite", definite },
             { "discrete_gradient_pairs", both } };
enum { WAYS = sizeof ways / sizeof ways[0] };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void create(lil_context *ctx, lil_arena *arena, const lil_material *m, bool quadratic, double bend, subject *s)
{
    lil_entries list = { 0 };
    lil_block_pairs found = { 0 };
    s->mesh = make_box(arena, (int[3]){ CELLS, CELLS, CELLS }, (double[3]){ 1, 1, 1 }, quadratic, 0, bend);
    s->tets = box_tets(ctx, arena, m, &s->mesh);
    s->term = lil_tets_term(s->tets);
    if (s->term.table->begin(ctx, s->tets, arena, false, &s->work, &list) != LIL_OK ||
        s->term.table->pairs(ctx, s->tets, arena, s->work, &found) != LIL_OK)
        exit(EXIT_FAILURE);
    s->pairs = found.count;
    s->q = LIL_NEW(arena, double, 3 * (size_t)s->mesh.vertices);
    s->g = LIL_NEW(arena, double, 3 * (size_t)s->mesh.vertices);
    s->where = LIL_NEW(arena, int, found.count);
    s->two = lil_arena_alloc(arena, (size_t)found.count, sizeof *s->two);
    s->blocks = LIL_NEW(arena, float, 18 * (size_t)found.count);
    for (int k = 0; k < found.count; k++) {
        s->where[k] = s->two[k][0] = k;
        s->two[k][1] = found.count + k;
    }
    for (int v = 0; v < s->mesh.vertices; v++) {
        const double *x = s->mesh.X + 3 * v;
        double angle = 0.3 * sin(3.14159 * x[0]);
        s->q[3 * v] = 1.1 * x[0];
        s->q[3 * v + 1] = 0.95 * (cos(angle) * x[1] - sin(angle) * x[2]);
        s->q[3 * v + 2] = 0.95 * (sin(angle) * x[1] + cos(angle) * x[2]);
    }
}

int main(void)
{
    static const char *const names[] = { "linear", "quadratic", "curved" };
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    const lil_material_table *table = lil_material_find("neo-hookean");
    void *config = lil_arena_alloc(&arena, 1, table->config_size + 1);
    lil_fields_default(table->fields, table->field_count, config);
    const lil_material m = { .table = table, .moduli = { 2e4, 1e5 }, .config = config, .density = 1000 };
    subject s[3];
    double best[3][WAYS];
    lil_context_set_threads(ctx, 1);
    for (int i = 0; i < 3; i++)
        create(ctx, &arena, &m, i > 0, i == 2 ? 0.004 : 0, &s[i]);
    for (int i = 0; i < 3 * WAYS; i++)
        best[i / WAYS][i % WAYS] = INFINITY;
    for (int round = 0; round < REPEATS; round++)
        for (int k = 0; k < WAYS; k++)
            for (int i = 0; i < 3; i++) {
                double start = seconds();
                ways[k].run(&s[i]);
                best[i][k] = fmin(best[i][k], seconds() - start);
            }
    printf("ns a quadrature point (a node), neo-hookean, %d nodes\n  %-12s %8s %8s %8s", s[0].mesh.vertices, "",
           "tets", "points", "pairs");
    for (int k = 0; k < WAYS; k++)
        printf(" %24s", ways[k].name);
    printf("\n");
    for (int i = 0; i < 3; i++) {
        int points = s[i].tets->chunks.point_count;
        printf("  %-12s %8d %8d %8d", names[i], s[i].mesh.tets, points, s[i].pairs);
        for (int k = 0; k < WAYS; k++)
            printf(" %13.1f (%8.1f)", 1e9 * best[i][k] / points, 1e9 * best[i][k] / s[i].mesh.vertices);
        printf("\n{\"bench\": \"quadratic\", \"tets\": \"%s\"", names[i]);
        for (int k = 0; k < WAYS; k++)
            printf(", \"%s_ns\": %.4g", ways[k].name, 1e9 * best[i][k] / points);
        printf("}\n");
    }
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
