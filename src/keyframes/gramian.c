#include "keyframes/gramian.h"

#include "math/matrix3.h"

/* The weight of free components of the first state, beside impulses. */
static const double PRIOR = 1;
enum { ITERATIONS_MAX = 500 };

static bool first_is_free(const lil_gramian *s)
{
    return s->shot->left[0] < 0;
}

/* ---- creation ---- */

static lil_status create_rooms(lil_gramian *s)
{
    lil_problem *shot = s->shot;
    size_t n = (size_t)s->n, frames = (size_t)s->N + 1;
    struct {
        double **to;
        size_t size;
    } rooms[] = { { &s->pivot, (size_t)shot->rows + 1 },
                  { &s->ell, (size_t)shot->rows + 1 },
                  { &s->V, frames + (size_t)s->ends },
                  { &s->since, frames },
                  { &s->soft, s->size },
                  { &s->z, ((size_t)shot->rows + 1) * n },
                  { &s->x, frames * n },
                  { &s->first, n },
                  { &s->e, n },
                  { &s->P, n },
                  { &s->u, n },
                  { &s->Bd, n },
                  { &s->work, n + 1 },
                  { &s->y, s->size },
                  { &s->r, s->size },
                  { &s->s, s->size },
                  { &s->p, s->size },
                  { &s->Gp, s->size } };
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        LIL_HAVE(shot->ctx, *rooms[i].to = LIL_NEW(&shot->arena, double, rooms[i].size));
    s->bound = LIL_NEW(&shot->arena, bool, s->size);
    return s->bound ? LIL_OK : lil_fail_memory(shot->ctx);
}

static lil_status find_ends(lil_gramian *s)
{
    lil_problem *shot = s->shot;
    LIL_ALLOC(shot->ctx, &shot->arena, s->end_row, shot->rows + 1);
    LIL_ALLOC(shot->ctx, &shot->arena, s->end_at, s->N);
    for (int k = 0; k < s->N; k++) {
        int r = shot->right[k];
        s->end_at[k] = r >= 0 && shot->plus[r] < 0 ? s->ends : -1;
        if (s->end_at[k] >= 0)
            s->end_row[s->ends++] = r;
    }
    s->size = ((size_t)s->N + 1 + (size_t)s->ends) * (size_t)s->n;
    return LIL_OK;
}

static bool holds(const lil_gramian *s, int k)
{
    for (int i = 0; i < s->n; i++)
        if (s->bound[(size_t)k * s->n + i])
            return true;
    return false;
}

/* the weight of the soft key at frame k; 0: there is none */
static double softness(const lil_gramian *s, int k)
{
    const lil_problem *shot = s->shot;
    for (size_t i = 0, at = (size_t)k * (size_t)s->n; shot->pull && i < (size_t)s->n; i++)
        if (shot->pull[at + i] > 0 && !shot->held[at + i])
            return shot->pull[at + i] * shot->a[i];
    return 0;
}

static lil_status create_factor(lil_gramian *s, lil_panelled *factor)
{
    return lil_panelled_create(s->shot->ctx, &s->shot->arena, &s->panels, factor);
}

static lil_status create_matrices(lil_gramian *s)
{
    lil_problem *shot = s->shot;
    const lil_pattern *pattern = &shot->ev.matrix.pattern;
    LIL_ALLOC(shot->ctx, &shot->arena, s->factor, s->N);
    LIL_ALLOC(shot->ctx, &shot->arena, s->K, s->N + 1);
    LIL_ALLOC(shot->ctx, &shot->arena, s->softened, s->N + 1);
    LIL_TRY(lil_ldl_create(shot->ctx, &shot->arena, pattern, &s->ldl));
    LIL_TRY(lil_panels_create(shot->ctx, &shot->arena, &s->ldl, &s->panels));
    LIL_TRY(create_factor(s, &s->rest));
    for (int k = 0; k < s->N; k++)
        LIL_TRY(create_factor(s, &s->factor[k]));
    for (int k = 1; k <= s->N; k++)
        if (holds(s, k) && !shot->key[k]) /* soft, or partial (partial keys are soft at first) */
            LIL_TRY(create_factor(s, &s->softened[k]));
    for (int k = 1; k <= s->N; k++)
        if ((holds(s, k) || s->end_at[k - 1] >= 0) && !(s->K[k] = LIL_NEW(&shot->arena, double, pattern->count)))
            return lil_fail_memory(shot->ctx);
    return LIL_OK;
}

