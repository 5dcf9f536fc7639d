/* Pairs of features: nearest points, impacts, and the barrier's discrete gradient, over random pairs of all kinds. */
#include "geometry/pair.h"
#include "math/matrix3.h"
#include "terms/barrier_pair.h"
#include "test.h"

#include <float.h>

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

static const lil_pair_kind kinds[] = { LIL_POINT_TRIANGLE, LIL_EDGE_EDGE };

static void random_points(double size, double x[12])
{
    for (int j = 0; j < 12; j++)
        x[j] = uniform(-size, size);
}

/* Two features that are `gap` apart, in any of the ways in which they can be near each other, somewhere in space. */
static void near_pair(lil_pair_kind kind, double gap, double x[12])
{
    random_points(1, x);
    lil_closest n = lil_pair_nearest(kind, x);
    double length = sqrt(n.D), place[3] = { uniform(-3, 3), uniform(-3, 3), uniform(-3, 3) };
    int first = kind == LIL_EDGE_EDGE ? 2 : 1; /* the second feature is moved along r */
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            x[3 * i + k] += place[k] + (i >= first ? (length - gap) / length * n.r[k] : 0);
}

static void move(const double x[12], const double dx[12], double s, double y[12])
{
    for (int j = 0; j < 12; j++)
        y[j] = x[j] + s * dx[j];
}

/* ---- nearest points ---- */

static double distance_at(lil_pair_kind kind, const double x[12], double u, double v)
{
    double c[4] = { 1, -(1 - u - v), -u, -v }, r[3] = { 0 };
    if (kind == LIL_EDGE_EDGE)
        memcpy(c, (double[]){ 1 - u, u, -(1 - v), -v }, sizeof c);
    for (int j = 0; j < 12; j++)
        r[j % 3] += c[j / 3] * x[j];
    return lil_dot3(r, r);
}

TEST(nearest_points_are_nearest)
{
    enum { GRID = 40 };
    int seen[2][3] = { { 0 } };
    for (int trial = 0; trial < (test_small() ? 200 : 4000); trial++)
        for (int type = 0; type < 2; type++) {
            lil_pair_kind kind = kinds[type];
            double x[12], sum = 0;
            random_points(1, x);
            lil_closest n = lil_pair_nearest(kind, x);
            seen[type][n.free]++;
            CHECK_NEAR(n.D, lil_pair_square(kind, x), 1e-14);
            for (int i = 0; i < 4; i++)
                sum += n.c[i];
            CHECK_BELOW(fabs(sum), 4 * DBL_EPSILON);
            CHECK_NEAR(n.D, distance_at(kind, x, kind == LIL_EDGE_EDGE ? n.c[1] : -n.c[2], -n.c[3]), 1e-14);
            for (int i = 0; i <= GRID; i++)
                for (int j = 0; j <= (kind == LIL_EDGE_EDGE ? GRID : GRID - i); j++)
                    CHECK(n.D <= distance_at(kind, x, i / (double)GRID, j / (double)GRID) + 1e-14);
        }
    for (int type = 0; type < 2; type++) /* faces or crossed edges, edges, vertices */
        for (int f = 0; f < 3; f++)
            CHECK(seen[type][f] > 0);
}

