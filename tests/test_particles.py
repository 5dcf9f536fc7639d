"""Particles and what binds them, through scenes: known answers, momenta, equilibrium, what files and pages get of them."""
import json
import math
import os
import re

import h5py
import numpy as np

from command import call
import harness

SCENES = os.path.join(os.environ["LILYAN_SOURCE"], "scenes")
G = 9.81


def run(text, *options, warned=""):
    """The result of a scene given as text or by its path; stderr is one warning that says `warned`, or nothing."""
    path = text
    if "\n" in text:
        path = "scene.yaml"
        with open(path, "w") as file:
            file.write(text)
    done = call(["run", path, "-o", "out.h5", "--force", "--json", *options], timeout=300)
    assert done.returncode == 0, done.stderr
    if warned:
        assert done.stderr.startswith("lilyan: warning: ") and done.stderr.count("\n") == 1 and warned in done.stderr, done.stderr
    elif warned is not None:
        assert done.stderr == "", done.stderr
    return json.loads(done.stdout)


def track(name="q"):
    with h5py.File("out.h5") as file:
        return file["t"][:], file[name][:]


def near(value, wanted, tolerance):
    assert abs(value - wanted) <= tolerance, f"{value} is {abs(value - wanted):.3g} from {wanted}, more than {tolerance:.3g}"


# ---- known answers ----

def bead_on_a_wire():
    bead = os.path.join(SCENES, "bead-on-wire.yaml")
    # errors of the midpoint rule are of order h^2, 8e-6 m/s at h = 1e-3
    fast = run(bead, "--step", "2e-4", "--until", "1")
    near(fast["observables"]["speed"]["max"], math.sqrt(2 * G), 1e-6)
    assert fast["certificate"]["constraint_max"] < 1e-12
    result = {r["variant"]: r for r in run(bead, "--variants", warned=None)}
    off = {name: r["certificate"]["constraint_max"] for name, r in result.items()}
    gain = {name: r["certificate"]["energy_max"] for name, r in result.items()}  # from 0, of g r = 9.81 J
    assert max(off["midpoint"], off["stormer-verlet"]) < 1e-13, off
    assert off["rk4-feedback"] < off["rk4"] / 10 and off["symplectic-euler-feedback"] < off["symplectic-euler"] / 10, off
    assert off["explicit-euler"] > 0.1 and gain["explicit-euler-feedback"] > G, "explicit Euler fails either way"


def start_of_mode(n, x, size):
    """Places of a hanging chain of n equal masses on links of 1/n, deflected as in the mode omega^2 = n g x."""
    # m x_i'' = T_i+1 (x_i+1 - x_i) / l - T_i (x_i - x_i-1) / l, with T_i the weight below: K shape = x shape in units of g/l
    K = np.zeros((n, n))
    for i in range(n):  # link i is above mass i
        weight = n - i
        K[i, i] += weight
        if i:
            K[i - 1, i - 1] += weight
            K[i, i - 1] -= weight
            K[i - 1, i] -= weight
    values, shapes = np.linalg.eigh(K)
    k = int(np.argmin(abs(values - x)))
    near(values[k], x, 1e-9)
    shape = np.concatenate(([0], shapes[:, k])) * size
    sine = np.diff(shape) * n
    down = np.concatenate(([0], np.cumsum(np.sqrt(1 - sine**2) / n)))
    return [[float(a), 0.0, float(-b)] for a, b in zip(shape, down)]


