#include "geometry/tree.h"

#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

static const double *tree_corner(const lil_tree *tree, int triangle, int k)
{
    return tree->x + 3 * (size_t)tree->triangles[triangle][k];
}

lil_status lil_tree_build(lil_context *ctx, lil_arena *arena, const double *x, const int (*triangles)[3], int count,
                          lil_tree *tree)
{
    *tree = (lil_tree){ .x = x,
                        .count = count,
                        .triangles = lil_arena_alloc(arena, (size_t)count, sizeof *tree->triangles) };
    LIL_TRY(lil_boxes_create(ctx, arena, x, triangles[0], 3, count, &tree->boxes));
    tree->index = tree->boxes.order;
    tree->nodes = LIL_NEW(arena, lil_box, 2 * (size_t)tree->boxes.leaves);
    LIL_HAVE(ctx, tree->triangles && tree->nodes);
    for (int i = 0; i < count; i++)
        memcpy(tree->triangles[i], triangles[tree->index[i]], sizeof tree->triangles[i]);
    lil_boxes_fit(&tree->boxes, x, tree->triangles[0], 3, tree->nodes);
    return LIL_OK;
}

/* ---- the nearest point ---- */

typedef struct near_job {
    const lil_tree *tree;
    const double *q;
    double best, *point;
    int *place;
} near_job;

static void tree_near(void *user, int i, double *best)
{
    near_job *job = user;
    const lil_tree *tree = job->tree;
    double p[3], square = lil_triangle_nearest(tree_corner(tree, i, 0), tree_corner(tree, i, 1),
                                               tree_corner(tree, i, 2), job->q, p);
    if (!(square < *best))
        return;
    *best = job->best = square;
    if (job->place)
        *job->place = tree->index[i];
    if (job->point)
        memcpy(job->point, p, sizeof p);
}

double lil_tree_nearest(const lil_tree *tree, const double q[3], double bound, int *place, double point[3])
{
    near_job job = { tree, q, bound, point, place };
    lil_boxes_nearest(&tree->boxes, tree->nodes, q, bound, tree_near, &job);
    return job.best;
}

/* ---- crossings ---- */

typedef struct cross_job {
    const lil_tree *tree;
    const double *a, *b;
    double inverse[3]; /* 1 / (b - a) */
    double *t;
    int room, count;
} cross_job;

/* Does the way from a to b touch the box? */
static bool tree_way_meets(void *user, int at)
{
    const cross_job *job = user;
    const lil_box *node = &job->tree->nodes[at];
    double from = 0, to = 1;
    for (int d = 0; d < 3; d++) {
        double s = (node->low[d] - job->a[d]) * job->inverse[d], t = (node->high[d] - job->a[d]) * job->inverse[d];
        if (isnan(s) || isnan(t)) /* along the box's side: 0 times infinity */
            continue;
        from = fmax(from, fmin(s, t));
        to = fmin(to, fmax(s, t));
    }
    return from <= to * (1 + 1e-12);
}

static void tree_insert(double *t, int count, double new)
{
    for (; count > 0 && t[count - 1] > new; count--)
        t[count] = t[count - 1];
    t[count] = new;
}

static bool tree_cross(void *user, int i)
{
    cross_job *job = user;
    const lil_tree *tree = job->tree;
    double at;
    if (!lil_triangle_crossed(tree_corner(tree, i, 0), tree_corner(tree, i, 1), tree_corner(tree, i, 2), job->a,
                              job->b, &at))
        return false;
    if (job->count < job->room)
        tree_insert(job->t, job->count, at);
    job->count++;
    return false;
}

int lil_tree_crossings(const lil_tree *tree, const double a[3], const double b[3], double *t, int room)
{
    cross_job job = { .tree = tree, .a = a, .b = b, .t = t, .room = room };
    for (int d = 0; d < 3; d++)
        job.inverse[d] = 1 / (b[d] - a[d]);
    lil_boxes_visit(&tree->boxes, tree_way_meets, tree_cross, &job);
    return job.count;
}

/* ---- triangles that cut through each other ---- */

typedef struct cut_job {
    const lil_tree *tree;
    const int *same;
    bool *cut;
} cut_job;

static bool tree_is_of(const int *same, int v, const int t[3])
{
    return same[v] == same[t[0]] || same[v] == same[t[1]] || same[v] == same[t[2]];
}

/* Does an edge of t, none of whose ends is a corner of u, go through u? */
static bool edges_cross(const cut_job *job, const int t[3], const int u[3])
{
    const double *x = job->tree->x;
    double at;
    for (int k = 0; k < 3; k++) {
        int from = t[k], to = t[(k + 1) % 3];
        if (tree_is_of(job->same, from, u) || tree_is_of(job->same, to, u))
            continue;
        if (lil_triangle_crossed(x + 3 * (size_t)u[0], x + 3 * (size_t)u[1], x + 3 * (size_t)u[2],
                                 x + 3 * (size_t)from, x + 3 * (size_t)to, &at))
            return true;
    }
    return false;
}

/* One triangle against all. */
typedef struct cut_one {
    const cut_job *job;
    int own;
    lil_box box;
} cut_one;

static bool tree_overlaps(void *user, int node)
{
    const cut_one *one = user;
    return lil_box_meets(&one->job->tree->nodes[node], &one->box);
}

static bool tree_cuts(void *user, int i)
{
    const cut_one *one = user;
    const int *t = one->job->tree->triangles[one->own], *u = one->job->tree->triangles[i];
    return i != one->own && (edges_cross(one->job, t, u) || edges_cross(one->job, u, t));
}

static bool is_cut(const cut_job *job, int own)
{
    cut_one one = { job, own, lil_no_box };
    for (int k = 0; k < 3; k++)
        lil_box_widen(&one.box, tree_corner(job->tree, own, k));
    return lil_boxes_visit(&job->tree->boxes, tree_overlaps, tree_cuts, &one);
}

enum { CUT_PIECE = 256 };

static void tree_cut_piece(void *data, int piece)
{
    const cut_job *job = data;
    for (int i = piece * CUT_PIECE; i < (piece + 1) * CUT_PIECE && i < job->tree->count; i++)
        job->cut[job->tree->index[i]] = is_cut(job, i);
}

void lil_tree_self_cuts(const lil_tree *tree, lil_threads *threads, const int *same, bool *cut)
{
    cut_job job = { tree, same, cut };
    lil_parallel(threads, (tree->count + CUT_PIECE - 1) / CUT_PIECE, tree_cut_piece, &job);
}
