/* All tests of C in one program: it is called by the name of a test, and runs the main of that file (CMakeLists.txt). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name) int name(void);
#include "list_of_tests.h"
#undef X

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define X(name) { #name, name },
#include "list_of_tests.h"
#undef X
};

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(name, tests[i].name))
            return tests[i].run();
    fprintf(stderr, "%s is not the name of a test\n", name);
    return EXIT_FAILURE;
}
