/* The positive semidefinite matrix nearest to a small symmetric one, in Frobenius' norm. */
#ifndef LIL_MATH_SEMIDEFINITE_H
#define LIL_MATH_SEMIDEFINITE_H

enum { LIL_SEMIDEFINITE_MAX = 12 };

/* A is n x n by rows, n <= LIL_SEMIDEFINITE_MAX; of a matrix that is not quite symmetric its symmetric part is
 * taken. */
void lil_make_semidefinite(int n, double *A);

#endif
