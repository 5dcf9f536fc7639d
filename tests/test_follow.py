"""Handles and obstacles that follow sampled animation: .mdd, .pc2, .obj files. Drives $LILYAN."""
import json
import os
import struct

import h5py
import harness
from command import free_of_intersections, lilyan, write
import numpy as np

T = np.arange(13) / 12
SOME = "vertices: 60" if harness.SMALL else "vertices: 150"
END = "solver: {tolerance: 1e-12}\nrecord: {every: 1}\ntime: {step: %.17g, until: %g}\n"


def tube(n=8, m=12, R=0.1, L=1.0):
    """A closed tube along z, of quads and two polygons."""
    x = [(R * np.cos(2 * np.pi * k / n), R * np.sin(2 * np.pi * k / n), L * i / m) for i in range(m + 1) for k in range(n)]
    faces = [(i * n + k, i * n + (k + 1) % n, (i + 1) * n + (k + 1) % n, (i + 1) * n + k) for i in range(m) for k in range(n)]
    return np.array(x), faces + [tuple(range(n))[::-1], tuple(m * n + k for k in range(n))]


def bend(x, angle, L=1.0):
    """The z axis becomes an arc of this angle in the x-z plane."""
    k, out = angle / L, x.copy()
    if abs(k) > 1e-9:
        out[:, 0] = (x[:, 0] - 1 / k) * np.cos(k * x[:, 2]) + 1 / k
        out[:, 2] = (1 / k - x[:, 0]) * np.sin(k * x[:, 2])
    return out


def bent(x, t, most=60):
    """By up to 60 degrees, at rest at both ends of a second."""
    return bend(x, np.radians(most) * (1 - np.cos(np.pi * min(max(t, 0), 1))) / 2)


def write_obj(name, x, faces=()):
    write("".join("v %.9g %.9g %.9g\n" % tuple(p) for p in x) + "".join("f " + " ".join(str(i + 1) for i in f) + "\n" for f in faces), name)


def write_bytes(name, data):
    with open(name, "wb") as file:
        file.write(data)


def mdd(t, X):
    return struct.pack(">ii", len(t), len(X[0])) + np.asarray(t, ">f4").tobytes() + np.asarray(X, ">f4").tobytes()


def pc2(X, first=0, step=1):
    return b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(X[0]), first, step, len(X)) + np.asarray(X, "<f4").tobytes()


def rig():
    """arm.obj, and how it bends: arm.mdd."""
    x, faces = tube()
    write_obj("arm.obj", x, faces)
    write_bytes("arm.mdd", mdd(T, [bent(x, t) for t in T]))
    return x


def run(text, step, until, *options):
    write(text + END % (step, until))
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options).stdout)["certificate"]


def read(*names):
    with h5py.File("out.h5") as file:
        return [file[name][:] for name in names]


def surface(file, name, q):
    """Where the tets carry the vertices of a body's surface."""
    s, tets = file["bodies/%s/surface" % name], file["bodies/%s/tets" % name][:].reshape(-1, 4)
    w = s["weights"][:].reshape(-1, 3)
    x = np.einsum("ik,ikd->id", np.column_stack([1 - w.sum(1), w]), q[tets[s["tet"][:].ravel()]])
    if "outside_first" in s:
        first, vertex, weight = (s[k][:].ravel() for k in ("outside_first", "outside_vertex", "outside_weight"))
        for i in range(len(x)):
            if first[i + 1] > first[i]:
                x[i] = weight[first[i]:first[i + 1]] @ q[vertex[first[i]:first[i + 1]]]
    return x


ARM = "bodies: {arm: {surface: arm.obj, vertices: 400, material: rubber, at: [0, 0, 2], rotate: [0, 0, 90], scale: 2, handles: {select: {box: [[-9, -9, 0], [9, 9, 3]]}, follow: arm.mdd}}}\n"


