"""lilyan modes: frequencies and shapes of small vibrations. Drives $LILYAN."""
import json
import os
import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import harness
from command import lilyan, run, write

SMALL = "LIL_TEST_SMALL" in os.environ
G = 9.81


def modes(text, *options):
    """omega of all modes, and the result"""
    write(text)
    result = json.loads(lilyan("modes", "scene.yaml", "-o", "modes.h5", "--force", "--json", *options).stdout)
    assert result["residual_max"] <= 1e-8 and result["orthogonality"] < 1e-12, result
    omega2 = np.array([m["omega2"] for m in result["modes"]])
    return np.sqrt(np.maximum(omega2, 0)), result


def test_chain_is_exact():
    """Equal masses and springs between walls: omega_k = 2 sqrt(k/m) sin(k pi/(2 (n + 1))), all of them to 1e-10."""
    n = 12
    text = ("lagrangian: 1/2*sum(i, 1, n, m*dx[i]^2) - 1/2*k*(x[1]^2 + x[n]^2 + sum(i, 1, n - 1, (x[i+1] - x[i])^2))\n"
            f"parameters: {{n: {n}, m: 0.5, k: 80}}\nstart: {{x: 'list(i, 1, n, 0)'}}\n")
    omega, result = modes(text)
    exact = 2 * np.sqrt(80 / 0.5) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    assert len(omega) == n and abs(omega / exact - 1).max() < 1e-10 and result["rigid"] == 0, omega / exact - 1
    with h5py.File("modes.h5", "r") as file:  # shapes sin(j k pi/(n + 1)), of mass 1
        shapes = file["modes/shapes"][()]
        assert abs(0.5 * shapes @ shapes.T - np.eye(n)).max() < 1e-12
        assert abs(abs(shapes[0]) - np.sin(np.arange(1, n + 1) * np.pi / (n + 1)) * np.sqrt(2 / (n + 1) / 0.5)).max() < 1e-9
        frames = file["q"][()]
        assert len(frames) == 16 * n + 1 and abs(frames[4] / frames[4].max() - shapes[0] / shapes[0].max()).max() < 1e-6


def test_masses_in_space():
    """Two masses on a spring, free: 5 rigid motions and omega = sqrt(2 k/m) along it; two more without energy are none, since a pair
    has no more. Three in a row have mechanisms besides, which are listed with frequency 0."""
    pair = "particles: {a: {at: [[0, 0, 0], [0, 1, 0]], mass: 2, pairs: [[0, 1]], links: {stiffness: 9}}}\n"
    omega, result = modes(pair)
    assert result["rigid"] == 5 and result["rigid_parts"] == ["'a': 3 translations and 2 rotations"] and abs(omega - 3).max() < 1e-10, result
    row = "particles: {a: {at: [[0, 0, 0], [0, 1, 0], [0, 2, 0]], mass: 2, pairs: [[0, 1], [1, 2]], links: {stiffness: 9}}}\n"
    omega, result = modes(row)
    assert result["rigid"] == 5 and np.allclose(omega, [0, 0, np.sqrt(4.5), np.sqrt(13.5)], rtol=1e-10, atol=0), (omega, result)


def test_pendulum():
    """sqrt(g/l) about the equilibrium, about the start of 2 rad unstable, as a Lagrangian, as a rigid link and with a general mass."""
    text = "lagrangian: 1/2*m*l^2*dtheta^2 + m*g*l*cos(theta)\nparameters: {m: 1, l: 0.7, g: 9.81}\nstart: {theta: %s}\n"
    omega, _ = modes(text % 2, "--at", "equilibrium")
    assert abs(omega[0] / np.sqrt(G / 0.7) - 1) < 1e-10, omega
    grows = modes(text % 2)[1]["modes"][0]
    assert grows["frequency"] is None and abs(grows["omega2"] - G / 0.7 * np.cos(2)) < 1e-9, grows
    omega, _ = modes("lagrangian: 1/2*dr^2*(1 + th^2) + 1/2*r^2*dth^2 + 9.81*r*cos(th) - 50*(r - 0.7)^2\nstart: {r: 0.7, th: 0.1}\n", "--at", "equilibrium")
    assert abs(omega[0] - np.sqrt(G / (0.7 + G / 100))) < 1e-8 and abs(omega[1] - 10) < 1e-8, omega
    link = "particles: {bob: {at: [[0, 0, 0], [0.42, 0, -0.56]], mass: 3, pairs: [[0, 1]], fixed: [0]}}\ngravity: 9.81\n"
    omega, result = modes(link, "--at", "equilibrium")
    assert len(omega) == 2 and abs(omega / np.sqrt(G / 0.7) - 1).max() < 1e-8 and result["rigid"] == 0, omega


