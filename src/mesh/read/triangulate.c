/* Ears are cut off one after the other, seen along the polygon's normal (Newell's, which is twice the area vector
 * also where the corners are not in one plane). Where no corner is an ear (the polygon crosses itself) the next
 * one is cut off all the same: the area vectors still add up to the polygon's. */
#include "mesh/read/triangulate.h"

#include <stdbool.h>
#include <stddef.h>

static void normal_of(const double *x, const int *corners, int count, double n[3])
{
    const double *o = x + 3 * (size_t)corners[0];
    n[0] = n[1] = n[2] = 0;
    for (int i = 1; i + 1 < count; i++) {
        const double *a = x + 3 * (size_t)corners[i], *b = x + 3 * (size_t)corners[i + 1];
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            n[d] += (a[e] - o[e]) * (b[f] - o[f]) - (a[f] - o[f]) * (b[e] - o[e]);
        }
    }
}

/* Twice the area of a, b, c seen along n, times |n|. */
static double turn(const double *a, const double *b, const double *c, const double n[3])
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        sum += n[d] * ((b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e]));
    }
    return sum;
}

/* Is corner i of those left convex, with no other corner in its triangle? */
static bool is_ear(const double *x, const int *left, int count, int i, const double n[3])
{
    const int before = left[(i + count - 1) % count], at = left[i], after = left[(i + 1) % count];
    const double *a = x + 3 * (size_t)before, *b = x + 3 * (size_t)at, *c = x + 3 * (size_t)after;
    if (!(turn(a, b, c, n) > 0))
        return false;
    for (int k = 0; k < count; k++) {
        const double *p = x + 3 * (size_t)left[k];
        if (left[k] == before || left[k] == at || left[k] == after)
            continue;
        if (turn(a, b, p, n) >= 0 && turn(b, c, p, n) >= 0 && turn(c, a, p, n) >= 0)
            return false;
    }
    return true;
}

void lil_triangulate(const double *x, const int *corners, int count, int *left, int (*triangles)[3])
{
    enum { EARS_MAX = 2000 }; /* beyond it, looking for ears takes too long: a fan */
    double n[3];
    normal_of(x, corners, count, n);
    for (int i = 0; i < count; i++)
        left[i] = corners[i];
    for (int remain = count; remain >= 3; remain--) {
        int ear = 1;
        while (count > 3 && count <= EARS_MAX && ear <= remain && !is_ear(x, left, remain, ear % remain, n))
            ear++;
        ear = ear > remain ? 1 : ear % remain;
        int *t = triangles[count - remain];
        t[0] = left[(ear + remain - 1) % remain];
        t[1] = left[ear];
        t[2] = left[(ear + 1) % remain];
        for (int k = ear; k + 1 < remain; k++)
            left[k] = left[k + 1];
    }
}
