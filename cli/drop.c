#define _XOPEN_SOURCE 700 /* realpath */
/* lilyan drop: from a surface to a picture. */
#include "drop.h"
#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "  lilyan drop MESH [--material NAME] [--onto floor|stairs|bowl] [--live] [--open]\n"
    "\n"
    "Drops a surface (.obj, .ply, .stl) as an elastic body. The surface may have holes and several shells, and "
    "faces\n"
    "that intersect, are doubled or have the wrong orientation. For bunny.obj, writes beside it:\n"
    "\n"
    "  bunny.yaml   the scene, which you edit next\n"
    "  bunny.h5     the motion\n"
    "  bunny.html   a page to look at\n"
    "\n"
    "  --material NAME        a preset, see 'lilyan list materials' (default: jelly)\n"
    "  --onto WHERE           floor (default), stairs or bowl\n"
    "  --open                 open the page at the end; with --live, at the start\n"
    "  --live                 serve a page that shows new frames as they are computed, to this machine alone\n"
    "  -o, --output OUT.h5    the motion; scene and page are beside it, with its name\n"
    "  --threads N            use N threads, 1 to 64 (default: all processors)\n"
    "  --force                replace existing files\n"
    "\n"
    "Files have no units. If the longest side is 0.02 to 0.25 units long, units are metres; if 20 to 250,\n"
    "millimetres. All other surfaces are scaled to 0.1 m. y is up in OBJ files, z in others. The tets are as large\n"
    "as the body is thick at its thin parts, and have 300 to 1,200 vertices.\n"
    "\n"
    "  lilyan drop bunny.obj --open\n"
    "  lilyan drop bunny.obj --material rubber --onto stairs -o /tmp/bunny.h5\n";

typedef struct options {
    const char *mesh, *material, *onto, *output, *threads;
    bool force, open, live;
} options;

enum { SCENE, MOTION, PAGE, FILES };
static const char *const endings[FILES] = { ".yaml", ".h5", ".html" };

typedef struct job {
    options o;
    drop_plan plan;
    char *stem, *files[FILES], *surface; /* surface: as the scene names it */
    char *scene;
    int line; /* of the material, in the scene */
} job;

/* ---- the call ---- */

static int check_choices(const options *o)
{
    bool material = false, place = false;
    for (int i = 0; i < lil_material_preset_count(); i++)
        material = material || strcmp(o->material, lil_material_preset_at(i)->name) == 0;
    for (int i = 0; drop_places[i]; i++)
        place = place || strcmp(o->onto, drop_places[i]) == 0;
    if (!material)
        return cli_usage(&cli_drop, "unknown material '%s': 'lilyan list materials' has the presets", o->material);
    if (!place)
        return cli_usage(&cli_drop, "--onto is '%s', not floor, stairs or bowl", o->onto);
    return EXIT_FINE;
}

static int parse_options(int argc, char **argv, options *o)
{
    cli_args args = { argc, 0, argv, NULL };
    *o = (options){ .material = "jelly", .onto = "floor" };
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        const char **value = cli_option(&args, word, "--material", true)  ? &o->material
                             : cli_option(&args, word, "--onto", true)    ? &o->onto
                             : cli_option(&args, word, "--threads", true) ? &o->threads
                             : cli_option(&args, word, "--output", true)  ? &o->output
                             : cli_option(&args, word, "-o", true)        ? &o->output
                                                                          : NULL;
        if (value && (!args.value || !args.value[0]))
            return cli_usage(&cli_drop, "%s needs a value", word);
        if (value)
            *value = args.value;
        else if (strcmp(word, "--force") == 0)
            o->force = true;
        else if (strcmp(word, "--live") == 0)
            o->live = true;
        else if (strcmp(word, "--open") == 0)
            o->open = true;
        else if (word[0] == '-')
            return cli_usage(&cli_drop, "unknown option '%s'", word);
        else if (o->mesh)
            return cli_usage(&cli_drop, "one surface at a time: '%s' is too many", word);
        else
            o->mesh = word;
    }
    if (!o->mesh)
        return cli_usage(&cli_drop, "which surface?");
    if (!lil_surface_is_named(o->mesh))
        return cli_usage(&cli_drop, "'%s' is no surface: it ends in .obj, .ply or .stl", o->mesh);
    return check_choices(o);
}

/* ---- files ---- */

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0 && path[length - n - 1] != '/';
}

/* The folder of a file, to be freed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

/* How a scene names the surface: relative to its own folder if it lies there. */
static char *name_surface(const char *scene, const char *mesh)
{
    char *a = folder_of(scene), *b = folder_of(mesh), *name = NULL;
    if (a && b)
        name = cli_same_file(a, b) ? strdup(drop_last_part(mesh)) : realpath(mesh, NULL);
    free(a);
    free(b);
    return name;
}

