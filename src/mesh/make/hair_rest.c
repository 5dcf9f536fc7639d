#include "mesh/make/hair_rest.h"

#include "math/matrix3.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void scale(double s, double a[3])
{
    for (int d = 0; d < 3; d++)
        a[d] *= s;
}

static void normalise(double a[3])
{
    scale(1 / sqrt(lil_dot3(a, a)), a);
}

/* across a unit vector, of length 1 */
static void any_normal(const double a[3], double b[3])
{
    int least = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
    least = fabs(a[2]) < fabs(a[least]) ? 2 : least;
    double axis[3] = { least == 0, least == 1, least == 2 };
    lil_cross3(a, axis, b);
    normalise(b);
}

/* ---- roots ---- */

/* Vogel's spiral: equal areas, and no two on one ray */
static double turn_of(int i)
{
    return i * PI * (3 - sqrt(5));
}

static void frame_of(const double axis[3], double frame[3][3])
{
    memcpy(frame[2], axis, sizeof frame[2]);
    normalise(frame[2]);
    any_normal(frame[2], frame[0]);
    lil_cross3(frame[2], frame[0], frame[1]);
}

void lil_roots_on_cap(int count, const double centre[3], double radius, const double axis[3], const double angles[2],
                      double (*root)[3], double (*direction)[3])
{
    double frame[3][3], high = cos(angles[0]), low = cos(angles[1]);
    frame_of(axis, frame);
    for (int i = 0; i < count; i++) {
        double z = high + (low - high) * (i + 0.5) / count, r = sqrt(fmax(0, 1 - z * z)), turn = turn_of(i);
        for (int d = 0; d < 3; d++) {
            direction[i][d] = r * (cos(turn) * frame[0][d] + sin(turn) * frame[1][d]) + z * frame[2][d];
            root[i][d] = centre[d] + radius * direction[i][d];
        }
    }
}

void lil_roots_on_disc(int count, const double centre[3], double radius, const double axis[3], double (*root)[3],
                       double (*direction)[3])
{
    double frame[3][3];
    frame_of(axis, frame);
    for (int i = 0; i < count; i++) {
        double r = radius * sqrt((i + 0.5) / count), turn = turn_of(i);
        memcpy(direction[i], frame[2], sizeof frame[2]);
        for (int d = 0; d < 3; d++)
            root[i][d] = centre[d] + r * (cos(turn) * frame[0][d] + sin(turn) * frame[1][d]);
    }
}

/* ---- variation between strands ---- */

