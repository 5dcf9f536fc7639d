/* Any bytes as a scene: parsed, and where it is one, its base and first variants run a few steps without an output. */
#include "run/run.h"
#include "sim/sim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    SIZE_MAX_ = 16 * 1024,
    VARIANTS = 2,
    COORDINATES = 200,
    SMALL = 20,
    SMALL_SHOT = 30,
    STEPS = 20,
    STEPS_LARGE = 3,
    FRAMES = 100
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const lil_context *ctx)
{
    const char *message = lil_context_message(ctx);
    assert(message[0]);
    for (const char *c = message; *c; c++)
        assert((unsigned char)*c >= ' ');
}

static void check_state(const lil_state *x)
{
    for (int i = 0; i < x->n; i++)
        assert(isfinite(x->q[i]) && isfinite(x->p[i]) && isfinite(x->v[i]));
}

/* Of shots a few iterations, too. */
static bool watch(void *user, int level, int iteration, double cost)
{
    (void)user, (void)level, (void)cost;
    return iteration < STEPS;
}

/* Shots of bodies are solved if that takes no time. */
static bool soon(const lil_run *run)
{
    const lil_shot *shot = run->plan.shot;
    return !shot || !shot->by_mass || (shot->model->n <= SMALL_SHOT && shot->def.frames <= FRAMES);
}

static void run_one(lil_context *ctx, const lil_scene *scene, const char *variant)
{
    lil_run_def def = lil_run_def_default();
    lil_run *run = NULL;
    def.variant = variant;
    def.watch = watch;
    if (lil_run_create(ctx, scene, &def, &run) != LIL_OK) {
        assert(!run);
        check_message(ctx);
        return;
    }
    assert(lil_run_describe(run));
    int n = lil_model_size(lil_run_model(run));
    if (soon(run) && n <= COORDINATES) {
        if (lil_run_advance(run, n <= SMALL ? STEPS : STEPS_LARGE) != LIL_OK)
            check_message(ctx);
        check_state(lil_sim_state(lil_run_sim(run)));
        assert(lil_run_json(run));
    }
    lil_run_destroy(&run);
}

static bool contains(const uint8_t *data, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (!memcmp(data + i, word, length))
            return true;
    return false;
}

/* To mesh the surface of a formula, or to find how bodies rest, takes seconds to minutes here, even where a release build takes one second.
 * fuzz_surface and fuzz_expression see the parts of the first, test_rest.py tests the second. */
static bool takes_long(const uint8_t *data, size_t size)
{
    return contains(data, size, "inside") || contains(data, size, "rest:");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_ || takes_long(data, size))
        return 0;
    lil_context *ctx = lil_context_create();
    lil_scene *scene = NULL;
    if (lil_scene_parse(ctx, "scene.yaml", (const char *)data, size, &scene) == LIL_OK) {
        run_one(ctx, scene, NULL);
        for (int i = 0; i < VARIANTS && i < lil_scene_variant_count(scene); i++)
            run_one(ctx, scene, lil_scene_variant(scene, i));
    } else {
        assert(!scene);
        check_message(ctx);
    }
    lil_scene_destroy(&scene);
    lil_context_destroy(&ctx);
    return 0;
}
