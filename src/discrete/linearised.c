#include "discrete/linearised.h"

#include "core/disjoint_sets.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double BOUND_STIFF = 1;   /* of the largest K_ii: rho */
static const double ASYMMETRIC = 1e-9; /* of the largest entry: above that a force has no potential */
static const double FACTOR_MAX = 3e8;  /* numbers: 6 GB with the panels */
static const double SINGULAR = 1e-13;  /* of a pivot beside the diagonal */

/* ---- create ---- */

/* A square matrix over `pattern` minus its transpose: the largest entry. */
static double asymmetry(const lil_pattern *p, const double *A)
{
    double most = 0;
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            int i = p->row[k], low = p->start[i], high = p->start[i + 1];
            while (low < high) { /* entry (j, i) */
                int middle = low + (high - low) / 2;
                if (p->row[middle] < j)
                    low = middle + 1;
                else
                    high = middle;
            }
            double mirrored = low < p->start[i + 1] && p->row[low] == j ? A[low] : 0;
            most = fmax(most, fabs(A[k] - mirrored));
        }
    return most;
}

static void second(lil_linearised *s, double t, const double *q, lil_weights w, double *values)
{
    w.to = s->is_bound ? &s->bound.matrix : NULL;
    memset(values, 0, (size_t)s->pattern->count * sizeof *values);
    lil_evaluate_second(&s->ev, t, q, s->zero, &w, values);
}

static lil_status check_forces(lil_linearised *s, double t, const double *q)
{
    const lil_model *model = s->model;
    int count = s->pattern->count;
    double most = lil_largest(count, s->K);
    for (int k = 0; k < count; k++)
        if (!isfinite(s->K[k]))
            return lil_fail(s->ctx, LIL_ERR_NOT_FINITE, "the stiffness is not finite at t = %.9g", t);
    if (lil_model_forces_vary(model) && asymmetry(s->pattern, s->K) > ASYMMETRIC * most)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "a force that depends on positions has no potential here, so small motion has no modes");
    if (!lil_model_terms(model, LIL_LAGRANGIAN))
        return LIL_OK;
    second(s, t, q, (lil_weights){ .Pq = 1, .Qv = -1 }, s->values); /* of x' in Lagrange's equations */
    if (lil_largest(count, s->values) > ASYMMETRIC * sqrt(most * lil_largest(count, s->M)))
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "the Lagrangian has gyroscopic forces here, which depend on velocities: small motion has no "
                        "modes with a fixed shape");
    return LIL_OK;
}

static void find_diagonals(lil_linearised *s)
{
    const lil_pattern *p = s->pattern;
    const lil_mass *mass = &s->model->mass;
    s->fastest = 0;
    for (int j = 0; j < p->n; j++) {
        double K = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] == j) {
                K = s->K[k];
                s->mass[j] = s->M ? s->M[k] : mass->diagonal ? mass->diagonal[j] : s->mass[j];
            }
        s->fastest = s->mass[j] > 0 ? fmax(s->fastest, fabs(K) / s->mass[j]) : s->fastest;
    }
    for (int j = 0; !s->M && !mass->diagonal && j < p->n; j++)
        for (int k = mass->pattern.start[j]; k < mass->pattern.start[j + 1]; k++)
            if (mass->pattern.row[k] == j)
                s->mass[j] = mass->values[k];
}

/* -dL/dq - F at q; the sum of the loads, N. */
static double find_gradient(lil_linearised *s, double t, const double *q, double *g)
{
    int n = s->model->n;
    double *F = s->work, load = 0;
    memset(F, 0, (size_t)n * sizeof *F);
    lil_evaluate_lagrangian(&s->ev, t, q, s->zero, NULL, g, NULL);
    lil_evaluate_force(&s->ev, t, q, s->zero, F);
    for (int k = 0; k < n; k++) {
        g[k] = -g[k] - F[k];
        load += fabs(F[k]);
    }
    if (lil_model_terms(s->model, LIL_POTENTIAL)) {
        memset(F, 0, (size_t)n * sizeof *F);
        lil_evaluate_uniform(&s->ev, t, q, F);
    }
    for (int k = 0; k < n; k++)
        load += fabs(F[k]);
    return load;
}

