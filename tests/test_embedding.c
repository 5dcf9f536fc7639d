/* Points that ride in tets: at rest where they were, with every affine motion exactly, carried by the tet they are in or nearest
 * to. */
#include "core/field.h"
#include "mesh/embedding.h"
#include "mesh/shape.h"
#include "test.h"

static lil_context *ctx;

static uint64_t seed = 1;

/* in [0, 1) */
static double draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) / 9007199254740992.0;
}

static lil_status torus(lil_arena *arena, lil_mesh *mesh)
{
    _Alignas(max_align_t) char config[1024] = { 0 };
    const lil_shape *shape = lil_shape_find("torus");
    lil_fields_default(shape->fields, shape->field_count, config);
    lil_status status = shape->make(ctx, arena, config, mesh);
    for (int t = 0; status == LIL_OK && t < mesh->tet_count;
         t++) { /* any vertex may be the first, any face on the surface */
        int *v = mesh->tets[t], turned[4];
        for (int k = 0; k < 4; k++)
            turned[k] = v[k ^ t % 4];
        memcpy(v, turned, sizeof turned);
    }
    return status == LIL_OK ? lil_mesh_surface(ctx, arena, mesh) : status;
}

/* Points in, on and around the mesh, the last ones far away. */
static double *scatter(lil_arena *arena, const lil_mesh *mesh, int count)
{
    double low[3], high[3], size = lil_box_around(mesh->x, mesh->vertex_count, low, high);
    double *x = LIL_NEW(arena, double, 3 * (size_t)count);
    for (int i = 0; x && i < count; i++)
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = (low[d] + high[d]) / 2 + (i < count - 10 ? 1.2 : 20) * size * (draw() - 0.5);
    return x;
}

TEST(any_affine_motion_takes_points_along)
{
    enum { POINTS = 500 };
    static const double A[3][3] = { { 0.36, 0.48, -0.8 }, { -0.8, 0.6, 0 }, { 0.48, 0.64, 0.6 } }; /* a rotation */
    static const double shear[3][3] = { { 1.3, 0.4, -0.1 }, { 0, 0.7, 0.2 }, { 0.1, 0, 2 } }, by[3] = { 3, -4, 5 };
    lil_arena arena = { 0 };
    lil_mesh mesh;
    lil_embedding e;
    MUST(torus(&arena, &mesh));
    double *x = scatter(&arena, &mesh, POINTS), *q = LIL_NEW(&arena, double, 3 * (size_t)mesh.vertex_count);
    MUST(lil_embed(ctx, &arena, &mesh, x, POINTS, &e));
    for (int motion = 0; motion < 3; motion++) {
        const double(*F)[3] = motion == 1 ? A : shear;
        double worst = 0, size = 0;
        for (int k = 0; k < mesh.vertex_count + POINTS; k++) {
            bool point = k >= mesh.vertex_count;
            int i = point ? k - mesh.vertex_count : k;
            const double *X = (point ? x : mesh.x) + 3 * i;
            double moved[3], at[3];
            for (int d = 0; d < 3; d++)
                moved[d] = motion == 0 ? X[d] : F[d][0] * X[0] + F[d][1] * X[1] + F[d][2] * X[2] + by[d];
            if (!point) {
                memcpy(q + 3 * i, moved, sizeof moved);
                continue;
            }
            lil_embedded_place(mesh.tets[e.tet[i]], e.weights[i], q, at);
            for (int d = 0; d < 3; d++) {
                /* round-off grows with the weights of points far outside, which are as large as they are far */
                double reach = 1 + fabs(e.weights[i][0]) + fabs(e.weights[i][1]) + fabs(e.weights[i][2]);
                worst = fmax(worst, fabs(at[d] - moved[d]) / reach);
                size = fmax(size, fabs(moved[d]));
            }
        }
        CHECK_BELOW(worst, 1e-14 * size);
    }
    lil_arena_free(&arena);
}

TEST(a_point_inside_belongs_to_its_tet)
{
    lil_arena arena = { 0 };
    lil_mesh mesh;
    lil_embedding e;
    MUST(torus(&arena, &mesh));
    double *x = LIL_NEW(&arena, double, 3 * (size_t)mesh.tet_count), *w = LIL_NEW(&arena, double, 4 * mesh.tet_count);
    for (int t = 0; t < mesh.tet_count; t++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += w[4 * t + k] = 0.01 + draw();
        for (int k = 0; k < 4; k++)
            for (int d = 0; d < 3; d++)
                x[3 * t + d] += w[4 * t + k] / sum * mesh.x[3 * mesh.tets[t][k] + d];
        for (int k = 0; k < 4; k++)
            w[4 * t + k] /= sum;
    }
    MUST(lil_embed(ctx, &arena, &mesh, x, mesh.tet_count, &e));
    for (int t = 0; t < mesh.tet_count; t++) {
        CHECK(e.tet[t] == t);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(e.weights[t][k], w[4 * t + k + 1], 1e-12);
    }
    lil_arena_free(&arena);
}

/* Above the middle of a face of the surface, that face's tet is nearest. */
TEST(a_point_outside_belongs_to_the_nearest_tet)
{
    lil_arena arena = { 0 };
    lil_mesh mesh;
    lil_embedding e;
    MUST(torus(&arena, &mesh));
    double *x = LIL_NEW(&arena, double, 3 * (size_t)mesh.face_count);
    for (int f = 0; f < mesh.face_count; f++) {
        const double *a = mesh.x + 3 * mesh.faces[f][0], *b = mesh.x + 3 * mesh.faces[f][1],
                     *c = mesh.x + 3 * mesh.faces[f][2];
        double n[3], N = 0;
        for (int d = 0; d < 3; d++) {
            int i = (d + 1) % 3, j = (d + 2) % 3;
            n[d] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
            N += n[d] * n[d];
        }
        for (int d = 0; d < 3; d++) /* so high as is small against the face */
            x[3 * f + d] = (a[d] + b[d] + c[d]) / 3 + 0.01 * n[d] / sqrt(sqrt(N));
    }
    MUST(lil_embed(ctx, &arena, &mesh, x, mesh.face_count, &e));
    for (int f = 0; f < mesh.face_count; f++) {
        int shared = 0;
        for (int k = 0; k < 12; k++)
            shared += mesh.tets[e.tet[f]][k / 3] == mesh.faces[f][k % 3];
        CHECK(shared == 3);
    }
    lil_arena_free(&arena);
}

TEST(threads_find_the_same)
{
    enum { POINTS = 3000 };
    lil_arena arena = { 0 };
    lil_mesh mesh;
    lil_embedding e[2];
    MUST(torus(&arena, &mesh));
    double *x = scatter(&arena, &mesh, POINTS);
    for (int i = 0; i < 2; i++) {
        MUST(lil_context_set_threads(ctx, i ? 3 : 1));
        MUST(lil_embed(ctx, &arena, &mesh, x, POINTS, &e[i]));
    }
    CHECK(memcmp(e[0].tet, e[1].tet, POINTS * sizeof *e[0].tet) == 0);
    CHECK(memcmp(e[0].weights, e[1].weights, POINTS * sizeof *e[0].weights) == 0);
    lil_arena_free(&arena);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(any_affine_motion_takes_points_along);
    RUN(a_point_inside_belongs_to_its_tet);
    RUN(a_point_outside_belongs_to_the_nearest_tet);
    RUN(threads_find_the_same);
    lil_context_destroy(&ctx);
    return test_end();
}
