/* Any bytes as a mesh: what is read is looked at from all sides; what is not leaves one sentence. */
#ifndef LIL_FUZZ_MESH_H
#define LIL_FUZZ_MESH_H

#include "mesh/mids.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_check_groups(const lil_mesh *mesh)
{
    for (int g = 0; g < mesh->group_count; g++) {
        const lil_group *group = &mesh->groups[g];
        assert(group->name[0] && group->vertex_count > 0);
        for (int i = 0; i < group->vertex_count; i++) {
            assert(group->vertices[i] >= 0 && group->vertices[i] < mesh->vertex_count);
            assert(i == 0 || group->vertices[i] > group->vertices[i - 1]);
        }
    }
}

/* Linear from quadratic tets, or the other way round. */
static void fuzz_other_order(lil_context *ctx, lil_arena *arena, lil_mesh *mesh)
{
    int(*between)[2], corners = mesh->vertex_count;
    bool made = !mesh->mids;
    assert((made ? lil_mesh_make_quadratic(ctx, arena, mesh, &between) : lil_mesh_make_linear(ctx, arena, mesh)) ==
           LIL_OK);
    assert(lil_mesh_surface(ctx, arena, mesh) == LIL_OK);
    assert(made ? mesh->mids && mesh->vertex_count > corners : !mesh->mids && mesh->vertex_count <= corners);
}

static void fuzz_check_mesh(lil_context *ctx, lil_arena *arena, lil_mesh *mesh)
{
    lil_mesh_faults faults;
    lil_text text = { 0 };
    assert(mesh->tet_count > 0 && mesh->vertex_count > 0);
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4; k++)
            assert(mesh->tets[t][k] >= 0 && mesh->tets[t][k] < mesh->vertex_count);
    for (int i = 0; mesh->mids && i < 6 * mesh->tet_count; i++)
        assert(mesh->mids[i / 6][i % 6] >= 0 && mesh->mids[i / 6][i % 6] < mesh->vertex_count);
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        assert(isfinite(mesh->x[i]));
    fuzz_check_groups(mesh);
    assert(lil_mesh_surface(ctx, arena, mesh) == LIL_OK);
    assert(lil_mesh_check(ctx, arena, mesh, &faults) == LIL_OK);
    lil_mesh_describe(mesh, &text);
    assert(!text.failed && text.length > 0);
    lil_text_free(&text);
    fuzz_other_order(ctx, arena, mesh);
}

/* `more`: the second file of tetgen's pair */
static inline int fuzz_mesh(const char *format, const uint8_t *data, size_t size, const uint8_t *more,
                            size_t more_size)
{
    enum { LARGEST = 64 * 1024 };
    if (size > LARGEST || more_size > LARGEST)
        return 0;
    lil_context *ctx = lil_context_create();
    lil_arena arena = { 0 };
    lil_mesh mesh;
    if (lil_mesh_parse(ctx, &arena, format, "fuzz", (const char *)data, size, (const char *)more, more_size, &mesh) ==
        LIL_OK) {
        fuzz_check_mesh(ctx, &arena, &mesh);
    } else {
        const char *message = lil_context_message(ctx);
        assert(message[0]);
        for (const char *c = message; *c; c++)
            assert((unsigned char)*c >= ' ');
    }
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return 0;
}

#endif
