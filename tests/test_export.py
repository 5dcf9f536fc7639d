"""Exports: CSV resampled, MDD and OBJ byte by byte, and that nothing half-written, lost or unexplained remains."""
import os
import resource
import signal
import subprocess
import sys
import time

import harness
from command import LILYAN, call

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


# x = cos t, solved far better than it is interpolated
OSCILLATOR = """\
lagrangian: 1/2*dx^2 - 1/2*x^2
start: {x: 1}
observe: {y: x + 2}
draw: {points: {bob: [x, 0, 1], foot: [0, 0, 0]}, links: [[bob, foot]]}
integrator: {method: gauss, stages: 4}
time: {step: 0.1, until: 10}
record: {every: 1}
"""
BODIES = """\
bodies:
  jelly: {shape: {type: box, cells: [2, 2, 2]}, material: jelly, start: {push: [0, 0, 1]}}
  ball: {shape: {type: ball, cells: 2}, at: [3, 0, 0], material: rubber, start: {spin: [0, 0, 3], stretch: 1.1}}
time: {step: 0.01, until: 0.25}
record: {every: 2}
"""


def lilyan(*arguments, code=0, **options):
    done = subprocess.run([LILYAN, *arguments], capture_output=True, text=True, timeout=60, **options) if options else call(arguments)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def run(scene, *options, out="out.h5"):
    with open("scene.yaml", "w") as file:
        file.write(scene)
    lilyan("run", "scene.yaml", "-o", out, "--force", *options)


def refused(piece, *arguments, code=1, **options):
    """One sentence that says so; and the folder is as it was."""
    before = sorted(os.walk("."))
    done = lilyan("export", *arguments, code=code, **options)
    assert piece in done.stderr and done.stderr.count("\n") == 1 and done.stdout == "", done.stderr
    assert sorted(os.walk(".")) == before, sorted(os.walk("."))


def columns(*arguments):
    lines = lilyan("export", *arguments, "--to", "csv", "-o", "-").stdout.splitlines()
    return dict(zip(lines[0].split(","), np.array([[float(x) for x in line.split(",")] for line in lines[1:]]).T))


def csv_resampled():
    run(OSCILLATOR)
    frames, h = columns("out.h5"), 0.1
    same = columns("out.h5", "--fps", "10")
    assert frames.keys() == same.keys() and all((frames[k] == same[k]).all() for k in frames), "at frames: as recorded"
    fine = columns("out.h5", "--fps", "73")
    t = fine["t"]
    assert len(t) == 731 and np.abs(t - np.arange(731) / 73).max() < 1e-14 and t[-1] == 10
    # errors of Hermite's cubic and of its derivative, and of the cubic through four points, where |x''''| <= 1;
    # a line would miss by h^2/8 = 1.2e-3. The observable is 3 at most
    for name, true, bound in (("x", np.cos(t), h**4 / 384), ("dx", -np.sin(t), h**3 * 3**0.5 / 216),
                              ("p_x", -np.sin(t), h**4 / 24), ("y", 2 + np.cos(t), h**4 / 24),
                              ("bob.x", np.cos(t), h**4 / 24), ("energy", 0 * t + 0.5, 1e-12)):
        error = np.abs(fine[name] - true).max()
        assert bound / 100 < error + (name == "energy") and error < bound + 1e-12, (name, error, bound)
    coarse = columns("out.h5", "--fps", "0.3")  # fewer than there are
    assert (np.abs(coarse["t"] - [0, 1 / 0.3, 2 / 0.3, 10]) < 1e-14).all()
    lilyan("export", "out.h5", "--to", "csv", "--fps", "73")
    with open("out.csv") as file:
        assert file.read() == lilyan("export", "out.h5", "--to", "csv", "-o", "-", "--fps", "73").stdout


def read_mdd(path):
    with open(path, "rb") as file:
        data = file.read()
    frames, points = np.frombuffer(data, ">i4", 2)
    numbers = np.frombuffer(data, ">f4", offset=8)
    assert len(numbers) == frames * (1 + 3 * points)
    return numbers[:frames], numbers[frames:].reshape(frames, points, 3)


def read_obj(path):
    with open(path) as file:
        words = [line.split() for line in file if line[0] in "vf"]
    vertices = [[float(x) for x in rest] for word, *rest in words if word == "v"]
    return np.array(vertices), np.array([[int(x) for x in rest] for word, *rest in words if word == "f"]) - 1


