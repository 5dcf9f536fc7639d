"""Blender itself, without a display, through the generated script: positions, timing, and a picture with something in it."""
# release only
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import surfaces
from command import call

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
if not shutil.which("blender"):
    print("skipped: no blender")
    sys.exit(77)

FRAMES = 1, 2, 7, 12, 21  # of 21

SCENE = """\
bodies:
  jelly: {shape: {type: box, size: [0.2, 0.3, 0.4], cells: [2, 3, 4]}, at: [0, 5, 1], material: jelly,
          start: {spin: [1, 2, 5]}, handles: {select: top, move: ["0.05*sin(9*t)", 0, 0]}}
  ball: {shape: {type: ball, radius: 0.2, cells: 2}, at: [0.6, 5, 1], material: jelly, start: {spin: [0, 0, 3], stretch: 1.2}}
gravity: 9.81
time: {step: 0.002, until: 0.4}
record: {every: 5}
"""

# in Blender, after the script: what is shown at a few frames, as plain numbers
CHECK = """\
import array, bpy, json
scene = bpy.context.scene
about = {"fps": scene.render.fps / scene.render.fps_base, "range": [scene.frame_start, scene.frame_end],
         "name": scene.name, "others": len(bpy.data.scenes["Scene"].objects)}
shown = []
for thing in scene.objects:
    if thing.type == "MESH":
        about[thing.name] = all(polygon.use_smooth for polygon in thing.data.polygons)
for frame in %s:
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    for name in "jelly", "ball":
        thing = scene.objects[name].evaluated_get(graph)
        mesh = thing.to_mesh()
        for vertex in mesh.vertices:
            shown += [*(thing.matrix_world @ vertex.co)]
        thing.to_mesh_clear()
with open("shown", "wb") as file:
    array.array("d", shown).tofile(file)
with open("about.json", "w") as file:
    json.dump(about, file)
"""


# An artist's file with y up: by our script, and by hand, the file itself imported and given the motion.
OWN = """\
up: y
bodies:
  pillow: {surface: pillow.obj, vertices: 150, material: jelly, start: {spin: [1, 2, 3], stretch: 1.2}}
gravity: 9.81
time: {step: 0.01, until: 0.2}
record: {every: 1}
"""
CHECK_OWN = """\
import array, bpy, json
scene = bpy.context.scene
before = set(bpy.data.objects)
if hasattr(bpy.ops.wm, "obj_import"):
    bpy.ops.wm.obj_import(filepath="pillow.obj", validate_meshes=False)
else:
    bpy.ops.import_scene.obj(filepath="pillow.obj", split_mode="OFF")
imported, = set(bpy.data.objects) - before
cache = imported.modifiers.new("Lilyan", "MESH_CACHE")
cache.cache_format, cache.filepath, cache.frame_start = "MDD", "own/pillow.mdd", 1
cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
shown, faces = [], []
for thing in scene.objects["pillow"], imported:
    faces.append([list(polygon.vertices) for polygon in thing.data.polygons])
    for frame in 1, 8, 21:
        scene.frame_set(frame)
        moved = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = moved.to_mesh()
        for vertex in mesh.vertices:
            shown += [*(moved.matrix_world @ vertex.co)]
        moved.to_mesh_clear()
with open("shown", "wb") as file:
    array.array("d", shown).tofile(file)
with open("faces.json", "w") as file:
    json.dump(faces, file)
"""

