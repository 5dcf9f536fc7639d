#include "terms/contact_penalty_bodies.h"

#include "math/matrix3.h"
#include "terms/entries.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct collision_work {
    lil_context *ctx;
    lil_box *around, **boxes; /* of each side; boxes of a skin are computed if something may be inside */
    lil_body_contact *list;
    int count;
    double *found;     /* where the list was found, 3 per point; NAN at first */
    double *start, W0; /* the start of a step, likewise, and W there */
    double *middle;    /* positions halfway */
    double *sums;      /* sum of stiffness between two sides */
} collision_work;

/* ---- begin ---- */

static lil_status contact_penalty_bodies_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second,
                                               void **work, lil_entries *entries)
{
    const lil_collision *d = data;
    size_t sides = (size_t)d->side_count, room = (size_t)d->count * sides;
    collision_work *w = *work = LIL_NEW(arena, collision_work, 1);
    LIL_HAVE(ctx, w);
    w->ctx = ctx;
    LIL_ALLOC(ctx, arena, w->around, sides);
    LIL_ALLOC(ctx, arena, w->boxes, sides);
    LIL_ALLOC(ctx, arena, w->list, room);
    LIL_ALLOC(ctx, arena, w->middle, 3 * (size_t)d->vertex_count);
    LIL_ALLOC(ctx, arena, w->found, 3 * (size_t)d->count);
    LIL_ALLOC(ctx, arena, w->start, 3 * (size_t)d->count);
    w->found[0] = w->start[0] = NAN;
    LIL_ALLOC(ctx, arena, w->sums, sides * sides);
    for (int s = 0; s < d->side_count; s++)
        LIL_ALLOC(ctx, arena, w->boxes[s], lil_skin_boxes(&d->sides[s].skin));
    const lil_corners corners = lil_corners_single(d->points, 0, d->count);
    return second ? lil_corners_create(ctx, arena, &corners, &entries->qq, entries) : LIL_OK;
}

/* ---- collision pairs ---- */

static lil_box contact_penalty_bodies_box_of(const lil_collision *d, const lil_side *side, const double *x)
{
    if (side->skin.count)
        return lil_skin_around(&side->skin, x);
    lil_box b = lil_no_box;
    for (int i = side->first; i < side->first + side->count; i++)
        for (int e = 0; e < 3; e++) {
            b.low[e] = fmin(b.low[e], x[3 * d->points[i] + e]);
            b.high[e] = fmax(b.high[e], x[3 * d->points[i] + e]);
        }
    return b;
}

/* Of two surfaces: their springs in series, k_a k_b / (k_a + k_b). */
static double contact_penalty_bodies_stiffness(const lil_collision *d, const lil_side *own, const lil_side *other,
                                               int i)
{
    return own->skin.count ? d->k[i] * own->k * other->k / (own->k + other->k) : d->k[i];
}

/* Whether x is where `kept` was taken; if not, it is taken there. */
static bool is_kept(const lil_collision *d, const double *x, double *kept)
{
    bool same = true;
    for (int i = 0; i < d->count; i++)
        for (int e = 0; e < 3; e++) {
            same = same && kept[3 * i + e] == x[3 * d->points[i] + e];
            kept[3 * i + e] = x[3 * d->points[i] + e];
        }
    return same;
}

static void contact_penalty_bodies_find(const lil_collision *d, collision_work *w, const double *x)
{
    if (is_kept(d, x, w->found))
        return;
    lil_phase_begin(w->ctx->phases, LIL_PHASE_CONTACT_SEARCH);
    w->count = 0;
    for (int s = 0; s < d->side_count; s++)
        w->around[s] = contact_penalty_bodies_box_of(d, &d->sides[s], x);
    for (int o = 0; o < d->side_count; o++) {
        const lil_side *other = &d->sides[o];
        bool fitted = !other->skin.count;
        for (int s = 0; s < d->side_count && other->skin.count; s++) {
            const lil_side *own = &d->sides[s];
            if (s == o || d->apart[s * d->side_count + o] || !lil_box_meets(&w->around[s], &w->around[o]))
                continue;
            if (!fitted)
                lil_skin_fit(&other->skin, x, w->boxes[o]);
            fitted = true;
            for (int i = own->first; i < own->first + own->count; i++) {
                const double *q = x + 3 * d->points[i];
                if (!lil_box_has(&w->around[o], q))
                    continue;
                lil_body_contact m = { i, s, o, contact_penalty_bodies_stiffness(d, own, other, i),
                                       lil_skin_nearest(&other->skin, x, w->boxes[o], q) };
                if (m.near.inside)
                    w->list[w->count++] = m;
            }
        }
    }
    lil_phase_end(w->ctx->phases);
}

