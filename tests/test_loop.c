/* Poincare's invariant: a symplectic step keeps the area of a loop, others do not. */
#include "problems.h"

#include "sim/phase_loop.h"

static lil_context *ctx;
static const double pi = 3.14159265358979323846;

static lil_status make(lil_run *run, lil_arena *arena, const char *method, double radius, int points, int control,
                       lil_phase_loop *loop)
{
    lil_sim *centre = lil_run_sim(run);
    const lil_state *x = lil_sim_state(centre);
    lil_sim_def def = lil_sim_def_default();
    def.integrator = method;
    def.step = 0.05;
    def.solver.tolerance = 1e-15;
    def.control.method = control;
    lil_phase_loop_def loop_def = { x->q, x->p, radius, points };
    return lil_phase_loop_create(ctx, arena, lil_run_model(run), &def, &loop_def, centre, loop);
}

/* the change of the area over 40 steps, relative */
static double change(lil_run *run, const char *method, double radius)
{
    lil_arena arena = { 0 };
    lil_phase_loop loop;
    double result = NAN;
    if (make(run, &arena, method, radius, 64, LIL_CONTROL_FIXED, &loop) == LIL_OK) {
        double before = loop.area;
        CHECK_NEAR(before / (loop.n * pi * radius * radius), 1,
                   1e-9); /* a circle in each plane; digits lost: see below */
        for (int k = 0; k < 40 && lil_phase_loop_step(&loop, loop.sims[0]->step) == LIL_OK; k++)
            lil_phase_loop_measure(&loop);
        result = fabs(loop.area / before - 1);
    }
    lil_phase_loop_destroy(&loop);
    lil_arena_free(&arena);
    return result;
}

/* The loop is small, so that 64 points resolve it. Round-off of points of size 1 in a loop of 1e-3: 1e-16 / 1e-3 for
 * each point, magnified by the derivative's weights of up to 64/2: 1e-11. rk4 loses 1e-7 of the area a step. */
TEST(symplectic_steps_keep_the_area)
{
    static const char *const texts[] = { PENDULUM, DOUBLE_PENDULUM };
    for (int k = 0; k < 2; k++) {
        lil_run *run = problem(ctx, texts[k]);
        CHECK_BELOW(change(run, "midpoint", 1e-3), 1e-10);
        CHECK_BELOW(change(run, "stormer-verlet", 1e-3), 1e-10);
        CHECK_BELOW(change(run, "gauss", 1e-3), 1e-10);
        CHECK(change(run, "explicit-euler", 1e-3) > 1e-3);
        CHECK(change(run, "rk4", 1e-3) > 1e-9);
        lil_run_destroy(&run);
    }
}

TEST(what_a_loop_cannot_take)
{
    lil_run *run = problem(ctx, "lagrangian: sum(i, 1, 9, 1/2*dx[i]^2 - 1/2*x[i]^2)\nstart: {x: 'list(i, 1, 9, i)'}\n"
                                "time: {step: 0.1, until: 1}\n");
    lil_run *small = problem(ctx, KEPLER);
    lil_arena arena = { 0 };
    lil_phase_loop loop;
    CHECK(make(run, &arena, "midpoint", 0.1, 64, LIL_CONTROL_FIXED, &loop) == LIL_ERR_LIMIT);
    lil_phase_loop_destroy(&loop);
    CHECK(make(small, &arena, "midpoint", 0.1, 2, LIL_CONTROL_FIXED, &loop) == LIL_ERR_LIMIT);
    lil_phase_loop_destroy(&loop);
    CHECK(make(small, &arena, "midpoint", 0.1, 64, LIL_CONTROL_REVERSIBLE, &loop) == LIL_ERR_INPUT);
    lil_phase_loop_destroy(&loop);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
    lil_run_destroy(&small);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(symplectic_steps_keep_the_area);
    RUN(what_a_loop_cannot_take);
    lil_context_destroy(&ctx);
    return test_end();
}
