/* Threads: every piece is done once, and nothing that is computed depends on how many there are. */
#include "solids.h"

#include "core/threads.h"

static lil_context *ctx;

enum { PIECES = 1000 };

static void count_piece(void *data, int i)
{
    ((int *)data)[i]++;
}

TEST(every_piece_is_done_once)
{
    for (int threads = 1; threads <= LIL_THREADS_MAX; threads = 2 * threads + 1) {
        MUST(lil_context_set_threads(ctx, threads));
        for (int pieces = 0; pieces <= PIECES; pieces = 3 * pieces + 1) {
            int done[PIECES + 1] = { 0 };
            lil_parallel(ctx->threads, pieces, count_piece, done);
            for (int i = 0; i <= PIECES; i++)
                CHECK(done[i] == (i < pieces));
        }
    }
}

TEST(numbers_of_threads)
{
    CHECK(lil_context_threads(ctx) == lil_threads_available());
    CHECK(lil_threads_available() >= 1 && lil_threads_available() <= LIL_THREADS_MAX);
    CHECK(lil_context_set_threads(ctx, 0) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "between 1 and 64 threads can be used, not 0"));
    CHECK(lil_context_set_threads(ctx, 65) == LIL_ERR_ARGUMENT);
    CHECK(lil_context_threads(ctx) == lil_threads_available());
    for (int n = 1; n <= LIL_THREADS_MAX; n++) {
        MUST(lil_context_set_threads(ctx, n));
        CHECK(lil_context_threads(ctx) == n);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(numbers_of_threads);
    RUN(every_piece_is_done_once);
    lil_context_destroy(&ctx);
    return test_end();
}