const lil_body_contact *lil_collision_contacts(const lil_collision *d, void *work, const double *x, int *count)
{
    collision_work *w = work;
    contact_penalty_bodies_find(d, w, x);
    *count = w->count;
    return w->list;
}

void lil_collision_parts(const lil_collision *d, const lil_body_contact *m, int at[4], double weight[4])
{
    const int *v = d->sides[m->other].skin.triangles[m->near.at];
    at[0] = d->points[m->point];
    weight[0] = 1;
    for (int j = 0; j < 3; j++) {
        at[1 + j] = v[j];
        weight[1 + j] = -m->near.b[j];
    }
}

static void add_force(const lil_collision *d, const lil_body_contact *m, double f, const double z[3], double *g)
{
    int at[4];
    double weight[4];
    lil_collision_parts(d, m, at, weight);
    for (int a = 0; a < 4; a++)
        for (int e = 0; e < 3; e++)
            g[3 * at[a] + e] += f * weight[a] * z[e];
}

static void contact_penalty_bodies_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_collision *d = data;
    collision_work *w = work;
    double W = 0;
    contact_penalty_bodies_find(d, w, at->q);
    for (int i = 0; i < w->count; i++) {
        const lil_body_contact *m = &w->list[i];
        W += m->k / 2 * lil_dot3(m->near.z, m->near.z);
        if (sums->gq)
            add_force(d, m, m->k, m->near.z, sums->gq);
    }
    lil_sums_add(sums, W);
}

/* ---- second derivatives ---- */

/*
 * The pairs change, so d2W is added to couplings. With c = y + sum_i s_i e_i, e_i the edges along which the nearest
 * point can move, W = min over s of k/2 |x - c|^2, and so
 *
 *     d2W = k (r'r - m'(e'e)^-1 m),   r = dx - dc at fixed s,   m_i = e_i.r + z.de_i
 *
 * Without z.de_i, the rotation of edges, it is semidefinite: k times the projection perpendicular to the edges.
 */
static void contact_penalty_bodies_stiffness_across(const lil_body_contact *m, double B[9])
{
    const double *n = m->near.n;
    for (int e = 0; e < 9; e++) {
        double nn = n[e / 3] * n[e % 3], one = e % 4 == 0;
        B[e] = m->k * (m->near.stiff == 1 ? nn : m->near.stiff == 2 ? one - nn : one);
    }
}

/* e_i from corner `from` to corner to[i]; their number */
static int free_edges(const lil_skin_point *near, int *from, int to[2])
{
    const double *b = near->b;
    int least = fabs(b[0]) < fabs(b[1]) ? 0 : 1;
    least = fabs(b[2]) < fabs(b[least]) ? 2 : least;
    *from = (least + 1) % 3;
    to[0] = (least + 2) % 3;
    to[1] = least;
    return 3 - near->stiff;
}

/* (e'e)^-1 of one or two vectors; false: they are too short, or nearly parallel */
static bool invert_edges(int count, double e[2][3], double G[2][2])
{
    double aa = lil_dot3(e[0], e[0]), bb = count > 1 ? lil_dot3(e[1], e[1]) : 1;
    double ab = count > 1 ? lil_dot3(e[0], e[1]) : 0, det = aa * bb - ab * ab;
    if (!(det > 1e-12 * aa * bb))
        return false;
    G[0][0] = bb / det;
    G[1][1] = aa / det;
    G[0][1] = G[1][0] = -ab / det;
    return true;
}

