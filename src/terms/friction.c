#include "terms/friction.h"

#include "math/matrix3.h"
#include "terms/entries.h"

#include <math.h>
#include <string.h>

/* A contact with friction: u = sum w_a v_a - (the obstacle's velocity), perpendicular to n. */
typedef struct sliding_contact {
    int count, at[4];
    double weight[4], n[3], most, dash; /* mu N; kD k */
    double mu;
    int contact;            /* the obstacle, or -1 */
    bool seen;              /* in the matrix of this step: */
    double u[3], lambda[3]; /* u and the force over mu N in that matrix */
} sliding_contact;

typedef struct friction_work {
    sliding_contact *list;
    int count;
    double h;
    double **slots, (*moving)[3]; /* of the obstacles: their velocities, */
    double (*press)[3];           /*   and the sum of the latest D on what touches each */
    int contact_count;
    void *collision;    /* its work */
    double *v, (*P)[3]; /* of all vertices, in the iteration; the impulse of each contact */
    double driven;
} friction_work;

/* ---- begin ---- */

static lil_status friction_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                 lil_entries *entries)
{
    const lil_friction *d = data;
    friction_work *w = *work = LIL_NEW(arena, friction_work, 1);
    lil_entries none;
    int room = 0, vertices = d->count ? d->points[d->count - 1] + 1 : 0;
    for (int i = 0; i < d->contact_count; i++)
        room += d->contacts[i]->count;
    if (d->collision)
        room += d->collision->count * d->collision->side_count;
    LIL_HAVE(ctx, w);
    LIL_ALLOC(ctx, arena, w->list, room);
    LIL_ALLOC(ctx, arena, w->slots, d->contact_count);
    LIL_ALLOC(ctx, arena, w->moving, d->contact_count);
    LIL_ALLOC(ctx, arena, w->press, d->contact_count);
    w->contact_count = d->contact_count;
    LIL_ALLOC(ctx, arena, w->v, 3 * (size_t)vertices);
    LIL_ALLOC(ctx, arena, w->P, room);
    for (int i = 0; i < d->contact_count; i++)
        if (d->contacts[i]->move && !(w->slots[i] = lil_program_slots(d->contacts[i]->move, arena)))
            return lil_fail_memory(ctx);
    if (d->collision) {
        lil_term term = lil_collision_term(d->collision);
        LIL_TRY(term.table->begin(ctx, term.data, arena, false, &w->collision, &none));
    }
    const lil_corners corners = lil_corners_single(d->points, 0, d->count);
    return second ? lil_corners_create(ctx, arena, &corners, &entries->vv, entries) : LIL_OK;
}

/* ---- contacts with friction ---- */

/* displacement and velocity of the obstacle */
static void friction_place(const lil_friction *d, friction_work *w, int i, double t, double at[6])
{
    memset(at, 0, 6 * sizeof *at);
    if (d->contacts[i]->move)
        lil_program_run(d->contacts[i]->move, w->slots[i], t, NULL, NULL, at);
    memcpy(w->moving[i], at + 3, sizeof w->moving[i]);
}

static void meet_obstacle(const lil_friction *d, friction_work *w, int i, double t, const double *q)
{
    const lil_contact *c = d->contacts[i];
    double at[6];
    friction_place(d, w, i, t, at);
    for (int k = 0; k < c->count && (d->mu[i] > 0 || d->damping > 0); k++) {
        const double *x = q + 3 * c->vertices[k], *o = c->obstacle.point;
        const double r[3] = { x[0] - o[0] - at[0], x[1] - o[1] - at[1], x[2] - o[2] - at[2] };
        lil_depth in = lil_obstacle_depth(&c->obstacle, r);
        if (!(in.depth > 0))
            continue;
        w->list[w->count++] = (sliding_contact){ .count = 1,
                                                 .at = { c->vertices[k] },
                                                 .weight = { 1 },
                                                 .n = { in.n[0], in.n[1], in.n[2] },
                                                 .mu = d->mu[i],
                                                 .most = d->mu[i] * c->k[k] * in.depth,
                                                 .dash = d->damping * c->k[k],
                                                 .contact = i };
    }
}

static void meet_bodies(const lil_friction *d, friction_work *w, const double *q)
{
    int count;
    const lil_body_contact *list = lil_collision_contacts(d->collision, w->collision, q, &count);
    for (int i = 0; i < count; i++) {
        double depth = sqrt(lil_dot3(list[i].near.z, list[i].near.z));
        sliding_contact *r = &w->list[w->count];
        *r = (sliding_contact){ .count = 4,
                                .mu = d->mu_bodies,
                                .most = d->mu_bodies * list[i].k * depth,
                                .dash = d->damping * list[i].k,
                                .contact = -1 };
        lil_collision_parts(d->collision, &list[i], r->at, r->weight);
        for (int e = 0; e < 3 && depth > 0; e++)
            r->n[e] = -list[i].near.z[e] / depth; /* outwards, as an obstacle's */
        w->count += depth > 0;
    }
}

