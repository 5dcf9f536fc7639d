"""contact: {method: barrier} with particles, cloth, ropes and strands, constraints and all: nothing passes, energy and momenta stay. Drives $LILYAN."""
import json
import os

import harness
from command import free_of_intersections, lilyan, run, write

LILYAN = os.environ["LILYAN"]
SMALL = "LIL_TEST_SMALL" in os.environ
SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes")
END = """contact: {method: barrier%s}
integrator: energy-momentum
solver: {tolerance: 1e-12}
record: {every: 1}
time: {step: %s, until: %s}
"""


def test_balls():
    """Particles with a radius are balls: three of them fall on each other and on a floor. Energy to what the solver leaves of it."""
    c = run("particles: {p: {at: [[0, 0, 1], [0.02, 0.01, 1.3], [0.03, -0.02, 1.7]], mass: 1, radius: 0.1}}\n"
            "obstacles: {floor: {plane: {}}}\ngravity: 9.81\n" + END % ("", "5e-3", "0.5" if SMALL else "1"))["certificate"]
    assert c["relative_energy_error"] < 1e-10 and 0 < c["gap_min"] < 0.01, c  # within d_hat, a tenth of the radius
    free_of_intersections()


def test_cloth():
    """Cloth of springs falls over a ball; its diagonals do not cut into it."""
    c = run("particles: {c: {type: grid, cells: [6, 6], at: [0, 0, 0.45], mass: 0.01, links: {stiffness: 200}}}\n"
            "obstacles: {floor: {plane: {}}, ball: {sphere: {centre: [0, 0, 0.2], radius: 0.2}}}\ngravity: 9.81\n" +
            END % ("", "5e-3", "0.2" if SMALL else "0.5"))["certificate"]
    assert c["relative_energy_error"] < 1e-10 and c["gap_min"] > 0, c
    free_of_intersections()


ROPE = """particles: {rope: {type: chain, from: [-0.5, 0.02, 0.5], to: [0.5, 0.05, 0.6], count: 21, mass: 0.02, radius: 0.005}}
obstacles: {floor: {plane: {}}, ball: {sphere: {centre: [0, 0, 0.2], radius: 0.2}}}
gravity: 9.81
"""


def test_rope_of_rigid_links():
    """Falls over a ball: links keep their length to round-off, and the energy stays to what the solver leaves of it."""
    c = run(ROPE + END % ("", "2e-3", "0.3" if SMALL else "0.6"))["certificate"]
    assert c["relative_energy_error"] < 1e-10 and c["constraint_max"] < 1e-14 and 0 < c["gap_min"] < 0.005, c
    free_of_intersections()


def test_chains_that_meet():
    """Two chains of rigid links cross in flight, edge on edge: P to round-off of 24 particles, J and energy to the residual."""
    c = run("particles:\n  a: {type: chain, from: [-0.5, 0, 0.1], to: [0.5, 0.02, 0.1], count: 12, mass: 0.1, velocity: [0, 0, -1]}\n"
            "  b: {type: chain, from: [0.03, -0.5, 0], to: [0, 0.5, 0], count: 12, mass: 0.1}\n" + END % ("", "5e-3", "0.3"))["certificate"]
    assert c["gap_min"] > 0 and c["relative_energy_error"] < 1e-10, c
    assert c["linear_momentum_drift"] < 1e-13 and c["angular_momentum_drift"] < 1e-9, c
    free_of_intersections()


def test_hair():
    """Hair at its defaults grows out of a head. What would hang through it starts without weight, falls on it and stays outside."""
    hair = ("strands: {hair: {roots: {type: cap, radius: 0.09}, count: 20, nodes: 12}}\n"
            "obstacles: {head: {sphere: {radius: 0.09}}}\ngravity: 9.81\nobserve: {z: \"hair[3]\"}\n") + END % ("", "4e-3", "0.2")
    told = run(hair)
    assert told["certificate"]["relative_energy_error"] < 1e-10 and told["observables"]["z"]["max"] > told["observables"]["z"]["last"], told
    free_of_intersections()
    # without contact it falls through: the checker sees it
    run(hair.replace("method: barrier", "method: barrier, ignore: [[hair, head]]"))
    assert "no intersection" not in lilyan("check", "out.h5", "--all", code=1).stdout
    assert "without 1 pair of parts that the scene excludes from contact: no intersection" in lilyan("check", "out.h5").stdout


def test_thick_hair_at_rest():
    """Stiff hair hangs still at the default tolerance: what is left of a step's equations is the round-off of bending, which nothing can undercut."""
    told = run("bodies:\n  head: {shape: {type: ball, radius: 0.1, cells: 4}, material: rubber, fixed: {sphere: {centre: [0, 0, 0], radius: 1}}}\n"
               "strands: {hair: {roots: {type: cap, radius: 0.1, from: 0, to: 60}, count: 12, length: 0.2, nodes: 16, radius: 1e-3}}\n"
               "gravity: 9.81\ncontact: {}\ntime: {step: 1/240, until: 1/24}\n")
    assert told["certificate"]["halved_steps"] == 0 and told["certificate"]["relative_energy_error"] < 1e-12, told


