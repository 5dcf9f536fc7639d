// Obstacles: planes are finite and translucent, with an edge (the level floor is the ground, ground.js); balls, boxes and meshes are what they
// are. All are grey: colours are for what moves by itself.
import { BoxGeometry, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineLoop, Matrix4, Mesh, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { isDark } from "../colours.js";
import { finish, tint } from "../finish.js";
import { isFloor, middle } from "../framing.js";
import { outline } from "./planes.js";

const CORNERS = 32; // of a plane that others cut, at most
const matrix = new Matrix4();

// Each triangle with its own corners, so that edges are seen.
function surface(o) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(o.x, 3));
    geometry.setIndex(new BufferAttribute(o.faces, 1));
    const own = geometry.toNonIndexed();
    own.computeVertexNormals();
    return own;
}

// What is in a drum, or behind a wall, is to be seen.
const glass = { side: DoubleSide, transparent: true, opacity: 0.45, depthWrite: false };

const geometries = {
    mesh: surface,
    sphere: (o) => new SphereGeometry(o.radius, 64, 40),
    box: (o) => new BoxGeometry(...o.half.map((y) => 2 * y)),
};

// A plane at time t.
function planeAt(run, o, t) {
    if (!o.turns) return { point: run.placeOf(o, t), normal: o.normal };
    const [w, x, y, z] = run.turnOf(o, t);
    return { point: run.placeOf(o, t), normal: new Vector3(...o.normal).applyQuaternion(new Quaternion(x, y, z, w)).toArray() };
}

function makePlane(run, o) {
    const position = new BufferAttribute(new Float32Array(3 * CORNERS), 3), normal = new BufferAttribute(new Float32Array(3 * CORNERS), 3);
    const fill = new BufferGeometry(), rim = new BufferGeometry(), all = run.obstacles.filter((other) => other !== o && other.kind === "plane");
    for (const geometry of [fill, rim]) geometry.setAttribute("position", position);
    fill.setAttribute("normal", normal);
    fill.setIndex(Array.from({ length: 3 * (CORNERS - 2) }, (_, i) => (i % 3 ? Math.floor(i / 3) + (i % 3) : 0)));
    const mesh = new Mesh(fill, new MeshStandardMaterial({ roughness: 0.9, side: DoubleSide, transparent: true, opacity: 0.4, depthWrite: false }));
    finish(mesh.material, o);
    const edge = new LineLoop(rim, new LineBasicMaterial()), object = new Group(), box = middle(run), moves = [o, ...all].some((one) => one.places || one.turns);
    for (const part of [mesh, edge]) part.frustumCulled = false;
    mesh.receiveShadow = true;
    object.add(mesh, edge);
    let corners = null, before = 0;
    return {
        object, mesh, edge,
        update(time, anchor) {
            if (!corners || (moves && time !== before)) {
                const plane = planeAt(run, o, time);
                before = time;
                corners = outline(plane, all.map((other) => planeAt(run, other, time)), box, run.up === "y" ? [0, 1, 0] : [0, 0, 1]).slice(0, CORNERS);
                corners.forEach((x, i) => { position.setXYZ(i, ...x); normal.setXYZ(i, ...plane.normal); });
                position.needsUpdate = normal.needsUpdate = true;
                fill.setDrawRange(0, Math.max(0, 3 * (corners.length - 2)));
                rim.setDrawRange(0, corners.length);
            }
            object.position.set(...anchor.map((y) => -y));
        },
    };
}

// A mesh that deforms: the corners of all triangles follow its vertices.
function makeDeforming(run, o) {
    const material = new MeshStandardMaterial({ roughness: 0.9, ...glass }), x = new Float32Array(o.x.length);
    finish(material, o);
    const mesh = new Mesh(surface(o), material), corners = mesh.geometry.attributes.position;
    mesh.receiveShadow = mesh.castShadow = true;
    mesh.frustumCulled = false;
    return {
        object: mesh, mesh,
        update(time, anchor) {
            run.shapeOf(o, time, x);
            o.faces.forEach((v, i) => corners.setXYZ(i, x[3 * v], x[3 * v + 1], x[3 * v + 2]));
            corners.needsUpdate = true;
            mesh.geometry.computeVertexNormals();
            mesh.position.set(...o.point.map((y, axis) => y - anchor[axis]));
        },
    };
}

function makeSolid(run, o) {
    const material = new MeshStandardMaterial({ roughness: 0.9, ...(o.kind === "mesh" ? glass : {}) });
    finish(material, o);
    const mesh = new Mesh(geometries[o.kind](o), material);
    mesh.receiveShadow = mesh.castShadow = true;
    if (o.kind === "box") {
        const R = o.turn;
        mesh.quaternion.setFromRotationMatrix(matrix.set(R[0], R[1], R[2], 0, R[3], R[4], R[5], 0, R[6], R[7], R[8], 0, 0, 0, 0, 1));
    }
    const rest = mesh.quaternion.clone();
    return {
        object: mesh, mesh,
        update(time, anchor) {
            mesh.position.set(...run.placeOf(o, time).map((y, axis) => y - anchor[axis]));
            if (!o.turns) return;
            const [w, x, y, z] = run.turnOf(o, time);
            mesh.quaternion.copy(rest).premultiply(new Quaternion(x, y, z, w));
        },
    };
}

export default function obstacles(run, look) {
    const floor = run.obstacles.find((o) => isFloor(run, o)), seen = run.obstacles.filter((o) => o !== floor);
    if (!seen.length) return null;
    const parts = seen.map((o) => (o.kind === "plane" ? makePlane(run, o) : o.shapes ? makeDeforming(run, o) : makeSolid(run, o))), object = new Group();
    parts.forEach((part, i) => {
        part.mesh.userData.about = () => ({ name: seen[i].name, kind: "an obstacle" });
        object.add(part.object);
    });
    return {
        object,
        update(places, time, anchor) { for (const part of parts) part.update(time, anchor); },
        recolour() {
            parts.forEach(({ mesh, edge }, i) => {
                mesh.material.color = new Color(tint(seen[i], look, isDark() ? 0x5d646d : edge ? 0xb4bac2 : 0xc9cdd2));
                edge?.material.color.set(isDark() ? 0x8b95a1 : 0x8f969e);
            });
        },
    };
}
