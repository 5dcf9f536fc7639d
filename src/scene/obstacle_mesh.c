/* mesh: an obstacle that is a surface of triangles, closed or open, placed as bodies are. */
#include "scene/obstacles.h"

#include "math/matrix3.h"

#include <math.h>

/* A triangle without an area has no side. */
static lil_status check_triangles(const lil_reader *rd, const lil_node *node, const lil_surface *s)
{
    for (int i = 0; i < s->triangle_count; i++) {
        const int *v = s->triangles[i];
        double a[3], b[3], n[3];
        for (int k = 0; k < 3; k++) {
            a[k] = s->x[3 * v[1] + k] - s->x[3 * v[0] + k];
            b[k] = s->x[3 * v[2] + k] - s->x[3 * v[0] + k];
        }
        lil_cross3(a, b, n);
        double area = sqrt(lil_dot3(n, n)) / 2, longest = fmax(lil_dot3(a, a), lil_dot3(b, b));
        if (!(area > 1e-12 * longest) || !isfinite(area))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                 "%.200s: triangle %d has an area of %g m^2, at [%.6g, %.6g, %.6g]", s->name, i, area,
                                 s->x[3 * v[0]], s->x[3 * v[0] + 1], s->x[3 * v[0] + 2]);
    }
    return LIL_OK;
}

/* Its point is `at`, where the origin of the file is put. */
lil_status lil_read_obstacle_mesh(const lil_reader *rd, const lil_node *map, lil_obstacle_def *o)
{
    const lil_node *node = lil_node_get(map, "mesh");
    const char *path;
    double scale[3] = { 1, 1, 1 }, R[9], *at = o->contact.obstacle.point;
    LIL_TRY(lil_read_body_path(rd, node, "mesh", &path));
    LIL_TRY(lil_read_scale(rd, lil_node_get(map, "scale"), scale));
    LIL_TRY(lil_read_rotation(rd, lil_node_get(map, "rotate"), R));
    LIL_TRY(lil_read_vector(rd, lil_node_get(map, "at"), "at", at));
    lil_status status = lil_surface_read(rd->ctx, rd->arena, path, &o->mesh);
    if (status != LIL_OK)
        return lil_read_fail_at(rd, node, status);
    for (int i = 0; i < o->mesh.vertex_count; i++) {
        double *x = o->mesh.x + 3 * (size_t)i, own[3] = { scale[0] * x[0], scale[1] * x[1], scale[2] * x[2] };
        for (int k = 0; k < 3; k++)
            x[k] = lil_dot3(R + 3 * k, own) + at[k];
    }
    return check_triangles(rd, node, &o->mesh);
}
