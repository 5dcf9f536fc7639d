"""What VTK itself reads from an export: positions, velocities, stresses by another formula, times to the last bit."""
import sys
import xml.etree.ElementTree as ElementTree

from command import call
import harness

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

YOUNG, POISSON = 1e4, 0.4
MU, KAPPA = YOUNG / (2 * (1 + POISSON)), YOUNG / (3 * (1 - 2 * POISSON))

BODIES = """\
bodies:
  box: {shape: {type: box, cells: [2, 2, 3]}, material: SOFT,
        start: {spin: [1, 2, 5], twist: 0.7}, springs: [{from: {vertices: [7]}, to: [0, 0, 3], stiffness: 1},
                  {from: {vertices: [7]}, to: [1, 0, 3], stiffness: 2}, {from: {vertices: [8]}, to: {vertices: [7]}, stiffness: 3}]}
  ball: {shape: {type: ball, cells: 2}, at: [3, 0, 0], material: SOFT, start: {spin: [0, 0, 3], stretch: 1.3}}
gravity: 9.81
observe: {top: "box[3]", energy_twice: "2*box[3]"}
time: {step: 0.004, until: 0.4}
record: {every: 3}
""".replace("SOFT", f"{{model: neo-hookean, young: {YOUNG}, poisson: {POISSON}, density: 1000}}")
POINTS = """\
lagrangian: 1/2*dx^2 - 1/2*x^2
start: {x: 1}
draw: {points: {zed: [x, 0, 1], a: [0, x^2, 0]}, links: [[zed, a], [origin, zed]]}
time: {step: 0.1, until: 3}
record: {every: 1}
"""


def run(scene):
    with open("scene.yaml", "w") as file:
        file.write(scene)
    call(["run", "scene.yaml", "-o", "out.h5", "--force"], check=True)


def export(*options):
    call(["export", "out.h5", "--to", "vtu", "--force", *options], check=True)
    entries = ElementTree.parse("out/out.pvd").getroot().findall("./Collection/DataSet")
    assert [entry.get("file") for entry in entries] == [f"out_{i:04d}.vtu" for i in range(len(entries))]
    return np.array([float(entry.get("timestep")) for entry in entries])


def read(i):
    reader = vtkXMLUnstructuredGridReader()
    problems = []
    reader.AddObserver("ErrorEvent", lambda *_: problems.append(i))
    reader.SetFileName(f"out/out_{i:04d}.vtu")
    reader.Update()
    assert not problems
    grid = reader.GetOutput()
    arrays = {}
    for data in grid.GetPointData(), grid.GetCellData(), grid.GetFieldData():
        for k in range(data.GetNumberOfArrays()):
            values = vtk_to_numpy(data.GetArray(k))
            assert np.isfinite(values).all()
            arrays[data.GetArrayName(k)] = values
    return grid, vtk_to_numpy(grid.GetPoints().GetData()), arrays


def hermite(file, t):
    """q and v at a time, in Newton's form, by divided differences."""
    times = file["t"][...]
    if t in times:
        return file["q"][times.searchsorted(t)], file["v"][times.searchsorted(t)]
    i = min(max(np.searchsorted(times, t, "right") - 1, 0), len(times) - 2)
    h, s = times[i + 1] - times[i], t - times[i]
    (a, b), (va, vb) = file["q"][i:i + 2], file["v"][i:i + 2]
    slope = (b - a) / h
    c, d = (slope - va) / h, (va + vb - 2 * slope) / h**2
    return a + s * (va + s * (c + (s - h) * d)), va + 2 * s * c + (3 * s**2 - 2 * s * h) * d


