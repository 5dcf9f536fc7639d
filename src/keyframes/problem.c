#include "keyframes/running_cost.h"

#include <math.h>

static const lil_shot_method *const methods[] = { &lil_shot_global, &lil_shot_local };

const lil_shot_method *lil_shot_method_at(int index)
{
    int count = (int)(sizeof methods / sizeof methods[0]);
    return index >= 0 && index < count ? methods[index] : NULL;
}

const lil_shot_method *lil_shot_method_find(const char *name)
{
    for (int i = 0; lil_shot_method_at(i); i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

/* ---- unsupported features ---- */

/* numbers in one matrix of the shot */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static const double NUMBERS_MAX = 1e4;
#else
static const double NUMBERS_MAX = 1e8;
#endif

static lil_status check_size(lil_context *ctx, const lil_problem_def *def)
{
    double n = def->model->n;
    if (def->by_mass || (def->frames + 1.) * n * 4 * n <= NUMBERS_MAX)
        return LIL_OK;
    return lil_fail(ctx, LIL_ERR_LIMIT,
                    "%d frames of %d coordinates are too many for a shot: its matrix would have %.2g numbers",
                    def->frames, def->model->n, (def->frames + 1.) * n * 4 * n);
}

lil_status lil_problem_check(lil_context *ctx, const lil_model *model)
{
    if (model->constraint_count)
        return lil_fail(
            ctx, LIL_ERR_INPUT,
            "a shot does not support constraints: leave them out, or choose coordinates that satisfy them");
    if (model->next)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "a shot does not support pins that let go: what is pinned in a shot stays pinned");
    if (lil_model_terms(model, LIL_STEP) || lil_model_terms(model, LIL_IMPULSE))
        return lil_fail(ctx, LIL_ERR_INPUT, "a shot supports only damping of the form 'exact'");
    if (model->impassable)
        return lil_fail(ctx, LIL_ERR_INPUT, "shots do not support barrier contact: use penalty contact");
    if (lil_model_terms(model, LIL_FRICTION))
        return lil_fail(ctx, LIL_ERR_INPUT, "a shot supports neither friction nor contact damping: leave them out");
    return LIL_OK;
}

static lil_status check_keys(lil_context *ctx, const lil_problem_def *def)
{
    if (def->key_count < 2 || def->keys[0].frame != 0 || def->keys[def->key_count - 1].frame != def->frames)
        return lil_fail(ctx, LIL_ERR_INPUT, "a shot needs at least two keys: at its first frame and at its last");
    for (int i = 1; i < def->key_count; i++)
        if (def->keys[i].frame <= def->keys[i - 1].frame)
            return lil_fail(ctx, LIL_ERR_INPUT, "key %d is not later than key %d: list them in order of time", i + 1,
                            i);
    return LIL_OK;
}

/* ---- rows ---- */

static void add_row(lil_problem *shot, int minus, int plus, const double *given)
{
    int r = shot->rows++, n = shot->n;
    shot->minus[r] = minus;
    shot->plus[r] = plus;
    if (minus >= 0)
        shot->right[minus] = r;
    if (plus >= 0)
        shot->left[plus] = r;
    if (given)
        memcpy(shot->given + (size_t)r * n, given, (size_t)n * sizeof *given);
}

static void add_rows(lil_problem *shot, const lil_problem_def *def)
{
    for (int k = 0; k < shot->N; k++)
        shot->left[k] = shot->right[k] = -1;
    for (int k = 0, i = 0; k <= shot->N; k++) {
        const lil_shot_key *key = i < def->key_count && def->keys[i].frame == k ? &def->keys[i++] : NULL;
        const double *v = key ? key->v : NULL;
        if (v) {
            if (k > 0)
                add_row(shot, k - 1, -1, v);
            if (k < shot->N)
                add_row(shot, -1, k, v);
        } else if (k > 0 && k < shot->N) {
            add_row(shot, k - 1, k, NULL);
        }
    }
}

void lil_problem_set_times(lil_problem *shot, const double *dt)
{
    for (int k = 0; k < shot->N; k++) {
        shot->dt[k] = dt ? dt[k] : shot->h;
        shot->t[k + 1] = dt ? shot->t[k] + dt[k] : shot->def.t0 + (k + 1) * shot->h;
    }
    shot->t[shot->N] = shot->def.t1;
    for (int r = 0; r < shot->rows; r++)
        shot->w[r] = ((shot->minus[r] >= 0 ? shot->dt[shot->minus[r]] : 0) +
                      (shot->plus[r] >= 0 ? shot->dt[shot->plus[r]] : 0)) /
                     2;
}

/* fixed = -P beside p+, +P beside -p- */
static void set_fixed(lil_problem *shot)
{
    int n = shot->n;
    for (int r = 0; r < shot->rows; r++) {
        int plus = shot->plus[r], minus = shot->minus[r], frame = plus >= 0 ? plus : shot->minus[r] + 1;
        double *fixed = shot->fixed + (size_t)r * n, *v = shot->given + (size_t)r * n;
        if (plus >= 0 && minus >= 0)
            continue;
        const double *q = shot->q + (size_t)frame * n;
        if (shot->spline) {
            lil_sparse_multiply(&shot->ev.matrix.pattern,
                                shot->mass + (size_t)(plus >= 0 ? plus : minus) * shot->ev.matrix.pattern.count, v,
                                fixed);
        } else {
            lil_evaluate_lagrangian(&shot->ev, shot->t[frame], q, v, NULL, NULL, fixed);
            lil_segment_kicked(&shot->segment, shot->t[frame], shot->dt[plus >= 0 ? plus : minus], q, fixed);
        }
        for (int i = 0; plus >= 0 && i < n; i++)
            fixed[i] = -fixed[i];
    }
}

/* ---- the start ---- */

/* Each coordinate goes straight from key to key, and stays where it is before its first and after its last. */
static void go_straight(lil_problem *shot)
{
    int n = shot->n;
    for (int i = 0; i < n; i++) {
        int from = -1;
        for (int k = 0; k <= shot->N; k++) {
            if (!shot->held[(size_t)k * n + i])
                continue;
            double b = shot->q[(size_t)k * n + i], a = from < 0 ? b : shot->q[(size_t)from * n + i];
            for (int j = from + 1; j < k; j++)
                shot->q[(size_t)j * n + i] = a + (b - a) * (j - from) / (k - (from < 0 ? -1 : from));
            from = k;
        }
        for (int j = from + 1; from >= 0 && j <= shot->N; j++)
            shot->q[(size_t)j * n + i] = shot->q[(size_t)from * n + i];
    }
}

static void set_mass(lil_problem *shot)
{
    int count = shot->ev.matrix.pattern.count, n = shot->n;
    for (int k = 0; k < shot->N; k++) {
        const double *a = shot->q + (size_t)k * n, *b = a + n;
        for (int i = 0; i < n; i++)
            shot->segment.v[i] = (b[i] - a[i]) / shot->dt[k];
        lil_evaluate_second(&shot->ev, shot->t[k], a, shot->segment.v, &(lil_weights){ .Pv = 1 },
                            shot->mass + (size_t)k * count);
    }
}

static void spline_derivatives(lil_problem *shot)
{
    int count = shot->pattern->count;
    memset(shot->J, 0, 4 * (size_t)shot->N * count * sizeof *shot->J);
    for (int k = 0; k < shot->N; k++) {
        lil_segment_first J = lil_problem_first(shot, k);
        lil_segment_widen(&shot->segment, shot->mass + (size_t)k * shot->ev.matrix.pattern.count, J.mu_b);
        for (int e = 0; e < count; e++) {
            J.mu_b[e] /= shot->dt[k];
            J.mu_a[e] = -J.mu_b[e];
        }
    }
}

lil_status lil_problem_banded(lil_problem *shot, lil_banded *A)
{
    int width = (shot->def.smoothness > 0 ? 4 : 3) * shot->n - 1;
    return lil_banded_create(shot->ctx, &shot->arena, (shot->N + 1) * shot->n, width, A);
}

lil_status lil_problem_spline(lil_problem *shot, lil_banded *metric, lil_banded *room)
{
    int total = (shot->N + 1) * shot->n;
    double *g = shot->q_next;
    shot->spline = true;
    set_fixed(shot);
    spline_derivatives(shot);
    lil_ghost_matrix(shot, &shot->now, false, metric);
    memcpy(room->a, metric->a, (size_t)metric->n * metric->stride * sizeof *room->a);
    bool definite = lil_banded_factor(room);
    for (int pass = 0; definite && pass < 2; pass++) { /* once more, for accuracy of long shots */
        lil_ghost_evaluate(shot, shot->q, &shot->now);
        lil_ghost_gradient(shot, &shot->now, g);
        lil_banded_solve(room, g);
        lil_add(total, -1, g, shot->q);
    }
    shot->spline = false;
    set_fixed(shot);
    if (!definite || !lil_all_finite(total, shot->q))
        return lil_fail(shot->ctx, LIL_ERR_INPUT,
                        "there is no spline through the keys: the mass may be singular between them");
    lil_ghost_evaluate(shot, shot->q, &shot->now);
    shot->spline_cost = shot->now.C;
    if (!isfinite(shot->now.C))
        return lil_fail(
            shot->ctx, LIL_ERR_INPUT,
            "forces or the cost are not finite on the spline through the keys: add a key that avoids this");
    return LIL_OK;
}

/* ---- creation ---- */

static lil_status create_ghost(lil_problem *shot, lil_ghost *ghost)
{
    double **of_segments[] = { &ghost->mu, &ghost->s }, **of_rows[] = { &ghost->f, &ghost->phi, &ghost->y };
    for (int i = 0; i < 2; i++)
        LIL_HAVE(shot->ctx, *of_segments[i] = LIL_NEW(&shot->arena, double, (size_t)shot->N * shot->n));
    for (int i = 0; i < 3; i++)
        LIL_HAVE(shot->ctx, *of_rows[i] = LIL_NEW(&shot->arena, double, 2 * ((size_t)shot->N + 1) * shot->n));
    return LIL_OK;
}

/* The pattern is by columns; rows of the Jacobian need it by rows. */
static lil_status turn_pattern(lil_problem *shot)
{
    const lil_pattern *p = shot->pattern;
    LIL_ALLOC(shot->ctx, &shot->arena, shot->row_start, shot->n + 1);
    LIL_ALLOC(shot->ctx, &shot->arena, shot->row_col, p->count);
    LIL_ALLOC(shot->ctx, &shot->arena, shot->row_place, p->count);
    int at = 0;
    for (int i = 0; i < shot->n; i++) {
        for (int j = 0; j < shot->n; j++)
            for (int e = p->start[j]; e < p->start[j + 1]; e++)
                if (p->row[e] == i) {
                    shot->row_col[at] = j;
                    shot->row_place[at++] = e;
                }
        shot->row_start[i + 1] = at;
        int count = at - shot->row_start[i];
        shot->row_most = count > shot->row_most ? count : shot->row_most;
    }
    shot->line = LIL_NEW(&shot->arena, double, 4 * (size_t)shot->row_most);
    shot->line_col = LIL_NEW(&shot->arena, int, 4 * (size_t)shot->row_most);
    return shot->line && shot->line_col ? LIL_OK : lil_fail_memory(shot->ctx);
}

static lil_status create_arrays(lil_problem *shot)
{
    size_t frames = (size_t)shot->N + 1, n = (size_t)shot->n, rows = 2 * frames;
    size_t count = (size_t)shot->pattern->count, segments = (size_t)shot->N;
    struct {
        double **to;
        size_t size;
    } numbers[] = { { &shot->t, frames },
                    { &shot->dt, frames },
                    { &shot->w, rows },
                    { &shot->a, n },
                    { &shot->given, rows * n },
                    { &shot->fixed, rows * n },
                    { &shot->q, frames * n },
                    { &shot->q_next, frames * n },
                    { &shot->J, 4 * (shot->bodies ? 1 : segments) * count },
                    { &shot->mass, (shot->bodies ? 1 : segments) * (size_t)shot->ev.matrix.pattern.count },
                    { &shot->d, n },
                    { &shot->m, n },
                    { &shot->aa, count },
                    { &shot->ab, count },
                    { &shot->bb, count } };
    int **rows_of[] = { &shot->left, &shot->right, &shot->plus, &shot->minus };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        LIL_HAVE(shot->ctx, *numbers[i].to = LIL_NEW(&shot->arena, double, numbers[i].size));
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++)
        LIL_HAVE(shot->ctx, *rows_of[i] = LIL_NEW(&shot->arena, int, rows));
    LIL_ALLOC(shot->ctx, &shot->arena, shot->held, frames * n);
    LIL_ALLOC(shot->ctx, &shot->arena, shot->key, frames);
    LIL_ALLOC(shot->ctx, &shot->arena, shot->stop, frames);
    if (!shot->bodies)
        LIL_TRY(turn_pattern(shot));
    LIL_TRY(create_ghost(shot, &shot->now));
    return create_ghost(shot, &shot->next);
}

