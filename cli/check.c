/* lilyan check: does anything intersect in a recording? */
#include "cli.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "  lilyan check OUT.h5 ... [--paths] [--all] [--json]\n"
    "\n"
    "Searches every frame of a trajectory for intersections: of bodies, particles and strands with each other, with\n"
    "themselves and with obstacles. The predicates are exact and share no code with the contact solver.\n"
    "\n"
    "  --paths   also search the straight paths between frames for parts that pass through each other\n"
    "            (useful where every step was recorded: record: {every: 1})\n"
    "  --all     also search pairs that the scene excludes from contact: contact: {ignore: [...]}, {bodies: pass}\n"
    "  --json    print an array with one object per trajectory\n"
    "\n"
    "Exit code: 0 nothing intersects, 1 something intersects or a file cannot be read.\n"
    "\n"
    "  lilyan check pile.h5\n";

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

typedef struct progress {
    bool terminal;
    int shown; /* percent */
} progress;

static bool show_progress(void *user, double done)
{
    progress *p = user;
    int percent = (int)(100 * done);
    if (p->terminal && percent != p->shown)
        fprintf(stderr, "\r\033[K%3d %%", p->shown = percent);
    return !interrupted;
}

static void print_text(const char *path, const lil_check *r)
{
    printf("%s: %" PRId64 " frames, %" PRId64 " triangles and links", path, r->frames, r->elements);
    if (r->points)
        printf(", %" PRId64 " points", r->points);
    if (r->passing)
        printf(", without %" PRId64 " pair%s of parts that the scene excludes from contact", r->passing,
               r->passing > 1 ? "s" : "");
    if (r->intersections + r->passages == 0) {
        printf(": no intersection\n");
        return;
    }
    printf(": ");
    if (r->intersections)
        printf("%" PRId64 " intersections in %" PRId64 " frames", r->intersections, r->bad_frames);
    if (r->passages)
        printf("%s%" PRId64 " pairs meet between frames", r->intersections ? ", " : "", r->passages);
    printf("\n  first: %s, frame %" PRId64 ", t = %.9g s\n", r->first, r->frame, r->t);
}

static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20)
            printf("\\u%04x", *text);
        else
            printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    putchar('"');
}

static void print_json(const char *path, const lil_check *r)
{
    printf("{\"trajectory\": ");
    print_quoted(path);
    printf(", \"frames\": %" PRId64 ", \"elements\": %" PRId64 ", \"intersections\": %" PRId64
           ", \"bad_frames\": %" PRId64 ", \"passages\": %" PRId64 ", \"points\": %" PRId64
           ", \"pairs_let_pass\": %" PRId64 ", \"first\": ",
           r->frames, r->elements, r->intersections, r->bad_frames, r->passages, r->points, r->passing);
    if (r->first[0]) {
        printf("{\"frame\": %" PRId64 ", \"t\": %.17g, \"what\": ", r->frame, r->t);
        print_quoted(r->first);
        printf("}}");
    } else {
        printf("null}");
    }
}

static lil_status check_one(lil_context *ctx, const char *path, bool paths, bool all, lil_check *result)
{
    progress p = { .terminal = isatty(STDERR_FILENO), .shown = -1 };
    lil_check_def def = lil_check_def_default();
    lil_trajectory *trajectory = NULL;
    def.paths = paths;
    def.all = all;
    def.progress = show_progress;
    def.user = &p;
    lil_status status = lil_trajectory_open(ctx, path, &trajectory);
    if (status == LIL_OK)
        status = lil_trajectory_check(trajectory, &def, result);
    lil_trajectory_destroy(&trajectory);
    if (p.shown >= 0)
        fprintf(stderr, "\r\033[K");
    return status;
}

static int check(lil_context *ctx, int argc, char **argv)
{
    cli_args args = { argc, 0, argv, NULL };
    bool paths = false, all = false, json = false;
    int files = 0, code = EXIT_FINE;
    for (const char *word = cli_next(&args); word; word = cli_next(&args)) {
        if (strcmp(word, "--paths") == 0)
            paths = true;
        else if (strcmp(word, "--all") == 0)
            all = true;
        else if (strcmp(word, "--json") == 0)
            json = true;
        else if (word[0] == '-')
            return cli_usage(&cli_check, "unknown option '%s'", word);
        else
            argv[files++] = argv[args.at]; /* files come first from here on */
    }
    if (files == 0)
        return cli_usage(&cli_check, "name a trajectory");
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    for (int i = 0; i < files; i++) {
        lil_check result;
        lil_status status = check_one(ctx, argv[i], paths, all, &result);
        if (status != LIL_OK) {
            cli_failed(ctx);
            return status == LIL_ERR_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_FAILED;
        }
        if (json)
            printf(i == 0 ? "[" : ",\n ");
        (json ? print_json : print_text)(argv[i], &result);
        if (result.intersections + result.passages > 0)
            code = EXIT_FAILED;
    }
    if (json)
        printf("]\n");
    return code;
}

const cli_command cli_check = { "check", "search a trajectory for intersections", help, check, NULL };
