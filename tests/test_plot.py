"""lilyan plot: figures are SVG whose lines, read back through their axes, are the trajectory. Drives $LILYAN from outside."""
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

from command import LILYAN, call
import harness

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SVG = "{http://www.w3.org/2000/svg}"

SCENE = """\
lagrangian: 1/2*dtheta^2 + 9.81*cos(theta)
start: {theta: 2}
observe: {height: {value: 1 - cos(theta), invariant: false}}
draw: {points: {bob: [sin(theta), 0, -cos(theta)]}}
integrator: midpoint
time: {step: 0.01, until: 10}
variants:
  explicit-euler: {integrator: explicit-euler}
  short: {integrator: stormer-verlet, time: {until: 4}}
"""
BODY = """\
bodies:
  b: {shape: {type: bar, cells: [2, 1, 1]}, material: jelly, start: {stretch: 1.2, spin: [1, 2, 3], push: [1, 0, 0]}}
integrator: symplectic-euler
time: {step: 0.001, until: 1}
"""
LOOP = """\
lagrangian: 1/2*dtheta^2 + 9.81*cos(theta)
start: {theta: 1}
loop: {centre: {theta: 1}, radius: 0.3, points: 50}
integrator: midpoint
time: {step: 0.02, until: 1}
"""


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=60)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def run(name, scene, *options):
    with open(f"{name}.yaml", "w") as file:
        file.write(scene)
    lilyan("run", f"{name}.yaml", "-o", f"{name}.h5", "--force", *options)


def change(source, path, function):
    shutil.copy(source, path)
    with h5py.File(path, "r+") as file:
        function(file)


# ---- a figure, read back ----


def text_of(element):
    return "".join(element.itertext()).replace("\u2212", "-")


def power_of(text):
    """Where a label says 10 with a raised exponent."""
    raised = [e for e in text.iter(f"{SVG}tspan") if e.get("font-size")]
    return int(text_of(raised[-1])) if raised else 0


class Axis:
    def __init__(self, panel, which):
        labels = [t for t in panel.iter(f"{SVG}text") if t.get("class") == which]
        self.texts = [text_of(t) for t in labels]
        self.name = [t for t in panel.iter(f"{SVG}text") if t.get("class") == f"name {which}"][0]
        self.label = text_of(self.name)
        at = np.array([float(t.get(which)) - (5 if which == "y" else 0) for t in labels])
        self.log = any(t.startswith("10") and list(e) for t, e in zip(self.texts, labels))
        if self.log:
            values = np.array([power_of(t) for t in labels], float)
        else:
            values = np.array([float(t) for t in self.texts])
        assert 2 <= len(labels) <= 7, self.texts
        self.slope = (values[-1] - values[0]) / (at[-1] - at[0])
        self.origin = values[0] - self.slope * at[0]
        # a hundredth of a unit at each tick
        assert np.abs(self.origin + self.slope * at - values).max() < 0.02 * abs(self.slope), self.texts
        assert self.log or len({round(x, 9) for x in np.diff(values)}) == 1, self.texts
        steps = f"{abs(values[1] - values[0]):.1e}"
        assert self.log or steps[:3] in ("1.0", "2.0", "5.0"), self.texts
        self.scale, self.offset = 1, 0
        if not self.log:
            parts = re.match(r".*? ([-+]) ([0-9.]+)(·10-?\d+)? ?(\(|$)", self.label)
            factor = re.search(r"\(10(-?\d+)", self.label)
            self.scale = 10.0 ** int(factor[1]) if factor else 1
            if parts:
                self.offset = (1 if parts[1] == "-" else -1) * float(parts[2])

    def value(self, at):
        u = self.origin + self.slope * np.asarray(at)
        return 10**u if self.log else u * self.scale + self.offset

    def pixel(self):
        """What one unit of the figure is worth."""
        return abs(self.slope) * self.scale


def points_of(path):
    """Lines (each begins with M) as arrays of places."""
    lines = []
    for piece in path.get("d").split("M")[1:]:
        start, _, rest = piece.strip().partition("l")
        numbers = lambda text: [float(x) for x in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)]
        first = np.array(numbers(start)[:2])
        steps = np.array(numbers(rest)).reshape(-1, 2)
        lines.append(np.concatenate([[first], first + np.cumsum(steps, axis=0)]))
    return lines


