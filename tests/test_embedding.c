/* Points that ride in tets: at rest where they were, with every affine motion exactly, carried by the tet they are in or nearest
 * to. */
#include "core/field.h"
#include "mesh/fill/embedding.h"
#include "mesh/make/shape.h"
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
        double worst = 0, size = 0, worst_fitted = 0;
        int outside = 0;
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
            double fitted[3] = { 0 }, reach = 0, sum = 0;
            for (int j = e.outside.begin[i]; j < e.outside.begin[i + 1]; j++) {
                reach += fabs(e.outside.weight[j]);
                sum += e.outside.weight[j];
                for (int d = 0; d < 3; d++)
                    fitted[d] += e.outside.weight[j] * q[3 * e.outside.vertex[j] + d];
            }
            outside += reach > 0;
            for (int d = 0; d < 3 && reach > 0; d++)
                worst_fitted = fmax(worst_fitted, fmax(fabs(fitted[d] - moved[d]) / size, fabs(sum - 1)) / reach);
        }
        CHECK_BELOW(worst, 1e-14 * size);
        CHECK(outside > POINTS / 4);
        /* solving with A costs digits, of which a torus that is a fifth as thick as wide has some 25 times fewer */
        CHECK_BELOW(worst_fitted, 1e-13);
    }
    lil_arena_free(&arena);
}

/* Every vertex is moved at random by up to 1: how far that moves points outside. The gradient of one tet carries it out as far as the point is
 * away, in edges of the tet; one that is fitted to as wide a neighbourhood as that does not. Between inside and outside nothing jumps. */
TEST(points_outside_do_not_spike)
{
    enum { POINTS = 500 };
    lil_arena arena = { 0 };
    lil_mesh mesh;
    lil_embedding e;
    MUST(torus(&arena, &mesh));
    double *x = scatter(&arena, &mesh, POINTS), *q = LIL_NEW(&arena, double, 3 * (size_t)mesh.vertex_count);
    double worst_tet = 0, worst_fit = 0, jump = 0;
    MUST(lil_embed(ctx, &arena, &mesh, x, POINTS, &e));
    for (int i = 0; i < POINTS - 10; i++) {
        const double *w = e.weights[i];
        double tet = fabs(1 - w[0] - w[1] - w[2]) + fabs(w[0]) + fabs(w[1]) + fabs(w[2]), fit = 0;
        for (int k = e.outside.begin[i]; k < e.outside.begin[i + 1]; k++)
            fit += fabs(e.outside.weight[k]);
        worst_tet = fmax(worst_tet, tet);
        worst_fit = fmax(worst_fit, fit);
    }
    CHECK_BELOW(worst_fit, worst_tet / 3);
    for (int k = 0; k < 3 * mesh.vertex_count; k++)
        q[k] = mesh.x[k] + 0.1 * draw();
    for (int f = 0; f < mesh.face_count && f < POINTS / 2;
         f++) /* a little inside and outside of the middle of a face */
        for (int side = 0; side < 2; side++) {
            const double *a = mesh.x + 3 * mesh.faces[f][0], *b = mesh.x + 3 * mesh.faces[f][1],
                         *c = mesh.x + 3 * mesh.faces[f][2];
            double n[3], N = 0;
            for (int d = 0; d < 3; d++) {
                int i = (d + 1) % 3, j = (d + 2) % 3;
                n[d] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
                N += n[d] * n[d];
            }
            for (int d = 0; d < 3; d++)
                x[6 * f + 3 * side + d] = (a[d] + b[d] + c[d]) / 3 + (side ? 1e-7 : -1e-7) * n[d] / sqrt(N);
        }
    MUST(lil_embed(ctx, &arena, &mesh, x, POINTS, &e));
    for (int i = 0; i + 1 < POINTS && i < 2 * mesh.face_count; i += 2) {
        double in[3], out[3] = { 0 };
        CHECK(e.outside.begin[i + 1] == e.outside.begin[i] && e.outside.begin[i + 2] > e.outside.begin[i + 1]);
        lil_embedded_place(mesh.tets[e.tet[i]], e.weights[i], q, in);
        for (int k = e.outside.begin[i + 1]; k < e.outside.begin[i + 2]; k++)
            for (int d = 0; d < 3; d++)
                out[d] += e.outside.weight[k] * q[3 * e.outside.vertex[k] + d];
        for (int d = 0; d < 3; d++)
            jump = fmax(jump, fabs(in[d] - out[d]));
    }
    CHECK_BELOW(jump, 1e-5); /* 2e-7 apart at rest, times what vertices moved over the height of a tet */
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
    RUN(points_outside_do_not_spike);
    RUN(a_point_inside_belongs_to_its_tet);
    RUN(a_point_outside_belongs_to_the_nearest_tet);
    RUN(threads_find_the_same);
    lil_context_destroy(&ctx);
    return test_end();
}
