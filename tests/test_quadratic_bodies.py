"""Bodies of quadratic tets from scene to picture: mass, loads, free fall, contact and its check, files, resume, what VTK reads."""
import os
import subprocess
import sys
import time

from command import call, lilyan, write
import harness

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    import vtkmodules.vtkCommonDataModel  # cells of VTK
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

LILYAN = os.environ["LILYAN"]
ENDS = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]  # VTK's order of mid nodes


def bodies(name="run.h5"):
    with h5py.File(name) as file:
        return {body: {key: group[key][()] for key in ("rest", "tets", "mids", "faces") if key in group}
                for body, group in file["bodies"].items()}, file["q"][()]


BAR = """\
bodies:
  bar:
    shape: {type: bar, size: [1, 0.2, 0.2], cells: [4, 1, 1]}
    elements: quadratic
    material: {young: 1e5, poisson: 0.3, density: 1000}
    MORE
time: {step: 0.01, until: 0.1}
"""


def shape_and_mass():
    write(BAR.replace("MORE", "groups: {tip: right}\n    start: {push: [1, 0, 0]}"))
    said = lilyan("info", "scene.yaml").stdout
    assert "20 quadratic tets, 40 kg" in said, said  # 1 x 0.2 x 0.2 m^3 of 1000 kg/m^3
    lilyan("run", "scene.yaml", "-o", "run.h5")
    table, q = bodies()
    bar = table["bar"]
    for k, (a, b) in enumerate(ENDS):
        middle = (bar["rest"][bar["tets"][:, a]] + bar["rest"][bar["tets"][:, b]]) / 2
        assert np.abs(bar["rest"][bar["mids"][:, k]] - middle).max() < 1e-15
    assert bar["faces"].shape[0] % 4 == 0 and set(bar["mids"].ravel()) > set(bar["faces"].ravel()) - set(bar["tets"].ravel())
    x = q.reshape(len(q), -1, 3)
    assert np.abs(x - x[:1] - np.arange(11)[:, None, None] * [0.01, 0, 0]).max() < 1e-12  # it flies as a whole


def free_fall_is_rigid():
    """Lumped mass and weight belong together: nothing is deformed by falling."""
    write("gravity: 9.81\n" + BAR.replace("MORE", "rotate: [20, 30, 40]"))
    lilyan("run", "scene.yaml", "-o", "run.h5")
    x = bodies()[1].reshape(11, -1, 3)
    assert np.abs((x - x[:1]) - (x - x[:1])[:, :1]).max() < 1e-12


BALL = """\
bodies:
  ball: {shape: {type: ball, radius: 0.5, cells: 2}, elements: quadratic, material: rubber, scale: [2, 1, 1], rotate: [0, 90, 0]}
time: {step: 0.01, until: 0.01}
"""


def curved_shapes():
    """Every vertex of the surface of a ball is on its sphere, also where it is scaled to an ellipsoid; refined, edges are straight."""
    write(BALL)
    lilyan("run", "scene.yaml", "-o", "run.h5")
    ball = bodies()[0]["ball"]
    surface = ball["rest"][np.unique(ball["faces"])]
    assert np.abs(np.linalg.norm(surface / [1, 1, 2], axis=1) - 0.5).max() < 1e-14
    write(BALL.replace("scale:", "refine: {centre: [0, 0, 0], radius: 2, edge: 0.4}, scale:"))
    lilyan("run", "scene.yaml", "-o", "fine.h5")
    fine = bodies("fine.h5")[0]["ball"]
    assert len(fine["tets"]) > len(ball["tets"])
    for k, (a, b) in enumerate(ENDS):
        assert np.allclose(fine["rest"][fine["mids"][:, k]], (fine["rest"][fine["tets"][:, a]] + fine["rest"][fine["tets"][:, b]]) / 2, atol=1e-15)


def tractions_are_consistent():
    """A constant stress: tension T on both ends stretches a bar by T/E without an error of the elements, mid nodes included."""
    write("""\
bodies:
  bar:
    shape: {type: bar, size: [1, 0.2, 0.2], cells: [3, 1, 1]}
    elements: quadratic
    material: {model: linear, young: 1e5, poisson: 0.3, density: 1000}
    damping: 0.05
    loads: [{select: left, traction: [-100, 0, 0]}, {select: right, traction: [100, 0, 0]}]
time: {step: 0.05, until: 2}
integrator: implicit-euler
""")
    lilyan("run", "scene.yaml", "-o", "run.h5")
    table, q = bodies()
    rest = table["bar"]["rest"]
    u = q[-1].reshape(-1, 3) - rest
    strain = np.array([1e-3, -0.3e-3, -0.3e-3])
    assert np.abs(u - u.mean(axis=0) - strain * (rest - rest.mean(axis=0))).max() < 1e-9  # as far as it is at rest


