"""Contact by barrier with what moves as it is told: obstacles that move and turn, handles. Drives $LILYAN."""
import json
import math
import os

import h5py
import harness
from command import lilyan, write
import numpy as np

LILYAN = os.environ["LILYAN"]
SMALL = "LIL_TEST_SMALL" in os.environ
SOFT = "{model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}"
ENDS = """
integrator: energy-momentum
solver: {tolerance: 1e-12}
record: {every: 1}
"""
BALL = "bodies: {ball: {shape: {type: ball, radius: 0.2, cells: 2}, at: [%s], material: " + SOFT + "}}\n"


def write_surface(name, vertices, faces):
    write("".join("v %.9g %.9g %.9g\n" % tuple(x) for x in vertices) + "".join("f " + " ".join(str(k + 1) for k in f) + "\n" for f in faces), name)


def run(text, step, until, contact="contact: {method: barrier}"):
    write(text + contact + ENDS + "time: {step: %g, until: %g}\n" % (step, until))
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)["certificate"]


def free_of_intersections(c):
    """At frames, and between them where frames are steps: what a step that is halved does in its middle is not recorded."""
    paths = ["--paths"] if c["halved_steps"] == 0 else []
    assert "no intersection" in lilyan("check", "out.h5", *paths).stdout


def books_close(c):
    """What is in the motion is what was put in less what was taken out: exact but for what the solver leaves, 1e-12 a step."""
    change = c["energy_final"] - c["energy_initial"] + c["energy_dissipated"]
    assert abs(change - c["external_work"]) < 1e-9 * abs(c["external_work"]), c


def momenta():
    """Linear, and angular about the origin, at the end."""
    with h5py.File("out.h5") as file:
        q, p = (file[name][-1].reshape(-1, 3) for name in "qp")
        return p.sum(axis=0), np.cross(q, p).sum(axis=0)


def test_paddle():
    """A paddle at V hits a ball at rest, at steps in which it moves by up to half the ball: the work is V times the impulse, whose sum is P."""
    for step in (0.01,) if SMALL else (0.002, 0.05):
        c = run(BALL % "0, 0, 0" + 'obstacles: {paddle: {box: {centre: [-0.4, 0, 0], size: [0.1, 0.6, 0.6]}, move: ["2*t", 0, 0]}}\n', step, 0.4)
        books_close(c)
        P, _ = momenta()
        assert abs(c["external_work"] - 2 * P[0]) < 1e-9 * c["external_work"], (step, c, P)
        # a ball of 33 kg that bounces off leaves with 4 m/s but for what goes on swinging in it
        assert c["external_work"] > 100 and c["gap_min"] > 0, (step, c)
        free_of_intersections(c)


def test_bat():
    """A bat turns about the origin by w and hits a ball. A point of it goes by 2 tan(w h/2) times z x (its middle): so the work is
    2 tan(w h/2)/h times the angular impulse, whose sum is J."""
    w = 2 * math.pi
    for step in (0.01,) if SMALL else (0.002, 0.01):
        c = run(BALL % "0.32, -0.5, 0" + 'obstacles: {bat: {box: {size: [0.05, 1.4, 0.6]}, turn: [0, 0, "360*t"]}}\n', step, 0.4)
        books_close(c)
        _, J = momenta()
        assert abs(c["external_work"] - 2 * math.tan(w * step / 2) / step * J[2]) < 1e-9 * c["external_work"], (step, c, J)
        assert c["external_work"] > 100, c
        free_of_intersections(c)


def test_plane_that_turns():
    """A floor tips over under a ball, which slides off: the work of a plane whose normal changes is exact too."""
    c = run(BALL % "0.3, 0, 0.22" + 'gravity: [0, 0, -9.81]\nobstacles: {floor: {plane: {}, turn: [0, "100*t", 0], move: [0, 0, "0.5*t"]}}\n', 0.01, 0.3)
    books_close(c)
    assert c["gap_min"] > 0 and momenta()[0][0] > 0, c
    free_of_intersections(c)


def test_belt():
    """A block on what moves or turns under it, with friction: what is put in is what moves and what friction takes."""
    for under in ("plane: {}, move: [2*t, 0, 0.1*t]", "box: {centre: [0, 0, -0.5], size: [4, 4, 1]}, turn: [0, 0, 100*t]"):
        c = run("gravity: [0, 0, -9.81]\nbodies: {block: {shape: {type: box, size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}, at: [0, 0, 0.26],\n"
                "  material: {model: neo-hookean, mu: 2e5, kappa: 5e5, density: 1000}}}\nobstacles: {belt: {%s}}\n" % under, 0.01, 0.2,
                "contact: {method: barrier, friction: 0.5}")
        books_close(c)
        assert c["friction_loss"] > 1, c
        free_of_intersections(c)


