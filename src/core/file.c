#define _GNU_SOURCE /* renameat2 */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* a first guess of the size; a pipe or a growing file may have more */
static size_t first_capacity(const struct stat *about, size_t limit)
{
    size_t size = S_ISREG(about->st_mode) && about->st_size > 0 ? (size_t)about->st_size : 65536;
    return (size < limit ? size : limit) + 2;
}

static lil_status read_open(lil_context *ctx, const char *path, const char *what, size_t limit, FILE *file,
                            char **text, size_t *size)
{
    struct stat about;
    if (fstat(fileno(file), &about) != 0)
        return lil_fail(ctx, LIL_ERR_FILE, "%.200s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return lil_fail(ctx, LIL_ERR_FILE, "%.200s: is a folder, not a %s", path, what);
    if (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode)) /* it may have no end */
        return lil_fail(ctx, LIL_ERR_FILE, "%.200s: is a device, not a %s", path, what);
    size_t capacity = 0, next = first_capacity(&about, limit);
    for (size_t got = 1; got;) {
        if (*size + 1 >= capacity) {
            char *grown = realloc(*text, next);
            LIL_HAVE(ctx, grown);
            *text = grown;
            capacity = next;
            next = 2 * capacity;
        }
        got = fread(*text + *size, 1, capacity - 1 - *size, file);
        *size += got;
        if (*size > limit)
            return lil_fail(ctx, LIL_ERR_LIMIT, "%.200s: a %s may have at most %zu MB", path, what, limit >> 20);
    }
    if (ferror(file))
        return lil_fail(ctx, LIL_ERR_FILE, "%.200s: cannot be read: %s", path, strerror(errno));
    (*text)[*size] = 0;
    return LIL_OK;
}

lil_status lil_file_read(lil_context *ctx, const char *path, const char *what, size_t limit, char **text,
                         size_t *size)
{
    *text = NULL;
    *size = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return lil_fail(ctx, LIL_ERR_FILE, "%.200s: cannot be opened: %s", path, strerror(errno));
    lil_status status = read_open(ctx, path, what, limit, file, text, size);
    fclose(file);
    if (status != LIL_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* ---- writing ---- */

lil_status lil_new_file_fail(const lil_new_file *file)
{
    return lil_fail(file->ctx, LIL_ERR_FILE, "%.200s: cannot be written: %s", file->path, strerror(errno));
}

lil_status lil_new_file_begin(lil_context *ctx, const char *path, bool replace, bool streams, lil_new_file *file)
{
    struct stat about;
    *file = (lil_new_file){ .ctx = ctx, .path = path, .replace = replace };
    file->target = realpath(path, NULL);
    bool there = file->target && stat(file->target, &about) == 0;
    if (there && !S_ISREG(about.st_mode)) {
        file->streams = streams && !S_ISDIR(about.st_mode);
        if (!file->streams)
            return lil_fail(ctx, LIL_ERR_FILE, "%.200s: cannot be written: is %s, not a file", path,
                            S_ISDIR(about.st_mode) ? "a folder" : "a device or a pipe");
    } else if (there && !replace) {
        return lil_fail(ctx, LIL_ERR_EXISTS, "%.200s: exists already", path);
    } else if (there && access(file->target, W_OK) != 0) {
        return lil_new_file_fail(file);
    }
    if (!file->target)
        file->target = strdup(path);
    size_t room = file->target ? strlen(file->target) + sizeof ".part" : 0;
    if (room && (file->part = malloc(room)))
        snprintf(file->part, room, "%s%s", file->target, file->streams ? "" : ".part");
    return file->part ? LIL_OK : lil_fail_memory(ctx);
}

/* At once, and not over a file that another program has made meanwhile. */
static bool give_name(const lil_new_file *file)
{
    if (file->replace)
        return rename(file->part, file->target) == 0;
    if (renameat2(AT_FDCWD, file->part, AT_FDCWD, file->target, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS) /* file systems that cannot */
        return false;
    errno = EEXIST;
    return access(file->target, F_OK) != 0 && rename(file->part, file->target) == 0;
}

lil_status lil_new_file_name(lil_new_file *file)
{
    if (!file->streams && !give_name(file))
        return lil_new_file_fail(file);
    free(file->part);
    file->part = NULL;
    return LIL_OK;
}

void lil_new_file_end(lil_new_file *file)
{
    if (file->part && !file->streams)
        unlink(file->part);
    free(file->part);
    free(file->target);
    file->part = file->target = NULL;
}

static lil_status write_part(lil_new_file *to, const char *data, size_t size)
{
    FILE *file = fopen(to->part, "wb");
    bool ok = file && fwrite(data, 1, size, file) == size;
    if (file)
        ok = fclose(file) == 0 && ok;
    return ok ? lil_new_file_name(to) : lil_new_file_fail(to);
}

lil_status lil_file_write(lil_context *ctx, const char *path, bool replace, const char *data, size_t size)
{
    lil_new_file file;
    lil_status status = lil_new_file_begin(ctx, path, replace, true, &file);
    if (status == LIL_OK)
        status = write_part(&file, data, size);
    lil_new_file_end(&file);
    return status;
}
