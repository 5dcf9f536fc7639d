/*
 * Contact by barrier: what starts wholly inside something solid. No surface intersects there, so nothing else finds
 * it.
 *
 * Boxes and bodies are solid. A body is so if the triangles that touch are closed: every edge is gone along as often
 * one way as the other. The mesh of an obstacle is a surface, which may be a room for others; cloth may be a balloon.
 * Strands may grow out of what they start in.
 */
#include "core/disjoint_sets.h"
#include "geometry/winding.h"
#include "world/barriers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct inner {
    lil_world *w;
    const lil_barriers *b;
    const double *y;
    int *leader;   /* of each point: points with one leader are connected */
    int (*at)[3];  /* the triangles of one part */
    int (*way)[2]; /* their edges, as they go round */
    int *seen;     /* of each leader: the part it was last looked for in, + 1 */
} inner;

static bool is_obstacle(const lil_world *w, int part)
{
    return part >= w->count;
}

static const char *kind_of(const lil_world *w, int part)
{
    return is_obstacle(w, part) ? "the obstacle " : "";
}

/* ---- boxes ---- */

static lil_status check_outlined(const inner *in, int part)
{
    const lil_barriers *b = in->b;
    const lil_world_obstacle *o = &in->w->obstacles[part - in->w->count];
    int n = b->shell.part_count;
    double centre[3];
    lil_pose_place(&o->start, o->contact.obstacle.point, centre);
    for (int k = 0; k < b->touching_count; k++) {
        int own = b->touching_part[k];
        const double *x = in->y + 3 * b->touching[k];
        double r[3], local[3];
        if (!b->shell.meet[own * n + part] || in->w->list[own].strands || b->still[b->touching[k]])
            continue;
        for (int d = 0; d < 3; d++)
            r[d] = local[d] = x[d] - centre[d];
        for (int d = 0; o->start.turned && d < 3; d++) /* R'r: into the box as it was given */
            local[d] = o->start.R[d] * r[0] + o->start.R[3 + d] * r[1] + o->start.R[6 + d] * r[2];
        double depth = lil_obstacle_depth(&o->contact.obstacle, local).depth;
        if (depth > 0)
            return lil_world_refuse_body(
                in->w, own,
                "'%.60s' starts inside the obstacle '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move it out",
                in->w->list[own].name, o->name, depth, x[0], x[1], x[2]);
    }
    return LIL_OK;
}

/* ---- bodies ---- */

static void connect(const inner *in)
{
    const lil_shell *s = &in->b->shell;
    lil_sets_begin(in->leader, in->b->point_count);
    for (int i = 0; i < s->count; i++)
        for (int k = 1; k < 3 && s->corners[i][k] >= 0; k++)
            lil_sets_join(in->leader, s->corners[i][0], s->corners[i][k]);
}

static int by_ends(const void *p, const void *q)
{
    const int *a = p, *b = q;
    int least[2] = { a[0] < a[1] ? a[0] : a[1], b[0] < b[1] ? b[0] : b[1] },
        most[2] = { a[0] < a[1] ? a[1] : a[0], b[0] < b[1] ? b[1] : b[0] };
    return least[0] != least[1] ? (least[0] > least[1]) - (least[0] < least[1])
                                : (most[0] > most[1]) - (most[0] < most[1]);
}

static bool is_closed(const inner *in, int count)
{
    int sum = 0;
    for (int i = 0; i < 3 * count; i++) {
        in->way[i][0] = in->at[i / 3][i % 3];
        in->way[i][1] = in->at[i / 3][(i + 1) % 3];
    }
    qsort(in->way, 3 * (size_t)count, sizeof *in->way, by_ends);
    for (int i = 0; i < 3 * count; i++) {
        sum = i > 0 && by_ends(in->way[i - 1], in->way[i]) == 0 ? sum : 0;
        sum += in->way[i][0] < in->way[i][1] ? 1 : -1;
        if (sum != 0 && (i + 1 == 3 * count || by_ends(in->way[i], in->way[i + 1]) != 0))
            return false;
    }
    return count > 0;
}

