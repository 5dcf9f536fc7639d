"""Pages in a real browser: they play, turn and step, ask the network for nothing, and show the shape that is in the file."""
# release only
import json
import os
import shutil
import sys
import tempfile

from command import call
from page_browser import SOURCE, Browser, agree, coloured, fill, lilyan, picture, prepare, project
from page_film import *
from page_colours import *
from page_live import *
import surfaces

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

def surface(browser, path, body, time_index, follow, later=0):
    with h5py.File(path) as file:
        q, time = file["q"][time_index].reshape(-1, 3), float(file["t"][time_index])
        faces = file[f"bodies/{body}/faces"][()] + file[f"bodies/{body}/first"][()].ravel()[0]
    prepare(browser, time + later)
    camera = browser.js("lilyan.camera()")
    if follow:
        size = np.ptp(q, axis=0).max()
        assert np.abs(q.mean(axis=0) - camera["anchors"][0]).max() < size / 65535, "it follows the centre"
    image = picture(browser)
    agree(coloured(image), fill(project(camera, 0, q), faces, image.shape[:2]))


def test_rod(browser):
    lilyan("run", os.path.join(SOURCE, "scenes/elastic-rod.yaml"), "--until", "40", "-o", "rod.h5", "--force")
    lilyan("report", "rod.h5", "--force")
    browser.open("rod.html")
    # the camera goes with it: it is pushed for metres
    for index in (0, 700, 1500):
        surface(browser, "rod.h5", "rod", index, True)
    words = browser.js("document.getElementById('certificate').textContent")
    assert "Angular momentum conserved to" in words and "no drift" in words, words
    moves(browser)
    browser.quiet()
    # frames too far apart for a cubic between them: each is shown as it is, and the page says so
    lilyan("run", os.path.join(SOURCE, "scenes/elastic-rod.yaml"), "--until", "40", "--set", "record.every=1000", "-o", "far.h5")
    lilyan("report", "far.h5")
    browser.open("far.html")
    assert "Frames are 4 s apart" in browser.js("document.getElementById('rate').textContent")
    surface(browser, "far.h5", "rod", 3, True, 1.7)
    browser.quiet()


def test_jelly(browser):
    lilyan("run", os.path.join(SOURCE, "scenes/hanging-jelly.yaml"), "-o", "jelly.h5", "--force")
    lilyan("report", "jelly.h5", "--force")
    browser.open("jelly.html")
    for index in (0, 60):
        surface(browser, "jelly.h5", "jelly", index, False)
    moves(browser)
    surface(browser, "jelly.h5", "jelly", 61, False)  # also from there
    words = browser.js("document.getElementById('certificate').textContent")
    assert "Damping requested 0.01 s, measured 0.01" in words and "energy balance closes" in words, words
    # wires of tets are drawn when asked for
    before = picture(browser)
    browser("key", key="m")
    browser("wait", ms=300)
    assert np.abs(picture(browser) - before).sum() > 10000
    browser.quiet()


PILLOW = """\
up: y
bodies:
  pillow: {surface: pillow.obj, vertices: 150, material: jelly, start: {spin: [1, 2, 3], stretch: 1.2},
           springs: {from: {vertices: [0]}, to: [0, 1, 0], stiffness: 10}}
time: {step: 0.01, until: 0.5}
record: {every: 1}
"""


def test_own_surface(browser):
    """Embedded surfaces, as they are in the file, with y up: carried by their tets or sent as they move, whichever is less."""
    with open("pillow.yaml", "w") as file:
        file.write(PILLOW)
    for n in 16, 3:
        vertices, faces = surfaces.pillow(n)
        surfaces.write_obj("pillow.obj", vertices, faces)
        lilyan("run", "pillow.yaml", "-o", "pillow.h5", "--force")
        lilyan("report", "pillow.h5", "--force")
        browser.open("pillow.html")
        with h5py.File("pillow.h5") as file:
            body, q = file["bodies/pillow"], file["q"][37].reshape(-1, 3)
            tets = len(body["rest"]) < len(vertices)
            corners = q[body["tets"][...][body["surface/tet"][:, 0]]]
            x = corners[:, 0] + (body["surface/weights"][...][:, :, None] * (corners[:, 1:] - corners[:, :1])).sum(axis=1)
            prepare(browser, float(file["t"][37]))
            spring = q[[0, len(body["rest"])]]
        assert tets == (n == 16) == browser.js("!!lilyan.page.runs[0].bodies[0].carriers")
        assert browser.js("lilyan.page.runs[0].vertices") == (len(q) if tets else len(vertices) + 2), "and the spring's ends"
        # where the spring ends, by the page's own places
        run = browser.js("""(() => { const run = lilyan.page.runs[0], x = new Float32Array(3 * run.places);
            run.positions(lilyan.time, [0, 0, 0], x); return Array.from(run.springs, (v) => [...x.subarray(3 * v, 3 * v + 3)]) })()""")
        assert np.abs(np.array(run) - spring).max() < 2 / 65535
        camera, image = browser.js("lilyan.camera()"), picture(browser)
        upright = lambda y: np.column_stack([y[:, 0], -y[:, 2], y[:, 1]])
        triangles = [[face[0], *pair] for face in faces for pair in zip(face[1:], face[2:])]
        agree(coloured(image), fill(project(camera, 0, upright(x)), triangles, image.shape[:2]))
        browser.quiet()


