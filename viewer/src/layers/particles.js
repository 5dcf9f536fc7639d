// Particles: the fewer, the larger. Of very many only those are drawn that nothing links: hair is its links. Bodies that have no
// surface are shown by their vertices.
import { Color } from "three";
import { balls, radiusOf } from "./shapes.js";

const ink = new Color(), MANY = 2000;

export default function particles(run, look) {
    const at = [], kind = [];
    const total = run.particles.reduce((sum, { count }) => sum + count, 0), linked = new Set(total > MANY ? run.rods : []);
    run.particles.forEach(({ first, count }, k) => { for (let i = 0; i < count; i++) if (!linked.has(first + i)) { at.push(first + i); kind.push(run.bodies.length + k); } });
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
