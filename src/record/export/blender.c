/* It reads the OBJ files itself: importers differ from version to version, in their names, axes and orders of
 * vertices. */
#include "record/export/blender.h"

#include <math.h>
#include <stdbool.h>

static const char *const body[] = {
    "",
    "import argparse",
    "import os",
    "import sys",
    "from math import pi",
    "",
    "import bpy",
    "from mathutils import Vector",
    "",
    "HERE = os.path.dirname(os.path.abspath(__file__))",
    "",
    "",
    "def surface(name, file):",
    "    \"\"\"The body's surface at rest. Its vertices keep the file's order, as those of the MDD do. If the",
    "    file has y up, the object is rotated, as Blender's own importer does it.\"\"\"",
    "    vertices, faces = [], []",
    "    with open(os.path.join(HERE, file + '.obj')) as lines:",
    "        for line in lines:",
    "            word, *rest = line.split() or ['']",
    "            if word == 'v':",
    "                vertices.append([float(x) for x in rest])",
    "            elif word == 'f':",
    "                faces.append([int(x) - 1 for x in rest])",
    "    mesh = bpy.data.meshes.new(name)",
    "    mesh.from_pydata(vertices, [], faces)",
    "    mesh.polygons.foreach_set('use_smooth', [True] * len(faces))",
    "    mesh.update()",
    "    thing = bpy.data.objects.new(name, mesh)",
    "    thing.rotation_euler.x = pi / 2 if UP == 'y' else 0",
    "    return thing",
    "",
    "",
    "def move(thing, file):",
    "    cache = thing.modifiers.new('Lilyan', 'MESH_CACHE')",
    "    cache.cache_format = 'MDD'",
    "    cache.filepath = os.path.join(HERE, file + '.mdd')",
    "    cache.forward_axis, cache.up_axis = 'POS_Y', 'POS_Z'  # positions exactly as they are",
    "    cache.time_mode, cache.play_mode = 'FRAME', 'SCENE'",
    "    cache.frame_start = 1",
    "",
    "",
    "def linear(x):",
    "    \"\"\"Blender's colours are linear, those of a scene sRGB.\"\"\"",
    "    return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4",
    "",
    "",
    "def colour(thing, i, color, opacity, roughness):",
    "    \"\"\"None: the scene does not say.\"\"\"",
    "    material = bpy.data.materials.new(thing.name)",
    "    material.use_nodes = True",
    "    shades = [(0.8, 0.25, 0.1), (0.1, 0.35, 0.8), (0.2, 0.6, 0.2), (0.8, 0.6, 0.1), (0.5, 0.2, 0.6)]",
    "    shade = [linear(x) for x in color] if color else shades[i % len(shades)]",
    "    material.diffuse_color = (*shade, 1 if opacity is None else opacity)",
    "    for node in material.node_tree.nodes:",
    "        if node.type == 'BSDF_PRINCIPLED':",
    "            node.inputs['Base Color'].default_value = (*shade, 1)",
    "            node.inputs['Roughness'].default_value = 0.5 if roughness is None else roughness",
    "            node.inputs['Alpha'].default_value = material.diffuse_color[3]",
    "    thing.data.materials.append(material)",
    "",
    "",
    "def look(scene):",
    "    \"\"\"A camera that sees everything at all frames, a sun, and a grey world.\"\"\"",
    "    low, high = Vector(LOW), Vector(HIGH)",
    "    middle, radius = (low + high) / 2, max((high - low).length / 2, 1e-6)",
    "    direction = Vector((0.6, -1, 0.45)).normalized()",
    "    lens = bpy.data.cameras.new('Camera')",
    "    lens.sensor_fit, lens.angle = 'VERTICAL', 0.6",
    "    distance = 1.1 * radius / 0.2955  # sin(0.6/2)",
    "    lens.clip_start, lens.clip_end = distance / 1000, 10 * distance",
    "    camera = bpy.data.objects.new('Camera', lens)",
    "    camera.location = middle + distance * direction",
    "    camera.rotation_euler = direction.to_track_quat('Z', 'Y').to_euler()",
    "    light = bpy.data.lights.new('Sun', 'SUN')",
    "    light.energy = 3",
    "    sun = bpy.data.objects.new('Sun', light)",
    "    sun.location = middle + distance * Vector((0, 0, 1))",
    "    sun.rotation_euler = Vector((0.3, -0.5, 1)).to_track_quat('Z', 'Y').to_euler()",
    "    scene.collection.objects.link(camera)",
    "    scene.collection.objects.link(sun)",
    "    scene.camera = camera",
    "    scene.world = bpy.data.worlds.new(NAME)",
    "    scene.world.use_nodes = True",
    "    for node in scene.world.node_tree.nodes:",
    "        if node.type == 'BACKGROUND':",
    "            node.inputs['Color'].default_value = (0.5, 0.5, 0.5, 1)",
    "            node.inputs['Strength'].default_value = 0.6",
    "",
    "",
    "def timing(scene):",
    "    scene.render.fps = min(max(round(FPS), 1), 32767)",
    "    scene.render.fps_base = scene.render.fps / FPS",
    "    scene.frame_start, scene.frame_end = 1, FRAMES",
    "    scene.frame_set(1)",
    "",
    "",
    "def set_up():",
    "    \"\"\"Creates a new scene and leaves everything else as it is.\"\"\"",
    "    scene = bpy.data.scenes.new(NAME)",
    "    if bpy.context.window:",
    "        bpy.context.window.scene = scene",
    "    scene.unit_settings.system = 'METRIC'",
    "    timing(scene)",
    "    for i, (name, file, *look_of) in enumerate(BODIES):",
    "        thing = surface(name, file)",
    "        scene.collection.objects.link(thing)",
    "        move(thing, file)",
    "        colour(thing, i, *look_of)",
    "    look(scene)",
    "    scene.render.engine = 'CYCLES'  # needs no display",
    "    scene.cycles.samples, scene.cycles.use_denoising = 32, False",
    "    return scene",
    "",
    "",
    "def render(scene, path, frame):",
    "    scene.frame_set(frame)",
    "    scene.render.image_settings.file_format = 'PNG'",
    "    scene.render.filepath = os.path.abspath(path)",
    "    bpy.ops.render.render(write_still=True, scene=scene.name)",
    "",
    "",
    "parser = argparse.ArgumentParser(prog='blender -b -P ' + os.path.basename(__file__) + ' --')",
    "parser.add_argument('--render', metavar='FRAME.png', help='render one frame')",
    "parser.add_argument('--frame', type=int, default=1, help='number of that frame, from 1')",
    "parser.add_argument('--width', type=int, default=1280, help='pixels; the height is 9/16 of it')",
    "parser.add_argument('--save', metavar='SCENE.blend', help='save a Blender file')",
    "options = parser.parse_args(sys.argv[sys.argv.index('--') + 1:] if '--' in sys.argv else [])",
    "scene = set_up()",
    "scene.render.resolution_x, scene.render.resolution_y = options.width, options.width * 9 // 16",
    "if options.save:",
    "    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(options.save))",
    "if options.render:",
    "    render(scene, options.render, options.frame)",
};

