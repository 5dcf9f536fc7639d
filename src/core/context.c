#define _GNU_SOURCE /* strtod_l */
#include "core/context.h"

#include "core/threads.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *lil_version(void)
{
    return LILYAN_VERSION;
}

const char *lil_version_features(void)
{
#ifdef LIL_CORE_ONLY
    return "core";
#else
    return "core scenes trajectories pages";
#endif
}

int lil_version_number(void)
{
    return LIL_VERSION_NUMBER;
}

const char *lil_status_name(lil_status status)
{
    static const char *const names[] = {
        "LIL_OK",           "LIL_ERR_ARGUMENT",    "LIL_ERR_MEMORY",
        "LIL_ERR_INPUT",    "LIL_ERR_FILE",        "LIL_ERR_EXISTS",
        "LIL_ERR_LIMIT",    "LIL_ERR_NOT_FINITE",  "LIL_ERR_CONVERGENCE",
        "LIL_ERR_INVERTED", "LIL_ERR_INTERRUPTED",
    };
    size_t i = (size_t)status;
    return i < sizeof names / sizeof names[0] ? names[i] : "unknown status";
}

void lil_free(void *memory)
{
    free(memory);
}

lil_context *lil_context_create(void)
{
    lil_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!ctx->c_locale) {
        free(ctx);
        return NULL;
    }
    ctx->threads = lil_threads_create(lil_threads_available());
    if (!ctx->threads)
        lil_context_destroy(&ctx);
    return ctx;
}

void lil_context_destroy(lil_context **ctx)
{
    if (!ctx || !*ctx)
        return;
    lil_threads_destroy(&(*ctx)->threads);
    lil_arena_free(&(*ctx)->arena);
    freelocale((locale_t)(*ctx)->c_locale);
    free(*ctx);
    *ctx = NULL;
}

const char *lil_context_message(const lil_context *ctx)
{
    return ctx ? ctx->message : "no context";
}

void lil_context_set_log(lil_context *ctx, lil_log_fn *log, void *user)
{
    ctx->log = log;
    ctx->log_user = user;
}

void lil_context_set_watch(lil_context *ctx, lil_watch_fn *watch, void *user)
{
    ctx->stop = (lil_stop){ .watch = watch, .user = user };
}

lil_status lil_context_set_threads(lil_context *ctx, int threads)
{
    LIL_NEED(NULL, ctx, "ctx");
    if (threads < 1 || threads > LIL_THREADS_MAX)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "between 1 and %d threads can be used, not %d", LIL_THREADS_MAX,
                        threads);
    lil_threads_set(ctx->threads, threads);
    return LIL_OK;
}

int lil_context_threads(const lil_context *ctx)
{
    return lil_threads_count(ctx->threads);
}

/* One line of valid UTF-8, whatever a file put into it: everything else becomes a question mark. */
void lil_clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        int more = *c < 0x80 ? 0 : *c < 0xc2 ? -1 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : *c < 0xf5 ? 3 : -1;
        bool good = more >= 0 && *c >= ' ' && *c != 0x7f;
        for (int k = 1; good && k <= more; k++)
            good = (c[k] & 0xc0) == 0x80;
        if (!good)
            *c = '?';
        c += good ? more + 1 : 1;
    }
}

lil_status lil_fail(lil_context *ctx, lil_status status, const char *format, ...)
{
    /* formatted aside, so that an earlier message may be an argument of the new one */
    char sentence[LIL_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    lil_clean(sentence);
    snprintf(ctx->message, sizeof ctx->message, "%s", sentence);
    return status;
}

lil_status lil_fail_memory(lil_context *ctx)
{
    return lil_fail(ctx, LIL_ERR_MEMORY, "out of memory");
}

lil_status lil_fail_null(lil_context *ctx, const char *function, const char *argument)
{
    return ctx ? lil_fail(ctx, LIL_ERR_ARGUMENT, "%s: '%s' is NULL", function, argument) : LIL_ERR_ARGUMENT;
}

void lil_warn(lil_context *ctx, const char *format, ...)
{
    if (!ctx->log)
        return;
    char sentence[LIL_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    lil_clean(sentence);
    ctx->log(ctx->log_user, sentence);
}

double lil_number(const lil_context *ctx, const char *text, char **end)
{
    return strtod_l(text, end, (locale_t)ctx->c_locale);
}

void *lil_c_locale_begin(const lil_context *ctx)
{
    return uselocale((locale_t)ctx->c_locale);
}

void lil_c_locale_end(void *before)
{
    uselocale((locale_t)before);
}

lil_phases *lil_clock_begin(lil_context *ctx, lil_phases *phases)
{
    lil_phases *before = ctx->phases;
    ctx->phases = phases;
    lil_phase_begin(phases, LIL_PHASE_OTHER);
    return before;
}

void lil_clock_end(lil_context *ctx, lil_phases *before)
{
    lil_phase_end(ctx->phases);
    ctx->phases = before;
}
