"""A surface as artists have them: polygons, y up, a vertex that no face has, a seam with each vertex twice."""
import numpy as np


def pillow(n, loose=True):
    """A round cube of 6 n^2 quads, 1 by 1.5 by 0.8, one side of which has its own copies of the vertices along its rim."""
    vertices, faces, known = [], [], {}

    def vertex(x, side):
        key = tuple(np.round(x, 9)) + (side == 0,)
        if key not in known:
            p = 2 * np.asarray(x, float) - 1
            round_ = p / np.linalg.norm(p) * 1.3
            vertices.append((0.6 * p + 0.4 * round_) * [0.5, 0.75, 0.4])
            known[key] = len(vertices) - 1
        return known[key]

    for axis in range(3):
        for side in 0, 1:
            for i in range(n):
                for j in range(n):
                    corners = []
                    for u, v in ((0, 0), (1, 0), (1, 1), (0, 1))[::1 if side else -1]:
                        x = [0, 0, 0]
                        x[axis], x[(axis + 1) % 3], x[(axis + 2) % 3] = side, (i + u) / n, (j + v) / n
                        corners.append(vertex(x, 2 * axis + side))
                    faces.append(corners)
    if loose:  # a vertex of no face
        vertices.insert(7, np.array([0.1, 0.2, 0.1]))
        faces = [[i + (i >= 7) for i in face] for face in faces]
    return np.array(vertices), faces


def carried(body, q):
    """Where the vertices of a body's surface are by the tables of its trajectory, when those of its tets are at q."""
    corners = q[body["tets"][...][body["surface/tet"][:, 0]]]
    w = body["surface/weights"][...]
    x = corners[:, 0] + (w[:, :, None] * (corners[:, 1:] - corners[:, :1])).sum(axis=1)
    if "surface/outside_first" in body:
        first, vertex, weight = (body[f"surface/outside_{name}"][:, 0] for name in ("first", "vertex", "weight"))
        for i in np.flatnonzero(np.diff(first)):
            x[i] = weight[first[i]:first[i + 1]] @ q[vertex[first[i]:first[i + 1]]]
    return x


def write_obj(path, vertices, faces):
    """With texture and normal indices, some faces counted from the end, and a comment in between."""
    with open(path, "w") as file:
        file.write("# a pillow\nmtllib none.mtl\no pillow\n")
        for x in vertices:
            file.write("v {} {} {}\n".format(*(repr(float(y)) for y in x)))
        file.write("vt 0 0\nvn 0 1 0\n")
        for i, face in enumerate(faces):
            corners = [f"{v + 1}/1/1" if i % 3 else str(v - len(vertices)) for v in face]
            file.write("f " + " ".join(corners) + "\n")
