#include "mesh/fill/embedding.h"

#include "geometry/boxes.h"
#include "geometry/triangle.h"
#include "math/matrix3.h"

#include <math.h>
#include <string.h>

enum { PIECE = 256 }; /* points that a thread looks for at once */

/* Places of the four vertices of a part. */
static void vertices_of(const lil_mesh *mesh, int part, const double *x[4])
{
    int room[4];
    const int *tet = lil_mesh_part(mesh, part, room);
    for (int k = 0; k < 4; k++)
        x[k] = mesh->x + 3 * (size_t)tet[k];
}

/* x - x0 = w1 e1 + w2 e2 + w3 e3, by Cramer's rule */
void lil_embedding_weights(const lil_mesh *mesh, int tet, const double x[3], double w[3])
{
    const double *v[4];
    double e[3][3], r[3], c[3];
    vertices_of(mesh, tet, v);
    for (int d = 0; d < 3; d++) {
        r[d] = x[d] - v[0][d];
        for (int k = 0; k < 3; k++)
            e[k][d] = v[k + 1][d] - v[0][d];
    }
    for (int k = 0; k < 3; k++) {
        lil_cross3(e[(k + 1) % 3], e[(k + 2) % 3], c);
        w[k] = lil_dot3(r, c) / lil_dot3(e[k], c);
    }
}

/* ---- the nearest tet ---- */

static double to_tet(const lil_mesh *mesh, int tet, const double x[3])
{
    const double *v[4];
    double w[3], on[3], least = INFINITY;
    lil_embedding_weights(mesh, tet, x, w);
    if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[0] + w[1] + w[2] <= 1)
        return 0;
    vertices_of(mesh, tet, v);
    for (int k = 0; k < 4; k++)
        least = fmin(least, lil_triangle_nearest(v[k], v[(k + 1) % 4], v[(k + 2) % 4], x, on));
    return least;
}

double lil_embedding_nearest(const lil_mesh *mesh, const double x[3], int *tet)
{
    double least = INFINITY;
    for (int t = 0; t < lil_mesh_parts(mesh); t++) {
        double square = to_tet(mesh, t, x);
        if (square < least) {
            least = square;
            *tet = t;
        }
    }
    return sqrt(least);
}

/* ---- all points ---- */

typedef struct search {
    const lil_mesh *mesh;
    const double *x;
    lil_boxes tree;
    lil_box *nodes;
    lil_embedding *embedding;
} search;

/* A point, and the tet that is nearest to it; of those equally near the first. */
typedef struct nearest {
    const search *search;
    const double *x;
    int tet;
} nearest;

static void near_tet(void *user, int thing, double *best)
{
    nearest *n = user;
    int tet = n->search->tree.order[thing];
    double square = to_tet(n->search->mesh, tet, n->x);
    if (square < *best || (square == *best && tet < n->tet)) {
        *best = square;
        n->tet = tet;
    }
}

static void embed_piece(void *data, int piece)
{
    search *s = data;
    lil_embedding *e = s->embedding;
    for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < e->count; i++) {
        nearest n = { s, s->x + 3 * (size_t)i, -1 };
        lil_boxes_nearest(&s->tree, s->nodes, n.x, INFINITY, near_tet, &n);
        e->tet[i] = n.tet;
        lil_embedding_weights(s->mesh, e->tet[i], n.x, e->weights[i]);
    }
}

static lil_status embed_all(lil_context *ctx, lil_arena *scratch, search *s)
{
    const lil_mesh *mesh = s->mesh;
    int count = lil_mesh_parts(mesh), (*tets)[4]; /* in the order of the tree */
    lil_mesh parts;
    LIL_TRY(lil_mesh_of_parts(ctx, scratch, mesh, &parts));
    LIL_ALLOC(ctx, scratch, tets, count);
    LIL_TRY(lil_boxes_create(ctx, scratch, mesh->x, parts.tets[0], 4, count, &s->tree));
    s->nodes = LIL_NEW(scratch, lil_box, 2 * (size_t)s->tree.leaves);
    LIL_HAVE(ctx, s->nodes);
    for (int t = 0; t < count; t++)
        memcpy(tets[t], parts.tets[s->tree.order[t]], sizeof tets[t]);
    lil_boxes_fit(&s->tree, mesh->x, tets[0], 4, s->nodes);
    lil_parallel(ctx->threads, (s->embedding->count + PIECE - 1) / PIECE, embed_piece, s);
    return LIL_OK;
}

lil_status lil_embed(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, const double *x, int count,
                     lil_embedding *embedding)
{
    lil_arena scratch = { 0 };
    *embedding = (lil_embedding){ .count = count,
                                  .tet = LIL_NEW(arena, int, count),
                                  .weights = lil_arena_alloc(arena, (size_t)count, sizeof *embedding->weights) };
    LIL_HAVE(ctx, embedding->tet && embedding->weights);
    search s = { .mesh = mesh, .x = x, .embedding = embedding };
    lil_status status = embed_all(ctx, &scratch, &s);
    lil_arena_free(&scratch);
    return status == LIL_OK ? lil_embed_outside(ctx, arena, mesh, x, embedding) : status;
}

void lil_embedded_place(const int tet[4], const double weights[3], const double *q, double x[3])
{
    const double *q0 = q + 3 * (size_t)tet[0];
    for (int d = 0; d < 3; d++) {
        x[d] = q0[d];
        for (int k = 0; k < 3; k++)
            x[d] += weights[k] * (q[3 * (size_t)tet[k + 1] + (size_t)d] - q0[d]);
    }
}
