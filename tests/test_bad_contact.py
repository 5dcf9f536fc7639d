"""Contact by barrier with bad input: one sentence with its place, a code that is not 0, nothing left behind; what is crushed keeps its frames. What can be taken is taken."""

import json
import os

from bad_input import SANITIZED, check_sentence, fail, lilyan, run

BOX = "{shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, at: [%s], material: {young: 1e5, poisson: 0.3, density: 1000}%s}"
BODY = "bodies: {b: %s}\n" % (BOX % ("0, 0, %s", ""))
HELD = "bodies: {b: %s}\nparticles: {p: {at: [9, 9, 9], mass: 1}}\n" % (BOX % ("0.5, 0.5, 0", ", fixed: [bottom, top]"))
CUBE = "{surface: cube.obj, vertices: 60, material: jelly, at: [%s]}"
FLOOR = "obstacles: {f: {plane: {}}}\n"
C = "contact: {method: barrier}\n"
END = "integrator: energy-momentum\ngravity: 9.81\nrecord: {every: 1}\ntime: {step: 5e-3, until: %s}\n"

# name, scene, place, a piece of the sentence
REFUSED = [
    ("bodies in each other", "bodies: {a: %s, b: %s}\n" % (BOX % ("0, 0, 0", ""), BOX % ("0.1, 0.1, 0.1", "")) + C, "1:10",
     "'a' and 'b' touch at the start, "),
    # from the corner at -0.08 m half way to the plane
    ("a body in a plane", BODY % 0.02 + FLOOR + C, "1:10", "'b' starts partly below the plane 'f', by 0.08 m at its lowest point: move it by more than [0, 0, 0.08], or place its lowest point with at: {floor: HEIGHT}, or exclude the pair"),
    # a box is solid, though nothing touches its faces: the first corner is 0.1 m from the middle, 0.4 m below the face beside it
    ("a body in a box", BODY % 0.5 + "obstacles: {o: {box: {centre: [0, 0, 0.5], size: [1, 1, 1]}, turn: [0, 0, 90]}}\n" + C, "1:10",
     "'b' starts inside the obstacle 'o', 0.4 m deep at [-0.1, -0.1, 0.4]: move it out"),
    # nothing touches, and yet they cannot be where they are: the first corners are told
    ("a body in a body", "bodies: {a: {shape: {type: ball, radius: 0.5, cells: 3}, material: jelly}, b: %s}\n" % (BOX % ("0, 0, 0.1", "")) + C, "1:76",
     "'b' starts inside 'a', at [-0.1, -0.1, 0]: move it out, or exclude the pair from contact, contact: {ignore: [[b, a]]}"),
    ("a ball in a body", BODY % 0 + "obstacles: {o: {sphere: {radius: 0.01, centre: [0, 0, 0.02]}}}\n" + C, "1:10", "the obstacle 'o' starts inside 'b', at [0, 0, 0.02]: "),
    ("a box in a body", BODY % 0 + "obstacles: {o: {box: {size: [0.1, 0.1, 0.1]}}}\n" + C, "1:10", "the obstacle 'o' starts inside 'b', at [-0.05, -0.05, -0.05]: "),
    ("a particle in a body", BODY % 0 + "particles: {p: {at: [[9, 9, 9], [0, 0, 0.01]], mass: 1}}\n" + C, "2:13", "'p' starts inside 'b', at [0, 0, 0.01]: "),
    ("a body in a ball", BODY % 0 + "obstacles: {o: {sphere: {radius: 2}}}\n" + C, "1:10", "'b' and 'o' touch at the start, "),
    # of a surface by its own vertices: the lower ones of cube.obj are 4 to 7
    ("a surface in a plane", "bodies: {a: %s, b: %s}\n" % (CUBE % "9, 9, 9", CUBE % "0, 0, 0.02") + FLOOR + C, "1:80",
     "'b' starts partly below the plane 'f', by 0.08 m at its lowest point"),
    # an edge from -0.08 m to 0.12 m crosses it at 0, where no corner is
    ("a body in a mesh", BODY % 0.02 + "obstacles: {o: {mesh: quad.obj}}\n" + C, "1:10", "the obstacle 'o', at [-0.1, -0.1, 0]: "),
    # a particle's surface at 0.05 m, the ball's at 0.2 m: half way is 0.125 m
    ("a particle in a ball", "particles: {p: {at: [0, 0, 0.1], mass: 1, radius: 0.05}}\nobstacles: {o: {sphere: {radius: 0.2}}}\n" + C, "1:13",
     "point 0 of 'p' and the obstacle 'o', at [0, 0, 0.125]: "),
    ("particles in one place", "particles: {p: {at: [[0, 0, 1], [0, 0, 1]], mass: 1, radius: 0.1}}\n" + FLOOR + C, "1:13", "'p' touches itself at the start, point 0 of 'p' and point 1 of 'p', at [0, 0, 1]"),
    ("a link of no length", "particles: {p: {at: [[0, 0, 1], [0, 0, 1]], mass: 1, pairs: [[0, 1]]}}\n" + FLOOR + C, "1:16", "link 0 of 'p' has zero length: particles "),
    ("a mesh of degenerate triangles", BODY % 0.3 + "obstacles: {o: {mesh: line.obj}}\n" + C, "2:23", "no triangle has an area"),
    ("a name for a map", BODY % 0.3 + FLOOR + "contact: barrier\n", "3:10", "'contact' must be a map: write contact: {method: barrier}"),
    ("another value", BODY % 0.3 + FLOOR + "contact: 3\n", "3:10", "'contact' must be a map, not a value"),
    ("a method", BODY % 0.3 + FLOOR + "contact: {method: barier}\n", "3:19", "must be one of auto, penalty, barrier, not 'barier'"),
    ("d_hat below 0", BODY % 0.3 + FLOOR + "contact: {method: barrier, d_hat: -1}\n", "3:35", "'d_hat' must be positive, not -1"),
    ("d_hat of 0", BODY % 0.3 + FLOOR + "contact: {method: barrier, d_hat: 0}\n", "3:35", "'d_hat' must be positive, not 0"),
    ("d_hat above the size", BODY % 0.3 + FLOOR + "contact: {method: barrier, d_hat: 100}\n", "1:10", "'d_hat' of contact is 100 m, and 'b' is only 0.2 m long: the barrier must begin near a surface, by default a tenth of an edge away"),
    ("a bat that starts in a body", BODY % 0 + "obstacles: {bat: {box: {size: [2, 0.05, 0.05]}, turn: [0, 0, 900*t]}}\n" + C, "1:10", "'b' and 'bat' touch at the start"),
    ("an integrator", BODY % 0.3 + FLOOR + C + "integrator: stormer-verlet\n", "4:13", "use energy-momentum, midpoint or implicit-euler, or contact: {method: penalty}"),
]

