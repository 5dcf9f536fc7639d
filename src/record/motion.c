#include "record/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lil_status damaged(lil_trajectory *tr, const char *what)
{
    return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: a damaged trajectory: %s", tr->path, what);
}

/* ---- open ---- */

static bool valid_indices(const int *x, int64_t count, int limit)
{
    for (int64_t i = 0; i < count; i++)
        if (x[i] < 0 || x[i] >= limit)
            return false;
    return true;
}

static lil_status read_material(lil_motion *m, const char *group, lil_material *material)
{
    lil_trajectory *tr = m->trajectory;
    char name[256];
    int64_t rows;
    snprintf(name, sizeof name, "%.200s/material", group);
    const char *label = lil_h5_read_string(&m->arena, tr->file, name);
    material->table = label ? lil_material_find(label) : NULL;
    snprintf(name, sizeof name, "%.200s/moduli", group);
    const double *moduli = lil_h5_read_reals(&m->arena, tr->file, name, 3, &rows);
    if (!material->table || !moduli || rows != 1)
        return damaged(tr, "a body's material is not known");
    material->moduli = (lil_moduli){ moduli[0], moduli[1] };
    material->density = moduli[2];
    int fields = material->table->field_count;
    char *config = lil_arena_alloc(&m->arena, 1, material->table->config_size);
    snprintf(name, sizeof name, "%.200s/options", group);
    const double *options = fields ? lil_h5_read_reals(&m->arena, tr->file, name, fields, &rows) : NULL;
    if (!config || (fields && (!options || rows != 1)))
        return damaged(tr, "a body's material lacks its options");
    for (int i = 0; i < fields; i++)
        *(double *)(config + material->table->fields[i].offset) = options[i];
    material->config = config;
    return LIL_OK;
}

static lil_status read_body(lil_motion *m, const char *name, lil_recorded_body *body)
{
    lil_trajectory *tr = m->trajectory;
    char group[160], path[256];
    int64_t vertices, tets, faces, one;
    snprintf(group, sizeof group, "bodies/%.120s", name);
    body->name = lil_arena_copy(&m->arena, name, strlen(name));
    snprintf(path, sizeof path, "%s/rest", group);
    body->rest = lil_h5_read_reals(&m->arena, tr->file, path, 3, &vertices);
    snprintf(path, sizeof path, "%s/tets", group);
    body->tets = (const int(*)[4])lil_h5_read_wholes(&m->arena, tr->file, path, 4, &tets);
    snprintf(path, sizeof path, "%s/faces", group);
    body->faces = (const int(*)[3])lil_h5_read_wholes(&m->arena, tr->file, path, 3, &faces);
    snprintf(path, sizeof path, "%s/first", group);
    const int *first = lil_h5_read_wholes(&m->arena, tr->file, path, 1, &one);
    if (!body->name || !body->rest || !body->tets || !body->faces || !first || one != 1)
        return damaged(tr, "a body's mesh is not whole");
    body->first = *first;
    body->vertex_count = (int)vertices;
    body->tet_count = (int)tets;
    body->face_count = (int)faces;
    if (body->first < 0 || body->first > tr->n / 3 - body->vertex_count ||
        !valid_indices(body->tets[0], 4 * tets, body->vertex_count) ||
        !valid_indices(body->faces[0], 3 * faces, body->vertex_count))
        return damaged(tr, "a body's mesh refers to vertices that are not there");
    return read_material(m, group, &body->material);
}

typedef struct body_names {
    lil_arena *arena;
    const char **names;
    int count, room;
} body_names;

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    body_names *b = user;
    (void)group;
    (void)info;
    if (b->count == b->room)
        return -1;
    b->names[b->count] = lil_arena_copy(b->arena, name, strlen(name));
    return b->names[b->count++] ? 0 : -1;
}

static lil_status read_bodies(lil_motion *m)
{
    lil_trajectory *tr = m->trajectory;
    if (H5Lexists(tr->file, "bodies", H5P_DEFAULT) <= 0)
        return LIL_OK;
    body_names b = { &m->arena, LIL_NEW(&m->arena, const char *, LIL_TRACKS_MAX), 0, LIL_TRACKS_MAX };
    hid_t group = H5Gopen2(tr->file, "bodies", H5P_DEFAULT);
    if (!b.names || group < 0)
        return damaged(tr, "its bodies cannot be listed");
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, &b);
    H5Gclose(group);
    m->bodies = LIL_NEW(&m->arena, lil_recorded_body, b.count);
    if (!m->bodies)
        return lil_fail_memory(tr->ctx);
    for (int i = 0; i < b.count; i++) { /* in the order of their vertices, as the scene has them */
        lil_recorded_body body = { 0 };
        LIL_TRY(read_body(m, b.names[i], &body));
        int at = m->body_count++;
        for (; at > 0 && m->bodies[at - 1].first > body.first; at--)
            m->bodies[at] = m->bodies[at - 1];
        m->bodies[at] = body;
    }
    return LIL_OK;
}

