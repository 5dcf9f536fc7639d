/*
 * Hyperelastic materials: an energy density w(F) of the deformation gradient F, in J/m^3. One file = one const table.
 *
 * F, P and the like are 3x3 by rows. Stress is written over lil_lanes, four elements at once: it reads like one.
 */
#ifndef LIL_MATERIALS_MATERIAL_H
#define LIL_MATERIALS_MATERIAL_H

#include "core/context.h"
#include "math/lanes.h"

/* The list: one line a material, which is one file with that table. The first is the default. */
#define LIL_MATERIALS(X)                                                                                             \
    X(lil_neo_hookean)                                                                                               \
    X(lil_mooney_rivlin)                                                                                             \
    X(lil_stable_neo_hookean)                                                                                        \
    X(lil_st_venant_kirchhoff)                                                                                       \
    X(lil_fixed_corotated)                                                                                           \
    X(lil_linear)

enum { LIL_BATCH = 16 }; /* groups of four elements per call of a material */

/* LIL_MATERIAL_OBJECTIVE, _INVERTS and _ISOTROPIC are public. */
enum {
    LIL_MATERIAL_LINEAR = 4,    /* dw/dF is linear in F, so the tangent is that of small strains everywhere */
    LIL_MATERIAL_MIRRORED = 16, /* w is a function of C alone: the same for an element and its mirror image */
};

enum {
    LIL_USES_I2 = 1,
    LIL_USES_T = 2, /* s1 + s2 + s3, linearly */
};

/* Second derivatives in the basis of F = U diag(s) V' (s1 >= s2 >= |s3|, s3 < 0 where det F < 0; U, V rotations).
 * There d2w/dF2 falls apart (Stomakhin et al. 2012; Smith, de Goes & Kim 2019) into the 3x3 block of the stretches
 * and, for each pair i, j, two eigenvalues: of the flip (e_i e_j' + e_j e_i')/sqrt 2 and the twist (e_i e_j' - e_j
 * e_i')/sqrt 2. */
typedef struct lil_principal {
    double block[9]; /* d2w/ds_i ds_j */
    double flip[3];  /* (dw/ds_i - dw/ds_j)/(s_i - s_j); [k] belongs to the pair without k */
    double twist[3]; /* (dw/ds_i + dw/ds_j)/(s_i + s_j); -infinity is fine */
} lil_principal;

/* For four elements: I1, I2 and J, and the derivatives of w by them (invariants.h). */
typedef struct lil_lanes_invariants lil_lanes_invariants;
typedef struct lil_lanes_derivatives lil_lanes_derivatives;
typedef struct lil_lanes_difference lil_lanes_difference;

typedef struct lil_material_table {
    const char *name;
    const char *doc;         /* one sentence */
    const char *formula;     /* in ASCII */
    const char *citation;    /* where it comes from */
    unsigned holds;          /* LIL_MATERIAL_... */
    const lil_field *fields; /* its own, besides the moduli and the density; all LIL_REAL */
    int field_count;
    size_t config_size;
    lil_status (*check)(lil_context *ctx, const lil_moduli *m,
                        const void *config); /* optional: moduli it is not for */
    /* w and P = dw/dF (either may be NULL) of `count` times four elements, at most LIL_BATCH times, whose F and J
     * = det F are given: F, and P, of the next four are 9 lanes on. w = 0 and P = 0 at rest, w = +infinity where
     * the material does not exist, P is then anything */
    void (*stress)(const lil_moduli *m, const void *config, int count, const lil_lanes *F, const lil_lanes *J,
                   lil_lanes *w, lil_lanes *P);
    /* For a material in I1, I2 and J: all derivatives of w for n times four elements; undefined where the material
     * is undefined. Tangents follow from them quickly. */
    void (*derive)(const lil_moduli *m, const void *config, int n, const lil_lanes_invariants *x,
                   lil_lanes_derivatives *d);
    /* Optional, beside `derive`: the difference of w between two sets of invariants as a sum over theirs, and with
     * `second` the derivatives of its coefficients (invariants.h). In closed form, without a quotient of small
     * differences; J > 0 in both. */
    void (*difference)(const lil_moduli *m, const void *config, int n, const lil_lanes_invariants *x0,
                       const lil_lanes_invariants *x1, bool second, lil_lanes_difference *d);
    unsigned uses; /* LIL_USES_...: of these it depends on more than I1 and J */
    /* For any other, and with LIL_USES_T: A = d2w/dF2, 9x9 by rows, symmetric; undefined where the material is
     * undefined */
    void (*tangent)(const lil_moduli *m, const void *config, const double F[9], double A[81]);
    /* For any other: the same in principal stretches, for the projection; NULL: the tangent is positive
     * semidefinite everywhere */
    void (*principal)(const lil_moduli *m, const void *config, const double s[3], lil_principal *p);
    bool anisotropic; /* principal stretches do not tell: the tangent is projected by its own eigenvalues */
    bool registered;  /* the user's: its config begins with whose it is (lil_material_own) */
} lil_material_table;

#define LIL_DECLARE_(name) extern const lil_material_table name;
LIL_MATERIALS(LIL_DECLARE_)
#undef LIL_DECLARE_

typedef struct lil_material {
    const lil_material_table *table;
    lil_moduli moduli;
    const void *config; /* of table->config_size bytes */
    double density;     /* kg/m^3 */
} lil_material;

int lil_material_count(void);
const lil_material_table *lil_material_at(int index);
const lil_material_table *lil_material_find(const char *name); /* NULL: none */
/* Also of those that are registered in the context. */
const lil_material_table *lil_material_named(const lil_context *ctx, const char *name);
/* Once for every config, before it is used. */
void lil_material_own(const lil_material_table *table, void *config);

/* w and P of one element. */
double lil_material_stress(const lil_material *material, const double F[9], double P[9]);

/* Cauchy's stress P F'/det F, of which the linear material's is not symmetric: its symmetric part, xx yy zz xy yz xz. */
void lil_cauchy(const double F[9], const double P[9], double s[6]);
double lil_von_mises(const double s[6]);

/* The tangent; with `definite` its projection to the nearest positive semidefinite one (eigenvalues below 0 become
 * 0), in closed form from the singular values of F. */
void lil_material_tangent(const lil_material *material, const double F[9], bool definite, double A[81]);
/* In principal stretches. False: the tangent is positive semidefinite everywhere, and there is no p. */
bool lil_material_principal(const lil_material *material, const double s[3], lil_principal *p);

/* The lateral stretch > 0 that leaves the sides free of stress under a longitudinal stretch; NaN: none was found. */
double lil_material_lateral(const lil_material *material, double stretch);

/* Flips and twists from dw/ds_i and the block, for a material that is written in stretches: where two stretches
 * coincide the quotient's limit, (w_ii - 2 w_ij + w_jj)/2, replaces it, so that 10 digits remain everywhere. */
void lil_principal_pairs(const double s[3], const double w1[3], lil_principal *p);

/* From Young's modulus (Pa) and Poisson's ratio, or as they are; what no material has is refused. */
lil_status lil_moduli_from_young(lil_context *ctx, double young, double poisson, lil_moduli *m);
lil_status lil_moduli_check(lil_context *ctx, const lil_moduli *m);
/* The moduli, the density, and what the table has to say about them. */
lil_status lil_material_check(lil_context *ctx, const lil_material *material);

/* Presets, rubber, jelly ..., are listed by lil_material_preset_count / _at of the public header. */
const lil_material_preset *lil_material_preset_find(const char *name); /* NULL: none */

#endif
