/* Obstacles on a page: what they are, and of those that move or turn where they are at each frame that is kept. */
#include "record/page/report.h"

#include <stdlib.h>

static void list(lil_text *h, const char *key, const double *x, int count)
{
    lil_text_add(h, ",\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        lil_text_add(h, i ? "," : "");
        lil_text_json_number(h, x[i]);
    }
    lil_text_add(h, "]");
}

static lil_status rows(lil_page *page, const lil_report_run *run, const char *key, const lil_track *track)
{
    double x[4];
    lil_text_add(&page->header, ",\"%s\":%d", key, lil_page_begin(page));
    for (int64_t k = 0; k < run->kept; k++) {
        LIL_TRY(lil_track_read(run->motion.trajectory, track, lil_report_frame_of(run, k), 1, x));
        for (int d = 0; d < track->width; d++)
            lil_page_f64(page, x[d]);
    }
    lil_page_end(page);
    return LIL_OK;
}

/* All vertices of a mesh that deforms, at each frame that is kept, from its point at rest. */
static lil_status shapes(lil_page *page, const lil_report_run *run, const lil_recorded_obstacle *o)
{
    lil_status status = LIL_OK;
    double *x = malloc(3 * (size_t)o->vertex_count * sizeof *x);
    LIL_HAVE(page->ctx, x);
    lil_text_add(&page->header, ",\"shapes\":%d", lil_page_begin(page));
    for (int64_t k = 0; k < run->kept && status == LIL_OK; k++) {
        status = lil_track_read(run->motion.trajectory, o->points, lil_report_frame_of(run, k), 1, x);
        for (int i = 0; i < 3 * o->vertex_count && status == LIL_OK; i++)
            lil_page_f32(page, x[i] - o->shape[1 + i % 3]);
    }
    lil_page_end(page);
    free(x);
    return status;
}

/* its vertices from its point, and its triangles */
static void mesh(lil_page *page, const lil_recorded_obstacle *o)
{
    lil_text_add(&page->header, ",\"x\":%d", lil_page_begin(page));
    for (int i = 0; i < 3 * o->vertex_count; i++)
        lil_page_f32(page, o->x[i] - o->shape[1 + i % 3]);
    lil_page_end(page);
    lil_text_add(&page->header, ",\"faces\":%d", lil_page_begin(page));
    for (int i = 0; i < 3 * o->face_count; i++)
        lil_page_u32(page, (unsigned)o->faces[i / 3][i % 3]);
    lil_page_end(page);
}

lil_status lil_report_obstacles(lil_page *page, const lil_report_run *run)
{
    static const char *const kinds[] = { "plane", "sphere", "box", "mesh" };
    const lil_motion *m = &run->motion;
    lil_text *h = &page->header;
    lil_text_add(h, "\"obstacles\":[");
    for (int i = 0; i < m->obstacle_count; i++) {
        const lil_recorded_obstacle *o = &m->obstacles[i];
        int kind = o->shape[0] == 0 ? 0 : o->shape[0] == 1 ? 1 : o->face_count ? 3 : 2;
        lil_text_add(h, i ? ",{\"name\":" : "{\"name\":");
        lil_text_json_string(h, o->name);
        lil_report_look(h, o->look);
        lil_text_add(h, ",\"kind\":\"%s\"", kinds[kind]);
        list(h, "point", o->shape + 1, 3);
        list(h, "normal", o->shape + 4, 3);
        list(h, "half", o->shape + 8, 3);
        list(h, "turn", o->shape + 11, 9);
        lil_text_add(h, ",\"radius\":");
        lil_text_json_number(h, o->shape[7]);
        if (o->place)
            LIL_TRY(rows(page, run, "places", o->place));
        if (o->turn)
            LIL_TRY(rows(page, run, "turns", o->turn));
        if (o->face_count)
            mesh(page, o);
        if (o->points)
            LIL_TRY(shapes(page, run, o));
        lil_text_add(h, "}");
    }
    lil_text_add(h, "],");
    return LIL_OK;
}
