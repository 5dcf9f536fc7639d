/* A trajectory as comma-separated values: one row per frame, 17 digits, so that nothing is lost. */
#include "record/export/export.h"

#include <stdio.h>
#include <string.h>

static int width(const lil_track *track)
{
    return track->width ? track->width : 1;
}

/* Shapes of obstacles are no columns. */
static bool is_column(const lil_track *track)
{
    return strncmp(track->name, "obstacle_points/", 16) != 0;
}

static void header(FILE *file, const lil_trajectory *tr)
{
    for (int i = 0; i < tr->track_count; i++)
        for (int k = 0; k < width(&tr->tracks[i]) && is_column(&tr->tracks[i]); k++) {
            lil_column c = lil_column_of(tr, &tr->tracks[i], k);
            fprintf(file, "%s%s%s%s", i || k ? "," : "", c.before, c.name, c.after);
        }
    fputc('\n', file);
}

/* Rows of all tracks, q and v among them by what they are to each other. */
static lil_status sample(lil_export *e, double t, double **row)
{
    const lil_trajectory *tr = e->motion.trajectory;
    double *q = NULL, *v = NULL;
    row[0][0] = t;
    for (int i = 1; i < tr->track_count; i++) {
        if (strcmp(tr->tracks[i].name, "q") == 0)
            q = row[i];
        else if (strcmp(tr->tracks[i].name, "v") == 0)
            v = row[i];
        else if (is_column(&tr->tracks[i]))
            LIL_TRY(lil_motion_track_at(&e->motion, &tr->tracks[i], t, row[i]));
    }
    return lil_motion_at(&e->motion, t, q, v);
}

static lil_status rows(lil_export *e, FILE *file)
{
    const lil_trajectory *tr = e->motion.trajectory;
    double **row = LIL_NEW(&e->motion.arena, double *, tr->track_count);
    for (int i = 0; row && i < tr->track_count; i++)
        if (!(row[i] = LIL_NEW(&e->motion.arena, double, width(&tr->tracks[i]))))
            row = NULL;
    LIL_HAVE(e->ctx, row);
    int64_t samples = lil_motion_samples(&e->motion, e->fps);
    for (int64_t s = 0; s < samples && !ferror(file); s++) { /* errors are reported when the file is closed */
        LIL_TRY(sample(e, lil_motion_time(&e->motion, e->fps, s), row));
        for (int i = 0; i < tr->track_count; i++)
            for (int k = 0; k < width(&tr->tracks[i]) && is_column(&tr->tracks[i]); k++)
                fprintf(file, i || k ? ",%.17g" : "%.17g", row[i][k]);
        fputc('\n', file);
        LIL_TRY(lil_export_progress(e, (double)(s + 1) / (double)samples));
    }
    return LIL_OK;
}

static lil_status write(lil_export *e)
{
    FILE *file;
    LIL_TRY(lil_export_open(e, NULL, &file));
    header(file, e->motion.trajectory);
    lil_status status = rows(e, file), closed = lil_export_close(e, file);
    return status != LIL_OK ? status : closed;
}

const lil_export_table lil_export_csv = {
    .name = "csv",
    .doc = "comma-separated values, one row per frame: t, coordinates, velocities (dX), momenta (p_X),\n"
           "energies, observables, drawn points; 17 digits",
    .write = write,
};