def small_swings_of_chains():
    near(np.polynomial.laguerre.lagroots([0] * 5 + [1])[0], 0.263560319718, 1e-11)
    for n, modes in ((2, [2 - math.sqrt(2), 2 + math.sqrt(2)]), (5, np.polynomial.laguerre.lagroots([0] * 5 + [1]))):
        for x in modes:
            omega, h = math.sqrt(n * G * x), 5e-4
            until = h * math.ceil(2.3 * math.pi / omega / h)
            run(f"particles:\n  c: {{at: {start_of_mode(n, x, 1e-4)}, mass: 1, fixed: 0,"
                f" pairs: {[[i, i + 1] for i in range(n)]}}}\ngravity: {G}\n"
                f"time: {{step: {h}, until: {until:.10g}}}\nrecord: {{every: 1}}\n")
            t, q = track()
            tip = q[:, 3 * n]
            at = [t[i] + h * tip[i] / (tip[i] - tip[i + 1]) for i in range(len(t) - 1) if tip[i] * tip[i + 1] < 0]
            # half a period lies between zeros; the rule's own error is (omega h)^2/24, at most 7e-6, that of the amplitude 3e-6
            near(math.pi / (at[1] - at[0]) / omega, 1, 2e-5)


def double_pendulum():
    scene = ("particles:\n  arm: {at: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], mass: 1, pairs: [[0, 1], [1, 2]], fixed: 0,"
             " groups: {elbow: 1, hand: 2}}\ngravity: 9.81\ntime: {step: 2e-4, until: 1}\n"
             "observe: {a: \"atan2(elbow[1], -elbow[3])\", b: \"atan2(hand[1] - elbow[1], elbow[3] - hand[3])\"}\n")
    for order, tolerance in (("midpoint", 1e-6), ("{method: composition, base: midpoint, order: 4}", 1e-10)):
        result = run(scene + f"integrator: {order}\n")
        near(result["observables"]["a"]["last"], -0.625087699806, tolerance)
        near(result["observables"]["b"]["last"], -1.034585085680, tolerance)
        assert result["certificate"]["constraint_max"] < 1e-13


def drag_and_wind():
    fall = "particles: {p: {at: [0, 0, 0], mass: 2, drag: 3%s}}\ngravity: 9.81\nintegrator: %s\ntime: {step: 1e-3, until: 1}\n"
    rate = 1.5  # c/m
    down = G / rate * (1 - math.exp(-rate))
    for method in "midpoint", "stormer-verlet", "rk4":
        result = run(fall % ("", method))
        near(result["final"]["p"][2] / 2, -down, 1e-5)
        c = result["certificate"]
        near(c["energy_initial"] - c["energy_final"] - c["energy_dissipated"], 0, 1e-4)
    # x'' = -rate (x' - x - t - 1) with x = x' = 0: w = x + t + 1 is blown along; from its exact solution
    roots = np.roots([1, rate, -rate])
    slope = rate / -rate  # particular solution x = s t + d
    d = (rate * slope - rate) / rate
    a = np.linalg.solve([[1, 1], roots], [-d, -slope])
    exact = float((a * np.exp(roots)).sum() + slope + d)
    result = run(fall % (", wind: [x + t + 1, 0, 0]", "midpoint"))
    near(result["final"]["q"][0], exact, 1e-5)
    assert result["certificate"]["linear_momentum_drift"] is None


# ---- kinds of constraints ----

BEAD = "particles: {bead: {at: [0.6, 0, -0.8], mass: 2, velocity: [%s]}}\nconstraints: {c: %s}\ngravity: 9.81\ntime: {step: 1e-3, until: 1}\n"


