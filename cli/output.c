#define _GNU_SOURCE /* renameat2 */
/* Files that commands write themselves, whole or not at all. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const cli_output *o, int error)
{
    if (error == EEXIST)
        fprintf(stderr, "lilyan: %s: exists already (--force replaces it)\n", o->path);
    else
        fprintf(stderr, "lilyan: %s: cannot be written: %s\n", o->path, strerror(error));
    return false;
}

/* A new file beside the target. */
static FILE *open_part(cli_output *o)
{
    enum { TRIES = 100 };
    size_t room = strlen(o->target) + 40;
    int file = -1;
    o->part = malloc(room);
    for (int i = 0; o->part && file < 0 && i < TRIES; i++) {
        snprintf(o->part, room, "%s.%ld-%d.part", o->target, (long)getpid(), i);
        file = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0) {
        free(o->part);
        o->part = NULL;
        return NULL;
    }
    return fdopen(file, "wb");
}

bool cli_output_open(cli_output *o, const char *path, bool replace)
{
    struct stat about;
    *o = (cli_output){ .path = path, .replace = replace };
    o->target = realpath(path, NULL); /* a link stays, and its target is replaced */
    bool there = o->target && stat(o->target, &about) == 0;
    if (there && !S_ISREG(about.st_mode))
        return fail(o, S_ISDIR(about.st_mode) ? EISDIR : EINVAL);
    if (!replace && lstat(path, &about) == 0) /* also a link that leads nowhere */
        return fail(o, EEXIST);
    if (there && access(o->target, W_OK) != 0)
        return fail(o, errno);
    if (!o->target)
        o->target = strdup(path);
    o->file = o->target ? open_part(o) : NULL;
    return o->file ? true : fail(o, errno);
}

/* At once, and not over a file that another program has made meanwhile. */
static bool give_name(const cli_output *o)
{
    if (o->replace)
        return rename(o->part, o->target) == 0;
    if (renameat2(AT_FDCWD, o->part, AT_FDCWD, o->target, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS) /* file systems that cannot */
        return false;
    errno = EEXIST;
    return access(o->target, F_OK) != 0 && rename(o->part, o->target) == 0;
}

bool cli_output_flush(cli_output *o)
{
    return (fflush(o->file) == 0 && !ferror(o->file)) || fail(o, errno);
}

bool cli_output_name(cli_output *o)
{
    int closed = fclose(o->file);
    o->file = NULL;
    if (closed != 0 || !give_name(o))
        return fail(o, errno);
    free(o->part);
    o->part = NULL;
    return true;
}

void cli_output_end(cli_output *o)
{
    if (o->file)
        fclose(o->file);
    if (o->part)
        unlink(o->part);
    free(o->part);
    free(o->target);
    *o = (cli_output){ 0 };
}
