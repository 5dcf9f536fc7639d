#include "geometry/winding.h"

#include "geometry/triangle.h"

#include <math.h>

/* Triangles around p with the area vectors' sum A: seen from q at a distance, the solid angle is A.(p - q) / |p -
 * q|^3. Far is farther than BETA times their radius. */
typedef struct lil_dipole {
    double p[3], A[3];
    double far; /* squared */
} lil_dipole;

static const double BETA = 2.3;

static void dipole_of(const lil_tree *tree, int at, lil_dipole *dipole)
{
    const lil_box *node = &tree->nodes[at];
    int from = at, to = at;
    for (; from < tree->boxes.leaves; to = 2 * to + 1)
        from *= 2;
    from = lil_boxes_first(&tree->boxes, from - tree->boxes.leaves);
    to = lil_boxes_first(&tree->boxes, to - tree->boxes.leaves + 1);
    double area = 0, centre[3] = { 0 }, square = 0;
    *dipole = (lil_dipole){ 0 };
    for (int i = from; i < to; i++) {
        const int *t = tree->triangles[i];
        const double *a = tree->x + 3 * (size_t)t[0], *b = tree->x + 3 * (size_t)t[1],
                     *c = tree->x + 3 * (size_t)t[2];
        double n[3];
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            n[d] = ((b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e])) / 2;
            dipole->A[d] += n[d];
        }
        double s = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        area += s;
        for (int d = 0; d < 3; d++)
            centre[d] += s * (a[d] + b[d] + c[d]) / 3;
    }
    for (int d = 0; d < 3; d++) {
        double middle = (node->low[d] + node->high[d]) / 2;
        dipole->p[d] = area > 0 ? centre[d] / area : middle;
        double side = fmax(node->high[d] - dipole->p[d], dipole->p[d] - node->low[d]);
        square += side * side;
    }
    dipole->far = BETA * BETA * square;
}

typedef struct build_job {
    const lil_tree *tree;
    lil_dipole *dipoles;
} build_job;

enum { NODE_PIECE = 64 };

/* Every node sums over its own triangles: the sums do not depend on other nodes. */
static void build_piece(void *data, int piece)
{
    const build_job *job = data;
    for (int i = piece * NODE_PIECE; i < (piece + 1) * NODE_PIECE && i < 2 * job->tree->boxes.leaves; i++)
        if (i > 0)
            dipole_of(job->tree, i, &job->dipoles[i]);
}

lil_status lil_winding_build(lil_context *ctx, lil_arena *arena, const lil_tree *tree, lil_winding *winding)
{
    int nodes = 2 * tree->boxes.leaves;
    *winding = (lil_winding){ .tree = tree, .dipoles = LIL_NEW(arena, lil_dipole, nodes) };
    LIL_HAVE(ctx, winding->dipoles);
    build_job job = { tree, winding->dipoles };
    lil_parallel(ctx->threads, (nodes + NODE_PIECE - 1) / NODE_PIECE, build_piece, &job);
    return LIL_OK;
}

typedef struct number_job {
    const lil_winding *winding;
    const double *q;
    double far;
    lil_solid_angle near;
} number_job;

/* Far nodes are added without descending. */
static bool is_near(void *user, int node)
{
    number_job *job = user;
    const lil_dipole *dipole = &job->winding->dipoles[node];
    const double r[3] = { dipole->p[0] - job->q[0], dipole->p[1] - job->q[1], dipole->p[2] - job->q[2] };
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (!(square > dipole->far))
        return true;
    job->far += (dipole->A[0] * r[0] + dipole->A[1] * r[1] + dipole->A[2] * r[2]) / (square * sqrt(square));
    return false;
}

static bool add_near(void *user, int triangle)
{
    number_job *job = user;
    const lil_tree *tree = job->winding->tree;
    const int *t = tree->triangles[triangle];
    lil_solid_angle_add(&job->near, tree->x + 3 * (size_t)t[0], tree->x + 3 * (size_t)t[1],
                        tree->x + 3 * (size_t)t[2], job->q);
    return false;
}

double lil_winding_number(const lil_winding *winding, const double q[3])
{
    number_job job = { .winding = winding, .q = q, .near = lil_solid_angle_begin() };
    lil_boxes_visit(&winding->tree->boxes, is_near, add_near, &job);
    return (job.far + lil_solid_angle_end(&job.near)) / (16 * atan(1));
}
