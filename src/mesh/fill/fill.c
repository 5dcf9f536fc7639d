/* From a surface to tets: the edge of the lattice, the kept part, and the lost parts. */
#include "core/disjoint_sets.h"
#include "mesh/fill/stuffing.h"
#include "mesh/fill/surface_coverage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct filler {
    lil_context *ctx;
    const lil_surface *surface;
    const lil_filling *filling;
    lil_solid solid;
    double size;     /* the longest side of the box around it */
    double from, to; /* of the whole way, for progress: what is being done now */
} filler;

/* One lattice, its tets and their figures. */
typedef struct attempt {
    lil_arena arena;
    lil_mesh mesh; /* the largest part */
    double h, volume;
    int parts;   /* there were */
    double left; /* volume of the others */
} attempt;

static void forget(attempt *a)
{
    lil_arena_free(&a->arena);
    *a = (attempt){ 0 };
}

static bool pass_on(void *user, double done)
{
    const filler *f = user;
    return f->filling->progress(f->filling->user, f->from + done * (f->to - f->from));
}

/* ---- the largest part ---- */

/* Only what belongs to `root` stays, in its order. */
static void keep_part(lil_mesh *mesh, int *parent, int root)
{
    int tets = 0, vertices = 0;
    for (int t = 0; t < mesh->tet_count; t++)
        if (lil_sets_root(parent, mesh->tets[t][0]) == root)
            memmove(mesh->tets[tets++], mesh->tets[t], sizeof mesh->tets[t]);
    mesh->tet_count = tets;
    for (int v = 0; v < mesh->vertex_count; v++)
        parent[v] = lil_sets_root(parent, v);
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (parent[v] != root)
            continue;
        memmove(mesh->x + 3 * (size_t)vertices, mesh->x + 3 * (size_t)v, 3 * sizeof *mesh->x);
        parent[v] = vertices++;
    }
    for (int t = 0; t < tets; t++)
        for (int k = 0; k < 4; k++)
            mesh->tets[t][k] = parent[mesh->tets[t][k]];
    mesh->vertex_count = vertices;
}

static lil_status keep_largest(lil_context *ctx, attempt *a)
{
    lil_mesh *mesh = &a->mesh;
    int *parent = malloc((size_t)mesh->vertex_count * sizeof *parent + 1), largest = 0;
    double *volume = calloc((size_t)mesh->vertex_count + 1, sizeof *volume), all = 0;
    if (!parent || !volume) {
        free(parent);
        free(volume);
        return lil_fail_memory(ctx);
    }
    lil_sets_begin(parent, mesh->vertex_count);
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 1; k < 4; k++)
            lil_sets_join(parent, mesh->tets[t][0], mesh->tets[t][k]);
    for (int t = 0; t < mesh->tet_count; t++)
        volume[lil_sets_root(parent, mesh->tets[t][0])] += lil_tet_volume(mesh->x, mesh->tets[t]);
    for (int v = 0; v < mesh->vertex_count; v++) {
        a->parts += parent[v] == v;
        all += volume[v];
        largest = volume[v] > volume[largest] ? v : largest;
    }
    a->volume = volume[largest];
    a->left = all - a->volume;
    if (a->parts > 1)
        keep_part(mesh, parent, largest);
    free(parent);
    free(volume);
    return LIL_OK;
}

/* ---- one attempt ---- */

static lil_status check_cells(const filler *f, double h)
{
    if (2 * lil_lattice_cells(&f->solid, h) <= LIL_LATTICE_MAX)
        return LIL_OK;
    double smallest = h;
    while (2 * lil_lattice_cells(&f->solid, smallest) > LIL_LATTICE_MAX)
        smallest *= 1.05;
    if (f->filling->vertices)
        return lil_fail(f->ctx, LIL_ERR_LIMIT,
                        "%.200s: %d vertices need an edge of %.3g m, which is too fine for a surface of %.3g m: the "
                        "smallest edge is %.3g m",
                        f->surface->name, f->filling->vertices, h, f->size, smallest);
    return lil_fail(f->ctx, LIL_ERR_LIMIT,
                    "%.200s: an edge of %.3g m is too short for a surface of %.3g m: the shortest is %.3g m",
                    f->surface->name, h, f->size, smallest);
}

/* An attempt that finds nothing inside has no tets. */
static lil_status try_edge(filler *f, double h, attempt *a)
{
    lil_lattice lattice;
    forget(a);
    a->h = h;
    LIL_TRY(check_cells(f, h));
    lil_status status = lil_lattice_make(f->ctx, &f->solid, h, f->filling->progress ? pass_on : NULL, f, &lattice);
    if (status == LIL_OK) {
        lil_lattice_part(&lattice);
        status = lil_lattice_stuff(f->ctx, &a->arena, &lattice, &a->mesh);
    }
    lil_lattice_free(&lattice);
    if (status == LIL_OK && a->mesh.tet_count)
        status = keep_largest(f->ctx, a);
    return status;
}

/* ---- the requested number of vertices ---- */

