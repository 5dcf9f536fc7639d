/* A priority queue: a binary heap of numbered events. Of events at the same time the one with the lower number is
 * first. */
#ifndef LIL_DISCRETE_QUEUE_H
#define LIL_DISCRETE_QUEUE_H

#include <stdbool.h>

typedef struct lil_event {
    double time;
    int number;
} lil_event;

typedef struct lil_queue {
    lil_event *heap; /* the owner's, with room for all */
    int count;
} lil_queue;

void lil_queue_add(lil_queue *queue, lil_event event);
/* The next event is heap[0]: remove it, or postpone it. */
void lil_queue_take(lil_queue *queue);
void lil_queue_put_off(lil_queue *queue, double time);

#endif
