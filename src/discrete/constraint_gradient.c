#include "discrete/constraint_gradient.h"

#include <float.h>
#include <math.h>
#include <string.h>

void lil_constraint_gradient_begin(lil_constrained *c)
{
    const double *x = lil_positions_of(&c->ev->full, c->t, c->q);
    memcpy(c->x0, x, (size_t)c->ev->model->dofs.total * sizeof *x);
    lil_constrained_evaluate(c, c->x0, c->g0, NULL);
}

typedef struct gradient_job {
    lil_constrained *c;
    const double *x1;
} gradient_job;

/* x where the step would end; and the middle of the two */
static const double *ends(lil_constrained *c, const double *v)
{
    for (int k = 0; k < c->G.n; k++)
        c->q_trial[k] = c->q[k] + c->h * v[k];
    const double *x1 = lil_positions_of(&c->ev->full, c->t + c->h, c->q_trial);
    for (int k = 0; k < c->ev->model->dofs.total; k++)
        c->middle[k] = (c->x0[k] + x1[k]) / 2;
    return x1;
}

/*
 * For any g (Gonzalez 1996), with D the mass, or 1 in space: G in the middle is off by `rest`, of third order in dx,
 *
 *     B = G + rest / (dx'D dx) D dx,    rest = g1 - g0 - G dx;
 *
 * where that is round-off it is left out.
 */
static void correct(lil_constrained *c, const lil_set_slice *s, const double *x1)
{
    const lil_model *model = c->ev->model;
    const double *mass = model->points.count ? NULL : model->mass.diagonal;
    int rows = s->set.count * s->set.table->rows, from = s->entry, end = from;
    double *rest = c->rate + s->row, *square = c->s + s->row, *size = c->vague + s->row;
    while (end < c->G.count && c->row[end] < s->row + rows)
        end++;
    s->set.table->evaluate(&s->set, s->work, x1, rest, NULL);
    for (int i = 0; i < rows; i++) {
        rest[i] -= c->g0[s->row + i];
        square[i] = size[i] = 0;
    }
    for (int k = from; k < end; k++) {
        int i = c->row[k] - s->row, x = c->col_x[k];
        double dx = x1[x] - c->x0[x], D = mass && c->col[k] >= 0 ? mass[c->col[k]] : 1;
        rest[i] -= c->bar[k] * dx;
        square[i] += D * dx * dx;
        size[i] += fabs(c->bar[k]) * (fabs(c->x0[x]) + fabs(x1[x]));
    }
    for (int i = 0; i < rows; i++) {
        bool round_off = fabs(rest[i]) <= 2 * DBL_EPSILON * size[i];
        rest[i] = round_off ? 0 : rest[i] / square[i];
        size[i] = round_off ? 0 : 2 * DBL_EPSILON * size[i] / sqrt(square[i]);
    }
    for (int k = from; k < end; k++) {
        int x = c->col_x[k];
        double D = mass && c->col[k] >= 0 ? mass[c->col[k]] : 1;
        c->bar[k] += rest[c->row[k] - s->row] * D * (x1[x] - c->x0[x]);
    }
}

static void set_slice(void *data, int i)
{
    const gradient_job *job = data;
    lil_constrained *c = job->c;
    for (const lil_set_slice *s = c->sets + c->sets_begin[i]; s < c->sets + c->sets_begin[i + 1]; s++) {
        const lil_constraint_table *table = s->set.table;
        double *B = c->bar + s->entry;
        if (table->between)
            table->between(&s->set, c->x0, job->x1, B);
        else
            table->evaluate(&s->set, s->work, c->middle, NULL, B);
        if (!table->between && !table->quadratic)
            correct(c, s, job->x1);
    }
    lil_constrained_curve_slice(c, i, c->middle);
}

void lil_constraint_gradient_set(lil_constrained *c, const double *v)
{
    const double *x1 = ends(c, v);
    lil_constrained_each(c, set_slice, &(gradient_job){ .c = c, .x1 = x1 });
}

/* The squares of both sums of one slice, into its two places. */
static void noise_slice(void *data, int i)
{
    const gradient_job *job = data;
    const lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    double sum = 0, own = 0;
    for (int k = slice->entry; k < slice->entry_end; k++) {
        double part = c->bar[k] * c->lambda[c->row[k]];
        sum += part * part;
    }
    for (int k = c->curves_begin[i]; k < c->curves_begin[i + 1]; k++) {
        double part = c->curved.b[k] < 0 ? 0 : c->q_trial[c->curved.b[k]] * c->curved.values[k];
        part *= c->lambda[c->curved.row[k]];
        sum += part * part;
    }
    for (int k = slice->row; k < slice->row_end; k++) {
        double part = c->vague[k] * c->lambda[k];
        own += part * part;
    }
    c->slice_most[i] = sum;
    c->slice_own[i] = own;
}

/* A row of B is off by the last places of x times d2g: the shorter a link, the more. */
double lil_constraint_gradient_noise(lil_constrained *c)
{
    double sum = 0, own = 0;
    lil_constrained_each(c, noise_slice, &(gradient_job){ .c = c });
    for (int i = 0; i < c->slices.count; i++) {
        sum += c->slice_most[i];
        own += c->slice_own[i];
    }
    return 4 * DBL_EPSILON * sqrt(sum) + sqrt(own);
}

/* Where dr/dv + h/2 K is not definite, compression is omitted, and so are constraints that are neither (angles,
 * texts). */
static void keep_tensions(lil_constrained *c, int slice, double *y)
{
    const lil_slice *own = &c->slices.list[slice];
    memset(y + own->row, 0, (size_t)(own->row_end - own->row) * sizeof *y);
    for (int i = c->sets_begin[slice]; i < c->sets_begin[slice + 1]; i++) {
        const lil_set_slice *s = &c->sets[i];
        int last = i + 1 < c->sets_begin[slice + 1] ? s[1].curve : c->curves_begin[slice + 1];
        for (int k = s->curve; k < last; k++) {
            int row = c->curved.row[k];
            bool outward = c->curved.a[k] == c->curved.b[k] && c->lambda[row] * c->curved.values[k] < 0;
            if (outward && s->set.table->quadratic)
                y[row] = c->lambda[row];
        }
    }
}

void lil_constraint_gradient_stiffen_slice(lil_constrained *c, int i, bool definite, double *matrix)
{
    if (definite)
        keep_tensions(c, i, c->dy);
    lil_geometric_stiffness_add(&c->curved, c->curves_begin[i], c->curves_begin[i + 1], c->h / 2,
                                definite ? c->dy : c->lambda, matrix);
}

void lil_constraint_gradient_stiffen(lil_constrained *c, bool definite, double *matrix)
{
    for (int i = 0; i < c->slices.count; i++)
        lil_constraint_gradient_stiffen_slice(c, i, definite, matrix);
}

double lil_constraint_gradient_work(lil_constrained *c, double share, const double *v)
{
    const double *x1 = ends(c, v);
    double work = 0;
    for (int k = 0; k < c->G.count; k++)
        if (c->col[k] < 0)
            work -= c->lambda[c->row[k]] / share * c->bar[k] * (x1[c->col_x[k]] - c->x0[c->col_x[k]]) / c->h;
    return work;
}
