#include "mesh/mesh.h"

static lil_status report(lil_context *ctx, lil_arena *arena, const char *path, lil_text *text, int *faults)
{
    lil_mesh mesh;
    lil_mesh_faults found;
    LIL_TRY(lil_mesh_read(ctx, arena, path, &mesh));
    LIL_TRY(lil_mesh_surface(ctx, arena, &mesh));
    LIL_TRY(lil_mesh_check(ctx, arena, &mesh, &found));
    lil_mesh_describe(&mesh, text);
    for (int i = 0; i < found.count; i++)
        lil_text_add(text, "%-12s %s\n", i ? "" : "faults", found.sentences[i]);
    *faults = found.count;
    return text->failed ? lil_fail_memory(ctx) : LIL_OK;
}

lil_status lil_mesh_report(lil_context *ctx, const char *path, char **text, int *faults)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, text, "text");
    *text = NULL;
    LIL_NEED(ctx, path, "path");
    LIL_NEED(ctx, faults, "faults");
    *faults = 0;
    lil_arena arena = { 0 };
    lil_text out = { 0 };
    void *locale = lil_c_locale_begin(ctx); /* groups and places are looked for in other files: 0.5, never 0,5 */
    lil_status status = report(ctx, &arena, path, &out, faults);
    lil_c_locale_end(locale);
    lil_arena_free(&arena);
    if (status == LIL_OK)
        *text = out.data;
    else
        lil_text_free(&out);
    return status;
}
