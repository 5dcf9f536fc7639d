/* Friction and restitution of pairs and planes, over random pairs of both kinds: only losses, no net force or torque, and their Jacobian. */
#include "math/matrix3.h"
#include "terms/barrier_friction.h"
#include "test.h"

#include <float.h>

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

/* A step of a pair that is within d_hat at one end at least. */
typedef struct sample {
    lil_barrier p;
    lil_contact_law law;
    double x0[12], x1[12];
    lil_barrier_end e0, e1;
} sample;

static sample random_sample(int trial, double way)
{
    sample s = {
        .p = { .kind = trial % 2 ? LIL_EDGE_EDGE : LIL_POINT_TRIANGLE, .kappa = uniform(0.5, 2), .d_hat = 0.05 },
        .law = { .h = 0.01, .mu = uniform(0.1, 1), .slip = 100 * way * pow(10, uniform(-1, 1)) }
    };
    double dx[12], rest[12];
    int first = trial % 2 ? 2 : 1;
    s.law.restitution = trial % 4 < 2 ? 1 : uniform(0, 1);
    s.law.damping = trial % 8 < 4 ? 0 : uniform(0, 0.01);
    s.p.radius = rand() % 2 ? 0 : uniform(0, 0.05);
    for (int j = 0; j < 12; j++) {
        s.x0[j] = uniform(-1, 1);
        rest[j] = uniform(-1, 1);
        dx[j] = uniform(-way, way);
    }
    lil_closest n = lil_pair_nearest(s.p.kind, s.x0);
    double length = sqrt(n.D), gap = s.p.radius + s.p.d_hat * uniform(0.1, 1.2);
    for (int j = 0; j < 12; j++)
        s.x0[j] += 2 + (j / 3 >= first ? (length - gap) / length * n.r[j % 3] : 0);
    s.p.parallel = lil_barrier_parallel(rest) * (rand() % 2 ? 1 : 300); /* often z < 1 */
    double reach = lil_pair_reach(s.p.kind, s.x0, dx, s.p.radius, 0.1, 1);
    for (int j = 0; j < 12; j++)
        s.x1[j] = s.x0[j] + reach * dx[j];
    s.e0 = lil_barrier_look(&s.p, s.x0);
    s.e1 = lil_barrier_look(&s.p, s.x1);
    return s;
}

/* What is taken out alone. False: nothing is near. */
static bool rub(const sample *s, bool turns, double G[12], double *J, lil_loss *loss)
{
    lil_barrier_press press;
    if (s->e0.y >= 1 && s->e1.y >= 1)
        return false;
    lil_barrier_press_discrete_gradient(&s->p, s->x0, &s->e0, s->x1, &s->e1, J != NULL, &press);
    memset(G, 0, 12 * sizeof *G);
    if (J)
        memset(J, 0, 144 * sizeof *J);
    *loss = lil_rub_pair(&s->law, &press, s->x0, s->x1, turns, NULL, G, J);
    return true;
}

TEST(losses_are_losses_and_momenta_are_kept)
{
    int trials = test_small() ? 1000 : 20000, active = 0, thick = 0;
    for (int trial = 0; trial < trials; trial++) {
        sample s = random_sample(trial, pow(10, uniform(-5, -1)));
        double G[12], force[3] = { 0 }, torque[3] = { 0 }, work = 0, size = 0;
        lil_loss loss;
        bool turns = trial % 3 != 0;
        if (!rub(&s, turns, G, NULL, &loss))
            continue;
        active++;
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
        thick += s.p.radius > 0;
        CHECK(loss.friction >= 0 && loss.restitution >= -1e-13 * size); /* a gap that stays does so to round-off */
        CHECK_NEAR(work, loss.friction + loss.restitution, 1e-15 * size);
        for (int k = 0; k < 3; k++)
            CHECK_BELOW(fabs(force[k]), 1e-13 * size + 1e-300);
        for (int k = 0; k < 3 && turns; k++) /* slender pairs: I is ill-conditioned by (1/width)^2 */
            CHECK_BELOW(fabs(torque[k]), 1e-10 * size + 1e-300);
    }
    CHECK(active * 2 > trials && thick * 4 > active);
}

/* x1 is x0 turned and shifted: nothing slips, so nothing is held back. As seen by cb dx alone, rb would slip by its own turn. */
TEST(rigid_motion_does_not_slip)
{
    for (int trial = 0; trial < 1000; trial++) {
        sample s = random_sample(trial, 1e-3);
        double a = uniform(-0.1, 0.1), G[12], plain[12], size = 0, other = 0;
        lil_loss loss;
        for (int i = 0; i < 4; i++) {
            const double *x = s.x0 + 3 * i;
            double turned[3] = { cos(a) * x[0] - sin(a) * x[1] + 0.1, sin(a) * x[0] + cos(a) * x[1] - 0.2,
                                 x[2] + 0.3 };
            memcpy(s.x1 + 3 * i, turned, sizeof turned);
        }
        s.e1 = lil_barrier_look(&s.p, s.x1);
        s.law.restitution = 1;
        s.law.damping = 0;
        s.law.slip = 0.1;
        if (s.e0.y > 0.8 || !rub(&s, true, G, NULL, &loss))
            continue;
        rub(&s, false, plain, NULL, &loss);
        for (int j = 0; j < 12; j++) {
            size = fmax(size, fabs(G[j]));
            other = fmax(other, fabs(plain[j]));
        }
        CHECK_BELOW(size, 1e-7 * other + 1e-12);
    }
}

