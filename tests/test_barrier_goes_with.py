"""What contact: {method: barrier} goes with: drag and wind, constraints and strands under every integrator that takes it, damping of bending. Drives $LILYAN."""
import os

import h5py
import harness
import numpy as np
from command import free_of_intersections, lilyan, run, write

SMALL = "LIL_TEST_SMALL" in os.environ
TAKES = ("energy-momentum", "midpoint", "implicit-euler")
END = """contact: {method: barrier%s}
solver: {tolerance: 1e-12}
record: {every: 1}
time: {step: %s, until: %s}
"""
CLOTH = """particles: {c: {type: grid, cells: [5, 5], at: [0, 0, 0.45], mass: 0.01, links: {stiffness: 200}, drag: %s, wind: %s}}
obstacles: {floor: {plane: {}}, ball: {sphere: {centre: [0, 0, 0.2], radius: 0.2}}}
gravity: 9.81
"""
ROPE = """particles: {rope: {type: chain, from: [-0.5, 0.02, 0.45], to: [0.5, 0.05, 0.5], count: 13, mass: 0.02, radius: 0.005}}
obstacles: {ball: {sphere: {centre: [0, 0, 0.2], radius: 0.2}}}
gravity: 9.81
"""
CHAINS = """particles:
  a: {type: chain, from: [-0.5, 0, 0.1], to: [0.5, 0.02, 0.1], count: 12, mass: 0.1, velocity: [0, 0, -1]}
  b: {type: chain, from: [0.03, -0.5, 0], to: [0, 0.5, 0], count: 12, mass: 0.1}
"""
HAIR = """strands: {hair: {roots: {type: cap, radius: 0.09}, count: 12, nodes: 12, damping: 0.01, drag: 1e-6, wind: ["3*sin(20*t)", 0, 0]}}
obstacles: {head: {sphere: {radius: 0.09}}}
gravity: 9.81
"""


def books(c):
    """What is neither there nor booked, over all that was."""
    return abs(c["energy_initial"] + c["external_work"] - c["energy_dissipated"] - c["energy_final"]) / max(abs(c["energy_initial"]), c["energy_dissipated"])


def track(name):
    with h5py.File("out.h5") as file:
        return file[name][:]


def test_drag_of_a_particle():
    """It slides on a floor without friction, m dv/dt = -c v: each step multiplies v by (1 - a)/(1 + a), a = c h/2m, implicit Euler's by 1/(1 + 2 a).
    To the tolerance of 1e-12 of the forces, in 50 steps."""
    h, a = 0.01, 0.3 * 0.01 / 2
    for method in TAKES:
        told = run("particles: {p: {at: [0, 0, 0.051], mass: 1, radius: 0.05, drag: 0.3, velocity: [1, 0, 0]}}\nobstacles: {floor: {plane: {}}}\ngravity: 9.81\n"
                   'observe: {v: "dp[1]"}\n' + END % (", d_hat: 0.002", h, "0.5"), "--integrator", method)
        expected = (1 / (1 + 2 * a) if method == "implicit-euler" else (1 - a) / (1 + a)) ** 50
        assert abs(told["observables"]["v"]["last"] - expected) < 1e-11 and told["certificate"]["gap_min"] < 0.002, (method, told["observables"], expected)


def test_cloth_in_the_wind():
    """Over a ball, in a wind that changes from place to place. The drag is so strong (2 c h/m = 36) that Newton's method needs its derivatives:
    then it takes some 5 iterations a step. The books of energy-momentum close to what the solver leaves."""
    for method in TAKES:
        c = run(CLOTH % ("1", '["0.5*z", "0.5*x", "-1 - 200*(z - 0.4)"]') + END % ("", "5e-3", "0.1" if SMALL else "0.2"), "--integrator", method)["certificate"]
        assert c["contact_steps"] > 0 and c["contact_halved"] == 0 and c["newton_iterations"] < 8 * (20 if SMALL else 40), (method, c)
        assert c["energy_dissipated"] > 0 and (method != "energy-momentum" or books(c) < 1e-11), (method, c)
        free_of_intersections()


def test_last_rung_with_drag():
    """Four iterations are too few for contact, and nothing is halved: implicit Euler makes these steps, with the drag of where they begin. What it loses is booked."""
    c = run((CLOTH % ("0.02", "[1, 0, 0]") + END % ("", "5e-3", "0.2")).replace("tolerance", "iterations: 4, tolerance").replace("until: 0.2", "until: 0.2, halvings: 0") +
            "integrator: energy-momentum\n")["certificate"]
    assert 0 < c["contact_implicit_euler"] < 40 and c["contact_implicit_euler_loss"] > 0 and books(c) < 1e-9, (books(c), c)


def test_rigid_links():
    """A rope falls over a ball under every integrator, with its links as long as they are to round-off. Weight and rigid links alone: midpoint has the same
    equations as energy-momentum and keeps the energy; implicit Euler loses some."""
    for method in TAKES:
        c = run(ROPE + END % ("", "4e-3", "0.3"), "--integrator", method)["certificate"]
        assert c["contact_steps"] > 0 and c["constraint_max"] < 1e-14 and 0 < c["gap_min"] < 0.01, (method, c)
        assert c["energy_final"] < 0.99 * c["energy_initial"] if method == "implicit-euler" else c["relative_energy_error"] < 1e-10, (method, c)
        free_of_intersections()


