/*
 * Strain-rate damping of tets (Kharevych et al. 2006, section 5.2): D = kD grad_2 Wd(a, b), with Wd(a, b) the elastic
 * energy of shape b when a is the shape at rest. With a tet's gradients g_i in the shape a, its volume V there and
 * the velocity gradient L = sum v_i g_i',
 *
 *     Wd(a, a + h v) = V w(I + h L),    Kd(a) = its Hessian in b at b = a:    v'Kd v = V (2 mu D:D + lambda tr^2 D), D = sym L
 *
 * which is zero for a rigid motion. Kd grows without bound as a tet becomes flat. Materials that are defined for flat
 * tets use v'Kd v = V0 (2 mu E':E' + lambda tr^2 E'), E' = sym(F'F'), which is the same up to second order in the
 * strain. Both are f_i = V R S g_i with S of sym(sum (R'v_i) g_i'), and R = I or F.
 */
#include "terms/tets.h"

#include "core/threads.h"
#include "math/matrix3.h"
#include "terms/tet_stiffness.h"

#include <math.h>
#include <string.h>

/* Four tets as rest shapes: gradients of the last three vertices, volumes, and R. */
typedef struct rest_block {
    lil_lanes B[9], V, R[9];
} rest_block;

typedef struct damping_work {
    lil_threads *threads;
    double h;
    rest_block *rest;         /* at the prepared positions */
    lil_lanes *shares;        /* of the dissipated momentum */
    double *S;                /* of each chunk */
    lil_tet_stiffness *pairs; /* or NULL */
} damping_work;

/* Shared by the threads; x are positions or velocities. */
typedef struct damping_job {
    const lil_tets *tets;
    damping_work *work;
    const double *q, *v;
    double weight, *D; /* D may be NULL */
    bool current, value;
} damping_job;

static const lil_tets *tets_of(const lil_damped *d)
{
    return d->of;
}

static bool survives(const lil_damped *d)
{
    return tets_of(d)->material.table->holds & LIL_MATERIAL_INVERTS;
}

/* ---- rest shapes ---- */

/* B = D^-1; det D is returned */
LIL_INLINE lil_lanes invert(const lil_lanes D[9], lil_lanes B[9])
{
    lil_lanes cof[9];
    lil_lanes_cofactor(D, cof);
    lil_lanes det = D[0] * cof[0] + D[1] * cof[1] + D[2] * cof[2];
    for (int k = 0; k < 9; k++)
        B[k] = cof[3 * (k % 3) + k / 3] / det;
    return det;
}

/* volumes of tets whose edges have that determinant; 0 in lanes that repeat a tet */
LIL_INLINE lil_lanes volume(const lil_tet_block *block, lil_lanes det)
{
    return lil_lanes_select(block->V > 0, lil_lanes_select(det < 0, -det, det) / 6, lil_lanes_all(0));
}

LIL_KERNEL static void prepare_chunk(void *data, int k)
{
    const damping_job *job = data;
    const lil_tet_chunks *all = &job->tets->chunks;
    const lil_tet_chunk *chunk = &all->chunks[k];
    lil_lanes x[LIL_CHUNK_SLOTS];
    lil_chunk_local(all, chunk, job->q, x);
    for (int i = 0; i < chunk->block_count; i++) {
        const lil_tet_block *block = &all->blocks[chunk->block + i];
        rest_block *r = &job->work->rest[chunk->block + i];
        lil_lanes D[9];
        lil_block_edges(lil_chunk_mix(chunk, i), block, x, D);
        if (job->current) {
            r->V = volume(block, invert(D, r->B));
        } else {
            lil_block_multiply(D, block->B, r->R);
            memcpy(r->B, block->B, sizeof r->B);
            r->V = block->V;
        }
    }
}

static void tet_damping_set_rest(const lil_damped *d, damping_work *w, double h, const double *q, bool current)
{
    damping_job job = { .tets = tets_of(d), .work = w, .q = q, .current = current };
    w->h = h;
    lil_parallel(w->threads, tets_of(d)->chunks.count, prepare_chunk, &job);
    if (w->pairs)
        lil_tet_stiffness_keep(w->pairs, q);
}

