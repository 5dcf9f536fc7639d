/* FNV-1a: bytes as a number that other bytes hardly have. Not against who wants two to be the same. */
#ifndef LIL_CORE_HASH_H
#define LIL_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t LIL_HASH_EMPTY = 0xcbf29ce484222325u;

/* Of what `from` is of, followed by these bytes. */
static inline uint64_t lil_hash(uint64_t from, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        from = (from ^ bytes[i]) * 0x100000001b3u;
    return from;
}

#endif
