/*
 * Symmetric matrices of 3x3 blocks over vertices, in single precision:
 *
 *     H = M + K,  rows of K adding up to nothing:  H_ab = B_ab,  H_aa = m_a 1 - sum_b B_ab
 *
 * so only the blocks of pairs a < b are given. A pair with a pinned vertex (-1) is in the sum, but has no row.
 *
 * The matrix is scaled so that diagonal blocks are the identity: D_a = L_a L_a', A = L^-1 H L^-T = 1 + N. Rows are in
 * an order in which Gauss-Seidel sweeps are parallel (blocks_order.h). N is stored in SELL-8 (Kreutzer et al. 2014):
 * eight rows side by side, one in each lane, with the lower and the upper triangle apart. Callers use their own
 * numbering.
 *
 * Precision. D is summed in double; L^-1 and N are rounded to float, so A is accurate to some 2^-24 of the identity:
 * H times a translation equals M times it to float's accuracy of the blocks, not of M. Modes whose scaled eigenvalue
 * (m over the size of the blocks, for a rigid motion) is below about 1e-7 are lost.
 *
 * If N does not fit into caches, products are limited by memory bandwidth. Its numbers then have 16 bits, which
 * changes A by some 1e-5 of the identity, unless its least eigenvalues are that small.
 *
 * The same bits on any number of threads: chunks of 1024 rows, whose sums are added in their order.
 */
#ifndef LIL_SOLVERS_BLOCKS_H
#define LIL_SOLVERS_BLOCKS_H

#include "core/arena.h"
#include "core/context.h"
#include "core/threads.h"
#include "math/couplings.h"
#include "math/float8.h"

enum { LIL_BLOCKS_CHUNK = 128 }; /* groups of eight rows */

/* Eight blocks in as many rows. */
typedef struct lil_slot {
    lil_float8 v[9]; /* by rows */
} lil_slot;

/* The same in 16 bits a number, in units of 1 / LIL_PACKED_ONE: two by two, the first in the upper half. If both
 * are read as one number, the lower half changes the upper number by less than its rounding error. */
typedef struct lil_packed {
    int32_t v[4][8];
    lil_short8 last;
} lil_packed;

enum { LIL_PACKED_ONE = 32767 };

typedef struct lil_blocks {
    int n;              /* rows */
    int places;         /* blocks that lil_blocks_set reads */
    int groups, chunks; /* of 8 rows; of LIL_BLOCKS_CHUNK groups */
    lil_threads *threads;
    int *order;         /* own row i is the caller's order[i] */
    int *first;         /* n + 1: places whose lower row is i (A's number) are first[i] ... first[i+1] - 1 */
    int (*at)[2];       /* of a place, A's numbers: the block's row and column; column -1: fixed */
    int *held;          /* a row's place whose other end is fixed, or -1 */
    int phases, *phase; /* phases + 1: its chunks, which are not coupled with each other */
    int *lower;         /* groups + 1: slots of group g with earlier rows are lower[g] ... lower[g+1] - 1; */
    int *upper;  /* groups + 1: those with later rows upper[g+1] ... upper[g] - 1, in the order of backward sweeps, */
    int *beside; /*   of which those from beside[g] on are within the group */
    int (*column)[8];                      /* of a slot */
    lil_slot *slots;                       /* N, */
    bool packed;                           /*   or these are lil_packed */
    int packed_from;                       /*   from so many rows on, which do not fit into caches */
    int (*source)[8];                      /* source of each block: 2 place, + 1 if transposed; -1: none, zero */
    float (*L)[8], (*iL)[8];               /* of a row: 00 10 11 20 21 22 of L and L^-1, two unused */
    float (*iR)[8];                        /* of R^-1, A = L^-1 H R^-T: iL, unless the matrix is general */
    double *mass;                          /* of a row */
    const float *pairs;                    /* the latest blocks, borrowed */
    double *partial;                       /* a chunk's share of a sum */
    bool *bad;                             /* a chunk has a block that is not positive definite */
    uint64_t version;                      /* of the values: another after each set */
    struct lil_block_couplings *couplings; /* couplings beside the blocks; NULL: never any */
    struct lil_carried_couplings *carried; /* those over carried points; NULL: none yet */
} lil_blocks;

/* Vectors in A's own form: x, y, z, 0 per row, lil_blocks_rows(A) of them; rows from n on are 0. */
static inline int lil_blocks_rows(const lil_blocks *A)
{
    return 8 * A->groups;
}

/* A group's slots on one side of the diagonal, 0 or 1: the first, and the one after the last. */
static inline int lil_blocks_first(const lil_blocks *A, int group, int side)
{
    return side == 0 ? A->lower[group] : A->upper[group + 1];
}

static inline int lil_blocks_last(const lil_blocks *A, int group, int side)
{
    return side == 0 ? A->lower[group + 1] : A->upper[group];
}

/* For n rows at x (3 numbers each, approximate positions) and the pairs at[k] = { a, b }, a < b unless one of them
 * is -1 (fixed). The block of pair k belongs at where[k] among A->places blocks. Equal pairs share a place, where
 * their blocks are summed. A pair with two fixed ends has none (-1). */
lil_status lil_blocks_create(lil_context *ctx, lil_arena *arena, int n, const double *x, int pairs,
                             const int (*at)[2], lil_threads *threads, lil_blocks *A, int *where);

/* New values: a mass a row, and A->places blocks (9 numbers by rows, d2W/dx_a dx_b), which are borrowed until the
 * next set. False: a diagonal block is not positive definite, or not finite; A is then unusable. Allocates
 * nothing. */
