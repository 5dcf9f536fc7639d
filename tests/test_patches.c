/* How much a patch has changed its shape bounds how near its points can have come. */
#include "geometry/patches.h"
#include "math/matrix3.h"
#include "test.h"

enum { EACH = 12, PATCHES = 2, POINTS = EACH * PATCHES };

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

/* Two patches beside each other, nearly flat. */
static void make_points(double x[POINTS][3])
{
    for (int i = 0; i < POINTS; i++) {
        x[i][0] = uniform(0, 1) + i / EACH;
        x[i][1] = uniform(0, 1);
        x[i][2] = uniform(-0.02, 0.02);
    }
}

/* Turned about z, shortened along a direction of its plane, and a little bent. */
static void deform(double x[POINTS][3], double turn, double shorter, double curve, double y[POINTS][3])
{
    const double along[2] = { 0.6, 0.8 };
    for (int i = 0; i < POINTS; i++) {
        double less = (1 - shorter) * (along[0] * x[i][0] + along[1] * x[i][1]);
        double u = x[i][0] - less * along[0], v = x[i][1] - less * along[1];
        y[i][0] = cos(turn) * u - sin(turn) * v + 3;
        y[i][1] = sin(turn) * u + cos(turn) * v;
        y[i][2] = x[i][2] + curve * x[i][0] * x[i][0];
    }
}

static double between(double x[POINTS][3], int i, int j)
{
    double way[3] = { x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2] };
    return sqrt(lil_dot3(way, way));
}

/* In *tight the smallest of what is left over what a pair is apart. */
static void check_bound(const lil_patches *p, lil_patch_tie *tie, double x[POINTS][3], double y[POINTS][3],
                        double *tight)
{
    lil_patches_tie(p, tie);
    double bend = lil_patches_bend(p, tie->a), off = lil_patches_off(p, tie);
    for (int i = EACH * tie->a; i < EACH * (tie->a + 1); i++)
        for (int j = EACH * tie->b; j < EACH * (tie->b + 1); j++) {
            double apart = between(x, i, j), bound = (1 - bend) * apart - off;
            CHECK(between(y, i, j) >= bound);
            if (apart > 0.1)
                *tight = fmin(*tight, (between(y, i, j) - bound) / apart);
        }
}

/* `shorter` < 1 stretches as little as it leaves: nothing but `bend` says how near points come, nothing but `off` where it is curved. */
TEST(points_are_as_far_apart_as_a_patch_says)
{
    const double shorter[4] = { 1, 0.7, 1, 0.8 }, curve[4] = { 0, 0, 0.2, 0.1 }, turn[4] = { 2, 1, 0, -3 };
    const int begin[PATCHES + 1] = { 0, EACH, POINTS };
    const bool wanted[PATCHES] = { true, true };
    const double slack[PATCHES] = { 1e-6, 1e-6 };
    double x[POINTS][3], y[POINTS][3], tight = 1;
    int points[POINTS];
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_patches *p;
    for (int i = 0; i < POINTS; i++)
        points[i] = i;
    make_points(x);
    MUST(lil_patches_create(ctx, &arena, PATCHES, begin, points, wanted, x[0], &p));
    for (int i = 0; i < 4; i++) {
        const double *places[1] = { y[0] };
        lil_patch_tie ties[3] = { { .a = 0, .b = 0 }, { .a = 0, .b = 1 }, { .a = 1, .b = 1 } };
        deform(x, turn[i], shorter[i], curve[i], y);
        lil_patches_fit(p, NULL, NULL, places, 1, slack);
        for (int k = 0; k < 3; k++)
            check_bound(p, &ties[k], x, y, &tight);
        lil_patches_keep(p, ties, 3);
        CHECK(lil_patches_hold(p, NULL, y[0]) >= slack[0] * (1 - 1e-9));
        if (i == 0) {
            CHECK(lil_patches_bend(p, 0) < 0.011); /* its share of slack: a turn is no change of shape */
            deform(x, turn[i], 0.9, 0, y);
            CHECK(lil_patches_hold(p, NULL, y[0]) < 0);
        }
    }
    CHECK(tight < 0.12); /* the fifth that bounds have beside what they must */
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
}

int main(void)
{
    srand(5);
    RUN(points_are_as_far_apart_as_a_patch_says);
    return test_end();
}
