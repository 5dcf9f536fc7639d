"""What one sees of contact by barrier: what was chosen, the certificate, what a file has of it. Drives $LILYAN."""
import json
import os
import sys

import harness
from command import lilyan, write

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

LILYAN = os.environ["LILYAN"]
MU, KAPPA = 2e4, 5e4
MODULUS = KAPPA + 4 / 3 * MU
CUBE = """bodies: {cube: {shape: {type: box, size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}, at: [0, 0, 0.285], material: {model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000},
  start: {push: [0, 0, -%s]}}}
obstacles: {floor: {plane: {}%s}}
contact: {method: barrier%s}
integrator: energy-momentum
solver: {tolerance: 1e-12}
record: {every: 1}
time: {step: 0.005, until: 0.1}
"""
EDGE = (2 * 0.25 + 0.25 * 2**0.5) / 3  # the mean of a face's triangle
ROUND_OFF = 1e-12  # of sums of a few dozen edges


def run(text, *options, code=0):
    write(text)
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options, code=code).stdout)


def near(a, b, tolerance=ROUND_OFF):
    return abs(a - b) <= tolerance * abs(b)


def chosen(c):
    assert c["d_hat_min"] == c["d_hat_max"] and c["barrier_stiffness_min"] == c["barrier_stiffness_max"], c
    return c["d_hat_min"], c["barrier_stiffness_min"]


def test_what_is_chosen():
    """A tenth of an edge, and lambda + 2 mu; the same from `info`. What the scene sets is taken instead."""
    d_hat, stiffness = chosen(run(CUBE % (1, "", ""))["certificate"])
    assert near(d_hat, 0.1 * EDGE) and near(stiffness, MODULUS), (d_hat, stiffness)
    told = lilyan("info", "scene.yaml").stdout
    assert f"by barrier, d_hat = {d_hat:.6g} m, stiffness = {stiffness:.6g} Pa\n" in told, told
    assert chosen(run(CUBE % (1, "", ", d_hat: 0.01, stiffness: 3e5"))["certificate"]) == (0.01, 3e5)


def test_stiffer_is_farther():
    """The barrier's energy at a gap is proportional to its stiffness: ten times as stiff, what comes as fast is stopped earlier."""
    gaps = [run(CUBE % (1, "", f", stiffness: {k}"))["certificate"]["gap_min"] for k in ("1e4", "1e5", "1e6")]
    assert 0 < gaps[0] < gaps[1] < gaps[2] < 0.1 * EDGE, gaps


def test_fast_is_withstood():
    """Half the mass of a vertex times v^2, over 100, is what kappa = stiffness edge d_hat^2 / 24 is raised to; not if it is set."""
    speed = 20
    told = run(CUBE % (speed, "", ""), "--until", "0.005")["certificate"]
    d_hat, stiffness = chosen(told)
    least = 24 / d_hat**2 * (1000 * 0.5**3 / 27 / 2 * speed**2 / 100) / EDGE
    assert least > MODULUS and near(stiffness, least), (stiffness, least)
    assert chosen(run(CUBE % (speed, "", ", stiffness: 1e5"), "--until", "0.005")["certificate"])[1] == 1e5


def test_refused():
    write(CUBE % (1, ", stiffness: 1e5", ""))
    told = lilyan("run", "scene.yaml", "-o", "none.h5", code=1).stderr
    assert "with barrier contact an obstacle cannot have its own 'stiffness': set it in 'contact'" in told and told.count("\n") == 1, told


def test_pairs_and_energy():
    """The cube's lower face has 9 vertices: they meet the floor all at once. The barrier never holds more than there is."""
    c = run(CUBE % (1, "", ""))["certificate"]
    assert c["contact_pairs"] == 9 and 0 < c["contact_energy"] < c["energy_initial"], c
    penalty = run(CUBE.replace("method: barrier", "stiffness: 1e6") % (1, "", ""))["certificate"]
    for name in ("contact_pairs", "contact_energy", "d_hat_min", "barrier_stiffness_max", "intersections", "gap_min"):
        assert penalty[name] is None, (name, penalty)