static int name_files(job *j)
{
    const char *base = j->o.output ? j->o.output : j->o.mesh;
    size_t length = strlen(base);
    if (!j->o.output)
        length = (size_t)(strrchr(base, '.') - base);
    for (int i = 0; j->o.output && i < FILES; i++)
        if (ends_in(base, endings[i])) {
            length -= strlen(endings[i]);
            break;
        }
    j->stem = malloc(length + sizeof "./"); /* a name that begins with - is no option */
    if (j->stem)
        snprintf(j->stem, length + sizeof "./", "%s%.*s", base[0] == '-' ? "./" : "", (int)length, base);
    length = j->stem ? strlen(j->stem) : 0;
    for (int i = 0; j->stem && i < FILES; i++) {
        j->files[i] = malloc(length + sizeof ".yaml");
        if (!j->files[i])
            return cli_no_memory();
        memcpy(j->files[i], j->stem, length);
        strcpy(j->files[i] + length, endings[i]);
    }
    if (!j->stem)
        return cli_no_memory();
    const char *name = drop_last_part(j->stem);
    if (!name[0] || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return cli_usage(&cli_drop, "-o is '%s', which is a folder, not the name of a file", base);
    for (int i = 0; i < FILES; i++) {
        if (cli_is_special(j->files[i])) {
            fprintf(stderr, "lilyan: %s: cannot be written: it is a folder or a device\n", j->files[i]);
            return EXIT_FAILED;
        }
        if (!j->o.force && access(j->files[i], F_OK) == 0) {
            fprintf(stderr, "lilyan: %s: exists already (--force replaces it, -o OUT.h5 writes elsewhere)\n",
                    j->files[i]);
            return EXIT_FAILED;
        }
    }
    return EXIT_FINE;
}

/* What one line of the scene will contain. */
static int check_name(const char *name)
{
    const char *c = name;
    for (size_t size = 1; *c && size; c += size)
        size = drop_character(c);
    if (!*c)
        return EXIT_FINE;
    fprintf(stderr, "lilyan: ");
    for (c = name; *c;) {
        size_t size = drop_character(c);
        fprintf(stderr, "%.*s", size ? (int)size : 1, size ? c : "?");
        c += size ? size : 1;
    }
    fprintf(
        stderr,
        ": a scene cannot contain this name: it has a control character, a line end or bytes that are not UTF-8\n");
    return EXIT_FAILED;
}

/* Without its name yet. */
static int write_scene(const job *j, cli_output *file)
{
    bool ok = cli_output_open(file, j->files[SCENE], j->o.force);
    if (ok)
        fputs(j->scene, file->file);
    return ok && cli_output_flush(file) ? EXIT_FINE : EXIT_FAILED;
}

/* ---- the motion ---- */

static lil_status begin_run(lil_context *ctx, const job *j, lil_run **run)
{
    lil_scene *scene = NULL;
    lil_run_def def = lil_run_def_default();
    def.output = j->files[MOTION];
    def.replace = j->o.force;
    lil_status status = lil_scene_parse(ctx, j->files[SCENE], j->scene, strlen(j->scene), &scene);
    if (status == LIL_OK)
        status = lil_run_create(ctx, scene, &def, run);
    lil_scene_destroy(&scene);
    return status;
}

/* recorded: there are a scene and a motion now */
static int run_scene(lil_context *ctx, const job *j, live *page, cli_output *scene, bool *recorded)
{
    lil_run *run = NULL;
    lil_status status = begin_run(ctx, j, &run);
    if (status == LIL_OK)
        live_started(page);
    if (status != LIL_OK)
        return status == LIL_ERR_INTERRUPTED ? EXIT_INTERRUPTED : cli_refused(ctx, status);
    int code = cli_output_name(scene) ? EXIT_FINE : EXIT_FAILED;
    *recorded = code == EXIT_FINE;
    if (code == EXIT_FINE && cli_run_to_end(run, j->o.mesh) != LIL_OK && !cli_interrupted())
        code = cli_failed(ctx);
    bool complete = lil_run_complete(run);
    if (code == EXIT_FINE && !complete)
        code = EXIT_INTERRUPTED;
    const char *reason, *integrator = lil_sim_integrator(lil_run_sim(run), &reason);
    printf("  %s, %.4g s in %lld steps of %s%s\n", j->o.material, lil_sim_state(lil_run_sim(run))->t,
           (long long)lil_run_steps_done(run), integrator, complete ? "" : ", ended early");
    if (lil_run_finish(run) != LIL_OK)
        code = cli_failed(ctx);
    lil_run_destroy(&run);
    return code;
}

/* ---- the page ---- */

static int write_page(lil_context *ctx, const job *j)
{
    lil_trajectory *run = NULL;
    lil_report_def def = lil_report_def_default();
    def.output = j->files[PAGE];
    def.replace = j->o.force;
    lil_status status = lil_trajectory_open(ctx, j->files[MOTION], &run);
    if (status == LIL_OK)
        status = lil_report(ctx, &run, 1, &def);
    lil_trajectory_destroy(&run);
    return status == LIL_OK ? EXIT_FINE : cli_refused(ctx, status);
}

static void print_next(const job *j)
{
    printf("wrote %s, %s and %s\n", j->files[SCENE], j->files[MOTION], j->files[PAGE]);
    printf("next: make line %d of %s 'material: %s', then\n  lilyan run ", j->line, j->files[SCENE],
           strcmp(j->o.material, "rubber") == 0 ? "jelly" : "rubber");
    drop_quote(stdout, j->files[SCENE]);
    printf(" --force && lilyan report ");
    drop_quote(stdout, j->files[MOTION]);
    printf(" --force\n");
}

/* ---- all of it ---- */

static int prepare(lil_context *ctx, job *j)
{
    size_t length = strlen(j->o.mesh);
    const char last = j->o.mesh[length - 1];
    j->plan = (drop_plan){
        .mesh = j->o.mesh, .material = j->o.material, .onto = j->o.onto, .up = last == 'j' || last == 'J' ? 'y' : 'z'
    };
    int code = name_files(j);
    if (code == EXIT_FINE)
        code = check_name(drop_last_part(j->o.mesh));
    if (code == EXIT_FINE)
        code = check_name(drop_last_part(j->stem));
    if (code == EXIT_FINE) /* NULL also if there is none, as reading it reports */
        j->surface = name_surface(j->files[SCENE], j->o.mesh);
    if (j->surface)
        code = check_name(j->surface);
    if (code != EXIT_FINE)
        return code;
    lil_context_set_log(ctx, NULL, NULL); /* the scene's own filling warns */
    lil_status status = drop_choose(ctx, &j->plan);
    lil_context_set_log(ctx, cli_warn, NULL);
    if (status != LIL_OK)
        return status == LIL_ERR_INTERRUPTED ? EXIT_INTERRUPTED : cli_failed(ctx);
    j->scene = j->surface ? drop_scene(&j->plan, j->surface, j->stem, &j->line) : NULL;
    return j->scene ? EXIT_FINE : cli_no_memory();
}

static int finish_all(lil_context *ctx, const job *j, live *page)
{
    bool recorded = false;
    cli_output scene;
    int code = write_scene(j, &scene); /* before the motion: if this is impossible there is none */
    if (code == EXIT_FINE)
        code = run_scene(ctx, j, page, &scene, &recorded);
    cli_output_end(&scene);
    if (code == EXIT_INTERRUPTED)
        fprintf(stderr, "lilyan: interrupted\n");
    if (!recorded)
        return code;
    int written = write_page(ctx, j);
    if (written != EXIT_FINE)
        return written;
    print_next(j);
    fflush(stdout);
    if (j->o.open && !j->o.live) {
        drop_opened opened;
        if (drop_open(&opened, j->files[PAGE]))
            drop_is_open(&opened);
        drop_open_end(&opened);
    }
    return code;
}

static int drop_all(lil_context *ctx, job *j)
{
    int code = prepare(ctx, j);
    if (code != EXIT_FINE)
        return code;
    drop_describe(&j->plan);
    fflush(stdout);
    live page = { .child = -1, .pipe = -1 };
    if (j->o.live && !live_begin(&page, j->files[MOTION]))
        return EXIT_FAILED;
    drop_opened opened = { 0 };
    bool open = j->o.live && j->o.open && drop_open_address(&opened, page.address, j->stem);
    code = finish_all(ctx, j, &page);
    live_end(&page, open && drop_is_open(&opened));
    drop_open_end(&opened);
    return code;
}

static int drop(lil_context *ctx, int argc, char **argv)
{
    job j = { 0 };
    int code = parse_options(argc, argv, &j.o);
    if (code == EXIT_FINE && j.o.threads)
        code = cli_set_threads(ctx, &cli_drop, j.o.threads);
    if (code != EXIT_FINE)
        return code;
    cli_catch_signals(ctx);
    code = drop_all(ctx, &j);
    for (int i = 0; i < FILES; i++)
        free(j.files[i]);
    free(j.stem);
    free(j.surface);
    free(j.scene);
    return code;
}

const cli_command cli_drop = { "drop", "drop a surface: scene, motion and page in one command", help, drop, NULL };
