#include "model/evaluator.h"

#include "core/threads.h"
#include "model/model_check.h"
#include "model/sliced_assembly.h"

#include <math.h>
#include <string.h>

/* from here on an iterative solve is faster than a direct one */
enum { ITERATIVE_FROM = 40 }; /* free vertices */

bool lil_in_the_matrix(lil_place place)
{
    return place != LIL_KICK && place != LIL_IMPULSE;
}

bool lil_is_kick(lil_place place)
{
    return place == LIL_KICK;
}

lil_status lil_evaluator_choose(lil_context *ctx, const lil_model *model, bool (*wanted)(lil_place), int linear,
                                lil_second *second)
{
    bool possible = lil_block_assembly_possible(model, wanted) && !lil_model_forces_vary(model);
    if (linear == LIL_LINEAR_ITERATIVE && !possible)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "iterative linear solves need bodies whose forces have a potential: use 'direct' or 'auto'");
    /* bodies that meet couple other vertices each time, which a factor with its fixed pattern has no place for */
    bool large =
        linear == LIL_LINEAR_ITERATIVE || model->n >= 3 * ITERATIVE_FROM || lil_block_assembly_couples(model, wanted);
    *second = possible && large && linear != LIL_LINEAR_DIRECT ? LIL_SECOND_BLOCKS : LIL_SECOND_ENTRIES;
    return LIL_OK;
}

/* The terms, those of each place together. */
static void sort_by_place(lil_evaluator *ev)
{
    int count = 0;
    for (int place = 0; place < LIL_PLACE_COUNT; place++) {
        ev->first[place] = count;
        for (int i = 0; i < ev->model->term_count; i++) {
            const lil_term *term = &ev->model->terms[i];
            if ((int)term->table->place == place)
                ev->active[count++] = (lil_active){ term->table, term->data, ev->work[i], i };
        }
    }
    ev->first[LIL_PLACE_COUNT] = count;
}

lil_status lil_evaluator_create(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_second second,
                                lil_second kicks, lil_evaluator *ev)
{
    *ev = (lil_evaluator){
        .ctx = ctx, .model = model, .n = model->n, .kicks = kicks, .threads = ctx->threads, .volume = INFINITY
    };
    LIL_ALLOC_ALL(ctx, arena, double, model->n, &ev->frame_q, &ev->frame_g, &ev->scratch, &ev->at_rest,
                  &ev->force_at_rest);
    LIL_ALLOC(ctx, arena, ev->work, model->term_count);
    LIL_ALLOC(ctx, arena, ev->active, model->term_count);
    LIL_ALLOC(ctx, arena, ev->entries, model->term_count);
    LIL_ALLOC(ctx, arena, ev->marks, 6 * (size_t)model->points.mark_count);
    LIL_ALLOC(ctx, arena, ev->parts, lil_pieces(model->n));
    LIL_TRY(lil_positions_create(ctx, arena, &model->dofs, &ev->full));
    for (int i = 0; i < model->term_count && !ev->low; i++)
        if (model->terms[i].table->lower && !(ev->low = LIL_NEW(arena, double, model->dofs.total)))
            return lil_fail_memory(ctx);
    second = model->mass.constant ? second : LIL_SECOND_ENTRIES; /* v from p needs d2L/dv2 */
    for (int i = 0; i < model->term_count; i++) {
        const lil_term *term = &model->terms[i];
        bool entries = (lil_is_kick(term->table->place) ? kicks : second) == LIL_SECOND_ENTRIES;
        LIL_TRY(term->table->begin(ctx, term->data, arena, entries, &ev->work[i], &ev->entries[i]));
    }
    sort_by_place(ev);
    if (second == LIL_SECOND_ENTRIES)
        LIL_TRY(lil_assembly_create(ctx, arena, model, ev->entries, lil_in_the_matrix, &ev->matrix));
    if (second == LIL_SECOND_BLOCKS || second == LIL_SECOND_GENERAL)
        LIL_TRY(lil_block_assembly_create(ctx, arena, model, ev->work, lil_in_the_matrix,
                                          second == LIL_SECOND_GENERAL, &ev->blocks));
    if (!model->mass.constant)
        LIL_TRY(lil_newton_create(ctx, arena, &ev->matrix.pattern, false, &ev->legendre));
    return LIL_DEBUG_CHECK(lil_evaluator_check(ev));
}

