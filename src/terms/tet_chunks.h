/*
 * How tets are stored. They are sorted by their rest positions (Morton's order) and divided into chunks,
 * independently of the number of threads. A chunk numbers its vertices: these are its slots. It copies their
 * positions to a small array and sums forces in another. Forces on vertices that belong to one chunk go to the
 * vertices at once. Forces on shared vertices are stored, and afterwards each shared vertex sums them, chunk after
 * chunk. So a chunk works within the nearest caches for any numbering of the mesh, chunks run in parallel, and the
 * order of every sum is fixed: the same bits on any number of threads.
 *
 * Within a chunk tets are in blocks of four. The four come from different quarters of the chunk, because lanes that
 * share a vertex would wait for each other.
 *
 * A block of a quadratic tet is its four corner tets, whose mixed edges are those of four quadrature points (tet_mix.h):
 * slot[i][k] is node x_ik. Kernels see no other difference. Straight and curved tets are in different chunks; blocks of
 * curved ones alternate between both groups of their points.
 */
#ifndef LIL_TERMS_TET_CHUNKS_H
#define LIL_TERMS_TET_CHUNKS_H

#include "core/arena.h"
#include "materials/material.h"
#include "terms/tet_mix.h"

enum {
    LIL_CHUNK_TETS = 2048, /* at most */
    LIL_CHUNK_SLOTS = 1024 /* at most: their data is on the stack */
};

/* Four tets: B = Dm^-1 by rows, so that B's row a is the gradient of the shape function of vertex a + 1. */
typedef struct lil_tet_block {
    lil_lanes B[9];
    lil_lanes V;                 /* m^3; 0 in unused lanes of a chunk's last block, which repeat a tet */
    uint16_t slot[4][LIL_LANES]; /* of the four vertices of each, within the chunk */
} lil_tet_block;

/* The same, with each tet's rest shape rotated so that B is an upper triangle, B = T Q' with a rotation Q. F
 * becomes F Q, which is equivalent to F for isotropic materials, and P becomes P Q, which gives the same forces. A
 * third fewer numbers to read and to multiply. */
typedef struct lil_triangular_block {
    lil_lanes B[6]; /* T by rows */
    lil_lanes V;
    uint16_t slot[4][LIL_LANES];
} lil_triangular_block;

typedef struct lil_tet_chunk {
    int block, block_count; /* its first among all blocks; their number */
    int slot, slot_count;   /* the same of slots */
    int own_count;          /* its first slots are vertices of this chunk only */
    int share;              /* where its forces on shared slots begin */
    lil_mix mix[2];         /* of blocks 0, 2, ... and 1, 3, ... */
} lil_tet_chunk;

typedef struct lil_tet_chunks {
    int tet_count, point_count, count, block_count, slot_count, share_count, vertex_count, shared_count;
    lil_tet_chunk *chunks;
    lil_tet_block *blocks;
    int *block_chunk; /* of each block */
    int *slot_vertex; /* of each slot: the vertex of the model */
    int *place;       /* of each quadrature point: 4 block + lane; a linear tet is a point */
    int *point;       /* the first point of each tet in the user's numbering, and one more; NULL: linear tets */
    int *vertex;      /* vertices of tets, ascending */
    /* of each vertex that several chunks share, ascending: the vertex, and its shares from sums[i] to sums[i + 1],
     * chunk by chunk */
    int *shared, *sums, *sum_share;
} lil_tet_chunks;

/* Over the rest positions X of a body whose vertex 0 is `first` among the model's. All tets have a positive volume.
 * mids: the nodes 4 ... 9 of quadratic tets (tet_mix.h), or NULL; refuses tets that are folded at a quadrature point.
 * straight: the mix of quadratic tets that are not curved. */
lil_status lil_tet_chunks_create(lil_context *ctx, lil_arena *arena, const char *body, const double *X,
                                 const int (*tets)[4], const int (*mids)[6], const lil_mix *straight, int count,
                                 int first, lil_tet_chunks *chunks);

/* The triangular blocks, in the same order; NULL: out of memory. */
lil_triangular_block *lil_tet_chunks_triangularise(lil_arena *arena, const lil_tet_chunks *chunks);

/* Checks the invariants for a model with so many vertices: chunks run in parallel, and must not add to the same
 * vertex. Returns the violated one, or NULL. */
const char *lil_tet_chunks_check(const lil_tet_chunks *chunks, int vertices);

/* x[3 vertex + d] += the shares of each shared vertex, on these threads. */
void lil_tet_chunks_gather(const lil_tet_chunks *chunks, lil_threads *threads, const lil_lanes *shares, double *x);

/* Positions, or velocities, of a chunk's slots. */
LIL_INLINE void lil_chunk_local(const lil_tet_chunks *all, const lil_tet_chunk *chunk, const double *x,
                                lil_lanes *local)
{
    const int *vertex = all->slot_vertex + chunk->slot;
    for (int s = 0; s < chunk->slot_count; s++) {
        const double *at = x + 3 * (size_t)vertex[s];
        local[s] = (lil_lanes){ at[0], at[1], at[2], 0 };
    }
}

/* Positions x + low relative to the chunk's first vertex: edges keep their digits at any distance from the origin.
 * low may be NULL. */