def test_posed_surface(browser):
    """At its key a surface is at its pose on the page, also where its tets cannot be; sent with its tets or by itself."""
    triangles = lambda faces: [[face[0], *pair] for face in faces for pair in zip(face[1:], face[2:])]
    for n in 8, 2:
        vertices, faces = surfaces.pillow(n, loose=False)
        pose = vertices * (1 + 0.15 * np.sin(12 * vertices[:, 1:2]) * [1, 0, 1])
        surfaces.write_obj("pillow.obj", vertices, faces)
        surfaces.write_obj("pose.obj", pose, faces)
        with open("posed.yaml", "w") as file:
            file.write("bodies: {pillow: {surface: pillow.obj, vertices: 60, material: {model: stable-neo-hookean, mu: 4e3, kappa: 2e4, density: 1000}}}\n"
                       "keys:\n  - {at: 0, pose: rest}\n  - {at: 1, file: pose.obj}\nshot: {frames: 4, physicality: 0}\n")
        lilyan("run", "posed.yaml", "-o", "posed.h5", "--force")
        lilyan("report", "posed.h5", "--force")
        browser.open("posed.html")
        prepare(browser, 1)
        browser("key", key="g")  # without ghosts
        assert browser.js("!!lilyan.page.runs[0].bodies[0].carriers") == (n == 8)
        camera, image = browser.js("lilyan.camera()"), picture(browser)
        agree(coloured(image), fill(project(camera, 0, pose), triangles(faces), image.shape[:2]))
        with h5py.File("posed.h5") as file:
            body, q = file["bodies/pillow"], file["q"][-1].reshape(-1, 3)
            corners = q[body["tets"][...][body["surface/tet"][:, 0]]]
            x = corners[:, 0] + (body["surface/weights"][...][:, :, None] * (corners[:, 1:] - corners[:, :1])).sum(axis=1)
        assert n < 8 or np.abs(x - pose).max() > 0.005, "its tets are elsewhere"
        browser.quiet()


def moves(browser):
    """It plays, goes to a time, and turns."""
    changed = lambda a, b: (np.abs(a - b).max(axis=2) > 30).sum()
    browser.js("lilyan.setTime(lilyan.clock.start)")
    pictures = [picture(browser)]
    browser("key", key=" ")
    browser("wait", ms=450)
    browser("key", key=" ")
    assert browser.js("lilyan.time > lilyan.clock.start && !lilyan.clock.playing")
    pictures.append(picture(browser))
    browser.js("(() => { const s = document.getElementById('scrub'); s.value = 0.6 * s.max; s.dispatchEvent(new Event('input')) })()")
    browser("wait", ms=200)
    assert browser.js("Math.abs(lilyan.time / lilyan.clock.end - 0.6)") < 1e-6
    pictures.append(picture(browser))
    assert min(changed(*pair) for pair in zip(pictures, pictures[1:])) > 500, "the picture changes"
    orbit(browser)


def orbit(browser):
    before, camera = picture(browser), browser.js("lilyan.camera().matrix")
    browser("drag", selector="#view", by=[120, -40])
    browser("wait", ms=200)
    assert np.abs(np.array(browser.js("lilyan.camera().matrix")) - camera).max() > 0.05, "dragging turns the view"
    assert (np.abs(picture(browser) - before).max(axis=2) > 30).sum() > 1000, "and the picture"


def segment_distance(shape, a, b):
    y, x = np.mgrid[:shape[0], :shape[1]] + 0.5
    d = b - a
    s = np.clip(((x - a[0]) * d[0] + (y - a[1]) * d[1]) / max(d @ d, 1e-9), 0, 1)
    return np.hypot(x - a[0] - s * d[0], y - a[1] - s * d[1])


VARIANTS = ("explicit-euler", "implicit-euler", "symplectic-euler")


def test_pendulum(browser):
    lilyan("run", os.path.join(SOURCE, "scenes/pendulum.yaml"), "--variants", "--until", "20", "-o", "pendulum.h5", "--force")
    paths = [f"pendulum.{name}.h5" for name in VARIANTS]
    lilyan("report", *paths, "-o", "fig1.html", "--force")
    browser.open("fig1.html")
    index = 350
    bobs = []
    for path in paths:
        with h5py.File(path) as file:
            theta, time = file["q"][index, 0], float(file["t"][index])
            bobs.append([np.sin(theta), 0, -np.cos(theta)])  # not what the page was given
    prepare(browser, time)
    camera, image = browser.js("lilyan.camera()"), picture(browser)
    seen, distance = coloured(image), np.full(image.shape[:2], np.inf)
    radius = 0.03 * np.hypot(*(project(camera, 0, [1, 0, 0]) - project(camera, 0, [-1, 0, 0]))[0])
    for run, bob in enumerate(bobs):
        ends = project(camera, run, [[0, 0, 0], bob])
        distance = np.minimum(distance, segment_distance(image.shape[:2], *ends))
        x, y = ends[1].astype(int)
        assert seen[y, x], f"{VARIANTS[run]}: no bob at {x}, {y}"
    assert seen.sum() > 1000 and (distance[seen] < 2.5 * radius).mean() > 0.999, "something else has a colour"
    words = browser.js("document.getElementById('certificate').textContent")
    assert "Energy drifts, from 4.082 to 13.7" in words and "no drift" in words, words

    # a run can be switched off, everywhere
    browser("evaluate", js="document.querySelector('#legend .chip').click()")
    browser("wait", ms=200)
    image = picture(browser)
    assert coloured(image).sum() < 0.8 * seen.sum()
    assert browser.js("lilyan.stage.visible") == [False, True, True]
    assert not browser.js("document.querySelectorAll('#certificate .run')[0].classList.contains('run') && !document.querySelectorAll('#certificate .run')[0].classList.contains('off')")
    browser.quiet()
    playing(browser)


