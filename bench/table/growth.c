/* Lilyan alone: how the cost of a step grows with the body, on one thread and on two, and what room it takes. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SCENE[] = "scenes/twisted-bar.yaml";

enum { THREADS = 2 };

/* ---- memory ---- */

/* kB of a line of /proc/self/status */
static double status_of(const char *key)
{
    char line[256];
    double value = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtod(line + strlen(key), NULL);
    if (file)
        fclose(file);
    return value;
}

int growth_memory(const char *text)
{
    int c[3];
    sample s;
    if (sscanf(text, "%dx%dx%d", &c[0], &c[1], &c[2]) != 3)
        return EXIT_FAILURE;
    double before = status_of("VmRSS:");
    lil_context *ctx = lil_context_create();
    bool ok = measure_ours(ctx, SCENE, c, "minimise", 1, 2, INFINITY, &s, NULL) && !s.failed;
    printf("%.17g\n", ok ? 1024 * (status_of("VmHWM:") - before) / (5.0 * c[0] * c[1] * c[2]) : NAN);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}

/* The peak of a process of its own: one that has done other things before has had others. */
static double memory(const bench *b, const bench_size *size)
{
    char command[4096], line[64];
    double bytes = NAN;
    const int *c = size->cells;
    snprintf(command, sizeof command, "'%s' --memory %dx%dx%d", b->program, c[0], c[1], c[2]);
    fflush(stdout);
    FILE *pipe = popen(command, "r");
    if (pipe && fgets(line, sizeof line, pipe))
        bytes = strtod(line, NULL);
    if (pipe)
        pclose(pipe);
    return bytes;
}

/* ---- time ---- */

static void measure(bench *b, const bench_size *size, entry e[THREADS])
{
    for (int r = 0; r < b->repeats; r++)
        for (int k = 0; k < THREADS; k++) {
            sample s;
            if (e[k].skipped || (r > 0 && e[k].spent > 10 * b->budget))
                continue;
            e[k].skipped =
                !measure_ours(b->ctx, SCENE, size->cells, "minimise", k + 1, b->steps, 3 * b->budget, &s, NULL);
            if (e[k].skipped) {
                bench_complain(b, size->name);
                continue;
            }
            if (r == 0)
                e[k].first = s;
            e[k].ms[e[k].repeats++] = 1e3 * s.seconds / s.steps;
            e[k].spent += s.seconds;
        }
}

void part_growth(bench *b)
{
    static const char *const heads[] = { "tets",          "ms, 1 thread",  "ms, 2 threads", "ratio", "us a tet",
                                         "Newton a step", "linear a step", "bytes a tet",   "steps", NULL };
    table t = table_new("growth", heads);
    snprintf(t.title, sizeof t.title,
             "A step of twisted-bar: minima over %d repeats of %d steps, processor time (2 threads: wall time).",
             b->repeats, b->steps);
    const bench_size *before = NULL;
    double last = 0;
    for (int i = 0; i < SIZES; i++) {
        const bench_size *size = &bench_sizes[i];
        if (!b->wanted[i] || (before && !bench_affordable(b, last, before, size)))
            continue;
        entry e[THREADS] = { 0 };
        measure(b, size, e);
        double one = entry_minimum(&e[0]), two = entry_minimum(&e[1]), steps = e[0].first.steps;
        table_cell(&t, "%d", bench_tets(size));
        table_number(&t, "%.2f", one);
        table_number(&t, "%.2f", two);
        table_number(&t, "%.2f", one / two);
        table_number(&t, "%.3f", 1e3 * one / bench_tets(size));
        table_number(&t, "%.1f", (double)e[0].first.newton / steps);
        table_number(&t, "%.1f", (double)e[0].first.linear / steps);
        table_number(&t, "%.0f", memory(b, size));
        table_number(&t, "%.0f", steps);
        before = size;
        last = one;
    }
    bench_show(b, &t, true);
}
