/* One .obj for each frame: in "walk.####.obj" the number of the frame has at least as many digits as there are #. Only their
 * vertices count. */
#include "mesh/read/animation.h"

#include "core/file.h"
#include "core/grow.h"
#include "core/order.h"
#include "mesh/read/soup.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 9 }; /* digits */
static const size_t SIZE_LIMIT = (size_t)1 << 30;

/* The pattern: what is before the #, how many these are, and what is after them. */
typedef struct pattern {
    const char *folder; /* "" : none */
    const char *before, *after;
    int digits;
} pattern;

static lil_status read_pattern(lil_context *ctx, lil_arena *arena, const char *path, pattern *p)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *mark = strchr(name, '#');
    p->digits = mark ? (int)strspn(mark, "#") : 0;
    if (!mark || p->digits > NUMBER_MAX || strchr(mark + p->digits, '#'))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "%.200s: files of a sequence have one run of # where their number is, like walk.####.obj",
                        path);
    p->folder = lil_arena_copy(arena, path, (size_t)(name - path));
    p->before = lil_arena_copy(arena, name, (size_t)(mark - name));
    p->after = mark + p->digits;
    return p->folder && p->before ? LIL_OK : lil_fail_memory(ctx);
}

/* -1: it is none of these files. A number has no needless zeros beyond its digits. */
static int number_of(const pattern *p, const char *name)
{
    size_t length = strlen(name), before = strlen(p->before), after = strlen(p->after);
    if (length < before + after || strncmp(name, p->before, before) != 0 ||
        strcmp(name + length - after, p->after) != 0)
        return -1;
    int digits = (int)(length - before - after), number = 0;
    if (digits < p->digits || digits > NUMBER_MAX || (digits > p->digits && name[before] == '0'))
        return -1;
    for (int i = 0; i < digits; i++) {
        char c = name[before + (size_t)i];
        if (c < '0' || c > '9')
            return -1;
        number = 10 * number + (c - '0');
    }
    return number;
}

/* All numbers in the folder, ascending; to be freed. */
static lil_status list_numbers(lil_context *ctx, const pattern *p, int **list, size_t *count)
{
    size_t room = 0;
    lil_status status = LIL_OK;
    DIR *folder = opendir(p->folder[0] ? p->folder : ".");
    *list = NULL;
    *count = 0;
    for (struct dirent *entry; folder && status == LIL_OK && (entry = readdir(folder));) {
        int number = number_of(p, entry->d_name);
        if (number < 0)
            continue;
        status = lil_grow(ctx, list, &room, *count, 1, sizeof **list);
        if (status == LIL_OK)
            (*list)[(*count)++] = number;
    }
    if (folder)
        closedir(folder);
    if (*count)
        qsort(*list, *count, sizeof **list, lil_order_ints);
    return status;
}

/* The first and the last frame, where they are not given: of all files, of which none may be missing. */
static lil_status find_range(lil_context *ctx, const pattern *p, const char *path, int *first, int *last)
{
    int *list;
    size_t count;
    lil_status status = list_numbers(ctx, p, &list, &count);
    if (status == LIL_OK && !count)
        status = lil_fail(ctx, LIL_ERR_FILE, "%.200s: there is no such file", path);
    for (size_t i = 1; i < count && status == LIL_OK; i++)
        if (list[i] != list[i - 1] + 1)
            status = lil_fail(ctx, LIL_ERR_INPUT,
                              "%.200s: frame %d is missing, but frame %d is there: give 'first' and 'last'", path,
                              list[i - 1] + 1, list[i]);
    if (status == LIL_OK) {
        *first = list[0];
        *last = list[count - 1];
    }
    free(list);
    return status;
}

/* The vertices of frame `at` of the samples, of which the first makes the room. */
static lil_status read_frame(lil_context *ctx, lil_arena *arena, const char *path, int at, int count,
                             const char *name, lil_samples *to)
{
    char *text;
    size_t size;
    lil_soup soup = { .ctx = ctx };
    LIL_TRY(lil_file_read(ctx, path, "surface", SIZE_LIMIT, &text, &size));
    lil_scan s = lil_scan_begin(ctx, path, text, size);
    lil_status status = lil_read_obj(&s, &soup);
    if (status == LIL_OK && !soup.vertex_count)
        status = lil_fail(ctx, LIL_ERR_INPUT, "%.200s: it has no vertices", path);
    if (status == LIL_OK && at == 0)
        status = lil_samples_create(ctx, arena, name, (int)soup.vertex_count, count, to);
    if (status == LIL_OK && soup.vertex_count != (size_t)to->points)
        status = lil_fail(ctx, LIL_ERR_INPUT, "%.200s: has %zu vertices, but the first frame has %d", path,
                          soup.vertex_count, to->points);
    if (status == LIL_OK)
        memcpy(to->x + 3 * (size_t)at * soup.vertex_count, soup.x, 3 * soup.vertex_count * sizeof *to->x);
    lil_soup_end(&soup);
    free(text);
    return status;
}

lil_status lil_read_obj_sequence(lil_context *ctx, lil_arena *arena, const lil_animation *a, lil_frames *frames)
{
    pattern p = { 0 };
    int first = a->first, last = a->last;
    LIL_TRY(read_pattern(ctx, arena, a->path, &p));
    if (last < first)
        LIL_TRY(find_range(ctx, &p, a->path, &first, &last));
    for (int i = first; i <= last; i++) {
        const char *path = lil_arena_format(arena, "%s%s%0*d%s", p.folder, p.before, p.digits, i, p.after);
        LIL_HAVE(ctx, path);
        LIL_TRY(read_frame(ctx, arena, path, i - first, last - first + 1, a->path, frames->samples));
    }
    frames->counted = true;
    for (int i = 0; i <= last - first; i++)
        frames->samples->t[i] = i;
    return LIL_OK;
}
