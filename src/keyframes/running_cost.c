#include "keyframes/running_cost.h"

/* One coordinate's part in an observed quantity: the weight in a mean; 1 in a total force. */
typedef struct seen {
    int z, coordinate;
    double mean;
} seen;

struct lil_running_cost {
    const lil_term *term; /* a Lagrangian of 2m coordinates (q, phi) and their velocities (v, nothing) */
    void *work;
    lil_entries entries;
    int m, seen_count;
    seen *list;
    double *q, *v, *gq, *gv; /* 2m */
    double *values;          /* of the entries */
    double *v_k;             /* n */
    double *T;               /* dz/dq of three frames: 3m rows of 3n */
    double *HT;              /* d2c/dz2 T */
};

/* One weight of the sum. */
typedef struct visit {
    int frame, row; /* row -1: there is none */
    double w;
} visit;

/* ---- creation ---- */

static lil_status list_seen(lil_problem *shot, lil_running_cost *run)
{
    const lil_points *points = &shot->def.model->points;
    const lil_dofs *dofs = &shot->def.model->dofs;
    int room = shot->n;
    for (int i = 0; i < points->mark_count; i++)
        room += 3 * points->marks[i].count;
    LIL_ALLOC(shot->ctx, &shot->arena, run->list, room);
    for (int i = 0; !points->count && i < shot->n; i++)
        run->list[run->seen_count++] = (seen){ i, i, 1 };
    for (int i = 0; points->count && i < points->mark_count; i++)
        for (int k = 0; k < 3 * points->marks[i].count; k++) {
            int at = 3 * points->marks[i].vertices[k / 3] + k % 3, free = dofs->free ? dofs->number[at] : at;
            if (free >= 0)
                run->list[run->seen_count++] = (seen){ 3 * i + k % 3, free, points->marks[i].weights[k / 3] };
        }
    return LIL_OK;
}

lil_status lil_running_cost_create(lil_problem *shot)
{
    const lil_points *points = &shot->def.model->points;
    lil_running_cost *run = shot->running = LIL_NEW(&shot->arena, lil_running_cost, 1);
    LIL_HAVE(shot->ctx, run);
    run->term = shot->def.running;
    run->m = points->count ? 3 * points->mark_count : shot->n;
    LIL_TRY(list_seen(shot, run));
    LIL_TRY(run->term->table->begin(shot->ctx, run->term->data, &shot->arena, true, &run->work, &run->entries));
    size_t m = (size_t)run->m, n = (size_t)shot->n, slopes = shot->bodies ? 0 : 9 * m * n;
    struct {
        double **to;
        size_t size;
    } arrays[] = { { &run->q, 2 * m },  { &run->v, 2 * m },  { &run->gq, 2 * m },
                   { &run->gv, 2 * m }, { &run->v_k, n },    { &run->values, (size_t)lil_entry_count(&run->entries) },
                   { &run->T, slopes }, { &run->HT, slopes } };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        LIL_HAVE(shot->ctx, *arrays[i].to = LIL_NEW(&shot->arena, double, arrays[i].size));
    return LIL_OK;
}

/* ---- observed quantities ---- */

/* The visits of frame k: two at a key inside with a velocity. */
static int visits(const lil_problem *shot, int k, visit list[2])
{
    int before = k > 0 ? shot->right[k - 1] : -1, after = k < shot->N ? shot->left[k] : -1, count = 0;
    if (before >= 0)
        list[count++] = (visit){ k, before, shot->w[before] };
    if (after >= 0 && after != before)
        list[count++] = (visit){ k, after, shot->w[after] };
    if (count == 0)
        list[count++] = (visit){ k, -1, shot->dt[k > 0 ? k - 1 : 0] / 2 };
    return count;
}

/* dv/dq_{k-1}, dv/dq_k, dv/dq_{k+1} */
static void velocity_weights(const lil_problem *shot, const visit *at, double weights[3])
{
    int k = at->frame;
    weights[0] = weights[1] = weights[2] = 0;
    if (at->row >= 0 && (shot->minus[at->row] < 0 || shot->plus[at->row] < 0))
        return; /* it is given */
    if (k == 0 || k == shot->N) {
        weights[k == 0 ? 2 : 0] = k == 0 ? 1 / shot->dt[0] : -1 / shot->dt[k - 1];
        weights[1] = -weights[k == 0 ? 2 : 0];
        return;
    }
    weights[2] = 1 / (shot->dt[k - 1] + shot->dt[k]);
    weights[0] = -weights[2];
}

