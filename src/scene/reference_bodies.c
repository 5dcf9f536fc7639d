/* The keys of a body, and what the page and the schema say about them. */
#include "scene/bodies.h"
#include "scene/reference.h"

#include "mesh/shape.h"

#include <ctype.h>
#include <string.h>

#define REF(name) "{\"$ref\": \"#/definitions/" name "\"}"
#define ONE_OR_MORE(name) "{\"anyOf\": [" REF(name) ", {\"type\": \"array\", \"items\": " REF(name) "}]}"

/* ---- the keys ---- */

static const lil_key keys[] = {
    { .name = "mesh",
      .doc = "a file of tetrahedra: `.msh` (gmsh 2.2 and 4.1, text and binary), `.node` + `.ele` (tetgen), `.mesh` "
             "(medit), `.vtk`; or a `surface`, or a `shape`",
      .more =
          "The path is relative to the scene. In metres: `scale: 0.001` for millimetres. Groups of the file can be\n"
          "selected by name. `lilyan info FILE` says what is in it, and whether something is wrong with it.\n",
      .schema = "{\"type\": \"string\"}" },
    { .name = "shape",
      .doc = "a shape that Lilyan makes: a name, or a map with its `type` and options; or a `mesh`, or a `surface`",
      .more = "" },
    { .name = "surface",
      .doc = "a file of polygons, `.obj`, `.stl` or `.ply`, or a formula: it is filled with tets and rides in them; "
             "or a "
             "`mesh`, or a `shape`",
      .more = "Whatever it looks like: open, intersecting itself, with doubled or turned faces, in several shells. "
              "What is "
              "inside is\n"
              "decided by the winding number. Tets carry every vertex of the file, also those a little outside of "
              "them, so "
              "pages and\n"
              "`lilyan export` show the file's own vertices and faces, in its order. Selections, loads and contact "
              "are of "
              "the tets.\n"
              "The path is relative to the scene.\n\n"
              "```yaml\n"
              "bodies:\n"
              "  bunny: {surface: bunny.obj, vertices: 12600, material: rubber}\n"
              "```\n\n"
              "Or one formula: `inside` is positive inside, an expression of `x`, `y`, `z` and the parameters; `box` "
              "is around "
              "it, and has\n`cells` faces or so along its longest side (default 40).\n\n"
              "```yaml\n"
              "bodies:\n"
              "  egg: {surface: {inside: 1 - x^2 - y^2 - z^2/(1.3 - 0.2*z)^2, box: [[-1.1, -1.1, -1.6], [1.1, 1.1, "
              "1.6]]}, "
              "material: jelly}\n"
              "```\n",
      .schema = "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", \"additionalProperties\": false, "
                "\"required\": [\"inside\", \"box\"], \"properties\": {\"inside\": " LIL_SCHEMA_NUMBER
                ", \"box\": " REF("box") ", \"cells\": " LIL_SCHEMA_NUMBER "}}]}" },
    { .name = "vertices",
      .doc = "of a surface, about how many vertices its tets have (default 2000)",
      .more = "",
      .schema = LIL_SCHEMA_NUMBER },
    { .name = "edge",
      .doc = "of a surface, how long the edges of its tets are, m, after `scale`; instead of `vertices`",
      .more = "",
      .schema = LIL_SCHEMA_NUMBER },
    { .name = "thickness",
      .doc = "of a surface that encloses nothing, how thick a sheet it is, m, after `scale`",
      .more = "",
      .schema = LIL_SCHEMA_NUMBER },
    { .name = "source",
      .doc = "where the surface's file comes from, told to who does not have it",
      .more = "",
      .schema = "{\"type\": \"string\"}" },
    { .name = "at",
      .doc = "where the origin of the mesh is put, m (default [0, 0, 0])",
      .more = "",
      .schema = REF("vector") },
    { .name = "rotate",
      .doc = "turns about x, then y, then z, before that, in degrees (default [0, 0, 0])",
      .more = "",
      .schema = REF("vector") },
    { .name = "scale",
      .doc = "one factor or three, before that (default 1)",
      .more = "```yaml\n"
              "bodies:\n"
              "  bunny: {mesh: bunny.msh, scale: 0.001, rotate: [90, 0, 0], at: [0, 0, 0.5], material: jelly}\n"
              "```\n",
      .schema = "{\"anyOf\": [" LIL_SCHEMA_NUMBER ", " REF("vector") "]}" },
    { .name = "material", .required = true, .doc = "what it is made of: a preset's name, or a map", .more = "" },
    { .name = "damping", .doc = "how it resists to being deformed quickly: kD, or a map (default 0)", .more = "" },
    { .name = "groups",
      .doc = "names for selections of vertices",
      .more =
          "A selection is made among the vertices at rest, as they are placed in the scene. It is one of\n\n"
          "| | |\n|---|---|\n"
          "| `box: [[x, y, z], [x, y, z]]` | two corners, in any order |\n"
          "| `sphere: {centre: [x, y, z], radius: r}` | in it or on it |\n"
          "| `plane: {point: [x, y, z], normal: [x, y, z]}` | on the plane, or on the side its normal points to |\n"
          "| `vertices: [0, 1, 5]` | by number, from 0 |\n"
          "| `group: left` | of the scene (named before), else of the mesh or shape |\n\n"
          "or the bare name of a group, or a list of such, which joins them. Boundaries belong to it, up to a\n"
          "billionth of the body's size. A selection that is empty is an error.\n\n"
          "```yaml\n"
          "groups:\n"
          "  tip: {plane: {point: [0.4, 0, 0], normal: [1, 0, 0]}}\n"
          "  ends: [left, tip, {vertices: [7]}]\n"
          "```\n",
      .schema = "{\"type\": \"object\", \"additionalProperties\": " REF("selection") "}" },
    { .name = "fixed",
      .doc = "the vertices that never move, a selection as under `groups`",
      .more = "They stay where they start.\n",
      .schema = REF("selection") },
    { .name = "handles",
      .doc = "vertices that move as they are told: one map, or a list of them",
      .more =
          "`select` says which; `move` is how far from their start they are, m: three expressions of `t`, of their\n"
          "place at the start `x`, `y`, `z`, and of the parameters. What the hand gives is the certificate's\n"
          "`external_work`. A vertex is fixed or has one handle, not both.\n\n"
          "```yaml\n"
          "handles: {select: right, move: [0, 0, \"0.1*sin(2*pi*t)\"]}\n"
          "```\n",
      .schema = ONE_OR_MORE("handle") },
    { .name = "loads",
      .doc = "forces from outside: one map, or a list of them",
      .more =
          "`select` says which vertices. `force` is the whole force on them, N; `traction` a force by area, "
          "N/m^2, on the\n"
          "faces of the surface all of whose vertices are selected, with their areas at rest. One of the two:\n"
          "three expressions of `t` and the parameters. Without `t` it is part of the potential energy, with `t` it\n"
          "does `external_work`.\n\n"
          "```yaml\n"
          "loads:\n"
          "  - {select: right, traction: [0, 0, -200]}\n"
          "  - {select: tip, force: [\"10*sin(t)\", 0, 0]}\n"
          "```\n",
      .schema = ONE_OR_MORE("load") },
    { .name = "springs",
      .doc = "springs from vertices to points of space, of the body or of another: one map, or a list of them",
      .more = "From each vertex that `from` selects one spring goes `to` a point `[x, y, z]`; to the nearest vertex "
              "of a\n"
              "selection; or to the nearest of `{body: NAME, select: ...}`.\n\n"
              "```yaml\n"
              "springs:\n"
              "  - {from: tip, to: [1, 0, 2], stiffness: 50}\n"
              "  - {from: right, to: {body: other, select: left}, stiffness: 1e3, damping: 0.01}\n"
              "```\n",
      .schema = ONE_OR_MORE("spring") },
    { .name = "start",
      .doc = "where its vertices start, and how they move (default: at rest)",
      .more =
          "| | unit | |\n|---|---|---|\n"
          "| `position` | m | three expressions of the place at rest `x`, `y`, `z` |\n"
          "| `stretch` | | factor along the mesh's own x, at its middle; above 0, the ends free of stress |\n"
          "| `twist` | degrees | of one end against the other, about the mesh's own x |\n"
          "| `velocity` | m/s | three expressions of the place at rest |\n"
          "| `spin` | rad/s | three numbers: turning about the centre of mass |\n"
          "| `push` | m/s | three numbers: the same velocity for all |\n"
          "| `rest` | | true: in static equilibrium, found from where the other keys place it |\n\n"
          "`position` excludes `stretch` and `twist`; `velocity` excludes `spin` and `push`. The others can be\n"
          "combined.\n\n"
          "`rest` finds where weight, loads, springs, handles at their start and contact balance the body's own\n"
          "forces; velocities are 0. Bodies that rest are found together, everything else stays where it starts.\n"
          "Friction and damping play no part. What can slide or turn freely ends near where it was placed; what "
          "falls\n"
          "or slides away is refused. The certificate has `rest_iterations` and `rest_residual`. It excludes\n"
          "`velocity`, `spin` and `push`.\n\n"
          "```yaml\n"
          "start: {stretch: 1.3, twist: 90, spin: [0, 0, 5], push: [1, 0, 0]}\n"
          "```\n",
      .schema = "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"position\": " REF(
          "texts") ", \"velocity\": " REF("texts") ", \"stretch\": " LIL_SCHEMA_NUMBER
                                                   ", \"twist\": " LIL_SCHEMA_NUMBER
                                                   ", \"spin\": " REF("vector") ", \"push\": " REF(
                                                       "vector") ", \"rest\": {\"type\": \"boolean\"}}, \"allOf\": "
                                                                 "[{\"not\": {\"required\": "
                                                                 "[\"position\", \"stretch\"]}}, "
                                                                 "{\"not\": {\"required\": [\"position\", "
                                                                 "\"twist\"]}}, "
                                                                 "{\"not\": {\"required\": [\"velocity\", "
                                                                 "\"spin\"]}}, "
                                                                 "{\"not\": {\"required\": [\"velocity\", "
                                                                 "\"push\"]}}]}" },
    { 0 },
};

