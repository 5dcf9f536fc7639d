"""lilyan report from outside: what goes onto a page is what is in the file, and what cannot be shown is refused in a sentence."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
from command import call
from harness import read_page

LILYAN, SOURCE = os.environ["LILYAN"], os.environ["LILYAN_SOURCE"]


def lilyan(*arguments, code=0, says=None):
    done = call(arguments, timeout=120)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    if says:
        assert re.search(says, done.stderr) and done.stderr.count("\n") == 1, f"{says!r} is not in {done.stderr!r}"
    return done


def frames(run, block):
    """Places of all kept frames, back in full."""
    places = run["vertices"] + len(run["points"])
    chunks = range(run["first_chunk"], run["first_chunk"] + -(-run["kept"] // run["chunk"]))
    q = np.concatenate([block(i, "<u2") for i in chunks]).reshape(run["kept"], places, 3) / 65535
    corners, sizes = block(run["corners"], "<f8").reshape(-1, 1, 3), block(run["sizes"], "<f4").reshape(-1, 1, 3)
    return corners + sizes * q, sizes


def test_places_and_meshes():
    lilyan("run", os.path.join(SOURCE, "scenes/hanging-jelly.yaml"), "--until", "1", "-o", "jelly.h5")
    assert lilyan("report", "jelly.h5").stdout == "wrote jelly.html\n"
    header, block = read_page("jelly.html")
    (run,) = header["runs"]
    places, sizes = frames(run, block)
    with h5py.File("jelly.h5") as file:
        q = file["q"][()].reshape(len(file["t"]), -1, 3)
        # half of 1/65535 of a frame's box, and the rounding of its size to a float
        assert (np.abs(places - q) <= sizes * (0.5 / 65535 + 2**-23)).all()
        assert (block(run["times"], "<f8") == file["t"][()]).all()
        (body,) = run["bodies"]
        for name in ("faces", "tets"):
            assert (block(body[name], "<u4") == file[f"bodies/jelly/{name}"][()].ravel()).all()
        series = {s["name"]: s for s in run["series"]}
        both = block(series["total"]["block"], "<f8")
        assert (both[both.size // 2:] == file["energy"][()]).all()
        both = block(series["kinetic"]["block"], "<f8")
        assert (both[both.size // 2:] == file["energy"][()] - file["potential"][()]).all()
        assert run["certificate"]["damping_requested"] == 0.01
    assert {"chin_x", "chin_z", "elastic", "dissipated", "external work"} <= series.keys()


def test_thinning():
    """Two-thousand points at most, and the least and the most of all frames among them."""
    with open("many.yaml", "w") as file:
        file.write("lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 1}\nintegrator: midpoint\nobserve: {x3: x^3}\n"
                   "time: {step: 0.01, until: 300}\nrecord: {every: 1}\ndraw: {points: {a: [x, 2*x, 0]}}\n")
    lilyan("run", "many.yaml", "-o", "many.h5")
    lilyan("report", "many.h5")
    header, block = read_page("many.html")
    run = header["runs"][0]
    with h5py.File("many.h5") as file:
        x3, t = file["observe/x3"][()], file["t"][()]
    (series,) = [s for s in run["series"] if s["name"] == "x3"]
    both = block(series["block"], "<f8")
    ts, ys = both[:series["count"]], both[series["count"]:]
    assert len(x3) == 30001 and 1000 < series["count"] <= 2000
    assert (np.diff(ts) > 0).all() and (x3[np.searchsorted(t, ts)] == ys).all()
    assert ys.min() == x3.min() == series["min"] and ys.max() == x3.max() == series["max"]
    each = -(-len(x3) // 1000)  # frames in a stretch
    kept = set(ys)
    for k in range(0, len(x3), each):
        assert {x3[k:k + each].min(), x3[k:k + each].max()} <= kept, f"a peak after frame {k} is lost"
    assert series["first"] == x3[0] and series["last"] == x3[-1]
    assert run["stride"] == 1 and run["kept"] == 30001
    assert run["phase"]["count"] <= 4000


def seal(row):
    """FNV-1a over a checkpoint's numbers, as two numbers below 2^32: src/record/file/checkpoint.c."""
    value = 0xcbf29ce484222325
    for byte in row[:-2].tobytes():
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    row[-2:] = value & 0xffffffff, value >> 32


