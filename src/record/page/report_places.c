/* The positions of a run on a page. */
#include "record/page/report.h"

#include <string.h>

bool lil_report_shows_tets(const lil_recorded_body *body)
{
    return !body->surface.vertex_count || body->vertex_count < body->surface.vertex_count;
}

int lil_report_body_vertices(const lil_recorded_body *body)
{
    return body->surface.vertex_count ? body->surface.vertex_count : body->vertex_count;
}

/* A polygon of n corners is n - 2 of them. */
int64_t lil_report_body_triangles(const lil_recorded_body *body)
{
    const lil_recorded_surface *s = &body->surface;
    return s->vertex_count ? s->first[s->face_count] - 2 * (int64_t)s->face_count : body->face_count;
}

/* Springs and links may end at a vertex of a body that is seen as a surface. */
static void mark_ends(const int (*pairs)[2], int count, bool *needed)
{
    for (int i = 0; i < count; i++)
        needed[pairs[i][0]] = needed[pairs[i][1]] = true;
}

/* What is fixed or moved by a handle is marked on the page, except roots of strands. */
static void mark_held(const lil_motion *m, bool *needed)
{
    for (int i = 0; i < m->world.still_count; i++)
        needed[m->world.still[i]] = true;
    for (int i = 0; i < m->world.driven_count; i++)
        needed[m->world.driven[i]] = true;
    for (int i = 0; i < m->world.let_go_count; i++)
        needed[m->world.let_go[i]] = true;
}

lil_status lil_report_places(lil_report_run *run)
{
    lil_motion *m = &run->motion;
    int n = m->body_count || m->particles_count ? m->trajectory->n / 3 : 0;
    bool *needed;
    LIL_ALLOC(m->trajectory->ctx, &m->arena, needed, n + 1);
    LIL_ALLOC(m->trajectory->ctx, &m->arena, run->place, n + 1);
    LIL_ALLOC(m->trajectory->ctx, &m->arena, run->body_place, m->body_count + 1);
    memset(needed, true, (size_t)n);
    for (int b = 0; b < m->body_count; b++)
        if (!lil_report_shows_tets(&m->bodies[b]))
            memset(needed + m->bodies[b].first, false, (size_t)m->bodies[b].vertex_count);
    mark_ends(m->world.springs, m->world.spring_count, needed);
    mark_ends(m->world.rods, m->world.rod_count, needed);
    mark_held(m, needed);
    for (int v = 0, b = 0; v < n; v++) {
        for (; b < m->body_count && m->bodies[b].first == v; b++) {
            run->body_place[b] = run->vertex_count;
            run->vertex_count += lil_report_shows_tets(&m->bodies[b]) ? 0 : m->bodies[b].surface.vertex_count;
        }
        run->place[v] = needed[v] ? run->vertex_count++ : -1;
    }
    return LIL_OK;
}

static void copy_vertices(const lil_report_run *run, const double *from, double *to)
{
    for (int v = 0; v < run->motion.trajectory->n / 3; v++)
        if (run->place[v] >= 0)
            memcpy(to + 3 * (size_t)run->place[v], from + 3 * (size_t)v, 3 * sizeof *to);
}

void lil_report_place(const lil_report_run *run, double t, const double *q, double *places)
{
    const lil_motion *m = &run->motion;
    copy_vertices(run, q, places);
    for (int b = 0; b < m->body_count; b++)
        for (int i = 0; !lil_report_shows_tets(&m->bodies[b]) && i < m->bodies[b].surface.vertex_count; i++)
            lil_motion_carried(&m->bodies[b], i, t, q, places + 3 * ((size_t)run->body_place[b] + (size_t)i));
}

void lil_report_force(const lil_report_run *run, const double *f, double *forces)
{
    const lil_motion *m = &run->motion;
    copy_vertices(run, f, forces);
    for (int b = 0; b < m->body_count; b++) {
        const lil_recorded_body *body = &m->bodies[b];
        const lil_recorded_surface *s = &body->surface;
        for (int i = 0; !lil_report_shows_tets(body) && i < s->vertex_count; i++)
            lil_motion_carried_mean(body, i, f, forces + 3 * ((size_t)run->body_place[b] + (size_t)i));
    }
}
