/* Arenas: zeros, alignment, texts side by side, and pages that are not written to. */
#include "test.h"

#include "core/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void allocations_are_zero_and_aligned(void)
{
    lil_arena arena = { 0 };
    for (size_t bytes = 1; bytes < 300000; bytes = 3 * bytes + 1) {
        unsigned char *memory = lil_arena_alloc(&arena, bytes, 1);
        size_t written = 0;
        CHECK(memory && (uintptr_t)memory % 64 == 0);
        for (size_t i = 0; i < bytes; i++)
            written += memory[i] != 0;
        CHECK(written == 0);
        memset(memory, 0xff, bytes);
    }
    CHECK(lil_arena_alloc(&arena, SIZE_MAX / 8, 16) == NULL);
    lil_arena_free(&arena);
}

/* A thousand names take about as many bytes as they have letters; long ones have memory of their own. */
static void texts_stay_apart(void)
{
    enum { COUNT = 1000, LONG = 50000 };
    lil_arena arena = { 0 };
    char *texts[COUNT], expected[32], *large = NULL;
    for (int i = 0; i < COUNT; i++) {
        if (i == COUNT / 2)
            large = lil_arena_format(&arena, "%*d", LONG, i);
        texts[i] = i % 2 ? lil_arena_format(&arena, "name %d", i) : lil_arena_copy(&arena, "two words", 3);
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(expected, sizeof expected, i % 2 ? "name %d" : "two", i);
        CHECK(strcmp(texts[i], expected) == 0);
    }
    CHECK(texts[3] - texts[2] == 4);
    CHECK(strlen(large) == LONG);
    lil_arena_free(&arena);
    CHECK(!arena.head && lil_arena_copy(&arena, "again", 5));
    lil_arena_free(&arena);
}

static long resident_pages(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident;
}

/* 256 MB, of which one byte is written: 65,536 pages, or 1. Kernels may make 512 of one. */
static void memory_is_taken_when_written(void)
{
    lil_arena arena = { 0 };
    long before = resident_pages();
    char *memory = lil_arena_alloc(&arena, 256, 1 << 20);
    CHECK(memory != NULL);
    memory[128 << 20] = 1;
    CHECK(resident_pages() - before < 2048);
    lil_arena_free(&arena);
}

int main(void)
{
    RUN(allocations_are_zero_and_aligned);
    RUN(texts_stay_apart);
    RUN_RELEASE(memory_is_taken_when_written);
    return test_end();
}
