/* Exact predicates against arithmetic in whole numbers, and separation along straight paths against known crossings. */
#include "geometry/exact.h"
#include "record/check/check.h"
#include "test.h"

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

/* ---- sides ---- */

/* component k of (b - a) x (c - a), of whole numbers below 2^28 */
static int64_t normal(double x[4][3], int k)
{
    int64_t b[3], c[3];
    for (int d = 0; d < 3; d++) {
        b[d] = (int64_t)x[1][d] - (int64_t)x[0][d];
        c[d] = (int64_t)x[2][d] - (int64_t)x[0][d];
    }
    return b[(k + 1) % 3] * c[(k + 2) % 3] - b[(k + 2) % 3] * c[(k + 1) % 3];
}

/* Points whose fourth is in the plane of the others, or off it by one unit: the sums cancel beyond a double's digits. */
TEST(sides_are_exact)
{
    int flat = 0, sides = 0;
    for (int trial = 0; trial < (test_small() ? 2000 : 50000); trial++) {
        double x[4][3];
        int u = rand() % 5 - 2, v = rand() % 5 - 2, off = rand() % 3 - 1, axis = trial % 3;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                x[i][k] = floor(uniform(-1e8, 1e8));
        for (int k = 0; k < 3; k++)
            x[3][k] = x[0][k] + u * (x[1][k] - x[0][k]) + v * (x[2][k] - x[0][k]) + off * (k == axis);
        int64_t det = -off * normal(x, axis);
        int expected = det > 0 ? 1 : det < 0 ? -1 : 0;
        CHECK(lil_exact_side(x[0], x[1], x[2], x[3]) == expected);
        CHECK(lil_exact_side(x[1], x[0], x[2], x[3]) == -expected);
        for (int i = 0; i < 12; i++) /* a power of two changes nothing */
            x[i / 3][i % 3] *= 0x1p-200;
        CHECK(lil_exact_side(x[0], x[1], x[2], x[3]) == expected);
        flat += expected == 0;
        sides += expected != 0;
    }
    CHECK(flat > 100 && sides > 100);
}

/* ---- segments and triangles ---- */

static bool meets(const double p[3], const double q[3], double x[3][3])
{
    bool is = lil_exact_segment_meets_triangle(p, q, x[0], x[1], x[2]);
    CHECK(lil_exact_segment_meets_triangle(q, p, x[1], x[2], x[0]) == is);
    CHECK(lil_exact_segment_meets_triangle(p, q, x[2], x[1], x[0]) == is);
    return is;
}

TEST(segments_meet_triangles)
{
    double x[3][3] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } };
    CHECK(meets((double[]){ 1, 1, 1 }, (double[]){ 1, 1, -1 }, x));
    CHECK(meets((double[]){ 1, 1, 1 }, (double[]){ 1, 1, 0 }, x)); /* ends in it */
    CHECK(!meets((double[]){ 1, 1, 1 }, (double[]){ 1, 1, 0x1p-1000 }, x));
    CHECK(meets((double[]){ 2, 2, 1 }, (double[]){ 2, 2, -1 }, x)); /* on an edge */
    CHECK(!meets((double[]){ 2, 2 + 0x1p-51, 1 }, (double[]){ 2, 2 + 0x1p-51, -1 }, x));
    CHECK(meets((double[]){ 4, 0, 1 }, (double[]){ 4, 0, -1 }, x));  /* at a corner */
    CHECK(meets((double[]){ -1, 1, 0 }, (double[]){ 5, 1, 0 }, x));  /* in its plane, across */
    CHECK(meets((double[]){ 1, 1, 0 }, (double[]){ 1.5, 1, 0 }, x)); /* within */
    CHECK(meets((double[]){ 4, 0, 0 }, (double[]){ 8, 0, 0 }, x));   /* touches a corner */
    CHECK(!meets((double[]){ 3, 2, 0 }, (double[]){ 8, 2, 0 }, x));
    double line[3][3] = { { 0, 0, 0 }, { 2, 2, 2 }, { 1, 1, 1 } }; /* without area */
    CHECK(meets((double[]){ 0, 0, 1 }, (double[]){ 2, 2, 1 }, line));
    CHECK(!meets((double[]){ 0, 0, 3 }, (double[]){ 2, 2, 3 }, line));
}

