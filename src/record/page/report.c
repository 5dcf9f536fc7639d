#include "record/page/report.h"

#include "core/profile.h"
#include "record/page/viewer.h"

#include <stdlib.h>
#include <string.h>

lil_report_def lil_report_def_default(void)
{
    return (lil_report_def){ 0 };
}

typedef struct report {
    lil_context *ctx;
    lil_page page;
    lil_report_run runs[LIL_REPORT_RUNS_MAX];
    int count, opened;
    int points; /* of a series */
} report;

/* ---- how much of it ---- */

static int64_t kept(const lil_report_run *run, int64_t stride)
{
    int64_t last = run->motion.trajectory->frames - 1;
    return (last + stride - 1) / stride + 1;
}

static double frame_bytes(const report *r, int64_t stride)
{
    double bytes = 0;
    for (int i = 0; i < r->count; i++)
        bytes += (double)kept(&r->runs[i], stride) * lil_report_frame_bytes(&r->runs[i]);
    return bytes;
}

/* One stride for all runs, the smallest that fits beside what cannot be thinned. */
static lil_status plan(report *r)
{
    double mesh[2] = { 0, 0 }, plots = 0, room = 0.98 * LIL_REPORT_BYTES - (double)lil_viewer_page_size;
    r->points = LIL_REPORT_POINTS;
    for (int i = 0; i < r->count; i++) {
        mesh[0] += lil_report_mesh_bytes(&r->runs[i], false);
        mesh[1] += lil_report_mesh_bytes(&r->runs[i], true);
        plots += lil_report_plot_bytes(&r->runs[i], r->points);
    }
    while (plots > room / 4 && r->points > 100) {
        r->points -= r->points / 10 / 2 * 2;
        plots = 0;
        for (int i = 0; i < r->count; i++)
            plots += lil_report_plot_bytes(&r->runs[i], r->points);
    }
    bool tets = mesh[1] < room / 4;
    room -= mesh[tets] + plots + (double)r->count * LIL_REPORT_SCENE_BYTES;
    int64_t stride = 1, most = 1;
    for (int i = 0; i < r->count; i++)
        most = r->runs[i].motion.trajectory->frames > most ? r->runs[i].motion.trajectory->frames : most;
    while (stride < most && frame_bytes(r, stride) > room)
        stride++;
    if (frame_bytes(r, stride) > room)
        return lil_fail(r->ctx, LIL_ERR_LIMIT, "%.200s: its meshes are too large for a page of %d MB",
                        r->runs[0].motion.trajectory->path, LIL_REPORT_BYTES / 1000000);
    for (int i = 0; i < r->count; i++) {
        r->runs[i].stride = stride;
        r->runs[i].kept = kept(&r->runs[i], stride);
        r->runs[i].tets = tets;
    }
    room -= frame_bytes(r, stride);
    for (int i = 0; i < r->count; i++) {
        double bytes = lil_report_shade_bytes(&r->runs[i]);
        r->runs[i].shades = bytes > 0 && bytes <= room;
        room -= r->runs[i].shades ? bytes : 0;
    }
    return LIL_OK;
}

/* ---- header ---- */

static void text_key(lil_text *h, const char *key, const char *text)
{
    lil_text_add(h, "\"%s\":", key);
    lil_text_json_string(h, text);
    lil_text_add(h, ",");
}

static void certificate(lil_text *h, lil_trajectory *tr)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_certificate c = lil_trajectory_certificate(tr);
    lil_text_add(h, "\"certificate\":{");
    for (int i = 0; i < count; i++) {
        lil_text_add(h, "%s\"%s\":", i ? "," : "", fields[i].name);
        lil_text_json_number(h, *(const double *)((const char *)&c + fields[i].offset));
    }
    lil_text_add(h, "},");
}

static herr_t invariant(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    lil_text *h = user;
    (void)info;
    lil_text_add(h, "[");
    lil_text_json_string(h, name);
    lil_text_add(h, ",");
    lil_text_json_number(h, lil_h5_read_number(group, name));
    lil_text_add(h, "],");
    return 0;
}

static void invariants(lil_text *h, lil_trajectory *tr)
{
    lil_quiet quiet = lil_quiet_begin();
    lil_text_add(h, "\"invariants\":[");
    hid_t group = H5Gopen2(tr->file, "certificate/invariants", H5P_DEFAULT);
    if (group >= 0) {
        H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, invariant, h);
        H5Gclose(group);
    }
    if (h->length && h->data[h->length - 1] == ',')
        h->data[--h->length] = 0;
    lil_text_add(h, "],");
    lil_quiet_end(quiet);
}

static void deepest(lil_text *h, lil_trajectory *tr)
{
    lil_pair pair;
    if (!lil_trajectory_deepest(tr, &pair))
        return;
    lil_text_add(h, "\"deepest\":[");
    lil_text_json_string(h, pair.what);
    lil_text_add(h, ",");
    lil_text_json_string(h, pair.in);
    lil_text_add(h, "],");
}

static void warnings(lil_text *h, lil_trajectory *tr)
{
    const char *text;
    lil_text_add(h, "\"warnings\":[");
    for (int i = 0; (text = lil_trajectory_warning(tr, i)); i++) {
        lil_text_add(h, i ? "," : "");
        lil_text_json_string(h, text);
    }
    lil_text_add(h, "],");
}

static void profile(lil_text *h, lil_trajectory *tr)
{
    lil_profile p;
    if (!lil_trajectory_profile(tr, &p))
        return;
    lil_text_add(h, "\"profile\":");
    lil_profile_json(h, &p);
    lil_text_add(h, ",");
}

