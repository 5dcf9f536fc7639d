#include "scene/look.h"

#include "scene/bodies.h"

#include <string.h>

/* CSS's basic colours and a few more. */
static const struct {
    const char *name;
    unsigned rgb;
} named[] = {
    { "black", 0x000000 },  { "white", 0xffffff },  { "gray", 0x808080 },    { "grey", 0x808080 },
    { "silver", 0xc0c0c0 }, { "red", 0xff0000 },    { "maroon", 0x800000 },  { "orange", 0xffa500 },
    { "gold", 0xffd700 },   { "yellow", 0xffff00 }, { "olive", 0x808000 },   { "lime", 0x00ff00 },
    { "green", 0x008000 },  { "teal", 0x008080 },   { "cyan", 0x00ffff },    { "blue", 0x0000ff },
    { "navy", 0x000080 },   { "purple", 0x800080 }, { "magenta", 0xff00ff }, { "pink", 0xffc0cb },
    { "brown", 0xa52a2a },
};
enum { NAMED = sizeof named / sizeof named[0] };

static void split(unsigned rgb, double color[3])
{
    for (int i = 0; i < 3; i++)
        color[i] = (rgb >> (16 - 8 * i) & 255) / 255.;
}

/* #e85d2a or #e52 */
static bool read_hex(const char *text, double color[3])
{
    size_t digits = strspn(text + 1, "0123456789abcdefABCDEF");
    unsigned rgb = 0;
    if (text[0] != '#' || text[1 + digits] || (digits != 3 && digits != 6))
        return false;
    for (size_t i = 0; i < digits; i++) {
        unsigned c = (unsigned char)text[1 + i], digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
        rgb = digits == 6 ? rgb << 4 | digit : rgb << 8 | 17 * digit;
    }
    split(rgb, color);
    return true;
}

static lil_status read_color(const lil_reader *rd, const lil_node *node, double color[3])
{
    const char *names[NAMED];
    char hint[LIL_MESSAGE_MAX / 4];
    if (node->kind != LIL_NODE_SCALAR)
        return lil_read_vector(rd, node, "color", color);
    for (int i = 0; i < NAMED; i++) {
        names[i] = named[i].name;
        if (strcmp(names[i], node->text) == 0) {
            split(named[i].rgb, color);
            return LIL_OK;
        }
    }
    if (read_hex(node->text, color))
        return LIL_OK;
    if (!node->text[0] && !node->quoted)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'color' is empty: quote a colour that begins with #, which begins a comment in YAML");
    const char *near = node->text[0] == '#' ? NULL : lil_nearest(node->text, names, NAMED, sizeof *names);
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                         "'%.60s' is no color: give \"#rrggbb\", [red, green, blue] or a name%s", node->text,
                         near ? lil_hint(near, hint) : "");
}

lil_status lil_read_look(const lil_reader *rd, const lil_node *map, const char *name, lil_world *w)
{
    const lil_node *color = lil_node_get(map, "color");
    lil_look_def def = lil_look_def_default();
    const struct {
        const char *key;
        double *to;
    } numbers[] = { { "opacity", &def.opacity }, { "roughness", &def.roughness } };
    bool any = color != NULL;
    if (color)
        LIL_TRY(read_color(rd, color, def.color));
    for (int i = 0; i < 2; i++) {
        const lil_node *node = lil_node_get(map, numbers[i].key);
        double *x;
        int count;
        if (!node)
            continue;
        LIL_TRY(lil_read_numbers(rd, node, numbers[i].key, true, &x, &count));
        *numbers[i].to = *x;
        any = true;
    }
    return any ? lil_read_blame(rd, map, w, lil_world_set_look(w, name, &def)) : LIL_OK;
}

lil_status lil_read_own_friction(const lil_reader *rd, const lil_node *map, int index, lil_world *w)
{
    const lil_node *node = lil_node_get(map, "friction");
    double *mu;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "friction", true, &mu, &count));
    return lil_read_blame(rd, map, w, lil_world_set_own_friction(w, index, *mu));
}
