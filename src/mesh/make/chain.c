/*
 * chain: particles along a straight line. rope: the same, longer than its ends are apart, as it hangs.
 *
 * A rope of equal masses on equal links is in equilibrium where the pull of link i has the same horizontal part
 * throughout and a vertical part that grows by the same weight from each to the next: link i has the slope s + i w.
 * The two unknowns are found from where the rope ends.
 */
#include "core/field.h"
#include "mesh/make/arrangement.h"
#include "mesh/make/shapes.h"

#include <math.h>

typedef struct config {
    lil_list from, to;
    int count;
    double length;
} config;

static const double from_preset[3] = { 0, 0, 0 }, to_preset[3] = { 1, 0, 0 };

static lil_status begin(lil_context *ctx, lil_arena *arena, const config *c, const char *name, double from[3],
                        double to[3], lil_mesh *mesh, lil_edges *edges)
{
    LIL_TRY(lil_shape_numbers(ctx, "from", &c->from, from_preset, 3, from));
    LIL_TRY(lil_shape_numbers(ctx, "to", &c->to, to_preset, 3, to));
    LIL_TRY(lil_arrangement_alloc(ctx, arena, name, c->count, c->count - 1, 2, mesh, edges));
    LIL_TRY(lil_arrangement_group(ctx, arena, mesh, "first", 0, 1, 1));
    LIL_TRY(lil_arrangement_group(ctx, arena, mesh, "last", c->count - 1, 1, 1));
    for (; edges->count < c->count - 1; edges->count++) {
        edges->at[edges->count][0] = edges->count;
        edges->at[edges->count][1] = edges->count + 1;
    }
    return LIL_OK;
}

static lil_status make_chain(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh, lil_edges *edges)
{
    const config *c = data;
    double from[3], to[3];
    LIL_TRY(begin(ctx, arena, c, "chain", from, to, mesh, edges));
    for (int i = 0; i < c->count; i++)
        for (int d = 0; d < 3; d++) {
            double s = (double)i / (c->count - 1);
            mesh->x[3 * i + d] = (1 - s) * from[d] + s * to[d];
        }
    return LIL_OK;
}

/* ---- rope ---- */

/* The span of n links of length 1: sideways and upwards. */
static void span(int n, double s, double w, double out[2])
{
    out[0] = out[1] = 0;
    for (int i = 0; i < n; i++) {
        double slope = s + w * (i - (n - 1) / 2.0), along = 1 / sqrt(1 + slope * slope);
        out[0] += along;
        out[1] += slope * along;
    }
}

enum { HALVINGS = 60 }; /* to the last bit */

/* s such that the rope rises by `height`: more slope, more height */
static double find_slope(int n, double w, double height, double out[2])
{
    double low = -acos(0), high = acos(0), s = 0;
    for (int i = 0; i < HALVINGS; i++) {
        double angle = (low + high) / 2;
        s = tan(angle);
        span(n, s, w, out);
        *(out[1] < height ? &low : &high) = angle;
    }
    return s;
}

static lil_status make_rope(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh, lil_edges *edges)
{
    const config *c = data;
    double from[3], to[3], out[2], low = -30, high = 30, s = 0, w = 0;
    LIL_TRY(begin(ctx, arena, c, "rope", from, to, mesh, edges));
    int n = c->count - 1;
    double side = hypot(to[0] - from[0], to[1] - from[1]), rise = to[2] - from[2], apart = hypot(side, rise);
    if (isnan(c->length))
        return lil_fail(ctx, LIL_ERR_INPUT, "a rope needs a 'length'");
    if (n < 2 || !(c->length > apart * (1 + 1e-9)))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "a rope must be longer than the distance between its ends and have at least three particles, "
                        "not %g m for %g m with %d (use a 'chain' for a straight one)",
                        c->length, apart, c->count);
    if (!(side > 1e-6 * c->length))
        return lil_fail(ctx, LIL_ERR_INPUT, "the ends of a hanging rope must have some horizontal distance");
    double link = c->length / n;
    for (int i = 0; i < HALVINGS; i++) { /* the heavier, the less it spans */
        double exponent = (low + high) / 2;
        w = exp(exponent);
        s = find_slope(n, w, rise / link, out);
        *(out[0] > side / link ? &low : &high) = exponent;
    }
    double at[3] = { from[0], from[1], from[2] };
    for (int i = 0; i < c->count; i++) {
        double slope = s + w * (i - (n - 1) / 2.0), along = link / sqrt(1 + slope * slope);
        for (int d = 0; d < 3; d++)
            mesh->x[3 * i + d] = i < n ? at[d] : to[d]; /* to the last bit */
        at[0] += along * (to[0] - from[0]) / side;
        at[1] += along * (to[1] - from[1]) / side;
        at[2] += along * slope;
    }
    return LIL_OK;
}

/* ---- the tables ---- */

static const lil_field fields[] = {
    LIL_FIELD_LIST(config, from, -1e9, 1e9, "m", "position of the first particle (default [0, 0, 0])"),
    LIL_FIELD_LIST(config, to, -1e9, 1e9, "m", "position of the last particle (default [1, 0, 0])"),
    LIL_FIELD_INTEGER(config, count, 10, 2, 1e5, "", "number of particles, including both ends"),
    /* of a rope alone */
    LIL_FIELD_REAL(config, length, NAN, 1e-9, 1e9, "m",
                   "length along the rope; more than the distance between its ends"),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

const lil_arrangement lil_chain = {
    .name = "chain",
    .doc = "Particles along a line, each linked to the next. Its ends are the groups first and last.",
    .fields = fields,
    .field_count = FIELDS - 1,
    .config_size = sizeof(config),
    .make = make_chain,
};

const lil_arrangement lil_rope = {
    .name = "rope",
    .doc = "A slack chain in its hanging shape: with equal masses and no load but gravity it is in equilibrium. Its "
           "ends are the groups first and last.",
    .fields = fields,
    .field_count = FIELDS,
    .config_size = sizeof(config),
    .make = make_rope,
};
