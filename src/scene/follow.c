#include "scene/follow.h"

#include "mesh/read/animation.h"
#include "scene/bodies.h"

#include <math.h>

static const lil_key follow_keys[] = {
    { LIL_KEY("file", "text",
              "`.mdd`, `.pc2`, or `.obj` files with one run of # where their number is: `walk.####.obj`"),
      .required = LIL_REQUIRED },
    { LIL_KEY("first", "number", "with `.obj` files: the number of the first one (default: the smallest there is)") },
    { LIL_KEY("last", "number", "with `.obj` files: the number of the last one (default: the largest there is)") },
    { LIL_KEY("start", "number", "time of the first frame, s (default: as the file says; `.obj` files: 0)") },
    { 0 },
};
static const lil_field follow_fields[] = {
    LIL_FIELD_REAL(lil_animation, fps, 0, 1e-6, 1e6, "1/s", "frames a second (default: as the file says; else 24)"),
    LIL_FIELD_REAL(lil_animation, speed, 1, 1e-6, 1e6, "", "how many times as fast the animation goes"),
    { .name = "loop",
      .kind = LIL_FLAG,
      .offset = offsetof(lil_animation, loop),
      .unit = "",
      .doc = "whether it repeats, before and after too. If the last frame differs from the first, the first frame "
             "follows 1/`fps` after the last" },
};
const lil_mapping lil_follow_table = { .in = "follow", .keys = follow_keys, LIL_FIELDS(follow_fields) };

/* A whole number from 0 on. */
static lil_status read_frame(const lil_reader *rd, const lil_node *node, int *frame)
{
    const double MOST = 1e6;
    double *x;
    int count;
    LIL_TRY(lil_read_numbers(rd, node, node->key, true, &x, &count));
    if (!(*x >= 0 && *x <= MOST && *x == floor(*x)))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' must be a whole number from 0 to %g, not %.10g",
                             node->key, MOST, *x);
    *frame = (int)*x;
    return LIL_OK;
}

static lil_status read_frames(const lil_reader *rd, const lil_node *map, lil_animation *a)
{
    const lil_node *first = lil_node_get(map, "first"), *last = lil_node_get(map, "last");
    if (!first && !last)
        return LIL_OK;
    if (!first || !last)
        return lil_node_fail_key(rd->ctx, first ? first : last, "'first' and 'last' belong together");
    LIL_TRY(read_frame(rd, first, &a->first));
    LIL_TRY(read_frame(rd, last, &a->last));
    if (a->last < a->first)
        return lil_node_fail(rd->ctx, last, LIL_ERR_INPUT, "'last' is %d, before 'first', %d", a->last, a->first);
    return LIL_OK;
}

static lil_status read_start(const lil_reader *rd, const lil_node *node, double *start)
{
    double *x;
    int count;
    *start = NAN;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "start", true, &x, &count));
    *start = *x;
    return isfinite(*x) ? LIL_OK : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'start' must be finite, not %g", *x);
}

lil_status lil_read_follow(const lil_reader *rd, const lil_node *node, lil_samples **samples)
{
    lil_animation a = lil_animation_default();
    const lil_node *file = node;
    *samples = NULL;
    if (!node)
        return LIL_OK;
    if (node->kind == LIL_NODE_MAP) {
        LIL_TRY(lil_read_table(rd, node, &lil_follow_table, &a));
        LIL_TRY(read_frames(rd, node, &a));
        LIL_TRY(read_start(rd, lil_node_get(node, "start"), &a.start));
        file = lil_node_get(node, "file");
    }
    LIL_TRY(lil_read_body_path(rd, file, "follow", &a.path));
    LIL_ALLOC(rd->ctx, rd->arena, *samples, 1);
    lil_status status = lil_animation_read(rd->ctx, rd->arena, &a, *samples);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, file, status);
}
