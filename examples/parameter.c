// Who stands up at the bottom of a swing and crouches at its turns swings higher: a parameter that changes between steps.
#include <lilyan/lilyan.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// l is how far the mass is from the bar; kg, m, s
static const char swing[] = "parameters: {m: 30, g: 9.81, l: 2}\n"
                            "lagrangian: 1/2*m*l^2*da^2 + m*g*l*cos(a)\n"
                            "start: {a: 0.3}\n"
                            "time: {step: 0.005, until: 30}\n";

// At the bottom p has an extreme and a changes its sign, at a turn p changes its sign. The work is done against weight and what pulls outwards.
static lil_status pump(lil_sim *sim)
{
    const lil_state *x = lil_sim_state(sim);
    lil_status status = LIL_OK;
    while (x->t < 30 && status == LIL_OK) {
        double a = x->q[0], p = x->p[0];
        status = lil_sim_step(sim);
        if (status == LIL_OK && a * x->q[0] < 0)
            status = lil_sim_set_parameter(sim, "l", 1.9);
        else if (status == LIL_OK && p * x->p[0] < 0) {
            printf("t = %4.1f s: turns at %+.3f\n", x->t, x->q[0]);
            status = lil_sim_set_parameter(sim, "l", 2);
        }
    }
    return status;
}

int main(void)
{
    const char *const live[] = { "l" }; // only these parameters can change
    lil_run_def def = lil_run_def_default();
    lil_context *ctx = lil_context_create();
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    def.live = live;
    def.live_count = 1;
    lil_status status = lil_scene_parse(ctx, "swing", swing, strlen(swing), &scene);
    if (status == LIL_OK)
        status = lil_run_create(ctx, scene, &def, &run);
    if (status == LIL_OK)
        status = pump(lil_run_sim(run));
    if (status == LIL_OK) {
        lil_certificate c = lil_sim_certificate(lil_run_sim(run));
        printf("energy %.3f J, work %.3f J, energy at the end %.3f J\n", c.energy_initial, c.external_work,
               c.energy_final);
    } else
        fprintf(stderr, "%s\n", lil_context_message(ctx));
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    lil_context_destroy(&ctx);
    return status == LIL_OK ? 0 : 1;
}
