#include "terms/barrier_work.h"

#include "core/threads.h"
#include "math/matrix3.h"
#include "math/semidefinite.h"
#include "terms/entries.h"

#include <math.h>

/* ---- begin ---- */

/* A factor of a fixed pattern has places for what the vertices of one element have with each other. What it has no
 * place for comes as couplings, and so do the values of all of it. */
static lil_status barrier_list_entries(lil_context *ctx, const lil_barriers *d, lil_arena *arena,
                                       lil_entries *entries)
{
    const lil_shell *s = &d->shell;
    LIL_TRY(lil_entries_create(ctx, arena, 81 * (size_t)s->count, entries));
    for (int e = 0; e < s->count; e++)
        for (int k = 0; k < 81; k++) {
            int a = s->corners[e][k / 27], b = s->corners[e][k / 9 % 3];
            if (a < 0 || b < 0 || a >= d->vertex_count || b >= d->vertex_count)
                continue;
            entries->row[entries->qq] = 3 * a + k % 9 / 3;
            entries->col[entries->qq++] = 3 * b + k % 3;
        }
    return LIL_OK;
}

static lil_status barrier_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                lil_entries *entries)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = *work = LIL_NEW(arena, lil_barrier_work, 1);
    size_t n = 3 * (size_t)d->point_count;
    LIL_HAVE(ctx, w);
    *w = (lil_barrier_work){ .ctx = ctx, .arena = arena, .margin = -1, .start_t = NAN };
    LIL_ALLOC_ALL(ctx, arena, double, n, &w->y0, &w->y1, &w->low, &w->high, &w->start, &w->base, &w->way, &w->ahead);
    w->planes = LIL_NEW(arena, lil_near_plane, (size_t)d->plane_count * (size_t)d->touching_count);
    w->plane_slides = LIL_NEW(arena, lil_slide, (size_t)d->plane_count * (size_t)d->touching_count);
    w->slots = LIL_NEW(arena, lil_drive_slots, d->shell.part_count);
    w->pose0 = LIL_NEW(arena, lil_pose, d->shell.part_count);
    w->pose1 = LIL_NEW(arena, lil_pose, d->shell.part_count);
    w->start_pose = LIL_NEW(arena, lil_pose, d->shell.part_count);
    w->obstacle_count = d->shell.part_count - d->body_count;
    LIL_ALLOC(ctx, arena, w->press, w->obstacle_count);
    lil_barrier_forget_end(w, 0);
    lil_barrier_forget_end(w, 1);
    LIL_HAVE(ctx, w->planes && w->plane_slides && w->slots && w->pose0 && w->pose1 && w->start_pose);
    for (int i = 0; i < d->shell.part_count; i++) {
        w->reach = fmax(w->reach, d->parts[i].d_hat / 2); /* how thick they are is no reason to look farther */
        if (d->drives && !lil_drive_begin(&d->drives[i], arena, &w->slots[i]))
            return lil_fail_memory(ctx);
    }
    w->apart = true;
    for (int i = 0; i < d->shell.part_count * d->shell.part_count; i++)
        w->apart = w->apart && (i / d->shell.part_count == i % d->shell.part_count || !d->shell.meet[i]);
    LIL_TRY(lil_barrier_list_surface(ctx, d, arena, w));
    if (second)
        LIL_TRY(barrier_list_entries(ctx, d, arena, entries));
    LIL_TRY(lil_neighbours_create(ctx, arena, &d->shell, d->rest, &w->neighbours));
    double *thickness;
    LIL_ALLOC(ctx, arena, thickness, d->shell.part_count);
    for (int i = 0; i < d->shell.part_count; i++)
        thickness[i] = d->parts[i].radius;
    return lil_neighbours_know_rest(w->neighbours, d->threads, d->rest, d->point_count, thickness);
}

/* ---- energy and forces ---- */

typedef struct force_job {
    const lil_barriers *d;
    lil_barrier_work *w;
} force_job;

/* Nothing takes time: only friction holds, and `step` is the length in which it does, m. */
static bool is_static(const lil_barrier_work *w)
{
    return w->at_end && w->t0 == w->t1;
}