def stress_of(x, rest, tets):
    """sigma = mu J^(-5/3) dev(F F') + kappa (J - 1): the Cauchy stress of w = mu/2 (J^(-2/3) tr C - 3) + kappa/2 (J - 1)^2."""
    Ds, Dm = ((p[tets[:, 1:]] - p[tets[:, :1]]).transpose(0, 2, 1) for p in (x, rest))
    F = Ds @ np.linalg.inv(Dm)
    J, b = np.linalg.det(F), F @ F.transpose(0, 2, 1)
    trace, eye = np.trace(b, axis1=1, axis2=2)[:, None, None], np.eye(3)
    deviator = MU * J[:, None, None] ** (-5 / 3) * (b - trace / 3 * eye)
    von_mises = np.sqrt(1.5 * (deviator**2).sum((1, 2)))
    w = MU / 2 * (J ** (-2 / 3) * trace[:, 0, 0] - 3) + KAPPA / 2 * (J - 1) ** 2
    return deviator + (KAPPA * (J - 1))[:, None, None] * eye, von_mises, w, J


def check_frame(file, i, t, tolerance):
    grid, x, arrays = read(i)
    q, v = (row.reshape(-1, 3) for row in hermite(file, t))
    assert arrays["TimeValue"][0] == t
    bodies = [file[f"bodies/{name}"] for name in ("box", "ball")]
    rest, tets = np.concatenate([body["rest"] for body in bodies]), []
    for body in bodies:
        tets.append(body["tets"][...] + body["first"][...].item())
    n, owner = len(rest), np.repeat([0, 1], [len(t) for t in tets])
    tets = np.concatenate(tets)
    springs = file["springs"][...]
    assert sorted(map(tuple, springs)) == [(7, n), (7, n + 1), (8, 7)] and len(x) == len(q) == n + 2, "and the springs' anchors"
    cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
    assert (cells[:4 * len(tets)].reshape(-1, 4) == tets).all() and (cells[4 * len(tets):].reshape(-1, 2) == springs).all()
    assert (vtk_to_numpy(grid.GetCellTypesArray()) == [10] * len(tets) + [3] * len(springs)).all()
    assert (arrays["body"] == [*owner, -1, -1, -1]).all() and (x[n:] == [[0, 0, 3], [1, 0, 3]]).all()
    assert np.abs(x - q).max() <= tolerance and np.abs(arrays["displacement"][:n] - (q[:n] - rest)).max() <= tolerance
    assert np.abs(arrays["velocity"] - v).max() <= 100 * tolerance
    for name, value in (("stress", 0), ("von_mises", 0), ("energy_density", 0), ("det_F", 1)):
        assert (arrays[name][len(tets):] == value).all(), name
        arrays[name] = arrays[name][:len(tets)]
    assert (arrays["displacement"][n:] == 0).all()
    sigma, von_mises, w, J = stress_of(x[:n], rest, tets)
    stress = arrays["stress"]
    size = 1e-12 * KAPPA  # sums of a few numbers like kappa, over edges of a fifth of the size
    for k, (row, column) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))):
        assert np.abs(stress[:, k] - sigma[:, row, column]).max() < size, k
    assert np.abs(arrays["von_mises"] - von_mises).max() < size and np.abs(arrays["energy_density"] - w).max() < size
    assert np.abs(arrays["det_F"] - J).max() < 1e-12
    assert von_mises.max() > 0.1 * MU, "there is something to see"
    names = [grid.GetCellData().GetArray("stress").GetComponentName(k) for k in range(6)]
    assert names == ["XX", "YY", "ZZ", "XY", "YZ", "XZ"]
    return arrays


def bodies_as_recorded():
    run(BODIES)
    times = export()
    with h5py.File("out.h5", "r") as file:
        assert (times == file["t"][...]).all()
        for i in 0, 7, len(times) - 1:
            arrays = check_frame(file, i, times[i], 0)
            for name in "energy", "potential", "elastic", "linear_momentum", "observe/top", "observe/energy_twice":
                assert (arrays[name.removeprefix("observe/")] == file[name][i]).all(), name
            # the energies of tets make up the elastic energy, but for the springs'
            volume = []
            for name in "box", "ball":
                rest, tets = file[f"bodies/{name}/rest"][...], file[f"bodies/{name}/tets"][...]
                edges = rest[tets[:, 1:]] - rest[tets[:, :1]]
                volume.append(np.linalg.det(edges) / 6)
            q = file["q"][i].reshape(-1, 3)
            length = [np.linalg.norm(x[file["springs"][:, 0]] - x[file["springs"][:, 1]], axis=1)
                      for x in (q, file["q"][0].reshape(-1, 3))]  # without `length`: as long as they are at the start
            spring = ([1, 2, 3] * (length[0] - length[1]) ** 2 / 2).sum()
            total = (np.concatenate(volume) * arrays["energy_density"]).sum()
            assert abs(total + spring - file["elastic"][i]) < 1e-9 * KAPPA, (total, spring, file["elastic"][i])


