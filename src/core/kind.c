#include "core/kind.h"

#include "core/field.h"

#include <string.h>

static const char *const names[LIL_KINDS] = { "material", "term", "constraint" };

lil_status lil_kind_take(lil_context *ctx, const char *what, const void *kind, size_t least, size_t known, void *to)
{
    const size_t most = known + 4096; /* larger than that it is no size */
    size_t size;
    memcpy(&size, kind, sizeof size);
    if (size < least || size > most)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "kind->size is %zu: set it to sizeof(lil_%s_kind), which is %zu", size,
                        what, known);
    for (size_t i = known; i < size; i++)
        if (((const char *)kind)[i])
            return lil_fail(ctx, LIL_ERR_ARGUMENT,
                            "the %s has %zu bytes and uses more than the %zu that Lilyan %s knows", what, size, known,
                            LILYAN_VERSION);
    memset(to, 0, known);
    memcpy(to, kind, size < known ? size : known);
    return LIL_OK;
}

lil_status lil_kind_register(lil_context *ctx, lil_kind_of of, const char *name, const void *table)
{
    lil_kind_list *list = &ctx->kinds[of];
    if (lil_kind_find(ctx, of, name))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a %s '%.60s' exists already", names[of], name);
    if (list->count == LIL_REGISTERED_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "at most %d kinds of %s can be registered", LIL_REGISTERED_MAX,
                        names[of]);
    list->name[list->count] = name;
    list->table[list->count++] = table;
    return LIL_OK;
}

const void *lil_kind_find(const lil_context *ctx, lil_kind_of of, const char *name)
{
    const lil_kind_list *list = &ctx->kinds[of];
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->name[i], name) == 0)
            return list->table[i];
    return NULL;
}

int lil_kind_count(const lil_context *ctx, lil_kind_of of)
{
    return ctx->kinds[of].count;
}

const void *lil_kind_at(const lil_context *ctx, lil_kind_of of, int i, const char **name)
{
    *name = ctx->kinds[of].name[i];
    return ctx->kinds[of].table[i];
}

lil_status lil_kind_fail_unknown(lil_context *ctx, lil_kind_of of, const char *name)
{
    const lil_kind_list *list = &ctx->kinds[of];
    char hint[LIL_HINT_MAX];
    return lil_fail(ctx, LIL_ERR_INPUT, "unknown %s '%.60s'%s", names[of], name,
                    list->count ? lil_hint(lil_nearest(name, list->name, list->count, sizeof list->name[0]), hint)
                                : ": none is registered");
}

lil_status lil_kind_check(lil_context *ctx, const char *what, const char *name, int coordinates, unsigned holds,
                          unsigned allowed)
{
    if (coordinates < 1 || coordinates > LIL_KIND_COORDINATES_MAX)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the %s '%.60s' must have between 1 and %d coordinates, not %d", what,
                        name, LIL_KIND_COORDINATES_MAX, coordinates);
    if (holds & ~allowed)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the %s '%.60s' claims %u: there is no such claim", what, name,
                        holds & ~allowed);
    if (holds & (LIL_KIND_TRANSLATIONS | LIL_KIND_ROTATIONS) && coordinates % 3)
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "the %s '%.60s' claims symmetries in space, but its %d coordinates are not x, y, z of points",
                        what, name, coordinates);
    return LIL_OK;
}

lil_status lil_kind_use_check(lil_context *ctx, int n, const lil_kind_use *use)
{
    if (use->count < 1)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s.count must be at least 1, not %d", use->what, use->count);
    if (!use->at)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s.coordinates is NULL", use->what);
    if (use->data_size && !use->data)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s.data is NULL, but the kind has %zu bytes of it for each",
                        use->what, use->data_size);
    for (int e = 0; e < use->count; e++) {
        const int *at = use->at + (size_t)e * (size_t)use->coordinates;
        for (int i = 0; i < use->coordinates; i++) {
            if (at[i] < 0 || at[i] >= n)
                return lil_fail(ctx, LIL_ERR_ARGUMENT,
                                "%s: number %d has coordinate %d, but coordinates go from 0 to %d", use->what, e,
                                at[i], n - 1);
            for (int j = 0; j < i; j++)
                if (at[i] == at[j])
                    return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s: number %d has coordinate %d twice", use->what, e,
                                    at[i]);
        }
    }
    return LIL_OK;
}

lil_status lil_kind_use_copy(lil_context *ctx, lil_arena *arena, const lil_kind_use *use, const int **at,
                             const char **data)
{
    size_t count = (size_t)use->count;
    int *places = LIL_NEW(arena, int, count *(size_t)use->coordinates);
    char *bytes = use->data_size ? lil_arena_alloc(arena, count, use->data_size) : NULL;
    if (!places || (use->data_size && !bytes))
        return lil_fail_memory(ctx);
    memcpy(places, use->at, count * (size_t)use->coordinates * sizeof *places);
    if (bytes)
        memcpy(bytes, use->data, count * use->data_size);
    *at = places;
    *data = bytes;
    return LIL_OK;
}
