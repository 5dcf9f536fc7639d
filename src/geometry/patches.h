/*
 * Patches of a surface, and how much each has changed its shape since rest: what hardly has cannot touch itself.
 *
 * Each patch has an affine map from where its points are at rest, M(X) = c + F (X - C), fitted to where they are now.
 * Around each search, for a rotation Q of the patch that does not change until the next one,
 *
 *     |Q'F - 1| <= bend,   |x_i - M(X_i)| <= off
 *
 * hold while points go where they are asked about, and between two patches a and b
 *
 *     |M_a(X) - M_b(X)| <= gap   for all X of b
 *
 * so that two points of a and b that are `apart` at rest are at least (1 - bend_a) apart - gap - off_a - off_b from
 * each other. All three are convex in the places of the points, because F is linear in them while Q stays: what holds
 * at both ends of a straight way holds along it. What the patch says nothing about, as across a flat one, F takes
 * from Q.
 */
#ifndef LIL_GEOMETRY_PATCHES_H
#define LIL_GEOMETRY_PATCHES_H

#include "core/arena.h"
#include "core/context.h"

#include <stdbool.h>

typedef struct lil_patches lil_patches;

/* Two patches, of which the first may be the second. */
typedef struct lil_patch_tie {
    int a, b;
    double gap;
} lil_patch_tie;

/* points[begin[i]] ... points[begin[i + 1] - 1] are those of patch i, each once; only requested patches are
 * evaluated. x: where points are at rest. Lives in the arena, but borrows `begin` and `points`. */
lil_status lil_patches_create(lil_context *ctx, lil_arena *arena, int count, const int *begin, const int *points,
                              const bool *wanted, const double *x, lil_patches **out);

/* As if x were where points are at rest, for what goes less than far from there: F is then held to 1, in every
 * direction. */
void lil_patches_refer(lil_patches *patches, lil_threads *threads, const bool *only, const double *x);

/* Bounds for y[0] ... y[count - 1], at most three, and a little more: by `slack`, m, of each patch. only: of
 * these; NULL: of all. */
void lil_patches_fit(lil_patches *patches, lil_threads *threads, const bool *only, const double *const *y, int count,
                     const double *slack);

/* The gap of a tie, with its share of slack. */
void lil_patches_tie(const lil_patches *patches, lil_patch_tie *tie);
/* How much nearer two points of its patches can have come, in addition to the share `lil_patches_bend` of their
 * distance at rest. */
double lil_patches_off(const lil_patches *patches, const lil_patch_tie *tie);
double lil_patches_bend(const lil_patches *patches, int a);
/* How far the boxes of two patches are apart at rest. */
double lil_patches_apart(const lil_patches *patches, int a, int b);

/* The ties that count from here on; the list is borrowed. */
void lil_patches_keep(lil_patches *patches, const lil_patch_tie *ties, int count);
/* Whether the bounds of these ties and of their patches hold where points are at y: how far all points may be from
 * there that they still do, or < 0. */
double lil_patches_hold(lil_patches *patches, lil_threads *threads, const double *y);

#endif
