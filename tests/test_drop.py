"""lilyan drop from outside: one command makes a scene, a motion and a page of a surface; what it assumes it says, and nothing is replaced."""
import os
import re
import struct
import sys
import time
from math import cos, pi, sin

from command import call
from harness import read_page, release_only, run

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=120)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done


def write_obj(path, vertices, faces):
    with open(path, "w") as file:
        for x in vertices:
            file.write("v {} {} {}\n".format(*x))
        for face in faces:
            file.write("f " + " ".join(str(v + 1) for v in face) + "\n")


def write_box(path, size):
    corners = [[s * (i >> d & 1) for d, s in enumerate(size)] for i in range(8)]
    write_obj(path, corners, [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)])


def write_torus(path, major, minor, n=24, m=12):
    """Around y."""
    angles = [(2 * pi * i / n, 2 * pi * k / m) for i in range(n) for k in range(m)]
    write_obj(path, [((major + minor * cos(b)) * cos(a), minor * sin(b), (major + minor * cos(b)) * sin(a)) for a, b in angles],
              [(i * m + k, i * m + (k + 1) % m, (i + 1) % n * m + (k + 1) % m, (i + 1) % n * m + k) for i in range(n) for k in range(m)])


def write_cone(path, radius, height, n=24):
    ring = [(radius * cos(2 * pi * i / n), radius * sin(2 * pi * i / n), 0) for i in range(n)]
    triangles = [t for i in range(n) for t in ((ring[i], ring[(i + 1) % n], (0, 0, height)), ((0, 0, 0), ring[(i + 1) % n], ring[i]))]
    with open(path, "wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(triangles)))
        for triangle in triangles:
            file.write(struct.pack("<12f", 0, 0, 0, *(y for x in triangle for y in x)) + bytes(2))


def lowest(path, up):
    """Of the tets, in each frame."""
    with h5py.File(path) as file:
        return file["q"][()].reshape(len(file["t"]), -1, 3)[:, :, up].min(axis=1)


def test_torus():
    """It stands on the floor in the end and never goes through it; its scene gives the same motion again."""
    write_torus("ring.obj", 1, 0.25)
    out = lilyan("drop", "ring.obj").stdout
    assert "2.5 units large, neither metres nor millimetres of jelly: scaled to 0.1 m" in out, out
    # as thick as the tube: 12 corners are closer by cos(pi/12) from face to face
    assert abs(float(re.search(r"thinnest part is ([\d.]+) m", out)[1]) / (0.02 * cos(pi / 12)) - 1) < 0.05, out
    assert sorted(os.listdir()) == ["ring.h5", "ring.html", "ring.obj", "ring.yaml"]
    low = lowest("ring.h5", 1)
    assert abs(low[0] - 0.03) < 1e-4 and low.min() > 0 and low[-1] < 1e-3, low  # tets are flatter than the tube
    with h5py.File("ring.h5") as file:
        vertices = len(file["bodies/ring/rest"])
    assert abs(vertices / 300 - 1) < 0.05 and "about 300 vertices" in out, (vertices, out)
    (page,) = read_page("ring.html")[0]["runs"]
    assert page["status"] == "complete" and page["up"] == "y"
    line, again = re.search(r"next: make line (\d+) of ring.yaml '(material: \w+)', then\n  (.*)\n", out).groups()[::2]
    with open("ring.yaml") as file:
        assert file.read().split("\n")[int(line) - 1].startswith("    material: jelly ")
    assert again == "lilyan run ring.yaml --force && lilyan report ring.h5 --force"
    lilyan("run", "ring.yaml", "-o", "again.h5", "--until", "0.1")
    with h5py.File("ring.h5") as a, h5py.File("again.h5") as b:
        assert len(b["q"]) == 7 and (a["q"][:7] == b["q"][()]).all()


@release_only
def test_units():
    """180 units are millimetres; z is up in STL files."""
    write_cone("cone.stl", 60, 180)
    out = lilyan("drop", "cone.stl", "--material", "foam", "--onto", "bowl").stdout
    assert "180 units large, taken as millimetres" in out and "z is up" in out, out
    with h5py.File("cone.h5") as file:
        (body,) = file["bodies"].values()
        assert abs(np.ptp(body["surface/rest"][:, 2]) - 0.18) < 1e-6
    assert lowest("cone.h5", 2).min() > 0


@release_only
def test_names():
    """Any name of a file, in another folder, which stays as it is. Down the stairs. No xdg-open to open the page with."""
    os.mkdir("other place")
    name, usual = "other place/it's $(touch no) \"4\" sin.OBJ", os.environ["PATH"]
    write_box(name, (0.1, 0.05, 0.1))
    try:
        os.environ["PATH"] = "/nowhere"
        done = lilyan("drop", name, "--material", "foam", "--onto", "stairs", "--open", "-o", "-down.yaml")
    finally:
        os.environ["PATH"] = usual
    assert done.stderr == "lilyan: --open: there is no xdg-open here: open ./-down.html in a browser\n", done.stderr
    assert "0.1 units large, taken as metres" in done.stdout and "thinnest part is 0.05 m" in done.stdout, done.stdout
    assert sorted(os.listdir()) == ["-down.h5", "-down.html", "-down.yaml", "other place"]
    assert os.listdir("other place") == [os.path.basename(name)]
    assert "lilyan run ./-down.yaml --force && lilyan report ./-down.h5 --force" in done.stdout, done.stdout
    low = lowest("-down.h5", 1)
    assert low[0] > 0.14 and 0 < low[-1] < 0.11, low  # by a step of 0.035 m at least


@release_only
def test_sheet():
    """What encloses nothing gets a thickness. A function's name cannot be its own. xdg-open gets the page."""
    write_obj("sin.obj", [(x, 0.1 * x * x, z) for x in range(4) for z in range(4)],
              [(4 * i + k, 4 * i + k + 1, 4 * i + k + 5, 4 * i + k + 4) for i in range(3) for k in range(3)])
    with open("xdg-open", "w") as file:
        file.write(f"#!/bin/sh\necho \"$@\" > '{os.getcwd()}/opened'\n")
    os.chmod("xdg-open", 0o755)
    usual = os.environ["PATH"]
    try:
        os.environ["PATH"] = os.getcwd()
        done = lilyan("drop", "sin.obj", "--material", "foam", "--open")
    finally:
        os.environ["PATH"] = usual
    assert "a sheet that encloses too little to be filled" in done.stdout and "--open" not in done.stderr
    with open("sin.yaml") as file:
        text = file.read()
    assert "    thickness: " in text and "  body_sin:\n" in text
    opened = ""
    for _ in range(200):
        opened = open("opened").read() if os.path.exists("opened") else ""
        if opened.endswith("\n"):
            break
        time.sleep(0.05)
    assert opened == os.path.realpath("sin.html") + "\n"


def test_refused():
    write_box("box.obj", (0.1, 0.1, 0.1))
    for name in "box.yaml", "box.h5", "box.html":
        with open(name, "w") as file:
            file.write("mine")
        done = lilyan("drop", "box.obj", code=1)
        assert done.stderr == f"lilyan: {name}: exists already (--force replaces it, -o OUT.h5 writes elsewhere)\n", done.stderr
        assert open(name).read() == "mine" and len(os.listdir()) == 2
        os.remove(name)
    os.mkdir("box.yaml")
    assert "is a folder or a device" in lilyan("drop", "box.obj", "--force", code=1).stderr
    os.rmdir("box.yaml")
    with open("bad.obj", "w") as file:
        file.write("v 0 0 0\nf 1 2 3\n")
    for arguments, code, says in ((["none.obj"], 1, "none.obj"), (["bad.obj"], 1, "bad.obj:2"), ([], 2, "which surface"),
                                  (["box.txt"], 2, "ends in .obj, .ply or .stl"), (["box.obj", "bad.obj"], 2, "one surface"),
                                  (["box.obj", "--material", "jam"], 2, "unknown material 'jam'"),
                                  (["box.obj", "--onto", "cloud"], 2, "not floor, stairs or bowl"),
                                  (["box.obj", "--threads", "x"], 2, "--threads"), (["box.obj", "-o", "no/o.h5"], 1, "no/o.yaml: cannot be written"),
                                  (["box.obj", "-o", "./"], 2, "-o is './', which is a folder")):
        done = lilyan("drop", *arguments, code=code)
        assert says in done.stderr and done.stderr.count("\n") == 1, (arguments, done.stderr)
        assert sorted(os.listdir()) == ["bad.obj", "box.obj"], arguments
    # a name that would be more than a name in the scene
    for name in b"a\nb: c", b"a\xe2\x80\xa8b", b"a\xe4b", b"a\xc2\x85b", b"a\x7fb", b"a\xed\xa0\x80b", b"a\xc0\xafb":
        for mesh, output in ((name + b".obj", b"out.h5"), (b"box.obj", name)):
            if not os.path.exists(mesh):
                os.symlink("box.obj", mesh)
            done = lilyan("drop", os.fsdecode(mesh), "-o", os.fsdecode(output), code=1)
            assert "a scene cannot contain this name" in done.stderr and done.stderr.count("\n") == 1, done.stderr
        os.remove(name + b".obj")
        assert sorted(os.listdir()) == ["bad.obj", "box.obj"], name
    # the motion that is there stays where the scene cannot be written
    long = 245 * "o"  # the scene's file would have a longer name than a file can have, until it is whole
    with open(f"{long}.h5", "w") as file:
        file.write("mine")
    assert "too long" in lilyan("drop", "box.obj", "-o", f"{long}.h5", "--force", code=1).stderr
    assert sorted(os.listdir()) == ["bad.obj", "box.obj", f"{long}.h5"] and open(f"{long}.h5").read() == "mine"


run([test_torus, test_units, test_names, test_sheet, test_refused])
