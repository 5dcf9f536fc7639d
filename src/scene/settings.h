/* integrator, solver, time, record. */
#ifndef LIL_SCENE_SETTINGS_H
#define LIL_SCENE_SETTINGS_H

#include "scene/table.h"

typedef struct lil_time_def {
    double step, until, start;
    int halvings;
} lil_time_def;

typedef struct lil_record_def {
    double fps;
    double every;
} lil_record_def;

struct lil_shot_settings;

typedef struct lil_settings {
    const lil_integrator *method;
    void *config;
    lil_solver_def solver;
    lil_time_def time;
    lil_record_def record;
    bool adaptive; /* time.adaptive asks for steps that vary */
    int64_t steps; /* from start to until; adaptive: not known */
} lil_settings;

/* A shot, whose times have been read, needs no `time`. */
lil_status lil_read_settings(const lil_reader *rd, const lil_node *root, const struct lil_shot_settings *shot,
                             lil_settings *settings);

/* Frame j (j = 0 is the start) is taken at this step. How the run ends is a frame besides. */
int64_t lil_frame_step(const lil_settings *settings, int64_t j);
int64_t lil_frames_expected(const lil_settings *settings); /* about */

#endif
