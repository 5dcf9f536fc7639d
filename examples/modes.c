// An elastic bar, fixed at one end, sags under its weight, which is added in four steps. Its modes are those about that equilibrium.
#include <lilyan/world.h>
#include <stdio.h>

static bool tell(void *user, double factor)
{
    const lil_state *now = lil_sim_state((lil_sim *)user);
    printf("load factor %.2f: its last vertex is at z = %.5f m\n", factor, now->q[now->n - 1]);
    return true;
}

int main(void)
{
    int body;
    lil_context *ctx = lil_context_create();
    lil_mesh *mesh = NULL;
    lil_world *world = NULL;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_modes *modes = NULL;
    lil_body_def def = lil_body_def_default();
    lil_sim_def stepped = lil_sim_def_default();
    lil_static_def loaded = lil_static_def_default();
    lil_modes_def lowest = lil_modes_def_default();
    lil_static_result found;
    lil_mode mode;
    lil_group_info left;
    def.name = "bar";
    def.material.young = 1e6, def.material.poisson = 0.3, def.material.density = 1000;
    loaded.steps = 4, loaded.step = tell;
    lowest.count = 3;
    int ok = !lil_mesh_create_shape(ctx, "bar", "size=1,0.2,0.1 cells=10,2,2", &mesh) &&
             !lil_world_create(ctx, &world) && (def.mesh = mesh, !lil_world_add_body(world, &def, &body)) &&
             !lil_world_find_group(world, body, "left", &left) &&
             !lil_world_fix(world, body, left.vertices, left.count) &&
             !lil_world_set_gravity(world, (double[]){ 0, 0, -9.81 }) && !lil_world_build(world, &model) &&
             !lil_sim_create(ctx, model, &stepped, &sim) &&
             (loaded.user = sim, !lil_sim_solve_static(sim, &loaded, &found)) && !lil_sim_modes(sim, &lowest, &modes);
    if (ok)
        printf("%s, forces of %.0e of the loads remain\n", lil_stability_name(found.stability), found.residual);
    for (int i = 0; ok && lil_modes_at(modes, i, &mode); i++)
        printf("mode %d: %.4f Hz\n", i + 1, mode.frequency);
    if (!ok)
        fprintf(stderr, "%s\n", lil_context_message(ctx));
    lil_modes_destroy(&modes);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_world_destroy(&world);
    lil_mesh_destroy(&mesh);
    lil_context_destroy(&ctx);
    return ok ? 0 : 1;
}
