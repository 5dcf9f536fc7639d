"""lilyan check: what intersects is found, what does not is not, at frames and between them. Drives $LILYAN."""
import json

from command import call
import harness

BOXES = """bodies:
  low: {shape: {type: box, cells: [2, 2, 2]}, material: rubber, fixed: bottom}
  high: {shape: {type: box, cells: [2, 2, 2]}, at: [0.1, 0.2, %s], material: rubber, start: {push: [0, 0, %s]}}
contact: {method: penalty, bodies: pass}
integrator: midpoint
record: {every: 1}
time: {step: 0.01, until: %s}
"""


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=120)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def run(z, speed, until, name="out"):
    with open(f"{name}.yaml", "w") as file:
        file.write(BOXES % (z, speed, until))
    lilyan("run", f"{name}.yaml", "--force", "-o", f"{name}.h5")


def test_apart():
    run(1.001, 0, 0.05)
    done = lilyan("check", "out.h5", "--paths")
    assert done.stdout == "out.h5: 6 frames, 96 triangles and links: no intersection\n", done.stdout


def test_intersecting():
    """The boxes fall into each other at 1 m/s from 5 mm: frame 0 is free, frames 1 to 5 are not."""
    run(1.005, -1, 0.05)
    told = json.loads(lilyan("check", "out.h5", "--json", code=1).stdout)[0]
    assert told["frames"] == 6 and told["bad_frames"] == 5 and told["intersections"] > 0 and told["passages"] == 0, told
    assert told["first"]["frame"] == 1 and abs(told["first"]["t"] - 0.01) < 1e-12, told
    assert "of 'low'" in told["first"]["what"] and "of 'high'" in told["first"]["what"], told


def test_passing():
    """At 300 m/s nothing is seen at frames, which are 3 m apart; on the way between the first two the boxes pass."""
    run(1.5, -300, 0.02)
    assert "no intersection" in lilyan("check", "out.h5").stdout
    told = json.loads(lilyan("check", "out.h5", "--paths", "--json", code=1).stdout)[0]
    assert told["intersections"] == 0 and told["passages"] > 0 and told["first"]["frame"] == 1, told


def test_several():
    run(1.001, 0, 0.05, "apart")
    run(0.9, 0, 0.05, "inside")
    done = lilyan("check", "apart.h5", "inside.h5", code=1)
    assert "apart.h5: 6 frames" in done.stdout and "in 6 frames\n" in done.stdout, done.stdout


def test_obstacles():
    """A particle in a plane; a ball in the middle of a face, where no vertex is; a box that a corner pokes into."""
    for obstacle, what in (("plane: {point: [0, 0, 0]}", "vertex"), ("sphere: {centre: [0, 0, 0.6], radius: 0.11}", "triangle"),
                           ("box: {centre: [0.6, 0.6, 0.6], size: [0.21, 0.21, 0.21]}", "vertex")):
        with open("solid.yaml", "w") as file:
            file.write("bodies: {cube: {shape: {type: box, cells: [1, 1, 1]}, material: rubber, groups: {all: {box: [[-1, -1, -1], [1, 1, 1]]}}, handles: [{select: all, move: [0, 0, t]}]}}\n"
                       "particles: {p: {at: [9, 9, 9], mass: 1}}\nobstacles: {thing: {%s}}\ncontact: {method: penalty}\ntime: {step: 0.01, until: 0.01}\nrecord: {every: 1}\n" % obstacle)
        done = lilyan("run", "solid.yaml", "--force", "-o", "solid.h5")
        told = lilyan("check", "solid.h5", code=1).stdout
        assert f"first: {what} " in told and "of 'cube' and the obstacle 'thing'" in told, (told, done.stderr)


END = "integrator: midpoint\nrecord: {every: 1}\ntime: {step: 0.01, until: %s}\n"


def found(text, *options, code=0):
    with open("scene.yaml", "w") as file:
        file.write(text)
    lilyan("run", "scene.yaml", "--force", "-o", "out.h5")
    return json.loads(lilyan("check", "out.h5", "--json", *options, code=code).stdout)[0]


