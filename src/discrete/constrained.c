#include "discrete/constrained.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROJECTIONS = 6, CLOSINGS = 60 };

/* ---- create ---- */

static lil_status begin_sets(lil_context *ctx, lil_arena *arena, lil_constrained *c, lil_jacobian *sets)
{
    const lil_model *model = c->ev->model;
    LIL_ALLOC(ctx, arena, c->work, model->constraint_count);
    LIL_ALLOC(ctx, arena, c->entries, model->constraint_count + 1);
    int64_t total = 0, rows = 0;
    for (int i = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        LIL_TRY(lil_constraint_begin(ctx, set, arena, &c->work[i], &sets[i]));
        total += sets[i].count;
        rows += (int64_t)set->count * set->table->rows;
        if (total > INT32_MAX / 4)
            return lil_fail(ctx, LIL_ERR_LIMIT, "too many constraints");
        c->entries[i + 1] = (int)total;
    }
    c->G = (lil_rows_matrix){ .n = model->n, .m = (int)rows, .count = (int)total };
    return LIL_OK;
}

static lil_status place_entries(lil_context *ctx, lil_arena *arena, lil_constrained *c, const lil_jacobian *sets)
{
    const lil_model *model = c->ev->model;
    LIL_ALLOC(ctx, arena, c->row, c->G.count);
    LIL_ALLOC(ctx, arena, c->col, c->G.count);
    LIL_ALLOC(ctx, arena, c->col_x, c->G.count);
    for (int i = 0, at = 0, first = 0; i < model->constraint_count; i++) {
        for (int k = 0; k < sets[i].count; k++, at++) {
            c->row[at] = first + sets[i].row[k];
            c->col_x[at] = sets[i].col[k];
            c->col[at] = model->dofs.number ? model->dofs.number[c->col_x[at]] : c->col_x[at];
        }
        first += model->constraints[i].count * model->constraints[i].table->rows;
    }
    c->G.row = c->row;
    c->G.col = c->col;
    return LIL_OK;
}

static lil_status constrained_create_vectors(lil_context *ctx, lil_arena *arena, lil_constrained *c)
{
    int n = c->G.n, m = c->G.m, entries = c->G.count, all = c->ev->model->dofs.total;
    struct {
        double **vector;
        int size;
    } vectors[] = {
        { &c->g, m },      { &c->size, m },         { &c->rate, m },       { &c->s, m },         { &c->dy, m },
        { &c->lambda, m }, { &c->dv, n },           { &c->r, n },          { &c->q_trial, n },   { &c->now, entries },
        { &c->f, all },    { &c->at_q, n },         { &c->next, entries }, { &c->bar, entries }, { &c->x0, all },
        { &c->g0, m },     { &c->projected_by, m }, { &c->vague, m },      { &c->middle, all }
    };
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        LIL_HAVE(ctx, *vectors[k].vector = LIL_NEW(arena, double, vectors[k].size));
    return LIL_OK;
}

/* The pattern of dr/dv, widened by the entries of (C3): `place` is where those of dr/dv and then those of (C3) are
 * in it. */
static lil_status constrained_widen(lil_context *ctx, lil_arena *arena, lil_constrained *c, int *place)
{
    const lil_pattern *H = &c->ev->matrix.pattern;
    const lil_geometric_stiffness *curved = &c->curved;
    size_t total = (size_t)H->count + (size_t)curved->count + 1, at = 0;
    int *row = malloc(total * sizeof *row), *col = malloc(total * sizeof *col);
    lil_status status = row && col ? LIL_OK : lil_fail_memory(ctx);
    for (int j = 0; status == LIL_OK && j < H->n; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++, at++) {
            row[at] = H->row[k];
            col[at] = j;
        }
    for (int k = 0; status == LIL_OK && k < curved->count; k++, at++) { /* pinned: a place that exists anyway */
        bool free = curved->a[k] >= 0 && curved->b[k] >= 0;
        row[at] = free ? curved->a[k] : 0;
        col[at] = free ? curved->b[k] : 0;
    }
    if (status == LIL_OK)
        status = lil_pattern_create(ctx, arena, c->G.n, row, col, (int)at, &c->pattern, place);
    free(row);
    free(col);
    return status;
}

