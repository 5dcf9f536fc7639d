/*
 * Hyperelastic materials: an energy density w(F) of the deformation gradient F, in J/m^3. One file = one const table.
 *
 * F, P and the like are 3x3 by rows. Stress is written over lil_lanes, four elements at once: it reads like one.
 */
#ifndef LIL_MATERIALS_MATERIAL_H
#define LIL_MATERIALS_MATERIAL_H

#include "core/context.h"
#include "math/lanes.h"

/* Moduli of small strains, Pa: 0 < mu, 0 < kappa. lambda = kappa - 2/3 mu. */
typedef struct lil_moduli {
    double mu, kappa;
} lil_moduli;

enum {
    LIL_MATERIAL_OBJECTIVE = 1, /* w(RF) = w(F) for every rotation R */
    LIL_MATERIAL_INVERTS = 2,   /* w is finite also where det F <= 0 */
};

typedef struct lil_material_table {
    const char *name;
    const char *doc;         /* one sentence */
    const char *formula;     /* in ASCII */
    const char *citation;    /* where it comes from */
    unsigned holds;          /* LIL_MATERIAL_... */
    const lil_field *fields; /* its own, besides the moduli and the density */
    int field_count;
    size_t config_size;
    /* w and P = dw/dF of four elements (either may be NULL); w = 0 and P = 0 at rest, w = +infinity where the material
     * does not exist, P is then anything */
    void (*stress)(const lil_moduli *m, const void *config, const lil_lanes F[9], lil_lanes *w, lil_lanes P[9]);
    /* A = d2w/dF2, 9x9 by rows */
    void (*tangent)(const lil_moduli *m, const void *config, const double F[9], double A[81]);
    /* dw/ds_i and d2w/ds_i ds_j in principal stretches (s_3 < 0 where det F < 0), for the projection; NULL: the tangent is
     * positive semidefinite everywhere */
    void (*principal)(const lil_moduli *m, const void *config, const double s[3], double w1[3], double w2[9]);
} lil_material_table;

typedef struct lil_material {
    const lil_material_table *table;
    lil_moduli moduli;
    const void *config; /* of table->config_size bytes */
    double density;     /* kg/m^3 */
} lil_material;

int lil_material_count(void);
const lil_material_table *lil_material_at(int index);
const lil_material_table *lil_material_find(const char *name); /* NULL: none */

/* The tangent; with `definite` its projection to the nearest positive semidefinite one (eigenvalues below 0 become 0), in
 * closed form from the singular values of F. */
void lil_material_tangent(const lil_material *material, const double F[9], bool definite, double A[81]);

/* The lateral stretch that leaves the sides free of stress under a longitudinal stretch; NaN: none was found. */
double lil_material_lateral(const lil_material *material, double stretch);

/* Named materials with their numbers: rubber, jelly ... */
typedef struct lil_material_preset {
    const char *name;
    const char *doc;
    const char *table; /* neo-hookean ... */
    double young, poisson, density;
} lil_material_preset;

int lil_material_preset_count(void);
const lil_material_preset *lil_material_preset_at(int index);

#endif
