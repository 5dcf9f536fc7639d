"""lilyan info of meshes: the description, each fault a line, and exit codes. Drives $LILYAN from outside."""

import os
import subprocess
import sys
import tempfile

from command import call
failures = 0

NODE = "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
ELE = "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n"
MEDIT = """MeshVersionFormatted 2
Dimension 3
Vertices
5
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
1 1 1 0
Triangles
1
1 2 3 7
Tetrahedra
2
1 2 3 4 1
2 3 4 5 1
End
"""


def check(name, args, code, out=(), error=""):
    """Exit code, pieces of standard output, and one sentence (or none) on standard error."""
    global failures
    done = call(args, timeout=60)
    got_out, got_error = done.stdout, done.stderr
    wrong = [piece for piece in out if piece not in got_out]
    if done.returncode != code or wrong or error not in got_error or len(got_error.splitlines()) != bool(error):
        failures += 1
        print(f"FAILED {name}: code {done.returncode}, not {code}; missing {wrong}\n{got_out}{got_error}")


def write(path, text):
    with open(path, "w" if isinstance(text, str) else "wb") as file:
        file.write(text)
    return path


with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)

    write(path("good.node"), NODE)
    write(path("good.ele"), ELE)
    sound = ("tets         2, with 5 vertices and a surface of 6 faces\n", "volume       0.5 m^3\n")
    check("tetgen by .node", ["info", path("good.node")], 0, sound)
    check("tetgen by .ele", ["info", path("good.ele")], 0, sound)
    good = write(path("good.mesh"), MEDIT)
    check("medit", ["info", good], 0, sound + ("7: 3 vertices\n", "1: 5 vertices\n"))

    # two kinds of fault at once, each with its place
    bad = write(path("bad.mesh"), MEDIT.replace("Vertices\n5", "Vertices\n6").replace("Triangles", "9 9 9 0\nTriangles")
                .replace("2 3 4 5 1", "2 3 5 4 1"))
    check("faults", ["info", bad], 1,
          ("faults       ", f"{bad}:17: tet 2 is inverted: its volume is -0.333333 m^3\n",
           "vertex 6 at (9, 9, 9) belongs to no tet\n"))

    index = write(path("index.mesh"), MEDIT.replace("2 3 4 5 1", "2 3 4 6 1"))
    check("index", ["info", index], 1, (), f"lilyan: {index}:16: tet 2 refers to vertex 6, but vertices go from 1 to 5\n")
    check("empty", ["info", write(path("empty.msh"), "")], 1, (), "empty.msh: is empty\n")
    check("zero bytes", ["info", write(path("zero.vtk"), bytes(1000))], 1, (), "zero.vtk:1: a legacy .vtk file begins")
    check("missing", ["info", path("none.msh")], 1, (), "none.msh: cannot be opened: No such file or directory\n")
    os.mkdir(path("folder.msh"))
    check("folder", ["info", path("folder.msh")], 1, (), "folder.msh: is a folder, not a mesh\n")
    claims = write(path("claims.msh"), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2147483647\n1 0 0 0\n")
    check("claims 2^31 vertices", ["info", claims], 1, (), "but the rest of the file has room for 1 at most\n")
    check("several", ["info", good, good], 2, (), "several files must all be trajectories")

    # a pipe has no size
    pipe = path("pipe.mesh")
    os.mkfifo(pipe)
    writer = subprocess.Popen(["cp", good, pipe])
    check("pipe", ["info", pipe], 0, sound)
    writer.wait()

check("shapes", ["list", "shapes"], 0, ("bar\n", "box\n", "ball\n", "cylinder\n", "torus\n", "5 (default), 6\n"))
sys.exit(1 if failures else 0)
