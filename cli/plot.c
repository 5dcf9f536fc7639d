/* lilyan plot: figures of trajectories. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "  lilyan plot OUT.h5 ... [--what WHAT] [-o FIGURE.svg] [--force]\n"
    "\n"
    "  --what energy       (default) one run: total, kinetic, potential (bodies: elastic, and the rest) and\n"
    "                      dissipated energy; several runs: the total of each\n"
    "  --what momentum     change of linear and angular momentum of bodies since the start, relative to the\n"
    "                      largest sum of all |p| and |q - c||p|, as in the certificate; zeros are drawn on the\n"
    "                      lower edge\n"
    "  --what phase        momentum against position of one coordinate; with a loop, the loop at several times\n"
    "  --what area         the area of a loop in phase space\n"
    "  --what levels       shot: a coordinate after each level\n"
    "  --what relaxation   shot: a coordinate during the half-sweeps of a level\n"
    "  --what cost         shot: its cost by iteration\n"
    "  --what NAME         any recorded quantity over time: theta, dtheta, p_theta, rod.0.x, an observable, bob.x,\n"
    "                      step, iterations ...; bob and linear_momentum have three components\n"
    "  --what A,B          several, one panel above the other\n"
    "  --coordinate NAME   the coordinate of the phase portrait (default: the first)\n"
    "  -o, --output FILE   output file (default: OUT.WHAT.svg beside the first; - is standard output)\n"
    "  --force             replace an existing output\n"
    "\n"
    "Figures are SVG, 8.9 cm wide: one column of a paper.\n"
    "\n"
    "  lilyan run scenes/pendulum.yaml --variants --until 20\n"
    "  lilyan plot scenes/pendulum.*.h5 -o fig1.svg\n"
    "  lilyan plot scenes/elastic-rod.h5 --what energy,momentum\n";

typedef struct options {
    const char **inputs;
    int count;
    lil_plot_def def;
} options;

static int parse_options(int argc, char **argv, options *o)
{
    cli_args args = { argc, 0, argv, NULL };
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        const char **value = cli_option(&args, word, "--what", true)         ? &o->def.what
                             : cli_option(&args, word, "--coordinate", true) ? &o->def.coordinate
                             : cli_option(&args, word, "--output", true)     ? &o->def.path
                             : cli_option(&args, word, "-o", true)           ? &o->def.path
                                                                             : NULL;
        if (value && (!args.value || !args.value[0]))
            return cli_usage(&cli_plot, "%s needs a value", word);
        if (value)
            *value = args.value;
        else if (strcmp(word, "--force") == 0)
            o->def.replace = true;
        else if (word[0] == '-')
            return cli_usage(&cli_plot, "unknown option '%s'", word);
        else
            o->inputs[o->count++] = word;
    }
    return o->count ? EXIT_FINE : cli_usage(&cli_plot, "name a trajectory");
}

/* OUT.h5 -> OUT.WHAT.svg */
static char *default_path(const options *o)
{
    size_t room = strlen(o->inputs[0]) + strlen(o->def.what) + 8, length = strlen(o->inputs[0]);
    char *path = malloc(room);
    if (length > 3 && strcmp(o->inputs[0] + length - 3, ".h5") == 0)
        length -= 3;
    if (!path)
        return NULL;
    snprintf(path, room, "%.*s.%s.svg", (int)length, o->inputs[0], o->def.what);
    for (char *c = path + length; *c; c++) /* observe/L, "a,b" */
        if (*c == '/' || *c == ',')
            *c = '-';
    return path;
}

static int draw(lil_context *ctx, lil_trajectory *const *runs, options *o)
{
    char *path = NULL, *svg = NULL;
    int code = EXIT_FINE;
    if (o->def.path && strcmp(o->def.path, "-") == 0) {
        if (lil_plot_svg(ctx, runs, o->count, &o->def, &svg) != LIL_OK)
            return cli_failed(ctx);
        fputs(svg, stdout);
        lil_free(svg);
        return EXIT_FINE;
    }
    if (!o->def.path && !(o->def.path = path = default_path(o)))
        return cli_no_memory();
    lil_status status = lil_plot(ctx, runs, o->count, &o->def);
    if (status != LIL_OK)
        code = cli_refused(ctx, status);
    else
        printf("wrote %s\n", o->def.path);
    free(path);
    return code;
}

static int plot(lil_context *ctx, int argc, char **argv)
{
    options o = { .inputs = calloc((size_t)argc, sizeof *o.inputs), .def = lil_plot_def_default() };
    lil_trajectory **runs = calloc((size_t)argc, sizeof *runs);
    int code = o.inputs && runs ? parse_options(argc, argv, &o) : cli_no_memory();
    for (int i = 0; code == EXIT_FINE && i < o.count; i++)
        if (lil_trajectory_open(ctx, o.inputs[i], &runs[i]) != LIL_OK)
            code = cli_failed(ctx);
    if (code == EXIT_FINE)
        code = draw(ctx, runs, &o);
    for (int i = 0; runs && i < o.count; i++)
        lil_trajectory_destroy(&runs[i]);
    free(runs);
    free(o.inputs);
    return code;
}

const cli_command cli_plot = { "plot", "plot trajectories: energy, momenta, phase portraits", help, plot, NULL };
