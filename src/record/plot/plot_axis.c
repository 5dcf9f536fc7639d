/* Axes: ranges that are never empty, ticks at 1, 2 or 5 times a power of ten. */
#include "record/plot/plot.h"

#include <float.h>
#include <math.h>

enum { TICKS = 7 }; /* at most */

/* the least of 1, 2, 5, 10 ... x 10^k that is not below x */
static double nice_above(double x, int *exponent)
{
    static const double steps[] = { 1, 2, 5, 10 };
    int k = (int)floor(log10(x));
    double power = pow(10, k);
    for (int i = 0; i < 4; i++)
        if (steps[i] * power >= x * (1 - 1e-9)) {
            *exponent = i == 3 ? k + 1 : k;
            return steps[i] * power;
        }
    *exponent = k + 1;
    return 10 * power;
}

/* ---- even axes ---- */

/* Units in which no difference overflows and no digit is lost. */
static void choose_exponent(lil_axis *axis, double least, double most)
{
    double size = fmax(fabs(least), fabs(most));
    double e = size > 0 ? floor(log10(size)) : 0;
    axis->exponent = e > 4 || e < -4 ? (int)fmax(-300, fmin(300, e)) : 0;
}

static void choose_range(lil_axis *axis, double least, double most, double pad)
{
    double unit = pow(10, axis->exponent);
    double a = least / unit, b = most / unit, size = fmax(fabs(a), fabs(b));
    double span = b - a, room = 200 * DBL_EPSILON * size; /* what is narrower is its own round-off */
    if (!(span > 0))
        room = size > 0 ? size / 5 : 2;
    if (span < room) {
        axis->least = (a + b) / 2 - room / 2;
        axis->most = (a + b) / 2 + room / 2;
        return;
    }
    axis->least = a - pad * span;
    axis->most = b + pad * span;
}

static void even_ticks(lil_axis *axis)
{
    int place;
    double span = axis->most - axis->least, step = nice_above(span / (TICKS - 1), &place);
    double from = ceil(axis->least / step - 1e-6), to = floor(axis->most / step + 1e-6);
    axis->tick_count = 0;
    for (double k = from; k <= to && axis->tick_count < LIL_TICKS_MAX; k++)
        axis->ticks[axis->tick_count++] = k * step;
    axis->minor_count = 0;
    axis->offset = 0;
    axis->factor = axis->exponent;
    axis->digits = place < 0 ? -place : 0;
    if (axis->digits <= 4)
        return;
    /* labels would be long: count from a round number, in units of the step's size */
    double round = pow(10, place + 1), middle = (axis->least + axis->most) / 2;
    if (span < 1e-3 * fmax(fabs(axis->least), fabs(axis->most)))
        axis->offset = floor(middle / round + 0.5) * round;
    axis->factor = axis->exponent + place;
    axis->digits = 0;
}

/* ---- logarithmic axes ---- */

static void log_ticks(lil_axis *axis)
{
    static const int strides[] = { 1, 2, 5, 10, 20, 50, 100 };
    int from = (int)ceil(axis->least), to = (int)floor(axis->most), stride = 100;
    for (int i = 6; i >= 0; i--)
        if ((to - from) / strides[i] + 1 <= TICKS)
            stride = strides[i];
    axis->tick_count = axis->minor_count = 0;
    for (int k = from; k <= to; k++) {
        if (((k % stride) + stride) % stride == 0 && axis->tick_count < LIL_TICKS_MAX)
            axis->ticks[axis->tick_count++] = k;
        else if (stride <= 20 && axis->minor_count < LIL_MINOR_MAX)
            axis->minor[axis->minor_count++] = k;
    }
    for (int k = from - 1; stride == 1 && k <= to; k++)
        for (int d = 2; d <= 9; d++) {
            double u = k + log10(d);
            if (u >= axis->least && u <= axis->most && axis->minor_count < LIL_MINOR_MAX)
                axis->minor[axis->minor_count++] = u;
        }
}

static void fit_log(lil_axis *axis, double least, double most)
{
    axis->least = floor(log10(least));
    axis->most = ceil(log10(most));
    if (axis->most - axis->least < 2) {
        axis->least--;
        axis->most = axis->least + 3;
    }
    axis->exponent = axis->factor = axis->digits = 0;
    axis->offset = 0;
    log_ticks(axis);
}

/* ---- both ---- */

void lil_axis_fit(lil_axis *axis, double least, double most, double pad)
{
    if (axis->log) {
        fit_log(axis, least, most);
        return;
    }
    choose_exponent(axis, least, most);
    choose_range(axis, least, most, pad);
    even_ticks(axis);
}

double lil_axis_tick_place(const lil_axis *axis, double u)
{
    return (u - axis->least) / (axis->most - axis->least);
}

double lil_axis_place(const lil_axis *axis, double x)
{
    if (!axis->log)
        return lil_axis_tick_place(axis, x / pow(10, axis->exponent));
    double u = x > 0 ? log10(x) : axis->least;
    return lil_axis_tick_place(axis, fmax(axis->least, u));
}