/* K and M at (t, q), with the constraint forces that balance the others best. */
static lil_status evaluate(lil_linearised *s, double t, const double *q)
{
    double *g = s->left, sum = 0, load = find_gradient(s, t, q, g);
    second(s, t, q, (lil_weights){ .Qq = -1, .Fq = -1 }, s->K);
    if (s->M)
        second(s, t, q, (lil_weights){ .Pv = 1 }, s->M);
    LIL_TRY(check_forces(s, t, q));
    if (s->is_bound) {
        double most = 0;
        LIL_TRY(lil_bound_energy_begin(&s->bound, t, q, s->zero, g));
        for (int i = 0; i < s->bound.c.G.m; i++)
            most = fmax(most, fabs(s->bound.y[i]));
        for (int k = 0; k < s->bound.c.G.count; k++)
            if (s->bound.c.G.col[k] >= 0)
                g[s->bound.c.G.col[k]] -= s->bound.c.now[k] * s->bound.y[s->bound.c.G.row[k]];
        double size = lil_largest(s->pattern->count, s->K);
        s->bound.rho = size > 0 ? BOUND_STIFF * size : most > 0 ? most : 1;
        lil_bound_energy_second(&s->bound, t, q, 1, s->K);
        load += most;
    }
    find_diagonals(s);
    for (int k = 0; k < s->model->n; k++)
        sum += fabs(g[k]);
    s->unbalanced = sum;
    s->load = load;
    return LIL_OK;
}

/* Vertices that share an entry of K. */
static lil_status find_parts(lil_linearised *s)
{
    int count = s->model->n / 3;
    const lil_pattern *p = s->pattern;
    lil_arena scratch = { 0 };
    if (!s->model->points.count)
        return LIL_OK;
    int *parent = LIL_NEW(&scratch, int, count);
    s->part = LIL_NEW(&s->arena, int, count);
    bool there = parent && s->part;
    if (there) {
        lil_sets_begin(parent, count);
        for (int j = 0; j < p->n; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++)
                lil_sets_join(parent, p->row[k] / 3, j / 3);
        s->parts = lil_sets_number(parent, count, s->part);
    }
    lil_arena_free(&scratch);
    return there ? LIL_OK : lil_fail_memory(s->ctx);
}

static lil_status create_solver(lil_linearised *s)
{
    LIL_ALLOC(s->ctx, &s->arena, s->y, s->is_bound ? 2 * s->bound.c.G.m : 1);
    if (s->is_bound)
        return lil_saddle_create(s->ctx, &s->arena, s->ev.threads, &s->bound.c.G, NULL, s->pattern, &s->saddle);
    LIL_TRY(lil_ldl_analyse(s->ctx, &s->arena, s->pattern, &s->ldl));
    double count = 0;
    for (int j = 0; j < s->pattern->n; j++)
        count += s->ldl.Lnz[j];
    if (count > FACTOR_MAX)
        return lil_fail(s->ctx, LIL_ERR_LIMIT,
                        "%d degrees of freedom are too many: the factor of their stiffness would have %.2g numbers, "
                        "more than %.2g",
                        s->pattern->n, count, FACTOR_MAX);
    LIL_TRY(lil_ldl_allocate(s->ctx, &s->arena, &s->ldl));
    LIL_TRY(lil_panels_create(s->ctx, &s->arena, &s->ldl, &s->panels));
    return lil_panelled_create(s->ctx, &s->arena, &s->panels, &s->factor);
}

lil_status lil_linearised_create(lil_context *ctx, const lil_model *model, double t, const double *q,
                                 lil_linearised *s)
{
    int n = model->n;
    *s = (lil_linearised){ .ctx = ctx, .model = model, .is_bound = model->constraint_count > 0 };
    LIL_TRY(lil_evaluator_create(ctx, &s->arena, model, LIL_SECOND_ENTRIES, LIL_SECOND_NONE, &s->ev));
    s->pattern = &s->ev.matrix.pattern;
    if (s->is_bound) {
        LIL_TRY(lil_bound_energy_create(ctx, &s->arena, &s->ev, &s->bound));
        s->pattern = &s->bound.pattern;
    }
    LIL_ALLOC_ALL(ctx, &s->arena, double, s->pattern->count, &s->K, &s->values);
    LIL_ALLOC_ALL(ctx, &s->arena, double, n, &s->zero, &s->b, &s->mass, &s->left);
    LIL_ALLOC(ctx, &s->arena, s->work, n + 1);
    if (!model->mass.constant)
        LIL_ALLOC(ctx, &s->arena, s->M, s->pattern->count);
    LIL_TRY(evaluate(s, t, q));
    return find_parts(s);
}

