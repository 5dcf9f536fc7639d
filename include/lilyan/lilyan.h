/*
 * Lilyan: motion that obeys mechanics and still takes direction.
 *
 * The one public header. SI units, right-handed, z up.
 *
 *   Model   what can move: degrees of freedom, mass, terms. Immutable once built; several Sims may share it.
 *   Sim     a Model, a State, an integrator and a certificate; owns step, watch, roll back, halve.
 *   Scene   a YAML file that describes both.
 *   Run     a Scene (or one of its variants) being simulated and recorded.
 *
 * Ownership. `create` returns an owner through its last argument, `destroy` takes the owner's address and nulls
 * it. What a getter returns is lent, until the next step or the owner's end. Strings and arrays passed in are
 * copied, unless the comment says borrowed.
 *
 * Errors. What the world can cause returns a lil_status other than LIL_OK, and leaves one sentence in the
 * context (lil_context_message). The library never prints, never exits and has no globals. A failed call leaves
 * its objects as they were. A function that returns a lil_status may be given NULL: it returns LIL_ERR_ARGUMENT, and the
 * sentence names the argument (unless there is no context to leave it in). Other functions must not be. One context belongs to one thread at a time; use one context per thread.
 */
#ifndef LILYAN_LILYAN_H
#define LILYAN_LILYAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LIL_API
#define LIL_API __attribute__((visibility("default")))
#endif

typedef enum lil_status {
    LIL_OK = 0,
    LIL_ERR_ARGUMENT, /* the call itself is wrong: a null pointer, a number out of range, a call at the wrong time */
    LIL_ERR_MEMORY,   /* memory ran out */
    LIL_ERR_INPUT, /* a text says something that cannot be: a scene, an expression, an integrator's name or options */
    LIL_ERR_FILE,  /* a file cannot be read or written */
    LIL_ERR_EXISTS,      /* the output exists and may not be replaced */
    LIL_ERR_LIMIT,       /* larger or deeper than Lilyan accepts */
    LIL_ERR_NOT_FINITE,  /* a NaN or an infinity appeared */
    LIL_ERR_CONVERGENCE, /* a solver did not reach its tolerance */
    LIL_ERR_INVERTED,    /* an element was turned inside out */
    LIL_ERR_INTERRUPTED, /* a callback of the caller's asked for an end */
} lil_status;

typedef struct lil_context lil_context;
typedef struct lil_model lil_model;
typedef struct lil_sim lil_sim;
typedef struct lil_scene lil_scene;
typedef struct lil_run lil_run;
typedef struct lil_trajectory lil_trajectory;
typedef struct lil_stepper lil_stepper;

LIL_API const char *lil_version(void); /* "0.1.0" */

/* ---- context ------------------------------------------------------------------------------------------- */

typedef void lil_log_fn(void *user, const char *sentence);

/* Returns NULL only when memory runs out. Destroy it last. */
LIL_API lil_context *lil_context_create(void);
LIL_API void lil_context_destroy(lil_context **ctx);

/* The sentence that belongs to the latest failed call, "" if none. */
LIL_API const char *lil_context_message(const lil_context *ctx);

/* Warnings go to `log`, one sentence each; without one they are dropped. `user` is borrowed. */
LIL_API void lil_context_set_log(lil_context *ctx, lil_log_fn *log, void *user);

/* On how many threads, 1 to 64, all Sims and runs of the context work from now on; by default on as many processors as this
 * process may use. Not while one of them is being stepped. Results are the same bits on any number. */
LIL_API lil_status lil_context_set_threads(lil_context *ctx, int threads);
LIL_API int lil_context_threads(const lil_context *ctx);

/* ---- field descriptors ----------------------------------------------------------------------------------
 * A method describes the fields of its configuration struct once. The table drives the scene's keys and their
 * checks, `lilyan list` and the reference page. */

typedef enum lil_kind {
    LIL_REAL,    /* double */
    LIL_INTEGER, /* int */
    LIL_CHOICE,  /* int: index into `choices` */
    LIL_LIST,    /* lil_list */
    LIL_NAME,    /* lil_name: a name that is looked up when it is used */
} lil_kind;

enum { LIL_LIST_MAX = 16, LIL_NAME_MAX = 48 };

typedef struct lil_name {
    char text[LIL_NAME_MAX];
} lil_name;

