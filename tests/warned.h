/* The latest warning of a context, for tests: lil_context_set_log(ctx, catch_warning, NULL). */
#ifndef TESTS_WARNED_H
#define TESTS_WARNED_H

#include <stdio.h>

static char warned[1024];

static void catch_warning(void *user, const char *message)
{
    (void)user;
    snprintf(warned, sizeof warned, "%.1000s", message);
}

#endif
