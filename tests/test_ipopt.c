/* Shots against Ipopt: another minimiser of the same cost comes to the same frames. */
#ifndef LILYAN_IPOPT
#include <stdio.h>

int main(void)
{
    printf("skipped: Ipopt is missing (coinor-libipopt-dev)\n");
    return 77;
}
#else
#include "ipopt.h"
#include "problems.h"

#include "run/run.h"

static lil_context *ctx;

/* The scene is solved by `global`, and once more by Ipopt. */
static void compare(const char *text)
{
    lil_run *run = problem(ctx, text);
    lil_shot *shot = run->plan.shot;
    lil_problem *global = shot->problem, *other = NULL;
    lil_problem_def def = global->def;
    def.keys = shot->keys;
    def.watch = NULL;
    MUST(lil_problem_create(ctx, &def, &other));
    MUST(lil_shot_solve(shot, NULL, NULL));
    CHECK(global->converged);
    CHECK(ipopt_solve(other, 1e-10));
    double most = 0;
    for (int i = 0; i < (global->N + 1) * global->n; i++)
        most = fmax(most, fabs(global->q[i] - other->q[i]));
    printf("       cost %.12g, Ipopt's %.12g, frames apart by %.1e of their size\n", global->now.C, other->now.C,
           most / global->segment.scale);
    CHECK_NEAR(other->now.C / global->now.C, 1, 1e-6);
    CHECK_BELOW(most / global->segment.scale, 1e-6);
    CHECK(global->now.C <= other->now.C * (1 + 1e-12));
    lil_problem_destroy(&other);
    lil_run_destroy(&run);
}

TEST(ipopt_agrees_on_an_oscillator)
{
    compare("lagrangian: dx^2 - x^2\nstart: {x: 1}\nintegrator: midpoint\nshot: {frames: 96}\n"
            "keys: [{at: 0, q: [1], velocity: [0]}, {at: 6*pi, q: [8], velocity: [0]}]\n");
}

TEST(ipopt_agrees_on_smooth_damped_particles)
{
    compare(
        "particles:\n  chain: {at: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], mass: 1, pairs: [[0, 1], [1, 2]], drag: 0.1,"
        " links: {stiffness: 10, damping: 0.02}}\ngravity: 1\nintegrator: stormer-verlet\n"
        "keys: [{at: 0, q: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}, {at: 1/2, q: [[0, 0, 1], [0.8, 0.3, 1], [1.5, 0, 1]]},"
        " {at: 1, q: [[1, 0, 0], [1, 0, 1], [1, 1, 1]]}]\nshot: {frames: 16, smoothness: 0.1}\n");
}

TEST(ipopt_agrees_with_a_running_cost)
{
    compare("lagrangian: 1/2*dx^2 + dy^2 - x*y^2\nforce: {y: -0.1*dy}\nstart: {x: 0, y: 0}\nintegrator: midpoint\n"
            "keys: [{at: 0, q: [0, 0], velocity: [1, 0]}, {at: 1, q: {x: 1}}, {at: 2, q: [2, 1]}]\n"
            "shot: {frames: 16, cost: \"dx^2*y^2 + 2*ghost_y^2\"}\n");
}

int main(void)
{
    ctx = lil_context_create();
    RUN(ipopt_agrees_on_an_oscillator);
    RUN(ipopt_agrees_on_smooth_damped_particles);
    RUN(ipopt_agrees_with_a_running_cost);
    lil_context_destroy(&ctx);
    return test_end();
}
#endif
