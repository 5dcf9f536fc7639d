"""The trajectory file: what h5py finds in it, and that it is what was computed. Frames, CSV, info, broken files."""
import json
import os
import signal
import subprocess
import sys
import time

from command import LILYAN, call
import harness

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

EPS = np.finfo(float).eps

SCENE = """\
# two coupled masses on a spring that hardens: constant mass, not diagonal
lagrangian: 1/2*m1*dx^2 + 1/2*m2*dy^2 + c*dx*dy - 1/2*k*(x - y)^2 - x^4/4
parameters: {m1: 2, m2: 3, c: 0.5, k: 4}
start: {x: 1.1, y: -0.3, dx: 0.2, dy: 0.7}
observe: {momentum: (m1 + c)*dx + (m2 + c)*dy, stretch: {value: x - y, invariant: false}}
draw:
  points: {left: [x, 0, 1], right: [y, x*y, -2]}
  links: [[left, right], [origin, left]]
integrator: midpoint
time: {step: 0.01, until: 30}
variants:
  verlet: {integrator: stormer-verlet}
"""
M = np.array([[2, 0.5], [0.5, 3]])
CERTIFICATE = """energy_initial energy_final energy_min energy_max energy_band energy_drift relative_energy_error linear_momentum_drift angular_momentum_drift
constraint_max gradient_max penetration_max penetration_relative penetration_time gap_min contact_pairs contact_energy d_hat_min d_hat_max barrier_stiffness_min barrier_stiffness_max
intersections contact_implicit_euler contact_implicit_euler_loss contact_steps contact_pseudo_transient contact_halved contact_energy_error_max first_contact contact_stiffness h_omega_c min_volume_ratio energy_dissipated friction_loss restitution_loss
external_work damping_requested damping_measured halved_steps shifted_steps element_updates newton_iterations linear_iterations rest_iterations rest_residual""".split()


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=60)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def run(scene, *options):
    """Runs the text as a scene; returns the JSON and the file, read whole."""
    with open("scene.yaml", "w") as file:
        file.write(scene)
    result = json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options).stdout)
    return result, read("out.h5")


WARNINGS = ["long_step", "energy", "resonance", "hard_steps", "stiff_contact", "passes_through", "penetration", "constraints", "no_contact", "tension"]


def read(path):
    data = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            data[name] = item.asstr()[()] if h5py.check_string_dtype(item.dtype) else item[()]

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return data


def names_and_shapes():
    result, data = run(SCENE)
    frames = len(data["t"])
    numbers = {"t": (), "energy": (), "potential": (), "iterations": (), "observe/momentum": (), "observe/stretch": ()}
    rows = {"q": (2,), "p": (2,), "v": (2,), "draw/left": (3,), "draw/right": (3,)}
    texts = {"scene", "variant", "overrides", "integrator", "version", "status"}
    certificate = {f"certificate/{name}" for name in CERTIFICATE}
    rest = {"names", "points", "links", "format", "checkpoint", "record/fps", "record/every"}
    warnings = {f"warnings/{kind}" for kind in WARNINGS}
    assert set(data) == set(numbers) | set(rows) | texts | certificate | warnings | rest, sorted(data)
    for name, shape in (numbers | rows).items():
        assert data[name].shape == (frames, *shape) and data[name].dtype == np.float64, name
        assert np.isfinite(data[name]).all(), name
    assert list(data["names"]) == ["x", "y"] == result["final"]["names"]
    assert data["scene"] == SCENE
    assert data["variant"] == "" and data["overrides"] == ""
    assert data["integrator"] == "midpoint" and data["status"] == "complete"
    assert data["version"] in lilyan("--version").stdout.split()
    assert frames == result["frames"]
    for name in CERTIFICATE:
        value = data[f"certificate/{name}"]
        same = result["certificate"][name] == value if np.isfinite(value) else result["certificate"][name] is None
        assert same, name


