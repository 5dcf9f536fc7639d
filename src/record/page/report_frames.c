/*
 * Places on a page. A frame has its own box, and places are 16 bits an axis within it: a body that travels for
 * kilometres is as sharp at the end as at the start.
 */
#include "record/page/report.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = 1 << 19,                 /* bytes of a block of frames, about: pages decode a block when they need it */
    FRAME_EXTRA = 8 + 3 * 8 + 3 * 4, /* of a frame besides its places: time, corner, size */
    ROOTS = 20,                      /* of strands that are marked, at most */
    READ = 1 << 20,                  /* numbers that are read at once, about */
};

/* ---- what is drawn ---- */

lil_status lil_report_run_open(lil_trajectory *tr, lil_report_run *run)
{
    *run = (lil_report_run){ .stride = 1 };
    lil_motion *m = &run->motion;
    LIL_TRY(lil_motion_open(tr, m));
    LIL_TRY(lil_report_places(run));
    LIL_ALLOC(tr->ctx, &m->arena, run->draw, m->point_count + 1);
    for (int i = 0; i < m->point_count; i++) {
        const char *name = lil_arena_format(&m->arena, "draw/%s", m->points[i]);
        run->draw[i] = name ? lil_motion_track(m, name) : NULL;
        if (!run->draw[i])
            return lil_fail(tr->ctx, LIL_ERR_FILE,
                            "%.200s: a damaged trajectory: drawn point '%.60s' has no positions", tr->path,
                            m->points[i]);
    }
    run->point_count = m->point_count;
    run->shot = lil_motion_track(m, "ghost_force") != NULL;
    return lil_contacts_ends(tr, &m->arena, &run->contact_end);
}

static int places(const lil_report_run *run)
{
    return run->vertex_count + run->point_count;
}

double lil_report_frame_bytes(const lil_report_run *run)
{
    return 4. / 3 * (6. * places(run) + FRAME_EXTRA) + (run->shot ? lil_report_arrow_bytes(run) : 0) +
           lil_report_contact_bytes(run);
}

double lil_report_mesh_bytes(const lil_report_run *run, bool tets)
{
    const lil_motion *m = &run->motion;
    double bytes = 8. * (m->world.spring_count + m->world.rod_count + m->link_count);
    for (int i = 0; i < m->body_count; i++) {
        const lil_recorded_body *b = &m->bodies[i];
        bool inside = lil_report_shows_tets(b);
        bytes += 12. * ((double)lil_report_body_triangles(b) + lil_report_body_vertices(b)) +
                 (tets && inside ? (b->mids ? 40. : 16.) * b->tet_count : 0) +
                 (inside ? (28. + 12. * b->surface.key_count) * b->surface.vertex_count : 0) +
                 (inside && b->surface.outside.count
                      ? 4. * b->surface.vertex_count + 8. * b->surface.outside.begin[b->surface.vertex_count]
                      : 0);
    }
    return 4. / 3 * bytes;
}

/* ---- meshes ---- */

static int wholes(lil_page *page, const int *x, int64_t count)
{
    int block = lil_page_begin(page);
    for (int64_t i = 0; i < count; i++)
        lil_page_u32(page, (unsigned)x[i]);
    lil_page_end(page);
    return block;
}

/* Pairs of vertices, as places. */
static int pairs(lil_page *page, const lil_report_run *run, const int (*ends)[2], int count)
{
    int block = lil_page_begin(page);
    for (int i = 0; i < 2 * count; i++)
        lil_page_u32(page, (unsigned)run->place[ends[i / 2][i % 2]]);
    lil_page_end(page);
    return block;
}

static int triangles(lil_page *page, const lil_recorded_body *b)
{
    const lil_recorded_surface *s = &b->surface;
    return s->vertex_count ? wholes(page, s->triangles[0], 3 * (int64_t)s->triangle_count)
                           : wholes(page, b->faces[0], 3 * (int64_t)b->face_count);
}

/* The tets of those surface vertices that are outside all tets. */
static void outside(lil_page *page, const lil_recorded_surface *s)
{
    const lil_carried *c = &s->outside;
    if (!c->count)
        return;
    lil_text_add(&page->header, ",\"outside_first\":%d", wholes(page, c->begin, c->count + 1));
    lil_text_add(&page->header, ",\"outside_vertex\":%d", wholes(page, c->vertex, c->begin[c->count]));
    lil_text_add(&page->header, ",\"outside_weight\":%d", lil_page_begin(page));
    for (int k = 0; k < c->begin[c->count]; k++)
        lil_page_f32(page, c->weight[k]);
    lil_page_end(page);
}