typedef struct lil_list {
    int n;
    double x[LIL_LIST_MAX];
} lil_list;

typedef struct lil_field {
    const char *name;
    lil_kind kind;
    size_t offset;              /* of the member in the configuration struct */
    double preset;              /* default; a list is empty by default */
    double least, most;         /* range of the number, or of each number of a list, ends included */
    const char *const *choices; /* LIL_CHOICE: ended by NULL; LIL_NAME: the default alone */
    const char *unit;           /* "" where there is none */
    const char *doc;            /* one sentence */
} lil_field;

/* ---- integrators ----------------------------------------------------------------------------------------
 * A method is one const table. Lilyan's own are listed by lil_integrator_count / _at; a user registers more. */

enum {
    LIL_SYMPLECTIC = 1, /* the step preserves dq ^ dp */
    /* Momenta of symmetries that act affinely on the coordinates are kept: of translations to round-off, of rotations as well as the
     * equations are solved (a step changes J by -h sum v x r, r the residual). */
    LIL_MOMENTA = 2,
    LIL_SYMMETRIC = 4,     /* a step of h followed by a step of -h comes home */
    LIL_ENERGY = 8,        /* the energy error stays bounded: no drift */
    LIL_EXPLICIT = 16,     /* no equations to solve when the mass is constant and forces do not depend on v */
    LIL_ENERGY_EXACT = 32, /* the energy is kept at any step, as well as the equations are solved */
    /* and what it does not do */
    LIL_CONSTANT_MASS_ONLY = 256, /* general Lagrangians are refused */
    LIL_ELEMENTS_ONLY = 512,      /* what is not made of elements, tets and springs, is refused */
};

typedef struct lil_claims {
    int order;      /* order of accuracy of q and p */
    unsigned holds; /* LIL_SYMPLECTIC | ... */
    double stable;  /* largest h omega at which a linear oscillation stays bounded; INFINITY: any; 0: not known */
} lil_claims;

typedef struct lil_integrator {
    const char *name;
    const char *summary;  /* one sentence */
    const char *formula;  /* in ASCII */
    const char *citation; /* where it comes from */
    const lil_field *fields;
    int field_count;
    size_t config_size;
    lil_claims (*claims)(const void *config);
    lil_status (*check)(lil_context *ctx, const void *config); /* optional: what ranges cannot say */
    lil_status (*begin)(lil_stepper *stepper);                 /* optional: once, before the first step */
    /* maps the state at t to the state at t + h, in place; t itself is advanced by the Sim, which also
     * restores the state when the step fails. Allocates nothing. */
    lil_status (*step)(lil_stepper *stepper, double h);
} lil_integrator;

/* The table is borrowed for the context's life. Its name must be new. */
LIL_API lil_status lil_context_register_integrator(lil_context *ctx, const lil_integrator *table);
LIL_API int lil_integrator_count(const lil_context *ctx);
LIL_API const lil_integrator *lil_integrator_at(const lil_context *ctx, int index);
LIL_API const lil_integrator *lil_integrator_find(const lil_context *ctx, const char *name); /* NULL: none */

/* What the method claims with its default fields. */
LIL_API lil_claims lil_integrator_claims(const lil_integrator *table);

/* What a user's own method may ask for inside `begin` and `step`. All arrays have n entries. */
typedef struct lil_state {
    double t;
    int n;
    double *q; /* positions */
    double *p; /* momenta, dL/dv */
    double *v; /* the velocity that belongs to (q, p) */
} lil_state;

LIL_API lil_state *lil_stepper_state(lil_stepper *stepper);
LIL_API const void *lil_stepper_config(const lil_stepper *stepper);
/* Zeroed memory that lives as long as the Sim; the method's own pointer is kept for it. NULL: no memory. */
LIL_API void *lil_stepper_alloc(lil_stepper *stepper, size_t bytes);
LIL_API void lil_stepper_set_data(lil_stepper *stepper, void *data);
/* In `begin`, once: that many doubles, zeroed, that belong to the state: what must outlive a step is rolled back,
 * checkpointed and resumed here. NULL: no memory. */
LIL_API double *lil_stepper_keep(lil_stepper *stepper, int count);
LIL_API void *lil_stepper_data(const lil_stepper *stepper);
/* Q = dL/dq + F at (t, q, v). */
LIL_API lil_status lil_stepper_force(lil_stepper *stepper, double t, const double *q, const double *v, double *Q);
/* v with dL/dv(t, q, v) = p; v comes in as a guess. */
LIL_API lil_status lil_stepper_velocity(lil_stepper *stepper, double t, const double *q, const double *p, double *v);