def frames_are_consistent():
    """p = M v, and energies from q and p: a dozen operations each, so a dozen eps of what is added up."""
    _, data = run(SCENE)
    q, p, v = data["q"], data["p"], data["v"]
    x, y = q.T
    assert np.abs(v @ M - p).max() <= 12 * EPS * np.abs(p).max()
    W = 4 * (x - y) ** 2 / 2 + x**4 / 4
    T = (p * np.linalg.solve(M, p.T).T).sum(axis=1) / 2
    size = 12 * EPS * np.abs(data["energy"]).max()
    assert np.abs(data["potential"] - W).max() <= size
    assert np.abs(data["energy"] - T - W).max() <= size
    # midpoint is symplectic: the energy oscillates with h^2 = 1e-4 of itself, and is not constant
    assert 1e-9 < np.ptp(data["energy"]) < 1e-3 * data["energy"][0]
    momentum = 2.5 * v[:, 0] + 3.5 * v[:, 1]
    assert np.abs(data["observe/momentum"] - momentum).max() <= 12 * EPS * np.abs(p).max()
    assert (data["observe/stretch"] == x - y).all()
    assert (data["draw/left"] == np.stack([x, 0 * x, 1 + 0 * x], axis=1)).all()
    assert (data["draw/right"] == np.stack([y, x * y, -2 + 0 * x], axis=1)).all()


def first_and_last_frame():
    result, data = run(SCENE)
    assert (data["q"][0] == [1.1, -0.3]).all() and (data["v"][0] == [0.2, 0.7]).all()
    # to the last bit: JSON has 17 digits
    assert data["q"][-1].tolist() == result["final"]["q"]
    assert data["p"][-1].tolist() == result["final"]["p"]
    assert data["t"][-1] == result["time"] == 3000 * 0.01
    for name, o in result["observables"].items():
        assert data[f"observe/{name}"][0] == o["first"] and data[f"observe/{name}"][-1] == o["last"]
        assert o["min"] <= data[f"observe/{name}"].min() and data[f"observe/{name}"].max() <= o["max"]
    c = result["certificate"]
    assert data["energy"][0] == c["energy_initial"] and data["energy"][-1] == c["energy_final"]
    assert c["energy_min"] <= data["energy"].min() and data["energy"].max() <= c["energy_max"]


def frames_wanted(options, steps, expected, start=0.0, step=0.01):
    result, data = run(SCENE, *options)
    assert result["steps"] == steps
    # by multiplication, not by addition: on the grid to the last bit
    assert (data["t"] == start + np.asarray(expected, float) * step).all(), (options, data["t"])


def which_frames():
    every = lambda n, steps: sorted({*range(0, steps, n), steps})
    frames_wanted(["--set", "record.every=7"], 3000, every(7, 3000))
    frames_wanted(["--set", "record.every=5000"], 3000, [0, 3000])
    fps = sorted({min(3000, int(np.floor(j / (24 * 0.01) + 0.5))) for j in range(721)})
    frames_wanted(["--set", "record.fps=24"], 3000, fps)
    frames_wanted(["--set", "record.fps=100"], 3000, range(3001))
    frames_wanted(["--set", "time.start=5", "--until", "6"], 100, range(101), start=5.0)
    frames_wanted(["--set", "time.start=-1", "--until", "-0.7", "--step", "0.1"], 3, range(4), start=-1.0, step=0.1)
    for steps in 1, 1999, 2000, 2001, 3996, 3997, 20000:
        _, data = run(SCENE, "--step", "1/4096", "--until", str(steps / 4096))
        assert min(steps + 1, 1000) <= len(data["t"]) <= 2000, (steps, len(data["t"]))
        assert data["t"][0] == 0 and data["t"][-1] == steps / 4096 and (np.diff(data["t"]) > 0).all()


def frames_do_not_change_the_motion():
    """What is recorded, and how often, has no influence on what is computed."""
    _, coarse = run(SCENE, "--set", "record.every=10")
    _, fine = run(SCENE, "--set", "record.every=1")
    for name in "q", "p", "v", "energy", "observe/momentum":
        assert (fine[name][::10] == coarse[name]).all(), name


BODY = """\
bodies: {jelly: {shape: {type: box, cells: [9, 9, 9]}, material: jelly, start: {spin: [1, 2, 3]}}}
gravity: 9.81
observe: {z: "jelly[3]"}
integrator: midpoint
time: {step: 0.01, until: 0.1}
"""


