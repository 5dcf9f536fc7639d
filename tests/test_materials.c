/*
 * Every registered material is held to its table: stress and tangent are derivatives, the claims hold (and what is not
 * claimed fails), rest is rest, small strains see the moduli, the projection is the nearest semidefinite matrix.
 *
 * A new line in the list of material.h is tested by this file as it is.
 */
#include "core/field.h"
#include "materials/material.h"
#include "math/matrix3.h"
#include "math/svd3.h"
#include "test.h"

#include <float.h>

static lil_context *ctx;

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

static int samples(int many)
{
    return test_small() ? many / 20 + 1 : many;
}

/* ---- one material with its numbers ---- */

typedef struct sample {
    lil_material material;
    _Alignas(max_align_t) char config[256];
    char name[64];
} sample;

enum { MODULI = 3, CONFIGS = 3 };

/* Moduli: nearly incompressible, auxetic, and in Pa; fields at their defaults, least and most. False: it refuses. */
static bool sample_init(sample *x, const lil_material_table *t, int moduli, int config)
{
    static const lil_moduli m[MODULI] = { { 1, 10 }, { 3, 0.9 }, { 2e5, 4e5 } };
    *x = (sample){ .material = { .table = t, .moduli = m[moduli], .config = x->config, .density = 1000 } };
    CHECK(t->config_size <= sizeof x->config);
    lil_fields_default(t->fields, t->field_count, x->config);
    for (int i = 0; i < t->field_count && config > 0; i++)
        if (t->fields[i].kind == LIL_REAL)
            *(double *)(x->config + t->fields[i].offset) = config == 1 ? t->fields[i].least : t->fields[i].most;
    snprintf(x->name, sizeof x->name, "%s, moduli %d, config %d", t->name, moduli, config);
    if (config > 0 && t->field_count == 0)
        return false;
    bool fine = lil_material_check(ctx, &x->material) == LIL_OK;
    CHECK(fine || moduli == 1); /* only auxetic moduli may be refused */
    return fine;
}

typedef void each_fn(const sample *x);

static void for_each(each_fn *test)
{
    for (int i = 0; i < lil_material_count(); i++)
        for (int k = 0; k < MODULI * CONFIGS; k++) {
            sample x;
            int before = test_failures;
            if (sample_init(&x, lil_material_at(i), k % MODULI, k / MODULI))
                test(&x);
            if (test_failures > before)
                printf("    so far for %s\n", x.name);
        }
}

static double stiffness(const sample *x)
{
    return x->material.moduli.mu + x->material.moduli.kappa;
}

static void stress_lanes(const sample *x, const lil_lanes F[9], lil_lanes *w, lil_lanes P[9])
{
    lil_lanes J = lil_lanes_determinant(F);
    x->material.table->stress(&x->material.moduli, x->material.config, 1, F, &J, w, P);
}

static double stress_one(const sample *x, const double F[9], double P[9])
{
    lil_lanes all[9], w, stress[9];
    for (int i = 0; i < 9; i++)
        all[i] = lil_lanes_all(F[i]);
    stress_lanes(x, all, &w, stress);
    for (int i = 0; i < 9; i++)
        P[i] = stress[i][0];
    return w[0];
}

static double largest(const double *A, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = isnan(A[i]) ? NAN : fmax(most, fabs(A[i]));
    return most;
}

/* ---- deformations ---- */

static void random_rotation(double R[9])
{
    double F[9], U[9], V[9], s[3];
    for (int i = 0; i < 9; i++)
        F[i] = uniform(-1, 1);
    lil_svd3(F, U, s, V);
    lil_multiply3_nt(U, V, R);
}

static void compose(const double s[3], double F[9])
{
    double U[9], V[9];
    random_rotation(U);
    random_rotation(V);
    for (int i = 0; i < 9; i++)
        U[i] *= s[i % 3];
    lil_multiply3_nt(U, V, F);
}

/* stretches between 1/2 and 2; with `inverted` two sum to 1/4 at least, because fixed-corotated has a kink at 0 */
static void moderate(double F[9], bool inverted)
{
    double s[3] = { uniform(0.75, 2), uniform(0.75, 2), inverted ? -uniform(0.1, 0.5) : uniform(0.5, 2) };
    compose(s, F);
}

