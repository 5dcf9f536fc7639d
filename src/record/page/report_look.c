/* The look that the scene gives to a part, as keys of its object on a page. */
#include "record/page/report.h"

#include <math.h>

void lil_report_look(lil_text *h, const double look[LIL_RECORDED_LOOK])
{
    static const char *const names[] = { "opacity", "roughness" };
    if (!isnan(look[0]))
        lil_text_add(h, ",\"color\":\"#%02x%02x%02x\"", (unsigned)lround(255 * look[0]),
                     (unsigned)lround(255 * look[1]), (unsigned)lround(255 * look[2]));
    for (int i = 0; i < 2; i++)
        if (!isnan(look[3 + i])) {
            lil_text_add(h, ",\"%s\":", names[i]);
            lil_text_json_number(h, look[3 + i]);
        }
}
