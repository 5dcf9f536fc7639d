#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_command *const commands[] = {
    &cli_drop,   &cli_run,  &cli_solve,  &cli_modes, &cli_info, &cli_list,
    &cli_export, &cli_plot, &cli_report, &cli_film,  &cli_mesh, &cli_check
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("lilyan %s: motion that obeys mechanics and still takes direction\n\n", lil_version());
    for (int i = 0; i < COMMANDS; i++)
        printf("  lilyan %-8s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n"
           "  lilyan COMMAND --help    help for one command\n"
           "  lilyan --version\n"
           "\n"
           "Units are SI. Exit code: 0 success, 1 failure (one sentence gives the reason), 2 wrong usage, 130 "
           "interrupted.\n");
}

static void print_topic(const cli_command *command)
{
    printf("lilyan %s: %s\n\n%s", command->name, command->summary, command->help);
    if (command->more_help)
        command->more_help();
}

static const cli_command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

void cli_warn(void *user, const char *sentence)
{
    (void)user;
    fprintf(stderr, "lilyan: warning: %s\n", sentence);
}

static int run_command(const cli_command *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_topic(command);
            return EXIT_FINE;
        }
    lil_context *ctx = lil_context_create();
    if (!ctx)
        return cli_no_memory();
    lil_context_set_log(ctx, cli_warn, NULL);
    int code = command->run(ctx, argc, argv);
    lil_context_destroy(&ctx);
    return code;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        const cli_command *topic = argc > 2 ? find(argv[2]) : NULL;
        if (topic)
            print_topic(topic);
        else
            print_help();
        return argc < 2 ? EXIT_USAGE : EXIT_FINE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("lilyan %s\n", lil_version());
        return EXIT_FINE;
    }
    const cli_command *command = find(argv[1]);
    if (!command) {
        fprintf(stderr, "lilyan: unknown command '%s': see 'lilyan --help'\n", argv[1]);
        return EXIT_USAGE;
    }
    return run_command(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_FINE) {
        perror("lilyan: standard output");
        return EXIT_FAILED;
    }
    return code;
}

int cli_usage(const cli_command *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "lilyan %s: ", command->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (see 'lilyan %s --help')\n", command->name);
    return EXIT_USAGE;
}

int cli_failed(const lil_context *ctx)
{
    fprintf(stderr, "lilyan: %s\n", lil_context_message(ctx));
    return EXIT_FAILED;
}

int cli_refused(const lil_context *ctx, lil_status status)
{
    fprintf(stderr, "lilyan: %s%s\n", lil_context_message(ctx),
            status == LIL_ERR_EXISTS ? " (--force replaces it)" : "");
    return EXIT_FAILED;
}

int cli_set_threads(lil_context *ctx, const cli_command *command, const char *text)
{
    char *end;
    errno = 0;
    long threads = strtol(text, &end, 10);
    if (end == text || *end || errno || threads < INT_MIN || threads > INT_MAX)
        return cli_usage(command, "--threads needs a whole number from 1 to 64, not '%s'", text);
    return lil_context_set_threads(ctx, (int)threads) == LIL_OK ? EXIT_FINE : cli_failed(ctx);
}

int cli_no_memory(void)
{
    fprintf(stderr, "lilyan: out of memory\n");
    return EXIT_FAILED;
}

void cli_print_json_string(const char *text)
{
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if ((unsigned char)*c < ' ')
            printf("\\u%04x", (unsigned char)*c);
        else
            putchar(*c);
    }
    putchar('"');
}

bool cli_is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

bool cli_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

const char *cli_next(cli_args *args)
{
    args->value = NULL;
    return ++args->at < args->argc ? args->argv[args->at] : NULL;
}

bool cli_option(cli_args *args, const char *word, const char *name, bool takes_value)
{
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0)
        return false;
    if (word[length] == 0) {
        if (takes_value && args->at + 1 < args->argc)
            args->value = args->argv[++args->at];
        return true;
    }
    if (!takes_value || word[length] != '=' || strncmp(name, "--", 2) != 0)
        return false;
    args->value = word + length + 1;
    return true;
}
