/*
 * Output for ParaView and other VTK programs: OUT_0000.vtu ..., one per frame, and OUT.pvd with their times.
 *
 * Bodies: their tets (quadratic ones as such, VTK's type 24), with velocity, displacement, mean stress and (by barrier)
 * contact pressure of vertices and stress, energy and volume of tets, means where these vary. Particles are vertices
 * after them, springs and rigid links lines, which belong to no body, and anchors in space points after all others;
 * obstacles that are boxes or meshes are triangles. Where there are neither: drawn points and the links between them.
 * Quantities with one number or vector per frame are field data. Arrays are appended to the XML as they are in memory,
 * each after its length in bytes (a UInt64).
 */
#include "math/matrix3.h"
#include "record/export/export.h"
#include "record/export/pressure.h"
#include "record/file/recorded_obstacles.h"
#include "record/file/tet_stress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FILES_MAX = 1000000,
    DIGITS_MAX = 7,
    ARRAYS_MAX = 16,
    VTK_VERTEX = 1,
    VTK_LINE = 3,
    VTK_TRIANGLE = 5,
    VTK_TETRA = 10,
    VTK_QUADRATIC_TETRA = 24
};

typedef enum place { POINTS, CELLS, POINT_DATA, CELL_DATA } place;

typedef struct array {
    place place;
    const char *name, *type; /* of VTK's */
    const char *names;       /* of the components, as attributes; NULL: none */
    int width;
    size_t bytes;
    void *data;
} array;

typedef struct state {
    lil_export *e;
    int64_t frames;
    int digits;
    int points, cells;
    array arrays[ARRAYS_MAX];
    int array_count;
    const lil_track **fields; /* tracks that are field data */
    int field_count;
    double *q, *v; /* of the trajectory */
    double *x;     /* points */
    /* of bodies */
    double *velocity, *displacement, *stress, *von_mises, *energy, *volume;
    double *node_stress, *node_von_mises, *node_volume; /* of points: means of the tets around them, by V */
    int tet_count;        /* of all of them; the cells after these are particles, springs and rigid links */
    int particles;        /* of all names */
    int moving;           /* points of the trajectory; those of obstacles follow */
    int *vertices;        /* what each point is in the trajectory */
    int *point_of;        /* the other way round; -1: it is not shown */
    lil_tet_stress *tets; /* of each body */
    lil_pressure contact;
    double *pressure, *pressures; /* of points, and of all vertices */
    int64_t lost;                 /* tets whose stress does not exist, over all frames */
} state;

static void *add_array(state *s, place where, const char *name, const char *type, size_t size, int width,
                       int64_t rows)
{
    void *data = lil_arena_alloc(&s->e->motion.arena, (size_t)rows * (size_t)width + 1, size);
    s->arrays[s->array_count++] =
        (array){ where, name, type, NULL, width, (size_t)rows * (size_t)width * size, data };
    return data;
}

static double *add_reals(state *s, place where, const char *name, int width)
{
    return add_array(s, where, name, "Float64", sizeof(double), width, where == CELL_DATA ? s->cells : s->points);
}

static double *add_stress(state *s, place where, const char *name)
{
    double *data = add_reals(s, where, name, 6);
    s->arrays[s->array_count - 1].names = "ComponentName0=\"XX\" ComponentName1=\"YY\" ComponentName2=\"ZZ\" "
                                          "ComponentName3=\"XY\" ComponentName4=\"YZ\" ComponentName5=\"XZ\"";
    return data;
}

/* ---- bodies ---- */

static void number_point(state *s, int vertex)
{
    if (s->point_of[vertex] >= 0)
        return;
    s->point_of[vertex] = s->points;
    s->vertices[s->points++] = vertex;
}

/* Numbers the points: vertices of bodies, particles, then what else springs are tied to. */
static lil_status number_points(state *s)
{
    const lil_motion *m = &s->e->motion;
    int total = m->trajectory->n / 3;
    LIL_ALLOC(s->e->ctx, &s->e->motion.arena, s->vertices, total);
    LIL_ALLOC(s->e->ctx, &s->e->motion.arena, s->point_of, total);
    for (int i = 0; i < total; i++)
        s->point_of[i] = -1;
    for (int b = 0; b < m->body_count; b++)
        for (int i = 0; i < m->bodies[b].vertex_count; i++)
            number_point(s, m->bodies[b].first + i);
    for (int b = 0; b < m->particles_count; b++)
        for (int i = 0; i < m->particles[b].count; i++)
            number_point(s, m->particles[b].first + i);
    for (int i = 0; i < 2 * m->world.spring_count; i++)
        number_point(s, m->world.springs[i / 2][i % 2]);
    s->moving = s->points;
    for (int i = 0; i < m->obstacle_count; i++)
        s->points += lil_solid_point_count(&m->obstacles[i]);
    return LIL_OK;
}

