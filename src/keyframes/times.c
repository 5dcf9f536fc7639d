/*
 * Free times of keys. Between two keys the frames divide the time evenly. The durations of these intervals, D_j with
 * a given sum, minimise C*(D), the cost of the best frames for D. At the best frames C is at a minimum over the
 * frames, so the slope of C* is that of C with fixed frames: it needs C at slightly longer and shorter intervals.
 * BFGS over the times of the keys between the first and the last; every trial is a shot that begins with the frames
 * of the one before.
 */
#include "keyframes/problem.h"

#include <math.h>

enum { TRIES_MAX = 60 };
static const double DIFFERENCE = 1e-4;  /* of an interval: C* is smooth, and the error is of second order */
static const double FLAT = 1e-7;        /* dC/dt times the duration, over C */
static const double LEAST_PIECE = 0.02; /* of the shot: no interval becomes shorter */

typedef struct times {
    lil_problem *shot;
    const lil_shot_method *method;
    const void *config;
    int pieces, *piece; /* piece of each segment */
    int m;              /* keys between the first and the last */
    double *frames;     /* with the least cost so far */
    double *D, *best, *tried, *dt, *g, *g_new, *d, *H, *y, *Hy;
} times;

static lil_status create(lil_problem *shot, times *s)
{
    LIL_ALLOC(shot->ctx, &shot->arena, s->piece, shot->N);
    for (int k = 0; k < shot->N; k++) {
        s->pieces += k > 0 && shot->stop[k];
        s->piece[k] = s->pieces;
    }
    s->pieces++;
    s->m = s->pieces - 1;
    size_t m = (size_t)s->m;
    struct {
        double **to;
        size_t size;
    } rooms[] = { { &s->frames, ((size_t)shot->N + 1) * (size_t)shot->n },
                  { &s->D, m + 1 },
                  { &s->best, m + 1 },
                  { &s->tried, m + 1 },
                  { &s->dt, (size_t)shot->N },
                  { &s->g, m + 1 },
                  { &s->g_new, m + 1 },
                  { &s->d, m + 1 },
                  { &s->y, m + 1 },
                  { &s->Hy, m + 1 },
                  { &s->H, m * m + 1 } };
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        LIL_HAVE(shot->ctx, *rooms[i].to = LIL_NEW(&shot->arena, double, rooms[i].size));
    return LIL_OK;
}

static int segments(const times *s, int piece)
{
    int count = 0;
    for (int k = 0; k < s->shot->N; k++)
        count += s->piece[k] == piece;
    return count;
}

static void set_pieces(times *s, const double *D)
{
    for (int k = 0; k < s->shot->N; k++)
        s->dt[k] = D[s->piece[k]] / segments(s, s->piece[k]);
    lil_problem_set_times(s->shot, s->dt);
}

/* dC/dt of the keys in between: the interval before gets longer, the one after shorter */
static void slope(times *s, double *g)
{
    lil_problem *shot = s->shot;
    memcpy(s->y, s->D, (size_t)s->pieces * sizeof *s->y);
    for (int j = 0; j < s->m; j++) {
        double e = DIFFERENCE * fmin(s->D[j], s->D[j + 1]), C[2];
        for (int side = 0; side < 2; side++) {
            double by = side ? e : -e;
            s->y[j] = s->D[j] + by;
            s->y[j + 1] = s->D[j + 1] - by;
            set_pieces(s, s->y);
            lil_ghost_evaluate(shot, shot->q, &shot->next);
            C[side] = shot->next.C;
        }
        s->y[j] = s->D[j];
        s->y[j + 1] = s->D[j + 1];
        g[j] = (C[1] - C[0]) / (2 * e);
    }
    set_pieces(s, s->D);
}

/* The best frames for the intervals D, from the current ones. */
static lil_status frames(times *s, const double *D)
{
    lil_problem *shot = s->shot;
    memcpy(s->D, D, (size_t)s->pieces * sizeof *s->D);
    set_pieces(s, D);
    lil_status status = s->method->solve(shot, s->config);
    shot->warm = true;
    return status;
}

static void keep(times *s)
{
    memcpy(s->best, s->D, (size_t)s->pieces * sizeof *s->best);
    memcpy(s->frames, s->shot->q, ((size_t)s->shot->N + 1) * (size_t)s->shot->n * sizeof *s->frames);
}

