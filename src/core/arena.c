#include "core/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, BLOCK = 64 * 1024, TEXTS = 4096 };

struct lil_arena_block {
    struct lil_arena_block *next;
    void *memory;      /* what calloc returned */
    size_t used, size; /* bytes, header included */
};

static size_t aligned(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static struct lil_arena_block *new_block(lil_arena *arena, size_t bytes)
{
    size_t header = aligned(sizeof(struct lil_arena_block));
    size_t size = aligned(bytes) + header;
    if (size < BLOCK)
        size = BLOCK;
    void *memory = calloc(1, size + ALIGNMENT - 1); /* zeros without writing them, where pages are new */
    if (!memory)
        return NULL;
    struct lil_arena_block *block = (void *)aligned((uintptr_t)memory);
    *block = (struct lil_arena_block){ .next = arena->head, .memory = memory, .used = header, .size = size };
    arena->head = block;
    return block;
}

void *lil_arena_alloc(lil_arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size)
        return NULL;
    size_t bytes = aligned(count * size);
    if (bytes == 0)
        bytes = ALIGNMENT;
    struct lil_arena_block *block = arena->head;
    if (!block || block->size - block->used < bytes)
        block = new_block(arena, bytes);
    if (!block)
        return NULL;
    void *memory = (char *)block + block->used;
    block->used += bytes;
    return memory;
}

static char *new_text(lil_arena *arena, size_t bytes)
{
    if (bytes > TEXTS / 4)
        return lil_arena_alloc(arena, bytes, 1);
    if (arena->left < bytes) {
        char *room = lil_arena_alloc(arena, TEXTS, 1);
        if (!room) /* shorter texts still fit */
            return NULL;
        arena->text = room;
        arena->left = TEXTS;
    }
    char *text = arena->text;
    arena->text += bytes;
    arena->left -= bytes;
    return text;
}

char *lil_arena_copy(lil_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? new_text(arena, length + 1) : NULL;
    return copy ? memcpy(copy, text, length) : NULL;
}

char *lil_arena_format(lil_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : new_text(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void lil_arena_free(lil_arena *arena)
{
    while (arena->head) {
        struct lil_arena_block *block = arena->head;
        arena->head = block->next;
        free(block->memory);
    }
    arena->text = NULL;
    arena->left = 0;
}