typedef struct cells {
    int64_t *ids, *ends, count, at;
    uint8_t *types;
    int32_t *owner;
} cells;

/* One more cell, of these points. */
static void add_points(cells *c, int type, int owner, const int *points, int count)
{
    for (int k = 0; k < count; k++)
        c->ids[c->at++] = points[k];
    c->ends[c->count] = c->at;
    c->types[c->count] = (uint8_t)type;
    c->owner[c->count++] = owner;
}

/* The same of vertices of the trajectory. */
static void add_cell(const state *s, cells *c, int type, int owner, const int *vertices, int count)
{
    int points[LIL_QUADRATIC_NODES];
    for (int k = 0; k < count; k++)
        points[k] = s->point_of[vertices[k]];
    add_points(c, type, owner, points, count);
}

static void add_obstacles(const state *s, cells *c)
{
    const lil_motion *m = &s->e->motion;
    for (int i = 0, first = s->moving; i < m->obstacle_count; i++) {
        const lil_recorded_obstacle *o = &m->obstacles[i];
        for (int f = 0; f < lil_solid_face_count(o); f++) {
            const int *v = lil_solid_face(o, f);
            add_points(c, VTK_TRIANGLE, m->body_count + m->particles_count + i,
                       (const int[]){ first + v[0], first + v[1], first + v[2] }, 3);
        }
        first += lil_solid_point_count(o);
    }
}

static void add_tet(const state *s, cells *c, int b, int e)
{
    const lil_recorded_body *body = &s->e->motion.bodies[b];
    int nodes[LIL_QUADRATIC_NODES], count = body->mids ? LIL_QUADRATIC_NODES : 4;
    for (int k = 0; k < count; k++)
        nodes[k] = body->first + (k < 4 ? body->tets[e][k] : body->mids[e][k - 4]);
    add_cell(s, c, body->mids ? VTK_QUADRATIC_TETRA : VTK_TETRA, b, nodes, count);
}

static int count_faces(const lil_motion *m)
{
    int count = 0;
    for (int i = 0; i < m->obstacle_count; i++)
        count += lil_solid_face_count(&m->obstacles[i]);
    return count;
}

static lil_status fill_cells(state *s)
{
    const lil_motion *m = &s->e->motion;
    int64_t lines = (int64_t)m->world.spring_count + m->world.rod_count,
            size = 4 * (int64_t)s->tet_count + s->particles + 2 * lines + 3 * (int64_t)count_faces(m);
    for (int b = 0; b < m->body_count; b++)
        size += m->bodies[b].mids ? LIL_TET_EDGES * (int64_t)m->bodies[b].tet_count : 0;
    cells c = { .ids = add_array(s, CELLS, "connectivity", "Int64", sizeof *c.ids, 1, size) };
    c.ends = add_array(s, CELLS, "offsets", "Int64", sizeof *c.ends, 1, s->cells);
    c.types = add_array(s, CELLS, "types", "UInt8", sizeof *c.types, 1, s->cells);
    c.owner = add_array(s, CELL_DATA, "body", "Int32", sizeof *c.owner, 1, s->cells);
    LIL_HAVE(s->e->ctx, c.ids && c.ends && c.types && c.owner);
    for (int b = 0; b < m->body_count; b++)
        for (int i = 0; i < m->bodies[b].tet_count; i++)
            add_tet(s, &c, b, i);
    for (int b = 0; b < m->particles_count; b++)
        for (int i = 0; i < m->particles[b].count; i++)
            add_cell(s, &c, VTK_VERTEX, m->body_count + b, (const int[]){ m->particles[b].first + i }, 1);
    for (int i = 0; i < m->world.spring_count; i++)
        add_cell(s, &c, VTK_LINE, -1, m->world.springs[i], 2);
    for (int i = 0; i < m->world.rod_count; i++)
        add_cell(s, &c, VTK_LINE, -1, m->world.rods[i], 2);
    add_obstacles(s, &c);
    return LIL_OK;
}

