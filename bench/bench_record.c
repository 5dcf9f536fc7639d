/*
 * What recording every step costs, by the processor's clock: pendulum and outer planets with Stormer-Verlet; the bar of
 * 24,200 tets, explicit and implicit, with each form of frames. Without an output and with every step in one, interleaved
 * repeats in one run, minima. Run it from the repository's folder.
 */
#define _POSIX_C_SOURCE 200809L
#include <lilyan/lilyan.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REPEATS = 11 };

/* seconds of the processor, of all threads: the program's own and the system's */
typedef struct cost {
    double own, system;
} cost;

static cost now(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (cost){ (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec,
                   (double)use.ru_stime.tv_sec + 1e-6 * (double)use.ru_stime.tv_usec };
}

static double total(cost c)
{
    return c.own + c.system;
}

static cost least(cost a, cost b)
{
    return total(a) < total(b) ? a : b;
}

typedef struct record_case {
    const char *name, *scene, *integrator;
    const char *step, *until; /* overrides */
    const char *unit;
    double scale; /* of seconds */
} record_case;

static const record_case cases[] = {
    { "pendulum", "scenes/pendulum.yaml", "stormer-verlet", "time.step=0.01", "time.until=5000", "ns", 1e9 },
    { "outer-planets", "scenes/outer-planets.yaml", "stormer-verlet", "time.step=20", "time.until=4000000", "ns",
      1e9 },
    { "bar explicit", "scenes/twisted-bar.yaml", "stormer-verlet", "time.step=0.001", "time.until=0.2", "ms", 1e3 },
    { "bar implicit", "scenes/twisted-bar.yaml", "midpoint", "time.step=0.01", "time.until=0.5", "ms", 1e3 },
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const char *const forms[][2] = { { "double", "record={every: 1}" },
                                        { "float", "record={every: 1, precision: float}" },
                                        { "q in float", "record={every: 1, what: [q], precision: float}" },
                                        { "compressed", "record={every: 1, compress: true}" } };
enum { FORMS = sizeof forms / sizeof forms[0] };

/* of a step */
static cost measure(lil_context *ctx, const record_case *c, const char *form, const char *output)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    def.output = output;
    def.replace = true;
    bool ok = lil_scene_load(ctx, c->scene, &scene) == LIL_OK && lil_scene_set(scene, c->step) == LIL_OK &&
              lil_scene_set(scene, c->until) == LIL_OK && lil_scene_set(scene, form) == LIL_OK &&
              lil_scene_set_integrator(scene, c->integrator) == LIL_OK &&
              lil_run_create(ctx, scene, &def, &run) == LIL_OK;
    cost start = now();
    ok = ok && lil_run_advance(run, INT64_MAX) == LIL_OK && lil_run_finish(run) == LIL_OK;
    cost end = now();
    double steps = ok ? (double)lil_run_steps_done(run) : NAN;
    if (!ok)
        fprintf(stderr, "bench_record: %s\n", lil_context_message(ctx));
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    return (cost){ (end.own - start.own) / steps, (end.system - start.system) / steps };
}

static void compare(lil_context *ctx, const record_case *c, const char *output)
{
    bool body = strstr(c->name, "bar");
    int count = body ? FORMS : 1;
    cost without = { INFINITY, 0 }, with[FORMS];
    double bytes[FORMS];
    struct stat file;
    for (int k = 0; k < count; k++)
        with[k] = (cost){ INFINITY, 0 };
    for (int i = 0; i < REPEATS; i++) {
        without = least(without, measure(ctx, c, forms[0][1], NULL));
        for (int k = 0; k < count; k++) {
            with[k] = least(with[k], measure(ctx, c, forms[k][1], output));
            bytes[k] = stat(output, &file) == 0 ? (double)file.st_size : NAN;
        }
    }
    for (int k = 0; k < count; k++) {
        double step = c->scale * total(without), more = c->scale * (total(with[k]) - total(without));
        printf(
            "  %-14s %-11s %8.4g %s a step, recorded %8.4g %s (%.4g of them the system's) or %.1f %% more; %.3g MB\n",
            c->name, forms[k][0], step, c->unit, more, c->unit, c->scale * (with[k].system - without.system),
            100 * more / step, bytes[k] / 1e6);
        printf("{\"bench\": \"record\", \"scene\": \"%s\", \"form\": \"%s\", \"ns\": %.17g, \"recorded_ns\": %.17g, "
               "\"system_ns\": %.17g, \"bytes\": %.17g}\n",
               c->name, forms[k][0], 1e9 * total(without), 1e9 * total(with[k]), 1e9 * with[k].system, bytes[k]);
    }
}

int main(void)
{
    char output[] = "/tmp/bench_record.XXXXXX";
    lil_context *ctx = lil_context_create();
    int descriptor = mkstemp(output);
    if (descriptor < 0)
        return EXIT_FAILURE;
    close(descriptor);
    lil_context_set_threads(ctx, 1);
    printf("recording every step, by the processor's clock, one thread, minimum of %d repeats\n", REPEATS);
    for (int k = 0; k < CASES; k++)
        compare(ctx, &cases[k], output);
    unlink(output);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
