"""start: {rest: true}: bodies that start in static equilibrium. Drives $LILYAN."""
import json
import os
import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import harness
from command import lilyan

LILYAN = os.environ["LILYAN"]
SMALL = "LIL_TEST_SMALL" in os.environ
G, LENGTH = 9.81, 1
SOFT = "{model: neo-hookean, young: 1e5, poisson: 0.3, density: 1000}"
BOX = "{shape: {type: box, cells: [2, 2, 2]}, at: [%s], material: %s, start: {%s}%s}"
ON_THE_FLOOR = """gravity: 9.81
obstacles: {floor: {plane: {}}}
contact: {method: barrier}
integrator: energy-momentum
record: {every: 1}
time: {step: 0.01, until: %s}
""" % (0.2 if SMALL else 1)
BAR = """bodies: {bar: {shape: {type: bar, size: [0.1, 0.1, 1], cells: [1, 1, 10]}, material: {model: linear, young: 1e6, poisson: 0, density: 1000},
  fixed: {plane: {point: [0, 0, 0.5], normal: [0, 0, 1]}}, start: {rest: true}}}
gravity: 9.81
record: {every: 1}
"""


def write(text):
    with open("scene.yaml", "w") as file:
        file.write(text)


def run(text, *options):
    write(text)
    c = json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options).stdout)["certificate"]
    with h5py.File("out.h5", "r") as file:
        return c, file["q"][()], file["v"][()]


def stays(c, v):
    """Net force below 1e-9 of the weight, velocities below 1e-6 of sqrt(g L)."""
    assert c["rest_residual"] < 1e-9 and c["rest_iterations"] > 0, c
    assert not v[0].any() and abs(v).max() < 1e-6 * np.sqrt(G * LENGTH), abs(v).max()


def test_bar_hangs():
    """Its end hangs lower by rho g L^2/(2 E), under any integrator."""
    # the vertices of a section weigh 1/8 to 1/4 of it each, so it bends: a thousandth
    for step in ("integrator: energy-momentum\ntime: {step: 0.01, until: 0.5}\n", "integrator: stormer-verlet\ntime: {step: 1e-4, until: 0.01}\n"):
        c, q, v = run(BAR + step)
        stays(c, v)
        # the residual is 1e-12 of a weight that makes it longer by 5 mm
        assert abs(-0.5 - q[0].reshape(-1, 3)[:, 2].min() - 1000 * G / 2e6) < 1e-3 * 1000 * G / 2e6, q[0].reshape(-1, 3)[:, 2].min()


def test_pressed_on_the_floor():
    """From above it, tilted too: it comes down, the floor carries its weight and nothing moves afterwards."""
    for body in (BOX % ("0, 0, 0.6", SOFT, "rest: true", ""), BOX % ("0, 0, 3", SOFT, "rest: true", ", rotate: [10, 5, 20]")):
        c, q, v = run("bodies: {a: %s}\n" % body + ON_THE_FLOOR)
        stays(c, v)
        z = q[0].reshape(-1, 3)[:, 2]
        assert 0 < z.min() < 0.05 and c["gap_min"] > 0, z.min()  # within d_hat, a tenth of an edge
    assert "no intersection" in lilyan("check", "out.h5", "--paths").stdout


def test_stack():
    """One on a wider one, found together; and with the lower one held where it starts, the upper alone."""
    wide = "{shape: {type: box, size: [2, 2, 1], cells: [2, 2, 1]}, at: [0, 0, 0.6], material: %s, start: {%s}}"
    two = "bodies:\n  a: " + wide + "\n  b: " + BOX % ("0, 0, 1.8", SOFT, "rest: true", "") + "\n" + ON_THE_FLOOR
    c, q, v = run(two % (SOFT, "rest: true"))
    stays(c, v)
    lower, upper = q[0].reshape(-1, 3)[:18], q[0].reshape(-1, 3)[18:]
    assert lower[:, 2].min() < 0.1 and upper[:, 2].min() > 0.8, (lower, upper)
    c, q, v = run(two % (SOFT, "push: [0, 0, 1]"), "--until", "0.01")
    lower, upper = q[0].reshape(-1, 3)[:18], q[0].reshape(-1, 3)[18:]
    assert c["rest_residual"] < 1e-9 and (v[0].reshape(-1, 3)[:18] == [0, 0, 1]).all() and not v[0].reshape(-1, 3)[18:].any(), c
    assert abs(lower[:, 2].min() - 0.1) < 1e-12 and 1.1 < upper[:, 2].min() < 1.2, (lower, upper)


