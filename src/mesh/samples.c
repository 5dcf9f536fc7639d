#include "mesh/samples.h"

#include "math/spline.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

static const double NEAREST = 1e-9; /* s, of two frames */

lil_status lil_samples_create(lil_context *ctx, lil_arena *arena, const char *name, int points, int count,
                              lil_samples *s)
{
    size_t rows = (size_t)count + 1;
    *s = (lil_samples){ .name = lil_arena_copy(arena, name, strlen(name)),
                        .points = points,
                        .count = count,
                        .t = LIL_NEW(arena, double, rows),
                        .x = lil_arena_alloc(arena, rows * 3, (size_t)points * sizeof *s->x) };
    LIL_HAVE(ctx, s->name && s->t && s->x);
    return LIL_OK;
}

lil_status lil_samples_check_times(lil_context *ctx, const lil_samples *s)
{
    for (int i = 0; i < s->count; i++) {
        if (!isfinite(s->t[i]) || !(fabs(s->t[i]) <= 1e15))
            return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: the time of frame %d is %g s", s->name, i, s->t[i]);
        if (i > 0 && !(s->t[i] - s->t[i - 1] >= NEAREST))
            return lil_fail(ctx, LIL_ERR_INPUT,
                            "%.200s: the times must ascend, but frame %d is at %.9g s and frame %d at %.9g s",
                            s->name, i - 1, s->t[i - 1], i, s->t[i]);
    }
    return LIL_OK;
}

static bool returns(const lil_samples *s)
{
    const double *last = s->x + 3 * (size_t)s->points * (size_t)(s->count - 1);
    double least[3], most[3], size = lil_box_around(s->x, s->points, least, most), off = 0;
    for (int k = 0; k < 3 * s->points; k++)
        off = fmax(off, fabs(last[k] - s->x[k]));
    return off <= 1e-5 * size;
}

void lil_samples_close(lil_samples *s)
{
    size_t row = 3 * (size_t)s->points;
    s->loop = s->count > 1;
    if (!s->loop)
        return;
    if (!returns(s)) {
        s->t[s->count] = s->t[s->count - 1] + (s->t[s->count - 1] - s->t[0]) / (s->count - 1);
        s->count++;
    }
    memcpy(s->x + row * (size_t)(s->count - 1), s->x, row * sizeof *s->x);
}

lil_status lil_samples_join(lil_context *ctx, lil_arena *arena, lil_samples *s)
{
    double *work = LIL_NEW(arena, double, 2 * (size_t)s->count);
    s->v = lil_arena_alloc(arena, (size_t)s->count * 3, (size_t)s->points * sizeof *s->v);
    LIL_HAVE(ctx, work && s->v);
    if (s->count > 1)
        lil_spline_slopes(s->count, s->t, 3 * s->points, s->loop, s->x, s->v, work);
    return LIL_OK;
}

lil_samples_place lil_samples_find(const lil_samples *s, double t)
{
    int low = 0, high = s->count - 1;
    double first = s->t[0], last = s->t[high];
    if (s->loop) {
        double period = last - first;
        t -= period * floor((t - first) / period);
    }
    if (!(t > first))
        return (lil_samples_place){ 0 };
    if (!(t < last))
        return (lil_samples_place){ .at = high };
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(s->t[middle] <= t ? &low : &high) = middle;
    }
    double h = s->t[low + 1] - s->t[low];
    return (lil_samples_place){ low, h, (t - s->t[low]) / h };
}

void lil_samples_at(const lil_samples *s, const lil_samples_place *p, int point, double x[3], double v[3])
{
    size_t row = 3 * (size_t)s->points, at = row * (size_t)p->at + 3 * (size_t)point;
    for (int d = 0; d < 3; d++, at++) {
        if (p->h == 0) {
            x[d] = s->x[at];
            v[d] = s->v[at]; /* 0, but in a loop */
            continue;
        }
        double a = p->h * s->v[at], b = p->h * s->v[at + row];
        x[d] = lil_hermite(p->s, s->x[at], a, s->x[at + row], b);
        v[d] = lil_hermite_slope(p->s, s->x[at], a, s->x[at + row], b) / p->h;
    }
}
