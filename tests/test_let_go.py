"""Pins that let go: fixed vertices and handles with `until`. Energy and momenta stay, the books close, a resumed run has the same bits. Drives $LILYAN."""
import json

import h5py
import harness
from command import lilyan, write
import numpy as np

BLOCK = "bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.3], cells: [2, 2, 3]}, at: [0, 0, 1], material: jelly, %s}}\n"
TOP = "{plane: {point: [0, 0, 1.15], normal: [0, 0, 1]}}"
END = "gravity: 9.81\nsolver: {tolerance: 1e-12}\nrecord: {every: 1}\ntime: {step: 1/250, until: %g}\n"
STEP, G = 1 / 250, 9.81


def run(text, until, *options):
    write(text + END % until)
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options).stdout)["certificate"]


def read(*names):
    with h5py.File("out.h5") as file:
        return [file[name][:] for name in names]


def falls_from(t, P, released, mass):
    """Up to `released` something holds it; from there on each step changes P by m g h: no impulse of the pin, nothing lost. P is a sum of 36 vertices."""
    k = int(np.argmin(abs(t - released)))
    assert abs(t[k] - released) < 1e-12
    dP = np.diff(P, axis=0)
    fall = -mass * G * STEP
    assert abs(dP[k:, 2] - fall).max() < 1e-12 * mass * G, (dP[k:, 2], fall)
    assert abs(dP[:k, 2] - fall).min() > 1e-6 * mass * G, dP[:k, 2]
    return k


def test_fixed():
    """A block hangs by its top until 0.1 s: that is the end of a step. 0.0985 s is not, so that the pin holds up to the end of that step, 0.1 s too."""
    mass = 0.2 * 0.2 * 0.3 * 1030
    for until in ("0.1", "0.0985"):
        c = run(BLOCK % ("fixed: {select: " + TOP + ", until: " + until + "}"), 0.2)
        t, q, P, E = read("t", "q", "linear_momentum", "energy")
        k = falls_from(t, P, 0.1, mass)
        top = np.isclose(q[0].reshape(-1, 3)[:, 2], 1.15)
        moved = abs(q.reshape(len(t), -1, 3)[:, top] - q[0].reshape(-1, 3)[top]).max(axis=(1, 2))
        assert moved[:k + 1].max() == 0 and moved[k + 1] > 1e-5, moved
        assert abs(E - E[0]).max() < 1e-11 * mass * G * 0.1, E  # of the weight's work; the solver's tolerance is 1e-12 a step
        assert abs(c["external_work"] or 0) < 1e-14


def test_both():
    """Two pins that let go one after the other, and one that stays: of a vertex with several pins what stays wins."""
    c = run(BLOCK % ("groups: {top: " + TOP + "}, fixed: [{nearest: [0.1, 0.1, 1.15]}, {select: top, until: 0.1}, {select: bottom, until: 0.04}]"), 0.3)
    t, q, E = read("t", "q", "energy")
    x = q.reshape(len(t), -1, 3)
    stays = np.isclose(x[0], [0.1, 0.1, 1.15]).all(axis=1)
    below = np.isclose(x[0, :, 2], 0.85)
    assert stays.sum() == 1 and abs(x[:, stays] - x[0, stays]).max() == 0
    moved = abs(x[:, below] - x[0, below]).max(axis=(1, 2))
    assert moved[10] == 0 and moved[11] > 0, moved
    assert abs(E - E[0]).max() < 1e-10 and c["halved_steps"] == 0


def test_handle():
    """A hand swings a block and lets go: what it moved goes on with the velocity that it had. Its kinetic energy counts from then on, as work of the hand."""
    run(BLOCK % ("handles: {select: " + TOP + ', move: ["2*t", "0.1*sin(5*t)", 0], until: 0.1}'), 0.3)
    t, q, v, P, E, work = read("t", "q", "v", "linear_momentum", "energy", "external_work")
    falls_from(t, P, 0.1, 0.2 * 0.2 * 0.3 * 1030)
    assert abs(np.diff(P, axis=0)[25:, :2]).max() < 1e-12
    top = np.isclose(q[0].reshape(-1, 3)[:, 2], 1.15)
    held = v[25].reshape(-1, 3)[top]
    assert abs(held - [2, 0.5 * np.cos(0.5), 0]).max() < 1e-12, held
    assert abs(E - E[0] - work).max() < 1e-10 * work[-1], E - E[0] - work
    assert abs(np.diff(work)[25]) > 0.01 and abs(np.diff(work)[26:]).max() == 0, np.diff(work)


