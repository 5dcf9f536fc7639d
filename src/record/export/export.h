/*
 * A trajectory in other programs' formats. One file = one const table; the list is below.
 *
 * What a format writes goes to PATH.part (into a folder that exists: PATH/.part) and gets its name when all of it is
 * there.
 */
#ifndef LIL_RECORD_EXPORT_EXPORT_H
#define LIL_RECORD_EXPORT_EXPORT_H

#include "record/file/motion.h"

#include <stdio.h>

/* The list: one line a format, which is one file with that table. The first is the default. */
#define LIL_EXPORTS(X)                                                                                               \
    X(lil_export_csv)                                                                                                \
    X(lil_export_mdd)                                                                                                \
    X(lil_export_vtu)

typedef struct lil_export {
    lil_context *ctx;
    lil_motion motion;
    double fps;       /* 0: frames as recorded */
    const char *name; /* of the trajectory, without folders and .h5, as a file's name */
    const char *part; /* where it is written, beside `path`, until all of it is there */
    const char *path; /* where it ends up */
    FILE *stream;     /* of one file: open already, and stays so; else NULL */
    const lil_export_def *def;
} lil_export;

typedef struct lil_export_table {
    const char *name;
    const char *doc;   /* its contents; lines of a help text */
    bool folder;       /* a folder of files; else one file */
    const char *index; /* how the file's name ends that refers to the others of a folder: it appears last */
    lil_status (*write)(lil_export *e);
    /* optional: does the name belong to an earlier, longer export, which this one replaces? */
    bool (*stale)(const lil_export *e, const char *name);
} lil_export_table;

#define LIL_DECLARE_(name) extern const lil_export_table name;
LIL_EXPORTS(LIL_DECLARE_)
#undef LIL_DECLARE_

/* A file of the folder (or the file itself: name NULL). It is refused when one of that name is there and may not be
 * replaced. */
lil_status lil_export_open(lil_export *e, const char *name, FILE **file);
/* Reports failed writes. NULL is ignored. */
lil_status lil_export_close(lil_export *e, FILE *file);

/* To be called for every sample that is done. */
lil_status lil_export_progress(lil_export *e, double done);

/* A name as a file can have it: any character but letters, digits, dashes, dots and underscores becomes %2F. NULL:
 * no memory. */
const char *lil_export_file_name(lil_arena *arena, const char *name);

#endif