/* Inside there are two vertices a cube of the lattice, V of them, and near the surface some more: N = 2 V / h^3 +
 * B / h^2. With B from one attempt, the h of the next. */
static double edge_for(const attempt *a, double N)
{
    double inside = 2 * a->volume, B = fmax(a->mesh.vertex_count - inside / pow(a->h, 3), 0) * a->h * a->h;
    double low = a->h * 1e-3, high = a->h * 1e3;
    for (int i = 0; i < 60; i++) {
        double h = sqrt(low * high);
        if (inside / (h * h * h) + B / (h * h) > N)
            low = h;
        else
            high = h;
    }
    return high;
}

static lil_status encloses_nothing(const filler *f, double h)
{
    char why[80] = "it is open";
    if (f->solid.mended.closed)
        snprintf(why, sizeof why, "it is thinner than %.1g m", h);
    return lil_fail(f->ctx, LIL_ERR_INPUT,
                    "%.200s: the surface encloses no volume that could be filled, %s: give it a thickness, for "
                    "example %.1g m, to fill everything near it",
                    f->surface->name, why, f->size / 50);
}

/* The first attempt that finds something inside. */
static lil_status find_inside(filler *f, attempt *a)
{
    const int cells_max = f->solid.mended.closed ? 1 << 20 : 1 << 18; /* closed ones are asked fast */
    double h = f->size / 20;
    if (f->filling->thickness)
        return try_edge(f, fmin(h, f->filling->thickness), a);
    for (; lil_lattice_cells(&f->solid, h) <= cells_max; h /= 2) {
        LIL_TRY(try_edge(f, h, a));
        if (a->mesh.tet_count)
            return LIL_OK;
    }
    return encloses_nothing(f, 2 * h);
}

/* Edges as long as the sheet is thick are the longest that find it everywhere. */
static lil_status check_thickness(const filler *f, const attempt *longest)
{
    double T = f->filling->thickness;
    if (!T || longest->h < T || longest->mesh.vertex_count <= 1.05 * f->filling->vertices)
        return LIL_OK;
    return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: %d vertices are too few for a thickness of %.3g m: it needs %d",
                    f->surface->name, f->filling->vertices, T, longest->mesh.vertex_count);
}

/* Takes the attempt if it is nearer to the request. */
static void keep_better(attempt *best, attempt *a, int vertices)
{
    if (!a->mesh.tet_count || abs(a->mesh.vertex_count - vertices) >= abs(best->mesh.vertex_count - vertices)) {
        forget(a);
        return;
    }
    forget(best);
    *best = *a;
    *a = (attempt){ 0 };
}

/* The next edge to try: by what the best so far says, or, where that leads nowhere, between those that gave too
 * many and too few; then all around, as few vertices come in jumps. */
static double next_edge(const attempt *best, double N, int i, double fine, double coarse)
{
    enum { BY_COUNTS = 3, BY_HALVES = 8 };
    double h = edge_for(best, N);
    if (i < BY_COUNTS && h > fine && h < coarse)
        return h;
    if (i < BY_HALVES)
        return fine > 0 && coarse < INFINITY ? sqrt(fine * coarse) : fine > 0 ? 1.2 * fine : coarse / 1.2;
    return best->h * (1 + 0.007 * (i - BY_HALVES + 1) * (i % 2 ? 1 : -1));
}

static lil_status try_vertices(filler *f, attempt *best)
{
    enum { ATTEMPTS = 24 };
    const int N = f->filling->vertices;
    double fine = 0, coarse = INFINITY; /* edges that gave too many and too few */
    attempt a = { 0 };
    f->to = 0.1;
    lil_status status = find_inside(f, best);
    if (status == LIL_OK)
        status = check_thickness(f, best);
    for (int i = 0; i < ATTEMPTS && status == LIL_OK && best->mesh.tet_count &&
                    fabs(best->mesh.vertex_count - (double)N) > 0.04 * N;
         i++) {
        if (best->mesh.vertex_count > N)
            fine = fmax(fine, best->h);
        else
            coarse = fmin(coarse, best->h);
        double h = next_edge(best, N, i, fine, coarse);
        if (f->filling->thickness)
            h = fmin(h, f->filling->thickness);
        f->from = f->to;
        f->to += 0.8 * (1 - f->to);
        status = try_edge(f, h, &a);
        if (status != LIL_OK)
            break;
        if (a.mesh.vertex_count > N)
            fine = fmax(fine, h);
        else
            coarse = fmin(coarse, h);
        keep_better(best, &a, N);
    }
    forget(&a);
    return status;
}

/* ---- the whole ---- */

