#include "terms/contact_penalty.h"

#include "math/matrix3.h"
#include "terms/entries.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct contact_work {
    double *slots;
    double t, c[3], u[3]; /* position and velocity of the obstacle at t */
    bool placed;
    double driven;
    int number;      /* of the obstacle, */
    double press[3]; /*   and the sum of the latest forces' gradients */
} contact_work;

static lil_status contact_penalty_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second,
                                        void **work, lil_entries *entries)
{
    const lil_contact *d = data;
    contact_work *w = *work = LIL_NEW(arena, contact_work, 1);
    if (!w || (d->move && !(w->slots = lil_program_slots(d->move, arena))))
        return lil_fail_memory(ctx);
    w->number = d->number;
    const lil_corners corners = lil_corners_single(d->vertices, 0, d->count);
    return second ? lil_corners_create(ctx, arena, &corners, &entries->qq, entries) : LIL_OK;
}

/* moves the obstacle to its position at t */
static void contact_penalty_place(const lil_contact *d, contact_work *w, double t)
{
    if (w->placed && (!d->move || t == w->t))
        return;
    double at[6] = { 0 };
    if (d->move)
        lil_program_run(d->move, w->slots, t, NULL, NULL, at);
    for (int k = 0; k < 3; k++) {
        w->c[k] = d->obstacle.point[k] + at[k];
        w->u[k] = at[3 + k];
    }
    w->t = t;
    w->placed = true;
}

static void relative(const contact_work *w, const double *x, double r[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = x[k] - w->c[k];
}

static lil_depth contact_penalty_look(const lil_contact *d, const contact_work *w, int i, const double *q)
{
    double r[3];
    relative(w, q + 3 * d->vertices[i], r);
    return lil_obstacle_depth(&d->obstacle, r);
}

static void contact_penalty_evaluate(const void *data, void *work, const lil_at *here, const lil_sums *sums)
{
    const lil_contact *d = data;
    contact_work *w = work;
    double W = 0;
    contact_penalty_place(d, w, here->t);
    w->driven = 0;
    memset(w->press, 0, sizeof w->press);
    for (int i = 0; i < d->count; i++) {
        lil_depth at = contact_penalty_look(d, w, i, here->q);
        if (!(at.depth > 0)) { /* a position that is not finite gives NaN */
            W += at.depth == at.depth ? 0 : NAN;
            continue;
        }
        double f = d->k[i] * at.depth;
        W += f / 2 * at.depth;
        w->driven += f * lil_dot3(at.n, w->u);
        for (int k = 0; k < 3 && sums->gq; k++) {
            sums->gq[3 * d->vertices[i] + k] -= f * at.n[k];
            w->press[k] -= f * at.n[k];
        }
    }
    lil_sums_add(sums, W);
}

static double driven(const void *work)
{
    return ((const contact_work *)work)->driven;
}

static void contact_penalty_press(const void *work, double *sums)
{
    const contact_work *w = work;
    for (int k = 0; k < 3; k++)
        sums[3 * w->number + k] += w->press[k];
}

/* ---- second derivatives ---- */

/* H = k n n' - k d c (1 - n n'), by rows; of a ball the second part is negative, and left out where H is to be
 * definite */
static void contact_penalty_hessian(double k, const lil_depth *at, bool definite, double H[9])
{
    bool touches = at->depth > 0;
    double across = definite ? 0 : -at->depth * at->curvature;
    for (int e = 0; e < 9; e++) {
        double nn = at->n[e / 3] * at->n[e % 3];
        H[e] = touches ? k * (nn + across * ((e % 4 == 0) - nn)) : 0;
    }
}

/* each vertex and the obstacle, which is fixed */
static lil_status contact_penalty_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work,
                                        lil_block_pairs *list)
{
    const lil_contact *d = data;
    (void)work;
    return lil_block_pairs_single(ctx, arena, d->vertices, 0, d->count, list);
}

