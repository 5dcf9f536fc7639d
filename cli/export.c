/* lilyan export: a trajectory in other programs' formats. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "  lilyan export OUT.h5 --to csv [-o FILE] [--force]\n\n"
    "  --to csv            comma-separated values, one row a frame: t, coordinates, velocities (dX), momenta (p_X),\n"
    "                      energy, potential, observables, drawn points; 17 digits\n"
    "  -o, --output FILE   where it goes (default: OUT.csv beside it; - is standard output)\n"
    "  --force             replace an output that exists\n\n"
    "  lilyan export scenes/pendulum.h5 --to csv -o - | head\n";

typedef struct options {
    const char *input, *format, *output;
    bool force;
} options;

static int parse_options(int argc, char **argv, options *o)
{
    cli_args args = { argc, 0, argv, NULL };
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        const char **value = cli_option(&args, word, "--to", true)       ? &o->format
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
    if (!o->input)
        return cli_usage(&cli_export, "which trajectory?");
    if (!o->format)
        return cli_usage(&cli_export, "--to is missing, as in --to csv");
    if (strcmp(o->format, "csv") != 0)
        return cli_usage(&cli_export, "unknown format '%s': there is csv", o->format);
    return EXIT_FINE;
}

static int export(lil_context *ctx, int argc, char **argv)
{
    options o = { 0 };
    int code = parse_options(argc, argv, &o);
    if (code != EXIT_FINE)
        return code;
    size_t room = strlen(o.input) + 8;
    char *path = malloc(room);
    lil_trajectory *trajectory = NULL;
    if (!path)
        return EXIT_FAILED;
    snprintf(path, room, "%s", o.input);
    char *dot = strrchr(path, '.');
    snprintf(dot && strcmp(dot, ".h5") == 0 ? dot : path + strlen(path), 5, ".csv");
    bool to_stdout = o.output && strcmp(o.output, "-") == 0;
    const char *output = o.output ? o.output : path;
    if (!to_stdout && cli_same_file(output, o.input)) {
        fprintf(stderr, "lilyan: %s: the output would replace the trajectory itself\n", output);
        free(path);
        return EXIT_FAILED;
    }
    if (lil_trajectory_open(ctx, o.input, &trajectory) != LIL_OK ||
        (to_stdout ? lil_trajectory_write_csv(trajectory, stdout)
                   : lil_trajectory_export_csv(trajectory, output, o.force)) != LIL_OK)
        code = cli_failed(ctx);
    else if (!to_stdout)
        printf("wrote %s\n", output);
    lil_trajectory_destroy(&trajectory);
    free(path);
    return code;
}

const cli_command cli_export = { "export", "a trajectory in other programs' formats", help, export };