void lil_linearised_destroy(lil_linearised *s)
{
    lil_evaluator_destroy(&s->ev);
    lil_arena_free(&s->arena);
}

/* ---- solve ---- */

void lil_linearised_weigh(const lil_linearised *s, const double *x, double *Mx)
{
    if (s->M)
        lil_sparse_multiply(s->pattern, s->M, x, Mx);
    else
        lil_mass_multiply(s->model, x, Mx);
}

static void add_mass(lil_linearised *s, double alpha)
{
    memcpy(s->values, s->K, (size_t)s->pattern->count * sizeof *s->values);
    for (int k = 0; s->M && k < s->pattern->count; k++)
        s->values[k] += alpha * s->M[k];
    if (!s->M)
        lil_assembly_add_mass(s->is_bound ? &s->bound.matrix : &s->ev.matrix, s->model, alpha, s->values);
}

/* A pivot is what is left of the diagonal after elimination. */
static bool is_regular(const lil_linearised *s, double alpha)
{
    const lil_pattern *p = s->pattern;
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] == j && !(s->ldl.D[s->ldl.Pinv[j]] > SINGULAR * s->values[k]) && alpha == 0)
                return false;
    return true;
}

lil_status lil_linearised_factor(lil_linearised *s, double alpha, bool *definite)
{
    if (!s->y)
        LIL_TRY(create_solver(s));
    add_mass(s, alpha);
    if (s->is_bound) {
        *definite = lil_saddle_factor(&s->saddle, s->values, s->bound.G, s->bound.G);
        double *pivots = s->saddle.x, least = INFINITY;
        if (*definite && alpha == 0) {
            lil_forest_pivots(&s->saddle.forest, pivots);
            for (int j = 0; j < s->model->n; j++)
                least = fmin(least, pivots[j] * s->saddle.over[j]);
            *definite = least > SINGULAR;
        }
        return LIL_OK;
    }
    *definite = lil_ldl_factor(&s->ldl, s->values) && is_regular(s, alpha);
    if (*definite)
        lil_panelled_set(&s->panels, &s->factor);
    return LIL_OK;
}

void lil_linearised_solve(lil_linearised *s, const double *b, double *x)
{
    if (!s->is_bound) {
        lil_panelled_solve(&s->panels, &s->factor, b, x, s->work);
        return;
    }
    int m = s->bound.c.G.m;
    double *zero = s->y + m;
    memset(zero, 0, (size_t)m * sizeof *zero);
    lil_saddle_solve(&s->saddle, b, zero, x, s->y);
    /* once more, since the 0 of the matrix was -e */
    lil_rows_multiply(&s->bound.c.G, s->bound.G, x, zero);
    for (int i = 0; i < m; i++)
        zero[i] = -zero[i];
    lil_saddle_solve(&s->saddle, NULL, zero, s->b, s->y);
    lil_add(s->model->n, 1, s->b, x);
}

/* ---- rigid motion ---- */

static double norm_of(lil_linearised *s, const double *x)
{
    lil_linearised_weigh(s, x, s->b);
    double square = lil_dot(s->model->n, x, s->b);
    return square > 0 ? sqrt(square) : 0;
}

/* Fields over a part, M-orthonormal among themselves: some of them may be combinations of others. */
typedef struct fields {
    int count, room;
    double **x;
} fields;

static lil_status fields_create(lil_linearised *s, lil_arena *arena, int room, fields *f)
{
    *f = (fields){ .room = room };
    LIL_ALLOC(s->ctx, arena, f->x, room);
    for (int i = 0; i < room; i++)
        LIL_ALLOC(s->ctx, arena, f->x[i], s->model->n);
    return LIL_OK;
}

/* The next field is x[count]. */
static void fields_take(lil_linearised *s, const double *const *apart, int apart_count, fields *f)
{
    int n = s->model->n;
    double *x = f->x[f->count], before = norm_of(s, x), now = before;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < apart_count + f->count; i++) {
            const double *y = i < apart_count ? apart[i] : f->x[i - apart_count];
            lil_linearised_weigh(s, x, s->b);
            lil_add(n, -lil_dot(n, y, s->b), y, x);
        }
        now = norm_of(s, x);
    }
    if (!(now > 1e-7 * before))
        return;
    for (int k = 0; k < n; k++)
        x[k] /= now;
    f->count++;
}

