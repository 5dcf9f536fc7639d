/* Shared by the files of the barrier: its workspace, all positions, and the near pairs. */
#ifndef LIL_TERMS_BARRIER_WORK_H
#define LIL_TERMS_BARRIER_WORK_H

#include "terms/barrier.h"

#include <math.h>
#include <string.h>

enum { LIL_BARRIER_PIECE = 256 }; /* candidates, or near pairs, that one thread takes at a time */

static const double LIL_BARRIER_KEEP = 0.1; /* of each gap, along a line search */

/* A pair within d_hat at one end of the step at least. */
typedef struct lil_near_pair {
    lil_barrier p;
    uint64_t place; /* lil_neighbours_pair */
    int at[4], part[2];
    int candidate; /* -1: it is none, but was near when the step began */
    double x0[12], x1[12];
    lil_barrier_end e0, e1;
    double mu, damping;
    bool turns; /* none of the four points is an obstacle's */
    lil_slide *slide;
    double G[12];
    lil_loss loss;
} lil_near_pair;

/* A point within d_hat of a plane. */
typedef struct lil_near_plane {
    int vertex, plane, part;           /* any point that moves, and its part */
    lil_barrier p;                     /* d_hat and kappa alone count */
    double gap0, gap1, f, slope;       /* G = f n halfway; df/dgap1 */
    double n0[3], n1[3], r0[3], r1[3]; /* the normal, and from the plane's point to the vertex, at both ends */
    double mu, damping;
    lil_slide *slide;
} lil_near_plane;

/* How far the points have come from the base. A part's points share a shift and a turn: u = shift + turn x r + own. Lengths only
 * grow under r + turn x r, by sqrt(1 + turn^2) at most, so that a part's features come nearer to each other by no
 * more than `own` of both. */
typedef struct lil_barrier_motion {
    double *all, *own;    /* m, of each point of the surfaces: |u - shift| and |own| */
    double *shift, *turn; /* of each part: three numbers */
    double *stretch;      /* turn^2/2 */
    double more;          /* m, by which any point may have moved further */
} lil_barrier_motion;

/* For y0 or y1. Newton's method evaluates the same positions repeatedly: vertices that have not moved carry points
 * that have not. */
typedef struct lil_barrier_end_state {
    double t;      /* it is where everything is at t, with the vertices that are in it; NAN: it is something else */
    bool at_start; /* it is `start`, */
    bool at_base;  /*   or `base` */
    bool measured; /* the motion from the base is known, */
    bool covered;  /*   and the candidates are all there are */
} lil_barrier_end_state;

/* A pair that is near where the step begins. */
typedef struct lil_barrier_first {
    lil_neighbours_pair pair;
    double d_hat;
} lil_barrier_first;

/* The slip of a pair, by its place: it outlives lists of candidates. */
typedef struct lil_kept_slide {
    uint64_t place;
    lil_slide slide;
} lil_kept_slide;

