// Surfaces of bodies: their own, which may ride in tets, or that of their tets. Normals are made anew for every frame; faces
// share one at a corner unless the body has an edge there.
import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, FrontSide, Group, Mesh, MeshPhysicalMaterial, MeshStandardMaterial } from "three";
import { finish, tint } from "../finish.js";
import { count } from "../format.js";
import { shadeOf } from "../shades.js";

const CREASE = Math.cos((40 * Math.PI) / 180);

// Vertices of an artist's surface that are in one place, along seams of its textures, move as one.
function joinEqual(rest) {
    const seen = new Map(), one = new Map();
    for (let v = 0; v < rest.length / 3; v++) {
        const key = `${rest[3 * v]} ${rest[3 * v + 1]} ${rest[3 * v + 2]}`;
        if (seen.has(key)) one.set(v, seen.get(key));
        else seen.set(key, v);
    }
    return one;
}

// Each face's corner gets a slot; slots of a vertex are shared by faces that meet there smoothly at rest.
function findSlots(faces, rest, joined) {
    const one = joined ? joinEqual(rest) : new Map();
    const count = faces.length / 3, normals = new Float32Array(faces.length), around = new Map();
    for (let f = 0; f < count; f++) {
        faceNormal(rest, faces, f, 0, normals);
        const n = Math.hypot(normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]) || 1;
        for (let axis = 0; axis < 3; axis++) normals[3 * f + axis] /= n;
        for (let c = 0; c < 3; c++) {
            const v = one.get(faces[3 * f + c]) ?? faces[3 * f + c];
            if (!around.has(v)) around.set(v, []);
            around.get(v).push(3 * f + c);
        }
    }
    const slots = new Uint32Array(faces.length), vertexOf = [];
    const dot = (a, b) => normals[3 * a] * normals[3 * b] + normals[3 * a + 1] * normals[3 * b + 1] + normals[3 * a + 2] * normals[3 * b + 2];
    for (const [v, corners] of around) {
        const left = new Set(corners);
        while (left.size) { // all that can be reached without crossing an edge
            const [seed] = left, group = [seed];
            left.delete(seed);
            for (let i = 0; i < group.length; i++)
                for (const other of left)
                    if (dot(Math.floor(group[i] / 3), Math.floor(other / 3)) > CREASE) { left.delete(other); group.push(other); }
            for (const corner of group) slots[corner] = vertexOf.length;
            vertexOf.push(v);
        }
    }
    return { slots, vertexOf: Uint32Array.from(vertexOf) };
}

function faceNormal(x, faces, f, first, out) {
    const a = 3 * (first + faces[3 * f]), b = 3 * (first + faces[3 * f + 1]), c = 3 * (first + faces[3 * f + 2]);
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    out[3 * f] = uy * vz - uz * vy;
    out[3 * f + 1] = uz * vx - ux * vz;
    out[3 * f + 2] = ux * vy - uy * vx;
}

// w1 w2 w3 at a time: those of keys, and between two of them by the cubic that is flat at both
function weightsAt({ rest, weights, keyTimes, keyWeights }, time) {
    if (!keyTimes) return weights;
    const n = rest.length, last = keyTimes.length - 1;
    let b = 0;
    while (b < last && keyTimes[b] < time) b++;
    const a = b > 0 && time < keyTimes[b] ? b - 1 : b, s = a < b ? (time - keyTimes[a]) / (keyTimes[b] - keyTimes[a]) : 0, by = s * s * (3 - 2 * s);
    return keyWeights.subarray(a * n, (a + 1) * n).map((w, i) => w + by * (keyWeights[b * n + i] - w));
}

// x = q0 + w1 (q1 - q0) + w2 (q2 - q0) + w3 (q3 - q0) of every vertex of the surface; sum w_k q_k of those outside of all tets
function carry({ first, carriers, outsideFirst, outsideVertex, outsideWeight }, weights, q, x) {
    for (let i = 0; i < x.length / 3; i++) {
        if (outsideFirst && outsideFirst[i + 1] > outsideFirst[i]) {
            for (let axis = 0; axis < 3; axis++) {
                let sum = 0;
                for (let k = outsideFirst[i]; k < outsideFirst[i + 1]; k++) sum += outsideWeight[k] * q[3 * (first + outsideVertex[k]) + axis];
                x[3 * i + axis] = sum;
            }
            continue;
        }
        const at = (k) => 3 * (first + carriers[4 * i + k]);
        const a = at(0), b = at(1), c = at(2), d = at(3), u = weights[3 * i], v = weights[3 * i + 1], w = weights[3 * i + 2], o = 1 - u - v - w;
        for (let axis = 0; axis < 3; axis++) x[3 * i + axis] = o * q[a + axis] + u * q[b + axis] + v * q[c + axis] + w * q[d + axis];
    }
}

