/*
 * Shots of bodies: Newton's method over all frames at once. Conjugate gradients (Steihaug 1983) solve for a step.
 * They get products with the Hessian from differences of the gradient, and are preconditioned by the Gauss-Newton
 * matrix, which gramian.h inverts. Frames then move as in rigid_motion.h. The initial guess is the spline through the
 * keys, in a frame of reference that rotates with the key poses.
 */
#include "keyframes/ballistic_start.h"
#include "keyframes/key_rotations.h"

#include <math.h>

static const double DIFFERENCE = 3e-7;             /* step of a difference of gradients, over the size of the scene */
static const double SWEEPS = 1e-8, POLISH = 1e-13; /* residual of conjugate gradients in the Gramian solver */
static const double FORCING = 1e-2;                /* smallest residual of conjugate gradients for a Newton step */
static const double CONVERGED =
    1e-7; /* the last step, over the size of the scene: the next one is about its square */
enum { INNER_MAX = 40, HALVINGS_MAX = 30, POLISHES_MAX = 2 };

typedef struct search {
    lil_problem *shot;
    lil_gramian sweeps;
    lil_rigid_bodies bodies;
    bool slow;            /* conjugate gradients reached their largest number of iterations */
    bool *turns;          /* each frame: no coordinate has a hard or a soft key */
    bool guarded, stands; /* keep W defined at all frames; W is defined there now */
    int total;
    double tolerance; /* of sweeps */
    double *g, *g_moved, *d, *r, *z, *p, *Hp, *begun;
} search;

static void find_turns(search *s)
{
    for (int k = 0; k <= s->shot->N; k++) {
        s->turns[k] = true;
        for (size_t i = (size_t)k * (size_t)s->shot->n; i < ((size_t)k + 1) * (size_t)s->shot->n; i++)
            s->turns[k] = s->turns[k] && !s->shot->held[i] && !(s->shot->pull && s->shot->pull[i] > 0);
    }
}

/* Once for a shot: with free times it is solved repeatedly. */
static lil_status create(lil_problem *shot, search **out)
{
    search *s = *out = shot->work = LIL_NEW(&shot->arena, search, 1);
    LIL_HAVE(shot->ctx, s);
    *s = (search){ .shot = shot, .total = (shot->N + 1) * shot->n, .tolerance = SWEEPS };
    double **vectors[] = { &s->g, &s->g_moved, &s->d, &s->r, &s->z, &s->p, &s->Hp, &s->begun };
    for (int i = 0; i < 8; i++)
        LIL_HAVE(shot->ctx, *vectors[i] = LIL_NEW(&shot->arena, double, s->total));
    LIL_ALLOC(shot->ctx, &shot->arena, s->turns, shot->N + 1);
    find_turns(s);
    LIL_TRY(lil_rigid_bodies_create(shot->ctx, &shot->arena, &shot->ev.matrix.pattern, shot->def.model->mass.diagonal,
                                    &s->bodies));
    return lil_gramian_create(shot, &s->bodies, &s->sweeps);
}

/* The first frame with inverted tets (forces are evaluated halfway between frames); N + 1: none. */
static int inverted(lil_problem *shot, const double *q)
{
    int k = 0;
    for (double W = 0; lil_evaluate_ends(&shot->ev) && shot->segment.physics > 0 && k <= shot->N; k++) {
        lil_evaluate_potential(&shot->ev, shot->t[k], q + (size_t)k * (size_t)shot->n, &W, NULL);
        if (!isfinite(W))
            return k;
    }
    return shot->N + 1;
}

/* shot->q_next = shot->q moved by t d, and its cost */
static double move(search *s, const double *d, double t)
{
    lil_problem *shot = s->shot;
    size_t n = (size_t)shot->n;
    for (int k = 0; k <= shot->N; k++) {
        size_t at = (size_t)k * n;
        if (s->turns[k])
            lil_rigid_move(&s->bodies, shot->q + at, d + at, t, shot->q_next + at);
        else
            for (size_t i = at; i < at + n; i++)
                shot->q_next[i] = shot->q[i] + t * d[i];
    }
    if (s->stands && inverted(shot, shot->q_next) <= shot->N)
        return INFINITY;
    lil_ghost_evaluate(shot, shot->q_next, &shot->next);
    return shot->next.C;
}