# driven through what is held: the run ends with the pair, the time and the force
CRUSHED = [
    ("a bat through a held body", HELD + "obstacles: {bat: {box: {size: [2, 0.05, 0.05]}, turn: [0, 0, 900*t]}}\n" + C, "'bat' and 'b' press on each other with "),
    ("a wall that turns over a held body", HELD.replace("0.5, 0.5, 0]", "0.5, 0.5, 0.5]") + "obstacles: {wall: {plane: {}, turn: [0, 900*t, 0]}}\n" + C, "'b' and 'wall' press on each other with "),
    ("a press", HELD + "obstacles: {press: {box: {centre: [0.5, 0.5, 0.5], size: [1, 1, 0.1]}, move: [0, 0, -5*t]}}\n" + C, "'b' and 'press' press on each other with "),
    # faster than sound, 9 m/s: what it has hit is crushed, and touches it no more when the run ends
    ("a thin blade at 100 m/s", "bodies: {b: {shape: {type: box, size: [0.4, 0.4, 0.4], cells: [4, 4, 4]}, material: jelly}}\n"
     "obstacles: {blade: {box: {centre: [-0.4, 0, 0.03], size: [0.3, 0.3, 0.002]}, move: [100*t, 0, 0]}}\ntime: {step: 1e-3, until: 0.02}\n" + C,
     " of 'b' is inverted, and the motion cannot continue: "),
] + ([] if SANITIZED else [
    # it would take 40 s more and 0.01 s of motion, for forces that float cannot resolve
    ("a press on a body that gives way", "bodies: {b: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [5, 5, 5]}, at: [0, 0, 0.15], material: {young: 1e5, poisson: 0.3, density: 1000}, damping: 0.01}}\n"
     "obstacles: {floor: {plane: {}}, press: {box: {centre: [0, 0, 0.37], size: [1, 1, 0.1]}, move: [0, 0, -t]}}\ncontact: {friction: 0.3}\ntime: {step: 1/240, until: 0.5}\n",
     " of 'b' is compressed to 0.001"),
])