static void scene(lil_text *h, const lil_report_run *run)
{
    lil_arena arena = { 0 };
    lil_quiet quiet = lil_quiet_begin();
    const char *text = lil_h5_read_string(&arena, run->motion.trajectory->file, "scene");
    const char *overrides = lil_h5_read_string(&arena, run->motion.trajectory->file, "overrides");
    lil_quiet_end(quiet);
    if (text && strlen(text) < LIL_REPORT_SCENE_BYTES)
        text_key(h, "scene", text);
    if (overrides && strlen(overrides) < LIL_REPORT_SCENE_BYTES)
        text_key(h, "overrides", overrides);
    lil_arena_free(&arena);
}

static lil_status write_run(report *r, lil_report_run *run)
{
    lil_trajectory *tr = run->motion.trajectory;
    lil_text *h = &r->page.header;
    const char *slash = strrchr(tr->path, '/');
    bool running = strcmp(tr->status, "running") == 0;
    lil_text_add(h, "{");
    text_key(h, "file", slash ? slash + 1 : tr->path);
    text_key(h, "variant", tr->variant);
    text_key(h, "integrator", tr->integrator);
    if (tr->integrator_reason)
        text_key(h, "integrator_reason", tr->integrator_reason);
    const lil_integrator *method = lil_integrator_find(r->ctx, tr->integrator);
    if (method && lil_integrator_claims(method).holds & LIL_ENERGY_EXACT)
        lil_text_add(h, "\"energy_exact\":true,");
    text_key(h, "status", running && !lil_recorder_is_busy(tr->path) ? "killed" : tr->status);
    scene(h, run);
    certificate(h, tr);
    invariants(h, tr);
    deepest(h, tr);
    warnings(h, tr);
    profile(h, tr);
    lil_report_task(&r->page, run);
    lil_report_meshes(&r->page, run);
    LIL_TRY(lil_report_obstacles(&r->page, run));
    LIL_TRY(lil_report_frames(&r->page, run));
    LIL_TRY(lil_report_shot(&r->page, run));
    LIL_TRY(lil_report_contacts(&r->page, run));
    LIL_TRY(lil_report_shades(&r->page, run));
    LIL_TRY(lil_report_plots(&r->page, run, r->points));
    h->data[h->length - 1] = '}'; /* the last comma; something was added before */
    return LIL_OK;
}

static lil_status write_all(report *r, const lil_report_def *def)
{
    lil_text *h = &r->page.header;
    lil_text_add(h, "{\"format\":1,");
    text_key(h, "lilyan", lil_version());
    if (def->title)
        text_key(h, "title", def->title);
    if (def->live)
        lil_text_add(h, "\"live\":true,");
    lil_text_add(h, "\"runs\":[");
    for (int i = 0; i < r->count; i++) {
        lil_text_add(h, i ? "," : "");
        if (h->failed)
            return lil_fail_memory(r->ctx);
        LIL_TRY(write_run(r, &r->runs[i]));
    }
    lil_text_add(h, "]}");
    return lil_page_finish(&r->page);
}

/* ---- the call ---- */

static lil_status make(report *r, lil_trajectory *const *runs, const lil_report_def *def, const char *output)
{
    for (; r->opened < r->count; r->opened++) {
        lil_status status = lil_report_run_open(runs[r->opened], &r->runs[r->opened]);
        if (status != LIL_OK) {
            lil_motion_close(&r->runs[r->opened].motion);
            return status;
        }
    }
    LIL_TRY(plan(r));
    LIL_TRY(lil_page_open(r->ctx, output, def->replace, def->live, &r->page));
    void *locale = lil_c_locale_begin(r->ctx);
    lil_status status = write_all(r, def);
    lil_c_locale_end(locale);
    lil_page_close(&r->page);
    for (int i = 0; i < r->count && status == LIL_OK && !def->live; i++)
        lil_motion_warn_incomplete(&r->runs[i].motion);
    return status;
}

/* output: NULL: into `html`, which is freed here if that fails */
static lil_status report_on(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_report_def *def,
                            const char *output, char **html, size_t *size)
{
    LIL_NEED(ctx, runs, "runs");
    if (count < 1 || count > LIL_REPORT_RUNS_MAX)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a page shows 1 to %d runs, not %d", LIL_REPORT_RUNS_MAX, count);
    for (int i = 0; i < count; i++)
        LIL_NEED(ctx, runs[i], "runs[i]");
    report *r = calloc(1, sizeof *r);
    LIL_HAVE(ctx, r);
    r->ctx = ctx;
    r->count = count;
    lil_status status = make(r, runs, def, output);
    for (int i = 0; i < r->opened; i++)
        lil_motion_close(&r->runs[i].motion);
    if (html && status == LIL_OK) {
        *html = r->page.text;
        *size = r->page.size;
    } else {
        free(r->page.text);
    }
    free(r);
    return status;
}

lil_status lil_report(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_report_def *def)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, def, "def");
    LIL_NEED(ctx, def->output, "def->output");
    return report_on(ctx, runs, count, def, def->output, NULL, NULL);
}

lil_status lil_report_html(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_report_def *def,
                           char **html, size_t *size)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, html, "html");
    *html = NULL;
    LIL_NEED(ctx, size, "size");
    LIL_NEED(ctx, def, "def");
    return report_on(ctx, runs, count, def, NULL, html, size);
}
