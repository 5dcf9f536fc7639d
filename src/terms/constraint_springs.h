/* Constraints as springs, W = sum k/2 g^2: what multipliers are compared with. */
#ifndef LIL_TERMS_CONSTRAINT_SPRINGS_H
#define LIL_TERMS_CONSTRAINT_SPRINGS_H

#include "constraints/constraint.h"
#include "terms/term.h"

/* Stiffness k in N/m, as far as g is a length. The sets are borrowed. */
lil_status lil_constraint_springs_term(lil_context *ctx, lil_arena *arena, const lil_constraint *sets, int count,
                                       double stiffness, lil_term *term);

/* The largest |g| at x. */
double lil_constraint_springs_violation(const lil_term *term, void *work, const double *x);

#endif
