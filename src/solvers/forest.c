#include "solvers/forest.h"

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

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Rows that share an entry share a root, the smallest of them. */
static lil_status find_parts(lil_context *ctx, lil_arena *arena, const lil_pattern *A, parts *p)
{
    int n = A->n;
    int *parent = malloc(((size_t)n + 1) * sizeof *parent), *part = malloc(((size_t)n + 1) * sizeof *part);
    p->start = LIL_NEW(arena, int, n + 1);
    p->index = LIL_NEW(arena, int, n);
    p->number = LIL_NEW(arena, int, n);
    bool there = parent && part && p->start && p->index && p->number;
    for (int i = 0; there && i < n; i++)
        parent[i] = i;
    for (int j = 0; there && j < n; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            int a = root_of(parent, j), b = root_of(parent, A->row[k]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    for (int i = 0; there && i < n; i++) {
        int root = root_of(parent, i);
        part[i] = root == i ? p->count++ : part[root];
        p->number[i] = p->start[part[i] + 1]++;
    }
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
    int n, *start, *row, *entry; /* entry: in the whole */
} lone;

static lil_status take_part(lil_context *ctx, lil_arena *arena, const lil_pattern *A, const parts *p, int part,
                            lone *a)
{
    const int *index = p->index + p->start[part];
    a->n = p->start[part + 1] - p->start[part];
    int count = 0;
    for (int j = 0; j < a->n; j++)
        count += A->start[index[j] + 1] - A->start[index[j]];
    a->start = LIL_NEW(arena, int, a->n + 1);
    a->row = LIL_NEW(arena, int, count);
    a->entry = LIL_NEW(arena, int, count);
    if (!a->start || !a->row || !a->entry)
        return lil_fail_memory(ctx);
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
    return a->n == b->n && memcmp(a->start, b->start, ((size_t)a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->row, b->row, (size_t)a->start[a->n] * sizeof *a->row) == 0;
}

/* ---- trees ---- */

/* The upper triangle of P A P', by columns. */
static lil_status order(lil_context *ctx, lil_arena *arena, const lone *a, const int *Pinv, lil_tree *t)
{
    int n = a->n, count = a->start[n];
    t->start = LIL_NEW(arena, int, n + 1);
    t->row = LIL_NEW(arena, int, count);
    t->entry = LIL_NEW(arena, int, count);
    if (!t->start || !t->row || !t->entry)
        return lil_fail_memory(ctx);
    for (int k = 0, at = 0; k < n; k++) {
        int j = t->P[k];
        for (int e = a->start[j]; e < a->start[j + 1]; e++)
            if (Pinv[a->row[e]] <= k) {
                t->row[at] = Pinv[a->row[e]];
                t->entry[at++] = e;
            }
        t->start[k + 1] = at;
    }
    return LIL_OK;
}

/* Row k of L: from each entry of column k up the elimination tree; `found` gets them so that children come first. */
static int reach(const lil_tree *t, int k, int *parent, int *flag, int *found)
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
static int symbolic(lil_tree *t, int *parent, int *flag, int *found, int *filled)
{
    int total = 0;
    for (int i = 0; i < t->n; i++) {
        parent[i] = flag[i] = -1;
        filled[i] = 0;
    }
    for (int k = 0; k < t->n; k++) {
        for (int top = reach(t, k, parent, flag, found); top < t->n; top++, total++) {
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

static lil_status grow(lil_context *ctx, lil_arena *arena, const lone *a, lil_tree *t)
{
    int n = a->n;
    t->n = n;
    t->P = LIL_NEW(arena, int, n);
    t->Lp = LIL_NEW(arena, int, n + 1);
    t->row_start = LIL_NEW(arena, int, n + 1);
    int *work = malloc(5 * ((size_t)n + 1) * sizeof *work), *Pinv = work;
    lil_status status = t->P && t->Lp && t->row_start && work ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK) {
        int how = amd_order(n, a->start, a->row, t->P, NULL, NULL);
        status = how == AMD_OK || how == AMD_OK_BUT_JUMBLED ? LIL_OK : lil_fail_memory(ctx);
    }
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

/* aligned for lanes */
static lil_lanes *new_lanes(lil_arena *arena, int count)
{
    char *memory = lil_arena_alloc(arena, (size_t)count + 1, sizeof(lil_lanes));
    return memory ? (lil_lanes *)(memory + (32 - (uintptr_t)memory % 32) % 32) : NULL;
}

static lil_status plant(lil_context *ctx, lil_arena *arena, const lil_tree *tree, lil_grove *g)
{
    g->tree = tree;
    g->L = new_lanes(arena, tree->Lp[tree->n]);
    g->D = new_lanes(arena, tree->n);
    g->y = new_lanes(arena, tree->n);
    return g->L && g->D && g->y ? LIL_OK : lil_fail_memory(ctx);
}

/* Puts each part into a grove of its kind that has room, or into a new one. */
static lil_status plant_parts(lil_context *ctx, lil_arena *arena, const parts *p, const lone *a, lil_forest *f)
{
    lil_tree *trees = LIL_NEW(arena, lil_tree, p->count);
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
            status = grow(ctx, arena, &a[k], &trees[kind]);
        }
        if (status == LIL_OK && (open[kind] < 0 || f->groves[open[kind]].count == LIL_LANES)) {
            open[kind] = f->count++;
            status = plant(ctx, arena, &trees[kind], &f->groves[open[kind]]);
        }
        if (status == LIL_OK) {
            lil_grove *g = &f->groves[open[kind]];
            g->index[g->count] = p->index + p->start[k];
            g->entry[g->count++] = a[k].entry;
        }
    }
    free(first);
    free(open);
    return status;
}

lil_status lil_forest_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, const lil_pattern *A,
                             lil_forest *f)
{
    parts p = { 0 };
    *f = (lil_forest){ .pattern = A, .threads = threads };
    LIL_TRY(find_parts(ctx, arena, A, &p));
    lone *list = LIL_NEW(arena, lone, p.count);
    f->groves = LIL_NEW(arena, lil_grove, p.count);
    f->fine = LIL_NEW(arena, bool, p.count);
    if (!list || !f->groves || !f->fine)
        return lil_fail_memory(ctx);
    for (int k = 0; k < p.count; k++)
        LIL_TRY(take_part(ctx, arena, A, &p, k, &list[k]));
    LIL_TRY(plant_parts(ctx, arena, &p, list, f));
    for (int i = 0; i < f->count; i++) /* lanes without a part repeat the last */
        for (int l = f->groves[i].count; l < LIL_LANES; l++) {
            f->groves[i].index[l] = f->groves[i].index[l - 1];
            f->groves[i].entry[l] = f->groves[i].entry[l - 1];
        }
    return LIL_OK;
}

/* ---- factor: row by row, L D y = the column above the diagonal ---- */

LIL_INLINE void factor_row(const lil_grove *g, const double *values, int k)
{
    const lil_tree *t = g->tree;
    lil_lanes *restrict y = g->y, *restrict L = g->L, d = { 0 };
    for (int e = t->start[k]; e < t->start[k + 1]; e++) {
        int at = t->entry[e];
        lil_lanes a = { values[g->entry[0][at]], values[g->entry[1][at]], values[g->entry[2][at]],
                        values[g->entry[3][at]] };
        if (t->row[e] == k)
            d += a;
        else
            y[t->row[e]] += a;
    }
    for (int r = t->row_start[k]; r < t->row_start[k + 1]; r++) {
        int i = t->column[r], end = t->place[r]; /* of column i, what is above row k is there already */
        lil_lanes yi = y[i], l = yi / g->D[i];
        y[i] = (lil_lanes){ 0 };
        for (int p = t->Lp[i]; p < end; p++)
            y[t->Li[p]] -= L[p] * yi;
        d -= l * yi;
        L[end] = l;
    }
    g->D[k] = d;
}

LIL_KERNEL static void factor_grove(void *data, int i)
{
    lil_forest *f = data;
    const lil_grove *g = &f->groves[i];
    const lil_tree *t = g->tree;
    bool fine = true;
    for (int k = 0; k < t->n; k++)
        g->y[k] = (lil_lanes){ 0 };
    for (int k = 0; k < t->n && fine; k++) {
        factor_row(g, f->values, k);
        for (int l = 0; l < g->count; l++) { /* a NaN is neither */
            double d = g->D[k][l];
            fine = fine && (g->index[l][t->P[k]] < f->positive ? d > 0 : d < 0);
        }
    }
    f->fine[i] = fine;
}

bool lil_forest_factor(lil_forest *f, const double *values, int positive)
{
    bool fine = true;
    f->values = values;
    f->positive = positive;
    lil_parallel(f->threads, f->count, factor_grove, f);
    for (int i = 0; i < f->count; i++)
        fine = fine && f->fine[i];
    return fine;
}

/* ---- solve ---- */

LIL_INLINE void solve_upper(const lil_grove *g)
{
    const lil_tree *t = g->tree;
    for (int k = t->n - 1; k >= 0; k--) {
        lil_lanes sum = g->y[k];
        for (int p = t->Lp[k]; p < t->Lp[k + 1]; p++)
            sum -= g->L[p] * g->y[t->Li[p]];
        g->y[k] = sum;
    }
}

LIL_KERNEL static void solve_grove(void *data, int i)
{
    const lil_forest *f = data;
    const lil_grove *g = &f->groves[i];
    const lil_tree *t = g->tree;
    const double *b = f->b;
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
    solve_upper(g);
    for (int k = 0; k < t->n; k++)
        for (int l = 0; l < g->count; l++)
            f->x[g->index[l][t->P[k]]] = y[k][l];
}

void lil_forest_solve(lil_forest *f, const double *b, double *x)
{
    f->b = b;
    f->x = x;
    lil_parallel(f->threads, f->count, solve_grove, f);
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

double lil_forest_pivot(const lil_forest *f, int i)
{
    int k = 0, lane = 0;
    const lil_grove *g = find_row(f, i, &k, &lane);
    return g->D[k][lane];
}

/* L'y = e_k, so A P'y = P'L D e_k = D_k P'L e_k */
void lil_forest_null(const lil_forest *f, int i, double *x)
{
    int at = 0, lane = 0;
    const lil_grove *g = find_row(f, i, &at, &lane);
    for (int k = 0; k < g->tree->n; k++)
        g->y[k] = lil_lanes_all(k == at);
    solve_upper(g);
    memset(x, 0, (size_t)f->pattern->n * sizeof *x);
    for (int k = 0; k < g->tree->n; k++)
        x[g->index[lane][g->tree->P[k]]] = g->y[k][lane];
}