static bool is_within(const lil_box *box, const double *x)
{
    bool within = true;
    for (int d = 0; d < 3; d++)
        within = within && x[d] > box->low[d] && x[d] < box->high[d];
    return within;
}

/* Nothing crosses: of what is connected one point is enough. */
static bool is_new(const inner *in, int point, int part)
{
    int *seen = &in->seen[lil_sets_root(in->leader, point)];
    bool new = *seen != part + 1;
    *seen = part + 1;
    return new;
}

static lil_status told(const inner *in, int own, int part, bool outwards, const double *x)
{
    const lil_world *w = in->w;
    const char *name = in->b->parts[own].name, *other = in->b->parts[part].name;
    double at[3];
    for (int d = 0; d < 3; d++)
        at[d] = fabs(x[d]) < 1e-12 ? 0 : x[d]; /* people read it */
    if (!is_obstacle(w, part))
        return lil_world_refuse_body(in->w, is_obstacle(w, own) ? part : own,
                                     "%s'%.60s' starts inside '%.60s', at [%.6g, %.6g, %.6g]: move it out, or "
                                     "exclude the pair from contact, contact: {ignore: [[%.60s, %.60s]]}",
                                     kind_of(w, own), name, other, at[0], at[1], at[2], name, other);
    if (outwards)
        lil_warn(w->ctx,
                 "'%.60s' starts inside the obstacle '%.60s', a closed mesh, at [%.6g, %.6g, %.6g], and stays inside",
                 name, other, at[0], at[1], at[2]);
    return LIL_OK;
}

static lil_status check_solid(const inner *in, int part)
{
    const lil_shell *s = &in->b->shell;
    lil_tree tree;
    lil_winding winding;
    int count = 0;
    for (int i = 0; i < s->count; i++)
        if (s->part[i] == part && s->corners[i][2] >= 0)
            memcpy(in->at[count++], s->corners[i], sizeof *in->at);
    if (!is_closed(in, count))
        return LIL_OK;
    LIL_TRY(lil_tree_build(in->w->ctx, &in->w->arena, in->y, (const int(*)[3])in->at, count, &tree));
    LIL_TRY(lil_winding_build(in->w->ctx, &in->w->arena, &tree, &winding));
    for (int i = 0; i < s->count; i++) {
        int own = s->part[i], point = s->corners[i][0];
        if (own == part || !s->meet[own * s->part_count + part] ||
            (!is_obstacle(in->w, own) && in->w->list[own].strands) ||
            (in->b->still[point] && in->b->still[in->at[0][0]]) || !is_within(&tree.nodes[1], in->y + 3 * point) ||
            !is_new(in, point, part))
            continue;
        double number = lil_winding_number(&winding, in->y + 3 * point);
        if (fabs(number) > 0.5)
            LIL_TRY(told(in, own, part, number > 0, in->y + 3 * point));
    }
    return LIL_OK;
}

lil_status lil_check_barrier_inside(lil_world *w, const lil_barriers *b, const double *y)
{
    const lil_shell *s = &b->shell;
    inner in = { .w = w,
                 .b = b,
                 .y = y,
                 .leader = LIL_NEW(&w->arena, int, b->point_count),
                 .seen = LIL_NEW(&w->arena, int, b->point_count),
                 .at = lil_arena_alloc(&w->arena, (size_t)s->count, sizeof *in.at),
                 .way = lil_arena_alloc(&w->arena, 3 * (size_t)s->count, sizeof *in.way) };
    LIL_HAVE(w->ctx, in.leader && in.seen && in.at && in.way);
    connect(&in);
    for (int part = 0; part < w->count + w->obstacle_count; part++) {
        const lil_world_obstacle *o = is_obstacle(w, part) ? &w->obstacles[part - w->count] : NULL;
        if (o && lil_obstacle_shape_of(&o->contact.obstacle)->corners)
            LIL_TRY(check_outlined(&in, part));
        else if (o ? o->mesh.triangle_count > 0 : !w->list[part].particles)
            LIL_TRY(check_solid(&in, part));
    }
    return LIL_OK;
}
