/* The scene of a dropped body: YAML that its user edits next. */
#include "drop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- places to drop it on ---- */

typedef struct place {
    const char *name, *comment;
    double height;  /* of the lowest point at the start, sizes of the body */
    double x, push; /* where along x, sizes; how fast along x, sizes in the time of a fall by one */
    double until;   /* s */
    void (*obstacles)(FILE *file, const drop_plan *plan);
} place;

/* [x, y, z] of what is `side` and `height` away from the origin, whatever is up. */
static void vector(FILE *file, const drop_plan *plan, double x, double side, double height)
{
    side = plan->up == 'y' ? -side : side;
    fprintf(file, "[%.4g, %.4g, %.4g]", x + 0.0, plan->up == 'y' ? height : side + 0.0,
            plan->up == 'y' ? side + 0.0 : height);
}

static void floor_only(FILE *file, const drop_plan *plan)
{
    (void)plan;
    fprintf(file, "  floor: {plane: {}}\n");
}

static void stairs(FILE *file, const drop_plan *plan)
{
    enum { STEPS = 4 };
    const double s = plan->size, tread = 0.9 * s, rise = 0.35 * s, width = 3 * s, landing = 1.5 * s;
    floor_only(file, plan);
    for (int i = 0; i < STEPS; i++) {
        double high = rise * (STEPS - i), deep = i ? tread : landing;
        double x = i ? 0.5 * s + (i - 0.5) * tread : 0.5 * s - landing / 2;
        fprintf(file, "  step_%d: {box: {centre: ", i + 1);
        vector(file, plan, x, 0, high / 2);
        fprintf(file, ", size: ");
        if (plan->up == 'y')
            fprintf(file, "[%.4g, %.4g, %.4g]", deep, high, width);
        else
            fprintf(file, "[%.4g, %.4g, %.4g]", deep, width, high);
        fprintf(file, "}}\n");
    }
}

