/* The surface where a function of the place is 0: a shape in one formula. */
#ifndef LIL_MESH_FILL_IMPLICIT_H
#define LIL_MESH_FILL_IMPLICIT_H

#include "mesh/surface.h"

typedef struct lil_implicit {
    const char *name;                               /* for messages */
    double low[3], high[3];                         /* the box it is in */
    int cells;                                      /* along the longest side, LIL_IMPLICIT_CELLS at most */
    double (*value)(void *user, const double x[3]); /* positive inside */
    void *user;
} lil_implicit;

enum { LIL_IMPLICIT_CELLS = 200 };

lil_status lil_surface_implicit(lil_context *ctx, lil_arena *arena, const lil_implicit *def, lil_surface *surface);

#endif
