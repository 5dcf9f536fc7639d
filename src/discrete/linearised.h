/*
 * Small motion about a state (t, q) at rest,
 *
 *     M x'' + K x = 0,    G x = 0,                                                                                 (S1)
 *
 * M = d2L/dv2, K = -d2L/dq2 - dF/dq, with (B2) of bound_energy.h where constraints bind it: there K has the geometric
 * stiffness of the constraint forces, and a large multiple of G'G that no x of (S1) notices. Damping and friction are
 * left out.
 */
#ifndef LIL_DISCRETE_LINEARISED_H
#define LIL_DISCRETE_LINEARISED_H

#include "discrete/bound_energy.h"
#include "solvers/panels.h"

/* A motion without energy: of a part that is not held, along or about some axis. */
typedef struct lil_rigid {
    double *x;  /* x'Mx = 1 */
    int vertex; /* of the part, its first that is free, among all */
    double translation[3],
        rotation[3]; /* its parts along M-normalised translations, and rotations about the centre */
} lil_rigid;

typedef struct lil_linearised {
    lil_context *ctx;
    const lil_model *model;
    lil_arena arena;
    lil_evaluator ev;
    bool is_bound;
    lil_bound_energy bound;
    const lil_pattern *pattern; /* of K and M */
    double *K, *M;              /* M NULL: the model's constant mass */
    double *mass;               /* the diagonal of M */
    double fastest;             /* the largest K_ii/M_ii, (rad/s)^2 */
    double unbalanced, load;    /* the forces that are left at the state, and loads and constraint forces, N */
    double *left;               /* -dL/dq - F - G'y there */
    lil_rigid *rigid;           /* M-orthonormal */
    int rigid_count;
    int parts, *part; /* vertices that K and constraints connect, of each free vertex; 0: not points in space */
    lil_ldl ldl;      /* of K + alpha M */
    lil_panels panels;
    lil_panelled factor;
    lil_saddle saddle; /* instead, where it is bound */
    double *values, *zero, *work, *y, *b;
} lil_linearised;

/* LIL_ERR_INPUT: no such equations describe it. */
lil_status lil_linearised_create(lil_context *ctx, const lil_model *model, double t, const double *q,
                                 lil_linearised *s);
void lil_linearised_destroy(lil_linearised *s);

/* The motions without energy of all parts at q. For points in space; of others there are none. */
lil_status lil_linearised_find_rigid(lil_linearised *s, const double *q);

/* Factors K + alpha M. *definite: it is positive definite, with x that satisfy the constraints, and far enough from
 * singular to be solved with. */
lil_status lil_linearised_factor(lil_linearised *s, double alpha, bool *definite);
/* x = (K + alpha M)^-1 b with G x = 0 */
void lil_linearised_solve(lil_linearised *s, const double *b, double *x);
void lil_linearised_weigh(const lil_linearised *s, const double *x, double *Mx);

/* A guess of the smallest eigenvalue above those of rigid motion: by quadratic fields over each part. */
lil_status lil_linearised_guess(lil_linearised *s, const double *q, double *least);

#endif