/* The eigenvalues of K in the space of the fields, ascending, and their vectors, by rows. */
static lil_status fields_ritz(lil_linearised *s, lil_arena *arena, const fields *f, double *w, double *S)
{
    int n = s->model->n, m = f->count;
    double *work = LIL_NEW(arena, double, m + 1);
    LIL_HAVE(s->ctx, work);
    for (int i = 0; i < m; i++) {
        lil_sparse_multiply(s->pattern, s->K, f->x[i], s->b);
        for (int j = 0; j < m; j++)
            S[i * m + j] = lil_dot(n, f->x[j], s->b);
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            S[i * m + j] = S[j * m + i] = (S[i * m + j] + S[j * m + i]) / 2;
    return lil_eigen_symmetric(m, S, w, work) ? LIL_OK
                                              : lil_fail(s->ctx, LIL_ERR_NOT_FINITE, "the stiffness is not finite");
}

typedef struct placed {
    double centre[3], radius;
    int first, count;
} placed;

static placed place_part(const lil_linearised *s, const double *q, int part)
{
    placed p = { .first = -1 };
    double mass = 0;
    for (int i = 0; i < s->model->n / 3; i++)
        for (int d = 0; s->part[i] == part && d < 3; d++) {
            p.first = p.first < 0 ? i : p.first;
            p.centre[d] += s->mass[3 * i] * q[3 * i + d];
            mass += s->mass[3 * i] / 3;
            p.count += d == 0;
        }
    for (int d = 0; d < 3; d++)
        p.centre[d] /= mass > 0 ? mass : 1;
    for (int i = 0; i < s->model->n / 3; i++)
        for (int d = 0; s->part[i] == part && d < 3; d++)
            p.radius = fmax(p.radius, fabs(q[3 * i + d] - p.centre[d]));
    p.radius = p.radius > 0 ? p.radius : 1;
    return p;
}

/* Motion k of a part: three translations, then three rotations about its centre. */
static void set_rigid(const lil_linearised *s, const double *q, int part, const placed *p, int k, double *x)
{
    memset(x, 0, (size_t)s->model->n * sizeof *x);
    for (int i = 0; i < s->model->n / 3; i++) {
        if (s->part[i] != part)
            continue;
        const double *at = q + 3 * i;
        int a = (k + 1) % 3, b = (k + 2) % 3;
        if (k < 3) {
            x[3 * i + k] = 1;
        } else {
            x[3 * i + a] = -(at[b] - p->centre[b]) / p->radius;
            x[3 * i + b] = (at[a] - p->centre[a]) / p->radius;
        }
    }
}

/* K x vanishes but for round-off. */
static bool has_no_energy(lil_linearised *s, const double *x, double energy)
{
    const double NOTHING = 1e-11;
    double square = 0;
    lil_sparse_multiply(s->pattern, s->K, x, s->b);
    for (int k = 0; k < s->model->n; k++)
        square += s->mass[k] > 0 ? s->b[k] * s->b[k] / s->mass[k] : 0;
    return fabs(energy) <= NOTHING * s->fastest && sqrt(square) <= 10 * NOTHING * s->fastest;
}

/* Which of its six motions it is made of. */
static void name_rigid(lil_linearised *s, const double *q, int part, const placed *p, double *x, lil_rigid *rigid)
{
    double share[6], *field = s->values; /* K + alpha M is not factored yet */
    lil_linearised_weigh(s, x, s->b);
    for (int k = 0; k < 6; k++) {
        set_rigid(s, q, part, p, k, field);
        double size = 0;
        for (int i = 0; i < s->model->n; i++)
            size += s->mass[i] * field[i] * field[i];
        share[k] = size > 0 ? lil_dot(s->model->n, field, s->b) / sqrt(size) : 0;
    }
    const int *free = s->model->dofs.free;
    *rigid = (lil_rigid){ .x = x, .vertex = (free ? free[3 * p->first] : 3 * p->first) / 3 };
    memcpy(rigid->translation, share, sizeof rigid->translation);
    memcpy(rigid->rotation, share + 3, sizeof rigid->rotation);
}

static lil_status find_rigid_of(lil_linearised *s, const double *q, int part, lil_arena *arena)
{
    placed p = place_part(s, q, part);
    fields f;
    double w[6], S[36];
    LIL_TRY(fields_create(s, arena, 6, &f));
    for (int k = 0; k < 6; k++) {
        set_rigid(s, q, part, &p, k, f.x[f.count]);
        fields_take(s, NULL, 0, &f);
    }
    LIL_TRY(fields_ritz(s, arena, &f, w, S));
    for (int k = 0; k < f.count; k++) {
        double *x;
        LIL_ALLOC(s->ctx, &s->arena, x, s->model->n);
        for (int i = 0; i < f.count; i++)
            lil_add(s->model->n, S[k * f.count + i], f.x[i], x);
        if (has_no_energy(s, x, w[k]))
            name_rigid(s, q, part, &p, x, &s->rigid[s->rigid_count++]);
    }
    return LIL_OK;
}

lil_status lil_linearised_find_rigid(lil_linearised *s, const double *q)
{
    const double NUMBERS = 2e8; /* at most, of all of them */
    s->rigid_count = 0;
    if (6. * s->parts * s->model->n > NUMBERS)
        return lil_fail(
            s->ctx, LIL_ERR_LIMIT,
            "%d parts are not connected with each other: modes of so many are not supported, since each may "
            "have six rigid motions",
            s->parts);
    LIL_ALLOC(s->ctx, &s->arena, s->rigid, 6 * (size_t)s->parts);
    for (int part = 0; part < s->parts; part++) {
        lil_arena scratch = { 0 };
        lil_status status = find_rigid_of(s, q, part, &scratch);
        lil_arena_free(&scratch);
        LIL_TRY(status);
    }
    return LIL_OK;
}

/* ---- a guess ---- */

/* x^a y^b z^c along an axis, of degree up to 2. */
static void set_monomial(const lil_linearised *s, const double *q, int part, const placed *p, int k, double *x)
{
    static const int powers[10][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 2, 0, 0 },
                                       { 0, 2, 0 }, { 0, 0, 2 }, { 1, 1, 0 }, { 0, 1, 1 }, { 1, 0, 1 } };
    memset(x, 0, (size_t)s->model->n * sizeof *x);
    for (int i = 0; i < s->model->n / 3; i++) {
        double value = 1;
        for (int d = 0; s->part[i] == part && d < 3; d++)
            for (int e = 0; e < powers[k / 3][d]; e++)
                value *= (q[3 * i + d] - p->centre[d]) / p->radius;
        if (s->part[i] == part)
            x[3 * i + k % 3] = value;
    }
}