static void friction_prepare(const void *data, void *work, double t, double h, const double *q)
{
    const lil_friction *d = data;
    friction_work *w = work;
    w->h = h;
    w->count = 0;
    for (int i = 0; i < d->contact_count; i++)
        meet_obstacle(d, w, i, t, q);
    if (d->collision && (d->mu_bodies > 0 || d->damping > 0))
        meet_bodies(d, w, q);
}

/* Of an obstacle: the work, and the sum, of D on what touches it. */
static void drag_obstacle(friction_work *w, const sliding_contact *r, const double D[3])
{
    if (r->contact < 0)
        return;
    w->driven += lil_dot3(D, w->moving[r->contact]);
    for (int e = 0; e < 3; e++)
        w->press[r->contact][e] += D[e];
}

static void clear_obstacles(friction_work *w)
{
    w->driven = 0;
    memset(w->press, 0, (size_t)w->contact_count * sizeof *w->press);
}

/* u and |u|; *out: the rate at which the depth falls */
static double sliding(const friction_work *w, const sliding_contact *r, const double *v, double u[3], double *out)
{
    for (int e = 0; e < 3; e++) {
        u[e] = r->contact >= 0 ? -w->moving[r->contact][e] : 0;
        for (int a = 0; a < r->count; a++)
            u[e] += r->weight[a] * v[3 * r->at[a] + e];
    }
    *out = lil_dot3(u, r->n);
    for (int e = 0; e < 3; e++)
        u[e] -= *out * r->n[e];
    return sqrt(lil_dot3(u, u));
}

/* N includes the damper, kD k times the rate of the depth at the v of the step before: with this step's v friction
 * would not be the gradient of an S(v). N is never negative. */
static void carry(const void *data, void *work, const double *v)
{
    const friction_work *w = work;
    (void)data;
    for (int i = 0; i < w->count; i++) {
        sliding_contact *r = &w->list[i];
        double u[3], out;
        sliding(w, r, v, u, &out);
        r->most = fmax(r->most - r->mu * r->dash * out, 0);
    }
}

/* ---- in the Lilyan ---- */

static double phi(double speed, double slip)
{
    double y = speed / slip;
    return y < 1 ? slip * y * y * (1 - y / 3) : speed - slip / 3;
}

/* f/|u| */
static double share(double speed, double slip)
{
    return speed < slip ? (2 - speed / slip) / slip : 1 / speed;
}

static void friction_evaluate(const void *data, void *work, const lil_at *here, const lil_sums *sums)
{
    const lil_friction *d = data;
    friction_work *w = work;
    double S = 0, at[6];
    for (int i = 0; i < d->contact_count; i++) /* velocities at the middle of the step */
        friction_place(d, w, i, here->t, at);
    clear_obstacles(w);
    for (int i = 0; i < w->count; i++) {
        const sliding_contact *r = &w->list[i];
        double u[3], out, speed = sliding(w, r, here->v, u, &out), f = w->h * r->most * share(speed, d->slip), D[3];
        S += w->h * (r->most * phi(speed, d->slip) + r->dash / 2 * out * out);
        for (int e = 0; e < 3; e++)
            D[e] = f * u[e] + w->h * r->dash * out * r->n[e];
        for (int a = 0; a < r->count && sums->gv; a++)
            for (int e = 0; e < 3; e++)
                sums->gv[3 * r->at[a] + e] += r->weight[a] * D[e];
        drag_obstacle(w, r, D);
    }
    lil_sums_add(sums, S);
}

static bool has_friction(const void *work)
{
    return ((const friction_work *)work)->count > 0;
}

static double driven(const void *work)
{
    return ((const friction_work *)work)->driven;
}

/*
 * The matrix. Newton's matrix, f/|u| perpendicular to u and f' along it, is zero along u for sliding contacts. Its
 * steps go far beyond the point where they stop, line searches cut them to an eighth, and a step of two bodies took
 * 20 to 30 iterations. So the force over mu N is a separate unknown, lambda (Chan, Golub & Mulet, SIAM J. Sci.
 * Comput. 20 (1999), 1964-1977):
 *
 *     g(|u|) lambda = u,   g = |u|/f
 *
 * Newton's step for both, with lambda eliminated, is one for u alone with the matrix 1/g (P - g' lambda u'/|u|), here
 * its symmetric part. With |lambda| <= 1 it is semidefinite. At the solution it equals Newton's matrix, and full
 * steps converge.
 */
