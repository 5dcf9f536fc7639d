"""Keys of bodies: what a scene says about poses is where the frames are. Drives $LILYAN."""
import itertools
import json
import math
import os
import sys

import harness
from command import call
import surfaces

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BAR = """gravity: 9.81
bodies:
  bar:
    shape: {type: bar, size: [2, 1, 1], cells: [2, 1, 1]}
    at: [0.5, 0, 3]
    material: {model: neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}
    groups: {tip: {plane: {point: [1.5, 0, 0], normal: [1, 0, 0]}}, corner: {vertices: [0]}}
"""
C = np.array([0.5, 0, 3])  # the centre of mass


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=120)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def shot(*keys, scene=BAR, shot="frames: 16", out="out.h5"):
    """What --json says, the frames (frame, vertex, axis) and their times."""
    with open("scene.yaml", "w") as file:
        file.write(scene + "keys:\n" + "".join(f"  - {key}\n" for key in keys) + "shot: {" + shot + "}\n")
    told = json.loads(lilyan("run", "scene.yaml", "-o", out, "--force", "--json").stdout)
    with h5py.File(out) as f:
        q, t = f["q"][:], f["t"][:]
        force = f["ghost_force"][:]
    return told, q.reshape(len(t), -1, 3), t, force.reshape(len(t), -1, 3)


def rest_of(f):
    return f["bodies/bar/rest"][:]


def rest():
    with h5py.File("out.h5") as f:
        return rest_of(f)


def about(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def test_poses():
    told, q, t, _ = shot("{at: 0, pose: rest, velocity: 0}", "{at: 0.25, pose: {rotate: [0, 0, 40], translate: [1, 2, 3]}}",
                         "{at: 0.5, pose: {position: [x + 0.1*(z - 3), y, z], translate: [1, 2, 3]}}",
                         "{at: 1, pose: {scale: [1.1, 1, 0.9], rotate: [30, 0, 50]}, velocity: [0, 0, 1]}")
    X = rest()
    assert np.array_equal(q[0], X)
    assert abs(q[4] - ((X - C) @ about("z", 40).T + C + [1, 2, 3])).max() < 1e-12
    assert abs(q[8] - (X + 0.1 * (X[:, 2:] - 3) * [1, 0, 0] + [1, 2, 3])).max() < 1e-12
    turned = about("z", 50) @ about("x", 30)  # about x first
    assert abs(q[16] - ((X - C) * [1.1, 1, 0.9] @ turned.T + C)).max() < 1e-12
    assert told["keys"]["key_error_max"] == 0 and told["keys"]["converged"]
    with h5py.File("out.h5") as f:
        assert np.array_equal(f["v"][-1].reshape(-1, 3), np.tile([0, 0, 1.0], (12, 1))) and not f["v"][0].any()


def test_two_bodies():
    scene = BAR + "  box: {shape: box, at: [5, 0, 0], material: jelly}\n"
    told, q, t, force = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, pose: {bar: {translate: [0, 0, 1]}}, points: {box: [6, 0, 0]}}", scene=scene)
    assert abs(q[-1, :12] - (rest() + [0, 0, 1])).max() < 1e-12 and abs(q[-1, 12:].mean(0) - [6, 0, 0]).max() < 1e-12
    # both have a group 'left'
    told, q, t, force = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, points: {bar.left: [-0.5, 0, 2], box.left: [4.5, 0, 1]}}", scene=scene, shot="frames: 8, physicality: 0")
    box = q[0, 12:, 0] < 4.51
    assert abs(q[-1, :12][rest()[:, 0] < -0.49].mean(0) - [-0.5, 0, 2]).max() < 1e-12 and abs(q[-1, 12:][box].mean(0) - [4.5, 0, 1]).max() < 1e-12


