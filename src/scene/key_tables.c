/* The keys of a scene, of a body, of particles and of strands, and all maps and types below them by their names. */
#include "keyframes/problem.h"
#include "materials/material.h"
#include "mesh/make/arrangement.h"
#include "mesh/make/shape.h"
#include "scene/bodies.h"
#include "scene/constraints.h"
#include "scene/obstacles.h"
#include "scene/table.h"

static const lil_key scene_keys[] = {
    { LIL_KEY("lagrangian", "text", "L as an expression in coordinates, velocities, parameters and the time `t`") },
    { LIL_KEY("start", "{numbers}", "initial positions and velocities; each name given here becomes a coordinate") },
    { LIL_KEY("time", "time", "time step and end time; required in a scene without `keys`") },
    { LIL_KEY("parameters", "{numbers}",
              "named numbers and lists of numbers; they may refer to each other in any order") },
    { LIL_KEY("force", "{numbers}", "generalised forces that do not come from a Lagrangian, by coordinate") },
    { LIL_KEY("bodies", "{1 body}", "elastic bodies, by name; they replace `lagrangian`") },
    { LIL_KEY("particles", "{1 particles}", "point masses, by name; with or without bodies") },
    { LIL_KEY("strands", "{1 strands}",
              "hair, by name: rows of particles with rigid links and bending stiffness; with or without bodies and "
              "particles") },
    { LIL_KEY(
        "gravity", "numbers",
        "acceleration of all bodies, particles and strands, m/s^2: one number (downwards) or a vector (default 0)") },
    { LIL_KEY("up", "'y' | 'z'", "the upward axis, `y` or `z` (default z)") },
    { LIL_KEY("obstacles", "{obstacle}", "rigid objects with which bodies, particles and strands collide, by name") },
    { LIL_KEY("contact", "contact", "settings of contact") },
    { LIL_KEY("integrator", "integrator",
              "the time integrator: a name, or a map with its `method` and options (default: midpoint)") },
    { LIL_KEY("constraints", "{number | constraint}",
              "constraints on positions, by name; with a `lagrangian`, expressions that stay 0") },
    { LIL_KEY("solver", "solver", "the solver for the equations of implicit steps: a method's name, or a map") },
    { LIL_KEY("record", "record", "which frames are recorded (default: at most 2,000)") },
    { LIL_KEY("observe", "{quantity}", "named expressions of t, positions and velocities to record and report") },
    { LIL_KEY("draw", "draw", "points and links to draw") },
    { LIL_KEY(
        "loop", "loop",
        "a closed loop of initial conditions in phase space, and the area it encloses; at most 8 coordinates") },
    { LIL_KEY(
        "keys", "[key; 2+]",
        "key frames: positions at given times. The motion between them is solved, not simulated (see `shot`)") },
    { LIL_KEY("shot", "shot", "how to solve the motion between `keys`; replaces `time`") },
    { LIL_KEY("variants", "{map}", "named sets of overrides; each is merged into the scene key by key") },
    { 0 },
};
const lil_mapping lil_scene_table = { .in = "the scene", .keys = scene_keys };

static const lil_key body_keys[] = {
    { LIL_KEY("mesh", "text",
              "a file of tetrahedra: `.msh` (gmsh 2.2 and 4.1, text and binary), `.node` + `.ele` (tetgen), `.mesh` "
              "(medit) or `.vtk`") },
    { LIL_KEY("shape", "shape", "a built-in shape: a name, or a map with its `type` and options") },
    { LIL_KEY("surface", "text | formula",
              "a file of polygons (`.obj`, `.stl`, `.ply`) or a formula; Lilyan fills it with tets, and the surface "
              "moves with them") },
    { LIL_KEY("vertices", "number", "with `surface`: approximate number of vertices of the tets (default 2000)") },
    { LIL_KEY("edge", "number", "with `surface`: edge length of the tets, m, after `scale`; replaces `vertices`") },
    { LIL_KEY("thickness", "number",
              "with a `surface` that encloses no volume: thickness of the sheet, m, after `scale`") },
    { LIL_KEY("source", "text", "where to get the surface's file; printed if it is missing") },
    { LIL_KEY("at", "vector", "position of the mesh's origin in the scene, m (default [0, 0, 0])") },
    { LIL_KEY("rotate", "vector", "rotation in degrees about x, then y, then z, before `at` (default [0, 0, 0])") },
    { LIL_KEY("scale", "number | vector", "one factor, or one for each axis; applied before `rotate` (default 1)") },
    { LIL_KEY("refine", "refine+", "regions with smaller tets: one map, or a list of them") },
    { LIL_KEY("material", "material", "the material: a preset's name, or a map"), .required = LIL_REQUIRED },
    { LIL_KEY("damping", "damping", "stiffness-proportional damping: kD in s, or a map (default 0)") },
    { LIL_KEY("groups", "{selection}", "named selections of vertices") },
    { LIL_KEY("fixed", "selection", "vertices that never move: a selection, as under `groups`") },
    { LIL_KEY("handles", "handle+", "vertices with prescribed motion: one map, or a list of them") },
    { LIL_KEY("loads", "load+", "external forces: one map, or a list of them") },
    { LIL_KEY("springs", "spring+",
              "springs from vertices to fixed points, to other vertices of the body or to another body: one map, or "
              "a list of them") },
    { LIL_KEY("start", "body_start", "initial positions and velocities (default: the rest shape, not moving)") },
    { 0 },
};
const lil_mapping lil_body_table = {
    .in = "a body", .named = "the body", .keys = body_keys, .one_of = "mesh surface shape"
};

