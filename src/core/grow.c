#include "core/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

lil_status lil_grow(lil_context *ctx, void *array, size_t *room, size_t count, size_t more, size_t size)
{
    if (*room - count >= more)
        return LIL_OK;
    size_t wanted = *room < 64 ? 128 : 2 * *room;
    while (wanted - count < more)
        wanted *= 2;
    void *grown;
    memcpy(&grown, array, sizeof grown);
    grown = wanted < SIZE_MAX / 4 / size ? realloc(grown, wanted * size) : NULL;
    LIL_HAVE(ctx, grown);
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return LIL_OK;
}