/* Where entry (row, col) is in a pattern; -1: it is not. */
static int find(const lil_pattern *pattern, int row, int col)
{
    for (int e = pattern->start[col]; e < pattern->start[col + 1]; e++)
        if (pattern->row[e] == row)
            return e;
    return -1;
}

static lil_status create_damping(lil_gramian *s)
{
    lil_problem *shot = s->shot;
    if (!shot->segment.damped_at_nodes || !(shot->segment.physics > 0))
        return LIL_OK;
    const lil_pattern *p = &s->damping.pattern;
    LIL_TRY(
        lil_assembly_create(shot->ctx, &shot->arena, shot->def.model, shot->ev.entries, lil_is_kick, &s->damping));
    LIL_ALLOC(shot->ctx, &shot->arena, s->in, p->count + 1);
    LIL_ALLOC(shot->ctx, &shot->arena, s->B, s->N);
    LIL_ALLOC(shot->ctx, &shot->arena, s->beta, s->N);
    LIL_ALLOC(shot->ctx, &shot->arena, s->omega, 3 * (size_t)s->N * (size_t)s->bodies->parts);
    for (int j = 0; j < p->n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            s->in[e] = find(&shot->ev.matrix.pattern, p->row[e], j);
    s->damped = true;
    for (int k = 0; k < s->N; k++)
        LIL_ALLOC(shot->ctx, &shot->arena, s->B[k], p->count + 1);
    return LIL_OK;
}

/* W + tau^2 L = L D L': rows of one segment are neighbours */
static void factor_rows(lil_gramian *s)
{
    lil_problem *shot = s->shot;
    for (int r = 0; r < shot->rows; r++) {
        s->pivot[r] = shot->w[r];
        s->ell[r] = 0;
    }
    for (int k = 0; k < s->N; k++)
        if (shot->left[k] >= 0 && shot->right[k] >= 0) {
            double beside = shot->def.smoothness * shot->def.smoothness / shot->dt[k];
            s->pivot[shot->left[k]] += beside;
            s->pivot[shot->right[k]] += beside;
            s->ell[shot->right[k]] = -beside;
        }
    for (int r = 1; r < shot->rows; r++) {
        double off = s->ell[r];
        s->ell[r] = off / s->pivot[r - 1];
        s->pivot[r] -= off * s->ell[r];
    }
}

/* The latest earlier frame with keys for all coordinates of the key at frame k, where the recursion restarts; the
 * first frame if there is none. */
static int latest(const lil_gramian *s, int k)
{
    const bool *held = s->shot->held, *now = s->bound + (size_t)k * (size_t)s->n;
    for (int before = holds(s, k) ? k - 1 : 0; before > 0; before--) {
        const bool *then = held + (size_t)before * (size_t)s->n;
        bool all = true;
        for (int i = 0; all && i < s->n; i++)
            all = then[i] || !now[i];
        if (all)
            return before;
    }
    return 0;
}

void lil_gramian_damp(lil_gramian *s, bool damped)
{
    s->damped = damped && s->B;
    memset(s->Bd, 0, (size_t)s->n * sizeof *s->Bd);
}

void lil_gramian_bind(lil_gramian *s)
{
    size_t frames = ((size_t)s->N + 1) * (size_t)s->n;
    for (size_t i = (size_t)s->n; i < frames; i++) {
        double pull = s->shot->pull ? s->shot->pull[i] : 0;
        s->bound[i] = s->shot->held[i] || pull > 0;
        s->soft[i] = pull > 0 && !s->shot->held[i] ? 1 / pull : 0;
    }
    for (size_t i = frames; i < s->size; i++)
        s->bound[i] = true;
    const double *a = s->shot->a;
    s->kappa = 0;
    for (int i = 0; i < s->n; i++)
        s->kappa += 1 / (a[i] * s->m[i]) / s->n;
    for (int k = 1; k <= s->N; k++) {
        s->since[k] = s->shot->t[k] - s->shot->t[latest(s, k)];
        s->V[k] = s->kappa * s->since[k] / 2;
    }
    for (int e = 0; e < s->ends; e++)
        s->V[s->N + 1 + e] = s->kappa * (s->shot->t[s->shot->minus[s->end_row[e]] + 1] - s->shot->t[0]) / 2;
    if (first_is_free(s))
        for (int k = 1; k <= s->N + s->ends; k++)
            s->V[k] += PRIOR * s->kappa * s->T / 2;
    factor_rows(s);
}

lil_status lil_gramian_create(lil_problem *shot, const lil_rigid_bodies *bodies, lil_gramian *s)
{
    *s = (lil_gramian){
        .shot = shot, .bodies = bodies, .n = shot->n, .N = shot->N, .m = shot->def.model->mass.diagonal
    };
    s->T = shot->t[s->N] - shot->t[0];
    LIL_TRY(find_ends(s));
    LIL_TRY(create_rooms(s));
    lil_gramian_bind(s);
    LIL_TRY(create_damping(s));
    return create_matrices(s);
}

/* ---- matrices ---- */

static void stiffness(lil_gramian *s, double t, const double *q, double *K)
{
    lil_problem *shot = s->shot;
    memset(K, 0, (size_t)shot->ev.matrix.pattern.count * sizeof *K);
    memset(s->work, 0, (size_t)s->n * sizeof *s->work);
    if (shot->segment.physics > 0)
        lil_evaluate_second(&shot->ev, t, q, s->work,
                            &(lil_weights){ .Qq = -shot->segment.physics, .definite = true }, K);
}

/* of the terms that kick */
static void set_damping(lil_gramian *s, double t, const double *q, double *B)
{
    lil_evaluator *ev = &s->shot->ev;
    memset(B, 0, (size_t)s->damping.pattern.count * sizeof *B);
    lil_evaluate_prepare(ev, LIL_KICK, t, 0, q);
    lil_evaluate_kick_entries(ev, t, s->shot->segment.physics, &s->damping, B);
}

static void set_turns(lil_gramian *s, int k, const double *a, const double *b)
{
    for (int part = 0; part < s->bodies->parts; part++) {
        double R[9], from[3], to[3], *w = s->omega + 3 * ((size_t)k * (size_t)s->bodies->parts + (size_t)part);
        lil_rigid_nearest(s->bodies, part, a, b, NULL, R, from, to);
        lil_rotation_vector(R, w);
        for (int i = 0; i < 3; i++)
            w[i] /= s->shot->dt[k];
    }
}

static double trace(const lil_pattern *pattern, const double *values)
{
    double sum = 0;
    for (int j = 0; j < pattern->n; j++) {
        int e = find(pattern, j, j);
        sum += e >= 0 ? values[e] : 0;
    }
    return sum;
}

/* K <- K + weight B */
static void add_damping(const lil_gramian *s, double weight, const double *B, double *K)
{
    for (int e = 0; e < s->damping.pattern.count; e++)
        if (s->in[e] >= 0)
            K[s->in[e]] += weight * B[e];
}

/* K <- scale K + mass M */
static void combine(const lil_gramian *s, double scale, double mass, double *K)
{
    const lil_pattern *pattern = &s->shot->ev.matrix.pattern;
    for (int e = 0; e < pattern->count; e++)
        K[e] *= scale;
    lil_assembly_add_mass(&s->shot->ev.matrix, s->shot->def.model, mass, K);
}

static bool factor(lil_gramian *s, const double *A, lil_panelled *panelled)
{
    lil_phase_begin(s->shot->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    bool definite = lil_ldl_factor(&s->ldl, A);
    lil_panelled_set(&s->panels, panelled);
    lil_phase_end(s->shot->ctx->phases);
    return definite;
}

/* S of segment k, K and B with it */
static bool set_segment(lil_gramian *s, int k, const double *a, const double *b)
{
    lil_problem *shot = s->shot;
    double h = shot->dt[k], *K = shot->aa;
    for (int i = 0; i < s->n; i++)
        s->u[i] = (a[i] + b[i]) / 2;
    stiffness(s, shot->t[k] + h / 2, s->u, K);
    if (s->damped) {
        set_damping(s, shot->t[k] + h / 2, s->u, s->B[k]);
        set_turns(s, k, a, b);
        double B = trace(&s->damping.pattern, s->B[k]);
        double of_K = trace(&shot->ev.matrix.pattern, K);
        s->beta[k] = of_K > 0 ? B / of_K : 0;
    }
    if (s->K[k + 1])
        memcpy(s->K[k + 1], K, (size_t)shot->ev.matrix.pattern.count * sizeof *K);
    combine(s, h / 4, 1 / h, K);
    if (s->damped)
        add_damping(s, 0.5, s->B[k], K);
    return factor(s, K, &s->factor[k]);
}

static lil_status gramian_set(lil_gramian *s, const double *q)
{
    lil_problem *shot = s->shot;
    size_t n = (size_t)s->n;
    double *K = shot->aa;
    bool definite = true;
    for (int k = 0; k < s->N && lil_problem_going(shot); k++)
        definite = set_segment(s, k, q + (size_t)k * n, q + ((size_t)k + 1) * n) && definite;
    for (int k = 1; k <= s->N; k++)
        if (softness(s, k) > 0) {
            memcpy(K, s->K[k], (size_t)shot->ev.matrix.pattern.count * sizeof *K);
            combine(s, 1 / (softness(s, k) * s->kappa), s->V[k] / s->kappa, K);
            definite = factor(s, K, &s->softened[k]) && definite;
        }
    stiffness(s, shot->t[0], q, K);
    combine(s, 1, 1 / (s->T * s->T), K);
    definite = factor(s, K, &s->rest) && definite;
    return definite ? LIL_OK : lil_fail(shot->ctx, LIL_ERR_INPUT, "the linearised motion has no solution");
}

lil_status lil_gramian_set(lil_gramian *s, const double *q)
{
    lil_phase_begin(s->shot->ctx->phases, LIL_PHASE_ASSEMBLE);
    lil_status status = gramian_set(s, q);
    lil_phase_end(s->shot->ctx->phases);
    return status;
}

bool lil_gramian_step(lil_gramian *s, int k, const double *a, const double *b, double *r)
{
    if (!set_segment(s, k, a, b))
        return false;
    lil_panelled_solve(&s->panels, &s->factor[k], r, r, s->work);
    return true;
}

/* ---- sweeps ---- */

/* s->Bd = B_k d */
static void damp(lil_gramian *s, int k, const double *d)
{
    lil_sparse_multiply(&s->damping.pattern, s->B[k], d, s->Bd);
}

/* to = (1 + R)/2 d of segment k; with share -1 its transpose */
static void turn_half(const lil_gramian *s, int k, double share, const double *d, double *to)
{
    const lil_rigid_bodies *bodies = s->bodies;
    for (int part = 0; part < bodies->parts; part++) {
        const double *w = s->omega + 3 * ((size_t)k * (size_t)bodies->parts + (size_t)part);
        for (int v = bodies->start[part]; v < bodies->start[part + 1]; v++) {
            size_t i = 3 * (size_t)bodies->vertex[v];
            double across[3];
            lil_cross3(w, d + i, across);
            for (size_t c = 0; c < 3; c++)
                to[i + c] = d[i + c] + share * s->shot->dt[k] / 2 * across[c];
        }
    }
}

/* d = E z: the frames x from the impulses z and the first frame (momentum: first_momentum); y = C z, unless NULL */
static void forwards(lil_gramian *s, const double *z, const double *first_momentum, double *x, double *y)
{
    lil_problem *shot = s->shot;
    int n = s->n;
    double *e = s->e, *P = s->P, *u = s->u;
    memset(P, 0, (size_t)n * sizeof *P);
    for (int k = 0; k < s->N; k++) {
        int r = shot->left[k];
        bool through = r >= 0 && shot->minus[r] >= 0;
        const double *impulse = r >= 0 ? z + (size_t)r * n : first_momentum;
        double *d = x + (size_t)k * n, *next = d + n;
        for (int i = 0; i < n; i++)
            e[i] = impulse[i] + 2 * s->m[i] / shot->dt[k] * d[i] + (through ? P[i] : 0);
        if (s->damped) {
            turn_half(s, k, 1, d, u);
            damp(s, k, u);
        }
        for (int i = 0; i < n; i++)
            u[i] = e[i] + s->Bd[i];
        lil_panelled_solve(&s->panels, &s->factor[k], u, u, s->work);
        for (int i = 0; i < n; i++) {
            next[i] = u[i] - d[i];
            P[i] = 2 * s->m[i] / shot->dt[k] * next[i] - e[i];
        }
        size_t at = ((size_t)k + 1) * n;
        for (int i = 0; i < n; i++) {
            if (y)
                y[at + i] = s->bound[at + i] ? next[i] : 0;
            if (shot->held[at + i]) {
                P[i] -= s->m[i] / s->since[k + 1] * next[i];
                next[i] = 0;
            }
        }
        int end = s->end_at[k];
        for (int i = 0; y && end >= 0 && i < n; i++)
            y[((size_t)s->N + 1 + end) * n + i] = z[(size_t)s->end_row[end] * n + i] + P[i];
    }
}

/* The transpose, z = E' x + C' y: x is overwritten, its first frame is the result. */
static void backwards(lil_gramian *s, double *x, const double *y, double *z, double *first_momentum)
{
    lil_problem *shot = s->shot;
    int n = s->n;
    double *e = s->e, *P = s->P, *u = s->u;
    memset(z, 0, (size_t)shot->rows * n * sizeof *z);
    memset(P, 0, (size_t)n * sizeof *P);
    for (int k = s->N - 1; k >= 0; k--) {
        int r = shot->left[k], end = s->end_at[k];
        bool through = r >= 0 && shot->minus[r] >= 0;
        double *d = x + (size_t)k * n, *next = d + n;
        size_t at = ((size_t)k + 1) * n, end_y = ((size_t)s->N + 1 + (size_t)end) * n;
        for (int i = 0; y && end >= 0 && i < n; i++) {
            P[i] += y[end_y + i];
            z[(size_t)s->end_row[end] * n + i] = y[end_y + i];
        }
        for (int i = 0; i < n; i++) {
            if (shot->held[at + i])
                next[i] = -s->m[i] / s->since[k + 1] * P[i];
            if (y && s->bound[at + i])
                next[i] += y[at + i];
            next[i] += 2 * s->m[i] / shot->dt[k] * P[i];
        }
        lil_panelled_solve(&s->panels, &s->factor[k], next, u, s->work);
        double *impulse = r >= 0 ? z + (size_t)r * n : first_momentum;
        if (s->damped) {
            damp(s, k, u);
            memcpy(e, s->Bd, (size_t)n * sizeof *e);
            turn_half(s, k, -1, e, s->Bd);
        }
        for (int i = 0; i < n; i++) {
            e[i] = u[i] - P[i];
            d[i] += 2 * s->m[i] / shot->dt[k] * e[i] - next[i] + s->Bd[i];
            impulse[i] = e[i];
            P[i] = through ? e[i] : 0;
        }
    }
}

/* z <- G^-1 z, of impulses and of the first state */
static void spread(lil_gramian *s, double *z, double *first_momentum, double *first_frame)
{
    lil_problem *shot = s->shot;
    int n = s->n;
    const double *a = shot->a;
    for (int r = 0; r < shot->rows; r++)
        for (int i = 0; i < n; i++) {
            double *at = z + (size_t)r * n + i;
            *at *= shot->w[r];
            if (r > 0)
                *at -= s->ell[r] * at[-n];
        }
    for (int r = shot->rows - 1; r >= 0; r--)
        for (int i = 0; i < n; i++) {
            double *at = z + (size_t)r * n + i;
            *at /= s->pivot[r];
            if (r < shot->rows - 1)
                *at -= s->ell[r + 1] * at[n];
        }
    for (int r = 0; r < shot->rows; r++)
        for (int i = 0; i < n; i++)
            z[(size_t)r * n + i] *= shot->w[r] / a[i];
    for (int i = 0; i < n; i++) {
        first_momentum[i] *= first_is_free(s) ? PRIOR * s->T / 2 / a[i] : 0;
        first_frame[i] = shot->held[i] ? 0 : first_frame[i];
    }
    bool moves = false;
    for (int i = 0; i < n; i++)
        moves = moves || !shot->held[i];
    if (!moves)
        return;
    lil_panelled_solve(&s->panels, &s->rest, first_frame, s->u, s->work);
    for (int i = 0; i < n; i++)
        first_frame[i] = shot->held[i] ? 0 : PRIOR * s->kappa * s->T / 2 * s->u[i];
}

/* Gy = C G^-1 C' y */
static void gramian(lil_gramian *s, const double *y, double *Gy)
{
    memset(s->x, 0, ((size_t)s->N + 1) * (size_t)s->n * sizeof *s->x);
    backwards(s, s->x, y, s->z, s->first);
    spread(s, s->z, s->first, s->x);
    forwards(s, s->z, s->first, s->x, Gy);
    for (size_t i = 0; i < s->size; i++)
        Gy[i] += s->soft[i] * y[i];
}

/* K is that of S, halfway through the segment before. Products of K and S^-1 are then symmetric for any rotation,
 * and with K' = K + 2B/h, K' (M + h^2/4 K')^-1 K' = 4/h^2 (K' - 4/h^2 (M - M S^-1 M/h)). */

/* A midpoint step multiplies a mode of K' by 1 - h beta K'/(1 + 2 beta/h) (M + h^2/4 K')^-1. The Gramian after T
 * is smaller accordingly. */

/* out = (K + 3/2 M/T^2 + (tau^2 + T beta/(1 + 2 beta/h)^2) K' (M + h^2/4 K')^-1 K') r/V of frame k */
static void precondition_frame(lil_gramian *s, int k, const double *r, double *out)
{
    lil_problem *shot = s->shot;
    int n = s->n;
    double T = s->since[k], h = shot->dt[k - 1], beta = s->damped ? s->beta[k - 1] : 0, slower = 1 + 2 * beta / h;
    double filter = shot->def.smoothness * shot->def.smoothness + T * beta / (slower * slower);
    double *Mr = s->e, *Br = s->Bd;
    lil_sparse_multiply(&shot->ev.matrix.pattern, s->K[k], r, out);
    if (s->damped)
        damp(s, k - 1, r);
    for (int i = 0; i < n; i++)
        Mr[i] = s->m[i] * r[i];
    if (filter > 0)
        lil_panelled_solve(&s->panels, &s->factor[k - 1], Mr, s->u, s->work);
    for (int i = 0; i < n; i++) {
        double K = out[i] + (s->damped ? 2 / h * Br[i] : 0);
        double KSK = filter > 0 ? 4 / (h * h) * (K - 4 / (h * h) * (Mr[i] - s->m[i] * s->u[i] / h)) : 0;
        out[i] = (out[i] + 1.5 * Mr[i] / (T * T) + filter * KSK) / s->V[k];
    }
}

/* (V K^-1 + M^-1/weight)^-1 = K (V M + K/weight)^-1 M, of a soft key */
static void precondition_soft(lil_gramian *s, int k, const double *r, double *out)
{
    for (int i = 0; i < s->n; i++)
        s->e[i] = s->m[i] * r[i];
    lil_panelled_solve(&s->panels, &s->softened[k], s->e, s->u, s->work);
    lil_sparse_multiply(&s->shot->ev.matrix.pattern, s->K[k], s->u, out);
    for (int i = 0; i < s->n; i++)
        out[i] = (out[i] + 1.5 * s->m[i] / (s->T * s->T) * s->u[i]) / s->kappa;
}

/* out = (M^-1 + (tau^2 + T beta/(1 + 2 beta/h)) M^-1 K' (M + h^2/4 K')^-1) r/V of an end, after segment k */
static void precondition_end(lil_gramian *s, int k, double V, const double *r, double *out)
{
    double tau = s->shot->def.smoothness, h = s->shot->dt[k], beta = s->damped ? s->beta[k] : 0;
    double filter = tau * tau + s->since[k + 1] * beta / (1 + 2 * beta / h);
    if (filter > 0)
        lil_panelled_solve(&s->panels, &s->factor[k], r, s->u, s->work);
    for (int i = 0; i < s->n; i++)
        out[i] = (r[i] / s->m[i] + (filter > 0 ? filter * 4 / (h * h) * (r[i] / s->m[i] - s->u[i] / h) : 0)) / V;
}

static void precondition(lil_gramian *s, const double *r, double *to)
{
    size_t n = (size_t)s->n;
    memset(to, 0, s->size * sizeof *to);
    for (int k = 1; k <= s->N; k++) {
        double *out = to + (size_t)k * n;
        if (!s->K[k] || !holds(s, k))
            continue;
        if (softness(s, k) > 0)
            precondition_soft(s, k, r + (size_t)k * n, out);
        else
            precondition_frame(s, k, r + (size_t)k * n, out);
        for (size_t i = 0; i < n; i++)
            out[i] = s->bound[(size_t)k * n + i] ? out[i] : 0;
    }
    for (int e = 0; e < s->ends; e++) {
        size_t at = ((size_t)s->N + 1 + (size_t)e) * n;
        precondition_end(s, s->shot->minus[s->end_row[e]], s->V[s->N + 1 + e], r + at, to + at);
    }
}

/* ---- the solution ---- */

static void solve_gramian(lil_gramian *s, double tolerance)
{
    int size = (int)s->size;
    memset(s->y, 0, s->size * sizeof *s->y);
    precondition(s, s->r, s->s);
    memcpy(s->p, s->s, s->size * sizeof *s->p);
    double rs = lil_dot(size, s->r, s->s), enough = tolerance * tolerance * rs;
    for (s->iterations = 0; s->iterations < ITERATIONS_MAX && rs > enough && lil_problem_going(s->shot);
         s->iterations++) {
        gramian(s, s->p, s->Gp);
        double alpha = rs / lil_dot(size, s->p, s->Gp);
        for (int i = 0; i < size; i++) {
            s->y[i] += alpha * s->p[i];
            s->r[i] -= alpha * s->Gp[i];
        }
        precondition(s, s->r, s->s);
        double next = lil_dot(size, s->r, s->s), beta = next / rs;
        for (int i = 0; i < size; i++)
            s->p[i] = s->s[i] + beta * s->p[i];
        rs = next;
    }
}

void lil_gramian_solve(lil_gramian *s, const double *g, double tolerance, double *d)
{
    lil_phase_begin(s->shot->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    size_t frames = ((size_t)s->N + 1) * (size_t)s->n;
    memcpy(s->x, g, frames * sizeof *g);
    backwards(s, s->x, NULL, s->z, s->first);
    spread(s, s->z, s->first, s->x);
    forwards(s, s->z, s->first, s->x, s->r);
    for (size_t i = 0; i < s->size; i++)
        s->r[i] = -s->r[i];
    solve_gramian(s, tolerance);
    /* z = -G^-1 (E'g + C'y) */
    memcpy(s->x, g, frames * sizeof *g);
    backwards(s, s->x, s->y, s->z, s->first);
    spread(s, s->z, s->first, s->x);
    forwards(s, s->z, s->first, s->x, NULL);
    for (size_t i = 0; i < frames; i++)
        d[i] = s->shot->held[i] ? 0 : -s->x[i];
    lil_phase_end(s->shot->ctx->phases);
}
