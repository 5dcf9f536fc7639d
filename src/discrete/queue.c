#include "discrete/queue.h"

static bool before(lil_event a, lil_event b)
{
    return a.time != b.time ? a.time < b.time : a.number < b.number;
}

static void sink(lil_queue *q, lil_event event)
{
    int at = 0;
    for (int child; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && before(q->heap[child + 1], q->heap[child]))
            child++;
        if (!before(q->heap[child], event))
            break;
        q->heap[at] = q->heap[child];
    }
    q->heap[at] = event;
}

void lil_queue_add(lil_queue *q, lil_event event)
{
    int at = q->count++;
    for (int parent; at > 0 && before(event, q->heap[parent = (at - 1) / 2]); at = parent)
        q->heap[at] = q->heap[parent];
    q->heap[at] = event;
}

void lil_queue_take(lil_queue *q)
{
    if (--q->count > 0)
        sink(q, q->heap[q->count]);
}

void lil_queue_put_off(lil_queue *q, double time)
{
    sink(q, (lil_event){ time, q->heap[0].number });
}