def bodies_in_between():
    run(BODIES)
    times = export("--fps", "90")
    assert len(times) == 37 and np.abs(times - np.arange(37) / 90).max() < 1e-15
    with h5py.File("out.h5", "r") as file:
        for i in 1, 20, 36:
            check_frame(file, i, times[i], 1e-14)


def drawn_points():
    run(POINTS)
    export()
    with h5py.File("out.h5", "r") as file:
        for i in 0, 11, 30:
            grid, x, arrays = read(i)
            assert (x == [file["draw/zed"][i], file["draw/a"][i], [0, 0, 0]]).all()
            assert list(vtk_to_numpy(grid.GetCellTypesArray())) == [1, 1, 3, 3]
            assert list(vtk_to_numpy(grid.GetCells().GetConnectivityArray())) == [0, 1, 0, 1, 2, 0]
            assert arrays["energy"][0] == file["energy"][i]


REST = """\
bodies: {cube: {shape: {type: box, size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}, at: [0, 0, 0.265], material: SOFT, damping: 0.02}}
gravity: 9.81
obstacles: {floor: {plane: {}}}
contact: {method: barrier}
integrator: energy-momentum
time: {step: 0.01, until: 1.5}
record: {every: 1}
""".replace("SOFT", "{model: neo-hookean, mu: 2e4, kappa: 5e4, density: 1000}")
PRESS = """\
bodies:
  low: {shape: {type: box, cells: [2, 2, 2]}, at: [0, 0, 0.5], material: rubber, fixed: bottom}
  high: {shape: {type: ball, radius: 0.3, cells: 2}, at: [0.1, 0.05, 1.35], material: rubber, start: {push: [0.2, 0, -2]}}
contact: {method: barrier}
integrator: energy-momentum
time: {step: 0.005, until: 0.06}
record: {every: 1}
"""


def surface_of(grid):
    """Triangles of the boundary, outwards, as VTK finds them: vertices of the grid."""
    cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 4)
    faces = np.concatenate([cells[:, [0, 2, 1]], cells[:, [0, 1, 3]], cells[:, [0, 3, 2]], cells[:, [1, 2, 3]]])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]


def pushed(x, faces, pressure, along):
    """- the integral of p n over what of the surface faces a force along a unit vector, p being linear on each triangle: along it."""
    normal = np.cross(x[faces[:, 1]] - x[faces[:, 0]], x[faces[:, 2]] - x[faces[:, 0]]) / 2
    return (pressure[faces].mean(axis=1) * np.maximum(-normal @ along, 0)).sum()


def recorded_force(file, frame, part):
    end = file["contacts/end"][()].astype(int)
    rows = slice(end[frame - 1] if frame else 0, end[frame])
    parts, force = file["contacts/parts"][rows], file["contacts/force"][rows].astype(float)
    return force[parts[:, 0] == part].sum(axis=0) - force[parts[:, 1] == part].sum(axis=0)


