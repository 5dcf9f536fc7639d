/* The server of live pages: one process, one loop, a few connections, each for one request. */
#include "cli.h"
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 12, FRAMES_LEAST = 3 };
static const double PATIENCE = 10, LAST_FRAMES = 4, FIRST_PAGE = 20, CLIENT_GONE = 3; /* s */

typedef struct connection {
    int socket; /* -1: free */
    double since;
    char request[LIVE_REQUEST_MAX], head[512];
    const char *body; /* borrowed: the server's page, or a constant */
    size_t have, head_size, body_size, sent;
    bool answered;
} connection;

typedef struct server {
    int listener, pipe, port;
    const char *secret, *path;
    lil_context *ctx;
    connection connections[CONNECTIONS];
    char *html; /* the latest page */
    size_t size;
    int64_t frames;          /* in it; 0: a page that waits for them */
    bool started, ended;     /* the run */
    bool final, opened;      /* `html` is of the whole run; somebody opened a page for it */
    double asked, end, told; /* when a page was asked for, the run ended, its whole was sent; 0: never */
} server;

/* ---- pages ---- */

static const char waiting[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\">"
    "<link rel=\"icon\" href=\"data:,\"><title>Lilyan</title>"
    "<p style=\"font: 16px system-ui, sans-serif; margin: 3em\">The first frames are being computed.";

static bool is_lent(const server *s)
{
    for (int i = 0; i < CONNECTIONS; i++)
        if (s->html && s->connections[i].socket >= 0 && s->connections[i].body == s->html)
            return true;
    return false;
}

/* The page of what is on the disk now, if that is more than before. A file that cannot be read now can be soon. */
static void renew_page(server *s)
{
    lil_trajectory *run = NULL;
    lil_report_def def = lil_report_def_default();
    char *html = NULL;
    size_t size = 0;
    if (!s->started || s->final || is_lent(s))
        return;
    bool whole = s->ended;
    def.live = true;
    if (lil_trajectory_open(s->ctx, s->path, &run) != LIL_OK)
        return;
    int64_t frames = lil_trajectory_frames(run);
    if ((whole || frames >= FRAMES_LEAST) && (whole || frames > s->frames) &&
        lil_report_html(s->ctx, &run, 1, &def, &html, &size) == LIL_OK) {
        lil_free(s->html);
        s->html = html;
        s->size = size;
        s->frames = frames;
        s->final = whole;
    }
    lil_trajectory_destroy(&run);
}

/* ---- answers ---- */

static void put(connection *c, const char *status, const char *body, size_t size)
{
    c->body = body;
    c->body_size = size;
    c->head_size = (size_t)snprintf(c->head, sizeof c->head,
                                    "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\n"
                                    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
                                    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                                    "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
                                    status, size);
    c->answered = true;
}

static void refuse(connection *c, live_answer why)
{
    put(c,
        why == LIVE_FORBIDDEN     ? "403 Forbidden"
        : why == LIVE_NOTHING     ? "404 Not Found"
        : why == LIVE_NOT_ALLOWED ? "405 Method Not Allowed"
        : why == LIVE_TOO_LONG    ? "431 Request Header Fields Too Large"
                                  : "400 Bad Request",
        NULL, 0);
}

static void answer(server *s, connection *c)
{
    int64_t frames;
    live_answer asked = live_read_request(c->request, c->have, s->secret, s->port, &frames);
    if (asked == LIVE_INCOMPLETE)
        return;
    if (asked != LIVE_PAGE && asked != LIVE_FRAMES) {
        refuse(c, asked);
        return;
    }
    s->asked = cli_seconds();
    renew_page(s);
    if (asked == LIVE_FRAMES && s->frames <= frames && !s->final)
        put(c, "204 No Content", NULL, 0);
    else if (s->html)
        put(c, "200 OK", s->html, s->size);
    else
        put(c, "200 OK", waiting, sizeof waiting - 1);
}

/* ---- connections ---- */

static void forget(connection *c)
{
    if (c->socket >= 0)
        close(c->socket);
    c->socket = -1;
}

static void greet(server *s)
{
    int socket = accept(s->listener, NULL, NULL);
    connection *free_one = NULL;
    for (int i = 0; i < CONNECTIONS; i++)
        if (s->connections[i].socket < 0)
            free_one = &s->connections[i];
    if (socket < 0)
        return;
    if (!free_one || fcntl(socket, F_SETFL, O_NONBLOCK) != 0) {
        close(socket);
        return;
    }
    free_one->socket = socket;
    free_one->since = cli_seconds();
    free_one->have = free_one->head_size = free_one->body_size = free_one->sent = 0;
    free_one->body = NULL;
    free_one->answered = false;
}

static void hear(server *s, connection *c)
{
    ssize_t got = recv(c->socket, c->request + c->have, sizeof c->request - c->have, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        forget(c);
        return;
    }
    c->have += got > 0 ? (size_t)got : 0;
    answer(s, c);
}

/* The head, then the body; closed after that. */
static void speak(server *s, connection *c)
{
    bool in_head = c->sent < c->head_size;
    const char *from = in_head ? c->head + c->sent : c->body + (c->sent - c->head_size);
    size_t left = (in_head ? c->head_size : c->head_size + c->body_size) - c->sent;
    ssize_t sent = left ? send(c->socket, from, left, MSG_NOSIGNAL) : 0;
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (sent > 0) {
        c->sent += (size_t)sent;
        c->since = cli_seconds();
    }
    if (sent < 0 || c->sent == c->head_size + c->body_size) {
        if (sent >= 0 && s->final && c->body == s->html)
            s->told = cli_seconds();
        shutdown(c->socket, SHUT_WR);
        forget(c);
    }
}

/* ---- the loop ---- */

/* What the command tells: the file is there; the run has ended. False: the command has ended. */
static bool hear_command(server *s)
{
    char words[16];
    ssize_t got = read(s->pipe, words, sizeof words);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    for (ssize_t i = 0; i < got; i++) {
        s->started = true;
        if (words[i] == 's')
            continue;
        s->ended = true;
        s->opened = words[i] == 'o';
        s->end = cli_seconds();
    }
    return true;
}

/* A run has ended: nobody looks on, or they have got all of it. */
static bool is_done(const server *s)
{
    double now = cli_seconds();
    if (!s->ended)
        return false;
    if (s->told)
        return now - s->told > 1.5 && !is_lent(s); /* a second page may ask too */
    if (s->asked && s->end - s->asked < CLIENT_GONE)
        return now - s->end > LAST_FRAMES + (now - s->asked < CLIENT_GONE ? PATIENCE : 0);
    return !s->opened || now - s->end > FIRST_PAGE;
}

static bool turn(server *s)
{
    struct pollfd look[2 + CONNECTIONS] = { { .fd = s->pipe, .events = POLLIN },
                                            { .fd = s->listener, .events = POLLIN } };
    for (int i = 0; i < CONNECTIONS; i++) {
        const connection *c = &s->connections[i];
        look[2 + i] = (struct pollfd){ .fd = c->socket, .events = c->answered ? POLLOUT : POLLIN };
    }
    if (poll(look, 2 + CONNECTIONS, 200) < 0 && errno != EINTR)
        return false;
    if (look[0].revents && !hear_command(s))
        return false;
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &s->connections[i];
        if (c->socket >= 0 && look[2 + i].fd == c->socket && look[2 + i].revents) {
            if (c->answered)
                speak(s, c);
            else
                hear(s, c);
        } else if (c->socket >= 0 && cli_seconds() - c->since > PATIENCE) {
            forget(c);
        }
    }
    if (look[1].revents & POLLIN)
        greet(s);
    return !is_done(s);
}

void live_serve(int listener, int pipe, int port, const char *secret, const char *path)
{
    server *s = calloc(1, sizeof *s);
    lil_context *ctx = lil_context_create();
    if (s && ctx && lil_context_set_threads(ctx, 1) == LIL_OK) {
        *s = (server){ .listener = listener, .pipe = pipe, .port = port, .secret = secret, .path = path, .ctx = ctx };
        for (int i = 0; i < CONNECTIONS; i++)
            s->connections[i].socket = -1;
        while (turn(s))
            continue;
        for (int i = 0; i < CONNECTIONS; i++)
            forget(&s->connections[i]);
        lil_free(s->html);
    }
    lil_context_destroy(&ctx);
    free(s);
}