const lil_key *lil_body_keys(void)
{
    return keys;
}

/* ---- the page ---- */

static void shapes_page(lil_text *text)
{
    for (int i = 0; i < lil_shape_count(); i++) {
        const lil_shape *shape = lil_shape_at(i);
        lil_text_add(text, "\n#### %s\n\n%s\n\n", shape->name, shape->doc);
        lil_reference_fields(text, shape->fields, shape->field_count, "required");
    }
}

static void materials_page(lil_text *text)
{
    lil_text_add(text,
                 "\nA map has a `model`, which is one of the materials below (default: %s) or a preset, whose "
                 "numbers are\nthen those that are not given. Either young and poisson, or mu and kappa.\n\n"
                 "```yaml\nmaterial: {model: stable-neo-hookean, young: 1e4, poisson: 0.45, density: 1030}\n```\n\n",
                 lil_material_at(0)->name);
    lil_reference_fields(text, lil_material_fields, lil_material_field_count, "the preset's");
    lil_text_add(text, "\n| preset | model | young, Pa | poisson | density, kg/m^3 | |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < lil_material_preset_count(); i++) {
        const lil_material_preset *p = lil_material_preset_at(i);
        lil_text_add(text, "| `%s` | %s | %g | %g | %g | %s |\n", p->name, p->table, p->young, p->poisson, p->density,
                     p->doc);
    }
    lil_text_add(text,
                 "\nw is the energy by volume, J/m^3; F the deformation gradient, C = F'F, J = det F;\n"
                 "mu = young/(2 (1 + poisson)), kappa = young/(3 (1 - 2 poisson)), lambda = kappa - 2/3 mu: the\n"
                 "moduli of small strains, for each of them.\n");
    for (int i = 0; i < lil_material_count(); i++) {
        const lil_material_table *m = lil_material_at(i);
        lil_text_add(text, "\n#### %s\n\n%s\n\n    %s\n\n%s; %s. Source: %s.\n", m->name, m->doc, m->formula,
                     m->holds & LIL_MATERIAL_OBJECTIVE ? "Objective" : "Not objective",
                     m->holds & LIL_MATERIAL_INVERTS ? "exists also inside out" : "needs det F > 0", m->citation);
        if (m->field_count) {
            lil_text_add(text, "\n");
            lil_reference_fields(text, m->fields, m->field_count, "required");
        }
    }
}

