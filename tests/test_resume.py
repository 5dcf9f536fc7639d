#!/usr/bin/python3
"""A run can end in any way and be gone on with, bit for bit: killed, terminated, interrupted, on a full disk, finished."""
import ctypes
import fcntl
import hashlib
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

from command import LILYAN, call

try:
    import h5py
except ImportError:
    print("h5py is not installed")
    sys.exit(77)

SMALL = "LIL_TEST_SMALL" in os.environ
TRACKS = ("t", "q", "p", "v", "energy", "potential", "observe/L", "draw/planet")

# midpoint keeps a reference of its solver from the first step, and the controller its rho: both must survive
SCENE = """
lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)
start: {x: 0.4, y: 0, dy: 2}
observe: {L: {value: x*dy - y*dx, invariant: true}}
draw: {points: {planet: [x, y, 0]}}
integrator: midpoint
time: {step: 0.001, until: %d}
record: {every: 1}
variants:
  adaptive: {time: {step: 0.0002, adaptive: {monitor: 1/(x^2 + y^2)}}}
  composed: {integrator: {method: composition, base: midpoint, order: 4}}
  gauss: {integrator: {method: gauss, stages: 2}}
  loop: {loop: {radius: 0.01, points: 5}}
""" % (20 if SMALL else 80)


# a handle, kicks on either side of a step, springs and their anchors; one that is solved, two that are explicit
SOLID = """
bodies:
  rod:
    mesh: rod.msh
    material: {model: stable-neo-hookean, young: 1e4, poisson: 0.4, density: 1000}
    damping: 0.005
    handles: {select: {vertices: [0, 1]}, move: ["0.1*sin(9*t)", 0, 0]}
    springs: {from: {vertices: [4]}, to: [1, 1, 2], stiffness: 50, damping: 0.01}
  free: {shape: {type: box, cells: [1, 1, 1]}, at: [0, 0, 3], material: jelly, start: {spin: [1, 0, 2]}}
gravity: 9.81
observe: {L: "rod[3]"}
draw: {points: {planet: ["rod[1]", "rod[2]", "rod[3]"]}}
integrator: midpoint
time: {step: 0.002, until: %d}
record: {every: 1}
variants:
  explicit: {integrator: stormer-verlet, bodies: {rod: {damping: {form: explicit}}}, time: {step: 0.0002}, record: {every: 10}}
  asynchronous: {integrator: {method: asynchronous, courant: 0.01}, bodies: {rod: {damping: {form: explicit}}}}
""" % (2 if SMALL else 8)
# 1000 vertices: a row has 24 KB
WIDE = """
bodies: {b: {shape: {type: box, cells: [9, 9, 9]}, material: jelly, start: {spin: [1, 2, 3]}}}
observe: {L: "b[1]"}
draw: {points: {planet: ["b[1]", "b[2]", "b[3]"]}}
integrator: stormer-verlet
time: {step: 0.0005, until: %g}
""" % (0.02 if SMALL else 0.2)
VERTICES = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))


def write_mesh(last=VERTICES[-1]):
    with open("rod.msh", "w") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n")
        for i, (x, y, z) in enumerate(VERTICES[:-1] + (last,)):
            file.write(f"{i + 1} {x} {y} {z}\n")
        file.write("$EndNodes\n$Elements\n2\n1 4 2 0 1 1 2 3 4\n2 4 2 0 1 2 3 4 5\n$EndElements\n")