def test_uncoupled():
    """Only the bar is pulled; the box falls by itself, and no ghost touches it."""
    scene = BAR + "  box: {shape: {type: box, cells: [1, 1, 1]}, at: [5, 0, 0], material: jelly}\n"
    told, q, t, force = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, points: {corner: [-0.4, -0.5, 2.6]}}", scene=scene)
    assert abs(force[:, 12:]).max() < 1e-9 * abs(force[:, :12]).max()
    # the midpoint rule falls exactly
    assert abs(q[:, 12:, 2].mean(1) + 9.81 / 2 * t**2).max() < 1e-9
    # more than a turn, while it is stretched and swings: as in a run, and the bar's shot is what it is without the box
    spun = scene.replace("material: jelly}", "material: jelly, start: {spin: [1, 2, 9], stretch: 1.2}}")
    with open("free.yaml", "w") as file:
        file.write(spun + "integrator: midpoint\nsolver: {tolerance: 1e-14}\ntime: {step: 1/64, until: 1}\n")
    lilyan("run", "free.yaml", "-o", "free.h5", "--force")
    told, q, t, force = shot("{at: 0, frame: {file: free.h5, t: 0}, velocity: frame}", "{at: 1, pose: {bar: {translate: [1, 0, 0]}}}", scene=spun, shot="frames: 64")
    with h5py.File("free.h5") as f:
        free = f["q"][:].reshape(q.shape)
    assert abs(free[16, 12:] - free[0, 12:]).max() > 0.5
    assert abs(force[:, 12:]).max() < 1e-9 * abs(force[:, :12]).max(), abs(force[:, 12:]).max()
    assert abs(q - free)[:, 12:].max() < 1e-8, abs(q - free)[:, 12:].max()
    bar = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, pose: {translate: [1, 0, 0]}}", shot="frames: 64")[0]["keys"]
    assert told["keys"]["converged"] and abs(told["keys"]["cost"] / bar["cost"] - 1) < 1e-9 and told["keys"]["iterations"] <= bar["iterations"] + 2


@harness.release_only
def test_uncoupled_stiff():
    """As stiff as round-off of steps allows: what nobody leads still flies, so that the shot needs no more iterations than the bar's."""
    scene = BAR + "  box: {shape: {type: box, cells: [1, 1, 1]}, at: [50, 0, 1.5], material: {model: neo-hookean, mu: 2e9, kappa: 2e9, density: 1000}, start: {spin: [0.1, 0.2, 0.5]}}\n"
    with open("free.yaml", "w") as file:
        file.write(scene + "integrator: midpoint\ntime: {step: 1/32, until: 1/32}\n")
    lilyan("run", "free.yaml", "-o", "free.h5", "--force")
    told = shot("{at: 0, frame: {file: free.h5, t: 0}, velocity: frame}", "{at: 1, pose: {bar: {translate: [1, 0, 0]}}}", scene=scene, shot="frames: 32")[0]
    assert told["keys"]["converged"] and told["keys"]["iterations"] <= 6, told["keys"]


@harness.release_only
def test_twisted():
    """Forces halfway between frames do not see tets that are inverted at frames: the solution has none, with few frames and with more."""
    bar = "bodies: {bar: {shape: {type: bar, size: [2, 1, 1], cells: [4, 1, 1]}, material: {model: neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}, " \
          "groups: {tip: {plane: {point: [1, 0, 0], normal: [1, 0, 0]}}, tail: {plane: {point: [-1, 0, 0], normal: [-1, 0, 0]}}}}}\n"
    turned = "{at: %g, points: {tail: [-1, 0, 0], tip: {at: [1, 0, 0], rotate: [%g, 0, 0]}}}"
    for frames in (4, 8):
        told = shot("{at: 0, pose: rest, velocity: 0}", turned % (0.5, 100), turned % (1, -100), scene=bar, shot=f"frames: {frames}")[0]
        assert told["keys"]["converged"] and told["certificate"]["min_volume_ratio"] > 0, (frames, told["keys"])