typedef struct lil_barrier_work {
    lil_context *ctx;
    lil_arena *arena;
    lil_neighbours *neighbours;
    lil_drive_slots *slots;
    lil_pose *pose0, *pose1, *start_pose; /* of each part, at both ends, and at the start */
    double *y0, *y1;                      /* all points, at both ends */
    lil_barrier_end_state ends[2];        /* the data of these */
    double *start;                        /* all points where the step begins, */
    double start_t;                       /*   and when; NAN: no step has begun */
    double *way;                          /* scratch: of all points */
    double *ahead;                        /* and of all vertices */
    double *base;                         /* where the latest way began that candidates were listed for, */
    double *low, *high;                   /*   the box of each point on that way, */
    double margin;                        /*   and by how much the boxes may be left; < 0: there are no candidates */
    lil_neighbours_pair *candidates;
    int count, room;
    double *d_hat; /* of each candidate */
    double *from;  /* and how far its features are apart at `base`, */
    double *now;   /*   and at y1 of the latest search; < 0: unknown */
    double *furthest,
        *own_far; /* of each point: how far from `base` the candidates let it be, in all and as its part sees it */
    lil_barrier_first *first; /* the pairs that are near at `start`, */
    int first_count, first_room;
    bool first_known;                       /*   once they have been looked for */
    lil_kept_slide *slides, *slide_scratch; /* of the step: of pairs that have been near, by place; */
    int slide_count, slide_room;
    lil_slide *plane_slides;                    /*   of each plane and vertex */
    int surface_count, *surface, *surface_part; /* points of the surfaces, and their parts */
    int *part_points;                           /* how many each part has */
    int *lead; /* of each part: the first of its name. Strands and their roots share points, and so have one motion */
    double *middle, *inertia;           /* of each part's points at `base` */
    double *arm;                        /* of each point of the surfaces, from there */
    bool based;                         /* these are there */
    lil_barrier_motion motion[2];       /* from the base to y0 and y1 */
    lil_barrier_motion spaces[2], none; /* motion of the first two; of parts that have not moved */
    double *beside;                     /* vertices for which the candidates are all there are, */
    double spare; /*   and how far from there all points may be that this still holds; < 0: not known */
    lil_barrier_motion to_beside; /*   the motion to there */
    double amplifies;             /* how much farther than vertices embedded points can move */
    bool found;                   /* the near pairs are those of y0 at t0 and y1 at t1, */
    bool pushed;                  /*   and its forces are known */
    double t0, t1;
    int *near_at;    /* which candidates are near; a piece's from its first place on */
    int *near_count; /* of each piece */
    lil_near_pair *near;
    int near_total, near_room;
    lil_near_plane *planes;
    int plane_total;
    int *part_of;  /* of each point; made when it is first asked for */
    double *least; /* of each piece of candidates: how far it lets one go */
    double driven, reach;
    double (*press)[3];      /* the sum of the latest forces on what is near each obstacle, */
    int obstacle_count;      /*   of so many */
    bool apart;              /* parts meet themselves alone */
    double most;             /* how far one line search may go, m; 0: not known yet */
    double step;             /* that was prepared, */
    double h;                /*   and of the forces wanted: 0 where they are those of one place, and lose nothing */
    bool at_end;             /* forces are those at y1, and only the dissipation uses the path from y0 */
    lil_loss loss;           /* of the latest `between` */
    long searches, advances; /* how often candidates were looked for, and ways advanced along */
    bool failed;             /* memory ran out */
} lil_barrier_work;

static inline int lil_barrier_pieces(int count)
{
    return (count + LIL_BARRIER_PIECE - 1) / LIL_BARRIER_PIECE;
}

static inline void lil_barrier_gather(const int at[4], const double *y, double x[12])
{
    for (int i = 0; i < 4; i++)
        memcpy(x + 3 * i, y + 3 * at[i], 3 * sizeof *x);
}

static inline double lil_barrier_radius(const lil_barriers *d, const lil_neighbours_pair *pair)
{
    return d->parts[pair->part[0]].radius + d->parts[pair->part[1]].radius;
}

static inline double lil_barrier_mu(const lil_barriers *d, int a, int b)
{
    return d->friction ? d->friction[a * d->shell.part_count + b] : 0;
}

static inline double lil_barrier_damping(const lil_barriers *d, int a, int b)
{
    double one = d->parts[a].damping, other = d->parts[b].damping;
    if (d->law.damping >= 0)
        return d->law.damping;
    return one < 0 ? fmax(other, 0) : other < 0 ? one : (one + other) / 2;
}

/* Where a point of an obstacle is, and its velocity there. */
static inline void lil_barrier_place_own(const lil_barriers *d, const lil_pose *poses, int point, double x[3])
{
    int own = point - lil_barrier_moving(d);
    lil_pose_point(&poses[d->obstacle_part[own]], d->obstacle_own[own], d->rest + 3 * point, x);
}

static inline void lil_barrier_own_velocity(const lil_barriers *d, const lil_pose *poses, int point,
                                            const double x[3], double v[3])
{
    int own = point - lil_barrier_moving(d);
    lil_pose_point_velocity(&poses[d->obstacle_part[own]], d->obstacle_own[own], x, v);
}

/* Adds the force f on a point to those on vertices. False: it is an obstacle's. */
static inline bool lil_barrier_spread(const lil_barriers *d, int point, const double f[3], double *g)
{
    if (point >= lil_barrier_moving(d))
        return false;
    if (point >= d->vertex_count)
        lil_carried_spread(&d->carried, point - d->vertex_count, f, g);
    else
        for (int k = 0; k < 3; k++)
            g[3 * point + k] += f[k];
    return true;
}

/* ---- barrier_near.c ---- */

