#include "scene/reference.h"

#include "core/text.h"
#include "scene/adaptive.h"
#include "scene/keys.h"
#include "scene/loop.h"
#include "scene/meetings.h"
#include "scene/obstacles.h"
#include "scene/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the keys ---- */

#define NUMBER LIL_SCHEMA_NUMBER
#define NUMBERS LIL_SCHEMA_NUMBERS
#define MAP_OF(x) "{\"type\": \"object\", \"additionalProperties\": " x "}"

static const lil_key keys[] = {
    { .name = "lagrangian",
      .doc = "L as an expression in coordinates, velocities, parameters and the time `t`",
      .more = "`dX` is the velocity of `X`. Lists are indexed from 1; `sum(i, from, to, ...)` is written out. "
              "Operators are\n"
              "`+ - * / ^` (a power binds closer than a minus before it, and to the right); `lilyan list functions` "
              "names the\n"
              "functions; `pi` is a constant. Every velocity must occur in L: what has no inertia has no motion.\n\n"
              "```yaml\n"
              "lagrangian: sum(i, 1, n, 1/2*m[i]*dx[i]^2) - sum(i, 1, n-1, k/2*(x[i+1] - x[i])^2)\n"
              "```\n",
      .schema = "{\"type\": \"string\"}" },
    { .name = "start",
      .doc = "where the coordinates start; naming one here makes it a coordinate",
      .more = "Velocities that are not given are 0. q is numbered in the order of `start`; lists are indexed "
              "coordinates, and\n"
              "`list(i, 1, n, sin(i))` makes one.\n\n"
              "```yaml\n"
              "start: {x: [1, 0, 0], dx: [0, 0, 1/2]}\n"
              "```\n",
      .schema = MAP_OF(NUMBERS) },
    { .name = "time",
      .required = true,
      .doc = "the step and the end (of a scene without `keys`)",
      .more = "`adaptive` lets steps vary: `reversible` (for symmetric integrators; keeps what they keep), `naive` "
              "(the control\n"
              "that drifts) or `fixed`; or a map `{control: reversible, monitor: expression}`. Steps are in inverse "
              "proportion to\n"
              "the monitor, a positive expression of positions and t, and `step` is the first one. The default "
              "monitor is\n"
              "sqrt(a^2 + a_0^2), a the size of the acceleration; a system whose mass is not constant needs one of "
              "its own. The\n"
              "last step is as long as it must be to end at `until`, which then need not be a multiple of `step`.\n\n"
              "```yaml\n"
              "time: {step: 2.65e-4, until: 2*pi, adaptive: {control: reversible, monitor: (x^2 + y^2)^(-3/4)}}\n"
              "```\n",
      .fields = lil_time_fields,
      .also = "\"adaptive\": {\"anyOf\": [{\"enum\": [\"fixed\", \"reversible\", \"naive\"]}, {\"type\": \"object\", "
              "\"additionalProperties\": false, \"properties\": {\"control\": {\"enum\": [\"fixed\", \"reversible\", "
              "\"naive\"]}, \"monitor\": " NUMBER "}}]}" },
    { .name = "parameters",
      .doc = "numbers and lists of numbers, by name; they may refer to each other in any order",
      .more = "```yaml\n"
              "parameters: {n: 3, m: [1, 2, 1], k: 4*pi^2}\n"
              "```\n",
      .schema = MAP_OF(NUMBERS) },
    { .name = "force",
      .doc = "what acts on a coordinate and comes from no Lagrangian, by coordinate",
      .more = "In the certificate `external_work` is the work of the force as it would be at rest, F(q, 0, t), and\n"
              "`energy_dissipated` what the part that comes with the velocity takes out. A Lagrangian that depends "
              "on `t`\n"
              "does work as well, -dL/dt, which is in `external_work` too.\n\n"
              "```yaml\n"
              "force: {theta: -c*dtheta + A*cos(2*t)}\n"
              "```\n",
      .schema = MAP_OF(NUMBERS) },
    { .name = "bodies",
      .doc = "elastic bodies, by name, instead of a lagrangian",
      .more = "A body is a mesh of tetrahedra; each vertex has three coordinates, and a share of the mass. Bodies "
              "exclude\n"
              "`lagrangian`, `start`, `force` and `loop`: how a body starts stands in the body.\n\n"
              "```yaml\n"
              "bodies:\n"
              "  rod:\n"
              "    shape: {type: bar, size: [1, 0.1, 0.1], cells: [10, 1, 1]}\n"
              "    material: rubber\n"
              "    damping: 0.001\n"
              "    groups: {tip: right}\n"
              "    fixed: left\n"
              "gravity: 9.81\n"
              "time: {step: 0.01, until: 2}\n"
              "observe: {height: \"tip[3]\"}\n"
              "```\n" },
    { .name = "particles",
      .doc = "points with a mass, by name, beside bodies or instead of them",
      .more =
          "One name is one particle or several, which may be linked. They share with bodies what acts on them, what "
          "holds them\n"
          "and what `observe` sees: the name is the centre of mass, a group's name the mean of its particles.\n\n"
          "```yaml\n"
          "particles:\n"
          "  bead: {at: [1, 0, 0], mass: 1, velocity: [0, 0, 2]}\n"
          "  frame: {at: [[0, 0, 0], [1, 0, 0], [0, 0, 1]], mass: [1, 1, 2], pairs: [[0, 1], [1, 2], [2, 0]]}\n"
          "  rope: {type: rope, to: [2, 0, 0], length: 2.5, count: 30, mass: 0.02, fixed: [first, last]}\n"
          "gravity: 9.81\n"
          "time: {step: 0.01, until: 2}\n"
          "```\n" },
    { .name = "strands",
      .doc = "hair: particles in a row with rigid links that resist being bent, by name, beside the others",
      .more =
          "A strand is held by its first two particles, which are its place and its direction; these are the group "
          "`roots`,\nthe last ones the group `tips`. It starts as it hangs: without wind and curl it does not move. "
          "What it is made of\nis bent as a round rod is, B = young pi radius^4/4. Links stretch by nothing; strands "
          "touch\nobstacles and bodies, and by the barrier (`contact`) each other.\n\n"
          "```yaml\n"
          "strands:\n"
          "  hair: {roots: {type: cap, radius: 0.09, to: 80}, count: 300, nodes: 30, length: 0.3, curl: {radius: "
          "0.004},\n"
          "         damping: 0.01, drag: 1e-6, wind: [3*sin(t), 0, 0]}\n"
          "gravity: 9.81\n"
          "time: {step: 1/240, until: 2}\n"
          "```\n" },
    { .name = "gravity",
      .doc = "acceleration of all bodies and particles, m/s^2: one number, downwards, or three (default 0)",
      .more = "```yaml\n"
              "gravity: [0, 0, -9.81]\n"
              "```\n",
      .schema = NUMBERS },
    { .name = "up",
      .doc = "which axis points up, `y` or `z` (default z)",
      .more = "What `gravity` falls against as one number, and how pages and Blender look at it. Files of surfaces "
              "often have y\nup: with `up: y` they need no `rotate`.\n",
      .schema = "{\"enum\": [\"y\", \"z\"]}" },
    { .name = "obstacles", .doc = "what bodies, particles and strands bounce off, by name", .more = "" },
    { .name = "contact",
      .doc = "how things touch",
      .more =
          "[contact.md](contact.md) says what both methods do, and what they do not. By penalty a vertex that is d "
          "deep in "
          "an obstacle is pushed out by a\n"
          "spring, W = k/2 d^2, a part of the potential energy. "
          "Of a body\n"
          "k is `stiffness` times the vertex's share of the surface, of a particle `stiffness` itself. What a step "
          "makes of a\n"
          "bounce depends on h omega_c, omega_c = sqrt(sum k / m) over what touches of one body (a particle is one "
          "by itself):\n"
          "at 0.1 the energy is right to 0.3 %, at 0.3 to 2 %; above that `run` warns. The certificate has "
          "`h_omega_c`, the\n"
          "stiffness and the deepest penetration.\n\n"
          "```yaml\n"
          "contact: {stiffness: 1e6}\n"
          "```\n\n"
          "With the barrier, `ignore` lists pairs that do not meet; a name twice means that it does not meet itself. "
          "`between`\n"
          "gives two parts a `friction` of their own. Names are those of bodies, particles, strands and "
          "obstacles.\n\n"
          "```yaml\n"
          "contact: {method: barrier, ignore: [[hair, hair], [hair, collar]], between: [[tyre, road, {friction: "
          "1}]]}\n"
          "```\n",
      .fields = lil_contact_fields,
      .also = lil_meeting_schema },
    { .name = "integrator",
      .doc = "how steps are made: a name, or a map with its `method` and options (default: midpoint)",
      .more = "",
      .schema = NULL },
    { .name = "constraints",
      .doc = "what positions are bound by throughout, by name: of a lagrangian expressions that are 0",
      .more = "How they are met is said under `solver`. The start must meet them nearly; it is then moved to where "
              "they are "
              "met.\n\n"
              "```yaml\n"
              "constraints: {wire: x^2 + z^2 - r^2}\n"
              "```\n",
      .schema = NULL },
    { .name = "solver",
      .doc = "how the equations of implicit steps are solved: a method's name, or a map",
      .more = "",
      .fields = lil_solver_fields },
    { .name = "record",
      .doc = "which frames are kept (default: at most 2,000)",
      .more = "One of the two. The start and the end are always frames.\n",
      .fields = lil_record_fields },
    { .name = "observe",
      .doc = "named quantities of t, positions and velocities, recorded and certified",
      .more =
          "Evaluated at every step (first, last, min, max), recorded at every frame under `/observe/NAME`. Of an "
          "invariant the\n"
          "largest change is reported, relative to what it is summed from: the largest sum of the magnitudes of what "
          "is added, `|x*dy| + |y*dx|`\nin the example. So a momentum that is zero but for round-off is kept to "
          "round-off.\n\n"
          "```yaml\n"
          "observe:\n"
          "  height: -l*cos(theta)\n"
          "  L: {value: x*dy - y*dx, invariant: true}\n"
          "```\n",
      .schema =
          MAP_OF("{\"anyOf\": [" NUMBER ", {\"type\": \"object\", \"additionalProperties\": false, \"required\": "
                 "[\"value\"], \"properties\": {\"value\": " NUMBER ", \"invariant\": {\"type\": \"boolean\"}}}]}") },
    { .name = "draw",
      .doc = "points and links that show the motion",
      .more = "Points are recorded under `/draw/NAME`; `origin` is [0, 0, 0].\n\n"
              "```yaml\n"
              "draw:\n"
              "  points: {bob: [l*sin(theta), 0, -l*cos(theta)]}\n"
              "  links: [[origin, bob]]\n"
              "```\n",
      .schema = "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"points\"], \"properties\": "
                "{\"points\": " MAP_OF(
                    "{\"type\": \"array\", \"items\": " NUMBER
                    ", \"minItems\": 3, \"maxItems\": 3}") ", "
                                                           "\"links\": {\"type\": \"array\", \"items\": {\"type\": "
                                                           "\"array\", \"items\": {\"type\": \"string\"}, "
                                                           "\"minItems\": 2, \"maxItems\": 2}}}}" },
    { .name = "loop",
      .doc =
          "a closed loop of initial conditions of a small system (at most 8 coordinates), and the area it encloses",
      .more = "A circle about `centre` (like `start`, which is its default) in the plane of each coordinate and its "
              "momentum.\n"
              "The area, the sum of the integrals of q dp, is reported as the observable `area`; `/area` and `/loop` "
              "(q and p of\n"
              "all points) are recorded. Symplectic steps keep the area.\n\n"
              "```yaml\n"
              "loop: {centre: {theta: 1, dtheta: 0}, radius: 0.3, points: 200}\n"
              "```\n",
      .fields = lil_loop_fields,
      .also = "\"centre\": " MAP_OF(NUMBERS) },
    { .name = "keys",
      .doc = "where things are at certain times: what happens between is found, not simulated (see `shot`)",
      .more = lil_reference_keys,
      .schema = lil_schema_keys },
    { .name = "shot",
      .doc = "how the motion between `keys` is found; stands in place of `time`",
      .more =
          "The motion is the one that needs the smallest and smoothest ghost force phi, in the discrete "
          "Lagrangian of "
          "the\n"
          "integrator, which must be midpoint or, without solid bodies, stormer-verlet: the least\n\n"
          "    sum_k h |phi_k|^2 + smoothness^2 sum_k |phi_{k+1} - phi_k|^2 / h\n\n"
          "`cost`, an expression of coordinates, velocities (`dx`) and ghost forces (`ghost_x`), is added at each "
          "frame,\n"
          "times h: what else is to be small. Of particles and their groups it sees the mean, `tip[3]`, `dtip[3]`, "
          "and the ghost\n"
          "force on all of them, `ghost_tip[3]`. It needs the method `global`.\n\n"
          "`method` is `global` (all frames at once) or `local` (the scheme of Yang's thesis): see below for their "
          "fields.\n"
          "`/ghost_force` is recorded each frame, `/shot/cost` and `/shot/level` each iteration; `/shot/levels/I` "
          "has the\n"
          "frames that level I ended with, `/shot/strides` how far apart they are, `/shot/steps` those after each "
          "iteration,\n"
          "`/shot/keys` the frames of the keys, `/shot/residual` by how much frames are off, about, and beside it "
          "what else\n"
          "`--json` says of the shot.\n\n"
          "```yaml\n"
          "shot: {frames: 192, method: global, smoothness: 0.1, cost: 0.5*dx^2 + 2*ghost_x^2}\n"
          "```\n",
      .fields = lil_shot_fields },
    { .name = "variants",
      .doc = "named overrides: maps that are merged into the scene, key by key",
      .more = "`lilyan run` runs the scene itself, `--variant NAME` one variant, `--variants` all of them, each to "
              "`OUT.NAME.h5`.\n"
              "`--set key.path=value` overrides one value, after the variant. Only parameters that are there can be "
              "overridden.\n\n"
              "```yaml\n"
              "variants:\n"
              "  coarse: {time: {step: 0.1}}\n"
              "  euler: {integrator: explicit-euler}\n"
              "```\n",
      .schema = MAP_OF("{\"type\": \"object\"}") },
    { 0 },
};

