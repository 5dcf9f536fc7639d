#include "core/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* a first guess of the size; what a pipe or a growing file holds shows only when it is read */
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
            if (!grown)
                return lil_fail_memory(ctx);
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

static bool write_all(FILE *file, const char *data, size_t size)
{
    bool ok = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && ok;
}

lil_status lil_file_write(lil_context *ctx, const char *path, bool replace, const char *data, size_t size)
{
    struct stat about;
    bool exists = stat(path, &about) == 0, special = exists && !S_ISREG(about.st_mode);
    if (exists && !replace && !special)
        return lil_fail(ctx, LIL_ERR_EXISTS, "%.200s: exists already", path);
    bool part = exists && !special;
    size_t room = strlen(path) + 8;
    char *to = malloc(room);
    if (!to)
        return lil_fail_memory(ctx);
    snprintf(to, room, "%s%s", path, part ? ".part" : "");
    FILE *file = fopen(to, exists ? "wb" : "wbx");
    bool ok = file && write_all(file, data, size) && (!part || rename(to, path) == 0);
    int why = errno;
    if (file && !ok && !special)
        remove(to);
    free(to);
    return ok ? LIL_OK : lil_fail(ctx, LIL_ERR_FILE, "%.200s: cannot be written: %s", path, strerror(why));
}
