/*
 * Lilyan: motion that obeys mechanics and still takes direction.
 *
 * The public header. SI units, right-handed, z up. A whole program (examples/ has more, and docs/c.md explains them):
 *
 *     // A pendulum from callbacks: its potential energy, its mass, and ten seconds of motion.
 *     #include <lilyan/lilyan.h>
 *     #include <math.h>
 *     #include <stdio.h>
 *
 *     // W(theta) = -m g l cos(theta), and its derivative if requested; m = l = 1
 *     static bool pendulum(void *user, double t, const double *q, double *W, double *dW)
 *     {
 *         (void)user, (void)t;
 *         *W = -9.81 * cos(q[0]);
 *         if (dW)
 *             dW[0] = 9.81 * sin(q[0]);
 *         return true;
 *     }
 *
 *     int main(void)
 *     {
 *         double inertia = 1, theta = 2; // m l^2, and the initial angle, at rest
 *         lil_separable_def model_def = { .n = 1, .mass = &inertia, .potential = pendulum };
 *         lil_sim_def sim_def = lil_sim_def_default(); // auto: midpoint here, steps of 0.01 s
 *         lil_context *ctx = lil_context_create();
 *         lil_model *model = NULL;
 *         lil_sim *sim = NULL;
 *         sim_def.q = &theta;
 *         lil_status status = lil_model_create_separable(ctx, &model_def, &model);
 *         if (status == LIL_OK)
 *             status = lil_sim_create(ctx, model, &sim_def, &sim);
 *         for (int k = 0; k < 1000 && status == LIL_OK; k++)
 *             status = lil_sim_step(sim);
 *         if (status == LIL_OK)
 *             printf("theta(%g s) = %.6f, energy %.6f J\n", lil_sim_state(sim)->t, lil_sim_state(sim)->q[0],
 *                    lil_sim_energy(sim));
 *         else
 *             fprintf(stderr, "%s: %s\n", lil_status_name(status), lil_context_message(ctx));
 *         lil_sim_destroy(&sim);
 *         lil_model_destroy(&model);
 *         lil_context_destroy(&ctx);
 *         return status == LIL_OK ? 0 : 1;
 *     }
 *
 *   Model   degrees of freedom, mass, terms. Immutable once built; several Sims may share it.
 *   Sim     a Model, a State, an integrator and a certificate; takes steps, monitors them, rolls back and halves.
 *   Shot    a Model and key frames, and the motion between them, solved as a whole (<lilyan/shot.h>).
 *   Scene   a YAML file that describes them.
 *   Run     a Scene (or one of its variants) being simulated and recorded.
 *   Recording   any Sim being recorded. Trajectory: a recorded file being read.
 *
 * This header has contexts, models from callbacks, and Sims. It includes
 *
 *   kinds.h    integrators, materials, terms and constraints: Lilyan's own, and yours
 *   mesh.h     meshes and surfaces: reading, shapes, filling
 *   scene.h    scenes and runs
 *   record.h   recordings, trajectories, plots and pages
 *   statics.h  equilibrium and modes of a Sim
 *
 * It does not include <lilyan/world.h> (worlds of bodies) and <lilyan/shot.h> (shots).
 *
 * Ownership. `create` returns an owner through its last argument, `destroy` takes the owner's address and nulls it.
 * Getters lend: their result is valid until the next step or the owner's end. Strings and arrays passed in are
 * copied, unless the comment says borrowed.
 *
 * Errors. Functions that can fail return a lil_status and leave one sentence in the context (lil_context_message).
 * The library never prints, never exits and has no globals. A failed call leaves its objects unchanged.
 *
 * NULL. A function that returns a lil_status may be given NULL: it returns LIL_ERR_ARGUMENT, and the sentence names
 * the argument (unless there is no context to leave it in). `destroy` and lil_free may be given NULL too. Other
 * functions must not be. Where NULL has a meaning, the comment of the parameter or of the member of a def says which;
 * `user` may always be NULL.
 *
 * Threads. One context, with all objects created with it, belongs to one thread at a time; use one context per
 * thread.
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
    LIL_ERR_ARGUMENT, /* the call is wrong: a null pointer, a number out of range, a call at the wrong time */
    LIL_ERR_MEMORY,   /* memory ran out */
    LIL_ERR_INPUT, /* what is described cannot be: in a scene, an expression, a name, options, or a member of a def */
    LIL_ERR_FILE,  /* a file cannot be read or written */
    LIL_ERR_EXISTS,      /* the output exists and may not be replaced */
    LIL_ERR_LIMIT,       /* larger or deeper than Lilyan accepts */
    LIL_ERR_NOT_FINITE,  /* a NaN or an infinity appeared */
    LIL_ERR_CONVERGENCE, /* a solver did not reach its tolerance */
    LIL_ERR_INVERTED,    /* an element was inverted */
    LIL_ERR_INTERRUPTED, /* a callback of the caller ended the work */
} lil_status;

