/* A Sim: created in sim.c, stepped in step.c (its end) and halving.c (tries, halvings), its marks in mark.c. */
#ifndef LIL_SIM_SIM_H
#define LIL_SIM_SIM_H

#include "discrete/implicit_euler_fallback.h"
#include "discrete/kick.h"
#include "expr/program.h"
#include "integrators/stepper.h"
#include "sim/certificate.h"
#include "sim/choice.h"
#include "sim/control.h"
#include "sim/measure.h"

/* Named quantities of (t, q, v), evaluated at every step. */
typedef struct lil_observables {
    const lil_program *program; /* one output a quantity; borrowed */
    double *slots, *now, *first, *least, *most;
    double *before; /* now, first, least and most before the step, where it may be taken back */
    double
        *inputs; /* room for the program's q and v, which follow the marks and measures; NULL: it sees no measures */
    int count;
} lil_observables;

/* The data that a step changes and a failed step restores. */
typedef struct lil_mark {
    lil_state state;
    double energy, potential, work_in, work_out, gradient_max, implicit_euler_loss;
    lil_loss lost;
    int64_t implicit_euler_steps;
    int64_t halved, continued; /* how many steps were, when it was set */
    double *words;             /* the stepper's own */
    double *impulse;           /* of supports; NULL: nobody asks */
} lil_mark;

/* Further data that a successful step changes: restored if the recorder refuses the step. */
typedef struct lil_before {
    lil_watch watch;
    lil_tally tally;
    lil_control control;
    double grid_start, swing, volume;
    int64_t grid_steps, steps;
    int taut;
} lil_before;

struct lil_sim {
    lil_context *ctx;
    lil_arena arena;
    lil_arena lasting;      /* of what stays when the model changes */
    const lil_model *first; /* its model at the start */
    const lil_model *model; /* now */
    lil_choice choice;      /* its method, and why */
    lil_stepper stepper;
    lil_evaluator ev;
    lil_tally tally;
    lil_kick kick;
    lil_euler_fallback euler_fallback; /* the last method for contact by barrier */
    lil_constrained constrained;       /* where something binds the model */
    lil_state state;                   /* now */
    lil_state start;                   /* where it was created: a copy is created there too */
    lil_mark saved, good;              /* before the step, after its latest good part */
    lil_before before;                 /* the step, where its steps are recorded */
    double step;
    lil_control control;
    double grid_start; /* lil_sim_step's times are grid_start + k step */
    int64_t grid_steps, steps;
    int halvings;
    int role;                         /* lil_sim_role: where it is placed its steps cause no warnings */
    int taut;                         /* steps in a row that were divided for tensions; below 0: the user knows */
    double energy, potential, volume; /* now; volume: the smallest det F, infinity where there is none */
    lil_watch watch;
    lil_warnings warnings;
    char failure[LIL_WARNING_MAX]; /* why the latest attempt at a step failed */
    lil_momenta *parts;            /* of pieces of the vertices */
    double *parameters;            /* of the model, as they are in this Sim */
    bool measured;                 /* its steps run this clock */
    lil_phases phases;
    lil_observables observables;
    lil_measure *measures;
    int measure_count;
    /* Called after each step of h by lil_sim_step or lil_sim_advance. They return its failure, and the step is
     * taken back. NULL: none. */
    lil_status (*may_step)(void *user); /* asked before each step; NULL: any may be taken */
    lil_status (*taken)(void *user, double h);
    void *taken_user; /* borrowed */
};

/* Who moves a Sim. */
typedef enum lil_sim_role {
    LIL_SIM_STEPPED,  /* its steps */
    LIL_SIM_DIRECTED, /* a shot, which places it */
    LIL_SIM_LOADED,   /* loads: statics place it, and handles begin where the mesh has their vertices */
} lil_sim_role;

/* lil_sim_create, which also says what a failure is about. */
typedef enum lil_sim_part {
    LIL_SIM_DEF,
    LIL_SIM_METHOD,
    LIL_SIM_START,
    LIL_SIM_TEXT, /* an expression at the start, whose message has the location if it comes from a file */
    LIL_SIM_CONTROL,
} lil_sim_part;

lil_status lil_sim_make(lil_context *ctx, const lil_model *model, const lil_sim_def *def, lil_sim_role role,
                        lil_sim_part *part, lil_sim **out);

/* A zeroed Sim with a context gets all that its first state needs, with this method. On failure lil_sim_empty ends it. */
lil_status lil_sim_prepare(lil_sim *sim, const lil_model *model, const lil_choice *choice, const lil_sim_def *def,
                           lil_sim_role role);
/* What follows from that state: its start, and its step control. */
lil_status lil_sim_begin_control(lil_sim *sim, const lil_control_def *def);
/* Frees all but what lasts. */
void lil_sim_empty(lil_sim *sim);
/* The def of a Sim with the same method and settings, whose start is this Sim's. */
lil_sim_def lil_sim_def_like(const lil_sim *sim);

/* v of p after damping, or after pins have let go. What constraints take out of it is damping too. */
lil_status lil_sim_lose_velocity(lil_sim *sim);
/* Before a step: pins whose time has come let go. */
lil_status lil_sim_let_go(lil_sim *sim);

