#include "mesh/write.h"

#include "core/file.h"
#include "mesh/quadratic.h"

#include <string.h>
#include <sys/stat.h>

/* 17 digits, so that reading returns the same numbers. */
static void write_vertex(const lil_mesh *mesh, int v, lil_text *text)
{
    const double *x = mesh->x + 3 * (size_t)v;
    lil_text_add(text, "%.17g %.17g %.17g", x[0], x[1], x[2]);
}

/* " 1 2 3 4": its 4 or 10 nodes, counted from `first`. */
static void write_tet(const lil_mesh *mesh, int t, const int order[LIL_QUADRATIC_NODES], int first, lil_text *text)
{
    for (int k = 0; k < (mesh->mids ? LIL_QUADRATIC_NODES : 4); k++)
        lil_text_add(text, " %d", first + (order[k] < 4 ? mesh->tets[t][order[k]] : mesh->mids[t][order[k] - 4]));
}

static const int own_order[LIL_QUADRATIC_NODES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

/* gmsh's version 2.2, which all programs read that read .msh at all */
static void write_msh(const lil_mesh *mesh, lil_text *text)
{
    lil_text_add(text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        lil_text_add(text, "%d ", v + 1);
        write_vertex(mesh, v, text);
        lil_text_add(text, "\n");
    }
    lil_text_add(text, "$EndNodes\n$Elements\n%d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        static const int order[LIL_QUADRATIC_NODES] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 8 }; /* gmsh's */
        lil_text_add(text, "%d %d 2 0 1", t + 1, mesh->mids ? 11 : 4);
        write_tet(mesh, t, order, 1, text);
        lil_text_add(text, "\n");
    }
    lil_text_add(text, "$EndElements\n");
}

static void write_medit(const lil_mesh *mesh, lil_text *text)
{
    lil_text_add(text, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        write_vertex(mesh, v, text);
        lil_text_add(text, " 0\n");
    }
    lil_text_add(text, "%s\n%d\n", mesh->mids ? "TetrahedraP2" : "Tetrahedra", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        write_tet(mesh, t, own_order, 1, text);
        lil_text_add(text, " 0\n");
    }
    lil_text_add(text, "End\n");
}

static void write_vtk(const lil_mesh *mesh, lil_text *text)
{
    lil_text_add(text, "# vtk DataFile Version 3.0\nlilyan\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
                 mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        write_vertex(mesh, v, text);
        lil_text_add(text, "\n");
    }
    int nodes = mesh->mids ? LIL_QUADRATIC_NODES : 4;
    lil_text_add(text, "CELLS %d %lld\n", mesh->tet_count, (1 + nodes) * (long long)mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        lil_text_add(text, "%d", nodes);
        write_tet(mesh, t, own_order, 0, text);
        lil_text_add(text, "\n");
    }
    lil_text_add(text, "CELL_TYPES %d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++)
        lil_text_add(text, mesh->mids ? "24\n" : "10\n");
}

static const struct format {
    const char *ending;
    void (*write)(const lil_mesh *mesh, lil_text *text);
} formats[] = {
    { ".msh", write_msh },
    { ".mesh", write_medit },
    { ".vtk", write_vtk },
};

static const struct format *find_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(dot, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

lil_status lil_mesh_check_path(lil_context *ctx, const char *path, bool replace)
{
    struct stat about;
    if (!find_format(path))
        return lil_fail(ctx, LIL_ERR_INPUT, "%.200s: meshes are written as .msh (gmsh), .mesh (medit) or .vtk", path);
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && !replace)
        return lil_fail(ctx, LIL_ERR_EXISTS, "%.200s: exists already", path);
    return LIL_OK;
}

lil_status lil_mesh_write(lil_context *ctx, const lil_mesh *mesh, const char *path, bool replace)
{
    lil_text text = { 0 };
    LIL_TRY(lil_mesh_check_path(ctx, path, replace));
    void *locale = lil_c_locale_begin(ctx);
    find_format(path)->write(mesh, &text);
    lil_c_locale_end(locale);
    lil_status status =
        text.failed ? lil_fail_memory(ctx) : lil_file_write(ctx, path, replace, text.data, text.length);
    lil_text_free(&text);
    return status;
}
