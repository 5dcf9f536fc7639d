/*
 * The thesis' scheme. The interval between frames is halved level by level. Each frame in turn is moved to the
 * position with the least ghost force while its neighbours n and m are frozen (4.8, with w = h/2, h, h/2 of the
 * level's own h):
 *
 *     J(q_k) = 2/h |p+(q_n, q_k) - p_n|^2 + 1/h |p+(q_k, q_m) - p-(q_n, q_k)|^2 + 2/h |p_m - p-(q_k, q_m)|^2
 *            + lambda_s/h (|f_k/2 - f_n|^2 + |f_m - f_k/2|^2),      lambda_s = (tau/h)^2
 *
 * p_n and p_m are frozen: the mean of p- and p+ there, or the momentum of a given velocity. An end without a velocity
 * omits its term. On a new level every second frame is new, and p comes from the level before. Then half-sweeps move
 * the old frames and the new ones in turn, by `relaxation` times the step to the minimum of (4.8), with p from
 * immediate neighbours. With tau = 0 the converged frames are those of the global problem. With tau > 0 they are not,
 * because (4.8) is not the gradient of one cost.
 *
 * A regulariser, which vanishes with h, may be added to it (keyframes/regularise.h).
 */
#include "core/field.h"
#include "keyframes/regularise.h"

#include <math.h>

typedef struct config {
    lil_list sweeps;
    double relaxation, strength, tolerance;
    int regularise;
} config;

static const lil_field fields[] = {
    LIL_FIELD_LIST(
        config, sweeps, 0, 1e6, "",
        "half-sweeps on each level, coarsest first; the last number applies to all further levels (default: 50 on "
        "every level)"),
    LIL_FIELD_REAL(config, relaxation, 1.8, 1, 1.999, "",
                   "over-relaxation, 1 to 2: a frame moves by this factor times the distance to its own minimum"),
    LIL_FIELD_CHOICE(
        config, "regularise", regularise, LIL_REGULARISE_NOT, lil_regularisers,
        "a penalty that helps on coarse levels of stiff systems. none: no penalty. laplacian: on differences "
        "between the accelerations of coupled coordinates. rayleigh: on differences between neighbouring "
        "frames, weighted by stiffness. spline: on the distance to the cubic through the neighbours"),
    LIL_FIELD_REAL(config, strength, 1, 0, 1e12, "",
                   "weight of the penalty: `strength` times h^3 (laplacian: h^5), with the spacing h of the frames"),
    LIL_FIELD_REAL(
        config, tolerance, 0.05, 0, 1e9, "",
        "the shot has converged if one iteration of the method `global` would move no coordinate by more than this "
        "fraction of the largest coordinate of a key"),
};

enum { PARTS = 6 }; /* residuals of one frame: three impulses, two differences, the regulariser */

typedef struct local {
    lil_problem *shot;
    const config *c;
    int stride; /* frames of the level are this far apart */
    double h;
    double *p; /* of all frames, as the half-sweep found them: frames of one half-sweep do not depend on each other */
    bool *known;             /* of each frame: p is known */
    const double *p_n, *p_m; /* of the frame being moved */
    bool on[2];              /* whether they exist */
    lil_regularise reg;
    double *mu, *s; /* 2 n: of the two segments */
    double *e, *J;  /* PARTS n residuals, and their derivatives by q_k, by columns */
    double *trial, *goal, *g, *d;
    lil_segment_first first[2];
    lil_banded A, U;
    double *best, best_C;
} local;

static double *frame(const local *s, int k)
{
    return s->shot->q + (size_t)k * s->shot->n;
}

/* The mean of p- and p+ at frame k from frames `apart` away. False: no p is known there. */
static bool momentum(local *s, int k, int apart, double *p)
{
    lil_problem *shot = s->shot;
    int n = shot->n, before = k > 0 ? shot->right[k - 1] : -1, after = k < shot->N ? shot->left[k] : -1;
    int given = after >= 0 && shot->minus[after] < 0 ? after : before >= 0 && shot->plus[before] < 0 ? before : -1;
    if (given >= 0) {
        lil_evaluate_lagrangian(&shot->ev, shot->t[k], frame(s, k), shot->given + (size_t)given * n, NULL, NULL, p);
        lil_segment_kicked(&shot->segment, shot->t[k], s->h, frame(s, k), p);
        return true;
    }
    if (k - apart < 0 || k + apart > shot->N)
        return false;
    double h = apart * shot->h, *mu = s->mu, *jump = s->s;
    lil_segment_momenta(&shot->segment, (lil_segment_span){ shot->t[k - apart], h, frame(s, k - apart), frame(s, k) },
                        mu, jump);
    lil_segment_momenta(&shot->segment, (lil_segment_span){ shot->t[k], h, frame(s, k), frame(s, k + apart) }, mu + n,
                        jump + n);
    for (int i = 0; i < n; i++)
        p[i] = ((mu[i] - jump[i] / 2) + (mu[n + i] + jump[n + i] / 2)) / 2;
    return true;
}