static lil_contact_law law_of(const lil_barriers *d, const lil_barrier_work *w, double mu, double damping)
{
    lil_contact_law law = d->law;
    law.mu = mu;
    law.damping = damping;
    law.h = w->h;
    if (is_static(w)) {
        law.slip = 1;
        law.restitution = 1;
        law.damping = 0;
    }
    return law;
}

/* Between x and x derivatives by x1 are half of those by x. */
static void double_slopes(lil_barrier_press *p)
{
    for (int j = 0; j < 12; j++) {
        for (int i = 0; i < 4; i++)
            p->dc[i][j] *= 2;
        for (int i = 0; i < 3; i++)
            p->dr[i][j] *= 2;
        p->dN[j] *= 2;
    }
}

/* G, what is lost and, unless it is NULL, J. */
static bool find_force(const lil_barriers *d, const lil_barrier_work *w, lil_near_pair *n, double *J)
{
    lil_contact_law law = law_of(d, w, n->mu, n->damping);
    lil_barrier_press press;
    const double *x0 = w->at_end ? n->x1 : n->x0;
    const lil_barrier_end *e0 = w->at_end ? &n->e1 : &n->e0;
    n->loss = (lil_loss){ 0 };
    if (!lil_barrier_discrete_gradient(&n->p, x0, e0, n->x1, &n->e1, n->G, J))
        return false;
    for (int k = 0; k < 144 && J && w->at_end; k++)
        J[k] *= 2;
    if (w->h != 0 && lil_law_loses(&law)) {
        lil_barrier_press_discrete_gradient(&n->p, x0, e0, n->x1, &n->e1, J != NULL, &press);
        if (w->at_end) {
            press.gap0 = sqrt(n->e0.nearest.D) - n->p.radius;
            if (J)
                double_slopes(&press);
        }
        n->loss = lil_rub_pair(&law, &press, n->x0, n->x1, n->turns, n->slide, n->G, J);
    }
    return true;
}

/* How far a vertex went, as seen from a plane, which may have turned: R (R_1' r_1 - R_0' r_0), with R halfway. */
static void seen_from(const lil_barriers *d, const lil_barrier_work *w, const lil_near_plane *n, double dx[3])
{
    const lil_pose *p0 = &w->pose0[d->planes[n->plane].part], *p1 = &w->pose1[d->planes[n->plane].part];
    double own[3];
    for (int k = 0; k < 3; k++)
        dx[k] = n->r1[k] - n->r0[k];
    if (!p0->turned && !p1->turned)
        return;
    for (int k = 0; k < 3; k++) {
        own[k] = 0;
        for (int l = 0; l < 3; l++)
            own[k] += p1->R[3 * l + k] * n->r1[l] - p0->R[3 * l + k] * n->r0[l];
    }
    for (int k = 0; k < 3; k++)
        dx[k] = (lil_dot3(p0->R + 3 * k, own) + lil_dot3(p1->R + 3 * k, own)) / 2;
}

/* The direction of the plane's force. */
static double barrier_normal_of(const lil_barrier_work *w, const lil_near_plane *n, int k)
{
    return w->at_end ? n->n1[k] : (n->n0[k] + n->n1[k]) / 2;
}

/* The plane's own f and slope, and what friction and restitution add to f n and its derivative by the vertex. */
static lil_loss find_plane(const lil_barriers *d, const lil_barrier_work *w, lil_near_plane *n, double G[3],
                           double *J)
{
    lil_contact_law law = law_of(d, w, n->mu, n->damping);
    double dx[3], normal[3], length = 0;
    lil_barrier_plane_discrete_gradient(&n->p, w->at_end ? n->gap1 : n->gap0, n->gap1, &n->f, &n->slope);
    n->slope *= w->at_end ? 2 : 1;
    memset(G, 0, 3 * sizeof *G);
    if (J)
        memset(J, 0, 9 * sizeof *J);
    if (w->h == 0 || !lil_law_loses(&law))
        return (lil_loss){ 0 };
    for (int k = 0; k < 3; k++) {
        normal[k] = n->n0[k] + n->n1[k];
        length += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++)
        normal[k] /= sqrt(length);
    seen_from(d, w, n, dx);
    return lil_rub_plane(&law, n->gap0, n->gap1, n->f, n->slope, normal, dx, n->slide, G, J);
}

