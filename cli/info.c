/* lilyan info: check and describe a scene or a trajectory. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] = "  lilyan info FILE\n\n"
                           "A scene: is it right, what will it do? Its variants are checked too.\n"
                           "A trajectory (.h5): what is in it, and its certificate.\n\n"
                           "  lilyan info scenes/pendulum.yaml\n"
                           "  lilyan info scenes/pendulum.h5\n";

static bool is_hdf5(const char *path)
{
    static const unsigned char signature[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
    unsigned char start[8];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) /* what a pipe gives once is for the scene's reader */
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
    if (variant)
        printf("variant      %s: %s\n", variant, lil_run_integrator(run));
    else
        printf("%s", lil_run_describe(run));
    lil_run_destroy(&run);
    return EXIT_FINE;
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

static int info(lil_context *ctx, int argc, char **argv)
{
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            return cli_usage(&cli_info, "unknown option '%s'", argv[i]);
        if (path)
            return cli_usage(&cli_info, "one file at a time: '%s' is too many", argv[i]);
        path = argv[i];
    }
    if (!path)
        return cli_usage(&cli_info, "which file?");
    size_t length = strlen(path);
    bool named = length > 3 && strcmp(path + length - 3, ".h5") == 0;
    return is_hdf5(path) || named ? describe_trajectory(ctx, path) : describe_scene(ctx, path);
}

const cli_command cli_info = { "info", "check and describe a scene or a trajectory", help, info };
