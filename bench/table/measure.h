/* The first steps of a scene, by Lilyan or by PETSc, with the clock around the steps alone. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "petsc.h"

enum { REPEATS_MAX = 64 };

/* One go at some steps. */
typedef struct sample {
    double seconds;
    int steps, failed; /* steps made; of them those whose equations were not solved */
    long newton, linear;
    int halved;
} sample;

/* All goes of one method at one size. */
typedef struct entry {
    const char *name;
    const char *solver;         /* ours: minimise, root */
    const petsc_method *method; /* or PETSc's */
    sample first;               /* counts are the same in all */
    double ms[REPEATS_MAX];     /* a step */
    int repeats;
    double spent; /* s */
    double *q;    /* where the first go ended */
    bool skipped;
} entry;

double entry_minimum(const entry *e); /* NaN: there is none */
double entry_median(const entry *e);

/* One thread: of the processor, so that others on the machine count less; several: of the wall. */
double bench_seconds(int threads);

/* `limit`: no further step is begun after so many seconds. q (may be NULL): where it ended. False: the context has the
 * sentence. */
bool measure_ours(lil_context *ctx, const char *path, const int *cells, const char *solver, int threads, int steps,
                  double limit, sample *s, double *q);
bool measure_petsc(petsc_solver *solver, problem *pb, int steps, double limit, sample *s);

#endif
