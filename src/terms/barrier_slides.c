/* The slips of a step's pairs (lil_slide): Newton's method follows them from matrix to matrix, while lists of
 * candidates come and go. */
#include "terms/barrier_work.h"

static bool slides_make_room(lil_barrier_work *w, int count)
{
    if (count <= w->slide_room)
        return true;
    lil_kept_slide *old = w->slides;
    w->slide_room = 2 * count;
    w->slides = LIL_NEW(w->arena, lil_kept_slide, w->slide_room);
    w->slide_scratch = LIL_NEW(w->arena, lil_kept_slide, w->slide_room);
    w->failed = !w->slides || !w->slide_scratch;
    if (w->failed)
        w->slide_room = w->slide_count = 0;
    else if (w->slide_count)
        memcpy(w->slides, old, (size_t)w->slide_count * sizeof *old);
    return !w->failed;
}

/* Both the kept slips and the near pairs are in the order of their places. */
bool lil_barrier_keep_slides(const lil_barriers *d, lil_barrier_work *w)
{
    int count = 0, k = 0;
    for (int i = 0; i < w->near_total; i++)
        w->near[i].slide = NULL;
    if (!d->friction)
        return true;
    if (!slides_make_room(w, w->slide_count + w->near_total))
        return false;
    lil_kept_slide *to = w->slide_scratch;
    for (int i = 0; i < w->near_total; i++) {
        lil_near_pair *n = &w->near[i];
        while (k < w->slide_count && w->slides[k].place < n->place)
            to[count++] = w->slides[k++];
        if (k < w->slide_count && w->slides[k].place == n->place)
            to[count] = w->slides[k++];
        else
            to[count] = (lil_kept_slide){ .place = n->place };
        n->slide = &to[count++].slide;
    }
    while (k < w->slide_count)
        to[count++] = w->slides[k++];
    w->slide_scratch = w->slides;
    w->slides = to;
    w->slide_count = count;
    return true;
}
