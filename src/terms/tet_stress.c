/* Cauchy's stress of tets. */
#include "math/matrix3.h"
#include "terms/tets.h"

#include <string.h>

void lil_tets_stress(const void *data, const double *q, int e, double s[6], double *V)
{
    const lil_tets *t = data;
    memset(s, 0, 6 * sizeof *s);
    *V = 0;
    for (int p = lil_tets_point(t, e); p < lil_tets_point(t, e + 1); p++) {
        lil_tet tet;
        double D[9], F[9], P[9], own[6];
        lil_tets_get(t, p, &tet);
        lil_tet_edges(&tet, q, D);
        lil_multiply3(D, tet.B, F);
        lil_material_stress(&t->material, F, P);
        lil_cauchy(F, P, own);
        for (int i = 0; i < 6; i++)
            s[i] += tet.V * own[i];
        *V += t->bulk ? 0 : tet.V;
    }
}

static const char *body(const void *data)
{
    return ((const lil_tets *)data)->body;
}

const lil_term_solid lil_tet_solid = { .body = body, .stress = lil_tets_stress };
