#include "expr/name.h"

#include "expr/parse.h"

#include <ctype.h>
#include <string.h>

bool lil_name_is_valid(const char *name)
{
    bool valid = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c; c++)
        valid = valid && (isalnum((unsigned char)*c) || *c == '_');
    return valid && strlen(name) <= 60;
}

bool lil_name_is_reserved(const char *name)
{
    static const char *const words[] = { "t", "pi", "sum", "list", "origin" };
    for (int i = 0; i < lil_function_count; i++)
        if (strcmp(name, lil_functions[i].name) == 0)
            return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}
