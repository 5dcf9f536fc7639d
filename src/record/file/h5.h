/* The few HDF5 calls that a trajectory is made of. Call them between lil_quiet_begin and lil_quiet_end. */
#ifndef LIL_RECORD_FILE_H5_H
#define LIL_RECORD_FILE_H5_H

#include "core/arena.h"
#include "core/context.h"

#include <hdf5.h>

/* Grows by one when readers of older versions could misread the file. */
enum { LIL_FORMAT = 1 };

/* How often what a writer is just changing is read again. HDF5 waits twice as long from try to try, from 1 ns on: its
 * default of 100 tries would wait for a damaged file for ever. */
enum { LIL_READ_ATTEMPTS = 24 };

/* HDF5 prints its errors; the library never prints. In between HDF5 is silent in this thread. */
typedef struct lil_quiet {
    H5E_auto2_t print;
    void *data;
} lil_quiet;

lil_quiet lil_quiet_begin(void);
void lil_quiet_end(lil_quiet quiet);

/* A fixed-size string of `size` bytes. Creates the dataset, or writes into it. */
bool lil_h5_write_string(hid_t file, const char *name, const char *text, size_t size);
/* NULL: it is not there, or is something else. */
const char *lil_h5_read_string(lil_arena *arena, hid_t file, const char *name);

/* One number; groups on the way to it are made. */
bool lil_h5_write_number(hid_t file, const char *name, double value);
/* NaN: it is not there, or is not one number. */
double lil_h5_read_number(hid_t file, const char *name);

/* NULL: they are not there. */
const char **lil_h5_read_names(lil_arena *arena, hid_t file, const char *name, int *n);

/* A table that stays as it is: rows x width numbers, of doubles or of ints. */
bool lil_h5_write_table(hid_t file, const char *name, int64_t rows, int width, const double *reals,
                        const int *wholes);
/* NULL: it is not there, or is something else. */
double *lil_h5_read_reals(lil_arena *arena, hid_t file, const char *name, int width, int64_t *rows);
int *lil_h5_read_wholes(lil_arena *arena, hid_t file, const char *name, int width, int64_t *rows);
/* Whether it is there with these numbers. */
bool lil_h5_same_table(hid_t file, const char *name, int64_t rows, int width, const double *reals, const int *wholes);

/* A list of texts; none: nothing is written. */
bool lil_h5_write_names(hid_t file, const char *name, const char *const *names, int n);

/* The attribute `unit` of rows: "N". */
bool lil_h5_write_unit(hid_t set, const char *unit);
/* "": it is not there, or is no short text. */
const char *lil_h5_read_unit(lil_arena *arena, hid_t set);

/* The largest power of two up to n, at least 1. Chunks and batches have so many rows, so that batches fill chunks
 * and no chunk is written twice. */
size_t lil_h5_power_of_two(size_t n);

/* Rows of numbers that can grow. */
typedef struct lil_h5_rows {
    int width;    /* 0: one number per row */
    bool single;  /* float, else double */
    int compress; /* level of deflate, of long rows; 0: none */
} lil_h5_rows;

size_t lil_h5_row_bytes(const lil_h5_rows *form);
/* What a chunk of them takes in the file, amply. */
size_t lil_h5_chunk_bytes(const lil_h5_rows *form, int64_t expected);
/* Large chunks of the file begin where pages do. */
void lil_h5_align(hid_t file_access);
/* They may grow to about `expected`. */
hid_t lil_h5_create_rows(hid_t file, const char *name, const lil_h5_rows *form, int64_t expected);
/* -1: it is not there, or its rows have another width or type. */
hid_t lil_h5_open_rows(hid_t file, const char *name, const lil_h5_rows *form);
int64_t lil_h5_row_count(hid_t set);
/* At a place up to the end, over rows that may be there. The rows are floats where the form is single. */
bool lil_h5_append_rows(hid_t set, const lil_h5_rows *form, int64_t at, int64_t count, const void *rows);
bool lil_h5_read_rows(hid_t set, int width, int64_t at, int64_t count, double *rows);

#endif