static lil_status begin_bodies(state *s)
{
    lil_motion *m = &s->e->motion;
    int64_t tets = 0;
    for (int b = 0; b < m->body_count; b++)
        tets += m->bodies[b].tet_count;
    for (int b = 0; b < m->particles_count; b++)
        s->particles += m->particles[b].count;
    int64_t total = tets + s->particles + m->world.spring_count + m->world.rod_count + count_faces(m);
    if (total > INT32_MAX)
        return lil_fail(s->e->ctx, LIL_ERR_LIMIT, "%.200s: has too many tets", m->trajectory->path);
    s->tet_count = (int)tets;
    s->cells = (int)total;
    LIL_TRY(number_points(s));
    s->x = add_reals(s, POINTS, "position", 3);
    LIL_TRY(fill_cells(s));
    if (s->v)
        s->velocity = add_reals(s, POINT_DATA, "velocity", 3);
    s->displacement = add_reals(s, POINT_DATA, "displacement", 3);
    LIL_TRY(lil_pressure_open(m, &s->contact));
    if (s->contact.end) {
        s->pressure = add_reals(s, POINT_DATA, "contact_pressure", 1);
        s->pressures = LIL_NEW(&m->arena, double, m->trajectory->n);
        LIL_HAVE(s->e->ctx, s->pressure && s->pressures);
    }
    s->stress = add_stress(s, CELL_DATA, "stress");
    s->node_stress = add_stress(s, POINT_DATA, "nodal_stress");
    s->node_von_mises = add_reals(s, POINT_DATA, "nodal_von_mises", 1);
    s->node_volume = LIL_NEW(&m->arena, double, s->points);
    s->von_mises = add_reals(s, CELL_DATA, "von_mises", 1);
    s->energy = add_reals(s, CELL_DATA, "energy_density", 1);
    s->volume = add_reals(s, CELL_DATA, "det_F", 1);
    s->tets = LIL_NEW(&m->arena, lil_tet_stress, m->body_count);
    LIL_HAVE(s->e->ctx, s->x && (s->velocity || !s->v) && s->displacement && s->stress && s->von_mises && s->energy &&
                            s->volume && s->node_stress && s->node_von_mises && s->node_volume && s->tets);
    for (int i = s->tet_count; i < s->cells; i++) /* cells without stress, which are not inverted */
        s->volume[i] = 1;
    for (int b = 0; b < m->body_count; b++)
        LIL_TRY(lil_tet_stress_create(s->e->ctx, &m->arena, &m->bodies[b], &s->tets[b]));
    return LIL_OK;
}

static bool is_finite(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += fabs(x[i]);
    return isfinite(sum);
}

static void add_to_node(state *s, size_t at, double V, const double stress[6])
{
    for (size_t i = 0; i < 6; i++)
        s->node_stress[6 * at + i] += V * stress[i];
    s->node_volume[at] += V;
}

/* A tet's stress to its points, which begin at `point`: to each node that of the tet there, with the tet's V. */
static void add_to_nodes(state *s, int body, int e, const double *x, size_t point, double V)
{
    const lil_recorded_body *b = &s->e->motion.bodies[body];
    double stress[6];
    for (int a = 0; a < (b->mids ? LIL_QUADRATIC_NODES : 4); a++) {
        double F[9];
        if (a == 0 || b->mids) /* in a linear tet it is the same everywhere */
            lil_tet_stress_at(&s->tets[body], x, e, a, F, stress);
        if (is_finite(stress, 6))
            add_to_node(s, point + (size_t)(a < 4 ? b->tets[e][a] : b->mids[e][a - 4]), V, stress);
    }
}

/* Means of the tets around each point, by their volumes at rest. */
static void divide_nodes(state *s)
{
    for (size_t at = 0; at < (size_t)s->points; at++) {
        double V = s->node_volume[at];
        for (size_t i = 6 * at; i < 6 * at + 6; i++)
            s->node_stress[i] = V > 0 ? s->node_stress[i] / V : 0;
        s->node_von_mises[at] = lil_von_mises(s->node_stress + 6 * at);
    }
}