/* what has no area or no length is still at its distance from the other */
TEST(degenerate_features_have_a_distance)
{
    double needle[12] = { 0.3, 0, 2, 0, 0, 0, 1, 0, 0, 0.5, 0, 0 };
    CHECK_NEAR(lil_pair_nearest(LIL_POINT_TRIANGLE, needle).D, 4, 1e-15);
    double point[12] = { 0, 3, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    CHECK_NEAR(lil_pair_nearest(LIL_POINT_TRIANGLE, point).D, 6, 1e-15);
    double parallel[12] = { 0, 0, 0, 1, 0, 0, 0.2, 3, 0, 0.7, 3, 0 };
    CHECK_NEAR(lil_pair_nearest(LIL_EDGE_EDGE, parallel).D, 9, 1e-15);
    double ends[12] = { 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0 };
    CHECK_NEAR(lil_pair_nearest(LIL_EDGE_EDGE, ends).D, 4, 1e-15);
}

/* central differences of the weights, where no bound is near: their error is that of h^2 and eps/h */
TEST(weights_change_as_their_slopes_say)
{
    const double h = 1e-6;
    int compared = 0;
    for (int trial = 0; trial < 2000; trial++)
        for (int type = 0; type < 2; type++) {
            double x[12], slope[2][12];
            random_points(1, x);
            lil_closest n = lil_pair_nearest(kinds[type], x);
            double tilt = lil_barrier_parallel(x);
            double least = 1;
            for (int i = 0; i < 4; i++)
                least = n.c[i] != 0 ? fmin(least, fabs(n.c[i])) : least;
            if (least < 0.05 || tilt < 1e-6)
                continue;
            lil_pair_slopes(x, &n, slope);
            for (int j = 0; j < 12; j++) {
                double y[12], c[2][4];
                bool same = true;
                for (int side = 0; side < 2; side++) {
                    memcpy(y, x, sizeof y);
                    y[j] += side ? h : -h;
                    lil_closest at = lil_pair_nearest(kinds[type], y);
                    memcpy(c[side], at.c, sizeof at.c);
                    same = same && at.free == n.free;
                }
                for (int i = 0; i < 4 && same; i++) {
                    double by = 0, size = 1;
                    for (int a = 0; a < n.free; a++) {
                        by += slope[a][j] * n.direction[a][i];
                        size += fabs(slope[a][j]);
                    }
                    CHECK_NEAR((c[1][i] - c[0][i]) / (2 * h), by, 1e-6 * size * size * size);
                    compared++;
                }
            }
        }
    CHECK(compared > 10000);
}

/* ---- impacts ---- */

/* the least gap along the way, by sampling */
static double least_gap(lil_pair_kind kind, const double x[12], const double dx[12], double until)
{
    enum { SAMPLES = 400 };
    double least = INFINITY, y[12];
    for (int i = 0; i <= SAMPLES; i++) {
        move(x, dx, until * i / SAMPLES, y);
        least = fmin(least, sqrt(lil_pair_nearest(kind, y).D));
    }
    return least;
}

TEST(no_impact_is_passed)
{
    int cut = 0, whole = 0, early = 0;
    for (int trial = 0; trial < (test_small() ? 200 : 5000); trial++)
        for (int type = 0; type < 2; type++) {
            double x[12], dx[12], radius = trial % 3 ? 0 : 0.02, gap = pow(10, uniform(-6, -1));
            near_pair(kinds[type], radius + gap, x);
            random_points(pow(10, uniform(-3, 1)), dx);
            double reach = lil_pair_reach(kinds[type], x, dx, radius, 0.1, 1);
            CHECK(reach >= 0 && reach <= 1);
            double found = least_gap(kinds[type], x, dx, reach) - radius;
            CHECK(found >= 0.1 * gap * (1 - 1e-6) - 1e-14);
            cut += reach < 1;
            whole += reach == 1;
            /* where it stops, it stops at the bound: a tenth of the gap, or it would not have had to */
            if (reach < 1) {
                double y[12];
                move(x, dx, reach, y);
                early += sqrt(lil_pair_nearest(kinds[type], y).D) - radius > 0.2 * gap;
            }
        }
    CHECK(test_small() || (cut > 1000 && whole > 1000));
    CHECK(early * 100 < cut);
}

/* However far both features go together. Each bound that is too large by a fifth, or a point that is left out, fails. */
TEST(boxes_that_stay_apart_have_no_impact_between_them)
{
    int apart = 0, others = 0;
    for (int trial = 0; trial < (test_small() ? 500 : 20000); trial++)
        for (int type = 0; type < 2; type++) {
            double x[12], dx[12], common[3] = { uniform(-9, 9), uniform(-9, 9), uniform(-9, 9) };
            double radius = trial % 3 ? 0 : 0.02, keep = trial % 2 ? 0.1 : 0, most = uniform(0.05, 1);
            near_pair(kinds[type], radius + pow(10, uniform(-3, 0)), x);
            random_points(pow(10, uniform(-3, 0)), dx);
            for (int k = 0; k < 12; k++)
                dx[k] += common[k % 3];
            bool known = lil_pair_stays_apart(kinds[type], x, dx, radius, keep, most);
            CHECK(!known || lil_pair_reach(kinds[type], x, dx, radius, keep, most) == most);
            apart += known;
            others += !known;
        }
    CHECK(test_small() || (apart > 2000 && others > 2000));
}

TEST(sliding_is_not_held_up)
{
    /* a point slides over a triangle, a thousand gaps far; and falls on it: nine tenths of the way */
    double x[12] = { -5, 0, 1e-3, -10, -10, 0, 10, -10, 0, 0, 20, 0 }, dx[12] = { 1, 0, 0 };
    CHECK(lil_pair_reach(LIL_POINT_TRIANGLE, x, dx, 0, 0.1, 1) == 1);
    dx[3 * 0 + 2] = -2e-3;
    CHECK_NEAR(lil_pair_reach(LIL_POINT_TRIANGLE, x, dx, 0, 0.1, 1), 0.45, 1e-3);
    /* 1,000 m/s through a plate: it stops in front of it */
    double bullet[12] = { -500, 0.1, 0.2, 0, -10, -10, 0, 10, -10, 0, 0, 20 };
    double fast[12] = { 1000, 0, 0 };
    CHECK_NEAR(lil_pair_reach(LIL_POINT_TRIANGLE, bullet, fast, 0, 0.1, 1), 0.45, 1e-3);
    double nan[12] = { NAN, 0, 0 };
    CHECK(lil_pair_reach(LIL_POINT_TRIANGLE, bullet, nan, 0, 0.1, 1) < 1);
    CHECK(lil_pair_reach(LIL_POINT_TRIANGLE, bullet, fast, 600, 0.1, 1) == 0);
}

/* ---- the barrier ---- */

/* A barrier, and both ends of a step of it: each within or beyond d_hat, edges crossed or nearly parallel. */
typedef struct sample {
    lil_barrier p;
    double x0[12], x1[12];
    lil_barrier_end e0, e1;
} sample;

static sample random_sample(lil_pair_kind kind, double way)
{
    sample s = { .p = { .kind = kind, .kappa = uniform(0.5, 2), .d_hat = 0.05 } };
    double dx[12], rest[12];
    s.p.radius = rand() % 2 ? 0 : uniform(0, 0.05);
    near_pair(kind, s.p.radius + s.p.d_hat * uniform(0.1, 1.2), s.x0);
    random_points(1, rest);
    s.p.parallel = lil_barrier_parallel(rest) * (rand() % 2 ? 1 : 300); /* often z < 1 */
    random_points(way, dx);
    double reach = lil_pair_reach(kind, s.x0, dx, s.p.radius, 0.1, 1);
    move(s.x0, dx, reach, s.x1);
    s.e0 = lil_barrier_look(&s.p, s.x0);
    s.e1 = lil_barrier_look(&s.p, s.x1);
    return s;
}

TEST(discrete_gradient_does_the_work)
{
    int active = 0;
    for (int trial = 0; trial < (test_small() ? 500 : 20000); trial++) {
        sample s = random_sample(kinds[trial % 2], pow(10, uniform(-6, -1)));
        double G[12], work = 0, force[3] = { 0 }, torque[3] = { 0 }, size = 0, reach = 0;
        if (!lil_barrier_discrete_gradient(&s.p, s.x0, &s.e0, s.x1, &s.e1, G, NULL))
            continue;
        active++;
        for (int i = 0; i < 4; i++) {
            double middle[3], turn[3];
            for (int k = 0; k < 3; k++) {
                work += G[3 * i + k] * (s.x1[3 * i + k] - s.x0[3 * i + k]);
                force[k] += G[3 * i + k];
                middle[k] = (s.x0[3 * i + k] + s.x1[3 * i + k]) / 2;
                size += fabs(G[3 * i + k]);
                reach = fmax(reach, fabs(middle[k]));
            }
            lil_cross3(middle, G + 3 * i, turn);
            for (int k = 0; k < 3; k++)
                torque[k] += turn[k];
        }
        double B0 = lil_barrier_energy(&s.p, &s.e0), B1 = lil_barrier_energy(&s.p, &s.e1);
        /* D of places of size 3 is known to 3 eps d: B to eps 3/d of it, d > 1e-3 here */
        CHECK_NEAR(work, B1 - B0, 1e-11 * (B0 + B1) + 1e-15 * size);
        for (int k = 0; k < 3; k++) {
            CHECK_BELOW(fabs(force[k]), 1e-13 * size + 1e-300);
            CHECK_BELOW(fabs(torque[k]), 1e-13 * size * (1 + reach) + 1e-300);
        }
    }
    CHECK(active * 2 > (test_small() ? 500 : 20000));
}

/* J against central differences of G in x1. Where the nearest feature changes within the difference G has a kink: such are left out. */
TEST(jacobian_is_that_of_the_discrete_gradient)
{
    const double h = 1e-7;
    int compared = 0, off = 0;
    for (int trial = 0; trial < (test_small() ? 200 : 3000); trial++) {
        sample s = random_sample(kinds[trial % 2], pow(10, uniform(-4, -1)));
        double G[12], J[144], size = 0, error = 0;
        if (!lil_barrier_discrete_gradient(&s.p, s.x0, &s.e0, s.x1, &s.e1, G, J))
            continue;
        bool smooth = true;
        for (int j = 0; j < 12 && smooth; j++) {
            double two[2][12] = { { 0 } };
            for (int side = 0; side < 2; side++) {
                sample m = s;
                m.x1[j] += side ? h : -h;
                m.e1 = lil_barrier_look(&m.p, m.x1);
                smooth = smooth && m.e1.nearest.free == s.e1.nearest.free && (m.e1.z < 1) == (s.e1.z < 1) &&
                         lil_barrier_discrete_gradient(&m.p, m.x0, &m.e0, m.x1, &m.e1, two[side], NULL);
                for (int i = 0; i < 4; i++)
                    smooth = smooth && (m.e1.nearest.c[i] == 0) == (s.e1.nearest.c[i] == 0);
            }
            for (int i = 0; i < 12; i++) {
                error = fmax(error, fabs((two[1][i] - two[0][i]) / (2 * h) - J[12 * i + j]));
                size = fmax(size, fabs(J[12 * i + j]));
            }
        }
        if (!smooth)
            continue;
        compared++;
        /* central differences: (h/d)^2 with d > 5e-3, and eps |G|/h, are below 1e-6 of J; slender triangles are worse */
        off += !(error <= 1e-5 * size);
    }
    CHECK(compared > (test_small() ? 50 : 1000));
    CHECK_BELOW(off, 0.02 * compared);
}

/* A strand's edge is a triangle whose last two corners are one, a particle one of three: `corners` are left. Dependent ones get what is there
 * in sum. */
static void merge_points(int corners, double x[12])
{
    for (int i = 1 + corners; i < 4; i++)
        memcpy(x + 3 * i, x + 3 * corners, 3 * sizeof *x);
}

static sample thin_sample(int corners, double way)
{
    sample s = {
        .p = { .kind = LIL_POINT_TRIANGLE, .kappa = uniform(0.5, 2), .d_hat = 0.05, .radius = uniform(0, 0.1) }
    };
    double dx[12];
    random_points(1, s.x0);
    random_points(way, dx);
    merge_points(corners, s.x0);
    merge_points(corners, dx);
    lil_closest n = lil_pair_nearest(s.p.kind, s.x0);
    double length = sqrt(n.D), gap = s.p.radius + s.p.d_hat * uniform(0.1, 1.2);
    for (int i = 3; i < 12; i++)
        s.x0[i] += (length - gap) / length * n.r[i % 3];
    move(s.x0, dx, lil_pair_reach(s.p.kind, s.x0, dx, s.p.radius, 0.1, 1), s.x1);
    s.e0 = lil_barrier_look(&s.p, s.x0);
    s.e1 = lil_barrier_look(&s.p, s.x1);
    return s;
}

/* sum over copies of each point: a vertex i of 1 + corners, from row i of four */
static int vertex_of(int corners, int i)
{
    return i <= corners ? i : corners;
}

TEST(points_meet_edges_and_points_exactly)
{
    const double h = 1e-7;
    int compared = 0, off = 0;
    for (int trial = 0; trial < (test_small() ? 200 : 4000); trial++) {
        int corners = 1 + trial % 2;
        sample s = thin_sample(corners, pow(10, uniform(-6, -1)));
        double G[12], J[144], work = 0, torque[3] = { 0 }, force[3] = { 0 }, size = 0, error = 0, most = 0;
        double edge[3], from[3], along = 0, square = 0, D = 0;
        for (int k = 0; k < 3; k++) { /* the distance by another way */
            edge[k] = s.x1[6 + k] - s.x1[3 + k];
            from[k] = s.x1[k] - s.x1[3 + k];
            along += edge[k] * from[k];
            square += edge[k] * edge[k];
        }
        along = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
        for (int k = 0; k < 3; k++)
            D += (from[k] - along * edge[k]) * (from[k] - along * edge[k]);
        CHECK_NEAR(s.e1.nearest.D, D, 1e-14);
        if (!lil_barrier_discrete_gradient(&s.p, s.x0, &s.e0, s.x1, &s.e1, G, J))
            continue;
        for (int i = 0; i < 4; i++) {
            double middle[3], turn[3];
            for (int k = 0; k < 3; k++) {
                work += G[3 * i + k] * (s.x1[3 * i + k] - s.x0[3 * i + k]);
                force[k] += G[3 * i + k];
                size += fabs(G[3 * i + k]);
                middle[k] = (s.x0[3 * i + k] + s.x1[3 * i + k]) / 2;
            }
            lil_cross3(middle, G + 3 * i, turn);
            for (int k = 0; k < 3; k++)
                torque[k] += turn[k];
        }
        double B0 = lil_barrier_energy(&s.p, &s.e0), B1 = lil_barrier_energy(&s.p, &s.e1);
        CHECK_NEAR(work, B1 - B0, 1e-11 * (B0 + B1) + 1e-15 * size); /* as above */
        for (int k = 0; k < 3; k++) {
            CHECK_BELOW(fabs(force[k]), 1e-13 * size + 1e-300);
            CHECK_BELOW(fabs(torque[k]), 3e-13 * size + 1e-300);
        }
        bool smooth = true;
        for (int j = 0; j < 3 * (1 + corners); j++) {
            double change[12] = { 0 }, sum[12] = { 0 };
            for (int side = 0; side < 2; side++) {
                sample m = s;
                double g[12] = { 0 };
                m.x1[j] += side ? h : -h;
                merge_points(corners, m.x1);
                m.e1 = lil_barrier_look(&m.p, m.x1);
                smooth = smooth && m.e1.nearest.free == s.e1.nearest.free &&
                         lil_barrier_discrete_gradient(&m.p, m.x0, &m.e0, m.x1, &m.e1, g, NULL);
                for (int i = 0; i < 12; i++)
                    change[3 * vertex_of(corners, i / 3) + i % 3] += (side ? g[i] : -g[i]) / (2 * h);
            }
            for (int i = 0; i < 144; i++)
                if (3 * vertex_of(corners, i % 12 / 3) + i % 3 == j)
                    sum[3 * vertex_of(corners, i / 36) + i / 12 % 3] += J[i];
            for (int i = 0; i < 12; i++) {
                error = fmax(error, fabs(change[i] - sum[i]));
                most = fmax(most, fabs(sum[i]));
            }
        }
        compared += smooth;
        off += smooth && !(error <= 1e-5 * most);
    }
    CHECK(compared > (test_small() ? 50 : 1000));
    CHECK(off == 0);
}

/* Between x and x: the gradient of B, and half of a symmetric Hessian. */
TEST(in_one_place_it_is_the_gradient)
{
    const double h = 1e-6;
    for (int trial = 0; trial < 1000; trial++) {
        sample s = random_sample(kinds[trial % 2], 1e-3);
        double G[12], J[144], size = 0, most = 0, skew = 0;
        if (!lil_barrier_discrete_gradient(&s.p, s.x0, &s.e0, s.x0, &s.e0, G, J) || s.e0.y > 0.9)
            continue;
        for (int i = 0; i < 12; i++)
            size = fmax(size, fabs(G[i]));
        for (int i = 0; i < 144; i++) {
            most = fmax(most, fabs(J[i]));
            skew = fmax(skew, fabs(J[i] - J[12 * (i % 12) + i / 12]));
        }
        CHECK_BELOW(skew, 1e-9 * most);
        for (int j = 0; j < 12; j++) {
            double B[2], x[12];
            for (int side = 0; side < 2; side++) {
                memcpy(x, s.x0, sizeof x);
                x[j] += side ? h : -h;
                lil_barrier_end e = lil_barrier_look(&s.p, x);
                B[side] = lil_barrier_energy(&s.p, &e);
            }
            CHECK_NEAR((B[1] - B[0]) / (2 * h), G[j], 1e-5 * size); /* (h/d)^2, d > 5e-3 */
        }
    }
}

/* the work of a short way is that of its force, with no floor from round-off: the difference to the gradient falls as the way */
TEST(short_steps_lose_no_digits)
{
    for (int trial = 0; trial < 400; trial++) {
        sample s = random_sample(kinds[trial % 2], 1e-3);
        double dx[12], G0[12], G1[12], G[12];
        if (s.e0.y > 0.8 || s.e0.y < 0.05)
            continue;
        random_points(1, dx);
        for (double way = 1e-7; way > 1e-13; way /= 100) {
            move(s.x0, dx, way, s.x1);
            s.e1 = lil_barrier_look(&s.p, s.x1);
            bool same = s.e1.nearest.free == s.e0.nearest.free;
            for (int i = 0; i < 4; i++)
                same = same && (s.e1.nearest.c[i] == 0) == (s.e0.nearest.c[i] == 0);
            if (!same)
                continue;
            lil_barrier_discrete_gradient(&s.p, s.x0, &s.e0, s.x0, &s.e0, G0, NULL);
            lil_barrier_discrete_gradient(&s.p, s.x1, &s.e1, s.x1, &s.e1, G1, NULL);
            lil_barrier_discrete_gradient(&s.p, s.x0, &s.e0, s.x1, &s.e1, G, NULL);
            double off = 0, size = 0;
            for (int i = 0; i < 12; i++) {
                off = fmax(off, fabs(G[i] - (G0[i] + G1[i]) / 2));
                size = fmax(size, fabs(G0[i]));
            }
            /* (way/d)^2, d > 1e-2, weights of slender triangles change faster; and round-off eps |x|/d of each gradient */
            CHECK_BELOW(off, (1e8 * way * way + 1e-11) * size);
        }
    }
}

/* A lone mass against the bound: kappa b <= E keeps a gap of d_hat / sqrt(3 + E/kappa). */
TEST(energy_bounds_the_gap)
{
    lil_barrier p = { .kind = LIL_POINT_TRIANGLE, .kappa = 1, .d_hat = 0.01 };
    for (double E = 1e-3; E < 1e6; E *= 3) {
        double bound = p.d_hat / sqrt(3 + E / p.kappa);
        double x[12] = { 0, 0, bound, -1, -1, 0, 1, -1, 0, 0, 2, 0 };
        lil_barrier_end e = lil_barrier_look(&p, x);
        CHECK(lil_barrier_energy(&p, &e) >= E * (1 - 1e-12));
    }
}

int main(void)
{
    srand(2);
    RUN(nearest_points_are_nearest);
    RUN(degenerate_features_have_a_distance);
    RUN(weights_change_as_their_slopes_say);
    RUN(no_impact_is_passed);
    RUN(boxes_that_stay_apart_have_no_impact_between_them);
    RUN(sliding_is_not_held_up);
    RUN(discrete_gradient_does_the_work);
    RUN(jacobian_is_that_of_the_discrete_gradient);
    RUN(points_meet_edges_and_points_exactly);
    RUN(in_one_place_it_is_the_gradient);
    RUN(short_steps_lose_no_digits);
    RUN(energy_bounds_the_gap);
    return test_end();
}
