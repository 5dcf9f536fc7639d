#include "geometry/tree.h"

#include "geometry/triangle.h"

#include <math.h>

enum { LEAF = 8 };

/* ---- building ---- */

typedef struct builder {
    lil_tree *tree;
    const int (*from)[3];
} builder;

/* three times the centre, along axis d */
static double tree_key(const builder *b, int place, int d)
{
    const int *t = b->from[b->tree->index[place]];
    const double *x = b->tree->x;
    return x[3 * (size_t)t[0] + (size_t)d] + x[3 * (size_t)t[1] + (size_t)d] + x[3 * (size_t)t[2] + (size_t)d];
}

static void tree_box_of(const builder *b, lil_tree_node *node)
{
    for (int d = 0; d < 3; d++) {
        node->least[d] = INFINITY;
        node->most[d] = -INFINITY;
    }
    for (int i = node->first; i < node->first + node->count; i++)
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 3; d++) {
                double x = b->tree->x[3 * (size_t)b->from[b->tree->index[i]][k] + (size_t)d];
                node->least[d] = fmin(node->least[d], x);
                node->most[d] = fmax(node->most[d], x);
            }
}

static int tree_longest_axis(const builder *b, int first, int count)
{
    int axis = 0;
    double longest = -1;
    for (int d = 0; d < 3; d++) {
        double least = INFINITY, most = -INFINITY;
        for (int i = first; i < first + count; i++) {
            double c = tree_key(b, i, d);
            least = fmin(least, c);
            most = fmax(most, c);
        }
        if (most - least > longest) {
            longest = most - least;
            axis = d;
        }
    }
    return axis;
}

