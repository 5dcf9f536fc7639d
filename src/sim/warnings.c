#include "sim/warnings.h"

#include <stdarg.h>
#include <stdio.h>

#define LIL_WARNING_NAME(kind, name) name,
const char *const lil_warning_names[LIL_WARNING_KINDS] = { LIL_WARNINGS(LIL_WARNING_NAME) };
#undef LIL_WARNING_NAME

bool lil_was_warned(const lil_warnings *w, lil_warning_kind kind)
{
    return w->text[kind][0];
}

void lil_warn_once(lil_context *ctx, lil_warnings *w, lil_warning_kind kind, const char *format, ...)
{
    va_list args;
    if (lil_was_warned(w, kind))
        return;
    va_start(args, format);
    vsnprintf(w->text[kind], sizeof w->text[kind], format, args);
    va_end(args);
    lil_clean(w->text[kind]);
    lil_warn(ctx, "%s", w->text[kind]);
}

const char *lil_warning_at(const lil_warnings *w, int i)
{
    for (int kind = 0; kind < LIL_WARNING_KINDS; kind++)
        if (lil_was_warned(w, kind) && i-- == 0)
            return w->text[kind];
    return NULL;
}
