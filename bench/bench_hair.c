/*
 * A head of hair: inextensible strands that resist being bent and keep their curl. How a step's cost grows with the number of
 * strands and of their nodes, on one thread and on two.
 */
#include "discrete/discrete.h"
#include "sim/sim.h"
#include "terms/bending.h"
#include "terms/loads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct head {
    int strands, nodes;
    double *x, *v, *mass;
    bool *held;
    const char **names;
    lil_link *links;
    lil_bend *bends;
    lil_twist *twists;
    lil_bends bend_set;
    lil_twists twist_set;
    lil_constraint set;
    lil_arena arena;
    lil_model *model;
} head;

/* Air: F = -c v for each vertex. */
static lil_status drag_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                             lil_entries *entries)
{
    const head *h = data;
    *work = NULL;
    if (!second)
        return LIL_OK;
    entries->qv = 3 * h->strands * h->nodes;
    entries->row = entries->col = LIL_NEW(arena, int, entries->qv);
    for (int i = 0; i < entries->qv; i++)
        entries->row[i] = i;
    return entries->row ? LIL_OK : lil_fail(ctx, LIL_ERR_MEMORY, "no memory");
}

static void drag_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                          double *F, double *gv)
{
    const head *h = data;
    (void)work, (void)t, (void)q, (void)value, (void)gv;
    for (int i = 0; i < 3 * h->strands * h->nodes; i++)
        F[i] -= h->mass[i / 3] / 0.065 * v[i];
}

static void drag_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const head *h = data;
    (void)work, (void)t, (void)q, (void)v;
    for (int i = 0; i < 3 * h->strands * h->nodes; i++)
        values[i] = -h->mass[i / 3] / 0.065;
}

static const lil_term_table drag = {
    .name = "drag", .place = LIL_FORCE, .begin = drag_begin, .evaluate = drag_evaluate, .second = drag_second
};

/* strand s, node k: a helix about a line that leaves a sphere, 0.3 m long */
static void place(const head *h, int s, int k, double x[3])
{
    double length = 0.3, l = length / (h->nodes - 1), z = 0.2 + 0.8 * (s + 0.5) / h->strands, turn = 2.399963 * s;
    double r = sqrt(1 - z * z), n[3] = { r * cos(turn), r * sin(turn), z };
    double a[3] = { -sin(turn), cos(turn), 0 }, b[3] = { -z * cos(turn), -z * sin(turn), r };
    double radius = 0.008 * fmin(1, k / 5.), angle = 0.6 * k, rise = 0.1 + l * k * 0.8;
    for (int d = 0; d < 3; d++)
        x[d] = n[d] * rise + radius * (cos(angle) * a[d] + sin(angle) * b[d]);
}