def start(*arguments, scene="scene.yaml"):
    return subprocess.Popen([LILYAN, "run", scene, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def lilyan(*arguments, code=0):
    done = call(arguments)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def fingerprint(path):
    """Of everything that is recorded, but checkpoints and what a run was asked for."""
    digests = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset) and name not in ("checkpoint", "overrides"):
            value = item[()]
            digests[name] = hashlib.sha256(value if isinstance(value, bytes) else value.tobytes()).hexdigest()

    with h5py.File(path, "r") as file:
        file.visititems(add)
    assert all(name in digests for name in TRACKS if name not in ("v", "p") or "record/what" not in digests)
    return digests


def result(text):
    r = json.loads(text)
    del r["wall_seconds"], r["cpu_seconds"]
    return r


def undisturbed(*options, scene="scene.yaml"):
    text = lilyan("run", scene, "-o", "whole.h5", "--force", "--json", *options).stdout
    return result(text), fingerprint("whole.h5")


def end_and_resume(out, how, after, *options, scene="scene.yaml"):
    """Starts or resumes a run and ends it after some seconds; True if it was not done before."""
    process = start("-o", out, "--json", *options, scene=scene)
    while how != signal.SIGKILL and not os.path.exists(out) and process.poll() is None:
        time.sleep(0.001)  # a signal before the run has begun ends it like any program
    time.sleep(after)
    process.send_signal(how)
    stdout, stderr = process.communicate()
    if process.returncode == 0:
        return False
    if not os.path.exists(out):
        return True  # it had not even begun
    with h5py.File(out, "r", swmr=True) as file:  # opens, and what is there is whole
        assert len(file["t"]) >= 0
    lilyan("info", out)
    return True


def killed_at_random_moments():
    whole, frames = undisturbed()
    began = time.time()
    lilyan("run", "scene.yaml", "-o", "time.h5", "--force")
    length = time.time() - began
    dice = random.Random(7)
    for k in range(4 if SMALL else 50):
        out = f"killed{k}.h5"
        ended = end_and_resume(out, signal.SIGKILL, dice.uniform(0, length))
        if ended and os.path.exists(out) and dice.random() < 0.3:  # and once more, while it goes on
            end_and_resume(out, signal.SIGKILL, dice.uniform(0, length / 2), "--resume")
        if not os.path.exists(out):
            continue
        again = result(lilyan("run", "scene.yaml", "-o", out, "--resume", "--json").stdout)
        assert again == whole, (again, whole)
        assert fingerprint(out) == frames
        os.unlink(out)


def interrupted_and_terminated():
    whole, frames = undisturbed()
    for how in (signal.SIGINT, signal.SIGTERM):
        for after in (0.02, 0.01, 0.005) + 10 * (0,):  # until it comes before the end of the run
            if end_and_resume("ended.h5", how, after):
                break
            os.unlink("ended.h5")
        else:
            assert False, f"{how}: never interrupted"
        assert "interrupted" in lilyan("info", "ended.h5").stdout
        assert result(lilyan("run", "scene.yaml", "-o", "ended.h5", "--resume", "--json").stdout) == whole
        assert fingerprint("ended.h5") == frames
        os.unlink("ended.h5")


# with so many iterations Newton's method does not give up a step in which a press crushes a ball
HARD = """
bodies: {b: {shape: {type: ball, radius: 0.1, cells: 4}, at: [0, 0, 0.15], material: {young: 1e5, poisson: 0.3, density: 1000}, damping: 0.01}}
obstacles: {floor: {plane: {}}, press: {box: {centre: [0, 0, 0.37], size: [1, 1, 0.1]}, move: [0, 0, -1*t]}}
contact: {friction: 0.3}
gravity: 9.81
integrator: energy-momentum
solver: {iterations: 100000}
record: {every: 1}
time: {step: 1/240, until: 0.5}
"""


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def interrupted_in_a_hard_step():
    """A signal ends a step that would take minutes. It takes the step back, and keeps what came before; whoever resumes gets the same bits."""
    with open("hard.yaml", "w") as file:
        file.write(HARD)
    for how in (signal.SIGINT, signal.SIGTERM):
        process = start("-o", "hard.h5", "--force", "--threads", "1", scene="hard.yaml")
        while process.poll() is None and cpu_seconds(process) < 0.8:  # up to there it takes 0.3 s
            time.sleep(0.01)
        spent = cpu_seconds(process)
        process.send_signal(how)
        while cpu_seconds(process) - spent < 1 and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.01)
        assert cpu_seconds(process) - spent < 1, how
        _, error = process.communicate()
        assert process.returncode == 130 and error == "lilyan: interrupted\n", (process.returncode, error)
        assert "no intersection" in lilyan("check", "hard.h5").stdout
        with h5py.File("hard.h5") as ended:
            frames = len(ended["t"])
        lilyan("run", "hard.yaml", "-o", "before.h5", "--force", "--until", str((frames - 1) / 240))
        with h5py.File("hard.h5") as ended, h5py.File("before.h5") as before:
            assert 1 < frames == len(before["t"]) and (ended["q"][:] == before["q"][:]).all() and (ended["p"][:] == before["p"][:]).all()
            assert ended["certificate/newton_iterations"][()] == before["certificate/newton_iterations"][()]


