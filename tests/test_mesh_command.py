"""lilyan mesh and lilyan info of surfaces: real surfaces where there are some, formats, other readers, exit codes.

Real surfaces are looked for in $LILYAN_MESHES, or in shared/meshes beside the source tree; without them the rest is checked."""

import os
import re
import shutil
import subprocess

from command import call
from harness import run

SMALL = "LIL_TEST_SMALL" in os.environ
MESHES = os.environ.get("LILYAN_MESHES") or os.path.join(os.environ["LILYAN_SOURCE"], "..", "shared", "meshes")


def lilyan(*args, code=0):
    done = call(args, timeout=300)
    assert done.returncode == code, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def number(text, pattern):
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in\n{text}"
    return float(found.group(1))


def torus(path, n=24, R=1.0, r=0.4):
    from math import cos, pi, sin
    with open(path, "w") as file:
        for i in range(3 * n):
            for k in range(n):
                a, b = 2 * pi * i / (3 * n), 2 * pi * k / n
                file.write(f"v {(R + r * cos(b)) * cos(a)} {(R + r * cos(b)) * sin(a)} {r * sin(b)}\n")
        for i in range(3 * n):
            for k in range(n):
                a, b = i * n + k + 1, (i + 1) % (3 * n) * n + k + 1
                c, d = (i + 1) % (3 * n) * n + (k + 1) % n + 1, i * n + (k + 1) % n + 1
                file.write(f"f {a} {b} {c} {d}\n")
    return path


def real_surfaces():
    """Three resolutions each: no angle below 8 degrees, nothing wrong; volumes of the closed ones to 3 % at the finest."""
    closed = {"spot.obj": 0.718259, "cow.obj": 53.54}  # the cow's, which intersects itself, at 900,000 vertices
    names = ["spot.obj", "suzanne.obj"] if SMALL else ["spot.obj", "cow.obj", "suzanne.obj", "teapot.obj", "stanford-bunny.obj"]
    for name in names if os.path.isdir(MESHES) else []:
        path = os.path.join(MESHES, name)
        lilyan("info", path)
        for vertices in (300,) if SMALL else (300, 1500, 12600):
            out, _ = lilyan("mesh", path, "-o", "out.msh", "--vertices", str(vertices), "--force")
            assert abs(number(out, r"with (\d+) vertices") / vertices - 1) <= 0.05, out
            assert number(out, r"between two faces ([\d.]+) degrees") > 8, out
            again, _ = lilyan("info", "out.msh")  # exit code 0: nothing is wrong with it
            assert again == out
            volume = number(out, r"volume +([\d.e+-]+) m")
            if name in closed and vertices == 12600:
                assert abs(volume / closed[name] - 1) < 0.03, f"{name}: {volume}"


def a_torus():
    torus("torus.obj")
    out, error = lilyan("info", "torus.obj")
    assert "watertight   yes\n" in out and "faults       none\n" in out and not error, out
    assert abs(number(out, r"encloses +([\d.]+) m") / (2 * 3.14159265**2 * 0.16) - 1) < 0.02, out
    out, error = lilyan("mesh", "torus.obj", "--edge", "0.15")
    assert os.path.exists("torus.msh") and not error, error
    for name in ("other.mesh", "other.vtk"):  # the same in every format
        again, _ = lilyan("mesh", "torus.obj", "-o", name, "--edge", "0.15")
        assert again.replace(name, "torus.msh") == out
        read, _ = lilyan("info", name)
        assert read == again
    with open("torus.msh", "rb") as file:
        before = file.read()
    lilyan("mesh", "torus.obj", "--edge", "0.15", "--force", "--threads", "1")
    with open("torus.msh", "rb") as file:
        assert file.read() == before, "other bits on one thread"


def a_body_runs():
    torus("torus.obj")
    lilyan("mesh", "torus.obj", "--vertices", "150")
    with open("scene.yaml", "w") as file:
        file.write("bodies:\n  ring: {mesh: torus.msh, material: jelly}\ngravity: [0, 0, -9.81]\n"
                   "time: {step: 0.01, until: 0.05}\n")
    lilyan("run", "scene.yaml")


def gmsh_reads_it():
    gmsh = shutil.which("gmsh")
    if not gmsh:
        return
    torus("torus.obj")
    out, _ = lilyan("mesh", "torus.obj", "--vertices", "300")
    done = subprocess.run([gmsh, "torus.msh", "-check", "-"], capture_output=True, text=True, timeout=120)
    vertices = int(number(out, r"with (\d+) vertices"))
    assert done.returncode == 0 and f"{vertices} nodes" in done.stdout + done.stderr, done.stdout + done.stderr


def faults_in_words():
    """A box without its lid, with a face given twice, one turned round, a vertex unused."""
    with open("box.obj", "w") as file:
        file.write("".join(f"v {i & 1} {i >> 1 & 1} {i >> 2 & 1}\n" for i in range(8)) + "v 9 9 9\n"
                   "f 1 3 4 2\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 6 8 4\nf 1 3 4 2\n")
    out, error = lilyan("info", "box.obj")
    for piece in ("watertight   no\n", "4 edges have a face on one side only", "2 triangles are oriented against their neighbours",
                  "2 triangles are duplicates", "1 vertex belongs to no face"):
        assert piece in out, f"{piece!r} is not in\n{out}"
    lilyan("mesh", "box.obj", "--vertices", "300")


def sheets():
    with open("sheet.obj", "w") as file:
        file.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    out, _ = lilyan("info", "sheet.obj", code=1)
    assert "encloses     nothing" in out and "--thickness" in out, out
    out, _ = lilyan("mesh", "sheet.obj", "--edge", "0.1", "--thickness", "0.2")
    assert abs(number(out, r"volume +([\d.e+-]+) m") / 0.267 - 1) < 0.1, out  # 0.2 + 4 pi 0.1^2 / 2 + 4/3 pi 0.1^3


run([real_surfaces, a_torus, a_body_runs, gmsh_reads_it, faults_in_words, sheets])
