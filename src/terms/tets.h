/* Elastic tetrahedra with linear shape functions: W = sum_e V_e w(F_e), F = Ds Dm^-1. */
#ifndef LIL_TERMS_TETS_H
#define LIL_TERMS_TETS_H

#include "terms/damping.h"
#include "terms/tet_chunks.h"

typedef struct lil_tets {
    const char *body; /* for messages */
    lil_material material;
    const double *X; /* at rest, and the tets as they came; borrowed */
    const int (*tets)[4];
    int count, first;
    lil_tet_chunks chunks;
    lil_triangular_block *triangular; /* for forces; NULL: the material is not isotropic */
    double size_W;                    /* J: sum V mu 3/2, from which energies are differences */
    double size_g;                    /* N: the same of forces, sum V mu |B| in the norm over vertices */
    double size_K;                    /* N/m: and of stiffness, the effect of a rounding error of x on forces */
    double extent;                    /* m: largest distance of a chunk's vertices from its first one, at rest */
} lil_tets;

/* One of them, as plain numbers. */
typedef struct lil_tet {
    int id[4];
    double V, B[9];
} lil_tet;

/* A body's tets over the rest positions X (3 per vertex); vertex 0 of the body is `first` among the model's. All
 * tets have a positive volume. Arrays are borrowed. */
lil_status lil_tets_create(lil_context *ctx, lil_arena *arena, const char *body, const lil_material *material,
                           const double *X, const int (*tets)[4], int count, int first, lil_tets **out);
lil_term lil_tets_term(lil_tets *tets);

lil_status lil_tets_damping(lil_context *ctx, lil_arena *arena, const lil_tets *tets, double kD, lil_damping form,
                            lil_term *term);

/* Tet e as the user numbers them. */
void lil_tets_get(const lil_tets *tets, int e, lil_tet *tet);

/* Tets as elements (term.h), which may be damped. */
extern const lil_term_elements lil_tet_elements;
/* The largest gradient of a shape function: 1 over the least height. */
double lil_tet_steepest(const lil_tet *tet);

/* All 144 entries of each tet, rows by vertex and axis; *block becomes their number. */
lil_status lil_tets_entries(lil_context *ctx, lil_arena *arena, const lil_tets *tets, int *block,
                            lil_entries *entries);

/* K = weight G'A G with G the gradients of the four shape functions: A = d2w/dF2 in terms of the vertices. */
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

/* edges from vertex 0, as columns: Ds */
static inline void lil_tet_edges(const lil_tet *tet, const double *x, double D[9])
{
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