class Panel:
    def __init__(self, panel, x_of):
        self.y = Axis(panel, "y")
        self.x = Axis(x_of, "x")
        self.lines = {}
        for g in panel.iter(f"{SVG}g"):
            if g.get("class") == "line":
                self.lines[text_of(g.find(f"{SVG}title"))] = g.find(f"{SVG}path")
        self.keys = [t.text for t in panel.iter(f"{SVG}text") if t.get("class") is None]

    def points(self, label):
        lines = points_of(self.lines[label])
        xy = np.concatenate(lines)
        return self.x.value(xy[:, 0]), self.y.value(xy[:, 1])


class Figure:
    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.desc = self.root.find(f"{SVG}desc").text
        panels = [g for g in self.root.iter(f"{SVG}g") if g.get("class") == "panel"]
        self.panels = [Panel(p, panels[-1]) for p in panels]
        x, y, width, height = map(float, self.root.get("viewBox").split())
        for path in self.root.iter(f"{SVG}path"):
            for line in points_of(path):
                assert (line >= 0).all() and (line <= [width, height]).all(), "outside of the figure"


def plot(*arguments):
    return Figure(lilyan("plot", *arguments, "-o", "-").stdout)


def same_line(panel, label, t, y, loose=0.5):
    """The line passes where the trajectory is, to half a unit of the figure; extremes and ends are there."""
    x, got = panel.points(label)
    near = loose * panel.y.pixel() + 4 * np.finfo(float).eps * np.abs(y).max()  # of adding the axis' offset
    assert len(x) <= 2000 and (np.diff(x) >= -1e-9).all(), label
    # what is drawn is between the extremes of the numbers of a column of pixels
    wide = panel.x.pixel()
    if len(t) <= len(x) * 4:
        expected = np.interp(t, x, got)
        slope = np.abs(np.gradient(y, t)).max() if len(t) > 1 else 0
        assert np.abs(expected - y).max() <= near + slope * 0.02 * wide, (label, np.abs(expected - y).max(), near)
    assert abs(got.max() - y.max()) <= near and abs(got.min() - y.min()) <= near, label
    assert abs(x[0] - t[0]) <= wide and abs(x[-1] - t[-1]) <= wide, label
    assert abs(got[0] - y[0]) <= near and abs(got[-1] - y[-1]) <= near, label


# ---- tests ----


def energies_of_one_run():
    run("a", SCENE)
    with h5py.File("a.h5") as f:
        t, energy, potential = (f[k][...] for k in ("t", "energy", "potential"))
    figure = plot("a.h5")
    (panel,) = figure.panels
    assert list(panel.lines) == ["total", "kinetic", "potential"] == panel.keys, panel.lines
    assert panel.x.label == "t (s)" and panel.y.label == "energy (J)"
    assert panel.x.texts == ["0", "2", "4", "6", "8", "10"], panel.x.texts
    same_line(panel, "total", t, energy)
    same_line(panel, "kinetic", t, energy - potential)
    same_line(panel, "potential", t, potential)
    for label, y in ("kinetic", energy - potential), ("potential", potential):
        sentence = (f"{label}: {y[0]:.6g} J at t = 0 s, {y[-1]:.6g} J at t = 10 s, "
                    f"between {y.min():.6g} and {y.max():.6g} J.")
        assert sentence in figure.desc, (sentence, figure.desc)


def energies_of_several_runs():
    run("a", SCENE, "--variants")
    figure = plot("a.explicit-euler.h5", "a.short.h5")
    (panel,) = figure.panels
    assert list(panel.lines) == ["explicit-euler", "short (stormer-verlet)"] == panel.keys
    for label, path in zip(panel.lines, ("a.explicit-euler.h5", "a.short.h5")):
        with h5py.File(path) as f:
            same_line(panel, label, f["t"][...], f["energy"][...])
    styles = {(p.get("stroke"), p.get("stroke-dasharray")) for p in panel.lines.values()}
    assert len(styles) == 2 and len({colour for colour, _ in styles}) == 2
    # without a variant the file's name
    run("plain", SCENE)
    assert list(plot("plain.h5", "a.short.h5").panels[0].lines)[0] == "plain (midpoint)"


