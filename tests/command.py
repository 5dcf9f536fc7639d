"""$LILYAN as a test drives it: a scene is written, run, and its trajectory checked, in the test's own folder."""
import json
import os
import subprocess

LILYAN = os.environ["LILYAN"]


def lilyan(*arguments, code=0):
    done = subprocess.run([LILYAN, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"lilyan {arguments} ended with {done.returncode}: {done.stderr}"
    return done


def write(text, name="scene.yaml"):
    with open(name, "w") as file:
        file.write(text)


def run(text, *options):
    write(text)
    return json.loads(lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", *options).stdout)


def free_of_intersections():
    assert "no intersection" in lilyan("check", "out.h5", "--paths").stdout
