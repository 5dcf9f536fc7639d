"""Shots and keys that are wrong get one sentence with its place, and leave nothing."""

import os
import re

from bad_input import fail, lilyan, check_sentence, run

BAR = "bodies: {bar: {shape: {type: bar, size: [2, 1, 1], cells: [2, 1, 1]}, material: {model: neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}, groups: {tip: {plane: {point: [1, 0, 0], normal: [1, 0, 0]}}, " \
      "corner: {vertices: [0]}}}}\n"
FIXED = BAR.replace("material:", "fixed: corner, material:")
MOVED = BAR.replace("material:", "handles: {select: corner, move: [0.1*t, 0, 0]}, material:")
FLOOR = BAR + "obstacles: {floor: {plane: {point: [0, 0, -0.5]}}, lift: {box: {centre: [0, 0, 10], size: [1, 2, 1]}, move: [0, 0, -t]}}\n"
TWO = "bodies: {a: {shape: box, material: jelly}, b: {shape: box, at: [3, 0, 0], material: jelly}}\n"
TEXT = "lagrangian: dx^2 + dy^2\nstart: {x: 0, y: 0}\n"
END = "  - {at: 1, pose: rest}\nshot: {frames: 8}\n"
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def keyed(text, before=BAR, after=END):
    return before + "keys:\n  - " + text + "\n" + after


