/*
 * Shots from C: keys set positions at given times, and the motion between them needs the least ghost force in
 * addition to the natural forces (docs/keyframes.md). A shot is solved as a whole, not simulated.
 *
 *     lil_key_def keys[2] = { lil_key_def_default(), lil_key_def_default() };
 *     lil_shot_def def = lil_shot_def_default();
 *     keys[0].q = (double[]){ 1 }, keys[0].v = (double[]){ 0 };
 *     keys[1].t = 3, keys[1].q = (double[]){ 8 };
 *     def.frames = 96;
 *     lil_shot_create(ctx, model, keys, 2, &def, &shot);
 *     lil_shot_solve(shot, NULL, NULL);
 *     for (int k = 0; k < lil_shot_frames(shot); k++)
 *         lil_shot_frame_at(shot, k, &frame);
 *
 * Initialise defs with their _default function. Everything is copied except the model and `user` pointers, which are
 * borrowed. A message about a key begins with its path: "keys[1].poses[0]: ...".
 */
#ifndef LILYAN_SHOT_H
#define LILYAN_SHOT_H

#include <lilyan/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keys ---- */

/* Position of a whole body of a world. */
typedef struct lil_pose_def {
    size_t size;
    int body;
    const double *x;       /* its vertices, 3 each; NULL: the rest shape */
    const double *surface; /* or the vertices of its embedded surface, to which the tets are fitted. NULL: none */
    double scale[3], rotate[3],
        translate[3]; /* applied afterwards; scale and rotate (degrees) about the centre of mass at rest */
} lil_pose_def;

LIL_API lil_pose_def lil_pose_def_default(void);

/* Position of some vertices of a body: they keep their rest shape, rotated by `rotate`, with their mean at `at`. */
typedef struct lil_point_def {
    size_t size;
    const char
        /* "tip", or "bar.tip" if two bodies have one; the name of a body: all of it. NULL: `vertices` are used */
        *group;
    int body, vertex_count;
    const int *vertices;
    double at[3], rotate[3];
    bool free[3]; /* this coordinate of `at` is not set */
} lil_point_def;

LIL_API lil_point_def lil_point_def_default(void);

/* A key. `q` has all coordinates: those of the model, or for a world three per vertex (lil_world_vertices), fixed
 * ones too. Poses and points need a world. If several of them set a vertex, they must agree. */
typedef struct lil_key_def {
    size_t size;
    double t;         /* s */
    double weight;    /* of a soft key, which may be missed, 1/s^3 for bodies; 0: a hard key */
    const double *q;  /* NULL: poses or points set it */
    const bool *held; /* which entries of q are set; NULL: all */
    const double *v;  /* all velocities; NULL: free. Needs a key that sets all coordinates */
    const lil_pose_def *poses;
    int pose_count;
    const lil_point_def *points;
    int point_count;
    bool recorded; /* q is a frame of a simulation, so it may be inside an obstacle */
} lil_key_def;

LIL_API lil_key_def lil_key_def_default(void);

/* ---- the shot ---- */

typedef enum lil_shot_times {
    LIL_TIMES_FIXED,
    LIL_TIMES_FREE, /* the times of keys between the first and the last minimise the ghost force */
} lil_shot_times;

/* A cost of your own, c(t, q, v, phi), which is minimised together with the ghost force phi; derivatives that are
 * not NULL must be filled in. q, v and phi have as many entries as the model; for worlds three per mark: the mean
 * position and velocity and the total ghost force of each body, then of each of its groups. False: undefined. */
typedef bool lil_cost_fn(void *user, double t, const double *q, const double *v, const double *phi, double *c,
                         double *dq, double *dv, double *dphi);

typedef struct lil_shot_def {
    size_t size;
    int frames;          /* intervals from the first key to the last */
    double smoothness;   /* s: time scale on which changes of the ghost force cost as much as the force */
    double physicality;  /* factor on natural forces: 1, full; 0, none, and the motion is a spline */
    int times;           /* lil_shot_times */
    const char *method;  /* "global" or "local" */
    const char *options; /* its fields, "iterations=400"; NULL: the defaults */
    /* integrator of the discrete Lagrangian: "midpoint", which "auto" is too; without bodies also "stormer-verlet" */
    const char *integrator;
    const double *start; /* frames + 1 rows of all coordinates as the initial guess; NULL: the method's own */
    lil_cost_fn *cost;   /* NULL: none */
    void *user;
} lil_shot_def;

LIL_API lil_shot_def lil_shot_def_default(void);

/* Checks the keys and allocates memory; solves nothing. The model comes from callbacks, a text or a world. */
LIL_API lil_status lil_shot_create(lil_context *ctx, const lil_model *model, const lil_key_def *keys, int key_count,
                                   const lil_shot_def *def, lil_shot **shot);
LIL_API void lil_shot_destroy(lil_shot **shot);

/* Called after each iteration, and with level -1 within long ones. False cancels. */
typedef bool lil_shot_fn(void *user, int level, int iteration, double cost);

/* LIL_ERR_CONVERGENCE and LIL_ERR_INTERRUPTED (cancelled) leave the best frames so far, which can be read; another
 * call continues from them. After other failures there are no frames. */
LIL_API lil_status lil_shot_solve(lil_shot *shot, lil_shot_fn *progress, void *user);

/* As lil_sim_set_profile and lil_sim_profile, for lil_shot_solve. There are no steps in it, and no kicks, watch
 * and record. */
LIL_API lil_status lil_shot_set_profile(lil_shot *shot, bool on);
LIL_API lil_profile lil_shot_profile(const lil_shot *shot);

/* The result of a shot. */
struct lil_shot_result {
    double cost;           /* sum of w |phi|^2, and of its changes if there is smoothness; phi is the ghost force */
    double key_error_max;  /* largest error of a hard key; NaN: there is none */
    double soft_error_max; /* largest error of a soft key; NaN: there is none */
    double
        pose_error_max; /* largest distance of the tets from the pose of a surface, m; NaN: there is no such pose */
    double ghost_force_max; /* the largest |phi| */
    double
        /* share of ghost force in ghost and natural forces, root mean squares: 0, no ghost force; 1, only ghost
         * force */
        ghost_share;
    double residual; /* approximate remaining error of the frames, relative to the largest coordinate of a key */
    int iterations;
    bool converged;
    int key_count;
    const double *key_times; /* times of the keys, s, lent as long as the shot; free ones as solved */
    bool free_times;
};

/* False: not solved. */
LIL_API bool lil_shot_outcome(const lil_shot *shot, lil_shot_result *result);

/* A frame; arrays have all coordinates, like q of a key, and are lent until the next call. */
typedef struct lil_shot_frame {
    double t;
    int n;
    const double *q, *v, *p;
    const double *ghost_force; /* phi; 0 for coordinates that are fixed or moved by a handle */
} lil_shot_frame;

LIL_API int lil_shot_frames(const lil_shot *shot); /* both ends included */
LIL_API int lil_shot_size(const lil_shot *shot);   /* coordinates per frame */
/* Frames count from 0. LIL_ERR_ARGUMENT: not solved, or no such frame. */
LIL_API lil_status lil_shot_frame_at(lil_shot *shot, int index, lil_shot_frame *frame);

#ifndef LIL_CORE_ONLY
/* Writes a solved shot to a trajectory file, with ghost forces, keys and the history of the solution, for `lilyan
 * report` and lil_trajectory_open. Every def->every-th frame is written, and the last. */
LIL_API lil_status lil_shot_record(lil_shot *shot, const lil_recording_def *def);
#endif

#ifdef __cplusplus
}
#endif

#endif