def weight_rests_on_pressure():
    """A damped cube on a floor: the pressure on its lower face, integrated, is its weight; on all other faces there is none."""
    run(REST)
    times = export()
    with h5py.File("out.h5", "r") as file:
        P, force = file["linear_momentum"][:, 2], []
        for i in range(len(times)):
            grid, x, arrays = read(i)
            faces, p = surface_of(grid), arrays["contact_pressure"]
            total = pushed(x, faces, p, [0, 0, 1])
            # single precision of what is recorded
            assert abs(total - recorded_force(file, i, 0)[2]) <= 1e-6 * abs(total) and (p >= 0).all(), (i, total)
            force.append(total)
    low = np.argsort(x[:, 2])[:9]
    # a point at an edge may be a rounding of single precision up a side
    assert np.array_equal(np.flatnonzero(p > 1e-6 * p.max()), np.sort(low)), "the nine vertices of the lower face"
    weight = 1000 * 0.5**3 * 9.81
    # Newton: the mean force is the weight and what the momentum gains. The trapezoid rule is of second order in h omega, some 0.05 squared
    half = len(times) // 2
    mean = ((np.array(force)[1:] + np.array(force)[:-1]) / 2)[half:].mean()
    gain = (P[-1] - P[half]) / (times[-1] - times[half])
    assert abs(mean - weight - gain) < 2e-3 * weight, (mean, weight, gain)
    assert abs(force[-1] - weight) < 0.02 * weight, (force[-1], weight)  # e^(-kD omega^2 t/2) of a bounce of its own weight is left
    assert abs(p[low].mean() - weight / 0.25) < 0.2 * weight / 0.25, p[low]  # corners carry more than their share


def pressures_of_two_bodies():
    """What a ball on a fixed box gets, the box gets too, the other way; and in between frames the mean of both."""
    run(PRESS)
    times = export()
    with h5py.File("out.h5", "r") as file:
        pairs = file["contact/pairs"][()]
        frame = int(np.argmax(file["contact/force"][()]))
        grid, x, arrays = read(frame)
        faces, p = surface_of(grid), arrays["contact_pressure"]
        n = len(file["bodies/low/rest"])
        force = recorded_force(file, frame, 1)
    assert pairs[0] == 0 and np.linalg.norm(force) > 0, pairs
    size = np.linalg.norm(force)
    both = [pushed(x, faces[(faces[:, 0] < n) == low], p, (-force if low else force) / size) for low in (True, False)]
    assert max(abs(one - size) for one in both) < 1e-3 * size, (both, force)  # contacts turn against each other by some 1/30
    pressure = [read(frame + k)[2]["contact_pressure"] for k in (0, 1)]
    export("--fps", "400")  # two for each frame
    assert np.abs(read(2 * frame + 1)[2]["contact_pressure"] - (pressure[0] + pressure[1]) / 2).max() < 1e-9 * pressure[0].max()


def obstacles():
    """A mesh that turns by 90 degrees a second about its point, and a box that moves, are triangles after the tets."""
    with open("wing.obj", "w") as file:
        file.write("v 1 0 0\nv 2 0 0\nv 1 0 1\nf 1 2 3\n")
    run("""bodies: {ball: {shape: {type: ball, radius: 0.2, cells: 1}, at: [0, 0, 5], material: rubber}}
obstacles:
  box: {box: {size: [1, 1, 1]}, move: [0, 0, "-t"]}
  wing: {mesh: wing.obj, at: [0, 0, 2], turn: [0, 0, "90*t"]}
contact: {method: barrier}
integrator: energy-momentum
time: {step: 0.1, until: 1}
record: {every: 1}
""")
    export()
    for frame, wing in ((0, [[1, 0, 2], [2, 0, 2], [1, 0, 3]]), (10, [[0, 1, 2], [0, 2, 2], [0, 1, 3]])):
        grid, x, _ = read(frame)
        types = vtk_to_numpy(grid.GetCellTypesArray())
        assert (types == 5).sum() == 13 and (types[-13:] == 5).all()
        assert np.allclose(x[-3:], wing, atol=1e-12) and np.allclose(x[-11:-3].mean(axis=0), [0, 0, -0.1 * frame], atol=1e-12)
        last = grid.GetCell(grid.GetNumberOfCells() - 1)
        assert [last.GetPointId(k) for k in range(3)] == [len(x) - 3, len(x) - 2, len(x) - 1]


harness.run([bodies_as_recorded, bodies_in_between, drawn_points, weight_rests_on_pressure, pressures_of_two_bodies, obstacles])