static void place_key(lil_problem *shot, const lil_shot_key *key)
{
    int n = shot->n;
    shot->key[key->frame] = key->weight == 0;
    shot->stop[key->frame] = true;
    for (int c = 0; c < n; c++) {
        size_t at = (size_t)key->frame * n + c;
        if (key->held && !key->held[c]) {
            shot->key[key->frame] = false;
            continue;
        }
        if (key->weight > 0) {
            shot->pull[at] = key->weight / shot->a[c];
            shot->wish[at] = key->q[c];
        }
        shot->held[at] = key->weight == 0;
        shot->q[at] = key->q[c];
        shot->segment.scale = fmax(shot->segment.scale, fabs(key->q[c]));
    }
}

static lil_status place_keys(lil_problem *shot, const lil_problem_def *def)
{
    size_t total = ((size_t)shot->N + 1) * shot->n;
    shot->segment.scale = 0;
    for (int i = 0; i < def->key_count; i++) {
        bool soft = def->keys[i].weight > 0 || (shot->bodies && def->keys[i].held);
        if (soft && !shot->pull) {
            LIL_ALLOC(shot->ctx, &shot->arena, shot->pull, total);
            LIL_ALLOC(shot->ctx, &shot->arena, shot->wish, total);
        }
        place_key(shot, &def->keys[i]);
    }
    if (shot->segment.scale == 0)
        shot->segment.scale = 1;
    return LIL_OK;
}