const lil_key *lil_scene_keys(void)
{
    return keys;
}

lil_status lil_keys_check(lil_context *ctx, const lil_node *map, const lil_key *list, const char *in)
{
    enum { KEYS_MAX = 64 };
    const char *names[KEYS_MAX] = { NULL };
    for (int i = 0; i < KEYS_MAX - 1 && list[i].name; i++)
        names[i] = list[i].name;
    return lil_node_check_keys(ctx, map, names, in);
}

/* the counts of field tables are not constants where the table above is made */
static int field_count(const lil_key *key)
{
    return key->fields == lil_time_fields      ? lil_time_field_count
           : key->fields == lil_solver_fields  ? lil_solver_field_count
           : key->fields == lil_record_fields  ? lil_record_field_count
           : key->fields == lil_loop_fields    ? lil_loop_field_count
           : key->fields == lil_contact_fields ? lil_contact_field_count
           : key->fields == lil_shot_fields    ? lil_shot_field_count
                                               : 0;
}

/* ---- the page ---- */

/* Where a default is none that could be given, the field's own sentence says what happens. */
static void preset_text(lil_text *text, const lil_field *f, const char *missing)
{
    if (f->kind == LIL_CHOICE)
        lil_text_add(text, "`%s`", f->choices[(int)f->preset]);
    else if (f->kind == LIL_NAME)
        lil_text_add(text, "`%s`", f->choices[0]);
    else if (f->kind == LIL_LIST)
        lil_text_add(text, strstr(f->doc, "(default") ? "" : "none");
    else if (isnan(f->preset))
        lil_text_add(text, "%s", missing);
    else if (f->preset >= f->least && f->preset <= f->most)
        lil_text_add(text, "%g", f->preset);
}

