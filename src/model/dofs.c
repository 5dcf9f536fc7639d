#include "model/dofs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Those that are free, where they are numbered in a row; without a list it counts. */
static int find_stretches(const lil_dofs *dofs, lil_stretch *list)
{
    int count = 0;
    for (int k = 0; k < dofs->total; k++) {
        int number = dofs->number[k];
        if (number < 0)
            continue;
        if (k == 0 || number == 0 || dofs->number[k - 1] != number - 1) {
            if (list)
                list[count] = (lil_stretch){ .at = k, .from = number };
            count++;
        }
        if (list)
            list[count - 1].count++;
    }
    return count;
}

static void scatter(const lil_positions *ps, const double *q, double *x)
{
    for (const lil_stretch *s = ps->stretches; s < ps->stretches + ps->stretch_count; s++)
        memcpy(x + s->at, q + s->from, (size_t)s->count * sizeof *x);
}

lil_status lil_positions_create(lil_context *ctx, lil_arena *arena, const lil_dofs *dofs, lil_positions *ps)
{
    *ps = (lil_positions){ .dofs = dofs };
    if (!dofs->free)
        return LIL_OK;
    ps->x = LIL_NEW(arena, double, dofs->total);
    ps->v = LIL_NEW(arena, double, dofs->total);
    ps->g = LIL_NEW(arena, double, dofs->total);
    ps->slots = LIL_NEW(arena, double *, dofs->script_count);
    ps->stretch_count = find_stretches(dofs, NULL);
    ps->stretches = LIL_NEW(arena, lil_stretch, ps->stretch_count);
    LIL_HAVE(ctx, ps->x && ps->v && ps->g && ps->slots && ps->stretches);
    find_stretches(dofs, ps->stretches);
    memcpy(ps->x, dofs->held, (size_t)dofs->total * sizeof *ps->x);
    ps->turning = LIL_NEW(arena, lil_drive_slots, dofs->script_count);
    LIL_HAVE(ctx, ps->turning);
    for (int i = 0; i < dofs->script_count; i++) {
        const lil_script *script = &dofs->scripts[i];
        LIL_HAVE(ctx, !script->move || (ps->slots[i] = lil_program_slots(script->move, arena)));
        LIL_HAVE(ctx, lil_drive_begin(&script->turn, arena, &ps->turning[i]));
    }
    return LIL_OK;
}

/* x and v of vertex k, whose start is x0. */
static void follow(const lil_script *script, int k, double *slots, const lil_pose *pose,
                   const lil_samples_place *place, double t, const double x0[3], double x[3], double v[3])
{
    double out[6] = { 0 }, turned[3] = { x0[0], x0[1], x0[2] }, rate[3] = { 0 }, own[3] = { 0 };
    if (script->move)
        lil_program_run(script->move, slots, t, x0, NULL, out);
    if (script->samples)
        lil_samples_at(script->samples, place, script->points[k], turned, own);
    if (script->turn.turn) {
        lil_pose_place(pose, turned, turned);
        lil_pose_velocity(pose, turned, rate);
    }
    if (script->samples) {
        lil_pose_turn(pose, own, own);
        for (int d = 0; d < 3; d++)
            rate[d] += own[d];
    }
    for (int d = 0; d < 3; d++) {
        x[d] = turned[d] + out[d];
        v[d] = rate[d] + out[3 + d];
    }
}

void lil_positions_run(lil_positions *ps, double t)
{
    if (ps->valid && ps->t == t)
        return;
    for (int i = 0; i < ps->dofs->script_count; i++) {
        const lil_script *script = &ps->dofs->scripts[i];
        lil_samples_place place = { 0 };
        lil_pose pose;
        lil_drive_at(&script->turn, &ps->turning[i], t, &pose);
        if (script->samples)
            place = lil_samples_find(script->samples, t);
        for (int k = 0; k < script->count; k++) {
            int at = 3 * script->vertices[k];
            follow(script, k, ps->slots[i], &pose, &place, t, ps->dofs->held + at, ps->x + at, ps->v + at);
            for (int d = 0; ps->jump && d < 3; d++)
                ps->x[at + d] -= ps->behind * ps->jump[at + d];
        }
    }
    ps->t = t;
    ps->valid = true;
}

lil_status lil_positions_hold_back(lil_context *ctx, lil_arena *arena, lil_positions *ps, double t, double behind)
{
    if (!ps->dofs->script_count)
        return LIL_OK;
    if (!ps->jump) {
        double *jump;
        LIL_ALLOC(ctx, arena, jump, ps->dofs->total);
        ps->valid = false;
        lil_positions_run(ps, t);
        for (int k = 0; k < ps->dofs->total; k++)
            jump[k] = ps->x[k] - ps->dofs->held[k];
        ps->jump = jump;
    }
    ps->behind = behind;
    ps->valid = false;
    return LIL_OK;
}

const double *lil_positions_of(lil_positions *ps, double t, const double *q)
{
    const int *free = ps->dofs->free;
    if (!free)
        return q;
    lil_positions_run(ps, t);
    scatter(ps, q, ps->x);
    return ps->x;
}

const double *lil_positions_velocity(lil_positions *ps, double t, const double *v)
{
    if (!ps->dofs->free)
        return v;
    lil_positions_run(ps, t);
    scatter(ps, v, ps->v);
    return ps->v;
}

double *lil_positions_begin(const lil_positions *ps, double *g)
{
    double *gx = ps->dofs->free && g ? ps->g : g;
    if (gx)
        memset(gx, 0, (size_t)ps->dofs->total * sizeof *gx);
    return gx;
}

void lil_positions_restrict(const lil_positions *ps, const double *gx, double *g)
{
    if (gx == g)
        return;
    for (const lil_stretch *s = ps->stretches; s < ps->stretches + ps->stretch_count; s++)
        memcpy(g + s->from, gx + s->at, (size_t)s->count * sizeof *g);
}

double lil_positions_power(const lil_positions *ps, const double *gx)
{
    double power = 0;
    for (int i = 0; i < ps->dofs->script_count; i++) {
        const lil_script *script = &ps->dofs->scripts[i];
        for (int k = 0; k < script->count; k++)
            for (int d = 0; d < 3; d++)
                power += gx[3 * script->vertices[k] + d] * ps->v[3 * script->vertices[k] + d];
    }
    return power;
}

bool lil_positions_finite(lil_positions *ps, double t, char *sentence, size_t size)
{
    if (!ps->dofs->script_count)
        return true;
    lil_positions_run(ps, t);
    for (int i = 0; i < ps->dofs->script_count; i++) {
        const lil_script *script = &ps->dofs->scripts[i];
        for (int k = 0; k < script->count; k++) {
            int at = 3 * script->vertices[k];
            bool finite = true;
            for (int d = 0; d < 3; d++)
                finite = finite && isfinite(ps->x[at + d]) && isfinite(ps->v[at + d]);
            if (finite)
                continue;
            if (sentence &&
                !(script->move &&
                  lil_program_explain(script->move, ps->slots[i], t, ps->dofs->held + at, NULL, sentence, size)) &&
                !(script->turn.turn &&
                  lil_program_explain(script->turn.turn, ps->turning[i].turn, t, NULL, NULL, sentence, size)))
                snprintf(sentence, size, "a handle moves too far");
            return false;
        }
    }
    return true;
}