void lil_evaluator_destroy(lil_evaluator *ev)
{
    lil_newton_destroy(&ev->legendre);
}

/* ---- values and first derivatives ---- */

static void evaluator_zero(int n, double *x)
{
    if (x)
        memset(x, 0, (size_t)n * sizeof *x);
}

void lil_evaluate_supports(lil_evaluator *ev, lil_place place, lil_support_row row, double sign, const double *gx)
{
    double *press;
    lil_supports_take(ev->supports, row, sign, gx);
    if (!(press = lil_supports_press(ev->supports, row)))
        return;
    LIL_EACH_TERM (a, ev, place)
        if (a->table->press)
            a->table->press(a->work, press);
}

void lil_evaluate_potential(lil_evaluator *ev, double t, const double *q, double *W, double *g)
{
    if (!W && !g)
        return;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    const double *x = lil_positions_of(&ev->full, t, q);
    double driven = 0, *gx = lil_positions_begin(&ev->full, g);
    bool elastic = W; /* so far all terms are: their sum is that of lil_evaluate_elastic, to the last bit */
    if (W)
        *W = 0;
    ev->volume = INFINITY;
    ev->elastic = W ? 0 : NAN;
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        a->table->evaluate(a->data, a->work, &(lil_at){ t, x, NULL }, &(lil_sums){ W, gx, NULL });
        if (a->table->elastic)
            ev->elastic = elastic ? *W : NAN;
        else
            elastic = false;
        if (a->table->driven)
            driven += a->table->driven(a->work);
        if (a->table->least_volume)
            ev->volume = fmin(ev->volume, a->table->least_volume(a->work));
    }
    if (gx) {
        ev->power = driven + lil_positions_power(&ev->full, gx);
        lil_evaluate_supports(ev, LIL_POTENTIAL, LIL_SUPPORT_POTENTIAL, 1, gx);
    }
    lil_positions_restrict(&ev->full, gx, g);
    lil_phase_end(ev->ctx->phases);
}

static void evaluator_lower(lil_evaluator *ev, const double *low, double reach)
{
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        if (a->table->lower)
            a->table->lower(a->work, low, reach);
}

/* Knuth's two-sum: q + low = q_k + s exactly */
void lil_evaluate_sum(lil_evaluator *ev, const double *q_k, double h, const double *v, double *q)
{
    const int *free = ev->model->dofs.free;
    double reach = 0;
    for (int k = 0; k < ev->n; k++) {
        double s = h * v[k], sum = q_k[k] + s, part = sum - q_k[k];
        q[k] = sum;
        if (ev->low) {
            ev->low[free ? free[k] : k] = (q_k[k] - (sum - part)) + (s - part);
            reach = fmax(reach, fabs(s));
        }
    }
    if (ev->low)
        evaluator_lower(ev, ev->low, reach);
}

void lil_evaluate_exact(lil_evaluator *ev)
{
    if (ev->low)
        evaluator_lower(ev, NULL, 0);
}

void lil_evaluate_uniform(lil_evaluator *ev, double t, const double *q, double *g)
{
    const double *x = lil_positions_of(&ev->full, t, q);
    double *gx = lil_positions_begin(&ev->full, g);
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        if (a->table->uniform)
            a->table->evaluate(a->data, a->work, &(lil_at){ t, x, NULL }, &(lil_sums){ NULL, gx, NULL });
    lil_positions_restrict(&ev->full, gx, g);
}

/* bit for bit; for a few numbers the call of memcmp would cost more than comparing them */
static bool same_bits(int n, const double *x, const double *y)
{
    if (n > 64)
        return memcmp(x, y, (size_t)n * sizeof *x) == 0;
    for (int i = 0; i < n; i++) {
        uint64_t a, b;
        memcpy(&a, &x[i], sizeof a);
        memcpy(&b, &y[i], sizeof b);
        if (a != b)
            return false;
    }
    return true;
}

static bool same_frame(const lil_evaluator *ev, double t, const double *q)
{
    return ev->frame_valid && (!ev->model->uses_time || t == ev->frame_t) && same_bits(ev->n, q, ev->frame_q);
}

