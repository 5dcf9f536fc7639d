#include "geometry/triangle.h"

#include "math/matrix3.h"

#include <math.h>

lil_triangle_region lil_triangle_parameters(const double ab[3], const double ac[3], const double aq[3], double *s,
                                            double *t)
{
    double d1 = lil_dot3(ab, aq), d2 = lil_dot3(ac, aq), aa = lil_dot3(ab, ab), cc = lil_dot3(ac, ac),
           m = lil_dot3(ab, ac);
    double d3 = d1 - aa, d4 = d2 - m, d5 = d1 - m, d6 = d2 - cc;
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    *s = *t = 0;
    if (d1 <= 0 && d2 <= 0)
        return LIL_TRIANGLE_CORNER;
    if (d3 >= 0 && d4 <= d3) {
        *s = 1;
        return LIL_TRIANGLE_CORNER + 1;
    }
    if (d6 >= 0 && d5 <= d6) {
        *t = 1;
        return LIL_TRIANGLE_CORNER + 2;
    }
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        *s = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
        return LIL_TRIANGLE_EDGE;
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        *t = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
        return LIL_TRIANGLE_EDGE + 2;
    }
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        double both = (d4 - d3) + (d5 - d6);
        *t = both > 0 ? (d4 - d3) / both : 0;
        *s = 1 - *t;
        return LIL_TRIANGLE_EDGE + 1;
    }
    *s = vb / (va + vb + vc);
    *t = vc / (va + vb + vc);
    return LIL_TRIANGLE_FACE;
}

double lil_triangle_nearest(const double *a, const double *b, const double *c, const double q[3], double p[3])
{
    double ab[3], ac[3], aq[3], s, t, square = 0;
    lil_subtract3(b, a, ab);
    lil_subtract3(c, a, ac);
    lil_subtract3(q, a, aq);
    lil_triangle_parameters(ab, ac, aq, &s, &t);
    for (int d = 0; d < 3; d++) {
        p[d] = a[d] + s * ab[d] + t * ac[d];
        square += (q[d] - p[d]) * (q[d] - p[d]);
    }
    return square;
}

bool lil_triangle_crossed(const double *a, const double *b, const double *c, const double *p, const double *q,
                          double *t)
{
    double pa[3], pb[3], pc[3], qa[3], qb[3], qc[3], way[3];
    lil_subtract3(a, p, pa);
    lil_subtract3(b, p, pb);
    lil_subtract3(c, p, pc);
    lil_subtract3(a, q, qa);
    lil_subtract3(b, q, qb);
    lil_subtract3(c, q, qc);
    double before = lil_triple3(pa, pb, pc),
           behind = lil_triple3(qa, qb, qc); /* six volumes: the ends are on both sides */
    if (!(before * behind < 0))
        return false;
    lil_subtract3(q, p, way);
    double u = lil_triple3(way, pa, pb), v = lil_triple3(way, pb, pc),
           w = lil_triple3(way, pc, pa); /* and it passes all edges on one side */
    if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)))
        return false;
    *t = before / (before - behind);
    return true;
}

lil_solid_angle lil_solid_angle_begin(void)
{
    return (lil_solid_angle){ .re = 1 };
}

/* tan(angle / 2) = lil_triple3(a, b, c) / (abc + (a.b) c + (b.c) a + (c.a) b). van Oosterom and Strackee 1983 */
void lil_solid_angle_add(lil_solid_angle *sum, const double *a, const double *b, const double *c, const double q[3])
{
    double qa[3], qb[3], qc[3];
    lil_subtract3(a, q, qa);
    lil_subtract3(b, q, qb);
    lil_subtract3(c, q, qc);
    double im = lil_triple3(qa, qb, qc);
    if (im == 0)
        return;
    double la = sqrt(lil_dot3(qa, qa)), lb = sqrt(lil_dot3(qb, qb)), lc = sqrt(lil_dot3(qc, qc));
    double re = la * lb * lc + lil_dot3(qa, qb) * lc + lil_dot3(qb, qc) * la + lil_dot3(qc, qa) * lb;
    double scale = 1 / (fabs(re) + fabs(im)), x = re * scale, y = im * scale;
    double product_re = sum->re * x - sum->im * y, product_im = sum->re * y + sum->im * x;
    /* two angles of one sign that end on the other side have passed half a turn */
    if (sum->im >= 0 && y > 0 && product_im < 0)
        sum->turns++;
    else if (sum->im < 0 && y < 0 && product_im >= 0)
        sum->turns--;
    scale = 1 / (fabs(product_re) + fabs(product_im));
    sum->re = product_re * scale;
    sum->im = product_im * scale;
}

double lil_solid_angle_end(const lil_solid_angle *sum)
{
    return 2 * (atan2(sum->im, sum->re) + 8 * atan(1) * sum->turns);
}
