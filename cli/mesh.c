/* lilyan mesh: tets that fill a surface. */
#include "cli.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "  lilyan mesh SURFACE -o MESH --vertices N [--thickness T] [--quadratic] [--force]\n"
                           "  lilyan mesh SURFACE -o MESH --edge LENGTH [--thickness T] [--quadratic] [--force]\n"
                           "\n"
                           "Fills a surface (.obj, .stl, .ply) with tets (.msh, .mesh, .vtk). The surface may have "
                           "holes, several shells, and\n"
                           "faces that intersect, are doubled or have the wrong orientation: a point is inside if "
                           "its winding number exceeds 1/2.\n"
                           "'lilyan info SURFACE' lists the faults of a surface.\n"
                           "\n"
                           "  -o, --output MESH   the file (default: SURFACE with the ending .msh)\n"
                           "  --vertices N        number of vertices, met within 5 %\n"
                           "  --edge LENGTH       approximate length of edges, m\n"
                           "  --thickness T       fill everything within T/2 of the surface, m, instead of its "
                           "inside: for sheets and other\n"
                           "                      surfaces that enclose no volume\n"
                           "  --quadratic         tets with 10 nodes: one more on each edge\n"
                           "  --threads N         number of threads (default: all processors)\n"
                           "  --force             replace an existing file\n"
                           "\n"
                           "  lilyan mesh bunny.obj --vertices 12600\n"
                           "  lilyan mesh leaf.ply -o leaf.msh --edge 0.002 --thickness 0.004\n";

typedef struct options {
    lil_mesh_def def;
    int threads;
} options;

/* ---- the call ---- */

static bool read_number(const char *text, double least, double most, double *x)
{
    char *end;
    *x = strtod(text, &end);
    return end != text && !*end && *x >= least && *x <= most;
}

static bool read_whole(const char *text, int least, int *i)
{
    double x;
    bool ok = read_number(text, least, INT_MAX, &x) && x == floor(x);
    *i = ok ? (int)x : 0;
    return ok;
}

static int check_values(options *o, const char *vertices, const char *edge, const char *thickness,
                        const char *threads)
{
    if (!o->def.surface)
        return cli_usage(&cli_mesh, "which surface?");
    if ((vertices != NULL) == (edge != NULL))
        return cli_usage(&cli_mesh, "give either --vertices or --edge, which set the size of the tets");
    if (vertices && !read_whole(vertices, 1, &o->def.vertices))
        return cli_usage(&cli_mesh, "--vertices is '%s', not a whole number of at least 1", vertices);
    if (edge && !read_number(edge, 1e-30, 1e30, &o->def.edge))
        return cli_usage(&cli_mesh, "--edge is '%s', not a positive length", edge);
    if (thickness && !read_number(thickness, 1e-30, 1e30, &o->def.thickness))
        return cli_usage(&cli_mesh, "--thickness is '%s', not a positive length", thickness);
    if (threads && !read_whole(threads, 1, &o->threads))
        return cli_usage(&cli_mesh, "--threads is '%s', not a whole number of at least 1", threads);
    return EXIT_FINE;
}

static int parse_options(int argc, char **argv, options *o)
{
    cli_args args = { argc, 0, argv, NULL };
    const char *vertices = NULL, *edge = NULL, *thickness = NULL, *threads = NULL;
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        const char **value = cli_option(&args, word, "--vertices", true)    ? &vertices
                             : cli_option(&args, word, "--edge", true)      ? &edge
                             : cli_option(&args, word, "--thickness", true) ? &thickness
                             : cli_option(&args, word, "--threads", true)   ? &threads
                             : cli_option(&args, word, "--output", true)    ? &o->def.path
                             : cli_option(&args, word, "-o", true)          ? &o->def.path
                                                                            : NULL;
        if (value && (!args.value || !args.value[0]))
            return cli_usage(&cli_mesh, "%s needs a value", word);
        if (value)
            *value = args.value;
        else if (strcmp(word, "--force") == 0)
            o->def.replace = true;
        else if (strcmp(word, "--quadratic") == 0)
            o->def.elements = LIL_ELEMENTS_QUADRATIC;
        else if (word[0] == '-')
            return cli_usage(&cli_mesh, "unknown option '%s'", word);
        else if (o->def.surface)
            return cli_usage(&cli_mesh, "one surface at a time: '%s' is too many", word);
        else
            o->def.surface = word;
    }
    return check_values(o, vertices, edge, thickness, threads);
}

/* bunny.msh beside bunny.obj; to be freed. */
static char *default_path(const char *surface)
{
    const char *dot = strrchr(surface, '.');
    size_t stem = dot && lil_surface_is_named(surface) ? (size_t)(dot - surface) : strlen(surface);
    char *path = malloc(stem + sizeof ".msh");
    if (path) {
        memcpy(path, surface, stem);
        memcpy(path + stem, ".msh", sizeof ".msh");
    }
    return path;
}

/* ---- doing it ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

typedef struct progress {
    bool terminal, drawn;
    int shown; /* percent */
} progress;

static bool show_progress(void *user, double done)
{
    progress *p = user;
    int percent = (int)(100 * done);
    if (p->terminal && percent > p->shown) {
        fprintf(stderr, "\r\033[K%3d %%", percent);
        p->shown = percent;
        p->drawn = true;
    }
    return !interrupted;
}

/* on a line of its own */
static void warn(void *user, const char *sentence)
{
    progress *p = user;
    fprintf(stderr, "%slilyan: warning: %s\n", p->drawn ? "\r\033[K" : "", sentence);
    p->drawn = false;
}

static int make(lil_context *ctx, options *o)
{
    progress p = { .terminal = isatty(STDERR_FILENO), .shown = -1 };
    char *text = NULL;
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    lil_context_set_log(ctx, warn, &p);
    o->def.progress = show_progress;
    o->def.user = &p;
    if (o->threads && lil_context_set_threads(ctx, o->threads) != LIL_OK)
        return cli_failed(ctx);
    lil_status status = lil_surface_mesh(ctx, &o->def, &text);
    if (p.drawn)
        fprintf(stderr, "\r\033[K");
    if (status != LIL_OK) {
        cli_refused(ctx, status);
        return status == LIL_ERR_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
    printf("%s", text);
    lil_free(text);
    return EXIT_FINE;
}

static int mesh(lil_context *ctx, int argc, char **argv)
{
    options o = { .def = lil_mesh_def_default() };
    int code = parse_options(argc, argv, &o);
    if (code != EXIT_FINE)
        return code;
    char *path = default_path(o.def.surface);
    if (!path)
        return cli_no_memory();
    o.def.path = o.def.path ? o.def.path : path;
    code = make(ctx, &o);
    free(path);
    return code;
}

const cli_command cli_mesh = { "mesh", "fill a surface with tets", help, mesh, NULL };
