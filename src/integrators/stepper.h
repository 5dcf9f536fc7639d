/* What an integrator works on, and the list of Lilyan's own. */
#ifndef LIL_INTEGRATORS_STEPPER_H
#define LIL_INTEGRATORS_STEPPER_H

#include "discrete/stages.h"

struct lil_stepper {
    lil_context *ctx;
    lil_arena *arena; /* lives as long as the Sim */
    const lil_integrator *method;
    const void *config;
    void *data;    /* the method's own */
    double *words; /* and what of it belongs to the state */
    int word_count;
    lil_state *state;
    const lil_model *model;
    double step;       /* as long as most steps will be */
    bool second;       /* second derivatives are wanted, whatever the method wants */
    lil_evaluator *ev; /* the Sim's, as is the tally: a method made of methods shares them */
    lil_tally *tally;
    lil_constrained *constrained; /* the Sim's too; NULL: nothing binds the model */
    lil_solver_def solver;
    lil_discrete discrete;         /* of the methods that are one rule on the segment */
    lil_stages stages;             /* of those with several stages */
    struct lil_gradient *gradient; /* of those by a discrete gradient */
    lil_rubbing rubbing;           /* of those that have friction at their stages */
    lil_stepper *inner;            /* of those made of another */
    unsigned withdrawn;            /* claims that do not hold for this model */
    bool damps;                    /* its steps take IMPULSE terms in themselves, */
    bool rubs;                     /* and FRICTION */
    bool part;                     /* of another one's step, which may go backwards */
    /* of those that may resonate: makes other steps from now on; and by how much of itself the energy grows at most where they do
     * not */
    void (*shift)(lil_stepper *stepper);
    double gain;
};

extern const lil_integrator lil_hamilton_pontryagin, lil_symplectic_euler, lil_midpoint, lil_stormer_verlet,
    lil_composition, lil_gauss, lil_lobatto, lil_newmark, lil_rk4, lil_explicit_euler, lil_implicit_euler,
    lil_asynchronous, lil_energy_momentum;

/* The method's own `begin`, where it has one. */
lil_status lil_stepper_begin(lil_stepper *stepper);

/* What the steppers own beside the arena. */
void lil_stepper_destroy(lil_stepper *stepper);

/* Whether constraints are met by forces. */
bool lil_stepper_is_differential(const lil_stepper *stepper);

/* Whether its steps solve equations. */
bool lil_stepper_solves(const lil_stepper *stepper);

/* Whether it books the work that is done on this model: a user's own method has no books. */
bool lil_stepper_books(const lil_stepper *stepper);

/* The methods that are one rule on the segment share these: begin with the rule, then step. */
lil_status lil_stepper_begin_rule(lil_stepper *stepper, const lil_rule *rule);
lil_status lil_stepper_step_rule(lil_stepper *stepper, double h);

/* For methods that ask for forces, explicit in all but friction: begin; friction of a stage with weight b, over the time tau since the
 * step began (0: this is the first); and that of the whole step, which began with the velocity v. */
lil_status lil_stepper_begin_rubbing(lil_stepper *stepper);
void lil_stepper_rub(lil_stepper *stepper, double b, double t, double tau, const double *q, double *p);
void lil_stepper_rub_step(lil_stepper *stepper, double h, const double *v);

/* Those by a discrete gradient (discrete/gradient.h). */
lil_status lil_stepper_begin_gradient(lil_stepper *stepper, bool halfway);
lil_status lil_stepper_step_gradient(lil_stepper *stepper, double h);

lil_status lil_stepper_begin_stages(lil_stepper *stepper, const lil_tableau *tableau);
lil_status lil_stepper_step_stages(lil_stepper *stepper, double h);

/* Makes the evaluator, if there is none yet: a method that needs second derivatives asks in its `begin`. */
lil_status lil_stepper_begin_evaluator(lil_stepper *stepper, lil_second second);

/* `forcing`, a field of every method that follows the discrete Pontryagin-d'Alembert principle */
extern const char *const lil_forcing_choices[];
enum { LIL_FORCING_BOTH, LIL_FORCING_MINUS };
#define LIL_FORCING_FIELD(type)                                                                                      \
    {                                                                                                                \
        .name = "forcing", .kind = LIL_CHOICE, .offset = offsetof(type, forcing), .choices = lil_forcing_choices,    \
        .unit = "",                                                                                                  \
        .doc = "where a force enters: both ends of the step (order 2), or all at its start (minus, the paper's "     \
               "implicit choice, order 1)"                                                                           \
    }

/* A state was set: what the latest step was says nothing of it. */
void lil_stepper_forget(lil_stepper *stepper);

#endif