def where_points_stay():
    final = lambda kind, v="0, 0, 0", more="": run(BEAD % (v, kind) + more)
    slide = final("{line: bead, along: [3, 0, -4]}", "4, 5, 3")  # down a slope of 4 in 5; what is across is taken out
    near(slide["final"]["q"][1], 0, 1e-12)
    near(slide["final"]["q"][0], 0.6 + 0.6 * 0.8 * G / 2, 1e-12)
    near(slide["final"]["q"][2], -0.8 - 0.8 * 0.8 * G / 2, 1e-12)
    table = final("{plane: bead, normal: [0, 0, 2]}", "1, 2, 0")
    for value, wanted in zip(table["final"]["q"], (1.6, 2, -0.8)):
        near(value, wanted, 1e-12)
    ball = final("{sphere: bead, centre: [0, 0, 0], radius: 1}", "0, 2, 0",
                 "observe: {L: {value: \"bead[1]*dbead[2] - bead[2]*dbead[1]\", invariant: true}}\n")
    assert ball["observables"]["L"]["invariant_drift"] < 1e-12
    # the same said otherwise is the same motion, up to the direction of the force within a step, which is the same
    other = final("{surface: bead, value: (x^2 + y^2 + z^2 - 1)/2}", "0, 2, 0")
    circle = final("{circle: bead, centre: [0, 0, 0], radius: 1, normal: [0, 1, 0]}", "0.8, 0, 0.6")
    curve = final("{curve: bead, values: [x^2 + z^2 - 1, 3*y]}", "0.8, 0, 0.6")
    for one, two in ((ball, other), (circle, curve)):
        for a, b in zip(one["final"]["q"], two["final"]["q"]):
            near(a, b, 1e-10)
    # without weight it is the wire alone that takes momentum
    held = run((BEAD % ("0.8, 0, 0.6", "{circle: bead, centre: [0, 0, 0], radius: 1, normal: [0, 1, 0]}")).replace("gravity: 9.81\n", ""))
    for result in (slide, table, ball, other, circle, curve, held):
        c = result["certificate"]
        assert c["constraint_max"] < 1e-13 and c["linear_momentum_drift"] is None and c["angular_momentum_drift"] is None


def on_a_plane_through_zero():
    """Where g and all that it is summed from vanish, weight across the plane still leaves round-off, which is enough."""
    for method in "midpoint", "stormer-verlet", "symplectic-euler":
        for at in "[1, 0, 0]", "[cos(pi), 1, sin(pi)]", "[0, 0, 0]":
            result = run(f"particles: {{p: {{at: {at}, mass: 2, velocity: [1, 0, 0]}}}}\nconstraints: {{floor: {{plane: p, through: [0, 0, 0],"
                         f" normal: [0, 0, 1]}}}}\ngravity: [0, 1, -9.81]\nintegrator: {method}\ntime: {{step: 0.01, until: 1}}\n")
            c = result["certificate"]
            assert c["halved_steps"] == 0 and c["constraint_max"] < 1e-15, c
            x = {"[1": 1, "[c": -1, "[0": 0}[at[:2]]
            near(result["final"]["q"][0], x + 1, 1e-13)


FREE = """
parameters: {w: 3}
particles:
  a: {at: [[0, 0, 0], [1, 0, 0.1], [1.2, 0.9, 0], [0.3, 1.1, 0.5]], mass: [1, 2, 0.5, 1.5], pairs: [[0, 1], [1, 2], [2, 3]],
      velocity: [-w*y, w*x, 1 - x*y]}
  b: {type: chain, from: [0.3, 1.1, 0.5], to: [0, 2, 1], count: 4, mass: 0.3, velocity: [y, 0, x]}
constraints:
  elbow: {angle: [a.0, a.1, a.2]}
  pin: {equal: [a.3, b.first]}
  strut: {distance: [a.0, b.last]}
time: {step: 0.01, until: 5}
"""


def free_linkage():
    for method in "midpoint", "stormer-verlet", "symplectic-euler":
        c = run(FREE + f"integrator: {method}\n")["certificate"]
        # 500 steps of round-off; the tolerance of the solver is that of angular momentum
        assert c["linear_momentum_drift"] < 1e-13 and c["angular_momentum_drift"] < 1e-11, c
        assert c["constraint_max"] < 1e-13
        t, q = track()
        one, two, three = q[:, 0:3], q[:, 3:6], q[:, 6:9]
        u, v = one - two, three - two
        cosine = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
        assert np.ptp(cosine) < 1e-13 and abs(q[:, 9:12] - q[:, 12:15]).max() < 1e-13


