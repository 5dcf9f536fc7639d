#!/usr/bin/env python3
"""starfish.py FOLDER: a star with five round arms that stands on two of them, and two poses in which it waves. Writes
starfish.obj, starfish-left.obj and starfish-right.obj, all with the same vertices in the same order."""
import math
import os
import sys

AROUND, RINGS, DEEP = 60, 13, 0.16


def shape():
    """In the plane x, z, DEEP thick at its middle: rings from the back (y < 0) to the front, and a vertex at either end."""
    points = [(0, -DEEP, 0)]
    for j in range(1, RINGS):
        angle = math.pi * (j / RINGS - 0.5)
        for i in range(AROUND):
            phi = 2 * math.pi * i / AROUND
            arm = ((1 + math.cos(5 * (phi - math.pi / 2))) / 2) ** 0.9
            r = (0.42 + 0.55 * arm) * math.cos(angle) ** 0.75
            points.append((r * math.cos(phi), DEEP * math.sin(angle) * (1 - 0.25 * r), r * math.sin(phi)))
    return points + [(0, DEEP, 0)]


def faces():
    ring = lambda j, i: 1 + (j - 1) * AROUND + i % AROUND
    last = 1 + (RINGS - 1) * AROUND
    for i in range(AROUND):
        yield (0, ring(1, i), ring(1, i + 1))
        for j in range(1, RINGS - 1):
            yield (ring(j, i), ring(j + 1, i), ring(j + 1, i + 1), ring(j, i + 1))
        yield (last, ring(RINGS - 1, i + 1), ring(RINGS - 1, i))


def waving(side):
    """It leans to a side and lifts that side's arm; the two arms that it stands on stay."""
    out = []
    for x, y, z in shape():
        up = max(0, z + 0.45)
        lifted = z + side * 0.4 * x * abs(x) * min(1, up / 0.45) ** 2
        lean = -side * 0.15 * up ** 1.5
        dz = lifted + 0.75
        out.append((x * math.cos(lean) - dz * math.sin(lean), y, x * math.sin(lean) + dz * math.cos(lean) - 0.75))
    return out


def write(path, points):
    with open(path, "w") as file:
        for p in points:
            file.write("v %.5g %.5g %.5g\n" % tuple(round(c, 5) + 0.0 for c in p))
        for face in faces():
            file.write("f " + " ".join(str(i + 1) for i in face) + "\n")


if __name__ == "__main__":
    folder = sys.argv[1]
    write(os.path.join(folder, "starfish.obj"), shape())
    write(os.path.join(folder, "starfish-left.obj"), waving(-1))
    write(os.path.join(folder, "starfish-right.obj"), waving(1))
