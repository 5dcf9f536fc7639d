// Records a pendulum, with a number of our own and a drawing, and reads it back. Then try: lilyan report pendulum.h5
#include <lilyan/lilyan.h>
#include <math.h>
#include <stdio.h>

static bool pendulum(void *user, double t, const double *q, double *W, double *dW)
{
    (void)user, (void)t;
    *W = -9.81 * cos(q[0]);
    if (dW)
        dW[0] = 9.81 * sin(q[0]);
    return true;
}

// At each frame: the observables, and the position of the bob to draw.
static bool look(void *user, const lil_state *x, double *observed, double *places)
{
    (void)user;
    observed[0] = 9.81 * cos(x->q[0]) + x->v[0] * x->v[0]; // the tension of the rod
    places[0] = sin(x->q[0]), places[1] = 0, places[2] = -cos(x->q[0]);
    return true;
}

static lil_status record(lil_context *ctx, lil_sim *sim)
{
    static const char *const observe[] = { "tension" }, *const points[] = { "bob" };
    static const int links[] = { -1, 0 }; // from the origin to the bob
    lil_recording *recording = NULL;
    lil_recording_def def = lil_recording_def_default();
    def.path = "pendulum.h5";
    def.replace = true;
    def.every = 5; // steps a frame
    def.observe = observe, def.observe_count = 1;
    def.points = points, def.point_count = 1;
    def.links = links, def.link_count = 1;
    def.look = look;
    lil_status status = lil_recording_create(ctx, sim, &def, &recording);
    for (int k = 0; k < 1000 && status == LIL_OK; k++)
        status = lil_sim_step(sim);
    if (status == LIL_OK)
        status = lil_recording_finish(recording, NULL);
    lil_recording_destroy(&recording);
    return status;
}

static lil_status read_back(lil_context *ctx)
{
    lil_trajectory *trajectory = NULL;
    lil_frame frame = { 0 };
    double tension = 0;
    lil_status status = lil_trajectory_open(ctx, "pendulum.h5", &trajectory);
    for (int64_t k = 0; status == LIL_OK && k < lil_trajectory_frames(trajectory); k += 50) {
        if ((status = lil_trajectory_frame(trajectory, k, &frame)) == LIL_OK)
            status = lil_trajectory_read(trajectory, "observe/tension", k, 1, &tension);
        printf("t = %4.1f s: angle %7.4f, tension %7.4f N\n", frame.t, frame.q[0], tension);
    }
    lil_trajectory_destroy(&trajectory);
    return status;
}

int main(void)
{
    double inertia = 1, theta = 2;
    lil_separable_def model_def = { .n = 1, .mass = &inertia, .potential = pendulum };
    lil_sim_def def = lil_sim_def_default();
    lil_context *ctx = lil_context_create();
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    def.q = &theta;
    bool ok = lil_model_create_separable(ctx, &model_def, &model) == LIL_OK &&
              lil_sim_create(ctx, model, &def, &sim) == LIL_OK && record(ctx, sim) == LIL_OK &&
              read_back(ctx) == LIL_OK;
    if (!ok)
        fprintf(stderr, "%s\n", lil_context_message(ctx));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_context_destroy(&ctx);
    return ok ? 0 : 1;
}