/* everything: near rest, compressed, coinciding, inverted, near singular and singular */
static void extreme(int k, double F[9])
{
    double s[3], near = uniform(-1, 1) * pow(10, uniform(-16, -3));
    for (int i = 0; i < 3; i++)
        s[i] = k % 10 == 1 ? 1 + uniform(-0.05, 0.05) : k % 10 == 2 ? pow(10, uniform(-2.5, 0)) : uniform(0.3, 3);
    if (k % 10 == 3)
        s[1] = s[0] * (1 + near);
    if (k % 10 == 4)
        s[0] = s[1] = s[2] * (k % 20 == 4 ? 1 : 1 + near);
    if (k % 10 == 5)
        s[2] *= -1;
    if (k % 10 == 6)
        s[2] = -s[1] * (k % 20 == 6 ? 1 : 1 + near);
    if (k % 10 == 7)
        s[2] = near / 1000;
    if (k % 10 == 8)
        s[1] = s[2] = near / 1000;
    if (k % 10 == 9) {
        s[2] = 0;
        s[1] = k % 20 == 9 ? 0 : s[1];
        s[0] = k % 100 == 9 ? 0 : s[0];
    }
    compose(s, F);
    for (int i = 0; i < 9 && k % 40 > 35; i++) /* its own axes: zeros that are exact */
        F[i] = i % 4 ? 0 : s[i % 3];
}

/* ---- derivatives ---- */

/*
 * f at F + (-2, -1, 1, 2) h e_i in the four lanes. Differences over h and 2h, (4 D(h) - D(2h))/3, err by h^4/30 f^(5) and
 * by the round-off of f over h; D(2h) - D(h) = h^2/2 f^(3). With stretches of 1/4 at least, f^(5) is below 1000 f^(3), so
 * 1e-3 of |D(2h) - D(h)| covers the first: h^2 1000/15 < 1e-4. Materials are of degree 6 at most in F.
 */
static const double h = 1e-3;

static void around(const double F[9], int i, lil_lanes out[9])
{
    for (int k = 0; k < 9; k++)
        out[k] = lil_lanes_all(F[k]);
    out[i] += (lil_lanes){ -2, -1, 1, 2 } * h;
}

static double difference(const lil_lanes *f, double *spread)
{
    double near = ((*f)[2] - (*f)[1]) / (2 * h), far = ((*f)[3] - (*f)[0]) / (4 * h);
    *spread = fmax(*spread, fabs(far - near));
    return (4 * near - far) / 3;
}

static void check_derivatives(const sample *x, const double F[9])
{
    double P[9], A[81], dw[9], dP[81], spread_w = 0, spread_P = 0;
    double w = stress_one(x, F, P);
    lil_material_tangent(&x->material, F, false, A);
    for (int i = 0; i < 9; i++) {
        lil_lanes at[9], w_at, P_at[9];
        around(F, i, at);
        stress_lanes(x, at, &w_at, P_at);
        dw[i] = difference(&w_at, &spread_w);
        for (int k = 0; k < 9; k++)
            dP[9 * i + k] = difference(&P_at[k], &spread_P);
    }
    /* terms of w and P are as large as A; each has some ten roundings */
    double size = largest(A, 81) + fabs(w) + stiffness(x), noise = 20 * DBL_EPSILON * size / h;
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(P[i], dw[i], 1e-3 * spread_w + noise);
    for (int i = 0; i < 81; i++) {
        CHECK_NEAR(A[i], dP[i], 1e-3 * spread_P + noise);
        CHECK_NEAR(A[i], A[i % 9 * 9 + i / 9], 16 * DBL_EPSILON * size);
    }
    CHECK_BELOW(1e-3 * (spread_w + spread_P) + noise, 1e-5 * size); /* the test is not an empty one */
}

static void derivatives_of(const sample *x)
{
    bool inverts = x->material.table->holds & LIL_MATERIAL_INVERTS;
    for (int k = 0; k < samples(100); k++) {
        double F[9];
        moderate(F, inverts && k % 3 == 2);
        check_derivatives(x, F);
    }
}

TEST(stress_and_tangent_are_derivatives)
{
    for_each(derivatives_of);
}

/* ---- claims ---- */