LIL_INLINE void lil_chunk_near(const lil_tet_chunks *all, const lil_tet_chunk *chunk, const double *x,
                               const double *low, lil_lanes *local)
{
    const int *vertex = all->slot_vertex + chunk->slot;
    size_t first = 3 * (size_t)vertex[0];
    if (!low) {
        lil_chunk_local(all, chunk, x, local);
        return;
    }
    for (int s = 0; s < chunk->slot_count; s++) {
        size_t at = 3 * (size_t)vertex[s];
        for (int d = 0; d < 3; d++)
            local[s][d] = (x[at + d] - x[first + d]) + (low[at + d] - low[first + d]);
        local[s][3] = 0;
    }
}

/* Scatters the result of a chunk's slots: x[3 vertex + d] += f for its own vertices, the others go to its shares. */
LIL_INLINE void lil_chunk_add(const lil_tet_chunks *all, const lil_tet_chunk *chunk, const lil_lanes *f,
                              lil_lanes *shares, double *x)
{
    const int *vertex = all->slot_vertex + chunk->slot;
    for (int s = 0; s < chunk->own_count; s++) {
        double *at = x + 3 * (size_t)vertex[s];
        for (int d = 0; d < 3; d++)
            at[d] += f[s][d];
    }
    for (int s = chunk->own_count; s < chunk->slot_count; s++)
        shares[chunk->share + s - chunk->own_count] = f[s];
}

/* Prefetches memory. */
LIL_INLINE void lil_prefetch(const void *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 64)
        __builtin_prefetch((const char *)memory + at);
}

/* ---- a block: edges from positions, forces to vertices ---- */

/* the mix of the chunk's block i */
LIL_INLINE const lil_mix *lil_chunk_mix(const lil_tet_chunk *chunk, int i)
{
    return &chunk->mix[i % 2];
}

/* edges from vertex 0, as columns: Ds; of positions or velocities by slots */
LIL_INLINE void lil_slot_edges(const lil_mix *mix, const uint16_t slot[4][LIL_LANES], const lil_lanes *x,
                               lil_lanes D[9])
{
    for (int a = 0; a < 3; a++) {
        lil_lanes edge[LIL_LANES], turned[3];
        for (int l = 0; l < LIL_LANES; l++)
            edge[l] = x[slot[a + 1][l]] - x[slot[0][l]];
        lil_lanes_from_points(&edge[0], &edge[1], &edge[2], &edge[3], turned);
        for (int d = 0; d < 3; d++)
            D[3 * d + a] = turned[d];
    }
    if (lil_mixes(mix))
        lil_mix_edges(mix, D);
}

/* adds forces: g_ad on the last three vertices, minus their sum on the first */
LIL_INLINE void lil_slot_forces(const lil_mix *mix, const uint16_t slot[4][LIL_LANES], const lil_lanes g[9],
                                lil_lanes *f)
{
    lil_lanes sum[LIL_LANES], mixed[9];
    if (lil_mixes(mix)) {
        lil_mix_forces(mix, g, mixed);
        g = mixed;
    }
    for (int a = 0; a < 3; a++) {
        lil_lanes point[LIL_LANES];
        lil_lanes_to_points(g + 3 * a, point);
        for (int l = 0; l < LIL_LANES; l++) {
            f[slot[a + 1][l]] += point[l];
            sum[l] = a ? sum[l] + point[l] : point[l];
        }
    }
    for (int l = 0; l < LIL_LANES; l++)
        f[slot[0][l]] -= sum[l];
}

LIL_INLINE void lil_block_edges(const lil_mix *mix, const lil_tet_block *block, const lil_lanes *x, lil_lanes D[9])
{
    lil_slot_edges(mix, block->slot, x, D);
}

/* F = Ds B */
LIL_INLINE void lil_block_multiply(const lil_lanes D[9], const lil_lanes B[9], lil_lanes F[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            F[3 * i + j] = D[3 * i] * B[j] + D[3 * i + 1] * B[3 + j] + D[3 * i + 2] * B[6 + j];
}

/* forces V P B_a */
LIL_INLINE void lil_block_forces(const lil_mix *mix, const lil_tet_block *block, lil_lanes V, const lil_lanes P[9],
                                 const lil_lanes B[9], lil_lanes *f)
{
    lil_lanes VB[9], g[9];
    for (int k = 0; k < 9; k++)
        VB[k] = V * B[k];
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            g[3 * a + d] = P[3 * d] * VB[3 * a] + P[3 * d + 1] * VB[3 * a + 1] + P[3 * d + 2] * VB[3 * a + 2];
    lil_slot_forces(mix, block->slot, g, f);
}

/* the same for a triangular block */
LIL_INLINE void lil_triangular_multiply(const lil_lanes D[9], const lil_lanes B[6], lil_lanes F[9])
{
    for (int i = 0; i < 9; i += 3) {
        F[i] = D[i] * B[0];
        F[i + 1] = D[i] * B[1] + D[i + 1] * B[3];
        F[i + 2] = D[i] * B[2] + D[i + 1] * B[4] + D[i + 2] * B[5];
    }
}

LIL_INLINE void lil_triangular_forces(const lil_mix *mix, const lil_triangular_block *block, lil_lanes V,
                                      const lil_lanes P[9], lil_lanes *f)
{
    lil_lanes VB[6], g[9];
    for (int k = 0; k < 6; k++)
        VB[k] = V * block->B[k];
    for (int d = 0; d < 3; d++) {
        g[d] = P[3 * d] * VB[0] + P[3 * d + 1] * VB[1] + P[3 * d + 2] * VB[2];
        g[3 + d] = P[3 * d + 1] * VB[3] + P[3 * d + 2] * VB[4];
        g[6 + d] = P[3 * d + 2] * VB[5];
    }
    lil_slot_forces(mix, block->slot, g, f);
}

#endif