def square_with_both_diagonals():
    scene = ("particles:\n  toy: {at: [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], mass: [1, 2, 3, 4],"
             " pairs: [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]], velocity: [1 + 2*z, 0, -2*x]}\n"
             "constraints: {page: {plane: toy, normal: [0, 1, 0]}}\ngravity: 9.81\ntime: {step: 0.01, until: 2}\n")
    with open("scene.yaml", "w") as file:
        file.write(scene)
    result = run(scene, warned="constraints are redundant: ")
    said = call(["info", "scene.yaml"]).stderr
    assert [f"'toy' (scene.yaml:2) number {i}" in said for i in range(1, 7)] == [True] * 6 and "page" not in said, said
    c = result["certificate"]
    assert c["constraint_max"] < 1e-12 and abs(c["energy_max"] - c["energy_min"]) < 1e-9 * 98  # a rigid body in free fall
    t, q = track()
    mean = (q[-1].reshape(4, 3) * np.array([[1], [2], [3], [4]])).sum(0) / 10
    first = (q[0].reshape(4, 3) * np.array([[1], [2], [3], [4]])).sum(0) / 10
    velocity = np.array([1 + 2 * 0.7, 0, -2 * 0.5])
    assert abs(mean - first - 2 * velocity - [0, 0, -G * 2]).max() < 1e-10


# ---- what else holds and pulls ----

def rope_hangs_still():
    rope = ("particles: {rope: {type: rope, from: [0, 0, 1], to: [2, 1, 1.5], length: 3, count: 30, mass: 0.02,"
            " fixed: [first, last]}}\ngravity: 9.81\ntime: {step: 0.01, until: 2}\n")
    run(rope)
    t, q = track()
    assert abs(q - q[0]).max() < 1e-12
    links = np.linalg.norm(np.diff(q[0].reshape(30, 3), axis=0), axis=1)
    assert abs(links - 3 / 29).max() < 1e-12 and abs(q[0, :3] - [0, 0, 1]).max() == 0 and abs(q[0, -3:] - [2, 1, 1.5]).max() == 0
    run(rope.replace("0.02,", "0.02, links: {stiffness: 1e4},"))  # springs without tension sag
    t, q = track()
    assert abs(q - q[0]).max() > 1e-6
    still = run(os.path.join(SCENES, "rope-bridge.yaml"), "--variant", "still", "--until", "2")
    near(still["observables"]["height"]["max"], still["observables"]["height"]["min"], 1e-9)


def body_on_a_rope():
    result = run("bodies:\n  jelly: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, material: jelly, at: [0.5, 0, -0.1]}\n"
                 "particles:\n  rope: {type: chain, from: [0, 0, 0.6], to: [0.6, 0.1, 0], count: 8, mass: 0.05, fixed: first}\n"
                 "constraints: {pin: {equal: [rope.last, jelly.26]}}\ngravity: 9.81\ntime: {step: 0.005, until: 0.5}\n")
    c = result["certificate"]
    t, q = track()
    assert abs(q[:, 3 * 26:3 * 27] - q[:, -3:]).max() < 1e-13, "they are one point"
    assert abs(q[-1, 3 * 26] - q[0, 3 * 26]) > 0.1, "which moves"
    assert c["constraint_max"] < 1e-13 and c["energy_band"] < 1e-3, c


def springs_between_particles():
    k, m = 50.0, 2.0
    result = run(f"particles: {{p: {{at: [[0, 0, 0], [1.1, 0, 0]], mass: {m}, pairs: [[0, 1]], links: {{stiffness: {k}, length: 1}}}}}}\n"
                 "time: {step: 1e-3, until: 1}\n")
    near(result["final"]["q"][3] - result["final"]["q"][0], 1 + 0.1 * math.cos(math.sqrt(2 * k / m)), 1e-5)
    # to a point of space, from all; a load on all is shared
    result = run("particles: {p: {at: [0, 0, 0], mass: 1, springs: {to: [0, 0, 1], stiffness: 10, length: 0.5},"
                 " loads: {force: [0, 0, 1]}}}\ntime: {step: 1e-3, until: 0.5}\n")
    near(result["final"]["q"][2], 0.6 * (1 - math.cos(0.5 * math.sqrt(10))), 1e-5)


