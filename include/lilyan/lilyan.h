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
 *     // W(theta) = -m g l cos(theta), and its derivative where it is wanted; m = l = 1
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
 *         double inertia = 1, theta = 2; // m l^2, and where it starts, at rest
 *         lil_separable_def model_def = { .n = 1, .mass = &inertia, .potential = pendulum };
 *         lil_sim_def sim_def = lil_sim_def_default(); // midpoint, steps of 0.01 s
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
 *   Model   what can move: degrees of freedom, mass, terms. Immutable once built; several Sims may share it.
 *   Sim     a Model, a State, an integrator and a certificate; owns step, watch, roll back, halve.
 *   Shot    a Model and key frames, and the motion between them, solved as a whole (<lilyan/shot.h>).
 *   Scene   a YAML file that describes them.
 *   Run     a Scene (or one of its variants) being simulated and recorded.
 *   Recording   any Sim being recorded. Trajectory: what was recorded, to be read.
 *
 * This header has contexts, models from callbacks, and Sims, and includes the headers of
 *
 *   kinds.h    integrators, materials, terms and constraints: Lilyan's own, and yours
 *   mesh.h     meshes and surfaces: read, made, filled
 *   scene.h    scenes and runs
 *   record.h   recordings, trajectories, plots and pages
 *
 * <lilyan/world.h>, worlds of bodies, and <lilyan/shot.h>, shots, are not among them.
 *
 * Ownership. `create` returns an owner through its last argument, `destroy` takes the owner's address and nulls
 * it. What a getter returns is lent, until the next step or the owner's end. Strings and arrays passed in are
 * copied, unless the comment says borrowed.
 *
 * Errors. What the world can cause returns a lil_status other than LIL_OK, and leaves one sentence in the
 * context (lil_context_message). The library never prints, never exits and has no globals. A failed call leaves
 * its objects as they were.
 *
 * NULL. A function that returns a lil_status may be given NULL: it returns LIL_ERR_ARGUMENT, and the sentence names the argument (unless
 * there is no context to leave it in). `destroy` and lil_free may be given NULL too. Other functions must not be. Where NULL has a meaning,
 * the comment of the parameter or of the member of a def says which; `user` may always be NULL.
 *
 * Threads. One context, with all that was made with it, belongs to one thread at a time; use one context per thread.
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
    LIL_ERR_INPUT, /* what is described cannot be: in a scene, an expression, a name, options, or a member of a def */
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

/* Of this header; lil_version is that of the library, as text. */
#define LIL_VERSION_MAJOR 0
#define LIL_VERSION_MINOR 1
#define LIL_VERSION_PATCH 0
#define LIL_VERSION_NUMBER (LIL_VERSION_MAJOR * 10000 + LIL_VERSION_MINOR * 100 + LIL_VERSION_PATCH)

LIL_API const char *lil_version(void); /* "0.1.0" */
LIL_API int lil_version_number(void);  /* LIL_VERSION_NUMBER of the library: of another header where they differ */

/* "LIL_ERR_FILE"; "unknown status" for a number that is none. */
LIL_API const char *lil_status_name(lil_status status);

/* Frees what a comment says is to be freed. NULL: nothing. */
LIL_API void lil_free(void *memory);

/* What this library was built with, words with spaces between: "core scenes trajectories pages", or "core" where it was built without
 * HDF5, libyaml and pages (LILYAN_CORE_ONLY). Such a library lacks scene.h and record.h, and its pkg-config
 * file and CMake package define that macro, so that a call is an error when it is compiled. */
LIL_API const char *lil_version_features(void);

/* ---- context ------------------------------------------------------------------------------------------- */

typedef void lil_log_fn(void *user, const char *sentence);

/* Called now and then by what takes long with how much is done, 0 to 1. False ends the work, and nothing of it is left. */
typedef bool lil_progress_fn(void *user, double done);

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

/* ---- models from C --------------------------------------------------------------------------------------
 * Callbacks return true, or false when the value does not exist there; a NaN or infinity means the same. They
 * are called from the thread that steps the Sim. `user` is borrowed. Second derivatives are optional: without
 * them they are differenced. Matrices are dense, row by row, n x n, unless a lil_sparsity says where their entries are. A model with
 * more than a few hundred coordinates needs one: time and memory of an implicit step then grow with the entries, not with n^3 and n^2. */

