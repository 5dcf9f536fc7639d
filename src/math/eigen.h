/* All eigenvalues and eigenvectors of a small symmetric matrix. */
#ifndef LIL_MATH_EIGEN_H
#define LIL_MATH_EIGEN_H

#include <stdbool.h>

/* A = sum_k w[k] z_k z_k', w ascending, |z_k| = 1. A, n x n by rows, comes out as the vectors: z_k is row k. `work`
 * holds n numbers. False: A is not finite. */
bool lil_eigen_symmetric(int n, double *A, double *w, double *work);

#endif
