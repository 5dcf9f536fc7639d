#include "terms/pressure.h"

#include "core/order.h"
#include "math/matrix3.h"
#include "terms/entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An edge a -> b of a face with c opposite; the other way round it belongs to the face with d. d2V/da db = [d - c]x/6.
 * An edge where a surface touches itself is there more than once, as one pair. */
typedef struct pressure_edge {
    int a, b, c, d, pair;
} pressure_edge;

typedef struct pressure {
    lil_pressure_def def;
    int *vertices, count; /* of its faces */
    pressure_edge *edges; /* a < b, with two faces; of a potential */
    int edge_count, pair_count;
} pressure;

typedef struct pressure_work {
    double *slots;
    double *middle, *way; /* of the vertices of faces: halfway, and from there on without rigid motion */
    bool *turned;         /* of each pair: a is pinned, so that its block is one of row b */
    int pair_count;
    double driven;
} pressure_work;

/* ---- create ---- */

static int by_ends(const void *x, const void *y)
{
    const pressure_edge *p = x, *r = y;
    return p->a != r->a ? lil_order(p->a, r->a) : lil_order(p->b, r->b); /* faces of one edge in any order */
}

/* Each edge of each face as a < b: c is opposite where the face has it as a -> b, d where as b -> a. */
static lil_status pressure_list_edges(lil_context *ctx, lil_arena *arena, pressure *d)
{
    int total = 3 * d->def.face_count, *back;
    LIL_ALLOC(ctx, arena, d->edges, total);
    LIL_ALLOC(ctx, arena, back, total);
    for (int i = 0; i < total; i++) {
        const int *face = d->def.faces[i / 3];
        int a = face[i % 3], b = face[(i + 1) % 3], other = face[(i + 2) % 3];
        d->edges[i] = a < b ? (pressure_edge){ a, b, other, -1, 0 } : (pressure_edge){ b, a, -1, other, 0 };
    }
    qsort(d->edges, (size_t)total, sizeof *d->edges, by_ends);
    for (int from = 0, end = 0; from < total; from = end) {
        int n = 0, first = d->edge_count;
        for (; end < total && by_ends(&d->edges[from], &d->edges[end]) == 0; end++)
            if (d->edges[end].d >= 0)
                back[n++] = d->edges[end].d;
        for (int i = from, k = 0; i < end && k < n; i++) {
            pressure_edge e = d->edges[i];
            if (e.c < 0)
                continue;
            e.d = back[k++];
            e.pair = d->pair_count;
            d->edges[d->edge_count++] = e; /* behind those that are still read */
        }
        d->pair_count += d->edge_count > first;
    }
    return LIL_OK;
}

static int by_number(const void *x, const void *y)
{
    return lil_order(*(const int *)x, *(const int *)y);
}

static lil_status pressure_list_vertices(lil_context *ctx, lil_arena *arena, pressure *d)
{
    LIL_ALLOC(ctx, arena, d->vertices, 3 * (size_t)d->def.face_count);
    memcpy(d->vertices, d->def.faces, 3 * (size_t)d->def.face_count * sizeof *d->vertices);
    qsort(d->vertices, 3 * (size_t)d->def.face_count, sizeof *d->vertices, by_number);
    for (int i = 0; i < 3 * d->def.face_count; i++)
        if (i == 0 || d->vertices[i] != d->vertices[d->count - 1])
            d->vertices[d->count++] = d->vertices[i];
    return LIL_OK;
}

static lil_corners edge_corners(const pressure *d)
{
    return (lil_corners){ "edges of faces with pressure", d->edge_count, 2, d->edges, sizeof *d->edges, 0 };
}

static lil_corners face_corners(const pressure *d)
{
    return (lil_corners){ "faces with pressure", d->def.face_count, 3, d->def.faces, sizeof *d->def.faces, 0 };
}

static lil_status pressure_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                 lil_entries *entries)
{
    const pressure *d = data;
    pressure_work *w = *work = LIL_NEW(arena, pressure_work, 1);
    LIL_HAVE(ctx, w && (w->slots = lil_program_slots(d->def.pressure, arena)));
    LIL_ALLOC_ALL(ctx, arena, double, 3 * (size_t)d->count, &w->middle, &w->way);
    w->pair_count = d->pair_count;
    const lil_corners corners = d->def.potential ? edge_corners(d) : face_corners(d);
    return second ? lil_corners_create(ctx, arena, &corners, &entries->qq, entries) : LIL_OK;
}