static void force_piece(void *data, int piece)
{
    force_job *j = data;
    for (int i = LIL_BARRIER_PIECE * piece; i < LIL_BARRIER_PIECE * (piece + 1) && i < j->w->near_total; i++) {
        lil_near_pair *n = &j->w->near[i];
        if (!find_force(j->d, j->w, n, NULL))
            memset(n->G, 0, sizeof n->G);
    }
}

/* G times the way of an obstacle's point, or its velocity: the work, or the power. */
static double drive_point(const lil_barriers *d, const lil_barrier_work *w, const lil_near_pair *n, int i, bool power)
{
    double way[3];
    if (power)
        lil_barrier_own_velocity(d, w->pose1, n->at[i], n->x1 + 3 * i, way);
    for (int k = 0; k < 3 && !power; k++)
        way[k] = n->x1[3 * i + k] - n->x0[3 * i + k];
    return lil_dot3(n->G + 3 * i, way);
}

/* gap_1 - gap_0 = n.(r_1 - r_0) + (n_1 - n_0).r, with n and r halfway: what is not the vertex's own way is the
 * plane's. */
static double drive_plane(const lil_barriers *d, const lil_barrier_work *w, const lil_near_plane *n, bool power)
{
    const lil_barrier_plane *plane = &d->planes[n->plane];
    const lil_pose *p0 = &w->pose0[plane->part], *p1 = &w->pose1[plane->part];
    double way[3], turn[3], sum = 0;
    if (power) {
        for (int k = 0; k < 3; k++)
            way[k] = w->y1[3 * n->vertex + k] - n->r1[k]; /* where the plane's point is */
        lil_pose_velocity(p1, way, way);
        lil_cross3(p1->omega, n->n1, turn);
    } else {
        double from[3];
        lil_pose_place(p0, plane->point, from);
        lil_pose_place(p1, plane->point, way);
        for (int k = 0; k < 3; k++) {
            way[k] -= from[k];
            turn[k] = n->n1[k] - n->n0[k];
        }
    }
    for (int k = 0; k < 3; k++)
        sum += turn[k] * (n->r0[k] + n->r1[k]) / 2 - (n->n0[k] + n->n1[k]) / 2 * way[k];
    return n->f * sum;
}

/* The plane provides what a vertex loses by friction, minus the dissipation. */
static double drag_plane(const lil_barrier_work *w, const lil_near_plane *n, const double G[3], lil_loss loss)
{
    double sum = loss.friction + loss.restitution;
    for (int k = 0; k < 3; k++)
        sum -= G[k] * (w->y1[3 * n->vertex + k] - w->y0[3 * n->vertex + k]);
    return sum;
}

static void add_loss(lil_barrier_work *w, lil_loss loss)
{
    w->loss.friction += loss.friction;
    w->loss.restitution += loss.restitution;
}

/* The sum over all that moves, of the forces on it, is minus what the obstacle's points get. */
static void press_obstacle(const lil_barriers *d, lil_barrier_work *w, int part, double sign, const double G[3])
{
    for (int k = 0; k < 3; k++)
        w->press[part - d->body_count][k] += sign * G[k];
}

/* Adds G to g, which has the vertices alone. What obstacles have of it times their way is `driven`; with t0 = t1
 * times their velocity. */