/* A point as a rest shape, as plain numbers. */
typedef struct rest_shape {
    double V, G[12], R[9];
} rest_shape;

static void get_rest(const lil_damped *d, const damping_work *w, int point, bool current, rest_shape *r)
{
    int place = tets_of(d)->chunks.place[point], lane = place % LIL_LANES;
    const rest_block *block = &w->rest[place / LIL_LANES];
    double B[9];
    for (int m = 0; m < 9; m++) {
        B[m] = block->B[m][lane];
        r->R[m] = current ? m % 4 == 0 : block->R[m][lane];
    }
    lil_tet_gradients(B, r->G);
    r->V = block->V[lane];
}

/* ---- Kd ---- */

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

/* Adds the norms of the blocks of an element's matrix to its nodes. */
static void add_norms(const int *node, int nodes, const double *K, double *sums)
{
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++) {
            double square = 0;
            for (int k = 0; k < 9; k++) {
                double x = K[3 * nodes * (3 * a + k / 3) + 3 * b + k % 3];
                square += x * x;
            }
            sums[node[a]] += sqrt(square);
        }
}

static void tet_damping_rows(const void *data, double *sums)
{
    const lil_damped *d = data;
    const lil_tets *t = tets_of(d);
    for (int e = 0; e < t->count; e++) {
        lil_tet tet;
        double K[144], all[900] = { 0 };
        for (int p = lil_tets_point(t, e); p < lil_tets_point(t, e + 1); p++) {
            rest_shape r = { .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
            lil_tets_get(t, p, &tet);
            lil_tet_gradients(tet.B, r.G);
            r.V = tet.V;
            rate_matrix(&t->material.moduli, &r, d->kD, K);
            if (t->mids)
                lil_mix_matrix(tet.mix, tet.k, K, all);
        }
        add_norms(tet.id, tet.nodes, t->mids ? all : K, sums);
    }
}

/* ---- exact and minimised: the quadratic form ---- */

static lil_status tet_damping_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                    lil_entries *entries)
{
    const lil_damped *d = data;
    const lil_tet_chunks *chunks = &tets_of(d)->chunks;
    damping_work *w = *work = LIL_NEW(arena, damping_work, 1);
    LIL_HAVE(ctx, w);
    w->threads = ctx->threads;
    LIL_ALLOC(ctx, arena, w->rest, chunks->block_count);
    LIL_ALLOC(ctx, arena, w->shares, chunks->share_count);
    LIL_ALLOC(ctx, arena, w->S, chunks->count);
    return second ? lil_tets_entries(ctx, arena, tets_of(d), &entries->vv, entries) : LIL_OK;
}

static void tet_damping_prepare(const void *data, void *work, double t, double h, const double *q)
{
    (void)t;
    const lil_damped *d = data;
    tet_damping_set_rest(d, work, h, q, !survives(d));
}

/* S = 2 mu D + lambda tr D of D = sym L; S:D is returned */
LIL_INLINE lil_lanes rate_stress(const lil_moduli *m, const lil_lanes L[9], lil_lanes S[9])
{
    lil_lanes trace = L[0] + L[4] + L[8], power = { 0 };
    double lambda = m->kappa - 2 * m->mu / 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            lil_lanes D = (L[3 * i + j] + L[3 * j + i]) / 2;
            S[3 * i + j] = 2 * m->mu * D;
            if (i == j)
                S[3 * i + j] += lambda * trace;
            power += S[3 * i + j] * D;
        }
    return power;
}

