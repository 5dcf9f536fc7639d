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

static bool grow(lil_couplings *c)
{
    int room = c->room ? 2 * c->room : ROOM;
    lil_coupling *list = LIL_NEW(c->arena, lil_coupling, room);
    if (!list)
        return false;
    if (c->count)
        memcpy(list, c->list, (size_t)c->count * sizeof *list);
    c->list = list;
    c->room = room;
    return true;
}

void lil_couplings_add(lil_couplings *c, const lil_coupling *coupling, double scale)
{
    if (c->count == c->room && !grow(c)) {
        c->lost = true;
        return;
    }
    lil_coupling *to = &c->list[c->count++];
    *to = *coupling;
    for (int i = 0; i < 3 * LIL_COUPLING; i++)
        for (int j = 0; j < 3 * LIL_COUPLING; j++)
            to->H[i][j] *= scale;
}

double lil_coupling_share(int count, const double *weight, int a)
{
    double sum = 0;
    for (int b = 0; b < count; b++)
        sum += fabs(weight[b]);
    return sum * fabs(weight[a]);
}