/* Means over the tet; von Mises' stress is that of the mean. */
static void fill_tet(state *s, int body, int e, const double *x, int64_t cell, size_t point)
{
    double *stress = s->stress + 6 * cell;
    double V = lil_tet_stress_mean(&s->tets[body], x, e, stress, &s->energy[cell], &s->volume[cell]);
    if (!is_finite(stress, 6) || !isfinite(s->energy[cell])) {
        memset(stress, 0, 6 * sizeof *stress);
        s->energy[cell] = 0;
        s->lost++;
    }
    s->von_mises[cell] = lil_von_mises(stress);
    add_to_nodes(s, body, e, x, point, V);
}

static lil_status fill_bodies(state *s, double t)
{
    lil_motion *m = &s->e->motion;
    LIL_TRY(lil_motion_at(m, t, s->q, s->v));
    for (int i = 0; i < s->moving; i++) {
        memcpy(s->x + 3 * (size_t)i, s->q + 3 * (size_t)s->vertices[i], 3 * sizeof *s->x);
        if (s->velocity)
            memcpy(s->velocity + 3 * (size_t)i, s->v + 3 * (size_t)s->vertices[i], 3 * sizeof *s->v);
    }
    if (s->pressure)
        LIL_TRY(lil_pressure_at(&s->contact, t, s->pressures));
    for (int i = 0; s->pressure && i < s->moving; i++)
        s->pressure[i] = s->pressures[s->vertices[i]];
    for (int i = 0, first = s->moving; i < m->obstacle_count; i++) {
        lil_solid_at solid;
        LIL_TRY(lil_solid_read(m, &m->obstacles[i], t, &solid));
        LIL_TRY(lil_solid_points(m, &m->obstacles[i], &solid, t, s->x + 3 * (size_t)first));
        first += lil_solid_point_count(&m->obstacles[i]);
    }
    size_t point = 0;
    int64_t cell = 0;
    memset(s->node_stress, 0, 6 * (size_t)s->points * sizeof *s->node_stress);
    memset(s->node_volume, 0, (size_t)s->points * sizeof *s->node_volume);
    for (int b = 0; b < m->body_count; b++) {
        const lil_recorded_body *body = &m->bodies[b];
        size_t count = 3 * (size_t)body->vertex_count;
        for (size_t i = 0; i < count; i++)
            s->displacement[point + i] = s->x[point + i] - body->rest[i];
        for (int e = 0; e < body->tet_count; e++)
            fill_tet(s, b, e, s->x + point, cell + e, point / 3);
        point += count;
        cell += body->tet_count;
    }
    divide_nodes(s);
    return LIL_OK;
}

/* ---- drawn points: a vertex each, and a line each link ---- */

static lil_status begin_points(state *s)
{
    const lil_motion *m = &s->e->motion;
    s->points = m->point_count + 1; /* the last is the origin; no vertex shows it */
    s->cells = m->point_count + m->link_count;
    s->x = add_reals(s, POINTS, "position", 3);
    int64_t size = m->point_count + 2 * (int64_t)m->link_count, at = 0;
    int64_t *ids = add_array(s, CELLS, "connectivity", "Int64", sizeof *ids, 1, size);
    int64_t *ends = add_array(s, CELLS, "offsets", "Int64", sizeof *ends, 1, s->cells);
    uint8_t *types = add_array(s, CELLS, "types", "UInt8", sizeof *types, 1, s->cells);
    LIL_HAVE(s->e->ctx, s->x && ids && ends && types);
    for (int i = 0; i < s->cells; i++) {
        int count = i < m->point_count ? 1 : 2;
        types[i] = count == 1 ? VTK_VERTEX : VTK_LINE;
        for (int k = 0; k < count; k++) {
            int id = count == 1 ? i : m->links[i - m->point_count][k];
            ids[at++] = id < 0 ? m->point_count : id;
        }
        ends[i] = at;
    }
    return LIL_OK;
}

static lil_status fill_points(state *s, double t)
{
    lil_motion *m = &s->e->motion;
    for (int i = 0; i < m->point_count; i++) {
        char name[256];
        snprintf(name, sizeof name, "draw/%.200s", m->points[i]);
        const lil_track *track = lil_motion_track(m, name);
        if (!track)
            return lil_fail(s->e->ctx, LIL_ERR_FILE, "%.200s: a damaged trajectory: a drawn point is missing",
                            m->trajectory->path);
        LIL_TRY(lil_motion_track_at(m, track, t, s->x + 3 * (size_t)i));
    }
    return LIL_OK;
}

/* ---- files ---- */

static void put_escaped(FILE *file, const char *text)
{
    for (const char *c = text; *c; c++)
        if (strchr("<>&\"'", *c) || (unsigned char)*c < ' ')
            fprintf(file, "&#%d;", (unsigned char)*c < ' ' ? '?' : *c);
        else
            fputc(*c, file);
}

