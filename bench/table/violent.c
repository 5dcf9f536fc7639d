/*
 * Steps on which solvers fail. First the scene as it is run, by minimise and by root, with failing steps halved. Then each of
 * the steps of the first of these runs by itself, at its full length: every method starts where that run stood, so that nobody
 * pays twice for a failure.
 */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SCENE[] = "scenes/violent.yaml";

enum { STEPS = 100 };

typedef struct states {
    int count;
    double *q[STEPS], *p[STEPS];
} states;

static bool keep(states *x, const lil_state *now)
{
    size_t bytes = (size_t)now->n * sizeof(double);
    double *q = malloc(bytes), *p = malloc(bytes);
    if (!q || !p) {
        free(q);
        free(p);
        return false;
    }
    memcpy(q, now->q, bytes);
    memcpy(p, now->p, bytes);
    x->q[x->count] = q;
    x->p[x->count++] = p;
    return true;
}

/* ---- the scene as it is run ---- */

static void run_row(bench *b, table *t, const char *solver, states *visited)
{
    lil_context_set_threads(b->ctx, 1);
    lil_run *run = bench_run(b->ctx, SCENE, NULL, NULL, solver);
    double start = bench_seconds(1), limit = 10 * b->budget;
    int steps = 0;
    bool ok = run != NULL;
    while (ok && steps < STEPS && bench_seconds(1) - start < limit) {
        ok = !visited || keep(visited, lil_sim_state(lil_run_sim(run)));
        ok = ok && lil_sim_step(lil_run_sim(run)) == LIL_OK;
        steps += ok;
    }
    if (!ok)
        bench_complain(b, solver);
    lil_certificate c = run ? lil_sim_certificate(lil_run_sim(run)) : (lil_certificate){ 0 };
    table_cell(t, "Lilyan, %s", solver);
    table_cell(t, "%d", steps);
    table_number(t, "%.0f", c.halved_steps);
    table_number(t, "%.0f", c.newton_iterations);
    table_number(t, "%.1e", c.linear_momentum_drift);
    table_number(t, "%.1e", c.angular_momentum_drift);
    table_number(t, "%.2f", bench_seconds(1) - start);
    lil_run_destroy(&run);
}

static void show_runs(bench *b, states *visited)
{
    static const char *const heads[] = { "", "steps", "halved", "Newton", "P", "L", "s", NULL };
    table t = table_new("violent", heads);
    snprintf(t.title, sizeof t.title,
             "violent.yaml, up to %d steps: halved steps, Newton iterations, drift of momenta, seconds.", STEPS);
    run_row(b, &t, "minimise", visited);
    run_row(b, &t, "root", NULL);
    bench_show(b, &t, true);
}

/* ---- each step by itself ---- */

static void alone_row(table *t, const char *name, const sample *s)
{
    table_cell(t, "%s", name);
    table_cell(t, "%d of %d", s->failed, s->steps);
    table_cell(t, "%ld", s->newton);
    table_cell(t, "%ld", s->linear);
    table_number(t, "%.1f", 1e3 * s->seconds / s->steps);
}

/* One step of ours that is not halved. What it is rolled back for afterwards, an inverted tet at q_{k+1}, is no failure of
 * the solver. */
static bool step_ours(lil_context *ctx, const lil_model *model, const lil_sim_def *def, sample *s)
{
    lil_sim *sim = NULL;
    if (lil_sim_create(ctx, model, def, &sim) != LIL_OK)
        return false;
    double before = bench_seconds(1);
    lil_status status = lil_sim_step(sim);
    s->seconds += bench_seconds(1) - before;
    s->failed += status != LIL_OK && status != LIL_ERR_INVERTED;
    s->steps++;
    lil_certificate c = lil_sim_certificate(sim);
    s->newton += (long)c.newton_iterations;
    s->linear += (long)c.linear_iterations;
    lil_sim_destroy(&sim);
    return true;
}

static bool alone_ours(bench *b, const char *solver, const states *x, sample *s)
{
    lil_run *run = bench_run(b->ctx, SCENE, NULL, "stormer-verlet", NULL); /* for its model */
    lil_sim_def def = lil_sim_def_default();
    *s = (sample){ 0 };
    if (!run)
        return false;
    const lil_model *model = lil_run_model(run);
    double *v = malloc((size_t)model->n * sizeof *v);
    bool ok = v && lil_sim_next_step(lil_run_sim(run), &def.step) == LIL_OK;
    def.halvings = 0;
    def.solver.tolerance = 1e-8;
    def.solver.method = strcmp(solver, "root") == 0 ? LIL_SOLVER_ROOT : LIL_SOLVER_MINIMISE;
    for (int k = 0; ok && k < x->count; k++) {
        for (int i = 0; i < model->n; i++)
            v[i] = x->p[k][i] / model->mass.diagonal[i];
        def.q = x->q[k];
        def.v = v;
        ok = step_ours(b->ctx, model, &def, s);
    }
    free(v);
    lil_run_destroy(&run);
    return ok;
}

/* After an error a solver of PETSc may be in any state: a new one takes its place. */
static bool alone_petsc(bench *b, const petsc_method *method, problem *pb, const states *x, sample *s)
{
    petsc_solver *solver = petsc_create(method, pb);
    double *v = malloc((size_t)pb->n * sizeof *v), target;
    bool ok = solver && v;
    double limit = (method->setting == 0 ? 5 : 2) * b->budget; /* of defaults as many as possible */
    *s = (sample){ 0 };
    problem_reset(pb);
    for (int k = 0; ok && k < x->count && s->seconds < limit; k++) {
        problem_place(pb, x->q[k], x->p[k]);
        problem_guess(pb, v, &target);
        double before = bench_seconds(1);
        outcome o = petsc_solve(solver, v, target);
        s->seconds += bench_seconds(1) - before;
        s->failed += !problem_solved(pb, v, target);
        s->newton += o.newton;
        s->linear += o.linear;
        s->steps++;
        if (!o.ran) {
            petsc_destroy(&solver);
            ok = (solver = petsc_create(method, pb)) != NULL;
        }
    }
    petsc_destroy(&solver);
    free(v);
    return ok;
}

static void show_alone(bench *b, const states *x)
{
    static const char *const heads[] = { "", "not solved", "Newton", "linear", "ms a step", NULL };
    table t = table_new("violent-alone", heads);
    snprintf(t.title, sizeof t.title,
             "Each of those steps alone, full length, at most 50 iterations: unsolved steps, iterations.");
    sample s;
    if (alone_ours(b, "minimise", x, &s))
        alone_row(&t, "Lilyan, minimise", &s);
    if (alone_ours(b, "root", x, &s))
        alone_row(&t, "Lilyan, root", &s);
    problem *pb = b->petsc ? problem_create(b->ctx, SCENE, NULL, 1e-8) : NULL;
    if (b->petsc && !pb)
        bench_complain(b, SCENE);
    for (int i = 0; pb && i < petsc_method_count(); i++)
        if (alone_petsc(b, petsc_method_at(i), pb, x, &s))
            alone_row(&t, petsc_method_at(i)->name, &s);
    problem_destroy(&pb);
    bench_show(b, &t, true);
}

void part_violent(bench *b)
{
    states visited = { 0 };
    show_runs(b, &visited);
    show_alone(b, &visited);
    for (int k = 0; k < visited.count; k++) {
        free(visited.q[k]);
        free(visited.p[k]);
    }
}
