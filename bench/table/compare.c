/* All methods on the same first steps, at each size. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SCENE[] = "scenes/twisted-bar.yaml";
static const double TOLERANCE = 1e-8; /* the scene's */

enum { OURS = 2, ENTRIES_MAX = OURS + 2 * PETSC_SETTINGS };

static int entry_count(const bench *b)
{
    return OURS + (b->petsc ? petsc_method_count() : 0);
}

static void name_entries(const bench *b, entry *e)
{
    e[0] = (entry){ .name = "Lilyan, minimise", .solver = "minimise" };
    e[1] = (entry){ .name = "Lilyan, root", .solver = "root" };
    for (int i = OURS; i < entry_count(b); i++)
        e[i] = (entry){ .method = petsc_method_at(i - OURS), .name = petsc_method_at(i - OURS)->name };
}

static int coordinates(const bench_size *size)
{
    const int *c = size->cells;
    return 3 * (c[0] + 1) * (c[1] + 1) * (c[2] + 1);
}

/* ---- one size ---- */

static void take(entry *e, const sample *s)
{
    if (e->repeats == 0)
        e->first = *s;
    e->ms[e->repeats++] = 1e3 * s->seconds / s->steps;
    e->spent += s->seconds;
}

/* One more go, unless the time is up. */
static void repeat(bench *b, const bench_size *size, entry *e, problem *pb, petsc_solver *solver)
{
    sample s;
    double budget = e->method ? b->budget : 3 * b->budget;
    double last = e->repeats > 0 ? 1e-3 * e->ms[e->repeats - 1] * e->first.steps : 0;
    if (e->skipped || (e->repeats > 0 && e->spent + last > budget))
        return;
    bool first = e->repeats == 0;
    double limit = first ? 2 * budget : INFINITY; /* one go at all steps matters more than two at some */
    int steps = first ? b->steps : e->first.steps;
    bool ok = e->method
                  ? measure_petsc(solver, pb, steps, limit, &s)
                  : measure_ours(b->ctx, SCENE, size->cells, e->solver, 1, steps, limit, &s, first ? e->q : NULL);
    if (!ok) {
        bench_complain(b, e->name);
        e->skipped = true;
        return;
    }
    if (first && e->method)
        memcpy(e->q, pb->q, (size_t)pb->n * sizeof *e->q);
    take(e, &s);
}

/* What is done once is not part of a step: a solve before the first. */
static petsc_solver *prepare(const entry *e, problem *pb)
{
    petsc_solver *solver = petsc_create(e->method, pb);
    double *v = malloc((size_t)pb->n * sizeof *v), target;
    if (solver && v) {
        problem_reset(pb);
        problem_guess(pb, v, &target);
        petsc_solve(solver, v, target);
    }
    free(v);
    return solver;
}

/* In turns, so that what happens on the machine happens to all. */
static void measure_size(bench *b, const bench_size *size, entry *e, int count)
{
    problem *pb = NULL;
    petsc_solver *solvers[ENTRIES_MAX] = { 0 };
    if (b->petsc && !(pb = problem_create(b->ctx, SCENE, size->cells, TOLERANCE)))
        bench_complain(b, size->name);
    for (int i = 0; i < count; i++) {
        e[i].q = calloc((size_t)coordinates(size), sizeof *e[i].q);
        if (e[i].method && !e[i].skipped)
            e[i].skipped = !pb || !(solvers[i] = prepare(&e[i], pb));
        e[i].skipped = e[i].skipped || !e[i].q;
    }
    for (int r = 0; r < b->repeats; r++)
        for (int i = 0; i < count; i++)
            repeat(b, size, &e[i], pb, solvers[i]);
    for (int i = 0; i < count; i++)
        petsc_destroy(&solvers[i]);
    problem_destroy(&pb);
}

/* The largest distance, in m, along any axis between where two methods that went all the way ended. */
static double disagreement(const bench *b, const bench_size *size, const entry *e, int count)
{
    int n = coordinates(size);
    double worst = 0;
    const entry *from = NULL;
    for (int i = 0; i < count; i++) {
        if (e[i].repeats == 0 || e[i].first.steps < b->steps || e[i].first.failed)
            continue;
        from = from ? from : &e[i];
        for (int k = 0; k < n; k++)
            worst = fmax(worst, fabs(e[i].q[k] - from->q[k]));
    }
    return worst;
}

static void show_size(bench *b, const bench_size *size, const entry *e, int count)
{
    static const char *const heads[] = { "method",        "ms a step",  "median", "of ours", "Newton a step",
                                         "linear a step", "not solved", "steps",  "repeats", NULL };
    table t = table_new(size->name, heads);
    snprintf(
        t.title, sizeof t.title,
        "%s: %d tets, one thread, processor time, minima over repeats; all that made %d steps end within %.1e m.",
        size->name, bench_tets(size), b->steps, disagreement(b, size, e, count));
    double ours = entry_minimum(&e[0]);
    for (int i = 0; i < count; i++) {
        double steps = e[i].repeats > 0 ? e[i].first.steps : NAN, ms = entry_minimum(&e[i]);
        table_cell(&t, "%s", e[i].name);
        table_number(&t, "%.2f", ms);
        table_number(&t, "%.2f", entry_median(&e[i]));
        table_number(&t, "%.2f", ms / ours);
        table_number(&t, "%.1f", (double)e[i].first.newton / steps);
        table_number(&t, "%.1f", (double)e[i].first.linear / steps);
        table_number(&t, "%.0f", e[i].repeats > 0 ? e[i].first.failed : NAN);
        table_number(&t, "%.0f", steps);
        table_cell(&t, "%d", e[i].repeats);
    }
    bench_show(b, &t, false);
}

