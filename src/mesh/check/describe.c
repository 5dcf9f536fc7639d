#include "mesh/mesh.h"

#include "math/matrix3.h"
#include "mesh/quadratic.h"

#include <math.h>

enum { GROUPS_SHOWN = 30 };

typedef double vec3[3];

static void edge(const double *x, int from, int to, double *e)
{
    for (int d = 0; d < 3; d++)
        e[d] = x[3 * (size_t)to + d] - x[3 * (size_t)from + d];
}

/* Outward normals of the four faces, as long as twice their areas. */
static void normals(const double *x, const int tet[4], vec3 n[4])
{
    vec3 a, b, c, bc, ab;
    edge(x, tet[0], tet[1], a);
    edge(x, tet[0], tet[2], b);
    edge(x, tet[0], tet[3], c);
    lil_cross3(c, b, n[1]);
    lil_cross3(a, c, n[2]);
    lil_cross3(b, a, n[3]);
    for (int d = 0; d < 3; d++) {
        bc[d] = c[d] - b[d];
        ab[d] = b[d] - a[d];
    }
    lil_cross3(ab, bc, n[0]);
}

double lil_tet_dihedral(const double *x, const int tet[4])
{
    vec3 n[4];
    double least = INFINITY;
    normals(x, tet, n);
    for (int i = 0; i < 4; i++) {
        if (lil_dot3(n[i], n[i]) == 0) /* a face without an area */
            return 0;
        for (int k = 0; k < i; k++) {
            vec3 c;
            lil_cross3(n[i], n[k], c);
            least = fmin(least, atan2(sqrt(lil_dot3(c, c)), -lil_dot3(n[i], n[k])));
        }
    }
    return least * 45 / atan(1);
}

double lil_tet_quality(const double *x, const int tet[4])
{
    vec3 n[4], e[3], c, sum = { 0 };
    double area = 0, volume = lil_tet_volume(x, tet);
    normals(x, tet, n);
    for (int i = 0; i < 4; i++)
        area += sqrt(lil_dot3(n[i], n[i])) / 2;
    for (int i = 0; i < 3; i++)
        edge(x, tet[0], tet[i + 1], e[i]);
    for (int i = 0; i < 3; i++) {
        lil_cross3(e[(i + 1) % 3], e[(i + 2) % 3], c);
        for (int d = 0; d < 3; d++)
            sum[d] += lil_dot3(e[i], e[i]) * c[d];
    }
    /* inradius 3V / area, circumradius |sum| / 12V */
    double below = area * sqrt(lil_dot3(sum, sum));
    return below > 0 ? 108 * volume * fabs(volume) / below : 0;
}

static double volume_of(const lil_mesh *mesh, int t)
{
    int nodes[LIL_QUADRATIC_NODES];
    if (!mesh->mids)
        return lil_tet_volume(mesh->x, mesh->tets[t]);
    lil_quadratic_nodes(mesh->tets[t], mesh->mids[t], nodes);
    return lil_quadratic_volume(mesh->x, nodes);
}

double lil_mesh_volume(const lil_mesh *mesh)
{
    double volume = 0;
    for (int t = 0; t < mesh->tet_count; t++)
        volume += volume_of(mesh, t);
    return volume;
}

double lil_mesh_area(const lil_mesh *mesh)
{
    double area = 0;
    for (int f = 0; f < mesh->face_count; f++) {
        vec3 a, b, c;
        edge(mesh->x, mesh->faces[f][0], mesh->faces[f][1], a);
        edge(mesh->x, mesh->faces[f][0], mesh->faces[f][2], b);
        lil_cross3(a, b, c);
        area += sqrt(lil_dot3(c, c)) / 2;
    }
    return area;
}

double lil_box_around(const double *x, int count, double least[3], double most[3])
{
    double longest = 0;
    for (int d = 0; d < 3; d++) {
        least[d] = INFINITY;
        most[d] = -INFINITY;
        for (int i = 0; i < count; i++) {
            least[d] = fmin(least[d], x[3 * (size_t)i + (size_t)d]);
            most[d] = fmax(most[d], x[3 * (size_t)i + (size_t)d]);
        }
        longest = fmax(longest, most[d] - least[d]);
    }
    return longest;
}

static void describe_box(const lil_mesh *mesh, lil_text *text)
{
    double least[3], most[3];
    lil_box_around(mesh->x, mesh->vertex_count, least, most);
    lil_text_add(text, "size         %.6g x %.6g x %.6g m, from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)\n",
                 most[0] - least[0], most[1] - least[1], most[2] - least[2], least[0], least[1], least[2], most[0],
                 most[1], most[2]);
}

static double narrowest(const lil_mesh *mesh)
{
    double least = INFINITY;
    for (int t = 0; t < mesh->tet_count; t++) {
        int nodes[LIL_QUADRATIC_NODES];
        lil_quadratic_nodes(mesh->tets[t], mesh->mids[t], nodes);
        least = fmin(least, lil_quadratic_narrowest(mesh->x, nodes));
    }
    return least;
}

static void describe_tets(const lil_mesh *mesh, lil_text *text)
{
    double shortest = INFINITY, longest = 0, angle = 180, worst = 1, sum = 0;
    for (int t = 0; t < mesh->tet_count; t++) {
        const int *tet = mesh->tets[t];
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++) {
                vec3 e;
                edge(mesh->x, tet[a], tet[b], e);
                shortest = fmin(shortest, sqrt(lil_dot3(e, e)));
                longest = fmax(longest, sqrt(lil_dot3(e, e)));
            }
        double quality = lil_tet_quality(mesh->x, tet);
        angle = fmin(angle, lil_tet_dihedral(mesh->x, tet));
        worst = fmin(worst, quality);
        sum += quality;
    }
    lil_text_add(text, "edges        %.6g to %.6g m\n", shortest, longest);
    lil_text_add(text,
                 "quality      %.3f at worst, %.3f on average (3 x inradius / circumradius; 1 is a regular tet)\n"
                 "             smallest angle between two faces %.1f degrees\n",
                 worst, sum / mesh->tet_count, angle);
    if (mesh->mids)
        lil_text_add(text,
                     "curved       at the narrowest %.3f of the straight tet is left (det J / 6 V; 1 is straight)\n",
                     narrowest(mesh));
}

static void describe_groups(const lil_mesh *mesh, lil_text *text)
{
    for (int g = 0; g < mesh->group_count && g < GROUPS_SHOWN; g++)
        lil_text_add(text, "%-12s %s: %d %s\n", g ? "" : "groups", mesh->groups[g].name, mesh->groups[g].vertex_count,
                     mesh->groups[g].vertex_count == 1 ? "vertex" : "vertices");
    if (mesh->group_count > GROUPS_SHOWN)
        lil_text_add(text, "             and %d more\n", mesh->group_count - GROUPS_SHOWN);
}

void lil_mesh_describe(const lil_mesh *mesh, lil_text *text)
{
    lil_text_add(text, "mesh         %s\n", mesh->name);
    lil_text_add(text, "tets         %d%s, with %d vertices", mesh->tet_count, mesh->mids ? " quadratic" : "",
                 mesh->vertex_count);
    if (mesh->face_count)
        lil_text_add(text, " and a surface of %d faces", mesh->face_count);
    lil_text_add(text, "\n");
    if (!mesh->tet_count)
        return;
    describe_box(mesh, text);
    lil_text_add(text, "volume       %.6g m^3\n", lil_mesh_volume(mesh));
    if (mesh->face_count)
        lil_text_add(text, "surface      %.6g m^2\n", lil_mesh_area(mesh));
    describe_tets(mesh, text);
    describe_groups(mesh, text);
}
