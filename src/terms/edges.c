#include "terms/edges.h"

#include "terms/entries.h"

#include <math.h>
#include <stdlib.h>

static const int *vertices_of(const lil_bundles *b, int e)
{
    return (const int *)((const char *)b->data + (size_t)e * b->stride);
}

/* Where strands begin: at an element whose vertices are all new. False: some element has vertices of an earlier
 * strand. */
static bool find_strands(const lil_bundles *b, int *strand_of, int *begin, int *count)
{
    *count = 0;
    for (int e = 0; e < b->elements; e++) {
        const int *vertex = vertices_of(b, e);
        int known = 0;
        for (int a = 0; a < b->vertices; a++) {
            if (strand_of[vertex[a]] && strand_of[vertex[a]] != *count)
                return false;
            known += strand_of[vertex[a]] != 0;
        }
        if (!known)
            begin[(*count)++] = e;
        for (int a = 0; a < b->vertices; a++)
            strand_of[vertex[a]] = *count;
    }
    return true;
}

/* Strands of one length that follow each other go side by side. */
static void edges_bundle(lil_bundles *b, const int *begin, int strands)
{
    for (int s = 0; s < strands; s++) {
        lil_bundle *u = b->count ? &b->list[b->count - 1] : NULL;
        int length = (s + 1 < strands ? begin[s + 1] : b->elements) - begin[s];
        if (!u || u->lanes == LIL_LANES || u->length != length) {
            u = &b->list[b->count++];
            *u = (lil_bundle){ .length = length, .at = b->groups };
            b->groups += length;
        }
        for (int l = u->lanes++; l < LIL_LANES; l++)
            u->first[l] = begin[s];
    }
}

lil_status lil_bundles_create(lil_context *ctx, lil_arena *arena, int vertices, const void *elements, size_t stride,
                              int count, lil_bundles *b, int *block, lil_entries *entries)
{
    *b = (lil_bundles){
        .threads = ctx->threads, .vertices = vertices, .elements = count, .data = elements, .stride = stride
    };
    int most = 0, strands = 0;
    for (int e = 0; e < count; e++)
        for (int a = 0; a < vertices; a++)
            most = vertices_of(b, e)[a] > most ? vertices_of(b, e)[a] : most;
    int *strand_of = calloc((size_t)most + 1, sizeof *strand_of);
    int *begin = calloc((size_t)count + 1, sizeof *begin);
    bool there = strand_of && begin;
    if (there && !find_strands(b, strand_of, begin, &strands))
        strands = 1; /* all of them, one after the other */
    b->list = LIL_NEW(arena, lil_bundle, strands);
    b->parts = LIL_NEW(arena, double, strands);
    b->packed = LIL_NEW(arena, bool, strands);
    there = there && b->list && b->parts && b->packed;
    if (there)
        edges_bundle(b, begin, strands);
    free(strand_of);
    free(begin);
    LIL_HAVE(ctx, there);
    const lil_corners corners = { "elements of strands", count, vertices, elements, stride, 0 };
    return entries ? lil_corners_create(ctx, arena, &corners, block, entries) : LIL_OK;
}

static bool is_packed(const lil_bundle *u, int each, const int *where)
{
    for (int e = 0; e < each * u->length; e++)
        for (int l = 0; l < LIL_LANES; l++) {
            int first = where[each * u->first[0] + e], at = where[each * u->first[l] + e];
            if (at != (first < 0 ? first : first + l))
                return false;
        }
    return u->lanes == LIL_LANES;
}

void lil_bundles_run(const lil_bundles *b, lil_edge_kernel *kernel, lil_edge_job job)
{
    job.bundles = b;
    lil_parallel(b->threads, b->count, kernel, &job);
}

void lil_bundles_evaluate(const lil_bundles *b, lil_edge_kernel *kernel, lil_edge_job job, double *value)
{
    double sum = 0;
    lil_bundles_run(b, kernel, job);
    for (int i = 0; i < b->count; i++)
        sum += b->parts[i];
    if (value)
        *value += sum;
}

static int edges_count(const void *work)
{
    return ((const lil_bundles *)work)->count;
}

static void edges_entries(const void *work, int i, int *from, int *end)
{
    const lil_bundles *b = work;
    const lil_bundle *u = &b->list[i];
    int each = 9 * b->vertices * b->vertices;
    *from = each * u->first[0];
    *end = each * (u->first[u->lanes - 1] + u->length);
}

static void edges_begin_pieces(void *work, const int *where)
{
    lil_bundles *b = work;
    for (int i = 0; i < b->count && b->where != where; i++)
        b->packed[i] = is_packed(&b->list[i], 9 * b->vertices * b->vertices, where);
    b->where = where;
}

static void edges_piece_second(const void *data, void *work, const lil_at *at, const lil_sink *to, int i)
{
    const lil_bundles *b = work;
    (void)data;
    b->second(&(lil_edge_job){ .bundles = b, .term = work, .x = at->q, .to = to }, i);
}

void lil_bundles_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    lil_bundles *b = work;
    (void)data;
    edges_begin_pieces(b, to->where);
    lil_bundles_run(b, b->second, (lil_edge_job){ .term = work, .x = at->q, .to = to });
}

#define PIECES                                                                                                       \
    .count = edges_count, .entries = edges_entries, .begin = edges_begin_pieces, .second = edges_piece_second

const lil_term_pieces lil_bundle_pieces = { PIECES, .sees_q = true };
const lil_term_pieces lil_bundle_constant_pieces = { PIECES };

void lil_edges_size(const void *elements, const double *stiffness, size_t stride, int count, const double *q,
                    double *gradient)
{
    double square = 0;
    for (int i = 0; i < count; i++) {
        const int *vertex = (const int *)((const char *)elements + (size_t)i * stride);
        const double *x = q + 3 * vertex[1], *k = (const double *)((const char *)stiffness + (size_t)i * stride);
        double change = *k * fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2]));
        square += change * change;
    }
    *gradient += sqrt(square);
}
