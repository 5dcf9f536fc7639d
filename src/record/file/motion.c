#include "record/file/motion.h"

#include "mesh/fill/embedding.h"
#include "record/file/recorder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- open ---- */

/* The material, of which the file has the name. */
static lil_status find_material(lil_motion *m, lil_recorded_body *body)
{
    lil_trajectory *tr = m->trajectory;
    const char *path = lil_arena_format(&m->arena, "bodies/%s/material", body->name);
    const char *label = path ? lil_h5_read_string(&m->arena, tr->file, path) : NULL;
    if (!label)
        return lil_trajectory_damaged(tr, "a body's material is unknown");
    body->material.table = lil_material_named(tr->ctx, label);
    if (!body->material.table)
        return lil_fail(tr->ctx, LIL_ERR_INPUT,
                        "%.200s: unknown material '%.60s': register it before you read the trajectory", tr->path,
                        label);
    body->option_count = body->material.table->field_count;
    return LIL_OK;
}

static lil_status set_material(lil_motion *m, lil_recorded_body *body)
{
    lil_material *material = &body->material;
    char *config = lil_arena_alloc(&m->arena, 1, material->table->config_size);
    LIL_HAVE(m->trajectory->ctx, config);
    lil_material_own(material->table, config);
    for (int i = 0; i < body->option_count; i++)
        *(double *)(config + material->table->fields[i].offset) = body->options[i];
    material->config = config;
    material->moduli = (lil_moduli){ body->moduli[0], body->moduli[1] };
    material->density = body->moduli[2];
    return LIL_OK;
}

/* Whether lists of entries, each of at least so many, are one after the other. */
static bool ascend(const int *first, int lists, int least, int entries)
{
    bool valid = first[0] == 0 && first[lists] == entries;
    for (int i = 0; valid && i < lists; i++)
        valid = first[i + 1] >= first[i] + least;
    return valid;
}

static bool ordered_keys(const lil_recorded_surface *s)
{
    bool valid = true;
    for (int k = 0; valid && k < s->key_count; k++)
        valid = isfinite(s->key_times[k]) && (k == 0 || s->key_times[k] > s->key_times[k - 1]);
    return valid;
}

/* Fans of the faces, for a file that is older than its triangles. */
static lil_status cut_faces(lil_motion *m, lil_recorded_surface *s)
{
    int(*fans)[3] = lil_arena_alloc(&m->arena, (size_t)s->triangle_count, sizeof *fans), at = 0;
    LIL_HAVE(m->trajectory->ctx, fans);
    for (int f = 0; f < s->face_count; f++)
        for (int k = s->first[f] + 1; k + 1 < s->first[f + 1]; k++, at++)
            memcpy(fans[at], (int[3]){ s->corners[s->first[f]], s->corners[k], s->corners[k + 1] }, sizeof fans[at]);
    s->triangles = (const int(*)[3])fans;
    return LIL_OK;
}

/* None where the body was made of tets. */
static lil_status read_surface(lil_motion *m, lil_recorded_body *body)
{
    lil_trajectory *tr = m->trajectory;
    lil_recorded_surface *s = &body->surface;
    const char *group = lil_arena_format(&m->arena, "bodies/%s/surface", body->name);
    if (!group || H5Lexists(tr->file, group, H5P_DEFAULT) <= 0)
        return group ? LIL_OK : lil_fail_memory(tr->ctx);
    LIL_TRY(lil_file_tables_read(tr, &m->arena, &lil_surface_tables, body->name, body));
    int triangles = s->corner_count - 2 * s->face_count;
    lil_carried *outside = &s->outside; /* all three tables or none */
    bool carried = outside->begin, whole = carried == !!outside->vertex && carried == !!outside->weight;
    if (!whole || !ascend(s->first, s->face_count, 3, s->corner_count) ||
        (s->triangles && s->triangle_count != triangles) || !s->key_times != !s->key_weights ||
        s->key_weight_count != s->key_count * s->vertex_count ||
        (carried && !ascend(outside->begin, s->vertex_count, 0, s->outside_count)))
        return lil_trajectory_damaged(tr, "a body's surface is incomplete");
    if (!ordered_keys(s))
        return lil_trajectory_damaged(tr, "the keys of a surface are not in order");
    outside->vertex_count = body->vertex_count;
    outside->count = carried ? s->vertex_count : 0;
    s->triangle_count = triangles;
    return s->triangles ? LIL_OK : cut_faces(m, s);
}