def test_surface_follows():
    """Tets that are driven take the surface where the animation has it, placed as the body is; what is free follows by physics, and the books close."""
    x = rig()
    c = run(ARM + "gravity: 9.81\n", 1 / 96, 1.25)
    t, E, work, v = read("t", "energy", "external_work", "v")
    with h5py.File("out.h5") as file:
        q, driven = file["q"][:].reshape(len(t), -1, 3), file["driven"][:].ravel()
        rest, tets = file["bodies/arm/rest"][:].reshape(-1, 3), file["bodies/arm/tets"][:].reshape(-1, 4)
        h = np.linalg.norm(rest[tets[:, 1]] - rest[tets[:, 0]], axis=1).mean()
        for k in (0, 48, 96, 120):
            want = 2 * bent(x, t[k])[:, [1, 0, 2]] * [-1, 1, 1] + [0, 0, 2]  # z is turned by 90 degrees
            off = np.linalg.norm(surface(file, "arm", q[k]) - want, axis=1)[x[:, 2] < 0.4]
            # what a tet of size h cannot bend, with the curvature 1 rad/2 m: h^2/8 of it
            assert off.max() < (1e-7 if k == 0 else h * h / 8 / 2), (k, off.max(), h)
    # the velocity is the rate of the position: by differences, of h^2 |x'''|/6, some 100 m/s^3
    rate = (q[50, driven] - q[46, driven]) / (t[50] - t[46])
    assert abs(rate - v[48].reshape(-1, 3)[driven]).max() < 100 * (2 / 96) ** 2 / 6
    assert abs(q[97:, driven] - q[96, driven]).max() == 0 and abs(v[97:].reshape(-1, len(q[0]), 3)[:, driven]).max() == 0
    assert abs(E - E[0] - work).max() < 1e-9 * abs(work).max() and c["min_volume_ratio"] > 0.5, c


def test_times():
    """fps, start, speed and loop: where a driven particle is, from the samples themselves; C1 between them."""
    x = np.array([[np.cos(s), s / 4, np.sin(2 * s)] for s in np.linspace(0, 2 * np.pi, 9)])
    write_bytes("dot.mdd", mdd(np.arange(9) / 2, x[:, None]))
    for options, at, loops in (("", lambda k: k / 2, False), (", fps: 10", lambda k: k / 10, False), (", start: 0.3", lambda k: 0.3 + k / 2, False),
                               (", start: 0.25, speed: 5", lambda k: 0.25 + k / 10, False), (", fps: 10, loop: true", lambda k: k / 10, True)):
        run("particles: {p: {at: [[1, 0, 0]], mass: 1, handles: {follow: {file: dot.mdd%s}}}, other: {at: [[0, 0, 9]], mass: 1}}\n" % options, 0.0125, 1.3)
        t, q, v = read("t", "q", "v")
        for k in range(9):
            i = int(round(at(k) / 0.0125))
            if i < len(t):
                assert abs(q[i, :3] - x[k]).max() < 1e-7, (options, k)
                assert loops or 0 < k < 8 or abs(v[i, :3]).max() < 1e-12
        assert loops or abs(q[t < at(0), :3] - x[0]).max(initial=0) < 1e-7
        if loops:  # nine samples, the last is not the first: a period of 0.9 s
            assert abs(q[72 + 20, :3] - q[20, :3]).max() < 1e-13 and abs(v[92, :3] - v[20, :3]).max() < 1e-11
        # C1 at least: no velocity jumps by more than the acceleration allows, some (2 pi/T)^2 of 1 m, T = 0.8 s, twice as much in z
        assert abs(np.diff(v[:, :3], axis=0)).max() < 0.0125 * 4 * 4 * 100, options


def test_formats():
    """.pc2 and .obj files say what .mdd does; a number in a name may have more digits than #."""
    x = rig()
    one = lambda: run(ARM.replace("vertices: 400", SOME), 1 / 48, 0.5) and read("q")[0]
    q = one()
    write_bytes("arm.PC2", pc2([bent(x, t) for t in T], first=3, step=2))
    write_rig = lambda follow: ARM.replace("vertices: 400", SOME).replace("arm.mdd", follow)
    run(write_rig("{file: arm.PC2, start: 0, fps: 24}"), 1 / 48, 0.5)
    assert abs(read("q")[0] - q).max() < 1e-5  # times were floats, rounded by 1e-8 s, and what is free is stiff
    run(write_rig("{file: arm.PC2, fps: 24}"), 1 / 48, 0.5)
    late = read("q")[0]
    assert abs(late[:7] - late[0]).max() < 0.2 and np.array_equal(late[6, :3], late[0, :3])  # frame 3 is at 1/8 s
    for k, t in enumerate(T):
        write_obj("walk.%02d.obj" % (k + 94), bent(x, t))
    write_obj("walk.7.obj", x)  # too few digits: none of them
    for options in ("", ", first: 94, last: 106"):
        run(write_rig("{file: walk.##.obj, fps: 12%s}" % options), 1 / 48, 0.5)
        assert abs(read("q")[0] - q).max() < 1e-4  # stiff, and positions of 1e-7
        with h5py.File("out.h5") as file:
            driven = file["driven"][:].ravel()
        assert abs((read("q")[0] - q).reshape(len(q), -1, 3)[:, driven]).max() < 1e-6


