/* The command. It uses only the public header. */
#ifndef LILYAN_CLI_H
#define LILYAN_CLI_H

#include <lilyan/lilyan.h>

#include <stdio.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *help;
    int (*run)(lil_context *ctx, int argc, char **argv); /* argv[0] is the command's name */
    void (*more_help)(void);                             /* optional: what follows, from tables */
} cli_command;

extern const cli_command cli_run, cli_info, cli_list, cli_export, cli_plot, cli_report, cli_film, cli_mesh, cli_check,
    cli_drop, cli_solve, cli_modes;

/* "lilyan: sentence" on stderr. Returns EXIT_USAGE. */
int cli_usage(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The context's sentence on stderr. Returns EXIT_FAILED. */
int cli_failed(const lil_context *ctx);
/* The same of what may be an output that exists: how it can be replaced. */
int cli_refused(const lil_context *ctx, lil_status status);
/* A warning on stderr. */
void cli_warn(void *user, const char *sentence);
/* --threads TEXT */
int cli_set_threads(lil_context *ctx, const cli_command *command, const char *text);
/* The same of memory that ran out. */
int cli_no_memory(void);
/* As a JSON string, to stdout. */
void cli_print_json_string(const char *text);

/* It exists and is no regular file: a folder, a device, a pipe. */
bool cli_is_special(const char *path);
/* Both exist and are one file, by whatever names. */
bool cli_same_file(const char *a, const char *b);

/* ---- a file, whole or not at all: output.c ---- */

typedef struct cli_output {
    const char *path; /* borrowed */
    FILE *file;       /* to be written to */
    char *target, *part;
    bool replace;
} cli_output;

/* A new file beside it, which gets its name when it is complete. False, here and below: one sentence was printed. To be
 * ended in any case. */
bool cli_output_open(cli_output *output, const char *path, bool replace);
/* What was written is on the disk, without its name. */
bool cli_output_flush(cli_output *output);
bool cli_output_name(cli_output *output);
/* Removes it if it has no name yet. */
void cli_output_end(cli_output *output);

/* ---- a run on its way: progress.c ---- */

/* The first SIGINT or SIGTERM ends the run, and takes back the step that it is in; the second kills. */
void cli_catch_signals(lil_context *ctx);
bool cli_interrupted(void);
/* Steps to the end, with a bar on a terminal. */
lil_status cli_run_to_end(lil_run *run, const char *label);
void cli_clear_line(void);
double cli_seconds(void); /* of a clock */

/* Several runs side by side. */
typedef struct cli_row {
    const char *name, *method, *ended;
    double steps, seconds;   /* NaN: not known */
    double cost, iterations; /* of a shot; NaN: it is none */
    lil_certificate certificate;
} cli_row;

typedef struct cli_table cli_table;

/* The table begins with NULL. False: no memory. */
bool cli_table_add(cli_table **table, const cli_row *row);
/* Prints the text and frees it. */
void cli_table_print(cli_table **table);

/* Steps through the arguments. An option is "--name VALUE", "--name=VALUE" or, without a value, "--name". */
typedef struct cli_args {
    int argc, at;
    char **argv;
    const char *value; /* of the option just matched */
} cli_args;

/* The next argument; NULL at the end. */
const char *cli_next(cli_args *args);
/* Is `word` the option? With takes_value its value is taken too, from = or from the next argument; a missing one
 * leaves value NULL. */
bool cli_option(cli_args *args, const char *word, const char *name, bool takes_value);

#endif
