/* Surfaces in one formula: closed, outside out, and where the formula is 0. */
#include "mesh/fill/implicit.h"
#include "test.h"

static lil_context *ctx;
static const double PI = 3.14159265358979323846;

static double sphere(void *user, const double x[3])
{
    (void)user;
    return 1 - sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double torus(void *user, const double x[3])
{
    double ring = hypot(x[0], x[1]) - 1;
    (void)user;
    return 0.4 - hypot(ring, x[2]);
}

static lil_status make(lil_arena *arena, double (*value)(void *, const double *), int cells, lil_surface *surface)
{
    lil_implicit def = { .name = "inside", .cells = cells, .value = value };
    for (int d = 0; d < 3; d++) {
        def.low[d] = d == 2 && value == torus ? -0.51 : -1.53;
        def.high[d] = d == 2 && value == torus ? 0.52 : 1.54;
    }
    return lil_surface_implicit(ctx, arena, &def, surface);
}

static double volume(const lil_surface *s)
{
    double V = 0;
    for (int t = 0; t < s->triangle_count; t++) {
        const double *a = s->x + 3 * s->triangles[t][0], *b = s->x + 3 * s->triangles[t][1],
                     *c = s->x + 3 * s->triangles[t][2];
        for (int d = 0; d < 3; d++)
            V += a[d] * (b[(d + 1) % 3] * c[(d + 2) % 3] - b[(d + 2) % 3] * c[(d + 1) % 3]) / 6;
    }
    return V;
}

/* Each directed edge of a quad comes once, and once the other way round; how many edges there are. */
static int count_edges(const lil_surface *s)
{
    int n = s->vertex_count, edges = 0;
    unsigned char *seen = calloc((size_t)n * (size_t)n, 1);
    for (int i = 0; seen && i < 4 * s->face_count; i++) {
        int a = s->corners[i], b = s->corners[i % 4 == 3 ? i - 3 : i + 1];
        CHECK(seen[(size_t)a * (size_t)n + (size_t)b]++ == 0);
        edges += seen[(size_t)b * (size_t)n + (size_t)a];
    }
    for (int a = 0; seen && a < n; a++)
        for (int b = 0; b < n; b++)
            CHECK(seen[(size_t)a * (size_t)n + (size_t)b] == seen[(size_t)b * (size_t)n + (size_t)a]);
    free(seen);
    return edges;
}

static void check_shape(double (*value)(void *, const double *), double true_volume, int euler)
{
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        lil_arena arena = { 0 };
        lil_surface s;
        int cells = fine ? 32 : 16;
        double a = 3.07 / cells, off = 0;
        MUST(make(&arena, value, cells, &s));
        for (int i = 0; i < s.vertex_count; i++)
            off = fmax(off, fabs(value(NULL, s.x + 3 * i)));
        CHECK_BELOW(
            off, a * a / 0.4); /* of a cell the curvature, 2.5 at most, leaves a sagitta of a^2 2.5/8 and its like */
        CHECK(s.face_count == s.first[s.face_count] / 4 && s.triangle_count == 2 * s.face_count);
        CHECK(s.vertex_count - count_edges(&s) + s.face_count == euler);
        error[fine] = volume(&s) / true_volume - 1;
        lil_arena_free(&arena);
    }
    CHECK_BELOW(fabs(error[1]), 0.05);
    CHECK_NEAR(error[0] / error[1], 4, 1); /* of the second order in the cells */
}

TEST(a_sphere)
{
    check_shape(sphere, 4 * PI / 3, 2);
}

TEST(a_torus)
{
    check_shape(torus, 2 * PI * PI * 0.4 * 0.4, 0);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(a_sphere);
    RUN(a_torus);
    lil_context_destroy(&ctx);
    return test_end();
}