def test_rope():
    """A rope between two pins, and one that is pinned as a whole and has no link to hold at first: links keep their length, energy stays, also on the floor."""
    c = run("particles:\n"
            "  rope: {type: rope, from: [0, 0, 0.4], to: [1, 0, 0.4], length: 1.2, count: 9, mass: 0.05, fixed: [{select: first, until: 0.1}, {select: last, until: 0.2}]}\n"
            "  all: {type: chain, from: [0, 1, 0.4], to: [1, 1, 0.5], count: 5, mass: 0.05, fixed: {select: all, until: 0.12}}\n"
            "obstacles: {floor: {plane: {}}}\n", 0.4)
    t, q, E, P = read("t", "q", "energy", "linear_momentum")
    links = np.linalg.norm(np.diff(q.reshape(len(t), -1, 3), axis=1), axis=2)
    links = np.delete(links, 8, axis=1)
    assert abs(links - links[0]).max() < 1e-13, abs(links - links[0]).max()
    assert abs(E - E[0]).max() < 1e-10 * E[0] and c["first_contact"] < 0.4 and c["intersections"] == 0, c
    assert abs(np.diff(P[50:60, 2]) + 14 * 0.05 * G * STEP).max() < 1e-12  # all 14 fall


def test_methods():
    """Every family of steps goes on over it: momenta of explicit, implicit, composed and asynchronous steps change by the weight alone. Strands lose their roots."""
    for method in ("midpoint", "stormer-verlet", "implicit-euler", "gauss", "asynchronous", "rk4", "{method: composition, base: midpoint, order: 4}"):
        run(BLOCK % ("fixed: {select: top, until: 0.012}"), 0.02, "--step", "1/1000", "--set", "integrator=" + method)
        t, P = read("t", "linear_momentum")
        assert abs(np.diff(P[12:, 2]) + 0.012 * 1030 * G / 1000).max() < 1e-12, (method, np.diff(P[:, 2]))
    run("strands: {hair: {roots: {type: cap}, count: 8, nodes: 6, handles: {select: roots, move: [0, 0, t], until: 0.1}}}\n", 0.2)
    t, P = read("t", "linear_momentum")
    assert abs(np.diff(P[26:, 2])).min() > 0 and abs(np.diff(np.diff(P[25:, 2]))).max() < 1e-12 * abs(P).max(), np.diff(P[:, 2])


def test_waits():
    """A block that is held as a whole waits, or follows its hand, and is thrown: every method then falls freely from the velocity of the hand. Before, the hand does the work of the weight. Resumed while it waits it has the same bits."""
    mass = 0.2 * 0.2 * 0.3 * 1030
    for method in ("auto", "midpoint", "stormer-verlet", "implicit-euler", "explicit-euler", "gauss", "asynchronous", "rk4", "newmark", "{method: composition, base: midpoint, order: 4}"):
        run(BLOCK % 'handles: {select: all, move: [0, "2*t", "3*t"], until: 0.01}' + "observe: {hand: 'reaction(b)[3]'}\n", 0.02, "--step", "1/1000", "--set", "integrator=" + method)
        t, q, P, E, work, hand = read("t", "q", "linear_momentum", "energy", "external_work", "observe/hand")
        assert abs(hand[:11] - mass * G).max() < 1e-11 and abs(hand[11:]).max() < 1e-11, (method, hand)
        assert abs(P[10] - mass * np.array([0, 2, 3])).max() < 1e-12 * mass and abs(np.diff(P[10:, 2]) + mass * G / 1000).max() < 1e-12, (method, P)
        x = q.reshape(len(t), -1, 3)
        assert abs(x[:11] - x[0] - np.outer(t[:11], [0, 2, 3])[:, None]).max() < 1e-15, method
        assert abs(E[:11] - E[0] - work[:11]).max() < 1e-13 * E[0] and abs(work[9] - mass * G * 3 * t[9]) < 1e-12, (method, work)
        assert abs(np.diff(work)[11:]).max() == 0 and abs(work[11] - mass * (G * 0.03 + 6.5)) < 1e-12, (method, work)
    run(BLOCK % "fixed: {select: all, until: 0.1}", 0.2, "--set", "time.adaptive.control=reversible")
    t, P = read("t", "linear_momentum")
    assert abs(t[:26] - STEP * np.arange(26)).max() < 1e-15 and abs(P[25:, 2] + mass * G * (t[25:] - t[25])).max() < 1e-12
    text = BLOCK % "fixed: {select: all, until: 0.1}, start: {rest: true}" + "obstacles: {floor: {plane: {point: [0, 0, 0.84]}}}\nobserve: {z: 'b[3]'}\n"
    whole = run(text, 0.2)
    expected = read("q", "energy", "observe/z")
    lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--until", "0.04")
    assert json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--json").stdout)["certificate"] == whole
    assert all((a == b).all() for a, b in zip(expected, read("q", "energy", "observe/z"))) and whole["first_contact"] < 0.2
    assert "free         0 of 108 coordinates" in lilyan("info", "scene.yaml").stdout
    lilyan("report", "out.h5", "-o", "out.html", "--force")
    write(BLOCK % "fixed: [{select: all, until: 0.1}, all]" + END % 0.2)
    assert "every vertex is pinned, so nothing can move" in lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr


