/* Arenas: zeros, alignment, texts side by side, and pages that are not written to. */
#include "test.h"

#include "core/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

/* What is left of the room for texts: 4096 - 4 x 1001 = 92. */
static bool short_texts_fit(void)
{
    lil_arena arena = { 0 };
    char long_text[1000] = { 0 };
    for (int i = 0; i < 4; i++)
        lil_arena_copy(&arena, long_text, sizeof long_text);
    while (lil_arena_alloc(&arena, 1, 1)) /* to the end of memory, and of the block */
        ;
    return !lil_arena_copy(&arena, long_text, 500) && lil_arena_copy(&arena, "ab", 2) &&
           lil_arena_copy(&arena, "cd", 2);
}

/* In a process of its own, which gets 4 MB more than it has. */
static void texts_after_memory_ran_out(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        rlim_t bytes = 4 << 20;
        FILE *file = fopen("/proc/self/statm", "r");
        long pages = 0;
        if (file && fscanf(file, "%ld", &pages) == 1)
            bytes += (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
        setrlimit(RLIMIT_AS, &(struct rlimit){ bytes, bytes });
        _exit(short_texts_fit() ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    RUN(allocations_are_zero_and_aligned);
    RUN(texts_stay_apart);
    RUN_RELEASE(texts_after_memory_ran_out);
    RUN_RELEASE(memory_is_taken_when_written);
    return test_end();
}
