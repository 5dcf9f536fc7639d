/* lilyan run: simulate a scene, record it, print its certificate. */
#include "cli.h"
#include "live.h"

#include <lilyan/shot.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "  lilyan run SCENE [options]\n"
    "\n"
    "  -o, --output OUT.h5     the trajectory file (default: SCENE.h5 beside the scene)\n"
    "  --until T               end at T seconds               (short for --set time.until=T)\n"
    "  --step H                steps of H seconds             (short for --set time.step=H)\n"
    "  --integrator NAME       another integrator, see 'lilyan list integrators'\n"
    "  --set key.path=value    override any value of the scene; may be given several times\n"
    "  --variant NAME          run one of the scene's variants (to SCENE.NAME.h5)\n"
    "  --variants              run all of them, each to OUT.NAME.h5, and print a table\n"
    "  --threads N             use N threads, 1 to 64 (default: all processors); the result has the same bits\n"
    "  --force                 replace an existing output\n"
    "  --resume                resume an output, bit for bit, however its run ended; a longer --until extends it.\n"
    "                          If there is no output yet, the run starts and a warning says so. A shot is solved\n"
    "                          as a whole: its output cannot be resumed, and it has no --until and --step\n"
    "  --live                  serve a page that shows new frames as they are computed, to this machine alone\n"
    "  --profile               print the time of the steps, phase by phase; the output, its page and\n"
    "                          --json have it too. A resumed run counts the steps since\n"
    "  --json                  print the result as JSON (with --variants: an array) and nothing else\n\n"
    "Ctrl-C ends a run early. Recorded frames are kept, as they are after a crash, a kill or on a full disk.\n\n"
    "  lilyan run scenes/pendulum.yaml --until 10 -o /tmp/pendulum.h5\n"
    "  lilyan run scenes/pendulum.yaml --variants --force\n"
    "  lilyan run scenes/kepler.yaml --set parameters.e=0.3 --json\n";

typedef struct options {
    const char *scene, *output, *variant, *threads;
    bool all_variants, force, resume, json, profile, live;
} options;

/* While a shot is being solved; false: it is not to go on. */
typedef struct shot_view {
    const char *label;
    double started, shown;
} shot_view;

static bool watch_shot(void *user, int level, int iteration, double cost)
{
    shot_view *view = user;
    double at = cli_seconds();
    if (isatty(STDERR_FILENO) && at - view->started > 0.5 && at - view->shown > 0.1) {
        fprintf(stderr, "\r\033[K%.30s ", view->label);
        if (level >= 0)
            fprintf(stderr, "level %d, ", level);
        fprintf(stderr, "iteration %d, cost %.9g", iteration, cost);
        view->shown = at;
    }
    return !cli_interrupted();
}

/* ---- the result in words ---- */

static void print_certificate(lil_run *run)
{
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    for (int i = 0; i < count; i++) {
        double value = *(const double *)((const char *)&c + fields[i].offset);
        if (isfinite(value))
            printf("  %-18s %.10g%s%s\n", fields[i].name, value, fields[i].unit[0] ? " " : "", fields[i].unit);
    }
    const char *reason, *contact = lil_run_contact(run, &reason);
    if (contact)
        printf("  %-18s %s%s%s\n", "contact_method", contact, reason ? ": " : "", reason ? reason : "");
    lil_pair pair;
    if (lil_sim_deepest(lil_run_sim(run), &pair))
        printf("  %-18s '%s' in '%s'%s\n", "penetration_pair", pair.what, pair.in,
               lil_penetration_verdict(c.penetration_relative));
    const char *text;
    for (int i = 0; (text = lil_sim_warning(lil_run_sim(run), i)); i++)
        printf("  %-18s %s\n", "warning", text);
}