static void damping_page(lil_text *text)
{
    lil_text_add(text, "\n");
    lil_reference_fields(text, lil_damping_fields, lil_damping_field_count, "required");
    lil_text_add(
        text,
        "\nWhich form:\n\n"
        "- `exact`, the default: does what was asked for at any step, with any integrator.\n"
        "- `minimised`: part of the step's own equations, so one solve a step; of order 1. Not with gauss, lobatto,\n"
        "  composition, rk4 and explicit-euler.\n"
        "- `paper`: as published, for comparison; it leaks angular momentum. Not with those either.\n"
        "- `explicit`: before each step, at the cost of one more force; for explicit integrators, stable while\n"
        "  (h omega)^2 + 2 h kD omega^2 < 4, omega the highest frequency.\n\n"
        "```yaml\ndamping: {kD: 0.01, form: minimised}\n```\n");
}

static void springs_page(lil_text *text)
{
    lil_text_add(text, "\n");
    lil_reference_fields(text, lil_spring_fields, lil_spring_field_count, "required");
}

static void seen_page(lil_text *text)
{
    lil_text_add(
        text,
        "\n### What `observe` and `draw` see\n\n"
        "A body's name is its centre of mass, a group's name (of `groups`) the mean of its vertices: `rod[1]`,\n"
        "`rod[2]`, `rod[3]` are x, y, z; `drod[1]` ... the velocity. Bodies, groups and parameters share their\n"
        "names, so they must differ. In `{ }` and `[ ]` such expressions must be quoted.\n\n"
        "```yaml\n"
        "observe: {height: \"tip[3]\", speed: \"sqrt(drod[1]^2 + drod[2]^2 + drod[3]^2)\"}\n"
        "draw: {points: {middle: [\"rod[1]\", \"rod[2]\", \"rod[3]\"]}}\n"
        "```\n\n"
        "In a trajectory `q`, `v` and `p` have three entries for each vertex, those that are held too; `names` are\n"
        "`rod.0.x`, `rod.0.y`, ... Of each body `/bodies/NAME` has `rest`, `tets`, `faces` and `first`, its first\n"
        "vertex among all. Of one made of a surface `/bodies/NAME/surface` has `rest`, its faces by `first` and "
        "`corners`, and\n`tet` and `weights`: x = q0 + w1 (q1 - q0) + w2 (q2 - q0) + w3 (q3 - q0);\n`triangles` are "
        "its faces cut up. Where vertices are\noutside of all tets there are also `outside_first`, `outside_vertex` "
        "and `outside_weight`: vertex i "
        "with entries from\n`outside_first[i]` to before `outside_first[i + 1]` is at the sum of weight times q of "
        "that vertex of the body instead. Of a shot with "
        "poses of the "
        "surface it\nhas also `key_times` and `key_weights`, w of each vertex at the first key, at the second, ...: "
        "between keys "
        "a and b\nw = wa + (3 s^2 - 2 s^3) (wb - wa), s = (t - ta)/(tb - ta); before the first and after the last w "
        "is "
        "that key's.\n");
}

