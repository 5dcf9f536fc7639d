/*
 * Threads. Work is cut into pieces that do not depend on how many threads there are, each piece writes what no other piece
 * reads, and sums over pieces are taken in their order afterwards: the same bits on any number of threads.
 */
#ifndef LIL_CORE_THREADS_H
#define LIL_CORE_THREADS_H

enum { LIL_THREADS_MAX = 64 };

/* Processors that this process may use, 1 to LIL_THREADS_MAX. */
int lil_threads_available(void);

/* job(data, i) for i = 0 ... count - 1 on at most `threads` threads, in no order; on one, or of one piece, a plain loop. */
void lil_parallel(int threads, int count, void (*job)(void *data, int i), void *data);

#endif
