import "./page.css";
import { hint, inWords } from "./certificate.js";
import { Clock } from "./clock.js";
import { colour } from "./colours.js";
import { makeControls } from "./controls.js";
import { readPage } from "./data.js";
import { film } from "./film/film.js";
import { makeRemote } from "./film/remote.js";
import { count, exact, ordinal } from "./format.js";
import { follow } from "./live.js";
import { chip, Plots } from "./plots.js";
import { Portrait } from "./portrait.js";
import { profileTable } from "./profile.js";
import { makePicking } from "./picking.js";
import { makeSaving } from "./saving.js";
import { Stage } from "./stage.js";

const $ = (id) => document.getElementById(id);
const element = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });

// The comment that a scene begins with, up to its first empty line.
function about(scene) {
    const lines = [];
    for (const line of (scene || "").split("\n")) {
        const text = /^#\s?(.*)$/.exec(line);
        if (!text || !text[1].trim()) break;
        lines.push(text[1].trim());
    }
    return lines.join(" ").replace(/\s*Run all (three|of them):$/, "");
}

function certificate(runs, visible, units) {
    const list = (run) => {
        const ul = element("ul");
        for (const { text, mood } of inWords(run, units)) ul.append(element("li", text, mood));
        return ul;
    };
    $("certificate").replaceChildren(...(runs.length === 1 ? [list(runs[0])] : runs.map((run, i) => {
        const row = element("div", "", visible[i] ? "run" : "run off"), name = element("strong", run.name);
        name.style.color = colour(i);
        row.append(name, list(run));
        return row;
    })));
    $("certificate").append(element("p", hint(runs), "hint"));
}

function thinned(page) {
    const [run] = page.runs, notes = [], shadeless = page.runs.some((one) => !one.shades && one.bodies.some((body) => body.tet_count));
    if (run.stride > 1) notes.push(`Every ${ordinal(run.stride)} of ${count(run.frames)} frames is shown`);
    else notes.push(page.runs.length === 1 ? `All ${count(run.frames)} frames are shown` : "All frames are shown");
    if (page.runs.some((one) => one.places)) notes.push("positions to 1/65536 of the scene");
    const hidden = page.runs.find((one) => one.observables > one.series.filter((s) => s.group === "observe").length);
    $("thinned").textContent = `${notes.join(", ")}. Plots keep the least and the most of every stretch.` +
        (shadeless ? " Stress and strain are left out of so long a motion." : "") +
        (hidden ? ` Some of ${count(hidden.observables)} observables are not plotted.` : "");
}

function footer(page) {
    thinned(page);
    const texts = [...new Set(page.runs.map((one) => one.scene).filter(Boolean))];
    for (const text of texts) $("scenes").append(element("pre", text));
    if (!texts.length) $("scenes").remove();
    const profiled = page.runs.filter((one) => one.profile);
    $("profile").append(...profiled.map((one) => profileTable(page.runs.length > 1 ? one : { profile: one.profile })));
    if (!profiled.length) $("profile").remove();
    const integrators = [...new Set(page.runs.map((one) => one.integrator))].join(", ");
    $("made").textContent = `Lilyan ${page.lilyan}: ${page.runs.map((one) => one.file).join(", ")}; ${integrators}. With three.js and uPlot (MIT licence, in this page's source).`;
}

// What the picture shows, for those who do not see it.
function describe(runs, units) {
    const m = units ? " m" : "";
    return runs.map((run) => {
        const parts = run.bodies.map((body) => `${body.name}, a body of ${count(body.tet_count)}${body.quadratic ? " quadratic" : ""} tets`);
        for (const { name, count: many } of run.particles) parts.push(many > 1 ? `${name}, ${count(many)} particles` : `${name}, a particle`);
        if (run.points.length) parts.push(`points ${run.points.slice(0, 12).join(", ")}`);
        const size = run.high.map((y, i) => exact(y - run.low[i], 3)).join(" by ");
        return `${runs.length > 1 ? `${run.name}: ` : ""}${parts.join("; ")}, moving within ${size}${m} for ${exact(run.end - run.start)}${units ? " s" : ""}`;
    }).join(". ");
}

// As large as leaves the controls in sight, without scrolling, on a screen wide enough for two columns.
function fit() {
    const frame = $("frame"), top = frame.getBoundingClientRect().top + window.scrollY;
    const room = window.innerHeight - top - $("controls").offsetHeight - 14;
    frame.style.height = window.innerWidth > 860 ? `${Math.min(Math.max(room, 340), 760)}px` : "";
}

