// node bench_pages.mjs BUILD: how soon a page of `lilyan report` shows its first picture in Chromium (the bar is 3 s), and what
// the report of a large run costs: 10,000 frames of 5,202 vertices (60 s and 1 GB). Chromium draws by the CPU here.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, open } from "../scripts/browser.mjs";

const REPEATS = 3, build = resolve(process.argv[2]), scenes = resolve(dirname(fileURLToPath(import.meta.url)), "../scenes");
const folder = mkdtempSync(join(tmpdir(), "bench_pages-")), at = (name) => join(folder, name);
const lilyan = (...words) => execFileSync(join(build, "lilyan"), words, { stdio: ["ignore", "pipe", "inherit"] });
const run = (scene, output, ...words) => lilyan("run", join(scenes, `${scene}.yaml`), ...words, "-o", at(output), "--json");

async function firstPictures() {
    const variants = JSON.parse(run("pendulum", "pendulum.h5", "--variants", "--until", "20"));
    run("elastic-rod", "elastic-rod.h5", "--until", "80");
    run("hanging-jelly", "hanging-jelly.h5");
    run("outer-planets", "outer-planets.h5");
    const pages = { pendulum: variants.map(({ variant }) => at(`pendulum.${variant}.h5`)) };
    for (const name of ["elastic-rod", "hanging-jelly", "outer-planets"]) pages[name] = [at(`${name}.h5`)];
    console.log(`first picture of a page, from its address to the pixels, the fastest and the slowest of ${REPEATS}; the bar is 3 s`);
    const browser = await launch(build, { composed: true });
    for (const [name, files] of Object.entries(pages)) {
        const seconds = [];
        lilyan("report", ...files, "-o", at(`${name}.html`));
        for (let i = 0; i < REPEATS; i++) {
            const page = await open(browser.context, at(`${name}.html`));
            seconds.push(await page.evaluate(() => window.lilyan.firstPicture.sinceNavigation / 1000));
            await page.close();
        }
        const runs = files.length > 1 ? `${files.length} runs, ` : "", size = (statSync(at(`${name}.html`)).size / 1e6).toFixed(1);
        console.log(`  ${name.padEnd(16)}${Math.min(...seconds).toFixed(2).padStart(6)}${Math.max(...seconds).toFixed(2).padStart(6)} s   (${runs}${size} MB)`);
    }
    await browser.close();
}

const LARGE = `bodies:
  box: {shape: {type: box, size: [1, 1, 1.1], cells: [16, 16, 17]}, material: jelly, start: {spin: [1, 2, 3], twist: 20}}
integrator: symplectic-euler
time: {step: 0.0005, until: 4.9995}
record: {every: 1}
`;

// Seconds, and the most memory it had at once, in MB: Linux counts it.
function measure(command, words) {
    return new Promise((done, fail) => {
        const began = Date.now(), child = spawn(command, words, { stdio: ["ignore", "ignore", "inherit"] });
        let most = 0;
        const watch = setInterval(() => {
            try { most = Math.max(most, Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0)); } catch { /* it has ended */ }
        }, 20);
        child.on("exit", (code) => {
            clearInterval(watch);
            if (code) fail(new Error(`${command} ended with ${code}`));
            else done({ seconds: (Date.now() - began) / 1000, megabytes: most / 1000 });
        });
    });
}

async function largeReport() {
    writeFileSync(at("large.yaml"), LARGE);
    lilyan("run", at("large.yaml"));
    const { seconds, megabytes } = await measure(join(build, "lilyan"), ["report", at("large.h5"), "-o", at("large.html")]);
    const [file, page] = ["large.h5", "large.html"].map((name) => (statSync(at(name)).size / 1e6).toFixed(0));
    console.log(`report of 10,000 frames x 5,202 vertices (${file} MB to ${page} MB); the bars are 60 s and 1000 MB\n` +
                `  ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB of memory`);
}

try {
    await firstPictures();
    await largeReport();
} finally { rmSync(folder, { recursive: true }); }
