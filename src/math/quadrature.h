/* Nodes on [0, 1], and the collocation coefficients that belong to them. */
#ifndef LIL_MATH_QUADRATURE_H
#define LIL_MATH_QUADRATURE_H

enum { LIL_STAGES_MAX = 4 };

/* The s nodes of Gauss (s = 1 to 4) or Lobatto (s = 2 to 4). */
void lil_gauss_nodes(int s, double *c);
void lil_lobatto_nodes(int s, double *c);

/* With l_j the Lagrange polynomials of the nodes: b_j = integral of l_j over [0, 1], A_ij = integral over [0, c_i]. */
void lil_collocation(int s, const double *c, double *b, double A[LIL_STAGES_MAX][LIL_STAGES_MAX]);

#endif
