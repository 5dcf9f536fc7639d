// The motion in 3-D: z is up, lengths are the scene's. Draws when something has changed, and only then.
import { AmbientLight, Color, DirectionalLight, Group, HemisphereLight, PerspectiveCamera, PCFShadowMap, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { colour, isDark, variable } from "./colours.js";
import { boxAt, chooseBox, floorOf, frameBox, joined, leash, travels } from "./framing.js";
import { makeGround } from "./ground.js";
import { layers } from "./layers/index.js";
import { radiusOf } from "./layers/shapes.js";
import { kindsOf, topOf, valuesOf } from "./shades.js";
import { labelPoints, drawAxes, drawScale } from "./overlays.js";

const length = (v) => Math.hypot(...v), NOMINAL = 1.5; // the shape of the picture that framing is decided for

// what only rises and falls would be hidden behind its like
const upright = (run) => [0, 1].every((i) => run.view.high[i] - run.view.low[i] < 0.02 * (run.view.high[2] - run.view.low[2]));

// Flat motions are looked at face on, a row of bodies too; others from the front, a little from the right and above.
function direction(box, row) {
    const size = box.high.map((y, i) => y - box.low[i]), large = Math.max(...size) || 1;
    if (size[1] < 0.02 * large) return new Vector3(0.28, -1, 0.2);
    if (size[2] < 0.02 * large && size[1] >= 0.02 * large) return new Vector3(0.15, -0.75, 1);
    return new Vector3(row ? 0.12 : 0.55, -1, row ? 0.3 : 0.5);
}

// What the graphics card has of it: geometry, materials, and the matrices of instances.
const release = (object) => object.traverse((one) => {
    one.geometry?.dispose();
    for (const material of [one.material || []].flat()) material.dispose();
    if (one.isInstancedMesh) one.dispose();
});

export class Stage {
    constructor(runs, clock, canvas) {
        this.runs = runs;
        this.clock = clock;
        this.canvas = canvas;
        this.travels = travels(runs);
        this.wanted = undefined; // "still" or "along": as the user wants it
        this.apart = runs.length > 1 && (runs.some((run) => run.bodies.length) || runs.every(upright));
        this.visible = runs.map(() => true);
        this.shade = null;
        this.values = [];
        this.shown = { tets: false, trails: true, arrows: true, contacts: false, keys: true, pins: true };
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "low-power" });
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
        this.renderer.debug.checkShaderErrors = false; // all shaders are of three.js, and asking for errors waits for each
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.scene = new Scene();
        this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.addEventListener("change", () => this.touch());
        this.controls.addEventListener("start", () => { this.untouched = false; });
        this.light();
        this.frame();
        this.groups = runs.map((run, i) => this.build(run, i));
        if (this.groups.some(({ parts }) => parts.some((part) => part.many))) this.shown.arrows = false;
        this.recolour();
        this.resetView();
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
        this.resize();
        this.refresh();
        this.renderer.compile(this.scene, this.camera); // all at once, while the plots are being made
    }

    light() {
        this.sun = new DirectionalLight(0xffffff, 2);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(1024, 1024);
        this.sun.shadow.radius = 4;
        this.hemisphere = new HemisphereLight(0xffffff, 0xb9b4aa, 1.7);
        this.hemisphere.position.set(0, 0, 1);
        this.scene.add(this.sun, this.sun.target, this.hemisphere, new AmbientLight(0xffffff, 0.5));
    }

    // "still": all of the way; "leash": a part of it, moved along as far as needed; "centre": what moves is in the middle.
    chooseView() {
        const { box, whole, low } = chooseBox(this.runs, (box) => this.coverage(box));
        const along = this.travels || whole ? "centre" : "leash", usual = this.travels ? "centre" : whole ? "still" : "leash";
        this.mode = this.wanted === undefined ? usual : this.wanted === "still" ? "still" : along;
        this.low = low;
        this.box = this.mode === "centre" ? frameBox(this.runs) : this.mode === "leash" || whole ? box : chooseBox(this.runs, () => 1).box;
    }

    get follow() { return this.mode !== "still"; }

    extentOf(box, widened = 0) {
        const ball = this.runs.some((run) => run.points.length || run.particles.length) ? 0.06 * (length(box.high.map((y, i) => y - box.low[i])) || 1) : 0;
        return box.high.map((y, i) => y - box.low[i] + ball + (i ? 0 : widened));
    }

    // How much of the picture's width what moves takes at half time: its width or its height.
    coverage(box = this.box) {
        const turn = new PerspectiveCamera(), gap = this.apart ? this.runs.length : 1;
        turn.up.set(0, 0, 1);
        turn.position.copy(direction(box, this.apart && this.runs.length > 2));
        turn.lookAt(0, 0, 0);
        turn.updateMatrix();
        const m = turn.matrix.elements, shares = this.runs.map((run) => {
            const now = boxAt(run, 0.5 * (run.start + run.end)), size = now.high.map((y, i) => y - now.low[i]);
            return Math.max(...[0, 1].map((k) => size.reduce((sum, y, i) => sum + Math.abs(m[4 * k + i]) * y, 0)));
        });
        const tall = Math.tan((this.camera.fov * Math.PI) / 360);
        return (gap * Math.max(...shares)) / (2 * this.distance(this.extentOf(box), turn.quaternion, NOMINAL) * tall * NOMINAL);
    }

    // What depends on what is to be seen: anchor, size, ground, light.
    frame() {
        this.chooseView();
        const size = this.box.high.map((y, i) => y - this.box.low[i]);
        this.anchor = this.box.high.map((y, i) => 0.5 * (y + this.box.low[i]));
        this.gap = 1.15 * Math.max(size[0], 0.6 * size[1], 0.3 * size[2]);
        const widened = this.apart ? this.gap * (this.runs.length - 1) : 0;
        this.size = length(size) || 1;
        this.extent = this.extentOf(this.box, widened);
        this.radius = 0.5 * length(this.extent) || 1;
        if (this.ground) {
            this.scene.remove(this.ground.object);
            release(this.ground.object);
        }
        this.ground = makeGround(this.radius, floorOf(this.runs));
        this.ground.recolour(isDark());
        this.scene.add(this.ground.object);
        const R = this.radius, s = this.sun.shadow.camera;
        this.sun.position.set(-0.9 * R, -1.1 * R, 2.6 * R);
        Object.assign(s, { left: -1.6 * R, right: 1.6 * R, top: 1.6 * R, bottom: -1.6 * R, near: 0.1 * R, far: 8 * R });
        s.updateProjectionMatrix();
        this.sun.shadow.normalBias = 0.01 * R;
        this.camera.near = 0.01 * R;
        this.camera.far = 200 * R;
        this.controls.minDistance = 0.1 * R;
        this.controls.maxDistance = 60 * R;
    }

    build(run, i) {
        const several = this.runs.length > 1;
        // runs in one place: one inside the other, not a patchwork of both
        const look = { several, size: this.size, thick: Math.max(1 - 0.05 * i, 0.5), ink: () => variable("--soft"), accent: () => colour(3), alarm: () => variable("--bad"),
                       colour: (body) => colour(several ? i : body) };
        const group = new Group(), parts = layers.map((layer) => layer(run, look)).filter(Boolean);
        for (const part of parts) group.add(part.object);
        group.rotation.x = run.up === "y" ? Math.PI / 2 : 0;
        this.scene.add(group);
        return { run, group, parts, places: new Float32Array(3 * run.places), pointRadius: radiusOf(Math.max(run.points.length, 1), look) };
    }

    // After runs have got more frames: layers are made anew, as they were made for what there was. The camera stays as the user left it.
    renew() {
        this.travels = travels(this.runs);
        const stays = !this.untouched;
        if (!stays) this.frame();
        for (const { group, parts } of this.groups) {
            this.scene.remove(group);
            for (const { object } of parts) release(object);
        }
        this.groups = this.runs.map((run, i) => this.build(run, i));
        this.through = undefined;
        if (this.shade && !kindsOf(this.runs).includes(this.shade.kind)) this.shade = null;
        if (this.shade) this.shade.top = topOf(this.runs, this.shade.kind);
        this.recolour();
        if (!stays) this.resetView(this.from);
        this.refresh();
    }

    // From a side: a vector from what is seen to the camera; without one, as the motion is seen best.
    resetView(from = null) {
        this.from = from;
        this.controls.target.set(0, 0, 0);
        this.camera.position.copy((from ? new Vector3(...from) : direction(this.box, this.apart && this.runs.length > 2)).normalize());
        this.camera.lookAt(0, 0, 0);
        this.camera.position.multiplyScalar(this.distance());
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.untouched = true;
        this.touch();
    }

    // As near as all corners of what is seen allow.
    distance(extent = this.extent, quaternion = this.camera.quaternion, aspect = this.camera.aspect || 1) {
        const tall = 0.86 * Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * aspect;
        const back = quaternion.clone().invert(), corner = new Vector3();
        let distance = 0;
        for (let i = 0; i < 8; i++) {
            corner.set(...[0, 1, 2].map((axis) => (i >> axis & 1 ? 0.5 : -0.5) * extent[axis])).applyQuaternion(back);
            distance = Math.max(distance, corner.z + Math.abs(corner.x) / wide, corner.z + Math.abs(corner.y) / tall);
        }
        return distance || this.radius || 1;
    }

    setFollow(on) { this.wanted = on ? "along" : "still"; this.frame(); this.resetView(); this.refresh(); }
    setApart(on) { this.apart = on; this.frame(); this.resetView(); this.refresh(); }
    // A quantity as colours; null: each part's own.
    setShade(kind) {
        this.shade = kind && { kind, top: topOf(this.runs, kind) };
        if (!kind) for (const { parts } of this.groups) for (const part of parts) { part.shade?.(null); part.recolour(); }
        this.refresh();
    }
    setVisible(i, on) { this.visible[i] = on; this.refresh(); }
    setShown(what, on) { this.shown[what] = on; this.refresh(); }

    // Places at the clock's time.
    refresh() {
        const through = this.shown.tets || (this.runs.length > 1 && !this.apart);
        if (through !== this.through) {
            this.through = through;
            for (const { parts } of this.groups) for (const part of parts) part.see?.(through);
        }
        let leader;
        this.groups.forEach(({ run, group, parts, places }, i) => {
            group.visible = this.visible[i];
            if (!group.visible) return;
            const at = this.anchorOf(i), anchor = run.fromView(at);
            leader = leader || at;
            group.position.x = this.apart ? this.gap * (i - 0.5 * (this.runs.length - 1)) : 0;
            run.positions(this.clock.time, anchor, places);
            for (const part of parts) {
                if (part.toggle) part.object.visible = this.shown[part.toggle];
                part.update(places, this.clock.time, anchor);
            }
            if (!this.shade) return;
            const values = valuesOf(run, this.shade.kind, this.clock.time, (this.values[i] ??= new Float32Array(run.places)));
            for (const part of parts) part.shade?.(values, this.shade.top);
        });
        const at = leader || this.anchor;
        this.widen(this.mode === "leash" ? Math.max(...this.groups.map((_, i) => this.leashOf(i).larger)) : 1);
        const floor = floorOf(this.runs), low = this.mode === "centre" ? -0.52 * this.size : this.low - at[2];
        this.ground.move(-at[0], -at[1], floor ? floor.level - at[2] : low - 0.002 * this.size - (this.runs.some((run) => run.points.length || run.particles.length) ? 0.03 * this.size : 0));
        this.touch();
    }

    // As if the camera stood so much further away.
    widen(by) {
        if (this.camera.zoom === 1 / by) return;
        this.camera.zoom = 1 / by;
        this.camera.updateProjectionMatrix();
        const reach = 1.6 * this.radius * by, s = this.sun.shadow.camera;
        Object.assign(s, { left: -reach, right: reach, top: reach, bottom: -reach });
        s.updateProjectionMatrix();
    }

    recolour() {
        this.scene.background = new Color(variable("--sky"));
        this.hemisphere.intensity = isDark() ? 1.2 : 1.6;
        this.ground.recolour(isDark());
        for (const { parts } of this.groups) for (const part of parts) part.recolour();
        if (this.shade) this.refresh();
        this.touch();
    }

    resize() {
        const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
        if (!w || !h) return;
        this.renderer.setSize(w, h, false);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        if (this.untouched) this.resetView(this.from);
        this.touch();
    }

    touch() { this.dirty = true; }

    draw() {
        if (!this.dirty) return false;
        this.dirty = false;
        this.renderer.render(this.scene, this.camera);
        drawAxes(this.camera, this.runs[0]);
        drawScale(this.camera, this.controls.target, this.canvas, this.runs.some((run) => run.vertices));
        labelPoints(this.groups, this.visible, this.camera, this.canvas);
        return true;
    }

    // For tests and scripts: from places less the anchor, both with z up, to pixels of the canvas, column by column.
    matrix() {
        this.camera.updateMatrixWorld();
        const m = this.camera.projectionMatrix.clone().multiply(this.camera.matrixWorldInverse);
        return m.toArray();
    }

    leashOf(i) {
        const seen = this.apart ? [this.runs[i]] : this.runs.filter((_, k) => this.visible[k]);
        return leash(this.box, joined((seen.length ? seen : this.runs).map((run) => boxAt(run, this.clock.time))));
    }

    // What the camera looks at in run i, at the clock's time.
    anchorOf(i) {
        const run = this.runs[i], t = this.clock.time;
        if (this.mode === "centre") return run.toView(run.centre(t));
        if (this.mode === "still") return [...this.anchor];
        return this.leashOf(i).move.map((y, k) => this.anchor[k] + y);
    }
}