static void barrier_add_forces(const lil_barriers *d, lil_barrier_work *w, bool power, double *g)
{
    force_job j = { .d = d, .w = w };
    w->driven = 0;
    w->pushed = true;
    w->loss = (lil_loss){ 0 };
    memset(w->press, 0, (size_t)w->obstacle_count * sizeof *w->press);
    lil_parallel(d->threads, lil_barrier_pieces(w->near_total), force_piece, &j);
    for (int i = 0; i < w->near_total; i++) {
        const lil_near_pair *n = &w->near[i];
        add_loss(w, n->loss);
        for (int p = 0; p < 4; p++) {
            if (lil_barrier_spread(d, n->at[p], n->G + 3 * p, g))
                continue;
            press_obstacle(d, w, d->obstacle_part[n->at[p] - lil_barrier_moving(d)], -1, n->G + 3 * p);
            if (d->drives)
                w->driven += drive_point(d, w, n, p, power);
        }
    }
    for (int i = 0; i < w->plane_total; i++) {
        lil_near_plane *n = &w->planes[i];
        double G[3], f[3];
        lil_loss loss = find_plane(d, w, n, G, NULL);
        add_loss(w, loss);
        for (int k = 0; k < 3; k++)
            f[k] = n->f * barrier_normal_of(w, n, k) + G[k];
        lil_barrier_spread(d, n->vertex, f, g);
        press_obstacle(d, w, d->planes[n->plane].part, 1, f);
        if (d->drives)
            w->driven += drive_plane(d, w, n, power) + drag_plane(w, n, G, loss);
    }
}

static void spoil(const lil_barriers *d, double *value, double *g)
{
    if (value)
        *value = NAN;
    for (int k = 0; k < 3 * d->vertex_count && g; k++)
        g[k] = NAN;
}

static void barrier_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_barriers *d = data;
    lil_barrier_work *w = work;
    w->h = 0;
    w->at_end = false;
    if (!lil_barrier_find(d, w, at->t, at->q, at->t, at->q)) {
        spoil(d, sums->value, sums->gq);
        return;
    }
    double B = 0;
    for (int i = 0; i < w->near_total; i++)
        B += lil_barrier_energy(&w->near[i].p, &w->near[i].e1);
    for (int i = 0; i < w->plane_total; i++)
        B += lil_barrier_plane_energy(&w->planes[i].p, w->planes[i].gap1);
    lil_sums_add(sums, B);
    if (sums->gq)
        barrier_add_forces(d, w, true, sums->gq);
}

static void barrier_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    lil_barrier_work *w = work;
    (void)noise;
    w->h = w->step;
    w->at_end = ends->last;
    if (lil_barrier_find(data, w, ends->t0, ends->q0, ends->t1, ends->q1))
        barrier_add_forces(data, w, false, g);
    else
        spoil(data, NULL, g);
}

static void barrier_press(const void *work, double *sums)
{
    const lil_barrier_work *w = work;
    for (int i = 0; i < 3 * w->obstacle_count; i++)
        sums[i] += w->press[i / 3][i % 3];
}

static double barrier_driven(const void *work)
{
    return ((const lil_barrier_work *)work)->driven;
}

static lil_loss lost(const void *work)
{
    return ((const lil_barrier_work *)work)->loss;
}

/* ---- second derivatives ---- */

/* every vertex that can be touched, itself or by what it carries */
static lil_status barrier_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work,
                                lil_block_pairs *list)
{
    const lil_barriers *d = data;
    (void)work;
    LIL_ALLOC(ctx, arena, list->at, d->vertex_count);
    bool *feels;
    LIL_ALLOC(ctx, arena, feels, d->vertex_count);
    for (int i = 0; i < d->touching_count; i++) {
        int carried = d->touching[i] - d->vertex_count;
        if (carried < 0)
            feels[d->touching[i]] = true;
        for (int k = carried < 0 ? 0 : d->carried.begin[carried]; carried >= 0 && k < d->carried.begin[carried + 1];
             k++)
            feels[d->carried.vertex[k]] = true;
    }
    for (int v = 0; v < d->vertex_count; v++)
        if (feels[v]) {
            list->at[list->count][0] = v;
            list->at[list->count++][1] = -1;
        }
    return LIL_OK;
}

typedef struct couple_job {
    const lil_barriers *d;
    lil_barrier_work *w;
    bool definite;
    double weight;
    lil_coupling *to;
} couple_job;

