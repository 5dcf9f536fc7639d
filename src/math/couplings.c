#include "math/couplings.h"

#include <math.h>
#include <string.h>

enum { ROOM = 64 };

void lil_coupling_add(lil_coupling *c, const double *weight, const double B[9])
{
    for (int i = 0; i < 3 * c->count; i++)
        for (int j = 0; j < 3 * c->count; j++)
            c->H[i][j] += weight[i / 3] * weight[j / 3] * B[3 * (i % 3) + j % 3];
}

lil_coupling *lil_couplings_extend(lil_couplings *c, int count)
{
    if (c->count + count > c->room) {
        int room = 2 * (c->count + count) > ROOM ? 2 * (c->count + count) : ROOM;
        lil_coupling *list = LIL_NEW(c->arena, lil_coupling, room);
        if (!list) {
            c->lost = true;
            return NULL;
        }
        if (c->count)
            memcpy(list, c->list, (size_t)c->count * sizeof *list);
        c->list = list;
        c->room = room;
    }
    c->count += count;
    return c->list + c->count - count;
}

void lil_couplings_add(lil_couplings *c, const lil_coupling *coupling, double scale)
{
    lil_coupling *to = lil_couplings_extend(c, 1);
    if (!to)
        return;
    *to = *coupling;
    for (int i = 0; i < 3 * LIL_COUPLING; i++)
        for (int j = 0; j < 3 * LIL_COUPLING; j++)
            to->H[i][j] *= scale;
}

static double couplings_size_of(const lil_coupling *c, int a)
{
    return sqrt(c->H[3 * a][3 * a] + c->H[3 * a + 1][3 * a + 1] + c->H[3 * a + 2][3 * a + 2]);
}

double lil_coupling_bound(const lil_coupling *c, int a)
{
    double sum = 0, own = couplings_size_of(c, a);
    for (int b = 0; b < c->count; b++)
        sum += couplings_size_of(c, b);
    return own > 0 ? sum / own : 0;
}

void lil_couplings_add_rest(const lil_couplings *couplings, const double *x, double *y)
{
    for (int k = 0; k < couplings->count; k++) {
        const lil_coupling *c = &couplings->list[k];
        for (int a = 0; a < c->count; a++) {
            double bound = lil_coupling_bound(c, a);
            for (int b = 0; b < c->count && c->at[a] >= 0; b++)
                for (int e = 0; e < 9 && c->at[b] >= 0; e++)
                    y[3 * c->at[a] + e / 3] +=
                        (a == b ? 1 - bound : 1) * c->H[3 * a + e / 3][3 * b + e % 3] * x[3 * c->at[b] + e % 3];
        }
    }
}