/* A step of h begins at (t, q): candidates are those of the ways that lead from here. */
void lil_barrier_prepare(const void *data, void *work, double t, double h, const double *q);
/* All points at t, with the vertices at x, and how obstacles are turned and shifted there. */
void lil_barrier_place(const lil_barriers *barriers, lil_barrier_work *work, double t, const double *x,
                       lil_pose *poses, double *y);
/* The same for an end, 0: y0 and pose0, 1: y1 and pose1. Whether they change. */
bool lil_barrier_set_end(const lil_barriers *barriers, lil_barrier_work *work, int end, double t, const double *x);
/* An end's points are no longer where its vertices carry them, or no longer where they were. */
void lil_barrier_forget_end(lil_barrier_work *work, int end);
/* The position of a plane, and the distance of x from it, in r from its point. */
typedef struct lil_plane_place {
    double point[3], normal[3];
} lil_plane_place;

lil_plane_place lil_barrier_plane_at(const lil_barrier_plane *plane, const lil_pose *pose);

static inline double lil_barrier_gap(const lil_plane_place *at, const double *x, double r[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = x[k] - at->point[k];
    return at->normal[0] * r[0] + at->normal[1] * r[1] + at->normal[2] * r[2];
}

/* Candidates for all that happens at work->y1 or, of a whole way, from work->y0 to there. False: memory ran out, or
 * something is not finite. */
bool lil_barrier_update(const lil_barriers *barriers, lil_barrier_work *work, bool way);
/* How much of the way from work->y0 to work->y1 the present candidates are for. */
double lil_barrier_covered(const lil_barriers *barriers, lil_barrier_work *work);
/* For a candidate: without the extra factor of edges. */
lil_barrier lil_barrier_of(const lil_barriers *barriers, const lil_neighbours_pair *pair, double d_hat);
/* Everything that is near between x0 at t0 and x1 at t1. False: as above. */
bool lil_barrier_find(const lil_barriers *barriers, lil_barrier_work *work, double t0, const double *x0, double t1,
                      const double *x1);

/* ---- barrier_slides.c ---- */

/* Gives each near pair its slip. */
bool lil_barrier_keep_slides(const lil_barriers *barriers, lil_barrier_work *work);

/* ---- barrier_motion.c ---- */

lil_status lil_barrier_list_surface(lil_context *ctx, const lil_barriers *barriers, lil_arena *arena,
                                    lil_barrier_work *work);
/* From the base to an end, and whether that is finite. */
bool lil_barrier_set_motion(const lil_barriers *barriers, lil_barrier_work *work, int end);

/* By how much two features can have come nearer to each other: the furthest of a feature's points bounds all of it. */
static inline double lil_barrier_approach(const lil_barrier_motion *m, const lil_neighbours_pair *pair)
{
    const double *far = pair->part[0] == pair->part[1] ? m->own : m->all;
    double own[4], square = 0;
    for (int i = 0; i < 4; i++)
        own[i] = far[pair->at[i]];
    double a = own[2] > own[3] ? own[2] : own[3], b = own[0], c = own[1];
    double both = 2 * m->more + (pair->kind == LIL_EDGE_EDGE ? (b > c ? b : c) + a : b + (c > a ? c : a));
    if (pair->part[0] == pair->part[1])
        return both;
    for (int k = 0; k < 3; k++) {
        double shift = m->shift[3 * pair->part[0] + k] - m->shift[3 * pair->part[1] + k];
        square += shift * shift;
    }
    return both + sqrt(square);
}

/* ---- barrier_reach.c ---- */

double lil_barrier_longest(const void *data, void *work, double t, const double *q, const double *dq);
bool lil_barrier_is_open(const void *data, void *work, const lil_ends *ends);
int lil_barrier_push(const void *data, void *work, double t0, const double *q0, double t1, const int *number,
                     double *q1);

/* ---- barrier_resolve.c: what lil_term_table says ---- */

double lil_barrier_resolve(const void *data, void *work, const lil_at *at, double h);

/* ---- barrier_seen.c ---- */

/* Adds the near pairs to most->pairs and most->energy. */
void lil_barrier_count(const lil_barrier_work *work, lil_touch *most);
int lil_barrier_list(const void *data, void *work, const lil_at *at, lil_touching *list, int room);
bool lil_barrier_part_of(const void *data, int i, lil_touching_part *part);

/* ---- barrier_press.c: what lil_term_table says ---- */

bool lil_barrier_pushes(const void *work);
bool lil_barrier_hardest(const void *data, void *work, const lil_at *at, lil_pair *names, double *force);

#endif