/* -1 to 1; splitmix64 of (seed, strand, which) */
static double vary(const lil_hair *t, int strand, int which)
{
    uint64_t z = ((uint64_t)(uint32_t)t->seed << 40) + ((uint64_t)(uint32_t)strand << 8) + (uint64_t)which;
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

/* ---- a line that hangs ---- */

typedef struct line {
    int n;              /* links */
    double stiffness;   /* B / l of a hinge */
    const double *pull; /* g l M_i */
    double *theta, *trial, *slope, *diagonal, *side;
} line;

static double energy(const line *w, const double *theta)
{
    double E = 0;
    for (int i = 1; i < w->n; i++) {
        double k = 2 * tan((theta[i] - theta[i - 1]) / 2);
        E += w->stiffness / 2 * k * k - w->pull[i] * cos(theta[i]);
    }
    return E;
}

/* dE/dtheta, and the second derivatives: with `definite`, weight that would push a link over counts as if it pulled */
static double derive(const line *w, bool definite)
{
    double most = 0;
    for (int i = 1; i < w->n; i++) {
        double down = cos(w->theta[i]);
        w->slope[i] = w->pull[i] * sin(w->theta[i]);
        w->diagonal[i] = w->pull[i] * (definite ? fabs(down) : down);
    }
    for (int i = 1; i < w->n; i++) {
        double s = tan((w->theta[i] - w->theta[i - 1]) / 2), sec = 1 + s * s;
        double first = w->stiffness * 2 * s * sec, second = w->stiffness * (sec * sec + 2 * s * s * sec);
        w->slope[i] += first;
        w->diagonal[i] += second;
        w->side[i] = -second;
        if (i > 1) {
            w->slope[i - 1] -= first;
            w->diagonal[i - 1] += second;
        }
    }
    for (int i = 1; i < w->n; i++)
        most = fmax(most, fabs(w->slope[i]));
    return most;
}

/* slope = H^-1 slope of a tridiagonal H; false: it is not definite */
static bool solve(const line *w)
{
    for (int i = 1; i < w->n; i++) {
        if (i > 1) {
            double l = w->side[i] / w->diagonal[i - 1];
            w->diagonal[i] -= l * w->side[i];
            w->slope[i] -= l * w->slope[i - 1];
        }
        if (!(w->diagonal[i] > 0))
            return false;
    }
    for (int i = w->n - 1; i > 0; i--)
        w->slope[i] = (w->slope[i] - (i + 1 < w->n ? w->side[i + 1] * w->slope[i + 1] : 0)) / w->diagonal[i];
    return true;
}

/* Newton's method, downhill; from straight on */
static void hang(const line *w)
{
    enum { ITERATIONS = 300, HALVINGS = 30 };
    for (int i = 0; i < ITERATIONS; i++) {
        double enough = 1e-13 * (w->stiffness + w->pull[1]), E = energy(w, w->theta), step = 1;
        if (derive(w, false) <= enough)
            return;
        if (!solve(w)) {
            derive(w, true);
            solve(w);
        }
        for (int k = 1; k < w->n; k++) /* no hinge may fold */
            step = fmin(step, 1 / fabs(w->slope[k]));
        w->trial[0] = w->theta[0];
        for (int k = 0; k < HALVINGS; k++, step /= 2) {
            for (int j = 1; j < w->n; j++)
                w->trial[j] = w->theta[j] - step * w->slope[j];
            if (energy(w, w->trial) <= E + 1e-15 * fabs(E))
                break;
        }
        memcpy(w->theta, w->trial, (size_t)w->n * sizeof *w->theta);
    }
}

size_t lil_hair_scratch(const lil_hair *t)
{
    return 10 * (size_t)t->nodes;
}

/* The line as n links of length l with a share of the mass each, in the plane of `side` and `down`: theta of each
 * link. */
static const double *hang_line(const lil_hair *t, double l, double weight, double start, double *scratch)
{
    int n = t->nodes - 1, room = t->nodes;
    double *pull = scratch, below = weight / 2; /* of the last node */
    line w = { .n = n,
               .stiffness = t->B / l,
               .pull = pull,
               .theta = scratch + room,
               .trial = scratch + 2 * room,
               .slope = scratch + 3 * room,
               .diagonal = scratch + 4 * room,
               .side = scratch + 5 * room };
    for (int i = n - 1; i >= 0; i--, below += weight) {
        pull[i] = l * below;
        w.theta[i] = start;
    }
    hang(&w);
    return w.theta;
}

/* ---- curls ---- */

/* Radians from node to node of a helix with links of length l; above TOO_MUCH it is no helix to speak of. */
static const double TOO_MUCH = 2;

static double helix_step(double radius, double pitch, double l)
{
    double low = 0, high = TOO_MUCH;
    for (int i = 0; i < 60; i++) {
        double angle = (low + high) / 2, chord = 2 * radius * sin(angle / 2), rise = pitch * angle / (2 * PI);
        *(chord * chord + rise * rise < l * l ? &low : &high) = angle;
    }
    return (low + high) / 2;
}

/* A curve about the line: from the root on over one turn the helix opens. */
typedef struct curve {
    int n; /* links of the line */
    double l, radius, pitch, phase;
    double (*at)[2], (*along)[2]; /* where links of the line begin, and their directions, downwards and to the side */
    double root[3], down[3], side[3], across[3];
} curve;

static void lay_line(curve *c, const double *theta)
{
    c->at[0][0] = c->at[0][1] = 0;
    for (int i = 0; i < c->n; i++) {
        c->along[i][0] = cos(theta[i]);
        c->along[i][1] = sin(theta[i]);
        for (int k = 0; k < 2; k++)
            c->at[i + 1][k] = c->at[i][k] + c->l * c->along[i][k];
    }
}

static void place(const curve *c, const double in_plane[2], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = c->root[d] + in_plane[0] * c->down[d] + in_plane[1] * c->side[d];
}

/* x at the arc length u of the line, which is extended beyond its end */
static void point_at(const curve *c, double u, double x[3])
{
    int i = (int)fmin(u / c->l, c->n - 1);
    const double *along = c->along[i];
    double rest = u - i * c->l, open = c->radius * fmin(1, fmax(0, u - c->l) / c->pitch);
    double angle = 2 * PI * u / c->pitch + c->phase, out = open * cos(angle);
    place(
        c,
        (double[2]){ c->at[i][0] + rest * along[0] - out * along[1], c->at[i][1] + rest * along[1] + out * along[0] },
        x);
    for (int d = 0; d < 3; d++)
        x[d] += open * sin(angle) * c->across[d];
}

/* Nodes on the curve, each a link away from the one before. */
static void walk(const curve *c, double link, int nodes, double (*x)[3])
{
    double u = 0;
    point_at(c, 0, x[0]);
    for (int k = 1; k < nodes; k++) {
        double low = u, high = u + 1.5 * link;
        for (int i = 0; i < 50; i++) {
            double middle = (low + high) / 2, e[3];
            point_at(c, middle, x[k]);
            for (int d = 0; d < 3; d++)
                e[d] = x[k][d] - x[k - 1][d];
            *(lil_dot3(e, e) < link * link ? &low : &high) = middle;
        }
        u = (low + high) / 2;
    }
}

/* ---- all together ---- */

/* down, and what else the plane of the strand is made of */
static double lay_plane(const lil_hair *t, const double direction[3], curve *c)
{
    double g = sqrt(lil_dot3(t->gravity, t->gravity)), along;
    memcpy(c->down, g > 0 ? t->gravity : direction, sizeof c->down);
    normalise(c->down);
    along = lil_dot3(direction, c->down);
    for (int d = 0; d < 3; d++)
        c->side[d] = direction[d] - along * c->down[d];
    double off = sqrt(lil_dot3(c->side, c->side));
    if (off > 1e-12)
        scale(1 / off, c->side);
    else
        any_normal(c->down, c->side);
    lil_cross3(c->down, c->side, c->across);
    return atan2(off, along);
}

/* The strand's own data: its curl, its direction, the length of its links. */
static double individual(const lil_hair *t, int number, const double direction[3], curve *c, double leave[3])
{
    double by = t->spread / 2;
    c->pitch = t->pitch * (1 + by * vary(t, number, 0));
    c->radius = t->curl_radius * (1 + by * vary(t, number, 1));
    c->phase = PI * vary(t, number, 2);
    for (int d = 0; d < 3; d++)
        leave[d] = direction[d] + by * vary(t, number, 3 + d);
    normalise(leave);
    return t->length * (1 + by * vary(t, number, 6)) / c->n;
}

static void draw(curve *c, const double *theta, double link, double (*x)[3])
{
    lay_line(c, theta);
    for (int k = 0; k <= c->n; k++)
        place(c, c->at[k], x[k]);
    if (c->radius > 0)
        walk(c, link, c->n + 1, x);
}

lil_status lil_hair_hang(lil_context *ctx, const lil_hair *t, int number, const double root[3],
                         const double direction[3], double *scratch, double (*x)[3], double (*rest)[3])
{
    double leave[3], g = sqrt(lil_dot3(t->gravity, t->gravity)), *line_scratch = scratch + 4 * t->nodes;
    curve c = { .n = t->nodes - 1, .at = (double(*)[2])scratch, .along = (double(*)[2])(scratch + 2 * t->nodes) };
    double link = c.l = individual(t, number, direction, &c, leave);
    memcpy(c.root, root, sizeof c.root);
    if (c.radius > 0) {
        double step = helix_step(c.radius, c.pitch, link);
        if (step > TOO_MUCH * (1 - 1e-9))
            return lil_fail(ctx, LIL_ERR_INPUT,
                            "a curl of radius %g m and pitch %g m is too narrow for links of %g m: more 'nodes' make "
                            "them shorter",
                            t->curl_radius, t->pitch, link);
        c.l = c.pitch * step / (2 * PI);
    }
    double start = lay_plane(t, leave, &c);
    draw(&c, hang_line(t, c.l, 0, start, line_scratch), link, rest);
    draw(&c, hang_line(t, c.l, g * t->density * link, start, line_scratch), link, x);
    return LIL_OK;
}