/* A straight line has two unknowns. */
static lil_status check_held(const lil_problem *shot, const lil_problem_def *def)
{
    for (int c = 0; c < shot->n; c++) {
        int conditions = 0;
        for (int i = 0; i < def->key_count; i++)
            conditions += (def->keys[i].v != NULL) + (!def->keys[i].held || def->keys[i].held[c]);
        if (conditions < 2)
            return lil_fail(shot->ctx, LIL_ERR_INPUT,
                            "the keys do not determine how '%s' moves: it needs two keys, or one with a velocity",
                            def->model->names[c]);
    }
    return LIL_OK;
}

static lil_status begin(lil_problem *shot, const lil_problem_def *def)
{
    LIL_TRY(lil_problem_check(shot->ctx, def->model));
    if (shot->bodies && !lil_segment_can_damp(def->model))
        return lil_fail(shot->ctx, LIL_ERR_INPUT, "shots of bodies do not support damping of springs: leave it out");
    if (shot->bodies && (def->rule.n != 1 || def->rule.c[0] != 0.5))
        return lil_fail(shot->ctx, LIL_ERR_INPUT, "shots of bodies need the integrator 'midpoint'");
    LIL_TRY(check_keys(shot->ctx, def));
    LIL_TRY(check_size(shot->ctx, def));
    LIL_TRY(check_held(shot, def));
    LIL_TRY(lil_evaluator_create(shot->ctx, &shot->arena, def->model, LIL_SECOND_ENTRIES,
                                 lil_model_terms(def->model, LIL_KICK) ? LIL_SECOND_ENTRIES : LIL_SECOND_NONE,
                                 &shot->ev));
    LIL_TRY(lil_segment_create(shot->ctx, &shot->arena, &shot->ev, &def->rule, shot->bodies, &shot->segment));
    shot->segment.physics = 1 - def->left_out;
    shot->pattern = shot->segment.pattern;
    LIL_TRY(create_arrays(shot));
    if (def->running)
        LIL_TRY(lil_running_cost_create(shot));
    for (int i = 0; i < shot->n; i++)
        shot->a[i] = def->by_mass ? 1 / def->model->mass.diagonal[i] : 1;
    LIL_TRY(place_keys(shot, def));
    add_rows(shot, def);
    shot->t[0] = def->t0;
    lil_problem_set_times(shot, NULL);
    go_straight(shot);
    if (!shot->bodies)
        set_mass(shot);
    set_fixed(shot);
    return LIL_OK;
}