double lil_evaluate_elastic(lil_evaluator *ev, double t, const double *q)
{
    if (!isnan(ev->frame_elastic) && same_frame(ev, t, q))
        return ev->frame_elastic;
    const double *x = lil_positions_of(&ev->full, t, q);
    double W = 0;
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        if (a->table->elastic)
            a->table->evaluate(a->data, a->work, &(lil_at){ t, x, NULL }, &(lil_sums){ &W, NULL, NULL });
    return W;
}

void lil_evaluate_frame(lil_evaluator *ev, double t, const double *q, double *W, const double **g)
{
    if (!same_frame(ev, t, q)) {
        lil_parallel_copy(ev->threads, ev->n, q, ev->frame_q);
        ev->frame_t = t;
        ev->frame_valid = true;
        ev->frame_rated = false;
        lil_evaluate_potential(ev, t, q, &ev->frame_W, ev->frame_g);
        ev->frame_power = ev->power;
        ev->frame_volume = ev->volume;
        ev->frame_elastic = ev->elastic;
        lil_supports_keep_frame(ev->supports);
    }
    lil_supports_recall_frame(ev->supports);
    ev->power = ev->frame_power;
    ev->volume = ev->frame_volume;
    if (W)
        *W = ev->frame_W;
    if (g)
        *g = ev->frame_g;
}

void lil_evaluate_lagrangian(lil_evaluator *ev, double t, const double *q, const double *v, double *L, double *Q,
                             double *P)
{
    const lil_model *model = ev->model;
    if (model->mass.constant) {
        double W = 0;
        lil_evaluate_potential(ev, t, q, L ? &W : NULL, Q);
        for (int i = 0; Q && i < ev->n; i++)
            Q[i] = -Q[i];
        if (!L && !P)
            return;
        double *p = P ? P : ev->scratch;
        lil_mass_multiply(model, v, p);
        if (L)
            *L = lil_dot(ev->n, p, v) / 2 - W;
        return;
    }
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    if (L)
        *L = 0;
    evaluator_zero(ev->n, Q);
    evaluator_zero(ev->n, P);
    LIL_EACH_TERM (a, ev, LIL_LAGRANGIAN)
        a->table->evaluate(a->data, a->work, &(lil_at){ t, q, v }, &(lil_sums){ L, Q, P });
    lil_phase_end(ev->ctx->phases);
}

static double find_rate(lil_evaluator *ev, double t, const double *q, const double *v, double span)
{
    const lil_model *model = ev->model;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    const double *x = lil_positions_of(&ev->full, t, q);
    double sum = 0;
    for (int i = 0; i < model->term_count; i++) {
        const lil_term_table *table = model->terms[i].table;
        if (table->rate && model->terms[i].uses_t)
            sum += (table->place == LIL_POTENTIAL ? 1 : -1) *
                   table->rate(model->terms[i].data, ev->work[i], &(lil_at){ t, x, v }, span);
    }
    lil_phase_end(ev->ctx->phases);
    return isfinite(sum) ? sum : NAN; /* books that cannot be kept say so */
}

double lil_evaluate_rate(lil_evaluator *ev, double t, const double *q, const double *v, double span)
{
    if (!ev->model->drives)
        return 0;
    if (!ev->frame_valid || t != ev->frame_t || !same_bits(ev->n, q, ev->frame_q))
        return find_rate(ev, t, q, v, span);
    if (!ev->frame_rated ||
        span != ev->frame_span) /* the end of a step is the start of the next, which may be longer */
        ev->frame_rate = find_rate(ev, t, q, v, span);
    ev->frame_rated = true;
    ev->frame_span = span;
    return ev->frame_rate;
}

bool lil_evaluate_force(lil_evaluator *ev, double t, const double *q, const double *v, double *F)
{
    if (!lil_model_terms(ev->model, LIL_FORCE))
        return false;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    const double *x = lil_positions_of(&ev->full, t, q), *dx = lil_positions_velocity(&ev->full, t, v);
    double *Fx = lil_positions_begin(&ev->full, F);
    LIL_EACH_TERM (a, ev, LIL_FORCE)
        a->table->evaluate(a->data, a->work, &(lil_at){ t, x, dx }, &(lil_sums){ NULL, Fx, NULL });
    lil_evaluate_supports(ev, LIL_FORCE, LIL_SUPPORT_FORCE, -1, Fx);
    lil_positions_restrict(&ev->full, Fx, F);
    lil_phase_end(ev->ctx->phases);
    return true;
}

