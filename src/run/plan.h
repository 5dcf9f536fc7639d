/* The plan of a Run: the model and its start, the method, the times, the recording. The scene reader fills it in. */
#ifndef LIL_RUN_PLAN_H
#define LIL_RUN_PLAN_H

#include "keyframes/shot.h"
#include "record/file/recorder.h"
#include "sim/equilibrium.h"
#include "sim/phase_loop.h"

typedef struct lil_time_def {
    double step, until, start;
    int halvings;
} lil_time_def;

/* fps and every: at most one is given. Where none is, the Run chooses. */
typedef struct lil_record_def {
    double fps;
    double every;
    lil_frame_form form;
} lil_record_def;

typedef struct lil_settings {
    const lil_integrator *method; /* NULL: auto, until there is a Sim, which chooses */
    void *config;
    lil_solver_def solver;
    lil_time_def time;
    lil_record_def record;
    bool adaptive; /* steps vary */
    int64_t steps; /* from start to until; adaptive: not known */
} lil_settings;

/* Something that is measured, lil_sim_add_measure. */
typedef struct lil_measured {
    lil_quantity quantity;
    const char *name, *text; /* "left", "reaction(left)" */
} lil_measured;

/* Named quantities of (t, q, v) and measures, which are inputs after all of q. */
typedef struct lil_observe {
    int count;
    const char **names;
    const char **units; /* "": unknown */
    lil_measured *measures;
    int measure_count;
    bool *invariant;
    int *size;           /* of an invariant: which output is the size of the terms that it sums; -1 of others */
    lil_program program; /* one output each, then the sizes */
} lil_observe;

/* Named points of (t, q, v), and lines between them. */
typedef struct lil_draw {
    int count; /* of points */
    const char **names;
    lil_program program; /* x, y, z each */
    int link_count;
    int (*links)[2]; /* points; -1 is the origin */
} lil_draw;

/* A closed loop of initial conditions around (q, v). */
typedef struct lil_loop_def {
    double *q, *v;
    double radius;
    int points; /* 0: there is no loop */
} lil_loop_def;

/* Its pointers refer to the Run's arena or to data that outlives the Run. */
typedef struct lil_run_plan {
    const char *file, *variant;   /* where it comes from; variant NULL: none */
    const char *text, *overrides; /* the source, recorded with the motion */
    char up;                      /* y or z */
    lil_model *model;             /* owned */
    lil_world *world;             /* owned; NULL: the model does not come from one */
    int n;                        /* coordinates that are recorded, also those that are held */
    const char *const *names;
    double *q, *v; /* of the degrees of freedom, at the start */
    lil_rest rest; /* of bodies that start in equilibrium */
    lil_settings settings;
    lil_control_def control;
    lil_observe observe;
    lil_draw draw;
    lil_loop_def loop;
    lil_shot *shot;        /* owned; NULL: it is simulated */
    lil_term running_cost; /* of the shot, owned; table NULL: none */
} lil_run_plan;

#endif
