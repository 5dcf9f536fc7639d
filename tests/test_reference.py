#!/usr/bin/python3
"""docs/scene.md and docs/scene.schema.json are what the tables say, and every scene is what the schema says."""
import glob
import json
import os
import re
import subprocess
import sys

from command import call

try:
    import jsonschema
    import yaml
except ImportError:
    print("python3-jsonschema or python3-yaml is not installed")
    sys.exit(77)



class Yaml12(yaml.SafeLoader):
    """As Lilyan and editors read it: only true and false are booleans, `on` is a word."""


Yaml12.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith(":bool") or first in "tTfF"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}

LILYAN, SOURCE = os.environ["LILYAN"], os.environ["LILYAN_SOURCE"]
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("not so:", what)


def lists(what):
    return call(["list", what], check=True).stdout


for what, name in ("scene", "scene.md"), ("schema", "scene.schema.json"):
    with open(os.path.join(SOURCE, "docs", name)) as file:
        check(file.read() == lists(what), f"docs/{name} is current: make it with 'lilyan list {what} > docs/{name}'")

schema = json.loads(lists("schema"))
jsonschema.Draft7Validator.check_schema(schema)
valid = jsonschema.Draft7Validator(schema)
for path in sorted(glob.glob(os.path.join(SOURCE, "scenes", "*.yaml"))):
    with open(path) as file:
        scene = yaml.load(file, Yaml12)
    for error in valid.iter_errors(scene):
        check(False, f"{path}: {error.message}")
    # and it is not a schema that takes everything: a slip in any map with known keys is found
    for slip in ({"lagrangain": "x"}, {"time": {"stepp": 1, "step": 1, "until": 1}}, {"integrator": "midpint"},
                 {"integrator": {"method": "gauss", "alpha": 1}}, {"solver": {"tolerence": 1}}, {"loop": {"radious": 1}},
                 {"draw": {"point": {}}}, {"record": {"fpss": 1}}, {"observe": {"a": {"vale": 1}}},
                 {"bodies": {"b": {"shape": "box"}}}):
        check(not valid.is_valid({**scene, **slip}), f"{path} with {slip} is refused")

# bodies: what the fuzzer starts from is right, and slips are found in every map
BODY = {"shape": {"type": "box"}, "material": "jelly"}
TIME = {"step": 1, "until": 1}
for path in sorted(glob.glob(os.path.join(SOURCE, "tests", "corpus", "scene", "solid-*.yaml")) + glob.glob(os.path.join(SOURCE, "tests", "corpus", "scene", "particles-*.yaml"))):
    with open(path) as file:
        scene = yaml.load(file, Yaml12)
    for error in valid.iter_errors(scene):
        check(False, f"{path}: {error.message}")
check(valid.is_valid({"time": TIME, "bodies": {"b": BODY}}), "the smallest scene with a body is right")
for slip in ({"mesh": "a.msh"}, {"shape": "bocks"}, {"shape": {"type": "ball", "size": [1, 1, 1]}}, {"shape": {"cells": 1}},
             {"mash": "a.msh"}, {"material": "jellyfish"}, {"material": {"yung": 1}}, {"material": {"share": 0.5}},
             {"at": [1, 2]}, {"damping": {"kd": 1}}, {"damping": {"form": "exakt"}}, {"groups": {"a": {"bax": 1}}},
             {"fixed": {"box": [[0, 0, 0]]}}, {"fixed": {"box": [[0, 0, 0], [1, 1, 1]], "group": "left"}},
             {"fixed": {"sphere": {"center": [0, 0, 0], "radius": 1}}}, {"handles": {"select": "left"}},
             {"handles": [{"select": "left", "move": [0, 0]}]}, {"loads": {"select": "left"}},
             {"loads": {"select": "left", "force": [1, 0, 0], "traction": [1, 0, 0]}}, {"springs": {"from": "left", "to": "right"}},
             {"springs": {"from": "left", "to": {"body": "b"}, "stiffness": 1}}, {"start": {"spin": 1}},
             {"start": {"position": ["x", "y", "z"], "twist": 1}}, {"start": {"positon": ["x", "y", "z"]}}):
    check(not valid.is_valid({"time": TIME, "bodies": {"b": {**BODY, **slip}}}), f"a body with {slip} is refused")
for slip in ({}, {"bodies": {}}, {"bodies": {"b": {"shape": "box"}}}, {"bodies": {"b": {"material": "jelly"}}}, {"lagrangian": "dx^2"},
             {"bodies": {"b": BODY}, "loop": {}}, {"bodies": {"b": BODY}, "lagrangian": "dx^2", "start": {"x": 1}},
             {"lagrangian": "dx^2", "start": {"x": 1}, "gravity": 1}):
    check(not valid.is_valid({"time": TIME, **slip}), f"a scene of {slip} is refused")

