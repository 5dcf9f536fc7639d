/*
 * Strain-rate damping of tets (Kharevych et al. 2006, section 5.2): D = kD grad_2 Wd(a, b), with Wd(a, b) the elastic energy
 * of shape b when a is the shape at rest. With a tet's gradients g_i in the shape a, its volume V there and the velocity
 * gradient L = sum v_i g_i',
 *
 *     Wd(a, a + h v) = V w(I + h L),    Kd(a) = its Hessian in b at b = a:    v'Kd v = V (2 mu D:D + lambda tr^2 D), D = sym L
 *
 * which a rigid motion leaves at zero. Kd grows without bound as a tet becomes flat; materials that survive that use
 * v'Kd v = V0 (2 mu E':E' + lambda tr^2 E'), E' = sym(F'F'), which is the same up to second order in the strain. Both are
 * f_i = V R S g_i with S of sym(sum (R'v_i) g_i'), and R = I or F.
 */
#include "terms/tets.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

typedef struct damping_term {
    const lil_tets *tets;
    double kD;
} damping_term;

/* A tet as a rest shape. */
typedef struct rest_shape {
    double V, G[12], R[9];
} rest_shape;

typedef struct damping_work {
    double h;
    rest_shape *rest; /* of each tet, at the place prepared for */
} damping_work;

static bool survives(const lil_tets *t)
{
    return t->material.table->holds & LIL_MATERIAL_INVERTS;
}

static void set_current(const lil_tet *tet, const double *x, rest_shape *r)
{
    static const double I[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    double D[9], cof[9], B[9], det;
    lil_tet_edges(tet, x, D);
    lil_cofactor3(D, cof);
    det = lil_determinant3(D);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * i + j] = cof[3 * j + i] / det;
    lil_tet_gradients(B, r->G);
    r->V = fabs(det) / 6;
    memcpy(r->R, I, sizeof I);
}

static void set_reference(const lil_tet *tet, const double *x, rest_shape *r)
{
    double D[9];
    lil_tet_edges(tet, x, D);
    lil_multiply3(D, tet->B, r->R);
    lil_tet_gradients(tet->B, r->G);
    r->V = tet->V;
}

/* ---- Kd ---- */

/* S = 2 mu D + lambda tr D of D = sym(sum (R'v_i) g_i'); S:D is returned */
static double rate_stress(const lil_moduli *m, const rest_shape *r, const lil_tet *tet, const double *v, double S[9])
{
    double L[9] = { 0 }, lambda = m->kappa - 2 * m->mu / 3, power = 0;
    for (int a = 0; a < 4; a++)
        for (int i = 0; i < 3; i++) {
            const double *va = v + 3 * tet->id[a];
            double u = r->R[i] * va[0] + r->R[3 + i] * va[1] + r->R[6 + i] * va[2];
            for (int j = 0; j < 3; j++)
                L[3 * i + j] += u * r->G[3 * a + j];
        }
    double trace = L[0] + L[4] + L[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double D = (L[3 * i + j] + L[3 * j + i]) / 2;
            S[3 * i + j] = 2 * m->mu * D + (i == j ? lambda * trace : 0);
            power += S[3 * i + j] * D;
        }
    return power;
}

/* adds weight Kd v */
static void add_rate_force(const lil_moduli *m, const rest_shape *r, const lil_tet *tet, double weight,
                           const double *v, double *f)
{
    double S[9], RS[9], last[3] = { 0 };
    rate_stress(m, r, tet, v, S);
    lil_multiply3(r->R, S, RS);
    for (int a = 1; a < 4; a++)
        for (int i = 0; i < 3; i++) {
            const double *g = r->G + 3 * a;
            double fi = weight * r->V * (RS[3 * i] * g[0] + RS[3 * i + 1] * g[1] + RS[3 * i + 2] * g[2]);
            f[3 * tet->id[a] + i] += fi;
            last[i] -= fi;
        }
    for (int i = 0; i < 3; i++) /* they add up to nothing */
        f[3 * tet->id[0] + i] += last[i];
}

/* weight Kd: block (a, b) is R (lambda g_a g_b' + mu g_b g_a' + mu g_a.g_b I) R' V */
static void rate_matrix(const lil_moduli *m, const rest_shape *r, double weight, double K[144])
{
    double lambda = m->kappa - 2 * m->mu / 3;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const double *ga = r->G + 3 * a, *gb = r->G + 3 * b;
            double dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2], k[9], Rk[9], RkR[9];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    k[3 * i + j] =
                        weight * r->V * (lambda * ga[i] * gb[j] + m->mu * gb[i] * ga[j] + (i == j ? m->mu * dot : 0));
            lil_multiply3(r->R, k, Rk);
            lil_multiply3_nt(Rk, r->R, RkR);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    K[12 * (3 * a + i) + 3 * b + j] = RkR[3 * i + j];
        }
}