typedef struct lil_context lil_context;
typedef struct lil_model lil_model;
typedef struct lil_world lil_world;
typedef struct lil_sim lil_sim;
typedef struct lil_shot lil_shot;
typedef struct lil_shot_result lil_shot_result;
typedef struct lil_scene lil_scene;
typedef struct lil_run lil_run;
typedef struct lil_recording lil_recording;
typedef struct lil_trajectory lil_trajectory;
typedef struct lil_stepper lil_stepper;
typedef struct lil_field lil_field;

/* The version of this header; lil_version returns the library's, as text. */
#define LIL_VERSION_MAJOR 0
#define LIL_VERSION_MINOR 1
#define LIL_VERSION_PATCH 0
#define LIL_VERSION_NUMBER (LIL_VERSION_MAJOR * 10000 + LIL_VERSION_MINOR * 100 + LIL_VERSION_PATCH)

LIL_API const char *lil_version(void); /* "0.1.0" */
LIL_API int lil_version_number(void);  /* LIL_VERSION_NUMBER of the library; it may differ from that of the header */

/* "LIL_ERR_FILE"; "unknown status" for any other number. */
LIL_API const char *lil_status_name(lil_status status);

/* Frees memory that a comment marks so. NULL: does nothing. */
LIL_API void lil_free(void *memory);

/* The features of this library, separated by spaces: "core scenes trajectories pages", or "core" if it was built
 * without HDF5, libyaml and pages (LILYAN_CORE_ONLY). Such a library lacks scene.h and record.h. Its pkg-config
 * file and CMake package define that macro, so that a call is a compile-time error. */
LIL_API const char *lil_version_features(void);

/* ---- context ------------------------------------------------------------------------------------------- */

typedef void lil_log_fn(void *user, const char *sentence);

/* Long computations call this from time to time with their progress, 0 to 1. False ends the work and discards it. */
typedef bool lil_progress_fn(void *user, double done);

/* True: continue. */
typedef bool lil_watch_fn(void *user);

/* Returns NULL only when memory runs out. Destroy it last. */
LIL_API lil_context *lil_context_create(void);
LIL_API void lil_context_destroy(lil_context **ctx);

/* The message of the latest failed call, "" if there is none. */
LIL_API const char *lil_context_message(const lil_context *ctx);

/* Warnings go to `log`, one sentence each; without a log they are dropped. `user` is borrowed. */
LIL_API void lil_context_set_log(lil_context *ctx, lil_log_fn *log, void *user);

/* Steps and searches for equilibrium call `watch` many times while they are solved, always on the calling thread.
 * False ends them with LIL_ERR_INTERRUPTED and leaves the state as it was. NULL: none. `user` is borrowed. */
LIL_API void lil_context_set_watch(lil_context *ctx, lil_watch_fn *watch, void *user);

/* Number of threads, 1 to 64, for all Sims and runs of the context from now on. Default: the processors that this
 * process may use. Do not call it while one of them is being stepped. Results have the same bits on any number. */
LIL_API lil_status lil_context_set_threads(lil_context *ctx, int threads);
LIL_API int lil_context_threads(const lil_context *ctx);

/*
 * ---- models from C --------------------------------------------------------------------------------------
 * Callbacks return true, or false where the value is undefined; a NaN or infinity means the same. They are called
 * from the thread that steps the Sim. `user` is borrowed. Second derivatives are optional; the default is
 * differences. Matrices are dense, row by row, n x n, unless a lil_sparsity lists their entries. A model with more
 * than a few hundred coordinates needs one: time and memory of an implicit step then grow with the entries, not with
 * n^3 and n^2.
 */

/* The nonzeros of a matrix: entry k is in row[k] and column col[k], counted from 0. Each is listed once; a
 * symmetric matrix (all but Lqv, Fq and Fv) lists both triangles. Callbacks write entry k to value k. Without a
 * callback for second derivatives, first derivatives are differenced, as few times as the pattern allows (Curtis,
 * Powell & Reid 1974): 6 gradients for a chain of any length. */
