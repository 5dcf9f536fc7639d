/* The server of live pages: one process, one loop, a few connections, each for one request. */
#include "cli.h"
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 32, WATCHERS_MOST = CONNECTIONS / 2, FRAMES_LEAST = 3, TEXT = 3000 };
static const double PATIENCE = 10, LOADING = 10, LAST_FRAMES = 20; /* s */

/* Of a connection. Those that watch get their answer when the run ends. */
typedef enum part { HEARS = 0, WATCHES, ANSWERS } part;

typedef struct connection {
    int socket; /* -1: free */
    part part;
    double since;
    char request[LIVE_REQUEST_MAX], head[TEXT + 512]; /* head: with the body, if that is short */
    const char *body;                                 /* borrowed: the server's page; or NULL */
    size_t have, head_size, body_size, sent;
    bool last; /* nothing will follow this answer */
} connection;

typedef struct server {
    int listener, pipe, port;
    const char *secret, *path;
    lil_context *ctx;
    connection connections[CONNECTIONS];
    char *html; /* the latest page */
    size_t size;
    int64_t frames;      /* in it; 0: a page that waits for them */
    char why[TEXT / 8];  /* it could not be made anew: a sentence; "" */
    bool started, ended; /* the run */
    bool final, asked;   /* `html` is of the whole run; a page was asked for */
    int owed;            /* pages that still want the last frames, once the run has ended */
    double loads;        /* when a page was sent that does not watch yet; 0: none */
    double end;          /* of the run, or when its last page was made */
} server;

/* ---- pages ---- */

static bool is_lent(const server *s)
{
    for (int i = 0; i < CONNECTIONS; i++)
        if (s->html && s->connections[i].socket >= 0 && s->connections[i].body == s->html)
            return true;
    return false;
}

/* If that is the whole run, or more than before. */
static bool make_page(server *s, const char *path, bool whole)
{
    lil_trajectory *run = NULL;
    lil_report_def def = lil_report_def_default();
    char *html = NULL;
    size_t size = 0;
    def.live = true;
    s->why[0] = 0;
    lil_status status = lil_trajectory_open(s->ctx, path, &run);
    int64_t frames = run ? lil_trajectory_frames(run) : 0;
    if (status != LIL_OK && !whole) /* a file that cannot be read now can be soon */
        return false;
    if (status == LIL_OK && !whole && (frames < FRAMES_LEAST || frames <= s->frames)) {
        lil_trajectory_destroy(&run);
        return false;
    }
    if (status == LIL_OK)
        status = lil_report_html(s->ctx, &run, 1, &def, &html, &size);
    if (status != LIL_OK)
        snprintf(s->why, sizeof s->why, "%s", lil_context_message(s->ctx));
    lil_trajectory_destroy(&run);
    if (status != LIL_OK)
        return false;
    lil_free(s->html);
    s->html = html;
    s->size = size;
    s->frames = frames;
    return true;
}

/* The page of what is on the disk now, if that is more than before. The time that the last one takes is no reason to end. */
static void renew_page(server *s)
{
    bool whole = s->ended;
    if (!s->started || s->final || is_lent(s))
        return;
    s->final = make_page(s, s->path, whole) && whole;
    if (s->final)
        s->end = cli_seconds();
}

/* ---- answers ---- */

/* The head, for a body of `size` bytes. */
static void put(connection *c, const char *status, const char *type, const char *body, size_t size)
{
    c->part = ANSWERS;
    c->since = cli_seconds();
    c->body = body;
    c->body_size = body ? size : 0;
    c->head_size = (size_t)snprintf(c->head, sizeof c->head,
                                    "HTTP/1.1 %s\r\nContent-Type: text/%s; charset=utf-8\r\nContent-Length: %zu\r\n"
                                    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
                                    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                                    "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
                                    status, type, size);
}

/* The same with a short body. */
static void put_text(connection *c, const char *status, const char *type, const char *text)
{
    put(c, status, type, NULL, strlen(text));
    c->head_size += (size_t)snprintf(c->head + c->head_size, sizeof c->head - c->head_size, "%s", text);
}

static void refuse(connection *c, live_answer why)
{
    put_text(c,
             why == LIVE_FORBIDDEN     ? "403 Forbidden"
             : why == LIVE_NOTHING     ? "404 Not Found"
             : why == LIVE_NOT_ALLOWED ? "405 Method Not Allowed"
             : why == LIVE_TOO_LONG    ? "431 Request Header Fields Too Large"
                                       : "400 Bad Request",
             "html", "");
}

/* Without frames yet: it asks again by itself, until it has some or knows why there will be none. */
static void put_waiting(const server *s, connection *c)
{
    char text[TEXT], why[sizeof "&#60;" * sizeof s->why] = "";
    size_t at = 0;
    for (const char *from = s->why; *from; from++)
        at += (size_t)snprintf(why + at, sizeof why - at, strchr("<>&", *from) ? "&#%d;" : "%c", *from);
    snprintf(text, sizeof text,
             "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">%s<link rel=\"icon\" href=\"data:,\">"
             "<title>Lilyan</title><p style=\"font: 16px system-ui, sans-serif; margin: 3em\">%s%s",
             s->ended ? "" : "<meta http-equiv=\"refresh\" content=\"1\">",
             s->why[0] ? "This run cannot be shown: " : "The first frames are being computed.", why);
    put_text(c, "200 OK", "html", text);
}

static int watchers(const server *s)
{
    int count = 0;
    for (int i = 0; i < CONNECTIONS; i++)
        count += s->connections[i].socket >= 0 && s->connections[i].part == WATCHES;
    return count;
}

