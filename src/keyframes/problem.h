/*
 * A shot: key frames, and the motion between them that needs the smallest and smoothest ghost force (Yang 2007, with
 * the errata of its formulas). Frames q_0 .. q_N at times t_k; a key prescribes coordinates of one frame. Ghost
 * impulses act in addition to natural forces, in the discrete Lagrangian of the integrators:
 *
 *     f_k = p+(q_k, q_{k+1}) - p-(q_{k-1}, q_k)                 a frame inside, weight w_k = (h_{k-1} + h_k)/2
 *     f_0 = p+(q_0, q_1) - P_0,   f_N = P_N - p-(q_{N-1}, q_N)  the ends, weight h/2, where P = dL/dv of a given velocity
 *     P_k - p-,  p+ - P_k                                       a key inside with a velocity, weights h/2 each
 *
 * (forces are in p+ and p-, see discrete/segment.h). The ghost force is phi = f/w, and the shot minimises
 *
 *     C = sum_r w_r |phi_r|^2 + tau^2 sum_k |phi_{k+1} - phi_k|^2 / h_k
 *
 * plus a running cost, if any, over all coordinates without a key; tau is `smoothness`, a time. Impulses are numbered
 * by rows r: an end without a velocity has none, a key inside with a velocity has two. Every segment k adds its p+ to
 * the row left[k] and subtracts its p- from the row right[k]. phi may jump at a key with a velocity, because no
 * segment lies between its two rows.
 */
#ifndef LIL_KEYFRAMES_PROBLEM_H
#define LIL_KEYFRAMES_PROBLEM_H

#include "discrete/segment.h"
#include "solvers/banded.h"

typedef struct lil_shot_key {
    int frame;
    const double *q;  /* n */
    const bool *held; /* n: which of them are keyed; NULL: all */
    const double *v;  /* n; NULL: the velocity is free. Needs all of q */
    double weight;    /* of a soft key: adds weight sum |q - key|^2/a to C, a as in lil_problem; 0: a hard key */
} lil_shot_key;

typedef struct lil_problem_def {
    const lil_model *model;
    lil_rule rule;
    int frames; /* intervals */
    double t0, t1;
    const lil_shot_key *keys; /* from frame 0 to the last, in order */
    int key_count;
    double smoothness;       /* tau, s */
    double left_out;         /* part of W and forces that is omitted: 0, none; 1, all, which gives a spline */
    bool by_mass;            /* |phi|^2 is weighted by M^-1 (bodies) */
    bool free_times;         /* of keys between the first and the last */
    const lil_term *running; /* a running cost (keyframes/running_cost.h), borrowed; NULL: there is none */
    /* after each iteration, and with level -1 within long ones; false: stop with the best frames so far. NULL:
     * none */
    bool (*watch)(void *user, int level, int iteration, double cost);
    void *user;
} lil_problem_def;

/* The impulses of one set of frames. */
typedef struct lil_ghost {
    double *mu, *s;    /* of each segment, n */
    double *f, *phi;   /* of each row */
    double *y;         /* of each row: half of dC/df */
    double C, C_force; /* the cost, and its part without smoothness */
} lil_ghost;

typedef struct lil_running_cost lil_running_cost;

typedef struct lil_problem {
    lil_context *ctx;
    lil_arena arena;
    lil_problem_def def; /* whose keys are not kept */
    lil_evaluator ev;
    lil_segment segment;
    const lil_pattern *pattern; /* of the segments' derivatives */
    int n, N, rows;
    double h, *t;        /* between frames, where keys are fixed in time; N + 1 times */
    double *dt;          /* of segments */
    bool *held, *key;    /* each coordinate of each frame has a key; each frame: all of its coordinates have */
    bool *stop;          /* each frame: there is a key, of any kind */
    int *left, *right;   /* rows of a segment's p+ and p-; -1: none */
    int *plus, *minus;   /* segments of a row's p+ and p-; -1: none */
    double *w;           /* of rows */
    double *a;           /* of coordinates: the weight of |phi|^2, 1, or 1/m for vertices of bodies */
    double *pull, *wish; /* of soft keys, each coordinate of each frame; NULL: there are none */
    double *given;       /* of rows: the velocity, if it has only one of p+ and p- */
    double *fixed;       /* of rows: -P or +P */
    double *q, *q_next;  /* the frames, and trial frames */
    double *mass;        /* d2L/dv2 of each segment, on straight lines between keys */
    bool spline;         /* p+ = p- = M v with that mass: the shot's spline, without W and forces */
    lil_running_cost *running;
    lil_ghost now, next;
    bool bodies; /* too large for banded matrices: J is that of one segment */
    void *work;  /* of lil_problem_solve_bodies */
    bool warm;   /* q is the initial guess, not the spline */
    double *J;   /* of each segment: mu_a, mu_b, s_a, s_b over the pattern */
    /* the pattern by rows: columns and places */
    int *row_start, *row_col, *row_place;
    int row_most;
    double *line; /* one row of the Jacobian of the residual */
    int *line_col;
    double *d, *m, *aa, *ab, *bb; /* room for one segment */
    /* the result */
    int stride; /* frames of the latest level are this far apart: those between are on straight lines */
    int iterations;
    bool converged, interrupted;
    bool stuck;      /* no step decreases C */
    double residual; /* estimated distance of the frames from the minimum, over the largest coordinate of a key */
    double spline_cost;
} lil_problem;