static lil_status read_look(lil_motion *m, const char *name, double look[LIL_RECORDED_LOOK])
{
    for (int i = 0; i < LIL_RECORDED_LOOK; i++)
        look[i] = NAN;
    LIL_TRY(lil_file_tables_read(m->trajectory, &m->arena, &lil_look_tables, name, look));
    for (int i = 0; i < LIL_RECORDED_LOOK; i++)
        if (look[i] < 0 || look[i] > 1 || (i > 0 && i < 3 && isnan(look[i]) != isnan(look[0])))
            return lil_trajectory_damaged(m->trajectory, "the look of a part is not from 0 to 1");
    return LIL_OK;
}

static lil_status read_body(lil_motion *m, const char *name, lil_recorded_body *body)
{
    lil_trajectory *tr = m->trajectory;
    body->name = name;
    LIL_TRY(read_look(m, name, body->look));
    LIL_TRY(find_material(m, body));
    LIL_TRY(lil_file_tables_read(tr, &m->arena, &lil_body_tables, name, body));
    if (body->first < 0 || body->first > tr->n / 3 - body->vertex_count)
        return lil_trajectory_damaged(tr, "a body refers to missing vertices");
    body->part_count = lil_tet_parts(body->tet_count, body->mids);
    LIL_TRY(read_surface(m, body));
    return set_material(m, body);
}

typedef struct group_names {
    lil_arena *arena;
    const char **names;
    int count, room;
} group_names;

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    group_names *b = user;
    (void)group;
    (void)info;
    if (b->count == b->room)
        return -1;
    b->names[b->count] = lil_arena_copy(b->arena, name, strlen(name));
    return b->names[b->count++] ? 0 : -1;
}

/* The names of the members of a group; none if there is no such group. */
static lil_status list_names(lil_motion *m, const char *name, group_names *g)
{
    lil_trajectory *tr = m->trajectory;
    *g = (group_names){ &m->arena, NULL, 0, LIL_TRACKS_MAX };
    if (H5Lexists(tr->file, name, H5P_DEFAULT) <= 0)
        return LIL_OK;
    g->names = LIL_NEW(&m->arena, const char *, LIL_TRACKS_MAX);
    hid_t group = H5Gopen2(tr->file, name, H5P_DEFAULT);
    if (!g->names || group < 0)
        return lil_trajectory_damaged(tr, "its bodies or particles cannot be listed");
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, g);
    H5Gclose(group);
    return LIL_OK;
}

/* In the order of their vertices, as the scene has them. */
static lil_status read_bodies(lil_motion *m)
{
    group_names b;
    LIL_TRY(list_names(m, "bodies", &b));
    LIL_ALLOC(m->trajectory->ctx, &m->arena, m->bodies, b.count);
    for (int i = 0; i < b.count; i++) {
        lil_recorded_body body = { 0 };
        LIL_TRY(read_body(m, b.names[i], &body));
        int at = m->body_count++;
        for (; at > 0 && m->bodies[at - 1].first > body.first; at--)
            m->bodies[at] = m->bodies[at - 1];
        m->bodies[at] = body;
    }
    return LIL_OK;
}

static lil_status read_obstacles(lil_motion *m)
{
    lil_trajectory *tr = m->trajectory;
    group_names o;
    LIL_TRY(list_names(m, "obstacles", &o));
    LIL_ALLOC(tr->ctx, &m->arena, m->obstacles, o.count);
    for (int i = 0; i < o.count; i++) {
        lil_recorded_obstacle *to = &m->obstacles[m->obstacle_count++];
        char path[256];
        to->name = o.names[i];
        LIL_TRY(lil_file_tables_read(tr, &m->arena, &lil_obstacle_tables, to->name, to));
        LIL_TRY(read_look(m, to->name, to->look));
        snprintf(path, sizeof path, "obstacle/%.120s", to->name);
        to->place = lil_track_find(tr, path);
        snprintf(path, sizeof path, "obstacle_turn/%.120s", to->name);
        to->turn = lil_track_find(tr, path);
        snprintf(path, sizeof path, "obstacle_points/%.120s", to->name);
        to->points = lil_track_find(tr, path);
        if (to->shape[0] == 3 && (!to->x || !to->faces))
            return lil_trajectory_damaged(tr, "the mesh of an obstacle is incomplete");
        if (to->points && to->points->width != 3 * to->vertex_count)
            return lil_trajectory_damaged(tr, "an obstacle deforms with other vertices than it has");
    }
    return LIL_OK;
}