/* Which vertices carry each vertex of the surface, and w1 w2 w3; at keys too, where these differ. */
static void carriers(lil_page *page, const lil_recorded_body *b)
{
    const lil_recorded_surface *s = &b->surface;
    lil_text_add(&page->header, ",\"carriers\":%d", lil_page_begin(page));
    for (int i = 0; i < s->vertex_count; i++) {
        int room[4];
        const int *tet = lil_recorded_part(b, s->tet[i], room);
        for (int k = 0; k < 4; k++)
            lil_page_u32(page, (unsigned)tet[k]);
    }
    lil_page_end(page);
    lil_text_add(&page->header, ",\"weights\":%d", lil_page_begin(page));
    for (int i = 0; i < s->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            lil_page_f32(page, s->weights[i][k]);
    lil_page_end(page);
    if (!s->key_count) {
        outside(page, s);
        return;
    }
    lil_text_add(&page->header, ",\"key_times\":%d", lil_page_begin(page));
    for (int i = 0; i < s->key_count; i++)
        lil_page_f64(page, s->key_times[i]);
    lil_page_end(page);
    lil_text_add(&page->header, ",\"key_weights\":%d", lil_page_begin(page));
    for (int64_t i = 0; i < (int64_t)s->key_count * s->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            lil_page_f32(page, s->key_weights[i][k]);
    lil_page_end(page);
}

static void body(lil_page *page, const lil_report_run *run, int number)
{
    const lil_recorded_body *b = &run->motion.bodies[number];
    const double *rest = b->surface.vertex_count ? b->surface.rest : b->rest;
    lil_text *h = &page->header;
    lil_text_add(h, "{\"name\":");
    lil_text_json_string(h, b->name);
    lil_text_add(h, ",\"material\":");
    lil_text_json_string(h, b->material.table->name);
    lil_report_look(h, b->look);
    lil_text_add(h, ",\"first\":%d,\"vertices\":%d,\"tet_count\":%d", run->body_place[number],
                 lil_report_shows_tets(b) ? b->vertex_count : b->surface.vertex_count, b->tet_count);
    if (b->mids)
        lil_text_add(h, ",\"quadratic\":true");
    lil_text_add(h, ",\"faces\":%d", triangles(page, b));
    if (lil_report_shows_tets(b) && run->tets)
        lil_text_add(h, ",\"tets\":%d", wholes(page, b->tets[0], 4 * (int64_t)b->tet_count));
    if (lil_report_shows_tets(b) && run->tets && b->mids)
        lil_text_add(h, ",\"mids\":%d", wholes(page, b->mids[0], LIL_TET_EDGES * (int64_t)b->tet_count));
    if (lil_report_shows_tets(b) && b->surface.vertex_count)
        carriers(page, b);
    lil_text_add(h, ",\"surface\":%s", b->surface.vertex_count ? "true" : "false");
    lil_text_add(h, ",\"rest\":%d}", lil_page_begin(page));
    for (int64_t i = 0; i < 3 * (int64_t)lil_report_body_vertices(b); i++)
        lil_page_f32(page, rest[i]);
    lil_page_end(page);
}

/* Roots of many strands would hide what they grow out of. */
static bool is_hair(const lil_motion *m, int v)
{
    for (int i = 0; i < m->particles_count; i++) {
        const lil_recorded_particles *p = &m->particles[i];
        if (v >= p->first && v < p->first + p->count)
            return p->root_count > ROOTS;
    }
    return false;
}

/* Vertices that are marked, as places. */
static void held(lil_page *page, const lil_report_run *run, const char *key, const int *list, int count)
{
    if (!count)
        return;
    lil_text_add(&page->header, "\"%s\":%d,", key, lil_page_begin(page));
    for (int i = 0; i < count; i++)
        if (!is_hair(&run->motion, list[i]))
            lil_page_u32(page, (unsigned)run->place[list[i]]);
    lil_page_end(page);
}

/* And until when some of them are. */
static void let_go(lil_page *page, const lil_report_run *run)
{
    const lil_recorded_world *w = &run->motion.world;
    held(page, run, "letGo", w->let_go, w->let_go_count);
    if (!w->let_go_count)
        return;
    lil_text_add(&page->header, "\"until\":%d,", lil_page_begin(page));
    for (int i = 0; i < w->let_go_count; i++)
        if (!is_hair(&run->motion, w->let_go[i]))
            lil_page_f64(page, w->until[i]);
    lil_page_end(page);
}

void lil_report_meshes(lil_page *page, const lil_report_run *run)
{
    const lil_motion *m = &run->motion;
    lil_text *h = &page->header;
    lil_text_add(h, "\"up\":\"%c\",\"vertices\":%d,\"bodies\":[", m->up, run->vertex_count);
    for (int i = 0; i < m->body_count; i++) {
        lil_text_add(h, i ? "," : "");
        body(page, run, i);
    }
    lil_text_add(h, "],\"particles\":[");
    for (int i = 0; i < m->particles_count; i++) {
        lil_text_add(h, i ? ",{\"name\":" : "{\"name\":");
        lil_text_json_string(h, m->particles[i].name);
        lil_report_look(h, m->particles[i].look);
        if (m->particles[i].radius > 0) {
            lil_text_add(h, ",\"radius\":");
            lil_text_json_number(h, m->particles[i].radius);
        }
        int first = m->particles[i].count ? run->place[m->particles[i].first] : 0;
        lil_text_add(h, ",\"first\":%d,\"count\":%d}", first, m->particles[i].count);
    }
    lil_text_add(h, "],\"points\":[");
    for (int i = 0; i < m->point_count; i++) {
        lil_text_add(h, i ? "," : "");
        lil_text_json_string(h, m->points[i]);
    }
    lil_text_add(h, "],");
    if (m->world.spring_count)
        lil_text_add(h, "\"springs\":%d,", pairs(page, run, m->world.springs, m->world.spring_count));
    if (m->world.rod_count)
        lil_text_add(h, "\"rods\":%d,", pairs(page, run, m->world.rods, m->world.rod_count));
    held(page, run, "still", m->world.still, m->world.still_count);
    held(page, run, "driven", m->world.driven, m->world.driven_count);
    let_go(page, run);
    if (m->link_count) /* -1 becomes 2^32 - 1, and back */
        lil_text_add(h, "\"links\":%d,", wholes(page, m->links[0], 2 * (int64_t)m->link_count));
}

/* ---- frames ---- */

typedef struct frames {
    lil_page *page;
    lil_report_run *run;
    double *row;      /* a frame of one track */
    double *batch;    /* of several frames in sequence, of one track */
    double *gathered; /* places of `room` frames */
    int64_t room;     /* frames that are read at once */
    double *corner, *size;
    double low[3], high[3], largest[3];
} frames;

int64_t lil_report_frame_of(const lil_report_run *run, int64_t k)
{
    int64_t last = run->motion.trajectory->frames - 1;
    return k * run->stride < last ? k * run->stride : last;
}

/* Kept frames k .. k + count - 1 of one track: of drawn point i, or, where that is -1, of all vertices. */
static lil_status gather(frames *f, const lil_track *track, int64_t k, int64_t count, int point)
{
    int64_t width = track->width, row = 3 * (int64_t)places(f->run), from = lil_report_frame_of(f->run, k);
    int64_t span = lil_report_frame_of(f->run, k + count - 1) - from + 1;
    bool at_once = span * width <= READ;
    if (at_once)
        LIL_TRY(lil_track_read(f->run->motion.trajectory, track, from, span, f->batch));
    for (int64_t i = 0; i < count; i++) {
        double *to = f->gathered + i * row;
        int64_t frame = lil_report_frame_of(f->run, k + i);
        if (!at_once)
            LIL_TRY(lil_track_read(f->run->motion.trajectory, track, frame, 1, f->row));
        const double *x = at_once ? f->batch + (frame - from) * width : f->row;
        if (point < 0)
            lil_report_place(f->run, f->run->motion.t[frame], x, to);
        else
            memcpy(to + 3 * ((int64_t)f->run->vertex_count + point), x, 3 * sizeof *to);
    }
    return LIL_OK;
}

static lil_status gather_all(frames *f, int64_t k, int64_t count)
{
    lil_report_run *run = f->run;
    const lil_track *q;
    if (run->vertex_count) {
        LIL_TRY(lil_track_need(run->motion.trajectory, "q", &q));
        LIL_TRY(gather(f, q, k, count, -1));
    }
    for (int i = 0; i < run->point_count; i++)
        LIL_TRY(gather(f, run->draw[i], k, count, i));
    return LIL_OK;
}

static void measure(frames *f, int64_t k, const double *x)
{
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < places(f->run); i++) {
            double y = x[3 * (int64_t)i + axis];
            low = isfinite(y) ? fmin(low, y) : low;
            high = isfinite(y) ? fmax(high, y) : high;
        }
        if (low > high)
            low = high = 0;
        f->low[axis] = fmin(f->low[axis], low);
        f->high[axis] = fmax(f->high[axis], high);
        f->largest[axis] = fmax(f->largest[axis], high - low);
        f->corner[3 * k + axis] = low;
        f->size[3 * k + axis] = (float)(high - low);
    }
}

