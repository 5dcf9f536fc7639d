/* A user's kind of constraint, held to its table. */
#include "constraints/registered.h"
#include "math/difference.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>

static bool check_constraint_value(const void *user, const double *x, double *g)
{
    const lil_constraint_member *c = user;
    return c->kind->value(c->data, x, g, NULL);
}

static void check_constraint_compare(lil_verdict *verdict, const lil_constraint_member *c, const double *y,
                                     const double *g, double size, const char *name)
{
    double other[LIL_KIND_ROWS_MAX];
    bool exists = check_constraint_value(c, y, other);
    for (int r = 0; r < c->kind->rows; r++) /* round-off of sums over the coordinates */
        lil_verdict_add(verdict, exists ? fabs(other[r] - g[r]) / fmax(size, 1e-300) : NAN, 1e-9,
                        "%s: g[%d] is %.9g before and %.9g after", name, r, g[r], exists ? other[r] : NAN);
}

static void check_constraint_check_symmetries(lil_verdict *verdict, const lil_constraint_member *c, const double *x,
                                              const double *g, const double *G)
{
    int m = c->kind->coordinates;
    double y[LIL_KIND_COORDINATES_MAX], size = 0;
    for (int k = 0; k < c->kind->rows * m; k++)
        size += fabs(G[k] * x[k % m]);
    lil_points_elsewhere(0, m, x, y);
    if (c->kind->holds & LIL_KIND_TRANSLATIONS)
        check_constraint_compare(verdict, c, y, g, size, "LIL_KIND_TRANSLATIONS does not hold");
    for (int k = 1; k <= 3 && c->kind->holds & LIL_KIND_ROTATIONS; k++) {
        lil_points_elsewhere(k, m, x, y);
        check_constraint_compare(verdict, c, y, g, size, "LIL_KIND_ROTATIONS does not hold");
    }
}

/* H of each row against differences of G; of a linear g differences of G are 0. */
static bool check_second(lil_context *ctx, lil_verdict *verdict, const lil_constraint_member *c, const double *x,
                         double reach, lil_status *status)
{
    int m = c->kind->coordinates, rows = c->kind->rows;
    bool linear = c->kind->holds & LIL_KIND_LINEAR, exists = true;
    lil_arena arena = { 0 };
    double *H = LIL_NEW(&arena, double, rows *m *m);
    if (!H)
        *status = lil_fail_memory(ctx);
    if (H && !linear)
        exists = c->kind->hessian(c->data, x, H);
    exists = exists && H &&
             lil_verdict_derivative(verdict, linear ? "LIL_KIND_LINEAR does not hold" : "H = dG/dx",
                                    lil_constraint_member_jacobian, c, m, rows * m, x, reach, H);
    for (int r = 0; exists && r < rows; r++) {
        char name[40];
        snprintf(name, sizeof name, "H[%d]", r);
        lil_verdict_symmetry(verdict, name, m, H + r * m * m);
    }
    lil_arena_free(&arena);
    return exists;
}

lil_status lil_check_constraint(lil_context *ctx, const lil_constraint_kind *kind, const void *data, const double *x,
                                lil_verdict *verdict)
{
    double g[LIL_KIND_ROWS_MAX], G[LIL_KIND_ROWS_MAX * LIL_KIND_COORDINATES_MAX];
    lil_constraint_kind taken;
    lil_status status = LIL_OK;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, kind, "kind");
    LIL_NEED(ctx, x, "x");
    LIL_NEED(ctx, verdict, "verdict");
    LIL_TRY(lil_constraint_kind_take(ctx, kind, &taken));
    if (taken.data_size)
        LIL_NEED(ctx, data, "data");
    const lil_constraint_member c = { &taken, data };
    int m = taken.coordinates;
    double extent = lil_largest(m, x), reach = 0.02 * (extent > 0 ? extent : 1);
    *verdict = (lil_verdict){ .holds = true };
    bool exists = taken.value(data, x, g, G) && lil_verdict_derivative(verdict, "G = dg/dx", check_constraint_value,
                                                                       &c, m, taken.rows, x, reach, G);
    if (exists && verdict->holds && (taken.hessian || taken.holds & LIL_KIND_LINEAR))
        exists = check_second(ctx, verdict, &c, x, reach, &status);
    LIL_TRY(status);
    if (!exists)
        return lil_fail(ctx, LIL_ERR_NOT_FINITE,
                        "the constraint '%.60s' refuses this x or one near it, so it cannot be checked there",
                        taken.name);
    check_constraint_check_symmetries(verdict, &c, x, g, G);
    lil_verdict_close(verdict, "the constraint '%.60s' agrees with its table: derivatives%s and symmetries",
                      taken.name, taken.hessian ? ", second ones too," : "");
    return LIL_OK;
}