/* ---- models from C --------------------------------------------------------------------------------------
 * Callbacks return true, or false when the value does not exist there; a NaN or infinity means the same. They
 * are called from the thread that steps the Sim. `user` is borrowed. Second derivatives are optional: without
 * them they are differenced. Matrices are dense, row by row, n x n. */

/* L(t, q, v) with Lq = dL/dq and Lv = dL/dv (either may be NULL: not wanted). */
typedef bool lil_lagrangian_fn(void *user, double t, const double *q, const double *v, double *L, double *Lq,
                               double *Lv);
/* Lqq, Lqv (row: q, column: v), Lvv. */
typedef bool lil_lagrangian_hessian_fn(void *user, double t, const double *q, const double *v, double *Lqq,
                                       double *Lqv, double *Lvv);
/* *rate = dL/dt at fixed q and v. Its integral is the work that the certificate books; without it L is differenced, which costs
 * two values of L more a step, and four where L depends on t. */
typedef bool lil_lagrangian_rate_fn(void *user, double t, const double *q, const double *v, double *rate);

typedef struct lil_lagrangian_def {
    int n;
    lil_lagrangian_fn *lagrangian;
    lil_lagrangian_hessian_fn *hessian;
    void *user;
    lil_lagrangian_rate_fn *rate; /* optional */
} lil_lagrangian_def;

LIL_API lil_status lil_model_create_lagrangian(lil_context *ctx, const lil_lagrangian_def *def, lil_model **model);

/* W(t, q) with g = dW/dq (may be NULL: not wanted). */
typedef bool lil_potential_fn(void *user, double t, const double *q, double *W, double *g);
typedef bool lil_potential_hessian_fn(void *user, double t, const double *q, double *K);
/* *rate = dW/dt at fixed q. */
typedef bool lil_potential_rate_fn(void *user, double t, const double *q, double *rate);

/* L = 1/2 v'Mv - W(t, q), M diagonal and positive. */
typedef struct lil_separable_def {
    int n;
    const double *mass; /* n entries, kg (or what suits the coordinates) */
    lil_potential_fn *potential;
    lil_potential_hessian_fn *hessian;
    void *user;
    lil_potential_rate_fn *rate; /* optional */
} lil_separable_def;

LIL_API lil_status lil_model_create_separable(lil_context *ctx, const lil_separable_def *def, lil_model **model);

/* Destroy a model after the Sims that use it. */
LIL_API void lil_model_destroy(lil_model **model);
LIL_API int lil_model_size(const lil_model *model);
LIL_API const char *lil_model_name(const lil_model *model, int i); /* "theta", "x[3]"; "q[1]" from callbacks */
LIL_API bool lil_model_has_constant_mass(const lil_model *model);

/* ---- simulation ----------------------------------------------------------------------------------------- */

typedef enum lil_solver_method {
    LIL_SOLVER_AUTO,     /* minimise where the step is a minimisation, root elsewhere */
    LIL_SOLVER_MINIMISE, /* Newton on the Lilyan with line search */
    LIL_SOLVER_ROOT,     /* Newton on the equations with |r|^2 as merit function */
} lil_solver_method;

typedef enum lil_linear_method {
    LIL_LINEAR_AUTO,      /* direct for small systems, iterative for large bodies unless it stalls */
    LIL_LINEAR_DIRECT,    /* sparse factorisation: LDL' or LU */
    LIL_LINEAR_ITERATIVE, /* conjugate gradients */
} lil_linear_method;

typedef enum lil_preconditioner {
    LIL_PRECONDITIONER_AUTO,       /* multilevel where a step's forces reach across many elements */
    LIL_PRECONDITIONER_BLOCKS,     /* Gauss and Seidel's sweeps over 3x3 blocks */
    LIL_PRECONDITIONER_MULTILEVEL, /* coarser and coarser levels: iterations do not grow with the mesh */
} lil_preconditioner;

/* How constraints are met. */
typedef enum lil_constraint_method {
    LIL_CONSTRAINTS_VARIATIONAL,  /* by multipliers inside the step: they hold to round-off, at any time */
    LIL_CONSTRAINTS_DIFFERENTIAL, /* by forces that keep accelerations to them, with feedback against what adds up */
    LIL_CONSTRAINTS_PENALTY,      /* by springs, in scenes: they are never quite met */
} lil_constraint_method;