void lil_reference_fields(lil_text *text, const lil_field *fields, int count, const char *missing)
{
    lil_text_add(text, "| | default | unit | |\n|---|---|---|---|\n");
    for (int i = 0; i < count; i++) {
        const lil_field *f = &fields[i];
        lil_text_add(text, "| `%s` | ", f->name);
        preset_text(text, f, missing);
        lil_text_add(text, " | %s | %s", f->unit, f->doc);
        for (int k = 0; f->kind == LIL_CHOICE && f->choices[k]; k++)
            lil_text_add(text, "%s`%s`", k ? ", " : ": ", f->choices[k]);
        lil_text_add(text, " |\n");
    }
}

static void integrator_page(lil_text *text, const lil_context *ctx)
{
    for (int i = 0; i < lil_integrator_count(ctx); i++) {
        const lil_integrator *m = lil_integrator_at(ctx, i);
        lil_text_add(text, "\n### %s\n\n%s\n\n    %s\n\nSource: %s.\n", m->name, m->summary, m->formula, m->citation);
        if (m->field_count) {
            lil_text_add(text, "\n");
            lil_reference_fields(text, m->fields, m->field_count, "required");
        }
    }
}

static void shot_page(lil_text *text)
{
    for (int i = 0; lil_shot_method_at(i); i++) {
        const lil_shot_method *m = lil_shot_method_at(i);
        lil_text_add(text, "\n### method: %s\n\n%s Source: %s.\n\n", m->name, m->summary, m->citation);
        lil_reference_fields(text, m->fields, m->field_count, "required");
    }
}

