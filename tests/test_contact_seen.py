"""What one sees of contact by barrier: what was chosen, the certificate, what a file has of it. Drives $LILYAN."""
import json
import os
import subprocess

import harness

LILYAN = os.environ["LILYAN"]
MU, KAPPA = 2e4, 5e4
MODULUS = KAPPA + 4 / 3 * MU
CUBE = """bodies: {cube: {shape: {type: box, size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}, at: [0, 0, 0.27], material: {model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000},
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


def lilyan(*arguments, code=0):
    done = subprocess.run([LILYAN, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def write(text, name="scene.yaml"):
    with open(name, "w") as file:
        file.write(text)


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
    assert "an obstacle takes no 'stiffness' of its own" in told and told.count("\n") == 1, told


def test_pairs_and_energy():
    """The cube's lower face has 9 vertices: they meet the floor all at once. The barrier never holds more than there is."""
    c = run(CUBE % (1, "", ""))["certificate"]
    assert c["contact_pairs"] == 9 and 0 < c["contact_energy"] < c["energy_initial"], c
    penalty = run(CUBE.replace("method: barrier", "stiffness: 1e6") % (1, "", ""))["certificate"]
    for name in ("contact_pairs", "contact_energy", "d_hat_min", "barrier_stiffness_max", "intersections", "gap_min"):
        assert penalty[name] is None, (name, penalty)


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
