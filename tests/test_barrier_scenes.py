"""Scenes that contact by penalty got wrong, with method: barrier: boxes rest on each other, bars exchange velocities, balls meet head-on, a plate is not
passed. Drives $LILYAN."""
import json
import os

import harness
from command import lilyan

LILYAN = os.environ["LILYAN"]
SMALL = "LIL_TEST_SMALL" in os.environ
BOXES = """bodies:
  low: {shape: {type: box, size: [1, 1, 1], cells: %s}, at: [0, 0, 0.5], material: {young: 1e6, poisson: 0.3, density: 1000}, damping: 0.01, fixed: bottom}
  high: {shape: {type: box, size: [1, 1, 1], cells: %s}, at: [0, 0, 1.51], rotate: [0, 0, %s], material: {young: 1e6, poisson: 0.3, density: 1000}, damping: 0.01}
gravity: 9.81
contact: {method: barrier}
integrator: energy-momentum
time: {step: 4e-3, until: 2}
observe: {z: "high[3]"}
"""


def run(text):
    with open("scene.yaml", "w") as file:
        file.write(text)
    told = json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)["observables"]
    assert "no intersection" in lilyan("check", "out.h5").stdout
    return told


def test_boxes_rest():
    """One cell a face or two, aligned or turned. Two boxes of height L shrink by at most rho g L^2/E (1/2 + 1 + 1/2) = 2 cm under their weight, and the gap of
    1 cm closes: the middle of the upper one comes to rest between 1.48 and 1.51 m."""
    for cells, turn in (("[1, 1, 1]", 30),) if SMALL else (("[1, 1, 1]", 0), ("[1, 1, 1]", 30), ("[2, 2, 2]", 0)):
        z = run(BOXES % (cells, cells, turn))["z"]
        assert 1.48 < z["last"] < 1.51 and z["min"] > 1.47 and z["max"] < 1.52, (cells, turn, z)


def test_plate_is_not_passed():
    """A particle at 5 m/s leaves a plate of 2 cm at the side from which it came, as fast: it is back at 1 m after 0.4 s."""
    told = run("particles: {p: {at: [0, 0, 1.005], mass: 1, velocity: [0, 0, -5]}}\nobstacles: {plate: {box: {size: [1, 1, 0.02]}}}\n"
               "contact: {method: barrier}\nintegrator: energy-momentum\ntime: {step: 1e-3, until: 0.4}\nobserve: {z: \"p[3]\", v: \"dp[3]\"}\n")
    assert told["z"]["min"] > 0.01 and abs(told["v"]["last"] - 5) < 1e-9, told


def test_head_on():
    """Two equal balls of 540 tets: the first stops, the second goes on; waves in them keep a little. Their meshes are mirror images of themselves in the planes through
    the line that they meet on, so nothing pushes them aside but round-off, which their poles, edge on edge, let grow."""
    if SMALL:
        return
    ball = "{shape: {type: ball, radius: 0.1, cells: 3}, at: [%s, 0, 0], material: {young: 1e6, poisson: 0.3, density: 1000}%s}"
    for integrator in "energy-momentum", "midpoint":
        told = run("bodies:\n  a: " + ball % (-0.15, ", start: {push: [0.5, 0, 0]}") + "\n  b: " + ball % (0.1, "") +
                   "\ncontact: {method: barrier}\nintegrator: %s\ntime: {step: 2e-3, until: 0.16}\n" % integrator +
                   'observe: {va: "da[1]", vb: "db[1]", vay: "da[2]", vaz: "da[3]"}\n')
        assert abs(told["va"]["last"]) < 0.01 and abs(told["vb"]["last"] - 0.5) < 0.01, told
        assert abs(told["vay"]["last"]) < 0.005 and abs(told["vaz"]["last"]) < 0.005, told


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
