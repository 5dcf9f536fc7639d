#!/usr/bin/python3
"""docs/scene.md and docs/scene.schema.json are what the tables say, and every scene is what the schema says."""
import glob
import json
import os
import re
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    print("python3-jsonschema or python3-yaml is not installed")
    sys.exit(77)

LILYAN, SOURCE = os.environ["LILYAN"], os.environ["LILYAN_SOURCE"]
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("not so:", what)


def lists(what):
    return subprocess.run([LILYAN, "list", what], capture_output=True, text=True, check=True).stdout


for what, name in ("scene", "scene.md"), ("schema", "scene.schema.json"):
    with open(os.path.join(SOURCE, "docs", name)) as file:
        check(file.read() == lists(what), f"docs/{name} is current: make it with 'lilyan list {what} > docs/{name}'")

schema = json.loads(lists("schema"))
jsonschema.Draft7Validator.check_schema(schema)
valid = jsonschema.Draft7Validator(schema)
for path in sorted(glob.glob(os.path.join(SOURCE, "scenes", "*.yaml"))):
    with open(path) as file:
        scene = yaml.safe_load(file)
    for error in valid.iter_errors(scene):
        check(False, f"{path}: {error.message}")
    # and it is not a schema that takes everything: a slip in any map with known keys is found
    for slip in ({"lagrangain": "x"}, {"time": {"stepp": 1, "step": 1, "until": 1}}, {"integrator": "midpint"},
                 {"integrator": {"method": "gauss", "alpha": 1}}, {"solver": {"tolerence": 1}}, {"loop": {"radious": 1}},
                 {"draw": {"point": {}}}, {"record": {"fpss": 1}}, {"observe": {"a": {"vale": 1}}}):
        check(not valid.is_valid({**scene, **slip}), f"{path} with {slip} is refused")

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