def test_points():
    keys = ["{at: 0, pose: rest, velocity: 0}", "{at: 1, points: {tip: {at: [3, 0, 3], rotate: [0, 0, 90]}}}"]
    told, q, t, force = shot(*keys)
    X = rest()
    tip = X[:, 0] > 1.4
    assert tip.sum() == 4
    turned = (X[tip] - X[tip].mean(0)) @ about("z", 90).T + [3, 0, 3]
    assert abs(q[-1, tip] - turned).max() < 1e-12 and told["keys"]["converged"]
    # at the end, where the others are free, nothing acts on them: there is no velocity to be reached
    assert told["keys"]["cost"] > 0
    # a full key that contains the partial one costs no less
    whole, q_whole, _, _ = shot(keys[0], "{at: 1, pose: {rotate: [0, 0, 90], translate: [2.5, -1, 0]}}")
    assert abs(q_whole[-1, tip] - turned).max() < 1e-12
    assert told["keys"]["cost"] < whole["keys"]["cost"]
    # one coordinate alone
    told, q, t, _ = shot(keys[0], "{at: 1, points: {corner: [free, free, 4]}}")
    assert q[-1, 0, 2] == 4 and abs(q[-1, 0, 0] - 4) > 1e-3
    # the others are where they cost least: held there it is the same shot, and held elsewhere it costs more
    for shift in (0, 0), (0.1, 0), (0, -0.1):
        x, y = q[-1, 0, :2] + shift
        again, q_again, _, _ = shot(keys[0], f"{{at: 1, points: {{corner: [{x:.17g}, {y:.17g}, 4]}}}}")
        if any(shift):
            assert again["keys"]["cost"] > 1.0001 * told["keys"]["cost"], (again["keys"], told["keys"])
        else:
            assert abs(again["keys"]["cost"] / told["keys"]["cost"] - 1) < 1e-9 and abs(q_again - q).max() < 1e-6, abs(q_again - q).max()


def test_handles():
    """A key that says the same as a handle is as good as one that says nothing."""
    scene = BAR + "    handles: {select: corner, move: [0.2*t, 0, 0]}\n"
    keys = ["{at: 0, pose: rest, velocity: 0}", "{at: 1, points: {tip: [1.6, 0, 3.2]%s}}"]
    told, q, _, _ = shot(keys[0], keys[1] % "", scene=scene)
    _, q_said, _, _ = shot(keys[0], keys[1] % ", corner: [-0.3, -0.5, 2.5]", scene=scene)
    assert abs(q[-1, 0] - [-0.3, -0.5, 2.5]).max() < 1e-12 and told["keys"]["converged"]
    assert abs(q - q_said).max() < 1e-12


def test_file():
    """An OBJ of the body's own vertices, in its own coordinates: placed as the body is."""
    shot("{at: 0, pose: rest}", "{at: 1, pose: rest}")
    X = rest()
    bent = X - C + np.array([0, 0, 0.2]) * ((X[:, :1] - C[0]) ** 2)
    with open("bent.obj", "w") as file:
        file.write("".join("v %.17g %.17g %.17g\n" % tuple(x) for x in bent) + "f 1 2 3\n")
    told, q, t, _ = shot("{at: 0, pose: rest}", "{at: 0.5, file: bent.obj}", "{at: 1, pose: {file: bent.obj, rotate: [0, 0, 90]}}")
    assert abs(q[8] - (bent + C)).max() < 1e-12
    assert abs(q[16] - (bent @ about("z", 90).T + C)).max() < 1e-12


def exported(name, fps):
    """The surface's vertices of each frame, as Blender gets them."""
    lilyan("export", "out.h5", "--to", "mdd", "--fps", str(fps), "-o", "out", "--force")
    with open(f"out/{name}.mdd", "rb") as file:
        frames, points = np.frombuffer(file.read(8), ">i4")
        file.read(4 * frames)
        return np.frombuffer(file.read(), ">f4").reshape(frames, points, 3)


