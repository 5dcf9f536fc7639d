/* Boxes of cells of six tets each, with mid nodes: a grid of half cells has all nodes, and as many linear tets have the
 * same ones. */
#ifndef LIL_TEST_QUADRATIC_H
#define LIL_TEST_QUADRATIC_H

#include "solids.h"

#include "terms/tets.h"

typedef struct box {
    int vertices, tets;
    double *X;
    bool *outside; /* vertices on faces */
    int (*tet)[4]; /* quadratic */
    int (*mid)[6]; /* and their mid nodes; NULL: linear tets */
} box;

static inline int box_middle(const box *b, int e, int k)
{
    static const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
    return (b->tet[e][edge[k][0]] + b->tet[e][edge[k][1]]) / 2;
}

/* Mid nodes to the middle, those inside away from it by up to `bend`. */
static inline void box_bend(lil_arena *arena, double bend, box *b)
{
    bool *done = lil_arena_alloc(arena, (size_t)b->vertices, sizeof *done);
    static const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
    for (int e = 0; e < b->tets; e++)
        for (int k = 0; k < 6; k++)
            for (int d = 0, v = b->mid[e][k]; d < 3 && !done[v]; done[v] = ++d == 3)
                b->X[3 * v + d] = (b->X[3 * b->tet[e][edge[k][0]] + d] + b->X[3 * b->tet[e][edge[k][1]] + d]) / 2 +
                                  (b->outside[v] ? 0 : uniform(-bend, bend));
}

/* `cells` of quadratic tets, or twice as many of linear ones. Corners inside are moved by up to `shake`. */
static inline box make_box(lil_arena *arena, const int cells[3], const double size[3], bool quadratic, double shake,
                           double bend)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
    int each = quadratic ? 2 : 1, side[3], count[3];
    for (int d = 0; d < 3; d++) {
        side[d] = 2 * cells[d] + 1;
        count[d] = 2 * cells[d] / each;
    }
    const int stride[3] = { 1, side[0], side[0] * side[1] };
    box b = { .vertices = side[0] * side[1] * side[2], .tets = 6 * count[0] * count[1] * count[2] };
    b.X = LIL_NEW(arena, double, 3 * (size_t)b.vertices);
    b.outside = LIL_NEW(arena, bool, b.vertices);
    b.tet = lil_arena_alloc(arena, (size_t)b.tets, sizeof *b.tet);
    b.mid = quadratic ? lil_arena_alloc(arena, (size_t)b.tets, sizeof *b.mid) : NULL;
    for (int v = 0; v < b.vertices; v++) {
        for (int d = 0; d < 3; d++) {
            int at = v / stride[d] % side[d];
            b.outside[v] = b.outside[v] || at == 0 || at == side[d] - 1;
        }
        for (int d = 0; d < 3; d++)
            b.X[3 * v + d] =
                size[d] * (v / stride[d] % side[d]) / (side[d] - 1) + (b.outside[v] ? 0 : uniform(-shake, shake));
    }
    for (int e = 0; e < b.tets; e++) {
        int cell = e / 6, i = cell % count[0], j = cell / count[0] % count[1], k = cell / count[0] / count[1];
        int at = each * (i * stride[0] + j * stride[1] + k * stride[2]), *tet = b.tet[e];
        tet[0] = at;
        for (int a = 0; a < 3; a++)
            tet[a + 1] = at += each * stride[orders[e % 6][a]];
        if (e % 6 >= 3) { /* odd orders turn left */
            int kept = tet[2];
            tet[2] = tet[3];
            tet[3] = kept;
        }
        for (int m = 0; m < 6 && quadratic; m++)
            b.mid[e][m] = box_middle(&b, e, m);
    }
    if (quadratic)
        box_bend(arena, bend, &b);
    return b;
}

static inline lil_tets *box_tets(lil_context *ctx, lil_arena *arena, const lil_material *m, const box *b)
{
    lil_tets *t = NULL;
    if (lil_tets_create(ctx, arena, "box", m, b->X, (const int(*)[4])b->tet, (const int(*)[6])b->mid, b->tets, 0,
                        &t) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return t;
}

#endif
