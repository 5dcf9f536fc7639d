/* Matrices of elastic bodies as a step's Newton iteration sees them: M + c h^2 K over pairs of free vertices. */
#ifndef LIL_TEST_ELASTIC_H
#define LIL_TEST_ELASTIC_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/field.h"
#include "math/matrix3.h"
#include "math/sparse.h"
#include "mesh/make/shape.h"
#include "solvers/blocks.h"
#include "terms/tets.h"

typedef struct elastic {
    int vertices, tets;
    double *X, *x; /* at rest; where the matrix is taken */
    int (*tet)[4];
    double *scale; /* stiffness of a tet over the material's, 1 unless changed */
    bool *held;    /* vertices */
    int n;         /* free vertices */
    int *row;      /* of a vertex; -1: held */
    double *rows;  /* rest positions of the free ones */
    double *mass;  /* of the free ones */
    int pairs;
    int (*at)[2];     /* vertices */
    int (*at_row)[2]; /* rows */
} elastic;

static inline void *must_alloc(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static inline double elastic_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) * 0x1p-24;
}

/* `count` copies of a shape side by side, 1.5 m apart along y; jitter is a share of the shortest edge at a vertex; shuffled
 * numbers or not. */
static inline void elastic_make(lil_context *ctx, const char *shape_name, const char *options, int count,
                                double jitter, bool shuffle, elastic *e)
{
    _Alignas(max_align_t) char config[1024] = { 0 };
    const lil_shape *shape = lil_shape_find(shape_name);
    lil_arena arena = { 0 };
    lil_mesh mesh;
    lil_fields_default(shape->fields, shape->field_count, config);
    if (lil_fields_parse(ctx, shape->fields, shape->field_count, config, options) != LIL_OK ||
        shape->make(ctx, &arena, config, &mesh) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    int nv = mesh.vertex_count, nt = mesh.tet_count;
    *e = (elastic){ .vertices = count * nv, .tets = count * nt };
    size_t all = (size_t)e->vertices;
    int *number = must_alloc(all, sizeof *number);
    unsigned seed = 7;
    for (int i = 0; i < e->vertices; i++)
        number[i] = i;
    for (int i = e->vertices - 1; shuffle && i > 0; i--) {
        int j = (int)(elastic_random(&seed) * (i + 1)), swap = number[i];
        number[i] = number[j];
        number[j] = swap;
    }
    double *shortest = must_alloc((size_t)nv, sizeof *shortest);
    for (int i = 0; i < nv; i++)
        shortest[i] = INFINITY;
    for (int t = 0; t < nt; t++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                if (a != b) {
                    const double *p = mesh.x + 3 * mesh.tets[t][a], *q = mesh.x + 3 * mesh.tets[t][b];
                    double l = sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
                    shortest[mesh.tets[t][a]] = fmin(shortest[mesh.tets[t][a]], l);
                }
    e->X = must_alloc(3 * all, sizeof *e->X);
    e->x = must_alloc(3 * all, sizeof *e->x);
    e->tet = must_alloc((size_t)e->tets, sizeof *e->tet);
    e->scale = must_alloc((size_t)e->tets, sizeof *e->scale);
    e->held = must_alloc(all, sizeof *e->held);
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < nv; i++)
            for (int d = 0; d < 3; d++)
                e->X[3 * number[k * nv + i] + d] = mesh.x[3 * i + d] + (d == 1 ? 1.5 * k : 0) +
                                                   jitter * shortest[i] * (2 * elastic_random(&seed) - 1);
        for (int t = 0; t < nt; t++)
            for (int a = 0; a < 4; a++)
                e->tet[k * nt + t][a] = number[k * nv + mesh.tets[t][a]];
    }
    for (int t = 0; t < e->tets; t++) {
        int *w = e->tet[t];
        e->scale[t] = 1;
        if (lil_tet_volume(e->X, w) < 0) { /* jitter turned it */
            int swap = w[0];
            w[0] = w[1];
            w[1] = swap;
        }
    }
    memcpy(e->x, e->X, 3 * all * sizeof *e->x);
    free(number);
    free(shortest);
    lil_arena_free(&arena);
}

static inline int elastic_compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* After `held` is set: rows, masses, pairs (each once, sorted). */
static inline void elastic_finish(elastic *e, double density)
{
    e->row = must_alloc((size_t)e->vertices, sizeof *e->row);
    for (int i = 0; i < e->vertices; i++)
        e->row[i] = e->held[i] ? -1 : e->n++;
    e->rows = must_alloc(3 * (size_t)e->n, sizeof *e->rows);
    e->mass = must_alloc((size_t)e->n, sizeof *e->mass);
    e->at = must_alloc(6 * (size_t)e->tets, sizeof *e->at);
    for (int i = 0; i < e->vertices; i++)
        if (e->row[i] >= 0)
            memcpy(e->rows + 3 * e->row[i], e->X + 3 * i, 3 * sizeof(double));
    for (int t = 0; t < e->tets; t++)
        for (int a = 0; a < 4; a++) {
            int i = e->tet[t][a];
            if (e->row[i] >= 0)
                e->mass[e->row[i]] += density / 4 * fabs(lil_tet_volume(e->X, e->tet[t]));
            for (int b = 0; b < 4; b++)
                if (i < e->tet[t][b]) {
                    e->at[e->pairs][0] = i;
                    e->at[e->pairs++][1] = e->tet[t][b];
                }
        }
    qsort(e->at, (size_t)e->pairs, sizeof *e->at, elastic_compare);
    int unique = 0;
    for (int k = 0; k < e->pairs; k++)
        if (k == 0 || elastic_compare(e->at[k], e->at[k - 1])) {
            int pair[2] = { e->at[k][0], e->at[k][1] };
            memcpy(e->at[unique++], pair, sizeof pair);
        }
    e->pairs = unique;
    e->at_row = must_alloc((size_t)e->pairs, sizeof *e->at_row);
    for (int k = 0; k < e->pairs; k++)
        for (int end = 0; end < 2; end++)
            e->at_row[k][end] = e->row[e->at[k][end]];
}