/* The elements that can touch belong to these particles; strands grow from vertices. */
static bool valid_particles(const lil_trajectory *tr, const lil_recorded_particles *p)
{
    bool valid = p->first >= 0 && p->count <= tr->n / 3 - p->first && p->radius >= 0;
    for (int i = 0; valid && i < p->grow_count; i++)
        valid = p->grows[i][0] >= 0 && p->grows[i][0] < tr->n / 3;
    for (int i = 0; valid && i < p->touching_count; i++) {
        const int *at = p->touching[i];
        valid = at[0] != -1 && (at[1] >= 0 || at[2] < 0);
        for (int k = 0; k < 3; k++)
            valid = valid && (at[k] == -1 || (at[k] >= p->first && at[k] < p->first + p->count));
    }
    return valid;
}

static lil_status read_particles(lil_motion *m)
{
    lil_trajectory *tr = m->trajectory;
    group_names b;
    LIL_TRY(list_names(m, "particles", &b));
    LIL_ALLOC(tr->ctx, &m->arena, m->particles, b.count);
    for (int i = 0; i < b.count; i++) {
        lil_recorded_particles particles = { .name = b.names[i] };
        LIL_TRY(lil_file_tables_read(tr, &m->arena, &lil_particle_tables, b.names[i], &particles));
        LIL_TRY(read_look(m, b.names[i], particles.look));
        if (!valid_particles(tr, &particles))
            return lil_trajectory_damaged(tr, "its particles are incomplete");
        int at = m->particles_count++;
        for (; at > 0 && m->particles[at - 1].first > particles.first; at--)
            m->particles[at] = m->particles[at - 1];
        m->particles[at] = particles;
    }
    return LIL_OK;
}

static lil_status read_drawn(lil_motion *m)
{
    lil_trajectory *tr = m->trajectory;
    int64_t count = 0;
    if (H5Lexists(tr->file, "points", H5P_DEFAULT) > 0) {
        m->points = lil_h5_read_names(&m->arena, tr->file, "points", &m->point_count);
        if (!m->points)
            return lil_trajectory_damaged(tr, "its drawn points have no names");
    }
    if (H5Lexists(tr->file, "links", H5P_DEFAULT) > 0) {
        m->links = (const int(*)[2])lil_h5_read_wholes(&m->arena, tr->file, "links", 2, &count);
        for (int64_t i = 0; m->links && i < 2 * count; i++)
            if (m->links[i / 2][i % 2] < -1 || m->links[i / 2][i % 2] >= m->point_count)
                return lil_trajectory_damaged(tr, "its links join missing points");
        m->link_count = m->links ? (int)count : 0;
    }
    return LIL_OK;
}

/* Pins and links are vertices of bodies and particles. */
static lil_status read_world(lil_motion *m)
{
    const lil_recorded_world *w = &m->world;
    LIL_TRY(lil_file_tables_read(m->trajectory, &m->arena, &lil_world_tables, "", &m->world));
    bool empty = !m->body_count && !m->particles_count;
    if (empty && (w->still_count || w->driven_count || w->let_go_count || w->rod_count || w->spring_count))
        return lil_trajectory_damaged(m->trajectory, "it has pins or links, but no bodies and particles");
    return LIL_OK;
}