static const lil_key particle_keys[] = {
    { LIL_KEY("at", "vector | [vector]",
              "position [x, y, z] or a list of positions, m; with a `type`, the position of its origin"),
      .required = LIL_REQUIRED_ALONE },
    { LIL_KEY("type", "text",
              "an arrangement of several particles: `chain`, `rope`, `grid` or `net`, with its options"),
      .only = "?" },
    { LIL_KEY("rotate", "vector",
              "with a `type`: rotation in degrees about x, then y, then z, before `at` (default [0, 0, 0])"),
      .only = "+" },
    { LIL_KEY("mass", "numbers", "mass of each particle, kg: one number for all, or a list"),
      .required = LIL_REQUIRED },
    { LIL_KEY("radius", "number", "radius of particles and links for contact by barrier, m (default 0)") },
    { LIL_KEY("velocity", "texts | [vector]",
              "initial velocity, m/s: three expressions of the position `x`, `y`, `z`, or a vector for each particle "
              "(default 0)") },
    { LIL_KEY("pairs", "[[number]]", "without a `type`: pairs of linked particles, by number: [[0, 1], [1, 2]]"),
      .only = "-" },
    { LIL_KEY("links", "'rigid' | 'none' | link",
              "the kind of links: `rigid` (default), `none`, or a map of spring options as for bodies") },
    { LIL_KEY("drag", "number", "air drag on each particle, kg/s: the force is -drag (v - wind) (default 0)") },
    { LIL_KEY("wind", "texts",
              "air velocity, m/s: three expressions of `t` and the position `x`, `y`, `z` (default 0)") },
    { LIL_KEY("groups", "{particle_selection}",
              "named selections, as for bodies; a bare number selects that particle") },
    { LIL_KEY("fixed", "particle_selection", "particles that never move: a selection") },
    { LIL_KEY("handles", "particle_handle+",
              "particles with prescribed motion, as for bodies; without `select`, all of them") },
    { LIL_KEY("loads", "particle_load+",
              "external forces, as for bodies; without `select`, on all particles together") },
    { LIL_KEY("springs", "particle_spring+",
              "springs to fixed points, other particles or bodies, as for bodies; without `from`, one from each "
              "particle") },
    { 0 },
};

static bool arrangement_at(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    const lil_arrangement *a = i > 0 && i <= lil_arrangement_count() ? lil_arrangement_at(i - 1) : NULL;
    *v = a ? (lil_variant){ .name = a->name,
                            .doc = a->doc,
                            .fields = a->fields,
                            .field_count = a->field_count,
                            .listed = true }
           : (lil_variant){ 0 }; /* the first: placed by hand */
    return i <= lil_arrangement_count();
}
const lil_mapping lil_particles_table = {
    .in = "particles", .named = "the particles", .keys = particle_keys, .choice = "type", .variant = arrangement_at
};

/* ---- one of several ---- */

static bool integrator_at(const lil_context *ctx, int i, lil_variant *v)
{
    if (i >= lil_integrator_count(ctx))
        return false;
    const lil_integrator *m = lil_integrator_at(ctx, i);
    *v = (lil_variant){ m->name, m->summary, m->formula, NULL, m->citation, m->fields, m->field_count, true, true };
    return true;
}