def every_method_resumes():
    for variant in ("adaptive", "composed", "gauss", "loop"):
        began = time.time()
        whole, frames = undisturbed("--variant", variant)
        length = time.time() - began
        for part in (0.5, 0.6, 0.4, 0.7, 0.8, 0.9, 0.3, 0.2) * 3:  # until it was killed on the way, behind a checkpoint
            if os.path.exists("v.h5"):
                os.unlink("v.h5")
            if end_and_resume("v.h5", signal.SIGKILL, part * length, "--variant", variant) and os.path.exists("v.h5"):
                with h5py.File("v.h5", "r", swmr=True) as file:
                    if file["checkpoint"][:, 1].max() > 0:
                        break
        else:
            assert False, f"{variant}: never killed on the way"
        again = lilyan("run", "scene.yaml", "-o", "v.h5", "--resume", "--json", "--variant", variant).stdout
        assert result(again) == whole and fingerprint("v.h5") == frames, variant
        os.unlink("v.h5")


def tries(enough, killed):
    """At least so many; where none was killed behind a checkpoint, since starting takes long here, up to 40, later and later."""
    for k in range(enough if SMALL else 40):
        if k >= enough and killed():
            return
        yield 1.2 ** max(0, k - enough)


def bodies_resume():
    dice = random.Random(8)
    write_mesh()
    with open("solid.yaml", "w") as file:
        file.write(SOLID)
    for options in ((), ("--variant", "explicit"), ("--variant", "asynchronous")):
        began = time.time()
        whole, frames = undisturbed(*options, scene="solid.yaml")
        length = time.time() - began
        killed = 0
        for late in tries(2 if SMALL else 5, lambda: killed):
            out = "solid.h5"
            if os.path.exists(out):
                os.unlink(out)
            end_and_resume(out, signal.SIGKILL, late * dice.uniform(0.1, 0.9) * length, *options, scene="solid.yaml")
            if not os.path.exists(out):
                continue
            with h5py.File(out, "r", swmr=True) as file:
                killed += file["checkpoint"][:, 1].max() > 0
            again = lilyan("run", "solid.yaml", "-o", out, "--resume", "--json", *options).stdout
            assert result(again) == whole and fingerprint(out) == frames, options
        assert killed or SMALL, "never killed behind a checkpoint"
    # another mesh by the same name: refused, and nothing is lost
    lilyan("run", "solid.yaml", "-o", "solid.h5", "--until", "0.1", "--force")
    before = fingerprint("solid.h5")
    write_mesh(last=(1, 1, 1.000001))
    error = lilyan("run", "solid.yaml", "-o", "solid.h5", "--until", "0.2", "--resume", code=1).stderr
    assert "a mesh or an animation has changed since" in error and error.count("\n") == 1, error
    os.unlink("rod.msh")
    error = lilyan("run", "solid.yaml", "-o", "solid.h5", "--until", "0.2", "--resume", code=1).stderr
    assert "rod.msh: cannot be opened" in error and error.count("\n") == 1, error
    assert fingerprint("solid.h5") == before
    write_mesh()
    lilyan("run", "solid.yaml", "-o", "solid.h5", "--until", "0.2", "--resume")