static void objective_of(const sample *x)
{
    double broken = 0;
    for (int k = 0; k < samples(100); k++) {
        double F[9], R[9], RF[9], P[9], RP[9], Q[9];
        moderate(F, false);
        random_rotation(R);
        lil_multiply3(R, F, RF);
        double w = stress_one(x, F, P), wR = stress_one(x, RF, Q);
        lil_multiply3(R, P, RP);
        broken = fmax(broken, fabs(w - wR) / stiffness(x));
        if (!(x->material.table->holds & LIL_MATERIAL_OBJECTIVE))
            continue;
        CHECK_NEAR(w, wR, 1e-14 * (fabs(w) + 40 * stiffness(x))); /* RF has round-off of its own, times dw/dF */
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(Q[i], RP[i], 1e-14 * (largest(P, 9) + 40 * stiffness(x)));
    }
    if (!(x->material.table->holds & LIL_MATERIAL_OBJECTIVE))
        CHECK(broken > 0.1); /* and if it were, it should say so */
}

TEST(objective_ones_do_not_see_rotations)
{
    for_each(objective_of);
    CHECK(!(lil_material_find("linear")->holds & LIL_MATERIAL_OBJECTIVE));
}

/* w(F R) = w(F) and P(F R) = P(F) R, or w(R F R') = w(F) for those that are not objective */
static void isotropic_of(const sample *x)
{
    bool claimed = x->material.table->holds & LIL_MATERIAL_ISOTROPIC;
    CHECK(claimed == ((x->material.table->holds & LIL_MATERIAL_OBJECTIVE) != 0));
    for (int k = 0; k < samples(100); k++) {
        double F[9], R[9], FR[9], turned[9], P[9], PR[9], Q[9];
        moderate(F, false);
        random_rotation(R);
        lil_multiply3(F, R, FR);
        lil_multiply3_tn(R, FR, turned);
        double w = stress_one(x, F, P);
        CHECK_NEAR(stress_one(x, turned, P), w, 1e-14 * (fabs(w) + 40 * stiffness(x)));
        stress_one(x, F, P);
        lil_multiply3(P, R, PR);
        if (!claimed)
            continue;
        CHECK_NEAR(stress_one(x, FR, Q), w, 1e-14 * (fabs(w) + 40 * stiffness(x)));
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(Q[i], PR[i], 1e-14 * (largest(P, 9) + 40 * stiffness(x)));
    }
}

TEST(isotropic)
{
    for_each(isotropic_of);
}

static void inverts_of(const sample *x)
{
    bool inverts = x->material.table->holds & LIL_MATERIAL_INVERTS;
    for (int k = 0; k < samples(2000); k++) {
        double F[9], P[9];
        extreme(k, F);
        double w = stress_one(x, F, P);
        if (inverts)
            CHECK(isfinite(w) && isfinite(largest(P, 9)));
        else if (lil_determinant3(F) <= 0)
            CHECK(w == INFINITY);
        else
            CHECK(w >= -1e-14 * stiffness(x)); /* 0 is the least, or it does not exist */
    }
}

TEST(exists_where_it_says)
{
    for_each(inverts_of);
    double flat[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 0 }, P[9];
    sample x;
    for (int i = 0; i < lil_material_count(); i++)
        if (sample_init(&x, lil_material_at(i), 0, 0))
            CHECK(!isnan(stress_one(&x, flat, P)));
}

/* ---- rest and small strains ---- */

