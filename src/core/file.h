/* Files: read whole, and replaced as a whole. */
#ifndef LIL_CORE_FILE_H
#define LIL_CORE_FILE_H

#include "core/context.h"

/* All bytes of a file or a pipe, to be freed; `text` is ended by a 0 that `size` does not count. `what` names what
 * the file should be, for the sentence about a folder or a device: "is a folder, not a mesh". More than `limit`
 * bytes are refused. */
lil_status lil_file_read(lil_context *ctx, const char *path, const char *what, size_t limit, char **text,
                         size_t *size);

/* A file that is written as PATH.part and renamed once it is complete: readers never see a part of it, and the
 * previous file stays until then. A link stays, and its target is replaced. */
typedef struct lil_new_file {
    lil_context *ctx;
    const char *path; /* borrowed */
    char *target, *part;
    bool replace, streams; /* streams: a device or a pipe, which has no parts, is written itself */
} lil_new_file;

/* Refuses a folder, a file that may not be replaced or written, and a device unless `streams` allows it. To be
 * ended in any case. */
lil_status lil_new_file_begin(lil_context *ctx, const char *path, bool replace, bool streams, lil_new_file *file);
/* After the part is written and closed. */
lil_status lil_new_file_name(lil_new_file *file);
/* A part that has no name yet is removed. */
void lil_new_file_end(lil_new_file *file);
/* The sentence of a write that failed, from errno. */
lil_status lil_new_file_fail(const lil_new_file *file);

/* All of it or nothing, as above. */
lil_status lil_file_write(lil_context *ctx, const char *path, bool replace, const char *data, size_t size);

#endif
