/* lilyan film: a trajectory as a video, a GIF or a picture. The page draws and encodes it, in Chromium. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "browser.h"
#include "cli.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "  lilyan film OUT.h5 ... [-o FILE.mp4] [options]\n"
    "\n"
    "Writes the motion as a video (.mp4, H.264), a GIF (.gif) or one picture (.png), as the page of 'lilyan report' "
    "shows\n"
    "it. Chromium draws and encodes it without a window, from Debian's package 'chromium'; no other program is "
    "needed.\n"
    "Several runs are shown together. The film plays at the speed of the page.\n"
    "\n"
    "  -o, --output FILE     output file; its ending is the format (default: OUT.mp4 beside the first trajectory)\n"
    "  --size WxH            size in pixels, 16 to 4096 each (default: 1280x720; a GIF: 640x360)\n"
    "                        A video has even numbers of pixels, and at most as many as 4096x2304\n"
    "  --fps N               pictures per second (default: 30; a GIF: 20)\n"
    "  --frames N            number of pictures from start to end, at most 3600; this sets the speed of the film\n"
    "  --at T                time of a picture (.png), in seconds of the motion (default: a third of the motion)\n"
    "  --dark                dark background\n"
    "  --timeout SECONDS     longest time for Chromium to start, and for each picture (default: 60)\n"
    "  --force               replace an existing output\n"
    "\n"
    "  lilyan film scenes/hanging-jelly.h5\n"
    "  lilyan film scenes/pendulum.*.h5 -o fig1.gif --size 480x300\n"
    "  lilyan film scenes/gummy-bear.h5 -o bear.png --at 0.5 --size 1920x1080\n";

/* H.264's level 5.2 has at most so many blocks of 16 pixels */
#define BLOCKS(pixels) (((pixels) + 15) / 16)
enum { PART = 1 << 20, LARGEST = 4096, PICTURES = 3600, BLOCKS_MOST = 36864 };

typedef struct options {
    const char *inputs[LIL_REPORT_RUNS_MAX];
    int count;
    const char *output, *format;
    const char *size, *fps, *frames, *at, *timeout;
    int width, height;
    double patience, rate, time; /* NaN: as usual */
    int pictures;                /* 0: as usual */
    bool dark, force;
} options;

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* ---- options ---- */

static bool read_number(const char *word, double low, double high, double *x)
{
    char *end = NULL;
    *x = strtod(word, &end);
    return end != word && !*end && *x >= low && *x <= high;
}

static int check_numbers(options *o)
{
    char rest;
    double frames = 0;
    bool gif = strcmp(o->format, "gif") == 0;
    o->width = gif ? 640 : 1280;
    o->height = gif ? 360 : 720;
    o->rate = o->time = NAN;
    o->patience = 60;
    if (o->size && (sscanf(o->size, "%4dx%4d%c", &o->width, &o->height, &rest) != 2 || o->width < 16 ||
                    o->width > LARGEST || o->height < 16 || o->height > LARGEST))
        return cli_usage(&cli_film, "--size is '%s', not a width and a height from 16 to 4096 like 1280x720",
                         o->size);
    if (o->fps && !read_number(o->fps, 1, gif ? 50 : 120, &o->rate))
        return cli_usage(&cli_film, "--fps is '%s', not a number from 1 to %d", o->fps, gif ? 50 : 120);
    if (o->frames && (!read_number(o->frames, 1, PICTURES, &frames) || frames != floor(frames)))
        return cli_usage(&cli_film, "--frames is '%s', not a whole number from 1 to %d", o->frames, PICTURES);
    if (o->at && !read_number(o->at, -1e300, 1e300, &o->time))
        return cli_usage(&cli_film, "--at is '%s', not a time", o->at);
    if (o->at && strcmp(o->format, "png") != 0)
        return cli_usage(&cli_film, "--at is for a picture (.png); a .%s shows all of the motion", o->format);
    if ((o->fps || o->frames) && strcmp(o->format, "png") == 0)
        return cli_usage(&cli_film, "%s is for a film (.mp4, .gif); a .png is one picture",
                         o->fps ? "--fps" : "--frames");
    if (strcmp(o->format, "mp4") == 0) {
        if (o->width % 2 || o->height % 2)
            return cli_usage(&cli_film, "--size is '%s': a video has even numbers of pixels", o->size);
        if (BLOCKS(o->width) * BLOCKS(o->height) > BLOCKS_MOST)
            return cli_usage(&cli_film, "--size is '%s': a video has at most as many pixels as 4096x2304", o->size);
    }
    if (o->timeout && !read_number(o->timeout, 0.1, 1e5, &o->patience))
        return cli_usage(&cli_film, "--timeout is '%s', not a number of seconds from 0.1 to 1e5", o->timeout);
    o->pictures = (int)frames;
    return EXIT_FINE;
}

