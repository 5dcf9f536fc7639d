/* Contact by barrier: strands that would hang through something start as they would be without weight. */
#include "world/barrier_start.h"

#include <string.h>

/* Where a strand starts, and where it is at rest. */
static void lay(lil_start_check *c, const lil_strand_set *t, int strand, const double *x, const double *rest)
{
    int nodes = t->body->strands->nodes, at = 3 * (t->body->first + strand * nodes);
    size_t bytes = 3 * (size_t)nodes * sizeof *x;
    memcpy(c->w->x + at, x, bytes);
    memcpy(c->roots->rest + at, rest, bytes);
    memcpy(c->y + at, x, bytes);
}

/* Those that touch something beyond their roots, and those of which more touches than without weight. */
lil_status lil_start_lay_strands(lil_start_check *c)
{
    int n = 3 * c->w->vertex_count, strands = 0, laid = 0, hung = 0, beyond;
    int *roots; /* of all strands one after the other, as they hang; -1: it touches beyond */
    double *x = LIL_NEW(&c->w->arena, double, n), *rest = LIL_NEW(&c->w->arena, double, n);
    LIL_HAVE(c->w->ctx, x && rest);
    for (int i = 0; i < c->strand_set_count; i++)
        strands += lil_strand_set_size(&c->strand_sets[i]);
    LIL_ALLOC(c->w->ctx, &c->w->arena, roots, strands);
    memcpy(x, c->w->x, (size_t)n * sizeof *x);
    memcpy(rest, c->roots->rest, (size_t)n * sizeof *rest);
    for (int i = 0, at = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < lil_strand_set_size(&c->strand_sets[i]); k++, at++) {
            const lil_strand_set *t = &c->strand_sets[i];
            beyond = lil_start_touches_beyond(c, t, k, &roots[at]);
            if (beyond < 0 && roots[at] <= 1)
                continue;
            const double *own = t->body->strands->weightless + 3 * k * t->body->strands->nodes;
            roots[at] = beyond < 0 ? roots[at] : -1;
            lay(c, t, k, own, own);
            laid++;
        }
    if (!laid)
        return LIL_OK;
    c->again = true;
    LIL_TRY(lil_start_find_touching(c));
    for (int i = 0, at = 0; i < c->strand_set_count; i++)
        for (int k = 0; k < lil_strand_set_size(&c->strand_sets[i]); k++, at++) {
            const lil_strand_set *t = &c->strand_sets[i];
            int first = 3 * (t->body->first + k * t->body->strands->nodes), straight;
            beyond = lil_start_touches_beyond(c, t, k, &straight);
            if (roots[at] <= 1 || (beyond < 0 && straight < roots[at]))
                continue;
            lay(c, t, k, x + first, rest + first);
            hung++;
        }
    return hung ? lil_start_find_touching(c) : LIL_OK;
}