static void second(const void *data, void *work, const lil_at *here, const lil_sink *to)
{
    const lil_contact *d = data;
    contact_work *w = work;
    contact_penalty_place(d, w, here->t);
    for (int i = 0; i < d->count; i++) {
        lil_depth at = contact_penalty_look(d, w, i, here->q);
        double H[9];
        if (to->entries) {
            contact_penalty_hessian(d->k[i], &at, to->definite, to->entries + 9 * i);
        } else if (at.depth > 0 && to->where[i] >= 0) {
            contact_penalty_hessian(d->k[i], &at, to->definite, H);
            lil_block_pairs_take(H, to->weight, to->where[i], to->blocks);
        }
    }
}

/* ---- discrete gradient ---- */

static double positive(double x)
{
    return x > 0 ? x : 0;
}

/* (w1 - w0)/(d1 - d0), w = d^2/2 inside; if one d is negative, |d1 - d0| is larger than the positive one */
static double contact_penalty_slope(double d0, double d1)
{
    if (d0 >= 0 && d1 >= 0)
        return (d0 + d1) / 2;
    return d0 <= 0 && d1 <= 0 ? 0 : (positive(d1) * d1 - positive(d0) * d0) / 2 / (d1 - d0);
}

static double slope_slope(double d0, double d1)
{
    if (d0 >= 0 && d1 >= 0)
        return 0.5;
    return d0 <= 0 && d1 <= 0 ? 0 : (positive(d1) - contact_penalty_slope(d0, d1)) / (d1 - d0);
}

/* The parts of the discrete gradient of one vertex: G = -k s e, dG/dx1 is nearly k s' e e'. */
typedef struct chord {
    double s, s1, e[3];
} chord;

/* of a linear depth: exact; of a ball: |r1| - |r0| = (r0 + r1).(r1 - r0)/(|r0| + |r1|) */
static chord straight(const lil_obstacle *o, const double r0[3], const double r1[3], const lil_depth *a,
                      const lil_depth *b)
{
    chord c = { .s = contact_penalty_slope(a->depth, b->depth), .s1 = slope_slope(a->depth, b->depth) };
    double sum = sqrt(lil_dot3(r0, r0)) + sqrt(lil_dot3(r1, r1));
    bool round = lil_obstacle_shape_of(o)->round;
    for (int k = 0; k < 3; k++)
        c.e[k] = !round ? b->n[k] : sum > 0 ? (r0[k] + r1[k]) / sum : 0;
    return c;
}

/* From face to face, Gonzalez' form: the gradient at the middle plus a correction along the path. */
static chord bent(const lil_obstacle *o, const double r0[3], const double r1[3], const lil_depth *a,
                  const lil_depth *b)
{
    double middle[3], way[3], w = positive(b->depth) * b->depth / 2 - positive(a->depth) * a->depth / 2;
    for (int k = 0; k < 3; k++) {
        middle[k] = (r0[k] + r1[k]) / 2;
        way[k] = r1[k] - r0[k];
    }
    lil_depth at = lil_obstacle_depth(o, middle);
    double s = positive(at.depth), square = lil_dot3(way, way), rest = w + s * lil_dot3(at.n, way);
    chord c = { .s = 1, .s1 = s > 0 ? 0.5 : 0 };
    for (int k = 0; k < 3; k++)
        c.e[k] = s * at.n[k] - (square > 0 ? rest / square * way[k] : 0);
    return c;
}

/* the positions before and after, relative to the obstacle at both times */
static chord chord_of(const lil_contact *d, const double r0[3], const double r1[3])
{
    lil_depth a = lil_obstacle_depth(&d->obstacle, r0), b = lil_obstacle_depth(&d->obstacle, r1);
    if (!(a.depth > 0) && !(b.depth > 0))
        return (chord){ .s = a.depth + b.depth == a.depth + b.depth ? 0 : NAN };
    bool plain = lil_obstacle_shape_of(&d->obstacle)->round || (a.face >= 0 && a.face == b.face);
    return plain ? straight(&d->obstacle, r0, r1, &a, &b) : bent(&d->obstacle, r0, r1, &a, &b);
}