def forms_of_frames():
    """A float has 24 bits, so it is off by 2^-24 = 6e-8 of itself. All else has the same bits, checkpoints included."""
    same = lambda a, b, names: all(a[name].tobytes() == b[name].tobytes() for name in names)
    always = ("t", "energy", "potential", "elastic", "linear_momentum", "observe/z", "checkpoint")
    double, size = run(BODY)[1], os.path.getsize("out.h5")
    row = double["q"].shape
    assert row == (11, 3000) and all(double[name].dtype == np.float64 for name in "qvp") and "record/what" not in double
    rough = run(BODY, "--set", "record.precision=float")[1]
    assert same(double, rough, always)
    for name in "qvp":
        assert rough[name].dtype == np.float32 and rough[name].shape == row
        assert (rough[name] == double[name].astype(np.float32)).all(), name
        assert np.abs(rough[name] - double[name]).max() <= 2**-24 * np.abs(double[name]).max()
    assert "q (float) v (float) p (float)" in lilyan("info", "out.h5").stdout
    assert os.path.getsize("out.h5") < 0.65 * size  # checkpoints and the mesh stay as they are
    packed = run(BODY, "--set", "record.compress=true")[1]
    assert same(double, packed, always + ("q", "v", "p"))
    with h5py.File("out.h5", "r") as file:
        assert file["q"].compression == "gzip" and file["q"].compression_opts == 1 and file["t"].compression is None
    run(BODY, "--set", "record.compress=9")
    with h5py.File("out.h5", "r") as file:
        assert file["q"].compression_opts == 9
    for what in (["q"], ["q", "v"], ["p"], []):
        part = run(BODY, "--set", f"record.what=[{', '.join(what)}]")[1]
        assert same(double, part, always + tuple(what)) and part["record/what"] == " ".join(what)
        assert not set("qvp") - set(what) & set(part), (what, sorted(part))


def readers_of_parts():
    """Whoever needs what was not recorded says so in one sentence, and writes nothing; the others work."""
    run(BODY, "--set", "record.what=[q]")
    for command in (["check"], ["report", "--force"], ["export", "--to", "mdd", "-o", "mdd"], ["export", "--to", "vtu", "-o", "vtu"],
                    ["export", "--to", "csv", "-o", "-", "--fps", "24"], ["plot", "--what", "energy,jelly.3.z", "-o", "f.svg", "--force"]):
        lilyan(command[0], "out.h5", *command[1:])
    assert not any("velocity" in open(f"vtu/{name}", "rb").read().decode("latin1") for name in os.listdir("vtu") if name.endswith("vtu"))
    needs = [(["plot", "--what", "phase", "-o", "g.svg"], "p")]
    for _ in range(2):
        for command, name in needs:
            error = lilyan(command[0], "out.h5", *command[1:], code=1).stderr
            assert f"out.h5: has no /{name}, which this needs" in error and error.count("\n") == 1, error
            assert not any(os.path.exists(out) for out in ("g.svg", "new.html", "new")), command
        run(BODY, "--set", "record.what=[v]")
        needs = [(["check"], "q"), (["report", "-o", "new.html"], "q"), (["export", "--to", "mdd", "-o", "new"], "q"),
                 (["export", "--to", "vtu", "-o", "new"], "q")]
    # a cubic through four positions, where there are no velocities: 3/128 h^4 of the fourth derivative at its middle interval
    scene = "lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 1}\nintegrator: stormer-verlet\ntime: {step: 0.001, until: 2}\n"
    run(scene, "--set", "record={every: 100, what: [q]}")
    lines = lilyan("export", "out.h5", "--to", "csv", "-o", "-", "--fps", "20").stdout.splitlines()
    t, x = np.array([[float(y) for y in line.split(",")[:2]] for line in lines[1:]]).T
    inner = (t > 0.1) & (t < 1.9)
    assert lines[0].split(",")[:3] == ["t", "x", "energy"] and np.abs(x - np.cos(t))[inner].max() < 3 / 128 * 0.1**4 * 1.1


def variants_and_overrides():
    run(SCENE)
    lilyan("run", "scene.yaml", "--variants", "--force", "--until", "1", "--set", "parameters.k=5", "-o", "out.h5")
    data = read("out.verlet.h5")
    assert data["variant"] == "verlet" and data["integrator"] == "stormer-verlet"
    assert data["overrides"].splitlines() == ["time.until=1", "parameters.k=5"], data["overrides"]
    assert data["scene"] == SCENE and data["t"][-1] == 100 * 0.01
    assert abs(data["potential"][0] - (5 * 1.4**2 / 2 + 1.1**4 / 4)) < 12 * EPS * 10
    text = lilyan("info", "out.verlet.h5").stdout
    assert "variant      verlet" in text