# A shot whose keys are poses of the surface, one moved and turned, one bent as the tets can bend, one bent as they cannot: keys are at the frames
# of these times, as Blender counts them.
KEYED = """\
bodies:
  pillow: {surface: pillow.obj, vertices: 30, at: [0, 0, 2], material: {model: neo-hookean, mu: 4e3, kappa: 2e4, density: 1000}}
gravity: 9.81
"""
KEYS = """\
keys:
  - {at: 0, pose: rest, velocity: 0}
  - {at: 0.25, file: turned.obj}
  - {at: 0.5, file: bent.obj}
  - {at: 0.75, file: bulged.obj}
  - {at: 1, pose: rest, velocity: 0}
shot: {frames: 24}
"""
CHECK_KEYS = """\
import array, bpy
scene = bpy.context.scene
shown = []
for at in 0, 0.25, 0.5, 0.75, 1:
    scene.frame_set(round(scene.frame_start + at * scene.render.fps / scene.render.fps_base))
    moved = scene.objects["pillow"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = moved.to_mesh()
    for vertex in mesh.vertices:
        shown += [*(moved.matrix_world @ vertex.co)]
    moved.to_mesh_clear()
with open("shown", "wb") as file:
    array.array("d", shown).tofile(file)
"""


def blender(*arguments):
    done = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "3", *arguments],
                          capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PWD": os.getcwd()})  # where Blender looks for relative paths
    assert done.returncode == 0 and "Error" not in done.stdout + done.stderr, done.stdout + done.stderr


def pixels(path):
    """A PNG of 8 bits a channel, not interlaced, as Blender writes it: rows x columns x channels."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk, at = data[at + 8:at + 8 + size], at + 12 + size
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert depth == 8 and not interlaced
            channels = {2: 3, 6: 4}[colour]
        packed += chunk if kind == b"IDAT" else b""
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    rows, above = np.zeros((height, width * channels), np.uint8), np.zeros(width * channels, int)
    for y, line in enumerate(raw):
        row, change = np.zeros(width * channels, int), line[1:].astype(int)
        for x in range(width * channels):
            left, corner = (row[x - channels], above[x - channels]) if x >= channels else (0, 0)
            p = left + above[x] - corner
            paeth = min((abs(p - left), 0, left), (abs(p - above[x]), 1, above[x]), (abs(p - corner), 2, corner))[2]
            row[x] = (change[x] + (0, left, above[x], (left + above[x]) // 2, paeth)[line[0]]) % 256
        rows[y] = above = row
    return rows.reshape(height, width, channels)[:, :, :3].astype(int)


def positions():
    import json

    call(["export", "out.h5", "--to", "mdd", "--fps", "50"], check=True)
    with open("check.py", "w") as file:
        file.write(CHECK % (FRAMES,))
    blender("-P", "out/out_blender.py", "-P", "check.py")
    with open("about.json") as file:
        about = json.load(file)
    assert about == {"fps": 50, "range": [1, 21], "name": "out", "others": 3, "jelly": True, "ball": True}, about
    expected = []
    with h5py.File("out.h5", "r") as file:
        for frame in FRAMES:
            row = 2 * (frame - 1)  # recorded 100 times a second
            assert abs(file["t"][row] - (frame - 1) / 50) < 1e-12
            for name in "jelly", "ball":
                body = file[f"bodies/{name}"]
                used = np.unique(body["faces"])
                expected.append(file["q"][row].reshape(-1, 3)[body["first"][...].item() + used])
        size = np.linalg.norm(np.ptp(file["q"][0].reshape(-1, 3), axis=0))
    expected, shown = np.concatenate(expected), np.fromfile("shown").reshape(-1, 3)
    assert shown.shape == expected.shape, (shown.shape, expected.shape)
    error = np.abs(shown - expected).max()
    print(f"positions in Blender are off by {error / size:.2g} of the size")
    assert error < 1e-6 * size


def own_surface():
    """The file's own vertices and faces, standing upright, moving: also on the file itself."""
    import json

    vertices, faces = surfaces.pillow(6, loose=False)  # Blender's importer drops vertices that no face has
    surfaces.write_obj("pillow.obj", vertices, faces)
    with open("own.yaml", "w") as file:
        file.write(OWN)
    call(["run", "own.yaml", "-o", "own.h5"], check=True)
    call(["export", "own.h5", "--to", "mdd"], check=True)
    with open("check_own.py", "w") as file:
        file.write(CHECK_OWN)
    blender("-P", "own/own_blender.py", "-P", "check_own.py")
    with open("faces.json") as file:
        ours, imported = json.load(file)
    assert ours == faces and imported == faces
    expected = []
    with h5py.File("own.h5", "r") as file:
        body = file["bodies/pillow"]
        for row in 0, 7, 20:
            x = surfaces.carried(body, file["q"][row].reshape(-1, 3))
            expected.append(np.column_stack([x[:, 0], -x[:, 2], x[:, 1]]))  # z up, as Blender has it
    expected = np.concatenate(expected)
    assert np.abs(expected[-len(vertices):] - expected[:len(vertices)]).max() > 0.1, "it moves"
    for shown in np.split(np.fromfile("shown").reshape(-1, 3), 2):
        assert np.abs(shown - expected).max() < 1e-6 * 1.5


