#include "terms/barrier_friction.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

/* ---- laws ---- */

/* f, an odd function */
static double barrier_friction_curve(double y, double *slope)
{
    double size = fabs(y);
    *slope = size < 1 ? 2 - 2 * size : 0;
    return size < 1 ? y * (2 - size) : y > 0 ? 1 : -1;
}

/* The damper's share of g, y = 3 kD w/gap: 1 - y while a gap closes, 1/(1 + y) while it opens. Both are one to
 * first order. A factor cut off at 0, where the damper would pull, has a kink that Newton's method jumps across
 * forever. */
static double resist(double y, double *slope)
{
    double opening = 1 / (1 + y);
    *slope = y > 0 ? -opening * opening : -1;
    return y > 0 ? opening : 1 - y;
}

/* g, and its derivative by gap1 */
static double barrier_friction_factor(const lil_contact_law *law, double gap0, double gap1, double *slope)
{
    double e = law->restitution, k = (1 - e * e) / (1 + e * e), w = (gap1 - gap0) / law->h, bent, db;
    double a = 1 - k * barrier_friction_curve(w / law->slip, &bent), da = -k * bent / (law->slip * law->h);
    double middle = (gap0 + gap1) / 2, b = resist(3 * law->damping * w / middle, &db);
    db *= 3 * law->damping * (1 / law->h - w / (2 * middle)) / middle;
    *slope = da * b + a * db;
    return a * b;
}

/* F = weight u over mu N, and its derivative weight + turn u u' */
typedef struct drag {
    double weight, turn;
} drag;

static drag drag_of(const lil_contact_law *law, double size)
{
    double e = law->slip * law->h;
    if (size < e)
        return (drag){ (2 - size / e) / e, size > 0 ? -1 / (e * e * size) : 0 };
    return (drag){ 1 / size, -1 / (size * size * size) };
}

/* Newton's own derivative, weight (1 - g' u u'/(|u| g)) with g = |u|/f, has no stiffness along u for sliding
 * contacts, and its steps overshoot. As in friction.c the force over mu N is an unknown of its own, lambda with
 * g(|u|) lambda = u (Chan, Golub & Mulet 1999); taken out again it leaves lambda in the place of one u/g. At the
 * solution both are the same. This is u as it appears in J. */
static void barrier_friction_follow(const lil_contact_law *law, const double u[3], double size, lil_slide *slide,
                                    double along[3])
{
    double e = law->slip * law->h, *l = slide->lambda;
    if (slide->seen && memcmp(u, slide->u, sizeof slide->u) != 0) {
        double before = sqrt(lil_dot3(slide->u, slide->u)), y = before / e, change = 0, length;
        for (int k = 0; k < 3; k++)
            change += before > 0 ? slide->u[k] / before * (u[k] - slide->u[k]) : 0;
        change *= y < 1 ? 1 / ((2 - y) * (2 - y)) : 1; /* g' */
        for (int k = 0; k < 3; k++)
            l[k] = drag_of(law, before).weight * (u[k] - change * l[k]);
        length = sqrt(lil_dot3(l, l));
        for (int k = 0; k < 3 && length > 1; k++)
            l[k] /= length;
    }
    if (!slide->seen)
        memset(l, 0, sizeof slide->lambda); /* a bound of the derivative */
    slide->seen = true;
    memcpy(slide->u, u, sizeof slide->u);
    for (int k = 0; k < 3; k++)
        along[k] = l[k] / drag_of(law, size).weight;
}

/* ---- the slip of four points ---- */

/* All of it halfway: y_i, I^-1, theta; n = r/|r|, u before and after it is projected. */
typedef struct slip {
    double y[12], inverse[9], theta[3], dx[12], mean[3]; /* mean: of dx */
    double n[3], length, w[3], u[3], size;
    bool turns;
} slip;

static void barrier_friction_multiply(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = lil_dot3(A + 3 * i, x);
}

/* I = sum |y|^2 - y y', of unit masses. Where all points are in a line nothing turns about it: a last place of the
 * trace makes I regular, and r, which is along the line, does not see it. */
static void invert_inertia(const double y[12], double inverse[9])
{
    const double REGULAR = 1e-14;
    double I[9] = { 0 }, trace = 0, cofactor[9];
    for (int i = 0; i < 4; i++)
        for (int e = 0; e < 9; e++)
            I[e] += (e % 4 == 0 ? lil_dot3(y + 3 * i, y + 3 * i) : 0) - y[3 * i + e / 3] * y[3 * i + e % 3];
    trace = I[0] + I[4] + I[8];
    for (int e = 0; e < 9; e += 4)
        I[e] += REGULAR * trace;
    lil_cofactor3(I, cofactor);
    double det = I[0] * cofactor[0] + I[1] * cofactor[1] + I[2] * cofactor[2];
    for (int e = 0; e < 9; e++)
        inverse[e] = det > 0 ? cofactor[e] / det : 0; /* I is symmetric */
}