/* observe/L is L, unless another track is; forces have their folder's name before theirs, as elsewhere */
static const char *field_name(const lil_motion *m, const lil_track *track)
{
    const char *slash = strncmp(track->name, "force/", 6) == 0 ? NULL : strchr(track->name, '/');
    return slash && !lil_motion_track(m, slash + 1) ? slash + 1 : track->name;
}

static lil_status find_fields(state *s)
{
    const lil_trajectory *tr = s->e->motion.trajectory;
    LIL_ALLOC(s->e->ctx, &s->e->motion.arena, s->fields, tr->track_count);
    for (int i = 1; i < tr->track_count; i++) {
        const char *name = tr->tracks[i].name;
        bool state_of_it = strcmp(name, "q") == 0 || strcmp(name, "v") == 0 || strcmp(name, "p") == 0 ||
                           strcmp(name, "ghost_force") == 0;
        if (!state_of_it && strncmp(name, "draw/", 5) != 0 && strncmp(name, "obstacle_points/", 16) != 0)
            s->fields[s->field_count++] = &tr->tracks[i];
    }
    return LIL_OK;
}

static lil_status put_fields(state *s, FILE *file, double t)
{
    fprintf(file,
            "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g"
            "</DataArray>\n",
            t);
    for (int i = 0; i < s->field_count; i++) {
        double row[4] = { 0 }; /* the widest is how an obstacle is turned, a quaternion */
        int width = s->fields[i]->width ? s->fields[i]->width : 1;
        LIL_TRY(lil_motion_track_at(&s->e->motion, s->fields[i], t, row));
        fprintf(file, "<DataArray type=\"Float64\" Name=\"");
        put_escaped(file, field_name(&s->e->motion, s->fields[i]));
        fprintf(file, "\" NumberOfComponents=\"%d\" NumberOfTuples=\"1\" format=\"ascii\">", width);
        for (int k = 0; k < width; k++)
            fprintf(file, k ? " %.17g" : "%.17g", row[k]);
        fprintf(file, "</DataArray>\n");
    }
    fprintf(file, "</FieldData>\n");
    return LIL_OK;
}

static void put_arrays(const state *s, FILE *file, place where, const char *element)
{
    uint64_t offset = 0;
    fprintf(file, "<%s>\n", element);
    for (int i = 0; i < s->array_count; i++) {
        const array *a = &s->arrays[i];
        if (a->place == where)
            fprintf(file,
                    "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" %s format=\"appended\" "
                    "offset=\"%llu\"/>\n",
                    a->type, a->name, where == CELLS ? 1 : a->width, a->names ? a->names : "",
                    (unsigned long long)offset);
        offset += sizeof(uint64_t) + a->bytes;
    }
    fprintf(file, "</%s>\n", element);
}

static const char *byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";
}

static lil_status put_frame(state *s, FILE *file, double t)
{
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n<UnstructuredGrid>\n",
            byte_order());
    LIL_TRY(put_fields(s, file, t));
    fprintf(file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", s->points, s->cells);
    put_arrays(s, file, POINTS, "Points");
    put_arrays(s, file, CELLS, "Cells");
    put_arrays(s, file, POINT_DATA, "PointData");
    put_arrays(s, file, CELL_DATA, "CellData");
    fprintf(file, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < s->array_count; i++) {
        uint64_t bytes = s->arrays[i].bytes;
        fwrite(&bytes, sizeof bytes, 1, file);
        fwrite(s->arrays[i].data, 1, bytes, file);
    }
    fprintf(file, "\n</AppendedData>\n</VTKFile>\n");
    return LIL_OK;
}

static lil_status write_frames(state *s)
{
    lil_export *e = s->e;
    bool bodies = e->motion.body_count || e->motion.particles_count;
    for (int64_t k = 0; k < s->frames; k++) {
        char name[200];
        FILE *file;
        double t = lil_motion_time(&e->motion, e->fps, k);
        LIL_TRY(bodies ? fill_bodies(s, t) : fill_points(s, t));
        int digits = s->digits < DIGITS_MAX ? s->digits : DIGITS_MAX;
        snprintf(name, sizeof name, "%.150s_%0*lld.vtu", e->name, digits, (long long)k);
        LIL_TRY(lil_export_open(e, name, &file));
        lil_status status = put_frame(s, file, t), closed = lil_export_close(e, file);
        LIL_TRY(status);
        LIL_TRY(closed);
        LIL_TRY(lil_export_progress(e, (double)(k + 1) / (double)s->frames));
    }
    return LIL_OK;
}