def variants_make_a_table():
    """Every variant has its line, also the one that ends early and the one that is refused."""
    with open("fall.yaml", "w") as file:
        file.write("""
lagrangian: 1/2*dx^2 - log(x)
start: {x: 1}
time: {step: 0.01, until: 0.5}
variants:
  short: {integrator: stormer-verlet}
  long: {integrator: midpoint, time: {until: 9}}
  wrong: {integrator: nonsense}
""")
    done = lilyan("run", "fall.yaml", "--variants", code=1)
    titles, rule, *rows, wrote = (line.strip("| ").split("|") for line in done.stdout.splitlines())
    lines = {row[0].strip(): dict(zip((t.strip() for t in titles), (cell.strip() for cell in row))) for row in rows}
    assert wrote == ["wrote fall.*.h5"] and len(rule) == len(titles) and list(lines) == ["short", "long", "wrong"], done.stdout
    short, long = read("fall.short.h5"), read("fall.long.h5")
    assert (lines["short"]["method"], lines["short"]["steps"], lines["short"]["ended"]) == ("stormer-verlet", "50", "complete")
    assert lines["long"]["ended"] == f"at t = {long['t'][-1]:.6g} s" and float(lines["long"]["time, s"]) > 0
    assert lines["wrong"]["ended"] == "refused" and lines["wrong"]["steps"] == "-"
    energy = short["energy"]
    scale = energy.max() - short["potential"].min()
    assert abs(float(lines["short"]["band"]) / ((energy.max() - energy.min()) / scale) - 1) < 0.05, lines["short"]
    table = lilyan("info", "fall.long.h5", "fall.short.h5").stdout.splitlines()
    assert table[2].endswith("early    |") and table[3].endswith("complete |"), table


def csv_loses_nothing():
    _, data = run(SCENE, "--set", "time.start=0.1", "--until", "30.1")
    lilyan("export", "out.h5", "--to", "csv", "-o", "out.csv", "--force")
    with open("out.csv") as file:
        header = file.readline().strip().split(",")
        rows = np.array([[float(x) for x in line.split(",")] for line in file])
    columns = dict(zip(header, rows.T))
    expected = {name: data[name] for name in ("t", "energy", "potential", "iterations")}
    for i, name in enumerate(data["names"]):
        expected |= {name: data["q"][:, i], f"d{name}": data["v"][:, i], f"p_{name}": data["p"][:, i]}
    for name in "momentum", "stretch":
        expected[name] = data[f"observe/{name}"]
    for name in "left", "right":
        expected |= {f"{name}.{axis}": data[f"draw/{name}"][:, i] for i, axis in enumerate("xyz")}
    assert set(columns) == set(expected) and len(header) == len(expected), header
    for name, column in expected.items():
        assert (columns[name] == column).all() and len(columns[name]) == len(column), name
    with open("out.csv") as file:
        assert file.read() == lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout
    assert "exists already" in lilyan("export", "out.h5", "--to", "csv", code=1).stderr
    assert "cannot be written" in lilyan("export", "out.h5", "--to", "csv", "-o", "no/such/folder.csv", code=1).stderr


def info_describes_it():
    result, data = run(SCENE)
    text = lilyan("info", "out.h5").stdout
    for line in (
        f"written by   Lilyan {data['version']}",
        "status       complete",
        "integrator   midpoint",
        "coordinates  2: x y",
        f"frames       {len(data['t'])}, t = 0 to 30 s",
    ):
        assert line in text.splitlines(), (line, text)
    assert "observe/momentum" in text and "draw/left" in text
    assert f"energy_initial         {result['certificate']['energy_initial']:.10g} J" in text, text
    assert "penetration_max" not in text  # does not apply