static bool shape_at(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    if (i >= lil_shape_count())
        return false;
    const lil_shape *s = lil_shape_at(i);
    *v = (lil_variant){ s->name, s->doc, NULL, NULL, NULL, s->fields, s->field_count, true, true };
    return true;
}

/* Materials, then presets, which have the fields of theirs. */
bool lil_material_variant(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    int own = lil_material_count();
    if (i >= own + lil_material_preset_count())
        return false;
    const lil_material_preset *preset = i < own ? NULL : lil_material_preset_at(i - own);
    const lil_material_table *m = preset ? lil_material_find(preset->table) : lil_material_at(i);
    static const char *const notes[] = { "Not objective; needs det F > 0.", "Objective; needs det F > 0.",
                                         "Not objective; also defined for det F <= 0.",
                                         "Objective; also defined for det F <= 0." };
    *v = (lil_variant){
        .name = preset ? preset->name : m->name,
        .doc = m->doc,
        .formula = m->formula,
        .note = notes[(m->holds & LIL_MATERIAL_OBJECTIVE ? 1 : 0) + (m->holds & LIL_MATERIAL_INVERTS ? 2 : 0)],
        .source = m->citation,
        .fields = m->fields,
        .field_count = m->field_count,
        .bare = preset,
        .listed = !preset,
    };
    return true;
}

bool lil_shot_variant(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    const lil_shot_method *m = lil_shot_method_at(i);
    if (m)
        *v = (lil_variant){ m->name, m->summary, NULL, NULL, m->citation, m->fields, m->field_count, false, true };
    return m;
}

const lil_mapping lil_integrator_table = {
    .in = "integrator", .brief = "method", .choice = "method", .chosen = true, .variant = integrator_at
};
const lil_mapping lil_shape_table = {
    .in = "shape", .brief = "type", .choice = "type", .chosen = true, .variant = shape_at
};

/* ---- maps without fields ---- */

/* A formula's zero set: {inside: expression, box: [[x, y, z], [x, y, z]], cells: 40} */
static const lil_key formula_keys[] = {
    { LIL_KEY("inside", "number", ""), .required = LIL_REQUIRED },
    { LIL_KEY("box", "box", ""), .required = LIL_REQUIRED },
    { LIL_KEY("cells", "number", "") },
    { 0 },
};
const lil_mapping lil_formula_table = { .in = "surface", .keys = formula_keys };

/* Of a body who is meant must be said; of particles it is all of them where it is not. */
#define SELECT(type) LIL_KEY("select", type, "")
static const lil_key handle_keys[] = {
    { SELECT("selection"), .required = LIL_REQUIRED },
    { LIL_KEY("move", "texts", ""), .required = LIL_REQUIRED },
    { 0 },
};
static const lil_key particle_handle_keys[] = {
    { SELECT("particle_selection") },
    { LIL_KEY("move", "texts", ""), .required = LIL_REQUIRED },
    { 0 },
};
static const lil_key load_keys[] = {
    { SELECT("selection"), .required = LIL_REQUIRED },
    { LIL_KEY("force", "texts", "") },
    { LIL_KEY("traction", "texts", "") },
    { 0 },
};
static const lil_key particle_load_keys[] = {
    { SELECT("particle_selection") },
    { LIL_KEY("force", "texts", ""), .required = LIL_REQUIRED },
    { 0 },
};
static const lil_key end_keys[] = {
    { LIL_KEY("body", "text", ""), .required = LIL_REQUIRED },
    { SELECT("selection"), .required = LIL_REQUIRED },
    { 0 },
};
const lil_mapping lil_handle_tables[] = { { .in = "a handle", .keys = handle_keys },
                                          { .in = "a handle", .keys = particle_handle_keys } };
const lil_mapping lil_load_tables[] = { { .in = "a load", .keys = load_keys, .one_of = "force traction" },
                                        { .in = "a load", .keys = particle_load_keys } };
const lil_mapping lil_end_table = { .in = "the end of a spring", .keys = end_keys };