typedef struct lil_sparsity {
    int count;
    const int *row, *col; /* `count` of each, copied */
} lil_sparsity;

/* F(t, q, v): a generalised force that no Lagrangian gives: control, drag, wind. Its power is F.v. The certificate
 * books that of F(t, q, 0) as external_work, and of F(t, q, v) - F(t, q, 0) as energy_dissipated. */
typedef bool lil_force_fn(void *user, double t, const double *q, const double *v, double *F);
/* Fq = dF/dq, Fv = dF/dv (row: F). */
typedef bool lil_force_derivatives_fn(void *user, double t, const double *q, const double *v, double *Fq, double *Fv);

typedef struct lil_force {
    lil_force_fn *force;                   /* NULL: there is none */
    lil_force_derivatives_fn *derivatives; /* optional */
    void *user;
    lil_sparsity Fq, Fv; /* optional. Both empty: dense; else one without entries is 0 */
    bool only_time;      /* F depends on t alone: there are no derivatives, and a step remains a minimisation */
} lil_force;

/* Elements of a registered kind of term (see 'kinds of your own'), and members of a registered kind of constraint. */
typedef struct lil_term_set {
    const char *kind; /* its name */
    int count;        /* how many elements */
    const int
        *coordinates; /* of each, one after the other: which coordinates it depends on, counted from 0; copied */
    const void *data; /* of each, one after the other: the kind's data; copied. NULL where the kind has none */
} lil_term_set;

typedef struct lil_constraint_set {
    const char *kind;
    int count;
    const int *coordinates;
    const void *data;
    const char *label; /* its name in messages; NULL: the kind's name */
} lil_constraint_set;

/* Optional additions to a model. */
typedef struct lil_model_parts {
    lil_force force;
    const lil_term_set *terms; /* their energies are subtracted from L */
    int term_count;
    const lil_constraint_set *constraints;
    int constraint_count;
} lil_model_parts;

/* L(t, q, v) with Lq = dL/dq and Lv = dL/dv (either may be NULL). */
typedef bool lil_lagrangian_fn(void *user, double t, const double *q, const double *v, double *L, double *Lq,
                               double *Lv);
/* Lqq, Lqv (row: q, column: v), Lvv. */
typedef bool lil_lagrangian_hessian_fn(void *user, double t, const double *q, const double *v, double *Lqq,
                                       double *Lqv, double *Lvv);
/* *rate = dL/dt at fixed q and v. The certificate counts its integral as work. Without it L is differenced, which
 * costs two more values of L per step, or four if L depends on t. */
typedef bool lil_lagrangian_rate_fn(void *user, double t, const double *q, const double *v, double *rate);

typedef struct lil_lagrangian_def {
    int n;
    lil_lagrangian_fn *lagrangian;
    lil_lagrangian_hessian_fn *hessian;
    void *user;
    lil_lagrangian_rate_fn *rate; /* optional */
    /* optional: the nonzeros of Lqq, Lqv and Lvv. All empty: dense; otherwise an empty one is 0. */
    lil_sparsity qq, qv, vv;
    lil_model_parts parts; /* optional */
} lil_lagrangian_def;

LIL_API lil_status lil_model_create_lagrangian(lil_context *ctx, const lil_lagrangian_def *def, lil_model **model);

/* W(t, q) with g = dW/dq (may be NULL). */
typedef bool lil_potential_fn(void *user, double t, const double *q, double *W, double *g);
typedef bool lil_potential_hessian_fn(void *user, double t, const double *q, double *K);
/* *rate = dW/dt at fixed q. */
typedef bool lil_potential_rate_fn(void *user, double t, const double *q, double *rate);

/* L = 1/2 v'Mv - W(t, q), M diagonal and positive. */
typedef struct lil_separable_def {
    int n;
    const double *mass;          /* n entries, kg (or the unit that suits the coordinate) */
    lil_potential_fn *potential; /* NULL: W is the sum of parts.terms */
    lil_potential_hessian_fn *hessian;
    void *user;
    lil_potential_rate_fn *rate; /* optional */
    lil_sparsity qq;             /* optional: the nonzeros of K; empty: dense */
    lil_model_parts parts;       /* optional */
} lil_separable_def;

LIL_API lil_status lil_model_create_separable(lil_context *ctx, const lil_separable_def *def, lil_model **model);

