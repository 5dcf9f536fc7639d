/*
 * The same discrete Lagrangian as a function of two positions, a = q_k and b = q_{k+1}, for problems whose unknowns
 * are positions alone. With v = (b - a)/h, q_i = a + c_i (b - a), and forces as the discrete Pontryagin-d'Alembert
 * principle has them, the momenta at the two ends of the segment are
 *
 *     p+ = -D1 Ld(a, b) - F- = mu + s/2         mu = sum b_i (P_i + (c_i - 1/2) h Q_i + (1/2 - f_i) h F_i)
 *     p- =  D2 Ld(a, b) + F+ = mu - s/2         s  = -h sum b_i (Q_i + F_i)
 *
 * Why mu and s and not p+ and p-: p+ - p- of neighbouring segments is the difference of two mu plus the mean of two
 * s. Even if it is small, neither loses digits.
 *
 * With kicks (segment_kicks.c) these are the momenta on the other side of the kicks, multiplied so that no inverse is
 * needed.
 */
#ifndef LIL_DISCRETE_SEGMENT_H
#define LIL_DISCRETE_SEGMENT_H

#include "discrete/discrete.h"

/* From a at t to b at t + h. */
typedef struct lil_segment_span {
    double t, h;
    const double *a, *b;
} lil_segment_span;

typedef struct lil_segment {
    lil_evaluator *ev;
    lil_rule rule;
    double physics; /* factor on W and forces: 1, all; 0, mass only */
    double scale;   /* a length in q over which second derivatives of L change little: differences are 1e-5 of it */
    double *v, *x, *Q, *P, *F;
    double *mass;                        /* d2L/dv2, where it is constant */
    double *Pv, *Pq, *Qq, *Qv, *Fq, *Fv; /* of one node, each over ev->matrix.pattern */
    double *x_moved, *v_moved;
    const lil_pattern *pattern;      /* of derivatives: ev->matrix.pattern, or with kicks all of n x n */
    struct lil_segment_kicks *kicks; /* NULL: there are none */
    bool damped_at_nodes;            /* bodies: C v of kicks is a force at the nodes; it is in no matrix */
} lil_segment;

/* Derivatives of mu and s by a and b, each over the segment's pattern. */
typedef struct lil_segment_first {
    double *mu_a, *mu_b, *s_a, *s_b;
} lil_segment_first;

/* Whether kicks of a model can be forces: all of its terms with kicks have a `slope`. */
bool lil_segment_can_damp(const lil_model *model);
/* The evaluator, with second derivatives, is borrowed. `damped_at_nodes`: see above. */
lil_status lil_segment_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_rule *rule,
                              bool damped_at_nodes, lil_segment *segment);

void lil_segment_momenta(lil_segment *segment, lil_segment_span span, double *mu, double *s);
void lil_segment_derivatives(lil_segment *segment, lil_segment_span span, const lil_segment_first *J);
/* Second derivatives of y'mu + z's by a and b, those of forces and kicks excepted, over the segment's pattern (ba
 * is the transpose of ab). */
void lil_segment_curvature(lil_segment *segment, lil_segment_span span, const double *y, const double *z, double *aa,
                           double *ab, double *bb);

/* The contribution of damping to the gradient of z's by a and b. */
void lil_segment_damping_gradient(lil_segment *segment, lil_segment_span span, const double *z, double *g_a,
                                  double *g_b);

/* Values over ev->matrix.pattern in the segment's. */
void lil_segment_widen(const lil_segment *segment, const double *values, double *wide);

/* ---- kicks ---- */

/* Transforms a given momentum P at frame q, so that it can be compared with p+ and p-. */
void lil_segment_kicked(lil_segment *segment, double t, double h, const double *q, double *P);
/* The momentum between the two half kicks at q, the end of one segment (q_before, q) and the start of the next (q,
 * q_after); either may be NULL. */
void lil_segment_middle_momentum(lil_segment *segment, double t, double h, const double *q_before, const double *q,
                                 const double *q_after, double *p);

#endif
