"""contact: {method: barrier}: nothing intersects, and energy and momenta go through every impact. Drives $LILYAN."""
import os

import harness
from command import call, free_of_intersections, lilyan, run, write

SMALL = "LIL_TEST_SMALL" in os.environ
SOFT = "{model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}"
TWO = """bodies:
  a: {shape: {type: box, cells: [3, 3, 3]}, rotate: [20, 30, 0], material: %s, start: {push: [0.5, 0, 0]}}
  b: {shape: {type: box, cells: [3, 3, 3]}, at: [1.6, 0.3, 0.2], rotate: [-20, 10, 40], material: %s, start: {push: [-0.5, 0, 0]}}
contact: {method: barrier}
integrator: energy-momentum
solver: {tolerance: 1e-12}
record: {every: 1}
time: {step: 0.01, until: 0.6}
""" % (SOFT, SOFT)
# sound takes l/c = 0.33 m / 9 m/s = 37 ms through an element
STEPS = ("0.02",) if SMALL else ("0.005", "0.02", "0.1")


def test_oblique_impact():
    """Energy to what the solver leaves of it, P to round-off of 216 vertices' sums, J to the residual, at any step."""
    for step in STEPS:
        c = run(TWO, "--step", step)["certificate"]
        assert c["relative_energy_error"] < 1e-9 and c["linear_momentum_drift"] < 1e-14 and c["angular_momentum_drift"] < 1e-9, (step, c)
        assert 0 < c["gap_min"] < 0.033 and c["penetration_max"] == 0, (step, c)  # within d_hat, a tenth of an edge
        free_of_intersections()


@harness.release_only
def test_exchange():
    """Equal bars meet end to end, flush and one cell thick: what moves stops, what rests goes on. Waves keep a little."""
    bar = "{shape: {type: bar, size: [1, 0.1, 0.1], cells: [20, 1, 1]}, at: [%s, 0, 0], material: {young: 1e6, poisson: 0, density: 1000}%s}"
    told = run("bodies:\n  a: " + bar % (-0.51, ", start: {push: [0.1, 0, 0]}") + "\n  b: " + bar % (0.51, "") +
               "\ncontact: {method: barrier}\nintegrator: energy-momentum\ntime: {step: 5e-4, until: 0.4}\n"
               'observe: {va: "da[1]", vb: "db[1]"}\n')["observables"]
    # a barrier as soft as an element smears the wave's front over an element or two of 20
    assert abs(told["va"]["last"]) < 0.01 and abs(told["vb"]["last"] - 0.1) < 0.01, told
    free_of_intersections()


def test_faster_than_its_size():
    """A ball at 200 m/s, 2 m a step, against a plate one cell thick: it is stopped in front of it, whatever becomes of it then."""
    write("bodies:\n  plate: {shape: {type: box, size: [1, 1, 0.05], cells: [4, 4, 1]}, material: rubber, fixed: left}\n"
          "  ball: {shape: {type: ball, radius: 0.05, cells: 1}, at: [0.1, 0.05, 1], material: rubber, start: {push: [0, 0, -200]}}\n"
          "contact: {method: barrier}\nintegrator: energy-momentum\nrecord: {every: 1}\ntime: {step: 0.01, until: 0.01}\n")
    done = call(["run", "scene.yaml", "-o", "out.h5", "--force"], timeout=300)
    assert done.returncode in (0, 1), done.stderr
    free_of_intersections()


def test_floor_ball_and_box():
    """A cube falls on a plane, on a ball and on the edge of a box: it keeps its energy, and all of it outside."""
    for obstacle in ("plane: {}", "sphere: {centre: [0, 0, -1], radius: 1}", "box: {centre: [0, 0, -0.5], size: [0.3, 0.3, 1]}"):
        c = run("bodies: {cube: {shape: {type: box, size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}, at: [0.05, 0, 0.5], rotate: [20, 30, 0], material: %s,\n"
                "  start: {push: [0, 0, -2]}}}\nobstacles: {thing: {%s}}\ncontact: {method: barrier}\nintegrator: energy-momentum\n"
                "solver: {tolerance: 1e-12}\nrecord: {every: 1}\ntime: {step: 0.005, until: 0.2}\n" % (SOFT, obstacle))["certificate"]
        assert c["relative_energy_error"] < 1e-9 and c["gap_min"] > 0, (obstacle, c)
        free_of_intersections()


def test_same_bits():
    """On any number of threads, and resumed in the middle of the impact."""
    ends = []
    for options in (["--threads", "1"], ["--threads", "3"]):
        run(TWO, *options)
        ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    run(TWO, "--until", "0.3")
    lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.6")
    ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    assert ends[0] == ends[1] == ends[2]


def test_same_bits_of_many_pairs():
    """Three plates on each other, thousands of pairs: enough for every loop over pairs to be cut into several pieces of 256."""
    plate = "{shape: {type: box, size: [1.2, 1.2, 0.1], cells: [12, 12, 1]}, at: [%s, 0, %s], rotate: [0, 0, %s], material: jelly, damping: 0.005}\n"
    text = ("bodies:\n  a: " + plate % (0, 0.055, 0) + "  b: " + plate % (0.02, 0.16, 7) + "  c: " + plate % (0, 0.265, 16) +
            "obstacles: {floor: {plane: {}}}\ncontact: {method: barrier}\ngravity: 9.81\nintegrator: energy-momentum\n"
            "record: {every: 1}\ntime: {step: 1/240, until: %s/240}\n" % (1 if SMALL else 8))
    ends = []
    for threads in ("1", "4") if SMALL else ("1", "2", "4"):
        c = run(text, "--threads", threads)["certificate"]
        assert c["contact_pairs"] >= 1000, c
        ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    assert all(end == ends[0] for end in ends)


def test_refused():
    box = "{shape: {type: box, cells: [1, 1, 1]}, material: rubber, at: [%s, 0, %s]%s}"
    ends = "contact: {method: barrier%s}\nintegrator: energy-momentum\ntime: {step: 0.01, until: 0.1}\n"
    cases = {
        "bodies: {a: " + box % (0, 1, "") + "}\nobstacles: {floor: {plane: {}}}\ncontact: {method: barrier}\nintegrator: gauss\ntime: {step: 0.01, until: 0.1}\n":
            "gauss does not support barrier contact: use energy-momentum, midpoint or implicit-euler, or contact: {method: penalty}",
        "bodies: {a: " + box % (0, 0.3, "") + "}\nobstacles: {floor: {plane: {}}}\n" + ends % "": "'a' starts partly below the plane 'floor'",
        # vertices of neither are inside the other: a cross of two bars
        "bodies:\n  a: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [1, 1, 1]}, material: rubber}\n"
        "  b: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [1, 1, 1]}, material: rubber, rotate: [0, 0, 90]}\n" + ends % "": "'a' and 'b' touch at the start",
    }
    for text, sentence in cases.items():
        write(text)
        told = lilyan("run", "scene.yaml", "-o", "none.h5", "--force", code=1).stderr
        assert sentence in told and told.count("\n") == 1, (sentence, told)


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