def every_name():
    run("a", SCENE)
    with h5py.File("a.h5") as f:
        t = f["t"][...]
        columns = {"theta": f["q"][:, 0], "dtheta": f["v"][:, 0], "p_theta": f["p"][:, 0], "height": f["observe/height"][...],
                   "observe/height": f["observe/height"][...], "bob.z": f["draw/bob"][:, 2],
                   "iterations": f["iterations"][...], "potential": f["potential"][...]}
        bob = f["draw/bob"][...]
    for name, y in columns.items():
        panel = plot("a.h5", "--what", name).panels[0]
        assert len(panel.lines) == 1 and not panel.keys, name
        same_line(panel, list(panel.lines)[0], t, y)
    panel = plot("a.h5", "--what", "bob").panels[0]
    assert list(panel.lines) == ["bob.x", "bob.y", "bob.z"] and panel.y.label == "bob (m)"
    for k, label in enumerate(panel.lines):
        same_line(panel, label, t, bob[:, k])
    # one above the other, with one axis of time
    figure = plot("a.h5", "--what", "theta,energy,bob.x")
    assert [len(p.lines) for p in figure.panels] == [1, 3, 1]
    same_line(figure.panels[0], "theta", t, columns["theta"])
    same_line(figure.panels[2], "bob.x", t, bob[:, 0])


def momenta():
    run("b", BODY)
    with h5py.File("b.h5") as f:
        t, P, p = (f[k][...] for k in ("t", "linear_momentum", "p"))
        drifts = [f[f"certificate/{k}_momentum_drift"][()] for k in ("linear", "angular")]
    figure = plot("b.h5", "--what", "energy,momentum")
    assert list(figure.panels[0].lines) == ["total", "kinetic", "elastic"]
    panel = figure.panels[1]
    assert panel.y.log and list(panel.lines) == ["linear momentum", "angular momentum"]
    # the certificate saw every step; the file has every frame of 1000 steps
    for label, drift in zip(panel.lines, drifts):
        said = float(re.search(rf"^{label}: .* and (\S+)\.$", figure.desc, re.M)[1])
        assert 0 < drift < 1e-12 and abs(said - drift) <= 1e-5 * drift, (label, said, drift)
        _, y = panel.points(label)
        assert abs(np.log10(y.max() / drift)) < 0.5 * panel.y.pixel(), (label, y.max(), drift)
    change_ = np.linalg.norm(P - P[0], axis=1) / np.linalg.norm(p.reshape(len(p), -1, 3), axis=2).sum(1).max()
    assert change_[0] == 0
    x, y = panel.points("linear momentum")
    least = 10 ** (panel.y.origin + panel.y.slope * max(points_of(panel.lines["linear momentum"])[0][:, 1]))
    assert abs(np.log10(np.interp(t, x, y)[1:] / np.maximum(change_, least)[1:])).min() < 0.5 * panel.y.pixel()

    def still(file):
        file["linear_momentum"][...] = file["linear_momentum"][0]
        file["angular_momentum"][...] = file["angular_momentum"][0]

    change("b.h5", "still.h5", still)  # exact zeros everywhere
    panel = plot("still.h5", "--what", "momentum").panels[0]
    assert panel.y.log and all(len(points_of(line)[0]) >= 1 for line in panel.lines.values())


