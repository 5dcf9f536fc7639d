/* Chromium without a window, as a child process, driven through a pair of pipes (its DevTools protocol). It draws with
 * the CPU, has a profile of its own, and ends with this process. */
#ifndef LILYAN_CLI_BROWSER_H
#define LILYAN_CLI_BROWSER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct cli_browser {
    pid_t process;
    int to, from;                      /* pipes; -1: closed */
    const char *folder;                /* what it writes is there */
    double patience;                   /* seconds that an answer may take */
    const volatile sig_atomic_t *stop; /* not 0: the user wants no more */
    char session[80];
    int asked;  /* messages that were sent */
    char *text; /* what was read and not yet used */
    size_t have, room, used;
    char why[400]; /* the sentence of what went wrong */
} cli_browser;

/* Begins with a window of that size. Everything is to be closed, also after a failure. */
bool cli_browser_open(cli_browser *b, int width, int height, bool dark);
/* Shows a file of an absolute path. */
bool cli_browser_show(cli_browser *b, const char *path);
/* The value of an expression that gives a string and has no double quotes or backslashes. It stays until the next call. */
const char *cli_browser_evaluate(cli_browser *b, const char *expression);
void cli_browser_close(cli_browser *b);

void cli_wait(double seconds);

#endif
