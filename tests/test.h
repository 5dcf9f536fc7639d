/*
 * The test harness: a test is a function, main runs them all.
 *
 *     TEST(pendulum_period) { CHECK_NEAR(period(), 6.392568, 1e-6); }
 *     int main(void) { RUN(pendulum_period); return test_end(); }
 *
 * A failed check says where and what, and the test goes on. Sizes shrink where test_small() says so (sanitizers).
 */
#ifndef LIL_TEST_H
#define LIL_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lilyan/lilyan.h>

static int test_failures;
static const char *test_name;

/* LIL_TEST_ONLY has names of tests, with spaces between: only these run. */
static inline bool test_is_wanted(const char *name)
{
    const char *only = getenv("LIL_TEST_ONLY");
    size_t length = strlen(name);
    for (const char *at = only; at && (at = strstr(at, name)); at += length)
        if ((at == only || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return !only;
}

#define TEST(name) static void name(void)
#define RUN(name)                                                                                                    \
    do {                                                                                                             \
        if (!test_is_wanted(#name))                                                                                  \
            break;                                                                                                   \
        int before_ = test_failures;                                                                                 \
        clock_t start_ = clock();                                                                                    \
        test_name = #name;                                                                                           \
        name();                                                                                                      \
        printf("%s %s, %.2f s\n", test_failures == before_ ? "ok    " : "FAILED", #name,                             \
               (double)(clock() - start_) / CLOCKS_PER_SEC);                                                         \
        fflush(stdout);                                                                                              \
    } while (0)

/* Not under sanitizers: another test of the file goes the same way through the code, with less work. */
#define RUN_RELEASE(name)                                                                                            \
    do {                                                                                                             \
        if (!test_small())                                                                                           \
            RUN(name);                                                                                               \
    } while (0)

#define CHECK(condition)                                                                                             \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            test_failures++;                                                                                         \
            printf("%s:%d: %s: not so: %s\n", __FILE__, __LINE__, test_name, #condition);                            \
        }                                                                                                            \
    } while (0)

/* |a - b| <= tolerance; a NaN fails */
#define CHECK_NEAR(a, b, tolerance)                                                                                  \
    do {                                                                                                             \
        double a_ = (a), b_ = (b), t_ = (tolerance);                                                                 \
        if (!(fabs(a_ - b_) <= t_)) {                                                                                \
            test_failures++;                                                                                         \
            printf("%s:%d: %s: %s = %.17g, but %s = %.17g: apart by %.3g > %.3g\n", __FILE__, __LINE__, test_name,   \
                   #a, a_, #b, b_, fabs(a_ - b_), t_);                                                               \
        }                                                                                                            \
    } while (0)

#define CHECK_BELOW(a, bound)                                                                                        \
    do {                                                                                                             \
        double a_ = (a), b_ = (bound);                                                                               \
        if (!(a_ < b_)) {                                                                                            \
            test_failures++;                                                                                         \
            printf("%s:%d: %s: %s = %.6g is not below %.6g\n", __FILE__, __LINE__, test_name, #a, a_, b_);           \
        }                                                                                                            \
    } while (0)

/* the call succeeds; otherwise its sentence is shown and the test ends (needs a variable ctx) */
#define MUST(call)                                                                                                   \
    do {                                                                                                             \
        if ((call) != LIL_OK) {                                                                                      \
            test_failures++;                                                                                         \
            printf("%s:%d: %s: %s: %s\n", __FILE__, __LINE__, test_name, #call, lil_context_message(ctx));           \
            return;                                                                                                  \
        }                                                                                                            \
    } while (0)

static inline bool test_small(void)
{
    return getenv("LIL_TEST_SMALL") != NULL;
}

static inline int test_end(void)
{
    printf("%s\n", test_failures ? "FAILED" : "all ok");
    return test_failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