def test_surface():
    """A surface that is turned turns its tets; one that is bent is met: by tets where they can, else by how they carry it."""
    surface = []
    n = 12
    for j in range(n):
        for i in range(n):
            u, v = 2 * math.pi * i / n, 2 * math.pi * j / n
            r = 1 + 0.4 * math.cos(v)
            surface.append((r * math.cos(u), r * math.sin(u), 0.4 * math.sin(v)))
    surface = np.array(surface)

    def write(name, points):
        with open(name, "w") as file:
            file.write("".join("v %.17g %.17g %.17g\n" % tuple(x) for x in points))
            for j in range(n):
                for i in range(n):
                    a, b = 1 + j * n + i, 1 + j * n + (i + 1) % n
                    c, d = 1 + (j + 1) % n * n + (i + 1) % n, 1 + (j + 1) % n * n + i
                    file.write(f"f {a} {b} {c} {d}\n")
    R = about("x", 70) @ about("z", 30)
    write("ring.obj", surface)
    write("turned.obj", surface @ R.T + [0, 1, 0])
    bend = surface + 0.2 * surface[:, :1] ** 2 * [0, 0, 1]
    write("bent.obj", bend)
    scene = "bodies: {ring: {surface: ring.obj, vertices: 150, at: [0, 0, 2], scale: 0.5, material: {model: neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}}}\n"
    told, q, t, force = shot("{at: 0, pose: rest}", "{at: 0.5, file: turned.obj}", "{at: 1, file: bent.obj}", scene=scene, shot="frames: 8, physicality: 0")
    with h5py.File("out.h5") as f:
        X = f["bodies/ring/rest"][:]
    assert abs(q[4] - ((X - [0, 0, 2]) @ R.T + [0, 0.5, 2])).max() < 1e-6, abs(q[4] - ((X - [0, 0, 2]) @ R.T + [0, 0.5, 2])).max()
    # the middle of the surface's bend, at x = 0 and at x = +-0.7, to a few percent of the size
    bent = X + 0.4 * X[:, :1] ** 2 * [0, 0, 1]
    assert abs(q[8] - bent).max() < 0.05, abs(q[8] - bent).max()
    assert 1e-4 < told["keys"]["pose_error_max"] < 0.05
    shown = exported("ring", 8)
    placed = [0.5 * x + [0, 0, 2] for x in (surface, surface @ R.T + [0, 1, 0], bend)]
    for k in range(3):
        assert abs(shown[4 * k] - placed[k]).max() < 1e-6, (k, abs(shown[4 * k] - placed[k]).max())  # what floats have
    with h5py.File("out.h5") as f:
        at = f["bodies/ring/surface/key_weights"][...].reshape(3, -1, 3)
        assert f["bodies/ring/surface/key_times"][:, 0].tolist() == [0, 0.5, 1] and np.array_equal(at[0], f["bodies/ring/surface/weights"])
        tets = f["bodies/ring/tets"][...][f["bodies/ring/surface/tet"][:, 0]]
    corners, halfway = q[6][tets], at[1:].mean(axis=0)[:, :, None]
    assert abs(shown[6] - (corners[:, 0] + (halfway * (corners[:, 1:] - corners[:, :1])).sum(axis=1))).max() < 1e-6
    # on a page that has the surface alone, forces on it are those of its tets as it rides on them at rest
    lilyan("report", "out.h5")
    header, block = harness.read_page("out.html")
    arrows = header["runs"][0]["arrows"]
    with h5py.File("out.h5") as f:
        on_surface = np.array([surfaces.carried(f["bodies/ring"], one) for one in force])
    drawn = arrows["most"] * (block(arrows["block"], "<u2").reshape(on_surface.shape) / 32767. - 1)
    assert abs(drawn - on_surface).max() < arrows["most"] / 32767, abs(drawn - on_surface).max() / arrows["most"]
    # a frame of this run is a key that carries the surface as it did
    os.rename("out.h5", "before.h5")
    shot("{at: 0, pose: rest}", "{at: 1, frame: {file: before.h5, t: 1}}", scene=scene, shot="frames: 8, physicality: 0")
    assert abs(exported("ring", 8)[8] - placed[2]).max() < 1e-6
    # a page that has the tets has the weights of all keys
    shot("{at: 0, pose: rest}", "{at: 1, file: bent.obj}", scene=scene.replace("150", "100"), shot="frames: 4, physicality: 0", out="few.h5")
    lilyan("report", "few.h5")
    header, block = harness.read_page("few.html")
    (body,) = header["runs"][0]["bodies"]
    with h5py.File("few.h5") as f:
        assert np.array_equal(block(body["key_weights"], "<f4"), f["bodies/ring/surface/key_weights"][...].ravel().astype("f4"))
        assert np.array_equal(block(body["key_times"], "<f8"), [0, 1])
    with h5py.File("few.h5", "r+") as f:
        f["bodies/ring/surface/key_times"][1] = np.inf
    assert "the keys of a surface are not in order" in lilyan("report", "few.h5", "--force", code=1).stderr
    # a pose that tets can take is taken to round-off
    with h5py.File("out.h5") as f:
        body = f["bodies/ring"]
        tets, weights = body["tets"][...][body["surface/tet"][:, 0]], body["surface/weights"][...][:, :, None]

    def carried(x):
        corners = x[tets]
        return corners[:, 0] + (weights * (corners[:, 1:] - corners[:, :1])).sum(axis=1)
    write("carried.obj", 2 * (carried(bent) - [0, 0, 2]))
    told, q, t, _ = shot("{at: 0, pose: rest}", "{at: 1, file: carried.obj}", scene=scene, shot="frames: 8, physicality: 0")
    assert abs(carried(q[8]) - carried(bent)).max() < 1e-9 and told["keys"]["pose_error_max"] < 1e-9, told["keys"]


