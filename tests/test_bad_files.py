"""Meshes, calls, outputs and trajectories that are wrong get one sentence, a code that is not 0, and lose nothing."""

import os
import random
import resource
import signal
import struct
import subprocess
import time

from bad_input import LILYAN, SANITIZED, SECONDS, fail, lilyan, check_sentence, run

# ---- meshes ----

TIME = "time: {step: 0.01, until: 0.1}\n"
V = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
LINE = 9 + len(V)  # of the first tet


def msh(vertices, tets):
    text = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(vertices)}\n"
    text += "".join(f"{i + 1} {x} {y} {z}\n" for i, (x, y, z) in enumerate(vertices))
    text += f"$EndNodes\n$Elements\n{len(tets)}\n"
    text += "".join(f"{i + 1} 4 2 0 1 " + " ".join(map(str, tet)) + "\n" for i, tet in enumerate(tets))
    return (text + "$EndElements\n").encode()


def binary_msh():
    data = b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n4\n"
    data += b"".join(struct.pack("<iddd", i + 1, *x) for i, x in enumerate(V)) + b"\n$EndNodes\n$Elements\n1\n"
    return data + struct.pack("<3i", 4, 1, 2) + struct.pack("<7i", 1, 0, 1, 1, 2, 3, 4) + b"\n$EndElements\n"


MESHES = [  # name, bytes, piece; every sentence begins with the scene's place and then the mesh's own
    ("inverted", msh(V + [(1, 1, 1)], [(1, 2, 3, 4), (2, 4, 3, 5)]), "a.msh:15: tet 2 is inverted"),
    ("flat", msh(V[:3] + [(1, 1, 0)], [(1, 2, 3, 4)]), f"a.msh:{LINE}: tet 1 is flat: its volume is 0 m^3"),
    ("index out of range", msh(V, [(1, 2, 3, 9)]), f"a.msh:{LINE}: tet 1 refers to vertex 9, but vertices go from 1 to 4"),
    ("index of 2^31", msh(V, [(1, 2, 3, 2**31)]), "refers to vertex 2147483648"),
    ("index of 2^63", msh(V, [(1, 2, 3, 2**63)]), "9223372036854775808, which is too large"),
    ("an unused vertex", msh(V + [(9, 9, 9)], [(1, 2, 3, 4)]), "a.msh: vertex 5 at (9, 9, 9) belongs to no tet"),
    ("a vertex twice", msh(V + [(0, 0, 0), (-1, 0, 0)], [(1, 2, 3, 4), (5, 3, 6, 4)]), "vertex 5 at (0, 0, 0) coincides with vertex 1"),
    ("a tet twice", msh(V, [(1, 2, 3, 4), (1, 2, 3, 4)]), "tet 2 has the same vertices as tet 1"),
    ("NaN", msh(V[:3] + [("nan", 0, 1)], [(1, 2, 3, 4)]), "a.msh:9: a coordinate is NaN"),
    ("infinite", msh(V[:3] + [("1e999", 0, 1)], [(1, 2, 3, 4)]), "a.msh:9: a coordinate is infinite"),
    ("1e300", msh(V[:3] + [(1e300, 0, 1)], [(1, 2, 3, 4)]), "a coordinate is 1e+300 m"),
    ("two parts", msh(V + [(x + 5, y, z) for x, y, z in V], [(1, 2, 3, 4), (5, 6, 7, 8)]), "the mesh has 2 separate parts"),
    ("no tets", msh(V, []), "a.msh: it has no tets"),
    ("empty", b"", "a.msh: is empty"),
    ("another text", b"hello\n", "a.msh:1: a .msh file of gmsh begins with $MeshFormat, not with 'hello'"),
] + [(f"binary, cut after {k} bytes", binary_msh()[:k], "a.msh: at byte ") for k in (30, 80, 150, len(binary_msh()) - 30)]


