/* Contact by barrier: the sentences about parts that touch at the start, or are too near to each other. */
#include "terms/pose.h"
#include "world/barrier_start.h"

#include <math.h>
#include <stdio.h>

static const char *kind_of(int corners)
{
    return corners == 3 ? "triangle" : corners == 2 ? "edge" : "point";
}

/* The first point of a body: of its own vertices, or of the surface that it carries. */
static int first_point(const lil_start_check *c, const char *name, bool carried)
{
    int first = c->b->vertex_count;
    for (int i = 0; i < c->w->count; i++) {
        if (c->w->list[i].name == name)
            return carried ? first : c->w->list[i].first;
        first += c->w->list[i].embedding.count;
    }
    return 0;
}

/* "triangle 3-7-12 of 'cow'", vertices as the body, or its surface, numbers them; obstacles have none */
static int describe(const lil_start_check *c, const int *at, int count, int part, char *to, size_t size)
{
    const char *name = c->b->parts[part].name;
    bool obstacle = part >= c->w->count && part < c->w->count + c->w->obstacle_count,
         carried = at[0] >= c->b->vertex_count;
    if (obstacle)
        return snprintf(to, size, "the obstacle '%.60s'", name);
    int first = first_point(c, name, carried), length = snprintf(to, size, "%s ", kind_of(count));
    for (int i = 0; i < count; i++)
        length += snprintf(to + length, size - (size_t)length, "%s%d", i ? "-" : "", at[i] - first);
    return length +
           snprintf(to + length, size - (size_t)length, " of %s'%.60s'", carried ? "the surface of " : "", name);
}

/* The body whose location represents two colliding parts, one of which is a body. */
static int body_among(const lil_start_check *c, int one, int other)
{
    return one < c->w->count ? one : other;
}

/* How a body and a plane that it is below lie to each other. */
typedef struct below {
    double depth; /* of its lowest point, m */
    bool partly;  /* other points are above the plane */
    double up[3];
} below;

/* A depth of round-off is none: it touches. */
static bool find_below(const lil_start_check *c, int body, int plane, below *to)
{
    const double ROUND_OFF = 1e-6; /* of d_hat, which is some 1/1000 of what collides */
    const lil_barriers *b = c->b;
    *to = (below){ 0 };
    for (int i = 0; i < b->plane_count; i++) {
        if (b->planes[i].part != plane)
            continue;
        lil_pose_turn(lil_start_pose(c, plane), b->planes[i].normal, to->up);
        for (int k = 0; k < b->touching_count; k++) {
            if (b->touching_part[k] != body)
                continue;
            double gap = lil_start_plane_gap(c, &b->planes[i], k);
            to->depth = fmax(to->depth, -gap);
            to->partly = to->partly || gap > 0;
        }
    }
    return to->depth > ROUND_OFF * b->parts[body].d_hat;
}

static lil_status refuse_below(const lil_start_check *c, int body, int plane, const below *it)
{
    const double STEEP = 0.5;
    const char *name = c->b->parts[body].name, *other = c->b->parts[plane].name;
    bool floor = fmax(it->up[1], it->up[2]) > STEEP; /* a wall has no top */
    double d = it->depth;
    return lil_world_refuse_body(c->w, body,
                                 "'%.60s' starts %s%s the plane '%.60s', by %.3g m at its %s point: move it by more "
                                 "than [%.3g, %.3g, %.3g]%s, "
                                 "or exclude the pair from contact, contact: {ignore: [[%.60s, %.60s]]}",
                                 name, it->partly ? "partly " : "", floor ? "below" : "behind", other, d,
                                 floor ? "lowest" : "farthest", d * it->up[0] + 0.0, d * it->up[1] + 0.0,
                                 d * it->up[2] + 0.0,
                                 floor ? ", or place its lowest point with at: {floor: HEIGHT}" : "", name, other);
}

lil_status lil_start_refuse(const lil_start_check *c, const lil_start_contact *it)
{
    const lil_barrier_part *p = c->b->parts;
    const char *one = p[it->part[0]].name, *other = p[it->part[1]].name;
    char what[160], first[200], second[200];
    double at[3];
    if (it->part[0] > it->part[1])
        return lil_start_refuse(
            c, &(lil_start_contact){ it->b, it->a, it->b_count, it->a_count, { it->part[1], it->part[0] }, it->x });
    below lies;
    if (it->part[0] < c->w->count && find_below(c, it->part[0], it->part[1], &lies))
        return refuse_below(c, it->part[0], it->part[1], &lies);
    if (one == other)
        snprintf(what, sizeof what, "'%.60s' touches itself", one);
    else
        snprintf(what, sizeof what, "'%.60s' and '%.60s' touch", one, other);
    for (int k = 0; k < 3; k++)
        at[k] = fabs(it->x[k]) < 1e-12 ? 0 : it->x[k]; /* people read it */
    describe(c, it->a, it->a_count, it->part[0], first, sizeof first);
    describe(c, it->b, it->b_count, it->part[1], second, sizeof second);
    return lil_world_refuse_body(c->w, body_among(c, it->part[0], it->part[1]),
                                 "%s at the start, %s and %s, at [%.6g, %.6g, %.6g]: move them apart, best by d_hat, "
                                 "%.3g m, or exclude the pair from contact, contact: {ignore: [[%.60s, %.60s]]}",
                                 what, first, second, at[0], at[1], at[2],
                                 fmin(p[it->part[0]].d_hat, p[it->part[1]].d_hat), one, other);
}

lil_status lil_start_refuse_gap(const lil_start_check *c, int a, int b, double gap, double least)
{
    return lil_world_refuse_body(c->w, body_among(c, a, b),
                                 "'%.60s' and '%.60s' start %.3g m apart, less than the smallest gap at "
                                 "which the barrier can begin, %.3g m: move them apart",
                                 c->b->parts[a].name, c->b->parts[b].name, gap, least);
}

void lil_start_warn_gap(const lil_start_check *c, int a, int b, double gap, double d_hat)
{
    lil_warn(c->w->ctx,
             "'%.60s' and '%.60s' start %.3g m apart, within the barrier's %.3g m (d_hat), which pushes them "
             "apart",
             c->b->parts[a].name, c->b->parts[b].name, gap, d_hat);
}
