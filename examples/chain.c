// A chain of rigid links hangs from a point, and its last link runs on a wire: constraints between particles, and to something in space.
#include <lilyan/world.h>
#include <math.h>
#include <stdio.h>

enum { COUNT = 6 };

int main(void)
{
    const double g[3] = { 0, 0, -9.81 };
    double x[COUNT][3] = { { 0 } }, mass[COUNT], now[3 * COUNT], worst = 0;
    int links[COUNT - 1][2], chain, top = 0;
    lil_context *ctx = lil_context_create();
    lil_world *world = NULL;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_particles_def def = lil_particles_def_default();
    lil_constraint_def wire = lil_constraint_def_default();
    lil_sim_def stepped = lil_sim_def_default();
    for (int i = 0; i < COUNT; i++) {
        x[i][0] = 0.2 * i; // level: it falls
        mass[i] = 0.1;
        if (i > 0)
            links[i - 1][0] = i - 1, links[i - 1][1] = i;
    }
    def.name = "chain", def.count = COUNT, def.x = x[0], def.mass = mass;
    def.link_count = COUNT - 1, def.links = (const int(*)[2])links; // without a stiffness: rigid
    wire.name = "wire", wire.type = LIL_LINE;
    wire.axis[0] = 1, wire.axis[2] = 0; // along x, through the last particle
    wire.as_placed = true;
    wire.points[0].vertex = COUNT - 1;
    stepped.step = 0.005;
    int ok = !lil_world_create(ctx, &world) && !lil_world_set_gravity(world, g) &&
             !lil_world_add_particles(world, &def, &chain) && !lil_world_fix(world, chain, &top, 1) &&
             !lil_world_add_constraint(world, &wire) && !lil_world_build(world, &model) &&
             !lil_sim_create(ctx, model, &stepped, &sim);
    for (int k = 1; k <= 400 && ok; k++) {
        if (!(ok = !lil_sim_step(sim) && !lil_sim_positions(sim, now)))
            break;
        for (int i = 3; i < 3 * COUNT; i += 3) {
            double l = hypot(hypot(now[i] - now[i - 3], now[i + 1] - now[i - 2]), now[i + 2] - now[i - 1]);
            worst = fmax(worst, fabs(l - 0.2));
        }
        if (k % 100 == 0)
            printf("t = %.1f s: the middle is %.3f m down, the end at %.3f m\n", lil_sim_state(sim)->t, -now[8],
                   now[15]);
    }
    if (ok)
        printf("links are as long as they were to %s\n", worst < 1e-9 ? "1e-9 m" : "more than 1e-9 m");
    else
        printf("%s\n", lil_context_message(ctx));
    lil_sim_destroy(&sim), lil_model_destroy(&model), lil_world_destroy(&world), lil_context_destroy(&ctx);
    return !ok;
}
