/*
 * The broad phase of contact: which pairs of surface features may touch while every point is near the way from one
 * place to another.
 *
 * Elements (triangles, edges of strands, single points) are in one tree of boxes, ordered once along Morton's curve
 * and refitted to where they are. Every vertex and every edge is owned by one of its elements, so each pair comes up
 * once. Pairs are listed in the order of the tree, for any paths: a longer list has the same pairs in the same order,
 * with others between them.
 *
 * Features that are near because they belong to one piece hardly ever touch. Sixteen elements that follow each other
 * in the tree are a patch. Where two patches of a part have hardly changed their shape since rest
 * (geometry/patches.h), pairs that are far apart at rest are skipped, and pairs that are near at rest come from a
 * list that was built once.
 */
#ifndef LIL_GEOMETRY_NEIGHBOURS_H
#define LIL_GEOMETRY_NEIGHBOURS_H

#include "core/arena.h"
#include "core/context.h"
#include "geometry/pair.h"

#include <stdbool.h>
#include <stdint.h>

/* The features that can touch. The arrays are borrowed. */
typedef struct lil_shell {
    int count;               /* of elements */
    const int (*corners)[3]; /* points; the third of an edge is -1, of a single point also the second */
    const int *part;         /* of each element, 0 ... part_count - 1: bodies, particles, strands, obstacles */
    int part_count;
    const double *reach; /* of each part, m: half its d_hat and its own thickness */
    const bool *meet;    /* meet[a * part_count + b]: parts a and b can touch each other; symmetric */
} lil_shell;

/* Two features, by their points: a point and a triangle, or two edges. Of what a point meets as a strand's edge or
 * as a point, the last corners are the same. */
typedef struct lil_neighbours_pair {
    uint64_t place; /* in the order of the tree: different for every pair, the same in every list */
    lil_pair_kind kind;
    int at[4];
    int part[2]; /* of the first and the second feature */
    float bend,
        off; /* if `off` is not < 0: features that are d apart at own.x stay at least (1 - bend) d - off apart */
} lil_neighbours_pair;

typedef struct lil_neighbours lil_neighbours;

/* x: where points are at rest, which only the order depends on. Lives in the arena. */
lil_status lil_neighbours_create(lil_context *ctx, lil_arena *arena, const lil_shell *shell, const double *x,
                                 lil_neighbours **out);

/* What is known of the features of one part among themselves: they are at least as far apart as half their
 * distance at rest, or collide with nothing; `thickness` of each part counts as no distance. Builds the lists of
 * pairs that are near at rest. x: where points are there. */
lil_status lil_neighbours_know_rest(lil_neighbours *neighbours, lil_threads *threads, const double *x,
                                    int point_count, const double *thickness);

/* Where the points of a part can be as seen from the part, which may go far in a step while its points hardly move
 * against each other: within far[i] of x_i. A part's pairs with itself depend on that alone. And, for what is
 * known of it at rest, where else everything is: the pairs are all there are while points go straight between x,
 * these places, and whatever lil_neighbours_hold says true for. */
typedef struct lil_neighbours_own {
    const double *x, *far;
    const double *to[2]; /* NULL: none */
} lil_neighbours_own;

/* All pairs whose features can come within the reaches of their parts while each coordinate of every point is
 * between those in x0 and x1, or beyond them by `margin` at most, and, unless `own` is NULL, where that says:
 * features that are that far apart are left out. The list is lent until the next call; it grows where it must, and
 * then allocates nothing. */
lil_status lil_neighbours_find(lil_neighbours *neighbours, lil_threads *threads, const double *x0, const double *x1,
                               double margin, const lil_neighbours_own *own, const lil_neighbours_pair **pairs,
                               int *count);

/* Whether the latest list has all pairs with points at y, as far as shapes go: how far from there all points may
 * be that this still holds, or < 0. And how far they may be from the places that it was made for. */
double lil_neighbours_hold(lil_neighbours *neighbours, lil_threads *threads, const double *y);
double lil_neighbours_slack(const lil_neighbours *neighbours);

#endif
