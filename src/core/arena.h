/* Memory that is freed together: the allocations of a model, a scene or a simulation while it is built. */
#ifndef LIL_CORE_ARENA_H
#define LIL_CORE_ARENA_H

#include <stddef.h>

typedef struct lil_arena {
    struct lil_arena_block *head;
    char *text;  /* texts are side by side: room for the next, */
    size_t left; /*   so many bytes */
    const double
        *parameters; /* of a Sim, which programs with slots in its arena read; NULL: the values at compile time */
} lil_arena;

/* Zeroed, aligned to 64 bytes; NULL when memory runs out or the size overflows. Pages of large allocations that
 * nobody writes to take no memory. */
void *lil_arena_alloc(lil_arena *arena, size_t count, size_t size);
char *lil_arena_copy(lil_arena *arena, const char *text, size_t length); /* ended by 0 */
char *lil_arena_format(lil_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lil_arena_free(lil_arena *arena);

#define LIL_NEW(arena, type, count) ((type *)lil_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif
