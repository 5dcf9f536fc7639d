/* Any bytes as an animation: the first says of which format, and whether it is a loop. What is read is finite and its splines are
 * too; what is not leaves one sentence. */
#include "mesh/read/animation.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_samples(lil_context *ctx, lil_arena *arena, lil_samples *s)
{
    double x[3], v[3];
    assert(s->points > 0 && s->count > 0);
    for (int i = 0; i < s->count; i++)
        assert(isfinite(s->t[i]) && (i == 0 || s->t[i] > s->t[i - 1]));
    assert(lil_samples_join(ctx, arena, s) == LIL_OK);
    for (int i = 0; i < s->count; i++) {
        lil_samples_place at = lil_samples_find(s, s->t[i]), next = lil_samples_find(s, s->t[i] + 0.01);
        for (int k = 0; k < s->points; k++) {
            lil_samples_at(s, &at, k, x, v);
            for (int d = 0; d < 3; d++)
                assert(isfinite(x[d]) && isfinite(v[d]));
            lil_samples_at(s, &next, k, x, v);
            for (int d = 0; d < 3; d++)
                assert(isfinite(x[d]) && isfinite(v[d]));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LARGEST = 64 * 1024 };
    if (size < 1 || size > LARGEST)
        return 0;
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_samples samples;
    lil_animation a = lil_animation_default();
    assert(lil_context_set_threads(ctx, 1) == LIL_OK);
    a.path = "fuzz";
    a.loop = data[0] & 2;
    lil_status status =
        lil_animation_parse(ctx, &arena, data[0] & 1 ? "pc2" : "mdd", (const char *)data + 1, size - 1, &a, &samples);
    if (status == LIL_OK)
        check_samples(ctx, &arena, &samples);
    else
        assert(lil_context_message(ctx)[0]);
    for (const char *c = lil_context_message(ctx); *c; c++)
        assert((unsigned char)*c >= ' ');
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return 0;
}