static void rest_of(const sample *x)
{
    double I[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, P[9], R[9], A[81];
    double round_off = 8 * DBL_EPSILON * stiffness(x);
    CHECK_NEAR(stress_one(x, I, P), 0, round_off);
    CHECK_NEAR(largest(P, 9), 0, round_off);
    for (int k = 0; k < samples(100) && x->material.table->holds & LIL_MATERIAL_OBJECTIVE; k++) {
        random_rotation(R); /* itself a rotation to some ten units */
        CHECK_NEAR(stress_one(x, R, P), 0, 10 * round_off);
        CHECK_NEAR(largest(P, 9), 0, 10 * round_off);
    }
    for (int definite = 0; definite < 2; definite++) {
        lil_material_tangent(&x->material, I, definite, A);
        double mu = x->material.moduli.mu, lambda = x->material.moduli.kappa - 2 * mu / 3;
        for (int i = 0; i < 81; i++) {
            int a = i / 27, b = i / 9 % 3, c = i / 3 % 3, d = i % 3;
            double linear = mu * ((a == c && b == d) + (a == d && b == c)) + lambda * (a == b && c == d);
            CHECK_NEAR(A[i], linear, 2 * round_off);
        }
    }
}

TEST(rest_is_rest_and_small_strains_see_the_moduli)
{
    for_each(rest_of);
}

/* lateral = 1 - nu e and P11 = E e for a small strain e, up to e^2 times the third derivatives */
static void uniaxial_of(const sample *x)
{
    double mu = x->material.moduli.mu, kappa = x->material.moduli.kappa, e = 1e-6, P[9];
    double nu = (3 * kappa - 2 * mu) / (6 * kappa + 2 * mu), young = 9 * kappa * mu / (3 * kappa + mu);
    double lateral = lil_material_lateral(&x->material, 1 + e);
    stress_one(x, (double[]){ 1 + e, 0, 0, 0, lateral, 0, 0, 0, lateral }, P);
    CHECK_NEAR((1 - lateral) / e, nu, 1e-4);
    CHECK_NEAR(P[0] / e, young, 1e-4 * young);
    CHECK_NEAR(P[4], 0, 1e-14 * stiffness(x));
}

TEST(uniaxial_stress_has_young_and_poisson)
{
    for_each(uniaxial_of);
    CHECK(isnan(lil_material_lateral(&(lil_material){ .table = &lil_linear, .moduli = { 1, 10 } }, -1)));
}

static void uniaxial(const char *name, lil_moduli m, double stretch, double *lateral, double *P11)
{
    double share = 0, P[9];
    sample x = { .material = { lil_material_find(name), m, &share, 1 } };
    *lateral = lil_material_lateral(&x.material, stretch);
    stress_one(&x, (double[]){ stretch, 0, 0, 0, *lateral, 0, 0, 0, *lateral }, P);
    *P11 = P[0];
}

TEST(uniaxial_values)
{
    const lil_moduli m = { 1, 10 };
    double lateral, P11, young = 90. / 31, nu = 28. / 62;
    uniaxial("neo-hookean", m, 1.5, &lateral, &P11);
    CHECK_NEAR(lateral, 0.835798922903, 1e-12); /* as many digits as the reference has */
    CHECK_NEAR(P11, 1.00256803716, 1e-11);
    uniaxial("mooney-rivlin", m, 1.5, &lateral, &P11); /* share = 0: the same */
    CHECK_NEAR(P11, 1.00256803716, 1e-11);
    uniaxial("st-venant-kirchhoff", m, 1.5, &lateral, &P11); /* E22 = -nu E11, S11 = E E11 */
    CHECK_NEAR(lateral, sqrt(1 - nu * 1.25), 1e-14);
    CHECK_NEAR(P11, 1.5 * young * 0.625, 1e-13);
    uniaxial("st-venant-kirchhoff", m, 3, &lateral, &P11); /* 1 - 8 nu < 0 */
    CHECK(isnan(lateral));
    uniaxial("linear", m, 1.5, &lateral, &P11);
    CHECK_NEAR(lateral, 1 - nu * 0.5, 1e-14);
    CHECK_NEAR(P11, young * 0.5, 1e-13);
}

/* ---- the formulas, once more, in stretches and as the tables print them ---- */

static double formula(const char *name, const lil_moduli *m, double share, const double s[3])
{
    double mu = m->mu, kappa = m->kappa, lambda = kappa - 2. / 3 * mu, J = s[0] * s[1] * s[2];
    double I1 = 0, I2 = 0, EE = 0, trE = 0, shape = 0;
    for (int i = 0; i < 3; i++) {
        double t = s[(i + 1) % 3], E = (s[i] * s[i] - 1) / 2;
        I1 += s[i] * s[i];
        I2 += s[i] * s[i] * t * t;
        EE += E * E;
        trE += E;
        shape += (s[i] - 1) * (s[i] - 1);
    }
    if (strcmp(name, "neo-hookean") == 0)
        return mu / 2 * (pow(J, -2. / 3) * I1 - 3) + kappa / 2 * (J - 1) * (J - 1);
    if (strcmp(name, "mooney-rivlin") == 0)
        return mu / 2 * ((1 - share) * (pow(J, -2. / 3) * I1 - 3) + share * (pow(J, -4. / 3) * I2 - 3)) +
               kappa / 2 * (J - 1) * (J - 1);
    if (strcmp(name, "st-venant-kirchhoff") == 0)
        return mu * EE + lambda / 2 * trE * trE;
    if (strcmp(name, "fixed-corotated") == 0)
        return mu * shape + lambda / 2 * (J - 1) * (J - 1);
    if (strcmp(name, "stable-neo-hookean") == 0) { /* equation (14) of the paper and its constant */
        double a = 4. / 3 * mu, l = lambda + 5. / 6 * mu, alpha = 1 + a / l - a / (4 * l);
        return a / 2 * (I1 - 3) + l / 2 * (J - alpha) * (J - alpha) - a / 2 * log(I1 + 1) -
               l / 2 * (1 - alpha) * (1 - alpha) + a / 2 * log(4);
    }
    return NAN; /* another one */
}

static void formula_of(const sample *x)
{
    bool inverts = x->material.table->holds & LIL_MATERIAL_INVERTS;
    for (int k = 0; k < samples(100); k++) {
        double F[9], P[9], s[3] = { uniform(0.5, 2), uniform(0.5, 2), uniform(0.5, 2) };
        if (inverts && k % 2)
            s[2] = -0.2;
        double share = x->material.table->field_count ? *(const double *)x->config : 0;
        double w = formula(x->material.table->name, &x->material.moduli, share, s);
        compose(s, F);
        if (!isnan(w))
            CHECK_NEAR(stress_one(x, F, P), w, 1e-14 * (fabs(w) + 100 * stiffness(x)));
    }
}

TEST(energies_are_the_formulas)
{
    for_each(formula_of);
}

/* ---- the projection ---- */

/* Jacobi for symmetric 9x9: A = Q diag(a) Q' */
static void eig9(const double A[81], double a[9], double Q[81])
{
    double S[81], small = DBL_EPSILON / 8 * largest(A, 81);
    memcpy(S, A, sizeof S);
    for (int i = 0; i < 81; i++)
        Q[i] = i % 10 == 0;
    for (int sweep = 0, turned = 1; sweep < 20 && turned; sweep++) {
        turned = 0;
        for (int p = 0; p < 9; p++)
            for (int q = p + 1; q < 9; q++) {
                if (fabs(S[9 * p + q]) <= small)
                    continue;
                double zeta = (S[10 * q] - S[10 * p]) / (2 * S[9 * p + q]);
                double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta)), c = 1 / sqrt(1 + t * t);
                for (int k = 0; k < 9; k++) {
                    double x = S[9 * k + p], y = S[9 * k + q];
                    S[9 * k + p] = c * (x - t * y);
                    S[9 * k + q] = c * (t * x + y);
                    x = Q[9 * k + p], y = Q[9 * k + q];
                    Q[9 * k + p] = c * (x - t * y);
                    Q[9 * k + q] = c * (t * x + y);
                }
                for (int k = 0; k < 9; k++) {
                    double x = S[9 * p + k], y = S[9 * q + k];
                    S[9 * p + k] = c * (x - t * y);
                    S[9 * q + k] = c * (t * x + y);
                }
                turned = 1;
            }
    }
    for (int i = 0; i < 9; i++)
        a[i] = S[10 * i];
}

