/* Terms given from C by callbacks. */
#ifndef LIL_TERMS_CALLBACK_H
#define LIL_TERMS_CALLBACK_H

#include "terms/term.h"

extern const lil_term_table lil_callback_lagrangian, lil_callback_potential;

lil_status lil_term_lagrangian(lil_context *ctx, lil_arena *arena, const lil_lagrangian_def *def, lil_term *term);
lil_status lil_term_potential(lil_context *ctx, lil_arena *arena, const lil_separable_def *def, lil_term *term);

#endif