BESIDE = "bodies: {a: {shape: {type: box, cells: [1, 1, 1]}, material: jelly, start: {push: [%s, 0, 0]}}, b: {shape: {type: box, cells: [1, 1, 1]}, at: [1.5, 0.1, 0.2], material: jelly}}\n"
# name, scene, a piece of the warning: at 1 m/s faces that are 0.5 m apart meet after 0.5 s
WITHOUT = [
    ("bodies that pass each other", BESIDE % 1, " intersect at t = 0.5"),
    ("bodies that part", BESIDE % -1, ""),
    ("bodies that may pass each other", BESIDE % 1 + "contact: {bodies: pass}\n", ""),
    ("a body alone", BODY % 0, ""),
]

# name, scene, a piece of the warning; "": there is none
TAKEN = [
    ("one degenerate triangle", BODY % 0.15 + "obstacles: {o: {mesh: degenerate.obj}}\n" + C, "degenerate.obj: 1 of 3 triangles have no area and are left out, the first is triangle 1"),
    ("coincident vertices", BODY % 0.15 + "obstacles: {o: {mesh: seam.obj}}\n" + C, ""),
    ("three triangles at an edge", BODY % 0.15 + "obstacles: {o: {mesh: fin.obj}}\n" + C, ""),
    ("d_hat above the gap", BODY % 0.15 + FLOOR + "contact: {method: barrier, d_hat: 0.06}\n", "start 0.05 m apart, within the barrier's 0.06 m (d_hat), which pushes them apart"),
    ("d_hat above the edges", BODY.replace("cells: [1, 1, 1]", "cells: [4, 4, 4]") % 0.3 + FLOOR + "contact: {method: barrier, d_hat: 0.1}\n",
     "'d_hat' of contact is 0.1 m, longer than the edges of 'b', 0.0569 m: "),
    ("a body in a closed mesh", BODY % 0.15 + "obstacles: {o: {mesh: solid.obj}}\n" + C, "'b' starts inside the obstacle 'o', a closed mesh, at [-0.1, -0.1, 0.05], and stays inside"),
    ("a body in a room", BODY % 0.15 + "obstacles: {o: {mesh: room.obj}}\n" + C, ""),
    ("a body in a trough", BODY % 0.15 + "obstacles: {o: {mesh: trough.obj}}\n" + C, ""),
    ("a body in a body, and they pass", "bodies: {a: {shape: {type: ball, radius: 0.5, cells: 3}, at: [0, 0, 0.6], material: jelly}, b: %s}\n" % (BOX % ("0, 0, 0.6", "")) + FLOOR +
     "contact: {method: barrier, ignore: [[a, b]]}\n", ""),
    ("cloth that cannot drape", "particles: {c: {type: grid, cells: [3, 3], at: [0, 0, 0.45], mass: 0.01}}\n" + FLOOR + C,
     "'c' has 42 rigid links for 48 coordinates, so it cannot drape over other bodies: use links: {stiffness: ...}, or type: net"),
]


def write_surface(path, vertices, faces):
    with open(path, "w") as file:
        file.writelines("v %g %g %g\n" % v for v in vertices)
        file.writelines("f %d %d %d\n" % tuple(i + 1 for i in f) for f in faces)


