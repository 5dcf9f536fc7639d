#include "record/export/pressure.h"

#include "geometry/pair.h"
#include "geometry/tree.h"
#include "math/matrix3.h"

#include <math.h>
#include <string.h>

lil_status lil_pressure_open(lil_motion *m, lil_pressure *p)
{
    lil_trajectory *tr = m->trajectory;
    *p = (lil_pressure){ .motion = m, .frames = { -1, -1 } };
    LIL_TRY(lil_contacts_ends(tr, &m->arena, &p->end));
    LIL_TRY(lil_contacts_parts(tr, &m->arena, &p->parts));
    if (!p->end)
        return LIL_OK;
    p->body = LIL_NEW(&m->arena, int, p->parts.count);
    LIL_ALLOC_ALL(tr->ctx, &m->arena, double, tr->n, &p->q, &p->force, &p->area, &p->rows[0], &p->rows[1]);
    LIL_HAVE(tr->ctx, p->body);
    for (int i = 0; i < p->parts.count; i++) {
        p->body[i] = -1;
        for (int b = 0; b < m->body_count; b++)
            if (strcmp(m->bodies[b].name, p->parts.names[i]) == 0)
                p->body[i] = b;
    }
    return LIL_OK;
}

/* The force f at x, on the corners of the nearest triangle of the body. */
static void spread(const lil_pressure *p, const lil_recorded_body *body, const lil_tree *tree, const double x[3],
                   const double f[3])
{
    double y[12];
    int place = 0;
    lil_tree_nearest(tree, x, INFINITY, &place, NULL);
    const int *at = body->faces[place];
    memcpy(y, x, 3 * sizeof *y);
    for (int k = 0; k < 3; k++)
        memcpy(y + 3 + 3 * k, tree->x + 3 * at[k], 3 * sizeof *y);
    lil_closest nearest = lil_pair_nearest(LIL_POINT_TRIANGLE, y);
    for (int i = 0; i < 9; i++)
        p->force[3 * (body->first + at[i / 3]) + i % 3] -= nearest.c[1 + i / 3] * f[i % 3];
}

/* All contacts of one body: the gap's two sides are half a gap along the force from the recorded point. */
static lil_status spread_all(lil_pressure *p, int b)
{
    const lil_recorded_body *body = &p->motion->bodies[b];
    lil_arena arena = { 0 };
    lil_tree tree;
    lil_status status = LIL_OK;
    bool built = false;
    for (int i = 0; i < 2 * p->contacts.count && status == LIL_OK; i++) {
        const float *point = p->contacts.point[i / 2], *force = p->contacts.force[i / 2];
        int part = p->contacts.parts[i / 2][i % 2], sign = i % 2 ? -1 : 1;
        double f[3] = { sign * force[0], sign * force[1], sign * force[2] }, x[3], size = sqrt(lil_dot3(f, f));
        if (part >= p->parts.count || p->body[part] != b || !(size > 0))
            continue;
        if (!built)
            status = lil_tree_build(p->motion->trajectory->ctx, &arena, p->q + 3 * (size_t)body->first, body->faces,
                                    body->face_count, &tree);
        built = true;
        for (int k = 0; k < 3; k++)
            x[k] = point[k] + p->contacts.gap[i / 2] / 2 * f[k] / size;
        if (status == LIL_OK)
            spread(p, body, &tree, x, f);
    }
    lil_arena_free(&arena);
    return status;
}

/* area[2 v]: what faces the force; area[2 v + 1]: all of it */
static void share_areas(lil_pressure *p, const lil_recorded_body *body)
{
    const double *x = p->q + 3 * (size_t)body->first, *force = p->force + 3 * (size_t)body->first;
    double *area = p->area + 2 * (size_t)body->first;
    for (int i = 0; i < body->face_count; i++) {
        const int *at = body->faces[i];
        double a[3], b[3], normal[3];
        for (int k = 0; k < 3; k++) {
            a[k] = x[3 * at[1] + k] - x[3 * at[0] + k];
            b[k] = x[3 * at[2] + k] - x[3 * at[0] + k];
        }
        lil_cross3(a, b, normal);
        for (int k = 0; k < 3; k++) {
            const double *f = force + 3 * at[k];
            double size = sqrt(lil_dot3(f, f)), facing = size > 0 ? -lil_dot3(normal, f) / size : 0;
            area[2 * at[k]] += fmax(facing, 0) / 6;
            area[2 * at[k] + 1] += sqrt(lil_dot3(normal, normal)) / 6;
        }
    }
}

static lil_status find(lil_pressure *p, int64_t frame, double *row)
{
    const double LEAST = 0.05; /* of the area: what is pushed along its surface alone has no pressure to speak of */
    lil_motion *m = p->motion;
    size_t n = (size_t)m->trajectory->n;
    memset(p->force, 0, n * sizeof *p->force);
    memset(p->area, 0, n * sizeof *p->area);
    memset(row, 0, n * sizeof *row);
    LIL_TRY(lil_contacts_read(m->trajectory, &m->arena, p->end, frame, &p->contacts));
    if (!p->contacts.count)
        return LIL_OK;
    LIL_TRY(lil_motion_at(m, m->t[frame], p->q, NULL));
    for (int b = 0; b < m->body_count; b++) {
        const lil_recorded_body *body = &m->bodies[b];
        LIL_TRY(spread_all(p, b));
        share_areas(p, body);
        for (int v = body->first; v < body->first + body->vertex_count; v++) {
            double size = sqrt(lil_dot3(p->force + 3 * v, p->force + 3 * v)),
                   area = fmax(p->area[2 * v], LEAST * p->area[2 * v + 1]);
            row[v] = size > 0 && area > 0 ? size / area : 0;
        }
    }
    return LIL_OK;
}

/* One of the two rows is that frame's. */
static lil_status look(lil_pressure *p, int64_t frame, const double **row)
{
    int at = (int)(frame % 2);
    if (p->frames[at] != frame)
        LIL_TRY(find(p, frame, p->rows[at]));
    p->frames[at] = frame;
    *row = p->rows[at];
    return LIL_OK;
}

lil_status lil_pressure_at(lil_pressure *p, double t, double *values)
{
    const lil_motion *m = p->motion;
    int64_t last = m->trajectory->frames - 1, low = lil_motion_frame_before(m, t);
    const double *a, *b;
    int64_t next = low < last && t > m->t[low] ? low + 1 : low;
    double h = m->t[next] - m->t[low], s = h > 0 ? (t - m->t[low]) / h : 0;
    LIL_TRY(look(p, low, &a));
    LIL_TRY(look(p, next, &b));
    for (int v = 0; v < m->trajectory->n / 3; v++)
        values[v] = (1 - s) * a[v] + s * b[v];
    return LIL_OK;
}
