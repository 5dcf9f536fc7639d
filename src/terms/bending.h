/*
 * Strands that resist being bent and twisted, as functions of the edges e = x_j - x_i, f = x_k - x_j, ... between
 * their vertices:
 *
 *     bending  W = B/(2 l) phi(kappa^2),   kappa = 2 tan(angle/2),   kappa^2 = 4 (1 - c)/(1 + c),   c = e.f / |e||f|,
 *
 * with phi = kappa^2 for a straight strand, and (sqrt(kappa^2 + e kappa_0^2) - sqrt((1 + e) kappa_0^2))^2, e = 1/4,
 * for one that is naturally curved: like (kappa - kappa_0)^2, but smooth also where the strand is straight, a fifth
 * softer at kappa_0, and no stiffer than kappa^2 far from it (the discrete curvature of Bergou et al., Discrete
 * Elastic Rods, 2008, without its frames). The lengths are those that the edges have, not those they should have:
 * within a step even inextensible edges are shorter, which must not look like being bent.
 *
 *     twisting W = C/2 (S - S_0)^2,   S = e.(f x g) / |e||f||g|, with the lengths at rest:
 *
 * the volume that three edges span is 0 in a plane, and has the sign of the screw.
 */
#ifndef LIL_TERMS_BENDING_H
#define LIL_TERMS_BENDING_H

#include "terms/damping.h"

typedef struct lil_bend {
    int vertex[3];
    double weight;    /* B / (2 l), J */
    double natural;   /* kappa_0^2 */
    double stiffness; /* N/m: how much forces change with a vertex, about */
} lil_bend;

typedef struct lil_twist {
    int vertex[4];
    double lengths;   /* |e||f||g| at rest, m^3 */
    double weight;    /* C, J */
    double natural;   /* S_0 */
    double stiffness; /* as above */
} lil_twist;

typedef struct lil_bends {
    int count;
    const lil_bend *bends; /* borrowed */
} lil_bends;

typedef struct lil_twists {
    int count;
    const lil_twist *twists; /* borrowed */
} lil_twists;

/* The stiffness of a straight bend between edges of length l: d2W = 2 weight |(w - v)/l - (v - u)/l|^2, of the
 * displacements u, v, w across them. */
static inline double lil_bend_stiffness(double weight, double l)
{
    return 12 * weight / (l * l);
}

/* Of a twist, whose S changes by the displacements over l, each at most once. */
static inline double lil_twist_stiffness(double weight, double l)
{
    return 4 * weight / (l * l);
}

lil_term lil_bends_term(lil_bends *bends);
/* Bending that is slow, in the Lilyan (tets.h: minimised): S = (h kD/2) sum 2 w (dkappa/dt)^2 at the start of the
 * step, as (d kappa^2/dt)^2 / 4 (kappa^2 + 1e-4), which is not 0 over 0 in a straight strand. */
lil_status lil_bends_damping(lil_context *ctx, lil_arena *arena, const lil_bends *bends, double kD, lil_term *term);
lil_term lil_twists_term(lil_twists *twists);

#endif