def forms_of_frames_resume():
    """Rows so long that some fill a chunk and a batch ends within one; floats, compressed, a part of the state."""
    with open("wide.yaml", "w") as file:
        file.write(WIDE)
    dice, killed = random.Random(9), 0
    for form in ("{every: 1}", "{every: 1, precision: float}", "{every: 1, what: [q], compress: true}"):
        options = ("--set", f"record={form}", "--threads", "1")
        began = time.time()
        whole, frames = undisturbed(*options, scene="wide.yaml")
        length = time.time() - began
        for late in tries(1 if SMALL else 2, lambda: killed):
            if os.path.exists("wide.h5"):
                os.unlink("wide.h5")
            end_and_resume("wide.h5", signal.SIGKILL, late * dice.uniform(0.3, 0.9) * length, *options, scene="wide.yaml")
            if os.path.exists("wide.h5"):
                with h5py.File("wide.h5", "r", swmr=True) as file:
                    killed += file["status"][()] == b"running" and file["checkpoint"][:, 1].max() > 0
            again = lilyan("run", "wide.yaml", "-o", "wide.h5", "--resume", "--json", *options).stdout
            assert result(again) == whole and fingerprint("wide.h5") == frames, form
    assert killed or SMALL, "never killed behind a checkpoint"


def nothing_to_resume():
    """Scripts always pass --resume: the run starts, says so, and leaves no .part behind."""
    whole, frames = undisturbed("--until", "2")
    for stale in (False, True):
        if stale:  # what a kill before the first frame leaves
            with open("new.h5.part", "wb") as file:
                file.write(b"\x89HDF\r\n\x1a\n" + bytes(1000))
        done = lilyan("run", "scene.yaml", "-o", "new.h5", "--until", "2", "--resume", "--json")
        assert result(done.stdout) == whole and fingerprint("new.h5") == frames
        assert done.stderr.count("\n") == 1 and "new.h5: " in done.stderr, done.stderr
        assert "starts from the beginning" in done.stderr
        assert ("killed before its first frame" in done.stderr) == stale, done.stderr
        assert not os.path.exists("new.h5.part")
        done = lilyan("run", "scene.yaml", "-o", "new.h5", "--until", "2", "--resume", "--json")
        assert result(done.stdout) == whole and done.stderr == ""  # now there is something
        os.unlink("new.h5")


def variants_of_which_some_exist():
    short = ("--until", "2")
    lilyan("run", "scene.yaml", "-o", "some.h5", "--variants", *short)
    names = ("adaptive", "composed", "gauss", "loop")
    before = {name: fingerprint(f"some.{name}.h5") for name in names}
    os.unlink("some.composed.h5")
    os.unlink("some.gauss.h5")
    with open("some.gauss.h5.part", "wb"):
        pass
    done = lilyan("run", "scene.yaml", "-o", "some.h5", "--variants", *short, "--resume")
    assert done.stderr.count("\n") == 2 and done.stderr.count("starts from the beginning") == 2, done.stderr
    assert "some.composed.h5: does not exist" in done.stderr, done.stderr
    assert "some.gauss.h5: an earlier run was killed" in done.stderr, done.stderr
    assert {name: fingerprint(f"some.{name}.h5") for name in names} == before
    assert not [name for name in os.listdir(".") if name.startswith("some.") and name.endswith(".part")]


def variants_interrupted():
    """Exit code 0 says that all of them ran. Steps are taken in batches of about 0.1 s; a run that is in its last one ends."""
    options = ("-o", "all.h5", "--variants", "--until", "8" if SMALL else "40", "--set", "record.every=1000")
    began = time.time()
    lilyan("run", "scene.yaml", *options)
    length = time.time() - began
    dice = random.Random(9)
    names = ("adaptive", "composed", "gauss", "loop")
    for _ in range(4 if SMALL else 20):
        for name in names:
            if os.path.exists(f"all.{name}.h5"):
                os.unlink(f"all.{name}.h5")
        process = start(*options)
        while not os.path.exists("all.adaptive.h5") and process.poll() is None:
            time.sleep(0.001)
        time.sleep(dice.uniform(0, length))
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()
        missing = [name for name in names if not os.path.exists(f"all.{name}.h5")]
        assert process.returncode == (130 if "interrupted" in error else 0), (process.returncode, error)
        if missing:
            assert process.returncode == 130, (missing, process.returncode, error)
            assert f"{len(missing)} of 4 variants were not run" in error, (missing, error)


def a_shot_that_was_never_solved_starts():
    with open("shot.yaml", "w") as file:
        file.write("lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 0}\nshot: {frames: 8}\n"
                   "keys: [{at: 0, q: [0]}, {at: 1, q: [1]}]\n")
    said = lilyan("run", "shot.yaml", "-o", "shot.h5", "--resume").stderr
    assert "starts from the beginning" in said and said.count("\n") == 1, said
    said = lilyan("run", "shot.yaml", "-o", "shot.h5", "--resume", code=1).stderr
    assert "cannot be resumed:" in said and said.count("\n") == 1, said


