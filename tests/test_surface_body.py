"""Bodies made of a surface: what comes out has the file's own vertices and faces, wherever the tets go."""
import sys

import harness
from command import call
import surfaces

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


SCENE = """\
up: y
bodies:
  pillow: {surface: pillow.obj, vertices: 150, material: jelly, damping: 0.01, start: {spin: [1, 2, 3], stretch: 1.1}}
gravity: 9.81
time: {step: 0.01, until: 0.2}
record: {every: 2}
"""


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=120)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def run(scene, *options, out="out.h5", n=6):
    vertices, faces = surfaces.pillow(n)
    surfaces.write_obj("pillow.obj", vertices, faces)
    with open("scene.yaml", "w") as file:
        file.write(scene)
    lilyan("run", "scene.yaml", "-o", out, "--force", *options)
    return vertices, faces


def embedded(file, row):
    """Places of the surface's vertices, by the tables alone."""
    body = file["bodies/pillow"]
    q = file["q"][row].reshape(-1, 3)[body["first"][...].item():]
    return surfaces.carried(body, q)


def is_there_at_rest():
    scene = SCENE.replace("start: {spin: [1, 2, 3], stretch: 1.1}", "scale: [2, 1, 0.5], rotate: [90, 0, 0], at: [3, 4, 5]")
    vertices, faces = run(scene.replace("vertices: 150", "edge: 0.3"))
    x = vertices * [2, 1, 0.5]
    x = np.column_stack([x[:, 0], -x[:, 2], x[:, 1]]) + [3, 4, 5]
    with h5py.File("out.h5", "r") as file:
        surface = file["bodies/pillow/surface"]
        assert np.abs(surface["rest"][...] - x).max() < 1e-15 * 8
        assert np.abs(embedded(file, 0) - x).max() < 1e-12
        first, corners = surface["first"][:, 0], surface["corners"][:, 0]
        assert [list(corners[a:b]) for a, b in zip(first, first[1:])] == faces
        # as long as was asked for, where the tets' lattice has its longest edges; scaled before it was filled
        rest, tets = file["bodies/pillow/rest"][...], file["bodies/pillow/tets"][...]
        longest = max(np.linalg.norm(rest[tets[:, a]] - rest[tets[:, b]], axis=1).max() for a in range(4) for b in range(a))
        assert 0.3 < longest < 0.6, longest
        # filled, not only enclosed
        e = rest[tets[:, 1:]] - rest[tets[:, :1]]
        volume = np.linalg.det(e).sum() / 6
        v, middle = x[[face for face in faces]], x.mean(axis=0)
        true = sum(np.linalg.det(v[:, [0, k, k + 1]] - middle).sum() / 6 for k in (1, 2))
        assert abs(volume / true - 1) < 0.25, (volume, true)


def goes_with_any_rigid_motion():
    """Every vertex of the file, those outside of the tets too, is turned and moved to round-off."""
    vertices, _ = run(SCENE.replace("spin: [1, 2, 3], stretch: 1.1",
                                    'position: ["0.6*x - 0.8*y + 3", "0.8*x + 0.6*y - 1", z + 2]'))
    with h5py.File("out.h5", "r") as file:
        x = np.column_stack([0.6 * vertices[:, 0] - 0.8 * vertices[:, 1] + 3, 0.8 * vertices[:, 0] + 0.6 * vertices[:, 1] - 1,
                             vertices[:, 2] + 2])
        assert np.abs(embedded(file, 0) - x).max() < 1e-12


def up_is_where_it_says():
    run(SCENE)
    with h5py.File("out.h5", "r") as file:
        fallen = file["linear_momentum"][-1] - file["linear_momentum"][0]
        assert fallen[1] < 0 and np.abs(fallen[[0, 2]]).max() < 1e-9 * abs(fallen[1]), fallen


def comes_back_as_it_was():
    vertices, faces = run(SCENE)
    lilyan("export", "out.h5", "--to", "mdd")
    with open("out/pillow.obj") as file:
        lines = [line.split() for line in file]
    assert ["v"] + [f"{x:.9g}" for x in vertices[20]] in lines
    assert np.abs(np.array([[float(x) for x in line[1:]] for line in lines if line[0] == "v"]) - vertices).max() < 1e-8
    assert [[int(x) - 1 for x in line[1:]] for line in lines if line[0] == "f"] == faces
    with open("out/pillow.mdd", "rb") as file:
        data = file.read()
    frames, points = np.frombuffer(data, ">i4", 2)
    assert frames == 11 and points == len(vertices)
    x = np.frombuffer(data, ">f4", offset=8 + 4 * frames).reshape(frames, points, 3)
    with h5py.File("out.h5", "r") as file:
        for k in range(frames):
            true = embedded(file, k)
            assert np.abs(x[k] - true).max() <= np.abs(true).max() * 2**-24
            assert k == 0 or np.abs(true - vertices).max() > 0.01, "it moves"
    lilyan("export", "out.h5", "--to", "vtu")  # keeps the tets
    with h5py.File("out.h5", "r") as file, open("out/out_0000.vtu", "rb") as vtu:
        assert f'NumberOfCells="{len(file["bodies/pillow/tets"])}"'.encode() in vtu.read()


def goes_on_bit_for_bit():
    run(SCENE, out="whole.h5")
    run(SCENE, "--until", "0.1", out="part.h5")
    lilyan("run", "scene.yaml", "-o", "part.h5", "--resume")
    with h5py.File("whole.h5", "r") as a, h5py.File("part.h5", "r") as b:
        assert (a["q"][...] == b["q"][...]).all() and len(a["q"]) == 11
    vertices, faces = surfaces.pillow(5)
    surfaces.write_obj("pillow.obj", vertices, faces)
    said = lilyan("run", "scene.yaml", "-o", "part.h5", "--resume", "--until", "0.3", code=1).stderr
    assert "a mesh or an animation has changed since" in said, said


harness.run([is_there_at_rest, goes_with_any_rigid_motion, up_is_where_it_says, comes_back_as_it_was, goes_on_bit_for_bit])
