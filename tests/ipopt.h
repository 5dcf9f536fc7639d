/*
 * The objective of a shot, minimised by Ipopt (Waechter & Biegler 2006), which the thesis used: same cost, same gradient, and the
 * second derivatives that `global` uses, from the same spline.
 */
#ifndef LIL_TEST_IPOPT_H
#define LIL_TEST_IPOPT_H

#include "keyframes/problem.h"

#include <IpStdCInterface.h>
#include <stdlib.h>

typedef struct ipopt_shot {
    lil_problem *shot;
    int count, *free; /* coordinates of frames that no key holds */
    double *g;
    lil_banded H;
    int *number; /* of each coordinate among them; -1: held */
} ipopt_shot;

static inline void ipopt_place(ipopt_shot *s, const double *x)
{
    for (int i = 0; i < s->count; i++)
        s->shot->q[s->free[i]] = x[i];
    lil_ghost_evaluate(s->shot, s->shot->q, &s->shot->now);
}

static inline Bool ipopt_value(Index n, Number *x, Bool fresh, Number *C, UserDataPtr user)
{
    ipopt_shot *s = user;
    (void)n, (void)fresh;
    ipopt_place(s, x);
    *C = s->shot->now.C;
    return TRUE;
}

static inline Bool ipopt_gradient(Index n, Number *x, Bool fresh, Number *g, UserDataPtr user)
{
    ipopt_shot *s = user;
    (void)fresh;
    ipopt_place(s, x);
    lil_ghost_derivatives(s->shot);
    lil_ghost_gradient(s->shot, &s->shot->now, s->g);
    for (int i = 0; i < n; i++)
        g[i] = 2 * s->g[s->free[i]];
    return TRUE;
}

static inline Bool ipopt_none(Index n, Number *x, Bool fresh, Index m, Number *g, UserDataPtr user)
{
    (void)n, (void)x, (void)fresh, (void)m, (void)g, (void)user;
    return TRUE;
}

static inline Bool ipopt_no_jacobian(Index n, Number *x, Bool fresh, Index m, Index count, Index *row, Index *col,
                                     Number *values, UserDataPtr user)
{
    (void)n, (void)x, (void)fresh, (void)m, (void)count, (void)row, (void)col, (void)values, (void)user;
    return TRUE;
}

/* The lower triangle: places where x is NULL, else values. Returns how many there are. */
static inline int ipopt_entries(const ipopt_shot *s, Index *row, Index *col, double factor, Number *values)
{
    int at = 0;
    for (int i = 0; i < s->count; i++)
        for (int j = s->free[i]; j <= s->free[i] + s->H.width && j < s->H.n; j++) {
            if (s->number[j] < 0)
                continue;
            if (row) {
                row[at] = s->number[j];
                col[at] = i;
            }
            if (values)
                values[at] = factor * lil_banded_row(&s->H, s->free[i])[j - s->free[i]];
            at++;
        }
    return at;
}

static inline Bool ipopt_hessian(Index n, Number *x, Bool fresh, Number factor, Index m, Number *lambda,
                                 Bool fresh_lambda, Index count, Index *row, Index *col, Number *values,
                                 UserDataPtr user)
{
    ipopt_shot *s = user;
    (void)n, (void)fresh, (void)m, (void)lambda, (void)fresh_lambda, (void)count;
    if (values) {
        ipopt_place(s, x);
        lil_ghost_derivatives(s->shot);
        lil_ghost_matrix(s->shot, &s->shot->now, true, &s->H);
    }
    ipopt_entries(s, row, col, 2 * factor, values);
    return TRUE;
}

/* (it takes names that it could write to) */
static inline void ipopt_options(IpoptProblem problem, double tolerance)
{
    char print[] = "print_level", banner[] = "sb", yes[] = "yes", tol[] = "tol", scaling[] = "nlp_scaling_method",
         none[] = "none", most[] = "max_iter";
    AddIpoptIntOption(problem, print, 0);
    AddIpoptStrOption(problem, banner, yes);
    AddIpoptNumOption(problem, tol, tolerance);
    AddIpoptStrOption(problem, scaling, none);
    AddIpoptIntOption(problem, most, 500);
}

/* From the spline through the keys; shot->q and now become what it finds. False: it failed. */
static inline bool ipopt_solve(lil_problem *shot, double tolerance)
{
    int total = (shot->N + 1) * shot->n;
    ipopt_shot s = { .shot = shot };
    lil_banded room;
    s.free = calloc((size_t)total, sizeof *s.free);
    s.number = calloc((size_t)total, sizeof *s.number);
    s.g = calloc((size_t)total, sizeof *s.g);
    double *x = calloc((size_t)total, sizeof *x), *low = calloc((size_t)total, sizeof *x),
           *high = calloc((size_t)total, sizeof *x);
    bool ok = s.free && s.number && s.g && x && low && high && lil_problem_banded(shot, &s.H) == LIL_OK &&
              lil_problem_banded(shot, &room) == LIL_OK && lil_problem_spline(shot, &s.H, &room) == LIL_OK;
    for (int i = 0; ok && i < total; i++) {
        s.number[i] = shot->held[i] ? -1 : s.count;
        if (shot->held[i])
            continue;
        x[s.count] = shot->q[i];
        low[s.count] = -2e19;
        high[s.count] = 2e19;
        s.free[s.count++] = i;
    }
    if (ok) {
        IpoptProblem problem =
            CreateIpoptProblem(s.count, low, high, 0, NULL, NULL, 0, ipopt_entries(&s, NULL, NULL, 0, NULL), 0,
                               ipopt_value, ipopt_none, ipopt_gradient, ipopt_no_jacobian, ipopt_hessian);
        double C;
        ipopt_options(problem, tolerance);
        enum ApplicationReturnStatus status = IpoptSolve(problem, x, NULL, &C, NULL, NULL, NULL, &s);
        ok = status == Solve_Succeeded || status == Solved_To_Acceptable_Level;
        ipopt_place(&s, x);
        FreeIpoptProblem(problem);
    }
    free(s.free);
    free(s.number);
    free(s.g);
    free(x);
    free(low);
    free(high);
    return ok;
}

#endif