/* p, and its rate */
static void pressure_at(const pressure *d, const pressure_work *w, double t, double p[2])
{
    double out[6];
    lil_program_run(d->def.pressure, w->slots, t, NULL, NULL, out);
    p[0] = out[0];
    p[1] = out[3];
}

/* ---- volume and its derivatives ---- */

static void from_to(const double *q, int a, int b, double ab[3])
{
    for (int k = 0; k < 3; k++)
        ab[k] = q[3 * (size_t)b + (size_t)k] - q[3 * (size_t)a + (size_t)k];
}

static double determinant(const double a[3], const double b[3], const double c[3])
{
    double bc[3];
    lil_cross3(b, c, bc);
    return lil_dot3(a, bc);
}

/* (p) */
static double volume(const pressure *d, const double *q)
{
    double sum = 0;
    for (int f = 0; f < d->def.face_count; f++) {
        double r[3][3];
        for (int k = 0; k < 3; k++)
            from_to(q, d->def.vertex, d->def.faces[f][k], r[k]);
        sum += determinant(r[0], r[1], r[2]);
    }
    return sum / 6;
}

/* g += weight dV/dq. The number of a vertex's coordinates in q and g: its own, or its place in the list. */
static void add_area(const pressure *d, const double *q, double weight, double *g)
{
    for (int f = 0; f < d->def.face_count; f++) {
        const int *v = d->def.faces[f];
        double ab[3], ac[3], N[3];
        from_to(q, v[0], v[1], ab);
        from_to(q, v[0], v[2], ac);
        lil_cross3(ab, ac, N);
        for (int k = 0; k < 9; k++)
            g[3 * (size_t)v[k / 3] + (size_t)(k % 3)] += weight / 6 * N[k % 3];
    }
}

static void potential_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const pressure *d = data;
    pressure_work *w = work;
    double p[2], V = volume(d, at->q);
    pressure_at(d, w, at->t, p);
    w->driven = p[1] * V;
    lil_sums_add(sums, p[0] * V);
    if (sums->gq)
        add_area(d, at->q, p[0], sums->gq);
}

static double pressure_driven(const void *work)
{
    return ((const pressure_work *)work)->driven;
}

/* x, as a row y ~ [x]x y */
static void skew(const double x[3], double scale, double S[9])
{
    const double all[9] = { 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0 };
    for (int k = 0; k < 9; k++)
        S[k] = scale * all[k];
}

/* weight d2V/da db at q */
static void edge_hessian(const pressure_edge *e, const double *q, double weight, double H[9])
{
    double cd[3];
    from_to(q, e->c, e->d, cd);
    skew(cd, weight / 6, H);
}

static void add_block(int at, double sign, const double H[9], float *blocks)
{
    for (int k = 0; k < 9 && at >= 0; k++)
        blocks[9 * (size_t)at + (size_t)k] += (float)(sign * H[k]);
}

/* Not definite anywhere: a projected matrix is without it. */
static void potential_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const pressure *d = data;
    const pressure_work *w = work;
    double p[2];
    pressure_at(d, w, at->t, p);
    double scale = to->definite ? 0 : p[0] * lil_sink_scale(to);
    for (int e = 0; e < d->edge_count; e++) {
        double H[9];
        edge_hessian(&d->edges[e], at->q, scale, H);
        if (to->entries) {
            double *K = to->entries + 36 * (size_t)e;
            memset(K, 0, 36 * sizeof *K);
            for (int k = 0; k < 9; k++) /* a b, and transposed b a */
                K[6 * (k / 3) + 3 + k % 3] = K[6 * (3 + k % 3) + k / 3] = H[k];
        } else {
            add_block(to->where[d->edges[e].pair], w->turned[d->edges[e].pair] ? -1 : 1, H, to->blocks);
        }
    }
}

static lil_status pressure_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work,
                                 lil_block_pairs *list)
{
    const pressure *d = data;
    pressure_work *w = work;
    LIL_ALLOC(ctx, arena, list->at, d->pair_count);
    LIL_ALLOC(ctx, arena, w->turned, d->pair_count);
    list->count = d->pair_count;
    for (int e = 0; e < d->edge_count; e++) {
        list->at[d->edges[e].pair][0] = d->edges[e].a;
        list->at[d->edges[e].pair][1] = d->edges[e].b;
    }
    return LIL_OK;
}