static double slope_of_g(double speed, double slip)
{
    double y = speed / slip;
    return y < 1 ? 1 / ((2 - y) * (2 - y)) : 1;
}

/* lambda after the step from r->u to u, to first order */
static void friction_follow(const lil_friction *d, sliding_contact *r, const double u[3])
{
    double *l = r->lambda;
    if (r->seen && memcmp(u, r->u, sizeof r->u) == 0) /* another matrix at the same u */
        return;
    if (r->seen) {
        double du[3] = { u[0] - r->u[0], u[1] - r->u[1], u[2] - r->u[2] }, speed = sqrt(lil_dot3(r->u, r->u));
        double change = speed > 0 ? slope_of_g(speed, d->slip) * lil_dot3(r->u, du) / speed : 0;
        for (int e = 0; e < 3; e++)
            l[e] = share(speed, d->slip) * (u[e] - change * l[e]);
        double size = sqrt(lil_dot3(l, l));
        for (int e = 0; e < 3 && size > 1; e++)
            l[e] /= size;
    }
    r->seen = true; /* lambda is 0 at first: an upper bound of d2S */
    memcpy(r->u, u, sizeof r->u);
}

/* d2S by u; and n n' of damping. Newton's matrix if lambda is not updated. */
static void friction_curvature(const lil_friction *d, const friction_work *w, sliding_contact *r, const double *v,
                               bool follows, double H[9])
{
    double u[3], out, speed = sliding(w, r, v, u, &out), over_g = share(speed, d->slip);
    double half = speed > 0 ? slope_of_g(speed, d->slip) / (2 * speed) : 0;
    const double own[3] = { over_g * u[0], over_g * u[1], over_g * u[2] }, *l = follows ? r->lambda : own;
    if (follows)
        friction_follow(d, r, u);
    for (int e = 0; e < 9; e++) {
        int i = e / 3, j = e % 3;
        double nn = r->n[i] * r->n[j], P = (i == j) - nn;
        H[e] = w->h * (r->most * over_g * (P - half * (l[i] * u[j] + u[i] * l[j])) + r->dash * nn);
    }
}

static lil_coupling friction_coupling_of(const lil_friction *d, const friction_work *w, sliding_contact *r,
                                         const double *v, bool follows)
{
    lil_coupling c = { .count = r->count };
    double H[9];
    memcpy(c.at, r->at, sizeof c.at);
    friction_curvature(d, w, r, v, follows, H);
    lil_coupling_add(&c, r->weight, H);
    return c;
}

/* Entries cannot store couplings: each vertex gets an upper bound of them. Steps with several stages evaluate
 * several v in turn, and lambda can follow only one. They support obstacles only, where lambda is not needed. */
static void friction_bound_entries(const lil_friction *d, const friction_work *w, const double *v, double *values)
{
    memset(values, 0, 9 * (size_t)d->count * sizeof *values);
    for (int i = 0; i < w->count; i++) {
        lil_coupling c = friction_coupling_of(d, w, &w->list[i], v, w->list[i].count > 1);
        for (int a = 0; a < c.count; a++) {
            double bound = lil_coupling_bound(&c, a),
                   *to = values + 9 * (size_t)lil_vertex_place(d->points, 0, d->count, c.at[a]);
            for (int e = 0; e < 9; e++)
                to[e] += bound * c.H[3 * a + e / 3][3 * a + e % 3];
        }
    }
}

static lil_status friction_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work,
                                 lil_block_pairs *list)
{
    const lil_friction *d = data;
    (void)work;
    return lil_block_pairs_single(ctx, arena, d->points, 0, d->count, list);
}

/* of contacts with obstacles, which are first in the list */
static void friction_add_blocks(const lil_friction *d, const friction_work *w, const double *v, const lil_sink *to)
{
    for (int i = 0; i < w->count && w->list[i].count == 1; i++) {
        int at = to->where[lil_vertex_place(d->points, 0, d->count, w->list[i].at[0])];
        double H[9];
        if (at < 0)
            continue;
        friction_curvature(d, w, &w->list[i], v, true, H);
        lil_block_pairs_take(H, to->weight, at, to->blocks);
    }
}

/* between bodies */
static void friction_add_couplings(const lil_friction *d, const friction_work *w, const double *v, const lil_sink *to)
{
    for (int i = 0; i < w->count; i++) {
        if (w->list[i].count == 1)
            continue;
        lil_coupling c = friction_coupling_of(d, w, &w->list[i], v, true);
        lil_couplings_add(to->couplings, &c, to->weight);
    }
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    if (to->entries)
        friction_bound_entries(data, work, at->v, to->entries);
    if (to->blocks)
        friction_add_blocks(data, work, at->v, to);
    if (to->couplings)
        friction_add_couplings(data, work, at->v, to);
}

