/* Whole files in memory. */
#ifndef LIL_CORE_FILE_H
#define LIL_CORE_FILE_H

#include "core/context.h"

/* All bytes of a file or a pipe, to be freed; `text` is ended by a 0 that `size` does not count. `what` names what the
 * file should be, for the sentence about a folder or a device: "is a folder, not a mesh". More than `limit` bytes are refused. */
lil_status lil_file_read(lil_context *ctx, const char *path, const char *what, size_t limit, char **text,
                         size_t *size);

/* All of it or nothing: a file that stands in the way is replaced, if it may be, only once the new one is whole. */
lil_status lil_file_write(lil_context *ctx, const char *path, bool replace, const char *data, size_t size);

#endif
