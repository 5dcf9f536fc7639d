/* lilyan report: a page to look at. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "  lilyan report OUT.h5 ... [-o PAGE.html] [--title TEXT] [--force]\n"
                           "\n"
                           "Writes one HTML file that needs no server and no network: the motion in 3-D to rotate, "
                           "play and step through, plots\n"
                           "linked to its time, and the certificate in words. Several runs are overlaid, one colour "
                           "each. A page leaves out\n"
                           "frames to stay below 25 MB, and says so.\n"
                           "\n"
                           "  -o, --output FILE   output file (default: OUT.html beside the first trajectory)\n"
                           "  --title TEXT        its title (default: the trajectories' names)\n"
                           "  --force             replace an existing output\n"
                           "\n"
                           "  lilyan report scenes/hanging-jelly.h5\n"
                           "  lilyan report scenes/pendulum.*.h5 -o fig1.html\n";

typedef struct options {
    const char *inputs[LIL_REPORT_RUNS_MAX];
    int count;
    const char *output, *title;
    bool force;
} options;

static int parse_options(int argc, char **argv, options *o)
{
    cli_args args = { argc, 0, argv, NULL };
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        const char **value = cli_option(&args, word, "--title", true)    ? &o->title
                             : cli_option(&args, word, "--output", true) ? &o->output
                             : cli_option(&args, word, "-o", true)       ? &o->output
                                                                         : NULL;
        if (value && (!args.value || !args.value[0]))
            return cli_usage(&cli_report, "%s needs a value", word);
        if (value)
            *value = args.value;
        else if (strcmp(word, "--force") == 0)
            o->force = true;
        else if (word[0] == '-')
            return cli_usage(&cli_report, "unknown option '%s'", word);
        else if (o->count == LIL_REPORT_RUNS_MAX)
            return cli_usage(&cli_report, "a page shows at most %d runs: '%s' is too many", LIL_REPORT_RUNS_MAX,
                             word);
        else
            o->inputs[o->count++] = word;
    }
    return o->count ? EXIT_FINE : cli_usage(&cli_report, "name a trajectory");
}

/* OUT.html beside the first trajectory, to be freed. */
static char *default_output(const char *input)
{
    size_t room = strlen(input) + sizeof ".html";
    char *path = malloc(room);
    if (!path)
        return NULL;
    snprintf(path, room, "%s", input);
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".h5") == 0)
        path[length - 3] = 0;
    strcat(path, ".html");
    return path;
}

static int write_page(lil_context *ctx, const options *o, const char *output)
{
    lil_trajectory *runs[LIL_REPORT_RUNS_MAX] = { NULL };
    lil_report_def def = lil_report_def_default();
    lil_status status = LIL_OK;
    def.output = output;
    def.replace = o->force;
    def.title = o->title;
    for (int i = 0; i < o->count && status == LIL_OK; i++)
        status = lil_trajectory_open(ctx, o->inputs[i], &runs[i]);
    if (status == LIL_OK)
        status = lil_report(ctx, runs, o->count, &def);
    for (int i = 0; i < o->count; i++)
        lil_trajectory_destroy(&runs[i]);
    if (status != LIL_OK)
        return cli_refused(ctx, status);
    printf("wrote %s\n", output);
    return EXIT_FINE;
}

static int report(lil_context *ctx, int argc, char **argv)
{
    options o = { 0 };
    int code = parse_options(argc, argv, &o);
    if (code != EXIT_FINE)
        return code;
    char *path = o.output ? NULL : default_output(o.inputs[0]);
    const char *output = o.output ? o.output : path;
    if (!output)
        return cli_no_memory();
    for (int i = 0; i < o.count && code == EXIT_FINE; i++)
        if (cli_same_file(output, o.inputs[i])) {
            fprintf(stderr, "lilyan: %s: the output would replace the trajectory itself\n", output);
            code = EXIT_FAILED;
        }
    if (code == EXIT_FINE)
        code = write_page(ctx, &o, output);
    free(path);
    return code;
}

const cli_command cli_report = { "report", "write an HTML page: the motion in 3-D, plots, the certificate", help,
                                 report, NULL };
