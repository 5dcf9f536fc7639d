// An elastic bar from arrays, fixed at one end: a callback pulls the other end ever harder, and Hooke's law says how far it gives. Its
// recording, bar.h5, has all that a scene's has: lilyan report bar.h5
#include <lilyan/world.h>
#include <stdio.h>

enum { CELLS = 8 }; // cubes of 0.1 m along x, of six tets each

static bool pull(void *user, double t, const double x[3], double value[3], double rate[3])
{
    const double *most = (const double *)user;
    (void)x, (void)rate; // of a load they are NULL
    value[0] = t < 10 ? *most * t / 10 : *most;
    value[1] = value[2] = 0;
    return true;
}

static void make(double (*x)[3], int (*tets)[4])
{
    // along the diagonal from corner 0 to corner 7, which all six share; corner k is at (k & 1, k >> 1 & 1, k >> 2)
    static const int six[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
                                   { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
    for (int i = 0; i < 4 * (CELLS + 1); i++) {
        x[i][0] = 0.1 * (i / 4);
        x[i][1] = 0.1 * (i % 2);
        x[i][2] = 0.1 * (i / 2 % 2);
    }
    for (int i = 0; i < 6 * CELLS; i++)
        for (int k = 0; k < 4; k++) {
            int corner = six[i % 6][k];
            tets[i][k] = 4 * (i / 6 + (corner & 1)) + (corner >> 1);
        }
}

int main(void)
{
    double x[4 * (CELLS + 1)][3], now[12 * (CELLS + 1)], most = 100; // N
    int tets[6 * CELLS][4], body, left[] = { 0, 1, 2, 3 }, right[4];
    lil_context *ctx = lil_context_create();
    lil_world *world = NULL;
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    lil_recording *recording = NULL;
    lil_body_def def = lil_body_def_default();
    lil_vector_def force = { .fn = pull, .user = &most };
    lil_sim_def stepped = lil_sim_def_default(); // auto: energy-momentum here
    lil_recording_def recorded = lil_recording_def_default();
    make(x, tets);
    for (int k = 0; k < 4; k++)
        right[k] = 4 * CELLS + k;
    def.name = "bar", def.vertex_count = 4 * (CELLS + 1), def.x = x[0];
    def.tet_count = 6 * CELLS, def.tets = (const int(*)[4])tets;
    def.material.young = 1e6, def.material.poisson = 0, def.material.density = 1000;
    def.damping = 0.01; // s
    stepped.step = 0.1;
    recorded.path = "bar.h5", recorded.replace = true;
    int ok = !lil_world_create(ctx, &world) && !lil_world_add_body(world, &def, &body) &&
             !lil_world_fix(world, body, left, 4) && !lil_world_add_load(world, body, right, 4, &force) &&
             !lil_world_build(world, &model) && !lil_sim_create(ctx, model, &stepped, &sim) &&
             !lil_recording_create(ctx, sim, &recorded, &recording);
    for (int k = 1; k <= 200 && ok; k++)
        if ((ok = !lil_sim_step(sim) && !lil_sim_positions(sim, now)) && k % 50 == 0)
            printf("t = %2.0f s: longer by %.3f mm\n", lil_sim_state(sim)->t,
                   1e3 * (now[12 * CELLS] - x[4 * CELLS][0]));
    if (ok && (ok = !lil_recording_finish(recording, NULL)))
        printf("Hooke:        %.3f mm\n", 1e3 * most * 0.1 * CELLS / (1e6 * 0.01)); // F l / (E A)
    else
        printf("%s\n", lil_context_message(ctx));
    lil_recording_destroy(&recording), lil_sim_destroy(&sim), lil_model_destroy(&model), lil_world_destroy(&world);
    lil_context_destroy(&ctx);
    return !ok;
}