/* A with eigenvalues below 0 made 0; the least of them */
static double clamp9(const double A[81], double B[81])
{
    double a[9], Q[81], least = INFINITY;
    eig9(A, a, Q);
    memset(B, 0, 81 * sizeof *B);
    for (int k = 0; k < 9; k++) {
        least = fmin(least, a[k]);
        for (int i = 0; i < 81; i++)
            B[i] += fmax(a[k], 0) * Q[i / 9 * 9 + k] * Q[i % 9 * 9 + k];
    }
    return least;
}

/* J is known to eps |F|^3, that is to eps |F|^3/J of itself, and A has its power -8/3 */
static void check_projection(const sample *x, const double F[9], int *definite, int *clamped)
{
    double A[81], B[81], C[81], U[9], V[9], s[3], a[9], Q[81];
    lil_material_tangent(&x->material, F, false, A);
    lil_material_tangent(&x->material, F, true, B);
    double size = largest(A, 81), least = clamp9(A, C);
    CHECK(isfinite(size) && isfinite(largest(B, 81)));
    lil_svd3(F, U, s, V);
    bool inverts = x->material.table->holds & LIL_MATERIAL_INVERTS;
    double tolerance = 100 * DBL_EPSILON * (inverts ? 1 : s[0] / s[1] * s[0] / s[2]) * size;
    for (int i = 0; i < 81; i++)
        CHECK_NEAR(B[i], C[i], tolerance);
    eig9(B, a, Q);
    for (int i = 0; i < 9; i++)
        CHECK(a[i] >= -40 * DBL_EPSILON * largest(B, 81));
    if (least > tolerance) {
        CHECK(memcmp(A, B, sizeof A) == 0);
        ++*definite;
    }
    *clamped += least < -tolerance;
}

