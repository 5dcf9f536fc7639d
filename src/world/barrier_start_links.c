/* Contact by barrier: which links of a strand may overlap at the start, because they are short. */
#include "world/barrier_start.h"

#include <math.h>

lil_status lil_start_join_links(lil_start_check *c)
{
    int n = c->w->vertex_count, total = 0;
    for (int i = 0; i < c->w->count; i++)
        total += 2 * c->w->list[i].links.count;
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->start, n + 2);
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->joined, total);
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->steps, n);
    LIL_ALLOC(c->w->ctx, &c->w->arena, c->queue, n);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->w->count; i++)
            for (int k = 0; k < 2 * c->w->list[i].links.count; k++) {
                const int *ends = c->w->list[i].links.at[k / 2];
                int from = c->w->list[i].first + ends[k % 2], to = c->w->list[i].first + ends[1 - k % 2];
                if (pass)
                    c->joined[c->start[from + 1]++] = to;
                else
                    c->start[from + 2]++;
            }
        for (int v = 0; v < n && !pass; v++)
            c->start[v + 2] += c->start[v + 1];
    }
    for (int v = 0; v < n; v++)
        c->steps[v] = -1;
    return LIL_OK;
}

/* Whether some of b is at most `most` links away from some of a. */
static bool is_joined(lil_start_check *c, const lil_start_contact *it, int most)
{
    int count = 0, seen = 0;
    bool found = false;
    for (int i = 0; i < it->a_count; i++)
        if (c->steps[it->a[i]] < 0) {
            c->queue[count++] = it->a[i];
            c->steps[it->a[i]] = 0;
        }
    for (; seen < count && !found; seen++) {
        int v = c->queue[seen];
        for (int i = 0; i < it->b_count; i++)
            found = found || it->b[i] == v;
        for (int k = c->start[v]; k < c->start[v + 1] && c->steps[v] < most; k++)
            if (c->steps[c->joined[k]] < 0) {
                c->steps[c->joined[k]] = c->steps[v] + 1;
                c->queue[count++] = c->joined[k];
            }
    }
    for (int i = 0; i < count; i++)
        c->steps[c->queue[i]] = -1;
    return found;
}

/* Thick strands may bend about their own thickness: pi radii along it are 2 radii apart. Links next to a link
 * always may. */
bool lil_start_is_short(lil_start_check *c, const lil_start_contact *it)
{
    const double PI = 3.14159265358979323846;
    const lil_barrier_part *p = &c->b->parts[it->part[0]];
    double link = 0;
    if (!lil_barrier_is_own(c->b, it->part[0], it->part[1]) || it->a[0] >= c->b->vertex_count ||
        it->b[0] >= c->b->vertex_count || c->start[it->a[0]] == c->start[it->a[0] + 1])
        return false;
    const double *x = c->b->rest + 3 * it->a[0], *y = c->b->rest + 3 * c->joined[c->start[it->a[0]]];
    link = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    return is_joined(c, it, 1 + (int)fmin(1e6, ceil(PI * p->radius / link)));
}