/* ---- second derivatives ---- */

void lil_evaluate_second(lil_evaluator *ev, double t, const double *q, const double *v, const lil_weights *w,
                         double *values)
{
    const lil_model *model = ev->model;
    const lil_assembly *a = w->to ? w->to : &ev->matrix;
    const double *x = NULL, *dx = NULL;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    lil_sliced_assembly *sliced = a->sliced && a->sliced->open ? a->sliced : NULL;
    if (sliced)
        sliced->mass += w->Pv;
    else
        lil_assembly_add_mass(a, model, w->Pv, values);
    for (int i = 0; i < model->term_count; i++) {
        const lil_entries *e = &ev->entries[i];
        const lil_term_table *table = model->terms[i].table;
        lil_place place = table->place;
        double qq = place == LIL_FORCE        ? w->Fq
                    : place == LIL_POTENTIAL  ? -w->Qq
                    : place == LIL_LAGRANGIAN ? w->Qq
                                              : 0;
        double qv = place == LIL_FORCE ? w->Fv : place == LIL_LAGRANGIAN ? w->Qv : 0;
        double vq = place == LIL_LAGRANGIAN ? w->Pq : 0; /* dP/dq = (dQ/dv)' */
        double vv = place == LIL_STEP ? w->Sv : place == LIL_FRICTION ? w->Rv : place == LIL_LAGRANGIAN ? w->Pv : 0;
        if (qq == 0 && qv == 0 && vq == 0 && vv == 0)
            continue;
        x = x ? x : lil_positions_of(&ev->full, t, q);
        dx = dx ? dx : lil_positions_velocity(&ev->full, t, v);
        const lil_at at = { t, x, dx };
        lil_sink to = { .weight = qq + vv, .definite = w->definite && table->projects };
        if (!table->second)
            continue;
        if (sliced) {
            lil_sliced_assembly_list(sliced, i, &at, &to, (double[]){ qq, qv, vv });
            continue;
        }
        if (ev->beside && table->couples)
            table->second(model->terms[i].data, ev->work[i], &at,
                          &(lil_sink){ .weight = qq + vv, .definite = true, .couplings = ev->beside });
        if (table->places) {
            to.where = a->where[i];
            to.values = values;
        } else {
            to.entries = a->values;
        }
        table->second(model->terms[i].data, ev->work[i], &at, &to);
        if (table->places)
            continue;
        lil_assembly_add(a->values, a->where[i], e->qq, qq, values);
        lil_assembly_add(a->values + e->qq, a->where[i] + e->qq, e->qv, qv, values);
        lil_assembly_add(a->values + e->qq, a->where_turned[i], e->qv, vq, values);
        lil_assembly_add(a->values + e->qq + e->qv, a->where[i] + e->qq + e->qv, e->vv, vv, values);
    }
    lil_phase_end(ev->ctx->phases);
}

/* for terms that see all coordinates */
static void evaluator_add_blocks(lil_evaluator *ev, int i, lil_block_assembly *blocks, const lil_at *at,
                                 double weight, bool definite)
{
    const lil_term *term = &ev->model->terms[i];
    if (term->table->second)
        term->table->second(term->data, ev->work[i], at,
                            &(lil_sink){ .weight = weight,
                                         .definite = definite,
                                         .where = blocks->where[i],
                                         .blocks = blocks->values,
                                         .couplings = &blocks->couplings });
}

void lil_evaluate_blocks(lil_evaluator *ev, double t, const double *q, const double *v, const lil_weights *w)
{
    const double weights[LIL_PLACE_COUNT] = { [LIL_POTENTIAL] = -w->Qq, [LIL_STEP] = w->Sv, [LIL_FRICTION] = w->Rv };
    const double *x = NULL, *dx = NULL;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    for (int i = 0; i < ev->model->term_count; i++) {
        double weight = weights[ev->model->terms[i].table->place];
        if (weight == 0)
            continue;
        x = x ? x : lil_positions_of(&ev->full, t, q);
        dx = dx ? dx : lil_positions_velocity(&ev->full, t, v);
        evaluator_add_blocks(ev, i, &ev->blocks, &(lil_at){ t, x, dx }, weight, w->definite);
    }
    lil_phase_end(ev->ctx->phases);
}

