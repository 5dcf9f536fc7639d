/* Tables: aligned for a terminal, in Markdown for docs/, and as JSON. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 12, TABLE_ROWS_MAX = 32, TABLE_CELL_MAX = 192 };

typedef struct table {
    const char *name; /* in JSON */
    char title[256];  /* one line above it */
    int columns, rows;
    int left; /* so many columns are aligned to the left: 1 unless it is changed */
    const char *heads[TABLE_COLUMNS_MAX];
    char cells[TABLE_ROWS_MAX][TABLE_COLUMNS_MAX][TABLE_CELL_MAX];
} table;

/* Heads end with NULL. */
table table_new(const char *name, const char *const *heads);
/* Cells are filled from left to right; a row ends when it is full. */
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(table *t, const char *format, double x) __attribute__((format(printf, 2, 0))); /* NaN: a dash */

void table_print(const table *t, FILE *file);
void table_markdown(const table *t, FILE *file);
void table_json(const table *t, FILE *file);

#endif
