/* Whether the caller wants the step to end now. Every loop that may take long asks: over attempts at a step, over
 * Newton's iterations and over those of a linear solve, but not inside parallel regions. */
#ifndef LIL_CORE_STOP_H
#define LIL_CORE_STOP_H

#include <lilyan/lilyan.h>

typedef struct lil_stop {
    lil_watch_fn *watch; /* NULL: nobody is asked */
    void *user;
    bool asked; /* the answer was false, and is not asked for again in this step */
} lil_stop;

static inline bool lil_stopped(lil_stop *stop)
{
    if (__builtin_expect(stop && stop->watch && !stop->asked, 0))
        stop->asked = !stop->watch(stop->user);
    return stop && stop->asked;
}

#endif
