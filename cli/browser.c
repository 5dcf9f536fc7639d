#include "browser.h"
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = { "chromium", "chromium-browser", "google-chrome", "google-chrome-stable" };
enum { NAMES = sizeof names / sizeof names[0], ARGUMENTS = 24, PIPE_IN = 3, PIPE_OUT = 4, LINE = 300 };

void cli_wait(double seconds)
{
    nanosleep(&(struct timespec){ (time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds)) }, NULL);
}

__attribute__((format(printf, 2, 3))) static bool fail(cli_browser *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(b->why, sizeof b->why, format, args);
    va_end(args);
    return false;
}

/* ---- starting it ---- */

/* Looks for it in PATH; "" if there is none. */
static void find(char *path, size_t room)
{
    const char *folders = getenv("PATH");
    for (int i = 0; folders && i < NAMES; i++)
        for (const char *at = folders; *at;) {
            size_t length = strcspn(at, ":");
            int wrote = snprintf(path, room, "%.*s/%s", (int)length, at, names[i]);
            if (length && wrote > 0 && (size_t)wrote < room && !cli_is_special(path) && access(path, X_OK) == 0)
                return;
            at += length + (at[length] == ':');
        }
    path[0] = 0;
}

/* In the child: pipes become the descriptors that Chromium expects, its words go to a file. */
static void become(const cli_browser *b, const char *program, int from, int to)
{
    char profile[1200], log[1200];
    snprintf(profile, sizeof profile, "--user-data-dir=%.1000s/profile", b->folder);
    snprintf(log, sizeof log, "%.1000s/log", b->folder);
    const char *words[ARGUMENTS] = { program,
                                     "--headless",
                                     "--remote-debugging-pipe",
                                     profile,
                                     "--use-angle=swiftshader",
                                     "--enable-unsafe-swiftshader",
                                     "--disable-gpu-compositing",
                                     "--disable-background-networking",
                                     "--disable-component-update",
                                     "--disable-breakpad",
                                     "--no-first-run",
                                     "--no-default-browser-check",
                                     "--hide-scrollbars",
                                     "about:blank" };
    if (geteuid() == 0) /* as root it runs in no other way */
        words[14] = "--no-sandbox";
    setpgid(0, 0);
    setenv("TMPDIR", b->folder, 1);
    int null = open("/dev/null", O_RDONLY), file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    /* first out of the way of the descriptors that they become */
    from = fcntl(from, F_DUPFD, 10);
    to = fcntl(to, F_DUPFD, 10);
    dup2(null, STDIN_FILENO);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    dup2(from, PIPE_IN);
    dup2(to, PIPE_OUT);
    close(from);
    close(to);
    signal(SIGPIPE, SIG_DFL);
    execv(program, (char *const *)words);
    _exit(127);
}