static void look(lil_problem *shot, const visit *at, const double *q, const lil_ghost *ghost)
{
    lil_running_cost *run = shot->running;
    int n = shot->n, k = at->frame;
    double weights[3];
    velocity_weights(shot, at, weights);
    if (weights[0] == 0 && weights[2] == 0)
        memcpy(run->v_k, shot->given + (size_t)at->row * n, (size_t)n * sizeof *run->v_k);
    else
        for (int i = 0; i < n; i++) {
            run->v_k[i] = 0;
            for (int s = 0; s < 3; s++)
                run->v_k[i] += weights[s] != 0 ? weights[s] * q[(size_t)(k + s - 1) * n + i] : 0;
        }
    const double *q_seen = q + (size_t)k * n, *v_seen = run->v_k;
    lil_evaluate_marks(&shot->ev, shot->t[k], &q_seen, &v_seen);
    memcpy(run->q, q_seen, (size_t)run->m * sizeof *run->q);
    memcpy(run->v, v_seen, (size_t)run->m * sizeof *run->v);
    memset(run->q + run->m, 0, (size_t)run->m * sizeof *run->q);
    for (int s = 0; at->row >= 0 && s < run->seen_count; s++)
        run->q[run->m + run->list[s].z] += ghost->phi[(size_t)at->row * n + run->list[s].coordinate];
}

static double evaluate(lil_problem *shot, const visit *at, const double *q, const lil_ghost *ghost)
{
    lil_running_cost *run = shot->running;
    double c = 0;
    look(shot, at, q, ghost);
    memset(run->gq, 0, 2 * (size_t)run->m * sizeof *run->gq);
    memset(run->gv, 0, 2 * (size_t)run->m * sizeof *run->gv);
    run->term->table->evaluate(run->term->data, run->work, &(lil_at){ shot->t[at->frame], run->q, run->v },
                               &(lil_sums){ &c, run->gq, run->gv });
    return c;
}

/* ---- the sum ---- */

double lil_running_cost_cost_value(lil_problem *shot, const double *q, lil_ghost *ghost)
{
    lil_running_cost *run = shot->running;
    visit list[2];
    double C = 0;
    for (int k = 0; k <= shot->N; k++)
        for (int i = visits(shot, k, list) - 1; i >= 0; i--) {
            C += list[i].w * evaluate(shot, &list[i], q, ghost);
            for (int s = 0; list[i].row >= 0 && s < run->seen_count; s++) /* w dc/dphi dphi/df */
                ghost->y[(size_t)list[i].row * shot->n + run->list[s].coordinate] +=
                    run->gq[run->m + run->list[s].z] / 2;
        }
    return C;
}

void lil_running_cost_gradient(lil_problem *shot, const double *q, const lil_ghost *ghost, double *g)
{
    lil_running_cost *run = shot->running;
    visit list[2];
    double weights[3];
    int n = shot->n;
    for (int k = 0; k <= shot->N; k++)
        for (int i = visits(shot, k, list) - 1; i >= 0; i--) {
            evaluate(shot, &list[i], q, ghost);
            velocity_weights(shot, &list[i], weights);
            for (int s = 0; s < run->seen_count; s++) {
                const seen *one = &run->list[s];
                double half = list[i].w * one->mean / 2;
                g[(size_t)k * n + one->coordinate] += half * run->gq[one->z];
                for (int side = 0; side < 3; side++)
                    if (weights[side] != 0)
                        g[(size_t)(k + side - 1) * n + one->coordinate] += half * weights[side] * run->gv[one->z];
            }
        }
}

/* ---- second derivatives ---- */

