/* Forces that do not depend on where things are: weight, and loads on chosen vertices. */
#ifndef LIL_TERMS_LOADS_H
#define LIL_TERMS_LOADS_H

#include "expr/program.h"
#include "terms/term.h"

/* W = - sum m_i g.x_i; mass of `count` vertices is borrowed */
lil_status lil_term_gravity(lil_context *ctx, lil_arena *arena, const double g[3], const double *mass, int count,
                            lil_term *term);

/* A force (N, or of a traction N/m^2) of three texts over t, times the weight of each vertex (1, or m^2). Where it
 * depends on t it is a force, whose work is booked; where not, a potential. The arrays and the program are
 * borrowed. */
typedef struct lil_load_def {
    const lil_program *program; /* three outputs */
    bool uses_t;
    const int *vertices;
    const double *weights;
    int count;
} lil_load_def;

lil_status lil_term_load(lil_context *ctx, lil_arena *arena, const lil_load_def *def, lil_term *term);

#endif
