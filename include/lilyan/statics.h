/*
 * The equilibrium of a Sim under its loads, and its modes: the small vibrations about its state. <lilyan/lilyan.h>
 * includes this header.
 */
#ifndef LILYAN_STATICS_H
#define LILYAN_STATICS_H

#include <lilyan/lilyan.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- statics ---------------------------------------------------------------------------------------------
 * A minimum of -L(t, q, 0), less the work of forces, where constraints are satisfied. It is solved for from the
 * Sim's state. First with all loads. If that leads nowhere they are added in steps. At the load factor s in 0 .. 1
 * forces act at s times their size at `time`, and of what is out of balance at the start 1 - s is balanced. Handles and
 * obstacles are where they are at (1 - s) start + s time; handles that do not begin where the mesh is have come s of the
 * way there.
 */

/* At the start, where the factor is 0, and after each load step; the Sim is in equilibrium with this part of the
 * loads. False ends the search with LIL_ERR_INTERRUPTED. */
typedef bool lil_static_fn(void *user, double factor);

typedef struct lil_static_def {
    double time; /* of loads and handles, s; NaN: the Sim's */
    int steps; /* load steps to begin with, 1 or more. They are divided where there is no solution, down to 1/4096 of them */
    lil_static_fn *step; /* NULL: none */
    void *user;          /* borrowed */
} lil_static_def;

LIL_API lil_static_def lil_static_def_default(void); /* one step, at the Sim's time */

typedef enum lil_stability {
    LIL_STABILITY_UNKNOWN, /* too large to tell cheaply, or something touches */
    LIL_STABLE,            /* every small motion raises the energy */
    LIL_NEUTRAL,           /* some leave it as it is */
    LIL_UNSTABLE,          /* some lower it: it is no minimum */
} lil_stability;

typedef struct lil_static_result {
    double factor;    /* the largest load factor that was solved for; 1: all loads act */
    int steps;        /* load steps */
    int divided;      /* how often one was divided */
    int iterations;   /* of Newton's method, those of divided steps too */
    double residual;  /* forces that remain, relative to the loads */
    double moved;     /* how far the coordinate went that went farthest */
    double potential; /* -L there, J */
    lil_stability stability;
    double
        snapped; /* the load factor at which it jumped to another equilibrium; NaN: it did not, as far as load steps
                       show */
} lil_static_result;

/* The Sim is then at `time` in equilibrium with velocity 0, and its certificate begins anew. LIL_ERR_CONVERGENCE: no
 * equilibrium was found. The message says which parts can move freely; the result has how far it came, and the Sim
 * is as it was. result: NULL: not wanted. */
LIL_API lil_status lil_sim_solve_static(lil_sim *sim, const lil_static_def *def, lil_static_result *result);

/* "stable"; NULL: there is no such stability */
LIL_API const char *lil_stability_name(lil_stability stability);

/*
 * ---- modes -----------------------------------------------------------------------------------------------
 * Small vibrations about the Sim's state, K phi = omega^2 M phi with G phi = 0: M = d2L/dv2, K = -d2L/dq2, and where
 * constraints G act the stiffness of their forces too. Damping is left out. Of points in space rigid motions of parts
 * that are not held are recognised and left out.
 */
typedef struct lil_modes lil_modes;

typedef struct lil_modes_def {
    int count;        /* of the lowest modes */
    double tolerance; /* of residuals: see lil_mode */
} lil_modes_def;

LIL_API lil_modes_def lil_modes_def_default(void); /* 20, to 1e-8 */

/* Refused are states in which something touches, since contact acts to one side, and systems with gyroscopic forces
 * or with forces that have no potential. LIL_ERR_CONVERGENCE: some modes were not found to the tolerance. */
LIL_API lil_status lil_sim_modes(lil_sim *sim, const lil_modes_def *def, lil_modes **modes);
LIL_API void lil_modes_destroy(lil_modes **modes);

typedef struct lil_mode {
    double omega2;    /* (rad/s)^2; below 0 the state is unstable: the motion grows as exp(sqrt(-omega2) t) */
    double frequency; /* Hz; 0 of a mechanism, which moves without energy; NaN if omega2 < 0 */
    double residual;  /* there is an exact omega^2 within this part of omega2 + shift (lil_modes_result) */
    /* phi'M e of translations e along x, y and z, for points in space: its square is the mass that takes part, kg;
     * else NaN */
    double participation[3];
    const double *shape; /* phi of the degrees of freedom, phi'M phi = 1; lent until the modes' end */
} lil_mode;

typedef struct lil_modes_result {
    int count;
    int n;     /* degrees of freedom: the length of shapes */
    int rigid; /* rigid motions that were left out */
    double residual_max;
    double orthogonality; /* the largest entry of |phi'M phi - 1| */
    double unbalanced;    /* forces at the state that loads and constraints leave, N: 0 in equilibrium */
    double loads;         /*   and these, N */
    double mass;          /* of all free points, kg; NaN: there are none */
    double shift;         /* K + shift M was factored, (rad/s)^2 */
    int vectors;          /* that Lanczos' method took */
} lil_modes_result;

LIL_API lil_modes_result lil_modes_about(const lil_modes *modes);
/* Sorted, the lowest first. False: there is no such mode. */
LIL_API bool lil_modes_at(const lil_modes *modes, int i, lil_mode *mode);
/* The i-th part with rigid motions: "'bar': 3 translations and 3 rotations". NULL: no more. */
LIL_API const char *lil_modes_rigid(const lil_modes *modes, int i);

#ifndef LIL_CORE_ONLY

/* ---- of scenes ------------------------------------------------------------------------------------------- */

/* A run whose task is static, once: see lil_sim_solve_static. Each load step is a frame, whose `t` is the load factor;
 * lil_run_finish writes the output, also of the frames before a failure. */
LIL_API lil_status lil_run_solve_static(lil_run *run, const lil_static_def *def, lil_static_result *result);
/* A run whose task is modes, once: see lil_sim_modes. balanced: about the equilibrium that `def` leads to, which is
 * solved for first; NULL: about the scene's start. Each mode is a loop of frames: mode i (from 0) from t = i to i + 1.
 * They are the caller's, to be destroyed; lil_run_finish writes the output. */
LIL_API lil_status lil_run_solve_modes(lil_run *run, const lil_static_def *balanced, const lil_modes_def *def,
                                       lil_modes **modes);

#endif /* LIL_CORE_ONLY */

#ifdef __cplusplus
}
#endif

#endif
