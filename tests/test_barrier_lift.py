"""Parts that touch at the start are moved apart by the least shift that opens every gap to d_hat. Drives $LILYAN."""
import math
import os

import harness
from command import free_of_intersections, lilyan, run, write

SMALL = "LIL_TEST_SMALL" in os.environ
END = "contact: {method: barrier%s}\nintegrator: energy-momentum\ntime: {step: 0.01, until: %s}\n"
FLOOR = "obstacles: {floor: {plane: {}}}\n"
BOX = "{shape: {type: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, at: [%.17g, 0, %.17g], material: jelly%s}"
# gaps are opened to (1 + 1e-9) d_hat, beyond the round-off of coordinates; the shift is solved for to 1e-12 of itself
EXACT = 1e-8


def bodies(parts):
    return "bodies:\n" + "".join(f"  {name}: {text}\n" for name, text in parts.items())


def observe(*names):
    return "observe: {" + ", ".join(f'{n}_{"xyz"[k]}: "{n}[{k + 1}]"' for n in names for k in range(3)) + "}\n"


def start_of(told, name):
    return [told["observables"][f"{name}_{axis}"]["first"] for axis in "xyz"]


def moved(told, name, x, z, shift):
    """The body's middle was to be at (x, 0, z), and starts where it is shifted to, in units of d_hat."""
    d_hat = told["certificate"]["d_hat_min"]
    assert math.dist(start_of(told, name), [x + shift[0] * d_hat, shift[1] * d_hat, z + shift[2] * d_hat]) < EXACT * d_hat, (name, start_of(told, name), d_hat)


def test_tower():
    """Five equal boxes on a floor, all at gap 0: moved up by 1, 2, ... 5 d_hat and not sideways; without weight nothing pushes then. A sentence each."""
    parts = {name: BOX % (0, 0.1 + 0.2 * k, "") for k, name in enumerate("abcde")}
    text = bodies(parts) + FLOOR + observe(*parts)
    told = run(text + END % ("", 0.02))
    for k, name in enumerate(parts):
        moved(told, name, 0, 0.1 + 0.2 * k, [0, 0, k + 1])
    assert told["certificate"]["contact_energy"] == told["certificate"]["contact_pairs"] == 0, told["certificate"]
    warned = lilyan("run", "scene.yaml", "-o", "out.h5", "--force").stderr
    assert warned.count("\n") == 5 and "'a' touches 'b', 'floor' at the start: it is moved 0.0114 m away, by [0, 0, 0.0114] m" in warned, warned


def test_tower_stays():
    """With weight and friction it stands: it settles by less than d_hat a gap, and the weight of the boxes above shortens each by less than 2 %
    (5 rho g L/E = 10 kPa/E). Damping kD = 0.05 s lets it settle in half a second. What sticks creeps slower than `slip`, 0.01 m/s."""
    names = "abc"[:2 if SMALL else 3]
    stiff = ", damping: 0.05"
    parts = {name: (BOX % (0, 0.1 + 0.2 * k, stiff)).replace("jelly", "{young: 1e6, poisson: 0.3, density: 1000}") for k, name in enumerate(names)}
    until = 0.2 if SMALL else 0.5
    told = run(bodies(parts) + FLOOR + "gravity: 9.81\n" + observe(*parts) + END % (", friction: 0.5", until))
    d_hat = told["certificate"]["d_hat_min"]
    for k, name in enumerate(names):
        o = told["observables"]
        for axis in "xy":
            assert abs(o[f"{name}_{axis}"]["last"]) < 0.01 * until, (name, o)
        assert -0.02 * (k + 1) * 0.2 < o[f"{name}_z"]["last"] - (0.1 + 0.2 * k) < (k + 1) * d_hat, (name, o)
    free_of_intersections()


