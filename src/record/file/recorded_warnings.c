#include "record/file/recorded_warnings.h"

#include <stdio.h>

static void name_of(int kind, char name[64])
{
    snprintf(name, 64, "warnings/%s", lil_warning_names[kind]);
}

bool lil_warnings_create(hid_t file, const lil_warnings *warnings)
{
    bool ok = true;
    for (int kind = 0; ok && kind < LIL_WARNING_KINDS; kind++) {
        char name[64];
        name_of(kind, name);
        ok = lil_h5_write_string(file, name, warnings->text[kind], LIL_WARNING_MAX - 1);
    }
    return ok;
}

bool lil_warnings_write(hid_t file, const lil_warnings *warnings)
{
    bool ok = true;
    for (int kind = 0; ok && kind < LIL_WARNING_KINDS; kind++) {
        char name[64];
        name_of(kind, name);
        if (warnings->text[kind][0] && H5Lexists(file, "warnings", H5P_DEFAULT) > 0 &&
            H5Lexists(file, name, H5P_DEFAULT) > 0)
            ok = lil_h5_write_string(file, name, warnings->text[kind], LIL_WARNING_MAX - 1);
    }
    return ok;
}

void lil_warnings_read(hid_t file, lil_warnings *warnings)
{
    *warnings = (lil_warnings){ 0 };
    if (H5Lexists(file, "warnings", H5P_DEFAULT) <= 0)
        return;
    for (int kind = 0; kind < LIL_WARNING_KINDS; kind++) {
        char name[64];
        lil_arena arena = { 0 };
        name_of(kind, name);
        const char *text = lil_h5_read_string(&arena, file, name);
        if (text)
            snprintf(warnings->text[kind], LIL_WARNING_MAX, "%s", text);
        lil_clean(warnings->text[kind]);
        lil_arena_free(&arena);
    }
}
