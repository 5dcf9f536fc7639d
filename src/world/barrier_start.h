/* Contact by barrier: what the files that check the start (barrier_start*.c) share. */
#ifndef LIL_WORLD_BARRIER_START_H
#define LIL_WORLD_BARRIER_START_H

#include "world/barriers.h"

/* Strands of one name: a part that each of their links touches, and where. */
typedef struct lil_strand_set {
    const lil_body *body;
    int part;
    int *touches; /* a part, or -1 */
    double (*at)[3];
} lil_strand_set;

/* The link of a strand that begins at a vertex touches a part, or grows out of it. */
typedef struct lil_growth {
    int vertex, part;
} lil_growth;

typedef struct lil_growths {
    lil_growth *list;
    int count, room;
} lil_growths;

typedef struct lil_start_check {
    lil_world *w;
    const lil_barriers *b;
    const lil_barrier_roots *roots;
    bool again;  /* some strands have been laid otherwise: those that touch their own kind now are refused */
    double *gap; /* of two parts: how far apart they are */
    double *y;   /* all points, where they start */
    lil_strand_set *strand_sets;
    int strand_set_count;
    lil_growths touched, grown; /* all that links of strands touch; what they grow out of, by ascending vertices */
    bool out_of_memory;
    int *start, *joined; /* of each vertex: those it is linked to */
    int *steps, *queue;  /* how many links away a vertex is, -1: not looked at; which have been */
} lil_start_check;

/* Two features by their points: what of each is in the way of the other. */
typedef struct lil_start_contact {
    const int *a, *b;
    int a_count, b_count, part[2];
    const double *x; /* where */
} lil_start_contact;

/* Where an obstacle starts. */
static inline const lil_pose *lil_start_pose(const lil_start_check *c, int part)
{
    return &c->w->obstacles[part - c->w->count].start;
}

static inline int lil_strand_set_size(const lil_strand_set *t)
{
    return t->body->mesh.vertex_count / t->body->strands->nodes;
}

/* ---- barrier_start_message.c ---- */

lil_status lil_start_refuse(const lil_start_check *c, const lil_start_contact *it);
/* Parts that are nearer than the `least` gap at which a barrier can begin. */
lil_status lil_start_refuse_gap(const lil_start_check *c, int a, int b, double gap, double least);
void lil_start_warn_gap(const lil_start_check *c, int a, int b, double gap, double d_hat);

/* ---- barrier_start_links.c ---- */

/* Lists the vertices that each vertex is linked to. */
lil_status lil_start_join_links(lil_start_check *c);
/* Whether features of one strand overlap only because they are few links apart, which they may. */
bool lil_start_is_short(lil_start_check *c, const lil_start_contact *it);

/* ---- barrier_start_gaps.c ---- */

void lil_start_note_gap(lil_start_check *c, int a, int b, double gap);
/* Below this gap features of two parts touch. */
double lil_start_least_gap(const lil_start_check *c, int a, int b);
/* Between a plane and b->touching[k]. */
double lil_start_plane_gap(const lil_start_check *c, const lil_barrier_plane *plane, int k);
/* d_hat of parts that start nearer than that. */
lil_status lil_start_set_gaps(lil_start_check *c);

/* ---- barrier_start_roots.c ---- */

lil_status lil_start_list_strands(lil_start_check *c);
void lil_start_forget_touched(lil_start_check *c);
/* Whether a strand touches something in this contact and may, for now. */
bool lil_start_note_strand(lil_start_check *c, const lil_start_contact *it);
/* When all contacts are noted. */
lil_status lil_start_sort_touched(lil_start_check *c);
/* Which link touches something beyond the strand's roots, of which there are *roots; -1: none does. */
int lil_start_touches_beyond(const lil_start_check *c, const lil_strand_set *t, int strand, int *roots);
/* What each strand grows out of. Refuses strands that touch something beyond their roots. */
lil_status lil_start_set_roots(lil_start_check *c);

/* ---- barrier_start_touch.c ---- */

/* Records all gaps and all contacts of links of strands; refuses all other contacts and crossings. */
lil_status lil_start_find_touching(lil_start_check *c);

/* ---- barrier_start_lay.c ---- */

/* Strands that would hang through something start as they would be without weight. */
lil_status lil_start_lay_strands(lil_start_check *c);

#endif
