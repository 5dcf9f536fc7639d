/*
 * The force of an elastic bar, energy included: Lilyan's chunks on one and two threads, and whole explicit steps, beside a
 * plain kernel over the same tets as struct of arrays: four tets at once, one block after the other, positions and
 * forces of all vertices padded to four numbers. Interleaved repeats; CPU time on one thread, wall time on two; minima.
 * The plain kernel's forces are compared with Lilyan's, so that both are known to compute the same.
 */
#include "core/arena.h"
#include "mesh/make/shape.h"
#include "model/evaluator.h"
#include "run/run.h"
#include "terms/tets.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 15 };

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the plain kernel: neo-Hookean ---- */

typedef struct plain_block {
    lil_lanes B[9], V;
    int id[4][LIL_LANES];
} plain_block;

typedef struct plain {
    lil_arena arena;
    int block_count, vertex_count;
    plain_block *blocks;
    lil_lanes *x, *v, *f;
    double *inverse_mass;
} plain;

LIL_KERNEL static double plain_force(const plain *p, double mu, double kappa)
{
    lil_lanes W = { 0 };
    memset(p->f, 0, (size_t)p->vertex_count * sizeof *p->f);
    for (int i = 0; i < p->block_count; i++) {
        const plain_block *b = &p->blocks[i];
        lil_lanes x[4][3], D[9], F[9], G[9], g[4][3], P[9];
        for (int a = 0; a < 4; a++)
            lil_lanes_from_points(&p->x[b->id[a][0]], &p->x[b->id[a][1]], &p->x[b->id[a][2]], &p->x[b->id[a][3]],
                                  x[a]);
        for (int d = 0; d < 3; d++)
            for (int a = 0; a < 3; a++)
                D[3 * d + a] = x[a + 1][d] - x[0][d];
        lil_block_multiply(D, b->B, F);
        lil_lanes_cofactor(F, G);
        lil_lanes J = F[0] * G[0] + F[1] * G[1] + F[2] * G[2], I1 = lil_lanes_dot9(F, F), j = J - 1;
        lil_lanes y = lil_lanes_rcbrt(J), c1 = mu * (y * y), c2 = kappa * j - c1 * (1. / 3) * I1 * (y * y * y);
        W += b->V * (mu / 2 * (y * y * I1 - 3) + kappa / 2 * (j * j));
        for (int k = 0; k < 9; k++)
            P[k] = b->V * (c1 * F[k] + c2 * G[k]);
        for (int d = 0; d < 3; d++) {
            for (int a = 0; a < 3; a++)
                g[a + 1][d] =
                    P[3 * d] * b->B[3 * a] + P[3 * d + 1] * b->B[3 * a + 1] + P[3 * d + 2] * b->B[3 * a + 2];
            g[0][d] = -(g[1][d] + g[2][d] + g[3][d]);
        }
        for (int a = 0; a < 4; a++) {
            lil_lanes point[LIL_LANES];
            lil_lanes_to_points(g[a], point);
            for (int l = 0; l < LIL_LANES; l++)
                p->f[b->id[a][l]] += point[l];
        }
    }
    return W[0] + W[1] + W[2] + W[3];
}

LIL_KERNEL static void plain_drift(const plain *p, double h)
{
    for (int i = 0; i < p->vertex_count; i++) {
        p->v[i] -= h * p->inverse_mass[i] * p->f[i];
        p->x[i] += h * p->v[i];
    }
}

static void plain_create(plain *p, const lil_tets *t, const lil_model *model, const double *q)
{
    p->vertex_count = model->n / 3;
    p->block_count = (t->count + LIL_LANES - 1) / LIL_LANES;
    p->blocks = LIL_NEW(&p->arena, plain_block, p->block_count);
    p->x = LIL_NEW(&p->arena, lil_lanes, p->vertex_count);
    p->v = LIL_NEW(&p->arena, lil_lanes, p->vertex_count);
    p->f = LIL_NEW(&p->arena, lil_lanes, p->vertex_count);
    p->inverse_mass = LIL_NEW(&p->arena, double, p->vertex_count);
    for (int i = 0; i < p->vertex_count; i++) {
        p->x[i] = (lil_lanes){ q[3 * i], q[3 * i + 1], q[3 * i + 2], 0 };
        p->inverse_mass[i] = 1 / model->mass.diagonal[3 * i];
    }
    for (int e = 0; e < LIL_LANES * p->block_count; e++) {
        lil_tet tet;
        lil_tets_get(t, e < t->count ? e : t->count - 1, &tet);
        plain_block *b = &p->blocks[e / LIL_LANES];
        for (int k = 0; k < 9; k++)
            b->B[k][e % LIL_LANES] = tet.B[k];
        b->V[e % LIL_LANES] = e < t->count ? tet.V : 0;
        for (int a = 0; a < 4; a++)
            b->id[a][e % LIL_LANES] = tet.id[a];
    }
}

/* ---- the table ---- */

static lil_run *bar(lil_context *ctx, const int cells[3])
{
    char text[600];
    snprintf(text, sizeof text,
             "bodies: {bar: {shape: {type: bar, size: [1, 0.25, 0.25], cells: [%d, %d, %d]}, material: {model: "
             "neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}, start: {stretch: 1.1, twist: 40}}}\n"
             "integrator: stormer-verlet\ntime: {step: 1e-5, until: 1}\n",
             cells[0], cells[1], cells[2]);
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    if (lil_scene_parse(ctx, "bar", text, strlen(text), &scene) != LIL_OK ||
        lil_run_create(ctx, scene, &def, &run) != LIL_OK)
        fprintf(stderr, "bench_kernels: %s\n", lil_context_message(ctx));
    lil_scene_destroy(&scene);
    return run;
}