void lil_reference_bodies(lil_text *text)
{
    lil_text_add(text, "\n| key of a body | | |\n|---|---|---|\n");
    for (const lil_key *k = keys; k->name; k++)
        lil_text_add(text, "| `%s` | %s | %s |\n", k->name, k->required ? "required" : "", k->doc);
    for (const lil_key *k = keys; k->name; k++) {
        lil_text_add(text, "\n### %s\n\n%c%s.\n", k->name, toupper((unsigned char)k->doc[0]), k->doc + 1);
        if (strcmp(k->name, "shape") == 0)
            shapes_page(text);
        else if (strcmp(k->name, "material") == 0)
            materials_page(text);
        else if (strcmp(k->name, "damping") == 0)
            damping_page(text);
        else if (strcmp(k->name, "springs") == 0)
            springs_page(text);
        if (k->more[0])
            lil_text_add(text, "\n%s", k->more);
    }
    seen_page(text);
}

/* ---- the schema ---- */

static void shape_schema(lil_text *text)
{
    lil_text_add(text, "{\"anyOf\": [{\"enum\": [");
    for (int i = 0; i < lil_shape_count(); i++)
        lil_text_add(text, "%s\"%s\"", i ? ", " : "", lil_shape_at(i)->name);
    lil_text_add(text, "]}");
    for (int i = 0; i < lil_shape_count(); i++) {
        const lil_shape *shape = lil_shape_at(i);
        lil_text_add(text, ",\n   ");
        lil_schema_map(text, &(lil_schema_def){ .fields = shape->fields,
                                                .count = shape->field_count,
                                                .choice = "type",
                                                .names = &shape->name,
                                                .name_count = 1,
                                                .required = "\"type\"" });
    }
    lil_text_add(text, "]}");
}