def test_chains_that_meet():
    """Edge on edge, in flight: P to round-off of 24 particles; J to the residual, but not under implicit Euler."""
    for method in TAKES[1:]:
        c = run(CHAINS + END % ("", "5e-3", "0.3"), "--integrator", method)["certificate"]
        assert c["gap_min"] > 0 and c["contact_steps"] > 0 and c["linear_momentum_drift"] < 1e-13, (method, c)
        assert method == "implicit-euler" or c["angular_momentum_drift"] < 1e-9, (method, c)


def test_midpoint_with_constraints_is_of_second_order():
    """A pendulum of three links, no contact: the error falls by 4 as the step is halved, and the limit is that of energy-momentum."""
    text = ("particles: {p: {type: chain, from: [0, 0, 1], to: [0.9, 0, 1], count: 4, mass: 1, fixed: [0]}}\nobstacles: {floor: {plane: {point: [0, 0, -5]}}}\n"
            "gravity: 9.81\n" + END % ("", "0.01", "0.4"))
    ends = {}
    for method in TAKES[:2]:
        for n in (1, 2, 4):
            run(text, "--integrator", method, "--step", str(0.01 / n))
            ends[method, n] = track("q")[-1]
    coarse, fine = (np.linalg.norm(ends["midpoint", n] - ends["midpoint", 2 * n]) for n in (1, 2))
    assert 3.5 < coarse / fine < 4.5, (coarse, fine)
    # the error of 0.0025 s is a third of that difference; both methods' are of that size
    assert np.linalg.norm(ends["midpoint", 4] - ends["energy-momentum", 4]) < 2 * fine, (ends, fine)


def test_hair():
    """With damping of bending, drag, wind and friction, under every integrator. Damping is booked: energy-momentum's books close to what the solver leaves,
    and midpoint's dissipation is the same to the square of h omega of what moves."""
    lost = {}
    for method in TAKES:
        c = run(HAIR + END % (", friction: 0.3", "4e-3", "0.16"), "--integrator", method)["certificate"]
        lost[method] = c["energy_dissipated"]
        assert c["contact_steps"] > 0 and c["friction_loss"] > 0 and c["constraint_max"] < 1e-14, (method, c)
        assert books(c) < {"energy-momentum": 1e-11, "midpoint": 1e-4, "implicit-euler": 1}[method], (method, books(c), c)
        free_of_intersections()
    assert abs(lost["midpoint"] / lost["energy-momentum"] - 1) < 1e-2, lost


def test_damping_of_bending():
    """A puff of wind bends a strand, no contact at all. energy-momentum books what damping takes, to what the solver leaves; midpoint, which has all of it in
    F-, takes the same to first order in h/period = 1/40."""
    puff = ("strands: {s: {roots: [[0, 0, 0]], spread: 0, nodes: 8, length: 0.1, radius: 1e-4, drag: 1e-6, wind: ['20*exp(-(t/0.01 - 1)^2)', 0, 0], damping: %s}}\n"
            "gravity: 9.81\ntime: {step: 5e-4, until: 0.1}\nsolver: {tolerance: 1e-12}\n")
    none, some, other = (run(puff % kD, "--integrator", method)["certificate"] for kD, method in ((0, "energy-momentum"), (1e-3, "energy-momentum"), (1e-3, "midpoint")))
    assert max(books(none), books(some)) < 1e-11, (books(none), books(some))
    assert some["energy_dissipated"] > 1.1 * none["energy_dissipated"], (some, none)
    assert abs(some["energy_dissipated"] / other["energy_dissipated"] - 1) < 0.025, (some, other)


def test_same_bits():
    """On any number of threads, and resumed."""
    for text, method in ((CLOTH % ("0.02", '["3*z", 0, 0]'), "midpoint"), (HAIR, "midpoint"), (ROPE, "implicit-euler"), (CLOTH % ("0", "[0, 0, 0]"), "implicit-euler")):
        ends = []
        text += END % (", friction: 0.3", "5e-3", "0.2") + "integrator: %s\n" % method
        for options in (["--threads", "1"], ["--threads", "3"]):
            run(text, *options)
            ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
        run(text, "--until", "0.15")
        lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.2")
        ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
        assert ends[0] == ends[1] == ends[2], (text, method)


def test_refused():
    """Damping that bends the step's equations stays refused, with the integrator's name."""
    body = "bodies: {b: {shape: {type: box, cells: [1, 1, 1]}, at: [0, 0, 0.6], damping: {kD: 0.01, form: minimised}, material: rubber}}\nobstacles: {floor: {plane: {}}}\n"
    for text, method, sentence in ((body, "midpoint", "midpoint with barrier contact cannot include damping in its steps: use damping 'exact'"),
                                   (body, "implicit-euler", "implicit-euler with barrier contact and friction or constraints cannot include damping in its steps: use damping 'exact'"),
                                   (body, "energy-momentum", "energy-momentum cannot include damping in its steps: use damping 'exact'"),
                                   (ROPE.replace("ball:", "lid:") + "solver: {method: minimise}\n", "implicit-euler", "the step is not a minimisation because of friction, constraints or forces that depend on the motion: use the solver 'root' or 'auto'")):
        write(text + (END if "solver" not in text else END.replace("solver: {tolerance: 1e-12}\n", "")) % (", friction: 0.3", "0.01", "0.1"))
        told = lilyan("run", "scene.yaml", "-o", "none.h5", "--force", "--integrator", method, code=1).stderr
        assert sentence in told and told.count("\n") == 1, (sentence, told)


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
