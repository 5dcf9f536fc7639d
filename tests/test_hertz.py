"""A rigid ball pressed into an elastic half-space (scenes/contact-hertz.yaml): force over depth, and pressure, by Hertz. Drives $LILYAN."""
import functools
import os
import sys

try:
    import h5py  # noqa: F401 (scripts/hertz.py needs it)
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import harness
from command import LILYAN, lilyan

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
from hertz import SCENE, Press  # noqa: E402

SMALL = "LIL_TEST_SMALL" in os.environ
MESHES = (1.5, 3) if SMALL else (3, 6)  # cells on the radius of contact, a/h


@functools.lru_cache(None)
def press(n):
    return Press(LILYAN, n=n)


def test_force_over_depth():
    """Linear tets are too stiff, with an error of order h^2 in energy, and so in force, for smooth pressures. Hertz' pressure falls to 0 as a square root,
    which costs half an order: (h/a)^(3/2), a the radius at that depth. The finite d_hat and strains cost less than that here."""
    errors = []
    for n in MESHES:
        told = press(n).told
        assert told["certificate"]["intersections"] == 0 and told["certificate"]["halved_steps"] == 0, told
        for k in range(8):
            radius = ((k + 1) / 8) ** 0.5
            cells = n * radius * (2 if radius < 0.45 else 1)  # the middle is twice as fine
            assert 0 < press(n).ratio(k) - 1 < cells**-1.5, (n, k, press(n).ratio(k))
        errors.append(press(n).ratio(7) - 1)
    assert errors[0] / errors[1] > (1 if SMALL else 2**1.3), errors  # a cell and a half has no order yet


def test_pressure():
    """p = p0 sqrt(1 - r^2/a^2): within r acts 1 - (1 - r^2/a^2)^(3/2) of the force. This rises by at most 1.5 over a, and one knows r to half a cell."""
    n = MESHES[1]
    for share in (0.25, 0.5, 0.75, 0.9):
        within = press(n).within(7, share)
        assert abs(within - (1 - (1 - share**2) ** 1.5)) < 1.5 * 0.5 / n, (share, within)
    assert press(n).within(7, 1 + 1 / n) == 1


@harness.release_only
def test_finite_block():
    """The surface of a half-space sinks by 4/(3 pi) a/r of the depth at a distance r. Sides that are held take about that from the depth, once to twice for
    its reflection, and the force goes with depth^1.5: 0.64 to 1.3 a/B."""
    free, held = press(3), Press(LILYAN, n=3, P=0, B="16*a")
    assert 0.64 < (held.ratio(7) / free.ratio(7) - 1) * 16 < 1.3, (held.ratio(7), free.ratio(7))


def test_no_intersection():
    lilyan("run", SCENE, "-o", "out.h5", "--set", f"parameters.n={MESHES[0]}")
    assert "no intersection" in lilyan("check", "out.h5", "--paths").stdout


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
