// Springs between vertices, as thin rods.
import { rods } from "./shapes.js";

export default function springs(run, look) {
    if (!run.springs) return null;
    const pairs = run.springs, drawn = rods(pairs.length / 2, look.size * 0.003);
    const end = (x, v) => [x[3 * v], x[3 * v + 1], x[3 * v + 2]];
    return {
        object: drawn.mesh,
        update(x) {
            for (let i = 0; i < pairs.length / 2; i++) drawn.place(i, end(x, pairs[2 * i]), end(x, pairs[2 * i + 1]));
            drawn.mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() { drawn.mesh.material.color.set(look.ink()); },
    };
}