static void print_shot(const lil_run *run)
{
    lil_shot_result r;
    if (!lil_run_shot(run, &r))
        return;
    printf("  %-18s %.10g, %d iterations%s\n", "cost", r.cost, r.iterations, r.converged ? "" : ", not converged");
    for (int i = 0; r.free_times && i < r.key_count; i++)
        printf("%s %.6g%s", i ? "," : "  key_times         ", r.key_times[i], i < r.key_count - 1 ? "" : " s\n");
    if (isfinite(r.key_error_max))
        printf("  %-18s %.10g\n", "key_error_max", r.key_error_max);
    if (isfinite(r.soft_error_max))
        printf("  %-18s %.10g\n", "soft_error_max", r.soft_error_max);
    if (isfinite(r.pose_error_max))
        printf("  %-18s %.10g m\n", "pose_error_max", r.pose_error_max);
    printf("  %-18s %.10g\n", "ghost_force_max", r.ghost_force_max);
    printf("  %-18s %.3g of ghost and natural forces\n", "ghost_share", r.ghost_share);
    printf("  %-18s %.3g of the size\n", "residual", r.residual);
}

/* label: printed above it; NULL: none */
static void print_profile(const lil_run *run, const char *label)
{
    lil_profile profile;
    if (!lil_run_profile(run, &profile))
        return;
    char *table = lil_profile_table(&profile);
    if (label)
        printf("%s\n", label);
    printf("%s", table ? table : "");
    lil_free(table);
}

static void print_result(lil_run *run, const char *label, const char *output)
{
    printf("%s: %lld steps of %s to t = %.10g s", label, (long long)lil_run_steps_done(run), lil_run_integrator(run),
           lil_sim_state(lil_run_sim(run))->t);
    printf("%s\n", lil_run_complete(run) ? "" : ", ended early");
    const char *reason, *integrator = lil_sim_integrator(lil_run_sim(run), &reason);
    if (reason)
        printf("  %-18s %s: %s\n", "integrator", integrator, reason);
    print_shot(run);
    print_certificate(run);
    lil_observable o;
    for (int i = 0; lil_run_observable(run, i, &o); i++) {
        if (o.invariant)
            printf("  %-18s %.10g, conserved to %.2g\n", o.name, o.last, o.drift);
        else
            printf("  %-18s %.10g, between %.10g and %.10g\n", o.name, o.last, o.min, o.max);
    }
    print_profile(run, NULL);
    printf("  wrote %s, %lld frame%s\n", output, (long long)lil_run_frames(run), lil_run_frames(run) == 1 ? "" : "s");
}

/* ---- outputs ---- */

/* SCENE.h5 or OUT.h5, with the variant's name before .h5; to be freed. */
static char *output_path(const options *o, const char *variant)
{
    const char *base = o->output ? o->output : o->scene;
    size_t length = strlen(base), room = length + (variant ? strlen(variant) : 0) + 8;
    char *path = malloc(room);
    if (!path)
        return NULL;
    if (o->output && !(variant && o->all_variants)) {
        snprintf(path, room, "%s", base);
        return path;
    }
    static const char *const endings[] = { ".yaml", ".yml", ".json", ".h5" };
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && strcmp(base + length - n, endings[i]) == 0 && base[length - n - 1] != '/') {
            length -= n;
            break;
        }
    }
    snprintf(path, room, "%.*s%s%s.h5", (int)length, base, variant ? "." : "", variant ? variant : "");
    return path;
}

/* Before anything runs, so that the third of five variants does not fail after minutes. */
static bool output_is_free(const options *o, const lil_scene *scene_read, const char *variant)
{
    char *path = output_path(o, variant);
    bool scene = path && cli_same_file(path, o->scene);
    bool exists = path && !o->force && !o->resume && access(path, F_OK) == 0;
    bool special = path && cli_is_special(path);
    if (special)
        fprintf(stderr, "lilyan: %s: cannot be written: it is a folder or a device\n", path);
    else if (scene)
        fprintf(stderr, "lilyan: %s: the output would replace the scene itself\n", path);
    else if (exists)
        fprintf(stderr, "lilyan: %s: exists already (--force replaces it%s)\n", path,
                lil_scene_is_shot(scene_read) ? "" : ", --resume resumes it");
    free(path);
    return !special && !scene && !exists;
}

/* ---- one run ---- */

