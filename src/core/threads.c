#define _GNU_SOURCE /* sched_getaffinity */
#include "core/threads.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

int lil_threads_available(void)
{
    cpu_set_t set;
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > LIL_THREADS_MAX ? LIL_THREADS_MAX : (int)count;
}

void lil_parallel(int threads, int count, void (*job)(void *data, int i), void *data)
{
    int used = threads < count ? threads : count;
    if (used <= 1) { /* not even a region: it costs a microsecond */
        for (int i = 0; i < count; i++)
            job(data, i);
        return;
    }
#pragma omp parallel for num_threads(used) schedule(static)
    for (int i = 0; i < count; i++)
        job(data, i);
}

typedef struct copy_job {
    size_t n;
    const double *from;
    double *to;
} copy_job;

static void copy_piece(void *data, int i)
{
    const copy_job *job = data;
    size_t at = (size_t)i * LIL_PIECE;
    memcpy(job->to + at, job->from + at, (size_t)lil_piece_size(job->n, i) * sizeof *job->to);
}

void lil_parallel_copy(int threads, size_t n, const double *from, double *to)
{
    copy_job job = { n, from, to };
    lil_parallel(threads, lil_pieces(n), copy_piece, &job);
}