def phase_portraits():
    run("a", SCENE)
    with h5py.File("a.h5") as f:
        q, p = f["q"][:, 0], f["p"][:, 0]
    panel = plot("a.h5", "--what", "phase").panels[0]
    assert panel.x.label == "theta" and panel.y.label == "p_theta"
    x, y = panel.points("theta")
    for got, want, axis in (x, q, panel.x), (y, p, panel.y):
        assert abs(got.max() - want.max()) < axis.pixel() and abs(got.min() - want.min()) < axis.pixel()
    # every state is near a point that was drawn: 1.5 units apart at most, or on ink that is there
    u = np.column_stack([q / panel.x.pixel(), p / panel.y.pixel()])
    drawn = []
    for line in points_of(panel.lines["theta"]):
        at = np.column_stack([panel.x.value(line[:, 0]) / panel.x.pixel(), panel.y.value(line[:, 1]) / panel.y.pixel()])
        steps = np.arange(0, 1, 0.05)[:, None, None]
        drawn.append(((1 - steps) * at[:-1] + steps * at[1:]).reshape(-1, 2))
    drawn = np.concatenate(drawn)
    far = max(np.sqrt(((drawn - z) ** 2).sum(1).min()) for z in u[::7])
    assert far < 1.5, far
    # more turns are no more ink
    run("long", SCENE, "--until", "200", "--set", "record.every=1")
    size = lambda path: sum(map(len, points_of(plot(path, "--what", "phase").panels[0].lines["theta"])))
    assert size("long.h5") < 3 * size("a.h5"), (size("long.h5"), size("a.h5"))
    assert list(plot("a.h5", "long.h5", "--what", "phase", "--coordinate", "theta").panels[0].lines)
    # a loop at its times, and its area
    run("loop", LOOP)
    with h5py.File("loop.h5") as f:
        loop, t, area = f["loop"][...], f["t"][...], f["area"][...]
    panel = plot("loop.h5", "--what", "phase").panels[0]
    assert list(panel.lines) == [f"t = {x:.4g} s" for x in t[[0, 12, 25, 37, 50]]], panel.lines
    x, y = panel.points(list(panel.lines)[-1])
    want = loop[50].reshape(-1, 2)
    assert len(x) == 51 and x[0] == x[-1] and y[0] == y[-1]
    assert np.abs(x[:-1] - want[:, 0]).max() < 0.1 * panel.x.pixel()
    assert np.abs(y[:-1] - want[:, 1]).max() < 0.1 * panel.y.pixel()
    panel = plot("loop.h5", "--what", "area").panels[0]
    assert panel.y.label.startswith("area") and "J s)" in panel.y.label
    same_line(panel, "area", t, area)
    assert list(plot("loop.h5", "loop.h5", "--what", "phase").panels[0].lines)[0] == "start"


def reduction_keeps_extremes():
    """300 000 frames, one of them far out: the line has it, and has few points."""
    run("a", SCENE)
    n = 300_000
    t = np.arange(n) * 1e-3
    rng = np.random.default_rng(1)
    y = rng.standard_normal(n)
    y[123_456], y[200_001] = 40, -30

    def longer(file):
        for name in "t", "q", "v", "p", "energy", "potential", "iterations", "observe/height", "draw/bob":
            file[name].resize(n, axis=0)
        file["t"][...] = t
        file["energy"][...] = y
        file["checkpoint"][...] = write_checkpoint(file["checkpoint"][...], n)

    change("a.h5", "many.h5", longer)
    panel = plot("many.h5", "--what", "energy,potential").panels[0]
    x, got = panel.points("total")
    near = panel.y.pixel() / 2
    assert len(x) <= 2000 and abs(got.max() - 40) < near and abs(got.min() + 30) < near
    assert abs(x[got.argmax()] - t[123_456]) < panel.x.pixel() and abs(x[got.argmin()] - t[200_001]) < panel.x.pixel()
    # and so in every column of pixels: the extremes there are among what is drawn
    for a in range(0, n, 50_000):
        inside = (t >= t[a]) & (t < t[a] + 20)
        drawn = got[(x >= t[a]) & (x < t[a] + 20)]
        assert abs(drawn.max() - y[inside].max()) < near and abs(drawn.min() - y[inside].min()) < near


def write_checkpoint(rows, frames):
    """The rows with another count of frames, and the hash that belongs to it (FNV-1a of the bytes, see checkpoint.c)."""
    rows = rows.copy()
    for row in rows:
        row[1] = frames
        row[-2:] = hash_of(row[:-2])
    return rows


def hash_of(words):
    h = 0xCBF29CE484222325
    for byte in words.tobytes():
        h = ((h ^ byte) * 0x100000001B3) % 2**64
    return float(h % 2**32), float(h >> 32)