/* The matrix of implicit steps: second derivatives of terms go right to where they are factored, and so do those
 * of (C3). */
static lil_status create_step(lil_context *ctx, lil_arena *arena, lil_constrained *c)
{
    lil_evaluator *ev = c->ev;
    int *place = malloc(((size_t)ev->matrix.pattern.count + (size_t)c->curved.count + 1) * sizeof *place);
    lil_status status = place ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK && c->between)
        status = constrained_widen(ctx, arena, c, place);
    const lil_pattern *H = c->between ? &c->pattern : &ev->matrix.pattern;
    if (status == LIL_OK)
        status = lil_saddle_create(ctx, arena, ev->threads, &c->G, NULL, H, &c->step);
    for (int k = 0; status == LIL_OK && k < ev->matrix.pattern.count; k++)
        place[k] = c->step.where[c->between ? place[k] : k];
    for (int k = 0; status == LIL_OK && c->between && k < c->curved.count; k++)
        if (c->curved.a[k] >= 0 && c->curved.b[k] >= 0)
            c->curved.where[k] = c->step.where[place[ev->matrix.pattern.count + k]];
    if (status == LIL_OK)
        status = lil_assembly_place(ctx, arena, ev->model, ev->entries, &ev->matrix, place, c->step.forest.size,
                                    &c->matrix);
    free(place);
    return status;
}

lil_status lil_constrained_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_bound bound,
                                  lil_constrained *c)
{
    const lil_model *model = ev->model;
    *c = (lil_constrained){ .ev = ev, .between = bound == LIL_BOUND_BETWEEN, .swing = INFINITY };
    lil_jacobian *sets = calloc((size_t)model->constraint_count, sizeof *sets);
    lil_status status = sets ? begin_sets(ctx, arena, c, sets) : lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = place_entries(ctx, arena, c, sets);
    free(sets);
    LIL_TRY(status);
    LIL_TRY(lil_geometric_stiffness_create(ctx, arena, model, &c->curved));
    LIL_TRY(constrained_create_vectors(ctx, arena, c));
    c->along = c->between ? c->bar : c->now;
    const double *diagonal = model->mass.constant ? model->mass.diagonal : NULL;
    bool implicit = bound != LIL_BOUND_EXPLICIT;
    if (!diagonal && !(c->H = LIL_NEW(arena, double, ev->matrix.pattern.count)))
        return lil_fail_memory(ctx);
    LIL_TRY(
        lil_saddle_create(ctx, arena, ev->threads, &c->G, diagonal, diagonal ? NULL : &ev->matrix.pattern, &c->mass));
    if (implicit)
        LIL_TRY(create_step(ctx, arena, c));
    LIL_TRY(lil_constrained_slice(ctx, arena, implicit, c));
    if (implicit)
        LIL_TRY(lil_sliced_assembly_create(ctx, arena, model, ev->work, ev->entries, &c->slices, &c->matrix));
    return implicit && model->impassable ? lil_coupled_create(ctx, arena, &c->step, &c->pattern, &c->coupled)
                                         : LIL_OK;
}

/* ---- g and G ---- */

typedef struct look_job {
    lil_constrained *c;
    const double *q, *x; /* one of them */
    double *g, *G;
} look_job;

static void look_slice(void *data, int i)
{
    const look_job *job = data;
    const double *x = job->q ? lil_constrained_positions_slice(job->c, i, job->q) : job->x;
    lil_constrained_evaluate_slice(job->c, i, x, job->g, job->G);
}

void lil_constrained_evaluate(lil_constrained *c, const double *x, double *g, double *G)
{
    lil_phase_begin(c->ev->ctx->phases, LIL_PHASE_EVALUATE);
    lil_constrained_each(c, look_slice, &(look_job){ c, NULL, x, g, G });
    lil_phase_end(c->ev->ctx->phases);
}

