/* What pages show of statics and modes. */
#include "record/page/report.h"

#include <math.h>
#include <string.h>

static void number_key(lil_text *h, const char *key, hid_t file, const char *name)
{
    int64_t rows = 0;
    lil_arena arena = { 0 };
    const double *x = lil_h5_read_reals(&arena, file, name, 1, &rows);
    lil_text_add(h, "\"%s\":", key);
    lil_text_json_number(h, x && rows == 1 ? x[0] : NAN);
    lil_text_add(h, ",");
    lil_arena_free(&arena);
}

static void modes(lil_text *h, hid_t file)
{
    int64_t count = 0, again = 0;
    lil_arena arena = { 0 };
    const double *frequency = lil_h5_read_reals(&arena, file, "modes/frequency", 1, &count);
    const double *omega2 = lil_h5_read_reals(&arena, file, "modes/omega2", 1, &again);
    lil_text_add(h, "\"modes\":[");
    for (int64_t i = 0; frequency && omega2 && again == count && i < count; i++) {
        lil_text_add(h, "%s{\"hz\":", i ? "," : "");
        lil_text_json_number(h, frequency[i]);
        lil_text_add(h, ",\"omega2\":");
        lil_text_json_number(h, omega2[i]);
        lil_text_add(h, "}");
    }
    lil_text_add(h, "],");
    number_key(h, "rigid", file, "modes/rigid");
    lil_arena_free(&arena);
}

static void statics(lil_text *h, hid_t file)
{
    lil_arena arena = { 0 };
    const char *stability = lil_h5_read_string(&arena, file, "static/stability");
    lil_text_add(h, "\"statics\":{");
    number_key(h, "factor", file, "static/factor");
    number_key(h, "steps", file, "static/steps");
    number_key(h, "residual", file, "static/residual");
    lil_text_add(h, "\"stability\":");
    lil_text_json_string(h, stability ? stability : "unknown");
    lil_text_add(h, "},");
    lil_arena_free(&arena);
}

void lil_report_task(lil_page *page, const lil_report_run *run)
{
    const lil_trajectory *tr = run->motion.trajectory;
    lil_quiet quiet = lil_quiet_begin();
    if (strcmp(tr->integrator, "modes") == 0)
        modes(&page->header, tr->file);
    if (strcmp(tr->integrator, "statics") == 0)
        statics(&page->header, tr->file);
    lil_quiet_end(quiet);
}