lil_status lil_problem_create(lil_context *ctx, const lil_problem_def *def, lil_problem **out)
{
    *out = NULL;
    lil_arena arena = { 0 };
    lil_problem *shot;
    LIL_ALLOC(ctx, &arena, shot, 1);
    *shot = (lil_problem){ .ctx = ctx,
                           .arena = arena,
                           .def = *def,
                           .n = def->model->n,
                           .N = def->frames,
                           .stride = 1,
                           .residual = INFINITY };
    shot->bodies = def->by_mass;
    shot->h = (def->t1 - def->t0) / def->frames;
    lil_status status = begin(shot, def);
    shot->def.keys = NULL;
    if (status != LIL_OK)
        lil_problem_destroy(&shot);
    *out = shot;
    return status;
}

void lil_problem_destroy(lil_problem **shot)
{
    if (!*shot)
        return;
    lil_evaluator_destroy(&(*shot)->ev);
    lil_arena arena = (*shot)->arena; /* which contains the shot itself */
    lil_arena_free(&arena);
    *shot = NULL;
}

/* ---- the result ---- */

void lil_problem_accept(lil_problem *shot)
{
    double *q = shot->q;
    lil_ghost ghost = shot->now;
    shot->q = shot->q_next;
    shot->q_next = q;
    shot->now = shot->next;
    shot->next = ghost;
}

