/* keys and shot: a scene whose motion is found between key frames. */
#ifndef LIL_SCENE_KEYS_H
#define LIL_SCENE_KEYS_H

#include "keyframes/shot.h"
#include "scene/system.h"

/* The costs of all iterations, and the frames of each level as they were last: of all coordinates, also those that are held. */
typedef struct lil_shot_history {
    double *cost; /* to be freed, as are the others */
    int *level;
    int count, room;
    double **frames;
    int *strides; /* of each level: its frames are this far apart */
    int level_count;
    /* the frames after each iteration, one set after the other, as long as they are not too many; NULL: they were */
    double *steps;
    size_t steps_room;
    bool failed; /* no memory */
} lil_shot_history;

typedef struct lil_shot_settings {
    const lil_node *node; /* keys; NULL: there are none */
    const lil_node *root; /* the scene: where what is wrong with it is shown */
    const lil_shot_method *method;
    void *config;
    int frames;
    double smoothness, physicality, after; /* after: s of simulation after the last key */
    int times;                             /* 1: those of keys inside are free */
    int steps_after;
    const lil_node *start; /* a run whose frames it starts from; NULL: none */
    double *start_frames;  /* of what is free, where it begins; NULL: with what the method finds */
    lil_shot_key *whole;   /* the keys as whole poses; NULL: they are, or it does not matter */
    bool by_mass;
    const lil_node *cost; /* NULL: there is none */
    lil_term running;
    int count;  /* of keys */
    double *at; /* their times */
    lil_shot_key *keys;
    lil_positions placed;   /* what is fixed or moved by handles, at the time of a key */
    const double **weights; /* of each key, of each body: how its surface is carried; NULL: nobody knows */
    double pose_error;      /* how far surfaces are from their poses in files, at most; NaN: there are none */
    int *key_frames;        /* the same as ints */
    lil_shot_history history;
    bool (*watch)(void *user, int level, int iteration, double cost); /* the caller's */
    void *user;
    lil_shot *shot;
    bool fails_by_cost; /* it is not finite where the shot begins */
    lil_shot_result result;
} lil_shot_settings;

extern const lil_field lil_shot_fields[];
extern const int lil_shot_field_count;

/* When the keys are, and how the shot is to be solved: all that does not need the system. */
lil_status lil_read_shot(const lil_reader *rd, const lil_node *root, lil_shot_settings *settings);
/* What the keys hold. system->q and v become those of the first. */
lil_status lil_read_keys(const lil_reader *rd, lil_system *system, const lil_integrator *integrator,
                         lil_shot_settings *settings);

/* settings->whole */
lil_status lil_complete_keys(const lil_reader *rd, const lil_system *system, lil_shot_settings *settings);
/* shot.cost; the term's table destroys what it made of it. */
lil_status lil_read_running(const lil_reader *rd, const lil_system *system, const lil_node *node, lil_term *term);

/* Makes it, by the integrator's rule; not solved. */
lil_status lil_shot_begin(lil_context *ctx, const lil_model *model, const lil_rule *rule, lil_shot_settings *settings,
                          lil_shot **shot);
/* Solves it. */
lil_status lil_shot_run(lil_context *ctx, const lil_model *model, const lil_rule *rule, lil_shot_settings *settings);
/* What of the scene lil_shot_begin or lil_shot_run failed at. */
const lil_node *lil_shot_blame(const lil_shot_settings *settings, lil_status status);
void lil_shot_settings_destroy(lil_shot_settings *settings);

/* phi of frame k; of a key with a velocity inside, the mean of what acts before and after it. */
void lil_shot_frame_force(const lil_shot *shot, int k, double *phi);

#endif
