#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lil_run *bench_run(lil_context *ctx, const char *path, const int *cells, const char *integrator, const char *solver)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    char set[128];
    bool ok = lil_scene_load(ctx, path, &scene) == LIL_OK;
    if (ok && cells) {
        snprintf(set, sizeof set, "bodies.bar.shape.cells=[%d, %d, %d]", cells[0], cells[1], cells[2]);
        ok = lil_scene_set(scene, set) == LIL_OK;
    }
    if (ok && integrator)
        ok = lil_scene_set_integrator(scene, integrator) == LIL_OK;
    if (ok && solver) {
        snprintf(set, sizeof set, "solver.method=%s", solver);
        ok = lil_scene_set(scene, set) == LIL_OK;
    }
    if (ok)
        lil_run_create(ctx, scene, &def, &run);
    lil_scene_destroy(&scene);
    return run;
}

/* ---- the pattern ---- */

typedef struct pair {
    int a, b;
} pair;

static int compare_pairs(const void *x, const void *y)
{
    const pair *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static int find_pair(const pair *pairs, int count, pair p)
{
    const pair *at = bsearch(&p, pairs, (size_t)count, sizeof p, compare_pairs);
    return at ? (int)(at - pairs) : -1;
}

static bool allocate_pattern(problem *pb, int blocks)
{
    block_pattern *pt = &pb->pattern;
    size_t rows = (size_t)pb->vertices + 1;
    pt->start = LIL_NEW(&pb->arena, int, rows);
    pt->upper_start = LIL_NEW(&pb->arena, int, rows);
    pt->col = LIL_NEW(&pb->arena, int, blocks);
    pt->upper_col = LIL_NEW(&pb->arena, int, blocks);
    pb->source = LIL_NEW(&pb->arena, int, blocks);
    return pt->start && pt->upper_start && pt->col && pt->upper_col && pb->source;
}

/* what the columns of a row from its diagonal on are, from all of them */
static void fill_upper(problem *pb)
{
    block_pattern *pt = &pb->pattern;
    int count = 0;
    for (int i = 0; i < pb->vertices; i++) {
        pt->upper_start[i] = count;
        for (int k = pt->start[i]; k < pt->start[i + 1]; k++)
            if (pt->col[k] >= i)
                pt->upper_col[count++] = pt->col[k];
    }
    pt->upper_start[pb->vertices] = count;
}

/* from sorted pairs a < b, each once */
static bool pattern_from_pairs(problem *pb, const pair *pairs, int count)
{
    block_pattern *pt = &pb->pattern;
    if (!allocate_pattern(pb, 2 * count + pb->vertices))
        return false;
    for (int k = 0; k < count; k++) {
        pt->start[pairs[k].a + 1]++;
        pt->start[pairs[k].b + 1]++;
    }
    for (int i = 0; i < pb->vertices; i++)
        pt->start[i + 1] += pt->start[i] + 1;
    int *next = malloc((size_t)pb->vertices * sizeof *next);
    if (!next)
        return false;
    memcpy(next, pt->start, (size_t)pb->vertices * sizeof *next);
    for (int k = 0; k < count; k++) { /* columns before the diagonal: rows ascend, and so do they */
        pb->source[next[pairs[k].b]] = k;
        pt->col[next[pairs[k].b]++] = pairs[k].a;
    }
    for (int i = 0; i < pb->vertices; i++) {
        pb->source[next[i]] = -1;
        pt->col[next[i]++] = i;
    }
    for (int k = 0; k < count; k++) {
        pb->source[next[pairs[k].a]] = k;
        pt->col[next[pairs[k].a]++] = pairs[k].b;
    }
    free(next);
    fill_upper(pb);
    return true;
}

/* ---- the terms ---- */

/* all pairs of all terms, sorted, each once; *count of them */
static pair *unite(const problem *pb, const lil_block_pairs *of, int *count)
{
    size_t total = 0;
    for (int i = 0; i < pb->model->term_count; i++)
        total += (size_t)of[i].count;
    pair *all = malloc((total + 1) * sizeof *all);
    if (!all)
        return NULL;
    total = 0;
    for (int i = 0; i < pb->model->term_count; i++)
        for (int k = 0; k < of[i].count; k++)
            all[total++] = (pair){ of[i].at[k][0], of[i].at[k][1] };
    qsort(all, total, sizeof *all, compare_pairs);
    *count = 0;
    for (size_t k = 0; k < total; k++)
        if (*count == 0 || compare_pairs(&all[k], &all[*count - 1]) != 0)
            all[(*count)++] = all[k];
    return all;
}

static lil_status begin_term(problem *pb, int i, lil_block_pairs *pairs)
{
    const lil_term *term = &pb->model->terms[i];
    lil_entries entries = { 0 };
    if (term->table->place != LIL_POTENTIAL || !lil_term_has_blocks(term->table))
        return lil_fail(pb->ctx, LIL_ERR_INPUT, "'%s' gives no second derivatives in blocks", term->table->name);
    LIL_TRY(term->table->begin(pb->ctx, term->data, &pb->arena, false, &pb->work[i], &entries));
    return term->table->second ? term->table->pairs(pb->ctx, term->data, &pb->arena, pb->work[i], pairs) : LIL_OK;
}

static lil_status begin_terms(problem *pb)
{
    int terms = pb->model->term_count;
    lil_block_pairs *of = LIL_NEW(&pb->arena, lil_block_pairs, terms);
    pb->work = LIL_NEW(&pb->arena, void *, terms);
    pb->where = LIL_NEW(&pb->arena, int *, terms);
    if (!of || !pb->work || !pb->where)
        return lil_fail_memory(pb->ctx);
    for (int i = 0; i < terms; i++)
        LIL_TRY(begin_term(pb, i, &of[i]));
    pair *all = unite(pb, of, &pb->pair_count);
    bool ok = all && pattern_from_pairs(pb, all, pb->pair_count);
    for (int i = 0; ok && i < terms; i++) {
        ok = (pb->where[i] = LIL_NEW(&pb->arena, int, of[i].count)) != NULL;
        for (int k = 0; ok && k < of[i].count; k++)
            pb->where[i][k] = find_pair(all, pb->pair_count, (pair){ of[i].at[k][0], of[i].at[k][1] });
    }
    free(all);
    ok = ok && (pb->pairs = LIL_NEW(&pb->arena, float, 9 * (size_t)pb->pair_count));
    return ok ? LIL_OK : lil_fail_memory(pb->ctx);
}

/* ---- create ---- */

static lil_status begin(problem *pb)
{
    const lil_state *x = lil_sim_state(lil_run_sim(pb->run));
    size_t bytes = (size_t)pb->n * sizeof(double);
    double **vectors[] = { &pb->q_start, &pb->p_start, &pb->q, &pb->p, &pb->node, &pb->g };
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k] = LIL_NEW(&pb->arena, double, pb->n)))
            return lil_fail_memory(pb->ctx);
    memcpy(pb->q_start, x->q, bytes);
    memcpy(pb->p_start, x->p, bytes);
    LIL_TRY(lil_sim_next_step(lil_run_sim(pb->run), &pb->h));
    return begin_terms(pb);
}

