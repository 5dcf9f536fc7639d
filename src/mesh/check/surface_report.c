/* The description of a surface, in words; and `lilyan mesh`. */
#include "mesh/check/thickness.h"
#include "mesh/fill/lattice.h"
#include "mesh/mids.h"
#include "mesh/write.h"

#include <math.h>
#include <string.h>

typedef struct measures {
    double area, volume; /* signed */
    int cut;             /* triangles that others go through */
    double enclosed;     /* by winding numbers */
    double thinnest;     /* NaN: it encloses nothing */
    bool exact;
} measures;

/* Two points of the lattice represent a cube of it. */
static lil_status count_inside(lil_context *ctx, const lil_solid *solid, double *volume)
{
    enum { ACROSS = 40 };
    lil_lattice lattice;
    double size = 0;
    for (int d = 0; d < 3; d++)
        size = fmax(size, solid->most[d] - solid->least[d]);
    double h = size / ACROSS;
    lil_status status = lil_lattice_make(ctx, solid, h, NULL, NULL, &lattice);
    if (status == LIL_OK)
        *volume = (double)lil_lattice_in(&lattice) * h * h * h / 2 + (double)lattice.moved_count * h * h * h / 4;
    lil_lattice_free(&lattice);
    return status;
}

static lil_status measure(lil_context *ctx, lil_arena *arena, const lil_solid *solid, measures *m)
{
    const lil_tree *tree = &solid->tree;
    bool *cut;
    LIL_ALLOC(ctx, arena, cut, tree->count);
    for (int i = 0; i < tree->count; i++) {
        const int *t = tree->triangles[i];
        const double *o = tree->x + 3 * (size_t)tree->triangles[0][0], *a = tree->x + 3 * (size_t)t[0],
                     *b = tree->x + 3 * (size_t)t[1], *c = tree->x + 3 * (size_t)t[2];
        double n[3];
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            n[d] = ((b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e])) / 2;
            m->volume += n[d] * (a[d] - o[d]) / 3;
        }
        m->area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    lil_tree_self_cuts(tree, ctx->threads, solid->mended.same, cut);
    for (int i = 0; i < tree->count; i++)
        m->cut += cut[i];
    m->exact = solid->mended.closed && !m->cut && solid->mended.shells == 1;
    m->enclosed = fabs(m->volume);
    LIL_TRY(lil_solid_thinnest(ctx, arena, solid, &m->thinnest));
    return m->exact ? LIL_OK : count_inside(ctx, solid, &m->enclosed);
}

/* "             3 faces are given twice" */
static void fault(lil_text *text, int *faults, int count, const char *one, const char *many)
{
    if (count > 0)
        lil_text_add(text, "%-12s %d %s\n", (*faults)++ ? "" : "faults", count, count == 1 ? one : many);
}

static void describe_faults(const lil_mended *w, const measures *m, lil_text *text)
{
    int n = 0;
    fault(text, &n, w->boundary, "edge has a face on one side only: the surface has a hole there",
          "edges have a face on one side only: the surface has holes there");
    fault(text, &n, w->branching, "edge has more than two faces", "edges have more than two faces");
    fault(text, &n, m->cut, "triangle cuts through another: the surface intersects itself there",
          "triangles cut through others: the surface intersects itself there");
    fault(text, &n, w->turned, "triangle is oriented against its neighbours",
          "triangles are oriented against their neighbours");
    fault(text, &n, w->repeated, "triangle is a duplicate", "triangles are duplicates");
    fault(text, &n, w->degenerate, "triangle has two corners in one place",
          "triangles have two corners in one place");
    fault(text, &n, w->unused, "vertex belongs to no face", "vertices belong to no face");
    fault(text, &n, w->joined, "vertex coincides with another and is merged with it here",
          "vertices coincide with others and are merged with them here");
    if (w->one_sided)
        lil_text_add(text, "%-12s it has one side only, like a Moebius band\n", n++ ? "" : "faults");
    if (!n)
        lil_text_add(text, "faults       none\n");
}

static void describe(const lil_surface *s, const lil_solid *solid, const measures *m, lil_text *text)
{
    const lil_mended *w = &solid->mended;
    const double *a = solid->least, *b = solid->most;
    bool watertight = w->closed && !w->boundary && !w->branching && !w->one_sided;
    lil_text_add(text, "surface      %s\n", s->name);
    lil_text_add(text, "faces        %d, with %d vertices", s->face_count, s->vertex_count);
    if (s->triangle_count != s->face_count)
        lil_text_add(text, "; triangulated: %d triangles", s->triangle_count);
    lil_text_add(text, "\nsize         %.6g x %.6g x %.6g m, from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)\n",
                 b[0] - a[0], b[1] - a[1], b[2] - a[2], a[0], a[1], a[2], b[0], b[1], b[2]);
    lil_text_add(text, "area         %.6g m^2\n", m->area);
    lil_text_add(text, "shells       %d%s\n", w->shells,
                 w->shells == 1 ? "" : ", separate parts that share no vertex");
    lil_text_add(text, "watertight   %s%s\n", watertight ? "yes" : "no",
                 watertight && m->cut ? ", but it intersects itself" : "");
    if (m->exact)
        lil_text_add(text, "encloses     %.6g m^3%s\n", m->enclosed, m->volume < 0 ? ", inside out" : "");
    else if (m->enclosed > 0)
        lil_text_add(text,
                     "encloses     about %.3g m^3: an estimate, since it has holes, overlaps or several parts\n",
                     m->enclosed);
    else
        lil_text_add(text, "encloses     nothing: it can only be filled with a thickness\n");
    if (m->enclosed > 0 && isfinite(m->thinnest))
        lil_text_add(text, "thinnest     %.2g m: %g %% of the area bound parts that are thinner\n", m->thinnest,
                     100 * LIL_THIN_SHARE);
    if (solid->inside_out)
        lil_text_add(text, "             %d %s inside out and treated as if flipped\n", solid->inside_out,
                     solid->inside_out == 1 ? "shell is" : "shells are");
    describe_faults(w, m, text);
}

