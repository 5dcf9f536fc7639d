/* Arrays that grow while something is read. */
#ifndef LIL_CORE_GROW_H
#define LIL_CORE_GROW_H

#include "core/context.h"

/* Room for `more` entries of `size` bytes behind `count`, doubling; `array` is the address of the pointer,
 * whatever its type, and the caller frees the array. */
lil_status lil_grow(lil_context *ctx, void *array, size_t *room, size_t count, size_t more, size_t size);

#endif
