"""integrator: auto, the default: energy-momentum where it applies, else midpoint, and why. Drives $LILYAN."""
import os

import harness
from command import lilyan, run, write

BAR = "bodies: {bar: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [10, 2, 2]}, material: %s, start: {twist: 30}%s}}\n"
RUBBER = BAR % ("rubber", "")
PAIR = "particles: {a: {at: [0, 0, 0], mass: 1%s}, b: {at: [1, 0, 0], mass: 1}}\n"
ROD = "constraints: {rod: {distance: [a, b]}}\n"
TIME = "time: {step: 0.01, until: 0.02}\n"
PENDULUM = "lagrangian: 1/2*dx^2 + 9.81*cos(x)\nstart: {x: 2}\n"
EXACT = ("energy-momentum", "it conserves the energy of bodies and particles at any step")


def chosen(text, *args):
    result = run(text, *args)
    return result["integrator"], result["integrator_reason"]


def test_energy_momentum():
    """Bodies, springs, particles, strands; with constraints, contact, friction, handles, loads, damping."""
    for text in (
        RUBBER + TIME,
        RUBBER + TIME + "integrator: auto\n",
        RUBBER + TIME + "integrator: {method: auto}\n",
        PAIR % "" + TIME,
        PAIR % "" + TIME + ROD,
        PAIR % ", drag: 0.1" + TIME + ROD,
        BAR.replace("twist: 30", "position: [x, -y, z]") % ("jelly", "") + TIME,
        BAR % ("steel", "") + "time: {step: 0.01, until: 0.02}\n",
        BAR % ("rubber", ", damping: 0.01, fixed: left, handles: [{select: right, move: [0.1*sin(t), 0, 0]}]") + TIME,
        BAR % ("{model: linear, young: 1e6, poisson: 0.4, density: 1000}", ", loads: [{select: right, force: [0, 0, sin(t)]}], springs: [{from: right, to: [1, 0, 0], stiffness: 10}]") + TIME,
        "gravity: 9.81\nobstacles: {floor: {plane: {point: [0, 0, -0.2]}}}\ncontact: {friction: 0.3}\n" + RUBBER + TIME,
        "gravity: 9.81\nobstacles: {floor: {plane: {point: [0, 0, -0.2]}}}\ncontact: {method: penalty, friction: 0.3}\n" + RUBBER + TIME,
        "obstacles: {floor: {plane: {point: [0, 0, -2]}}}\n" + PAIR % "" + TIME + ROD,
    ):
        assert chosen(text) == EXACT, (text, chosen(text))


def test_midpoint():
    """Each reason, in the certificate, from info, and from run; and energy-momentum is not the better choice there."""
    floor = "obstacles: {floor: {plane: {point: [0, 0, -2]}}}\n"
    tied = BAR % ("rubber", ", groups: {end: right}") + "constraints: {slot: {plane: bar.end, normal: [0, 0, 1]}}\n"
    reasons = {
        PENDULUM + TIME: "for a Lagrangian in coordinates midpoint is symplectic, which energy-momentum is not",
        PAIR % "" + TIME + ROD + "solver: {constraints: penalty}\n": "energy-momentum does not support the term 'penalty'",
        BAR % ("{model: fixed-corotated, young: 1e6, poisson: 0.4, density: 1000}", "") + TIME:
            "energy-momentum knows the derivatives of the material only roughly",
        BAR % ("rubber", ", damping: {kD: 0.01, form: minimised}") + TIME: "energy-momentum cannot include damping in its steps",
        RUBBER + TIME + "solver: minimise\n": "a step of energy-momentum is not a minimisation",
        RUBBER + TIME + "solver: {linear: direct}\n": "energy-momentum solves the equations of bodies iteratively",
        PAIR % ", drag: 0.1" + TIME: "forces depend on positions or velocities, so there is no energy to conserve",
        RUBBER + TIME + "solver: {preconditioner: multilevel}\n": "energy-momentum has no coarser levels",
        "gravity: 9.81\n" + BAR % ("rubber", "") + "time: {step: 1e-4, until: 2e-4, adaptive: {}}\n":
            "steps vary, and energy-momentum would factor its matrix in each of them",
        tied + TIME: "energy-momentum with few constraints would factor the whole matrix",
        tied.replace("bodies: {", "bodies: {block: {shape: box, at: [0, 0, 5], material: rubber}, ") + TIME + "contact: {method: penalty, bodies: touch, friction: 0.3}\n":
            "energy-momentum with constraints does not support friction between bodies",
    }
    for number, (text, why) in enumerate(reasons.items()):
        got = chosen(text)
        assert got == ("midpoint", why), (text, got)
        if harness.SMALL and number > 0:
            continue
        assert f"\n  auto       {why}\n" in lilyan("info", "scene.yaml").stdout, text
        assert f"  integrator         midpoint: {why}\n" in lilyan("run", "scene.yaml", "-o", "out.h5", "--force").stdout, text
        assert f"integrator   midpoint: {why}\n" in lilyan("info", "out.h5").stdout, text


def test_shot():
    """The frames of a shot are those of a discrete Lagrangian."""
    shot = PENDULUM + "keys: [{at: 0, q: [0]}, {at: 1, q: [1]}]\nshot: {frames: 8}\n"
    why = "shots are solved with midpoint"
    for text in shot, shot + "integrator: auto\n":
        assert chosen(text) == ("midpoint", why), chosen(text)
    assert chosen(shot + "integrator: stormer-verlet\n") == ("stormer-verlet", None)


