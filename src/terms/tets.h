/*
 * Elastic tetrahedra: W = sum V w(F), F = Ds Dm^-1. With linear shape functions a tet has one F; a quadratic tet has four or
 * eight quadrature points (tet_mix.h), each with a V and an F of its own: below, `point` is either.
 */
#ifndef LIL_TERMS_TETS_H
#define LIL_TERMS_TETS_H

#include "terms/damping.h"
#include "terms/tet_chunks.h"

typedef struct lil_tets {
    const char *body; /* for messages */
    lil_material material;
    const double *X; /* at rest, and the tets as they came; borrowed */
    const int (*tets)[4], (*mids)[6];
    const int *node; /* of tet e: `nodes` from [nodes e] on */
    int nodes;       /* 4 or 10 */
    bool bulk;       /* only what lil_tets_create_bulk says */
    int count, first;
    lil_tet_chunks chunks;
    lil_triangular_block *triangular; /* for forces; NULL: the material is not isotropic */
    double size_W;                    /* J: sum V mu 3/2, from which energies are differences */
    double size_g;                    /* N: the same of forces, sum V mu |B| in the norm over vertices */
    double size_K;                    /* N/m: and of stiffness, the effect of a rounding error of x on forces */
    double extent;                    /* m: largest distance of a chunk's vertices from its first one, at rest */
} lil_tets;

/* A point, as plain numbers. */
typedef struct lil_tet {
    int id[LIL_TET_NODES]; /* four, or ten */
    int nodes, k;          /* which of the four of its mix */
    const lil_mix *mix;
    double V, B[9];
} lil_tet;

/* A body's tets over the rest positions X (3 per vertex); vertex 0 of the body is `first` among the model's. All
 * tets have a positive volume. mids: the vertices in the middle of edges 01, 12, 02, 03, 13 and 23 of quadratic tets;
 * NULL: linear ones. Arrays are borrowed. */
lil_status lil_tets_create(lil_context *ctx, lil_arena *arena, const char *body, const lil_material *material,
                           const double *X, const int (*tets)[4], const int (*mids)[6], int count, int first,
                           lil_tets **out);
/*
 * At four points of a tet nearly incompressible materials lock: there are as many constraints det F = 1 as degrees of
 * freedom. So straight quadratic tets, where w is linear in its moduli, resist changes of volume by kappa up to that of
 * nu = 0.4 at all points, and by the rest at their centre: W = sum V_q w(F_q; mu, kappa') + V w(F_c; 0, kappa - kappa').
 * *bulk is the second sum, for the same model; NULL where there is none. Without kappa' at the points, tets could deform by
 * conformal maps without resistance.
 */
lil_status lil_tets_create_bulk(lil_context *ctx, lil_arena *arena, lil_tets *tets, lil_tets **bulk);
/* The same of some of their tets. */
lil_status lil_tets_create_some(lil_context *ctx, lil_arena *arena, const lil_tets *of, const int (*tets)[4],
                                const int (*mids)[6], int count, lil_tets **out);
lil_term lil_tets_term(lil_tets *tets);

lil_status lil_tets_damping(lil_context *ctx, lil_arena *arena, const lil_tets *tets, double kD, lil_damping form,
                            lil_term *term);

/* The points of tet e, as the user numbers them, are lil_tets_point(tets, e) to lil_tets_point(tets, e + 1) - 1. */
static inline int lil_tets_point(const lil_tets *tets, int e)
{
    return tets->mids ? tets->chunks.point[e] : e;
}

/* the tet of a point */
int lil_tets_of_point(const lil_tets *tets, int point);

void lil_tets_get(const lil_tets *tets, int point, lil_tet *tet);

/* Cauchy's stress of tet e at q of the model, and its volume at rest (term.h). */
void lil_tets_stress(const void *tets, const double *q, int e, double s[6], double *V);
extern const lil_term_solid lil_tet_solid;

/* Tets as elements (term.h), which may be damped. */
extern const lil_term_elements lil_tet_elements;
/* 1 over the least height of the tet, or of the one with the same gradients as a quadratic one at its point. */
double lil_tet_steepest(const lil_tet *tet);

/* All 144 or 900 entries of each tet, rows by vertex and axis; *block becomes their number. */
lil_status lil_tets_entries(lil_context *ctx, lil_arena *arena, const lil_tets *tets, int *block,
                            lil_entries *entries);
/* Its share of the tet's entries; a tet's points in their order. */
void lil_tets_put_matrix(const lil_tets *tets, int point, const double K[144], double *entries);

/* K = weight G'A G with G the gradients of four shape functions: A = d2w/dF2 in terms of the vertices. */
void lil_tet_element_stiffness(const double G[12], const double A[81], double weight, double K[144]);

/* the gradients of all four, which sum to zero, from those of the last three */
static inline void lil_tet_gradients(const double B[9], double G[12])
{
    for (int j = 0; j < 3; j++) {
        for (int a = 0; a < 3; a++)
            G[3 * (a + 1) + j] = B[3 * a + j];
        G[j] = -(B[j] + B[3 + j] + B[6 + j]);
    }
}

/* the gradients of the shape functions of all nodes: F = sum x_a g_a' */
void lil_tet_node_gradients(const lil_tet *tet, const double B[9], double G[3 * LIL_TET_NODES]);

void lil_tet_mixed_edges(const lil_tet *tet, const double *x, double D[9]);

/* edges from vertex 0, as columns: Ds */
static inline void lil_tet_edges(const lil_tet *tet, const double *x, double D[9])
{
    if (lil_mixes(tet->mix)) {
        lil_tet_mixed_edges(tet, x, D);
        return;
    }
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 3; a++)
            D[3 * d + a] = x[3 * tet->id[a + 1] + d] - x[3 * tet->id[0] + d];
}

/* The volumes that forces are made with: NaN where the material is undefined, because its stress there is
 * arbitrary and a caller of forces alone would use it. */
LIL_INLINE lil_lanes lil_block_volume(const lil_material *material, lil_lanes V, lil_lanes J)
{
    bool everywhere = material->table->holds & LIL_MATERIAL_INVERTS;
    return everywhere ? V : lil_lanes_select(J > 0, V, lil_lanes_all(__builtin_nan("")));
}

#endif
