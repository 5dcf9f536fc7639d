#include "materials/material.h"

#include "materials/invariants.h"
#include "math/matrix3.h"
#include "math/semidefinite.h"
#include "math/svd3.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ADDRESS(name) &name,
static const lil_material_table *const own[] = { LIL_MATERIALS(ADDRESS) };
enum { OWN = sizeof own / sizeof own[0] };

/* Each as measured on samples that vary by a factor of 2 and more; strains are small against its limit. Soft ones
 * are nearly incompressible (Poisson's ratio 0.499 and above), which linear tetrahedra cannot follow: they lock. */
static const lil_material_preset presets[] = {
    { "rubber", "natural rubber, unfilled; its own Poisson's ratio is 0.4999", "neo-hookean", 1.5e6, 0.49, 930 },
    { "silicone", "soft casting silicone, Shore 00-30", "mooney-rivlin", 7e4, 0.49, 1070 },
    { "jelly", "gelatin dessert, 10 percent", "stable-neo-hookean", 1e4, 0.48, 1030 },
    { "flesh", "muscle at rest", "stable-neo-hookean", 2e4, 0.48, 1060 },
    { "foam", "soft polyurethane foam, before its cells buckle", "neo-hookean", 6e4, 0.2, 30 },
    { "cork", "does not widen under compression", "neo-hookean", 2e7, 0, 180 },
    { "steel", "small strains only: real steel yields at 0.2 percent", "neo-hookean", 2.1e11, 0.3, 7850 },
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

/* ---- lists ---- */

int lil_material_count(void)
{
    return OWN;
}

const lil_material_table *lil_material_at(int index)
{
    return index >= 0 && index < OWN ? own[index] : NULL;
}

const lil_material_table *lil_material_find(const char *name)
{
    for (int i = 0; i < OWN; i++)
        if (strcmp(own[i]->name, name) == 0)
            return own[i];
    return NULL;
}

bool lil_material_entry(int index, lil_material_info *info)
{
    const lil_material_table *t = lil_material_at(index);
    if (!t)
        return false;
    *info = (lil_material_info){ .name = t->name,
                                 .doc = t->doc,
                                 .formula = t->formula,
                                 .citation = t->citation,
                                 .objective = t->holds & LIL_MATERIAL_OBJECTIVE,
                                 .inverts = t->holds & LIL_MATERIAL_INVERTS,
                                 .fields = t->fields,
                                 .field_count = t->field_count };
    return true;
}

int lil_material_preset_count(void)
{
    return PRESETS;
}

const lil_material_preset *lil_material_preset_at(int index)
{
    return index >= 0 && index < PRESETS ? &presets[index] : NULL;
}

const lil_material_preset *lil_material_preset_find(const char *name)
{
    for (int i = 0; i < PRESETS; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}

/* ---- moduli ---- */

lil_status lil_moduli_check(lil_context *ctx, const lil_moduli *m)
{
    if (!(m->mu > 0) || !isfinite(m->mu))
        return lil_fail(ctx, LIL_ERR_INPUT, "the shear modulus mu must be positive and finite, not %.9g Pa", m->mu);
    if (!(m->kappa > 0) || !isfinite(m->kappa))
        return lil_fail(ctx, LIL_ERR_INPUT, "the bulk modulus kappa must be positive and finite, not %.9g Pa",
                        m->kappa);
    return LIL_OK;
}

lil_status lil_moduli_from_young(lil_context *ctx, double young, double poisson, lil_moduli *m)
{
    if (!(young > 0) || !isfinite(young))
        return lil_fail(ctx, LIL_ERR_INPUT, "Young's modulus must be positive and finite, not %.9g Pa", young);
    if (poisson >= 0.5)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "Poisson's ratio must be below 0.5, which is incompressible, not %.9g; use e.g. 0.49",
                        poisson);
    if (!(poisson > -1))
        return lil_fail(ctx, LIL_ERR_INPUT, "Poisson's ratio must be above -1 and below 0.5, not %.9g", poisson);
    lil_moduli found = { young / (2 * (1 + poisson)), young / (3 * (1 - 2 * poisson)) };
    LIL_TRY(lil_moduli_check(ctx, &found));
    *m = found;
    return LIL_OK;
}

lil_status lil_material_check(lil_context *ctx, const lil_material *material)
{
    LIL_TRY(lil_moduli_check(ctx, &material->moduli));
    if (!(material->density > 0) || !isfinite(material->density))
        return lil_fail(ctx, LIL_ERR_INPUT, "the density must be positive and finite, not %.9g kg/m^3",
                        material->density);
    const lil_material_table *t = material->table;
    return t->check ? t->check(ctx, &material->moduli, material->config) : LIL_OK;
}

/* ---- projection ---- */

/* (x - y)/(a - b), where x - y and a - b vanish together; the limit errs by their square, the quotient by eps over
 * it. */
static double quotient(double x, double y, double a, double b, double limit)
{
    return fabs(a - b) <= 1e-5 * (fabs(a) + fabs(b)) ? limit : (x - y) / (a - b);
}

void lil_principal_pairs(const double s[3], const double w1[3], lil_principal *p)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double mean = (p->block[4 * i] + p->block[4 * j]) / 2, mixed = p->block[3 * i + j];
        p->flip[k] = quotient(w1[i], w1[j], s[i], s[j], mean - mixed);
        p->twist[k] = quotient(w1[i], -w1[j], s[i], -s[j], mean + mixed);
    }
}

/* Sylvester's criterion: all leading minors are positive. Quicker than eigenvalues, and mostly true. */
static bool is_definite(const double B[9])
{
    double minor = B[0] * B[4] - B[1] * B[1];
    return B[0] > 0 && minor > 0 && B[8] * minor > B[0] * B[5] * B[5] - 2 * B[1] * B[2] * B[5] + B[4] * B[2] * B[2];
}