def bodies_are_whole():
    """Vertices that are held, moved and anchors are there too; info counts them, and CSV has a column for each."""
    with open("solid.yaml", "w") as file:
        file.write("""
bodies:
  jelly:
    shape: {type: box, cells: [1, 1, 1]}
    material: jelly
    handles: {select: bottom, move: ["0.1*sin(9*t)", 0, 0]}
    springs: {from: {vertices: [7]}, to: [0, 0, 3], stiffness: 1}
  rod: {shape: {type: bar, cells: [2, 1, 1]}, at: [0, 0, 3], material: rubber, start: {spin: [0, 0, 1]}, fixed: left}
time: {step: 0.01, until: 0.1}
variants: {explicit: {integrator: stormer-verlet, time: {step: 0.0005}}}
""")
    lilyan("run", "solid.yaml", "-o", "solid.h5")
    data = read("solid.h5")
    names = [f"{body}.{i}.{axis}" for body, n in (("jelly", 8), ("rod", 12), ("anchor", 1)) for i in range(n) for axis in "xyz"]
    assert list(data["names"]) == names, data["names"]
    with h5py.File("solid.h5", "r") as file:
        for body, first, n in ("jelly", 0, 8), ("rod", 8, 12):
            part = file[f"bodies/{body}"]
            assert part["first"][...].item() == first and part["rest"].shape == (n, 3) and part["tets"][...].max() == n - 1
            assert (part["rest"][...] == data["q"][0, 3 * first:3 * (first + n)].reshape(n, 3)).all()
        fixed = 3 * (8 + np.flatnonzero(file["bodies/rod/rest"][:, 0] == -0.5)) + 1
    assert len(fixed) and (data["q"][:, fixed] == data["q"][0, fixed]).all() and (data["v"][:, fixed] == 0).all()
    bottom = np.flatnonzero(data["q"][0, 2:24:3] == -0.5)
    assert np.abs(data["q"][:, 3 * bottom] - data["q"][0, 3 * bottom] - 0.1 * np.sin(9 * data["t"])[:, None]).max() < 4 * EPS
    text = lilyan("info", "solid.h5").stdout
    assert "coordinates  63: jelly (8 vertices), rod (12 vertices), anchor (1 vertex)" in text.splitlines(), text
    assert "halved_steps" in text and "min_volume_ratio" in text
    lilyan("run", "solid.yaml", "-o", "solid.h5", "--variants")
    table = lilyan("info", "solid.h5", "solid.explicit.h5").stdout.splitlines()
    assert len(table) == 4 and "energy-momentum" in table[2] and "stormer-verlet" in table[3], table
    lines = lilyan("export", "solid.h5", "--to", "csv", "-o", "-").stdout.splitlines()
    header = lines[0].split(",")
    more = ("elastic", "dissipated", "external_work", "linear_momentum", "angular_momentum", "iterations")
    columns = [f"{name}.{axis}" if data[name].ndim == 2 else name for name in more
               for axis in ("xyz" if data[name].ndim == 2 else "x")]
    assert header == ["t", *names, *(f"d{n}" for n in names), *(f"p_{n}" for n in names), "energy", "potential", *columns], header
    rows = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    assert (rows == np.column_stack([data[k] for k in ("t", "q", "v", "p", "energy", "potential", *more)])).all()
    # what is recorded beside the state agrees with it
    p, q = (data[k].reshape(len(rows), -1, 3) for k in "pq")
    size = np.abs(p).sum()
    assert np.abs(p.sum(1) - data["linear_momentum"]).max() < 1e-14 * size
    # about another point angular momentum differs by an arm x P, which has no part along P
    along = ((np.cross(q, p).sum(1) - data["angular_momentum"]) * p.sum(1)).sum(1)
    assert np.abs(along).max() < 1e-12 * size**2
    assert (data["springs"] == [[7, 20]]).all()
    assert (data["elastic"] >= -1e-12).all() and np.allclose(data["elastic"], data["potential"], atol=1e-12)