SOFT = "{model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}"
TWO = """bodies:
  a: {shape: {type: box, cells: [2, 2, 2]}, rotate: [20, 30, 0], material: %s, start: {push: [0.5, 0, 0]}}
  b: {shape: {type: box, cells: [2, 2, 2]}, at: [1.45, 0.3, 0.2], rotate: [-20, 10, 40], material: %s, start: {push: [-0.5, 0, 0]}}
contact: {method: barrier}
integrator: energy-momentum
solver: {tolerance: 1e-12}
record: {every: 1}
time: {step: 0.01, until: 0.5}
""" % (SOFT, SOFT)
CONTACTS = ("point", "force", "gap", "parts")


class Contacts:
    """What the file has of them: each frame's rows."""

    def __init__(self, path="out.h5"):
        with h5py.File(path) as file:
            self.end = file["contacts/end"][()].astype(int)
            self.all = {name: file[f"contacts/{name}"][:self.end[-1]] for name in CONTACTS}
            self.tracks = {name: file[f"contact/{name}"][()] for name in ("gap", "force", "energy", "pairs")}
            self.names = [name.decode() for name in file["contacts/names"][()]]
            self.d_hat, self.stiffness = file["contacts/d_hat"][:, 0], file["contacts/stiffness"][:, 0]
            self.t, self.q, self.p = file["t"][()], file["q"][()], file["p"][()]

    def frame(self, name, k):
        rows = self.all[name][self.end[k - 1] if k else 0:self.end[k]].astype(int if name == "parts" else float)
        return rows[:, 0] if name == "gap" else rows


SINGLE = 2.0**-23  # the last place of what is recorded, twice its half for sums


def test_recorded():
    """On a floor: above it by half the gap, pushed straight up by the force of the barrier at that gap; tracks are their sums."""
    certificate = run(CUBE % (1, "", ""))["certificate"]
    c = Contacts()
    assert c.names == ["cube", "floor"] and near(c.d_hat[0], 0.1 * EDGE) and near(c.stiffness[0], MODULUS) and np.isinf(c.stiffness[1])
    assert (np.diff(c.end, prepend=0) == c.tracks["pairs"]).all() and c.tracks["pairs"].max() == certificate["contact_pairs"] == 9
    assert c.tracks["gap"].min() == certificate["gap_min"] and c.tracks["energy"].max() == certificate["contact_energy"]
    assert c.tracks["gap"].max() == c.d_hat.max() and c.tracks["force"].min() == 0, "it comes, and it goes"
    kappa = MODULUS * EDGE * c.d_hat[0] ** 2 / 24
    for k in np.flatnonzero(c.tracks["pairs"]):
        point, force, gap, parts = (c.frame(name, k) for name in CONTACTS)
        assert (parts == [0, 1]).all() and (force[:, :2] == 0).all() and (force[:, 2] > 0).all()
        assert np.abs(point[:, 2] - gap / 2).max() <= SINGLE * gap.max(), (point, gap)
        lowest = np.sort(c.q[k].reshape(-1, 3)[:, 2])[:len(gap)]
        assert np.abs(np.sort(gap) - lowest).max() <= SINGLE * gap.max()
        y = (lowest / c.d_hat[0]) ** 2  # b = (1 - y)^3 / y by the gap
        exact = kappa * (1 - y) ** 2 * (1 + 2 * y) / y**2 * 2 * lowest / c.d_hat[0] ** 2
        assert np.abs(np.sort(force[:, 2])[::-1] - exact).max() < 2 * SINGLE * exact.max(), (force, exact)
        assert near(c.tracks["force"][k], exact.sum(), 1e-9)  # the gap's own digits, 1e-13 of 1 m, magnified by y^-2


def test_turning_floor():
    """Of a floor that tilts the contacts are where it is at each frame, half a gap along its normal, and so are the forces."""
    run(CUBE % (1, ', turn: ["20*t", 0, 0]', ""))
    c = Contacts()
    for k in np.flatnonzero(c.tracks["pairs"]):
        point, force, gap, _ = (c.frame(name, k) for name in CONTACTS)
        angle = np.radians(20 * c.t[k])
        normal = np.array([0, -np.sin(angle), np.cos(angle)])
        assert np.abs(point @ normal - gap / 2).max() <= SINGLE and np.abs(force - np.outer(force @ normal, normal)).max() <= SINGLE * force.max()
    assert c.t[k] > 0 and (force @ normal > 0).all(), "there are some, and they push"