/* Before its first step: it starts elsewhere. */
lil_status lil_sim_restart(lil_sim *sim, const double *q, const double *v);

/* A Sim of the same model, method and settings, at its start. Warnings about them are not repeated. */
lil_status lil_sim_make_like(lil_context *ctx, const lil_sim *sim, lil_sim **out);

/* Which steps support constraints, and how; refuses combinations that the chosen stepper does not support. */
lil_status lil_sim_bind(lil_sim *sim);
lil_status lil_sim_check_friction(lil_sim *sim);
lil_status lil_sim_check_barrier(lil_sim *sim);
bool lil_takes_barrier(const lil_integrator *method);

/* At the start; after a try, whose failure makes the step shorter; at the end of a step, where a failure ends the
 * run, because the error has accumulated in all steps so far; and after that. */
void lil_sim_watch_start(lil_sim *sim);
lil_status lil_sim_watch_try(lil_sim *sim);
lil_status lil_sim_watch_end(lil_sim *sim);
void lil_sim_watch_step(lil_sim *sim);
/* The current contacts of the barrier: writes up to `room`, and returns their number. -1: unknown. */
int lil_sim_touching(lil_sim *sim, lil_touching *list, int room);
/* Counts the latest steps from t; after a step of h, warns if they were hard to solve. */
void lil_hard_steps_begin(lil_sim *sim, double t);
void lil_hard_steps_watch(lil_sim *sim, double h);
/* One step that ends at t, to the bit. */
lil_status lil_sim_advance_to(lil_sim *sim, double t);

/* The state goes to t, q, p, which something else has found, as if a step had led there: it is counted, watched,
 * observed. */
lil_status lil_sim_place(lil_sim *sim, double t, const double *q, const double *p);

/* Warns where the step is too long for the stiffest oscillation at the start. */
lil_status lil_stability_check(lil_sim *sim);
/* That oscillation's frequency, rad/s, of a system with constant mass. */
lil_status lil_stability_frequency(lil_sim *sim, double *omega);

/* In words: what presses hardest, and what is compressed most; false: nothing does. */
bool lil_sim_explain_press(lil_sim *sim, const lil_state *at, char *why, size_t size);

/* A step of h, divided where it fails. A step that cannot be made leaves the state at its start. */
lil_status lil_sim_step_with_halving(lil_sim *sim, double h);

/* Saves the data that a step changes in a mark, and restores it: costs of a failed try stay counted, exchanged
 * work does not. */
void lil_sim_take_mark(lil_sim *sim, lil_mark *mark);
void lil_sim_restore_mark(lil_sim *sim, const lil_mark *mark);
void lil_sim_copy_state(const lil_sim *sim, lil_state *to, const lil_state *from);
/* v and the energies that belong to (q, p). A state that is not finite is an error. */
lil_status lil_sim_refresh(lil_sim *sim);
/* Moves q and p to where the constraints let them be; refuses a state that is far from there. */
lil_status lil_sim_project_to_constraints(lil_sim *sim);
/* Refuses to step a damped system backwards: its energy would blow up. */
lil_status lil_sim_check_direction(lil_context *ctx, const lil_model *model, double h);

/* Between steps: before something of the state is changed; and after it: brings v and the energies up to date and
 * says by how much the energy has changed, or takes the change back. */
void lil_sim_set_mark(lil_sim *sim);
lil_status lil_sim_accept_state(lil_sim *sim, double *change);

/* Back to where the step began, from within it. */
void lil_sim_back(lil_sim *sim);
/* Before a step that may be taken back after its end, and then. */
void lil_sim_remember(lil_sim *sim);
void lil_sim_undo(lil_sim *sim);
/* How much of a step of h may be done at once for tensions of constraints: *part is halved until it is stable,
 * with a warning if that lasts. */
lil_status lil_stability_tension(lil_sim *sim, double h, int64_t *part);

/* A program's outputs at the state now; one that is not finite is an error with its location. */
lil_status lil_sim_evaluate(lil_sim *sim, const lil_program *program, double *slots, double *out);

/* The named constraints, and the force of each now, N: the largest that it has on a vertex. */
int lil_sim_constraints(const lil_sim *sim);
const char *lil_sim_constraint(const lil_sim *sim, int i);
lil_status lil_sim_forces(lil_sim *sim, double *forces);

/* ---- supports.c: from now on each step books the forces of supports ---- */

lil_status lil_sim_watch_supports(lil_sim *sim);
/* Before and after a step; and after one that was taken back. */
void lil_sim_supports_begin(lil_sim *sim);
void lil_sim_supports_end(lil_sim *sim);
void lil_sim_supports_undo(lil_sim *sim);
/* The forces as they are now, times the weight, are part of the step's impulse. */
void lil_sim_supports_push(lil_sim *sim, double weight);
/* Before the first step: those that balance the forces at the start, without inertia and damping. */
lil_status lil_sim_supports_start(lil_sim *sim);

void lil_measure_read(lil_sim *sim, const lil_measure *measure, double *values);

/* Call before the first step; the program is borrowed. */
lil_status lil_sim_observe(lil_sim *sim, const lil_program *program);
/* Their first values, at the state now. */
lil_status lil_sim_observe_start(lil_sim *sim);
/* After each step: their values, least and most. */
lil_status lil_sim_observe_step(lil_sim *sim);

#endif