static void print_error_object(const options *o, const char *variant, const lil_context *ctx)
{
    printf("{\"scene\": ");
    cli_print_json_string(o->scene);
    printf(", \"variant\": ");
    cli_print_json_string(variant);
    printf(", \"error\": ");
    cli_print_json_string(lil_context_message(ctx));
    printf("}");
}

/* A variant's line in the table of all; without a run it was refused. */
static bool add_row(cli_table **table, lil_run *run, const char *variant, double took)
{
    char ended[64] = "complete";
    cli_row row = { .name = variant,
                    .method = "-",
                    .ended = "refused",
                    .steps = NAN,
                    .seconds = NAN,
                    .cost = NAN,
                    .iterations = NAN };
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    for (int i = 0; i < count; i++)
        *(double *)((char *)&row.certificate + fields[i].offset) = NAN;
    if (run) {
        if (!lil_run_complete(run))
            snprintf(ended, sizeof ended, "at t = %.6g s", lil_sim_state(lil_run_sim(run))->t);
        lil_shot_result shot;
        bool found = lil_run_shot(run, &shot);
        if (found && !shot.converged)
            snprintf(ended, sizeof ended, "not converged");
        row = (cli_row){ .name = variant,
                         .method = lil_run_integrator(run),
                         .ended = ended,
                         .steps = (double)lil_run_steps_done(run),
                         .seconds = took,
                         .cost = found ? shot.cost : NAN,
                         .iterations = found ? shot.iterations : NAN,
                         .certificate = lil_sim_certificate(lil_run_sim(run)) };
    }
    if (cli_table_add(table, &row))
        return true;
    cli_no_memory();
    return false;
}

/* run: NULL if there is none yet */
static void print_interrupted(const lil_run *run)
{
    lil_shot_result r;
    if (run && lil_run_shot(run, &r))
        fprintf(stderr, "lilyan: interrupted after iteration %d of the shot, at cost %.9g: the best so far is kept\n",
                r.iterations, r.cost);
    else
        fprintf(stderr, "lilyan: interrupted\n");
}