def test_surface_out_of_reach():
    """What tets cannot follow is refused, and what they follow badly is said."""

    n, grid, points = 6, {}, []

    def point(*at):
        if at not in grid:
            grid[at] = len(points)
            points.append(at)
        return grid[at]
    quads = []
    for axis, side in itertools.product(range(3), (0, n)):
        for i, j in itertools.product(range(n), range(n)):
            ring = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            ring = ring if side else ring[::-1]
            quads.append([point(*np.insert(np.array(at), axis, side) if axis != 1 else (at[1], side, at[0])) for at in ring])
    points = np.array(points) / n * [1, 1, 2]

    def write(name, x):
        with open(name, "w") as file:
            file.write("".join("v %.17g %.17g %.17g\n" % tuple(p) for p in x))
            file.write("".join("f %d %d %d %d\n" % tuple(i + 1 for i in quad) for quad in quads))
    rough = points + 0.06 * np.cos(np.pi * n / 2 * points[:, 2:]) * [1, 0, 0]  # from one row of vertices to the next
    write("box.obj", points)
    write("mirrored.obj", points * [-1, 1, 1])
    write("flat.obj", points * [1, 1, 0.01])
    write("rough.obj", rough)
    scene = "bodies: {box: {surface: box.obj, vertices: 40, material: {model: neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}}}\n"
    for name, what in ("mirrored", "mirrors 'box': its tets would be inverted"), ("flat", "% of its size, and cannot come nearer without inverting: bend the pose less, or use more 'vertices'"):
        with open("scene.yaml", "w") as file:
            file.write(scene + f"keys:\n  - {{at: 0, pose: rest}}\n  - {{at: 1, file: {name}.obj}}\nshot: {{frames: 8}}\n")
        told = lilyan("run", "scene.yaml", code=1).stderr
        assert told.startswith("lilyan: scene.yaml:4:19: ") and what in told and told.count("\n") == 1, told
    with open("scene.yaml", "w") as file:
        file.write(scene + "keys:\n  - {at: 0, pose: rest}\n  - {at: 1, file: rough.obj}\nshot: {frames: 8, physicality: 0}\n")
    told = lilyan("run", "scene.yaml", "-o", "out.h5").stderr
    assert "warning: scene.yaml:4:19: the tets of 'box' miss this pose by up to " in told and "m on average" in told, told
    assert abs(exported("box", 8)[8] - rough).max() < 1e-6


