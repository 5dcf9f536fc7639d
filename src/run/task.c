/* Runs that are no motion: equilibrium and modes. */
#include "math/vector.h"
#include "run/run.h"

#include <math.h>
#include <string.h>

enum { LOOP_FRAMES = 16 };       /* of a mode */
static const double SWING = 0.1; /* the largest displacement of a mode that is shown, of the size of the scene */
static const double ANGLE = 0.3; /*   the same of coordinates that are not points in space */
enum { TABLES = 8 };

lil_certificate lil_run_task_certificate(const lil_run *run)
{
    lil_certificate all = lil_sim_certificate(run->sim), c = all;
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    for (int i = 0; i < count; i++)
        *(double *)((char *)&c + fields[i].offset) = NAN;
    c.constraint_max = all.constraint_max;
    c.min_volume_ratio = all.min_volume_ratio;
    c.gap_min = all.gap_min;
    c.intersections = all.intersections;
    c.penetration_max = all.penetration_max;
    c.penetration_relative = all.penetration_relative;
    c.rest_iterations = all.rest_iterations;
    c.rest_residual = all.rest_residual;
    return c;
}

static lil_status check_task(const lil_run *run, lil_task task, const char *function)
{
    if (run->task != task)
        return lil_fail(run->ctx, LIL_ERR_ARGUMENT, "%s: the task of this run is another: set lil_run_def.task",
                        function);
    if (run->solved || run->failed || run->finished)
        return lil_fail(run->ctx, LIL_ERR_ARGUMENT, "%s: this run was solved already", function);
    return LIL_OK;
}

static lil_status end(lil_run *run, lil_status status)
{
    if (status != LIL_OK && status != LIL_ERR_INTERRUPTED)
        lil_run_fail(run);
    run->solved = status == LIL_OK;
    return status;
}

static void add_table(lil_run *run, const char *name, int64_t rows, int width, const double *numbers)
{
    run->task_tables[run->task_table_count++] = (lil_table){ name, rows, width, numbers, NULL };
}

/* ---- statics ---- */

typedef struct static_view {
    lil_run *run;
    const lil_static_def *def;
    lil_status status;
} static_view;

static bool record_load(void *user, double factor)
{
    static_view *view = user;
    view->run->task_t = factor;
    view->status = lil_run_record_frame(view->run, true);
    return view->status == LIL_OK && (!view->def->step || view->def->step(view->def->user, factor));
}

static lil_status keep_result(lil_run *run, const lil_static_result *r)
{
    const double numbers[] = { r->factor, r->steps, r->divided, r->iterations, r->residual, r->moved, r->potential };
    static const char *const names[] = { "static/factor",   "static/steps", "static/divided",  "static/iterations",
                                         "static/residual", "static/moved", "static/potential" };
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    double *kept;
    LIL_ALLOC(run->ctx, &run->arena, kept, NUMBERS);
    LIL_ALLOC(run->ctx, &run->arena, run->task_tables, TABLES);
    memcpy(kept, numbers, sizeof numbers);
    for (int i = 0; i < NUMBERS; i++)
        add_table(run, names[i], 1, 1, kept + i);
    run->task_label = (lil_label){ "static/stability", lil_stability_name(r->stability) };
    return LIL_OK;
}

static lil_status solve_static(lil_run *run, const lil_static_def *def, bool recorded, lil_static_result *result)
{
    static_view view = { run, def, LIL_OK };
    lil_static_def own = *def;
    if (recorded) {
        own.step = record_load;
        own.user = &view;
    }
    lil_status status = lil_sim_solve_static(run->sim, &own, result);
    return view.status != LIL_OK ? view.status : status;
}

lil_status lil_run_solve_static(lil_run *run, const lil_static_def *def, lil_static_result *result)
{
    lil_static_result own;
    LIL_NEED(NULL, run, "run");
    LIL_NEED(run->ctx, def, "def");
    LIL_TRY(check_task(run, LIL_TASK_STATIC, __func__));
    result = result ? result : &own;
    lil_status status = solve_static(run, def, true, result);
    lil_watch_rest(&run->sim->watch, result->iterations, result->residual);
    end(run, status);
    lil_status kept = keep_result(run, result);
    return status != LIL_OK ? status : kept;
}

/* ---- modes ---- */

/* The amplitude of a shape that can be seen. */
static double amplitude(lil_run *run, const double *shape)
{
    const lil_model *model = run->plan.model;
    const lil_state *x = lil_sim_state(run->sim);
    double most = lil_largest(model->n, shape), square = 0;
    if (!model->points.count)
        return most > 0 ? ANGLE / most : 0;
    const double *all = lil_positions_of(&run->sim->ev.full, x->t, x->q);
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = d; k < model->dofs.total; k += 3) {
            low = fmin(low, all[k]);
            high = fmax(high, all[k]);
        }
        square += (high - low) * (high - low);
    }
    double size = square > 0 ? sqrt(square) : 1;
    return most > 0 ? SWING * size / most : 0;
}