static int check_options(options *o)
{
    static const char *const formats[] = { "mp4", "gif", "png" };
    if (!o->count)
        return cli_usage(&cli_film, "name a trajectory");
    const char *dot = o->output ? strrchr(o->output, '.') : ".mp4";
    for (int i = 0; i < 3; i++)
        if (dot && strcmp(dot + 1, formats[i]) == 0)
            o->format = formats[i];
    if (!o->format)
        return cli_usage(&cli_film, "'%s' ends in neither .mp4 nor .gif nor .png", o->output);
    return check_numbers(o);
}

static int parse_options(int argc, char **argv, options *o)
{
    cli_args args = { argc, 0, argv, NULL };
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        const char **value = cli_option(&args, word, "--output", true)    ? &o->output
                             : cli_option(&args, word, "-o", true)        ? &o->output
                             : cli_option(&args, word, "--size", true)    ? &o->size
                             : cli_option(&args, word, "--fps", true)     ? &o->fps
                             : cli_option(&args, word, "--frames", true)  ? &o->frames
                             : cli_option(&args, word, "--at", true)      ? &o->at
                             : cli_option(&args, word, "--timeout", true) ? &o->timeout
                                                                          : NULL;
        if (value && (!args.value || !args.value[0]))
            return cli_usage(&cli_film, "%s needs a value", word);
        if (value)
            *value = args.value;
        else if (strcmp(word, "--force") == 0)
            o->force = true;
        else if (strcmp(word, "--dark") == 0)
            o->dark = true;
        else if (word[0] == '-')
            return cli_usage(&cli_film, "unknown option '%s'", word);
        else if (o->count == LIL_REPORT_RUNS_MAX)
            return cli_usage(&cli_film, "a film shows at most %d runs: '%s' is too many", LIL_REPORT_RUNS_MAX, word);
        else
            o->inputs[o->count++] = word;
    }
    return check_options(o);
}

/* ---- the film ---- */

typedef struct job {
    const options *o;
    const char *output;
    char folder[900], page[950]; /* folder: "" if there is none */
    cli_browser browser;
    cli_output file;
    bool drawn; /* progress, on a terminal only */
} job;

static int refuse(const char *path, const char *why)
{
    fprintf(stderr, "lilyan: %s: %s\n", path, why);
    return EXIT_FAILED;
}

/* The browser has failed, or was told to. */
static int refuse_browser(job *j)
{
    if (j->drawn)
        fprintf(stderr, "\r\033[K");
    if (interrupted) {
        fprintf(stderr, "lilyan: interrupted, nothing was written\n");
        return EXIT_INTERRUPTED;
    }
    return refuse(j->o->inputs[0], j->browser.why);
}

/* Everything that would keep the film from being written is found before it is made. */
static int open_output(job *j)
{
    struct stat about;
    bool there = stat(j->output, &about) == 0;
    for (int i = 0; i < j->o->count; i++)
        if (cli_same_file(j->output, j->o->inputs[i]))
            return refuse(j->output, "the output would replace the trajectory itself");
    if (cli_is_special(j->output))
        return refuse(j->output, S_ISDIR(about.st_mode) ? "is a folder" : "is a device or a pipe");
    if (there && !j->o->force)
        return refuse(j->output, "exists already (--force replaces it)");
    return cli_output_open(&j->file, j->output, j->o->force) ? EXIT_FINE : EXIT_FAILED;
}

