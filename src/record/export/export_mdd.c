/*
 * Bodies for Blender and other programs of animators: each one's surface as NAME.obj and its motion as NAME.mdd, and
 * a script that sets them up. A body that was made of a surface gives that surface back, with its vertices and faces
 * in their order; others the boundary of their tets.
 * Frames follow each other at one rate: where they were not recorded so they are resampled.
 */
#include "mesh/read/animation.h"
#include "record/export/blender.h"
#include "record/export/export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OPEN_MAX = 64, FRAMES_MAX = 1048574 /* the last frame that Blender has */ };

typedef struct surface {
    const lil_recorded_body *body;
    const char *file;
    int count;     /* vertices on the surface */
    int *vertices; /* of the body, ascending; NULL: it has a surface of its own */
    int *number;   /* among those, of each vertex of the body; -1: inside */
    FILE *mdd;
} surface;

typedef struct state {
    lil_export *e;
    surface *surfaces;
    int count;
    double fps;
    int64_t frames;
    double *q;
    double low[3], high[3];
} state;

/* ---- the surface ---- */

static lil_status find_surface(state *s, const lil_recorded_body *body, surface *out)
{
    lil_arena *arena = &s->e->motion.arena;
    out->body = body;
    out->file = lil_export_file_name(arena, body->name);
    if (body->surface.vertex_count) {
        out->count = body->surface.vertex_count;
        return out->file ? LIL_OK : lil_fail_memory(s->e->ctx);
    }
    out->vertices = LIL_NEW(arena, int, body->vertex_count);
    out->number = LIL_NEW(arena, int, body->vertex_count);
    LIL_HAVE(s->e->ctx, out->file && out->vertices && out->number);
    for (int f = 0; f < body->face_count; f++)
        for (int k = 0; k < 3; k++)
            out->number[body->faces[f][k]] = 1;
    for (int i = 0; i < body->vertex_count; i++) {
        bool outside = out->number[i] == 1;
        out->number[i] = outside ? out->count : -1;
        if (outside)
            out->vertices[out->count++] = i;
    }
    return LIL_OK;
}