/* Destroy a model after the Sims that use it. */
LIL_API void lil_model_destroy(lil_model **model);
LIL_API int lil_model_size(const lil_model *model);
LIL_API const char *lil_model_name(const lil_model *model, int i); /* "theta", "x[3]"; "q[1]" from callbacks */
LIL_API bool lil_model_has_constant_mass(const lil_model *model);

/* ---- simulation ----------------------------------------------------------------------------------------- */

/* Positions, momenta and velocities. All arrays have n entries. */
typedef struct lil_state {
    double t;
    int n;
    double *q; /* positions */
    double *p; /* momenta, dL/dv */
    double *v; /* the velocity of (q, p) */
} lil_state;

enum {
    LIL_SYMPLECTIC = 1, /* the step preserves dq ^ dp */
    /* Momenta of affine symmetries are conserved: of translations to round-off, of rotations to the accuracy of
     * the solve (a step changes J by -h sum v x r, r the residual). */
    LIL_MOMENTA = 2,
    LIL_SYMMETRIC = 4,     /* a step of h followed by a step of -h returns to the start */
    LIL_ENERGY = 8,        /* the energy error stays bounded: no drift */
    LIL_EXPLICIT = 16,     /* no equations to solve when the mass is constant and forces do not depend on v */
    LIL_ENERGY_EXACT = 32, /* the energy is conserved at any step, to the accuracy of the solve */
    /* limitations */
    LIL_CONSTANT_MASS_ONLY = 256, /* general Lagrangians are refused */
    LIL_ELEMENTS_ONLY = 512,      /* only elements, that is tets and springs, are supported */
};

typedef struct lil_claims {
    int order;      /* order of accuracy of q and p */
    unsigned holds; /* claims: LIL_SYMPLECTIC | ... */
    double stable;  /* largest h omega at which a linear oscillation stays bounded; INFINITY: any; 0: unknown */
} lil_claims;

typedef enum lil_solver_method {
    LIL_SOLVER_AUTO,     /* minimise if the step is a minimisation, else root */
    LIL_SOLVER_MINIMISE, /* Newton on the Lilyan with line search */
    LIL_SOLVER_ROOT,     /* Newton on the equations with |r|^2 as merit function */
} lil_solver_method;

typedef enum lil_linear_method {
    LIL_LINEAR_AUTO,      /* direct for small systems, iterative for large bodies unless it stalls */
    LIL_LINEAR_DIRECT,    /* sparse factorisation: LDL' or LU */
    LIL_LINEAR_ITERATIVE, /* conjugate gradients */
} lil_linear_method;

typedef enum lil_preconditioner {
    LIL_PRECONDITIONER_AUTO,       /* multilevel if forces reach across many elements within a step */
    LIL_PRECONDITIONER_BLOCKS,     /* Gauss-Seidel sweeps over 3x3 blocks */
    LIL_PRECONDITIONER_MULTILEVEL, /* multilevel cycles: the iterations do not grow with the mesh */
} lil_preconditioner;

/* How constraints are enforced. */
typedef enum lil_constraint_method {
    LIL_CONSTRAINTS_VARIATIONAL,  /* multipliers inside the step: satisfied to round-off at all times */
    LIL_CONSTRAINTS_DIFFERENTIAL, /* forces at the level of accelerations, with feedback against drift */
    LIL_CONSTRAINTS_PENALTY,      /* springs, only in scenes: always violated a little */
} lil_constraint_method;

typedef struct lil_solver_def {
    lil_solver_method method;
    lil_linear_method linear;
    lil_preconditioner preconditioner; /* for iterative solves */
    double tolerance; /* relative: |grad E| <= tolerance * max(|grad E(v_k)|, 1e-3 of the first step's) */
    int iterations;   /* Newton iterations before a step is halved */
    lil_constraint_method constraints;
    double feedback;  /* differential constraints: time constant with which violations decay, s; 0: no feedback */
    double stiffness; /* penalty constraints: spring stiffness, N/m */
} lil_solver_def;

typedef enum lil_control_method {
    LIL_CONTROL_FIXED,      /* every step is def.step */
    LIL_CONTROL_REVERSIBLE, /* h = step m_0 / rho, d rho/dt = d m/dt along the motion: for symmetric integrators */
    LIL_CONTROL_NAIVE,      /* h = step m_0 / m(q): the obvious choice, for comparison; energy drifts */
} lil_control_method;