/* adds -k m'(e'e)^-1 m to k r'r; false: nothing was added */
static bool take_edges(const lil_body_contact *m, const double *x, const double weight[4], lil_coupling *c)
{
    int from, to[2], edges = free_edges(&m->near, &from, to);
    double e[2][3], G[2][2], rows[2][12];
    for (int i = 0; i < edges; i++)
        for (int d = 0; d < 3; d++)
            e[i][d] = x[3 * c->at[1 + to[i]] + d] - x[3 * c->at[1 + from] + d];
    if (edges == 0 || !invert_edges(edges, e, G))
        return edges == 0;
    for (int i = 0; i < edges; i++)
        for (int k = 0; k < 12; k++) {
            int turns = k / 3 == 1 + to[i] ? 1 : k / 3 == 1 + from ? -1 : 0;
            rows[i][k] = weight[k / 3] * e[i][k % 3] + turns * m->near.z[k % 3];
        }
    for (int a = 0; a < 12; a++)
        for (int b = 0; b < 12; b++)
            for (int i = 0; i < edges; i++)
                for (int j = 0; j < edges; j++)
                    c->H[a][b] -= m->k * G[i][j] * rows[i][a] * rows[j][b];
    return true;
}

static lil_coupling contact_penalty_bodies_coupling_of(const lil_collision *d, const lil_body_contact *m,
                                                       const double *x, bool definite)
{
    lil_coupling c = { .count = 4 };
    double weight[4], B[9], all[9] = { m->k, 0, 0, 0, m->k, 0, 0, 0, m->k };
    lil_collision_parts(d, m, c.at, weight);
    contact_penalty_bodies_stiffness_across(m, B);
    if (!definite) {
        lil_coupling_add(&c, weight, all);
        if (take_edges(m, x, weight, &c))
            return c;
        memset(c.H, 0, sizeof c.H);
    }
    lil_coupling_add(&c, weight, B);
    return c;
}

static void contact_penalty_bodies_add_couplings(const lil_collision *d, const collision_work *w, const double *x,
                                                 bool definite, double weight, lil_couplings *to)
{
    for (int i = 0; i < w->count; i++) {
        lil_coupling c = contact_penalty_bodies_coupling_of(d, &w->list[i], x, definite);
        lil_couplings_add(to, &c, weight);
    }
}

/* index of a vertex among the points */
static int contact_penalty_bodies_place_of(const lil_collision *d, int side, int vertex)
{
    const lil_side *s = &d->sides[side];
    return lil_vertex_place(d->points, s->first, s->first + s->count, vertex);
}

/* Entries cannot store couplings: each vertex gets an upper bound of them. */
static void contact_penalty_bodies_bound_entries(const lil_collision *d, const collision_work *w, const double *x,
                                                 double *values)
{
    memset(values, 0, 9 * (size_t)d->count * sizeof *values);
    for (int i = 0; i < w->count; i++) {
        const lil_body_contact *m = &w->list[i];
        lil_coupling c = contact_penalty_bodies_coupling_of(d, m, x, true);
        for (int a = 0; a < 4; a++) {
            double *to =
                values + 9 * (size_t)(a == 0 ? m->point : contact_penalty_bodies_place_of(d, m->other, c.at[a]));
            double bound = lil_coupling_bound(&c, a);
            for (int e = 0; e < 9; e++)
                to[e] += bound * c.H[3 * a + e / 3][3 * a + e % 3];
        }
    }
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    contact_penalty_bodies_find(data, work, at->q);
    if (to->entries)
        contact_penalty_bodies_bound_entries(data, work, at->q, to->entries);
    if (to->couplings)
        contact_penalty_bodies_add_couplings(data, work, at->q, to->definite, to->weight, to->couplings);
}

/* a diagonal block for each vertex */
static lil_status contact_penalty_bodies_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work,
                                               lil_block_pairs *list)
{
    const lil_collision *d = data;
    (void)work;
    return lil_block_pairs_single(ctx, arena, d->points, 0, d->count, list);
}

/* ---- discrete gradient ---- */

/* W only */
static double contact_penalty_bodies_energy(const lil_collision *d, collision_work *w, const double *x)
{
    double W = 0;
    contact_penalty_bodies_find(d, w, x);
    for (int i = 0; i < w->count; i++)
        W += w->list[i].k / 2 * lil_dot3(w->list[i].near.z, w->list[i].near.z);
    return W;
}

