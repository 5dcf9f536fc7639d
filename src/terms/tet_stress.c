/* Cauchy's stress of tets. */
#include "math/matrix3.h"
#include "terms/tets.h"

#include <math.h>

void lil_tets_stress(const void *data, const double *q, int e, double s[6], double *V)
{
    const lil_tets *t = data;
    lil_tet tet;
    double D[9], F[9], P[9];
    lil_tets_get(t, e, &tet);
    lil_tet_edges(&tet, q, D);
    lil_multiply3(D, tet.B, F);
    lil_material_stress(&t->material, F, P);
    lil_cauchy(F, P, s);
    *V = tet.V;
}

static const char *body(const void *data)
{
    return ((const lil_tets *)data)->body;
}

const lil_term_solid lil_tet_solid = { .body = body, .stress = lil_tets_stress };