static void couple_piece(void *data, int piece)
{
    const couple_job *j = data;
    for (int i = LIL_BARRIER_PIECE * piece; i < LIL_BARRIER_PIECE * (piece + 1) && i < j->w->near_total; i++) {
        lil_near_pair *n = &j->w->near[i];
        lil_coupling *c = &j->to[i];
        c->count = 4;
        if (!find_force(j->d, j->w, n, &c->H[0][0]))
            memset(c->H, 0, sizeof c->H);
        else if (j->definite)
            lil_make_semidefinite(12, &c->H[0][0]);
        for (int k = 0; k < 4; k++)
            c->at[k] = n->at[k] < lil_barrier_moving(j->d) ? n->at[k] : -1;
        for (int k = 0; k < 144; k++)
            c->H[k / 12][k % 12] *= j->weight;
    }
}

/* Adds dG/dx1 of what was found; what obstacles have is not part of it. `definite`: each pair's is projected, as a
 * whole, before obstacles are left out. Deep in the barrier a force turns with its feature, which a Hessian pays
 * for with negative eigenvalues. */
static void barrier_add_couplings(const lil_barriers *d, lil_barrier_work *w, bool definite, double weight,
                                  lil_couplings *to)
{
    couple_job j = { .d = d, .w = w, .definite = definite, .weight = weight };
    to->carried = d->carried.count ? &d->carried : NULL;
    if (w->near_total && !(j.to = lil_couplings_extend(to, w->near_total)))
        return;
    lil_parallel(d->threads, lil_barrier_pieces(w->near_total), couple_piece, &j);
    for (int i = 0; i < w->plane_total; i++) {
        lil_near_plane *n = &w->planes[i];
        lil_coupling c = { .count = 1, .at = { n->vertex } };
        double G[3], J[9];
        find_plane(d, w, n, G, J);
        for (int e = 0; e < 9; e++)
            c.H[e / 3][e % 3] = n->slope * barrier_normal_of(w, n, e / 3) * n->n1[e % 3] + J[e];
        lil_couplings_add(to, &c, weight);
    }
}

/* Couplings are all there is: entries have no place for them. */
static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    lil_barrier_work *w = work;
    if (!to->couplings)
        return;
    w->h = 0;
    w->at_end = false;
    if (lil_barrier_find(data, w, at->t, at->q, at->t, at->q))
        barrier_add_couplings(data, w, to->definite, 2 * to->weight, to->couplings);
}

static void barrier_discrete_gradient_second(const void *data, void *work, const lil_ends *ends, const lil_sink *to)
{
    lil_barrier_work *w = work;
    w->h = w->step;
    w->at_end = ends->last;
    if (lil_barrier_find(data, w, ends->t0, ends->q0, ends->t1, ends->q1))
        barrier_add_couplings(data, w, false, to->weight, to->couplings);
}

/* ---- round-off ---- */

/* How stiff friction and restitution are where they stick, over the force, at most. */
static double dissipation_stiffness(const lil_barriers *d, const lil_barrier_work *w, double mu)
{
    double e = d->law.restitution, k = (1 - e * e) / (1 + e * e);
    double slip = is_static(w) ? 1 : d->law.slip;
    return w->h == 0 || (mu == 0 && k == 0) ? 0 : 2 * (mu + k) / (slip * fabs(w->h));
}

/* The largest number of a pair's force; where only its energy was wanted, of that at y1. */
static double force_size(const lil_barrier_work *w, const lil_near_pair *n)
{
    double own[12], most = 0;
    const double *G = w->pushed ? n->G : own;
    if (!w->pushed && !lil_barrier_discrete_gradient(&n->p, n->x1, &n->e1, n->x1, &n->e1, own, NULL))
        return 0;
    for (int k = 0; k < 12; k++)
        most = fmax(most, fabs(G[k]));
    return most;
}

/* The last place of a coordinate changes a gap by as much, a force by what the barrier is stiff, an energy by the
 * force. */
