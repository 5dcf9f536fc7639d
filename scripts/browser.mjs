// Chromium without a window, for tests, the gallery and benchmarks: a fresh profile, drawing in 3-D by the CPU.
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

function find(names) {
    for (const name of names)
        for (const folder of process.env.PATH.split(delimiter)) {
            try { accessSync(join(folder, name), constants.X_OK); return join(folder, name); } catch { /* the next one */ }
        }
    throw new Error(`none of ${names.join(", ")} is installed (scripts/deps.sh installs what is missing)`);
}

// `build`: the folder that lilyan was built in, with LILYAN_BROWSER or LILYAN_TESTS. SwiftShader draws what is WebGL; with
// `composed` also the rest of a page, as in a browser with a GPU: without it pages are the same, in 2/3 of the CPU time.
export async function launch(build, { composed = false, ...options } = {}) {
    const { chromium } = createRequire(resolve(build, "viewer/package.json"))("playwright-core");
    const profile = mkdtempSync(join(tmpdir(), "lilyan-browser-"));
    const context = await chromium.launchPersistentContext(profile, {
        executablePath: find(["chromium", "chromium-browser"]), headless: true, colorScheme: "light", ...options,
        args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
               "--disable-component-update", "--no-first-run", ...(composed ? [] : ["--disable-gpu-compositing"])],
    });
    return { context, close: async () => { await context.close(); rmSync(profile, { recursive: true, force: true }); } };
}

// A tab that collects complaints of its page in `page.complaints`.
async function newTab(context) {
    const page = await context.newPage();
    page.on("pageerror", (error) => page.complaints.push(`error: ${error.message}`));
    page.on("console", (message) => {
        const ours = !/^\[\.WebGL-.* GPU stall due to ReadPixels/.test(message.text()); // Chromium itself reads what it composes
        if (ours && ["error", "warning"].includes(message.type())) page.complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url()) && !(page.live && request.url().startsWith(page.live))) page.complaints.push(`request: ${request.url()}`); });
    page.on("dialog", (dialog) => { page.complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    return page;
}

// A page of lilyan report once its first picture is there; in `tab` if there is one, which takes a third less than a new one.
export async function open(context, path, { width = 1200, height = 800, scheme = "light", motion = "reduce", tab } = {}) {
    const page = tab ?? await newTab(context);
    page.live = path.startsWith("http://127.0.0.1:") && path; // of 'lilyan run --live': it may ask for more of itself
    page.complaints = [];
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: motion });
    await page.goto(page.live || pathToFileURL(resolve(path)).href);
    await page.waitForFunction(() => window.lilyan?.firstPicture, null, { timeout: 30000 });
    return page;
}

// What moves, at a time (without one: after a third of it), and nothing around it: a JPEG.
export async function picture(context, path, { time, width, height, scheme, quality = 82 }) {
    const page = await open(context, path, { width, height, scheme });
    await page.addStyleTag({ content: `#frame { position: fixed !important; inset: 0; z-index: 9; height: 100vh !important }
        #axes, #scale { display: none }
        #legend { flex-flow: row wrap !important; gap: 2px 8px !important; max-height: none !important }` });
    await page.evaluate((t) => { const { start, end } = window.lilyan.clock; window.lilyan.setTime(t ?? start + (end - start) / 3); }, time);
    await page.waitForTimeout(300); // the new size, then a frame of it
    const { complaints } = page, jpeg = await page.screenshot({ type: "jpeg", quality });
    await page.close();
    if (complaints.length) throw new Error(`${path}: ${complaints.join("; ")}`);
    return jpeg;
}
