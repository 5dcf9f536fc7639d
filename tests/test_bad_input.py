"""Scenes that are wrong get one sentence with its place, a code that is not 0, and leave nothing."""

import os
import re

from bad_input import SANITIZED, fail, lilyan, check_sentence, run

# both read a scene in the same way; under sanitizers one of them is enough
COMMANDS = [["run", "scene.yaml", "-o", "out.h5"]] + ([] if SANITIZED else [["info", "scene.yaml"]])

# ---- scenes ----

# what the cases below leave out
DEFAULTS = {
    "lagrangian": "lagrangian: 1/2*dx^2 - 1/2*x^2",
    "start": "start: {x: 1}",
    "time": "time: {step: 0.1, until: 1}",
}


def complete(text):
    """The case's lines first, so that its places are easy to count; then what a scene needs besides."""
    keys = {line.split(":")[0] for line in text.splitlines()}
    return text + "".join(line + "\n" for key, line in DEFAULTS.items() if key not in keys)


# name, text, line:column, piece of the sentence; completed by DEFAULTS
SCENES = [
    # keys
    ("unknown key", "lagrangain: 1\n", "1:1", "unknown key 'lagrangain' in the scene (did you mean 'lagrangian'?)"),
    ("unknown key, nothing near", "zebra: 1\n", "1:1", "unknown key 'zebra' in the scene"),
    ("key of time", "time: {stpe: 0.1, until: 1}\n", "1:8", "unknown key 'stpe' in time (did you mean 'step'?)"),
    ("key of the integrator", "integrator: {method: hamilton-pontryagin, alhpa: 0.5}\n", "1:43",
     "did you mean 'alpha'?"),
    ("key that another integrator has", "integrator: {method: midpoint, alpha: 0.5}\n", "1:32",
     "unknown key 'alpha' in midpoint"),
    ("key of the solver", "solver: {tolerence: 1e-9}\n", "1:10", "did you mean 'tolerance'?"),
    ("key of record", "record: {pfs: 10}\n", "1:10", "did you mean 'fps'?"),
    ("key of observe", "observe: {E: {vlaue: x, invariant: true}}\n", "1:15", "did you mean 'value'?"),
    ("key of draw", "draw: {point: {}}\n", "1:8", "did you mean 'points'?"),
    ("key of force", "force: {y: 1}\n", "1:9", "unknown key 'y' in force"),
    ("key of a variant", "variants:\n  a: {tiem: {step: 1}}\n", None, None),  # said when the variant runs
    ("the same key twice", "start: {x: 1}\nstart: {x: 2}\n", "2:1", "the key 'start' is given twice"),
    ("the same key twice inside", "start: {x: 1, dx: 2, x: 2}\n", "1:22", "the key 'x' is given twice"),
    ("no until", "time: {step: 0.1}\n", "1:7", "time has no 'until'"),
    ("no step", "time: {until: 1}\n", "1:7", "time has no 'step'"),
    ("no method", "integrator: {alpha: 0.5}\n", "1:13", "no 'method'"),
    ("no value", "observe: {E: {invariant: true}}\n", "1:14", "observe.E has no 'value'"),
    ("no points", "draw: {links: []}\n", "1:7", "draw has no 'points'"),
    # types
    ("time is a number", "time: 1\n", "1:7", "'time' must be a map, not a value"),
    ("start is a list", "start: [1]\n", "1:8", "'start' must be a map, not a list"),
    ("start is empty", "start: {}\n", "1:8", "nothing can move"),
    ("start without anything", "start:\n", "1:7", "'start' must be a map"),
    ("lagrangian is a map", "lagrangian: {T: 1}\n", "1:13", "'lagrangian' must be a value, not a map"),
    ("lagrangian is empty", 'lagrangian: ""\n', "1:14", "nothing stands in lagrangian"),
    ("parameters is a list", "parameters: [1]\n", "1:13", "'parameters' must be a map"),
    ("a parameter is a map", "parameters: {m: {a: 1}}\n", "1:17", "parameter 'm' must be a number or a list"),
    ("a parameter is empty", "parameters: {m: }\n", "1:17", "nothing stands in parameter 'm'"),
    ("a list in a list", "parameters: {m: [1, [2]]}\n", "1:21", "must be a value, not a list"),
    ("step is a list", "time: {step: [1], until: 1}\n", "1:14", "'step' must be a value, not a list"),
    ("step is a word", "time: {step: soon, until: 1}\n", "1:14", "unknown name 'soon' in step"),
    ("integrator is a list", "integrator: [midpoint]\n", "1:13", "'integrator' must be a value"),
    ("variants is a list", "variants: [a]\n", "1:11", "'variants' must be a map"),
    ("a variant is a number", "variants: {a: 1}\n", "1:15", "'a' must be a map"),
    ("a variant's name", "variants: {a/b: {}}\n", "1:12", "'a/b' cannot"),
    ("record is a number", "record: 5\n", "1:9", "'record' must be a map"),
    ("observe is a list", "observe: [x]\n", "1:10", "'observe' must be a map"),
    ("draw is a value", "draw: x\n", "1:7", "'draw' must be a map"),
    ("force is a value", "force: x\n", "1:8", "'force' must be a map"),
    ("invariant: maybe", "observe: {E: {value: x, invariant: maybe}}\n", "1:36", "must be true or false, not 'maybe'"),
    # YAML
    ("a key that is a map", "{a: 1}: 2\n", "1:1", "a key must be a plain name"),
    ("a key that is a list", "? [a]\n: 2\n", "1:3", "a key must be a plain name"),
    ("an alias", "start: {x: &a 1, y: *a}\n", "1:21", "aliases"),
    ("an alias for a product", "parameters: {m: *k}\n", "1:17", "aliases (*name) are not used in scenes"),
    ("several documents", "---\nx: 1\n---\ny: 2\n", "3:1", "a scene must be one YAML document"),
    ("a tab", "time:\n\tstep: 0.1\n", "2:1", "not valid YAML"),
    ("an open brace", "start: {x: 1\n", None, "not valid YAML"),
    ("an open quote", 'lagrangian: "1/2*dx^2\n', None, "not valid YAML"),
    ("a torn list", "parameters: {m: [1, 2}\n", "1:22", "not valid YAML"),
    ("a broken indent", "time:\n  step: 1\n until: 2\n", "3:2", "not valid YAML"),
    # expressions
    ("unbalanced (", "lagrangian: 1/2*(dx^2 - x\n", "1:17", "unbalanced '('"),
    ("unbalanced )", "lagrangian: 1/2*dx^2) - x\n", "1:21", "unbalanced ')'"),
    ("unbalanced [", "lagrangian: 1/2*dx^2 - w[1\n", "1:25", "unbalanced '['"),
    ("unknown name", "lagrangian: 1/2*m*dx^2\n", "1:17", "unknown name 'm' in lagrangian"),
    ("unknown name with a neighbour", "parameters: {mass: 1}\nlagrangian: 1/2*maas*dx^2\n", "2:17",
     "did you mean 'mass'?"),
    ("unknown function", "lagrangian: 1/2*dx^2 + cso(x)\n", "1:24", "unknown function 'cso' (did you mean 'cos'?)"),
    ("two operators", "lagrangian: 1/2**dx\n", "1:16", "a^b, not a**b"),
    ("no operator", "lagrangian: 1/2 dx^2\n", "1:17", "an operator is missing before 'dx'"),
    ("2x", "lagrangian: 1/2*dx^2 - 2x\n", "1:25", "write 2*x, not 2x"),
    ("ends early", "lagrangian: 1/2*dx^2 -\n", "1:23", "ends too early"),
    ("not ASCII", "lagrangian: ½*dx^2\n", "1:13", "not ASCII"),
    ("hexadecimal", "lagrangian: 0x10*dx^2\n", "1:13", "must be decimal"),
    ("one argument too few", "lagrangian: dx^2 + atan2(x)\n", "1:20", "atan2 takes two arguments"),
    ("one argument too many", "lagrangian: dx^2 + sin(x, x)\n", "1:25", "sin takes one argument"),
    ("a sum of three arguments", "lagrangian: sum(i, 1, 3)\n", "1:13", "take four arguments"),
    ("a list where a number stands", 'time: {step: "list(i, 1, 2, i)", until: 1}\n', "1:15",
     "list(...) can only be a whole expression"),
    ("second line of a text", "lagrangian: >-\n  1/2*dx^2\n  - m*x\n", "1:13", "unknown name 'm' in lagrangian"),
    ("quoted", 'lagrangian: "1/2*m*dx^2"\n', "1:18", "unknown name 'm'"),
    ("torn by a comma", "start: {x: max(1, 2)}\n", "1:19", "must be quoted"),
    ("torn by a comma, the value", "lagrangian: 1/2*dx^2\nobserve: {r: atan2(x, 1)}\n", "2:14", "must be quoted"),
    ("torn in parameters", "parameters: {a: min(1, 2), b: 3}\n", "1:24", "must be quoted"),
    ("torn in a field", "time: {step: max(0.1, 0.2), until: 1}\n", None, "must be quoted"),
    ("torn in draw", "draw: {points: {p: [atan2(x, 1), 0, 0]}}\n", None, "must be quoted"),
    ("x[1] inside { }", "start: {x: [1, 2], y: x[1]}\n", "1:24", "must be quoted"),
    ("w[1] inside { }", "parameters: {w: [1, 2], a: w[1]}\n", "1:29", "must be quoted"),
    ("200 brackets", "lagrangian: " + "(" * 250 + "dx" + ")" * 250 + "\n", "1:213", "nested too deep"),
    ("200 minus signs", "lagrangian: " + "-" * 1000 + "dx\n", None, "nested too deep"),
    ("a long row", "lagrangian: dx^2" + "+x" * 100000 + "\n", None, "too many operations in a row"),
    ("a billion terms", "lagrangian: dx^2 + sum(i, 1, 1e9, x)\n", "1:30", "must be a known whole number"),
    ("900 million terms", "lagrangian: dx^2 + sum(i, 1, 9e8, x)\n", "1:20", "more than a million terms"),
    ("a million times a million", "lagrangian: dx^2 + sum(i, 1, 1e6, sum(j, 1, 1e6, 1))\n", None, "more than 10 million"),
    ("sums 20 deep", "lagrangian: dx^2 + " + "".join(f"sum(i{k}, 1, 2, " for k in range(20)) + "1" + ")" * 20 + "\n",
     None, "sums nested too deep"),
    ("a sum up to x", "lagrangian: dx^2 + sum(i, 1, x, i)\n", "1:30", "must be a known whole number"),
    ("a sum up to 1.5", "lagrangian: dx^2 + sum(i, 1, 1.5, i)\n", "1:30", "must be a known whole number"),
    ("too many operations", "lagrangian: dx^2 + sum(i, 1, 1e6, sin(i*x)*cos(i*x)*exp(i*x))\n", None, "more than"),
    ("many long sums", "start: {x: [" + '"sum(i, 1, 1000000, i)", ' * 100 + "1]}\n", None, "more than 10 million"),
    ("many names", "parameters:\n" + "".join(f"  p{k}: 1\n" for k in range(1999)) + "lagrangian: "
     + "+".join(["(" + "+".join(["p1998"] * 1500) + ")"] * 100) + "\n", "2001:13", "'x' has no inertia"),
    # names
    ("a parameter in a circle", "parameters: {a: b, b: a}\n", "1:23", "the parameter 'a' depends on itself, through 'b'"),
    ("a parameter of itself", "parameters: {a: a + 1}\n", "1:17", "the parameter 'a' depends on itself"),
    ("a circle of 300", "parameters:\n" + "".join(f"  p{k}: p{(k + 1) % 300}\n" for k in range(300)), "301:9",
     "the parameter 'p0' depends on itself, through 'p299'"),
    ("a deep row of long parameters",
     "parameters:\n" + "".join(f"  p{k}: p{k + 1}" + "+1" * 3900 + "\n" for k in range(1500)), "1501:10",
     "unknown name 'p1500'"),
    ("a parameter called t", "parameters: {t: 1}\n", "1:14", "'t' is reserved and cannot name "),
    ("a coordinate called pi", "start: {pi: 1}\n", "1:9", "'pi' is reserved and cannot name "),
    ("a coordinate called sin", "start: {sin: 1}\n", "1:9", "'sin' is reserved and cannot name "),
    ("a coordinate like a parameter", "parameters: {x: 1}\n", None, "the name of the coordinate 'x' is used twice"),
    ("a velocity like a parameter", "parameters: {dx: 1}\n", None, "the name of the velocity 'dx' is used twice"),
    ("a name with a dash", "start: {my-x: 1}\n", "1:9", "'my-x' cannot name a coordinate"),
    ("a name with a digit first", "parameters: {2m: 1}\n", "1:14", "'2m' cannot name a parameter"),
    ("an empty name", 'parameters: {"": 1}\n', "1:14", "cannot name a parameter"),
    ("a name with a line break", 'parameters: {"a\\nb": 1}\n', "1:14", "cannot name a parameter"),
    ("a long name", "parameters: {" + "m" * 300 + ": 1}\n", "1:14", "cannot name a parameter"),
    ("keys of d", "start:\n" + "".join(f"  {'d' * k}: 1\n" for k in range(1, 1000)), None, "acceleration"),
    ("too many keys", "start:\n" + "".join(f"  x{k}: 1\n" for k in range(3000)), "2002:3", "more than 2,000 keys"),
    ("a coordinate without a start", "lagrangian: 1/2*dx^2 + 1/2*dy^2\n", "1:28",
     "unknown name 'dy'"),
    ("a coordinate without a start, named", "lagrangian: 1/2*dx^2 + 1/2*dy^2 - y\n", "1:28",
     "the lagrangian has 'y' and its velocity 'dy', but start has no value for it"),
    ("a velocity without a coordinate", "lagrangian: 1/2*dx^2 - x^2\nstart: {dx: 1}\n", "2:9", "no value for 'x'"),
    ("an acceleration", "start: {x: 1, dx: 1, ddx: 1}\n", "1:22", "acceleration"),
    ("a quantity's name", "observe: {a/b: x}\n", "1:11", "'a/b' cannot name a quantity"),
    ("a point called origin", "draw: {points: {origin: [0, 0, 0]}}\n", "1:17", "'origin' exists already"),
    # lists
    ("lists of two lengths", "start: {x: [1, 2], dx: [1, 2, 3]}\n", "1:24", "start.dx has 3 entries, but 'x' has 2"),
    ("a number for a list", "start: {x: [1, 2], dx: 1}\n", "1:24", "start.dx has 1 entries, but 'x' has 2"),
    ("a list for a number", "start: {x: 1, dx: [1]}\n", "1:19", "start.dx"),
    ("an empty list", "start: {x: []}\n", "1:12", "empty list"),
    ("a force of another length", "lagrangian: sum(i, 1, 2, 1/2*dx[i]^2)\nstart: {x: [1, 2]}\nforce: {x: [1]}\n", "3:12",
     "force.x must have as many entries as 'x': 2"),
    ("a force list of another length",
     'lagrangian: sum(i, 1, 2, 1/2*dx[i]^2)\nstart: {x: [1, 2]}\nforce: {x: "list(i, 1, 3, i)"}\n', "3:13",
     "force.x has 3 entries, but the coordinate has 2"),
    ("an index too large", "parameters: {w: [1, 2]}\nlagrangian: w[3]*dx^2\n", "2:13", "'w[3]': the list has 2 entries"),
    ("an index of 0", "parameters: {w: [1, 2]}\nlagrangian: w[0]*dx^2\n", "2:13", "'w[0]': the list has 2 entries"),
    ("an index of 1.5", "parameters: {w: [1, 2]}\nlagrangian: w[1.5]*dx^2\n", "2:15", "must be a known whole number"),
    ("an index of x", "parameters: {w: [1, 2]}\nlagrangian: w[x]*dx^2\n", "2:15", "must be a known whole number"),
    ("a list without an index", "parameters: {w: [1, 2]}\nlagrangian: w*dx^2\n", "2:13", "a list needs an index"),
    ("an index without a list", "lagrangian: x[1]*dx^2\n", "1:13", "not a list"),
    ("too many coordinates", 'start: {x: "list(i, 1, 1e6, i)", y: "list(i, 1, 1e6, i)"}\n', None, "more than 1000000"),
    # values that are not finite
    ("0/0", "start: {x: 0/0}\n", "1:12", "start.x '0/0' is not a finite number"),
    ("log(-1)", "start: {x: log(-1)}\n", "1:12", "is not a finite number"),
    ("1e999", "start: {x: 1e999}\n", "1:12", "a number is too large"),
    ("nan", "start: {x: nan}\n", "1:12", "unknown name 'nan'"),
    (".nan", "start: {x: .nan}\n", "1:12", "unexpected '.'"),
    ("inf", "parameters: {m: inf}\n", "1:17", "unknown name 'inf'"),
    ("-.inf", "parameters: {m: -.inf}\n", "1:18", "unexpected '.'"),
    ("a parameter of 1/0", "parameters: {m: 1/0}\n", "1:17", "parameter 'm' '1/0' is not a finite number"),
    ("a step of 0/0", "time: {step: 0/0, until: 1}\n", "1:14", "not a finite number"),
    ("a constant of 1/0", "lagrangian: 1/2*dx^2 - x/0\n", "1:25", "division by zero in lagrangian"),
    ("overflow in a constant", "lagrangian: 1/2*dx^2 - 1e300*1e300*x\n", "1:29", "overflow in lagrangian"),
    # time
    ("h = 0", "time: {step: 0, until: 1}\n", "1:14", "'step' must be positive, not 0"),
    ("h < 0", "time: {step: -0.1, until: 1}\n", "1:14", "'step' must be positive, not -0.1"),
    ("h = 1e308", "time: {step: 1e308, until: 1e308}\n", "1:14", "'step'"),
    ("h > until", "time: {step: 10, until: 1}\n", "1:25", "is less than one step of"),
    ("until is no multiple", "time: {step: 0.3, until: 1}\n", "1:26",
     "until = 1 is not a multiple of the step 0.3: the nearest is 0.9"),
    ("until before the start", "time: {start: 5, step: 0.1, until: 1}\n", "1:36", "after the start at 5"),
    ("until is the start", "time: {step: 0.1, until: 0}\n", "1:26", "is less than one step of"),
    ("too many steps", "time: {step: 1e-300, until: 1}\n", "1:29", "too many"),
    ("a time that cannot move", "time: {start: 1e17, step: 1, until: 1e17 + 1000}\n", "1:27", "too small to change a time of 1.0000"),
    ("halvings of 41", "time: {step: 0.1, until: 1, halvings: 41}\n", "1:39", "between 0 and 40"),
    ("halvings of 1.5", "time: {step: 0.1, until: 1, halvings: 1.5}\n", "1:39", "whole number"),
    # integrator, solver, record
    ("unknown integrator", "integrator: midpiont\n", "1:13", "unknown integrator 'midpiont' (did you mean 'midpoint'?)"),
    ("unknown integrator, nothing near", "integrator: zebra\n", "1:13", "unknown integrator 'zebra': there are "),
    ("asynchronous without elements", "integrator: asynchronous\n", "1:13",
     "asynchronous gives each tet and each spring its own step, but there are none: use stormer-verlet"),
    ("alpha of 2", "integrator: {method: hamilton-pontryagin, alpha: 2}\n", "1:50", "between 0 and 1, not 2"),
    ("alpha of -1", "integrator: {method: hamilton-pontryagin, alpha: -1}\n", "1:50", "between 0 and 1, not -1"),
    ("alpha is a list", "integrator: {method: hamilton-pontryagin, alpha: [1]}\n", "1:50", "must be a value, not a list"),
    ("weights that do not add up", "integrator: {method: hamilton-pontryagin, nodes: [0, 1], weights: [0.5, 0.6]}\n",
     "1:13", "weights"),
    ("nodes without weights", "integrator: {method: hamilton-pontryagin, nodes: [0, 1]}\n", "1:13", "weights"),
    ("more nodes than weights", "integrator: {method: hamilton-pontryagin, nodes: [0, 0.5, 1], weights: [1/2, 1/2]}\n",
     "1:13", "weights"),
    ("17 nodes", "integrator: {method: hamilton-pontryagin, nodes: [" + ", ".join(["0"] * 17) + "]}\n", "1:50",
     "at most 16"),
    ("no iteration", "solver: {iterations: 0}\n", "1:22", "between 1 and 100000, not 0"),
    ("no tolerance", "solver: {tolerance: 0}\n", "1:21", "between 1e-16 and 0.1, not 0"),
    ("unknown solver", "solver: newton\n", "1:9", "must be one of auto, minimise, root, not 'newton'"),
    ("both keys of record", "record: {fps: 10, every: 1}\n", "1:9", "'fps' or 'every', not both"),
    ("every 0", "record: {every: 0}\n", "1:17", "'every'"),
    ("every 1.5", "record: {every: 1.5}\n", "1:17", "whole number"),
    ("more frames than steps", "record: {fps: 1000}\n", "1:15", "more than the 10 steps per second"),
    # draw
    ("a point of two entries", "draw: {points: {p: [x, 0]}}\n", "1:20", "needs x, y and z, not 2 entries"),
    ("a point that is a number", "draw: {points: {p: x}}\n", "1:20", "must be a list"),
    ("a link to nowhere", "draw: {points: {bob: [x, 0, 0]}, links: [[origin, bbo]]}\n", "1:51",
     "no point is called 'bbo' (did you mean 'bob'?)"),
    ("a link of three", "draw: {points: {bob: [x, 0, 0]}, links: [[origin, bob, bob]]}\n", "1:42", "joins two points"),
    # at the start
    ("no velocity in L", "lagrangian: -x^2\n", "1:13", "'x' has no inertia"),
    ("a coordinate without a mass", "lagrangian: 1/2*dx^2\nstart: {x: 1, y: 1}\n", "1:13", "'y' has no inertia"),
    ("a mass of 0", "parameters: {m: 0}\nlagrangian: 1/2*m*dx^2 - x^2\n", "2:13", "'x' has no inertia"),
    ("a singular mass", "lagrangian: 1/2*(dx + dy)^2 - x^2\nstart: {x: 1, y: 0}\n", "1:13", "singular"),
    ("L linear in v", "lagrangian: x*dx - x^2\n", "1:13", "singular"),
    ("1/x at 0", "lagrangian: 1/2*dx^2 + 1/x\nstart: {x: 0}\n", "1:25", "division by zero in lagrangian, at the start"),
    ("sqrt(-1) at the start", "lagrangian: 1/2*dx^2 - sqrt(x - 2)\n", "1:24", "square root of a negative number"),
    ("log(0) at the start", "lagrangian: 1/2*dx^2 - log(x)\nstart: {x: 0}\n", "1:24", "logarithm of zero"),
    ("overflow at the start", "lagrangian: 1/2*dx^2 - exp(x)\nstart: {x: 1e4}\n", "1:24", "overflow in lagrangian"),
    ("a quantity of 1/0 at the start", "observe: {r: 1/(x - 1)}\n", "1:15", "division by zero in observe.r, at t = 0"),
    ("a point of 1/0 at the start", "draw: {points: {p: [0, 1/(x - 1), 0]}}\n", "1:25",
     "division by zero in draw.points.p, at t = 0"),
]

