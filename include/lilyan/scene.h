/*
 * Scenes, which are YAML files, and their runs. <lilyan/lilyan.h> includes this header, unless the library was built
 * without them.
 */
#ifndef LILYAN_SCENE_H
#define LILYAN_SCENE_H

#include <lilyan/lilyan.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LIL_CORE_ONLY

/* ---- scenes ---------------------------------------------------------------------------------------------- */

LIL_API lil_status lil_scene_load(lil_context *ctx, const char *path, lil_scene **scene);
/* From memory; messages use `name` as the file's name. */
LIL_API lil_status lil_scene_parse(lil_context *ctx, const char *name, const char *text, size_t size,
                                   lil_scene **scene);
LIL_API void lil_scene_destroy(lil_scene **scene);

/* Overrides one value: "integrator.alpha=0.25". It takes precedence over variants. */
LIL_API lil_status lil_scene_set(lil_scene *scene, const char *assignment);
/* Overrides the whole integrator by its name. */
LIL_API lil_status lil_scene_set_integrator(lil_scene *scene, const char *name);
/* True: the scene has keys. Its motion is solved as a whole, so the run cannot be resumed. */
LIL_API bool lil_scene_is_shot(const lil_scene *scene);
LIL_API int lil_scene_variant_count(const lil_scene *scene);
LIL_API const char *lil_scene_variant(const lil_scene *scene, int index);

/* All keys of a scene, for readers (Markdown) and for editors (JSON Schema); free them with lil_free. NULL: no
 * memory. */
LIL_API char *lil_scene_reference(const lil_context *ctx);
LIL_API char *lil_scene_schema(const lil_context *ctx);

/* ---- runs ------------------------------------------------------------------------------------------------ */

/* What a run does with its scene; <lilyan/statics.h> has the functions of the latter two. */
typedef enum lil_task {
    LIL_TASK_MOTION, /* it simulates it, or solves its shot: lil_run_advance */
    LIL_TASK_STATIC, /* it solves for equilibrium: lil_run_solve_static. The scene needs no `time` */
    LIL_TASK_MODES,  /* it solves for modes: lil_run_solve_modes. The scene needs no `time` */
} lil_task;

typedef struct lil_run_def {
    const char *variant; /* NULL: the scene itself */
    const char *output;  /* trajectory file; NULL: nothing is recorded */
    bool replace;        /* an existing output may be replaced */
    /* resumes an existing output, bit for bit. If there is none, or a run was killed before its first frame, the
     * run starts from the beginning, with a warning */
    bool resume;
    /* Scenes with keys: called after each iteration of the solution, and with level -1 within long ones. False
     * ends it with the best frames so far. NULL: none. */
    bool (*watch)(void *user, int level, int iteration, double cost);
    void *user; /* borrowed as long as the run */
    /* Scenes with a text Lagrangian: names of the parameters that lil_sim_set_parameter may change; NULL: none. A
     * live parameter is evaluated at every step instead of being folded into constants, so the motion may differ
     * in its last bits. A mass that depends on it is not constant. `start` and `time` use its initial value.
     * Resume with the same names. */
    const char *const *live;
    int live_count;
    bool profile; /* measures where the time of its steps goes, or of solving its shot; the output has it too */
    lil_task task;
} lil_run_def;

LIL_API lil_run_def lil_run_def_default(void);

/* The scene may be destroyed or changed afterwards. */
LIL_API lil_status lil_run_create(lil_context *ctx, const lil_scene *scene, const lil_run_def *def, lil_run **run);
/* Takes and records at most `steps` further steps; stops at the end. On failure the recorded frames are kept, and
 * the run is marked as ended early. The first call solves a shot, which may take long; its frames are steps, and
 * the output is written once they are all known. */
LIL_API lil_status lil_run_advance(lil_run *run, int64_t steps);
/* Records how the run ended, completes the output and closes it. Call it after the last step, even if that failed.
 * A second call does nothing and returns LIL_OK. A run that was finished before its end takes no more steps:
 * lil_run_advance returns LIL_ERR_ARGUMENT. */
LIL_API lil_status lil_run_finish(lil_run *run);
/* Without lil_run_finish the output stays as a kill would leave it: what is on the disk can be resumed. */
LIL_API void lil_run_destroy(lil_run **run);

LIL_API int64_t lil_run_steps_done(const lil_run *run);
LIL_API double lil_run_progress(const lil_run *run); /* 0 at the start, 1 at the end */
LIL_API bool lil_run_complete(const lil_run *run);
LIL_API int64_t lil_run_frames(const lil_run *run);
/* Its Sim, for control. A step by lil_sim_step or lil_sim_advance is a step of the run: frames are recorded as
 * lil_run_advance does, until lil_run_finish. They return errors of the output too. Before the last key of a shot
 * this is refused, because its frames are solved as a whole, not stepped. */
LIL_API lil_sim *lil_run_sim(lil_run *run);
LIL_API const lil_model *lil_run_model(const lil_run *run);
LIL_API const char *lil_run_integrator(const lil_run *run);
/* The contact method, "barrier" or "penalty"; NULL: no contact is possible. reason (may be NULL): why penalty was
 * chosen for a scene that names no method, or NULL. */
LIL_API const char *lil_run_contact(const lil_run *run, const char **reason);

/* The result of a scene with keys (<lilyan/shot.h>). False: it has no keys, or it is not solved yet. */
LIL_API bool lil_run_shot(const lil_run *run, lil_shot_result *result);

/* The scene's `observe`. False: no more. The name is lent as long as the run. */
typedef struct lil_observable {
    const char *name;
    bool invariant; /* the scene marks it as conserved */
    double first, last, min, max;
    /* Its largest change, relative: for an invariant to the largest sum of magnitudes of all steps (P = sum p_i
     * may be zero but for round-off), otherwise to |first|; absolute if that is 0. */
    double drift;
} lil_observable;

LIL_API bool lil_run_observable(const lil_run *run, int index, lil_observable *observable);

/* False: lil_run_def.profile was not set. */
LIL_API bool lil_run_profile(const lil_run *run, lil_profile *profile);

/* The result as one JSON object; lent until the next call. NULL: no memory. */
LIL_API const char *lil_run_json(lil_run *run);
/* A description of the scene, its model and its settings for a reader; lent until the next call. */
LIL_API const char *lil_run_describe(lil_run *run);

#endif /* LIL_CORE_ONLY */

#ifdef __cplusplus
}
#endif

#endif
