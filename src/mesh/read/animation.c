#include "mesh/read/animation.h"

#include "core/file.h"
#include "mesh/read/soup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FPS = 24 }; /* of formats that do not know */
static const size_t SIZE_LIMIT = (size_t)4 << 30;

lil_animation lil_animation_default(void)
{
    return (lil_animation){ .last = -1, .start = NAN, .speed = 1 };
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), own = strlen(ending);
    if (length <= own)
        return false;
    for (size_t i = 0; i < own; i++) {
        char c = path[length - own + i];
        if (c != ending[i] && c - 'A' + 'a' != ending[i])
            return false;
    }
    return true;
}

bool lil_animation_is_named(const char *path)
{
    return ends_in(path, ".mdd") || ends_in(path, ".pc2") || (ends_in(path, ".obj") && strchr(path, '#'));
}

/* ---- frames ---- */

lil_status lil_frames_create(lil_scan *s, lil_arena *arena, int64_t points, int64_t count, int each, lil_frames *f)
{
    const int64_t POINT = 12, left = s->end - s->at;
    bool fits = points <= left / POINT && count <= left / POINT;
    if (!fits || count * (each + POINT * points) > left)
        return lil_fail(
            s->ctx, LIL_ERR_INPUT,
            "%.200s: should have %lld frames of %lld points, but has only %zu bytes: it is cut off, or no such "
            "file",
            s->file, (long long)count, (long long)points, (size_t)(s->end - s->start));
    if (count * (each + POINT * points) < left)
        return lil_fail(
            s->ctx, LIL_ERR_INPUT,
            "%.200s: has %lld bytes more than its %lld frames of %lld points: it is damaged, or no such file",
            s->file, (long long)(left - count * (each + POINT * points)), (long long)count, (long long)points);
    return lil_samples_create(s->ctx, arena, s->file, (int)points, (int)count, f->samples);
}

lil_status lil_frames_read(lil_scan *s, const lil_frames *f)
{
    lil_samples *to = f->samples;
    for (int i = 0; i < to->count; i++)
        for (int k = 0; k < 3 * to->points; k++) {
            double *x = &to->x[3 * (size_t)to->points * (size_t)i + (size_t)k];
            if (lil_scan_real(s, 4, "a coordinate", x) != LIL_OK || lil_soup_check(s, *x) != LIL_OK)
                return lil_fail(s->ctx, LIL_ERR_INPUT, "%.200s: point %d of frame %d has the coordinate %g", s->file,
                                k / 3, i, *x);
        }
    return LIL_OK;
}

/* ---- times ---- */

/* From those of the file to those of a scene. */
static lil_status set_times(lil_context *ctx, const lil_animation *a, const lil_frames *f)
{
    lil_samples *s = f->samples;
    double fps = a->fps > 0 ? a->fps : f->counted ? FPS : 0;
    for (int i = 0; i < s->count && fps > 0; i++)
        s->t[i] = (f->counted ? s->t[i] : i) / fps;
    LIL_TRY(lil_samples_check_times(ctx, s));
    double first = s->t[0], start = isnan(a->start) ? first : a->start;
    for (int i = 0; i < s->count; i++)
        s->t[i] = start + (s->t[i] - first) / a->speed;
    return lil_samples_check_times(ctx, s);
}

static lil_status finish(lil_context *ctx, lil_arena *arena, const lil_animation *a, const lil_frames *f)
{
    LIL_TRY(set_times(ctx, a, f));
    f->samples->rounded = true;
    if (a->loop)
        lil_samples_close(f->samples);
    return lil_samples_join(ctx, arena, f->samples);
}

/* ---- files ---- */

lil_status lil_animation_parse(lil_context *ctx, lil_arena *arena, const char *format, const char *text, size_t size,
                               const lil_animation *a, lil_samples *samples)
{
    lil_frames frames = { .samples = samples };
    lil_scan s = lil_scan_begin(ctx, a->path, text, size);
    if (!size)
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: is empty", a->path);
    LIL_TRY(strcmp(format, "mdd") == 0 ? lil_read_mdd(&s, arena, &frames) : lil_read_pc2(&s, arena, &frames));
    return finish(ctx, arena, a, &frames);
}

lil_status lil_animation_read(lil_context *ctx, lil_arena *arena, const lil_animation *a, lil_samples *samples)
{
    char *text;
    size_t size;
    *samples = (lil_samples){ 0 };
    if (!lil_animation_is_named(a->path))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "%.200s: an animation ends in .mdd or .pc2, or is a sequence of files like walk.####.obj",
                        a->path);
    if (ends_in(a->path, ".obj")) {
        lil_frames frames = { .samples = samples };
        LIL_TRY(lil_read_obj_sequence(ctx, arena, a, &frames));
        return finish(ctx, arena, a, &frames);
    }
    LIL_TRY(lil_file_read(ctx, a->path, "animation", SIZE_LIMIT, &text, &size));
    lil_status status =
        lil_animation_parse(ctx, arena, ends_in(a->path, ".mdd") ? "mdd" : "pc2", text, size, a, samples);
    free(text);
    return status;
}
