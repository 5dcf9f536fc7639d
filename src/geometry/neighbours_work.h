/* Shared by the files of the broad phase: the tree and the current search. */
#ifndef LIL_GEOMETRY_NEIGHBOURS_WORK_H
#define LIL_GEOMETRY_NEIGHBOURS_WORK_H

#include "geometry/neighbours.h"
#include "geometry/patches.h"
#include "math/float8.h"

enum {
    LEAF = 4,   /* elements of a leaf */
    LEAVES = 4, /* of a patch */
    SHARE = 16, /* patches of a piece of the search, */
    FIT = 64,   /*   and of fitting */
    PAIRS = 15, /* features of two elements that can meet: three points and a triangle, twice, and nine edges */
    DEPTH_MAX = 64
};

/* In floats, rounded outwards: half the memory, and three coordinates are compared at once. */
typedef struct box {
    lil_float4 low, high;
} box;

/* An element in the order of the tree. */
typedef struct element {
    int corners[3], count, part;
    bool own_vertex[3], own_edge[3]; /* edge k goes from corner k to the next */
} element;

/* The boxes of an element and of its features: for other parts, and for its own (lil_neighbours_own). */
typedef struct features {
    box all, vertex[3], edge[3];
} features;

/* STEP: where own.x is, without anything around it. */
enum { OTHERS, OWN, STEP, VIEWS };

typedef struct tree_node {
    box box[STEP];
    int part; /* of all elements below it, or -1: of several */
} tree_node;

/*
 * Two patches whose boxes overlap, and what bounds how near their features can come:
 *
 *     LOOSE   nothing but where each point can be
 *     TIED    how little their shapes change from own.x on, by bend and off
 *     HELD    how little they have changed since rest
 */
typedef enum bond { LOOSE, TIED, HELD } bond;
typedef struct meeting {
    lil_patch_tie tie;
    bond bond;
    double bend, off;
    bool none;    /* of a TIED one: all of their features are farther apart than that */
    float within; /* of a TIED one: features that are farther apart at own.x do not come within reach */
} meeting;

/* The pairs of one piece of the search: those beyond its room are counted, and found again with more room. */
typedef struct found {
    lil_neighbours_pair *list;
    int count, room;
    meeting *meetings;
    int meeting_count, meeting_room;
    int first[SHARE + 1]; /* meetings of each of its patches */
} found;

/* A pair that is near at rest: how far apart. */
typedef struct rest_pair {
    lil_neighbours_pair pair;
    float apart;
} rest_pair;

/* Those of a leaf and a patch. */
typedef struct rest_run {
    int patch, first, count;
} rest_run;

/* Data at rest. */
typedef struct rest_list {
    lil_patches *patches; /* NULL: nothing */
    lil_patches *step;    /* the same patches, from own.x on */
    rest_pair *pairs;     /* of parts with themselves, in the order of the search: all that are nearer than `limit` */
    rest_run *runs;
    int *run_first;          /* of each leaf */
    double *limit;           /* of each part, m */
    const double *thickness; /* of each part, m */
    double *slack;           /* of each patch, m */
    double *far;             /* of each patch, m: how far its points can be from own.x */
    double least_slack;
    bool *needed; /* patches whose shapes from own.x on count */
    bool *firm;   /* patches of triangles of one part that meets itself */
} rest_list;

struct lil_neighbours {
    lil_context *ctx;
    lil_arena *arena;
    const lil_shell *shell;
    element *elements;
    int count, patches, depth, pieces; /* 2^depth patches, of which the first are in use */
    features *boxes[VIEWS];            /* of elements */
    box *leaves[VIEWS];
    tree_node *nodes;    /* from 1 on: the children of node i are 2i and 2i + 1; the last ones are the patches */
    int *begin, *points; /* of patches */
    double *reach;       /* of patches: of their parts the largest */
    bool *alone;         /* parts that collide only with themselves */
    bool *wanted[VIEWS]; /* patches whose elements are visited */
    found *found;        /* of pieces */
    lil_neighbours_pair *list;
    int room;
    rest_list rest;
    lil_patch_tie *ties;
    int tie_room;
    /* the search being made */
    const double *x0, *x1;
    double margin;
    const lil_neighbours_own *own;
};

static inline int patch_end(const lil_neighbours *n, int patch)
{
    int end = (patch + 1) * LEAVES * LEAF;
    return end < n->count ? end : n->count;
}

static inline bool never_meet(const lil_neighbours *n, int a, int b)
{
    return a >= 0 && b >= 0 && !n->shell->meet[(size_t)a * (size_t)n->shell->part_count + (size_t)b];
}

/* ---- neighbours.c ---- */

/* Boxes of patches and of their ancestors in the tree. */
void lil_neighbours_fit(lil_neighbours *n, lil_threads *threads);
/* Which patches meet. False: there is no memory. */
bool lil_neighbours_meet(lil_neighbours *n, lil_threads *threads);
/* Boxes of the elements of patches that meet and are not held. */
void lil_neighbours_detail(lil_neighbours *n, lil_threads *threads);
/* A leaf against the leaves of an overlapping patch that do not precede it. */
void lil_neighbours_search(const lil_neighbours *n, found *f, const meeting *m, int leaf);

#endif
