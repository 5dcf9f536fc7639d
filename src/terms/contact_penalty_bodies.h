/*
 * Contact between bodies by penalty: a vertex x inside another body, whose surface is nearest at c = sum b_j y_j, has
 *
 *     W = k/2 |x - c|^2,   dW/dx = k (x - c),   dW/dy_j = -b_j k (x - c)
 *
 * The change of b does not contribute, because c is nearest. W depends on distances only, so forces are equal,
 * opposite and along one line. The distance to a surface does not jump when another triangle becomes the nearest.
 */
#ifndef LIL_TERMS_CONTACT_PENALTY_BODIES_H
#define LIL_TERMS_CONTACT_PENALTY_BODIES_H

#include "geometry/skin.h"
#include "terms/term.h"

/* The colliding elements: vertices from points[first] on, and a skin, which particles do not have. */
typedef struct lil_side {
    lil_party party;
    int first, count;
    lil_skin skin;
    double mass; /* kg; infinite if all of it is fixed */
    double k;    /* N/m^3 */
} lil_side;

typedef struct lil_collision {
    int side_count;
    const lil_side *sides;
    const bool *apart;  /* of pairs of sides: they do not collide */
    int count;          /* points, of all sides in their order */
    const int *points;  /* vertices */
    const double *k;    /* of a particle N/m, of a surface m^2 */
    int vertex_count;   /* of the model */
    const double *mass; /* of its vertices */
} lil_collision;

/* A point that is inside another body. */
typedef struct lil_body_contact {
    int point, side, other; /* its own side, and the side that it is inside of */
    double k;
    lil_skin_point near;
} lil_body_contact;

/* The collision pairs at x; lent until the term's workspace is used again. */
const lil_body_contact *lil_collision_contacts(const lil_collision *collision, void *work, const double *x,
                                               int *count);
/* The vertices of a contact, and their weights in x - c. */
void lil_collision_parts(const lil_collision *collision, const lil_body_contact *contact, int at[4],
                         double weight[4]);

lil_term lil_collision_term(const lil_collision *collision);

/* The deepest contact at x: depth, point, and the side that it is inside of; false: no contact. */
bool lil_collision_deepest(const lil_term *term, void *work, const double *x, double *depth, int *vertex, int *side);

#endif
