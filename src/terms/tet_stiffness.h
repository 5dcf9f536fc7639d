/*
 * Second derivatives of tets as blocks over pairs of vertices, in float: eight tets at a time (tet_tangent.h), in
 * chunks of neighbouring tets with local numbers for vertices and edges, so that both stay in the nearest cache. An
 * edge of one chunk is finished there. An edge that several chunks share has a slot in each, and the slots are summed
 * in order: the same bits on any number of threads.
 *
 * Lengths are in a unit of the body's size, relative to the chunk's first vertex: so floats have seven digits for
 * bodies of any size at any position.
 */
#ifndef LIL_TERMS_TET_STIFFNESS_H
#define LIL_TERMS_TET_STIFFNESS_H

#include "terms/tets.h"

#include <stdint.h>

enum {
    LIL_STIFFNESS_LANES = 8,
    LIL_STIFFNESS_TETS = 512, /* at most, of a chunk */
    LIL_STIFFNESS_VERTICES = 512,
    LIL_STIFFNESS_EDGES = 1024,
};

/* Eight tets, far from each other within the chunk; each has its vertices in ascending order, so that all blocks
 * (a, b) have a < b, and r has the sign of that permutation. */
typedef struct lil_stiffness_block {
    float B[9][LIL_STIFFNESS_LANES], r[LIL_STIFFNESS_LANES];
    float V[LIL_STIFFNESS_LANES]; /* 0 in unused lanes of the last block */
    uint16_t vertex[4][LIL_STIFFNESS_LANES],
        edge[6][LIL_STIFFNESS_LANES]; /* of the chunk: 4 times and 9 times its number */
} lil_stiffness_block;

typedef struct lil_stiffness_chunk {
    int block, blocks;    /* the first, and how many */
    int vertex, vertices; /* in the list of vertices */
    int pair, interior;   /* pairs in no other chunk: its first edges */
    int late;             /* the first of those that are added late */
    int slot, shared;     /* the others */
} lil_stiffness_chunk;

typedef struct lil_tet_stiffness {
    const lil_tets *tets;
    double length; /* m, a power of 2 */
    lil_threads *threads;
    int chunk_count;
    lil_stiffness_chunk *chunks;
    lil_stiffness_block *blocks;
    int *tet;             /* the tet in lane: [8 block + lane] */
    int *vertices;        /* of the model */
    int interior, shared; /* pairs, in this order */
    int *first_slot;      /* of a shared pair, in `slots`; one more entry than pairs */
    int *slots;
    float (*sums)[18]; /* by slot: a block, or both */
    bool *
        /* of each pair: all pairs of a row with pinned vertices share one block, so they are added one after the
         * other. NULL: none */
        late;
    int *late_pairs; /* interior ones */
    int late_count;
    float (*late_sums)[18];
    float *reference; /* stored positions of the chunks' vertices, 4 each, or NULL */
} lil_tet_stiffness;

/* Which derivatives; all but the first start from the stored reference shape. */
typedef enum lil_pair_kind {
    LIL_PAIRS_ELASTIC,        /* V w(F) at q */
    LIL_PAIRS_STEP,           /* V w(F), with the reference shape at rest, after a step of h v from there */
    LIL_PAIRS_RATE_CURRENT,   /* Kd of damping with the reference shape at rest */
    LIL_PAIRS_RATE_REFERENCE, /* Kd of damping by the rate of Green's strain, of the reference shape */
    LIL_PAIRS_BETWEEN,        /* the discrete gradient's derivative by v as q1, from q: both blocks of a pair */
} lil_pair_kind;

typedef struct lil_stiffness_job {
    const lil_tet_stiffness *pairs;
    lil_pair_kind kind;
    const double *q, *v;
    double h;
    bool definite; /* of ELASTIC and STEP: each tet's matrix is projected to a positive semidefinite one */
    double weight;
    const int *where;
    const int (*two)[2]; /* BETWEEN: instead */
    float *blocks;
} lil_stiffness_job;

/* Lists the pairs; with `stores` a reference shape can be stored. Allocates in the arena. */
lil_status lil_tet_stiffness_create(lil_context *ctx, lil_arena *arena, const lil_tets *tets, bool stores,
                                    lil_block_pairs *pairs, lil_tet_stiffness **out);
/* To be called once, before anything is added: the rows of each pair, -1: fixed. */
lil_status lil_tet_stiffness_place(lil_context *ctx, lil_arena *arena, const int (*rows)[2], lil_tet_stiffness *p);
void lil_tet_stiffness_keep(lil_tet_stiffness *p, const double *q);
/* blocks[9 where[k]] += weight (block of pair k), unless where[k] is -1. */
void lil_tet_stiffness_add(const lil_stiffness_job *job);

/* One chunk: its blocks into `edges`, 9 (or 18) numbers each; and its part of storing a shape
 * (tet_stiffness_kernel.c). */
void lil_stiffness_chunk_blocks(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges);
/* BETWEEN (tet_discrete_gradient_stiffness.c; tet_signed_stiffness.c for a J with a sign), and the elastic ones halfway, 9 numbers each. */
void lil_stiffness_chunk_discrete_gradient(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk,
                                           float *edges);
void lil_stiffness_chunk_signed(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges);
void lil_stiffness_chunk_middle(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges);
void lil_stiffness_chunk_keep(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q);

#endif