/* Where a matrix may differ from 0: entry k is in row[k] and column col[k], counted from 0. Each place is listed once; of a symmetric
 * matrix (all but Lqv, Fq and Fv) both triangles are. Callbacks write entry k to value k. Without a callback for second derivatives first
 * ones are differenced, as few times as the pattern allows (Curtis, Powell & Reid 1974): 6 gradients for a chain of any length. */
typedef struct lil_sparsity {
    int count;
    const int *row, *col; /* `count` of each, copied */
} lil_sparsity;

/* F(t, q, v): a generalised force that no Lagrangian gives: control, drag, wind. Its power is F.v. The certificate books that of
 * F(t, q, 0) as external_work, and of F(t, q, v) - F(t, q, 0) as energy_dissipated. */
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
    const char *label; /* how sentences call it; NULL: the kind's name */
} lil_constraint_set;

/* What may be added to a model. All of it is optional. */
typedef struct lil_model_parts {
    lil_force force;
    const lil_term_set *terms; /* their energies are subtracted from L */
    int term_count;
    const lil_constraint_set *constraints;
    int constraint_count;
} lil_model_parts;

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
    /* optional: where Lqq, Lqv and Lvv may differ from 0. All empty: they are dense; else one without entries is 0. */
    lil_sparsity qq, qv, vv;
    lil_model_parts parts; /* optional */
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
    const double *mass;          /* n entries, kg (or what suits the coordinates) */
    lil_potential_fn *potential; /* NULL: W is the sum of parts.terms */
    lil_potential_hessian_fn *hessian;
    void *user;
    lil_potential_rate_fn *rate; /* optional */
    lil_sparsity qq;             /* optional: where K may differ from 0; empty: it is dense */
    lil_model_parts parts;       /* optional */
} lil_separable_def;

LIL_API lil_status lil_model_create_separable(lil_context *ctx, const lil_separable_def *def, lil_model **model);

/* Destroy a model after the Sims that use it. */
LIL_API void lil_model_destroy(lil_model **model);
LIL_API int lil_model_size(const lil_model *model);
LIL_API const char *lil_model_name(const lil_model *model, int i); /* "theta", "x[3]"; "q[1]" from callbacks */
LIL_API bool lil_model_has_constant_mass(const lil_model *model);

/* ---- simulation ----------------------------------------------------------------------------------------- */

/* Where something is, and how it moves. All arrays have n entries. */
typedef struct lil_state {
    double t;
    int n;
    double *q; /* positions */
    double *p; /* momenta, dL/dv */
    double *v; /* the velocity that belongs to (q, p) */
} lil_state;

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
    lil_solver_method method;
    lil_linear_method linear;
    lil_preconditioner preconditioner; /* of iterative solves */
    double tolerance; /* relative: |grad E| <= tolerance * max(|grad E(v_k)|, 1e-3 of the first step's) */
    int iterations;   /* Newton iterations a step may take before it is halved */
    lil_constraint_method constraints;
    double feedback;  /* of the differential ones: the time in which violations are pulled in, s; 0: never */
    double stiffness; /* of the penalty, N/m */
} lil_solver_def;

typedef enum lil_control_method {
    LIL_CONTROL_FIXED,      /* every step is def.step */
    LIL_CONTROL_REVERSIBLE, /* h = step m_0 / rho, d rho/dt = d m/dt along the motion: for symmetric integrators */
    LIL_CONTROL_NAIVE,      /* h = step m_0 / m(q): what everyone tries first; energy drifts */
} lil_control_method;

/* The monitor m(t, q) > 0, larger where steps must be shorter, and d/dt log m along the motion. False: not there. */
typedef bool lil_monitor_fn(void *user, double t, const double *q, const double *v, double *m, double *rate);

typedef struct lil_control_def {
    lil_control_method method;
    lil_monitor_fn *monitor; /* NULL: |M^-1 dW/dq|, the acceleration, for constant mass */
    void *user;              /* borrowed */
} lil_control_def;