static int run_one(lil_context *ctx, const options *o, const lil_scene *scene, const char *variant, cli_table **table)
{
    char *output = output_path(o, variant);
    if (!output)
        return cli_no_memory();
    lil_run_def def = lil_run_def_default();
    def.variant = variant;
    def.output = output;
    def.replace = o->force;
    shot_view view = { variant ? variant : o->scene, cli_seconds(), 0 };
    def.watch = watch_shot;
    def.user = &view;
    def.resume = o->resume;
    def.profile = o->profile;
    lil_run *run = NULL;
    live page = { .child = -1, .pipe = -1 };
    if (o->live && !live_begin(&page, output)) {
        free(output);
        return EXIT_FAILED;
    }
    lil_status status = lil_run_create(ctx, scene, &def, &run);
    if (status == LIL_OK)
        live_started(&page);
    else
        live_end(&page, false);
    cli_clear_line();
    if (status != LIL_OK) {
        bool ended = status == LIL_ERR_INTERRUPTED;
        if (ended)
            print_interrupted(NULL);
        else
            cli_refused(ctx, status);
        if (o->json && variant && o->all_variants)
            print_error_object(o, variant, ctx);
        else if (table)
            add_row(table, NULL, variant, NAN);
        free(output);
        return ended ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
    const char *label = variant ? variant : o->scene;
    int code = EXIT_FINE;
    lil_shot_result shot;
    double started = cli_seconds();
    status = cli_run_to_end(run, label);
    double took = cli_seconds() - started;
    bool found = lil_run_shot(run, &shot);
    if (status != LIL_OK && status != LIL_ERR_INTERRUPTED)
        code = cli_failed(ctx);
    else if (cli_interrupted() &&
             (!lil_run_complete(run) || (found && !shot.converged))) /* and not just after its end */
        code = EXIT_INTERRUPTED;
    bool kept = lil_run_finish(run) == LIL_OK;
    if (!kept && code != EXIT_FAILED)
        code = cli_failed(ctx);
    bool whole = kept && found && lil_run_complete(run); /* all frames are there, converged or not */
    if (code == EXIT_FAILED && kept && !whole && lil_run_frames(run))
        fprintf(stderr, "lilyan: %s keeps the frames recorded until then, %lld frame%s\n", output,
                (long long)lil_run_frames(run), lil_run_frames(run) == 1 ? "" : "s");
    if (code == EXIT_INTERRUPTED)
        print_interrupted(run);
    if (table && !o->json)
        print_profile(run, variant);
    const char *json = o->json && (code == EXIT_FINE || code == EXIT_INTERRUPTED || whole) ? lil_run_json(run) : "";
    if (!json)
        code = cli_no_memory();
    else if (json[0])
        printf("%s", json);
    else if (o->json && variant && o->all_variants)
        print_error_object(o, variant, ctx);
    else if (!o->json && table)
        code = add_row(table, run, variant, took) ? code : EXIT_FAILED;
    else if (!o->json && (code != EXIT_FAILED || whole))
        print_result(run, label, output);
    lil_run_destroy(&run);
    fflush(stdout);
    live_end(&page, false);
    free(output);
    return code;
}

static int run_variants(lil_context *ctx, const options *o, const lil_scene *scene)
{
    int code = EXIT_FINE, count = lil_scene_variant_count(scene);
    bool written = false;
    cli_table *table = NULL;
    if (!count) {
        fprintf(stderr, "lilyan: %s: has no variants\n", o->scene);
        return EXIT_FAILED;
    }
    for (int i = 0; i < count; i++)
        if (!output_is_free(o, scene, lil_scene_variant(scene, i)))
            return EXIT_FAILED;
    if (o->json)
        printf("[");
    int begun = 0;
    for (; begun < count && !cli_interrupted(); begun++) {
        if (o->json && begun)
            printf(",\n ");
        int one = run_one(ctx, o, scene, lil_scene_variant(scene, begun), &table);
        written = written || one != EXIT_FAILED;
        code = one != EXIT_FINE ? one : code;
    }
    if (begun < count) { /* also where the signal came just as the one before was done */
        fprintf(stderr, "lilyan: interrupted: %d of %d variants were not run\n", count - begun, count);
        code = EXIT_INTERRUPTED;
    }
    if (o->json) {
        printf("]\n");
        return code;
    }
    char *outputs = output_path(o, "*");
    cli_table_print(&table);
    if (outputs && written)
        printf("wrote %s\n", outputs);
    free(outputs);
    return code;
}

/* ---- the call ---- */

static int set_path(lil_scene *scene, const char *path, const char *value, const lil_context *ctx)
{
    size_t room = strlen(path) + strlen(value) + 2;
    char *assignment = malloc(room);
    if (!assignment)
        return cli_no_memory();
    snprintf(assignment, room, "%s=%s", path, value);
    int code = lil_scene_set(scene, assignment) == LIL_OK ? EXIT_FINE : cli_failed(ctx);
    free(assignment);
    return code;
}

/* The keys of a shot set its times. */
static int set_time(lil_scene *scene, const char *what, const char *of_shots, const char *value,
                    const lil_context *ctx)
{
    char path[16];
    if (lil_scene_is_shot(scene)) {
        fprintf(stderr, "lilyan: --%s: %s\n", what, of_shots);
        return EXIT_FAILED;
    }
    snprintf(path, sizeof path, "time.%s", what);
    return set_path(scene, path, value, ctx);
}

/* Options that need the scene, in the order they were given. */
static int apply_overrides(lil_context *ctx, lil_scene *scene, int argc, char **argv)
{
    cli_args args = { argc, 0, argv, NULL };
    int code = EXIT_FINE;
    for (const char *word = cli_next(&args); word && code == EXIT_FINE; word = cli_next(&args)) {
        if (cli_option(&args, word, "--set", true))
            code = lil_scene_set(scene, args.value) == LIL_OK ? EXIT_FINE : cli_failed(ctx);
        else if (cli_option(&args, word, "--until", true))
            code = set_time(scene, "until",
                            "a shot ends at its last key, or 'after' seconds later: set 'after' in 'shot'",
                            args.value, ctx);
        else if (cli_option(&args, word, "--step", true))
            code = set_time(scene, "step", "a shot has frames instead of steps: set 'frames' in 'shot'", args.value,
                            ctx);
        else if (cli_option(&args, word, "--integrator", true))
            code = lil_scene_set_integrator(scene, args.value) == LIL_OK ? EXIT_FINE : cli_failed(ctx);
        else if (cli_option(&args, word, "--output", true) || cli_option(&args, word, "-o", true) ||
                 cli_option(&args, word, "--variant", true) || cli_option(&args, word, "--threads", true))
            continue;
    }
    return code;
}

static int parse_options(int argc, char **argv, options *o)
{
    static const char *const with_value[] = { "--set", "--until", "--step", "--integrator" };
    cli_args args = { argc, 0, argv, NULL };
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        bool taken = false;
        for (size_t i = 0; i < sizeof with_value / sizeof with_value[0] && !taken; i++)
            taken = cli_option(&args, word, with_value[i], true);
        if (!taken && (cli_option(&args, word, "--output", true) || cli_option(&args, word, "-o", true))) {
            o->output = args.value;
            taken = true;
        } else if (!taken && cli_option(&args, word, "--variant", true)) {
            o->variant = args.value;
            taken = true;
        } else if (!taken && cli_option(&args, word, "--threads", true)) {
            o->threads = args.value;
            taken = true;
        }
        if (taken) {
            if (!args.value || !args.value[0])
                return cli_usage(&cli_run, "%s needs a value", word);
        } else if (strcmp(word, "--variants") == 0) {
            o->all_variants = true;
        } else if (strcmp(word, "--force") == 0) {
            o->force = true;
        } else if (strcmp(word, "--resume") == 0) {
            o->resume = true;
        } else if (strcmp(word, "--json") == 0) {
            o->json = true;
        } else if (strcmp(word, "--live") == 0) {
            o->live = true;
        } else if (strcmp(word, "--profile") == 0) {
            o->profile = true;
        } else if (word[0] == '-' && word[1]) {
            return cli_usage(&cli_run, "unknown option '%s'", word);
        } else if (o->scene) {
            return cli_usage(&cli_run, "one scene at a time: '%s' is too many", word);
        } else {
            o->scene = word;
        }
    }
    if (!o->scene)
        return cli_usage(&cli_run, "which scene?");
    if (o->force && o->resume)
        return cli_usage(&cli_run, "--force and --resume exclude each other");
    if (o->live && o->all_variants)
        return cli_usage(&cli_run, "--live shows one run: name one with --variant");
    if (o->variant && o->all_variants)
        return cli_usage(&cli_run, "--variant and --variants exclude each other");
    return EXIT_FINE;
}

