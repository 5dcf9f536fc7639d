/* The context: where errors leave their sentence, warnings go, and registered methods live. */
#ifndef LIL_CORE_CONTEXT_H
#define LIL_CORE_CONTEXT_H

#include "core/arena.h"
#include "core/phases.h"
#include "core/stop.h"
#include "core/threads.h"

#include <lilyan/lilyan.h>

enum { LIL_MESSAGE_MAX = 1024, LIL_REGISTERED_MAX = 64 };

/* Materials, terms or constraints that the user registered (kind.h). */
typedef struct lil_kind_list {
    const char *name[LIL_REGISTERED_MAX];
    const void *table[LIL_REGISTERED_MAX];
    int count;
} lil_kind_list;

struct lil_context {
    char message[LIL_MESSAGE_MAX];
    lil_log_fn *log;
    void *log_user;
    const lil_integrator *registered[LIL_REGISTERED_MAX]; /* the user's own; ours are in integrators/ */
    int registered_count;
    lil_kind_list kinds[3]; /* by lil_kind_of */
    lil_arena arena;        /* of these */
    lil_threads *threads;
    lil_stop stop;
    lil_phases *phases; /* of the Sim or shot that is being stepped or solved now; NULL: it is not measured */
    void *c_locale; /* locale_t: numbers are read and written the same way whatever the host program's locale is */
};

/* Leaves the sentence in the context and returns `status`, so that callers write `return lil_fail(...)`. */
lil_status lil_fail(lil_context *ctx, lil_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
lil_status lil_fail_memory(lil_context *ctx);
/* An argument of a public function is NULL. Where `ctx` is too there is nowhere to say so. */
lil_status lil_fail_null(lil_context *ctx, const char *function, const char *argument);
/* Replaces bytes that are neither printable nor UTF-8. */
void lil_clean(char *text);
void lil_warn(lil_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the clock that this context runs; NULL: none. Returns the previous clock, to be restored afterwards. */
lil_phases *lil_clock_begin(lil_context *ctx, lil_phases *phases);
void lil_clock_end(lil_context *ctx, lil_phases *before);

/* strtod in the C locale. */
double lil_number(const lil_context *ctx, const char *text, char **end);

/* Between them this thread prints numbers as C does, for files that other programs read: 1.5, never 1,5. */
void *lil_c_locale_begin(const lil_context *ctx);
void lil_c_locale_end(void *before);

/* At the head of public functions: `name` is the argument's name in the header. */
#define LIL_NEED(ctx, argument, name)                                                                                \
    do {                                                                                                             \
        if (!(argument))                                                                                             \
            return lil_fail_null(ctx, __func__, name);                                                               \
    } while (0)

/* Passes a failure on. */
#define LIL_TRY(call)                                                                                                \
    do {                                                                                                             \
        lil_status try_status_ = (call);                                                                             \
        if (try_status_ != LIL_OK)                                                                                   \
            return try_status_;                                                                                      \
    } while (0)

/* Fails the function if an allocation failed. */
#define LIL_HAVE(ctx, allocated)                                                                                     \
    do {                                                                                                             \
        if (!(allocated))                                                                                            \
            return lil_fail_memory(ctx);                                                                             \
    } while (0)

/* pointer = `count` zeroed entries from an arena; if memory runs out, the function fails. */
#define LIL_ALLOC(ctx, arena, pointer, count)                                                                        \
    LIL_HAVE(ctx, (pointer) = lil_arena_alloc((arena), (size_t)(count), sizeof *(pointer)))

/* The same for several pointers to `type`, given by their addresses. */
#define LIL_ALLOC_ALL(ctx, arena, type, count, ...)                                                                  \
    do {                                                                                                             \
        type **all_[] = { __VA_ARGS__ };                                                                             \
        for (size_t i_ = 0; i_ < sizeof all_ / sizeof all_[0]; i_++)                                                 \
            LIL_ALLOC(ctx, arena, *all_[i_], count);                                                                 \
    } while (0)

#endif
