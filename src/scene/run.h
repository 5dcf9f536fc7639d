/* A scene being simulated and recorded. */
#ifndef LIL_SCENE_RUN_H
#define LIL_SCENE_RUN_H

#include "core/text.h"
#include "keyframes/drawn_force.h"
#include "record/file/tracks.h"
#include "record/file/world_record.h"
#include "scene/adaptive.h"
#include "scene/keys.h"
#include "scene/observe.h"
#include "scene/phase_loop.h"
#include "scene/settings.h"
#include "sim/equilibrium.h"
#include "sim/phase_loop.h"
#include "terms/pose.h"

struct lil_run {
    lil_context *ctx;
    lil_arena arena;
    const char *file, *variant, *output;
    const lil_node *root; /* the scene as it is run; while it is created */
    char up;              /* y or z */
    lil_system system;
    lil_rest rest; /* of bodies that start in equilibrium */
    lil_settings settings;
    lil_adaptive adaptive;
    lil_observe observe;
    lil_draw draw;
    lil_phase_loop_settings loop_settings;
    lil_shot_settings shot;
    double *ghost_force, *placed; /* of a shot: phi of the latest frame; its p, and phi of what is free */
    lil_drawn_force drawn_force;  /* the same on drawn points, of a text Lagrangian */
    lil_shot_fn *watch;           /* of a shot while it is solved */
    void *user;
    lil_sim *sim;
    lil_phase_loop loop;
    double area_first, area_min, area_max;     /* of the loop, at the frames */
    double regular_area_min, regular_area_max; /* the same, at the frames taken by the rule */
    lil_recorder_def recorder_def;
    lil_recorder *recorder; /* NULL: nothing is recorded, or frames of a shot are still being collected */
    double *rows;           /*   here: what is wrong with one of them is known before there is an output */
    int row_count;
    size_t row_width;
    bool resume, resumed;   /* there is an output to go on with; it has frames */
    lil_tracks tracks;      /* at the latest frame */
    lil_world_record world; /* with all coordinates at the latest frame, also those that are held */
    double *draw_slots, *draw_now;
    const double **values;            /* of the recorder's channels */
    int64_t frames, regular;          /* taken; of them by the rule, not because the run ended */
    int64_t last_frame, last_regular; /* the steps of the latest */
    double t_before, t_now;           /* where the latest step began and ended */
    bool measured;                    /* its steps, and solving its shot, are timed */
    bool failed, finished;            /* finished: the output is complete and closed */
    const char **invariant_names;
    double *invariant_changes;
    int invariant_count;
    char ended[LIL_STATUS_MAX];
    double wall, cpu;
    lil_text text;
};

/* The recorder's tables, labels and points. */
lil_status lil_run_tables(lil_run *run, lil_recorder_def *def);

/* ---- what it records (run_record.c) ---- */

/* Is there an output to resume? */
lil_status lil_run_find_output(lil_run *run, const lil_run_def *def);
/* The recorder; where there is an output to resume, the run then stands where that ends. */
lil_status lil_run_create_recorder(lil_run *run, const lil_scene *scene, const lil_run_def *def);
/* by_the_rule: a longer run has this frame too. */
lil_status lil_run_record_frame(lil_run *run, bool by_the_rule);
/* Brings up to date by how much what the scene calls invariant has changed. */
void lil_run_list_invariants(lil_run *run);

/* "complete", "interrupted", or "failed: " and why. */
const char *lil_run_how_it_ended(const lil_run *run);

#endif