def test_cloth():
    """A small box goes through the middle of a triangle of cloth, away from all links. At 10 m/s it reaches from -0.21 m to -0.11 m, from -0.11 m to -0.01 m,
    and from -0.01 m to 0.09 m."""
    told = found("bodies: {b: {shape: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, at: [0.2, 0.02, -0.16], material: rubber, start: {push: [0, 0, 10]}}}\n"
                 "particles: {c: {type: grid, size: [1, 1], cells: [1, 1], mass: 1, fixed: all, links: {stiffness: 1}}}\n"
                 "contact: {method: penalty, bodies: pass}\n" + END % 0.02, code=1)
    assert told["bad_frames"] == 1 and told["first"]["frame"] == 2, told
    assert told["first"]["what"].startswith("triangle ") and "of 'c'" in told["first"]["what"], told


BALLS = "particles: {p: {at: [[0, 0, 0], [1, 0.1, 0]], mass: 1, radius: 0.1, velocity: [[%s, 0, 0], [0, 0, 0]]}}\ncontact: {method: penalty}\n"


def test_balls():
    """Two loose balls whose centres pass 0.1 m from each other, where they are 0.2 m thick: seen at a frame; from frame to frame only on the way; and not at all
    where they are 0.21 m apart."""
    told = found(BALLS % 100 + END % 0.02, code=1)
    assert told["first"]["what"] == "particle 0 of 'p' and particle 1 of 'p'" and told["first"]["frame"] == 1 and told["points"] == 2, told
    assert found(BALLS % 200 + END % 0.01)["intersections"] == 0
    assert lilyan("check", "out.h5", "--paths", "--json", code=1).stdout.count("particle 0 of 'p' and particle 1 of 'p'") == 1
    assert found((BALLS % 200).replace("0.1, 0]]", "0.21, 0]]") + END % 0.01, "--paths")["passages"] == 0


def test_ball_and_surface():
    """A ball of 0.1 m flies past the side of a box, 0.09 m and 0.11 m from it; and through a ball that is an obstacle, from one frame to the next."""
    box = ("bodies: {b: {shape: {type: box, cells: [1, 1, 1]}, material: rubber}}\nparticles: {p: {at: [0.%s, 0, 2], mass: 1, radius: 0.1, velocity: [0, 0, -200]}}\n"
           "contact: {method: penalty, bodies: pass}\n")
    told = found(box % 59 + END % 0.02, "--paths", code=1)
    assert "triangle " in told["first"]["what"] and "particle 0 of 'p'" in told["first"]["what"] and told["passages"] > 0, told
    assert found(box % 61 + END % 0.02, "--paths")["passages"] == 0
    told = found("particles: {p: {at: [0.2, 0, 1], mass: 1, radius: 0.1, velocity: [0, 0, -200]}}\nobstacles: {ball: {sphere: {radius: 0.15}}}\n"
                 "contact: {method: penalty}\n" + END % 0.01, "--paths", code=1)
    assert told["intersections"] == 0 and told["first"]["what"] == "particle 0 of 'p' and the obstacle 'ball'", told


def test_still():
    """What is fixed may stand in an obstacle that stays and in what is fixed, and obstacles in each other. What moves may not."""
    text = ("bodies: {low: {shape: {type: box, cells: [1, 1, 1]}, material: rubber, fixed: [bottom, top]}, high: {shape: {type: box, cells: [1, 1, 1]}, at: [0.2, 0.3, 0.9], "
            "material: rubber, fixed: [bottom, top]}}\nparticles: {p: {at: [9, 9, 9], mass: 1}}\nobstacles: {floor: {plane: {}}, box: {box: {size: [3, 3, 0.1], centre: [0, 0, -0.2]}}, ball: {sphere: {centre: [0.7, 0, 0], "
            "radius: 0.4}}}\ncontact: {method: barrier}\n" + (END % 0.02).replace("midpoint", "energy-momentum"))
    assert found(text)["intersections"] == 0
    assert found(text.replace("barrier", "penalty, bodies: pass").replace("fixed: [bottom, top]}}", "groups: {g: {box: [[-9, -9, -9], [9, 9, 9]]}}, handles: [{select: g, move: [0, 0, t]}]}}"),
                 code=1)["intersections"] > 0


def test_bad_calls():
    assert "name a trajectory" in lilyan("check", code=2).stderr
    assert "unknown option '--path'" in lilyan("check", "--path", code=2).stderr
    assert "nowhere.h5" in lilyan("check", "nowhere.h5", code=1).stderr


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
