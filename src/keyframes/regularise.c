#include "keyframes/regularise.h"

#include <math.h>

const char *const lil_regularisers[] = { "none", "laplacian", "rayleigh", "spline", NULL };

/* Neighbours are coordinates that W or the mass couples; for points in space, only those of the same axis. */
static void set_laplacian(const lil_problem *shot, double *values)
{
    const lil_pattern *p = &shot->ev.matrix.pattern;
    bool points = shot->def.model->points.count > 0;
    for (int j = 0; j < shot->n; j++) {
        int joined = 0, diagonal = -1;
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int i = p->row[e];
            bool one = i != j && (!points || i % 3 == j % 3);
            values[e] = one ? -1 : 0;
            joined += one;
            diagonal = i == j ? e : diagonal;
        }
        if (diagonal >= 0)
            values[diagonal] = joined;
    }
}

lil_status lil_regularise_create(lil_problem *shot, lil_regulariser kind, double strength, lil_regularise *reg)
{
    size_t count = (size_t)shot->ev.matrix.pattern.count;
    *reg = (lil_regularise){ .kind = kind, .strength = strength };
    LIL_ALLOC(shot->ctx, &shot->arena, reg->target, shot->n);
    LIL_ALLOC(shot->ctx, &shot->arena, reg->A, count);
    LIL_ALLOC(shot->ctx, &shot->arena, reg->laplacian, count);
    set_laplacian(shot, reg->laplacian);
    return LIL_OK;
}

static const double *frame(const lil_problem *shot, int k)
{
    return shot->q + (size_t)(k < 0 ? 0 : k > shot->N ? shot->N : k) * shot->n;
}

static void set_target(lil_regularise *reg, const lil_problem *shot, int k, int stride)
{
    const double *n = frame(shot, k - stride), *m = frame(shot, k + stride);
    const double *a = frame(shot, k - 3 * stride), *b = frame(shot, k + 3 * stride);
    for (int i = 0; i < shot->n; i++)
        reg->target[i] = reg->kind == LIL_SPLINE ? (9 * (n[i] + m[i]) - (a[i] + b[i])) / 16 : (n[i] + m[i]) / 2;
}

static void set_identity(const lil_problem *shot, double *values)
{
    const lil_pattern *p = &shot->ev.matrix.pattern;
    for (int j = 0; j < shot->n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            values[e] = p->row[e] == j;
}

void lil_regularise_set(lil_regularise *reg, lil_problem *shot, int k, int stride)
{
    size_t count = (size_t)shot->ev.matrix.pattern.count;
    double h = stride * shot->h, root = sqrt(reg->strength * h * h * h); /* c, and of the laplacian h^2 more */
    double scale = reg->kind == LIL_LAPLACIAN ? 2 / h : reg->kind == LIL_RAYLEIGH ? sqrt(2) / h : 1;
    if (reg->kind == LIL_REGULARISE_NOT)
        return;
    set_target(reg, shot, k, stride);
    if (reg->kind == LIL_LAPLACIAN)
        memcpy(reg->A, reg->laplacian, count * sizeof *reg->A);
    if (reg->kind == LIL_SPLINE)
        set_identity(shot, reg->A);
    if (reg->kind == LIL_RAYLEIGH) {
        memset(reg->A, 0, count * sizeof *reg->A);
        memset(shot->segment.v, 0, (size_t)shot->n * sizeof *shot->segment.v);
        lil_evaluate_second(&shot->ev, shot->t[k], reg->target, shot->segment.v,
                            &(lil_weights){ .Qq = -1, .definite = true }, reg->A);
    }
    for (size_t e = 0; e < count; e++)
        reg->A[e] *= root * scale;
}

void lil_regularise_residual(const lil_regularise *reg, const lil_problem *shot, const double *q, double *e)
{
    double *d = shot->d;
    memset(e, 0, (size_t)shot->n * sizeof *e);
    if (reg->kind == LIL_REGULARISE_NOT)
        return;
    for (int i = 0; i < shot->n; i++)
        d[i] = q[i] - reg->target[i];
    lil_sparse_multiply(&shot->ev.matrix.pattern, reg->A, d, e);
}
