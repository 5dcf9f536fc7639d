/*
 * The bytes of a mesh file in order. Readers ask for the next number and do not care whether it is a word or bytes,
 * so that one reader serves a format's text and binary flavour. Every failure is a sentence with its place.
 */
#ifndef LIL_MESH_READ_SCAN_H
#define LIL_MESH_READ_SCAN_H

#include "core/context.h"

enum { LIL_WORD_MAX = 128 };

typedef struct lil_scan {
    lil_context *ctx;
    const char *file;
    const char *start, *at, *end;
    size_t line;   /* of `at`, from 1 */
    char comment;  /* from here to the end of its line nothing counts; 0: there are none */
    bool binary;   /* numbers are bytes now */
    bool unlined;  /* some of the file is binary: places are bytes, not lines */
    bool reversed; /* the byte order differs from memory */
} lil_scan;

lil_scan lil_scan_begin(lil_context *ctx, const char *file, const char *text, size_t size);

/* "bar.msh:17: sentence", or "bar.msh: at byte 812: sentence" */
lil_status lil_scan_fail(const lil_scan *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The line for lil_mesh.tet_line; 0 where there are none. */
int lil_scan_line(const lil_scan *s);

/* Words are what blanks separate; a longer one is cut. The word of `peek` is not taken. False: the file ends. */
bool lil_scan_word(lil_scan *s, char word[LIL_WORD_MAX]);
bool lil_scan_peek(const lil_scan *s, char word[LIL_WORD_MAX]);
/* "text between quotes", on one line. */
lil_status lil_scan_quoted(lil_scan *s, const char *what, char word[LIL_WORD_MAX]);
/* To the start of the next line. */
void lil_scan_end_line(lil_scan *s);
/* Skips past the next `mark`. False: there is none. */
bool lil_scan_skip_to(lil_scan *s, const char *mark);
/* Over `count` numbers of `bytes` bytes. */
lil_status lil_scan_skip(lil_scan *s, int bytes, int64_t count, const char *what);

/* The next number, of `bytes` bytes where it is binary (4 or 8; integers also 1). A real is finite. */
lil_status lil_scan_real(lil_scan *s, int bytes, const char *what, double *x);
lil_status lil_scan_integer(lil_scan *s, int bytes, const char *what, int64_t least, int64_t most, int64_t *i);
/* How many of something follow. Each takes at least `numbers` numbers (of `bytes_each` bytes together where they are
 * binary): more than the rest of the file can hold are refused before anyone makes room for them. */
lil_status lil_scan_count(lil_scan *s, int bytes, const char *what, int numbers, int bytes_each, int64_t *count);

#endif