def write_meshes(folder):
    quad, at = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], os.path.join
    write_surface(at(folder, "quad.obj"), quad, [(0, 1, 2), (0, 2, 3)])
    corners = [(x / 10, y / 10, z / 10) for z in (1, -1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    sides = [(0, 1, 2, 3), (7, 6, 5, 4), (4, 5, 1, 0), (5, 6, 2, 1), (6, 7, 3, 2), (7, 4, 0, 3)]
    write_surface(at(folder, "cube.obj"), corners, [f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))])
    write_surface(at(folder, "degenerate.obj"), quad + [(0, -1, 0)], [(0, 1, 2), (0, 4, 1), (0, 2, 3)])
    write_surface(at(folder, "seam.obj"), quad + [(-1, -1, 0), (1, 1, 0)], [(0, 1, 2), (4, 5, 3)])
    write_surface(at(folder, "fin.obj"), quad + [(0, 0, -1)], [(0, 1, 2), (0, 2, 3), (0, 2, 4)])
    corners = [(x, y, z) for z in (0, 2) for y in (-1, 1) for x in (-1, 1)]
    sides = [(0, 2, 3), (0, 3, 1), (0, 1, 5), (0, 5, 4), (1, 3, 7), (1, 7, 5), (3, 2, 6), (3, 6, 7), (2, 0, 4), (2, 4, 6), (4, 5, 7), (4, 7, 6)]
    write_surface(at(folder, "solid.obj"), corners, sides)
    write_surface(at(folder, "room.obj"), corners, [(a, c, b) for a, b, c in sides])  # facing inwards
    write_surface(at(folder, "trough.obj"), corners, sides[:-2])
    write_surface(at(folder, "line.obj"), [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(0, 1, 2), (1, 2, 3)])


def attempt(folder, text, until):
    with open(os.path.join(folder, "scene.yaml"), "w") as file:
        file.write(text + "\n".join(line for line in (END % until).split("\n") if line.split(":")[0] not in [own.split(":")[0] for own in text.split("\n")]))
    if os.path.exists(os.path.join(folder, "out.h5")):
        os.remove(os.path.join(folder, "out.h5"))
    return lilyan("run", "scene.yaml", "-o", "out.h5", "--json", cwd=folder)


def check_refused(folder):
    write_meshes(folder)
    for name, text, place, piece in REFUSED:
        code, _, error, _ = attempt(folder, text, 0.05)
        check_sentence(name, code, error, f"scene.yaml:{place}", piece)
        if os.path.exists(os.path.join(folder, "out.h5")):
            fail(name, "leaves a file")


def check_crushed(folder):
    for name, text, piece in CRUSHED:
        code, _, error, seconds = attempt(folder, text, 0.3)
        check_sentence(name, code, error, "", piece, lines=2)
        if "the motion cannot continue" not in error or "use midpoint" in error or seconds > (300 if SANITIZED else 60):
            fail(name, f"{seconds} s: {error}")
        told = json.loads(lilyan("check", "out.h5", "--json", cwd=folder)[1])[0]
        if told["frames"] < 2 or told["intersections"]:
            fail(name, f"frames are not kept, or intersect: {told}")


def check_taken(folder):
    """A body that falls by 0.05 m in 0.1 s lies on what it meets; the ball of radius 0.5 m touches before."""
    for name, text, piece in TAKEN:
        code, out, error, _ = attempt(folder, text, 0.15)
        if code != 0 or piece not in error or (not piece and error):
            fail(name, f"exit code {code}: {error!r}")
            continue
        c = json.loads(out)["certificate"]
        if c["intersections"] or not c["contact_pairs"] and "cloth" not in name:
            fail(name, f"it is passed: {c}")


def check_without(folder):
    """A scene without contact says so where it makes a difference."""
    for name, text, piece in WITHOUT:
        code, _, error, _ = attempt(folder, text + "gravity: 0\ntime: {step: 1/128, until: 0.75}\nintegrator: midpoint\n", 0.75)
        if code != 0 or piece not in error or (piece and "contact: {}" not in error) or (not piece and error):
            fail(name, f"exit code {code}: {error!r}")


run([check_refused, check_crushed, check_taken, check_without])