/* A time that the motion does not have has no picture. */
static int check_time(lil_context *ctx, const options *o, lil_trajectory **runs)
{
    double start = INFINITY, end = -INFINITY;
    for (int i = 0; i < o->count; i++) {
        lil_frame frame;
        int64_t frames = lil_trajectory_frames(runs[i]);
        for (int64_t k = 0; k<frames; k += frames> 1 ? frames - 1 : 1) {
            if (lil_trajectory_frame(runs[i], k, &frame) != LIL_OK)
                return cli_failed(ctx);
            start = fmin(start, frame.t);
            end = fmax(end, frame.t);
        }
    }
    double slack = 1e-9 * (end - start);
    if (isnan(o->time) || !(start <= end) || (o->time >= start - slack && o->time <= end + slack))
        return EXIT_FINE;
    fprintf(stderr, "lilyan: %s: --at is %s, but the motion lasts from %.6g to %.6g\n", o->inputs[0], o->at, start,
            end);
    return EXIT_FAILED;
}

static int write_page(lil_context *ctx, job *j)
{
    const char *base = getenv("TMPDIR");
    lil_trajectory *runs[LIL_REPORT_RUNS_MAX] = { NULL };
    lil_report_def def = lil_report_def_default();
    lil_status status = LIL_OK;
    snprintf(j->folder, sizeof j->folder, "%.800s/lilyan-film-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    if (!mkdtemp(j->folder)) {
        int code = refuse(j->folder, strerror(errno));
        j->folder[0] = 0;
        return code;
    }
    snprintf(j->page, sizeof j->page, "%s/page.html", j->folder);
    def.output = j->page;
    for (int i = 0; i < j->o->count && status == LIL_OK; i++)
        status = lil_trajectory_open(ctx, j->o->inputs[i], &runs[i]);
    int code = status == LIL_OK ? check_time(ctx, j->o, runs) : cli_failed(ctx);
    if (code == EXIT_FINE && lil_report(ctx, runs, j->o->count, &def) != LIL_OK)
        code = cli_failed(ctx);
    for (int i = 0; i < j->o->count; i++)
        lil_trajectory_destroy(&runs[i]);
    return code;
}

/* Has a new picture been made, or does the browser take too long for one? */
static bool goes_on(job *j, const char *state, char before[40], double *since)
{
    bool terminal = isatty(STDERR_FILENO);
    int done = 0, of = 0;
    if (strncmp(state, before, 39) != 0) {
        snprintf(before, 40, "%.39s", state);
        *since = cli_seconds();
    }
    if (terminal && sscanf(state, "%d %d", &done, &of) == 2 && of > 1) {
        fprintf(stderr, "\r\033[Kpicture %d of %d", done, of);
        j->drawn = true;
    }
    if (cli_seconds() - *since <= j->o->patience)
        return true;
    snprintf(j->browser.why, sizeof j->browser.why,
             "Chromium has made no picture for %g s (--timeout gives it longer)", j->o->patience);
    return false;
}

/* Waits until the page has made the film; its length in base64, or -1. */
static long wait_for_film(job *j)
{
    char before[40] = "";
    double since = cli_seconds();
    while (!interrupted) {
        const char *state = cli_browser_evaluate(&j->browser, "window.lilyan ? lilyan.remote.state() : 'loads'");
        if (!state)
            return -1;
        if (strncmp(state, "done ", 5) == 0)
            return atol(state + 5);
        if (strncmp(state, "failed ", 7) == 0) {
            char why[300];
            snprintf(why, sizeof why, "%s", state + 7);
            snprintf(j->browser.why, sizeof j->browser.why, "%s", why);
            return -1;
        }
        if (!goes_on(j, state, before, &since))
            return -1;
        cli_wait(0.05);
    }
    return -1;
}

static bool begin(job *j)
{
    const options *o = j->o;
    char call[300], before[40] = "", rate[40] = "undefined", pictures[20] = "undefined",
                    time[60] = "(2 * lilyan.clock.start + lilyan.clock.end) / 3";
    double since = cli_seconds();
    if (!isnan(o->rate))
        snprintf(rate, sizeof rate, "%.17g", o->rate);
    if (!isnan(o->time))
        snprintf(time, sizeof time, "%.17g", o->time);
    if (o->pictures)
        snprintf(pictures, sizeof pictures, "%d", o->pictures);
    for (;;) {
        const char *there = cli_browser_evaluate(&j->browser, "window.lilyan && lilyan.firstPicture ? 'yes' : 'no'");
        if (!there || !goes_on(j, there, before, &since))
            return false;
        if (strcmp(there, "yes") == 0)
            break;
        cli_wait(0.05);
    }
    snprintf(call, sizeof call, "lilyan.remote.begin('%s', { fps: %s, frames: %s, time: %s }), ''", o->format, rate,
             pictures, time);
    return cli_browser_evaluate(&j->browser, call) != NULL;
}

