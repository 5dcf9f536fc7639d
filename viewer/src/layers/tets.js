// Tets as wires; made when they are first asked for.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";

function edgesOf(run) {
    const edges = [], seen = new Set();
    for (const body of run.bodies) {
        const tets = body.tets ? body.tets() : [];
        for (let i = 0; i < tets.length; i += 4)
            for (let a = 0; a < 4; a++)
                for (let b = 0; b < a; b++) {
                    const p = body.first + Math.min(tets[i + a], tets[i + b]), q = body.first + Math.max(tets[i + a], tets[i + b]);
                    const key = p * run.vertices + q;
                    if (!seen.has(key)) { seen.add(key); edges.push(p, q); }
                }
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
