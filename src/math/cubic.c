#include "math/cubic.h"

enum { DEPTH = 30 }; /* halvings: a root is found to 1e-9 */

/* The cubic on an interval by its Bernstein coefficients, which bound it from both sides: where all are positive, so is
 * it; otherwise each half is looked at, the left one first (de Casteljau). Negative: it is positive throughout. */
static double first_not_positive(const double b[4], double left, double width, int depth)
{
    if (b[0] > 0 && b[1] > 0 && b[2] > 0 && b[3] > 0)
        return -1;
    if (depth == 0 || !(b[0] > 0))
        return left;
    double m = (b[1] + b[2]) / 2, l[4], r[4];
    l[0] = b[0];
    l[1] = (b[0] + b[1]) / 2;
    l[2] = (l[1] + m) / 2;
    r[3] = b[3];
    r[2] = (b[2] + b[3]) / 2;
    r[1] = (m + r[2]) / 2;
    l[3] = r[0] = (l[2] + r[1]) / 2;
    double root = first_not_positive(l, left, width / 2, depth - 1);
    return root >= 0 ? root : first_not_positive(r, left + width / 2, width / 2, depth - 1);
}

double lil_cubic_positive(double c0, double c1, double c2, double c3)
{
    const double b[4] = { c0, c0 + c1 / 3, c0 + 2 * c1 / 3 + c2 / 3, c0 + c1 + c2 + c3 };
    double root = first_not_positive(b, 0, 1, DEPTH);
    return root >= 0 ? root : 1;
}
