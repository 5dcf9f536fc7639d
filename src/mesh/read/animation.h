/* Sampled animation from files: .mdd, .pc2, or one .obj for each frame. */
#ifndef LIL_MESH_READ_ANIMATION_H
#define LIL_MESH_READ_ANIMATION_H

#include "mesh/read/scan.h"
#include "mesh/samples.h"

#include <stdio.h>

typedef struct lil_animation {
    const char *path;
    int first, last; /* frames of "walk.####.obj"; last < first: all there are */
    double fps;      /* frames a second; 0: what the file says, else 24 */
    double start;    /* time of the first frame, s; NaN: what the file says, else 0 */
    double speed;    /* > 0: times pass so many times as fast */
    bool loop;
} lil_animation;

/* What an animation is without options. */
lil_animation lil_animation_default(void);
/* Whether the name is one of a file or of files that lil_animation_read knows. */
bool lil_animation_is_named(const char *path);
lil_status lil_animation_read(lil_context *ctx, lil_arena *arena, const lil_animation *animation,
                              lil_samples *samples);

/* From memory: "mdd" or "pc2". Joined, as all above. */
lil_status lil_animation_parse(lil_context *ctx, lil_arena *arena, const char *format, const char *text, size_t size,
                               const lil_animation *animation, lil_samples *samples);

/* ---- formats ---- */

/* Times in s, or in frames where the format has no other. */
typedef struct lil_frames {
    lil_samples *samples;
    bool counted; /* times are numbers of frames */
} lil_frames;

lil_status lil_read_mdd(lil_scan *s, lil_arena *arena, lil_frames *frames);
lil_status lil_read_pc2(lil_scan *s, lil_arena *arena, lil_frames *frames);
lil_status lil_read_obj_sequence(lil_context *ctx, lil_arena *arena, const lil_animation *animation,
                                 lil_frames *frames);

/* For these: room for that many points and frames, once the rest of the file is known to have all of them, after
 * `each` bytes a frame; and the positions. */
lil_status lil_frames_create(lil_scan *s, lil_arena *arena, int64_t points, int64_t count, int each,
                             lil_frames *frames);
lil_status lil_frames_read(lil_scan *s, const lil_frames *frames);

/* ---- writing .mdd ---- */

void lil_mdd_begin(FILE *file, int64_t frames, int points);
/* The times of all frames, then all positions. */
void lil_mdd_put(FILE *file, double x);

#endif
