/* keys and shot: a scene whose motion is found between key frames. They become the defs of <lilyan/shot.h>. */
#ifndef LIL_SCENE_KEYS_H
#define LIL_SCENE_KEYS_H

#include "keyframes/shot.h"
#include "scene/key_poses.h"

typedef struct lil_shot_settings {
    const lil_node *node;   /* keys; NULL: there are none */
    const lil_node *root;   /* the scene, for locations in messages while it is read */
    const lil_node *system; /* likewise, for messages about the model */
    lil_shot_def def;
    double after; /* s of simulation after the last key */
    int steps_after;
    const lil_shot_method *method;
    void *config;
    const lil_node *start; /* a run whose frames it starts from; NULL: none */
    const lil_node *cost;  /* NULL: there is none */
    lil_term *running;     /* where the cost goes; it lives as long as the shot */
    int count;             /* of keys */
    lil_key_def *keys;
    lil_key_text *texts;
    lil_shot *shot;
} lil_shot_settings;

/* When the keys are, and how the shot is to be solved: all that does not need the system. */
lil_status lil_read_shot(const lil_reader *rd, const lil_node *root, lil_shot_settings *settings);
/* Reads the keys: settings->shot, not solved. system->q and v become those of the first key. */
lil_status lil_read_keys(const lil_reader *rd, lil_system *system, lil_shot_settings *settings);

/* shot.cost; the term's table destroys it. */
lil_status lil_read_running_cost(const lil_reader *rd, const lil_system *system, const lil_node *node,
                                 lil_term *term);

#endif