static void barrier_size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_barrier_work *w = work;
    double square = 0;
    (void)q;
    for (int i = 0; i < w->near_total; i++) {
        const lil_near_pair *n = &w->near[i];
        double far = 0, force = force_size(w, n), d = sqrt(n->e1.nearest.D) - n->p.radius;
        for (int k = 0; k < 12; k++)
            far = fmax(far, fabs(n->x1[k]));
        *value += force * far;
        double stiff = d > 0 ? force * far * (1 / d + dissipation_stiffness(data, w, n->mu)) : 0;
        square += stiff * stiff;
    }
    for (int i = 0; i < w->plane_total; i++) {
        const lil_near_plane *n = &w->planes[i];
        double far = 0, f = n->f, slope = n->slope;
        for (int k = 0; k < 3; k++)
            far = fmax(far, fabs(w->y1[3 * n->vertex + k]));
        if (!w->pushed)
            lil_barrier_plane_discrete_gradient(&n->p, n->gap1, n->gap1, &f, &slope);
        *value += fabs(f) * far;
        double stiff = far * (fabs(slope) + fabs(f) * dissipation_stiffness(data, w, n->mu));
        square += stiff * stiff;
    }
    if (gradient)
        *gradient += 3 * sqrt(square); /* deep in the barrier it is three times as stiff as force over gap */
}

/* ---- measurements ---- */

/* A gap, and how fast it closes, m/s: the one counts that closes first. */
static void see_gap(lil_touch *most, double gap, double closing)
{
    if (closing > 0 && (most->depth == -INFINITY || gap * most->rate < -most->depth * closing)) {
        most->depth = -gap;
        most->rate = closing;
    }
}

/* The velocity of a pair's nearest points towards each other. v: of vertices and what they carry. */
static double closing_speed(const lil_barriers *d, const lil_barrier_work *w, const lil_neighbours_pair *pair,
                            const double x[12], const lil_closest *nearest, const double *v)
{
    double sum = 0, own[3];
    for (int i = 0; i < 4; i++) {
        int point = pair->at[i];
        if (point < lil_barrier_moving(d))
            memcpy(own, v + 3 * point, sizeof own);
        else
            lil_barrier_own_velocity(d, w->pose0, point, x + 3 * i, own);
        sum -= nearest->c[i] * lil_dot3(nearest->r, own);
    }
    return nearest->D > 0 ? sum / sqrt(nearest->D) : 0;
}

static void look_at_planes(const lil_barriers *d, const lil_barrier_work *w, const double *v, lil_touch *most)
{
    for (int i = 0; i < d->plane_count; i++) {
        const lil_barrier_plane *plane = &d->planes[i];
        const lil_pose *pose = &w->pose0[plane->part];
        lil_plane_place at = lil_barrier_plane_at(plane, pose);
        for (int k = 0; k < d->touching_count; k++) {
            const double *x = w->y0 + 3 * d->touching[k];
            double radius = d->parts[plane->part].radius + d->parts[d->touching_part[k]].radius, r[3], own[3];
            double gap = lil_barrier_gap(&at, x, r) - radius;
            lil_pose_velocity(pose, x, own);
            if (lil_barrier_meets_plane(d, k, plane))
                see_gap(most, gap, lil_dot3(at.normal, own) - lil_dot3(at.normal, v + 3 * d->touching[k]));
        }
    }
}

/* The gap that free flight closes first within four steps, for the time of the first contact: the watch needs its
 * rate twice. */
static void barrier_look_ahead(const lil_barriers *d, lil_barrier_work *w, double t, const double *q, const double *v,
                               lil_touch *most)
{
    for (int k = 0; k < 3 * d->vertex_count; k++)
        w->way[k] = q[k] + 4 * most->step * v[k];
    lil_barrier_set_end(d, w, 0, t, q);
    lil_barrier_set_end(d, w, 1, t + 4 * most->step, w->way);
    w->found = false;
    if (!w->apart && !lil_barrier_update(d, w, true))
        return;
    memcpy(w->way, v, 3 * (size_t)d->vertex_count * sizeof *v);
    lil_carried_place(&d->carried, d->threads, v, w->way + 3 * (size_t)d->vertex_count);
    for (int i = 0; i < w->count && !w->apart; i++) {
        const lil_neighbours_pair *pair = &w->candidates[i];
        double x[12];
        if (pair->part[0] == pair->part[1])
            continue; /* a body in free flight stays away from itself */
        lil_barrier_gather(pair->at, w->y0, x);
        lil_closest nearest = lil_pair_nearest(pair->kind, x);
        see_gap(most, sqrt(nearest.D) - lil_barrier_radius(d, pair), closing_speed(d, w, pair, x, &nearest, w->way));
    }
    look_at_planes(d, w, w->way, most);
}