def grow(path, count):
    """A run of `count` frames out of one of two: it swings sideways."""
    with h5py.File(path, "r+") as file:
        rest = file["q"][0]
        for name in ("elastic", "dissipated", "external_work", "linear_momentum", "angular_momentum", "iterations",
                     "observe/chin_x", "observe/chin_z"):
            del file[name]
        for name in ("t", "q", "v", "p", "energy", "potential"):
            shape = (count, *file[name].shape[1:])
            del file[name]
            file.create_dataset(name, shape, "f4" if len(shape) > 1 else "f8", chunks=(1, *shape[1:]) if len(shape) > 1 else None)
        file["t"][:] = np.arange(count) / 100
        for k in range(count):
            file["q"][k] = rest + np.sin(k / 7) * np.tile([1, 0, 0], len(rest) // 3)
        rows = file["checkpoint"][()]
        rows[:, 1] = count
        for row in rows:
            seal(row)
        file["checkpoint"][:] = rows


def test_a_page_has_a_limit():
    """Frames are thinned so that it fits, and the last one is there."""
    count = 2502
    lilyan("run", os.path.join(SOURCE, "scenes/hanging-jelly.yaml"), "--set", "bodies.jelly.shape.cells=[9, 9, 14]",
           "--set", "time.step=0.001", "--until", "0.001", "-o", "big.h5")
    grow("big.h5", count)
    lilyan("report", "big.h5")
    assert 15e6 < os.path.getsize("big.html") < 25e6
    header, block = read_page("big.html")
    run = header["runs"][0]
    kept = sorted({*range(0, count, run["stride"]), count - 1})
    assert run["frames"] == count and run["stride"] == 2 and run["kept"] == len(kept)
    places, sizes = frames(run, block)
    with h5py.File("big.h5") as file:
        q = file["q"][()].reshape(count, -1, 3)[kept]
        assert (np.abs(places - q) <= sizes * (0.5 / 65535 + 2**-23)).all()
        assert (block(run["times"], "<f8") == file["t"][()][kept]).all()


def test_several_runs():
    lilyan("run", os.path.join(SOURCE, "scenes/pendulum.yaml"), "--variants", "--until", "2", "-o", "p.h5")
    lilyan("report", "p.midpoint.h5", "p.explicit-euler.h5", "-o", "p.html")
    header, _ = read_page("p.html")
    assert [run["variant"] for run in header["runs"]] == ["midpoint", "explicit-euler"]
    # many runs on one page lose no points that there is room for
    lilyan("report", *["p.midpoint.h5"] * 12, "-o", "p12.html")
    header, _ = read_page("p12.html")
    assert all(series["count"] == run["frames"] > 150 for run in header["runs"] for series in run["series"])
    lilyan("report", *["p.midpoint.h5"] * 33, "-o", "p33.html", code=2, says="at most 32 runs")
    assert not os.path.exists("p33.html")


def test_names_are_harmless():
    lilyan("run", os.path.join(SOURCE, "scenes/pendulum.yaml"), "--until", "1", "-o", "h.h5")
    with h5py.File("h.h5", "r+") as file:
        del file["status"]
        file["status"] = np.bytes_("</script><script>alert(1)</script><!--".ljust(256, "\0"))
    lilyan("report", "h.h5")
    with open("h.html") as file:
        data = re.search(r'id="lilyan">(.*)\n', file.read())[1]
    assert data.count("<") == 1 and data.endswith("</script>")
    assert read_page("h.html")[0]["runs"][0]["status"].startswith("</script>")


def test_killed():
    process = subprocess.Popen([LILYAN, "run", os.path.join(SOURCE, "scenes/elastic-rod.yaml"), "-o", "killed.h5"],
                               stdout=subprocess.DEVNULL)
    for _ in range(200):
        time.sleep(0.05)
        info = call(["info", "killed.h5"])
        if info.returncode == 0 and not re.search(r"frames +[01]\b", info.stdout):
            break
    lilyan("report", "killed.h5", "-o", "running.html", says="killed.h5: its run has not ended yet: it has ")
    assert read_page("running.html")[0]["runs"][0]["status"] == "running"
    process.send_signal(signal.SIGKILL)
    process.wait()
    lilyan("report", "killed.h5", says="killed.h5: its run was killed: it has ")
    run = read_page("killed.html")[0]["runs"][0]
    assert run["status"] == "killed" and run["frames"] > 1


def test_refusals():
    lilyan("run", os.path.join(SOURCE, "scenes/pendulum.yaml"), "--until", "1", "-o", "r.h5")
    lilyan("report", "r.h5")
    with open("r.html") as file:
        before = file.read()
    lilyan("report", "r.h5", code=1, says=r"r\.html: exists already \(--force replaces it\)")
    lilyan("report", "r.h5", "--force")
    with open("r.html") as file:
        assert file.read() == before
    lilyan("report", code=2, says="name a trajectory")
    lilyan("report", "r.h5", "--fast", code=2, says="unknown option '--fast'")
    lilyan("report", "r.h5", "-o", code=2, says="needs a value")
    lilyan("report", "r.h5", "-o", "r.h5", "--force", code=1, says="would replace the trajectory itself")
    lilyan("report", "none.h5", code=1, says="none.h5: No such file")
    lilyan("report", "r.h5", "-o", "no/such/folder.html", code=1, says="folder.html: cannot be written")
    lilyan("report", "r.h5", "-o", ".", "--force", code=1, says="is a folder")
    lilyan("report", "r.h5", "-o", "/dev/full", "--force", code=1, says="is a device or a pipe")
    with open("text.h5", "w") as file:
        file.write("not HDF5")
    lilyan("report", "text.h5", code=1, says="not a trajectory")
    lilyan("report", "r.h5", "text.h5", "-o", "both.html", code=1, says="text.h5: not a trajectory")
    with h5py.File("r.h5", "r+") as file:
        file["format"][...] = 99
    lilyan("report", "r.h5", "-o", "x.html", code=1, says="written by a newer Lilyan")
    assert not [name for name in os.listdir() if name.endswith(".part") or name in ("x.html", "both.html")]


def test_no_frames():
    lilyan("run", os.path.join(SOURCE, "scenes/pendulum.yaml"), "--until", "1", "-o", "f.h5")
    with h5py.File("f.h5", "r+") as file:
        for name in ("t", "q", "p", "v", "energy", "potential"):
            file[name].resize(0, axis=0)
    lilyan("report", "f.h5", code=1, says="f.h5: has no frames")
    assert not os.path.exists("f.html")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        lilyan("run", os.path.join(SOURCE, "scenes/pendulum.yaml"), "--until", "0.1", "-o", "probe.h5")
        probe = call(["report", "probe.h5"])
        if "built without its pages" in probe.stderr:
            print("skipped: built without npm")
            sys.exit(77)
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test()
                print(f"{name}: ok", flush=True)
        os.chdir("/")


main()
