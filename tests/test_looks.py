"""color, opacity and roughness of parts: from the scene into the file, onto the page and to Blender."""
import os
import re
import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
from command import call
from harness import read_page, run

SCENE = """\
bodies:
  jelly: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, material: jelly, at: [0, 0, 0.3],
          color: "#e52", opacity: 0.5, roughness: 0.1}
  plain: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}, material: jelly, at: [0.5, 0, 0.3]}
particles:
  rope: {type: chain, from: [0, 1, 1], to: [1, 1, 1], count: 5, mass: 0.1, color: [0.2, 0.4, 1/2]}
strands:
  hair: {roots: [[0, -1, 1]], color: brown}
obstacles: {floor: {plane: {}, color: "#008080", opacity: 0.25}}
gravity: 9.81
time: {step: 1/100, until: 0.02}
"""
NAN = np.nan
LOOKS = {  # sRGB from 0 to 1, opacity, roughness
    "jelly": [0xee / 255, 0x55 / 255, 0x22 / 255, 0.5, 0.1],
    "rope": [0.2, 0.4, 0.5, NAN, NAN],
    "hair": [0xa5 / 255, 0x2a / 255, 0x2a / 255, NAN, NAN],
    "floor": [0, 0x80 / 255, 0x80 / 255, 0.25, NAN],
}


def lilyan(*arguments, code=0):
    done = call(arguments, timeout=120)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def write(text):
    with open("looks.yaml", "w") as file:
        file.write(text)


def test_from_scene_to_file_page_and_blender():
    write(SCENE)
    lilyan("run", "looks.yaml", "-o", "looks.h5")
    with h5py.File("looks.h5") as file:
        assert sorted(file["look"]) == sorted(LOOKS)  # not of what has none
        for name, look in LOOKS.items():
            assert np.array_equal(file[f"look/{name}"][()].ravel(), look, equal_nan=True), name
    lilyan("report", "looks.h5")
    (page,) = read_page("looks.html")[0]["runs"]
    got = {part["name"]: [part.get(key) for key in ("color", "opacity", "roughness")]
           for part in page["bodies"] + page["particles"] + page["obstacles"]}
    assert got == {"jelly": ["#ee5522", 0.5, 0.1], "plain": [None] * 3, "rope": ["#336680", None, None],
                   "hair": ["#a52a2a", None, None], "floor": ["#008080", 0.25, None]}, got
    lilyan("export", "looks.h5", "--to", "mdd", "-o", "looks")
    with open("looks/looks_blender.py") as file:
        script = file.read()
    bodies = eval(re.search(r"BODIES = (\[.*?\n\])", script, re.S)[1])
    assert [name for name, *_ in bodies] == ["jelly", "plain"] and bodies[1][2:] == (None, None, None)
    color, opacity, roughness = bodies[0][2:]
    assert np.allclose(color, LOOKS["jelly"][:3], atol=1e-8) and (opacity, roughness) == (0.5, 0.1)  # written with 9 digits
    space = {}
    exec(re.search(r"def linear.*?\n\n\n", script, re.S)[0], space)
    assert abs(space["linear"](0.5) - 0.2140411) < 1e-7  # IEC 61966-2-1


def test_looks_change_no_motion():
    write(SCENE)
    lilyan("run", "looks.yaml", "-o", "with.h5")
    write(re.sub(r', *(color: (\[.*?\]|"#\w+"|\w+)|opacity: [\d.]+|roughness: [\d.]+)', "", SCENE.replace(",\n", ",")))
    lilyan("run", "looks.yaml", "-o", "without.h5")
    with h5py.File("with.h5") as one, h5py.File("without.h5") as other:
        assert "look" not in other and (one["q"][()] == other["q"][()]).all()


def test_what_is_no_look_is_refused():
    for bad, says in [("color: orang", r"looks.yaml:3:\d+: 'orang' is no color.*did you mean 'orange'"),
                      ('color: "#12345"', r"looks.yaml:3:\d+: '#12345' is no color: give"),
                      ("color: [0, 2, 1]", r"looks.yaml:3:\d+: the red, green or blue of 'jelly' is 2: it must be from 0 to 1"),
                      ("color: [0, 1]", "'color' must have 3 numbers, not 2"),
                      ("opacity: 1.5", r"looks.yaml:3:\d+: the opacity of 'jelly' is 1.5"),
                      ("roughness: -1", r"looks.yaml:3:\d+: the roughness of 'jelly' is -1"),
                      ("opacity: clear", "clear")]:
        write(re.sub(r'color: "#e52".*', bad + "}", SCENE))
        error = lilyan("info", "looks.yaml", code=1).stderr
        assert error.count("\n") == 1 and re.search(says, error), (bad, error)


run([test_from_scene_to_file_page_and_blender, test_looks_change_no_motion, test_what_is_no_look_is_refused])
