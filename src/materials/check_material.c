/* A user's material, held to its table: at rest, at some deformations, turned, and inside out. */
#include "core/field.h"
#include "materials/registered.h"
#include "math/difference.h"
#include "math/matrix3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool check_material_energy(const void *user, const double *F, double *w)
{
    const lil_material_sample *s = user;
    return s->kind->energy(s->moduli, s->config, F, w, NULL);
}

/* ---- at rest ---- */

static bool check_material_check_rest(lil_verdict *verdict, const lil_material_sample *s)
{
    const double one[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    double w, P[9], A[81], size = s->moduli->mu + s->moduli->kappa;
    if (!s->kind->energy(s->moduli, s->config, one, &w, P))
        return false;
    lil_verdict_add(verdict, fabs(w) / size, 1e-12, "at rest w is %.6g, not 0", w);
    for (int i = 0; i < 9; i++)
        lil_verdict_add(verdict, fabs(P[i]) / size, 1e-12, "at rest the stress P[%d] is %.6g, not 0", i, P[i]);
    lil_linear.tangent(s->moduli, NULL, one, A); /* as all materials are for small strains */
    if (s->kind->holds & LIL_MATERIAL_ISOTROPIC)
        return lil_verdict_derivative(verdict, "the tangent at rest, from mu and kappa", lil_material_sample_stress,
                                      s, 9, 9, one, 0.02, A);
    return true;
}

/* ---- deformed ---- */

/* The k-th deformation: stretches between 0.6 and 1.6 about some axes, then turned. */
static void check_material_deform(int k, double F[9])
{
    double U[9], V[9], T[9];
    const double s[3] = { 0.6 + 0.2 * (k % 6), 1.6 - 0.17 * (k % 5), 0.75 + 0.14 * (k % 4) };
    lil_some_rotation(0.7 * k, U);
    lil_some_rotation(-1.3 * k - 0.4, V);
    for (int i = 0; i < 9; i++)
        T[i] = s[i / 3] * V[i];
    lil_multiply3(U, T, F);
}

static void check_material_compare(lil_verdict *verdict, const lil_material_sample *s, const double F[9], double w,
                                   const char *name)
{
    double other = NAN;
    if (!check_material_energy(s, F, &other))
        other = NAN;
    /* of sums of a few moduli times stretches */
    lil_verdict_add(verdict, fabs(other - w) / (s->moduli->mu + s->moduli->kappa + fabs(w)), 1e-11,
                    "%s: w is %.9g before the rotation and %.9g after", name, w, other);
}

static bool check_at(lil_verdict *verdict, const lil_material_sample *s, const double F[9])
{
    double w, alone, P[9], A[81], R[9], turned[9];
    if (!s->kind->energy(s->moduli, s->config, F, &w, P) || !isfinite(w) || !check_material_energy(s, F, &alone))
        return false;
    lil_verdict_add(verdict, fabs(alone - w), 0, "w is %.17g with the stress, but %.17g without it", w, alone);
    if (!lil_verdict_derivative(verdict, "P = dw/dF", check_material_energy, s, 9, 1, F, 0.02, P))
        return false;
    if (s->kind->tangent && verdict->holds) { /* differences of a wrong P would tell nothing */
        if (!s->kind->tangent(s->moduli, s->config, F, A) ||
            !lil_verdict_derivative(verdict, "A = d2w/dF2", lil_material_sample_stress, s, 9, 9, F, 0.02, A))
            return false;
        lil_verdict_symmetry(verdict, "A = d2w/dF2", 9, A);
    }
    lil_some_rotation(1.9, R);
    lil_multiply3(R, F, turned);
    if (s->kind->holds & LIL_MATERIAL_OBJECTIVE)
        check_material_compare(verdict, s, turned, w, "LIL_MATERIAL_OBJECTIVE does not hold");
    lil_multiply3(F, R, turned);
    if (s->kind->holds & LIL_MATERIAL_ISOTROPIC)
        check_material_compare(verdict, s, turned, w, "LIL_MATERIAL_ISOTROPIC does not hold");
    return true;
}

/* A mirror image of F has det F < 0. */
static void check_material_check_inverted(lil_verdict *verdict, const lil_material_sample *s, const double F[9])
{
    double mirrored[9], w = NAN, P[9];
    for (int i = 0; i < 9; i++)
        mirrored[i] = i % 3 == 2 ? -F[i] : F[i];
    bool exists = s->kind->energy(s->moduli, s->config, mirrored, &w, P) && isfinite(w);
    if (s->kind->holds & LIL_MATERIAL_INVERTS)
        lil_verdict_add(verdict, exists ? 0 : INFINITY, 0,
                        "LIL_MATERIAL_INVERTS does not hold: w is undefined at det F = %.3g",
                        lil_determinant3(mirrored));
    else
        lil_verdict_add(verdict, exists ? INFINITY : 0, 0,
                        "w = %.6g at det F = %.3g, where it should return false: LIL_MATERIAL_INVERTS is not claimed",
                        w, lil_determinant3(mirrored));
}

static lil_status check_material_check(lil_context *ctx, lil_verdict *verdict, const lil_material_sample *s)
{
    enum { SAMPLES = 12 };
    *verdict = (lil_verdict){ .holds = true };
    bool exists = check_material_check_rest(verdict, s);
    for (int k = 0; k < SAMPLES && exists; k++) {
        double F[9];
        check_material_deform(k, F);
        exists = check_at(verdict, s, F);
        check_material_check_inverted(verdict, s, F);
    }
    if (!exists)
        return lil_fail(ctx, LIL_ERR_NOT_FINITE,
                        "the material '%.60s' refuses the rest shape, or stretches between 0.6 and 1.6",
                        s->kind->name);
    lil_verdict_close(verdict, "the material '%.60s' agrees with its table: rest, stress%s, claims, %d deformations",
                      s->kind->name, s->kind->tangent ? ", tangent" : "", SAMPLES);
    return LIL_OK;
}

lil_status lil_check_material(lil_context *ctx, const lil_material_kind *kind, const lil_moduli *moduli,
                              const void *config, lil_verdict *verdict)
{
    lil_material_kind taken;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, kind, "kind");
    LIL_NEED(ctx, moduli, "moduli");
    LIL_NEED(ctx, verdict, "verdict");
    LIL_TRY(lil_material_kind_take(ctx, kind, &taken));
    lil_status status = lil_moduli_check(ctx, moduli);
    if (status != LIL_OK)
        return LIL_ERR_ARGUMENT;
    void *own = calloc(1, taken.config_size + 1);
    LIL_HAVE(ctx, own);
    lil_fields_default(taken.fields, taken.field_count, own);
    status = check_material_check(ctx, verdict, &(lil_material_sample){ &taken, moduli, config ? config : own });
    free(own);
    return status;
}