bool lil_problem_watch(lil_problem *shot, int level, double cost)
{
    shot->iterations++;
    if (shot->def.watch && !shot->def.watch(shot->def.user, level, shot->iterations, cost))
        shot->interrupted = true;
    return !shot->interrupted;
}

bool lil_problem_going(lil_problem *shot)
{
    if (shot->def.watch && !shot->interrupted && !shot->def.watch(shot->def.user, -1, shot->iterations, shot->now.C))
        shot->interrupted = true;
    return !shot->interrupted;
}

void lil_problem_momentum(lil_problem *shot, int k, double *p)
{
    int n = shot->n, before = k > 0 ? shot->right[k - 1] : -1, after = k < shot->N ? shot->left[k] : -1;
    int given = after >= 0 && shot->minus[after] < 0 ? after : before >= 0 && shot->plus[before] < 0 ? before : -1;
    const double *q = shot->q + (size_t)k * n;
    if (given >= 0)
        lil_evaluate_lagrangian(&shot->ev, shot->t[k], q, shot->given + (size_t)given * n, NULL, NULL, p);
    else
        lil_segment_middle_momentum(&shot->segment, shot->t[k], shot->dt[k < shot->N ? k : k - 1],
                                    k > 0 ? q - n : NULL, q, k < shot->N ? q + n : NULL, p);
}

double lil_problem_force_most(const lil_problem *shot)
{
    double most = 0;
    for (int r = 0; r < shot->rows; r++)
        most = fmax(most, lil_norm(shot->n, shot->now.phi + (size_t)r * shot->n));
    return most;
}

/* f = mu+ - mu- + (s+ + s-)/2, and without a ghost force f is 0: -(s+ + s-)/2 is the impulse of natural forces */
double lil_problem_force_share(const lil_problem *shot)
{
    int n = shot->n;
    double ghost = 0, nature = 0;
    for (int r = 0; r < shot->rows; r++)
        for (int i = 0; i < n; i++) {
            double f = shot->now.f[(size_t)r * n + i], s = 0;
            if (shot->plus[r] >= 0)
                s += shot->now.s[(size_t)shot->plus[r] * n + i];
            if (shot->minus[r] >= 0)
                s += shot->now.s[(size_t)shot->minus[r] * n + i];
            ghost += shot->a[i] * f * f / shot->w[r];
            nature += shot->a[i] * s * s / (4 * shot->w[r]);
        }
    return ghost > 0 ? sqrt(ghost) / (sqrt(ghost) + sqrt(nature)) : 0;
}
