#include "math/morton.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct keyed {
    uint64_t key;
    int index;
} keyed;

static int compare(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* two zeros before each of the lower 21 bits */
static uint64_t spread(uint64_t b)
{
    b = (b | b << 32) & UINT64_C(0x1f00000000ffff);
    b = (b | b << 16) & UINT64_C(0x1f0000ff0000ff);
    b = (b | b << 8) & UINT64_C(0x100f00f00f00f00f);
    b = (b | b << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (b | b << 2) & UINT64_C(0x1249249249249249);
}

bool lil_morton_order(int n, const double *x, int *order)
{
    keyed *keys = malloc(((size_t)n + 1) * sizeof *keys);
    if (!keys)
        return false;
    double least[3] = { INFINITY, INFINITY, INFINITY }, side = 0;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            least[d] = fmin(least[d], x[3 * (size_t)i + d]);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            side = fmax(side, x[3 * (size_t)i + d] - least[d]);
    double scale = side > 0 && isfinite(side) ? 0x1p21 * (1 - 0x1p-40) / side : 0;
    for (int i = 0; i < n; i++) {
        uint64_t key = 0;
        for (int d = 0; d < 3; d++) {
            double along = scale * (x[3 * (size_t)i + d] - least[d]);
            key |= spread(along >= 0 ? (uint64_t)along : 0) << d; /* a NaN is at the beginning */
        }
        keys[i] = (keyed){ key, i };
    }
    qsort(keys, (size_t)n, sizeof *keys, compare);
    for (int i = 0; i < n; i++)
        order[i] = keys[i].index;
    free(keys);
    return true;
}
