// Many balls and many rods, each kind one draw call.
import { CylinderGeometry, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";

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
    return { mesh, place(i, x, y, z) { mesh.setMatrixAt(i, matrix.makeTranslation(x, y, z)); } };
}

export function rods(count, radius) {
    const mesh = instances(new CylinderGeometry(radius, radius, 1, count > MANY ? 4 : 10, 1, count > MANY), count);
    return {
        mesh,
        place(i, a, b) {
            from.fromArray(a); to.fromArray(b);
            along.subVectors(to, from);
            const length = along.length();
            turn.setFromUnitVectors(up, length > 0 ? along.divideScalar(length) : up);
            mesh.setMatrixAt(i, matrix.compose(from.add(to).multiplyScalar(0.5), turn, size.set(1, length, 1)));
        },
    };
}