def moved_by_hand():
    """What hands put in, through links, is what the energy gains; also where they start at once. Midpoint books it by the
    trapezoid, energy-momentum, which auto chooses, exactly."""
    for move in '["0.3*sin(3*t)^2", 0, 0]', '["0.2*sin(3*t)", 0, "0.1*sin(5*t)"]':
        error = []
        for h, integrator in ("2e-3", "midpoint"), ("1e-3", "midpoint"), ("1e-2", "auto"):
            c = run("particles:\n  c: {at: [[0, 0, 0], [0.3, 0, -0.4], [0.6, 0, -0.4]], mass: 1, pairs: [[0, 1], [1, 2]],"
                    f" handles: {{select: 0, move: {move}}}}}\ngravity: 9.81\nintegrator: {integrator}\ntime: {{step: {h}, until: 2}}\n")["certificate"]
            error.append(c["external_work"] - (c["energy_final"] - c["energy_initial"]))
            assert abs(c["external_work"]) > 0.1 and c["constraint_max"] < 1e-13
        assert abs(error[1]) < 1e-3 and abs(error[1]) < 0.3 * abs(error[0]), error  # of order 2
        assert abs(error[2]) < 1e-9, error  # to the accuracy of 200 solves


def start_that_is_nearly_right():
    scene = "particles: {a: {at: [0, 0, 0], mass: 1}, b: {at: [1, 0, 0], mass: 3}}\nconstraints:\n  flat: {plane: [a, b], normal: [0, 0, 1]}\n  rod: {distance: [a, b], length: 1.02}\n" \
            "time: {step: 0.01, until: 0.1}\n"
    result = run(scene, warned="'rod' (scene.yaml:4) was violated most, by ")
    q = result["final"]["q"]  # moved by their masses: the centre stays
    near(q[0], -0.015, 1e-12)
    near(q[3], 1.005, 1e-12)


# ---- what is recorded ----

def files_and_pages():
    run("bodies: {b: {shape: {type: box, cells: [1, 1, 1]}, material: jelly, at: [3, 0, 0]}}\n"
        "particles:\n  net: {type: net, cells: [2, 2], mass: 1, fixed: left}\n  p: {at: [[0, 0, 2], [1, 0, 2]], mass: [1, 2], springs: {from: 0, to: [0, 0, 3], stiffness: 1}}\n"
        "constraints: {c: {distance: [p.0, p.1]}}\ntime: {step: 0.01, until: 0.02}\n")
    with h5py.File("out.h5") as file:
        assert set(file["bodies"]) == {"b"} and set(file["particles"]) == {"net", "p"}
        assert file["particles/p/first"][:].ravel().tolist() == [17] and file["particles/p/mass"][:].ravel().tolist() == [1, 2]
        rods = {tuple(pair) for pair in file["rods"][:].tolist()}
        assert len(rods) == 12 - 2 + 1 and (17, 18) in rods, "none between what is fixed"
        assert file["springs"][:].tolist() == [[17, 19]]
    call(["export", "out.h5", "--to", "vtu", "-o", "vtu"], check=True)
    with open("vtu/out_0000.vtu", "rb") as file:
        text = file.read().decode("latin-1")
    assert 'NumberOfPoints="20" NumberOfCells="28"' in text, "5 tets, 11 vertices, a spring, 11 rods"
    call(["report", "out.h5", "-o", "page.html"], check=True)
    with open("page.html") as file:
        header = file.read()
    assert re.search(r'"particles":\[\{"name":"net","first":8,"count":9\},\{"name":"p","first":17,"count":2\}\]', header)
    assert '"rods":' in header and '"springs":' in header