def test_flat_hair():
    """A strand leaves a head sideways: its second particle is l^2/2r = 0.14 mm from the head, less than a third of d_hat = l/10. That is by growth, and only there the
    barrier is thinner: the strand that falls on the head meets it from d_hat on. As it hangs all of it would be in the head, and none of that is a root."""
    import h5py
    told = run("strands: {hair: {roots: [[0, 0, 0.09]], direction: [1, 0, 0], length: 0.15, nodes: 31}}\nobstacles: {head: {sphere: {radius: 0.09}}}\ngravity: 9.81\n"
               + END % ("", "2e-3", "0.1"))["certificate"]
    with h5py.File("out.h5") as file:
        gap, grows = file["contacts/gap"][()], file["particles/hair/grows"][()]
    assert gap.max() > 0.8 * told["d_hat_max"] and len(grows) <= 2, (gap.max(), told["d_hat_max"], grows)
    free_of_intersections()


def test_roots_meet_what_they_do_not_grow_out_of():
    """Two strands grow out of a and b. b leaves its strand and is driven into the root of the other, which is held: the run ends there, at 0.95 m/(2 m/s)."""
    text = ("strands: {hair: {roots: [[0, 0, 0.1], [1.05, 0, 0.2]], direction: [0, 0, 1], length: 0.8, nodes: 5, spread: 0}}\ngravity: 9.81\n"
            "obstacles: {a: {sphere: {radius: 0.1}}, b: {sphere: {radius: 0.05, centre: [1, 0, 0.2]}, move: [-2*t, 0, 0]}}\n" + END % ("", "5e-3", "0.6"))
    write(text)
    told = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", code=1).stderr
    assert "'b' and 'hair' press on each other" in told and "keeps the frames recorded until then, 95 frames" in told, told
    free_of_intersections()


def test_root_in_two_things():
    """The first link of a strand starts in a head and in its hat, which both move: it meets neither."""
    import h5py
    run("strands: {hair: {roots: [[0, 0, 0.1]], direction: [0, 0, 1], length: 0.2, nodes: 11}}\ngravity: 9.81\n"
        "obstacles: {head: {sphere: {radius: 0.1}, move: [0, 0, -0.01*t]}, hat: {box: {centre: [0.05, 0, 0.11], size: [0.1, 0.1, 0.01]}, move: [0.01*t, 0, 0]}}\n"
        + END % ("", "5e-3", "0.05"))
    with h5py.File("out.h5") as file:
        assert file["particles/hair/grows"][()].tolist() == [[0, 1], [0, 2]]
    free_of_intersections()


def test_knot():
    """The overhand knot in 1.297 m of rope holds: pulled tight it keeps at least 10 radii of rope, where a straight rope would keep none."""
    told = json.loads(lilyan("run", os.path.join(SCENES, "contact-knot.yaml"), "-o", "out.h5", "--force", "--json",
                             "--until", "0.1" if SMALL else "1").stdout)
    free_of_intersections()
    assert told["observables"]["span"]["max"] < told["observables"]["along"]["last"] - 0.04, told["observables"]
    assert SMALL or told["certificate"]["gap_min"] > 0, told


def test_same_bits():
    """On any number of threads, and resumed in the middle of contact, with constraints."""
    ends = []
    text = ROPE + END % ("", "2e-3", "0.3")
    for options in (["--threads", "1"], ["--threads", "3"]):
        run(text, *options)
        ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    run(text, "--until", "0.2")
    lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.3")
    ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    assert ends[0] == ends[1] == ends[2]


def test_surface_beside_constraints():
    """A body whose surface rides in its tets lands beside particles that are bound: the points it touches with are carried, not vertices.
    Energy to the residual; no step is harder than without constraints."""
    c = run("bodies:\n  ball: {surface: {inside: 0.16 - x^2 - y^2 - z^2, box: [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]], cells: 10}, at: [0, 0, 0.45], vertices: 100,\n"
            "    material: {model: jelly, young: 1.5e5, poisson: 0.35}}\n"
            "particles: {leg: {at: [[2, 0, 1], [2.3, 0, 1], [2.6, 0, 1]], mass: [1, 1, 1], pairs: [[0, 1], [1, 2]], fixed: [0]}}\n"
            "constraints: {page: {plane: leg, normal: [0, 1, 0]}}\nobstacles: {floor: {box: {centre: [0, 0, -0.1], size: [4, 4, 0.2]}}}\ngravity: 9.81\n"
            + END % ("", "1/240", "0.2"))["certificate"]
    assert c["contact_steps"] > 0 and c["contact_halved"] == 0 and c["relative_energy_error"] < 1e-10, c
    free_of_intersections()


