"""Friction and restitution of contact by barrier: Coulomb's law, known answers, momenta and books, and rest. Drives $LILYAN."""
import json
import math
import os

import h5py
import harness
import numpy as np

from command import call

SMALL = "LIL_TEST_SMALL" in os.environ
CELLS = (2,) if SMALL else (2, 4)
COMMON = "integrator: energy-momentum\nobstacles: {floor: {plane: {}}}\nrecord: {every: 1}\n"
CERTAIN = ("energy_initial", "energy_final", "energy_dissipated", "external_work")


def run(text, *options, code=0):
    with open("scene.yaml", "w") as file:
        file.write(text)
    done = call(["run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options], timeout=300)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if code == 0 else done.stderr


def track(name):
    with h5py.File("out.h5") as file:
        return file["t"][:], file[name][:]


def books(c):
    """What is neither there nor booked."""
    first, last, lost, work = (c[name] for name in CERTAIN)
    return abs(first + work - lost - last)


def block(cells, rest):
    return ("bodies: {block: {shape: {type: box, size: [0.2, 0.2, 0.1], cells: [%d, %d, 1]}, at: [0, 0, 0.0595], damping: 0.005,\n"
            "  material: {young: 1e6, poisson: 0.3, density: 1000}%s}}\n" % (cells, cells, rest) + COMMON)


def test_slope():
    """On a slope of tan 0.5, mu = 0.49 slides with g (sin - 0.49 cos) = 0.0877 m/s^2, and 0.51 creeps slower than `slip`, under every integrator."""
    cos, slip = 2 / math.sqrt(5), 1e-3
    text = "gravity: [%r, 0, %r]\ntime: {step: 2e-3, until: 1}\ncontact: {method: barrier, d_hat: 0.01, damping: 0.05, friction: %s, slip: %g}\n" \
           'observe: {x: "block[1]", v: "dblock[1]"}\n'
    for method, cells in [("energy-momentum", cells) for cells in CELLS] + [("midpoint", 2), ("implicit-euler", 2)]:
        run(block(cells, "") + text % (4.905 * cos, -9.81 * cos, 0.49, slip), "--integrator", method)
        t, v = track("observe/v")
        late = t > 0.4
        assert abs(np.polyfit(t[late], v[late], 1)[0] / (0.01 * 9.81 * cos) - 1) < 0.02, (method, cells)
        run(block(cells, "") + text % (4.905 * cos, -9.81 * cos, 0.51, slip), "--integrator", method)
        t, x = track("observe/x")
        late = t > 0.4
        assert 0 < np.polyfit(t[late], x[late], 1)[0] < slip, (method, cells)


def test_stopping_distance():
    """v^2/(2 mu g) to 1 %: N is the weight on the mean, whatever bounces."""
    for cells in CELLS:
        told = run(block(cells, ", start: {push: [2, 0, 0]}") + "gravity: 9.81\ntime: {step: 2e-3, until: 0.9}\n"
                   'contact: {method: barrier, d_hat: 0.01, friction: 0.3, slip: 1e-3}\nobserve: {x: "block[1]"}\n')
        assert abs(told["observables"]["x"]["last"] / (2 * 2 / (2 * 0.3 * 9.81)) - 1) < 0.01, cells
        assert books(told["certificate"]) < 1e-9 * told["certificate"]["friction_loss"]


def test_stopping_distance_of_implicit_euler():
    """Its velocity is that of the end of each step: it stops after v^2/(2 mu g) - v h/2. That is exact, of first order in h, but for what bounces, 0.1 %."""
    for step in (4e-3,) if SMALL else (4e-3, 2e-3):
        told = run(block(2, ", start: {push: [2, 0, 0]}") + "gravity: 9.81\ntime: {step: %g, until: 0.9}\n" % step +
                   'contact: {method: barrier, d_hat: 0.01, friction: 0.3, slip: 1e-3}\nobserve: {x: "block[1]"}\n', "--integrator", "implicit-euler")
        expected = 2 * 2 / (2 * 0.3 * 9.81) - 2 * step / 2
        assert abs(told["observables"]["x"]["last"] / expected - 1) < 2e-3, (step, told["observables"], expected)
        c = told["certificate"]
        assert c["friction_loss"] > 0 and c["energy_final"] <= c["energy_initial"] - c["energy_dissipated"], c


def test_collision():
    """Two boxes meet obliquely and rub: P to round-off, J and the books to the residual, at steps up to twice l/c."""
    soft = "{model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}"
    two = ("bodies:\n  a: {shape: {type: box, cells: [2, 2, 2]}, rotate: [20, 30, 0], material: %s, start: {push: [0.5, 0, 0]}}\n"
           "  b: {shape: {type: box, cells: [2, 2, 2]}, at: [1.6, 0.3, 0.2], rotate: [-20, 10, 40], material: %s, start: {push: [-0.5, 0, 0]}}\n"
           "integrator: energy-momentum\nsolver: {tolerance: 1e-12}\ntime: {step: 0.01, until: 0.6}\ncontact: {method: barrier, " % (soft, soft))
    for law, step in (("friction: 0.3", "0.01"), ("friction: 1", "0.01"), ("friction: 0.3", "0.1"), ("friction: 0.3, restitution: 0.5, damping: 0.01", "0.01")):
        c = run(two + law + "}\n", "--step", step)["certificate"]
        assert c["linear_momentum_drift"] < 1e-14 and c["angular_momentum_drift"] < 1e-9, (law, step, c)
        assert c["friction_loss"] > 0.01 * c["energy_initial"] and books(c) < 1e-9 * c["energy_initial"], (law, step, c)
        assert (c["restitution_loss"] > 0.01 * c["energy_initial"]) == ("restitution" in law), (law, step, c)
        assert abs(c["friction_loss"] + c["restitution_loss"] - c["energy_dissipated"]) < 1e-12 * c["energy_initial"], (law, step, c)


def test_restitution():
    """A stiff block leaves with e of its velocity, at steps in which it is stopped and thrown back too: they are divided. What its own elasticity
    stores instead of the barrier comes back: with B ~ depth^3 just within d_hat that is a share of (v/c)^(2/3) L/d_hat of the energy, 0.02 with
    c = 10 km/s. A point mass stores nothing: of its last step it gets back at most (TURN/2)^2 of the energy, TURN = 1/2."""
    block = ("bodies: {b: {shape: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0, 0, 0.08], start: {push: [0, 0, -1]},\n"
             "  material: {young: 1e11, poisson: 0.3, density: 1000}}}\n")
    point = "particles: {b: {at: [0, 0, 0.03], velocity: [0, 0, -1], mass: 1}}\n"
    for step, body, most in ((1e-5, block, 0.04), (1e-3, block, 0.04), (5e-3, block, 0.04), (2e-2, block, 0.04), (1e-3, point, 1 / 16), (2e-2, point, 1 / 16)):
        for e in (0, 0.3, 0.6, 0.9) if step > 1e-4 else (0.3, 0.6):
            told = run(body + COMMON + "contact: {method: barrier, d_hat: 0.01, restitution: %s}\ntime: {step: %r, until: %s}\n" % (e, step, 0.03 if step < 1e-4 else 0.08) +
                       'observe: {v: "db[3]"}\n')
            v, c = told["observables"]["v"]["last"], told["certificate"]
            assert -0.01 * e ** 2 < v ** 2 - e ** 2 < most, (e, step, v)
            assert books(c) < (1e-6 if body == block else 1e-12) * c["energy_initial"], (e, step, c)  # of a block: the solver's tolerance


@harness.release_only
def test_rolling():
    """A stiff ball rolls down a slope with g sin/(1 + I/m R^2), I that of its own masses: 5/7 g sin of a ball that is round."""
    run("bodies: {ball: {shape: {type: ball, radius: 0.1, cells: 4}, at: [0, 0, 0.104], damping: 0.001, material: {young: 1e7, poisson: 0.3, density: 1000}}}\n" +
        COMMON + "gravity: [%r, 0, %r]\ncontact: {method: barrier, friction: 0.8, slip: 1e-3}\ntime: {step: 2e-3, until: 0.3}\n"
        'observe: {v: "dball[1]", z: "ball[3]"}\n' % (9.81 * math.sin(0.2), -9.81 * math.cos(0.2)))
    t, v = track("observe/v")
    z = track("observe/z")[1]
    with h5py.File("out.h5") as file:
        x, p, w = (file[name][-1].reshape(-1, 3) for name in ("q", "p", "v"))
    m = np.sum(p * w, axis=1) / np.sum(w * w, axis=1)
    y = (x - m @ x / m.sum())[:, [0, 2]]
    late = t > 0.1
    expected = 9.81 * math.sin(0.2) / (1 + np.sum(m * np.sum(y * y, axis=1)) / m.sum() / np.mean(z[late]) ** 2)
    assert abs(np.polyfit(t[late], v[late], 1)[0] / expected - 1) < 0.02


def test_moving_obstacles():
    """A belt at 1 m/s brings a block of 4 kg to its speed: half of its work is lost, m v^2/2. The books close on floors that turn, too."""
    for motion, cells in (("move: [t, 0, 0]", 2), ("turn: [10*sin(5*t), 0, 90*t]", 1)):
        told = run(block(cells, "").replace("{plane: {}}", "{plane: {}, %s}" % motion) + "gravity: 9.81\nsolver: {tolerance: 1e-12}\ntime: {step: 2e-3, until: 0.5}\n"
                   'contact: {method: barrier, d_hat: 0.01, friction: 0.3, slip: 1e-3}\nobserve: {v: "dblock[1]"}\n')
        c = told["certificate"]
        assert books(c) < 1e-10 * c["energy_initial"], (motion, c)
        if cells == 2:
            assert abs(told["observables"]["v"]["last"] - 1) < 1e-3  # slip
            assert abs(c["friction_loss"] / 2 - 1) < 0.01 and abs(c["external_work"] / 4 - 1) < 0.01, c  # it settles by 0.1 mm, 4 mJ


def test_own():
    """Friction of a block's own, of the floor's own and of both, the geometric mean: on a belt that moves away it gains speed at mu g."""
    for own, floor, common, mu in (("friction: 0.1, ", "", 0.7, 0.1), ("", ", friction: 0.2", 0.7, 0.2), ("friction: 0.1, ", ", friction: 0.4", 0.7, 0.2), ("friction: 0, ", ", friction: 0.4", 0.7, 0), ("", "", 0.3, 0.3)):
        told = run("bodies: {block: {%sshape: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0, 0, 0.055], damping: 0.01, material: {young: 1e6, poisson: 0.3, density: 1000}}}\n"
                   "obstacles: {floor: {plane: {}, move: [10*t, 0, 0]%s}}\n" % (own, floor) +
                   "contact: {friction: %g}\ngravity: 9.81\ntime: {step: 2e-3, until: 0.4}\nobserve: {v: \"dblock[1]\"}\n" % common)
        # it falls by less than 5 mm first, in which nothing pulls: N is the weight on average, after a bounce or two
        assert abs(told["observables"]["v"]["last"] - mu * 9.81 * 0.4) < 0.15 * mu * 9.81 * 0.4 + 1e-9, (own, floor, told["observables"]["v"])
    for text, piece in (("contact: {method: penalty}\n", "penalty contact does not support a 'friction' of 'b'"), ("", "'friction' needs contact: add obstacles, or contact: {}"),
                        ("integrator: stormer-verlet\ncontact: {}\n", "a body's own 'friction' needs the barrier"), ("contact: {}\n", "'friction' must be between 0 and 1e+06, not -1")):
        error = run("bodies: {b: {shape: box, material: rubber, friction: %s}}\n" % ("-1" if "-1" in piece else "0.5") + text + "time: {step: 1e-4, until: 1e-3}\n", code=1)
        assert piece in error and "scene.yaml:1:" in error, error


def test_rest():
    """A cube that falls on its edge comes to rest and stays, as its material damps it: with kD = 0.2 s and its slowest mode at 6 rad/s that is
    exp(-3.6 t). With friction it creeps, slower than `slip`."""
    for law, bound in (("friction: 0", 1e-4), ("friction: 0.5, slip: 1e-3", 1e-3)):
        c = run("bodies: {cube: {shape: {type: box, cells: [2, 2, 2]}, at: [0, 0, 0.6], rotate: [5, 3, 0], damping: 0.2,\n"
                "  material: {model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}}}\n" + COMMON +
                "gravity: 9.81\ncontact: {method: barrier, %s}\ntime: {step: 0.02, until: 5}\n" % law)["certificate"]
        v = np.max(np.abs(track("v")[1]), axis=1)
        assert np.max(v[-50:]) < bound * np.max(v), (law, np.max(v[-50:]), np.max(v))
        assert books(c) < 1e-9 * c["energy_initial"]


def test_same_bits():
    """On any number of threads, and resumed: what was lost so far belongs to the checkpoint."""
    text = block(2, ", start: {push: [1, 0, -1]}") + "gravity: 9.81\ntime: {step: 5e-3, until: 0.2}\ncontact: {method: barrier, friction: 0.3, restitution: 0.7}\n"
    ends = [run(text, "--threads", n)["certificate"] for n in ("1", "3")]
    run(text, "--until", "0.1")
    done = call(["run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.2", "--json"], timeout=300)
    ends.append(json.loads(done.stdout)["certificate"])
    assert ends[0] == ends[1] == ends[2] and ends[0]["restitution_loss"] > 0


def test_refused():
    told = run(block(1, "").replace("energy-momentum", "midpoint") + "time: {step: 0.01, until: 0.1}\ncontact: {method: penalty, restitution: 0.5}\n", code=1)
    assert "penalty contact does not support 'restitution': use damping, or method: barrier" in told and told.count("\n") == 1, told
    for law in ("friction: 0.3", "restitution: 0.5", "damping: 0.01"):
        told = run(block(1, "") + "time: {step: 0.01, until: 0.1}\nsolver: {method: minimise}\ncontact: {method: barrier, %s}\n" % law, "--integrator", "implicit-euler", code=1)
        assert "the step is not a minimisation because of friction, constraints or forces that depend on the motion: use the solver 'root' or 'auto'" in told and told.count("\n") == 1, told


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