static lil_status pressure_place_pairs(lil_context *ctx, lil_arena *arena, void *work, const int (*rows)[2])
{
    pressure_work *w = work;
    (void)ctx, (void)arena;
    for (int k = 0; k < w->pair_count; k++)
        w->turned[k] = rows[k][0] < 0;
    return LIL_OK;
}

/* ---- discrete gradient ---- */

/* w += translation and rotation about the middle: of the way d from m what no rigid motion is, by least squares. */
static void remove_rigid(int count, const double *m, double *d)
{
    double c[3] = { 0 }, mean[3] = { 0 }, J[9] = { 0 }, L[3] = { 0 }, omega[3], inverse[9];
    for (int i = 0; i < 3 * count; i++) {
        c[i % 3] += m[i] / count;
        mean[i % 3] += d[i] / count;
    }
    for (int i = 0; i < count; i++) {
        double r[3], u[3], ru[3];
        for (int k = 0; k < 3; k++) {
            r[k] = m[3 * i + k] - c[k];
            u[k] = d[3 * i + k] - mean[k];
        }
        lil_cross3(r, u, ru);
        double square = lil_dot3(r, r);
        for (int k = 0; k < 9; k++)
            J[k] += (k % 4 == 0) * square - r[k / 3] * r[k % 3];
        for (int k = 0; k < 3; k++)
            L[k] += ru[k];
    }
    double det = lil_determinant3(J);
    if (!(det > 0))
        return;
    lil_cofactor3(J, inverse);
    for (int k = 0; k < 3; k++)
        omega[k] = (inverse[3 * k] * L[0] + inverse[3 * k + 1] * L[1] + inverse[3 * k + 2] * L[2]) / det;
    for (int i = 0; i < count; i++) {
        double r[3], turn[3];
        for (int k = 0; k < 3; k++)
            r[k] = m[3 * i + k] - c[k];
        lil_cross3(omega, r, turn);
        for (int k = 0; k < 3; k++)
            d[3 * i + k] -= mean[k] + turn[k];
    }
}

/* V is cubic: V_1 - V_0 = dV(m).d + 1/24 sum d_a.(d_b x d_c), with m halfway and d the way */
static double cubic_rest(const pressure *d, const double *q0, const double *q1)
{
    double sum = 0;
    for (int f = 0; f < d->def.face_count; f++) {
        double r[3][3], s[3][3];
        for (int k = 0; k < 3; k++) {
            from_to(q0, d->def.vertex, d->def.faces[f][k], r[k]);
            from_to(q1, d->def.vertex, d->def.faces[f][k], s[k]);
            for (int l = 0; l < 3; l++)
                s[k][l] -= r[k][l];
        }
        sum += determinant(s[0], s[1], s[2]);
    }
    return sum / 24;
}

/*
 * G = p (dV(m) + rest u/|u|^2), u the way without its rigid part: it has no net force and no torque about m either. p is
 * the mean of both ends'; W_1 - W_0 - G.d = (p_1 - p_0) (V_0 + V_1)/2.
 */
static void pressure_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    const double ROUND_OFF = 1e-10; /* of the way: less of it is not known */
    const pressure *d = data;
    pressure_work *w = work;
    double p0[2], p1[2], all = 0, own = 0;
    (void)noise;
    pressure_at(d, w, ends->t0, p0);
    pressure_at(d, w, ends->t1, p1);
    double p = (p0[0] + p1[0]) / 2, rest = cubic_rest(d, ends->q0, ends->q1);
    w->driven = (p1[0] - p0[0]) * (volume(d, ends->q0) + volume(d, ends->q1)) / 2;
    for (int f = 0; f < d->def.face_count; f++) {
        const int *v = d->def.faces[f];
        double e[2][3], N[3];
        for (int k = 0; k < 2; k++) {
            double a[3], b[3];
            from_to(ends->q0, v[0], v[k + 1], a);
            from_to(ends->q1, v[0], v[k + 1], b);
            for (int l = 0; l < 3; l++)
                e[k][l] = (a[l] + b[l]) / 2;
        }
        lil_cross3(e[0], e[1], N);
        for (int k = 0; k < 9; k++)
            g[3 * (size_t)v[k / 3] + (size_t)(k % 3)] += p / 6 * N[k % 3];
    }
    for (int i = 0; i < 3 * d->count; i++) {
        size_t at = 3 * (size_t)d->vertices[i / 3] + (size_t)(i % 3);
        w->middle[i] = (ends->q0[at] + ends->q1[at]) / 2;
        w->way[i] = ends->q1[at] - ends->q0[at];
        all += w->way[i] * w->way[i];
    }
    remove_rigid(d->count, w->middle, w->way);
    for (int i = 0; i < 3 * d->count; i++)
        own += w->way[i] * w->way[i];
    for (int i = 0; i < 3 * d->count && own > ROUND_OFF * ROUND_OFF * all; i++)
        g[3 * (size_t)d->vertices[i / 3] + (size_t)(i % 3)] += p * rest / own * w->way[i];
}

