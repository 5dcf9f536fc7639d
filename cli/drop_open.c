#define _XOPEN_SOURCE 700 /* realpath */
#define _DEFAULT_SOURCE   /* mkstemps */
/* A page is opened with what the desktop opens pages with, which may stay as long as the page is open. */
#include "browser.h"
#include "drop.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const double SOON = 1; /* s, in which it has failed if it fails */

/* In a group of its own: Ctrl-C is not for a browser. */
static bool start(drop_opened *o, char *path)
{
    char program[] = "xdg-open";
    posix_spawn_file_actions_t quiet;
    posix_spawnattr_t alone;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&alone);
    posix_spawnattr_setflags(&alone, POSIX_SPAWN_SETPGROUP);
    bool ok = posix_spawnp(&o->child, program, &quiet, &alone, (char *[]){ program, path, NULL }, environ) == 0;
    posix_spawn_file_actions_destroy(&quiet);
    posix_spawnattr_destroy(&alone);
    if (!ok) {
        o->child = 0;
        fprintf(stderr, "lilyan: --open: there is no xdg-open here: open %s in a browser\n", o->page);
    }
    o->since = cli_seconds();
    return ok;
}

bool drop_open(drop_opened *o, const char *page)
{
    char *path = realpath(page, NULL);
    *o = (drop_opened){ .page = page };
    bool ok = path && start(o, path);
    free(path);
    return ok;
}

/* Arguments of a process are public, and the address is a secret. */
bool drop_open_address(drop_opened *o, const char *address, const char *stem)
{
    const char ending[] = ".html";
    size_t room = strlen(stem) + sizeof ".live-XXXXXX.html";
    *o = (drop_opened){ .page = address, .way = malloc(room) };
    if (!o->way)
        return cli_no_memory(), false;
    snprintf(o->way, room, "%s.live-XXXXXX%s", stem, ending);
    int file = mkstemps(o->way, (int)strlen(ending)); /* nobody else may read it */
    bool ok =
        file >= 0 &&
        dprintf(file, "<!doctype html><title>Lilyan</title><meta http-equiv=\"refresh\" content=\"0; url=%s\">\n",
                address) > 0;
    if (!ok)
        fprintf(stderr, "lilyan: --open: %s: cannot be written: %s\n", o->way, strerror(errno));
    if (file >= 0)
        close(file);
    else
        o->way[0] = 0;
    char *path = ok ? realpath(o->way, NULL) : NULL;
    ok = path && start(o, path);
    free(path);
    return ok;
}

bool drop_is_open(drop_opened *o)
{
    int status = 0;
    pid_t ended = 0;
    while (o->child && (ended = waitpid(o->child, &status, WNOHANG)) == 0 && cli_seconds() - o->since < SOON)
        cli_wait(0.02);
    bool failed = !o->child || (ended > 0 && status != 0);
    if (ended > 0 && status != 0)
        fprintf(stderr, "lilyan: --open: xdg-open has failed: open %s in a browser\n", o->page);
    o->child = ended > 0 ? 0 : o->child;
    return !failed;
}

void drop_open_end(drop_opened *o)
{
    if (o->way && o->way[0])
        unlink(o->way);
    free(o->way);
    *o = (drop_opened){ 0 };
}