static void find_theta(const double x0[12], const double x1[12], slip *s)
{
    double centre[3], spin[3] = { 0 }, part[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = s->mean[k] = 0;
        for (int i = 0; i < 4; i++) {
            centre[k] += (x0[3 * i + k] + x1[3 * i + k]) / 8;
            s->mean[k] += s->dx[3 * i + k] / 4;
        }
    }
    for (int j = 0; j < 12; j++)
        s->y[j] = (x0[j] + x1[j]) / 2 - centre[j % 3];
    invert_inertia(s->y, s->inverse);
    for (int i = 0; i < 4; i++) {
        lil_cross3(s->y + 3 * i, s->dx + 3 * i, part);
        for (int k = 0; k < 3; k++)
            spin[k] += part[k];
    }
    barrier_friction_multiply(s->inverse, spin, s->theta);
}

/* T x */
static void barrier_friction_across(const double n[3], const double x[3], double y[3])
{
    double along = lil_dot3(n, x);
    for (int k = 0; k < 3; k++)
        y[k] = x[k] - along * n[k];
}

/* sum c_i x_i with sum c = 0, by differences */
static void barrier_friction_weigh(const double c[4], const double x[12], double sum[3])
{
    for (int k = 0; k < 3; k++)
        sum[k] = c[1] * (x[3 + k] - x[k]) + c[2] * (x[6 + k] - x[k]) + c[3] * (x[9 + k] - x[k]);
}

static slip find_slip(const lil_barrier_press *p, const double x0[12], const double x1[12], bool turns)
{
    slip s = { .turns = turns, .length = sqrt(lil_dot3(p->r, p->r)) };
    double turn[3];
    for (int j = 0; j < 12; j++)
        s.dx[j] = x1[j] - x0[j];
    barrier_friction_weigh(p->c, s.dx, s.w);
    for (int k = 0; k < 3; k++)
        s.n[k] = p->r[k] / s.length;
    if (turns) {
        find_theta(x0, x1, &s);
        lil_cross3(s.theta, p->r, turn);
        for (int k = 0; k < 3; k++)
            s.w[k] -= turn[k];
    }
    barrier_friction_across(s.n, s.w, s.u);
    s.size = sqrt(lil_dot3(s.u, s.u));
    return s;
}

/* G_i = A_i' F = c_i F + y_i x tau, tau = I^-1 (r x F) */
static void barrier_friction_spread(const lil_barrier_press *p, const slip *s, const double F[3], double tau[3],
                                    double G[12])
{
    double torque[3], part[3] = { 0 };
    lil_cross3(p->r, F, torque);
    barrier_friction_multiply(s->inverse, torque, tau);
    for (int i = 0; i < 4; i++) {
        if (s->turns)
            lil_cross3(s->y + 3 * i, tau, part);
        for (int k = 0; k < 3; k++)
            G[3 * i + k] = p->c[i] * F[k] + part[k];
    }
}

/* ---- its derivatives ---- */

/* dI x, where x1 of point i changes along e_k: y_i by half of that, the others' changes by the centre's cancel */
static void inertia_change(const double y[3], int k, const double x[3], double out[3])
{
    double along = lil_dot3(y, x);
    for (int l = 0; l < 3; l++)
        out[l] = y[k] * x[l] - (l == k ? along / 2 : 0) - y[l] * x[k] / 2;
}

/* du/dx1_j */
static void slip_change(const lil_barrier_press *p, const slip *s, int j, const double dr[3], const double dn[3],
                        double du[3])
{
    int i = j / 3, k = j % 3;
    double dc[4] = { p->dc[0][j], p->dc[1][j], p->dc[2][j], p->dc[3][j] }, dw[3];
    barrier_friction_weigh(dc, s->dx, dw);
    dw[k] += p->c[i];
    if (s->turns) {
        double unit[3] = { k == 0, k == 1, k == 2 }, half[3], a[3], b[3], c[3], dtheta[3];
        for (int l = 0; l < 3; l++)
            half[l] = (s->dx[3 * i + l] - s->mean[l]) / 2;
        lil_cross3(unit, half, a);
        lil_cross3(s->y + 3 * i, unit, b);
        inertia_change(s->y + 3 * i, k, s->theta, c);
        for (int l = 0; l < 3; l++)
            a[l] += b[l] - c[l];
        barrier_friction_multiply(s->inverse, a, dtheta);
        lil_cross3(dtheta, p->r, a);
        lil_cross3(s->theta, dr, b);
        for (int l = 0; l < 3; l++)
            dw[l] -= a[l] + b[l];
    }
    double turned = lil_dot3(dn, s->w), along = lil_dot3(s->n, s->w);
    barrier_friction_across(s->n, dw, du);
    for (int l = 0; l < 3; l++)
        du[l] -= dn[l] * along + s->n[l] * turned;
}