def playing(browser):
    """Play, pause, scrub, step, plots."""
    browser.js("lilyan.setTime(0)")
    browser("key", key=" ")
    first = picture(browser)
    both = "[lilyan.time, performance.now() / 1000]"
    (t, s), _, (later, then) = browser.js(both), browser("wait", ms=600), browser.js(both)
    # less where frames are slower than the page waits for, more by one frame
    assert 0.1 < (later - t) / (then - s) < 1.5, f"a second shows about a second, not {later - t} in {then - s}"
    assert (np.abs(picture(browser) - first).max(axis=2) > 30).sum() > 500, "the picture changes"
    browser("key", key=" ")
    stood = browser.js("lilyan.time")
    browser("wait", ms=200)
    assert browser.js("lilyan.time") == stood
    times = browser.js("Array.from(lilyan.page.runs[0].times)")
    browser("key", key="ArrowRight")
    after = browser.js("lilyan.time")
    assert after == min(t for t in times if t > stood + 1e-7), (stood, after)  # and not the frame that it is at
    browser("key", key="ArrowLeft")
    browser("key", key="ArrowLeft")
    assert browser.js("lilyan.time") == times[times.index(after) - 2]
    browser("key", key="ArrowRight")
    assert browser.js("lilyan.time") == times[times.index(after) - 1]
    browser("key", key="End")
    assert abs(browser.js("lilyan.time") - 20) < 1e-9
    browser.js("(() => { const s = document.getElementById('scrub'); s.value = 12.5; s.dispatchEvent(new Event('input')) })()")
    assert abs(browser.js("lilyan.time") - 12.5) < 1e-6
    # a click into a plot goes to that time
    width = browser.js("document.querySelector('.u-over').clientWidth")
    browser("click", selector=".u-over >> nth=0", x=width / 4, y=20)
    assert abs(browser.js("lilyan.time") - 5) < 20 / width, browser.js("lilyan.time")
    # a stretch of time is zoomed into, in all plots; a double click shows all of it
    browser.js("""(() => { const over = document.querySelector('.u-over'), box = over.getBoundingClientRect();
        const send = (type, x) => over.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: box.left + x * box.width, buttons: 1, shiftKey: true, bubbles: true }));
        over.setPointerCapture = () => {};
        send('pointerdown', 0.25); send('pointermove', 0.4); send('pointerup', 0.5) })()""")
    shown = browser.js("lilyan.plots.list.filter((one) => !one.about.iterations).map(({ uplot: { scales: { x } } }) => [x.min, x.max])")
    assert np.abs(np.array(shown) - [5, 10]).max() < 0.01, shown
    browser.js("document.querySelector('.u-over').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
    assert browser.js("(({ min, max }) => [min, max])(lilyan.plots.list[0].uplot.scales.x)") == [0, 20]
    assert "first 4.08" in browser.js("document.querySelector('figcaption').textContent")
    browser("key", key="?")
    assert browser.js("document.getElementById('help').open")
    browser("key", key="Escape")
    orbit(browser)
    browser("key", key="d")
    assert browser.js("document.documentElement.dataset.theme") == "dark"
    browser.quiet()


PLANETS = ["sun", "jupiter", "saturn", "uranus", "neptune", "pluto"]


def test_planets(browser):
    lilyan("run", os.path.join(SOURCE, "scenes/outer-planets.yaml"), "-o", "planets.h5", "--force")
    lilyan("report", "planets.h5", "--force", "--title", "Planets & <moons>")
    browser.open("planets.html", width=390, height=780, scheme="dark")
    assert browser.js("document.title") == "Planets & <moons>"
    assert browser.js("document.documentElement.scrollWidth") <= 390, "nothing sticks out of a phone"
    assert browser.js("document.documentElement.dataset.theme") == "dark"
    browser.open("planets.html")
    with h5py.File("planets.h5") as file:
        q, time = file["q"][800], float(file["t"][800])
    places = q.reshape(3, 6).T
    prepare(browser, time)
    camera, image = browser.js("lilyan.camera()"), picture(browser)
    seen, distance = coloured(image), np.full(image.shape[:2], np.inf)
    assert browser.js("lilyan.page.runs[0].points") == PLANETS
    for name, (x, y) in zip(PLANETS, project(camera, 0, places)):
        assert seen[int(y), int(x)], f"no {name} at {x}, {y}"
        distance = np.minimum(distance, segment_distance(image.shape[:2], np.array([x, y]), np.array([x, y])))
    assert (distance[seen] < 16).mean() > 0.999, "something else has a colour"
    moves(browser)
    browser.quiet()


def test_autoplay(browser):
    browser.open("jelly.html", motion="no-preference")
    browser("wait", ms=300)
    assert browser.js("lilyan.clock.playing")
    browser.open("jelly.html", motion="reduce")
    assert not browser.js("lilyan.clock.playing")


HOSTILE = """\
# </script><script>alert(1)</script> <!-- <img src=x onerror=alert(2)>
lagrangian: 1/2*dx^2 - 1/2*x^2
start: {x: 1}
observe: {"script": x, alert: "x*x"}
draw: {points: {img: [x, 0, 0], bob: [0, x, 1]}, links: [[img, bob]]}
integrator: midpoint
time: {step: 0.1, until: 5}
"""


def test_hostile(browser):
    with open("hostile.yaml", "w") as file:
        file.write(HOSTILE)
    lilyan("run", "hostile.yaml", "-o", "hostile.h5", "--force")
    nasty = "<script>alert(3)</script>"
    path = nasty.replace("/", "") + "&amp;\"'.h5"
    with h5py.File("hostile.h5", "r+") as file:  # names that no scene would allow
        file.move("observe/alert", "observe/" + nasty.replace("/", "\\"))
        for name, text in (("variant", nasty), ("status", "x</script><img src=x onerror=alert(4)>")):
            del file[name]
            file.create_dataset(name, data=np.bytes_(text.ljust(256, "\0")))
    os.replace("hostile.h5", path)
    lilyan("report", path, "-o", "hostile.html", "--force")
    browser.open("hostile.html")
    browser("wait", ms=300)
    assert browser.js("document.querySelectorAll('img').length") == 0
    assert "<img src=x" in browser.js("document.getElementById('certificate').textContent")
    browser.quiet()
    with h5py.File("jelly.h5", "r+") as file:
        file.move("bodies/jelly", "bodies/<script>")
        file["status"][...] = np.bytes_(b"running".ljust(256, b"\0"))  # whoever wrote it is gone
    lilyan("report", "jelly.h5", "-o", "hostile.html", "--force")
    browser.open("hostile.html")
    assert browser.js("document.getElementById('view').getAttribute('aria-label')").startswith("<script>, a body of ")
    assert "Ended early: the run was killed" in browser.js("document.getElementById('certificate').textContent")
    browser.quiet()


def test_particles(browser):
    """A ball where each particle is, a dark rod along each rigid link, and nothing else."""
    lilyan("run", os.path.join(SOURCE, "scenes/tinkertoys.yaml"), "--until", "1", "-o", "toys.h5", "--force")
    lilyan("report", "toys.h5", "--force")
    browser.open("toys.html")
    with h5py.File("toys.h5") as file:
        q, time, rods = file["q"][77].reshape(-1, 3), float(file["t"][77]), file["rods"][()]
    prepare(browser, time)
    camera, image = browser.js("lilyan.camera()"), picture(browser)
    seen, at = coloured(image), project(camera, 0, q)
    for x, y in at.astype(int):
        assert seen[y, x], f"no particle at {x}, {y}"
    radius = 0.05 * np.hypot(*np.ptp(at, axis=0))
    y, x = np.nonzero(seen)
    assert np.min([np.hypot(x - a, y - b) for a, b in at], axis=0).max() < radius, "something else has a colour"
    assert len(rods) == 21
    for a, b in rods:
        u, v = ((at[a] + at[b]) / 2).astype(int)
        # another particle may be in front
        assert seen[v, u] or image[v - 2:v + 3, u - 2:u + 3].sum(axis=2).min() < 450, f"no rod at {u}, {v}"
    assert "leg, 14 particles" in browser.js("document.getElementById('view').getAttribute('aria-label')")
    assert browser.js("document.getElementById('scale').textContent").strip().endswith(" m"), "particles are in SI"
    panels = browser.js("[...document.querySelectorAll('.panel h2')].map((e) => e.textContent)")
    assert "Forces of constraints (N)" in panels and "Violation of constraints" in panels, panels
    assert "Constraints satisfied to" in browser.js("document.getElementById('certificate').textContent")
    browser.quiet()


OBSTACLES = """\
bodies: {cube: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, at: [0.9, 0, 0.5], material: rubber}}
gravity: 1
obstacles:
  floor: {plane: {point: [0, 0, -0.2]}}
  ball: {sphere: {centre: [-0.6, 0, 0.2], radius: 0.3}}
  plate: {box: {centre: [0.2, 0, 0], size: [0.4, 0.4, 0.1], rotate: [0, 0, 30]}, move: [0, 0, "t"]}
time: {step: 0.01, until: 0.6}
"""


def test_obstacles(browser):
    """Balls, boxes and a floor are there, grey; what moves is where it was at that time."""
    with open("obstacles.yaml", "w") as file:
        file.write(OBSTACLES)
    lilyan("run", "obstacles.yaml", "-o", "obstacles.h5", "--force")
    with h5py.File("obstacles.h5") as file:
        assert abs(file["obstacle/plate"][50, 2] - 0.5) < 1e-12 and "ball" not in file["obstacle"]
    lilyan("report", "obstacles.h5", "--force")
    browser.open("obstacles.html")
    assert browser.js("lilyan.stage.mode === 'leash' && lilyan.stage.coverage()") >= 0.15, "what moves is not lost among obstacles"
    browser.js("lilyan.stage.setFollow(false)")  # all of them
    for time in (0, 0.5):
        prepare(browser, time)
        camera, image = browser.js("lilyan.camera()"), picture(browser)
        grey = image.max(axis=2) - image.min(axis=2) < 25
        for x in ([-0.6, 0, 0.2], [0.2, 0, time]):
            (u, v), = project(camera, 0, [x]).astype(int)
            assert grey[v, u], f"no obstacle at {x}, t = {time}: {image[v, u]}"
        places = browser.js("lilyan.stage.groups[0].parts[0].object.children.map((m) => m.position.toArray())")
        assert len(places) == 2, "the floor is the ground"
        assert np.abs(np.array(places) - (np.array([0.2, 0, time]) - camera["anchors"][0])).max(axis=1).min() < 1e-9, places
    assert "Deepest penetration" in browser.js("document.getElementById('certificate').textContent") or \
        browser.js("lilyan.page.runs[0].certificate.penetration_max") == 0
    browser.quiet()


MEETING = """\
bodies:
  a: {shape: {type: box, cells: [2, 2, 2]}, rotate: [20, 30, 0], material: SOFT, start: {push: [0.5, 0, 0]}}
  b: {shape: {type: box, cells: [2, 2, 2]}, at: [1.45, 0.3, 0.2], rotate: [-20, 10, 40], material: SOFT, start: {push: [-0.5, 0, 0]}}
contact: {method: barrier}
integrator: energy-momentum
record: {every: 1}
time: {step: 0.01, until: 0.5}
""".replace("SOFT", "{model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}")


def test_contacts(browser):
    """Contacts of the frame that is seen, as the file has them: points, forces as arrows when asked for, gap and force over time."""
    with open("meeting.yaml", "w") as file:
        file.write(MEETING)
    lilyan("run", "meeting.yaml", "-o", "meeting.h5", "--force")
    lilyan("report", "meeting.h5", "--force")
    browser.open("meeting.html")
    with h5py.File("meeting.h5") as file:
        end, forces = file["contacts/end"][()].astype(int), file["contacts/force"][()].astype(float)
        frame = int(np.argmax(file["contact/force"][()]))
        rows = slice(end[frame - 1], end[frame])
        points, force, time = file["contacts/point"][rows].astype(float), forces[rows], float(file["t"][frame])
        tracks = {group: file[f"contact/{track}"][()] for group, track in (("gap", "gap"), ("contact", "force"))}
        gap = file["certificate/gap_min"][()]
    most = np.linalg.norm(forces, axis=1).max()
    prepare(browser, time)
    without = picture(browser)
    browser("key", key="c")
    browser("wait", ms=150)
    seen = browser.js("lilyan.page.runs[0].touching(lilyan.time)")
    assert len(seen) == len(points) > 2
    assert np.abs(np.array([one["point"] for one in seen]) - points).max() < 2 / 65535  # bits of a box of about a metre
    assert np.abs(np.array([one["force"] for one in seen]) - force).max() <= 0.51 * most / 32767
    camera, image = browser.js("lilyan.camera()"), picture(browser)
    changed = np.abs(image - without).max(axis=2) > 30
    scale = 0.25 * browser.js("lilyan.stage.size") / most
    long = np.linalg.norm(force, axis=1) > 0.4 * most
    for share in (0, 0.3, 0.6):
        for x, y in project(camera, 0, points + share * scale * force)[long].round().astype(int):
            assert changed[y - 1:y + 2, x - 1:x + 2].any(), f"no arrow at {x}, {y}"
    near = np.full(image.shape[:2], np.inf)
    for ends in zip(project(camera, 0, points), project(camera, 0, points + scale * force)):
        near = np.minimum(near, segment_distance(image.shape[:2], *ends))
    size = np.hypot(*(project(camera, 0, points[0]) - project(camera, 0, points[0] + [0, 0, 0.02 * browser.js("lilyan.stage.size")]))[0])
    assert changed.sum() > 50 and (near[changed] < size + 2).all(), "nothing else has changed"
    browser("key", key="c")
    browser("wait", ms=150)
    assert (np.abs(picture(browser) - without).max(axis=2) > 30).sum() == 0, "contacts can be switched off"
    for group, track in tracks.items():
        series = browser.js(f"lilyan.page.runs[0].series.filter((s) => s.group === '{group}').map((s) => Array.from(s.y))[0]")
        assert np.array_equal(series, track), group
    assert {"Contact force, all pairs (N)", "Smallest gap, up to d_hat (m)"} <= set(titles(browser)), titles(browser)
    said = [(text, how) for text, how in words(browser) if "intersect" in text]
    assert said == [(f"Nothing intersects; the smallest gap is {float(f'{gap:.2g}'):g} m.", "good")], said
    # at another time others
    assert browser.js("lilyan.page.runs[0].touching(0).length") == end[0] < len(points)
    browser.quiet()


def titles(browser):
    return browser.js("[...document.querySelectorAll('.panel h2')].map((e) => e.textContent)")


def test_keys(browser):
    """Of a shot the key poses are there all the time, as ghosts of particles and springs; ghost forces are arrows, and plotted."""
    lilyan("run", os.path.join(SOURCE, "scenes/keys-letters.yaml"), "-o", "letters.h5", "--force")
    lilyan("report", "letters.h5", "--force")
    browser.open("letters.html")
    with h5py.File("letters.h5") as file:
        keys, frame = file["shot/keys"][:, 0], 128
        poses, time = file["q"][()][keys].reshape(len(keys), -1, 3), float(file["t"][frame])
        forces = file["ghost_force"][()].reshape(len(file["t"]), -1, 3)
        places, force = file["q"][frame].reshape(-1, 3), forces[frame]
    assert len(keys) == 4
    prepare(browser, time)
    camera, image = browser.js("lilyan.camera()"), picture(browser)
    empty = image[4, 4].sum()  # the background
    for pose in poses:
        for x, y in project(camera, 0, pose).astype(int):
            assert abs(image[y, x].sum() - empty) > 15, f"no ghost at {x}, {y}"
    # half way along each arrow is its colour, until they are switched off; the longest is a quarter of the scene
    scale = 0.25 * browser.js("lilyan.stage.size") / np.linalg.norm(forces, axis=2).max()
    long = np.linalg.norm(force, axis=1) > 0.3 * np.linalg.norm(force, axis=1).max()
    middles = project(camera, 0, places + 0.5 * scale * force)[long].round().astype(int)
    purple = lambda picture: [np.ptp(picture[y - 1:y + 2, x - 1:x + 2].reshape(-1, 3), axis=1).max() > 45 for x, y in middles]
    assert len(middles) >= 4 and all(purple(image)), f"no arrows at {middles}: {purple(image)}"
    browser("key", key="g")
    browser("wait", ms=150)
    assert sum(purple(picture(browser))) <= 1, "arrows can be switched off"
    assert "Ghost force (N)" in titles(browser) and "Cost by iteration" in titles(browser), titles(browser)
    browser.quiet()


def test_key_poses(browser):
    """A key that sets a whole body is a translucent body there; of a key for some points these are marked where they shall be."""
    lilyan("run", os.path.join(SOURCE, "scenes/keys-throw.yaml"), "--set", "bodies.bar.shape.cells=[3, 1, 1]", "--set", "shot.frames=16", "-o", "throw.h5", "--force")
    lilyan("report", "throw.h5", "--force")
    browser.open("throw.html")
    with h5py.File("throw.h5") as file:
        q, asked = file["shot/key_q"][()].reshape(2, -1, 3), file["shot/key_asked"][()].reshape(2, -1, 3)
    assert asked[0].all() and 0 < asked[1].all(axis=1).sum() < len(asked[1]) / 2
    points = q[1][asked[1].all(axis=1)]
    words = browser.js("document.getElementById('certificate').textContent")
    assert "Keys met exactly." in words and "of ghost and natural forces together." in words and "momentum" not in words and "drift" not in words, words
    prepare(browser, 1.5)  # where the body itself is elsewhere
    camera, image = browser.js("lilyan.camera()"), picture(browser)
    (x, y), = project(camera, 0, q[0].mean(axis=0)).astype(int)
    red, green, _ = image[y, x].astype(int)
    assert green - red > 20, f"no ghost of the body at {x}, {y}: {image[y, x]}"
    for x, y in project(camera, 0, points).astype(int):
        assert np.ptp(image[y, x]) > 20, f"no mark at {x}, {y}: {image[y, x]}"
    browser.quiet()


def test_soft_keys(browser):
    """Of soft keys a page says by how much they are missed, and calls none of them met."""
    for name, first in ("some", "velocity: 0"), ("all", "weight: 1"):
        with open(name + ".yaml", "w") as file:
            file.write("bodies: {bar: {shape: {type: bar, size: [2, 1, 1], cells: [2, 1, 1]}, material: jelly}}\ngravity: 9.81\n"
                       "keys:\n  - {at: 0, pose: rest, " + first + "}\n  - {at: 0.5, pose: {translate: [0, 0, 5]}, weight: 1}\n"
                       "  - {at: 1, pose: rest, weight: 1}\nshot: {frames: 8}\n")
        lilyan("run", name + ".yaml", "-o", name + ".h5", "--force")
        lilyan("report", name + ".h5", "--force")
        browser.open(name + ".html")
        words = browser.js("document.getElementById('certificate').textContent")
        # ghosts are what is asked for, not the motion
        target, asked = browser.js("(() => { const { targets: { x, asked }, vertices: n } = lilyan.page.runs[0]; return [Array.from(x).slice(3 * n, 6 * n), Array.from(asked)] })()")
        with h5py.File(name + ".h5") as file:
            rest, there = file["bodies/bar/rest"][()], file["q"][file["shot/keys"][1, 0]].reshape(-1, 3)
        assert np.abs(np.reshape(target, (-1, 3)) - rest - [0, 0, 5]).max() < 1e-5 and set(asked) == {1}
        assert np.abs(there - rest - [0, 0, 5]).max() > 0.1, "the soft key is missed"
        assert ("Hard keys met exactly." in words) == (name == "some") and "Soft keys missed by up to " in words and "Keys met" not in words, words
    browser.quiet()


def test_levels(browser):
    """How a shot was found: a coordinate as each level left it, and the cost of each iteration; forces on drawn points."""
    lilyan("run", os.path.join(SOURCE, "scenes/keys-unphysical.yaml"), "--set", "shot.method=local", "--set", "shot.tolerance=1",
           "-o", "shot.h5", "--force")
    lilyan("report", "shot.h5", "--force")
    browser.open("shot.html")
    assert {"Levels", "Cost by iteration"} <= set(titles(browser)), titles(browser)
    words = browser.js("""[...document.querySelectorAll('.panel')].find((e) => e.querySelector('h2').textContent === 'Levels').textContent""")
    assert all(f"{n} frames" in words for n in (6, 12, 24, 48, 96, 192)), words
    with h5py.File("shot.h5") as file:
        cost, force, drawn = file["shot/cost"][:, 0], file["ghost_force"][()], file["ghost/mass"][()]
    assert np.abs(drawn[:, 0] - force[:, 0]).max() < 1e-6 * np.abs(force).max() and not drawn[:, 1:].any()
    series = browser.js("lilyan.page.runs[0].series.filter((s) => s.group === 'cost').map((s) => Array.from(s.y))[0]")
    assert np.array_equal(series, cost), "every iteration's cost is on the page"
    most = browser.js("lilyan.page.runs[0].largestForce()")
    assert abs(most / np.abs(force).max() - 1) < 1e-3
    browser.quiet()
    # several runs: their costs and levels side by side
    lilyan("run", os.path.join(SOURCE, "scenes/keys-two-periods.yaml"), "--variants", "-o", "two.h5", "--force")
    lilyan("report", "two.five.h5", "two.progressive.h5", "two.global.h5", "-o", "two.html", "--force")
    browser.open("two.html")
    assert {"Levels", "Cost by iteration"} <= set(titles(browser)), titles(browser)
    browser.quiet()


def test_without_drawing(browser):
    lilyan("run", os.path.join(SOURCE, "scenes/oscillator.yaml"), "-o", "oscillator.h5", "--force")
    lilyan("report", "oscillator.h5", "--force")
    browser.open("oscillator.html")
    assert browser.js("lilyan.stage") is None
    assert browser.js("!!document.querySelector('#frame canvas.portrait')"), "the phase portrait takes its place"
    browser.quiet()


def test_driven(browser):
    """A Lagrangian that depends on t does work: the page shows the books, and does not say that the energy is kept."""
    with open("driven.yaml", "w") as file:
        file.write("lagrangian: 1/2*dx^2 - 1/2*x^2 + 0.3*x*cos(2*t)\nstart: {x: 1}\nintegrator: midpoint\ntime: {step: 0.01, until: 10}\n")
    lilyan("run", "driven.yaml", "-o", "driven.h5")
    lilyan("report", "driven.h5")
    browser.open("driven.html")
    words = browser.js("document.getElementById('certificate').textContent")
    assert "0.687 J external work; the energy balance closes" in words or "0.687 external work; the energy balance closes" in words, words
    assert "no drift" not in words, words
    assert "halve the step and compare" in words, words
    browser.quiet()


def test_energy_that_is_not_conserved(browser):
    """Verlet steps over the centre of a nearly radial orbit: its energy jumps from -1 to 58."""
    with open("jump.yaml", "w") as file:
        file.write("lagrangian: 1/2*(dx^2+dy^2) + 1/sqrt(x^2+y^2+1e-6)\nstart: {x: 1, y: 0, dy: 0.05}\nintegrator: stormer-verlet\n"
                   "time: {step: 0.01, until: 50}\n")
    lilyan("run", "jump.yaml", "-o", "jump.h5", "--force")
    lilyan("report", "jump.h5", "--force")
    browser.open("jump.html")
    said = [(text, how) for text, how in words(browser) if text.startswith("Energy")]
    assert len(said) == 1 and "Energy is not conserved: it goes from" in said[0][0] and said[0][1] == "bad", said


def words(browser):
    """The certificate's sentences, each with its mood."""
    return [tuple(pair) for pair in browser.js("Array.from(document.querySelectorAll('#certificate li')).map((li) => [li.textContent, li.className])")]


def test_how_deep_is_judged(browser):
    with open("press.yaml", "w") as file:
        file.write("particles: {bead: {at: [0, 0, 0.2], mass: 1, velocity: [0, 0, -1]}}\n"
                   "obstacles: {table: {box: {centre: [0, 0, -0.5], size: [1, 1, 1]}}}\ncontact: {method: penalty}\ntime: {step: 1e-3, until: 0.5}\n")
    lilyan("run", "press.yaml", "-o", "press.h5", "--force")
    for share, mood in ((0.019, None), (0.021, "warn"), (0.099, "warn"), (0.101, "bad")):
        with h5py.File("press.h5", "a") as file:
            assert file["certificate/penetration_relative"][()] > 0 and file["penetration/what"][()] == b"bead"
            file["certificate/penetration_relative"][...] = share
            time = float(file["certificate/penetration_time"][()])
        lilyan("report", "press.h5", "--force")
        browser.open("press.html")
        said = [(text, how) for text, how in words(browser) if "penetrates" in text]
        assert [how for _, how in said] == ([mood] if mood else []), (share, said)
        if mood:
            assert f"bead penetrates table by {float(f'{100 * share:.2g}'):g} % of the thinner one's thickness at {float(f'{time:.3g}'):g} s" in said[0][0], said
            colours = browser.js("['warn', 'bad'].map((m) => getComputedStyle(document.documentElement).getPropertyValue('--' + m))")
            drawn = browser.js(f"getComputedStyle(document.querySelector('#certificate li.{mood}'), '::before').color")
            mark = "rgb(%d, %d, %d)" % tuple(bytes.fromhex(colours[mood == "bad"].strip()[1:]))
            assert drawn == mark, (drawn, mark)
    browser.quiet()


def test_how_energy_is_judged(browser):
    """The limits of docs/page.md: of a band, of a balance, and of a method that conserves energy exactly."""
    band = "lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 1}\nintegrator: %s\ntime: {step: 0.1, until: 20}\n"
    cases = [(band % "stormer-verlet", "energy_band", ((0.049, "good", "conserved within"), (0.051, "warn", "oscillates by"), (0.201, "bad", "is not conserved"))),
             (band % "energy-momentum", "energy_band", ((9e-7, "good", "conserved to"), (0.011, "warn", "changes by"), (0.101, "bad", "changes by"))),
             (band.replace("x^2\n", "x^2 + 0.3*x*cos(2*t)\n") % "midpoint", "external_work", ((0.009, "good", "balance closes"), (0.011, "warn", "off by"), (0.101, "bad", "off by")))]
    for scene, name, limits in cases:
        with open("judged.yaml", "w") as file:
            file.write(scene)
        lilyan("run", "judged.yaml", "-o", "judged.h5", "--force")
        for share, mood, piece in limits:
            with h5py.File("judged.h5", "a") as file:
                about = file["certificate"]
                about["energy_drift"][...] = 0
                if name == "external_work":  # (W - 1) / (W + 1) = share
                    about["energy_initial"][...], about["energy_final"][...], about["energy_dissipated"][...] = 0, 1, 0
                    share = (1 + share) / (1 - share)
                about[name][...] = share
            lilyan("report", "judged.h5", "--force")
            browser.open("judged.html")
            said = [(text, how) for text, how in words(browser) if text.startswith("Energy")]
            assert len(said) == 1 and piece in said[0][0] and said[0][1] == mood, (share, said)


def test_conserved_is_not_accurate(browser):
    """Energy and angular momentum of a Kepler orbit are kept; where the planet is, is not."""
    with open("orbit.yaml", "w") as file:
        file.write("lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\nstart: {x: 1.6, y: 0, dy: 0.5}\nintegrator: midpoint\n"
                   "time: {step: 0.02, until: 300}\nobserve: {L: {value: x*dy - y*dx, invariant: true}}\n")
    lilyan("run", "orbit.yaml", "-o", "orbit.h5", "--force")
    lilyan("run", "orbit.yaml", "-o", "fine.h5", "--force", "--step", "0.005", "--set", "record.every=40")
    with h5py.File("orbit.h5") as one, h5py.File("fine.h5") as other:
        assert np.linalg.norm(one["q"][-1] - other["q"][-1]) > 0.1, "it is not where it should be"
    lilyan("report", "orbit.h5", "--force")
    browser.open("orbit.html")
    said = words(browser)
    assert any(text.startswith("Energy conserved within") and how == "good" for text, how in said), said
    everything = browser.js("document.getElementById('certificate').textContent")
    assert "halve the step and compare" in everything and "right" not in everything and "accuracy" in everything, everything
    browser.quiet()


def test_profile(browser):
    """The table of a run that measured its steps says what the file has; a page of others has none."""
    scene = os.path.join(SOURCE, "scenes/pendulum.yaml")
    lilyan("run", scene, "--until", "2", "--profile", "-o", "timed.h5")
    lilyan("run", scene, "--until", "2", "-o", "plain.h5")
    lilyan("report", "plain.h5")
    browser.open("plain.html")
    assert browser.js("document.getElementById('profile')") is None
    lilyan("report", "timed.h5", "plain.h5", "-o", "both.html")
    browser.open("both.html")
    assert browser.js("document.querySelectorAll('#profile table').length") == 1
    browser("click", selector="#profile summary")
    assert browser.js("document.querySelector('#profile table').getBoundingClientRect().height") > 100, "it can be seen"
    rows = browser.js("[...document.querySelectorAll('#profile tr')].map((row) => [...row.cells].map((one) => one.textContent))")
    assert rows[0] == ["phase", "seconds", "share", "calls", "ms a step", "with inner phases"], rows[0]
    with h5py.File("timed.h5") as file:
        group = file["profile"]
        ran = [name for name in group if isinstance(group[name], h5py.Group) and group[name]["calls"][()] > 0]
        seconds = float(group["seconds"][()])
        assert sorted(row[0] for row in rows[1:-1]) == sorted(name.replace("_", " ") for name in ran)
        for row in rows[1:-1]:
            phase = group[row[0].replace(" ", "_")]
            assert int(row[3].replace(",", "")) == phase["calls"][()], row
            assert abs(float(row[2].rstrip(" %")) - 100 * phase["seconds"][()] / seconds) <= 0.0501, row  # a tenth, rounded
        assert rows[-1][0] == "all steps" and int(rows[-1][3].replace(",", "")) == group["steps"][()]
    browser.quiet()


def main():
    only = sys.argv[1:]
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    browser = Browser()
    try:
        for name, test in list(globals().items()):
            if name.startswith("test_") and (not only or name in only):
                test(browser)
                print(f"{name}: ok", flush=True)
    finally:
        browser.close()
        os.chdir("/")
        shutil.rmtree(folder)


main()