def test_frames_of_a_run():
    """Keys that come from a simulation cost nothing, and the shot is the simulation."""
    start = BAR + "    start: {spin: [0, 1, 0.5], push: [1, 0, 3], stretch: 1.1}\n"
    with open("free.yaml", "w") as file:
        file.write(start + "integrator: midpoint\nsolver: {tolerance: 1e-15}\ntime: {step: 1/64, until: 0.5}\n")
    lilyan("run", "free.yaml", "-o", "free.h5")
    told, q, t, force = shot("{at: 0, frame: {file: free.h5, t: 0}, velocity: frame}", "{at: 0.25, frame: {file: free.h5, t: 0.25}}",
                             "{at: 0.5, frame: {file: free.h5, t: 0.5}}", shot="frames: 32")
    with h5py.File("free.h5") as f:
        free = f["q"][:].reshape(q.shape)
    spline = shot("{at: 0, frame: {file: free.h5, t: 0}, velocity: frame}", "{at: 0.25, frame: {file: free.h5, t: 0.25}}",
                  "{at: 0.5, frame: {file: free.h5, t: 0.5}}", shot="frames: 32, physicality: 0", out="spline.h5")[0]
    assert abs(q - free).max() < 1e-8, abs(q - free).max()
    assert told["keys"]["cost"] < 1e-12 * (1 + spline["keys"]["cost"]), told["keys"]
    assert told["keys"]["ghost_share"] < 1e-9 and spline["keys"]["ghost_share"] == 1, (told["keys"], spline["keys"])


def test_certificate():
    """A shot without outer forces keeps no momenta, for a ghost leads it: nothing is said to have drifted. A run says what it keeps."""
    free = BAR.replace("gravity: 9.81\n", "") + "    damping: 0.01\n"
    told, q, t, force = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, pose: {rotate: [0, 90, 0], translate: [1, 0, 0]}, velocity: [1, 0, 0]}", scene=free)
    c, keys = told["certificate"], told["keys"]
    claims = ("energy_band", "energy_drift", "linear_momentum_drift", "angular_momentum_drift", "energy_dissipated", "external_work",
              "damping_measured", "halved_steps", "newton_iterations", "linear_iterations")
    assert all(c[name] is None for name in claims), c
    assert abs(c["energy_initial"]) < 1e-9 and abs(c["energy_final"] - 2000 / 2) < 1e-6 and c["min_volume_ratio"] > 0.5, c  # 2000 kg at 1 m/s
    assert keys["key_error_max"] == 0 and keys["pose_error_max"] is None and 0.3 < keys["ghost_share"] < 1 and keys["residual"] < 1e-7, keys
    with h5py.File("out.h5") as f:
        for name in ("key_error_max", "ghost_force_max", "ghost_share", "residual"):
            assert f["shot/" + name][0, 0] == keys[name], name
        assert "dissipated" not in f and "external_work" not in f
        assert np.isnan(f["shot/pose_error_max"][0, 0]) and np.isnan(f["certificate/linear_momentum_drift"][()])
    assert abs(np.linalg.norm(force.reshape(len(t), -1)[1:-1], axis=1).max() / keys["ghost_force_max"] - 1) < 0.5
    lines = lilyan("run", "scene.yaml", "-o", "out.h5", "--force").stdout
    assert "drift" not in lines and "halved" not in lines and "ghost_share" in lines and "residual" in lines, lines
    said = lilyan("info", "out.h5").stdout
    assert "shot\n" in said and "key_error_max          0\n" in said and "ghost_share" in said and "drift" not in said, said
    # the simulation after the last key counts its own steps
    after = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, pose: {scale: [1.05, 1, 1]}, velocity: 0}", scene=free, shot="frames: 16, after: 0.5")[0]
    assert after["certificate"]["newton_iterations"] >= 8 and after["certificate"]["linear_momentum_drift"] is None
    with open("free.yaml", "w") as file:
        file.write(free + "    start: {push: [1, 0, 0]}\ntime: {step: 1/64, until: 0.25}\n")
    c = json.loads(lilyan("run", "free.yaml", "-o", "free.h5", "--force", "--json").stdout)["certificate"]
    assert c["linear_momentum_drift"] < 1e-12 and c["halved_steps"] == 0 and c["energy_band"] is not None


