"""refine of a body in a scene: where it is put, what it weighs, what rides in it. Drives $LILYAN."""
import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import harness
from command import run

SCENE = """bodies: {b: {%s, at: [1, 2, 3], rotate: [20, 30, 40], scale: 2, material: {young: 1e5, poisson: 0.3, density: 1000}%s}}
time: {step: 0.01, until: 0.01}
"""
REFINE = ", refine: {centre: [1, 2, 4], radius: 0.1, edge: 0.2, growth: 0.5}"


def read(text):
    run(text)
    with h5py.File("out.h5") as file:
        return {name: file["bodies/b"][name][()] for name in ("rest", "tets")}, file["q"][0].reshape(-1, 3)


def volume(x, tets):
    return np.linalg.det(x[tets[:, 1:]] - x[tets[:, :1]]).sum() / 6


def test_placed():
    """The centre is a place in the scene, after at, rotate and scale; the body is the same."""
    plain, _ = read(SCENE % ("shape: {type: box, cells: [2, 2, 2], pattern: 6}", ""))
    fine, q = read(SCENE % ("shape: {type: box, cells: [2, 2, 2], pattern: 6}", REFINE))
    x, tets = fine["rest"].reshape(-1, 3), fine["tets"]
    longest = np.max([np.linalg.norm(x[tets[:, i]] - x[tets[:, j]], axis=1) for i in range(4) for j in range(i)], axis=0)
    nearest = np.linalg.norm(x[tets] - [1, 2, 4], axis=2).min(axis=1)
    assert (longest < 0.2 + 0.5 * np.maximum(0, nearest - 0.1) + 1e-12).all() and len(tets) > 10 * len(plain["tets"])
    assert abs(volume(x, tets) / 8 - 1) < 1e-12 and abs(q - x).max() < 1e-12
    assert (x[: len(plain["rest"])] == plain["rest"]).all()


def test_surface_rides():
    """The tets of a surface are refined too, and carry it where it was."""
    egg = "surface: {inside: 1 - x^2 - y^2 - z^2, box: [[-1.1, -1.1, -1.1], [1.1, 1.1, 1.1]], cells: 12}, vertices: 100"
    run(SCENE % (egg, REFINE))
    with h5py.File("out.h5") as file:
        surface, x = file["bodies/b/surface"], file["bodies/b/rest"][()].reshape(-1, 3)
        corners = x[file["bodies/b/tets"][()][surface["tet"][:, 0]]]
        carried = corners[:, 0] + np.einsum("ik,ikd->id", surface["weights"][()], corners[:, 1:] - corners[:, :1])
        first = surface["outside_first"][:, 0].astype(int)
        for i in range(len(carried)):  # those outside of all tets have weights of more vertices
            entries = slice(first[i], first[i + 1])
            if entries.start < entries.stop:
                carried[i] = surface["outside_weight"][entries, 0] @ x[surface["outside_vertex"][entries, 0].astype(int)]
        assert abs(carried - surface["rest"][()]).max() < 1e-9


def test_groups():
    """New vertices on a side belong to it: the whole side is held."""
    _, q = read(SCENE % ("shape: {type: box, cells: [2, 2, 2], pattern: 6}", REFINE + ", groups: {lid: top}, start: {push: [0, 0, 1]}, fixed: lid"))
    with h5py.File("out.h5") as file:
        moved = np.abs(np.diff(file["q"][()], axis=0)[0].reshape(-1, 3)).max(axis=1)
    # the top's plane, through three of the eight corners that the coarse box keeps in front
    corners = q[[0, 2, 6, 8, 18, 20, 24, 26]]
    a, b, c = corners[1], corners[3], corners[5]
    normal = np.cross(b - a, c - a) / np.linalg.norm(np.cross(b - a, c - a))
    on = abs((q - a) @ normal) < 1e-9
    assert on.sum() > 50 and not moved[on].any() and (moved[~on] > 0).all()


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
