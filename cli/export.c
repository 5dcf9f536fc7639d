/* lilyan export: a trajectory in other programs' formats. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "  lilyan export OUT.h5 --to FORMAT [--fps N] [-o PATH] [--force]\n"
    "\n"
    "  --to FORMAT         one of the formats below\n"
    "  --fps N             resample to N frames per second, with cubics (default: the recorded frames)\n"
    "  -o, --output PATH   the file or folder (default: OUT.csv, or the folder OUT, beside OUT.h5; - is standard\n"
    "                      output). Other files in an existing folder are kept\n"
    "  --force             replace existing files\n"
    "\n";

static void print_formats(void)
{
    lil_export_info info;
    for (int i = 0; lil_export_entry(i, &info); i++) {
        printf("  %-19s ", info.name);
        for (const char *c = info.doc; *c; c++)
            if (*c == '\n')
                printf("\n%22s", "");
            else
                putchar(*c);
        printf("\n");
    }
    printf("\n  lilyan export scenes/pendulum.h5 --to csv -o - | head\n"
           "  lilyan export jelly.h5 --to mdd --fps 24 && blender -P jelly/jelly_blender.py\n"
           "  lilyan export jelly.h5 --to vtu && paraview jelly/jelly.pvd\n");
}

typedef struct options {
    const char *input, *output;
    lil_export_info format;
    double fps;
    bool force;
} options;

static bool find_format(const char *name, lil_export_info *info)
{
    for (int i = 0; lil_export_entry(i, info); i++)
        if (strcmp(info->name, name) == 0)
            return true;
    return false;
}

static int unknown_format(const char *name)
{
    lil_export_info info;
    char all[200] = "";
    for (int i = 0; lil_export_entry(i, &info); i++) {
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", info.name);
    }
    return name ? cli_usage(&cli_export, "unknown format '%s': the formats are %s", name, all)
                : cli_usage(&cli_export, "--to is missing: the formats are %s", all);
}

static int check_options(options *o, const char *format, const char *fps)
{
    char *end = NULL;
    if (!o->input)
        return cli_usage(&cli_export, "name a trajectory");
    if (!format || !find_format(format, &o->format))
        return unknown_format(format);
    if (fps) {
        o->fps = strtod(fps, &end);
        if (end == fps || *end || !(o->fps >= 1e-6 && o->fps <= 1e6))
            return cli_usage(&cli_export, "--fps is '%s', not a number from 1e-6 to 1e6", fps);
    }
    if (o->format.folder && o->output && strcmp(o->output, "-") == 0)
        return cli_usage(&cli_export, "%s is a folder of files, and cannot go to standard output", format);
    return EXIT_FINE;
}

static int parse_options(int argc, char **argv, options *o)
{
    cli_args args = { argc, 0, argv, NULL };
    const char *format = NULL, *fps = NULL;
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        const char **value = cli_option(&args, word, "--to", true)       ? &format
                             : cli_option(&args, word, "--fps", true)    ? &fps
                             : cli_option(&args, word, "--output", true) ? &o->output
                             : cli_option(&args, word, "-o", true)       ? &o->output
                                                                         : NULL;
        if (value && (!args.value || !args.value[0]))
            return cli_usage(&cli_export, "%s needs a value", word);
        if (value)
            *value = args.value;
        else if (strcmp(word, "--force") == 0)
            o->force = true;
        else if (word[0] == '-')
            return cli_usage(&cli_export, "unknown option '%s'", word);
        else if (o->input)
            return cli_usage(&cli_export, "one trajectory at a time: '%s' is too many", word);
        else
            o->input = word;
    }
    return check_options(o, format, fps);
}

/* ---- progress, on a terminal only ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

typedef struct progress {
    bool terminal, drawn;
    double started, shown;
} progress;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool show_progress(void *user, double done)
{
    progress *p = user;
    double now = p->terminal ? seconds() : 0;
    if (p->terminal && now - p->started > 0.5 && now - p->shown > 0.1) {
        double left = done > 0 ? (now - p->started) * (1 - done) / done : 0;
        fprintf(stderr, "\r\033[K%3.0f %%  %.0f s left", 100 * done, left);
        p->shown = now;
        p->drawn = true;
    }
    return !interrupted;
}

/* ---- export ---- */

/* OUT.csv or OUT beside OUT.h5; to be freed. */
static char *default_path(const options *o)
{
    size_t length = strlen(o->input), room = length + strlen(o->format.name) + 2;
    char *path = malloc(room);
    bool ends = length > 3 && strcmp(o->input + length - 3, ".h5") == 0 && o->input[length - 4] != '/';
    bool bare = ends && o->format.folder;
    if (path)
        snprintf(path, room, "%.*s%s%s", (int)(ends ? length - 3 : length), o->input, bare ? "" : ".",
                 bare ? "" : o->format.name);
    return path;
}

static int write_all(lil_context *ctx, const options *o, const char *path)
{
    lil_trajectory *trajectory = NULL;
    progress p = { .terminal = isatty(STDERR_FILENO), .started = seconds() };
    bool to_stdout = strcmp(path, "-") == 0;
    lil_export_def def = lil_export_def_default();
    def.format = o->format.name;
    def.path = path;
    def.fps = o->fps;
    def.replace = o->force;
    def.progress = show_progress;
    def.user = &p;
    lil_status status = lil_trajectory_open(ctx, o->input, &trajectory);
    if (status == LIL_OK)
        status = to_stdout ? lil_trajectory_write_csv(trajectory, o->fps, stdout)
                           : lil_trajectory_export(trajectory, &def);
    if (p.drawn)
        fprintf(stderr, "\r\033[K");
    lil_trajectory_destroy(&trajectory);
    if (status != LIL_OK) {
        cli_refused(ctx, status);
        return status == LIL_ERR_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
    if (!to_stdout)
        printf("wrote %s\n", path);
    return EXIT_FINE;
}

static int export(lil_context *ctx, int argc, char **argv)
{
    options o = { 0 };
    int code = parse_options(argc, argv, &o);
    if (code != EXIT_FINE)
        return code;
    char *path = default_path(&o);
    if (!path)
        return cli_no_memory();
    if (!(o.output && strcmp(o.output, "-") == 0)) { /* an interrupted export leaves nothing */
        struct sigaction action = { .sa_handler = on_signal };
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
    }
    code = write_all(ctx, &o, o.output ? o.output : path);
    free(path);
    return code;
}

const cli_command cli_export = { "export", "convert a trajectory for other programs", help, export, print_formats };