def test_no_members():
    """A link whose ends are both pinned binds nothing until they let go: with every treatment of constraints both then fall, and it keeps its length. A penalty spring stays as long as it is too: nothing stretches it."""
    for options in ("integrator: midpoint", "integrator: rk4\nsolver: {tolerance: 1e-12, constraints: differential}", "solver: {tolerance: 1e-12, constraints: penalty, stiffness: 1e4}",
                    "integrator: stormer-verlet\nsolver: {tolerance: 1e-12, constraints: penalty, stiffness: 1e4}"):
        end = END.replace("solver: {tolerance: 1e-12}\n", "") if "solver" in options else END
        write("particles:\n  other: {at: [0, 5, 0], mass: 1}\n  p: {at: [[0, 0, 0], [1, 0, 0]], mass: 0.1, fixed: {select: all, until: 0.02}}\n"
              "constraints: {d: {distance: [p.0, p.1]}}\n" + options + "\n" + end % 0.04)
        lilyan("run", "scene.yaml", "-o", "out.h5", "--force")
        t, q, P = read("t", "q", "linear_momentum")
        assert abs(q[:, 6] - q[:, 3] - 1).max() < 1e-14 and abs(q[:6, 3:] - q[0, 3:]).max() == 0, options
        assert abs(np.diff(P[5:, 2]) + 1.2 * G * STEP).max() < 1e-13, (options, P[:, 2])


PAIR = ("particles:\n  a: {at: [0, 0, 0], mass: 1, handles: {move: %s, until: 0.02}}\n  b: {at: [1, 0, 0], mass: 1, %s: {%s until: 0.02}}\n  c: {at: [2, 0, 0], mass: 1}\n"
        "constraints: {d: {%s}}\n")


def test_violated():
    """What a handle leaves off its constraint stays there, and the run ends with the sentence: nothing is pulled back in one step. Nothing is said before that."""
    for move, constraint, off in (("[0, 0, 10*t]", "distance: [a, b]", "0.02"), ("[0, 5*t, 0]", "plane: a, normal: [0, 1, 0], through: [0, 0, 0]", "0.1"), ("[0, 0, t]", "equal: [a, b]", "1")):
        write(PAIR % (move, "fixed", "select: all,", constraint) + END % 0.04)
        error = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", code=1).stderr
        assert "at t = 0.02 pins let go (until 0.02), and 'd' (scene.yaml:5), which holds from then on, is violated by " + off in error and "warning" not in error, error
        assert len(read("t")[0]) == 6


def test_pulled_tight():
    """Two hands let go of a link, one of them on its way to the other with 1 m/s: the impulse of the link leaves both with 0.5 m/s and half of the energy. With every method, and the books know it."""
    for method in ("midpoint", "energy-momentum", "stormer-verlet"):
        c = run(PAIR % ('["t-0.02", 0, 0]', "fixed", "select: all,", "distance: [a, b]") + "integrator: %s\n" % method, 0.04, "--set", "gravity=0")
        t, v, E, work, lost = read("t", "v", "energy", "external_work", "dissipated")
        assert abs(v[5] - [1, 0, 0, 0, 0, 0, 0, 0, 0]).max() < 1e-15 and abs(v[6:] - [0.5, 0, 0, 0.5, 0, 0, 0, 0, 0]).max() < 1e-12, (method, v)
        assert abs(E[6:] - 0.25).max() < 1e-12 and abs(work[6:] - 0.5).max() < 1e-12 and abs(lost[6:] - 0.25).max() < 1e-12, (method, E, work, lost)


