"""contact: {method: auto}, the default: the barrier where the rest of the scene takes it, or penalty, and why. Drives $LILYAN."""
import harness
from command import lilyan, run, write

BALL = "bodies: {ball: {shape: {type: ball, radius: 0.1, cells: 2}, at: [0, 0, 0.3], material: jelly%s}}\n"
FLOOR = "obstacles: {floor: {plane: {}}}\n"
TWO = "particles: {a: {at: [0, 0, 1], mass: 1}, b: {at: [1, 0, 1], mass: 1}}\n"
TIME = "time: {step: 0.01, until: 0.02}\n"


def chosen(text):
    c = run(text)["certificate"]
    return c["contact_method"], c["contact_reason"]


def test_barrier():
    """Without a word about it; whatever the barrier alone has asks for it; what is not touched has none."""
    for integrator in "", "integrator: midpoint\n", "integrator: energy-momentum\n", "integrator: implicit-euler\n":
        assert chosen(BALL % "" + FLOOR + TIME + integrator) == ("barrier", None), integrator
    assert chosen(BALL % "" + FLOOR + TIME + "contact: {friction: 0.3, damping: 0.01}\n") == ("barrier", None)
    assert chosen(BALL % "" + "obstacles: {o: {box: {size: [1, 1, 0.1]}, turn: [0, 0, t]}}\n" + TIME) == ("barrier", None)
    assert chosen(BALL % "" + FLOOR + TIME + "contact: {stiffness: 1e6, ignore: [[ball, ball]]}\n") == ("barrier", None)
    for integrator in "midpoint", "energy-momentum", "implicit-euler":
        assert chosen(TWO + FLOOR + TIME + "constraints: {rod: {distance: [a, b]}}\n" + f"integrator: {integrator}\n") == ("barrier", None)
    assert chosen(BALL % ", loads: {select: all, force: [1, 0, 0]}" + FLOOR + TIME + "integrator: {method: midpoint, forcing: minus}\n") == ("barrier", None)
    assert chosen(BALL % "" + TIME) == (None, None)
    assert chosen(BALL % "" + FLOOR + TIME + "contact: {method: penalty}\n") == ("penalty", None)


def test_penalty():
    """Each thing that the barrier does not go together with, in a few words."""
    floor, reasons = FLOOR + TIME, {}
    for integrator in "stormer-verlet", "gauss", "asynchronous", "rk4", "hamilton-pontryagin":
        reasons[BALL % "" + floor + f"integrator: {integrator}\n"] = f"{integrator} does not support the barrier"
    reasons[BALL % "" + floor + "contact: {stiffness: 1e6}\n"] = "a 'stiffness' is given, which is that of penalty"
    reasons[BALL % "" + "obstacles: {floor: {plane: {}, stiffness: 1e6}}\n" + TIME] = "a 'stiffness' is given, which is that of penalty"
    reasons[BALL % "" + floor + "solver: {linear: direct}\n"] = "the barrier is solved iteratively"
    reasons["gravity: 9.81\n" + BALL % "" + FLOOR + "time: {step: 1e-3, until: 2e-3, adaptive: {}}\n"] = "the barrier needs a fixed step"
    reasons[BALL % ", damping: {kD: 0.01, form: minimised}" + floor] = "midpoint with the barrier cannot include damping in its steps"
    reasons[BALL % "" + floor + "solver: minimise\n"] = "with the barrier a step of midpoint is not a minimisation"
    reasons["particles: {a: {at: [0, 0, 1], mass: 1, drag: 0.1}}\n" + floor + "integrator: {method: midpoint, forcing: minus}\n"] = "midpoint with the barrier needs forces at both ends of the step"
    reasons[BALL % ", loads: {select: all, force: [t, 0, 0]}" + floor + "integrator: {method: midpoint, forcing: minus}\n"] = "midpoint with the barrier needs forces at both ends of the step"
    for text, why in reasons.items():
        assert chosen(text) == ("penalty", why), (text, chosen(text))
        assert f"contact      penalty: {why}\n" in lilyan("info", "scene.yaml").stdout, text
        assert f"  contact_method     penalty: {why}\n" in lilyan("run", "scene.yaml", "-o", "out.h5", "--force").stdout, text


