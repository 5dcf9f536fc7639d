/*
 * Materials that are written in I1 = tr C, I2 = (tr^2 C - tr C^2)/2 = |cof F|^2 and J = det F: their tangent, and its
 * form in principal stretches, follow from the derivatives of w(I1, I2, J). No quotient of differences appears, so
 * stretches that coincide or vanish need no care.
 */
#ifndef LIL_MATERIALS_INVARIANTS_H
#define LIL_MATERIALS_INVARIANTS_H

#include "materials/material.h"

/* Where a material that needs J > 0 exists (docs/extending.md shows its use): J^2 > 1e-30 I1^3. Below 1e-15 |F|^3
 * det F is its own round-off, and might as well be negative. */
LIL_INLINE lil_mask lil_lanes_is_upright(lil_lanes J, lil_lanes I1)
{
    return (J > 0) & (J * J > 1e-30 * I1 * I1 * I1);
}

/* the same from J^(-2/3) I1, where that is at hand */
LIL_INLINE lil_mask lil_lanes_stands(lil_lanes J, lil_lanes aI1)
{
    return (J > 0) & (aI1 < 1e10);
}

typedef struct lil_invariants {
    double I1, I2, J;
} lil_invariants;

/* dw/dI1 ... and d2w/dI1 dI1 ... */
typedef struct lil_invariant_derivatives {
    double w1, w2, wJ;
    double w11, w12, w22, w1J, w2J, wJJ;
    double wT; /* T = s1 + s2 + s3, on which w may depend linearly: only stretches can tell its derivatives */
} lil_invariant_derivatives;

struct lil_lanes_invariants {
    lil_lanes I1, I2, J;
};

struct lil_lanes_derivatives {
    lil_lanes w1, w2, wJ;
    lil_lanes w11, w12, w22, w1J, w2J, wJJ;
    lil_lanes wT;
};

/* w(x1) - w(x0) = v1 (I1' - I1) + v2 (I2' - I2) + vJ (J' - J), symmetric in x0 and x1: with x0 = x1 the derivatives
 * of w. dv[i][j] is the derivative of v_i by the invariant j of x1. */
struct lil_lanes_difference {
    lil_lanes v1, v2, vJ;
    lil_lanes dv[3][3];
};

lil_invariants lil_invariants_of(const double F[9]);
lil_invariants lil_invariants_of_stretches(const double s[3]);

/* what the material's table derives, of one */
lil_invariant_derivatives lil_material_derive(const lil_material *material, lil_invariants x);

/* without wT; and with it */
void lil_invariants_tangent(const double F[9], const lil_invariant_derivatives *d, double A[81]);
void lil_invariants_principal(const double s[3], const lil_invariant_derivatives *d, lil_principal *p);

#endif