static void write_boundary(FILE *file, const surface *f)
{
    for (int i = 0; i < f->count; i++) {
        const double *x = f->body->rest + 3 * (size_t)f->vertices[i];
        fprintf(file, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (int i = 0; i < f->body->face_count; i++) {
        const int *v = f->body->faces[i];
        fprintf(file, "f %d %d %d\n", f->number[v[0]] + 1, f->number[v[1]] + 1, f->number[v[2]] + 1);
    }
}

static void write_own_surface(FILE *file, const lil_recorded_surface *own)
{
    for (int i = 0; i < own->vertex_count; i++) {
        const double *x = own->rest + 3 * (size_t)i;
        fprintf(file, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (int i = 0; i < own->face_count; i++) {
        fprintf(file, "f");
        for (int k = own->first[i]; k < own->first[i + 1]; k++)
            fprintf(file, " %d", own->corners[k] + 1);
        fprintf(file, "\n");
    }
}

static lil_status write_obj(state *s, const surface *f)
{
    char name[200];
    FILE *file;
    snprintf(name, sizeof name, "%.180s.obj", f->file);
    LIL_TRY(lil_export_open(s->e, name, &file));
    fprintf(file, "# %s: the surface of a body at rest; metres, %c up\no %s\n", f->file, s->e->motion.up, f->file);
    if (f->vertices)
        write_boundary(file, f);
    else
        write_own_surface(file, &f->body->surface);
    return lil_export_close(s->e, file);
}

/* ---- its motion ---- */

static lil_status begin_mdd(state *s, surface *f)
{
    char name[200];
    snprintf(name, sizeof name, "%.180s.mdd", f->file);
    LIL_TRY(lil_export_open(s->e, name, &f->mdd));
    lil_mdd_begin(f->mdd, s->frames, f->count);
    for (int64_t i = 0; i < s->frames; i++)
        lil_mdd_put(f->mdd, lil_motion_time(&s->e->motion, s->fps, i));
    return LIL_OK;
}

static void write_positions(state *s, const surface *f, double t)
{
    for (int i = 0; i < f->count; i++) {
        double x[3];
        if (f->vertices)
            memcpy(x, s->q + 3 * ((size_t)f->body->first + (size_t)f->vertices[i]), sizeof x);
        else
            lil_motion_carried(f->body, i, t, s->q, x);
        for (int d = 0; d < 3; d++) {
            lil_mdd_put(f->mdd, x[d]);
            s->low[d] = fmin(s->low[d], x[d]);
            s->high[d] = fmax(s->high[d], x[d]);
        }
    }
}

/* So many bodies as there may be open files, through all frames. */
static lil_status write_batch(state *s, int from, int to)
{
    for (int i = from; i < to; i++)
        LIL_TRY(begin_mdd(s, &s->surfaces[i]));
    for (int64_t k = 0; k < s->frames; k++) {
        double t = lil_motion_time(&s->e->motion, s->fps, k);
        LIL_TRY(lil_motion_at(&s->e->motion, t, s->q, NULL));
        for (int i = from; i < to; i++) {
            write_positions(s, &s->surfaces[i], t);
            if (ferror(s->surfaces[i].mdd))
                return LIL_OK; /* reported when it is closed */
        }
        double done = (double)(k + 1) / (double)s->frames;
        LIL_TRY(lil_export_progress(s->e, (from + done * (to - from)) / s->count));
    }
    return LIL_OK;
}

static lil_status write_bodies(state *s)
{
    lil_status status = LIL_OK;
    for (int i = 0; i < s->count; i++) {
        LIL_TRY(find_surface(s, &s->e->motion.bodies[i], &s->surfaces[i]));
        LIL_TRY(write_obj(s, &s->surfaces[i]));
    }
    for (int from = 0; from < s->count && status == LIL_OK; from += OPEN_MAX) {
        int to = from + OPEN_MAX < s->count ? from + OPEN_MAX : s->count;
        status = write_batch(s, from, to);
        for (int i = from; i < to; i++) {
            lil_status closed = lil_export_close(s->e, s->surfaces[i].mdd);
            s->surfaces[i].mdd = NULL;
            status = status == LIL_OK ? closed : status;
        }
    }
    return status;
}

static lil_status write_script(state *s)
{
    lil_arena *arena = &s->e->motion.arena;
    const char **names = LIL_NEW(arena, const char *, s->count), **files = LIL_NEW(arena, const char *, s->count);
    const double **looks = LIL_NEW(arena, const double *, s->count);
    LIL_HAVE(s->e->ctx, names && files && looks);
    for (int i = 0; i < s->count; i++) {
        names[i] = s->surfaces[i].body->name;
        files[i] = s->surfaces[i].file;
        looks[i] = s->surfaces[i].body->look;
    }
    lil_blender_def def = { s->e->name,      names,  files,     looks, s->count,
                            s->e->motion.up, s->fps, s->frames, { 0 }, { 0 } };
    memcpy(def.low, s->low, sizeof def.low);
    memcpy(def.high, s->high, sizeof def.high);
    char name[200];
    FILE *file;
    snprintf(name, sizeof name, "%.180s_blender.py", s->e->name);
    LIL_TRY(lil_export_open(s->e, name, &file));
    lil_blender_script(file, &def);
    return lil_export_close(s->e, file);
}

static lil_status write(lil_export *e)
{
    const lil_trajectory *tr = e->motion.trajectory;
    state s = { .e = e,
                .count = e->motion.body_count,
                .fps = e->fps > 0 ? e->fps : lil_motion_rate(&e->motion),
                .low = { INFINITY, INFINITY, INFINITY },
                .high = { -INFINITY, -INFINITY, -INFINITY } };
    if (!s.count)
        return lil_fail(e->ctx, LIL_ERR_INPUT, "%.200s: has no bodies, and mdd files hold only surfaces of bodies",
                        tr->path);
    s.frames = lil_motion_samples(&e->motion, s.fps);
    if (s.frames > FRAMES_MAX)
        return lil_fail(e->ctx, LIL_ERR_LIMIT, "%.200s: %lld frames are more than Blender's limit of %d", tr->path,
                        (long long)s.frames, FRAMES_MAX);
    LIL_ALLOC(e->ctx, &e->motion.arena, s.surfaces, s.count);
    LIL_ALLOC(e->ctx, &e->motion.arena, s.q, tr->n);
    LIL_TRY(write_bodies(&s));
    return write_script(&s);
}

const lil_export_table lil_export_mdd = {
    .name = "mdd",
    .doc = "bodies for Blender: a folder with NAME.obj (surface) and NAME.mdd (motion) of each, and\n"
           "OUT_blender.py, which sets them up: blender -P OUT/OUT_blender.py",
    .folder = true,
    .index = ".py",
    .write = write,
};