/* the work of the forces at the middle, from q0 to q1 */
static double work_of(const lil_collision *d, const collision_work *w, const double *q0, const double *q1)
{
    double sum = 0;
    for (int i = 0; i < w->count; i++) {
        const lil_body_contact *m = &w->list[i];
        int at[4];
        double weight[4];
        lil_collision_parts(d, m, at, weight);
        for (int a = 0; a < 4; a++)
            for (int e = 0; e < 3; e++)
                sum += m->k * weight[a] * m->near.z[e] * (q1[3 * at[a] + e] - q0[3 * at[a] + e]);
    }
    return sum;
}

static void set_middle(const lil_collision *d, collision_work *w, const double *q0, const double *q1)
{
    for (int i = 0; i < d->count; i++)
        for (int k = 3 * d->points[i]; k < 3 * d->points[i] + 3; k++)
            w->middle[k] = (q0[k] + q1[k]) / 2;
}

/* The forces at the middle, f, act along one line for each pair and conserve P and J; so does any multiple of
 * them. G = (1 + s) f with s f.dq = W1 - W0 - f.dq, which is of third order in dq, conserves the energy too. If f
 * does no work, s goes to 0 smoothly. */
static void contact_penalty_bodies_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g,
                                                     double *noise)
{
    const lil_collision *d = data;
    collision_work *w = work;
    (void)noise;
    set_middle(d, w, ends->q0, ends->q1);
    if (!is_kept(d, ends->q0, w->start))
        w->W0 = contact_penalty_bodies_energy(d, w, ends->q0);
    double W0 = w->W0, W1 = contact_penalty_bodies_energy(d, w, ends->q1), floor = 0.01 * (W0 + W1);
    contact_penalty_bodies_find(d, w, w->middle);
    double done = work_of(d, w, ends->q0, ends->q1), rest = W1 - W0 - done;
    double square = done * done + 4 * rest * rest + floor * floor, s = square > 0 ? rest * done / square : 0;
    for (int i = 0; i < w->count; i++)
        add_force(d, &w->list[i], (1 + s) * w->list[i].k, w->list[i].near.z, g);
}

/* half of d2W halfway */
static void contact_penalty_bodies_discrete_gradient_second(const void *data, void *work, const lil_ends *ends,
                                                            const lil_sink *to)
{
    const lil_collision *d = data;
    collision_work *w = work;
    set_middle(d, w, ends->q0, ends->q1);
    contact_penalty_bodies_find(d, w, w->middle);
    contact_penalty_bodies_add_couplings(d, w, w->middle, false, to->weight / 2, to->couplings);
}

/* ---- round-off and measurements ---- */

/* a rounding error of x changes forces by k, energies by k |z| */
static void contact_penalty_bodies_size(const void *data, const void *work, const double *q, double *value,
                                        double *gradient)
{
    const lil_collision *d = data;
    const collision_work *w = work;
    double square = 0;
    for (int i = 0; i < w->count; i++) { /* the contacts found last */
        const lil_body_contact *m = &w->list[i];
        const double *x = q + 3 * d->points[m->point];
        double far = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
        *value += m->k * far * sqrt(lil_dot3(m->near.z, m->near.z));
        square += m->k * far * m->k * far;
    }
    if (gradient)
        *gradient += sqrt(square);
}

/* the rate of the depth, along -z */
static double contact_penalty_bodies_rate_of(const lil_collision *d, const lil_body_contact *m, const double *v)
{
    int at[4];
    double weight[4], rate = 0, depth = sqrt(lil_dot3(m->near.z, m->near.z));
    lil_collision_parts(d, m, at, weight);
    for (int a = 0; a < 4; a++)
        for (int e = 0; e < 3; e++)
            rate += weight[a] * v[3 * at[a] + e] * m->near.z[e];
    return depth > 0 ? rate / depth : 0;
}

/* the mean velocity of a surface */
static void velocity_of(const lil_collision *d, const lil_side *side, const double *v, double mean[3])
{
    memset(mean, 0, 3 * sizeof *mean);
    for (int i = side->first; i < side->first + side->count; i++)
        for (int e = 0; e < 3; e++)
            mean[e] += v[3 * d->points[i] + e] / side->count;
}

