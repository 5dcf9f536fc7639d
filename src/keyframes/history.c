#include "keyframes/history.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 1 << 20 }; /* numbers of all iterations' frames that are kept */

/* *array, of elements of `each` bytes, gets room for `count`. */
static bool grow(void *array, size_t count, size_t each)
{
    void *grown, *old;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, count * each);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

static void copy_frames(lil_problem *problem, double *to)
{
    int all = problem->def.model->dofs.total;
    for (int k = 0; k <= problem->N; k++)
        memcpy(to + (size_t)k * all,
               lil_positions_of(&problem->ev.full, problem->t[k], problem->q + (size_t)k * problem->n),
               (size_t)all * sizeof *to);
}

static bool keep_step(lil_shot_history *h, lil_problem *problem, size_t numbers)
{
    size_t before = (size_t)(h->count - 1) * numbers;
    if (before + numbers > STEPS_MOST || (h->count > 1 && !h->steps)) {
        free(h->steps);
        h->steps = NULL;
        return true;
    }
    if (before + numbers > h->steps_room) {
        h->steps_room = 2 * (before + numbers);
        if (!grow(&h->steps, h->steps_room, sizeof *h->steps))
            return false;
    }
    copy_frames(problem, h->steps + before);
    return true;
}

bool lil_history_record(lil_shot_history *h, lil_problem *problem, int level, double cost)
{
    size_t numbers = ((size_t)problem->N + 1) * (size_t)problem->def.model->dofs.total;
    if (h->count == h->room) {
        int room = h->room ? 2 * h->room : 64;
        if (!grow(&h->cost, (size_t)room, sizeof *h->cost) || !grow(&h->level, (size_t)room, sizeof *h->level))
            return false;
        h->room = room;
    }
    h->cost[h->count] = cost;
    h->level[h->count++] = level;
    while (h->level_count <= level) {
        size_t count = (size_t)h->level_count + 1;
        if (!grow(&h->frames, count, sizeof *h->frames) || !grow(&h->strides, count, sizeof *h->strides) ||
            !(h->frames[h->level_count] = malloc(numbers * sizeof(double))))
            return false;
        h->level_count++;
    }
    h->strides[level] = problem->stride;
    copy_frames(problem, h->frames[level]);
    return keep_step(h, problem, numbers);
}

void lil_history_free(lil_shot_history *h)
{
    for (int i = 0; i < h->level_count; i++)
        free(h->frames[i]);
    free(h->frames);
    free(h->strides);
    free(h->steps);
    free(h->cost);
    free(h->level);
    *h = (lil_shot_history){ 0 };
}
