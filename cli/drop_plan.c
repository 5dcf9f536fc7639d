/* How large a dropped body is, and how fine its tets are. */
#include "drop.h"

#include <math.h>

enum { VERTICES_LEAST = 300, VERTICES_MOST = 1200 };

/* ---- size ---- */

/* Files have no units. Jelly that is larger than 0.25 m collapses under its weight, so that tells metres from
 * millimetres; other numbers are taken for no unit at all. */
static void choose_size(drop_plan *plan)
{
    const double least = 0.02, most = 0.25, usual = 0.1, milli = 1e-3;
    double size = plan->extent;
    if (size >= least && size <= most) {
        plan->size = size;
        plan->units = "taken as metres";
    } else if (size * milli >= least && size * milli <= most) {
        plan->size = size * milli;
        plan->units = "taken as millimetres";
    } else {
        plan->size = usual;
        plan->units = "neither metres nor millimetres of jelly: scaled to 0.1 m";
    }
}

/* ---- tets ---- */

/* The tets of one filling: how many vertices, how long edges are on average, the volume. */
typedef struct filled {
    int vertices;
    double edge, volume;
} filled;

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static double volume_of(const double *x, const int v[4])
{
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            e[k][d] = x[3 * (size_t)v[k + 1] + (size_t)d] - x[3 * (size_t)v[0] + (size_t)d];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static lil_status measure_tets(const lil_mesh *mesh, filled *f)
{
    lil_mesh_info info;
    lil_status status = lil_mesh_look(mesh, &info);
    double length = 0;
    if (status != LIL_OK)
        return status;
    *f = (filled){ .vertices = info.vertex_count };
    for (int t = 0; t < info.tet_count; t++) {
        const int *v = info.tets[t];
        f->volume += volume_of(info.x, v);
        for (int i = 0; i < 4; i++)
            for (int k = i + 1; k < 4; k++)
                length += distance(info.x + 3 * (size_t)v[i], info.x + 3 * (size_t)v[k]);
    }
    f->edge = info.tet_count ? length / (6.0 * info.tet_count) : 0;
    return LIL_OK;
}

static bool keep_on(void *user, double done)
{
    (void)user, (void)done;
    return !cli_interrupted();
}

/* Either vertices or edge; both and the thickness in metres. */
static lil_status fill(lil_context *ctx, const drop_plan *plan, int vertices, double edge, double thickness,
                       filled *f)
{
    lil_fill_def def = lil_fill_def_default();
    lil_mesh *mesh = NULL;
    def.path = plan->mesh;
    for (int d = 0; d < 3; d++)
        def.scale[d] = plan->size / plan->extent;
    def.vertices = vertices;
    def.edge = edge;
    def.thickness = thickness;
    def.progress = keep_on;
    lil_status status = lil_mesh_create_filled(ctx, &def, &mesh);
    if (status == LIL_OK)
        status = measure_tets(mesh, f);
    lil_mesh_destroy(&mesh);
    return status;
}

static void take(drop_plan *plan, int vertices, const filled *f, double thickness)
{
    plan->vertices = vertices;
    plan->edge = f->edge;
    plan->thickness = thickness;
}

/* Tets with edges of this length, or as many vertices as are wanted at most or at least. There are two vertices in each
 * cube of the lattice, so more of them than are wanted show before it is filled. */
static lil_status fill_wanted(lil_context *ctx, const drop_plan *plan, double edge, int *vertices, filled *f)
{
    *f = (filled){ 0 };
    lil_status status = fill(ctx, plan, 0, fmin(edge, plan->size / 4), 0, f);
    if (status != LIL_OK)
        return status;
    *vertices = f->vertices;
    if (f->vertices <= VERTICES_MOST && f->vertices >= VERTICES_LEAST)
        return LIL_OK;
    *vertices = f->vertices > VERTICES_MOST ? VERTICES_MOST : VERTICES_LEAST;
    return fill(ctx, plan, *vertices, 0, 0, f);
}

/* Tets as large as the thinnest part: no larger ones find it. They need not find all of a long thin part: then smaller
 * ones, as far as there are vertices. */
static lil_status fill_inside(lil_context *ctx, drop_plan *plan, bool *found)
{
    double unit = plan->size / plan->extent, volume = plan->measures.volume * unit * unit * unit;
    double least = cbrt(2 * volume / VERTICES_MOST), edge = fmax(plan->thinnest, least);
    for (*found = false;; edge = fmax(0.7 * edge, least)) {
        filled f;
        int vertices;
        lil_status status = fill_wanted(ctx, plan, edge, &vertices, &f);
        *found = status == LIL_OK && f.volume > 0.7 * volume;
        if (*found)
            take(plan, vertices, &f, 0);
        if (*found || edge <= least || (status != LIL_OK && status != LIL_ERR_INPUT))
            return *found || status == LIL_ERR_INPUT ? LIL_OK : status;
    }
}

/* A sheet: everything near it, thick enough for the vertices to suffice. Its tets are as long as it is thick. */
static lil_status fill_sheet(lil_context *ctx, drop_plan *plan)
{
    double thickness = plan->size / 20;
    for (int tries = 0; tries < 6; tries++) {
        filled f;
        lil_status status = fill(ctx, plan, 0, thickness, thickness, &f);
        if (status != LIL_OK)
            return status;
        take(plan, f.vertices, &f, thickness);
        if (f.vertices <= VERTICES_MOST)
            break;
        thickness *= fmax(1.05, sqrt((double)f.vertices / VERTICES_MOST));
    }
    return LIL_OK;
}

lil_status drop_choose(lil_context *ctx, drop_plan *plan)
{
    lil_status status = lil_surface_measure(ctx, plan->mesh, &plan->measures);
    if (status != LIL_OK)
        return status;
    plan->extent = 0;
    for (int d = 0; d < 3; d++)
        plan->extent = fmax(plan->extent, plan->measures.high[d] - plan->measures.low[d]);
    choose_size(plan);
    plan->thinnest = plan->measures.thinnest * plan->size / plan->extent;
    bool found = false;
    if (isfinite(plan->thinnest))
        status = fill_inside(ctx, plan, &found);
    return status != LIL_OK || found ? status : fill_sheet(ctx, plan);
}
