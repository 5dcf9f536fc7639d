/* Elastic tetrahedra with linear shape functions: W = sum_e V_e w(F_e), F = Ds Dm^-1. */
#ifndef LIL_TERMS_TETS_H
#define LIL_TERMS_TETS_H

#include "terms/term.h"
#include "terms/tet_chunks.h"

typedef struct lil_tets {
    const char *body; /* for messages */
    lil_material material;
    const double *X; /* at rest, and the tets as they came; borrowed */
    const int (*tets)[4];
    int count, first;
    lil_tet_chunks chunks;
    lil_triangular_block *turned; /* for forces; NULL: the material is not isotropic */
    double size_W;                /* J: sum V mu 3/2, what energies are the difference to */
    double size_g;                /* N: the same of forces, sum V mu |B| in the norm over vertices */
    double size_K;                /* N/m: and of stiffness, by which the last place of x moves forces */
    double extent;                /* m: how far a chunk's vertices are from its first at most, at rest */
} lil_tets;

/* One of them, as plain numbers. */
typedef struct lil_tet {
    int id[4];
    double V, B[9];
} lil_tet;

/* A body's tets over the rest positions X (3 a vertex); vertex 0 of the body is `first` among the model's. All tets have a
 * positive volume. Arrays are borrowed. */
lil_status lil_tets_create(lil_context *ctx, lil_arena *arena, const char *body, const lil_material *material,
                           const double *X, const int (*tets)[4], int count, int first, lil_tets **out);
lil_term lil_tets_term(lil_tets *tets);

/* The paper's strain-rate damping of section 5.2, kD grad_2 Wd(q_k, q_{k+1}), and its better forms. */
typedef enum lil_damping_form {
    LIL_DAMPING_EXACT,     /* kicks about the step: what was asked for, at any h */
    LIL_DAMPING_MINIMISED, /* (h kD/2) v'Kd(q_k)v in the Lilyan */
    LIL_DAMPING_PAPER,     /* (kD/h) Wd(q_k, q_k + h v) in the Lilyan */
    LIL_DAMPING_EXPLICIT,  /* kD grad_2 Wd(q_k - h v_k, q_k) before the step */
} lil_damping_form;

extern const char *const lil_damping_names[]; /* as scenes call them, ended by NULL */

lil_status lil_tets_damping(lil_context *ctx, lil_arena *arena, const lil_tets *tets, double kD,
                            lil_damping_form form, lil_term *term);

/* Tet e as the user numbers them. */
void lil_tets_get(const lil_tets *tets, int e, lil_tet *tet);

/* Tets as elements (term.h), which may be damped by kD. */
extern const lil_term_elements lil_tet_elements;
int lil_tet_vertices(const lil_tets *tets, int e, int at[4], double stiffness[4]);
double lil_tet_longest_step(const lil_tets *tets, int e, double kD, const double inverse_mass[4]);
lil_status lil_tets_some(lil_context *ctx, lil_arena *arena, const lil_tets *tets, const int *elements, int count,
                         lil_tets **part);
/* The largest gradient of a shape function: 1 over the least height. */
double lil_tet_steepest(const lil_tet *tet);
void lil_tet_name(const lil_tets *tets, int e, char *name, size_t size);

/* All 144 entries of each tet, rows by vertex and axis. */
lil_status lil_tets_entries(lil_context *ctx, lil_arena *arena, const lil_tets *tets, lil_entries *entries);

/* K = weight G'A G with G the gradients of the four shape functions: what d2w/dF2 is to the vertices. */
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

/* The volumes that forces are made with: NaN where the material does not exist, because its stress is anything there and
 * whoever asks for forces alone would take that for one. */
LIL_INLINE lil_lanes lil_block_volume(const lil_material *material, lil_lanes V, lil_lanes J)
{
    bool everywhere = material->table->holds & LIL_MATERIAL_INVERTS;
    return everywhere ? V : lil_lanes_select(J > 0, V, lil_lanes_all(__builtin_nan("")));
}

#endif
