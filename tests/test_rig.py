"""What a rig needs: handles and obstacles that turn, groups of .obj files, ties, roots of hair on bodies. Drives $LILYAN."""
import json
import math
import os

import h5py
import harness
from command import lilyan, write
import numpy as np

END = "solver: {tolerance: 1e-12}\nrecord: {every: 1}\ntime: {step: %g, until: %g}\n"


def run(text, step, until):
    write(text + END % (step, until))
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)["certificate"]


def read(*names):
    with h5py.File("out.h5") as file:
        return [file[name][:] for name in names]


def rotation(degrees):
    x, y, z = np.radians(degrees)
    X = np.array([[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]])
    Y = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    Z = np.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]])
    return Z @ Y @ X


def test_handle_turns():
    """A handle turns about a point or the mean of its vertices, then moves: positions are those of R about c, velocities their rate. The books close."""
    for about, c in (("", [0, 0, 0.15]), (", about: [0.3, 0, 0]", [0.3, 0, 0])):
        certificate = run("bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.3], cells: [2, 2, 3]}, material: jelly, handles: "
                          "{select: top, turn: [20*t, 30*sin(2*t), 400*t^2], move: [0, 0.2*t, x*t]" + about + "}}}\n", 0.002, 0.3)
        t, q, v, E, work = read("t", "q", "v", "energy", "external_work")
        x0 = q[0].reshape(-1, 3)
        top = np.isclose(x0[:, 2], 0.15)
        place = lambda s: c + (x0[top] - c) @ rotation([20 * s, 30 * math.sin(2 * s), 400 * s * s]).T + np.column_stack([0 * x0[top, 0], 0.2 * s + 0 * x0[top, 0], x0[top, 0] * s])
        for k in (0, 40, 150):
            assert abs(q[k].reshape(-1, 3)[top] - place(t[k])).max() < 1e-14, (about, k)
            rate = (place(t[k] + 1e-5) - place(t[k] - 1e-5)) / 2e-5
            assert abs(v[k].reshape(-1, 3)[top] - rate).max() < 1e-8, (about, k)  # h^2 of the difference, times the third rate
        assert abs(E - E[0] - work).max() < 1e-9 * work[-1] and work[-1] > 1, certificate


def test_turntable():
    """A plate that turns takes a cube with it by friction: at the end it moves as the plate does, v = omega x r. As it speeds up the plate does work, which is the energy of the cube and what friction takes."""
    omega = 1.5
    c = run("bodies: {cube: {shape: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0.3, 0, 0.06], damping: 0.01, material: {young: 1e6, poisson: 0.3, density: 500}}}\n"
            "obstacles: {plate: {box: {centre: [0, 0, -0.05], size: [2, 2, 0.1]}, turn: [0, 0, %g*(t + exp(-4*t)/4)], friction: 0.8}}\n" % math.degrees(omega)
            + "contact: {slip: 1e-4}\ngravity: 9.81\n", 0.005, 2)
    q, v, P = read("q", "v", "linear_momentum")
    x, u = q[-1].reshape(-1, 3), v[-1].reshape(-1, 3)
    m = 0.5  # kg
    # 0.8 g is more than omega^2 r = 0.7 m/s^2. It creeps slower than slip, 1e-4 m/s; e^-8 is left of the start
    assert abs(u[:, :2] - omega * np.column_stack([-x[:, 1], x[:, 0]])).max() < 1e-4 + omega * 0.4 * 4e-4 + 1e-3, u
    assert abs(np.linalg.norm(P[-1]) - m * omega * np.hypot(*x.mean(axis=0)[:2])) < 2e-3 * m * omega * 0.3
    change = c["energy_final"] - c["energy_initial"] + c["energy_dissipated"]
    assert abs(change - c["external_work"]) < 1e-9 * c["external_work"] and c["external_work"] > 0.05, c
    assert c["friction_loss"] > 0 and c["intersections"] == 0


