/* A scene being simulated and recorded. */
#ifndef LIL_SCENE_RUN_H
#define LIL_SCENE_RUN_H

#include "core/text.h"
#include "record/recorder.h"
#include "scene/adaptive.h"
#include "scene/drawn_force.h"
#include "scene/keys.h"
#include "scene/loop.h"
#include "scene/observe.h"
#include "scene/rest.h"
#include "scene/settings.h"
#include "sim/loop.h"
#include "terms/pose.h"

/* What is recorded beside the state, where it applies; at the latest frame. */
typedef struct lil_extras {
    double elastic, dissipated, work; /* J; the latter two from the start on */
    double linear[3], angular[3];     /* kg m/s, and kg m^2/s about where the centre of mass started */
    double ghost;                     /* |phi| */
    double step, iterations;          /* the latest step, s; Newton iterations from the start on */
    double gap, contact_force, contact_energy, pairs; /* of the barrier */
    double *forces, violation;                        /* of each named constraint, N; the largest |g| */
} lil_extras;

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
    lil_loop_settings loop_settings;
    lil_shot_settings shot;
    double *ghost_force, *placed; /* of a shot: phi of the latest frame; its p, and phi of what is free */
    lil_drawn_force drawn_force;  /* the same on drawn points, of a text Lagrangian */
    lil_sim *sim;
    lil_loop loop;
    double area_first, area_min, area_max;     /* of the loop, at the frames */
    double regular_area_min, regular_area_max; /* the same, at the frames taken by the rule */
    lil_recorder *recorder;
    bool resume, resumed; /* there is an output to go on with; it has frames */
    double *full;         /* q, v, p of all coordinates at the latest frame, where some are held */
    lil_extras extras;
    lil_touching *touching; /* at the latest frame */
    int touching_room;
    double d_hat; /* of the barrier, the largest, m */
    double *draw_slots, *draw_now;
    lil_drive_slots *obstacle_slots;
    double *obstacle_places;          /* of each at the latest frame: its point, and how it is turned, a quaternion */
    const double **values;            /* of the recorder's channels */
    int64_t frames, regular;          /* taken; of them by the rule, not because the run ended */
    int64_t last_frame, last_regular; /* the steps of the latest */
    double t_before, t_now;           /* where the latest step began and ended */
    bool finished;                    /* the output is complete and closed */
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

/* Brings run->full up to date; p of what is held is what its mass would have. */
void lil_run_fill(lil_run *run);

/* "complete", "interrupted", or "failed: " and why. */
const char *lil_run_how_it_ended(const lil_run *run);

#endif