static void certificate_page(lil_text *text)
{
    int count;
    const lil_field *fields = lil_certificate_fields(&count);
    lil_text_add(
        text,
        "\n## The certificate\n\nWhat `run` prints, `--json` gives (null where it does not apply) and `/certificate` "
        "holds.\n\n| | unit | |\n|---|---|---|\n");
    for (int i = 0; i < count; i++)
        lil_text_add(text, "| `%s` | %s | %s |\n", fields[i].name, fields[i].unit, fields[i].doc);
}

char *lil_scene_reference(const lil_context *ctx)
{
    lil_text text = { 0 };
    lil_text_add(
        &text,
        "<!-- made by 'lilyan list scene': edit the tables, not this page -->\n# The scene\n\n"
        "A YAML file (JSON is YAML too). SI units, right-handed, z up. Wherever a number is expected an\n"
        "expression over the parameters will do. An expression with commas or brackets inside `{ }` must be\n"
        "quoted. `lilyan info scene.yaml` checks it; `lilyan list schema` prints a JSON Schema for editors.\n\n"
        "| key | | |\n|---|---|---|\n");
    for (const lil_key *k = keys; k->name; k++)
        lil_text_add(&text, "| [`%s`](#%s) | %s | %s |\n", k->name, k->name, k->required ? "required" : "", k->doc);
    for (const lil_key *k = keys; k->name; k++) {
        lil_text_add(&text, "\n## %s\n\n%c%s.\n", k->name, toupper((unsigned char)k->doc[0]), k->doc + 1);
        if (k->fields) {
            lil_text_add(&text, "\n");
            lil_reference_fields(&text, k->fields, field_count(k), "required");
        }
        if (k->more[0])
            lil_text_add(&text, "\n%s", k->more);
        if (strcmp(k->name, "integrator") == 0)
            integrator_page(&text, ctx);
        else if (strcmp(k->name, "shot") == 0)
            shot_page(&text);
        else if (strcmp(k->name, "bodies") == 0)
            lil_reference_bodies(&text);
        else if (strcmp(k->name, "particles") == 0)
            lil_reference_particles(&text);
        else if (strcmp(k->name, "strands") == 0)
            lil_reference_strands(&text);
        else if (strcmp(k->name, "constraints") == 0)
            lil_reference_constraints(&text);
        else if (strcmp(k->name, "obstacles") == 0)
            lil_reference_obstacles(&text);
    }
    certificate_page(&text);
    if (text.failed)
        lil_text_free(&text);
    return text.data;
}

