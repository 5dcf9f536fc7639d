#define _GNU_SOURCE /* sched_getaffinity */
#include "core/threads.h"

#include <sched.h>
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
