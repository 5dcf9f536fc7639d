/* A run on its way to its end: signals, and a bar on a terminal. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

/* The first ends the run, and takes back the step that it is in; the second kills. */
static void on_signal(int number)
{
    if (interrupted) {
        signal(number, SIG_DFL);
        raise(number);
    }
    interrupted = 1;
}

bool cli_interrupted(void)
{
    return interrupted;
}

static bool goes_on(void *user)
{
    (void)user;
    return !interrupted;
}

void cli_catch_signals(lil_context *ctx)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    lil_context_set_watch(ctx, goes_on, NULL);
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- progress, on a terminal only ---- */

void cli_clear_line(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

static void show_progress(const char *label, const lil_run *run, double started)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    double done = lil_run_progress(run), spent = cli_seconds() - started,
           left = done > 0 ? spent * (1 - done) / done : 0;
    int filled = (int)(WIDTH * done);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r\033[K%.30s [%s] %3.0f %%  %.3g steps/s  ", label, bar, 100 * done,
            (double)lil_run_steps_done(run) / spent);
    if (left < 60)
        fprintf(stderr, "%.0f s left", left);
    else if (left < 3600)
        fprintf(stderr, "%.0f min left", left / 60);
    else
        fprintf(stderr, "%.1f h left", left / 3600);
}

/* Steps to the end, in batches of about a tenth of a second. */
lil_status cli_run_to_end(lil_run *run, const char *label)
{
    bool terminal = isatty(STDERR_FILENO);
    double started = cli_seconds(), shown = started;
    lil_status status = LIL_OK;
    for (int64_t batch = 1; status == LIL_OK && !interrupted && !lil_run_complete(run);) {
        double before = cli_seconds();
        status = lil_run_advance(run, batch);
        double after = cli_seconds();
        if (after - before < 0.05 && batch < 1000000)
            batch *= 2;
        else if (after - before > 0.2 && batch > 1)
            batch /= 2;
        if (terminal && after - shown > 0.1 && after - started > 0.5) {
            show_progress(label, run, started);
            shown = after;
        }
    }
    cli_clear_line();
    return status;
}
