"""contact: {ignore, between}: who meets whom. Drives $LILYAN."""
import json
import os

import harness
from command import lilyan

LILYAN = os.environ["LILYAN"]
BOX = "{shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, material: {young: 1e5, poisson: 0.3, density: 1000}, at: [0, 0, %s], start: {push: [0, 0, -1]}}"
SCENE = """bodies:
  low: %s
  high: %s
obstacles: {floor: {plane: {}}}
contact: {method: barrier%%s}
integrator: energy-momentum
time: {step: 0.01, until: 0.4}
observe: {low: "low[3]", high: "high[3]"}
""" % (BOX % 0.2, (BOX % 0.45).replace("-1]", "-3]"))


def write(text):
    with open("scene.yaml", "w") as file:
        file.write(text)


def run(text):
    write(text)
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)["observables"]


def test_ignore():
    """What does not meet flies on: exactly v t, since nothing else acts on it."""
    told = run(SCENE % "")
    assert told["high"]["last"] > told["low"]["last"] > 0, told
    told = run(SCENE % ", ignore: [[low, high]]")
    assert told["high"]["last"] > 0 and told["low"]["last"] > 0 and told["high"]["min"] < told["low"]["max"], told
    told = run(SCENE % ", ignore: [[low, floor], [high, low], [high, floor]]")
    assert abs(told["low"]["last"] - (0.2 - 0.4)) < 1e-9 and abs(told["high"]["last"] - (0.45 - 1.2)) < 1e-9, told


def test_checked():
    """What the scene lets pass is not held against it, by `check` and by the certificate; `check --all` looks at it."""
    write(SCENE % ", ignore: [[low, high], [high, floor]]")
    told = json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json").stdout)
    assert told["certificate"]["intersections"] == 0, told["certificate"]
    found = json.loads(lilyan("check", "out.h5", "--json").stdout)[0]
    assert found["intersections"] == 0 and found["pairs_let_pass"] == 2, found
    assert "without 2 pairs of parts that the scene excludes from contact: no intersection" in lilyan("check", "out.h5").stdout
    found = json.loads(lilyan("check", "out.h5", "--json", "--all", code=1).stdout)[0]
    assert found["intersections"] > 0 and found["pairs_let_pass"] == 0, found


def test_itself():
    """A bar that starts folded through itself is refused, unless it does not meet itself."""
    bar = """bodies: {bar: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [10, 1, 1]}, material: rubber,
  start: {position: ["0.1*cos(2*pi*1.2*x)*(1+z)", "0.1*sin(2*pi*1.2*x)*(1+z)", y]}}}
contact: {method: barrier%s}
integrator: energy-momentum
time: {step: 1e-4, until: 1e-4}
"""
    write(bar % "")
    assert "'bar' touches itself at the start" in lilyan("run", "scene.yaml", "-o", "out.h5", "--force", code=1).stderr
    run(bar % ", ignore: [[bar, bar]]")


def test_refused():
    cases = {
        ", ignore: [[low, hihg]]": "nothing here is called 'hihg' (did you mean 'high'?)",
        ", ignore: [[low]]": "'ignore' must be a list of pairs of names, [[a, b], [a, a]]",
        ", ignore: [low, high]": "'ignore' must be a list of pairs of names, [[a, b], [a, a]]",
        ", ignore: low": "ignore",
        ", ignore: [[low, [high]]]": "the name of a body, particles, strands or an obstacle",
        ", between: [[low, high]]": "'between' must be a list of entries with two names and a map, [[a, b, {friction: 0.3}]]",
        ", between: [[low, high, 0.3]]": "between",
        ", between: [[low, high, {fricton: 0.3}]]": "did you mean 'friction'?",
        ", between: [[low, high, {friction: -1}]]": "friction",
        ", between: [[low, roof, {friction: 0.3}]]": "nothing here is called 'roof'",
    }
    for keys, sentence in cases.items():
        write(SCENE % keys)
        told = lilyan("run", "scene.yaml", "-o", "none.h5", "--force", code=1).stderr
        assert sentence in told and told.count("\n") == 1, (keys, told)
    write((SCENE % ", ignore: [[low, high]]").replace("barrier", "penalty"))
    assert "penalty contact does not support 'ignore'" in lilyan("run", "scene.yaml", "-o", "none.h5", "--force", code=1).stderr


harness.run([value for name, value in list(globals().items()) if name.startswith("test_")])