/* Eigenvalues below 0 become 0. False: there were none. */
static bool clamp(lil_principal *p)
{
    double a[3], Q[9];
    bool clamped = false;
    for (int k = 0; k < 3; k++) {
        clamped = clamped || p->flip[k] < 0 || p->twist[k] < 0;
        p->flip[k] = fmax(p->flip[k], 0);
        p->twist[k] = fmax(p->twist[k], 0);
    }
    if (is_definite(p->block))
        return clamped;
    lil_eig3(p->block, a, Q);
    if (a[2] >= 0)
        return clamped;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += fmax(a[k], 0) * Q[3 * i + k] * Q[3 * j + k];
            p->block[3 * i + j] = sum;
        }
    return true;
}

/* b += x u v', 3x3 as nine */
static void add_direction(double x, const double U[9], int u, const double V[9], int v, double b[9])
{
    for (int i = 0; i < 9; i++)
        b[i] += x * U[i / 3 * 3 + u] * V[i % 3 * 3 + v];
}

/* A = sum over the directions u_a v_b' and u_c v_d' of U and V, times what p says of (a b, c d). */
static void material_assemble(const lil_principal *p, const double U[9], const double V[9], double A[81])
{
    memset(A, 0, 81 * sizeof *A);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double D[9] = { 0 }, B[9] = { 0 }; /* the direction a b, and what p makes of it */
            add_direction(1, U, a, V, b, D);
            if (a == b) {
                for (int c = 0; c < 3; c++)
                    add_direction(p->block[3 * a + c], U, c, V, c, B);
            } else {
                double flip = p->flip[(6 - a - b) % 3] / 2, twist = p->twist[(6 - a - b) % 3] / 2;
                add_direction(flip + twist, U, a, V, b, B);
                add_direction(flip - twist, U, b, V, a, B);
            }
            for (int i = 0; i < 9; i++)
                for (int j = 0; j < 9; j++)
                    A[9 * i + j] += D[i] * B[j];
        }
    for (int i = 0; i < 9; i++) /* the same up to round-off */
        for (int j = 0; j < i; j++)
            A[9 * i + j] = A[9 * j + i];
}

bool lil_material_principal(const lil_material *material, const double s[3], lil_principal *p)
{
    const lil_material_table *t = material->table;
    if (t->derive) {
        lil_invariant_derivatives d = lil_material_derive(material, lil_invariants_of_stretches(s));
        lil_invariants_principal(s, &d, p);
    } else if (t->principal) {
        t->principal(&material->moduli, material->config, s, p);
    }
    return t->derive || t->principal;
}

static void tangent_as_it_is(const lil_material *material, const double F[9], double A[81])
{
    const lil_material_table *t = material->table;
    if (t->tangent) {
        t->tangent(&material->moduli, material->config, F, A);
    } else {
        lil_invariant_derivatives d = lil_material_derive(material, lil_invariants_of(F));
        lil_invariants_tangent(F, &d, A);
    }
}

void lil_material_tangent(const lil_material *material, const double F[9], bool definite, double A[81])
{
    if (definite && (material->table->derive || material->table->principal)) {
        double U[9], V[9], s[3];
        lil_principal p;
        lil_svd3(F, U, s, V);
        lil_material_principal(material, s, &p);
        if (clamp(&p)) {
            material_assemble(&p, U, V, A);
            return;
        }
    }
    tangent_as_it_is(material, F, A);
    if (definite && material->table->anisotropic)
        lil_make_semidefinite(9, A);
}

/* ---- stress of one ---- */

double lil_material_stress(const lil_material *material, const double F[9], double P[9])
{
    lil_lanes all[9], stress[9], w;
    for (int i = 0; i < 9; i++)
        all[i] = lil_lanes_all(F[i]);
    lil_lanes J = lil_lanes_determinant(all);
    material->table->stress(&material->moduli, material->config, 1, all, &J, &w, stress);
    for (int i = 0; i < 9; i++)
        P[i] = stress[i][0];
    return w[0];
}

void lil_cauchy(const double F[9], const double P[9], double s[6])
{
    double S[9], J = lil_determinant3(F);
    lil_multiply3_nt(P, F, S);
    for (int k = 0; k < 9; k++)
        S[k] /= J;
    for (int k = 0; k < 3; k++)
        s[k] = S[4 * k];
    s[3] = (S[1] + S[3]) / 2;
    s[4] = (S[5] + S[7]) / 2;
    s[5] = (S[2] + S[6]) / 2;
}

double lil_von_mises(const double s[6])
{
    double x = s[0] - s[1], y = s[1] - s[2], z = s[2] - s[0];
    return sqrt((x * x + y * y + z * z) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* ---- uniaxial stress ---- */

static double side_stress(const lil_material *material, double stretch, double lateral)
{
    double P[9], w = lil_material_stress(material, (double[9]){ stretch, 0, 0, 0, lateral, 0, 0, 0, lateral }, P);
    return isfinite(w) ? P[4] : NAN;
}

double lil_material_lateral(const lil_material *material, double stretch)
{
    double low = 1, high = 1;
    if (!(stretch > 0) || !isfinite(stretch))
        return NAN;
    /* compressed bodies push outwards, stretched ones pull inwards */
    while (low > 1e-6 && !(side_stress(material, stretch, low) < 0))
        low *= 0.9;
    while (high < 1e6 && !(side_stress(material, stretch, high) >= 0))
        high *= 1.1;
    if (!(side_stress(material, stretch, low) < 0) || !(side_stress(material, stretch, high) >= 0))
        return NAN;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return high;
        *(side_stress(material, stretch, middle) < 0 ? &low : &high) = middle;
    }
}