def vtk_reads_quadratic_cells():
    write("gravity: 9.81\n" + BAR.replace("MORE", "fixed: left"))
    lilyan("run", "scene.yaml", "-o", "run.h5")
    lilyan("export", "run.h5", "--to", "vtu", "-o", "run_vtu")
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName("run_vtu/run_0000.vtu")
    reader.Update()
    grid = reader.GetOutput()
    assert (vtk_to_numpy(grid.GetCellTypesArray()) == 24).all() and grid.GetNumberOfCells() == 20
    x = vtk_to_numpy(grid.GetPoints().GetData())
    for i in range(20):
        cell = grid.GetCell(i)
        assert cell.GetClassName() == "vtkQuadraticTetra"
        for e in range(6):  # VTK's own idea of which node is on which edge
            a, b, mid = (cell.GetEdge(e).GetPointId(k) for k in range(3))
            assert np.abs(x[mid] - (x[a] + x[b]) / 2).max() < 1e-15
    reader.SetFileName("run_vtu/run_0010.vtu")
    reader.Update()
    cells = reader.GetOutput().GetCellData()
    assert np.isfinite(vtk_to_numpy(cells.GetArray("stress"))).all() and vtk_to_numpy(cells.GetArray("det_F")).min() > 0.9
    lilyan("report", "run.h5", "-o", "run.html")
    header, block = harness.read_page("run.html")
    body = header["runs"][0]["bodies"][0]
    assert body["quadratic"] and body["tet_count"] == 20
    assert len(block(body["tets"], np.uint32)) == 80 and len(block(body["mids"], np.uint32)) == 120


CONTACT = """\
gravity: 9.81
bodies:
  plank: {shape: {type: bar, size: [1, 0.2, 0.1], cells: [5, 1, 1]}, elements: quadratic,
          material: {young: 1e5, poisson: 0.3, density: 500}, fixed: [left, right]}
  ball: {shape: {type: ball, radius: 0.12, cells: 1}, elements: quadratic,
         material: {young: 5e4, poisson: 0.3, density: 800}, at: [0, 0, 0.19]}
  blob: {surface: {inside: "0.01 - x^2 - 2*y^2 - z^2", box: [[-0.2, -0.2, -0.2], [0.2, 0.2, 0.2]], cells: 12}, vertices: 40,
         elements: quadratic, material: {young: 5e4, poisson: 0.3, density: 800}, at: [0, 0, 0.45]}
contact: {method: barrier, bodies: touch}
time: {step: 0.01, until: 0.2}
integrator: implicit-euler
"""


def contact_sees_mid_nodes():
    """Nothing intersects on the cut surfaces, nor on the one that is embedded in the parts of tets; a run resumes to the bit."""
    write(CONTACT)
    lilyan("run", "scene.yaml", "-o", "run.h5")
    assert "no intersection" in lilyan("check", "run.h5").stdout
    process = subprocess.Popen([LILYAN, "run", "scene.yaml", "-o", "half.h5"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not os.path.exists("half.h5"):
        time.sleep(0.01)
    time.sleep(0.1)
    process.kill()
    process.wait()
    assert call(["run", "scene.yaml", "-o", "half.h5", "--resume"]).returncode == 0
    assert (bodies("run.h5")[1] == bodies("half.h5")[1]).all()


def files_and_refusals():
    write("v -1 -1 -1\nv 1 -1 -1\nv 0 1 -1\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", "a.obj")
    said = lilyan("mesh", "a.obj", "-o", "a.msh", "--vertices", "60", "--quadratic").stdout
    assert "quadratic, with" in said and "curved" in said
    scene = "bodies: {a: {mesh: a.msh, material: rubber, MORE}}\ntime: {step: 0.01, until: 0.01}\n"
    write(scene.replace("MORE", ""))
    quadratic = lilyan("info", "scene.yaml").stdout
    write(scene.replace("MORE", "elements: linear"))
    linear = lilyan("info", "scene.yaml").stdout
    vertices = [int(text.split("a: ")[1].split()[0]) for text in (quadratic, linear)]
    assert "quadratic tets" in quadratic and "quadratic tets" not in linear and vertices[0] > 4 * vertices[1] > 0
    for more, sentence in (("elements: cubic", "'elements' are linear or quadratic, not 'cubic'"),
                           ("refine: {centre: [0, 0, 0], radius: 1, edge: 0.1}", "has mid nodes of its own")):
        write(scene.replace("MORE", more))
        done = call(["info", "scene.yaml"])
        assert done.returncode and sentence in done.stderr and "scene.yaml:1:" in done.stderr, done.stderr


harness.run([shape_and_mass, free_fall_is_rigid, curved_shapes, tractions_are_consistent, vtk_reads_quadratic_cells,
             contact_sees_mid_nodes, files_and_refusals])
