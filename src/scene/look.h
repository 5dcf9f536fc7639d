/* color, opacity and roughness of bodies, particles, strands and obstacles. */
#ifndef LIL_SCENE_LOOK_H
#define LIL_SCENE_LOOK_H

#include "scene/read.h"
#include "world/world.h"

#define LIL_LOOK_KEYS                                                                                                \
    { LIL_KEY("color", "vector",                                                                                     \
              "colour on pages and in Blender: `\"#e85d2a\"`, `[red, green, blue]` from 0 to 1, or a name such as "  \
              "`orange` (default: chosen by the page)") },                                                           \
        { LIL_KEY("opacity", "number",                                                                               \
                  "on pages and in Blender: 1 is opaque, 0 invisible (default: chosen by the "                       \
                  "page)") },                                                                                        \
    {                                                                                                                \
        LIL_KEY("roughness", "number",                                                                               \
                "on pages and in Blender: 0 is a mirror, 1 is dull (default: chosen by the page)")                   \
    }

#define LIL_FRICTION_KEY                                                                                             \
    {                                                                                                                \
        LIL_KEY("friction", "number",                                                                                \
                "barrier: its own Coulomb coefficient mu. With an obstacle or a body that also has its own, the "    \
                "geometric mean "                                                                                    \
                "of both holds (default: that of the other part, or of `contact`)")                                  \
    }

/* friction of body `index`, if its map has it. */
lil_status lil_read_own_friction(const lil_reader *rd, const lil_node *map, int index, lil_world *world);
/* Of the part that is called so, if its map has any of the keys. */
lil_status lil_read_look(const lil_reader *rd, const lil_node *map, const char *name, lil_world *world);

#endif