/* adds column j of d(A'F)/dx1 */
static void add_spread_change(const lil_barrier_press *p, const slip *s, int j, const double dr[3], const double F[3],
                              const double dF[3], const double tau[3], double *J)
{
    int at = j / 3, k = j % 3;
    double dtau[3] = { 0 }, unit[3] = { k == 0, k == 1, k == 2 }, a[3], b[3], c[3];
    if (s->turns) {
        lil_cross3(dr, F, a);
        lil_cross3(p->r, dF, b);
        inertia_change(s->y + 3 * at, k, tau, c);
        for (int l = 0; l < 3; l++)
            a[l] += b[l] - c[l];
        barrier_friction_multiply(s->inverse, a, dtau);
        lil_cross3(unit, tau, c);
    }
    for (int i = 0; i < 4; i++) {
        lil_cross3(s->y + 3 * i, dtau, b);
        for (int l = 0; l < 3; l++)
            J[12 * (3 * i + l) + j] +=
                p->dc[i][j] * F[l] + p->c[i] * dF[l] + (s->turns ? b[l] + (i == at ? 0.375 : -0.125) * c[l] : 0);
    }
}

/* ---- pairs ---- */

typedef struct taken {
    double g, dg;              /* the factor, and by gap1 */
    double F[3], tau[3], u[3]; /* u: as it appears in J */
    drag d;
} taken;

static void barrier_friction_add_slopes(const lil_contact_law *law, const lil_barrier_press *p, const slip *s,
                                        const taken *f, double *J)
{
    for (int j = 0; j < 12; j++) {
        double dr[3] = { p->dr[0][j], p->dr[1][j], p->dr[2][j] }, dn[3], du[3] = { 0 }, dF[3],
               dg = f->dg * p->dgap1[j], dN = f->g * p->dN[j] + dg * p->N, back = (1 - f->g) * p->dN[j] - dg * p->N;
        barrier_friction_across(s->n, dr, dn);
        for (int l = 0; l < 3; l++)
            dn[l] /= s->length;
        for (int e = 0; e < 12; e++)
            J[12 * e + j] += p->c[e / 3] * (back * s->n[e % 3] + (1 - f->g) * p->N * dn[e % 3]) +
                             p->dc[e / 3][j] * (1 - f->g) * p->N * s->n[e % 3];
        if (law->mu == 0)
            continue;
        slip_change(p, s, j, dr, dn, du);
        double along = lil_dot3(s->u, du);
        for (int l = 0; l < 3; l++)
            dF[l] = law->mu *
                    (dN * f->d.weight * s->u[l] + f->g * p->N * (f->d.weight * du[l] + f->d.turn * along * f->u[l]));
        add_spread_change(p, s, j, dr, f->F, dF, f->tau, J);
    }
}

lil_loss lil_rub_pair(const lil_contact_law *law, const lil_barrier_press *p, const double x0[12],
                      const double x1[12], bool turns, lil_slide *slide, double G[12], double *J)
{
    lil_loss loss = { 0 };
    if (!(p->N > 0))
        return loss;
    slip s = find_slip(p, x0, x1, turns);
    taken f = { .d = drag_of(law, s.size) };
    double held[12] = { 0 };
    f.g = barrier_friction_factor(law, p->gap0, p->gap1, &f.dg);
    for (int l = 0; l < 3; l++)
        f.F[l] = law->mu * f.g * p->N * f.d.weight * s.u[l];
    if (law->mu > 0)
        barrier_friction_spread(p, &s, f.F, f.tau, held);
    for (int j = 0; j < 12; j++) {
        double back = (1 - f.g) * p->N * p->c[j / 3] * s.n[j % 3];
        loss.friction += held[j] * s.dx[j];
        loss.restitution += back * s.dx[j];
        G[j] += held[j] + back;
    }
    if (!J)
        return loss;
    memcpy(f.u, s.u, sizeof f.u);
    if (slide && law->mu > 0)
        barrier_friction_follow(law, s.u, s.size, slide, f.u);
    barrier_friction_add_slopes(law, p, &s, &f, J);
    return loss;
}

/* ---- planes ---- */

lil_loss lil_rub_plane(const lil_contact_law *law, double gap0, double gap1, double f, double slope,
                       const double n[3], const double dx[3], lil_slide *slide, double G[3], double *J)
{
    double u[3], v[3], dg, g = barrier_friction_factor(law, gap0, gap1, &dg), N = -f, dN = -slope;
    barrier_friction_across(n, dx, u);
    memcpy(v, u, sizeof v);
    double size = sqrt(lil_dot3(u, u)), mu = law->mu, pressed = g * N, dpressed = g * dN + dg * N;
    drag d = drag_of(law, size);
    lil_loss loss = { .restitution = (1 - g) * N * (gap1 - gap0) };
    for (int k = 0; k < 3; k++) {
        double held = mu * pressed * d.weight * u[k];
        loss.friction += held * dx[k];
        G[k] = held + (1 - g) * N * n[k];
    }
    if (J && slide && mu > 0)
        barrier_friction_follow(law, u, size, slide, v);
    for (int e = 0; e < 9 && J; e++) {
        int a = e / 3, b = e % 3;
        J[e] = ((1 - g) * dN - dg * N) * n[a] * n[b] + mu * dpressed * d.weight * u[a] * n[b] +
               mu * pressed * (d.weight * ((a == b) - n[a] * n[b]) + d.turn * v[a] * u[b]);
    }
    return loss;
}
