// Vertices of bodies that have no surface.
import { balls } from "./shapes.js";

export default function particles(run, look) {
    const at = [];
    for (const body of run.bodies)
        if (!body.faces.length) for (let i = 0; i < body.vertices; i++) at.push(body.first + i);
    if (!at.length) return null;
    const dots = balls(at.length, look.size * 0.008);
    return {
        object: dots.mesh,
        update(x) {
            at.forEach((v, i) => dots.place(i, x[3 * v], x[3 * v + 1], x[3 * v + 2]));
            dots.mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() { dots.mesh.material.color.set(look.colour(0)); },
    };
}
