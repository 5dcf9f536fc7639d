/*
 * Shots from C: where things are at certain times, and the motion between that needs the least ghost force beside the forces of nature
 * (docs/keyframes.md). A shot is solved as a whole; it is no simulation.
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
 * Defs come from their _default function. Everything is copied but the model and `user` pointers, which are borrowed. A sentence about a
 * key begins with its path: "keys[1].poses[0]: ...".
 */
#ifndef LILYAN_SHOT_H
#define LILYAN_SHOT_H

#include <lilyan/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keys ---- */

/* Where a whole body of a world is. */
typedef struct lil_pose_def {
    size_t size;
    int body;
    const double *x; /* its vertices, 3 each; NULL: as at rest */
    const double
        *surface; /* or the vertices of the surface that rides in it: the tets are fitted to it. NULL: none */
    double scale[3], rotate[3],
        translate[3]; /* then moved: the first two about its centre of mass at rest, degrees */
} lil_pose_def;

LIL_API lil_pose_def lil_pose_def_default(void);

/* Where some vertices of a body are: they are placed as at rest, turned by `rotate`, with their mean at `at`. */
typedef struct lil_point_def {
    size_t size;
    const char
        *group; /* "tip", or "bar.tip" where two bodies have it; the name of a body: all of it. NULL: by `vertices` */
    int body, vertex_count;
    const int *vertices;
    double at[3], rotate[3];
    bool free[3]; /* of at: that coordinate is not held */
} lil_point_def;

LIL_API lil_point_def lil_point_def_default(void);

/* A key. `q` has all coordinates: those of the model, or of a world three a vertex (lil_world_vertices), fixed ones too. Poses and
 * points are of worlds alone. What several of them say of a vertex must agree. */
typedef struct lil_key_def {
    size_t size;
    double t;         /* s */
    double weight;    /* of a soft key, which may be missed, 1/s^3 of bodies; 0: it is met */
    const double *q;  /* NULL: poses or points say it */
    const bool *held; /* which of q count; NULL: all */
    const double *v;  /* all velocities; NULL: they are free. Needs a key that holds everything */
    const lil_pose_def *poses;
    int pose_count;
    const lil_point_def *points;
    int point_count;
    bool recorded; /* q is a frame of a simulation: it may be inside an obstacle, for it was there */
} lil_key_def;

LIL_API lil_key_def lil_key_def_default(void);

/* ---- the shot ---- */

typedef enum lil_shot_times {
    LIL_TIMES_FIXED,
    LIL_TIMES_FREE, /* keys between the first and the last are when the ghost force is least */
} lil_shot_times;

/* A cost of your own, c(t, q, v, phi), which is to be small beside the ghost force phi; its derivatives are wanted where they are not NULL. q,
 * v and phi have as many entries as the model; of worlds three a mark: of each body, then of its groups, means of positions and
 * velocities, and the whole ghost force. False: there is no such cost. */
typedef bool lil_cost_fn(void *user, double t, const double *q, const double *v, const double *phi, double *c,
                         double *dq, double *dv, double *dphi);

typedef struct lil_shot_def {
    size_t size;
    int frames;             /* intervals from the first key to the last */
    double smoothness;      /* s: over which time changes of the ghost force cost as much as the force */
    double physicality;     /* how much of the forces of nature counts: 1, all; 0, none, and the motion is a spline */
    int times;              /* lil_shot_times */
    const char *method;     /* "global" or "local" */
    const char *options;    /* its fields, "iterations=400"; NULL: the defaults */
    const char *integrator; /* whose discrete Lagrangian it is: "midpoint", without bodies "stormer-verlet" too */
    const double *start;    /* frames + 1 rows of all coordinates to begin with; NULL: what the method finds */
    lil_cost_fn *cost;      /* NULL: none */
    void *user;
} lil_shot_def;

LIL_API lil_shot_def lil_shot_def_default(void);

/* Checks the keys and makes room; solves nothing. The model comes from callbacks, a text or a world. */
LIL_API lil_status lil_shot_create(lil_context *ctx, const lil_model *model, const lil_key_def *keys, int key_count,
                                   const lil_shot_def *def, lil_shot **shot);
LIL_API void lil_shot_destroy(lil_shot **shot);

/* Called after each iteration, and with level -1 within long ones. False cancels. */
typedef bool lil_shot_fn(void *user, int level, int iteration, double cost);

/* LIL_ERR_CONVERGENCE and LIL_ERR_INTERRUPTED (it was cancelled) leave the best frames so far, which can be read; solved again, it goes on
 * from them. After other failures there are none. */
LIL_API lil_status lil_shot_solve(lil_shot *shot, lil_shot_fn *progress, void *user);

/* As lil_sim_set_profile and lil_sim_profile, for lil_shot_solve. There are no steps in it, and no kicks, watch and record. */
LIL_API lil_status lil_shot_set_profile(lil_shot *shot, bool on);
LIL_API lil_profile lil_shot_profile(const lil_shot *shot);

/* What came of a shot. */
struct lil_shot_result {
    double cost;            /* sum of w |phi|^2, and of its changes where there is smoothness; phi the ghost force */
    double key_error_max;   /* what a hard key is missed by; NaN: there is none */
    double soft_error_max;  /* what a soft key is missed by; NaN: there is none */
    double pose_error_max;  /* what tets miss the pose of a surface by, m; NaN: there is no such pose */
    double ghost_force_max; /* the largest |phi| */
    double
        ghost_share; /* of it and the forces of nature, root mean squares: 0, it moves by itself; 1, nature does nothing */
    double residual; /* by how much frames are still off, about, over the largest coordinate of a key */
    int iterations;
    bool converged;
    int key_count;
    const double *key_times; /* of the keys, s, lent as long as the shot: where they are free, what was found */
    bool free_times;
};

/* False: it was not solved. */
LIL_API bool lil_shot_outcome(const lil_shot *shot, lil_shot_result *result);

/* A frame; arrays have all coordinates, as q of a key has, and are lent until the next call. */
typedef struct lil_shot_frame {
    double t;
    int n;
    const double *q, *v, *p;
    const double *ghost_force; /* phi; 0 where something is fixed or moved by a handle */
} lil_shot_frame;

LIL_API int lil_shot_frames(const lil_shot *shot); /* with both ends */
LIL_API int lil_shot_size(const lil_shot *shot);   /* coordinates of a frame */
/* Frames are counted from 0. LIL_ERR_ARGUMENT: it was not solved, or there is no such frame. */
LIL_API lil_status lil_shot_frame_at(lil_shot *shot, int index, lil_shot_frame *frame);

#ifndef LIL_CORE_ONLY
/* Writes a solved shot to a trajectory file, with ghost forces, keys and how it was found, for `lilyan report` and lil_trajectory_open.
 * Of def->every frames one is written, and the last. */
LIL_API lil_status lil_shot_record(lil_shot *shot, const lil_recording_def *def);
#endif

#ifdef __cplusplus
}
#endif

#endif