/* Central differences in x1. Where the nearest feature, or a law's piece, changes within the difference there is a kink: such are left out. */
TEST(jacobian_is_that_of_the_forces)
{
    const double h = 1e-7;
    int compared = 0, off = 0, trials = test_small() ? 400 : 4000;
    for (int trial = 0; trial < trials; trial++) {
        sample s = random_sample(trial, pow(10, uniform(-3, -1)));
        double G[12], J[144], error = 0, size = 0;
        bool smooth = true, turns = trial % 3 != 0;
        lil_loss loss;
        if (!rub(&s, turns, G, J, &loss))
            continue;
        for (int j = 0; j < 12 && smooth; j++) {
            double two[2][12] = { { 0 } };
            for (int side = 0; side < 2; side++) {
                sample m = s;
                m.x1[j] += side ? h : -h;
                m.e1 = lil_barrier_look(&m.p, m.x1);
                smooth = smooth && m.e1.nearest.free == s.e1.nearest.free && (m.e1.z < 1) == (s.e1.z < 1) &&
                         rub(&m, turns, two[side], NULL, &loss);
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
        /* (h/d)^2 with d > 5e-3, h over the length on which f bends, > 1e-6 of it, and eps |G|/h */
        off += !(error <= 1e-4 * size);
    }
    CHECK(compared > trials / 4);
    CHECK_BELOW(off, 0.02 * compared);
}

/* A mass meets a plane: it leaves with e of its velocity. */
TEST(mass_leaves_with_its_restitution)
{
    const lil_barrier p = { .kappa = 0.5, .d_hat = 0.01 };
    const double n[3] = { 0, 0, 1 };
    for (double e = 0; e <= 1; e += 0.2)
        for (double h = 1e-5; h < 0.1; h *= 5) {
            lil_contact_law law = { .h = h, .slip = 1e-4, .restitution = e };
            double gap = 0.0123, v = -1, lost = 0, first = 0.5;
            for (int step = 0; step < 100000 && (gap < 0.02 || v < 0); step++) {
                /* m (v1 - v) = -h (f + G), x1 = x + h (v + v1)/2: bisection, the force being one that falls with the gap */
                double low = 0, high = gap + h * fabs(v) + 1, f, slope, G[3];
                for (int it = 0; it < 200; it++) {
                    double x1 = (low + high) / 2, dx[3] = { 0, 0, x1 - gap };
                    lil_barrier_plane_discrete_gradient(&p, gap, x1, &f, &slope);
                    lost = lil_rub_plane(&law, gap, x1, f, slope, n, dx, NULL, G, NULL).restitution;
                    CHECK(lost >= 0);
                    if (2 * (x1 - gap) / h - 2 * v + h * (f + G[2]) > 0)
                        high = x1;
                    else
                        low = x1;
                }
                v = 2 * ((low + high) / 2 - gap) / h - v;
                gap = (low + high) / 2;
                first -= lost;
                if (gap < p.d_hat) /* all that is lost is booked; B is known to its last place over the gap's */
                    CHECK_NEAR(v * v / 2 + lil_barrier_plane_energy(&p, gap), first, 1e-9);
            }
            /* the step in which it turns has one force for both ways: an error of a share h v/d_hat of it; what is slower than `slip` keeps
             * more of itself. Longer steps may take less, never more. */
            double way = h / p.d_hat;
            CHECK_BELOW(v * v - e * e, way < 0.3 ? 0.2 * way + 2 * law.slip : 1 - e * e + 1e-9);
            CHECK(v * v - e * e > -1e-9);
        }
}

/* The force that pushes a vertex out of a plane, and its slope by the gap at the end. */
static double damped_push(double gap0, double gap1, double *slope)
{
    const lil_barrier p = { .kappa = 0.5, .d_hat = 0.01 };
    const lil_contact_law law = { .h = 1. / 240, .slip = 1e-3, .restitution = 1, .damping = 0.01 };
    const double n[3] = { 0, 0, 1 }, dx[3] = { 0, 0, gap1 - gap0 };
    double f, own, G[3], J[9];
    lil_barrier_plane_discrete_gradient(&p, gap0, gap1, &f, &own);
    CHECK(lil_rub_plane(&law, gap0, gap1, f, own, n, dx, NULL, G, J).restitution >= 0);
    *slope = -(own + J[8]);
    return -(f + G[2]);
}

/* It never pulls, and its slope is the same from both sides: where the gap rests, and where 1 - 3 kD w/gap would be 0. Quotients over e are off by
 * half of e times the second derivative, some 1e2 times force over gap^2. */
TEST(dampers_have_no_kink)
{
    const double gap = 0.004, c = 3 * 0.01 * 240, ends[] = { gap, gap * (c + 0.5) / (c - 0.5), 2 * gap, 0.7 * gap };
    for (int i = 0; i < 4; i++) {
        double slope, none, e = 1e-6 * gap, push = damped_push(gap, ends[i], &slope);
        CHECK(push > 0);
        double after = (damped_push(gap, ends[i] + e, &none) - push) / e,
               before = (push - damped_push(gap, ends[i] - e, &none)) / e;
        CHECK_NEAR(after, slope, 1e-4 * (fabs(slope) + push / gap));
        CHECK_NEAR(before, slope, 1e-4 * (fabs(slope) + push / gap));
    }
}

int main(void)
{
    srand(3);
    RUN(losses_are_losses_and_momenta_are_kept);
    RUN(rigid_motion_does_not_slip);
    RUN(jacobian_is_that_of_the_forces);
    RUN(mass_leaves_with_its_restitution);
    RUN(dampers_have_no_kink);
    return test_end();
}
