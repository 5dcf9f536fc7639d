"""The gallery: a scene appears by itself, its sentence has the run's figures, and one that fails does not take the others along."""
# release only
import json
import os
import re
import subprocess
import tempfile

from command import call
import harness

SOURCE, BUILD = os.environ["LILYAN_SOURCE"], os.environ["LILYAN_BUILD"]
NODE = harness.node_for_pages(BUILD)

SWING = """\
# A <b>swing</b> & more.
#
# Gallery: After {euler.steps} steps {euler.energy_final:4} J, from
# {midpoint.energy_initial:3} J, to {midpoint.gradient_max:1}; {midpoint.x3.min:%} and {midpoint.x3.min}.
# Gallery picture: 0.5

lagrangian: 1/2*dx^2 - 1/2*x^2
start: {x: 1}
observe: {x3: x^3}
draw: {points: {a: [x, 0, 0]}}
integrator: midpoint
time: {step: 0.1, until: 2}
variants: {midpoint: {}, euler: {integrator: explicit-euler}}
"""
PLAIN = SWING.split("variants:")[0].replace("# Gallery", "#")


def gallery(*scenes):
    return subprocess.run([NODE, os.path.join(SOURCE, "scripts/gallery.mjs"), BUILD, "out", *scenes], capture_output=True, text=True, timeout=300)


def cards(html):
    return {name: text for name, text in re.findall(r"<h3>(.*?)</h3><p>(.*?)</p>", html)}


def main():
    for name, text in (("swing", SWING), ("plain", PLAIN), ("wrong", SWING.replace("{euler.", "{oiler.")), ("bad", "lagrangian: (")):
        with open(f"{name}.yaml", "w") as file:
            file.write(text)
    done = gallery("swing.yaml", "plain.yaml", "wrong.yaml", "bad.yaml")
    assert done.returncode == 1, done
    failed = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert len(failed) == 2 and any("bad.yaml" in line for line in failed), done.stderr
    assert any("wrong.yaml: the run has no figure oiler." in line and "euler.energy_final" in line for line in failed), done.stderr
    with open("out/index.html") as file:
        html = file.read()
    assert sorted(os.listdir("out")) == ["index.html", "plain.html", "runs", "swing.html", "wrong.html"]
    assert html.count("data:image/jpeg;base64,/9j/") == 4, "two pictures each, light and dark"
    assert not re.search(r"(src|srcset)=\"(?!data:)", html), "nothing is fetched"
    said = cards(html)
    assert set(said) == {"swing", "plain"}
    assert said["plain"] == "A &#60;b&#62;swing&#60;/b&#62; &#38; more.", said
    printed = call(["run", "swing.yaml", "--variants", "-o", "again.h5", "--json"], check=True)
    midpoint, euler = json.loads(printed.stdout)
    # every step of explicit Euler multiplies the energy by 1 + h^2
    assert abs(euler["certificate"]["energy_final"] - 0.5 * 1.01**20) < 1e-9
    least, gradient = midpoint["observables"]["x3"]["min"], midpoint["certificate"]["gradient_max"]
    mantissa, exponent = f"{gradient:.0e}".split("e")
    power = ("" if mantissa == "1" else mantissa + "\u00b7") + f"10<sup>\u2212{-int(exponent)}</sup>"
    assert said["swing"] == (f"After 20 steps 0.6101\u00a0J, from 0.500\u00a0J, to {power}; "
                             f"\u2212{-100 * least:.2g}\u00a0% and \u2212{-least:.3g}."), said
    assert gallery("plain.yaml").returncode == 0


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
    os.chdir("/")