def hard_ranges():
    run("a", SCENE)

    def energies(make):
        def write(file):
            n = len(file["t"])
            file["energy"][...] = make(np.linspace(0, 1, n))
            file["potential"][...] = 0

        return write

    for make in (lambda s: 0 * s, lambda s: 0 * s + 4.08, lambda s: 4.0824 + 1e-9 * np.sin(9 * s), lambda s: 1e300 * s,
                 lambda s: 1.7e308 * (2 * s - 1), lambda s: 1e-300 * s, lambda s: 5e-324 * np.round(3 * s), lambda s: -3e7 + s,
                 lambda s: 1 + 2.2e-16 * np.round(s), lambda s: 12345678 * s, lambda s: -1e-7 * s):
        change("a.h5", "hard.h5", energies(make))
        panel = plot("hard.h5", "--what", "theta,energy").panels[1]
        with h5py.File("hard.h5") as f:
            t, y = f["t"][...], f["energy"][...]
        if np.abs(y).max() <= 1e300 and (np.ptp(y) > 1e-12 * np.abs(y).max()) and np.abs(y).max() > 1e-310:
            x, got = panel.points("total")
            assert abs(got.max() - y.max()) < panel.y.pixel() + 1e-15 * abs(y).max(), (panel.y.label, panel.y.texts, got.max(), y.max())
            assert abs(got.min() - y.min()) < panel.y.pixel() + 1e-15 * abs(y).max(), (panel.y.label, panel.y.texts)
    assert panel.y.label == "energy (10-7 J)", panel.y.label

    def not_finite(file):
        file["energy"][3:7] = np.nan
        file["energy"][500] = np.inf

    change("a.h5", "nan.h5", not_finite)
    assert len(points_of(plot("nan.h5").panels[0].lines["total"])) == 3
    change("a.h5", "nan.h5", lambda file: file["energy"].write_direct(np.full(len(file["t"]), np.nan)))
    assert "finite" in lilyan("plot", "nan.h5", code=1).stderr and not os.path.exists("nan.energy.svg")
    # one frame is a dot; times may be negative
    change("a.h5", "one.h5", lambda file: file["p"].resize(1, axis=0))
    figure = plot("one.h5")
    assert all(p.get("d").endswith("h0") for p in figure.panels[0].lines.values())
    change("a.h5", "none.h5", lambda file: file["p"].resize(0, axis=0))
    assert "none.h5: has no frames" in lilyan("plot", "none.h5", code=1).stderr
    run("a", SCENE, "--set", "time.start=-5", "--until", "-1")
    assert plot("a.h5").panels[0].x.texts[0] == "-5"


def names_are_text():
    run("b", BODY)

    def rename(file):
        names = [name.replace(b"b.", b"<b&d>.") for name in file["names"][...].astype("S16")]
        del file["names"]
        file["names"] = np.array(names, "S32")

    change("b.h5", "renamed.h5", rename)
    figure = plot("renamed.h5", "--what", "<b&d>.0.x")
    assert list(figure.panels[0].lines) == ["<b&d>.0.x"] and figure.panels[0].y.label == "<b&d>.0.x (m)"
    run("a", SCENE)

    def evil(file):
        for name, text in ("variant", b"</text><script>x\x01\xff\"'&"), ("integrator", b"a&b"):
            del file[name]
            file[name] = np.bytes_(text)

    change("a.h5", "evil.h5", evil)
    text = call(["plot", "evil.h5", "a.h5", "-o", "-"], text=False).stdout.decode()
    figure = Figure(text)
    assert list(figure.panels[0].lines)[0] == "</text><script>x\ufffd\ufffd\"'& (a&b)", figure.panels[0].lines
    assert "<script>" not in text and not list(figure.root.iter(f"{SVG}script"))
    os.rename("a.h5", "<i>.h5")
    assert "<i>.h5" in plot("<i>.h5").root.find(f"{SVG}title").text


def errors_are_sentences():
    run("a", SCENE)
    run("b", BODY)

    def refused(arguments, *pieces, code=1):
        before = sorted(os.listdir("."))
        error = lilyan("plot", *arguments, code=code).stderr
        assert len(error.splitlines()) == 1 and all(piece in error for piece in pieces), error
        assert sorted(os.listdir(".")) == before

    refused(["a.h5", "--what", "tehta"], "a.h5: 'tehta' is not recorded (did you mean 'theta'?): there are energy", "bob.x")
    refused(["a.h5", "--what", "phsae"], "(did you mean 'phase'?)")
    refused(["a.h5", "--what", "momentum"], "a.h5: has no momenta", "theta")
    refused(["a.h5", "--what", "area"], "a.h5: has no loop")
    refused(["a.h5", "b.h5", "--what", "theta"], "b.h5: 'theta' is not recorded")
    refused(["a.h5", "--what", "phase", "--coordinate", "thta"], "(did you mean 'theta'?)")
    refused(["a.h5", "--what", "energy,"], "there is nothing to plot between two commas")
    refused(["a.h5", "--what", ",".join(["energy"] * 7)], "more than 6 panels")
    refused(["a.h5"] * 65, "65 runs are too many")
    refused(["nowhere.h5"], "nowhere.h5: No such file")
    refused(["a.yaml"], "a.yaml: not a trajectory")
    refused(["a.h5", "-o", "no/such/folder.svg"], "no/such/folder.svg: cannot be written")
    refused(["a.h5", "-o", "a.h5", "--force"], "a.h5: the figure would replace the trajectory")
    refused(["a.h5", "-o", "."], ".: cannot be written")
    refused(["a.h5", "-o", "/dev/full"], "/dev/full: cannot be written")
    refused([], "name a trajectory", code=2)
    refused(["a.h5", "--wat", "x"], "unknown option '--wat'", code=2)
    refused(["a.h5", "--what"], "--what needs a value", code=2)
    change("a.h5", "new.h5", lambda file: file["format"].write_direct(np.array(99.0)))
    refused(["new.h5"], "new.h5: written by a newer Lilyan")
    # an existing figure stays, unless it may go
    assert lilyan("plot", "a.h5").stdout == "wrote a.energy.svg\n"
    with open("a.energy.svg") as file:
        first = file.read()
    refused(["a.h5", "--what", "energy"], "a.energy.svg: exists already (--force replaces it)")
    lilyan("plot", "b.h5", "-o", "a.energy.svg", "--force")
    with open("a.energy.svg") as file:
        assert file.read() == lilyan("plot", "b.h5", "-o", "-").stdout != first
    assert not os.path.exists("a.energy.svg.part")