/* One map for each model, with the presets made of it, and one for a map that names none. */
static void material_schema(lil_text *text)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    int presets = lil_material_preset_count();
    lil_text_add(text, "{\"anyOf\": [{\"enum\": [");
    for (int i = 0; i < presets; i++)
        lil_text_add(text, "%s\"%s\"", i ? ", " : "", lil_material_preset_at(i)->name);
    lil_text_add(text, "]}");
    for (int i = 0; i < lil_material_count(); i++) {
        const lil_material_table *m = lil_material_at(i);
        int count = 0;
        names[count++] = m->name;
        for (int k = 0; k < presets && count < NAMES_MAX; k++)
            if (strcmp(lil_material_preset_at(k)->table, m->name) == 0)
                names[count++] = lil_material_preset_at(k)->name;
        lil_text_add(text, ",\n   ");
        lil_schema_map(text, &(lil_schema_def){ .fields = lil_material_fields,
                                                .count = lil_material_field_count,
                                                .more = m->fields,
                                                .more_count = m->field_count,
                                                .choice = "model",
                                                .names = names,
                                                .name_count = count,
                                                .required = i ? "\"model\"" : "" });
    }
    lil_text_add(text, "]}");
}

static void damping_schema(lil_text *text)
{
    lil_text_add(text, "{\"anyOf\": [" LIL_SCHEMA_NUMBER ", ");
    lil_schema_map(text, &(lil_schema_def){ .fields = lil_damping_fields, .count = lil_damping_field_count });
    lil_text_add(text, "]}");
}

void lil_schema_bodies(lil_text *text)
{
    lil_text_add(text,
                 "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"type\": \"object\", "
                 "\"required\": [\"material\"], \"oneOf\": [{\"required\": [\"mesh\"]}, {\"required\": "
                 "[\"surface\"]}, {\"required\": [\"shape\"]}], \"additionalProperties\": false, \"properties\": {");
    for (const lil_key *k = keys; k->name; k++) {
        lil_text_add(text, "%s\n  \"%s\": ", k == keys ? "" : ",", k->name);
        if (strcmp(k->name, "shape") == 0)
            shape_schema(text);
        else if (strcmp(k->name, "material") == 0)
            material_schema(text);
        else if (strcmp(k->name, "damping") == 0)
            damping_schema(text);
        else
            lil_text_add(text, "%s", k->schema);
    }
    lil_text_add(text, "}}}");
}

/* JSON in C without a hedge of backslashes: ' stands for ". */
static void add_quoted(lil_text *text, const char *json)
{
    for (; *json; json++)
        lil_text_add(text, "%c", *json == '\'' ? '"' : *json);
}