def mdd_has_the_surface():
    run(BODIES)
    lilyan("export", "out.h5", "--to", "mdd")
    assert sorted(os.listdir("out")) == ["ball.mdd", "ball.obj", "jelly.mdd", "jelly.obj", "out_blender.py"]
    with h5py.File("out.h5", "r") as file:
        # every 2 of 25 steps: the last one is not on the grid of a film's frames
        t, q = file["t"][:-1], file["q"][:-1]
        assert len(t) == 13 and file["t"][-1] == 0.25
        for name in "jelly", "ball":
            body = file[f"bodies/{name}"]
            first, faces = body["first"][...].item(), body["faces"][...]
            used = np.unique(faces)
            assert len(used) < len(body["rest"]), "some vertices are inside"
            vertices, triangles = read_obj(f"out/{name}.obj")
            assert np.abs(vertices - body["rest"][...][used]).max() < 1e-8 and (used[triangles] == faces).all()
            times, positions = read_mdd(f"out/{name}.mdd")
            assert (times == t.astype("f4")).all()
            x = q.reshape(len(t), -1, 3)[:, first + used]
            assert np.abs(positions - x).max() <= np.abs(x).max() * 2**-24, "float32, and nothing else"
            # outwards: the volume that faces enclose is positive
            a, b, c = vertices[triangles].transpose(1, 0, 2)
            assert (np.cross(a, b) * c).sum() > 0
    with open("out/out_blender.py") as file:
        script = file.read()
    compile(script, "out_blender.py", "exec")
    assert "FPS, FRAMES = 50, 13" in script or "FPS, FRAMES = 49.99999999999999" in script, script[:900]
    lilyan("export", "out.h5", "--to", "mdd", "--fps", "24", "-o", "film/")
    times, _ = read_mdd("film/ball.mdd")
    assert (times == (np.arange(7) / 24).astype("f4")).all()


def names_are_safe():
    """Names that no scene can give, from a file that someone made."""
    run(BODIES)
    with h5py.File("out.h5", "r+") as file:
        file.move("bodies/jelly", "bodies/.. \\'\n" + "x" * 90)
        file.move("bodies/ball", "bodies/ba:l|l*")
    lilyan("export", "out.h5", "--to", "mdd")
    names = os.listdir("out")
    assert len(names) == 5 and {"ba%3Al%7Cl%2A.mdd", "%2E.%20%5C%27%0A" + "x" * 90 + ".obj"} <= set(names), names
    with open("out/out_blender.py") as file:
        scope = {}
        exec(file.read().split("import argparse")[0], scope)
    assert [name for name, *_ in scope["BODIES"]] == [".. \\'\n" + "x" * 90, "ba:l|l*"]
    lilyan("export", "out.h5", "--to", "vtu")
    os.rename("out.h5", "a b&<'.h5")
    lilyan("export", "a b&<'.h5", "--to", "vtu")
    assert "a%20b%26%3C%27.pvd" in os.listdir("a b&<'")


def what_exists_is_kept():
    run(BODIES)
    for option in ([], ["--fps", "20"]):
        lilyan("export", "out.h5", "--to", "vtu", "--force", *option)
    names = sorted(os.listdir("out"))
    assert names == ["out.pvd", *(f"out_{i:04d}.vtu" for i in range(6))], "the longer one's files are gone"
    lilyan("export", "out.h5", "--to", "mdd")  # beside the others
    with open("out/mine.txt", "w") as file:
        file.write("precious")
    refused("exists already (--force", "out.h5", "--to", "mdd")
    refused("exists already (--force", "out.h5", "--to", "vtu")
    lilyan("export", "out.h5", "--to", "mdd", "--force")
    assert sorted(os.listdir("out")) == sorted([*names, "ball.mdd", "ball.obj", "jelly.mdd", "jelly.obj", "mine.txt",
                                                 "out_blender.py"])
    refused("is a file, not a folder", "out.h5", "--to", "mdd", "-o", "scene.yaml")
    refused("is a folder", "out.h5", "--to", "csv", "-o", "out", "--force")
    refused("would replace the trajectory itself", "out.h5", "--to", "csv", "-o", "out.h5", "--force")
    os.symlink("out.h5", "link.csv")
    refused("would replace the trajectory itself", "out.h5", "--to", "csv", "--force", "-o", "link.csv")
    os.mkdir("empty")
    lilyan("export", "out.h5", "--to", "mdd", "-o", "empty")
    assert len(os.listdir("empty")) == 5
    os.makedirs("left.part")  # by an export that was killed
    open("left.part/out_0000.vtu", "w").close()
    lilyan("export", "out.h5", "--to", "mdd", "-o", "left")
    assert len(os.listdir("left")) == 5 and not os.path.exists("left.part")