# name, scene, line:column, piece of the sentence
CASES = [
    ("solids by Verlet", keyed("{at: 0, pose: rest, velocity: 0}", "integrator: stormer-verlet\n" + BAR), "1:13", "a shot of bodies needs the integrator midpoint, not stormer-verlet"),
    # shots, of texts and particles
    *[(f"a shot: {name}", TEXT + text, place, piece) for name, text, place, piece in (
        ("keys without a shot", "keys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:1", "needs a 'shot'"),
        ("a shot without keys", "shot: {frames: 8}\n", "3:1", "needs 'keys'"),
        ("one key", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}]\n", "4:7", "at least two keys"),
        ("no frames", "shot: {}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:7", "shot has no 'frames'"),
        ("a method", "shot: {frames: 8, method: best}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:27",
         "unknown method 'best'"),
        ("another method's field", "shot: {frames: 8, sweeps: [1]}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:19",
         "unknown key 'sweeps' in shot"),
        ("out of order", "shot: {frames: 8}\nkeys: [{at: 1, q: [0, 0]}, {at: 0, q: [1, 1]}]\n", "4:33",
         "list keys in order of time"),
        ("at the same time", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 0, q: [1, 1]}]\n", "4:33", "two keys are at t = 0"),
        ("off the frames", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 0.3, q: [1, 1]}, {at: 1, q: [1, 1]}]\n", "4:33",
         "is not on a frame: the nearest of 8 frames is at 0.25"),
        ("no frame between", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 1/8, q: [1, 1]}, {at: 1, q: [1, 1]}]\n", "4:33",
         "no free frame lies between the keys at t = 0 and 0.125"),
        ("too few numbers", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1]}]\n", "4:39",
         "'q' of a key has 1 numbers, but there are 2 coordinates"),
        ("too many", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0], velocity: [1, 2, 3]}, {at: 1, q: [1, 1]}]\n", "4:37",
         "'velocity' of a key has 3 numbers"),
        ("nothing held", "shot: {frames: 8}\nkeys: [{at: 0, q: {x: 0}}, {at: 1, q: {x: 1}}]\n", "4:7",
         "the keys do not determine how 'y' moves"),
        ("a free coordinate with a velocity", "shot: {frames: 8}\nkeys: [{at: 0, q: {x: 0}, velocity: [1, 1]}, {at: 1, q: [1, 1]}]\n",
         "4:37", "a key that leaves coordinates free cannot have a velocity:"),
        ("with a time", "time: {step: 0.1, until: 1}\nshot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:1",
         "a scene with 'keys' cannot have 'time'"),
        ("another integrator", "integrator: rk4\nshot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:13",
         "midpoint or stormer-verlet, not rk4"),
        ("a cost of something unknown", "shot: {frames: 8, cost: ghost_z^2}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:25",
         "ghost_z"),
        ("a cost that is a list", "shot: {frames: 8, cost: [x]}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:25", "'cost' must be"),
        ("a cost of local", "shot: {frames: 8, method: local, cost: x^2}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:34",
         "a 'cost' needs the method 'global'"),
        ("a cost that is not finite", "shot: {frames: 8, cost: 1/(x - x)}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:25",
         "this cost is not finite between keys"),
        ("a parameter for a ghost", "parameters: {ghost_x: 1}\nshot: {frames: 8, cost: x^2}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n",
         "4:25", "'ghost_x' is the ghost force here"),
        ("a regulariser", "shot: {frames: 8, method: local, regularise: laplace}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:46",
         "laplacian"),
        ("two places for one coordinate", "shot: {frames: 8}\nkeys: [{at: 0, q: {x: 0, x: 1}}, {at: 1, q: [1, 1]}]\n", "4:26", "twice"),
        ("physicality of local", "shot: {frames: 8, method: local, physicality: 0.5}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:27",
         "a 'physicality' below 1 needs the method global, not local"),
        ("too many frames", "shot: {frames: 1e7}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:16", "10000000 frames of 2 coordinates are too many"),
        ("an empty q", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: {}}]\n", "4:39", "'q' is empty: a key must set at least one coordinate"),
        ("late", "shot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 1e300, q: [1, 1]}]\n", "4:33", "the time of a key must be at most 1e12 s, not 1e+300"),
        ("constraints", "constraints: {c: x - y}\nshot: {frames: 8}\nkeys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\n", "3:14",
         "a shot does not support constraints: leave them out, or choose coordinates that satisfy them"))],
    ("forces that are not finite, beside a cost", "lagrangian: dx^2 - sqrt(x)\nstart: {x: 1}\nkeys: [{at: 0, q: [1]}, {at: 1, q: [-1]}]\n"
     "shot: {frames: 8, cost: x^2}\n", "3:7", "forces or the cost are not finite"),
    ("a key that moves what is fixed", "particles: {c: {at: [[0, 0, 0], [1, 0, 0]], mass: 1, links: none, fixed: [0]}}\n"
     "keys:\n  - {at: 0, q: [[0, 0, 0], [1, 0, 0]]}\n  - {at: 1, q: [[0, 0, 1], [1, 0, 0]]}\nshot: {frames: 8}\n",
     "4:16", "'c.0.z' is fixed at 0, but this key puts it at 1"),
    # keys of bodies
    ("nothing", keyed("{at: 0}"), "3:5", "a key of bodies needs a 'pose', 'points', a 'file' or a 'frame'"),
    ("a key of a key", keyed("{at: 0, poes: rest}"), "3:13", "did you mean 'pose'?"),
    ("q of too few", keyed("{at: 0, q: [0]}"), "3:16", "'q' of a key has 1 numbers"),
    ("q and a pose", keyed("{at: 0, q: [0], pose: rest}"), "3:21", "a key with 'q' cannot have 'pose'"),
    # poses
    ("a pose that is none", keyed("{at: 0, pose: flat}"), "3:19", "a pose must be 'rest' or a map with 'rotate', 'translate', 'scale', 'position' or 'file'"),
    ("a list", keyed("{at: 0, pose: [1, 2, 3]}"), "3:19", "'pose' must be a map"),
    ("a key of a pose", keyed("{at: 0, pose: {rotat: [0, 0, 9]}}"), "3:20", "did you mean 'rotate'?"),
    ("two numbers", keyed("{at: 0, pose: {rotate: [0, 9]}}"), "3:28", "'rotate' must have 3 numbers"),
    ("scaled by 0", keyed("{at: 0, pose: {scale: 0}}"), "3:27", "'scale' must be positive"),
    ("inside out", keyed("{at: 0, pose: {position: [-x, y, z]}}"), "3:19", "in this pose tets 0, 1, 2, 3, 4 and 5 more of 'bar' are inverted"),
    ("some inside out", keyed("{at: 0, pose: {position: [abs(x), y, z]}}"), "3:19", "inverted, which"),
    ("not finite", keyed("{at: 0, pose: {position: [log(x - x), y, z]}}"), "3:30", "'position' is not finite at vertex 0"),
    ("far out", keyed("{at: 0, pose: {translate: [1e200, 0, 0]}}"), "3:19", "this key puts 'bar.0.x' at 1e+200: the limit is 1e100 m"),
    ("dizzy", keyed("{at: 0, pose: {rotate: [1e300, 0, 0]}}"), "3:28", "'rotate' must be at most 1e6 degrees, not 1e+300"),
    ("large", keyed("{at: 0, pose: {scale: 1e200}}"), "3:27", "'scale' must be between 1e-50 and 1e50, not 1e+200"),
    ("of which body", keyed("{at: 0, pose: {rotate: [0, 0, 9]}}", TWO), "3:13", "there are 2 bodies: name one, as in pose: {a: ...}"),
    ("of no body", keyed("{at: 0, pose: {a: rest, c: rest}}", TWO), "3:29", "there is no body 'c'"),
    ("moves what is fixed", keyed("{at: 0, pose: {translate: [0, 0, 1]}}", FIXED), "3:5", "'bar.0.z' is fixed at -0.5, but this key puts it at 0.5"),
    # points
    ("unknown points", keyed("{at: 0, points: {tpi: [0, 0, 2]}}"), "3:22", "there is no point 'tpi' (did you mean 'tip'?)"),
    ("unknown points, nothing near", keyed("{at: 0, points: {zebra: [0, 0, 2]}}"), "3:22", "there is no point 'zebra'"),
    ("no points", keyed("{at: 0, points: {}}"), "3:21", "'points' is empty: a key must set at least one point"),
    ("a point of which body", keyed("{at: 0, points: {left: [0, 0, 2]}}", TWO), "3:22", "several bodies have a group 'left': name the body, as in b.left"),
    ("a point in a plane", keyed("{at: 0, points: {tip: [0, 2]}}"), "3:27", "a point's position must be [x, y, z]"),
    ("free everywhere", keyed("{at: 0, points: {tip: [free, free, free]}}"), "3:27", "needs no key"),
    ("a point and its pose", keyed("{at: 0, pose: rest, points: {tip: [0, 0, 2]}}"), "3:39", "this key contradicts itself: 'bar."),
    ("two points of one vertex", keyed("{at: 0, points: {corner: [0, 0, 0], bar: [0, 0, 0]}}"), "3:46", "this key contradicts itself: 'bar.0.x' would be at 0 and at -1"),
    ("a velocity of some", keyed("{at: 0, points: {tip: [0, 0, 2]}, velocity: 0}"), "3:49", "a key that leaves coordinates free cannot have a velocity:"),
    ("moves a fixed point", keyed("{at: 0, points: {corner: [0, 0, 2]}}", FIXED), "3:5", "'bar.0.x' is fixed at -1"),
    # what handles move, and obstacles
    ("a handle elsewhere", keyed("{at: 0, pose: rest}", MOVED, "  - {at: 1, points: {corner: [0, 0, -0.5]}}\nshot: {frames: 8}\n"), "4:5",
     "a handle puts 'bar.0.x' at -0.9 at t = 1, but this key puts it at 0"),
    ("a handle elsewhere, softly", keyed("{at: 0, pose: rest}", MOVED, "  - {at: 1, points: {corner: [0, 0, -0.5]}, weight: 1}\nshot: {frames: 8}\n"), "4:5",
     "a handle puts 'bar.0.x' at -0.9 at t = 1, but this key puts it at 0"),
    ("a pose and a handle", keyed("{at: 0, pose: rest}", MOVED), "4:5", "a handle puts 'bar.0.x' at -0.9 at t = 1, but this key puts it at -1"),
    ("q and a handle", keyed("{at: 0, q: \"list(i, 1, 36, i)\"}", MOVED), "3:16", "a handle puts 'bar.0.x' at -1 at t = 0, but this key puts it at 1"),
    ("a handle and a free time", keyed("{at: 0, pose: rest}", MOVED, "  - {at: 0.5, points: {corner: [-0.95, -0.5, -0.5]}}\n  - {at: 1, points: {tip: [1, 0, 0]}}\n"
                                        "shot: {frames: 8, times: free}\n"), "4:5", "a handle moves 'bar.0.x', and the time of this key is free"),
    ("inside an obstacle", keyed("{at: 0, pose: {translate: [0, 0, -0.25]}}", FLOOR), "4:5",
     "this key puts 'bar' inside the obstacle 'floor', 0.25 m deep at [-1, -0.5, -0.75]: move it out"),
    ("points inside an obstacle", keyed("{at: 0, points: {corner: [0, 0, -0.75]}}", FLOOR), "4:5", "this key puts 'bar' inside the obstacle 'floor', 0.25 m deep"),
    ("inside an obstacle that has moved there", keyed("{at: 0, pose: rest}", FLOOR, "  - {at: 9.6, pose: rest}\nshot: {frames: 8}\n"), "5:5",
     "this key puts 'bar' inside the obstacle 'lift'"),
    ("inside another body", keyed("{at: 0, pose: {a: {translate: [2.5, 0, 0]}, b: rest}}", TWO + "contact: {}\n"), "4:5", "this key puts 'b' inside 'a', "),
    ("a cost that is not finite", keyed("{at: 0, pose: rest}", after="  - {at: 1, pose: rest}\nshot: {frames: 8, cost: \"1/(bar[1] - bar[1])\"}\n"), "5:25",
     "this cost is not finite between keys"),
    ("not enough", keyed("{at: 0, points: {tip: [0, 0, 2]}}"), "3:3", "the keys do not determine how 'bar.0.x' moves"),
    # files
    ("no file", keyed("{at: 0, file: none.obj}"), "3:19", "none.obj"),
    ("another number of vertices", keyed("{at: 0, file: tet.obj}"), "3:19", "tet.obj: has 4 vertices, but 'bar' has 12"),
    ("no kind of pose", keyed("{at: 0, file: pose.blend}"), "3:19", "pose.blend: a pose must be a surface, which ends in .obj, .ply or .stl, or a mesh, which ends in .msh, .node, .ele, .mesh or .vtk"),
    ("in a pose", keyed("{at: 0, pose: {file: tet.obj}}"), "3:26", "tet.obj: has 4 vertices, but 'bar' has 12"),
    ("two of a kind", keyed("{at: 0, pose: {file: tet.obj, position: [x, y, z]}}"), "3:35", "'file' and 'position' cannot both be given"),
    ("of two bodies", keyed("{at: 0, file: tet.obj}", TWO), "3:13", "there are 2 bodies"),
    # frames of runs
    ("a frame of nothing", keyed("{at: 0, frame: {t: 1}}"), "3:20", "a frame has no 'file'"),
    ("a frame of a scene", keyed("{at: 0, frame: {file: scene.yaml, t: 1}}"), "3:27", "scene.yaml"),
    ("a frame of something else", keyed("{at: 0, frame: {file: other.h5, t: 1}}"), "3:27", "has 1 coordinates, but there are 36 here"),
    ("a frame of another body", keyed("{at: 0, frame: {file: long.h5, t: 0}}"), "3:27", "long.h5: has no body 'bar' with the same tets: it is a run of another scene"),
    ("a frame that is not there", keyed("{at: 0, frame: {file: bar.h5, t: 3}}"), "3:38", "goes from t = 0 to 0.1: it does not contain t = 3"),
    ("a velocity of no frame", keyed("{at: 0, pose: rest, velocity: frame}"), "3:35", "the velocity 'frame' needs a key with a 'frame'"),
    ("a start of something else", keyed("{at: 0, pose: rest}", after="  - {at: 1, pose: rest}\nshot: {frames: 8, start: other.h5}\n"), "5:26",
     "has 1 coordinates, but there are 36 here"),
    # velocities, weights, the shot
    ("a speed", keyed("{at: 0, pose: rest, velocity: 3}"), "3:35", "the velocity of a body must be 0 or [x, y, z]"),
    ("a velocity of one of two", keyed("{at: 0, pose: rest, velocity: {a: 0}}", TWO), "3:35", "'b' is missing here: a key sets all velocities or none"),
    ("a heavy weight", keyed("{at: 0, pose: rest, weight: 1e300}"), "3:33", "at most 1e100, not 1e+300: a key without a weight is hard"),
    ("a weight of 0", keyed("{at: 0, pose: rest, weight: 0}"), "3:33", "the weight of a soft key must be positive, not 0"),
    ("a soft key with a velocity", keyed("{at: 0, pose: rest, velocity: 0, weight: 1}"), "3:38", "a soft key cannot have a velocity: leave out 'weight' or 'velocity'"),
    ("physicality of 2", keyed("{at: 0, pose: rest}", after="  - {at: 1, pose: rest}\nshot: {frames: 8, physicality: 2}\n"), "5:32", "'physicality' must be between 0 and 1"),
    ("free times with no key between", keyed("{at: 0, pose: rest}", after="  - {at: 1, pose: rest}\nshot: {frames: 8, times: free}\n"), "5:19",
     "free times need a key between the first and the last"),
    ("free times with no room", keyed("{at: 0, pose: rest}", after="  - {at: 0.1, pose: rest}\n  - {at: 1, pose: rest}\nshot: {frames: 8, times: free}\n"), "4:10",
     "no free frame lies between the keys at t = 0 and 0.1"),
    ("times of a kind", keyed("{at: 0, pose: rest}", after="  - {at: 1, pose: rest}\nshot: {frames: 8, times: loose}\n"), "5:26", "fixed"),
    ("for ever after", keyed("{at: 0, pose: rest}", after="  - {at: 1, pose: rest}\nshot: {frames: 8, after: 1e12}\n"), "5:26", "too many"),
    ("the thesis' method", keyed("{at: 0, pose: rest}", after="  - {at: 1, pose: rest}\nshot: {frames: 8, method: local}\n"), "5:27",
     "a shot of bodies needs the method global, not local"),
]