LIL_KERNEL static void quadratic_chunk(void *data, int k)
{
    const damping_job *job = data;
    const lil_tet_chunks *all = &job->tets->chunks;
    const lil_tet_chunk *chunk = &all->chunks[k];
    lil_lanes v[LIL_CHUNK_SLOTS], f[LIL_CHUNK_SLOTS], value = { 0 };
    lil_chunk_local(all, chunk, job->v, v);
    memset(f, 0, (size_t)chunk->slot_count * sizeof *f);
    for (int i = 0; i < chunk->block_count; i++) {
        const lil_tet_block *block = &all->blocks[chunk->block + i];
        const lil_mix *mix = lil_chunk_mix(chunk, i);
        const rest_block *r = &job->work->rest[chunk->block + i];
        lil_lanes D[9], L[9], S[9], turned[9];
        lil_block_edges(mix, block, v, D);
        lil_block_multiply(D, r->B, L);
        if (!job->current) {
            lil_lanes_multiply_tn(r->R, L, turned);
            memcpy(L, turned, sizeof L);
        }
        value += r->V * rate_stress(&job->tets->material.moduli, L, S);
        if (!job->current)
            lil_block_multiply(r->R, S, turned);
        lil_block_forces(mix, block, job->weight * r->V, job->current ? S : turned, r->B, f);
    }
    if (job->D)
        lil_chunk_add(all, chunk, f, job->work->shares, job->D);
    job->work->S[k] = (value[0] + value[1]) + (value[2] + value[3]);
}

/* Sums the results of chunks: weight times their values, and the vector. */
static void tet_damping_add_up(const damping_job *job, double weight, double *value)
{
    const lil_tet_chunks *chunks = &job->tets->chunks;
    for (int k = 0; value && k < chunks->count; k++)
        *value += weight * job->work->S[k];
    if (job->D)
        lil_tet_chunks_gather(chunks, job->work->threads, job->work->shares, job->D);
}

/* weight Kd v into gv; v'Kd v weight / 2 into the value */
static void tet_damping_quadratic_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_damped *d = data;
    damping_work *w = work;
    double weight = lil_damping_factor(d, w->h, 1);
    damping_job job = {
        .tets = tets_of(d), .work = w, .v = at->v, .weight = weight, .D = sums->gv, .current = !survives(d)
    };
    lil_parallel(w->threads, tets_of(d)->chunks.count, quadratic_chunk, &job);
    tet_damping_add_up(&job, weight / 2, sums->value);
}

static void quadratic_matrix(const lil_damped *d, const damping_work *w, double weight, double *values)
{
    for (int p = 0; p < tets_of(d)->chunks.point_count; p++) {
        rest_shape r;
        double K[144];
        get_rest(d, w, p, !survives(d), &r);
        rate_matrix(&tets_of(d)->material.moduli, &r, weight, K);
        lil_tets_put_matrix(tets_of(d), p, K, values);
    }
}

static lil_status pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_block_pairs *list)
{
    const lil_damped *d = data;
    return lil_tet_stiffness_create(ctx, arena, tets_of(d), true, list, &((damping_work *)work)->pairs);
}

static lil_status tet_damping_place_pairs(lil_context *ctx, lil_arena *arena, void *work, const int (*rows)[2])
{
    return lil_tet_stiffness_place(ctx, arena, rows, ((const damping_work *)work)->pairs);
}

/* positive semidefinite, as prepared */
static void tet_damping_quadratic_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    double weight = lil_damping_factor(d, w->h, lil_sink_scale(to));
    (void)at;
    if (to->entries)
        quadratic_matrix(d, w, weight, to->entries);
    else
        lil_tet_stiffness_add(
            &(lil_stiffness_job){ .pairs = w->pairs,
                                  .kind = survives(d) ? LIL_PAIRS_RATE_REFERENCE : LIL_PAIRS_RATE_CURRENT,
                                  .weight = weight,
                                  .where = to->where,
                                  .blocks = to->blocks });
}