static lil_status read_pairs(lil_motion *m)
{
    lil_trajectory *tr = m->trajectory;
    int64_t count = 0;
    if (H5Lexists(tr->file, "springs", H5P_DEFAULT) > 0) {
        m->springs = (const int(*)[2])lil_h5_read_wholes(&m->arena, tr->file, "springs", 2, &count);
        if (!m->springs || !valid_indices(m->springs[0], 2 * count, tr->n / 3))
            return damaged(tr, "its springs are not whole");
        m->spring_count = (int)count;
    }
    if (H5Lexists(tr->file, "points", H5P_DEFAULT) > 0) {
        m->points = lil_h5_read_names(&m->arena, tr->file, "points", &m->point_count);
        if (!m->points)
            return damaged(tr, "its drawn points have no names");
    }
    if (H5Lexists(tr->file, "links", H5P_DEFAULT) > 0) {
        m->links = (const int(*)[2])lil_h5_read_wholes(&m->arena, tr->file, "links", 2, &count);
        for (int64_t i = 0; m->links && i < 2 * count; i++)
            if (m->links[0][i] < -1 || m->links[0][i] >= m->point_count)
                return damaged(tr, "its links join points that are not there");
        m->link_count = m->links ? (int)count : 0;
    }
    return LIL_OK;
}

static lil_status open_quietly(lil_motion *m)
{
    lil_trajectory *tr = m->trajectory;
    if (tr->frames < 1)
        return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: has no frames", tr->path);
    LIL_TRY(read_bodies(m));
    LIL_TRY(read_pairs(m));
    double *t = LIL_NEW(&m->arena, double, tr->frames);
    m->rows[0] = LIL_NEW(&m->arena, double, 2 * (size_t)tr->n);
    m->rows[1] = LIL_NEW(&m->arena, double, 2 * (size_t)tr->n);
    if (!t || !m->rows[0] || !m->rows[1])
        return lil_fail_memory(tr->ctx);
    m->t = t;
    m->at = -1;
    return lil_track_read(tr, &tr->tracks[0], 0, tr->frames, t);
}

lil_status lil_motion_open(lil_trajectory *trajectory, lil_motion *m)
{
    *m = (lil_motion){ .trajectory = trajectory };
    lil_quiet quiet = lil_quiet_begin();
    lil_status status = open_quietly(m);
    lil_quiet_end(quiet);
    if (status != LIL_OK)
        lil_motion_close(m);
    return status;
}

void lil_motion_close(lil_motion *m)
{
    lil_arena_free(&m->arena);
}

/* ---- look ---- */

const lil_track *lil_motion_track(const lil_motion *m, const char *name)
{
    return lil_track_find(m->trajectory, name);
}

static lil_status read_frame(lil_motion *m, int64_t frame, double *row)
{
    lil_trajectory *tr = m->trajectory;
    LIL_TRY(lil_track_read(tr, lil_motion_track(m, "q"), frame, 1, row));
    return lil_track_read(tr, lil_motion_track(m, "v"), frame, 1, row + tr->n);
}

/* the last frame not later than t, and the next */
static lil_status seek(lil_motion *m, double t)
{
    int64_t low = 0, high = m->trajectory->frames - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (m->t[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    if (low == m->at)
        return LIL_OK;
    int64_t next = low + 1 < m->trajectory->frames ? low + 1 : low;
    if (m->at >= 0 && low == m->at + 1) { /* one on: its first frame is there already */
        double *row = m->rows[0];
        m->rows[0] = m->rows[1];
        m->rows[1] = row;
    } else {
        LIL_TRY(read_frame(m, low, m->rows[0]));
    }
    m->at = -1; /* until both are there */
    LIL_TRY(read_frame(m, next, m->rows[1]));
    m->at = low;
    return LIL_OK;
}

lil_status lil_motion_at(lil_motion *m, double t, double *q, double *v)
{
    int n = m->trajectory->n;
    LIL_TRY(seek(m, t));
    const double *a = m->rows[0], *b = m->rows[1];
    int64_t next = m->at + 1 < m->trajectory->frames ? m->at + 1 : m->at;
    double h = m->t[next] - m->t[m->at], s = h > 0 ? (t - m->t[m->at]) / h : 0;
    s = fmin(fmax(s, 0), 1);
    for (int i = 0; i < n; i++) {
        double d = b[i] - a[i], va = h * a[n + i], vb = h * b[n + i];
        /* Hermite's cubic, from the nearer end */
        if (q)
            q[i] = a[i] + s * (va + s * (3 * d - 2 * va - vb + s * (va + vb - 2 * d)));
        if (v)
            v[i] = h > 0 ? (va + s * (2 * (3 * d - 2 * va - vb) + s * 3 * (va + vb - 2 * d))) / h : a[n + i];
    }
    return LIL_OK;
}

int64_t lil_motion_samples(const lil_motion *m, double fps)
{
    int64_t last = m->trajectory->frames - 1;
    return fps > 0 ? 1 + (int64_t)floor((m->t[last] - m->t[0]) * fps * (1 + 1e-12)) : last + 1;
}

double lil_motion_time(const lil_motion *m, double fps, int64_t i)
{
    double last = m->t[m->trajectory->frames - 1];
    return fps > 0 ? fmin(m->t[0] + (double)i / fps, last) : m->t[i];
}