def test_info_lists_what_collides():
    """Obstacles with their shape and friction, who collides with whom, and the times of keys."""
    write(BALL % "" + TIME + """obstacles:
  floor: {plane: {}}
  wall: {box: {centre: [3, 0, 1], size: [0.5, 2, 3]}, friction: 0.7, move: [0.1*t, 0, 0]}
  post: {sphere: {centre: [-3, 0, 0], radius: 0.25}}
contact: {friction: 0.4}
""")
    told = lilyan("info", "scene.yaml").stdout
    for line in ("obstacle     floor: a plane, at [0, 0, 0], normal [0, 0, 1], friction 0.4",
                 "obstacle     wall: a box of 0.5 x 2 x 3 m, at [3, 0, 1], friction 0.7, moves",
                 "obstacle     post: a sphere of radius 0.25 m, at [-3, 0, 0], friction 0.4",
                 "contact      barrier",
                 "  collide    bodies collide with each other, with themselves and with obstacles, friction 0.4"):
        assert f"{line}\n" in told, (line, told)
    write(BALL % "" + FLOOR + TIME + "contact: {method: penalty, friction: 0.4, bodies: pass}\nintegrator: midpoint\n")
    told = lilyan("info", "scene.yaml").stdout
    assert "  collide    bodies collide with obstacles, not with each other, friction 0.4\n" in told, told
    assert "integrator   midpoint, order 1 because of friction" in told, told
    box = "{shape: {type: box, size: [1, 1, 1], cells: [1, 1, 1]}, material: jelly, at: [%d, 0, 0]}"
    write(f"bodies: {{a: {box % 0}, b: {box % 2}}}\n" + TIME)
    assert "contact      none: bodies pass through each other\n" in lilyan("info", "scene.yaml").stdout
    write("""
lagrangian: 1/2*dx^2
start: {x: 0}
keys: [{at: 0, q: [0]}, {at: 0.5, q: [1], weight: 3}, {at: 2, q: [0]}]
shot: {frames: 16}
integrator: midpoint
""")
    assert "shot         3 keys, global\n  keys       at 0, 0.5 (soft) and 2 s\n" in lilyan("info", "scene.yaml").stdout


def test_overridden():
    """Variants and --integrator decide too, as if the scene said so."""
    text = BALL % "" + FLOOR + TIME + "variants: {a: {}, b: {integrator: stormer-verlet}}\n"
    assert run(text, "--variant", "a")["certificate"]["contact_method"] == "barrier"
    assert run(text, "--variant", "b")["certificate"]["contact_method"] == "penalty"
    assert run(text, "--integrator", "rk4", "--variant", "a")["certificate"]["contact_reason"] == "rk4 does not support the barrier"


def test_named_keeps_its_bits():
    """What is named and what is chosen are the same run."""
    ends = []
    for contact in "", "contact: {method: barrier}\n":
        run(BALL % "" + FLOOR + "gravity: 9.81\ntime: {step: 0.01, until: 0.3}\n" + contact)
        ends.append(lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout)
    assert ends[0] == ends[1]


def test_refused():
    """What the barrier alone has, where it cannot be taken: what asks, why not, and what to do."""
    cases = {
        "obstacles: {o: {plane: {}, turn: [t, 0, 0]}}\nintegrator: stormer-verlet\n":
            "scene.yaml:2:28: an obstacle that turns needs the barrier, but stormer-verlet does not support the barrier: use energy-momentum, midpoint or implicit-euler",
        FLOOR + "contact: {ignore: [[ball, ball]]}\nsolver: {linear: direct}\n": "'ignore' needs the barrier, but the barrier is solved iteratively: use the linear solver 'auto'",
        FLOOR + "contact: {method: penalty, restitution: 0.5}\n": "penalty contact does not support 'restitution': use damping, or method: barrier",
        FLOOR + "contact: {method: barrier}\nintegrator: rk4\n": "rk4 does not support barrier contact: use energy-momentum, midpoint or implicit-euler, or contact: {method: penalty}",
    }
    for text, sentence in cases.items():
        write(BALL % "" + text + TIME)
        told = lilyan("run", "scene.yaml", "-o", "none.h5", "--force", code=1).stderr
        assert sentence in told and told.count("\n") == 1, (sentence, told)


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
