/* Minimal residuals over general matrices of blocks whose symmetric part is not definite. */
#include "solvers/orthomin.h"
#include "test.h"

enum { VERTICES = 15, PAIRS = VERTICES * (VERTICES - 1) / 2 + VERTICES, N = 3 * VERTICES };

static lil_context *ctx;

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 0x1p30 - 1;
}

/* y = H x */
static void multiply(double H[N][N], const double x[N], double y[N])
{
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++)
            y[i] += H[i][j] * x[j];
    }
}

static void add_block(const float B[9], int a, int b, double H[N][N])
{
    for (int e = 0; e < 9; e++) {
        H[3 * a + e / 3][3 * a + e % 3] -= B[e];
        if (b >= 0)
            H[3 * a + e / 3][3 * b + e % 3] += B[e];
    }
}

/* Blocks between all vertices, anything at all; H_aa = m 1 - sum_b B_ab, also of any sign. */
static void make_matrix(lil_arena *arena, uint64_t seed, lil_blocks *A, double H[N][N])
{
    static float blocks[18 * PAIRS];
    double x[N], mass[VERTICES];
    int at[PAIRS][2], where[PAIRS], place[PAIRS][2], count = 0;
    for (int i = 0; i < VERTICES; i++) {
        at[count][0] = i;
        at[count++][1] = -1;
        for (int j = i + 1; j < VERTICES; j++) {
            at[count][0] = i;
            at[count++][1] = j;
        }
        mass[i] = 1 + i % 3;
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = uniform(&seed);
    }
    MUST(lil_blocks_create(ctx, arena, VERTICES, x, PAIRS, (const int(*)[2])at, ctx->threads, A, where));
    MUST(lil_blocks_generalise(ctx, arena, A, PAIRS, (const int(*)[2])at, where, place));
    for (int k = 0; k < 18 * PAIRS; k++)
        blocks[k] = (float)uniform(&seed);
    for (int k = 0; k < PAIRS; k++) /* what is held: 8 or -8 on the diagonal, which keeps H away from singular */
        for (int e = 0; e < 9 && at[k][1] < 0; e += 4)
            blocks[9 * place[k][0] + e] += at[k][0] % 2 ? 8 : -8;
    CHECK(lil_blocks_set_general(A, mass, blocks));
    memset(H, 0, N * sizeof *H);
    for (int i = 0; i < N; i++)
        H[i][i] = mass[i / 3];
    for (int k = 0; k < PAIRS; k++)
        for (int end = 0; end < 2; end++)
            if (at[k][end] >= 0)
                add_block(blocks + 9 * place[k][end], at[k][end], at[k][1 - end], H);
}

/* Orthomin alone stands still at nearly all of b; all directions so far, 45 unknowns at most, leave nothing. */
TEST(indefinite_matrices_are_solved)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        lil_arena arena = { 0 };
        lil_blocks A;
        lil_orthomin om;
        static double H[N][N];
        double u[N], b[N], d[N], left = 0, size = 0;
        uint64_t other = 99 + seed;
        make_matrix(&arena, seed, &A, H);
        MUST(lil_orthomin_create(ctx, &arena, &A, &om));
        for (int i = 0; i < N; i++)
            u[i] = uniform(&other);
        multiply(H, u, b);
        lil_pcg_ask ask = { .eta = 1e-3, .iterations_max = 1000, .unscaled = true };
        lil_orthomin_solve(&om, b, d, &ask);
        CHECK(!ask.curvature && ask.iterations < 1000);
        multiply(H, d, u);
        for (int i = 0; i < N; i++) {
            left += (u[i] - b[i]) * (u[i] - b[i]);
            size += b[i] * b[i];
        }
        CHECK_BELOW(sqrt(left / size), 1.1e-3);
        lil_arena_free(&arena);
    }
}

/* Another solve over the same memory, as every Newton iteration makes, has the same bits; so have two threads. */
TEST(bits_stay)
{
    double first[N] = { 0 };
    for (int k = 0; k < 3; k++) {
        lil_arena arena = { 0 };
        lil_blocks A;
        lil_orthomin om;
        static double H[N][N];
        double b[N], d[N];
        MUST(lil_context_set_threads(ctx, k < 2 ? 1 : 2));
        make_matrix(&arena, 7, &A, H);
        MUST(lil_orthomin_create(ctx, &arena, &A, &om));
        for (int again = 0; again <= k; again++) {
            for (int i = 0; i < N; i++)
                b[i] = i % 7 - 3;
            lil_pcg_ask ask = { .eta = 1e-3, .iterations_max = 1000, .unscaled = true };
            lil_orthomin_solve(&om, b, d, &ask);
        }
        if (k == 0)
            memcpy(first, d, sizeof d);
        CHECK(memcmp(first, d, sizeof d) == 0);
        lil_arena_free(&arena);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(indefinite_matrices_are_solved);
    RUN(bits_stay);
    lil_context_destroy(&ctx);
    return test_end();
}
