#include "record/file/recorded_profile.h"

#include "core/profile.h"

#include <math.h>
#include <stdio.h>

enum { NAME_MAX_BYTES = 64 };

static void name_of(int phase, const char *what, char name[NAME_MAX_BYTES])
{
    char key[LIL_PHASE_KEY_MAX];
    snprintf(name, NAME_MAX_BYTES, "profile/%s/%s", lil_phase_key((lil_phase)phase, key), what);
}

static bool write_one(hid_t file, int phase, const char *what, const lil_profile *profile, double value)
{
    char name[NAME_MAX_BYTES];
    name_of(phase, what, name);
    return lil_h5_write_number(file, name, profile ? value : NAN);
}

bool lil_profile_write(hid_t file, const lil_profile *profile)
{
    const lil_profile none = { 0 }, *p = profile ? profile : &none;
    bool ok = lil_h5_write_number(file, "profile/steps", profile ? (double)p->steps : NAN) &&
              lil_h5_write_number(file, "profile/seconds", profile ? p->seconds : NAN);
    for (int i = 0; ok && i < LIL_PHASE_COUNT; i++) {
        const lil_phase_time *one = &p->phases[i];
        ok = write_one(file, i, "seconds", profile, one->seconds) &&
             write_one(file, i, "whole", profile, one->whole) &&
             write_one(file, i, "calls", profile, (double)one->calls);
    }
    return ok;
}

static double read_one(hid_t file, int phase, const char *what)
{
    char name[NAME_MAX_BYTES];
    name_of(phase, what, name);
    double value = lil_h5_read_number(file, name);
    return isfinite(value) ? value : 0; /* a phase that this version has and the file has not */
}

bool lil_profile_read(hid_t file, lil_profile *profile)
{
    double steps = lil_profile_has_room(file) ? lil_h5_read_number(file, "profile/steps") : NAN;
    if (!(steps >= 0 && steps < 0x1p62))
        return false;
    *profile = (lil_profile){ .steps = (int64_t)steps, .seconds = lil_h5_read_number(file, "profile/seconds") };
    for (int i = 0; i < LIL_PHASE_COUNT; i++) {
        double calls = read_one(file, i, "calls");
        profile->phases[i] = (lil_phase_time){ .seconds = read_one(file, i, "seconds"),
                                               .whole = read_one(file, i, "whole"),
                                               .calls = calls >= 0 && calls < 0x1p62 ? (int64_t)calls : 0 };
    }
    return true;
}

bool lil_profile_has_room(hid_t file)
{
    return H5Lexists(file, "profile", H5P_DEFAULT) > 0;
}
