/*
 * Threads. Work is cut into pieces that do not depend on how many threads there are, each piece writes what no other piece
 * reads, and sums over pieces are taken in their order afterwards: the same bits on any number of threads.
 */
#ifndef LIL_CORE_THREADS_H
#define LIL_CORE_THREADS_H

#include <stddef.h>

enum { LIL_THREADS_MAX = 64 };

/* Processors that this process may use, 1 to LIL_THREADS_MAX. */
int lil_threads_available(void);

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

/* job(data, i) for i = 0 ... count - 1 on at most `threads` threads, in no order; on one, or of one piece, a plain loop. */
void lil_parallel(int threads, int count, void (*job)(void *data, int i), void *data);

/* to = from, on at most `threads` threads */
void lil_parallel_copy(int threads, size_t n, const double *from, double *to);

#endif