/* The monitor m(t, q) > 0, larger where steps must be shorter, and d/dt log m along the motion. False: undefined. */
typedef bool lil_monitor_fn(void *user, double t, const double *q, const double *v, double *m, double *rate);

typedef struct lil_control_def {
    lil_control_method method;
    lil_monitor_fn *monitor; /* NULL: |M^-1 dW/dq|, the acceleration, for constant mass */
    void *user;              /* borrowed */
} lil_control_def;

typedef struct lil_sim_def {
    const char
        *integrator;     /* name; "auto": energy-momentum for bodies and particles where it applies, else midpoint */
    const char *options; /* its fields as text, "alpha=0.25 forcing=minus"; NULL: the defaults */
    const void *config;  /* or its configuration struct, which replaces `options`; NULL: none */
    double step;         /* h, s; usually 1/100 of the shortest period. May be negative */
    double start;        /* t_0, s */
    const double *q;     /* n entries; NULL: the start of the model's world (world.h), with v */
    const double *v;     /* n entries; NULL: at rest */
    lil_solver_def solver;
    lil_control_def control; /* step control; the first step is about def.step long */
    int halvings;            /* how often a failing step may be halved, to h / 2^halvings */
} lil_sim_def;

LIL_API lil_sim_def lil_sim_def_default(void);

/* The model is borrowed. */
LIL_API lil_status lil_sim_create(lil_context *ctx, const lil_model *model, const lil_sim_def *def, lil_sim **sim);
LIL_API void lil_sim_destroy(lil_sim **sim);

/* One step of def.step, on the grid t = start + k step, or of the length that the control sets. A step that fails
 * is rolled back and halved. */
LIL_API lil_status lil_sim_step(lil_sim *sim);
/* Length of the next lil_sim_step. */
LIL_API lil_status lil_sim_next_step(lil_sim *sim, double *h);
/* One step of any h except 0. */
LIL_API lil_status lil_sim_advance(lil_sim *sim, double h);

LIL_API const lil_state *lil_sim_state(const lil_sim *sim);
/* Its integrator. reason (may be NULL): why "auto" chose it, one clause; NULL: it was named. */
LIL_API const char *lil_sim_integrator(const lil_sim *sim, const char **reason);

/* For control: new positions, momenta or velocities (n entries) between steps. Setting q keeps p; setting v or p
 * sets the other one too. Values that are not finite, or where L is undefined, are refused, and nothing changes.
 * The certificate continues, so it shows the change of energy. */
LIL_API lil_status lil_sim_set_q(lil_sim *sim, const double *q);
LIL_API lil_status lil_sim_set_p(lil_sim *sim, const double *p);
LIL_API lil_status lil_sim_set_v(lil_sim *sim, const double *v);

/* The time, from which the grid of lil_sim_step restarts. If L depends on t, the change of energy is external
 * work. */
LIL_API lil_status lil_sim_set_t(lil_sim *sim, double t);

/* Sets a live parameter (lil_run_def.live) of a text model, between steps. Each Sim has its own value; the model
 * does not change. q and p stay, and v follows (constraints that are then violated move both). The change of
 * energy is external work. Values that are not finite, or where L is undefined, are refused, and nothing changes.
 * A name that is not live: LIL_ERR_ARGUMENT. */
LIL_API lil_status lil_sim_set_parameter(lil_sim *sim, const char *name, double value);
LIL_API lil_status lil_sim_parameter(const lil_sim *sim, const char *name, double *value);

/*
 * A Sim's whole state as bytes: t, q, p, live parameters, the method's own state, the certificate. Load it into the
 * same Sim, or into one with the same model, integrator and step, to continue bit for bit:
 *
 *     size_t size = lil_sim_state_size(sim);
 *     void *here = malloc(size);
 *     lil_sim_save_state(sim, here, size);      // remember
 *     ...                                       // try something
 *     lil_sim_load_state(sim, here, size);      // rewind
 *
 * The bytes may be moved, compared and kept in a file for the same version of Lilyan on the same kind of machine.
 * Damaged bytes and bytes of another Sim are refused. `bytes` must be aligned as malloc aligns. Neither call
 * allocates. A Sim whose steps are recorded cannot be rewound, but a copy of it can.
 */
LIL_API size_t lil_sim_state_size(const lil_sim *sim);
LIL_API lil_status lil_sim_save_state(lil_sim *sim, void *bytes, size_t size);
LIL_API lil_status lil_sim_load_state(lil_sim *sim, const void *bytes, size_t size);

