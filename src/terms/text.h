/* Terms given as text: a Lagrangian, a potential, a force. */
#ifndef LIL_TERMS_TEXT_H
#define LIL_TERMS_TEXT_H

#include "expr/program.h"
#include "terms/term.h"

extern const lil_term_table lil_text_lagrangian, lil_text_potential, lil_text_force;

/* Takes the graph over (also when it fails). `value` is L or W; a force has none, and one node of `force` for each
 * coordinate. Nodes are over the inputs t, q, v of n coordinates. */
lil_status lil_term_text(lil_context *ctx, lil_arena *arena, lil_place place, int n, lil_graph *graph, lil_ex value,
                         const lil_ex *force, lil_term *term);

#endif