/* Hp = H p, half of the second derivative of C along the motion of the frames. False: it is not finite. */
static bool curve(search *s)
{
    lil_problem *shot = s->shot;
    double e = DIFFERENCE * shot->segment.scale / lil_largest(s->total, s->p);
    for (int i = 0; i < s->total; i++)
        shot->q_next[i] = shot->q[i] + e * s->p[i];
    lil_ghost_evaluate(shot, shot->q_next, &shot->next);
    if (!isfinite(shot->next.C))
        return false;
    lil_ghost_gradient_at(shot, shot->q_next, &shot->next, s->g_moved);
    for (int i = 0; i < s->total; i++)
        s->Hp[i] = (s->g_moved[i] - s->g[i]) / e;
    for (int k = 0; k <= shot->N; k++) {
        size_t at = (size_t)k * (size_t)shot->n;
        if (s->turns[k])
            lil_rigid_curvature(&s->bodies, shot->q + at, s->g + at, s->p + at, s->Hp + at);
    }
    return lil_all_finite(s->total, s->Hp);
}

/* d, approximately -H^-1 g. If negative curvature is met, d is at least the Gauss-Newton step, and false is
 * returned: the line search may extend it. */
static bool direction(search *s, double eta)
{
    int total = s->total, k = 0;
    memset(s->d, 0, (size_t)total * sizeof *s->d);
    memcpy(s->r, s->g, (size_t)total * sizeof *s->r);
    lil_gramian_solve(&s->sweeps, s->r, s->tolerance, s->z); /* z = -P^-1 r */
    memcpy(s->p, s->z, (size_t)total * sizeof *s->p);
    double rz = -lil_dot(total, s->r, s->z), enough = eta * eta * rz;
    for (; k < INNER_MAX && rz > enough && !s->shot->interrupted; k++) {
        double pHp = curve(s) ? lil_dot(total, s->p, s->Hp) : 0;
        if (!(pHp > 0)) {
            if (k == 0)
                memcpy(s->d, s->p, (size_t)total * sizeof *s->d);
            s->slow = false;
            return false;
        }
        for (int i = 0; i < total; i++) {
            s->d[i] += rz / pHp * s->p[i];
            s->r[i] += rz / pHp * s->Hp[i];
        }
        lil_gramian_solve(&s->sweeps, s->r, s->tolerance, s->z);
        /* Polak and Ribiere's form: stays conjugate with an inexact preconditioner */
        double beta = -lil_dot(total, s->Hp, s->z) / pHp;
        for (int i = 0; i < total; i++)
            s->p[i] = s->z[i] + beta * s->p[i];
        rz = -lil_dot(total, s->r, s->z);
    }
    s->slow = k == INNER_MAX;
    return true;
}

static void accept(search *s)
{
    lil_problem_accept(s->shot);
    lil_ghost_gradient_at(s->shot, s->shot->q, &s->shot->now, s->g);
}

/* Halves the step until C decreases sufficiently, or until its change is round-off. Returns 0 if it does not
 * decrease. */
static double try_line(search *s, double slope)
{
    lil_problem *shot = s->shot;
    double C = shot->now.C, hidden = 1e-13 * C, t = 1;
    for (int k = 0; k < HALVINGS_MAX; k++, t /= 2) {
        double next = move(s, s->d, t);
        if (isfinite(next) && (next <= C + 2e-4 * t * slope || (-slope <= hidden && next <= C + hidden)))
            return t;
    }
    return 0;
}

static double search_line(search *s, double slope)
{
    lil_phase_begin(s->shot->ctx->phases, LIL_PHASE_LINE_SEARCH);
    double t = try_line(s, slope);
    lil_phase_end(s->shot->ctx->phases);
    return t;
}

/* Doubles the step as long as C decreases. */
static double go_on(search *s, double t)
{
    for (double C = s->shot->next.C, next; t < 1e3 && (next = move(s, s->d, 2 * t)) < C; t *= 2)
        C = next;
    move(s, s->d, t);
    return t;
}