static inline void elastic_free(elastic *e)
{
    void *all[] = { e->X, e->x, e->tet, e->scale, e->held, e->row, e->rows, e->mass, e->at, e->at_row };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        free(all[k]);
}

/* The bar's start of the twisted-bar scene: stretched 1.3 times, twisted by 90 degrees; each copy alike. */
static inline void elastic_twist(elastic *e)
{
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < e->vertices; i++) {
        const double *X = e->X + 3 * i;
        double angle = pi / 4 * sin(pi * X[0]), s = 1 + 0.3 * cos(pi * X[0]), l = 1 / sqrt(s);
        double middle = 1.5 * round(X[1] / 1.5), y = X[1] - middle;
        e->x[3 * i] = X[0] + 0.3 / pi * sin(pi * X[0]);
        e->x[3 * i + 1] = l * (cos(angle) * y - sin(angle) * X[2]) + middle;
        e->x[3 * i + 2] = l * (sin(angle) * y + cos(angle) * X[2]);
    }
}

/* K's 12x12 of tet t, times weight. */
static inline void elastic_tet(const elastic *e, const lil_material *material, bool definite, double weight, int t,
                               double K[144])
{
    const int *w = e->tet[t];
    double Dm[9], Ds[9], B[9], F[9], G[12], A[81];
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 3; a++) {
            Dm[3 * d + a] = e->X[3 * w[a + 1] + d] - e->X[3 * w[0] + d];
            Ds[3 * d + a] = e->x[3 * w[a + 1] + d] - e->x[3 * w[0] + d];
        }
    double J = lil_determinant3(Dm);
    double C[9];
    lil_cofactor3(Dm, C);
    for (int k = 0; k < 9; k++)
        B[k] = C[3 * (k % 3) + k / 3] / J;
    lil_multiply3(Ds, B, F);
    lil_material_tangent(material, F, definite, A);
    lil_tet_gradients(B, G);
    lil_tet_element_stiffness(G, A, weight * e->scale[t] * J / 6, K);
}

/* The place of an edge among e->at. */
static inline int elastic_pair(const elastic *e, int a, int b)
{
    int key[2] = { a < b ? a : b, a < b ? b : a };
    const int(*found)[2] = bsearch(key, e->at, (size_t)e->pairs, sizeof *e->at, elastic_compare);
    return (int)(found - (const int(*)[2])e->at);
}

/* Blocks of all pairs in the places of lil_blocks; blocks holds A->places times 9. */
static inline void elastic_blocks(const elastic *e, const lil_material *material, bool definite, double weight,
                                  const int *where, int places, float *blocks)
{
    double K[144];
    double *sum = must_alloc(9 * (size_t)places, sizeof *sum);
    for (int t = 0; t < e->tets; t++) {
        elastic_tet(e, material, definite, weight, t, K);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                if (e->tet[t][a] >= e->tet[t][b])
                    continue;
                int p = where[elastic_pair(e, e->tet[t][a], e->tet[t][b])];
                for (int k = 0; k < 9 && p >= 0; k++)
                    sum[9 * (size_t)p + (size_t)k] += K[12 * (3 * a + k / 3) + 3 * b + k % 3];
            }
    }
    for (size_t k = 0; k < 9 * (size_t)places; k++)
        blocks[k] = (float)sum[k];
    free(sum);
}

/* A body's matrix with its own arena. */
typedef struct system {
    elastic e;
    lil_arena arena;
    lil_material material;
    lil_blocks A;
    int *where;
    float *blocks;
} system_t;

static inline bool system_make(lil_context *ctx, system_t *s, double mu, double kappa, bool definite, double weight,
                               int threads)
{
    s->material = (lil_material){ .table = &lil_neo_hookean, .moduli = { mu, kappa }, .density = 1000 };
    s->where = must_alloc((size_t)s->e.pairs, sizeof *s->where);
    if (lil_context_set_threads(ctx, threads) != LIL_OK)
        return false;
    if (lil_blocks_create(ctx, &s->arena, s->e.n, s->e.rows, s->e.pairs, (const int(*)[2])s->e.at_row, ctx->threads,
                          &s->A, s->where) != LIL_OK)
        return false;
    s->blocks = must_alloc(9 * (size_t)s->A.places, sizeof *s->blocks);
    elastic_blocks(&s->e, &s->material, definite, weight, s->where, s->A.places, s->blocks);
    return lil_blocks_set(&s->A, s->e.mass, s->blocks);
}

static inline void system_free(system_t *s)
{
    elastic_free(&s->e);
    lil_arena_free(&s->arena);
    free(s->where);
    free(s->blocks);
}

#endif