/* ---- the schema ---- */

static void field_schema(lil_text *text, const lil_field *f)
{
    lil_text_add(text, "\"%s\": ", f->name);
    if (f->kind == LIL_CHOICE) {
        lil_text_add(text, "{\"enum\": [");
        for (int k = 0; f->choices[k]; k++)
            lil_text_add(text, "%s\"%s\"", k ? ", " : "", f->choices[k]);
        /* a choice that looks like a number may be written as one */
        for (int k = 0; f->choices[k]; k++)
            if (f->choices[k][0] >= '0' && f->choices[k][0] <= '9')
                lil_text_add(text, ", %s", f->choices[k]);
        lil_text_add(text, "]");
    } else if (f->kind == LIL_LIST) {
        lil_text_add(text, "{\"type\": \"array\", \"items\": " NUMBER);
    } else {
        lil_text_add(text, f->kind == LIL_NAME ? "{\"type\": \"string\"" : "{\"type\": [\"number\", \"string\"]");
    }
    lil_text_add(text, ", \"description\": ");
    lil_text_json_string(text, f->doc);
    lil_text_add(text, "}");
}

void lil_schema_map(lil_text *text, const lil_schema_def *def)
{
    bool first = true;
    lil_text_add(text, "{\"type\": \"object\", \"additionalProperties\": false, ");
    if (def->required && def->required[0])
        lil_text_add(text, "\"required\": [%s], ", def->required);
    lil_text_add(text, "\"properties\": {");
    if (def->choice) {
        lil_text_add(text, "\"%s\": {\"enum\": [", def->choice);
        for (int i = 0; i < def->name_count; i++)
            lil_text_add(text, "%s\"%s\"", i ? ", " : "", def->names[i]);
        lil_text_add(text, "]}");
        first = false;
    }
    if (def->also) {
        lil_text_add(text, "%s%s", first ? "" : ", ", def->also);
        first = false;
    }
    for (int i = 0; i < def->count + def->more_count; i++) {
        lil_text_add(text, first ? "" : ", ");
        field_schema(text, i < def->count ? &def->fields[i] : &def->more[i - def->count]);
        first = false;
    }
    lil_text_add(text, "}}");
}

