#include "math/morton.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { BITS = 21 }; /* of each axis: three times that fit into 64 */

typedef struct place {
    uint64_t code;
    int index;
} place;

/* moves bit k to bit 3k */
static uint64_t morton_spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

static int morton_compare(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->code != y->code ? (x->code > y->code) - (x->code < y->code)
                              : (x->index > y->index) - (x->index < y->index);
}

bool lil_morton_order(int count, const double *x, int *order)
{
    place *places = malloc((size_t)(count > 0 ? count : 1) * sizeof *places);
    double low[3], extent = 0;
    if (!places)
        return false;
    for (int d = 0; d < 3; d++) { /* one scale for all axes: cells are cubes */
        double high = low[d] = count > 0 ? x[d] : 0;
        for (int i = 0; i < count; i++) {
            low[d] = fmin(low[d], x[3 * (size_t)i + (size_t)d]);
            high = fmax(high, x[3 * (size_t)i + (size_t)d]);
        }
        extent = fmax(extent, high - low[d]);
    }
    double most = (1 << BITS) - 1, scale = extent > 0 ? most / extent : 0;
    for (int i = 0; i < count; i++) {
        places[i] = (place){ .index = i };
        for (int d = 0; d < 3; d++) /* fmin and fmax also catch values that are not finite */
            places[i].code |=
                morton_spread((uint64_t)fmax(0, fmin(most, (x[3 * (size_t)i + (size_t)d] - low[d]) * scale))) << d;
    }
    qsort(places, (size_t)count, sizeof *places, morton_compare);
    for (int i = 0; i < count; i++)
        order[i] = places[i].index;
    free(places);
    return true;
}