static lil_status check_filling(const filler *f)
{
    const lil_filling *w = f->filling;
    const char *name = f->surface->name;
    enum { VERTICES_MIN = 20 };
    if ((w->vertices != 0) == (w->edge != 0))
        return lil_fail(f->ctx, LIL_ERR_INPUT,
                        "%.200s: the size of the tets is missing: give either 'vertices' or 'edge'", name);
    if (w->vertices && w->vertices < VERTICES_MIN)
        return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: %d vertices are too few to fill a surface: at least %d", name,
                        w->vertices, VERTICES_MIN);
    if (w->edge && !(w->edge > 0 && isfinite(w->edge)))
        return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: the edge is %g m, but must be positive", name, w->edge);
    if (w->thickness && !(w->thickness > 0 && isfinite(w->thickness)))
        return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: the thickness is %g m, but must be positive", name,
                        w->thickness);
    if (w->thickness && w->edge > w->thickness)
        return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: an edge of %.3g m is longer than the thickness of %.3g m",
                        name, w->edge, w->thickness);
    return LIL_OK;
}

static lil_status check_attempt(const filler *f, const attempt *a)
{
    const lil_filling *w = f->filling;
    if (!a->mesh.tet_count && w->edge > f->size)
        return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: an edge of %.3g m is longer than the surface, %.3g m",
                        f->surface->name, w->edge, f->size);
    if (!a->mesh.tet_count)
        return lil_fail(f->ctx, LIL_ERR_INPUT,
                        "%.200s: nothing that the surface encloses is thick enough for an edge of %.3g m: use a "
                        "shorter one, or give the surface a thickness",
                        f->surface->name, w->edge);
    return LIL_OK;
}

static void warn_about(const filler *f, const attempt *a, double lost, const double where[3])
{
    const char *name = f->surface->name;
    int N = f->filling->vertices;
    if (N && fabs(a->mesh.vertex_count - (double)N) > 0.05 * N)
        lil_warn(f->ctx, "%.200s: %d vertices were requested, the mesh has %d", name, N, a->mesh.vertex_count);
    if (a->left > 1e-3 * a->volume)
        lil_warn(f->ctx,
                 "%.200s: %d %s not joined to the largest, and left out: %.1f %% of the volume. Join %s in the file, "
                 "or ask for more vertices where a thin part joins them",
                 name, a->parts - 1, a->parts == 2 ? "part is" : "parts are", 100 * a->left / (a->left + a->volume),
                 a->parts == 2 ? "it" : "them");
    if (lost > 2e-3)
        lil_warn(
            f->ctx,
            "%.200s: parts thinner than about %.2g m, and parts that enclose no volume, get no tets of their own "
            "and only follow the nearest ones: %.1f %% of the surface, the first at (%.4g, %.4g, %.4g). 8 times "
            "as many vertices, about %d, halve that thickness",
            name, a->h, 100 * lost, where[0], where[1], where[2], 8 * a->mesh.vertex_count);
}

static lil_status hand_over(const filler *f, const attempt *a, lil_arena *arena, lil_mesh *mesh)
{
    *mesh = (lil_mesh){ .name = lil_arena_copy(arena, f->surface->name, strlen(f->surface->name)),
                        .vertex_count = a->mesh.vertex_count,
                        .x = LIL_NEW(arena, double, 3 * (size_t)a->mesh.vertex_count),
                        .tet_count = a->mesh.tet_count,
                        .tets = lil_arena_alloc(arena, (size_t)a->mesh.tet_count, sizeof *mesh->tets) };
    LIL_HAVE(f->ctx, mesh->name && mesh->x && mesh->tets);
    memcpy(mesh->x, a->mesh.x, 3 * (size_t)mesh->vertex_count * sizeof *mesh->x);
    memcpy(mesh->tets, a->mesh.tets, (size_t)mesh->tet_count * sizeof *mesh->tets);
    return LIL_OK;
}

static lil_status fill(filler *f, lil_arena *scratch, attempt *a, lil_arena *arena, lil_mesh *mesh)
{
    double lost = 0, where[3] = { 0 };
    LIL_TRY(check_filling(f));
    if (f->filling->progress && !f->filling->progress(f->filling->user, 0))
        return lil_fail(f->ctx, LIL_ERR_INTERRUPTED, "interrupted");
    LIL_TRY(lil_solid_build(f->ctx, scratch, f->surface, f->filling->thickness, &f->solid));
    for (int d = 0; d < 3; d++)
        f->size = fmax(f->size, f->solid.most[d] - f->solid.least[d]);
    LIL_TRY(f->filling->vertices ? try_vertices(f, a) : try_edge(f, f->filling->edge, a));
    LIL_TRY(check_attempt(f, a));
    LIL_TRY(lil_surface_uncovered(f->ctx, &f->solid, &a->mesh, a->h, &lost, where));
    warn_about(f, a, lost, where);
    return hand_over(f, a, arena, mesh);
}

lil_status lil_surface_tetrahedralise(lil_context *ctx, lil_arena *arena, const lil_surface *surface,
                                      const lil_filling *filling, lil_mesh *mesh)
{
    filler f = { .ctx = ctx, .surface = surface, .filling = filling, .to = 1 };
    lil_arena scratch = { 0 };
    attempt a = { 0 };
    *mesh = (lil_mesh){ 0 };
    lil_status status = fill(&f, &scratch, &a, arena, mesh);
    forget(&a);
    lil_arena_free(&scratch);
    return status == LIL_OK ? lil_surface_groups(ctx, arena, surface, mesh) : status;
}