static bool start(cli_browser *b)
{
    char program[1200];
    int in[2], out[2];
    find(program, sizeof program);
    if (!program[0])
        return fail(b, "pictures are drawn by Chromium, which is not installed (Debian's package is 'chromium')");
    if (pipe(in) != 0)
        return fail(b, "no pipe: %s", strerror(errno));
    if (pipe(out) != 0) {
        close(in[0]);
        close(in[1]);
        return fail(b, "no pipe: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) {
        fcntl(in[i], F_SETFD, FD_CLOEXEC);
        fcntl(out[i], F_SETFD, FD_CLOEXEC);
    }
    b->process = fork();
    if (b->process == 0)
        become(b, program, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    b->to = in[1];
    b->from = out[0];
    if (b->process > 0)
        setpgid(b->process, b->process);
    return b->process > 0 ? true : fail(b, "%.100s does not start: %s", program, strerror(errno));
}

/* ---- talking to it ---- */

/* It has gone: the last line of what it said. */
static bool gone(cli_browser *b)
{
    char path[1200], line[LINE] = "", last[LINE] = "";
    snprintf(path, sizeof path, "%.1000s/log", b->folder);
    FILE *log = fopen(path, "r");
    while (log && fgets(line, sizeof line, log))
        if (strspn(line, " \t\n") < strlen(line))
            snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
    if (log)
        fclose(log);
    return fail(b, last[0] ? "Chromium has ended: %s" : "Chromium has ended%s", last);
}

static bool send_all(cli_browser *b, const char *data, size_t size)
{
    while (size) {
        ssize_t wrote = write(b->to, data, size);
        if (wrote < 0 && errno != EINTR)
            return gone(b);
        if (wrote > 0) {
            data += wrote;
            size -= (size_t)wrote;
        }
    }
    return true;
}

/* More of what it says, within the time. */
static bool receive(cli_browser *b, double until)
{
    if (b->room - b->have < 1 << 16) {
        size_t room = b->room ? 2 * b->room : 1 << 18;
        char *text = realloc(b->text, room);
        if (!text)
            return fail(b, "out of memory");
        b->text = text;
        b->room = room;
    }
    while (!*b->stop) {
        struct pollfd from = { .fd = b->from, .events = POLLIN };
        if (cli_seconds() > until)
            return fail(b, "Chromium has not answered for %g s (--timeout gives it longer)", b->patience);
        if (poll(&from, 1, 100) <= 0)
            continue;
        ssize_t got = read(b->from, b->text + b->have, b->room - b->have);
        if (got == 0 || (got < 0 && errno != EINTR))
            return gone(b);
        if (got > 0) {
            b->have += (size_t)got;
            return true;
        }
    }
    return fail(b, "interrupted");
}

/* The answer to the message that was sent last; what it says besides is passed over. */
static const char *answer(cli_browser *b)
{
    double until = cli_seconds() + b->patience;
    char begins[40];
    snprintf(begins, sizeof begins, "{\"id\":%d,", b->asked);
    size_t looked = 0;
    for (;;) {
        if (b->used)
            memmove(b->text, b->text + b->used, b->have - b->used);
        b->have -= b->used;
        b->used = 0;
        char *end = b->have > looked ? memchr(b->text + looked, 0, b->have - looked) : NULL;
        if (!end) {
            looked = b->have;
            if (!receive(b, until))
                return NULL;
            continue;
        }
        b->used = (size_t)(end - b->text) + 1;
        looked = 0;
        if (strncmp(b->text, begins, strlen(begins)) == 0)
            return b->text;
    }
}

/* One command of the protocol; its whole answer. */
static const char *ask(cli_browser *b, const char *method, const char *parameters)
{
    size_t room = strlen(parameters) + strlen(method) + 200;
    char *message = malloc(room);
    if (!message) {
        fail(b, "out of memory");
        return NULL;
    }
    int length =
        snprintf(message, room, "{\"id\":%d,\"method\":\"%s\",\"params\":{%s}%s%s%s}", ++b->asked, method, parameters,
                 b->session[0] ? ",\"sessionId\":\"" : "", b->session, b->session[0] ? "\"" : "");
    bool sent = send_all(b, message, (size_t)length + 1);
    free(message);
    return sent ? answer(b) : NULL;
}

/* The text of the first "key":"..." in it, which ends at a quote; in place. */
static char *text_of(const char *from, const char *key)
{
    char *at = from ? strstr(from, key) : NULL, *to;
    if (!at)
        return NULL;
    at += strlen(key);
    char *begin = to = at;
    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1])
            at++;
        *to++ = *at;
    }
    *to = 0;
    return begin;
}

bool cli_browser_open(cli_browser *b, int width, int height, bool dark)
{
    char words[300];
    const char *id;
    b->to = b->from = -1;
    if (!start(b))
        return false;
    id = text_of(ask(b, "Target.createTarget", "\"url\":\"about:blank\""), "\"targetId\":\"");
    if (!id)
        return b->why[0] ? false : fail(b, "Chromium opens no page");
    snprintf(words, sizeof words, "\"targetId\":\"%.80s\",\"flatten\":true", id);
    id = text_of(ask(b, "Target.attachToTarget", words), "\"sessionId\":\"");
    if (!id)
        return b->why[0] ? false : fail(b, "Chromium opens no page");
    snprintf(b->session, sizeof b->session, "%s", id);
    snprintf(words, sizeof words, "\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false", width,
             height);
    if (!ask(b, "Emulation.setDeviceMetricsOverride", words))
        return false;
    snprintf(words, sizeof words,
             "\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"},"
             "{\"name\":\"prefers-reduced-motion\",\"value\":\"reduce\"}]",
             dark ? "dark" : "light");
    return ask(b, "Emulation.setEmulatedMedia", words) != NULL;
}

bool cli_browser_show(cli_browser *b, const char *path)
{
    size_t room = 3 * strlen(path) + 40;
    char *words = malloc(room);
    if (!words)
        return fail(b, "out of memory");
    size_t at = (size_t)snprintf(words, room, "\"url\":\"file://");
    for (; *path; path++)
        at += (size_t)snprintf(words + at, room - at,
                               isalnum((unsigned char)*path) || strchr("/._-", *path) ? "%c" : "%%%02X",
                               (unsigned char)*path);
    snprintf(words + at, room - at, "\"");
    bool shown = ask(b, "Page.navigate", words) != NULL;
    free(words);
    return shown;
}

const char *cli_browser_evaluate(cli_browser *b, const char *expression)
{
    char words[600];
    snprintf(words, sizeof words, "\"expression\":\"%s\",\"returnByValue\":true", expression);
    const char *got = ask(b, "Runtime.evaluate", words), *value;
    if (!got)
        return NULL;
    value = text_of(got, "\"type\":\"string\",\"value\":\"");
    if (!value)
        fail(b, "the page does not answer: %.200s", got);
    return value;
}

void cli_browser_close(cli_browser *b)
{
    if (b->to >= 0)
        close(b->to);
    if (b->from >= 0)
        close(b->from);
    if (b->process > 0) {
        kill(-b->process, SIGKILL);
        while (waitpid(b->process, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    free(b->text);
    *b = (cli_browser){ .to = -1, .from = -1 };
}
