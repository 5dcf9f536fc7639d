"""Shots from outside: ended early, not converged, levels and costs in the file and in figures. Drives $LILYAN."""
import json
import os
import pty
import re
import signal
import subprocess
import sys

from command import call
import harness

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

LILYAN, SOURCE = os.environ["LILYAN"], os.environ["LILYAN_SOURCE"]
SCENES = os.path.join(SOURCE, "scenes")


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=120)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def letters(*options, **keywords):
    return lilyan("run", os.path.join(SCENES, "keys-letters.yaml"), "-o", "out.h5", "--force", *options, **keywords)


def status():
    with h5py.File("out.h5") as f:
        return f["status"][()].decode()


def keys_are_met():
    with h5py.File("out.h5") as f:
        q, frames = f["q"][:], f["shot/keys"][:, 0]
        assert len(q) == 193 and np.isfinite(q).all()
        # where the letter O closes, and where C begins
        assert np.array_equal(q[frames[2], :3], q[frames[2], 18:]) and np.array_equal(q[frames[3], :3], [1.18, 0, 0.111])


def interrupted(*options):
    """Progress is shown on a terminal. Ctrl-C then: how far it got is said, and all frames of the best shot so far are there."""
    terminal, slave = pty.openpty()
    process = subprocess.Popen([LILYAN, "run", os.path.join(SCENES, "keys-letters.yaml"), "-o", "out.h5", "--force", "--json", *options],
                               stdout=subprocess.PIPE, stderr=slave, text=True)
    os.close(slave)
    err = ""
    while not re.search(r"level \d+, iteration \d+, cost [-+.e\d]+", err):
        err += os.read(terminal, 1000).decode()
    process.send_signal(signal.SIGINT)
    out = process.communicate(timeout=60)[0]
    while "best so far is kept" not in err:
        err += os.read(terminal, 1000).decode()
    os.close(terminal)
    assert process.returncode == 130, (process.returncode, err)
    said = re.search(r"interrupted after iteration (\d+) of the shot, at cost ([-+.e\d]+): the best so far is kept", err)
    assert said, err
    keys = json.loads(out)["keys"]
    assert keys["iterations"] == int(said[1]) and abs(keys["cost"] / float(said[2]) - 1) < 1e-8 and not keys["converged"]
    assert re.match(r"interrupted: after iteration \d+, at cost", status()), status()
    keys_are_met()
    with h5py.File("out.h5") as f:
        costs = f["shot/cost"][:, 0]
        assert len(costs) == keys["iterations"] and keys["cost"] <= costs.min() * (1 + 1e-12)
    lilyan("report", "out.h5", "--force")
    lilyan("plot", "out.h5", "--what", "cost", "--force")
    return keys


def test_interrupted_local():
    keys = interrupted("--set", "shot.method=local", "--set", "shot.sweeps=[1000000]")
    assert keys["cost"] < 93, keys  # no worse than the spline it began with


def test_interrupted_global():
    # a shot that takes long: so stiff that it needs many iterations, and its damping is differenced
    interrupted("--set", "particles.chain.links.damping=0.01", "--set", "shot.smoothness=1000", "--set", "particles.chain.links.stiffness=1e7")


def not_converged(*options):
    done = letters("--json", *options, code=1)
    keys = json.loads(done.stdout)["keys"]
    said = re.search(r"the shot did not converge in (\d+) iterations: its frames still miss the solution by about ([-+.e\d]+) of its size; give it more "
                     r"(iterations|sweeps)", done.stderr)
    assert said and not keys["converged"] and int(said[1]) == keys["iterations"], done.stderr
    assert abs(keys["residual"] / float(said[2]) - 1) < 1e-2
    assert status().startswith("failed: the shot did not converge"), status()
    keys_are_met()
    with h5py.File("out.h5") as f:
        assert f["shot/residual"][0, 0] == keys["residual"]
    lilyan("report", "out.h5", "--force")
    return said[3]


def test_not_converged_global():
    assert not_converged("--set", "shot.iterations=3") == "iterations"


def test_not_converged_local():
    assert not_converged("--set", "shot.method=local", "--set", "shot.sweeps=[0]") == "sweeps"
    letters("--set", "shot.method=local", "--set", "shot.sweeps=[10]", "--set", "shot.tolerance=0.001", code=1)
    letters("--set", "shot.method=local", "--set", "shot.sweeps=[10]")


def test_killed():
    """Nobody can go on with a shot, and nobody is told to."""
    lilyan("run", os.path.join(SCENES, "keys-unphysical.yaml"), "-o", "out.h5")
    with h5py.File("out.h5", "r+") as f:
        f["status"][()] = b"running"
    told = lilyan("info", "out.h5").stdout
    assert "killed (a shot is solved as a whole: run it again)" in told and "--resume" not in told, told


def test_levels():
    """Every level is there, each with twice the frames of the one before and nearer to cos t (Figs. 4.4 and 6.2)."""
    lilyan("run", os.path.join(SCENES, "keys-oscillator.yaml"), "--variant", "local", "-o", "out.h5")
    with h5py.File("out.h5") as f:
        strides, t, level, cost = f["shot/strides"][:, 0], f["t"][:], f["shot/level"][:, 0], f["shot/cost"][:, 0]
        assert list(strides) == [32, 16, 8, 4, 2, 1]
        off = [abs(f[f"shot/levels/{i}"][::s, 0] - np.cos(t[::s])).max() for i, s in enumerate(strides)]
        assert all(b < a for a, b in zip(off[:-1], off[1:])) and off[-1] < off[0] / 40, off
        # half-sweeps of a level move its old frames and its new ones in turn (Fig. 5.3)
        steps = f["shot/steps"][:].reshape(len(level), len(t))
        assert np.array_equal(steps[-1], f["q"][:, 0])
        first = list(level).index(2)
        moved = [np.flatnonzero(steps[i + 1, ::8] != steps[i, ::8]) for i in range(first, first + 4)]
        assert [set(m % 2) for m in moved] == [{0}, {1}, {0}, {1}], moved
        assert np.array_equal(np.unique(level), range(6)) and (np.diff(level) >= 0).all() and cost[-1] < 1e-3 * cost[0]
    for what in ("levels", "relaxation", "cost"):
        lilyan("plot", "out.h5", "--what", what, "-o", f"{what}.svg")
    with open("levels.svg") as file:
        text = file.read()
    assert all(f"{n} frames" in text for n in (2, 4, 8, 16, 32, 64)), "the figure names its levels"
    lilyan("run", os.path.join(SCENES, "oscillator.yaml"), "-o", "plain.h5")
    assert "is not a shot: only a scene with 'keys' has levels and a cost" in lilyan("plot", "plain.h5", "--what", "levels", "-o", "x.svg", code=1).stderr


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