def test_start():
    """From the frames of an earlier run a changed shot is found in fewer iterations."""
    keys = ["{at: 0, pose: rest, velocity: 0}", "{at: 0.5, pose: {rotate: [0, 90, 0], translate: [1, 0, 0.5]}}", "{at: 1, pose: {rotate: [0, 120, 0], translate: [1, 0, 0]}, velocity: 0}"]
    told, q, _, _ = shot(*keys, out="before.h5")
    again, q_again, _, _ = shot(*keys, shot="frames: 16, start: before.h5")
    assert abs(q - q_again).max() < 1e-7 and again["keys"]["iterations"] < told["keys"]["iterations"]
    keys[1] = "{at: 0.5, pose: {rotate: [0, 91, 0], translate: [1, 0, 0.5]}}"
    edited, q_edited, _, _ = shot(*keys, shot="frames: 16, start: before.h5")
    cold, q_cold, _, _ = shot(*keys)
    assert abs(q_edited - q_cold).max() < 1e-6 and edited["keys"]["iterations"] <= cold["keys"]["iterations"]


@harness.release_only
def test_stiff():
    """A bar ten times as stiff as one that converges from its spline does so too, to the same cost as from the frames of the softer one."""
    scene = os.path.join(os.environ["LILYAN_SOURCE"], "scenes/keys-stiff.yaml")
    coarse = ("--set", "bodies.bar.shape.cells=[4, 1, 1]", "--set", "shot.frames=32", "--force", "--json")
    told = {name: json.loads(lilyan("run", scene, "--variant", name, "-o", f"{name}.h5", *coarse).stdout)["keys"] for name in ("jelly", "rubber")}
    led = json.loads(lilyan("run", scene, "--variant", "rubber", "--set", "shot.start=" + os.path.abspath("jelly.h5"), "-o", "led.h5", *coarse).stdout)["keys"]
    assert told["jelly"]["converged"] and told["rubber"]["converged"] and led["converged"]
    assert abs(led["cost"] / told["rubber"]["cost"] - 1) < 1e-9 and told["rubber"]["iterations"] <= 3 * told["jelly"]["iterations"], (told, led)


def test_after():
    told, q, t, force = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, pose: {translate: [0, 0, 1]}, velocity: [1, 0, 0]}", shot="frames: 16, after: 0.5")
    h = 1 / 16
    assert len(t) == 25 and abs(t - h * np.arange(25)).max() < 1e-12 and not force[17:].any() and told["time"] == t[-1]
    away = t[16:] - 1
    assert abs(q[16:].mean(1) - (C + [0, 0, 1] + np.outer(away, [1, 0, 0]) - 9.81 / 2 * np.outer(away**2, [0, 0, 1]))).max() < 1e-9


def test_soft():
    """The heavier a soft key, the nearer it is met."""
    keys = ["{at: 0, pose: rest, velocity: 0}", "{at: 0.5, pose: {translate: [1, 0, 1]}, weight: %g}", "{at: 1, pose: {translate: [2, 0, 0]}, velocity: 0}"]
    X = None
    off = []
    for weight in (1e2, 1e4, 1e6):
        told, q, t, _ = shot(keys[0], keys[1] % weight, keys[2])
        off.append(abs(q[8] - (rest() + [1, 0, 1])).max())
        assert abs(told["keys"]["soft_error_max"] - off[-1]) < 1e-12 and told["keys"]["key_error_max"] == 0, told["keys"]
    assert off[0] > 1e-3 and off[1] < off[0] / 5 and off[2] < off[1] / 50, off
    hard = shot(keys[0], "{at: 0.5, pose: {translate: [1, 0, 1]}}", keys[2])[0]
    assert abs(told["keys"]["cost"] / hard["keys"]["cost"] - 1) < 1e-2 and told["keys"]["cost"] < hard["keys"]["cost"]
    assert hard["keys"]["soft_error_max"] is None, hard["keys"]
    told = shot(*("{at: %g, pose: {translate: [0, 0, %g]}, weight: 1}" % at for at in ((0, 0), (0.5, 5), (1, 1))))[0]
    assert told["keys"]["key_error_max"] is None and told["keys"]["soft_error_max"] > 1, told["keys"]