static void projection_of(const sample *x)
{
    int definite = 0, clamped = 0, many = samples(1000);
    lil_principal rest;
    for (int k = 0; k < many; k++) {
        double F[9], P[9];
        extreme(k, F);
        if (isfinite(stress_one(x, F, P)) && isfinite(largest(P, 9)))
            check_projection(x, F, &definite, &clamped);
    }
    if (lil_material_principal(&x->material, (double[]){ 1, 1, 1 }, &rest) &&
        !test_small()) /* both happened, so both were tested */
        CHECK(definite > many / 50 && clamped > many / 50);
}

TEST(projection_is_the_nearest_semidefinite)
{
    for_each(projection_of);
}

/* w_i from the stress on the axes, the block from the table: pairs by quotients and limits are the table's own. The
 * quotient errs by eps/1e-5 where it takes over from the limit, which errs by 1e-10 times the third derivatives. */
static void pairs_of(const sample *x)
{
    for (int k = 0; k < samples(200); k++) {
        double P[9], s[3] = { uniform(1, 2), uniform(0.5, 1), uniform(0.3, 0.5) };
        s[1] = s[0] * (1 - (k % 5 ? pow(10, uniform(-16, -1)) : 0));
        s[2] = k % 3 ? s[2] : s[1];
        lil_principal p, q;
        stress_one(x, (double[]){ s[0], 0, 0, 0, s[1], 0, 0, 0, s[2] }, P);
        if (!lil_material_principal(&x->material, s, &p))
            return;
        q = p;
        lil_principal_pairs(s, (double[]){ P[0], P[4], P[8] }, &q);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(q.flip[i], p.flip[i], 1e-9 * (largest(p.block, 9) + stiffness(x)));
            CHECK_NEAR(q.twist[i], p.twist[i], 1e-9 * (largest(p.block, 9) + stiffness(x)));
        }
    }
}

TEST(pairs_follow_from_the_stretches)
{
    for_each(pairs_of);
}

/* ---- lanes ---- */

static void lanes_of(const sample *x)
{
    for (int k = 0; k < samples(100); k++) {
        double one[LIL_LANES][9], P1[9];
        lil_lanes F[9], w, P[9], w_alone, P_alone[9];
        for (int lane = 0; lane < LIL_LANES; lane++) {
            if (lane == k % 7) /* a neighbour that does not exist, or is nothing at all */
                extreme(k, one[lane]);
            else
                moderate(one[lane], false);
            for (int i = 0; i < 9; i++)
                F[i][lane] = one[lane][i];
        }
        if (k % 11 == 0)
            F[4][3] = one[3][4] = NAN;
        stress_lanes(x, F, &w, P);
        stress_lanes(x, F, &w_alone, NULL);
        stress_lanes(x, F, NULL, P_alone);
        for (int lane = 0; lane < LIL_LANES; lane++) {
            double w1 = stress_one(x, one[lane], P1);
            bool there = isfinite(w1);
            CHECK(there ? w[lane] == w1 && w_alone[lane] == w1 : !isfinite(w[lane]));
            for (int i = 0; i < 9 && there; i++)
                CHECK(P[i][lane] == P1[i] && P_alone[i][lane] == P1[i]);
        }
    }
}

TEST(lanes_do_not_see_each_other)
{
    for_each(lanes_of);
}

/* ---- moduli and lists ---- */

static void refuses(double young, double poisson, const char *words)
{
    lil_moduli m = { 7, 7 };
    CHECK(lil_moduli_from_young(ctx, young, poisson, &m) == LIL_ERR_INPUT);
    CHECK(m.mu == 7 && m.kappa == 7);
    if (!strstr(lil_context_message(ctx), words)) {
        test_failures++;
        printf("'%s' does not say '%s'\n", lil_context_message(ctx), words);
    }
}

