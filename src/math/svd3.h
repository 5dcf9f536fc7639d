/* Singular values and eigenvalues of 3x3 matrices. */
#ifndef LIL_MATH_SVD3_H
#define LIL_MATH_SVD3_H

/* F = U diag(s) V' with rotations U and V (det = +1), s1 >= s2 >= |s3|; s3 has the sign of det F (Irving, Teran &
 * Fedkiw 2004). For every finite F, to a few units of round-off of |F|; input that is not finite gives NaN. */
void lil_svd3(const double F[9], double U[9], double s[3], double V[9]);

/* A = Q diag(a) Q' of a symmetric A (its upper triangle), a1 >= a2 >= a3, Q orthogonal: columns are eigenvectors. */
void lil_eig3(const double A[9], double a[3], double Q[9]);

#endif