static void quantise(frames *f, int64_t k, const double *x)
{
    for (int i = 0; i < places(f->run); i++)
        for (int axis = 0; axis < 3; axis++) {
            double size = f->size[3 * k + axis],
                   s = size > 0 ? (x[3 * (int64_t)i + axis] - f->corner[3 * k + axis]) / size : 0;
            lil_page_u16(f->page, s > 0 ? (unsigned)lrint(65535 * fmin(s, 1)) : 0); /* a NaN too is 0 */
        }
}

static lil_status write_chunks(frames *f, int64_t each)
{
    int64_t row = 3 * (int64_t)places(f->run), kept = f->run->kept;
    for (int64_t k = 0, count; k < kept; k += count) {
        count = kept - k < f->room ? kept - k : f->room;
        count = each - k % each < count ? each - k % each : count; /* not beyond this block */
        LIL_TRY(gather_all(f, k, count));
        if (k % each == 0)
            lil_page_begin(f->page);
        for (int64_t i = 0; i < count; i++) {
            measure(f, k + i, f->gathered + i * row);
            quantise(f, k + i, f->gathered + i * row);
        }
        if ((k + count) % each == 0 || k + count == kept)
            lil_page_end(f->page);
    }
    return LIL_OK;
}

static void numbers(lil_text *h, const char *key, const double *x)
{
    lil_text_add(h, "\"%s\":[", key);
    for (int axis = 0; axis < 3; axis++) {
        lil_text_add(h, axis ? "," : "");
        lil_text_json_number(h, x[axis]);
    }
    lil_text_add(h, "],");
}

