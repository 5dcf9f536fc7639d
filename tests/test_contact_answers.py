"""Known answers of contact by barrier: when a dropped box touches, how long a bar stays at a wall and how fast it leaves. Drives $LILYAN."""
import json
import os

import h5py
import numpy as np

from command import call
import harness

SMALL = "LIL_TEST_SMALL" in os.environ


def run(text):
    with open("scene.yaml", "w") as file:
        file.write(text)
    done = call(["run", "scene.yaml", "-o", "out.h5", "--force", "--json"], timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_drop():
    """A box falls 1 m: it touches after sqrt(2/9.81) s, whatever the step, although the barrier pushes before."""
    for step in ("0.004", "0.01", "0.025"):
        c = run("bodies: {a: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, at: [0, 0, 1.1], material: {young: 1e6, poisson: 0.3, density: 1000}}}\n"
                "obstacles: {floor: {plane: {}}}\ngravity: 9.81\ncontact: {method: barrier}\nintegrator: energy-momentum\n"
                f"time: {{step: {step}, until: 0.5}}\n")["certificate"]
        assert abs(c["first_contact"] - (2 / 9.81) ** 0.5) < 1e-9, (step, c["first_contact"])


def test_bar_against_wall():
    """A bar of length L meets a wall end on: a wave runs to its other end and back, 2L/c, while the wall feels rho c v A; then the bar leaves as fast
    as it came. Waves disperse over an element or two of 60, and the contact lasts from half that force to half that force."""
    L, c, v, A, rho = 1, 10, 0.5, 0.01, 1000
    for step in ("1/600",) if SMALL else ("1/600", "1/1800"):  # an element's transit time l/c is 1/600 s
        told = run("bodies: {bar: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [60, 1, 1]}, at: [0.51, 0, 0], material: {young: 1e5, poisson: 0, density: 1000},\n"
                   "  start: {push: [-0.5, 0, 0]}}}\nobstacles: {wall: {plane: {normal: [1, 0, 0]}}}\ncontact: {method: barrier}\n"
                   "integrator: energy-momentum\nrecord: {every: 1}\n"
                   f"time: {{step: {step}, until: 0.3}}\nobserve: {{v: 'dbar[1]'}}\n")
        assert told["certificate"]["relative_energy_error"] < 1e-9, told["certificate"]
        assert 0.98 < told["observables"]["v"]["last"] / v <= 1, told["observables"]
        with h5py.File("out.h5") as file:
            t, P = file["t"][:], file["linear_momentum"][:, 0]
        force = np.diff(P) / np.diff(t)
        pushed = np.flatnonzero(force > rho * c * v * A / 2)
        lasts = t[pushed[-1] + 1] - t[pushed[0]]
        assert abs(lasts / (2 * L / c) - 1) < 0.03, (step, lasts)


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
