#define _GNU_SOURCE /* asprintf */
#include "record/export/export.h"

#include "core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the list ---- */

#define LIL_ADDRESS_(name) &name,
static const lil_export_table *const tables[] = { LIL_EXPORTS(LIL_ADDRESS_) };
enum { TABLES = sizeof tables / sizeof tables[0] };

bool lil_export_entry(int index, lil_export_info *info)
{
    if (!info || index < 0 || index >= TABLES)
        return false;
    *info = (lil_export_info){ tables[index]->name, tables[index]->doc, tables[index]->folder };
    return true;
}

lil_export_def lil_export_def_default(void)
{
    return (lil_export_def){ .format = tables[0]->name };
}

static lil_status find(lil_context *ctx, const char *name, const lil_export_table **table)
{
    char all[128] = "";
    for (int i = 0; i < TABLES; i++) {
        size_t length = strlen(all);
        if (strcmp(tables[i]->name, name) == 0) {
            *table = tables[i];
            return LIL_OK;
        }
        snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", tables[i]->name);
    }
    return lil_fail(ctx, LIL_ERR_ARGUMENT, "unknown format '%.60s': the formats are %s", name, all);
}

/* ---- for formats ---- */

static lil_status fail_write(lil_export *e, int error)
{
    return lil_fail(e->ctx, LIL_ERR_FILE, "%.200s: cannot be written: %s", e->def->path, strerror(error));
}

/* A file at the path may not be there, or may be replaced; the trajectory itself never is. */
static lil_status check_free(lil_export *e, const char *path)
{
    struct stat there, own;
    if (stat(path, &there) != 0)
        return LIL_OK;
    if (stat(e->motion.trajectory->path, &own) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino)
        return lil_fail(e->ctx, LIL_ERR_FILE, "%.200s: the output would replace the trajectory itself", path);
    if (S_ISDIR(there.st_mode))
        return lil_fail(e->ctx, LIL_ERR_FILE, "%.200s: cannot be written: is a folder", path);
    if (!e->def->replace)
        return lil_fail(e->ctx, LIL_ERR_EXISTS, "%.200s: exists already", path);
    return LIL_OK;
}

lil_status lil_export_open(lil_export *e, const char *name, FILE **file)
{
    char *part = NULL, *path = NULL;
    *file = e->stream;
    if (e->stream)
        return LIL_OK;
    if (asprintf(&part, "%s%s%s", e->part, name ? "/" : "", name ? name : "") < 0)
        return lil_fail_memory(e->ctx);
    if (asprintf(&path, "%s%s%s", e->path, name ? "/" : "", name ? name : "") < 0) {
        free(part);
        return lil_fail_memory(e->ctx);
    }
    lil_status status = check_free(e, path);
    if (status == LIL_OK && !(*file = fopen(part, "wb")))
        status = fail_write(e, errno);
    free(part);
    free(path);
    return status;
}

lil_status lil_export_close(lil_export *e, FILE *file)
{
    if (!file)
        return LIL_OK;
    errno = 0;
    bool ok = fflush(file) == 0 && !ferror(file);
    int error = errno;
    if (file != e->stream && fclose(file) != 0 && ok) {
        ok = false;
        error = errno;
    }
    return ok ? LIL_OK : fail_write(e, error ? error : EIO);
}

lil_status lil_export_progress(lil_export *e, double done)
{
    if (e->def->progress && !e->def->progress(e->def->user, done))
        return lil_fail(e->ctx, LIL_ERR_INTERRUPTED, "%.200s: interrupted, and not written", e->def->path);
    return LIL_OK;
}

const char *lil_export_file_name(lil_arena *arena, const char *name)
{
    enum { LENGTH_MAX = 120 }; /* files' names have 255 bytes at most */
    char *safe = lil_arena_alloc(arena, 3 * strlen(name) + 32, 1), *end = safe;
    if (!safe)
        return NULL;
    unsigned hash = 5381; /* keeps long names apart */
    for (const char *c = name; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
                     byte >= 0x80 || byte == '_' || byte == '-' || (byte == '.' && c != name);
        hash = 33 * hash + byte;
        if (end - safe < LENGTH_MAX)
            end += plain ? (*end = *c, 1) : sprintf(end, "%%%02X", byte);
    }
    if (end - safe >= LENGTH_MAX)
        sprintf(end, "-%08X", hash);
    if (end == safe)
        sprintf(end, "%%");
    return safe;
}

/* ---- where it goes ---- */

static void empty_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0); /* folders stay, and keep this one */
    if (dir)
        closedir(dir);
}

static bool ends_with(const char *name, const char *end)
{
    size_t a = strlen(name), b = strlen(end);
    return a >= b && strcmp(name + a - b, end) == 0;
}

/* Into a folder that exists, file by file: those that refer to others last. */
static lil_status move_files(lil_export *e, const lil_export_table *table, int from, int to)
{
    for (int last = 0; last < 2; last++) {
        int again = dup(from);
        DIR *dir = again >= 0 ? fdopendir(again) : NULL;
        if (!dir)
            return fail_write(e, errno);
        rewinddir(dir);
        lil_status status = LIL_OK;
        for (struct dirent *entry; status == LIL_OK && (entry = readdir(dir));)
            if (entry->d_name[0] != '.' && ends_with(entry->d_name, table->index) == (last == 1) &&
                renameat(from, entry->d_name, to, entry->d_name) != 0)
                status = fail_write(e, errno);
        closedir(dir);
        LIL_TRY(status);
    }
    return LIL_OK;
}

