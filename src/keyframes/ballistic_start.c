#include "keyframes/ballistic_start.h"

#include <math.h>

static const double TOLERANCE = 1e-10; /* of a step, relative to the momentum: enough for an initial guess */
static const double ENOUGH = 1e-6;     /* the same, if round-off of stiff bodies prevents it */
enum { ITERATIONS_MAX = 30 };

typedef struct flight {
    lil_problem *shot;
    lil_gramian *sweeps;
    bool *alone;            /* each coordinate: its body has no keys */
    double *p, *r, *mu, *s; /* the momentum between two steps, its residual, and those of a segment */
} flight;

static bool is_led(const lil_problem *shot, int part, const lil_rigid_bodies *bodies)
{
    for (int v = bodies->start[part]; v < bodies->start[part + 1]; v++)
        for (size_t i = 3 * (size_t)bodies->vertex[v], c = i; c < i + 3; c++) {
            if (!shot->held[c])
                return true;
            for (size_t k = 1; k <= (size_t)shot->N; k++)
                if (shot->held[k * (size_t)shot->n + c] || (shot->pull && shot->pull[k * (size_t)shot->n + c] > 0))
                    return true;
        }
    return false;
}

static bool find_alone(flight *f)
{
    const lil_rigid_bodies *bodies = f->sweeps->bodies;
    bool any = false;
    for (int part = 0; part < bodies->parts; part++) {
        bool alone = f->shot->left[0] >= 0 && !is_led(f->shot, part, bodies);
        any = any || alone;
        for (int v = bodies->start[part]; v < bodies->start[part + 1]; v++)
            for (int c = 0; c < 3; c++)
                f->alone[3 * bodies->vertex[v] + c] = alone;
    }
    return any;
}

/* r = p - p+ of segment k; returns |r|/|p| */
static double missed(flight *f, int k, const double *a, const double *b)
{
    lil_problem *shot = f->shot;
    double most = 0, size = 0;
    lil_segment_momenta(&shot->segment, (lil_segment_span){ shot->t[k], shot->dt[k], a, b }, f->mu, f->s);
    for (int i = 0; i < shot->n; i++) {
        double p = f->mu[i] + f->s[i] / 2;
        f->r[i] = f->alone[i] ? f->p[i] - p : 0;
        size = fmax(size, f->alone[i] ? fabs(f->p[i]) + fabs(f->mu[i]) : 0);
        most = fmax(most, isfinite(f->r[i]) ? fabs(f->r[i]) : INFINITY);
    }
    return most / (size + 1e-300);
}

/* solves p+(a, b) = p for b by Newton's method, from the b given */
static bool step(flight *f, int k, const double *a, double *b)
{
    double before = INFINITY;
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        double off = missed(f, k, a, b);
        if (off <= TOLERANCE || (off <= ENOUGH && off >= before))
            return true;
        if (isinf(off) || !lil_gramian_step(f->sweeps, k, a, b, f->r))
            return false;
        for (int c = 0; c < f->shot->n; c++)
            b[c] += f->alone[c] ? f->r[c] : 0;
        before = off;
    }
    return false;
}

/* The frame after frame k, from a guess at constant velocity, or if that inverts tets, from the frame itself. */
static bool next(flight *f, int k, const double *a, double *b)
{
    for (int stay = 0; stay < 2; stay++) {
        for (int i = 0; i < f->shot->n; i++)
            if (f->alone[i])
                b[i] = a[i] + (stay ? 0 : f->p[i] / f->sweeps->m[i] * f->shot->dt[k]);
        if (step(f, k, a, b))
            return true;
    }
    return false;
}

/* In shot->q_next; bodies with keys are there as in shot->q. */
static bool fly(flight *f)
{
    lil_problem *shot = f->shot;
    size_t n = (size_t)shot->n;
    memcpy(shot->q_next, shot->q, ((size_t)shot->N + 1) * n * sizeof *shot->q);
    for (size_t i = 0; i < n; i++)
        f->p[i] = -shot->fixed[(size_t)shot->left[0] * n + i];
    for (int k = 0; k < shot->N; k++) {
        double *a = shot->q_next + (size_t)k * n;
        if (!next(f, k, a, a + n))
            return false;
        for (size_t i = 0; i < n; i++)
            f->p[i] = f->mu[i] - f->s[i] / 2;
    }
    return true;
}

lil_status lil_ballistic_start(lil_problem *shot, lil_gramian *sweeps)
{
    flight f = { .shot = shot, .sweeps = sweeps, .alone = LIL_NEW(&shot->arena, bool, shot->n) };
    double **vectors[] = { &f.p, &f.r, &f.mu, &f.s };
    for (int i = 0; i < 4; i++)
        LIL_HAVE(shot->ctx, *vectors[i] = LIL_NEW(&shot->arena, double, shot->n));
    LIL_HAVE(shot->ctx, f.alone);
    if (find_alone(&f) && fly(&f))
        memcpy(shot->q, shot->q_next, ((size_t)shot->N + 1) * (size_t)shot->n * sizeof *shot->q);
    return LIL_OK;
}
