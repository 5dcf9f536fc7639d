#include "core/profile.h"

#include <stdio.h>

const char *lil_phase_key(lil_phase phase, char key[LIL_PHASE_KEY_MAX])
{
    snprintf(key, LIL_PHASE_KEY_MAX, "%s", lil_phase_name(phase));
    for (char *c = key; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    return key;
}

void lil_profile_add(lil_profile *to, const lil_profile *from)
{
    to->steps += from->steps;
    to->seconds += from->seconds;
    for (int i = 0; i < LIL_PHASE_COUNT; i++) {
        to->phases[i].seconds += from->phases[i].seconds;
        to->phases[i].whole += from->phases[i].whole;
        to->phases[i].calls += from->phases[i].calls;
    }
}

void lil_profile_json(lil_text *text, const lil_profile *profile)
{
    char key[LIL_PHASE_KEY_MAX];
    lil_text_add(text, "{\"steps\": %lld, \"seconds\": ", (long long)profile->steps);
    lil_text_json_number(text, profile->seconds);
    lil_text_add(text, ", \"phases\": {");
    for (int i = 0; i < LIL_PHASE_COUNT; i++) {
        const lil_phase_time *one = &profile->phases[i];
        lil_text_add(text, "%s\"%s\": {\"seconds\": ", i ? ", " : "", lil_phase_key((lil_phase)i, key));
        lil_text_json_number(text, one->seconds);
        lil_text_add(text, ", \"whole\": ");
        lil_text_json_number(text, one->whole);
        lil_text_add(text, ", \"calls\": %lld}", (long long)one->calls);
    }
    lil_text_add(text, "}}");
}

char *lil_profile_table(const lil_profile *profile)
{
    lil_text text = { 0 };
    double steps = profile->steps > 0 ? (double)profile->steps : 1, all = profile->seconds > 0 ? profile->seconds : 1;
    lil_text_add(&text, "  %-16s %10s %7s %10s %10s %10s\n", "profile", "seconds", "share", "calls", "ms a step",
                 "with inner");
    for (int i = 0; i < LIL_PHASE_COUNT; i++) {
        const lil_phase_time *one = &profile->phases[i];
        if (!one->calls)
            continue;
        lil_text_add(&text, "    %-14s %10.4g %5.1f %% %10lld %10.4g", lil_phase_name((lil_phase)i), one->seconds,
                     100 * one->seconds / all, (long long)one->calls, 1e3 * one->seconds / steps);
        if (i == LIL_PHASE_OTHER) /* everything is inside it */
            lil_text_add(&text, "\n");
        else
            lil_text_add(&text, " %10.4g\n", one->whole);
    }
    lil_text_add(&text, "    %-14s %10.4g %5.1f %% %10lld %10.4g\n", "all steps", profile->seconds, 100.0,
                 (long long)profile->steps, 1e3 * profile->seconds / steps);
    return text.failed ? (lil_text_free(&text), NULL) : text.data;
}