/* Half of p d2V(m): without the derivative of the rest, which is of second order and couples all vertices. */
static void pressure_discrete_gradient_second(const void *data, void *work, const lil_ends *ends, const lil_sink *to)
{
    const pressure *d = data;
    const pressure_work *w = work;
    double p0[2], p1[2];
    pressure_at(d, w, ends->t0, p0);
    pressure_at(d, w, ends->t1, p1);
    double scale = to->weight * (p0[0] + p1[0]) / 8; /* p/2 of both ends' mean */
    for (int e = 0; e < d->edge_count; e++) {
        double A[9], B[9];
        int pair = d->edges[e].pair;
        edge_hessian(&d->edges[e], ends->q0, scale, A);
        edge_hessian(&d->edges[e], ends->q1, scale, B);
        for (int k = 0; k < 9; k++)
            A[k] += B[k];
        add_block(to->two[pair][0], w->turned[pair] ? -1 : 1, A, to->blocks);
        add_block(to->two[pair][1], -1, A, to->blocks); /* the other way round it is transposed: minus the same */
    }
}

static bool is_rough(const void *data)
{
    (void)data;
    return true;
}

/* ---- without a potential ---- */

static void pressure_force_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    double p[2];
    pressure_at(data, work, at->t, p);
    add_area(data, at->q, -p[0], sums->gq);
}

/* Each corner gets -p/6 N, and dN/da = [c - b]x for a, b, c in turn. */
static void force_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const pressure *d = data;
    double p[2];
    pressure_at(d, work, at->t, p);
    for (int f = 0; f < d->def.face_count; f++) {
        const int *v = d->def.faces[f];
        double *K = to->entries + 81 * (size_t)f;
        for (int j = 0; j < 3; j++) {
            double bc[3], S[9];
            from_to(at->q, v[(j + 1) % 3], v[(j + 2) % 3], bc);
            skew(bc, -p[0] / 6, S);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 9; k++)
                    K[9 * (3 * i + k / 3) + 3 * j + k % 3] = S[k];
        }
    }
}

static bool pressure_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const pressure *d = data;
    return lil_program_explain(d->def.pressure, ((pressure_work *)work)->slots, at->t, NULL, NULL, sentence, size);
}

/* ---- tables ---- */

static const lil_term_discrete_gradient pressure_gradient = { .evaluate = pressure_discrete_gradient,
                                                              .second = pressure_discrete_gradient_second,
                                                              .rough = is_rough };

static const lil_term_table pressure_potential = {
    .name = "pressure",
    .doc = "pressure on a closed surface, W = p V",
    .place = LIL_POTENTIAL,
    .begin = pressure_begin,
    .evaluate = potential_evaluate,
    .second = potential_second,
    .pairs = pressure_pairs,
    .place_pairs = pressure_place_pairs,
    .projects = true,
    .discrete_gradient = &pressure_gradient,
    .driven = pressure_driven,
    .explain = pressure_explain,
};

static const lil_term_table pressure_force = {
    .name = "pressure-on-a-patch",
    .doc = "pressure on an open surface, which has no potential",
    .place = LIL_FORCE,
    .begin = pressure_begin,
    .evaluate = pressure_force_evaluate,
    .second = force_second,
    .explain = pressure_explain,
};

lil_status lil_term_pressure(lil_context *ctx, lil_arena *arena, const lil_pressure_def *def, lil_term *term)
{
    pressure *d;
    LIL_ALLOC(ctx, arena, d, 1);
    d->def = *def;
    LIL_TRY(pressure_list_vertices(ctx, arena, d));
    if (def->potential)
        LIL_TRY(pressure_list_edges(ctx, arena, d));
    *term = (lil_term){ .table = def->potential ? &pressure_potential : &pressure_force,
                        .data = d,
                        .uses_t = def->pressure->time_slot >= 0 || def->pressure->fn,
                        .uses_q = true };
    return LIL_OK;
}