/* The Sim at q: it is shown, not stepped. */
static lil_status show(lil_run *run, const double *q)
{
    lil_state *x = &run->sim->state;
    memcpy(x->q, q, (size_t)x->n * sizeof *q);
    memset(x->p, 0, (size_t)x->n * sizeof *q);
    LIL_TRY(lil_sim_refresh(run->sim));
    return run->sim->observables.count ? lil_sim_observe_start(run->sim) : LIL_OK;
}

static lil_status record_loop(lil_run *run, int number, const double *q0, const double *shape, double *q)
{
    int n = run->plan.model->n;
    double a = amplitude(run, shape);
    lil_status status = LIL_ERR_INVERTED;
    for (int tries = 0; tries < 20 && status != LIL_OK; tries++, a *= status == LIL_OK ? 1 : 0.5)
        for (int side = -1; side <= 1 && (side == -1 || status == LIL_OK); side += 2) {
            for (int i = 0; i < n; i++)
                q[i] = q0[i] + side * a * shape[i];
            status = show(run, q); /* not beyond where a tet would be inverted */
        }
    for (int k = 0; k < LOOP_FRAMES; k++) {
        double s = a * sin(2 * 3.141592653589793 * k / LOOP_FRAMES);
        for (int i = 0; i < n; i++)
            q[i] = q0[i] + s * shape[i];
        run->task_t = number + (double)k / LOOP_FRAMES;
        LIL_TRY(show(run, q));
        LIL_TRY(lil_run_record_frame(run, true));
    }
    return LIL_OK;
}

/* Each mode in a row: numbers of it, and its shape over all coordinates, also those that are held. */
static lil_status keep_modes(lil_run *run, const lil_modes *modes)
{
    const lil_modes_result about = lil_modes_about(modes);
    const int *free = run->plan.model->dofs.free;
    int count = about.count, total = run->plan.n;
    double *frequency, *omega2, *residual, *participation, *shapes, *numbers;
    LIL_ALLOC_ALL(run->ctx, &run->arena, double, count, &frequency, &omega2, &residual);
    LIL_ALLOC(run->ctx, &run->arena, participation, 3 * (size_t)count);
    LIL_ALLOC(run->ctx, &run->arena, shapes, (size_t)count * (size_t)total);
    LIL_ALLOC(run->ctx, &run->arena, numbers, 4);
    LIL_ALLOC(run->ctx, &run->arena, run->task_tables, TABLES);
    for (int k = 0; k < count; k++) {
        lil_mode m;
        lil_modes_at(modes, k, &m);
        frequency[k] = m.frequency;
        omega2[k] = m.omega2;
        residual[k] = m.residual;
        memcpy(participation + 3 * k, m.participation, sizeof m.participation);
        for (int i = 0; i < about.n; i++)
            shapes[(size_t)k * (size_t)total + (size_t)(free ? free[i] : i)] = m.shape[i];
    }
    numbers[0] = about.rigid;
    numbers[1] = about.mass;
    numbers[2] = about.unbalanced;
    numbers[3] = about.orthogonality;
    add_table(run, "modes/frequency", count, 1, frequency);
    add_table(run, "modes/omega2", count, 1, omega2);
    add_table(run, "modes/residual", count, 1, residual);
    add_table(run, "modes/participation", count, 3, participation);
    add_table(run, "modes/shapes", count, total, shapes);
    add_table(run, "modes/rigid", 1, 1, numbers);
    add_table(run, "modes/mass", 1, 1, numbers + 1);
    add_table(run, "modes/unbalanced", 1, 1, numbers + 2);
    return LIL_OK;
}

static lil_status record_modes(lil_run *run, const lil_modes *modes)
{
    int n = run->plan.model->n, count = lil_modes_about(modes).count;
    double *q0, *q;
    LIL_ALLOC_ALL(run->ctx, &run->arena, double, n, &q0, &q);
    memcpy(q0, lil_sim_state(run->sim)->q, (size_t)n * sizeof *q);
    LIL_TRY(keep_modes(run, modes));
    for (int k = 0; k < count; k++) {
        lil_mode m;
        lil_modes_at(modes, k, &m);
        LIL_TRY(show(run, q0));
        LIL_TRY(record_loop(run, k, q0, m.shape, q));
    }
    LIL_TRY(show(run, q0));
    run->task_t = count;
    return lil_run_record_frame(run, true);
}

static lil_status solve_modes(lil_run *run, const lil_static_def *balanced, const lil_modes_def *def,
                              lil_modes **modes)
{
    lil_static_result result;
    if (balanced) {
        LIL_TRY(solve_static(run, balanced, false, &result));
        lil_watch_rest(&run->sim->watch, result.iterations, result.residual);
    }
    LIL_TRY(lil_sim_modes(run->sim, def, modes));
    return run->output ? record_modes(run, *modes) : LIL_OK;
}

lil_status lil_run_solve_modes(lil_run *run, const lil_static_def *balanced, const lil_modes_def *def,
                               lil_modes **modes)
{
    LIL_NEED(NULL, run, "run");
    LIL_NEED(run->ctx, modes, "modes");
    *modes = NULL;
    LIL_NEED(run->ctx, def, "def");
    LIL_TRY(check_task(run, LIL_TASK_MODES, __func__));
    lil_status status = end(run, solve_modes(run, balanced, def, modes));
    if (status != LIL_OK)
        lil_modes_destroy(modes);
    return status;
}
