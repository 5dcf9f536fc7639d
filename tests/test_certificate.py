"""What the certificate claims: what an invariant is measured by, which momenta are kept, who sank into whom."""
import json
import math
import re
import sys

from command import call
import harness

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)



def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def lilyan(*arguments):
    done = call(arguments, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


def result(*arguments):
    return json.loads(lilyan("run", *arguments, "--json", "--force").stdout)


# The momenta of a Toda lattice add up to nothing: P is round-off, of the order of 1e-16 where single momenta are of the order of 1.
TODA = """
lagrangian: sum(i, 1, 6, 1/2*dx[i]^2) - sum(i, 1, 5, exp(x[i] - x[i+1])) - exp(x[6] - x[1])
start: {x: [5, 5, 5, 5, 5, 5], dx: [1.1, -0.3, 0.1, -0.7, 0.2, -0.4]}
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
    assert 0 < abs(P["first"]) < 1e-15 and max(abs(P["min"]), abs(P["max"])) < 1e-13, P
    # 200 steps, each with a residual of some eps of what is summed, about 2.6
    assert P["invariant_drift"] < 200 * 2.3e-16, P
    assert r["certificate"]["invariants"]["P"] == P["invariant_drift"], "the JSON says it twice"
    assert f"P                      conserved to {P['invariant_drift']:.2g}" in lilyan("info", "toda.h5").stdout
    # what does change is not hidden: it changes by what one velocity does, over 100
    moved = r["observables"]["moved"]
    assert abs(moved["invariant_drift"] - max(moved["max"] - moved["first"], moved["first"] - moved["min"]) / 101.1) < 1e-3, moved
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


# Stretched, and spun about no axis of its own.
ROD = """
bodies:
  rod: {shape: {type: box, size: [0.2, 0.2, 0.6], cells: [2, 2, 6]}, start: {stretch: 1.1, spin: [1, 2, 3]},
        material: {model: neo-hookean, young: 1e5, poisson: 0.3, density: 1000}}
integrator: midpoint
time: {step: 0.005, until: 0.5}
record: {every: 1}
"""


def drifts_of_rod(integrator):
    drifts = []
    for tolerance in "1e-3", "1e-6", "1e-9":
        c = result("rod.yaml", "--set", f"solver.tolerance={tolerance}", "--integrator", integrator)["certificate"]
        # p changes by forces that add up to nothing: round-off of the sum, at each of 100 steps, whatever the tolerance is
        assert c["linear_momentum_drift"] < 100 * 2.3e-16, (tolerance, c)
        with h5py.File("rod.h5") as file:
            L, v = file["angular_momentum"][()], file["v"][()]
        # L changes by -h sum v x r a step, at most h |v| |r|; v of the step is about the mean of those at its ends
        bound = 0.5 * np.linalg.norm(v, axis=1).max() * c["gradient_max"]
        change = np.linalg.norm(L - L[0], axis=1).max()
        assert change < 1.1 * bound + 1e-13, (tolerance, change, bound)
        drifts.append(c["angular_momentum_drift"])
    return drifts


def test_translations_to_round_off_rotations_as_well_as_it_is_solved():
    """The torque of what is left of r is taken out of free bodies' p by midpoint; energy-momentum, which keeps the energy, leaves it."""
    write("rod.yaml", ROD)
    assert max(drifts_of_rod("midpoint")) < 1e-13
    # r falls with the tolerance, a million times from the first to the last; the last Newton iteration gives up to a digit more or less
    loose, _, tight = drifts_of_rod("energy-momentum")
    assert loose > 1e-11 and tight < 1e-5 * loose, (loose, tight)


# A soft ball thrown onto another: penalty contact lets them run into each other by a third of their size.
PILE = """
bodies:
  low: {shape: {type: ball, radius: 0.1, cells: 2}, at: [0, 0, 0.1], material: jelly, damping: 0.005}
  high: {shape: {type: ball, radius: 0.1, cells: 2}, at: [0.02, 0, 0.32], material: jelly, damping: 0.005,
         start: {velocity: [0, 0, -3]}}
contact: {method: penalty}
integrator: energy-momentum
time: {step: 1/240, until: 0.25}
"""


def test_who_sank_into_whom():
    write("pile.yaml", PILE)
    printed = lilyan("run", "pile.yaml", "--force").stdout
    c = result("pile.yaml")["certificate"]
    # a ball's box is as wide as its mesh, which lies inside the sphere
    assert c["penetration_max"] / 0.2 <= c["penetration_relative"] < c["penetration_max"] / 0.17, c
    assert c["penetration_relative"] > 0.1 and 0 < c["penetration_time"] < 0.25, c
    assert sorted(c["penetration_pair"]) == ["high", "low"], c
    line = "'%s' in '%s': much too deep" % tuple(c["penetration_pair"])
    assert line in printed and line in lilyan("info", "pile.h5").stdout, printed
    lilyan("report", "pile.h5")
    assert harness.read_page("pile.html")[0]["runs"][0]["deepest"] == c["penetration_pair"], "the page knows who"


def test_pair_survives_a_resume():
    write("pile.yaml", PILE)
    whole = result("pile.yaml", "-o", "whole.h5")["certificate"]
    for until in ("0.2",) if harness.SMALL else ("0.1", "0.2"):  # before and after the deepest
        result("pile.yaml", "-o", "parts.h5", "--until", until)
        parts = json.loads(lilyan("run", "pile.yaml", "-o", "parts.h5", "--resume", "--json").stdout)["certificate"]
        assert parts == whole, (until, parts, whole)


def test_what_lies_lightly_is_not_judged():
    # its own weight presses it in by rho g H over E / edge, 10 Pa 0.2 / 1e4 of an edge: far below 2 %
    write("still.yaml", """
bodies:
  ball: {shape: {type: ball, radius: 0.1, cells: 2}, at: [0, 0, 0.1],
         material: {model: neo-hookean, young: 1e6, poisson: 0.4, density: 1000}}
obstacles: {floor: {plane: {}}}
contact: {method: penalty}
gravity: 9.81
integrator: energy-momentum
time: {step: 1/240, until: 0.25}
""")
    printed = lilyan("run", "still.yaml").stdout
    c = result("still.yaml")["certificate"]
    assert 0 < c["penetration_relative"] < 0.02 and c["penetration_pair"] == ["ball", "floor"], c
    assert "deep" not in printed.split("penetration_pair")[1].splitlines()[0], printed


# Contact by penalty with its default stiffness lets a particle in by v h / 0.1 (h omega = 0.1): 5 cm, through a plate of 2 cm.
PLATE = """
particles: {p: {at: [0, 0, 1.005], mass: 1, velocity: [0, 0, -5]}}
obstacles: {plate: {box: {centre: [0, 0, 0], size: [1, 1, 0.02]}}}
contact: {method: penalty}
time: {step: 1e-3, until: 0.3}
observe: {z: "p[3]"}
"""


def warnings(done):
    return [line for line in done.stderr.splitlines() if "may pass through" in line]


def test_particles_and_thin_plates():
    write("plate.yaml", PLATE)
    done = lilyan("run", "plate.yaml", "--json", "--force")
    assert json.loads(done.stdout)["observables"]["z"]["last"] < -0.1, "it does pass"
    said = warnings(done)
    assert len(said) == 1 and all(x in said[0] for x in ("'p' collides with 'plate'", "0.02 m thick", "at 5 m/s", "penetrates by 0.05 m")), done.stderr
    stiffness, step = re.search(r"a 'stiffness' of 'contact' of ([0-9.e+]+) N/m and steps of at most ([0-9.e+-]+) s", said[0]).groups()
    held = lilyan("run", "plate.yaml", "--json", "--force", "--set", f"contact.stiffness={stiffness}",
                  "--step", repr(0.3 / math.ceil(0.3 / float(step))))
    r = json.loads(held.stdout)
    assert not warnings(held) and r["observables"]["z"]["min"] > 0 and r["observables"]["z"]["last"] > 0.1, (held.stderr, r["observables"])
    # v sqrt(m/k) is a tenth of the thickness; two digits of k are printed, and a step of h omega = 0.3 misses the turn a little
    assert r["certificate"]["penetration_relative"] < 0.105, r["certificate"]


def test_over_the_plate_in_one_step():
    # from 3 cm above to 2 cm below: it was never inside, so no depth would tell
    write("jump.yaml", PLATE.replace("1.005", "1.03").replace("-5]", "-50]"))
    done = lilyan("run", "jump.yaml", "--json", "--set", "contact.stiffness=1e9")
    r = json.loads(done.stdout)
    assert r["observables"]["z"]["last"] < -1 and r["certificate"]["penetration_max"] == 0, r
    assert len(warnings(done)) == 1, done.stderr


def test_particle_through_a_thin_body():
    write("slab.yaml", """
particles: {shot: {at: [[0.03, 0.02, 1.005], [0.5, 0, 1]], mass: 0.001, velocity: [0, 0, -5]}}
bodies: {slab: {shape: {type: box, size: [0.4, 0.4, 0.02], cells: [6, 6, 1]}, material: jelly}}
contact: {method: penalty}
time: {step: 1e-3, until: 0.3}
""")
    said = warnings(lilyan("run", "slab.yaml"))
    assert len(said) == 1 and "'shot.0' collides with 'slab', which is 0.02 m thick" in said[0], said


# A cube of steel spins at 5 rad/s; with these steps midpoint makes energy of nothing from the first one.
SPINNING = """
bodies:
  box: {shape: {type: box, size: [0.1, 0.1, 0.1], cells: [4, 4, 4]}, material: steel, start: {spin: [0, 0, 5]}}
integrator: midpoint
time: {step: 0.02, until: 0.2}
"""


def given(done):
    return [line.removeprefix("lilyan: warning: ") for line in done.stderr.splitlines() if "warning: " in line]


def test_trouble_in_ten_steps():
    write("spin.yaml", SPINNING)
    done = lilyan("run", "spin.yaml", "--json", "--force")
    r = json.loads(done.stdout)
    c = r["certificate"]
    assert r["steps"] == 10 and c["energy_max"] > 1e5 * c["energy_initial"], c
    energy, hard = given(done)
    assert "the energy balance is violated" in energy and "'energy-momentum' avoids this" in energy, energy
    assert re.match(r"since t = 0 s steps are hard to solve: the latest \d+ took \d{4} Newton iterations, and \d+ of them were halved", hard), hard
    assert hard.endswith("(usual cure: a 'step' of 'time' of 0.01 s)"), hard
    # the certificate, the file and the page repeat them
    assert c["warnings"] == [energy, hard], c["warnings"]
    assert all(f"warning                {text}\n" in lilyan("info", "spin.h5").stdout for text in (energy, hard))
    with h5py.File("spin.h5") as file:
        assert file["warnings/energy"].asstr()[()] == energy and file["warnings/tension"].asstr()[()] == ""
    lilyan("report", "spin.h5", "--force")
    with open("spin.html") as page:
        assert f'"warnings":["{energy}","{hard}"]' in page.read()
    cured = lilyan("run", "spin.yaml", "--integrator", "energy-momentum", "--force", "--json")
    assert not given(cured) and json.loads(cured.stdout)["certificate"]["warnings"] == [], cured.stderr


def test_warnings_survive_a_resume():
    write("spin.yaml", SPINNING)
    said = given(lilyan("run", "spin.yaml", "--until", "0.1", "--force"))
    assert len(said) == 1, said # steps are hard from the tenth on
    done = lilyan("run", "spin.yaml", "--resume", "--json")
    now = json.loads(done.stdout)["certificate"]["warnings"]
    assert set(said) <= set(now) and not set(said) & set(given(done)), (said, done.stderr)


SOFT = """
bodies:
  low: {shape: {type: box, size: [0.4, 0.4, 0.2], cells: [4, 4, 2]}, at: [0, 0, 0.101], material: {young: 4e4, poisson: 0.4, density: 1000}, damping: 0.004}
  top: {shape: {type: ball, radius: 0.15, cells: 4}, at: [0.05, 0, 0.45], material: {young: 4e4, poisson: 0.4, density: 1000}, damping: 0.004}
obstacles: {floor: {plane: {}}}
contact: {method: penalty, stiffness: 4e5}
gravity: 9.81
time: {step: 1/240, until: 0.4}
"""


def test_deep_contact_is_reported_with_a_cure():
    write("soft.yaml", SOFT)
    done = lilyan("run", "soft.yaml", "--json", "--force")
    text, = given(done)
    times, = re.findall(r"'top' penetrates 'low' by 1\d % of the thickness of the thinner one: .* a 'stiffness' (\S+) times as large with shorter steps\)$", text)
    assert json.loads(done.stdout)["certificate"]["penetration_relative"] > 0.1
    # under sanitizers the sentence alone: the cures are runs like many others
    for cure in () if harness.SMALL else (["--set", f"contact.stiffness={4e5 * float(times)}", "--step", "1/960"], ["--set", "contact={method: barrier}"]):
        done = lilyan("run", "soft.yaml", "--json", "--force", *cure)
        c = json.loads(done.stdout)["certificate"]
        assert not given(done) and not (c["penetration_relative"] or 0) > 0.1, (cure, done.stderr)


def test_slow_particle_is_not_warned_of():
    # 0.5 m/s: 5 mm deep, half of what there is
    write("plate.yaml", PLATE.replace("-5]", "-0.5]").replace("1.005", "0.1"))
    done = lilyan("run", "plate.yaml", "--json", "--force")
    assert not warnings(done) and json.loads(done.stdout)["observables"]["z"]["min"] > 0, done.stderr


def test_table_of_trajectories():
    """Trajectories do not store how many steps and seconds a run took, and only a shot has a cost: these columns are left out."""
    write("oscillator.yaml", """
lagrangian: 1/2*dx^2 - 1/2*x^2
start: {x: 1}
time: {step: 0.1, until: 1}
variants: {a: {integrator: midpoint}, b: {integrator: rk4}}
""")
    lilyan("run", "oscillator.yaml", "--variants")
    titles = lilyan("info", "oscillator.a.h5", "oscillator.b.h5").stdout.splitlines()[0]
    columns = [title.strip() for title in titles.strip("|").split("|")]
    assert columns == ["run", "method", "energy, J", "at the end", "band", "drift", "halved", "ended"], columns


harness.run([test_table_of_trajectories, test_invariant_near_zero, test_only_affine_symmetries_have_exact_momenta,
             test_translations_to_round_off_rotations_as_well_as_it_is_solved, test_who_sank_into_whom,
             test_pair_survives_a_resume, test_what_lies_lightly_is_not_judged, test_particles_and_thin_plates,
             test_over_the_plate_in_one_step, test_particle_through_a_thin_body, test_slow_particle_is_not_warned_of,
             test_trouble_in_ten_steps, test_warnings_survive_a_resume, test_deep_contact_is_reported_with_a_cure])
