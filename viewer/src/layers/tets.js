// Tets as wires; made when they are first asked for. Edges of quadratic tets bend at their mid nodes.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";

const ENDS = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];

function edgesOf(run) {
    const edges = [], seen = new Set();
    for (const body of run.bodies) {
        const tets = body.tets ? body.tets() : [], mids = body.mids ? body.mids() : null;
        const add = (v, w) => {
            const p = body.first + Math.min(v, w), q = body.first + Math.max(v, w), key = p * run.vertices + q;
            if (!seen.has(key)) { seen.add(key); edges.push(p, q); }
        };
        for (let t = 0; t < tets.length / 4; t++)
            ENDS.forEach(([a, b], k) => {
                const v = tets[4 * t + a], w = tets[4 * t + b];
                if (!mids) return add(v, w);
                add(v, mids[6 * t + k]);
                add(mids[6 * t + k], w);
            });
    }
    return edges;
}

export default function tets(run, look) {
    if (!run.bodies.some((body) => body.tets)) return null;
    const geometry = new BufferGeometry(), material = new LineBasicMaterial({ transparent: true, opacity: 0.75 });
    const object = new LineSegments(geometry, material);
    let position;
    object.visible = false;
    object.frustumCulled = false;
    return {
        object,
        toggle: "tets",
        update(x) {
            if (!object.visible) return;
            if (!position) {
                position = new BufferAttribute(new Float32Array(3 * run.vertices), 3).setUsage(DynamicDrawUsage);
                geometry.setAttribute("position", position);
                geometry.setIndex(edgesOf(run));
            }
            position.array.set(x.subarray(0, 3 * run.vertices));
            position.needsUpdate = true;
        },
        recolour() { material.color.set(look.ink()); },
    };
}
