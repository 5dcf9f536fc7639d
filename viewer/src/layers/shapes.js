// Many balls and many rods, each kind one draw call.
import { ConeGeometry, CylinderGeometry, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";

const matrix = new Matrix4(), up = new Vector3(0, 1, 0), from = new Vector3(), to = new Vector3(), along = new Vector3();
const turn = new Quaternion(), size = new Vector3();
const MANY = 2000; // of which each may be a little coarse

function instances(geometry, count) {
    const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ roughness: 0.55 }), count);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    return mesh;
}

// of so many points in one picture
export const radiusOf = (count, look) => (look.thick * look.size * 0.026) / Math.max(1, Math.cbrt(count / 2));

export function balls(count, radius) {
    const mesh = instances(new SphereGeometry(radius, ...(count > MANY ? [8, 6] : [24, 16])), count);
    return {
        mesh,
        place(i, x, y, z) { mesh.setMatrixAt(i, matrix.makeTranslation(x, y, z)); },
        hide(i) { mesh.setMatrixAt(i, matrix.makeScale(0, 0, 0)); },
    };
}

// stretched along y from a to b; `length` is that of the geometry
function stretched(mesh, length) {
    return {
        mesh,
        place(i, a, b) {
            from.fromArray(a); to.fromArray(b);
            along.subVectors(to, from);
            const far = along.length();
            turn.setFromUnitVectors(up, far > 0 ? along.divideScalar(far) : up);
            const wide = length && far < length ? far / length : 1; // a short one is a small one
            mesh.setMatrixAt(i, matrix.compose(from.add(to).multiplyScalar(0.5), turn, size.set(wide, far, wide)));
        },
    };
}

export function rods(count, radius, length = 0) {
    return stretched(instances(new CylinderGeometry(radius, radius, 1, count > MANY ? 4 : 10, 1, count > MANY), count), length);
}

export function cones(count, radius, length) {
    return stretched(instances(new ConeGeometry(radius, 1, count > MANY ? 6 : 16), count), length);
}
