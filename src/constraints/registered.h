/* Constraints of a kind that the user registered: g(x) = 0, x a few coordinates of each member. */
#ifndef LIL_CONSTRAINTS_REGISTERED_H
#define LIL_CONSTRAINTS_REGISTERED_H

#include "constraints/constraint.h"

/* `what`: the set, for messages, "parts.constraints[0]". */
lil_status lil_constraint_registered(lil_context *ctx, lil_arena *arena, int n, const lil_constraint_set *def,
                                     const char *what, lil_constraint *set);

/* The coordinates of member k; NULL: the set is of another kind. */
const int *lil_constraint_registered_coordinates(const lil_constraint *set, int k, int *count);
/* The members that are kept, in the arena, of a set of any kind. */
lil_status lil_constraint_select(lil_context *ctx, lil_arena *arena, const lil_constraint *from, const bool *keep,
                                 lil_constraint *to);

/* A checked copy of the user's table. */
lil_status lil_constraint_kind_take(lil_context *ctx, const lil_constraint_kind *kind, lil_constraint_kind *taken);
/* One member. */
typedef struct lil_constraint_member {
    const lil_constraint_kind *kind;
    const void *data;
} lil_constraint_member;

/* G = dg/dx, as math/difference.h takes it. */
bool lil_constraint_member_jacobian(const void *member, const double *x, double *G);
/* H, differenced where the kind has none. False: it refuses. `room`: 2 of its G, and its x. */
bool lil_constraint_member_hessian(const lil_constraint_member *member, const double *x, double *room, double *H);

#endif
