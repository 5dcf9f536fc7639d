/*
 * Fixed and scripted coordinates. Terms use all coordinates x; the degrees of freedom q are the free ones. Fixed
 * vertices, handles and anchors of springs are the others.
 */
#ifndef LIL_MODEL_DOFS_H
#define LIL_MODEL_DOFS_H

#include "mesh/samples.h"
#include "terms/pose.h"

/* Vertices with prescribed motion: from where they start, or where samples have them, they turn together, and then each is
 * displaced from there. */
typedef struct lil_script {
    const lil_samples *samples; /* NULL: none */
    const int *points;          /* of these, of each vertex */
    const lil_program
        *move;      /* the displacement and its rate, six outputs over t and the initial position; NULL: none */
    lil_drive turn; /* its `turn` and centre; its `move` is not used */
    const int *vertices;
    int count;
} lil_script;

typedef struct lil_dofs {
    int total;          /* of x */
    const int *free;    /* q_i is x[free[i]]; NULL: x is q */
    const int *number;  /* x_k is q[number[k]], or -1 */
    const double *held; /* x at the start, where fixed vertices stay */
    const lil_script *scripts;
    int script_count;
} lil_dofs;

/* Coordinates that are free in a row: x[at ...] is q[from ...]. */
typedef struct lil_stretch {
    int at, from, count;
} lil_stretch;

/* x and dx/dt of one Sim. */
typedef struct lil_positions {
    const lil_dofs *dofs;
    lil_stretch *stretches;
    int stretch_count;
    double *x, *v, *g;
    double **slots;           /* of the scripts, */
    lil_drive_slots *turning; /* and of their turns */
    double t;                 /* time of the prescribed motion in x and v */
    bool valid;
    double *jump, behind; /* x is less by behind times this; NULL: by nothing */
} lil_positions;

lil_status lil_positions_create(lil_context *ctx, lil_arena *arena, const lil_dofs *dofs, lil_positions *positions);

/* Prescribed coordinates at time t begin some way from where the mesh has them. From here on they are behind by this
 * part of that way: 1: at t they are where the mesh has them; 0: as prescribed. */
lil_status lil_positions_hold_back(lil_context *ctx, lil_arena *arena, lil_positions *positions, double t,
                                   double behind);

/* Updates prescribed motion in x and v to t. */
void lil_positions_run(lil_positions *positions, double t);
/* q, or all coordinates at (t, q); lent until the next call. */
const double *lil_positions_of(lil_positions *positions, double t, const double *q);
/* The same of velocities. */
const double *lil_positions_velocity(lil_positions *positions, double t, const double *v);
/* Zeros for a sum over all coordinates: g itself where x is q, NULL where g is. */
double *lil_positions_begin(const lil_positions *positions, double *g);
/* The entries of q from those of x. */
void lil_positions_restrict(const lil_positions *positions, const double *gx, double *g);
/* gx'dx/dt over prescribed coordinates at the latest t, 0 without any: the power of a force -gx against the
 * prescribed motion. */
double lil_positions_power(const lil_positions *positions, const double *gx);
/* True: prescribed motion and its velocity are finite at t. If not, the reason, as "where: cause" (`sentence` may
 * be NULL). */
bool lil_positions_finite(lil_positions *positions, double t, char *sentence, size_t size);

#endif