# particles and what binds them
BEAD = {"at": [1, 0, 0], "mass": 1}
for scene in ({"p": BEAD}, {"p": {"at": [[0, 0, 0], [1, 0, 0]], "mass": [1, 2], "pairs": [[0, 1]], "fixed": [0]}},
              {"p": {"type": "chain", "count": 5, "mass": 1, "links": "none", "rotate": [0, 90, 0], "fixed": "first"}},
              {"p": {"type": "net", "cells": [2, 3], "mass": 1, "links": {"stiffness": 1}, "handles": {"move": ["t", 0, 0]}}}):
    check(valid.is_valid({"time": TIME, "particles": scene}), f"particles {scene} are right")
for slip in ({"mass": None}, {"mas": 1}, {"at": 1}, {"type": "chian"}, {"type": "chain", "cells": [1, 1]}, {"type": "chain", "pairs": [[0, 1]]},
             {"rotate": [0, 0, 0]}, {"links": "stiff"}, {"links": {"damping": 1}}, {"pairs": [0, 1]}, {"wind": [1, 2]},
             {"loads": {"traction": [0, 0, 1]}}, {"material": "jelly"}):
    check(not valid.is_valid({"time": TIME, "particles": {"p": {**BEAD, **slip}}}), f"particles with {slip} are refused")
for kind in ({"distance": ["p"]}, {"distance": "p"}, {"tie": "p"}, {"plane": "p"}, {"circle": "p", "centre": [0, 0, 0], "radius": 1},
             {"equal": ["p", "q"], "length": 1}, {"angel": ["p", "q", "r"]}, {"curve": "p", "values": ["x"]}):
    check(not valid.is_valid({"time": TIME, "particles": {"p": BEAD}, "constraints": {"c": kind}}), f"{kind} is refused")
kinds = re.findall(r"^\| `(\w+)` \| [^|]* \| `(\{.*\})` \|$", lists("scene"), re.M)
check(len(kinds) == 10, "the page has the kinds of constraints")
for kind, example in kinds:
    scene = {"time": TIME, "particles": {"p": BEAD}, "constraints": {"c": yaml.load(example, Yaml12)}}
    check(valid.is_valid(scene), f"the example of {kind} is right")

# the examples of the page: keys of a scene, keys of a body or of particles, and whole scenes, which Lilyan takes too
KEYS, BODY_KEYS = schema["properties"], schema["definitions"]["body"]["properties"]
PARTICLE_KEYS = {key: value for map in schema["definitions"]["particles"]["anyOf"] for key, value in map["properties"].items()}
section, examples = "", 0
for line, example in re.findall(r"^#+ ([^\n]*)$|^```yaml\n(.*?)^```$", lists("scene"), re.M | re.S):
    section = line or section
    for key, value in (yaml.load(example, Yaml12) if example else {}).items():
        examples += 1
        where = PARTICLE_KEYS if section.endswith(" of particles") else BODY_KEYS if key not in KEYS or key == "start" and "stretch" in value else KEYS
        part = jsonschema.Draft7Validator({**where[key], "definitions": schema["definitions"]})
        for error in part.iter_errors(value) if section != "variants" else ():
            check(False, f"the example of {key} in {section}: {error.message}")
    if example and "time:" in example and re.search("^(bodies|particles):", example, re.M):
        check(valid.is_valid(yaml.load(example, Yaml12)), f"the scene of {section} is right")
        done = subprocess.run([LILYAN, "info", "/dev/stdin"], input=example, capture_output=True, text=True)
        check(done.returncode == 0, f"Lilyan takes the scene of {section}: {done.stderr}")
check(examples > 20, "the page has examples")
for key in PARTICLE_KEYS:
    check(f"| `{key}` |" in lists("scene"), f"the page explains {key} of particles")
for key in BODY_KEYS:
    check(f"| `{key}` |" in lists("scene"), f"the page explains {key}")

# what types refer to is there, and every note has a key that it is about
def references(part):
    if isinstance(part, dict):
        for key, value in part.items():
            yield from [value] if key == "$ref" else references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


for name in sorted(set(references(schema))):
    check(name.removeprefix("#/definitions/") in schema["definitions"], f"the schema has {name}")
check("{{" not in lists("scene"), "all that the notes ask the tables for is there")
with open(os.path.join(SOURCE, "docs", "scene-notes.md")) as file:
    notes = re.findall(r"^<!-- (\w+)\.(\w+) -->$", file.read(), re.M)
check(len(notes) > 20, "there are notes")
for table, key in notes:
    heading = f"## {key}" if table == "scene" else f"### {key}" if table == "body" else f"### {key} of {table}"
    check(f"\n{heading}\n" in lists("scene"), f"the page has the note {table}.{key}")

# every table in src/materials is in the list
materials = lists("materials")
tables = [text for text in (open(path).read() for path in glob.glob(os.path.join(SOURCE, "src", "materials", "*.c")))
          if "\nconst lil_material_table lil_" in text]
check(len(tables) > 1 and len(re.findall("^  formula ", materials, re.M)) == len(tables), "all materials are listed")
for text in tables:
    name = re.search(r'^    \.name = "([^"]+)"', text, re.M).group(1)
    check(re.search(rf"^{name}( \(default\))?$", materials, re.M), f"'{name}' is listed")
for preset in "rubber", "steel":
    check(re.search(rf"^  {preset} +[0-9]", materials, re.M), f"the preset '{preset}' is listed")

sys.exit(1 if failures else 0)
