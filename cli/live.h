/*
 * A page of a run that is still going on. A process of its own serves it to this machine alone, from 127.0.0.1, a port
 * that the system chooses, and a path that begins with a secret: GET /SECRET/ is the page of what is recorded, GET
 * /SECRET/frames/N the same once there are more than N frames (204 until then). GET /SECRET/end is answered when the run
 * ends: as long as it is open, somebody watches. All else is refused.
 */
#ifndef LILYAN_CLI_LIVE_H
#define LILYAN_CLI_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { LIVE_SECRET = 32, LIVE_REQUEST_MAX = 8192 };

/* Before the run is created; `path` is where it will record. */
typedef struct live {
    pid_t child;
    int pipe; /* tells the server how far the run is; closed: the command has ended */
    bool started;
    char address[80];
} live;

/* False: one sentence was printed. */
bool live_begin(live *l, const char *path);
void live_started(live *l); /* the file is there */
/* The run is recorded, or could not be started. Pages that are open get the last frames first; `opened`: one was
 * opened just now. */
void live_end(live *l, bool opened);

/* What is asked for. */
typedef enum live_answer {
    LIVE_INCOMPLETE = 0, /* more of it is to come */
    LIVE_PAGE,
    LIVE_FRAMES,
    LIVE_END,
    LIVE_BAD = 400,
    LIVE_FORBIDDEN = 403,
    LIVE_NOTHING = 404,
    LIVE_NOT_ALLOWED = 405,
    LIVE_TOO_LONG = 431
} live_answer;

/* The head of a request, as far as it has come. `frames`: the N of LIVE_FRAMES. */
live_answer live_read_request(const char *text, size_t size, const char *secret, int port, int64_t *frames);

/* The server: until the command has told it over `pipe` that the run has ended, or has ended itself. */
void live_serve(int listener, int pipe, int port, const char *secret, const char *path);

#endif
