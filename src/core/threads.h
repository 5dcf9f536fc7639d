/*
 * Threads. Work is cut into pieces that do not depend on how many threads there are, each piece writes what no other piece
 * reads, and sums over pieces are taken in their order afterwards: the same bits on any number of threads.
 *
 * A pool of our own rather than OpenMP's, because on a machine that is busy with something else its threads wait for each
 * other by turning in circles: whoever comes first here takes the next piece, so nobody waits for a thread that the system
 * has put aside.
 */
#ifndef LIL_CORE_THREADS_H
#define LIL_CORE_THREADS_H

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

#endif