static void bowl(FILE *file, const drop_plan *plan)
{
    const double r = 0.7 * plan->size;
    const double sides[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    floor_only(file, plan);
    for (int i = 0; i < 4; i++) {
        fprintf(file, "  wall_%d: {plane: {point: ", i + 1);
        vector(file, plan, r * sides[i][0], r * sides[i][1], 0);
        fprintf(file, ", normal: ");
        vector(file, plan, -sides[i][0], -sides[i][1], 1);
        fprintf(file, "}}\n");
    }
}

static const place places[] = {
    { "floor", "onto a floor", 0.3, 0, 0, 1.5, floor_only },
    { "stairs", "down a flight of stairs", 1.5, 0, 0.9, 2, stairs },
    { "bowl", "into a bowl of four walls", 0.6, 0.6, 0, 1.5, bowl },
};
const char *const drop_places[] = { "floor", "stairs", "bowl", NULL };

static const place *find_place(const char *name)
{
    const place *found = places;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        found = strcmp(places[i].name, name) == 0 ? &places[i] : found;
    return found;
}

/* ---- names ---- */

const char *drop_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t drop_character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return c[0] >= ' ' && c[0] != 127;
    if (c[0] < 0xc2 || c[0] > 0xf4)
        return 0;
    size_t size = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    unsigned code = c[0] & (0xffu >> (size + 1));
    for (size_t k = 1; k < size; k++) {
        if ((c[k] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (c[k] & 0x3f);
    }
    bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    bool other = code < 0xa0 || code == 0x2028 || code == 0x2029 || (code >= 0xd800 && code < 0xe000) ||
                 code == 0xfeff || code == 0xfffe || code == 0xffff || code > 0x10ffff;
    return overlong || other ? 0 : size;
}

/* As YAML reads it: in quotes where it must be. */
static void write_yaml(FILE *file, const char *name)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    if (name[strspn(name, plain)] == 0 && name[0] != '-') {
        fprintf(file, "%s", name);
        return;
    }
    fputc('"', file);
    for (const char *c = name; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else
            fputc(*c, file);
    fputc('"', file);
}

void drop_quote(FILE *file, const char *name)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%=";
    if (name[0] && name[0] != '-' && name[strspn(name, plain)] == 0) {
        fprintf(file, "%s", name);
        return;
    }
    fprintf(file, "'");
    for (const char *c = name; *c; c++)
        if (*c == '\'')
            fprintf(file, "'\\''");
        else
            fputc(*c, file);
    fprintf(file, "'");
}

/* Names that a body cannot have, or that something else here has. */
static bool is_taken(const char *name)
{
    static const char *const words[] = { "t", "pi", "sum", "list", "origin", "anchor", "floor" };
    const char *function, *doc;
    bool taken =
        strncmp(name, "step_", 5) == 0 || strncmp(name, "wall_", 5) == 0 || (name[0] >= '0' && name[0] <= '9');
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        taken = taken || strcmp(name, words[i]) == 0;
    for (int i = 0; lil_expression_function(i, &function, &doc); i++)
        taken = taken || strcmp(name, function) == 0;
    return taken;
}

/* That of the file, as far as names of bodies have such letters. */
static void write_body_name(FILE *file, const char *mesh)
{
    char name[40] = "";
    const char *from = drop_last_part(mesh), *dot = strrchr(from, '.');
    size_t length = 0;
    for (const char *c = from; c < dot && length < sizeof name - 1; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        name[length++] = letter ? *c : '_';
    }
    name[length] = 0;
    fprintf(file, "%s%s", !length || name[0] == '_' || is_taken(name) ? "body_" : "", name);
}

/* ---- the scene ---- */

static void write_head(FILE *file, const drop_plan *plan, const char *stem)
{
    const char *name = drop_last_part(stem);
    fprintf(file, "# %s, dropped %s by 'lilyan drop'.\n#\n# Change something below, then:\n#\n#     lilyan run ",
            drop_last_part(plan->mesh), find_place(plan->onto)->comment);
    drop_quote(file, name);
    fprintf(file, ".yaml --force && lilyan report ");
    drop_quote(file, name);
    fprintf(file, ".h5 --force\n\n");
}

static void write_body(FILE *file, const drop_plan *plan, const char *surface)
{
    const place *on = find_place(plan->onto);
    fprintf(file, "bodies:\n  ");
    write_body_name(file, plan->mesh);
    fprintf(file, ":\n    surface: ");
    write_yaml(file, surface);
    fprintf(file, "\n    size: %-17.4g # m, its largest side; %.4g in the file, %s\n", plan->size, plan->extent,
            plan->units);
    if (plan->thickness)
        fprintf(file,
                "    thickness: %-12.4g # m: it is a sheet, too thin for its tets\n    edge: %-17.4g # m, of tets\n",
                plan->thickness, plan->thickness);
    else
        fprintf(file, "    vertices: %-13d # of tets with edges of about %.2g m; the thinnest part is %.2g m\n",
                plan->vertices, plan->edge, plan->thinnest);
    fprintf(file, "    at: {floor: %.4g, x: %.4g}\n", on->height * plan->size, on->x * plan->size);
    fprintf(file, "    # rotate: [0, 0, 90]    degrees about x, then y, then z\n");
    if (on->push)
        fprintf(file, "    start: {push: [%.3g, 0, 0]} # m/s\n", on->push * sqrt(9.81 * plan->size));
}

/* Most of the time of a surface of many triangles goes into looking whether they are near each other. */
static bool passes_itself(const drop_plan *plan)
{
    enum { TRIANGLES_MOST = 20000 };
    return plan->measures.triangles > TRIANGLES_MOST;
}

static void write_contact(FILE *file, const drop_plan *plan)
{
    fprintf(file, "contact:\n  friction: 0.5\n");
    if (!passes_itself(plan))
        return;
    fprintf(file, "  ignore: [[");
    write_body_name(file, plan->mesh);
    fprintf(file, ", ");
    write_body_name(file, plan->mesh);
    fprintf(file, "]]    # it passes through itself; without this line it does not, and the run takes longer\n");
}

static int count_lines(const char *text)
{
    int count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

char *drop_scene(const drop_plan *plan, const char *surface, const char *stem, int *line)
{
    const place *on = find_place(plan->onto);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    write_head(file, plan, stem);
    fprintf(file, "up: %c    # %s\n\n", plan->up,
            plan->up == 'y' ? "as in most OBJ files; if it lies on its side: z" : "if it lies on its side: y");
    write_body(file, plan, surface);
    fflush(file);
    *line = text ? count_lines(text) : 0;
    fprintf(file, "    material: %-13s # or", plan->material);
    for (int i = 0; i < lil_material_preset_count(); i++)
        fprintf(file, "%s %s", i ? "," : "", lil_material_preset_at(i)->name);
    fprintf(file, "\n    damping: 0.005           # s\n\nobstacles:\n");
    on->obstacles(file, plan);
    write_contact(file, plan);
    fprintf(file,
            "\ngravity: 9.81    # m/s^2\n"
            "time: {step: 1/240, until: %g}    # s\n"
            "record: {fps: 60}\n"
            "solver: {tolerance: 1e-6}\n",
            on->until);
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void drop_describe(const drop_plan *plan)
{
    printf("%s: %d triangles, %.4g %s large, %s\n", plan->mesh, plan->measures.triangles, plan->extent,
           plan->extent == 1 ? "unit" : "units", plan->units);
    if (plan->thickness)
        printf("  a sheet that encloses too little to be filled: %.2g m thick in its tets, which have about %d "
               "vertices and edges of %.2g m\n",
               plan->thickness, plan->vertices, plan->edge);
    else
        printf("  its thinnest part is %.2g m: tets with about %d vertices and edges of %.2g m%s\n", plan->thinnest,
               plan->vertices, plan->edge,
               plan->edge > 1.5 * plan->thinnest ? "; parts thinner than that only follow the tets near them" : "");
    if (passes_itself(plan))
        printf("  it has so many triangles that it passes through itself, to be quick: see 'ignore' in the scene\n");
    printf("  %c is up\n", plan->up);
}
