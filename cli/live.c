/* The server of a live page as the command starts and ends it. */
#include "live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool fail(const char *what)
{
    fprintf(stderr, "lilyan: --live: %s: %s\n", what, strerror(errno));
    return false;
}

static bool make_secret(char secret[LIVE_SECRET + 1])
{
    unsigned char bytes[LIVE_SECRET / 2];
    FILE *random = fopen("/dev/urandom", "rb");
    bool ok = random && fread(bytes, 1, sizeof bytes, random) == sizeof bytes;
    if (random)
        fclose(random);
    for (size_t i = 0; ok && i < sizeof bytes; i++)
        snprintf(secret + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return ok;
}

static int listen_here(int *port)
{
    struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof here;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&here, size) == 0 && listen(listener, 64) == 0 &&
        getsockname(listener, (struct sockaddr *)&here, &size) == 0 && fcntl(listener, F_SETFL, O_NONBLOCK) == 0) {
        *port = ntohs(here.sin_port);
        return listener;
    }
    if (listener >= 0)
        close(listener);
    return -1;
}

/* Signals to all processes of a group, as Ctrl-C sends one, are for the command: the server ends when the command has told
 * it, or has ended. Output of the command may go into a pipe that waits for its end. */
static void be_server(int listener, int pipe, int port, const char *secret, const char *path)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    int nowhere = open("/dev/null", O_RDWR);
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    for (int i = 0; nowhere >= 0 && i < 3; i++)
        dup2(nowhere, i);
    if (nowhere > 2)
        close(nowhere);
    live_serve(listener, pipe, port, secret, path);
    close(listener);
    close(pipe);
}

bool live_begin(live *l, const char *path)
{
    char secret[LIVE_SECRET + 1];
    int port = 0, ends[2], listener;
    *l = (live){ .child = -1, .pipe = -1 };
    if (!make_secret(secret))
        return fail("no random numbers");
    if ((listener = listen_here(&port)) < 0)
        return fail("no port of 127.0.0.1 can be listened to");
    if (pipe(ends) != 0) {
        close(listener);
        return fail("no pipe");
    }
    fflush(NULL);
    l->child = fork();
    if (l->child == 0) {
        close(ends[1]);
        be_server(listener, ends[0], port, secret, path);
        _exit(0);
    }
    close(listener);
    close(ends[0]);
    if (l->child < 0) {
        close(ends[1]);
        return fail("no process for the server");
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    l->pipe = ends[1];
    snprintf(l->address, sizeof l->address, "http://127.0.0.1:%d/%s/", port, secret);
    fprintf(stderr, "live page: %s\n", l->address);
    return true;
}

/* To a server that may have ended. */
static void tell(const live *l, char word)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGPIPE, &ignore, &before);
    while (l->pipe >= 0 && write(l->pipe, &word, 1) < 0 && errno == EINTR)
        continue;
    sigaction(SIGPIPE, &before, NULL);
}

void live_started(live *l)
{
    tell(l, 's');
    l->started = true;
}

void live_end(live *l, bool opened)
{
    if (l->child <= 0)
        return;
    if (l->started)
        tell(l, opened ? 'o' : 'e');
    else
        close(l->pipe);
    bool waits = l->started;
    while (waitpid(l->child, NULL, 0) < 0 && errno == EINTR) {
        if (waits) /* Ctrl-C: whoever looks on gets no more */
            close(l->pipe);
        waits = false;
    }
    if (waits)
        close(l->pipe);
    *l = (live){ .child = -1, .pipe = -1 };
}