/* S = 2 mu D + lambda tr D, D = sym A */
static void plain_stress(const lil_moduli *m, const double A[9], double S[9])
{
    double lambda = m->kappa - 2 * m->mu / 3, trace = A[0] + A[4] + A[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[3 * i + j] = m->mu * (A[3 * i + j] + A[3 * j + i]) + (i == j ? lambda * trace : 0);
}

/* d(y'Kd v)/dq of a tet, as a matrix A: A g_i for vertex i. With L_x the gradient of a change of place x, dV = V
 * tr L_x and dL_v = -L_v L_x: A = V ((S_v:L_y) I - L_y'S_v - L_v'S_y); where R = F, d sym(F'F_v) = sym(L_x'F_v): A
 * = V (F_y S_v + F_v S_y). */
static void rate_slope(const lil_moduli *m, const rest_shape *r, bool current, const double Ly[9], const double Lv[9],
                       double A[9])
{
    double Ey[9], Ev[9], Sy[9], Sv[9], one[9], two[9], power = 0;
    if (current) {
        memcpy(Ey, Ly, sizeof Ey);
        memcpy(Ev, Lv, sizeof Ev);
    } else {
        lil_multiply3_tn(r->R, Ly, Ey);
        lil_multiply3_tn(r->R, Lv, Ev);
    }
    plain_stress(m, Ey, Sy);
    plain_stress(m, Ev, Sv);
    for (int k = 0; k < 9; k++)
        power += Sv[k] * Ey[k];
    if (current) {
        lil_multiply3_tn(Ly, Sv, one);
        lil_multiply3_tn(Lv, Sy, two);
    } else {
        lil_multiply3(Ly, Sv, one);
        lil_multiply3(Lv, Sy, two);
    }
    for (int k = 0; k < 9; k++)
        A[k] = r->V * (current ? (k % 4 == 0 ? power : 0) - one[k] - two[k] : one[k] + two[k]);
}

static void exact_slope(const void *data, void *work, const lil_at *at, const double *y, double *g)
{
    const lil_damped *d = data;
    bool current = !survives(d);
    for (int p = 0; p < tets_of(d)->chunks.point_count; p++) {
        rest_shape r;
        lil_tet tet;
        double D[9], Ly[9], Lv[9], A[9], G[3 * LIL_TET_NODES];
        get_rest(d, work, p, current, &r);
        lil_tets_get(tets_of(d), p, &tet);
        lil_tet_edges(&tet, y, D);
        lil_multiply3(D, r.G + 3, Ly);
        lil_tet_edges(&tet, at->v, D);
        lil_multiply3(D, r.G + 3, Lv);
        rate_slope(&tets_of(d)->material.moduli, &r, current, Ly, Lv, A);
        lil_tet_node_gradients(&tet, r.G + 3, G);
        for (int i = 0; i < tet.nodes; i++)
            for (int a = 0; a < 3; a++)
                g[3 * (size_t)tet.id[i] + (size_t)a] +=
                    d->kD * (A[3 * a] * G[3 * i] + A[3 * a + 1] * G[3 * i + 1] + A[3 * a + 2] * G[3 * i + 2]);
    }
}

/* ---- paper and explicit: the whole energy, its phases as in tets.c ---- */

static void prepare_current(const void *data, void *work, double t, double h, const double *q)
{
    (void)t;
    tet_damping_set_rest(data, work, h, q, true);
}

typedef struct batch {
    lil_lanes F[9 * LIL_BATCH], P[9 * LIL_BATCH], J[LIL_BATCH], w[LIL_BATCH];
} batch;

/* F = I + h L of a block */
LIL_INLINE void strain(const lil_mix *mix, const lil_tet_block *block, const rest_block *r, const lil_lanes *v,
                       double h, lil_lanes F[9])
{
    lil_lanes D[9];
    lil_block_edges(mix, block, v, D);
    lil_block_multiply(D, r->B, F);
    for (int k = 0; k < 9; k++)
        F[k] = h * F[k] + (k % 4 == 0 ? 1 : 0);
}

LIL_KERNEL static void paper_chunk(void *data, int k)
{
    const damping_job *job = data;
    const lil_tet_chunks *all = &job->tets->chunks;
    const lil_tet_chunk *chunk = &all->chunks[k];
    const lil_material *m = &job->tets->material;
    lil_lanes v[LIL_CHUNK_SLOTS], f[LIL_CHUNK_SLOTS], S = { 0 };
    batch b;
    lil_chunk_local(all, chunk, job->v, v);
    memset(f, 0, (size_t)chunk->slot_count * sizeof *f);
    for (int first = 0; first < chunk->block_count; first += LIL_BATCH) {
        const lil_tet_block *block = all->blocks + chunk->block + first;
        const rest_block *r = job->work->rest + chunk->block + first;
        int count = chunk->block_count - first < LIL_BATCH ? chunk->block_count - first : LIL_BATCH;
        for (int i = 0; i < count; i++) {
            strain(lil_chunk_mix(chunk, first + i), &block[i], &r[i], v, job->work->h, b.F + 9 * i);
            b.J[i] = lil_lanes_determinant(b.F + 9 * i);
        }
        m->table->stress(&m->moduli, m->config, count, b.F, b.J, job->value ? b.w : NULL, job->D ? b.P : NULL);
        for (int i = 0; i < count && job->value; i++)
            S += lil_lanes_select(r[i].V > 0, r[i].V * b.w[i], lil_lanes_all(0));
        for (int i = 0; i < count && job->D; i++)
            lil_block_forces(lil_chunk_mix(chunk, first + i), &block[i],
                             job->weight * lil_block_volume(m, r[i].V, b.J[i]), b.P + 9 * i, r[i].B, f);
    }
    if (job->D)
        lil_chunk_add(all, chunk, f, job->work->shares, job->D);
    job->work->S[k] = (S[0] + S[1]) + (S[2] + S[3]);
}

static void tet_damping_paper_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_damped *d = data;
    damping_work *w = work;
    damping_job job = {
        .tets = tets_of(d), .work = w, .v = at->v, .weight = d->kD, .value = sums->value, .D = sums->gv
    };
    lil_parallel(w->threads, tets_of(d)->chunks.count, paper_chunk, &job);
    tet_damping_add_up(&job, d->kD / w->h, sums->value);
}

