/*
 * All frames at once: the thesis' future work. C is a sum of squares of impulses, each of three frames (their
 * differences: of four). So Newton's matrix is banded, and the work of an iteration is proportional to the number of
 * frames. All terms halved:
 *
 *     (J'J + B + lambda D) dq = -J'y,    J = df/dq in the weights of C,  B = sum y.d2f/dq2,  y = (dC/df)/2
 *
 * D is J'J of the spline, W = 0 (Levenberg-Marquardt damping in that metric keeps steps smooth in time). If the
 * matrix with B is not definite, B is omitted (Gauss-Newton). The condition of the matrix grows as the fourth power
 * of the number of frames. C does not show the digits that its factorisation loses, but the gradient does, because it
 * is not formed from J'J. So when the change of C is round-off, further steps with the same matrix refine the frames
 * until steps stop shrinking.
 */
#include "core/field.h"
#include "keyframes/problem.h"

#include <float.h>
#include <math.h>

typedef struct config {
    int iterations;
} config;

static const lil_field fields[] = {
    LIL_FIELD_INTEGER(config, iterations, 200, 2, 100000, "", "largest number of iterations"),
};

typedef struct newton {
    lil_problem *shot;
    int total;    /* coordinates of all frames */
    lil_banded D; /* the metric */
    lil_banded
        U; /* half of J'J + B + damping D, overwritten by its factor: long shots are limited by memory bandwidth */
    double *g, *d, *Dd;
    bool with_B; /* false: B made the matrix of this iteration indefinite */
    double damping, growth;
    double last; /* the latest step */
} newton;

static lil_status create(lil_problem *shot, newton *s)
{
    *s = (newton){ .shot = shot, .total = (shot->N + 1) * shot->n, .damping = 1e-2, .growth = 2, .last = INFINITY };
    double **vectors[] = { &s->g, &s->d, &s->Dd };
    LIL_TRY(lil_problem_banded(shot, &s->D));
    LIL_TRY(lil_problem_banded(shot, &s->U));
    for (int i = 0; i < 3; i++)
        LIL_HAVE(shot->ctx, *vectors[i] = LIL_NEW(&shot->arena, double, s->total));
    return LIL_OK;
}

