/* From the blocks of terms, over pairs of vertices, to one matrix over the vertices that are free. */
#ifndef LIL_MODEL_BLOCK_ASSEMBLY_H
#define LIL_MODEL_BLOCK_ASSEMBLY_H

#include "model/model.h"
#include "solvers/blocks.h"

typedef struct lil_block_assembly {
    int **where;    /* of each term: its pair -> place in the matrix, -1: both ends are held */
    float *values;  /* 9 a place, or 18 */
    int (**two)[2]; /* of a general matrix: its pair -> places of both its blocks, -1: that row is held */
    double *mass;   /* of each free vertex, kg */
    double *x;      /* where each free vertex starts */
    lil_blocks A;
    lil_couplings couplings; /* over all vertices */
    const int *number;       /* of a coordinate among those that are free, or NULL: all are */
} lil_block_assembly;

/* True: the terms that `wanted` selects, and the mass, can be written in blocks. */
bool lil_block_assembly_possible(const lil_model *model, bool (*wanted)(lil_place place));

/* Whether they have couplings. */
bool lil_block_assembly_couples(const lil_model *model, bool (*wanted)(lil_place place));

/* From vertices to free rows, -1 for pinned ones; number: of a coordinate among the free ones, or NULL: all are
 * free. */
void lil_couplings_number(lil_couplings *couplings, const int *number);

/* For these terms; `work` is their workspace. */
lil_status lil_block_assembly_create(lil_context *ctx, lil_arena *arena, const lil_model *model, void *const *work,
                                     bool (*wanted)(lil_place place), bool general, lil_block_assembly *assembly);

void lil_block_assembly_zero(lil_block_assembly *assembly);
/* A = M + the values. False: it is not positive definite, or not finite, judging by its diagonal. */
bool lil_block_assembly_finish(lil_block_assembly *assembly);

#endif
