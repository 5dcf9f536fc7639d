#include "math/sparse.h"

#include <stdlib.h>
#include <string.h>

/* One stable counting sort of `order` by key. */
static void sort_by(const int *key, int n, int count, const int *in, int *out, int *buckets)
{
    memset(buckets, 0, ((size_t)n + 1) * sizeof *buckets);
    for (int k = 0; k < count; k++)
        buckets[key[k] + 1]++;
    for (int j = 0; j < n; j++)
        buckets[j + 1] += buckets[j];
    for (int k = 0; k < count; k++) {
        int e = in ? in[k] : k;
        out[buckets[key[e]]++] = e;
    }
}

lil_status lil_pattern_create(lil_context *ctx, lil_arena *arena, int n, const int *row, const int *col, int count,
                              lil_pattern *pattern, int *where)
{
    *pattern = (lil_pattern){ .n = n };
    pattern->start = LIL_NEW(arena, int, n + 1);
    pattern->row = LIL_NEW(arena, int, count);
    int *buckets = malloc(((size_t)n + 1) * sizeof *buckets);
    int *by_row = malloc(((size_t)count + 1) * sizeof *by_row), *order = malloc(((size_t)count + 1) * sizeof *order);
    lil_status status = LIL_OK;
    if (!pattern->start || !pattern->row || !buckets || !by_row || !order) {
        status = lil_fail_memory(ctx);
    } else {
        sort_by(row, n, count, NULL, by_row, buckets);
        sort_by(col, n, count, by_row, order, buckets);
        for (int k = 0, last_row = -1, last_col = -1; k < count; k++) {
            int e = order[k];
            if (row[e] != last_row || col[e] != last_col) {
                pattern->row[pattern->count++] = last_row = row[e];
                last_col = col[e];
                pattern->start[last_col + 1]++;
            }
            where[e] = pattern->count - 1;
        }
        for (int j = 0; j < n; j++)
            pattern->start[j + 1] += pattern->start[j];
    }
    free(buckets);
    free(by_row);
    free(order);
    return status;
}

void lil_sparse_multiply(const lil_pattern *a, const double *values, const double *x, double *y)
{
    memset(y, 0, (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            y[a->row[k]] += values[k] * x[j];
}
