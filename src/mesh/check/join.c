#include "mesh/check/mend.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash3(const double x[3])
{
    uint64_t h = 0, bits;
    for (int d = 0; d < 3; d++) {
        double positive = x[d] + 0.0; /* -0 is 0 */
        memcpy(&bits, &positive, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

int lil_join_equal(const double *x, int count, int *to)
{
    size_t room = 16;
    int places = 0;
    while (room < 2 * (size_t)count)
        room *= 2;
    int *table = malloc(room * sizeof *table);
    if (!table)
        return -1;
    for (size_t i = 0; i < room; i++)
        table[i] = -1;
    for (int v = 0; v < count; v++) {
        const double *a = x + 3 * (size_t)v;
        size_t at = hash3(a) & (room - 1);
        for (; table[at] >= 0; at = (at + 1) & (room - 1)) {
            const double *b = x + 3 * (size_t)table[at];
            if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2])
                break;
        }
        if (table[at] < 0) {
            table[at] = v;
            places++;
        }
        to[v] = table[at];
    }
    free(table);
    return places;
}