static void rows(const void *data, double *sums)
{
    const damping_term *d = data;
    for (int e = 0; e < d->tets->count; e++) {
        lil_tet tet;
        rest_shape r = { .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
        double K[144];
        lil_tets_get(d->tets, e, &tet);
        lil_tet_gradients(tet.B, r.G);
        r.V = tet.V;
        rate_matrix(&d->tets->material.moduli, &r, d->kD, K);
        for (int block = 0; block < 16; block++) {
            double square = 0;
            for (int k = 0; k < 9; k++) {
                double x = K[12 * (3 * (block / 4) + k / 3) + 3 * (block % 4) + k % 3];
                square += x * x;
            }
            sums[tet.id[block / 4]] += sqrt(square);
        }
    }
}

/* ---- exact and minimised: the quadratic form ---- */

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const damping_term *d = data;
    damping_work *w = *work = LIL_NEW(arena, damping_work, 1);
    if (!w || !(w->rest = LIL_NEW(arena, rest_shape, d->tets->count)))
        return lil_fail_memory(ctx);
    if (!second)
        return LIL_OK;
    LIL_TRY(lil_tets_entries(ctx, arena, d->tets, entries));
    entries->vv = 144 * d->tets->count;
    return LIL_OK;
}

static void prepare(const void *data, void *work, double h, const double *q)
{
    const damping_term *d = data;
    damping_work *w = work;
    w->h = h;
    for (int e = 0; e < d->tets->count; e++) {
        lil_tet tet;
        lil_tets_get(d->tets, e, &tet);
        (survives(d->tets) ? set_reference : set_current)(&tet, q, &w->rest[e]);
    }
}

/* weight Kd v into f; v'Kd v weight / 2 into S */
static void quadratic(const damping_term *d, const damping_work *w, double weight, const double *v, double *S,
                      double *f)
{
    const lil_moduli *m = &d->tets->material.moduli;
    for (int e = 0; e < d->tets->count; e++) {
        lil_tet tet;
        double stress[9];
        lil_tets_get(d->tets, e, &tet);
        if (S)
            *S += weight / 2 * w->rest[e].V * rate_stress(m, &w->rest[e], &tet, v, stress);
        if (f)
            add_rate_force(m, &w->rest[e], &tet, weight, v, f);
    }
}

static void quadratic_matrix(const damping_term *d, const damping_work *w, double weight, double *values)
{
    for (int e = 0; e < d->tets->count; e++)
        rate_matrix(&d->tets->material.moduli, &w->rest[e], weight, values + 144 * (size_t)e);
}

static void exact_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                           double *gq, double *gv)
{
    const damping_term *d = data;
    (void)t, (void)q, (void)value, (void)gq;
    quadratic(d, work, d->kD, v, NULL, gv);
}

static void exact_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const damping_term *d = data;
    (void)t, (void)q, (void)v;
    quadratic_matrix(d, work, d->kD, values);
}

static void minimised_evaluate(const void *data, void *work, double t, const double *q, const double *v,
                               double *value, double *gq, double *gv)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q, (void)gq;
    quadratic(d, w, d->kD * w->h, v, value, gv);
}

static void minimised_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q, (void)v;
    quadratic_matrix(d, w, d->kD * w->h, values);
}

/* ---- paper: the whole energy, in lanes for the material's sake ---- */

static void prepare_current(const void *data, void *work, double h, const double *q)
{
    const damping_term *d = data;
    damping_work *w = work;
    w->h = h;
    for (int e = 0; e < d->tets->count; e++) {
        lil_tet tet;
        lil_tets_get(d->tets, e, &tet);
        set_current(&tet, q, &w->rest[e]);
    }
}

/* a block of tets as rest shapes: gradients of the last three vertices, and volumes */
static void gather_rest(const damping_term *d, const damping_work *w, int block, lil_lanes B[9], lil_lanes *V)
{
    for (int l = 0; l < LIL_LANES; l++) {
        int e = l * d->tets->block_count + block;
        bool there = e < d->tets->count;
        const rest_shape *r = &w->rest[there ? e : d->tets->count - 1];
        for (int m = 0; m < 9; m++)
            B[m][l] = r->G[3 + m];
        (*V)[l] = there ? r->V : 0;
    }
}

static void paper_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                           double *gq, double *gv)
{
    const damping_term *d = data;
    const damping_work *w = work;
    const lil_material *m = &d->tets->material;
    lil_lanes S = { 0 };
    (void)t, (void)q, (void)gq;
    for (int i = 0; i < d->tets->block_count; i++) {
        const lil_tet_block *block = &d->tets->blocks[i];
        lil_lanes D[9], B[9], F[9], P[9], V, density;
        gather_rest(d, w, i, B, &V);
        lil_block_edges(block, v, D);
        lil_block_multiply(D, B, F); /* L */
        for (int k = 0; k < 9; k++)
            F[k] = w->h * F[k] + (k % 4 == 0 ? 1 : 0);
        m->table->stress(&m->moduli, m->config, F, value ? &density : NULL, gv ? P : NULL);
        if (value)
            S += lil_lanes_select(V > 0, V * density, lil_lanes_all(0));
        if (gv)
            lil_block_scatter(block, d->kD * lil_block_volume(m, V, lil_lanes_determinant(F)), P, B, gv);
    }
    if (value)
        *value += d->kD / w->h * ((S[0] + S[1]) + (S[2] + S[3]));
}