/* V w(I + h L) is the difference of numbers of size mu V; sizes at rest replace the current ones */
static void paper_size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    (void)q;
    *value += d->kD / w->h * tets_of(d)->size_W;
    if (gradient)
        *gradient += d->kD * tets_of(d)->size_g;
}

static void paper_entries(const lil_damped *d, const damping_work *w, const double *v, double *values)
{
    for (int p = 0; p < tets_of(d)->chunks.point_count; p++) {
        rest_shape r;
        lil_tet tet;
        double D[9], F[9], A[81], K[144];
        get_rest(d, w, p, true, &r);
        lil_tets_get(tets_of(d), p, &tet);
        lil_tet_edges(&tet, v, D);
        lil_multiply3(D, r.G + 3, F);
        for (int k = 0; k < 9; k++)
            F[k] = w->h * F[k] + (k % 4 == 0 ? 1 : 0);
        lil_material_tangent(&tets_of(d)->material, F, true, A);
        lil_tet_element_stiffness(r.G, A, d->kD * w->h * r.V, K);
        lil_tets_put_matrix(tets_of(d), p, K, values);
    }
}

/* projected, as it always is */
static void tet_damping_paper_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    if (to->entries)
        paper_entries(d, w, at->v, to->entries);
    else
        lil_tet_stiffness_add(&(lil_stiffness_job){ .pairs = w->pairs,
                                                    .kind = LIL_PAIRS_STEP,
                                                    .v = at->v,
                                                    .h = w->h,
                                                    .definite = true,
                                                    .weight = to->weight * d->kD * w->h,
                                                    .where = to->where,
                                                    .blocks = to->blocks });
}

/* ---- explicit: the shape of the step before is the rest shape ---- */

static lil_status explicit_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                 lil_entries *entries)
{
    (void)second;
    return tet_damping_begin(ctx, data, arena, false, work, entries);
}

static void explicit_prepare(const void *data, void *work, double t, double h, const double *q)
{
    (void)t;
    (void)data, (void)q;
    ((damping_work *)work)->h = h;
}