/* U'U = J'J + B + damping D; false: not definite */
static bool factor(newton *s)
{
    size_t count = (size_t)s->U.n * s->U.stride;
    lil_ghost_matrix(s->shot, &s->shot->now, s->with_B, &s->U);
    for (size_t i = 0; s->damping > 0 && i < count; i++)
        s->U.a[i] += s->damping * s->D.a[i];
    lil_phase_begin(s->shot->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    bool definite = lil_banded_factor(&s->U);
    lil_phase_end(s->shot->ctx->phases);
    return definite;
}

/* d = -(U'U)^-1 g, and the state after it */
static void step(newton *s)
{
    lil_problem *shot = s->shot;
    for (int i = 0; i < s->total; i++)
        s->d[i] = -s->g[i];
    lil_phase_begin(shot->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    lil_banded_solve(&s->U, s->d);
    lil_phase_end(shot->ctx->phases);
    for (int i = 0; i < s->total; i++)
        shot->q_next[i] = shot->q[i] + s->d[i];
    lil_ghost_evaluate(shot, shot->q_next, &shot->next);
}

/* The round-off in C: f is a difference of momenta, and q itself is rounded. */
static double noise(const lil_problem *shot)
{
    int n = shot->n;
    double sum = 0;
    for (int r = 0; r < shot->rows; r++) {
        double size = lil_norm(n, shot->fixed + (size_t)r * n);
        for (int side = 0; side < 2; side++) {
            int k = side ? shot->plus[r] : shot->minus[r];
            if (k >= 0)
                size += lil_norm(n, shot->now.mu + (size_t)k * n) + lil_norm(n, shot->now.s + (size_t)k * n) +
                        shot->segment.scale / shot->dt[k];
        }
        sum += size * size / shot->w[r];
    }
    return 16 * DBL_EPSILON * DBL_EPSILON * sum;
}

static void accept(newton *s)
{
    lil_problem_accept(s->shot);
    s->last = lil_largest(s->total, s->d);
    s->shot->residual = s->last / s->shot->segment.scale;
}

static const double LEAST_DAMPING = 1e-5; /* smaller damping becomes 0 */

typedef enum outcome { BETTER, NOT_BETTER, FLAT } outcome;

/* Tries one step. FLAT: its change of C is round-off. */
static outcome attempt(newton *s)
{
    lil_problem *shot = s->shot;
    bool definite = factor(s);
    if (!definite && s->with_B) {
        s->with_B = false;
        definite = factor(s);
    }
    if (!definite)
        return NOT_BETTER;
    step(s);
    /* predicted decrease of C: -2 g'd - d'(J'J + B) d, and (J'J + B + damping D) d = -g */
    double C = shot->now.C, promised = -lil_dot(s->total, s->g, s->d);
    if (s->damping > 0) {
        lil_banded_multiply(&s->D, s->d, s->Dd);
        promised += s->damping * lil_dot(s->total, s->d, s->Dd);
    }
    double kept = C - shot->next.C, hidden = 1e-13 * fabs(C) + noise(shot);
    if (!isfinite(shot->next.C))
        return NOT_BETTER;
    if (fabs(kept) <= hidden && fabs(promised) <= hidden)
        return FLAT;
    if (!(promised > 0) || !(kept > 1e-3 * promised))
        return NOT_BETTER;
    double ratio = kept / promised;
    s->damping *= ratio > 0.9 ? 0.01 : ratio > 0.75 ? 0.1 : ratio > 0.25 ? 1 : 2;
    if (s->damping < LEAST_DAMPING)
        s->damping = 0;
    return BETTER;
}

/* After a FLAT step: further steps with the factored matrix, while they halve, or until they are round-off of q. */
static void refine(newton *s)
{
    lil_problem *shot = s->shot;
    for (double length = lil_largest(s->total, s->d); length < s->last / 2; length = lil_largest(s->total, s->d)) {
        accept(s);
        if (!lil_problem_watch(shot, 0, shot->now.C) || length <= 4 * DBL_EPSILON * shot->segment.scale)
            break;
        lil_ghost_derivatives(shot);
        lil_ghost_gradient(shot, &shot->now, s->g);
        step(s);
    }
    shot->converged = shot->residual < 1e-6;
}

static lil_status solve(lil_problem *shot, const void *data)
{
    const config *c = data;
    newton s;
    if (shot->bodies)
        return lil_problem_solve_bodies(shot, c->iterations);
    LIL_TRY(create(shot, &s));
    memcpy(s.g, shot->q, (size_t)s.total * sizeof *s.g);
    LIL_TRY(lil_problem_spline(shot, &s.D, &s.U));
    if (shot->warm) {
        memcpy(shot->q, s.g, (size_t)s.total * sizeof *s.g);
        lil_ghost_evaluate(shot, shot->q, &shot->now);
    }
    int first = shot->iterations;
    bool going = lil_problem_watch(shot, 0, shot->now.C);
    while (going && shot->iterations - first < c->iterations) {
        lil_ghost_derivatives(shot);
        lil_ghost_gradient(shot, &shot->now, s.g);
        s.with_B = true;
        outcome result = attempt(&s);
        for (int tries = 0; result == NOT_BETTER && tries < 40; tries++) {
            s.damping = fmax(s.damping * s.growth, LEAST_DAMPING);
            s.growth *= 2;
            result = attempt(&s);
        }
        s.growth = 2;
        if (result == FLAT)
            refine(&s);
        if (result != BETTER)
            break;
        accept(&s);
        going = lil_problem_watch(shot, 0, shot->now.C);
    }
    return LIL_OK;
}

const lil_shot_method lil_shot_global = {
    .name = "global",
    .summary = "All frames at once: Newton's method from the spline through the keys.",
    .citation = "Yang 2007, chapter 8 (future work)",
    .effort = "iterations",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .solve = solve,
};