static lil_status read_and_measure(lil_context *ctx, lil_arena *arena, const char *path, lil_surface *surface,
                                   lil_solid *solid, measures *m)
{
    *m = (measures){ 0 };
    LIL_TRY(lil_surface_read(ctx, arena, path, surface));
    LIL_TRY(lil_solid_build(ctx, arena, surface, 0, solid));
    return measure(ctx, arena, solid, m);
}

static lil_status report(lil_context *ctx, lil_arena *arena, const char *path, lil_text *text, bool *encloses)
{
    lil_surface surface;
    lil_solid solid;
    measures m;
    LIL_TRY(read_and_measure(ctx, arena, path, &surface, &solid, &m));
    describe(&surface, &solid, &m, text);
    *encloses = m.enclosed > 0;
    return text->failed ? lil_fail_memory(ctx) : LIL_OK;
}

/* `text` takes what was written, or it is freed. */
static lil_status end(lil_status status, lil_arena *arena, void *locale, lil_text *out, char **text)
{
    lil_c_locale_end(locale);
    lil_arena_free(arena);
    if (status == LIL_OK)
        *text = out->data;
    else
        lil_text_free(out);
    return status;
}

lil_status lil_surface_report(lil_context *ctx, const char *path, char **text, bool *encloses)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, text, "text");
    *text = NULL;
    LIL_NEED(ctx, path, "path");
    LIL_NEED(ctx, encloses, "encloses");
    *encloses = false;
    lil_arena arena = { 0 };
    lil_text out = { 0 };
    void *locale = lil_c_locale_begin(ctx);
    return end(report(ctx, &arena, path, &out, encloses), &arena, locale, &out, text);
}

lil_status lil_surface_measure(lil_context *ctx, const char *path, lil_surface_measures *measures_of)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, path, "path");
    LIL_NEED(ctx, measures_of, "measures");
    *measures_of = (lil_surface_measures){ .thinnest = NAN };
    lil_arena arena = { 0 };
    lil_surface surface;
    lil_solid solid;
    measures m;
    void *locale = lil_c_locale_begin(ctx);
    lil_status status = read_and_measure(ctx, &arena, path, &surface, &solid, &m);
    lil_c_locale_end(locale);
    if (status == LIL_OK) {
        *measures_of = (lil_surface_measures){ .vertices = surface.vertex_count,
                                               .triangles = surface.triangle_count,
                                               .volume = m.enclosed,
                                               .thinnest = m.enclosed > 0 ? m.thinnest : NAN };
        memcpy(measures_of->low, solid.least, sizeof measures_of->low);
        memcpy(measures_of->high, solid.most, sizeof measures_of->high);
    }
    lil_arena_free(&arena);
    return status;
}

lil_mesh_def lil_mesh_def_default(void)
{
    return (lil_mesh_def){ 0 };
}

static lil_status make_mesh(lil_context *ctx, lil_arena *arena, const lil_mesh_def *def, lil_text *text)
{
    lil_surface surface;
    lil_mesh mesh;
    int(*between)[2];
    const lil_filling filling = { .vertices = def->vertices,
                                  .edge = def->edge,
                                  .thickness = def->thickness,
                                  .progress = def->progress,
                                  .user = def->user };
    LIL_TRY(lil_mesh_check_path(ctx, def->path, def->replace));
    if (def->progress)
        def->progress(def->user, 0); /* reading a large file takes a while */
    LIL_TRY(lil_surface_read(ctx, arena, def->surface, &surface));
    LIL_TRY(lil_surface_tetrahedralise(ctx, arena, &surface, &filling, &mesh));
    if (def->elements == LIL_ELEMENTS_QUADRATIC)
        LIL_TRY(lil_mesh_make_quadratic(ctx, arena, &mesh, &between));
    LIL_TRY(lil_mesh_surface(ctx, arena, &mesh));
    LIL_TRY(lil_mesh_write(ctx, &mesh, def->path, def->replace));
    mesh.name = def->path;
    lil_mesh_describe(&mesh, text);
    return text->failed ? lil_fail_memory(ctx) : LIL_OK;
}

lil_status lil_surface_mesh(lil_context *ctx, const lil_mesh_def *def, char **text)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, text, "text");
    *text = NULL;
    LIL_NEED(ctx, def, "def");
    LIL_NEED(ctx, def->surface, "def->surface");
    LIL_NEED(ctx, def->path, "def->path");
    lil_arena arena = { 0 };
    lil_text out = { 0 };
    void *locale = lil_c_locale_begin(ctx);
    return end(make_mesh(ctx, &arena, def, &out), &arena, locale, &out, text);
}
