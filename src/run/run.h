/*
 * A Run: a Sim or a shot from its start to its end. It records frames by a rule, keeps checkpoints from which it can be
 * resumed, and sums up what came of it. It knows nothing of scenes: scene/create.c reads one into the plan.
 */
#ifndef LIL_RUN_RUN_H
#define LIL_RUN_RUN_H

#include "core/text.h"
#include "keyframes/drawn_force.h"
#include "record/file/tracks.h"
#include "record/file/world_record.h"
#include "run/plan.h"

#include <lilyan/scene.h>
#include <lilyan/statics.h>

struct lil_run {
    lil_context *ctx;
    lil_arena arena;
    lil_run_plan plan;
    double *placed;         /* of a shot: p of the latest frame, and phi of free coordinates */
    lil_task task;          /* not a motion: its frames are placed too, and written when it is finished */
    bool solved;            /*   and it was solved */
    double task_t;          /*   `t` of the latest frame */
    lil_table *task_tables; /*   what the output has besides */
    lil_label task_label;
    int task_table_count;
    lil_drawn_force drawn_force; /* of a shot of a text Lagrangian: the ghost force on drawn points */
    lil_shot_fn *watch;          /* of a shot while it is solved */
    void *user;
    lil_sim *sim;
    lil_phase_loop loop;
    double area_first, area_min, area_max;     /* of the loop, at the frames */
    double regular_area_min, regular_area_max; /* the same, at the frames taken by the rule */
    const char *output;                        /* NULL: nothing is recorded */
    lil_recorder_def recorder_def;
    lil_recorder *recorder; /* NULL: nothing is recorded, or frames of a shot are still being collected */
    double *rows;           /*   here: what is wrong with one of them is known before there is an output */
    int row_count, row_room;
    struct lil_row_contacts *row_contacts; /* of each of them */
    size_t row_width;
    bool resume, resumed; /* there is an output to resume; it has frames */
    lil_tracks tracks;
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

/* ---- start (run.c) ---- */

/* An empty Run; lil_run_destroy ends it, also where its plan is half filled in. NULL: no memory. */
lil_run *lil_run_new(lil_context *ctx);
/* The output, and whether there is one to resume. */
lil_status lil_run_find_output(lil_run *run, const lil_run_def *def);
/* Its Sim and the loop around it, when the plan is made. *part: what a failure is about, where the sentence does
 * not say. */
lil_status lil_run_create_sim(lil_run *run, lil_sim_part *part);
/* The recorder and the first frame. From here on the Run follows each step of its Sim. */
lil_status lil_run_begin(lil_run *run, const lil_run_def *def);

/* Frame j (j = 0 is the start) is taken at this step. How the run ends is a frame besides. */
int64_t lil_frame_step(const lil_settings *settings, int64_t j);
int64_t lil_frames_expected(const lil_settings *settings); /* about */

/* The run has failed, as the context's message says. */
void lil_run_fail(lil_run *run);
/* "complete", "interrupted", or "failed: " and why. */
const char *lil_run_how_it_ended(const lil_run *run);

/* ---- recording (record.c) ---- */

/* The recorder; where there is an output to resume, the run is then where that ends. */
lil_status lil_run_create_recorder(lil_run *run, const lil_run_def *def);
/* by_the_rule: a longer run has this frame too. */
lil_status lil_run_record_frame(lil_run *run, bool by_the_rule);
/* Brings up to date how much the invariants have changed. */
void lil_run_list_invariants(lil_run *run);
/* Frames that were collected become the output. */
lil_status lil_run_write_rows(lil_run *run);

/* ---- tasks other than a motion (task.c) ---- */

/* Its certificate: what a Sim that is placed has of it. */
lil_certificate lil_run_task_certificate(const lil_run *run);

#endif
