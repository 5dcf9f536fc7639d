#include "solvers/forest.h"

#include "core/disjoint_sets.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

/* ---- parts ---- */

/* The parts of a matrix: rows in rising order, one part after the other. */
typedef struct parts {
    int count;
    int *start, *index; /* rows of part k: index[start[k]] ... */
    int *number;        /* of a row of the whole: which one it is of its part */
} parts;

/* Rows that share an entry share a root, the smallest of them. */
static lil_status find_parts(lil_context *ctx, lil_arena *arena, const lil_pattern *A, parts *p)
{
    int n = A->n;
    int *parent = malloc(((size_t)n + 1) * sizeof *parent), *part = malloc(((size_t)n + 1) * sizeof *part);
    p->start = LIL_NEW(arena, int, n + 1);
    p->index = LIL_NEW(arena, int, n);
    p->number = LIL_NEW(arena, int, n);
    bool there = parent && part && p->start && p->index && p->number;
    if (there)
        lil_sets_begin(parent, n);
    for (int j = 0; there && j < n; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            lil_sets_join(parent, j, A->row[k]);
    p->count = there ? lil_sets_number(parent, n, part) : 0;
    for (int i = 0; there && i < n; i++)
        p->number[i] = p->start[part[i] + 1]++;
    for (int k = 0; there && k < p->count; k++)
        p->start[k + 1] += p->start[k];
    for (int i = 0; there && i < n; i++)
        p->index[p->start[part[i]] + p->number[i]] = i;
    free(parent);
    free(part);
    return there ? LIL_OK : lil_fail_memory(ctx);
}

/* A part as a matrix of its own. */
typedef struct lone {
    int n, positive;          /* rows; those with positive pivots come first */
    int *start, *row, *entry; /* entry: in the whole */
} lone;

static lil_status take_part(lil_context *ctx, lil_arena *arena, const lil_pattern *A, const parts *p, int part,
                            int positive, lone *a)
{
    const int *index = p->index + p->start[part];
    a->n = p->start[part + 1] - p->start[part];
    while (a->positive < a->n && index[a->positive] < positive)
        a->positive++;
    int count = 0;
    for (int j = 0; j < a->n; j++)
        count += A->start[index[j] + 1] - A->start[index[j]];
    LIL_ALLOC(ctx, arena, a->start, a->n + 1);
    LIL_ALLOC(ctx, arena, a->row, count);
    LIL_ALLOC(ctx, arena, a->entry, count);
    for (int j = 0, at = 0; j < a->n; j++) {
        for (int k = A->start[index[j]]; k < A->start[index[j] + 1]; k++, at++) {
            a->row[at] = p->number[A->row[k]];
            a->entry[at] = k;
        }
        a->start[j + 1] = at;
    }
    return LIL_OK;
}

static bool are_alike(const lone *a, const lone *b)
{
    return a->n == b->n && a->positive == b->positive &&
           memcmp(a->start, b->start, ((size_t)a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->row, b->row, (size_t)a->start[a->n] * sizeof *a->row) == 0;
}

/* ---- trees ---- */

/* Rows of a column are sorted. */
static int find_entry(const lone *a, int row, int column)
{
    int low = a->start[column], high = a->start[column + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The upper triangle of P A P', by columns. */
static lil_status order(lil_context *ctx, lil_arena *arena, const lone *a, const int *Pinv, lil_elimination *t)
{
    int n = a->n, count = a->start[n];
    LIL_ALLOC(ctx, arena, t->start, n + 1);
    LIL_ALLOC(ctx, arena, t->row, count);
    LIL_ALLOC(ctx, arena, t->entry, count);
    LIL_ALLOC(ctx, arena, t->mirror, count);
    for (int k = 0, at = 0; k < n; k++) {
        int j = t->P[k];
        for (int e = a->start[j]; e < a->start[j + 1]; e++)
            if (Pinv[a->row[e]] <= k) {
                t->row[at] = Pinv[a->row[e]];
                t->mirror[at] = find_entry(a, j, a->row[e]);
                t->entry[at++] = e;
            }
        t->start[k + 1] = at;
    }
    return LIL_OK;
}

/* Row k of L: from each entry of column k up the elimination tree; `found` gets them so that children come first. */
static int forest_reach(const lil_elimination *t, int k, int *parent, int *flag, int *found)
{
    int top = t->n;
    flag[k] = k;
    for (int e = t->start[k]; e < t->start[k + 1]; e++) {
        int length = 0;
        for (int i = t->row[e]; flag[i] != k; i = parent[i]) {
            if (parent[i] < 0)
                parent[i] = k;
            found[length++] = i;
            flag[i] = k;
        }
        while (length > 0)
            found[--top] = found[--length];
    }
    return top;
}

/* Counts (L by columns), or fills in what was counted. */
static int symbolic(lil_elimination *t, int *parent, int *flag, int *found, int *filled)
{
    int total = 0;
    for (int i = 0; i < t->n; i++) {
        parent[i] = flag[i] = -1;
        filled[i] = 0;
    }
    for (int k = 0; k < t->n; k++) {
        for (int top = forest_reach(t, k, parent, flag, found); top < t->n; top++, total++) {
            int i = found[top];
            if (t->Li) {
                int place = t->Lp[i] + filled[i];
                t->Li[place] = k;
                t->column[total] = i;
                t->place[total] = place;
            }
            filled[i]++;
        }
        t->row_start[k + 1] = total;
    }
    return total;
}

/* The entries of the positive rows, and of all pairs of them that a negative row couples; without a list it counts. */
static int64_t list_coupled(const lone *a, int *row, int *col)
{
    int64_t count = 0;
    for (int j = 0; j < a->n; j++)
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            if (a->row[e] >= a->positive)
                continue;
            int first = j < a->positive ? e : a->start[j], end = j < a->positive ? e + 1 : a->start[j + 1];
            for (int o = first; o < end; o++) {
                int other = j < a->positive ? j : a->row[o];
                if (other >= a->positive)
                    continue;
                if (row) {
                    row[count] = a->row[e];
                    col[count] = other;
                }
                count++;
            }
        }
    return count;
}

/* P: the positive rows by minimum degree, as if the negative ones were eliminated; each of these after the last it
 * is coupled with. `place` is scratch. */
static lil_status order_rows(lil_context *ctx, const lone *a, int *P, int *place)
{
    int64_t count = list_coupled(a, NULL, NULL);
    if (count > INT32_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "too many coordinates are bound by one constraint");
    lil_arena arena = { 0 };
    lil_pattern coupled;
    int n = a->positive, *row = LIL_NEW(&arena, int, count), *col = LIL_NEW(&arena, int, count);
    int *where = LIL_NEW(&arena, int, count), *first = LIL_NEW(&arena, int, n + 1),
        *begin = LIL_NEW(&arena, int, n + 1);
    lil_status status = row && col && where && first && begin ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK) {
        list_coupled(a, row, col);
        status = lil_pattern_create(ctx, &arena, n, row, col, (int)count, &coupled, where);
    }
    if (status == LIL_OK && n > 0) {
        int how = amd_order(n, coupled.start, coupled.row, first, NULL, NULL);
        status = how == AMD_OK || how == AMD_OK_BUT_JUMBLED ? LIL_OK : lil_fail_memory(ctx);
    }
    if (status == LIL_OK) {
        for (int k = 0; k < n; k++)
            place[first[k]] = k;
        for (int j = n; j < a->n; j++) {
            place[j] = -1;
            for (int e = a->start[j]; e < a->start[j + 1]; e++)
                if (a->row[e] < n && place[a->row[e]] > place[j])
                    place[j] = place[a->row[e]];
        }
        /* sorted by place, by counting; of equal ones the positive row comes first */
        for (int j = 0; j < a->n; j++)
            if (place[j] + 2 <= n)
                begin[place[j] + 2]++;
        for (int k = 0; k < n; k++)
            begin[k + 1] += begin[k];
        for (int j = 0; j < a->n; j++)
            P[begin[place[j] + 1]++] = j;
    }
    lil_arena_free(&arena);
    return status;
}

static lil_status forest_grow(lil_context *ctx, lil_arena *arena, const lone *a, lil_elimination *t)
{
    int n = a->n;
    t->n = n;
    t->P = LIL_NEW(arena, int, n);
    t->Lp = LIL_NEW(arena, int, n + 1);
    t->row_start = LIL_NEW(arena, int, n + 1);
    int *work = malloc(5 * ((size_t)n + 1) * sizeof *work), *Pinv = work;
    lil_status status = t->P && t->Lp && t->row_start && work ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = order_rows(ctx, a, t->P, work);
    for (int k = 0; status == LIL_OK && k < n; k++)
        Pinv[t->P[k]] = k;
    if (status == LIL_OK)
        status = order(ctx, arena, a, Pinv, t);
    if (status == LIL_OK) {
        int *parent = work, *flag = work + n, *found = work + 2 * n, *filled = work + 3 * n;
        int total = symbolic(t, parent, flag, found, filled);
        for (int i = 0; i < n; i++)
            t->Lp[i + 1] = t->Lp[i] + filled[i];
        t->Li = LIL_NEW(arena, int, total);
        t->column = LIL_NEW(arena, int, total);
        t->place = LIL_NEW(arena, int, total);
        status = t->Li && t->column && t->place ? LIL_OK : lil_fail_memory(ctx);
        if (status == LIL_OK)
            symbolic(t, parent, flag, found, filled);
    }
    free(work);
    return status;
}

/* ---- groves ---- */

static lil_status plant(lil_context *ctx, lil_arena *arena, const lil_elimination *tree, lil_grove *g)
{
    g->tree = tree;
    g->L = LIL_NEW(arena, lil_lanes, tree->Lp[tree->n]);
    g->D = LIL_NEW(arena, lil_lanes, tree->n);
    g->U = LIL_NEW(arena, lil_lanes, tree->Lp[tree->n]);
    g->y = LIL_NEW(arena, lil_lanes, tree->n);
    g->z = LIL_NEW(arena, lil_lanes, tree->n);
    return g->L && g->D && g->U && g->y && g->z ? LIL_OK : lil_fail_memory(ctx);
}

/* Puts each part into a grove of its kind that has room, or into a new one. */
static lil_status plant_parts(lil_context *ctx, lil_arena *arena, const parts *p, const lone *a, lil_forest *f)
{
    lil_elimination *trees = LIL_NEW(arena, lil_elimination, p->count);
    int *first = malloc((size_t)p->count * sizeof *first), *open = malloc((size_t)p->count * sizeof *open), kinds = 0;
    lil_status status = trees && first && open ? LIL_OK : lil_fail_memory(ctx);
    for (int k = 0; status == LIL_OK && k < p->count; k++) {
        int kind = kinds - 1; /* most are like the one before */
        while (kind >= 0 && !are_alike(&a[first[kind]], &a[k]))
            kind--;
        if (kind < 0) {
            kind = kinds++;
            first[kind] = k;
            open[kind] = -1;
            status = forest_grow(ctx, arena, &a[k], &trees[kind]);
        }
        if (status == LIL_OK && (open[kind] < 0 || f->groves[open[kind]].count == LIL_LANES)) {
            open[kind] = f->count++;
            f->groves[open[kind]].at = f->size;
            f->size += LIL_LANES * a[k].start[a[k].n];
            status = plant(ctx, arena, &trees[kind], &f->groves[open[kind]]);
        }
        if (status == LIL_OK) {
            lil_grove *g = &f->groves[open[kind]];
            g->index[g->count] = p->index + p->start[k];
            for (int e = 0; e < a[k].start[a[k].n]; e++)
                f->place[a[k].entry[e]] = g->at + LIL_LANES * e + g->count;
            g->count++;
        }
    }
    free(first);
    free(open);
    return status;
}

lil_status lil_forest_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, const lil_pattern *A,
                             int positive, lil_forest *f)
{
    parts p = { 0 };
    *f = (lil_forest){ .pattern = A, .threads = threads, .positive = positive };
    LIL_TRY(find_parts(ctx, arena, A, &p));
    lone *list;
    LIL_ALLOC(ctx, arena, list, p.count);
    LIL_ALLOC(ctx, arena, f->groves, p.count);
    LIL_ALLOC(ctx, arena, f->fine, p.count);
    LIL_ALLOC(ctx, arena, f->place, A->start[A->n]);
    if (A->start[A->n] > INT32_MAX / LIL_LANES)
        return lil_fail(ctx, LIL_ERR_LIMIT, "a matrix of %d rows is too large for a direct solve", A->n);
    for (int k = 0; k < p.count; k++)
        LIL_TRY(take_part(ctx, arena, A, &p, k, positive, &list[k]));
    LIL_TRY(plant_parts(ctx, arena, &p, list, f));
    for (int i = 0; i < f->count; i++) /* lanes without a part repeat the last */
        for (int l = f->groves[i].count; l < LIL_LANES; l++)
            f->groves[i].index[l] = f->groves[i].index[l - 1];
    return LIL_OK;
}

/* ---- factor ---- */

/* entry e of the parts */
LIL_INLINE lil_lanes load(const lil_grove *g, const double *values, int e)
{
    lil_lanes a = lil_lanes_load(values + g->at + LIL_LANES * e);
    for (int l = g->count; l < LIL_LANES; l++)
        a[l] = a[l - 1];
    return a;
}

/* Row k of L and column k of U, from those before: with y and z the column above and the row left of the diagonal,
 * L (D u) = y and (l D) U = z; then d_k = a_kk - l D u. What symmetry makes equal is not computed twice. */
LIL_INLINE void factor_row(const lil_grove *g, const double *values, bool symmetric, int k)
{
    const lil_elimination *t = g->tree;
    lil_lanes *restrict y = g->y, *restrict z = g->z, *restrict L = g->L, *restrict U = g->U, d = { 0 };
    for (int e = t->start[k]; e < t->start[k + 1]; e++) {
        lil_lanes a = load(g, values, t->entry[e]);
        if (t->row[e] == k) {
            d = a;
            continue;
        }
        y[t->row[e]] = a;
        if (!symmetric)
            z[t->row[e]] = load(g, values, t->mirror[e]);
    }
    for (int r = t->row_start[k]; r < t->row_start[k + 1]; r++) {
        int i = t->column[r], end = t->place[r]; /* of column i, what is above row k is there already */
        lil_lanes yi = y[i], zi = symmetric ? yi : z[i], l = zi / g->D[i];
        y[i] = z[i] = (lil_lanes){ 0 };
        for (int p = t->Lp[i]; p < end; p++) {
            y[t->Li[p]] -= L[p] * yi;
            if (!symmetric)
                z[t->Li[p]] -= U[p] * zi;
        }
        d -= l * yi;
        L[end] = l;
        if (!symmetric)
            U[end] = yi / g->D[i];
    }
    g->D[k] = d;
}

LIL_INLINE void factor_rows(const lil_forest *f, int i, bool symmetric)
{
    const lil_grove *g = &f->groves[i];
    const lil_elimination *t = g->tree;
    bool fine = true;
    for (int k = 0; k < t->n; k++)
        g->y[k] = g->z[k] = (lil_lanes){ 0 };
    for (int k = 0; k < t->n && fine; k++) {
        factor_row(g, f->values, symmetric, k);
        for (int l = 0; l < g->count; l++) { /* a NaN is neither */
            double d = g->D[k][l];
            fine = fine && (g->index[l][t->P[k]] < f->positive ? d > 0 : d < 0);
        }
    }
    f->fine[i] = fine;
}

LIL_KERNEL static void factor_symmetric(void *data, int i)
{
    factor_rows(data, i, true);
}

LIL_KERNEL static void factor_general(void *data, int i)
{
    factor_rows(data, i, false);
}

void lil_forest_begin(lil_forest *f, const double *values, bool symmetric)
{
    f->values = values;
    f->symmetric = symmetric;
}

static bool are_fine(const lil_forest *f, int from, int end)
{
    bool fine = true;
    for (int i = from; i < end; i++)
        fine = fine && f->fine[i];
    return fine;
}

bool lil_forest_factor(lil_forest *f, const double *values, bool symmetric)
{
    lil_forest_begin(f, values, symmetric);
    lil_parallel(f->threads, f->count, symmetric ? factor_symmetric : factor_general, f);
    return are_fine(f, 0, f->count);
}

bool lil_forest_factor_groves(lil_forest *f, int from, int end)
{
    for (int i = from; i < end; i++)
        (f->symmetric ? factor_symmetric : factor_general)(f, i);
    return are_fine(f, from, end);
}

/* ---- solve ---- */

/* U x = y, in place */
LIL_INLINE void solve_upper(const lil_grove *g, const lil_lanes *U)
{
    const lil_elimination *t = g->tree;
    for (int k = t->n - 1; k >= 0; k--) {
        lil_lanes sum = g->y[k];
        for (int p = t->Lp[k]; p < t->Lp[k + 1]; p++)
            sum -= U[p] * g->y[t->Li[p]];
        g->y[k] = sum;
    }
}

typedef struct solve_job {
    const lil_forest *forest;
    const double *b;
    double *x;
} solve_job;

LIL_KERNEL static void solve_grove(void *data, int i)
{
    const solve_job *job = data;
    const lil_forest *f = job->forest;
    const lil_grove *g = &f->groves[i];
    const lil_elimination *t = g->tree;
    const double *b = job->b;
    lil_lanes *restrict y = g->y;
    for (int k = 0; k < t->n; k++) {
        int at = t->P[k];
        y[k] = (lil_lanes){ b[g->index[0][at]], b[g->index[1][at]], b[g->index[2][at]], b[g->index[3][at]] };
    }
    for (int k = 0; k < t->n; k++) {
        lil_lanes yk = y[k];
        for (int p = t->Lp[k]; p < t->Lp[k + 1]; p++)
            y[t->Li[p]] -= g->L[p] * yk;
        y[k] = yk / g->D[k];
    }
    solve_upper(g, f->symmetric ? g->L : g->U);
    for (int k = 0; k < t->n; k++)
        for (int l = 0; l < g->count; l++)
            job->x[g->index[l][t->P[k]]] = y[k][l];
}

void lil_forest_solve(const lil_forest *f, const double *b, double *x)
{
    lil_parallel(f->threads, f->count, solve_grove, &(solve_job){ f, b, x });
}

void lil_forest_solve_groves(const lil_forest *f, const double *b, double *x, int from, int end)
{
    solve_job job = { f, b, x };
    for (int i = from; i < end; i++)
        solve_grove(&job, i);
}

/* ---- pivots ---- */

/* where row i of the whole is */
static const lil_grove *find_row(const lil_forest *f, int i, int *k, int *lane)
{
    for (int g = 0; g < f->count; g++)
        for (int l = 0; l < f->groves[g].count; l++)
            for (int r = 0; r < f->groves[g].tree->n; r++)
                if (f->groves[g].index[l][f->groves[g].tree->P[r]] == i) {
                    *k = r;
                    *lane = l;
                    return &f->groves[g];
                }
    return NULL;
}

void lil_forest_pivots(const lil_forest *f, double *pivots)
{
    for (const lil_grove *g = f->groves; g < f->groves + f->count; g++)
        for (int l = 0; l < g->count; l++)
            for (int k = 0; k < g->tree->n; k++)
                pivots[g->index[l][g->tree->P[k]]] = g->D[k][l];
}

/* L'y = e_k, so A P'y = P'L D e_k = D_k P'L e_k */
void lil_forest_null(const lil_forest *f, int i, double *x)
{
    int at = 0, lane = 0;
    const lil_grove *g = find_row(f, i, &at, &lane);
    for (int k = 0; k < g->tree->n; k++)
        g->y[k] = lil_lanes_all(k == at);
    solve_upper(g, g->L);
    memset(x, 0, (size_t)f->pattern->n * sizeof *x);
    for (int k = 0; k < g->tree->n; k++)
        x[g->index[lane][g->tree->P[k]]] = g->y[k][lane];
}