/* The narrowest gap within the barrier, or, before the first contact, of all. */
static void barrier_touch(const void *data, void *work, const lil_at *at, lil_touch *most)
{
    lil_barrier_work *w = work;
    if (!lil_barrier_find(data, w, at->t, at->q, at->t, at->q))
        return;
    most->pushed = most->pushed || w->near_total > 0 || w->plane_total > 0;
    if (most->watch && !most->pushed) {
        barrier_look_ahead(data, w, at->t, at->q, at->v, most);
        return;
    }
    lil_barrier_count(w, most);
    for (int i = 0; i < w->near_total; i++)
        most->depth = fmax(most->depth, w->near[i].p.radius - sqrt(w->near[i].e1.nearest.D));
    for (int i = 0; i < w->plane_total; i++)
        most->depth = fmax(most->depth, -w->planes[i].gap1);
}

/* The prescribed motion of an obstacle may be undefined. */
static bool barrier_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t room)
{
    const lil_barriers *d = data;
    const lil_barrier_work *w = work;
    for (int i = 0; d->drives && i < d->shell.part_count; i++) {
        const lil_drive *drive = &d->drives[i];
        if ((drive->move && lil_program_explain(drive->move, w->slots[i].move, at->t, NULL, NULL, sentence, room)) ||
            (drive->turn && lil_program_explain(drive->turn, w->slots[i].turn, at->t, NULL, NULL, sentence, room)))
            return true;
    }
    return false;
}

static const lil_term_discrete_gradient discrete_gradient = {
    .evaluate = barrier_discrete_gradient,
    .second = barrier_discrete_gradient_second,
    .lost = lost,
};

static const lil_term_contact contact = {
    .touch = barrier_touch,
    .list = lil_barrier_list,
    .part = lil_barrier_part_of,
    .impassable = true,
    .is_open = lil_barrier_is_open,
    .push = lil_barrier_push,
    .pushes = lil_barrier_pushes,
    .hardest = lil_barrier_hardest,
    .resolve = lil_barrier_resolve,
};

static const lil_term_table table = {
    .name = "barrier",
    .doc = "barrier contact, B = sum kappa m b(D)",
    .place = LIL_POTENTIAL,
    .begin = barrier_begin,
    .prepare = lil_barrier_prepare,
    .evaluate = barrier_evaluate,
    .second = second,
    .projects = true,
    .places = true,
    .couples = true,
    .pairs = barrier_pairs,
    .discrete_gradient = &discrete_gradient,
    .contact = &contact,
    .driven = barrier_driven,
    .press = barrier_press,
    .longest = lil_barrier_longest,
    .size = barrier_size,
    .explain = barrier_explain,
};

bool lil_barriers_hold(const lil_barriers *d)
{
    int n = d->shell.part_count;
    for (int i = 0; d->friction && i < n * n; i++)
        if (d->friction[i] > 0)
            return true;
    return d->law.restitution < 1 || d->law.damping > 0;
}

bool lil_barriers_lose(const lil_barriers *d)
{
    for (int i = 0; i < d->shell.part_count && d->law.damping < 0; i++)
        if (d->parts[i].damping > 0)
            return true;
    return lil_barriers_hold(d);
}

lil_term lil_barrier_term(const lil_barriers *barriers)
{
    return (lil_term){ .table = &table,
                       .data = (void *)barriers,
                       .uses_q = true,
                       .uses_t = barriers->drives != NULL,
                       .holds = lil_barriers_hold(barriers),
                       .loses = lil_barriers_lose(barriers) };
}
