/* A term and a constraint of your own. Both are tables for one element, a few coordinates that belong together: here Morse
 * bonds between the atoms of a triangle, the first of which stays on a parabola. */
#include <lilyan/lilyan.h>
#include <math.h>

typedef struct bond {
    double depth, a, length; /* W = depth (1 - exp(-a (r - length)))^2 */
} bond;

static bool morse(const void *data, double t, const double *x, double *W, double *g)
{
    const bond *b = (const bond *)data;
    double d[2] = { x[2] - x[0], x[3] - x[1] }, r = sqrt(d[0] * d[0] + d[1] * d[1]);
    double e = exp(-b->a * (r - b->length)), slope = 2 * b->depth * b->a * e * (1 - e);
    (void)t;
    *W = b->depth * (1 - e) * (1 - e);
    for (int i = 0; g && i < 2; i++) {
        g[2 + i] = slope * d[i] / r;
        g[i] = -slope * d[i] / r;
    }
    return r > 0;
}

static bool on_parabola(const void *data, const double *x, double *g, double *G)
{
    (void)data;
    g[0] = x[1] - x[0] * x[0] / 2;
    if (G) {
        G[0] = -x[0];
        G[1] = 1;
    }
    return true;
}

int main(void)
{
    lil_context *ctx = lil_context_create();
    const lil_term_kind term = {
        .size = sizeof term, .name = "morse", .coordinates = 4, .data_size = sizeof(bond), .energy = morse
    };
    const lil_constraint_kind constraint = {
        .size = sizeof constraint, .name = "parabola", .coordinates = 2, .rows = 1, .value = on_parabola
    };
    const bond bonds[3] = { { 5, 1, 1 }, { 5, 1, 1 }, { 5, 1, 1 } };
    const int atoms[12] = { 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 0, 1 }, first[2] = { 0, 1 };
    const double mass[6] = { 1, 1, 1, 1, 1, 1 }, q[6] = { 0, 0, 1.1, 0, 0.5, 0.9 }, v[6] = { 0.5, 0, 0, 1, -1, 0 };
    const lil_term_set terms = { .kind = "morse", .count = 3, .coordinates = atoms, .data = bonds };
    const lil_constraint_set constraints = { .kind = "parabola", .count = 1, .coordinates = first };
    const lil_model_parts parts = {
        .terms = &terms, .term_count = 1, .constraints = &constraints, .constraint_count = 1
    };
    const lil_separable_def def = { .n = 6, .mass = mass, .parts = parts };
    lil_sim_def start = lil_sim_def_default();
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_verdict verdict[2];
    start.integrator = "midpoint";
    start.step = 0.01;
    start.q = q;
    start.v = v;
    bool ok = lil_check_term(ctx, &term, &bonds[0], 0, q, &verdict[0]) == LIL_OK &&
              lil_check_constraint(ctx, &constraint, NULL, v, &verdict[1]) == LIL_OK &&
              lil_context_register_term(ctx, &term) == LIL_OK &&
              lil_context_register_constraint(ctx, &constraint) == LIL_OK &&
              lil_model_create_separable(ctx, &def, &model) == LIL_OK &&
              lil_sim_create(ctx, model, &start, &sim) == LIL_OK;
    for (int k = 0; k < 1000 && ok; k++)
        ok = lil_sim_step(sim) == LIL_OK;
    if (ok)
        printf("%s\n%s\nenergy band %.1g, constraint met to %.1g\n", verdict[0].sentence, verdict[1].sentence,
               lil_sim_certificate(sim).energy_band, lil_sim_certificate(sim).constraint_max);
    else
        printf("%s\n", lil_context_message(ctx));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_context_destroy(&ctx);
    return ok && verdict[0].holds && verdict[1].holds ? 0 : 1;
}