/* A second Sim of the same model in the same state; borrowed objects (model, config, monitor) are shared. `ctx`
 * may be another context, so that two threads can step both at once. Do not call it while `sim` is being stepped.
 * The steps of the copy are not recorded. */
LIL_API lil_status lil_sim_copy(lil_context *ctx, lil_sim *sim, lil_sim **copy);

LIL_API double lil_sim_energy(const lil_sim *sim);    /* H = p.v - L now, J */
LIL_API double lil_sim_potential(const lil_sim *sim); /* -L(q, 0) now, J */
LIL_API int64_t lil_sim_steps(const lil_sim *sim);
LIL_API lil_claims lil_sim_claims(const lil_sim *sim);

/*
 * What engineers ask for, by the name of a body, a group, an obstacle or a constraint of the model's world (world.h).
 * Forces are those that the support exerts: on average over the latest step, so that momentum is balanced exactly:
 * P changes over a step by its length times the sum of weight, loads, reactions and contact forces. Before the first
 * step they balance the forces at the start, without inertia and damping. Scenes write them under `observe` as
 * reaction(NAME) ...
 */
typedef enum lil_quantity {
    LIL_REACTION,      /* reaction(NAME), x y z, N: on the pinned vertices of a body or group; of a constraint */
    LIL_CONTACT_FORCE, /* force(NAME), x y z, N: of an obstacle on all that touches it, with friction */
    LIL_STRESS,    /* stress(NAME), xx yy zz xy yz xz, Pa: Cauchy's, the mean over the vertices of a body or group */
    LIL_VON_MISES, /* von_mises(NAME), Pa: the largest von Mises stress at a vertex of a body or group */
    LIL_ELASTIC_ENERGY, /* energy(NAME), J: of a body's tets */
} lil_quantity;

/* From now on the Sim measures this; *index is its number, from 0. A reaction makes steps a little slower. */
LIL_API lil_status lil_sim_add_measure(lil_sim *sim, lil_quantity quantity, const char *name, int *index);
/* Its values now: 3, 3, 6, 1 or 1 numbers, as the list above says. */
LIL_API lil_status lil_sim_measure(lil_sim *sim, int index, double *values);

/* Where the time of a step goes. Each moment belongs to one phase, the innermost of those that are running: an
 * evaluation during a line search is LIL_PHASE_EVALUATE. */
typedef enum lil_phase {
    LIL_PHASE_EVALUATE, /* energies and forces of the model, values of constraints */
    LIL_PHASE_ASSEMBLE, /* second derivatives, summed into a matrix */
    /* factorisations, conjugate gradients and their preconditioners; one call is one direction */
    LIL_PHASE_LINEAR_SOLVE,
    LIL_PHASE_LINE_SEARCH,    /* how far a Newton direction is followed, and how far it may be */
    LIL_PHASE_CONTACT_SEARCH, /* which surfaces are near each other, and when they would touch */
    LIL_PHASE_KICKS,          /* damping and friction that act before and after a step */
    LIL_PHASE_WATCH,          /* energies, momenta, gaps and observables, for the certificate */
    LIL_PHASE_RECORD,         /* frames and checkpoints, on their way to the file */
    LIL_PHASE_OTHER,          /* the rest */
    LIL_PHASE_COUNT
} lil_phase;

/* "linear solve"; and a sentence about it. NULL: there is no such phase. */
LIL_API const char *lil_phase_name(lil_phase phase);
LIL_API const char *lil_phase_doc(lil_phase phase);

typedef struct lil_phase_time {
    double
        seconds;   /* of wall time, without the phases inside it: those of all phases add up to lil_profile.seconds */
    double whole;  /* with the phases inside it */
    int64_t calls; /* how often it began */
} lil_phase_time;

typedef struct lil_profile {
    int64_t steps;  /* that were taken */
    double seconds; /* in lil_sim_step, lil_sim_advance and lil_sim_next_step, also in steps that failed */
    lil_phase_time phases[LIL_PHASE_COUNT];
} lil_profile;

/* On: measures the steps from here on, from 0. Off, as a Sim is created: one branch a phase. Results have the same
 * bits either way. The time is that of the thread that steps; what others do for it meanwhile is part of it. */
