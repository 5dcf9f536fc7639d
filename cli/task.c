#include "task.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_own(cli_args *args, const char *word, const char *const *own)
{
    for (; *own; own++)
        if (cli_option(args, word, *own, true))
            return true;
    return false;
}

static const char **place_of(task_options *o, const char *word)
{
    static const struct {
        const char *name;
        size_t offset;
    } places[] = {
        { "--output", offsetof(task_options, output) },   { "-o", offsetof(task_options, output) },
        { "--variant", offsetof(task_options, variant) }, { "--threads", offsetof(task_options, threads) },
        { "--time", offsetof(task_options, time) },       { "--steps", offsetof(task_options, steps) },
        { "--count", offsetof(task_options, count) },     { "-n", offsetof(task_options, count) },
        { "--at", offsetof(task_options, at) },           { "--csv", offsetof(task_options, csv) },
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        size_t length = strlen(places[i].name);
        if (strncmp(word, places[i].name, length) == 0 && (word[length] == 0 || word[length] == '='))
            return (const char **)(void *)((char *)o + places[i].offset);
    }
    return NULL;
}

int task_parse(int argc, char **argv, const char *const *own, task_options *o)
{
    static const char *const common[] = { "--output", "-o", "--variant", "--threads", "--set", NULL };
    cli_args args = { argc, 0, argv, NULL };
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        if (is_own(&args, word, common) || is_own(&args, word, own)) {
            const char **place = place_of(o, word);
            if (!args.value || !args.value[0])
                return cli_usage(o->command, "%s needs a value", word);
            if (place)
                *place = args.value;
        } else if (strcmp(word, "--force") == 0) {
            o->force = true;
        } else if (strcmp(word, "--json") == 0) {
            o->json = true;
        } else if (strcmp(word, "--static") == 0 && o->command == &cli_solve) {
            o->is_static = true;
        } else if (word[0] == '-' && word[1]) {
            return cli_usage(o->command, "unknown option '%s'", word);
        } else if (o->scene) {
            return cli_usage(o->command, "one scene at a time: '%s' is too many", word);
        } else {
            o->scene = word;
        }
    }
    return o->scene ? EXIT_FINE : cli_usage(o->command, "which scene?");
}

/* SCENE.variant.ENDING.h5 beside the scene, or what was asked for. */
static char *task_output(const task_options *o, const char *ending)
{
    static const char *const endings[] = { ".yaml", ".yml", ".json" };
    size_t length = strlen(o->output ? o->output : o->scene);
    size_t room = length + (o->variant ? strlen(o->variant) : 0) + strlen(ending) + 8;
    char *path = malloc(room);
    if (!path)
        return NULL;
    for (size_t i = 0; !o->output && i < sizeof endings / sizeof endings[0]; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && strcmp(o->scene + length - n, endings[i]) == 0) {
            length -= n;
            break;
        }
    }
    if (o->output)
        snprintf(path, room, "%s", o->output);
    else
        snprintf(path, room, "%.*s%s%s.%s.h5", (int)length, o->scene, o->variant ? "." : "",
                 o->variant ? o->variant : "", ending);
    return path;
}

static bool task_output_is_free(const task_options *o, const char *path)
{
    bool special = cli_is_special(path), scene = cli_same_file(path, o->scene);
    bool exists = !o->force && access(path, F_OK) == 0;
    if (special)
        fprintf(stderr, "lilyan: %s: cannot be written: it is a folder or a device\n", path);
    else if (scene)
        fprintf(stderr, "lilyan: %s: the output would replace the scene itself\n", path);
    else if (exists)
        fprintf(stderr, "lilyan: %s: exists already (--force replaces it)\n", path);
    return !special && !scene && !exists;
}

static int task_overrides(const lil_context *ctx, lil_scene *scene, int argc, char **argv)
{
    cli_args args = { argc, 0, argv, NULL };
    for (const char *word = cli_next(&args); word; word = cli_next(&args))
        if (cli_option(&args, word, "--set", true) && lil_scene_set(scene, args.value) != LIL_OK)
            return cli_failed(ctx);
    return EXIT_FINE;
}

int task_open(lil_context *ctx, int argc, char **argv, const task_options *o, lil_task task, const char *ending,
              lil_run **run, char **path)
{
    lil_scene *scene = NULL;
    lil_run_def def = lil_run_def_default();
    int code = o->threads ? cli_set_threads(ctx, o->command, o->threads) : EXIT_FINE;
    if (code != EXIT_FINE)
        return code;
    cli_catch_signals(ctx);
    if (lil_scene_load(ctx, o->scene, &scene) != LIL_OK)
        return cli_failed(ctx);
    code = task_overrides(ctx, scene, argc, argv);
    if (code == EXIT_FINE && !(*path = task_output(o, ending)))
        code = cli_no_memory();
    if (code == EXIT_FINE && !task_output_is_free(o, *path))
        code = EXIT_FAILED;
    def.variant = o->variant;
    def.output = *path;
    def.replace = o->force;
    def.task = task;
    if (code == EXIT_FINE) {
        lil_status status = lil_run_create(ctx, scene, &def, run);
        code = status == LIL_OK ? EXIT_FINE : cli_refused(ctx, status);
    }
    lil_scene_destroy(&scene);
    return code;
}

int task_close(lil_context *ctx, const task_options *o, const char *path, int code, lil_run **run)
{
    long long frames = *run ? (long long)lil_run_frames(*run) : 0;
    if (*run && lil_run_finish(*run) != LIL_OK && code == EXIT_FINE)
        code = cli_failed(ctx);
    if (code == EXIT_FINE && !o->json)
        printf("  wrote %s, %lld frame%s\n", path, frames, frames == 1 ? "" : "s");
    else if (code != EXIT_FINE && frames > 0)
        fprintf(stderr, "lilyan: %s keeps the frames recorded until then, %lld frame%s\n", path, frames,
                frames == 1 ? "" : "s");
    else if (code != EXIT_FINE && *run)
        fprintf(stderr, "lilyan: %s keeps only the start\n", path);
    lil_run_destroy(run);
    return code;
}

bool task_whole(const char *text, int least, int most, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    *value = (int)number;
    return end != text && !*end && !errno && number >= least && number <= most;
}

void task_print_json_number(const char *name, double value, const char *after)
{
    if (isfinite(value))
        printf("\"%s\": %.17g%s", name, value, after);
    else
        printf("\"%s\": null%s", name, after);
}