def test_impulse():
    """The recorded forces on a body, integrated over time, are what its momentum gains: of second order in the step."""
    errors = []
    for step in ("0.01", "0.005", "0.0025"):
        run(TWO, "--step", step)
        c = Contacts()
        force = np.array([c.frame("force", k).sum(axis=0) for k in range(len(c.t))])
        half = c.p.shape[1] // 2
        gain = (c.p[-1] - c.p[0])[:half].reshape(-1, 3).sum(axis=0)
        impulse = ((force[1:] + force[:-1]) / 2 * np.diff(c.t)[:, None]).sum(axis=0)
        assert (c.all["parts"] == [0, 1]).all() and np.linalg.norm(gain) > 100, gain  # of 500 kg m/s
        errors.append(np.linalg.norm(impulse - gain) / np.linalg.norm(gain))
    assert errors[2] < errors[0] / 8 and errors[2] < 0.01, errors  # order 2 is a factor 16; contacts that begin within a step take some of it


def test_resumed():
    """A run that is resumed in the middle of the impact has the same contacts, to the last bit, and no more of them."""
    run(TWO)
    whole = Contacts()
    run(TWO, "--until", "0.3")
    assert 0 < Contacts().end[-1] < whole.end[-1]
    lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.5")
    again = Contacts()
    assert (whole.end == again.end).all() and all((whole.all[name] == again.all[name]).all() for name in CONTACTS)
    assert all((whole.tracks[name] == again.tracks[name]).all() for name in whole.tracks)
    # an end that a longer run does not have: the frame at 0.31 s is taken back, and its contacts
    for until in ("0.31", "0.5"):
        lilyan("run", "scene.yaml", "-o", "odd.h5", "--resume", "--until", until, "--set", "record.every=4")
    lilyan("run", "scene.yaml", "-o", "even.h5", "--until", "0.5", "--set", "record.every=4")
    odd, even = Contacts("odd.h5"), Contacts("even.h5")
    assert (odd.end == even.end).all() and all((odd.all[name] == even.all[name]).all() for name in CONTACTS)


def test_intersections():
    """None in what was recorded; what somebody puts into the file by hand is found, also after the run is resumed."""
    assert run(TWO, "--until", "0.4")["certificate"]["intersections"] == 0
    with h5py.File("out.h5") as file:
        assert file["certificate/intersections"][()] == 0
    run(TWO, "--until", "0.3")
    with h5py.File("out.h5", "a") as file:
        q = file["q"][7].reshape(2, -1, 3)
        q[1] += q[0].mean(axis=0) - q[1].mean(axis=0)  # one into the other
        file["q"][7] = q.ravel()
    done = lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.4", "--json")
    found = json.loads(lilyan("check", "out.h5", "--json", code=1).stdout)[0]
    assert json.loads(done.stdout)["certificate"]["intersections"] == found["intersections"] > 10 and found["bad_frames"] == 1
    assert "intersections in recorded frames, the first at t = 0.07 s: " in done.stderr, done.stderr


def test_files_of_before():
    """What an earlier Lilyan wrote has no contacts: it is read as ever. What is damaged is refused."""
    run(TWO, "--until", "0.4")
    with h5py.File("out.h5", "a") as file:
        del file["contacts/force"]
    for call in (["report", "out.h5"], ["export", "out.h5", "--to", "vtu"]):
        assert "a damaged trajectory: its contacts are incomplete" in lilyan(*call, code=1).stderr
    with h5py.File("out.h5", "a") as file:
        for name in ("contacts", "contact", "certificate/intersections", "certificate/contact_pairs"):
            del file[name]
    for call in (["info"], ["check"], ["report", "--force"], ["export", "--to", "vtu", "--force"], ["export", "--to", "csv", "-o", "-"]):
        lilyan(call[0], "out.h5", *call[1:])


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