def test_round_trip():
    """What `export --to mdd` writes of a box is read again: its boundary to a float, and what is inside by the fit."""
    shape = "bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.4], cells: [3, 3, 6]}, material: jelly, handles: {select: %s, %s}}}\n"
    run(shape % ("top", "turn: [0, 40*t, 90*t^2]"), 1 / 120, 0.5)
    was = read("q")[0]
    lilyan("export", "out.h5", "--to", "mdd", "-o", "rig", "--fps", "120")
    c = run(shape % ("{box: [[-1, -1, -0.02], [1, 1, 1]]}", "follow: rig/b.mdd"), 1 / 120, 0.5)
    with h5py.File("out.h5") as file:
        q, rest, faces, driven = file["q"][:], file["bodies/b/rest"][:].reshape(-1, 3), file["bodies/b/faces"][:].ravel(), file["driven"][:].ravel()
    off = np.linalg.norm((q - was).reshape(len(q), -1, 3), axis=2)
    outside = np.isin(driven, faces)
    assert off[:, driven[outside]].max() < 1e-7 and 0 < (~outside).sum() < 40
    assert off[:, driven[~outside]].max() < 0.05 * 0.067 and c["min_volume_ratio"] > 0.3  # a twentieth of an edge


def test_with_others():
    """Turns and moves come after the samples; hair grows on what follows; a handle lets go."""
    x = rig()
    text = ARM.replace("follow: arm.mdd", "follow: arm.mdd, turn: [0, 0, 90*t], about: [0, 0, 0], move: [t, 0, 0]").replace("vertices: 400", SOME)
    c = run(text, 1 / 48, 0.75)
    plain = run(ARM.replace("vertices: 400", SOME), 1 / 48, 0.75) and read("q")[0]
    run(text, 1 / 48, 0.75)
    t, q, E, work = read("t", "q", "energy", "external_work")
    with h5py.File("out.h5") as file:
        driven = file["driven"][:].ravel()
    for k in (0, 20, 36):
        a = np.radians(90 * t[k])
        y = plain[k].reshape(-1, 3)[driven] @ np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]).T + [t[k], 0, 0]
        assert abs(q[k].reshape(-1, 3)[driven] - y).max() < 1e-13
    assert abs(E - E[0] - work).max() < 1e-9 * abs(work).max(), c
    hair = "strands: {h: {roots: {on: arm, axis: [0, 0, -1], to: 60}, count: 4, nodes: 4, length: 0.1, radius: 3e-4}}\n"
    write_obj("arm.obj", np.round(x, 5), tube()[1])  # as files have it: the first frame is that up to rounding, and no link of hair is too long
    run(ARM.replace("vertices: 400", SOME) + hair, 1 / 48, 0.75)
    assert read("energy")[0][0] < 1e-20 and "constraints" not in lilyan("run", "scene.yaml", "-o", "out.h5", "--force").stderr
    with h5py.File("out.h5") as file:
        rest, tets, q = file["bodies/arm/rest"][:].reshape(-1, 3), file["bodies/arm/tets"][:].reshape(-1, 4), file["q"][:].reshape(37, -1, 3)
    for root in range(len(rest), len(rest) + 16, 4):
        weights = [np.linalg.solve(np.vstack([rest[tet].T, np.ones(4)]), [*q[0, root], 1]) for tet in tets]
        # one of the tets carries it; its place at rest and the first sample differ by a float's rounding
        assert min(abs(w @ q[30, tet] - q[30, root]).max() for w, tet in zip(weights, tets)) < 1e-7
    c = run(ARM.replace("vertices: 400", SOME).replace("arm.mdd", "arm.mdd, until: 0.5") + "gravity: 9.81\n", 1 / 96, 0.8125)
    t, q, v, E, work = read("t", "q", "v", "energy", "external_work")
    assert abs(E - E[0] - work).max() < 1e-8 * abs(work).max() and abs(work[t > 0.52] - work[-1]).max() < 1e-12 * abs(work).max()
    assert abs(q[-1].reshape(-1, 3)[driven] - q[48].reshape(-1, 3)[driven]).max() > 0.1