typedef struct lil_solver_def {
    int method;         /* lil_solver_method */
    int linear;         /* lil_linear_method */
    int preconditioner; /* lil_preconditioner, of iterative solves */
    double tolerance;   /* relative: |grad E| <= tolerance * max(|grad E(v_k)|, 1e-3 of the first step's) */
    int iterations;     /* Newton iterations a step may take before it is halved */
    int constraints;    /* lil_constraint_method */
    double feedback;    /* of the differential ones: the time in which violations are pulled in, s; 0: never */
    double stiffness;   /* of the penalty, N/m */
} lil_solver_def;

typedef enum lil_control_method {
    LIL_CONTROL_FIXED,      /* every step is def.step */
    LIL_CONTROL_REVERSIBLE, /* h = step m_0 / rho, d rho/dt = d m/dt along the motion: for symmetric integrators */
    LIL_CONTROL_NAIVE,      /* h = step m_0 / m(q): what everyone tries first; energy drifts */
} lil_control_method;

/* The monitor m(t, q) > 0, larger where steps must be shorter, and d/dt log m along the motion. False: not there. */
typedef bool lil_monitor_fn(void *user, double t, const double *q, const double *v, double *m, double *rate);

typedef struct lil_control_def {
    int method;              /* lil_control_method */
    lil_monitor_fn *monitor; /* NULL: |M^-1 dW/dq|, the acceleration, for constant mass */
    void *user;              /* borrowed */
} lil_control_def;

typedef struct lil_sim_def {
    const char *integrator; /* name */
    const char *options;    /* its fields as text, "alpha=0.25 forcing=minus"; NULL: the defaults */
    const void *config;     /* or its configuration struct; wins over options; NULL: none */
    double step;            /* h, s; usually 1/100 of the shortest period. May be negative */
    double start;           /* t_0, s */
    const double *q;        /* n entries */
    const double *v;        /* n entries; NULL: at rest */
    lil_solver_def solver;
    lil_control_def control; /* how long steps are; the first is about def.step long */
    int halvings;            /* a failing step may be halved this often, to h / 2^halvings */
} lil_sim_def;

LIL_API lil_sim_def lil_sim_def_default(void);

/* The model is borrowed. */
LIL_API lil_status lil_sim_create(lil_context *ctx, const lil_model *model, const lil_sim_def *def, lil_sim **sim);
LIL_API void lil_sim_destroy(lil_sim **sim);

/* One step of def.step, on the grid t = start + k step, or as long as the control says. A step that fails is rolled
 * back and halved. */
LIL_API lil_status lil_sim_step(lil_sim *sim);
/* How long the next lil_sim_step will be. */
LIL_API lil_status lil_sim_next_step(lil_sim *sim, double *h);
/* One step of any h (not 0). */
LIL_API lil_status lil_sim_advance(lil_sim *sim, double h);

LIL_API const lil_state *lil_sim_state(const lil_sim *sim);

/* For control: new positions, momenta or velocities (n entries) between steps. p stays as it is when q is set; v and p
 * belong together, so setting one sets the other. What is not finite, or where L does not exist, is refused and nothing
 * changes. The certificate goes on, so it shows what was put in. */
LIL_API lil_status lil_sim_set_q(lil_sim *sim, const double *q);
LIL_API lil_status lil_sim_set_p(lil_sim *sim, const double *p);
LIL_API lil_status lil_sim_set_v(lil_sim *sim, const double *v);

LIL_API double lil_sim_energy(const lil_sim *sim);    /* H = p.v - L now, J */
LIL_API double lil_sim_potential(const lil_sim *sim); /* -L(q, 0) now, J */
LIL_API int64_t lil_sim_steps(const lil_sim *sim);
LIL_API lil_claims lil_sim_claims(const lil_sim *sim);

