/*
 * Barrier contact: any two features nearer than d_hat repel each other (barrier_pair.h), between bodies, particles
 * and strands, within each of them, and with obstacles. As a potential it is infinite where features touch; `longest`
 * keeps line searches from passing that, by conservative advancement of all pairs. Between the ends of a step it has
 * a discrete gradient that is exact in energy and momenta.
 *
 * Planes are obstacles of their own: of a half space only a surface's vertices can be nearest, and the gap is linear,
 *
 *     B = kappa b(y),   y = (gap/d_hat)^2,   G = kappa sigma (gap_0 + gap_1) n,   sigma = (b_1 - b_0)/(gap_1^2 - gap_0^2)
 *
 * Friction and restitution (barrier_friction.h) act only between the ends of a step: they are part of the discrete
 * gradient, whose work is then more than the change of B by what is lost.
 *
 * Points are vertices, points that vertices carry (the surface that rides in a body's tets; math/carried.h), or
 * points of obstacles. Carried ones are linear in the vertices: a force on one, spread by its weights, does the same
 * work and has the same momenta.
 *
 * Which pairs are near is looked up in a list of candidates, which is made anew when something leaves the boxes it
 * was made for. What candidates there are beyond those that are near makes no difference, not to the last bit.
 */
#ifndef LIL_TERMS_BARRIER_H
#define LIL_TERMS_BARRIER_H

#include "geometry/neighbours.h"
#include "math/carried.h"
#include "terms/barrier_friction.h"
#include "terms/pose.h"
#include "terms/term.h"

/* A body, particles or strands of one name, or an obstacle. */
typedef struct lil_barrier_part {
    const char *name;
    double d_hat;     /* m: between two parts the smaller one, or less (lil_barriers.d_hat) */
    double radius;    /* m: how thick its surface is, points and edges as well as triangles */
    double modulus;   /* Pa: what the stiffness was made of; infinite for obstacles */
    double mass;      /* kg: of a vertex, on average; 0: it is an obstacle */
    double stiffness; /* N/m: of a gap of 0.7 d_hat; between two parts that of the softer one */
    double
        /* kD, s: between two parts the mean of both; < 0: it has none of its own, and that of the other counts */
        damping;
} lil_barrier_part;

/* A half space, solid where its normal does not point. */
typedef struct lil_barrier_plane {
    int part;
    double point[3], normal[3];
} lil_barrier_plane;

typedef struct lil_barriers {
    lil_shell shell; /* over the vertices of the model, then points that these carry, then the points of obstacles */
    int vertex_count, point_count;
    lil_carried carried;                     /* of points from vertex_count on: surfaces that ride in bodies */
    const int *obstacle_part, *obstacle_own; /* of the points after these: the part, and the number in it */
    int body_count;                          /* parts before those of obstacles */
    const bool *tangled; /* of all points: features of one part all of whose points are do not meet each other */
    const bool *still;   /* of all points: they never move. Features that are still do not meet each other */
    const double *rest;  /* of all points: pairs of one part that are near each other at rest have a smaller d_hat */
    const lil_barrier_part *parts;
    const double *
        d_hat; /* d_hat[a * part_count + b], m: the gap at which the barrier between parts a and b begins; symmetric */
    const double *friction; /* friction[a * part_count + b]: Coulomb's mu between parts a and b; symmetric */
    lil_contact_law law;    /* of all of them, but for its mu and h; its damping < 0: that of the parts */
    int plane_count;
    const lil_barrier_plane *planes;
    int touching_count; /* points that can meet planes, and the parts they belong to */
    const int *touching, *touching_part;
    const lil_drive *drives; /* of each part; NULL: no obstacle moves */
    /* For strands that grow from a part: for each vertex (one more ends the list) the parts that it, and the link
     * that begins there, grows from and does not collide with; NULL: none. */
    const int *grow_first, *grow_part;
    const bool *
        /* of pairs of parts: the one grows out of the other. Their features repel each other from their own
         * distance */
        grown;
    const double *start;     /*   at the start on, if that is less than d_hat: all points, */
    const double *plane_gap; /*   and for plane i and touching point k plane_gap[i * touching_count + k] */
    lil_threads *threads;    /* borrowed */
} lil_barriers;

/* Whether friction, restitution or damping of contact was asked for; and whether something is lost, if only by the
 * bodies' own damping. */
bool lil_barriers_hold(const lil_barriers *barriers);
bool lil_barriers_lose(const lil_barriers *barriers);
/* The gap at which the barrier between two parts begins. */
static inline double lil_barrier_d_hat(const lil_barriers *barriers, int a, int b)
{
    return barriers->d_hat[a * barriers->shell.part_count + b];
}

static inline bool lil_barrier_meets(const lil_barriers *barriers, int a, int b)
{
    return barriers->shell.meet[a * barriers->shell.part_count + b];
}

/* Both are of one name: a body, or strands and their roots. */
static inline bool lil_barrier_is_own(const lil_barriers *barriers, int a, int b)
{
    return a == b || barriers->parts[a].name == barriers->parts[b].name;
}

static inline bool lil_barrier_stays(const lil_barriers *barriers, int part)
{
    return !barriers->drives || !lil_drive_moves(&barriers->drives[part]);
}

/* A vertex, and the link of a strand that begins there, grows out of a part. */
static inline bool lil_barrier_grows(const lil_barriers *barriers, int vertex, int part)
{
    if (!barriers->grow_first || vertex >= barriers->vertex_count)
        return false;
    for (int k = barriers->grow_first[vertex]; k < barriers->grow_first[vertex + 1]; k++)
        if (barriers->grow_part[k] == part)
            return true;
    return false;
}

static inline bool lil_barrier_is_grown(const lil_barriers *barriers, int a, int b)
{
    return barriers->grown && barriers->grown[a * barriers->shell.part_count + b];
}

/* The touching vertex k meets a plane, unless neither ever moves or it grows out of it. */
static inline bool lil_barrier_meets_plane(const lil_barriers *barriers, int k, const lil_barrier_plane *plane)
{
    return lil_barrier_meets(barriers, barriers->touching_part[k], plane->part) &&
           !(lil_barrier_stays(barriers, plane->part) && barriers->still[barriers->touching[k]]) &&
           !lil_barrier_grows(barriers, barriers->touching[k], plane->part);
}

/* The gap at which the barrier between plane i and the touching vertex k begins. */
static inline double lil_barrier_plane_d_hat(const lil_barriers *barriers, int i, int k)
{
    double d_hat = lil_barrier_d_hat(barriers, barriers->planes[i].part, barriers->touching_part[k]);
    double gap = barriers->plane_gap ? barriers->plane_gap[i * barriers->touching_count + k] : d_hat;
    return gap < d_hat ? gap : d_hat;
}

/* How many points are vertices or carried by them: those from here on are of obstacles. */
static inline int lil_barrier_moving(const lil_barriers *barriers)
{
    return barriers->vertex_count + barriers->carried.count;
}

/* Borrows all of it. */
lil_term lil_barrier_term(const lil_barriers *barriers);

#endif
