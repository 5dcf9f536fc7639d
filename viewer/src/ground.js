// A grid that fades out, and the shadows on it.
import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, ShadowMaterial } from "three";
import { nice } from "./format.js";

const CELLS = 14; // to each side

export function makeGround(radius) {
    const cell = nice(radius / 4), reach = CELLS * cell, position = [], colour = [];
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
    const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    const shadow = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), new ShadowMaterial({ opacity: 0.18, depthWrite: false }));
    shadow.receiveShadow = true;
    lines.renderOrder = -2;
    shadow.renderOrder = -1;
    const object = new Group();
    object.add(shadow, lines);
    return {
        object, cell,
        // the grid stands still in space while the view moves along
        move(x, y, z) {
            object.position.z = z;
            lines.position.set(x - cell * Math.round(x / cell), y - cell * Math.round(y / cell), 0);
        },
        recolour(dark) {
            lines.material.color = new Color(dark ? 0x5a6470 : 0xa9aeb5);
            shadow.material.opacity = dark ? 0.45 : 0.16;
        },
    };
}