/* e at q_k = q, and its square */
static double residuals(local *s, int k, const double *q)
{
    lil_problem *shot = s->shot;
    int n = shot->n, from = k - s->stride, to = k + s->stride;
    double h = s->h, tau = shot->def.smoothness, ends = sqrt(2 / h), inside = sqrt(1 / h), jump = tau / h * inside;
    double *e = s->e;
    lil_segment_momenta(&shot->segment, (lil_segment_span){ shot->t[from], h, frame(s, from), q }, s->mu, s->s);
    lil_segment_momenta(&shot->segment, (lil_segment_span){ shot->t[k], h, q, frame(s, to) }, s->mu + n, s->s + n);
    for (int i = 0; i < n; i++) {
        double s_n = s->s[i] / 2, s_m = s->s[n + i] / 2, mu_n = s->mu[i], mu_m = s->mu[n + i];
        double f_n = s->on[0] ? mu_n + s_n - s->p_n[i] : 0, f_m = s->on[1] ? s->p_m[i] - (mu_m - s_m) : 0;
        double f_k = (mu_m - mu_n) + (s_m + s_n);
        e[i] = ends * f_n;
        e[n + i] = inside * f_k;
        e[2 * n + i] = ends * f_m;
        e[3 * n + i] = s->on[0] ? jump * (f_k / 2 - f_n) : 0;
        e[4 * n + i] = s->on[1] ? jump * (f_m - f_k / 2) : 0;
    }
    lil_regularise_residual(&s->reg, shot, q, e + 5 * n);
    return lil_dot(PARTS * n, e, e);
}

/* J at q_k = q */
static void derivatives(local *s, int k, const double *q)
{
    lil_problem *shot = s->shot;
    const lil_pattern *p = shot->pattern, *of_A = &shot->ev.matrix.pattern;
    int n = shot->n;
    double h = s->h, ends = sqrt(2 / h), inside = sqrt(1 / h), jump = shot->def.smoothness / h * inside;
    lil_segment_derivatives(
        &shot->segment, (lil_segment_span){ shot->t[k - s->stride], h, frame(s, k - s->stride), q }, &s->first[0]);
    lil_segment_derivatives(&shot->segment, (lil_segment_span){ shot->t[k], h, q, frame(s, k + s->stride) },
                            &s->first[1]);
    memset(s->J, 0, (size_t)PARTS * n * n * sizeof *s->J);
    for (int j = 0; j < n; j++) {
        double *J = s->J + (size_t)j * PARTS * n;
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int i = p->row[e];
            double mu_n = s->first[0].mu_b[e], s_n = s->first[0].s_b[e] / 2;
            double mu_m = s->first[1].mu_a[e], s_m = s->first[1].s_a[e] / 2;
            double f_n = s->on[0] ? mu_n + s_n : 0, f_m = s->on[1] ? s_m - mu_m : 0, f_k = mu_m - mu_n + s_m + s_n;
            J[i] = ends * f_n;
            J[n + i] = inside * f_k;
            J[2 * n + i] = ends * f_m;
            J[3 * n + i] = s->on[0] ? jump * (f_k / 2 - f_n) : 0;
            J[4 * n + i] = s->on[1] ? jump * (f_m - f_k / 2) : 0;
        }
        for (int e = of_A->start[j]; s->reg.kind != LIL_REGULARISE_NOT && e < of_A->start[j + 1]; e++)
            J[5 * n + of_A->row[e]] = s->reg.A[e];
    }
}