static lil_status write_times(state *s)
{
    lil_export *e = s->e;
    char name[200];
    FILE *file;
    snprintf(name, sizeof name, "%.150s.pvd", e->name);
    LIL_TRY(lil_export_open(e, name, &file));
    fprintf(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"%s\">\n",
            byte_order());
    for (int b = 0; b < e->motion.body_count; b++) {
        fprintf(file, "<!-- body %d: ", b);
        for (const char *c = e->motion.bodies[b].name; *c; c++)
            fputc(*c == '-' || (unsigned char)*c < ' ' ? '_' : *c, file); /* a comment has no -- in it */
        fprintf(file, " -->\n");
    }
    for (int b = 0; b < e->motion.particles_count; b++) /* whose names have no dashes */
        fprintf(file, "<!-- body %d: particles %s -->\n", e->motion.body_count + b, e->motion.particles[b].name);
    fprintf(file, "<Collection>\n");
    for (int64_t k = 0; k < s->frames; k++) {
        fprintf(file, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"", lil_motion_time(&e->motion, e->fps, k));
        put_escaped(file, e->name);
        fprintf(file, "_%0*lld.vtu\"/>\n", s->digits, (long long)k);
    }
    fprintf(file, "</Collection>\n</VTKFile>\n");
    return lil_export_close(e, file);
}

static int digits_of(int64_t frames)
{
    int digits = 4;
    for (int64_t most = 10000; frames > most && digits < DIGITS_MAX; most *= 10)
        digits++;
    return digits;
}

static lil_status write(lil_export *e)
{
    lil_motion *m = &e->motion;
    state s = { .e = e, .frames = lil_motion_samples(m, e->fps) };
    s.digits = digits_of(s.frames);
    if (!m->body_count && !m->particles_count && !m->point_count)
        return lil_fail(
            e->ctx, LIL_ERR_INPUT,
            "%.200s: has no bodies, particles or drawn points ('draw' in the scene), so there is nothing to export",
            m->trajectory->path);
    if (s.frames > FILES_MAX)
        return lil_fail(e->ctx, LIL_ERR_LIMIT, "%.200s: %lld frames need too many files: the limit is %d",
                        m->trajectory->path, (long long)s.frames, FILES_MAX);
    LIL_ALLOC(e->ctx, &m->arena, s.q, m->trajectory->n);
    if (lil_motion_track(m, "v"))
        LIL_ALLOC(e->ctx, &m->arena, s.v, m->trajectory->n);
    LIL_TRY(find_fields(&s));
    LIL_TRY(m->body_count || m->particles_count ? begin_bodies(&s) : begin_points(&s));
    LIL_TRY(write_frames(&s));
    LIL_TRY(write_times(&s));
    if (s.lost)
        lil_warn(
            e->ctx,
            "%.200s: %lld times a tet is inverted between recorded frames; its stress and energy are written as 0",
            m->trajectory->path, (long long)s.lost);
    return LIL_OK;
}

/* OUT_0123.vtu beyond the last, or with another number of digits */
static bool stale(const lil_export *e, const char *name)
{
    int64_t frames = lil_motion_samples(&e->motion, e->fps), number = 0;
    size_t length = strlen(e->name);
    if (strncmp(name, e->name, length) != 0 || name[length] != '_')
        return false;
    const char *first = name + length + 1, *c = first;
    for (; *c >= '0' && *c <= '9' && c - first < 8; c++)
        number = 10 * number + (*c - '0');
    return c - first >= 4 && strcmp(c, ".vtu") == 0 && (number >= frames || c - first != digits_of(frames));
}

const lil_export_table lil_export_vtu = {
    .name = "vtu",
    .doc = "for ParaView: a folder with OUT_0000.vtu ... and OUT.pvd. Bodies: tets with velocity,\n"
           "displacement, contact pressure (barrier), Cauchy and von Mises stress (of tets and, averaged, of\n"
           "vertices), energy density, det F;\n"
           "particles, springs and rigid links; if there are none, drawn points and links; energies and\n"
           "observables as field data",
    .folder = true,
    .index = ".pvd",
    .write = write,
    .stale = stale,
};