def test_string():
    """Its frequencies grow with tension T: omega = 2 sqrt(T/(m a)) sin(pi/(2 n)) across, for two directions each."""
    n, a = 10, 0.1
    text = """particles: {s: {type: chain, from: [0, 0, 0], to: [1, 0, 0], count: 11, mass: 0.01, links: {stiffness: 1000}, fixed: first,
  handles: {select: last, move: [%s, 0, 0]}}}\n"""
    for pull in (0.01, 0.04):
        omega, _ = modes(text % pull, "--at", "equilibrium")
        T, b = 1000 * pull / n, a + pull / n  # of each of n springs
        exact = 2 * np.sqrt(T / (0.01 * b)) * np.sin(np.pi / (2 * n))
        assert abs(omega[:2] / exact - 1).max() < 1e-8, (omega[:2], exact)


BAR = """bodies:
  bar:
    shape: {type: bar, size: [1, %g, %g], cells: [%d, %d, %d]}
    material: {model: neo-hookean, young: 1e7, poisson: %g, density: 1000}
%s"""


def test_bar_axial():
    """Free and fixed: (2 k - 1)/4 c/L and k/2 c/L, c = sqrt(E/rho) = 100 m/s, with lumped masses sin(k pi/(2 n))/(k pi/(2 n)) lower;
    at nu = 0 those of n cells, exactly, by the parts of the mass that take part along x."""
    n = 20
    omega, result = modes(BAR % (0.05, 0.05, n, 1, 1, 0, "    fixed: left\n"), "-n", "40")
    mass = np.array([m["participation"][0] ** 2 for m in result["modes"]]) / result["mass"]
    axial = omega[mass > 1e-3]
    # masses of the end are halved, so it is a chain of 2 n with both ends fixed
    exact = 2 * n * 100 * np.sin((2 * np.arange(1, 4) - 1) * np.pi / (4 * n))
    assert abs(axial[:3] / exact - 1).max() < 2e-3, (axial, exact)  # sections are not quite plane: masses of a section differ
    assert abs(mass[np.argmax(mass)] - 8 / np.pi ** 2) < 0.03, mass.max()  # of the first, of all masses 8/pi^2


def test_bar_bends():
    """Free-free bars: Euler and Bernoulli's 22.373 sqrt(E I/(rho A L^4)), less Timoshenko's; linear tets lock, 24.7 % with two cells,
    and the error falls as h^2: extrapolated it is 3 %. Both directions are found, with the same frequency."""
    if SMALL:
        return
    f = []
    for n in (2, 4):
        omega, result = modes(BAR % (0.05, 0.05, 20 * n, n, n, 0, ""), "-n", "4")
        assert result["rigid"] == 6 and abs(omega[0] / omega[1] - 1) < 1e-8, (omega, result)
        f.append(omega[0])
    exact = 22.3733 * np.sqrt(1e7 * 0.05 ** 2 / 12 / 1000)
    assert abs(f[0] / exact - 1.24) < 0.03 and abs((4 * f[1] - f[0]) / 3 / exact - 1) < 0.03, (f, exact)


def test_quadratic():
    """Quadratic tets do not lock: a clamped bar's first two, 3.5160 and 22.034 sqrt(E I/(rho A L^4)), of which Timoshenko takes 0.1 and
    1.5 %; and in statics P L^3/(3 E I) and 0.2 % for shear, of a load that bends it by a third of a millimetre."""
    text = (BAR % (0.05, 0.05, 20, 1, 1, 0, "    fixed: left\n    elements: quadratic\n    groups: {tip: right}\n"
                   "    loads: [{select: right, force: [0, 0, -0.00520833]}]\n")) + "observe: {tip: 'tip[3]'}\n"
    omega, _ = modes(text, "-n", "3")
    euler = np.sqrt(1e7 * 0.05 ** 2 / 12 / 1000)
    assert abs(omega[0] / euler / 3.5160 - 0.999) < 5e-3 and abs(omega[2] / euler / 22.034 - 0.985) < 1e-2, omega / euler
    lilyan("solve", "scene.yaml", "--static", "-o", "static.h5")
    with h5py.File("static.h5", "r") as file:
        assert abs(file["observe/tip"][-1] / -(1e-3 / 3 * 1.0018) - 1) < 5e-3, file["observe/tip"][-1]


def test_participating_mass():
    """Of all modes together all of the mass takes part, in each direction."""
    omega, result = modes(BAR % (0.5, 0.5, 2, 1, 1, 0.3, "    fixed: left\n"), "-n", "1000")
    parts = np.array([m["participation"] for m in result["modes"]]) ** 2
    assert len(omega) == 24 and abs(parts.sum(axis=0) / result["mass"] - 1).max() < 1e-9, parts.sum(axis=0)