/* d = -(J'J + damping diag(J'J))^-1 J'e */
static bool direction(local *s, double damping)
{
    int n = s->shot->n;
    memcpy(s->U.a, s->A.a, (size_t)n * s->A.stride * sizeof *s->U.a);
    for (int i = 0; i < n; i++) {
        lil_banded_row(&s->U, i)[0] *= 1 + damping;
        s->d[i] = -s->g[i];
    }
    lil_phase_begin(s->shot->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    bool definite = lil_banded_factor(&s->U);
    if (definite)
        lil_banded_solve(&s->U, s->d);
    lil_phase_end(s->shot->ctx->phases);
    return definite;
}

static void normal_equations(local *s)
{
    int n = s->shot->n, lines = PARTS * n;
    for (int i = 0; i < n; i++) {
        const double *J_i = s->J + (size_t)i * lines;
        for (int j = i; j < n; j++)
            lil_banded_row(&s->A, i)[j - i] = lil_dot(lines, J_i, s->J + (size_t)j * lines);
        s->g[i] = lil_dot(lines, J_i, s->e);
    }
}

/* s->goal becomes the minimum of (4.8) near where it is. */
static void minimise(local *s, int k)
{
    int n = s->shot->n;
    double damping = 0, cost = residuals(s, k, s->goal);
    for (int iteration = 0; iteration < 30; iteration++) {
        derivatives(s, k, s->goal);
        normal_equations(s);
        bool better = false;
        for (int tries = 0; !better && tries < 12; tries++) {
            if (direction(s, damping)) {
                for (int i = 0; i < n; i++)
                    s->trial[i] = s->goal[i] + s->d[i];
                double next = residuals(s, k, s->trial);
                better = next <= cost;
                if (better)
                    cost = next;
            }
            damping = better ? damping / 10 : fmax(10 * damping, 1e-6);
        }
        if (!better)
            break;
        memcpy(s->goal, s->trial, (size_t)n * sizeof *s->goal);
        if (lil_norm(n, s->d) <= 1e-14 * s->shot->segment.scale)
            break;
    }
}

static void move(local *s, int k, double relaxation)
{
    int n = s->shot->n, from = k - s->stride, to = k + s->stride;
    double *q = frame(s, k);
    s->p_n = s->p + (size_t)from * n;
    s->p_m = s->p + (size_t)to * n;
    s->on[0] = s->known[from];
    s->on[1] = s->known[to];
    lil_regularise_set(&s->reg, s->shot, k, s->stride);
    memcpy(s->goal, q, (size_t)n * sizeof *q);
    minimise(s, k);
    for (int i = 0; i < n; i++) {
        q[i] += relaxation * (s->goal[i] - q[i]);
    }
}

/* Every second frame of the level, from the level's first on (old ones) or its second (new ones). */
static void half_sweep(local *s, bool new_ones, int apart, double relaxation)
{
    int n = s->shot->n;
    for (int k = new_ones ? 0 : s->stride; k <= s->shot->N; k += 2 * s->stride)
        s->known[k] = momentum(s, k, apart, s->p + (size_t)k * n);
    for (int k = new_ones ? s->stride : 2 * s->stride; k < s->shot->N; k += 2 * s->stride)
        if (!s->shot->key[k])
            move(s, k, relaxation);
}

/* Stores the frames of least cost, in case the solver is cancelled. On coarse levels the frames between are on
 * straight lines. */
static void keep_best(local *s)
{
    if (!(s->shot->now.C < s->best_C))
        return;
    s->best_C = s->shot->now.C;
    memcpy(s->best, s->shot->q, ((size_t)s->shot->N + 1) * s->shot->n * sizeof *s->best);
}

static bool show(local *s, int level)
{
    lil_ghost_evaluate(s->shot, s->shot->q, &s->shot->now);
    keep_best(s);
    return lil_problem_watch(s->shot, level, s->shot->now.C);
}

/* Frames between those of the level are put on straight lines, so that the current result is always a motion. */
static void fill(local *s, int stride)
{
    int n = s->shot->n;
    for (int k = 0; k < s->shot->N; k += stride)
        for (int j = 1; j < stride; j++)
            for (int i = 0; i < n; i++)
                frame(s, k + j)[i] = frame(s, k)[i] + (frame(s, k + stride)[i] - frame(s, k)[i]) * j / stride;
}

static lil_status create(local *s)
{
    lil_problem *shot = s->shot;
    size_t n = (size_t)shot->n, count = (size_t)shot->pattern->count;
    struct {
        double **to;
        size_t size;
    } arrays[] = { { &s->p, ((size_t)shot->N + 1) * n },
                   { &s->best, ((size_t)shot->N + 1) * n },
                   { &s->mu, 2 * n },
                   { &s->s, 2 * n },
                   { &s->e, PARTS * n },
                   { &s->J, PARTS * n * n },
                   { &s->trial, n },
                   { &s->goal, n },
                   { &s->g, n },
                   { &s->d, n } };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        LIL_HAVE(shot->ctx, *arrays[i].to = LIL_NEW(&shot->arena, double, arrays[i].size));
    LIL_ALLOC(shot->ctx, &shot->arena, s->known, shot->N + 1);
    for (int i = 0; i < 2; i++) {
        double *room;
        LIL_ALLOC(shot->ctx, &shot->arena, room, 4 * count);
        s->first[i] = (lil_segment_first){ room, room + count, room + 2 * count, room + 3 * count };
    }
    LIL_TRY(lil_regularise_create(shot, (lil_regulariser)s->c->regularise, s->c->strength, &s->reg));
    LIL_TRY(lil_banded_create(shot->ctx, &shot->arena, shot->n, shot->n - 1, &s->A));
    return lil_banded_create(shot->ctx, &shot->arena, shot->n, shot->n - 1, &s->U);
}

/* The largest power of two that divides the frames of all keys; frames of the coarsest level without a key begin
 * on the spline. */
static int coarsest(const lil_problem *shot)
{
    int stride = 1;
    for (bool fits = true; fits; stride *= fits ? 2 : 1)
        for (int k = 0; k <= shot->N && fits; k++)
            fits = !shot->key[k] || k % (2 * stride) == 0;
    return stride;
}

static lil_status check(const lil_problem *shot)
{
    if (shot->running)
        return lil_fail(shot->ctx, LIL_ERR_INPUT, "a running cost needs the method 'global'");
    for (int k = 0; k <= shot->N; k++)
        for (int i = 0; i < shot->n; i++)
            if (shot->held[(size_t)k * shot->n + i] != shot->key[k])
                return lil_fail(shot->ctx, LIL_ERR_INPUT,
                                "keys that leave coordinates free need the method 'global'");
    return LIL_OK;
}

/* Halves the interval (if the keys permit), inserts new frames, and relaxes all. False: cancelled. */
static bool solve_level(local *s, int level, int *stride, int sweeps)
{
    bool halved = *stride > 1;
    *stride = s->stride = s->shot->stride = halved ? *stride / 2 : 1;
    s->h = *stride * s->shot->h;
    if (halved)
        half_sweep(s, true, 2 * *stride, 1);
    fill(s, *stride);
    bool going = show(s, level);
    for (int i = 0; i < sweeps && going; i++) {
        half_sweep(s, i % 2 == 1, *stride, s->c->relaxation);
        fill(s, *stride);
        going = show(s, level);
    }
    return going;
}

/* The distance of all frames from the minimum: the length of a Gauss-Newton step. The steps of half-sweeps become
 * small long before they converge. */
static double distance(lil_problem *shot, lil_banded *A)
{
    double *d = shot->q_next, most = 0;
    int total = (shot->N + 1) * shot->n;
    lil_ghost_derivatives(shot);
    lil_ghost_gradient(shot, &shot->now, d);
    lil_ghost_matrix(shot, &shot->now, false, A);
    lil_phase_begin(shot->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    bool definite = lil_banded_factor(A);
    if (definite)
        lil_banded_solve(A, d);
    lil_phase_end(shot->ctx->phases);
    if (!definite)
        return INFINITY;
    for (int i = 0; i < total; i++)
        most = fmax(most, fabs(d[i]));
    return most;
}

static lil_status solve(lil_problem *shot, const void *data)
{
    local s = { .shot = shot, .c = data, .best_C = INFINITY };
    const lil_list *sweeps = &s.c->sweeps;
    LIL_TRY(check(shot));
    LIL_TRY(create(&s));
    int stride = coarsest(shot);
    lil_banded metric, room;
    LIL_TRY(lil_problem_banded(shot, &metric));
    LIL_TRY(lil_problem_banded(shot, &room));
    LIL_TRY(lil_problem_spline(shot, &metric, &room));
    keep_best(&s);
    fill(&s, stride);
    bool going = true;
    for (int level = 0; going && (stride > 1 || level == 0); level++) {
        int count = sweeps->n == 0 ? 50 : (int)sweeps->x[level < sweeps->n ? level : sweeps->n - 1];
        going = solve_level(&s, level, &stride, count);
    }
    if (shot->interrupted)
        memcpy(shot->q, s.best, ((size_t)shot->N + 1) * shot->n * sizeof *shot->q);
    lil_ghost_evaluate(shot, shot->q, &shot->now);
    shot->residual = distance(shot, &room) / shot->segment.scale;
    shot->converged = !shot->interrupted && shot->residual <= s.c->tolerance;
    return LIL_OK;
}

const lil_shot_method lil_shot_local = {
    .name = "local",
    .summary = "Solves on levels: first for a few frames, then for twice as many, and so on. On each level, "
               "half-sweeps move every other frame while its neighbours are frozen.",
    .citation = "Yang 2007, chapters 4 and 5",
    .effort = "sweeps",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .solve = solve,
};
