#include "keyframes/key_rotations.h"

#include "math/matrix3.h"

static void centre(const lil_key_rotations *t, int part, const double *q, double c[3])
{
    const lil_rigid_bodies *bodies = t->bodies;
    double mass = 0;
    memset(c, 0, 3 * sizeof *c);
    for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
        size_t i = 3 * (size_t)bodies->vertex[k];
        mass += bodies->m[i];
        for (size_t a = 0; a < 3; a++)
            c[a] += bodies->m[i] * q[i + a];
    }
    for (int a = 0; a < 3; a++)
        c[a] /= mass;
}

/* ---- poses ---- */

static double *frame(const lil_key_rotations *t, double *frames, int k)
{
    return frames + (size_t)k * t->shot->n;
}

static bool *key(const lil_key_rotations *t, int k, int part)
{
    return &t->key[(size_t)k * t->bodies->parts + part];
}

static double *turn_of(const lil_key_rotations *t, int k, int part)
{
    return t->R + 9 * ((size_t)k * t->bodies->parts + part);
}

static int latest(const lil_key_rotations *t, int k, int part)
{
    while (--k >= 0 && !*key(t, k, part))
        ;
    return k;
}

static int next(const lil_key_rotations *t, int k, int part)
{
    while (++k <= t->shot->N && !*key(t, k, part))
        ;
    return k;
}

/* Copies the positions that keys, hard or soft, set for vertices of a part into the poses. Returns the number of
 * these vertices. */
static int known(lil_key_rotations *t, int k, int part)
{
    lil_problem *shot = t->shot;
    int count = 0;
    for (int v = t->bodies->start[part]; v < t->bodies->start[part + 1]; v++) {
        size_t at = (size_t)k * shot->n + 3 * (size_t)t->bodies->vertex[v];
        bool soft = !shot->held[at] && shot->pull && shot->pull[at] > 0;
        memcpy(t->pose + at, (soft ? shot->wish : shot->q) + at, 3 * sizeof *t->pose);
        for (int a = 0; soft && a < 3; a++)
            t->shot->held[at + (size_t)a] = true; /* until the keys are restored */
        count += shot->held[at];
    }
    return count;
}

/* The part's pose at frame k, known in some of its vertices, from its latest one. */
static void complete(lil_key_rotations *t, int k, int part)
{
    lil_problem *shot = t->shot;
    int before = latest(t, k, part);
    double *from = frame(t, t->pose, before), *to = frame(t, t->pose, k), R[9], ca[3], cb[3];
    lil_rigid_nearest(t->bodies, part, from, to, shot->held + (size_t)k * shot->n, R, ca, cb);
    for (int v = t->bodies->start[part]; v < t->bodies->start[part + 1]; v++) {
        size_t i = 3 * (size_t)t->bodies->vertex[v];
        double r[3] = { from[i] - ca[0], from[i + 1] - ca[1], from[i + 2] - ca[2] };
        for (size_t a = 0; a < 3; a++) {
            to[i + a] = cb[a] + R[3 * a] * r[0] + R[3 * a + 1] * r[1] + R[3 * a + 2] * r[2];
            shot->held[(size_t)k * shot->n + i + a] = true;
        }
    }
}

static void find_pose(lil_key_rotations *t, int k, int part)
{
    int all = t->bodies->start[part + 1] - t->bodies->start[part], count = known(t, k, part);
    int before = latest(t, k, part);
    *key(t, k, part) = count == all || (count > 0 && before >= 0);
    if (!*key(t, k, part))
        return;
    if (count < all)
        complete(t, k, part);
    double *R = turn_of(t, k, part), step[9], ca[3], cb[3];
    if (before < 0) {
        lil_rotation_matrix((double[3]){ 0 }, 0, R);
        return;
    }
    lil_rigid_nearest(t->bodies, part, frame(t, t->pose, before), frame(t, t->pose, k), NULL, step, ca, cb);
    lil_multiply3(step, turn_of(t, before, part), R);
}