/* T: q and v of the observed marks, then their phi through df/dq */
static void set_slopes(lil_problem *shot, const visit *at)
{
    lil_running_cost *run = shot->running;
    const lil_pattern *p = shot->pattern;
    int n = shot->n, m = run->m, width = 3 * n;
    double weights[3];
    velocity_weights(shot, at, weights);
    memset(run->T, 0, 9 * (size_t)m * (size_t)n * sizeof *run->T);
    for (int s = 0; s < run->seen_count; s++) {
        const seen *one = &run->list[s];
        run->T[(size_t)one->z * width + n + one->coordinate] += one->mean;
        for (int side = 0; side < 3; side++)
            run->T[(size_t)(m + one->z) * width + side * n + one->coordinate] += weights[side] * one->mean;
    }
    for (int side = 0; at->row >= 0 && side < 2; side++) { /* p- of the segment before, p+ of the one after */
        int k = side ? shot->plus[at->row] : shot->minus[at->row];
        if (k < 0)
            continue;
        lil_segment_first J = lil_problem_first(shot, k);
        double sign = (side ? 1 : -1) / at->w, half = 0.5 / at->w;
        for (int j = 0; j < n; j++)
            for (int s = 0; s < run->seen_count; s++)
                for (int e = p->start[j]; e < p->start[j + 1]; e++)
                    if (p->row[e] == run->list[s].coordinate) {
                        double *row = run->T + (size_t)(2 * m + run->list[s].z) * width + side * n + j;
                        row[0] += sign * J.mu_a[e] + half * J.s_a[e];
                        row[n] += sign * J.mu_b[e] + half * J.s_b[e];
                    }
    }
}

/* Where an entry of the term's coordinate i, a position or a velocity, is in z = (q, v, phi). */
static int place(const lil_running_cost *run, int i, bool velocity)
{
    return velocity ? run->m + i : i < run->m ? i : run->m + i;
}

static void add_entry(lil_running_cost *run, int row, int col, double x, int width)
{
    double *to = run->HT + (size_t)row * width;
    const double *from = run->T + (size_t)col * width;
    for (int j = 0; j < width; j++)
        to[j] += x * from[j];
}

/* HT = w/2 d2c/dz2 T */
static void multiply(lil_problem *shot, const visit *at)
{
    lil_running_cost *run = shot->running;
    const lil_entries *e = &run->entries;
    int width = 3 * shot->n;
    run->term->table->second(run->term->data, run->work, &(lil_at){ shot->t[at->frame], run->q, run->v },
                             &(lil_sink){ .entries = run->values });
    memset(run->HT, 0, 9 * (size_t)run->m * (size_t)shot->n * sizeof *run->HT);
    for (int i = 0; i < lil_entry_count(e); i++) {
        bool row_v = i >= e->qq + e->qv, col_v = i >= e->qq;
        int row = place(run, e->row[i], row_v), col = place(run, e->col[i], col_v);
        double x = at->w / 2 * run->values[i];
        add_entry(run, row, col, x, width);
        if (col_v && !row_v) /* vq is the transpose of qv */
            add_entry(run, col, row, x, width);
    }
}

static void add_product(lil_problem *shot, const visit *at, lil_banded *A)
{
    const lil_running_cost *run = shot->running;
    int n = shot->n, width = 3 * n, base = (at->frame - 1) * n, total = (shot->N + 1) * n;
    for (int z = 0; z < 3 * run->m; z++) {
        const double *t = run->T + (size_t)z * width, *ht = run->HT + (size_t)z * width;
        for (int i = 0; i < width; i++) {
            int row = base + i;
            if (t[i] == 0 || row < 0 || row >= total || shot->held[row])
                continue;
            double *to = lil_banded_row(A, row) - row;
            for (int j = i; j < width && base + j < total; j++)
                if (!shot->held[base + j])
                    to[base + j] += t[i] * ht[j];
        }
    }
}

void lil_running_cost_matrix(lil_problem *shot, const lil_ghost *ghost, int k, lil_banded *A)
{
    visit list[2];
    for (int i = visits(shot, k, list) - 1; i >= 0; i--) {
        look(shot, &list[i], shot->q, ghost);
        set_slopes(shot, &list[i]);
        multiply(shot, &list[i]);
        add_product(shot, &list[i], A);
    }
}