def what_cannot_be_written():
    run(BODIES)
    for form in "csv", "mdd", "vtu":
        refused("No such file or directory", "out.h5", "--to", form, "-o", "no/such/place")
        refused("cannot be written", "out.h5", "--to", form, "-o", "/proc/nowhere")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        refused("place: cannot be written: File too large", "out.h5", "--to", form, "-o", "place", preexec_fn=limit)
    # at a device errors come late, when the file is closed
    refused("/dev/full: cannot be written: No space", "out.h5", "--to", "csv", "-o", "/dev/full", "--force")
    done = subprocess.run([LILYAN, "export", "out.h5", "--to", "csv", "-o", "-"], stdout=open("/dev/full", "w"),
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "cannot be written: No space" in done.stderr


def what_cannot_be_asked():
    run(OSCILLATOR)
    for fps in "0", "-1", "nan", "inf", "1e9", "ten", "24x":
        refused(f"--fps is '{fps}'", "out.h5", "--to", "csv", "--fps", fps, code=2)
    refused("unknown format 'usd': the formats are csv, mdd, vtu", "out.h5", "--to", "usd", code=2)
    refused("--to is missing: the formats are csv", "out.h5", code=2)
    refused("cannot go to standard output", "out.h5", "--to", "vtu", "-o", "-", code=2)
    refused("has no bodies", "out.h5", "--to", "mdd")
    refused("too many", "out.h5", "--to", "vtu", "--fps", "1e6")
    help_text = lilyan("export", "--help").stdout
    assert all(f"\n  {name}  " in help_text for name in ("csv", "mdd", "vtu"))
    run("lagrangian: 1/2*dx^2\nstart: {x: 1, dx: 1}\ntime: {step: 0.5, until: 1}\n", out="plain.h5")
    refused("has no bodies, particles or drawn points ('draw' in the scene), so there is nothing to export", "plain.h5", "--to", "vtu")


def runs_that_did_not_end():
    with open("long.yaml", "w") as file:
        file.write(BODIES.replace("until: 0.25", "until: 1e6") + "integrator: energy-momentum\n")  # which does not blow up
    process = subprocess.Popen([LILYAN, "run", "long.yaml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (os.path.exists("long.h5") and "t = 0 to " in lilyan("info", "long.h5").stdout):
        time.sleep(0.2)
    done = lilyan("export", "long.h5", "--to", "csv")
    assert "has not ended yet" in done.stderr and "wrote long.csv" in done.stdout, done.stderr
    process.kill()
    process.wait()
    for form in "csv", "mdd", "vtu":
        done = lilyan("export", "long.h5", "--to", form, "--fps", "50", "-o", form, "--force")
        assert "its run was killed: it has " in done.stderr and "wrote" in done.stdout, done.stderr


def broken_files():
    run(BODIES)
    with open("out.h5", "rb") as file:
        whole = file.read()

    def put(name, at, value):
        return lambda file: file[name].__setitem__(at, value)

    changes = [
        ("has no frames", lambda file: file["p"].resize(0, axis=0)),
        ("written by a newer Lilyan", put("format", (), 99)),
        ("not finite", put("q", (3, 5), np.nan)),
        ("not finite", put("v", (3, 5), np.inf)),
        ("do not ascend", put("t", 3, -1)),
        ("do not ascend", put("t", 3, np.nan)),
        ("refers to missing ", put("bodies/ball/tets", (3, 2), 10**6)),
        ("refers to missing ", put("bodies/ball/faces", (3, 2), -1)),
        ("refers to missing ", put("bodies/ball/first", (0, 0), 10**6)),
        ("bodies/ball/rest' is missing", lambda file: file.__delitem__("bodies/ball/rest")),
        ("bodies/ball/moduli", lambda file: file.__delitem__("bodies/ball/moduli")),
        ("material", lambda file: file.__delitem__("bodies/ball/material")),
    ]
    for piece, change in changes:
        with open("broken.h5", "wb") as file:
            file.write(whole)
        with h5py.File("broken.h5", "r+") as file:
            change(file)
        for form in "mdd", "vtu":
            refused(piece, "broken.h5", "--to", form)
    # one frame is a motion too
    with h5py.File("out.h5", "r+") as file:
        file["p"].resize(1, axis=0)
    for form in "csv", "mdd", "vtu":
        lilyan("export", "out.h5", "--to", form, "--fps", "30")
    assert read_mdd("out/ball.mdd")[1].shape[0] == 1 and "out_0000.vtu" in os.listdir("out")


def ctrl_c_leaves_nothing():
    run(BODIES, "--until", "3")
    process = subprocess.Popen([LILYAN, "export", "out.h5", "--to", "vtu", "--fps", "100000"], stderr=subprocess.PIPE)
    while not os.path.exists("out.part/out_000010.vtu"):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130 and b"interrupted" in error
    assert sorted(os.listdir(".")) == ["out.h5", "scene.yaml"], os.listdir(".")


harness.run([csv_resampled, mdd_has_the_surface, names_are_safe, what_exists_is_kept, what_cannot_be_written,
             what_cannot_be_asked, runs_that_did_not_end, broken_files, ctrl_c_leaves_nothing])
