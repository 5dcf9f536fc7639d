/*
 * Threads. Work is cut into pieces that do not depend on how many threads there are, no piece writes data that
 * another piece reads, and sums over pieces are taken in their order afterwards: the same bits on any number of
 * threads.
 *
 * A pool of our own rather than OpenMP's, because on a busy machine its threads wait for each other in spin loops.
 * Here any free thread takes the next piece, so no thread waits for one that the system has suspended.
 */
#ifndef LIL_CORE_THREADS_H
#define LIL_CORE_THREADS_H

#include <stddef.h>

enum { LIL_THREADS_MAX = 64 };

typedef struct lil_threads lil_threads;

/* Processors that this process may use, 1 to LIL_THREADS_MAX. */
int lil_threads_available(void);

/* Threads are started when there is something to do for them. NULL: out of memory. */
lil_threads *lil_threads_create(int count);
void lil_threads_destroy(lil_threads **threads);
/* 1 to LIL_THREADS_MAX, the caller included. */
void lil_threads_set(lil_threads *threads, int count);
int lil_threads_count(const lil_threads *threads);

/* job(data, i) for i = 0 ... count - 1, in no order. On one thread (or none: NULL), of one piece, or while another
 * lil_parallel of these threads is running, a plain loop. */
void lil_parallel(lil_threads *threads, int count, void (*job)(void *data, int i), void *data);

/* Pieces of a vector of n numbers: whole vertices, and few enough for the nearest cache. */
enum { LIL_PIECE = 3072 };

static inline int lil_pieces(size_t n)
{
    return (int)((n + LIL_PIECE - 1) / LIL_PIECE);
}

static inline int lil_piece_size(size_t n, int piece)
{
    size_t left = n - (size_t)piece * LIL_PIECE;
    return left < LIL_PIECE ? (int)left : LIL_PIECE;
}

/* to = from, on these threads */
void lil_parallel_copy(lil_threads *threads, size_t n, const double *from, double *to);

#endif
