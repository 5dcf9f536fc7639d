/*
 * Functions of the edges between `vertices` vertices in a row: edge a goes from vertex a to a + 1, so vertex a has
 * what edge a - 1 has, less what edge a has.
 *
 * Strands are alike, so four of them lie side by side: a bundle. Element k of all four is computed at once, in lanes,
 * and different bundles, which share no vertex, on different threads: the same bits on any number of them.
 */
#ifndef LIL_TERMS_EDGES_H
#define LIL_TERMS_EDGES_H

#include "core/threads.h"
#include "math/lanes.h"
#include "terms/term.h"

typedef struct lil_bundle {
    int lanes, length;    /* strands, and the elements of each */
    int first[LIL_LANES]; /* of them; lanes without a strand repeat the last */
    int at;               /* elements k of all bundles before */
} lil_bundle;

typedef struct lil_bundles {
    lil_threads *threads;
    int vertices, elements;
    const void *data; /* elements, which are `stride` bytes apart and begin with their vertices; borrowed */
    size_t stride;
    lil_bundle *list;
    int count, groups;                /* groups: of elements side by side */
    double *parts;                    /* sums over bundles */
    const int *where;                 /* for these places is known which bundles are `packed`: */
    bool *packed;                     /* entries of elements side by side are side by side in the matrix too */
    void (*second)(void *job, int i); /* the kernel of second derivatives, set after creation */
} lil_bundles;

/* With `entries`: lists second derivatives as such, (3 vertices)^2 of each element, by rows; *block, one of the
 * entries' counts, becomes how many there are. */
lil_status lil_bundles_create(lil_context *ctx, lil_arena *arena, int vertices, const void *elements, size_t stride,
                              int count, lil_bundles *bundles, int *block, lil_entries *entries);

/* The arguments of a kernel of bundle i; `term` is the term's own. */
typedef struct lil_edge_job {
    const lil_bundles *bundles;
    const void *term;
    const double *x, *x0; /* positions (or velocities), and those where a step begins */
    double *g;            /* may be NULL */
    const lil_sink *to;
} lil_edge_job;

typedef void lil_edge_kernel(void *job, int i);

/* kernel(job, i) for each bundle; for values it leaves its own in parts[i], for second derivatives it adds to
 * places `where`. */
void lil_bundles_run(const lil_bundles *bundles, lil_edge_kernel *kernel, lil_edge_job job);
void lil_bundles_evaluate(const lil_bundles *bundles, lil_edge_kernel *kernel, lil_edge_job job, double *value);

/* For terms whose work begins with lil_bundles: second derivatives by its kernel `second`, with the work as `term`; all
 * of them, or bundle by bundle. Those of `lil_bundle_pieces` depend on q. */
void lil_bundles_second(const void *data, void *work, const lil_at *at, const lil_sink *to);
extern const lil_term_pieces lil_bundle_pieces, lil_bundle_constant_pieces;

/* What round-off of positions does to forces, a term's `size`: adds the root of the sum of (stiffness |x|)^2 over the
 * elements to *gradient; x is the second vertex of each. `elements` begin with their vertices, `stiffness` is that of
 * the first one. */
void lil_edges_size(const void *elements, const double *stiffness, size_t stride, int count, const double *q,
                    double *gradient);

/* element k of the strands of a bundle */
LIL_INLINE const void *lil_bundle_element(const lil_bundles *b, const lil_bundle *u, int k, int lane)
{
    return (const char *)b->data + (size_t)(u->first[lane] + k) * b->stride;
}

LIL_INLINE double lil_bundle_total(const lil_bundle *u, lil_lanes x)
{
    double sum = 0;
    for (int l = 0; l < u->lanes; l++)
        sum += x[l];
    return sum;
}

LIL_INLINE void lil_edges_of(int vertices, const lil_bundles *b, const lil_bundle *u, int k, const double *x,
                             lil_lanes (*e)[3])
{
    const int *v0 = lil_bundle_element(b, u, k, 0), *v1 = lil_bundle_element(b, u, k, 1),
              *v2 = lil_bundle_element(b, u, k, 2), *v3 = lil_bundle_element(b, u, k, 3);
    lil_lanes at[4][3] = { 0 };
    for (int a = 0; a < vertices; a++)
        for (int d = 0; d < 3; d++)
            at[a][d] = (lil_lanes){ x[3 * v0[a] + d], x[3 * v1[a] + d], x[3 * v2[a] + d], x[3 * v3[a] + d] };
    for (int a = 0; a + 1 < vertices; a++)
        for (int d = 0; d < 3; d++)
            e[a][d] = at[a + 1][d] - at[a][d];
}

/* g += the gradient by vertices, from that by edges */
LIL_INLINE void lil_edges_add_gradient(int vertices, const lil_bundles *b, const lil_bundle *u, int k,
                                       const lil_lanes (*ge)[3], double *g)
{
    for (int l = 0; l < u->lanes; l++) {
        const int *vertex = lil_bundle_element(b, u, k, l);
        for (int a = 0; a + 1 < vertices; a++)
            for (int d = 0; d < 3; d++) {
                g[3 * vertex[a] + d] -= ge[a][d][l];
                g[3 * vertex[a + 1] + d] += ge[a][d][l];
            }
    }
}

/* Second derivatives by vertices, from those by edges, of which there are at most 3: the same of their differences. */
LIL_INLINE void lil_edges_second(int vertices, const lil_lanes (*He)[3][9], lil_lanes *H)
{
    int edges = vertices - 1, width = 3 * vertices;
    for (int i = 0; i < vertices; i++)
        for (int j = 0; j < vertices; j++)
            for (int k = 0; k < 9; k++) {
                lil_lanes sum = { 0 };
                if (i > 0 && j > 0)
                    sum += He[i - 1][j - 1][k];
                if (i < edges && j < edges)
                    sum += He[i][j][k];
                if (i > 0 && j < edges)
                    sum -= He[i - 1][j][k];
                if (i < edges && j > 0)
                    sum -= He[i][j - 1][k];
                H[(3 * i + k / 3) * width + 3 * j + k % 3] = sum;
            }
}

/* values[where] += weight H of element k */
LIL_INLINE void lil_edges_add_second(int vertices, const lil_bundles *b, int i, int k, const lil_lanes *H,
                                     const lil_sink *to)
{
    const lil_bundle *u = &b->list[i];
    int each = 9 * vertices * vertices;
    if (b->packed[i]) {
        const int *where = to->where + (size_t)each * (size_t)(u->first[0] + k);
        for (int e = 0; e < each; e++)
            if (where[e] >= 0) {
                double *at = to->values + where[e];
                lil_lanes_store(at, lil_lanes_load(at) + to->weight * H[e]);
            }
        return;
    }
    for (int l = 0; l < u->lanes; l++) {
        const int *where = to->where + (size_t)each * (size_t)(u->first[l] + k);
        for (int e = 0; e < each; e++)
            if (where[e] >= 0)
                to->values[where[e]] += to->weight * H[e][l];
    }
}

#endif