/* V w(I + h L) is the difference of numbers as large as mu V; sizes at rest stand for those of the shape as it is */
static void paper_size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)q;
    *value += d->kD / w->h * d->tets->size_W;
    if (gradient)
        *gradient += d->kD * d->tets->size_g;
}

static void paper_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q;
    for (int e = 0; e < d->tets->count; e++) {
        const rest_shape *r = &w->rest[e];
        lil_tet tet;
        double D[9], F[9], A[81];
        lil_tets_get(d->tets, e, &tet);
        lil_tet_edges(&tet, v, D);
        lil_multiply3(D, r->G + 3, F);
        for (int k = 0; k < 9; k++)
            F[k] = w->h * F[k] + (k % 4 == 0 ? 1 : 0);
        lil_material_tangent(&d->tets->material, F, true, A);
        lil_tet_stiffness(r->G, A, d->kD * w->h * r->V, values + 144 * (size_t)e);
    }
}

/* ---- explicit: the shape a step ago is the rest shape ---- */

static lil_status explicit_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                 lil_entries *entries)
{
    (void)data, (void)second, (void)entries;
    return (*work = LIL_NEW(arena, damping_work, 1)) ? LIL_OK : lil_fail_memory(ctx);
}

static void explicit_prepare(const void *data, void *work, double h, const double *q)
{
    (void)data, (void)q;
    ((damping_work *)work)->h = h;
}

LIL_KERNEL static void explicit_evaluate(const void *data, void *work, double t, const double *q, const double *v,
                                         double *value, double *gq, double *gv)
{
    const damping_term *d = data;
    double h = ((const damping_work *)work)->h;
    const lil_material *m = &d->tets->material;
    (void)t, (void)value, (void)gq;
    for (int i = 0; gv && i < d->tets->block_count; i++) {
        const lil_tet_block *block = &d->tets->blocks[i];
        lil_lanes D[9], before[9], cof[9], B[9], F[9], P[9];
        lil_block_edges(block, q, D);
        lil_block_edges(block, v, before);
        for (int k = 0; k < 9; k++)
            before[k] = D[k] - h * before[k];
        lil_lanes_cofactor(before, cof);
        lil_lanes det = before[0] * cof[0] + before[1] * cof[1] + before[2] * cof[2];
        for (int k = 0; k < 9; k++)
            B[k] = cof[3 * (k % 3) + k / 3] / det;
        lil_block_multiply(D, B, F);
        m->table->stress(&m->moduli, m->config, F, NULL, P);
        lil_lanes V = lil_lanes_select(block->V > 0, lil_lanes_select(det < 0, -det, det) / 6, lil_lanes_all(0));
        lil_block_scatter(block, d->kD * lil_block_volume(m, V, det), P, B, gv); /* J has the sign of det */
    }
}

/* ---- tables ---- */

const char *const lil_damping_names[] = { [LIL_DAMPING_EXACT] = "exact",
                                          [LIL_DAMPING_MINIMISED] = "minimised",
                                          [LIL_DAMPING_PAPER] = "paper",
                                          [LIL_DAMPING_EXPLICIT] = "explicit",
                                          NULL };

static const lil_term_table forms[] = {
    [LIL_DAMPING_EXACT] = { .name = "tets-damping-exact",
                            .doc = "strain-rate damping as kicks about the step",
                            .place = LIL_KICK,
                            .begin = begin,
                            .prepare = prepare,
                            .evaluate = exact_evaluate,
                            .second = exact_second,
                            .rows = rows },
    [LIL_DAMPING_MINIMISED] = { .name = "tets-damping-minimised",
                                .doc = "strain-rate damping as a quadratic form in the Lilyan",
                                .place = LIL_STEP,
                                .begin = begin,
                                .prepare = prepare,
                                .evaluate = minimised_evaluate,
                                .second = minimised_second },
    [LIL_DAMPING_PAPER] = { .name = "tets-damping-paper",
                            .doc = "strain-rate damping as the paper's energy in the Lilyan",
                            .place = LIL_STEP,
                            .begin = begin,
                            .prepare = prepare_current,
                            .evaluate = paper_evaluate,
                            .second = paper_second,
                            .size = paper_size,
                            .leaks = true },
    [LIL_DAMPING_EXPLICIT] = { .name = "tets-damping-explicit",
                               .doc = "strain-rate damping of the paper before an explicit step",
                               .place = LIL_IMPULSE,
                               .begin = explicit_begin,
                               .prepare = explicit_prepare,
                               .evaluate = explicit_evaluate },
};

lil_status lil_tets_damping(lil_context *ctx, lil_arena *arena, const lil_tets *tets, double kD,
                            lil_damping_form form, lil_term *term)
{
    damping_term *d = LIL_NEW(arena, damping_term, 1);
    if (!d)
        return lil_fail_memory(ctx);
    *d = (damping_term){ tets, kD };
    *term = (lil_term){ .table = &forms[form], .data = d, .uses_q = true, .uses_v = true, .damping = kD };
    return LIL_OK;
}