/* From the current frames; *going becomes false if the callback cancels. */
static lil_status newton(search *s, int iterations, bool *going)
{
    lil_problem *shot = s->shot;
    double first = 0;
    lil_ghost_evaluate(shot, shot->q, &shot->now);
    lil_ghost_gradient_at(shot, shot->q, &shot->now, s->g);
    s->tolerance = SWEEPS;
    shot->converged = false;
    shot->stuck = false;
    s->stands = s->guarded && inverted(shot, shot->q) > shot->N;
    for (int k = 0; *going && k < iterations && !shot->converged; k++) {
        if (s->slow)
            lil_gramian_damp(&s->sweeps, !s->sweeps.damped);
        LIL_TRY(lil_gramian_set(&s->sweeps, shot->q));
        double before = -first, eta = k ? fmax(FORCING, fmin(0.1, sqrt(before))) : 0.1;
        bool upwards = direction(s, eta);
        if (!(*going = !shot->interrupted))
            break;
        shot->residual = lil_largest(s->total, s->d) / shot->segment.scale;
        double slope = lil_dot(s->total, s->g, s->d), t = slope < 0 ? search_line(s, slope) : 0;
        if (t == 0 &&
            fabs(slope) > 1e-12 * shot->now.C) { /* C has a kink here, as with contact: accept any decrease */
            lil_gramian_solve(&s->sweeps, s->g, s->tolerance, s->d);
            shot->residual = lil_largest(s->total, s->d) / shot->segment.scale;
            slope = lil_dot(s->total, s->g, s->d);
            t = slope < 0 ? search_line(s, slope) : 0;
        }
        if (!upwards && t == 1)
            t = go_on(s, t);
        if (t == 0) {
            shot->converged = fabs(slope) <= 1e-12 * shot->now.C;
            shot->stuck = !shot->converged;
            break;
        }
        accept(s);
        s->stands = s->stands || (s->guarded && inverted(shot, shot->q) > shot->N);
        first = slope / (fabs(shot->now.C) + 1e-300);
        shot->converged = t >= 0.5 && shot->residual < CONVERGED;
        *going = lil_problem_watch(shot, 0, shot->now.C);
    }
    return LIL_OK;
}

/* C is constant to round-off before the gradient vanishes: a few more steps, as long as they halve the gradient. */
static lil_status polish(search *s, bool *going)
{
    lil_problem *shot = s->shot;
    s->tolerance = POLISH;
    for (int k = 0; *going && k < POLISHES_MAX; k++) {
        double before = lil_norm(s->total, s->g);
        LIL_TRY(lil_gramian_set(&s->sweeps, shot->q));
        direction(s, FORCING);
        if (!(*going = !shot->interrupted) || !isfinite(move(s, s->d, 1)))
            break;
        lil_ghost_gradient_at(shot, shot->q_next, &shot->next, s->g_moved);
        if (!(lil_norm(s->total, s->g_moved) < before / 2))
            break;
        accept(s);
        shot->residual = lil_largest(s->total, s->d) / shot->segment.scale;
        *going = lil_problem_watch(shot, 0, shot->now.C);
    }
    return LIL_OK;
}

/* ---- the start ---- */

/* Frames of the spline: without W and forces the problem is linear. */
static lil_status spline(search *s)
{
    lil_problem *shot = s->shot;
    double physics = shot->segment.physics;
    shot->segment.physics = 0;
    memset(s->turns, 0, ((size_t)shot->N + 1) * sizeof *s->turns);
    lil_gramian_bind(&s->sweeps);
    lil_status status = lil_gramian_set(&s->sweeps, shot->q);
    for (int pass = 0; status == LIL_OK && pass < 2; pass++) { /* once more for accuracy */
        lil_ghost_evaluate(shot, shot->q, &shot->now);
        lil_ghost_gradient_at(shot, shot->q, &shot->now, s->g);
        direction(s, 1e-6);
        lil_add(s->total, 1, s->d, shot->q);
    }
    shot->segment.physics = physics;
    find_turns(s);
    return status;
}

/* The spline in a frame that rotates with the key poses; bodies without keys move ballistically. */
static lil_status start(search *s)
{
    lil_key_rotations turned;
    LIL_TRY(lil_key_rotations_create(s->shot, &s->bodies, &turned));
    lil_key_rotations_back(&turned);
    bool (*watch)(void *, int, int, double) = s->shot->def.watch;
    s->shot->def.watch = NULL; /* the initial guess cannot be cancelled, and is fast */
    lil_status status = spline(s);
    s->shot->def.watch = watch;
    lil_key_rotations_forth(&turned);
    return status == LIL_OK ? lil_ballistic_start(s->shot, &s->sweeps) : status;
}

/* ---- partial keys ---- */

/* A key for a few points would invert tets at once. So it is first a soft key with increasing weight, then a hard
 * one. */
static const double PULLS[] = { 1e6, 1e8, 1e10 }; /* weights, over the cube of the shot's duration */
enum { DRAWN_ITERATIONS = 10 };

typedef struct partial {
    int count;
    size_t *at;
    double *value;
} partial;

