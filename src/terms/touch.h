/*
 * Contact measurements of a step: penetration depth, stiffness, and parts that are about to pass through something
 * thin.
 */
#ifndef LIL_TERMS_TOUCH_H
#define LIL_TERMS_TOUCH_H

#include "core/context.h"

#include <stdbool.h>

/* The owner of the vertices: a body, or particles of one name. */
typedef struct lil_party {
    const char *name;
    int first;   /* its first vertex; -1: the name says it all */
    double size; /* of a body: the smallest side of its box at rest, m; particles have none: infinite */
} lil_party;

/* One contact, by numbers that its term has given; the term is the caller's to set. */
typedef struct lil_contact_id {
    int term, own, other;
} lil_contact_id;

/* Two parts that touch in one place: two features within the barrier's reach. */
typedef struct lil_touching {
    double x[3];   /* halfway across the gap, m */
    double f[3];   /* the force on the first part, N; the second has its opposite */
    double gap;    /* m */
    double energy; /* J */
    int part[2];   /* ascending */
} lil_touching;

/* The name of a part, and its contact. */
typedef struct lil_touching_part {
    const char *name;
    double d_hat;   /* m: the gap at which its barrier begins */
    double modulus; /* Pa: how stiff the barrier is; not finite: the other part says */
} lil_touching_part;

/* The maxima of contact: m, m/s into it, rad/s and N/m. */
typedef struct lil_touch {
    double step;        /* given: the step, s, by which it looks ahead; negative: back in time */
    bool watch;         /* given: nothing has touched yet, so the gap counts that will close first, however wide */
    bool pushed;        /* by a barrier, which acts before anything touches */
    double depth, rate; /* of the deepest vertex; negative: it is so far away */
    double omega;       /* of a bounce: sqrt(sum k / m) of one body */
    double stiffness;   /* of one vertex */
    double energy;      /* of the barrier, all of it, J */
    int pairs;          /* within the barrier's reach */
    double sunk;        /* the largest depth over the size of what sank in */
    lil_contact_id sunk_who;
    /* The part that comes closest to passing through: its predicted depth relative to half the thickness of the
     * other part; its speed, m/s; the stiffness, N/m (of bodies: infinite), and the step, s, that would stop it
     * within a tenth of that thickness. */
    double ahead, ahead_speed, ahead_thickness, ahead_stiffness, ahead_step;
    lil_contact_id ahead_who;
} lil_touch;

/* A vertex that is so deep in something; `size` infinite: there is none to compare with. */
void lil_touch_sunk(lil_touch *most, double depth, double size, int own, int other);

/* A vertex at this depth (negative: outside) that goes in at this rate, held by k; `mass` infinite: what will stop
 * it is not its spring alone, so only its way in one step counts. Beyond half the thickness it would be pushed out
 * at the other side. */
void lil_touch_ahead(lil_touch *most, double depth, double rate, double k, double mass, double thickness, int own,
                     int other);

/* The name of a vertex's party, with its number where there are several. */
void lil_party_name(const lil_party *party, int vertex, char *name, size_t room);

/* The energy dissipated by contact. */
typedef struct lil_loss {
    double friction, restitution; /* J */
} lil_loss;

#endif