problem *problem_create(lil_context *ctx, const char *path, const int *cells, double tolerance)
{
    problem *pb = calloc(1, sizeof *pb);
    if (!pb)
        return NULL;
    pb->ctx = ctx;
    pb->tolerance = tolerance;
    lil_context_set_threads(ctx, 1);
    /* an explicit integrator prepares nothing that takes room */
    pb->run = bench_run(ctx, path, cells, "stormer-verlet", NULL);
    if (pb->run) {
        pb->model = lil_run_model(pb->run);
        pb->n = pb->model->n;
        pb->vertices = pb->n / 3;
    }
    if (!pb->run || begin(pb) != LIL_OK) {
        problem_destroy(&pb);
        return NULL;
    }
    problem_reset(pb);
    return pb;
}

void problem_destroy(problem **pb)
{
    if (!*pb)
        return;
    lil_arena_free(&(*pb)->arena);
    lil_run_destroy(&(*pb)->run);
    free(*pb);
    *pb = NULL;
}

/* ---- a step ---- */

void problem_place(problem *pb, const double *q, const double *p)
{
    memcpy(pb->q, q, (size_t)pb->n * sizeof *q);
    memcpy(pb->p, p, (size_t)pb->n * sizeof *p);
}

void problem_reset(problem *pb)
{
    problem_place(pb, pb->q_start, pb->p_start);
    pb->reference = 0;
}

static const double *node(problem *pb, const double *v)
{
    for (int i = 0; i < pb->n; i++)
        pb->node[i] = pb->q[i] + pb->h / 2 * v[i];
    return pb->node;
}

/* W (may be NULL) and dW */
static void potential(problem *pb, const double *q, double *W, double *g)
{
    const lil_model *model = pb->model;
    if (W)
        *W = 0;
    memset(g, 0, (size_t)pb->n * sizeof *g);
    for (int i = 0; i < model->term_count; i++)
        model->terms[i].table->evaluate(model->terms[i].data, pb->work[i], &(lil_at){ 0, q, NULL },
                                        &(lil_sums){ W, g, NULL });
}

