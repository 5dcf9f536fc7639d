"""What the certificate claims: what an invariant is measured by, which momenta are kept, who sank into whom."""
import json
import os
import subprocess

import harness

LILYAN = os.environ["LILYAN"]


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def lilyan(*arguments):
    done = subprocess.run([LILYAN, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


def result(*arguments):
    return json.loads(lilyan("run", *arguments, "--json", "--force").stdout)


# The momenta of a Toda lattice add up to nothing: P is round-off, of the order of 1e-16 where single momenta are of the order of 1.
TODA = """
lagrangian: sum(i, 1, 6, 1/2*dx[i]^2) - sum(i, 1, 5, exp(x[i] - x[i+1])) - exp(x[6] - x[1])
start: {x: [5, 5, 5, 5, 5, 5], dx: [1, -0.3, 0.1, -0.7, 0.2, -0.3]}
integrator: midpoint
time: {step: 0.05, until: 10}
observe:
  P: {value: "sum(i, 1, 6, dx[i])", invariant: true}
  moved: {value: "dx[1] + 100", invariant: true}
  stretch: {value: "sum(i, 1, 5, (x[i+1] - x[i])^2)", invariant: true}
"""


def test_invariant_near_zero():
    write("toda.yaml", TODA)
    r = result("toda.yaml")
    P = r["observables"]["P"]
    assert abs(P["first"]) < 1e-15 and max(abs(P["min"]), abs(P["max"])) < 1e-13, P
    # 200 steps, each with a residual of some eps of what is summed, about 2.6
    assert P["invariant_drift"] < 200 * 2.3e-16, P
    assert r["certificate"]["invariants"]["P"] == P["invariant_drift"], "the JSON says it twice"
    assert f"P                      kept to {P['invariant_drift']:.2g}" in lilyan("info", "toda.h5").stdout
    # what does change is not hidden: it changes by what one velocity does, over 100
    moved = r["observables"]["moved"]
    assert abs(moved["invariant_drift"] - max(moved["max"] - moved["first"], moved["first"] - moved["min"]) / 101) < 1e-3, moved
    # a square of a difference is not taken apart: its size is itself, wherever the origin is
    stretch = r["observables"]["stretch"]
    assert stretch["first"] == 0 and abs(stretch["invariant_drift"] - 1) < 1e-12, stretch
    lilyan("report", "toda.h5")
    header, _ = harness.read_page("toda.html")
    assert dict(header["runs"][0]["invariants"])["P"] == P["invariant_drift"], "the page has the same number"


# A rotation about z acts affinely on (theta, phi), it shifts phi; one about x does not.
SPHERE = """
lagrangian: 1/2*(dth^2 + sin(th)^2*dph^2)
start: {th: 1, ph: 0, dth: 0.5, dph: 1}
integrator: midpoint
time: {step: 0.1, until: 20}
observe:
  Lz: {value: sin(th)^2*dph, invariant: true}
  Lx: {value: -sin(ph)*dth - sin(th)*cos(th)*cos(ph)*dph, invariant: true}
variants:
  fine: {time: {step: 0.05}}
"""


def test_only_affine_symmetries_have_exact_momenta():
    write("sphere.yaml", SPHERE)
    coarse, fine = result("sphere.yaml")["observables"], result("sphere.yaml", "--variant", "fine")["observables"]
    # p_phi changes by the residual of one equation a step: 400 steps of eps
    assert coarse["Lz"]["invariant_drift"] < 200 * 2.3e-16 and fine["Lz"]["invariant_drift"] < 400 * 2.3e-16, (coarse, fine)
    # Lx is only as good as the method, of order 2
    ratio = coarse["Lx"]["invariant_drift"] / fine["Lx"]["invariant_drift"]
    assert coarse["Lx"]["invariant_drift"] > 1e-3 and 3 < ratio < 5, (coarse, ratio)


harness.run([test_invariant_near_zero, test_only_affine_symmetries_have_exact_momenta])