void lil_constrained_look(lil_constrained *c, double t, const double *q, double *g, double *G)
{
    lil_phase_begin(c->ev->ctx->phases, LIL_PHASE_EVALUATE);
    lil_positions_run(&c->ev->full, t);
    lil_constrained_each(c, look_slice, &(look_job){ c, q, NULL, g, G });
    lil_phase_end(c->ev->ctx->phases);
}

/* g is summed from G_ij x_j and from lengths of the constraint's own, and is off by their last places. An x_j may
 * be 0 by the choice of the origin alone: then it counts as 1/8 of how far things are apart, in space the farthest
 * from the middle of them all; of a single point and of other coordinates the largest. */
static double constrained_extent(const lil_model *model, const double *x)
{
    double most = 0, low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    int points = model->points.count ? model->dofs.total / 3 : 0;
    for (int k = 0; k < points; k++)
        for (int d = 0; d < 3; d++) {
            double at = x[3 * k + d];
            low[d] = at < low[d] ? at : low[d];
            high[d] = at > high[d] ? at : high[d];
        }
    for (int d = 0; points && d < 3; d++)
        most = fmax(most, (high[d] - low[d]) / 2);
    return most > 0 ? most : lil_largest(model->dofs.total, x);
}

typedef struct measure_job {
    lil_constrained *c;
    const double *G, *x;
    double most;
} measure_job;

static void measure_slice(void *data, int i)
{
    const measure_job *job = data;
    lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    memset(c->size + slice->row, 0, (size_t)(slice->row_end - slice->row) * sizeof *c->size);
    for (const lil_set_slice *s = c->sets + c->sets_begin[i]; s < c->sets + c->sets_begin[i + 1]; s++)
        if (s->set.table->size)
            s->set.table->size(&s->set, c->size + s->row);
    for (int k = slice->entry; k < slice->entry_end; k++) {
        double x = fabs(job->x[c->col_x[k]]);
        c->size[c->row[k]] += fabs(job->G[k]) * (x > job->most ? x : job->most);
    }
}

void lil_constrained_measure(lil_constrained *c, const double *G, double t, const double *q)
{
    const double *x = lil_positions_of(&c->ev->full, t, q);
    double apart = constrained_extent(c->ev->model, x) / LIL_CONSTRAINED_ROUND_OFF;
    lil_constrained_each(c, measure_slice, &(measure_job){ c, G, x, apart });
}

static void rates_slice(void *data, int i)
{
    const measure_job *job = data;
    lil_constrained_rates_slice(job->c, i, job->x, job->most);
}

/* G dx/dt, also of prescribed motion, at `now`; and what it is summed from, each by the fastest: a velocity may be
 * 0 because it must */
void lil_constrained_rates(lil_constrained *c, double t, const double *v)
{
    const double *dx = lil_positions_velocity(&c->ev->full, t, v);
    double most = lil_largest(c->ev->model->dofs.total, dx);
    lil_constrained_each(c, rates_slice, &(measure_job){ c, NULL, dx, most });
}

static void off_slice(void *data, int i)
{
    const measure_job *job = data;
    job->c->slice_most[i] = lil_constrained_off_slice(job->c, i, job->x);
}

double lil_constrained_off(lil_constrained *c, const double *x)
{
    lil_constrained_each(c, off_slice, &(measure_job){ c, NULL, x, 0 });
    return lil_constrained_most(c);
}

static lil_status fail_singular(lil_constrained *c, double t)
{
    return lil_fail(c->ev->ctx, LIL_ERR_CONVERGENCE, "the constraint forces cannot be solved for at t = %.9g", t);
}

static void make_slice(void *data, int i)
{
    const look_job *job = data;
    look_slice(data, i);
    job->c->slice_left[i] = !lil_saddle_factor_slice(&job->c->mass, i);
}

