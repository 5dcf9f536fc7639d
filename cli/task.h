/* What `lilyan solve` and `lilyan modes` share: a scene, its overrides, and an output. */
#ifndef LILYAN_CLI_TASK_H
#define LILYAN_CLI_TASK_H

#include "cli.h"

typedef struct task_options {
    const cli_command *command;
    const char *scene, *output, *variant, *threads;
    const char *time, *steps, *count, *at, *csv; /* of one command each */
    bool force, json, is_static;
} task_options;

/* Reads the arguments; `own` are those of the command besides, which take a value, and end with NULL. Returns an exit
 * code. */
int task_parse(int argc, char **argv, const char *const *own, task_options *o);
/* The scene with its overrides, and its run without an output yet; *path is where that goes, to be freed. */
int task_open(lil_context *ctx, int argc, char **argv, const task_options *o, lil_task task, const char *ending,
              lil_run **run, char **path);
/* Writes what was recorded and says so. Returns `code`, or another if that fails. */
int task_close(lil_context *ctx, const task_options *o, const char *path, int code, lil_run **run);
/* A whole number of an option. */
bool task_whole(const char *text, int least, int most, int *value);

/* null where it is not finite */
void task_print_json_number(const char *name, double value, const char *after);

#endif
