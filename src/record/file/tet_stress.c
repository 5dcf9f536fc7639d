#include "record/file/tet_stress.h"

#include "math/matrix3.h"

#include <string.h>

lil_status lil_tet_stress_create(lil_context *ctx, lil_arena *arena, const lil_recorded_body *body,
                                 lil_tet_stress *stress)
{
    LIL_TRY(lil_tets_create(ctx, arena, body->name, &body->material, body->rest, body->tets, body->mids,
                            body->tet_count, 0, &stress->parts[0]));
    return lil_tets_create_bulk(ctx, arena, stress->parts[0], &stress->parts[1]);
}

static double gradient(const lil_tets *tets, int point, const double *x, double F[9])
{
    lil_tet tet;
    double D[9];
    lil_tets_get(tets, point, &tet);
    lil_tet_edges(&tet, x, D);
    lil_multiply3(D, tet.B, F);
    return tet.V;
}

/* Adds `weight` times the stress, and returns w. */
static double add_stress(const lil_tets *tets, const double F[9], double weight, double s[6])
{
    double P[9], own[6], w = lil_material_stress(&tets->material, F, P);
    lil_cauchy(F, P, own);
    for (int i = 0; i < 6; i++)
        s[i] += weight * own[i];
    return w;
}

double lil_tet_stress_mean(const lil_tet_stress *stress, const double *x, int e, double s[6], double *w, double *J)
{
    double total = 0, F[9];
    memset(s, 0, 6 * sizeof *s);
    *w = *J = 0;
    for (int i = 0; i < 2 && stress->parts[i]; i++) {
        const lil_tets *tets = stress->parts[i];
        for (int p = lil_tets_point(tets, e); p < lil_tets_point(tets, e + 1); p++) {
            double V = gradient(tets, p, x, F);
            *w += V * add_stress(tets, F, V, s);
            *J += i ? 0 : V * lil_determinant3(F);
            total += i ? 0 : V;
        }
    }
    *w /= total;
    *J /= total;
    for (int i = 0; i < 6; i++)
        s[i] /= total;
    return total;
}

void lil_tet_stress_at(const lil_tet_stress *stress, const double *x, int e, int a, double F[9], double s[6])
{
    const lil_tets *tets = stress->parts[0], *bulk = stress->parts[1];
    int nodes[LIL_QUADRATIC_NODES];
    memset(s, 0, 6 * sizeof *s);
    if (tets->mids) {
        lil_quadratic_nodes(tets->tets[e], tets->mids[e], nodes);
        lil_quadratic_gradient(tets->X, x, nodes, lil_quadratic_places[a], F);
    } else {
        gradient(tets, e, x, F);
    }
    add_stress(tets, F, 1, s);
    for (int p = bulk ? lil_tets_point(bulk, e) : 0; bulk && p < lil_tets_point(bulk, e + 1); p++) {
        double centre[9], whole = lil_tet_volume(tets->X, tets->tets[e]), V = gradient(bulk, p, x, centre);
        add_stress(bulk, centre, V / whole, s);
    }
}
