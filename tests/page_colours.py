"""Colours of a page by speed, stress, strain and contact, names and views: tests that tests/test_page.py calls with its browser."""
import numpy as np
from page_browser import lilyan, picture

try:
    import h5py
except ImportError:  # tests/test_page.py says so
    pass

__all__ = ["test_colours_are_what_is_in_the_file", "test_names_and_views"]

MU = 4e3
SCENE = f"""\
bodies:
  soft: {{shape: {{type: box, size: [0.4, 0.2, 0.2], cells: [3, 2, 2]}}, start: {{stretch: 1.3, spin: [0, 0, 3]}},
         material: {{model: stable-neo-hookean, mu: {MU}, kappa: 2e4, density: 1000}}}}
  flies: {{shape: {{type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}}, material: jelly, at: [0, 0, 1], start: {{velocity: [1, 2, 0]}}}}
particles:
  rope: {{type: chain, from: [1, 0, 0], to: [2, 0, 0], count: 12, mass: 0.1, links: {{stiffness: 100}}}}
  masses: {{type: chain, from: [1, 0, 1], to: [2, 0, 1], count: 5, mass: 0.1, links: {{stiffness: 100}}}}
  net: {{type: grid, size: [1, 1], at: [1, 1, 0], cells: [3, 3], mass: 0.01, links: {{stiffness: 10}}}}
integrator: midpoint
time: {{step: 0.01, until: 0.1}}
record: {{every: 1}}
"""


def expected(path, k):
    """Of each vertex of 'soft' at frame k, from the file alone: means over its tets of von Mises' stress and of the largest |stretch - 1|."""
    with h5py.File(path) as file:
        body, q, time = file["bodies/soft"], file["q"][k].reshape(-1, 3), float(file["t"][k])
        rest, tets = body["rest"][()].reshape(-1, 3), body["tets"][()].reshape(-1, 4)
    edges = lambda y: np.swapaxes(y[tets[:, 1:]] - y[tets[:, :1]], 1, 2)
    F, volume = edges(q[:len(rest)]) @ np.linalg.inv(edges(rest)), np.linalg.det(edges(rest))
    # Smith et al. 2018, (14): P = m (1 - 1/(I + 1)) F + a multiple of cof F, which is a pressure
    b = F @ np.swapaxes(F, 1, 2)
    I = np.trace(b, axis1=1, axis2=2)
    s = (4 / 3 * MU * (1 - 1 / (I + 1)) / np.linalg.det(F))[:, None, None] * (b - I[:, None, None] / 3 * np.eye(3))
    means = []
    for each in (np.sqrt(1.5 * (s * s).sum(axis=(1, 2))), np.abs(np.linalg.svd(F)[1] - 1).max(axis=1)):
        total, weight = np.zeros(len(rest)), np.zeros(len(rest))
        for corner in tets.T:
            np.add.at(total, corner, volume * each)
            np.add.at(weight, corner, volume)
        means.append(total / weight)
    return time, means


def test_colours_are_what_is_in_the_file(browser):
    with open("colours.yaml", "w") as file:
        file.write(SCENE)
    lilyan("run", "colours.yaml", "-o", "colours.h5")
    lilyan("report", "colours.h5")
    browser.open("colours.html", width=300, height=300)
    time, means = expected("colours.h5", 7)
    shades = browser.js("""((run) => ["stress", "strain"].map((kind) => [run.shades[kind].most, [...run.shade(kind, %r, new Float32Array(run.places))]]))
        (lilyan.page.runs[0])""" % time)
    for (most, got), mean in zip(shades, means):
        assert np.ptp(mean) > 0.2 * most, "they differ from vertex to vertex"
        # 255 sqrt(y / most) is rounded to a whole number
        assert (np.abs(np.sqrt(np.array(got[:len(mean)]) / most) - np.sqrt(mean / most)) < 0.5001 / 255).all()
    # what flies without force is as fast as it was thrown, at any time; places are 16 bits of some metres, a step apart
    browser.js("(lilyan.setTime(0.043), lilyan.stage.setShade('speed'))")
    first, count, speed = browser.js("((run) => [run.bodies[1].first, run.bodies[1].vertices, [...lilyan.stage.values[0]]])(lilyan.page.runs[0])")
    assert np.abs(np.array(speed[first:first + count]) - np.sqrt(5)).max() < 2 * 4 / 65535 / 0.01
    # a rope is a tube, a few masses and a net are balls and springs
    assert browser.js("lilyan.page.runs[0].chains.map(({ part }) => part.name)") == ["rope"]
    browser.quiet()


