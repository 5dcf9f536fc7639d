/* Lightwave's .mdd, all big-endian: int frames, int points, float times[frames] in s, then float x y z of every point at every
 * frame. */
#include "mesh/read/animation.h"

#include <string.h>

static void put_bits(FILE *file, uint32_t bits)
{
    unsigned char bytes[4] = { (unsigned char)(bits >> 24), (unsigned char)(bits >> 16), (unsigned char)(bits >> 8),
                               (unsigned char)bits };
    fwrite(bytes, 1, sizeof bytes, file);
}

void lil_mdd_begin(FILE *file, int64_t frames, int points)
{
    put_bits(file, (uint32_t)frames);
    put_bits(file, (uint32_t)points);
}

void lil_mdd_put(FILE *file, double x)
{
    float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bits(file, bits);
}

lil_status lil_read_mdd(lil_scan *s, lil_arena *arena, lil_frames *frames)
{
    const uint16_t one = 1;
    int64_t count, points;
    s->binary = s->unlined = true;
    s->reversed = *(const unsigned char *)&one == 1; /* big-endian on any machine */
    LIL_TRY(lil_scan_integer(s, 4, "the number of frames", 1, INT32_MAX, &count));
    LIL_TRY(lil_scan_integer(s, 4, "the number of points", 1, INT32_MAX, &points));
    LIL_TRY(lil_frames_create(s, arena, points, count, 4, frames));
    for (int64_t i = 0; i < count; i++)
        LIL_TRY(lil_scan_real(s, 4, "the time of a frame", &frames->samples->t[i]));
    return lil_frames_read(s, frames);
}