/* Base64 that was cut at a multiple of four characters. */
static bool write_base64(FILE *file, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; text[0] && text[1] && text[2] && text[3]; text += 4) {
        unsigned long bits = 0;
        int bytes = text[2] == '=' ? 1 : text[3] == '=' ? 2 : 3;
        for (int i = 0; i < 4; i++) {
            const char *digit = strchr(digits, text[i]);
            bits = bits << 6 | (digit ? (unsigned long)(digit - digits) : 0);
        }
        for (int i = 0; i < bytes; i++)
            if (putc((int)(bits >> (16 - 8 * i) & 255), file) == EOF)
                return false;
    }
    return true;
}

static int fetch(job *j, long length)
{
    char call[120];
    for (long at = 0; at < length; at += PART) {
        snprintf(call, sizeof call, "lilyan.remote.part(%ld, %ld)", at, at + PART);
        const char *text = cli_browser_evaluate(&j->browser, call);
        if (!text)
            return refuse_browser(j);
        if (!write_base64(j->file.file, text))
            return refuse(j->output, strerror(errno));
    }
    return cli_output_name(&j->file) ? EXIT_FINE : EXIT_FAILED;
}

static int make(lil_context *ctx, job *j)
{
    int code = open_output(j);
    if (code == EXIT_FINE)
        code = write_page(ctx, j);
    if (code != EXIT_FINE)
        return code;
    j->browser = (cli_browser){ .folder = j->folder, .patience = j->o->patience, .stop = &interrupted };
    if (!cli_browser_open(&j->browser, j->o->width, j->o->height, j->o->dark) ||
        !cli_browser_show(&j->browser, j->page) || !begin(j))
        return refuse_browser(j);
    long length = wait_for_film(j);
    if (length < 0)
        return refuse_browser(j);
    if (j->drawn)
        fprintf(stderr, "\r\033[K");
    code = fetch(j, length);
    if (code == EXIT_FINE)
        printf("wrote %s\n", j->output);
    return code;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

/* Processes that were killed may still end while their files are removed. */
static void clean(job *j)
{
    cli_browser_close(&j->browser);
    cli_output_end(&j->file);
    for (int i = 0; i < 40 && j->folder[0] && nftw(j->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0; i++)
        cli_wait(0.05);
}

/* OUT.mp4 beside the first trajectory, to be freed. */
static char *default_output(const char *input)
{
    size_t length = strlen(input), stem = length > 3 && strcmp(input + length - 3, ".h5") == 0 ? length - 3 : length;
    char *path = malloc(stem + sizeof ".mp4");
    if (path)
        snprintf(path, stem + sizeof ".mp4", "%.*s.mp4", (int)stem, input);
    return path;
}

static int film(lil_context *ctx, int argc, char **argv)
{
    options o = { 0 };
    struct sigaction action = { .sa_handler = on_signal }, ignored = { .sa_handler = SIG_IGN }, before;
    int code = parse_options(argc, argv, &o);
    if (code != EXIT_FINE)
        return code;
    char *path = o.output ? NULL : default_output(o.inputs[0]);
    job *j = calloc(1, sizeof *j);
    const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    for (int i = 0; i < 3; i++) {
        sigaction(ends[i], &action, &before);
        if (before.sa_handler == SIG_IGN) /* nohup */
            sigaction(ends[i], &before, NULL);
    }
    sigaction(SIGPIPE, &ignored, NULL); /* a browser that has gone is noticed where it is written to */
    if (j && (path || o.output)) {
        j->o = &o;
        j->output = o.output ? o.output : path;
        code = make(ctx, j);
        clean(j);
    } else
        code = cli_no_memory();
    free(j);
    free(path);
    return code;
}

const cli_command cli_film = { "film", "write a video, a GIF or a picture of the motion", help, film, NULL };
