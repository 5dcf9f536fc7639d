#include "model/supports.h"

#include <string.h>

/* Sets in a row with one name are one. */
static int count_constraints(const lil_model *model)
{
    int count = 0;
    for (int i = 0; i < model->constraint_count; i++)
        count += i == 0 || model->constraints[i].name != model->constraints[i - 1].name;
    return count;
}

static lil_status list_pinned(lil_context *ctx, lil_arena *arena, lil_supports *s)
{
    const lil_model *model = s->model;
    LIL_ALLOC(ctx, arena, s->place, model->points.count);
    LIL_ALLOC(ctx, arena, s->vertices, model->points.count);
    for (int v = 0; v < model->points.count; v++) {
        bool pinned = model->dofs.free && model->dofs.number[3 * v] < 0;
        s->place[v] = pinned ? s->count : -1;
        if (pinned)
            s->vertices[s->count++] = v;
    }
    return LIL_OK;
}

lil_status lil_supports_create(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_supports **out)
{
    lil_supports *s;
    LIL_ALLOC(ctx, arena, s, 1);
    *s =
        (lil_supports){ .model = model, .obstacles = model->obstacle_count, .constraints = count_constraints(model) };
    LIL_TRY(list_pinned(ctx, arena, s));
    s->size = 3 * (s->count + s->obstacles + s->constraints);
    LIL_ALLOC_ALL(ctx, arena, double, s->size, &s->latest[0], &s->latest[1], &s->latest[2], &s->frame, &s->impulse,
                  &s->start, &s->mean, &s->before);
    *out = s;
    return LIL_OK;
}

void lil_supports_take(lil_supports *s, lil_support_row row, double sign, const double *x)
{
    if (!s)
        return;
    double *to = s->latest[row];
    for (int i = 0; i < s->count; i++)
        for (int d = 0; d < 3; d++)
            to[3 * i + d] = sign * x[3 * (size_t)s->vertices[i] + (size_t)d];
    memset(to + 3 * s->count, 0, (size_t)(s->size - 3 * s->count) * sizeof *to);
}

double *lil_supports_press(lil_supports *s, lil_support_row row)
{
    return s && s->obstacles ? s->latest[row] + 3 * s->count : NULL;
}

void lil_supports_scale(lil_supports *s, lil_support_row row, double factor)
{
    for (int i = 0; s && i < s->size; i++)
        s->latest[row][i] *= factor;
}

void lil_supports_add(lil_supports *s, lil_support_row row, double weight)
{
    for (int i = 0; s && i < s->size; i++)
        s->impulse[i] -= weight * s->latest[row][i];
}

void lil_supports_add_at(lil_supports *s, int vertex, double weight, const double g[3])
{
    for (int d = 0; s && d < 3 && s->place[vertex] >= 0; d++)
        s->impulse[3 * s->place[vertex] + d] -= weight * g[d];
}

void lil_supports_add_press(lil_supports *s, double weight, const double *press)
{
    for (int i = 0; s && i < 3 * s->obstacles; i++)
        s->impulse[3 * s->count + i] -= weight * press[i];
}

void lil_supports_keep_frame(lil_supports *s)
{
    if (s)
        memcpy(s->frame, s->latest[LIL_SUPPORT_POTENTIAL], (size_t)s->size * sizeof *s->frame);
}

void lil_supports_recall_frame(lil_supports *s)
{
    if (s)
        memcpy(s->latest[LIL_SUPPORT_POTENTIAL], s->frame, (size_t)s->size * sizeof *s->frame);
}