function setTheme(name) { document.documentElement.dataset.theme = name; }

function start() {
    const began = performance.now(), page = readPage(), { runs } = page;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    setTheme(dark.matches ? "dark" : "light");
    const units = runs.some((run) => run.vertices); // bodies and particles are in SI; a Lagrangian may be in what suits it
    const solid = runs.some((run) => run.places), visible = runs.map(() => true), clock = new Clock(runs);
    document.title = $("title").textContent = page.title;
    $("about").textContent = about(runs[0].scene);
    $("about").addEventListener("click", () => $("about").classList.toggle("whole")); // on a phone it is cut after two lines
    certificate(runs, visible, units);
    footer(page);
    window.addEventListener("resize", fit);

    let stage = null;
    const problems = [];
    if (solid) {
        $("view").setAttribute("aria-label", describe(runs.filter((run) => run.places), units));
        try { stage = new Stage(runs.filter((run) => run.places), clock, $("view")); }
        catch (error) { problems.push(String(error)); $("frame").replaceChildren(element("p", "This browser cannot draw in 3-D (WebGL). The plots work.")); }
    } else {
        for (const id of ["view", "labels", "axes", "scale", "shades", "named"]) $(id).remove();
        document.querySelector("main").classList.add("plain");
    }
    const phased = runs.filter((run) => run.phase);
    const plots = new Plots(runs, clock, visible, units, $("plots"));
    const portrait = phased.length ? new Portrait(runs, clock, visible, solid ? $("plots") : $("frame"), !solid) : null;
    const shown = () => { plots.showLines(); portrait?.redraw(); certificate(runs, visible, units); };
    const chips = runs.length > 1 ? runs.map((run, i) => chip(run.name, () => colour(i), () => visible[i], () => {
        visible[i] = !visible[i];
        const at = stage ? stage.runs.indexOf(run) : -1;
        if (at >= 0) stage.setVisible(at, visible[i]);
        shown();
    })) : [];
    $("legend")?.replaceChildren(...chips.map(({ button }) => button));
    const retheme = (name) => {
        setTheme(name);
        stage?.recolour();
        plots.redraw();
        portrait?.redraw();
        for (const one of chips) one.show();
        certificate(runs, visible, units);
    };
    dark.addEventListener("change", () => retheme(dark.matches ? "dark" : "light"));
    const controls = makeControls(clock, stage, units, () => retheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    clock.onChange(() => { stage?.refresh(); plots.mark(); portrait?.mark(); });

    // what can be filmed
    const view = stage ? { frame: $("frame"), source: () => { stage.touch(); stage.draw(); return stage.canvas; } } :
        portrait && !solid ? { frame: $("frame"), source: () => portrait.canvas } : null;
    makeSaving(clock, view, page.title);
    if (stage) makePicking(stage);

    // for tests, scripts and 'lilyan film'
    window.lilyan = {
        page, clock, stage, plots, problems,
        get time() { return clock.time; },
        setTime(time) { clock.play(false); clock.set(time); stage?.draw(); },
        camera: () => stage && { matrix: stage.matrix(), anchors: stage.runs.map((run, i) => stage.anchorOf(i)),
                                 offsets: stage.groups.map(({ group }) => group.position.toArray()),
                                 width: stage.canvas.clientWidth, height: stage.canvas.clientHeight },
        film: (format, options, told) => film(format, clock, view, options, told), remote: makeRemote(clock, view),
        firstPicture: undefined,
    };
    clock.tell();
    fit();
    if (page.live) {
        clock.waits = true;
        const take = (fresh) => {
            fresh.runs.forEach((run, i) => runs[i].renew(run));
            clock.waits = runs[0].status === "running";
            clock.renew(runs);
            stage?.renew();
            controls.renew();
            plots.renew(runs);
            portrait?.renew();
            portrait?.redraw();
            certificate(runs, visible, units);
            thinned(page);
            clock.tell();
        };
        follow(page, take, (text) => {
            if ($("live").textContent !== text) $("live").textContent = text; // readers of the screen say what is set
            $("live").hidden = !text;
        });
    }
    const loop = (now) => {
        clock.tick(now);
        stage?.draw();
        if (window.lilyan.firstPicture === undefined) window.lilyan.firstPicture = { sinceNavigation: performance.now(), script: performance.now() - began };
        requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play(true);
}

start();
