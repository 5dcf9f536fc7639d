/* The three parts of the comparison, and what they share. */
#ifndef BENCH_PARTS_H
#define BENCH_PARTS_H

#include "measure.h"
#include "report.h"

typedef struct bench_size {
    const char *name;
    int cells[3];
} bench_size;

enum { SIZES = 5, COMPARED = 4, TABLES_MAX = 16 }; /* PETSc is asked for the first COMPARED sizes */

typedef struct bench {
    lil_context *ctx;
    const char *program;
    int repeats, steps;
    double budget; /* s that one method may take at one size */
    bool wanted[SIZES];
    bool petsc;
    table tables[TABLES_MAX];
    bool published[TABLES_MAX]; /* goes into docs/ */
    int table_count;
    bool failed;
} bench;

extern const bench_size bench_sizes[SIZES];

int bench_tets(const bench_size *size);

/* Prints a table and keeps it for the files. */
void bench_show(bench *b, const table *t, bool publish);
void bench_complain(bench *b, const char *what); /* the context's sentence, on stderr */

/* Whether a step that took `ms` at one size can be waited for at the next; it is taken to grow with the square. */
bool bench_affordable(const bench *b, double ms, const bench_size *from, const bench_size *to);

void part_compare(bench *b); /* section 5.4: SNES, TAO, root, minimise at four sizes */
void part_violent(bench *b); /* steps so long that solvers fail */
void part_growth(bench *b);  /* Lilyan alone: size, threads, memory */

/* In a process of its own: prints the bytes a tet of a run of so many cells; the exit status. */
int growth_memory(const char *cells);

#endif
