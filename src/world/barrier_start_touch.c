/* Contact by barrier: what touches, or crosses, at the start. */
#include "world/barrier_start.h"

#include "world/barrier_surfaces.h"

#include <math.h>

static lil_status found(lil_start_check *c, const lil_start_contact *it)
{
    return lil_start_is_short(c, it) || lil_start_note_strand(c, it) ? LIL_OK : lil_start_refuse(c, it);
}

/* ---- near each other ---- */

static bool is_tangled(const lil_barriers *b, const int *at, int count)
{
    for (int i = 0; i < count; i++)
        if (!b->tangled[at[i]])
            return false;
    return true;
}

/* Between the nearest points of two surfaces that are as thick as their radii, of which the first's is `own` of
 * both. */
static void halfway(const lil_closest *nearest, const double x[12], int own_points, double own, double both,
                    double at[3])
{
    double away = sqrt(nearest->D), gap = away - both;
    for (int k = 0; k < 3; k++) {
        at[k] = 0;
        for (int i = 0; i < own_points; i++)
            at[k] += nearest->c[i] * x[3 * i + k];
        at[k] -= away > 0 ? (own + gap / 2) * nearest->r[k] / away : 0; /* r leads from the second to the first */
    }
}

static lil_status check_pairs(lil_start_check *c)
{
    const lil_barriers *b = c->b;
    lil_neighbours *neighbours;
    const lil_neighbours_pair *pairs;
    int count;
    LIL_TRY(lil_neighbours_create(c->w->ctx, &c->w->arena, &b->shell, b->rest, &neighbours));
    LIL_TRY(lil_neighbours_find(neighbours, b->threads, c->y, c->y, 0, NULL, &pairs, &count));
    for (int i = 0; i < count; i++) {
        const int *at = pairs[i].at;
        int own = pairs[i].kind == LIL_EDGE_EDGE ? 2 : 1, other = own == 2         ? 2
                                                                  : at[1] == at[2] ? 1
                                                                  : at[2] == at[3] ? 2
                                                                                   : 3;
        double x[12], radius = b->parts[pairs[i].part[0]].radius + b->parts[pairs[i].part[1]].radius;
        if (b->still[at[0]] && b->still[at[1]] && b->still[at[2]] && b->still[at[3]])
            continue;
        if (other == 1 && radius == 0)
            continue;
        if (pairs[i].part[0] == pairs[i].part[1] && is_tangled(b, at, 4))
            continue;
        for (int k = 0; k < 12; k++)
            x[k] = c->y[3 * at[k / 3] + k % 3];
        lil_closest nearest = lil_pair_nearest(pairs[i].kind, x);
        double gap = sqrt(nearest.D) - radius;
        if (gap > lil_start_least_gap(c, pairs[i].part[0], pairs[i].part[1])) {
            lil_start_note_gap(c, pairs[i].part[0], pairs[i].part[1], gap);
            continue;
        }
        double where[3];
        halfway(&nearest, x, own, b->parts[pairs[i].part[0]].radius, radius, where);
        LIL_TRY(found(
            c, &(lil_start_contact){ at, at + own, own, other, { pairs[i].part[0], pairs[i].part[1] }, where }));
    }
    return LIL_OK;
}

static lil_status check_planes(lil_start_check *c)
{
    const lil_barriers *b = c->b;
    for (int i = 0; i < b->plane_count; i++)
        for (int k = 0; k < b->touching_count; k++) {
            const lil_barrier_plane *plane = &b->planes[i];
            const double *x = c->y + 3 * b->touching[k];
            double gap = lil_start_plane_gap(c, plane, k), normal[3], at[3];
            int none = b->vertex_count;
            lil_pose_turn(lil_start_pose(c, plane->part), plane->normal, normal);
            for (int d = 0; d < 3; d++)
                at[d] = x[d] - (b->parts[b->touching_part[k]].radius + gap / 2) * normal[d];
            if (!lil_barrier_meets_plane(b, k, plane))
                continue;
            if (gap > lil_start_least_gap(c, b->touching_part[k], plane->part))
                lil_start_note_gap(c, b->touching_part[k], plane->part, gap);
            else
                LIL_TRY(found(c, &(lil_start_contact){
                                     &b->touching[k], &none, 1, 1, { b->touching_part[k], plane->part }, at }));
        }
    return LIL_OK;
}

/* ---- through each other ---- */

static int corners_of(const int *at)
{
    return at[2] >= 0 ? 3 : at[1] >= 0 ? 2 : 1;
}

static bool are_still(const lil_barriers *b, const int *at)
{
    for (int i = 0; i < corners_of(at); i++)
        if (!b->still[at[i]])
            return false;
    return true;
}

static bool can_cross(const lil_barriers *b, const lil_span *p, const lil_span *q)
{
    const lil_shell *s = &b->shell;
    const int *one = s->corners[p->element], *other = s->corners[q->element];
    int first = s->part[p->element], second = s->part[q->element];
    return lil_barrier_meets(b, first, second) && lil_spans_overlap(p, q) &&
           !(are_still(b, one) && are_still(b, other)) &&
           !(first == second && is_tangled(b, one, corners_of(one)) && is_tangled(b, other, corners_of(other)));
}

/* Elements along x: each against those that begin before it ends. */
static lil_status check_crossings(lil_start_check *c)
{
    const lil_shell *s = &c->b->shell;
    lil_span *spans;
    LIL_TRY(lil_list_spans(c->w, s, c->y, &spans));
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count && spans[j].low[0] <= spans[i].high[0]; j++) {
            int p = spans[i].element, q = spans[j].element;
            if (!can_cross(c->b, &spans[i], &spans[j]))
                continue;
            if (s->part[p] > s->part[q]) {
                p = q;
                q = spans[i].element;
            }
            const int *a = s->corners[p], *b = s->corners[q];
            double at[3];
            if (lil_elements_cross(a, b, c->y, at))
                LIL_TRY(found(
                    c, &(lil_start_contact){ a, b, corners_of(a), corners_of(b), { s->part[p], s->part[q] }, at }));
        }
    return LIL_OK;
}

/* ---- all of it ---- */

lil_status lil_start_find_touching(lil_start_check *c)
{
    for (int i = 0; i < c->b->shell.part_count * c->b->shell.part_count; i++)
        c->gap[i] = INFINITY;
    lil_start_forget_touched(c);
    LIL_TRY(check_planes(c));
    LIL_TRY(check_pairs(c));
    LIL_TRY(check_crossings(c));
    return lil_start_sort_touched(c);
}