TEST(moduli)
{
    lil_moduli m;
    MUST(lil_moduli_from_young(ctx, 2.1e11, 0.3, &m));
    CHECK_NEAR(m.mu, 2.1e11 / 2.6, 1e-4); /* a few units of the last place */
    CHECK_NEAR(m.kappa, 1.75e11, 1e-4);
    MUST(lil_moduli_from_young(ctx, 1, -0.9, &m));
    MUST(lil_moduli_from_young(ctx, 1, 0.4999, &m));
    refuses(1e6, 0.5, "0.5, which is incompressible, not 0.5; use e.g. 0.49");
    refuses(1e6, 0.7, "not 0.7");
    refuses(1e6, -1, "above -1");
    refuses(1e6, NAN, "nan");
    refuses(0, 0.3, "not 0 Pa");
    refuses(-5, 0.3, "not -5 Pa");
    refuses(INFINITY, 0.3, "inf");
    refuses(1e308, 0.4999999999, "bulk modulus");
    CHECK(lil_moduli_check(ctx, &(lil_moduli){ 0, 1 }) == LIL_ERR_INPUT);
    CHECK(lil_moduli_check(ctx, &(lil_moduli){ 1, -1 }) == LIL_ERR_INPUT);
    CHECK(lil_moduli_check(ctx, &(lil_moduli){ 1, NAN }) == LIL_ERR_INPUT);
    CHECK(lil_moduli_check(ctx, &(lil_moduli){ INFINITY, 1 }) == LIL_ERR_INPUT);
    lil_material cork = { lil_material_find("fixed-corotated"), { 1, 2. / 3 }, NULL, 0 };
    CHECK(lil_material_check(ctx, &cork) == LIL_ERR_INPUT && strstr(lil_context_message(ctx), "density"));
    cork.density = 180;
    MUST(lil_moduli_from_young(ctx, 2e7, 0, &cork.moduli));
    MUST(lil_material_check(ctx, &cork));
    MUST(lil_moduli_from_young(ctx, 2e7, -0.2, &cork.moduli));
    CHECK(lil_material_check(ctx, &cork) == LIL_ERR_INPUT && strstr(lil_context_message(ctx), "not -0.2"));
}

TEST(lists)
{
    lil_material_info info;
    for (int i = 0; i < lil_material_count(); i++) {
        const lil_material_table *t = lil_material_at(i);
        CHECK(lil_material_find(t->name) == t && lil_material_entry(i, &info) && info.name == t->name);
        CHECK(t->doc && t->formula && t->citation && t->stress && (t->derive || t->tangent));
        CHECK(!t->difference || t->derive); /* test_energy_momentum.c tests it */
    }
    CHECK(!lil_material_entry(-1, &info) && !lil_material_entry(lil_material_count(), &info));
    CHECK(!lil_material_find("wood") && !lil_material_at(-1) && !lil_material_at(lil_material_count()));
    CHECK(strcmp(lil_material_at(0)->name, "neo-hookean") == 0); /* the default */
    for (int i = 0; i < lil_material_preset_count(); i++) {
        const lil_material_preset *p = lil_material_preset_at(i);
        lil_material material = { .table = lil_material_find(p->table), .density = p->density };
        CHECK(material.table && lil_material_preset_find(p->name) == p && p->doc);
        MUST(lil_moduli_from_young(ctx, p->young, p->poisson, &material.moduli));
        MUST(lil_material_check(ctx, &material));
    }
    CHECK(!lil_material_preset_at(lil_material_preset_count()) && !lil_material_preset_find("wood"));
}

int main(void)
{
    ctx = lil_context_create();
    RUN(stress_and_tangent_are_derivatives);
    RUN(objective_ones_do_not_see_rotations);
    RUN(isotropic);
    RUN(exists_where_it_says);
    RUN(rest_is_rest_and_small_strains_see_the_moduli);
    RUN(uniaxial_stress_has_young_and_poisson);
    RUN(uniaxial_values);
    RUN(energies_are_the_formulas);
    RUN(projection_is_the_nearest_semidefinite);
    RUN(pairs_follow_from_the_stretches);
    RUN(lanes_do_not_see_each_other);
    RUN(moduli);
    RUN(lists);
    lil_context_destroy(&ctx);
    return test_end();
}