static const lil_key key_keys[] = {
    { LIL_KEY("at", "number", ""), .required = LIL_REQUIRED },
    { LIL_KEY("q", "rows | {numbers}", "") },
    { LIL_KEY("velocity", "rows | {numbers}", "") },
    { LIL_KEY("pose", "pose | {pose}", "") },
    { LIL_KEY("points", "{texts | point}", "") },
    { LIL_KEY("file", "text", "") },
    { LIL_KEY("frame", "frame", "") },
    { LIL_KEY("weight", "number", "") },
    { 0 },
};
static const lil_key placing_keys[] = {
    { LIL_KEY("file", "text", "") },     { LIL_KEY("position", "texts", "") },  { LIL_KEY("rotate", "texts", "") },
    { LIL_KEY("scale", "numbers", "") }, { LIL_KEY("translate", "texts", "") }, { 0 },
};
static const lil_key point_keys[] = { { LIL_KEY("at", "texts", ""), .required = LIL_REQUIRED },
                                      { LIL_KEY("rotate", "texts", "") },
                                      { 0 } };
static const lil_key frame_keys[] = {
    { LIL_KEY("file", "text", ""), .required = LIL_REQUIRED },
    { LIL_KEY("t", "number", ""), .required = LIL_REQUIRED },
    { 0 },
};
const lil_mapping lil_key_table = { .in = "a key", .keys = key_keys, .any_of = "q pose points file frame" };
const lil_mapping lil_placing_table = { .in = "a pose", .keys = placing_keys, .exclude = "file position" };
const lil_mapping lil_point_table = { .in = "a point", .keys = point_keys };
const lil_mapping lil_frame_table = { .in = "a frame", .keys = frame_keys };

/* ---- by name ---- */

const lil_definition lil_definitions[] = {
    { .name = "numbers", .type = "number | [number]" },
    { .name = "texts", .type = "[number; 3]" },
    { .name = "vector", .type = "texts | text" },
    { .name = "rows", .type = "numbers | [[number]]" },
    { .name = "box", .type = "[vector, vector]" },
    { .name = "sphere", .table = &lil_sphere_table },
    { .name = "plane", .table = &lil_plane_table },
    { .name = "way", .table = &lil_select_table },
    { .name = "selection", .type = "text | [selection] | way" },
    { .name = "particle_selection", .type = "whole | selection | [particle_selection]" },
    { .name = "time", .table = &lil_time_table },
    { .name = "adaptive", .table = &lil_adaptive_table },
    { .name = "body", .table = &lil_body_table },
    { .name = "shape", .table = &lil_shape_table },
    { .name = "formula", .table = &lil_formula_table },
    { .name = "refine", .table = &lil_refine_table },
    { .name = "material", .table = &lil_materials_table },
    { .name = "damping", .table = &lil_damping_table },
    { .name = "handle", .table = &lil_handle_tables[0] },
    { .name = "load", .table = &lil_load_tables[0] },
    { .name = "end", .type = "texts | selection | body_end" },
    { .name = "body_end", .table = &lil_end_table },
    { .name = "spring", .table = &lil_spring_tables[0] },
    { .name = "body_start", .table = &lil_body_start_table },
    { .name = "particles", .table = &lil_particles_table },
    { .name = "link", .table = &lil_link_table },
    { .name = "particle_handle", .table = &lil_handle_tables[1] },
    { .name = "particle_load", .table = &lil_load_tables[1] },
    { .name = "particle_spring", .table = &lil_spring_tables[1] },
    { .name = "strands", .table = &lil_strands_table },
    { .name = "roots", .table = &lil_roots_table },
    { .name = "curl", .table = &lil_curl_table },
    { .name = "obstacle", .schema = lil_schema_obstacles },
    { .name = "contact", .table = &lil_contact_table },
    { .name = "meeting", .table = &lil_meeting_table },
    { .name = "integrator", .table = &lil_integrator_table },
    { .name = "constraint", .schema = lil_schema_constraints },
    { .name = "solver", .table = &lil_solver_table },
    { .name = "record", .table = &lil_record_table },
    { .name = "quantity", .table = &lil_quantity_table },
    { .name = "draw", .table = &lil_draw_table },
    { .name = "loop", .table = &lil_phase_loop_table },
    { .name = "key", .table = &lil_key_table },
    { .name = "pose", .type = "'rest' | placing" },
    { .name = "placing", .table = &lil_placing_table },
    { .name = "point", .table = &lil_point_table },
    { .name = "frame", .table = &lil_frame_table },
    { .name = "shot", .table = &lil_shot_table },
    { 0 },
};