static void watch(server *s, connection *c)
{
    bool loaded = s->loads > 0;
    s->loads = 0;
    s->owed += s->ended && !loaded; /* else it was counted as one that is being loaded */
    if (s->ended)
        put_text(c, "204 No Content", "html", "");
    else if (watchers(s) >= WATCHERS_MOST)
        put_text(c, "503 Service Unavailable", "html", "");
    else
        c->part = WATCHES;
}

static void show(server *s, connection *c, bool renewed, int64_t frames)
{
    s->asked = true;
    if (s->ended || !renewed || s->frames <= frames) /* one that was made for somebody else will do */
        renew_page(s);
    c->last = s->final || (s->ended && s->why[0]);
    if (!renewed && !c->last)
        s->loads = cli_seconds();
    if (s->why[0] && renewed)
        put_text(c, "500 Internal Server Error", "plain", s->why);
    else if (renewed && s->frames <= frames && !s->final)
        put_text(c, "204 No Content", "html", "");
    else if (s->html && !(s->ended && s->why[0]))
        put(c, "200 OK", "html", s->html, s->size);
    else
        put_waiting(s, c);
}

static void answer(server *s, connection *c)
{
    int64_t frames;
    live_answer asked = live_read_request(c->request, c->have, s->secret, s->port, &frames);
    if (asked == LIVE_END)
        watch(s, c);
    else if (asked == LIVE_PAGE || asked == LIVE_FRAMES)
        show(s, c, asked == LIVE_FRAMES, frames);
    else if (asked != LIVE_INCOMPLETE)
        refuse(c, asked);
}

/* ---- connections ---- */

static void forget(connection *c)
{
    if (c->socket >= 0)
        close(c->socket);
    c->socket = -1;
}

/* One that is free; if there is none the oldest that has not asked for anything yet. NULL: all have. */
static connection *find_room(server *s)
{
    connection *oldest = NULL;
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &s->connections[i];
        if (c->socket < 0)
            return c;
        if (c->part == HEARS && (!oldest || c->since < oldest->since))
            oldest = c;
    }
    if (oldest)
        forget(oldest);
    return oldest;
}

/* False: nobody waits. */
static bool greet(server *s)
{
    int socket = accept(s->listener, NULL, NULL);
    if (socket < 0)
        return false;
    connection *c = fcntl(socket, F_SETFL, O_NONBLOCK) == 0 ? find_room(s) : NULL;
    if (!c) {
        close(socket);
        return true;
    }
    c->socket = socket;
    c->part = HEARS;
    c->since = cli_seconds();
    c->have = c->head_size = c->body_size = c->sent = 0;
    c->body = NULL;
    c->last = false;
    return true;
}

static void hear(server *s, connection *c)
{
    ssize_t got = recv(c->socket, c->request + c->have, sizeof c->request - c->have, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || c->part == WATCHES) { /* who watches has no more to say */
        forget(c);
        return;
    }
    c->have += (size_t)got;
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
        s->owed -= sent >= 0 && c->last && s->owed > 0;
        shutdown(c->socket, SHUT_WR);
        forget(c);
    }
}

/* ---- the loop ---- */

/* Who watches is told, and is owed the last frames; so is a page that is being loaded. */
static void end(server *s, bool opened)
{
    s->ended = true;
    s->end = cli_seconds();
    if (s->end - s->loads > LOADING) /* that one was closed again */
        s->loads = 0;
    s->owed = watchers(s) + (s->loads > 0 || (opened && !s->asked));
    for (int i = 0; i < CONNECTIONS; i++)
        if (s->connections[i].socket >= 0 && s->connections[i].part == WATCHES)
            put_text(&s->connections[i], "204 No Content", "html", "");
}

/* What the command tells: the file is there; the run has ended. False: the command has ended. */
static bool hear_command(server *s)
{
    char words[16];
    ssize_t got = read(s->pipe, words, sizeof words);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    for (ssize_t i = 0; i < got; i++) {
        s->started = true;
        if (words[i] != 's')
            end(s, words[i] == 'o');
    }
    return true;
}

/* A run has ended, and who is owed its last frames has got them, or does not ask for them. */
static bool is_done(const server *s)
{
    bool answers = false;
    for (int i = 0; i < CONNECTIONS; i++)
        answers = answers || (s->connections[i].socket >= 0 && s->connections[i].part == ANSWERS);
    return s->ended && ((!s->owed && !answers) || cli_seconds() - s->end > LAST_FRAMES);
}

static bool turn(server *s)
{
    struct pollfd look[2 + CONNECTIONS] = { { .fd = s->pipe, .events = POLLIN },
                                            { .fd = s->listener, .events = POLLIN } };
    for (int i = 0; i < CONNECTIONS; i++) {
        const connection *c = &s->connections[i];
        look[2 + i] = (struct pollfd){ .fd = c->socket, .events = c->part == ANSWERS ? POLLOUT : POLLIN };
    }
    if (poll(look, 2 + CONNECTIONS, 200) < 0 && errno != EINTR)
        return false;
    if (look[0].revents && !hear_command(s))
        return false;
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &s->connections[i];
        if (c->socket >= 0 && look[2 + i].fd == c->socket && look[2 + i].revents) {
            if (c->part == ANSWERS)
                speak(s, c);
            else
                hear(s, c);
        } else if (c->socket >= 0 && c->part != WATCHES && cli_seconds() - c->since > PATIENCE) {
            forget(c);
        }
    }
    for (int i = 0; (look[1].revents & POLLIN) && i < CONNECTIONS && greet(s); i++)
        continue;
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
