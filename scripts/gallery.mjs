// node gallery.mjs BUILD FOLDER SCENE.yaml ...: runs each scene and writes FOLDER/NAME.html, and FOLDER/index.html of them all.
//
// What the index says about a scene stands in the comment that the scene begins with (docs/page.md):
//     # Gallery: a sentence, with {figures} from the run.
//     # Gallery run: --variants --until 20    how it is run (without: --variants where there are some)
//     # Gallery page: --until 80              another run, which the page shows in its place
//     # Gallery picture: 3.2                  at that time (without: after a third)
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { launch, picture } from "./browser.mjs";
import { indexPage } from "./gallery_index.mjs";

const [build, folder, ...scenes] = process.argv.slice(2).map((path) => resolve(path));

async function lilyan(...words) {
    const { stdout } = await promisify(execFile)(join(build, "lilyan"), words, { maxBuffer: 1 << 28 });
    return stdout;
}

// What the comment that a scene begins with says for the gallery; if nothing, its first paragraph.
function readComment(text) {
    const about = { text: "", run: /^variants:/m.test(text) ? "--variants" : "", page: null, picture: undefined };
    let into = "first";
    for (const line of text.split("\n")) {
        const words = /^#\s?(.*)$/.exec(line)?.[1].trim();
        if (words === undefined) break;
        const [, key, rest] = /^Gallery( run| page| picture)?: (.*)$/.exec(words) ?? [];
        if (key === " picture") about.picture = Number(rest);
        else if (key) about[key.trim()] = rest;
        else if (rest) { about.text = rest; into = "text"; }
        else if (!words) into = null;
        else if (into === "text") about.text += ` ${words}`;
        else if (into === "first") about.first = about.first ? `${about.first} ${words}` : words;
    }
    about.text ||= about.first;
    return about;
}

// All numbers of runs by name: NAME or, of several runs, VARIANT.NAME; of observables NAME.last and so on.
function figuresOf(runs) {
    const figures = new Map();
    for (const run of runs) {
        const put = (name, value) => { if (typeof value === "number") figures.set((runs.length > 1 ? `${run.variant}.` : "") + name, value); };
        for (const [name, value] of Object.entries({ ...run, ...run.certificate, ...run.keys })) put(name, value);
        for (const [name, of] of Object.entries(run.observables)) for (const [key, value] of Object.entries(of)) put(`${name}.${key}`, value);
    }
    return figures;
}

// {name} has three digits, {name:1} one, {name:%} is a percentage.
function fillIn(text, figures) {
    return text.replace(/\{([^{}:]+)(?::([^{}]*))?\}/g, (whole, name, how) => {
        if (!figures.has(name)) throw new Error(`the run has no figure ${name}; it has ${[...figures.keys()].join(", ")}`);
        const x = figures.get(name), digits = Number(how) || 3, size = Math.abs(x);
        if (how === "%") return `${Number((100 * x).toPrecision(2))} %`;
        if (Number.isInteger(x)) return String(x);
        if (size < 1e-3 || size >= 1e6) return x.toExponential(digits - 1).replace("e+", "e");
        return size >= 10 ** digits ? String(Math.round(x)) : x.toPrecision(digits);
    });
}

// Runs a scene; gives what it printed, and its files in the order of the scene.
async function run(scene, words, stem) {
    const output = join(folder, "runs", `${stem}.h5`), options = words.split(/\s+/).filter(Boolean);
    const printed = JSON.parse(await lilyan("run", scene, ...options, "-o", output, "--force", "--json"));
    const runs = [printed].flat(), several = Array.isArray(printed);
    return { runs, files: runs.map((one) => (several ? output.replace(/h5$/, `${one.variant}.h5`) : output)) };
}

async function takePicture(browser, page, time, scheme) {
    const jpeg = await picture(browser.context, page, { width: 480, height: 300, time, scheme, quality: 78 });
    return `data:image/jpeg;base64,${jpeg.toString("base64")}`;
}

async function makeOne(browser, scene) {
    const began = Date.now(), name = basename(scene, ".yaml"), text = readFileSync(scene, "utf8"), about = readComment(text);
    const told = await run(scene, about.run, name), shown = about.page ? await run(scene, about.page, `${name}-page`) : told;
    const page = join(folder, `${name}.html`);
    await lilyan("report", ...shown.files, "-o", page, "--title", name, "--force");
    const card = { name, text: fillIn(about.text, figuresOf(told.runs)), bodies: /^bodies:/m.test(text),
                   light: await takePicture(browser, page, about.picture, "light"), dark: await takePicture(browser, page, about.picture, "dark") };
    console.log(`${name.padEnd(24)}${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s`);
    return card;
}

async function main() {
    mkdirSync(join(folder, "runs"), { recursive: true });
    const browser = await launch(build, { deviceScaleFactor: 1.5 }), cards = [], failed = [], queue = [...scenes];
    const worker = async () => {
        for (let scene = queue.shift(); scene; scene = queue.shift())
            await makeOne(browser, scene).then((card) => cards.push(card), (error) => failed.push(`${scene}: ${(error.stderr || error.message).trim()}`));
    };
    await Promise.all(Array.from({ length: cpus().length }, worker));
    await browser.close();
    cards.sort((a, b) => (a.name < b.name ? -1 : 1));
    writeFileSync(join(folder, "index.html"), indexPage(cards));
    console.log(`\nOpen this page in a browser:\n${join(folder, "index.html")}`);
    for (const line of failed) console.error(`failed: ${line}`);
    process.exitCode = failed.length ? 1 : 0;
}

await main().catch((error) => {
    console.error(`gallery: ${error.message}`);
    process.exitCode = 1;
});