def two_runs_begin_at_once():
    """The second one does not touch what the first is about to give its name."""
    part = open("both.h5.part", "w")
    locked = struct.pack("hhqqii", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0, 0)
    fcntl.fcntl(part, 37, locked)  # F_OFD_SETLK
    part.write("begun")
    part.flush()
    for mode in ((), ("--force",), ("--resume",)):
        said = lilyan("run", "scene.yaml", "-o", "both.h5", "--until", "1", *mode, code=1).stderr
        assert "another run is writing to it" in said, said
        with open("both.h5.part") as file:
            assert file.read() == "begun"
    part.close()
    lilyan("run", "scene.yaml", "-o", "both.h5", "--until", "1")


def a_finished_run_can_be_made_longer():
    short = ("--set", "record.every=7")  # 1000 steps end between two frames; 2000 as well
    whole, frames = undisturbed("--until", "2", *short)
    lilyan("run", "scene.yaml", "-o", "long.h5", "--until", "1", *short)
    done = result(lilyan("run", "scene.yaml", "-o", "long.h5", "--until", "1", *short, "--resume", "--json").stdout)
    assert done["steps"] == 1000  # nothing was left to do
    assert result(lilyan("run", "scene.yaml", "-o", "long.h5", "--until", "2", *short, "--resume", "--json").stdout) == whole
    assert fingerprint("long.h5") == frames
    # a last frame that is there only because the run ended is written again, with the step that led to it and the loop's area
    for variant in ("adaptive", "loop"):
        options = ("--variant", variant, "--until", "1", "-o", "done.h5", "--json", *short)
        whole = result(lilyan("run", "scene.yaml", "--force", *options).stdout)
        frames = fingerprint("done.h5")
        assert result(lilyan("run", "scene.yaml", "--resume", *options).stdout) == whole, variant
        again = fingerprint("done.h5")
        assert again == frames, (variant, [name for name in frames if again[name] != frames[name]])
    # and is none of a longer run's: neither among its frames nor in what the loop's area has been
    whole, frames = undisturbed("--until", "2", *short, "--variant", "loop")
    lilyan("run", "scene.yaml", "-o", "loop.h5", "--until", "1", *short, "--variant", "loop")
    longer = lilyan("run", "scene.yaml", "-o", "loop.h5", "--until", "2", *short, "--variant", "loop", "--resume", "--json")
    assert result(longer.stdout) == whole and fingerprint("loop.h5") == frames


def readable_while_it_runs():
    process = start("-o", "live.h5", "--until", "20" if SMALL else "150")
    lengths = []
    while process.poll() is None and len(lengths) < 1000:
        try:
            with h5py.File("live.h5", "r", swmr=True) as file:
                n = min(len(file[name]) for name in TRACKS)
                t = file["t"][:n]
                assert all(t[1:] > t[:-1])
                lengths.append(n)
        except OSError:
            pass  # not yet there
    assert process.wait() == 0
    assert lengths and lengths == sorted(lengths) and (SMALL or lengths[-1] > lengths[0]), lengths[-5:]