/* What a run can prove. A number that does not apply is NaN (null in JSON). */
typedef struct lil_certificate {
    double energy_initial, energy_final, energy_min, energy_max; /* J */
    double energy_drift; /* least-squares slope x duration / (energy_max - least potential); NaN: work is done */
    double linear_momentum_drift;  /* max|P - P0| / max sum|p_i| */
    double angular_momentum_drift; /* max|L - L0| / max sum|q_i - c||p_i| */
    double constraint_max;
    double gradient_max;    /* largest |grad E| that a step was accepted with */
    double penetration_max; /* m */
    /* The largest depth over the body's smallest side, of two bodies that of the smaller; of a particle over the obstacle's
     * thickness. Above 0.02 it can be seen, above 0.1 contact is too soft. Who that was: lil_sim_deepest. */
    double penetration_relative;
    double penetration_time; /* when penetration_relative was reached, s */
    double gap_min;          /* of the barrier: the smallest gap within its reach, m */
    double contact_pairs;    /* of the barrier: the largest number of pairs within its reach at the end of a step */
    double contact_energy;   /* of the barrier: the largest at the end of a step, J */
    double d_hat_min,
        d_hat_max; /* of the barrier, m: the gaps at which it begins, the least and the most of all bodies */
    double barrier_stiffness_min, barrier_stiffness_max; /* of the barrier, Pa: likewise */
    double intersections; /* of the barrier: pairs that intersect in recorded frames; NaN: nobody looked */
    /* of the barrier: steps, or parts of them, that only implicit Euler could solve, and what they lost, J */
    double contact_implicit_euler, contact_implicit_euler_loss;
    /* steps in which it pushed; of these, those that Newton's method left to pseudo-transient continuation, and those that were halved; and the
     * largest energy that one of them made or lost, over the largest kinetic energy */
    double contact_steps, contact_pseudo_transient, contact_halved, contact_energy_error_max;
    double first_contact;     /* when something touched first, s */
    double contact_stiffness; /* of the stiffest vertex that touched, N/m */
    double h_omega_c;         /* of contact, the largest: above 0.3 bounces change the energy by percents */
    double min_volume_ratio;
    double
        energy_dissipated; /* taken out by damping, friction, and by what forces owe to the velocity, F(q, v) - F(q, 0); J */
    double friction_loss, restitution_loss; /* of energy_dissipated: by contact by barrier, J */
    double
        external_work;  /* put in by handles, moving obstacles, -dL/dt, and by what forces are at rest, F(q, 0); J */
    double energy_band; /* (energy_max - energy_min) / (energy_max - least potential); NaN: work is done */
    double
        relative_energy_error; /* max|E - energy_initial| / |energy_initial|; NaN: that is 0, or work is done or lost */
    double damping_requested, damping_measured;
    double halved_steps;
    double shifted_steps, element_updates; /* of methods that give each element its own step */
    double newton_iterations;
    double linear_iterations;
    double rest_iterations, rest_residual; /* of the equilibrium that bodies start in; forces left over the loads */
} lil_certificate;

LIL_API lil_certificate lil_sim_certificate(const lil_sim *sim);
/* What the certificate's penetration_relative is about: a body, or a particle, and what it was in. */
typedef struct lil_pair {
    char what[96], in[96];
} lil_pair;

/* False: nothing sank into anything, or nothing that did has a size. */
LIL_API bool lil_sim_deepest(const lil_sim *sim, lil_pair *pair);
/* What a penetration_relative means, to be added to a sentence: "" up to 0.02. */
LIL_API const char *lil_penetration_verdict(double relative);
/* The certificate's fields as a table: all LIL_REAL, offsets into lil_certificate. */
LIL_API const lil_field *lil_certificate_fields(int *count);

/* The functions that expressions know: name and one line about it. False: there are no more. */
LIL_API bool lil_expression_function(int index, const char **name, const char **doc);

/* ---- materials ------------------------------------------------------------------------------------------- */

typedef struct lil_material_info {
    const char *name;
    const char *doc;
    const char *formula;
    const char *citation;
    bool objective;          /* w(RF) = w(F) for every rotation R */
    bool inverts;            /* w is finite also where det F <= 0 */
    const lil_field *fields; /* its own, besides the moduli and the density */
    int field_count;
} lil_material_info;

/* The materials that elastic bodies may have. False: there are no more. */
LIL_API bool lil_material_entry(int index, lil_material_info *info);

/* Named materials with their numbers: rubber, jelly ... */
typedef struct lil_material_preset {
    const char *name;
    const char *doc;
    const char *table; /* neo-hookean ... */
    double young;      /* Young's modulus, Pa */
    double poisson;    /* Poisson's ratio */
    double density;    /* kg/m^3 */
} lil_material_preset;