/* A particle outside a body is about to hit it if its path in one step, relative to the body, enters the body's
 * box. The face is not known yet. */
static void approach(const lil_collision *d, const collision_work *w, int i, int o, const double mean[3],
                     const double *q, const double *v, lil_touch *most)
{
    const lil_side *other = &d->sides[o];
    const double *x = q + 3 * d->points[i], *u = v + 3 * d->points[i];
    lil_box swept;
    double square = 0;
    for (int e = 0; e < 3; e++) {
        double way = most->step * (u[e] - mean[e]);
        swept.low[e] = fmin(x[e], x[e] + way);
        swept.high[e] = fmax(x[e], x[e] + way);
        square += (u[e] - mean[e]) * (u[e] - mean[e]);
    }
    if (lil_box_meets(&swept, &w->around[o]) && !lil_box_has(&w->around[o], x))
        lil_touch_ahead(most, 0, copysign(sqrt(square), most->step), d->k[i],
                        1 / (1 / d->mass[d->points[i]] + 1 / other->mass), other->party.size, i, o);
}

static void contact_penalty_bodies_look_ahead(const lil_collision *d, const collision_work *w, const double *q,
                                              const double *v, lil_touch *most)
{
    for (int o = 0; o < d->side_count; o++) {
        double mean[3];
        if (!d->sides[o].skin.count)
            continue;
        velocity_of(d, &d->sides[o], v, mean);
        for (int s = 0; s < d->side_count; s++)
            for (int i = 0; i < d->sides[s].count && !d->sides[s].skin.count && !d->apart[s * d->side_count + o]; i++)
                approach(d, w, d->sides[s].first + i, o, mean, q, v, most);
    }
    for (int i = 0; i < w->count; i++) {
        const lil_body_contact *m = &w->list[i];
        const lil_side *own = &d->sides[m->side], *other = &d->sides[m->other];
        double depth = sqrt(lil_dot3(m->near.z, m->near.z));
        double mass = own->skin.count ? INFINITY : 1 / (1 / d->mass[d->points[m->point]] + 1 / other->mass);
        lil_touch_sunk(most, depth, fmin(own->party.size, other->party.size), m->point, m->other);
        lil_touch_ahead(most, depth, contact_penalty_bodies_rate_of(d, m, v), m->k, mass, other->party.size, m->point,
                        m->other);
    }
}

static int contact_penalty_bodies_side_of(const lil_collision *d, int e)
{
    int s = d->side_count - 1;
    while (d->sides[s].first > e)
        s--;
    return s;
}

static bool contact_penalty_bodies_who(const void *data, const lil_contact_id *which, lil_pair *names)
{
    const lil_collision *d = data;
    int i = which->own, o = which->other;
    if (i < 0 || i >= d->count || o < 0 || o >= d->side_count || !d->sides[o].party.name)
        return false;
    lil_party_name(&d->sides[contact_penalty_bodies_side_of(d, i)].party, d->points[i], names->what,
                   sizeof names->what);
    snprintf(names->in, sizeof names->in, "%s", d->sides[o].party.name);
    return true;
}

/* omega_c^2 = sum k (1/m_a + 1/m_b) of two bodies; a particle counts as a body */
static void contact_penalty_bodies_touch(const void *data, void *work, const lil_at *at, lil_touch *most)
{
    const lil_collision *d = data;
    collision_work *w = work;
    int n = d->side_count;
    contact_penalty_bodies_find(d, w, at->q);
    contact_penalty_bodies_look_ahead(d, w, at->q, at->v, most);
    memset(w->sums, 0, (size_t)(n * n) * sizeof *w->sums);
    for (int i = 0; i < w->count; i++) {
        const lil_body_contact *m = &w->list[i];
        const lil_side *own = &d->sides[m->side], *other = &d->sides[m->other];
        double depth = sqrt(lil_dot3(m->near.z, m->near.z));
        if (depth > most->depth) {
            most->depth = depth;
            most->rate = contact_penalty_bodies_rate_of(d, m, at->v);
        }
        most->stiffness = fmax(most->stiffness, m->k);
        double *sum = &w->sums[m->side < m->other ? m->side * n + m->other : m->other * n + m->side];
        double alone = own->skin.count ? own->mass : d->mass[d->points[m->point]];
        *sum = own->skin.count ? *sum + m->k : m->k;
        most->omega = fmax(most->omega, sqrt(*sum * (1 / alone + 1 / other->mass)));
    }
}