/* d = -H g, shortened so that no interval becomes too short */
static double direction(times *s)
{
    double T = s->shot->def.t1 - s->shot->def.t0, longest = 1;
    for (int i = 0; i < s->m; i++) {
        s->d[i] = 0;
        for (int j = 0; j < s->m; j++)
            s->d[i] -= s->H[i * s->m + j] * s->g[j];
    }
    for (int j = 0; j < s->pieces; j++) {
        double by = (j < s->m ? s->d[j] : 0) - (j > 0 ? s->d[j - 1] : 0), room = s->best[j] - LEAST_PIECE * T;
        if (by < 0)
            longest = fmin(longest, fmax(0, 0.9 * room) / -by);
    }
    return longest;
}

/* Updates H by the latest step t d and the change of g; the first time also its scale */
static void update(times *s, double t, bool first)
{
    int m = s->m;
    double sy = 0, yy = 0, yHy = 0;
    for (int i = 0; i < m; i++) {
        s->y[i] = s->g_new[i] - s->g[i];
        sy += t * s->d[i] * s->y[i];
        yy += s->y[i] * s->y[i];
    }
    if (!(sy > 0))
        return;
    for (int i = 0; first && i < m * m; i++)
        s->H[i] = i % (m + 1) == 0 ? sy / yy : 0;
    for (int i = 0; i < m; i++) {
        s->Hy[i] = 0;
        for (int j = 0; j < m; j++)
            s->Hy[i] += s->H[i * m + j] * s->y[j];
        yHy += s->y[i] * s->Hy[i];
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double a = t * s->d[i], b = t * s->d[j];
            s->H[i * m + j] += (1 + yHy / sy) * a * b / sy - (a * s->Hy[j] + s->Hy[i] * b) / sy;
        }
}

static lil_status minimise(times *s)
{
    lil_problem *shot = s->shot;
    double T = shot->def.t1 - shot->def.t0, C = shot->now.C;
    bool first = true;
    slope(s, s->g);
    for (int i = 0; i < s->m; i++) /* at first a tenth of the shortest interval */
        s->H[i * (s->m + 1)] = 0.1 * fmin(s->D[i], s->D[i + 1]) / fmax(lil_largest(s->m, s->g), 1e-300);
    keep(s);
    for (int tries = 0; tries < TRIES_MAX && !shot->interrupted && lil_largest(s->m, s->g) * T > FLAT * C;) {
        double t = direction(s), going = 0;
        for (int i = 0; i < s->m; i++)
            going += s->g[i] * s->d[i];
        for (; tries < TRIES_MAX && t > 1e-6; t /= 3) {
            for (int j = 0; j < s->pieces; j++)
                s->tried[j] = s->best[j] + t * ((j < s->m ? s->d[j] : 0) - (j > 0 ? s->d[j - 1] : 0));
            memcpy(shot->q, s->frames, ((size_t)shot->N + 1) * (size_t)shot->n * sizeof *shot->q);
            LIL_TRY(frames(s, s->tried));
            tries++;
            if (shot->interrupted || (shot->now.C <= C + 1e-4 * t * going && isfinite(shot->now.C)))
                break;
        }
        if (!(shot->now.C < C))
            break;
        slope(s, s->g_new);
        update(s, t, first);
        first = false;
        memcpy(s->g, s->g_new, (size_t)s->m * sizeof *s->g);
        C = shot->now.C;
        keep(s);
    }
    /* the best so far */
    memcpy(shot->q, s->frames, ((size_t)shot->N + 1) * (size_t)shot->n * sizeof *shot->q);
    return frames(s, s->best);
}

static lil_status solve(lil_problem *shot, const lil_shot_method *method, const void *config)
{
    times s = { .shot = shot, .method = method, .config = config };
    if (!shot->def.free_times)
        return method->solve(shot, config);
    if (method == &lil_shot_local)
        return lil_fail(shot->ctx, LIL_ERR_INPUT, "free times need the method 'global'");
    LIL_TRY(create(shot, &s));
    for (int k = 0; k < shot->N; k++)
        s.D[s.piece[k]] += shot->dt[k];
    memcpy(s.best, s.D, (size_t)s.pieces * sizeof *s.D);
    LIL_TRY(frames(&s, s.best));
    return s.m > 0 && !shot->interrupted ? minimise(&s) : LIL_OK;
}

lil_status lil_problem_solve(lil_problem *shot, const lil_shot_method *method, const void *config)
{
    LIL_TRY(solve(shot, method, config));
    return shot->interrupted ? LIL_OK : lil_problem_check_frames(shot);
}
