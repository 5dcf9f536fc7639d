#define _GNU_SOURCE /* sched_getaffinity */
#include "core/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a thread looks for work before it sleeps: a while at full attention, then letting others go first. */
enum { LOOKS = 500, POLITE_LOOKS = 100 };

/* A thread's own pieces: others take from them only when they have none left, so that each works where its caches
 * are. */
typedef struct share {
    _Alignas(64) atomic_int next;
    int end;
} share;

struct lil_threads {
    int count;   /* the caller included */
    int started; /* beside the caller */
    pthread_t thread[LIL_THREADS_MAX];
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_flag taken;     /* someone is in lil_parallel */
    atomic_uint task;      /* changes with each one */
    atomic_bool open, end; /* there are pieces to take; the threads are to end */
    atomic_int inside;     /* threads that may touch the task */
    atomic_int sleeping;
    atomic_int left; /* pieces not yet done */
    share shares[LIL_THREADS_MAX];
    int share_count;
    void (*job)(void *data, int i);
    void *data;
};

int lil_threads_available(void)
{
    cpu_set_t set;
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > LIL_THREADS_MAX ? LIL_THREADS_MAX : (int)count;
}

/* ---- the threads ---- */

static void look_again(int looks)
{
    if (looks > LOOKS)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    else
        __builtin_ia32_pause();
#endif
}

/* All pieces that are left, beginning with those of `own`. */
static void work(lil_threads *t, int own)
{
    for (int k = 0; k < t->share_count; k++) {
        share *s = &t->shares[(own + k) % t->share_count];
        for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->end;) {
            t->job(t->data, i);
            atomic_fetch_sub(&t->left, 1);
        }
    }
}

/* Until the task is not `seen` any more. */
static void wait_for_task(lil_threads *t, unsigned seen)
{
    for (int looks = 0; looks < LOOKS + POLITE_LOOKS; looks++) {
        if (atomic_load(&t->task) != seen)
            return;
        look_again(looks);
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleeping, 1);
    while (atomic_load(&t->task) == seen)
        pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->sleeping, 1);
    pthread_mutex_unlock(&t->lock);
}

typedef struct start {
    lil_threads *threads;
    int own;
    unsigned seen;
} start;

static void *run(void *argument)
{
    start s = *(start *)argument;
    lil_threads *t = s.threads;
    free(argument);
    for (;;) {
        wait_for_task(t, s.seen);
        s.seen = atomic_load(&t->task);
        if (atomic_load(&t->end))
            return NULL;
        atomic_fetch_add(&t->inside, 1); /* from here on the task stays as it is, if it is still open */
        if (atomic_load(&t->open))
            work(t, s.own % t->share_count);
        atomic_fetch_sub(&t->inside, 1);
    }
}

static void announce(lil_threads *t)
{
    atomic_fetch_add(&t->task, 1);
    if (atomic_load(&t->sleeping) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

/* as many as can be had: with fewer everything still gets done */
static void start_missing(lil_threads *t)
{
    while (t->started < t->count - 1) {
        start *s = malloc(sizeof *s);
        if (!s)
            return;
        *s = (start){ t, t->started + 1, atomic_load(&t->task) };
        if (pthread_create(&t->thread[t->started], NULL, run, s) != 0) {
            free(s);
            return;
        }
        t->started++;
    }
}

static void stop(lil_threads *t)
{
    atomic_store(&t->end, true);
    announce(t);
    for (; t->started > 0; t->started--)
        pthread_join(t->thread[t->started - 1], NULL);
    atomic_store(&t->end, false);
}

/* ---- the pool ---- */

lil_threads *lil_threads_create(int count)
{
    lil_threads *t = aligned_alloc(_Alignof(lil_threads), sizeof *t);
    if (!t)
        return NULL;
    *t = (lil_threads){ .count = count, .taken = ATOMIC_FLAG_INIT };
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    return t;
}

void lil_threads_destroy(lil_threads **threads)
{
    lil_threads *t = *threads;
    if (!t)
        return;
    stop(t);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t);
    *threads = NULL;
}

void lil_threads_set(lil_threads *t, int count)
{
    if (count < t->count)
        stop(t);
    t->count = count;
}

int lil_threads_count(const lil_threads *t)
{
    return t->count;
}

static void share_out(lil_threads *t, int count)
{
    t->share_count = t->count < count ? t->count : count;
    for (int k = 0; k < t->share_count; k++) {
        atomic_store(&t->shares[k].next, (int)((int64_t)count * k / t->share_count));
        t->shares[k].end = (int)((int64_t)count * (k + 1) / t->share_count);
    }
    atomic_store(&t->left, count);
}

void lil_parallel(lil_threads *t, int count, void (*job)(void *data, int i), void *data)
{
    if (!t || t->count == 1 || count < 2 || atomic_flag_test_and_set(&t->taken)) {
        for (int i = 0; i < count; i++)
            job(data, i);
        return;
    }
    start_missing(t);
    t->job = job;
    t->data = data;
    share_out(t, count);
    atomic_store(&t->open, true);
    announce(t);
    work(t, 0);
    for (int looks = 0; atomic_load(&t->left) > 0; looks += looks < LOOKS + 1)
        look_again(looks);
    atomic_store(&t->open, false);
    for (int looks = 0; atomic_load(&t->inside) > 0; looks += looks < LOOKS + 1)
        look_again(looks);
    atomic_flag_clear(&t->taken);
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

void lil_parallel_copy(lil_threads *threads, size_t n, const double *from, double *to)
{
    copy_job job = { n, from, to };
    lil_parallel(threads, lil_pieces(n), copy_piece, &job);
}
