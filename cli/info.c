/* lilyan info: check and describe a scene, a trajectory, a mesh or a surface. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "  lilyan info FILE ...\n"
    "\n"
    "A scene: checks it and its variants, and describes what it will do.\n"
    "A trajectory (.h5): its contents and its certificate. Several trajectories: a table.\n"
    "A mesh (.msh, .node or .ele, .mesh, .vtk): size, quality, groups and faults; the exit code is 1 if it\n"
    "has faults.\n"
    "A surface (.obj, .stl, .ply): size, shells, enclosed volume and faults; the exit code is 1 if it encloses\n"
    "no volume that 'lilyan mesh' could fill.\n"
    "\n"
    "  lilyan info scenes/pendulum.yaml\n"
    "  lilyan info scenes/pendulum.h5\n"
    "  lilyan info scenes/pendulum.*.h5\n"
    "  lilyan info bar.msh\n"
    "  lilyan info bunny.obj\n";

static bool is_hdf5(const char *path)
{
    static const unsigned char signature[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
    unsigned char start[8];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) /* a pipe can be read only once, by the scene's reader */
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool same = fread(start, 1, sizeof start, file) == sizeof start && !memcmp(start, signature, sizeof start);
    fclose(file);
    return same;
}

static int describe_trajectory(lil_context *ctx, const char *path)
{
    lil_trajectory *trajectory = NULL;
    if (lil_trajectory_open(ctx, path, &trajectory) != LIL_OK)
        return cli_failed(ctx);
    const char *text = lil_trajectory_describe(trajectory);
    if (text)
        printf("%s", text);
    lil_trajectory_destroy(&trajectory);
    return text ? EXIT_FINE : cli_failed(ctx);
}

static int describe_run(lil_context *ctx, const lil_scene *scene, const char *variant)
{
    lil_run_def def = lil_run_def_default();
    lil_run *run = NULL;
    def.variant = variant;
    if (lil_run_create(ctx, scene, &def, &run) != LIL_OK)
        return cli_failed(ctx);
    const char *text = variant ? "" : lil_run_describe(run);
    if (variant)
        printf("variant      %s: %s\n", variant, lil_run_integrator(run));
    else if (text)
        printf("%s", text);
    lil_run_destroy(&run);
    return text ? EXIT_FINE : cli_no_memory();
}

static int describe_scene(lil_context *ctx, const char *path)
{
    lil_scene *scene = NULL;
    if (lil_scene_load(ctx, path, &scene) != LIL_OK)
        return cli_failed(ctx);
    int code = describe_run(ctx, scene, NULL);
    for (int i = 0; i < lil_scene_variant_count(scene) && code == EXIT_FINE; i++)
        code = describe_run(ctx, scene, lil_scene_variant(scene, i));
    lil_scene_destroy(&scene);
    return code;
}

static int describe_mesh(lil_context *ctx, const char *path)
{
    char *text = NULL;
    int faults;
    if (lil_mesh_report(ctx, path, &text, &faults) != LIL_OK)
        return cli_failed(ctx);
    printf("%s", text);
    lil_free(text);
    return faults ? EXIT_FAILED : EXIT_FINE;
}

static int describe_surface(lil_context *ctx, const char *path)
{
    char *text = NULL;
    bool encloses;
    if (lil_surface_report(ctx, path, &text, &encloses) != LIL_OK)
        return cli_failed(ctx);
    printf("%s", text);
    if (!encloses)
        printf("             (lilyan mesh --thickness T fills everything within T/2 of it)\n");
    lil_free(text);
    return encloses ? EXIT_FINE : EXIT_FAILED;
}

static int compare(lil_context *ctx, char **paths, int count)
{
    int code = EXIT_FINE;
    cli_table *table = NULL;
    for (int i = 0; i < count; i++) {
        lil_trajectory *trajectory = NULL;
        if (lil_trajectory_open(ctx, paths[i], &trajectory) != LIL_OK) {
            code = cli_failed(ctx);
            continue;
        }
        const char *slash = strrchr(paths[i], '/'), *variant = lil_trajectory_variant(trajectory);
        bool complete = strcmp(lil_trajectory_status(trajectory), "complete") == 0;
        cli_row row = { .name = variant[0] ? variant
                                : slash    ? slash + 1
                                           : paths[i],
                        .method = lil_trajectory_integrator(trajectory),
                        .ended = complete ? "complete" : "early",
                        .steps = NAN,
                        .seconds = NAN,
                        .cost = NAN,
                        .iterations = NAN,
                        .certificate = lil_trajectory_certificate(trajectory) };
        if (!cli_table_add(&table, &row))
            code = cli_no_memory();
        lil_trajectory_destroy(&trajectory);
    }
    cli_table_print(&table);
    return code;
}

static int info(lil_context *ctx, int argc, char **argv)
{
    bool trajectories = true;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            return cli_usage(&cli_info, "unknown option '%s'", argv[i]);
        size_t length = strlen(argv[i]);
        bool named = length > 3 && strcmp(argv[i] + length - 3, ".h5") == 0;
        trajectories = trajectories && (named || is_hdf5(argv[i]));
    }
    if (argc < 2)
        return cli_usage(&cli_info, "which file?");
    if (argc == 2 && lil_mesh_is_named(argv[1]))
        return describe_mesh(ctx, argv[1]);
    if (argc == 2 && lil_surface_is_named(argv[1]))
        return describe_surface(ctx, argv[1]);
    if (argc == 2)
        return trajectories ? describe_trajectory(ctx, argv[1]) : describe_scene(ctx, argv[1]);
    if (!trajectories)
        return cli_usage(&cli_info, "several files must all be trajectories");
    return compare(ctx, argv + 1, argc - 1);
}

const cli_command cli_info = { "info", "check and describe a scene, a trajectory, a mesh or a surface", help, info,
                               NULL };
