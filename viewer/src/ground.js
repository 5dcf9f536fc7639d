// The ground: a grid that fades out, and the shadows on it. A floor is opaque seen from above; from below one looks through it.
import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, PlaneGeometry, RingGeometry, ShadowMaterial } from "three";
import { nice } from "./format.js";

const CELLS = 14; // to each side

function lattice(cell, reach) {
    const position = [], colour = [];
    const fade = (x, y) => Math.max(0, 1 - Math.hypot(x, y) / reach) ** 1.3;
    const point = (x, y) => { position.push(x, y, 0); colour.push(1, 1, 1, fade(x, y)); };
    for (let i = -CELLS; i <= CELLS; i++)
        for (let j = -CELLS; j < CELLS; j++) {
            point(i * cell, j * cell); point(i * cell, (j + 1) * cell);
            point(j * cell, i * cell); point((j + 1) * cell, i * cell);
        }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colour), 4));
    return new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
}

// Opaque to two thirds of its radius, then it fades into the sky.
function slab(reach) {
    const geometry = new RingGeometry(0, reach, 96, 3), p = geometry.getAttribute("position"), colour = new Float32Array(4 * p.count);
    for (let i = 0; i < p.count; i++) colour.set([1, 1, 1, Math.hypot(p.getX(i), p.getY(i)) > 0.99 * reach ? 0 : 1], 4 * i);
    geometry.setAttribute("color", new BufferAttribute(colour, 4));
    const material = new MeshBasicMaterial({ vertexColors: true, transparent: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 });
    return Object.assign(new Mesh(geometry, material), { renderOrder: -4 });
}

// obstacle: the one that it is, if any.
export function makeGround(radius, obstacle) {
    const cell = nice(radius / 4), reach = CELLS * cell, lines = lattice(cell, reach);
    const shadow = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), new ShadowMaterial({ opacity: 0.18, depthWrite: false }));
    const floor = obstacle ? slab(reach) : null;
    shadow.receiveShadow = true;
    lines.renderOrder = -2;
    shadow.renderOrder = -1;
    const object = new Group();
    object.add(...[floor, shadow, lines].filter(Boolean));
    return {
        object, cell,
        // the grid stands still in space while the view moves along
        move(x, y, z) {
            object.position.z = z;
            lines.position.set(x - cell * Math.round(x / cell), y - cell * Math.round(y / cell), 0);
        },
        recolour(dark) {
            lines.material.color = new Color(dark ? 0x5a6470 : 0xa9aeb5);
            floor?.material.color.set(obstacle.color ?? (dark ? 0x252b33 : 0xdde1e5));
            shadow.material.opacity = dark ? 0.45 : 0.16;
        },
    };
}