def refusals():
    lilyan("run", "scene.yaml", "-o", "a.h5", "--until", "1")
    with open("other.yaml", "w") as file:
        file.write(SCENE.replace("x: 0.4", "x: 0.5"))

    def refused(what, *arguments, lines=1):
        before = fingerprint("a.h5")
        error = lilyan("run", *arguments, code=1).stderr
        assert what in error and error.count("\n") == lines, error
        assert fingerprint("a.h5") == before

    refused("the scene has changed", "other.yaml", "-o", "a.h5", "--resume")
    refused("another variant", "scene.yaml", "-o", "a.h5", "--resume", "--variant", "gauss")
    refused("other overrides", "scene.yaml", "-o", "a.h5", "--resume", "--step", "0.002")
    refused("No such file", "scene.yaml", "-o", "no-folder/none.h5", "--resume", lines=2)  # it says that it would start
    os.mkdir("folder.h5")
    refused("a folder or a device", "scene.yaml", "-o", "folder.h5", "--resume")
    refused("exists already", "scene.yaml", "-o", "a.h5")
    for name, content in (("random.h5", random.Random(1).randbytes(5000)), ("empty.h5", b"")):
        with open(name, "wb") as file:
            file.write(content)
        refused("HDF5 cannot open it", "scene.yaml", "-o", name, "--resume")
        with open(name, "rb") as file:
            assert file.read() == content  # what is no trajectory may be something else that somebody wants
    with open("a.h5", "rb") as whole, open("cut.h5", "wb") as cut:
        cut.write(whole.read()[:3000])
    refused("cannot be resumed:", "scene.yaml", "-o", "cut.h5", "--resume")
    with h5py.File("foreign.h5", "w") as file:
        file["x"] = 1
    refused("cannot be resumed:", "scene.yaml", "-o", "foreign.h5", "--resume")
    lilyan("run", "scene.yaml", "-o", "newer.h5", "--until", "1")
    with h5py.File("newer.h5", "r+") as file:
        file["format"][...] = 99
    refused("newer Lilyan", "scene.yaml", "-o", "newer.h5", "--resume")
    assert "newer Lilyan" in lilyan("info", "newer.h5", code=1).stderr
    with h5py.File("a.h5", "r+") as file:  # as if another version, with another default, had written it
        file["integrator"][...] = b"rk4"
    refused("recorded it with rk4, but now the scene has ", "scene.yaml", "-o", "a.h5", "--resume")


def two_runs_on_one_output():
    long = ("-o", "one.h5", "--until", "40" if SMALL else "150")
    first = start(*long)
    while not os.path.exists("one.h5") and first.poll() is None:
        time.sleep(0.001)
    time.sleep(0.05)
    for mode in ("--force", "--resume"):
        second = start(*long, mode)
        _, error = second.communicate()
        if first.poll() is None:
            assert second.returncode == 1 and "another run is writing" in error, error
    assert first.wait() == 0, first.stderr.read()


def full_disk():
    """A small tmpfs, in a mount namespace of our own."""
    libc = ctypes.CDLL(None, use_errno=True)
    os.mkdir("small")
    if os.geteuid() != 0 or libc.mount(b"lilyan", b"small", b"tmpfs", 0, b"size=1m") != 0:
        print("       (no tmpfs can be mounted here: the full disk is not tried)")
        return
    try:
        whole, frames = undisturbed()
        error = lilyan("run", "scene.yaml", "-o", "small/full.h5", code=1).stderr
        assert "No space left" in error, error
        lilyan("info", "small/full.h5")
        with h5py.File("small/full.h5", "r", swmr=True) as file:
            kept = len(file["t"])
        assert kept > 1000, kept
        assert libc.mount(b"lilyan", b"small", b"tmpfs", 32, b"size=200m") == 0  # MS_REMOUNT: room is made
        assert result(lilyan("run", "scene.yaml", "-o", "small/full.h5", "--resume", "--json").stdout) == whole
        assert fingerprint("small/full.h5") == frames
    finally:
        libc.umount2(b"small", 2)


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("scene.yaml", "w") as file:
            file.write(SCENE)
        for test in (killed_at_random_moments, interrupted_and_terminated, interrupted_in_a_hard_step, every_method_resumes, bodies_resume, forms_of_frames_resume,
                     nothing_to_resume, variants_interrupted, variants_of_which_some_exist, a_shot_that_was_never_solved_starts,
                     two_runs_begin_at_once, a_finished_run_can_be_made_longer, readable_while_it_runs, refusals, two_runs_on_one_output, full_disk):
            if SMALL and test is interrupted_in_a_hard_step:
                continue  # 30 s until the step is hard; test_sim goes the same way through the code
            began = time.time()
            try:
                test()
                print(f"ok     {test.__name__} ({time.time() - began:.1f} s)")
            except AssertionError:
                failures += 1
                import traceback
                traceback.print_exc()
                print("FAILED", test.__name__)
        os.chdir("/")
    sys.exit(1 if failures else 0)


main()