LIL_KERNEL static void explicit_chunk(void *data, int k)
{
    const damping_job *job = data;
    const lil_tet_chunks *all = &job->tets->chunks;
    const lil_tet_chunk *chunk = &all->chunks[k];
    const lil_material *m = &job->tets->material;
    lil_lanes x[LIL_CHUNK_SLOTS], v[LIL_CHUNK_SLOTS], f[LIL_CHUNK_SLOTS];
    batch b;
    lil_chunk_local(all, chunk, job->q, x);
    lil_chunk_local(all, chunk, job->v, v);
    memset(f, 0, (size_t)chunk->slot_count * sizeof *f);
    for (int first = 0; first < chunk->block_count; first += LIL_BATCH) {
        const lil_tet_block *block = all->blocks + chunk->block + first;
        rest_block *r = job->work->rest + chunk->block + first;
        int count = chunk->block_count - first < LIL_BATCH ? chunk->block_count - first : LIL_BATCH;
        for (int i = 0; i < count; i++) {
            const lil_mix *mix = lil_chunk_mix(chunk, first + i);
            lil_lanes D[9], before[9], det;
            lil_block_edges(mix, &block[i], x, D);
            lil_block_edges(mix, &block[i], v, before);
            for (int n = 0; n < 9; n++)
                before[n] = D[n] - job->work->h * before[n];
            det = invert(before, r[i].B);
            lil_block_multiply(D, r[i].B, b.F + 9 * i);
            b.J[i] = lil_lanes_determinant(b.F + 9 * i);
            r[i].V = lil_block_volume(m, volume(&block[i], det), det); /* J has the sign of det */
        }
        m->table->stress(&m->moduli, m->config, count, b.F, b.J, NULL, b.P);
        for (int i = 0; i < count; i++)
            lil_block_forces(lil_chunk_mix(chunk, first + i), &block[i], job->weight * r[i].V, b.P + 9 * i, r[i].B,
                             f);
    }
    lil_chunk_add(all, chunk, f, job->work->shares, job->D);
}

static void tet_damping_explicit_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_damped *d = data;
    damping_work *w = work;
    damping_job job = { .tets = tets_of(d), .work = w, .q = at->q, .v = at->v, .weight = d->kD, .D = sums->gv };
    if (!sums->gv)
        return;
    lil_parallel(w->threads, tets_of(d)->chunks.count, explicit_chunk, &job);
    tet_damping_add_up(&job, 0, NULL);
}

/* ---- tables ---- */

static const lil_term_dissipation kick = { .slope = exact_slope, .rows = tet_damping_rows },
                                  paper = { .leaks = true };

static const lil_term_table forms[] = {
    [LIL_DAMP_EXACT] = { .name = "tets-damping-exact",
                         .doc = "strain-rate damping as kicks about the step",
                         .place = LIL_KICK,
                         .begin = tet_damping_begin,
                         .prepare = tet_damping_prepare,
                         .evaluate = tet_damping_quadratic_evaluate,
                         .second = tet_damping_quadratic_second,
                         .pairs = pairs,
                         .place_pairs = tet_damping_place_pairs,
                         .dissipation = &kick },
    [LIL_DAMP_MINIMISED] = { .name = "tets-damping-minimised",
                             .doc = "strain-rate damping as a quadratic form in the Lilyan",
                             .place = LIL_STEP,
                             .begin = tet_damping_begin,
                             .prepare = tet_damping_prepare,
                             .evaluate = tet_damping_quadratic_evaluate,
                             .second = tet_damping_quadratic_second,
                             .pairs = pairs,
                             .place_pairs = tet_damping_place_pairs },
    [LIL_DAMP_PAPER] = { .name = "tets-damping-paper",
                         .doc = "strain-rate damping as the paper's energy in the Lilyan",
                         .place = LIL_STEP,
                         .begin = tet_damping_begin,
                         .prepare = prepare_current,
                         .evaluate = tet_damping_paper_evaluate,
                         .second = tet_damping_paper_second,
                         .pairs = pairs,
                         .place_pairs = tet_damping_place_pairs,
                         .size = paper_size,
                         .dissipation = &paper },
    [LIL_DAMP_EXPLICIT] = { .name = "tets-damping-explicit",
                            .doc = "strain-rate damping of the paper before an explicit step",
                            .place = LIL_IMPULSE,
                            .elements = &lil_damped_elements,
                            .begin = explicit_begin,
                            .prepare = explicit_prepare,
                            .evaluate = tet_damping_explicit_evaluate },
};

lil_status lil_tets_damping(lil_context *ctx, lil_arena *arena, const lil_tets *tets, double kD, lil_damping form,
                            lil_term *term)
{
    return lil_damping_term(ctx, arena, &(lil_damped){ tets, kD, form, &forms[form], &lil_tet_elements }, term);
}