/* ---- paths ---- */

/* a triangle in the plane z = 0, and one that goes through it, from `from` to `to` */
static bool apart(const double from[3], const double to[3])
{
    lil_checked a = { .at = { 0, 1, 2 } }, b = { .part = 1, .at = { 3, 4, 5 } };
    double x0[18] = { -1, -1, 0, 1, -1, 0, 0, 1, 0 }, x1[18];
    const double own[3][3] = { { 0.1, 0, 0.05 }, { -0.1, 0, 0.05 }, { 0, 0.1, 0 } };
    memcpy(x1, x0, sizeof x1);
    for (int i = 0; i < 9; i++) {
        x0[9 + i] = from[i % 3] + own[i / 3][i % 3];
        x1[9 + i] = to[i % 3] + own[i / 3][i % 3];
    }
    CHECK(!lil_check_meet(&a, &b, x0) && !lil_check_meet(&a, &b, x1)); /* at frames there is nothing to see */
    return lil_check_apart(&a, &b, 0, x0, x1);
}

TEST(passages_between_frames_are_seen)
{
    CHECK(!apart((double[]){ 0, 0, 5 }, (double[]){ 0.1, 0, -500 }));
    CHECK(apart((double[]){ 0, 0, 5 }, (double[]){ 0.1, 0, 1e-9 }));
    CHECK(apart((double[]){ -5, 0, 1e-8 }, (double[]){ 5, 0, 1e-8 })); /* slides along, near it */
    CHECK(apart((double[]){ 3, 0, 5 }, (double[]){ 3, 0, -5 }));       /* beside it */
    CHECK(apart((double[]){ 0, 0, 5 }, (double[]){ 4, 0, -5 }));       /* passes at x = 2 */
}

/* what shares a vertex meets only where more than that is in common */
TEST(neighbours_do_not_count)
{
    double x[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 1, 0.3, 0.2, -1 };
    lil_checked a = { .at = { 0, 1, 2 }, .number = 0 }, b = { .at = { 0, 1, 3 }, .number = 1 },
                c = { .at = { 0, 3, 4 }, .number = 2 }, d = { .at = { 2, 3, -1 }, .number = 3 };
    CHECK(!lil_check_meet(&a, &b, x));
    CHECK(lil_check_meet(&a, &c, x)); /* the edge from 3 to 4 goes through a */
    CHECK(!lil_check_meet(&a, &d, x));
}

/* Triangles on a lattice, most of them in one plane, that touch in points and along edges: what is told apart quickly is apart exactly. */
TEST(quick_answers_are_exact)
{
    const lil_checked a = { 0, { 0, 1, 2 }, 0 }, b = { 1, { 3, 4, 5 }, 0 };
    int met = 0, missed = 0;
    for (int trial = 0; trial < (test_small() ? 2000 : 50000); trial++) {
        double x[18];
        bool flat = trial % 4 > 0, meets = false;
        for (int i = 0; i < 18; i++)
            x[i] = floor(uniform(0, 5));
        for (int i = 0; i < 6;
             i++) { /* a plane that no axis knows, far from the origin: edges cancel to the last place */
            double u = x[3 * i], v = x[3 * i + 1], w = flat ? 0 : x[3 * i + 2];
            double at[3] = { 0.1 * u + 0.3 * v + 0.7 * w + 1e6, 0.2 * u - 0.1 * v + 0.1 * w, 0.3 * u + 0.7 * v - w };
            memcpy(x + 3 * i, at, sizeof at);
        }
        for (int i = 0; i < 3; i++) {
            const double *p = x + 3 * i, *q = x + 3 * ((i + 1) % 3);
            meets = meets || lil_exact_segment_meets_triangle(p, q, x + 9, x + 12, x + 15) ||
                    lil_exact_segment_meets_triangle(p + 9, q + 9, x, x + 3, x + 6);
        }
        CHECK(lil_check_meet(&a, &b, x) == meets);
        met += meets;
        missed += !meets;
    }
    CHECK(met > 100 && missed > 100);
}

int main(void)
{
    srand(4);
    RUN(sides_are_exact);
    RUN(segments_meet_triangles);
    RUN(passages_between_frames_are_seen);
    RUN(neighbours_do_not_count);
    RUN(quick_answers_are_exact);
    return test_end();
}
