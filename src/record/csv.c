/* A trajectory as comma-separated values: one row a frame, 17 digits, so that nothing is lost. */
#include "record/trajectory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256 };

static int width(const lil_track *track)
{
    return track->width ? track->width : 1;
}

static void header(FILE *file, const lil_trajectory *tr)
{
    for (int i = 0; i < tr->track_count; i++)
        for (int k = 0; k < width(&tr->tracks[i]); k++) {
            lil_column c = lil_column_of(tr, &tr->tracks[i], k);
            fprintf(file, "%s%s%s%s", i || k ? "," : "", c.before, c.name, c.after);
        }
    fputc('\n', file);
}

static lil_status rows(FILE *file, lil_trajectory *tr, double **batch)
{
    for (int64_t from = 0; from < tr->frames; from += BATCH) {
        int64_t count = tr->frames - from < BATCH ? tr->frames - from : BATCH;
        for (int i = 0; i < tr->track_count; i++)
            LIL_TRY(lil_track_read(tr, &tr->tracks[i], from, count, batch[i]));
        for (int64_t row = 0; row < count; row++) {
            for (int i = 0; i < tr->track_count; i++)
                for (int k = 0; k < width(&tr->tracks[i]); k++)
                    fprintf(file, i || k ? ",%.17g" : "%.17g", batch[i][row * width(&tr->tracks[i]) + k]);
            fputc('\n', file);
        }
        if (ferror(file))
            break; /* said when it is closed */
    }
    return LIL_OK;
}

lil_status lil_trajectory_write_csv(lil_trajectory *tr, FILE *file)
{
    if (!tr || !file)
        return LIL_ERR_ARGUMENT;
    lil_arena arena = { 0 };
    double **batch = LIL_NEW(&arena, double *, tr->track_count);
    for (int i = 0; batch && i < tr->track_count; i++)
        if (!(batch[i] = LIL_NEW(&arena, double, (size_t)width(&tr->tracks[i]) * BATCH)))
            batch = NULL;
    lil_status status = batch ? LIL_OK : lil_fail_memory(tr->ctx);
    if (status == LIL_OK) {
        void *locale = lil_c_locale_begin(tr->ctx);
        header(file, tr);
        status = rows(file, tr, batch);
        lil_c_locale_end(locale);
    }
    if (status == LIL_OK && (fflush(file) != 0 || ferror(file)))
        status = lil_fail(tr->ctx, LIL_ERR_FILE, "the CSV cannot be written: %s", strerror(errno));
    lil_arena_free(&arena);
    return status;
}

lil_status lil_trajectory_export_csv(lil_trajectory *tr, const char *path, bool replace)
{
    if (!tr || !path)
        return LIL_ERR_ARGUMENT;
    FILE *file = fopen(path, replace ? "w" : "wx");
    if (!file && errno == EEXIST)
        return lil_fail(tr->ctx, LIL_ERR_EXISTS, "%.200s: exists already (--force replaces it)", path);
    if (!file)
        return lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: cannot be written: %s", path, strerror(errno));
    lil_status status = lil_trajectory_write_csv(tr, file);
    if (fclose(file) != 0 && status == LIL_OK)
        status = lil_fail(tr->ctx, LIL_ERR_FILE, "%.200s: cannot be written: %s", path, strerror(errno));
    return status;
}