static void remove_stale(lil_export *e, const lil_export_table *table)
{
    DIR *dir = table->stale ? opendir(e->path) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (table->stale(e, entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
}

static lil_status publish_folder(lil_export *e, const lil_export_table *table, int part, bool exists)
{
    if (!exists)
        return rename(e->part, e->path) == 0 ? LIL_OK : fail_write(e, errno);
    int to = open(e->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    lil_status status = to >= 0 ? move_files(e, table, part, to) : fail_write(e, errno);
    if (to >= 0)
        close(to);
    if (status == LIL_OK && e->def->replace)
        remove_stale(e, table);
    return status;
}

static lil_status write_folder(lil_export *e, const lil_export_table *table)
{
    struct stat there;
    bool exists = stat(e->path, &there) == 0;
    if (exists && !S_ISDIR(there.st_mode))
        return lil_fail(e->ctx, LIL_ERR_FILE, "%.200s: cannot be written: is a file, not a folder", e->def->path);
    e->part = lil_arena_format(&e->motion.arena, exists ? "%s/.part" : "%s.part", e->path);
    LIL_HAVE(e->ctx, e->part);
    if (mkdir(e->part, 0777) != 0 && errno != EEXIST)
        return fail_write(e, errno);
    int part = open(e->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (part < 0)
        return fail_write(e, errno);
    lil_status status = LIL_OK;
    if (flock(part, LOCK_EX | LOCK_NB) != 0) {
        close(part);
        return lil_fail(e->ctx, LIL_ERR_FILE, "%.200s: another export is writing it", e->def->path);
    }
    empty_folder(e->part); /* a killed export may have left something */
    status = table->write(e);
    if (status == LIL_OK)
        status = publish_folder(e, table, part, exists);
    if (status != LIL_OK)
        empty_folder(e->part);
    if (status != LIL_OK || exists)
        rmdir(e->part);
    close(part);
    return status;
}

static lil_status write_file(lil_export *e, const lil_export_table *table)
{
    lil_new_file file;
    LIL_TRY(check_free(e, e->path));
    lil_status status = lil_new_file_begin(e->ctx, e->path, e->def->replace, true, &file);
    e->part = file.part;
    if (status == LIL_OK)
        status = table->write(e);
    if (status == LIL_OK)
        status = lil_new_file_name(&file);
    lil_new_file_end(&file);
    return status;
}

/* ---- export ---- */

static lil_status check_def(lil_export *e, const lil_export_def *def)
{
    enum { FPS_MAX = 1000000, SAMPLES_MAX = 100 * 1000 * 1000 };
    if (!(def->fps >= 0 && def->fps <= FPS_MAX))
        return lil_fail(e->ctx, LIL_ERR_ARGUMENT, "fps is %g, not a number above 0 and up to %d", def->fps, FPS_MAX);
    int64_t samples = lil_motion_samples(&e->motion, def->fps);
    if (samples > SAMPLES_MAX)
        return lil_fail(e->ctx, LIL_ERR_LIMIT, "%.200s: %.3g frames at %g per second are too many: the limit is %d",
                        e->motion.trajectory->path, (double)samples, def->fps, SAMPLES_MAX);
    return LIL_OK;
}

static lil_status set_names(lil_export *e, const lil_export_def *def)
{
    const char *full = e->motion.trajectory->path, *slash = strrchr(full, '/'), *base = slash ? slash + 1 : full;
    size_t length = strlen(base), path = strlen(def->path);
    if (length > 3 && strcmp(base + length - 3, ".h5") == 0)
        length -= 3;
    const char *bare = lil_arena_copy(&e->motion.arena, base, length);
    e->name = bare ? lil_export_file_name(&e->motion.arena, bare) : NULL;
    while (path > 1 && def->path[path - 1] == '/')
        path--;
    e->path = lil_arena_copy(&e->motion.arena, def->path, path);
    return e->name && e->path ? LIL_OK : lil_fail_memory(e->ctx);
}

static lil_status export(lil_trajectory *tr, const lil_export_def *def, FILE *stream)
{
    const lil_export_table *table = NULL;
    lil_export e = { .ctx = tr->ctx, .fps = def->fps, .stream = stream, .def = def };
    LIL_TRY(find(tr->ctx, def->format, &table));
    LIL_TRY(lil_motion_open(tr, &e.motion));
    lil_status status = check_def(&e, def);
    if (status == LIL_OK)
        status = set_names(&e, def);
    if (status == LIL_OK) {
        void *locale = lil_c_locale_begin(tr->ctx);
        status = stream ? table->write(&e) : table->folder ? write_folder(&e, table) : write_file(&e, table);
        lil_c_locale_end(locale);
    }
    if (status == LIL_OK)
        lil_motion_warn_incomplete(&e.motion);
    lil_motion_close(&e.motion);
    return status;
}

lil_status lil_trajectory_export(lil_trajectory *tr, const lil_export_def *def)
{
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, def, "def");
    LIL_NEED(tr->ctx, def->format, "def->format");
    LIL_NEED(tr->ctx, def->path, "def->path");
    if (!def->path[0])
        return lil_fail(tr->ctx, LIL_ERR_ARGUMENT, "lil_trajectory_export: 'def->path' is empty");
    return export(tr, def, NULL);
}

lil_status lil_trajectory_write_csv(lil_trajectory *tr, double fps, FILE *file)
{
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, file, "file");
    return export(tr, &(lil_export_def){ .format = lil_export_csv.name, .path = "the CSV", .fps = fps }, file);
}