def key_poses():
    """In Blender the surface is at its keys at their frames, also where tets of this size cannot be."""
    import json

    vertices, faces = surfaces.pillow(4, loose=False)
    surfaces.write_obj("pillow.obj", vertices, faces)
    with open("tets.yaml", "w") as file:
        file.write(KEYED + "time: {step: 0.01, until: 0.01}\n")
    call(["run", "tets.yaml", "-o", "tets.h5"], check=True)
    with h5py.File("tets.h5", "r") as file:
        body = file["bodies/pillow"]
        x = body["rest"][...] - [0, 0, 2]
        bent = surfaces.carried(body, x + 0.3 * x[:, 1:2]**2 * [0, 0, 1] + 0.1 * np.sin(4 * x[:, 1:2]) * [1, 0, 0])
    turned = vertices @ np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]]).T + [0.3, 0, 0.1]
    bulged = vertices + 0.3 * vertices[:, 1:2]**2 * [0, 0, 1]
    for name, pose in ("turned", turned), ("bent", bent), ("bulged", bulged):
        surfaces.write_obj(name + ".obj", pose, faces)
    with open("keyed.yaml", "w") as file:
        file.write(KEYED + KEYS)
    told = json.loads(call(["run", "keyed.yaml", "-o", "keyed.h5", "--json"], check=True).stdout)["keys"]
    call(["export", "keyed.h5", "--to", "mdd", "--fps", "24"], check=True)
    with open("check_keys.py", "w") as file:
        file.write(CHECK_KEYS)
    blender("-P", "keyed/keyed_blender.py", "-P", "check_keys.py")
    shown = np.fromfile("shown").reshape(5, -1, 3) - [0, 0, 2]
    size = np.linalg.norm(np.ptp(vertices, axis=0))
    off = [np.linalg.norm(x - pose, axis=1).max() for x, pose in zip(shown, (vertices, turned, bent, bulged, vertices))]
    print("surfaces in Blender miss their poses by " + ", ".join(f"{x / size:.2g}" for x in off) + " of the size")
    assert max(off) < 1e-6 * size, off
    assert told["converged"] and 1e-4 * size < told["pose_error_max"] < 0.02 * size, told


def picture():
    """At its first frame and its last: the world's grey all around, bodies of two colours inside, seen as a whole."""
    for frame in "1", "21":
        blender("-P", "out/out_blender.py", "--", "--render", "frame.png", "--frame", frame, "--width", "160", "--save",
                "out.blend")
        image = pixels("frame.png")
        assert image.shape == (90, 160, 3)
        red, blue = image[:, :, 0] - image[:, :, 2] > 40, image[:, :, 2] - image[:, :, 0] > 40
        assert red.sum() > 200 and blue.sum() > 200, (red.sum(), blue.sum())
        border = np.ones((90, 160), bool)
        border[2:-2, 2:-2] = False
        assert not (red | blue)[border].any() and np.ptp(image[border], axis=0).max() < 16
    assert os.path.getsize("out.blend") > 10000


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("scene.yaml", "w") as file:
            file.write(SCENE)
        call(["run", "scene.yaml", "-o", "out.h5"], check=True)
        positions()
        own_surface()
        key_poses()
        picture()
        os.chdir("/")


main()
