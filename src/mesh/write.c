#include "mesh/write.h"

#include "core/file.h"

#include <string.h>
#include <sys/stat.h>

/* 17 digits, so that reading returns the same numbers. */
static void write_vertex(const lil_mesh *mesh, int v, lil_text *text)
{
    const double *x = mesh->x + 3 * (size_t)v;
    lil_text_add(text, "%.17g %.17g %.17g", x[0], x[1], x[2]);
}

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
        const int *v = mesh->tets[t];
        lil_text_add(text, "%d 4 2 0 1 %d %d %d %d\n", t + 1, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
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
    lil_text_add(text, "Tetrahedra\n%d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int *v = mesh->tets[t];
        lil_text_add(text, "%d %d %d %d 0\n", v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
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
    lil_text_add(text, "CELLS %d %lld\n", mesh->tet_count, 5 * (long long)mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int *v = mesh->tets[t];
        lil_text_add(text, "4 %d %d %d %d\n", v[0], v[1], v[2], v[3]);
    }
    lil_text_add(text, "CELL_TYPES %d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++)
        lil_text_add(text, "10\n");
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