bool lil_blocks_set(lil_blocks *A, const double *mass, const float *pairs);

/* A general matrix has two blocks a pair, B_ab and B_ba, and is scaled by D_a = L_a R_a', triangles both. Its
 * pairs are those of the creation; after that, once, and before any other use: place[k][0] and [1] are where B_ab
 * and B_ba of pair k belong among 2 A->places blocks, -1 if that row is fixed. */
lil_status lil_blocks_generalise(lil_context *ctx, lil_arena *arena, lil_blocks *A, int pairs, const int (*at)[2],
                                 const int *where, int (*place)[2]);
/* As lil_blocks_set, for matrices that need not be definite; false: a diagonal block is singular. */
bool lil_blocks_set_general(lil_blocks *A, const double *mass, const float *blocks);

/* Couplings beside the blocks, H + C. Products include all of C. Sweeps and coarser levels, which precondition,
 * have its diagonal only, w_a^2 H_c: the caller adds it to the block of row a with a fixed end, A->held. To be
 * created once, and set after every set of the blocks, over the caller's rows (-1: fixed). False: memory ran out. */
lil_status lil_blocks_couple_create(lil_context *ctx, lil_arena *arena, lil_blocks *A);
bool lil_blocks_couple(lil_blocks *A, const lil_couplings *couplings);
int lil_blocks_row(const lil_blocks *A, int row); /* A's number of the caller's row */
/* Couplings over carried points, to be set before every set of the blocks. Their diagonal blocks D (of rows in A's
 * numbers) are to be added to the blocks too. False: memory ran out. */
bool lil_blocks_carry(lil_blocks *A, const lil_couplings *couplings);
int lil_blocks_carried_diagonal(const lil_blocks *A, const int **rows, const double (**D)[9]);
/* Their off-diagonal entries in those rows, not scaled; NULL: none. */
const lil_float4 *lil_blocks_carried_forces(const lil_blocks *A, const lil_float4 *x);
/* Used by products: C x without the diagonal, in the coupled rows, and x'C x; NULL: no couplings. y += the same. */
const lil_float4 *lil_blocks_couplings_multiply(const lil_blocks *A, const lil_float4 *x, double *xCx);
double lil_blocks_couplings_add(const lil_blocks *A, const lil_float4 *x, lil_float4 *y);

/* A number of N. */
double lil_blocks_value(const lil_blocks *A, int slot, int entry, int lane);
/* Reads and replaces a block of N. Writing back what was read does not change its bits. */
void lil_blocks_get(const lil_blocks *A, int slot, int lane, float N[9]);
void lil_blocks_put(lil_blocks *A, int slot, int lane, const float N[9]);

/* How far forces reach: the mean of trace D_a over 3 m_a, the squared h omega of single vertices up to a factor. */
double lil_blocks_stiffness(const lil_blocks *A);

/* y = H x in the caller's numbering, to float's accuracy; work: two vectors in A's form. */
void lil_blocks_multiply(const lil_blocks *A, const double *x, double *y, lil_float4 *work);

/* ---- in A's own form; these return dot products ---- */

double lil_blocks_norm(const lil_blocks *A, const double *b);                              /* |L^-1 b| */
void lil_blocks_import(const lil_blocks *A, double scale, const double *b, lil_float4 *r); /* r = scale L^-1 b */
void lil_blocks_export(const lil_blocks *A, double scale, const lil_float4 *x, double *d); /* d = scale L^-T x */

double lil_blocks_apply(const lil_blocks *A, const lil_float4 *x, lil_float4 *y); /* y = A x; x'y */

/* ---- sweeps: A = 1 + L + L' + S, L the blocks with earlier rows, S those within a group ---- */

void lil_blocks_forward(const lil_blocks *A, const lil_float4 *r, lil_float4 *x);  /* x = (1 + L)^-1 r; may be r */
void lil_blocks_backward(const lil_blocks *A, const lil_float4 *r, lil_float4 *x); /* x = (1 + L')^-1 r; may be r */
void lil_blocks_rest(const lil_blocks *A, const lil_float4 *x,
                     lil_float4 *y); /* y = -(L' + S) x = r - A x after forward */
/* Gauss & Seidel's x = (1 + L')^-1 (r - (L + S) x) */
void lil_blocks_gauss_seidel(const lil_blocks *A, const lil_float4 *r, lil_float4 *x, lil_float4 *work);
/* y = (1 + L)^-1 A (1 + L')^-1 x as fast as a product (Eisenstat, SIAM J. Sci. Stat. Comput. 2 (1981), 1-4); x'y */
double lil_blocks_apply_swept(const lil_blocks *A, const lil_float4 *x, lil_float4 *y, lil_float4 *work);
/* Its second half: y = t + (1 + L)^-1 (x - t + S t), with t = (1 + L')^-1 x in work, or with any other x; x'y */
double lil_blocks_forward_swept(const lil_blocks *A, const lil_float4 *x, lil_float4 *y, lil_float4 *work);

double lil_blocks_dot(const lil_blocks *A, const lil_float4 *x, const lil_float4 *y);
/* d += a p, r -= a q; r'r */
double lil_blocks_advance(const lil_blocks *A, float a, const lil_float4 *p, const lil_float4 *q, lil_float4 *d,
                          lil_float4 *r);
double lil_blocks_subtract(const lil_blocks *A, float a, const lil_float4 *q, lil_float4 *r);    /* r -= a q; r'r */
void lil_blocks_new_direction(const lil_blocks *A, float b, const lil_float4 *z, lil_float4 *p); /* p = z + b p */

#endif