def test_surface_of_a_lattice():
    """The lattice of an `inside` has points on this sphere: there vertices of its surface are round-off apart, and are one. The ball flies on."""
    told = run("bodies:\n  ball: {surface: {inside: 0.01 - x^2 - y^2 - z^2, box: [[-0.12, -0.12, -0.12], [0.12, 0.12, 0.12]], cells: 12}, rotate: [10, 20, 30], vertices: 100,\n"
               "    material: {young: 1e6, poisson: 0.3, density: 1000}, start: {push: [0.5, 0, 0]}}\nobserve: {x: 'ball[1]'}\n" + END % ("", "2e-3", "0.02"))
    assert abs(told["observables"]["x"]["last"] - told["observables"]["x"]["first"] - 0.01) < 1e-12, told["observables"]
    assert told["certificate"]["contact_pairs"] == 0, told["certificate"]


def test_rope_with_friction():
    """A rope of rigid links lies across a beam, a little to one side. Without friction it slides off; with mu = 0.5 it stays, and what it lost friction took."""
    rope = ("particles: {rope: {type: rope, from: [-1, 0.02, 0.6], to: [1, 0.02, 0.6], length: 2.05, count: 30, mass: 0.02, radius: 0.02}}\n"
            "obstacles: {beam: {box: {size: [0.3, 2, 0.3], centre: [0.1, 0, 0.2]}}}\ngravity: 9.81\nobserve: {x: 'rope[1]'}\n")
    held = run(rope + END % (", friction: 0.5, slip: 1e-3", "5e-3", "1.5"))
    loose = run(rope + END % ("", "5e-3", "1.5"))
    c = held["certificate"]
    assert abs(held["observables"]["x"]["last"]) < 0.3 < abs(loose["observables"]["x"]["last"]), (held["observables"], loose["observables"])
    assert c["friction_loss"] > 0 and c["contact_energy_error_max"] < 1e-10 and c["constraint_max"] < 1e-12, c


def test_links_hold_where_a_step_fails():
    """Two balls on a rod, with one iteration a step and no halving: the run ends. Implicit Euler, the last rung, knows no constraints and would let go."""
    write("particles: {p: {at: [[0, 0, 0.15], [0.5, 0, 0.6]], mass: 1, radius: 0.1, pairs: [[0, 1]]}}\nobstacles: {floor: {plane: {}}}\ngravity: 9.81\n"
          "contact: {method: barrier}\nintegrator: energy-momentum\nsolver: {iterations: 1, tolerance: 1e-12}\ntime: {step: 0.05, until: 0.6, halvings: 0}\n")
    assert "the step at t = 0 fails" in lilyan("run", "scene.yaml", "-o", "out.h5", "--force", code=1).stderr


def test_refused():
    ball = "obstacles: {ball: {sphere: {radius: 0.1}}}\n"
    cases = {
        "particles: {p: {at: [0, 0, 0.12], mass: 1, radius: 0.03}}\n" + ball: "'p' and 'ball' touch at the start, point 0 of 'p' and the obstacle 'ball', at [0, 0, 0.095]",
        "particles: {p: {at: [0, 0, 1], mass: 1, radius: -1}}\n" + ball: "'radius' must be 0 or more, not -1 m",
        "particles: {p: {at: [[0, 0, 1], [0, 0, 1.01]], mass: 1, radius: 0.1}}\n" + ball: "'p' touches itself at the start, point 0 of 'p' and point 1 of 'p'",
        "particles: {p: {type: chain, from: [-1, 0, 0.05], to: [1, 0, 0.05], count: 4, mass: 1}}\n" + ball: "'p' and 'ball' touch at the start, edge 1-2 of 'p'",
        # a link through a triangle, no vertex near it
        "particles: {p: {type: chain, from: [0.1, 0.05, -2], to: [0.1, 0.05, 2], count: 2, mass: 1}}\n"
        "bodies: {b: {shape: {type: box, cells: [1, 1, 1]}, material: rubber}}\n": "'b' and 'p' touch at the start",
        # two strands with one root, bent out of it alike, are in one place
        "strands: {s: {roots: [[0, 0, 0], [0, 0, 0]], spread: 0, nodes: 6}}\n": "'s' touches itself at the start",
    }
    for text, sentence in cases.items():
        write(text + END % ("", "0.01", "0.1"))
        told = lilyan("run", "scene.yaml", "-o", "none.h5", "--force", code=1).stderr
        assert sentence in told and told.count("\n") == 1, (sentence, told)


def test_starts_near():
    """Parts that start nearer than the barrier reaches are not thrown apart; where the scene itself sets d_hat it says that they will be."""
    near = "particles: {p: {at: [0, 0, 0.01], mass: 1, radius: 0.009}}\nobstacles: {floor: {plane: {}}}\n"
    c = run(near + END % ("", "0.01", "0.1"))["certificate"]
    assert c["energy_max"] == 0, c
    write(near + END % (", d_hat: 0.01", "0.01", "0.1"))
    assert "start 0.001 m apart, within the barrier's 0.01 m" in lilyan("run", "scene.yaml", "-o", "out.h5", "--force").stderr


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
