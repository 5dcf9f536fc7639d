/* Terms given from C by callbacks: L(t, q, v), W(t, q) or F(t, q, v). */
#ifndef LIL_TERMS_CALLBACK_H
#define LIL_TERMS_CALLBACK_H

#include "math/sparsity.h"
#include "terms/term.h"

extern const lil_term_table lil_callback_lagrangian, lil_callback_potential, lil_callback_force;

/* Patterns are checked, and copied. */
lil_status lil_term_lagrangian(lil_context *ctx, lil_arena *arena, const lil_lagrangian_def *def, lil_term *term);
lil_status lil_term_potential(lil_context *ctx, lil_arena *arena, const lil_separable_def *def, lil_term *term);
lil_status lil_term_force(lil_context *ctx, lil_arena *arena, int n, const lil_force *def, lil_term *term);

/* ---- shared by callback.c and callback_second.c ---- */

typedef struct lil_callback {
    int n;
    lil_place place; /* says which of these there is */
    lil_lagrangian_def lagrangian;
    lil_separable_def separable;
    lil_force force;
    bool sparse;
    lil_sparsity block[3]; /* sparse: of qq, qv, vv; entries are counted through */
} lil_callback;

typedef struct lil_callback_work {
    double *gq, *gv;                                     /* what callbacks fill */
    double *qq, *qv, *vv;                                /* dense: n x n by rows */
    double *q, *v, *plus_q, *plus_v, *minus_q, *minus_v; /* for differencing */
    lil_colouring by_q, by_v; /* sparse: columns that are differenced together; qq's, and those of qv and vv */
    int *twin;                /* sparse: entries that mirror each other in qq, and in vv; -1 in qv */
    const char *refused;      /* which function refused last, and at what time */
    double refused_t;
} lil_callback_work;

/* Overwrites value, gq, gv (which may be NULL); NaN where the callback refuses. FORCE: gq is F. */
void lil_callback_call(const lil_callback *d, lil_callback_work *w, double t, const double *q, const double *v,
                       double *value, double *gq, double *gv);
lil_status lil_callback_begin_second(lil_context *ctx, const lil_callback *d, lil_arena *arena, lil_callback_work *w,
                                     lil_entries *entries);
void lil_callback_second(const void *data, void *work, const lil_at *at, const lil_sink *to);

#endif
