/* From the entries of terms to one sparse matrix over the degrees of freedom. */
#ifndef LIL_MODEL_ASSEMBLY_H
#define LIL_MODEL_ASSEMBLY_H

#include "model/model.h"

typedef struct lil_assembly {
    lil_pattern pattern; /* of the mass and of all entries, diagonal included */
    int **where;         /* of each term: entry -> place in the pattern, -1: not among the degrees of freedom */
    int **where_turned;  /* qv entries, transposed */
    int *where_mass;
    int size;       /* of the matrix's values: those of the pattern, unless they have been placed elsewhere */
    double *values; /* room for one term's entries */
    struct lil_sliced_assembly *sliced; /* not NULL: it may be assembled slice by slice (model/sliced_assembly.h) */
} lil_assembly;

/* For the terms that `wanted` selects. */
lil_status lil_assembly_create(lil_context *ctx, lil_arena *arena, const lil_model *model, const lil_entries *entries,
                               bool (*wanted)(lil_place place), lil_assembly *assembly);

/* The same into values in a solver's own order: entry k of the pattern goes to place[k] of `size`. */
lil_status lil_assembly_place(lil_context *ctx, lil_arena *arena, const lil_model *model, const lil_entries *entries,
                              const lil_assembly *from, const int *place, int size, lil_assembly *assembly);

/* Zeros in all of the values; none where slices are listed to be added later. */
void lil_assembly_zero(const lil_assembly *assembly, double *values);
void lil_assembly_add_mass(const lil_assembly *assembly, const lil_model *model, double weight, double *values);
void lil_assembly_add(const double *from, const int *where, int count, double weight, double *values);

static inline int lil_entry_count(const lil_entries *e)
{
    return e->qq + e->qv + e->vv;
}

#endif
