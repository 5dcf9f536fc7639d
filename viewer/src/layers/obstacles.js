// Obstacles: a plane is a soft disc of ground that fades out, wherever one looks; balls, boxes and meshes are what they are. All are grey:
// colours are for what moves by itself.
import { BoxGeometry, BufferAttribute, BufferGeometry, CircleGeometry, Color, DoubleSide, Group, Matrix4, Mesh, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { isDark } from "../colours.js";
import { finish, tint } from "../finish.js";

const up = new Vector3(0, 0, 1), matrix = new Matrix4();

function disc(radius) {
    const geometry = new CircleGeometry(radius, 64), p = geometry.getAttribute("position");
    const colour = new Float32Array(4 * p.count);
    for (let i = 0; i < p.count; i++) colour.set([1, 1, 1, i ? 0 : 1], 4 * i); // the middle, then the rim
    geometry.setAttribute("color", new BufferAttribute(colour, 4));
    return geometry;
}

// Each triangle with its own corners, so that edges are seen.
function surface(o) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(o.x, 3));
    geometry.setIndex(new BufferAttribute(o.faces, 1));
    const own = geometry.toNonIndexed();
    own.computeVertexNormals();
    return own;
}

// What is in a drum is to be seen.
const glass = { side: DoubleSide, transparent: true, opacity: 0.45, depthWrite: false };

const geometries = {
    mesh: surface,
    plane: (o, look) => disc(4 * look.size),
    sphere: (o) => new SphereGeometry(o.radius, 64, 40),
    box: (o) => new BoxGeometry(...o.half.map((y) => 2 * y)),
};

function make(o, look) {
    const flat = o.kind === "plane";
    const material = new MeshStandardMaterial({ roughness: 0.9, ...(o.kind === "mesh" ? glass : {}), ...(flat ? { vertexColors: true, transparent: true, depthWrite: false } : {}) });
    if (!flat) finish(material, o);
    const mesh = new Mesh(geometries[o.kind](o, look), material);
    mesh.receiveShadow = true;
    mesh.castShadow = !flat;
    if (flat) {
        mesh.renderOrder = -3; // below the grid and the shadows
        mesh.quaternion.copy(new Quaternion().setFromUnitVectors(up, new Vector3(...o.normal)));
    } else if (o.kind === "box") {
        const R = o.turn;
        mesh.quaternion.setFromRotationMatrix(matrix.set(R[0], R[1], R[2], 0, R[3], R[4], R[5], 0, R[6], R[7], R[8], 0, 0, 0, 0, 1));
    }
    mesh.userData.rest = mesh.quaternion.clone();
    return mesh;
}

export default function obstacles(run, look) {
    if (!run.obstacles.length) return null;
    const meshes = run.obstacles.map((o) => make(o, look)), object = new Group();
    for (const mesh of meshes) object.add(mesh);
    return {
        object,
        update(places, time, anchor) {
            run.obstacles.forEach((o, i) => {
                const at = run.placeOf(o, time).map((y, axis) => y - anchor[axis]);
                let normal = o.normal;
                if (o.turns) {
                    const [w, x, y, z] = run.turnOf(o, time), turn = new Quaternion(x, y, z, w);
                    meshes[i].quaternion.copy(meshes[i].userData.rest).premultiply(turn);
                    normal = new Vector3(...o.normal).applyQuaternion(turn).toArray();
                }
                if (o.kind === "plane") { // the point of it that is nearest to what one looks at
                    const d = at.reduce((sum, y, axis) => sum + y * normal[axis], 0);
                    meshes[i].position.set(...normal.map((y) => d * y));
                } else {
                    meshes[i].position.set(...at);
                }
            });
        },
        recolour() {
            run.obstacles.forEach((o, i) => { meshes[i].material.color = new Color(tint(o, look, isDark() ? 0x5d646d : 0xc9cdd2)); });
        },
    };
}