def test_names_and_views(browser):
    """Of cube.h5 (page_film.py): the pressure adds up to the force; colours have a scale; a click says what it hits; views from all sides."""
    browser.open("cube.html", width=300, height=300)
    force, pressure = browser.js("""(() => {
        const run = lilyan.page.runs[0], sum = (t) => run.touching(t).reduce((all, { force }) => all + Math.hypot(...force), 0);
        const t = run.times.reduce((a, b) => (sum(b) > sum(a) ? b : a));
        lilyan.stage.setShade("contact");
        lilyan.setTime(t);
        return [sum(t), lilyan.stage.values[0].reduce((all, p) => all + p, 0) * run.spacings[0] ** 2];
    })()""")
    assert force > 0.1 and abs(pressure / force - 1) < 1e-3, (pressure, force)
    glass = "(() => { let found; lilyan.stage.scene.traverse(({ material }) => { found ??= material?.transmission; }); return found })()"
    assert browser.js(glass) == 0, "colours that stand for numbers are opaque"
    browser.js("(lilyan.stage.setShade(null), lilyan.setTime(0.2))")
    assert abs(browser.js(glass) - 0.6) < 1e-9, "one sees through what the scene gives an opacity of 0.4"
    browser("wait", ms=200)
    plain = picture(browser)
    browser("key", key="v")
    browser("wait", ms=200)
    assert np.abs(picture(browser) - plain).mean() > 1, "it has other colours"
    scale = browser.js("document.getElementById('shades').textContent")
    assert scale.startswith("Speed, m/s0") and float(scale[len("Speed, m/s0"):]) in (0.5, 1, 2, 5), scale
    x, y = browser.js("""(() => { const { clientWidth: w, clientHeight: h } = document.getElementById("view"), run = lilyan.page.runs[0];
        const [x, y, z] = run.centre(lilyan.time).map((c, k) => c - lilyan.camera().anchors[0][k]), m = lilyan.camera().matrix;
        const of = (row) => m[row] * x + m[row + 4] * y + m[row + 8] * z + m[row + 12];
        return [(1 + of(0) / of(3)) / 2 * w, (1 - of(1) / of(3)) / 2 * h] })()""")
    browser("click", selector="#view", x=x, y=y)
    named = browser.js("(({ hidden, textContent }) => hidden ? '' : textContent)(document.getElementById('named'))")
    assert named.startswith("cube, a body of ") and named.endswith(" m/s"), named
    browser("click", selector="#view", x=5, y=5)
    assert browser.js("document.getElementById('named').hidden"), "the sky has no name"
    for key, axis, sign in (("2", 1, -1), ("3", 0, 1), ("4", 2, 1)):
        browser("key", key=key)
        camera = browser.js("lilyan.stage.camera.position.clone().normalize().toArray()")
        assert sign * camera[axis] > 0.99, (key, camera)
    browser("key", key="r")
    assert browser.js("document.getElementById('sides').value") == "Three-quarter"
    browser("key", key="F")
    browser("wait", ms=200)
    assert browser.js("document.fullscreenElement?.id") == "stage"
    browser("key", key="F")
    browser("wait", ms=200)
    assert browser.js("document.fullscreenElement") is None
    browser.quiet()