# the same, not completed: the whole file
WHOLE = [
    ("an empty file", b"", "1:1", "the scene is empty"),
    ("only comments", b"# nothing\n\n# more\n", None, "the scene is empty"),
    ("a list at the top", b"- a\n- b\n", "1:1", "a scene is a map of keys"),
    ("a word at the top", b"pendulum\n", "1:1", "a scene is a map of keys"),
    ("an empty map", b"{}\n", "1:1", "the scene needs 'time', or 'keys' and a 'shot'"),
    ("no lagrangian", b"start: {x: 1}\ntime: {step: 0.1, until: 1}\n", "1:1", "the scene has no 'lagrangian'"),
    ("no start", b"lagrangian: dx^2\ntime: {step: 0.1, until: 1}\n", "1:1", "the scene has no 'start'"),
    ("no time", b"lagrangian: dx^2\nstart: {x: 1}\n", "1:1", "the scene needs 'time', or 'keys' and a 'shot'"),
    ("binary", bytes(range(256)) * 100, "1:1", "not a text file"),
    ("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, "not a text file"),
    ("zero bytes", b"lagrangian: dx^2\nstart: \0\0\n", "2:8", "a zero byte"),
    ("UTF-16", "lagrangian: dx^2\n".encode("utf-16"), "1:4", "not a text file in UTF-8"),
    ("Latin-1", "# Störmer\n".encode("latin-1"), "1:6", "not a text file in UTF-8"),
    ("a control character", b"lagrangian: dx\x07\n", "1:15", "not a text file"),
    ("60 lists in lists", b"start: " + b"[" * 60 + b"]" * 60, "1:57", "nested too deep"),
    ("60 maps in maps", b"{a: " * 60 + b"1" + b"}" * 60, None, "nested too deep"),
    ("a million brackets", b"[" * 1000000, "1:51", "nested too deep"),
    ("a million braces", b"{" * 1000000, "1:2", "a key must be a plain name"),
    ("a million dashes", b"- " * 1000000, "1:101", "nested too deep"),
    ("a million question marks", b"? " * 1000000, None, ""),
    ("a million round brackets", b"lagrangian: " + b"(" * 1000000 + b"\nstart: {x: 1}\ntime: {step: 1, until: 1}\n", "1:213", "nested too deep"),
    ("a million commas", b"start: [" + b"," * 1000000 + b"]\n", "1:9", "not valid YAML"),
    ("three million values", b"start: [" + b"0," * 3000000 + b"0]\n", None, "more than"),
    ("many big maps", b"start:\n" + b"".join(b" - {" + b"".join(b"a%d: ," % k for k in range(1999)) + b"}\n"
                                             for _ in range(200)), None, ""),
    ("a long word", b"a" * 10000000, "1:1", "a scene is a map of keys"),
    ("20 MB", b"# a comment\n" * 1800000, None, "at most 16 MB"),
]

# a run that begins well and fails: name, scene, place, piece of the sentence
RUNS = [
    ("into a singularity", "lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\nstart: {x: 1, y: 0, dx: -1}\n"
     "time: {step: 1, until: 10, halvings: 0}\nintegrator: explicit-euler\n", "1:34", "division by zero in lagrangian, at t = "),
    ("into a logarithm", "lagrangian: 1/2*dx^2 - log(x)\nstart: {x: 1}\ntime: {step: 0.01, until: 10}\n"
     "integrator: symplectic-euler\n", "1:24", "logarithm of a negative number in lagrangian, at t = "),
    ("into a logarithm, implicit", "lagrangian: 1/2*dx^2 - log(x)\nstart: {x: 1, dx: -9}\n"
     "time: {step: 0.5, until: 10}\nintegrator: implicit-euler\nsolver: root\n", None, "at t = "),
    ("a force of 1/0 at the start", "lagrangian: 1/2*dx^2\nstart: {x: 1}\ntime: {step: 0.1, until: 1}\n"
     "force: {x: 1/(x - 1)}\n", "4:13", "division by zero in force.x, at t = 0"),
    ("a square root that ends", "lagrangian: 1/2*dx^2 + sqrt(x)\nstart: {x: 1, dx: -3}\ntime: {step: 0.1, until: 10}\n"
     "integrator: symplectic-euler\n", "1:24", "square root of a negative number in lagrangian, at t = "),
    ("overflow", "lagrangian: 1/2*dx^2 - x^4\nstart: {x: 10}\ntime: {step: 10, until: 1000}\nintegrator: explicit-euler\n",
     None, "at t = "),
    ("a solver that cannot converge", "lagrangian: 1/2*dx^2 + 3*cos(x)\nstart: {x: 2}\ntime: {step: 0.5, until: 5, halvings: 0}\n"
     "integrator: midpoint\nsolver: {iterations: 1, tolerance: 1e-16}\n", None, "the step at t = 0 fails"),
    ("a division by zero on the way", "lagrangian: 1/2*dx^2\nstart: {x: 1, dx: -1}\ntime: {step: 0.25, until: 10}\n"
     "observe: {inverse: 1/x}\n", "4:21", "division by zero in observe.inverse, at t = 1"),
    ("a point that vanishes on the way", "lagrangian: 1/2*dx^2\nstart: {x: 1, dx: -1}\ntime: {step: 0.25, until: 10}\n"
     "draw: {points: {p: [0, 0, log(x)]}}\n", "4:27", "logarithm of zero in draw.points.p, at t = 1"),
    ("a force that ends", "lagrangian: 1/2*dx^2\nstart: {x: 0, dx: 1}\ntime: {step: 0.25, until: 10}\n"
     "force: {x: sqrt(1 - t)}\nintegrator: symplectic-euler\n", "4:12", "square root of a negative number in force.x"),
]


# These reach the limits of size, in a second or two: through `lilyan run` alone, and not where sanitizers make minutes of it.
LARGE = {"a million times a million", "too many operations", "many long sums", "too many coordinates"}


def check_scenes(folder):
    output = os.path.join(folder, "out.h5")
    cases = [(n, complete(t).encode(), place, piece) for n, t, place, piece in SCENES if piece is not None]
    for name, text, place, piece in cases + WHOLE:
        if SANITIZED and name in LARGE:
            continue
        with open(os.path.join(folder, "scene.yaml"), "wb") as file:
            file.write(text)
        for command in COMMANDS:
            if command[0] == "info" and (name in LARGE or len(text) >= 1000000):
                continue
            code, out, error, seconds = lilyan(*command, cwd=folder)
            check_sentence(f"{command[0]}: {name}", code, error, place and f"scene.yaml:{place}", piece)
            if not error.startswith("lilyan: scene.yaml:"):
                fail(f"{command[0]}: {name}", f"does not begin with the file: {error!r}")
            if out:
                fail(f"{command[0]}: {name}", f"something on stdout: {out!r}")
            if seconds > 8 and not SANITIZED:  # a second or two where nothing else runs
                fail(f"{command[0]}: {name}", f"took {seconds:.1f} s")
        if os.path.exists(output):
            fail(name, "left an output")
            os.remove(output)


def check_runs(folder):
    for name, text, place, piece in RUNS + BODY_RUNS:
        with open(os.path.join(folder, "scene.yaml"), "w") as file:
            file.write(text)
        code, out, error, _ = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", cwd=folder)
        check_sentence(name, code, error, place and f"scene.yaml:{place}", piece, lines=2)
        if out:
            fail(name, f"something on stdout: {out!r}")
        code, out, error, _ = lilyan("info", "out.h5", cwd=folder)
        if code != 0 or b"failed: " not in out:
            fail(name, f"what was kept is not marked as failed: {out!r} {error!r}")
        code, out, error, _ = lilyan("export", "out.h5", "--to", "csv", "-o", "-", cwd=folder)
        if code != 0 or re.search(rb"nan|inf\b", out):
            fail(name, f"what was kept cannot be exported, or is not finite: {error!r}")
        code, out, error, _ = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--json", cwd=folder)
        check_sentence(f"{name}, --json", code, error, place and f"scene.yaml:{place}", piece, lines=2)
        os.remove(os.path.join(folder, "out.h5"))


# ---- bodies ----

# a body of one cell is completed by shape, material and time; what is given stands first. name, text of the body, column
# (all in line 1, behind "bodies: {b: {"), piece of the sentence
BOX = "shape: {type: box, cells: [1, 1, 1]}"
BODIES = [
    # keys and names
    ("unknown key", "fixd: left", 14, "unknown key 'fixd' in a body (did you mean 'fixed'?)"),
    ("unknown key, nothing near", "flavour: red", 14, "unknown key 'flavour' in a body"),
    ("unknown key of a start", "start: {flavour: red}", 22, "unknown key 'flavour' in start of a body: there are position, velocity"),
    ("mesh and shape", BOX + ", mesh: a.msh", 10, "the body 'b' has both 'mesh' and 'shape': it needs one"),
    ("mesh and surface", "surface: a.obj, mesh: a.msh", 10, "the body 'b' has both 'mesh' and 'surface': it needs one"),
    ("vertices of a shape", BOX + ", vertices: 100", 52, "'vertices' sets how a 'surface' is filled with tets, but this body has no 'surface'"),
    # surfaces
    ("a surface that is missing", "surface: none.obj", 23, "none.obj: cannot be opened: No such file"),
    ("a surface that is missing, from somewhere", "surface: none.obj, source: scripts/get-none.sh", 23,
     "none.obj: does not exist; get it from scripts/get-none.sh"),
    ("a surface that is none", "surface: scene.yaml", 23, "scene.yaml: surfaces end in .obj, .stl or .ply"),
    ("a surface that is a mesh", "surface: none.msh", 23, "none.msh: surfaces end in .obj, .stl or .ply"),
    ("a surface of words", "surface: words.obj", 23, "words.obj"),
    ("a flat surface", "surface: flat.obj", 23, "flat.obj"),
    ("a surface in a list", "surface: [a.obj]", 23, "'surface' must be a value"),
    ("vertices and edge", "surface: tet.obj, vertices: 100, edge: 0.1", 47, "a surface is filled by 'vertices' or by 'edge', not both"),
    ("three vertices", "surface: tet.obj, vertices: 3", 23, "vertices"),
    ("no vertices", "surface: tet.obj, vertices: 0", 42, "'vertices' must be positive and finite, not 0"),
    ("vertices and a half", "surface: tet.obj, vertices: 100.5", 42, "'vertices' must be a whole number up to 2147483647, not 100.5"),
    ("vertices of 1e12", "surface: tet.obj, vertices: 1e12", 42, "'vertices' must be a whole number up to 2147483647, not 1e+12"),
    ("an edge below 0", "surface: tet.obj, edge: -0.1", 38, "'edge' must be positive and finite, not -0.1"),
    ("an edge of 0/0", "surface: tet.obj, edge: 0/0", 38, "is not a finite number"),
    ("an edge longer than all", "surface: tet.obj, edge: 100", 23, "edge"),
    ("a thickness of 0", "surface: tet.obj, thickness: 0", 43, "'thickness' must be positive and finite, not 0"),
    ("a formula without a box", "surface: {inside: 1 - x^2}", 23, "surface has no 'box'"),
    ("a formula without inside", "surface: {box: [[0, 0, 0], [1, 1, 1]]}", 23, "surface has no 'inside'"),
    ("a formula of t", "surface: {inside: t, box: [[0, 0, 0], [1, 1, 1]]}", 32, "unknown name 't'"),
    ("a formula that is nowhere positive", "surface: {inside: -1, box: [[0, 0, 0], [1, 1, 1]]}", 23,
     "inside: is positive nowhere in the box"),
    ("a formula that the box cuts off", "surface: {inside: 1 - x^2, box: [[0, 0, 0], [1, 1, 1]]}", 23,
     "inside: the box cuts it off: the point [0, 0, 0] on its boundary is still inside"),
    ("a formula that is not finite", "surface: {inside: 1/x, box: [[0, 0, 0], [1, 1, 1]]}", 23, "inside: is not finite at [0, 0, 0]"),
    ("a flat box", "surface: {inside: 1 - x^2, box: [[0, 0, 0], [1, 0, 1]]}", 23, "inside: the box is flat"),
    ("a formula with a cell", "surface: {inside: 1 - x^2, box: [[0, 0, 0], [1, 1, 1]], cells: 1}", 77,
     "'cells' must be a whole number from 2 to 200, not 1"),
    ("a formula with a key", "surface: {insde: 1 - x^2}", 24, "unknown key 'insde' in surface (did you mean 'inside'?)"),
    ("a group with a dash", "groups: {a-b: left}", 23, "'a-b' cannot name a group"),
    ("a group called sin", "groups: {sin: left}", 23, "'sin' is reserved and cannot name "),
    ("a group called origin", "groups: {origin: left}", 23, "'origin' is reserved and cannot name "),
    ("a group called like the body", "groups: {b: left}", 23, "the name 'b' is used twice"),
    ("a group called like a velocity", "groups: {db: left}", 23, "the name 'db' is used twice"),
    ("a group of itself", "groups: {g: g}", 26, "there is no group 'g' in box: there are left, right"),
    ("a group before it is named", "groups: {g: h, h: left}", 26, "there is no group 'h'"),
    ("groups is a list", "groups: [left]", 22, "'groups' must be a map, not a list"),
    # shapes and where they are put
    ("unknown shape", "shape: bax", 21, "unknown shape 'bax' (did you mean 'bar'?)"),
    ("unknown shape, nothing near", "shape: zebra", 21, "unknown shape 'zebra': there are bar, box, ball, cylinder, torus"),
    ("key of a shape", "shape: {type: box, cels: [1, 1, 1]}", 33, "unknown key 'cels' in box (did you mean 'cells'?)"),
    ("key of another shape", "shape: {type: ball, size: [1, 1, 1]}", 34, "unknown key 'size' in ball"),
    ("a shape without a type", "shape: {cells: [1, 1, 1]}", 21, "the shape has no 'type'"),
    ("a shape that is a list", "shape: [box]", 21, "'shape' must be a value"),
    ("cells of 0", "shape: {type: box, cells: [0, 1, 1]}", 40, "'cells' must be between 1 and 1e+07, not 0"),
    ("cells of 1.5", "shape: {type: box, cells: [1.5, 1, 1]}", 21, "'cells' must be whole numbers from 1, not 1.5"),
    ("two cells", "shape: {type: box, cells: [1, 1]}", 21, "'cells' must have 3 numbers, not 2"),
    ("cells of 1e300", "shape: {type: box, cells: [1e300, 1, 1]}", 40, "not 1e+300"),
    ("a billion cells", "shape: {type: box, cells: [1000, 1000, 1000]}", 21, "more than"),
    ("a ball of a million cells", "shape: {type: ball, cells: 1e6}", 41, "not 1000000"),
    ("size of 0", "shape: {type: box, size: [0, 1, 1]}", 39, "'size' must be between"),
    ("size of -1", "shape: {type: box, size: [-1, 1, 1]}", 39, "not -1"),
    ("size of 1e300", "shape: {type: box, size: [1e300, 1, 1]}", 39, "not 1e+300"),
    ("a torus without a hole", "shape: {type: torus, major: 1, minor: 2}", 21, "'minor' is 2, but must be less than 'major', 1"),
    ("refine is a number", "refine: 3", 22, "'refine' must be a map"),
    ("refine without an edge", "refine: {centre: [0, 0, 0]}", 22, "refine has no 'edge': largest edge length within `radius`"),
    ("refine without a centre", "refine: {edge: 0.1}", 22, "refine has no 'centre': the point around which tets are smallest"),
    ("a key of refine", "refine: {center: [0, 0, 0], edge: 0.1}", 23, "unknown key 'center' in refine (did you mean 'centre'?)"),
    ("refine to edges of 0", "refine: {centre: [0, 0, 0], edge: 0}", 48, "'edge' must be between"),
    ("refine that shrinks", "refine: {centre: [0, 0, 0], edge: 1, growth: -1}", 59, "'growth' must be between 0 and 1e+06, not -1"),
    ("at of two", "at: [1, 2]", 18, "'at' must have 3 numbers, not 2"),
    ("at of 0/0", "at: [0/0, 0, 0]", 19, "is not a finite number"),
    ("too far out", "at: [1e18, 0, 0]", 18, "placed like this, tet 0 of 'b' has a volume of 0 m^3"),
    ("much too far out", "at: [1e300, 0, 0]", 18, "placed like this"),
    ("rotate of one", "rotate: 90", 22, "'rotate' must have 3 numbers, not 1"),
    ("scale of 0", "scale: 0", 21, "'scale' must be positive, not 0"),
    ("scale of -1", "scale: [1, 1, -1]", 21, "'scale' must be positive, not -1"),
    ("scale of two", "scale: [1, 2]", 21, "'scale' must be one number or three, not 2"),
    ("scale of 1e300", "scale: 1e300", 21, "must be between 1e-50 and 1e50"),
    ("scale of 1e-300", "scale: 1e-300", 21, "must be between 1e-50 and 1e50"),
    # materials
    ("unknown material", "material: jely", 24, "unknown material 'jely' (did you mean 'jelly'?)"),
    ("unknown material, nothing near", "material: zebra", 24, "unknown material 'zebra': there are "),
    ("unknown model", "material: {model: nohookean, density: 1}", 32, "did you mean 'neo-hookean'?"),
    ("key of a material", "material: {model: jelly, yuong: 1}", 39, "unknown key 'yuong' in material (did you mean 'young'?)"),
    ("key of another material", "material: {model: jelly, share: 1}", 39, "unknown key 'share' in material: there are model, young"),
    ("a material that is a list", "material: [jelly]", 24, "'material' must be a value"),
    ("poisson of 0.5", "material: {young: 1, poisson: 0.5, density: 1}", 44, "below 0.5, which is incompressible, not 0.5"),
    ("poisson of 0.6", "material: {young: 1, poisson: 0.6, density: 1}", 44, "not 0.6"),
    ("poisson of -1", "material: {young: 1, poisson: -1, density: 1}", 44, "above -1 and below 0.5, not -1"),
    ("poisson too small for its model", "material: {model: fixed-corotated, young: 1, poisson: -0.3, density: 1}", 24,
     "fixed-corotated needs a Poisson's ratio of at least 0, not -0.3"),
    ("young of 0", "material: {young: 0, poisson: 0.3, density: 1}", 32, "Young's modulus must be positive and finite, not 0 Pa"),
    ("young of -1", "material: {young: -1, poisson: 0.3, density: 1}", 32, "not -1 Pa"),
    ("mu of 0", "material: {mu: 0, kappa: 1, density: 1}", 29, "the shear modulus mu must be positive and finite, not 0 Pa"),
    ("kappa of -1", "material: {mu: 1, kappa: -1, density: 1}", 39, "the bulk modulus kappa must be positive and finite, not -1"),
    ("density of 0", "material: {young: 1, poisson: 0.3, density: 0}", 58, "'density' must be positive, not 0"),
    ("density of -1", "material: {young: 1, poisson: 0.3, density: -1}", 58, "'density' must be positive, not -1"),
    ("young and mu", "material: {young: 1, poisson: 0.3, mu: 1, density: 1}", 24, "or mu and kappa, not both"),
    ("no poisson", "material: {young: 1, density: 1}", 24, "poisson is missing"),
    ("no kappa", "material: {mu: 1, density: 1}", 24, "needs both mu and kappa: kappa is missing"),
    ("no moduli", "material: {density: 1}", 24, "the material needs young and poisson, or mu and kappa"),
    ("no density", "material: {young: 1, poisson: 0.3}", 24, "the material needs a 'density' in kg/m^3"),
    # damping
    ("damping of -1", "damping: -1", 23, "'kD' must be between 0 and 1e+12, not -1"),
    ("damping of 1e300", "damping: 1e300", 23, "not 1e+300"),
    ("a damping that is a list", "damping: [1]", 23, "'damping' must be a value"),
    ("key of damping", "damping: {kd: 1}", 24, "unknown key 'kd' in damping (did you mean 'kD'?)"),
    ("unknown form", "damping: {kD: 1, form: exakt}", 37, "must be one of exact, minimised, paper, explicit, not 'exakt'"),
    # selections
    ("nothing is selected", "fixed: {box: [[5, 5, 5], [6, 6, 6]]}", 21, "no vertex of box is selected here"),
    ("an empty list", "fixed: []", 21, "no vertex of box is selected here"),
    ("no way", "fixed: {}", 21, "a selection has one of box, sphere, plane, vertices, group and nearest (a list joins several)"),
    ("two ways", "fixed: {group: left, vertices: [1]}", 21, "a selection has one of box, sphere, plane, vertices, group and nearest (a list joins several)"),
    ("unknown way", "fixed: {bax: 1}", 22, "unknown key 'bax' in a selection of vertices (did you mean 'box'?)"),
    ("unknown group", "fixed: lft", 21, "there is no group 'lft' in box (did you mean 'left'?)"),
    ("one corner", "fixed: {box: [[0, 0, 0]]}", 27, "a box is two corners"),
    ("a corner of two", "fixed: {box: [[0, 0], [1, 1, 1]]}", 28, "'a corner of a box' must have 3 numbers, not 2"),
    ("a radius of 0", "fixed: {sphere: {centre: [0, 0, 0], radius: 0}}", 58, "'radius' must be positive, not 0"),
    ("no radius", "fixed: {sphere: {centre: [0, 0, 0]}}", 30, "sphere has no 'radius'"),
    ("a centre of two", "fixed: {sphere: {centre: [0, 0], radius: 1}}", 39, "'centre' must have 3 numbers, not 2"),
    ("a normal of 0", "fixed: {plane: {point: [0, 0, 0], normal: [0, 0, 0]}}", 56, "the normal has no length"),
    ("vertex 8 of 8", "fixed: {vertices: [8]}", 32, "there is no vertex 8: vertices go from 0 to 7"),
    ("vertex -1", "fixed: {vertices: [-1]}", 32, "there is no vertex -1"),
    ("vertex 1.5", "fixed: {vertices: [1.5]}", 32, "there is no vertex 1.5"),
    ("vertex 1e300", "fixed: {vertices: [1e300]}", 32, "there is no vertex 1e+300"),
    ("everything is held", "fixed: {sphere: {centre: [0, 0, 0], radius: 9}}", 9, "every vertex is pinned, so nothing can move"),
    # handles, loads, springs
    ("a handle on nothing", "handles: {select: lft, move: [0, 0, 0]}", 32, "there is no group 'lft'"),
    ("a handle of nothing", "handles: {move: [0, 0, 0]}", 23, "a handle has no 'select'"),
    ("a handle that does not move", "handles: {select: left}", 23, "a handle needs 'move', 'turn' or 'follow'"),
    ("key of a handle", "handles: {select: left, mvoe: [0, 0, 0]}", 38, "unknown key 'mvoe' in a handle (did you mean 'move'?)"),
    ("a handle that moves in two", "handles: {select: left, move: [0, 0]}", 44, "'move' is a list of three expressions"),
    ("a handle that is a word", "handles: left", 23, "'handles' must be a map"),
    ("fixed and a handle", "fixed: left, handles: {select: top, move: [0, 0, 0]}", 45, "vertex 1 of 'b' is pinned already"),
    ("two handles", "handles: [{select: left, move: [0, 0, 0]}, {select: top, move: [0, 0, 0]}]", 66, "vertex 1 of 'b' is pinned already"),
    ("an unknown name moves", "handles: {select: left, move: [q, 0, 0]}", 45, "unknown name 'q' in move"),
    ("a handle of 1/t", "handles: {select: left, move: [1/t, 0, 0]}", 46, "division by zero in move, at the start"),
    ("force and traction", "loads: {select: left, force: [1, 0, 0], traction: [1, 0, 0]}", 21, "or a 'pressure' in Pa, only one of them"),
    ("traction and pressure", "loads: {select: left, pressure: 1, traction: [1, 0, 0]}", 21, "or a 'pressure' in Pa, only one of them"),
    ("pressure as a vector", "loads: {select: left, pressure: [1, 0, 0]}", 46, "pressure"),
    ("pressure on no face", "loads: {select: {nearest: [0, 0, 0]}, pressure: 1}", 30, "no face of the surface"),
    ("neither", "loads: {select: left}", 21, "a load needs a 'force' in N, a 'traction' in N/m^2 or a 'pressure' in Pa"),
    ("traction without a face", "loads: {select: {vertices: [0]}, traction: [1, 0, 0]}", 30, "no face of the surface of 'b' is selected"),
    ("a force of x", "loads: {select: left, force: [x, 0, 0]}", 44, "unknown name 'x' in force"),
    ("key of a load", "loads: {select: left, froce: [1, 0, 0]}", 36, "did you mean 'force'?"),
    ("a spring to itself", "springs: {from: {vertices: [0]}, to: {vertices: [0]}, stiffness: 1}", 23, "the same vertex at both ends"),
    ("no stiffness", "springs: {from: left, to: [1, 1, 1]}", 23, "a spring has no 'stiffness'"),
    ("a stiffness of -1", "springs: {from: left, to: [1, 1, 1], stiffness: -1}", 62, "'stiffness' must be at least 0, not -1"),
    ("a length of -1", "springs: {from: left, to: [1, 1, 1], stiffness: 1, length: -1}", 73, "'length' must be at least 0, not -1"),
    ("no to", "springs: {from: left, stiffness: 1}", 23, "a spring has no 'to'"),
    ("to two", "springs: {from: left, to: [1, 1], stiffness: 1}", 40, "'to' must have 3 numbers, not 2"),
    ("to the end of the world", "springs: {from: left, to: [1e300, 0, 0], stiffness: 1}", 23, "the length of a spring is not finite"),
    ("to no body", "springs: {from: left, to: {body: bb, select: left}, stiffness: 1}", 47, "there is no body 'bb'"),
    ("to a body, but where", "springs: {from: left, to: {body: b}, stiffness: 1}", 40, "the end of a spring has no 'select'"),
    # start
    ("key of start", "start: {psuh: [1, 1, 1]}", 22, "unknown key 'psuh' in start of a body (did you mean 'push'?)"),
    ("start is a list", "start: [1]", 21, "'start' must be a map"),
    ("1/x at x = 0", "at: [0.5, 0, 0], start: {position: [1/x, y, z]}", 49, "'position' is not finite at vertex 0, at (0, -0.5, -0.5)"),
    ("log(x) at x < 0", "start: {velocity: [log(x), 0, 0]}", 32, "'velocity' is not finite at vertex 0"),
    ("inside out", "material: rubber, start: {position: [-x, y, z]}", 50, "tet 0 of 'b' would start with -1 of its volume"),
    ("flat", "material: rubber, start: {position: [0, y, z]}", 50, "would start with 0 of its volume, which neo-hookean"),
    ("a position of two", "start: {position: [x, y]}", 32, "'position' is a list of three expressions"),
    ("a position of t", "start: {position: [x, y, z + t]}", 43, "unknown name 't' in position"),
    ("a position of 1e300", "start: {position: [1e300*x, y, z]}", 21, "would start at -5e+299 m"),
    ("stretch of 0", "start: {stretch: 0}", 31, "'stretch' must be positive, not 0"),
    ("stretch of -1", "start: {stretch: -1}", 31, "'stretch' must be positive, not -1"),
    ("stretch of 1e300", "start: {stretch: 1e300}", 31, "the material does not support a stretch of"),
    ("spin of two", "start: {spin: [1, 2]}", 28, "'spin' must have 3 numbers, not 2"),
    ("push of 1e300", "start: {push: [1e300, 0, 0]}", 21, "would start with 1e+300 m/s"),
    ("position and stretch", "start: {position: [x, y, z], stretch: 1}", 43, "'position' and 'stretch' cannot both be given"),
    ("velocity and push", "start: {velocity: [x, y, z], push: [1, 1, 1]}", 43, "'velocity' and 'push' cannot both be given"),
]

# whole scenes with a body: name, text, line:column, piece of the sentence
B = "bodies: {b: {" + BOX + ", material: jelly}}\n"
DAMPED = "bodies: {b: {" + BOX + ", material: jelly, damping: {kD: 0.1, form: %s}}}\n"
T = "time: {step: 0.01, until: 0.1}\n"
BODY_SCENES = [
    ("with a lagrangian", B + "lagrangian: dx^2\n" + T, "2:1", "'lagrangian' belongs to a text Lagrangian, not to bodies"),
    ("with a start", B + "start: {x: 1}\n" + T, "2:1", "each body has its own 'start'"),
    ("with a force", B + "force: {x: 1}\n" + T, "2:1", "'force' belongs to a text Lagrangian"),
    ("with a loop", B + "loop: {radius: 1}\n" + T, "2:1", "'loop' belongs to a text Lagrangian"),
    ("gravity without bodies", "gravity: 9.81\nlagrangian: dx^2\nstart: {x: 1}\n" + T, "1:1", "'gravity' belongs to bodies"),
    ("no bodies", "bodies: {}\n" + T, "1:9", "there are no bodies, so nothing can move"),
    ("bodies is a list", "bodies: [b]\n" + T, "1:9", "'bodies' must be a map"),
    ("a body is a word", "bodies: {b: jelly}\n" + T, "1:13", "'b' must be a map"),
    ("no mesh", "bodies: {b: {material: jelly}}\n" + T, "1:10", "the body 'b' needs a 'mesh', a 'surface' or a 'shape'"),
    ("an unknown up", B + "up: x\n" + T, "2:5", "'up' must be y or z, not 'x'"),
    ("up in a list", B + "up: [0, 1, 0]\n" + T, "2:5", "'up' must be a value"),
    ("no material", "bodies: {b: {shape: box}}\n" + T, "1:10", "the body 'b' has no 'material'"),
    ("a body called t", B.replace("{b:", "{t:") + T, "1:10", "'t' is reserved and cannot name a body"),
    ("a body called anchor", B.replace("{b:", "{anchor:") + T, "1:10", "'anchor' is reserved and cannot name a"),
    ("a body with a dash", B.replace("{b:", "{a-b:") + T, "1:10", "'a-b' cannot name a body"),
    ("a body called like a parameter", B + "parameters: {b: 1}\n" + T, "1:10", "the name 'b' is used twice"),
    ("a velocity called like a parameter", B + "parameters: {db: 1}\n" + T, "1:10", "the name 'db' is used twice"),
    ("no step", B + "time: {step: 0, until: 1}\n", "2:14", "'step' must be positive, not 0"),
    ("gravity of two", B + "gravity: [1, 2]\n" + T, "2:10", "'gravity' must be one number, downwards, or three, not 2"),
    ("gravity is a word", B + "gravity: down\n" + T, "2:10", "unknown name 'down' in gravity"),
    ("gravity of 0/0", B + "gravity: [0, 0, 0/0]\n" + T, "2:17", "is not a finite number"),
    ("minimised with rk4", DAMPED % "minimised" + "integrator: rk4\n" + T, "2:13",
     "rk4 cannot include damping in its steps: use damping 'exact'"),
    ("minimised with gauss", DAMPED % "minimised" + "integrator: gauss\n" + T, "2:13", "use damping 'exact'"),
    ("minimised with a composition", DAMPED % "minimised" + "integrator: composition\n" + T, "2:13", "use damping 'exact'"),
    ("paper with explicit-euler", DAMPED % "paper" + "integrator: explicit-euler\n" + T, "2:13", "use damping 'exact'"),
    ("asynchronous with minimised", DAMPED % "minimised" + "integrator: asynchronous\n" + T, "2:13", "use damping 'exact'"),
    ("asynchronous in steps that never end", B + "integrator: asynchronous\ntime: {step: 1e9, until: 1e9}\n", "2:13",
     "element updates with asynchronous, because tet "),
    ("courant of 1", B + "integrator: {method: asynchronous, courant: 1}\n" + T, "2:45", "between 0.01 and 0.99, not 1"),
    ("gauss with a large body", B.replace("1, 1, 1", "20, 20, 20") + "integrator: gauss\n" + T, "2:13",
     "2 stages of 27783 coordinates are too many equations for a body (at most 12000): use a composition"),
    ("reversible with implicit-euler", B + "integrator: implicit-euler\ntime: {step: 0.01, until: 0.1, adaptive: reversible}\n",
     "3:42", "reversible step control needs a symmetric integrator"),
    ("a body without an index", B + "observe: {a: b}\n" + T, "2:14", "a list needs an index"),
    ("a fourth axis", B + 'observe: {a: "b[4]"}\n' + T, "2:15", "the list has 3 entries"),
    ("a logarithm of 0", B + 'observe: {a: "log(b[1])"}\n' + T, "2:15", "logarithm of zero in observe.a, at t = 0"),
]

# runs that begin well and fail; a variant of RUNS
BODY_RUNS = [
    ("a handle that leaves at a step", "bodies: {b: {" + BOX + ", material: jelly, handles: {select: left, move: [1/(t - 0.05), 0, 0]}}}\nintegrator: midpoint\n" + T,
     None, "division by zero in move, at t = 0.05"),
    ("a handle that leaves between steps", "bodies: {b: {" + BOX + ", material: jelly, handles: {select: left, move: [log(0.055 - t), 0, 0]}}}\n"
     "integrator: midpoint\n" + T, None, "in move, at t = 0.05"),
    ("a handle that is fast", "bodies: {b: {" + BOX + ", material: jelly, handles: {select: left, move: [1e300*t, 0, 0]}}}\n" + T, None,
     "the step at t = 0 fails"),
    ("a load that ends", "bodies: {b: {" + BOX + ", material: jelly, loads: {select: left, force: [log(0.055 - t), 0, 0]}}}\n" + T, None,
     "in force, at t = 0.05"),
    ("a load of 1e300", "bodies: {b: {" + BOX + ", material: jelly, loads: {select: left, force: [1e300, 0, 0]}}}\n" + T, None, "at t = 0"),
    ("gravity of 1e300", B + "gravity: 1e300\n" + T, None, "the step at t = 0 fails"),
    ("an explicit step that is too long", "bodies: {b: {" + BOX + ", material: rubber, start: {push: [1, 0, 0], stretch: 1.1}}}\n"
     "integrator: symplectic-euler\ntime: {step: 1, until: 100, halvings: 0}\n", None, "at t = "),
]

# huge, but nothing is wrong with them: they end in whatever way, soon, with finite numbers
BODY_EXTREMES = [
    "damping: 1e12", "damping: {kD: 1e12, form: minimised}", "damping: {kD: 1e12, form: paper}", "damping: {kD: 1e12, form: explicit}",
    "start: {position: [-x, y, z]}", "start: {position: [0, 0, 0]}", "start: {stretch: 1e-300}", "start: {twist: 1e300}",
    "rotate: [1e300, 0, 0]", "springs: {from: left, to: [1, 1, 1], stiffness: 1e300}", "material: {mu: 1e300, kappa: 1e300, density: 1}",
    "material: {mu: 1e-300, kappa: 1e-300, density: 1e300}", "springs: {from: left, to: [-0.5, -0.5, -0.5], stiffness: 1, length: 1}",
    "shape: {type: box, cells: [1, 1, 1], size: [1e9, 1e-9, 1e9]}", "loads: {select: left, force: [1e12, 0, 0]}",
    "start: {push: [1e100, 0, 0]}", "start: {spin: [1e90, 0, 0]}", "at: [1e9, 1e9, 1e9]",
]


def body_scene(text):
    keys = {part.split(":")[0] for part in re.split(r"^|, (?=[a-z]+: )", text)} if text else set()
    rest = [part for part in (BOX, "material: jelly") if part.split(":")[0] not in keys and not
            (part is BOX and re.search(r"\b(mesh|surface): ", text))]
    return "bodies: {b: {" + ", ".join([text] + rest) + "}}\n" + T


# ---- particles ----

# name, text, line:column, piece of the sentence; T follows
ABC = "particles: {a: {at: [0, 0, 0], mass: 1}, b: {at: [1, 0, 0], mass: 1}, c: {at: [0, 0, 1], mass: 1}}\n"
P = "particles: {a: {at: [0, 0, 1], mass: 1}}\n"
OBSTACLES = [
    ("not a map", P + "obstacles: [floor]\n", "2:12", "'obstacles' must be a map"),
    ("no shape", P + "obstacles: {floor: {}}\n", "2:13", "the obstacle 'floor' must be a 'plane', a 'sphere', a 'box' or a 'mesh'"),
    ("two shapes", P + "obstacles: {floor: {plane: {}, box: {size: [1, 1, 1]}}}\n", "2:13", "one of them"),
    ("an unknown key", P + "obstacles: {floor: {plain: {}}}\n", "2:21", "unknown key 'plain' in an obstacle (did you mean 'plane'?)"),
    ("a key with no word near", P + "obstacles: {floor: {cone: {}}}\n", "2:21", "unknown key 'cone' in an obstacle: there are plane, sphere, box"),
    ("an unknown key of a plane", P + "obstacles: {floor: {plane: {norml: [0, 0, 1]}}}\n", "2:29", "did you mean 'normal'?"),
    ("no normal", P + "obstacles: {floor: {plane: {normal: [0, 0, 0]}}}\n", "2:37", "the 'normal' of a plane must not be a zero vector"),
    ("a plane that is a number", P + "obstacles: {floor: {plane: 1}}\n", "2:28", "'plane' must be a map"),
    ("a radius below 0", P + "obstacles: {ball: {sphere: {radius: -1}}}\n", "2:37", "'radius' must be positive, not -1 m"),
    ("no radius", P + "obstacles: {ball: {sphere: {}}}\n", "2:28", "a sphere has no 'radius'"),
    ("a size of 0", P + "obstacles: {b: {box: {size: [1, 0, 1]}}}\n", "2:29", "'size' must be positive, not 0 m"),
    ("a move of two", P + "obstacles: {f: {plane: {}, move: [t, 0]}}\n", "2:34", "'move' is a list of three expressions"),
    ("a stiffness below 0", P + "contact: {stiffness: -5}\n", "2:22", "'stiffness' must be positive, not -5"),
    ("a stiffness of 0", P + "contact: {stiffness: 0}\n", "2:22", "'stiffness' must be positive, not 0"),
    ("a friction below 0", P + "contact: {friction: -0.1}\n", "2:21", "'friction' must be between 0 and 1e+06, not -0.1"),
    ("an obstacle's friction below 0", P + "obstacles: {f: {plane: {}, friction: -1}}\n", "2:38", "'friction' must be between"),
    ("a slip of 0", P + "contact: {slip: 0}\n", "2:17", "'slip' must be positive, not 0"),
    ("an unknown key of contact", P + "contact: {frition: 1}\n", "2:11", "unknown key 'frition' in contact (did you mean 'friction'?)"),
    ("starts inside a plane", P + "obstacles: {f: {plane: {point: [0, 0, 1.25]}}}\ncontact: {method: penalty}\n", "1:13",
     "'a' starts inside the obstacle 'f', 0.25 m deep at [0, 0, 1]: move it out"),
    ("starts inside a box that has moved", P + "obstacles: {f: {box: {size: [1, 1, 1]}, move: [0, 0, 0.7 + t]}}\ncontact: {method: penalty}\n", "1:13",
     "'a' starts inside the obstacle 'f', 0.2 m deep at [0, 0, 1]"),
    ("one body inside another", "bodies:\n  b: {shape: {type: box, size: [1, 1, 1]}, material: jelly}\n"
     "  s: {shape: {type: box, size: [1, 1, 1]}, at: [0.9, 0.2, 0.3], material: jelly}\ncontact: {method: penalty}\n", "3:3",
     "'s' starts inside 'b', 0.1 m deep at [0.4,"),
    ("of a lagrangian", "lagrangian: dx^2/2\nstart: {x: 0}\nobstacles: {f: {plane: {}}}\n", "3:1",
     "'obstacles' belongs to bodies and particles, not to a text Lagrangian"),
]
PARTICLES = [
    ("none", "particles: {}\n", "1:12", "there are no particles, so nothing can move"),
    ("a list", "particles: [a]\n", "1:12", "'particles' must be a map"),
    ("no mass", "particles: {a: {at: [0, 0, 0]}}\n", "1:13", "the particles 'a' have no 'mass'"),
    ("a mass of 0", "particles: {a: {at: [0, 0, 0], mass: 0}}\n", "1:38", "'mass' must be positive, not 0 kg"),
    ("a mass below 0", "particles: {a: {at: [0, 0, 0], mass: -1}}\n", "1:38", "'mass' must be positive, not -1 kg"),
    ("one mass of 0", "particles: {a: {at: [[0, 0, 0], [1, 0, 0]], mass: [1, 0]}}\n", "1:51", "'mass' must be positive, not 0 kg"),
    ("a mass of 0/0", "particles: {a: {at: [0, 0, 0], mass: 0/0}}\n", "1:38", "is not a finite number"),
    ("too many masses", "particles: {a: {at: [0, 0, 0], mass: [1, 2]}}\n", "1:38", "'mass' must be one number, or one per particle, 1, not 2"),
    ("no place", "particles: {a: {mass: 1}}\n", "1:13", "'a' needs a position, 'at', or an arrangement, 'type'"),
    ("a place of two", "particles: {a: {at: [0, 0], mass: 1}}\n", "1:21", "'at' must have 3 numbers, not 2"),
    ("no places", "particles: {a: {at: [], mass: 1}}\n", "1:21", "'at' must have 3 numbers, not 0"),
    ("a place far out", "particles: {a: {at: [1e200, 0, 0], mass: 1}}\n", "1:21", "particle 0 of 'a' would be at 1e+200 m"),
    ("an unknown key", "particles: {a: {at: [0, 0, 0], mas: 1}}\n", "1:32", "unknown key 'mas' in particles (did you mean 'mass'?)"),
    ("an unknown type", "particles: {a: {type: chian, mass: 1}}\n", "1:23", "unknown type 'chian' in particles (did you mean 'chain'?)"),
    ("a key of another type", "particles: {a: {type: chain, cells: [1, 1], mass: 1}}\n", "1:30", "unknown key 'cells' in chain"),
    ("pairs of a chain", "particles: {a: {type: chain, mass: 1, pairs: [[0, 1]]}}\n", "1:39", "unknown key 'pairs' in chain"),
    ("a chain of one", "particles: {a: {type: chain, count: 1, mass: 1}}\n", "1:37", "'count' must be between 2 and"),
    ("a net of 1e12", "particles: {a: {type: net, cells: [1e6, 1e6], mass: 1}}\n", "1:16", "these would be 1e+12 particles, more than 1e+06"),
    ("half a cell", "particles: {a: {type: net, cells: [1.5, 1], mass: 1}}\n", "1:16", "'cells' must be whole numbers from 1, not 1.5"),
    ("a short rope", "particles: {a: {type: rope, length: 0.9, mass: 1}}\n", "1:16", "a rope must be longer than the distance between its ends and have at least three particles, not"),
    ("a rope without a length", "particles: {a: {type: rope, mass: 1}}\n", "1:16", "a rope needs a 'length'"),
    ("a rope straight down", "particles: {a: {type: rope, to: [0, 0, -1], length: 2, mass: 1}}\n", "1:16", "the ends of a hanging rope must have some horizontal distance"),
    ("a chain without a length", "particles: {a: {type: chain, to: [0, 0, 0], mass: 1}}\n", "1:16", "link 0 of 'a' has zero length: particles 0 and 1"),
    ("a link without a length", "particles: {a: {at: [[0, 0, 0], [0, 0, 0]], mass: 1, pairs: [[0, 1]]}}\n", "1:16", "link 0 of 'a' has zero length: particles "),
    ("a spring without a length", "particles: {a: {at: [[0, 0, 0], [0, 0, 0]], mass: 1, pairs: [[0, 1]], links: {stiffness: 1}}}\n", "1:78",
     "link 0 of 'a' has zero length: particles "),
    ("a pair of three", "particles: {a: {at: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], mass: 1, pairs: [[0, 1, 2]]}}\n", "1:73", "a link joins two particles"),
    ("a pair with itself", "particles: {a: {at: [[0, 0, 0], [1, 0, 0]], mass: 1, pairs: [[1, 1]]}}\n", "1:62", "a link joins two particles"),
    ("a pair that is not there", "particles: {a: {at: [[0, 0, 0], [1, 0, 0]], mass: 1, pairs: [[0, 2]]}}\n", "1:62", "there is no particle 2: particles go from 0 to 1"),
    ("links of nothing", "particles: {a: {at: [0, 0, 0], mass: 1, links: rigid}}\n", "1:41", "'links' has no effect here: list the linked particles in 'pairs'"),
    ("links of steel", "particles: {a: {type: chain, mass: 1, links: steel}}\n", "1:46", "'links' must be rigid, none, or a map of springs, {stiffness: 100}"),
    ("links without stiffness", "particles: {a: {type: chain, mass: 1, links: {damping: 1}}}\n", "1:46", "a link has no 'stiffness'"),
    ("a velocity of two", "particles: {a: {at: [0, 0, 0], mass: 1, velocity: [1, 2]}}\n", "1:51", "'velocity' is a list of three expressions"),
    ("velocities for others", "particles: {a: {at: [0, 0, 0], mass: 1, velocity: [[1, 2, 3], [1, 2, 3]]}}\n", "1:51", "one per particle, 1, not 2"),
    ("a velocity of log(0)", "particles: {a: {at: [0, 0, 0], mass: 1, velocity: [log(x), 0, 0]}}\n", "1:51", "'velocity' is not finite at vertex 0"),
    ("drag below 0", "particles: {a: {at: [0, 0, 0], mass: 1, drag: -1}}\n", "1:47", "'drag' must be 0 or more, not -1 kg/s"),
    ("wind without drag", "particles: {a: {at: [0, 0, 0], mass: 1, wind: [1, 0, 0]}}\n", "1:41", "'wind' acts through 'drag', which is missing here"),
    ("wind of v", "particles: {a: {at: [0, 0, 0], mass: 1, drag: 1, wind: [v, 0, 0]}}\n", "1:57", "unknown name 'v' in wind"),
    ("fixed, all of them", "particles: {a: {at: [0, 0, 0], mass: 1, fixed: all}}\n", "1:12", "every vertex is pinned, so nothing can move"),
    ("fixed, one that is not there", "particles: {a: {at: [0, 0, 0], mass: 1, fixed: 1}}\n", "1:48", "there is no vertex 1: vertices go from 0 to 0"),
    ("one name twice", "particles: {a: {at: [0, 0, 0], mass: 1}}\nbodies: {a: {shape: box, material: jelly}}\n", "1:13", "the name 'a' is used twice"),
    ("called anchor", "particles: {anchor: {at: [0, 0, 0], mass: 1}}\n", "1:13", "'anchor' is reserved and cannot name a particle"),
    ("with a lagrangian", ABC + "lagrangian: dx^2\n", "2:1", "'lagrangian' belongs to a text Lagrangian, not to particles"),
    # what binds them
    ("no such particle", ABC + "constraints:\n  rod: {distance: [a, d]}\n", "3:23", "there is no particle, body or group 'd'"),
    ("nearly its name", "particles: {rope: {type: chain, mass: 1}}\nconstraints:\n  rod: {distance: [rope.0, rpoe.3]}\n", "3:28",
     "there is no particle, body or group 'rpoe.3' (did you mean 'rope'?)"),
    ("a number that is not there", ABC + "constraints:\n  rod: {distance: [a, b.1]}\n", "3:23", "there is no 'b.1': points go from b.0 to b.0"),
    ("a huge number", ABC + "constraints:\n  rod: {distance: [a, b.99999999999999999999]}\n", "3:23", "points go from b.0 to b.0"),
    ("a group that is not there", ABC + "constraints:\n  rod: {distance: [a, b.last]}\n", "3:23", "'b' has neither a vertex nor a group 'last'"),
    ("not as many", "particles: {a: {at: [0, 0, 0], mass: 1}, b: {type: chain, mass: 1}}\nconstraints:\n  rod: {distance: [a, b]}\n", "3:23",
     "'b' has 10 points and 'a' has 1"),
    ("one point", ABC + "constraints:\n  rod: {distance: [a]}\n", "3:19", "'distance' needs a list of 2 points"),
    ("a word", ABC + "constraints:\n  rod: {distance: a}\n", "3:19", "'distance' needs a list of 2 points"),
    ("the same point", ABC + "constraints:\n  rod: {distance: [a, a.0]}\n", "3:19", "'rod' has the same point twice here"),
    ("a length of 0", ABC + "constraints:\n  rod: {distance: [a, b], length: 0}\n", "3:35", "'length' must be positive, not 0"),
    ("points in one place", ABC.replace("[1,", "[0,") + "constraints:\n  rod: {distance: [a, b]}\n", "3:19", "'rod' would start with zero length: its points coincide (to keep them together, use 'equal')"),
    ("an unknown kind", ABC + "constraints:\n  rod: {distence: [a, b]}\n", "3:9", "the constraint 'rod' has no kind (did you mean 'distance'?)"),
    ("no kind", ABC + "constraints:\n  rod: {}\n", "3:3", "the constraint 'rod' has no kind: there are distance, angle"),
    ("two kinds", ABC + "constraints:\n  rod: {distance: [a, b], equal: [a, b]}\n", "3:27", "'rod' is a 'distance' already: a constraint has one kind"),
    ("a key of another kind", ABC + "constraints:\n  rod: {equal: [a, b], length: 1}\n", "3:24", "unknown key 'length' in equal"),
    ("an expression", ABC + "constraints: {w: x^2 - 1}\n", "2:18", "a constraint on points must be a map, {surface: NAME, value: expression}"),
    ("an angle of 180", ABC + "constraints:\n  c: {angle: [b, a, c], degrees: 180}\n", "3:34", "an angle must be above 0 and below 180 degrees, at the start too (to keep three points in a line, use 'distance')"),
    ("an angle of 200", ABC + "constraints:\n  c: {angle: [b, a, c], degrees: 200}\n", "3:34", "an angle must be above 0 and below 180 degrees, at the start too (to keep three points in a line, use 'distance')"),
    ("a straight angle", "particles: {p: {type: chain, count: 3, mass: 1}}\nconstraints:\n  c: {angle: [p.0, p.1, p.2]}\n", "3:14", "at the start too"),
    ("no radius", ABC + "constraints:\n  c: {sphere: b, centre: [0, 0, 0]}\n", "3:6", "sphere has no 'radius': distance from the centre"),
    ("a radius of 0", ABC + "constraints:\n  c: {sphere: b, centre: [0, 0, 0], radius: 0}\n", "3:45", "'radius' must be positive, not 0"),
    ("at the centre", ABC + "constraints:\n  c: {sphere: a, centre: [0, 0, 0], radius: 1}\n", "3:15", "would start with a point at its centre"),
    ("no normal", ABC + "constraints:\n  c: {plane: a}\n", "3:6", "plane has no 'normal': the direction normal to it"),
    ("a normal of 0", ABC + "constraints:\n  c: {plane: a, normal: [0, 0, 0]}\n", "3:25", "'normal' must not be a zero vector"),
    ("a line without a direction", ABC + "constraints:\n  c: {line: a}\n", "3:6", "line has no 'along': the direction along it"),
    ("a surface of t", ABC + "constraints:\n  c: {surface: b, value: x - t}\n", "3:30", "unknown name 't' in constraints.c"),
    ("a surface of nothing", ABC + "constraints:\n  c: {surface: b, value: 1}\n", "3:26", "the constraint depends on no coordinate"),
    ("a curve of one", ABC + "constraints:\n  c: {curve: b, values: [x - 1]}\n", "3:25", "'values' must be a list of two"),
    ("pinned already", "particles: {p: {type: chain, mass: 1, fixed: [0, 1]}}\nconstraints:\n  c: {distance: [p.0, p.1]}\n", "3:17",
     "every point of 'c' is pinned already, so the constraint has no effect"),
    ("held already, on a plane", "particles: {p: {type: chain, mass: 1, fixed: [0]}}\nconstraints:\n  c: {plane: p.0, normal: [0, 0, 1]}\n", "3:14",
     "every point of 'c' is pinned already, so the constraint has no effect"),
    # what binds them does not fit
    ("contradictory", ABC + "constraints:\n  rod: {distance: [a, b]}\n  other: {distance: [a, b], length: 2}\n", "1:12",
     "the constraints cannot all be satisfied: 'rod' (scene.yaml:3) stays violated by "),
    ("out of reach", "particles: {a: {at: [[0, 0, 0], [1, 0, 0]], mass: 1, fixed: 0}}\nconstraints:\n  c: {sphere: a.1, centre: [5, 0, 0], radius: 4}\n"
     "  rod: {distance: [a.0, a.1], length: 0.9}\n", "1:12", "the constraints cannot all be satisfied:"),
    ("far off", ABC + "constraints:\n  rod: {distance: [a, b], length: 3}\n", "1:12", "the constraints are not satisfied: 'rod' (scene.yaml:3) is violated most, by 1.33"),
    ("far off a surface", ABC + "constraints:\n  c: {surface: b, value: x^2 + z^2 - 4}\n", "1:12", "'c' (scene.yaml:3) is violated most, by 3"),
    ("strands: none", "strands: {}\n", "1:10", "there are no strands, so nothing can move"),
    ("strands: no roots", "strands: {a: {count: 3}}\n", "1:11", "the strands 'a' have no 'roots': where strands begin: a list of points, or a map"),
    ("strands: a key", "strands: {a: {roots: {}, lenght: 3}}\n", "1:26", "unknown key 'lenght' in strands (did you mean 'length'?)"),
    ("strands: a key of roots", "strands: {a: {roots: {center: [0, 0, 0]}}}\n", "1:23", "did you mean 'centre'?"),
    ("strands: no direction", "strands: {a: {roots: {axis: [0, 0, 0]}}}\n", "1:29", "'axis' is a zero vector"),
    ("strands: a cap from behind", "strands: {a: {roots: {from: 90, to: 20}}}\n", "1:22", "'from' a smaller angle"),
    ("strands: count of a list", "strands: {a: {roots: [[0, 0, 0]], count: 2}}\n", "1:35", "'count' cannot be given with a list of roots"),
    ("strands: direction of a cap", "strands: {a: {roots: {}, direction: [0, 0, 1]}}\n", "1:26", "'direction' needs a list of roots"),
    ("strands: an empty list", "strands: {a: {roots: []}}\n", "1:22", "'roots' is an empty list"),
    ("strands: too narrow a curl", "strands: {a: {roots: {}, curl: {pitch: 0.001}}}\n", "1:32", "more 'nodes' make them shorter"),
    ("strands: too many", "strands: {a: {roots: {}, count: 100000, nodes: 10000}}\n", "1:14", "these would be 1e+09 particles"),
    ("strands: wind without drag", "strands: {a: {roots: {}, wind: [1, 0, 0]}}\n", "1:26", "'wind' acts through 'drag', which is missing here"),
    ("strands: held twice", "strands: {a: {roots: {}, handles: [{select: roots, move: [t, 0, 0]}, {select: roots, move: [t, 0, 0]}]}}\n", "1:79", "is pinned already"),
    ("rk4, without forces", ABC + "constraints: {rod: {distance: [a, b]}}\nintegrator: rk4\n", "3:13", "differential constraints"),
    ("energy-momentum, with forces", ABC + "constraints: {rod: {distance: [a, b]}}\nsolver: {constraints: differential}\nintegrator: energy-momentum\n", "4:13", "does not support differential constraints: use rk4 or symplectic-euler, or variational constraints"),
    ("asynchronous, bound", ABC + "constraints: {rod: {distance: [a, b]}}\nintegrator: asynchronous\n", "3:13", "asynchronous"),
    ("newmark, bound", ABC + "constraints: {rod: {distance: [a, b]}}\nintegrator: {method: newmark, beta: 0.3}\n", "3:13", "newmark does not support variational constraints: use midpoint, energy-momentum, stormer-verlet or a composition"),
]


def check_particles(folder):
    for name, text, place, piece in PARTICLES + OBSTACLES:
        with open(os.path.join(folder, "scene.yaml"), "w") as file:
            file.write(text + T)
        for command in COMMANDS:
            code, out, error, seconds = lilyan(*command, cwd=folder)
            check_sentence(f"{command[0]}: particles: {name}", code, error, f"scene.yaml:{place}", piece)
            if re.search(r"\bnan\b|\binf\b", error) or out or os.path.exists(os.path.join(folder, "out.h5")):
                fail(f"{command[0]}: particles: {name}", f"left something, or says nan: {error!r}")


SURFACES = {"words.obj": "once upon a time\n", "flat.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
            "tet.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"}


def check_bodies(folder):
    for name, text in SURFACES.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    cases = [(name, body_scene(text), f"1:{column}", piece) for name, text, column, piece in BODIES]
    for name, text, place, piece in cases + BODY_SCENES:
        with open(os.path.join(folder, "scene.yaml"), "w") as file:
            file.write(text)
        for command in COMMANDS:
            code, out, error, seconds = lilyan(*command, cwd=folder)
            check_sentence(f"{command[0]}: body: {name}", code, error, f"scene.yaml:{place}", piece)
            if not error.startswith("lilyan: scene.yaml:") or re.search(r"\bnan\b|\binf\b", error):
                fail(f"{command[0]}: body: {name}", f"does not begin with the file, or says nan: {error!r}")
            if out or os.path.exists(os.path.join(folder, "out.h5")):
                fail(f"{command[0]}: body: {name}", "left something")
    for text in BODY_EXTREMES:
        with open(os.path.join(folder, "scene.yaml"), "w") as file:
            file.write(body_scene(text))
        for method in ("midpoint", "stormer-verlet", "asynchronous"):
            code, out, error, _ = lilyan("run", "scene.yaml", "-o", "out.h5", "--force", "--integrator", method, cwd=folder)
            if code != 0:
                check_sentence(f"{text} with {method}", code, error, None, "", lines=2)
            if os.path.exists(os.path.join(folder, "out.h5")):
                code, out, error, _ = lilyan("export", "out.h5", "--to", "csv", "-o", "-", cwd=folder)
                if code != 0 or re.search(rb"nan|inf\b", out):
                    fail(f"{text} with {method}", f"cannot be exported, or is not finite: {error!r}")
                os.remove(os.path.join(folder, "out.h5"))


run([check_runs, check_bodies, check_particles, check_scenes])
