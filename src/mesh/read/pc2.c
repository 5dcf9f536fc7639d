/* .pc2 of 3ds Max, Maya and Blender, all little-endian: the text POINTCACHE2 and a 0, int 1, int points, float first frame,
 * float frames from one sample to the next, int samples; then float x y z of every point at every sample. */
#include "mesh/read/animation.h"

#include <string.h>

lil_status lil_read_pc2(lil_scan *s, lil_arena *arena, lil_frames *frames)
{
    static const char MAGIC[12] = "POINTCACHE2";
    const uint16_t one = 1;
    int64_t version, points, count;
    double first, step;
    s->binary = s->unlined = true;
    s->reversed = *(const unsigned char *)&one == 0;
    if ((size_t)(s->end - s->at) < sizeof MAGIC || memcmp(s->at, MAGIC, sizeof MAGIC) != 0)
        return lil_fail(s->ctx, LIL_ERR_INPUT, "%.200s: a .pc2 file begins with POINTCACHE2, and this one does not",
                        s->file);
    s->at += sizeof MAGIC;
    LIL_TRY(lil_scan_integer(s, 4, "the version of the format", 1, 1, &version));
    LIL_TRY(lil_scan_integer(s, 4, "the number of points", 1, INT32_MAX, &points));
    LIL_TRY(lil_scan_real(s, 4, "the first frame", &first));
    LIL_TRY(lil_scan_real(s, 4, "the step between samples", &step));
    LIL_TRY(lil_scan_integer(s, 4, "the number of samples", 1, INT32_MAX, &count));
    if (!(step > 0))
        return lil_scan_fail(s, "the step between samples is %g frames, but must be positive", step);
    LIL_TRY(lil_frames_create(s, arena, points, count, 0, frames));
    frames->counted = true;
    for (int64_t i = 0; i < count; i++)
        frames->samples->t[i] = first + (double)i * step;
    return lil_frames_read(s, frames);
}
