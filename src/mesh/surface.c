#include "mesh/surface.h"

#include "core/file.h"
#include "mesh/read/soup.h"

#include <stdlib.h>
#include <string.h>

static const struct format {
    const char *ending;
    lil_surface_reader *read;
    bool join; /* vertices are not shared in the file */
} formats[] = {
    { "obj", lil_read_obj, false },
    { "stl", lil_read_stl, true },
    { "ply", lil_read_ply, false },
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const size_t SIZE_LIMIT = (size_t)4 << 30;

/* Endings of any case: what comes from cameras and old machines ends in .STL. */
static const struct format *find_format(const char *ending)
{
    for (int i = 0; i < FORMATS; i++) {
        const char *a = ending, *b = formats[i].ending;
        while (*a && *b && (*a == *b || *a - 'A' + 'a' == *b)) {
            a++;
            b++;
        }
        if (!*a && !*b)
            return &formats[i];
    }
    return NULL;
}

bool lil_surface_is_named(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && find_format(dot + 1);
}

lil_status lil_surface_parse(lil_context *ctx, lil_arena *arena, const char *ending, const char *name,
                             const char *text, size_t size, lil_surface *surface)
{
    const struct format *format = find_format(ending);
    *surface = (lil_surface){ 0 };
    if (!format)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "'%.20s' is not a surface format", ending);
    if (!size)
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: is empty", name);
    lil_soup soup = { .ctx = ctx };
    lil_scan s = lil_scan_begin(ctx, name, text, size);
    lil_status status = format->read(&s, &soup);
    if (status == LIL_OK)
        status = lil_soup_finish(&soup, arena, name, format->join, surface);
    lil_soup_end(&soup);
    return status;
}

lil_status lil_surface_read(lil_context *ctx, lil_arena *arena, const char *path, lil_surface *surface)
{
    char *text = NULL;
    size_t size;
    *surface = (lil_surface){ 0 };
    if (!lil_surface_is_named(path))
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: surfaces end in .obj, .stl or .ply", path);
    LIL_TRY(lil_file_read(ctx, path, "surface", SIZE_LIMIT, &text, &size));
    lil_status status = lil_surface_parse(ctx, arena, strrchr(path, '.') + 1, path, text, size, surface);
    free(text);
    return status;
}