lil_status lil_key_rotations_create(lil_problem *shot, const lil_rigid_bodies *bodies, lil_key_rotations *t)
{
    size_t frames = (size_t)shot->N + 1, parts = (size_t)bodies->parts, total = frames * (size_t)shot->n;
    *t = (lil_key_rotations){ .shot = shot, .bodies = bodies };
    LIL_ALLOC(shot->ctx, &shot->arena, t->key, frames * parts);
    LIL_ALLOC(shot->ctx, &shot->arena, t->pose, total);
    LIL_ALLOC(shot->ctx, &shot->arena, t->R, 9 * frames * parts);
    LIL_ALLOC(shot->ctx, &shot->arena, t->held, total);
    memcpy(t->held, shot->held, total * sizeof *t->held);
    for (int k = 0; k <= shot->N; k++)
        for (int part = 0; part < bodies->parts; part++)
            find_pose(t, k, part);
    return LIL_OK;
}

/* ---- there and back ---- */

/* q <- R (q - c) + c, or with the transpose */
static void rotate(const lil_key_rotations *t, int part, const double R[9], bool back, double *q)
{
    const lil_rigid_bodies *bodies = t->bodies;
    double c[3];
    centre(t, part, q, c);
    for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
        double *x = q + 3 * (size_t)bodies->vertex[k], r[3] = { x[0] - c[0], x[1] - c[1], x[2] - c[2] };
        for (int a = 0; a < 3; a++)
            x[a] = c[a] + (back ? R[a] * r[0] + R[3 + a] * r[1] + R[6 + a] * r[2]
                                : R[3 * a] * r[0] + R[3 * a + 1] * r[1] + R[3 * a + 2] * r[2]);
    }
}

static void put(const lil_key_rotations *t, int part, int k)
{
    for (int v = t->bodies->start[part]; v < t->bodies->start[part + 1]; v++) {
        size_t at = (size_t)k * t->shot->n + 3 * (size_t)t->bodies->vertex[v];
        memcpy(t->shot->q + at, t->pose + at, 3 * sizeof *t->pose);
    }
}

void lil_key_rotations_back(lil_key_rotations *t)
{
    for (int k = 0; k <= t->shot->N; k++)
        for (int part = 0; part < t->bodies->parts; part++)
            if (*key(t, k, part)) {
                put(t, part, k);
                rotate(t, part, turn_of(t, k, part), true, frame(t, t->shot->q, k));
            }
}

/* whether a velocity is given at frame k: the angular velocity of the guess is 0 there */
static bool rests(const lil_problem *shot, int k)
{
    return (k > 0 && shot->right[k - 1] >= 0 && shot->plus[shot->right[k - 1]] < 0) ||
           (k < shot->N && shot->left[k] >= 0 && shot->minus[shot->left[k]] < 0);
}

/* Rotates the frames between the pose at frame a and the next at b: Hermite's cubic with the slopes at both. */
static void turn_between(lil_key_rotations *t, int part, int a, int b)
{
    lil_problem *shot = t->shot;
    double *Ra = turn_of(t, a, part), *Rb = turn_of(t, b, part), step[9], w[3], R[9];
    double set_out = !rests(shot, a), arrive = !rests(shot, b);
    lil_multiply3_nt(Rb, Ra, step);
    lil_rotation_vector(step, w);
    for (int k = a + 1; k < b; k++) {
        double x = (shot->t[k] - shot->t[a]) / (shot->t[b] - shot->t[a]);
        lil_rotation_matrix(w, x * (set_out + x * (3 - 2 * set_out - arrive + x * (set_out + arrive - 2))), step);
        lil_multiply3(step, Ra, R);
        rotate(t, part, R, false, frame(t, shot->q, k));
    }
}

void lil_key_rotations_forth(lil_key_rotations *t)
{
    lil_problem *shot = t->shot;
    for (int part = 0; part < t->bodies->parts; part++)
        for (int k = next(t, -1, part); k <= shot->N; k = next(t, k, part)) {
            int b = next(t, k, part);
            put(t, part, k);
            if (b <= shot->N)
                turn_between(t, part, k, b);
            for (int j = k + 1; b > shot->N && j <= shot->N; j++) /* after the last pose the rotation is constant */
                rotate(t, part, turn_of(t, k, part), false, frame(t, shot->q, j));
        }
    memcpy(shot->held, t->held, ((size_t)shot->N + 1) * (size_t)shot->n * sizeof *t->held);
}