LIL_API lil_status lil_sim_set_profile(lil_sim *sim, bool on);
/* What was measured so far; all 0 if nothing was. */
LIL_API lil_profile lil_sim_profile(const lil_sim *sim);
/* The phases that were entered, as lines for a reader, to be freed with lil_free. NULL: no memory. */
LIL_API char *lil_profile_table(const lil_profile *profile);

/* The certificate of a run. A number that does not apply is NaN (null in JSON). */
typedef struct lil_certificate {
    double energy_initial, energy_final, energy_min, energy_max; /* J */
    double energy_drift; /* least-squares slope x duration / (energy_max - least potential); NaN: work is done */
    double linear_momentum_drift;  /* max|P - P0| / max sum|p_i| */
    double angular_momentum_drift; /* max|L - L0| / max sum|q_i - c||p_i| */
    double constraint_max;
    double gradient_max;    /* largest |grad E| of an accepted step */
    double penetration_max; /* m */
    /* The largest depth relative to size: the body's smallest side (for two bodies that of the smaller one), for a
     * particle the obstacle's thickness. Visible above 0.02; above 0.1 contact is too soft. lil_sim_deepest names
     * the pair. */
    double penetration_relative;
    double penetration_time;     /* when penetration_relative was reached, s */
    double gap_min;              /* barrier: the smallest gap below d_hat, m */
    double contact_pairs;        /* barrier: the largest number of pairs closer than d_hat at the end of a step */
    double contact_energy;       /* barrier: its largest energy at the end of a step, J */
    double d_hat_min, d_hat_max; /* barrier: the gap at which it begins, smallest and largest of all bodies, m */
    /* barrier: its stiffness, smallest and largest of all bodies, Pa */
    double barrier_stiffness_min, barrier_stiffness_max;
    double intersections; /* barrier: pairs that intersect in recorded frames; NaN: not checked */
    /* barrier: steps, or parts of them, that only implicit Euler could solve, and the energy they lost, J */
    double contact_implicit_euler, contact_implicit_euler_loss;
    /* Steps with contact; those that needed pseudo-transient continuation after Newton's method; those that were
     * halved; and the largest energy that one of them created or lost, relative to the largest kinetic energy. */
    double contact_steps, contact_pseudo_transient, contact_halved, contact_energy_error_max;
    double first_contact;     /* time of the first contact, s */
    double contact_stiffness; /* penalty: largest contact stiffness of a vertex, N/m */
    /* penalty: largest h omega_c of contact; above 0.3 bounces change the energy by percents */
    double h_omega_c;
    double min_volume_ratio;
    double
        /* energy removed by damping, friction, and the velocity-dependent part of forces, F(q, v) - F(q, 0); J */
        energy_dissipated;
    double friction_loss, restitution_loss; /* parts of energy_dissipated: barrier contact, J */
    /* Work of handles, moving obstacles, -dL/dt, changes of t and parameters, and forces at zero velocity, F(q,
     * 0); J. */
    double external_work;
    double energy_band; /* (energy_max - energy_min) / (energy_max - least potential); NaN: work is done */
    double
        relative_energy_error; /* max|E - energy_initial| / |energy_initial|; NaN: that is 0, or work is done or lost */
    double damping_requested, damping_measured;
    double halved_steps;
    double shifted_steps, element_updates; /* for methods with one step per element */
    double newton_iterations;
    double linear_iterations;
    /* equilibrium in which bodies start: iterations, and remaining forces relative to the loads */
    double rest_iterations, rest_residual;
} lil_certificate;

LIL_API lil_certificate lil_sim_certificate(const lil_sim *sim);
/* The pair of penetration_relative: a body or a particle, and the body or obstacle that it penetrates. */
typedef struct lil_pair {
    char what[96], in[96];
} lil_pair;

/* False: nothing penetrated, or nothing that did has a size. */
LIL_API bool lil_sim_deepest(const lil_sim *sim, lil_pair *pair);
/* The i-th warning that the steps of this Sim gave: what happened, where, since when, and what usually helps. Each
 * kind is given once. Lent until the next step; NULL: no more. */
LIL_API const char *lil_sim_warning(const lil_sim *sim, int i);
/* A remark on a penetration_relative, to append to a sentence: "" up to 0.02. */
LIL_API const char *lil_penetration_verdict(double relative);

#ifdef __cplusplus
}
#endif

#include <lilyan/kinds.h>
#include <lilyan/mesh.h>
#include <lilyan/record.h>
#include <lilyan/scene.h>
#include <lilyan/statics.h>

#endif
