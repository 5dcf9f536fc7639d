/* Many small quasi-definite systems in one matrix: against dense elimination, and the same bits on any number of threads. */
#include "core/arena.h"
#include "solids.h"
#include "solvers/forest.h"

static lil_context *ctx;

/*
 * Parts of two kinds, [[H, F'], [G, -e]] each: H of n rows in a band, m constraints of neighbours. The rows of all H come first,
 * those of different parts in turn, so that a part is nowhere in one piece.
 */
enum { KINDS = 2, PART_MOST = 40, PARTS_MOST = 64 };
static const int rows_of[KINDS] = { 22, 9 }, bound_of[KINDS] = { 10, 4 };

typedef struct wood {
    lil_arena arena;
    int parts, n, positive, count;
    int kind[PARTS_MOST], size[PARTS_MOST], index[PARTS_MOST][PART_MOST];
    double dense[PARTS_MOST][PART_MOST * PART_MOST];
    lil_pattern pattern;
    double *values, *b, *x;
} wood;

static void number_rows(wood *w)
{
    for (int k = 0; k < w->parts; k++) {
        w->kind[k] = k % 5 == 3;
        w->size[k] = rows_of[w->kind[k]] + bound_of[w->kind[k]];
    }
    for (int bound = 0; bound < 2; bound++) {
        for (int i = 0; i < PART_MOST; i++)
            for (int k = 0; k < w->parts; k++)
                if (i < w->size[k] && (i >= rows_of[w->kind[k]]) == bound)
                    w->index[k][i] = w->n++;
        if (!bound)
            w->positive = w->n;
    }
}

static bool is_entry(int kind, int i, int j)
{
    int n = rows_of[kind];
    if (i < n && j < n)
        return abs(i - j) <= 3;
    if (i >= n && j >= n)
        return i == j;
    int row = i >= n ? i - n : j - n, column = i >= n ? j : i;
    return column >= 2 * row && column < 2 * row + 4;
}

/* H = C + C' + what makes it definite; F is G, or nearly */
static void random_part(double *A, int kind, bool symmetric)
{
    int n = rows_of[kind], size = n + bound_of[kind];
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++) {
            double a = !is_entry(kind, i, j) ? 0 : i != j ? uniform(-1, 1) : i < n ? uniform(7, 9) : -1e-8;
            A[i * size + j] = A[j * size + i] = a;
            if (!symmetric && i >= n && j < n)
                A[i * size + j] = a * uniform(0.9, 1.1);
        }
}

static lil_status plant(wood *w, int parts, bool symmetric)
{
    *w = (wood){ .parts = parts };
    number_rows(w);
    int most = parts * PART_MOST * PART_MOST, *row = malloc((size_t)most * sizeof(int)),
        *col = malloc((size_t)most * sizeof(int)), *where = malloc((size_t)most * sizeof(int));
    double *value = malloc((size_t)most * sizeof *value);
    for (int k = 0; k < parts; k++) {
        random_part(w->dense[k], w->kind[k], symmetric);
        for (int i = 0; i < w->size[k] * w->size[k]; i++)
            if (is_entry(w->kind[k], i / w->size[k], i % w->size[k])) {
                row[w->count] = w->index[k][i / w->size[k]];
                col[w->count] = w->index[k][i % w->size[k]];
                value[w->count++] = w->dense[k][i];
            }
    }
    lil_status status = lil_pattern_create(ctx, &w->arena, w->n, row, col, w->count, &w->pattern, where);
    w->values = LIL_NEW(&w->arena, double, w->count);
    w->b = LIL_NEW(&w->arena, double, w->n);
    w->x = LIL_NEW(&w->arena, double, w->n);
    for (int k = 0; k < w->count; k++)
        w->values[where[k]] = value[k];
    for (int i = 0; i < w->n; i++)
        w->b[i] = uniform(-1, 1);
    free(row);
    free(col);
    free(where);
    free(value);
    return status;
}