static lil_status find_partial(lil_problem *shot, partial *keys)
{
    size_t n = (size_t)shot->n, total = ((size_t)shot->N + 1) * n;
    *keys = (partial){ 0 };
    for (size_t i = 0; i < total; i++)
        keys->count += shot->held[i] && !shot->key[i / n];
    LIL_ALLOC(shot->ctx, &shot->arena, keys->at, keys->count + 1);
    LIL_ALLOC(shot->ctx, &shot->arena, keys->value, keys->count + 1);
    for (size_t i = 0, k = 0; i < total; i++)
        if (shot->held[i] && !shot->key[i / n]) {
            keys->at[k] = i;
            keys->value[k++] = shot->q[i];
        }
    return LIL_OK;
}

/* weight 0: no key; infinite: a hard key */
static void hold(search *s, const partial *keys, double weight)
{
    lil_problem *shot = s->shot;
    for (int k = 0; k < keys->count; k++) {
        size_t i = keys->at[k];
        shot->held[i] = isinf(weight);
        shot->pull[i] = isinf(weight) ? 0 : weight / shot->a[i % (size_t)shot->n];
        shot->wish[i] = keys->value[k];
        if (isinf(weight))
            shot->q[i] = keys->value[k];
    }
    find_turns(s);
    lil_gramian_bind(&s->sweeps);
}

static lil_status draw(search *s, const partial *keys, bool *going)
{
    double T = s->sweeps.T;
    for (size_t k = 0; *going && k < sizeof PULLS / sizeof PULLS[0]; k++) {
        hold(s, keys, PULLS[k] / (T * T * T));
        LIL_TRY(newton(s, DRAWN_ITERATIONS, going));
    }
    return LIL_OK;
}

/* Whether hard keys at these points invert no tets, and increase C less than a hundredfold. */
static bool near(search *s, const partial *keys)
{
    lil_problem *shot = s->shot;
    double C = shot->now.C;
    memcpy(shot->q_next, shot->q, (size_t)s->total * sizeof *shot->q);
    for (int k = 0; k < keys->count; k++)
        shot->q_next[keys->at[k]] = keys->value[k];
    lil_ghost_evaluate(shot, shot->q_next, &shot->next);
    return shot->next.C < 100 * C && inverted(shot, shot->q_next) > shot->N;
}

static lil_status check_start(lil_problem *shot)
{
    lil_ghost_evaluate(shot, shot->q, &shot->now);
    if (isfinite(shot->now.C))
        return LIL_OK;
    return lil_fail(shot->ctx, LIL_ERR_INPUT, "tets invert between keys: add a key that avoids this");
}

/* Forces halfway between frames do not depend on inverted tets at frames. If the result has inverted tets, the
 * search is repeated with a guard against them. */
static lil_status search_twice(search *s, int iterations, bool *going)
{
    lil_problem *shot = s->shot;
    memcpy(s->begun, shot->q, (size_t)s->total * sizeof *s->begun);
    s->guarded = false;
    LIL_TRY(newton(s, iterations, going));
    if (!*going || inverted(shot, shot->q) > shot->N || inverted(shot, s->begun) <= shot->N)
        return LIL_OK;
    memcpy(shot->q, s->begun, (size_t)s->total * sizeof *s->begun);
    s->guarded = true;
    return newton(s, iterations, going);
}

lil_status lil_problem_check_frames(lil_problem *shot)
{
    int k = shot->bodies ? inverted(shot, shot->q) : shot->N + 1;
    if (k > shot->N)
        return LIL_OK;
    return lil_fail(shot->ctx, LIL_ERR_INPUT,
                    "tets are inverted at frame %d, t = %.6g s: use more 'frames', another key, or a material that "
                    "allows inversion, such as stable-neo-hookean",
                    k, shot->t[k]);
}

lil_status lil_problem_solve_bodies(lil_problem *shot, int iterations)
{
    search *s = shot->work;
    partial keys;
    bool going = true;
    if (!s)
        LIL_TRY(create(shot, &s));
    lil_gramian_bind(&s->sweeps);
    LIL_TRY(find_partial(shot, &keys));
    if (!shot->warm) {
        LIL_TRY(start(s));
        hold(s, &keys, 0);
        LIL_TRY(check_start(shot));
        if (keys.count && !near(s, &keys))
            LIL_TRY(draw(s, &keys, &going));
        hold(s, &keys, INFINITY);
    }
    LIL_TRY(check_start(shot));
    shot->spline_cost = shot->now.C;
    going = going && lil_problem_watch(shot, 0, shot->now.C);
    LIL_TRY(search_twice(s, iterations, &going));
    return shot->converged ? polish(s, &going) : LIL_OK;
}
