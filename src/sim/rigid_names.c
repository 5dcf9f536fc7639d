#include "sim/rigid_names.h"

#include "math/vector.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

const char *lil_vertex_owner(const lil_model *model, int vertex)
{
    const lil_world *w = model->world;
    for (int i = 0; w && i < w->count; i++)
        if (vertex >= w->list[i].first && vertex < w->list[i].first + w->list[i].mesh.vertex_count)
            return w->list[i].name;
    return "a part";
}

int lil_rigid_name(const lil_linearised *s, int first, char text[LIL_RIGID_NAME_MAX])
{
    double translations = 0; /* whatever basis the motions are */
    int next = first;
    for (; next < s->rigid_count && s->rigid[next].vertex == s->rigid[first].vertex; next++)
        translations += lil_dot(3, s->rigid[next].translation, s->rigid[next].translation);
    int counts[2] = { (int)lrint(translations), next - first - (int)lrint(translations) };
    int at = snprintf(text, LIL_RIGID_NAME_MAX, "'%.60s': ", lil_vertex_owner(s->model, s->rigid[first].vertex));
    for (int k = 0; k < 2; k++)
        if (counts[k])
            at += snprintf(text + at, (size_t)(LIL_RIGID_NAME_MAX - at), "%s%d %s%s", k && counts[0] ? " and " : "",
                           counts[k], k ? "rotation" : "translation", counts[k] == 1 ? "" : "s");
    return next;
}