def check_meshes(folder):
    place = os.path.join(folder, "a.msh")
    with open(os.path.join(folder, "scene.yaml"), "w") as file:
        file.write("bodies:\n  b: {mesh: a.msh, material: jelly}\n" + TIME)

    def check(name, piece):
        for command in (["run", "scene.yaml", "-o", "out.h5"], ["info", "scene.yaml"]):
            code, out, error, _ = lilyan(*command, cwd=folder)
            check_sentence(f"{command[0]}: mesh: {name}", code, error, "scene.yaml:2:13", piece)
            if out or os.path.exists(os.path.join(folder, "out.h5")):
                fail(f"{command[0]}: mesh: {name}", "left something")

    check("missing", "a.msh: cannot be opened: No such file")
    for name, data, piece in MESHES:
        with open(place, "wb") as file:
            file.write(data)
        check(name, piece)
    for data in (msh(V, [(1, 2, 3, 4)]), binary_msh()):  # and these are right
        with open(place, "wb") as file:
            file.write(data)
        code, _, error, _ = lilyan("info", "scene.yaml", cwd=folder)
        if code != 0 or error:
            fail("a good mesh", error)
    os.remove(place)
    os.mkdir(place)
    check("a folder", "a.msh: is a folder, not a mesh")
    os.rmdir(place)
    os.mkfifo(place)
    check("a pipe", "a.msh: is a pipe, not a file")
    os.remove(place)
    os.symlink("/dev/zero", place)
    check("/dev/zero", "a.msh: is a device, not a mesh")
    os.remove(place)
    with open(os.path.join(folder, "scene.yaml"), "w") as file:
        file.write("bodies:\n  b: {mesh: /dev/zero, material: jelly}\n" + TIME)
    check("no ending", "/dev/zero: meshes end in .msh (gmsh)")


# ---- surfaces ----

BOX = b"".join(b"v %d %d %d\n" % (i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8))
BOX += b"f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
SHEET = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
PLY = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"

