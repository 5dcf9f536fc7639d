/*
 * Second derivatives of tets: as entries in double, one tet after the other and over lanes, and as float blocks over pairs of
 * vertices, as they are and projected, on one thread and on two. The twisted bar's mesh. Minima over interleaved repeats.
 */
#include "core/field.h"
#include "solids.h"
#include "terms/tets.h"

#include <time.h>

enum { REPEATS = 15 };

typedef struct body {
    lil_context *ctx;
    lil_arena arena;
    lil_material material;
    const double *q;
    lil_tets *tets;
    lil_term term;
    void *work;
    int *where;
    float *blocks;
    double *values;
} body;

/* ---- what is measured ---- */

static void plain(body *b)
{
    for (int e = 0; e < b->tets->count; e++) {
        lil_tet tet;
        double D[9], F[9], A[81], G[12];
        lil_tets_get(b->tets, e, &tet);
        lil_tet_edges(&tet, b->q, D);
        lil_multiply3(D, tet.B, F);
        lil_material_tangent(&b->material, F, false, A);
        lil_tet_gradients(tet.B, G);
        lil_tet_element_stiffness(G, A, tet.V, b->values + 144 * (size_t)e);
    }
}

static void entries(body *b)
{
    b->term.table->second(b->tets, b->work, &(lil_at){ 0, b->q, NULL }, &(lil_sink){ .entries = b->values });
}

static void entries_definite(body *b)
{
    b->term.table->second(b->tets, b->work, &(lil_at){ 0, b->q, NULL },
                          &(lil_sink){ .definite = true, .entries = b->values });
}

static void pairs(body *b, bool definite)
{
    b->term.table->second(b->tets, b->work, &(lil_at){ 0, b->q, NULL },
                          &(lil_sink){ .definite = definite, .weight = 1, .where = b->where, .blocks = b->blocks });
}

static void pairs_true(body *b)
{
    pairs(b, false);
}

static void pairs_definite(body *b)
{
    pairs(b, true);
}

static const struct {
    const char *name;
    void (*run)(body *b);
    int threads;
} ways[] = { { "plain", plain, 1 },
             { "entries", entries, 1 },
             { "entries_definite", entries_definite, 1 },
             { "pairs", pairs_true, 1 },
             { "pairs_definite", pairs_definite, 1 },
             { "pairs_2_threads", pairs_true, 2 } };
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- bodies ---- */

/* of the processor for one thread, of the clock for several */
static double seconds(bool one)
{
    struct timespec t;
    clock_gettime(one ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool begin(body *b, const lil_mesh *mesh)
{
    lil_entries list = { 0 };
    lil_block_pairs found = { 0 };
    void *config = lil_arena_alloc(&b->arena, 1, b->material.table->config_size + 1);
    lil_fields_default(b->material.table->fields, b->material.table->field_count, config);
    b->material.config = config;
    if (lil_tets_create(b->ctx, &b->arena, "bar", &b->material, mesh->x, (const int(*)[4])mesh->tets, NULL,
                        mesh->tet_count, 0, &b->tets) != LIL_OK)
        return false;
    b->term = lil_tets_term(b->tets);
    if (b->term.table->begin(b->ctx, b->tets, &b->arena, false, &b->work, &list) != LIL_OK ||
        b->term.table->pairs(b->ctx, b->tets, &b->arena, b->work, &found) != LIL_OK)
        return false;
    b->where = LIL_NEW(&b->arena, int, found.count);
    b->blocks = LIL_NEW(&b->arena, float, 9 * (size_t)found.count);
    b->values = LIL_NEW(&b->arena, double, 144 * (size_t)mesh->tet_count);
    for (int k = 0; b->where && k < found.count; k++)
        b->where[k] = k;
    return b->where && b->blocks && b->values;
}

static bool measure(lil_context *ctx, const lil_material_table *table, const lil_mesh *mesh, const double *q)
{
    body b = { .ctx = ctx, .q = q, .material = { .table = table, .moduli = { 2e4, 1e5 }, .density = 1000 } };
    double best[WAYS];
    bool ok = begin(&b, mesh);
    for (int k = 0; k < WAYS; k++)
        best[k] = INFINITY;
    for (int round = 0; ok && round < REPEATS; round++)
        for (int k = 0; k < WAYS; k++) {
            bool one = ways[k].threads == 1;
            ok = ok && lil_context_set_threads(ctx, ways[k].threads) == LIL_OK;
            if (!one)
                ways[k].run(&b); /* threads are started by whoever needs them first */
            double start = seconds(one);
            ways[k].run(&b);
            best[k] = fmin(best[k], 1e9 * (seconds(one) - start) / mesh->tet_count);
        }
    printf("  %-20s", table->name);
    for (int k = 0; k < WAYS; k++)
        printf(" %*.1f", (int)strlen(ways[k].name), best[k]);
    printf("\n{\"bench\": \"tangents\", \"material\": \"%s\", \"tets\": %d", table->name, mesh->tet_count);
    for (int k = 0; k < WAYS; k++)
        printf(", \"%s_ns\": %.4g", ways[k].name, best[k]);
    printf("}\n");
    lil_arena_free(&b.arena);
    return ok;
}

int main(void)
{
    lil_context *ctx = lil_context_create();
    lil_run *run =
        body_problem(ctx, "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [40, 11, 11]}\n"
                          "    material: {mu: 1, kappa: 2, density: 3}\nintegrator: symplectic-euler\n" TIME);
    const lil_mesh *mesh = &run->plan.world->list[0].mesh;
    double *q = malloc(3 * (size_t)mesh->vertex_count * sizeof *q);
    bool ok = q;
    for (int v = 0; ok && v < mesh->vertex_count; v++) { /* stretched and twisted, as the bar is at its start */
        const double *x = mesh->x + 3 * v;
        double angle = 0.785 * sin(3.14159 * x[0]);
        q[3 * v] = 1.3 * x[0];
        q[3 * v + 1] = 0.9 * (cos(angle) * x[1] - sin(angle) * x[2]);
        q[3 * v + 2] = 0.9 * (sin(angle) * x[1] + cos(angle) * x[2]);
    }
    printf("ns a tet, %d tets\n  %-20s", mesh->tet_count, "");
    for (int k = 0; k < WAYS; k++)
        printf(" %s", ways[k].name);
    printf("\n");
    for (int i = 0; ok && i < lil_material_count(); i++)
        ok = measure(ctx, lil_material_at(i), mesh, q);
    free(q);
    lil_run_destroy(&run);
    lil_context_destroy(&ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