def test_friction_holds():
    """A body on a slope of tan 4/9 is held by mu = 0.46, and slides with 0.43. Afterwards it creeps, slower than `slip` but for what rings at first."""
    slope = "bodies: {a: %s}\n" % (BOX % ("0, 0, 0.505", SOFT, "rest: true", ", damping: 0.05")) + ON_THE_FLOOR.replace("9.81", "[4, 0, -9]")
    c, q, v = run(slope.replace("method: barrier", "method: barrier, friction: 0.46, slip: 1e-3"))
    assert c["rest_residual"] < 1e-9 and not v[0].any() and abs(v[-1].reshape(-1, 3).mean(axis=0)).max() < 1e-3 and abs(v).max() < 3e-3, (c, abs(v).max())
    write(slope.replace("method: barrier", "method: barrier, friction: 0.43, slip: 1e-3"))
    assert "'a' has no equilibrium to start in: after " in lilyan("run", "scene.yaml", "-o", "none.h5", code=1).stderr


def test_tower():
    """Of two soft cubes, not quite above each other: it stands with friction 0.5, and stays; without friction it slides apart and says so."""
    tower = "bodies:\n  a: " + BOX % ("0, 0, 0.505", "%s", "rest: true", ", damping: 0.05") + "\n  b: " + BOX % ("0.1, 0.05, 1.53", "%s", "rest: true", ", damping: 0.05") + "\n"
    tower = tower % ((SOFT.replace("1e5", "3e5"),) * 2) + ON_THE_FLOOR
    c, q, v = run(tower.replace("method: barrier", "method: barrier, friction: 0.5, slip: 1e-3"))
    top = q[:, 2::3].max(axis=1)
    assert c["rest_residual"] < 1e-9 and top[0] > 1.9 and abs(top[-1] - top[0]) < 1e-3 and abs(v).max() < 3e-3, (c, top, abs(v).max())
    write(tower)
    told = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--until", "0.01").stderr
    assert "'b' comes to rest" in told and "from where it is placed" in told, told


def test_loads_and_handles():
    """A load that depends on t counts as it is at the start; a handle holds where it starts."""
    scene = """bodies: {bar: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [10, 1, 1]}, material: {model: linear, young: 1e6, poisson: 0, density: 1000},
  fixed: left, %s, start: {rest: true}}}
time: {step: 0.001, until: 0.01}
"""
    c, q, _ = run(scene % "loads: {select: right, force: ['20*cos(t)', 0, 0]}")
    assert abs(q[0][0::3].max() - 0.5 - 20 / (1e6 * 0.01)) < 1e-9, q[0][0::3].max()  # F L/(E A)
    c, q, _ = run(scene % "handles: {select: right, move: ['0.01 + t', 0, 0]}")
    x = q[0].reshape(-1, 3)[:, 0]
    assert c["rest_residual"] < 1e-9 and abs(np.unique(np.round(x, 9)) - np.linspace(-0.5, 0.51, 11)).max() < 1e-8, x


def test_same_bits():
    """On any number of threads, and resumed."""
    scene = "bodies: {a: %s}\n" % (BOX % ("0, 0, 0.6", SOFT, "rest: true", "")) + ON_THE_FLOOR.replace("method: barrier", "method: barrier, friction: 0.3")
    ends = []
    for options in (["--threads", "1"], ["--threads", "3"]):
        run(scene, "--until", "0.2", *options)
        ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    run(scene, "--until", "0.1")
    lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.2")
    ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    assert ends[0] == ends[1] == ends[2]
    assert "rest         found in" in lilyan("info", "scene.yaml").stdout


