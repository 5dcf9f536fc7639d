/*
 * Second derivatives of tets as blocks over pairs of vertices, in float: eight tets at a time (tet_tangent.h), in
 * chunks of neighbouring tets with local numbers for vertices and edges, so that both stay in the nearest cache. An
 * edge of one chunk is finished there. An edge that several chunks share has a slot in each, and the slots are summed
 * in order: the same bits on any number of threads.
 *
 * Of quadratic tets, a block is twice four quadrature points (tet_mix.h): their blocks (a, b), of virtual vertices, are
 * first collected for a batch, and then added to the 45 pairs of nodes of each tet.
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
    LIL_STIFFNESS_QUADRATIC_TETS = 128,
    LIL_STIFFNESS_QUADRATIC_EDGES = 3584,
    LIL_STIFFNESS_NODE_PAIRS = 45,
    LIL_STIFFNESS_POINTS = 4, /* of a group, which has a mix of its own */
};

/* Eight tets, far from each other within the chunk; each has its vertices in ascending order, so that all blocks
 * (a, b) have a < b, and r has the sign of that permutation. Of quadratic tets: two groups of points, whose corner tets
 * keep their order. */
typedef struct lil_stiffness_block {
    float B[9][LIL_STIFFNESS_LANES], r[LIL_STIFFNESS_LANES];
    float V[LIL_STIFFNESS_LANES]; /* 0 in unused lanes of the last block */
    uint16_t vertex[4][LIL_STIFFNESS_LANES],
        edge[6]
            [LIL_STIFFNESS_LANES]; /* of the chunk (of quadratic tets: of the batch): 4 times and 9 times its number */
} lil_stiffness_block;

/* The mixes of both groups of points, by lanes. */
typedef struct lil_stiffness_mix {
    float own[LIL_STIFFNESS_LANES], all[LIL_STIFFNESS_LANES], ends[LIL_STIFFNESS_LANES];
    int tet[LIL_STIFFNESS_LANES / LIL_STIFFNESS_POINTS]; /* of each group, among the chunk's; -1: it is unused */
} lil_stiffness_mix;

/* The pairs of a quadratic tet's nodes p < q: its number in the chunk, and whether its first vertex is q. */
typedef struct lil_stiffness_nodes {
    uint16_t edge[LIL_STIFFNESS_NODE_PAIRS];
    bool turned[LIL_STIFFNESS_NODE_PAIRS];
} lil_stiffness_nodes;

typedef struct lil_stiffness_chunk {
    int block, blocks;    /* the first, and how many */
    int vertex, vertices; /* in the list of vertices */
    int pair, interior;   /* pairs in no other chunk: its first edges */
    int late;             /* the first of those that are added late */
    int slot, shared;     /* the others */
    int tet;              /* its first quadratic one */
} lil_stiffness_chunk;

typedef struct lil_tet_stiffness {
    const lil_tets *tets;
    double length; /* m, a power of 2 */
    lil_threads *threads;
    int chunk_count;
    lil_stiffness_chunk *chunks;
    lil_stiffness_block *blocks;
    lil_stiffness_mix *mixes;   /* of each block; NULL: linear tets */
    lil_stiffness_nodes *nodes; /* of each quadratic tet, in the order of chunks */
    int *vertices;              /* of the model */
    int interior, shared;       /* pairs, in this order */
    int *first_slot;            /* of a shared pair, in `slots`; one more entry than pairs */
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
/* Blocks of the virtual vertices of quadratic tets, as kernels leave them for a batch of blocks; and where a kernel
 * begins them. */
enum { LIL_STIFFNESS_BATCH = 8, LIL_STIFFNESS_VIRTUAL = 6 * LIL_STIFFNESS_LANES };
typedef float lil_stiffness_virtual[18 * LIL_STIFFNESS_VIRTUAL * LIL_STIFFNESS_BATCH];
float *lil_stiffness_begin(const lil_tet_stiffness *p, int first, int blocks, int each,
                           lil_stiffness_virtual collected, float *edges);
/* Adds them to the chunk's pairs; nothing, of linear tets. `each` is 9, or 18 for both blocks of each pair. */
void lil_stiffness_end(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, int first, int blocks, int each,
                       const float *collected, float *edges);
void lil_stiffness_chunk_keep(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q);

#endif