def test_side_by_side():
    """Two alone in space share the shift; a fixed one leaves it to the other, which is moved along the normal alone."""
    text = bodies({"a": BOX % (0, 0, ""), "b": BOX % (0.2, 0, "")}) + observe("a", "b") + END % ("", 0.02)
    told = run(text)
    moved(told, "a", 0, 0, [-0.5, 0, 0])
    moved(told, "b", 0.2, 0, [0.5, 0, 0])
    told = run(bodies({"a": BOX % (0, 0, ", fixed: left"), "b": BOX % (0.2, 0.05, "")}) + observe("a", "b") + END % ("", 0.02))
    moved(told, "a", 0, 0, [0, 0, 0])
    moved(told, "b", 0.2, 0.05, [1, 0, 0])


def test_two_by_two():
    """Two towers side by side: up by 1 and 2 d_hat, and half of one apart; what touches along an edge alone asks for no more than that."""
    parts = {n: BOX % (0.2 * (k % 2), 0.1 + 0.2 * (k // 2), "") for k, n in enumerate("abcd")}
    told = run(bodies(parts) + FLOOR + observe(*parts) + END % ("", 0.02))
    for k, n in enumerate("abcd"):
        moved(told, n, 0.2 * (k % 2), 0.1 + 0.2 * (k // 2), [k % 2 - 0.5, 0, 1 + k // 2])


def test_beams_cross():
    """No vertex of one lies on the other: edges alone meet."""
    beam = "{shape: {type: bar, size: [1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0, 0, %s], rotate: [0, 0, %s], material: rubber}"
    told = run(bodies({"a": beam % (0.05, 0), "b": beam % (0.15, 70)}) + "obstacles: {floor: {box: {centre: [0, 0, -0.1], size: [3, 3, 0.2]}}}\n" +
               observe("a", "b") + END % ("", 0.02))
    moved(told, "a", 0, 0.05, [0, 0, 1])
    moved(told, "b", 0, 0.15, [0, 0, 2])


def test_sunk_and_near():
    """Half of d_hat deep, or a hundredth away: it starts d_hat above. Above a twentieth it stays."""
    d_hat = 0.02
    for gap, start in ((-0.5, 1), (0.01, 1), (0.3, 0.3)):
        told = run(bodies({"a": BOX % (0, 0.1 + gap * d_hat, "")}) + FLOOR + observe("a") + END % (f", d_hat: {d_hat}", 0.02))
        moved(told, "a", 0, 0.1, [0, 0, start])


def test_round_and_thin():
    """A ball whose pole is a vertex and a particle on a ball, cloth and a rope on a floor: each d_hat away. d_hat of cloth and rope is a tenth of a link, 0.02 m."""
    told = run("bodies: {a: {shape: {type: ball, radius: 0.1, cells: 4}, at: [0, 0, 0.2], material: jelly}}\nobstacles: {o: {sphere: {radius: 0.1}}}\n" + observe("a") + END % ("", 0.02))
    moved(told, "a", 0, 0.2, [0, 0, 1])
    told = run("particles: {a: {at: [0, 0, 0.3], mass: 1, radius: 0.1}}\nobstacles: {o: {sphere: {radius: 0.2}}}\n" + observe("a") + END % ("", 0.02))
    moved(told, "a", 0, 0.3, [0, 0, 1])
    told = run("particles: {a: {type: net, size: [1, 1], cells: [5, 5], mass: 1}}\n" + FLOOR + observe("a") + END % ("", 0.02))
    moved(told, "a", 0, 0, [0, 0, 1])
    assert abs(told["certificate"]["d_hat_min"] - 0.02) < 1e-12
    told = run("particles: {a: {type: chain, from: [-0.5, 0, 0.1], to: [0.5, 0, 0.1], count: 6, mass: 1, links: {stiffness: 100}, radius: 0.05}}\n"
               "obstacles: {o: {box: {size: [0.1, 1, 0.1]}}}\n" + observe("a") + END % ("", 0.02))
    moved(told, "a", 0, 0.1, [0, 0, 1])


def test_cloth_on_a_table():
    """Its vertices, edges and diagonals are exactly over the table's corners, edges and diagonals: it is lifted and not pushed sideways."""
    for size, cells, x in ((1, 1, 0), (2, 2, 0), (2, 4, 0), (2, 3, 0.13), (3, 4, 0.13), (3, 6, 0)):
        cloth = f"particles: {{a: {{type: grid, size: [{size}, {size}], cells: [{cells}, {cells}], at: [{x}, 0, 0.2], mass: 1, links: {{stiffness: 100}}}}}}\n"
        for table in ("obstacles: {table: {box: {size: [1, 1, 0.4]}}}\n",
                      "bodies: {table: {shape: {type: box, size: [1, 1, 0.4], cells: [4, 4, 2]}, material: rubber, fixed: bottom}}\n"):
            told = run(cloth + table + observe("a") + END % (", d_hat: 0.01", 0.01))
            moved(told, "a", x, 0.2, [0, 0, 1])


def test_joined():
    """What is joined by a link moves along with it; what is joined to something fixed does not move, and the other does."""
    joined = "constraints: {rod: {distance: [a.0, b.0]}}\n"
    parts = {"a": BOX % (0, 0.1, ""), "b": BOX % (0, 0.5, "")}
    told = run(bodies(parts) + FLOOR + joined + observe("a", "b") + END % ("", 0.02))
    moved(told, "a", 0, 0.1, [0, 0, 1])
    moved(told, "b", 0, 0.5, [0, 0, 1])
    parts = {"a": BOX % (0, 0.1, ""), "b": BOX % (0, 0.5, ", fixed: top"), "c": BOX % (0.2, 0.1, "")}
    told = run(bodies(parts) + joined + observe("a", "c") + END % ("", 0.02))
    moved(told, "a", 0, 0.1, [0, 0, 0])
    moved(told, "c", 0.2, 0.1, [1, 0, 0])


def test_refused():
    """Deeper than d_hat, without room, or fixed: both names and the place."""
    wall = "  %s: {box: {centre: [%s, 0, 0], size: [0.1, 1, 1]}}\n"
    cases = {
        bodies({"a": BOX % (0, 0.07, "")}) + FLOOR: "'a' starts partly below the plane 'floor', by 0.03 m at its lowest point: move it by more than [0, 0, 0.03], or place its lowest point with at: {floor: HEIGHT}",
        bodies({"a": (BOX % (0, 0.1, ", fixed: top")).replace("0.1]", "0.099999999999999]")}) + FLOOR: "move them apart, best by d_hat, 0.0",  # round-off below it
        bodies({"a": BOX % (0, -1, "")}) + FLOOR: "'a' starts below the plane 'floor', by 1.1 m at its lowest point",
        bodies({"a": BOX % (0, 0, ""), "b": BOX % (0.15, 0.05, "")}): "'a' and 'b' touch at the start",
        bodies({"a": BOX % (0, 0, "")}) + "obstacles:\n" + wall % ("left", -0.15) + wall % ("right", 0.15): "'a' and 'left' touch at the start",
        bodies({"a": BOX % (0, 0, ", fixed: left"), "b": BOX % (0.2, 0, ", fixed: right")}): "'a' and 'b' touch at the start",
        bodies({"a": BOX % (0, 0, "")}) + "obstacles: {wall: {plane: {point: [0.03, 0, 0], normal: [1, 0, 0]}}}\n":
            "'a' starts partly behind the plane 'wall', by 0.13 m at its farthest point: move it by more than [0.13, 0, 0], or exclude the pair",
    }
    for text, sentence in cases.items():
        write(text + END % ("", 0.02))
        told = lilyan("run", "scene.yaml", "-o", "none.h5", "--force", code=1).stderr
        assert sentence in told and told.count("\n") == 1, (sentence, told)


def test_resumed():
    """The start is moved when the scene is read, so a run that is resumed has the same bits."""
    text = bodies({"a": BOX % (0, 0.1, ""), "b": BOX % (0.05, 0.3, "")}) + FLOOR + "gravity: 9.81\n" + END % (", friction: 0.3", 0.06)
    run(text)
    whole = lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout
    run(text, "--until", "0.03")
    lilyan("run", "scene.yaml", "-o", "out.h5", "--resume", "--until", "0.06")
    assert whole == lilyan("export", "out.h5", "--to", "csv", "-o", "-").stdout


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
