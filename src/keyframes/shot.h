/*
 * A shot with keys for all coordinates, also fixed ones, and its result. The minimisation over the free coordinates
 * is a lil_problem.
 */
#ifndef LIL_KEYFRAMES_SHOT_H
#define LIL_KEYFRAMES_SHOT_H

#include "integrators/stepper.h"
#include "keyframes/history.h"
#include "keyframes/problem.h"
#include "world/world.h"

#include <lilyan/shot.h>

/* A member of a def. key -1: of the shot's; index -1: the member is no list. A member with a colon, "cost:",
 * should not be there at all. */
typedef struct lil_shot_place {
    int key;
    const char *member; /* NULL: the whole key */
    int index;
} lil_shot_place;

/* The location of such a member, as messages begin: "scene.yaml:3:5: ", or "keys[1].poses[0]: ". */
typedef struct lil_shot_places {
    void (*find)(void *user, lil_shot_place place, char *text, size_t size); /* NULL: by paths */
    void *user;
} lil_shot_places;

enum { LIL_PLACE_MAX = 256 };

/* The arguments of lil_shot_create, and those that only scenes have. */
typedef struct lil_shot_parts {
    const lil_model *model;
    lil_world *world; /* NULL: the model has no world */
    const lil_key_def *keys;
    int key_count;
    const lil_shot_def *def;
    const lil_integrator *integrator; /* NULL: by name, as is the method */
    const void *integrator_config;
    const lil_shot_method *method;
    const void *config;
    const lil_term *running;      /* instead of def->cost; borrowed */
    const double *const *carried; /* of each key, of each body: weights of its embedded surface; NULL: unknown */
    lil_shot_places places;       /* asked while the shot is created */
} lil_shot_parts;

struct lil_shot {
    lil_context *ctx;
    bool measured; /* the profile's clock runs while it is solved */
    lil_phases phases;
    lil_arena arena;
    const lil_model *model;
    lil_world *world;
    int n; /* of all coordinates */
    const char *const *names;
    lil_shot_places places;
    lil_shot_def def; /* numbers alone */
    const lil_shot_method *method;
    const void *config;
    const char *integrator;
    lil_rule rule;        /* the integrator's */
    bool by_mass;         /* there are bodies of tets */
    const lil_term *cost; /* NULL: none */
    lil_term own_cost;
    int key_count;
    double *at;                 /* times of keys */
    lil_shot_key *keys, *whole; /* whole: the keys as whole poses, for the initial guess; NULL: not needed */
    int *key_frames;            /* of keys */
    lil_positions placed;       /* fixed vertices and handles, at the time of a key */
    const double **weights;     /* of each key, of each body: weights of its embedded surface; NULL: unknown */
    double pose_error;          /* largest distance of surfaces from their poses; NaN: no such pose */
    double *start;              /* initial guess of the frames of free coordinates; NULL: the method's own */
    const char **key_at, *keys_at, *frames_at, *cost_at; /* their locations, for messages of the solver */
    lil_problem *problem;
    lil_shot_history history;
    lil_shot_fn *progress; /* while it is being solved */
    void *user;
    bool solved;
    lil_shot_result result;
    double *q, *v, *p, *phi, *room; /* of the latest requested frame */
};

/* ---- shot.c ---- */

lil_status lil_shot_make(lil_context *ctx, const lil_shot_parts *parts, lil_shot **shot);
/* Solves it. Returns LIL_OK also if it was cancelled or did not converge. */
lil_status lil_shot_solve_frames(lil_shot *shot, lil_shot_fn *progress, void *user);
/* Fails with a message if it did not converge. */
lil_status lil_shot_check_converged(const lil_shot *shot);

/* phi of frame k, of free coordinates; at a key inside with a velocity, the mean of those before and after it. */
void lil_shot_force(const lil_shot *shot, int k, double *phi);

/* ---- places.c ---- */

/* Fails with the message, with its place before it. */
lil_status lil_shot_refuse(lil_context *ctx, const lil_shot_places *places, lil_shot_place at, lil_status status,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same with the context's latest message. */
lil_status lil_shot_put_place(lil_context *ctx, const lil_shot_places *places, lil_shot_place at, lil_status status);
/* The place, kept in the shot's arena. NULL: no memory. */
const char *lil_shot_keep_place(lil_shot *shot, lil_shot_place at);

/* ---- keys.c ---- */

/* Checks of a def that need no model: numbers and times of keys. frames: the frame of each key; may be NULL. */
lil_status lil_shot_check_def(lil_context *ctx, const lil_shot_places *places, const lil_shot_def *def,
                              const lil_key_def *keys, int count, int *frames);
/* Sets shot->keys and their data. */
lil_status lil_shot_take_keys(lil_shot *shot, const lil_shot_parts *parts);
/* Reduces x from all coordinates to the free ones, in place. */
void lil_shot_select_free(const lil_model *model, double *x);

/* ---- key_poses.c ---- */

/* A key of all coordinates, also fixed ones. */
typedef struct lil_key_pose {
    double *x;
    bool *held;             /* which of x the key prescribes */
    const double *placed;   /* positions of fixed vertices and handles then; NULL: none */
    const double **weights; /* of each body: weights of its embedded surface then, 3 per vertex; NULL: unknown */
    double missed;          /* of poses of surfaces: the largest distance to the tets; NaN: none */
} lil_key_pose;

/* q, poses and points of key i. */
lil_status lil_shot_take_poses(lil_shot *shot, const lil_key_def *key, int i, lil_key_pose *pose);

/* ---- key_start.c ---- */

/* shot->whole */
lil_status lil_shot_complete_keys(lil_shot *shot);

/* ---- own_cost.c ---- */

/* def->cost as a term over positions and ghost forces. */
lil_status lil_shot_take_cost(lil_shot *shot, lil_cost_fn *cost, void *user);

#endif
