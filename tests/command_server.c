/*
 * The command without its start: loading forty shared libraries takes longer than most commands that tests give. This
 * program loads them once and forks for each command, so that every command still has a process of its own: an exit code,
 * a standard error, and a crash that ends nothing else. tests/command.py drives it.
 *
 * A request on standard input is the number of strings in decimal and a newline, then that many strings, each with its
 * ending zero: a folder, the file for standard output, the file for standard error, and the arguments from argv[0] on. The
 * answer on standard output is a line with the process, and when it has ended a line with its exit code (below 0: the
 * signal) and its CPU seconds.
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int lilyan_main(int argc, char **argv); /* main of cli/main.c */

enum { STRINGS_MAX = 1024, BYTES_MAX = 1 << 20, FOLDER = 0, OUTPUT, ERRORS, ARGUMENTS };

static char bytes[BYTES_MAX];
static char *strings[STRINGS_MAX + 1];

static void fail(const char *what)
{
    perror(what);
    _exit(EXIT_FAILURE);
}

/* How many strings there are; 0 at the end of the input. */
static int read_request(FILE *in)
{
    int count, used = 0;
    if (fscanf(in, "%d", &count) != 1)
        return 0;
    if (fgetc(in) != '\n' || count <= ARGUMENTS || count > STRINGS_MAX)
        fail("command_server: not a request");
    for (int i = 0; i < count; i++) {
        strings[i] = bytes + used;
        do {
            int c = fgetc(in);
            if (c == EOF || used == BYTES_MAX)
                fail("command_server: half a request");
            bytes[used++] = (char)c;
        } while (bytes[used - 1]);
    }
    strings[count] = NULL;
    return count;
}

static void replace(int descriptor, const char *path, int flags)
{
    int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, descriptor) < 0)
        fail(path);
    close(file);
}

static void become_command(int count)
{
    replace(STDIN_FILENO, "/dev/null", O_RDONLY);
    replace(STDOUT_FILENO, strings[OUTPUT], O_WRONLY | O_CREAT | O_TRUNC);
    replace(STDERR_FILENO, strings[ERRORS], O_WRONLY | O_CREAT | O_TRUNC);
    if (chdir(strings[FOLDER]))
        fail(strings[FOLDER]);
    exit(lilyan_main(count - ARGUMENTS, strings + ARGUMENTS));
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(void)
{
    int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10), count;
    FILE *requests = in < 0 ? NULL : fdopen(in, "r");
    if (!requests || out < 0)
        fail("command_server");
    while ((count = read_request(requests)) > 0) {
        struct rusage used;
        int status;
        pid_t child = fork();
        if (child == 0)
            become_command(count);
        if (child < 0)
            fail("fork");
        dprintf(out, "%ld\n", (long)child);
        if (wait4(child, &status, 0, &used) != child)
            fail("wait4");
        dprintf(out, "%d %.6f\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
                seconds(used.ru_utime) + seconds(used.ru_stime));
    }
    fclose(requests);
    return 0;
}
