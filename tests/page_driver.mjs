// A browser for tests/test_page.py: reads one JSON request a line, answers with one JSON object a line.
import { createInterface } from "node:readline";
import { inflateSync } from "node:zlib";
import { launch, open } from "../scripts/browser.mjs";

const browser = await launch(process.argv[2]);
let page;

// RGB of an 8-bit PNG, as the browser writes it
function decode(png) {
    const width = png.readUInt32BE(16), height = png.readUInt32BE(20), n = png[25] === 6 ? 4 : 3, data = [];
    for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
        if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    const raw = inflateSync(Buffer.concat(data)), row = width * n, out = Buffer.alloc(height * row), rgb = Buffer.alloc(3 * width * height);
    for (let y = 0; y < height; y++)
        for (let i = 0; i < row; i++) {
            const a = i >= n ? out[y * row + i - n] : 0, b = y ? out[(y - 1) * row + i] : 0, c = y && i >= n ? out[(y - 1) * row + i - n] : 0;
            const pa = Math.abs(b - c), pb = Math.abs(a - c), pc = Math.abs(a + b - 2 * c);
            const guess = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][raw[y * (row + 1)]];
            out[y * row + i] = raw[y * (row + 1) + 1 + i] + guess;
        }
    for (let i = 0; i < width * height; i++) out.copy(rgb, 3 * i, n * i, n * i + 3);
    return { width, height, rgb: rgb.toString("base64") };
}

const requests = {
    async open({ path, ...options }) {
        if (page?.live) { // it asks for frames until it is closed
            await page.close();
            page = undefined;
        }
        page = await open(browser.context, path, { ...options, tab: page });
    },
    evaluate: ({ js }) => page.evaluate(js),
    async picture({ selector }) { return decode(await page.locator(selector).screenshot()); },
    key: ({ key }) => page.keyboard.press(key),
    click: ({ selector, x, y }) => page.locator(selector).click(x === undefined ? {} : { position: { x, y } }),
    async drag({ selector, by }) {
        const box = await page.locator(selector).boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + by[0], y + by[1], { steps: 4 });
        await page.mouse.up();
    },
    // a video: its length, and its pictures at some times
    async watch({ data, times }) {
        const other = await browser.context.newPage();
        const watched = await other.evaluate(async ({ data, times }) => {
            const video = document.createElement("video"), happens = (what) => new Promise((resolve, reject) => {
                video.addEventListener(what, resolve, { once: true });
                video.onerror = () => reject(new Error(video.error.message));
            });
            video.src = URL.createObjectURL(await (await fetch(`data:video/mp4;base64,${data}`)).blob());
            await happens("loadeddata");
            const { videoWidth: width, videoHeight: height, duration } = video, context = new OffscreenCanvas(width, height).getContext("2d"), pictures = [];
            for (const time of times) {
                video.currentTime = time;
                await happens("seeked");
                context.drawImage(video, 0, 0);
                pictures.push(btoa(Array.from(context.getImageData(0, 0, width, height).data, (byte) => String.fromCharCode(byte)).join("")));
            }
            return { width, height, duration, pictures };
        }, { data, times });
        await other.close();
        return watched;
    },
    wait: ({ ms }) => page.waitForTimeout(ms),
    complaints: async () => page.complaints,
};

for await (const line of createInterface({ input: process.stdin })) {
    const { op, ...options } = JSON.parse(line);
    let answer;
    try { answer = { result: (await requests[op](options)) ?? null }; }
    catch (error) { answer = { error: String(error) }; }
    process.stdout.write(JSON.stringify(answer) + "\n");
}
await browser.close();