static double norm(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void make(lil_context *ctx, head *h, int strands, int nodes)
{
    *h = (head){ .strands = strands, .nodes = nodes };
    int n = strands * nodes, link = 0, bend = 0, twist = 0;
    const double B = 1e-8, C = 5e-9, density = 6.5e-6; /* N m^2, N m^2, kg/m: a thick hair */
    h->x = calloc((size_t)(3 * n), sizeof *h->x);
    h->v = calloc((size_t)(3 * n), sizeof *h->v);
    h->mass = calloc((size_t)n, sizeof *h->mass);
    h->held = calloc((size_t)n, sizeof *h->held);
    h->names = calloc((size_t)(3 * n), sizeof *h->names);
    h->links = calloc((size_t)n, sizeof *h->links);
    h->bends = calloc((size_t)n, sizeof *h->bends);
    h->twists = calloc((size_t)n, sizeof *h->twists);
    for (int i = 0; i < 3 * n; i++)
        h->names[i] = "x";
    for (int s = 0; s < strands; s++)
        for (int k = 0; k < nodes; k++) {
            int i = s * nodes + k;
            place(h, s, k, h->x + 3 * i);
            h->held[i] = k < 2;
        }
    for (int s = 0; s < strands; s++)
        for (int k = 0; k < nodes; k++) {
            int i = s * nodes + k;
            const double *x = h->x + 3 * i;
            if (k + 1 < nodes) {
                double l = norm(x, x + 3);
                h->mass[i] += density * l / 2;
                h->mass[i + 1] += density * l / 2;
                if (k > 0)
                    h->links[link++] = (lil_link){ i, i + 1, l };
            }
            if (k + 2 < nodes) {
                double le = norm(x, x + 3), lf = norm(x + 3, x + 6), dot = 0;
                for (int d = 0; d < 3; d++)
                    dot += (x[3 + d] - x[d]) * (x[6 + d] - x[3 + d]);
                double c = dot / (le * lf);
                h->bends[bend++] = (lil_bend){ { i, i + 1, i + 2 }, B / (le + lf), 4 * (1 - c) / (1 + c) };
            }
            if (k + 3 < nodes) {
                double lll = 1, e[3][3];
                for (int a = 0; a < 3; a++) {
                    lll *= norm(x + 3 * a, x + 3 * a + 3);
                    for (int d = 0; d < 3; d++)
                        e[a][d] = x[3 * a + 3 + d] - x[3 * a + d];
                }
                double S = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                           lll;
                h->twists[twist++] = (lil_twist){ { i, i + 1, i + 2, i + 3 }, lll, C / cbrt(lll), S };
            }
        }
    const lil_points_def def = { .count = n, .names = h->names, .x = h->x, .mass = h->mass, .held = h->held };
    lil_term term;
    const double g[3] = { 0, 0, -9.81 };
    if (lil_model_create_points(ctx, &def, &h->model) != LIL_OK)
        exit(EXIT_FAILURE);
    h->bend_set = (lil_bends){ bend, h->bends };
    h->twist_set = (lil_twists){ twist, h->twists };
    lil_model_add(ctx, h->model, lil_bends_term(&h->bend_set));
    lil_model_add(ctx, h->model, lil_twists_term(&h->twist_set));
    lil_bends_damping(ctx, &h->arena, &h->bend_set, 0.02, &term);
    lil_model_add(ctx, h->model, term);
    lil_term_gravity(ctx, &h->arena, g, h->mass, n, &term);
    lil_model_add(ctx, h->model, term);
    lil_model_add(ctx, h->model, (lil_term){ .table = &drag, .data = h, .uses_v = true });
    h->set = (lil_constraint){ &lil_constraint_distance, h->links, link, "'hair'" };
    lil_model_bind(h->model, &h->set, 1);
}

static void time_steps(lil_context *ctx, const head *h, const char *integrator, int threads, int steps)
{
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    double *q = malloc((size_t)h->model->n * sizeof *q);
    for (int i = 0; i < h->model->n; i++)
        q[i] = h->x[h->model->dofs.free ? h->model->dofs.free[i] : i];
    def.integrator = integrator;
    def.step = 1. / 240;
    def.q = q;
    def.solver.tolerance = 1e-6;
    lil_context_set_threads(ctx, threads);
    if (lil_sim_create(ctx, h->model, &def, &sim) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    double begun = seconds(), done = 0;
    for (int i = 0; i < steps; i++, done++)
        if (lil_sim_step(sim) != LIL_OK) {
            printf("%s\n", lil_context_message(ctx));
            break;
        }
    double took = (seconds() - begun) / done;
    lil_certificate c = lil_sim_certificate(sim);
    printf("%-15s %4d strands x %3d nodes, %d thread%s: %7.3f ms a step, %5.0f ns a node; %.1f iterations, %.0f "
           "halved, |g| "
           "%.1e, band %.1e\n",
           integrator, h->strands, h->nodes, threads, threads > 1 ? "s" : " ", 1e3 * took,
           1e9 * took / (h->strands * h->nodes), c.newton_iterations / done, c.halved_steps, c.constraint_max,
           c.energy_band);
    lil_sim_destroy(&sim);
    free(q);
}

int main(int argc, char **argv)
{
    static const int sizes[][2] = { { 75, 30 }, { 300, 30 }, { 1200, 30 }, { 300, 15 }, { 300, 60 } };
    lil_context *ctx = lil_context_create();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        head h;
        make(ctx, &h, sizes[i][0], sizes[i][1]);
        time_steps(ctx, &h, "midpoint", 1, argc > 1 ? atoi(argv[1]) : 240);
        time_steps(ctx, &h, "midpoint", 2, argc > 1 ? atoi(argv[1]) : 240);
        lil_model_destroy(&h.model);
    }
    lil_context_destroy(&ctx);
    return 0;
}
