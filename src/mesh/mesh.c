#include "mesh/mesh.h"

#include "core/file.h"
#include "core/order.h"
#include "mesh/faces.h"
#include "mesh/quadratic.h"
#include "mesh/read/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats by their endings ---- */

static const struct format {
    const char *ending;
    lil_mesh_reader *read;
    lil_mesh_reader *read_more; /* of the second file */
} formats[] = {
    { "msh", lil_read_msh, NULL },
    { "mesh", lil_read_medit, NULL },
    { "vtk", lil_read_vtk, NULL },
    { "node", lil_read_tetgen_node, lil_read_tetgen_ele },
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const char node_ending[] = ".node", ele_ending[] = ".ele";
static const size_t SIZE_LIMIT = (size_t)4 << 30;

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static const struct format *find_format(const char *ending)
{
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(ending, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

/* "bar.node" or "bar.ele" with the other ending */
static char *with_ending(lil_arena *arena, const char *path, const char *ending)
{
    int stem = (int)strlen(path);
    if (ends_with(path, node_ending) || ends_with(path, ele_ending))
        stem = (int)(strrchr(path, '.') - path);
    return lil_arena_format(arena, "%.*s%s", stem, path, ending);
}

bool lil_mesh_is_named(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (find_format(dot + 1) || strcmp(dot, ele_ending) == 0);
}

/* ---- reading ---- */

static lil_status parse(lil_build *b, const struct format *format, const char *name, const char *text, size_t size,
                        const char *more, size_t more_size, lil_mesh *mesh)
{
    lil_scan s = lil_scan_begin(b->ctx, name, text, size);
    if (!size)
        return lil_fail(b->ctx, LIL_ERR_INPUT, "%.200s: is empty", name);
    LIL_TRY(format->read(&s, b));
    if (format->read_more) {
        name = with_ending(b->arena, name, ele_ending);
        LIL_HAVE(b->ctx, name);
        if (!more_size)
            return lil_fail(b->ctx, LIL_ERR_INPUT, "%.200s: is empty", name);
        s = lil_scan_begin(b->ctx, name, more, more_size);
        LIL_TRY(format->read_more(&s, b));
    }
    return lil_build_finish(b, name, mesh);
}

lil_status lil_mesh_parse(lil_context *ctx, lil_arena *arena, const char *ending, const char *name, const char *text,
                          size_t size, const char *more, size_t more_size, lil_mesh *mesh)
{
    const struct format *format = find_format(ending);
    *mesh = (lil_mesh){ 0 };
    if (!format)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "'%.20s' is not a mesh format", ending);
    lil_build b = lil_build_begin(ctx, arena);
    lil_status status = parse(&b, format, name, text, size, more, more_size, mesh);
    lil_build_end(&b);
    return status;
}

static lil_status read_pair(lil_context *ctx, lil_arena *arena, const char *path, lil_mesh *mesh)
{
    const char *node = with_ending(arena, path, node_ending), *ele = with_ending(arena, path, ele_ending);
    char *text = NULL, *more = NULL;
    size_t size, more_size;
    LIL_HAVE(ctx, node && ele);
    lil_status status = lil_file_read(ctx, node, "mesh", SIZE_LIMIT, &text, &size);
    if (status == LIL_OK)
        status = lil_file_read(ctx, ele, "mesh", SIZE_LIMIT, &more, &more_size);
    if (status == LIL_OK)
        status = lil_mesh_parse(ctx, arena, "node", node, text, size, more, more_size, mesh);
    free(text);
    free(more);
    return status;
}

lil_status lil_mesh_read(lil_context *ctx, lil_arena *arena, const char *path, lil_mesh *mesh)
{
    char *text = NULL;
    size_t size;
    *mesh = (lil_mesh){ 0 };
    if (!lil_mesh_is_named(path))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "%.200s: meshes end in .msh (gmsh), .node or .ele (tetgen), .mesh (medit) or .vtk", path);
    if (ends_with(path, node_ending) || ends_with(path, ele_ending))
        return read_pair(ctx, arena, path, mesh);
    LIL_TRY(lil_file_read(ctx, path, "mesh", SIZE_LIMIT, &text, &size));
    lil_status status = lil_mesh_parse(ctx, arena, strrchr(path, '.') + 1, path, text, size, NULL, 0, mesh);
    free(text);
    return status;
}

/* ---- geometry ---- */

double lil_tet_volume(const double *x, const int tet[4])
{
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            e[k][d] = x[3 * (size_t)tet[k + 1] + d] - x[3 * (size_t)tet[0] + d];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

/* Counter-clockwise from outside, face k opposite vertex k. */
const int lil_tet_faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };

static int order_face(const void *x, const void *y)
{
    const lil_face *a = x, *b = y;
    int order = lil_order_list(a->v + 1, b->v + 1, 2); /* v[0] is the same within a bucket */
    return order ? order : lil_order(a->at, b->at);
}

static void sort3(int v[3])
{
    for (int i = 0; i < 3; i++) {
        int k = i == 1 ? 1 : 0, swap = v[k];
        if (v[k] > v[k + 1]) {
            v[k] = v[k + 1];
            v[k + 1] = swap;
        }
    }
}

static lil_face face_at(const lil_mesh *mesh, size_t at)
{
    const int *tet = mesh->tets[at / 4], *corner = lil_tet_faces[at % 4];
    lil_face face = { .v = { tet[corner[0]], tet[corner[1]], tet[corner[2]] }, .at = at };
    sort3(face.v);
    return face;
}

/* Buckets by the least vertex, each sorted: nearly linear in time, as few faces share a vertex. */
lil_face *lil_mesh_sorted_faces(const lil_mesh *mesh)
{
    size_t count = 4 * (size_t)mesh->tet_count, n = (size_t)mesh->vertex_count;
    lil_face *faces = malloc(count * sizeof *faces + 1);
    size_t *start = calloc(n + 2, sizeof *start);
    if (faces && start) {
        for (size_t i = 0; i < count; i++)
            start[face_at(mesh, i).v[0] + 2]++;
        for (size_t v = 2; v <= n + 1; v++)
            start[v] += start[v - 1];
        for (size_t i = 0; i < count; i++) {
            lil_face face = face_at(mesh, i);
            faces[start[face.v[0] + 1]++] = face;
        }
        for (size_t v = 0; v < n; v++)
            qsort(faces + start[v], start[v + 1] - start[v], sizeof *faces, order_face);
        free(start);
        return faces;
    }
    free(faces);
    free(start);
    return NULL;
}

bool lil_face_same(const lil_face *a, const lil_face *b)
{
    return a->v[0] == b->v[0] && a->v[1] == b->v[1] && a->v[2] == b->v[2];
}

/* At the corners, then in the middle. */
static void cut_face(const lil_mesh *mesh, size_t at, int (*faces)[3])
{
    const int *tet = mesh->tets[at / 4], *mids = mesh->mids[at / 4], *corner = lil_tet_faces[at % 4];
    for (int k = 0; k < 3; k++)
        faces[3][k] = mids[lil_tet_edge_between(corner[k], corner[(k + 1) % 3])];
    for (int k = 0; k < 3; k++) {
        faces[k][0] = tet[corner[k]];
        faces[k][1] = faces[3][k];
        faces[k][2] = faces[3][(k + 2) % 3];
    }
}

static lil_status keep_faces(lil_context *ctx, lil_arena *arena, lil_mesh *mesh, const bool *outer, size_t count)
{
    mesh->face_count *= mesh->mids ? LIL_FACE_PARTS : 1;
    LIL_ALLOC(ctx, arena, mesh->faces, mesh->face_count);
    int n = 0;
    for (size_t at = 0; at < count; at++)
        if (outer[at] && mesh->mids) {
            cut_face(mesh, at, mesh->faces + n);
            n += LIL_FACE_PARTS;
        } else if (outer[at]) {
            for (int k = 0; k < 3; k++)
                mesh->faces[n][k] = mesh->tets[at / 4][lil_tet_faces[at % 4][k]];
            n++;
        }
    return LIL_OK;
}

lil_status lil_mesh_surface(lil_context *ctx, lil_arena *arena, lil_mesh *mesh)
{
    size_t count = 4 * (size_t)mesh->tet_count;
    lil_face *faces = lil_mesh_sorted_faces(mesh);
    bool *outer = calloc(count + 1, sizeof *outer);
    lil_status status = LIL_OK;
    mesh->face_count = 0;
    if (faces && outer) {
        for (size_t i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count && lil_face_same(&faces[i], &faces[end]);)
                end++;
            if (end == i + 1) {
                outer[faces[i].at] = true;
                mesh->face_count++;
            }
        }
        status = keep_faces(ctx, arena, mesh, outer, count); /* in the order of the tets, not of the buckets */
    } else {
        status = lil_fail_memory(ctx);
    }
    free(faces);
    free(outer);
    return status;
}

int lil_mesh_nearest(const lil_mesh *mesh, const double x[3])
{
    int nearest = 0;
    double least = INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *y = mesh->x + 3 * (size_t)v;
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (y[d] - x[d]) * (y[d] - x[d]);
        if (square < least) {
            least = square;
            nearest = v;
        }
    }
    return nearest;
}