LIL_API int lil_material_preset_count(void);
LIL_API const lil_material_preset *lil_material_preset_at(int index); /* NULL: none */

/* ---- scenes ---------------------------------------------------------------------------------------------- */

LIL_API lil_status lil_scene_load(lil_context *ctx, const char *path, lil_scene **scene);
/* From memory; `name` stands for the file in messages. */
LIL_API lil_status lil_scene_parse(lil_context *ctx, const char *name, const char *text, size_t size,
                                   lil_scene **scene);
LIL_API void lil_scene_destroy(lil_scene **scene);

/* Overrides one value: "integrator.alpha=0.25". Wins over variants. */
LIL_API lil_status lil_scene_set(lil_scene *scene, const char *assignment);
/* Overrides the whole integrator by its name. */
LIL_API lil_status lil_scene_set_integrator(lil_scene *scene, const char *name);
/* It has keys: its motion is found as a whole, not step by step, and cannot be gone on with. */
LIL_API bool lil_scene_is_shot(const lil_scene *scene);
LIL_API int lil_scene_variant_count(const lil_scene *scene);
LIL_API const char *lil_scene_variant(const lil_scene *scene, int index);

/* All keys of a scene, for readers (Markdown) and for editors (JSON Schema); to be freed. NULL: no memory. */
LIL_API char *lil_scene_reference(const lil_context *ctx);
LIL_API char *lil_scene_schema(const lil_context *ctx);

/* ---- runs ------------------------------------------------------------------------------------------------ */

typedef struct lil_run_def {
    const char *variant; /* NULL: the scene itself */
    const char *output;  /* trajectory file; NULL: nothing is recorded */
    bool replace;        /* an existing output may be replaced */
    bool resume;   /* goes on with an existing output, bit for bit as if it had never ended. Where there is none, or a
                          * run was killed before its first frame, it starts from the beginning, with a warning */
    bool describe; /* it is only looked at: a shot of bodies, which takes long, is not solved */
    /* of a scene with keys: called after each iteration while the shot is being solved, which lil_run_create does, and with level
     * -1 within those that take long; false ends it with the best frames so far. NULL: nobody looks */
    bool (*watch)(void *user, int level, int iteration, double cost);
    void *user;
} lil_run_def;

LIL_API lil_run_def lil_run_def_default(void);

/* The scene may be destroyed or changed afterwards. */
LIL_API lil_status lil_run_create(lil_context *ctx, const lil_scene *scene, const lil_run_def *def, lil_run **run);
/* Steps and records at most `steps` further steps; stops at the end. On failure what was recorded so far is
 * kept, and marked as ended early. */
LIL_API lil_status lil_run_advance(lil_run *run, int64_t steps);
/* Records how the run ended, completes the output and closes it. Call it after the last step, whether that failed or not.
 * Calling it again changes nothing and returns LIL_OK. A run that was finished before its end takes no more steps:
 * lil_run_advance returns LIL_ERR_ARGUMENT. */
LIL_API lil_status lil_run_finish(lil_run *run);
/* Without lil_run_finish the output stays as a kill would leave it: what is on the disk can be resumed. */
LIL_API void lil_run_destroy(lil_run **run);

LIL_API int64_t lil_run_steps_done(const lil_run *run);
LIL_API double lil_run_progress(const lil_run *run); /* 0 at the start, 1 at the end */
LIL_API bool lil_run_complete(const lil_run *run);
LIL_API int64_t lil_run_frames(const lil_run *run);
/* Its Sim, for control. A step taken by lil_sim_step or lil_sim_advance is a step of the run: frames are recorded as
 * lil_run_advance does, until lil_run_finish. They return what goes wrong with the output. In a shot this is refused before the
 * last key, for its frames are solved for, not stepped. */
LIL_API lil_sim *lil_run_sim(lil_run *run);
LIL_API const lil_model *lil_run_model(const lil_run *run);
LIL_API const char *lil_run_integrator(const lil_run *run);

