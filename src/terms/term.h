/*
 * A term: one part of a Lagrangian, or a force. It declares its place:
 *
 *     LAGRANGIAN   adds L(t, q, v)             and Q = dL/dq, P = dL/dv
 *     POTENTIAL    adds W(t, q), L = T - W     and dW/dq
 *     FORCE        adds F(t, q, v), which no Lagrangian gives
 *
 * A new kind of term is one file with one const table. Its data are const; what it scribbles on is its work, one for
 * each Sim.
 */
#ifndef LIL_TERMS_TERM_H
#define LIL_TERMS_TERM_H

#include "core/arena.h"
#include "core/context.h"

typedef enum lil_place { LIL_LAGRANGIAN, LIL_POTENTIAL, LIL_FORCE } lil_place;

/* Second derivatives come as entries (row, col), in this order of blocks: qq (both triangles), qv (row q, column v),
 * vv (both triangles). For a force the blocks are dF/dq and dF/dv; there is no third. */
typedef struct lil_entries {
    int *row, *col;
    int qq, qv, vv; /* how many of each */
} lil_entries;

typedef struct lil_term_table {
    const char *name;
    const char *doc;
    lil_place place;
    /* Allocates the work; with `second` also what second derivatives need, and lists their entries. */
    lil_status (*begin)(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries);
    /* Adds to what is not NULL. LAGRANGIAN: L, Q, P. POTENTIAL: W, dW/dq, nothing. FORCE: nothing, F, nothing.
     * Where the term does not exist it adds NaN or infinity. */
    void (*evaluate)(const void *data, void *work, double t, const double *q, const double *v, double *value,
                     double *gq, double *gv);
    /* Writes the values of the entries. */
    void (*second)(const void *data, void *work, double t, const double *q, const double *v, double *values);
    /* Optional: why `evaluate` is not finite there, as "where: cause". False: it cannot tell. */
    bool (*explain)(const void *data, void *work, double t, const double *q, const double *v, char *sentence,
                    size_t size);
    void (*destroy)(void *data); /* optional: what is not in the model's arena */
} lil_term_table;

typedef struct lil_term {
    const lil_term_table *table;
    void *data;
    bool uses_t, uses_q, uses_v;
} lil_term;

#endif