def test_keys_in_contact():
    """What was pressed into a floor in a run is a key, a soft key may be anywhere, and a key of a free time does not know where a lift is."""
    def accepts(floor, *keys, times="fixed", code=0):
        with open("scene.yaml", "w") as file:
            file.write(BAR + floor + "keys:\n" + "".join(f"  - {key}\n" for key in keys) + "shot: {frames: 8, times: " + times + "}\n")
        said = lilyan("info", "scene.yaml", code=code).stderr
        assert ("inside the obstacle" in said) == (code > 0), said
    floor = "obstacles: {floor: {plane: {point: [0, 0, 2.4]}}}\n"
    with open("fall.yaml", "w") as file:
        file.write(BAR + "    start: {push: [0, 0, -5]}\n" + floor + "contact: {method: penalty}\ntime: {step: 1/256, until: 1/8}\n")
    lilyan("run", "fall.yaml", "-o", "fall.h5")
    with h5py.File("fall.h5") as f:
        low = f["q"][-1].reshape(-1, 3) - rest_of(f)
    deep = "pose: {translate: [0, 0, %.17g]}" % low[:, 2].mean()
    start = "{at: 0, pose: rest}"
    accepts(floor, start, "{at: 1, " + deep + "}", code=1)
    accepts(floor, start, "{at: 1, frame: {file: fall.h5, t: 1/8}}")
    accepts(floor, start, "{at: 1, " + deep + ", weight: 1}")
    lift = "obstacles: {lift: {box: {centre: [0.5, 0, 8], size: [1, 2, 2]}, move: [0, 0, -10*t]}}\n"
    for times, code in ("fixed", 1), ("free", 0):
        accepts(lift, start, "{at: 0.5, pose: rest}", "{at: 1, pose: rest}", times=times, code=code)


def test_cost():
    """With c = 480 kN times bar[1] the fourth derivative of x is -c/2m: the whole bar swerves by -c t^2 (1 - t)^2/48m, to second order in the step."""
    off = []
    for frames in (16, 32):
        _, q, t, _ = shot("{at: 0, pose: rest, velocity: 0}", "{at: 1, pose: rest, velocity: 0}", shot=f'frames: {frames}, cost: "4.8e5*bar[1]"')
        swerve = -4.8e5 * t**2 * (1 - t) ** 2 / (48 * 2000)
        assert abs(q - q.mean(1, keepdims=True) - (q[0] - q[0].mean(0))).max() < 1e-9
        off.append(abs(q[:, 0, 0] - q[0, 0, 0] - swerve).max())
    assert 3.8 < off[0] / off[1] < 4.2 and off[0] < 0.1 * 0.3125, off


def test_times():
    keys = ["{at: 0, pose: rest, velocity: 0}", "{at: 0.25, pose: {translate: [0, 0, 1]}}", "{at: 1, pose: rest, velocity: 0}"]
    fixed = shot(*keys)[0]["keys"]
    told, q, t, _ = shot(*keys, shot="frames: 16, times: free")
    assert told["keys"]["cost"] < fixed["cost"] * 0.9 and t[0] == 0 and t[-1] == 1 and (np.diff(t) > 0).all()
    assert abs(q[4] - (rest() + [0, 0, 1])).max() < 1e-12 and t[4] > 0.3
    assert told["keys"]["times"] == [0, t[4], 1]
    done = lilyan("run", "scene.yaml", "-o", "again.h5")
    assert f"  key_times          0, {t[4]:.6g}, 1 s\n" in done.stdout and not done.stderr, (done.stdout, done.stderr)
    # where the last two poses are one, all the time is wanted to get there
    shot(keys[0], "{at: 0.25, pose: {translate: [0, 0, 1]}}", "{at: 1, pose: {translate: [0, 0, 1]}, velocity: 0}", shot="frames: 16, times: free")
    done = lilyan("run", "scene.yaml", "-o", "out.h5", "--force")
    assert "scene.yaml:10:5: the free time of this key ended at t = 0.98" in done.stderr and "as near to the next key as allowed, 2 % of the shot: without that limit the cost would be lower" in done.stderr, done.stderr


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