/* as our own solvers do */
static void shorten(problem *pb, double *v)
{
    const lil_model *model = pb->model;
    double s = 1;
    for (int i = 0; i < pb->n; i++)
        pb->node[i] = pb->h / 2 * v[i];
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->longest)
            s = fmin(s, model->terms[i].table->longest(model->terms[i].data, pb->work[i], 0, pb->q, pb->node));
    for (int i = 0; s > 0 && s < 1 && i < pb->n; i++)
        v[i] *= 0.9 * s;
}

void problem_guess(problem *pb, double *v, double *target)
{
    for (int i = 0; i < pb->n; i++)
        v[i] = pb->p[i] / pb->model->mass.diagonal[i];
    shorten(pb, v);
    potential(pb, pb->q, &pb->W, pb->g);
    problem_value(pb, v, NULL, pb->g);
    double size = lil_norm(pb->n, pb->g);
    pb->reference = pb->reference > 0 ? pb->reference : size;
    *target = pb->tolerance * fmax(size, 1e-3 * pb->reference);
}

void problem_value(problem *pb, const double *v, double *E, double *g)
{
    double W = 0, sum = 0;
    const double *M = pb->model->mass.diagonal;
    potential(pb, node(pb, v), E ? &W : NULL, g);
    for (int i = 0; i < pb->n; i++) {
        double Mv = M[i] * v[i];
        sum += (Mv / 2 - pb->p[i]) * v[i];
        g[i] = Mv - pb->p[i] + pb->h / 2 * g[i];
    }
    if (E)
        *E = sum + (W - pb->W);
}

bool problem_solved(problem *pb, const double *v, double target)
{
    problem_value(pb, v, NULL, pb->g);
    return lil_norm(pb->n, pb->g) <= (1 + 1e-6) * target;
}

void problem_accept(problem *pb, const double *v)
{
    potential(pb, node(pb, v), NULL, pb->g);
    for (int i = 0; i < pb->n; i++) {
        pb->q[i] += pb->h * v[i];
        pb->p[i] -= pb->h * pb->g[i];
    }
}

/* ---- the Hessian ---- */

static void evaluate_second(problem *pb, const double *v)
{
    const lil_model *model = pb->model;
    memset(pb->pairs, 0, 9 * (size_t)pb->pair_count * sizeof *pb->pairs);
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->second)
            model->terms[i].table->second(
                model->terms[i].data, pb->work[i], &(lil_at){ 0, node(pb, v), v },
                &(lil_sink){ .weight = pb->h * pb->h / 4, .where = pb->where[i], .blocks = pb->pairs });
}

/* block k of row i, by rows */
static void load(const problem *pb, int i, int k, double B[9])
{
    const float *at = pb->pairs + 9 * (size_t)pb->source[k];
    bool turned = pb->pattern.col[k] < i;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            B[3 * r + c] = turned ? at[3 * c + r] : at[3 * r + c];
}

static void store(const problem *pb, layout form, int i, int k, const double B[9], double *values)
{
    const block_pattern *pt = &pb->pattern;
    size_t row = 1, col = 3;
    double *at = values + 9 * (size_t)k;
    if (form == LAYOUT_ROWS) {
        row = 3 * (size_t)(pt->start[i + 1] - pt->start[i]);
        col = 1;
        at = values + 9 * (size_t)pt->start[i] + 3 * (size_t)(k - pt->start[i]);
    } else if (form == LAYOUT_UPPER) { /* the last blocks of a row are those of the upper triangle */
        int from_end = pt->start[i + 1] - k;
        at = values + 9 * (size_t)(pt->upper_start[i + 1] - from_end);
    }
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 3; c++)
            at[r * row + c * col] = B[3 * r + c];
}

void problem_hessian(problem *pb, const double *v, layout form, double *values)
{
    const block_pattern *pt = &pb->pattern;
    const double *M = pb->model->mass.diagonal;
    evaluate_second(pb, v);
    for (int i = 0; i < pb->vertices; i++) {
        double B[9], D[9] = { M[3 * i], 0, 0, 0, M[3 * i + 1], 0, 0, 0, M[3 * i + 2] };
        int diagonal = pt->start[i];
        for (int k = pt->start[i]; k < pt->start[i + 1]; k++) {
            if (pb->source[k] < 0) {
                diagonal = k;
                continue;
            }
            load(pb, i, k, B);
            for (int m = 0; m < 9; m++)
                D[m] -= B[m];
            if (form != LAYOUT_UPPER || pt->col[k] > i)
                store(pb, form, i, k, B, values);
        }
        store(pb, form, i, diagonal, D, values);
    }
}
