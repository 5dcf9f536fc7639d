/*
 * Shots of bodies: Newton's method over all frames at once. Each step is found by conjugate gradients (Steihaug 1983) that know the
 * Hessian by differences of gradients, preconditioned by the Gauss-Newton matrix, which sweeps invert.
 */
#include "keyframes/sweeps.h"
#include "keyframes/turn.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct search {
    lil_shot *shot;
    lil_sweeps sweeps;
    lil_turning turning;
    int total;
    double *g, *g_moved, *d, *r, *z, *p, *Hp;
    int inner;
    double tol;
} search;

static lil_status create(lil_shot *shot, search *s)
{
    *s = (search){ .shot = shot, .total = (shot->N + 1) * shot->n };
    double **vectors[] = { &s->g, &s->g_moved, &s->d, &s->r, &s->z, &s->p, &s->Hp };
    for (int i = 0; i < 7; i++)
        if (!(*vectors[i] = LIL_NEW(&shot->arena, double, s->total)))
            return lil_fail_memory(shot->ctx);
    LIL_TRY(lil_turning_create(shot->ctx, &shot->arena, &shot->ev.matrix.pattern, shot->def.model->mass.diagonal,
                               &s->turning));
    return lil_sweeps_create(shot, &s->sweeps);
}

static bool turns(const search *s, int k)
{
    for (int i = 0; i < s->shot->n; i++)
        if (s->shot->held[(size_t)k * s->shot->n + i])
            return false;
    return !getenv("STRAIGHT");
}

/* shot->q_next = shot->q moved by t d */
static void move(search *s, const double *d, double t)
{
    lil_shot *shot = s->shot;
    size_t n = (size_t)shot->n;
    for (int k = 0; k <= shot->N; k++) {
        size_t at = (size_t)k * n;
        if (turns(s, k))
            lil_turn(&s->turning, shot->q + at, d + at, t, shot->q_next + at);
        else
            for (size_t i = at; i < at + n; i++)
                shot->q_next[i] = shot->q[i] + t * d[i];
    }
}

/* Hp = H p, half of d2C/dq2; false: it cannot be computed here */
static bool curve(search *s, const double *p, double *Hp)
{
    lil_shot *shot = s->shot;
    double most = 0;
    for (int i = 0; i < s->total; i++)
        most = fmax(most, fabs(p[i]));
    double e = (getenv("FD") ? atof(getenv("FD")) : 1e-7) * shot->segment.scale / most;
    for (int i = 0; i < s->total; i++)
        shot->q_next[i] = shot->q[i] + e * p[i];
    lil_ghost_evaluate(shot, shot->q_next, &shot->next);
    if (!isfinite(shot->next.C))
        return false;
    lil_ghost_gradient_at(shot, shot->q_next, &shot->next, s->g_moved);
    for (int i = 0; i < s->total; i++)
        Hp[i] = (s->g_moved[i] - s->g[i]) / e;
    for (int k = 0; k <= shot->N; k++) {
        size_t at = (size_t)k * (size_t)shot->n;
        if (turns(s, k))
            lil_turn_curve(&s->turning, shot->q + at, s->g + at, p + at, Hp + at);
    }
    return true;
}

/* d, -H^-1 g nearly */
static void direction(search *s, double eta)
{
    int total = s->total;
    memset(s->d, 0, (size_t)total * sizeof *s->d);
    memcpy(s->r, s->g, (size_t)total * sizeof *s->r);
    lil_sweeps_solve(&s->sweeps, s->r, s->tol, s->z); /* z = -P^-1 r */
    memcpy(s->p, s->z, (size_t)total * sizeof *s->p);
    double rz = -lil_dot(total, s->r, s->z), first = rz;
    for (s->inner = 0; s->inner < 30; s->inner++) {
        bool known = curve(s, s->p, s->Hp);
        double pHp = known ? lil_dot(total, s->p, s->Hp) : -1;
        if (!(pHp >
              0)) { /* C curves downwards: go as far as one knows, which is at least the preconditioned gradient */
            printf("   negative %g\n", pHp);
            if (s->inner == 0)
                memcpy(s->d, s->p, (size_t)total * sizeof *s->d);
            break;
        }
        double alpha = rz / pHp;
        for (int i = 0; i < total; i++) {
            s->d[i] += alpha * s->p[i];
            s->r[i] += alpha * s->Hp[i];
        }
        lil_sweeps_solve(&s->sweeps, s->r, s->tol, s->z);
        double next = -lil_dot(total, s->r, s->z);
        if (next <= eta * eta * first) {
            s->inner++;
            break;
        }
        for (int i = 0; i < total; i++)
            s->p[i] = s->z[i] + next / rz * s->p[i];
        rz = next;
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static bool attempt(search *s, double t)
{
    lil_shot *shot = s->shot;
    int n = shot->n;
    move(s, s->d, t);
    lil_ghost_evaluate(shot, shot->q_next, &shot->next);
    return isfinite(shot->next.C);
}

static void accept(search *s)
{
    lil_shot *shot = s->shot;
    double *q = shot->q;
    lil_ghost ghost = shot->now;
    shot->q = shot->q_next;
    shot->q_next = q;
    shot->now = shot->next;
    shot->next = ghost;
    lil_ghost_gradient_at(shot, shot->q, &shot->now, s->g);
}

lil_status lil_shot_solve_large(lil_shot *shot, int iterations)
{
    search s;
    LIL_TRY(create(shot, &s));
    lil_ghost_evaluate(shot, shot->q, &shot->now);
    lil_ghost_gradient_at(shot, shot->q, &shot->now, s.g);
    double eta = 0.1, first = 0;
    s.tol = getenv("TOL") ? atof(getenv("TOL")) : 1e-8;
    for (int k = 0; k < iterations; k++) {
        double t0 = now();
        LIL_TRY(lil_sweeps_set(&s.sweeps, shot->q));
        double t1 = now();
        direction(&s, eta);
        double slope = lil_dot(s.total, s.g, s.d), t = 1, t2 = now();
        if (k == 0)
            first = -slope;
        eta = fmax(getenv("ETA") ? atof(getenv("ETA")) : 1e-3, fmin(0.1, pow(-slope / first, 0.25)));
        while (t > 1e-10 && !(attempt(&s, t) && shot->next.C <= shot->now.C + 1e-4 * 2 * t * slope))
            t /= 2;
        printf("%3d C %.10e slope %.3e t %.3g inner %d cg %d  set %.2f solve %.2f |g| %.3e\n", k, shot->now.C, slope,
               t, s.inner, s.sweeps.iterations, t1 - t0, t2 - t1, lil_norm(s.total, s.g));
        if (t <= 1e-10)
            break;
        accept(&s);
        if (-slope <= 1e-28 * shot->spline_cost || -slope < 1e-22 * shot->now.C)
            break;
    }
    return LIL_OK;
}