def test_warned_once():
    """A block that a hand pushes deep into a soft floor is reported once, not again when the hand lets go."""
    write("bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, at: [0, 0, 0.101], material: jelly, handles: {select: all, move: [0, 0, -t], until: 0.04}}, c: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, at: [1, 0, 0.12], material: jelly}}\n"
          "obstacles: {floor: {plane: {}}}\ncontact: {method: penalty, stiffness: 1e5}\n" + END % 0.06)
    error = lilyan("run", "scene.yaml", "-o", "out.h5", "--force").stderr
    assert error.count("penetrates") == 1 == error.count("\n"), error


def test_roots_of_a_body():
    """Hair grows on a block that a pin or a hand holds until 0.02 s: before and after, its roots stay where the block carries them."""
    text = ("bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, material: jelly, loads: {select: all, force: [8, 0, 3]}, %s}, other: {shape: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0, 1, 0], material: jelly}}\n"
            "strands: {h: {roots: {on: b, axis: [0, 0, 1], to: 30}, count: 2, nodes: 4, length: 0.1}}\n")
    for how in ("fixed: {select: all, until: 0.02}", "handles: {select: all, move: [3*t, 0, 0], turn: [0, 0, 90*t], until: 0.02}"):
        run(text % how, 0.1)
        with h5py.File("out.h5") as file:
            tets, first, q = file["bodies/b/tets"][:].reshape(-1, 4), int(np.ravel(file["particles/h/first"])[0]), file["q"][:]
            assert sorted(map(tuple, file["rods"][:].tolist())) == [(first + i, first + i + 1) for i in (0, 1, 2, 4, 5, 6)]  # all links, once
            assert file["let_go/vertices"][:].ravel().tolist() == list(range(8)) and (file["let_go/until"][:] == 0.02).all()
            assert "still" not in file and ("driven" in file) == ("handles" in how) and ("driven" not in file or file["driven"][:].ravel().tolist() == list(range(8)))
        x = q.reshape(len(q), -1, 3)
        for root in (first, first + 1, first + 4, first + 5):
            weights = [np.linalg.solve(np.vstack([x[0][tet].T, np.ones(4)]), [*x[0, root], 1]) for tet in tets]
            apart = [max(abs(w @ x[k][tet] - x[k, root]).max() for k in range(len(x))) for w, tet in zip(weights, tets)]
            assert min(apart) < 1e-13, (how, apart)  # one of the tets carries it
        lilyan("report", "out.h5", "-o", "out.html", "--force")
        with open("out.html") as page:
            assert '"letGo":' in page.read()
        assert abs(x[-1, :8] - x[5, :8]).max() > 0.01 and abs(x[:, root] - x[0, root]).max() > 0.01


def test_resume():
    """A run that ends before, at or after a pin lets go, and goes on, has the same bits as one that does not end; damping, contact and a second pin beside it."""
    text = (BLOCK % ("damping: 0.01, fixed: [{select: top, until: 0.1}, {select: bottom, until: 0.06}]")
            + "obstacles: {floor: {plane: {point: [0, 0, 0.84]}}}\nobserve: {z: 'b[3]'}\n")
    whole = run(text, 0.2)
    expected = read("q", "p", "energy", "observe/z")
    for ends in ("0.04", "0.06", "0.1", "0.16"):
        write(text + END % 0.2)
        lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--until", ends)
        again = json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--json").stdout)["certificate"]
        assert all((a == b).all() for a, b in zip(expected, read("q", "p", "energy", "observe/z"))), ends
        assert again == whole, (ends, again, whole)


def test_refused():
    for text, place, piece in (
            ("fixed: {select: top, until: 0}", "1:135", "'until' must be after the start, 0 s, not 0 s"),
            ("fixed: {select: top, until: soon}", "1:135", "unknown name 'soon'"),
            ("fixed: {select: tip, until: 1}", "1:123", "there is no group 'tip'"),
            ("fixed: {select: top}", "1:114", "a pin that lets go has no 'until'"),
            ("handles: {select: top, move: [0, 0, 0], until: -1}", "1:154", "'until' must be after the start, 0 s, not -1 s")):
        write(BLOCK % text + END % 1)
        error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
        assert f"scene.yaml:{place}: " in error and piece in error and error.count("\n") == 1, error
    write(BLOCK % "fixed: {select: top, until: 0.5}" + "keys: [{at: 0, pose: rest}, {at: 1, pose: rest}]\nshot: {frames: 8}\n")
    assert "a shot does not support 'until'" in lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