def check_keys(folder):
    with open(os.path.join(folder, "tet.obj"), "w") as file:
        file.write(OBJ)
    for name, text in (("other", "lagrangian: dx^2\nstart: {x: 1}\n"), ("bar", BAR), ("long", BAR.replace("[2, 1, 1], cells", "[3, 1, 1], cells"))):
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            file.write(text + "time: {step: 0.1, until: 0.1}\n")
        code, _, error, _ = lilyan("run", name + ".yaml", "-o", name + ".h5", cwd=folder)
        if code:
            fail(name, error)
    for name, text, place, piece in CASES:
        with open(os.path.join(folder, "scene.yaml"), "w") as file:
            file.write(text)
        code, out, error, _ = lilyan("run", "scene.yaml", "-o", "out.h5", cwd=folder)
        check_sentence(f"keys: {name}", code, error, f"scene.yaml:{place}" if place else None, piece)
        if re.search(r"\bnan\b|\binf\b", error) or out or os.path.exists(os.path.join(folder, "out.h5")):
            fail(f"keys: {name}", f"left something, or says nan: {error!r}")
        if os.path.exists(os.path.join(folder, "out.h5")):
            os.remove(os.path.join(folder, "out.h5"))


def check_outputs(folder):
    """What a shot says of outputs that are there, and that one which fails loses none."""
    shot = TEXT + "keys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1]}]\nshot: {frames: 8}\n"
    path = os.path.join(folder, "out.h5")
    for name, text in ("scene", shot), ("fails", shot + "observe: {late: log(0.7 - x)}\n"):
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            file.write(text)
    if lilyan("run", "scene.yaml", "-o", "out.h5", cwd=folder)[0]:
        fail("a shot", "not run")
    with open(path, "rb") as file:
        before = file.read()
    for name, arguments, place, piece in (
            ("exists", ["scene.yaml"], None, "out.h5: exists already (--force replaces it)"),
            ("resume", ["scene.yaml", "--resume"], None, "a shot is solved as a whole and cannot be resumed: run it again"),
            ("until", ["scene.yaml", "--force", "--until", "2"], None, "--until: a shot ends at its last key"),
            ("step", ["scene.yaml", "--force", "--step", "0.1"], None, "--step: a shot has frames instead of steps"),
            ("fails late", ["fails.yaml", "--force"], "fails.yaml:5:17", "logarithm of a negative number in observe.late, at t = 0.75")):
        code, out, error, _ = lilyan("run", *arguments, "-o", "out.h5", cwd=folder)
        check_sentence(f"an output: {name}", code, error, place, piece)
        with open(path, "rb") as file:
            if file.read() != before or out:
                fail(f"an output: {name}", "it was changed")
    code, out, error, _ = lilyan("run", "fails.yaml", "-o", "new.h5", cwd=folder)
    if code != 1 or os.path.exists(os.path.join(folder, "new.h5")):
        fail("an output: fails", "left something")


run([check_keys, check_outputs])
