/* A user's kind of term, held to its table. */
#include "math/difference.h"
#include "math/vector.h"
#include "terms/registered.h"

#include <math.h>

static bool check_term_energy(const void *user, const double *x, double *W)
{
    const lil_term_element *e = user;
    return e->kind->energy(e->data, e->t, x, W, NULL);
}

/* W elsewhere beside W here; round-off is of what W changes by as x does, and that of x itself */
static void check_term_compare(lil_verdict *verdict, const lil_term_element *e, const double *y, double W,
                               double size, const char *name)
{
    double other = NAN;
    if (!check_term_energy(e, y, &other))
        other = NAN;
    lil_verdict_add(verdict, fabs(other - W) / fmax(size, 1e-300), 1e-9, "%s: W is %.9g before and %.9g after", name,
                    W, other);
}

static void check_term_check_symmetries(lil_verdict *verdict, const lil_term_element *e, const double *x, double W,
                                        const double *g)
{
    int m = e->kind->coordinates;
    double y[LIL_KIND_COORDINATES_MAX], size = fabs(W);
    for (int i = 0; i < m; i++)
        size += fabs(g[i] * x[i]);
    lil_points_elsewhere(0, m, x, y);
    if (e->kind->holds & LIL_KIND_TRANSLATIONS)
        check_term_compare(verdict, e, y, W, size, "LIL_KIND_TRANSLATIONS does not hold");
    for (int k = 1; k <= 3 && e->kind->holds & LIL_KIND_ROTATIONS; k++) {
        lil_points_elsewhere(k, m, x, y);
        check_term_compare(verdict, e, y, W, size, "LIL_KIND_ROTATIONS does not hold");
    }
    lil_term_element later = *e;
    later.t = e->t + 0.37;
    if (!(e->kind->holds & LIL_KIND_TIME))
        check_term_compare(verdict, &later, x, W, size, "W depends on t, but the kind lacks LIL_KIND_TIME");
}

lil_status lil_check_term(lil_context *ctx, const lil_term_kind *kind, const void *data, double t, const double *x,
                          lil_verdict *verdict)
{
    double W = NAN, alone = NAN, g[LIL_KIND_COORDINATES_MAX];
    double K[LIL_KIND_COORDINATES_MAX * LIL_KIND_COORDINATES_MAX];
    lil_term_kind taken;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, kind, "kind");
    LIL_NEED(ctx, x, "x");
    LIL_NEED(ctx, verdict, "verdict");
    LIL_TRY(lil_term_kind_take(ctx, kind, &taken));
    if (taken.data_size)
        LIL_NEED(ctx, data, "data");
    const lil_term_element e = { &taken, data, t };
    int m = taken.coordinates;
    double extent = lil_largest(m, x), reach = 0.02 * (extent > 0 ? extent : 1);
    *verdict = (lil_verdict){ .holds = true };
    bool exists = taken.energy(data, t, x, &W, g) && isfinite(W) && check_term_energy(&e, x, &alone);
    if (exists)
        lil_verdict_add(verdict, fabs(alone - W), 0, "W is %.17g with the gradient, but %.17g without it", W, alone);
    exists = exists && lil_verdict_derivative(verdict, "g = dW/dx", check_term_energy, &e, m, 1, x, reach, g);
    if (exists && verdict->holds && taken.hessian) { /* differences of a wrong g would tell nothing */
        exists = taken.hessian(data, t, x, K) &&
                 lil_verdict_derivative(verdict, "K = d2W/dx2", lil_term_element_gradient, &e, m, m, x, reach, K);
        lil_verdict_symmetry(verdict, "K = d2W/dx2", m, K);
    }
    if (!exists)
        return lil_fail(ctx, LIL_ERR_NOT_FINITE,
                        "the term '%.60s' refuses this x or one near it, so it cannot be checked there", taken.name);
    check_term_check_symmetries(verdict, &e, x, W, g);
    lil_verdict_close(verdict, "the term '%.60s' agrees with its table: derivatives%s, symmetries and time",
                      taken.name, taken.hessian ? ", second ones too" : "");
    return LIL_OK;
}
