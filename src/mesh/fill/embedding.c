#include "mesh/fill/embedding.h"

#include "geometry/boxes.h"
#include "geometry/triangle.h"
#include "math/matrix3.h"

#include <math.h>

enum { PIECE = 256 }; /* points that a thread looks for at once */

static const double *vertex(const lil_mesh *mesh, int tet, int k)
{
    return mesh->x + 3 * (size_t)mesh->tets[tet][k];
}

/* x - x0 = w1 e1 + w2 e2 + w3 e3, by Cramer's rule */
void lil_embedding_weights(const lil_mesh *mesh, int tet, const double x[3], double w[3])
{
    double e[3][3], r[3], c[3];
    for (int d = 0; d < 3; d++) {
        r[d] = x[d] - vertex(mesh, tet, 0)[d];
        for (int k = 0; k < 3; k++)
            e[k][d] = vertex(mesh, tet, k + 1)[d] - vertex(mesh, tet, 0)[d];
    }
    for (int k = 0; k < 3; k++) {
        lil_cross3(e[(k + 1) % 3], e[(k + 2) % 3], c);
        w[k] = lil_dot3(r, c) / lil_dot3(e[k], c);
    }
}

/* ---- the nearest tet ---- */

static double to_tet(const void *data, int tet, const double x[3])
{
    const lil_mesh *mesh = data;
    double w[3], on[3], least = INFINITY;
    lil_embedding_weights(mesh, tet, x, w);
    if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[0] + w[1] + w[2] <= 1)
        return 0;
    for (int k = 0; k < 4; k++)
        least = fmin(least, lil_triangle_nearest(vertex(mesh, tet, k), vertex(mesh, tet, (k + 1) % 4),
                                                 vertex(mesh, tet, (k + 2) % 4), x, on));
    return least;
}

/* ---- all points ---- */

typedef struct search {
    const lil_mesh *mesh;
    const double *x;
    lil_boxes tree;
    lil_embedding *embedding;
} search;

static void embed_piece(void *data, int piece)
{
    search *s = data;
    lil_embedding *e = s->embedding;
    for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < e->count; i++) {
        const double *x = s->x + 3 * (size_t)i;
        e->tet[i] = lil_boxes_nearest(&s->tree, x, to_tet, s->mesh);
        lil_embedding_weights(s->mesh, e->tet[i], x, e->weights[i]);
    }
}

static lil_status embed_all(lil_context *ctx, lil_arena *scratch, search *s)
{
    const lil_mesh *mesh = s->mesh;
    lil_box *boxes = LIL_NEW(scratch, lil_box, mesh->tet_count);
    if (!boxes)
        return lil_fail_memory(ctx);
    for (int t = 0; t < mesh->tet_count; t++)
        for (int d = 0; d < 3; d++) {
            boxes[t].low[d] = boxes[t].high[d] = vertex(mesh, t, 0)[d];
            for (int k = 1; k < 4; k++) {
                boxes[t].low[d] = fmin(boxes[t].low[d], vertex(mesh, t, k)[d]);
                boxes[t].high[d] = fmax(boxes[t].high[d], vertex(mesh, t, k)[d]);
            }
        }
    LIL_TRY(lil_boxes_create(ctx, scratch, boxes, mesh->tet_count, &s->tree));
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
    if (!embedding->tet || !embedding->weights)
        return lil_fail_memory(ctx);
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