typedef struct subject {
    lil_run *run;
    lil_evaluator ev;
    double *g, W;
} subject;

static void force(subject *s)
{
    lil_evaluate_potential(&s->ev, 0, lil_sim_state(lil_run_sim(s->run))->q, &s->W, s->g);
}

static bool create(lil_context *ctx, lil_arena *arena, const int cells[3], subject *s)
{
    s->run = bar(ctx, cells);
    if (!s->run ||
        lil_evaluator_create(ctx, arena, lil_run_model(s->run), LIL_SECOND_NONE, LIL_SECOND_NONE, &s->ev) != LIL_OK)
        return false;
    s->g = LIL_NEW(arena, double, lil_run_model(s->run)->n);
    return s->g;
}

static double apart(const plain *p, const double *g)
{
    double most = 0, largest = 0;
    for (int i = 0; i < 3 * p->vertex_count; i++) {
        most = fmax(most, fabs(p->f[i / 3][i % 3] - g[i]));
        largest = fmax(largest, fabs(g[i]));
    }
    return most / largest;
}

/* ---- timing ---- */

enum { PLAIN, PLAIN_STEP, FORCE, STEP, COUNT };

typedef struct bench {
    lil_context *ctx;
    subject s;
    plain p;
    const lil_material *material;
    int inner; /* how often in a row: as in a run, what fits into caches is there */
} bench;

static bool work(bench *b, int what)
{
    const lil_moduli *m = &b->material->moduli;
    bool ok = true;
    for (int i = 0; i < b->inner && ok; i++) {
        if (what == PLAIN || what == PLAIN_STEP)
            plain_force(&b->p, m->mu, m->kappa);
        if (what == PLAIN_STEP)
            plain_drift(&b->p, 1e-9);
        if (what == FORCE)
            force(&b->s);
        if (what == STEP)
            ok = lil_run_advance(b->s.run, 1) == LIL_OK;
    }
    return ok;
}

static bool time_it(bench *b, int threads, int what, clockid_t clock, double *best)
{
    bool ok = lil_context_set_threads(b->ctx, threads) == LIL_OK;
    force(&b->s); /* threads are started by whoever needs them first */
    double start = seconds(clock);
    ok = work(b, what) && ok;
    *best = fmin(*best, (seconds(clock) - start) / b->inner);
    return ok;
}

static bool measure(lil_context *ctx, const int cells[3])
{
    lil_arena arena = { 0 };
    bench b = { .ctx = ctx };
    double cpu[COUNT], wall[2][COUNT]; /* wall: on one and on two threads */
    if (!create(ctx, &arena, cells, &b.s))
        return false;
    const lil_tets *tets = lil_run_model(b.s.run)->terms[0].data;
    b.material = &tets->material;
    b.inner = tets->count < 200000 ? 200000 / tets->count : 1;
    plain_create(&b.p, tets, lil_run_model(b.s.run), lil_sim_state(lil_run_sim(b.s.run))->q);
    force(&b.s);
    double W = plain_force(&b.p, tets->material.moduli.mu, tets->material.moduli.kappa) / b.s.W - 1;
    double difference = apart(&b.p, b.s.g);
    for (int k = 0; k < COUNT; k++)
        cpu[k] = wall[0][k] = wall[1][k] = INFINITY;
    bool ok = true;
    for (int r = 0; r < REPEATS && ok; r++) {
        for (int k = 0; k < COUNT; k++)
            ok = ok && time_it(&b, 1, k, CLOCK_PROCESS_CPUTIME_ID, &cpu[k]);
        for (int k = FORCE; k <= STEP; k++)
            ok = ok && time_it(&b, 1, k, CLOCK_MONOTONIC, &wall[0][k]) &&
                 time_it(&b, 2, k, CLOCK_MONOTONIC, &wall[1][k]);
    }
    double ns = 1e9 / tets->count;
    printf("  %7d   %6.2f %6.2f   %6.2f %6.2f   %5.2f %5.2f   %5.2f %5.2f   %.0e %.0e\n", tets->count,
           ns * cpu[PLAIN], ns * cpu[PLAIN_STEP], ns * cpu[FORCE], ns * cpu[STEP], cpu[FORCE] / cpu[PLAIN],
           cpu[STEP] / cpu[PLAIN_STEP], wall[0][FORCE] / wall[1][FORCE], wall[0][STEP] / wall[1][STEP], difference,
           fabs(W));
    printf("{\"bench\": \"kernels\", \"tets\": %d, \"plain_force_ns\": %.4g, \"plain_step_ns\": %.4g, \"force_ns\": "
           "%.4g, "
           "\"step_ns\": %.4g, \"force_two_threads\": %.4g, \"step_two_threads\": %.4g}\n",
           tets->count, ns * cpu[PLAIN], ns * cpu[PLAIN_STEP], ns * cpu[FORCE], ns * cpu[STEP],
           wall[0][FORCE] / wall[1][FORCE], wall[0][STEP] / wall[1][STEP]);
    lil_run_destroy(&b.s.run);
    lil_arena_free(&b.p.arena);
    lil_arena_free(&arena);
    return ok;
}

int main(void)
{
    static const int cells[][3] = { { 8, 2, 2 }, { 16, 5, 5 }, { 40, 11, 11 }, { 69, 17, 17 }, { 110, 27, 27 } };
    lil_context *ctx = lil_context_create();
    bool ok = true;
    printf(
        "explicit, ns a tet: plain kernel and step; Lilyan's; their ratios; two threads are faster by; apart by\n");
    for (size_t k = 0; k < sizeof cells / sizeof cells[0] && ok; k++)
        ok = measure(ctx, cells[k]);
    lil_context_destroy(&ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
