/* What parts look like on pages and in exports. Mechanics does not use it. */
#include "world/contact.h"
#include "world/def.h"

#include <math.h>

lil_look_def lil_look_def_default(void)
{
    return (
        lil_look_def){ .size = sizeof(lil_look_def), .color = { NAN, NAN, NAN }, .opacity = NAN, .roughness = NAN };
}

/* NaN: not given. */
static lil_status take(lil_world *w, const char *member, const char *name, const double *x, int count, double *to)
{
    int given = 0;
    for (int i = 0; i < count; i++)
        given += !isnan(x[i]);
    for (int i = 0; given && i < count; i++)
        if (!(x[i] >= 0 && x[i] <= 1))
            return lil_world_refuse(w, member, LIL_ERR_INPUT, "the %s of '%.60s' is %g: it must be from 0 to 1",
                                    count > 1 ? "red, green or blue" : member, name, x[i]);
    for (int i = 0; i < count; i++)
        to[i] = x[i];
    return LIL_OK;
}

lil_status lil_world_set_look(lil_world *w, const char *name, const lil_look_def *def)
{
    int id;
    lil_look look = { .set = true };
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    LIL_NEED(w->ctx, name, "name");
    LIL_TRY(lil_world_find_part(w, NULL, name, &id));
    LIL_TRY(take(w, "color", name, def->color, 3, look.numbers));
    LIL_TRY(take(w, "opacity", name, &def->opacity, 1, look.numbers + 3));
    LIL_TRY(take(w, "roughness", name, &def->roughness, 1, look.numbers + 4));
    if (id >= 0)
        w->list[id].look = look;
    else
        w->obstacles[-1 - id].look = look;
    return LIL_OK;
}