/* `now`, and its factor with the mass and H; false: there is none */
static bool make_slices(lil_constrained *c, double t, const double *q)
{
    bool made = true;
    lil_phase_begin(c->ev->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    lil_positions_run(&c->ev->full, t);
    lil_saddle_begin(&c->mass, c->H, c->now, c->now);
    lil_constrained_each(c, make_slice, &(look_job){ c, q, NULL, NULL, c->now });
    for (int i = 0; i < c->slices.count; i++)
        made = made && !c->slice_left[i];
    lil_phase_end(c->ev->ctx->phases);
    return made;
}

/* G at (t, q), factored with the mass */
lil_status lil_constrained_make(lil_constrained *c, double t, const double *q, const double *v)
{
    lil_evaluator *ev = c->ev;
    size_t bytes = (size_t)c->G.n * sizeof *q;
    /* of a mass that depends on q and v the factor does too */
    if (c->made && c->mass.mass && t == c->at_t && memcmp(q, c->at_q, bytes) == 0)
        return LIL_OK;
    c->made = false;
    if (!c->mass.mass) {
        memset(c->H, 0, (size_t)ev->matrix.pattern.count * sizeof *c->H);
        lil_evaluate_second(ev, t, q, v, &(lil_weights){ .Pv = 1 }, c->H);
    }
    if (!make_slices(c, t, q))
        return fail_singular(c, t);
    lil_parallel_copy(ev->threads, (size_t)c->G.n, q, c->at_q);
    c->at_t = t;
    c->made = true;
    return LIL_OK;
}

/* ---- the start ---- */

const char *lil_constrained_label(const lil_model *model, int row, int *member)
{
    for (int i = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        int rows = set->count * set->table->rows;
        if (row < rows) {
            *member = set->count > 1 ? row / set->table->rows + 1 : 0;
            return set->label;
        }
        row -= rows;
    }
    return "";
}

/* Appends "'side' 3, " unless it was named last. */
static int name_row(const lil_model *model, int row, char *text, int at, size_t size)
{
    int member = 0;
    char name[160];
    const char *label = lil_constrained_label(model, row, &member);
    if (member)
        snprintf(name, sizeof name, "%.120s number %d", label, member);
    else
        snprintf(name, sizeof name, "%.120s", label);
    int length = (int)strlen(name);
    if (at >= length && strcmp(text + at - length, name) == 0)
        return at;
    if ((size_t)at + (size_t)length + 8 >= size)
        return at;
    return at + snprintf(text + at, size - (size_t)at, "%s%s", at ? ", " : "", name);
}

/* A row whose pivot vanishes depends on those of the null vector that belongs to it (lil_forest_null). */
lil_status lil_constrained_check(lil_constrained *c, double t, const double *q, const double *v)
{
    const double VANISHED = 1e-8, BELONGS = 1e-6;
    const lil_forest *forest = &c->mass.forest;
    LIL_TRY(lil_constrained_make(c, t, q, v));
    int offset = c->mass.mass ? 0 : c->G.n, at = 0;
    double *null = c->mass.b, *pivots = c->mass.x;
    char names[600] = "";
    for (int i = 0; i < c->G.m; i++)
        c->size[i] = 0;
    for (int k = 0; k < c->G.count; k++)
        if (c->col[k] >= 0)
            c->size[c->row[k]] += c->now[k] * c->now[k] * c->mass.over[c->col[k]];
    lil_forest_pivots(forest, pivots);
    for (int i = 0; i < c->G.m && !names[0]; i++) {
        if (fabs(pivots[offset + i]) > VANISHED * c->size[i])
            continue;
        lil_forest_null(forest, offset + i, null);
        double most = lil_largest(c->G.m, null + offset);
        for (int k = 0; k < c->G.m; k++)
            if (fabs(null[offset + k]) > BELONGS * most)
                at = name_row(c->ev->model, k, names, at, sizeof names);
    }
    if (names[0])
        lil_warn(c->ev->ctx, "constraints are redundant: %s: their forces are distributed by least squares", names);
    return LIL_OK;
}

const char *lil_constrained_worst(lil_constrained *c, double t, const double *q, double *off)
{
    int row = 0, member;
    lil_constrained_look(c, t, q, c->g, NULL);
    for (int i = 1; i < c->G.m; i++)
        if (!(fabs(c->g[i]) <= fabs(c->g[row])))
            row = i;
    *off = fabs(c->g[row]);
    return lil_constrained_label(c->ev->model, row, &member);
}

bool lil_constrained_explain(lil_constrained *c, double t, const double *q, char *sentence, size_t size)
{
    const lil_model *model = c->ev->model;
    const double *x = lil_positions_of(&c->ev->full, t, q);
    for (int i = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        if (set->table->explain && set->table->explain(set, c->work[i], x, sentence, size))
            return true;
    }
    return false;
}

static lil_status fail_contradiction(lil_constrained *c, double t, const double *q)
{
    double off;
    const char *label = lil_constrained_worst(c, t, q, &off);
    return lil_fail(c->ev->ctx, LIL_ERR_INPUT,
                    "the constraints cannot all be satisfied: %s stays violated by %.3g wherever the rest moves",
                    label, off);
}

lil_status lil_constrained_close(lil_constrained *c, double t, double *q, const double *v, double *moved)
{
    double best = INFINITY;
    memcpy(c->q_trial, q, (size_t)c->G.n * sizeof *q);
    for (int i = 0, slow = 0; i < CLOSINGS && slow < 4; i++) {
        LIL_TRY(lil_constrained_make(c, t, q, v));
        lil_constrained_look(c, t, q, c->g, NULL);
        lil_constrained_measure(c, c->now, t, q);
        double off = lil_constrained_off(c, c->g);
        slow = off < 0.5 * best ? 0 : slow + 1;
        best = fmin(off, best);
        if (off <= LIL_CONSTRAINED_ROUND_OFF || (slow && off <= LIL_CONSTRAINED_SETTLED)) {
            lil_add(c->G.n, -1, q, c->q_trial);
            *moved = lil_largest(c->G.n, c->q_trial);
            return LIL_OK;
        }
        for (int k = 0; k < c->G.m; k++)
            c->s[k] = -c->g[k];
        lil_saddle_solve(&c->mass, NULL, c->s, c->dv, c->dy);
        lil_add(c->G.n, 1, c->dv, q);
    }
    return fail_contradiction(c, t, q);
}

/* ---- projection ---- */

/* The work of handles whose vertices take the other end of the impulses G'y: -y'G_s v_s, at the time of `now`.
 * (The work seen by q differs before p is projected: weight and multipliers of a step then pull in opposite
 * directions.) */
static double work_of_hands(lil_constrained *c, const double *v, const double *y)
{
    const double *dx = lil_positions_velocity(&c->ev->full, c->at_t, v);
    double work = 0;
    for (int k = 0; k < c->G.count; k++)
        if (c->col[k] < 0)
            work -= y[c->row[k]] * c->now[k] * dx[c->col_x[k]];
    return work;
}

typedef struct project_job {
    lil_constrained *c;
    double *p, *v;
} project_job;

/* Over a diagonal mass, where nothing moves as prescribed. */
static void project_slice(void *data, int i)
{
    const project_job *job = data;
    lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    const double *mass = c->mass.mass;
    double best = INFINITY, *v = job->v;
    for (int k = 0; k < PROJECTIONS; k++) {
        double most = lil_largest(slice->col_end - slice->col, v + slice->col);
        lil_constrained_rates_slice(c, i, lil_constrained_velocity_slice(c, i, v), most);
        double off = lil_constrained_off_slice(c, i, c->rate);
        if (off <= LIL_CONSTRAINED_ROUND_OFF || off >= 0.5 * best)
            break;
        best = off;
        lil_saddle_solve_slice(&c->mass, NULL, c->rate, NULL, c->dy, i);
        lil_rows_add_transposed_slice(&c->G, slice, c->now, c->dy, job->p);
        for (int j = slice->row; j < slice->row_end; j++)
            c->projected_by[j] += c->dy[j];
        for (int j = slice->col; j < slice->col_end; j++)
            v[j] = job->p[j] / mass[j];
    }
}

static lil_status project_driven(lil_constrained *c, lil_tally *tally, double t, const double *q, double *p,
                                 double *v)
{
    double best = INFINITY;
    for (int i = 0; i < PROJECTIONS; i++) {
        lil_constrained_rates(c, t, v);
        double off = lil_constrained_off(c, c->rate);
        if (off <= LIL_CONSTRAINED_ROUND_OFF || off >= 0.5 * best)
            break;
        best = off;
        lil_saddle_solve(&c->mass, NULL, c->rate, NULL, c->dy);
        lil_rows_add_transposed(&c->G, c->now, c->dy, p);
        lil_constrained_support(c, c->now, c->dy, 1);
        if (c->ev->model->dofs.script_count)
            tally->work_in += work_of_hands(c, v, c->dy);
        LIL_TRY(lil_evaluate_velocity(c->ev, t, q, p, v));
    }
    return LIL_OK;
}

lil_status lil_constrained_project(lil_constrained *c, lil_tally *tally, double t, const double *q, double *p,
                                   double *v)
{
    LIL_TRY(lil_evaluate_velocity(c->ev, t, q, p, v));
    LIL_TRY(lil_constrained_make(c, t, q, v));
    if (c->ev->model->dofs.script_count || !c->mass.mass)
        return project_driven(c, tally, t, q, p, v);
    lil_phase_begin(c->ev->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    memset(c->projected_by, 0, (size_t)c->G.m * sizeof *c->projected_by);
    lil_constrained_each(c, project_slice, &(project_job){ c, p, v });
    lil_constrained_support(c, c->now, c->projected_by, 1);
    lil_phase_end(c->ev->ctx->phases);
    return LIL_OK;
}

/* ---- results of a step ---- */

void lil_constrained_support(lil_constrained *c, const double *G, const double *y, double weight)
{
    lil_supports *s = c->ev->supports;
    const lil_constraint *sets = c->ev->model->constraints;
    for (int set = 0, number = -1; s && set < c->ev->model->constraint_count; set++) {
        number += set == 0 || sets[set].name != sets[set - 1].name;
        for (int k = c->entries[set]; k < c->entries[set + 1]; k++) {
            int at = s->place[c->col_x[k] / 3], d = c->col_x[k] % 3;
            double force = weight * y[c->row[k]] * G[k];
            s->impulse[3 * (s->count + s->obstacles + number) + d] += force;
            if (at >= 0)
                s->impulse[3 * at + d] += force;
        }
    }
}

void lil_constrained_impulse(lil_constrained *c, lil_tally *tally, const double *v, double *dp)
{
    lil_constrained_push(c, 1, dp);
    lil_constrained_support(c, c->along, c->lambda, 1);
    if (c->ev->model->dofs.script_count)
        tally->work_in += work_of_hands(c, v, c->lambda);
}

typedef struct push_job {
    lil_constrained *c;
    const double *G;
    double weight, *p;
} push_job;

static void push_slice(void *data, int i)
{
    const push_job *job = data;
    lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    for (int k = slice->row; k < slice->row_end; k++)
        c->dy[k] = job->weight * c->lambda[k];
    lil_rows_add_transposed_slice(&c->G, slice, job->G, c->dy, job->p);
}

void lil_constrained_push_along(lil_constrained *c, const double *G, double weight, double *p)
{
    lil_constrained_each(c, push_slice, &(push_job){ c, G, weight, p });
}

void lil_constrained_push(lil_constrained *c, double weight, double *p)
{
    lil_constrained_push_along(c, c->now, weight, p);
}

double lil_constrained_violation(lil_constrained *c, double t, const double *q)
{
    lil_constrained_look(c, t, q, c->g, NULL);
    return lil_largest(c->G.m, c->g);
}

double lil_constrained_distance(lil_constrained *c, double t, const double *q)
{
    double most = 0, *square = c->s;
    lil_constrained_look(c, t, q, c->g, c->next);
    memset(square, 0, (size_t)c->G.m * sizeof *square);
    for (int k = 0; k < c->G.count; k++)
        square[c->row[k]] += c->next[k] * c->next[k];
    for (int i = 0; i < c->G.m; i++)
        if (square[i] > 0) /* where grad g = 0 it says nothing */
            most = fmax(most, fabs(c->g[i]) / sqrt(square[i]));
    return most;
}