def test_overridden():
    """Variants and --integrator decide, as if the scene said so; what is named has no reason."""
    text = RUBBER + TIME + "variants: {a: {}, b: {integrator: midpoint}, c: {solver: minimise}}\n"
    assert chosen(text, "--variant", "a") == EXACT
    assert chosen(text, "--variant", "b") == ("midpoint", None)
    assert chosen(text, "--variant", "c")[0] == "midpoint" and chosen(text, "--variant", "c")[1]
    assert chosen(text, "--variant", "b", "--integrator", "auto") == EXACT
    assert chosen(text, "--integrator", "implicit-euler") == ("implicit-euler", None)
    assert "  integrator  " not in lilyan("run", "scene.yaml", "--variant", "b", "-o", "out.h5", "--force").stdout
    assert "\n  auto  " in lilyan("info", "scene.yaml").stdout
    listed = lilyan("list", "integrators").stdout
    assert listed.startswith("auto\n  The default. It chooses energy-momentum for bodies, particles and strands.")


def bits():
    return lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout


def test_named_keeps_its_bits():
    """What is named and what is chosen are the same run, and a resumed run chooses the same."""
    time = "time: {step: 0.01, until: 0.2}\n"
    for text, method in ((RUBBER + time, "energy-momentum"), (PENDULUM + time, "midpoint"), (PAIR % ", drag: 0.1" + "gravity: 9.81\n" + time, "midpoint")):
        ends = []
        for integrator in "", f"integrator: {method}\n":
            assert run(text + integrator)["integrator"] == method
            ends.append(bits())
        write(text)
        lilyan("run", "scene.yaml", "--until", "0.1", "-o", "out.h5", "--force")
        lilyan("run", "scene.yaml", "--resume", "-o", "out.h5")
        ends.append(bits())
        assert ends[0] == ends[1] == ends[2], method


def test_refused():
    """Where both methods refuse, the message is midpoint's, which names all methods; auto has no options."""
    write(PAIR % "" + TIME + ROD + "solver: {constraints: differential, feedback: 0.1}\n")
    told = [lilyan("run", "scene.yaml", "-o", "none.h5", "--integrator", name, code=1).stderr for name in ("auto", "midpoint")]
    assert all("midpoint does not support differential constraints: use rk4" in text for text in told), told
    for value, sentence in (("{method: auto, forcing: minus}", "unknown key 'forcing' in auto"), ("auo", "(did you mean 'auto'?)")):
        write(RUBBER + TIME + f"integrator: {value}\n")
        told = lilyan("run", "scene.yaml", "-o", "none.h5", code=1).stderr
        assert sentence in told and told.count("\n") == 1, told
    assert not os.path.exists("none.h5")


def test_first_body():
    """The first body that a newcomer writes. The midpoint rule takes its energy from 4.75 J to 46 J within 1.2 s, and
    the run ends. Sanitizers take only 0.2 s of it. The solver's tolerance bounds the energy error: 1e-12 of |r|, whose part in the energy is removed."""
    c = run(RUBBER + "time: {step: 0.01, until: %g}\n" % (0.2 if harness.SMALL else 3))
    assert c["status"] == "complete" and c["integrator"] == "energy-momentum"
    assert c["certificate"]["relative_energy_error"] < 1e-9, c["certificate"]["relative_energy_error"]
    assert c["certificate"]["energy_band"] < 1e-9, c["certificate"]["energy_band"]


def test_violent():
    """Where the line search on |r| ends in a local minimum, pseudo-time finds the root: without it 61 of the 600 steps
    of 6 s are halved. Sanitizers take the first 30."""
    small = BAR.replace("[10, 2, 2]", "[6, 1, 1]") % ("{model: fixed-corotated, young: 1e6, poisson: 0.45, density: 1000}", "")
    c = run(small + "integrator: energy-momentum\ntime: {step: 0.01, until: %g}\n" % (0.3 if harness.SMALL else 6))["certificate"]
    assert c["halved_steps"] == 0 and c["relative_energy_error"] < 1e-9, (c["halved_steps"], c["relative_energy_error"])


def test_inverted_by_contact():
    """Soft jelly thrown at a floor: tets turn inside out, and the books close. No step is halved. As a function of C alone
    w does not know such tets, and the run ended at t = 0.045 s."""
    c = run(
        "bodies: {b: {shape: {type: box, size: [0.3, 0.3, 0.3], cells: [2, 2, 2]}, at: [0, 0, 0.2], rotate: [30, 20, 0], "
        "material: {model: jelly, young: 500}, damping: 0.003, start: {push: [1, 0, -5]}}}\ngravity: 9.81\n"
        "obstacles: {floor: {plane: {point: [0, 0, -0.2]}}}\ncontact: {friction: 0.4}\ntime: {step: 1/120, until: 0.25}\n"
    )
    assert (c["status"], c["integrator"]) == ("complete", "energy-momentum")
    c = c["certificate"]
    assert c["min_volume_ratio"] < -0.5 and c["intersections"] == 0 and c["halved_steps"] == 0, c
    assert c["contact_energy_error_max"] < 1e-11, c["contact_energy_error_max"]
    assert abs(c["energy_initial"] - c["energy_final"] - c["energy_dissipated"]) < 1e-9 * c["energy_initial"], c


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