/* What came of a scene with keys. False: it has none. */
typedef struct lil_shot_result {
    double cost;            /* sum of w |phi|^2, and of its changes where there is smoothness; phi the ghost force */
    double key_error_max;   /* what a hard key is missed by; NaN: there is none */
    double soft_error_max;  /* what a soft key is missed by; NaN: there is none */
    double pose_error_max;  /* what tets miss the pose of a surface in a file by, m; NaN: there is no such pose */
    double ghost_force_max; /* the largest |phi| */
    double
        ghost_share; /* of it and the forces of nature, root mean squares: 0, it moves by itself; 1, nature does nothing */
    double residual; /* by how much frames are still off, about, over the largest coordinate of a key */
    int iterations;
    bool converged;
    int key_count;
    const double *key_times; /* of the keys, s, lent as long as the run: where they are free, what was found */
    bool free_times;
} lil_shot_result;

LIL_API bool lil_run_shot(const lil_run *run, lil_shot_result *result);

/* The scene's `observe`: false where there are no more. The name is lent as long as the run. */
typedef struct lil_observable {
    const char *name;
    bool invariant; /* the scene says that it should not change */
    double first, last, min, max;
    /* Its largest change, over what it is summed from: of an invariant the largest sum of magnitudes of all steps (P = sum p_i may be
     * zero but for round-off), of others |first|; absolute where that is 0. */
    double drift;
} lil_observable;

LIL_API bool lil_run_observable(const lil_run *run, int index, lil_observable *observable);

/* The result as one JSON object; lent until the next call. NULL: no memory. */
LIL_API const char *lil_run_json(lil_run *run);
/* A description of the scene, its model and its settings for a reader; lent until the next call. */
LIL_API const char *lil_run_describe(lil_run *run);

/* ---- trajectories ---------------------------------------------------------------------------------------- */

LIL_API lil_status lil_trajectory_open(lil_context *ctx, const char *path, lil_trajectory **trajectory);
LIL_API void lil_trajectory_destroy(lil_trajectory **trajectory);
/* Lent until the trajectory's end; "" where it is no variant. */
LIL_API const char *lil_trajectory_variant(const lil_trajectory *trajectory);
LIL_API const char *lil_trajectory_integrator(const lil_trajectory *trajectory);
LIL_API const char *lil_trajectory_status(const lil_trajectory *trajectory);
LIL_API lil_certificate lil_trajectory_certificate(lil_trajectory *trajectory);
/* As lil_sim_deepest says. */
LIL_API bool lil_trajectory_deepest(lil_trajectory *trajectory, lil_pair *pair);
/* What is in it, for a reader; lent until the trajectory's end. */
LIL_API const char *lil_trajectory_describe(lil_trajectory *trajectory);

/* The formats that trajectories are exported to. False: there are no more. */
typedef struct lil_export_info {
    const char *name; /* "csv" */
    const char *doc;  /* what is in it; lines of a help text */
    bool folder;      /* a folder of files; else one file */
} lil_export_info;

LIL_API bool lil_export_entry(int index, lil_export_info *info);

/* Called now and then with how much is done, 0 to 1. False ends the work, and nothing of it is left. */
typedef bool lil_progress_fn(void *user, double done);

typedef struct lil_export_def {
    const char *format;
    const char *path; /* of the file or the folder. Other files in a folder that exists are left alone */
    double fps;       /* resampled to so many frames a second; 0: frames as recorded */
    bool replace;     /* files that exist may be replaced */
    lil_progress_fn *progress;
    void *user; /* borrowed */
} lil_export_def;

LIL_API lil_export_def lil_export_def_default(void);

/* Writes to PATH.part first, so that nothing half-written ever has its name. A run that is not complete is exported as far
 * as it got, with a warning. LIL_ERR_INTERRUPTED: progress said so. */
LIL_API lil_status lil_trajectory_export(lil_trajectory *trajectory, const lil_export_def *def);
/* What the format csv has, into a file that is open and stays so. */
LIL_API lil_status lil_trajectory_write_csv(lil_trajectory *trajectory, double fps, FILE *file);

/* ---- checks ----------------------------------------------------------------------------------------------
 * Do bodies, particles or strands intersect each other, themselves or obstacles in what was recorded? Exact predicates, which share no code with
 * contact. */

typedef struct lil_check_def {
    bool paths; /* also the straight paths between frames */
    lil_progress_fn *progress;
    void *user; /* borrowed */
} lil_check_def;