void lil_evaluate_kick_blocks(lil_evaluator *ev, double t, double weight, lil_block_assembly *blocks)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    LIL_EACH_TERM (a, ev, LIL_KICK)
        evaluator_add_blocks(ev, a->number, blocks, &(lil_at){ .t = t }, weight, false);
    lil_phase_end(ev->ctx->phases);
}

void lil_evaluate_kick_entries(lil_evaluator *ev, double t, double weight, const lil_assembly *a, double *values)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_ASSEMBLE);
    LIL_EACH_TERM (kick, ev, LIL_KICK) {
        kick->table->second(kick->data, kick->work, &(lil_at){ .t = t }, &(lil_sink){ .entries = a->values });
        lil_assembly_add(a->values, a->where[kick->number], ev->entries[kick->number].vv, weight, values);
    }
    lil_phase_end(ev->ctx->phases);
}

bool lil_evaluate_projects(const lil_evaluator *ev)
{
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        if (a->table->projects)
            return true;
    return false;
}

/* ---- where the potential ends ---- */

bool lil_evaluate_ends(const lil_evaluator *ev)
{
    for (int i = 0; i < ev->model->term_count; i++)
        if (ev->model->terms[i].table->longest)
            return true;
    return false;
}

/* d of all coordinates: pinned ones do not move */
static const double *direction_of(lil_evaluator *ev, const double *d)
{
    const lil_model *model = ev->model;
    if (!model->dofs.free)
        return d;
    evaluator_zero(model->dofs.total, ev->full.g);
    for (int i = 0; i < ev->n; i++)
        ev->full.g[model->dofs.free[i]] = d[i];
    return ev->full.g;
}

double lil_evaluate_longest(lil_evaluator *ev, double t, const double *q, const double *d)
{
    const double *x = lil_positions_of(&ev->full, t, q), *dx = direction_of(ev, d);
    double s = 1;
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        if (!a->table->longest)
            continue;
        lil_phase_begin(ev->ctx->phases, a->table->contact ? LIL_PHASE_CONTACT_SEARCH : LIL_PHASE_LINE_SEARCH);
        s = fmin(s, a->table->longest(a->data, a->work, t, x, dx));
        lil_phase_end(ev->ctx->phases);
    }
    return s;
}

bool lil_evaluate_is_open(lil_evaluator *ev, double t0, const double *x0, double t1, const double *q1)
{
    const lil_ends ends = { t0, t1, x0, lil_positions_of(&ev->full, t1, q1), false };
    bool open = true;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_CONTACT_SEARCH);
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        open = open && (!lil_term_is_impassable(a->table) || a->table->contact->is_open(a->data, a->work, &ends));
    lil_phase_end(ev->ctx->phases);
    return open;
}

int lil_evaluate_push(lil_evaluator *ev, double t0, const double *x0, double t1, double *x1)
{
    int sum = 0;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_CONTACT_SEARCH);
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        if (!lil_term_is_impassable(a->table) || sum < 0)
            continue;
        int blocked = a->table->contact->push(a->data, a->work, t0, x0, t1, ev->model->dofs.number, x1);
        sum = blocked < 0 ? -1 : sum + blocked;
    }
    lil_phase_end(ev->ctx->phases);
    return sum;
}

bool lil_evaluate_is_firm(lil_evaluator *ev, double t, const double *x0, const double *dx)
{
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        if (a->table->longest && !lil_term_is_impassable(a->table) &&
            a->table->longest(a->data, a->work, t, x0, dx) < 1)
            return false;
    }
    return true;
}

bool lil_evaluate_pushes(const lil_evaluator *ev)
{
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        if (lil_term_is_impassable(a->table) && a->table->contact->pushes(a->work))
            return true;
    return false;
}

bool lil_evaluate_touches(lil_evaluator *ev, double t, const double *q)
{
    const double *x = lil_positions_of(&ev->full, t, q);
    double W = 0;
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        if (a->table->contact)
            a->table->evaluate(a->data, a->work, &(lil_at){ t, x, NULL }, &(lil_sums){ &W, NULL, NULL });
    return W != 0;
}

bool lil_evaluate_hardest(lil_evaluator *ev, double t, const double *q, lil_pair *names, double *force)
{
    const double *x = lil_positions_of(&ev->full, t, q);
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL)
        if (lil_term_is_impassable(a->table) &&
            a->table->contact->hardest(a->data, a->work, &(lil_at){ t, x, NULL }, names, force))
            return true;
    return false;
}

