/* The discrete gradient of tets, taken in C = F'F. */
#ifndef LIL_TERMS_TET_DISCRETE_GRADIENT_H
#define LIL_TERMS_TET_DISCRETE_GRADIENT_H

#include "terms/tets.h"

/*
 * Gonzalez' discrete gradient (J. Nonlinear Sci. 6, 1996; CMAME 190, 2000) of w as a function of C, tet by tet:
 *
 *     P = Fm S,   S = 2 [w_C(Cm) + (w1 - w0 - w_C(Cm):dC) / |dC|^2 dC],   Fm = (F0 + F1)/2,   Cm = (C0 + C1)/2
 *
 * P:dF = S:dC/2 = w1 - w0, because dC = Fm'dF + dF'Fm; and P Fm' is symmetric, so that there is no torque. Materials
 * give P(F), not w_C. But P(U) = 2 U w_C(Cm) for any U with U'U = Cm, and Cholesky's factor is one. A material whose
 * stress is linear in F has P = P(Fm), without C.
 */
typedef struct lil_tet_discrete_gradient {
    const lil_tets *tets;
    lil_threads *threads;
    const double *x0, *x1, *low; /* positions at the end are x1 + low; NULL: x1 */
    double *g;                   /* is added to */
    lil_lanes *shares;           /* of forces */
    double *least,
        *noise; /* of each chunk: the smallest det F at x1, and the square of the quotients' round-off in g */
} lil_tet_discrete_gradient;

/* NaN in g if a tet is inverted at an end: C is the same for an inverted tet (materials linear in F excepted). */
void lil_tets_discrete_gradient(const lil_tet_discrete_gradient *job);

#endif