/* as a literal of Python's, whatever is in it */
static void literal(FILE *file, const char *text)
{
    fputc('\'', file);
    for (const char *c = text; *c; c++)
        if (*c == '\'' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fprintf(file, "\\x%02x", (unsigned char)*c);
        else
            fputc(*c, file);
    fputc('\'', file);
}

static void number(FILE *file, double x)
{
    if (isnan(x))
        fprintf(file, ", None");
    else
        fprintf(file, ", %.9g", x);
}

/* color, opacity, roughness */
static void look(FILE *file, const double *x)
{
    if (isnan(x[0]))
        fprintf(file, ", None");
    else
        fprintf(file, ", (%.9g, %.9g, %.9g)", x[0], x[1], x[2]);
    number(file, x[3]);
    number(file, x[4]);
}

void lil_blender_script(FILE *file, const lil_blender_def *def)
{
    fprintf(file,
            "# Sets up a Lilyan motion in Blender, as a new scene; metres.\n"
            "#\n"
            "#     blender -P THIS.py                          look at it\n"
            "#     blender -b -P THIS.py -- --render frame.png render a frame and quit\n"
            "#\n"
            "# Each body is NAME.obj, its surface at rest (the surface it was made of, or that of its tets), and\n"
            "# NAME.mdd, the same vertices at every frame. Frame 1 is the first.\n"
            "\n"
            "NAME = ");
    literal(file, def->name);
    fprintf(file, "\nBODIES = [  # name, file, color, opacity, roughness\n");
    for (int i = 0; i < def->body_count; i++) {
        fprintf(file, "    (");
        literal(file, def->names[i]);
        fprintf(file, ", ");
        literal(file, def->files[i]);
        look(file, def->looks[i]);
        fprintf(file, "),\n");
    }
    fprintf(file, "]\nFPS, FRAMES = %.17g, %lld\nUP = '%c'  # of the files\n", def->fps, (long long)def->frames,
            def->up);
    double low[3], high[3]; /* with z up, as Blender has it: from (x, y, z) to (x, -z, y) */
    for (int d = 0; d < 3; d++) {
        bool turned = def->up == 'y';
        low[d] = !turned ? def->low[d] : d == 1 ? -def->high[2] : def->low[d / 2];
        high[d] = !turned ? def->high[d] : d == 1 ? -def->low[2] : def->high[d / 2];
    }
    fprintf(file, "LOW, HIGH = (%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)  # of everything, at all frames\n", low[0],
            low[1], low[2], high[0], high[1], high[2]);
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++)
        fprintf(file, "%s\n", body[i]);
}