static void contact_penalty_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g,
                                              double *noise)
{
    const lil_contact *d = data;
    contact_work *w = work;
    double c0[3], r0[3], r1[3];
    (void)noise;
    contact_penalty_place(d, w, ends->t0);
    memcpy(c0, w->c, sizeof c0);
    contact_penalty_place(d, w, ends->t1);
    w->driven = 0;
    memset(w->press, 0, sizeof w->press);
    for (int i = 0; i < d->count; i++) {
        const double *x0 = ends->q0 + 3 * d->vertices[i];
        for (int k = 0; k < 3; k++)
            r0[k] = x0[k] - c0[k];
        relative(w, ends->q1 + 3 * d->vertices[i], r1);
        chord c = chord_of(d, r0, r1);
        for (int k = 0; k < 3 && c.s != 0; k++) {
            double G = -d->k[i] * c.s * c.e[k];
            g[3 * d->vertices[i] + k] += G;
            w->press[k] += G;
            w->driven -= G * (w->c[k] - c0[k]);
        }
    }
}

static void contact_penalty_discrete_gradient_second(const void *data, void *work, const lil_ends *ends,
                                                     const lil_sink *to)
{
    const lil_contact *d = data;
    contact_work *w = work;
    double c0[3], r0[3], r1[3];
    contact_penalty_place(d, w, ends->t0);
    memcpy(c0, w->c, sizeof c0);
    contact_penalty_place(d, w, ends->t1);
    for (int i = 0; i < d->count; i++) {
        for (int k = 0; k < 3; k++)
            r0[k] = ends->q0[3 * d->vertices[i] + k] - c0[k];
        relative(w, ends->q1 + 3 * d->vertices[i], r1);
        chord c = chord_of(d, r0, r1);
        for (int e = 0; e < 9 && c.s1 != 0 && to->two[i][0] >= 0; e++)
            to->blocks[9 * (size_t)to->two[i][0] + (size_t)e] -=
                (float)(to->weight * d->k[i] * c.s1 * c.e[e / 3] * c.e[e % 3]);
    }
}

/* ---- round-off and measurements ---- */

/* a rounding error of x changes forces by k, energies by k d */
static void size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_contact *d = data;
    double square = 0;
    for (int i = 0; i < d->count; i++) {
        const double *x = q + 3 * d->vertices[i];
        double depth = contact_penalty_look(d, work, i, q).depth,
               far = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
        if (!(depth > 0))
            continue;
        *value += d->k[i] * far * depth;
        square += d->k[i] * far * d->k[i] * far;
    }
    if (gradient)
        *gradient += sqrt(square);
}

static double contact_penalty_rate_of(const contact_work *w, const lil_depth *at, const double *u)
{
    const double away[3] = { u[0] - w->u[0], u[1] - w->u[1], u[2] - w->u[2] };
    return -lil_dot3(at->n, away);
}

/* A particle is stopped by its own spring; a vertex of a body by the springs of the whole body. */
static void contact_penalty_look_ahead(const lil_contact *d, const contact_work *w, int i, const lil_depth *at,
                                       const double *v, lil_touch *most)
{
    double thickness = lil_obstacle_thickness(&d->obstacle);
    double size = d->parties ? d->parties[d->party[i]].size : INFINITY;
    lil_touch_sunk(most, at->depth, size < INFINITY ? size : thickness, i, 0);
    if (thickness < INFINITY)
        lil_touch_ahead(most, at->depth, contact_penalty_rate_of(w, at, v + 3 * d->vertices[i]), d->k[i],
                        d->whole[i] < 0 ? d->mass[i] : INFINITY, thickness, i, 0);
}

static bool contact_penalty_who(const void *data, const lil_contact_id *which, lil_pair *names)
{
    const lil_contact *d = data;
    int i = which->own;
    if (!d->name || i < 0 || i >= d->count)
        return false;
    lil_party_name(&d->parties[d->party[i]], d->vertices[i], names->what, sizeof names->what);
    snprintf(names->in, sizeof names->in, "%s", d->name);
    return true;
}

