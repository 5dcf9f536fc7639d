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
static void correct(lil_constrained *c, int set, int first, const double *x1)
{
    const lil_model *model = c->ev->model;
    const lil_constraint *s = &model->constraints[set];
    const double *mass = model->points.count ? NULL : model->mass.diagonal;
    int from = c->entries[set], end = c->entries[set + 1], rows = s->count * s->table->rows;
    double *rest = c->rate + first, *square = c->s + first, *size = c->vague + first;
    s->table->evaluate(s, c->work[set], x1, rest, NULL);
    for (int i = 0; i < rows; i++) {
        rest[i] -= c->g0[first + i];
        square[i] = size[i] = 0;
    }
    for (int k = from; k < end; k++) {
        int i = c->row[k] - first, x = c->col_x[k];
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
        c->bar[k] += rest[c->row[k] - first] * D * (x1[x] - c->x0[x]);
    }
}

void lil_constraint_gradient_set(lil_constrained *c, const double *v)
{
    const lil_model *model = c->ev->model;
    const double *x1 = ends(c, v);
    for (int i = 0, first = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        double *B = c->bar + c->entries[i];
        if (set->table->between)
            set->table->between(set, c->x0, x1, B);
        else
            set->table->evaluate(set, c->work[i], c->middle, NULL, B);
        if (!set->table->between && !set->table->quadratic)
            correct(c, i, first, x1);
        first += set->count * set->table->rows;
    }
    lil_geometric_stiffness_evaluate(&c->curved, model, c->work, c->middle);
}

/* A row of B is off by the last places of x times d2g: the shorter a link, the more. */
double lil_constraint_gradient_noise(const lil_constrained *c)
{
    double sum = 0, own = 0;
    for (int k = 0; k < c->G.count; k++) {
        double part = c->bar[k] * c->lambda[c->row[k]];
        sum += part * part;
    }
    for (int k = 0; k < c->curved.count; k++) {
        double part = c->curved.b[k] < 0 ? 0 : c->q_trial[c->curved.b[k]] * c->curved.values[k];
        part *= c->lambda[c->curved.row[k]];
        sum += part * part;
    }
    for (int i = 0; i < c->G.m; i++) {
        double part = c->vague[i] * c->lambda[i];
        own += part * part;
    }
    return 4 * DBL_EPSILON * sqrt(sum) + sqrt(own);
}

/* Where dr/dv + h/2 K is not definite, compression is omitted, and so are constraints that are neither (angles,
 * texts). */
static void keep_tensions(lil_constrained *c, double *y)
{
    const lil_model *model = c->ev->model;
    memset(y, 0, (size_t)c->G.m * sizeof *y);
    for (int i = 0; i < model->constraint_count; i++)
        for (int k = c->curved.sets[i]; k < c->curved.sets[i + 1]; k++) {
            int row = c->curved.row[k];
            bool outward = c->curved.a[k] == c->curved.b[k] && c->lambda[row] * c->curved.values[k] < 0;
            if (outward && model->constraints[i].table->quadratic)
                y[row] = c->lambda[row];
        }
}

void lil_constraint_gradient_stiffen(lil_constrained *c, bool definite, double *matrix)
{
    if (definite)
        keep_tensions(c, c->dy);
    lil_geometric_stiffness_add(&c->curved, c->h / 2, definite ? c->dy : c->lambda, matrix);
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
