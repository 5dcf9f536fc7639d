/* Any bytes as a surface: the first says of which format. What is read is mended and filled; what is not leaves one
 * sentence. */
#include "mesh/check/mend.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_surface(const lil_surface *s)
{
    assert(s->face_count > 0 && s->vertex_count > 0 && s->first[0] == 0);
    for (int i = 0; i < 3 * s->vertex_count; i++)
        assert(isfinite(s->x[i]));
    for (int f = 0; f < s->face_count; f++)
        assert(s->first[f + 1] - s->first[f] >= 3);
    for (int c = 0; c < s->first[s->face_count]; c++)
        assert(s->corners[c] >= 0 && s->corners[c] < s->vertex_count);
    assert(s->triangle_count == s->first[s->face_count] - 2 * s->face_count);
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            assert(s->triangles[t][k] >= 0 && s->triangles[t][k] < s->vertex_count);
}

static lil_status fill(lil_context *ctx, lil_arena *arena, const lil_surface *s)
{
    enum { TRIANGLES_MAX = 500 };
    double least[3], most[3], size = lil_box_around(s->x, s->vertex_count, least, most);
    lil_filling filling = { .edge = size / 6 };
    lil_mesh mesh;
    lil_mesh_faults faults;
    lil_mended mended;
    assert(lil_mend(ctx, arena, s, &mended) == LIL_OK);
    if (s->triangle_count > TRIANGLES_MAX)
        return LIL_OK;
    LIL_TRY(lil_surface_tetrahedralise(ctx, arena, s, &filling, &mesh));
    assert(mesh.tet_count > 0);
    assert(lil_mesh_check(ctx, arena, &mesh, &faults) == LIL_OK && faults.count == 0);
    return LIL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LARGEST = 64 * 1024 };
    static const char *const formats[] = { "obj", "stl", "ply" };
    if (size < 1 || size > LARGEST)
        return 0;
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_surface surface;
    assert(lil_context_set_threads(ctx, 1) == LIL_OK);
    lil_status status =
        lil_surface_parse(ctx, &arena, formats[data[0] % 3], "fuzz", (const char *)data + 1, size - 1, &surface);
    if (status == LIL_OK) {
        check_surface(&surface);
        status = fill(ctx, &arena, &surface);
    }
    if (status != LIL_OK) {
        const char *message = lil_context_message(ctx);
        assert(message[0]);
        for (const char *c = message; *c; c++)
            assert((unsigned char)*c >= ' ');
    }
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return 0;
}
