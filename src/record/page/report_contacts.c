/* Barrier contact on a page: positions and forces of the strongest contacts of every frame. */
#include "record/page/report.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 300 }; /* contacts of a frame */

typedef struct strong {
    int at;
    double size;
} strong;

/* The contacts of a frame, by their size. */
typedef struct chosen {
    lil_contacts all;
    strong *list;
    int room, count;
} chosen;

static int by_size(const void *p, const void *q)
{
    const strong *a = p, *b = q;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static lil_status choose(lil_report_run *run, lil_arena *arena, int64_t k, chosen *c)
{
    lil_trajectory *tr = run->motion.trajectory;
    LIL_TRY(lil_contacts_read(tr, arena, run->contact_end, lil_report_frame_of(run, k), &c->all));
    if (c->all.count > c->room) {
        c->room = 2 * c->all.count;
        LIL_ALLOC(tr->ctx, arena, c->list, c->room);
    }
    for (int i = 0; i < c->all.count; i++) {
        const float *f = c->all.force[i];
        c->list[i] = (strong){ i, sqrt((double)f[0] * f[0] + (double)f[1] * f[1] + (double)f[2] * f[2]) };
    }
    if (c->all.count > MOST)
        qsort(c->list, (size_t)c->all.count, sizeof *c->list, by_size);
    c->count = c->all.count < MOST ? c->all.count : MOST;
    return LIL_OK;
}

/* The box of all points, the strongest force, the largest number at once. */
typedef struct extent {
    double low[3], high[3], most;
    int largest;
} extent;

static lil_status measure(lil_report_run *run, lil_arena *arena, chosen *c, extent *e)
{
    *e = (extent){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, 0, 0 };
    for (int64_t k = 0; k < run->kept; k++) {
        LIL_TRY(choose(run, arena, k, c));
        e->largest = c->count > e->largest ? c->count : e->largest;
        for (int i = 0; i < c->count; i++) {
            e->most = fmax(e->most, c->list[i].size);
            for (int d = 0; d < 3; d++) {
                e->low[d] = fmin(e->low[d], c->all.point[c->list[i].at][d]);
                e->high[d] = fmax(e->high[d], c->all.point[c->list[i].at][d]);
            }
        }
    }
    return LIL_OK;
}

static void numbers(lil_text *h, const char *key, const double x[3])
{
    for (int d = 0; d < 3; d++) {
        lil_text_add(h, d ? "," : "\"%s\":[", key);
        lil_text_json_number(h, x[d]);
    }
    lil_text_add(h, "],");
}

/* 16 bits a number: points within the box, forces from -most to most. */
static void put(lil_page *page, const extent *e, const float *point, const float *force)
{
    for (int d = 0; d < 3; d++) {
        double size = e->high[d] - e->low[d], s = size > 0 ? (point[d] - e->low[d]) / size : 0;
        lil_page_u16(page, s > 0 ? (unsigned)lrint(65535 * fmin(s, 1)) : 0);
    }
    for (int d = 0; d < 3; d++) {
        double s = force[d] / e->most;
        lil_page_u16(page, isfinite(s) ? (unsigned)lrint(32767 + 32767 * fmin(fmax(s, -1), 1)) : 32767);
    }
}

static lil_status write_contacts(lil_page *page, lil_report_run *run, lil_arena *arena)
{
    lil_text *h = &page->header;
    chosen c = { 0 };
    extent e;
    LIL_TRY(measure(run, arena, &c, &e));
    if (!(e.most > 0 && isfinite(e.most)))
        return LIL_OK;
    unsigned *ends = LIL_NEW(arena, unsigned, run->kept), total = 0;
    LIL_HAVE(run->motion.trajectory->ctx, ends);
    lil_text_add(h, "\"contacts\":{\"largest\":%d,\"most\":", e.largest);
    lil_text_json_number(h, e.most);
    lil_text_add(h, ",");
    numbers(h, "low", e.low);
    numbers(h, "high", e.high);
    lil_text_add(h, "\"block\":%d,", lil_page_begin(page));
    for (int64_t k = 0; k < run->kept; k++) {
        LIL_TRY(choose(run, arena, k, &c));
        for (int i = 0; i < c.count; i++)
            put(page, &e, c.all.point[c.list[i].at], c.all.force[c.list[i].at]);
        ends[k] = total += (unsigned)c.count;
    }
    lil_page_end(page);
    lil_text_add(h, "\"ends\":%d},", lil_page_begin(page));
    for (int64_t k = 0; k < run->kept; k++)
        lil_page_u32(page, ends[k]);
    lil_page_end(page);
    return LIL_OK;
}

/* On the average; no frame has more than the most. */
double lil_report_contact_bytes(const lil_report_run *run)
{
    int64_t frames = run->motion.trajectory->frames;
    double bytes = 4;
    if (!run->contact_end)
        return 0;
    for (int64_t i = 0; i < frames; i++)
        bytes += 12. * fmin(run->contact_end[i] - (i ? run->contact_end[i - 1] : 0), MOST) / (double)frames;
    return 4. / 3 * bytes;
}

lil_status lil_report_contacts(lil_page *page, lil_report_run *run)
{
    lil_arena arena = { 0 };
    lil_status status = run->contact_end ? write_contacts(page, run, &arena) : LIL_OK;
    lil_arena_free(&arena);
    return status;
}