double lil_evaluate_resolve(lil_evaluator *ev, double t, double h, const double *q, const double *v)
{
    const lil_at at = { t, lil_positions_of(&ev->full, t, q), lil_positions_velocity(&ev->full, t, v) };
    double longest = h;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_CONTACT_SEARCH);
    LIL_EACH_TERM (term, ev, LIL_POTENTIAL) {
        if (term->table->contact && term->table->contact->resolve)
            longest = fmin(longest, term->table->contact->resolve(term->data, term->work, &at, h));
    }
    lil_phase_end(ev->ctx->phases);
    return longest;
}

double lil_evaluate_flattest(lil_evaluator *ev, double t, const double *q, const char **body, int *element)
{
    const double *x = lil_positions_of(&ev->full, t, q);
    double least = INFINITY;
    LIL_EACH_TERM (a, ev, LIL_POTENTIAL) {
        const char *name;
        int at;
        double left = a->table->flattest ? a->table->flattest(a->data, x, &name, &at) : INFINITY;
        if (left < least) {
            least = left;
            *body = name;
            *element = at;
        }
    }
    return least;
}

/* ---- damping ---- */

void lil_evaluate_prepare(lil_evaluator *ev, lil_place place, double t, double h, const double *q)
{
    const double *x = NULL;
    LIL_EACH_TERM (a, ev, place) {
        if (!a->table->prepare)
            continue;
        lil_phase_begin(ev->ctx->phases, a->table->contact ? LIL_PHASE_CONTACT_SEARCH : LIL_PHASE_EVALUATE);
        x = x ? x : lil_positions_of(&ev->full, t, q);
        a->table->prepare(a->data, a->work, t, h, x);
        lil_phase_end(ev->ctx->phases);
    }
}

void lil_evaluate_carry(lil_evaluator *ev, double t, const double *v)
{
    const double *dx = NULL;
    LIL_EACH_TERM (a, ev, LIL_FRICTION) {
        dx = dx ? dx : lil_positions_velocity(&ev->full, t, v);
        a->table->dissipation->carry(a->data, a->work, dx);
    }
}

bool lil_evaluate_damping(lil_evaluator *ev, lil_place place, double t, const double *q, const double *v,
                          double *value, double *D, double *taken, double *held)
{
    const lil_model *model = ev->model;
    if (!lil_model_terms(model, place))
        return false;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    const double *x = lil_positions_of(&ev->full, t, q), *dx = lil_positions_velocity(&ev->full, t, v);
    double *Dx = lil_positions_begin(&ev->full, D);
    if (value)
        *value = 0;
    LIL_EACH_TERM (a, ev, place)
        a->table->evaluate(a->data, a->work, &(lil_at){ t, x, dx }, &(lil_sums){ value, NULL, Dx });
    if (taken)
        *taken = lil_dot(model->dofs.total, Dx, dx);
    if (held)
        *held = lil_positions_power(&ev->full, Dx);
    if (Dx)
        lil_evaluate_supports(ev, place, place == LIL_FRICTION ? LIL_SUPPORT_FRICTION : LIL_SUPPORT_FORCE, 1, Dx);
    lil_positions_restrict(&ev->full, Dx, D);
    lil_phase_end(ev->ctx->phases);
    return true;
}

void lil_evaluate_kick_slope(lil_evaluator *ev, double t, const double *q, const double *y, const double *v,
                             double *Cv, double *Cy, double *slope)
{
    const lil_model *model = ev->model;
    lil_evaluate_prepare(ev, LIL_KICK, t, 1, q);
    lil_evaluate_damping(ev, LIL_KICK, t, q, v, NULL, Cv, NULL, NULL);
    if (!y)
        return;
    /* prescribed motion has a velocity that v does not have: it goes out in the difference */
    size_t total = (size_t)model->dofs.total;
    double *moved = ev->kick_room, *at_v = moved + model->n, *of_y = at_v + total, *g = of_y + total;
    for (int i = 0; i < model->n; i++)
        moved[i] = v[i] + y[i];
    lil_evaluate_damping(ev, LIL_KICK, t, q, moved, NULL, Cy, NULL, NULL);
    lil_add(model->n, -1, Cv, Cy);
    memcpy(at_v, lil_positions_velocity(&ev->full, t, v), total * sizeof *at_v);
    memcpy(of_y, lil_positions_velocity(&ev->full, t, moved), total * sizeof *of_y);
    for (size_t i = 0; i < total; i++) {
        of_y[i] -= at_v[i];
        g[i] = 0;
    }
    const double *x = lil_positions_of(&ev->full, t, q);
    LIL_EACH_TERM (a, ev, LIL_KICK)
        a->table->dissipation->slope(a->data, a->work, &(lil_at){ t, x, at_v }, of_y, g);
    if (model->dofs.free)
        lil_positions_restrict(&ev->full, g, slope);
    else
        memcpy(slope, g, total * sizeof *g);
}

