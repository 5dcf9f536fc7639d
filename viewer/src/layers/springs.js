// Springs between vertices, as thin rods.
import { finish, tint } from "../finish.js";
import { rods } from "./shapes.js";
import { loose } from "./tubes.js";

// a rod for each pair of vertices, with the look of a part
export function linked(pairs, radius, look, part = {}) {
    const drawn = rods(pairs.length / 2, radius);
    finish(drawn.mesh.material, part);
    const end = (x, v) => [x[3 * v], x[3 * v + 1], x[3 * v + 2]];
    return {
        object: drawn.mesh,
        update(x) {
            for (let i = 0; i < pairs.length / 2; i++) drawn.place(i, end(x, pairs[2 * i]), end(x, pairs[2 * i + 1]));
            drawn.mesh.instanceMatrix.needsUpdate = true;
        },
        recolour() { drawn.mesh.material.color.set(tint(part, look, look.several ? look.colour(0) : look.ink())); },
    };
}

export default function springs(run, look) {
    const pairs = loose(run, run.springs);
    return pairs.length ? linked(pairs, look.size * 0.003, look) : null;
}