def cube_with_groups(header=True):
    """A cube of 1 m whose sides are six quads, in groups by `o` and `g`."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    sides = {"left": (1, 2, 4, 3), "right": (5, 7, 8, 6), "front": (1, 5, 6, 2), "back": (3, 4, 8, 7), "floor": (1, 3, 7, 5), "lid": (2, 6, 8, 4)}
    lines = ["v %g %g %g" % x for x in corners] + ["o cube"]
    for name, face in sides.items():
        lines += ["g %s %s" % (name, "wall" if name not in ("floor", "lid") else "")] if header else []
        lines += ["f " + " ".join(map(str, face))]
    write("\n".join(lines) + "\n", "cube.obj")


def test_groups():
    """Groups of a file select the vertices that are nearest to their faces; a face may be in several, and in its object. `nearest` and `all` work beside them."""
    cube_with_groups()
    scene = "bodies: {b: {surface: cube.obj, edge: 0.3, material: rubber, groups: {a: lid, w: wall, o: cube, n: {nearest: [1, 1, 1]}, both: [floor, lid]}, fixed: floor}}\n"
    write(scene + END % (0.01, 0.02))
    lilyan("run", "scene.yaml", "-o", "out.h5")
    with h5py.File("out.h5") as file:
        x = file["bodies/b/rest"][:].reshape(-1, 3)
        moved = abs(file["q"][-1] - file["q"][0]).reshape(-1, 3).max(axis=1)
    distance = {"floor": x[:, 2], "lid": 1 - x[:, 2], "wall": np.minimum(np.minimum(x[:, 0], 1 - x[:, 0]), np.minimum(x[:, 1], 1 - x[:, 1]))}
    write(scene.replace("fixed: floor", "fixed: lid").replace("material", "start: {push: [1, 0, 0]}, material") + END % (0.01, 0.02))
    lilyan("run", "scene.yaml", "-o", "out.h5", "--force")
    with h5py.File("out.h5") as file:
        stays = abs(file["q"][-1] - file["q"][0]).reshape(-1, 3).max(axis=1) == 0
    nearest = np.minimum(distance["floor"], distance["wall"])
    assert stays[distance["lid"] < nearest - 1e-9].all() and not stays[distance["lid"] > nearest + 1e-9].any() and 5 < stays.sum() < len(x) / 2
    info = lilyan("info", "scene.yaml").stdout
    assert "of %d coordinates" % (3 * len(x)) in info and moved.max() < 1
    write(scene.replace("a: lid", "a: lit") + END % (0.01, 0.02))
    error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
    assert "there is no group 'lit' in " in error and "did you mean 'lid'?" in error, error
    write(scene.replace("a: lid", "a: nose") + END % (0.01, 0.02))
    error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
    assert all(name in error for name in ("left", "right", "front", "back", "floor", "lid", "wall", "cube")) and "scene.yaml:1:" in error, error


def test_sheet():
    """A sheet with a thickness stands on the floor with its lower side, and is as large as asked with its thickness: its layer of tets ends within 1 % of that."""
    write("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\n", "sheet.obj")
    text = "bodies: {s: {surface: sheet.obj, thickness: 0.5, edge: 0.5, size: %g, at: {floor: 1}, material: jelly}}\n"
    run(text % 3, 0.01, 0.01)
    x = read("q")[0][0].reshape(-1, 3)
    assert abs(x[:, 2].min() - 1) < 0.005 and abs(x[:, 2].max() - 1.5) < 0.005, (x.min(axis=0), x.max(axis=0))
    assert abs(np.ptp(x, axis=0)[:2] - 3).max() < 0.03, (x.min(axis=0), x.max(axis=0))
    write(text % 0.4 + END % (0.01, 0.01))
    assert "'s' cannot be 0.4 m large with a thickness of 0.5 m" in lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr


def place_in(tets, rest, q, point):
    """Where the tets carry the place that was `point` at rest: by the nearest one, whose weights of it are the least negative."""
    best = None
    for tet in tets:
        w = np.linalg.solve(np.vstack([rest[tet].T, np.ones(4)]), [*point, 1])
        if best is None or w.min() > best[0]:
            best = (w.min(), w @ q[tet])
    return best[1]


def test_tie():
    """A rope tied to the top of a block keeps its end there while the block swings and deforms; without gravity the tie changes neither energy nor momenta."""
    text = ("bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, at: [0, 0, -0.1], material: jelly%s}}\n"
            "particles: {rope: {type: chain, from: [0.3, 0, 0.3], to: [0.03, 0.04, 0.01], count: 6, mass: 0.05%s}}\n"
            "constraints: {knot: {tie: rope.last, to: b}}\n")
    c = run(text % ("", ", fixed: first") + "gravity: 9.81\n", 0.005, 0.4)
    with h5py.File("out.h5") as file:
        rest, tets, first = file["bodies/b/rest"][:].reshape(-1, 3), file["bodies/b/tets"][:].reshape(-1, 4), int(np.ravel(file["bodies/b/first"])[0])
        q, E = file["q"][-1].reshape(-1, 3), file["energy"][:]
    end = place_in(tets, rest, q[first:first + len(rest)], [0.03, 0.04, 0.01])
    assert np.linalg.norm(q[len(rest) + 5] - end) < 1e-14 and c["constraint_max"] < 1e-14, (q[len(rest) + 5], end)
    assert np.linalg.norm(end - [0.03, 0.04, 0.01]) > 0.1 and abs(E - E[0]).max() < 1e-10
    c = run(text % (", start: {spin: [3, 1, 2]}", ", velocity: [1, 0, 2]") + "contact: {}\n", 0.005, 0.3)
    P, L, E = read("linear_momentum", "angular_momentum", "energy")
    assert abs(E - E[0]).max() < 1e-10 * E[0] and c["linear_momentum_drift"] < 1e-13 and c["angular_momentum_drift"] < 1e-9, c


def test_tied_to_what_is_held():
    """A body that is tied to a pinned point stays there, and to one that a handle moves goes with it: the tie needs no free point. Between a pinned point and a pinned body it is left out."""
    text = ("bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, material: jelly%s}}\n"
            "particles: {hand: {at: [[0, 0.02, 0.1], [0.05, 0, 0.1]], mass: 1, %s}}\n"
            "constraints: {knot: {tie: hand, to: b}}\ngravity: 9.81\n")
    for how, rise in (("fixed: 0", 0), ("handles: {select: [0, 1], move: [0, 0, 0.5*t]}", 0.1)):
        c = run(text % ("", how), 0.005, 0.2)
        with h5py.File("out.h5") as file:
            rest, tets, first = file["bodies/b/rest"][:].reshape(-1, 3), file["bodies/b/tets"][:].reshape(-1, 4), int(np.ravel(file["bodies/b/first"])[0])
            q, E, work = file["q"][-1].reshape(-1, 3), file["energy"][:], file["external_work"][:] if "handles" in how else np.zeros(1)
        held = place_in(tets, rest, q[first:first + len(rest)], [0, 0.02, 0.1])
        assert np.linalg.norm(held - [0, 0.02, 0.1 + rise]) < 1e-13, (how, held)
        assert abs(E - E[0] - work).max() < 1e-9 * (1 + abs(work).max()) and c["constraint_max"] < 1e-13, (how, c)
    write(text % (", fixed: all", "fixed: all") + END % (0.005, 0.01))
    assert "every point of 'knot' is pinned already" in lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr


def test_tied_belt():
    """A belt of rigid links that is tied by all of its points goes with the body: links between tied points would bind tets more often than they can move."""
    for pins in (", fixed: left", ", start: {spin: [0, 1, 0]}"):
        c = run("bodies: {b: {shape: {type: box, size: [0.4, 0.2, 0.2], cells: [2, 1, 1]}, material: jelly%s}}\n"
                "particles: {belt: {type: chain, from: [-0.15, 0.02, 0.1], to: [0.18, 0.03, 0.1], count: 14, mass: 0.01}}\n"
                "constraints: {knot: {tie: belt, to: b}}\ngravity: 9.81\n" % pins, 0.005, 0.1)
        assert c["constraint_max"] < 1e-14 and c["halved_steps"] == 0 and c["energy_drift"] < 1e-8, c


def test_tie_with_penalty():
    """With penalty contact too, a rope that is tied to a block does not collide with it: it hangs through its corner as it does without contact, and lands on the floor with it."""
    text = ("bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, at: [0, 0, 0.102], material: jelly}}\n"
            "particles: {rope: {type: chain, from: [0.05, 0.08, 0.12], to: [0, 0.02, 0.2], count: 4, mass: 0.05}, stone: {at: [0.8, 0, 0.02], mass: 1}}\n"
            "constraints: {knot: {tie: rope.last, to: b}}\ngravity: 9.81\n%s")
    run(text % "obstacles: {floor: {plane: {point: [0, 0, -1]}}}\ncontact: {method: penalty}\n", 0.004, 0.06)
    through, = read("q")
    run(text % "", 0.004, 0.06)
    assert abs(through - read("q")[0]).max() < 1e-11  # both to the solver's tolerance
    c = run(text % "obstacles: {floor: {plane: {}}}\ncontact: {method: penalty}\n", 0.004, 0.06)
    assert c["first_contact"] < 0.06 and c["constraint_max"] < 1e-13, c
    write((text % "contact: {method: penalty, ignore: [[rope, stone]]}\n") + END % (0.004, 0.06))
    assert "penalty contact does not support 'ignore'" in lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr


def test_roots():
    """Hair on a ball: fixed, its roots do not move; with a handle they move as it does, exactly; free, they stay where the tets carry them, and energy stays."""
    text = ("bodies: {b: {shape: {type: ball, radius: 0.1, cells: 2}, material: jelly%s}}\n"
            "strands: {h: {roots: {on: b, axis: [0, 0, 1], to: 60}, count: 6, nodes: 5, length: 0.1, radius: 3e-4}}\n")
    for how in (", fixed: all", ", handles: {select: all, turn: [0, 60*t, 0], about: [0, 0, 0.2], move: [t, 0, 0]}", ", start: {spin: [0, 3, 0]}"):
        c = run(text % how, 0.005, 0.2)
        with h5py.File("out.h5") as file:
            rest, tets = file["bodies/b/rest"][:].reshape(-1, 3), file["bodies/b/tets"][:].reshape(-1, 4)
            q0, q, E, work = file["q"][0].reshape(-1, 3), file["q"][-1].reshape(-1, 3), file["energy"][:], file["external_work"][:] if "external_work" in file else 0
        n = len(rest)
        for strand in range(6):
            root = n + 5 * strand
            assert q0[root, 2] > 0.04 and 0.08 < np.linalg.norm(q0[root]) < 0.1 + 1e-12
            for k in (root, root + 1):  # both are carried by the tet that is nearest to the first
                weights = [np.linalg.solve(np.vstack([rest[t].T, np.ones(4)]), [*q0[root], 1]) for t in tets]
                tet = tets[int(np.argmax([w.min() for w in weights]))]
                carried = np.linalg.solve(np.vstack([rest[tet].T, np.ones(4)]), [*q0[k], 1]) @ q[:n][tet]
                # of several tets at an edge of the surface any may carry it; rigid motions take them all alike
                assert np.linalg.norm(q[k] - carried) < (1e-13 if "start" not in how else 2e-3), (how, strand, q[k], carried)
        assert abs(E - E[0] - work).max() < 1e-8 * max(abs(E).max(), 1e-6), how
        assert c["constraint_max"] < 1e-14
    assert c["linear_momentum_drift"] < 1e-12, c


def test_refused_ties():
    text = ("bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, material: jelly}}\n"
            "particles: {rope: {type: chain, from: [0.3, 0, 0.3], to: [%s], count: 6, mass: 0.05}}\n"
            "constraints: {knot: {tie: %s, to: %s}}\n")
    for end, point, to, piece in (("0, 0, 0.5", "rope.last", "b", "that is 0.4 m away from 'b'"), ("0, 0, 0.11", "rope.last", "c", "there is no body 'c' to tie to"),
                                  ("0, 0, 0.11", "rope.last", "rope", "which is no body of tets"), ("0, 0, 0.11", "b.0", "b", "ties a point of 'b' to 'b' itself"),
                                  ("0, 0, 0.11", "rope.end", "b", "'rope' has neither a vertex nor a group 'end'")):
        write(text % (end, point, to) + END % (0.01, 0.02))
        error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
        assert "scene.yaml:3:" in error and piece in error, error
    write("strands: {h: {roots: {on: head}}}\n" + END % (0.01, 0.02))
    assert "scene.yaml:1:27: there is no body 'head' to grow from: the scene has none" in lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
    write("bodies: {skull: {shape: box, material: jelly}}\nparticles: {hear: {at: [0, 0, 5], mass: 1}}\nstrands: {h: {roots: {on: heat}}}\n" + END % (0.01, 0.02))
    error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
    assert "scene.yaml:3:27: there is no body 'heat' to grow from" in error and "skull" in error and "hear'" not in error, error


def test_refused():
    for text, piece in (("handles: {select: top}", "a handle needs 'move', 'turn' or 'follow'"),
                        ("handles: {select: top, move: [0, 0, 0], about: [0, 0, 0]}", "'about' is the centre of a 'turn'"),
                        ("handles: {select: top, turn: 5}", "'turn' is a list of three expressions"),
                        ("handles: {select: top, turn: [0, 0, x]}", "unknown name 'x'")):
        write("bodies: {b: {shape: box, material: jelly, %s}}\n" % text + END % (0.01, 0.02))
        error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
        assert "scene.yaml:1:" in error and piece in error, error


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