bool lil_evaluate_has_friction(const lil_evaluator *ev)
{
    LIL_EACH_TERM (a, ev, LIL_FRICTION)
        if (a->table->dissipation->has_friction(a->work))
            return true;
    return false;
}

double lil_evaluate_driven(const lil_evaluator *ev)
{
    double sum = 0;
    LIL_EACH_TERM (a, ev, LIL_FRICTION)
        sum += a->table->driven(a->work);
    return sum;
}

void lil_evaluate_impulse(lil_evaluator *ev, double t, const double *q, const double *v, double *D, double *held,
                          double *driven)
{
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    const double *x = lil_positions_of(&ev->full, t, q), *dx = lil_positions_velocity(&ev->full, t, v);
    double *Dx = lil_positions_begin(&ev->full, D);
    LIL_EACH_TERM (a, ev, LIL_FRICTION)
        a->table->dissipation->impulse(a->data, a->work, &(lil_at){ t, x, dx }, Dx);
    *held = lil_positions_power(&ev->full, Dx);
    *driven = lil_evaluate_driven(ev);
    lil_evaluate_supports(ev, LIL_FRICTION, LIL_SUPPORT_FRICTION, 1, Dx);
    lil_positions_restrict(&ev->full, Dx, D);
    lil_phase_end(ev->ctx->phases);
}

void lil_evaluate_size(lil_evaluator *ev, lil_place place, double t, const double *q, double *value, double *gradient)
{
    const double *x = NULL;
    LIL_EACH_TERM (a, ev, place) {
        if (!a->table->size)
            continue;
        x = x ? x : lil_positions_of(&ev->full, t, q);
        a->table->size(a->data, a->work, x, value, gradient);
    }
}

/* ---- measurements ---- */

void lil_evaluate_marks(lil_evaluator *ev, double t, const double **q, const double **v)
{
    const lil_points *points = &ev->model->points;
    if (!points->count)
        return;
    const double *x = lil_positions_of(&ev->full, t, *q), *dx = lil_positions_velocity(&ev->full, t, *v);
    int n = 3 * points->mark_count;
    memset(ev->marks, 0, 2 * (size_t)n * sizeof *ev->marks);
    for (int m = 0; m < points->mark_count; m++)
        for (int i = 0; i < points->marks[m].count; i++)
            for (int d = 0; d < 3; d++) {
                int at = 3 * points->marks[m].vertices[i] + d;
                ev->marks[3 * m + d] += points->marks[m].weights[i] * x[at];
                ev->marks[n + 3 * m + d] += points->marks[m].weights[i] * dx[at];
            }
    *q = ev->marks;
    *v = ev->marks + n;
}

bool lil_evaluate_explain(lil_evaluator *ev, double t, const double *q, const double *v, char *sentence, size_t size)
{
    if (!lil_positions_finite(&ev->full, t, sentence, size))
        return true;
    for (int i = 0; i < ev->model->term_count; i++) {
        const lil_term *term = &ev->model->terms[i];
        const double *x = lil_positions_of(&ev->full, t, q), *dx = lil_positions_velocity(&ev->full, t, v);
        if (term->table->explain &&
            term->table->explain(term->data, ev->work[i], &(lil_at){ t, x, dx }, sentence, size))
            return true;
    }
    return false;
}

bool lil_evaluate_refused(const lil_evaluator *ev, double t, double h, char *sentence, size_t size)
{
    for (int i = 0; i < ev->model->term_count; i++) {
        const lil_term *term = &ev->model->terms[i];
        if (term->table->refused && term->table->refused(term->data, ev->work[i], t, h, sentence, size))
            return true;
    }
    return false;
}