static void integrator_schema(lil_text *text, const lil_context *ctx)
{
    lil_text_add(text, "{\"anyOf\": [{\"enum\": [");
    for (int i = 0; i < lil_integrator_count(ctx); i++)
        lil_text_add(text, "%s\"%s\"", i ? ", " : "", lil_integrator_at(ctx, i)->name);
    lil_text_add(text, "]}");
    for (int i = 0; i < lil_integrator_count(ctx); i++) {
        const lil_integrator *m = lil_integrator_at(ctx, i);
        lil_text_add(text, ",\n   ");
        lil_schema_map(text, &(lil_schema_def){ .fields = m->fields,
                                                .count = m->field_count,
                                                .choice = "method",
                                                .names = &m->name,
                                                .name_count = 1,
                                                .required = "\"method\"" });
    }
    lil_text_add(text, "]}");
}

static void shot_schema(lil_text *text)
{
    lil_text_add(text, "{\"anyOf\": [");
    for (int i = 0; lil_shot_method_at(i); i++) {
        const lil_shot_method *m = lil_shot_method_at(i);
        lil_text_add(text, i ? ",\n   " : "");
        lil_schema_map(text, &(lil_schema_def){ .fields = lil_shot_fields,
                                                .count = lil_shot_field_count,
                                                .more = m->fields,
                                                .more_count = m->field_count,
                                                .choice = "method",
                                                .names = &m->name,
                                                .name_count = 1,
                                                .also = m == &lil_shot_global ? "\"cost\": " NUMBER
                                                                                ", \"start\": {\"type\": \"string\"}"
                                                                              : NULL,
                                                .required = i ? "\"frames\", \"method\"" : "\"frames\"" });
    }
    lil_text_add(text, "]}");
}