/* the values as a forest wants them */
static double *placed(wood *w, const lil_forest *f)
{
    double *values = LIL_NEW(&w->arena, double, f->size);
    for (int k = 0; k < w->pattern.count; k++)
        values[f->place[k]] = w->values[k];
    return values;
}

/* by Gauss' elimination with pivots */
static void solve_dense(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
        for (int j = 0; j < n; j++) {
            double a = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = a;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* conditions are below 1e4 and no pivot is small: constraints come after what they bind */
TEST(parts_are_solved_as_if_alone)
{
    static wood w;
    for (int round = 0; round < 12; round++) {
        bool symmetric = round % 2 == 0;
        lil_forest f;
        MUST(plant(&w, round < 4 ? 1 + round : 11 + round, symmetric));
        MUST(lil_forest_create(ctx, &w.arena, NULL, &w.pattern, w.positive, &f));
        CHECK(lil_forest_factor(&f, placed(&w, &f), symmetric));
        lil_forest_solve(&f, w.b, w.x);
        for (int k = 0; k < w.parts; k++) {
            double b[PART_MOST], x[PART_MOST];
            for (int i = 0; i < w.size[k]; i++) {
                b[i] = w.b[w.index[k][i]];
                x[i] = w.x[w.index[k][i]];
            }
            solve_dense(w.size[k], w.dense[k], b);
            CHECK_BELOW(apart(w.size[k], b, x), 1e-11);
        }
        lil_arena_free(&w.arena);
    }
}

/* parts of one pattern go four to a grove; the groves of a kind that is not full repeat a part, which must not show */
TEST(parts_that_are_alike_share_their_work)
{
    static wood w;
    lil_forest f;
    MUST(plant(&w, 23, true)); /* 19 of one kind, 4 of the other */
    MUST(lil_forest_create(ctx, &w.arena, NULL, &w.pattern, w.positive, &f));
    CHECK(f.count == 5 + 1);
    lil_arena_free(&w.arena);
}

TEST(the_same_bits_on_any_number_of_threads)
{
    static wood w;
    static const int counts[] = { 1, 2, 4 };
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        MUST(plant(&w, 61, symmetric));
        double *first = LIL_NEW(&w.arena, double, w.n);
        for (int k = 0; k < 3; k++) {
            lil_threads *threads = lil_threads_create(counts[k]);
            lil_forest f;
            MUST(lil_forest_create(ctx, &w.arena, threads, &w.pattern, w.positive, &f));
            CHECK(lil_forest_factor(&f, placed(&w, &f), symmetric));
            lil_forest_solve(&f, w.b, w.x);
            if (k == 0)
                memcpy(first, w.x, (size_t)w.n * sizeof *first);
            CHECK(memcmp(first, w.x, (size_t)w.n * sizeof *first) == 0);
            lil_threads_destroy(&threads);
        }
        lil_arena_free(&w.arena);
    }
}

/* one H of many that is not definite, or not a number, is noticed */
TEST(pivots_of_a_wrong_sign_are_noticed)
{
    static wood w;
    lil_forest f;
    MUST(plant(&w, 9, true));
    MUST(lil_forest_create(ctx, &w.arena, NULL, &w.pattern, w.positive, &f));
    double *values = placed(&w, &f);
    CHECK(lil_forest_factor(&f, values, true));
    int j = w.index[6][5], at = w.pattern.start[j];
    while (w.pattern.row[at] != j)
        at++;
    at = f.place[at];
    double right = values[at];
    values[at] = -right;
    CHECK(!lil_forest_factor(&f, values, true));
    values[at] = NAN;
    CHECK(!lil_forest_factor(&f, values, false));
    values[at] = right;
    CHECK(lil_forest_factor(&f, values, false));
    lil_arena_free(&w.arena);
}

int main(void)
{
    srand(11);
    ctx = lil_context_create();
    RUN(parts_are_solved_as_if_alone);
    RUN(parts_that_are_alike_share_their_work);
    RUN(the_same_bits_on_any_number_of_threads);
    RUN(pivots_of_a_wrong_sign_are_noticed);
    lil_context_destroy(&ctx);
    return test_end();
}