typedef struct lil_sim_def {
    const char *integrator; /* name */
    const char *options;    /* its fields as text, "alpha=0.25 forcing=minus"; NULL: the defaults */
    const void *config;     /* or its configuration struct; wins over options; NULL: none */
    double step;            /* h, s; usually 1/100 of the shortest period. May be negative */
    double start;           /* t_0, s */
    const double *q;        /* n entries; NULL: where the world of the model starts (world.h), with v too */
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

/* The time, from which the grid of lil_sim_step starts anew. The energy that this changes, where L depends on t, is external work. */
LIL_API lil_status lil_sim_set_t(lil_sim *sim, double t);

/* A parameter of a text model that its run calls live (lil_run_def.live), between steps. Each Sim has a value of its own; the model stays as it
 * is. q and p stay as they are when a parameter is set, v follows (constraints that are no longer met move both). The energy that
 * this changes is external work. What is not finite, or where L does not exist, is refused and nothing changes. Names that are not live:
 * LIL_ERR_ARGUMENT. */
LIL_API lil_status lil_sim_set_parameter(lil_sim *sim, const char *name, double value);
LIL_API lil_status lil_sim_parameter(const lil_sim *sim, const char *name, double *value);

/*
 * A Sim's whole state as bytes: t, q, p, live parameters, whatever the method keeps from step to step, the certificate. Loaded into the same Sim, or
 * into one with the same model, integrator and step, it goes on bit for bit:
 *
 *     size_t size = lil_sim_state_size(sim);
 *     void *here = malloc(size);
 *     lil_sim_save_state(sim, here, size);      // remember
 *     ...                                       // try something
 *     lil_sim_load_state(sim, here, size);      // rewind
 *
 * The bytes may be moved, compared and kept in a file for the same version of Lilyan on the same kind of machine. Bytes that are damaged or of
 * another Sim are refused. `bytes` is aligned as malloc's are. Neither call allocates. A Sim whose steps are recorded cannot be rewound, a
 * copy of it can.
 */
LIL_API size_t lil_sim_state_size(const lil_sim *sim);
LIL_API lil_status lil_sim_save_state(lil_sim *sim, void *bytes, size_t size);
LIL_API lil_status lil_sim_load_state(lil_sim *sim, const void *bytes, size_t size);

/* A second Sim of the same model in the same state; what it borrows (model, config, monitor) is shared. `ctx` may be another context, so that
 * both can be stepped at once, each in a thread of its own; not while `sim` is being stepped. The steps of the copy are not recorded. */
LIL_API lil_status lil_sim_copy(lil_context *ctx, lil_sim *sim, lil_sim **copy);

LIL_API double lil_sim_energy(const lil_sim *sim);    /* H = p.v - L now, J */
LIL_API double lil_sim_potential(const lil_sim *sim); /* -L(q, 0) now, J */
LIL_API int64_t lil_sim_steps(const lil_sim *sim);
LIL_API lil_claims lil_sim_claims(const lil_sim *sim);

/* Where the time of a step goes. Each moment belongs to one phase, the innermost of those that are running: an evaluation during a line search is
 * LIL_PHASE_EVALUATE. */
typedef enum lil_phase {
    LIL_PHASE_EVALUATE,     /* energies and forces of the model, values of constraints */
    LIL_PHASE_ASSEMBLE,     /* second derivatives, summed into a matrix */
    LIL_PHASE_LINEAR_SOLVE, /* factorisations, conjugate gradients and their preconditioners; one call is one direction */
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

/* On: measures the steps from here on, from 0. Off, as a Sim is created: one branch a phase. Results have the same bits either way. The time is
 * that of the thread that steps; what others do for it meanwhile is part of it. */
LIL_API lil_status lil_sim_set_profile(lil_sim *sim, bool on);
/* What was measured so far; all 0 if nothing was. */
LIL_API lil_profile lil_sim_profile(const lil_sim *sim);
/* The phases that were entered, as lines for a reader, to be freed with lil_free. NULL: no memory. */
LIL_API char *lil_profile_table(const lil_profile *profile);

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
    /* put in by handles, moving obstacles, -dL/dt, what is set of t and parameters, and by what forces are at rest, F(q, 0); J */
    double external_work;
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

#ifdef __cplusplus
}
#endif

#include <lilyan/kinds.h>
#include <lilyan/mesh.h>
#include <lilyan/record.h>
#include <lilyan/scene.h>

#endif
