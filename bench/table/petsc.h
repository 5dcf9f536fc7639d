/* PETSc's solvers on a problem: SNES finds the root of dE, TAO's nls minimises E. Without PETSc there are none. */
#ifndef BENCH_PETSC_H
#define BENCH_PETSC_H

#include "problem.h"

/* What a solve has cost, and whether PETSc came back without an error. */
typedef struct outcome {
    bool ran;
    long newton, linear;
} outcome;

bool petsc_begin(void); /* false: Lilyan was built without it */
void petsc_end(void);
const char *petsc_version(void);

/* The list of settings: 0 is defaults; each is there for both solvers. */
typedef struct petsc_method {
    const char *name;    /* "SNES, defaults" */
    const char *options; /* as one would give them to a program */
    bool minimises;
    int setting;
} petsc_method;

enum { PETSC_SETTINGS = 7 };

int petsc_method_count(void);
const petsc_method *petsc_method_at(int i);

typedef struct petsc_solver petsc_solver;

/* Structure, vectors, options: what is done once. NULL: PETSc refuses. */
petsc_solver *petsc_create(const petsc_method *method, problem *pb);
void petsc_destroy(petsc_solver **solver);

/* v comes in as the guess and goes out as what was found. */
outcome petsc_solve(petsc_solver *solver, double *v, double target);

#endif
