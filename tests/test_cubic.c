/* lil_cubic_positive: where a cubic ends being positive, against known roots and against dense sampling. */
#include "math/cubic.h"
#include "test.h"

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

static double cubic(const double c[4], double s)
{
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

static void from_roots(double scale, double a, double b, double d, double c[4]) /* scale (s - a)(s - b)(s - d) */
{
    c[3] = scale;
    c[2] = -scale * (a + b + d);
    c[1] = scale * (a * b + a * d + b * d);
    c[0] = -scale * a * b * d;
}

static double positive(const double c[4])
{
    return lil_cubic_positive(c[0], c[1], c[2], c[3]);
}

TEST(cubics_of_known_roots)
{
    double c[4];
    for (int k = 0; k < 2000; k++) { /* the first root in (0, 1) of three anywhere */
        double r[3] = { uniform(-1, 2), uniform(-1, 2), uniform(-1, 2) }, first = 1, scale = uniform(0.1, 10);
        from_roots(scale, r[0], r[1], r[2], c);
        if (c[0] < 0)
            from_roots(-scale, r[0], r[1], r[2], c);
        for (int i = 0; i < 3; i++)
            first = r[i] > 0 ? fmin(first, r[i]) : first;
        double near = 1; /* two roots side by side are hard to tell from none, or from one */
        for (int i = 0; i < 3; i++)
            near = fmin(near, fabs(r[i] - r[(i + 1) % 3]));
        double found = positive(c), slack = 2e-9 + 1e-14 / (near * near);
        CHECK(found <= first + 1e-12 / near);
        CHECK(found >= first - slack || near < 1e-6);
    }
    from_roots(-1, 0.5, 0.5, 2, c); /* a double root touches from above: it is a root */
    CHECK_NEAR(positive(c), 0.5, 1e-4);
    CHECK(positive(c) <= 0.5);
    from_roots(-1, 0.3, 0.3, 0.3, c); /* a triple one */
    CHECK_NEAR(positive(c), 0.3, 1e-4);
    CHECK(positive((double[4]){ 1, 0, 0, 0 }) == 1);
    CHECK(positive((double[4]){ 1, -4, 4 + 1e-6, 0 }) == 1); /* above by 2.5e-7 */
    CHECK_NEAR(positive((double[4]){ 1, -2, 0, 0 }), 0.5, 2e-9);
    CHECK_NEAR(positive((double[4]){ 1, 0, 0, -8 }), 0.5, 2e-9);
    CHECK(positive((double[4]){ 1, -1, 0, 0 }) <= 1);
    CHECK(positive((double[4]){ 0, 1, 0, 0 }) == 0);
    CHECK(positive((double[4]){ -1, 5, 0, 0 }) == 0);
    CHECK(positive((double[4]){ NAN, 0, 0, 0 }) == 0);
    CHECK(positive((double[4]){ 1e-300, -4e-300, 0, 0 }) < 0.2500001); /* scale is nothing */
    CHECK(positive((double[4]){ 1, NAN, 0, 0 }) < 1);
}

TEST(cubics_by_dense_sampling)
{
    int cut = 0, whole = 0;
    for (int k = 0; k < (test_small() ? 100 : 3000); k++) {
        double c[4] = { uniform(0, 1), uniform(-5, 5), uniform(-5, 5), uniform(-5, 5) }, found = positive(c);
        bool before = true;
        for (int i = 0; i < 500; i++)
            before = before && cubic(c, found * i / 500) > 0;
        CHECK(before);
        if (found < 1)
            CHECK(cubic(c, found + 2e-9) <= 1e-8); /* at the root, or where it touches */
        cut += found < 1;
        whole += found == 1;
    }
    CHECK(test_small() || (cut > 300 && whole > 300));
}

int main(void)
{
    srand(1);
    RUN(cubics_of_known_roots);
    RUN(cubics_by_dense_sampling);
    return test_end();
}
