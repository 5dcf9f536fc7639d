/* Contact by barrier: what the world starts with is checked, in this order. */
#include "world/barrier_start.h"

#include <string.h>

/* All points where they start. */
static void place(lil_start_check *c)
{
    const lil_barriers *b = c->b;
    memcpy(c->y, c->w->x, 3 * (size_t)c->w->vertex_count * sizeof *c->y);
    lil_carried_place(&b->carried, NULL, c->w->x, c->y + 3 * (size_t)b->vertex_count);
    for (int i = lil_barrier_moving(b); i < b->point_count; i++)
        lil_pose_point(lil_start_pose(c, b->obstacle_part[i - lil_barrier_moving(b)]),
                       b->obstacle_own[i - lil_barrier_moving(b)], b->rest + 3 * i, c->y + 3 * i);
}

lil_status lil_check_barrier_start(lil_world *w, const lil_barriers *b, const lil_barrier_roots *roots)
{
    lil_start_check c = { .w = w, .b = b, .roots = roots };
    lil_lift lift;
    LIL_ALLOC(w->ctx, &w->arena, c.y, 3 * (size_t)b->point_count);
    LIL_ALLOC(w->ctx, &w->arena, c.gap, (size_t)b->shell.part_count * (size_t)b->shell.part_count);
    place(&c);
    LIL_TRY(lil_lift_barrier_start(w, b, c.y, &lift));
    place(&c);
    LIL_TRY(lil_start_join_links(&c));
    LIL_TRY(lil_start_list_strands(&c));
    LIL_TRY(lil_start_find_touching(&c));
    LIL_TRY(lil_check_barrier_inside(w, b, c.y));
    LIL_TRY(lil_start_lay_strands(&c));
    LIL_TRY(lil_start_set_roots(&c));
    LIL_TRY(lil_start_set_gaps(&c));
    lil_lift_warn(w, &lift);
    return LIL_OK;
}