static lil_status guess_of(lil_linearised *s, const double *q, int part, const double *const *apart, lil_arena *arena,
                           double *least)
{
    enum { FIELDS = 30 };
    placed p = place_part(s, q, part);
    fields f;
    double *w, *S;
    LIL_TRY(fields_create(s, arena, FIELDS, &f));
    LIL_ALLOC(s->ctx, arena, w, FIELDS);
    LIL_ALLOC(s->ctx, arena, S, FIELDS * FIELDS);
    for (int k = 0; k < FIELDS; k++) {
        set_monomial(s, q, part, &p, k, f.x[f.count]);
        fields_take(s, apart, s->rigid_count, &f);
    }
    LIL_TRY(fields_ritz(s, arena, &f, w, S));
    for (int k = 0; k < f.count; k++)
        if (w[k] > 1e-12 * s->fastest)
            *least = fmin(*least, w[k]);
    return LIL_OK;
}

lil_status lil_linearised_guess(lil_linearised *s, const double *q, double *least)
{
    enum { PARTS = 8 };
    const double **apart;
    *least = INFINITY;
    LIL_ALLOC(s->ctx, &s->arena, apart, s->rigid_count);
    for (int i = 0; i < s->rigid_count; i++)
        apart[i] = s->rigid[i].x;
    for (int part = 0; part < s->parts && part < PARTS; part++) {
        lil_arena scratch = { 0 };
        lil_status status = guess_of(s, q, part, apart, &scratch, least);
        lil_arena_free(&scratch);
        LIL_TRY(status);
    }
    if (!isfinite(*least))
        *least = s->fastest > 0 ? 1e-4 * s->fastest : 1;
    return LIL_OK;
}