@harness.release_only
def test_handles():
    """A mat is turned by its ends, and pushed together, until it touches itself."""
    n = 4 if SMALL else 6
    c = run("bodies:\n  mat:\n    shape: {type: box, size: [1, 0.6, 0.05], cells: [%d, %d, 1]}\n    material: %s\n    handles:\n"
            '      - {select: left, move: [0, "y*cos(pi*t) - z*sin(pi*t) - y", "y*sin(pi*t) + z*cos(pi*t) - z"]}\n'
            '      - {select: right, move: ["-0.6*t", "y*cos(pi*t) + z*sin(pi*t) - y", "z*cos(pi*t) - y*sin(pi*t) - z"]}\n' % (n, n, SOFT), 0.02, 1.2)
    books_close(c)
    assert 0 < c["gap_min"] < 0.02, c  # it touched itself
    free_of_intersections(c)


BALLS = """gravity: [0, 0, -9.81]
bodies:
  a: {shape: {type: ball, radius: 0.2, cells: 2}, at: [0.5, 0, -0.1], material: %s}
  b: {shape: {type: ball, radius: 0.2, cells: 2}, at: [-0.5, 0.1, -0.1], material: %s}
""" % (SOFT, SOFT)


def test_bowl():
    """Balls roll in half a sphere, which is open above and two times as large in its file: energy is kept, and they stay in it."""
    n, m = 12, 4
    rim = [(2 * math.sin(a) * math.cos(b), 2 * math.sin(a) * math.sin(b), -2 * math.cos(a))
           for a in (math.pi / 2 * (i + 1) / m for i in range(m)) for b in (2 * math.pi * j / n for j in range(n))]
    faces = [(0, 1 + (j + 1) % n, 1 + j) for j in range(n)]
    faces += [(1 + n * i + j, 1 + n * i + (j + 1) % n, 1 + n * (i + 1) + (j + 1) % n, 1 + n * (i + 1) + j) for i in range(m - 1) for j in range(n)]
    write_surface("bowl.obj", [(0, 0, -2)] + rim, faces)
    c = run(BALLS + "obstacles: {bowl: {mesh: bowl.obj, scale: 0.5, rotate: [0, 0, 10]}}\n", 0.01, 0.45 if SMALL else 0.6)
    assert c["relative_energy_error"] < 1e-9 and 0 < c["gap_min"] < 0.02, c
    free_of_intersections(c)
    with h5py.File("out.h5") as file:
        assert file["q"][-1].reshape(-1, 3)[:, 2].min() > -1


def test_drum():
    """Balls in a closed drum that turns: nothing gets out, and the work is booked."""
    n = 8
    ring = [(math.cos(b), side, math.sin(b)) for side in (-0.6, 0.6) for b in (2 * math.pi * (j + 0.5) / n for j in range(n))]
    write_surface("drum.obj", ring, [(j, (j + 1) % n, n + (j + 1) % n, n + j) for j in range(n)] + [tuple(range(n)), tuple(range(n, 2 * n))])
    c = run(BALLS + 'obstacles: {drum: {mesh: drum.obj, at: [0, 0, 0.05], turn: [0, "180*t", 0], move: [0, 0, "0.1*sin(5*t)"]}}\n', 0.01, 0.3 if SMALL else 0.8)
    books_close(c)
    assert c["gap_min"] > 0, c
    free_of_intersections(c)
    with h5py.File("out.h5") as file:
        turned = file["obstacle_turn/drum"][-1]
        half = math.pi / 2 * file["t"][-1]
        # by 180 degrees a second about y, from a scene that starts at 0
        assert np.allclose(turned, [math.cos(half), 0, math.sin(half), 0], atol=1e-12), turned
        assert (np.hypot(*file["q"][-1].reshape(-1, 3)[:, [0, 2]].T) < 1.2).all()
    whole = lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout
    until = str(0.2 if SMALL else 0.4)  # line searches after it look at the drum where it is then, not at where it was
    lilyan("run", "scene.yaml", "-o", "half.h5", "--until", until)
    lilyan("run", "scene.yaml", "-o", "half.h5", "--resume")
    assert lilyan("export", "half.h5", "--to", "csv", "-o", "-").stdout == whole
    lilyan("report", "out.h5", "-o", "page.html")
    header, numbers = harness.read_page("page.html")
    drum = header["runs"][0]["obstacles"][0]
    assert drum["kind"] == "mesh" and np.allclose(numbers(drum["turns"], "<f8")[-4:], turned)
    assert np.allclose(numbers(drum["x"], "<f4").reshape(-1, 3), ring, atol=1e-6) and len(numbers(drum["faces"], "<u4")) == 3 * (2 * n + 2 * (n - 2))


