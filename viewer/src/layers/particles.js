// Particles: the fewer, the larger. Bodies that have no surface are shown by their vertices.
import { Color } from "three";
import { balls, radiusOf } from "./shapes.js";

const ink = new Color();

export default function particles(run, look) {
    const at = [], kind = [];
    run.particles.forEach(({ first, count }, k) => { for (let i = 0; i < count; i++) { at.push(first + i); kind.push(run.bodies.length + k); } });
    run.bodies.forEach(({ faces, first, vertices }, k) => { for (let i = 0; !faces.length && i < vertices; i++) { at.push(first + i); kind.push(k); } });
    if (!at.length) return null;
    const dots = balls(at.length, radiusOf(at.length, look));
    return {
        object: dots.mesh,
        update(x) {
            at.forEach((v, i) => dots.place(i, x[3 * v], x[3 * v + 1], x[3 * v + 2]));
            dots.mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() {
            kind.forEach((k, i) => dots.mesh.setColorAt(i, ink.set(look.colour(k))));
            dots.mesh.instanceColor.needsUpdate = true;
        },
    };
}