typedef struct lil_check {
    int64_t elements;      /* triangles, and links of particles */
    int64_t frames;        /* looked at */
    int64_t bad_frames;    /* frames in which something intersects */
    int64_t intersections; /* pairs that have a point in common at a frame, over all frames */
    int64_t passages;      /* pairs that do so, or come too close to tell, between two frames */
    int64_t frame;         /* the first of these: which frame (the later one of a path), */
    double t;              /*   its time, s, */
    char first[256];       /*   and what meets: "triangle 3 of 'a' and triangle 7 of 'b'" */
} lil_check;

LIL_API lil_check_def lil_check_def_default(void); /* frames alone */

/* LIL_ERR_INTERRUPTED: progress said so. */
LIL_API lil_status lil_trajectory_check(lil_trajectory *trajectory, const lil_check_def *def, lil_check *result);

/* ---- plots -----------------------------------------------------------------------------------------------
 * Figures as SVG, one column of a paper wide. */

typedef struct lil_plot_def {
    const char *what;       /* a kind of plot or the name of anything recorded; several with commas: one panel each */
    const char *coordinate; /* whose phase portrait it is; NULL: the first */
    const char *path;       /* where the figure goes */
    bool replace;           /* an existing one may be replaced */
} lil_plot_def;

LIL_API lil_plot_def lil_plot_def_default(void); /* energy, nowhere */

/* Of one run, or of several overlaid. What ended early is drawn as far as it goes, with a warning. */
LIL_API lil_status lil_plot(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_plot_def *def);
/* The same as text, to be freed; def->path is not looked at. */
LIL_API lil_status lil_plot_svg(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_plot_def *def,
                                char **svg);
/* The kinds of plot. False: there are no more. */
LIL_API bool lil_plot_entry(int index, const char **name, const char **doc);

/* ---- pages -----------------------------------------------------------------------------------------------
 * One HTML file that needs nothing else: the motion in 3-D, plots beside it, the certificate in words. */

typedef struct lil_report_def {
    const char *output; /* the page */
    bool replace;       /* an existing output may be replaced */
    const char *title;  /* NULL: from the trajectories' names */
} lil_report_def;

LIL_API lil_report_def lil_report_def_default(void);

enum { LIL_REPORT_RUNS_MAX = 32 };

/* Several runs are laid over each other, one colour each. Frames are thinned so that the page stays below 25 MB. */
LIL_API lil_status lil_report(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_report_def *def);

/* ---- meshes ----------------------------------------------------------------------------------------------
 * Tets from gmsh (.msh), tetgen (.node, .ele), medit (.mesh) or VTK's legacy files (.vtk). */

/* A description for a reader, and every fault as a sentence, the first place and how many; to be freed. `faults`: how many
 * kinds of fault there are, 0 for a mesh that can be simulated. */
LIL_API lil_status lil_mesh_report(lil_context *ctx, const char *path, char **text, int *faults);
/* Does the name end like that of a mesh? */
LIL_API bool lil_mesh_is_named(const char *path);
/* Like that of a surface: .obj, .stl, .ply? */
LIL_API bool lil_surface_is_named(const char *path);
/* What a surface is like and what is wrong with it, in words; to be freed. `encloses`: it can be filled as it is. */
LIL_API lil_status lil_surface_report(lil_context *ctx, const char *path, char **text, bool *encloses);

/* Tets that fill a surface. One of `vertices` and `edge` says how fine. */
typedef struct lil_mesh_def {
    const char *surface; /* its file */
    const char *path;    /* where the mesh goes: .msh, .mesh or .vtk */
    int vertices;        /* about so many */
    double edge;         /* of the lattice that tets are made from, m */
    double thickness;    /* 0: what it encloses; otherwise all that is nearer than half of it, m */
    bool replace;        /* a file that exists may be replaced */
    lil_progress_fn *progress;
    void *user; /* borrowed */
} lil_mesh_def;

LIL_API lil_mesh_def lil_mesh_def_default(void);
/* Holes, faces that intersect, come twice or go the wrong way round, and several shells do not matter. What is lost on the
 * way is said in warnings. `text` describes the mesh; to be freed. LIL_ERR_INTERRUPTED: progress said so. */
LIL_API lil_status lil_surface_mesh(lil_context *ctx, const lil_mesh_def *def, char **text);

/* The shapes that Lilyan makes itself, with the fields that describe them. False: there are no more. */
LIL_API bool lil_shape_entry(int index, const char **name, const char **doc, const lil_field **fields,
                             int *field_count);

#ifdef __cplusplus
}
#endif

#endif
