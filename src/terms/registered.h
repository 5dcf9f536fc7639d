/* Terms of a kind that the user registered: W = sum over elements of w(t, x), x a few coordinates each. */
#ifndef LIL_TERMS_REGISTERED_H
#define LIL_TERMS_REGISTERED_H

#include "terms/term.h"

/* `what`: the set, for messages, "parts.terms[0]". Without `potential` it is a part of L, -W. */
lil_status lil_term_registered(lil_context *ctx, lil_arena *arena, int n, const lil_term_set *def, const char *what,
                               bool potential, lil_term *term);

/* A checked copy of the user's table. */
lil_status lil_term_kind_take(lil_context *ctx, const lil_term_kind *kind, lil_term_kind *taken);
/* One element. */
typedef struct lil_term_element {
    const lil_term_kind *kind;
    const void *data;
    double t;
} lil_term_element;

/* dW/dx, as math/difference.h takes it. */
bool lil_term_element_gradient(const void *element, const double *x, double *g);
/* K, differenced where the kind has none. False: it refuses. `room`: 3 of its coordinates. */
bool lil_term_element_hessian(const lil_term_element *element, const double *x, double *room, double *K);

#endif