/* omega_c^2 = sum k/m over the vertices of a body in contact: the error of a bounce depends on h omega_c */
static void contact_penalty_touch(const void *data, void *work, const lil_at *here, lil_touch *most)
{
    const lil_contact *d = data;
    contact_work *w = work;
    double k = 0;
    contact_penalty_place(d, w, here->t);
    for (int i = 0; i < d->count; i++) {
        lil_depth at = contact_penalty_look(d, w, i, here->q);
        if (i == 0 || d->whole[i] < 0 || d->whole[i] != d->whole[i - 1])
            k = 0;
        if (at.depth > most->depth) {
            most->depth = at.depth;
            most->rate = contact_penalty_rate_of(w, &at, here->v + 3 * d->vertices[i]);
        }
        contact_penalty_look_ahead(d, w, i, &at, here->v, most);
        if (!(at.depth > 0))
            continue;
        k += d->k[i];
        most->omega = fmax(most->omega, sqrt(k / d->mass[i]));
        most->stiffness = fmax(most->stiffness, d->k[i]);
    }
}

/* ---- as elements: each vertex is one ---- */

static int contact_penalty_element_count(const void *data)
{
    return ((const lil_contact *)data)->count;
}

static int contact_penalty_element_vertices(const void *data, int e, int at[LIL_ELEMENT_VERTICES],
                                            double stiffness[LIL_ELEMENT_VERTICES])
{
    const lil_contact *d = data;
    at[0] = d->vertices[e];
    stiffness[0] = d->k[e];
    return 1;
}

static double contact_penalty_element_longest_step(const void *data, int e, double kD,
                                                   const double inverse_mass[LIL_ELEMENT_VERTICES])
{
    (void)kD;
    return 2 / sqrt(((const lil_contact *)data)->k[e] * inverse_mass[0]);
}

static lil_status contact_penalty_element_some(lil_context *ctx, lil_arena *arena, const void *data,
                                               const int *elements, int count, lil_term *part)
{
    const lil_contact *d = data;
    lil_contact *p = LIL_NEW(arena, lil_contact, 1);
    int *vertices = LIL_NEW(arena, int, count);
    double *k = LIL_NEW(arena, double, count);
    LIL_HAVE(ctx, p && vertices && k);
    for (int i = 0; i < count; i++) {
        vertices[i] = d->vertices[elements[i]];
        k[i] = d->k[elements[i]];
    }
    *p = (lil_contact){
        .obstacle = d->obstacle, .move = d->move, .count = count, .vertices = vertices, .k = k, .number = d->number
    };
    *part = lil_contact_term(p);
    return LIL_OK;
}

static void contact_penalty_element_name(const void *data, int e, char *name, size_t size)
{
    const lil_contact *d = data;
    snprintf(name, size, "contact of %.3g N/m at vertex %d", d->k[e], d->vertices[e]);
}

static bool contact_penalty_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const lil_contact *d = data;
    return d->move && lil_program_explain(d->move, ((contact_work *)work)->slots, at->t, NULL, NULL, sentence, size);
}

static const lil_term_elements elements = { .count = contact_penalty_element_count,
                                            .vertices = contact_penalty_element_vertices,
                                            .longest_step = contact_penalty_element_longest_step,
                                            .some = contact_penalty_element_some,
                                            .name = contact_penalty_element_name };

static const lil_term_discrete_gradient discrete_gradient = { .evaluate = contact_penalty_discrete_gradient,
                                                              .second = contact_penalty_discrete_gradient_second };

static const lil_term_contact seen = { .touch = contact_penalty_touch, .who = contact_penalty_who };

static const lil_term_table table = {
    .name = "contact",
    .doc = "contact with an obstacle, W = sum k/2 d^2",
    .place = LIL_POTENTIAL,
    .elements = &elements,
    .begin = contact_penalty_begin,
    .evaluate = contact_penalty_evaluate,
    .second = second,
    .projects = true,
    .pairs = contact_penalty_pairs,
    .discrete_gradient = &discrete_gradient,
    .contact = &seen,
    .driven = driven,
    .press = contact_penalty_press,
    .size = size,
    .explain = contact_penalty_explain,
};

lil_term lil_contact_term(const lil_contact *contact)
{
    return (lil_term){ .table = &table, .data = (void *)contact, .uses_t = contact->move, .uses_q = true };
}