SURFACES = [  # file, bytes, piece; said by mesh and by info
    ("a.obj", b"", "a.obj: is empty"),
    ("a.obj", b"hello world\n", "a.obj: it has no vertices"),
    ("a.obj", b"v 0 0 0\nv 1 0 0\n", "a.obj: it has no faces, only vertices"),
    ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj: it has no faces"),
    ("a.obj", b"v 0 0\n", "a.obj:1: a vertex has only 2 coordinates"),
    ("a.obj", b"v 0 0 zero\n", "a.obj:1: a coordinate should be a number, not 'zero'"),
    ("a.obj", b"v 0 0 nan\n" + SHEET, "a.obj:1: a coordinate is NaN"),
    ("a.obj", b"v 0 0 1e999\n" + SHEET, "a.obj:1: a coordinate is infinite"),
    ("a.obj", b"v 0 0 1e300\n" + SHEET, "a.obj:1: a coordinate is 1e+300 m"),
    ("a.obj", SHEET + b"f 1 2 9\n", "a.obj:6: face 2 has the vertex 9, but there are only 4"),
    ("a.obj", SHEET + b"f 0 1 2\n", "a.obj:6: a face has the vertex 0, but vertices count from 1"),
    ("a.obj", SHEET + b"f -1 -2 -5\n", "a.obj:6: a face has the vertex -5, but there are fewer before it"),
    ("a.obj", SHEET + b"f 1 2 x\n", "a.obj:6: a corner of a face should be like 7, 7/1 or 7/1/3, not 'x'"),
    ("a.obj", SHEET + b"f 1 2 99999999999999999999999\n", "a.obj:6: a face has a vertex that does not exist"),
    ("a.obj", BOX + b"\0", "a.obj: an .obj file must be text, and this one is not"),
    ("a.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "a.obj: its 1 faces have no area"),
    ("a.obj", b"v 5 0 0\nv 5 0 0\nv 5 0 0\nf 1 2 3\n", "a.obj: its 1 faces have no area"),
    ("a.obj", b"v 1e6 0 0\nv 1000000.0001 0 0\nv 1e6 1e-4 0\nf 1 2 3\n", "its size is only 0.0001 m, 1e+06 m away"),
    ("a.stl", b"", "a.stl: is empty"),
    ("a.stl", b"hello", "a.stl: an .stl file begins with the word solid or has at least 84 bytes, not 5"),
    ("a.stl", b"solid x\nendsolid x\n", "a.stl: it has no faces"),
    ("a.stl", b"solid x\nvertex 0 0 0\n", "a.stl:2: a vertex is outside a facet"),
    ("a.stl", b"solid x\nfacet normal 0 0 1\nvertex 0 0\n", "a.stl:4: the file ends where a coordinate is expected"),
    ("a.stl", b"\0" * 80 + struct.pack("<I", 7) + b"\0" * 60, "a.stl: it should hold 7 triangles, but ends after 1"),
    ("a.ply", b"plyers", "a.ply:1: a .ply file begins with the word ply, not with 'plyers'"),
    ("a.ply", PLY, "the header does not end: end_header is missing"),
    ("a.ply", PLY + b"end_header\n", "the header names no element face with a list vertex_indices"),
    ("a.ply", PLY + b"element tristrips 1\nproperty list int int vertex_indices\nend_header\n", "export faces, not strips"),
    ("a.ply", PLY + b"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n",
     "face 1 has the vertex 8, but there are only 3"),
    ("a.ply", PLY + b"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 inf 0\n", "infinite"),
    ("a.txt", BOX, "a.txt: surfaces end in .obj, .stl or .ply"),
]

FILLINGS = [  # bytes of a.obj, arguments, exit code, piece
    (SHEET, ["--vertices", "500"], 1, "the surface encloses no volume that could be filled, it is open: give it a thickness"),
    (SHEET, ["--edge", "0.1"], 1, "nothing that the surface encloses is thick enough for an edge of 0.1 m"),
    (SHEET, ["--edge", "0.2", "--thickness", "0.1"], 1, "an edge of 0.2 m is longer than the thickness of 0.1 m"),
    (SHEET, ["--vertices", "100", "--thickness", "0.02"], 1, "100 vertices are too few for a thickness of 0.02 m: it needs "),
    (BOX, ["--vertices", "3"], 1, "3 vertices are too few to fill a surface: at least 20"),
    (BOX, ["--vertices", "2000000000"], 1, "which is too fine for a surface of 1 m: the smallest edge is "),
    (BOX, ["--edge", "1e-9"], 1, "an edge of 1e-09 m is too short for a surface of 1 m: the shortest is "),
    (BOX, ["--edge", "50"], 1, "an edge of 50 m is longer than the surface, 1 m"),
    (BOX, ["--edge", "0"], 2, "--edge is '0', not a positive length"),
    (BOX, ["--edge", "nan"], 2, "--edge is 'nan', not a positive length"),
    (BOX, ["--vertices", "many"], 2, "--vertices is 'many', not a whole number of at least 1"),
    (BOX, ["--vertices", "1.5"], 2, "--vertices is '1.5', not a whole number of at least 1"),
    (BOX, ["--vertices"], 2, "--vertices needs a value"),
    (BOX, ["--edge", "0.1", "--thickness", "-1"], 2, "--thickness is '-1', not a positive length"),
    (BOX, ["--edge", "0.1", "--vertices", "9"], 2, "either --vertices or --edge"),
    (BOX, [], 2, "either --vertices or --edge"),
    (BOX, ["--fast"], 2, "unknown option '--fast'"),
    (BOX, ["b.obj", "--edge", "0.1"], 2, "one surface at a time: 'b.obj' is too many"),
    (BOX, ["--edge", "0.3", "-o", "out.obj"], 1, "out.obj: meshes are written as .msh (gmsh), .mesh (medit) or .vtk"),
    (BOX, ["--edge", "0.3", "-o", "none/out.msh"], 1, "none/out.msh: cannot be written: No such file"),
    (BOX, ["--edge", "0.3", "--threads", "0"], 2, "--threads is '0'"),
]


def check_surfaces(folder):
    for name, data, piece in SURFACES:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        for command in (["mesh", name, "--vertices", "100", "-o", "out.msh"], ["info", name]):
            if command[0] == "info" and name == "a.txt":
                continue
            code, out, error, _ = lilyan(*command, cwd=folder)
            check_sentence(f"{command[0]}: {name}: {piece[:60]}", code, error, None, piece)
            if out or os.path.exists(os.path.join(folder, "out.msh")):
                fail(f"{command[0]}: {name}: {piece}", "left something")
        os.remove(os.path.join(folder, name))
    for data, args, expected, piece in FILLINGS:
        with open(os.path.join(folder, "a.obj"), "wb") as file:
            file.write(data)
        code, out, error, _ = lilyan("mesh", "a.obj", *args, cwd=folder)
        check_sentence("mesh " + " ".join(args), code, error, None, piece, codes=(expected,))
        if out or os.path.exists(os.path.join(folder, "a.msh")):
            fail("mesh " + " ".join(args), "left something")
    for expected in (0, 1):  # the second time it is in the way
        code, _, error, _ = lilyan("mesh", "a.obj", "--edge", "0.3", cwd=folder)
        if code != expected or (expected and "a.msh: exists already (--force replaces it)" not in error):
            fail("mesh of a box", f"{code} {error!r}")


def check_pipes(folder):
    """100 MB that never stood on a disk: refused before they are read to the end."""
    for name, block in (("100 MB of brackets", b"["), ("100 MB of round brackets", b"("), ("100 MB of zeros", b"\0")):
        path = os.path.join(folder, "pipe")
        os.mkfifo(path)
        started = time.monotonic()
        child = subprocess.Popen([LILYAN, "info", "pipe"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            with open(path, "wb") as file:
                for _ in range(100):
                    file.write(block * 1048576)
        except BrokenPipeError:
            pass
        _, error = child.communicate(timeout=SECONDS)
        check_sentence(name, child.returncode, error.decode(), "pipe", "at most 16 MB")
        if time.monotonic() - started > 8 and not SANITIZED:
            fail(name, "took too long")
        os.remove(path)


# ---- the call ----

CALLS = [  # arguments, exit code, piece
    ([], 2, None),
    (["rnu"], 2, "unknown command 'rnu'"),
    (["run"], 2, "which scene?"),
    (["info"], 2, "which file?"),
    (["export"], 2, "name a trajectory"),
    (["run", "good.yaml", "--fast"], 2, "unknown option '--fast'"),
    (["run", "good.yaml", "-x"], 2, "unknown option '-x'"),
    (["info", "good.yaml", "--fast"], 2, "unknown option '--fast'"),
    (["export", "a.h5", "--fast"], 2, "unknown option '--fast'"),
    (["list", "nothing"], 2, "nothing"),
    (["run", "good.yaml", "good.yaml"], 2, "too many"),
    (["info", "good.yaml", "good.yaml"], 2, "several files must all be trajectories"),
    (["run", "good.yaml", "-o"], 2, "-o needs a value"),
    (["run", "good.yaml", "--until"], 2, "--until needs a value"),
    (["run", "good.yaml", "--step="], 2, "--step= needs a value"),
    (["run", "good.yaml", "--set"], 2, "--set needs a value"),
    (["run", "good.yaml", "--variant", "a", "--variants"], 2, "exclude each other"),
    (["export", "a.h5"], 2, "--to is missing"),
    (["export", "a.h5", "--to", "abc"], 2, "unknown format 'abc'"),
    (["run", "missing.yaml"], 1, "missing.yaml: cannot be opened: No such file"),
    (["info", "missing.yaml"], 1, "missing.yaml: cannot be opened: No such file"),
    (["run", "."], 1, "is a folder"),
    (["info", "."], 1, "is a folder"),
    (["run", "good.yaml", "--variant", "b"], 1, "no variant is called 'b'"),
    (["run", "good.yaml", "--variant", "fsat"], 1, "no variant is called 'fsat' (did you mean 'fast'?)"),
    (["run", "plain.yaml", "--variant", "b"], 1, "has no variants"),
    (["run", "plain.yaml", "--variants"], 1, "has no variants"),
    (["run", "good.yaml", "--set", "x"], 1, "not of the form key.path=value"),
    (["run", "good.yaml", "--set", "=1"], 1, "not of the form key.path=value"),
    (["run", "good.yaml", "--set", ".a=1"], 1, "not of the form key.path=value"),
    (["run", "good.yaml", "--set", "a.=1"], 1, "not of the form key.path=value"),
    (["run", "good.yaml", "--set", "a..b=1"], 1, "not of the form key.path=value"),
    (["run", "good.yaml", "--set", "a." * 5000 + "b=1"], 1, "not of the form key.path=value"),
    (["run", "good.yaml", "--set", "time.stpe=1"], 1, "unknown key 'stpe' in time (did you mean 'step'?)"),
    (["run", "good.yaml", "--set", "time.step=0"], 1, "'step' must be positive, not 0"),
    (["run", "good.yaml", "--set", "time.step="], 1, "override time.step="),
    (["run", "good.yaml", "--set", "time.step=[1"], 1, "not valid YAML"),
    (["run", "good.yaml", "--set", "time=1"], 1, "'time' must be a map"),
    (["run", "good.yaml", "--set", "parameters.m.x=1"], 1, "parameter 'm'"),
    (["run", "good.yaml", "--threads"], 2, "--threads needs a value"),
    (["run", "good.yaml", "--threads", "two"], 2, "--threads needs a whole number from 1 to 64, not 'two'"),
    (["run", "good.yaml", "--threads", "2.5"], 2, "--threads needs a whole number from 1 to 64, not '2.5'"),
    (["run", "good.yaml", "--threads", "0"], 1, "between 1 and 64 threads can be used, not 0"),
    (["run", "good.yaml", "--threads", "-3"], 1, "between 1 and 64 threads can be used, not -3"),
    (["run", "good.yaml", "--threads", "65"], 1, "between 1 and 64 threads can be used, not 65"),
    (["run", "good.yaml", "--threads", "99999999999999999999"], 2, "--threads needs a whole number from 1 to 64"),
    (["run", "good.yaml", "--step", "0"], 1, "'step' must be positive, not 0"),
    (["run", "good.yaml", "--step", "abc"], 1, "unknown name 'abc'"),
    (["run", "good.yaml", "--until", "0.55"], 1, "not a multiple of the step"),
    (["run", "good.yaml", "--until", "nan"], 1, "unknown name 'nan'"),
    (["run", "good.yaml", "-o", "long.h5", "--until", "1+" * 400 + "1"], 0, None),  # long, but right
    (["run", "good.yaml", "--integrator", "midpiont"], 1, "did you mean 'midpoint'?"),
    (["run", "good.yaml", "--integrator", 'a"b'], 1, "unknown integrator"),
]

GOOD = """lagrangian: 1/2*m*dx^2 - 1/2*x^2
parameters: {m: 1}
start: {x: 1}
time: {step: 0.1, until: 1}
variants: {fast: {time: {step: 0.5}}}
"""


def check_calls(folder):
    for name, text in (("good.yaml", GOOD), ("plain.yaml", GOOD[: GOOD.index("variants")])):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for args, expected, piece in CALLS:
        code, _, error, _ = lilyan(*args, cwd=folder)
        name = " ".join(args)[:80]
        if piece is None:
            if code != expected:
                fail(name, f"exit code {code}, not {expected}: {error!r}")
        else:
            check_sentence(name, code, error, None, piece, codes=(expected,))
    code, out, error, _ = lilyan("run", "good.yaml", "-o", "full.h5", "--json", cwd=folder)
    if code != 0 or error:
        fail("a good scene", f"{code} {error!r}")
    os.remove(os.path.join(folder, "full.h5"))


# ---- outputs ----


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def check_outputs(folder):
    scene = os.path.join(folder, "good.yaml")
    kept = os.path.join(folder, "kept.h5")
    bad = os.path.join(folder, "bad.yaml")
    with open(kept, "wb") as file:
        file.write(b"precious")
    with open(bad, "w") as file:
        file.write(GOOD.replace("1/2*x^2", "y"))
    os.mkfifo(os.path.join(folder, "pipe"))
    before = set(os.listdir(folder))
    for name, args, piece in (
        ("no folder", [scene, "-o", "nowhere/out.h5"], "cannot be written: No such file or directory"),
        ("below a file", [scene, "-o", scene + "/out.h5"], "cannot be written: Not a directory"),
        ("in /proc", [scene, "-o", "/proc/out.h5"], "/proc/out.h5: cannot be written"),
        ("a folder", [scene, "-o", folder], "a folder or a device"),
        ("a folder, with force", [scene, "-o", folder, "--force"], "cannot be written: it is a folder or a device"),
        ("exists", [scene, "-o", kept], "kept.h5: exists already (--force replaces it"),
        ("exists, and the scene is bad", [bad, "-o", kept], ""),
        ("the scene is bad, with force", [bad, "-o", kept, "--force"], "bad.yaml:1:26: unknown name 'y'"),
        ("the call is bad, with force", [scene, "-o", kept, "--force", "--step", "0"], "must be positive"),
        ("the scene itself", [scene, "-o", scene, "--force"], "the output would replace the scene itself"),
        ("the scene itself, by another name", [scene, "-o", folder + "/./good.yaml", "--force"], "the scene itself"),
        ("a pipe", [scene, "-o", "pipe", "--force"], "pipe: cannot be written: it is a folder or a device"),
        ("a name too long", [scene, "-o", "n" * 300 + ".h5"], "cannot be written"),
    ):
        code, _, error, _ = lilyan("run", *args, cwd=folder)
        check_sentence(f"output: {name}", code, error, None, piece)
        if contents(kept) != b"precious" or contents(scene).decode() != GOOD:
            fail(f"output: {name}", "something was lost")
        if set(os.listdir(folder)) != before:
            fail(f"output: {name}", f"left {set(os.listdir(folder)) - before}")
    os.remove(os.path.join(folder, "pipe"))
    # of all variants one output exists: nothing runs
    with open(os.path.join(folder, "many.fast.h5"), "wb") as file:
        file.write(b"precious")
    code, _, error, _ = lilyan("run", scene, "--variants", "-o", "many.h5", cwd=folder)
    check_sentence("output: of a variant", code, error, None, "many.fast.h5: exists already")
    if contents(os.path.join(folder, "many.fast.h5")) != b"precious":
        fail("output: of a variant", "was lost")


def check_full_disk(folder):
    """A limit on the size of files, where the disk would be full: during the run, or before its first frame."""
    def limit(size):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    # contact by barrier is checked when the run ends, from what was written
    with open(os.path.join(folder, "touching.yaml"), "w") as file:
        file.write("particles: {p: {at: [0, 0, 0.2], mass: 1, radius: 0.1}}\nobstacles: {floor: {plane: {}}}\ngravity: 9.81\ntime: {step: 1e-3, until: 1}\n")
    for size, scene, step in [(size, "good.yaml", "1e-4") for size in (0, 1000, 20000, 100000, 300000)] + [(100000, "touching.yaml", "1e-3")]:
        path = os.path.join(folder, "limited.h5")
        done = subprocess.run([LILYAN, "run", scene, "-o", path, "--step", step, "--set", "record.every=1"],
                              cwd=folder, capture_output=True, timeout=SECONDS, preexec_fn=lambda: limit(size))
        check_sentence(f"a disk with {size} bytes, {scene}", done.returncode, done.stderr.decode(), None, "cannot be written: File")
        if done.stdout:
            fail(f"a disk with {size} bytes", f"something on stdout: {done.stdout!r}")
        if os.path.exists(path):
            if size < 20000:
                fail(f"a disk with {size} bytes", "left something half-made")
            os.remove(path)


# ---- trajectories ----


def check_trajectory(folder, name, data, piece):
    path = os.path.join(folder, "odd.h5")
    with open(path, "wb") as file:
        file.write(data)
    for args in (["info", "odd.h5"], ["export", "odd.h5", "--to", "csv", "-o", "odd.csv"]):
        code, out, error, _ = lilyan(*args, cwd=folder)
        early = error.startswith("lilyan: warning: odd.h5: its run ended early") and error.count("\n") == 1
        if piece is None and code == 0 and (not error or early):
            continue  # a changed byte need not matter, or is in the word that says how the run ended
        check_sentence(f"{args[0]} {name}", code, error, None, "odd.h5: " if piece is None else piece)
        if out or os.path.exists(os.path.join(folder, "odd.csv")):
            fail(f"{args[0]} {name}", "left something")
    if contents(path) != data:
        fail(name, "the trajectory was changed")
    if os.path.exists(os.path.join(folder, "odd.csv")):
        os.remove(os.path.join(folder, "odd.csv"))


def check_trajectories(folder):
    # of a damaged file HDF5 itself loses some memory; ours is still looked at
    with open(os.path.join(folder, "known-leaks"), "w") as file:
        file.write("leak:libhdf5\n")
    os.environ["LSAN_OPTIONS"] = f"suppressions={folder}/known-leaks:print_suppressions=0"
    noise = random.Random(1)
    code, _, error, _ = lilyan("run", "good.yaml", "-o", "good.h5", cwd=folder)
    if code != 0:
        fail("a good trajectory", error)
    data = contents(os.path.join(folder, "good.h5"))
    heap = data.find(b"GCOL")
    check_trajectory(folder, "empty", b"", "not a trajectory")
    check_trajectory(folder, "random bytes", noise.randbytes(5000), "not a trajectory")
    check_trajectory(folder, "only the signature", data[:8], "not a trajectory")
    check_trajectory(folder, "half", data[: len(data) // 2], "odd.h5: ")
    check_trajectory(folder, "all but one byte", data[:-1], None)
    check_trajectory(folder, "a scene", GOOD.encode(), "not a trajectory")
    for k in range(4 if SANITIZED else 40):
        broken = bytearray(data)
        for _ in range(8):
            at = noise.randrange(len(broken) // 2)
            # the heap that holds the names: HDF5 itself (1.10) can loop for ever in a damaged one
            if not heap <= at < heap + 4096:
                broken[at] = noise.randrange(256)
        check_trajectory(folder, f"with changed bytes, {k}", bytes(broken), None)
    for name, args, piece in (
        ("missing", ["missing.h5", "--to", "csv"], "missing.h5: No such file"),
        ("no folder", ["good.h5", "--to", "csv", "-o", "nowhere/out.csv"], "cannot be written: No such file"),
        ("over itself", ["good.h5", "--to", "csv", "-o", "good.h5", "--force"], "would replace the trajectory itself"),
        ("exists", ["good.h5", "--to", "csv", "-o", "kept.h5"], "kept.h5: exists already"),
    ):
        code, _, error, _ = lilyan("export", *args, cwd=folder)
        check_sentence(f"export: {name}", code, error, None, piece)
    if contents(os.path.join(folder, "good.h5")) != data or contents(os.path.join(folder, "kept.h5")) != b"precious":
        fail("export", "something was lost")
    if subprocess.run([LILYAN, "info", "good.h5"], cwd=folder, stdout=open("/dev/full", "w"), stderr=subprocess.PIPE
                      ).returncode == 0:
        fail("info to a full disk", "exit code 0")
    check_foreign(folder)


def check_foreign(folder):
    try:
        import h5py
    except ImportError:
        print("no h5py: nobody else's HDF5 files")
        return
    path = os.path.join(folder, "foreign.h5")

    def check(name, piece):
        for args in (["info", "foreign.h5"], ["export", "foreign.h5", "--to", "csv", "-o", "odd.csv"]):
            code, out, error, _ = lilyan(*args, cwd=folder)
            if piece is None and code == 0 and not error:
                continue
            check_sentence(f"{args[0]} {name}", code, error, None, piece or "foreign.h5: ")
            if os.path.exists(os.path.join(folder, "odd.csv")):
                fail(f"{args[0]} {name}", "left odd.csv")
        if os.path.exists(os.path.join(folder, "odd.csv")):
            os.remove(os.path.join(folder, "odd.csv"))

    with h5py.File(path, "w") as file:
        file["data"] = [1, 2, 3]
    check("someone else's", "an HDF5 file, but not a Lilyan trajectory")

    def change(name, piece, how):
        with open(path, "wb") as file:
            file.write(contents(os.path.join(folder, "good.h5")))
        with h5py.File(path, "r+") as file:
            how(file)
        check(name, piece)

    def replace(file, name, value, **options):
        del file[name]
        file.create_dataset(name, data=value, **options)

    for missing in ("t", "q", "energy", "names", "status"):
        change(f"without {missing}", "damaged trajectory", lambda file: file.__delitem__(missing))
    change("t is text", "foreign.h5: ", lambda file: replace(file, "t", "now"))
    change("q is flat", "damaged trajectory", lambda file: replace(file, "q", [1.0, 2.0]))
    change("q has three dimensions", "damaged trajectory", lambda file: replace(file, "q", [[[1.0]]]))
    change("energy is a group", "damaged trajectory", lambda file: (file.__delitem__("energy"), file.create_group("energy")))
    change("the version is a number", "not a Lilyan trajectory", lambda file: replace(file, "version", 1.0))

    def endless(file):
        for name in ("t", "q", "p", "v", "energy", "potential"):
            file[name].resize(10**15, axis=0)

    with open(os.path.join(folder, "body.yaml"), "w") as file:
        file.write("bodies: {b: {shape: {type: box, size: [1, 1, 1], cells: [1, 1, 1]}, material: jelly, fixed: top}}\n" + TIME)
    lilyan("run", "body.yaml", "-o", "body.h5", cwd=folder)
    with h5py.File(os.path.join(folder, "body.h5"), "r+") as file:
        del file["bodies"]
    code, out, error, _ = lilyan("report", "body.h5", "-o", "body.html", cwd=folder)
    check_sentence("pins without bodies", code, error, None, "body.h5: a damaged trajectory: it has pins or links, but no bodies")
    change("frames without end", None, endless)  # refused, or only what the checkpoint knows of


run([check_calls, check_outputs, check_full_disk, check_trajectories, check_pipes, check_meshes, check_surfaces])
