/*
 * Pairs that may overlap, from the file: parts that the scene excludes from contact, parts that never move (they may
 * start inside something), and links of strands with the body that they grow from. Within one part, pairs that
 * overlap at rest: links that are shorter than they are thick, diagonals of cloth.
 */
#ifndef LIL_RECORD_CHECK_CHECK_RULES_H
#define LIL_RECORD_CHECK_CHECK_RULES_H

#include "record/check/check.h"

typedef struct lil_rules {
    int part_count, own_count; /* vertices of q */
    const double *radius;      /* of each part */
    const bool *pass;          /* pass[a * part_count + b]: the scene lets them pass; NULL: none */
    int64_t passing;           /* pairs of parts */
    bool all;                  /* these are looked at too */
    bool *still;               /* of all points: they never move */
    const int *grow_first;     /* of each vertex: the parts that it, and the link that begins there, grows from: */
    const int *grow_part;      /*   parts; -1: anything */
    const double *rest;        /* all points; NULL: the first frame is not known yet */
} lil_rules;

/* `point_count`: with the points of surfaces and obstacles. Which points of obstacles are still, and where
 * everything is at rest, is left to the caller. */
lil_status lil_rules_create(lil_context *ctx, lil_arena *arena, lil_motion *motion, int point_count,
                            lil_rules *rules);

/* Two elements, and the vertex `v` of a part and an obstacle that is solid. */
bool lil_rules_let_pass(const lil_rules *rules, const lil_checked *a, const lil_checked *b);
bool lil_rules_let_in(const lil_rules *rules, int v, int part, int obstacle, bool stays);
/* Two elements of one part that overlap at rest. */
bool lil_rules_overlap_at_rest(const lil_rules *rules, const lil_checked *a, const lil_checked *b);

#endif
