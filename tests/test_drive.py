"""Contact by barrier with what moves as it is told: obstacles that move and turn, handles. Drives $LILYAN."""
import json
import math
import os
import subprocess

import h5py
import harness
import numpy as np

LILYAN = os.environ["LILYAN"]
SMALL = "LIL_TEST_SMALL" in os.environ
SOFT = "{model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}"
ENDS = """contact: {method: barrier}
integrator: energy-momentum
solver: {tolerance: 1e-12}
record: {every: 1}
"""
BALL = "bodies: {ball: {shape: {type: ball, radius: 0.2, cells: 2}, at: [%s], material: " + SOFT + "}}\n"


def lilyan(*arguments, code=0):
    done = subprocess.run([LILYAN, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def run(text, step, until):
    with open("scene.yaml", "w") as file:
        file.write(text + ENDS + "time: {step: %g, until: %g}\n" % (step, until))
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)["certificate"]


def free_of_intersections(c):
    """At frames, and between them where frames are steps: what a step that is halved does in its middle is not recorded."""
    paths = ["--paths"] if c["halved_steps"] == 0 else []
    assert "no intersection" in lilyan("check", "out.h5", *paths).stdout


def books_close(c):
    """What is in the motion is what was put in less what was taken out: exact but for what the solver leaves, 1e-12 a step."""
    change = c["energy_final"] - c["energy_initial"] + c["energy_dissipated"]
    assert abs(change - c["external_work"]) < 1e-9 * abs(c["external_work"]), c


def momenta():
    """Linear, and angular about the origin, at the end."""
    with h5py.File("out.h5") as file:
        q, p = (file[name][-1].reshape(-1, 3) for name in "qp")
        return p.sum(axis=0), np.cross(q, p).sum(axis=0)


def test_paddle():
    """A paddle at V hits a ball at rest, at steps in which it moves by up to half the ball: the work is V times the impulse, whose sum is P."""
    for step in (0.01,) if SMALL else (0.002, 0.05):
        c = run(BALL % "0, 0, 0" + 'obstacles: {paddle: {box: {centre: [-0.4, 0, 0], size: [0.1, 0.6, 0.6]}, move: ["2*t", 0, 0]}}\n', step, 0.4)
        books_close(c)
        P, _ = momenta()
        assert abs(c["external_work"] - 2 * P[0]) < 1e-9 * c["external_work"], (step, c, P)
        # a ball of 33 kg that bounces off leaves with 4 m/s but for what goes on swinging in it
        assert c["external_work"] > 100 and c["gap_min"] > 0, (step, c)
        free_of_intersections(c)


def test_bat():
    """A bat turns about the origin by w and hits a ball. A point of it goes by 2 tan(w h/2) times z x (its middle): so the work is
    2 tan(w h/2)/h times the angular impulse, whose sum is J."""
    w = 2 * math.pi
    for step in (0.01,) if SMALL else (0.002, 0.01):
        c = run(BALL % "0.32, -0.5, 0" + 'obstacles: {bat: {box: {size: [0.05, 1.4, 0.6]}, turn: [0, 0, "360*t"]}}\n', step, 0.4)
        books_close(c)
        _, J = momenta()
        assert abs(c["external_work"] - 2 * math.tan(w * step / 2) / step * J[2]) < 1e-9 * c["external_work"], (step, c, J)
        assert c["external_work"] > 100, c
        free_of_intersections(c)


def test_plane_that_turns():
    """A floor tips over under a ball, which slides off: the work of a plane whose normal changes is exact too."""
    c = run(BALL % "0.3, 0, 0.22" + 'gravity: [0, 0, -9.81]\nobstacles: {floor: {plane: {}, turn: [0, "100*t", 0], move: [0, 0, "0.5*t"]}}\n', 0.01, 0.3)
    books_close(c)
    assert c["gap_min"] > 0 and momenta()[0][0] > 0, c
    free_of_intersections(c)


def test_handles():
    """A mat is turned by its ends, and pushed together, until it touches itself."""
    n = 4 if SMALL else 6
    c = run("bodies:\n  mat:\n    shape: {type: box, size: [1, 0.6, 0.05], cells: [%d, %d, 1]}\n    material: %s\n    handles:\n"
            '      - {select: left, move: [0, "y*cos(pi*t) - z*sin(pi*t) - y", "y*sin(pi*t) + z*cos(pi*t) - z"]}\n'
            '      - {select: right, move: ["-0.6*t", "y*cos(pi*t) + z*sin(pi*t) - y", "z*cos(pi*t) - y*sin(pi*t) - z"]}\n' % (n, n, SOFT), 0.02, 1.2)
    books_close(c)
    assert 0 < c["gap_min"] < 0.02, c  # it touched itself
    free_of_intersections(c)


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
