// A rubber ball is thrown onto a floor with friction: contact by barrier, so that no part of it ever gets through.
#include <lilyan/world.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ball {
    double x[13][3]; // an icosahedron of radius 0.1 m and, last, its centre
    int tets[20][4]; // a face and the centre each
} ball;

static double edge(const ball *b, int i, int j)
{
    return hypot(hypot(b->x[i][0] - b->x[j][0], b->x[i][1] - b->x[j][1]), b->x[i][2] - b->x[j][2]);
}

static double det(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void make(ball *b)
{
    const double golden = (1 + sqrt(5)) / 2, side = 0.1 / hypot(1, golden);
    int count = 0;
    memset(b, 0, sizeof *b);
    for (int i = 0; i < 12; i++) { // (0, +-1, +-golden), and the same turned twice
        b->x[i][(i / 4 + 1) % 3] = i % 2 ? side : -side;
        b->x[i][(i / 4 + 2) % 3] = i / 2 % 2 ? golden * side : -golden * side;
    }
    for (int i = 0; i < 12; i++)
        for (int j = i + 1; j < 12; j++)
            for (int k = j + 1; k < 12; k++) {
                if (fmax(edge(b, i, j), fmax(edge(b, j, k), edge(b, k, i))) > 2.1 * side)
                    continue;                                    // not a face
                int turned = det(b->x[i], b->x[j], b->x[k]) < 0; // tets are right-handed
                int tet[4] = { 12, i, turned ? k : j, turned ? j : k };
                memcpy(b->tets[count++], tet, sizeof tet);
            }
}

int main(void)
{
    const double g[3] = { 0, 0, -9.81 };
    ball b;
    double x[39];
    int body;
    lil_context *ctx = lil_context_create();
    lil_world *world = NULL;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_body_def def = lil_body_def_default();
    lil_start_def start = lil_start_def_default();
    lil_obstacle_def floor = lil_obstacle_def_default(); // a plane, up is z
    lil_sim_def stepped = lil_sim_def_default();
    make(&b);
    def.name = "ball", def.vertex_count = 13, def.x = b.x[0];
    def.tet_count = 20, def.tets = (const int(*)[4])b.tets;
    def.material.name = "rubber", def.at[2] = 0.3;
    start.push[0] = 2;
    floor.name = "floor", floor.friction = 0.5;
    stepped.integrator = "energy-momentum", stepped.step = 0.005;
    int ok = !lil_world_create(ctx, &world) && !lil_world_set_gravity(world, g) &&
             !lil_world_add_body(world, &def, &body) && !lil_world_set_start(world, body, &start) &&
             !lil_world_add_obstacle(world, &floor) && !lil_world_build(world, &model) &&
             !lil_sim_create(ctx, model, &stepped, &sim);
    for (int k = 1; k <= 200 && ok; k++)
        if ((ok = !lil_sim_step(sim) && !lil_sim_positions(sim, x)) && k % 40 == 0)
            printf("t = %.1f s: x = %6.3f m, z = %.3f m\n", lil_sim_state(sim)->t, x[36], x[38]);
    lil_certificate c = ok ? lil_sim_certificate(sim) : (lil_certificate){ 0 };
    if (ok)
        printf("energy %.6f J = %.6f - %.6f to friction; nearest %.1e m\n", c.energy_final, c.energy_initial,
               c.friction_loss, c.gap_min);
    else
        printf("%s\n", lil_context_message(ctx));
    lil_sim_destroy(&sim), lil_model_destroy(&model), lil_world_destroy(&world), lil_context_destroy(&ctx);
    return !ok;
}
