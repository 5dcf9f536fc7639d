/*
 * What must hold of a Model, and of an evaluator of it, whatever a user asks for: where it does not, a builder is wrong. Builds without NDEBUG, with
 * sanitizers among them, look at every model that is built and every evaluator that is made.
 */
#ifndef LIL_MODEL_MODEL_CHECK_H
#define LIL_MODEL_MODEL_CHECK_H

#include "model/evaluator.h"

#ifdef NDEBUG
#define LIL_DEBUG_CHECK(call) LIL_OK
#else
#define LIL_DEBUG_CHECK(call) (call)
#endif

/* Degrees of freedom, mass, terms, constraints, points and parameters. LIL_ERR_ARGUMENT, with one sentence: the first that is wrong. */
lil_status lil_model_check(lil_context *ctx, const lil_model *model);
/* Entries of terms, the pattern of their matrix, its blocks and the order in which these are swept. */
lil_status lil_evaluator_check(const lil_evaluator *ev);

#endif