static lil_status open_quietly(lil_motion *m)
{
    lil_trajectory *tr = m->trajectory;
    if (tr->frames < 1)
        return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: has no frames", tr->path);
    const char *up = lil_h5_read_string(&m->arena, tr->file, "up");
    m->up = up && strcmp(up, "y") == 0 ? 'y' : 'z';
    LIL_TRY(read_bodies(m));
    LIL_TRY(read_particles(m));
    LIL_TRY(read_obstacles(m));
    LIL_TRY(read_world(m));
    LIL_TRY(read_drawn(m));
    double *t;
    LIL_ALLOC(tr->ctx, &m->arena, t, tr->frames);
    LIL_ALLOC(tr->ctx, &m->arena, m->windows, tr->track_count);
    m->t = t;
    LIL_TRY(lil_track_read(tr, &tr->tracks[0], 0, tr->frames, t));
    for (int64_t i = 0; i < tr->frames; i++)
        if (!isfinite(t[i]) || (i && t[i] < t[i - 1]))
            return lil_trajectory_damaged(tr, "its times do not ascend");
    return LIL_OK;
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

lil_status lil_motion_rows(lil_motion *m, const lil_track *track, int64_t from, int64_t count, const double **rows)
{
    enum { AHEAD_BYTES = 1 << 18, ROWS_MIN = 8, ROWS_MAX = 256 };
    lil_trajectory *tr = m->trajectory;
    lil_window *w = &m->windows[track - tr->tracks];
    size_t width = track->width ? (size_t)track->width : 1, room = AHEAD_BYTES / (width * sizeof(double));
    room = room < ROWS_MIN ? ROWS_MIN : room > ROWS_MAX ? ROWS_MAX : room;
    if (!w->rows && !(w->rows = LIL_NEW(&m->arena, double, room *width)))
        return lil_fail_memory(tr->ctx);
    if (from < w->from || from + count > w->from + w->count) {
        int64_t all = tr->frames - from < (int64_t)room ? tr->frames - from : (int64_t)room;
        w->count = 0; /* until it is there */
        LIL_TRY(lil_track_read(tr, track, from, all, w->rows));
        w->from = from;
        w->count = all;
        for (size_t i = 0; i < (size_t)all * width; i++)
            if (!isfinite(w->rows[i]))
                return lil_trajectory_damaged(tr, "a frame has a number that is not finite");
    }
    *rows = w->rows + (size_t)(from - w->from) * width;
    return LIL_OK;
}

int64_t lil_motion_frame_before(const lil_motion *m, double t)
{
    int64_t low = 0, high = m->trajectory->frames - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (m->t[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* One of the two was not recorded. */
static lil_status one_of_state(lil_motion *m, double t, double *q, double *v)
{
    const lil_track *track;
    if (q) {
        LIL_TRY(lil_track_need(m->trajectory, "q", &track));
        LIL_TRY(lil_motion_track_at(m, track, t, q));
    }
    if (!v)
        return LIL_OK;
    LIL_TRY(lil_track_need(m->trajectory, "v", &track));
    return lil_motion_track_at(m, track, t, v);
}

lil_status lil_motion_at(lil_motion *m, double t, double *q, double *v)
{
    int n = m->trajectory->n;
    int64_t at = lil_motion_frame_before(m, t), more = at + 1 < m->trajectory->frames;
    const lil_track *track_q = lil_motion_track(m, "q"), *track_v = lil_motion_track(m, "v");
    const double *qa, *va;
    if (!track_q || !track_v)
        return one_of_state(m, t, q, v);
    LIL_TRY(lil_motion_rows(m, track_q, at, 1 + more, &qa));
    LIL_TRY(lil_motion_rows(m, track_v, at, 1 + more, &va));
    const double *qb = qa + more * n, *vb = va + more * n;
    double h = m->t[at + more] - m->t[at], s = h > 0 ? fmin(fmax((t - m->t[at]) / h, 0), 1) : 0;
    for (int i = 0; i < n; i++) {
        double d = qb[i] - qa[i], a = h * va[i], b = h * vb[i];
        /* Hermite's cubic; at a frame its own numbers, to the last bit */
        if (q)
            q[i] = qa[i] + s * (a + s * (3 * d - 2 * a - b + s * (a + b - 2 * d)));
        if (v)
            v[i] = s > 0 ? (a + s * (2 * (3 * d - 2 * a - b) + s * 3 * (a + b - 2 * d))) / h : va[i];
    }
    return LIL_OK;
}

void lil_motion_weights(const lil_recorded_body *body, int i, double t, double w[3])
{
    const lil_recorded_surface *f = &body->surface;
    if (!f->key_count) {
        memcpy(w, f->weights[i], 3 * sizeof *w);
        return;
    }
    int b = 0, a;
    while (b + 1 < f->key_count && f->key_times[b] < t)
        b++;
    a = b > 0 && t < f->key_times[b] ? b - 1 : b;
    const double *from = f->key_weights[(size_t)a * (size_t)f->vertex_count + (size_t)i];
    const double *to = f->key_weights[(size_t)b * (size_t)f->vertex_count + (size_t)i];
    double s = a < b ? (t - f->key_times[a]) / (f->key_times[b] - f->key_times[a]) : 0;
    for (int d = 0; d < 3; d++)
        w[d] = from[d] + s * s * (3 - 2 * s) * (to[d] - from[d]);
}

void lil_motion_carried(const lil_recorded_body *body, int i, double t, const double *q, double x[3])
{
    double w[3];
    int room[4];
    if (!body->surface.key_count) {
        lil_motion_carried_mean(body, i, q, x);
        return;
    }
    lil_motion_weights(body, i, t, w);
    lil_embedded_place(lil_recorded_part(body, body->surface.tet[i], room), w, q + 3 * (size_t)body->first, x);
}

void lil_motion_carried_mean(const lil_recorded_body *body, int i, const double *f, double mean[3])
{
    const lil_recorded_surface *s = &body->surface;
    const double *own = f + 3 * (size_t)body->first;
    if (s->outside.count && s->outside.begin[i + 1] > s->outside.begin[i]) {
        memset(mean, 0, 3 * sizeof *mean);
        for (int k = s->outside.begin[i]; k < s->outside.begin[i + 1]; k++)
            for (int d = 0; d < 3; d++)
                mean[d] += s->outside.weight[k] * own[3 * s->outside.vertex[k] + d];
        return;
    }
    int room[4];
    lil_embedded_place(lil_recorded_part(body, s->tet[i], room), s->weights[i], own, mean);
}

lil_status lil_motion_track_at(lil_motion *m, const lil_track *track, double t, double *row)
{
    int64_t last = m->trajectory->frames - 1, at = lil_motion_frame_before(m, t), from = at, to = at;
    int width = track->width ? track->width : 1;
    if (t > m->t[at] && at < last) {
        /* counts are no smooth functions of time */
        bool smooth = strcmp(track->name, "iterations") != 0 && strcmp(track->name, "step") != 0;
        from = smooth && at > 0 ? at - 1 : at;
        to = smooth ? from + 3 : at + 1;
        to = to < last ? to : last;
        from = smooth && to > 3 && to - 3 < from ? to - 3 : smooth && to <= 3 ? 0 : from;
    }
    const double *nodes;
    LIL_TRY(lil_motion_rows(m, track, from, to - from + 1, &nodes));
    memset(row, 0, (size_t)width * sizeof *row);
    for (int64_t i = from; i <= to; i++) { /* Lagrange's polynomial */
        double weight = 1;
        for (int64_t j = from; j <= to; j++)
            if (m->t[j] != m->t[i])
                weight *= (t - m->t[j]) / (m->t[i] - m->t[j]);
        for (int k = 0; k < width; k++)
            row[k] += weight * nodes[(i - from) * width + k];
    }
    return LIL_OK;
}

int64_t lil_motion_samples(const lil_motion *m, double fps)
{
    int64_t last = m->trajectory->frames - 1;
    double count = 1 + floor((m->t[last] - m->t[0]) * fps * (1 + 1e-12));
    return fps > 0 ? (int64_t)fmin(count, 1e15) : last + 1;
}

double lil_motion_time(const lil_motion *m, double fps, int64_t i)
{
    if (!(fps > 0))
        return m->t[i];
    int64_t last = m->trajectory->frames - 1;
    double t = fmin(m->t[0] + (double)i / fps, m->t[last]), near = 1e-9 / fps;
    int64_t at = lil_motion_frame_before(m, t);
    if (t - m->t[at] < near)
        return m->t[at];
    return at < last && m->t[at + 1] - t < near ? m->t[at + 1] : t;
}

double lil_motion_rate(const lil_motion *m)
{
    int64_t last = m->trajectory->frames - 1;
    if (m->t[last] <= m->t[0])
        return 24; /* one frame: any rate shows it */
    /* the last frame is the end's, which need not be on the grid */
    double h = last > 1 ? (m->t[last - 1] - m->t[0]) / (double)(last - 1) : m->t[last] - m->t[0];
    return h > 0 ? 1 / h : (double)last / (m->t[last] - m->t[0]);
}

void lil_motion_warn_incomplete(const lil_motion *m)
{
    const lil_trajectory *tr = m->trajectory;
    if (strcmp(tr->status, "complete") == 0)
        return;
    bool running = strcmp(tr->status, "running") == 0;
    const char *how = !running ? "ended early" : lil_recorder_is_busy(tr->path) ? "has not ended yet" : "was killed";
    lil_warn(tr->ctx, "%.200s: its run %s: it has %lld frame%s, to t = %.10g s", tr->path, how, (long long)tr->frames,
             tr->frames == 1 ? "" : "s", m->t[tr->frames - 1]);
}
