#include "world/def.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lil_status lil_world_create(lil_context *ctx, lil_world **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "world");
    LIL_HAVE(ctx, *out = calloc(1, sizeof **out));
    (*out)->ctx = ctx;
    (*out)->contact = lil_contact_def_default();
    (*out)->holders = 1;
    return LIL_OK;
}

void lil_world_destroy(lil_world **world)
{
    if (!world || !*world)
        return;
    if (atomic_fetch_sub(&(*world)->holders, 1) == 1) {
        lil_arena_free(&(*world)->arena);
        free(*world);
    }
    *world = NULL;
}

/* ---- what is wrong ---- */

static lil_status refuse(lil_world *w, lil_blame blame, lil_status status, const char *format, va_list args)
{
    char sentence[LIL_MESSAGE_MAX];
    vsnprintf(sentence, sizeof sentence, format, args);
    w->blame = blame;
    return lil_fail(w->ctx, status, "%s", sentence);
}

lil_status lil_world_refuse(lil_world *w, const char *member, lil_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    refuse(w, (lil_blame){ member, false, NULL }, status, format, args);
    va_end(args);
    return status;
}

lil_status lil_world_refuse_key(lil_world *w, const char *member, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    refuse(w, (lil_blame){ member, true, NULL }, LIL_ERR_INPUT, format, args);
    va_end(args);
    return LIL_ERR_INPUT;
}

lil_status lil_world_refuse_body(lil_world *w, int body, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    refuse(w, (lil_blame){ NULL, true, w->list[body].node }, LIL_ERR_INPUT, format, args);
    va_end(args);
    return LIL_ERR_INPUT;
}

lil_status lil_world_open(lil_world *w, const char *function)
{
    w->blame = (lil_blame){ NULL, false, NULL };
    return w->built
               ? lil_fail(w->ctx, LIL_ERR_ARGUMENT, "%s: the world is built already and cannot be changed", function)
               : LIL_OK;
}

lil_status lil_world_take_def(lil_world *w, const char *function, const void *def, size_t size)
{
    if (!w || !def)
        return lil_fail_null(w ? w->ctx : NULL, function, w ? "def" : "world");
    LIL_TRY(lil_world_open(w, function));
    size_t given = *(const size_t *)def;
    return given == size ? LIL_OK
                         : lil_fail(w->ctx, LIL_ERR_ARGUMENT,
                                    "%s: the def's size is %zu, not %zu: initialise it with its _default "
                                    "function, from the header of this library",
                                    function, given, size);
}

lil_status lil_world_check_body(lil_world *w, int body)
{
    return body >= 0 && body < w->count
               ? LIL_OK
               : lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there is no body %d: there are %d, numbered from 0", body,
                          w->count);
}

int lil_world_body_of(const lil_world *w, int vertex)
{
    int b = w->count - 1;
    while (w->list[b].first > vertex)
        b--;
    return b;
}

lil_status lil_world_check_vertices(lil_world *w, int body, const int *vertices, int count)
{
    LIL_TRY(lil_world_check_body(w, body));
    const lil_body *b = &w->list[body];
    if (count < 1)
        return lil_world_refuse(w, "select", LIL_ERR_INPUT, "no vertex of '%.60s' is selected here", b->name);
    for (int i = 0; i < count; i++)
        if (vertices[i] < 0 || vertices[i] >= b->mesh.vertex_count)
            return lil_world_refuse(w, "select", LIL_ERR_INPUT, "'%.60s' has no vertex %d: vertices go from 0 to %d",
                                    b->name, vertices[i], b->mesh.vertex_count - 1);
    return LIL_OK;
}

/* ---- lists ---- */

bool lil_world_grow(lil_world *w, void *list, int count, int more, int *room, size_t size)
{
    void **items = list, *longer;
    if (count + more <= *room)
        return true;
    int64_t wanted = (int64_t)count + more + count / 2 + 8;
    if (wanted > INT32_MAX || !(longer = lil_arena_alloc(&w->arena, (size_t)wanted, size)))
        return false;
    if (count)
        memcpy(longer, *items, (size_t)count * size);
    *items = longer;
    *room = (int)wanted;
    return true;
}

/* ---- all of it ---- */

lil_status lil_world_set_gravity(lil_world *w, const double g[3])
{
    LIL_NEED(NULL, w, "world");
    LIL_NEED(w->ctx, g, "g");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_check_numbers(w->ctx, "the world", "g", g, 3));
    memcpy(w->gravity, g, sizeof w->gravity);
    return LIL_OK;
}

int lil_world_vertices(const lil_world *w)
{
    return w ? w->vertex_count : 0;
}

int lil_world_first(const lil_world *w, int body)
{
    return w && body >= 0 && body < w->count ? w->list[body].first : -1;
}