static int run(lil_context *ctx, int argc, char **argv)
{
    options o = { 0 };
    int code = parse_options(argc, argv, &o);
    if (code != EXIT_FINE)
        return code;
    if (o.threads && (code = cli_set_threads(ctx, &cli_run, o.threads)) != EXIT_FINE)
        return code;
    cli_catch_signals(ctx);
    lil_scene *scene = NULL;
    if (lil_scene_load(ctx, o.scene, &scene) != LIL_OK)
        return cli_failed(ctx);
    code = apply_overrides(ctx, scene, argc, argv);
    if (code == EXIT_FINE && o.live && lil_scene_is_shot(scene)) {
        fprintf(stderr, "lilyan: --live: %s is a shot, which is solved as a whole: it has no frames on the way\n",
                o.scene);
        code = EXIT_FAILED;
    }
    if (code == EXIT_FINE && o.all_variants) {
        code = run_variants(ctx, &o, scene);
    } else if (code == EXIT_FINE) {
        code = output_is_free(&o, scene, o.variant) ? run_one(ctx, &o, scene, o.variant, NULL) : EXIT_FAILED;
        if (o.json && (code == EXIT_FINE || code == EXIT_INTERRUPTED))
            printf("\n");
    }
    lil_scene_destroy(&scene);
    return code;
}

const cli_command cli_run = { "run", "simulate a scene, record it and write its certificate", help, run, NULL };