def test_beside_constraints():
    """Rigid links and constraints of other parts do not concern the search: the bar hangs as without them, and the
    pendulum swings. Its first step is that of a mass on a rod, which falls by g h^2/2 from the horizontal."""
    h = 0.001
    c, q, v = run(BAR + "particles: {p: {at: [[2, 0, 0], [3, 0, 0]], pairs: [[0, 1]], mass: 1, fixed: 0}}\n"
                  "integrator: energy-momentum\ntime: {step: %g, until: 0.5}\n" % h)
    vertices = q.shape[1] // 3
    bar, mass = q[:, :3 * vertices - 6].reshape(len(q), -1, 3), q[:, -3:]
    alone = run(BAR + "integrator: energy-momentum\ntime: {step: %g, until: 0.5}\n" % h)[1][0]
    # the same equilibrium, to 1e-9 of the weight, which makes the bar longer by 5 mm
    assert c["rest_residual"] < 1e-9 and abs(bar[0].ravel() - alone).max() < 1e-9 * LENGTH
    assert not v[0].any() and abs(bar - bar[0]).max() < 1e-6 * LENGTH
    assert list(mass[0]) == [3, 0, 0] and abs(np.hypot(mass[:, 0] - 2, mass[:, 2]) - 1).max() < 1e-12
    # the force along the rod changes the fall only to the order of h^4
    assert abs(mass[1, 2] + G * h * h / 2) < 1e-3 * G * h * h and mass[:, 2].min() < -0.8
    # a box on the floor, with contact, does not move while the pendulum swings above it
    c, q, v = run("bodies: {a: %s}\n" % (BOX % ("0, 0, 0.6", SOFT, "rest: true", ""))
                  + "particles: {p: {at: [[0, 0, 3], [1, 0, 3]], pairs: [[0, 1]], mass: 1, fixed: 0}}\n" + ON_THE_FLOOR)
    stays(c, v[:, :-6])
    assert abs(np.hypot(q[:, -3], q[:, -1] - 3) - 1).max() < 1e-12 and q[-1, -1] < 2.9 and c["gap_min"] > 0


def test_refused():
    """What falls, what slides, what contradicts itself: one sentence, and no output."""
    cases = {
        "bodies: {a: %s}\n" % (BOX % ("0, 0, 2", SOFT, "rest: true", "")) + "gravity: 9.81\ntime: {step: 0.01, until: 0.1}\n": "'a' has no equilibrium to start in: after ",
        "bodies: {a: %s}\n" % (BOX % ("0, 0, 1", SOFT, "rest: true", "")) + ON_THE_FLOOR.replace("{plane: {}}", "{plane: {normal: [0.3, 0, 1]}}"): "'a' has no equilibrium to start in: after ",
        "bodies: {a: %s}\n" % (BOX % ("0, 0, 2", SOFT, "rest: 1", "")) + ON_THE_FLOOR: "'rest' must be true or false, not '1'",
        "bodies: {a: %s}\n" % (BOX % ("0, 0, 2", SOFT, "rest: true, push: [0, 0, 1]", "")) + ON_THE_FLOOR: "'push' and 'rest' cannot both be given",
        "bodies: {a: %s}\n" % (BOX % ("0, 0, 2", SOFT, "rest: true", ", groups: {lid: top}")) + "constraints: {c: {plane: lid, normal: [0, 0, 1]}}\ntime: {step: 0.01, until: 0.1}\n":
            "'a' has a constraint, which 'rest' does not support: use springs, or 'fixed'",
        "bodies: {a: %s}\nparticles: {p: {at: [0, 0, 4], mass: 1}}\n" % (BOX % ("0, 0, 2", SOFT, "rest: true", ", groups: {tip: {vertices: [0]}}"))
        + "constraints: {c: {distance: [p, a.tip]}}\ntime: {step: 0.01, until: 0.1}\n": "'a' has a constraint, which 'rest' does not support",
        "bodies: {a: %s}\nstrands: {s: {roots: [[3, 0, 1]], nodes: 5}}\n" % (BOX % ("0, 0, 2", SOFT, "rest: true", "")) + ON_THE_FLOOR:
            "'rest' does not support scenes with strands, here 's'",
    }
    for text, sentence in cases.items():
        write(text)
        told = lilyan("run", "scene.yaml", "-o", "none.h5", code=1).stderr
        assert sentence in told and told.startswith("lilyan: scene.yaml:") and told.count("\n") == 1, (sentence, told)
        assert not os.path.exists("none.h5")


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