// A quantity of the tets' vertices at vertex i of the surface.
function carriedValue({ first, carriers, weights }, values, i) {
    const w = [weights[3 * i], weights[3 * i + 1], weights[3 * i + 2]].map((y) => Math.min(Math.max(y, 0), 1)), o = Math.max(1 - w[0] - w[1] - w[2], 0);
    const at = (k) => values[first + carriers[4 * i + k]];
    return (o * at(0) + w[0] * at(1) + w[1] * at(2) + w[2] * at(3)) / (o + w[0] + w[1] + w[2]);
}

// What is not opaque is like gummy candy: light is bent as it comes in and takes the colour of its way through the body.
function makeMaterial({ rest, opacity = 1, roughness }) {
    if (opacity === 1) return new MeshStandardMaterial({ roughness: roughness ?? 0.4, metalness: 0, side: DoubleSide });
    const box = [0, 1, 2].map((axis) => [Infinity, -Infinity]);
    rest.forEach((y, i) => { box[i % 3] = [Math.min(box[i % 3][0], y), Math.max(box[i % 3][1], y)]; });
    const size = Math.min(...box.map(([low, high]) => high - low));
    return new MeshPhysicalMaterial({ roughness: roughness ?? 0.2, metalness: 0, side: FrontSide, transmission: 1 - opacity, thickness: 0.4 * size, attenuationDistance: size, ior: 1.35 });
}

export function surface(body) {
    const { faces } = body, { slots, vertexOf } = findSlots(faces, body.rest, body.surface);
    const carried = body.carriers && new Float32Array(body.rest.length), first = carried ? 0 : body.first;
    const geometry = new BufferGeometry();
    const position = new BufferAttribute(new Float32Array(3 * vertexOf.length), 3).setUsage(DynamicDrawUsage);
    const normal = new BufferAttribute(new Float32Array(3 * vertexOf.length), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", position);
    geometry.setAttribute("normal", normal);
    geometry.setIndex(new BufferAttribute(slots, 1));
    const material = makeMaterial(body), transmission = material.transmission;
    const mesh = new Mesh(geometry, material), normals = new Float32Array(faces.length);
    let shades = null, shown = null; // colours of slots, and the numbers that they stand for
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.userData.about = ({ face }) => ({ name: body.name, kind: `a body of ${count(body.tet_count)}${body.quadratic ? " quadratic" : ""} tets`, value: shown?.[face.a] });
    return {
        mesh, material,
        // `values` at all places; null: its own colour again
        shade(values, top) {
            if (!!values !== material.vertexColors) {
                material.vertexColors = !!values;
                if (transmission) material.transmission = values ? 0 : transmission; // colours that stand for numbers are opaque
                material.needsUpdate = true;
            }
            if (!values) { shown = null; return; }
            if (!shades) geometry.setAttribute("color", (shades = new BufferAttribute(new Float32Array(3 * vertexOf.length), 3).setUsage(DynamicDrawUsage)));
            shown ??= new Float32Array(vertexOf.length);
            vertexOf.forEach((v, i) => {
                shown[i] = carried ? carriedValue(body, values, v) : values[first + v];
                shadeOf(shown[i], top).toArray(shades.array, 3 * i);
            });
            material.color.set(0xffffff);
            shades.needsUpdate = true;
        },
        update(places, time) {
            const x = carried || places;
            if (carried) carry(body, weightsAt(body, time), places, carried);
            for (let i = 0; i < vertexOf.length; i++)
                for (let axis = 0; axis < 3; axis++) position.array[3 * i + axis] = x[3 * (first + vertexOf[i]) + axis];
            normal.array.fill(0);
            for (let f = 0; f < faces.length / 3; f++) {
                faceNormal(x, faces, f, first, normals); // as long as the face is large: a weight
                for (let c = 0; c < 3; c++)
                    for (let axis = 0; axis < 3; axis++) normal.array[3 * slots[3 * f + c] + axis] += normals[3 * f + axis];
            }
            for (let i = 0; i < normal.array.length; i += 3) {
                const n = Math.hypot(normal.array[i], normal.array[i + 1], normal.array[i + 2]) || 1;
                for (let axis = 0; axis < 3; axis++) normal.array[i + axis] /= n;
            }
            position.needsUpdate = normal.needsUpdate = true;
        },
    };
}

export default function bodies(run, look) {
    const drawn = run.bodies.map((body, i) => ({ body, i })).filter(({ body }) => body.faces.length);
    if (!drawn.length) return null;
    const object = new Group(), surfaces = drawn.map(({ body }) => surface(body));
    for (const { mesh } of surfaces) object.add(mesh);
    return {
        object,
        update(x, time) { for (const one of surfaces) one.update(x, time); },
        recolour() {
            surfaces.forEach(({ material }, k) => {
                material.color.set(tint(drawn[k].body, look, look.colour(drawn[k].i)));
                material.attenuationColor?.copy(material.color);
            });
        },
        shade(values, top) { for (const one of surfaces) one.shade(values, top); },
        // with wires inside, or laid over another run, one can look through
        see(through) {
            surfaces.forEach(({ material }, k) => {
                const { opacity = 1 } = drawn[k].body;
                if (material.transmission !== undefined) material.transmission = through ? 0 : 1 - opacity;
                finish(material, { opacity: through ? 0.35 * opacity : 1 });
            });
        },
    };
}
