/*
 * Preconditioned conjugate gradients for H d = b over lil_blocks, in single precision (Hestenes & Stiefel 1952;
 * inside Newton: Steihaug 1983). The preconditioner is a V-cycle of lil_multilevel, or symmetric Gauss & Seidel's (1
 * + L)(1 + L'), which costs nothing beside the products (lil_blocks_apply_swept).
 */
#ifndef LIL_SOLVERS_PCG_H
#define LIL_SOLVERS_PCG_H

#include "solvers/blocks.h"

struct lil_multilevel;

typedef struct lil_pcg {
    const lil_blocks *A;
    lil_float4 *d, *r, *p, *q, *work;
} lil_pcg;

typedef struct lil_pcg_ask {
    double eta;         /* wanted: |r| <= eta |r| at the start, r scaled and, but for multilevel, swept */
    int iterations_max; /* of products with H */
    bool unscaled;      /* orthomin: |r| as it is, neither scaled nor swept */
    struct lil_multilevel *multilevel; /* or NULL */
    lil_stop *stop;                    /* or NULL; d is then what there is */
    /* what came of it: */
    int iterations;
    double residual; /* reached, of that |r|, by the recursion; true to about 1e-6 over the least eigenvalue */
    bool curvature;  /* p'Hp <= 0 was met (or a NaN): d is the previous iterate, or the first p if there is none */
} lil_pcg_ask;

/* A is borrowed and may be set anew between solves. */
lil_status lil_pcg_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, lil_pcg *cg);
/* d ~ H^-1 b from d = 0; b'd > 0 whatever happened, unless b is 0. Allocates nothing. */
void lil_pcg_solve(lil_pcg *cg, const double *b, double *d, lil_pcg_ask *ask);

/* How any of these solves begins: the scaled norm of b; 0 where d is 0 and nothing is left to do, of no b and of
 * one that is not finite. And how it ends: d from x, or from b where x is not finite. */
double lil_pcg_begin(const lil_blocks *A, const double *b, double *d, lil_pcg_ask *ask);
void lil_pcg_end(const lil_blocks *A, double norm, const double *b, lil_float4 *x, double *d, lil_pcg_ask *ask);

#endif
