// A ball that is thrown through three points in time. Of all ways, the one that needs the least ghost force beside gravity.
#include <lilyan/shot.h>
#include <stdio.h>

static const double g = 9.81;

// W = m g z; m = 1, q = x, z
static bool gravity(void *user, double t, const double *q, double *W, double *dW)
{
    (void)user, (void)t;
    *W = g * q[1];
    if (dW) {
        dW[0] = 0;
        dW[1] = g;
    }
    return true;
}

// Shows how far it is; false would cancel, and leave the best frames so far.
static bool show(void *user, int level, int iteration, double cost)
{
    (void)user, (void)level;
    printf("iteration %d, cost %.4f\n", iteration, cost);
    return true;
}

int main(void)
{
    const double mass[2] = { 1, 1 }, q[3][2] = { { 0, 0 }, { 4, 3 }, { 8, 0 } };
    lil_separable_def model_def = { .n = 2, .mass = mass, .potential = gravity };
    lil_shot_def def = lil_shot_def_default(); // by Newton's method on all frames at once
    lil_recording_def file = lil_recording_def_default();
    lil_key_def keys[3];
    lil_context *ctx = lil_context_create();
    lil_model *model = NULL;
    lil_shot *shot = NULL;
    lil_shot_frame frame;
    lil_shot_result result = { 0 };
    for (int i = 0; i < 3; i++) {
        keys[i] = lil_key_def_default();
        keys[i].t = i;
        keys[i].q = q[i];
    }
    def.frames = 200;
    file.path = "shot.h5", file.replace = true;
    int ok = !lil_model_create_separable(ctx, &model_def, &model) &&
             !lil_shot_create(ctx, model, keys, 3, &def, &shot) && !lil_shot_solve(shot, show, NULL) &&
             lil_shot_outcome(shot, &result) && !lil_shot_record(shot, &file);
    for (int k = 0; ok && k < lil_shot_frames(shot); k += 50)
        if ((ok = !lil_shot_frame_at(shot, k, &frame)))
            printf("t = %.1f s: x = %.3f m, z = %.3f m, ghost force %6.3f N\n", frame.t, frame.q[0], frame.q[1],
                   frame.ghost_force[1]);
    if (ok)
        printf("cost %.3f, keys missed by %g m\n", result.cost, result.key_error_max);
    else
        printf("%s\n", lil_context_message(ctx));
    lil_shot_destroy(&shot), lil_model_destroy(&model), lil_context_destroy(&ctx);
    return !ok;
}