bool lil_collision_deepest(const lil_term *term, void *work, const double *x, double *depth, int *vertex, int *side)
{
    const lil_collision *d = term->data;
    collision_work *w = work;
    contact_penalty_bodies_find(d, w, x);
    *depth = 0;
    for (int i = 0; i < w->count; i++) {
        double deep = sqrt(lil_dot3(w->list[i].near.z, w->list[i].near.z));
        if (deep > *depth) {
            *depth = deep;
            *vertex = d->points[w->list[i].point];
            *side = w->list[i].other;
        }
    }
    return *depth > 0;
}

/* ---- as elements: all points together, for they act on each other ---- */

static int contact_penalty_bodies_element_count(const void *data)
{
    return ((const lil_collision *)data)->count;
}

/* its own stiffness, and that of contacts with others of the same stiffness */
static int contact_penalty_bodies_element_vertices(const void *data, int e, int at[LIL_ELEMENT_VERTICES],
                                                   double own[LIL_ELEMENT_VERTICES])
{
    const lil_collision *d = data;
    const lil_side *side = &d->sides[contact_penalty_bodies_side_of(d, e)];
    at[0] = d->points[e];
    own[0] = side->skin.count ? side->k * d->k[e] : d->k[e];
    return 1;
}

static double contact_penalty_bodies_element_longest_step(const void *data, int e, double kD,
                                                          const double inverse_mass[LIL_ELEMENT_VERTICES])
{
    (void)kD;
    int at[LIL_ELEMENT_VERTICES];
    double own[LIL_ELEMENT_VERTICES];
    contact_penalty_bodies_element_vertices(data, e, at, own);
    return 2 / sqrt(own[0] * inverse_mass[0]);
}

static lil_status contact_penalty_bodies_element_some(lil_context *ctx, lil_arena *arena, const void *data,
                                                      const int *some, int count, lil_term *part)
{
    (void)ctx, (void)arena, (void)some, (void)count;
    *part = lil_collision_term(data);
    return LIL_OK;
}

static void contact_penalty_bodies_element_name(const void *data, int e, char *name, size_t room)
{
    const lil_collision *d = data;
    snprintf(name, room, "contact of '%s' at vertex %d", d->sides[contact_penalty_bodies_side_of(d, e)].party.name,
             d->points[e]);
}

static const lil_term_elements elements = { .count = contact_penalty_bodies_element_count,
                                            .vertices = contact_penalty_bodies_element_vertices,
                                            .longest_step = contact_penalty_bodies_element_longest_step,
                                            .some = contact_penalty_bodies_element_some,
                                            .name = contact_penalty_bodies_element_name,
                                            .together = true };

static const lil_term_discrete_gradient discrete_gradient = { .evaluate = contact_penalty_bodies_discrete_gradient,
                                                              .second =
                                                                  contact_penalty_bodies_discrete_gradient_second };

static const lil_term_contact seen = { .touch = contact_penalty_bodies_touch, .who = contact_penalty_bodies_who };

static const lil_term_table table = {
    .name = "collision",
    .doc = "contact between bodies, W = sum k/2 d^2",
    .place = LIL_POTENTIAL,
    .elements = &elements,
    .begin = contact_penalty_bodies_begin,
    .evaluate = contact_penalty_bodies_evaluate,
    .second = second,
    .projects = true,
    .pairs = contact_penalty_bodies_pairs,
    .couples = true,
    .discrete_gradient = &discrete_gradient,
    .contact = &seen,
    .size = contact_penalty_bodies_size,
};

lil_term lil_collision_term(const lil_collision *collision)
{
    return (lil_term){ .table = &table, .data = (void *)collision, .uses_q = true };
}