def a_run_that_ends_early_keeps_its_frames():
    scene = "lagrangian: 1/2*dx^2 - log(x)\nstart: {x: 1}\ntime: {step: 0.01, until: 9}\n"
    with open("fall.yaml", "w") as file:
        file.write(scene)
    error = lilyan("run", "fall.yaml", "--json", code=1)
    assert error.stdout == "" and "keeps the frames recorded until then," in error.stderr, error.stderr
    data = read("fall.h5")
    frames = len(data["t"])
    assert data["status"].startswith("failed: ") and 50 < frames < 200, (data["status"], frames)
    assert np.isfinite(data["q"]).all() and (data["q"] > 0).all() and np.isfinite(data["energy"]).all()
    assert all(len(data[name]) == frames for name in ("q", "p", "v", "energy", "potential"))
    assert "failed: " in lilyan("info", "fall.h5").stdout
    assert "exists already" in lilyan("run", "fall.yaml", code=1).stderr
    assert len(read("fall.h5")["t"]) == frames


def ctrl_c_keeps_its_frames():
    run(SCENE)
    process = subprocess.Popen(
        [LILYAN, "run", "scene.yaml", "-o", "long.h5", "--until", "1e7", "--set", "record.every=100", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while not os.path.exists("long.h5"):
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    result, data = json.loads(out), read("long.h5")
    assert data["status"] == "interrupted" and len(data["t"]) == result["frames"] > 1
    assert data["t"][-1] <= result["time"] < data["t"][-1] + 100 * 0.01


def broken_files_are_refused():
    """Whatever is in the file: one sentence, exit code 1, no crash and no other memory touched."""
    run(SCENE)

    def replaced(name, **dataset):
        def change(file):
            del file[name]
            file.create_dataset(name, **dataset)

        return change

    def without(name):
        return lambda file: file.__delitem__(name)

    changes = [without(name) for name in ("t", "q", "energy", "names", "status", "version", "integrator")]
    changes += [
        replaced("t", data=np.zeros((1501, 50))),
        replaced("t", data=np.zeros(())),
        replaced("t", data=np.zeros((3, 3, 3))),
        replaced("t", data=["a", "b"]),
        replaced("energy", data=np.zeros((1501, 1000))),
        replaced("q", data=np.zeros((1501, 7))),
        replaced("q", data=np.zeros(1501)),
        replaced("observe/stretch", data=np.zeros((1501, 2))),
        replaced("draw/left", data=np.zeros((1501, 1000))),
        replaced("draw/left", shape=(1501, 900_000_000), dtype=float, chunks=(1, 1024)),
        replaced("names", data=["x", "y", "z"]),
        replaced("names", data=np.zeros(2)),
        replaced("status", data=np.zeros(2)),
    ]
    with open("out.h5", "rb") as file:
        whole = file.read()
    for number, change in enumerate(changes):
        with open("broken.h5", "wb") as file:
            file.write(whole)
        with h5py.File("broken.h5", "r+") as file:
            change(file)
        for arguments in ["info", "broken.h5"], ["export", "broken.h5", "--to", "csv", "-o", "-"]:
            done = call(arguments)
            assert done.returncode == 1 and "broken.h5: " in done.stderr, (number, done.returncode, done.stderr)

    # a certificate that is no number is passed over
    with h5py.File("out.h5", "r+") as file:
        replaced("certificate/energy_min", data=np.ones(5000))(file)
    assert "energy_min" not in lilyan("info", "out.h5").stdout

    # tracks of different lengths (a crash): the shortest counts
    with h5py.File("out.h5", "r+") as file:
        file["p"].resize(11, axis=0)
    assert "frames       11, t = 0 to 0.2 s" in lilyan("info", "out.h5").stdout
    assert len(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout.splitlines()) == 12

    for size in 0, 7, 100, 3000, len(whole) // 2:
        with open("broken.h5", "wb") as file:
            file.write(whole[:size])
        assert "broken.h5: " in lilyan("info", "broken.h5", code=1).stderr, size
    with h5py.File("broken.h5", "w") as file:
        file["other"] = 1
    assert "not a Lilyan trajectory" in lilyan("info", "broken.h5", code=1).stderr
    assert "nowhere.h5" in lilyan("info", "nowhere.h5", code=1).stderr


harness.run([names_and_shapes, frames_are_consistent, first_and_last_frame, which_frames,
             frames_do_not_change_the_motion, forms_of_frames, readers_of_parts, variants_and_overrides, variants_make_a_table, csv_loses_nothing, info_describes_it,
             bodies_are_whole,
             a_run_that_ends_early_keeps_its_frames, ctrl_c_keeps_its_frames, broken_files_are_refused])