static void key_schema(lil_text *text, const lil_context *ctx, const lil_key *k)
{
    const lil_schema_def map = { .fields = k->fields, .count = field_count(k), .also = k->also };
    if (strcmp(k->name, "integrator") == 0) {
        integrator_schema(text, ctx);
    } else if (strcmp(k->name, "shot") == 0) {
        shot_schema(text);
    } else if (strcmp(k->name, "bodies") == 0) {
        lil_schema_bodies(text);
    } else if (strcmp(k->name, "particles") == 0) {
        lil_schema_particles(text);
    } else if (strcmp(k->name, "strands") == 0) {
        lil_schema_strands(text);
    } else if (strcmp(k->name, "constraints") == 0) {
        lil_schema_constraints(text);
    } else if (strcmp(k->name, "obstacles") == 0) {
        lil_schema_obstacles(text);
    } else if (k->fields == lil_solver_fields) {
        lil_text_add(text, "{\"anyOf\": [{\"enum\": [\"auto\", \"minimise\", \"root\"]}, ");
        lil_schema_map(text, &map);
        lil_text_add(text, "]}");
    } else if (k->fields) {
        lil_schema_map(text, &map);
    } else {
        lil_text_add(text, "%s", k->schema);
    }
}

char *lil_scene_schema(const lil_context *ctx)
{
    lil_text text = { 0 };
    lil_text_add(&text,
                 "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"title\": \"A Lilyan scene\",\n"
                 " \"type\": \"object\", \"anyOf\": [{\"required\": [\"time\"], \"not\": {\"anyOf\": [{\"required\": "
                 "[\"keys\"]}, {\"required\": [\"shot\"]}]}}, {\"required\": [\"keys\", \"shot\"], \"not\": "
                 "{\"anyOf\": [{\"required\": [\"time\"]}, {\"required\": [\"record\"]}, {\"required\": "
                 "[\"loop\"]}]}}],\n"
                 " \"oneOf\": [{\"required\": [\"lagrangian\", \"start\"], \"not\": {\"anyOf\": [{\"required\": "
                 "[\"bodies\"]}, {\"required\": [\"particles\"]}, {\"required\": [\"strands\"]}, "
                 "{\"required\": [\"gravity\"]}]}},\n"
                 "  {\"anyOf\": [{\"required\": [\"bodies\"]}, {\"required\": [\"particles\"]}, "
                 "{\"required\": [\"strands\"]}], \"not\": "
                 "{\"anyOf\": [{\"required\": [\"lagrangian\"]}, "
                 "{\"required\": [\"start\"]}, {\"required\": [\"force\"]}, {\"required\": [\"loop\"]}]}}],\n"
                 " \"additionalProperties\": false, \"properties\": {");
    for (const lil_key *k = keys; k->name; k++) {
        lil_text_add(&text, "%s\n  \"%s\": ", k == keys ? "" : ",", k->name);
        key_schema(&text, ctx, k);
    }
    lil_text_add(&text, "},\n \"definitions\": ");
    lil_schema_definitions(&text);
    lil_text_add(&text, "}\n");
    if (text.failed)
        lil_text_free(&text);
    return text.data;
}
