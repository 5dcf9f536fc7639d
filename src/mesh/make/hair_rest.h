/*
 * Positions of the nodes of strands: roots distributed over a cap or a disc, and from each a hanging strand.
 *
 * A strand of n links of length l that is held by its first link is in equilibrium where
 *
 *     E(theta) = sum_i (B/2l) 4 tan^2((theta_i - theta_{i-1})/2) - sum_i g l M_i cos(theta_i)
 *
 * is least: the bending of terms/bending.h in the vertical plane of the first link, theta_i the angle of link i with
 * the vertical and M_i the mass below it. A curl is a helix about that line. Without one, strands start at rest.
 */
#ifndef LIL_MESH_MAKE_HAIR_REST_H
#define LIL_MESH_MAKE_HAIR_REST_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_hair {
    int nodes;                 /* of each strand */
    double length;             /* m */
    double B, density;         /* bending stiffness, N m^2; kg/m */
    double gravity[3];         /* m/s^2 */
    double curl_radius, pitch; /* of the helix, m; radius 0: straight */
    double spread;             /* how much strands differ in length, direction and curl */
    int seed;
} lil_hair;

/* Evenly between two angles (rad) from the axis of a sphere; strands point outwards. */
void lil_roots_on_cap(int count, const double centre[3], double radius, const double axis[3], const double angles[2],
                      double (*root)[3], double (*direction)[3]);
/* Evenly over a disc; they leave along its axis. */
void lil_roots_on_disc(int count, const double centre[3], double radius, const double axis[3], double (*root)[3],
                       double (*direction)[3]);

/* The nodes x of strand `number`, and `rest`, as they would be without weight; all links of a strand are as long.
 * Fails where links are too long for the curl. */
lil_status lil_hair_hang(lil_context *ctx, const lil_hair *hair, int number, const double root[3],
                         const double direction[3], double *scratch, double (*x)[3], double (*rest)[3]);
/* Numbers that lil_hair_hang needs as scratch. */
size_t lil_hair_scratch(const lil_hair *hair);

#endif
