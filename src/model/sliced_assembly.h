/*
 * Second derivatives that are added to a matrix later, one slice (solvers/saddle.h) after the other: entries of a slice are
 * then written, and read by its factorisation, while they are in the nearest cache. While it is `open`,
 * lil_evaluate_second lists what there is to add. The sums are those of an assembly at once, in the same order.
 */
#ifndef LIL_MODEL_SLICED_ASSEMBLY_H
#define LIL_MODEL_SLICED_ASSEMBLY_H

#include "model/model.h"
#include "solvers/saddle.h"

struct lil_assembly;

enum { LIL_SLICED_TASKS = 16, LIL_SLICED_POINTS = 4 };

/* Where those of each slice begin, of a term's pieces, or of its entries qq, qv and vv; one more is all of them. */
typedef struct lil_sliced_term {
    const lil_term_table *table;
    const void *data;
    void *work;
    int *begin[3];
    double *entries; /* room for them, of a term without pieces */
    bool listed;     /* they are in use */
} lil_sliced_term;

typedef struct lil_sliced_task {
    int term;
    lil_at at;
    double weight, weights[3]; /* of pieces; of entries qq, qv and vv */
    bool definite;
} lil_sliced_task;

typedef struct lil_sliced_assembly {
    lil_threads *threads;
    const lil_model *model;
    const struct lil_assembly *to;
    const lil_slices *slices;
    lil_sliced_term *terms;
    double *points[LIL_SLICED_POINTS]; /* copies of q, which are still there when they are needed */
    lil_sliced_task tasks[LIL_SLICED_TASKS];
    int count, point_count;
    double mass; /* times the mass */
    bool open, full;
} lil_sliced_assembly;

/* Where it pays and all terms support it, to->sliced becomes one; else NULL. The rest is borrowed. */
lil_status lil_sliced_assembly_create(lil_context *ctx, lil_arena *arena, const lil_model *model, void *const *work,
                                      const lil_entries *entries, const lil_slices *slices, struct lil_assembly *to);

void lil_sliced_assembly_begin(lil_sliced_assembly *s);
/* False: there was no room for all of it, and it has to be assembled at once. */
bool lil_sliced_assembly_end(lil_sliced_assembly *s);

/* For lil_evaluate_second: what one call adds of a term, with q of all coordinates. */
void lil_sliced_assembly_list(lil_sliced_assembly *s, int term, const lil_at *at, const lil_sink *to,
                              const double weights[3]);

/* Adds what slice i has to the values, on the calling thread. */
void lil_sliced_assembly_add(const lil_sliced_assembly *s, int i, double *values);

#endif