/* Hoare's selection: those before `middle` are not beyond those behind it, along axis d. */
static void part(const builder *b, int low, int high, int middle, int d)
{
    int *index = b->tree->index;
    while (low < high) {
        double pivot = tree_key(b, low + (high - low) / 2, d);
        int i = low, j = high;
        while (i <= j) {
            while (tree_key(b, i, d) < pivot)
                i++;
            while (tree_key(b, j, d) > pivot)
                j--;
            if (i <= j) {
                int swap = index[i];
                index[i++] = index[j];
                index[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* Halves: the depth is that of the logarithm, whatever the triangles are like. */
static void tree_build(builder *b, int first, int count)
{
    int at = b->tree->node_count++;
    lil_tree_node *node = &b->tree->nodes[at];
    *node = (lil_tree_node){ .first = first, .count = count };
    tree_box_of(b, node);
    if (count <= LEAF)
        return;
    int half = count / 2;
    part(b, first, first + count - 1, first + half, tree_longest_axis(b, first, count));
    tree_build(b, first, half);
    b->tree->nodes[at].right = b->tree->node_count;
    tree_build(b, first + half, count - half);
}

lil_status lil_tree_build(lil_context *ctx, lil_arena *arena, const double *x, const int (*triangles)[3], int count,
                          lil_tree *tree)
{
    /* leaves hold LEAF / 2 at least, unless all fit into one */
    size_t nodes = 2 * ((size_t)count / (LEAF / 2) + 1);
    *tree = (lil_tree){ .x = x,
                        .count = count,
                        .triangles = lil_arena_alloc(arena, (size_t)count, sizeof *tree->triangles),
                        .index = LIL_NEW(arena, int, count),
                        .nodes = LIL_NEW(arena, lil_tree_node, nodes) };
    if (!tree->triangles || !tree->index || !tree->nodes)
        return lil_fail_memory(ctx);
    for (int i = 0; i < count; i++)
        tree->index[i] = i;
    tree_build(&(builder){ tree, triangles }, 0, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            tree->triangles[i][k] = triangles[tree->index[i]][k];
    return LIL_OK;
}

/* ---- the nearest point ---- */

static double to_box(const lil_tree_node *node, const double q[3])
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        double out = fmax(fmax(node->least[d] - q[d], q[d] - node->most[d]), 0);
        sum += out * out;
    }
    return sum;
}

static void nearest_of_leaf(const lil_tree *tree, const lil_tree_node *node, const double q[3], double *best,
                            int *place, double point[3])
{
    for (int i = node->first; i < node->first + node->count; i++) {
        const int *t = tree->triangles[i];
        double p[3], square = lil_triangle_nearest(tree->x + 3 * (size_t)t[0], tree->x + 3 * (size_t)t[1],
                                                   tree->x + 3 * (size_t)t[2], q, p);
        if (!(square < *best))
            continue;
        *best = square;
        if (place)
            *place = tree->index[i];
        for (int d = 0; point && d < 3; d++)
            point[d] = p[d];
    }
}

double lil_tree_nearest(const lil_tree *tree, const double q[3], double bound, int *place, double point[3])
{
    struct {
        int node;
        double square;
    } stack[LIL_TREE_DEPTH];
    int depth = 0;
    double best = bound;
    stack[depth].node = 0;
    stack[depth++].square = to_box(&tree->nodes[0], q);
    while (depth) {
        int at = stack[--depth].node;
        const lil_tree_node *node = &tree->nodes[at];
        if (!(stack[depth].square < best))
            continue;
        if (!node->right) {
            nearest_of_leaf(tree, node, q, &best, place, point);
            continue;
        }
        double left = to_box(&tree->nodes[at + 1], q), right = to_box(&tree->nodes[node->right], q);
        bool left_last = left < right; /* the nearer child comes off the stack first */
        stack[depth].node = left_last ? node->right : at + 1;
        stack[depth++].square = left_last ? right : left;
        stack[depth].node = left_last ? at + 1 : node->right;
        stack[depth++].square = left_last ? left : right;
    }
    return best;
}

/* ---- crossings ---- */

/* Does the way from a to b, with 1 / (b - a) given, touch the box? */
static bool meets(const lil_tree_node *node, const double a[3], const double inverse[3])
{
    double from = 0, to = 1;
    for (int d = 0; d < 3; d++) {
        double s = (node->least[d] - a[d]) * inverse[d], t = (node->most[d] - a[d]) * inverse[d];
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

int lil_tree_crossings(const lil_tree *tree, const double a[3], const double b[3], double *t, int room)
{
    int stack[LIL_TREE_DEPTH], depth = 0, count = 0;
    double inverse[3], at;
    for (int d = 0; d < 3; d++)
        inverse[d] = 1 / (b[d] - a[d]);
    stack[depth++] = 0;
    while (depth) {
        int place = stack[--depth];
        const lil_tree_node *node = &tree->nodes[place];
        if (!meets(node, a, inverse))
            continue;
        if (node->right) {
            stack[depth++] = node->right;
            stack[depth++] = place + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            const int *v = tree->triangles[i];
            if (!lil_triangle_crossed(tree->x + 3 * (size_t)v[0], tree->x + 3 * (size_t)v[1],
                                      tree->x + 3 * (size_t)v[2], a, b, &at))
                continue;
            if (count < room)
                tree_insert(t, count, at);
            count++;
        }
    }
    return count;
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

static bool tree_overlap(const lil_tree_node *node, const double least[3], const double most[3])
{
    for (int d = 0; d < 3; d++)
        if (node->least[d] > most[d] || node->most[d] < least[d])
            return false;
    return true;
}

static bool is_cut(const cut_job *job, int own)
{
    const lil_tree *tree = job->tree;
    const int *t = tree->triangles[own];
    double least[3], most[3];
    int stack[LIL_TREE_DEPTH], depth = 0;
    for (int d = 0; d < 3; d++) {
        const double *x = tree->x + d;
        least[d] = fmin(x[3 * (size_t)t[0]], fmin(x[3 * (size_t)t[1]], x[3 * (size_t)t[2]]));
        most[d] = fmax(x[3 * (size_t)t[0]], fmax(x[3 * (size_t)t[1]], x[3 * (size_t)t[2]]));
    }
    stack[depth++] = 0;
    while (depth) {
        int place = stack[--depth];
        const lil_tree_node *node = &tree->nodes[place];
        if (!tree_overlap(node, least, most))
            continue;
        if (node->right) {
            stack[depth++] = node->right;
            stack[depth++] = place + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
            if (i != own && (edges_cross(job, t, tree->triangles[i]) || edges_cross(job, tree->triangles[i], t)))
                return true;
    }
    return false;
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