/* ---- all sizes ---- */

typedef entry results[COMPARED][ENTRIES_MAX];

static const char *size_heads[COMPARED + 2] = { "", "2K", "12.5K", "24K", "100K", NULL };

static void show_times(bench *b, results all, int count)
{
    table t = table_new("times", size_heads);
    snprintf(t.title, sizeof t.title,
             "Milliseconds per step on one thread: minimum of up to %d repeats of %d steps (*: fewer steps).",
             b->repeats, b->steps);
    for (int i = 0; i < count; i++) {
        table_cell(&t, "%s", all[0][i].name);
        for (int s = 0; s < COMPARED; s++) {
            bool fewer = all[s][i].repeats > 0 && all[s][i].first.steps < b->steps;
            double ms = entry_minimum(&all[s][i]);
            const char *format = ms >= 100 ? "%.0f%s" : ms >= 10 ? "%.1f%s" : "%.2f%s";
            if (isnan(ms))
                table_cell(&t, "-");
            else
                table_cell(&t, format, ms, fewer ? "*" : "");
        }
    }
    bench_show(b, &t, true);
}

static void show_iterations(bench *b, results all, int count)
{
    table t = table_new("iterations", size_heads);
    snprintf(t.title, sizeof t.title, "Newton / linear iterations per step.");
    for (int i = 0; i < count; i++) {
        table_cell(&t, "%s", all[0][i].name);
        for (int s = 0; s < COMPARED; s++) {
            const sample *f = &all[s][i].first;
            if (all[s][i].repeats == 0)
                table_cell(&t, "-");
            else if (f->failed)
                table_cell(&t, "%d of %d failed", f->failed, f->steps);
            else
                table_cell(&t, "%.1f / %.0f", (double)f->newton / f->steps, (double)f->linear / f->steps);
        }
    }
    bench_show(b, &t, true);
}

static void ratio_row(table *t, const char *name, results all, int root, int minimise)
{
    table_cell(t, "%s", name);
    for (int s = 0; s < COMPARED; s++)
        table_number(t, "%.2f", entry_minimum(&all[s][root]) / entry_minimum(&all[s][minimise]));
}

/* The paper's question. */
static void show_ratios(bench *b, results all)
{
    static const char *const paper[COMPARED] = { "1.2", "2.6", "3", "-" };
    table t = table_new("ratios", size_heads);
    snprintf(t.title, sizeof t.title, "How many times faster minimisation is than root finding.");
    table_cell(&t, "the paper, 2006");
    for (int s = 0; s < COMPARED; s++)
        table_cell(&t, "%s", paper[s]);
    for (int k = 0; b->petsc && k < PETSC_SETTINGS; k++) {
        const char *name = petsc_method_at(k)->name;
        char row[TABLE_CELL_MAX];
        snprintf(row, sizeof row, "PETSc%s", strchr(name, ','));
        ratio_row(&t, row, all, OURS + k, OURS + PETSC_SETTINGS + k);
    }
    ratio_row(&t, "Lilyan", all, 1, 0);
    bench_show(b, &t, true);
}

/* ours over the better of SNES and TAO with defaults, and over the best of all settings */
static void show_advantage(bench *b, results all)
{
    static const char *const names[] = { "better of SNES and TAO, defaults", "best of all their settings" };
    table t = table_new("advantage", size_heads);
    snprintf(t.title, sizeof t.title, "How many times faster Lilyan's minimise is than PETSc.");
    for (int k = 0; k < 2; k++) {
        table_cell(&t, "%s", names[k]);
        for (int s = 0; s < COMPARED; s++) {
            double best = NAN;
            for (int i = 0; i < 2 * PETSC_SETTINGS; i++)
                if (k == 1 || petsc_method_at(i)->setting == 0)
                    best = fmin(best, entry_minimum(&all[s][OURS + i]));
            table_number(&t, "%.1f", best / entry_minimum(&all[s][0]));
        }
    }
    bench_show(b, &t, true);
}

static void show_options(bench *b)
{
    static const char *const heads[] = { "method", "options", NULL };
    table t = table_new("options", heads);
    t.left = 2;
    snprintf(t.title, sizeof t.title, "The settings of PETSc. Without ew: -ksp_rtol 1e-5, its default.");
    for (int i = 0; i < petsc_method_count(); i++) {
        table_cell(&t, "%s", petsc_method_at(i)->name);
        table_cell(&t, "%s", *petsc_method_at(i)->options ? petsc_method_at(i)->options : "none");
    }
    bench_show(b, &t, true);
}

void part_compare(bench *b)
{
    static results all;
    int count = entry_count(b), before = -1;
    if (b->petsc)
        show_options(b);
    for (int s = 0; s < COMPARED; s++) {
        name_entries(b, all[s]);
        if (!b->wanted[s])
            continue;
        for (int i = 0; before >= 0 && i < count; i++)
            all[s][i].skipped = all[before][i].skipped || !bench_affordable(b, entry_minimum(&all[before][i]),
                                                                            &bench_sizes[before], &bench_sizes[s]);
        measure_size(b, &bench_sizes[s], all[s], count);
        show_size(b, &bench_sizes[s], all[s], count);
        for (int i = 0; i < count; i++)
            free(all[s][i].q);
        before = s;
    }
    show_times(b, all, count);
    show_iterations(b, all, count);
    show_ratios(b, all);
    if (b->petsc)
        show_advantage(b, all);
}