def test_bullet():
    """1,000 m/s against a plate one cell thick that is held at its rim: not passed, and the energy is kept, at steps from 10 m to 1 cm."""
    for step in ("1e-3",) if SMALL else ("1e-2", "1e-3", "1e-5"):
        write("bodies:\n  plate: {shape: {type: box, size: [1, 1, 0.05], cells: [4, 4, 1]}, material: steel, fixed: [left, right, front, back]}\n"
              "  ball: {shape: {type: ball, radius: 0.05, cells: 1}, at: [0.11, 0.07, 0.1], material: steel, start: {push: [0, 0, -1000]}}\ncontact: {method: barrier}" + ENDS +
              "time: {step: %s, until: %s}\n" % (step, step if float(step) > 2e-4 else "2e-4"))
        c = json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)["certificate"]
        assert c["relative_energy_error"] < 1e-9, (step, c)
        free_of_intersections(c)
        with h5py.File("out.h5") as file:
            assert file["q"][-1].reshape(-1, 3)[50:, 2].min() > 0, step  # the ball is still above the plate


def test_driven_through():
    """A ball obstacle is driven at 1 m/s into a face that is fixed, 0.55 m away: the run ends there, and keeps all before it."""
    write("bodies: {cube: {shape: {type: box, size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}, material: %s, fixed: left}}\n"
          "obstacles: {ram: {sphere: {centre: [-1, 0, 0], radius: 0.2}, move: [t, 0, 0]}}\ncontact: {method: barrier}" % SOFT + ENDS +
          "time: {step: 0.01, until: 1}\n")
    told = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", code=1).stderr
    assert "t = 0.54999" in told, told
    with h5py.File("out.h5") as file:
        assert abs(file["t"][-1] - 0.54) < 0.011, file["t"][-1]
    free_of_intersections({"halved_steps": 1})


def test_scenes():
    """The scenes that docs speak of, the mat with fewer cells and less than three turns."""
    scenes = os.path.join(os.environ["LILYAN_SOURCE"], "scenes")
    told = lilyan("run", os.path.join(scenes, "contact-twist.yaml"), "-o", "out.h5", "--json", "--set", "parameters.n=%d" % (4 if SMALL else 8),
                  "--until", "0.3" if SMALL else "1")
    c = json.loads(told.stdout)["certificate"]
    books_close(c)
    free_of_intersections({"halved_steps": 1})  # frames are every other step
    c = json.loads(lilyan("run", os.path.join(scenes, "contact-bullet.yaml"), "-o", "out.h5", "--force", "--json").stdout)["certificate"]
    assert c["relative_energy_error"] < 1e-9, c
    free_of_intersections(c)


def test_whole_turn():
    """A plane that makes a whole turn in a step is where it was, and has swept everything: the step is divided until it turns by less than a quarter, and hits the cube."""
    for obstacle in ("plane: {}", "box: {size: [3, 3, 0.02]}"):
        write("bodies: {cube: {shape: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0.3, 0, 0.3], material: {young: 1e6, poisson: 0.3, density: 1000}}}\n"
              "obstacles: {wall: {%s, turn: [0, 360*t, 0]}}\ncontact: {method: barrier}\nintegrator: energy-momentum\ntime: {step: 1, until: 1}\n" % obstacle)
        c = json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)["certificate"]
        assert c["halved_steps"] > 0 and c["external_work"] > 1e-3, c


def test_refused():
    box = "bodies: {a: {shape: {type: box, cells: [1, 1, 1]}, material: rubber, at: [0, 0, 1]}}\n"
    write_surface("flat.obj", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    write_surface("good.obj", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    write_surface("in.obj", [(-2, -2, 1), (2, -2, 1), (0, 2, 1)], [(0, 1, 2)])
    cases = {
        "obstacles: {o: {mesh: good.obj}}\ncontact: {method: penalty}\n": "'o' is a mesh, which penalty contact does not support: use contact: {method: barrier}",
        "obstacles: {o: {plane: {}, turn: [t, 0, 0]}}\ncontact: {method: penalty}\n": "'o' turns, which penalty contact does not support: use contact: {method: barrier}",
        "obstacles: {o: {mesh: flat.obj}}\ncontact: {method: barrier}\n": "triangle 0 has an area of 0 m^2",
        "obstacles: {o: {mesh: none.obj}}\ncontact: {method: barrier}\n": "none.obj",
        "obstacles: {o: {mesh: in.obj}}\ncontact: {method: barrier}\n": "'a' and 'o' touch at the start",
        "obstacles: {o: {plane: {}, at: [0, 0, 0]}}\ncontact: {method: barrier}\n": "'at' needs an obstacle with a 'mesh'",
    }
    for text, sentence in cases.items():
        write(box + text + "integrator: energy-momentum\ntime: {step: 0.01, until: 0.1}\n")
        told = lilyan("run", "scene.yaml", "-o", "none.h5", "--force", code=1).stderr
        assert sentence in told and told.count("\n") == 1, (sentence, told)


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