/* A way to solve it. */
typedef struct lil_shot_method {
    const char *name, *summary, *citation;
    const char *effort; /* which of its fields to increase if it does not converge */
    const lil_field *fields;
    int field_count;
    size_t config_size;
    lil_status (*solve)(lil_problem *shot, const void *config);
} lil_shot_method;

extern const lil_shot_method lil_shot_global, lil_shot_local;
/* NULL: there is none. */
const lil_shot_method *lil_shot_method_find(const char *name);
const lil_shot_method *lil_shot_method_at(int index);

/* The duration of each segment; NULL: all equal. */
void lil_problem_set_times(lil_problem *shot, const double *dt);

/* Fails with a message if a model does not support shots. */
lil_status lil_problem_check(lil_context *ctx, const lil_model *model);
/* Borrows the model. */
lil_status lil_problem_create(lil_context *ctx, const lil_problem_def *def, lil_problem **shot);
void lil_problem_destroy(lil_problem **shot);
/* With the given method; also free times of keys. */
lil_status lil_problem_solve(lil_problem *shot, const lil_shot_method *method, const void *config);
/* Frames of bodies, with the Gramian solver; from shot->q if it is warm. */
lil_status lil_problem_solve_bodies(lil_problem *shot, int iterations);

/* An error if tets of bodies are inverted at some frame. */
lil_status lil_problem_check_frames(lil_problem *shot);

/* shot->q becomes the cubic spline through the keys, weighted by mass: the solution with W = 0. `metric` becomes
 * its matrix, `room` that matrix factored. */
lil_status lil_problem_spline(lil_problem *shot, lil_banded *metric, lil_banded *room);
/* The matrices of the shot: as wide as C couples frames. */
lil_status lil_problem_banded(lil_problem *shot, lil_banded *A);
/* Counts one more iteration of the method and reports it to the callback. False: stop. */
bool lil_problem_watch(lil_problem *shot, int level, double cost);
/* Within an iteration. False: stop. */
bool lil_problem_going(lil_problem *shot);

/* Accepts the trial frames. */
void lil_problem_accept(lil_problem *shot);

/* Impulses and cost of frames q; y too. */
void lil_ghost_evaluate(lil_problem *shot, const double *q, lil_ghost *ghost);
/* The derivatives of all segments at shot->q, into shot->J. */
void lil_ghost_derivatives(lil_problem *shot);
/* Half of dC/dq from shot->J and ghost->y; 0 for keyed coordinates. */
void lil_ghost_gradient(lil_problem *shot, const lil_ghost *ghost, double *g);
/* The same at any frames, for shots with too large a shot->J. */
void lil_ghost_gradient_at(lil_problem *shot, const double *q, const lil_ghost *ghost, double *g);
/* Half of the Gauss-Newton matrix, from shot->J, with the second derivative of the running cost: the identity for
 * keyed coordinates. With `curvature` also the contribution of the second derivative of f to half of d2C/dq2. */
void lil_ghost_matrix(lil_problem *shot, const lil_ghost *ghost, bool curvature, lil_banded *A);

/* p of frame k: the mean of p- and p+, or from a given velocity. */
void lil_problem_momentum(lil_problem *shot, int k, double *p);
/* The largest |phi|. */
double lil_problem_force_most(const lil_problem *shot);
/* The share of the ghost force in ghost and natural forces: 0, only natural forces; 1, only the ghost force. Both
 * are root mean squares, as C weighs them. */
double lil_problem_force_share(const lil_problem *shot);

static inline lil_segment_first lil_problem_first(const lil_problem *shot, int k)
{
    size_t count = (size_t)shot->pattern->count;
    double *J = shot->J + 4 * (size_t)k * count;
    return (lil_segment_first){ J, J + count, J + 2 * count, J + 3 * count };
}

#endif
