/* The workspace of an integrator, and the list of Lilyan's own integrators. */
#ifndef LIL_INTEGRATORS_STEPPER_H
#define LIL_INTEGRATORS_STEPPER_H

#include "discrete/discrete_gradient.h"
#include "discrete/stages.h"

/* The list: one line an integrator, which is one file with that table. */
#define LIL_INTEGRATORS(X)                                                                                           \
    X(lil_hamilton_pontryagin)                                                                                       \
    X(lil_symplectic_euler)                                                                                          \
    X(lil_midpoint)                                                                                                  \
    X(lil_energy_momentum)                                                                                           \
    X(lil_stormer_verlet)                                                                                            \
    X(lil_asynchronous)                                                                                              \
    X(lil_composition)                                                                                               \
    X(lil_gauss)                                                                                                     \
    X(lil_lobatto)                                                                                                   \
    X(lil_newmark)                                                                                                   \
    X(lil_rk4)                                                                                                       \
    X(lil_explicit_euler)                                                                                            \
    X(lil_implicit_euler)

#define LIL_DECLARE(name) extern const lil_integrator name;
LIL_INTEGRATORS(LIL_DECLARE)
#undef LIL_DECLARE

/* Which damping a family's steps take into themselves: STEP terms, or none. */
typedef enum lil_damping_taken { LIL_TAKES_NO_DAMPING, LIL_TAKES_VISCOUS, LIL_TAKES_DAMPING } lil_damping_taken;

/* A family of methods: how the equations of a step are made and solved. Whoever runs a stepper asks this table
 * alone; the family's work is its own. A method that only asks for forces has no family. */
typedef struct lil_family {
    lil_status (*step)(lil_stepper *s, double h);
    void (*destroy)(void *work);
    /* Whether its steps solve equations, and how, for people. */
    bool (*solves)(const void *work);
    const char *(*way)(const void *work);
    /* Optional: a state was set, of which the latest step says nothing. */
    void (*forget)(void *work);
    /* Optional: lists the parts of the workspace that belong to the state, beside the stepper's words. `loading`:
     * it comes from elsewhere. */
    void (*words)(void *work, bool loading, void (*show)(void *to, double *words, int count), void *to);
    lil_damping_taken damping;
    bool by_gradient; /* W enters through its discrete gradient: so do constraints, and damping is accounted for */
    bool bodies_rub;  /* it takes friction between bodies, */
    bool bound_rub;   /* also with constraints */
} lil_family;

struct lil_stepper {
    lil_context *ctx;
    lil_arena *arena; /* lives as long as the Sim */
    const lil_integrator *method;
    const void *config;
    void *data;    /* the method's own */
    double *words; /* and the part of it that belongs to the state */
    int word_count;
    lil_state *state;
    const lil_model *model;
    double step;       /* as long as most steps will be */
    bool second;       /* second derivatives are needed, even if the method does not use them */
    lil_evaluator *ev; /* the Sim's, as is the tally: a method made of methods shares them */
    lil_tally *tally;
    lil_constrained *constrained; /* the Sim's too; NULL: nothing binds the model */
    lil_solver_def solver;
    const lil_family *family;              /* NULL: the method has none */
    void *work;                            /* the family's */
    lil_friction_impulse friction_impulse; /* of those that have friction at their stages */
    lil_stepper *inner;                    /* of those made of another */
    unsigned withdrawn;                    /* claims that do not hold for this model */
    bool damps;                            /* its steps take IMPULSE terms in themselves, */
    bool has_friction;                     /* and FRICTION */
    bool part;                             /* of another one's step, which may go backwards */
    /* of those that may resonate: makes other steps from now on; and by how much of itself the energy grows at
     * most where they do not */
    void (*shift)(lil_stepper *stepper);
    double gain;
};

/* The rules that shots take from these two; config NULL: the defaults. */
lil_rule lil_midpoint_rule(const void *config);
lil_rule lil_stormer_verlet_rule(const void *config);

/* The method's own `begin`, where it has one. */
lil_status lil_stepper_begin(lil_stepper *stepper);

/* Resources of the steppers outside the arena. */
void lil_stepper_destroy(lil_stepper *stepper);

/* Whether constraints are met by forces. */
bool lil_stepper_is_differential(const lil_stepper *stepper);

/* Whether its steps solve equations, and how, for people. */
bool lil_stepper_solves(const lil_stepper *stepper);
const char *lil_stepper_path(const lil_stepper *stepper);

/* Whether W enters its steps by its discrete gradient. */
static inline bool lil_stepper_is_by_gradient(const lil_stepper *stepper)
{
    return stepper->family && stepper->family->by_gradient;
}

/* One step of its family: the `step` of the methods that have one. */
lil_status lil_stepper_step(lil_stepper *stepper, double h);

/* True: it accounts for the work done on this model; a user's own method does not. */
bool lil_stepper_books(const lil_stepper *stepper);

/* The families: one rule on the segment (discrete/discrete.h); a discrete gradient (discrete/discrete_gradient.h);
 * several stages (discrete/stages.h). */
lil_status lil_stepper_begin_rule(lil_stepper *stepper, const lil_rule *rule);
lil_status lil_stepper_begin_gradient(lil_stepper *stepper, lil_discrete_gradient_at at);
lil_status lil_stepper_begin_stages(lil_stepper *stepper, const lil_tableau *tableau);

/* The work of a method that is one rule; NULL: it is none. And the rule itself; without one, one that has no nodes. */
lil_discrete *lil_stepper_rule(const lil_stepper *stepper);
lil_rule lil_stepper_quadrature(const lil_stepper *stepper);

/* For methods that ask for forces, explicit in all but friction: begin; friction of a stage with weight b, over
 * the time tau since the step began (0: this is the first); and that of the whole step, which began with the
 * velocity v. */
lil_status lil_stepper_begin_friction(lil_stepper *stepper);
void lil_stepper_rub(lil_stepper *stepper, double b, double t, double tau, const double *q, double *p);
void lil_stepper_rub_step(lil_stepper *stepper, double h, const double *v);

/* Makes the evaluator, if there is none yet: a method that needs second derivatives asks in its `begin`. */
lil_status lil_stepper_begin_evaluator(lil_stepper *stepper, lil_second second);

/* `forcing`, a field of every method that follows the discrete Pontryagin-d'Alembert principle */
extern const char *const lil_forcing_choices[];
enum { LIL_FORCING_BOTH, LIL_FORCING_MINUS };
#define LIL_FORCING_FIELD(type)                                                                                      \
    {                                                                                                                \
        .name = "forcing", .kind = LIL_CHOICE, .offset = offsetof(type, forcing), .choices = lil_forcing_choices,    \
        .unit = "",                                                                                                  \
        .doc = "at which times in a step generalised forces act. both: at the same times as the forces of the "      \
               "potential, which keeps the order of the method. minus: all at the start of the step (order 1), as "  \
               "Kharevych et al. 2006 do in implicit "                                                               \
               "steps"                                                                                               \
    }

/* A state was set: the latest step is no longer a guide. */
void lil_stepper_forget(lil_stepper *stepper);

#endif