def test_motion_has_that_frequency():
    """A midpoint run that starts in the first shape crosses zero at (k + 1/2)/(2 f): its phase errs by (h omega)^2/24, and the swing
    is small, so by (1e-3)^2 more."""
    text = """bodies:
  bar:
    shape: {type: bar, size: [1, 0.2, 0.1], cells: [6, 2, 1]}
    material: {model: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}
    fixed: left
    start: {position: [%s]}
"""
    omega, result = modes(text % "x, y, z", "-n", "1")
    with h5py.File("modes.h5", "r") as file:
        shape = file["modes/shapes"][0].reshape(-1, 3)
        rest = file["bodies/bar/rest"][()]
    # a polynomial through the shape would not be one: the start is set by a Lagrangian's linear motion, q = rest + a shape
    a = 1e-4 / abs(shape).max()
    h = 0.01 / omega[0]
    write("integrator: midpoint\ntime: {step: %.17g, until: %.17g}\nrecord: {every: 1}\n" % (h, 700 * h) + text % start_of(rest, shape, a), "run.yaml")
    lilyan("run", "run.yaml", "-o", "run.h5", "--force")
    with h5py.File("run.h5", "r") as file:
        mass = np.ones(len(rest))
        y = (file["q"][()].reshape(len(file["t"]), -1, 3) - rest[None]).reshape(len(file["t"]), -1) @ (shape * mass[:, None]).ravel()
        t = file["t"][()]
    k = np.nonzero(np.diff(np.sign(y)))[0]
    zero = t[k] - y[k] * (t[k + 1] - t[k]) / (y[k + 1] - y[k])
    assert len(zero) == 2 and abs(np.pi / (zero[1] - zero[0]) / omega[0] - 1) < 1e-4, (zero, omega)


def start_of(rest, shape, a):
    """Three texts of x, y, z: sums over the vertices of shape times what is 1 there and 0 at the others."""
    texts = []
    for d in range(3):
        terms = [f"({a * shape[i, d]:.17g})*({'*'.join(hat(rest[:, k], rest[i, k], 'xyz'[k]) for k in range(3))})" for i in range(len(rest)) if shape[i, d] != 0]
        texts.append(f"'{'xyz'[d]} + {' + '.join(terms) or 0}'")
    return ", ".join(texts)


def hat(values, at, name):
    gap = np.diff(np.unique(np.round(values, 9))).min()
    return f"max(0, 1 - abs({name} - ({at:.12g}))/{gap:.12g})"


def test_refused():
    write("lagrangian: 1/2*(dx^2 + dy^2) + 3*(x*dy - y*dx) - x^2 - y^2\nstart: {x: 0, y: 0}\n")
    assert "gyroscopic" in lilyan("modes", "scene.yaml", code=1).stderr
    write("lagrangian: 1/2*(dx^2 + dy^2) - x^2 - y^2\nforce: {x: y, y: -x}\nstart: {x: 0, y: 0}\n")
    assert "has no potential" in lilyan("modes", "scene.yaml", code=1).stderr
    write("""bodies: {a: {shape: {type: box, cells: [1, 1, 1]}, at: [0, 0, 0.7], material: {young: 1e5, poisson: 0.3, density: 1000}}}
gravity: 9.81
obstacles: {floor: {plane: {}}}
contact: {method: barrier}
""")
    assert "something touches here" in lilyan("modes", "scene.yaml", "--at", "equilibrium", code=1).stderr and not os.path.exists("scene.modes.h5")
    assert "--at is rest or equilibrium" in lilyan("modes", "scene.yaml", "--at", "sea", code=2).stderr
    assert "from 1 to 1000" in lilyan("modes", "scene.yaml", "-n", "0", code=2).stderr
    write("particles: {a: {at: [0, 0, 0], mass: 1}}\n")
    assert "nothing can move but as a rigid body" in lilyan("modes", "scene.yaml", code=1).stderr


def test_outputs():
    """The table as text and CSV; the same bits on any number of threads; a page with a choice of modes."""
    text = BAR % (0.1, 0.1, 10, 1, 1, 0.3, "")
    omega, result = modes(text, "-n", "3")
    shown = lilyan("modes", "scene.yaml", "-n", "3", "-o", "again.h5", "--csv", "table.csv", "--threads", "2").stdout
    assert "6 rigid modes are left out\n    'bar': 3 translations and 3 rotations" in shown and "again.h5, 49 frames" in shown, shown
    table = np.genfromtxt("table.csv", delimiter=",", names=True)
    assert (table["omega2"] == [m["omega2"] for m in result["modes"]]).all()
    with h5py.File("modes.h5", "r") as one, h5py.File("again.h5", "r") as two:
        assert (one["q"][()] == two["q"][()]).all() and (one["modes/shapes"][()] == two["modes/shapes"][()]).all()
        moved = abs(one["q"][()] - one["q"][0]).max(axis=1)
        assert moved[16] < 1e-6 and 0.05 < moved.max() < 0.11 and (one["t"][()] == np.arange(49) / 16).all(), moved
    lilyan("report", "again.h5", "--force")
    with open("again.html") as page:
        assert '"modes":[{"hz":' in page.read()
    assert "modes        3, from" in lilyan("info", "again.h5").stdout
    assert lilyan("modes", "scene.yaml", "-n", "2", "-o", "x.h5", "--csv", "-").stdout.count("\n") == 3


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