/* Times, then each frame's corner and size. */
static void write_boxes(frames *f)
{
    lil_text *h = &f->page->header;
    int64_t kept = f->run->kept;
    lil_text_add(h, "\"times\":%d,", lil_page_begin(f->page));
    for (int64_t k = 0; k < kept; k++)
        lil_page_f64(f->page, f->run->motion.t[lil_report_frame_of(f->run, k)]);
    lil_page_end(f->page);
    if (!places(f->run))
        return;
    lil_text_add(h, "\"corners\":%d,", lil_page_begin(f->page));
    for (int64_t i = 0; i < 3 * kept; i++)
        lil_page_f64(f->page, f->corner[i]);
    lil_page_end(f->page);
    lil_text_add(h, "\"sizes\":%d,", lil_page_begin(f->page));
    for (int64_t i = 0; i < 3 * kept; i++)
        lil_page_f32(f->page, f->size[i]);
    lil_page_end(f->page);
    numbers(h, "low", f->low);
    numbers(h, "high", f->high);
    numbers(h, "largest", f->largest);
}

static lil_status write_frames(frames *f, lil_arena *arena)
{
    lil_report_run *run = f->run;
    int64_t row = 3 * (int64_t)places(run), each = row ? CHUNK / (2 * row) : 1;
    each = each < 1 ? 1 : each;
    int64_t n = run->motion.trajectory->n, wide = n > row ? n : row;
    f->room = wide ? READ / wide : 1;
    f->room = f->room < 1 ? 1 : f->room > 256 ? 256 : f->room;
    LIL_ALLOC(run->motion.trajectory->ctx, arena, f->row, n > 3 ? n : 3);
    LIL_ALLOC(run->motion.trajectory->ctx, arena, f->batch, READ);
    LIL_ALLOC(run->motion.trajectory->ctx, arena, f->gathered, (size_t)f->room * (size_t)(row ? row : 1));
    LIL_ALLOC(run->motion.trajectory->ctx, arena, f->corner, 3 * (size_t)run->kept);
    LIL_ALLOC(run->motion.trajectory->ctx, arena, f->size, 3 * (size_t)run->kept);
    for (int axis = 0; axis < 3; axis++) {
        f->low[axis] = INFINITY;
        f->high[axis] = -INFINITY;
    }
    lil_text_add(&f->page->header, "\"frames\":%lld,\"stride\":%lld,\"kept\":%lld,\"chunk\":%lld,\"first_chunk\":%d,",
                 (long long)run->motion.trajectory->frames, (long long)run->stride, (long long)run->kept,
                 (long long)each, f->page->blocks);
    if (row)
        LIL_TRY(write_chunks(f, each));
    write_boxes(f);
    return LIL_OK;
}

lil_status lil_report_frames(lil_page *page, lil_report_run *run)
{
    frames f = { .page = page, .run = run };
    lil_arena arena = { 0 };
    lil_status status = write_frames(&f, &arena);
    lil_arena_free(&arena);
    return status;
}
