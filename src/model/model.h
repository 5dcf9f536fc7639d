/* The model: degrees of freedom, mass, terms. Const once built. */
#ifndef LIL_MODEL_MODEL_H
#define LIL_MODEL_MODEL_H

#include "constraints/constraint.h"
#include "expr/scope.h"
#include "model/dofs.h"
#include "solvers/ldl.h"
#include "terms/term.h"

enum { LIL_TERMS_MAX = 1000 };

/* Constant mass: T = 1/2 v'Mv. If the mass depends on q, it is part of L(q, v), and `constant` is false. */
typedef struct lil_mass {
    bool constant;
    const double *diagonal; /* M is diagonal; NULL: it is the sparse matrix below */
    lil_pattern pattern;
    const double *values;
    lil_ldl factor;
} lil_mass;

/* Vertices with a name: expressions use their mean position and velocity. */
typedef struct lil_mark_set {
    const char *name;
    const int *vertices;
    const double *weights; /* which sum to 1 */
    int count;
} lil_mark_set;

/* For coordinates that are x, y, z of vertices: data of these points in space. */
typedef struct lil_points {
    int count;            /* 0: they are not */
    const double *mass;   /* of each, kg */
    bool linear, angular; /* no external forces: these momenta are conserved */
    const lil_mark_set *marks;
    int mark_count;
} lil_points;

struct lil_model {
    lil_arena arena;
    int n;
    const char **names; /* of the coordinates */
    lil_mass mass;
    lil_dofs dofs;
    lil_term *terms;
    int term_count;
    int place_count[LIL_PLACE_COUNT];  /* the number of terms of each place */
    const lil_constraint *constraints; /* borrowed */
    int constraint_count;
    int penalties;    /* the terms up to this one, the last of which replaces constraints; 0: none */
    bool uses_time;   /* L or F depends on t */
    bool drives;      /* L depends on t, or may: the energy changes by -dL/dt */
    bool touches;     /* has contact, */
    bool bodies_meet; /*   also between bodies, whose couplings change */
    bool impassable;  /*   by barrier */
    bool may_stick;   /* friction is not damping of contact alone */
    bool loses;       /* contact by barrier has friction or restitution */
    lil_points points;
    const char **parameters; /* names of the live parameters, and their initial values */
    double *parameter_values;
    int parameter_count;
    int obstacle_count;
    const double *q0, *v0; /* default start of a Sim; NULL: it must be given */
    lil_model *next;       /* owned; NULL: none. The same with fewer pins: a Sim continues with it (sim/let_go.c) */
    double until;          /*   from the first end of a step that is not before this time */
    const struct lil_world *world; /* from which it was built; NULL: none */
    void *owner;                   /* owner of borrowed data; NULL: the creator of the model */
    void (*release)(void *owner);
};

/* A force as text on the coordinates first .. first + count - 1: one expression, or a list(...) of `count`. */
typedef struct lil_force_def {
    lil_source source;
    int first, count;
    bool list;
} lil_force_def;

/* A text Lagrangian. The scope holds t, parameters, coordinates and velocities, with inputs numbered as program.h
 * says. Texts are copied. */
typedef struct lil_text_def {
    int n;
    const char *const *names;
    lil_scope scope;
    lil_source lagrangian;
    const lil_force_def *forces;
    int force_count;
} lil_text_def;

lil_status lil_model_create_text(lil_context *ctx, const lil_text_def *def, lil_model **model);

/* Vertices in space, with diagonal mass: terms are added afterwards. Arrays are borrowed, as are those of terms. */
typedef struct lil_points_def {
    int count;
    const char *const *names; /* of all coordinates, 3 per vertex */
    const double *x;          /* at the start, 3 per vertex */
    const double *mass;       /* of each vertex, kg */
    const bool *held;         /* each vertex: fixed or scripted */
    bool lets_go;             /* some of them not always: momenta are not conserved, and x and q have maps */
    const lil_script *scripts;
    int script_count;
    const lil_mark_set *marks;
    int mark_count;
} lil_points_def;

lil_status lil_model_create_points(lil_context *ctx, const lil_points_def *def, lil_model **model);

/* An empty model, for builders. */
lil_model *lil_model_new(lil_context *ctx, int n);
lil_status lil_model_add(lil_context *ctx, lil_model *model, lil_term term);
/* The number of terms with this place, for methods that do not support them. Evaluation does not need it: it loops
 * over a list that may be empty (model/evaluator.h). */
static inline int lil_model_terms(const lil_model *model, lil_place place)
{
    return model->place_count[place];
}
/* Whether a FORCE depends on q or v; on v. */
bool lil_model_forces_vary(const lil_model *model);
bool lil_model_forces_use_v(const lil_model *model);
/* The first POTENTIAL without a discrete gradient of its own; NULL: all have one. */
const lil_term *lil_model_without_gradient(const lil_model *model);
/* Whether a STEP term is not quadratic in v. */
bool lil_model_step_bends(const lil_model *model);
/* Whether anything dissipates energy: STEP, KICK, IMPULSE, FRICTION, and contact by barrier with losses. */
bool lil_model_is_damped(const lil_model *model);
/* The pairs in contact; false: unknown. */
bool lil_model_who(const lil_model *model, const lil_contact_id *which, lil_pair *names);
lil_status lil_mass_diagonal(lil_context *ctx, lil_model *model, const double *mass);

/* Binds the model; the sets are borrowed. */
void lil_model_bind(lil_model *model, const lil_constraint *constraints, int count);
/* Replaces its constraints by springs. */
lil_status lil_model_loosen(lil_context *ctx, lil_model *model, double stiffness);

lil_source *lil_source_copy(lil_arena *arena, const lil_source *source);

#endif