def test_obstacle():
    """A tube that bends sweeps a ball away: it is where the samples have it, nothing passes, and its work is the energy that is gained or lost."""
    x = rig()
    c = run("bodies: {ball: {shape: {type: ball, radius: 0.1, cells: 2}, at: [0.32, 0, 0.8], material: rubber}}\n"
            "obstacles: {arm: {mesh: arm.obj, at: [0.1, 0, 0], follow: arm.mdd, move: [0, 0, t/10], friction: 0.2}}\n", 1 / 120, 1)
    t, E, work, P = read("t", "energy", "external_work", "linear_momentum")
    lost = read("dissipated")[0]
    with h5py.File("out.h5") as file:
        points = file["obstacle_points/arm"][:].reshape(len(t), -1, 3)
        assert file["obstacle_mesh/arm/x"][:].shape[0] == len(x)
    for k in (0, 40, 120):
        assert abs(points[k] - bent(x, t[k]) - [0.1, 0, t[k] / 10]).max() < 1e-7 + (np.pi / 12) ** 4 * 5 / 384 * 0.8 * (k == 0), k
    assert abs(E - E[0] + lost - work).max() < 1e-9 * work[-1] and work[-1] > 1 and P[-1, 0] > 1, c
    assert c["intersections"] == 0 and c["contact_pairs"] > 0
    free_of_intersections()
    assert "follows 13 frames from 0 to 1 s" in lilyan("info", "scene.yaml").stdout
    lilyan("export", "out.h5", "--to", "csv", "-o", "out.csv")
    with open("out.csv") as file:
        assert not any("points" in name for name in file.readline().split(","))
    lilyan("report", "out.h5", "-o", "out.html")
    header, block = harness.read_page("out.html")
    (o,) = header["runs"][0]["obstacles"]
    shapes = block(o["shapes"], "<f4").reshape(-1, len(x), 3)
    assert abs(shapes[0] + o["point"] - points[0]).max() < 1e-6 and abs(shapes[-1] + o["point"] - points[-1]).max() < 1e-6


def test_velocity_of_obstacle():
    """The first contact is where the gap would close at the velocity of the samples: a plate that rises at 1 m/s reaches a dot 0.5 m above it at 0.6 s."""
    plate = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.]])
    write_obj("plate.obj", plate, [(0, 1, 2, 3)])
    write_bytes("plate.mdd", mdd(T, [plate + [0, 0, max(0, t - 0.1)] for t in T]))
    c = run("particles: {dot: {at: [[0.1, 0.2, 0.5]], mass: 1}}\nobstacles: {plate: {mesh: plate.obj, follow: plate.mdd}}\ncontact: {d_hat: 0.1}\n", 1 / 96, 0.75)
    assert abs(c["first_contact"] - 0.6) < 0.01, c  # pushed from 0.5 s on, at a gap of d_hat; the corner of the motion rings by 1 % at 0.5 s


@harness.release_only
def test_bits():
    """The same bits on one thread and two; a run that is resumed has those of one that never stopped."""
    rig()
    text = ARM.replace("vertices: 400", SOME) + "obstacles: {o: {mesh: arm.obj, at: [0, 0, 4.4], follow: arm.mdd}}\ngravity: 9.81\n"
    run(text, 1 / 48, 0.75, "--threads", "1")
    one = read("q", "v", "energy", "external_work", "obstacle_points/o")
    run(text, 1 / 48, 0.75, "--threads", "2")
    assert all(np.array_equal(a, b) for a, b in zip(one, read("q", "v", "energy", "external_work", "obstacle_points/o")))
    run(text, 1 / 48, 0.375)
    lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--set", "time.until=0.75")
    assert all(np.array_equal(a, b) for a, b in zip(one, read("q", "v", "energy", "external_work", "obstacle_points/o")))
    write_bytes("arm.mdd", mdd(T, [bent(tube()[0], t, 59) for t in T]))
    assert "a mesh or an animation has changed since" in lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--set", "time.until=1", code=1).stderr