/* ---- after a kick ---- */

/* solves s + b f(s/slip) = speed: the sliding velocity after friction */
static double slowed(double speed, double b, double slip)
{
    if (speed >= slip + b)
        return speed - b;
    /* s + b (2 s/slip - s^2/slip^2) = speed */
    double A = b / (slip * slip), B = 1 + 2 * b / slip;
    return 2 * speed / (B + sqrt(fmax(B * B - 4 * A * speed, 0)));
}

/* v -= M^-1 w P on the vertices of the contact */
static void friction_push(const lil_friction *d, const sliding_contact *r, const double P[3], double sign, double *v)
{
    for (int a = 0; a < r->count; a++)
        for (int e = 0; e < 3; e++)
            v[3 * r->at[a] + e] -= sign * r->weight[a] * P[e] / d->mass[r->at[a]];
}

/* Solves for P of one contact exactly, with all others fixed; returns the change of its velocity */
static double solve_contact(const lil_friction *d, friction_work *w, int i, double *fastest)
{
    const sliding_contact *r = &w->list[i];
    double u[3], out, *P = w->P[i], before[3] = { P[0], P[1], P[2] }, lightness = 0;
    for (int a = 0; a < r->count; a++)
        lightness += r->weight[a] * r->weight[a] / d->mass[r->at[a]];
    if (!(lightness > 0))
        return 0;
    friction_push(d, r, P, -1, w->v);
    double speed = sliding(w, r, w->v, u, &out), c = w->h * r->dash, damper = c / (1 + c * lightness) * out;
    double most = fmax(w->h * r->most - r->mu * damper, 0); /* N includes the damper */
    double f = speed > 0 ? (speed - slowed(speed, most * lightness, d->slip)) / (lightness * speed) : 0;
    for (int e = 0; e < 3; e++) {
        P[e] = f * u[e] + damper * r->n[e];
        before[e] -= P[e];
    }
    friction_push(d, r, P, 1, w->v);
    *fastest = fmax(*fastest, speed + fabs(out));
    return lightness * sqrt(lil_dot3(before, before));
}

/* D with M v+ = M v - D(v+): the implicit Euler method at fixed q. Contacts that share no vertex need one sweep.
 * Others are solved in turn (Gauss-Seidel), which decreases 1/2 |v+ - v|_M^2 + S(v+) and so converges. */
static void friction_impulse(const void *data, void *work, const lil_at *here, double *D)
{
    enum { SWEEPS_MAX = 200 };
    const lil_friction *d = data;
    friction_work *w = work;
    double at[6], change = INFINITY, fastest = 0;
    for (int i = 0; i < d->contact_count; i++)
        friction_place(d, w, i, here->t, at);
    for (int i = 0; i < d->count; i++)
        memcpy(w->v + 3 * d->points[i], here->v + 3 * d->points[i], 3 * sizeof *here->v);
    memset(w->P, 0, (size_t)w->count * sizeof *w->P);
    for (int sweep = 0; sweep < SWEEPS_MAX && change > 1e-6 * d->slip + 1e-12 * fastest; sweep++) {
        change = 0;
        for (int i = 0; i < w->count; i++)
            change = fmax(change, solve_contact(d, w, i, &fastest));
    }
    clear_obstacles(w);
    for (int i = 0; i < w->count; i++) {
        const sliding_contact *r = &w->list[i];
        for (int a = 0; a < r->count; a++)
            for (int e = 0; e < 3; e++)
                D[3 * r->at[a] + e] += r->weight[a] * w->P[i][e];
        drag_obstacle(w, r, w->P[i]);
    }
}

static void friction_press(const void *work, double *sums)
{
    const friction_work *w = work;
    for (int i = 0; i < 3 * w->contact_count; i++)
        sums[i] += w->press[i / 3][i % 3];
}

static const lil_term_dissipation dissipation = {
    .carry = carry,
    .has_friction = has_friction,
    .impulse = friction_impulse,
    .leaks = true, /* between bodies the two forces act one depth apart */
};

static const lil_term_table table = {
    .name = "friction",
    .doc = "friction, mu N, and contact damping",
    .place = LIL_FRICTION,
    .begin = friction_begin,
    .prepare = friction_prepare,
    .evaluate = friction_evaluate,
    .second = second,
    .pairs = friction_pairs,
    .couples = true,
    .driven = driven,
    .press = friction_press,
    .dissipation = &dissipation,
};

lil_term lil_friction_term(const lil_friction *friction)
{
    bool holds = friction->collision && friction->mu_bodies > 0;
    for (int i = 0; i < friction->contact_count; i++)
        holds = holds || friction->mu[i] > 0;
    return (lil_term){ .table = &table, .data = (void *)friction, .uses_v = true, .holds = holds };
}