def early_ends_are_told():
    run("a", SCENE)

    def status(text):
        def write(file):
            del file["status"]
            file["status"] = np.bytes_(text.ljust(256, "\0"))

        return write

    for text, told in ("running", "(killed)"), ("interrupted", "(interrupted)"):
        change("a.h5", "cut.h5", status(text))
        done = lilyan("plot", "cut.h5", "-o", "cut.svg", "--force")
        assert done.stderr == f"lilyan: warning: cut.h5: did not finish {told}: plotted to t = 10 s\n", done.stderr
    assert lilyan("plot", "a.h5", "-o", "-").stderr == ""


def same_bytes_and_visible():
    run("a", SCENE, "--variants")
    arguments = ["plot", "a.explicit-euler.h5", "a.short.h5", "-o", "-"]
    first = lilyan(*arguments).stdout
    assert first == lilyan(*arguments).stdout
    assert subprocess.run([LILYAN, *arguments], capture_output=True, text=True,
                          env={"LC_ALL": "de_DE.UTF-8"}).stdout == first
    if not shutil.which("rsvg-convert"):
        print("no rsvg-convert: pictures are not looked at")
        return
    png = subprocess.run(["rsvg-convert", "--width", "520"], input=first.encode(), capture_output=True, check=True).stdout
    pixels = read_png(png)
    assert pixels.shape[1] == 520 and (pixels[0, 0, :3] == 255).all()
    for colour in (0, 0, 0), (0x00, 0x72, 0xB2): # both lines are there, wider than their keys of 26 units
        columns = (np.abs(pixels[:, :, :3].astype(int) - colour).sum(2) < 40).any(0).sum()
        assert columns > 100, (colour, columns)


def read_png(data):
    import struct
    import zlib

    at, pieces = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        elif kind == b"IDAT":
            pieces += data[at + 8:at + 8 + size]
        at += size + 12
    assert depth == 8 and colour in (2, 6)
    n = 3 if colour == 2 else 4
    raw = np.frombuffer(zlib.decompress(pieces), np.uint8).reshape(height, 1 + n * width)
    out = np.zeros((height, n * width), np.uint8)
    before = np.zeros(n * width, np.uint8)
    for y in range(height):
        row, way = raw[y, 1:].copy(), raw[y, 0]
        if way == 2:
            row += before
        elif way:
            for x in range(n * width):
                a = int(row[x - n]) if x >= n else 0
                b, c = int(before[x]), int(before[x - n]) if x >= n else 0
                p = a + b - c
                near = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
                row[x] = (int(row[x]) + (a if way == 1 else (a + b) // 2 if way == 3 else near)) % 256
        out[y] = before = row
    return out.reshape(height, width, n)


def what_shots_have_is_in_the_help():
    told = lilyan("plot", "--help").stdout
    assert all(f"\n  --what {what} " in told for what in ("levels", "relaxation", "cost", "area")), told


harness.run([what_shots_have_is_in_the_help, energies_of_one_run, energies_of_several_runs, every_name, momenta, phase_portraits, reduction_keeps_extremes,
             hard_ranges, names_are_text, errors_are_sentences, early_ends_are_told, same_bytes_and_visible])