def forces_of_constraints():
    """In newtons: the wire carries three weights at the bottom; a hanging chain at each link what hangs below, and under a hand that
    lifts with acceleration a, (g + a)/g of it."""
    bead = os.path.join(SCENES, "bead-on-wire.yaml")
    run(bead, "--step", "0.0001", "--until", "0.6", "--set", "record.every=1")
    t, force = track("force/wire")
    near(force.max(), 3 * G, 1e-5 * G)  # of order h^2
    near(force[0], 0, 1e-9)
    assert track("violation")[1].max() < 1e-14
    run("""
particles: {rope: {type: chain, from: [0, 0, 0], to: [0, 0, -4], count: 5, mass: 0.5, links: {stiffness: 1}, fixed: [0]}}
constraints:
  top: {distance: [rope.0, rope.1]}
  last: {distance: [rope.3, rope.4]}
  rest: {distance: [rope.1, rope.2]}
  more: {distance: [rope.2, rope.3]}
gravity: 9.81
time: {step: 0.01, until: 0.1}
""")
    near(track("force/top")[1][-1], 4 * 0.5 * G, 1e-9)
    near(track("force/last")[1][-1], 0.5 * G, 1e-9)
    run("""
particles:
  hand: {at: [0, 0, 0], mass: 1, handles: {select: all, move: [0, 0, "3*t^2/2"]}}
  stone: {at: [0, 0, -1], mass: 2}
constraints: {string: {distance: [hand, stone]}}
gravity: 9.81
time: {step: 0.01, until: 0.5}
""")
    t, force = track("force/string")
    near(force[-1], 2 * (G + 3), 1e-6)


def books_balance():
    """Energy goes where the certificate says: damping of a body on a rope, what the projection after it takes out included; hands that
    lift a body against its weight, also where every tet has a step of its own."""
    hung = """
particles: {rope: {type: chain, from: [0, 0, 1], to: [0, 0, 0], count: 6, mass: 0.05, fixed: first}}
bodies:
  box:
    shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}
    at: [0, 0, -0.1]
    material: {young: 2e4, poisson: 0.3, density: 1000}
    damping: {kD: 0.005, form: FORM}
    groups: {hook: {sphere: {centre: [0, 0, 0], radius: 0.01}}}
    start: {push: [1, 0, 0]}
constraints: {knot: {equal: [rope.5, hook]}}
gravity: 9.81
time: {step: 0.002, until: 1}
"""
    for form in "exact", "explicit", "minimised":
        c = run(hung.replace("FORM", form))["certificate"]
        lost = c["energy_initial"] - c["energy_final"]
        assert lost > 0.1, lost
        near(c["energy_dissipated"], lost, 0.02 * lost)  # the step's own errors are of first order with damping
    lifted = """
bodies: {b: {shape: {type: bar, size: [1, 0.3, 0.3], cells: [4, 1, 1]}, material: {young: 1e5, poisson: 0.3, density: 1000}, handles: {select: right, move: [0, 0, "0.2*sin(5*t)"]}}}
gravity: 9.81
integrator: METHOD
time: {step: 0.001, until: 0.5}
"""
    for method in "asynchronous", "stormer-verlet", "energy-momentum":
        c = run(lifted.replace("METHOD", method))["certificate"]
        changed = c["energy_final"] - c["energy_initial"]
        assert abs(changed) > 1, changed
        near(c["external_work"], changed, 1e-3 * abs(changed))


def mdd_is_for_bodies():
    run("particles: {p: {at: [0, 0, 2], mass: 1}}\ntime: {step: 0.01, until: 0.02}\n")
    done = call(["export", "out.h5", "--to", "mdd", "-o", "mdd"])
    assert done.returncode == 1 and "has no bodies" in done.stderr


harness.run([bead_on_a_wire, small_swings_of_chains, double_pendulum, drag_and_wind, where_points_stay, on_a_plane_through_zero, free_linkage,
             square_with_both_diagonals, rope_hangs_still, body_on_a_rope, springs_between_particles, moved_by_hand,
             start_that_is_nearly_right, files_and_pages, forces_of_constraints, books_balance, mdd_is_for_bodies])
