#include "expr/source.h"

#include <stdio.h>

const char *lil_source_where(const lil_source *source, int offset, char out[LIL_WHERE_MAX])
{
    out[0] = 0;
    if (source->file && source->line > 0)
        snprintf(out, LIL_WHERE_MAX, "%.200s:%d:%d: ", source->file, source->line,
                 source->column + (source->single_line ? offset : 0));
    return out;
}