def test_bad_files():
    x = rig()
    with open("arm.mdd", "rb") as file:
        good = file.read()
    flat = [np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.]])]
    write_bytes("flat.mdd", mdd([0], flat))
    write_obj("flat.obj", flat[0], [(0, 1, 2, 3)])
    broken = np.array([bent(x, t) for t in T])
    broken[3, 7, 1] = np.nan
    write_bytes("nan.mdd", mdd(T, broken))
    broken[3, 7, 1] = 1e35
    write_bytes("far.mdd", mdd(T, broken))
    write_bytes("short.mdd", good[:-5])
    write_bytes("long.mdd", good + b"\0")
    write_bytes("empty.mdd", b"")
    write_bytes("swapped.mdd", np.frombuffer(good, ">f4").astype("<f4").tobytes())
    write_bytes("none.mdd", struct.pack(">ii", 0, 5))
    write_bytes("absurd.mdd", struct.pack(">ii", 2**31 - 1, 2**31 - 1))
    write_bytes("few.mdd", mdd(T, [bent(x, t)[:5] for t in T]))
    write_bytes("times.mdd", mdd(0 * T, [bent(x, t) for t in T]))
    write_bytes("step.pc2", pc2([x], step=0))
    write_bytes("other.pc2", good)
    write_obj("gap.1.obj", x)
    write_obj("gap.3.obj", x)
    write_obj("odd.1.obj", x)
    write_obj("odd.2.obj", x[:3])
    n = len(x)
    for follow, piece in (("no.mdd", "no.mdd: cannot be opened"), ("nan.mdd", "nan.mdd: point 7 of frame 3 has the coordinate nan"), ("far.mdd", "point 7 of frame 3 has the coordinate 1e+35"),
                          ("short.mdd", "short.mdd: should have 13 frames of %d points, but has only" % n), ("long.mdd", "long.mdd: has 1 bytes more than its 13 frames"),
                          ("empty.mdd", "empty.mdd: is empty"), ("swapped.mdd", "swapped.mdd: "), ("none.mdd", "the number of frames is 0"), ("absurd.mdd", "should have 2147483647 frames"),
                          ("few.mdd", "few.mdd: has 5 points, but the surface of 'arm' has %d vertices and its tets" % n), ("times.mdd", "the times must ascend"),
                          ("step.pc2", "the step between samples is 0 frames"), ("other.pc2", "a .pc2 file begins with POINTCACHE2"), ("gap.#.obj", "frame 2 is missing, but frame 3 is there"),
                          ("odd.#.obj", "odd.2.obj: has 3 vertices, but the first frame has %d" % n), ("none.##.obj", "none.##.obj: there is no such file"), ("a#b#.obj", "have one run of #"),
                          ("arm.obj", "an animation ends in .mdd or .pc2, or is a sequence"), ("{file: arm.mdd, first: 1}", "'first' and 'last' belong together"),
                          ("{file: odd.#.obj, first: 2, last: 1}", "'last' is 1, before 'first', 2"), ("{file: arm.mdd, fps: 0}", "fps"), ("{file: arm.mdd, speed: -1}", "speed"),
                          ("{fps: 24}", "follow has no 'file'"), ("{file: arm.mdd, start: 1/0}", "start")):
        write(ARM.replace("vertices: 400", "vertices: 60").replace("arm.mdd", follow) + END % (0.01, 0.02))
        error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
        assert "scene.yaml:1:" in error and piece in error and error.count("\n") == 1, (follow, error)
        assert not os.path.exists("no.h5")
    for text, piece in (("bodies: {b: {surface: flat.obj, thickness: 0.1, vertices: 60, material: jelly, handles: {select: all, follow: flat.mdd}}}\n", "its points lie in a plane"),
                        ("bodies: {b: {shape: box, material: jelly}}\nobstacles: {o: {sphere: {radius: 1}, follow: arm.mdd}}\n", "'follow' needs an obstacle with a 'mesh'"),
                        ("bodies: {b: {shape: box, material: jelly}}\nobstacles: {o: {mesh: arm.obj, at: [9, 0, 0], follow: few.mdd}}\n", "has 5 points, but the mesh of 'o' has %d vertices" % n),
                        ("strands: {h: {roots: [[0, 0, 0]], nodes: 4, length: 0.1, radius: 1e-3, handles: {follow: arm.mdd}}}\n", "strands cannot follow an animation"),
                        ("particles: {p: {at: [[0, 0, 0]], mass: 1, handles: {follow: arm.mdd}}}\n", "has %d points, but 'p' has 1 particles" % n)):
        write(text + END % (0.01, 0.02))
        error = lilyan("run", "scene.yaml", "-o", "no.h5", code=1).stderr
        assert "scene.yaml:" in error and piece in error, error


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