/* What the schemas above refer to. */
static const char *const definitions[] = {
    "'number': {'type': ['number', 'string']}",
    "'numbers': {'anyOf': [{'$ref': '#/definitions/number'}, {'type': 'array', 'items': {'$ref': "
    "'#/definitions/number'}}]}",
    "'texts': {'type': 'array', 'items': {'$ref': '#/definitions/number'}, 'minItems': 3, 'maxItems': 3}",
    "'vector': {'anyOf': [{'$ref': '#/definitions/texts'}, {'type': 'string'}]}",
    "'box': {'type': 'array', 'items': {'$ref': '#/definitions/vector'}, 'minItems': 2, 'maxItems': 2}",
    "'sphere': {'type': 'object', 'additionalProperties': false, 'required': ['centre', 'radius'], 'properties': {"
    "'centre': {'$ref': '#/definitions/vector'}, 'radius': {'$ref': '#/definitions/number'}}}",
    "'plane': {'type': 'object', 'additionalProperties': false, 'required': ['point', 'normal'], 'properties': {"
    "'point': {'$ref': '#/definitions/vector'}, 'normal': {'$ref': '#/definitions/vector'}}}",
    "'selection': {'anyOf': [{'type': 'string'}, {'type': 'array', 'items': {'$ref': '#/definitions/selection'}}, "
    "{'type': 'object', 'minProperties': 1, 'maxProperties': 1, 'additionalProperties': false, 'properties': {"
    "'box': {'$ref': '#/definitions/box'}, 'sphere': {'$ref': '#/definitions/sphere'}, "
    "'plane': {'$ref': '#/definitions/plane'}, 'vertices': {'$ref': '#/definitions/numbers'}, "
    "'group': {'type': ['string', 'integer']}}}]}",
    "'particle_selection': {'anyOf': [{'type': 'integer'}, {'$ref': '#/definitions/selection'}, {'type': 'array', "
    "'items': {'$ref': '#/definitions/particle_selection'}}]}",
    "'handle': {'type': 'object', 'additionalProperties': false, 'required': ['select', 'move'], 'properties': {"
    "'select': {'$ref': '#/definitions/selection'}, 'move': {'$ref': '#/definitions/texts'}}}",
    "'load': {'type': 'object', 'additionalProperties': false, 'required': ['select'], "
    "'oneOf': [{'required': ['force']}, {'required': ['traction']}], 'properties': {"
    "'select': {'$ref': '#/definitions/selection'}, 'force': {'$ref': '#/definitions/texts'}, "
    "'traction': {'$ref': '#/definitions/texts'}}}",
    "'particle_handle': {'type': 'object', 'additionalProperties': false, 'required': ['move'], 'properties': {"
    "'select': {'$ref': '#/definitions/particle_selection'}, 'move': {'$ref': '#/definitions/texts'}}}",
    "'particle_load': {'type': 'object', 'additionalProperties': false, 'required': ['force'], 'properties': {"
    "'select': {'$ref': '#/definitions/particle_selection'}, 'force': {'$ref': '#/definitions/texts'}}}",
    "'end': {'anyOf': [{'$ref': '#/definitions/texts'}, {'$ref': '#/definitions/selection'}, {'type': 'object', "
    "'additionalProperties': false, 'required': ['body', 'select'], 'properties': {'body': {'type': 'string'}, "
    "'select': {'$ref': '#/definitions/selection'}}}]}",
};

void lil_schema_definitions(lil_text *text)
{
    lil_text_add(text, "{");
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
        lil_text_add(text, "\n  ");
        add_quoted(text, definitions[i]);
        lil_text_add(text, ",");
    }
    lil_text_add(text, "\n  \"spring\": ");
    lil_schema_map(text, &(lil_schema_def){ .fields = lil_spring_fields,
                                            .count = lil_spring_field_count,
                                            .required = "\"from\", \"to\", \"stiffness\"",
                                            .also = "\"from\": " REF("selection") ", \"to\": " REF("end") });
    lil_text_add(text, ",\n  \"particle_spring\": ");
    lil_schema_map(text, &(lil_schema_def){ .fields = lil_spring_fields,
                                            .count = lil_spring_field_count,
                                            .required = "\"to\", \"stiffness\"",
                                            .also = "\"from\": " REF("particle_selection") ", \"to\": " REF("end") });
    lil_text_add(text, "}");
}
