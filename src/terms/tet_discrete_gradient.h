/* The discrete gradient of tets, taken in C = F'F. */
#ifndef LIL_TERMS_TET_DISCRETE_GRADIENT_H
#define LIL_TERMS_TET_DISCRETE_GRADIENT_H

#include "terms/tets.h"

/*
 * The discrete gradient of w as a function of C, tet by tet:
 *
 *     P = Fm S,   S:dC/2 = w1 - w0,   Fm = (F0 + F1)/2,   Cm = (C0 + C1)/2
 *
 * P:dF = S:dC/2, because dC = Fm'dF + dF'Fm; and P Fm' is symmetric, so that there is no torque. A material in I1, I2
 * and J gives w1 - w0 as a sum over their differences (invariants.h), which are linear in dC (Betsch, Janz & Hesch,
 * CMAME 335, 2018, build theirs from the same invariants):
 *
 *     S = 2 [v1 1 + v2 (I1m 1 - Cm) + vJ/(J0 + J1) (cof Cm + cof dC/12)]
 *
 * Any other has Gonzalez' (J. Nonlinear Sci. 6, 1996; CMAME 190, 2000):
 *
 *     S = 2 [w_C(Cm) + (w1 - w0 - w_C(Cm):dC) / |dC|^2 dC]
 *
 * Those give P(F), not w_C. But P(U) = 2 U w_C(Cm) for any U with U'U = Cm, and Cholesky's factor is one. A material
 * whose stress is linear in F has P = P(Fm), without C.
 *
 * C is the same for a tet and its mirror image. Where the material is defined for both, w is taken as a function of
 * I1 = tr C and J = det F with its sign, at Cm and Jm = (J0 + J1)/2:
 *
 *     P = Fm S + c Gm + (w1 - w0 - S:dC/2 - c j)/(|dC|^2/2 + j^2) (Fm dC + j Gm),
 *     S = 2 w_C,   c = w_J,   Gm = cof Fm,   j = Gm:dF = J1 - J0 - det(dF)/4
 *
 * Gm Fm' = det(Fm) 1 is symmetric too. dC and j vanish together only where the shape does not change, or where F1 =
 * -F0. A tet that is mirrored has the same C, but j is not 0: J changes.
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

/* Of w(I1, J), with a J that has a sign. */
static inline bool lil_tets_have_sign(const lil_material_table *m)
{
    return m->holds & LIL_MATERIAL_INVERTS && m->derive && !m->uses;
}

/* Tets may be inverted at both ends of a step. */
static inline bool lil_tets_step_inverted(const lil_material_table *m)
{
    return m->holds & (LIL_MATERIAL_LINEAR | LIL_MATERIAL_MIRRORED) || lil_tets_have_sign(m);
}

/* NaN in g if a tet is inverted at an end, and the material is not defined there. */
void lil_tets_discrete_gradient(const lil_tet_discrete_gradient *job);

#endif
