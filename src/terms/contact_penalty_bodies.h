/*
 * Contact between bodies by penalty: a vertex x inside another body, whose surface is nearest at c = sum b_j y_j, has
 *
 *     W = k/2 |x - c|^2,   dW/dx = k (x - c),   dW/dy_j = -b_j k (x - c)
 *
 * How b changes does not count, because c is nearest. W depends on distances alone, so that its forces are equal,
 * opposite and along one line; and the distance to a surface does not jump where another triangle becomes the
 * nearest.
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
    double mass; /* kg; infinite where it is all held */
    double k;    /* N/m^3 */
} lil_side;

typedef struct lil_collision {
    int side_count;
    const lil_side *sides;
    int count;          /* points, of all sides in their order */
    const int *points;  /* vertices */
    const double *k;    /* of a particle N/m, of a surface m^2 */
    int vertex_count;   /* of the model */
    const double *mass; /* of its vertices */
} lil_collision;

/* A point that is inside another body. */
typedef struct lil_meeting {
    int point, side, other; /* its own side, and the one that it is in */
    double k;
    lil_skin_point near;
} lil_meeting;

/* The collision pairs at x; lent until the term's workspace is used again. */
const lil_meeting *lil_collision_meet(const lil_collision *collision, void *work, const double *x, int *count);
/* The vertices of a meeting, and their weights in x - c. */
void lil_collision_parts(const lil_collision *collision, const lil_meeting *meeting, int at[4], double weight[4]);

lil_term lil_collision_term(const lil_collision *collision);

/* The deepest at x: how deep, which point, in which side; false: nothing touches. */
bool lil_collision_deepest(const lil_term *term, void *work, const double *x, double *depth, int *vertex, int *side);

#endif
